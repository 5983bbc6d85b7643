/* Which call of a trace is which node of a network. */
#include "trace/trace.h"
#include "test.h"

enum { SMALL, LARGE, RELU, COPY, BACK, UPDATE, BACK_ALONE, OPS };

static void find(const struct ec_trace_call *calls, int n, const struct ec_step_layers *l,
                 double times, struct ec_arena *a, struct ec_trace_layer **ret, int *ret_n)
{
    static struct ec_trace_op ops[OPS] = {
        [SMALL] = {.text = "conv2d n=1",  .elems = 100 },
        [LARGE] = { .text = "conv2d n=2",                    .elems = 1e4 },
        [RELU] = { .text = "clip x=8",.elems = 64 },
        [COPY] = { .text = "scale_scalar x=9",   .elems = 64 },
        [BACK] = { .text = "conv2d n=1",                    .way = EC_TRACE_BACKWARD },
        [UPDATE] = { .text = "scale_scalar x=9",        .way = EC_TRACE_UPDATE },
        [BACK_ALONE] = { .way = EC_TRACE_BACKWARD},
    };
    struct ec_trace_ops o = { .v = ops, .n = OPS, .call = (void *)calls, .n_calls = n };
    struct ec_err err = { 0 };

    CHECK_OK(ec_trace_layers(&o, l, times, a, ret, ret_n, &err));
}

TEST(calls_find_their_nodes)
{
    /* The trace runs the two convolutions in the other order. */
    static const struct ec_trace_call calls[] = {
        {.op = LARGE,       .forward = -1, .ns = 1 },
        { .op = COPY,       .forward = -1, .ns = 2 },
        { .op = SMALL,      .forward = -1, .ns = 4 },
        { .op = RELU,       .forward = -1, .ns = 8 },
        { .op = BACK,       .forward = 2,  .ns = 16},
        { .op = BACK_ALONE, .forward = -1, .ns = 32},
        { .op = UPDATE,     .forward = -1, .ns = 64}
    };
    static struct ec_node_time nodes[] = {
        {"first",   "conv2d", .forward_ns = 5, .backward_ns = 6, .forward_elems = 101 },
        { "view",        "reshape",          .forward_ns = 0        },
        { "second", "conv2d", .forward_ns = 7, .update_ns = 3, .forward_elems = 1e4 },
        { "act",        "relu",           .forward_ns = 7,             .forward_elems = 12  },
        { "lost",        "softmax",          .forward_ns = 9,         .forward_elems = 64   },
    };
    const struct ec_step_layers l = { .v = nodes, .n = EC_LEN(nodes), .casts_ns = 11 };
    struct ec_arena a = { 0 };
    struct ec_trace_layer *v;
    double measured = 0;
    int n = 0, i;

    find(calls, EC_LEN(calls), &l, 1, &a, &v, &n);
    CHECK_INT(n, EC_LEN(nodes) + EC_LEN(calls) + 2);
    CHECK(v[0].is_paired && v[2].is_paired && v[3].is_paired);
    CHECK(!v[1].is_paired && !v[4].is_paired);
    CHECK_STR(v[0].name, "first");
    CHECK_NEAR(v[0].measured_ns[EC_TRACE_FORWARD], 4, 0);
    CHECK_NEAR(v[0].measured_ns[EC_TRACE_BACKWARD], 16, 0);
    CHECK_NEAR(v[0].predicted_ns[EC_TRACE_BACKWARD], 6, 0);
    CHECK_NEAR(v[2].measured_ns[EC_TRACE_FORWARD], 1, 0);
    CHECK_NEAR(v[3].measured_ns[EC_TRACE_FORWARD], 8, 0); /* of the same kind, of another size */
    CHECK_STR(v[n - 2].kind, "copies");
    CHECK_NEAR(v[n - 2].predicted_ns[EC_TRACE_FORWARD], 11, 0);
    CHECK_NEAR(v[n - 1].measured_ns[EC_TRACE_UPDATE], 64, 0);
    CHECK_NEAR(v[n - 1].predicted_ns[EC_TRACE_UPDATE], 3, 0);
    for (i = 0; i < n; i++)
        measured += v[i].measured_ns[0] + v[i].measured_ns[1] + v[i].measured_ns[2];
    CHECK_NEAR(measured, 127, 0);
    ec_arena_clear(&a);
}

TEST(more_calls_than_nodes)
{
    static const struct ec_trace_call calls[] = {
        {.op = SMALL,  .forward = -1, .ns = 1},
        { .op = SMALL, .forward = -1, .ns = 2},
        { .op = SMALL, .forward = -1, .ns = 4}
    };
    static struct ec_node_time nodes[] = {
        {"a",  "conv2d", .forward_ns = 5, .forward_elems = 50},
        { "b", "conv2d", .forward_ns = 5, .forward_elems = 50},
    };
    const struct ec_step_layers l = { .v = nodes, .n = EC_LEN(nodes) };
    struct ec_arena a = { 0 };
    struct ec_trace_layer *v;
    int n = 0;

    find(calls, EC_LEN(calls), &l, 2, &a, &v, &n); /* twice the batch */
    CHECK_NEAR(v[0].measured_ns[0], 1, 0);
    CHECK_NEAR(v[1].measured_ns[0], 2, 0);
    CHECK_NEAR(v[EC_LEN(nodes) + 2].measured_ns[0], 4, 0);
    CHECK(!v[EC_LEN(nodes) + 2].name);
    ec_arena_clear(&a);
}
