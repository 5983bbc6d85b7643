/* Predictions per second through the library: a mix of networks, devices and batches, and a mix of
 * operators. Prints "<what> <median> <smallest> <largest>" over the rounds, in ns of processor time
 * per prediction. */
#include "predict/predict.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define ROUNDS 15
#define ROUND_NS 100000000

static const char *const devices[] = { "a100-sxm4-40gb", "t4", "v100-sxm2-16gb", "rtx3090" };

static const char *const networks[] = {
    "alexnet",       "vgg16",           "resnet18",           "resnet50",
    "resnet152",     "densenet121",     "mobilenet_v2",       "googlenet",
    "squeezenet1_0", "efficientnet_b0", "inception_v3",       "convnext_tiny",
    "vit_b_16",      "swin_t",          "bert_base",          "gpt2",
    "lstm_lm",       "lenet5",          "shufflenet_v2_x1_0", "regnet_y_400mf",
};

static const char *const operators[] = {
    "conv2d n=32 c=64 h=56 w=56 k=64 r=3 pad=1",
    "conv2d n=16 c=256 h=14 w=14 k=1024 r=1 bias=0",
    "conv2d n=64 c=3 h=224 w=224 k=64 r=7 stride=2 pad=3",
    "linear m=4096 k=768 n=3072",
    "matmul b=96 m=512 k=64 n=512",
    "softmax x=96x512x512",
    "layer_norm x=8x512x768",
    "batch_norm x=32x256x14x14",
    "relu x=32x256x56x56",
    "add x=32x256x56x56 y=32x256x56x56",
    "max_pool2d n=32 c=64 h=112 w=112 r=3 stride=2 pad=1",
    "embedding x=8x512 num=30522 dim=768",
};

static void die(const char *what, const struct ec_err *err)
{
    (void)fprintf(stderr, "%s: %s\n", what, err->text);
    exit(1);
}

/* Builds makes networks without predicting anything. An operator is asked for one phase, as
 * operators are measured, or for the whole of a training step: forward and both gradients in one
 * answer. */
enum kind { NETWORKS, OPERATORS, WHOLE_OPERATORS, BUILDS };

static void build(const char *network)
{
    struct ec_graph *g = NULL;
    struct ec_err err;

    if (ec_graph_open(network, NULL, &g, &err))
        die(network, &err);
    ec_graph_free(g);
}

/* Prediction number i of a mix; every combination comes round. */
static void predict(struct ec_predictor *p, const char *const *what, int n_what, enum kind kind,
                    int i)
{
    static const int64_t batches[] = { 1, 32, 256 };
    const char *one = what[i % n_what], *device = devices[i / n_what % EC_LEN(devices)];
    struct ec_predict_opts o;
    struct ec_prediction r;
    struct ec_err err;

    if (kind == BUILDS) {
        build(one);
        return;
    }
    ec_predict_opts_default(&o);
    if (kind == NETWORKS)
        o.batch = batches[i / n_what / EC_LEN(devices) % EC_LEN(batches)];
    if (kind == OPERATORS)
        o.phase = 1;
    if (kind != NETWORKS ? ec_predict_op(p, one, device, &o, &r, &err)
                         : ec_predict_network(p, one, device, &o, &r, &err))
        die(one, &err);
}

/* Processor time: what others do on the machine does not count. */
static int64_t used_ns(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* As many whole mixes as fill a round; the first round loads the networks and is thrown away. */
static void measure(const char *name, const char *const *what, int n_what, enum kind kind)
{
    int per_mix = n_what * EC_LEN(devices) * 3, round, i;
    struct ec_predictor *p = NULL;
    struct ec_err err;
    double ns[ROUNDS];

    if (ec_predictor_new(&p, &err))
        die(name, &err);
    for (round = -1; round < ROUNDS; round++) {
        int64_t start = used_ns(), spent = 0;
        int n = 0;

        while (spent < ROUND_NS) {
            for (i = 0; i < per_mix; i++)
                predict(p, what, n_what, kind, i);
            n += per_mix;
            spent = used_ns() - start;
        }
        if (round >= 0)
            ns[round] = (double)spent / n;
    }
    qsort(ns, ROUNDS, sizeof *ns, by_value);
    (void)printf("%s %.1f %.1f %.1f\n", name, ns[ROUNDS / 2], ns[0], ns[ROUNDS - 1]);
    ec_predictor_free(p);
}

/* rate [networks|operators|whole_operators|builds] */
int main(int argc, char **argv)
{
    if (argc < 2 || ec_str_eq(argv[1], "networks"))
        measure("networks", networks, EC_LEN(networks), NETWORKS);
    if (argc < 2 || ec_str_eq(argv[1], "operators"))
        measure("operators", operators, EC_LEN(operators), OPERATORS);
    if (argc < 2 || ec_str_eq(argv[1], "whole_operators"))
        measure("whole_operators", operators, EC_LEN(operators), WHOLE_OPERATORS);
    if (argc < 2 || ec_str_eq(argv[1], "builds"))
        measure("builds", networks, EC_LEN(networks), BUILDS);
    return 0;
}
