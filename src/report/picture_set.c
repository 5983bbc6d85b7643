/* All pictures that a table gives. */
#include <errno.h>
#include <stdio.h>
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
    struct ec_err *err;
};

/* What cannot be drawn for want of numbers is no picture of this table. */
static enum ec_status add(struct set *s, const struct ec_picture *p, const char *name)
{
    struct ec_drawing d = { 0 };
    enum ec_status st;

    if (!name)
        return ec_nomem(s->err);
    if (s->n == SET_MAX)
        return EC_OK;
    st = ec_picture_draw(p, s->t, &d, s->err);
    ec_drawing_clear(&d);
    if (st)
        return st == EC_E_NOMEM ? st : EC_OK;
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

/* One picture per device, when there are several. */
static enum ec_status by_device(struct set *s, const struct ec_picture *p)
{
    int col = ec_csv_col(s->t, "device"), row, k, n = 0;
    enum ec_status st = EC_OK;

    for (row = 0; row < s->t->n_rows; row++)
        n += row > 0 && !ec_str_eq(ec_csv_cell(s->t, row, col), ec_csv_cell(s->t, 0, col));
    for (row = 0; row < s->t->n_rows && n && !st; row++) {
        const char *device = ec_csv_cell(s->t, row, col);
        struct ec_picture one = *p;

        for (k = 0; k < row && !ec_str_eq(ec_csv_cell(s->t, k, col), device); k++)
            continue;
        if (k < row || !*device)
            continue;
        one.where = ec_arena_printf(s->a, "device=%s", device);
        one.title = ec_arena_printf(s->a, "%s of %s", p->title, device);
        if (!one.where || !one.title)
            return ec_nomem(s->err);
        st = add(s, &one, file_word(s, p->name, device));
    }
    return st;
}

enum ec_status ec_pictures_of(const struct ec_csv *table, struct ec_arena *a,
                              struct ec_picture_file **ret, int *ret_n, struct ec_err *err)
{
    struct set s = { .t = table, .a = a, .err = err };
    const struct ec_picture *all;
    enum ec_status st = EC_OK;
    int n, i;

    s.v = ec_arena_alloc(a, sizeof *s.v * SET_MAX);
    if (!s.v)
        return ec_nomem(err);
    all = ec_pictures(&n);
    for (i = 0; i < n && !st; i++) {
        if (!ec_picture_fits(&all[i], table))
            continue;
        st = add(&s, &all[i], all[i].name);
        if (!st && all[i].form == EC_PICTURE_ROOFLINE)
            st = by_device(&s, &all[i]);
    }
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

    EC_TRY(ec_pictures_of(table, a, &v, &n, err));
    if (mkdir(dir, 0777) && errno != EEXIST)
        EC_TRY(ec_fail(err, EC_E_IO, "%s: cannot make the directory: %s", dir, strerror(errno)));
    for (i = 0; i < n; i++) {
        struct ec_drawing d = { 0 };
        const char *path = ec_arena_printf(a, "%s/%s.%s", dir, v[i].name, ending);

        if (!path)
            EC_TRY(ec_nomem(err));
        EC_TRY(ec_picture_draw(&v[i].p, table, &d, err));
        st = ec_drawing_write(&d, path, err);
        ec_drawing_clear(&d);
        EC_TRY(st);
        EC_TRY(ec_strs_add(ret_names, a, err, "%s", path));
    }
out:
    return st;
}
