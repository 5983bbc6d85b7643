/* Fits the constants of several devices, and tests them on held-out devices.
 *
 * A row is a step on several devices with the step on one (same network, precision, batch per
 * device, software), or an all-reduce. The ratio of the two times is fitted. */
#include "model/model.h"
#include "lab/fit_internal.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIGMA_STEP 0.03
#define SIGMA_REDUCE 0.3
/* A row faster than this share of perfect scaling is excluded: its two measurements are not of the
 * same work. */
#define IMPLAUSIBLE 0.85
/* Share of backward in a step, for networks that we do not have. */
#define BACKWARD_SHARE 0.6

struct row {
    struct ec_parallel_job q; /* reduce: gradient_bytes are what is reduced */
    struct ec_parallel_runs runs;
    bool reduce;
    double measured_ns;
    const char *group; /* left out together */
    const char *device, *what;
    double predicted_ns[EC_PB_COUNT]; /* by a fit without its group */
};

/* A table, with columns found by name. */
struct table {
    struct ec_csv csv;
    int row;
};

struct rows {
    struct table networks;
    const struct ec_fit_opts *o;
    struct ec_predictor *predictor;
    struct ec_arena a;
    struct row *v;
    int n, cap;
    int *of_fit; /* rows that take part in a fit */
    int n_fit;
};

/* ------------------------------------------------------------------------------------------------
 * Tables */

static const char *text(const struct table *t, const char *column)
{
    return ec_csv_cell(&t->csv, t->row, ec_csv_col(&t->csv, column));
}

static double number(const struct table *t, const char *column)
{
    double v = 0;

    return ec_parse_double(ec_span_of(text(t, column)), &v) && v > 0 ? v : 0;
}

/* Rows of data/parallel_networks.csv: other names for networks of the zoo, and the sizes of those
 * that we do not build, as their authors or NVIDIA's model cards give them. */
static bool size_of(struct rows *r, const char *network, double *ret_params, double *ret_tensors)
{
    struct table t = r->networks;
    struct ec_predict_opts o;
    const struct ec_step *step = NULL;
    const struct ec_graph *g = NULL;
    struct ec_memory m;

    for (t.row = 0; t.row < t.csv.n_rows; t.row++)
        if (ec_str_eq(text(&t, "name"), network)) {
            *ret_params = number(&t, "parameters");
            *ret_tensors = number(&t, "tensors");
            if (*ret_params > 0)
                return true;
            network = text(&t, "zoo");
            break;
        }
    ec_predict_opts_default(&o);
    o.cond.optimizer = EC_OPT_sgd;
    if (ec_predictor_network(r->predictor, network, &o, &g, &step, NULL) ||
        ec_memory_parts(g, &o.cond, &m, NULL))
        return false;
    *ret_params = m.weights / 4;
    *ret_tensors = (double)step->n_param_tensors;
    return true;
}

static enum ec_status add(struct rows *r, struct row *x, const struct table *t, const char *group,
                          const char *what, struct ec_err *err)
{
    enum ec_status st = ec_grow(&r->v, &r->cap, r->n + 1, sizeof *r->v, err);

    if (st)
        return st;
    x->device = ec_arena_str(&r->a, text(t, "device"));
    x->group = ec_arena_str(&r->a, group);
    x->what = ec_arena_str(&r->a, what);
    if (!x->device || !x->group || !x->what)
        return ec_nomem(err);
    r->v[r->n++] = *x;
    return EC_OK;
}

static bool reach_of(const char *device, const char *link, double devices, struct ec_reach *ret)
{
    const struct ec_device *d = NULL;
    enum ec_link want = ec_str_eq(link, "nvlink")          ? EC_LINK_nvlink
                        : ec_str_eq(link, "nvlink_bridge") ? EC_LINK_bridge
                        : ec_str_eq(link, "pcie")          ? EC_LINK_pcie
                                                           : EC_LINK_auto;

    return !ec_device_find(device, &d, NULL) &&
           !ec_device_reach(d, want, (int64_t)devices, ret, NULL);
}

/* A source: a row of data/parallel.csv. Times are medians over the rows that agree in the columns
 * `alike`, those of two devices in `alike_two`; with a rate the ratio is of samples per second and
 * device, else of times. */
struct source {
    const char *table, *strategy, *rows, *rate, *time, *alike, *alike_two, *group;
};

/* All-reduce inside one machine. */
static enum ec_status add_reduce(struct rows *r, const struct table *t, const struct source *s,
                                 struct ec_err *err)
{
    struct row x = { .reduce = true, .measured_ns = 1e6 * number(t, s->time) };

    x.q.devices = number(t, "num_devices");
    x.q.gradient_bytes = 4 * number(t, "num_floats");
    if (!ec_conditions_pass(&t->csv, t->row, s->rows) ||
        !reach_of(text(t, "device"), "pcie", x.q.devices, &x.q.reach))
        return EC_OK;
    return add(r, &x, t, text(t, s->group), "all_reduce", err);
}

/* Columns that two rows of a table share when they are the same run on another number of devices.
 */
static bool same(const struct table *t, int row, const char *columns)
{
    struct ec_span rest = ec_span_of(columns), word;
    char name[64];

    while (rest.p && ec_span_cut(&rest, ' ', &word)) {
        int col;

        (void)snprintf(name, sizeof name, "%.*s", (int)word.len, word.p);
        col = ec_csv_col(&t->csv, name);

        if (!ec_str_eq(ec_csv_cell(&t->csv, t->row, col), ec_csv_cell(&t->csv, row, col)))
            return false;
    }
    return true;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Median over the rows of so many devices that pass `use`; 0: none. */
static double median_of(const struct table *t, const struct source *s, double devices,
                        const char *columns,
                        double (*use)(const struct table *t, const struct source *s))
{
    struct table at = *t;
    double v[256];
    int n = 0;

    for (at.row = 0; at.row < t->csv.n_rows && n < EC_LEN(v); at.row++)
        if (number(&at, "num_gpus") == devices && same(t, at.row, columns) && use(&at, s) > 0)
            v[n++] = use(&at, s);
    if (!n)
        return 0;
    qsort(v, (size_t)n, sizeof *v, by_value);
    return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

/* One row of several devices with its runs; ratio is of the time for the work of one device. */
static enum ec_status add_step(struct rows *r, struct row *x, const struct table *t,
                               const char *network, double ratio, double ratio_two,
                               const char *group, struct ec_err *err)
{
    double params = 0;

    x->q.devices = number(t, "num_gpus");
    if (x->q.alone_ns <= 0 || ratio < IMPLAUSIBLE || !size_of(r, network, &params, &x->q.tensors) ||
        !reach_of(text(t, "device"), text(t, "gpu_link"), x->q.devices, &x->q.reach))
        return EC_OK;
    if (ec_str_eq(text(t, "precision"), "fp16"))
        params /= 2;
    x->q.parameter_bytes = x->q.gradient_bytes = 4 * params;
    x->q.backward_ns = BACKWARD_SHARE * x->q.alone_ns;
    x->measured_ns = ratio * x->q.alone_ns;
    x->runs.alone_ns = x->q.alone_ns;
    if (ratio_two >= IMPLAUSIBLE && x->q.devices > 2) {
        x->runs.several_ns = ratio_two * x->q.alone_ns;
        x->runs.devices = 2;
    }
    return add(r, x, t, group, network, err);
}

/* The time of a sample on one of the devices, where the source has a rate, else that of a step. */
static double ratio_ns(const struct table *t, const struct source *s)
{
    double rate = number(t, s->rate);

    if (!ec_conditions_pass(&t->csv, t->row, s->rows))
        return 0;
    if (!*s->rate)
        return 1e6 * number(t, s->time);
    return rate > 0 ? 1e9 * number(t, "num_gpus") / rate : 0;
}

static double step_ns(const struct table *t, const struct source *s)
{
    return ratio_ns(t, s) > 0 ? 1e6 * number(t, s->time) : 0;
}

static enum ec_strategy strategy_of(const struct source *s)
{
    int i;

    for (i = 0; ec_strategy_names[i]; i++)
        if (ec_str_eq(ec_strategy_names[i], s->strategy))
            return (enum ec_strategy)i;
    return EC_STRATEGY_ddp;
}

/* A step on several devices beside the median of those on one, and on two. */
static enum ec_status add_steps(struct rows *r, const struct table *t, const struct source *s,
                                struct ec_err *err)
{
    struct row x = { .q.strategy = strategy_of(s) };
    double several = ratio_ns(t, s), one, two;

    if (number(t, "num_gpus") < 2 || several <= 0)
        return EC_OK;
    one = median_of(t, s, 1, s->alike, ratio_ns);
    two = *s->alike_two ? median_of(t, s, 2, s->alike_two, ratio_ns) : 0;
    if (one <= 0)
        return EC_OK;
    x.q.alone_ns = median_of(t, s, 1, s->alike, step_ns);
    return add_step(r, &x, t, text(t, "network"), several / one, two / one, text(t, s->group), err);
}

static enum ec_status read_source(struct rows *r, const struct source *s, struct ec_err *err)
{
    bool reduce = ec_str_eq(s->strategy, "all_reduce");
    struct table t = { 0 };
    char path[1024];
    int before = r->n;
    enum ec_status st;

    (void)snprintf(path, sizeof path, "%s/%s", r->o->data_dir, s->table);
    EC_TRY(ec_csv_read(path, &t.csv, err));
    for (t.row = 0; t.row < t.csv.n_rows; t.row++)
        EC_TRY((reduce ? add_reduce : add_steps)(r, &t, s, err));
    ec__fit_say(r->o, "%-42s %5d rows, %4d used", s->table, t.csv.n_rows, r->n - before);
out:
    ec_csv_clear(&t.csv);
    return st;
}

static enum ec_status read_tables(struct rows *r, struct ec_err *err)
{
    struct table t = { 0 };
    enum ec_status st;

    EC_TRY(ec__parallel_networks(&r->networks.csv, err));
    EC_TRY(ec__parallel_sources(&t.csv, err));
    for (t.row = 0; t.row < t.csv.n_rows; t.row++) {
        const struct source s = { .table = text(&t, "table"),
                                  .strategy = text(&t, "strategy"),
                                  .rows = text(&t, "rows"),
                                  .rate = text(&t, "rate"),
                                  .time = text(&t, "time"),
                                  .alike = text(&t, "alike"),
                                  .alike_two = text(&t, "alike_two"),
                                  .group = text(&t, "group") };

        EC_TRY(read_source(r, &s, err));
    }
out:
    ec_csv_clear(&t.csv);
    return st;
}

/* ------------------------------------------------------------------------------------------------
 * Fitting */

static void values_of(const double *x, double v[EC_P_COUNT])
{
    static const double init[] = {
#define INIT(name, init_, sd) init_,
        EC_PARALLEL_LIST(INIT)
#undef INIT
    };
    int i;

    for (i = 0; i < EC_P_COUNT; i++)
        v[i] = init[i] * exp(x[i]);
}

static double predicted(const struct row *r, const double *v)
{
    struct ec_parallel_time t;

    if (r->reduce)
        return ec_all_reduce_ns(&r->q.reach, r->q.devices, r->q.gradient_bytes, v);
    ec_parallel_time(&r->q, v, &t);
    return t.step_ns;
}

static double residual(const void *ctx, const double *x, int i)
{
    const struct rows *r = ctx;
    const struct row *row = &r->v[r->of_fit[i]];
    double v[EC_P_COUNT];

    values_of(x, v);
    return log(predicted(row, v) / row->measured_ns) / (row->reduce ? SIGMA_REDUCE : SIGMA_STEP);
}

/* Without the rows of a group and strategy; NULL: with all. */
static enum ec_status fit(struct rows *r, const char *without, double v[EC_P_COUNT],
                          struct ec_err *err)
{
    static const double sd[] = {
#define SD(name, init, sd_) sd_,
        EC_PARALLEL_LIST(SD)
#undef SD
    };
    double x[EC_P_COUNT] = { 0 }, loss = 0;
    struct ec_lm_problem p = { .n_params = EC_P_COUNT,
                               .ctx = r,
                               .residual = residual,
                               .prior_sd = sd,
                               .huber = 1,
                               .max_iterations = (int)r->o->iterations,
                               .n_threads = (int)r->o->threads };
    enum ec_status st;
    int i;

    for (i = r->n_fit = 0; i < r->n; i++)
        if (!without || !ec_str_eq(r->v[i].group, without))
            r->of_fit[r->n_fit++] = i;
    p.n_rows = r->n_fit;
    st = ec_lm_fit(&p, x, &loss, err);
    values_of(x, v);
    return st;
}

/* Each group by a fit that had not seen it. */
static enum ec_status cross_validate(struct rows *r, struct ec_err *err)
{
    enum ec_status st = EC_OK;
    int i, j;

    for (i = 0; i < r->n; i++) {
        double v[EC_P_COUNT];

        if (r->v[i].predicted_ns[EC_PB_ALONE] > 0)
            continue;
        EC_TRY(fit(r, r->v[i].group, v, err));
        for (j = i; j < r->n; j++) {
            struct row *x = &r->v[j];

            if (!ec_str_eq(x->group, r->v[i].group))
                continue;
            x->predicted_ns[EC_PB_ALONE] = predicted(x, v);
            if (x->runs.several_ns > 0)
                x->predicted_ns[EC_PB_RUN] = ec_parallel_from_runs(&x->q, &x->runs, v);
        }
    }
out:
    return st;
}

static enum ec_status widths(const struct rows *r, struct ec_parallel_constants *c,
                             struct ec_err *err)
{
    double *v = ec_alloc(sizeof *v * ((size_t)r->n + 1));
    int s, b, i, n;

    if (!v)
        return ec_nomem(err);
    for (s = 1; s < EC_STRATEGY_COUNT; s++)
        for (b = 0; b < EC_PB_COUNT; b++) {
            for (i = n = 0; i < r->n; i++)
                if (!r->v[i].reduce && (int)r->v[i].q.strategy == s && r->v[i].predicted_ns[b] > 0)
                    v[n++] = log(r->v[i].measured_ns / r->v[i].predicted_ns[b]);
            c->width[s][b] = (struct ec_parallel_width){ .n = n };
            if (n < 20)
                continue;
            c->width[s][b].lo = ec_quantile_inplace(v, n, 0.05);
            c->width[s][b].mid = ec_quantile_inplace(v, n, 0.5);
            c->width[s][b].hi = ec_quantile_inplace(v, n, 0.95);
        }
    ec_free(v);
    for (i = 0; i < r->n; i++)
        c->most_devices = (int)fmax(c->most_devices, r->v[i].q.devices);
    return EC_OK;
}

/* ------------------------------------------------------------------------------------------------
 * Results */

static const char *const method_names[] = { "perfect scaling", "one device known",
                                            "one device and two devices known" };

static double guess(const struct row *x, int method)
{
    return method ? x->predicted_ns[method - 1] : x->q.alone_ns;
}

static enum ec_status add_errors(const struct rows *r, const struct ec_parallel_constants *c,
                                 int strategy, int method, int devices, bool with_run,
                                 struct ec_buf *out, struct ec_err *err)
{
    size_t n_max = ((size_t)r->n + 1);
    double *y = ec_alloc(4 * n_max * sizeof *y), *p = y + n_max, *lo = p + n_max, *hi = lo + n_max;
    struct ec_metrics m;
    enum ec_status st = EC_OK;
    int i, n = 0;

    if (!y)
        return ec_nomem(err);
    for (i = 0; i < r->n; i++) {
        const struct row *x = &r->v[i];
        const struct ec_parallel_width *w = &c->width[strategy][method ? method - 1 : 0];

        if (x->reduce || (int)x->q.strategy != strategy || guess(x, method) <= 0 ||
            (devices && x->q.devices != devices) || (with_run && x->runs.several_ns <= 0))
            continue;
        y[n] = x->measured_ns;
        p[n] = guess(x, method) * (method ? exp(w->mid) : 1);
        lo[n] = guess(x, method) * exp(w->lo);
        hi[n] = guess(x, method) * exp(w->hi);
        n++;
    }
    if (n) {
        EC_TRY(ec_metrics_compute(y, p, method ? lo : NULL, method ? hi : NULL, n, &m, err));
        ec_buf_printf(out, "%s,%s,%s,", ec_strategy_names[strategy], method_names[method],
                      with_run ? "more than 2 with a run on 2" : "all");
        if (devices)
            ec_buf_printf(out, "%d", devices);
        else
            ec_buf_str(out, "all");
        ec_buf_printf(out, ",%d,%.4f,%.4f,%.4f,", n, m.median_ape, m.mean_ape, m.p90_ape);
        if (method)
            ec_buf_printf(out, "%.4f", m.coverage);
        ec_buf_char(out, '\n');
    }
out:
    ec_free(y);
    return st;
}

static enum ec_status write_errors(const struct rows *r, const struct ec_parallel_constants *c,
                                   struct ec_err *err)
{
    static const int counts[] = { 2, 3, 4, 8, 16, 0 };
    struct ec_buf out = EC_BUF_INIT;
    enum ec_status st = EC_OK;
    int s, m, i, run;

    ec_buf_str(&out, "strategy,known,rows_of,devices,rows,median_ape_frac,mean_ape_frac,"
                     "p90_ape_frac,coverage_of_90_frac\n");
    for (s = 1; s < EC_STRATEGY_COUNT; s++)
        for (run = 0; run < 2; run++)
            for (m = 0; m < 2 + run; m++)
                for (i = 0; i < EC_LEN(counts); i++)
                    EC_TRY(add_errors(r, c, s, m, counts[i], run, &out, err));
    EC_TRY(ec_buf_status(&out, err));
    EC_TRY(ec_file_write(r->o->table_path, out.data, out.len, err));
out:
    ec_buf_clear(&out);
    return st;
}

static enum ec_status write_constants(const struct rows *r, const struct ec_parallel_constants *c,
                                      struct ec_err *err)
{
    static const char *const names[] = {
#define NAME(name, init, sd) #name,
        EC_PARALLEL_LIST(NAME)
#undef NAME
    };
    struct ec_buf out = EC_BUF_INIT;
    enum ec_status st;
    int i, b;

    ec_buf_printf(&out, "/* Written by `epochcast-lab parallel`; do not edit. %d rows. */\n", r->n);
    ec_buf_str(&out, "static const struct ec_parallel_constants parallel = {\n    .v = {\n");
    for (i = 0; i < EC_P_COUNT; i++)
        ec_buf_printf(&out, "        [EC_P_%s] = %.6g,\n", names[i], c->v[i]);
    ec_buf_str(&out, "    },\n    .width = {\n");
    for (i = 1; i < EC_STRATEGY_COUNT; i++) {
        ec_buf_printf(&out, "        [EC_STRATEGY_%s] = {", ec_strategy_names[i]);
        for (b = 0; b < EC_PB_COUNT; b++) {
            const struct ec_parallel_width *w = &c->width[i][b];

            ec_buf_printf(&out, "\n            { %.4f, %.4f, %.4f, %d },", w->lo, w->mid, w->hi,
                          w->n);
        }
        ec_buf_str(&out, "\n        },\n");
    }
    ec_buf_printf(&out, "    },\n    .most_devices = %d,\n};\n", c->most_devices);
    EC_TRY(ec_buf_status(&out, err));
    EC_TRY(ec_file_write(r->o->out_path, out.data, out.len, err));
out:
    ec_buf_clear(&out);
    return st;
}

enum ec_status ec_fit_parallel(const struct ec_fit_opts *opts, struct ec_err *err)
{
    struct ec_parallel_constants c = { 0 };
    struct rows r = { .o = opts };
    enum ec_status st;

    EC_TRY(ec_predictor_new(&r.predictor, err));
    EC_TRY(read_tables(&r, err));
    if (r.n < 50)
        EC_TRY(ec_fail(err, EC_E_INPUT, "%s: %d usable rows of several devices, expected 50",
                       opts->data_dir, r.n));
    r.of_fit = ec_alloc(sizeof *r.of_fit * (size_t)r.n);
    if (!r.of_fit)
        EC_TRY(ec_nomem(err));
    EC_TRY(cross_validate(&r, err));
    EC_TRY(fit(&r, NULL, c.v, err));
    EC_TRY(widths(&r, &c, err));
    EC_TRY(write_constants(&r, &c, err));
    if (opts->table_path)
        EC_TRY(write_errors(&r, &c, err));
out:
    ec_free(r.of_fit);
    ec_free(r.v);
    ec_arena_clear(&r.a);
    ec_predictor_free(r.predictor);
    ec_csv_clear(&r.networks.csv);
    return st;
}
