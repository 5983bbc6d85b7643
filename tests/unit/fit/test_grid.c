/* A small invented table: what the predictor says, times a factor, with seeded noise. */
#include "leaks.h"
#include "test.h"

#include <math.h>
#include <unistd.h>

#include "fit/grid.h"

#define PATH "/tmp/ec-test-grid.csv"
#define DEVICE "a100-pcie-40gb"

/* Rows of a network on the device, `words` between what was varied and the time of an epoch. */
static void write_rows(double factor, double noise, const char *words, struct ec_buf *out)
{
    struct ec_predictor *p = NULL;
    struct ec_err err = { 0 };
    struct ec_rng rng;
    int depth, filters, batch;

    ec_rng_seed(&rng, 5);
    CHECK_OK(ec_predictor_new(&p, &err));
    for (depth = 2; depth <= 4; depth++)
        for (filters = 32; filters <= 64; filters *= 2)
            for (batch = 32; batch <= 128; batch *= 2) {
                struct ec_predict_opts o;
                struct ec_prediction r;
                char text[64];

                (void)snprintf(text, sizeof text, "cifar_cnn:depth=%d,base_filters=%d", depth,
                               filters);
                ec_predict_opts_default(&o);
                o.batch = batch;
                o.cond.optimizer = 4; /* adam */
                CHECK_OK(ec_predict_network(p, text, DEVICE, &o, &r, &err));
                ec_buf_printf(out, "%d,%d,%d,%s%.6f\n", depth, filters, batch, words,
                              r.step_time_ns.p50 * 1e-9 * ceil(50000.0 / batch) * factor *
                                  (1 + noise * (ec_rng_unit(&rng) - 0.5)));
            }
    CHECK_OK(ec_file_write(PATH, out->data, out->len, &err));
    ec_predictor_free(p);
}

static void write_grid(double factor, double noise)
{
    struct ec_buf out = EC_BUF_INIT;

    ec_buf_str(&out, "depth,base_filters,batch_size,dataset_size,time_per_epoch\n");
    write_rows(factor, noise, "50000,", &out);
    ec_buf_clear(&out);
}

static struct ec_grid_opts options(void)
{
    return (struct ec_grid_opts){ .table = PATH,
                                  .target = "time_per_epoch",
                                  .features = "depth,base_filters,batch_size",
                                  .network = "cifar_cnn",
                                  .device = DEVICE,
                                  .precision = "fp32",
                                  .framework = "pytorch-2",
                                  .optimizer = "adam",
                                  .folds = 5,
                                  .seed = 1 };
}

static const struct ec_grid_family *family(const struct ec_grid_fit *g, const char *name)
{
    int i;

    for (i = 0; i < g->n; i++)
        if (ec_str_eq(g->v[i].family, name))
            return &g->v[i];
    CHECK(false);
    return &g->v[0];
}

TEST(ours_learns_the_factor_from_few_rows)
{
    const struct ec_grid_family *ours;
    struct ec_grid_opts o = options();
    struct ec_grid_fit g = { 0 };
    struct ec_err err = { 0 };

    write_grid(1.4, 0.04);
    CHECK_OK(ec_grid_compare(&o, &g, &err));
    CHECK_INT(g.n, 4); /* linear, power, ann, ours */
    CHECK_INT(g.n_rows, 18);
    ours = family(&g, "ours");
    CHECK(ours->m.mean_ape < 0.03 && ours->m.r2 > 0.98);
    CHECK_INT(ours->m.n, 18);
    CHECK(family(&g, "linear")->m.mean_ape > ours->m.mean_ape);
    CHECK(family(&g, "linear")->m.mean_ape > 1.5 * family(&g, "ann")->m.mean_ape);
    CHECK(family(&g, "ann")->m.r2 > 0.9);
    CHECK_HAS(g.note, "corrects what is predicted for cifar_cnn");
    ec_grid_fit_clear(&g);
    o.device = "";
    CHECK_OK(ec_grid_compare(&o, &g, &err));
    CHECK_HAS(g.note, "power law");
    CHECK_HAS(g.note, "it needs --device KEY, or a column device");
    ec_grid_fit_clear(&g);
}

TEST(what_if_answers_with_an_interval)
{
    const char *one[] = { "depth=3", "base_filters=48", "batch_size=96" };
    const char *far[] = { "depth=3", "base_filters=48", "batch_size=4096" };
    struct ec_strs set = { 3, 3, one };
    struct ec_grid_opts o = options();
    struct ec_grid_answers a = { 0 };
    struct ec_err err = { 0 };
    double narrow;

    write_grid(1.4, 0.04);
    CHECK_OK(ec_grid_whatif(&o, &set, 0, &a, &err));
    CHECK_INT(a.n, 1);
    CHECK(!a.v[0].extrapolates && a.v[0].measured == 0);
    CHECK(a.v[0].target.p05 < a.v[0].target.p50 && a.v[0].target.p50 < a.v[0].target.p95);
    narrow = a.v[0].target.p95 / a.v[0].target.p50;
    CHECK(narrow < 1.1);
    ec_grid_answers_clear(&a);
    set.v = far;
    CHECK_OK(ec_grid_whatif(&o, &set, 0, &a, &err));
    CHECK(a.v[0].extrapolates);
    CHECK_NEAR(a.v[0].target.p95 / a.v[0].target.p50, narrow * narrow, 1e-9);
    ec_grid_answers_clear(&a);
}

/* What answers are sorted by. */
static double time_of(const struct ec_grid_answer *a)
{
    return a->measured > 0 ? a->measured : a->target.p50;
}

TEST(a_budget_lists_what_fits_in_order)
{
    struct ec_strs none = { 0 };
    struct ec_grid_opts o = options();
    struct ec_grid_answers all = { 0 }, some = { 0 };
    struct ec_err err = { 0 };
    int i;

    write_grid(1.4, 0.04);
    CHECK_OK(ec_grid_whatif(&o, &none, 0, &all, &err));
    CHECK_INT(all.n, 18);
    for (i = 1; i < all.n; i++)
        CHECK(time_of(&all.v[i - 1]) <= time_of(&all.v[i]));
    for (i = 0; i < all.n; i++)
        CHECK_NEAR(all.v[i].target.p50, all.v[i].measured, 0.06);
    CHECK_OK(ec_grid_whatif(&o, &none, time_of(&all.v[6]), &some, &err));
    CHECK_INT(some.n, 7);
    ec_grid_answers_clear(&all);
    ec_grid_answers_clear(&some);
}

/* Parameters that we cannot count follow from depth and width: they are crossed with neither. */
TEST(what_follows_is_never_crossed)
{
    const char *set_params[] = { "num_params=1000" };
    struct ec_strs none = { 0 }, set = { 1, 1, set_params };
    struct ec_grid_opts o = options();
    struct ec_grid_answers a = { 0 };
    struct ec_err err = { 0 };
    FILE *f = fopen(PATH, "w");
    int depth, width, batch, i;

    CHECK(f != NULL);
    fprintf(f, "depth,base_filters,batch_size,num_params,time_per_epoch,dataset_size\n");
    for (depth = 2; depth <= 4; depth++)
        for (width = 32; width <= 64; width += 32)
            for (batch = 32; batch <= 128; batch *= 2)
                fprintf(f, "%d,%d,%d,%d,%.3f,50000\n", depth, width, batch, 1000 * depth * width,
                        depth * width / 64.0 + 20.0 / batch);
    (void)fclose(f);
    o.features = "depth,base_filters,batch_size,num_params";
    o.network = "";
    CHECK_OK(ec_grid_whatif(&o, &none, 0, &a, &err));
    CHECK_INT(a.n, 18);
    CHECK_INT(a.n_cols, 3);
    for (i = 0; i < a.n; i++)
        CHECK(a.v[i].measured > 0);
    ec_grid_answers_clear(&a);
    CHECK_FAILS(ec_grid_whatif(&o, &set, 0, &a, &err), EC_E_INPUT,
                "\"num_params\" is none of the features");
    o.family = "linear";
    CHECK_OK(ec_grid_whatif(&o, &none, 0, &a, &err));
    for (i = 0; i < a.n; i++)
        CHECK(a.v[i].target.p05 > 0);
    ec_grid_answers_clear(&a);
    o.family = "crystal";
    CHECK_FAILS(ec_grid_whatif(&o, &none, 0, &a, &err), EC_E_NOT_FOUND, "no family \"crystal\"");
    (void)unlink(PATH);
}

TEST(tables_that_cannot_be_fitted_are_refused)
{
    const char *wrong[] = { "width=3" }, *word[] = { "depth=deep" };
    struct ec_strs set = { 1, 1, wrong };
    struct ec_grid_opts o = options();
    struct ec_grid_answers a = { 0 };
    struct ec_grid_fit g = { 0 };
    struct ec_err err = { 0 };

    write_grid(1, 0);
    CHECK_FAILS(ec_grid_whatif(&o, &set, 0, &a, &err), EC_E_INPUT,
                "\"width\" is none of the features: expected one of depth");
    set.v = word;
    CHECK_FAILS(ec_grid_whatif(&o, &set, 0, &a, &err), EC_E_INPUT, "expected depth=NUMBER");
    o.features = "depth,breadth";
    CHECK_FAILS(ec_grid_compare(&o, &g, &err), EC_E_INPUT, "no column \"breadth\"");
    o.features = "";
    CHECK_FAILS(ec_grid_compare(&o, &g, &err), EC_E_INPUT, "needs --features");
    o = options();
    o.split = "logo:device";
    CHECK_FAILS(ec_grid_compare(&o, &g, &err), EC_E_INPUT, "no column \"device\"");
    CHECK_OK(ec_file_write(PATH, "depth,time_per_epoch\n1,2\n2,x\n3,1\n4,1\n5,1\n6,1\n", 45, &err));
    o = options();
    o.features = "depth";
    CHECK_FAILS(ec_grid_compare(&o, &g, &err), EC_E_INPUT,
                "5 rows, expected at least 6; left out: line 3, column "
                "time_per_epoch: found \"x\", expected a number");
    (void)unlink(PATH);
}

static enum ec_status compare_table(const char *table, const char *device, struct ec_grid_fit *ret,
                                    struct ec_err *err)
{
    struct ec_grid_opts o = options();

    CHECK(!ec_file_write(PATH, table, strlen(table), err));
    o.features = "a,b";
    o.network = "";
    o.device = device;
    return ec_grid_compare(&o, ret, err);
}

TEST(repeated_rows_become_their_median)
{
    static const char table[] = "a,b,time_per_epoch\n1,2,9\n2,2,5\n1,2,2\n3,4,4\n4,1,5\n1,2,3\n"
                                "5,3,3\n6,6,2\n2,2,7\n";
    static const char few[] = "a,b,time_per_epoch\n1,2,9\n2,2,5\n1,2,2\n3,4,4\n4,1,5\n5,3,3\n";
    static const double median[] = { 3, 6, 4, 5, 3, 2 };
    struct ec_grid_fit g = { 0 };
    struct ec_err err = { 0 };
    int i;

    CHECK_OK(compare_table(table, DEVICE, &g, &err));
    CHECK_INT(g.n_rows, 6);
    for (i = 0; i < g.n_rows && i < EC_LEN(median); i++)
        CHECK_NEAR(g.measured[i], median[i], 1e-12);
    ec_grid_fit_clear(&g);
    CHECK_FAILS(compare_table(few, DEVICE, &g, &err), EC_E_INPUT,
                "5 configurations by a,b, expected at least 6");
    (void)unlink(PATH);
}

TEST(rows_of_other_devices_or_data_sets_are_no_repeats)
{
    static const char table[] = "a,b,device,dataset_size,time_per_epoch\n"
                                "1,2,t4,100,9\n1,2,v100,100,5\n1,2,t4,200,18\n1,2,t4,100,7\n"
                                "3,4,t4,100,4\n4,1,t4,100,5\n5,3,t4,100,3\n6,6,t4,100,2\n";
    struct ec_grid_fit g = { 0 };
    struct ec_err err = { 0 };

    CHECK_OK(compare_table(table, "", &g, &err));
    CHECK_INT(g.n_rows, 7);
    CHECK_NEAR(g.measured[0], 8, 1e-12);
    CHECK_NEAR(g.measured[1], 5, 1e-12);
    CHECK_NEAR(g.measured[2], 18, 1e-12);
    ec_grid_fit_clear(&g);
    CHECK_FAILS(compare_table(table, "t4", &g, &err), EC_E_INPUT,
                "column device says t4, v100, --device says t4");
    (void)unlink(PATH);
}

/* Each row keeps the device and the data set of its own line, wherever lines before it have no
 * numbers or are of other networks. */
TEST(rows_left_out_leave_the_others_their_lines)
{
    static const char *const first[] = { "2,32,32,t4,100,cifar_cnn,\n",
                                         "2,32,32,t4,100,vgg16,3\n" };
    struct ec_buf out = EC_BUF_INIT;
    struct ec_grid_fit g = { 0 };
    struct ec_err err = { 0 };
    int i, k;

    for (i = 0; i < EC_LEN(first); i++) {
        struct ec_grid_opts o = options();

        o.device = "";
        o.model = "cifar_cnn";
        ec_buf_reset(&out);
        ec_buf_printf(&out,
                      "depth,base_filters,batch_size,device,dataset_size,model,"
                      "time_per_epoch\n%s",
                      first[i]);
        write_rows(1.4, 0, DEVICE ",50000,cifar_cnn,", &out);
        CHECK_OK(ec_grid_compare(&o, &g, &err));
        CHECK_INT(g.n_rows, 18);
        CHECK_HAS(g.note, "what is predicted for cifar_cnn on " DEVICE ".");
        for (k = 0; k < g.n_rows; k++)
            CHECK_NEAR(family(&g, "ours")->predicted[k], g.measured[k], 1e-4);
        ec_grid_fit_clear(&g);
    }
    ec_buf_clear(&out);
    (void)unlink(PATH);
}

/* Rows of several networks and devices: what is counted of each is a feature, each is predicted. */
TEST(several_networks_are_fitted_together)
{
    static const char *const networks[] = { "resnet18", "resnet50", "vgg16", "mobilenet_v2" };
    static const char *const devices[] = { "t4", "v100-sxm2-16gb" };
    struct ec_grid_opts o = { .table = PATH, .device = "", .folds = 5, .seed = 1 };
    struct ec_buf out = EC_BUF_INIT;
    struct ec_predictor *p = NULL;
    struct ec_grid_fit g = { 0 };
    struct ec_grid_answers a = { 0 };
    struct ec_arena arena = { 0 };
    struct ec_strs none = { 0 };
    struct ec_err err = { 0 };
    int i, k, batch;

    CHECK_OK(ec_predictor_new(&p, &err));
    ec_buf_str(&out, "network,gpu,batch,precision,step_time_ms\n");
    for (i = 0; i < EC_LEN(networks); i++)
        for (k = 0; k < EC_LEN(devices); k++)
            for (batch = 8; batch <= 32; batch *= 2) {
                struct ec_predict_opts q;
                struct ec_prediction r;

                ec_predict_opts_default(&q);
                q.batch = batch;
                q.cond.optimizer = EC_OPT_adam;
                q.cond.precision = batch > 8 ? EC_AMP : EC_FP32;
                CHECK_OK(ec_predict_network(p, networks[i], devices[k], &q, &r, &err));
                ec_buf_printf(&out, "%s,%s,%d,%s,%.6f\n", networks[i], devices[k], batch,
                              batch > 8 ? "amp" : "fp32", 1.3e-6 * r.step_time_ns.p50);
            }
    CHECK_OK(ec_file_write(PATH, out.data, out.len, &err));
    CHECK_OK(ec_grid_fill(&o, &arena, &err));
    CHECK_STR(o.network, "each");
    CHECK(!o.precision); /* the rows differ */
    CHECK_STR(o.features, "batch,counted_flop,counted_bytes,counted_params,device_flop_per_s,"
                          "device_bytes_per_s,precision");
    o.split = "logo:network";
    CHECK_OK(ec_grid_compare(&o, &g, &err));
    CHECK_INT(g.n_rows, 24);
    CHECK_INT(g.n_rounds, 4);
    CHECK(g.by_group && family(&g, "ours")->m.mean_ape < 0.01);
    CHECK(family(&g, "linear")->worst_group_ape > family(&g, "linear")->m.mean_ape);
    CHECK_HAS(g.note, "each network on each device");
    CHECK_FAILS(ec_grid_whatif(&o, &none, 0, &a, &err), EC_E_INPUT,
                "several networks (resnet18, resnet50, ...): say --model");
    ec_grid_fit_clear(&g);
    ec_predictor_free(p);
    ec_buf_clear(&out);
    ec_arena_clear(&arena);
    (void)unlink(PATH);
}

/* Accuracy that falls with the batch and grows with the size, as a percentage: its predictions are
 * near, each in its interval, and the front is what no other beats in both. */
TEST(accuracy_is_weighed_against_time)
{
    struct ec_grid_opts o = { .table = PATH,
                              .device = "",
                              .network = "",
                              .target = "time_s",
                              .features = "size,batch",
                              .folds = 5,
                              .seed = 1 };
    struct ec_buf out = EC_BUF_INIT;
    struct ec_strs none = { 0 };
    struct ec_grid_answers a = { 0 };
    struct ec_err err = { 0 };
    double best = 0;
    int size, batch, i;

    ec_buf_str(&out, "size,batch,time_s,val_accuracy\n");
    for (size = 2; size <= 32; size *= 2)
        for (batch = 8; batch <= 32; batch *= 2)
            ec_buf_printf(&out, "%d,%d,%.4f,%.3f\n", size, batch, size + 40.0 / batch,
                          100 / (1 + exp(-log(size) + log(batch) / 4)));
    CHECK_OK(ec_file_write(PATH, out.data, out.len, &err));
    CHECK_OK(ec_grid_whatif(&o, &none, 0, &a, &err));
    CHECK_STR(a.accuracy, "val_accuracy");
    CHECK_INT(a.n, 15);
    CHECK(a.accuracy_off < 0.01 && a.accuracy_spread > 0.1);
    for (i = 0; i < a.n; i++) {
        double expected = 1 / (1 + exp(-log(a.v[i].value[0]) + log(a.v[i].value[1]) / 4));

        CHECK_NEAR(a.v[i].accuracy.p50, expected, 0.02);
        CHECK(a.v[i].accuracy.p05 <= a.v[i].accuracy.p50);
        CHECK(a.v[i].accuracy.p50 <= a.v[i].accuracy.p95 && a.v[i].accuracy.p95 < 1);
        CHECK(a.v[i].front == (a.v[i].accuracy.p50 > best));
        best = fmax(best, a.v[i].accuracy.p50);
    }
    ec_grid_answers_clear(&a);
    o.accuracy = "";
    CHECK_OK(ec_grid_whatif(&o, &none, 0, &a, &err));
    CHECK(!*a.accuracy && a.v[0].accuracy.p95 == 0 && !a.v[0].front);
    ec_grid_answers_clear(&a);
    o.accuracy = "top1";
    CHECK_FAILS(ec_grid_whatif(&o, &none, 0, &a, &err), EC_E_INPUT, "no column \"top1\"");
    ec_buf_clear(&out);
    (void)unlink(PATH);
}

/* Words are features, one for each but the first; splits by any column; options are searched by
 * groups inside the rows of the fit. */
TEST(words_are_features_and_options_are_tuned_by_groups)
{
    static const char *nobody[] = { "ours" };
    struct ec_grid_opts o = {
        .table = PATH,
        .device = "",
        .network = "",
        .target = "time_s",
        .features = "size,kind",
        .split = "group:place",
        .folds = 3,
        .seed = 1,
        .tune = 4,
        .families = {1, 1, nobody}
    };
    struct ec_buf out = EC_BUF_INIT;
    struct ec_grid_fit g = { 0 }, again = { 0 };
    struct ec_err err = { 0 };
    int size, place;

    ec_buf_str(&out, "place,size,kind,time_s\n");
    for (place = 0; place < 4; place++)
        for (size = 1; size <= 16; size *= 2) {
            ec_buf_printf(&out, "p%d,%d,plain,%d\n", place, size + place, 3 * (size + place));
            ec_buf_printf(&out, "p%d,%d,dear,%d\n", place, size + place, 12 * (size + place));
        }
    CHECK_OK(ec_file_write(PATH, out.data, out.len, &err));
    CHECK_OK(ec_grid_compare(&o, &g, &err));
    CHECK_INT(g.n_rounds, 3);
    CHECK(g.n == 1 && g.v[0].m.mean_ape < 0.05 && g.v[0].worst_group_ape < 0.1);
    CHECK_OK(ec_grid_compare(&o, &again, &err));
    CHECK_INT(memcmp(g.v[0].predicted, again.v[0].predicted, sizeof(double) * (size_t)g.n_rows), 0);
    ec_grid_fit_clear(&g);
    ec_grid_fit_clear(&again);
    o.split = "logo:colour";
    CHECK_FAILS(ec_grid_compare(&o, &g, &err), EC_E_INPUT, "no column \"colour\"");
    ec_buf_clear(&out);
    (void)unlink(PATH);
}

static enum ec_status whatif(struct ec_err *err)
{
    const char *one[] = { "a=3" };
    struct ec_strs set = { 1, 1, one };
    struct ec_grid_opts o = options();
    struct ec_grid_answers a = { 0 };
    enum ec_status st;

    o.features = "a,b";
    o.network = "";
    st = ec_grid_whatif(&o, &set, 0, &a, err);
    ec_grid_answers_clear(&a);
    return st;
}

static enum ec_status compare(struct ec_err *err)
{
    const char *quick[] = { "linear", "ours" };
    struct ec_grid_opts o = options();
    struct ec_grid_fit g = { 0 };
    enum ec_status st;

    o.features = "a,b";
    o.network = "";
    o.families = (struct ec_strs){ 2, 2, quick };
    st = ec_grid_compare(&o, &g, err);
    ec_grid_fit_clear(&g);
    return st;
}

static enum ec_status fill(const char *table, struct ec_grid_opts *o, struct ec_arena *a,
                           struct ec_err *err)
{
    enum ec_status st;

    o->table = PATH;
    EC_TRY(ec_file_write(PATH, table, strlen(table), err));
    EC_TRY(ec_grid_fill(o, a, err));
out:
    (void)unlink(PATH);
    return st;
}

TEST(the_header_says_what_is_fitted)
{
    struct ec_grid_opts grid = { 0 }, runs = { .model = "vgg16" }, given = { .network = "" };
    struct ec_arena a = { 0 };
    struct ec_err err = { 0 };

    CHECK_OK(
        fill("Depth,Base Filters,bs,params,epoch_s,images/s\n2,32,8,1,1,1\n", &grid, &a, &err));
    CHECK_STR(grid.features, "Depth,Base Filters,bs"); /* one value of params tells nothing */
    CHECK_STR(grid.target, "epoch_s");
    CHECK_STR(grid.network, "cifar_cnn");
    CHECK_STR(grid.precision, "fp32");
    CHECK_STR(grid.framework, "pytorch-2");
    CHECK_STR(grid.optimizer, "adam");
    CHECK_OK(fill("net,batch,img_size,dtype,optim,iter_time_ms\nvgg16,8,224,Mixed,SGD,3\n"
                  "resnet18,8,224,Mixed,SGD,2\n",
                  &runs, &a, &err));
    CHECK_STR(runs.features, "batch,img_size");
    CHECK_STR(runs.target, "iter_time_ms");
    CHECK_STR(runs.network, "vgg16");
    CHECK_STR(runs.precision, "amp");
    CHECK_STR(runs.optimizer, "sgd");
    CHECK_OK(fill("depth,base_filters,batch,throughput\n2,32,8,1\n", &given, &a, &err));
    CHECK_STR(given.network, ""); /* told, and not overruled */
    CHECK_STR(given.target, "throughput");
    ec_arena_clear(&a);
}

TEST(what_the_header_lacks_is_asked_for)
{
    /* clang-format off */
    static const char *const cases[][2] = {
        { "colour,time_s\n1,2\n", "no column says the batch" },
        { "batch,colour\n1,2\n", "no column says the time" },
        { "model,batch,precision,time_s\nvgg16,1,x,2\n",
          "line 2, column precision: found \"x\"" },
    };
    /* clang-format on */
    struct ec_arena a = { 0 };
    struct ec_err err = { 0 };
    int i;

    for (i = 0; i < EC_LEN(cases); i++) {
        struct ec_grid_opts o = { 0 };

        CHECK_FAILS(fill(cases[i][0], &o, &a, &err), EC_E_INPUT, cases[i][1]);
    }
    ec_arena_clear(&a);
}

static enum ec_status fill_once(struct ec_err *err)
{
    struct ec_grid_opts o = { 0 };
    struct ec_arena a = { 0 };
    enum ec_status st = fill("model,batch,dtype,time_s\nvgg16,8,fp16,3\n", &o, &a, err);

    ec_arena_clear(&a);
    return st;
}

TEST(each_allocation_of_a_header_failing)
{
    CHECK_TORTURE(fill_once);
}

TEST(each_allocation_failing)
{
    static const char table[] = "a,b,time_per_epoch,test_accuracy\n1,2,3,0.5\n2,2,5,0.6\n"
                                "3,4,4,0.7\n4,1,5,0.6\n5,3,3,0.9\n6,6,2,0.8\n7,1,2,\n8,1,3,1\n"
                                "9,1,3,0\n";
    struct ec_err err = { 0 };

    CHECK_OK(ec_file_write(PATH, table, sizeof table - 1, &err));
    CHECK_TORTURE(whatif);
    CHECK_TORTURE(compare);
    (void)unlink(PATH);
}
