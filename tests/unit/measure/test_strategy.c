/* Sums of layers inside and outside the data-parallel strategy. */
#include "test.h"

#include "../engine/pair.h"
#include "measure/measure.h"

#include <stdlib.h>
#include <unistd.h>

static struct ec_measurer open_measurer(void)
{
    struct ec_engine_opts engine = { .backend = "ref", .threads = 1, .seed = 1 };
    struct ec_measurer m = { .cond.optimizer = EC_OPT_sgd, .base.seed = 1 };
    struct ec_err err = { 0 };

    CHECK_OK(ec_engine_open(&engine, &m.ctx, &err));
    return m;
}

TEST(layers_are_put_together_in_three_ways)
{
    struct ec_measurer m = open_measurer();
    struct pair pair = { 0 };
    const struct ec_group two = pair_group(&pair);
    const struct ec_parallel p = { &two, 2, 1, NULL };
    const struct ec_strategy_opts o = {
        .graph = {.struct_size = sizeof o.graph, .batch = 2},
          .turns = 2
    };
    double inside = 0, others = 0, last = 0;
    struct ec_strategy_study s = { 0 };
    struct ec_err err = { 0 };
    int i, n = 0;

    CHECK_OK(ec_strategy_measure(&m, &p, "mnist_cnn", &o, &s, &err));
    CHECK_INT(s.ranks, 2);
    CHECK_INT(s.batch, 2);
    CHECK_INT(s.n_left_out, 0);
    CHECK(s.step_ns > 0 && s.alone_ns > 0 && s.at_once_ns > 0);
    for (i = 0; i < s.n_layers; i++) {
        const struct ec_strategy_layer *l = &s.layer[i];

        CHECK(l->alone_ns > 0 && l->inside_ns > 0);
        inside += l->count * l->inside_ns;
        others += l->is_last ? 0 : l->count * l->alone_ns;
        last += l->is_last ? l->inside_ns : 0;
        n += l->count;
    }
    CHECK_INT(n, 8); /* three convolutions, three pools, two linear layers */
    CHECK_STR(s.layer[0].activation, "relu");
    CHECK(s.layer[s.n_layers - 1].is_last);
    CHECK(ec_str_starts(s.layer[s.n_layers - 1].what, "linear"));
    CHECK(s.layer[s.n_layers - 1].activation == NULL);
    CHECK_NEAR(s.sum_ns[EC_STRATEGY_SUM_INSIDE], inside, 1e-9);
    CHECK_NEAR(s.sum_ns[EC_STRATEGY_SUM_LAST_INSIDE], others + last, 1e-9);
    CHECK_NEAR(s.sum_ns[EC_STRATEGY_SUM_DIVIDED], others / 1.5 + last, 1e-9);
    CHECK(pair.n_sent > 0);
    ec_strategy_clear(&s);
    ec_engine_close(m.ctx);
}

TEST(a_network_without_layers_is_refused)
{
    struct ec_measurer m = open_measurer();
    const struct ec_group alone = { 0 };
    const struct ec_parallel p = { &alone, 2, 0, NULL };
    const struct ec_strategy_opts o = { .graph = { .struct_size = sizeof o.graph }, .turns = 1 };
    struct ec_strategy_study s = { 0 };
    struct ec_err err = { 0 };

    CHECK_INT(ec_strategy_measure(&m, &p, "no_such_network", &o, &s, &err), EC_E_NOT_FOUND);
    ec_strategy_clear(&s);
    ec_engine_close(m.ctx);
}

/* A row of a lone layer: how many processes, what is behind it, and once only. */
TEST(a_layer_inside_the_strategy_is_a_row)
{
    char path[] = "strategy-XXXXXX";
    struct ec_measurer m = open_measurer();
    struct pair pair = { 0 };
    const struct ec_group two = pair_group(&pair);
    const struct ec_parallel p = { &two, 2, 1, NULL };
    static const char what[] = "linear m=8 k=16 n=32";
    struct ec_csv csv = { 0 };
    struct ec_err err = { 0 };
    int fd = mkstemp(path), i;

    CHECK(fd >= 0);
    (void)close(fd);
    ec_record_init(&m.base);
    CHECK_OK(ec_row_file_open(path, &m.file, &err));
    for (i = 0; i < 2; i++) {
        CHECK_OK(ec_measure_parallel_layer(&m, &p, what, "relu", EC_LAYER_JUSTUS, &err));
        CHECK_OK(ec_measure_parallel_layer(&m, &p, what, NULL, EC_LAYER_ISOLATED, &err));
    }
    CHECK_INT(m.n_added, 2);
    CHECK_INT(m.n_known, 2);
    ec_row_file_close(m.file);
    CHECK_OK(ec_csv_read(path, &csv, &err));
    CHECK_INT(csv.n_rows, 2);
    CHECK_STR(ec_csv_cell(&csv, 0, ec_csv_col(&csv, "kind")), "operator");
    CHECK_STR(ec_csv_cell(&csv, 0, ec_csv_col(&csv, "method")), "justus");
    CHECK_STR(ec_csv_cell(&csv, 0, ec_csv_col(&csv, "activation")), "relu");
    CHECK_STR(ec_csv_cell(&csv, 0, ec_csv_col(&csv, "num_devices")), "2");
    CHECK_STR(ec_csv_cell(&csv, 1, ec_csv_col(&csv, "method")), "isolated");
    ec_csv_clear(&csv);
    (void)unlink(path);
    ec_engine_close(m.ctx);
}
