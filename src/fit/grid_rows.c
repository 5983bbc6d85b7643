/* Rows of a table of configurations: what each row says of its network, its device and its
 * conditions. */
#include "fit/grid_internal.h"

#include <stdio.h>
#include <string.h>

#define CIFAR_TRAIN 50000.0

enum ec_status ec__grid_no_column(const struct ec__grid *g, const char *name, struct ec_err *err)
{
    return ec_fail_near(err, EC_E_INPUT, name, g->csv.names, g->csv.n_cols, "no column \"%.60s\"",
                        name);
}

/* A column is one of words if a cell is not empty and no number, unless its name says that it holds
 * numbers: then the cell is an error of its row. */
bool ec__grid_has_words(const struct ec_csv *csv, int col)
{
    double v;
    int row, n = 0;

    if (ec_column_holds_numbers(ec_column_meaning(csv->names[col]).quantity))
        return false;
    for (row = 0; row < csv->n_rows; row++) {
        const char *cell = ec_csv_cell(csv, row, col);

        if (*cell && ec_parse_double(ec_span_trim(ec_span_of(cell)), &v))
            return false;
        n += *cell != 0;
    }
    return n > 0;
}

bool ec__grid_asks(const struct ec_grid_opts *o, const struct ec_csv *csv, int row)
{
    int col = ec_column_of(csv, EC_Q_MODEL), i;

    if (o->model && col >= 0 && !ec_str_ieq(ec_csv_cell(csv, row, col), o->model))
        return false;
    for (i = 0; i < o->where.n; i++) {
        struct ec_span word = ec_span_of(o->where.v[i]), name = { NULL, 0 };
        char column[64];

        (void)ec_span_cut(&word, '=', &name);
        (void)snprintf(column, sizeof column, "%.*s", (int)name.len, name.p);
        if (!ec_span_eq(word, ec_csv_cell(csv, row, ec_column_like(csv, column))))
            return false;
    }
    return true;
}

const char *ec__grid_device(const struct ec__grid *g, int row)
{
    return *g->o->device ? g->o->device
           : g->device   ? g->device
                         : ec_csv_cell(&g->csv, row, g->device_col);
}

double ec__grid_samples(const struct ec__grid *g, int row)
{
    int col = g->samples_col;
    double v = 0;

    if (col >= 0 && ec_parse_double(ec_span_of(ec_csv_cell(&g->csv, row, col)), &v) && v > 0)
        return v;
    return CIFAR_TRAIN;
}

static int feature_of(const struct ec__grid *g, enum ec_quantity q)
{
    int j;

    for (j = 0; j < g->n_cols; j++)
        if (!g->feature[j].word && ec_column_meaning(g->names[j]).quantity == q)
            return j;
    return -1;
}

int ec__grid_find_feature(const struct ec__grid *g, const char *name)
{
    enum ec_quantity want = ec_column_meaning(name).quantity;
    int j;

    for (j = 0; j < g->n_cols; j++)
        if (ec_str_eq(g->names[j], name))
            return j;
    return want == EC_Q_NONE ? -1 : feature_of(g, want);
}

/* The network's parameter that a feature is; NULL: none. */
static const char *parameter(const struct ec__grid *g, int j)
{
    if (g->feature[j].word || g->feature[j].col < 0)
        return NULL;
    switch (ec_column_meaning(g->names[j]).quantity) {
    case EC_Q_BATCH:
    case EC_Q_PARAMS:
    case EC_Q_DATASET_SIZE:
    case EC_Q_EPOCHS:
    case EC_Q_IMAGE_PX:
    case EC_Q_SEQ_LEN:
    case EC_Q_NUM_DEVICES:
        return NULL;
    case EC_Q_DEPTH:
        return "depth";
    case EC_Q_BASE_FILTERS:
        return "base_filters";
    default:
        return g->names[j];
    }
}

void ec__grid_network(const struct ec__grid *g, int row, const double *value, struct ec_buf *out)
{
    char text[EC_FMT_DOUBLE_BYTES];
    int j, n = 0;

    ec_buf_reset(out);
    if (!*g->o->network || ec_str_eq(g->o->network, EC__GRID_EACH)) {
        ec_buf_str(out, ec_csv_cell(&g->csv, row, g->model_col));
        return;
    }
    ec_buf_str(out, g->o->network);
    for (j = 0; j < g->n_cols; j++)
        if (parameter(g, j))
            ec_buf_printf(out, "%c%s=%s", n++ ? ',' : ':', parameter(g, j),
                          ec_fmt_double(text, sizeof text, value[j]));
}

#define GIVEN(member) offsetof(struct ec_grid_opts, member)
const struct ec__grid_word ec__grid_words[EC__GRID_WORDS] = {
    {EC_Q_PRECISION,  "precision", "fp32",          GIVEN(precision)},
    { EC_Q_FRAMEWORK, "framework", "pytorch-2",     GIVEN(framework)},
    { EC_Q_OPTIMIZER, "optimizer", "adam",          GIVEN(optimizer)},
    { EC_Q_MODE,      "mode",      "training_step", 0               },
};

/* A condition of a row in our word for it. */
static enum ec_status word_of(const struct ec__grid *g, int row, const struct ec__grid_word *w,
                              const char **ret, struct ec_err *err)
{
    int col = ec_column_of(&g->csv, w->q);
    const char *cell = ec_csv_cell(&g->csv, row, col);

    if (w->given)
        memcpy(ret, (const char *)g->o + w->given, sizeof *ret);
    if (*ret)
        return EC_OK;
    *ret = *cell ? ec_column_word(w->q, cell) : w->deflt;
    if (*ret)
        return EC_OK;
    return ec_fail(err, EC_E_INPUT,
                   "line %d, column %.40s: found \"%.60s\", which is no word that is known there",
                   g->csv.lines[row], g->csv.names[col], cell);
}

enum ec_status ec__grid_query(const struct ec__grid *g, int row, const double *value,
                              struct ec_predict_opts *ret, struct ec_err *err)
{
    const struct {
        enum ec_quantity q;
        int64_t *ret;
    } counts[] = {
        {EC_Q_BATCH,        &ret->batch  },
        { EC_Q_IMAGE_PX,    &ret->image  },
        { EC_Q_SEQ_LEN,     &ret->seq_len},
        { EC_Q_NUM_DEVICES, &ret->devices},
    };
    const char *conditions = ec_csv_cell(&g->csv, row, g->conditions_col);
    int i, j;

    ec_predict_opts_default(ret);
    if (*conditions)
        EC_PASS(ec_conditions_parse(conditions, &ret->cond, err));
    for (i = 0; i < EC__GRID_WORDS && !*conditions; i++) {
        const char *word = NULL;

        EC_PASS(word_of(g, row, &ec__grid_words[i], &word, err));
        EC_PASS(ec_conditions_set(&ret->cond, ec__grid_words[i].name, word, err));
    }
    ret->batch = g->o->batch > 0 ? g->o->batch : 32;
    for (i = 0; i < EC_LEN(counts); i++) {
        j = feature_of(g, counts[i].q);
        if (j >= 0)
            *counts[i].ret = (int64_t)value[j];
        else
            (void)ec_parse_int(
                ec_span_of(ec_csv_cell(&g->csv, row, ec_column_of(&g->csv, counts[i].q))),
                counts[i].ret);
    }
    return EC_OK;
}
