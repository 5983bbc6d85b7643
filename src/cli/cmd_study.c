/* epochcast study: studies of measurements, on this machine or on public tables. */
#include "cli/cli.h"

#include <unistd.h>

#include "cli/measure_internal.h"
#include "cli/study_internal.h"
#include "measure/measure.h"
#include "report/report.h"

#include "study_cmd.h"
#include "cli_columns.h"

/* clang-format off */
#define RATIO(key_, title_)                                                                        \
    { .key = key_, .title = title_, .format = EC_COL_FIXED, .digits = 2 }

static const struct ec_col ratio_cols[] = {
    { .key = "network", .title = "network" },
    { .key = "batch", .title = "batch", .format = EC_COL_PLAIN },
    { .key = "whole_ns", .title = "whole step", .format = EC_COL_NS },
#define SUM_COL(name, holds, next) RATIO(#name "_ratio", #name),
    EC_SUM_LIST(SUM_COL)
#undef SUM_COL
    RATIO("tasks_ratio", "its tasks"),
    { .key = "layers", .title = "layers", .format = EC_COL_PLAIN },
    { .key = "left_out", .title = "left out", .format = EC_COL_PLAIN },
};

static const struct ec_col layer_cols[] = {
    { .key = "network", .title = "network" },
    { .key = "batch", .title = "batch", .format = EC_COL_PLAIN },
    { .key = "case", .title = "layer" },
    { .key = "count", .title = "count", .format = EC_COL_PLAIN },
    { .key = "needs_input_gradient", .title = "input gradient", .format = EC_COL_TEXT },
    { .key = "with", .title = "with", .format = EC_COL_TEXT },
#define LAYER_COL(name, holds, next) { .key = #name "_ns", .title = #name, .format = EC_COL_NS },
    EC_SUM_LIST(LAYER_COL)
#undef LAYER_COL
};
/* clang-format on */

struct study {
    struct ec_table ratios, parts, layers;
    double lowest,
        highest; /* smallest and largest ratio of the benchmark that trains input and target */
    double company_low,
        company_high; /* smallest and largest ratio of layers among their neighbour layers */
    int largest[EC_SUM_COUNT]; /* number of networks in which a part was the largest */
    int n;
    bool is_crowded; /* by other programs, so that ratios say little */
};

static void progress(void *user, const char *what, int done, int total)
{
    const bool *terminal = user;

    if (*terminal && done == total)
        ec_say_nothing_over();
    else if (*terminal)
        ec_say_over("%d of %d times of layers  %.60s", done, total, what);
    else if (done * 10 / total != (done - 1) * 10 / total)
        ec_say("%d of %d times of layers  %.60s\n", done, total, what);
}

static double lesser(double a, double b)
{
    return a < b ? a : b;
}

static void add_parts(struct study *s, const struct ec_composition *c)
{
    int i, largest = 0;
    double most = 0;

    for (i = 0; i < EC_SUM_COUNT; i++) {
        double next_ns = i + 1 < EC_SUM_COUNT ? c->sum_ns[i + 1] : c->whole_ns;
        double share = (c->sum_ns[i] - next_ns) / c->whole_ns;

        ec_table_row(&s->parts, ec_text(c->network), ec_int(c->batch),
                     ec_text(ec_sum_next((enum ec_sum)i)), ec_num(share));
        if (share > most) {
            most = share;
            largest = i;
        }
    }
    s->largest[largest]++;
}

static void add_layers(struct study *s, const struct ec_composition *c)
{
    int i, k;

    for (i = 0; i < c->n_layers; i++) {
        const struct ec_composed_layer *l = &c->layer[i];

        ec_table_row(&s->layers, ec_text(c->network), ec_int(c->batch), ec_text(l->what),
                     ec_int(l->count), ec_text(l->needs_input ? "yes" : "no"),
                     ec_text(l->fused  ? "its neighbour"
                             : l->then ? l->then
                                       : ""));
        for (k = 0; k < EC_SUM_COUNT; k++)
            ec_table_num(&s->layers, l->ns[k]);
    }
}

static void add(struct study *s, const struct ec_composition *c)
{
    double justus = c->sum_ns[EC_SUM_justus] / c->whole_ns;
    double company = c->sum_ns[EC_SUM_company] / c->whole_ns;
    int i;

    ec_table_row(&s->ratios, ec_text(c->network), ec_int(c->batch), ec_num(c->whole_ns));
    for (i = 0; i < EC_SUM_COUNT; i++)
        ec_table_num(&s->ratios, c->sum_ns[i] / c->whole_ns);
    ec_table_row(&s->ratios, ec_num(c->tasks_ns / c->whole_ns), ec_int(c->n_layers),
                 ec_int(c->n_left_out));
    add_parts(s, c);
    add_layers(s, c);
    s->lowest = s->n ? lesser(s->lowest, justus) : justus;
    s->highest = s->n ? -lesser(-s->highest, -justus) : justus;
    s->company_low = s->n ? lesser(s->company_low, company) : company;
    s->company_high = s->n ? -lesser(-s->company_high, -company) : company;
    s->n++;
}

static void put_span(struct ec_buf *out, double low, double high)
{
    ec_buf_printf(out, "%.2f", low);
    if (high > low)
        ec_buf_printf(out, " to %.2f", high);
}

/* Answers the four questions of the study of 2020 from the measurements. */
static void answers(const struct study *s, struct ec_buf *out)
{
    int i, largest = 0;

    for (i = 1; i < EC_SUM_COUNT; i++)
        if (s->largest[i] > s->largest[largest])
            largest = i;
    ec_buf_printf(out,
                  "\nWhy is the sum of isolated layers larger than the network? An isolated layer "
                  "does work that the network does not do:\n");
    for (i = 0; i + 1 < EC_SUM_COUNT; i++)
        ec_buf_printf(out, "  %s\n", ec_sum_next((enum ec_sum)i));
    ec_buf_printf(out, "Most often the largest part here: %s (%d of %d).\n",
                  ec_sum_next((enum ec_sum)largest), s->largest[largest], s->n);
    ec_buf_str(out, "Is the factor constant? Here it is ");
    put_span(out, s->lowest, s->highest);
    ec_buf_str(out, ".\n");
    ec_buf_printf(out, "Can it be predicted? Yes, as the sum of the parts above: `predict "
                       "--method justus-sum` does so for devices of the catalogue.\n");
    ec_buf_printf(out,
                  "Is there a benchmark without the overhead? %s: the times that one more copy of "
                  "each layer adds among its neighbour layers sum to ",
                  s->is_crowded
                      ? "These times do not say, because other programs took the processor"
                  : s->company_low > 0.8 && s->company_high < 1.25 ? "Yes"
                                                                   : "Not here");
    put_span(out, s->company_low, s->company_high);
    ec_buf_str(out, " of the step of the network.\n");
}

static enum ec_status print(struct ec_call *call, const struct study *s, struct ec_err *err)
{
    enum ec_table_form form = ec_forms_table(&call->forms);
    struct ec_json j;

    if (call->forms.csv)
        return ec_table_write(&s->ratios, EC_TABLE_CSV, &call->out, err);
    if (!call->forms.json) {
        EC_PASS(ec_table_write(&s->ratios, form, &call->out, err));
        ec_buf_str(&call->out, "\nSums of layers over the whole step; each way is without one "
                               "part of the way before:\n\n");
        EC_PASS(ec_table_write(&s->parts, form, &call->out, err));
        answers(s, &call->out);
        return EC_OK;
    }
    ec_json_document(&j, &call->out, 2, "epochcast.composition/1");
    EC_PASS(ec_table_json(&s->ratios, &j, "networks", err));
    EC_PASS(ec_table_json(&s->parts, &j, "parts", err));
    EC_PASS(ec_table_json(&s->layers, &j, "layers", err));
    ec_json_end(&j);
    return EC_OK;
}

static int count_all(const struct study_opts *o)
{
    return o->networks.n * (o->batch.n ? o->batch.n : 1);
}

/* After an interruption the results of the finished networks are printed. */
static enum ec_status compose_all(struct ec_call *call, const struct ec_measurer *m,
                                  struct study *s, struct ec_err *err)
{
    const struct study_opts *o = call->opts;
    bool terminal = isatty(STDERR_FILENO) != 0;
    enum ec_status st = EC_OK;
    int i, b;

    for (i = 0; i < o->networks.n; i++) {
        for (b = 0; b < o->batch.n || (!b && !o->batch.n); b++) {
            struct ec_compose_opts opts = {
                .graph = {.struct_size = sizeof opts.graph,
                          .batch = o->batch.n ? o->batch.v[b] : 0},
                .turns = (int)o->turns,
                .progress = progress,
                .user = &terminal
            };
            struct ec_composition c;

            st = ec_compose(m, o->networks.v[i], &opts, &c, err);
            if (st && ec_interrupted()) {
                ec_call_interrupted(call, "%s of %s, which is left out; %d of %d networks are done",
                                    err->text, o->networks.v[i], s->n, count_all(o));
                *err = (struct ec_err){ .status = EC_OK };
                return EC_OK;
            }
            EC_PASS(st);
            add(s, &c);
            s->is_crowded |= c.n_crowded && !o->clock;
            if (c.n_crowded && !o->clock)
                ec_say("note: other programs took the processor during %lld times of layers of "
                       "%s, up to %.0f %% of the time: the ratios say little; end the others or "
                       "say --clock thread --threads 1\n",
                       (long long)c.n_crowded, o->networks.v[i], 100 * c.crowded_frac);
            ec_composition_clear(&c);
        }
    }
    return EC_OK;
}

static enum ec_status study_families(struct ec_call *call, struct ec_err *err)
{
    const struct study_opts *o = call->opts;
    struct ec_study_families f = { .max_rows = o->max_rows,
                                   .seed = o->seed,
                                   .threads = o->engine.threads ? o->engine.threads : 1 };

    f.dirs = &o->networks;
    return ec__study_families(call, &f, err);
}

static enum ec_status study_composition(struct ec_call *call, struct ec_err *err)
{
    const struct study_opts *o = call->opts;
    struct ec_measurer m = { 0 };
    struct study s = { 0 };
    enum ec_status st;

    ec_table_init(&s.ratios, ratio_cols, EC_LEN(ratio_cols));
    ec_table_init(&s.parts, study_part_cols, EC_LEN(study_part_cols));
    ec_table_init(&s.layers, layer_cols, EC_LEN(layer_cols));
    m.protocol = o->protocol;
    m.cond = o->cond;
    m.stop = ec_interrupted;
    EC_TRY(ec_engine_open(&o->engine, &m.ctx, err));
    if (o->clock)
        EC_TRY(ec_engine_use_thread_clock(m.ctx, err));
    ec_interrupt_watch();
    EC_TRY(compose_all(call, &m, &s, err));
    ec_interrupt_end();
    if (!s.n)
        goto out;
    EC_TRY(print(call, &s, err));
    if (o->layers)
        EC_TRY(ec_table_save(&s.layers, o->layers, err));
out:
    ec_engine_close(m.ctx);
    ec_table_clear(&s.ratios);
    ec_table_clear(&s.parts);
    ec_table_clear(&s.layers);
    return st;
}
