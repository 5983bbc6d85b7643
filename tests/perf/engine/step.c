/* Trains a network step by step and says how long each took: the engine's side of the comparison
 * with PyTorch. A line with a number on stdin runs as many steps and prints their times in ns.
 *
 *     perf-engine-step BACKEND THREADS PRECISION NETWORK BATCH [SEQ_LEN]
 *     perf-engine-step ... --tasks     instead: times of the tasks of a step, slowest first
 *     perf-engine-step ... --peak      steps are the first task alone: a product's forward */
#include "engine/engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(enum ec_status st, const struct ec_err *err)
{
    if (!st)
        return;
    fprintf(stderr, "perf-engine-step: %s\n", err->text);
    exit(1);
}

static int64_t number(const char *text)
{
    int64_t n = 0;

    if (!ec_parse_int(ec_span_trim(ec_span_of(text)), &n)) {
        fprintf(stderr, "perf-engine-step: \"%s\" is not a number\n", text);
        exit(2);
    }
    return n;
}

static const struct ec_update update = { .optimizer = EC_OPT_sgd, .lr = 1e-3, .grad_scale = 1 };

/* Parameters; multiplications and additions of matrix work in a step, padding counted. */
static void print_flop(const struct ec_graph *g)
{
    struct ec_totals t = { 0 };
    struct ec_err err = { 0 };

    check(ec_cost_graph(g, EC_OPT_sgd, 4, &t, NULL, &err), &err);
    printf("%.0f %.0f\n", t.trainable_params,
           2 * (t.phase[EC_FORWARD].mac + t.phase[EC_GRAD_DATA].mac + t.phase[EC_GRAD_WEIGHT].mac));
    (void)fflush(stdout);
}

/* peak: only the first task, forward of a product, run again and again */
static void serve(struct ec_program *p, bool peak)
{
    struct ec_step_result r = { 0 };
    struct ec_err err = { 0 };
    char line[64];

    while (fgets(line, sizeof line, stdin)) {
        int64_t i, n = number(line);

        for (i = 0; i < n; i++) {
            int64_t before = ec_clock_ns();

            if (peak)
                check(ec_program_run_tasks(p, 0, 1, &update, &err), &err);
            else
                check(ec_program_step(p, &update, &r, &err), &err);
            printf("%lld ", (long long)(ec_clock_ns() - before));
        }
        printf("\n");
        (void)fflush(stdout);
    }
}

struct timed {
    int task;
    int64_t ns;
};

static int slower(const void *a, const void *b)
{
    const struct timed *x = a, *y = b;

    return x->ns < y->ns ? 1 : x->ns > y->ns ? -1 : 0;
}

static void print_tasks(struct ec_program *p)
{
    int n = ec_program_tasks(p), i, rep;
    int64_t *ns = ec_alloc(sizeof *ns * (size_t)n), total = 0;
    struct timed *best = ec_alloc(sizeof *best * (size_t)n);
    struct ec_err err = { 0 };

    for (rep = 0; rep < 6 && ns && best; rep++) {
        check(ec_program_step_timed(p, &update, ns, &err), &err);
        for (i = 0; i < n; i++) {
            best[i].task = i;
            if (!rep || ns[i] < best[i].ns)
                best[i].ns = ns[i];
        }
    }
    for (i = 0; i < n; i++)
        total += best[i].ns;
    qsort(best, (size_t)n, sizeof *best, slower);
    printf("%d tasks, %.3f ms\n", n, (double)total / 1e6);
    for (i = 0; i < n; i++) {
        struct ec_task_info t = ec_program_task(p, best[i].task);

        printf("%9.1f us %5.1f%%  %-11s %-32s %s\n", (double)best[i].ns / 1e3,
               100.0 * (double)best[i].ns / (double)total, ec_phase_name(t.phase), t.name,
               t.impl ? t.impl : "-");
    }
    ec_free(ns);
    ec_free(best);
}

int main(int argc, char **argv)
{
    struct ec_graph_opts net = { .struct_size = sizeof net };
    struct ec_engine_opts opts = { .seed = 1 };
    struct ec_program_opts how = {
        .cond = {.mode = EC_MODE_TRAINING_STEP, .optimizer = EC_OPT_sgd},
        .with_loss = true,
        .loss = EC_LOSS_cross_entropy
    };
    struct ec_ctx *ctx = NULL;
    struct ec_graph *g = NULL;
    struct ec_program *p = NULL;
    struct ec_err err = { 0 };
    bool tasks = argc > 1 && !strcmp(argv[argc - 1], "--tasks");
    bool peak = argc > 1 && !strcmp(argv[argc - 1], "--peak");

    argc -= tasks || peak;
    if (argc < 6) {
        fprintf(stderr, "usage: perf-engine-step BACKEND THREADS PRECISION NETWORK BATCH [SEQ]\n");
        return 2;
    }
    opts.backend = argv[1];
    opts.threads = number(argv[2]);
    how.cond.precision = strcmp(argv[3], "bf16") ? EC_FP32 : EC_BF16;
    net.batch = number(argv[5]);
    net.seq_len = argc > 6 ? number(argv[6]) : 0;
    check(ec_engine_open(&opts, &ctx, &err), &err);
    check(ec_graph_open(argv[4], &net, &g, &err), &err);
    if (!strncmp(argv[4], "patchcamelyon", 13))
        how.loss = EC_LOSS_bce;
    check(ec_program_new(ctx, g, &how, &p, &err), &err);
    check(ec_program_init(p, 1, &err), &err);
    check(ec_program_fill(p, 1, &err), &err);
    check(ec_program_step(p, &update, NULL, &err), &err);
    if (tasks) {
        print_tasks(p);
    } else {
        print_flop(g);
        serve(p, peak);
    }
    ec_program_free(p);
    ec_graph_free(g);
    ec_engine_close(ctx);
    return 0;
}
