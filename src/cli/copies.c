/* Runs that stand in several tables, as in a table that was made from others. */
#include "cli/cli.h"
#include "tables/tables.h"

#include <stdlib.h>
#include <string.h>

enum { COPY_SAMPLES = 5 }; /* fewer may agree by chance */

struct ec_seen_run {
    double n, median_ns, mean_ns, std_ns, batch;
    const char *what;
};

static int by_samples(const void *a, const void *b)
{
    const struct ec_seen_run *x = a, *y = b;
    const double of[][2] = {
        {x->n,          y->n        },
        { x->median_ns, y->median_ns},
        { x->mean_ns,   y->mean_ns  },
        { x->std_ns,    y->std_ns   },
        { x->batch,     y->batch    }
    };
    int i;

    for (i = 0; i < EC_LEN(of); i++)
        if (of[i][0] != of[i][1])
            return of[i][0] < of[i][1] ? -1 : 1;
    return strcmp(x->what, y->what);
}

enum ec_status ec_copies_drop(struct ec_copies *c, struct ec_record_list *l, int *ret_dropped,
                              struct ec_err *err)
{
    int i, n = 0, before = c->n;

    for (i = 0; i < l->n; i++) {
        const struct ec_record *m = &l->v[i];
        struct ec_seen_run own = { .n = (double)m->n_samples,
                                   .median_ns = m->time.ns,
                                   .mean_ns = m->mean.ns,
                                   .std_ns = m->std.ns,
                                   .batch = (double)m->batch,
                                   .what = m->what };

        if (own.n >= COPY_SAMPLES && own.std_ns > 0) {
            if (before && bsearch(&own, c->v, (size_t)before, sizeof own, by_samples)) {
                ++*ret_dropped;
                continue;
            }
            EC_PASS(ec_grow(&c->v, &c->cap, c->n + 1, sizeof own, err));
            own.what = ec_arena_str(&c->arena, own.what);
            EC_PASS(ec_allocated(own.what, err));
            c->v[c->n++] = own;
        }
        l->v[n++] = *m;
    }
    l->n = n;
    if (c->n > before)
        qsort(c->v, (size_t)c->n, sizeof *c->v, by_samples);
    return EC_OK;
}

void ec_copies_clear(struct ec_copies *c)
{
    ec_free(c->v);
    ec_arena_clear(&c->arena);
}
