/* What must hold between two answers, wherever they come from: predictions (test_sense.c) and
 * measurements (tests/accuracy/nature.c) are held to the same words. docs/common-sense.md */
#ifndef SENSE_H
#define SENSE_H

#include "graph/zoo_internal.h"
#include "model/physics.h"
#include "predict/predict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- Devices --- */

/* Numbers of a board that a step may depend on; 0: the catalogue does not know. */
enum { SENSE_PEAK, SENSE_FP32, SENSE_BANDWIDTH, SENSE_POWER, SENSE_CACHE, SENSE_NUMBERS };

/* What the board computes with at the precision: its matrix units; without them halves run at the
 * better of both vector rates, but on NVIDIA, whose libraries sum them in float32. */
static inline double sense_peak(const struct ec_device *d, enum ec_precision precision)
{
    double fp32 = d->fp32_flop_per_s.value, half = d->fp16_tensor_flop_per_s.value;

    switch ((enum ec_precision)precision) {
    case EC_FP32:
        return fp32;
    case EC_TF32:
        return fmax(fp32, d->tf32_tensor_flop_per_s.value);
    case EC_BF16:
        half = d->bf16_tensor_flop_per_s.value;
        break;
    default:
        break;
    }
    if (half > 0 || d->vendor == EC_VENDOR_NVIDIA)
        return fmax(half, fp32);
    return fmax(fp32, d->fp16_vector_flop_per_s.value);
}

static inline void sense_numbers(const struct ec_device *d, enum ec_precision precision,
                                 double ret[SENSE_NUMBERS])
{
    ret[SENSE_PEAK] = sense_peak(d, precision);
    ret[SENSE_FP32] = d->fp32_flop_per_s.value;
    ret[SENSE_BANDWIDTH] = d->memory_bytes_per_s.value;
    ret[SENSE_POWER] = d->tdp_w.value;
    ret[SENSE_CACHE] = d->l2_bytes.value;
}

/* The clock of a part for laptops depends on the machine around it. */
static inline bool sense_mobile(const struct ec_device *d)
{
    return ec_str_eq(d->form_factor, "laptop");
}

static inline bool sense_same_chip(const struct ec_device *a, const struct ec_device *b)
{
    return a->vendor == b->vendor && a->kind == b->kind &&
           a->compute_capability == b->compute_capability &&
           (a->compute_capability || ec_str_eq(a->arch, b->arch));
}

/* By how much b may be faster than a, from the least of their specifications to the most; false:
 * a number is not known. */
static inline bool sense_sibling_range(const struct ec_device *a, const struct ec_device *b,
                                       enum ec_precision precision, double *ret_lo, double *ret_hi)
{
    double x[SENSE_NUMBERS], y[SENSE_NUMBERS];
    int i;

    sense_numbers(a, precision, x);
    sense_numbers(b, precision, y);
    *ret_lo = HUGE_VAL;
    *ret_hi = 0;
    for (i = SENSE_PEAK; i <= SENSE_POWER; i++) {
        if (!(x[i] > 0 && y[i] > 0))
            return false;
        *ret_lo = fmin(*ret_lo, y[i] / x[i]);
        *ret_hi = fmax(*ret_hi, y[i] / x[i]);
    }
    return true;
}

/* How far a board whose clock is free may run beyond its specification. */
#define SENSE_FREE_CLOCK 1.12

static inline bool sense_clocks_freely(const struct ec_device *d)
{
    return d->clock_kind.value == EC_CLOCK_FREE;
}

/* Boards of one chip, and by how much b may be faster. The host and the launches of kernels are
 * those of any board, so that boards as fast as each other are always possible. */
static inline bool sense_siblings(const struct ec_device *a, const struct ec_device *b,
                                  enum ec_precision precision, double *ret_lo, double *ret_hi)
{
    if (a == b || a->kind == EC_DEV_ACCELERATOR || !sense_same_chip(a, b) || sense_mobile(a) ||
        sense_mobile(b) || !sense_sibling_range(a, b, precision, ret_lo, ret_hi))
        return false;
    if (sense_clocks_freely(b) && !sense_clocks_freely(a))
        *ret_hi *= SENSE_FREE_CLOCK;
    if (sense_clocks_freely(a) && !sense_clocks_freely(b))
        *ret_lo /= SENSE_FREE_CLOCK;
    *ret_lo = fmin(*ret_lo, 1);
    *ret_hi = fmax(*ret_hi, 1);
    return true;
}

/* What counts beside both peaks and the bandwidth. */
enum sense_counted { SENSE_BASIC, SENSE_WITH_CACHE, SENSE_WITH_POWER, SENSE_WITH_BOTH };

static inline bool sense_counts(int number, enum sense_counted counted)
{
    if (number == SENSE_CACHE)
        return counted == SENSE_WITH_CACHE || counted == SENSE_WITH_BOTH;
    return number != SENSE_POWER || counted == SENSE_WITH_POWER || counted == SENSE_WITH_BOTH;
}

/* The newer board has 1.1 times of everything that counts, and no less of the cache. */
static inline bool sense_dominates(const struct ec_device *newer, const struct ec_device *older,
                                   enum ec_precision precision, enum sense_counted counted)
{
    double x[SENSE_NUMBERS], y[SENSE_NUMBERS];
    int i;

    if (newer->kind != EC_DEV_GPU || older->kind != EC_DEV_GPU || !older->launch_year ||
        newer->launch_year < older->launch_year || sense_mobile(newer) || sense_mobile(older))
        return false;
    sense_numbers(newer, precision, x);
    sense_numbers(older, precision, y);
    for (i = 0; i < SENSE_NUMBERS; i++)
        if (sense_counts(i, counted) && !(y[i] > 0 && x[i] >= (i == SENSE_CACHE ? 1 : 1.1) * y[i]))
            return false;
    return true;
}

/* --- Networks --- */

/* A kernel of the forward or the backward pass: of one kind, and how large. */
enum { SENSE_MAC, SENSE_READ, SENSE_WRITTEN, SENSE_WEIGHTS, SENSE_SIZES };
enum { SENSE_GROUP_WIDTH = 5 }; /* in kind */
struct sense_kernel {
    const struct ec_op *op;
    double kind[7]; /* phase, class, filter, stride, group's width; equal in kernels of a kind */
    double size[SENSE_SIZES];
    int count; /* so many are alike */
};
#define SENSE_KERNELS 2048 /* that differ, of one network */

/* What a network of the zoo is made of. */
struct sense_network {
    const struct ec__zoo_row *row;
    unsigned sizes;    /* EC_SIZE_*: what it can be asked with */
    int64_t image;     /* size it was built with, in which networks of a family are compared */
    int64_t alignment; /* 1, 2, 4, 8: what divides the channels of all layers that weigh */
    double params, mac, depth;
    struct sense_kernel *kernel; /* sorted by kind, the largest first; no two alike */
    int n;
};

#define SENSE_IMAGE 224  /* of all networks that read photographs */
#define SENSE_TOKENS 64  /* of all that read text */
#define SENSE_LAYER 0.01 /* share of all MAC from which a layer weighs */

static inline int sense_by_kind(const struct sense_kernel *a, const struct sense_kernel *b)
{
    int d = strcmp(a->op->name, b->op->name), i;

    for (i = 0; !d && i < EC_LEN(a->kind); i++)
        d = (a->kind[i] > b->kind[i]) - (a->kind[i] < b->kind[i]);
    return d;
}

static inline int sense_by_size(const void *a, const void *b)
{
    const struct sense_kernel *x = a, *y = b;
    int d = sense_by_kind(x, y), i;

    for (i = 0; !d && i < SENSE_SIZES; i++)
        d = (x->size[i] < y->size[i]) - (x->size[i] > y->size[i]);
    return d;
}

/* One group is a plain convolution, one channel in each a depthwise one; what lies between is told
 * by its width. */
static inline double group_width(const struct ec_kernel *k)
{
    return k->groups > 1 ? k->c_in : 0;
}

static inline void sense_add(struct sense_network *n, const struct ec_op *op,
                             const struct ec_kernel *k)
{
    const double kind[] = { (double)k->phase, (double)k->kclass, k->r,     k->s,
                            k->stride,        group_width(k),    k->serial };
    const double size[] = { k->mac, k->read_elems, k->write_elems, k->weight_elems };
    struct sense_kernel *to = &n->kernel[n->n++];

    to->op = op;
    to->count = 1;
    memcpy(to->kind, kind, sizeof kind);
    memcpy(to->size, size, sizeof size);
    if (k->phase != EC_FORWARD)
        return;
    n->mac += k->mac;
    n->params += k->weight_elems;
    n->depth += k->mac > 0;
}

/* Largest of 8, 4, 2, 1 that divides it. */
static inline int64_t sense_divisor(double channels)
{
    int64_t c = (int64_t)channels, by = 8;

    while (by > 1 && c % by)
        by /= 2;
    return by;
}

/* Of layers with weights: channels in and out of a group. Those of an image are always 3. */
static inline int64_t sense_alignment(const struct ec_step *s, double mac)
{
    int64_t ret = 8;
    int i;

    for (i = 0; i < s->n; i++) {
        const struct ec_kernel *k = &s->kernel[i];
        double in = k->kclass == EC_K_CONV ? k->c_in : k->k;
        double out = k->kclass == EC_K_CONV ? k->c_out : k->n;

        if (k->phase != EC_FORWARD || !(k->weight_elems > 0) || k->mac < SENSE_LAYER * mac ||
            (k->kclass != EC_K_CONV && k->kclass != EC_K_GEMM))
            continue;
        if (in > 3 && sense_divisor(in) < ret)
            ret = sense_divisor(in);
        if (sense_divisor(out) < ret)
            ret = sense_divisor(out);
    }
    return ret;
}

/* Sorts them and makes one of those that are alike. */
static inline void sense_merge(struct sense_network *n)
{
    int i, to = 0;

    qsort(n->kernel, (size_t)n->n, sizeof *n->kernel, sense_by_size);
    for (i = 1; i < n->n; i++)
        if (sense_by_size(&n->kernel[i], &n->kernel[to]))
            n->kernel[++to] = n->kernel[i];
        else
            n->kernel[to].count += n->kernel[i].count;
    n->n = n->n ? to + 1 : 0;
}

static inline int64_t sense_size(const struct ec__zoo_row *row)
{
    if (ec_str_eq(row->family->task, "language"))
        return SENSE_TOKENS;
    return row->size >= 96 ? SENSE_IMAGE : 0;
}

static inline enum ec_status sense_open(const struct ec__zoo_row *row, int64_t size,
                                        struct ec_graph **ret, struct ec_err *err)
{
    struct ec_graph_opts o = { .struct_size = sizeof o, .batch = 1 };

    if (size && ec_str_eq(row->family->task, "language"))
        o.seq_len = size;
    else
        o.image_px = size;
    return ec_graph_open(row->name, &o, ret, err);
}

/* Built in the common size, else in its own. ret->kernel: ec_free() it. */
static inline enum ec_status sense_describe(const struct ec__zoo_row *row,
                                            struct sense_network *ret, struct ec_err *err)
{
    struct ec_graph *g = NULL;
    struct ec_step s = { 0 };
    enum ec_status st;
    int i;

    *ret = (struct sense_network){ .row = row, .image = sense_size(row) };
    st = sense_open(row, ret->image, &g, err);
    if (st && ret->image) {
        ret->image = row->size;
        st = sense_open(row, 0, &g, err);
    }
    if (st)
        goto out;
    EC_TRY(ec_step_build(g, &(struct ec_conditions){ .mode = EC_MODE_FORWARD_BACKWARD }, &s, err));
    ret->kernel = ec_alloc((size_t)(s.n + 1) * sizeof *ret->kernel);
    if (!ret->kernel)
        EC_TRY(ec_nomem(err));
    for (i = 0; i < s.n; i++)
        if (s.node[i] >= 0)
            sense_add(ret, g->nodes[s.node[i]]->op, &s.kernel[i]);
    ret->sizes = g->sizes;
    ret->alignment = sense_alignment(&s, ret->mac);
    sense_merge(ret);
    if (ret->n > SENSE_KERNELS)
        st = ec_fail(err, EC_E_UNSUPPORTED, "%s: %d kinds of kernels, expected at most %d",
                     row->name, ret->n, SENSE_KERNELS);
out:
    ec_step_clear(&s);
    ec_graph_free(g);
    return st;
}

static inline bool sense_same_family(const struct sense_network *a, const struct sense_network *b)
{
    return a != b && a->row->family == b->row->family && a->row->classes == b->row->classes &&
           a->image == b->image;
}

static inline bool sense_not_smaller(const struct sense_kernel *b, const struct sense_kernel *a)
{
    int i;

    for (i = 0; i < SENSE_SIZES; i++)
        if (b->size[i] < a->size[i])
            return false;
    return true;
}

/* Hands kernels of `b` that are left to those of `a` that have none: equal ones, or any that is not
 * smaller, the smallest first. */
static inline void sense_match(const struct sense_network *b, const struct sense_network *a,
                               bool equal, int *left, int *wanted)
{
    int i, j;

    for (i = 0; i < a->n; i++)
        for (j = b->n - 1; j >= 0 && wanted[i]; j--) {
            int take = left[j] < wanted[i] ? left[j] : wanted[i];

            if (!take || sense_by_kind(&b->kernel[j], &a->kernel[i]) ||
                (equal ? sense_by_size(&b->kernel[j], &a->kernel[i]) != 0
                       : !sense_not_smaller(&b->kernel[j], &a->kernel[i])))
                continue;
            left[j] -= take;
            wanted[i] -= take;
        }
}

static inline bool sense_matches(const struct sense_network *b, const struct sense_network *a,
                                 bool equal_first)
{
    int left[SENSE_KERNELS], wanted[SENSE_KERNELS], i;

    for (i = 0; i < b->n; i++)
        left[i] = b->kernel[i].count;
    for (i = 0; i < a->n; i++)
        wanted[i] = a->kernel[i].count;
    if (equal_first)
        sense_match(b, a, true, left, wanted);
    sense_match(b, a, false, left, wanted);
    for (i = 0; i < a->n; i++)
        if (wanted[i])
            return false;
    return true;
}

/* Everything that stands in `a` stands in `b`, each at least as large: each kernel of `a` gets one
 * of `b` for itself. Deeper networks share kernels, wider ones do not. No best matching is looked
 * for: where none is found, nothing is said of the two. */
static inline bool sense_holds_all(const struct sense_network *b, const struct sense_network *a)
{
    return sense_matches(b, a, true) || sense_matches(b, a, false);
}

/* No operator of `b` is unknown to `a`: the same norms and activations. */
static inline bool sense_same_operators(const struct sense_network *b,
                                        const struct sense_network *a)
{
    int i, j;

    for (i = 0; i < b->n; i++) {
        for (j = 0; j < a->n && a->kernel[j].op != b->kernel[i].op; j++)
            ;
        if (j == a->n)
            return false;
    }
    return true;
}

/* `b` is `a` made deeper, wider or both: same builder, same kinds of operators, each layer of `a`
 * with a layer of `b` that is not smaller in any respect, channels as well aligned. */
static inline bool sense_larger(const struct sense_network *b, const struct sense_network *a)
{
    return sense_same_family(a, b) && a->alignment == b->alignment && b->mac > 1.001 * a->mac &&
           sense_same_operators(b, a) && sense_holds_all(b, a);
}

/* By the counts alone: more parameters, more MAC, no fewer layers. */
static inline bool sense_counts_larger(const struct sense_network *b, const struct sense_network *a)
{
    return sense_same_family(a, b) && b->params > a->params && b->mac > a->mac &&
           b->depth >= a->depth;
}

#endif
