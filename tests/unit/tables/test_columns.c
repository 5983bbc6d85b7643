/* Names of columns: each row of the table is walked, in every spelling and unit. */
#include "test.h"

#include "tables/tables.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* "step_time" + "ms" -> "Step-Time (MS)" or "step time ms" */
static void spell(struct ec_span alias, const char *unit, bool loud, char *out, size_t size)
{
    size_t i;

    (void)snprintf(out, size, loud ? "%.*s%s%s%s" : "%.*s%s%s%s", (int)alias.len, alias.p,
                   *unit ? (loud ? " (" : " ") : "", unit, *unit && loud ? ")" : "");
    for (i = 0; out[i]; i++) {
        if (out[i] == '_')
            out[i] = loud ? '-' : ' ';
        if (loud)
            out[i] = (char)toupper((unsigned char)out[i]);
    }
}

static void check_name(int row, struct ec_span alias, const char *unit, double size)
{
    const struct ec_column *c = &ec_columns[row];
    char plain[96], name[96];
    int i;

    (void)snprintf(plain, sizeof plain, "%.*s%s%s", (int)alias.len, alias.p, *unit ? "_" : "",
                   unit);
    for (i = 0; i < 3; i++) {
        struct ec_meaning m;

        (void)snprintf(name, sizeof name, "%s", plain);
        if (i)
            spell(alias, unit, i == 2, name, sizeof name);
        m = ec_column_meaning(name);
        if (m.quantity != c->quantity || m.rank != row || m.size != size)
            test_fail(__FILE__, __LINE__, "\"%s\" is row %d of size %g, expected row %d of %g",
                      name, m.rank, m.size, row, size);
    }
}

/* "step_ms" is a time, "step" the number of an iteration: a word that needs a unit may be another
 * row's word without one. */
static bool bare_is_another(int row, struct ec_span alias)
{
    const struct ec_column *c = &ec_columns[row];
    char name[96];

    (void)snprintf(name, sizeof name, "%.*s", (int)alias.len, alias.p);
    return c->units && !(c->size > 0) && ec_column_meaning(name).rank < row;
}

TEST(each_row_is_found_by_each_of_its_names)
{
    int row;

    for (row = 0; row < ec_n_columns; row++) {
        const struct ec_column *c = &ec_columns[row];
        struct ec_span rest = ec_span_of(c->names), alias;
        const struct ec_unit *u;

        while (rest.p && ec_span_cut(&rest, ' ', &alias)) {
            CHECK(alias.len > 0);
            if (!bare_is_another(row, alias))
                check_name(row, alias, "", c->size);
            for (u = c->units; u && u->name; u++)
                check_name(row, alias, u->name, u->size);
        }
    }
}

TEST(words_without_signs_between_them)
{
    CHECK_INT(ec_column_meaning("batchsize").quantity, EC_Q_BATCH);
    CHECK_INT(ec_column_meaning("BatchSize").quantity, EC_Q_BATCH);
    CHECK_INT(ec_column_meaning("images/s").quantity, EC_Q_RATE);
    CHECK_INT(ec_column_meaning("Images / sec").quantity, EC_Q_RATE);
    CHECK(ec_column_meaning("stepTimeMs").size == 1e6);
    /* near to each other, and not the same */
    CHECK_INT(ec_column_meaning("epochs").quantity, EC_Q_EPOCHS);
    CHECK_INT(ec_column_meaning("epoch_s").quantity, EC_Q_EPOCH_TIME);
    CHECK_INT(ec_column_meaning("times").quantity, EC_Q_NONE);
    CHECK_INT(ec_column_meaning("samples").quantity == EC_Q_RATE &&
                  ec_column_meaning("samples").size > 0,
              0);
    CHECK_INT(ec_column_meaning("").quantity, EC_Q_NONE);
    CHECK_INT(ec_column_meaning("colour").quantity, EC_Q_NONE);
}

TEST(the_longest_unit_is_the_one)
{
    static const struct {
        const char *column, *text;
        double size;
        enum ec_measure measure;
        bool apart;
    } rows[] = {
        {"wait_s",               "s",         1e9,    EC_MEASURE_TIME,   true },
        { "steps_per_s",         "1/s",       1,      EC_MEASURE_NUMBER, true },
        { "copied_bytes_per_s",  "B/s",       1,      EC_MEASURE_LARGE,  true },
        { "ridge_flop_per_byte", "FLOP/byte", 1,      EC_MEASURE_NUMBER, true },
        { "cache_kib",           "KiB",       0x1p10, EC_MEASURE_BYTES,  true },
        { "error_pct",           "%",         0.01,   EC_MEASURE_SHARE,  true },
        { "images_per_s",        "images/s",  1,      EC_MEASURE_NUMBER, false},
        { "median_tokens_per_s", "tokens/s",  1,      EC_MEASURE_LARGE,  false},
        { "val_accuracy",        "",          1,      EC_MEASURE_SHARE,  false},
    };
    bool apart;
    int i;

    for (i = 0; i < EC_LEN(rows); i++) {
        const struct ec_unit *u = ec_unit_of(rows[i].column, &apart);

        CHECK(u != NULL);
        if (!u)
            continue;
        CHECK_STR(u->text, rows[i].text);
        CHECK_NEAR(u->size, rows[i].size, 0);
        CHECK_INT(u->measure, rows[i].measure);
        CHECK_INT(apart, rows[i].apart);
    }
    CHECK(ec_unit_of("ms", &apart) == NULL);
    CHECK(ec_unit_of("depths", &apart) == NULL);
    CHECK(ec_unit_of("", &apart) == NULL);
}

TEST(units_of_whatever_a_column_tells)
{
    double s = -1;

    CHECK_STR(ec_column_unit("time_per_epoch", &s), "s");
    CHECK(s == 1);
    CHECK_STR(ec_column_unit("step_time_ms", &s), "ms");
    CHECK(s == 1e-3);
    CHECK_STR(ec_column_unit("stall_us", &s), "us");
    CHECK(s == 1e-6);
    CHECK_STR(ec_column_unit("images_per_second", &s), "images/s");
    CHECK(s == 0);
    CHECK_STR(ec_column_unit("samples_per_s", &s), "samples/s");
    CHECK_STR(ec_column_unit("tokens_per_s", &s), "tokens/s");
    CHECK_STR(ec_column_unit("rows_per_s", &s), "1/s");
    CHECK_STR(ec_column_unit("max_gpu_mem_mb", &s), "MB");
    CHECK_STR(ec_column_unit("cache_mib", &s), "MiB");
    CHECK_STR(ec_column_unit("achieved_flop_per_s", &s), "FLOP/s");
    CHECK(ec_column_unit("depth", &s) == NULL && s == 0);
    CHECK(ec_column_unit("rows_b", &s) == NULL && s == 0);
}

TEST(words_of_anybody)
{
    CHECK_STR(ec_column_word(EC_Q_PRECISION, "Float32"), "fp32");
    CHECK_STR(ec_column_word(EC_Q_PRECISION, "16-mixed"), "amp");
    CHECK_STR(ec_column_word(EC_Q_PRECISION, "torch.bfloat16"), "bf16");
    CHECK_STR(ec_column_word(EC_Q_FRAMEWORK, "PyTorch 1.13.1"), "pytorch-1");
    CHECK_STR(ec_column_word(EC_Q_FRAMEWORK, "torch 2.4"), "pytorch-2");
    CHECK_STR(ec_column_word(EC_Q_FRAMEWORK, "TensorFlow"), "tensorflow-2");
    CHECK_STR(ec_column_word(EC_Q_OPTIMIZER, "AdamW"), "adamw");
    CHECK_STR(ec_column_word(EC_Q_MODE, "train"), "training_step");
    CHECK(ec_column_word(EC_Q_PRECISION, "fp12") == NULL);
    CHECK(ec_column_word(EC_Q_MODEL, "resnet50") == NULL);
}

TEST(a_column_by_another_name)
{
    static const char text[] = "Depth,Batch,epoch_time_s,iter_time_ms\n1,2,3,4\n";
    struct ec_csv csv = { 0 };
    struct ec_err err = { 0 };

    CHECK_OK(ec_csv_parse(text, sizeof text - 1, &csv, &err));
    CHECK_INT(ec_column_like(&csv, "depth"), 0);
    CHECK_INT(ec_column_like(&csv, "batch_size"), 1);
    CHECK_INT(ec_column_like(&csv, "time_per_epoch"), 2);
    CHECK_INT(ec_column_like(&csv, "step_time_ms"), 3);
    CHECK_INT(ec_column_like(&csv, "step_time_s"), -1); /* another unit is another column */
    CHECK_INT(ec_column_like(&csv, "colour"), -1);
    CHECK_INT(ec_column_of(&csv, EC_Q_STEP_TIME), 3);
    CHECK_INT(ec_column_of(&csv, EC_Q_MODEL), -1);
    ec_csv_clear(&csv);
}
