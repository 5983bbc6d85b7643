/* Grids of configurations that are trained: rows, curves, resuming, shards, stretches of an epoch.
 */
#include "test.h"

#include "measure/measure.h"

#include <stdlib.h>
#include <unistd.h>

static char table[] = "configs-XXXXXX", curves[] = "curves-XXXXXX";
static int n_asked, stop_at, n_passed_over;

static bool stop(void)
{
    return stop_at && ++n_asked > stop_at;
}

static void fresh_file(char *path, size_t size)
{
    int fd;

    memcpy(path + size - 7, "XXXXXX", 6);
    fd = mkstemp(path);
    CHECK(fd >= 0);
    (void)close(fd);
}

static void begin(void)
{
    fresh_file(table, sizeof table);
    fresh_file(curves, sizeof curves);
    stop_at = n_passed_over = 0;
}

static void end(void)
{
    (void)unlink(table);
    (void)unlink(curves);
}

static void passed_over(void *user, const char *what, const char *why)
{
    (void)user;
    CHECK(*what && *why);
    n_passed_over++;
}

static struct ec_config_axes axes = {
    .family = "cifar_cnn",
    .n_params = 2,
    .param = {"depth",          "base_filters"        },
    .value = { { 2, { 1, 2 } }, { .n = 1, .v = { 2 } }},
    .batch = { .n = 1,          .v = { 8 }            },
};

struct asked {
    int shard, n_shards, max_iters;
    enum ec_campaign_end want;
    int rounds;
};

/* Rows added. */
static int64_t measure(const struct asked *a)
{
    struct ec_configs c = { .axes = &axes, .max_iters = a->max_iters, .warmup_iters = 1 };
    struct ec_engine_opts engine = { .backend = "ref", .threads = 1, .seed = 1 };
    struct ec_campaign campaign = {
        .seed = 3, .shard = a->shard, .n_shards = a->n_shards, .rounds = a->rounds
    };
    struct ec_campaign_item items[16] = { 0 };
    enum ec_campaign_end how = EC_CAMPAIGN_DONE;
    struct ec_measurer m = { .stop = stop };
    struct ec_arena arena = { 0 };
    struct ec_err err = { 0 };
    int i;

    n_asked = 0;
    CHECK_OK(ec_fields_default(ec_train_fields, &c.train, &arena, &err));
    c.train.epochs = 2;
    c.train.test = true;
    c.train.workers = 0;
    c.data = "synthetic:train=48,test=8";
    c.samples.val_frac = 0.17;
    c.threads = 1;
    c.failed = passed_over;
    m.base.device = "made-up, by hand";
    CHECK_OK(ec_engine_open(&engine, &m.ctx, &err));
    CHECK_OK(ec_configs_open(&c, table, curves, &err));
    for (i = 0; i < c.n; i++)
        items[i] = (struct ec_campaign_item){
            .kind = EC_CAMPAIGN_CONFIG, .what = "one", .configs = &c, .config = &c.v[i]
        };
    campaign.items = items;
    campaign.n_items = c.n;
    CHECK_OK(ec_campaign_run(&m, &campaign, &how, &err));
    CHECK_INT(how, a->want);
    ec_configs_clear(&c);
    ec_engine_close(m.ctx);
    ec_arena_clear(&arena);
    return m.n_added;
}

static double number(const struct ec_csv *csv, int row, const char *column)
{
    double v = -1;

    (void)ec_parse_double(ec_span_of(ec_csv_cell(csv, row, ec_csv_col(csv, column))), &v);
    return v;
}

static int rows_of(const char *path)
{
    struct ec_csv csv = { 0 };
    struct ec_err err = { 0 };
    int n;

    CHECK_OK(ec_csv_read(path, &csv, &err));
    n = csv.n_rows;
    ec_csv_clear(&csv);
    return n;
}

static const struct asked all = { 0, 1, 0, EC_CAMPAIGN_DONE, 1 };

TEST(a_row_per_configuration_and_a_curve_each)
{
    struct ec_csv csv = { 0 };
    struct ec_err err = { 0 };
    int i;

    begin();
    CHECK_INT(measure(&all), 2);
    CHECK_OK(ec_csv_read(table, &csv, &err));
    CHECK_INT(csv.n_rows, 2);
    for (i = 0; i < csv.n_rows; i++) {
        CHECK_STR(ec_csv_cell(&csv, i, ec_csv_col(&csv, "model")), "cifar_cnn");
        CHECK_STR(ec_csv_cell(&csv, i, ec_csv_col(&csv, "device")), "made-up, by hand");
        CHECK_STR(ec_csv_cell(&csv, i, ec_csv_col(&csv, "data")), "synthetic:train=48,test=8");
        CHECK_INT(number(&csv, i, "epochs"), 2);
        CHECK_INT(number(&csv, i, "scaled"), 0);
        CHECK_INT(number(&csv, i, "steps_per_epoch"), 5); /* 40 of 48 are trained on */
        CHECK(number(&csv, i, "time_per_epoch") > 0 && number(&csv, i, "num_params") > 0);
        CHECK(number(&csv, i, "peak_memory_mb") > 0 && number(&csv, i, "test_accuracy") >= 0);
        CHECK_NEAR(number(&csv, i, "images_per_second") * number(&csv, i, "time_per_epoch"), 40,
                   1e-4);
    }
    ec_csv_clear(&csv);
    CHECK_INT(rows_of(curves), 4);
    CHECK_OK(ec_csv_read(curves, &csv, &err));
    CHECK_STR(ec_csv_cell(&csv, 3, ec_csv_col(&csv, "data")), "synthetic:train=48,test=8");
    ec_csv_clear(&csv);
    CHECK_INT(measure(&all), 0);
    CHECK_INT(rows_of(table), 2);
    end();
}

TEST(an_interrupted_grid_goes_on)
{
    const struct asked stopped = { 0, 1, 0, EC_CAMPAIGN_STOPPED, 1 };

    begin();
    stop_at = 9; /* after the first epoch of the first configuration */
    CHECK_INT(measure(&stopped), 0);
    CHECK_INT(rows_of(curves), 1);
    stop_at = 0;
    CHECK_INT(measure(&all), 2);
    CHECK_INT(rows_of(curves), 4);
    end();
}

TEST(shards_part_the_grid)
{
    const struct asked first = { 0, 2, 0, EC_CAMPAIGN_DONE, 1 };
    const struct asked second = { 1, 2, 0, EC_CAMPAIGN_DONE, 1 };

    begin();
    CHECK_INT(measure(&first), 1);
    CHECK_INT(measure(&second), 1);
    CHECK_INT(rows_of(table), 2);
    end();
}

TEST(rounds_measure_all_of_it_again)
{
    const struct asked thrice = { 0, 1, 1, EC_CAMPAIGN_DONE, 3 };
    const struct asked half = { 1, 2, 1, EC_CAMPAIGN_DONE, 4 };
    struct ec_csv csv = { 0 };
    struct ec_err err = { 0 };
    int i;

    begin();
    CHECK_INT(measure(&thrice), 6);
    CHECK_INT(measure(&thrice), 0);
    CHECK_INT(measure(&half), 1); /* its one configuration has three rows */
    CHECK_INT(measure(&half), 0);
    CHECK_OK(ec_csv_read(table, &csv, &err));
    for (i = 0; i < 6; i += 2) /* whole rounds, one after the other */
        CHECK(number(&csv, i, "depth") != number(&csv, i + 1, "depth"));
    ec_csv_clear(&csv);
    end();
}

TEST(curves_are_of_the_first_round)
{
    const struct asked twice = { 0, 1, 0, EC_CAMPAIGN_DONE, 2 };

    begin();
    CHECK_INT(measure(&twice), 4);
    CHECK_INT(rows_of(curves), 4);
    end();
}

TEST(a_stretch_is_scaled_to_the_epoch_and_says_so)
{
    const struct asked stretch = { 0, 1, 3, EC_CAMPAIGN_DONE, 1 };
    struct ec_csv csv = { 0 };
    struct ec_err err = { 0 };

    begin();
    CHECK_INT(measure(&stretch), 2);
    CHECK_OK(ec_csv_read(table, &csv, &err));
    CHECK_INT(number(&csv, 0, "scaled"), 1);
    CHECK_INT(number(&csv, 0, "steps_timed"), 3);
    CHECK_INT(number(&csv, 0, "epochs"), 0);
    CHECK(number(&csv, 0, "time_per_epoch") > 0);
    CHECK_STR(ec_csv_cell(&csv, 0, ec_csv_col(&csv, "test_accuracy")), "");
    ec_csv_clear(&csv);
    end();
}

TEST(a_parameter_that_the_family_has_not_is_refused)
{
    struct ec_config_axes wrong = axes;
    struct ec_configs c = { .axes = &wrong };
    struct ec_err err = { 0 };

    begin();
    wrong.param[1] = "width";
    CHECK_INT(ec_configs_open(&c, table, NULL, &err), EC_E_INPUT);
    CHECK_HAS(err.text, "width");
    ec_configs_clear(&c);
    end();
}
