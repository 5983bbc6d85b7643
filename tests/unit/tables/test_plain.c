/* Tables of users: their layout by the names of columns, what is missing, what is wrong. */
#include "test.h"

#include "tables/mapping_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct table {
    struct ec_csv csv;
    struct ec_arena arena;
    const struct ec_mapping *layout;
    struct ec_record_list rows;
};

/* As much of the catalogue as is needed here. */
static const char *device_in(const char *text, bool whole)
{
    if (whole)
        return ec_str_ieq(text, "a100") ? "a100" : ec_str_ieq(text, "t4") ? "t4" : NULL;
    return ec_str_glob("*a100*", text) ? "a100" : ec_str_glob("*t4*", text) ? "t4" : NULL;
}

static enum ec_status open_with(struct table *t, const char *text, struct ec_table_given given,
                                struct ec_err *err)
{
    enum ec_status st;

    given.device_in = device_in;
    EC_TRY(ec_csv_parse(text, strlen(text), &t->csv, err));
    EC_TRY(ec_table_prepare(&t->csv, &given, err));
    EC_TRY(ec_mapping_of_table(&t->csv, &given, &t->arena, &t->layout, err));
    EC_TRY(ec_mapping_rows(t->layout, &t->csv, &t->arena, &t->rows, err));
out:
    return st;
}

static void close_table(struct table *t)
{
    ec_records_clear(&t->rows);
    ec_csv_clear(&t->csv);
    ec_arena_clear(&t->arena);
}

#define NOTHING ((struct ec_table_given){ 0 })

/* ------------------------------------------------------------------------------------------------
 * Every name of every column, in a table that is read */

static const char *sample_of(enum ec_quantity q)
{
    switch (q) {
    case EC_Q_MODEL:
        return "resnet18";
    case EC_Q_DEVICE:
    case EC_Q_ENV:
        return "t4";
    case EC_Q_PRECISION:
        return "fp16";
    case EC_Q_FRAMEWORK:
        return "torch 1.13";
    case EC_Q_FRAMEWORK_VERSION:
        return "1.13";
    case EC_Q_OPTIMIZER:
        return "adam";
    case EC_Q_MEMORY_FORMAT:
        return "nhwc";
    case EC_Q_MODE:
        return "inference";
    case EC_Q_RECOMPUTE:
        return "True";
    case EC_Q_TUNING:
        return "LoRA";
    case EC_Q_FP32_ADAPTERS:
        return "1";
    case EC_Q_ZERO:
        return "2";
    case EC_Q_FSDP:
        return "full_shard";
    default:
        return "4";
    }
}

static bool is_reading(enum ec_quantity q)
{
    return q == EC_Q_STEP_TIME || q == EC_Q_EPOCH_TIME || q == EC_Q_MEMORY || ec__column_rate(q);
}

static void put_column(struct ec_buf *head, struct ec_buf *row, const char *name, const char *cell)
{
    ec_buf_printf(head, "%s%s", head->len ? "," : "", name);
    ec_buf_printf(row, "%s%s", row->len ? "," : "", cell);
}

/* The column alone, and what else a table needs. */
static void write_table(enum ec_quantity q, const char *name, struct ec_buf *out)
{
    struct ec_buf head = EC_BUF_INIT, row = EC_BUF_INIT;

    put_column(&head, &row, name, sample_of(q));
    if (q != EC_Q_MODEL)
        put_column(&head, &row, "model", "resnet18");
    if (q != EC_Q_DEVICE && q != EC_Q_ENV)
        put_column(&head, &row, "device", "t4");
    if (q != EC_Q_BATCH)
        put_column(&head, &row, "batch", "4");
    if (q == EC_Q_EPOCH_TIME)
        put_column(&head, &row, "dataset_size", "400");
    if (q == EC_Q_TOKEN_RATE)
        put_column(&head, &row, "seq_len", "4");
    if (!is_reading(q))
        put_column(&head, &row, "step_time_ms", "4");
    ec_buf_printf(out, "%s\n%s\n", ec_buf_text(&head), ec_buf_text(&row));
    ec_buf_clear(&head);
    ec_buf_clear(&row);
}

/* What the row must say where the column says it. */
static void check_told(const struct ec_record *m, enum ec_quantity q, double size)
{
    CHECK_STR(m->what, "resnet18");
    CHECK_STR(m->device, "t4");
    CHECK_INT(m->batch, 4);
    CHECK_STR(ec_record_word(m, EC_WORD_PRECISION), q == EC_Q_PRECISION ? "fp16" : "fp32");
    CHECK_STR(ec_record_word(m, EC_WORD_FRAMEWORK),
              q == EC_Q_FRAMEWORK ? "pytorch-1" : "pytorch-2");
    CHECK_STR(ec_record_word(m, EC_WORD_LAYOUT),
              q == EC_Q_MEMORY_FORMAT ? "channels-last" : "channels-first");
    CHECK_STR(ec_record_word(m, EC_WORD_RECOMPUTE), q == EC_Q_RECOMPUTE ? "full" : "none");
    CHECK_STR(m->job, q == EC_Q_TUNING          ? "tuning=lora"
                      : q == EC_Q_FP32_ADAPTERS ? "fp32_adapters=1"
                      : q == EC_Q_ZERO          ? "zero=2"
                      : q == EC_Q_FSDP          ? "zero=3"
                      : q == EC_Q_TP            ? "tp=4"
                      : q == EC_Q_PP            ? "pp=4"
                      : q == EC_Q_CP            ? "cp=4"
                      : q == EC_Q_EP            ? "ep=4"
                                                : "");
    CHECK_STR(ec_record_word(m, EC_WORD_MODE), q == EC_Q_MODE ? "forward" : "training_step");
    CHECK_STR(ec_record_word(m, EC_WORD_OPTIMIZER), q == EC_Q_OPTIMIZER ? "adam"
                                                    : q == EC_Q_MODE    ? "none"
                                                                        : "sgd");
    CHECK_INT(m->image_px, q == EC_Q_IMAGE_PX ? 4 : 0);
    CHECK_INT(m->seq_len, q == EC_Q_SEQ_LEN || q == EC_Q_TOKEN_RATE ? 4 : 0);
    CHECK_INT(m->num_devices, q == EC_Q_NUM_DEVICES ? 4 : 1);
    CHECK(m->memory_peak_bytes == (q == EC_Q_MEMORY ? 4 * size : 0));
    CHECK(m->time.ns == (q == EC_Q_MEMORY       ? 0
                         : q == EC_Q_STEP_RATE  ? 1e9 / 4
                         : q == EC_Q_RATE       ? 1e9
                         : q == EC_Q_TOKEN_RATE ? 4e9
                         : q == EC_Q_EPOCH_TIME ? 4 * size / 100
                         : q == EC_Q_STEP_TIME  ? 4 * size
                                                : 4e6));
}

static void check_name(const struct ec_column *c, struct ec_span alias, const char *unit,
                       double size)
{
    struct ec_buf text = EC_BUF_INIT;
    struct table t = { 0 };
    struct ec_err err = { 0 };
    char name[96];

    (void)snprintf(name, sizeof name, "%.*s%s%s", (int)alias.len, alias.p, *unit ? "_" : "", unit);
    write_table(c->quantity, name, &text);
    CHECK_OK(open_with(&t, ec_buf_text(&text), NOTHING, &err));
    if (t.rows.n == 1)
        check_told(&t.rows.v[0], c->quantity, size);
    else
        test_fail(__FILE__, __LINE__, "%d rows of a table with a column %s: %s", t.rows.n, name,
                  t.rows.n_faulty ? t.rows.fault[0] : err.text);
    close_table(&t);
    ec_buf_clear(&text);
}

TEST(each_name_of_each_column_is_read)
{
    int i;

    for (i = 0; i < ec_n_columns; i++) {
        const struct ec_column *c = &ec_columns[i];
        struct ec_span rest = ec_span_of(c->names), alias;
        const struct ec_unit *u;

        while (rest.p && ec_span_cut(&rest, ' ', &alias)) {
            if (!c->units || c->size > 0)
                check_name(c, alias, "", c->size);
            for (u = c->units; u && u->name; u++)
                check_name(c, alias, u->name, u->size);
        }
    }
}

/* Of several devices the rate is that of all, the batch that of one. */
TEST(rates_of_several_devices)
{
    static const char text[] = "model,device,gpus,batch,images_per_s\nresnet18,t4,4,64,3600\n"
                               "resnet18,t4,1,64,900\n";
    struct table t = { 0 };
    struct ec_err err = { 0 };

    CHECK_OK(open_with(&t, text, NOTHING, &err));
    CHECK_INT(t.rows.n, 2);
    if (t.rows.n == 2) {
        CHECK_INT(t.rows.v[0].num_devices, 4);
        CHECK(t.rows.v[0].time.ns == 4.0 * 64 / 3600 * 1e9);
        CHECK(t.rows.v[1].time.ns == 64.0 / 900 * 1e9);
    }
    close_table(&t);
}

TEST(what_a_table_calls_suspect_is_flagged)
{
    static const char text[] = "model,device,batch,step_time_ms,time_suspect\n"
                               "resnet18,t4,64,80,0\nresnet18,t4,64,2,1\n";
    struct table t = { 0 };
    struct ec_err err = { 0 };

    CHECK_OK(open_with(&t, text, NOTHING, &err));
    CHECK_INT(t.rows.n, 2);
    if (t.rows.n == 2) {
        CHECK_STR(t.rows.v[0].flags, "");
        CHECK_STR(t.rows.v[1].flags, "time_suspect");
    }
    close_table(&t);
}

TEST(predictions_are_no_measurements)
{
    static const char text[] = "model,device,batch,step_time_ns,step_time_p05_ns\n"
                               "resnet18,t4,64,9,8\n";
    struct table t = { 0 };
    struct ec_err err = { 0 };

    CHECK_FAILS(open_with(&t, text, NOTHING, &err), EC_E_NOT_FOUND, "a table of predictions");
    close_table(&t);
}

TEST(tokens_per_second_need_the_tokens_of_a_sample)
{
    struct table t = { 0 };
    struct ec_err err = { 0 };

    CHECK_FAILS(open_with(&t, "model,device,batch,tokens_per_s\ngpt2,t4,4,900\n", NOTHING, &err),
                EC_E_INPUT, "the tokens of a sample (seq_len)");
    close_table(&t);
}

/* ------------------------------------------------------------------------------------------------
 * Headers of the field */

TEST(the_grid_of_cnns)
{
    static const char text[] =
        "depth,base_filters,batch_size,num_params,dataset_size,epochs,time_per_epoch,"
        "images_per_second,max_gpu_mem_mb\n"
        "2,32,64,591274,40000,5,5,8000,160.5\n"
        "4,64,128,1000,40000,5,8,5000,320\n";
    struct table t = { 0 };
    struct ec_err err = { 0 };

    CHECK_OK(open_with(&t, text, (struct ec_table_given){ .path = "runs/configs_a100.csv" }, &err));
    CHECK_STR(ec_mapping_name(t.layout), "cnn-grid");
    CHECK_INT(t.rows.n, 2);
    if (t.rows.n == 2) {
        CHECK_STR(t.rows.v[0].what, "cifar_cnn:depth=2,base_filters=32");
        CHECK_STR(t.rows.v[1].what, "cifar_cnn:depth=4,base_filters=64");
        CHECK_STR(t.rows.v[0].device, "a100");
        CHECK_INT(t.rows.v[0].batch, 64);
        CHECK(t.rows.v[0].time.ns == 64.0 / 8000 * 1e9);
    }
    close_table(&t);
}

TEST(a_grid_that_tells_epochs_alone)
{
    static const char text[] = "depth,base_filters,batch_size,dataset_size,time_per_epoch\n"
                               "2,32,64,6500,5.1\n";
    struct table t = { 0 };
    struct ec_err err = { 0 };

    CHECK_OK(open_with(&t, text, (struct ec_table_given){ .device = "t4" }, &err));
    CHECK_INT(t.rows.n, 1);
    if (t.rows.n) /* 102 steps, the last of them not whole */
        CHECK(t.rows.v[0].time.ns == 5.1e9 / 102);
    close_table(&t);
}

TEST(iterations_with_their_conditions)
{
    static const char text[] = "env,device,model,batch_size,iteration,time_ms,images_per_s\n"
                               "t4,cuda,resnet18,8,0,90,1\nt4,cuda,resnet18,8,1,40,1\n"
                               "t4,cuda,vgg16,8,0,70,1\nt4,cuda,resnet18,8,2,42,1\n"
                               "t4,cuda,vgg16,8,1,80,1\n";
    struct table t = { 0 };
    struct ec_err err = { 0 };

    CHECK_OK(open_with(&t, text, NOTHING, &err));
    CHECK_STR(ec_mapping_name(t.layout), "iterations");
    CHECK_INT(t.rows.n, 2); /* each the median of its run */
    if (t.rows.n == 2) {
        CHECK_STR(t.rows.v[0].device, "t4"); /* "cuda" is a place, no product */
        CHECK_STR(t.rows.v[0].what, "resnet18");
        CHECK(t.rows.v[0].time.ns == 42e6);
        CHECK_STR(t.rows.v[1].what, "vgg16");
        CHECK(t.rows.v[1].time.ns == 75e6);
    }
    close_table(&t);
}

TEST(a_column_of_devices_tells_products)
{
    static const char *const texts[] = {
        "device,gpu_name,model,batch,step_time_ms\ncuda,t4,vgg16,8,90\n",
        "gpu,hardware,model,batch,step_time_ms\n1,t4,vgg16,8,90\n",
        "device,env,model,batch,step_time_ms\nboard 7,t4,vgg16,8,90\n",
        "device,env,model,batch,step_time_ms\nt4,a box with an a100,vgg16,8,90\n",
    };
    struct ec_err err = { 0 };
    int i;

    for (i = 0; i < EC_LEN(texts); i++) {
        struct table t = { 0 };

        CHECK_OK(open_with(&t, texts[i], NOTHING, &err));
        CHECK_INT(t.rows.n, 1);
        if (t.rows.n)
            CHECK_STR(t.rows.v[0].device, "t4");
        close_table(&t);
    }
}

TEST(iterations_alone)
{
    static const char text[] =
        "iter_idx,iter_time_ms,imgs_per_sec\n0,100,639\n1,80,800\n2,82,780\n";
    static const char uneven[] = "iter_idx,iter_time_ms,imgs_per_sec\n0,100,640\n1,80,400\n";
    struct ec_table_given given = { .path = "resnet18_t4.csv", .model = "resnet18" };
    struct table t = { 0 }, u = { 0 };
    struct ec_err err = { 0 };

    CHECK_OK(open_with(&t, text, given, &err));
    CHECK_INT(t.rows.n, 1);
    if (t.rows.n) {
        CHECK_STR(t.rows.v[0].device, "t4");
        CHECK_INT(t.rows.v[0].batch, 64); /* what a step does of so many in a second */
        CHECK(t.rows.v[0].time.ns == 82e6);
    }
    CHECK_FAILS(open_with(&u, uneven, given, &err), EC_E_INPUT, "no column says the batch");
    close_table(&t);
    close_table(&u);
}

TEST(a_column_goes_before_an_option)
{
    static const char text[] = "model,gpu,batch_size,step_time_ms\nresnet50,A100,32,110\n";
    struct ec_table_given given = {
        .path = "t4.csv", .model = "vgg16", .device = "a100", .precision = "amp", .batch = 8
    };
    struct table t = { 0 };
    struct ec_err err = { 0 };

    CHECK_OK(open_with(&t, text, given, &err));
    CHECK_STR(ec_mapping_name(t.layout), "plain");
    CHECK_INT(t.rows.n, 1);
    if (t.rows.n) {
        CHECK_STR(t.rows.v[0].what, "resnet50");
        CHECK_STR(t.rows.v[0].device, "A100");
        CHECK_INT(t.rows.v[0].batch, 32);
        CHECK_STR(ec_record_word(&t.rows.v[0], EC_WORD_PRECISION), "amp");
    }
    close_table(&t);
}

TEST(epochs_of_networks_on_devices)
{
    static const char text[] = "device,network,batch_size,dataset_size,img_size,precision,epoch_s\n"
                               "p4,vgg16,16,1048,224,fp32,25.71\n";
    struct table t = { 0 };
    struct ec_err err = { 0 };

    CHECK_OK(open_with(&t, text, NOTHING, &err));
    CHECK_INT(t.rows.n, 1);
    if (t.rows.n) {
        CHECK(t.rows.v[0].time.ns == 25.71e9 / 66);
        CHECK_INT(t.rows.v[0].image_px, 224);
    }
    close_table(&t);
}

/* The tables of PreNeT have layouts of their own, which go first. */
TEST(public_tables_keep_their_layouts)
{
    const char *dir = getenv("EPOCHCAST_DATA");
    const struct ec_mapping *l = NULL;
    struct ec_record_list rows = { 0 };
    struct ec_arena a = { 0 };
    struct ec_csv csv = { 0 };
    struct ec_err err = { 0 };
    char path[512];

    if (!dir) {
        (void)printf("skipped: tables of PreNeT: EPOCHCAST_DATA is not set\n");
        return;
    }
    (void)snprintf(path, sizeof path, "%s/prenet/epoch_times.csv", dir);
    CHECK_OK(ec_csv_read(path, &csv, &err));
    CHECK_OK(ec_mapping_of_table(&csv, NULL, &a, &l, &err));
    CHECK_STR(ec_mapping_name(l), "prenet-epoch");
    CHECK_OK(ec_mapping_rows(l, &csv, &a, &rows, &err));
    CHECK_INT(rows.n, csv.n_rows);
    ec_records_clear(&rows);
    ec_csv_clear(&csv);
    (void)snprintf(path, sizeof path, "%s/prenet/published_layer_rmse.csv", dir);
    CHECK_OK(ec_csv_read(path, &csv, &err));
    CHECK_FAILS(ec_mapping_of_table(&csv, NULL, &a, &l, &err), EC_E_NOT_FOUND, "prenet-published");
    CHECK_OK(ec_mapping_of_record(&csv, NULL, &a, &l, &err));
    CHECK_STR(ec_mapping_name(l), "prenet-published");
    ec_csv_clear(&csv);
    ec_arena_clear(&a);
}

/* ------------------------------------------------------------------------------------------------
 * What is missing or wrong */

TEST(what_is_missing_is_asked_for)
{
    /* clang-format off */
    static const struct {
        const char *header, *sentence;
        enum ec_status st;
    } cases[] = {
        { "model,device,step_time_ms", "no column says the batch (or say --batch N); ",
          EC_E_INPUT },
        { "model,batch,step_time_ms", "no column says the device (or say --device KEY); ",
          EC_E_INPUT },
        { "iter_idx,iter_time_ms",
          "no column says the model, the device and the batch (or say --model NAME, "
          "--device KEY, --batch N); ", EC_E_INPUT },
        { "model,device,batch,step_time",
          "the name of column step_time says no unit: call it step_time_ms; ", EC_E_INPUT },
        { "model,device,batch", "no column says the time; ", EC_E_NOT_FOUND },
        { "model,device,batch,step_tme_ms",
          "no column says the time; columns without a known meaning: step_tme_ms (did you mean "
          "step_time_ms?); ", EC_E_INPUT },
        { "colour,taste",
          "no known table format has these 2 columns (colour, taste, ...): no column says the "
          "model, the device, the batch and the time; ", EC_E_NOT_FOUND },
    };
    /* clang-format on */
    static const char enough[] = "a table needs at least: model,device,batch,step_time_ms";
    struct ec_err err = { 0 };
    int i;

    for (i = 0; i < EC_LEN(cases); i++) {
        struct table t = { 0 };

        CHECK_FAILS(open_with(&t, cases[i].header, NOTHING, &err), cases[i].st, cases[i].sentence);
        CHECK_HAS(err.text, enough);
        close_table(&t);
    }
}

TEST(bad_rows_are_told_and_the_others_kept)
{
    static const char text[] = "model,gpu,batch_size,precision,step_time_ms\n"
                               "resnet50,t4,32,fp32,110.5\n"
                               "resnet50,t4,64,fp32,soon\n"
                               "resnet50,t4,1.5,fp32,20\n"
                               "resnet50,t4,64,fp12,20\n"
                               ",t4,64,fp32,20\n"
                               "resnet50,t4,64,Mixed,21\n";
    struct table t = { 0 };
    struct ec_err err = { 0 };

    CHECK_OK(open_with(&t, text, NOTHING, &err));
    CHECK_INT(t.rows.n, 2);
    CHECK_INT(t.rows.n_faulty, 4);
    CHECK_STR(t.rows.fault[0],
              "line 3, column step_time_ms: found \"soon\", expected a number such as 73.1");
    CHECK_STR(t.rows.fault[1],
              "line 4, column batch_size: found \"1.5\", expected a whole number of at least 1");
    CHECK_STR(t.rows.fault[2],
              "line 5, column precision: found \"fp12\", expected fp32, tf32, amp, bf16, fp16");
    close_table(&t);
}

TEST(signs_of_templates_in_names)
{
    static const char text[] = "model{,model,device,batch,step time (ms)\n1,vgg16,t4,2,3\n";
    struct table t = { 0 };
    struct ec_err err = { 0 };

    CHECK_OK(open_with(&t, text, NOTHING, &err));
    CHECK_INT(t.rows.n, 1);
    close_table(&t);
}

static enum ec_status allocate(struct ec_err *err)
{
    struct table t = { 0 };
    enum ec_status st = open_with(&t,
                                  "env,device,model,batch,precision,iteration,time_ms\n"
                                  "t4,cuda,m,2,fp32,0,3\nt4,cuda,m,2,fp12,1,3\n",
                                  NOTHING, err);

    close_table(&t);
    return st;
}

TEST(each_allocation_failing)
{
    CHECK_TORTURE(allocate);
}
