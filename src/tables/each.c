/* Reads the rows of a table of any known format as records, one by one. */
#include "tables/mapping_internal.h"

#include <string.h>

static enum ec_status check_row(const struct ec_csv *csv, int row, struct ec_row_fault fault,
                                struct ec_err *err)
{
    if (!fault.column)
        return EC_OK;
    return ec_fail(err, EC_E_INPUT, "line %d, column %.40s: found \"%.60s\", expected %.120s",
                   csv->lines[row], fault.column, fault.found, fault.expected);
}

static enum ec_status each_of_export(const struct ec_csv *csv, ec_record_fn fn, void *user,
                                     struct ec_err *err)
{
    int cols[EC_RECORD_COLS_MAX], row;
    enum ec_status st = EC_OK;
    struct ec_record r;

    ec_record_find_cols(csv, cols);
    for (row = 0; row < csv->n_rows && !st; row++) {
        struct ec_row_fault fault = { 0 };

        st = ec__export_row(csv, cols, row, &r, &fault, err);
        if (!st)
            st = check_row(csv, row, fault, err);
        if (!st)
            st = fn(user, &r, err);
    }
    return st;
}

static enum ec_status one(struct ec_record *r, ec_record_fn fn, void *user, struct ec_err *err)
{
    enum ec_status st = EC_OK;
    double ns = 0;

    if (!r->time.known && ec__sampled_ns(r->samples_ns, r->device_samples_ns, &ns, &st, err))
        r->time = (struct ec_reading){ ns, true };
    return st ? st : fn(user, r, err);
}

static enum ec_status each_of_table(const struct ec_csv *csv, const struct ec_table_given *given,
                                    ec_record_fn fn, void *user, struct ec_err *err)
{
    struct ec_record r[EC_RECORDS_MAX];
    const struct ec_mapping *l = NULL;
    struct ec_reader *reader = NULL;
    struct ec_arena a = { 0 };
    enum ec_status st;
    int row, n = 0, i;

    EC_TRY(ec_mapping_of_record(csv, given, &a, &l, err));
    EC_TRY(ec_reader_new(l, csv, NULL, &reader, err));
    for (row = 0; row < csv->n_rows; row++) {
        EC_TRY(ec_reader_row(reader, row, r, &n, err));
        EC_TRY(check_row(csv, row, ec_reader_fault(reader), err));
        for (i = 0; i < n; i++)
            EC_TRY(one(&r[i], fn, user, err));
    }
out:
    ec_reader_free(reader);
    ec_arena_clear(&a);
    return st;
}

static enum ec_status each(const struct ec_csv *csv, const struct ec_table_given *given,
                           ec_record_fn fn, void *user, struct ec_err *err)
{
    return ec_record_is_export(csv) ? each_of_export(csv, fn, user, err)
                                    : each_of_table(csv, given, fn, user, err);
}

enum ec_status ec_records_each(const struct ec_table_given *given, ec_record_fn fn, void *user,
                               struct ec_err *err)
{
    struct ec_csv csv = { 0 };
    enum ec_status st = ec_table_open(given, &csv, err);

    if (!st)
        st = each(&csv, given, fn, user, err);
    ec_csv_clear(&csv);
    return st;
}

/* ------------------------------------------------------------------------------------------------
 * Steps of networks as a user's own table */

/* Sizes that become columns if a row has them; a row without one has the network's own size. */
static const struct {
    const char *name;
    size_t offset;
} sizes[] = {
    {"image_px", offsetof(struct ec_record, image_px)},
    { "seq_len", offsetof(struct ec_record, seq_len) },
    { "threads", offsetof(struct ec_record, threads) },
};

struct steps {
    struct ec_record_list list;
    struct ec_arena arena;
    bool has[EC_LEN(sizes)];
    int n_seen;
};

static int64_t size_of(const struct ec_record *r, int which)
{
    int64_t v;

    memcpy(&v, (const char *)r + sizes[which].offset, sizeof v);
    return v;
}

static enum ec_status take_step(void *user, const struct ec_record *r, struct ec_err *err)
{
    struct ec_record step = *r;
    struct steps *s = user;

    s->n_seen++;
    ec_record_default(&step);
    if (!ec_record_is_comparable(&step) || !ec_record_is_network(&step) || !step.time.known ||
        step.num_devices > 1)
        return EC_OK;
    return ec__keep_query(&step, &s->arena, &s->list, err);
}

/* Keeps the steps of one mode: training steps if there are any, else the most frequent mode. */
static void keep_one_mode(struct ec_record_list *l)
{
    int n[EC_MODE_COUNT] = { 0 }, mode = EC_MODE_TRAINING_STEP, kept = 0, i;

    for (i = 0; i < l->n; i++)
        n[l->v[i].cond.mode]++;
    for (i = 0; !n[EC_MODE_TRAINING_STEP] && i < EC_MODE_COUNT; i++)
        mode = n[i] > n[mode] ? i : mode;
    for (i = 0; i < l->n; i++)
        if ((int)l->v[i].cond.mode == mode)
            l->v[kept++] = l->v[i];
    l->n = kept;
}

static void put(struct ec_buf *out, const char *cell)
{
    ec_csv_put(out, cell);
    ec_buf_char(out, ',');
}

static void put_steps(const struct steps *s, struct ec_buf *out)
{
    struct ec_buf conditions = EC_BUF_INIT;
    char number[EC_FMT_DOUBLE_BYTES];
    int i, k;

    ec_buf_str(out, "model,device,mode,precision,framework,optimizer," EC_STEP_CONDITIONS ",");
    for (k = 0; k < EC_LEN(sizes); k++)
        if (s->has[k])
            put(out, sizes[k].name);
    ec_buf_str(out, "batch_size,step_time_ms\n");
    for (i = 0; i < s->list.n; i++) {
        const struct ec_record *r = &s->list.v[i];

        put(out, r->what);
        put(out, r->device);
        put(out, ec_record_word(r, EC_WORD_MODE));
        put(out, ec_record_word(r, EC_WORD_PRECISION));
        put(out, ec_record_word(r, EC_WORD_FRAMEWORK));
        put(out, ec_record_word(r, EC_WORD_OPTIMIZER));
        ec_buf_reset(&conditions);
        ec_conditions_print(&r->cond, &conditions);
        put(out, ec_buf_text(&conditions));
        for (k = 0; k < EC_LEN(sizes); k++)
            if (s->has[k] && size_of(r, k) > 0)
                ec_buf_printf(out, "%lld,", (long long)size_of(r, k));
            else if (s->has[k])
                ec_buf_char(out, ',');
        ec_buf_printf(out, "%lld,%s\n", (long long)r->batch,
                      ec_fmt_double(number, sizeof number, r->time.ns / 1e6));
    }
    ec_buf_clear(&conditions);
}

enum ec_status ec_table_of_records(ec_records_fn each_record, void *ctx, struct ec_csv *ret,
                                   struct ec_err *err)
{
    struct ec_buf text = EC_BUF_INIT;
    struct steps s = { 0 };
    enum ec_status st;
    int i, k;

    EC_TRY(each_record(ctx, take_step, &s, err));
    if (!s.n_seen)
        EC_TRY(ec_fail(err, EC_E_INPUT, "no measurement of a network"));
    if (!s.list.n)
        EC_TRY(ec_fail(err, EC_E_INPUT,
                       "none of its %d rows is a step of a network on one device that went well",
                       s.n_seen));
    keep_one_mode(&s.list);
    for (k = 0; k < EC_LEN(sizes); k++)
        for (i = 0; i < s.list.n; i++)
            s.has[k] |= size_of(&s.list.v[i], k) > 0;
    put_steps(&s, &text);
    EC_TRY(ec_buf_status(&text, err));
    EC_TRY(ec_csv_parse(ec_buf_text(&text), text.len, ret, err));
out:
    ec_records_clear(&s.list);
    ec_arena_clear(&s.arena);
    ec_buf_clear(&text);
    return st;
}

struct table {
    const struct ec_csv *csv;
    const struct ec_table_given *given;
};

static enum ec_status each_of(void *ctx, ec_record_fn fn, void *user, struct ec_err *err)
{
    const struct table *t = ctx;

    return each(t->csv, t->given, fn, user, err);
}

/* The kind of rows of the built-in mapping that recognises a table; EC_KIND_COUNT: none does. */
static enum ec_status public_kind(const struct ec_csv *csv, enum ec_kind *ret, struct ec_err *err)
{
    const struct ec_mapping *l = NULL;
    struct ec_arena a = { 0 };
    enum ec_status st = ec_mapping_detect_record(csv, &a, &l, err);

    *ret = st ? EC_KIND_COUNT : ec__mapping_kind(l);
    ec_arena_clear(&a);
    return st == EC_E_NOT_FOUND ? EC_OK : st;
}

enum ec_status ec_table_of_steps(struct ec_csv *csv, const struct ec_table_given *given,
                                 bool public, struct ec_err *err)
{
    bool own = ec_record_is_export(csv) || ec_record_is_file(csv);
    enum ec_kind kind = own ? EC_KIND_network : EC_KIND_COUNT;
    struct table t = { csv, given };
    struct ec_err why = { .status = EC_OK };
    struct ec_csv steps = { 0 };
    enum ec_status st;

    st = public && !own ? public_kind(csv, &kind, &why) : EC_OK;
    if (st)
        return ec_fail(err, st, "%.400s", why.text);
    if (kind == EC_KIND_operator)
        return ec_fail(err, EC_E_INPUT,
                       "the table holds operators, expected networks or "
                       "configurations; --op NAME --data FILE fits operators");
    if (kind != EC_KIND_network)
        return ec__check_comparison(csv, given, err);
    st = ec_table_of_records(each_of, &t, &steps, &why);
    if (st == EC_E_INPUT && !own) /* epochs, several devices: such a table is read by its names */
        return EC_OK;
    if (st)
        return ec_fail(err, st, "%.400s", why.text);
    ec_csv_clear(csv);
    *csv = steps;
    return EC_OK;
}
