/* Reads measured operators as rows of features: finds tables under the paths given, reads them by
 * their mappings, and samples rows evenly. */
#include "fit/compare_internal.h"

#include <stdio.h>
#include <string.h>

#include "store/store.h"

#define FEWEST 20 /* rows */

struct reader {
    const struct ec_compare_opts *o;
    struct ec_operator_rows *rows;
    bool with_offsets;
    int n_tables;
    struct ec_strs others; /* operators of the tables that were not asked for */
};

static bool wanted(const struct ec_compare_opts *o, const struct ec_op *op)
{
    int i;

    for (i = 0; i < o->ops.n; i++)
        if (ec_op_find(ec_span_of(o->ops.v[i])) == op ||
            ec_str_eq(o->ops.v[i], ec_width_name(ec_width_of_op(op))))
            return true;
    return o->ops.n == 0;
}

static const struct ec_op *op_of(const char *what)
{
    struct ec_span rest = ec_span_of(what), name = { NULL, 0 };

    (void)ec_span_cut(&rest, ' ', &name);
    return ec_op_find(name);
}

/* Whether the row's operator, the first word of the case, was requested. */
static bool row_wanted(const struct ec_compare_opts *o, const char *what)
{
    const struct ec_op *op = op_of(what);

    return op && wanted(o, op);
}

static enum ec_status note_other(struct reader *rd, const char *what, struct ec_err *err)
{
    const struct ec_op *op = op_of(what);

    return op && !ec_strs_have(&rd->others, op->name)
               ? ec_strs_add(&rd->others, &rd->rows->arena, err, "%s", op->name)
               : EC_OK;
}

static enum ec_status grow_rows(struct ec_operator_rows *r, struct ec_err *err)
{
    const char ***texts[] = { &r->device, &r->family, &r->what, &r->timed, &r->optimizer };
    int cap = r->cap ? 2 * r->cap : 1024, had, i;

    if (r->n < r->cap)
        return EC_OK;
    had = r->cap;
    EC_PASS(ec_grow(&r->x, &had, cap, EC_FEATURE_COUNT * sizeof *r->x, err));
    had = r->cap;
    EC_PASS(ec_grow(&r->time_ns, &had, cap, sizeof *r->time_ns, err));
    for (i = 0; i < EC_LEN(texts); i++) {
        had = r->cap;
        EC_PASS(ec_grow(texts[i], &had, cap, sizeof **texts[i], err));
    }
    r->cap = cap;
    return EC_OK;
}

static enum ec_status add_update(struct ec_operator *o, const struct ec_case *c, struct ec_err *err)
{
    double tensors = ec_optimizer_tensors(o->cond.optimizer), elems = 0;
    struct ec_step *s = &o->step;
    struct ec_kernel *k;
    int i;

    for (i = 0; i < c->n_in; i++)
        elems += ec_type_elems(c->in[i]);
    for (i = 0; i < c->n_out; i++)
        elems += ec_type_elems(c->out[i]);
    for (i = 0; i < s->n; i++)
        if (s->kernel[i].phase == EC_FORWARD)
            elems += s->kernel[i].weight_elems;
    EC_PASS(ec_grow(&s->kernel, &s->cap, s->n + 1, sizeof *s->kernel, err));
    k = &s->kernel[s->n++];
    *k = (struct ec_kernel){ .kclass = EC_K_UPDATE,
                             .phase = EC_UPDATE,
                             .flop = elems,
                             .read_elems = tensors / 2 * elems,
                             .write_elems = tensors / 2 * elems,
                             .launches = 3,
                             .serial = 1 };
    return EC_OK;
}

/* Adds the kernels of the activation behind the operator, forward and gradient. */
static enum ec_status add_activation(struct ec_operator *o, const struct ec_case *c,
                                     struct ec_err *err)
{
    double elems = c->n_out ? ec_type_elems(c->out[0]) : 0;
    struct ec_step *s = &o->step;
    int back;

    for (back = 0; back < (o->cond.mode == EC_MODE_FORWARD ? 1 : 2); back++) {
        EC_PASS(ec_grow(&s->kernel, &s->cap, s->n + 1, sizeof *s->kernel, err));
        s->kernel[s->n++] = (struct ec_kernel){ .kclass = EC_K_STREAM,
                                                .phase = back ? EC_GRAD_DATA : EC_FORWARD,
                                                .flop = 4 * elems,
                                                .read_elems = (1 + back) * elems,
                                                .write_elems = elems,
                                                .launches = 1,
                                                .serial = 1 };
    }
    return EC_OK;
}

/* Whether a boolean attribute (bias, padding) is set. */
static bool attribute(const struct ec_case *c, const char *name)
{
    const struct ec_field *f =
        c->op->fields ? ec_field_find(c->op->fields, ec_span_of(name)) : NULL;
    const char *at = f ? (const char *)c->attrs + f->offset : NULL;

    if (f && f->type == EC_F_BOOL)
        return *(const bool *)at;
    if (f && f->type == EC_F_INTS) {
        const struct ec_ints *v = (const void *)at;

        return v->n < 0 || (v->n > 0 && v->v[0] > 0);
    }
    return false;
}

enum ec_status ec__operator_of(const struct ec_record *m, struct ec_operator *ret,
                               struct ec_err *err)
{
    struct ec_operator o = { 0 };
    struct ec_owned_case c = { 0 };
    struct ec_predict_opts opts;
    enum ec_status st;

    if (!*m->device)
        EC_TRY(ec_fail(err, EC_E_INPUT, "no column says the device"));
    EC_TRY(ec_device_find(m->device, &o.device, err));
    EC_TRY(ec_record_opts(m, &opts, err));
    o.cond = opts.cond;
    EC_TRY(ec_case_parse(m->what, &c, err));
    o.op = c.c.op;
    o.routes = true;
    o.terms = true;
    o.bias = attribute(&c.c, "bias");
    o.padded = attribute(&c.c, "pad");
    EC_TRY(ec_step_of_case(&c.c, m->phase, o.cond.mode, &o.step, err));
    if (o.step.n == 0)
        EC_TRY(ec_fail(err, EC_E_UNSUPPORTED, "%s: no kernel", o.op->name));
    if (m->phase < 0 &&
        (o.cond.mode == EC_MODE_TRAINING_STEP || o.cond.mode == EC_MODE_ISOLATED_STEP))
        EC_TRY(add_update(&o, &c.c, err));
    o.activation = m->activation ? ec_op_find(ec_span_of(m->activation)) : NULL;
    if (o.activation)
        EC_TRY(add_activation(&o, &c.c, err));
    *ret = o;
    memset(&o, 0, sizeof o);
out:
    ec_case_clear(&c);
    ec_operator_clear(&o);
    return st;
}

static enum ec_status add_row(struct reader *rd, const struct ec_record *m, struct ec_err *err)
{
    const struct ec_fitted *fitted = ec_fitted();
    struct ec_operator_rows *r = rd->rows;
    double offset[EC_DO_COUNT] = { 0 };
    struct ec_operator op = { 0 };
    enum ec_status st;

    EC_TRY(ec__operator_of(m, &op, err));
    EC_TRY(grow_rows(r, err));
    if (rd->with_offsets)
        ec_fitted_offset(fitted, op.device, &op.cond, op.op, offset);
    EC_TRY(ec_features(&op, &fitted->c, offset, r->x + (size_t)r->n * EC_FEATURE_COUNT, err));
    r->time_ns[r->n] = m->time.ns;
    r->device[r->n] = ec_device_key(op.device);
    r->family[r->n] = ec_arena_str(&r->arena, m->family);
    r->what[r->n] = ec_arena_str(&r->arena, m->what);
    if (m->phase >= 0)
        r->timed[r->n] = ec_record_phase_word(m);
    else
        r->timed[r->n] = ec_arena_str(&r->arena, ec_record_word(m, EC_WORD_MODE));
    r->optimizer[r->n] = ec_arena_str(&r->arena, ec_record_word(m, EC_WORD_OPTIMIZER));
    EC_TRY(ec_allocated(r->family[r->n] && r->what[r->n] && r->timed[r->n] && r->optimizer[r->n],
                        err));
    r->n++;
out:
    ec_operator_clear(&op);
    return st;
}

/* Whether a row is kept when `of` rows are sampled to about max_rows. By a hash, so that the choice
 * does not depend on order. */
static bool sampled(const struct ec_compare_opts *o, const struct ec_record *m, int of)
{
    char text[256];
    double unit;
    int n;

    if (!o->max_rows || of <= o->max_rows)
        return true;
    n = snprintf(text, sizeof text, "%lld/%.60s/%d/%d/%.100s", (long long)o->seed, m->device,
                 m->row, m->phase, m->source.mapping);
    unit = (double)((ec_hash(text, (size_t)n) * 0x9e3779b97f4a7c15u) >> 11) * 0x1p-53;
    return unit < (double)o->max_rows / of;
}

static enum ec_status add_rows(struct reader *rd, const struct ec_record_list *l,
                               struct ec_err *err)
{
    struct ec_operator_rows *r = rd->rows;
    enum ec_status st;
    int i, of = 0;

    for (i = 0; i < l->n; i++)
        of += !ec_record_is_network(&l->v[i]) && row_wanted(rd->o, l->v[i].what);
    for (i = 0; i < l->n; i++) {
        struct ec_err why = { .status = EC_OK };

        if (ec_record_is_network(&l->v[i]))
            continue;
        if (!row_wanted(rd->o, l->v[i].what)) {
            EC_PASS(note_other(rd, l->v[i].what, err));
            continue;
        }
        r->n_read++;
        if (!sampled(rd->o, &l->v[i], of))
            continue;
        st = add_row(rd, &l->v[i], &why);
        if (st == EC_E_NOMEM)
            return ec_nomem(err);
        if (st && !r->n_other++)
            (void)snprintf(r->first_other, sizeof r->first_other, "%.150s", why.text);
    }
    return EC_OK;
}

/* Reads a table. Tables without a mapping and tables of networks are skipped, unless the user named
 * the file. */
static enum ec_status read_table(struct reader *rd, const char *path, bool named,
                                 struct ec_err *err)
{
    struct ec_table_given given = rd->o->given;
    const struct ec_mapping *layout = NULL;
    struct ec_record_list list = { 0 };
    struct ec_arena a = { 0 };
    struct ec_csv csv = { 0 };
    struct ec_err why = { .status = EC_OK };
    enum ec_status st;
    bool recorded;

    given.path = path;
    given.device_in = ec_device_in_text;
    given.is_processor = ec_device_is_processor;
    EC_TRY(ec_table_open(&given, &csv, err));
    st = ec_mapping_of_table(&csv, &given, &a, &layout, &why);
    if (!st)
        layout = ec_mapping_all(layout, &csv, &given);
    /* what is never predicted, such as layers on several devices, may still be fitted */
    recorded = st == EC_E_NOT_FOUND && !ec_mapping_of_record(&csv, &given, &a, &layout, NULL);
    st = recorded ? EC_OK : st;
    if (st == EC_E_NOMEM || (st && (named || given.mapping)))
        EC_TRY(ec_fail(err, st, "%.200s: %.250s", path, why.text));
    if (!st && named && ec_mapping_is_network(layout))
        EC_TRY(ec_fail(
            err, EC_E_INPUT,
            "%.200s: the table holds networks, expected operators; --table fits networks", path));
    if (st || ec_mapping_is_network(layout)) {
        st = EC_OK;
        goto out;
    }
    if (named && ec_csv_col(&csv, "device") < 0 && ec_mapping_needs_device(layout))
        EC_TRY(ec_fail(err, EC_E_INPUT, "%.200s: the table has no column device: say --device KEY",
                       path));
    EC_TRY(recorded ? ec_mapping_recorded_rows(layout, &csv, &a, &list, err)
                    : ec_mapping_rows(layout, &csv, &a, &list, err));
    ec_records_name_device(&list, &csv, given.device);
    EC_TRY(add_rows(rd, &list, err));
    rd->n_tables++;
out:
    ec_records_clear(&list);
    ec_csv_clear(&csv);
    ec_arena_clear(&a);
    return st;
}

/* Reads the operators of a store. */
static enum ec_status read_store(struct reader *rd, const char *path, struct ec_err *err)
{
    const struct ec_store_query query = { .kind = "operator", .only_ok = true };
    struct ec_store_rows *rows = NULL;
    const struct ec_stored *row = NULL;
    struct ec_record_list list = { 0 };
    struct ec_store *s = NULL;
    struct ec_arena a = { 0 };
    enum ec_status st;

    EC_TRY(ec_store_open(path, EC_STORE_READ, &s, err));
    EC_TRY(ec_store_select(s, &query, &rows, err));
    for (;;) {
        struct ec_record r;

        EC_TRY(ec_store_next(rows, &row, err));
        if (!row)
            break;
        r = row->r;
        ec_record_default(&r);
        if (!r.time.known || !ec_record_is_comparable(&r) || !row_wanted(rd->o, r.what))
            continue;
        EC_TRY(ec_record_keep(&r, &a, err));
        EC_TRY(ec_grow(&list.v, &list.cap, list.n + 1, sizeof *list.v, err));
        list.v[list.n++] = r;
    }
    EC_TRY(add_rows(rd, &list, err));
    rd->n_tables++;
out:
    ec_store_rows_free(rows);
    ec_store_close(s);
    ec_records_clear(&list);
    ec_arena_clear(&a);
    return st;
}

static enum ec_status read_path(struct reader *rd, const char *path, struct ec_err *err)
{
    struct ec_buf line = EC_BUF_INIT;
    struct ec_strs files = { 0 };
    struct ec_arena a = { 0 };
    bool is_folder = false;
    enum ec_status st;
    int i;

    EC_TRY(ec_files_find(path, "*.csv", &a, &files, &is_folder, err));
    for (i = 0; i < files.n; i++) {
        struct ec_err why = { .status = EC_OK };

        st = read_table(rd, files.v[i], !is_folder, &why);
        if (st && (!is_folder || st == EC_E_NOMEM))
            EC_TRY(ec_fail(err, st, "%.450s", why.text));
        if (st && rd->o->progress) {
            ec_buf_printf(&line, "left out %s", why.text);
            rd->o->progress(rd->o->progress_ctx, ec_buf_text(&line));
            ec_buf_clear(&line);
        }
        st = EC_OK;
    }
out:
    ec_arena_clear(&a);
    return st;
}

/* Checks the names of operators and kinds. */
static enum ec_status check_ops(const struct ec_compare_opts *o, struct ec_err *err)
{
    const char *names[256];
    struct ec_buf hint = EC_BUF_INIT;
    enum ec_status st = EC_OK;
    int i, n = 0, n_ops;
    const struct ec_op *const *ops = ec_ops(&n_ops);

    for (i = 0; i < n_ops && n < EC_LEN(names); i++)
        names[n++] = ops[i]->name;
    for (i = 0; i <= EC_W_rnn && n < EC_LEN(names); i++)
        names[n++] = ec_width_name((enum ec_width_kind)i);
    for (i = 0; i < o->ops.n && !st; i++) {
        if (ec_name_index(names, n, o->ops.v[i]) >= 0 || ec_op_find(ec_span_of(o->ops.v[i])))
            continue;
        ec_near_hint(&hint, o->ops.v[i], names, n);
        ec_buf_printf(&hint, "%s `epochcast op` lists them", hint.len ? "" : ";");
        st = ec_fail(err, EC_E_NOT_FOUND, "no operator \"%.60s\"%s", o->ops.v[i],
                     ec_buf_text(&hint));
    }
    ec_buf_clear(&hint);
    return st;
}

static enum ec_status fail_others(const struct reader *rd, struct ec_err *err)
{
    struct ec_buf names = EC_BUF_INIT;
    enum ec_status st;
    int i;

    for (i = 0; i < rd->others.n; i++)
        ec_buf_printf(&names, "%s--op %s", i ? ", " : "", rd->others.v[i]);
    st = ec_fail(err, EC_E_INPUT, "no row of --op %.40s; the tables hold %.400s", rd->o->ops.v[0],
                 ec_buf_text(&names));
    ec_buf_clear(&names);
    return st;
}

enum ec_status ec__operator_rows_read(const struct ec_compare_opts *o, bool with_offsets,
                                      struct ec_operator_rows *ret, struct ec_err *err)
{
    struct ec_operator_rows rows = { 0 };
    struct reader rd = { .o = o, .rows = &rows, .with_offsets = with_offsets };
    enum ec_status st = EC_OK;
    int i, fewest = o->fewest ? o->fewest : FEWEST;

    EC_TRY(check_ops(o, err));
    for (i = 0; i < o->data.n; i++)
        EC_TRY(read_path(&rd, o->data.v[i], err));
    if (o->store)
        EC_TRY(read_store(&rd, o->store, err));
    if (!rows.n_read && rd.others.n)
        EC_TRY(fail_others(&rd, err));
    if (rows.n < fewest)
        EC_TRY(ec_fail(
            err, EC_E_INPUT, "%d usable row%s of %d in %d table%s, expected at least %d%s%s%s",
            rows.n, rows.n == 1 ? "" : "s", rows.n_read, rd.n_tables, rd.n_tables == 1 ? "" : "s",
            fewest, rows.first_other[0] ? "; first left out: " : "", rows.first_other,
            rows.first_other[0] && !o->given.device
                ? "; --device KEY names the device of all rows, --device this this "
                  "machine"
                : ""));
    *ret = rows;
    memset(&rows, 0, sizeof rows);
out:
    ec__operator_rows_clear(&rows);
    return st;
}

void ec__operator_rows_clear(struct ec_operator_rows *r)
{
    ec_free(r->x);
    ec_free(r->time_ns);
    ec_free(r->device);
    ec_free(r->family);
    ec_free(r->what);
    ec_free(r->timed);
    ec_free(r->optimizer);
    ec_arena_clear(&r->arena);
}
