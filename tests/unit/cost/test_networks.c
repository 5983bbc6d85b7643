/* The cache of networks: what it derives and keeps is what it would have built and counted. */
#include "cost/cost.h"
#include "test.h"

#include <string.h>

static struct ec_network *opened(struct ec_networks *c, const char *model, int64_t batch)
{
    struct ec_graph_opts o = { .struct_size = sizeof o, .batch = batch };
    struct ec_network *n = NULL;
    struct ec_err err;

    CHECK_OK(ec_networks_open(c, model, &o, &n, &err));
    return n;
}

TEST(the_third_batch_is_derived)
{
    struct ec_networks c = { .n = 0 };

    CHECK(!opened(&c, "resnet18", 8)->graph->base);
    CHECK(!opened(&c, "resnet18", 16)->graph->base);
    CHECK(opened(&c, "resnet18", 24)->graph->base != NULL);
    CHECK_INT(opened(&c, "resnet18", 24)->graph->batch, 24);
    CHECK(!opened(&c, "resnet18", 0)->graph->base); /* the network's own */
    CHECK(!opened(&c, "resnet34", 24)->graph->base);
    CHECK_INT(c.n, 5);
    ec_networks_clear(&c);
}

TEST(the_cache_stays_bounded_and_keeps_its_patterns)
{
    struct ec_networks c = { .n = 0 };
    int64_t batch;

    for (batch = 1; batch <= 3 * EC_NETWORKS_MAX; batch++)
        CHECK_INT(opened(&c, "lenet5", batch)->graph->batch, batch);
    CHECK_INT(c.n, EC_NETWORKS_MAX);
    CHECK(opened(&c, "lenet5", 1000)->graph->base != NULL);
    ec_networks_clear(&c);
}

TEST(memory_is_counted_once_for_its_conditions)
{
    struct ec_conditions cond = { .mode = EC_MODE_TRAINING_STEP, .optimizer = EC_OPT_adam };
    struct ec_networks c = { .n = 0 };
    struct ec_network *n = opened(&c, "resnet18", 8);
    struct ec_memory kept, fresh;
    struct ec_err err;
    int round, p;

    for (round = 0; round < 2; round++)
        for (p = 0; p < EC_PRECISION_COUNT; p++) {
            cond.precision = (enum ec_precision)p;
            CHECK_OK(ec_network_memory(n, &cond, &kept, &err));
            CHECK_OK(ec_cost_memory(n->graph, &cond, &fresh, &err));
            CHECK(memcmp(&kept, &fresh, sizeof kept) == 0);
        }
    CHECK(n->n_memories >= EC_PRECISION_COUNT);
    CHECK_OK(ec_network_memory(n, &cond, &kept, &err));
    CHECK_INT(n->n_memories,
              EC_PRECISION_COUNT <= EC_NETWORK_MEMORIES ? EC_PRECISION_COUNT : n->n_memories);
    ec_networks_clear(&c);
}

/* What is kept of the ranks counts against the cache, and only as much as is used of it. */
TEST(ranks_count_in_the_bytes_of_a_network)
{
    struct ec_conditions cond = { .mode = EC_MODE_TRAINING_STEP };
    const struct ec_division halves = { 2, 1, 1, true }, quarters = { 4, 1, 1, true };
    struct ec_networks c = { .n = 0 };
    struct ec_network *n = opened(&c, "gpt2", 2);
    size_t read = ec_network_bytes(n), divided, with_rank;
    int *part = ec_alloc(sizeof *part * (size_t)n->graph->n_nodes);
    const struct ec_rank_work *w = NULL;
    struct ec_err err;

    CHECK_OK(ec_network_divide(n, &halves, &err));
    divided = ec_network_bytes(n);
    CHECK(divided > read);
    CHECK_OK(ec_network_rank(n, &cond, part, 1, 0, &w, &err));
    with_rank = ec_network_bytes(n);
    CHECK(with_rank >= divided + sizeof *w + (size_t)w->step.n * sizeof *w->step.kernel);
    CHECK_INT(w->step.cap, w->step.n);
    CHECK_OK(ec_network_divide(n, &quarters, &err)); /* the ranks of the other division go */
    CHECK_INT((int64_t)ec_network_bytes(n), (int64_t)divided);
    ec_free(part);
    ec_networks_clear(&c);
}
