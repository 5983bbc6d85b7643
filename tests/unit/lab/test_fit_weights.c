/* Weights, parts, the vector of parameters and jobs on threads: what they keep whatever they are
 * given. */
#include "lab/fit_internal.h"
#include "test.h"

#include <pthread.h>

#define MOST 200

/* --- Quantiles by weight --- */

static void fill(struct ec_weighted *v, int n, uint64_t seed, bool equal)
{
    struct ec_rng rng;
    int i;

    ec_rng_seed(&rng, seed);
    for (i = 0; i < n; i++)
        v[i] = (struct ec_weighted){ 2 * ec_rng_unit(&rng) - 1, equal ? 1 : ec_rng_unit(&rng) };
}

static double share_at_most(const struct ec_weighted *v, int n, double limit)
{
    double sum = 0, below = 0;
    int i;

    for (i = 0; i < n; i++) {
        sum += v[i].weight;
        below += v[i].v <= limit ? v[i].weight : 0;
    }
    return below / sum;
}

static double share_below(const struct ec_weighted *v, int n, double limit)
{
    double sum = 0, below = 0;
    int i;

    for (i = 0; i < n; i++) {
        sum += v[i].weight;
        below += v[i].v < limit ? v[i].weight : 0;
    }
    return below / sum;
}

/* So much of the weight lies at the value or below, and no more than that below. */
TEST(a_quantile_has_its_share_of_the_weight_below)
{
    static const double q[] = { 0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99 };
    struct ec_weighted v[MOST];
    double at, before;
    int n, i;

    for (n = 1; n <= MOST; n += n < 10 ? 1 : 19)
        for (before = -HUGE_VAL, i = 0; i < EC_LEN(q); i++) {
            fill(v, n, (uint64_t)n, n % 2);
            at = ec__weighted_quantile(v, n, q[i]);
            CHECK(share_at_most(v, n, at) >= q[i] - 1e-12);
            CHECK(share_below(v, n, at) <= q[i] + 1e-12);
            CHECK(at >= before);
            before = at;
        }
    CHECK(ec__weighted_quantile(v, 0, 0.5) == 0);
}

/* Neither the order of the values nor the unit of the weights matters, nor what weighs nothing. */
TEST(a_quantile_is_of_the_weights_alone)
{
    struct ec_weighted v[MOST], other[2 * MOST];
    double want;
    int i;

    fill(v, MOST, 3, false);
    want = ec__weighted_quantile(v, MOST, 0.3);
    for (i = 0; i < MOST; i++) {
        other[i] = v[MOST - 1 - i];
        other[i].weight *= 1000;
        other[MOST + i] = (struct ec_weighted){ v[i].v * 5, 0 };
    }
    CHECK(ec__weighted_quantile(other, MOST, 0.3) == want);
    for (i = 0; i < MOST; i++)
        other[i] = v[i];
    CHECK(ec__weighted_quantile(other, 2 * MOST, 0.3) == want);
    fill(v, 1, 5, false);
    CHECK(ec__weighted_quantile(v, 1, 0.01) == v[0].v && ec__weighted_quantile(v, 1, 1) == v[0].v);
}

/* Twice the weight is the same value twice. */
TEST(a_weight_of_two_is_two_rows)
{
    struct ec_weighted v[MOST], twice[2 * MOST];
    int i, n;

    for (n = 3; n < MOST; n += 31) {
        fill(v, n, 11, true);
        for (i = 0; i < n; i++) {
            v[i].weight = 1 + i % 2;
            twice[i] = (struct ec_weighted){ v[i].v, 1 };
            twice[n + i] = (struct ec_weighted){ v[i].v, i % 2 };
        }
        CHECK(ec__weighted_quantile(twice, 2 * n, 0.37) == ec__weighted_quantile(v, n, 0.37));
    }
}

/* A width holds 0 and nine tenths of the weight; of few rows it is wide. */
TEST(a_width_holds_nothing_wrong_and_most_of_the_rest)
{
    struct ec_weighted v[MOST];
    struct ec_width w;
    int n, i;

    for (n = 0; n < 20; n++) {
        fill(v, n, 1, true);
        w = ec__weighted_width(v, n);
        CHECK(w.lo == -1 && w.hi == 1 && w.mid == 0);
        CHECK_INT(w.n, n);
    }
    for (n = 20; n <= MOST; n += 15) {
        fill(v, n, (uint64_t)n, false);
        w = ec__weighted_width(v, n);
        CHECK(w.lo <= 0 && w.hi >= 0);
        CHECK_INT(w.n, n);
        CHECK(share_at_most(v, n, w.hi) - share_below(v, n, w.lo) >= 0.9 - 1e-9);
        for (i = 0; i < n; i++) /* all on one side: the other end is that of no error */
            v[i].v = 0.1 + fabs(v[i].v);
        w = ec__weighted_width(v, n);
        CHECK(w.lo == 0 && w.hi > 0.1);
    }
}

TEST(rows_without_their_framework_count_nothing)
{
    struct ec_fit_row r = { .source_weight = 0.25 };
    int basis;

    for (basis = 0; basis < 2; basis++) {
        r.bare[0] = r.bare[1] = false;
        CHECK(ec__fit_width_weight(&r, (enum ec_basis)basis) == 0.25);
        r.bare[basis] = true;
        CHECK(ec__fit_width_weight(&r, (enum ec_basis)basis) == 0);
        CHECK(ec__fit_width_weight(&r, (enum ec_basis) !basis) == 0.25);
    }
}

/* --- Parts of the cross-validation --- */

TEST(parts_are_all_there_are_and_no_more)
{
    static int arch_of[2] = { 0, 1 }, arch_rank[2] = { 0, 1 };
    struct ec_fit f = { .arch_of = arch_of, .arch_rank = arch_rank };
    struct ec_fit_row r = { .isolated = true };
    int seen[EC_FIT_FOLDS_DEVICES], n, i, part;

    for (n = 1; n <= EC_FIT_FOLDS_DEVICES; n++) {
        memset(seen, 0, sizeof seen);
        for (i = 0; i < 400; i++) {
            r.id = i;
            part = ec__fit_part(&f, &r, EC_BASIS_MEASURED, n);
            CHECK(part >= 0 && part < n);
            if (part >= 0 && part < n)
                seen[part]++;
            CHECK_INT(ec__fit_part(&f, &r, EC_BASIS_MEASURED, n), part); /* each time the same */
        }
        for (i = 0; i < n; i++) /* none is empty, none has nearly all */
            CHECK(seen[i] > 400 / n / 3 && seen[i] < 3 * 400 / n + 1);
    }
}

/* The phases of a case, networks built alike, and boards of an architecture are left out together,
 * whatever else differs. */
TEST(what_belongs_together_is_in_one_part)
{
    static int arch_of[3] = { 0, 1, 0 }, arch_rank[2] = { 1, 0 };
    struct ec_fit f = { .arch_of = arch_of, .arch_rank = arch_rank };
    struct ec_fit_row a = { .isolated = true, .cond.queued = true, .what = "relu x=64x64" }, b = a;
    char same[] = "relu x=64x64";
    int n;

    for (n = 2; n < 12; n++) {
        b = a;
        b.what = same;
        b.id = 77;
        b.device = 1;
        CHECK_INT(ec__fit_part(&f, &a, EC_BASIS_MEASURED, n),
                  ec__fit_part(&f, &b, EC_BASIS_MEASURED, n));
        b = (struct ec_fit_row){ .kin = 5, .id = 3, .device = 2, .what = "x" };
        CHECK_INT(ec__fit_part(&f, &b, EC_BASIS_MEASURED, n), 5 % n);
        CHECK_INT(ec__fit_part(&f, &a, EC_BASIS_SPECIFICATION, n),
                  ec__fit_part(&f, &b, EC_BASIS_SPECIFICATION, n));
        b.device = 1; /* the one that most is known of is the first */
        CHECK_INT(ec__fit_part(&f, &b, EC_BASIS_SPECIFICATION, n), 0);
        CHECK(ec__fit_part(&f, &a, EC_BASIS_SPECIFICATION, n) != 0);
    }
}

/* --- Parameters --- */

enum { CONSTANTS = EC_THETA_COUNT + EC_FRAMEWORK_COUNT * EC_FWT_COUNT };

TEST(constants_and_parameters_are_each_others_way_back)
{
    double x[CONSTANTS], back[CONSTANTS];
    struct ec_constants c, again;
    struct ec_rng rng;
    int i, times;

    ec_rng_seed(&rng, 9);
    for (times = 0; times < 20; times++) {
        for (i = 0; i < CONSTANTS; i++)
            x[i] = times ? 4 * ec_rng_unit(&rng) - 2 : 0;
        ec__fit_constants(x, &c);
        ec__fit_params_of(&c, back);
        ec__fit_constants(back, &again);
        for (i = 0; i < CONSTANTS; i++)
            CHECK(fabs(back[i] - x[i]) < 1e-12);
        for (i = 0; i < EC_THETA_COUNT; i++) {
            CHECK(c.theta[i] > 0); /* none turns negative */
            CHECK_NEAR(again.theta[i], c.theta[i], 1e-12);
        }
    }
    ec__fit_constants(back, &c);
    memset(x, 0, sizeof x);
    ec__fit_constants(x, &c);
    ec_constants_default(&again);
    CHECK(memcmp(c.theta, again.theta, sizeof c.theta) == 0);
    CHECK(memcmp(c.framework, again.framework, sizeof c.framework) == 0);
}

/* Two products on two hosts: what is forgotten is what is the row's own. */
TEST(forgetting_a_row_leaves_the_others)
{
    static int product_of[2] = { 0, 1 };
    struct ec_fit f = { .product_of = product_of, .n_products = 2, .n_hosts = 2 };
    struct ec_fit_row r = { .device = 1, .host = 0 };
    double x[CONSTANTS + 6];
    int i, n = ec__fit_params(&f);

    CHECK_INT(n, CONSTANTS + 2 * 2 + 2);
    for (i = 0; i < n; i++)
        x[i] = 1 + i;
    ec__fit_forget(&f, x, &r);
    for (i = 0; i < n; i++) {
        bool own = i == CONSTANTS + 2 || i == CONSTANTS + 3 || i == CONSTANTS + 4;

        if (x[i] != (own ? 0 : 1 + i))
            test_fail(__FILE__, __LINE__, "parameter %d of %d is %g", i, n, x[i]);
    }
    CHECK(ec__fit_host_offset(&f, x, 0) == 0 && ec__fit_host_offset(&f, x, 1) == n);
}

/* --- Jobs --- */

struct work {
    pthread_mutex_t lock;
    int times[MOST], running, most;
};

static void job(void *ctx, int i)
{
    struct work *w = ctx;

    (void)pthread_mutex_lock(&w->lock);
    w->times[i]++;
    w->running++;
    w->most = w->running > w->most ? w->running : w->most;
    (void)pthread_mutex_unlock(&w->lock);
    (void)pthread_mutex_lock(&w->lock);
    w->running--;
    (void)pthread_mutex_unlock(&w->lock);
}

TEST(each_job_is_done_once)
{
    static const int threads[] = { 0, 1, 2, 3, 16, 300 }, counts[] = { 0, 1, 2, 7, MOST };
    struct work w;
    int i, k, n;

    for (i = 0; i < EC_LEN(threads); i++)
        for (k = 0; k < EC_LEN(counts); k++) {
            memset(&w, 0, sizeof w);
            CHECK(pthread_mutex_init(&w.lock, NULL) == 0);
            ec_each(threads[i], counts[k], job, &w);
            for (n = 0; n < MOST; n++)
                CHECK_INT(w.times[n], n < counts[k]);
            CHECK(w.running == 0 && w.most <= (threads[i] > 1 ? threads[i] : 1));
            (void)pthread_mutex_destroy(&w.lock);
        }
}

/* --- Which models correct a row --- */

TEST(a_row_is_corrected_by_the_models_of_its_own)
{
    static const struct ec_kernel forward = { .phase = EC_FORWARD },
                                  backward = { .phase = EC_GRAD_DATA };
    static const struct ec_step steps[2] = {
        {.n = 1,  .kernel = (struct ec_kernel *)&forward },
        { .n = 1, .kernel = (struct ec_kernel *)&backward}
    };
    static struct ec_fit f;
    const struct ec_op *op = NULL;
    struct ec_err err = { 0 };
    struct ec_fit_row r = { .step = &steps[0], .width = EC_W_gemm };
    int fw;

    CHECK_OK(ec_op_named(ec_span_of("linear"), &op, &err));
    for (fw = 0; fw < EC_FRAMEWORK_COUNT; fw++) {
        memset(f.own_models, 0, sizeof f.own_models);
        r.cond.framework = (enum ec_framework)fw;
        r.cond.queued = false;
        r.step = &steps[0];
        r.op = op;
        CHECK_INT(ec__fit_scope(&f, &r), 0); /* too few rows of any kind */
        f.own_models[EC_W_gemm][1 + fw] = true;
        CHECK_INT(ec__fit_scope(&f, &r), 1 + fw);
        r.step = &steps[1];
        CHECK_INT(ec__fit_scope(&f, &r), 0); /* gradients are everybody's */
        r.cond.queued = true;
        CHECK_INT(ec__fit_scope(&f, &r), 0);
        f.own_models[EC_W_gemm][EC_SCOPE_QUEUED] = true;
        CHECK_INT(ec__fit_scope(&f, &r), EC_SCOPE_QUEUED);
        r.op = NULL;
        CHECK_INT(ec__fit_scope(&f, &r), 0); /* networks have one model */
    }
}
