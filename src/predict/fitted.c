/* The numbers that ship: written by `epochcast fit`, never by hand. */
#include "predict/predict_internal.h"

#include <math.h>
#include <string.h>

#include "predict/fitted.inc"

const struct ec_fitted *ec__fitted(void)
{
    return &fitted;
}

bool ec__is_forward(const struct ec_step *step)
{
    return !step->n || step->kernel[step->n - 1].phase == EC_FORWARD;
}

int ec__width_group(enum ec_framework fw, const struct ec_step *step, const struct ec_device *d,
                    bool queued)
{
    bool batched = step->n == 1 && step->kernel[0].kclass == EC_K_GEMM && step->kernel[0].b > 1;
    enum ec_manner manner = d->kind == EC_DEV_CPU ? EC_ON_CPU
                            : queued              ? EC_QUEUED
                            : batched             ? EC_BATCHED
                                                  : EC_PLAIN;

    return 2 * ((int)manner * (int)EC_FRAMEWORK_COUNT + (int)fw) + !ec__is_forward(step);
}

struct ec_width ec__fitted_width(const struct ec_fitted *f, enum ec_width_kind kind,
                                 enum ec_basis basis, int group)
{
    const struct ec_stretch *stretch = &f->stretch[kind][basis][group];
    struct ec_width w = f->width[kind][basis];

    if (stretch->lo > 0)
        w.lo = w.mid + (w.lo - w.mid) * stretch->lo;
    if (stretch->hi > 0)
        w.hi = w.mid + (w.hi - w.mid) * stretch->hi;
    return w;
}

struct ec_width ec__fitted_reach(struct ec_width w, enum ec_width_kind kind, enum ec_basis basis,
                                 bool trains, const struct ec_device_fit *d)
{
    double reach = 1;

    if (d && basis == EC_BASIS_MEASURED) {
        if (kind == EC_W_network || kind == EC_W_network_not_gpu)
            reach = d->reach;
        else if (kind == EC_W_known_network)
            reach = fmax(1, d->size_reach[trains]);
    }

    w.lo = w.mid + reach * (w.lo - w.mid);
    w.hi = w.mid + reach * (w.hi - w.mid);
    return w;
}

static const struct ec_device_fit *find_fit(const struct ec_device_fit *list, int n,
                                            struct ec_span key)
{
    int lo = 0, hi = n - 1;

    while (lo <= hi) {
        int mid = (lo + hi) / 2, c = strncmp(key.p, list[mid].key, key.len);

        if (c == 0 && list[mid].key[key.len])
            c = -1;
        if (c == 0)
            return &list[mid];
        if (c < 0)
            hi = mid - 1;
        else
            lo = mid + 1;
    }
    return NULL;
}

/* Words at the end of a key that tell the board, not the product. */
static bool is_board_word(struct ec_span w)
{
    static const char *const words[] = { "pcie", "nvl", "gcd", "hbm2e", "500w" };
    size_t digits = 0;
    int i;

    for (i = 0; i < EC_LEN(words); i++)
        if (ec_span_eq(w, words[i]))
            return true;
    while (digits < w.len && w.p[digits] >= '0' && w.p[digits] <= '9')
        digits++;
    if (digits && w.len == digits + 2 && memcmp(w.p + digits, "gb", 2) == 0)
        return true;
    return w.len >= 3 && w.len <= 4 && memcmp(w.p, "sxm", 3) == 0;
}

size_t ec__product_len(const char *key)
{
    size_t len = strlen(key), cut;

    for (;;) {
        cut = len;
        while (cut && key[cut - 1] != '-')
            cut--;
        if (!cut || !is_board_word((struct ec_span){ key + cut, len - cut }))
            return len;
        len = cut - 1;
    }
}

const struct ec_device_fit *ec__fitted_device(const struct ec_fitted *f, const char *key)
{
    return find_fit(f->devices, f->n_devices, ec_span_of(key));
}

bool ec__fitted_product(const struct ec_fitted *f, const char *key)
{
    return find_fit(f->products, f->n_products, (struct ec_span){ key, ec__product_len(key) });
}

bool ec__fitted_operators(const struct ec_fitted *f, const char *key)
{
    size_t len = ec__product_len(key);
    int i;

    for (i = 0; i < f->n_devices; i++) {
        const struct ec_device_fit *d = &f->devices[i];

        if (d->n_operators > 0 && ec__product_len(d->key) == len && !memcmp(d->key, key, len))
            return true;
    }
    return false;
}

/* Mean over the sources that measured this device so; 0 when none did. */
static double host_offset(const struct ec_fitted *f, const char *key, enum ec_framework fw,
                          enum ec_width_kind kind)
{
    double sum = 0;
    int i, n = 0;

    for (i = 0; i < f->n_hosts; i++)
        if (f->hosts[i].framework == fw && f->hosts[i].kind == kind &&
            ec_str_eq(f->hosts[i].device, key)) {
            sum += f->hosts[i].launch;
            n++;
        }
    return n ? sum / n : 0;
}

void ec__fitted_offset(const struct ec_fitted *f, const char *key, enum ec_framework fw,
                       enum ec_width_kind kind, double ret[EC_DO_COUNT])
{
    const struct ec_device_fit *d = ec__fitted_device(f, key);

    memset(ret, 0, sizeof *ret * EC_DO_COUNT);
    if (!d)
        d = find_fit(f->products, f->n_products, (struct ec_span){ key, ec__product_len(key) });
    if (d)
        memcpy(ret, d->offset, sizeof d->offset);
    ret[EC_DO_LAUNCH] += host_offset(f, key, fw, kind);
}

const char *ec__width_name(enum ec_width_kind k)
{
    static const char *const names[] = {
#define WIDTH_NAME(name) #name,
        EC_WIDTH_LIST(WIDTH_NAME)
#undef WIDTH_NAME
    };
    return names[k];
}

enum ec_width_kind ec__width_of_network(const struct ec_device *d)
{
    return d->kind == EC_DEV_GPU ? EC_W_network : EC_W_network_not_gpu;
}

enum ec_width_kind ec__width_of_op(const struct ec_op *op)
{
    static const struct {
        const char *prefix;
        enum ec_width_kind kind;
    } kinds[] = {
        {"conv",       EC_W_conv},
        { "matmul",    EC_W_gemm},
        { "linear",    EC_W_gemm},
        { "lstm",      EC_W_rnn },
        { "gru",       EC_W_rnn },
        { "rnn",       EC_W_rnn },
        { "multi",     EC_W_gemm},
        { "attention", EC_W_gemm},
    };
    int i;

    for (i = 0; i < EC_LEN(kinds); i++)
        if (ec_str_starts(op->name, kinds[i].prefix))
            return kinds[i].kind;
    return EC_W_vector;
}
