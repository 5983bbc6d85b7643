/* Options by random draws and successive halving: every try on a small share of the rows, the
 * better half on twice as many, until one is left; with few rows, every try on all. */
#include "learn/learn_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "search_ranges.h"

#define TRIES_MAX 256
#define RUNGS_MAX 9

/* clang-format off */
#define RANGE(...) { __VA_ARGS__ },
static const struct ec_search_range many_rows[] = { SEARCH_RANGES(RANGE) { .kind = NULL } };
/* clang-format on */

struct search {
    const struct ec_search *s;
    const struct ec_rows *rows;
    const struct ec_split *inner;
    struct ec_recipe recipe[TRIES_MAX];
    double score[TRIES_MAX][RUNGS_MAX]; /* 0: unknown */
    int n_rungs;
    char head[160]; /* first line of the state file */
};

static double draw(struct ec_rng *rng, const struct ec_search_range *r)
{
    double u = ec_rng_unit(rng);
    double v = r->by_log ? r->lo * pow(r->hi / r->lo, u) : r->lo + (r->hi - r->lo) * u;

    return r->whole ? floor(v + 0.5) : v;
}

bool ec_search_has(const struct ec_search_range *ranges, const char *kind)
{
    const struct ec_search_range *r;

    for (r = ranges ? ranges : many_rows; r->kind; r++)
        if (ec_str_eq(r->kind, kind))
            return true;
    return false;
}

/* Try 0 is the recipe as it was given. */
static enum ec_status draw_recipe(struct search *x, const struct ec_recipe *start, int i,
                                  struct ec_rng *rng, struct ec_arena *a, struct ec_err *err)
{
    const struct ec_search_range *r = x->s->ranges ? x->s->ranges : many_rows;
    char text[EC_FMT_DOUBLE_BYTES];
    void *opts;

    x->recipe[i] = *start;
    if (i == 0)
        return EC_OK;
    opts = ec_arena_copy(a, start->opts, start->kind->opts_size ? start->kind->opts_size : 1);
    EC_PASS(ec_allocated(opts, err));
    x->recipe[i].opts = opts;
    for (; r->kind; r++) {
        const struct ec_field *f;

        if (!ec_str_eq(r->kind, start->kind->name))
            continue;
        f = ec_field_find(start->kind->fields, ec_span_of(r->option));
        (void)ec_fmt_double(text, sizeof text, draw(rng, r));
        EC_PASS(ec_field_set(f, opts, ec_span_of(text), a, err));
    }
    return EC_OK;
}

static enum ec_status read_state(struct search *x, struct ec_err *err)
{
    struct ec_file file = { 0 };
    struct ec_span rest, line, word;
    enum ec_status st;

    if (!x->s->state_path)
        return EC_OK;
    st = ec_file_open(x->s->state_path, 1 << 20, &file, err);
    if (st == EC_E_NOT_FOUND) {
        if (err)
            *err = (struct ec_err){ .status = EC_OK };
        return EC_OK;
    }
    EC_TRY(st);
    rest = (struct ec_span){ (const char *)file.data, file.len };
    if (!ec_span_cut(&rest, '\n', &line) || !ec_span_eq(line, x->head))
        EC_TRY(ec_fail(err, EC_E_INPUT, "%s: not the state of this search; remove it to begin anew",
                       x->s->state_path));
    while (ec_span_cut(&rest, '\n', &line)) {
        int64_t try = -1, rung = -1;
        double score = 0;

        if (!line.len)
            continue;
        (void)(ec_span_cut(&line, ' ', &word) && ec_parse_int(word, &try));
        (void)(ec_span_cut(&line, ' ', &word) && ec_parse_int(word, &rung));
        if (!ec_parse_double(line, &score) || try < 0 || try >= x->s->n_tries || rung < 0 ||
            rung >= x->n_rungs || !(score > 0))
            EC_TRY(ec_fail(err, EC_E_PARSE, "%s: damaged", x->s->state_path));
        x->score[try][rung] = score;
    }
out:
    ec_file_close(&file);
    return st;
}

static enum ec_status write_state(const struct search *x, struct ec_err *err)
{
    struct ec_buf out = EC_BUF_INIT;
    char text[EC_FMT_DOUBLE_BYTES];
    int i, k;

    if (!x->s->state_path)
        return EC_OK;
    ec_buf_printf(&out, "%s\n", x->head);
    for (i = 0; i < x->s->n_tries; i++)
        for (k = 0; k < x->n_rungs; k++)
            if (x->score[i][k] > 0)
                ec_buf_printf(&out, "%d %d %s\n", i, k,
                              ec_fmt_double(text, sizeof text, x->score[i][k]));
    return ec_file_put(x->s->state_path, &out, err);
}

/* Adds the absolute log errors on the test rows of an inner round, after a fit to 1/share_of of the
 * others. */
static enum ec_status score_round(const struct search *x, const struct ec_recipe *r, int round,
                                  int share_of, double *sum, int *n_tested, struct ec_err *err)
{
    size_t n = (size_t)x->rows->n, d = (size_t)x->rows->n_cols;
    struct ec_rows part = *x->rows;
    struct ec_arena a = { 0 };
    double *v = ec_arena_alloc(&a, n * d * sizeof *v), *y = ec_arena_alloc(&a, n * sizeof *y);
    int *row = ec_arena_alloc(&a, n * sizeof *row), i, n_test;
    struct ec_regressor *m = NULL;
    enum ec_status st = EC_OK;

    EC_TRY(ec_allocated(v && y && row, err));
    part.n = ec_split_rows(x->inner, round, false, row) / share_of;
    for (i = 0; i < part.n; i++) {
        int from = row[i * share_of];

        memcpy(v + (size_t)i * d, x->rows->x + (size_t)from * d, d * sizeof *v);
        y[i] = x->rows->y[from];
    }
    part.x = v;
    part.y = y;
    EC_TRY(ec_regressor_fit(r, &part, &x->s->env, &m, err));
    n_test = ec_split_rows(x->inner, round, true, row);
    for (i = 0; i < n_test; i++) {
        double p = 0;

        ec_regressor_predict(m, x->rows->x + (size_t)row[i] * d, 1, &p);
        *sum += fabs(log((p > 1e-300 ? p : 1e-300) / x->rows->y[row[i]]));
    }
    *n_tested += n_test;
out:
    ec_regressor_free(m);
    ec_arena_clear(&a);
    return st;
}

/* Mean absolute log error in the first inner round, or in all. */
static enum ec_status score(const struct search *x, const struct ec_recipe *r, int share_of,
                            double *ret, struct ec_err *err)
{
    int rounds = x->s->whole ? x->inner->n_rounds : 1, i, n = 0;
    double sum = 0;

    for (i = 0; i < rounds; i++)
        EC_PASS(score_round(x, r, i, share_of, &sum, &n, err));
    *ret = sum / (n ? n : 1) + 1e-12;
    return EC_OK;
}

/* Stable: of equals the earlier try stays in front. */
static void sort_tries(const struct search *x, int rung, int *alive, int n)
{
    int i, j;

    for (i = 1; i < n; i++) {
        int try = alive[i];

        for (j = i; j > 0 && x->score[alive[j - 1]][rung] > x->score[try][rung]; j--)
            alive[j] = alive[j - 1];
        alive[j] = try;
    }
}

/* Fits of a rung: the better half of the tries of the one before. */
static int tries_of(const struct search *x, int rung)
{
    int n = x->s->n_tries;

    while (rung--)
        n = (n + 1) / 2;
    return n;
}

static void tell_try(const struct search *x, int rung, int done_of_rung, double best)
{
    int done = done_of_rung, total = 0, i;

    for (i = 0; i < x->n_rungs; i++) {
        total += tries_of(x, i);
        done += i < rung ? tries_of(x, i) : 0;
    }
    if (x->s->tried)
        x->s->tried(x->s->tried_ctx, done, total, best);
}

static enum ec_status run_rung(struct search *x, int rung, const int *alive, int n,
                               struct ec_err *err)
{
    double best = (double)INFINITY;
    int i;

    for (i = 0; i < n; i++) {
        double *s = &x->score[alive[i]][rung];

        bool known = *s > 0;

        if (!known) {
            EC_PASS(score(x, &x->recipe[alive[i]], 1 << (x->n_rungs - 1 - rung), s, err));
            EC_PASS(write_state(x, err));
        }
        best = fmin(best, *s);
        if (!known)
            tell_try(x, rung, i + 1, best);
    }
    return EC_OK;
}

enum ec_status ec_search_run(const struct ec_search *s, const struct ec_recipe *start,
                             const struct ec_rows *rows, const struct ec_split *inner,
                             struct ec_arena *a, struct ec_recipe *ret, double *ret_score,
                             struct ec_err *err)
{
    struct search *x = ec_alloc(sizeof *x);
    int alive[TRIES_MAX], n = s->n_tries, i, rung;
    struct ec_rng rng;
    enum ec_status st;

    EC_PASS(ec_allocated(x, err));
    if (n < 1 || n > TRIES_MAX)
        EC_TRY(ec_fail(err, EC_E_INPUT, "%d tries, expected 1 to %d", n, TRIES_MAX));
    x->s = s;
    x->rows = rows;
    x->inner = inner;
    for (x->n_rungs = 1; !s->whole && 1 << x->n_rungs <= n && x->n_rungs < RUNGS_MAX;)
        x->n_rungs++;
    (void)snprintf(x->head, sizeof x->head, "epochcast search 1: %s, seed %llu, %d tries, %d rows",
                   start->kind->name, (unsigned long long)s->env.seed, n, rows->n);
    ec_rng_seed(&rng, s->env.seed);
    for (i = 0; i < n; i++) {
        alive[i] = i;
        EC_TRY(draw_recipe(x, start, i, &rng, a, err));
    }
    EC_TRY(read_state(x, err));
    for (rung = 0; rung < x->n_rungs; rung++) {
        EC_TRY(run_rung(x, rung, alive, n, err));
        sort_tries(x, rung, alive, n);
        n = tries_of(x, rung + 1);
    }
    *ret = x->recipe[alive[0]];
    *ret_score = x->score[alive[0]][x->n_rungs - 1];
out:
    ec_free(x);
    return st;
}
