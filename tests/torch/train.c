/* Trains a network from given weights on a given batch, for comparing with PyTorch:
 *
 *     torch-train BACKEND PRECISION NETWORK BATCH[xSIDE] STEPS RATE FOLDER
 *
 * FOLDER holds x.bin (the input), y.bin (classes, int64) and p0.bin, p1.bin ... (trainable
 * parameters in the graph's order, float32). Written: g0.bin ... (gradients of the first step),
 * v0.bin ... (parameters after the last). The losses of all steps go to stdout. Without FOLDER:
 * prints the shapes of the parameters. */
#include "engine/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(enum ec_status st, const struct ec_err *err)
{
    if (!st)
        return;
    fprintf(stderr, "torch-train: %s\n", err->text);
    exit(1);
}

static int64_t elems(const struct ec_value *v)
{
    int64_t n = 0;

    return ec_shape_count(&v->type.shape, &n) ? n : 0;
}

static bool is_weight(const struct ec_value *v)
{
    return v->kind == EC_V_PARAM && v->trainable;
}

/* The parameters (what 'v') or their gradients ('g') go to files PREFIX0.bin, PREFIX1.bin ... */
static void save(struct ec_program *p, const struct ec_graph *g, const char *folder, char what,
                 char prefix)
{
    struct ec_err err = { 0 };
    int i, n = 0;

    for (i = 0; i < g->n_values; i++) {
        const struct ec_value *v = g->values[i];
        size_t bytes = (size_t)elems(v) * sizeof(float);
        char path[512];
        float *data;

        if (!is_weight(v))
            continue;
        data = ec_alloc(bytes);
        check(data ? EC_OK : ec_nomem(&err), &err);
        check(ec_program_read(p, v->name, what, data, elems(v), &err), &err);
        snprintf(path, sizeof path, "%s/%c%d.bin", folder, prefix, n++);
        check(ec_file_write(path, data, bytes, &err), &err);
        ec_free(data);
    }
}

static void open_file(const char *folder, const char *name, struct ec_file *ret)
{
    struct ec_err err = { 0 };
    char path[512];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    check(ec_file_open(path, 0, ret, &err), &err);
}

static void load(struct ec_program *p, const struct ec_graph *g, const char *folder)
{
    struct ec_file f = { 0 };
    struct ec_err err = { 0 };
    int i, n = 0;

    for (i = 0; i < g->n_values; i++) {
        char name[32];

        if (!is_weight(g->values[i]))
            continue;
        snprintf(name, sizeof name, "p%d.bin", n++);
        open_file(folder, name, &f);
        check(ec_program_write(p, g->values[i]->name, 'v', (const float *)(const void *)f.data,
                               (int64_t)(f.len / sizeof(float)), &err),
              &err);
        ec_file_close(&f);
    }
    open_file(folder, "x.bin", &f);
    check(ec_program_set_input(p, 0, f.data, (int64_t)f.len, &err), &err);
    ec_file_close(&f);
    open_file(folder, "y.bin", &f);
    check(ec_program_set_target(p, f.data, (int64_t)f.len, &err), &err);
    ec_file_close(&f);
}

static void shapes(const struct ec_graph *g)
{
    char text[200];
    int i;

    for (i = 0; i < g->n_values; i++)
        if (is_weight(g->values[i]))
            printf("%s %s\n", g->values[i]->name,
                   ec_shape_text(&g->values[i]->type.shape, text, sizeof text));
}

static void train(struct ec_ctx *ctx, const struct ec_graph *g, struct ec_program_opts opts,
                  int64_t steps, double rate, const char *folder)
{
    struct ec_update u = { .optimizer = EC_OPT_sgd, .lr = rate, .grad_scale = 1 };
    struct ec_step_result r = { 0 };
    struct ec_program *p = NULL;
    struct ec_err err = { 0 };
    int64_t i;

    opts.cond.mode = EC_MODE_FORWARD_BACKWARD;
    check(ec_program_new(ctx, g, &opts, &p, &err), &err);
    load(p, g, folder);
    check(ec_program_step(p, NULL, &r, &err), &err);
    save(p, g, folder, 'g', 'g');
    ec_program_free(p);
    opts.cond.mode = EC_MODE_TRAINING_STEP;
    check(ec_program_new(ctx, g, &opts, &p, &err), &err);
    load(p, g, folder);
    for (i = 0; i < steps; i++) {
        check(ec_program_step(p, &u, &r, &err), &err);
        printf("%.17g\n", r.loss);
    }
    save(p, g, folder, 'v', 'v');
    ec_program_free(p);
}

/* "8" or "8x64": batch, and side of images */
static bool sizes(const char *text, struct ec_graph_opts *net)
{
    struct ec_span rest = ec_span_of(text), batch = { 0 };

    return ec_span_cut(&rest, 'x', &batch) && ec_parse_int(batch, &net->batch) &&
           (!rest.len || ec_parse_int(rest, &net->image_px));
}

int main(int argc, char **argv)
{
    struct ec_graph_opts net = { .struct_size = sizeof net };
    struct ec_engine_opts opts = { .seed = 1, .threads = 1 };
    struct ec_program_opts how = { .cond.optimizer = EC_OPT_sgd,
                                   .with_loss = true,
                                   .loss = EC_LOSS_cross_entropy };
    struct ec_ctx *ctx = NULL;
    struct ec_graph *g = NULL;
    struct ec_err err = { 0 };
    int64_t steps = 0;
    double rate = 0;

    if (argc < 7 || !sizes(argv[4], &net) || !ec_parse_int(ec_span_of(argv[5]), &steps) ||
        !ec_parse_double(ec_span_of(argv[6]), &rate)) {
        fprintf(stderr, "usage: torch-train BACKEND PRECISION NETWORK BATCH STEPS RATE [FOLDER]\n");
        return 2;
    }
    opts.backend = argv[1];
    how.cond.precision = strcmp(argv[2], "bf16") ? EC_FP32 : EC_BF16;
    check(ec_graph_open(argv[3], &net, &g, &err), &err);
    if (argc < 8) {
        shapes(g);
    } else {
        check(ec_engine_open(&opts, &ctx, &err), &err);
        train(ctx, g, how, steps, rate, argv[7]);
        ec_engine_close(ctx);
    }
    ec_graph_free(g);
    return 0;
}
