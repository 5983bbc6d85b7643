/* Segments of activation checkpointing, the kernels that run again, and what stays in memory. */
#include "cost/recompute.h"
#include "builder.h"
#include "graph_cases.h"

#define BLOCKS 16
#define ROWS 8
#define WIDTH 32

/* x -> BLOCKS times linear, relu */
static struct ec_graph *chain(void)
{
    struct ec_err err = { 0 };
    struct ec_builder b = small_open(&err);
    int x = ec_b_input(&b, "x", EC_DT_f32, 2, (int64_t)ROWS, (int64_t)WIDTH), i;

    for (i = 0; i < BLOCKS; i++)
        x = ec_b1(&b, ec_b1(&b, x, "linear n=32"), "relu");
    small_close(&b, x);
    return b.g;
}

/* BLOCKS times x + linear(relu(linear(x))), eight times as wide inside */
static struct ec_graph *residual(void)
{
    struct ec_err err = { 0 };
    struct ec_builder b = small_open(&err);
    int x = ec_b_input(&b, "x", EC_DT_f32, 2, (int64_t)ROWS, (int64_t)WIDTH), i;

    x = ec_b1(&b, x, "linear n=32");
    for (i = 0; i < BLOCKS; i++) {
        int y = ec_b1(&b, ec_b1(&b, x, "linear n=256"), "relu");

        x = b2(&b, x, ec_b1(&b, y, "linear n=32"), "add");
    }
    small_close(&b, x);
    return b.g;
}

static struct ec_segments segments_of(const struct ec_graph *g)
{
    const struct ec_conditions cond = { .recompute = EC_RECOMPUTE_FULL };
    struct ec_segments s = { 0 };
    struct ec_step_notes notes = { 0 };
    struct ec_err err = { 0 };

    CHECK_OK(ec__step_notes(g, &notes, &err));
    CHECK_OK(ec__segments_find(g, &cond, &notes, &s, &err));
    ec__step_notes_clear(&notes);
    return s;
}

static struct ec_memory memory_of(const struct ec_graph *g, enum ec_recompute r)
{
    const struct ec_conditions cond = { .optimizer = EC_OPT_sgd, .recompute = r };
    struct ec_memory m = { 0 };
    struct ec_err err = { 0 };

    CHECK_OK(ec_cost_memory(g, &cond, &m, &err));
    return m;
}

static struct ec_step step_again(const struct ec_graph *g, enum ec_recompute r,
                                 enum ec_framework fw)
{
    const struct ec_conditions cond = { .optimizer = EC_OPT_sgd, .recompute = r, .framework = fw };
    struct ec_step s = { 0 };
    struct ec_err err = { 0 };

    CHECK_OK(ec_step_build(g, &cond, &s, &err));
    return s;
}

/* Every node is in one segment, and segments follow each other. */
static void check_segments(const struct ec_graph *g, const struct ec_segments *s)
{
    int i, at = 0;

    for (i = 0; i < s->n; i++) {
        CHECK_INT(s->v[i].begin, at);
        CHECK(s->v[i].begin < s->v[i].end);
        CHECK(s->v[i].run_end >= s->v[i].begin && s->v[i].run_end <= s->v[i].end);
        for (; at < s->v[i].end; at++)
            CHECK_INT(s->of_node[at], i);
    }
    CHECK_INT(at, g->n_nodes);
}

/* n equal layers in segments of about the square root of n. */
TEST(a_chain_is_cut_into_segments_of_its_root)
{
    const double one = 4 * ROWS * WIDTH; /* bytes of what a layer keeps */
    struct ec_graph *g = chain();
    struct ec_segments s = segments_of(g);
    struct ec_memory kept = memory_of(g, EC_RECOMPUTE_NONE);
    struct ec_memory again = memory_of(g, EC_RECOMPUTE_FULL);

    check_segments(g, &s);
    CHECK(s.n >= 3 && s.n <= 6);
    CHECK_NEAR(kept.activations, BLOCKS * one, 1e-9);
    CHECK(again.activations <= 8 * one); /* 2 sqrt(n): 4 across, a segment of 4 */
    CHECK_NEAR(again.weights, kept.weights, 1e-9);
    CHECK_NEAR(again.gradients, kept.gradients, 1e-9);
    ec__segments_clear(&s);
    ec_graph_free(g);
}

/* Cuts lie where one tensor goes across: behind an addition, or before what it adds. */
TEST(blocks_are_not_cut_in_two)
{
    struct ec_graph *g = residual();
    struct ec_segments s = segments_of(g);
    int i, k, crossing = 0;

    check_segments(g, &s);
    CHECK(s.n > 4);
    for (i = 0; i < g->n_values; i++)
        crossing += s.crosses[i];
    CHECK_INT(crossing, s.n - 1);
    for (k = 1; k < s.n; k++)
        CHECK_STR(g->nodes[s.v[k].begin - 1]->op->name, "add");
    ec__segments_clear(&s);
    ec_graph_free(g);
}

/* One segment for each layer of a transformer and one for its head; a network of convolutions has
 * one for several blocks. docs/memory-model.md says these numbers. */
TEST(networks_are_cut_between_their_layers)
{
    static const struct {
        const char *name;
        int n;
    } rows[] = {
        {"bert_base",  13},
        { "llama3_8b", 33},
        { "resnet50",  6 },
    };
    int i;

    for (i = 0; i < EC_LEN(rows); i++) {
        struct ec_graph_opts o = { .struct_size = sizeof o, .batch = 16 };
        struct ec_segments s;
        struct ec_graph *g = NULL;
        struct ec_err err = { 0 };

        CHECK_OK(ec_graph_open(rows[i].name, &o, &g, &err));
        s = segments_of(g);
        check_segments(g, &s);
        CHECK_INT(s.n, rows[i].n);
        ec__segments_clear(&s);
        ec_graph_free(g);
    }
}

/* The last linear layer of a block keeps only what it reads, so it does not run again. */
TEST(a_segment_stops_at_the_last_tensor_that_backward_needs)
{
    struct ec_graph *g = residual();
    struct ec_segments s = segments_of(g);
    int i;

    for (i = 0; i < s.n; i++)
        CHECK_INT(s.v[i].run_end, s.v[i].end - 2); /* linear, add */
    ec__segments_clear(&s);
    ec_graph_free(g);
}

/* Behind the last block nothing is in a checkpoint: it runs once, and what it keeps is there at the
 * loss, beside what goes from block to block. Bounded scores keep tanh's result. */
TEST(the_head_is_kept)
{
    const double one = 4 * ROWS * WIDTH;
    struct ec_err err = { 0 };
    struct ec_builder b = small_open(&err);
    int x = ec_b_input(&b, "x", EC_DT_f32, 2, (int64_t)ROWS, (int64_t)WIDTH), i;
    struct ec_segments s;

    x = ec_b1(&b, x, "linear n=32");
    for (i = 0; i < 2; i++) {
        int y = ec_b1(&b, ec_b1(&b, x, "linear n=256"), "relu");

        x = b2(&b, x, ec_b1(&b, y, "linear n=32"), "add");
    }
    x = ec_b1(&b, ec_b1(&b, x, "linear n=4096"), "scale_scalar mul=0.1");
    small_close(&b, ec_b1(&b, ec_b1(&b, x, "tanh"), "scale_scalar mul=10"));
    s = segments_of(b.g);
    check_segments(b.g, &s);
    CHECK_INT(s.v[s.n - 1].begin, s.head);
    CHECK_INT(s.v[s.n - 1].run_end, s.head);
    CHECK_STR(b.g->nodes[s.head - 1]->op->name, "add");
    CHECK_INT(s.n, 3);
    /* input, across, tanh */
    CHECK_NEAR(memory_of(b.g, EC_RECOMPUTE_FULL).at_loss, (1 + 2 + 128) * one, 0);
    ec__segments_clear(&s);
    ec_graph_free(b.g);
}

static bool is_same_but_again(const struct ec_kernel *a, const struct ec_kernel *b)
{
    struct ec_kernel once = *b;

    once.flags &= ~(unsigned)EC_KF_AGAIN;
    return memcmp(a, &once, sizeof once) == 0;
}

/* Each kernel that runs again is the one of the node's forward pass, before its backward. */
TEST(kernels_run_again_as_they_ran)
{
    struct ec_graph *g = chain();
    struct ec_step plain = step_of(g, EC_MODE_TRAINING_STEP, EC_OPT_sgd),
                   again = step_again(g, EC_RECOMPUTE_FULL, EC_FW_pytorch_2);
    struct ec_arena a = { 0 };
    struct ec_step once;
    struct ec_err err = { 0 };
    int i, k, n = 0, forward = 0;

    for (i = 0; i < plain.n; i++)
        forward += plain.kernel[i].phase == EC_FORWARD && plain.node[i] >= 0;
    for (i = 0; i < again.n; i++) {
        if (!(again.kernel[i].flags & EC_KF_AGAIN))
            continue;
        CHECK_INT(again.kernel[i].phase, EC_FORWARD);
        for (k = 0; k < plain.n && !(plain.node[k] == again.node[i] &&
                                     is_same_but_again(&plain.kernel[k], &again.kernel[i]));
             k++)
            continue;
        CHECK(k < plain.n);
        for (k = 0; k < i; k++)
            CHECK(again.kernel[k].phase == EC_FORWARD || again.node[k] != again.node[i]);
        n++;
    }
    CHECK_INT(again.n, plain.n + n);
    CHECK(n > forward / 2 && n <= forward);
    CHECK_OK(ec_step_once(&again, &a, &once, &err));
    CHECK_INT(once.n, plain.n);
    for (i = 0; i < once.n; i++)
        CHECK(memcmp(&once.kernel[i], &plain.kernel[i], sizeof plain.kernel[i]) == 0);
    ec_arena_clear(&a);
    ec_step_clear(&plain);
    ec_step_clear(&again);
    ec_graph_free(g);
}

/* Elements that the products of a block make and selective recomputation keeps: of the chain's
 * linear layers every second one, beside what goes from segment to segment. */
TEST(every_second_product_is_kept)
{
    const double one = 4 * ROWS * WIDTH;
    struct ec_graph *g = chain();
    struct ec_memory full = memory_of(g, EC_RECOMPUTE_FULL);
    struct ec_memory some = memory_of(g, EC_RECOMPUTE_SELECTIVE);
    struct ec_step s = step_again(g, EC_RECOMPUTE_SELECTIVE, EC_FW_pytorch_2);
    int i, n = 0;

    CHECK_NEAR(some.at_loss - full.at_loss, one * BLOCKS / 2, 1e-9);
    for (i = 0; i < s.n; i++)
        if (s.kernel[i].flags & EC_KF_AGAIN && s.kernel[i].mac > 0) {
            CHECK(s.node[i] / 2 % 2 == 1); /* linear, relu, linear, relu */
            n++;
        }
    CHECK(n > BLOCKS / 4 && n <= BLOCKS / 2);
    ec_step_clear(&s);
    ec_graph_free(g);
}

/* Products of attention that run again: none where one kernel computes it, else that of scores. */
TEST(scores_are_made_again_where_they_are_somewhere)
{
    struct ec_graph_opts o = { .struct_size = sizeof o, .batch = 1 };
    const enum ec_framework fw[] = { EC_FW_pytorch_2, EC_FW_pytorch_1 };
    struct ec_graph *g = NULL;
    struct ec_err err = { 0 };
    int i, k;

    CHECK_OK(ec_graph_open("vit_b_16", &o, &g, &err));
    for (k = 0; k < EC_LEN(fw); k++) {
        struct ec_step s = step_again(g, EC_RECOMPUTE_SELECTIVE, fw[k]);
        int products = 0;

        for (i = 0; i < s.n; i++)
            products += s.kernel[i].flags & EC_KF_AGAIN && s.node[i] >= 0 &&
                        ec_str_eq(g->nodes[s.node[i]]->op->name, "matmul");
        CHECK_INT(products, 12 * k);
        ec_step_clear(&s);
    }
    ec_graph_free(g);
}

/* Forward and update hold what they held. */
TEST(forward_alone_is_the_same)
{
    struct ec_graph *g = chain();
    const struct ec_conditions cond = { .mode = EC_MODE_FORWARD, .recompute = EC_RECOMPUTE_FULL };
    const struct ec_conditions plain = { .mode = EC_MODE_FORWARD };
    struct ec_memory a = { 0 }, b = { 0 };
    struct ec_err err = { 0 };

    CHECK_OK(ec_cost_memory(g, &cond, &a, &err));
    CHECK_OK(ec_cost_memory(g, &plain, &b, &err));
    CHECK(memcmp(&a, &b, sizeof a) == 0);
    ec_graph_free(g);
}

static struct ec_graph *torture_graph;

static enum ec_status build_once(struct ec_err *err)
{
    const struct ec_conditions cond = { .optimizer = EC_OPT_sgd, .recompute = EC_RECOMPUTE_FULL };
    struct ec_memory m;
    struct ec_step s = { 0 };
    enum ec_status st;

    EC_TRY(ec_step_build(torture_graph, &cond, &s, err));
    EC_TRY(ec_cost_memory(torture_graph, &cond, &m, err));
out:
    ec_step_clear(&s);
    return st;
}

TEST(each_allocation_failing)
{
    torture_graph = residual();
    CHECK_TORTURE(build_once);
    ec_graph_free(torture_graph);
}
