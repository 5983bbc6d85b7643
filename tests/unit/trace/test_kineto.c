/* The reader of traces: what it keeps, odd numbers, and files that end early or are none. */
#include "trace/trace.h"
#include "test.h"

#include <stdlib.h>

static enum ec_status parse(const char *text, struct ec_trace *t, struct ec_err *err)
{
    return ec_trace_parse(text, strlen(text), t, err);
}

#define KERNEL(name, ts, dur)                                                                      \
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"" name "\",\"pid\":0,\"tid\":7,\"ts\":" ts        \
    ",\"dur\":" dur ",\"args\":{\"correlation\":5,\"stream\":7}}"

TEST(an_event_of_each_kind_is_kept)
{
    static const char text[] =
        "{\"schemaVersion\":1,\"deviceProperties\":[{\"id\":0,\"name\":\"NVIDIA H100\"},"
        "{\"id\":1,\"name\":\"other\"}],\"with_stack\":1,"
        "\"distributedInfo\":{\"backend\":\"nccl\",\"rank\":3,\"world_size\":8},"
        "\"traceEvents\":[" KERNEL("k", "10.5",
                                   "2") ","
                                        "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::add\","
                                        "\"pid\":1,\"tid\":\"1\",\"ts\":1,"
                                        "\"dur\":3,\"args\":{\"External id\":9,\"Sequence "
                                        "number\":4,\"Input Dims\":[[2,3],[]],"
                                        "\"Input type\":[\"float\",\"Scalar\"]}},"
                                        "{\"ph\":\"X\",\"cat\":\"Operator\",\"name\":"
                                        "\"ProfilerStep#1\",\"pid\":1,\"tid\":1,"
                                        "\"ts\":0,\"dur\":9},"
                                        "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":"
                                        "\"cudaLaunchKernel\",\"pid\":1,\"tid\":1,"
                                        "\"ts\":2,\"dur\":1,\"args\":{\"correlation\":5}},"
                                        "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":"
                                        "\"cudaGetDevice\",\"pid\":1,\"tid\":1,"
                                        "\"ts\":2,\"dur\":1},"
                                        "{\"ph\":\"X\",\"cat\":\"python_function\",\"name\":\"f.py("
                                        "1): g\",\"pid\":1,\"tid\":1,"
                                        "\"ts\":2,\"dur\":1},"
                                        "{\"ph\":\"s\",\"id\":5,\"pid\":1,\"tid\":1,\"ts\":2,"
                                        "\"cat\":\"ac2g\",\"name\":\"ac2g\"}]}";
    struct ec_trace t;
    struct ec_err err = { 0 };

    CHECK_OK(parse(text, &t, &err));
    CHECK_INT(t.n, 4);
    CHECK_INT(t.n_seen, 7);
    CHECK_INT(t.v[0].kind, EC_TRACE_KERNEL);
    CHECK_INT(t.base_ns + t.v[0].start_ns, 10500);
    CHECK_INT(t.v[0].link, 5);
    CHECK_INT(t.v[1].kind, EC_TRACE_OP);
    CHECK_INT(t.v[1].external, 9);
    CHECK_INT(t.v[1].link, 4);
    CHECK_STR(ec_trace_text(&t, t.what[t.v[1].what].dims), "[[2,3],[]]");
    CHECK_INT(t.v[2].kind, EC_TRACE_RANGE);
    CHECK_INT(t.v[3].kind, EC_TRACE_LAUNCH);
    CHECK_INT(t.v[1].lane, t.v[3].lane); /* "1" and 1 are one thread */
    CHECK_STR(t.device, "NVIDIA H100");
    CHECK_INT(t.rank, 3);
    CHECK_INT(t.ranks, 8);
    CHECK(t.with_stack && !t.is_cut);
    ec_trace_clear(&t);
    ec_trace_clear(&t);
}

TEST(times_are_exact_and_odd_ones_are_left_out)
{
    /* clang-format off */
    static const char text[] = "["
        KERNEL("a", "9007199254740993.5", "1") ","
        KERNEL("b", "9007199254740994.5", "25") ","
        KERNEL("c", "9007199254740994.7349", "0.001") ","
        KERNEL("d", "9007199254740992", "1") ","
        KERNEL("e", "\"9007199254740996\"", "1e0") ","
        KERNEL("f", "null", "1") ","
        KERNEL("g", "1", "-3") ","
        KERNEL("h", "99999999999999999999999", "1") ","
        KERNEL("i", "1e300", "1") ",7,[1,{}],\"x\"]";
    /* clang-format on */
    struct ec_trace t;
    struct ec_err err = { 0 };

    CHECK_OK(parse(text, &t, &err));
    CHECK_INT(t.n, 5);
    CHECK_INT(t.n_odd, 4);
    CHECK(t.base_ns == 9007199254740993500);
    CHECK(t.v[0].start_ns == 0);
    CHECK(t.v[1].start_ns == 1000 && t.v[1].dur_ns == 25000);
    CHECK(t.v[2].start_ns == 1234 && t.v[2].dur_ns == 1);
    CHECK(t.v[3].start_ns == -1500);
    CHECK(t.v[4].start_ns == 2500);
    ec_trace_clear(&t);
}

TEST(a_text_that_ends_early_is_used_as_far_as_it_goes)
{
    static const char text[] = "{\"traceEvents\":[" KERNEL("a", "1", "2") "," KERNEL("b", "4", "2");
    size_t len;

    for (len = 16; len <= strlen(text); len++) {
        struct ec_trace t;
        struct ec_err err = { 0 };
        enum ec_status st = ec_trace_parse(text, len, &t, &err);

        if (st) {
            CHECK(st == EC_E_PARSE && err.text[0]);
            continue;
        }
        CHECK(t.is_cut && *t.cut && t.n <= 2);
        CHECK_INT(t.n, t.n_seen);
        ec_trace_clear(&t);
    }
}

TEST(what_is_no_trace_is_refused)
{
    static const char *const texts[] = { "",   "   ",       "a,b\n1,2\n", "{}",
                                         "[]", "{\"a\":1}", "\x1f\x8bxx", "{\"traceEvents\":{}}" };
    int i;

    for (i = 0; i < EC_LEN(texts); i++) {
        struct ec_trace t;
        struct ec_err err = { 0 };

        CHECK(parse(texts[i], &t, &err) != EC_OK);
        CHECK(err.text[0] != '\0');
    }
}

TEST(a_duration_that_reaches_into_what_follows_is_refused)
{
    static const char text[] = "[" KERNEL("a", "100", "10") "," KERNEL(
        "b", "120", "900000000") "," KERNEL("c", "140", "10") "," KERNEL("d", "148", "10") "]";
    struct ec_trace t;
    struct ec_err err = { 0 };

    CHECK_OK(parse(text, &t, &err));
    CHECK_INT(t.n_refused, 1);
    CHECK_INT(t.v[1].kind, EC_TRACE_NONE);
    CHECK_INT(t.v[2].kind, EC_TRACE_KERNEL); /* a little overlap is usual */
    ec_trace_clear(&t);
}

TEST(names_are_decoded_and_equal_ones_are_one)
{
    static const char text[] = "[" KERNEL("x \\\"y\\\" \\u003cz\\u003e", "1", "1") "," KERNEL(
        "x \\\"y\\\" <z>", "4", "1") "," KERNEL("ncclDevKernel_AllReduce", "8", "1") "]";
    struct ec_trace t;
    struct ec_err err = { 0 };

    CHECK_OK(parse(text, &t, &err));
    CHECK_STR(ec_trace_name(&t, &t.v[0]), "x \"y\" <z>");
    CHECK_INT(t.v[0].what, t.v[1].what);
    CHECK_INT(t.v[2].kind, EC_TRACE_COLLECTIVE);
    ec_trace_clear(&t);
}

/* More names, threads and events than the first tables have room for. */
TEST(many_of_all)
{
    struct ec_buf text = EC_BUF_INIT;
    struct ec_trace t;
    struct ec_err err = { 0 };
    int i;

    ec_buf_char(&text, '[');
    for (i = 0; i < 5000; i++)
        ec_buf_printf(&text,
                      "%s{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"op%d\",\"pid\":1,\"tid\":%d,"
                      "\"ts\":%d,\"dur\":1,\"args\":{\"Input Dims\":[[%d]]}}",
                      i ? "," : "", i, i % 700, i, i);
    ec_buf_char(&text, ']');
    CHECK_OK(ec_trace_parse(text.data, text.len, &t, &err));
    CHECK_INT(t.n, 5000);
    CHECK_INT(t.n_lanes, 700);
    CHECK_STR(ec_trace_name(&t, &t.v[4321]), "op4321");
    CHECK_STR(ec_trace_text(&t, t.what[t.v[4321].what].dims), "[[4321]]");
    ec_trace_clear(&t);
    ec_buf_clear(&text);
}

TEST(memory_may_end_anywhere)
{
    static const char text[] = "[" KERNEL("a", "100", "10") "," KERNEL("b", "120", "9") "]";
    int64_t n;

    for (n = 1; n < 40; n++) {
        struct ec_trace t;
        struct ec_err err = { 0 };
        enum ec_status st;

        (void)ec_alloc_fail_after(n);
        st = parse(text, &t, &err);
        if (ec_alloc_fail_after(0) == 0) {
            CHECK_INT(st, EC_E_NOMEM);
        } else {
            CHECK_OK(st);
            ec_trace_clear(&t);
        }
    }
}
