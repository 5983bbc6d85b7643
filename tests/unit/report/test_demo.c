/* Numbers of the demonstration out of the files that it wrote: medians of turns, and how much
 * longer layers took in the mean. */
#define DIR "test-demo"
#include "results_dir.h"

#include "report/demo_internal.h"

static struct ec_measurer measurer;
static const struct ec_demo_opts opts = { .dir = DIR, .budget_s = 10 };

static struct ec__demo demo_of(struct ec_demo_result *result)
{
    *result = (struct ec_demo_result){ .n_configs = 0 };
    return (struct ec__demo){ .m = &measurer, .o = &opts, .ret = result };
}

TEST(paths_lie_in_the_folder)
{
    struct ec_demo_result result;
    struct ec__demo d = demo_of(&result);
    const char *path = NULL;
    struct ec_err err;

    CHECK_OK(ec__demo_path(&d, "a/b.csv", &path, &err));
    CHECK_STR(path, DIR "/a/b.csv");
    ec_arena_clear(&d.a);
}

static bool yes(void)
{
    return true;
}

/* Once stopped, it stays so. */
TEST(stopping_is_kept)
{
    struct ec_demo_result result;
    struct ec_measurer m = { 0 };
    struct ec__demo d = demo_of(&result);

    d.m = &m;
    CHECK(!ec__demo_stopped(&d));
    m.stop = yes;
    CHECK(ec__demo_stopped(&d) && result.stopped);
    m.stop = NULL;
    CHECK(ec__demo_stopped(&d));
}

static void hear(void *user, const char *sentence)
{
    (void)snprintf(user, 600, "%s", sentence);
}

TEST(sentences_reach_who_listens)
{
    struct ec_demo_opts o = opts;
    struct ec_demo_result result;
    struct ec__demo d = demo_of(&result);
    char said[600] = "", longer[1000];

    ec__demo_tell(&d, "nobody listens to %d", 1);
    o.tell = hear;
    o.user = said;
    d.o = &o;
    ec__demo_tell(&d, "%d of %s", 3, "these");
    CHECK_STR(said, "3 of these");
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    ec__demo_tell(&d, "%s", longer);
    CHECK_INT(strlen(said), 511);
}

/* --- Turns of the configuration --- */

TEST(an_epoch_is_the_median_of_its_turns)
{
    /* clang-format off */
    static const struct {
        const char *rows;
        double want;
    } cases[] = {
        { "3\n1\n2\n", 2 },
        { "3\n1\n", 2 },
        { "5\n", 5 },
        { "", 0 },
        { "1\n2\n3\n100\n100\n", 2 }, /* no more turns than there are */
    };
    /* clang-format on */
    int i;

    for (i = 0; i < EC_LEN(cases); i++) {
        struct ec_demo_result result;
        struct ec__demo d = demo_of(&result);
        struct ec_buf text = EC_BUF_INIT;
        double got = -1;
        struct ec_err err;

        begin();
        ec_buf_printf(&text, "time_per_epoch\n%s", cases[i].rows);
        put("config.csv", ec_buf_text(&text));
        d.unseen_table = DIR "/config.csv";
        CHECK_OK(ec__demo_unseen_epoch(&d, &got, &err));
        CHECK_NEAR(got, cases[i].want, 1e-12);
        d.unseen_table = DIR "/none.csv";
        CHECK_FAILS(ec__demo_unseen_epoch(&d, &got, &err), EC_E_NOT_FOUND, "none.csv");
        ec_arena_clear(&d.a);
        ec_buf_clear(&text);
        end();
    }
}

/* --- Steps of the network --- */

/* The middle of the medians of the turns; turns without a step or a sample are passed over. */
TEST(a_step_is_the_median_of_its_turns)
{
    /* clang-format off */
    static const struct {
        const char *turns[EC__DEMO_TURNS];
        double want;
    } cases[] = {
        { { "forward,9\nstep,1 2 3\n", "step,4 4\n", "step,8\n" }, 4e-9 },
        { { "step,1 2 3\n", "step,\n", "step,8\n" }, 5e-9 },
        { { "forward,9\n", "step,6\n", NULL }, 6e-9 },
        { { "forward,9\n", "", NULL }, 0 },
        { { NULL, NULL, NULL }, 0 },
    };
    /* clang-format on */
    int i, k;

    for (i = 0; i < EC_LEN(cases); i++) {
        struct ec_demo_result result;
        struct ec__demo d = demo_of(&result);
        char path[EC__DEMO_TURNS][64];
        double got = -1;
        struct ec_err err;

        begin();
        for (k = 0; k < EC__DEMO_TURNS; k++) {
            struct ec_buf text = EC_BUF_INIT;

            if (!cases[i].turns[k])
                continue;
            (void)snprintf(path[k], sizeof path[k], "turn-%d.csv", k);
            ec_buf_printf(&text, "phase,samples_ns\n%s", cases[i].turns[k]);
            put(path[k], ec_buf_text(&text));
            (void)snprintf(path[k], sizeof path[k], DIR "/turn-%d.csv", k);
            d.unseen_network[k] = path[k];
            ec_buf_clear(&text);
        }
        CHECK_OK(ec__demo_unseen_step(&d, &got, &err));
        CHECK_NEAR(got, cases[i].want, 1e-12);
        ec_arena_clear(&d.a);
        end();
    }
}

/* --- What others took --- */

#define STEP_S 1e-6 /* layers up to 100 ns are short beside it */

/* Drawn layers: the sums of means over the sums of medians, of those that are short. */
TEST(layers_take_longer_in_the_mean)
{
    int seed, i, k;

    for (seed = 1; seed < 20; seed++) {
        struct ec_demo_result result;
        struct ec__demo d = demo_of(&result);
        struct ec_buf text = EC_BUF_INIT;
        double medians = 0, means = 0, got = 0, want;
        struct ec_rng rng;
        struct ec_err err;

        ec_rng_seed(&rng, (uint64_t)seed);
        ec_buf_str(&text, "what,samples_ns\n");
        for (i = 0; i < 12; i++) {
            double v[5], sum = 0;
            int n = 1 + (int)(ec_rng_next(&rng) % 5);

            ec_buf_printf(&text, "l%d,", i);
            for (k = 0; k < n; k++) {
                v[k] = (double)(1 + ec_rng_next(&rng) % 160);
                sum += v[k];
                ec_buf_printf(&text, "%s%.0f", k ? " " : "", v[k]);
            }
            ec_buf_char(&text, '\n');
            if (quantile_of(v, n, 0.5) > 100)
                continue;
            medians += quantile_of(v, n, 0.5);
            means += sum / n;
        }
        begin();
        put("layers.csv", ec_buf_text(&text));
        CHECK_OK(ec__demo_taken(&d, STEP_S, &got, &err));
        want = medians > 0 ? fmax(1, means / medians) : 1;
        CHECK_NEAR(got, want, 1e-12);
        CHECK_OK(ec__demo_taken(&d, 1e-12, &got, &err)); /* none is short */
        CHECK_NEAR(got, 1, 1e-12);
        end();
        ec_arena_clear(&d.a);
        ec_buf_clear(&text);
    }
}

/* The clock of threads has its own column. */
TEST(samples_are_of_the_clock_that_was_used)
{
    struct ec_demo_result result;
    struct ec__demo d = demo_of(&result);
    struct ec_measurer m = { 0 };
    double got = 0;
    struct ec_err err;

    d.m = &m;
    begin();
    put("layers.csv", "what,samples_ns,device_samples_ns\na,10 10 40,10 10 10\n");
    CHECK_OK(ec__demo_taken(&d, STEP_S, &got, &err));
    CHECK_NEAR(got, 2, 1e-12);
    m.thread_clock = true;
    CHECK_OK(ec__demo_taken(&d, STEP_S, &got, &err));
    CHECK_NEAR(got, 1, 1e-12);
    end();
    ec_arena_clear(&d.a);
}
