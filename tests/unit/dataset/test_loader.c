/* The loader: every sample once an epoch, the same batches whoever makes them. */
#include "test.h"

#include "dataset/dataset.h"
#include "dataset/one_sample.h"

#define SPEC "synthetic:task=random,shape=4,train=103,test=10,classes=1000"

static struct ec_samples *samples(void)
{
    static const struct ec_samples_opts opts = { .val_frac = 0 };
    struct ec_err err = { 0 };
    struct ec_samples *s = NULL;

    CHECK_OK(ec_samples_open(SPEC, &opts, &s, &err));
    return s;
}

static struct ec_loader *loader(const struct ec_samples *s, struct ec_loader_opts o)
{
    struct ec_err err = { 0 };
    struct ec_loader *l = NULL;

    CHECK_OK(ec_loader_new(s, &o, &l, &err));
    return l;
}

static const struct ec_batch *next(struct ec_loader *l)
{
    const struct ec_batch *b = NULL;
    struct ec_err err = { 0 };

    CHECK_OK(ec_loader_next(l, &b, &err));
    return b;
}

/* Digest of all batches that are left. */
static uint64_t digest(struct ec_loader *l)
{
    const struct ec_batch *b;
    uint64_t h = 0;

    while ((b = next(l))) {
        int64_t step[3] = { b->epoch, b->step, b->n };

        h = h * 31 + ec_hash(step, sizeof step);
        h = h * 31 + ec_hash(b->data.x, 4 * (size_t)b->n * sizeof *b->data.x);
        h = h * 31 + ec_hash(b->data.label, (size_t)b->n * sizeof *b->data.label);
    }
    return h;
}

TEST(workers_change_nothing)
{
    static const int64_t workers[] = { 0, 1, 2, 5 };
    struct ec_samples *s = samples();
    struct ec_loader *l;
    uint64_t h[8];
    int i;

    for (i = 0; i < 8; i++) {
        l = loader(s, (struct ec_loader_opts){ .batch = 8,
                                               .epochs = 3,
                                               .shuffle = true,
                                               .workers = workers[i / 2],
                                               .prefetch = i % 2 ? 40 : 1 });
        h[i] = digest(l);
        CHECK(h[i] == h[0]);
        ec_loader_free(l);
    }
    ec_samples_close(s);
}

static void count_samples(struct ec_loader *l, const struct ec_samples *s, int64_t seen[103])
{
    const struct ec_batch *b;
    struct ec_err err = { 0 };
    int64_t i, j;
    float x[4];

    while ((b = next(l)))
        for (i = 0; i < 103; i++) {
            CHECK_OK(one_sample(s, EC_PART_TRAIN, i, -1, &(struct ec_sample_data){ .x = x }, &err));
            for (j = 0; j < b->n; j++)
                seen[i] += memcmp(x, b->data.x + 4 * j, sizeof x) == 0;
        }
}

TEST(an_epoch_holds_each_sample_once_over_all_ranks)
{
    int64_t world, rank, i, seen[103], steps = 0;
    struct ec_samples *s = samples();
    struct ec_loader *l;

    for (world = 1; world <= 4; world++) {
        memset(seen, 0, sizeof seen);
        for (rank = 0; rank < world; rank++) {
            l = loader(s, (struct ec_loader_opts){ .batch = 10,
                                                   .epochs = 1,
                                                   .shuffle = true,
                                                   .seed = 4,
                                                   .rank = rank,
                                                   .world = world,
                                                   .workers = rank % 2 });
            CHECK(rank == 0 || steps == ec_loader_steps(l));
            steps = ec_loader_steps(l);
            CHECK_INT(steps, (103 + 10 * world - 1) / (10 * world));
            count_samples(l, s, seen);
            ec_loader_free(l);
        }
        for (i = 0; i < 103; i++)
            CHECK_INT(seen[i], 1);
    }
    ec_samples_close(s);
}

TEST(the_last_step_is_short_or_left_out)
{
    struct ec_samples *s = samples();
    struct ec_loader *l = loader(s, (struct ec_loader_opts){ .batch = 50, .epochs = 1 });
    const struct ec_batch *b;

    CHECK_INT(ec_loader_steps(l), 3);
    CHECK(!next(l)->last);
    CHECK_INT(next(l)->n, 50);
    b = next(l);
    CHECK_INT(b->n, 3);
    CHECK(b->last);
    CHECK(b->data.x[4 * 3] == 0 && b->data.x[4 * 49 + 3] == 0 && b->data.label[49] == 0);
    CHECK(!next(l));
    CHECK(!next(l));
    ec_loader_free(l);
    l = loader(s, (struct ec_loader_opts){ .batch = 50, .epochs = 1, .drop_last = true });
    CHECK_INT(ec_loader_steps(l), 2);
    ec_loader_free(l);
    ec_samples_close(s);
}

TEST(epochs_have_orders_of_their_own)
{
    struct ec_samples *s = samples();
    struct ec_loader *l = loader(s, (struct ec_loader_opts){ .batch = 103, .shuffle = true });
    float first[2][4 * 103];

    memcpy(first[0], next(l)->data.x, sizeof first[0]);
    memcpy(first[1], next(l)->data.x, sizeof first[1]);
    CHECK(memcmp(first[0], first[1], sizeof first[0]) != 0);
    ec_loader_free(l);
    ec_samples_close(s);
}

TEST(seek_goes_on_where_it_was)
{
    struct ec_loader_opts o = { .batch = 8, .epochs = 3, .shuffle = true, .workers = 2 };
    struct ec_samples *s = samples();
    struct ec_loader *whole = loader(s, o), *part = loader(s, o);
    struct ec_err err = { 0 };
    int i;

    for (i = 0; i < 18; i++)
        (void)next(whole);
    (void)next(part);
    CHECK_OK(ec_loader_seek(part, 1, 5, &err)); /* 13 steps an epoch */
    CHECK(digest(whole) == digest(part));
    CHECK_OK(ec_loader_seek(part, 0, 0, &err));
    CHECK_INT(next(part)->step, 0);
    CHECK_FAILS(ec_loader_seek(part, 3, 1, &err), EC_E_INPUT, "no step 1 in epoch 3");
    CHECK_OK(ec_loader_seek(part, 2, 13, &err));
    CHECK(!next(part));
    ec_loader_free(whole);
    ec_loader_free(part);
    ec_samples_close(s);
}

TEST(waits_are_counted)
{
    struct ec_samples *s = samples();
    struct ec_loader *l = loader(s, (struct ec_loader_opts){ .batch = 10, .workers = 1 });
    struct ec_loader_stats stats;
    int i;

    for (i = 0; i < 20; i++)
        (void)next(l);
    ec_loader_get_stats(l, &stats);
    CHECK_INT(stats.batches, 20);
    CHECK_INT(stats.samples, 10 * 10 + 3 + 9 * 10);
    CHECK(stats.wait_ns >= stats.first_wait_ns && stats.first_wait_ns > 0);
    CHECK(stats.elapsed_ns >= stats.wait_ns && stats.busy_ns > 0);
    CHECK(stats.samples_per_s > 0 && stats.load_samples_per_s > 0);
    ec_loader_reset_stats(l);
    ec_loader_get_stats(l, &stats);
    CHECK_INT(stats.batches, 0);
    ec_loader_free(l);
    ec_samples_close(s);
}

TEST(impossible_loaders_are_refused)
{
    struct ec_samples *s = samples();
    struct ec_loader *l = NULL;
    struct ec_err err = { 0 };

    CHECK_FAILS(ec_loader_new(s, &(struct ec_loader_opts){ .batch = 0 }, &l, &err), EC_E_INPUT,
                "batch of 0");
    CHECK_FAILS(
        ec_loader_new(s, &(struct ec_loader_opts){ .batch = 1, .split = EC_PART_VAL }, &l, &err),
        EC_E_INPUT, "no val samples");
    CHECK_FAILS(
        ec_loader_new(s, &(struct ec_loader_opts){ .batch = 1, .rank = 2, .world = 2 }, &l, &err),
        EC_E_INPUT, "rank 2 of 2");
    CHECK_FAILS(
        ec_loader_new(s, &(struct ec_loader_opts){ .batch = 52, .world = 2, .drop_last = true }, &l,
                      &err),
        EC_E_INPUT, "none is full");
    CHECK_FAILS(ec_loader_new(s, &(struct ec_loader_opts){ .batch = INT64_MAX / 2 }, &l, &err),
                EC_E_INPUT, "too large");
    ec_samples_close(s);
}

static struct ec_samples *g_samples;

static enum ec_status make_and_free(struct ec_err *err)
{
    struct ec_loader_opts o = { .batch = 4, .epochs = 1, .workers = 0 };
    const struct ec_batch *b;
    struct ec_loader *l = NULL;
    enum ec_status st = ec_loader_new(g_samples, &o, &l, err);

    if (!st)
        st = ec_loader_next(l, &b, err);
    ec_loader_free(l);
    return st;
}

TEST(memory_may_run_out)
{
    g_samples = samples();
    CHECK_TORTURE(make_and_free);
    ec_samples_close(g_samples);
}
