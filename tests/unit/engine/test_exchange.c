/* A data-parallel step: the mean of equal gradients is the gradient, so that two processes with the
 * same batch learn as one. */
#include "test.h"

#include "pair.h"

#define STEPS 3

static void losses(const struct ec_group *g, double ret[STEPS], double *ret_params)
{
    const struct ec_engine_opts engine = { .backend = "ref", .seed = 1 };
    struct ec_graph_opts graph = { .struct_size = sizeof graph, .batch = 4 };
    struct ec_program_opts opts = { .cond.optimizer = EC_OPT_momentum,
                                    .with_loss = true,
                                    .separate_update = true };
    struct ec_update u = ec_update_default(EC_OPT_momentum);
    struct ec_program *p = NULL;
    struct ec_graph *net = NULL;
    struct ec_ctx *ctx = NULL;
    struct ec_err err = { 0 };
    struct ec_step_result r = { 0 };
    int i;

    CHECK_OK(ec_engine_open(&engine, &ctx, &err));
    CHECK_OK(ec_graph_open("lenet5", &graph, &net, &err));
    CHECK_OK(ec_program_new(ctx, net, &opts, &p, &err));
    CHECK_OK(ec_program_init(p, 5, &err));
    CHECK_OK(ec_program_fill(p, 6, &err));
    for (i = 0; i < STEPS; i++) {
        u.step = i + 1;
        CHECK_OK(ec_group_step(g, p, &u, &err));
        CHECK_OK(ec_program_step(p, NULL, &r, &err)); /* the loss after the update */
        CHECK_OK(ec_group_step(g, p, &u, &err));
        ret[i] = r.loss;
    }
    for (i = 0, *ret_params = 0; i < net->n_values; i++)
        if (net->values[i]->kind == EC_V_PARAM && net->values[i]->trainable)
            *ret_params += ec_type_elems(&net->values[i]->type);
    ec_program_free(p);
    ec_graph_free(net);
    ec_engine_close(ctx);
}

TEST(two_processes_with_one_batch_learn_as_one)
{
    static const struct ec_group alone;
    struct pair pair = { 0 };
    const struct ec_group two = pair_group(&pair);
    double one[STEPS] = { 0 }, both[STEPS] = { 0 }, n_params = 0;
    int i;

    losses(&alone, one, &n_params);
    losses(&two, both, &n_params);
    for (i = 0; i < STEPS; i++)
        CHECK_NEAR(both[i], one[i], 1e-6);
    CHECK(one[STEPS - 1] < one[0]);
    /* Blocks of gradients are aligned. */
    CHECK((double)pair.n_sent >= 2 * STEPS * n_params);
    CHECK((double)pair.n_sent < 2 * STEPS * n_params * 1.01);
    CHECK_INT(pair.n_open, 0);
}
