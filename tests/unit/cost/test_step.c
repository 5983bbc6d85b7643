/* The kernels of a step: which there are, in which order, and which are left out. */
#include "builder.h"
#include "graph_cases.h"

/* Kernels of node `node` in a phase; every node when node is below -2. */
static int count(const struct ec_step *s, int node, enum ec_phase p)
{
    int i, n = 0;

    for (i = 0; i < s->n; i++)
        n += (node < EC_STEP_OPTIMIZER || s->node[i] == node) && s->kernel[i].phase == p;
    return n;
}

TEST(modes_and_optimizers_have_names)
{
    CHECK_STR(ec_mode_name(EC_MODE_TRAINING_STEP), "training_step");
    CHECK_STR(ec_mode_name(EC_MODE_FORWARD), "forward");
    CHECK_STR(ec_mode_name(EC_MODE_COUNT), "?");
    CHECK_STR(ec_optimizer_names[EC_OPT_adamw], "adamw");
    CHECK(ec_optimizer_names[EC_OPT_COUNT] == NULL);
}

TEST(optimizers_move_each_state_once_more_each_way)
{
    int o;

    for (o = EC_OPT_sgd; o < EC_OPT_COUNT; o++) { /* gradient and weight in, weight out, states */
        double least = 3 + 2 * ec_optimizer_states((enum ec_optimizer)o);
        double tensors = ec_optimizer_tensors((enum ec_optimizer)o);

        /* more where the update is composed of passes */
        CHECK(o == EC_OPT_adafactor || o >= EC_OPT_lamb ? tensors > least : tensors == least);
    }
    CHECK_NEAR(ec_optimizer_states(EC_OPT_adam), 2, 0);
    CHECK_NEAR(ec_optimizer_tensors(EC_OPT_none), 0, 0);
}

TEST(states_in_8_bits_are_so_in_any_precision)
{
    CHECK_NEAR(ec_optimizer_state_bytes(EC_OPT_adamw, 4, 0.5), 8, 0);
    CHECK_NEAR(ec_optimizer_state_bytes(EC_OPT_adamw, 2, 0.5), 4, 0);
    CHECK_NEAR(ec_optimizer_state_bytes(EC_OPT_adamw_8bit, 4, 0.5), 2 + 8.0 / 256, 0);
    CHECK_NEAR(ec_optimizer_state_bytes(EC_OPT_adamw_8bit, 2, 0.5), 2 + 8.0 / 256, 0);
    CHECK_NEAR(ec_optimizer_state_bytes(EC_OPT_adafactor, 4, 0.5), 0, 0);
}

/* Two layers are no hidden matrices: the last makes the output. The products are those of five
 * iterations, X X' of narrow x wide and what follows. */
TEST(muon_makes_hidden_matrices_orthogonal)
{
    struct ec_graph *g = two_layers();
    double rows = 0, cols = 0, mac = 0, hidden;
    struct ec_step s = { 0 };
    struct ec_err err;
    int i;

    for (i = 0; i < g->n_nodes && rows == 0; i++)
        if (g->nodes[i]->n_param) {
            const struct ec_shape *shape = &g->values[g->nodes[i]->param[0]]->type.shape;

            rows = (double)shape->d[0];
            cols = (double)shape->d[1];
        }
    hidden = rows * cols / ec_graph_trained_elems(g);
    CHECK_NEAR(ec_hidden_frac(g), hidden, 1e-12);
    CHECK_NEAR(ec_optimizer_state_bytes(EC_OPT_muon, 4, hidden), 4 * hidden + 8 * (1 - hidden),
               1e-12);
    CHECK_OK(ec_step_of_update(g, ec_graph_trained_elems(g), 4, EC_OPT_muon, &s, &err));
    for (i = 0; i < s.n; i++)
        mac += s.kernel[i].mac * s.repeat[i];
    CHECK_NEAR(mac, 5 * fmin(rows, cols) * (2 * rows * cols + fmin(rows, cols) * fmin(rows, cols)),
               1e-6);
    ec_step_clear(&s);
    CHECK_OK(ec_step_of_update(g, ec_graph_trained_elems(g), 4, EC_OPT_adamw, &s, &err));
    CHECK_INT(s.n, 1);
    ec_step_clear(&s);
    ec_graph_free(g);
}

TEST(each_mode_adds_to_the_one_before)
{
    struct ec_graph *g = two_layers();
    struct ec_step forward = step_of(g, EC_MODE_FORWARD, EC_OPT_sgd);
    struct ec_step both = step_of(g, EC_MODE_FORWARD_BACKWARD, EC_OPT_sgd);
    struct ec_step whole = step_of(g, EC_MODE_TRAINING_STEP, EC_OPT_sgd);

    CHECK_INT(count(&forward, -9, EC_FORWARD), 4); /* with the cast of the input under autocast */
    CHECK_INT(forward.n, 4);
    CHECK_INT(count(&both, -9, EC_UPDATE), 0);
    CHECK_INT(count(&both, EC_STEP_LOSS, EC_FORWARD), 0);
    CHECK(both.n > forward.n && whole.n > both.n);
    CHECK_INT(count(&whole, EC_STEP_LOSS, EC_FORWARD), 2);
    CHECK_INT(count(&whole, EC_STEP_LOSS, EC_GRAD_DATA), 2);
    CHECK_INT(count(&whole, EC_STEP_OPTIMIZER, EC_UPDATE), 1);
    CHECK_INT(whole.node[whole.n - 1], EC_STEP_OPTIMIZER);
    CHECK_INT(whole.n_param_tensors, 4);
    ec_step_clear(&forward);
    ec_step_clear(&both);
    ec_step_clear(&whole);
    ec_graph_free(g);
}

TEST(backward_runs_from_the_last_node_to_the_first)
{
    struct ec_graph *g = two_layers();
    struct ec_step s = step_of(g, EC_MODE_FORWARD_BACKWARD, EC_OPT_none);
    int i;

    for (i = 1; i < s.n; i++)
        if (s.kernel[i].phase == EC_FORWARD)
            CHECK(s.node[i] >= s.node[i - 1]);
        else if (s.kernel[i - 1].phase != EC_FORWARD)
            CHECK(s.node[i] <= s.node[i - 1]);
    ec_step_clear(&s);
    ec_graph_free(g);
}

TEST(the_first_layer_makes_no_gradient_of_the_data)
{
    struct ec_graph *g = two_layers();
    struct ec_step s = step_of(g, EC_MODE_TRAINING_STEP, EC_OPT_sgd);

    CHECK_INT(count(&s, 0, EC_GRAD_DATA), 0);
    CHECK_INT(count(&s, 0, EC_GRAD_WEIGHT), 2); /* weight, bias */
    CHECK_INT(count(&s, 1, EC_GRAD_DATA), 1);
    CHECK_INT(count(&s, 2, EC_GRAD_DATA), 1);
    ec_step_clear(&s);
    ec_graph_free(g);
}

/* h = linear(x); out = linear(h + relu(h)): h is used twice. */
TEST(a_value_used_twice_adds_its_gradients)
{
    struct ec_err err = { 0 };
    struct ec_builder b = small_open(&err);
    int x = ec_b_input(&b, "x", EC_DT_f32, 2, (int64_t)8, (int64_t)32), h, r;
    struct ec_step s;
    int i, adds = 0;

    h = ec_b1(&b, x, "linear n=16");
    r = ec_b1(&b, h, "relu");
    r = b2(&b, h, r, "add");
    small_close(&b, ec_b1(&b, r, "linear n=4"));
    s = step_of(b.g, EC_MODE_FORWARD_BACKWARD, EC_OPT_none);
    for (i = 0; i < s.n; i++)
        if (s.node[i] == 1 && s.kernel[i].phase == EC_GRAD_DATA && s.kernel[i].read_elems == 256 &&
            s.kernel[i].write_elems == 128 && s.kernel[i].flop == 128)
            adds++;
    CHECK_INT(adds, 2); /* relu's own gradient looks the same, then the addition */
    CHECK_INT(count(&s, 1, EC_GRAD_DATA), 2);
    CHECK_INT(count(&s, 2, EC_GRAD_DATA), 0); /* an addition passes its gradient on */
    ec_step_clear(&s);
    ec_graph_free(b.g);
}

TEST(what_trains_nothing_has_no_backward)
{
    struct ec_err err = { 0 };
    struct ec_builder b = small_open(&err);
    int x = ec_b_input(&b, "x", EC_DT_f32, 2, (int64_t)8, (int64_t)32);
    struct ec_step s;

    small_close(&b, ec_b1(&b, x, "relu"));
    s = step_of(b.g, EC_MODE_FORWARD_BACKWARD, EC_OPT_sgd);
    CHECK_INT(s.n, 1);
    ec_step_clear(&s);
    s = step_of(b.g, EC_MODE_TRAINING_STEP, EC_OPT_sgd);
    CHECK_INT(count(&s, EC_STEP_OPTIMIZER, EC_UPDATE), 0);
    ec_step_clear(&s);
    ec_graph_free(b.g);
}

TEST(a_network_that_ends_in_its_loss_gets_no_second_one)
{
    struct ec_err err = { 0 };
    struct ec_builder b = small_open(&err);
    int x = ec_b_input(&b, "x", EC_DT_f32, 2, (int64_t)8, (int64_t)32);
    struct ec_step s;

    x = ec_b1(&b, x, "linear n=10");
    small_close(&b, ec_b1(&b, x, "cross_entropy"));
    s = step_of(b.g, EC_MODE_TRAINING_STEP, EC_OPT_none);
    CHECK_INT(count(&s, EC_STEP_LOSS, EC_FORWARD), 0);
    CHECK_INT(count(&s, 1, EC_FORWARD), 2);
    ec_step_clear(&s);
    ec_graph_free(b.g);
}

TEST(the_update_moves_float32_weights_gradients_and_states)
{
    struct ec_graph *g = two_layers();
    struct ec_step s = step_of(g, EC_MODE_TRAINING_STEP, EC_OPT_adam);
    const struct ec_kernel *k = &s.kernel[s.n - 1];
    double params = 32 * 16 + 16 + 16 * 4 + 4;

    CHECK_NEAR(k->fixed_bytes, 7 * 4 * params, 0);
    CHECK_NEAR(k->flop, 12 * params, 0);
    CHECK_NEAR(k->launches, 4, 0);
    ec_step_clear(&s);
    ec_graph_free(g);
}

TEST(inference_leaves_out_what_training_alone_needs)
{
    struct ec_err err = { 0 };
    struct ec_builder b = small_open(&err);
    int x = ec_b_input(&b, "x", EC_DT_f32, 2, (int64_t)8, (int64_t)32);
    struct ec_step infer, train;

    x = ec_b1(&b, x, "linear n=10");
    small_close(&b, ec_b1(&b, x, "dropout"));
    infer = step_of(b.g, EC_MODE_FORWARD, EC_OPT_none);
    train = step_of(b.g, EC_MODE_FORWARD_BACKWARD, EC_OPT_none);
    CHECK_INT(count(&infer, 1, EC_FORWARD), 0);
    CHECK(count(&train, 1, EC_FORWARD) > 0);
    ec_step_clear(&infer);
    ec_step_clear(&train);
    ec_graph_free(b.g);
}

TEST(a_single_case_by_phase_and_by_mode)
{
    struct ec_owned_case c = { 0 };
    struct ec_err err = { 0 };
    struct ec_step s = { 0 };
    int p, sum = 0;

    CHECK_OK(ec_case_parse("linear m=8 k=32 n=16", &c, &err));
    for (p = EC_FORWARD; p <= EC_GRAD_WEIGHT; p++) {
        CHECK_OK(ec_step_of_case(&c.c, p, EC_MODE_TRAINING_STEP, &s, &err));
        CHECK_INT(count(&s, 0, (enum ec_phase)p), s.n);
        sum += s.n;
        ec_step_clear(&s);
    }
    CHECK_OK(ec_step_of_case(&c.c, -1, EC_MODE_TRAINING_STEP, &s, &err));
    CHECK_INT(s.n, sum);
    ec_step_clear(&s);
    CHECK_OK(ec_step_of_case(&c.c, -1, EC_MODE_FORWARD, &s, &err));
    CHECK_INT(count(&s, 0, EC_FORWARD), s.n);
    ec_step_clear(&s);
    ec_case_clear(&c);
    ec_step_clear(NULL);
}

static struct ec_graph *torture_graph;

static enum ec_status build_once(struct ec_err *err)
{
    const struct ec_conditions cond = { .optimizer = EC_OPT_sgd };
    struct ec_step s = { 0 };
    enum ec_status st = ec_step_build(torture_graph, &cond, &s, err);

    ec_step_clear(&s);
    return st;
}

TEST(each_allocation_failing)
{
    torture_graph = two_layers();
    CHECK_TORTURE(build_once);
    ec_graph_free(torture_graph);
}

TEST(an_isolated_step_trains_input_and_target)
{
    static const char text[] = "linear m=4 k=8 n=16";
    struct ec_owned_case c = { 0 };
    struct ec_step s = { 0 }, with = { 0 };
    struct ec_err err = { 0 };
    double updated = 0;
    int i;

    CHECK_OK(ec_case_parse(text, &c, &err));
    CHECK_OK(ec_step_isolated(&c.c, NULL, EC_OPT_adam, &s, &err));
    CHECK_INT(count(&s, EC_STEP_LOSS, EC_FORWARD), 2);
    CHECK_INT(count(&s, EC_STEP_LOSS, EC_GRAD_DATA), 2);
    CHECK_INT(count(&s, EC_STEP_LOSS, EC_UPDATE), 4); /* input, target, weight, bias */
    for (i = 0; i < s.n; i++)
        if (s.kernel[i].phase == EC_UPDATE) {
            updated += s.kernel[i].m;
            CHECK_NEAR(s.kernel[i].fixed_bytes, 7 * 4 * s.kernel[i].m, 1e-12);
        }
    CHECK_NEAR(updated, 4 * 8 + 4 * 16 + 8 * 16 + 16, 0);
    CHECK_OK(ec_step_isolated(&c.c, ec_op_find(ec_span_of("relu")), EC_OPT_none, &with, &err));
    CHECK_INT(count(&with, -9, EC_UPDATE), 0);
    CHECK_INT(with.n, 6 + 4); /* and the product, its gradients, that of the bias */
    CHECK(s.kernel[0].kclass == EC_K_GEMM && s.kernel[0].phase == EC_FORWARD);
    ec_step_clear(&s);
    ec_step_clear(&with);
    ec_case_clear(&c);
}

/* Heads of plain attention, with what may stand between the products. */
static struct ec_graph *attention_of(const char *shape, bool masked)
{
    struct ec_err err = { 0 };
    struct ec_builder b = small_open(&err);
    int x = ec_b_input(&b, "x", EC_DT_f32, 3, (int64_t)2, (int64_t)6, (int64_t)8), scores;

    x = ec_b1(&b, ec_b1(&b, x, "linear n=8"), "reshape shape=%s", shape);
    scores = ec_b1(&b, b2(&b, x, x, "matmul transpose_b=1"), "scale_scalar");
    if (masked)
        scores = b2(&b, scores, scores, "add");
    small_close(&b, b2(&b, ec_b1(&b, scores, "softmax"), x, "matmul"));
    return b.g;
}

static struct ec_graph *attention(bool masked)
{
    return attention_of("2,1,6,8", masked);
}

static int count_flag(const struct ec_step *s, enum ec_phase p, unsigned flag)
{
    int i, n = 0;

    for (i = 0; i < s->n; i++)
        n += s->kernel[i].phase == p && (s->kernel[i].flags & flag) != 0;
    return n;
}

TEST(plain_attention_is_told_from_masked)
{
    struct ec_graph *plain = attention(false), *masked = attention(true);
    struct ec_step a = step_of(plain, EC_MODE_FORWARD, EC_OPT_none);
    struct ec_step b = step_of(masked, EC_MODE_FORWARD, EC_OPT_none);

    CHECK_INT(count_flag(&a, EC_FORWARD, EC_KF_ATTENTION), 5); /* and the cast of the scores */
    CHECK_INT(count_flag(&b, EC_FORWARD, EC_KF_ATTENTION), 0);
    ec_step_clear(&a);
    ec_step_clear(&b);
    ec_graph_free(plain);
    ec_graph_free(masked);
}

/* The kernels of frameworks take (n, heads, t, d) and no other rank. */
TEST(plain_attention_has_four_dimensions)
{
    static const char *const shapes[] = { "2,6,8", "2,1,1,6,8" };
    int i;

    for (i = 0; i < EC_LEN(shapes); i++) {
        struct ec_graph *g = attention_of(shapes[i], false);
        struct ec_step s = step_of(g, EC_MODE_FORWARD, EC_OPT_none);

        CHECK_INT(count_flag(&s, EC_FORWARD, EC_KF_ATTENTION), 0);
        ec_step_clear(&s);
        ec_graph_free(g);
    }
}

/* Scaled before their product: q of rank 3, or q and k. The scales are part of the one kernel. */
TEST(operands_of_attention_may_be_scaled_first)
{
    static const struct {
        const char *shape;
        bool both;
        int n;
    } cases[] = {
        {"2,6,8",    false, 5},
        { "2,1,6,8", true,  6},
        { "2,1,6,8", false, 4}
    };
    int i;

    for (i = 0; i < EC_LEN(cases); i++) {
        struct ec_err err = { 0 };
        struct ec_builder b = small_open(&err);
        int x = ec_b_input(&b, "x", EC_DT_f32, 3, (int64_t)2, (int64_t)6, (int64_t)8), q, k;
        struct ec_step s;

        x = ec_b1(&b, ec_b1(&b, x, "linear n=8"), "reshape shape=%s", cases[i].shape);
        q = ec_b1(&b, x, "scale_scalar mul=0.5");
        k = cases[i].both ? ec_b1(&b, x, "scale_scalar mul=0.5") : x;
        q = ec_b1(&b, b2(&b, q, k, "matmul transpose_b=1"), "softmax");
        small_close(&b, b2(&b, q, x, "matmul"));
        s = step_of(b.g, EC_MODE_FORWARD, EC_OPT_none);
        CHECK_INT(count_flag(&s, EC_FORWARD, EC_KF_ATTENTION), cases[i].n);
        ec_step_clear(&s);
        ec_graph_free(b.g);
    }
}

/* The input is float32 and softmax gives float32: both are cast for the product that reads them.
 * What products give is half, and so is what scales it. */
TEST(casts_stand_where_precisions_meet)
{
    struct ec_graph *g = attention(false);
    struct ec_step s = step_of(g, EC_MODE_FORWARD, EC_OPT_none);
    int i;

    CHECK_INT(count_flag(&s, EC_FORWARD, EC_KF_CAST), 2);
    CHECK_INT(count_flag(&s, EC_FORWARD, EC_KF_FP32), 1); /* the softmax itself */
    for (i = 0; i < s.n; i++)
        if (s.kernel[i].flags & EC_KF_CAST) {
            CHECK_NEAR(s.kernel[i].m, s.node[i] ? 2 * 6 * 6 : 2 * 6 * 8, 0);
            CHECK_NEAR(s.kernel[i].launches + s.kernel[i].read_elems, 0, 0);
        }
    ec_step_clear(&s);
    ec_graph_free(g);
}

/* A product's halves times a float32 parameter: `rank` 0 is a number, which takes their type. */
static struct ec_graph *gained(int rank)
{
    struct ec_err err = { 0 };
    struct ec_builder b = small_open(&err);
    int x = ec_b_input(&b, "x", EC_DT_f32, 2, (int64_t)8, (int64_t)4);

    x = ec_b1(&b, x, "linear n=4");
    x = b2(&b, x, b_param(&b, "gain", rank, 4, 0), "mul");
    small_close(&b, ec_b1(&b, x, "linear n=4"));
    return b.g;
}

/* Of the input, and of a float32 product before the second layer. */
TEST(a_number_widens_nothing)
{
    int rank;

    for (rank = 0; rank < 2; rank++) {
        struct ec_graph *g = gained(rank);
        struct ec_step s = step_of(g, EC_MODE_FORWARD, EC_OPT_none);

        CHECK_INT(count_flag(&s, EC_FORWARD, EC_KF_CAST), 1 + rank);
        ec_step_clear(&s);
        ec_graph_free(g);
    }
}

/* A convolution whose result is normed as (n, h, w, c), and another; or scores of heads that are
 * turned alike. */
static struct ec_graph *turned(bool map)
{
    struct ec_err err = { 0 };
    struct ec_builder b = small_open(&err);
    int x = ec_b_input(&b, "x", EC_DT_f32, 4, (int64_t)2, (int64_t)8, (int64_t)6, (int64_t)6);

    x = map ? ec_b1(&b, x, "conv2d k=8 r=3 pad=1") : b2(&b, x, x, "matmul transpose_b=1");
    x = ec_b1(&b, ec_b1(&b, x, "transpose perm=0,2,3,1"), "layer_norm");
    x = ec_b1(&b, x, "transpose perm=0,3,1,2");
    x = ec_b1(&b, x, "relu");
    small_close(&b, map ? ec_b1(&b, x, "conv2d k=8 r=3 pad=1") : x);
    return b.g;
}

TEST(a_turned_map_lies_channels_last_and_scores_do_not)
{
    struct ec_graph *map = turned(true), *scores = turned(false);
    struct ec_step a = step_of(map, EC_MODE_FORWARD, EC_OPT_none);
    struct ec_step b = step_of(scores, EC_MODE_FORWARD, EC_OPT_none);

    CHECK_INT(count_flag(&a, EC_FORWARD, EC_KF_REORDER), 2);
    CHECK(count_flag(&a, EC_FORWARD, EC_KF_LAST) >= 3); /* turned back, relu, the second one */
    CHECK((a.kernel[0].flags & EC_KF_LAST) == 0);
    CHECK_INT(count_flag(&b, EC_FORWARD, EC_KF_REORDER), 0);
    CHECK_INT(count_flag(&b, EC_FORWARD, EC_KF_LAST), 0);
    ec_step_clear(&a);
    ec_step_clear(&b);
    ec_graph_free(map);
    ec_graph_free(scores);
}

/* A convolution, then what goes over its result. */
static struct ec_graph *block(bool pads)
{
    struct ec_err err = { 0 };
    struct ec_builder b = small_open(&err);
    int x = ec_b_input(&b, "x", EC_DT_f32, 4, (int64_t)2, (int64_t)4, (int64_t)6, (int64_t)6);
    int y = ec_b1(&b, x, "conv2d k=4 r=1");

    y = ec_b1(&b, y, "batch_norm");
    y = ec_b1(&b, y, "silu");
    if (pads)
        y = ec_b1(&b, y, "pad pads=0x0x1x1x0x0x0x0");
    small_close(&b, ec_b1(&b, y, "conv2d k=4 r=1"));
    return b.g;
}

static double joint_of(const struct ec_step *s, int node)
{
    double sum = 0;
    int i;

    for (i = 0; i < s->n; i++)
        sum += s->node[i] == node ? s->kernel[i].joint_elems : 0;
    return sum;
}

/* What the norm gives is read by the activation alone: neither writes nor reads it. */
TEST(passes_join_their_neighbours_but_for_copies)
{
    const double elems = 2 * 4 * 6 * 6;
    int pads;

    for (pads = 0; pads < 2; pads++) {
        struct ec_graph *g = block(pads);
        struct ec_step s = step_of(g, EC_MODE_FORWARD, EC_OPT_none);
        int node;

        CHECK_NEAR(joint_of(&s, 1), elems, 0);
        CHECK_NEAR(joint_of(&s, 2), elems, 0);
        for (node = 3; node < g->n_nodes; node++)
            CHECK_NEAR(joint_of(&s, node), 0, 0);
        ec_step_clear(&s);
        ec_graph_free(g);
    }
}

/* A gate made from the mean of what it scales: the mean is known when all has been read, and what
 * it scales is read again. */
TEST(what_a_reduction_gives_is_another_kernels)
{
    struct ec_err err = { 0 };
    struct ec_builder b = small_open(&err);
    int x = ec_b_input(&b, "x", EC_DT_f32, 2, (int64_t)64, (int64_t)32), y, mean;
    struct ec_step s;

    y = ec_b1(&b, ec_b1(&b, x, "linear n=32"), "silu");
    mean = ec_b1(&b, y, "reduce_mean axes=1 keepdims=1");
    small_close(&b, b2(&b, y, ec_b1(&b, mean, "sigmoid"), "mul"));
    s = step_of(b.g, EC_MODE_FORWARD, EC_OPT_none);
    CHECK_NEAR(joint_of(&s, 1), 0, 0);       /* written for the last */
    CHECK_NEAR(joint_of(&s, 2), 64 * 32, 0); /* while the mean is taken */
    CHECK_NEAR(joint_of(&s, 3), 64, 0);
    CHECK_NEAR(joint_of(&s, 4), 64, 0); /* the gate */
    ec_step_clear(&s);
    ec_graph_free(b.g);
}

/* What the kernels of a node move in a phase, with what a compiler joins left out. */
static double moved_by(const struct ec_step *s, int node, enum ec_phase p)
{
    double sum = 0;
    int i;

    for (i = 0; i < s->n; i++) {
        const struct ec_kernel *k = &s->kernel[i];

        if (s->node[i] == node && k->phase == p && !(k->flags & (EC_KF_CAST | EC_KF_SUM)))
            sum += k->read_elems + k->write_elems - k->joint_elems;
    }
    return sum;
}

/* Backward of a chain reads the gradient and the first input, and writes a gradient: what it saves
 * in between is computed again. */
TEST(backward_of_a_joined_chain_moves_its_ends)
{
    const double elems = 64 * 32;
    struct ec_err err = { 0 };
    struct ec_builder b = small_open(&err);
    int y = ec_b_input(&b, "x", EC_DT_f32, 2, (int64_t)64, (int64_t)32);
    struct ec_step s;

    y = ec_b1(&b, y, "linear n=32");
    y = ec_b1(&b, ec_b1(&b, ec_b1(&b, y, "silu"), "tanh"), "silu");
    small_close(&b, ec_b1(&b, y, "linear n=32"));
    s = step_of(b.g, EC_MODE_FORWARD_BACKWARD, EC_OPT_none);
    CHECK_NEAR(moved_by(&s, 3, EC_GRAD_DATA), elems, 0);
    CHECK_NEAR(moved_by(&s, 2, EC_GRAD_DATA), 0, 0);
    CHECK_NEAR(moved_by(&s, 1, EC_GRAD_DATA), 2 * elems, 0);
    ec_step_clear(&s);
    ec_graph_free(b.g);
}

/* Elements that a compiler does not move of the first sum of gradients. */
static double joint_sum(const struct ec_step *s)
{
    int i;

    for (i = 0; i < s->n; i++)
        if (s->kernel[i].flags & EC_KF_SUM)
            return s->kernel[i].joint_elems;
    return -1;
}

/* x * silu(x) is one kernel in backward too; a norm beside a residual reads the other gradient. */
TEST(a_compiler_joins_sums_of_gradients)
{
    const double elems = 64 * 32;
    int gated;

    for (gated = 0; gated < 2; gated++) {
        struct ec_err err = { 0 };
        struct ec_builder b = small_open(&err);
        int x = ec_b_input(&b, "x", EC_DT_f32, 2, (int64_t)64, (int64_t)32), y;
        struct ec_step s;

        x = ec_b1(&b, x, "linear n=32");
        y = ec_b1(&b, x, gated ? "silu" : "layer_norm");
        if (!gated)
            y = ec_b1(&b, y, "linear n=32");
        small_close(&b, ec_b1(&b, b2(&b, x, y, gated ? "mul" : "add"), "linear n=32"));
        s = step_of(b.g, EC_MODE_FORWARD_BACKWARD, EC_OPT_none);
        CHECK_NEAR(joint_sum(&s), gated ? 3 * elems : elems, 0);
        ec_step_clear(&s);
        ec_graph_free(b.g);
    }
}

TEST(a_compiler_reads_scores_and_writes_their_gradient)
{
    struct ec_graph *g = two_layers();
    struct ec_step s = step_of(g, EC_MODE_TRAINING_STEP, EC_OPT_none);
    double scores = ec_type_elems(&g->values[g->outputs[0]]->type), narrow = 0;
    int i;

    for (i = 0; i < s.n; i++)
        if (s.node[i] == EC_STEP_LOSS && s.kernel[i].kclass == EC_K_SOFTMAX)
            narrow += s.kernel[i].narrow_elems;
    CHECK_NEAR(moved_by(&s, EC_STEP_LOSS, EC_GRAD_DATA), 2 * scores, 0);
    CHECK_NEAR(narrow, 3 * scores, 0);
    ec_step_clear(&s);
    ec_graph_free(g);
}

TEST(attention_takes_its_operands_as_they_lie)
{
    struct ec_graph_opts opts = { .struct_size = sizeof opts, .batch = 2, .seq_len = 16 };
    struct ec_err err = { 0 };
    struct ec_graph *g = NULL;
    struct ec_step s;
    int i, n = 0;

    CHECK_OK(ec_graph_open("gpt2:layers=1", &opts, &g, &err));
    s = step_of(g, EC_MODE_FORWARD_BACKWARD, EC_OPT_none);
    for (i = 0; i < g->n_nodes; i++) {
        if (!ec_str_eq(g->nodes[i]->op->name, "transpose"))
            continue;
        CHECK_NEAR(moved_by(&s, i, EC_FORWARD), 0, 0);
        CHECK_NEAR(moved_by(&s, i, EC_GRAD_DATA), 0, 0);
        n++;
    }
    CHECK_INT(n, 4);
    ec_step_clear(&s);
    ec_graph_free(g);
}

/* How many launches a compiler saves, of a network at a batch. */
static double saved_launches(int batch)
{
    struct ec_graph_opts opts = { .struct_size = sizeof opts, .batch = batch };
    struct ec_err err = { 0 };
    struct ec_graph *g = NULL;
    struct ec_step s;
    double sum = 0;
    int i;

    CHECK_OK(ec_graph_open("levit_128s", &opts, &g, &err));
    s = step_of(g, EC_MODE_TRAINING_STEP, EC_OPT_sgd);
    for (i = 0; i < s.n; i++)
        sum += s.kernel[i].joint_frac * s.kernel[i].launches;
    ec_step_clear(&s);
    ec_graph_free(g);
    return sum;
}

/* Its biases of positions do not grow with the batch, as what they are added to does. */
TEST(a_larger_batch_joins_as_many_tensors)
{
    CHECK(saved_launches(2) > 10);
    CHECK_NEAR(saved_launches(5), saved_launches(2), 1e-12);
}
