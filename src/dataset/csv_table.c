/* Tables of numbers with a column of labels, and the digits that come with scikit-learn. */
#include "dataset/samples_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FILE_MAX_BYTES ((size_t)2 << 30)
#define CLASSES_MAX 10000
#define AUTO_CLASSES_MAX 100 /* whole numbers below this are classes */

enum task { TASK_AUTO, TASK_CLASSES, TASK_REGRESS };
static const char *const task_words[] = { "auto", "classes", "regress", NULL };

#include "csv_table_fields.h"

struct table {
    int64_t n, n_features;
    float *x;       /* (n, n_features) */
    int64_t *label; /* classes */
    float *target;  /* regression */
};

/* --- Cells --- */

static bool is_number(const char *cell, double *ret)
{
    return ec_parse_double(ec_span_trim(ec_span_of(cell)), ret);
}

/* A first row with words where the numbers should be is a header; the label may be a word. */
static bool has_header(const struct ec_csv *c, int label_col)
{
    double v;
    int i;

    for (i = 0; i < c->n_cols; i++)
        if (i != label_col && !is_number(c->names[i], &v))
            return true;
    return false;
}

/* The number of rows, including the first line if it is not a header. */
static const char *cell(const struct ec_csv *c, bool header, int64_t row, int col)
{
    if (!header && row == 0)
        return c->names[col];
    return ec_csv_cell(c, (int)(row - !header), col);
}

static enum ec_status label_column(const struct ec_csv *c, const char *label, int *ret,
                                   struct ec_err *err)
{
    int64_t number;
    int col;

    if (!label) {
        *ret = c->n_cols - 1;
        return EC_OK;
    }
    col = ec_csv_col(c, label);
    if (col < 0 && ec_parse_int(ec_span_of(label), &number) && number >= 1 && number <= c->n_cols)
        col = (int)number - 1;
    if (col < 0)
        return ec_fail(err, EC_E_INPUT, "no column \"%.60s\" among %d", label, c->n_cols);
    *ret = col;
    return EC_OK;
}

/* --- Labels --- */

static int compare_numbers(const void *a, const void *b)
{
    double x = 0, y = 0;

    (void)is_number(*(const char *const *)a, &x);
    (void)is_number(*(const char *const *)b, &y);
    return x < y ? -1 : x > y;
}

/* The distinct labels, sorted; by value if all are numbers. */
struct labels {
    const char **v; /* every label, then sorted, then the distinct ones */
    int64_t n;
    bool numbers, whole;
};

static void look_at(struct labels *l)
{
    int64_t i;
    double v;

    l->numbers = l->whole = true;
    for (i = 0; i < l->n; i++) {
        if (!is_number(l->v[i], &v))
            l->numbers = l->whole = false;
        else if (v != floor(v) || v < 0 || v >= AUTO_CLASSES_MAX)
            l->whole = false;
    }
}

static void distinct(struct labels *l)
{
    int (*compare)(const void *, const void *) = l->numbers ? compare_numbers : ec_by_text;
    int64_t i, n = 0;

    qsort(l->v, (size_t)l->n, sizeof *l->v, compare);
    for (i = 0; i < l->n; i++)
        if (!n || compare(&l->v[i], &l->v[n - 1]) != 0)
            l->v[n++] = l->v[i];
    l->n = n;
}

static enum ec_status put_classes(struct ec_samples *s, struct table *t, const struct ec_csv *c,
                                  bool header, int col, struct labels *l, struct ec_err *err)
{
    const char **names, **found, *text;
    int64_t i;

    distinct(l);
    if (l->n < 2 || l->n > CLASSES_MAX)
        return ec_fail(err, EC_E_INPUT,
                       "column \"%.60s\" has %lld different labels, expected 2 to %d",
                       c->names[col], (long long)l->n, CLASSES_MAX);
    names = ec_arena_alloc(&s->arena, (size_t)l->n * sizeof *names);
    t->label = ec_arena_alloc(&s->arena, (size_t)t->n * sizeof *t->label);
    EC_PASS(ec_allocated(names && t->label, err));
    for (i = 0; i < t->n; i++) {
        text = cell(c, header, i, col);
        found = bsearch(&text, l->v, (size_t)l->n, sizeof *l->v,
                        l->numbers ? compare_numbers : ec_by_text);
        t->label[i] = found ? found - l->v : 0;
    }
    for (i = 0; i < l->n; i++) {
        names[i] = ec_arena_str(&s->arena, l->v[i]);
        EC_PASS(ec_allocated(names[i], err));
    }
    s->info.class_names = names;
    s->info.classes = l->n;
    s->info.label = l->n == 2 ? EC_LABEL_BINARY : EC_LABEL_CLASS;
    return EC_OK;
}

static enum ec_status put_targets(struct ec_samples *s, struct table *t, const struct ec_csv *c,
                                  bool header, int col, struct ec_err *err)
{
    int64_t i;
    double v;

    t->target = ec_arena_alloc(&s->arena, (size_t)t->n * sizeof *t->target);
    EC_PASS(ec_allocated(t->target, err));
    for (i = 0; i < t->n; i++) {
        if (!is_number(cell(c, header, i, col), &v))
            return ec_fail(err, EC_E_PARSE, "row %lld: label \"%.40s\" is no number",
                           (long long)i + 1, cell(c, header, i, col));
        t->target[i] = (float)v;
    }
    s->info.label = EC_LABEL_VECTOR;
    return EC_OK;
}

static enum ec_status put_labels(struct ec_samples *s, struct table *t, const struct ec_csv *c,
                                 bool header, int col, enum task task, struct ec_err *err)
{
    struct ec_arena a = { 0 };
    struct labels l = { .n = t->n };
    enum ec_status st = EC_OK;
    int64_t i;

    l.v = ec_arena_alloc(&a, (size_t)t->n * sizeof *l.v);
    EC_TRY(ec_allocated(l.v, err));
    for (i = 0; i < t->n; i++)
        l.v[i] = cell(c, header, i, col);
    look_at(&l);
    if (task == TASK_REGRESS || (task == TASK_AUTO && l.numbers && !l.whole))
        EC_TRY(put_targets(s, t, c, header, col, err));
    else
        EC_TRY(put_classes(s, t, c, header, col, &l, err));
out:
    ec_arena_clear(&a);
    return st;
}

/* --- Features --- */

static enum ec_status put_features(struct ec_samples *s, struct table *t, const struct ec_csv *c,
                                   bool header, int label_col, struct ec_err *err)
{
    int64_t i;
    float *x;
    double v;
    int k;

    t->x = x = ec_arena_alloc(&s->arena, (size_t)(t->n * t->n_features) * sizeof *t->x);
    EC_PASS(ec_allocated(x, err));
    for (i = 0; i < t->n; i++)
        for (k = 0; k < c->n_cols; k++) {
            if (k == label_col)
                continue;
            if (!is_number(cell(c, header, i, k), &v))
                return ec_fail(err, EC_E_PARSE,
                               "row %lld, column %d (%.40s): \"%.40s\" is no number",
                               (long long)i + 1, k + 1, c->names[k], cell(c, header, i, k));
            *x++ = (float)v;
        }
    return EC_OK;
}

/* Each column of (n, n_cols): mean 0, deviation 1. */
static void standardise_columns(float *x, int64_t n, int64_t n_cols)
{
    double mean, squares, scale;
    int64_t i, k;

    for (k = 0; k < n_cols; k++) {
        mean = squares = 0;
        for (i = 0; i < n; i++)
            mean += (double)x[i * n_cols + k] / (double)n;
        for (i = 0; i < n; i++)
            squares += pow((double)x[i * n_cols + k] - mean, 2) / (double)n;
        scale = squares > 0 ? 1 / sqrt(squares) : 1;
        for (i = 0; i < n; i++)
            x[i * n_cols + k] = (float)(((double)x[i * n_cols + k] - mean) * scale);
    }
}

static enum ec_status read_csv(const char *path, struct ec_csv *ret, struct ec_err *err)
{
    struct ec__bytes b = { 0 };
    enum ec_status st;

    EC_PASS(ec__bytes_load(path, FILE_MAX_BYTES, &b, err));
    st = ec_within(err, ec_csv_parse((const char *)b.data, b.len, ret, err), "%s: ", path);
    ec__bytes_clear(&b);
    return st;
}

static enum ec_status fill(struct ec_samples *s, const struct csv_opts *o, const struct ec_csv *c,
                           struct table *t, struct ec_err *err)
{
    bool header;
    int col = 0;

    EC_PASS(label_column(c, o->label, &col, err));
    header = has_header(c, col) || (o->label && ec_csv_col(c, o->label) == col);
    t->n = c->n_rows + !header;
    t->n_features = c->n_cols - 1;
    if (t->n < 2 || t->n_features < 1)
        return ec_fail(err, EC_E_PARSE, "%lld rows of %d columns, expected at least 2 and 2",
                       (long long)t->n, c->n_cols);
    EC_PASS(put_features(s, t, c, header, col, err));
    return put_labels(s, t, c, header, col, (enum task)o->task, err);
}

static enum ec_status open_csv(struct ec_samples *s, const void *opts, struct ec_err *err)
{
    const struct csv_opts *o = opts;
    struct ec_samples_info *info = &s->info;
    struct table *t = ec_arena_alloc(&s->arena, sizeof *t);
    struct ec_csv csv = { 0 };
    enum ec_status st = EC_OK;

    EC_TRY(ec_allocated(t, err));
    s->state = t;
    EC_TRY(read_csv(info->path, &csv, err));
    EC_TRY(ec_within(err, fill(s, o, &csv, t, err), "%s: ", info->path));
    info->rank = 1;
    info->shape[0] = info->input_elems = t->n_features;
    info->label_elems = 1;
    info->count[EC_PART_TRAIN] = t->n;
    s->test_frac = o->test;
    if (s->opts.normalise == EC_NORMALISE_AUTO)
        standardise_columns(t->x, t->n, t->n_features);
    EC_TRY(ec__shape_as_network(s, err));
out:
    ec_csv_clear(&csv);
    return st;
}

static enum ec_status get_csv(const struct ec_samples *s, const struct ec__ask *ask,
                              const struct ec_sample_data *out, struct ec__scratch *scratch,
                              struct ec_err *err)
{
    const struct table *t = s->state;

    (void)scratch;
    (void)err;
    if (out->x)
        memcpy(out->x, t->x + ask->index * t->n_features, (size_t)t->n_features * sizeof *t->x);
    if (out->label && t->label)
        *out->label = t->label[ask->index];
    if (out->target && s->info.label != EC_LABEL_CLASS)
        *out->target = t->target ? t->target[ask->index] : (float)t->label[ask->index];
    return EC_OK;
}

/* --- Digits --- */

#define DIGITS_PATH "/usr/lib/python3/dist-packages/sklearn/datasets/data/digits.csv.gz"
#define DIGITS_EDGE 8
#define DIGITS_PIXELS ((int64_t)DIGITS_EDGE * DIGITS_EDGE)
#define DIGITS_MOST 16 /* value of a black pixel */

static enum ec_status put_digits(const struct ec_csv *c, struct ec__pixels *p, struct ec_err *err)
{
    bool header = has_header(c, -1);
    int64_t n = c->n_rows + !header, first = 0, i;
    double v = 0;
    int k;

    if (c->n_cols != DIGITS_PIXELS + 1)
        return ec_fail(err, EC_E_PARSE, "%d columns, expected 64 pixels and a label", c->n_cols);
    EC_PASS(ec__pixels_add(p, EC_PART_TRAIN, n, &first, err));
    for (i = 0; i < n; i++)
        for (k = 0; k < c->n_cols; k++) {
            if (!is_number(cell(c, header, i, k), &v) || v < 0 || v > DIGITS_MOST || v != floor(v))
                return ec_fail(err, EC_E_PARSE, "row %lld, column %d: \"%.20s\", expected 0 to 16",
                               (long long)i + 1, k + 1, cell(c, header, i, k));
            if (k < DIGITS_PIXELS)
                p->data[EC_PART_TRAIN][i * DIGITS_PIXELS + k] =
                    (unsigned char)lround(v * 255 / DIGITS_MOST);
            else
                p->label[EC_PART_TRAIN][i] = (int32_t)v;
        }
    return EC_OK;
}

static enum ec_status open_digits(struct ec_samples *s, const void *opts, struct ec_err *err)
{
    const struct digits_opts *o = opts;
    struct ec__pixels *p = NULL;
    struct ec_csv csv = { 0 };
    enum ec_status st = EC_OK;

    if (!*s->info.path) {
        s->info.path = DIGITS_PATH;
        if (!ec__path_exists(DIGITS_PATH))
            return ec_fail(err, EC_E_NOT_FOUND,
                           DIGITS_PATH " is not there: install Debian's python3-sklearn, or name "
                                       "the file: digits:FILE");
    }
    if (!s->opts.shape.n)
        s->opts.shape = (struct ec_ints){
            3, {1, o->px, o->px}
        };
    EC_TRY(read_csv(s->info.path, &csv, err));
    EC_TRY(ec__pixels_new(s, 1, DIGITS_EDGE, DIGITS_EDGE, 10, &p, err));
    EC_TRY(ec_within(err, put_digits(&csv, p, err), "%s: ", s->info.path));
    s->test_frac = o->test;
    EC_TRY(ec__pixels_ready(s, p, EC_AUGMENT_NONE, err));
out:
    ec_csv_clear(&csv);
    return st;
}

const struct ec__reader ec__reader_csv = {
    .about = {.name = "csv",
              .usage = "csv:FILE[,key=value,...]",
              .help = "a table of numbers with a column to predict, gzip or not",
              .fields = csv_fields},
    .needs_path = true,
    .opts_size = sizeof(struct csv_opts),
    .open = open_csv,
    .get = get_csv,
};

const struct ec__reader ec__reader_digits = {
    .about = {.name = "digits",
              .usage = "digits[:FILE][,px=28]",
              .help = "1,797 handwritten digits that come with Debian's python3-sklearn",
              .fields = digits_fields},
    .takes_path = true,
    .opts_size = sizeof(struct digits_opts),
    .open = open_digits,
    .get = ec__pixels_get,
    .close = ec__pixels_close,
};
