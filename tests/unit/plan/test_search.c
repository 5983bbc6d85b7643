/* The search for plans: what bounds rule out is never of the front, and the front is one. */
#include "ask.h"

#include <stdlib.h>

#include "plan/plan.h"

/* Problems drawn by chance: EC_PLAN_PROBLEMS and EC_PLAN_SEED change them, EC_PLAN_ONLY is the
 * number of one. */
#define PROBLEMS 60
#define AXES_MAX 9

static int64_t setting(const char *name, int64_t otherwise)
{
    const char *text = getenv(name);
    int64_t v;

    return text && ec_parse_int(ec_span_of(text), &v) ? v : otherwise;
}

static const char *const networks[] = { "mnist_cnn",    "resnet18",   "bert_tiny",
                                        "bert_base",    "gpt2",       "vit_tiny_patch16_224",
                                        "mobilenet_v2", "bert_large", "mixtral_8x7b:layers=2" };
static const char *const keys[] = { "t4",      "rtx3090",        "a100-sxm4-40gb", "h100-sxm5-80gb",
                                    "rtx4090", "a100-pcie-40gb", "v100-sxm2-16gb", "mi250x" };

struct problem {
    struct ec_plan_query q;
    struct ec_field_values axes[AXES_MAX];
    const struct ec_device *devices[3];
    struct ec_price price[3];
    struct ec_arena a;
};

/* Some of the values, at least one, in their order. */
static void add_axis(struct problem *w, struct ec_rng *rng, const char *field,
                     const char *const *values, int most)
{
    struct ec_field_values *axis = &w->axes[w->q.n_axes++];
    struct ec_err err = { 0 };
    int i;

    *axis = (struct ec_field_values){ .field = field };
    while (!axis->values.n)
        for (i = 0; values[i]; i++)
            if (axis->values.n < most && ec_rng_unit(rng) < 0.6)
                CHECK_OK(ec_strs_add(&axis->values, &w->a, &err, "%s", values[i]));
}

static void draw(struct problem *w, struct ec_rng *rng)
{
    static const char *const precisions[] = { "fp32", "amp", "bf16", NULL };
    static const char *const kept[] = { "none", "full", NULL };
    static const char *const groups[] = { "1", "2", "4", NULL };
    static const char *const chunks[] = { "1", "2", NULL };
    static const char *const micro[] = { "1", "2", "4", "16", "64", "256", NULL };
    static const char *const stages[] = { "0", "1", "2", "3", NULL };
    static const char *const counts[] = { "1", "2", "3", "4", "8", "16", "24", NULL };
    struct ec_plan_query *q = &w->q;
    int i;

    q->model = networks[ec_rng_range(rng, 0, EC_LEN(networks) - 1)];
    q->devices = w->devices;
    q->n_devices = (int)ec_rng_range(rng, 1, 3);
    for (i = 0; i < q->n_devices; i++) {
        struct ec_err err = { 0 };

        CHECK_OK(
            ec_device_find(keys[ec_rng_range(rng, 0, EC_LEN(keys) - 1)], &w->devices[i], &err));
        w->price[i] = (struct ec_price){ .device = w->devices[i],
                                         .usd_per_hour = 0.2 + 4 * ec_rng_unit(rng),
                                         .sold_by = 1 };
    }
    if (ec_rng_unit(rng) < 0.8)
        q->prices = (struct ec_prices){ w->price, q->n_devices, q->n_devices, 0, NULL };
    ec_predict_opts_default(&q->opts);
    q->opts.usual_precision = false;
    q->opts.samples = ec_rng_range(rng, 1, 2000000);
    q->opts.cond.master_weights = ec_rng_unit(rng) < 0.5;
    q->opts.cond.optimizer = ec_rng_unit(rng) < 0.5 ? EC_OPT_adamw : EC_OPT_sgd;
    q->opts.epochs = ec_rng_range(rng, 0, 3);
    q->opts.global_batch = ec_rng_unit(rng) < 0.6 ? 1 << ec_rng_range(rng, 3, 10) : 0;
    if (ec_rng_unit(rng) < 0.2 && q->opts.epochs)
        q->opts.eval_samples = 5000;
    q->whole_machines = ec_rng_unit(rng) < 0.5;
    q->memory_chance = ec_rng_unit(rng) < 0.7 ? 0.95 : 0.5;
    q->deadline_ns = ec_rng_unit(rng) < 0.5 ? 3.6e12 * 10 * ec_rng_unit(rng) : 0;
    q->budget = ec_rng_unit(rng) < 0.3 ? 50 * ec_rng_unit(rng) : 0;
    q->threads = 2;
    q->axes = w->axes;
    if (ec_rng_unit(rng) < 0.5)
        add_axis(w, rng, "precision", precisions, 2);
    add_axis(w, rng, "recompute", kept, 2);
    add_axis(w, rng, "tp", groups, 2);
    add_axis(w, rng, "pp", groups, 2);
    if (ec_rng_unit(rng) < 0.2)
        add_axis(w, rng, "virtual_stages", chunks, 2);
    if (strstr(q->model, "mixtral"))
        add_axis(w, rng, "ep", groups, 3);
    add_axis(w, rng, "micro_batch", micro, 3);
    add_axis(w, rng, "zero", stages, 3);
    add_axis(w, rng, "devices", counts, 3);
    q->energy_j = ec_rng_unit(rng) < 0.2 ? 3.6e6 * 100 * ec_rng_unit(rng) : 0;
}

static void check_same(const struct ec_plan_point *a, const struct ec_plan_point *b)
{
    CHECK((a == NULL) == (b == NULL));
    if (!a || !b)
        return;
    CHECK_INT(a->device, b->device);
    CHECK_INT(a->index, b->index);
    CHECK(a->time_ns == b->time_ns && a->cost == b->cost);
}

/* Faster is dearer, and what fits is likely to. */
static void check_front(const struct ec_plan_query *q, const struct ec_plan_front *f)
{
    int i;

    for (i = 0; i < f->n; i++) {
        CHECK(f->v[i]->time_ns > 0 && f->v[i]->cost > 0);
        CHECK(f->v[i]->fits < 0 || f->v[i]->fits >= q->memory_chance);
        if (i)
            CHECK(f->v[i]->time_ns > f->v[i - 1]->time_ns && f->v[i]->cost < f->v[i - 1]->cost);
    }
}

TEST(the_front_is_that_of_all_configurations)
{
    int64_t n = setting("EC_PLAN_PROBLEMS", PROBLEMS), i;
    int fronts = 0, pruned = 0, solved = 0;
    struct ec_rng rng;

    ec_rng_seed(&rng, (uint64_t)setting("EC_PLAN_SEED", 1));
    for (i = 0; i < n; i++) {
        struct problem w = { .a = { 0 } };
        struct ec_plan few, all;
        struct ec_plan_front short_way, long_way;
        struct ec_err err = { 0 };
        int bad = test_bad_checks, k;

        draw(&w, &rng);
        if (setting("EC_PLAN_ONLY", i) != i) {
            ec_arena_clear(&w.a);
            continue;
        }
        CHECK_OK(ec_plan_search(&w.q, &few, &err));
        CHECK_INT(few.n_possible,
                  few.n_predicted + few.n_refused + few.n_by_memory + few.n_by_time);
        w.q.exhaustive = true;
        CHECK_OK(ec_plan_search(&w.q, &all, &err));
        CHECK_INT(all.n_possible, few.n_possible);
        CHECK_INT(all.n_possible, all.n_predicted + all.n_refused);
        CHECK_OK(ec_plan_front(&w.q, &few, &short_way, &err));
        CHECK_OK(ec_plan_front(&w.q, &all, &long_way, &err));
        CHECK_INT(short_way.n, long_way.n);
        for (k = 0; k < short_way.n && k < long_way.n; k++)
            check_same(short_way.v[k], long_way.v[k]);
        check_same(short_way.best, long_way.best);
        check_same(short_way.surest, long_way.surest);
        check_front(&w.q, &short_way);
        solved++;
        fronts += long_way.n > 0;
        pruned += few.n_by_memory + few.n_by_time;
        if (bad != test_bad_checks)
            test_fail(__FILE__, __LINE__, "problem %lld, of %s", (long long)i, w.q.model);
        ec_free(short_way.v);
        ec_free(long_way.v);
        ec_plan_clear(&few);
        ec_plan_clear(&all);
        ec_arena_clear(&w.a);
    }
    CHECK(fronts > solved / 3 && (pruned > 0 || solved < PROBLEMS));
}

/* Of what takes about as long the plainest; what saves more is worth being involved. */
TEST(a_plainer_way_is_preferred)
{
    struct ec_plan_point v[] = {
        {.index = 0,  .count = 8,  .time_ns = 100,   .cost = 100,   .fits = 1, .involved = 5},
        { .index = 1, .count = 8,  .time_ns = 101,   .cost = 101,   .fits = 1, .involved = 1},
        { .index = 2, .count = 8,  .time_ns = 101.5, .cost = 101.5, .fits = 1, .involved = 0},
        { .index = 3, .count = 8,  .time_ns = 103,   .cost = 103,   .fits = 1, .involved = 0},
        { .index = 4, .count = 16, .time_ns = 60,    .cost = 120,   .fits = 1, .involved = 4},
        { .index = 5, .count = 16, .time_ns = 62,    .cost = 124,   .fits = 1, .involved = 0}
    };
    struct ec_plan p = { .v = v, .n = EC_LEN(v) };
    struct ec_plan_query q = { .memory_chance = 0.95 };
    struct ec_plan_front f;
    struct ec_err err = { 0 };
    int i;

    for (i = 0; i < EC_LEN(v); i++)
        v[i].in_limits = 1;
    CHECK_OK(ec_plan_front(&q, &p, &f, &err));
    CHECK_INT(f.n, 2);
    CHECK_INT(f.v[0]->index, 4);
    CHECK_INT(f.v[1]->index, 2);
    ec_free(f.v);
}

static bool at_once(void)
{
    return true;
}

TEST(a_search_that_is_stopped_has_what_it_found)
{
    const char *counts[] = { "1", "2" }, *stages[] = { "0" };
    const struct ec_device *t4 = NULL;
    struct ec_field_values axes[] = {
        {"zero",     { 1, 1, stages }, false},
        { "devices", { 2, 2, counts }, false}
    };
    struct ec_plan_query q = { .model = "resnet18", .devices = &t4, .n_devices = 1 };
    struct ec_plan_front f;
    struct ec_plan p;
    struct ec_err err = { 0 };

    CHECK_OK(ec_device_find("t4", &t4, &err));
    ec_predict_opts_default(&q.opts);
    q.opts.samples = 1000;
    q.opts.batch = 32;
    q.axes = axes;
    q.n_axes = 2;
    q.memory_chance = 0.95;
    CHECK_OK(ec_plan_search(&q, &p, &err));
    CHECK(!p.stopped);
    CHECK_INT(p.n_predicted, 2);
    CHECK_OK(ec_plan_front(&q, &p, &f, &err));
    CHECK(f.n > 0 && f.within && !f.best && !f.surest);
    ec_free(f.v);
    ec_plan_clear(&p);
    q.stop = at_once;
    CHECK_OK(ec_plan_search(&q, &p, &err));
    CHECK(p.stopped);
    CHECK_INT(p.n_predicted, 0);
    ec_plan_clear(&p);
    q.model = "no-such-network";
    CHECK_FAILS(ec_plan_search(&q, &p, &err), EC_E_NOT_FOUND, "no-such-network");
}
