/* Splits measured operators, and writes the tested rows to a file. */
#include "fit/compare_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAVE_ONE_MAX 1000 /* rounds */

const struct ec_by_name ec__by_names[EC_BY_ROW_COUNT] = {
    [EC_BY_ROW_DEVICE] = {"device",         "devices"       },
    [EC_BY_ROW_FAMILY] = { "family",        "families"      },
    [EC_BY_ROW_BATCH] = { "batch",         "batch sizes"   },
    [EC_BY_ROW_CONFIGURATION] = { "configuration", "configurations"},
};

const char *ec__split_by(const char *text, enum ec_split_kind *ret_kind)
{
    bool each = ec_str_starts(text, "logo:");

    *ret_kind = each ? EC_SPLIT_LEAVE_ONE : EC_SPLIT_GROUP;
    return each || ec_str_starts(text, "group:") ? strchr(text, ':') + 1 : NULL;
}

enum ec_status ec__parse_split(const char *text, enum ec_split_kind *ret_kind, enum ec_by *ret_by,
                               struct ec_err *err)
{
    enum ec_split_kind kind;
    const char *word = ec__split_by(text, &kind);
    int by;

    *ret_by = EC_BY_NOTHING;
    *ret_kind = ec_str_eq(text, "kfold") ? EC_SPLIT_KFOLD : EC_SPLIT_RANDOM;
    if (ec_str_eq(text, "random") || ec_str_eq(text, "kfold"))
        return EC_OK;
    for (by = EC_BY_NOTHING + 1; word && by < EC_BY_ROW_COUNT; by++)
        if (ec_str_eq(word, ec__by_names[by].word)) {
            *ret_kind = kind;
            *ret_by = (enum ec_by)by;
            return EC_OK;
        }
    return ec_fail(err, EC_E_INPUT,
                   "no split \"%.40s\": expected random, kfold, or group: or logo: and device, "
                   "family, batch or configuration",
                   text);
}

/* ------------------------------------------------------------------------------------------------
 * Groups */

/* Adds a word of a case without the batch, which is the first dimension of x and of operands with
 * the shape of x. */
static void put_word(struct ec_buf *out, struct ec_span word, struct ec_span shape)
{
    struct ec_span name = { NULL, 0 }, value = word, first = { NULL, 0 };

    if (!ec_span_cut(&value, '=', &name) || value.len != shape.len || !shape.len ||
        memcmp(value.p, shape.p, shape.len) != 0) {
        ec_buf_printf(out, " %.*s", (int)word.len, word.p);
        return;
    }
    (void)ec_span_cut(&value, 'x', &first);
    ec_buf_printf(out, " %.*s=x%.*s", (int)name.len, name.p, (int)value.len,
                  value.len ? value.p : "");
}

/* The batch of a case, or the case without the batch. */
static enum ec_status case_key(const char *what, enum ec_by by, struct ec_buf *out,
                               struct ec_err *err)
{
    struct ec_owned_case c = { 0 };
    struct ec_buf text = EC_BUF_INIT;
    struct ec_span rest, word, shape = { NULL, 0 };
    enum ec_status st;
    int64_t batch;
    int n;

    EC_TRY(ec_case_parse(what, &c, err));
    batch = ec_case_batch(&c.c);
    ec_buf_reset(out);
    if (by == EC_BY_ROW_BATCH) {
        ec_buf_printf(out, "%lld", (long long)batch);
    } else {
        ec_case_print(&c.c, &text);
        EC_TRY(ec_buf_status(&text, err));
        rest = ec_span_of(ec_buf_text(&text));
        for (n = 0; ec_span_cut(&rest, ' ', &word); n++) {
            if (n == 1 && word.len > 2 && memcmp(word.p, "x=", 2) == 0)
                shape = (struct ec_span){ word.p + 2, word.len - 2 };
            if (n != 1 || shape.len) /* else the first word is the batch */
                put_word(out, word, shape);
        }
    }
    EC_TRY(ec_buf_status(out, err));
out:
    ec_buf_clear(&text);
    ec_case_clear(&c);
    return st;
}

/* Names of groups: a hash table with open addressing. */
struct names {
    const char **v;
    int *number, n;
    size_t size;
};

static int number_of(struct names *t, const char *key)
{
    size_t at = (size_t)ec_hash(key, strlen(key)) & (t->size - 1);

    for (; t->v[at]; at = (at + 1) & (t->size - 1))
        if (ec_str_eq(t->v[at], key))
            return t->number[at];
    t->v[at] = key;
    t->number[at] = t->n;
    return t->n++;
}

enum ec_status ec__number_groups(const struct ec_operator_rows *r, enum ec_by by, int **ret_group,
                                 int *ret_n, struct ec_err *err)
{
    struct ec_arena a = { 0 };
    struct names t = { .size = 2 };
    struct ec_buf text = EC_BUF_INIT;
    int *group = ec_alloc(sizeof *group * (size_t)(r->n + 1)), i;
    enum ec_status st = EC_OK;

    while (t.size < 2 * (size_t)r->n)
        t.size *= 2;
    t.v = ec_arena_alloc(&a, t.size * sizeof *t.v);
    t.number = ec_arena_alloc(&a, t.size * sizeof *t.number);
    EC_TRY(ec_allocated(group && t.v && t.number, err));
    for (i = 0; i < r->n; i++) {
        const char *key;

        if (by == EC_BY_ROW_BATCH || by == EC_BY_ROW_CONFIGURATION) {
            EC_TRY(case_key(r->what[i], by, &text, err));
            key = ec_arena_str(&a, ec_buf_text(&text));
        } else {
            key = by == EC_BY_ROW_FAMILY ? r->family[i] : r->device[i];
        }
        EC_TRY(ec_allocated(key, err));
        group[i] = number_of(&t, key);
    }
    *ret_group = group;
    *ret_n = t.n;
    group = NULL;
out:
    ec_free(group);
    ec_buf_clear(&text);
    ec_arena_clear(&a);
    return st;
}

/* The error for too few groups, with the number of groups of each sort. */
static enum ec_status fail_groups(const struct ec_operator_rows *r, enum ec_by by, int n,
                                  int64_t parts, struct ec_err *err)
{
    struct ec_buf others = EC_BUF_INIT;
    int other, k = 0, *group = NULL;
    enum ec_status st = EC_OK;

    for (other = EC_BY_NOTHING + 1; other < EC_BY_ROW_COUNT; other++) {
        if (other == (int)by)
            continue;
        EC_TRY(ec__number_groups(r, (enum ec_by)other, &group, &k, err));
        ec_buf_printf(&others, ", %d %s", k,
                      k == 1 ? ec__by_names[other].word : ec__by_names[other].many);
        ec_free(group);
        group = NULL;
    }
    EC_TRY(ec_buf_status(&others, err));
    st = ec_fail(err, EC_E_INPUT,
                 "the rows are of %d %s (such as \"%.40s\"), too few for %lld parts; they have%s; "
                 "random and kfold need no groups",
                 n, n == 1 ? ec__by_names[by].word : ec__by_names[by].many,
                 by == EC_BY_ROW_DEVICE   ? r->device[0]
                 : by == EC_BY_ROW_FAMILY ? r->family[0]
                                          : r->what[0],
                 (long long)parts, ec_buf_text(&others) + 1);
out:
    ec_free(group);
    ec_buf_clear(&others);
    return st;
}

enum ec_status ec__split_operator_rows(const struct ec_compare_opts *o,
                                       const struct ec_operator_rows *r, struct ec_split *ret,
                                       int **ret_group, int *ret_n_groups, struct ec_err *err)
{
    enum ec_split_kind kind = EC_SPLIT_RANDOM;
    enum ec_by by = EC_BY_NOTHING;
    int *group = NULL, n = 0;
    int64_t parts;
    enum ec_status st;

    EC_TRY(ec__parse_split(o->split, &kind, &by, err));
    EC_TRY(ec__number_groups(r, by, &group, &n, err));
    parts = kind == EC_SPLIT_GROUP ? o->folds : 2;
    if (by != EC_BY_NOTHING && n < parts)
        EC_TRY(fail_groups(r, by, n, parts, err));
    if (kind == EC_SPLIT_LEAVE_ONE && n > LEAVE_ONE_MAX)
        EC_TRY(ec_fail(err, EC_E_INPUT,
                       "%d %s would be as many fits; --split group:%s makes --folds parts of them",
                       n, ec__by_names[by].many, ec__by_names[by].word));
    EC_TRY(ec_split_make(kind, by == EC_BY_NOTHING ? NULL : group, r->n, (int)o->folds,
                         (uint64_t)o->seed, ret, err));
    *ret_group = group;
    *ret_n_groups = n;
    group = NULL;
out:
    ec_free(group);
    return st;
}

/* ------------------------------------------------------------------------------------------------
 * Rows */

enum ec_status ec__compare_write_rows(const struct ec_operator_rows *r, const struct ec_compared *v,
                                      int n, const char *path, struct ec_err *err)
{
    struct ec_buf out = EC_BUF_INIT;
    const struct ec_compared *any = NULL;
    int i, k;

    ec_buf_str(&out, "device,case,timed,optimizer,measured_ms");
    for (k = 0; k < n; k++) {
        if (v[k].failed)
            continue;
        any = &v[k];
        ec_buf_printf(&out, ",%s_%s_ms", v[k].family, ec_feature_set_names[v[k].set]);
    }
    ec_buf_char(&out, '\n');
    for (i = 0; any && i < r->n; i++) {
        if (isnan(any->predicted[i]))
            continue;
        ec_buf_printf(&out, "%s,", r->device[i]);
        ec_csv_put(&out, r->what[i]);
        ec_buf_printf(&out, ",%s,%s,%.6g", r->timed[i], r->optimizer[i], r->time_ns[i] / 1e6);
        for (k = 0; k < n; k++)
            if (!v[k].failed)
                ec_buf_printf(&out, ",%.6g", v[k].predicted[i] / 1e6);
        ec_buf_char(&out, '\n');
    }
    return ec_file_put(path, &out, err);
}
