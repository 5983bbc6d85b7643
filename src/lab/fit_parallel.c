/* Fits the constants of several devices, and tests them on held-out devices: the logarithm of
 * predicted over measured time of steps, each from a step on fewer devices, and of collectives. */
#include "lab/parallel_rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Errors of the law, as standard deviations of logarithms. Small for ddp in a machine, most of
 * whose steps are nearly as fast as one device alone: the median of the rest is what is fitted. */
#define SIGMA_DDP 0.01
#define SIGMA_STEP 0.03
#define SIGMA_COLLECTIVE 0.3

struct fit {
    struct ec__parallel_rows rows;
    int *of_fit; /* rows that take part in a fit */
    int n_fit;
    double base[EC_P_COUNT];     /* constants of a fit are multiples of these */
    double start[2][EC_P_COUNT]; /* where fits begin: the logarithms of the multiples */
};

static enum ec_parallel_place place_of(const struct ec__parallel_row *x)
{
    return ec_topology_machines(&x->q.at) > 1 ? EC_PP_MACHINES : EC_PP_MACHINE;
}

/* ------------------------------------------------------------------------------------------------
 * Fitting */

/* How far a constant of collectives may be moved by steps, as the standard deviation of its
 * logarithm: steps hide most of their communication, and so say little of it. */
#define SD_FITTED 0.02

static void values_of(const struct fit *f, const double *x, double v[EC_P_COUNT])
{
    int i;

    for (i = 0; i < EC_P_COUNT; i++)
        v[i] = f->base[i] * exp(x[i]);
}

/* From one device, or for several machines from fewer. */
static double predicted(const struct ec__parallel_row *x, const double *v)
{
    struct ec_parallel_time t;

    struct ec_collective_time c;

    if (!x->is_step && x->ring_only) {
        ec_collective_by(EC_ALGORITHM_ring, x->kind, &x->q.at, x->q.gradient_bytes, v, &c);
        return c.ns;
    }
    if (!x->is_step)
        return ec_collective_ns(x->kind, &x->q.at, x->q.gradient_bytes, v);
    if (x->runs.alone_ns <= 0)
        return ec_parallel_from_runs(&x->q, &x->runs, v);
    ec_parallel_time(&x->q, v, &t);
    return t.step_ns;
}

/* By the predictor and the law, with nothing measured. */
static double predicted_unseen(const struct ec__parallel_row *x, const double *v)
{
    struct ec_parallel_job q = x->q;
    struct ec_parallel_time t;

    q.backward_ns *= x->unseen_ns / q.alone_ns;
    q.alone_ns = x->unseen_ns;
    ec_parallel_time(&q, v, &t);
    return t.step_ns;
}

static double sigma_of(const struct ec__parallel_row *x)
{
    if (!x->is_step)
        return SIGMA_COLLECTIVE;
    return x->q.strategy == EC_STRATEGY_ddp && place_of(x) == EC_PP_MACHINE ? SIGMA_DDP
                                                                            : SIGMA_STEP;
}

static double residual(const void *ctx, const double *x, int i)
{
    const struct fit *f = ctx;
    const struct ec__parallel_row *row = &f->rows.v[f->of_fit[i]];
    double v[EC_P_COUNT];

    values_of(f, x, v);
    return sqrt(row->weight) * log(predicted(row, v) / row->measured_ns) / sigma_of(row);
}

static bool depends(const void *ctx, int param, int i)
{
    const struct fit *f = ctx;

    return param < EC_P_OF_STEPS || f->rows.v[f->of_fit[i]].is_step;
}

/* To steps or to collectives, from f->base, which becomes the result. */
static enum ec_status fit_part(struct fit *f, const char *without, bool steps, const double *sd,
                               struct ec_err *err)
{
    double x[EC_P_COUNT], loss = 0;
    struct ec_lm_problem p = { .n_params = EC_P_COUNT,
                               .ctx = f,
                               .residual = residual,
                               .depends = depends,
                               .prior_sd = sd,
                               .huber = 1,
                               .max_iterations = (int)f->rows.o->iterations,
                               .n_threads = (int)f->rows.o->threads };
    int i;

    for (i = f->n_fit = 0; i < f->rows.n; i++)
        if (f->rows.v[i].is_step == steps && (!without || !ec_str_eq(f->rows.v[i].group, without)))
            f->of_fit[f->n_fit++] = i;
    p.n_rows = f->n_fit;
    if (!p.n_rows)
        return EC_OK;
    memcpy(x, f->start[steps], sizeof x);
    EC_PASS(ec_lm_fit(&p, x, &loss, err));
    if (!without)
        memcpy(f->start[steps], x, sizeof x);
    values_of(f, x, f->base);
    return EC_OK;
}

/* Constants of collectives by collectives, the others by steps. Without the rows of a group; NULL:
 * with all, and later fits begin there. */
static enum ec_status fit(struct fit *f, const char *without, double v[EC_P_COUNT],
                          struct ec_err *err)
{
    static const double init[] = {
#define INIT(name, init_, sd) init_,
        EC_PARALLEL_LIST(INIT)
#undef INIT
    }, prior[] = {
#define SD(name, init_, sd) sd,
        EC_PARALLEL_LIST(SD)
#undef SD
    };
    double sd[EC_P_COUNT];
    int i;

    memcpy(f->base, init, sizeof f->base);
    memcpy(sd, prior, sizeof sd);
    EC_PASS(fit_part(f, without, false, sd, err));
    for (i = 0; i < EC_P_OF_STEPS; i++)
        sd[i] = SD_FITTED;
    EC_PASS(fit_part(f, without, true, sd, err));
    memcpy(v, f->base, sizeof f->base);
    return EC_OK;
}

static void predict_row(struct ec__parallel_row *x, const double *v)
{
    x->predicted_ns[EC_PB_ALONE] = predicted(x, v);
    if (x->runs.several_ns > 0)
        x->predicted_ns[EC_PB_RUN] = ec_parallel_from_runs(&x->q, &x->runs, v);
    if (x->unseen_ns > 0)
        x->unseen_ns = predicted_unseen(x, v);
}

/* Each group by a fit that had not seen it. */
static enum ec_status cross_validate(struct fit *f, struct ec_err *err)
{
    struct ec__parallel_rows *r = &f->rows;
    int i, j;

    for (i = 0; i < r->n; i++) {
        double v[EC_P_COUNT];

        if (r->v[i].predicted_ns[EC_PB_ALONE] > 0)
            continue;
        EC_PASS(fit(f, r->v[i].group, v, err));
        for (j = i; j < r->n; j++)
            if (ec_str_eq(r->v[j].group, r->v[i].group))
                predict_row(&r->v[j], v);
    }
    return EC_OK;
}

/* ------------------------------------------------------------------------------------------------
 * Widths of intervals */

static double residual_of(const struct ec__parallel_row *x, enum ec_parallel_basis b)
{
    return log(x->measured_ns / x->predicted_ns[b]);
}

static void width(const struct ec__parallel_rows *r, enum ec_strategy s, enum ec_parallel_place p,
                  enum ec_parallel_basis b, double *scratch, struct ec_parallel_width *ret)
{
    struct ec_parallel_width w = { 0 };
    int i;

    for (i = 0; i < r->n; i++) {
        const struct ec__parallel_row *x = &r->v[i];

        if (!x->is_step || x->q.strategy != s || place_of(x) != p || x->predicted_ns[b] <= 0)
            continue;
        scratch[w.n++] = residual_of(x, b);
        w.most_devices = (int)fmax(w.most_devices, x->q.at.devices);
    }
    if (w.n < 20)
        w = (struct ec_parallel_width){ 0 }; /* too few for an interval */
    if (w.n) {
        w.lo = ec_quantile_inplace(scratch, w.n, 0.05);
        w.mid = ec_quantile_inplace(scratch, w.n, 0.5);
        w.hi = ec_quantile_inplace(scratch, w.n, 0.95);
    }
    *ret = w;
}

static enum ec_status widths(const struct ec__parallel_rows *r, struct ec_parallel_constants *c,
                             struct ec_err *err)
{
    double *scratch = ec_alloc(sizeof *scratch * ((size_t)r->n + 1));
    int s, p, b;

    EC_PASS(ec_allocated(scratch, err));
    for (s = 1; s < EC_STRATEGY_COUNT; s++)
        for (p = 0; p < EC_PP_COUNT; p++)
            for (b = 0; b < EC_PB_COUNT; b++)
                width(r, (enum ec_strategy)s, (enum ec_parallel_place)p, (enum ec_parallel_basis)b,
                      scratch, &c->width[s][p][b]);
    ec_free(scratch);
    return EC_OK;
}

/* Rows of a collective group on one device, [from, to) of those in order. */
struct of_device {
    int group, from, to;
    double lo, hi;
};

static int by_group(const void *va, const void *vb)
{
    const struct ec__parallel_row *a = *(struct ec__parallel_row *const *)va;
    const struct ec__parallel_row *b = *(struct ec__parallel_row *const *)vb;
    int of_a = ec_collective_group(a->kind, &a->q.at, a->q.gradient_bytes);
    int of_b = ec_collective_group(b->kind, &b->q.at, b->q.gradient_bytes);

    return of_a != of_b ? of_a - of_b : strcmp(a->device, b->device);
}

static struct of_device device_from(struct ec__parallel_row *const *v, int n, int from,
                                    double *scratch)
{
    const struct ec__parallel_row *x = v[from];
    struct of_device d = { ec_collective_group(x->kind, &x->q.at, x->q.gradient_bytes), from, from,
                           0, 0 };

    for (; d.to < n && !by_group(&v[d.to], &v[from]); d.to++)
        scratch[d.to - from] = residual_of(v[d.to], EC_PB_ALONE);
    d.lo = ec_quantile_inplace(scratch, d.to - from, 0.05);
    d.hi = ec_quantile_inplace(scratch, d.to - from, 0.95);
    return d;
}

/* Around those of the group but `without`; a device may be as predicted. */
static struct ec_parallel_width around(struct ec__parallel_row *const *v, const struct of_device *d,
                                       int n, int group, int without)
{
    struct ec_parallel_width w = { 0 };
    int i, k;

    for (i = 0; i < n; i++) {
        if (d[i].group != group || i == without)
            continue;
        w.lo = fmin(w.lo, d[i].lo);
        w.hi = fmax(w.hi, d[i].hi);
        w.n += d[i].to - d[i].from;
        for (k = d[i].from; k < d[i].to; k++)
            w.most_devices = (int)fmax(w.most_devices, v[k]->q.at.devices);
    }
    return w;
}

static enum ec_status collective_widths(struct ec__parallel_rows *r,
                                        struct ec_parallel_constants *c, struct ec_err *err)
{
    size_t most = (size_t)r->n + 1;
    struct ec__parallel_row **v = ec_alloc(sizeof(struct ec__parallel_row *) * most);
    struct of_device *d = ec_alloc(sizeof *d * most);
    double *scratch = ec_alloc(sizeof *scratch * most);
    enum ec_status st = v && d && scratch ? EC_OK : ec_nomem(err);
    int n = 0, n_devices = 0, i, k;

    for (i = 0; !st && i < r->n; i++)
        if (!r->v[i].is_step)
            v[n++] = &r->v[i];
    if (n)
        qsort(v, (size_t)n, sizeof(struct ec__parallel_row *), by_group);
    for (i = 0; i < n; i = d[n_devices++].to)
        d[n_devices] = device_from(v, n, i, scratch);
    for (i = 0; i < n_devices; i++)
        for (k = d[i].from; k < d[i].to; k++)
            v[k]->unseen = around(v, d, n_devices, d[i].group, i);
    for (i = 0; !st && i < EC_CG_COUNT; i++)
        c->collective[i] = around(v, d, n_devices, i, -1);
    ec_free(scratch);
    ec_free(d);
    ec_free(v);
    return st;
}

/* ------------------------------------------------------------------------------------------------
 * The table of errors */

/* What a prediction knows. */
static double perfect(const struct ec__parallel_row *x)
{
    return x->is_step ? x->q.alone_ns : 0;
}

static double by_one(const struct ec__parallel_row *x)
{
    return place_of(x) == EC_PP_MACHINE ? x->predicted_ns[EC_PB_ALONE] : 0;
}

static double by_run(const struct ec__parallel_row *x)
{
    return x->predicted_ns[EC_PB_RUN];
}

static double by_nothing(const struct ec__parallel_row *x)
{
    return x->is_step ? x->unseen_ns : x->predicted_ns[EC_PB_ALONE];
}

static const struct method {
    const char *name;
    double (*guess)(const struct ec__parallel_row *x);
    int basis; /* of its interval; -1: none */
} methods[] = {
    {"perfect scaling",                   perfect,    -1         },
    { "one device known",                 by_one,     EC_PB_ALONE},
    { "one device and two devices known", by_run,     EC_PB_RUN  },
    { "fewer machines known",             by_run,     EC_PB_RUN  },
    { "nothing measured",                 by_nothing, -1         },
};
enum { PERFECT, ONE, RUN, FEWER, NOTHING };

/* Rows that are one kind of prediction. */
struct class
{
    const char *name;
    bool is_step;
    enum ec_parallel_place place;
    int of; /* strategy or collective */
};
static const struct class classes[] = {
    {"ddp",                       true,  EC_PP_MACHINE,  EC_STRATEGY_ddp         },
    { "dp",                       true,  EC_PP_MACHINE,  EC_STRATEGY_dp          },
    { "mirrored",                 true,  EC_PP_MACHINE,  EC_STRATEGY_mirrored    },
    { "ddp over machines",        true,  EC_PP_MACHINES, EC_STRATEGY_ddp         },
    { "all_reduce",               false, EC_PP_MACHINE,  EC_COLLECTIVE_all_reduce},
    { "all_reduce over machines", false, EC_PP_MACHINES, EC_COLLECTIVE_all_reduce},
    { "send_recv",                false, EC_PP_MACHINE,  EC_COLLECTIVE_send      },
};

/* What may be known of the rows of a class. */
static bool may_know(const struct class *c, int method)
{
    if (!c->is_step)
        return method == NOTHING;
    return c->place == EC_PP_MACHINE ? method == PERFECT || method == ONE || method == RUN
                                     : method == PERFECT || method == FEWER || method == NOTHING;
}

/* Part of a class. Zero and NULL: any. */
struct slice {
    const char *name;
    bool with_run;
    double devices, from_bytes, to_bytes;
    const char *device, *source, *what;
    const char *algorithm;
};

static bool in_class(const struct ec__parallel_row *x, const struct class *c)
{
    return x->is_step == c->is_step && place_of(x) == c->place &&
           (x->is_step ? (int)x->q.strategy : (int)x->kind) == c->of;
}

static bool is_text(const char *want, const char *text)
{
    return !want || ec_str_eq(want, text);
}

static const char *algorithm_of(const struct ec__parallel_row *x)
{
    struct ec_collective_time t;

    if (x->ring_only)
        return ec_algorithm_names[EC_ALGORITHM_ring];
    ec_collective_time(x->kind, &x->q.at, x->q.gradient_bytes, ec_parallel_fitted()->v, &t);
    return ec_algorithm_names[t.algorithm];
}

static bool in_slice(const struct ec__parallel_row *x, const struct slice *s)
{
    return (!s->with_run || x->runs.several_ns > 0) &&
           (s->devices <= 0 || x->q.at.devices == s->devices) && is_text(s->device, x->device) &&
           is_text(s->source, x->source) && is_text(s->what, x->what) &&
           x->q.gradient_bytes > s->from_bytes &&
           (s->to_bytes <= 0 || x->q.gradient_bytes <= s->to_bytes) &&
           (!s->algorithm || ec_str_eq(s->algorithm, algorithm_of(x)));
}

static enum ec_status add_errors(const struct fit *f, const struct ec_parallel_constants *c,
                                 const struct class *k, const struct slice *s, int method,
                                 struct ec_buf *out, struct ec_err *err)
{
    const struct ec__parallel_rows *r = &f->rows;
    const struct method *m = &methods[method];
    const struct ec_parallel_width none = { 0 }, *w = k->is_step && m->basis >= 0
                                                          ? &c->width[k->of][k->place][m->basis]
                                                          : &none;
    size_t n_max = (size_t)r->n + 1;
    double *y = ec_alloc(4 * n_max * sizeof *y), *p = y + n_max, *lo = p + n_max, *hi = lo + n_max;
    struct ec_metrics e;
    enum ec_status st = EC_OK;
    bool has_width = true; /* of each row */
    int i, n = 0;

    EC_TRY(ec_allocated(y, err));
    for (i = 0; i < r->n; i++) {
        const struct ec__parallel_row *x = &r->v[i];
        double guess = m->guess(x);

        if (!in_class(x, k) || !in_slice(x, s) || guess <= 0)
            continue;
        if (!k->is_step)
            w = &x->unseen;
        has_width &= w->n > 0;
        y[n] = x->measured_ns;
        p[n] = guess * exp(w->mid);
        lo[n] = guess * exp(w->lo);
        hi[n] = guess * exp(w->hi);
        n++;
    }
    if (n) {
        EC_TRY(ec_metrics_compute(y, p, has_width ? lo : NULL, has_width ? hi : NULL, n, &e, err));
        ec_buf_printf(out, "%s,%s,%s,", k->name, m->name, s->name);
        ec_buf_printf(out, s->devices > 0 ? "%.0f" : "all", s->devices);
        ec_buf_printf(out, ",%d,%.4f,%.4f,%.4f,", n, e.median_ape, e.mean_ape, e.p90_ape);
        if (has_width)
            ec_buf_printf(out, "%.4f", e.coverage);
        ec_buf_char(out, '\n');
    }
out:
    ec_free(y);
    return st;
}

static enum ec_status add_slice(const struct fit *f, const struct ec_parallel_constants *c,
                                const struct class *k, const struct slice *s, struct ec_buf *out,
                                struct ec_err *err)
{
    int i;

    for (i = 0; i < EC_LEN(methods); i++)
        if (may_know(k, i) && (s->with_run || i != RUN))
            EC_PASS(add_errors(f, c, k, s, i, out, err));
    return EC_OK;
}

/* A slice for each text that the rows of a class have in a member. */
static enum ec_status add_texts(const struct fit *f, const struct ec_parallel_constants *c,
                                const struct class *k, size_t in_row, size_t in_slice_,
                                const char *word, struct ec_buf *out, struct ec_err *err)
{
    const struct ec__parallel_rows *r = &f->rows;
    int i, j;

    for (i = 0; i < r->n; i++) {
        const char *text = *(const char *const *)((const char *)&r->v[i] + in_row);
        char name[128];
        struct slice s = { .name = name };

        for (j = 0; j < i; j++)
            if (in_class(&r->v[j], k) &&
                ec_str_eq(*(const char *const *)((const char *)&r->v[j] + in_row), text))
                break;
        if (!in_class(&r->v[i], k) || j < i)
            continue;
        (void)snprintf(name, sizeof name, "%s %s", word, text);
        *(const char **)((char *)&s + in_slice_) = text;
        EC_PASS(add_slice(f, c, k, &s, out, err));
    }
    return EC_OK;
}

static enum ec_status add_class(const struct fit *f, const struct ec_parallel_constants *c,
                                const struct class *k, struct ec_buf *out, struct ec_err *err)
{
    static const struct {
        const char *name;
        double from_bytes, to_bytes; /* 0: any */
    } sizes[] = {
        {"up to 64 KiB",     0,        65536   },
        { "64 KiB to 1 MiB", 65536,    1 << 20 },
        { "1 to 16 MiB",     1 << 20,  16 << 20},
        { "above 16 MiB",    16 << 20, 0       },
    };
    static const double counts[] = { 2, 3, 4, 8, 16, 32, 0 };
    int i, run;

    for (run = 0; run < (k->is_step && k->place == EC_PP_MACHINE ? 2 : 1); run++)
        for (i = k->is_step && k->place == EC_PP_MACHINES ? EC_LEN(counts) - 1 : 0;
             i < EC_LEN(counts); i++) {
            const struct slice s = { .name = run ? "more than 2 with a run on 2" : "all",
                                     .with_run = run,
                                     .devices = counts[i] };

            EC_PASS(add_slice(f, c, k, &s, out, err));
        }
    for (i = 0; !k->is_step && i < EC_LEN(sizes); i++) {
        const struct slice s = { .name = sizes[i].name,
                                 .from_bytes = sizes[i].from_bytes,
                                 .to_bytes = sizes[i].to_bytes };

        EC_PASS(add_slice(f, c, k, &s, out, err));
    }
    for (i = 0; !k->is_step && i < EC_ALGORITHM_COUNT; i++) {
        char name[64];
        const struct slice s = { .name = name, .algorithm = ec_algorithm_names[i] };

        (void)snprintf(name, sizeof name, "by %s", ec_algorithm_names[i]);
        EC_PASS(add_slice(f, c, k, &s, out, err));
    }
    EC_PASS(add_texts(f, c, k, offsetof(struct ec__parallel_row, source),
                      offsetof(struct slice, source), "source", out, err));
    EC_PASS(add_texts(f, c, k, offsetof(struct ec__parallel_row, device),
                      offsetof(struct slice, device), "device", out, err));
    if (k->is_step)
        EC_PASS(add_texts(f, c, k, offsetof(struct ec__parallel_row, what),
                          offsetof(struct slice, what), "network", out, err));
    return EC_OK;
}

static enum ec_status write_errors(const struct fit *f, const struct ec_parallel_constants *c,
                                   struct ec_err *err)
{
    struct ec_buf out = EC_BUF_INIT;
    enum ec_status st = EC_OK;
    int i;

    ec_buf_str(&out, "strategy,known,rows_of,devices,rows,median_ape_frac,mean_ape_frac,"
                     "p90_ape_frac,coverage_of_90_frac\n");
    for (i = 0; i < EC_LEN(classes); i++)
        EC_TRY(add_class(f, c, &classes[i], &out, err));
    EC_TRY(ec_file_put(f->rows.o->table_path, &out, err));
out:
    ec_buf_clear(&out);
    return st;
}

/* Every row with its predictions, to look at. */
static enum ec_status write_rows(const struct fit *f, struct ec_err *err)
{
    struct ec_buf out = EC_BUF_INIT;
    int i;

    ec_buf_str(&out, "source,device,what,devices,per_machine,bytes,measured_ns,perfect_ns,"
                     "predicted_ns,by_run_ns,unseen_ns\n");
    for (i = 0; i < f->rows.n; i++) {
        const struct ec__parallel_row *x = &f->rows.v[i];

        ec_buf_printf(&out, "%s,%s,%s,%.0f,%.0f,%.0f,%.6g,%.6g,%.6g,%.6g,%.6g\n", x->source,
                      x->device, x->what, x->q.at.devices, x->q.at.per_machine, x->q.gradient_bytes,
                      x->measured_ns, perfect(x), x->predicted_ns[EC_PB_ALONE],
                      x->predicted_ns[EC_PB_RUN], x->unseen_ns);
    }
    return ec_file_put(f->rows.o->rows_path, &out, err);
}

/* ------------------------------------------------------------------------------------------------
 * The constants */

static void write_width(const struct ec_parallel_width *w, const char *indent, struct ec_buf *out)
{
    ec_buf_printf(out, "%s{ %.4f, %.4f, %.4f, %d, %d },\n", indent, w->lo, w->mid, w->hi, w->n,
                  w->most_devices);
}

static void write_widths(const struct ec_parallel_constants *c, enum ec_strategy s,
                         struct ec_buf *out)
{
    static const char *const places[] = { "EC_PP_MACHINE", "EC_PP_MACHINES" };
    int p, b;

    ec_buf_printf(out, "        [EC_STRATEGY_%s] = {\n", ec_strategy_names[s]);
    for (p = 0; p < EC_PP_COUNT; p++) {
        ec_buf_printf(out, "            [%s] = {\n", places[p]);
        for (b = 0; b < EC_PB_COUNT; b++)
            write_width(&c->width[s][p][b], "                ", out);
        ec_buf_str(out, "            },\n");
    }
    ec_buf_str(out, "        },\n");
}

static enum ec_status write_constants(const struct ec__parallel_rows *r,
                                      const struct ec_parallel_constants *c, struct ec_err *err)
{
    static const char *const names[] = {
#define NAME(name, init, sd) #name,
        EC_PARALLEL_LIST(NAME)
#undef NAME
    };
    struct ec_buf out = EC_BUF_INIT;
    int i;

    ec_buf_printf(&out, "/* Written by `epochcast-lab parallel`; do not edit. %d rows. */\n", r->n);
    ec_buf_str(&out, "static const struct ec_parallel_constants parallel = {\n    .v = {\n");
    for (i = 0; i < EC_P_COUNT; i++)
        ec_buf_printf(&out, "        [EC_P_%s] = %.6g,\n", names[i], c->v[i]);
    ec_buf_str(&out, "    },\n    .width = {\n");
    for (i = 1; i < EC_STRATEGY_COUNT; i++)
        write_widths(c, (enum ec_strategy)i, &out);
    ec_buf_str(&out, "    },\n    .collective = {\n");
    for (i = 0; i < EC_CG_COUNT; i++)
        write_width(&c->collective[i], "        ", &out);
    ec_buf_str(&out, "    },\n};\n");
    return ec_file_put(r->o->out_path, &out, err);
}

enum ec_status ec_fit_parallel(const struct ec_fit_opts *opts, struct ec_err *err)
{
    struct ec_parallel_constants c = { 0 };
    struct fit f = { 0 };
    enum ec_status st;

    EC_TRY(ec__parallel_rows_read(&f.rows, opts, err));
    if (f.rows.n < 50)
        EC_TRY(ec_fail(err, EC_E_INPUT, "%s: %d usable rows of several devices, expected 50",
                       opts->data_dir, f.rows.n));
    f.of_fit = ec_alloc(sizeof *f.of_fit * (size_t)f.rows.n);
    EC_TRY(ec_allocated(f.of_fit, err));
    EC_TRY(fit(&f, NULL, c.v, err));
    EC_TRY(cross_validate(&f, err));
    EC_TRY(widths(&f.rows, &c, err));
    EC_TRY(collective_widths(&f.rows, &c, err));
    EC_TRY(write_constants(&f.rows, &c, err));
    if (opts->table_path)
        EC_TRY(write_errors(&f, &c, err));
    if (opts->rows_path)
        EC_TRY(write_rows(&f, err));
out:
    ec_free(f.of_fit);
    ec__parallel_rows_clear(&f.rows);
    return st;
}
