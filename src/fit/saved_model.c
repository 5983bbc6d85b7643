/* Saved models: a model file has one line of JSON on what the model was fitted to. Predicts rows of
 * operators; grid.c predicts rows of tables. */
#include "fit/saved_model.h"

#include <math.h>
#include <string.h>

#include "fit/compare_internal.h"
#include "fit/grid_internal.h"

#define FILE_MAX ((size_t)1 << 30)
#define OPS_MAX 64

/* Text members, by their names in the file. */
#define TEXT(member) #member, offsetof(struct ec_saved_model, member)
static const struct {
    const char *key;
    size_t offset;
} texts[] = { { TEXT(of) },        { TEXT(family) },    { TEXT(what) },      { TEXT(source) },
              { TEXT(target) },    { TEXT(features) },  { TEXT(network) },   { TEXT(device) },
              { TEXT(precision) }, { TEXT(framework) }, { TEXT(optimizer) }, { TEXT(logs) } };

static const char **text_at(struct ec_saved_model *t, int i)
{
    return (const char **)((char *)t + texts[i].offset);
}

void ec__reach(const double *y, const int *row, int n, double *ret_lo, double *ret_hi)
{
    int i;

    *ret_lo = *ret_hi = y[row ? row[0] : 0];
    for (i = 1; i < n; i++) {
        *ret_lo = fmin(*ret_lo, y[row ? row[i] : i]);
        *ret_hi = fmax(*ret_hi, y[row ? row[i] : i]);
    }
    *ret_lo /= EC_LINEAR_REACH;
    *ret_hi *= EC_LINEAR_REACH;
}

enum ec_status ec__model_write(const struct ec_regressor *m, const char *path, struct ec_err *err)
{
    struct ec_buf out = EC_BUF_INIT;
    enum ec_status st = ec_regressor_save(m, &out, err);

    if (!st)
        st = ec_file_write(path, out.data, out.len, err);
    ec_buf_clear(&out);
    return st;
}

enum ec_status ec_saved_model_describe(const struct ec_saved_model *t, struct ec_regressor *m,
                                       struct ec_err *err)
{
    struct ec_buf out = EC_BUF_INIT;
    struct ec_saved_model copy = *t;
    struct ec_json j;
    enum ec_status st;
    int i;

    ec_json_begin(&j, &out, 0);
    ec_json_open(&j, NULL, '{');
    for (i = 0; i < EC_LEN(texts); i++)
        ec_json_str(&j, texts[i].key, *text_at(&copy, i) ? *text_at(&copy, i) : "");
    ec_json_int(&j, "rows", t->rows);
    ec_json_int(&j, "seed", t->seed);
    ec_json_bool(&j, "device_offsets", t->device_offsets);
    ec_json_num(&j, "lo", t->lo);
    ec_json_num(&j, "hi", t->hi);
    ec_json_close(&j, '}');
    EC_TRY(ec_buf_status(&out, err));
    EC_TRY(ec_regressor_tell(m, ec_buf_text(&out), err));
out:
    ec_buf_clear(&out);
    return st;
}

/* Whether a text has control characters, which a terminal would obey. */
static bool has_control(const char *s)
{
    while ((unsigned char)*s >= ' ' && *s != 127)
        s++;
    return *s != '\0';
}

static enum ec_status parse_saved(const char *about, struct ec_arena *a, struct ec_saved_model *ret,
                                  struct ec_err *err)
{
    const struct ec_jval *root = NULL, *v, *lo, *hi, *rows, *seed, *offsets;
    int i;

    EC_PASS(ec_json_parse(about, strlen(about), a, &root, err));
    for (i = 0; i < EC_LEN(texts); i++) {
        v = root->type == EC_J_OBJECT ? ec_json_get(root, texts[i].key) : NULL;
        if (!v || v->type != EC_J_STR)
            return ec_fail(err, EC_E_PARSE, "the model does not say its \"%s\"", texts[i].key);
        if (has_control(v->str))
            return ec_fail(err, EC_E_PARSE, "the model's \"%s\" holds control characters",
                           texts[i].key);
        *text_at(ret, i) = v->str;
    }
    lo = ec_json_get(root, "lo");
    hi = ec_json_get(root, "hi");
    rows = ec_json_get(root, "rows");
    seed = ec_json_get(root, "seed");
    offsets = ec_json_get(root, "device_offsets");
    if (!lo || !hi || !rows || !seed || !offsets || lo->type != EC_J_NUM || hi->type != EC_J_NUM ||
        lo->num < 0 || hi->num < lo->num || !rows->is_int || !seed->is_int ||
        offsets->type != EC_J_BOOL)
        return ec_fail(err, EC_E_PARSE, "the list of rows that the model was fitted to is damaged");
    ret->lo = lo->num;
    ret->hi = hi->num;
    ret->rows = rows->i;
    ret->seed = seed->i;
    ret->device_offsets = offsets->b;
    return EC_OK;
}

enum ec_status ec_saved_model_load(const char *path, struct ec_arena *a, struct ec_regressor **ret,
                                   struct ec_saved_model *ret_saved, struct ec_err *err)
{
    struct ec_regressor *m = NULL;
    struct ec_file file = { 0 };
    enum ec_status st;

    EC_PASS(ec_file_open(path, FILE_MAX, &file, err)); /* its message names the file */
    EC_TRY(ec_regressor_load(file.data, file.len, &m, err));
    if (!ec_regressor_about(m))
        EC_TRY(ec_fail(err, EC_E_INPUT,
                       "the model does not say which rows it was fitted to; `epochcast "
                       "fit --save` writes one that does"));
    EC_TRY(parse_saved(ec_regressor_about(m), a, ret_saved, err));
    *ret = m;
    m = NULL;
out:
    st = ec_within(err, st, "%s: ", path);
    ec_regressor_free(m);
    ec_file_close(&file);
    return st;
}

/* ------------------------------------------------------------------------------------------------
 * Predicting */

void ec__asked_answer(const struct ec_regressor *m, const struct ec_saved_model *t, const double *x,
                      struct ec_model_row *ret)
{
    ec_regressor_predict(m, x, 1, &ret->predicted);
    ret->held = t->hi > 0 && ec__held(&ret->predicted, t->lo, t->hi);
}

enum ec_status ec__asked_judge(struct ec_model_rows *a, struct ec_err *err)
{
    struct ec_arena scratch = { 0 };
    double *measured = ec_arena_alloc(&scratch, sizeof *measured * (size_t)(a->n + 1));
    double *predicted = ec_arena_alloc(&scratch, sizeof *predicted * (size_t)(a->n + 1));
    enum ec_status st;
    int i;

    EC_TRY(ec_allocated(measured && predicted, err));
    for (i = 0; i < a->n; i++)
        if (a->v[i].measured > 0) {
            measured[a->n_measured] = a->v[i].measured;
            predicted[a->n_measured++] = a->v[i].predicted;
        }
    EC_TRY(ec_metrics_compute(measured, predicted, NULL, NULL, a->n_measured, &a->m, err));
out:
    ec_arena_clear(&scratch);
    return st;
}

/* The feature of each column of the model. */
static enum ec_status find_features(const struct ec_regressor *m, int *ret, struct ec_err *err)
{
    int i;

    for (i = 0; i < ec_regressor_cols(m); i++) {
        ret[i] = ec_feature_find(ec_regressor_names(m)[i]);
        if (ret[i] < 0)
            return ec_fail(err, EC_E_INPUT,
                           "the model asks for \"%.60s\", which operators have not",
                           ec_regressor_names(m)[i]);
    }
    return EC_OK;
}

static enum ec_status answer_operators(const struct ec_regressor *m, const struct ec_saved_model *t,
                                       const struct ec_operator_rows *rows,
                                       struct ec_model_rows *ret, struct ec_err *err)
{
    int feature[EC_LEARN_COLS_MAX], i, j, n_cols = ec_regressor_cols(m);
    double x[EC_LEARN_COLS_MAX];

    EC_PASS(find_features(m, feature, err));
    ret->v = ec_arena_alloc(&ret->arena, sizeof *ret->v * (size_t)(rows->n + 1));
    EC_PASS(ec_allocated(ret->v, err));
    for (i = 0; i < rows->n; i++) {
        struct ec_model_row *row = &ret->v[ret->n++];

        for (j = 0; j < n_cols; j++)
            x[j] = rows->x[(size_t)i * EC_FEATURE_COUNT + (size_t)feature[j]];
        row->device = rows->device[i];
        row->what = ec_arena_str(&ret->arena, rows->what[i]);
        row->timed = ec_arena_str(&ret->arena, rows->timed[i]);
        row->measured = rows->time_ns[i];
        EC_PASS(ec_allocated(row->what && row->timed, err));
        ec__asked_answer(m, t, x, row);
    }
    return ec__asked_judge(ret, err);
}

enum ec_status ec_saved_model_operators(const struct ec_regressor *m,
                                        const struct ec_saved_model *t,
                                        const struct ec_compare_opts *o, struct ec_model_rows *ret,
                                        struct ec_err *err)
{
    struct ec_compare_opts one = *o;
    struct ec_operator_rows rows = { 0 };
    struct ec_model_rows asked = { 0 };
    struct ec_arena scratch = { 0 };
    struct ec_span rest = ec_span_of(t->what), word;
    const char *op[OPS_MAX];
    int n_ops = 0;
    enum ec_status st;

    if (!ec_str_eq(t->of, "operators"))
        return ec_fail(err, EC_E_INPUT,
                       "the model was fitted to a table of configurations: give "
                       "--table FILE.csv");
    if (!one.ops.n) { /* default: the operators that it was fitted to */
        while (n_ops < EC_LEN(op) && ec_span_cut(&rest, ',', &word)) {
            word = ec_span_trim(word);
            op[n_ops] = ec_arena_strn(&scratch, word.p, word.len);
            EC_TRY(ec_allocated(op[n_ops++], err));
        }
        one.ops = (struct ec_strs){ .n = n_ops, .cap = n_ops, .v = op };
    }
    one.fewest = 1;
    one.seed = t->seed < INT64_MAX ? t->seed + 1 : 0; /* another sample of rows than the fit's */
    EC_TRY(ec__operator_rows_read(&one, t->device_offsets, &rows, err));
    EC_TRY(answer_operators(m, t, &rows, &asked, err));
    asked.n_left_out = rows.n_other;
    memcpy(asked.first_left_out, rows.first_other, sizeof asked.first_left_out);
    *ret = asked;
    memset(&asked, 0, sizeof asked);
out:
    ec__operator_rows_clear(&rows);
    ec_model_rows_clear(&asked);
    ec_arena_clear(&scratch);
    return st;
}

void ec_model_rows_clear(struct ec_model_rows *a)
{
    ec_arena_clear(&a->arena);
}
