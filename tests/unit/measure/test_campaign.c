/* Campaigns on the fake device: rows, order, shards, resuming, what does not work. */
#include "test.h"

#include "measure/measure.h"

#include <stdlib.h>
#include <unistd.h>

static char path[] = "campaign-XXXXXX";
static int n_asked, stop_at;

static bool stop(void)
{
    return stop_at && ++n_asked > stop_at;
}

static void fresh(void)
{
    int fd;

    memcpy(path + sizeof path - 7, "XXXXXX", 6);
    fd = mkstemp(path);
    CHECK(fd >= 0);
    (void)close(fd);
}

static void open_measurer(struct ec_measurer *m)
{
    struct ec_engine_opts engine;
    struct ec_arena a = { 0 };
    struct ec_err err = { 0 };

    memset(m, 0, sizeof *m);
    memset(&engine, 0, sizeof engine);
    engine.backend = "sim";
    engine.threads = 1;
    engine.seed = 1;
    CHECK_OK(ec_fields_default(ec_protocol_fields, &m->protocol, &a, &err));
    m->protocol.max_runs = 12;
    m->stop = stop;
    CHECK_OK(ec_engine_open(&engine, &m->ctx, &err));
    CHECK_OK(ec_row_file_open(path, &m->file, &err));
    ec_arena_clear(&a);
}

static void close_measurer(struct ec_measurer *m)
{
    ec_row_file_close(m->file);
    ec_engine_close(m->ctx);
}

static const struct ec_campaign_item items[] = {
    {.kind = EC_CAMPAIGN_LAYER,
     .what = "conv2d n=4 c=8 h=14 w=14 k=8 r=3 pad=1",
     .cond.optimizer = EC_OPT_sgd,
     .methods = EC_LAYER_SEPARATED | EC_LAYER_MARGINAL | EC_LAYER_ISOLATED | EC_LAYER_JUSTUS},
    { .kind = EC_CAMPAIGN_LAYER,
     .what = "relu x=4x8x14x14",
     .cond.optimizer = EC_OPT_sgd,
     .methods = EC_LAYER_SEPARATED                                                          },
    { .kind = EC_CAMPAIGN_NETWORK,
     .what = "mnist_cnn",
     .opts = { .struct_size = sizeof(struct ec_graph_opts), .batch = 4 },
     .cond.optimizer = EC_OPT_adam                                                          },
};

static int64_t run(struct ec_campaign *c, enum ec_campaign_end want)
{
    struct ec_measurer m;
    struct ec_err err = { 0 };
    enum ec_campaign_end end = EC_CAMPAIGN_DONE;
    int64_t n;

    n_asked = 0;
    open_measurer(&m);
    CHECK_OK(ec_campaign_run(&m, c, &end, &err));
    CHECK_INT(end, want);
    n = m.n_added;
    close_measurer(&m);
    return n;
}

static int count(const char *column, const char *value)
{
    struct ec_csv csv = { 0 };
    struct ec_err err = { 0 };
    int n = 0, i, col;

    CHECK_OK(ec_csv_read(path, &csv, &err));
    col = ec_csv_col(&csv, column);
    for (i = 0; i < csv.n_rows; i++)
        n += !value || ec_str_eq(ec_csv_cell(&csv, i, col), value);
    ec_csv_clear(&csv);
    return n;
}

TEST(every_item_gives_its_rows)
{
    struct ec_campaign c = { .items = items, .n_items = EC_LEN(items), .seed = 7, .n_shards = 1 };

    fresh();
    stop_at = 0;
    (void)run(&c, EC_CAMPAIGN_DONE);
    CHECK_INT(count("method", "separated"), 4 + 2); /* relu has no weights */
    CHECK_INT(count("method", "marginal"), 1);
    CHECK_INT(count("method", "isolated"), 1);
    CHECK_INT(count("method", "justus"), 1);
    CHECK_INT(count("method", "whole"), 5);
    CHECK_INT(count("phase", "step"), 4);
    CHECK_INT(count("outcome", "ok"), count("outcome", NULL));
    CHECK_INT(run(&c, EC_CAMPAIGN_DONE), 0); /* all of it is there */
    (void)unlink(path);
}

/* Trains the network of the item on data; its iterations go to fed.csv. */
static void feed(const struct ec_campaign_item *item, const char *data, int64_t max_iters)
{
    struct ec_campaign c = { .items = item, .n_items = 1, .seed = 7, .n_shards = 1 };
    struct ec_iterations it = { .max_iters = max_iters, .warmup_iters = 2, .workers = 1 };
    enum ec_campaign_end end = EC_CAMPAIGN_DONE;
    struct ec_measurer m;
    struct ec_err err = { 0 };

    open_measurer(&m);
    m.iterations = &it;
    it.env = "here";
    it.data = data;
    CHECK_OK(ec_iterations_open(&it, "fed.csv", &err));
    CHECK_OK(ec_campaign_run(&m, &c, &end, &err));
    CHECK_STR(m.why, "");
    close_measurer(&m);
    ec_iterations_close(&it);
}

static double number(const struct ec_csv *csv, int row, const char *column)
{
    double v = -1;

    (void)ec_parse_double(ec_span_of(ec_csv_cell(csv, row, ec_csv_col(csv, column))), &v);
    return v;
}

static void check_fed(const char *data, const char *image_px, int n)
{
    struct ec_csv csv = { 0 };
    struct ec_err err = { 0 };
    int i;

    CHECK_OK(ec_csv_read("fed.csv", &csv, &err));
    CHECK_INT(csv.n_rows, n);
    for (i = 0; i < csv.n_rows; i++) {
        double time_ms = number(&csv, i, "time_ms"), wait_ms = number(&csv, i, "wait_ms");

        CHECK(time_ms > 0 && wait_ms >= 0 && wait_ms <= time_ms);
        CHECK_STR(ec_csv_cell(&csv, i, ec_csv_col(&csv, "data")), data);
        CHECK_STR(ec_csv_cell(&csv, i, ec_csv_col(&csv, "image_px")), image_px);
        CHECK_STR(ec_csv_cell(&csv, i, ec_csv_col(&csv, "flags")), "data_loading");
    }
    ec_csv_clear(&csv);
    (void)unlink("fed.csv");
}

/* Fed from a data set, a step is another row than that on one batch. */
TEST(a_network_may_be_fed_from_data)
{
    static const char data[] = "synthetic:train=16"; /* four steps an epoch */
    struct ec_campaign c = { .items = items + 2, .n_items = 1, .seed = 7, .n_shards = 1 };

    fresh();
    stop_at = 0;
    (void)run(&c, EC_CAMPAIGN_DONE);
    CHECK_INT(count("phase", "step"), 1);
    feed(items + 2, data, 7);
    CHECK_INT(count("phase", "step"), 2);
    CHECK_INT(count("method", "fed"), 1);
    CHECK_INT(count("flags", "data_loading"), 1);
    CHECK_INT(count("outcome", "ok"), count("outcome", NULL));
    check_fed(data, "28", 7);
    (void)unlink(path);
}

/* Two JPEG files, one a class: the loader goes round and round. */
TEST(images_of_a_folder_feed_a_network)
{
#ifdef EC_HAVE_JPEG
    static const struct ec_campaign_item net = {
        .kind = EC_CAMPAIGN_NETWORK,
        .what = "cifar_cnn:depth=1,base_filters=2",
        .opts = {.struct_size = sizeof(struct ec_graph_opts), .batch = 2},
        .cond.optimizer = EC_OPT_sgd
    };

    CHECK_INT(system("mkdir -p fed/a fed/b && cp fuzz/corpus/jpeg/ramp.jpg fed/a/1.jpg && "
                     "cp fuzz/corpus/jpeg/progressive.jpg fed/b/1.jpg"),
              0);
    fresh();
    stop_at = 0;
    feed(&net, "imagefolder:fed", 4);
    check_fed("imagefolder:fed", "32", 4);
    CHECK_INT(system("rm -r fed"), 0);
    (void)unlink(path);
#else
    printf("skipped: built without libjpeg\n");
#endif
}

TEST(a_stopped_campaign_goes_on)
{
    struct ec_campaign c = { .items = items, .n_items = EC_LEN(items), .seed = 7, .n_shards = 1 };
    int64_t first, second;

    fresh();
    stop_at = 1; /* asked inside the first item too: it ends with what it has */
    first = run(&c, EC_CAMPAIGN_STOPPED);
    stop_at = 0;
    second = run(&c, EC_CAMPAIGN_DONE);
    CHECK(first > 0);
    CHECK_INT(first + second, 14);
    CHECK_INT(count("outcome", NULL), 14);
    (void)unlink(path);
}

TEST(shards_part_the_items)
{
    struct ec_campaign c = { .items = items, .n_items = EC_LEN(items), .seed = 7, .n_shards = 2 };
    int64_t n = 0;

    fresh();
    stop_at = 0;
    for (c.shard = 0; c.shard < c.n_shards; c.shard++)
        n += run(&c, EC_CAMPAIGN_DONE);
    CHECK_INT(n, 14);
    CHECK_INT(count("outcome", NULL), 14);
    (void)unlink(path);
}

TEST(what_does_not_fit_is_a_row)
{
    static const struct ec_campaign_item large[] = {
        {.kind = EC_CAMPAIGN_LAYER,
         .what = "linear m=2000000 k=65536 n=65536",
         .cond.optimizer = EC_OPT_sgd,
         .methods = EC_LAYER_MARGINAL},
    };
    struct ec_campaign c = { .items = large, .n_items = 1, .seed = 1, .n_shards = 1 };

    fresh();
    stop_at = 0;
    CHECK_INT(run(&c, EC_CAMPAIGN_DONE), 1);
    CHECK_INT(count("outcome", "out_of_memory"), 1);
    CHECK_INT(run(&c, EC_CAMPAIGN_DONE), 0);
    (void)unlink(path);
}

/* The engine's losses are one task, which the program has and no operator of the graph. */
TEST(a_loss_is_measured_as_a_program_takes_it)
{
    static const struct ec_campaign_item losses[] = {
        {.kind = EC_CAMPAIGN_LAYER,
         .what = "cross_entropy n=32 c=100",
         .cond.optimizer = EC_OPT_sgd,
         .methods = EC_LAYER_SEPARATED},
        { .kind = EC_CAMPAIGN_LAYER,
         .what = "mse x=32x100",
         .cond.optimizer = EC_OPT_sgd,
         .methods = EC_LAYER_SEPARATED},
    };
    struct ec_campaign c = { .items = losses, .n_items = 2, .seed = 1, .n_shards = 1 };

    fresh();
    stop_at = 0;
    CHECK_INT(run(&c, EC_CAMPAIGN_DONE), 2);
    CHECK_INT(count("outcome", "ok"), 2);
    CHECK_INT(count("phase", "forward_backward"), 2);
    CHECK_INT(run(&c, EC_CAMPAIGN_DONE), 0);
    (void)unlink(path);
}

/* Each activation is a row of its own in the lone steps, and no part of the others. */
TEST(an_activation_belongs_to_lone_steps)
{
    static const char *const activations[] = { NULL, "none", "relu", "tanh" };
    struct ec_campaign_item layers[EC_LEN(activations)];
    struct ec_campaign c = { .items = layers, .n_items = EC_LEN(layers), .seed = 1, .n_shards = 1 };
    int i;

    for (i = 0; i < EC_LEN(layers); i++) {
        layers[i] = items[0];
        layers[i].activation = activations[i];
    }
    fresh();
    stop_at = 0;
    CHECK_INT(run(&c, EC_CAMPAIGN_DONE), 4 + 1 + 3 * 2);
    CHECK_INT(count("activation", "relu"), 2);
    CHECK_INT(count("activation", "tanh"), 2);
    CHECK_INT(count("activation", ""), 7);
    CHECK_INT(count("outcome", "ok"), count("outcome", NULL));
    CHECK_INT(run(&c, EC_CAMPAIGN_DONE), 0);
    (void)unlink(path);
}
