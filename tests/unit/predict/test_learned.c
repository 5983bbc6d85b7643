/* The predictor file: reading, refusing, and what a correction does. */
#include "predict/learned.h"
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
static const struct ec_asker by_ours = { EC_FW_vendor_bench, true, false };
static const struct ec_asker by_caffe = { EC_FW_caffe, true, false };

static void save_some(struct ec_buf *out, double slope)
{
    static const struct {
        enum ec_role role;
        int scope;
        enum ec_member member;
        double share;
    } parts[] = {
        {EC_ROLE_correction_measured,       0,                           EC_MEMBER_trees, 1   },
        { EC_ROLE_correction_measured,      1 + (int)EC_FW_vendor_bench, EC_MEMBER_trees, 0.5 },
        { EC_ROLE_correction_measured,      1 + (int)EC_FW_vendor_bench, EC_MEMBER_dense, 0.25},
        { EC_ROLE_correction_specification, 0,                           EC_MEMBER_dense, 0.25},
        { EC_ROLE_spread_measured,          0,                           EC_MEMBER_trees, 1   }
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
    CHECK_NEAR(ec_learned_correction(l, EC_W_gemm, EC_BASIS_MEASURED, by_caffe, features), 0.2,
               1e-6);
    CHECK_NEAR(ec_learned_correction(l, EC_W_gemm, EC_BASIS_SPECIFICATION, by_ours, features), 0.05,
               1e-6);
    CHECK_NEAR(ec_learned_correction(l, EC_W_gemm, EC_BASIS_MEASURED, by_ours, features), 0.15,
               1e-6);
    /* its own model knows forward passes alone */
    CHECK_NEAR(ec_learned_correction(l, EC_W_gemm, EC_BASIS_MEASURED,
                                     (struct ec_asker){ ours, false, false }, features),
               0.2, 1e-6);
    CHECK(ec_learned_correction(l, EC_W_conv, EC_BASIS_MEASURED, by_caffe, features) == 0);
    CHECK_NEAR(ec_learned_spread(l, EC_W_gemm, EC_BASIS_MEASURED, features), exp(0.2), 1e-6);
    CHECK(ec_learned_spread(l, EC_W_gemm, EC_BASIS_SPECIFICATION, features) == 1);
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
    CHECK(ec_learned_correction(l, EC_W_gemm, EC_BASIS_MEASURED, by_caffe, features) <= 1.5);
    CHECK(ec_learned_spread(l, EC_W_gemm, EC_BASIS_MEASURED, features) <= exp(1.4));
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
    static const char *const names[] = { "version 5, this program reads 6",
                                         "version 7, this program reads 6" };
    struct ec_buf file = EC_BUF_INIT;
    struct ec_learned *l = NULL;
    struct ec_err err = { 0 };
    int i;

    save_some(&file, 0.1);
    for (i = 0; i < EC_LEN(names); i++) {
        file.data[8] = (char)(5 + 2 * i);
        CHECK_FAILS(ec_learned_load(file.data, file.len, &l, &err), EC_E_UNSUPPORTED, names[i]);
    }
    ec_buf_clear(&file);
}

TEST(known_networks_come_back)
{
    struct ec_effect two[] = {
        {7,  0.25F  },
        { 3, -0.125F}
    };
    struct ec_effects effects = { two, 2 };
    struct ec_effect_keys keys = { .network = 7, .conditions = 3 }, none = { 1, 2 };
    struct ec_learned own = { 0 }, *l = NULL;
    struct ec_buf file = EC_BUF_INIT;
    struct ec_err err = { 0 };
    bool known = false;

    ec_effects_sort(&effects);
    own.effects = effects;
    CHECK_OK(ec_learned_save(&own, &file, &err));
    CHECK_OK(ec_learned_load(file.data, file.len, &l, &err));
    CHECK_NEAR(ec_learned_effect(l, &keys, 30, 0, &known), 0.125, 1e-4);
    CHECK(known);
    CHECK_NEAR(ec_learned_effect(l, &keys, 30, 0.2, &known),
               0.125 - (1 - EC_KNOWN_CORRECTION) * 0.2, 1e-4);
    CHECK(ec_learned_effect(l, &none, 30, 0.2, &known) == 0 && !known);
    ec_learned_free(l);
    ec_buf_clear(&file);
}

TEST(sizes_of_a_network_count_by_how_near_they_are)
{
    static const float size[] = { 20, 26 }, weight[] = { 0.2F, -0.1F };
    struct ec_effect at[6] = {
        {3,  0.1F},
        { 4, 0.3F}
    };
    struct ec_effects e = { at, EC_LEN(at) };
    int i;

    for (i = 0; i < 2; i++) {
        at[2 + 2 * i] = (struct ec_effect){ ec_anchor_key(3, i, EC_ANCHOR_WEIGHT), weight[i] };
        at[3 + 2 * i] = (struct ec_effect){ ec_anchor_key(3, i, EC_ANCHOR_SIZE_OF),
                                            size[i] / (float)EC_ANCHOR_SIZE };
    }
    ec_effects_sort(&e);
    CHECK_NEAR(ec_effect_near(&e, 3, 20), 0.2 * 2 - 0.1 * ec_sizes_alike(20, 26), 1e-6);
    CHECK_NEAR(ec_effect_near(&e, 3, 1000), 0.2 - 0.1, 1e-6); /* what all sizes share */
    CHECK(ec_effect_near(&e, 3, 21) > ec_effect_near(&e, 3, 25));
    CHECK_NEAR(ec_effect_near(&e, 4, 20), 0.3, 1e-6); /* no sizes: the mean */
    CHECK_NEAR(ec_effect_near(&e, 5, 20), 0, 0);
}

TEST(a_network_is_known_at_every_batch_and_by_its_conditions)
{
    struct ec_effect_keys a =
        ec_effect_keys(5, "t4", EC_MODE_FORWARD, EC_AMP, EC_FW_pytorch_2, EC_CHANNELS_FIRST);
    struct ec_effect_keys b =
        ec_effect_keys(5, "p4", EC_MODE_FORWARD, EC_BF16, EC_FW_pytorch_1, EC_CHANNELS_FIRST);
    struct ec_effect_keys c =
        ec_effect_keys(5, "t4", EC_MODE_FORWARD, EC_FP32, EC_FW_pytorch_2, EC_CHANNELS_FIRST);
    struct ec_kernel k[] = {
        {.flags = EC_KF_MATRIX, .phase = EC_FORWARD, .weight_elems = 100, .mac = 8 },
        { .phase = EC_FORWARD,             .read_elems = 64                              }
    };
    struct ec_step step = { .n = 2, .kernel = k };
    uint64_t before = ec_network_signature(&step);

    CHECK(a.network == b.network && a.conditions != b.conditions);
    CHECK(a.network != c.network);
    k[0].mac = 16;
    k[1].read_elems = 128;
    CHECK(ec_network_signature(&step) == before);
    k[0].weight_elems = 101;
    CHECK(ec_network_signature(&step) != before);
}

/* Everything that it takes to make the same again. */
TEST(what_ships_tells_what_it_rests_on)
{
    const struct ec_jval *j = NULL, *tables, *t, *split;
    struct ec_arena a = { 0 };
    struct ec_err err = { 0 };
    double rows = 0;
    size_t len;
    const char *text = ec_predictor_provenance(&len);
    static const char *const texts[] = { "table", "source", "url", "licence" };
    int i, n = 0;

    CHECK_OK(ec_json_parse(text, len, &a, &j, &err));
    if (!j)
        return;
    CHECK_STR(ec_json_get(j, "command")->str, "epochcast fit --ship DIR");
    CHECK(ec_json_get(j, "seed")->num == 1);
    CHECK(ec_json_get(j, "max_rows")->num > 0 && ec_json_get(j, "iterations")->num > 0);
    CHECK(ec_json_get(j, "cross_validated")->b);
    for (split = ec_json_get(j, "splits")->child; split; split = split->next, n++)
        CHECK(ec_json_get(split, "folds")->num > 1 && *ec_json_get(split, "groups")->str);
    CHECK_INT(n, 7);
    tables = ec_json_get(j, "tables");
    for (t = tables->child; t; t = t->next) {
        for (i = 0; i < EC_LEN(texts); i++)
            CHECK(*ec_json_get(t, texts[i])->str);
        CHECK(ec_json_get(t, "rows_used")->num <= ec_json_get(t, "rows_read")->num);
        rows += ec_json_get(t, "rows_used")->num;
    }
    CHECK(tables->n >= 18);
    CHECK_NEAR(rows, ec_json_get(j, "rows")->num + ec_json_get(j, "memory_rows")->num, 0);
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
