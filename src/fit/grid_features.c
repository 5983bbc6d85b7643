/* What a column of a fit to a table is made of: numbers of the table, words of the table, or what
 * is counted of a row's network and known of its device. */
#include "fit/grid_internal.h"

#include "cost/cost.h"

#define WORDS_MAX 12

#define NAME(id, name, what) name,
const char *const ec__counted_names[] = { EC__COUNTED_LIST(NAME) NULL };
#undef NAME
#define TEXT(id, name, what) name ", " what
static const char *const counted_texts[] = { EC__COUNTED_LIST(TEXT) };
#undef TEXT

static enum ec_status add_feature(struct ec__grid *g, const char *name, int col, const char *word,
                                  enum ec__counted counted, struct ec_err *err)
{
    if (g->n_cols == EC_GRID_COLS_MAX)
        return ec_fail(err, EC_E_INPUT, "more than %d features", EC_GRID_COLS_MAX);
    g->feature[g->n_cols] = (struct ec__feature){ col, word, counted };
    g->names[g->n_cols++] = name;
    return EC_OK;
}

/* A feature for each word of a column but the first. */
static enum ec_status add_words(struct ec__grid *g, const char *name, int col, struct ec_err *err)
{
    const char *word[WORDS_MAX];
    struct ec_buf text = EC_BUF_INIT;
    enum ec_status st = EC_OK;
    int row, n = 0;

    for (row = 0; row < g->csv.n_rows; row++) {
        const char *cell = ec_csv_cell(&g->csv, row, col), *kept;

        if (!*cell || ec_name_index(word, n, cell) >= 0)
            continue;
        if (n == WORDS_MAX) {
            st = ec_fail(err, EC_E_INPUT, "column %.60s holds more than %d different words", name,
                         WORDS_MAX);
            goto out;
        }
        word[n++] = cell;
        if (n == 1)
            continue;
        ec_buf_reset(&text);
        ec_buf_printf(&text, "%s=%s", name, cell);
        EC_TRY(ec_buf_keep(&text, &g->arena, &kept, err));
        EC_TRY(add_feature(g, kept, col, cell, EC__COUNTED_COUNT, err));
    }
out:
    ec_buf_clear(&text);
    return st;
}

enum ec_status ec__grid_find_features(struct ec__grid *g, struct ec_err *err)
{
    struct ec_span rest = ec_span_of(g->o->features ? g->o->features : ""), word;

    while (rest.len && ec_span_cut(&rest, ',', &word)) {
        const char *name;
        int col, counted;

        word = ec_span_trim(word);
        name = ec_arena_strn(&g->arena, word.p, word.len);
        EC_PASS(ec_allocated(name, err));
        col = ec_column_like(&g->csv, name);
        counted = ec_name_index(ec__counted_names, EC__COUNTED_COUNT, name);
        if (col < 0 && counted < 0)
            return ec__grid_no_column(g, name, err);
        if (col >= 0 && ec__grid_has_words(&g->csv, col))
            EC_PASS(add_words(g, name, col, err));
        else
            EC_PASS(add_feature(g, name, col, NULL, (enum ec__counted)counted, err));
    }
    if (!g->n_cols)
        return ec_fail(err, EC_E_INPUT, "a table needs --features COLUMN,COLUMN...");
    return EC_OK;
}

/* A rate of the row's device. */
static enum ec_status count_device(const struct ec__grid *g, int row,
                                   const struct ec_predict_opts *o, enum ec__counted which,
                                   double *ret, struct ec_err *err)
{
    const struct ec_device *d = NULL;
    double v;

    EC_PASS(ec_device_find(ec__grid_device(g, row), &d, err));
    v = which == EC__COUNTED_PEAK ? ec_paper_peak(d, o->cond.precision, true)
                                  : d->memory_bytes_per_s.value;
    if (!(v > 0))
        return ec_fail(err, EC_E_NOT_FOUND, "%s is not known of %s", counted_texts[which],
                       ec_device_key(d));
    *ret = v;
    return EC_OK;
}

enum ec_status ec__grid_count(struct ec__grid *g, int row, const double *value,
                              enum ec__counted which, double *ret, struct ec_err *err)
{
    struct ec_buf network = EC_BUF_INIT;
    const struct ec_graph *graph = NULL;
    const struct ec_step *step = NULL;
    struct ec_predict_opts o;
    struct ec_totals t = { 0 };
    enum ec_status st;
    int i;

    EC_TRY(ec__grid_query(g, row, value, &o, err));
    if (which == EC__COUNTED_PEAK || which == EC__COUNTED_BANDWIDTH) {
        EC_TRY(count_device(g, row, &o, which, ret, err));
        goto out;
    }
    ec__grid_network(g, row, value, &network);
    EC_TRY(ec_buf_status(&network, err));
    if (!network.len)
        EC_TRY(ec_fail(err, EC_E_INPUT, "%s needs --network NAME, or a column of the network",
                       ec__counted_names[which]));
    o.cond.mode = EC_MODE_TRAINING_STEP;
    EC_TRY(ec_predictor_network(g->predictor, ec_buf_text(&network), &o, &graph, &step, err));
    ec_cost_step(graph, step, ec_precision_bytes(o.cond.precision), &t);
    *ret = which == EC__COUNTED_FLOP ? ec_totals_training_flop(&t) : t.params;
    for (i = 0; which == EC__COUNTED_BYTES && i < EC_PHASE_COUNT; i++)
        *ret = (i ? *ret : 0) + t.phase[i].bytes;
out:
    ec_buf_clear(&network);
    return st;
}
