/* Networks made out of one case. */
#include "test.h"

#include "graph/graph.h"

static struct ec_graph *graph_of(const char *text, struct ec_case_graph opts)
{
    struct ec_owned_case c;
    struct ec_graph *g = NULL;
    struct ec_err err = { 0 };

    memset(&c, 0, sizeof c);
    CHECK_OK(ec_case_parse(text, &c, &err));
    CHECK_OK(ec_graph_of_case(&c.c, &opts, &g, &err));
    ec_case_clear(&c); /* the graph owns all it needs */
    return g;
}

TEST(same_shape_chains)
{
    struct ec_graph *g =
        graph_of("conv2d n=2 c=8 h=6 w=6 k=8 r=3 pad=1", (struct ec_case_graph){ .copies = 3 });

    CHECK_INT(g->n_nodes, 3);
    CHECK_INT(g->n_inputs, 1);
    CHECK_INT(g->n_outputs, 1);
    CHECK_INT(g->nodes[2]->in[0], g->nodes[1]->out[0]);
    CHECK_INT(g->outputs[0], g->nodes[2]->out[0]);
    CHECK_INT(g->batch, 2);
    CHECK(!g->values[g->inputs[0]]->requires_grad);
    ec_graph_free(g);
}

TEST(other_shapes_stand_side_by_side)
{
    struct ec_graph *g =
        graph_of("conv2d n=2 c=8 h=6 w=6 k=16 r=3 pad=1", (struct ec_case_graph){ .copies = 2 });

    CHECK_INT(g->n_nodes, 2);
    CHECK_INT(g->n_inputs, 2);
    CHECK_INT(g->n_outputs, 2);
    ec_graph_free(g);
}

TEST(trained_inputs_and_targets_are_parameters)
{
    struct ec_graph *g =
        graph_of("linear m=4 k=3 n=5",
                 (struct ec_case_graph){ .copies = 1, .train_inputs = true, .train_target = true });
    struct ec_node *n = g->nodes[0];

    CHECK_INT(g->n_inputs, 0);
    CHECK_INT(g->n_nodes, 2);
    CHECK(g->values[n->in[0]]->trainable);
    CHECK(g->values[n->in[0]]->requires_grad);
    CHECK(ec_str_eq(g->nodes[1]->op->name, "sub"));
    CHECK(g->values[g->nodes[1]->in[1]]->trainable);
    CHECK_INT(g->outputs[0], g->nodes[1]->out[0]);
    ec_graph_free(g);
}

TEST(every_operator_makes_a_network)
{
    int n, i;
    const struct ec_op *const *ops = ec_ops(&n);

    for (i = 0; i < n; i++) {
        struct ec_graph *g =
            graph_of(ops[i]->example, (struct ec_case_graph){ .copies = 2, .train_inputs = true });

        CHECK_INT(g->n_nodes, 2);
        ec_graph_free(g);
    }
}

TEST(memory_that_runs_out_leaves_nothing)
{
    struct ec_owned_case c;
    struct ec_case_graph opts = { .copies = 2, .train_inputs = true, .train_target = true };
    struct ec_graph *g = NULL;
    struct ec_err err = { 0 };
    int n;

    memset(&c, 0, sizeof c);
    CHECK_OK(ec_case_parse("linear m=4 k=3 n=5", &c, &err));
    for (n = 1; n < 500; n++) {
        enum ec_status st;

        ec_alloc_fail_after(n);
        st = ec_graph_of_case(&c.c, &opts, &g, NULL);
        ec_alloc_fail_after(0);
        if (!st)
            break;
        CHECK_INT(st, EC_E_NOMEM);
        CHECK(!g);
    }
    CHECK(n > 5 && n < 500);
    ec_graph_free(g);
    ec_case_clear(&c);
}

/* Between convolutions, whose weights stay as they are. */
TEST(images_stand_in_company)
{
    struct ec_case_graph opts = { .copies = 1, .company_before = true, .company_after = true };
    struct ec_graph *g = graph_of("batch_norm x=2x32x8x8", opts);

    CHECK_INT(g->n_nodes, 3);
    CHECK(ec_graph_is_company(g->nodes[0]) && !ec_graph_is_company(g->nodes[1]) &&
          ec_graph_is_company(g->nodes[2]));
    CHECK(!g->values[g->nodes[0]->param[0]]->trainable);
    ec_graph_free(g);
    g = graph_of("linear m=4 k=3 n=5", opts);
    CHECK_INT(g->n_nodes, 1);
    ec_graph_free(g);

    opts.company_after = false;
    g = graph_of("batch_norm x=2x32x8x8", opts);
    CHECK_INT(g->n_nodes, 2);
    CHECK(!ec_graph_is_company(g->nodes[1]));
    ec_graph_free(g);
}

/* What fuses travels with the layer, and what comes after it follows that. */
TEST(an_operator_may_follow)
{
    struct ec_owned_case relu = { 0 };
    struct ec_err err = { 0 };
    struct ec_case_graph opts = { .copies = 2, .apart = true, .company_after = true };
    struct ec_graph *g;

    CHECK_OK(ec_case_parse("relu x=2x16x6x6", &relu, &err));
    opts.then = &relu.c;
    g = graph_of("conv2d n=2 c=3 h=8 w=8 k=16 r=3", opts);
    CHECK_INT(g->n_nodes, 6);
    CHECK(ec_str_eq(g->nodes[1]->op->name, "relu"));
    CHECK_INT(g->nodes[1]->in[0], g->nodes[0]->out[0]);
    CHECK(ec_graph_is_company(g->nodes[2]));
    CHECK_INT(g->outputs[0], g->nodes[2]->out[0]);
    ec_graph_free(g);
    ec_case_clear(&relu);
}

/* The loss itself is the program's. */
TEST(a_loss_is_taken_of_what_company_hands_on)
{
    struct ec_graph *g =
        graph_of("cross_entropy n=8 c=10", (struct ec_case_graph){ .copies = 1, .as_loss = true });

    CHECK_INT(g->n_nodes, 1);
    CHECK(ec_graph_is_company(g->nodes[0]));
    CHECK_INT(g->n_outputs, 1);
    CHECK(ec_shape_eq(&g->values[g->outputs[0]]->type.shape, &g->values[g->inputs[0]]->type.shape));
    ec_graph_free(g);
}
