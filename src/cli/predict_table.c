/* Output of epochcast predict for several answers: a table with notes. */
#include "cli/predict_cmd_internal.h"
#include "report/report.h"

#include <assert.h>
#include <string.h>

#include "cli_columns.h"

/* A table in the making. */
struct rows {
    struct ec_table *t;
    bool is_op, is_memory;
    bool is_text; /* for people: a guess has no median */
};

/* Three columns. */
static void add_interval(struct ec_table *t, bool has, const struct ec_interval *v)
{
    const double points[] = { v->p50, v->p05, v->p95 };
    int i;

    for (i = 0; i < EC_LEN(points); i++)
        if (has)
            ec_table_num(t, points[i]);
        else
            ec_table_none(t);
}

/* The same of what depends on the time of the step. */
static void add_timed(const struct rows *to, bool has, bool is_guess, const struct ec_interval *v)
{
    if (!has || !is_guess || !to->is_text) {
        add_interval(to->t, has, v);
        return;
    }
    ec_table_row(to->t, ec_text(EC_NOT_KNOWN), ec_num(v->p05), ec_num(v->p95));
}

/* Text has one cell: a ratio says little without its interval. */
static void add_over_first(const struct rows *to, const struct answer *a)
{
    const struct ec_interval *v = &a->over_first;
    bool has = v->p50 > 0;
    char text[48];

    if (to->is_text && has) {
        (void)ec_snprintf(text, sizeof text, "%.3g (%.3g-%.3g)", v->p50, v->p05, v->p95);
        ec_table_row(to->t, ec_text(text), ec_none(), ec_none());
    } else {
        add_interval(to->t, has, v);
    }
    ec_table_row(to->t, has ? ec_num(a->faster_probability) : ec_none());
}

/* If no host issues the kernels, there is no host time. */
static void add_sides(struct ec_table *t, const struct ec_prediction *r)
{
    ec_table_row(t, ec_positive(r->device_ns), ec_positive(*r->host ? r->host_ns : 0));
    ec_table_row(t, ec_given(r->host));
}

static const char *best_word(const struct answer *a)
{
    return a->is_fastest && a->is_cheapest ? "fastest, cheapest"
           : a->is_fastest                 ? "fastest"
           : a->is_cheapest                ? "cheapest"
                                           : NULL;
}

static void add_answer(const struct rows *to, const struct answer *a)
{
    const struct ec_prediction *r = &a->r;
    struct ec_table *t = to->t;
    struct ec_interval tokens_per_s;
    bool guess = ec_is_guess(r), has_tokens = ec_tokens_per_s(r, &tokens_per_s) && !to->is_op;

    add_timed(to, true, guess, &r->step_time_ns);
    ec_table_bool(t, guess);
    add_sides(t, r);
    add_timed(to, !to->is_op, guess, &r->samples_per_s);
    add_timed(to, has_tokens, guess, &tokens_per_s);
    add_over_first(to, a);
    ec_table_row(t, ec_positive(a->speedup), ec_positive(a->efficiency));
    add_timed(to, r->has_epoch, guess, &r->epoch_time_ns);
    add_timed(to, r->has_job, guess, &r->job_time_ns);
    add_timed(to, r->has_cost, guess, &r->cost_usd);
    add_interval(t, r->has_memory, &r->memory_peak_bytes);
    add_interval(t, r->has_memory, &r->allocator_peak_bytes);
    ec_table_row(t, ec_text(ec__fits_word(r)),
                 r->has_memory && r->fits_probability >= 0 ? ec_num(r->fits_probability)
                                                           : ec_none(),
                 ec_text(ec_limit_name(r->limit)), ec_text(ec_basis_name(r->basis)));
    ec_table_row(t, ec_positive(a->query.usd_per_hour));
    ec_table_row(t, ec_text(a->price && a->price->kind ? ec_price_kinds[a->price->kind] : NULL),
                 ec_text(ec__chance_word(a->in_time)),
                 a->in_time >= 0 ? ec_num(a->in_time) : ec_none(), ec_text(best_word(a)));
}

/* --memory: the parts that JSON has, and their sum. */
static void add_memory(struct ec_table *t, const struct answer *a)
{
    const struct ec_prediction *r = &a->r;
    bool is_judged = r->has_memory && r->fits_probability >= 0;

    ec_table_row(t, ec_positive(r->weights_bytes), ec_positive(r->gradients_bytes),
                 ec_positive(r->optimizer_bytes));
    ec_table_row(t, ec_positive(r->activations_bytes), ec_positive(r->overhead_bytes));
    add_interval(t, r->has_memory, &r->memory_peak_bytes);
    ec_table_row(t, ec_positive(ec_device_usable_bytes(a->used)), ec_text(ec__fits_word(r)),
                 is_judged ? ec_num(r->fits_probability) : ec_none());
    ec_table_row(t, a->largest_batch >= 0 ? ec_int(a->largest_batch) : ec_none());
}

/* ------------------------------------------------------------------------------------------------
 * Columns of the question: the model, the device, and each option that is a number or a choice */

#define OPTIONS_MAX 96 /* asserted */
#define BEFORE 3       /* model, device, batch of all devices */

struct question_cols {
    struct ec_col v[OPTIONS_MAX + BEFORE + EC_LEN(answer_cols)];
    const struct ec_field *option[OPTIONS_MAX]; /* behind the first BEFORE */
    int n_options;
    bool varies[OPTIONS_MAX]; /* by the index in ec_predict_fields */
    bool models_vary, devices_vary;
    enum ec_status st; /* NOMEM: what varies is not known */
};

/* Whether the value says something of this row: options of several devices say nothing of one, and
 * the devices of each machine nothing of one machine. */
static bool is_telling(const struct answer *a, const struct ec_field *f)
{
    static const char *const of_several[] = { "interconnect", "strategy" };

    if (ec_name_index(of_several, EC_LEN(of_several), f->name) >= 0)
        return a->r.devices > 1;
    return !ec_str_eq(f->name, "devices_per_machine") || a->r.machines > 1;
}

static bool option_varies(const struct answer *a, int n, bool is_op, const struct ec_field *f,
                          enum ec_status *st)
{
    struct ec_buf one = EC_BUF_INIT, other = EC_BUF_INIT;
    bool differs = false, any = false;
    int i;

    for (i = 0; i < n && !differs; i++) {
        if (a[i].st || !is_telling(&a[i], f))
            continue;
        (void)ec_option_said(f, &a[i].query, &a[i].r, is_op, any ? &other : &one);
        differs = any && !ec_str_eq(ec_buf_text(&one), ec_buf_text(&other));
        any = true;
    }
    if (one.st || other.st)
        *st = EC_E_NOMEM;
    ec_buf_clear(&one);
    ec_buf_clear(&other);
    return differs;
}

/* The name with spaces. */
static const char *title_of(const char *name, struct ec_arena *a)
{
    char *title = ec_arena_str(a, name), *c;

    for (c = title; c && *c; c++)
        if (*c == '_')
            *c = ' ';
    return title ? title : name;
}

/* Sizes that come with the model: the least telling columns. */
static bool is_of_model(const struct ec_field *f)
{
    return ec_str_eq(f->name, "seq_len") || ec_str_eq(f->name, "image");
}

/* Keys that are cut short cannot be told apart. */
static int longest_device(const struct answer *a, int n)
{
    size_t len = 0;
    int i;

    for (i = 0; i < n; i++)
        if (!a[i].st && strlen(a[i].device) > len)
            len = strlen(a[i].device);
    return (int)len;
}

/* Text has the columns whose values differ; what is the same in all rows is printed above. */
static void question_cols(struct ec_call *call, const struct answer *a, int n,
                          struct question_cols *c)
{
    bool is_op = ((const struct predict_cmd_opts *)call->opts)->op != NULL;
    const struct ec_field *f;
    int i;

    for (i = 0; i < n; i++) {
        c->models_vary |= !ec_str_eq(a[i].model, a[0].model);
        c->devices_vary |= !ec_str_eq(a[i].device, a[0].device);
    }
    c->v[0] = (struct ec_col){ .key = is_op ? "op" : "model",
                               .title = "model",
                               .min_width = 12,
                               .flags = c->models_vary ? 0 : EC_COL_DATA_ONLY };
    c->v[1] = (struct ec_col){ .key = "device",
                               .title = "device",
                               .min_width = longest_device(a, n),
                               .flags = c->devices_vary || n == 1 ? 0 : EC_COL_DATA_ONLY };
    c->v[2] = (struct ec_col){
        .key = "batch", .title = "batch", .format = EC_COL_PLAIN, .flags = EC_COL_DATA_ONLY
    };
    for (f = ec_predict_fields; f->name; f++) {
        int at = (int)(f - ec_predict_fields);

        assert(at < OPTIONS_MAX);
        if (!ec_option_is_said(f) && !ec_call_list(call, f->name))
            continue;
        c->varies[at] = option_varies(a, n, is_op, f, &c->st);
        c->v[BEFORE + c->n_options] =
            (struct ec_col){ .key = ec_option_key(f),
                             .title = title_of(f->name, &call->arena),
                             .drop = is_of_model(f) ? 13 : 0,
                             .flags = (c->varies[at] ? 0u : EC_COL_DATA_ONLY) |
                                      (f->type != EC_F_ENUM ? EC_COL_RIGHT : 0u) };
        c->option[c->n_options++] = f;
    }
}

static void add_row(const struct rows *to, const struct question_cols *c, const struct answer *a,
                    struct ec_buf *text)
{
    struct ec_table *t = to->t;
    const char *value;
    int i;

    ec_table_row(t, ec_text(a->model), ec_text(a->device), ec_int(a->r.batch));
    for (i = 0; i < c->n_options; i++) {
        value = ec_option_said(c->option[i], &a->query, &a->r, to->is_op, text);
        ec_table_row(t, ec_given(value));
    }
    if (text->st || c->st)
        t->st = EC_E_NOMEM;
    if (to->is_memory)
        add_memory(t, a);
    else
        add_answer(to, a);
}

/* A note of several answers is printed once, with the names of some of their devices. Notes that
 * differ in numbers alone are one: the first stands for all. */
#define NAMED_MAX 5
struct note {
    const char *kind, *text;
    const char *device[NAMED_MAX]; /* each once */
    int n_devices;
    int n_answers;
    bool differs;  /* in numbers, between the answers */
    bool has_more; /* more devices than are named */
};
struct notes {
    struct note *v;
    int n, cap;
};

static const char *skip_number(const char *c)
{
    while (ec_is_digit(*c) || (*c == '.' && ec_is_digit(c[1])))
        c++;
    return c;
}

static bool is_but_numbers(const char *a, const char *b)
{
    for (; *a || *b; a++, b++) {
        if (ec_is_digit(*a) && ec_is_digit(*b)) {
            a = skip_number(a);
            b = skip_number(b);
        }
        if (*a != *b)
            return false;
        if (!*a)
            break;
    }
    return true;
}

static void add_device(struct note *l, const char *device)
{
    if (ec_name_index(l->device, l->n_devices, device) >= 0)
        return;
    if (l->n_devices < NAMED_MAX)
        l->device[l->n_devices++] = device;
    else
        l->has_more = true;
}

static enum ec_status add_note(struct notes *l, const char *kind, const char *text,
                               const char *device, struct ec_err *err)
{
    int i = 0;

    EC_PASS(ec_allocated(text, err));
    while (i < l->n && !(ec_str_eq(l->v[i].kind, kind) && is_but_numbers(l->v[i].text, text)))
        i++;
    if (i == l->n) {
        EC_PASS(ec_grow(&l->v, &l->cap, l->n + 1, sizeof *l->v, err));
        l->v[l->n++] = (struct note){ .kind = kind, .text = text };
    }
    l->v[i].n_answers++;
    if (ec_str_eq(l->v[i].text, text))
        add_device(&l->v[i], device);
    else
        l->v[i].differs = true;
    return EC_OK;
}

static void print_note(const struct note *l, bool of_all, struct ec_buf *out)
{
    int i;

    ec_buf_printf(out, "%s: %s", l->kind, l->text);
    for (i = 0; i < l->n_devices && !of_all; i++)
        ec_buf_printf(out, "%s%s", i ? ", " : " (", l->device[i]);
    ec_buf_str(out, of_all ? "" : l->differs || l->has_more ? " and others)" : ")");
    ec_buf_char(out, '\n');
}

/* The sentence without the key it begins with: the key is printed with the others. */
static const char *reason(const struct answer *a)
{
    size_t len = strlen(a->device);

    return ec_str_starts(a->err.text, a->device) && ec_str_starts(a->err.text + len, ": ")
               ? a->err.text + len + 2
               : a->err.text;
}

static const struct ec_interval *ends_after(const struct answer *a)
{
    return a->r.has_job ? &a->r.job_time_ns : &a->r.epoch_time_ns;
}

/* Where all are late: which comes nearest to the deadline. */
static void print_nearest(const char *deadline, const struct answer *a, int n, struct ec_buf *out)
{
    const struct answer *nearest = NULL;
    char time[32], from[32], to[32];
    int i;

    for (i = 0; i < n; i++) {
        if (a[i].st || a[i].in_time < 0)
            continue;
        if (!a[i].is_late)
            return;
        if ((!a[i].r.has_memory || a[i].r.fits_probability >= 0.5) &&
            (!nearest || a[i].in_time > nearest->in_time ||
             (a[i].in_time == nearest->in_time &&
              ends_after(&a[i])->p50 < ends_after(nearest)->p50)))
            nearest = &a[i];
    }
    if (nearest)
        ec_buf_printf(out,
                      "note: none is likely to end within %s; nearest: %s on %s, batch %lld: %s "
                      "(%s to %s)\n",
                      deadline, nearest->model, nearest->device, (long long)nearest->r.batch,
                      ec_fmt_ns(time, sizeof time, ends_after(nearest)->p50),
                      ec_fmt_ns(from, sizeof from, ends_after(nearest)->p05),
                      ec_fmt_ns(to, sizeof to, ends_after(nearest)->p95));
}

static void print_guesses(const struct answer *a, int n, struct ec_buf *out)
{
    int i, n_guesses = 0, n_ok = 0;

    for (i = 0; i < n; i++) {
        n_ok += !a[i].st;
        n_guesses += !a[i].st && ec_is_guess(&a[i].r);
    }
    if (n_guesses && n_guesses < n_ok)
        ec_buf_printf(
            out,
            "note: %d of the %d answers come after the others: their intervals are so wide "
            "that they are guesses\n",
            n_guesses, n_ok);
}

static enum ec_status print_notes(struct ec_call *call, const struct answer *a, int n,
                                  struct ec_buf *out, struct ec_err *err)
{
    struct notes l = { 0 };
    enum ec_status st = EC_OK;
    int i, j;

    for (i = 0; i < n; i++) {
        if (a[i].st)
            EC_TRY(add_note(&l, "no answer", reason(&a[i]), a[i].device, err));
        if (!a[i].st && a[i].price && ec_price_is_old(a[i].price))
            EC_TRY(
                add_note(&l, "note",
                         ec_arena_printf(&call->arena, "the price is of %s, more than 90 days ago",
                                         a[i].price->date),
                         a[i].device, err));
        for (j = 0; j < a[i].r.n_warnings; j++)
            if (!strstr(a[i].r.warnings[j], "fit: ")) /* the table has a column for the basis */
                EC_TRY(add_note(&l, "note", a[i].r.warnings[j], a[i].device, err));
    }
    for (i = 0; i < l.n; i++)
        print_note(&l.v[i], l.v[i].n_answers == n && !l.v[i].differs, out);
out:
    ec_free(l.v);
    return st;
}

static struct ec_col *column(struct question_cols *c, const char *key)
{
    struct ec_col *col = c->v + BEFORE + c->n_options;

    while (!ec_str_eq(col->key, key))
        col++;
    return col;
}

static void hide(struct question_cols *c, const char *key)
{
    column(c, key)->flags |= EC_COL_DATA_ONLY;
}

/* The time that was asked for has its bounds beside it. Without --epochs the job is one pass, and
 * its epoch would say the same. */
static void show_asked_time(struct question_cols *c, const struct answer *first)
{
    bool has_job = first && first->r.has_job, has_epoch = first && first->r.has_epoch;
    struct ec_col *asked = column(c, has_job     ? "job_time_ns"
                                     : has_epoch ? "epoch_time_ns"
                                                 : "step_time_ns");

    asked->drop = 0;
    asked[1].flags &= ~(unsigned)EC_COL_DATA_ONLY;
    asked[2].flags &= ~(unsigned)EC_COL_DATA_ONLY;
    if (has_job && !first->query.epochs)
        hide(c, "epoch_time_ns");
}

/* Whether the host time is printed the same in all rows with a host. */
static bool is_same_host(const struct answer *a, int n, const struct answer *first)
{
    char want[32], time[32];
    int i;

    if (!first)
        return false;
    (void)ec_fmt_ns(want, sizeof want, first->r.host_ns);
    for (i = 0; i < n; i++)
        if (!a[i].st && *a[i].r.host &&
            !ec_str_eq(want, ec_fmt_ns(time, sizeof time, a[i].r.host_ns)))
            return false;
    return true;
}

/* The first answer (with_host: the first with a host); NULL if there is none. */
static const struct answer *first_answer(const struct answer *a, int n, bool with_host)
{
    int i;

    for (i = 0; i < n; i++)
        if (!a[i].st && (!with_host || *a[i].r.host))
            return &a[i];
    return NULL;
}

/* with_host: NULL without one, and then there are no two sides; same_host, kind: printed above the
 * table */
static int answer_columns(struct question_cols *c, const struct answer *first,
                          const struct answer *with_host, bool same_host, enum ec_price_kind kind)
{
    memcpy(c->v + BEFORE + c->n_options, answer_cols, sizeof answer_cols);
    if (!with_host)
        hide(c, "device_ns");
    if (!with_host || same_host)
        hide(c, "host_ns");
    if (kind)
        hide(c, "price_kind");
    show_asked_time(c, first);
    return EC_LEN(answer_cols);
}

static int memory_columns(struct question_cols *c)
{
    memcpy(c->v + BEFORE + c->n_options, memory_cols, sizeof memory_cols);
    return EC_LEN(memory_cols);
}

/* The kind of all prices; UNSAID: they say none, or differ. */
static enum ec_price_kind same_price_kind(const struct answer *a, int n)
{
    enum ec_price_kind kind = EC_PRICE_UNSAID;
    int i;

    for (i = 0; i < n; i++) {
        if (a[i].st || !a[i].price)
            continue;
        if (kind && a[i].price->kind != kind)
            return EC_PRICE_UNSAID;
        kind = a[i].price->kind;
    }
    return kind;
}

/* What is the same in all rows. */
static void print_head(const struct predict_cmd_opts *o, const struct question_cols *c,
                       const struct answer *first, const struct answer *with_host, bool same_host,
                       enum ec_price_kind kind, struct ec_buf *out)
{
    struct ec_buf line = EC_BUF_INIT;

    ec__query_line(o, first, !c->models_vary, c->varies, &line);
    ec_buf_join(out, &line);
    ec_buf_char(out, '\n');
    if (!c->devices_vary)
        ec_buf_printf(out, "on %s\n", first->used->name);
    if (with_host)
        ec__host_line(with_host, same_host, out);
    ec__usual_line(o, first, out);
    if (kind)
        ec_buf_printf(out, "prices: %s (--price-kind for others)\n", ec_price_kinds[kind]);
    ec_buf_char(out, '\n');
    ec_buf_clear(&line);
}

enum ec_status ec__predict_table(struct ec_call *call, const struct answer *a, int n,
                                 struct ec_err *err)
{
    const struct predict_cmd_opts *o = call->opts;
    const struct answer *first = first_answer(a, n, false);
    const struct answer *with_host = o->memory ? NULL : first_answer(a, n, true);
    enum ec_price_kind kind = same_price_kind(a, n);
    bool same_host = is_same_host(a, n, with_host);
    struct ec_buf text = EC_BUF_INIT, notes = EC_BUF_INIT;
    struct question_cols c = { .n_options = 0 };
    struct ec_table t;
    struct rows to = {
        .t = &t, .is_op = o->op != NULL, .is_memory = o->memory, .is_text = !call->forms.csv
    };
    enum ec_status st;
    size_t from;
    int i, n_cols;

    question_cols(call, a, n, &c);
    n_cols = o->memory ? memory_columns(&c) : answer_columns(&c, first, with_host, same_host, kind);
    ec_table_init(&t, c.v, BEFORE + c.n_options + n_cols);
    for (i = 0; i < n; i++)
        if (!a[i].st)
            add_row(&to, &c, &a[i], &text);
    from = call->out.len;
    if (!call->forms.csv && first)
        print_head(o, &c, first, with_host, same_host, kind, &call->out);
    EC_TRY(ec_forms_any(&call->forms) ? EC_OK : ec_call_fit(call, from, err));
    EC_TRY(ec_call_table(call, NULL, &t, err));
    if (o->deadline)
        print_nearest(o->deadline, a, n, &notes);
    if (o->sort != EC_SORT_MEMORY && o->sort != EC_SORT_GIVEN)
        print_guesses(a, n, &notes);
    EC_TRY(print_notes(call, a, n, &notes, err));
    from = call->out.len;
    if (call->forms.csv)
        ec_say("%s", ec_buf_text(&notes));
    else if (notes.len)
        ec_buf_printf(&call->out, "\n%s", notes.data);
    EC_TRY(ec_forms_any(&call->forms) ? EC_OK : ec_call_fit(call, from, err));
out:
    ec_table_clear(&t);
    ec_buf_clear(&text);
    ec_buf_clear(&notes);
    return st;
}
