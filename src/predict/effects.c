/* Known networks: keys and look-up. */
#include "predict/effects.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

uint64_t ec_network_signature(const struct ec_step *s)
{
    double of[3] = { 0 }; /* forward kernels, those of matrix work, their parameters */
    int i;

    for (i = 0; i < s->n; i++) {
        const struct ec_kernel *k = &s->kernel[i];
        double repeat = s->repeat ? s->repeat[i] : 1;

        if (k->phase != EC_FORWARD)
            continue;
        if (k->flags & EC_KF_MATRIX) {
            of[1] += repeat;
            of[2] += repeat * k->weight_elems;
        }
    }
    return ec_hash(of, sizeof of);
}

struct ec_effect_keys ec_effect_keys(uint64_t signature, const char *device, enum ec_mode mode,
                                     enum ec_precision p, enum ec_framework fw,
                                     enum ec_memory_format format)
{
    bool half = p == EC_AMP || p == EC_BF16 || p == EC_FP16;
    struct ec_effect_keys keys;
    char text[160];
    int n;

    n = snprintf(text, sizeof text, "%llx/%d/%d", (unsigned long long)signature, (int)mode, half);
    keys.network = ec_hash(text, (size_t)n);
    n = snprintf(text, sizeof text, "%llx/%d/%d/%d/%d/%.100s", (unsigned long long)signature,
                 (int)mode, (int)p, (int)fw, (int)format, device);
    keys.conditions = ec_hash(text, (size_t)n);
    return keys;
}

static int by_key(const void *a, const void *b)
{
    const struct ec_effect *x = a, *y = b;

    return (x->key > y->key) - (x->key < y->key);
}

void ec_effects_sort(struct ec_effects *e)
{
    if (e->n)
        qsort(e->v, (size_t)e->n, sizeof *e->v, by_key);
}

const struct ec_effect *ec_effects_find(const struct ec_effects *e, uint64_t key)
{
    struct ec_effect wanted = { .key = key };

    return e->n ? bsearch(&wanted, e->v, (size_t)e->n, sizeof *e->v, by_key) : NULL;
}

double ec_network_mac(const struct ec_step *s)
{
    double mac = 0;
    int i;

    for (i = 0; i < s->n; i++)
        if (s->kernel[i].phase == EC_FORWARD)
            mac += (s->repeat ? s->repeat[i] : 1) * s->kernel[i].mac;
    return mac;
}

double ec_network_size(const struct ec_step *s)
{
    return log2(1 + ec_network_mac(s));
}

/* In doublings. */
#define ALIKE_WITHIN 3.0

double ec_sizes_alike(double a, double b)
{
    double way = (a - b) / ALIKE_WITHIN;

    return 1 + exp(-way * way / 2);
}

uint64_t ec_anchor_key(uint64_t conditions, int anchor, enum ec_anchor what)
{
    uint64_t of[2] = { conditions, (uint64_t)anchor * EC_ANCHOR_ENTRIES + (uint64_t)what };

    return ec_hash(of, sizeof of);
}

double ec_effect_near(const struct ec_effects *e, uint64_t conditions, double size)
{
    const struct ec_effect *mean = ec_effects_find(e, conditions);
    double sum = 0;
    int i;

    for (i = 0; mean && i < EC_ANCHORS_MAX; i++) {
        const struct ec_effect *weight =
            ec_effects_find(e, ec_anchor_key(conditions, i, EC_ANCHOR_WEIGHT));
        const struct ec_effect *at =
            ec_effects_find(e, ec_anchor_key(conditions, i, EC_ANCHOR_SIZE_OF));

        if (!weight || !at)
            break;
        sum += (double)weight->log_factor *
               ec_sizes_alike(size, EC_ANCHOR_SIZE * (double)at->log_factor);
    }
    return i ? sum : mean ? (double)mean->log_factor : 0;
}
