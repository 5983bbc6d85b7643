/* All pictures that a table gives. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "report/picture_internal.h"
#include "report/runs.h"

#define SET_MAX 64

struct set {
    const struct ec_csv *t;
    struct ec_arena *a;
    struct ec_picture_file *v;
    int n;
    const char *mode, *both; /* filters of the pictures, as --where; NULL: not needed */
    struct ec_err *err;
};

/* "before,column=word". In the word '?', which matches any letter, stands for a comma, a quote and
 * a star: they would end the word or the argument, or match more. */
static const char *term(struct set *s, const char *before, const char *column, const char *word)
{
    char *text = ec_arena_str(s->a, word), *p;

    for (p = text; p && *p; p++)
        *p = strchr(",'*", *p) || (unsigned char)*p < 32 ? '?' : *p;
    return text ? ec_arena_printf(s->a, "%s%s%s=%s", before ? before : "", before ? "," : "",
                                  column, text)
                : NULL;
}

/* A name that no picture of the set has: words that differ only in replaced letters share one, and
 * a later one gets a number. */
static const char *unique(struct set *s, const char *name)
{
    const char *one = name;
    int i, n = 2;

    for (i = 0; i < s->n && one; i++)
        if (ec_str_eq(s->v[i].name, one)) {
            one = ec_arena_printf(s->a, "%s-%d", name, n++);
            i = -1;
        }
    return one;
}

/* Skips a picture without numbers to draw. */
static enum ec_status add(struct set *s, const struct ec_picture *p, const char *name)
{
    struct ec_drawing d = { 0 };
    enum ec_status st;

    EC_PASS(ec_allocated(name, s->err));
    if (s->n == SET_MAX)
        return EC_OK;
    st = ec_picture_draw(p, s->t, &d, s->err);
    ec_drawing_clear(&d);
    if (st)
        return st == EC_E_NOMEM ? st : EC_OK;
    name = unique(s, name);
    EC_PASS(ec_allocated(name, s->err));
    s->v[s->n].p = *p;
    s->v[s->n++].name = name;
    return EC_OK;
}

/* Letters and digits of a word; the rest becomes '-'. */
static const char *file_word(struct set *s, const char *prefix, const char *word)
{
    char *name = ec_arena_printf(s->a, "%s-%.60s", prefix, word), *p;

    for (p = name; p && *p; p++)
        if (!((*p >= '0' && *p <= '9') || (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') ||
              *p == '_' || *p == '.'))
            *p = '-';
    return name;
}

/* What a picture would show. */
struct view {
    bool curve; /* two points that a line joins */
    bool lone;  /* a single bar, which shows no more than the table */
    bool many;  /* curves that one picture does not hold */
};

/* Nothing where the points cannot be read. Errors: NOMEM */
static enum ec_status look(const struct set *s, const struct ec_picture *p, struct view *ret)
{
    struct ec__points pts = { 0 };
    enum ec_status st = ec__points_read(p, s->t, &pts, s->err);
    int i;

    ret->lone = pts.series.n * pts.categories.n == 1;
    ret->many = pts.series.n > EC__CURVES_MAX;
    ret->curve = false;
    if (p->form == EC_PICTURE_LINE && pts.n)
        ec__points_sort(&pts);
    for (i = 1; i < pts.n && p->form == EC_PICTURE_LINE; i++)
        ret->curve |= pts.v[i].series == pts.v[i - 1].series && pts.v[i].x > pts.v[i - 1].x;
    ec__points_clear(&pts);
    return st == EC_E_NOMEM ? st : EC_OK;
}

/* One picture per word of a column, when there are several; of the first SET_MAX words. */
static enum ec_status by_word(struct set *s, const struct ec_picture *p, int col, bool titled)
{
    struct ec_groups g = { 0 };
    enum ec_status st;
    int i, tried = 0;

    EC_TRY(ec__csv_group(s->t, &col, 1, NULL, s->t->n_rows, &g, s->err));
    for (i = 0; i < g.n && g.n > 1 && tried < SET_MAX; i++) {
        const char *word = ec_csv_cell(s->t, ec_group_first(&g, i), col);
        struct ec_picture one = *p;
        struct view view = { .curve = true };

        if (!*word || (p->each_environment && ec_group_size(&g, i) < 2)) /* that is no curve */
            continue;
        tried++;
        one.where = term(s, p->where, s->t->names[col], word);
        one.title = titled ? ec_arena_printf(s->a, "%s of %s", p->title, word) : p->title;
        EC_TRY(ec_allocated(one.where && one.title, s->err));
        if (p->each_environment)
            EC_TRY(look(s, &one, &view));
        if (view.curve)
            EC_TRY(add(s, &one, file_word(s, p->name, word)));
    }
out:
    ec_groups_clear(&g);
    return st;
}

/* The environment of a row, as recipes take it. */
static int environment(const struct ec_csv *t)
{
    bool optional;

    return ec__column(t, ec_span_of("env|environment|device"), &optional);
}

static bool several(const struct ec_csv *t, int col)
{
    return col >= 0 && ec__constant_row(t, NULL, col) < 0;
}

static const char *common_mode(const struct ec_csv *t, int mode)
{
    int row;

    for (row = 0; row < t->n_rows; row++)
        if (ec_str_eq(ec_csv_cell(t, row, mode), "training_step"))
            return "training_step";
    return ec_csv_cell(t, 0, mode);
}

/* The precision that most environments have, of equals that of most rows. */
static enum ec_status common_precision(const struct set *s, int mode, int precision,
                                       const char **ret)
{
    const int cols[] = { mode, precision, environment(s->t) };
    const char *of_mode = mode >= 0 ? common_mode(s->t, mode) : NULL;
    struct ec_groups words = { 0 }, cells = { 0 };
    int64_t *score = NULL, most = 0;
    int i, n = s->t->n_rows;
    enum ec_status st;

    *ret = "";
    EC_TRY(ec__csv_group(s->t, &precision, 1, NULL, n, &words, s->err));
    EC_TRY(ec__csv_group(s->t, cols, EC_LEN(cols), NULL, n, &cells, s->err));
    score = ec_alloc(sizeof *score * ((size_t)words.n + 1));
    EC_TRY(ec_allocated(score, s->err));
    for (i = 0; i < n; i++)
        if (!of_mode || ec_str_eq(ec_csv_cell(s->t, i, mode), of_mode))
            score[words.of[i]] += ec_group_begins(&cells, i) ? n : 1;
    for (i = 0; i < words.n; i++)
        if (score[i] > most) {
            most = score[i];
            *ret = ec_csv_cell(s->t, ec_group_first(&words, i), precision);
        }
out:
    ec_groups_clear(&words);
    ec_groups_clear(&cells);
    ec_free(score);
    return st;
}

/* Selects mode and precision of the pictures: they are not mixed. */
static enum ec_status choose(struct set *s)
{
    int mode = ec_csv_col(s->t, "mode"), precision = ec_csv_col(s->t, "precision");
    const char *word;

    mode = several(s->t, mode) ? mode : -1;
    precision = several(s->t, precision) ? precision : -1;
    if (mode >= 0) {
        s->mode = term(s, NULL, "mode", common_mode(s->t, mode));
        EC_PASS(ec_allocated(s->mode, s->err));
    }
    s->both = s->mode;
    if (precision >= 0) {
        EC_PASS(common_precision(s, mode, precision, &word));
        s->both = term(s, s->mode, "precision", word);
        EC_PASS(ec_allocated(s->both, s->err));
    }
    return EC_OK;
}

static enum ec_status add_roofline(struct set *s, struct ec_picture *p)
{
    enum ec_status st;

    p->where = s->both;
    st = add(s, p, p->name);
    p->where = s->mode;
    return st ? st : by_word(s, p, ec_csv_col(s->t, "device"), true);
}

/* Errors of predictions differ by mode. */
static enum ec_status add_predicted(struct set *s, struct ec_picture *p)
{
    int mode = ec_csv_col(s->t, "mode");

    return several(s->t, mode) ? by_word(s, p, mode, false) : add(s, p, p->name);
}

/* Whether another picture of the table shows the recipe among others. */
static bool is_panel(const struct ec_csv *table, const char *name)
{
    const struct ec_picture *all;
    struct ec_picture panel;
    int n, i, k;

    all = ec_pictures(&n);
    for (i = 0; i < n; i++)
        for (k = 0; ec__panel(&all[i], k, &panel); k++)
            if (ec_str_eq(panel.name, name) && ec_picture_fits(&all[i], table))
                return true;
    return false;
}

static enum ec_status add_recipe(struct set *s, const struct ec_picture *recipe)
{
    struct ec_picture p = *recipe, line = *recipe;
    struct view view = { .curve = true };

    if (p.form == EC_PICTURE_ROOFLINE)
        return add_roofline(s, &p);
    if (p.percent_bands)
        return add_predicted(s, &p);
    if ((p.environments || p.between) && p.form == EC_PICTURE_BARS &&
        !several(s->t, environment(s->t)))
        return EC_OK;
    (void)ec__panel(&p, 0, &line);
    if (p.form == EC_PICTURE_LINE)
        EC_PASS(look(s, &line, &view));
    if (!view.curve)
        return EC_OK;
    if (s->both)
        p.where =
            ec_arena_printf(s->a, "%s%s%s", p.where ? p.where : "", p.where ? "," : "", s->both);
    if (s->both && !p.where)
        return ec_nomem(s->err);
    if (p.form == EC_PICTURE_BARS)
        EC_PASS(look(s, &p, &view));
    if (view.lone && p.form == EC_PICTURE_BARS)
        return EC_OK;
    EC_PASS(add(s, &p, p.name));
    if (p.each_environment)
        EC_PASS(look(s, &p, &view));
    if (p.each_environment && view.many)
        EC_PASS(by_word(s, &p, environment(s->t), false));
    return EC_OK;
}

enum ec_status ec_pictures_of(const struct ec_csv *table, struct ec_arena *a,
                              struct ec_picture_file **ret, int *ret_n, struct ec_err *err)
{
    struct set s = { .t = table, .a = a, .err = err };
    const struct ec_picture *all;
    enum ec_status st;
    int n, i;

    s.v = ec_arena_alloc(a, sizeof *s.v * SET_MAX);
    EC_PASS(ec_allocated(s.v, err));
    st = table->n_rows ? choose(&s) : EC_OK;
    all = ec_pictures(&n);
    for (i = 0; i < n && !st; i++)
        if (ec_picture_fits(&all[i], table) && !is_panel(table, all[i].name))
            st = add_recipe(&s, &all[i]);
    *ret = s.v;
    *ret_n = s.n;
    return st;
}

enum ec_status ec_pictures_write(const struct ec_csv *table, const char *dir, const char *ending,
                                 struct ec_arena *a, struct ec_strs *ret_names, struct ec_err *err)
{
    struct ec_picture_file *v;
    enum ec_status st;
    int n, i;

    EC_PASS(ec_pictures_of(table, a, &v, &n, err));
    if (mkdir(dir, 0777) && errno != EEXIST)
        return ec_fail(err, EC_E_IO, "%s: cannot make the directory: %s", dir, strerror(errno));
    for (i = 0; i < n; i++) {
        struct ec_drawing d = { 0 };
        const char *path = ec_arena_printf(a, "%s/%s.%s", dir, v[i].name, ending);

        EC_PASS(ec_allocated(path, err));
        EC_PASS(ec_picture_draw(&v[i].p, table, &d, err));
        st = ec_drawing_write(&d, path, err);
        ec_drawing_clear(&d);
        EC_PASS(st);
        EC_PASS(ec_strs_add(ret_names, a, err, "%s", path));
    }
    return EC_OK;
}
