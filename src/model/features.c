/* Features of an operator on a device, from its kernels. */
#include "model/features.h"

#include <assert.h>
#include <math.h>
#include <string.h>

const char *const ec_feature_set_names[] = {
#define SET_NAME(set, name) name,
    EC_FEATURE_SET_LIST(SET_NAME)
#undef SET_NAME
        "terms",
    NULL
};

static const struct {
    const char *name;
    enum ec_feature_set set;
} features[] = {
#define FEATURE_ROW(set, name, value) { #name, EC_FS_##set },
    EC_FEATURE_LIST(FEATURE_ROW)
#undef FEATURE_ROW
};

const char *ec_feature_name(int feature)
{
    assert((unsigned)feature < EC_FEATURE_COUNT);
    return features[feature].name;
}

enum ec_feature_set ec_feature_set(int feature)
{
    assert((unsigned)feature < EC_FEATURE_COUNT);
    return features[feature].set;
}

bool ec_feature_in(int feature, enum ec_feature_set set)
{
    assert((unsigned)feature < EC_FEATURE_COUNT);
    if (set == EC_FS_TERMS)
        return features[feature].set == EC_FS_TERMS;
    return features[feature].set <= set;
}

int ec_feature_find(const char *name)
{
    int i;

    for (i = 0; i < EC_FEATURE_COUNT; i++)
        if (ec_str_eq(features[i].name, name))
            return i;
    return -1;
}

/* ------------------------------------------------------------------------------------------------
 * The operator of a row */

/* A number made from the operator's name, so that it stays the same when operators are added. */
static double op_code(const struct ec_op *op)
{
    return (double)(ec_hash(op->name, strlen(op->name)) & 0xffff);
}

void ec_operator_clear(struct ec_operator *o)
{
    ec_step_clear(&o->step);
}

/* ------------------------------------------------------------------------------------------------
 * Values */

static const double tile_sides[] = { 128, 64, 32 };

/* Output tiles of one size: waves over the multiprocessors, how full the last wave is (0 to 1), and
 * the share of the tiles' area that lies outside the matrix. */
struct tiling {
    double waves, tail, padding;
};

/* Work of a convolution by FFT or Winograd: FLOP of the products, bytes moved between the
 * transforms, and the share of the tiles' area beyond the image. All 0 where it does not apply. */
struct route {
    double flop, bytes, excess;
};

struct view {
    struct ec_rates rates;
    struct ec_step_time time;
    struct ec_kernel_time main;
    struct tiling tile[3],
        back[2][3]; /* of the first kernel; of the products for gradients of inputs and weights */
    struct route fft_32, fft_16, fft_whole, winograd;
    double op, kernels, mode, optimizer, optimizer_index, activation, framework;
    double batch, peak, bandwidth, pad_total;
    double mac, flop, bytes, read, write, weights;
    double roofline_ns, flop_ns, memory_ns;
};

/* log(v), defined at 0 too: there about -5, so that 0 is near to small counts. */
static double lg(double v)
{
    return log(v > 1e-9 ? v : 1e-9) + (v > 1e-9 ? 0 : 16);
}

static double nz(double v)
{
    return v > 0 ? v : 1;
}

/* log2 of the largest power of two that divides v, at most 6. */
static double align(double v)
{
    int twos;

    if (v < 1 || v > 0x1p62)
        return 0;
    twos = __builtin_ctzll((unsigned long long)v);
    return twos < 6 ? twos : 6;
}

static struct tiling tiles_of(const struct ec_kernel *k, double units, double side)
{
    double m = ceil(nz(k->m) / side), n = ceil(nz(k->n) / side);
    double waves = m * n * nz(k->b) / units, whole = ceil(waves);
    struct tiling t = { .waves = waves, .tail = waves / whole };

    t.padding = 1 - nz(k->m) * nz(k->n) / (m * n * side * side);
    return t;
}

/* The first product in a phase; NULL: none. */
static const struct ec_kernel *product_of(const struct ec_step *s, enum ec_phase p)
{
    int i;

    for (i = 0; i < s->n; i++)
        if (s->kernel[i].phase == p && s->kernel[i].mac > 0)
            return &s->kernel[i];
    return NULL;
}

/* Work of a convolution by tiles of side x side inputs, which yield useful x useful outputs, and
 * `points` FLOP per tile and pair of channels. */
static struct route tiled_route(const struct ec_kernel *k, double batch, double side, double useful,
                                double points)
{
    double out = sqrt(k->out_hw), across = ceil(out / useful), tiles = across * across;
    struct route r;

    r.flop = points * tiles * batch * k->c_in * k->c_out;
    r.bytes = 4 * side * side * (tiles * batch * (k->c_in + k->c_out) + k->c_in * k->c_out);
    r.excess = across * useful / out - 1;
    return r;
}

/* A transform of real numbers needs half of the points, and a complex product is 8 FLOP. A filter
 * larger than a tile of 16 has no tiled route. */
static void routes_of(const struct ec_operator *o, struct view *v)
{
    const struct ec_kernel *k = &o->step.kernel[0];
    double padded = sqrt(k->in_hw) + v->pad_total, whole = exp2(ceil(log2(nz(padded))));
    int i;

    for (i = 0; i < 2 * EC_LEN(tile_sides); i++) {
        const struct ec_kernel *g = product_of(&o->step, i % 2 ? EC_GRAD_WEIGHT : EC_GRAD_DATA);

        if (g)
            v->back[i % 2][i / 2] = tiles_of(g, v->rates.units, tile_sides[i / 2]);
    }
    if (k->out_hw < 1 || k->c_in < 1 || k->r < 1 || k->r > 16)
        return;
    v->fft_32 = tiled_route(k, v->batch, 32, 33 - k->r, 8 * 32 * 17);
    v->fft_16 = tiled_route(k, v->batch, 16, 17 - k->r, 8 * 16 * 9);
    v->fft_whole = tiled_route(k, v->batch, whole, nz(sqrt(k->out_hw)), 4 * whole * (whole + 2));
    v->fft_whole.excess = whole / padded - 1;
    v->winograd = tiled_route(k, v->batch, 6, 4, 2 * 36);
}

static bool follows(const struct ec_operator *o, const char *activation)
{
    return o->activation && ec_str_eq(o->activation->name, activation);
}

static void add_counts(const struct ec_kernel *k, struct view *v)
{
    v->kernels += k->launches;
    v->mac += k->mac;
    v->flop += k->flop;
    v->read += k->read_elems;
    v->write += k->write_elems;
    v->weights += k->weight_elems;
    v->bytes += ec_kernel_bytes(k, v->rates.elem_bytes);
}

/* Number of features in the sets up to one; they are the first in the list. */
#define COUNT_UP_TO_ROOFLINE(set, name, value) +(EC_FS_##set <= EC_FS_ROOFLINE)
#define COUNT_UP_TO_ROUTES(set, name, value) +(EC_FS_##set <= EC_FS_ROUTES)
#define SETS_UP_TO(last) (0 EC_FEATURE_LIST(COUNT_UP_TO_##last))

/* Each fill_ function computes the features of some sets, so that unused sets cost no time. */
static void fill_common(const struct ec_operator *o, const struct view *v, double *ret)
{
    const struct ec_kernel *k = &o->step.kernel[0];
    const struct ec_device *d = o->device;

#define COMMON_VALUE(set, name, value)                                                             \
    if (EC_FS_##set <= EC_FS_ROOFLINE)                                                             \
        ret[EC_F_##set##_##name] = (value);
    EC_FEATURE_LIST(COMMON_VALUE)
#undef COMMON_VALUE
}

static void fill_routes(const struct ec_operator *o, const struct view *v, double *ret)
{
    const struct ec_kernel *k = &o->step.kernel[0];
    const struct ec_device *d = o->device;

    (void)d;
#define ROUTES_VALUE(set, name, value)                                                             \
    if (EC_FS_##set == EC_FS_ROUTES)                                                               \
        ret[EC_F_##set##_##name] = (value);
    EC_FEATURE_LIST(ROUTES_VALUE)
#undef ROUTES_VALUE
}

static void fill_terms(const struct ec_operator *o, const struct view *v, double *ret)
{
    const struct ec_kernel *k = &o->step.kernel[0];
    const struct ec_device *d = o->device;

    (void)d;
#define TERMS_VALUE(set, name, value)                                                              \
    if (EC_FS_##set == EC_FS_TERMS)                                                                \
        ret[EC_F_##set##_##name] = (value);
    EC_FEATURE_LIST(TERMS_VALUE)
#undef TERMS_VALUE
}

/* Whether all kernels belong to one phase other than the update. Their time is the same in every
 * mode, so mode and optimizer are left out of the features. */
static bool is_one_phase(const struct ec_step *s)
{
    enum ec_phase first = s->kernel[0].phase; /* kernels are in order of phases */

    return first != EC_UPDATE && s->kernel[s->n - 1].phase == first;
}

/* The shipped models were fitted with the rate of fp16 in place of that of bf16. */
static struct ec_device as_fitted(const struct ec_device *d)
{
    struct ec_device seen = *d;

    seen.bf16_tensor_flop_per_s = (struct ec_qty){ 0 };
    return seen;
}

enum ec_status ec_features_at(const struct ec_operator *asked, const struct ec_rates *rates,
                              const struct ec_step_time *time, double *ret, struct ec_err *err)
{
    struct ec_operator own = *asked;
    const struct ec_operator *o = &own;
    const struct ec_device *d = o->device;
    const struct ec_kernel *k = &o->step.kernel[0];
    const struct ec_device seen = as_fitted(d);
    struct ec_plain_estimate plain;
    struct view view = { .rates = *rates, .time = *time }, *v = &view;
    int i, n;

    if (is_one_phase(&o->step)) {
        own.cond.mode = EC_MODE_FORWARD;
        own.cond.optimizer = EC_OPT_none;
    }
    for (i = 0; i < o->step.n; i++)
        add_counts(&o->step.kernel[i], v);
    v->main = time->longest;
    plain = ec_plain_estimate(&o->step, &seen, o->cond.precision);
    v->op = op_code(o->op);
    v->mode = (double)o->cond.mode;
    v->optimizer = ec_optimizer_tensors(o->cond.optimizer);
    v->optimizer_index = (double)o->cond.optimizer;
    v->activation = o->activation ? 1 + op_code(o->activation) : 0;
    v->framework = (double)o->cond.framework;
    v->peak = ec_paper_peak(&seen, o->cond.precision, v->mac > 0);
    v->bandwidth = d->memory_bytes_per_s.value;
    v->batch = k->out_hw > 0 && k->phase == EC_FORWARD ? k->m / k->out_hw : k->b;
    if (k->out_hw >
        0) /* total padding; where it is odd, some libraries pad one side in a kernel of its own */
        v->pad_total = (sqrt(k->out_hw) - 1) * k->stride + k->r - sqrt(k->in_hw);
    v->pad_total = v->pad_total > 0 ? floor(v->pad_total + 0.5) : 0;
    v->bytes = nz(v->bytes);
    v->roofline_ns = plain.roofline_ns > 1 ? plain.roofline_ns : 1;
    v->flop_ns = plain.flop_ns > 1 ? plain.flop_ns : 1;
    v->memory_ns = v->bytes / v->bandwidth * 1e9;
    for (i = 0; i < EC_LEN(tile_sides); i++)
        v->tile[i] = tiles_of(k, v->rates.units, tile_sides[i]);
    if (o->routes)
        routes_of(o, v);
    fill_common(o, v, ret);
    if (o->routes)
        fill_routes(o, v, ret);
    n = o->routes ? SETS_UP_TO(ROUTES) : SETS_UP_TO(ROOFLINE);
    if (o->terms) {
        fill_terms(o, v, ret);
        n = EC_FEATURE_COUNT;
    }
    for (i = 0; i < n; i++)
        if (!isfinite(ret[i]))
            return ec_fail(err, EC_E_UNSUPPORTED, "%s: feature %s is not finite", d->key,
                           features[i].name);
    return EC_OK;
}

enum ec_status ec_features(const struct ec_operator *o, const struct ec_constants *c,
                           const double offsets[EC_DO_COUNT], double *ret, struct ec_err *err)
{
    struct ec_step_time time;
    struct ec_rates rates;

    EC_PASS(ec_rates_init(&rates, o->device, &o->cond, c, offsets, err));
    ec_step_time(&o->step, &rates, c, true, &time);
    return ec_features_at(o, &rates, &time, ret, err);
}
