/* What the rows of the fit say of each shipped constant. The standard deviation of a constant
 * before the rows is its prior's; after them it follows from the Hessian at the shipped constants.
 * Nothing is fitted. */
#include "lab/fit_internal.h"
#include "report/report.h"

#include <stdio.h>
#include <string.h>

#include "lab_columns.h"

/* Below this share of the prior's variance the rows say nothing. */
#define KNOWN_LEAST 0.1
/* Tables that are named, and the least part of what all say. */
#define NAMED 2
#define NAMED_LEAST 0.005

struct listed {
    const char *name, *unit, *meaning;
    double start;
};

static const struct listed theta_list[] = {
#define THETA_LISTED(name, init, sd, unit, meaning) { #name, unit, meaning, init },
    EC_THETA_LIST(THETA_LISTED)
};
static const struct listed framework_list[] = { EC_FRAMEWORK_THETA_LIST(THETA_LISTED) };
#undef THETA_LISTED

/* A constant: its row of the list, of which framework (NULL: of all), what it is worth, and what
 * determines it. */
struct constant {
    const struct listed *listed;
    const char *framework;
    double value;
    const struct ec_fit_evidence *evidence;
};
enum { CONSTANTS = EC_THETA_COUNT + EC_FRAMEWORK_COUNT * EC_FWT_COUNT };

/* In the order of the parameter vector. */
static struct constant constant_at(int i, const struct ec_fit_evidence *evidence)
{
    const struct ec_constants *c = &ec_fitted()->c;
    int of = i - EC_THETA_COUNT, fw = of / EC_FWT_COUNT, k = of % EC_FWT_COUNT;

    if (of < 0)
        return (struct constant){ &theta_list[i], NULL, c->theta[i], &evidence[i] };
    return (struct constant){ &framework_list[k], ec_framework_keys[fw], c->framework[fw][k],
                              &evidence[i] };
}

static double known(const struct ec_fit_evidence *e)
{
    return 1 - e->sd * e->sd / (e->prior_sd * e->prior_sd);
}

/* "timm/infer.csv 61 %, h200/layers.csv 12 %": the tables that say most, and their parts of what
 * all say. */
static const char *tables_text(const struct ec_fit *f, const struct ec_fit_evidence *e, char *out,
                               size_t size)
{
    double left[EC_FIT_SOURCES_MAX], sum = 0;
    size_t len = 0;
    int i, k, most;

    *out = '\0';
    memcpy(left, e->says, sizeof left);
    for (i = 0; i < f->n_sources; i++)
        sum += left[i];
    for (k = 0; k < NAMED; k++) {
        for (most = 0, i = 1; i < f->n_sources; i++)
            most = left[i] > left[most] ? i : most;
        if (!(left[most] > NAMED_LEAST * sum))
            break;
        len += (size_t)ec_snprintf(out + len, size - len, "%s%s %.0f %%", k ? ", " : "",
                                   f->source[most].table, 100 * left[most] / sum);
        left[most] = 0;
    }
    return out;
}

static void put_constant(struct ec_table *t, const struct ec_fit *f, const struct constant *c)
{
    const struct ec_fit_evidence *e = c->evidence;
    char name[64], value[32], start[32], tables[200];
    int i, rows = 0, n_tables = 0;

    for (i = 0; i < f->n_sources; i++) {
        rows += e->rows[i];
        n_tables += e->rows[i] > 0;
    }
    (void)snprintf(name, sizeof name, "%s%s%s", c->framework ? c->framework : "",
                   c->framework ? " " : "", c->listed->name);
    (void)ec_snprintf(value, sizeof value, "%.4g", c->value);
    (void)ec_snprintf(start, sizeof start, "%.4g", c->listed->start);
    ec_table_row(t, ec_text(name), ec_text(c->listed->unit), ec_text(value), ec_text(start),
                 ec_num(e->prior_sd), ec_num(e->sd), ec_num(known(e)), ec_int(rows),
                 ec_int(n_tables));
    ec_table_text(t, tables_text(f, e, tables, sizeof tables));
    ec_table_text(t, c->listed->meaning);
}

enum which { DETERMINED, NOT_DETERMINED, ALL };

/* The constants of one group as a table; returns how many. */
static enum ec_status put_table(const struct ec_fit *f, const struct ec_fit_evidence *e,
                                enum which which, enum ec_table_form form, struct ec_buf *out,
                                struct ec_err *err)
{
    struct ec_table t;
    enum ec_status st;
    int i;

    ec_table_init(&t, constants_cols, EC_LEN(constants_cols));
    for (i = 0; i < CONSTANTS; i++) {
        struct constant c = constant_at(i, e);

        if (which == ALL || (known(c.evidence) < KNOWN_LEAST) == (which == NOT_DETERMINED))
            put_constant(&t, f, &c);
    }
    st = ec_table_write(&t, form, out, err);
    ec_table_clear(&t);
    return st;
}

static int count_not_known(const struct ec_fit_evidence *e)
{
    int i, n = 0;

    for (i = 0; i < CONSTANTS; i++)
        n += known(&e[i]) < KNOWN_LEAST;
    return n;
}

/* Both groups, each under its heading. */
static enum ec_status put_groups(const struct ec_fit *f, const struct ec_fit_evidence *e,
                                 enum ec_table_form form, struct ec_buf *out, struct ec_err *err)
{
    const char *mark = form == EC_TABLE_MARKDOWN ? "## " : "";
    int apart = count_not_known(e);

    ec_buf_printf(out, "\n%s%d constants that rows determine\n\n", mark, CONSTANTS - apart);
    EC_PASS(put_table(f, e, DETERMINED, form, out, err));
    ec_buf_printf(out, "\n%s%d constants that no row determines\n\n", mark, apart);
    return put_table(f, e, NOT_DETERMINED, form, out, err);
}

/* Tables with rows that the constants are fitted to. */
static int count_tables(const struct ec_fit *f)
{
    int i, k, n = 0;

    for (i = 0; i < f->n_sources; i++) {
        for (k = 0; !ec_str_eq(f->source[k].table, f->source[i].table);)
            k++;
        n += k == i && f->source[i].n_used > 0;
    }
    return n;
}

static void put_head(const struct ec_fit *f, struct ec_buf *out)
{
    int i, n = 0;

    for (i = 0; i < f->n_rows; i++)
        n += f->row[i]->physics;
    ec_buf_printf(
        out,
        "# The constants, and what determines them\n\n"
        "`epochcast-lab report DIR` writes this page; do not edit it. The laws that use the "
        "constants are in\n[time-model.md](time-model.md). A constant starts at `start`; "
        "`prior sd` is the standard deviation of its logarithm\nbefore the fit, `sd` after it. "
        "`removed` is the part of the prior's variance that the rows took away; `rows` of "
        "`tables`\n"
        "are those whose time depends on it: by more than %g %% of its change. `most by` names "
        "the tables that say most. A share\nof odds v is v / (1 + v). %d rows of %d tables "
        "were asked, at most %lld of each device, operator and phase in a table.\n",
        100 * EC_FIT_NOTICEABLE, n, count_tables(f), (long long)f->opts->max_rows);
}

static enum ec_status write_page(const struct ec_fit *f, const struct ec_fit_evidence *e,
                                 struct ec_err *err)
{
    struct ec_buf page = EC_BUF_INIT;
    enum ec_status st;

    if (ec_str_glob("*.csv", f->opts->out_path)) {
        EC_TRY(put_table(f, e, ALL, EC_TABLE_CSV, &page, err));
    } else {
        put_head(f, &page);
        EC_TRY(put_groups(f, e, EC_TABLE_MARKDOWN, &page, err));
    }
    EC_TRY(ec_file_put(f->opts->out_path, &page, err));
out:
    ec_buf_clear(&page);
    return st;
}

enum ec_status ec_fit_report(const struct ec_fit_opts *opts, struct ec_buf *out, struct ec_err *err)
{
    struct ec_fit f = { .opts = opts };
    struct ec_fit_evidence *e = NULL;
    double *x = NULL;
    enum ec_status st;

    EC_TRY(ec__fit_collect(&f, err));
    x = ec_alloc(sizeof *x * (size_t)ec__fit_params(&f));
    e = ec_alloc(sizeof *e * (size_t)ec__fit_params(&f));
    EC_TRY(ec_allocated(x && e, err));
    EC_TRY(ec__fit_shipped(&f, x, err));
    EC_TRY(ec__fit_keep_slopes(&f, x, err));
    EC_TRY(ec__fit_evidence(&f, x, e, err));
    EC_TRY(write_page(&f, e, err));
    EC_TRY(put_groups(&f, e, EC_TABLE_TEXT, out, err));
out:
    ec_free(x);
    ec_free(e);
    ec__fit_clear(&f);
    return st;
}
