/* The predictor file: reading, refusing, and what a correction does. */
#include "model/learned.h"
#include "model/network_features.h"
#include "test.h"

#include <math.h>

#define ROWS 200

static struct ec_regressor *small_model(double slope)
{
    static const char *const names[] = { "a", "b" };
    double x[ROWS * 2], y[ROWS];
    struct ec_rows rows = { x, y, names, ROWS, 2, NULL };
    struct ec_learn_env env = { .seed = 1 };
    struct ec_regressor *model = NULL;
    struct ec_arena a = { 0 };
    struct ec_recipe recipe;
    struct ec_err err = { 0 };
    int i;

    for (i = 0; i < ROWS; i++) {
        x[2 * i] = i % 17;
        x[2 * i + 1] = i % 5;
        y[i] = slope * x[2 * i];
    }
    CHECK_OK(ec_recipe_parse("linear", "", &a, &recipe, &err));
    CHECK_OK(ec_regressor_fit(&recipe, &rows, &env, &model, &err));
    ec_arena_clear(&a);
    return model;
}

static const enum ec_framework ours = EC_FW_vendor_bench;
static const struct ec_scope_key by_ours = { .framework = EC_FW_vendor_bench, .forward = true };
static const struct ec_scope_key by_caffe = { .framework = EC_FW_caffe, .forward = true };

static void save_some(struct ec_buf *out, double slope)
{
    static const struct {
        enum ec_role role;
        int scope;
        enum ec_member member;
        double share;
    } parts[] = {
        {EC_ROLE_correction,  0,                           EC_MEMBER_trees, 1   },
        { EC_ROLE_correction, 1 + (int)EC_FW_vendor_bench, EC_MEMBER_trees, 0.5 },
        { EC_ROLE_correction, 1 + (int)EC_FW_vendor_bench, EC_MEMBER_dense, 0.25},
        { EC_ROLE_spread,     0,                           EC_MEMBER_trees, 1   }
    };
    struct ec_learned *l = ec_alloc(sizeof *l);
    struct ec_err err = { 0 };
    int i;

    for (i = 0; i < EC_LEN(parts); i++) {
        struct ec_learned_model *m = NULL;

        CHECK_OK(ec_learned_place(l, EC_W_gemm, parts[i].role, parts[i].scope, parts[i].member, &m,
                                  &err));
        m->model = small_model(slope);
        m->share = parts[i].share;
    }
    CHECK_OK(ec_learned_save(l, out, &err));
    ec_learned_free(l);
}

static const struct ec_device gpu = { .kind = EC_DEV_GPU }, other = { .kind = EC_DEV_ACCELERATOR };

TEST(saved_and_loaded_is_the_same)
{
    static const double features[] = { 2, 1 };
    struct ec_buf first = EC_BUF_INIT, second = EC_BUF_INIT;
    struct ec_learned *l = NULL;
    struct ec_err err = { 0 };

    save_some(&first, 0.1);
    CHECK_OK(ec_learned_load(first.data, first.len, &l, &err));
    CHECK_OK(ec_learned_save(l, &second, &err));
    CHECK_INT(second.len, first.len);
    CHECK(memcmp(first.data, second.data, first.len) == 0);
    CHECK_NEAR(ec_learned_correction(l, EC_W_gemm, by_caffe, features), 0.2, 1e-6);
    CHECK_NEAR(ec_learned_correction(l, EC_W_gemm, by_ours, features), 0.15, 1e-6);
    /* its own model knows forward passes alone */
    CHECK_NEAR(
        ec_learned_correction(l, EC_W_gemm, (struct ec_scope_key){ .framework = ours }, features),
        0.2, 1e-6);
    CHECK(ec_learned_correction(l, EC_W_conv, by_caffe, features) == 0);
    CHECK_NEAR(ec_learned_spread(l, EC_W_gemm, &gpu, features), exp(0.2), 1e-6);
    CHECK(ec_learned_spread(l, EC_W_vector, &gpu, features) == 1);
    CHECK(ec_learned_spread(l, EC_W_gemm, &other, features) == 1);
    ec_learned_free(l);
    ec_buf_clear(&first);
    ec_buf_clear(&second);
}

TEST(corrections_are_bounded)
{
    static const double features[] = { 16, 1 };
    struct ec_buf file = EC_BUF_INIT;
    struct ec_learned *l = NULL;
    struct ec_err err = { 0 };

    save_some(&file, 100);
    CHECK_OK(ec_learned_load(file.data, file.len, &l, &err));
    CHECK(ec_learned_correction(l, EC_W_gemm, by_caffe, features) <= 1.5);
    CHECK(ec_learned_spread(l, EC_W_gemm, &gpu, features) <= exp(1.4));
    ec_learned_free(l);
    ec_buf_clear(&file);
}

/* Trees do not extrapolate; a dense network is held near them. */
TEST(dense_members_stay_near_the_trees)
{
    static const double both[] = { 0.5, 0.5 }, dense[] = { 0, 1 };
    const double near[] = { 0.2, 0.4 }, far[] = { 0.2, -9 }, none[] = { 0.2, (double)NAN };

    CHECK_NEAR(ec_learned_blend(near, both), 0.3, 1e-12);
    CHECK_NEAR(ec_learned_blend(far, both), 0.2 - 0.25, 1e-12);
    CHECK_NEAR(ec_learned_blend(far, dense), -1.5, 1e-12);
    CHECK(isfinite(ec_learned_blend(none, both)));
}

TEST(every_cut_is_refused)
{
    struct ec_buf file = EC_BUF_INIT;
    struct ec_learned *l = NULL;
    struct ec_err err = { 0 };
    size_t len;

    save_some(&file, 1);
    for (len = 0; len < file.len; len++)
        CHECK(ec_learned_load(file.data, len, &l, &err) != EC_OK);
    ec_buf_char(&file, 0);
    CHECK_FAILS(ec_learned_load(file.data, file.len, &l, &err), EC_E_PARSE, "too many");
    ec_buf_clear(&file);
}

TEST(every_damaged_byte_is_refused)
{
    struct ec_buf file = EC_BUF_INIT;
    size_t i;

    save_some(&file, 1);
    for (i = 0; i < file.len; i++) {
        struct ec_learned *l = NULL;

        file.data[i] = (char)(file.data[i] ^ 0x41);
        CHECK(ec_learned_load(file.data, file.len, &l, NULL) != EC_OK);
        file.data[i] = (char)(file.data[i] ^ 0x41);
    }
    ec_buf_clear(&file);
}

TEST(other_versions_are_refused)
{
    static const char *const names[] = { "version 6, this program reads 7",
                                         "version 8, this program reads 7" };
    struct ec_buf file = EC_BUF_INIT;
    struct ec_learned *l = NULL;
    struct ec_err err = { 0 };
    int i;

    save_some(&file, 0.1);
    for (i = 0; i < EC_LEN(names); i++) {
        file.data[8] = (char)(6 + 2 * i);
        CHECK_FAILS(ec_learned_load(file.data, file.len, &l, &err), EC_E_UNSUPPORTED, names[i]);
    }
    ec_buf_clear(&file);
}

/* How far off an answer of a network is may be known by all of it but framework and device. */
TEST(spreads_of_networks_are_told_no_framework_and_no_device)
{
    int i, column[EC_NF_COUNT], n = ec_role_columns(EC_W_network, EC_ROLE_spread, column);

    CHECK_INT(n, EC_NF_COUNT - 7);
    for (i = 0; i < n; i++)
        CHECK(column[i] != EC_NF_framework && column[i] != EC_NF_log_peak &&
              column[i] != EC_NF_log_bandwidth);
}

/* Networks are answered by the laws. */
TEST(networks_ship_no_correction)
{
    static const enum ec_width_kind kinds[] = { EC_W_network, EC_W_network_not_gpu };
    struct ec_scope_key who = { .framework = EC_FW_pytorch_2 };
    double features[EC_NF_COUNT] = { 0 };
    struct ec_learned *l = NULL;
    struct ec_err err = { 0 };
    int i;

    CHECK_OK(ec_learned_open_shipped(&l, &err));
    for (i = 0; l && i < EC_LEN(kinds); i++) {
        CHECK_OK(ec_learned_need(l, kinds[i], who, &err));
        CHECK(ec_learned_correction(l, kinds[i], who, features) == 0);
        CHECK(l->set[kinds[i]][EC_ROLE_spread].of[0][EC_MEMBER_trees] != NULL);
    }
    ec_learned_free(l);
}

/* Everything that it takes to make the same again. */
TEST(what_ships_tells_what_it_rests_on)
{
    const struct ec_jval *j = NULL, *tables, *t, *split;
    struct ec_arena a = { 0 };
    struct ec_err err = { 0 };
    double rows = 0, all;
    size_t len;
    const char *text = ec_predictor_provenance(&len);
    static const char *const texts[] = { "table", "source", "url", "licence" };
    int i, n = 0;

    CHECK_OK(ec_json_parse(text, len, &a, &j, &err));
    CHECK(j && ec_json_get(j, "splits") && ec_json_get(j, "tables"));
    if (test_bad_checks)
        goto out;
    CHECK_STR(ec_json_get(j, "command")->str, "epochcast-lab ship DIR");
    CHECK(ec_json_get(j, "seed")->num == 1);
    CHECK(ec_json_get(j, "max_rows")->num > 0 && ec_json_get(j, "iterations")->num > 0);
    CHECK(ec_json_get(j, "cross_validated")->b);
    for (split = ec_json_get(j, "splits")->child; split; split = split->next, n++)
        CHECK(ec_json_get(split, "folds")->num > 1 && *ec_json_get(split, "groups")->str);
    CHECK_INT(n, 5);
    tables = ec_json_get(j, "tables");
    for (t = tables->child; t; t = t->next) {
        for (i = 0; i < EC_LEN(texts); i++)
            CHECK(*ec_json_get(t, texts[i])->str);
        CHECK(ec_json_get(t, "rows_used")->num <= ec_json_get(t, "rows_read")->num);
        rows += ec_json_get(t, "rows_used")->num;
    }
    CHECK(tables->n >= 18);
    all = ec_json_get(j, "rows")->num + ec_json_get(j, "memory_rows")->num;
    CHECK(rows <= all && rows > 0.99 * all); /* a rung of a ladder of batches may give two */
out:
    ec_arena_clear(&a);
}

TEST(what_ships_loads_and_is_small)
{
    struct ec_learned *l = NULL;
    const void *data;
    size_t len;
    struct ec_err err = { 0 };

    ec__learned_shipped(&data, &len);
    CHECK(len < 4500000);
    CHECK_OK(ec_learned_load(data, len, &l, &err));
    ec_learned_free(l);
}
