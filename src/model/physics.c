/* Time of kernels and steps. A kernel takes max(compute, memory) + share * min(compute, memory), as
 * the smaller part is only partly hidden. Compute time counts waves of output tiles over the
 * multiprocessors. Memory time is compulsory bytes over sustained bandwidth, which is higher while
 * the last-level cache holds them. */
#include "model/physics.h"

#include <assert.h>
#include <math.h>
#include <string.h>

void ec_constants_default(struct ec_constants *c)
{
    static const double theta[] = {
#define THETA_INIT(name, init, ...) init,
        EC_THETA_LIST(THETA_INIT)
#undef THETA_INIT
    };
    static const double framework[] = {
#define FWT_INIT(name, init, ...) init,
        EC_FRAMEWORK_THETA_LIST(FWT_INIT)
#undef FWT_INIT
    };
    int f;

    memcpy(c->theta, theta, sizeof theta);
    for (f = 0; f < EC_FRAMEWORK_COUNT; f++)
        memcpy(c->framework[f], framework, sizeof framework);
}

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static double known(struct ec_qty q)
{
    return q.src == EC_SRC_NONE ? 0 : q.value;
}

/* Boards that clock higher than their specification. */
static bool clocks_freely(const struct ec_device *d)
{
    return d->clock_kind.value == EC_CLOCK_FREE;
}

static enum ec_theta_index tensor_peak_index(const struct ec_device *d)
{
    static const enum ec_theta_index by_issue[EC_MATRIX_ISSUE_COUNT] = {
        [EC_MATRIX_NONE] = EC_T_peak_tensor_v1, /* the user gave a rate by --set */
        [EC_MATRIX_WARP] = EC_T_peak_tensor_v1,
        [EC_MATRIX_WARP_ASYNC] = EC_T_peak_tensor_v2,
        [EC_MATRIX_WARP_GROUP] = EC_T_peak_tensor_v2,
    };

    if (d->bf16_tensor_flop_per_s.src == EC_SRC_MEASURED)
        return EC_T_peak_measured;
    if (d->vendor == EC_VENDOR_AMD)
        return EC_T_peak_amd;
    return d->vendor == EC_VENDOR_NVIDIA ? by_issue[d->matrix_issue.value] : EC_T_peak_other;
}

static enum ec_theta_index simt_peak_index(const struct ec_device *d)
{
    static const enum ec_theta_index by_lanes[EC_LANES_COUNT] = {
        [EC_LANES_PLAIN] = EC_T_peak_simt,
        [EC_LANES_STARVED] = EC_T_peak_simt_kepler,
        [EC_LANES_BESIDE_INTEGER] = EC_T_peak_simt_turing,
        [EC_LANES_HALF_INTEGER] = EC_T_peak_simt_dual,
        [EC_LANES_HALF_IDLE] = EC_T_peak_simt,
        [EC_LANES_PAIRED] = EC_T_peak_simt,
    };

    if (d->kind == EC_DEV_CPU)
        return EC_T_peak_measured;
    if (d->vendor == EC_VENDOR_AMD) /* peak_cdna is above 1: the base is the rate of the lanes, and
                                       matrix units are faster */
        return known(d->fp32_matrix_flop_per_s) > known(d->fp32_flop_per_s) ? EC_T_peak_cdna
                                                                            : EC_T_peak_amd;
    return d->vendor == EC_VENDOR_NVIDIA ? by_lanes[d->fp32_lane_kind.value] : EC_T_peak_other;
}

/* Peak of products in FLOP/s. Of a CPU's specification they have a share, peak_cpu; a measured rate
 * is taken as it is. */
static double product_peak(const struct ec_device *d, const double *theta)
{
    bool paper = d->kind == EC_DEV_CPU && d->fp32_flop_per_s.src != EC_SRC_MEASURED;

    return known(d->fp32_flop_per_s) * (paper ? theta[EC_T_peak_cpu] : 1);
}

/* The peak that the board's power sustains: 4-norm of the specified peak and of FLOP/J times watts.
 */
static double under_power(double peak, const struct ec_device *d, double flop_per_j,
                          const double *theta)
{
    double cap, ratio;

    if (d->kind != EC_DEV_GPU || d->tdp_w.src == EC_SRC_NONE || !d->process_nm)
        return peak;
    cap = d->tdp_w.value * flop_per_j * pow(12.0 / d->process_nm, theta[EC_T_watt_node]);
    ratio = peak / cap;
    ratio *= ratio;
    return peak / sqrt(sqrt(1 + ratio * ratio));
}

/* FLOP/s of matrix units; 0 for bf16 on units that have only fp16. */
static double tensor_peak(const struct ec_device *d, enum ec_precision p)
{
    bool cannot = p == EC_BF16 && d->bf16_tensor_flop_per_s.src == EC_SRC_NONE;

    return cannot ? 0 : ec_matrix_flop_per_s(d, p);
}

/* The share of the matrix peak that products sustain: what was measured, of the board if it was,
 * else of its generation; else a constant of how its matrix units are issued to. peak_sustained
 * comes from boards of NVIDIA; without it products of a MI300X take 1.1 times as long as predicted
 * in traces, with it 1.45 times. */
static double tensor_share(const struct ec_device *d, enum ec_precision p, const double *theta)
{
    double sustained = known(d->matrix_sustained_frac), own = known(d->bf16_sustained_flop_per_s);

    if (p == EC_TF32)
        return theta[d->matrix_issue.value == EC_MATRIX_WARP_GROUP ? EC_T_peak_tf32_group
                                                                   : EC_T_peak_tf32];
    if (sustained <= 0)
        return theta[tensor_peak_index(d)];
    if (own > 0 && known(d->bf16_tensor_flop_per_s) > 0)
        sustained = own / d->bf16_tensor_flop_per_s.value;
    return sustained * (d->vendor == EC_VENDOR_AMD ? 1 : theta[EC_T_peak_sustained]);
}

/* FLOP/s of kernels that are no products. */
static double vector_peak(const struct ec_device *d, const double *theta)
{
    int lanes = d->fp32_lane_kind.value;
    bool half_only =
        lanes == EC_LANES_HALF_INTEGER || lanes == EC_LANES_HALF_IDLE || lanes == EC_LANES_PAIRED;

    return known(d->fp32_flop_per_s) * (half_only ? theta[EC_T_vector_dual] : 1);
}

/* No product on matrix units beats the rate of the data sheet, and no pass over memory its
 * bandwidth, times this on boards for games. These clock higher than it says: the highest rates of
 * products measured are 1.03 of it on an RTX 4090, 1.13 on an RTX 5090. Fits without this bound
 * have products at 1.4 times the rate, and pay it back by slow passes over memory. Of what passes
 * are counted to move a large cache serves a part: with bandwidth held to the data sheet, networks
 * of the RTX 3090 and 4090 came out a tenth slow. */
#define FREE_HEADROOM 1.1

static double headroom(const struct ec_device *d)
{
    return clocks_freely(d) ? FREE_HEADROOM : 1;
}

static void init_compute(struct ec_rates *r, const struct ec_device *d, enum ec_precision p)
{
    const double *t = r->theta;
    double unit = tensor_peak(d, p), half = known(d->fp16_vector_flop_per_s);

    r->simt_flop_per_s = r->matrix_flop_per_s =
        under_power(product_peak(d, t) * t[simt_peak_index(d)], d, t[EC_T_watt_simt], t);
    r->vector_flop_per_s = r->cpu ? r->matrix_flop_per_s : vector_peak(d, t);
    if (unit > 0) {
        double peak = unit * tensor_share(d, p, t);

        r->tensor = true;
        r->most_flop_per_s = unit * headroom(d);
        r->matrix_flop_per_s =
            under_power(peak, d, t[EC_T_watt_tensor] * (p == EC_TF32 ? 0.5 : 1), t);
    } else if (r->half && p != EC_BF16 && d->vendor != EC_VENDOR_NVIDIA &&
               half > known(d->fp32_flop_per_s)) {
        r->matrix_flop_per_s = /* NVIDIA's libraries sum halves in float32 */
            under_power(half * t[simt_peak_index(d)], d, t[EC_T_watt_simt] * 2, t);
    }
}

/* Specified over sustained bandwidth. HBM sustains a smaller share of its specification; before
 * Volta that is part of another share. */
static double memory_factor(const struct ec_device *d, const double *theta)
{
    if (d->kind == EC_DEV_CPU) /* CPU: a share of what copies sustain, which is measured or a share
                                  of the specification */
        return theta[EC_T_memory_measured] *
               (d->memory_bytes_per_s.src == EC_SRC_MEASURED ? 1 : theta[EC_T_memory_cpu]);
    if (d->vendor == EC_VENDOR_AMD)
        return theta[EC_T_memory_amd];
    if (d->vendor != EC_VENDOR_NVIDIA)
        return theta[EC_T_memory_other];
    if (d->memory_path.value == EC_PATH_UNCACHED)
        return theta[EC_T_memory_kepler];
    if (d->memory_path.value == EC_PATH_FEW_PAGES)
        return theta[EC_T_memory_pre_volta];
    return d->memory_type && ec_str_starts(d->memory_type, "hbm") ? theta[EC_T_memory_hbm] : 1;
}

/* Sustained over specified bandwidth, without offsets. */
static double memory_share(const struct ec_device *d, const double *theta)
{
    return (clocks_freely(d) ? theta[EC_T_free_memory] : 1) / memory_factor(d, theta);
}

void ec_offsets_bound(const struct ec_device *d, const struct ec_constants *c,
                      double offsets[EC_DO_COUNT])
{
    if (d->kind != EC_DEV_CPU) /* whose catalogue may have what copies sustain */
        offsets[EC_DO_MEMORY] =
            larger(offsets[EC_DO_MEMORY], log(memory_share(d, c->theta) / headroom(d)));
}

enum ec_status ec_rates_init(struct ec_rates *r, const struct ec_device *d,
                             const struct ec_conditions *cond, const struct ec_constants *c,
                             const double offsets[EC_DO_COUNT], struct ec_err *err)
{
    enum ec_precision p = cond->precision;
    double none[EC_DO_COUNT] = { 0 };
    const double *off = offsets ? offsets : none;
    double clock = known(d->boost_hz) > 0 ? known(d->boost_hz) : known(d->base_hz);
    double peak = known(d->fp32_flop_per_s), free_clock;

    if (!offsets)
        ec_offsets_bound(d, c, none);
    memset(r, 0, sizeof *r);
    r->theta = c->theta;
    r->cond = *cond;
    r->cpu = d->kind == EC_DEV_CPU;
    r->tpu = d->vendor == EC_VENDOR_GOOGLE;
    r->elem_bytes = ec_precision_bytes(p);
    r->half = r->elem_bytes < 4;
    r->autocast = p == EC_AMP;
    r->few_pages = d->memory_path.value != EC_PATH_PLAIN;
    r->channels_last = cond->layout == EC_CHANNELS_LAST;
    r->warp_group = d->matrix_issue.value == EC_MATRIX_WARP_GROUP;
    init_compute(r, d, p);
    r->converted = p == EC_BF16 && !r->tensor && !r->cpu;
    if (peak <= 0)
        r->vector_flop_per_s = r->matrix_flop_per_s / 16;
    if (r->matrix_flop_per_s <= 0 || known(d->memory_bytes_per_s) <= 0)
        return ec_fail(
            err, EC_E_UNSUPPORTED, "%s: the catalogue has no %s for it; give it with --set", d->key,
            r->matrix_flop_per_s <= 0 ? "peak rate at this precision" : "memory bandwidth");
    free_clock = clocks_freely(d) ? r->theta[EC_T_free_clock] : 1;
    r->matrix_flop_per_s *= free_clock * exp(-off[EC_DO_COMPUTE]);
    r->simt_flop_per_s *= free_clock * exp(-off[EC_DO_COMPUTE]);
    r->vector_flop_per_s *= free_clock * exp(-off[EC_DO_COMPUTE]);
    r->bytes_per_s =
        known(d->memory_bytes_per_s) * memory_share(d, r->theta) * exp(-off[EC_DO_MEMORY]);
    r->launch_factor = exp(off[EC_DO_LAUNCH]);
    r->cache_bytes = known(d->l2_bytes);
    r->units = known(d->sm_count) > 0 ? known(d->sm_count) : 64;
    r->clock_hz = clock > 0 ? clock : 1.3e9;
    assert(r->elem_bytes > 0 && r->units > 0 && r->launch_factor >= 0);
    return EC_OK;
}

/* The speed-up of products in 8 bits is that of the highest rates measured (MAMF: 0.88 of the data
 * sheet's on the H100, 0.93 on the H200), else the data sheet's: NeMo's runs on Blackwell, whose
 * power limits products in 16 bits more, have at least that. In 4 bits no rates were measured. */
enum ec_status ec_rates_use(struct ec_rates *r, const struct ec_device *d,
                            enum ec_attention attention, enum ec_products products,
                            struct ec_err *err)
{
    static const struct {
        int bits;
        double cast_bytes;
    } of[] = {
#define PRODUCTS_ROW(name, word, bits, bytes) { bits, bytes },
        EC_PRODUCTS_LIST(PRODUCTS_ROW)
#undef PRODUCTS_ROW
    };
    int bits = of[products].bits;
    double low = known(bits == 4 ? d->fp4_tensor_flop_per_s : d->fp8_tensor_flop_per_s);
    double half = known(d->bf16_tensor_flop_per_s);
    bool measured =
        bits == 8 && d->fp8_sustained_flop_per_s.src && d->bf16_sustained_flop_per_s.src;

    r->attention = attention;
    if (products == EC_PRODUCTS_AUTO)
        return EC_OK;
    if (low <= 0 || half <= 0 || !r->half)
        return ec_fail(err, EC_E_UNSUPPORTED,
                       r->half ? "%s: the catalogue has no rate of products in %d bits for it"
                               : "%s: products in %d bits go with --precision bf16, fp16 or amp",
                       d->key, bits);
    r->low_speedup = measured
                         ? d->fp8_sustained_flop_per_s.value / d->bf16_sustained_flop_per_s.value
                         : low / half;
    r->cast_bytes = of[products].cast_bytes;
    return EC_OK;
}

/* The share of the smaller of two overlapping times that is not hidden: 0 for overlap 0, near 1 for
 * a large one. */
static double shows(double overlap)
{
    assert(overlap >= 0);
    return overlap / (1 + overlap);
}

static double join(double a, double b, double overlap)
{
    return larger(a, b) + shows(overlap) * smaller(a, b);
}

/* Under autocast a kernel stays in float32 when its operator demands it, and when it is a lone
 * operator, no product, with float32 inputs: autocast converts only inputs of products. */
static bool stays_float(const struct ec_kernel *k, const struct ec_rates *r)
{
    bool given_float = r->cond.queued && !r->cond.half_inputs;

    return r->autocast && (k->flags & EC_KF_FP32 || (given_float && !(k->flags & EC_KF_MATRIX)));
}

/* An update counts float32; its gradients, parameters and states may be halves. */
static double update_share(const struct ec_rates *r)
{
    return ec_elem_bytes_of(r->cond.precision, r->cond.master_weights).state / 4;
}

static double kernel_bytes(const struct ec_kernel *k, const struct ec_rates *r)
{
    double elem = stays_float(k, r) ? 4 : r->elem_bytes;

    if (k->flags & EC_KF_CAST)
        return r->autocast || k->flags & EC_KF_WIDE ? (4 + 2) * k->m : 0;
    return elem * (k->read_elems + k->write_elems) + r->elem_bytes * k->weight_elems +
           k->fixed_bytes * (k->kclass == EC_K_UPDATE ? update_share(r) : 1);
}

/* ns to move `bytes`; the rate is higher the more of them fit into the cache. */
static double move_ns(const struct ec_rates *r, double bytes)
{
    const double *t = r->theta;
    double rate = r->bytes_per_s;

    if (r->cache_bytes > 0) {
        double fill = bytes / (r->cache_bytes * t[EC_T_cache_share]);

        rate *= 1 + t[r->in_step ? EC_T_cache_gain_step : EC_T_cache_gain] / (1 + fill * fill);
    }
    return bytes / rate * 1e9;
}

struct tile {
    double m, n;
};

/* Length of a side in tiles, at least 1. A partial last tile costs its part and ROUND_SHARE of the
 * rest, since libraries have smaller tiles for it. With a larger share a batch that begins a new
 * tile would cost too much. */
#define ROUND_SHARE 0.1

static double tiles_along(double n)
{
    return n > 1 ? n + ROUND_SHARE * (ceil(n) - n) : 1;
}

/* Whether libraries split a long inner dimension: of convolutions only the gradients of weights. */
static bool may_split(const struct ec_kernel *k)
{
    return k->kclass != EC_K_CONV || k->phase == EC_GRAD_WEIGHT;
}

/* ns of b products (m x k)(k x n) whose output tiles run in waves over the multiprocessors. A tile
 * costs its area times (k + prologue), and more per area when it is small, for operand traffic. The
 * prologue of convolutions includes finding their operands. A part of the idle rest of the last
 * wave is paid. Where tiles are fewer than multiprocessors, a long k is split. */
static double tile_ns(const struct tile *tile, const struct ec_kernel *k, const struct ec_rates *r)
{
    const double *t = r->theta;
    double tiles = tiles_along(k->m / tile->m) * tiles_along(k->n / tile->n) * larger(k->b, 1);
    double waves = tiles / r->units, depth = k->mac / (larger(k->b, 1) * k->m * k->n), cost = 1;
    double prologue = t[k->kclass == EC_K_CONV ? EC_T_conv_prologue : EC_T_tile_prologue];
    double whole, work;

    if (waves < 1 && depth > 64 && may_split(k)) {
        double parts = smaller(1 / waves, depth / 64);
        double gained = pow(parts, t[EC_T_split_k] / (1 + t[EC_T_split_k])); /* below `parts` */

        depth /= gained;
        cost += t[EC_T_split_cost] * (1 - 1 / gained); /* 0 at the limit of no split */
    }
    whole = ceil(waves);
    waves += t[EC_T_wave_round] * (whole - waves);
    if (whole <= 1)
        waves = 1;
    work = 2 * tile->m * tile->n * (depth + prologue) *
           (1 + t[EC_T_tile_traffic] * (1 / tile->m + 1 / tile->n));
    return waves * work * cost / (r->matrix_flop_per_s / r->units) * 1e9;
}

static double matrix_ns(const struct ec_kernel *k, const struct ec_rates *r)
{
    static const struct tile tiles[] = {
        {256,  128},
        { 128, 128},
        { 128, 64 },
        { 64,  64 },
        { 128, 32 },
        { 32,  128},
        { 32,  32 }
    };
    double best = HUGE_VAL;
    int i;

    if (r->cpu)
        return 2 * k->mac / r->matrix_flop_per_s * 1e9;
    for (i = 0; i < EC_LEN(tiles); i++)
        best = smaller(best, tile_ns(&tiles[i], k, r));
    return r->tensor ? larger(best, 2 * k->mac / r->most_flop_per_s * 1e9) : best;
}

static bool divides(double value, double by)
{
    return fmod(value, by) == 0;
}

/* In channels-last halves a pixel whose channels are no multiple of a load is copied to a padded
 * one first; but for images, whose few channels have kernels of their own. */
static bool copies_unaligned(const struct ec_kernel *k, const struct ec_rates *r)
{
    double in = k->c_in * larger(k->groups, 1), out = k->c_out * larger(k->groups, 1);

    return r->half && r->channels_last && in >= 8 && !(divides(in, 8) && divides(out, 8));
}

/* Factor for channels that are no multiple of a vector load; matrix units pad instead
 * (conv_product). */
static double conv_alignment(const struct ec_kernel *k, const struct ec_rates *r)
{
    if (r->tensor)
        return copies_unaligned(k, r) ? r->theta[EC_T_conv_unaligned_last] : 1;
    if (r->cpu || k->groups > 1 || (divides(k->c_in, 4) && divides(k->c_out, 4)))
        return 1;
    return r->theta[EC_T_conv_unaligned];
}

static double up_to(double value, double multiple)
{
    assert(multiple > 0);
    return ceil(value / multiple) * multiple;
}

/* Narrower groups are joined to products of this many channels. */
#define GROUP_WIDTH 32.0

static double groups_together(const struct ec_kernel *k)
{
    double width = smaller(k->c_in, k->c_out);

    return k->groups > 1 ? larger(1, smaller(GROUP_WIDTH / width, k->groups)) : 1;
}

/* The product that computes a convolution. Matrix units pad the channels to a multiple of a load.
 * Narrow groups run together, with zeros between them. */
static struct ec_kernel conv_product(const struct ec_kernel *k, const struct ec_rates *r)
{
    double together = groups_together(k), by = r->half ? 8 : 4;
    double in = k->c_in * together, out = k->c_out * together;
    struct ec_kernel g = *k;

    if (r->tensor) {
        in = up_to(in, by);
        out = up_to(out, by);
    }
    g.b = larger(k->b, 1) / together;
    if (k->phase == EC_FORWARD) {
        g.n = k->n * (out / k->c_out);
        g.k = k->k * (in / k->c_in);
    } else if (k->phase == EC_GRAD_DATA) {
        g.n = k->n * (in / k->c_in);
        g.k = k->k * (out / k->c_out);
    } else {
        g.m = k->m * (out / k->c_out);
        g.n = k->n * (in / k->c_in);
    }
    g.mac = k->mac * (in / k->c_in) * (out / k->c_out) / together;
    return g;
}

/* Factor on products with long rows. A tile reads about a hundred rows of each operand at once.
 * Long rows lie on a page each, and before Volta the TLB of a multiprocessor is too small for so
 * many pages. */
static double far_lines(const struct ec_kernel *k, const struct ec_rates *r)
{
    double far = k->k * r->elem_bytes / r->theta[EC_T_far_line_bytes];

    if (!r->few_pages || k->phase == EC_GRAD_WEIGHT) /* reads rows one after the other */
        return 1;
    return 1 + r->theta[EC_T_far_lines] * far * far / (1 + far * far);
}

/* Products of linear layers, whose operands are cast first: the input forward; the gradient of the
 * output, for the input's gradient and the weight's, before the former. */
static double cast_ns(const struct ec_kernel *k, const struct ec_rates *r)
{
    double elems = k->phase == EC_GRAD_WEIGHT ? 0 : larger(k->b, 1) * k->m * k->k;

    return move_ns(r, r->cast_bytes * elems);
}

/* Factor on products of halves on matrix units. Rows that begin at no multiple of 16 bytes, which
 * are 8 halves, are loaded in smaller pieces: the fewer halves, the slower. Compilers pad. Groups
 * of warps load no such rows, so that from Hopper on other kernels run, whose rate goes by the
 * lanes: they lose all the more, the faster the matrix units are beside these (not on an H20). */
#define GROUP_LANES_RATIO 19.0 /* an H100's, on which most rows of gemm_unaligned are */
static double unaligned(const struct ec_kernel *k, const struct ec_rates *r)
{
    double side = k->phase == EC_GRAD_WEIGHT ? k->m : k->k, halvings = 0;
    double lanes = r->matrix_flop_per_s / (r->vector_flop_per_s * GROUP_LANES_RATIO);
    double early = r->theta[EC_T_gemm_unaligned_early], added = early;

    if (!r->tensor || !r->half || ec_frameworks[r->cond.framework].fuses_passes)
        return 1;
    while (halvings < 3 &&
           !(divides(k->n, 8 / exp2(halvings)) && divides(side, 8 / exp2(halvings))))
        halvings++;
    if (r->warp_group)
        added = larger(early, (1 + r->theta[EC_T_gemm_unaligned]) * smaller(1, lanes) - 1);
    return 1 + added * (halvings / 3) * (halvings / 3);
}

/* Factor on products in TF32. From Hopper on matrix units take operands of four bytes only as they
 * lie along the sum: forward both do (of products without weights one), of gradients of the input
 * one, of those of weights none. Convolutions transpose filters first, the smaller part. */
static double along_sum(const struct ec_kernel *k, const struct ec_rates *r)
{
    double along = 0.5;

    if (!r->warp_group || !r->tensor || r->half)
        return 1;
    if (k->phase == EC_FORWARD && k->weight_elems > 0)
        along = 1;
    else if (k->phase == EC_GRAD_WEIGHT && k->kclass == EC_K_GEMM)
        along = 0;
    return pow(r->theta[EC_T_tf32_along], along);
}

/* Kernels for units that groups of warps feed fetch what comes next while these work. */
static double product_overlap(const struct ec_rates *r)
{
    return r->theta[r->warp_group && r->tensor ? EC_T_group_overlap : EC_T_gemm_overlap];
}

static void gemm_time(const struct ec_kernel *k, const struct ec_rates *r,
                      struct ec_kernel_time *ret)
{
    const double *t = r->theta;
    bool low = r->low_speedup > 0 && k->weight_elems > 0;

    ret->compute_ns = matrix_ns(k, r) * far_lines(k, r) * unaligned(k, r) * along_sum(k, r) /
                      (low ? r->low_speedup : 1);
    ret->memory_ns = move_ns(r, kernel_bytes(k, r) * t[EC_T_gemm_bytes]);
    ret->total_ns = join(ret->compute_ns, ret->memory_ns, product_overlap(r));
    if (low)
        ret->total_ns += cast_ns(k, r);
}

static bool power_of_two(double width)
{
    int exponent;

    return width > 0 && frexp(width, &exponent) == 0.5;
}

/* Factor of grouped convolutions. Kernels for groups waste less than the zeros that conv_product()
 * counts: less by a power of the groups that run together. On matrix units in channels-last the
 * libraries for Hopper have none for groups whose width is no power of two; older ones are slow at
 * gradients of wide groups, and somewhat at such widths. */
static double grouped_factor(const struct ec_kernel *k, const struct ec_rates *r)
{
    const double *t = r->theta, channels = smaller(k->c_in, k->c_out);
    double level = t[r->channels_last ? EC_T_grouped_last : EC_T_grouped_first];
    double narrow = t[r->channels_last ? EC_T_grouped_last_narrow : EC_T_grouped_first_narrow];
    double width = pow(channels / GROUP_WIDTH, 4), uneven = !power_of_two(channels);
    double wide = k->phase == EC_FORWARD ? 0 : width / (1 + width);
    double slow = t[EC_T_grouped_last_slow];

    if (r->warp_group && r->simt_flop_per_s > 0) /* no slower than without matrix units */
        slow = smaller(slow, r->matrix_flop_per_s / r->simt_flop_per_s);
    if (r->channels_last && (r->tensor || r->half)) {
        level *= 1 + slow * (r->warp_group ? uneven : wide);
        level *= 1 + t[EC_T_grouped_last_uneven] * (r->warp_group ? 0 : uneven);
    }
    return level * pow(groups_together(k), smaller(narrow, 1) - 1);
}

static double conv_factor(const struct ec_kernel *k, const struct ec_rates *r)
{
    const double *t = r->theta, thin = k->c_in / 8;
    double f = t[k->phase == EC_FORWARD     ? EC_T_conv_forward
                 : k->phase == EC_GRAD_DATA ? EC_T_conv_grad_data
                                            : EC_T_conv_grad_weight];

    if (r->cpu)
        return t[EC_T_conv_cpu];
    if (r->tensor)
        f *= t[EC_T_conv_tensor];
    if (r->tensor && r->warp_group && r->channels_last)
        f *= t[EC_T_conv_group] * along_sum(k, r);
    if (k->groups <= 1)
        f *= 1 + t[EC_T_conv_thin] / (1 + thin * thin);
    if (k->groups > 1)
        f *= grouped_factor(k, r);
    if (k->r > 3)
        f *= t[EC_T_conv_large_filter];
    if (k->stride > 1 && k->phase != EC_FORWARD)
        f *= t[EC_T_conv_strided_grad];
    return f;
}

/* Bytes moved, with a factor each for activations and weights: filters are re-read or repacked. */
static double converted_bytes(const struct ec_kernel *k, const struct ec_rates *r,
                              double activations, double weights)
{
    double acts = r->elem_bytes * (k->read_elems + k->write_elems) + k->fixed_bytes;

    return activations * acts + weights * r->elem_bytes * k->weight_elems;
}

/* The same of a kernel that computes: it moves its operands once at least. */
static double conv_bytes(const struct ec_kernel *k, const struct ec_rates *r, double activations,
                         double weights)
{
    return converted_bytes(k, r, larger(activations, 1), larger(weights, 1));
}

/* ns of Winograd F(e x e, 3 x 3): (e+2)^2 products of (tiles x c)(c x k), and transforms that move
 * the tiles and the filters. */
static double winograd_ns(const struct ec_kernel *k, const struct ec_rates *r, double e)
{
    const double *t = r->theta;
    double points = (e + 2) * (e + 2), side = ceil(sqrt(k->out_hw) / e);
    double images = k->out_hw > 0 && k->phase != EC_GRAD_WEIGHT ? k->m / k->out_hw : 1;
    struct ec_kernel g = *k;
    double bytes;

    g.b = points;
    if (k->phase == EC_GRAD_WEIGHT) { /* (filters x tiles)(tiles x channels) at each point */
        g.n = k->n / 9;
        g.k = ceil(k->k / larger(k->out_hw, 1)) * side * side;
    } else {
        g.m = ceil(images) * side * side;
        g.k = k->k / 9;
    }
    g.mac = g.b * g.m * g.n * g.k;
    bytes = conv_bytes(k, r, 1 + t[EC_T_winograd_bytes] * points / (e * e),
                       t[EC_T_winograd_weights] * points / 16);
    return join(matrix_ns(&g, r) * conv_alignment(k, r) * t[EC_T_winograd_flop], move_ns(r, bytes),
                t[EC_T_conv_overlap]) *
           (k->phase == EC_GRAD_WEIGHT ? t[EC_T_winograd_grad] : 1);
}

static bool takes_winograd(const struct ec_kernel *k, const struct ec_rates *r)
{
    return !r->warp_group && !r->tensor && !r->cpu && k->r == 3 && k->s == 3 && k->stride == 1 &&
           k->groups == 1 && k->c_in >= 8;
}

static double conv_overlap(const struct ec_rates *r)
{
    if (r->tensor && r->warp_group && r->channels_last)
        return r->theta[EC_T_group_overlap];
    return r->theta[r->tensor ? EC_T_conv_overlap_tensor : EC_T_conv_overlap];
}

/* Whether kernels of their own convert between channels-first and the order of matrix units. */
static bool repacks(const struct ec_rates *r)
{
    return r->tensor && r->half && !r->channels_last;
}

static void conv_time(const struct ec_kernel *k, const struct ec_rates *r,
                      struct ec_kernel_time *ret)
{
    const double *t = r->theta;
    struct ec_kernel product = r->cpu ? *k : conv_product(k, r);

    ret->compute_ns = matrix_ns(&product, r) * conv_alignment(k, r) * conv_factor(k, r);
    ret->memory_ns = move_ns(
        r,
        conv_bytes(k, r, t[r->tensor && r->channels_last ? EC_T_conv_bytes_last : EC_T_conv_bytes],
                   t[EC_T_conv_weight_bytes]));
    ret->total_ns = join(ret->compute_ns, ret->memory_ns, conv_overlap(r));
    if (takes_winograd(k, r)) {
        ret->total_ns = smaller(ret->total_ns, winograd_ns(k, r, 2));
        ret->total_ns = smaller(ret->total_ns, winograd_ns(k, r, 4));
    }
    /* Extra kernels convert to channels-last, or to float32 for bf16 without units for it. */
    if (r->converted || repacks(r))
        ret->total_ns += move_ns(r, converted_bytes(k, r, t[EC_T_conv_repack], 0)) +
                         (repacks(r) ? 3 * t[EC_T_kernel_gap_ns] : 0);
    if (ec_frameworks[r->cond.framework].converts && !r->tensor && !r->cpu) /* in graphs once */
        ret->total_ns += move_ns(r, converted_bytes(k, r, r->in_step ? 0 : t[EC_T_conv_convert],
                                                    t[EC_T_conv_convert_weights]));
}

/* FLOP of the lanes that an operation of a depthwise convolution takes. */
static double depthwise_flop(const struct ec_rates *r)
{
    const double *t = r->theta;

    if (r->channels_last)
        return t[r->half ? EC_T_depthwise_last_half : EC_T_depthwise_last];
    return t[r->half ? EC_T_depthwise_first_half : EC_T_depthwise_first];
}

/* Libraries have kernels in channels-last for filters up to this side, those of gradients of
 * float32 weights for smaller ones. */
#define DEPTHWISE_FILTER 7
#define DEPTHWISE_WEIGHT_FILTER 5

static bool has_own_kernel(const struct ec_kernel *k, const struct ec_rates *r)
{
    bool of_floats = k->phase == EC_GRAD_WEIGHT && !r->half;

    return !r->channels_last || r->cpu ||
           k->r <= (of_floats ? DEPTHWISE_WEIGHT_FILTER : DEPTHWISE_FILTER);
}

/* Places of filters that are looked at over those that count: the gradient of an element of the
 * input looks at all, and by its stride most meet no output. */
static double depthwise_looks(const struct ec_kernel *k)
{
    bool looks = k->phase == EC_GRAD_DATA && k->out_hw > 0;

    return looks ? larger(k->in_hw / k->out_hw, 1) : 1;
}

/* Each channel has a filter of its own, so no matrix unit can be used. */
static void depthwise_time(const struct ec_kernel *k, const struct ec_rates *r,
                           struct ec_kernel_time *ret)
{
    const double *t = r->theta;
    double f = 1;

    if (k->phase == EC_GRAD_DATA)
        f = t[EC_T_depthwise_data];
    else if (k->phase == EC_GRAD_WEIGHT)
        f = t[r->channels_last ? EC_T_depthwise_weight_last : EC_T_depthwise_weight];
    if (r->cpu)
        f *= t[EC_T_depthwise_cpu];
    else if (copies_unaligned(k, r))
        f *= t[EC_T_conv_unaligned_last];
    if (!has_own_kernel(k, r))
        f *= t[EC_T_depthwise_large];
    ret->compute_ns =
        f * depthwise_flop(r) * depthwise_looks(k) * k->flop / r->vector_flop_per_s * 1e9;
    ret->memory_ns = move_ns(r, f * t[EC_T_depthwise_bytes] * kernel_bytes(k, r));
    ret->total_ns = join(ret->compute_ns, ret->memory_ns, t[EC_T_conv_overlap]);
}

/* No kernel moves less than its operands. */
static double stream_bytes(const double *t)
{
    return larger(t[EC_T_stream_bytes], 1);
}

/* Factor on the bytes of a softmax over rows of n. Short rows leave lanes idle, long ones do not
 * fit on chip. Both factors are smooth, so that a longer row never takes less time. */
static double softmax_row(double n, const double *t)
{
    double few = n / 64, many = n / 1024;

    return 1 + smaller(t[EC_T_softmax_short], 8) / (1 + few * few) +
           t[EC_T_softmax_long] * many * many / (1 + many * many);
}

/* A row of a TPU's registers holds so many values, which narrower heads do not fill. */
#define TPU_LANES 128.0
/* Attention of TPUs takes so many times as long as the law for GPUs says, and the loss over a
 * vocabulary, whose scores XLA holds in float32 and moves more often: marin's runs. */
#define TPU_ATTENTION 1.5
#define TPU_LOSS 5.0

/* bitsandbytes, which eager PyTorch has for it, unpacks weights at so much less than the memory's
 * rate: litgpt's runs on A10G and A100, with 4 bits and without. */
#define UNPACK 3.5

/* Bytes moved over bytes counted, of a memory-bound kernel. */
static double bytes_factor(const struct ec_kernel *k, const struct ec_rates *r)
{
    const double *t = r->theta;
    bool back = k->phase != EC_FORWARD;

    switch (k->kclass) {
    case EC_K_SOFTMAX:
        return t[EC_T_softmax_bytes] * softmax_row(k->n, t) * (back ? t[EC_T_softmax_grad] : 1) *
               (r->tpu && k->flags & EC_KF_LOSS ? TPU_LOSS : 1);
    case EC_K_NORM:
        return t[EC_T_norm_bytes] * (k->flags & EC_KF_TWO_PASS ? t[EC_T_norm_channel] : 1) *
               (back ? t[EC_T_norm_grad] : 1);
    case EC_K_REDUCE:
        return t[EC_T_reduce_bytes];
    case EC_K_GATHER:
        return t[EC_T_gather_bytes];
    case EC_K_UPDATE:
        return t[EC_T_update_bytes];
    default:
        if (k->flags & EC_KF_UNKNOWN)
            return t[EC_T_unknown_bytes];
        if (k->flags & EC_KF_UNPACK && ec_frameworks[r->cond.framework].composes_layers)
            return UNPACK;
        return k->flop > 0 || k->flags & EC_KF_CAST ? stream_bytes(t) : t[EC_T_move_bytes];
    }
}

/* Finding the windows of an element takes as long as so many looks into one. */
#define LOOKS_TO_FIND 12

/* FLOP of the lanes of pooling. A kernel finds for each element that it writes, forward an output
 * and backward an input, where its windows lie, by divisions of integers, and looks at each place
 * of the window or into each window: this takes longer than its bytes. A maximum keeps places. */
static double pool_flop(const struct ec_kernel *k, const struct ec_rates *r)
{
    const double *t = r->theta;
    double taps = k->r * k->s;

    if (k->phase == EC_FORWARD)
        return t[r->channels_last ? EC_T_pool_look_last : EC_T_pool_look] * (LOOKS_TO_FIND + taps) *
               k->write_elems;
    return t[k->fixed_bytes > 0 ? EC_T_pool_look : EC_T_pool_mean_grad] *
           (LOOKS_TO_FIND * k->write_elems + taps * k->read_elems);
}

static bool reduces_rows(const struct ec_kernel *k)
{
    return k->kclass == EC_K_SOFTMAX || k->kclass == EC_K_NORM || k->kclass == EC_K_REDUCE;
}

/* FLOP of the lanes. Kernels that reduce rows wait for their sums, and take many for each that
 * counts; norms of two passes sum over so much that they do not. */
static double lane_flop(const struct ec_kernel *k, const struct ec_rates *r)
{
    const double *t = r->theta;

    if (r->cpu)
        return t[EC_T_row_flop] * k->flop;
    if (k->kclass == EC_K_POOL)
        return pool_flop(k, r);
    if (k->flags & EC_KF_TWO_PASS)
        return k->flop;
    return k->flop * t[reduces_rows(k) ? EC_T_row_flop : EC_T_stream_flop];
}

/* Bytes of the copy that norms over planes make of channels-last values, which no kernel of theirs
 * takes: forward of the input, backward of the gradient. */
static double copied_bytes(const struct ec_kernel *k, const struct ec_rates *r)
{
    bool copies = k->flags & EC_KF_PLANES && r->channels_last && !r->cpu;

    return copies ? 2 * (stays_float(k, r) ? 4 : r->elem_bytes) * k->write_elems : 0;
}

/* Factor on norms of two passes in channels-first: a block for each row, and where rows are few
 * multiprocessors idle; up to a limit, as those that work share the bandwidth of all. The idle ones
 * cost nothing where fewer saturate the memory. */
#define FEW_ROWS_MAX 8.0
#define UNIT_BYTES_PER_S 9e9 /* about what an L20 has for each of its own */
static double few_rows(const struct ec_kernel *k, const struct ec_rates *r)
{
    double units = smaller(r->units, r->bytes_per_s / UNIT_BYTES_PER_S);
    double few = smaller(r->theta[EC_T_norm_few] * units / larger(k->m, 1), FEW_ROWS_MAX);

    return r->cpu || r->channels_last ? 1 : sqrt(1 + few * few);
}

static void moving_time(const struct ec_kernel *k, const struct ec_rates *r,
                        struct ec_kernel_time *ret)
{
    const double *t = r->theta;
    bool by_channel = k->flags & EC_KF_TWO_PASS && !(k->flags & EC_KF_PLANES);

    ret->memory_ns =
        move_ns(r, bytes_factor(k, r) * kernel_bytes(k, r) + stream_bytes(t) * copied_bytes(k, r));
    ret->compute_ns = lane_flop(k, r) / r->vector_flop_per_s * 1e9;
    ret->total_ns = larger(ret->memory_ns, ret->compute_ns);
    if (k->flags & EC_KF_TWO_PASS)
        ret->total_ns *= few_rows(k, r);
    if (by_channel && r->channels_last) /* batch norm has other kernels there */
        ret->total_ns *= t[EC_T_norm_last];
}

static double rnn_wait_ns(const struct ec_kernel *k, const struct ec_rates *r)
{
    return k->serial * r->theta[EC_T_rnn_step_ns];
}

/* The steps of a recurrent layer run one after the other; each reads the weights again, from cache
 * or memory. */
static void rnn_time(const struct ec_kernel *k, const struct ec_rates *r,
                     struct ec_kernel_time *ret)
{
    const double *t = r->theta;
    double step_flop = k->flop / larger(k->serial, 1);
    double step_bytes = r->elem_bytes * k->n * k->k * larger(k->b, 1);

    ret->compute_ns = k->serial * t[EC_T_rnn_flop] * step_flop / r->matrix_flop_per_s * 1e9;
    ret->memory_ns = k->serial * t[EC_T_rnn_bytes] * move_ns(r, step_bytes);
    ret->total_ns = rnn_wait_ns(k, r) + join(ret->compute_ns, ret->memory_ns, t[EC_T_gemm_overlap]);
}

/* Operations of a score, forward and backward (src/op/attention.c). */
#define SCORE_FLOP 5.0
#define SCORE_FLOP_BACK 8.0

/* The products of kernels of 2023 and before took so many times as long: llm-foundry's runs on the
 * A100. */
#define FLASH1 2.0
/* From Hopper on kernels compute scores while matrix units work; of the shorter part this share
 * shows: Shah et al., "FlashAttention-3" (2024); SimuMax's rows of the B200. */
#define FLASH3_SHOWS 0.25

static double generation_ns(const struct ec_rates *r, double products, double scores)
{
    switch (r->attention) {
    case EC_ATTENTION_FLASH1:
        return FLASH1 * products + scores;
    case EC_ATTENTION_FLASH3:
        return larger(products, scores) + FLASH3_SHOWS * smaller(products, scores);
    default:
        return products + scores;
    }
}

static double tpu_attention(double depth)
{
    double held = larger(depth, 1);

    return TPU_ATTENTION * ceil(held / TPU_LANES) * TPU_LANES / held;
}

/* ns of attention as one kernel: the products on matrix units, which it has for halves only, and
 * what is done with each score on the lanes. Both are paid for some more keys of each query, to
 * begin and to end.
 * mac      of the products
 * depth    of a head
 * score_flop  of all scores
 * keys     of a query, on average */
static double attention_ns(const struct ec_rates *r, double mac, double depth, double score_flop,
                           double keys)
{
    const double *t = r->theta;
    double rate = r->half ? r->matrix_flop_per_s : r->simt_flop_per_s;
    double products = t[EC_T_attention_flop] * (r->tpu ? tpu_attention(depth) : 1) * 2 * mac / rate;
    double scores = t[EC_T_attention_score] * score_flop / r->vector_flop_per_s;

    return generation_ns(r, products, scores) * (1 + t[EC_T_attention_prologue] / larger(keys, 1)) *
           1e9;
}

static void attention_time(const struct ec_kernel *k, const struct ec_rates *r,
                           struct ec_kernel_time *ret)
{
    double score_flop = larger(k->flop - 2 * k->mac, 0);
    double keys = score_flop / (larger(k->b, 1) * larger(k->m, 1)) /
                  (k->phase == EC_FORWARD ? SCORE_FLOP : SCORE_FLOP_BACK);

    ret->compute_ns = attention_ns(r, k->mac, k->k, score_flop, keys);
    ret->memory_ns = move_ns(r, kernel_bytes(k, r));
    ret->total_ns = join(ret->compute_ns, ret->memory_ns, product_overlap(r));
}

/* Whether a convolution of halves is a matrix product as its operands lie, or nearly so. */
static bool is_product(const struct ec_kernel *k, const struct ec_rates *r)
{
    return k->r == 1 && k->s == 1 && k->stride == 1 && k->groups <= 1 && r->half;
}

static double start_ns(const struct ec_kernel *k, const struct ec_rates *r)
{
    const double *t = r->theta;

    if (r->cpu)
        return 0;
    switch (k->kclass) {
    case EC_K_GEMM:
    case EC_K_ATTENTION:
        return t[EC_T_matrix_start_ns];
    case EC_K_CONV:
        return t[is_product(k, r) ? EC_T_matrix_start_ns : EC_T_conv_start_ns];
    case EC_K_NORM:
        return k->flags & EC_KF_TWO_PASS ? t[EC_T_norm_start_ns]
                                         : 0; /* a kernel for the statistics comes first */
    case EC_K_RNN:
        return t[EC_T_rnn_start_ns];
    default:
        return 0;
    }
}

/* Factor on what runs on matrix units inside a step, under lasting load. */
static double lasting(const struct ec_rates *r)
{
    return r->tensor && r->in_step ? r->theta[EC_T_network_matrix] : 1;
}

/* With matrix units or not, whichever is faster: the library chooses. Halves that lie as the units
 * take them always go there. */
static void cheaper_time(const struct ec_kernel *k, const struct ec_rates *r,
                         void (*law)(const struct ec_kernel *, const struct ec_rates *,
                                     struct ec_kernel_time *),
                         struct ec_kernel_time *ret)
{
    struct ec_rates simt = *r;
    struct ec_kernel_time without;

    law(k, r, ret);
    ret->total_ns *= lasting(r);
    if (!r->tensor || (r->half && !repacks(r)))
        return;
    simt.tensor = false;
    simt.matrix_flop_per_s = r->simt_flop_per_s;
    law(k, &simt, &without);
    if (without.total_ns < ret->total_ns)
        *ret = without;
}

/* A transpose between memory orders, of values that lie so already. */
static bool is_view(const struct ec_kernel *k, const struct ec_rates *r)
{
    return k->flags & EC_KF_REORDER && (r->channels_last || k->flags & EC_KF_LAST);
}

void ec_kernel_time(const struct ec_kernel *k, const struct ec_rates *r, struct ec_kernel_time *ret)
{
    struct ec_rates own;

    if (k->flags & EC_KF_LAST && !r->channels_last) {
        own = *r;
        own.channels_last = true;
        r = &own;
    }
    if (k->flags & EC_KF_WIDE && k->flags & EC_KF_MATRIX) {
        own = *r; /* without TF32, as PyTorch has it by default */
        own.half = own.tensor = false;
        own.elem_bytes = 4;
        own.matrix_flop_per_s = r->simt_flop_per_s;
        own.low_speedup = 0;
        r = &own;
    }
    if (is_view(k, r)) {
        memset(ret, 0, sizeof *ret);
        return;
    }
    switch (k->kclass) {
    case EC_K_GEMM:
        cheaper_time(k, r, gemm_time, ret);
        break;
    case EC_K_CONV:
        cheaper_time(k, r, conv_time, ret);
        break;
    case EC_K_DEPTHWISE:
        depthwise_time(k, r, ret);
        break;
    case EC_K_RNN:
        rnn_time(k, r, ret);
        break;
    case EC_K_ATTENTION:
        attention_time(k, r, ret);
        ret->total_ns *= lasting(r);
        break;
    default:
        moving_time(k, r, ret);
        break;
    }
    ret->total_ns += start_ns(k, r);
}

/* ns that autocast adds to a step: float32 weights are cast to half for products (6 bytes each),
 * and gradients are unscaled before the update (read and written, 8 bytes). */
static double autocast_ns(const struct ec_step *s, const struct ec_rates *r, double *ret_launches)
{
    double bytes = 0;
    int i;

    for (i = 0; i < s->n; i++) {
        const struct ec_kernel *k = &s->kernel[i];
        double repeat = s->repeat ? s->repeat[i] : 1;

        if (k->phase == EC_FORWARD && k->flags & EC_KF_MATRIX && k->weight_elems > 0) {
            bytes += 6 * k->weight_elems * repeat;
            *ret_launches += repeat;
        } else if (k->kclass == EC_K_UPDATE) {
            bytes += 8 * k->m; /* m: elements of all parameters */
        }
    }
    return move_ns(r, bytes) * stream_bytes(r->theta);
}

/* A kernel of attention where attention runs as one kernel. Its products count, without the scores,
 * which stay on chip; kernels between the products cost nothing. Forward has two products, backward
 * four, and computes the scores again. */
static void fused_time(const struct ec_kernel *k, const struct ec_rates *r,
                       struct ec_kernel_time *ret)
{
    bool back = k->phase != EC_FORWARD;
    double heads = larger(k->b, 1), scores, elems = k->read_elems + k->write_elems;

    memset(ret, 0, sizeof *ret);
    if (k->kclass != EC_K_GEMM)
        return;
    scores = heads * larger(k->m * k->n, larger(k->m * k->k, k->n * k->k));
    ret->compute_ns =
        attention_ns(r, k->mac * (back ? 1.25 : 1), k->mac / larger(scores, 1),
                     scores * (back ? SCORE_FLOP_BACK / 4 : SCORE_FLOP / 2), sqrt(scores / heads));
    ret->memory_ns = move_ns(r, r->elem_bytes * larger(elems - scores, 0));
    ret->total_ns = join(ret->compute_ns, ret->memory_ns, product_overlap(r));
}

static bool is_fused(const struct ec_kernel *k, enum ec_framework fw)
{
    return (k->flags & EC_KF_ATTENTION && ec_frameworks[fw].fuses_attention) ||
           (k->flags & EC_KF_CAST && ec_frameworks[fw].fuses_passes);
}

/* Recurrent layers with at most this many weights keep them on chip from step to step. */
#define WEIGHTS_HELD 65536

static bool holds_steps(const struct ec_kernel *k, enum ec_framework fw)
{
    return k->kclass == EC_K_RNN && k->n * k->k <= WEIGHTS_HELD && ec_frameworks[fw].fuses_steps;
}

static void lone_kernel_time(const struct ec_kernel *k, const struct ec_rates *r, const double *f,
                             enum ec_framework fw, struct ec_kernel_time *ret)
{
    ec_kernel_time(k, r, ret);
    if (holds_steps(k, fw))
        ret->total_ns += (f[EC_FWT_recurrence] - 1) * rnn_wait_ns(k, r);
}

/* ns of the casts around a lone product under autocast: of its inputs and of the gradients that it
 * returns. With half inputs only weights and their gradients are cast. */
static double lone_casts_ns(const struct ec_kernel *k, const struct ec_rates *r,
                            double *ret_launches)
{
    double activations = k->phase == EC_FORWARD ? k->read_elems : k->write_elems;
    double elems = k->phase == EC_GRAD_WEIGHT ? k->weight_elems : activations;

    if (!r->cond.queued || !r->autocast || !(k->flags & EC_KF_MATRIX))
        return 0;
    if (k->phase == EC_FORWARD)
        elems += k->weight_elems;
    if (r->cond.half_inputs)
        elems = k->phase == EC_GRAD_DATA ? 0 : k->weight_elems;
    if (elems > 0 || !r->cond.half_inputs)
        *ret_launches += k->phase == EC_FORWARD && !r->cond.half_inputs ? 2 : 1;
    return move_ns(r, 6 * elems) * stream_bytes(r->theta);
}

/* The kernel as a part of a fused one. The compiler does not move joint_elems at all, and moves
 * narrow_elems as halves. */
static struct ec_kernel joined(const struct ec_kernel *k, const struct ec_rates *r)
{
    struct ec_kernel one = *k;
    double left_out = k->joint_elems + (stays_float(k, r) ? k->narrow_elems / 2 : 0);

    one.read_elems = larger(k->read_elems - left_out, 0);
    one.write_elems = larger(k->write_elems - larger(left_out - k->read_elems, 0), 0);
    return one;
}

/* What runs beside a counted kernel where a framework composes it of several: passes over memory.
 */
struct passes {
    double launches, bytes;
};

/* An RMS norm is in float32 but for its input, its result and the product with the weight; halves
 * are cast on the way. Bytes of each element. */
static struct passes norm_passes(const struct ec_kernel *k, const struct ec_rates *r)
{
    static const struct passes wide[EC_PHASE_COUNT] = {
        [EC_FORWARD] = {5,   20},
          [EC_GRAD_DATA] = { 12, 56},
          [EC_GRAD_WEIGHT] = { 1,  8 }
    };
    static const struct passes halves[EC_PHASE_COUNT] = {
        [EC_FORWARD] = {7,   32},
          [EC_GRAD_DATA] = { 14, 70},
          [EC_GRAD_WEIGHT] = { 1,  4 }
    };
    /* Gemma multiplies by 1 + w in float32, and only then casts. */
    static const struct passes halves_wide[EC_PHASE_COUNT] = {
        [EC_FORWARD] = {9,   40},
          [EC_GRAD_DATA] = { 15, 74},
          [EC_GRAD_WEIGHT] = { 3,  12}
    };
    struct passes one = (stays_float(k, r) || r->elem_bytes > 2 ? wide
                         : k->flags & EC_KF_WIDE                ? halves_wide
                                                                : halves)[k->phase];

    return (struct passes){ one.launches, k->m * k->n * one.bytes };
}

/* Beside the grouped product of experts rows are sorted, gathered and added up; where the framework
 * composes that of operators, the weights change layout too, and so do their gradients. How often
 * each moves, in or out: of five steps of three networks, forward apart
 * (measured/h100/large-models.csv); of software that has a kernel for it half as often, by rows of
 * NeMo (docs/large-models.md). */
static struct passes expert_passes(const struct ec_kernel *k, const struct ec_rates *r,
                                   bool composed)
{
    static const struct {
        double launches, weights, rows;
    } moves[2][EC_PHASE_COUNT] = {
        {
         [EC_FORWARD] = { 2, 0, 7.5 },
         [EC_GRAD_DATA] = { 2, 0, 5 },
         [EC_GRAD_WEIGHT] = { 1, 0, 5 },
         },
        {
         [EC_FORWARD] = { 6, 4, 15 },
         [EC_GRAD_DATA] = { 6, 6, 10 },
         [EC_GRAD_WEIGHT] = { 3, 8, 10 },
         }
    };
    double rows = (k->read_elems + k->write_elems) / 2;
    double elems =
        moves[composed][k->phase].weights * k->weight_elems + moves[composed][k->phase].rows * rows;

    return (struct passes){ moves[composed][k->phase].launches, r->elem_bytes * elems };
}

static struct passes composed_passes(const struct ec_kernel *k, const struct ec_rates *r)
{
    bool composed = k->flags & EC_KF_COMPOSED && ec_frameworks[r->cond.framework].composes_layers;

    if (r->in_step && k->flags & EC_KF_GROUPED)
        return expert_passes(k, r, composed);
    return r->in_step && composed ? norm_passes(k, r) : (struct passes){ 0 };
}

/* Time of a kernel inside a step: as alone, but for fusing and the factor `moving`. */
static void step_kernel_time(const struct ec_kernel *k, const struct ec_rates *r, const double *f,
                             enum ec_framework fw, struct ec_kernel_time *ret)
{
    struct passes passes = composed_passes(k, r);
    struct ec_kernel one;

    if (is_fused(k, fw)) {
        fused_time(k, r, ret);
        ret->total_ns *= lasting(r);
        return;
    }
    if (ec_frameworks[fw].fuses_passes) {
        one = joined(k, r);
        k = &one;
    }
    lone_kernel_time(k, r, f, fw, ret);
    if (passes.launches > 0)
        ret->total_ns += passes.launches * move_ns(r, passes.bytes / passes.launches);
    switch (k->kclass) {
    case EC_K_STREAM:
    case EC_K_SOFTMAX:
    case EC_K_NORM:
    case EC_K_POOL:
    case EC_K_REDUCE:
        ret->total_ns *= f[EC_FWT_moving];
        break;
    default:
        break;
    }
}

/* Adds to the time by shape of matrix, for features of corrections. */
static void add_matrix_time(const struct ec_kernel *k, const struct ec_rates *r, double ns,
                            struct ec_matrix_time *ret)
{
    double rounds = ceil(k->m * larger(k->b, 1) / 128) * ceil(k->n / 128) / r->units;

    ret->ns += ns;
    ret->rounds_ns += ns * log(smaller(larger(rounds, 0.1), 32));
    ret->narrow_ns += k->n < 64 ? ns : 0;
    ret->shallow_ns += k->k < 64 ? ns : 0;
    ret->thin_ns += k->c_in < 16 ? ns : 0;
    ret->unaligned_ns += divides(k->n, 8) && divides(k->k, 8) ? 0 : ns;
}

static void add_kernel_time(const struct ec_kernel *k, const struct ec_rates *r,
                            const struct ec_kernel_time *kt, struct ec_step_time *ret)
{
    if (k->kclass == EC_K_GEMM || k->kclass == EC_K_CONV)
        add_matrix_time(k, r, kt->total_ns, &ret->matrix);
    if (r->elem_bytes * (k->read_elems + k->write_elems) < r->cache_bytes)
        ret->cached_ns += kt->total_ns;
    ret->device_ns += kt->total_ns;
    *(kt->compute_ns > kt->memory_ns ? &ret->compute_ns : &ret->memory_ns) += kt->total_ns;
    ret->phase_ns[k->flags & EC_KF_AGAIN ? EC_GRAD_DATA : k->phase] += kt->total_ns;
    ret->class_ns[k->kclass] += kt->total_ns;
    if (k->flags & EC_KF_UNKNOWN)
        ret->unknown_ns += kt->total_ns;
}

/* Scales all times of kernels alike, so that the parts still add up: kernels inside a step differ
 * from kernels alone by a factor. */
static void scale_kernels(struct ec_step_time *t, double by)
{
    int i;

    t->device_ns *= by;
    t->compute_ns *= by;
    t->memory_ns *= by;
    t->unknown_ns *= by;
    t->cached_ns *= by;
    t->cast_ns *= by;
    for (i = 0; i < EC_PHASE_COUNT; i++)
        t->phase_ns[i] *= by;
    for (i = 0; i < EC_KCLASS_COUNT; i++)
        t->class_ns[i] *= by;
}

/* Scales the whole step by the framework's factor `speed`. */
static void scale_step(struct ec_step_time *t, double by)
{
    scale_kernels(t, by);
    t->gap_ns *= by;
    t->host_ns *= by;
    t->fixed_ns *= by;
    t->copy_ns *= by;
}

static double launches_of(const struct ec_kernel *k, const struct ec_rates *r, enum ec_framework fw)
{
    if (is_fused(k, fw)) /* a fused kernel has two products forward, four backward */
        return k->kclass == EC_K_GEMM ? 0.5 : 0;
    if (is_view(k, r))
        return 0;
    if (k->flags & EC_KF_CAST)
        return r->autocast || k->flags & EC_KF_WIDE;
    if (k->kclass == EC_K_RNN)
        return holds_steps(k, fw) ? 1 : 1 + r->theta[EC_T_rnn_launch] * (k->launches - 1);
    if (k->kclass == EC_K_UPDATE)
        return larger(1, k->launches * ec_frameworks[fw].update_launches *
                             (ec_frameworks[fw].composes_update ? k->serial : 1));
    if (k->kclass == EC_K_CONV && r->converted) /* conversions of image, filter, result */
        return k->launches + 3;
    /* what joins its neighbours by all its tensors is no launch of its own */
    return k->launches * (ec_frameworks[fw].fuses_passes ? 1 - k->joint_frac : 1);
}

/* Host time to issue a kernel, over that of an element-wise kernel of the forward pass. Backward
 * passes are issued by the framework's own code, forward passes by the user's script. */
static double call_share(enum ec_kclass kclass, enum ec_phase phase, const double *t)
{
    double share = phase == EC_GRAD_DATA || phase == EC_GRAD_WEIGHT ? t[EC_T_host_back] : 1;

    switch (kclass) {
    case EC_K_GEMM:
    case EC_K_ATTENTION:
        return share * t[EC_T_host_matrix];
    case EC_K_CONV:
    case EC_K_DEPTHWISE:
        return share * t[EC_T_host_conv];
    case EC_K_NORM:
        return share * t[EC_T_host_norm];
    default:
        return share;
    }
}

/* ns beside the kernels of a lone operator. The first kernel of the step shows the kind of
 * benchmark. */
static double isolated_ns(const struct ec_step *s, const double *f)
{
    switch (s->n ? s->kernel[0].kclass : EC_K_STREAM) {
    case EC_K_GEMM:
    case EC_K_ATTENTION:
        return f[EC_FWT_isolated_ns];
    case EC_K_CONV:
    case EC_K_DEPTHWISE:
        return f[EC_FWT_isolated_ns] * f[EC_FWT_isolated_conv];
    case EC_K_RNN:
        return f[EC_FWT_isolated_ns] * f[EC_FWT_isolated_rnn];
    default:
        return f[EC_FWT_isolated_ns] * f[EC_FWT_isolated_vector];
    }
}

/* ns per kernel on a CPU. One processor issues and runs it, one after the other. */
static double cpu_call_ns(const struct ec_rates *r, const double *f)
{
    return r->theta[EC_T_cpu_kernel_ns] * (f[EC_FWT_dispatch_ns] / 17000) * r->launch_factor;
}

/* ns between two kernels of a step. */
static double gap_ns(const struct ec_rates *r, const double *f)
{
    return r->cpu ? cpu_call_ns(r, f) : r->theta[EC_T_kernel_gap_ns];
}

/* ns of a call of a lone operator beside its kernels. */
static double call_ns(const struct ec_step *s, double launches, const struct ec_rates *r,
                      const double *f)
{
    if (r->cpu)
        return launches * cpu_call_ns(r, f);
    if (r->cond.queued)
        return launches * r->theta[EC_T_kernel_gap_ns];
    if (r->cond.mode != EC_MODE_ISOLATED_STEP)
        launches = 1;
    return isolated_ns(s, f) * r->launch_factor + (launches - 1) * r->theta[EC_T_kernel_gap_ns];
}

double ec_host_share(const double *theta)
{
    return shows(theta[EC_T_host_overlap]);
}

void ec_step_time(const struct ec_step *s, const struct ec_rates *given,
                  const struct ec_constants *c, bool isolated, struct ec_step_time *ret)
{
    enum ec_framework fw = given->cond.framework;
    struct ec_rates rates = *given;
    const struct ec_rates *r = &rates;
    const double *t = r->theta, *f = c->framework[fw];
    double launches = 0, host_ns = 0, of_kernel;
    int i;

    rates.in_step = !isolated;
    if (ec_frameworks[fw].fuses_passes) /* a compiler chooses the memory format itself */
        rates.channels_last = true;
    memset(ret, 0, sizeof *ret);
    for (i = 0; i < s->n; i++) {
        const struct ec_kernel *k = &s->kernel[i];
        double repeat = s->repeat ? s->repeat[i] : 1;
        struct ec_kernel_time kt;

        if (isolated) {
            lone_kernel_time(k, r, f, fw, &kt);
            kt.total_ns += lone_casts_ns(k, r, &launches);
        } else {
            step_kernel_time(k, r, f, fw, &kt);
        }
        if (kt.total_ns > ret->longest.total_ns)
            ret->longest = kt;
        kt.total_ns *= repeat;
        add_kernel_time(k, r, &kt, ret);
        of_kernel = repeat * launches_of(k, r, fw);
        launches += of_kernel;
        ret->calls += of_kernel * call_share(k->kclass, k->phase, t);
        ret->class_launches[k->kclass] += of_kernel;
        of_kernel = repeat * composed_passes(k, r).launches;
        launches += of_kernel;
        ret->calls += of_kernel * call_share(EC_K_STREAM, k->phase, t);
        ret->class_launches[EC_K_STREAM] += of_kernel;
        if (k->phase == EC_UPDATE)
            host_ns = f[EC_FWT_update_ns];
    }
    ret->launches = launches;
    if (isolated) {
        ret->issued = launches;
        ret->gap_ns = call_ns(s, launches, r, f);
        ret->step_ns = ret->device_ns + ret->gap_ns;
        return;
    }
    if (r->autocast && s->n > 1) {
        ret->cast_ns = autocast_ns(s, r, &launches);
        ret->device_ns += ret->cast_ns;
    }
    ret->issued = launches;
    ret->gap_ns = launches * gap_ns(r, f);
    ret->device_ns += ret->gap_ns;
    ret->calls += ret->issued - ret->launches; /* casts */
    host_ns += ret->calls * f[EC_FWT_dispatch_ns];
    ret->host_ns = r->cpu ? 0 : host_ns * r->launch_factor;
    ret->copy_ns = 1e9 * r->copy_bytes / t[EC_T_copy_bytes_per_s];
    ret->fixed_ns = ret->copy_ns + f[EC_FWT_step_ns];
    scale_step(ret, f[EC_FWT_speed]);
    ret->step_ns = join(ret->device_ns, ret->host_ns, t[EC_T_host_overlap]) + ret->fixed_ns;
}
