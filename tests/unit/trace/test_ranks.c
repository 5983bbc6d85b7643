/* Waiting and transfer of ranks add up, and the rank that comes last is named. */
#include "trace/trace.h"
#include "test.h"

#define RANKS 3

static void event(struct ec_buf *b, const char *category, const char *name, int tid, int from,
                  int dur)
{
    ec_buf_printf(b,
                  "%s{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s\",\"pid\":0,\"tid\":%d,\"ts\":%d,"
                  "\"dur\":%d}",
                  b->len ? "," : "[", category, name, tid, from, dur);
}

TEST(waits_add_up)
{
    static const int dur[RANKS][3] = {
        {50,  30, 40},
        { 20, 30, 90},
        { 60, 10, 70}
    };
    struct ec_trace t[RANKS];
    struct ec_trace_steps s[RANKS];
    struct ec_trace_rank r[RANKS] = { { 0 } };
    uint32_t *up[RANKS];
    struct ec_err err = { 0 };
    double others = 0, waits = 0;
    int matched, other, i, k;

    for (i = 0; i < RANKS; i++) {
        struct ec_buf b = EC_BUF_INIT;

        for (k = 0; k < 3; k++)
            event(&b, "kernel", k == 2 ? "ncclAllGather" : "ncclAllReduce", 7, 1000 * k, dur[i][k]);
        if (i == 0)
            event(&b, "kernel", "ncclSendRecv", 7, 5000, 5);
        ec_buf_char(&b, ']');
        CHECK_OK(ec_trace_parse(b.data, b.len, &t[i], &err));
        CHECK_OK(ec_trace_join(&t[i], &up[i], &err));
        CHECK_OK(ec_trace_find_steps(&t[i], up[i], &s[i], &err));
        r[i].trace = &t[i];
        r[i].steps = &s[i];
        ec_buf_clear(&b);
    }
    CHECK_OK(ec_trace_ranks(r, RANKS, &matched, &other, &err));
    CHECK_INT(matched, 3);
    CHECK_INT(other, 1);
    for (i = 0; i < RANKS; i++) {
        CHECK_NEAR(r[i].transfer_ns, 70e3, 1e-9); /* 20, 10, 40 */
        CHECK_NEAR(r[i].transfer_ns + r[i].waiting_ns, 1e3 * (dur[i][0] + dur[i][1] + dur[i][2]),
                   1e-9);
        waits += r[i].waiting_ns;
        others += r[i].waited_for_ns;
        CHECK_INT(r[i].times_last, 1);
    }
    CHECK_NEAR(waits, others, 1e-9);
    for (i = 0; i < RANKS; i++) {
        ec_trace_clear(&t[i]);
        ec_trace_steps_clear(&s[i]);
        ec_free(up[i]);
    }
}
