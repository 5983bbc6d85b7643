/* A network at another batch, out of two of it: the same, to the letter, as the one that is built.
 */
#include "graph/graph.h"
#include "sanitized.h"
#include "test.h"

static struct ec_graph *at_batch(const char *name, int64_t batch)
{
    struct ec_graph_opts o = { .struct_size = sizeof o, .batch = batch };
    struct ec_graph *g = NULL;

    if (ec_graph_open(name, &o, &g, NULL))
        return NULL; /* too large at that batch */
    return g;
}

/* Whether the network could be derived; then it is the built one. */
static bool check_one(const char *name, struct ec_graph *a, struct ec_graph *b, int64_t batch)
{
    struct ec_buf made = EC_BUF_INIT, built = EC_BUF_INIT;
    struct ec_graph *g = ec_graph_of_batch(a, b, batch), *fresh = at_batch(name, batch);
    struct ec_err err;
    bool derived = g != NULL;

    if (g && fresh) {
        CHECK_OK(ec_graph_to_json(g, &made, &err));
        CHECK_OK(ec_graph_to_json(fresh, &built, &err));
        CHECK_STR(ec_buf_text(&made), ec_buf_text(&built));
        CHECK_INT(ec_graph_batch(g), batch);
    }
    ec_buf_clear(&made);
    ec_buf_clear(&built);
    ec_graph_free(fresh);
    ec_graph_free(g);
    return derived;
}

TEST(every_built_in_network_follows_its_batch)
{
    const int64_t batches[] = { 1, 7, 64 };
    int i, k, n, derived = 0, tried = 0;
    const char *const *names = ec_zoo_names(&n);

    /* what differs among networks of a family is their sizes: every third has nearly all families
     */
    for (i = 0; i < n; i += TEST_SANITIZED ? 3 : 1) {
        struct ec_graph *a = at_batch(names[i], 4), *b = at_batch(names[i], 6);

        for (k = 0; a && b && k < EC_LEN(batches); k++) {
            derived += check_one(names[i], a, b, batches[k]);
            tried++;
        }
        ec_graph_free(a);
        ec_graph_free(b);
    }
    CHECK(tried > (TEST_SANITIZED ? 333 : 1000));
    CHECK(derived > tried * 0.95);
}

TEST(another_network_is_no_pattern)
{
    struct ec_graph *a = at_batch("resnet18", 2), *b = at_batch("resnet34", 3);

    CHECK(a && b);
    CHECK(ec_graph_of_batch(a, b, 4) == NULL);
    CHECK_INT(a->users, 0);
    ec_graph_free(a);
    ec_graph_free(b);
}

TEST(the_pattern_lives_as_long_as_what_was_made_of_it)
{
    struct ec_graph *a = at_batch("resnet18", 2), *b = at_batch("resnet18", 3);
    struct ec_graph *x = ec_graph_of_batch(a, b, 5), *y = ec_graph_of_batch(a, b, 9);

    CHECK(x && y);
    ec_graph_free(a);
    ec_graph_free(b);
    CHECK_STR(ec_graph_name(x), "resnet18");
    ec_graph_free(x);
    CHECK_STR(y->nodes[0]->name, "conv1");
    CHECK_INT(y->values[y->inputs[0]]->type.shape.d[0], 9);
    ec_graph_free(y);
}

TEST(without_memory_there_is_none)
{
    struct ec_graph *a = at_batch("lenet5", 2), *b = at_batch("lenet5", 3), *g = NULL;
    int64_t n;

    for (n = 1; n < 100 && !g; n++) {
        (void)ec_alloc_fail_after(n);
        g = ec_graph_of_batch(a, b, 4);
        (void)ec_alloc_fail_after(0);
    }
    CHECK(g && n > 3);
    CHECK_INT(a->users, 1);
    ec_graph_free(g);
    ec_graph_free(a);
    ec_graph_free(b);
}
