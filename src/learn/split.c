/* Which rows are fitted and which are tested. */
#include "learn/learn.h"

#include <assert.h>
#include <string.h>

#define KEPT_ASIDE (-2)

static void shuffle(struct ec_rng *rng, int *v, int n)
{
    int i;

    for (i = 0; i < n; i++)
        v[i] = i;
    ec_rng_shuffle(rng, v, n);
}

static void split_rows(struct ec_split *s, int k, const int *order, bool one_round)
{
    int i;

    for (i = 0; i < s->n; i++) {
        int part = (int)((int64_t)i * k / s->n);

        assert(part >= 0 && part < k);
        s->round[order[i]] = !one_round ? part : part == 0 ? 0 : part == 1 ? KEPT_ASIDE : -1;
    }
}

/* Groups in random order, each to the part with fewest rows. */
static enum ec_status split_groups(struct ec_split *s, const int *group, int n_groups, int k,
                                   struct ec_rng *rng, struct ec_err *err)
{
    struct ec_arena a = { 0 };
    int *order = ec_arena_alloc(&a, sizeof *order * (size_t)n_groups);
    int *rows = ec_arena_alloc(&a, sizeof *rows * (size_t)n_groups);
    int *part = ec_arena_alloc(&a, sizeof *part * (size_t)n_groups);
    int *filled = ec_arena_alloc(&a, sizeof *filled * (size_t)k);
    enum ec_status st = EC_OK;
    int i, j;

    EC_TRY(ec_allocated(order && rows && part && filled, err));
    for (i = 0; i < s->n; i++) {
        assert(group[i] >= 0 && group[i] < n_groups);
        rows[group[i]]++;
    }
    shuffle(rng, order, n_groups);
    for (i = 0; i < n_groups; i++) {
        int best = 0;

        for (j = 1; j < k; j++)
            if (filled[j] < filled[best])
                best = j;
        part[order[i]] = best;
        filled[best] += rows[order[i]];
    }
    for (i = 0; i < s->n; i++)
        s->round[i] = part[group[i]];
out:
    ec_arena_clear(&a);
    return st;
}

static int count_groups(const int *group, int n)
{
    int i, most = -1;

    for (i = 0; group && i < n; i++)
        if (group[i] > most)
            most = group[i];
    return most + 1;
}

enum ec_status ec_split_make(enum ec_split_kind kind, const int *group, int n, int k, uint64_t seed,
                             struct ec_split *ret, struct ec_err *err)
{
    bool by_group = kind == EC_SPLIT_GROUP || kind == EC_SPLIT_LEAVE_ONE;
    int n_groups = count_groups(group, n), parts, *order = NULL;
    struct ec_split s = { .n = n };
    struct ec_rng rng;
    enum ec_status st = EC_OK;

    parts = kind == EC_SPLIT_RANDOM ? 10 : kind == EC_SPLIT_LEAVE_ONE ? n_groups : k;
    if (parts < 2 || n < parts || (by_group && n_groups < parts))
        return ec_fail(err, EC_E_INPUT, "%d %s cannot be split into %d parts",
                       by_group ? n_groups : n, by_group ? "groups" : "rows",
                       parts < 2 ? 2 : parts);
    s.n_rounds = kind == EC_SPLIT_RANDOM ? 1 : parts;
    s.round = ec_alloc(sizeof *s.round * (size_t)n);
    order = ec_alloc(sizeof *order * (size_t)n);
    EC_TRY(ec_allocated(s.round && order, err));
    ec_rng_seed(&rng, seed);
    if (kind == EC_SPLIT_LEAVE_ONE) {
        memcpy(s.round, group, sizeof *group * (size_t)n);
    } else if (by_group) {
        EC_TRY(split_groups(&s, group, n_groups, parts, &rng, err));
    } else {
        shuffle(&rng, order, n);
        split_rows(&s, parts, order, kind == EC_SPLIT_RANDOM);
    }
    *ret = s;
    s.round = NULL;
out:
    ec_free(order);
    ec_free(s.round);
    return st;
}

/* Numbers the groups of the listed rows from 0 without gaps. */
static enum ec_status renumber(const int *group, const int *row, int n, int *ret, int *ret_n,
                               struct ec_err *err)
{
    int i, most = 0, *number;

    for (i = 0; i < n; i++)
        most = group[row ? row[i] : i] > most ? group[row ? row[i] : i] : most;
    number = ec_alloc(sizeof *number * ((size_t)most + 1)); /* from 1; 0: none yet */
    EC_PASS(ec_allocated(number, err));
    for (i = 0; i < n; i++) {
        int *at = &number[group[row ? row[i] : i]];

        if (!*at)
            *at = ++*ret_n;
        ret[i] = *at - 1;
    }
    ec_free(number);
    return EC_OK;
}

enum ec_status ec_split_part(const int *group, const int *row, int n, int k, uint64_t seed,
                             struct ec_split *ret, struct ec_err *err)
{
    int *own = ec_alloc(sizeof *own * ((size_t)n + 1)), n_groups = 0, parts;
    enum ec_status st = own ? EC_OK : ec_nomem(err);

    EC_TRY(st);
    if (group)
        EC_TRY(renumber(group, row, n, own, &n_groups, err));
    parts = n_groups > 1 ? n_groups : n;
    EC_TRY(ec_split_make(n_groups > 1 ? EC_SPLIT_GROUP : EC_SPLIT_KFOLD, own, n,
                         parts < k ? parts : k, seed, ret, err));
out:
    ec_free(own);
    return st;
}

int ec_split_rows(const struct ec_split *s, int round, bool test, int *ret)
{
    int i, n = 0;

    for (i = 0; i < s->n; i++)
        if (test ? s->round[i] == round : s->round[i] != round && s->round[i] != KEPT_ASIDE)
            ret[n++] = i;
    return n;
}
