/* Sweeps, their order, prices, what would fit and what would help. */
#include "ask.h"

#include <stdlib.h>
#include <unistd.h>

#include "plan/plan.h"

#define A100 "a100-sxm4-80gb"

static const struct ec_device *device(const char *key)
{
    const struct ec_device *d = NULL;
    struct ec_err err = { 0 };

    CHECK_OK(ec_device_find(key, &d, &err));
    return d;
}

/* --- Sweeps --- */

TEST(a_sweep_is_every_combination_once)
{
    const char *models[] = { "resnet50", "vgg16" }, *batches[] = { "32", "64", "max" };
    const char *precisions[] = { "fp32", "amp" };
    const struct ec_device *devices[] = { device("t4"), device(A100) };
    struct ec_field_values axes[] = {
        {"batch",      { 3, 3, batches },    false},
        { "precision", { 2, 2, precisions }, false}
    };
    struct ec_sweep s = {
        {2, 2, models},
        axes, 2, devices, 2
    };
    struct ec_predict_opts base;
    struct ec_sweep_point at;
    struct ec_err err = { 0 };
    bool seen[2][4][2][2] = { { { { false } } } };
    int n = 0, i;

    ec_predict_opts_default(&base);
    CHECK_OK(ec_sweep_count(&s, &n, &err));
    CHECK_INT(n, 24);
    for (i = 0; i < n; i++) {
        int batch, amp;

        CHECK_OK(ec_sweep_at(&s, &base, i, &at, &err));
        batch = at.opts.batch == EC_BATCH_MAX ? 2 : at.opts.batch == 64;
        amp = at.opts.cond.precision == EC_AMP;
        CHECK(!seen[at.model == models[1]][batch][amp][at.device == devices[1]]);
        seen[at.model == models[1]][batch][amp][at.device == devices[1]] = true;
    }
    CHECK_OK(ec_sweep_at(&s, &base, 1, &at, &err)); /* devices change fastest */
    CHECK_STR(at.model, "resnet50");
    CHECK_INT(at.opts.batch, 32);
    CHECK(at.device == devices[1]);
}

TEST(the_smallest_of_an_axis_is_found_by_its_number)
{
    const char *models[] = { "resnet50", "vgg16" };
    const char *batches[] = { "32", "64", "96" }, *counts[] = { "8", "16", "2" };
    const struct ec_device *devices[] = { device("t4"), device(A100) };
    struct ec_field_values axes[] = {
        {"batch",    { 3, 3, batches }, false},
        { "devices", { 3, 3, counts },  false}
    };
    struct ec_sweep s = {
        {2, 2, models},
        axes, 2, devices, 2
    };
    struct ec_sweep_point at, smallest;
    struct ec_predict_opts base;
    struct ec_err err = { 0 };
    int i;

    ec_predict_opts_default(&base);
    for (i = 0; i < 2 * 3 * 3 * 2; i++) {
        CHECK_OK(ec_sweep_at(&s, &base, i, &at, &err));
        CHECK_OK(ec_sweep_at(&s, &base, ec_sweep_smallest(&s, i, 1), &smallest, &err));
        CHECK(at.model == smallest.model && at.device == smallest.device);
        CHECK_INT(at.opts.batch, smallest.opts.batch);
        CHECK_INT(smallest.opts.devices, 2);
        CHECK_OK(ec_sweep_at(&s, &base, ec_sweep_smallest(&s, i, 0), &smallest, &err));
        CHECK_INT(smallest.opts.batch, 32);
        CHECK_INT(at.opts.devices, smallest.opts.devices);
    }
}

TEST(a_sweep_that_is_too_large_is_refused)
{
    const char *models[] = { "resnet50" }, *values[1000];
    const struct ec_device *devices[] = { device("t4") };
    struct ec_field_values axes[] = {
        {"batch",  { 1000, 1000, values }, false},
        { "image", { 1000, 1000, values }, false}
    };
    struct ec_sweep s = {
        {1, 1, models},
        axes, 2, devices, 1
    };
    struct ec_err err = { 0 };
    int n = 0;

    CHECK_FAILS(ec_sweep_count(&s, &n, &err), EC_E_INPUT, "more than 100000 combinations");
}

TEST(names_of_models)
{
    struct ec_arena a = { 0 };
    struct ec_strs list = { 0 };
    struct ec_err err = { 0 };
    int i, n;

    CHECK_OK(ec_models_named("cifar_cnn:depth=3,base_filters=32,resnet50", &list, &a, &err));
    CHECK_INT(list.n, 2);
    CHECK_STR(list.v[0], "cifar_cnn:depth=3,base_filters=32");
    CHECK_STR(list.v[1], "resnet50");
    CHECK_OK(ec_models_named("vgg1?", &list, &a, &err));
    n = list.n;
    for (i = 2; i < n; i++)
        CHECK(strncmp(list.v[i], "vgg1", 4) == 0 && strlen(list.v[i]) == 5);
    CHECK(n > 4);
    CHECK_FAILS(ec_models_named("nothing*", &list, &a, &err), EC_E_NOT_FOUND, "nothing*");
    CHECK_FAILS(ec_models_named("resnet50,,vgg16", &list, &a, &err), EC_E_INPUT, "empty");
    ec_arena_clear(&a);
}

/* --- Order --- */

static struct ec_prediction made_up(double job_ns, double usd, double fits)
{
    struct ec_prediction r = {
        .has_epoch = true,
        .has_job = true,
        .has_cost = true,
        .has_memory = true,
        .batch = 1,
        .fits_probability = fits,
        .job_time_ns = {job_ns * 0.5, job_ns, job_ns * 2},
        .cost_usd = { usd,         usd,    usd       },
    };

    return r;
}

TEST(what_does_not_fit_or_is_late_comes_last)
{
    struct ec_prediction r[] = { made_up(10, 1, 0.01), made_up(20, 9, 1), made_up(30, 2, 1),
                                 made_up(99, 0.5, 1) };
    struct ec_choice c[4];
    struct ec_err err = { 0 };
    int i;

    for (i = 0; i < 4; i++)
        c[i] = (struct ec_choice){ .r = &r[i], .index = i };
    CHECK_OK(ec_choices_rank(c, 4, EC_SORT_TIME, 50, &err));
    CHECK_INT(c[0].index, 1);
    CHECK_INT(c[1].index, 2);
    CHECK_INT(c[2].index, 3); /* cheapest, but late */
    CHECK_INT(c[3].index, 0); /* fastest, but has no room */
    CHECK(c[0].is_fastest && c[1].is_cheapest && !c[2].is_fastest && !c[3].is_cheapest);
    CHECK(c[0].in_time > 0.95 && c[2].in_time < 0.5);
    for (i = 0; i < 4; i++)
        c[i].is_fastest = c[i].is_cheapest = false;
    CHECK_OK(ec_choices_rank(c, 4, EC_SORT_COST, 0, &err));
    CHECK_INT(c[0].index, 3);
    CHECK_INT(c[3].index, 0);
    CHECK(c[0].is_cheapest && c[0].in_time < 0);
}

/* --- Prices --- */

static void write_file(const char *path, const char *text)
{
    struct ec_err err = { 0 };

    CHECK_OK(ec_file_write(path, text, strlen(text), &err));
}

TEST(guesses_stand_behind_what_is_known_and_are_never_the_best)
{
    struct ec_prediction r[] = { made_up(10, 1, 1), made_up(20, 2, 1), made_up(60, 3, 1),
                                 made_up(500, 4, 1) };
    struct ec_choice c[4];
    struct ec_err err = { 0 };
    int i;

    r[0].step_time_ns = (struct ec_interval){ 2, 10, 45 }; /* more than 20 times */
    for (i = 0; i < 4; i++)
        c[i] = (struct ec_choice){ .r = &r[3 - i], .index = i };
    CHECK_OK(ec_choices_rank(c, 4, EC_SORT_TIME, 50, &err));
    CHECK(c[0].r == &r[1] && c[0].is_fastest && c[0].is_cheapest);
    CHECK(c[1].r == &r[0]); /* in time, but a guess */
    CHECK(c[2].r == &r[2]); /* unlikely */
    CHECK(c[3].r == &r[3]); /* not in time */
    CHECK_OK(ec_choices_rank(c, 4, EC_SORT_GIVEN, 50, &err));
    for (i = 0; i < 4; i++)
        CHECK_INT(c[i].index, i);
}

TEST(prices_of_a_list_and_a_table)
{
    char folder[] = "/tmp/epochcast-prices-XXXXXX", path[64];
    struct ec_arena a = { 0 };
    struct ec_prices p;
    struct ec_err err = { 0 };

    CHECK(mkdtemp(folder) != NULL);
    (void)snprintf(path, sizeof path, "%s/prices.csv", folder);
    CHECK_OK(ec_prices_read("t4=0.35, a100-sxm4-80gb=2", &p, &a, &err));
    CHECK_NEAR(ec_price_of(&p, device("t4"), NULL)->usd_per_hour, 0.35, 1e-9);
    CHECK(!ec_price_of(&p, device("l4"), NULL));
    write_file(path,
               "device,usd_per_hour,date,source\nt4,0.5,2026-01-01,one\nt4,0.4,,two\nv100*,3,,\n");
    CHECK_OK(ec_prices_read(path, &p, &a, &err));
    CHECK_STR(ec_price_of(&p, device("t4"), NULL)->source, "two"); /* the cheapest */
    CHECK_NEAR(ec_price_of(&p, device("v100-sxm2-16gb"), NULL)->usd_per_hour, 3, 1e-9);
    CHECK_FAILS(ec_prices_read("t4=-1", &p, &a, &err), EC_E_INPUT, "t4");
    CHECK_FAILS(ec_prices_read("t4=1,l4", &p, &a, &err), EC_E_INPUT, "KEY=USD");
    CHECK_FAILS(ec_prices_read("t5=1", &p, &a, &err), EC_E_NOT_FOUND, "t5");
    write_file(path, "device,usd_per_hour\nt4,cheap\n");
    CHECK_FAILS(ec_prices_read(path, &p, &a, &err), EC_E_INPUT, "line 2");
    write_file(path, "device,price\nt4,1\n");
    CHECK_FAILS(ec_prices_read(path, &p, &a, &err), EC_E_PARSE, "usd_per_hour");
    (void)unlink(path);
    (void)rmdir(folder);
    ec_arena_clear(&a);
}

TEST(prices_are_compared_within_a_kind)
{
    char folder[] = "/tmp/epochcast-prices-XXXXXX", path[64];
    const struct ec_device *asked[] = { device("t4"), device("l4"), device("rtx3090") };
    struct ec_arena a = { 0 };
    struct ec_prices p;
    struct ec_err err = { 0 };

    CHECK(mkdtemp(folder) != NULL);
    (void)snprintf(path, sizeof path, "%s/prices.csv", folder);
    write_file(path, "device,usd,kind,spot,count,date\nt4,8,On Demand,0,8,2999-01-01\n"
                     "l4,1,secure,no,1,2020-01-02\nt4,0.1,on-demand,yes,1,\n"
                     "rtx3090,0.2,Community,0,1,soon\nnothing,1,,0,1,\n");
    CHECK_OK(ec_prices_read(path, &p, &a, &err));
    CHECK_INT(p.n_unknown, 1);
    CHECK_INT(ec_prices_keep(&p, EC_PRICE_UNSAID, asked, 3), EC_PRICE_ON_DEMAND);
    CHECK_NEAR(ec_price_of(&p, asked[0], NULL)->usd_per_hour, 1,
               1e-9); /* of 8, and no spot price */
    CHECK(!ec_price_is_old(ec_price_of(&p, asked[0], NULL)));
    CHECK(ec_price_is_old(ec_price_of(&p, asked[1], NULL)));
    CHECK(!ec_price_of(&p, asked[2], NULL));
    CHECK_OK(ec_prices_read(path, &p, &a, &err));
    CHECK_INT(ec_prices_keep(&p, EC_PRICE_UNSAID, asked + 2, 1), EC_PRICE_COMMUNITY);
    CHECK(!ec_price_is_old(ec_price_of(&p, asked[2], NULL))); /* no date */
    CHECK_OK(ec_prices_read(path, &p, &a, &err));
    CHECK_INT(ec_prices_keep(&p, EC_PRICE_ANY, asked, 3), EC_PRICE_ANY);
    CHECK_NEAR(ec_price_of(&p, asked[0], NULL)->usd_per_hour, 0.1, 1e-9);
    CHECK_OK(ec_prices_read("t4=1,l4=2", &p, &a, &err)); /* no kind is any kind */
    CHECK_INT(ec_prices_keep(&p, EC_PRICE_SPOT, asked, 3), EC_PRICE_SPOT);
    CHECK_INT(p.n, 2);
    (void)unlink(path);
    (void)rmdir(folder);
    ec_arena_clear(&a);
}

/* --- Batches, room, advice --- */

TEST(the_largest_batch_fits_and_the_next_does_not)
{
    static const char *const models[] = { "resnet50", "bert_base", "lenet5", "vgg16" };
    static const char *const devices[] = { "t4", A100, "rtx3090" };
    struct ec_predictor *p = predictor();
    struct ec_predict_opts o;
    struct ec_err err = { 0 };
    int64_t batch = 0;
    int i, k;

    for (i = 0; i < EC_LEN(models); i++)
        for (k = 0; k < EC_LEN(devices); k++) {
            ec_predict_opts_default(&o);
            o.batch = EC_BATCH_MAX;
            CHECK_OK(ec_predict_batch(p, models[i], devices[k], &o, &batch, &err));
            CHECK_INT(ask(p, models[i], devices[k], &o).batch, batch);
            o.batch = batch;
            CHECK(ask(p, models[i], devices[k], &o).fits_probability >= 0.9499);
            o.batch = batch + 1;
            CHECK(ask(p, models[i], devices[k], &o).fits_probability <= 0.9501);
        }
    ec_predictor_free(p);
}

TEST(without_a_batch_the_usual_one_is_taken)
{
    struct ec_predictor *p = predictor();
    struct ec_predict_opts o;

    ec_predict_opts_default(&o);
    CHECK_INT(ask(p, "resnet50", A100, &o).batch, 32);
    CHECK_INT(ask(p, "bert_base", "t4", &o).batch, 8); /* 16 has no room */
    o.devices = 4;
    CHECK_INT(ask(p, "resnet50", A100, &o).batch_per_device, 32);
    ec_predictor_free(p);
}

TEST(what_is_said_to_fit_fits)
{
    struct ec_predictor *p = predictor();
    struct ec_predict_opts o;
    struct ec_buf text = EC_BUF_INIT;
    struct ec_prediction r;
    struct ec_room room;
    struct ec_err err = { 0 };
    int i;

    ec_predict_opts_default(&o);
    o.batch = 400;
    CHECK_OK(ec_room_for(p, "resnet50", "rtx3090", &o, &room, &err));
    ec_room_print(&room, &text);
    CHECK_HAS(ec_buf_text(&text), "batch 400    on ");
    CHECK(ask(p, "resnet50", "rtx3090", &o).fits_probability < 0.5);
    CHECK(ask(p, "resnet50", ec_device_key(room.device), &o).fits_probability >= 0.95);
    CHECK_INT(room.n, EC_ROOM_WAYS);
    for (i = 0; i < room.n; i++) {
        o.batch = room.way[i].batch;
        o.cond.precision = strstr(room.way[i].options, "amp") ? EC_AMP : EC_FP32;
        o.cond.recompute =
            strstr(room.way[i].options, "recompute") ? EC_RECOMPUTE_FULL : EC_RECOMPUTE_NONE;
        r = ask(p, "resnet50", "rtx3090", &o);
        CHECK(r.fits_probability >= 0.9499);
        CHECK_NEAR(r.samples_per_s.p50, room.way[i].samples_per_s, 1e-12);
        CHECK(!i || room.way[i].batch > room.way[0].batch);
    }
    CHECK(room.way[3].batch > room.way[1].batch && room.way[3].batch > room.way[2].batch);
    ec_buf_clear(&text);
    ec_predictor_free(p);
}

/* What computes nothing again, or does already, is not told to. */
TEST(recomputation_is_offered_where_it_may_be)
{
    struct ec_predictor *p = predictor();
    struct ec_predict_opts o = options(2000);
    struct ec_room room;
    struct ec_err err = { 0 };
    int i;

    o.cond.mode = EC_MODE_FORWARD;
    CHECK_OK(ec_room_for(p, "resnet50", "t4", &o, &room, &err));
    for (i = 0; i < room.n; i++)
        CHECK(!strstr(room.way[i].options, "recompute"));
    o.cond.mode = EC_MODE_TRAINING_STEP;
    o.cond.recompute = EC_RECOMPUTE_FULL;
    CHECK_OK(ec_room_for(p, "resnet50", "t4", &o, &room, &err));
    CHECK(room.n == 2);
    for (i = 0; i < room.n; i++)
        CHECK(!strstr(room.way[i].options, "recompute"));
    ec_predictor_free(p);
}

/* The batch is that of --batch, and no way has an option more than one that is as fast. */
TEST(ways_of_shared_jobs_have_no_needless_options)
{
    struct ec_predictor *p = predictor();
    struct ec_predict_opts o = options(2);
    struct ec_room room;
    struct ec_err err = { 0 };
    int i, k;

    o.devices = 8;
    o.cond.precision = EC_BF16;
    CHECK_OK(ec_predict_opts_set(&o, "strategy", "fsdp", &err));
    CHECK_OK(ec_predict_opts_set(&o, "tuning", "lora", &err));
    CHECK_OK(ec_room_for(p, "llama3_70b", A100, &o, &room, &err));
    CHECK_INT(room.asked_batch, 2);
    CHECK(room.n > 1);
    for (i = 0; i < room.n; i++) {
        CHECK_INT(room.way[i].batch, 2);
        CHECK(!strstr(room.way[i].options, "--zero 3")); /* of fsdp */
        for (k = 0; k < room.n; k++)
            CHECK(k == i || !strstr(room.way[i].options, room.way[k].options) ||
                  room.way[i].samples_per_s > room.way[k].samples_per_s);
    }
    ec_predictor_free(p);
}

/* Each is what a user gets who types it. */
TEST(what_does_not_fit_is_offered_on_more_devices_or_as_adapters)
{
    struct ec_predictor *p = predictor();
    struct ec_predict_opts o = options(0), typed;
    struct ec_room room;
    struct ec_err err = { 0 };

    o.cond.precision = EC_BF16;
    CHECK_OK(ec_room_for(p, "llama3_70b", "h100", &o, &room, &err));
    CHECK_INT(room.n, 2);
    CHECK_STR(room.way[0].options, "--devices 16 --zero 3 --recompute full");
    CHECK_STR(room.way[1].options, "--tuning qlora --recompute full");
    typed = o;
    CHECK_OK(ec_predict_opts_set(&typed, "tuning", "qlora", &err));
    typed.cond.recompute = EC_RECOMPUTE_FULL;
    CHECK(ask(p, "llama3_70b", "h100", &typed).fits_probability >= 0.95);
    CHECK_NEAR(ask(p, "llama3_70b", "h100", &typed).samples_per_s.p50, room.way[1].samples_per_s,
               1e-12);
    ec_predictor_free(p);
}

/* Of smaller micro-batches the largest that fits; who trains all parameters is not told of adapters
 * where that fits. */
TEST(what_keeps_the_training_comes_alone)
{
    struct ec_predictor *p = predictor();
    struct ec_predict_opts o = options(32);
    struct ec_room room;
    struct ec_err err = { 0 };
    bool found = false;
    int i;

    o.devices = 4;
    o.cond.precision = EC_BF16;
    o.cond.optimizer = EC_OPT_adamw;
    CHECK_OK(ec_predict_opts_set(&o, "strategy", "fsdp", &err));
    CHECK_OK(ec_room_for(p, "bert_large", "rtx3090", &o, &room, &err));
    for (i = 0; i < room.n; i++) {
        found = found || ec_str_eq(room.way[i].options, "--micro-batch 8");
        CHECK(!strstr(room.way[i].options, "lora"));
        CHECK(!strstr(room.way[i].options, "--micro-batch 1"));
    }
    CHECK(found);
    ec_predictor_free(p);
}

/* 50,257 words are no multiple of 8. */
TEST(words_are_padded_where_that_pays)
{
    struct ec_predictor *p = predictor();
    struct ec_predict_opts o = options(8);
    struct ec_advice v[EC_ADVICE_MAX];
    struct ec_prediction r, padded;
    struct ec_err err = { 0 };
    int n = 0, i, at = -1;

    o.cond.precision = EC_BF16;
    r = ask(p, "gpt2", "h100", &o);
    padded = ask(p, "gpt2:vocab=50304", "h100", &o);
    CHECK_OK(ec_advise(p, "gpt2", "h100", &o, &r, v, &n, &err));
    for (i = 0; i < n; i++)
        at = ec_str_eq(v[i].option, "vocab") ? i : at;
    CHECK(at >= 0);
    CHECK_STR(v[at].value, "50304");
    CHECK_NEAR(v[at].speedup, padded.samples_per_s.p50 / r.samples_per_s.p50, 1e-12);
    CHECK_OK(ec_advise(p, "gpt2:vocab=50304", "h100", &o, &padded, v, &n, &err));
    for (i = 0; i < n; i++)
        CHECK(!ec_str_eq(v[i].option, "vocab"));
    ec_predictor_free(p);
}

/* Where small batches waste the device, and memory allows no larger ones. */
TEST(recomputation_is_advised_where_memory_is_short)
{
    struct ec_predictor *p = predictor();
    struct ec_predict_opts o = options(1), more;
    struct ec_advice v[EC_ADVICE_MAX];
    struct ec_prediction r, other;
    struct ec_err err = { 0 };
    int n = 0, i;
    bool found = false;

    o.batch = EC_BATCH_MAX;
    o.set = "memory_bytes=2.6e9";
    r = ask(p, "densenet121", "h100", &o);
    o.batch = r.batch;
    CHECK_OK(ec_advise(p, "densenet121", "h100", &o, &r, v, &n, &err));
    for (i = 0; i < n; i++) {
        if (!v[i].recompute)
            continue;
        found = true;
        more = o;
        more.batch = EC_BATCH_MAX;
        more.cond.recompute = EC_RECOMPUTE_FULL;
        other = ask(p, "densenet121", "h100", &more);
        CHECK_NEAR(other.samples_per_s.p50 / r.samples_per_s.p50, v[i].speedup, 1e-9);
        CHECK_HAS(v[i].text, "--recompute full --batch max: ");
    }
    CHECK(found);
    ec_predictor_free(p);
}

/* Parameters that are gathered for each micro-batch are most of this step: larger micro-batches, or
 * a lower stage, each as the prediction says of what is typed, and as sure to fit. */
TEST(waiting_for_parameters_is_advised_away)
{
    struct ec_predictor *p = predictor();
    struct ec_predict_opts o = options(0);
    struct ec_advice v[EC_ADVICE_MAX];
    struct ec_prediction r, other;
    struct ec_err err = { 0 };
    bool found = false;
    int n = 0, i;

    o.cond.precision = EC_BF16;
    o.cond.optimizer = EC_OPT_adamw;
    o.devices = 256;
    o.global_batch = 1024;
    o.parallel.tensor = 8;
    o.parallel.zero = 3;
    o.parallel.micro_batch = 1;
    r = ask(p, "llama3_70b", "h100", &o);
    CHECK_OK(ec_advise(p, "llama3_70b", "h100", &o, &r, v, &n, &err));
    CHECK_INT(n, EC_ADVICE_MAX);
    for (i = 0; i < n; i++) {
        struct ec_predict_opts typed = o;

        found = found || ec_str_eq(v[i].option, "micro_batch");
        CHECK_OK(ec_predict_opts_set(&typed, v[i].option, v[i].value, &err));
        typed.cond.recompute = v[i].recompute;
        other = ask(p, "llama3_70b", "h100", &typed);
        CHECK(other.fits_probability >= 0.95);
        CHECK_NEAR(other.samples_per_s.p50 / r.samples_per_s.p50, v[i].speedup, 1e-9);
        CHECK(v[i].speedup > 1.3 && (!i || v[i].speedup <= v[i - 1].speedup));
        CHECK(!i || !ec_str_eq(v[i].option, v[i - 1].option));
    }
    CHECK(found);
    ec_predictor_free(p);
}

TEST(advice_is_what_the_predictions_say)
{
    struct ec_predictor *p = predictor();
    struct ec_predict_opts o;
    struct ec_advice v[EC_ADVICE_MAX];
    struct ec_prediction r, other;
    struct ec_err err = { 0 };
    int n = 0, i;

    ec_predict_opts_default(&o);
    o.batch = 64;
    r = ask(p, "resnet50", A100, &o);
    CHECK_OK(ec_advise(p, "resnet50", A100, &o, &r, v, &n, &err));
    CHECK(n > 0);
    CHECK_STR(v[0].value, "amp");
    for (i = 0; i < n; i++) {
        struct ec_predict_opts changed = o;

        CHECK_OK(ec_predict_opts_set(&changed, v[i].option, v[i].value, &err));
        other = ask(p, "resnet50", A100, &changed);
        CHECK_NEAR(other.samples_per_s.p50 / r.samples_per_s.p50, v[i].speedup, 1e-9);
        CHECK(v[i].speedup >= 1.05 && (!i || v[i].speedup <= v[i - 1].speedup));
    }
    ec_predictor_free(p);
}
