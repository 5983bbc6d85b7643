/* Reads the public tables of several devices: steps, each with the step on one device or on fewer
 * machines, and collectives. */
#include "lab/parallel_rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A row faster than this share of perfect scaling is left out: its two measurements are not of the
 * same work. */
#define IMPLAUSIBLE 0.85
/* Share of backward in a step, for networks that we do not have. */
#define BACKWARD_SHARE 0.6
/* Rows of a collective on the same devices count together like so many. */
#define ALIKE_ROWS 20.0
/* A reference at another batch, by so much of a logarithm, is as wrong by its two predictions as
 * the law is; farther ones count less. */
#define BATCH_DISTANCE 0.2

enum reason {
    USED,
#define REASON(id, said) LEFT_##id,
    EC_PARALLEL_REASONS(REASON)
#undef REASON
        REASONS
};

/* A source: a row of data/parallel.csv. Times are medians over the rows that agree in the columns
 * `alike`, those of two devices in `alike_two`; with a rate the ratio is of samples per second and
 * device, else of times. */
struct source {
    const char *table, *kind, *rows, *library, *devices, *what, *rate, *time, *alike, *alike_two,
        *group, *options;
    double bytes_each; /* of a unit of size, or of the gradient of a parameter */
    bool ring_only;    /* its library has no other algorithm */
    bool unseen;       /* a prediction with nothing measured is of the same work */
};

/* A table, with columns found by name. */
struct table {
    struct ec_csv csv;
    int row;
    const struct source *s;
};

/* ------------------------------------------------------------------------------------------------
 * Cells */

static const char *text(const struct table *t, const char *column)
{
    return ec_csv_text(&t->csv, t->row, column);
}

static double number_in(const struct ec_csv *csv, int row, const char *column)
{
    double v = 0;

    return ec_parse_double(ec_span_of(ec_csv_text(csv, row, column)), &v) && v > 0 ? v : 0;
}

static double number(const struct table *t, const char *column)
{
    return number_in(&t->csv, t->row, column);
}

static double devices_of(const struct table *t)
{
    return number(t, t->s->devices);
}

/* 1 in tables of one machine. */
static double machines_of(const struct table *t)
{
    return fmax(1, number(t, "num_nodes"));
}

/* "algorithm=NCCL": the cell begins with it. */
static bool begins(const struct table *t, const char *rule)
{
    struct ec_span rest = ec_span_of(rule), name;
    char column[64];

    if (!*rule || !ec_span_cut(&rest, '=', &name))
        return true;
    (void)snprintf(column, sizeof column, "%.*s", (int)name.len, name.p);
    return strncmp(text(t, column), rest.p, rest.len) == 0;
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

static double median(double *v, int n)
{
    if (!n)
        return 0;
    qsort(v, (size_t)n, sizeof *v, ec_by_double);
    return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

/* ------------------------------------------------------------------------------------------------
 * Networks and devices */

/* The name of a network in the zoo, or NULL for one that has its sizes in
 * data/parallel_networks.csv; *ret_row is its row there, -1: none. */
static const char *zoo_name(const struct ec__parallel_rows *r, const char *network, int *ret_row)
{
    int i;

    for (i = 0; i < r->networks.n_rows; i++)
        if (ec_str_eq(ec_csv_text(&r->networks, i, "name"), network))
            break;
    *ret_row = i < r->networks.n_rows ? i : -1;
    if (*ret_row < 0)
        return network;
    return number_in(&r->networks, i, "parameters") > 0 ? NULL
                                                        : ec_csv_text(&r->networks, i, "zoo");
}

/* Parameters and parameter tensors. */
static bool size_of(struct ec__parallel_rows *r, const char *network, double *ret_params,
                    double *ret_tensors)
{
    struct ec_predict_opts o;
    const struct ec_step *step = NULL;
    const struct ec_graph *g = NULL;
    struct ec_memory m;
    int row;
    const char *zoo = zoo_name(r, network, &row);

    if (!zoo) {
        *ret_params = number_in(&r->networks, row, "parameters");
        *ret_tensors = number_in(&r->networks, row, "tensors");
        return true;
    }
    ec_predict_opts_default(&o);
    o.cond.optimizer = EC_OPT_sgd;
    if (ec_predictor_network(r->predictor, zoo, &o, &g, &step, NULL) ||
        ec_cost_memory(g, &o.cond, &m, NULL))
        return false;
    *ret_params = m.weights / 4;
    *ret_tensors = (double)step->n_param_tensors;
    return true;
}

/* What data/parallel_rates.csv has of the network of the machines of a row; 0: what is usual. */
static double network_rate(const struct ec__parallel_rows *r, const struct table *t)
{
    int i;

    for (i = 0; i < r->rates.n_rows; i++)
        if (ec_str_eq(ec_csv_text(&r->rates, i, "table"), t->s->table) &&
            ec_conditions_pass(&t->csv, t->row, ec_csv_text(&r->rates, i, "rows")))
            return number_in(&r->rates, i, "network_bytes_per_s");
    return 0;
}

static bool topology_of(const struct ec__parallel_rows *r, const struct table *t,
                        struct ec_topology *ret)
{
    const char *link = text(t, "gpu_link");
    struct ec_topology_wish wish = {
        .devices = (int64_t)devices_of(t),
        .per_machine = (int64_t)ceil(devices_of(t) / machines_of(t)),
        .link = ec_str_eq(link, "nvlink")          ? EC_LINK_nvlink
                : ec_str_eq(link, "nvlink_bridge") ? EC_LINK_bridge
                : ec_str_eq(link, "pcie")          ? EC_LINK_pcie
                                                   : EC_LINK_auto,
        .network_bytes_per_s = network_rate(r, t),
    };
    const struct ec_device *d = NULL;

    return !ec_device_find(text(t, "device"), &d, NULL) && !ec_device_topology(d, &wish, ret, NULL);
}

/* ------------------------------------------------------------------------------------------------
 * Rows */

static enum ec_status add(struct ec__parallel_rows *r, struct ec__parallel_row *x,
                          const struct table *t, const char *what, struct ec_err *err)
{
    EC_PASS(ec_grow(&r->v, &r->cap, r->n + 1, sizeof *r->v, err));
    x->source = ec_arena_str(&r->a, t->s->table);
    x->device = ec_arena_str(&r->a, text(t, "device"));
    x->group = ec_arena_str(&r->a, text(t, t->s->group));
    x->what = ec_arena_str(&r->a, what);
    EC_PASS(ec_allocated(x->source && x->device && x->group && x->what, err));
    if (x->weight <= 0)
        x->weight = 1;
    r->v[r->n++] = *x;
    return EC_OK;
}

static enum ec_collective collective_of(const char *word)
{
    int i;

    for (i = 0; ec_collective_names[i]; i++)
        if (ec_str_eq(ec_collective_names[i], word))
            return (enum ec_collective)i;
    return EC_COLLECTIVE_all_reduce;
}

/* Tables of one collective have no column with its name. */
static enum ec_status add_collective(struct ec__parallel_rows *r, const struct table *t,
                                     enum reason *ret, struct ec_err *err)
{
    struct ec__parallel_row x = { .kind = collective_of(text(t, "collective")),
                                  .ring_only = t->s->ring_only,
                                  .measured_ns = 1e6 * number(t, t->s->time),
                                  .q.gradient_bytes = t->s->bytes_each * number(t, t->s->what) };
    int i, alike = 0;

    *ret = x.measured_ns <= 0 ? LEFT_time : !topology_of(r, t, &x.q.at) ? LEFT_unknown : USED;
    if (*ret)
        return EC_OK;
    for (i = 0; i < t->csv.n_rows; i++)
        alike += same(t, i, "device collective") && same(t, i, t->s->devices);
    x.weight = fmin(1, ALIKE_ROWS / alike);
    return add(r, &x, t, ec_collective_names[x.kind], err);
}

/* The time of a sample on one of the devices, where the source has a rate, else that of a step. */
static double ratio_ns(const struct table *t)
{
    double rate = number(t, t->s->rate);

    if (!ec_conditions_pass(&t->csv, t->row, t->s->rows))
        return 0;
    if (!*t->s->rate)
        return 1e6 * number(t, t->s->time);
    return rate > 0 ? 1e9 * devices_of(t) / rate : 0;
}

static double step_ns(const struct table *t)
{
    return ratio_ns(t) > 0 ? 1e6 * number(t, t->s->time) : 0;
}

/* Median over the rows of so many devices that pass `use`; 0: none. */
static double median_of(const struct table *t, double devices, const char *columns,
                        double (*use)(const struct table *t))
{
    struct table at = *t;
    double v[256];
    int n = 0;

    for (at.row = 0; at.row < t->csv.n_rows && n < EC_LEN(v); at.row++)
        if (devices_of(&at) == devices && same(t, at.row, columns) && use(&at) > 0)
            v[n++] = use(&at);
    return median(v, n);
}

static enum ec_strategy strategy_of(const char *word)
{
    int i;

    for (i = 0; ec_strategy_names[i]; i++)
        if (ec_str_eq(ec_strategy_names[i], word))
            return (enum ec_strategy)i;
    return EC_STRATEGY_ddp;
}

/* Sizes and place of a step; alone_ns is known. */
static enum reason describe(struct ec__parallel_rows *r, const struct table *t,
                            struct ec__parallel_row *x)
{
    double params = 0;

    if (!size_of(r, text(t, t->s->what), &params, &x->q.tensors) || !topology_of(r, t, &x->q.at))
        return LEFT_unknown;
    if (ec_str_eq(text(t, "precision"), "fp16"))
        params /= 2;
    x->is_step = true;
    x->q.strategy = strategy_of(t->s->kind);
    x->q.parameter_bytes = x->q.gradient_bytes = t->s->bytes_each * params;
    return USED;
}

/* A step on several devices of a machine beside the median of those on one, and on two. */
static enum ec_status add_step(struct ec__parallel_rows *r, const struct table *t, enum reason *ret,
                               struct ec_err *err)
{
    struct ec__parallel_row x = { 0 };
    double several = ratio_ns(t), one = median_of(t, 1, t->s->alike, ratio_ns), two = 0;

    if (*t->s->alike_two)
        two = median_of(t, 2, t->s->alike_two, ratio_ns);
    x.q.alone_ns = median_of(t, 1, t->s->alike, step_ns);
    *ret = devices_of(t) < 2               ? LEFT_one
           : several <= 0                  ? LEFT_time
           : one <= 0 || x.q.alone_ns <= 0 ? LEFT_reference
           : several < IMPLAUSIBLE * one   ? LEFT_implausible
                                           : describe(r, t, &x);
    if (*ret)
        return EC_OK;
    x.q.backward_ns = BACKWARD_SHARE * x.q.alone_ns;
    x.measured_ns = several / one * x.q.alone_ns;
    x.runs.alone_ns = x.q.alone_ns;
    if (two >= IMPLAUSIBLE * one && devices_of(t) > 2) {
        x.runs.several_ns = two / one * x.q.alone_ns;
        x.runs.devices = 2;
    }
    return add(r, &x, t, text(t, t->s->what), err);
}

/* ------------------------------------------------------------------------------------------------
 * Several machines. Sources have no step of one device, and more machines have smaller batches for
 * each device: the run on the fewest machines is taken to another batch by two predictions. */

static double batch_of(const struct table *t)
{
    return number(t, "global_batch_size") / devices_of(t);
}

/* The step of one device at the batch of a row; 0: it cannot be predicted. */
static double predict_alone(struct ec__parallel_rows *r, const struct table *t,
                            double *ret_backward_share)
{
    struct ec_span rest = ec_span_of(t->s->options), name, word;
    struct ec_predict_opts o;
    struct ec_prediction p;
    int row;
    const char *zoo = zoo_name(r, text(t, t->s->what), &row);

    ec_predict_opts_default(&o);
    while (rest.len && ec_span_cut(&rest, ' ', &word)) {
        char key[64], value[64];

        (void)ec_span_cut(&word, '=', &name);
        (void)snprintf(key, sizeof key, "%.*s", (int)name.len, name.p);
        (void)snprintf(value, sizeof value, "%.*s", (int)word.len, word.p);
        if (ec_predict_opts_set(&o, key, value, NULL))
            return 0;
    }
    o.batch = (int64_t)fmax(1, round(batch_of(t)));
    if (!zoo || ec_predict_network(r->predictor, zoo, text(t, "device"), &o, &p, NULL))
        return 0;
    *ret_backward_share = p.backward_ns / p.device_ns;
    return p.step_time_ns.p50;
}

/* Rows of the same run: on how many machines, and how far their batches are from this one's. */
struct reference {
    double machines, distance;
};

static bool refers(const struct table *t, const struct table *at)
{
    return step_ns(at) > 0 && same(t, at->row, t->s->alike) && same(t, at->row, t->s->what);
}

static struct reference reference_of(const struct table *t, const struct table *at)
{
    return (struct reference){ machines_of(at), fabs(log(batch_of(at) / batch_of(t))) };
}

/* On the fewest machines, at the nearest batch; false: there are none on fewer. */
static bool find_reference(const struct table *t, struct reference *ret)
{
    struct reference best = { machines_of(t), 0 };
    struct table at = *t;

    for (at.row = 0; at.row < t->csv.n_rows; at.row++) {
        struct reference one = reference_of(t, &at);

        if (refers(t, &at) && (one.machines < best.machines ||
                               (one.machines == best.machines && one.distance < best.distance)))
            best = one;
    }
    *ret = best;
    return best.machines < machines_of(t);
}

/* Its step at the batch of this row: the median of what each of its rows says. */
static double run_at_batch(struct ec__parallel_rows *r, const struct table *t,
                           const struct reference *of, double alone_ns, double *ret_devices)
{
    struct table at = *t;
    double v[64], share;
    int n = 0;

    for (at.row = 0; at.row < t->csv.n_rows && n < EC_LEN(v); at.row++) {
        struct reference one = reference_of(t, &at);
        double there;

        if (!refers(t, &at) || one.machines != of->machines || one.distance > of->distance)
            continue;
        there = predict_alone(r, &at, &share);
        if (there > 0)
            v[n++] = step_ns(&at) * alone_ns / there;
        *ret_devices = devices_of(&at);
    }
    return median(v, n);
}

/* Others have links of their own between machines. */
static bool is_gpu(const struct table *t)
{
    const struct ec_device *d = NULL;

    return !ec_device_find(text(t, "device"), &d, NULL) && d->kind == EC_DEV_GPU;
}

static enum ec_status add_machines(struct ec__parallel_rows *r, const struct table *t,
                                   enum reason *ret, struct ec_err *err)
{
    struct ec__parallel_row x = { .measured_ns = step_ns(t) };
    struct reference of = { 0 };
    double alone = 0, share = 0;

    *ret = !is_gpu(t)                ? LEFT_other
           : x.measured_ns <= 0      ? LEFT_time
           : !find_reference(t, &of) ? LEFT_reference
           : describe(r, t, &x)      ? LEFT_unknown
                                     : USED;
    if (!*ret && (alone = predict_alone(r, t, &share)) <= 0)
        *ret = LEFT_unknown;
    if (*ret)
        return EC_OK;
    x.runs.several_ns = run_at_batch(r, t, &of, alone, &x.runs.devices);
    if (x.runs.several_ns <= 0) {
        *ret = LEFT_reference;
        return EC_OK;
    }
    x.weight = 1 / (1 + pow(of.distance / BATCH_DISTANCE, 2));
    x.q.alone_ns = x.runs.several_ns;
    x.q.backward_ns = share * x.q.alone_ns;
    x.unseen_ns = t->s->unseen ? alone : 0;
    return add(r, &x, t, text(t, t->s->what), err);
}

/* ------------------------------------------------------------------------------------------------
 * Tables */

static void say_used(const struct ec__parallel_rows *r, const struct table *t, const int *n)
{
    static const char *const said[] = { "used",
#define SAID(id, text_) text_,
                                        EC_PARALLEL_REASONS(SAID)
#undef SAID
    };
    int i;

    ec__fit_say(r->o, "%s, %s: %d rows, %d used", t->s->table, t->s->kind, t->csv.n_rows, n[USED]);
    for (i = 1; i < REASONS; i++)
        if (n[i])
            ec__fit_say(r->o, "    %5d %s", n[i], said[i]);
}

static enum ec_status read_source(struct ec__parallel_rows *r, const struct source *s,
                                  struct ec_err *err)
{
    enum ec_status (*add_row)(struct ec__parallel_rows *, const struct table *, enum reason *,
                              struct ec_err *) = ec_str_eq(s->kind, "collective") ? add_collective
                                                 : ec_str_eq(s->kind, "machines") ? add_machines
                                                                                  : add_step;
    struct table t = { .s = s };
    int n[REASONS] = { 0 };
    char path[1024];
    enum ec_status st;

    (void)snprintf(path, sizeof path, "%s/%s", r->o->data_dir, s->table);
    EC_TRY(ec_csv_read(path, &t.csv, err));
    for (t.row = 0; t.row < t.csv.n_rows; t.row++) {
        enum reason why = LEFT_condition;

        if (ec_conditions_pass(&t.csv, t.row, s->rows))
            why = begins(&t, s->library) ? USED : LEFT_library;
        if (why == USED)
            EC_TRY(add_row(r, &t, &why, err));
        n[why]++;
    }
    say_used(r, &t, n);
out:
    ec_csv_clear(&t.csv);
    return st;
}

static enum ec_status read_sources(struct ec__parallel_rows *r, struct ec_err *err)
{
    struct table t = { 0 };
    enum ec_status st;

    EC_TRY(ec__parallel_sources(&t.csv, err));
    for (t.row = 0; t.row < t.csv.n_rows; t.row++) {
        const struct source s = { .table = text(&t, "table"),
                                  .kind = text(&t, "kind"),
                                  .rows = text(&t, "rows"),
                                  .library = text(&t, "library"),
                                  .devices = text(&t, "devices"),
                                  .what = text(&t, "what"),
                                  .rate = text(&t, "rate"),
                                  .time = text(&t, "time"),
                                  .alike = text(&t, "alike"),
                                  .alike_two = text(&t, "alike_two"),
                                  .group = text(&t, "group"),
                                  .options = text(&t, "options"),
                                  .bytes_each = number(&t, "bytes_each"),
                                  .ring_only = number(&t, "ring_only") > 0,
                                  .unseen = number(&t, "unseen") > 0 };

        EC_TRY(read_source(r, &s, err));
    }
out:
    ec_csv_clear(&t.csv);
    return st;
}

enum ec_status ec__parallel_rows_read(struct ec__parallel_rows *r, const struct ec_fit_opts *opts,
                                      struct ec_err *err)
{
    r->o = opts;
    EC_PASS(ec_predictor_new(&r->predictor, err));
    EC_PASS(ec__parallel_networks(&r->networks, err));
    EC_PASS(ec__parallel_rates(&r->rates, err));
    return read_sources(r, err);
}

void ec__parallel_rows_clear(struct ec__parallel_rows *r)
{
    ec_free(r->v);
    ec_arena_clear(&r->a);
    ec_predictor_free(r->predictor);
    ec_csv_clear(&r->networks);
    ec_csv_clear(&r->rates);
}
