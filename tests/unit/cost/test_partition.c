/* What ranks divide of networks of all kinds, the graph of a rank, and stages of a pipeline. */
#include "graph_cases.h"
#include "work.h"

static struct ec_graph *open(const char *model, int64_t seq_len)
{
    struct ec_graph_opts o = { sizeof o, .batch = 1, .seq_len = seq_len };
    struct ec_graph *g = NULL;
    struct ec_err err = { 0 };

    CHECK_OK(ec_graph_open(model, &o, &g, &err));
    return g;
}

static struct ec_rank rank_of(const struct ec_graph *g, struct ec_division d)
{
    const struct ec_blocks none = { 0 };
    struct ec_partition *p = NULL;
    struct ec_rank r = { 0 };
    struct ec_err err = { 0 };

    CHECK_OK(ec_partition_new(g, &d, &p, &err));
    CHECK_OK(ec_partition_rank(p, NULL, 0, 1, &none, &r, &err));
    ec_partition_free(p);
    return r;
}

struct sums {
    double mac, elems, params, kept;
};

static struct sums sums_of(const struct ec_graph *g)
{
    const struct ec_conditions cond = { .optimizer = EC_OPT_none };
    struct ec_step s = step_of(g, EC_MODE_TRAINING_STEP, EC_OPT_none);
    struct sums r = { 0 };
    struct ec_memory m;
    struct ec_err err = { 0 };
    int i;

    for (i = 0; i < s.n; i++) {
        r.mac += s.kernel[i].mac;
        r.elems += s.kernel[i].read_elems + s.kernel[i].write_elems;
    }
    for (i = 0; i < g->n_values; i++)
        if (g->values[i]->kind == EC_V_PARAM)
            r.params += ec_type_elems(&g->values[i]->type);
    CHECK_OK(ec_cost_memory(g, &cond, &m, &err));
    r.kept = m.at_loss;
    ec_step_clear(&s);
    return r;
}

/* Networks whose products are all in pairs: nearly all is divided. least: how much of the products
 * and of the parameters at least */
static const struct {
    const char *model;
    int64_t seq_len;
    double mac, params;
} divided[] = {
    {"llama3_8b:layers=2",       512, 0.999, 0.99},
    { "gpt2",                    512, 0.999, 0.98},
    { "mpt_1b:layers=4,flash=0", 512, 0.999, 0.99},
    { "opt_125m",                256, 0.999, 0.98},
    { "bert_base",               256, 0.98,  0.97},
    { "vit_b_16",                0,   0.98,  0.97},
};

TEST(transformers_of_all_kinds_are_divided)
{
    int i;

    for (i = 0; i < EC_LEN(divided); i++) {
        struct ec_graph *g = open(divided[i].model, divided[i].seq_len);
        struct sums whole = sums_of(g), plain, shared;
        struct ec_rank one = rank_of(g, (struct ec_division){ 1, 1, 1, true });
        struct ec_rank two = rank_of(g, (struct ec_division){ 2, 1, 1, false });
        struct ec_rank seq = rank_of(g, (struct ec_division){ 2, 1, 1, true });

        plain = sums_of(one.graph);
        CHECK_NEAR(plain.mac, whole.mac, 1e-12);
        CHECK_NEAR(plain.elems, whole.elems, 1e-12);
        CHECK_NEAR(plain.kept, whole.kept, 1e-12);
        plain = sums_of(two.graph);
        shared = sums_of(seq.graph);
        CHECK(whole.mac - plain.mac > divided[i].mac * whole.mac / 2);
        CHECK(plain.mac >= whole.mac / 2 * (1 - 1e-3));
        CHECK(whole.params - plain.params > divided[i].params * whole.params / 2);
        CHECK(two.tensor.calls > 0);
        CHECK_NEAR(shared.mac, plain.mac, 0.02);
        CHECK(shared.elems < plain.elems);
        CHECK(shared.kept < plain.kept);
        CHECK(shared.kept > whole.kept / 2 * (1 - 1e-9));
        if (test_bad_checks)
            test_fail(__FILE__, __LINE__, "%s: %.4g of %.4g MAC, %.4g of %.4g parameters",
                      divided[i].model, plain.mac, whole.mac, plain.params, whole.params);
        ec_graph_free(one.graph);
        ec_graph_free(two.graph);
        ec_graph_free(seq.graph);
        ec_graph_free(g);
    }
}

TEST(a_pair_of_layers_has_two_sums)
{
    struct ec_graph *g = open("llama3_8b:layers=3", 512);
    struct ec_rank r = rank_of(g, (struct ec_division){ 4, 1, 1, true });

    CHECK_NEAR(r.tensor.calls, 1 + 2 * 3, 1e-12); /* words; attention and feed-forward */
    CHECK_NEAR(r.tensor.bytes, (1 + 2 * 3) * 512.0 * 4096, 1e-12);
    ec_graph_free(r.graph);
    ec_graph_free(g);
}

static void refuse(const char *model, struct ec_division d, enum ec_status want, const char *why)
{
    struct ec_graph *g = open(model, 0);
    struct ec_partition *p = NULL;
    struct ec_err err = { 0 };

    CHECK_INT(ec_partition_new(g, &d, &p, &err), want);
    CHECK(strstr(err.text, why) != NULL);
    ec_partition_free(p);
    ec_graph_free(g);
}

TEST(what_cannot_be_divided_says_why)
{
    refuse("resnet50", (struct ec_division){ 2, 1, 1, true }, EC_E_UNSUPPORTED, "has none");
    refuse("unet", (struct ec_division){ 2, 1, 1, true }, EC_E_UNSUPPORTED, "has none");
    refuse("resnet50", (struct ec_division){ 1, 2, 1, true }, EC_E_UNSUPPORTED, "tokens");
    refuse("gpt2", (struct ec_division){ 8, 1, 1, true }, EC_E_INPUT,
           "does not divide the 12 heads");
    refuse("gpt2", (struct ec_division){ 8, 1, 1, true }, EC_E_INPUT, "6 and 12");
    refuse("gpt2", (struct ec_division){ 1, 3, 1, true }, EC_E_INPUT, "1024 tokens");
}

/* Fewer heads of keys than ranks: each rank has one. */
TEST(grouped_keys_are_copied)
{
    struct ec_graph *g = open("llama3_8b:layers=1", 256);
    struct sums whole = sums_of(g), part;
    struct ec_rank r = rank_of(g, (struct ec_division){ 16, 1, 1, true });

    part = sums_of(r.graph);
    CHECK(part.mac > whole.mac / 16 * 0.99); /* their layer gives half a head */
    CHECK(part.mac < whole.mac / 16 * 1.15);
    ec_graph_free(r.graph);
    ec_graph_free(g);
}

TEST(context_divides_tokens_and_sees_all_keys)
{
    static const char *const models[] = { "llama3_8b:layers=2", "mpt_1b:layers=2,flash=0" };
    int i;

    for (i = 0; i < EC_LEN(models); i++) {
        struct ec_graph *g = open(models[i], 2048);
        struct sums whole = sums_of(g), part;
        struct ec_rank r = rank_of(g, (struct ec_division){ 1, 4, 1, true });

        part = sums_of(r.graph);
        CHECK_NEAR(part.mac, whole.mac / 4, 0.002);
        CHECK_NEAR(part.params, whole.params, 1e-12);
        CHECK(r.context.calls > 0);
        ec_graph_free(r.graph);
        ec_graph_free(g);
    }
}

/* ------------------------------------------------------------------------------------------------
 * Blocks and stages */

TEST(stacked_blocks_are_found)
{
    static const struct {
        const char *model;
        int blocks;
    } rows[] = {
        {"llama3_8b",        32},
        { "gpt2",            12},
        { "bert_base",       12},
        { "vit_b_16",        12},
        { "mpt_1b:layers=7", 7 },
    };
    int i;

    for (i = 0; i < EC_LEN(rows); i++) {
        struct ec_graph *g = open(rows[i].model, 0);
        struct ec_blocks b;
        struct ec_err err = { 0 };

        CHECK_OK(ec_blocks_find(g, &b, &err));
        CHECK_INT(b.n, rows[i].blocks);
        CHECK(b.n * b.length <= g->n_nodes);
        ec_graph_free(g);
    }
}

static double cost_of(const struct ec_graph *g, const double *cost, const int *part, int stage)
{
    double sum = 0;
    int i;

    for (i = 0; i < g->n_nodes; i++)
        sum += part[i] == stage ? cost[i] : 0;
    return sum;
}

/* slack: cost of the dearest stage over the mean; shared: parameters that two stages hold */
static void cut(const char *model, int parts, double slack, double shared)
{
    struct ec_graph *g = open(model, 0);
    struct ec_division d = { 1, 1, 1, true };
    double *cost = ec_alloc(sizeof *cost * (size_t)g->n_nodes), all = 0, params = 0;
    int *part = ec_alloc(sizeof *part * (size_t)g->n_nodes), i;
    struct ec_partition *p = NULL;
    struct ec_blocks b;
    struct ec_err err = { 0 };

    for (i = 0; i < g->n_nodes; i++) {
        struct ec_case c = ec_node_case(g->nodes[i]);
        struct ec_work w = { .n = 0 };
        struct ec_count n = { 0 };

        c.op->work(&c, EC_FORWARD, &w);
        work_count(&w, 2, &n);
        all += cost[i] = n.mac;
    }
    CHECK_OK(ec_blocks_find(g, &b, &err));
    CHECK_OK(ec_blocks_cut(g, &b, cost, parts, part, &err));
    CHECK_OK(ec_partition_new(g, &d, &p, &err));
    CHECK_INT(part[0], 0);
    CHECK_INT(part[g->n_nodes - 1], parts - 1);
    for (i = 1; i < g->n_nodes; i++)
        CHECK(part[i] == part[i - 1] || part[i] == part[i - 1] + 1);
    for (i = 0; i < parts; i++) {
        struct ec_rank r = { 0 };

        CHECK(cost_of(g, cost, part, i) < all / parts * slack);
        if (test_bad_checks)
            test_fail(__FILE__, __LINE__, "%s: stage %d of %d has %.3g of %.3g", model, i, parts,
                      cost_of(g, cost, part, i), all);
        CHECK_OK(ec_partition_rank(p, part, i, parts, &b, &r, &err));
        CHECK(i == 0 || r.received_elems > 0);
        CHECK_INT(r.graph->n_outputs, i == parts - 1);
        params += r.params + r.frozen;
        ec_graph_free(r.graph);
    }
    CHECK_NEAR(params, sums_of(g).params + shared, 1e-9);
    ec_partition_free(p);
    ec_free(cost);
    ec_free(part);
    ec_graph_free(g);
}

TEST(stages_take_all_and_are_balanced)
{
    cut("mpt_7b:layers=8", 4, 1.4,
        50368 * 4096.0);                   /* the last has the words, and so has the first */
    cut("llama3_8b:layers=15", 4, 1.2, 0); /* not even: the last has fewer */
    cut("vit_b_16", 3, 1.2, 0);
    cut("unet", 4, 1.5, 0);
}

TEST(more_stages_than_blocks_are_refused)
{
    struct ec_graph *g = open("gpt2", 0);
    double *cost = ec_alloc(sizeof *cost * (size_t)g->n_nodes);
    int *part = ec_alloc(sizeof *part * (size_t)g->n_nodes);
    struct ec_blocks b;
    struct ec_err err = { 0 };

    CHECK_OK(ec_blocks_find(g, &b, &err));
    CHECK_INT(ec_blocks_cut(g, &b, cost, 16, part, &err), EC_E_INPUT);
    CHECK(strstr(err.text, "12 stacked blocks") != NULL);
    CHECK_OK(
        ec_blocks_cut(g, &b, cost, 14, part, &err)); /* the ends may have stages of their own */
    CHECK(part[0] == 0 && part[g->n_nodes - 1] == 13);
    ec_free(cost);
    ec_free(part);
    ec_graph_free(g);
}

/* Narrow adapters are whole on each rank, what they give is divided with what they are added to. */
TEST(adapters_are_divided_with_their_layers)
{
    struct ec_graph_opts o = { sizeof o, .batch = 1, .seq_len = 256, .adapter_rank = 16 };
    struct ec_graph *g = NULL;
    struct sums whole, part;
    struct ec_rank r;
    struct ec_err err = { 0 };

    CHECK_OK(ec_graph_open("llama3_8b:layers=2", &o, &g, &err));
    whole = sums_of(g);
    r = rank_of(g, (struct ec_division){ 4, 1, 1, true });
    part = sums_of(r.graph);
    CHECK(part.mac < whole.mac / 4 * 1.03);
    CHECK(part.params < whole.params / 4 * 1.03);
    ec_graph_free(r.graph);
    ec_graph_free(g);
}

/* Each rank has some of the experts, and as much work as before. */
TEST(experts_are_shared_out)
{
    struct ec_graph *g = open("mixtral_8x7b:layers=2", 256);
    struct sums whole = sums_of(g), part;
    struct ec_rank r = rank_of(g, (struct ec_division){ 1, 1, 4, true });

    part = sums_of(r.graph);
    CHECK_NEAR(part.mac, whole.mac, 1e-6);
    CHECK_NEAR(r.expert_params, 2 * 8 * 3 * 4096.0 * 14336 / 4, 1e-9);
    CHECK_NEAR(part.params, whole.params - 3 * r.expert_params, 1e-9);
    CHECK_NEAR(r.expert.calls, 4, 1e-12);
    CHECK_NEAR(r.expert.bytes, 2 * 2 * 256 * 2 * 4096.0, 1e-9);
    ec_graph_free(r.graph);
    ec_graph_free(g);
    refuse("mixtral_8x7b:layers=1", (struct ec_division){ 1, 1, 16, true }, EC_E_INPUT,
           "does not divide the 8 experts");
    refuse("gpt2", (struct ec_division){ 1, 1, 2, true }, EC_E_UNSUPPORTED, "has none");
}

static struct ec_graph *torture_graph;

static enum ec_status divide_once(struct ec_err *err)
{
    struct ec_division d = { 2, 2, 1, true };
    int *part = NULL;
    double *cost = NULL;
    struct ec_partition *p = NULL;
    struct ec_blocks b = { 0 };
    struct ec_rank r = { 0 };
    enum ec_status st;

    EC_TRY(ec_blocks_find(torture_graph, &b, err));
    part = ec_alloc(sizeof *part * (size_t)torture_graph->n_nodes);
    cost = ec_alloc(sizeof *cost * (size_t)torture_graph->n_nodes);
    if (!part || !cost)
        EC_TRY(ec_nomem(err));
    EC_TRY(ec_blocks_cut(torture_graph, &b, cost, 2, part, err));
    EC_TRY(ec_partition_new(torture_graph, &d, &p, err));
    EC_TRY(ec_partition_rank(p, part, 1, 2, &b, &r, err));
out:
    ec_graph_free(r.graph);
    ec_partition_free(p);
    ec_free(part);
    ec_free(cost);
    return st;
}

TEST(failing_memory)
{
    torture_graph = open("llama3_8b:layers=2", 64);
    CHECK_TORTURE(divide_once);
    ec_graph_free(torture_graph);
}
