/* Opening sets by specification, splits, limits; the same for every reader. */
#include "test.h"

#include "dataset/dataset.h"
#include "dataset/one_sample.h"

static struct ec_samples *open_with(const char *spec, const struct ec_samples_opts *opts)
{
    struct ec_err err = { 0 };
    struct ec_samples *s = NULL;

    CHECK_OK(ec_samples_open(spec, opts, &s, &err));
    return s;
}

static const char *why_not(const char *spec)
{
    static struct ec_err err;
    struct ec_samples *s = NULL;

    err = (struct ec_err){ 0 };
    CHECK(ec_samples_open(spec, NULL, &s, &err) != EC_OK);
    CHECK(!s);
    ec_samples_close(s);
    return err.text;
}

TEST(every_reader_describes_itself)
{
    const struct ec_samples_reader *const *r;

    for (r = ec_samples_readers(); *r; r++) {
        CHECK((*r)->name && (*r)->usage && (*r)->help);
        CHECK(ec_str_starts((*r)->usage, (*r)->name));
    }
}

TEST(wrong_specifications_are_told)
{
    CHECK_HAS(why_not("syntetic"), "did you mean \"synthetic\"?");
    CHECK_HAS(why_not(""), "no training data \"\"");
    CHECK_HAS(why_not("synthetic:clases=3"), "classes");
    CHECK_HAS(why_not("synthetic:classes=x"), "classes: found \"x\"");
    CHECK_HAS(why_not("synthetic:shape=1x2x3x4x5"), "5 dimensions");
    CHECK_HAS(why_not("synthetic:/some/where"), "found \"/some/where\"");
}

TEST(permutations_are_permutations)
{
    static const int64_t sizes[] = { 1, 2, 3, 5, 16, 17, 1000, 4097 };
    bool seen[4097];
    int64_t i, at, fixed = 0;
    int k;

    for (k = 0; k < EC_LEN(sizes); k++) {
        memset(seen, 0, sizeof seen);
        for (i = 0; i < sizes[k]; i++) {
            at = ec__permute(i, sizes[k], 7);
            CHECK(at >= 0 && at < sizes[k] && !seen[at]);
            seen[at] = true;
            fixed += k == EC_LEN(sizes) - 1 && at == i;
        }
    }
    CHECK(fixed < 10); /* one is expected of a random one */
}

/* The label and first value tell samples apart. */
static float first_value(const struct ec_samples *s, enum ec_part split, int64_t i)
{
    struct ec_err err = { 0 };
    float x[4];

    CHECK_OK(one_sample(s, split, i, -1, &(struct ec_sample_data){ .x = x }, &err));
    return x[0];
}

static int64_t count_same(const struct ec_samples *a, enum ec_part pa, const struct ec_samples *b,
                          enum ec_part pb)
{
    int64_t i, j, n = 0;

    for (i = 0; i < ec_samples_info(a)->count[pa]; i++)
        for (j = 0; j < ec_samples_info(b)->count[pb]; j++)
            n += first_value(a, pa, i) == first_value(b, pb, j);
    return n;
}

#define SMALL "synthetic:task=random,shape=4,train=100,test=20"

TEST(validation_is_taken_from_training)
{
    struct ec_samples_opts half = { .val_frac = 0.5, .seed = 3 };
    struct ec_samples *s = open_with(SMALL, NULL), *h = open_with(SMALL, &half);
    struct ec_samples *none = open_with(SMALL, &(struct ec_samples_opts){ .seed = 0 });

    CHECK_INT(ec_samples_info(s)->count[EC_PART_TRAIN], 90);
    CHECK_INT(ec_samples_info(s)->count[EC_PART_VAL], 10);
    CHECK_INT(ec_samples_info(s)->count[EC_PART_TEST], 20);
    CHECK_INT(ec_samples_info(h)->count[EC_PART_VAL], 50);
    CHECK_INT(ec_samples_info(none)->count[EC_PART_VAL], 0);
    CHECK_INT(count_same(s, EC_PART_TRAIN, s, EC_PART_VAL), 0);
    CHECK_INT(count_same(none, EC_PART_TRAIN, s, EC_PART_VAL), 10);
    CHECK_INT(count_same(none, EC_PART_TRAIN, s, EC_PART_TRAIN), 90);
    CHECK_INT(count_same(none, EC_PART_TEST, s, EC_PART_TEST), 20);
    ec_samples_close(s);
    ec_samples_close(h);
    ec_samples_close(none);
}

TEST(a_limit_shrinks_all_splits)
{
    struct ec_samples_opts few = { .val_frac = 0.1, .limit = 9 };
    struct ec_samples *s = open_with(SMALL, &few), *all = open_with(SMALL, NULL);

    CHECK_INT(ec_samples_info(s)->count[EC_PART_TRAIN], 9);
    CHECK_INT(ec_samples_info(s)->count[EC_PART_VAL], 1);
    CHECK_INT(ec_samples_info(s)->count[EC_PART_TEST], 2);
    CHECK_INT(count_same(s, EC_PART_TRAIN, all, EC_PART_TRAIN), 9);
    CHECK_INT(count_same(s, EC_PART_VAL, all, EC_PART_VAL), 1);
    CHECK_INT(count_same(s, EC_PART_TEST, all, EC_PART_TEST), 2);
    ec_samples_close(s);
    ec_samples_close(all);
}

TEST(samples_outside_are_refused)
{
    struct ec_samples *s = open_with(SMALL, NULL);
    struct ec_sample_data nothing = { 0 };
    struct ec_err err = { 0 };

    CHECK_OK(one_sample(s, EC_PART_TRAIN, 89, 0, &nothing, &err));
    CHECK_FAILS(one_sample(s, EC_PART_TRAIN, 90, 0, &nothing, &err), EC_E_INPUT,
                "no sample 90 of train, which has 90");
    CHECK_FAILS(one_sample(s, EC_PART_VAL, -1, 0, &nothing, &err), EC_E_INPUT, "no sample -1");
    ec_samples_close(s);
}

TEST(bad_options_are_refused)
{
    struct ec_samples_opts wide = { .shape = { 2, { 3, 0 } } }, minus = { .limit = -1 };
    struct ec_samples *s = NULL;
    struct ec_err err = { 0 };

    CHECK_FAILS(ec_samples_open("synthetic", &wide, &s, &err), EC_E_INPUT, "dimension 1 is 0");
    CHECK_FAILS(ec_samples_open("synthetic", &minus, &s, &err), EC_E_INPUT, "limit");
}

static enum ec_status open_and_close(struct ec_err *err)
{
    struct ec_samples *s = NULL;
    enum ec_status st = ec_samples_open("synthetic:classes=3,shape=3x8x8", NULL, &s, err);

    ec_samples_close(s);
    return st;
}

TEST(memory_may_run_out)
{
    CHECK_TORTURE(open_and_close);
}
