/* Pieces of answers: intervals, words for limit and basis, notes. */
#include "predict/predict_internal.h"
#include "predict/query.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "learn/learn.h"

#define CONVOLUTIONS "convolutions" /* the kind of which memory order is a condition */

const char *ec_limit_name(enum ec_limit l)
{
    static const char *const names[] = {
        [EC_LIMIT_COMPUTE] = "compute",
        [EC_LIMIT_MEMORY] = "memory bandwidth",
        [EC_LIMIT_LAUNCH] = "kernel launches",
        [EC_LIMIT_HOST] = "host dispatch",
        [EC_LIMIT_COMMUNICATION] = "communication",
        [EC_LIMIT_LOADER] = "data loader",
        [EC_LIMIT_GENERATION] = "the making of samples",
    };

    return names[l];
}

const char *ec_basis_name(enum ec_basis b)
{
    static const char *const names[] = {
        [EC_BASIS_MEASURED] = "measured",
        [EC_BASIS_SPECIFICATION] = "specification",
        [EC_BASIS_CALIBRATED] = "calibrated",
        [EC_BASIS_RELATED] = "related",
    };

    return names[b];
}

const char *ec__kind_text(const struct ec_op *op, const struct ec_step *step)
{
    static const char *const of_op[EC_WIDTH_COUNT] = {
        [EC_W_gemm] = "matrix products",
        [EC_W_conv] = CONVOLUTIONS,
        [EC_W_vector] = "element-wise, norm or data-moving operators",
        [EC_W_rnn] = "recurrent layers",
    };

    if (op)
        return of_op[ec_width_of_op(op)];
    switch (ec_main_class(step)) {
    case EC_K_CONV:
        return CONVOLUTIONS;
    case EC_K_GEMM:
        return "matrix products";
    case EC_K_RNN:
        return "recurrent layers";
    default:
        return "work that is no product";
    }
}

/* Appends "measurements of a100 (2 sources, other conditions)", where there are sources. */
static void add_part(char *out, size_t size, int n, const char *name, const char *condition)
{
    size_t len = strlen(out);

    if (n)
        (void)snprintf(out + len, size - len, "%s of %s (%d source%s%s)",
                       len ? " and" : "measurements", name, n, n == 1 ? "" : "s", condition);
}

static void say_related(const struct ec_known *k, const char *product, const char *arch,
                        bool is_timed, char *out, size_t size)
{
    const char *elsewise = ", other conditions";
    char others[64];

    (void)ec_snprintf(others, sizeof others, "other products of %s", arch);
    *out = '\0';
    add_part(out, size, k->product, product, elsewise);
    add_part(out, size, k->sibling, others, "");
    add_part(out, size, k->sibling ? 0 : k->arch, others, elsewise);
    if (!*out && is_timed)
        (void)snprintf(out, size, "arithmetic and copies timed on %s alone", product);
    else if (!*out)
        (void)snprintf(out, size, "the specification alone: nobody measured %s", arch);
}

void ec__say_evidence(const struct ec__target *t, const struct ec_conditions *cond,
                      struct ec_prediction *r)
{
    const struct ec_known *k = &t->known;
    bool of_maps = ec_str_eq(r->kind, CONVOLUTIONS);
    char product[64], arch[EC_ARCH_BYTES], asked[128];
    size_t size = sizeof r->evidence;
    const char *key;

    ec_arch_key(t->device, arch);
    key = *ec_device_measured_as(t->device) ? ec_device_measured_as(t->device) : t->device->key;
    (void)snprintf(product, sizeof product, "%.*s%s", (int)ec_product_len(key), key,
                   ec_str_eq(key, "this") ? " machine" : "");
    (void)ec_snprintf(asked, sizeof asked, "%s with %s in %s%s%s", r->kind,
                      ec_framework_keys[cond->framework], ec_precision_names[cond->precision],
                      of_maps ? ", " : "", of_maps ? ec_memory_format_names[cond->layout] : "");
    *r->weakest = *r->evidence = '\0';
    if (k->same) {
        add_part(r->evidence, size, k->same, product, "");
        (void)ec_snprintf(r->evidence + strlen(r->evidence), size - strlen(r->evidence), ": %s",
                          asked);
        return;
    }
    say_related(k, product, arch, t->device->fp32_flop_per_s.src == EC_SRC_PROBED, r->evidence,
                size);
    if (k->kind)
        (void)ec_snprintf(r->weakest, sizeof r->weakest,
                          "nobody measured %s on %s; %d source%s did on other devices", asked,
                          product, k->kind, k->kind == 1 ? "" : "s");
    else
        (void)ec_snprintf(r->weakest, sizeof r->weakest, "nobody measured %s on any device", asked);
}

void ec__warn(struct ec_prediction *r, const char *fmt, ...)
{
    va_list ap;

    if (r->n_warnings == EC_LEN(r->warnings))
        return;
    va_start(ap, fmt);
    (void)ec_vsnprintf(r->warnings[r->n_warnings++], sizeof r->warnings[0], fmt, ap);
    va_end(ap);
}

bool ec_tokens_per_s(const struct ec_prediction *r, struct ec_interval *ret)
{
    *ret = ec__times(r->samples_per_s, r->mean_tokens > 0 ? r->mean_tokens : (double)r->seq_len);
    return r->seq_len > 0;
}

/* p95 over p05. `predict resnet50 -d all -b 64 -p amp`: at most 14 for GPUs; for TPUs and other
 * accelerators, of which nothing was measured, 141 and more. */
#define GUESS_WIDTH 20

bool ec_is_guess(const struct ec_prediction *r)
{
    return r->step_time_ns.p95 > GUESS_WIDTH * r->step_time_ns.p05;
}

/* Probability that a value is below the capacity: log-normal, with a standard deviation of its own
 * on each side of the median. */
double ec_interval_below(const struct ec_interval *i, double limit)
{
    double end = limit < i->p50 ? i->p05 : i->p95;
    double sd = fabs(log(end) - log(i->p50)) / EC_NORMAL_95;

    if (!(sd > 0))
        return i->p50 <= limit ? 1 : 0;
    return 0.5 * erfc(-(log(limit) - log(i->p50)) / (sd * sqrt(2)));
}

/* Kernels predicted to take up to 3 us took so much less in five traces (docs/accuracy.md). */
#define TRACED_GAP_NS 700

struct ec_interval ec_interval_traced(struct ec_interval i)
{
    i.p05 = fmax(i.p05 - TRACED_GAP_NS, i.p05 / 4);
    return i;
}

/* Correlation of the errors of one network on two devices, and where one was never measured
 * (tests/accuracy/ratios). */
#define COMMON_ERROR 0.56
#define COMMON_BY_SPECIFICATION 0.2

/* Share of the step in which the device waits for its host, which both devices have. */
static double waiting_frac(const struct ec_prediction *r)
{
    double waits_ns = r->host_ns - r->device_ns;

    return waits_ns > 0 ? waits_ns / r->host_ns : 0;
}

/* Of a difference of two values, each within `x` and `y` of its median. */
static double apart(double x, double y, double correlation)
{
    return sqrt(x * x + y * y - 2 * correlation * x * y);
}

struct ec_interval ec_time_ratio(const struct ec_prediction *a, const struct ec_prediction *b,
                                 double *ret_faster_probability)
{
    const struct ec_interval *x = &a->samples_per_s, *y = &b->samples_per_s;
    double ratio = y->p50 / x->p50;
    double host = fmin(waiting_frac(a), waiting_frac(b));
    bool specified = a->basis == EC_BASIS_SPECIFICATION || b->basis == EC_BASIS_SPECIFICATION;
    double device = specified ? COMMON_BY_SPECIFICATION : COMMON_ERROR;
    double common = device + (1 - device) * host;
    double slower = apart(log(x->p50 / x->p05), log(y->p95 / y->p50), common);
    double faster = apart(log(x->p95 / x->p50), log(y->p50 / y->p05), common);
    struct ec_interval ret = { ratio * exp(-faster), ratio, ratio * exp(slower) };

    if (ret_faster_probability)
        *ret_faster_probability = ec_interval_below(&ret, 1);
    return ret;
}

/* No end of an interval is farther from the median than this factor: wider ones carry no
 * information. */
#define WIDEST 100.0

static double end_of(double mid, double end, double widen)
{
    double way = (end - mid) * widen, most = log(WIDEST);

    return mid + fmin(fmax(way, -most), most);
}

struct ec_width ec__widened(const struct ec_width *w, double by)
{
    struct ec_width ret = *w;

    ret.lo = end_of(w->mid, w->lo, by);
    ret.hi = end_of(w->mid, w->hi, by);
    return ret;
}

struct ec_interval ec__spread(double value, const struct ec_width *w, double widen)
{
    struct ec_width wide = ec__widened(w, widen);

    return (struct ec_interval){ value * exp(wide.lo), value * exp(wide.mid),
                                 value * exp(wide.hi) };
}

struct ec_interval ec__times(struct ec_interval i, double by)
{
    return (struct ec_interval){ i.p05 * by, i.p50 * by, i.p95 * by };
}

struct ec_interval ec__rate_of(struct ec_interval ns, double samples)
{
    return (struct ec_interval){ samples * 1e9 / ns.p95, samples * 1e9 / ns.p50,
                                 samples * 1e9 / ns.p05 };
}
