/* Synthetic sets: repeatable, and with in them what they say: something that is learnt, and not by
 * a linear model. */
#include "test.h"

#include "dataset/dataset.h"
#include "dataset/one_sample.h"

static struct ec_samples *open_seeded(const char *spec, int64_t seed)
{
    struct ec_samples_opts opts = { .val_frac = 0.1, .seed = seed };
    struct ec_err err = { 0 };
    struct ec_samples *s = NULL;

    CHECK_OK(ec_samples_open(spec, &opts, &s, &err));
    return s;
}

static void get(const struct ec_samples *s, int64_t i, float *x, int64_t *label)
{
    struct ec_err err = { 0 };

    CHECK_OK(one_sample(s, EC_PART_TRAIN, i, 0, &(struct ec_sample_data){ .x = x, .label = label },
                        &err));
}

TEST(a_seed_gives_the_same_samples)
{
    struct ec_samples *a = open_seeded("synthetic", 1), *b = open_seeded("synthetic", 1),
                      *c = open_seeded("synthetic", 2);
    static float x[3][3072];
    int64_t label[3];

    get(a, 12345, x[0], &label[0]);
    get(b, 12345, x[1], &label[1]);
    get(c, 12345, x[2], &label[2]);
    CHECK(memcmp(x[0], x[1], sizeof x[0]) == 0);
    CHECK(memcmp(x[0], x[2], sizeof x[0]) != 0);
    CHECK_INT(label[0], label[1]);
    ec_samples_close(a);
    ec_samples_close(b);
    ec_samples_close(c);
}

#define EDGE 16
#define PIXELS (3 * EDGE * EDGE)
#define CLASSES 4
#define IMAGES "synthetic:classes=4,shape=3x16x16"

/* Largest response of the class's pattern over all places, whatever its sign. */
static double response(const struct ec__patterns *p, int64_t k, const float *x)
{
    const float *v = p->v + k * p->channels * p->size * p->size;
    double best = 0, sum;
    int64_t y0, x0, c, i, j;

    for (y0 = 0; y0 + p->size <= EDGE; y0++)
        for (x0 = 0; x0 + p->size <= EDGE; x0++) {
            sum = 0;
            for (c = 0; c < p->channels; c++)
                for (i = 0; i < p->size * p->size; i++) {
                    j = (c * EDGE + y0 + i / p->size) * EDGE + x0 + i % p->size;
                    sum += (double)v[c * p->size * p->size + i] * (double)x[j];
                }
            best = fabs(sum) > best ? fabs(sum) : best;
        }
    return best;
}

TEST(patterns_tell_the_class)
{
    struct ec_samples *s = open_seeded(IMAGES, 5);
    static float x[PIXELS];
    int64_t label, i, k, best, right = 0;

    for (i = 0; i < 200; i++) {
        get(s, i, x, &label);
        for (k = 1, best = 0; k < CLASSES; k++)
            if (response(s->state, k, x) > response(s->state, best, x))
                best = k;
        right += best == label;
    }
    CHECK(right > 190);
    ec_samples_close(s);
}

TEST(class_means_tell_nothing)
{
    struct ec_samples *s = open_seeded(IMAGES, 5);
    static double mean[CLASSES][PIXELS];
    static float x[PIXELS];
    int64_t label, i, j, k, best, right = 0;
    double dot[CLASSES];

    for (i = 0; i < 4000; i++) {
        get(s, i, x, &label);
        for (j = 0; j < PIXELS; j++)
            mean[label][j] += (double)x[j];
    }
    for (; i < 5000; i++) {
        get(s, i, x, &label);
        for (k = 0, best = 0; k < CLASSES; k++) {
            for (j = 0, dot[k] = 0; j < PIXELS; j++)
                dot[k] += mean[k][j] * (double)x[j];
            best = dot[k] > dot[best] ? k : best;
        }
        right += best == label;
    }
    CHECK(right > 180 && right < 320); /* of 1000, by chance 250 */
    ec_samples_close(s);
}

TEST(tables_have_every_class)
{
    struct ec_samples *s = open_seeded("synthetic:shape=8,classes=4", 0);
    int64_t label, i, n[4] = { 0 };
    float x[8];

    for (i = 0; i < 2000; i++) {
        get(s, i, x, &label);
        CHECK(label >= 0 && label < 4);
        n[label & 3]++;
    }
    CHECK(n[0] > 100 && n[1] > 100 && n[2] > 100 && n[3] > 100);
    CHECK_INT(ec_samples_info(s)->label, EC_LABEL_CLASS);
    ec_samples_close(s);
}

TEST(two_classes_are_a_binary_label)
{
    struct ec_samples *s = open_seeded("synthetic:shape=8,classes=1", 0);
    struct ec_err err = { 0 };
    int64_t label, i, ones = 0;
    float target;

    CHECK_INT(ec_samples_info(s)->label, EC_LABEL_BINARY);
    CHECK_INT(ec_samples_info(s)->classes, 2);
    for (i = 0; i < 100; i++) {
        CHECK_OK(one_sample(s, EC_PART_VAL, i, -1,
                            &(struct ec_sample_data){ .label = &label, .target = &target }, &err));
        CHECK(target == (float)label);
        ones += label;
    }
    CHECK(ones > 10 && ones < 90);
    ec_samples_close(s);
}

/* Targets have deviation 1, so the floor says what share of it can be explained. */
TEST(regression_targets_are_scaled)
{
    struct ec_samples *s = open_seeded("synthetic:task=regress,shape=6,targets=3,noise=1", 0);
    double sum = 0, squares = 0;
    struct ec_err err = { 0 };
    float y[3];
    int64_t i;

    CHECK_INT(ec_samples_info(s)->label, EC_LABEL_VECTOR);
    CHECK_INT(ec_samples_info(s)->label_elems, 3);
    CHECK_NEAR(ec_samples_info(s)->floor_loss, 0.01, 1e-12);
    for (i = 0; i < 3000; i++) {
        CHECK_OK(one_sample(s, EC_PART_TRAIN, i, 0, &(struct ec_sample_data){ .target = y }, &err));
        sum += (double)(y[0] + y[1] + y[2]);
        squares += (double)(y[0] * y[0] + y[1] * y[1] + y[2] * y[2]);
    }
    squares = squares / 9000 - sum / 9000 * (sum / 9000);
    CHECK(squares > 0.3 && squares < 2);
    ec_samples_close(s);
}

#define LENGTH 64
#define VOCAB 16

/* The chain's own table, counted: its entropy is the floor that is stated. */
TEST(tokens_follow_the_chain)
{
    struct ec_samples *s = open_seeded("synthetic:task=tokens,shape=64,vocab=16", 9);
    static double n[VOCAB][VOCAB], from[VOCAB];
    int64_t tokens[LENGTH], label[LENGTH], i, j;
    double entropy = 0, total = 0;
    struct ec_err err = { 0 };

    CHECK_INT(ec_samples_info(s)->label_elems, LENGTH);
    for (i = 0; i < 4000; i++) {
        CHECK_OK(one_sample(s, EC_PART_TRAIN, i, 0,
                            &(struct ec_sample_data){ .tokens = tokens, .label = label }, &err));
        for (j = 0; j < LENGTH; j++) {
            CHECK(label[j] >= 0 && label[j] < VOCAB);
            CHECK(j == LENGTH - 1 || label[j] == tokens[j + 1]);
            n[tokens[j] & 15][label[j] & 15]++;
            from[tokens[j] & 15]++;
            total++;
        }
    }
    for (i = 0; i < VOCAB; i++)
        for (j = 0; j < VOCAB; j++)
            if (n[i][j] > 0)
                entropy -= n[i][j] / total * log(n[i][j] / from[i]);
    CHECK_NEAR(ec_samples_info(s)->floor_loss, entropy, 0.01);
    ec_samples_close(s);
}

TEST(the_network_says_shape_and_classes)
{
    struct ec_samples_opts net = {
        .shape = {3, { 1, 28, 28 }},
          .classes = 7
    };
    struct ec_samples_opts text = {
        .shape = {1, { 12 }},
          .classes = 99, .input = EC_INPUT_TOKENS
    };
    const struct ec_samples_info *info;
    struct ec_samples *s = NULL, *t = NULL;
    struct ec_err err = { 0 };

    CHECK_OK(ec_samples_open("synthetic:train=5,test=0", &net, &s, &err));
    info = ec_samples_info(s);
    CHECK_INT(info->rank, 3);
    CHECK_INT(info->input_elems, 784);
    CHECK_INT(info->classes, 7);
    CHECK_INT(info->count[EC_PART_TEST], 0);
    CHECK_OK(ec_samples_open("synthetic", &text, &t, &err));
    info = ec_samples_info(t);
    CHECK_INT(info->input, EC_INPUT_TOKENS);
    CHECK_INT(info->label_elems, 12);
    CHECK_INT(info->classes, 99);
    ec_samples_close(s);
    ec_samples_close(t);
}
