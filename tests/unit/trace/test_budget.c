/* Steps, and the parts of a step, of small traces whose budget is counted by hand. */
#include "trace/trace.h"
#include "test.h"

struct counted {
    struct ec_trace trace;
    uint32_t *up;
    struct ec_trace_steps steps;
};

static void event(struct ec_buf *b, const char *category, const char *name, int tid, int from,
                  int to, int link)
{
    ec_buf_printf(b,
                  "%s{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s\",\"pid\":%d,\"tid\":%d,\"ts\":%d,"
                  "\"dur\":%d,\"args\":{\"correlation\":%d}}",
                  b->len ? "," : "[", category, name, tid == 7 || tid == 9 ? 0 : 1, tid, from,
                  to - from, link);
}

static void count(struct ec_buf *b, struct counted *c)
{
    struct ec_err err = { 0 };

    ec_buf_char(b, ']');
    CHECK_OK(ec_trace_parse(b->data, b->len, &c->trace, &err));
    CHECK_OK(ec_trace_join(&c->trace, &c->up, &err));
    CHECK_OK(ec_trace_find_steps(&c->trace, c->up, &c->steps, &err));
    CHECK_OK(ec_trace_budget(&c->trace, c->up, &c->steps, &err));
    ec_buf_clear(b);
}

static void clear(struct counted *c)
{
    ec_trace_clear(&c->trace);
    ec_trace_steps_clear(&c->steps);
    ec_free(c->up);
}

#define PART(c, i, id) ((c)->steps.v[i].part_ns[EC_TRACE_PART_##id] / 1e3)

/* Two steps of 100 us that are alike: loader 10 to 40, launches, a kernel of 30, a collective that
 * overlaps it by 5, a copy, a synchronisation. */
static void add_step(struct ec_buf *b, int at, int n)
{
    char name[32];

    (void)snprintf(name, sizeof name, "ProfilerStep#%d", n);
    event(b, "user_annotation", name, 1, at, at + 100, 0);
    event(b, "user_annotation", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 1,
          at, at + 20, 0);
    event(b, "cuda_runtime", "cudaLaunchKernel", 1, at + 25, at + 28, n * 10 + 1);
    event(b, "kernel", "gemm", 7, at + 30, at + 60, n * 10 + 1);
    event(b, "cuda_runtime", "cudaLaunchKernel", 1, at + 32, at + 34, n * 10 + 2);
    event(b, "kernel", "ncclAllReduce", 9, at + 55, at + 70, n * 10 + 2);
    event(b, "cuda_runtime", "cudaMemcpyAsync", 1, at + 36, at + 38, n * 10 + 3);
    event(b, "gpu_memcpy", "Memcpy DtoH", 7, at + 70, at + 75, n * 10 + 3);
    event(b, "cuda_runtime", "cudaDeviceSynchronize", 1, at + 74, at + 80, 0);
}

TEST(parts_of_a_step_exclude_each_other)
{
    struct ec_buf b = EC_BUF_INIT;
    struct counted c;
    double sum = 0;
    int i;

    add_step(&b, 1000, 1);
    add_step(&b, 1100, 2);
    count(&b, &c);
    CHECK_INT(c.steps.n, 2);
    CHECK_INT(c.steps.n_out, 1);
    CHECK_INT(c.steps.median, 1);
    CHECK_NEAR(PART(&c, 1, compute), 30, 1e-9);
    CHECK_NEAR(PART(&c, 1, communication), 10, 1e-9);
    CHECK_NEAR(PART(&c, 1, copies), 5, 1e-9);
    CHECK_NEAR(PART(&c, 1, loader), 20, 1e-9);
    CHECK_NEAR(PART(&c, 1, sync), 5, 1e-9);
    CHECK_NEAR(PART(&c, 1, host), 8, 1e-9); /* 20 to 28, when the launch ends */
    CHECK_NEAR(PART(&c, 1, other), 22, 1e-9);
    for (i = 0; i < EC_TRACE_PARTS; i++)
        sum += c.steps.v[1].part_ns[i];
    CHECK_NEAR(sum, 100e3, 1e-6);
    clear(&c);
}

/* The host begins steps early: the device ends the first at 150, so the second begins there. */
TEST(a_step_begins_where_the_device_ends_the_one_before)
{
    struct ec_buf b = EC_BUF_INIT;
    struct counted c;

    event(&b, "user_annotation", "ProfilerStep#1", 1, 0, 20, 0);
    event(&b, "user_annotation", "ProfilerStep#2", 1, 20, 40, 0);
    event(&b, "cuda_runtime", "cudaLaunchKernel", 1, 5, 6, 1);
    event(&b, "cuda_runtime", "cudaLaunchKernel", 1, 25, 26, 2);
    event(&b, "kernel", "a", 7, 50, 150, 1);
    event(&b, "kernel", "a", 7, 150, 260, 2);
    event(&b, "kernel", "no launch", 7, 260, 270, 77);
    count(&b, &c);
    CHECK(c.steps.v[1].from_ns == 150000 && c.steps.v[1].to_ns == 270000);
    CHECK_NEAR(PART(&c, 1, compute), 120, 1e-9);
    clear(&c);
}

/* Two kernels of stream 9, one in each step, none with a launch. */
TEST(what_a_stream_without_launches_runs_is_of_the_step_of_its_time)
{
    struct ec_buf b = EC_BUF_INIT;
    struct counted c;
    int i;

    for (i = 0; i < 2; i++) {
        event(&b, "user_annotation", i ? "ProfilerStep#2" : "ProfilerStep#1", 1, 100 * i,
              100 * i + 100, 0);
        event(&b, "cuda_runtime", "cudaLaunchKernel", 1, 100 * i + 5, 100 * i + 6, i + 1);
        event(&b, "kernel", "gemm", 7, 100 * i + 10, 100 * i + 60, i + 1);
        event(&b, "kernel", "ncclAllReduce", 9, 100 * i + 70, 100 * i + 80, 70 + i);
    }
    count(&b, &c);
    CHECK(c.steps.v[1].from_ns == 100000 && c.steps.v[1].to_ns == 200000);
    CHECK_NEAR(PART(&c, 1, compute), 50, 1e-9);
    CHECK_NEAR(PART(&c, 1, communication), 10, 1e-9);
    clear(&c);
}

TEST(without_marks_the_sequence_of_kernels_has_the_steps)
{
    static const char *const names[] = { "a", "b", "b", "c" };
    struct ec_buf b = EC_BUF_INIT;
    struct counted c;
    int i;

    event(&b, "kernel", "warm up", 7, 0, 5, 0);
    for (i = 0; i < 12; i++)
        event(&b, "kernel", names[i % 4], 7, 10 + 10 * i, 18 + 10 * i, 0);
    count(&b, &c);
    CHECK_INT(c.steps.n, 3);
    CHECK_NEAR(PART(&c, 1, compute), 32, 1e-9);
    CHECK(strstr(c.steps.found, "4") != NULL);
    clear(&c);
}

TEST(an_annotation_that_covers_little_is_no_step)
{
    struct ec_buf b = EC_BUF_INIT;
    struct counted c;
    int i;

    for (i = 0; i < 3; i++) {
        event(&b, "user_annotation", "Optimizer.step", 1, 100 * i, 100 * i + 9, 0);
        event(&b, "user_annotation",
              i == 0   ? "batch 0"
              : i == 1 ? "batch 1"
                       : "batch 2",
              1, 100 * i + 10, 100 * i + 95, 0);
        event(&b, "kernel", "k", 7, 100 * i + 20, 100 * i + 90, 0);
    }
    count(&b, &c);
    CHECK_INT(c.steps.n, 3);
    CHECK(strstr(c.steps.found, "batch 0") != NULL);
    clear(&c);
}
