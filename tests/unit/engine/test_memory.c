/* The ledger of a program against what the process really takes: the growth of its peak while
 * programs are made and run. */
#include "engine/engine.h"
#include "sanitized.h"
#include "test.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* It makes every access slow and holds memory of its own: small batches run, nothing is weighed. */
static bool under_valgrind(void)
{
    return getenv("EC_TEST_VALGRIND") != NULL;
}

/* A line of /proc/self/status, in bytes; -1: not there. */
static double status_bytes(const char *key)
{
    FILE *f = fopen("/proc/self/status", "re");
    char line[256];
    double ret = -1;

    while (f && fgets(line, sizeof line, f))
        if (!strncmp(line, key, strlen(key)))
            ret = strtod(line + strlen(key), NULL) * 1024;
    if (f)
        (void)fclose(f);
    return ret;
}

/* The peak begins anew at what is held now. */
static bool reset_peak(void)
{
    FILE *f = fopen("/proc/self/clear_refs", "we");
    bool fine = f && fputs("5", f) >= 0;

    return f && !fclose(f) && fine;
}

static void measure(const char *backend, const char *network, int64_t batch, int64_t image)
{
    const struct ec_engine_opts eo = { .backend = backend, .threads = 1 };
    const struct ec_graph_opts go = { .struct_size = sizeof go, .batch = batch, .image_px = image };
    const struct ec_program_opts o = {
        .cond = {.mode = EC_MODE_TRAINING_STEP, .optimizer = EC_OPT_adam},
          .with_loss = true
    };
    const struct ec_update u = ec_update_default(EC_OPT_adam);
    struct ec_program_memory m;
    struct ec_program *p = NULL;
    struct ec_graph *g = NULL;
    struct ec_ctx *ctx = NULL;
    struct ec_err err = { 0 };
    double before, peak;

    if (ec_engine_open(&eo, &ctx, &err)) {
        (void)printf("skipped %s: %s\n", backend, err.text);
        return;
    }
    CHECK_OK(ec_graph_open(network, &go, &g, &err));
    before = status_bytes("VmRSS:");
    if (before < 0 || !reset_peak()) {
        (void)printf("skipped: /proc tells no memory\n");
        goto out;
    }
    CHECK_OK(ec_program_new(ctx, g, &o, &p, &err));
    CHECK_OK(ec_program_fill(p, 1, &err));
    CHECK_OK(ec_program_step(p, &u, NULL, &err));
    CHECK_OK(ec_program_step(p, &u, NULL, &err));
    peak = status_bytes("VmHWM:");
    ec_program_memory(p, &m);
    (void)printf("%s %s batch %lld: program %.1f MiB, code of kernels %.1f MiB, grown by %.1f MiB, "
                 "ratio %.4f\n",
                 backend, network, (long long)batch, (double)m.total / 1048576,
                 (double)m.library / 1048576, (peak - before) / 1048576,
                 (peak - before) / (double)(m.total + m.library));
    if (!under_valgrind())
        CHECK_NEAR(peak - before, (double)(m.total + m.library), 0.03);
out:
    ec_program_free(p);
    ec_graph_free(g);
    ec_engine_close(ctx);
}

/* A process for each: what one leaves behind is no part of the next. */
static void check_ledger(const char *backend, const char *network, int64_t batch, int64_t image)
{
    pid_t child = fork();
    int status = 0;

    CHECK(child >= 0);
    if (child == 0) {
        test_bad_checks = 0;
        measure(backend, network, batch, image);
        (void)fflush(stdout);
        _exit(test_bad_checks ? 1 : 0);
    }
    CHECK(waitpid(child, &status, 0) == child);
    CHECK_INT(status, 0);
}

TEST(ledger_is_what_the_process_takes)
{
    if (TEST_SANITIZED) { /* their shadow counts too */
        (void)printf("skipped: built with sanitizers\n");
        return;
    }
    if (under_valgrind()) {
        check_ledger("ref", "cifar_cnn:depth=2,base_filters=8", 2, 0);
        check_ledger("cpu", "resnet18", 2, 64);
        check_ledger("cpu", "cifar_cnn:depth=3,base_filters=32", 4, 0);
        return;
    }
    check_ledger("ref", "cifar_cnn:depth=2,base_filters=8", 1024, 0);
    check_ledger("cpu", "resnet18", 16, 160);
    check_ledger("cpu", "cifar_cnn:depth=3,base_filters=32", 256, 0);
}
