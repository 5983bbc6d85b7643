/* Measures the peak rates of this machine, its roofs. */
#include "measure/measurer.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "hw/hw.h"
#include "measure/measurer_internal.h"

enum { LAUNCH_CALLS = 64 };

struct ceiling {
    struct ec_measurer *m;
    struct ec_record row;
    const struct ec_fma_set *set;
    char *to, *from;
    int64_t bytes;
    struct ec_graph *g;
    struct ec_program *program;
    int calls;
};

static volatile float sink;

static void all_threads_fma(const struct ec_fma_set *set, int threads)
{
    int i;

#pragma omp parallel for num_threads(threads) schedule(static)
    for (i = 0; i < threads; i++)
        sink = set->run();
}

static enum ec_status run_fma(void *user, int64_t *host_ns, struct ec_err *err)
{
    const struct ceiling *c = user;
    int64_t start_ns = ec_engine_now_ns(c->m->ctx);

    (void)err;
    all_threads_fma(c->set, ec_engine_threads(c->m->ctx));
    *host_ns = ec_engine_now_ns(c->m->ctx) - start_ns;
    return EC_OK;
}

/* --- Copies: each thread its own block, often enough for the clock --- */

static enum ec_status run_copy(void *user, int64_t *host_ns, struct ec_err *err)
{
    const struct ceiling *c = user;
    int threads = ec_engine_threads(c->m->ctx), t;
    int64_t each = c->bytes / threads, start_ns = ec_engine_now_ns(c->m->ctx);

    (void)err;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (t = 0; t < threads; t++) {
        int i;

        for (i = 0; i < c->calls; i++) {
            memcpy(c->to + t * each, c->from + t * each, (size_t)each);
            __asm__ volatile("" ::: "memory"); /* every copy is made */
        }
    }
    *host_ns = (ec_engine_now_ns(c->m->ctx) - start_ns) / c->calls;
    return EC_OK;
}

/* --- Through the engine: products, and an operator that has nothing to do --- */

static enum ec_status run_program(void *user, int64_t *host_ns, struct ec_err *err)
{
    const struct ceiling *c = user;
    struct ec_ctx *ctx = c->m->ctx;
    int64_t start_ns;
    int i;

    EC_PASS(ec_engine_sync(ctx, err));
    start_ns = ec_engine_now_ns(ctx);
    for (i = 0; i < c->calls; i++)
        EC_PASS(ec_program_run_tasks(c->program, 0, ec_program_tasks(c->program), NULL, err));
    EC_PASS(ec_engine_sync(ctx, err));
    *host_ns = (ec_engine_now_ns(ctx) - start_ns) / c->calls;
    return EC_OK;
}

static enum ec_status open_case(struct ceiling *c, const char *text, struct ec_err *err)
{
    static const struct ec_case_graph shape = { .copies = 1 };
    struct ec_owned_case one = { 0 };
    struct ec_program_opts opts = { 0 };
    enum ec_status st;

    opts.cond = c->m->cond;
    opts.cond.mode = EC_MODE_FORWARD;
    EC_TRY(ec_case_parse(text, &one, err));
    EC_TRY(ec_graph_of_case(&one.c, &shape, &c->g, err));
    EC_TRY(ec_program_new(c->m->ctx, c->g, &opts, &c->program, err));
    EC_TRY(ec_program_fill(c->program, 1, err));
out:
    ec_case_clear(&one);
    return st;
}

static enum ec_status open_copy(struct ceiling *c, struct ec_err *err)
{
    c->to = ec_alloc((size_t)c->bytes);
    c->from = ec_alloc((size_t)c->bytes);
    EC_PASS(ec_allocated(c->to && c->from, err));
    memset(c->from, 1, (size_t)c->bytes);
    return EC_OK;
}

/* --- One ceiling: a row --- */

static enum ec_status write_one(struct ceiling *c, const char *family, ec_measured_run run,
                                enum ec_status opened, struct ec_err *err)
{
    enum ec_status st = opened;
    struct ec_timing t = { 0 };

    c->row.family = family;
    EC_TRY(opened);
    EC_TRY(ec_protocol_run(&c->m->protocol, run, c, c->m->stop, &t, err));
    c->row.calls_per_sample = c->calls;
    EC_TRY(ec__row_write(c->m, &c->row, &t, err));
out:
    if (st)
        st = ec__row_failed(c->m, &c->row, st, err);
    ec_timing_clear(&t);
    ec_program_free(c->program);
    ec_graph_free(c->g);
    ec_free(c->to);
    ec_free(c->from);
    return st;
}

static bool is_one(const char *what, const char *family)
{
    size_t n = strlen(family);

    return !strncmp(what, family, n) && (what[n] == ' ' || !what[n]);
}

/* The number after "name=" in what; 0 when there is none. */
static int64_t number_of(const char *what, const char *name)
{
    struct ec_span rest = ec_span_of(what), word;
    size_t n = strlen(name);
    int64_t v;

    while (rest.p && ec_span_cut(&rest, ' ', &word))
        if (word.len > n + 1 && !memcmp(word.p, name, n) && word.p[n] == '=' &&
            ec_parse_int((struct ec_span){ word.p + n + 1, word.len - n - 1 }, &v))
            return v;
    return 0;
}

static enum ec_status measure_fma(struct ceiling *c, const char *what, struct ec_err *err)
{
    const char *name = strstr(what, "isa=");
    const struct ec_fma_set *sets;
    int n, i;

    sets = ec_fma_sets(&n);
    for (i = 0; name && i < n; i++)
        if (!strncmp(name + 4, sets[i].name, strcspn(name + 4, " ")) && sets[i].has())
            c->set = &sets[i];
    return write_one(c, "fma", run_fma,
                     c->set ? EC_OK
                            : ec_fail(err, EC_E_UNSUPPORTED,
                                      "%s: not an instruction set of this processor", what),
                     err);
}

static enum ec_status measure_copy(struct ceiling *c, const char *what, struct ec_err *err)
{
    int64_t whole = 1 << 26;

    c->bytes = number_of(what, "bytes");
    if (c->bytes < 64)
        return ec_fail(err, EC_E_INPUT, "%s: expected copy bytes=N", what);
    c->calls = c->bytes < whole ? (int)(whole / c->bytes) : 1;
    return write_one(c, "copy", run_copy, open_copy(c, err), err);
}

enum ec_status ec_measure_ceiling(struct ec_measurer *m, const char *what, struct ec_err *err)
{
    struct ceiling c = { .m = m, .row = m->base, .calls = 1 };
    bool known = false;
    char text[128];
    enum ec_status st;

    c.row.kind = EC_KIND_ceiling;
    c.row.what = what;
    ec_record_set_phase_in_file(&c.row, "forward");
    c.row.method = "ceiling";
    ec_record_set_word(&c.row, EC_WORD_OPTIMIZER, "none");
    st = ec__row_known(m, &c.row, &known, err);
    if (st || known)
        return st;
    if (is_one(what, "fma"))
        return measure_fma(&c, what, err);
    if (is_one(what, "copy"))
        return measure_copy(&c, what, err);
    if (is_one(what, "launch")) {
        c.calls = LAUNCH_CALLS;
        return write_one(&c, "launch", run_program, open_case(&c, "relu x=1", err), err);
    }
    if (!is_one(what, "gemm"))
        return ec_fail(err, EC_E_INPUT, "no ceiling \"%s\": there are fma, gemm, copy, launch",
                       what);
    (void)snprintf(text, sizeof text, "matmul b=1 m=%" PRId64 " k=%" PRId64 " n=%" PRId64,
                   number_of(what, "m"), number_of(what, "k"), number_of(what, "n"));
    return write_one(&c, "gemm", run_program, open_case(&c, text, err), err);
}

enum ec_status ec_ceilings(const struct ec_measurer *m, struct ec_arena *a, struct ec_strs *ret,
                           struct ec_err *err)
{
    static const struct ec_field row = { .name = "ceiling", .type = EC_F_STRS };
    int64_t side, bytes;
    const struct ec_fma_set *sets;
    char text[96];
    int n, i;

    sets = ec_fma_sets(&n);
    for (i = 0; i < n; i++) {
        (void)ec_snprintf(text, sizeof text, "fma isa=%s flop=%.0f", sets[i].name,
                          sets[i].flop * ec_engine_threads(m->ctx));
        if (sets[i].has())
            EC_PASS(ec_field_set(&row, ret, ec_span_of(text), a, err));
    }
    for (side = 256; side <= 2048; side *= 2) {
        (void)snprintf(text, sizeof text, "gemm m=%" PRId64 " n=%" PRId64 " k=%" PRId64, side, side,
                       side);
        EC_PASS(ec_field_set(&row, ret, ec_span_of(text), a, err));
    }
    for (bytes = 1 << 13; bytes <= 1 << 28; bytes *= 2) {
        (void)snprintf(text, sizeof text, "copy bytes=%" PRId64, bytes);
        EC_PASS(ec_field_set(&row, ret, ec_span_of(text), a, err));
    }
    return ec_field_set(&row, ret, ec_span_of("launch"), a, err);
}
