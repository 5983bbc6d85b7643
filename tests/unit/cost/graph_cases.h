/* Small graphs for the tests of costs, made by the builder of the zoo. */
#ifndef GRAPH_CASES_H
#define GRAPH_CASES_H

#include "cost/cost.h"
#include "test.h"

/* A builder over a new graph; a failure shows when it is closed. */
static inline struct ec_builder small_open(struct ec_err *err)
{
    struct ec_builder b = { .g = ec_graph_new("small"), .err = err };

    CHECK(b.g != NULL);
    return b;
}

static inline void small_close(struct ec_builder *b, int out)
{
    if (!b->st)
        b->st = ec_graph_add_output(b->g, out, b->err);
    if (b->st)
        test_fail(__FILE__, __LINE__, "%s", b->err->text);
}

/* x (8, 32) -> linear 16 -> relu -> linear 4 */
static inline struct ec_graph *two_layers(void)
{
    struct ec_err err = { 0 };
    struct ec_builder b = small_open(&err);
    int x = ec_b_input(&b, "x", EC_DT_f32, 2, (int64_t)8, (int64_t)32);

    x = ec_b1(&b, x, "linear n=16");
    x = ec_b1(&b, x, "relu");
    small_close(&b, ec_b1(&b, x, "linear n=4"));
    return b.g;
}

static inline struct ec_step step_of(const struct ec_graph *g, enum ec_mode mode,
                                     enum ec_optimizer opt)
{
    struct ec_err err = { 0 };
    const struct ec_conditions cond = { .mode = mode, .optimizer = opt };
    struct ec_step s = { 0 };

    CHECK_OK(ec_step_build(g, &cond, &s, &err));
    return s;
}

static inline struct ec_totals totals_of(const struct ec_graph *g, enum ec_optimizer opt)
{
    struct ec_err err = { 0 };
    struct ec_totals t = { 0 };

    CHECK_OK(ec_cost_graph(g, opt, 4, &t, NULL, &err));
    return t;
}

#endif
