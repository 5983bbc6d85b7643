/* epochcast study families: compares kinds of regressors with sets of features, for each kind of
 * layer in the public tables, as PreNeT (ICPE 2025) does. */
#include "cli/study_internal.h"

#include "cli/cli.h"

#include <string.h>
#include <unistd.h>

#include "tables/tables.h"
#include "fit/fit.h"

/* X(key, title, operator); data/tables.csv has the table of each. */
/* clang-format off */
#define KIND_LIST(X)                                                                               \
    X(convolution, "convolution", "conv2d")                                                        \
    X(dense,       "dense",       "linear")                                                        \
    X(recurrent,   "recurrent",   "rnn")                                                           \
    X(softmax,     "softmax",     "softmax")                                                       \
    X(layer_norm,  "layer norm",  "layer_norm")                                                    \
    X(attention,   "attention",   "multi_head_attention")                                          \
    X(embedding,   "embedding",   "embedding")                                                     \
    X(positions,   "positional encoding", "positional_encoding")

static const char *const families[] = { "linear", "forest", "gbt", "ann", "physics_residual" };

static const struct ec_col cols[] = {
    { .key = "family", .title = "family" },
    { .key = "features", .title = "features" },
#define KIND_COLS(key_, title_, op)                                                                \
    { .key = #key_ "_mean_ape_frac", .title = title_, .unit = "%", .format = EC_COL_FIXED,         \
      .scale = 100, .digits = 1 },                                                                 \
    { .key = #key_ "_rmse_ms", .title = "RMSE", .unit = "ms", .format = EC_COL_DIGITS3 },
    KIND_LIST(KIND_COLS)
#undef KIND_COLS
};
/* clang-format on */

static const struct kind {
    const char *name, *op;
} kinds[] = {
#define KIND_ROW(key, title, op) { title, op },
    KIND_LIST(KIND_ROW)
#undef KIND_ROW
};

static void progress(void *ctx, const char *text)
{
    const struct kind *k = ctx;

    ec_say("%s: %s\n", k->name, text);
}

static enum ec_status find_table(const struct kind *k, struct ec_arena *a,
                                 const struct ec_table_use **ret, struct ec_err *err)
{
    struct ec_table_use *v = NULL;
    int n = 0, i;
    enum ec_status st = ec_table_uses("families", a, &v, &n, err);

    for (i = 0; i < n && !st; i++)
        if (ec_str_eq(v[i].name, k->name)) {
            *ret = &v[i];
            return EC_OK;
        }
    return st ? st : ec_fail(err, EC_E_NOT_FOUND, "tables.csv has no table of %s", k->name);
}

/* The table in the first of the folders that has it; none: *path is empty. */
static enum ec_status path_of(const struct ec_strs *dirs, const char *table, struct ec_buf *path,
                              struct ec_err *err)
{
    int i;

    for (i = 0; i < dirs->n; i++) {
        ec_buf_clear(path);
        ec_buf_printf(path, "%s/%s", dirs->v[i], table);
        if (ec_buf_status(path, err))
            return err->status;
        if (!access(ec_buf_text(path), F_OK))
            return EC_OK;
    }
    ec_buf_clear(path);
    return EC_OK;
}

/* The public tables are needed; a kind of our own measurements is left out without them. */
static enum ec_status compare(const struct kind *k, const struct ec_study_families *o,
                              struct ec_comparison *ret, struct ec_err *err)
{
    const char *op[] = { k->op }, *family[EC_LEN(families)], *table[1];
    const struct ec_table_use *use = NULL;
    struct ec_buf path = EC_BUF_INIT;
    struct ec_arena a = { 0 };
    struct ec_compare_opts c = {
        .ops = {.n = 1,               .v = op    },
        .families = { .n = EC_LEN(family), .v = family},
        .data = { .n = 1,              .v = table },
        .features = "all",
        .split = "random",
        .folds = 5,
        .max_rows = o->max_rows,
        .seed = o->seed,
        .threads = o->threads,
        .progress = progress,
        .progress_ctx = (void *)k
    };
    enum ec_status st;

    memcpy(family, families, sizeof family);
    EC_TRY(find_table(k, &a, &use, err));
    c.given.mapping = use->mapping;
    EC_TRY(path_of(o->dirs, use->table, &path, err));
    if (!path.len && use->own) {
        ec_say("%s is left out: none of the folders has %s; measured/ of this project has it\n",
               k->name, use->table);
        goto out;
    }
    if (!path.len)
        EC_TRY(ec_fail(err, EC_E_IO, "%s: in none of the folders given", use->table));
    table[0] = ec_buf_text(&path);
    EC_TRY(ec_compare(&c, ret, err));
out:
    ec_buf_clear(&path);
    ec_arena_clear(&a);
    return st;
}

/* NULL if a kind has no row with this set of features. */
static const struct ec_compared *find(const struct ec_comparison *c, const struct ec_compared *like)
{
    int i;

    for (i = 0; i < c->n; i++)
        if (c->v[i].set == like->set && ec_str_eq(c->v[i].family, like->family))
            return c->v[i].failed ? NULL : &c->v[i];
    return NULL;
}

static void add_row(struct ec_table *t, const struct ec_comparison *all,
                    const struct ec_compared *like)
{
    int k;

    ec_table_row(t, ec_text(like->family), ec_text(ec_feature_set_names[like->set]));
    for (k = 0; k < EC_LEN(kinds); k++) {
        const struct ec_compared *c = find(&all[k], like);

        if (c) {
            ec_table_row(t, ec_num(c->m.mean_ape), ec_num(c->m.rmse / 1e6));
        } else {
            ec_table_row(t, ec_none(), ec_none());
        }
    }
}

/* The number of test rows of each kind, and its best regressor. */
static void say_firsts(const struct ec_comparison *all, struct ec_buf *out)
{
    int k, i;

    ec_buf_str(out, "\nMean error and RMSE of the test rows (80 % of the rows fitted, 10 % "
                    "validation, 10 % test):\n");
    for (k = 0; k < EC_LEN(kinds); k++) {
        const struct ec_compared *first = NULL;

        for (i = 0; i < all[k].n; i++)
            if (!all[k].v[i].failed && all[k].v[i].set <= EC_FS_ROOFLINE &&
                (!first || all[k].v[i].m.mean_ape < first->m.mean_ape))
                first = &all[k].v[i];
        if (first)
            ec_buf_printf(out, "  %-19s %d of %d rows; best is %s, %s, %.1f %%\n", kinds[k].name,
                          first->m.n, all[k].n_rows, first->family,
                          ec_feature_set_names[first->set], 100 * first->m.mean_ape);
    }
}

enum ec_status ec__study_families(struct ec_call *call, const struct ec_study_families *o,
                                  struct ec_err *err)
{
    static const struct ec_table_head head = { "epochcast.families/1", "families", { { 0 } } };
    struct ec_comparison all[EC_LEN(kinds)];
    struct ec_table t;
    enum ec_status st = EC_OK;
    int k, i;

    memset(all, 0, sizeof all);
    ec_table_init(&t, cols, EC_LEN(cols));
    for (k = 0; k < EC_LEN(kinds); k++)
        EC_TRY(compare(&kinds[k], o, &all[k], err));
    for (i = 0; i < all[0].n; i++)
        if (all[0].v[i].set <= EC_FS_ROOFLINE)
            add_row(&t, all, &all[0].v[i]);
    EC_TRY(ec_call_table(call, &head, &t, err));
    if (!call->forms.json && !call->forms.csv)
        say_firsts(all, &call->out);
out:
    for (k = 0; k < EC_LEN(kinds); k++)
        ec_comparison_clear(&all[k]);
    ec_table_clear(&t);
    return st;
}
