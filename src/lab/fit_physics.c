/* The whole fit: constants, corrections, cross-validation for the widths of the intervals, and the
 * result as C text. Deterministic for a seed, on any number of threads. */
#include "lab/fit_internal.h"

#include <math.h>
#include <string.h>

/* Prints the errors on the fitted rows, by table, which show weak formulas; they are no result. */
static enum ec_status say_errors(struct ec_fit *f, const double *x, struct ec_err *err)
{
    double *ape = ec_alloc(sizeof *ape * (size_t)(f->n_rows ? f->n_rows : 1));
    int s, i;

    EC_PASS(ec_allocated(ape, err));
    for (s = 0; s < f->n_sources; s++) {
        double sum = 0, mid, p90;
        int n = 0;

        for (i = 0; i < f->n_rows; i++)
            if (f->row[i]->source == s)
                sum += ape[n++] =
                    fabs(expm1(ec__fit_asked_error(f, x, f->row[i], EC_FIT_AS_ASKED)));
        if (!n)
            continue;
        mid = ec_quantile_inplace(ape, n, 0.5);
        p90 = ec_quantile_inplace(ape, n, 0.9);
        ec__fit_say(f->opts, "  %-52.52s %5d rows: median %5.1f %%, mean %5.1f %%, p90 %5.1f %%",
                    f->source[s].name, n, 100 * mid, 100 * sum / n, 100 * p90);
    }
    ec_free(ape);
    return EC_OK;
}

/* Appends the text with what stands from `begin` to the first `end` behind it replaced. */
static enum ec_status replace(struct ec_buf *text, const char *begin, const char *end,
                              const struct ec_buf *by, struct ec_err *err)
{
    struct ec_buf out = EC_BUF_INIT;
    char *at = text->data ? strstr(text->data, begin) : NULL;
    char *behind = at ? strstr(at, end) : NULL;

    if (!behind)
        return ec_fail(err, EC_E_PARSE, "the file of constants has no %s", begin);
    ec_buf_add(&out, text->data, (size_t)(at - text->data));
    ec_buf_add(&out, by->data, by->len);
    ec_buf_str(&out, behind + strlen(end));
    ec_buf_clear(text);
    *text = out;
    return ec_buf_status(text, err);
}

#define CONSTANTS_MAX_BYTES (16u << 20)
static enum ec_status put_memory(const struct ec_fit *f, struct ec_err *err)
{
    struct ec_buf text = EC_BUF_INIT, constants = EC_BUF_INIT, width = EC_BUF_INIT;
    struct ec_file file = { 0 };
    enum ec_status st;

    ec__print_memory(f, &constants);
    ec__print_width(f, EC_W_memory, &width);
    EC_TRY(ec_buf_status(&constants, err));
    EC_TRY(ec_buf_status(&width, err));
    EC_TRY(ec_file_open(f->opts->out_path, CONSTANTS_MAX_BYTES, &file, err));
    ec_buf_add(&text, file.data, file.len);
    EC_TRY(replace(&text, "    .memory = {", "\n", &constants, err));
    EC_TRY(replace(&text, "        [EC_W_memory] = {", "        },\n", &width, err));
    EC_TRY(ec_file_write(f->opts->out_path, text.data, text.len, err));
out:
    ec_file_close(&file);
    ec_buf_clear(&text);
    ec_buf_clear(&constants);
    ec_buf_clear(&width);
    return st;
}

enum ec_status ec_fit_memory(const struct ec_fit_opts *opts, struct ec_err *err)
{
    struct ec_fit f = { .opts = opts, .stage = "memory" };
    enum ec_status st;

    memcpy(f.width, ec_fitted()->width, sizeof f.width);
    f.memory = ec_fitted()->memory;
    EC_TRY(ec__fit_collect_memory(&f, err));
    if (!f.n_memory_rows)
        EC_TRY(ec_fail(err, EC_E_INPUT, "%s: no rows of memory", opts->data_dir));
    EC_TRY(ec__fit_memory(&f, err));
    EC_TRY(ec__memory_errors(&f, err));
    EC_TRY(put_memory(&f, err));
out:
    ec__fit_clear(&f);
    return st;
}

/* A start near the solution, from a part of the rows: it costs a part of the time. */
#define COARSE_PART 5

static enum ec_status fit_coarse(const struct ec_fit *f, double *x, struct ec_err *err)
{
    struct ec_fit part = *f;
    enum ec_status st;
    int i;

    part.stage = "a part of the rows";
    part.row = ec_alloc(sizeof *part.row * (size_t)(f->n_rows / COARSE_PART + 1));
    EC_PASS(ec_allocated(part.row, err));
    for (i = part.n_rows = 0; i < f->n_rows; i += COARSE_PART)
        part.row[part.n_rows++] = f->row[i];
    st = ec__fit_run(&part, (int)f->opts->iterations, x, err);
    ec_free(part.row);
    return st;
}

void ec_fit_opts_ship(struct ec_fit_opts *o)
{
    o->command = "epochcast-lab ship DIR";
    o->seed = 1;
    o->max_rows = 200;
    o->iterations = 20;
    o->quick = false;
}

enum ec_status ec_fit_physics(const struct ec_fit_opts *opts, struct ec_err *err)
{
    struct ec_fit f = { .opts = opts, .stage = "all rows" };
    enum { BASES = EC_BASIS_SPECIFICATION + 1 };
    double *x = NULL;
    enum ec_status st;
    int i;

    memcpy(f.width, ec_fitted()->width, sizeof f.width);
    memcpy(f.group_scale, ec_fitted()->group_scale, sizeof f.group_scale);
    f.memory = ec_fitted()->memory;
    EC_TRY(ec__fit_collect(&f, err));
    x = ec_alloc(sizeof *x * (size_t)ec__fit_params(&f));
    EC_TRY(ec_allocated(x, err));
    EC_TRY(fit_coarse(&f, x, err));
    EC_TRY(ec__fit_keep_slopes(&f, x, err));
    EC_TRY(ec__fit_run(&f, (int)opts->iterations, x, err));
    EC_TRY(ec__fit_keep_slopes(&f, x, err));
    EC_TRY(ec__fit_run(&f, (int)opts->iterations, x, err));
    EC_TRY(say_errors(&f, x, err));
    if (!opts->quick) {
        ec__fit_take(&f, ~0u);
        EC_TRY(ec__fit_keep_slopes(&f, x, err));
        ec__fit_take(&f, 1);
    }
    f.learned = ec_alloc(sizeof *f.learned);
    EC_TRY(ec_allocated(f.learned, err));
    EC_TRY(ec__fit_learn(&f, x, f.row, f.n_rows, f.learned, err));
    EC_TRY(ec__fit_memory(&f, err));
    for (i = 0; i < BASES && !opts->quick; i++)
        EC_TRY(ec__fit_cross_validate(&f, x, (enum ec_basis)i, err));
    EC_TRY(ec__fit_write(&f, x, err));
    if (!opts->quick)
        EC_TRY(ec__fit_write_folds(&f, err));
    if (!opts->quick && opts->rows_path)
        EC_TRY(ec__fit_write_rows(&f, err));
out:
    ec_free(x);
    ec__fit_clear(&f);
    return st;
}
