/* count FILE...: parameters, multiply-accumulates, unknown operators of each network, one line
 * each; for the comparisons of this folder and of tests/onnx. */
#include "graph/figures.h"

#include <stdio.h>
#include <string.h>

static int count_file(const char *path, const struct ec_graph_opts *opts)
{
    struct ec_file f = { 0 };
    struct ec_graph *g = NULL;
    struct ec_err err = { 0 };
    enum ec_status st;
    int i;

    st = ec_file_open(path, EC_SIZE_BOUND((uint64_t)1 << 36), &f, &err);
    if (!st)
        st = ec_graph_from_onnx(f.data, f.len, opts, &g, &err);
    if (st) {
        (void)printf("%s\trefused\t%s\t%s\n", path, ec_status_name(st), err.text);
    } else {
        (void)printf("%s\t%.0f\t%.0f\t%d\t%d\n", path, graph_params(g), graph_mac(g), g->n_unknown,
                     g->n_nodes);
        for (i = 0; i < g->notes.n; i++)
            (void)fprintf(stderr, "%s: %s\n", path, g->notes.v[i]);
    }
    ec_graph_free(g);
    ec_file_close(&f);
    return st != EC_OK;
}

int main(int argc, char **argv)
{
    struct ec_graph_opts opts = { .struct_size = sizeof opts };
    int i, bad = 0;

    for (i = 1; i < argc; i++) {
        if (ec_str_starts(argv[i], "--batch=")) {
            if (!ec_parse_int(ec_span_of(argv[i] + 8), &opts.batch))
                return 2;
            continue;
        }
        if (ec_str_starts(argv[i], "--seq=")) {
            if (!ec_parse_int(ec_span_of(argv[i] + 6), &opts.seq_len))
                return 2;
            continue;
        }
        bad += count_file(argv[i], &opts);
    }
    return bad > 0;
}
