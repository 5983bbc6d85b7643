/* A baseline after PALEO (Qi, Sparks and Talwalkar, ICLR 2017): over the kernels, the
 * sum of FLOP / (share of peak x peak) and of bytes / bandwidth. The share, which PALEO calls
 * platform percent of peak, is one number per framework, and the best one for the very rows that
 * are judged: no held-out share could do better. */
#include "cost/cost.h"
#include "lab/fit_internal.h"

#include <math.h>

/* What a step takes at the peak, and to move its bytes. */
struct parts {
    double compute_ns, memory_ns;
};

static struct parts parts_of(const struct ec_step *s, const struct ec_device *d,
                             enum ec_precision p)
{
    struct parts ret = { 0 };
    int i;

    for (i = 0; i < s->n; i++) {
        const struct ec_kernel *k = &s->kernel[i];
        double repeat = s->repeat ? s->repeat[i] : 1;

        ret.compute_ns +=
            repeat * 1e9 * k->flop / ec_paper_peak(d, p, (k->flags & EC_KF_MATRIX) != 0);
        ret.memory_ns +=
            repeat * 1e9 * ec_kernel_bytes(k, ec_precision_bytes(p)) / d->memory_bytes_per_s.value;
    }
    return ret;
}

/* Rows that have a share of their own. */
struct group {
    int framework;
    bool isolated;
};

static bool is_of(const struct ec_fit_row *r, struct group g)
{
    return (int)r->cond.framework == g.framework && r->isolated == g.isolated;
}

/* Mean absolute log error; each device of a table counts as the root of its rows. */
static double loss(const struct ec_fit *f, const struct parts *v, struct group g, double share)
{
    double sum = 0, weight = 0;
    int i;

    for (i = 0; i < f->n_rows; i++) {
        const struct ec_fit_row *r = f->row[i];

        if (!is_of(r, g))
            continue;
        sum += r->reach_weight * fabs(log(r->time_ns / (v[i].compute_ns / share + v[i].memory_ns)));
        weight += r->reach_weight;
    }
    return weight > 0 ? sum / weight : 0;
}

/* Shares from 0.01 to 1, each 1.03 times the last. */
#define LEAST_SHARE 0.01
#define STEP 1.03
#define STEPS 156

static double best_share(const struct ec_fit *f, const struct parts *v, struct group g)
{
    double best = 1, least = loss(f, v, g, best), share = LEAST_SHARE;
    int i;

    for (i = 0; i < STEPS; i++) {
        double l = loss(f, v, g, share);

        if (l < least) {
            least = l;
            best = share;
        }
        share *= STEP;
    }
    return best;
}

static void set_group(const struct ec_fit *f, const struct parts *v, struct group g, double *ret)
{
    double share = best_share(f, v, g);
    int i, n = 0;

    for (i = 0; i < f->n_rows; i++)
        if (is_of(f->row[i], g)) {
            ret[i] = v[i].compute_ns / share + v[i].memory_ns;
            n++;
        }
    if (n)
        ec__fit_say(f->opts, "  sum after PALEO, %s, %s: %.2f of the peak",
                    ec_framework_keys[g.framework], g.isolated ? "operators" : "networks", share);
}

enum ec_status ec__fit_paleo(const struct ec_fit *f, double *ret, struct ec_err *err)
{
    struct parts *v = ec_alloc(sizeof *v * (size_t)(f->n_rows + 1));
    int framework, i;

    EC_PASS(ec_allocated(v, err));
    for (i = 0; i < f->n_rows; i++)
        v[i] = parts_of(f->row[i]->step, f->device[f->row[i]->device], f->row[i]->cond.precision);
    for (framework = 0; framework < EC_FRAMEWORK_COUNT; framework++) {
        set_group(f, v, (struct group){ framework, true }, ret);
        set_group(f, v, (struct group){ framework, false }, ret);
    }
    ec_free(v);
    return EC_OK;
}
