/* Sums of layers on the fake device, whose law of time is exact: layers among their neighbours add
 * up to the network, lone ones to more. */
#include "test.h"

#include "measure/measure.h"

static void open_measurer(struct ec_measurer *m)
{
    struct ec_engine_opts engine = { .backend = "sim", .sim = "t4", .threads = 1, .seed = 1 };
    struct ec_arena a = { 0 };
    struct ec_err err = { 0 };

    memset(m, 0, sizeof *m);
    CHECK_OK(ec_fields_default(ec_protocol_fields, &m->protocol, &a, &err));
    m->protocol.max_runs = 3;
    m->protocol.min_runs = 3;
    m->cond.optimizer = EC_OPT_sgd;
    CHECK_OK(ec_engine_open(&engine, &m->ctx, &err));
    ec_arena_clear(&a);
}

TEST(layers_among_their_neighbours_are_the_network)
{
    struct ec_compose_opts opts = {
        .graph = {.struct_size = sizeof opts.graph, .batch = 32},
          .turns = 3
    };
    struct ec_composition c = { 0 };
    struct ec_measurer m;
    struct ec_err err = { 0 };
    double largest = 0, last = 0;
    int i, s;

    open_measurer(&m);
    CHECK_OK(ec_compose(&m, "mnist_cnn", &opts, &c, &err));
    CHECK_INT(c.batch, 32);
    CHECK_INT(c.n_left_out, 0);
    for (i = 0; i < c.n_layers; i++)
        for (s = 0; s < EC_SUM_COUNT; s++)
            CHECK(s == EC_SUM_company && c.layer[i].fused ? c.layer[i].ns[s] <= 0
                                                          : c.layer[i].ns[s] > 0);
    for (s = 0; s < EC_SUM_COUNT; s++) {
        last = c.sum_ns[s] / c.whole_ns;
        largest = last > largest ? last : largest;
    }
    CHECK(largest > 3);
    CHECK(last > 0.95 && last < 1.12);
    ec_composition_clear(&c);
    ec_engine_close(m.ctx);
}
