/* load FILE [RUNS]: time to open a network file and count it, in milliseconds. */
#include "cost/cost.h"
#include "graph/graph.h"

#include <stdio.h>
#include <stdlib.h>

#define RUNS_MAX 1000

static int compare(const void *x, const void *y)
{
    const int64_t *a = x, *b = y;

    return (*a > *b) - (*a < *b);
}

static enum ec_status load_once(const char *path, double *ret_params, struct ec_err *err)
{
    struct ec_totals totals = { 0 };
    struct ec_graph *g = NULL;
    enum ec_status st;

    EC_TRY(ec_graph_open(path, NULL, &g, err));
    EC_TRY(ec_cost_graph(g, EC_OPT_adam, 4, &totals, NULL, err));
    *ret_params = totals.params;
out:
    ec_graph_free(g);
    return st;
}

int main(int argc, char **argv)
{
    int64_t ns[RUNS_MAX], runs = 20, i;
    struct ec_err err = { 0 };
    double params = 0;

    if (argc < 2 ||
        (argc > 2 && (!ec_parse_int(ec_span_of(argv[2]), &runs) || runs < 1 || runs > RUNS_MAX))) {
        (void)fprintf(stderr, "usage: load FILE [RUNS]\n");
        return 2;
    }
    for (i = 0; i < runs; i++) {
        int64_t start = ec_clock_ns();

        if (load_once(argv[1], &params, &err)) {
            (void)fprintf(stderr, "%s\n", err.text);
            return 1;
        }
        ns[i] = ec_clock_ns() - start;
    }
    qsort(ns, (size_t)runs, sizeof *ns, compare);
    (void)printf("%.3f %.3f %.0f\n", (double)ns[0] * 1e-6, (double)ns[runs / 2] * 1e-6, params);
    return 0;
}
