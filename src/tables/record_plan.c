/* A mapping looked up in a table's header, once, so that a table of a hundred thousand rows is read
 * without searching for columns. */
#include "tables/record_internal.h"

#include <string.h>

/* By its whole name, which a table's own part of a cell comes after. */
static int find_one(const struct ec_csv *csv, struct ec_span name)
{
    int i;

    for (i = 0; i < csv->n_cols; i++)
        if (ec_span_eq(name, csv->names[i]))
            return i;
    return -1;
}

static int find_col(const struct ec_csv *csv, struct ec_span name)
{
    int col = find_one(csv, name);
    struct ec_span one;

    if (col >= 0 || !name.len || !memchr(name.p, '|', name.len))
        return col;
    while (col < 0 && name.p && ec_span_cut(&name, '|', &one))
        col = find_one(csv, one);
    return col;
}

static int use_col(struct ec_plan *p, const struct ec_csv *csv, struct ec_span name)
{
    int col = find_col(csv, name);

    if (col >= 0)
        p->used[col] = true;
    return col;
}

static int named(struct ec_plan *p, const struct ec_csv *csv, const char *name)
{
    return name ? use_col(p, csv, ec_span_of(name)) : -1;
}

static enum ec_status add_piece(struct ec_template *t, struct ec_piece piece, struct ec_err *err)
{
    if (piece.kind == EC_PIECE_TEXT && !piece.text.len)
        return EC_OK;
    EC_PASS(ec_grow(&t->piece, &t->cap, t->n + 1, sizeof *t->piece, err));
    t->piece[t->n++] = piece;
    return EC_OK;
}

/* {one+other:words|column}: a word for both cells, or else what stands in the column;
 * {one:words?}: or else nothing. */
static void look_up_word(struct ec_plan *p, const struct ec_csv *csv, struct ec_span *name,
                         struct ec_span list, struct ec_piece *piece)
{
    struct ec_span second = *name, other = list;

    piece->is_optional = list.len && list.p[list.len - 1] == '?';
    list.len -= piece->is_optional ? 1 : 0;
    if (other.len && memchr(other.p, '|', other.len)) {
        (void)ec_span_cut(&other, '|', &list);
        piece->other = use_col(p, csv, other);
    }
    piece->words = ec__words_find(p->l->map, list);
    if (name->len && memchr(name->p, '+', name->len)) {
        (void)ec_span_cut(&second, '+', name);
        piece->second = use_col(p, csv, second);
    }
}

static struct ec_piece look_up(struct ec_plan *p, const struct ec_csv *csv, struct ec_span body)
{
    struct ec_piece piece = { .kind = EC_PIECE_CELL, .second = -1, .other = -1 };
    struct ec_span name = body, rest = body;

    if (body.len && memchr(body.p, ':', body.len)) {
        piece.kind = EC_PIECE_WORD;
        (void)ec_span_cut(&rest, ':', &name);
        look_up_word(p, csv, &name, rest, &piece);
    }
    piece.name = name;
    piece.col = use_col(p, csv, name);
    if (piece.col < 0 && name.len && piece.kind == EC_PIECE_CELL && memchr(name.p, '/', name.len)) {
        piece.kind = EC_PIECE_QUOTIENT;
        (void)ec_span_cut(&rest, '/', &name);
        piece.col = find_col(csv, name);
        piece.second = find_col(csv, rest);
    }
    if (piece.col < 0 && name.len && memchr(name.p, '.', name.len)) {
        struct ec_span before;

        piece.key = name;
        (void)ec_span_cut(&piece.key, '.', &before);
        piece.col =
            find_col(csv, before); /* what else stands in the cell has no place of its own */
    }
    return piece;
}

static enum ec_status look_up_text(struct ec_plan *p, const struct ec_csv *csv, const char *text,
                                   struct ec_template *t, struct ec_err *err)
{
    const char *open, *close;
    enum ec_status st = EC_OK;

    if (!strchr(text, '{')) {
        t->fixed = text;
        return EC_OK;
    }
    while (!st && (open = strchr(text, '{')) && (close = strchr(open, '}'))) {
        struct ec_span body = { open + 1, (size_t)(close - open - 1) };

        st = add_piece(t,
                       (struct ec_piece){
                           .text = {text, (size_t)(open - text)},
                             .kind = EC_PIECE_TEXT
        },
                       err);
        if (!st)
            st = add_piece(t, look_up(p, csv, body), err);
        text = close + 1;
    }
    return st ? st : add_piece(t, (struct ec_piece){ .text = ec_span_of(text) }, err);
}

static int look_up_flags(struct ec_plan *p, const struct ec_csv *csv, const char *flags)
{
    struct ec_span rest = ec_span_of(flags), word;
    int n = 0;

    while (rest.p && n < EC_NAMED_MAX && ec_span_cut(&rest, ' ', &word)) {
        struct ec_named_col f = { .kind = EC_FLAG_SET };

        if (!word.len)
            continue;
        if (*word.p == '!' || *word.p == '@') {
            f.kind = *word.p == '!' ? EC_FLAG_CLEAR : EC_FLAG_TEXT;
            word = (struct ec_span){ word.p + 1, word.len - 1 };
        }
        f.name = word;
        f.col = find_col(csv, word);
        if (f.col < 0)
            continue;
        p->used[f.col] = true;
        p->flag[n++] = f;
    }
    return n;
}

/* What belongs to an iteration alone is kept with none. */
static void pass_over(struct ec_plan *p, const struct ec_csv *csv, const char *names)
{
    struct ec_span rest = ec_span_of(names ? names : ""), name;

    while (rest.p && ec_span_cut(&rest, ' ', &name))
        (void)use_col(p, csv, name);
}

static int look_up_libraries(struct ec_plan *p, const struct ec_csv *csv, const char *libraries)
{
    struct ec_span rest = ec_span_of(libraries), word;
    int n = 0;

    while (rest.p && n < EC_NAMED_MAX && ec_span_cut(&rest, ' ', &word)) {
        struct ec_named_col *f = &p->library[n];

        (void)ec_span_cut(&word, '=', &f->name);
        f->col = find_col(csv, word);
        if (!f->name.len || f->col < 0)
            continue;
        p->used[f->col] = true;
        n++;
    }
    return n;
}

static enum ec_status plan_init(struct ec_reader *r, struct ec_plan *p, const struct ec_mapping *l,
                                const char *device, struct ec_err *err)
{
    const char *deflt[] = {
#define EC_TEXT_DEFLT(name, template, deflt) deflt,
        EC_TEXT_LIST(EC_TEXT_DEFLT)
#undef EC_TEXT_DEFLT
    };
    const char *text[] = {
#define EC_TEXT_TEMPLATE(name, template, deflt) template,
        EC_TEXT_LIST(EC_TEXT_TEMPLATE)
#undef EC_TEXT_TEMPLATE
    };
    enum ec_status st = EC_OK;
    int i;

    if (r->judges) {
        text[EC_TEXT_optimizer] = l->optimizer;
        text[EC_TEXT_mode] = l->mode;
        deflt[EC_TEXT_framework] = "pytorch-2";
    }
    if (l->map && l->map->is_own && l->is_network) { /* as a table without a mapping */
        deflt[EC_TEXT_mode] = "training_step";
        deflt[EC_TEXT_optimizer] = "";
    }
    p->l = l;
    p->used = ec_arena_alloc(&r->arena, (size_t)r->csv->n_cols + 1);
    EC_PASS(ec_allocated(p->used, err));
    for (i = 0; i < EC_TEXT_COUNT && !st; i++)
        st = look_up_text(p, r->csv, text[i] ? text[i] : deflt[i], &p->text[i], err);
    for (i = 0; i < EC_MAPPING_TIMES_MAX; i++)
        p->time_col[i] = l->times[i].multiply_adds /* a rate stays as it is beside the time */
                             ? ec__column_named(r->csv, l->times[i].column)
                             : named(p, r->csv, l->times[i].column);
    p->min = named(p, r->csv, l->min);
    p->max = named(p, r->csv, l->max);
    p->mean = named(p, r->csv, l->mean);
    p->std = named(p, r->csv, l->std);
    p->n_samples = named(p, r->csv, l->n_samples);
    p->iteration = named(p, r->csv, l->iteration);
    pass_over(p, r->csv, l->of_iteration);
    p->memory = named(p, r->csv, l->memory);
    p->dataset_size = ec__column_named(r->csv, l->dataset_size);
    p->samples = named(p, r->csv, l->samples);
    p->device_samples = named(p, r->csv, l->device_samples);
    p->machine = named(p, r->csv, l->machine);
    p->n_flags = look_up_flags(p, r->csv, l->flags);
    p->n_libraries = look_up_libraries(p, r->csv, l->libraries);
    return st;
}

static int column_width(struct ec_span name)
{
    return name.len > 60 ? 60 : (int)name.len;
}

static bool lacks_second(const struct ec_piece *p)
{
    return p->kind == EC_PIECE_QUOTIENT && p->second < 0;
}

/* Shipped mappings are for many editions of a table; a user's own means what it says. */
static enum ec_status check_columns(const struct ec_plan *p, struct ec_err *err)
{
    const struct ec_mapping *l = p->l;
    const char *names[] = {
        l->min, l->max, l->mean, l->std, l->n_samples, l->iteration, l->memory
    };
    const int cols[] = { p->min, p->max, p->mean, p->std, p->n_samples, p->iteration, p->memory };
    int i, k;

    for (i = 0; i < EC_TEXT_COUNT; i++)
        for (k = 0; k < p->text[i].n; k++)
            if (p->text[i].piece[k].kind != EC_PIECE_TEXT &&
                (p->text[i].piece[k].col < 0 || lacks_second(&p->text[i].piece[k])))
                return ec_fail(err, EC_E_INPUT,
                               "the mapping names a column {%.*s} that the table lacks",
                               column_width(p->text[i].piece[k].name), p->text[i].piece[k].name.p);
    for (i = 0; i < EC_MAPPING_TIMES_MAX && l->times[i].column; i++)
        if (p->time_col[i] < 0)
            return ec_fail(err, EC_E_INPUT,
                           "the mapping names a column {%.60s} that the table lacks",
                           l->times[i].column);
    for (i = 0; i < EC_LEN(names); i++)
        if (names[i] && cols[i] < 0)
            return ec_fail(err, EC_E_INPUT,
                           "the mapping names a column {%.60s} that the table lacks", names[i]);
    return EC_OK;
}

static enum ec_status quote_keys(struct ec_reader *r, struct ec_err *err)
{
    struct ec_buf b = EC_BUF_INIT;
    enum ec_status st = EC_OK;
    int i;

    for (i = 0; i < r->csv->n_cols && !st; i++) {
        ec_buf_reset(&b);
        ec_json_quote(&b, r->csv->names[i]);
        st = ec_buf_keep(&b, &r->arena, &r->json_key[i], err);
    }
    ec_buf_clear(&b);
    return st;
}

static enum ec_status add_plans(struct ec_reader *r, const struct ec_mapping *l, const char *device,
                                struct ec_err *err)
{
    enum ec_status st = plan_init(r, &r->plan[r->n_plans++], l, device, err);
    int i;

    if (r->judges && l->by_name) /* asked for: this and nothing else */
        return st;
    for (i = 0; l->map && i < l->map->n && !st && r->n_plans < EC_PLANS_MAX; i++)
        if (l->map->section[i] != l && ec__mappings_share(l->map->section[i], l))
            st = plan_init(r, &r->plan[r->n_plans++], l->map->section[i], device, err);
    return st;
}

static enum ec_status reader_new(const struct ec_mapping *l, const struct ec_csv *csv,
                                 const char *device, bool judges, struct ec_reader **ret,
                                 struct ec_err *err)
{
    struct ec_reader *r = ec_alloc(sizeof *r);
    enum ec_status st = EC_OK;
    int i;

    EC_PASS(ec_allocated(r, err));
    r->csv = csv;
    r->judges = judges;
    r->lossy = ec_arena_alloc(&r->arena, (size_t)csv->n_cols + 1);
    r->json_key = ec_arena_alloc(&r->arena, sizeof *r->json_key * ((size_t)csv->n_cols + 1));
    EC_TRY(ec_allocated(r->lossy && r->json_key, err));
    if (!device && ec_csv_col(csv, "device") >= 0)
        device = "{device}";
    EC_TRY(quote_keys(r, err));
    EC_TRY(add_plans(r, l, device, err));
    for (i = 0; i < r->n_plans && l->map && l->map->is_own; i++)
        EC_TRY(check_columns(&r->plan[i], err));
    *ret = r;
    r = NULL;
out:
    ec_reader_free(r);
    return st;
}

enum ec_status ec_reader_new(const struct ec_mapping *l, const struct ec_csv *csv,
                             const char *device, struct ec_reader **ret, struct ec_err *err)
{
    return reader_new(l, csv, device, false, ret, err);
}

enum ec_status ec__judging_reader_new(const struct ec_mapping *l, const struct ec_csv *csv,
                                      struct ec_reader **ret, struct ec_err *err)
{
    return reader_new(l, csv, NULL, true, ret, err);
}

void ec_reader_free(struct ec_reader *r)
{
    int i, k;

    if (!r)
        return;
    for (i = 0; i < r->n_plans; i++)
        for (k = 0; k < EC_TEXT_COUNT; k++) {
            ec_free(r->plan[i].text[k].piece);
            ec_buf_clear(&r->plan[i].text[k].out);
        }
    for (i = 0; i < EC_RECORDS_MAX; i++)
        ec_buf_clear(&r->flags[i]);
    ec_buf_clear(&r->libraries);
    ec_buf_clear(&r->job);
    ec_buf_clear(&r->extra);
    ec_buf_clear(&r->pair);
    ec_buf_clear(&r->part);
    ec_buf_clear(&r->words);
    ec_arena_clear(&r->arena);
    ec_free(r);
}
