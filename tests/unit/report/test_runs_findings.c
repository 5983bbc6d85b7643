/* Sentences about runs: each number in them is computed again from the runs, another way. */
#include "a_run.h"
#include "numbers.h"

#define RUNS 60

struct said {
    struct ec_arena a;
    struct ec_strs says;
    const char *reference;
    bool common[RUNS]; /* what comparisons rest on, which tests of the table hold */
};

static void findings_of(struct ec_run *v, int n, struct said *ret)
{
    struct ec_runs r = { .v = v, .n = n };
    struct ec_runs_common c;
    struct ec_err err;
    int i;

    *ret = (struct said){ .reference = "" };
    CHECK_OK(ec_runs_common(&r, &c, &err));
    for (i = 0; i < n; i++)
        ret->common[i] = ec_str_eq(ec_run_mode(&v[i]), c.mode) &&
                         ec_str_eq(ec_run_precision(&v[i]), c.precision);
    CHECK_OK(ec_runs_relate(&r, NULL, &err));
    ret->reference = r.reference ? r.reference : "";
    CHECK_OK(ec_runs_findings(&r, &ret->a, &ret->says, &err));
    ec__runs_changed(&r); /* they are not its own */
}

/* The sentence that holds the words; "": none. One that stands twice is an error. */
static const char *sentence(const struct said *s, const char *words)
{
    const char *found = "";
    int i;

    for (i = 0; i < s->says.n; i++)
        if (strstr(s->says.v[i], words)) {
            if (*found)
                test_fail(__FILE__, __LINE__, "\"%s\" stands twice", words);
            found = s->says.v[i];
        }
    return found;
}

static void draw_runs(uint64_t seed, struct ec_run *v)
{
    struct ec_rng rng;
    int i;

    ec_rng_seed(&rng, seed);
    for (i = 0; i < RUNS; i++)
        v[i] = a_drawn_run(&rng);
}

/* Runs the check on many drawn sets of runs; the seed is said of the first that fails. */
static void each_draw(void (*check)(const struct ec_run *v, const struct said *s))
{
    uint64_t seed;
    int bad = test_bad_checks;

    for (seed = 1; seed <= 20 && test_bad_checks == bad; seed++) {
        struct ec_run v[RUNS];
        struct said s;
        int i;

        draw_runs(seed, v);
        findings_of(v, RUNS, &s);
        check(v, &s);
        for (i = 0; i < s.says.n; i++)
            if (strstr(s.says.v[i], "nan") || strstr(s.says.v[i], "inf"))
                test_fail(__FILE__, __LINE__, "%s", s.says.v[i]);
        if (test_bad_checks != bad)
            test_fail(__FILE__, __LINE__, "with seed %d", (int)seed);
        ec_arena_clear(&s.a);
    }
}

/* --- Each sentence --- */

static void others_are_counted(const struct ec_run *v, const struct said *s)
{
    const char *text = sentence(s, "are of another mode or precision");
    int i, n = 0;

    (void)v;
    for (i = 0; i < RUNS; i++)
        n += !s->common[i];
    CHECK_INT(*text != 0, n > 0);
    if (n)
        CHECK_INT(number_after(text, "; "), n);
    if (n)
        CHECK_HAS(text, " of 60 runs are of another mode or precision.");
}

TEST(runs_of_other_conditions_are_counted)
{
    each_draw(others_are_counted);
}

static double speed(const struct ec_run *r)
{
    return (double)r->record.batch / r->median_ns * 1e9;
}

static const struct ec_run *quickest(const struct ec_run *v, const struct said *s,
                                     const char *model, int *ret_n)
{
    const struct ec_run *best = NULL;
    int i;

    for (i = *ret_n = 0; i < RUNS; i++)
        if (s->common[i] && ec_str_eq(v[i].record.what, model)) {
            ++*ret_n;
            best = !best || speed(&v[i]) > speed(best) ? &v[i] : best;
        }
    return best;
}

static int models_of(const struct ec_run *v, const struct said *s, const char **ret)
{
    int i, k, n = 0;

    for (i = 0; i < RUNS; i++) {
        for (k = 0; k < n && !ec_str_eq(ret[k], v[i].record.what); k++)
            continue;
        if (k == n && s->common[i])
            ret[n++] = v[i].record.what;
    }
    return n;
}

static void the_fastest_is_named(const struct ec_run *v, const struct said *s)
{
    const char *models[RUNS], *further = sentence(s, "further networks are in the tables");
    int i, runs, n = models_of(v, s, models), said = 0;

    for (i = 0; i < n; i++) {
        const struct ec_run *best = quickest(v, s, models[i], &runs);
        char words[120];
        const char *text;

        if (runs == 1)
            (void)snprintf(words, sizeof words, "%s does ", models[i]);
        else
            (void)snprintf(words, sizeof words, "%s is fastest on %s at batch %lld: ", models[i],
                           best->env, (long long)best->record.batch);
        text = sentence(s, words);
        said += *text != 0;
        if (*text)
            CHECK_NEAR(number_after(text, words), speed(best), 6e-3);
        if (runs > 1 && *text && isfinite(best->speedup) && !ec_str_eq(best->env, s->reference))
            CHECK_NEAR(number_after(text, " samples/s, "), best->speedup, 6e-3);
    }
    CHECK_INT(said, n < 8 ? n : 8);
    CHECK_INT(*further ? (int)number_after(further, "") : 0, n - said);
}

TEST(the_fastest_run_of_each_network_is_named)
{
    each_draw(the_fastest_is_named);
}

static void efficiency_is_between(const struct ec_run *v, const struct said *s)
{
    const char *text = sentence(s, "Efficiency against the peak");
    const char *limits = sentence(s, " are limited by ");
    double lo = 1e9, hi = 0, worst = 0;
    char want[128];
    int i, memory = 0, compute = 0, n = 0;

    for (i = 0; i < RUNS; i++) {
        double share = v[i].flop / v[i].median_ns * 1e9 / v[i].peak_flop_per_s;

        if (!s->common[i] || !isfinite(share))
            continue;
        lo = fmin(lo, share);
        hi = share > 1.5 ? hi : fmax(hi, share);
        worst = fmax(worst, share);
        n++;
        if (!isfinite(v[i].bytes))
            continue;
        if (v[i].flop / v[i].bytes < 1e13 / 1e11)
            memory++;
        else
            compute++;
    }
    CHECK(fabs(number_after(text, "between ") - 100 * lo) < 0.0501);
    CHECK(fabs(number_after(text, ") and ") - 100 * hi) < 0.0501);
    text = sentence(s, "above 150 %");
    CHECK_INT(*text != 0, worst > 1.5);
    CHECK(worst <= 1.5 || fabs(number_after(text, "would reach ") - 100 * worst) < 0.0501);
    (void)snprintf(want, sizeof want, "%d of %d ", compute, n);
    if (!compute || !memory)
        return;
    CHECK(ec_str_starts(limits, want));
    (void)snprintf(want, sizeof want, " are limited by compute, %d by memory bandwidth.", memory);
    CHECK_HAS(limits, want);
    /* Of several modes and precisions, those of the comparison are named. */
    CHECK(*sentence(s, " of another mode or precision") ? strstr(limits, " at ") != NULL
                                                        : strstr(limits, " runs ") != NULL);
}

TEST(efficiency_lies_between_its_ends)
{
    each_draw(efficiency_is_between);
}

/* Runs with a smaller batch of the same environment and network. */
static int n_smaller(const struct ec_run *v, const struct said *s, int of)
{
    int i, n = 0;

    for (i = 0; i < RUNS; i++)
        if (s->common[i] && ec_str_eq(v[i].env, v[of].env) &&
            ec_str_eq(v[i].record.what, v[of].record.what) && v[i].measured == v[of].measured &&
            v[i].record.batch < v[of].record.batch)
            n++;
    return n;
}

static void scaling_is_the_worst(const struct ec_run *v, const struct said *s)
{
    const char *text = sentence(s, "A larger batch pays least");
    double worst = 1e9;
    int i;

    for (i = 0; i < RUNS; i++)
        if (s->common[i] && isfinite(v[i].scaling_frac) && n_smaller(v, s, i) > 1)
            worst = fmin(worst, v[i].scaling_frac);
    if (worst < 1e9)
        CHECK(fabs(number_after(text, "it reaches ") - 100 * worst) < 0.501);
    else
        CHECK_STR(text, "");
}

TEST(the_worst_scaling_is_that_of_a_larger_batch)
{
    each_draw(scaling_is_the_worst);
}

static void noise_is_the_most(const struct ec_run *v, const struct said *s)
{
    const char *text = sentence(s, "Iterations scatter");
    double most = -1;
    int i, n = 0;

    for (i = 0; i < RUNS; i++)
        if (s->common[i] && v[i].n > 2 && isfinite(v[i].std_ns)) {
            most = fmax(most, v[i].std_ns / v[i].mean_ns);
            n++;
        }
    CHECK_INT(*text != 0, n > 0);
    CHECK_INT(strstr(text, "scatter most") != NULL, n > 1);
    if (n)
        CHECK(fabs(number_after(text, "deviation of ") - 100 * most) < 0.0501);
}

TEST(the_noisiest_run_is_named)
{
    each_draw(noise_is_the_most);
}

static int errors_of(const struct ec_run *v, const char *env, double *ret)
{
    int i, n = 0;

    for (i = 0; i < RUNS; i++)
        if (v[i].measured && isfinite(v[i].predicted_ns) && (!env || ec_str_eq(v[i].env, env)))
            ret[n++] = fabs(v[i].predicted_ns - v[i].median_ns) / v[i].median_ns;
    return n;
}

static void errors_are_medians(const struct ec_run *v, const struct said *s)
{
    static const char *const envs[] = { "a", "b", "c" };
    const char *text = sentence(s, "with a median error of ");
    double errors[RUNS];
    int i, n = errors_of(v, NULL, errors);

    CHECK_INT(number_after(text, "epochcast predicts "), n);
    CHECK(fabs(number_after(text, "median error of ") - 100 * quantile_of(errors, n, 0.5)) <
          0.0501);
    for (i = 0; i < EC_LEN(envs); i++) {
        char words[2][8];

        (void)snprintf(words[0], sizeof words[0], ": %s ", envs[i]);
        (void)snprintf(words[1], sizeof words[1], "; %s ", envs[i]);
        n = errors_of(v, envs[i], errors);
        if (n)
            CHECK(fabs(number_after(text, words[!strstr(text, words[0])]) -
                       100 * quantile_of(errors, n, 0.5)) < 0.0501);
    }
}

TEST(errors_are_those_of_the_runs)
{
    each_draw(errors_are_medians);
}

/* --- Few runs --- */

TEST(no_runs_say_nothing)
{
    struct said s;

    findings_of(NULL, 0, &s);
    CHECK_INT(s.says.n, 0);
    CHECK_STR(s.reference, "");
    ec_arena_clear(&s.a);
}

/* What is not known is not said: neither "nan" nor the end of a sentence without its word. */
TEST(a_run_says_what_is_known_of_it)
{
    struct ec_run v = run_of("a", "net", 8, 1e9);
    struct said s;

    v.std_ns = UNKNOWN;
    v.memory_bytes_per_s = UNKNOWN;
    findings_of(&v, 1, &s);
    CHECK_INT(s.says.n, 2);
    CHECK_STR(s.says.v[0], "net does 8 samples/s on a at batch 8.");
    CHECK_STR(s.says.v[1], "net on a, batch 8, reaches 40.0 % of the peak.");
    ec_arena_clear(&s.a);
    v.std_ns = 1e7;
    v.memory_bytes_per_s = 1e11;
    v.predicted_ns = 1.1e9;
    findings_of(&v, 1, &s);
    CHECK_INT(s.says.n, 3); /* an error of one run is none of the predictor */
    CHECK_HAS(s.says.v[1], "of the peak and is limited by compute.");
    CHECK_STR(s.says.v[2], "Iterations scatter for net on a, batch 8: a standard deviation of 1.0 "
                           "% of the mean over 3 iterations.");
    ec_arena_clear(&s.a);
}

/* What no device can do, and what a table itself calls suspect, is fastest of nothing. */
TEST(flagged_runs_are_named_and_not_compared)
{
    struct ec_run v[] = { run_of("a", "net", 8, 1e9),   run_of("a8", "net", 8, 0.5e9),
                          run_of("b", "net", 16, 1e3),  run_of("c", "net", 32, 1e7),
                          run_of("d", "net", 64, 10e9), run_of("e", "net", 64, 0.2e9) };
    struct said s;

    v[1].record.device = "a"; /* 16 times of one, on eight */
    v[1].record.num_devices = 8;
    v[3].record.flags = "throughput_suspect";
    v[4].record.num_devices = 2;
    v[4].record.flags = "global_batch";
    findings_of(v, EC_LEN(v), &s);
    CHECK_HAS(sentence(&s, " is fastest on "), "net is fastest on e at batch 64: 320 samples/s");
    CHECK_STR(sentence(&s, "suspect"),
              "Flagged, and not compared: net on c, batch 32, which its own table calls suspect.");
    CHECK_STR(sentence(&s, "what fewer devices do"),
              "Flagged, and not compared: net on a8, batch 8, would do 2.0 times in each device "
              "what fewer devices do in each.");
    CHECK_HAS(sentence(&s, "net on b, batch 16"), "would reach 40000000 % of the peak.");
    CHECK_STR(
        sentence(&s, "above 150 %"),
        "net on e, batch 64, would reach 200.0 % of the peak: above 150 % a run was in another "
        "precision than its row says (tf32 for fp32), its operations are fewer than are "
        "counted, or its time is wrong.");
    ec_arena_clear(&s.a);
    findings_of(v + 4, 1, &s);
    CHECK_HAS(s.says.v[0], "net does 6.4 samples/s on d at batch 64 of all devices.");
    ec_arena_clear(&s.a);
}

TEST(networks_are_compared_at_one_batch)
{
    struct ec_run v[] = { run_of("a", "m0", 8, 1e9), run_of("a", "m1", 8, 0.5e9),
                          run_of("a", "m2", 8, 2e9), run_of("a", "m3", 64, 1e9) };
    struct said s;

    findings_of(v, EC_LEN(v), &s);
    CHECK_STR(sentence(&s, "Of 3 networks"),
              "Of 3 networks at batch 8 on a, m1 is fastest (16 samples/s) and m2 slowest (4 "
              "samples/s).");
    ec_arena_clear(&s.a);
    findings_of(v, 2, &s); /* two rows are no comparison */
    CHECK_STR(sentence(&s, " networks at batch"), "");
    CHECK_STR(sentence(&s, "Efficiency against the peak"), "");
    ec_arena_clear(&s.a);
}

/* Larger batches that gain more than in proportion: the smallest is not the one that pays least. */
TEST(batches_that_all_gain)
{
    struct ec_run v[] = { run_of("a", "net", 8, 1e9), run_of("a", "net", 16, 0.5e9),
                          run_of("a", "net", 32, 0.9e9) };
    struct said s;

    findings_of(v, EC_LEN(v), &s);
    CHECK_HAS(sentence(&s, "A larger batch"), "at batch 32 it reaches 111 % of throughput");
    ec_arena_clear(&s.a);
}

TEST(tokens_are_said_where_they_differ)
{
    struct ec_run v[] = { run_of("a", "bert", 8, 1e9), run_of("a", "bert", 8, 4e9) };
    struct said s;

    v[0].record.seq_len = 128;
    v[1].record.seq_len = 512;
    findings_of(v, EC_LEN(v), &s);
    CHECK_STR(sentence(&s, "fastest"), "bert is fastest on a at batch 8, 128 tokens: 8 samples/s.");
    ec_arena_clear(&s.a);
}

/* Layers are parts of runs: they are neither fastest nor off. */
TEST(layers_are_no_runs)
{
    struct ec_run v[] = { run_of("a", "net", 8, 1e9), run_of("a", "net", 8, 1) };
    struct said s;
    int i;

    v[1].layer = "conv1";
    v[1].predicted_ns = 2;
    v[1].std_ns = 1;
    findings_of(v, EC_LEN(v), &s);
    CHECK_INT(s.says.n, 2);
    for (i = 0; i < s.says.n; i++)
        CHECK_HAS(s.says.v[i], "on a");
    ec_arena_clear(&s.a);
}

static enum ec_status make(struct ec_err *err)
{
    struct ec_run v[RUNS];
    struct ec_runs r = { .v = v, .n = RUNS };
    struct ec_arena a = { 0 };
    struct ec_strs says = { 0 };
    enum ec_status st;

    draw_runs(3, v);
    st = ec_runs_relate(&r, NULL, err);
    if (!st)
        st = ec_runs_findings(&r, &a, &says, err);
    ec__runs_changed(&r);
    ec_arena_clear(&a);
    return st;
}

TEST(each_allocation_may_fail)
{
    CHECK_TORTURE(make);
}
