/* epochcast evaluate: errors of predictions on tables of measurements. */
#include "cli/evaluate_internal.h"
#include "report/report.h"
#include "trace/trace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "evaluate_cmd.h"
#include "cli_columns.h"

/* The first column only where several methods stand side by side, the third only where the rows are
 * grouped in several ways. */
#define COL_BY 2
#define EVALUATE_WIDTH 80 /* sentences are broken there, or before where the terminal ends */

/* A terminal has 80 to 100 columns. */
#define TABLE_WIDTH 21
#define GROUP_WIDTH 16

static void add_group(struct ec_table *t, const struct evaluate_opts *o, int method, const char *by,
                      const char *name, const struct ec_group_errors *g)
{
    double unit = g->is_memory ? 0x1p30 : 1e6;

    if (o->all_methods)
        ec_table_text(t, ec_method_names[method]);
    ec_table_row(t, ec_text(g->mapping), ec_text(by), ec_text(name), ec_int(g->ours.n),
                 ec_num(g->ours.median_ape), ec_num(g->ours.mean_ape), ec_num(g->ours.p90_ape),
                 ec_num(g->ours.worst_ape), ec_num(g->ours.coverage), ec_num(g->ours.rmse / unit),
                 ec_num(g->ours.r2), ec_num(g->ours.bias));
    if (g->is_memory) {
        ec_table_row(t, ec_none(), ec_none(), ec_none(), ec_none());
        return;
    }
    ec_table_row(t, ec_num(g->roofline.median_ape), ec_num(g->roofline.mean_ape),
                 ec_num(g->flop.median_ape), ec_num(g->flop.mean_ape));
}

static void put(struct ec_buf *out, const char *cell)
{
    ec_buf_char(out, ',');
    ec_csv_put(out, cell);
}

static void put_number(struct ec_buf *out, double v)
{
    if (isfinite(v))
        ec_buf_printf(out, ",%.6g", v);
    else
        ec_buf_char(out, ',');
}

static void add_rows(const struct ec_judged_list *l, struct ec_buf *out)
{
    int i;

    for (i = 0; i < l->n; i++) {
        const struct ec_judged *j = &l->v[i];
        const struct ec_record *m = j->m;
        bool memory = ec_record_is_memory(m);
        const struct ec_interval *p = memory ? &j->memory : &j->ns;
        const double numbers[] = { memory ? m->memory_peak_bytes : m->time.ns,
                                   p->p50,
                                   p->p05,
                                   p->p95,
                                   j->plain.roofline_ns,
                                   j->plain.flop_ns };
        int k;

        ec_buf_printf(out, "%s,%d", m->source.mapping, m->row);
        put(out, m->what);
        put(out, j->device);
        put(out, m->family);
        put(out, ec_record_word(m, EC_WORD_PRECISION));
        put(out, ec_record_word(m, EC_WORD_FRAMEWORK));
        put(out, ec_record_phase(m));
        ec_buf_printf(out, ",%lld,%s", (long long)m->batch,
                      memory ? "memory_peak_bytes" : "time_ns");
        for (k = 0; k < EC_LEN(numbers); k++)
            put_number(out, numbers[k]);
        ec_buf_char(out, '\n');
    }
}

/* Measurements of a path, and those that were not evaluated. */
struct tally {
    int n, judged, no_network, no_device, other, excluded, copies;
    const char *excluded_why; /* of the first */
};

/* What goes with the whole run. */
struct run {
    struct ec_predictor *predictor;
    struct ec_col cols[EC_LEN(evaluate_cols)];
    struct ec_table table;
    struct ec_buf rows;
    bool by[EC_BY_COUNT];
    bool each_row; /* of the tables that are given without an option: rows, not groups */
    struct ec_col row_cols[EC_BESIDE_COLS];
    struct ec_beside_sum beside;
    struct ec_said said; /* of the path at hand */
    struct tally here;
    struct ec_copies copies; /* of the folder at hand */
    struct ec_strs files, sentences;
    struct ec_arena arena;
    struct ec__verdicts *verdicts; /* NULL: not asked for */
    const struct evaluate_opts *o;
    const struct ec_forms *forms;
    int n_evaluated; /* measurements, and runs that did not fit */
    int n_no_device;
};

_Static_assert(EC_WHY_ROWS_MAX == EC_CALL_LINES_MAX, "all rows that are kept are printed");

/* Rows that could not be predicted, by reason. */
static void say_why(struct ec_said *said, const char *path, const struct ec_csv *csv,
                    const struct ec_judged_list *l)
{
    int i, k, line[EC_CALL_LINES_MAX];

    for (i = 0; i < l->n_why && i < EC_WHY_MAX; i++) {
        for (k = 0; k < l->why[i].n && k < EC_CALL_LINES_MAX; k++)
            line[k] = csv->lines[l->why[i].row[k]];
        ec_call_say_rows(said, path, line, l->why[i].n, l->why[i].text);
    }
    if (l->n_why > EC_WHY_MAX)
        ec_said_add(said, path, "and %d other reasons", l->n_why - EC_WHY_MAX);
}

static enum ec_status count(struct tally *t, const struct ec_record_list *rows,
                            const struct ec_judged_list *l, struct ec_arena *a, struct ec_err *err)
{
    t->n += rows->n;
    t->judged += l->n;
    t->no_network += l->n_no_network;
    t->no_device += l->n_no_device;
    t->other += l->n_other;
    if (!t->excluded)
        t->excluded_why =
            ec_arena_str(a, rows->excluded ? rows->excluded : "nothing that was asked is measured");
    t->excluded += rows->n_excluded;
    return ec_allocated(t->excluded_why, err);
}

static void say_tally(const char *path, const struct tally *t)
{
    ec_say("%s: %d of %d measurements evaluated", path, t->judged, t->n);
    if (t->no_network)
        ec_say("; %d of unknown networks", t->no_network);
    if (t->no_device)
        ec_say("; %d on devices not in the catalogue", t->no_device);
    if (t->other)
        ec_say("; %d that could not be predicted", t->other);
    if (t->excluded)
        ec_say("; %d row%s left out%s: %s", t->excluded, t->excluded == 1 ? "" : "s",
               t->excluded == 1 ? "" : ", the first", t->excluded_why);
    if (t->copies)
        ec_say("; %d left out, as %s samples are in another table too", t->copies,
               t->copies == 1 ? "its" : "their");
    ec_say("\n");
}

static enum ec_status evaluate_by(struct run *r, int method, const struct ec_judged_list *judged,
                                  enum ec_group_by by, struct ec_err *err)
{
    struct ec_group_errors *group = NULL;
    enum ec_status st;
    int n = 0, n_times = 0, i;

    EC_TRY(ec_evaluate(judged, by, &group, &n, err));
    for (i = 0; i < n; i++)
        n_times += !group[i].is_memory;
    for (i = 0; i < n; i++) {
        char name[80];

        (void)ec_snprintf(name, sizeof name, "%.60s%s", group[i].key,
                          n_times && group[i].is_memory ? " memory" : "");
        add_group(&r->table, r->o, method, ec_group_names[by], name, &group[i]);
    }
out:
    ec_free(group);
    return st;
}

/* Each row beside its prediction. */
static enum ec_status compare(struct run *r, const char *path, const struct ec_csv *csv,
                              const struct ec_judged_list *judged,
                              const struct ec_judged_list *out_of_memory, struct ec_err *err)
{
    struct ec_beside c = {
        .file = path,
        .given = r->said.folder ? r->said.folder : path,
        .name = ec_path_end(path, &r->files),
        .csv = csv,
        .judged = judged,
        .out_of_memory = out_of_memory,
        .tolerance = r->verdicts ? r->verdicts->tolerance : 0,
    };
    enum ec_status st;
    int n = 0, i;

    for (i = 0; r->verdicts && i < judged->n; i++)
        r->verdicts->n[ec_judged_verdict(&judged->v[i], c.tolerance)]++;
    c.causes = ec_alloc(sizeof *c.causes * (size_t)(judged->n ? judged->n : 1));
    EC_TRY(ec_allocated(c.causes, err));
    EC_TRY(ec_judged_causes(r->predictor, judged, 1, c.causes, err));
    EC_TRY(ec_beside_rows(&c, ec_forms_any(r->forms), &r->table, &n, err));
    if (n < judged->n)
        EC_TRY(ec_strs_add(&r->sentences, &r->arena, err,
                           "the %d worst of %d rows are shown; --csv has all", n, judged->n));
    EC_TRY(ec_beside_add(&c, &r->beside, err));
out:
    ec_free(c.causes);
    return st;
}

/* Runs that did not fit, with what the predictions say; of groups their number is enough. */
static enum ec_status judge_out_of_memory(struct run *r, const char *path, const struct ec_csv *csv,
                                          const struct ec_record_list *rows,
                                          struct ec_judged_list *ret, struct ec_err *err)
{
    int i, n = 0, n_agree = 0;

    EC_PASS(ec_judge(r->predictor, rows->out_of_memory, rows->n_out_of_memory, ret, err));
    say_why(&r->said, path, csv, ret);
    for (i = 0; i < ret->n; i++) { /* without the memory of the device there is no answer */
        if (!(ret->v[i].card_bytes > 0))
            continue;
        n_agree += ret->v[i].fits_probability < 0.5;
        ret->v[n++] = ret->v[i];
    }
    ret->n = n;
    if (n && !r->each_row)
        ec_said_add(&r->said, path, "%d row%s ran out of memory; the prediction agrees for %d", n,
                    n == 1 ? "" : "s", n_agree);
    return EC_OK;
}

/* The peak of memory beside the time of a row of a user's own table is a measurement of its own,
 * which was predicted with the time. */
static enum ec_status add_memory(struct run *r, struct ec_judged_list *l, struct ec_err *err)
{
    struct ec_record *m = ec_arena_alloc(&r->arena, sizeof *m * (size_t)(l->n + 1));
    int cap = l->n, n = l->n, i;

    EC_PASS(ec_allocated(m, err));
    EC_PASS(ec_grow(&l->v, &cap, 2 * n, sizeof *l->v, err));
    for (i = 0; i < n; i++) {
        m[i] = *l->v[i].m;
        m[i].time = (struct ec_reading){ 0 };
        if (!ec_record_is_network(&m[i]) || !ec_record_is_memory(&m[i]) ||
            ec_record_is_memory(l->v[i].m))
            continue;
        l->v[l->n] = l->v[i];
        l->v[l->n++].m = &m[i];
    }
    return EC_OK;
}

/* Evaluates one method; the rows that are left out are reported for the first method only. */
static enum ec_status evaluate_method(struct run *r, const char *path, const struct ec_csv *csv,
                                      const struct ec_mapping *layout, int method,
                                      const struct ec_record_list *rows, struct ec_err *err)
{
    struct ec_judged_list judged = { 0 }, out_of_memory = { 0 };
    enum ec_status st;
    int i;

    EC_TRY(ec_judge(r->predictor, rows->v, rows->n, &judged, err));
    if (method != EC_METHOD_OWN)
        EC_TRY(ec_judge_by(r->predictor, method, &judged, err));
    if (method == r->o->method || (r->o->all_methods && method == EC_METHOD_OWN)) {
        EC_TRY(count(&r->here, rows, &judged, &r->arena, err));
        ec_call_left_out(&r->said, path, rows);
        say_why(&r->said, path, csv, &judged);
        if (judged.n_no_device && ec_mapping_is_own(layout))
            ec_said_add(&r->said, path,
                        "--environment 'NAME=KEY' says which device such a name stands for");
        EC_TRY(judge_out_of_memory(r, path, csv, rows, &out_of_memory, err));
        r->n_evaluated += judged.n + out_of_memory.n;
        r->n_no_device += judged.n_no_device;
    }
    if (method == EC_METHOD_OWN && ec_mapping_is_own(layout))
        EC_TRY(add_memory(r, &judged, err));
    if (r->each_row)
        EC_TRY(compare(r, path, csv, &judged, &out_of_memory, err));
    for (i = 0; i < EC_BY_COUNT; i++)
        if (r->by[i] && !r->each_row)
            EC_TRY(evaluate_by(r, method, &judged, (enum ec_group_by)i, err));
    if (r->o->rows)
        add_rows(&judged, &r->rows);
out:
    ec_free(judged.v);
    ec_free(out_of_memory.v);
    return st;
}

/* What the rows of a table must be. */
enum want { WANT_ANY, WANT_NETWORKS, WANT_OPERATORS };

/* Rows of the other kind are left out; if the table has only such rows, the wrong option was used.
 * */
static enum ec_status keep_kind(struct ec_record_list *l, bool is_network, enum want want,
                                struct ec_err *err)
{
    bool want_network = want == WANT_NETWORKS;
    const char *found = want_network ? "operators" : "networks";
    int i, n = 0;

    if (want == WANT_ANY)
        return EC_OK;
    for (i = 0; i < l->n; i++)
        if (ec_record_is_network(&l->v[i]) == want_network)
            l->v[n++] = l->v[i];
    if (!n && (l->n || is_network != want_network))
        return ec_fail(err, EC_E_INPUT, "the table has %s, give it with --%s", found, found);
    l->n_excluded += l->n - n;
    l->n = n;
    return EC_OK;
}

static enum ec_status evaluate_file(struct run *r, const char *path, enum want want,
                                    struct ec_err *err)
{
    struct ec_table_given given = r->o->given;
    const struct ec_mapping *layout = NULL;
    struct ec_record_list rows = { 0 };
    struct ec_arena a = { 0 };
    struct ec_csv csv = { 0 };
    enum ec_status st;
    bool several = r->o->tables.n + r->o->networks.n + r->o->operators.n >
                   1; /* tables that one mapping may read */
    int i, n_devices = 0;

    given.path = path;
    given.device_in = ec_device_in_text;
    given.is_processor = ec_device_is_processor;
    given.tokens_of = ec_tokens_of_network;
    given.of_trace = ec_trace_table;
    EC_PASS(ec_table_open(&given, &csv, err)); /* the message names the file */
    EC_TRY(ec_mapping_of_table(&csv, &given, &a, &layout, err));
    EC_TRY(ec_mapping_rows(layout, &csv, &a, &rows, err));
    EC_TRY(keep_kind(&rows, ec_mapping_is_network(layout), want, err));
    if (r->said.folder)
        EC_TRY(ec_copies_drop(&r->copies, &rows, &r->here.copies, err));
    EC_TRY(ec_call_table_notes(&r->said, path, &csv, layout, &a, err));
    ec_records_name_device(&rows, &csv, given.device);
    for (i = 0; i < rows.n; i++) {
        rows.v[i].host = r->o->host;
        rows.v[i].loader = r->o->loader;
        if (ec_mapping_is_own(layout) && (!given.mapping || several))
            rows.v[i].source.mapping = ec_path_name(path);
        n_devices += *rows.v[i].device != '\0';
    }
    if (rows.n && !n_devices)
        EC_TRY(ec_fail(err, EC_E_INPUT,
                       "no row has a device: say --device KEY, or `device = {column}` in the "
                       "mapping"));
    EC_TRY(ec_records_usual(r->predictor, rows.v, rows.n, err));
    EC_TRY(ec_records_usual(r->predictor, rows.out_of_memory, rows.n_out_of_memory, err));
    for (i = 0; ec_method_names[i]; i++)
        if (r->o->all_methods || i == r->o->method)
            EC_TRY(evaluate_method(r, path, &csv, layout, i, &rows, err));
out:
    st = ec_within(err, st, "%s: ", path);
    ec_records_clear(&rows);
    ec_csv_clear(&csv);
    ec_arena_clear(&a);
    return st;
}

/* A table, or those of a folder: one that cannot be used is named there, and left out. */
static enum ec_status evaluate_path(struct run *r, const char *path, enum want want,
                                    struct ec_err *err)
{
    struct ec_strs files = { 0 };
    struct ec_err why = { .status = EC_OK };
    bool is_folder = false;
    enum ec_status st, failed = EC_OK;
    int i;

    EC_PASS(ec_files_find(path, EC_TABLE_FILES, &r->arena, &files, &is_folder, err));
    if (!files.n)
        EC_PASS(ec_no_table(path, "", &r->arena, err));
    r->here = (struct tally){ 0 };
    r->copies.n = 0;
    r->said = (struct ec_said){ .folder = is_folder ? path : NULL, .arena = &r->arena };
    for (i = 0; i < files.n && !failed; i++) {
        st = evaluate_file(r, files.v[i], want, &why);
        if (st && (!is_folder || st == EC_E_NOMEM))
            failed = st;
        else if (st)
            ec_said_left_out(&r->said, files.v[i], why.text);
    }
    EC_PASS(ec_said_end(&r->said, err));
    if (failed)
        return ec_fail(err, failed, "%.400s", why.text);
    say_tally(path, &r->here);
    return EC_OK;
}

static enum ec_status write_rows(const struct run *r, const char *path, struct ec_err *err)
{
    static const char header[] = "table,row,what,device,family,precision,framework,mode,batch,"
                                 "quantity,measured,predicted_p50,"
                                 "predicted_p05,predicted_p95,roofline_ns,flop_ns\n";
    struct ec_buf out = EC_BUF_INIT;

    ec_buf_str(&out, header);
    ec_buf_add(&out, r->rows.data, r->rows.len);
    return ec_file_put(path, &out, err);
}

static enum ec_status print(struct ec_call *call, const struct run *r, struct ec_err *err)
{
    static const struct ec_table_head groups_head = { "epochcast.evaluation/1",
                                                      "groups",
                                                      { { 0 } } },
                                      rows_head = { "epochcast.comparison/1", "rows", { { 0 } } };
    enum ec_status st =
        ec_call_table(call, r->each_row ? &rows_head : &groups_head, &r->table, err);
    bool narrow = ec_terminal_columns() > 0 && ec_terminal_columns() < EVALUATE_WIDTH;
    size_t from = call->out.len;
    int i;

    for (i = 0; i < r->sentences.n && !ec_forms_any(&call->forms); i++) {
        ec_buf_str(&call->out, i ? "" : "\n");
        if (narrow)
            ec_buf_printf(&call->out, "  %s\n", r->sentences.v[i]);
        else
            ec_help_wrap(&call->out, call->out.len, r->sentences.v[i], 2);
    }
    return st || !narrow || ec_forms_any(&call->forms) ? st : ec_call_fit(call, from, err);
}

/* Text leaves out less important columns, and more of them if there are more columns of words. With
 * --all-methods the roofline and the FLOP estimate are rows, not columns. */
static void narrow(struct ec_col *col, bool all_methods, bool several_by)
{
    const struct {
        const char *key;
        bool out;
    } rare[] = {
        {"rmse",                      true                     },
        { "r2",                       true                     },
        { "roofline_mean_ape_frac",   true                     },
        { "flop_mean_ape_frac",       true                     },
        { "roofline_median_ape_frac", all_methods              },
        { "flop_median_ape_frac",     all_methods || several_by},
        { "mean_ape_frac",            all_methods || several_by},
        { "p90_ape_frac",             several_by               },
    };
    int i;

    for (i = 0; i < EC_LEN(rare); i++)
        if (rare[i].out && ec_str_eq(col->key, rare[i].key))
            col->flags |= EC_COL_DATA_ONLY;
    col->max_width = ec_str_eq(col->key, "table")   ? TABLE_WIDTH
                     : ec_str_eq(col->key, "group") ? GROUP_WIDTH
                                                    : 0;
}

static void set_groups(struct run *r)
{
    const struct ec_strs *by = &r->o->by;
    int i, j;

    r->by[EC_BY_ALL] = by->n == 0;
    for (i = 0; i < by->n; i++)
        for (j = 0; j < EC_BY_COUNT; j++)
            r->by[j] = r->by[j] || ec_str_eq(by->v[i], ec_group_names[j]);
    memcpy(r->cols, evaluate_cols, sizeof evaluate_cols);
    if (by->n > 1)
        r->cols[COL_BY].flags = 0;
    for (i = 0; i < EC_LEN(evaluate_cols) && !r->forms->markdown; i++)
        narrow(&r->cols[i], r->o->all_methods, by->n > 1);
    ec_table_init(&r->table, r->cols + !r->o->all_methods,
                  EC_LEN(evaluate_cols) - !r->o->all_methods);
}

enum ec_status ec__evaluate(struct ec_call *call, const struct evaluate_opts *o,
                            struct ec__verdicts *verdicts, struct ec_err *err)
{
    struct run r = { .o = o, .forms = &call->forms, .verdicts = verdicts };
    enum ec_status st = EC_OK;
    bool is_folder;
    int i;

    call->wrong_usage = ec_method_check(o->method, o->host, err) != EC_OK;
    if (call->wrong_usage)
        return EC_E_INPUT;
    EC_TRY(ec_host_check(o->host, err));
    EC_TRY(ec_mapping_check(o->given.mapping, err));
    set_groups(&r);
    r.each_row = o->tables.n && !o->by.n && !o->all_methods && o->method == EC_METHOD_OWN;
    r.beside.several = o->tables.n > 1 || (o->tables.n && ec_is_folder(o->tables.v[0]));
    if (r.each_row)
        ec_beside_table(&r.table, r.row_cols, r.beside.several, verdicts != NULL);
    EC_TRY(ec_predictor_new(&r.predictor, err));
    if (o->profile)
        EC_TRY(ec_predictor_use_profile(r.predictor, o->profile, err));
    for (i = 0; i < o->tables.n; i++)
        EC_TRY(ec_files_find(o->tables.v[i], EC_TABLE_FILES, &r.arena, &r.files, &is_folder, err));
    for (i = 0; i < o->tables.n; i++)
        EC_TRY(evaluate_path(&r, o->tables.v[i], WANT_ANY, err));
    for (i = 0; i < o->operators.n; i++)
        EC_TRY(evaluate_path(&r, o->operators.v[i], WANT_OPERATORS, err));
    for (i = 0; i < o->networks.n; i++)
        EC_TRY(evaluate_path(&r, o->networks.v[i], WANT_NETWORKS, err));
    if (!r.n_evaluated)
        EC_TRY(ec_fail(err, EC_E_NOT_FOUND, "no row could be evaluated%s",
                       r.n_no_device ? "; --device KEY is the device of all rows, --device this "
                                       "this machine"
                                     : ""));
    if (o->rows)
        EC_TRY(write_rows(&r, o->rows, err));
    EC_TRY(ec_beside_sentences(&r.beside, &r.arena, &r.sentences, err));
    EC_TRY(print(call, &r, err));
out:
    ec_predictor_free(r.predictor);
    ec_beside_clear(&r.beside);
    ec_copies_clear(&r.copies);
    ec_table_clear(&r.table);
    ec_buf_clear(&r.rows);
    ec_arena_clear(&r.arena);
    return st;
}

static enum ec_status run(struct ec_call *call, struct ec_err *err)
{
    return ec__evaluate(call, call->opts, NULL, err);
}
