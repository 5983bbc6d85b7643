/* Regressors: what all kinds share. Options, targets, checks of what goes in, bytes of a model. */
#include "learn/learn_internal.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

struct ec_regressor {
    const struct ec_regressor_kind *kind;
    int n_cols, base_col;
    const char **names, *about; /* NULL: not given */
    enum ec_target target;
    void *state;
    struct ec_arena arena;
};

const char *const ec_target_names[] = { "plain", "log", "ratio", NULL };

static enum ec_status set_option(const struct ec_regressor_kind *kind, struct ec_span word,
                                 void *opts, struct ec_arena *a, struct ec_err *err)
{
    struct ec_span name = { NULL, 0 };
    const struct ec_field *f;

    (void)ec_span_cut(&word, '=', &name);
    f = ec_field_find(kind->fields, name);
    if (!f)
        return ec_fail(err, EC_E_INPUT, "%s has no option \"%.*s\"", kind->name,
                       (int)(name.len < 40 ? name.len : 40), name.p);
    return ec_field_set(f, opts, word, a, err);
}

enum ec_status ec__recipe_of(const struct ec_regressor_kind *kind, const char *options,
                             struct ec_arena *a, struct ec_recipe *ret, struct ec_err *err)
{
    struct ec_span rest = ec_span_of(options ? options : ""), word;
    void *opts = ec_arena_alloc(a, kind->opts_size + 1);

    EC_PASS(ec_allocated(opts, err));
    EC_PASS(ec_fields_default(kind->fields, opts, a, err));
    while (ec_span_cut(&rest, ' ', &word))
        if (word.len)
            EC_PASS(set_option(kind, word, opts, a, err));
    *ret = (struct ec_recipe){ .kind = kind, .base_col = -1, .opts = opts };
    return EC_OK;
}

void ec__learn_say(const struct ec_learn_env *env, const char *fmt, ...)
{
    char text[256];
    va_list ap;

    if (!env->progress)
        return;
    va_start(ap, fmt);
    (void)ec_vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    env->progress(env->progress_ctx, text);
}

/* ------------------------------------------------------------------------------------------------
 * Fitting */

static enum ec_status check_rows(const struct ec_recipe *r, const struct ec_rows *rows,
                                 struct ec_err *err)
{
    size_t i, cells = (size_t)rows->n * (size_t)rows->n_cols;

    if (rows->n < 2 || rows->n_cols < 1 || rows->n_cols > EC_LEARN_COLS_MAX)
        return ec_fail(err, EC_E_INPUT,
                       "%d rows of %d columns: a fit needs 2 rows or more of 1 to %d columns",
                       rows->n, rows->n_cols, EC_LEARN_COLS_MAX);
    if (r->target == EC_TARGET_RATIO && (r->base_col < 0 || r->base_col >= rows->n_cols))
        return ec_fail(err, EC_E_INPUT, "the ratio needs a base column, 0 to %d, not %d",
                       rows->n_cols - 1, r->base_col);
    for (i = 0; i < cells; i++)
        if (!isfinite(rows->x[i]))
            return ec_fail(err, EC_E_INPUT, "row %d: %s is not finite",
                           (int)(i / (size_t)rows->n_cols), rows->names[i % (size_t)rows->n_cols]);
    for (i = 0; i < (size_t)rows->n; i++)
        if (!isfinite(rows->y[i]) || (r->target != EC_TARGET_PLAIN && rows->y[i] <= 0))
            return ec_fail(err, EC_E_INPUT, "row %d: the value to learn is %g, which has no %s",
                           (int)i, rows->y[i], isfinite(rows->y[i]) ? "logarithm" : "meaning");
    return EC_OK;
}

static double to_target(const struct ec_recipe *r, const double *x, double y)
{
    if (r->target == EC_TARGET_PLAIN)
        return y;
    return log(y) - (r->target == EC_TARGET_RATIO ? x[r->base_col] : 0);
}

static enum ec_status new_regressor(const struct ec_regressor_kind *kind, int n_cols,
                                    struct ec_regressor **ret, struct ec_err *err)
{
    struct ec_regressor *m = ec_alloc(sizeof *m);

    EC_PASS(ec_allocated(m, err));
    m->kind = kind;
    m->n_cols = n_cols;
    m->base_col = -1;
    m->names = ec_arena_alloc(&m->arena, sizeof *m->names * (size_t)n_cols);
    m->state = ec_arena_alloc(&m->arena, kind->state_size);
    if (!m->names || !m->state) {
        ec_regressor_free(m);
        return ec_nomem(err);
    }
    *ret = m;
    return EC_OK;
}

enum ec_status ec_regressor_fit(const struct ec_recipe *r, const struct ec_rows *rows,
                                const struct ec_learn_env *env, struct ec_regressor **ret,
                                struct ec_err *err)
{
    struct ec_rows inner = *rows;
    struct ec_regressor *m = NULL;
    double *y = NULL;
    enum ec_status st;
    int i;

    EC_TRY(check_rows(r, rows, err));
    EC_TRY(new_regressor(r->kind, rows->n_cols, &m, err));
    m->target = r->target;
    m->base_col = r->target == EC_TARGET_RATIO ? r->base_col : -1;
    y = ec_alloc(sizeof *y * (size_t)rows->n);
    EC_TRY(ec_allocated(y, err));
    for (i = 0; i < rows->n_cols; i++) {
        m->names[i] = ec_arena_str(&m->arena, rows->names[i]);
        EC_TRY(ec_allocated(m->names[i], err));
    }
    for (i = 0; i < rows->n; i++)
        y[i] = to_target(r, rows->x + (size_t)i * (size_t)rows->n_cols, rows->y[i]);
    inner.y = y;
    EC_TRY(r->kind->fit(&(struct ec_fitting){ r, &inner, env, &m->arena }, m->state, err));
    *ret = m;
    m = NULL;
out:
    ec_free(y);
    ec_regressor_free(m);
    return st;
}

void ec_regressor_free(struct ec_regressor *r)
{
    if (!r)
        return;
    if (r->state && r->kind->clear)
        r->kind->clear(r->state);
    ec_arena_clear(&r->arena);
    ec_free(r);
}

/* ------------------------------------------------------------------------------------------------
 * Predicting */

double ec__regressor_one(const struct ec_regressor *r, const double *x)
{
    double t = r->kind->predict(r->state, x, r->n_cols);

    if (r->target == EC_TARGET_PLAIN)
        return t;
    return exp(t + (r->target == EC_TARGET_RATIO ? x[r->base_col] : 0));
}

void ec_regressor_predict(const struct ec_regressor *r, const double *x, int n, double *ret)
{
    int i;

    for (i = 0; i < n; i++)
        ret[i] = ec__regressor_one(r, x + (size_t)i * (size_t)r->n_cols);
}

int ec_regressor_cols(const struct ec_regressor *r)
{
    return r->n_cols;
}

const char *const *ec_regressor_names(const struct ec_regressor *r)
{
    return r->names;
}

const char *ec_regressor_kind_name(const struct ec_regressor *r)
{
    return r->kind->name;
}

enum ec_target ec_regressor_target(const struct ec_regressor *r)
{
    return r->target;
}

const char *ec_regressor_about(const struct ec_regressor *r)
{
    return r->about;
}

enum ec_status ec_regressor_tell(struct ec_regressor *r, const char *about, struct ec_err *err)
{
    if (strlen(about) > EC_ABOUT_MAX_BYTES)
        return ec_fail(err, EC_E_INPUT, "more than %d bytes about a model", EC_ABOUT_MAX_BYTES);
    r->about = ec_arena_str(&r->arena, about);
    return ec_allocated(r->about, err);
}

void ec_regressor_describe(const struct ec_regressor *r, struct ec_buf *out)
{
    ec_buf_printf(out, "%s of %d columns, target %s%s%s: ", r->kind->name, r->n_cols,
                  ec_target_names[r->target], r->base_col >= 0 ? " to " : "",
                  r->base_col >= 0 ? r->names[r->base_col] : "");
    r->kind->describe(r->state, r->names, r->n_cols, out);
}

/* ------------------------------------------------------------------------------------------------
 * The bytes of a model */

#define DEPTH_MAX 2

void ec__regressor_put(const struct ec_regressor *r, struct ec_buf *out)
{
    struct ec_bytes io = { .out = out };
    int i;

    ec__put_text(out, r->kind->name);
    ec__put_uint(out, (uint32_t)r->target, 4);
    ec__put_uint(out, (uint32_t)(r->base_col + 1), 4);
    ec__put_uint(out, (uint32_t)r->n_cols, 4);
    for (i = 0; i < r->n_cols; i++)
        ec__put_text(out, r->names[i]);
    r->kind->members(&io, r->state, r->n_cols);
}

static enum ec_status get_head(struct ec_bytes *in, struct ec_regressor *m, struct ec_err *err)
{
    uint32_t target = (uint32_t)ec__get_uint(in, 4), base = (uint32_t)ec__get_uint(in, 4),
             n_cols = (uint32_t)ec__get_uint(in, 4);
    int i;

    if (target >= EC_TARGET_COUNT || n_cols != (uint32_t)m->n_cols || base > n_cols ||
        (target == EC_TARGET_RATIO) != (base > 0))
        in->bad = true;
    if (in->bad)
        return ec__get_status(in, true, err);
    m->target = (enum ec_target)target;
    m->base_col = (int)base - 1;
    for (i = 0; i < m->n_cols && !in->bad; i++) {
        m->names[i] = ec__get_text(in, &m->arena);
        if (!m->names[i])
            return ec__get_status(in, false, err);
    }
    return EC_OK;
}

/* How many columns: the third number after the name of the kind. */
static int peek_cols(const struct ec_bytes *in)
{
    struct ec_bytes ahead = *in;

    (void)ec__get_uint(&ahead, 8);
    return ec__get_count(&ahead, 4, EC_LEARN_COLS_MAX);
}

enum ec_status ec__regressor_get(struct ec_bytes *in, struct ec_regressor **ret, struct ec_err *err)
{
    const struct ec_regressor_kind *kind = NULL;
    struct ec_regressor *m = NULL;
    struct ec_arena a = { 0 }, *outer;
    enum ec_status st;
    const char *name = ec__get_text(in, &a);
    int n_cols;

    EC_TRY(ec__get_status(in, name != NULL, err));
    if (in->depth++ >= DEPTH_MAX)
        in->bad = true;
    n_cols = peek_cols(in);
    if (n_cols < 1)
        in->bad = true;
    EC_TRY(ec__get_status(in, true, err));
    EC_TRY(in->find_kind(name, &kind, err));
    EC_TRY(new_regressor(kind, n_cols, &m, err));
    EC_TRY(get_head(in, m, err));
    outer = in->a;
    in->a = &m->arena;
    in->err = err;
    kind->members(in, m->state, n_cols);
    in->a = outer;
    EC_TRY(in->st);
    EC_TRY(ec__get_status(in, true, err));
    in->depth--;
    *ret = m;
    m = NULL;
out:
    ec_arena_clear(&a);
    ec_regressor_free(m);
    return st;
}

void ec__io_regressor(struct ec_bytes *io, struct ec_regressor **r)
{
    if (io->out)
        ec__regressor_put(*r, io->out);
    else
        io->st = ec__regressor_get(io, r, io->err);
}
