/* Models that were saved: they come back as they were, predict the same to the last bit, and a file
 * that no fit has written is refused by what is wrong with it. */
#include "leaks.h"
#include "test.h"

#include <unistd.h>

#include "fit/fit.h"

#define MODEL "/tmp/ec-test-saved.model"
#define TABLE "/tmp/ec-test-saved.csv"

/* --- What stands in the file --- */

static const double xs[] = { 1, 2, 3, 4, 5, 6, 7, 8 }, ys[] = { 2, 4, 6, 8, 10, 12, 14, 16 };
static const char *const colour[] = { "colour" };

/* A line through a column of this name. */
static struct ec_regressor *fitted(const char *const *name)
{
    struct ec_rows rows = { xs, ys, name, EC_LEN(xs), 1, NULL };
    struct ec_learn_env env = { .seed = 1 };
    struct ec_regressor *m = NULL;
    struct ec_arena a = { 0 };
    struct ec_recipe r = { 0 };
    struct ec_err err = { 0 };

    CHECK_OK(ec_recipe_parse("linear", NULL, &a, &r, &err));
    r.base_col = -1;
    CHECK_OK(ec_regressor_fit(&r, &rows, &env, &m, &err));
    ec_arena_clear(&a);
    return m;
}

static void save(const struct ec_regressor *m)
{
    struct ec_buf out = EC_BUF_INIT;
    struct ec_err err = { 0 };

    CHECK_OK(ec_regressor_save(m, &out, &err));
    CHECK_OK(ec_file_write(MODEL, out.data, out.len, &err));
    ec_buf_clear(&out);
}

/* Each text and number another, so that none can stand in for its neighbour. */
static const struct ec_saved_model all = { .of = "table",
                                           .family = "ours",
                                           .what = "linear,conv2d",
                                           .source = "a \"quoted\" name.csv",
                                           .target = "time_s",
                                           .features = "a,b",
                                           .network = "cifar_cnn",
                                           .device = "t4",
                                           .precision = "amp",
                                           .framework = "pytorch-2",
                                           .optimizer = "sgd",
                                           .logs = "b",
                                           .rows = 17,
                                           .seed = -3,
                                           .device_offsets = true,
                                           .lo = 0.125,
                                           .hi = 1e300 };

TEST(what_a_model_was_fitted_to_comes_back)
{
    struct ec_regressor *m = fitted(colour), *again = NULL;
    struct ec_saved_model t = { 0 };
    struct ec_arena a = { 0 };
    struct ec_err err = { 0 };

    CHECK_OK(ec_saved_model_describe(&all, m, &err));
    save(m);
    CHECK_OK(ec_saved_model_load(MODEL, &a, &again, &t, &err));
    CHECK_STR(t.of, all.of);
    CHECK_STR(t.family, all.family);
    CHECK_STR(t.what, all.what);
    CHECK_STR(t.source, all.source);
    CHECK_STR(t.target, all.target);
    CHECK_STR(t.features, all.features);
    CHECK_STR(t.network, all.network);
    CHECK_STR(t.device, all.device);
    CHECK_STR(t.precision, all.precision);
    CHECK_STR(t.framework, all.framework);
    CHECK_STR(t.optimizer, all.optimizer);
    CHECK_STR(t.logs, all.logs);
    CHECK_INT(t.rows, all.rows);
    CHECK_INT(t.seed, all.seed);
    CHECK(t.device_offsets && t.lo == all.lo && t.hi == all.hi);
    ec_regressor_free(m);
    ec_regressor_free(again);
    ec_arena_clear(&a);
    (void)unlink(MODEL);
}

TEST(texts_that_mean_nothing_come_back_empty)
{
    const struct ec_saved_model none = { 0 };
    struct ec_regressor *m = fitted(colour), *again = NULL;
    struct ec_saved_model t = { 0 };
    struct ec_arena a = { 0 };
    struct ec_err err = { 0 };

    CHECK_OK(ec_saved_model_describe(&none, m, &err));
    save(m);
    CHECK_OK(ec_saved_model_load(MODEL, &a, &again, &t, &err));
    CHECK_STR(t.of, "");
    CHECK_STR(t.logs, "");
    CHECK(t.lo == 0 && t.hi == 0 && !t.device_offsets);
    ec_regressor_free(m);
    ec_regressor_free(again);
    ec_arena_clear(&a);
    (void)unlink(MODEL);
}

/* The line of `all` with one part replaced; from NULL: `to` is the line. */
static void save_with(const char *from, const char *to)
{
    struct ec_regressor *m = fitted(colour);
    struct ec_buf text = EC_BUF_INIT;
    struct ec_err err = { 0 };
    const char *about, *at;

    CHECK_OK(ec_saved_model_describe(&all, m, &err));
    about = ec_regressor_about(m);
    at = from ? strstr(about, from) : about;
    if (!at) {
        test_fail(__FILE__, __LINE__, "no %s in %s", from, about);
        at = about;
    }
    ec_buf_add(&text, about, (size_t)(at - about));
    ec_buf_str(&text, to);
    ec_buf_str(&text, from ? at + strlen(from) : "");
    CHECK_OK(ec_regressor_tell(m, ec_buf_text(&text), &err));
    save(m);
    ec_buf_clear(&text);
    ec_regressor_free(m);
}

TEST(a_line_that_no_fit_has_written_is_refused)
{
    static const char damaged[] = "the list of rows that the model was fitted to is damaged";
    /* clang-format off */
    const struct {
        const char *from, *to, *text;
    } rows[] = {
        { NULL, "", "" },
        { NULL, "[1, 2]", "the model does not say its \"of\"" },
        { NULL, "7", "the model does not say its \"of\"" },
        { "\"family\"", "\"famly\"", "the model does not say its \"family\"" },
        { "\"time_s\"", "7", "the model does not say its \"target\"" },
        { "\"t4\"", "null", "the model does not say its \"device\"" },
        { "t4", "t\\u001b[2J", "the model's \"device\" holds control characters" },
        { "t4", "t\\u007f", "the model's \"device\" holds control characters" },
        { "\"rows\"", "\"lines\"", damaged },
        { ":17", ":1.5", damaged },
        { ":-3", ":\"-3\"", damaged },
        { ":true", ":1", damaged },
        { ":0.125", ":-0.125", damaged },
        { ":0.125", ":\"a\"", damaged },
        { ":1e+300", ":0.1", damaged }, /* ends below where it begins */
        { "\"hi\"", "\"high\"", damaged },
    };
    /* clang-format on */
    struct ec_regressor *m = NULL;
    struct ec_saved_model t = { 0 };
    struct ec_arena a = { 0 };
    struct ec_err err = { 0 };
    int i;

    for (i = 0; i < EC_LEN(rows); i++) {
        save_with(rows[i].from, rows[i].to);
        CHECK_FAILS(ec_saved_model_load(MODEL, &a, &m, &t, &err), EC_E_PARSE, rows[i].text);
        CHECK_HAS(err.text, MODEL ": ");
        CHECK(!m);
    }
    ec_arena_clear(&a);
    (void)unlink(MODEL);
}

TEST(files_that_are_no_such_model_are_named)
{
    struct ec_regressor *m = fitted(colour), *again = NULL;
    struct ec_saved_model t = { 0 };
    struct ec_arena a = { 0 };
    struct ec_err err = { 0 };

    (void)unlink(MODEL);
    CHECK_FAILS(ec_saved_model_load(MODEL, &a, &again, &t, &err), EC_E_NOT_FOUND, MODEL);
    CHECK_OK(ec_file_write(MODEL, "a,b\n1,2\n", 8, &err));
    CHECK_FAILS(ec_saved_model_load(MODEL, &a, &again, &t, &err), EC_E_PARSE,
                MODEL ": not a model file");
    save(m);
    CHECK_FAILS(ec_saved_model_load(MODEL, &a, &again, &t, &err), EC_E_INPUT,
                MODEL ": the model does not say which rows it was fitted to");
    CHECK(!again);
    ec_regressor_free(m);
    ec_arena_clear(&a);
    (void)unlink(MODEL);
}

/* --- Tables --- */

/* Times near a power law, of the configurations 1..4 x 8, 16 ... 256. */
static void write_table(bool measured)
{
    struct ec_buf out = EC_BUF_INIT;
    struct ec_err err = { 0 };
    int a, b;

    ec_buf_str(&out, measured ? "a,b,time_s\n" : "a,b\n");
    for (a = 1; a <= 4; a++)
        for (b = 8; b <= 256; b *= 2) {
            ec_buf_printf(&out, "%d,%d", a, b);
            if (measured)
                ec_buf_printf(&out, ",%.17g", 0.2 * a * sqrt(b) * (1 + 0.05 * sin(5 * a + b)));
            ec_buf_char(&out, '\n');
        }
    CHECK_OK(ec_file_write(TABLE, out.data, out.len, &err));
    ec_buf_clear(&out);
}

static const char *one_family[1];

static struct ec_grid_opts options(const char *family)
{
    one_family[0] = family;
    return (struct ec_grid_opts){
        .table = TABLE,
        .target = "time_s",
        .features = "a,b",
        .network = "",
        .device = "",
        .precision = "fp32",
        .framework = "pytorch-2",
        .optimizer = "adam",
        .families = {1, 1, one_family},
        .folds = 3,
        .seed = 1
    };
}

struct saved {
    struct ec_regressor *m;
    struct ec_saved_model t;
    struct ec_arena a;
};

/* Fits a family to the table and reads the model again. */
static void fit_and_load(const char *family, struct saved *ret)
{
    struct ec_grid_opts o = options(family);
    struct ec_grid_fit g = { 0 };
    struct ec_err err = { 0 };

    *ret = (struct saved){ 0 };
    o.save_path = MODEL;
    CHECK_OK(ec_grid_compare(&o, &g, &err));
    CHECK_OK(ec_saved_model_load(MODEL, &ret->a, &ret->m, &ret->t, &err));
    CHECK_STR(ret->t.family, family);
    CHECK_STR(ret->t.of, "table");
    CHECK_INT(ret->t.rows, g.n_rows);
    ec_grid_fit_clear(&g);
}

static void saved_clear(struct saved *s)
{
    ec_regressor_free(s->m);
    ec_arena_clear(&s->a);
    (void)unlink(MODEL);
}

/* The whole fit in memory answers what-if questions; its file answers a table of the same. */
TEST(a_saved_model_of_a_table_predicts_the_same_bits)
{
    struct ec_strs none = { 0 };
    struct ec_grid_opts o = options("ours");
    struct ec_grid_answers fresh = { 0 };
    struct ec_model_rows asked = { 0 };
    struct ec_err err = { 0 };
    struct saved s;
    int i, k, n_same = 0;

    write_table(true);
    fit_and_load("ours", &s);
    CHECK_OK(ec_grid_whatif(&o, &none, 0, &fresh, &err));
    CHECK_OK(ec_saved_model_table(s.m, &s.t, &o, &asked, &err));
    CHECK_INT(asked.n, fresh.n);
    for (i = 0; i < asked.n; i++)
        for (k = 0; k < fresh.n; k++)
            if (!memcmp(asked.v[i].value, fresh.v[k].value, 2 * sizeof *asked.v[i].value))
                n_same += asked.v[i].predicted == fresh.v[k].target.p50;
    CHECK_INT(n_same, asked.n);
    CHECK_INT(asked.n_measured, asked.n);
    CHECK(asked.m.mean_ape < 0.1);
    ec_model_rows_clear(&asked);
    ec_grid_answers_clear(&fresh);
    saved_clear(&s);
    (void)unlink(TABLE);
}

TEST(each_family_answers_rows_that_were_not_measured)
{
    static const char *const families[] = { "linear", "ann", "ours" };
    struct ec_err err = { 0 };
    struct saved s;
    int i, k;

    for (i = 0; i < EC_LEN(families); i++) {
        struct ec_grid_opts o = options(families[i]);
        struct ec_model_rows with = { 0 }, without = { 0 };

        write_table(true);
        fit_and_load(families[i], &s);
        CHECK_OK(ec_saved_model_table(s.m, &s.t, &o, &with, &err));
        write_table(false);
        CHECK_OK(ec_saved_model_table(s.m, &s.t, &o, &without, &err));
        CHECK_INT(without.n, with.n);
        CHECK_INT(without.n_measured, 0);
        CHECK_INT(without.n_names, 2);
        CHECK_STR(without.names[0], "a");
        for (k = 0; k < with.n && k < without.n; k++)
            CHECK(without.v[k].predicted == with.v[k].predicted && without.v[k].measured == 0);
        ec_model_rows_clear(&with);
        ec_model_rows_clear(&without);
        saved_clear(&s);
    }
    (void)unlink(TABLE);
}

TEST(tables_that_a_model_cannot_answer_are_refused)
{
    /* clang-format off */
    static const struct {
        const char *table, *text;
    } rows[] = {
        { "a,time_s\n1,2\n", TABLE ": no column \"b\"" },
        { "a,b,time_s\n1,2,3\n1,many,3\n",
          TABLE ": line 3, column b: found \"many\", expected a number" },
    };
    /* clang-format on */
    struct ec_compare_opts ops = { .threads = 1 };
    struct ec_model_rows asked = { 0 };
    struct ec_err err = { 0 };
    struct ec_grid_opts o;
    struct saved s;
    int i;

    write_table(true);
    fit_and_load("ours", &s);
    o = options("ours");
    for (i = 0; i < EC_LEN(rows); i++) {
        CHECK_OK(ec_file_write(TABLE, rows[i].table, strlen(rows[i].table), &err));
        CHECK_FAILS(ec_saved_model_table(s.m, &s.t, &o, &asked, &err), EC_E_INPUT, rows[i].text);
    }
    o.table = "/tmp/ec-test-no-such.csv";
    CHECK_FAILS(ec_saved_model_table(s.m, &s.t, &o, &asked, &err), EC_E_NOT_FOUND, o.table);
    CHECK_FAILS(ec_saved_model_operators(s.m, &s.t, &ops, &asked, &err), EC_E_INPUT,
                "fitted to a table of configurations: give --table");
    s.t.features = "b,a";
    write_table(true);
    o = options("ours");
    CHECK_FAILS(ec_saved_model_table(s.m, &s.t, &o, &asked, &err), EC_E_PARSE,
                "the model's columns are not the features it names");
    saved_clear(&s);
    (void)unlink(TABLE);
}

/* --- Operators --- */

/* Linear layers on a T4, some of which no model can answer. */
static void write_operators(int n, const char *more)
{
    struct ec_buf out = EC_BUF_INIT;
    struct ec_err err = { 0 };
    int i;

    ec_buf_str(&out, "device,batch_count,rows_m,inner_k,cols_n,split,time_ms\n");
    for (i = 0; i < n; i++)
        ec_buf_printf(&out, "t4,1,%d,%d,%d,train,%.6f\n", 64 << i % 5, 128 + 96 * i, 256 + 32 * i,
                      0.02 + 1e-6 * (64 << i % 5) * (128 + 96 * i));
    ec_buf_str(&out, more);
    CHECK_OK(ec_file_write(TABLE, out.data, out.len, &err));
    ec_buf_clear(&out);
}

static const char *words[] = { TABLE, "linear", "ridge" };

static struct ec_compare_opts operators(int64_t threads)
{
    return (struct ec_compare_opts){
        .data = {1,  1, &words[0]},
        .ops = { 1, 1, &words[1]},
        .families = { 1, 1, &words[2]},
        .features = "roofline",
        .split = "kfold",
        .folds = 3,
        .seed = 1,
        .threads = threads,
        .save_path = MODEL
    };
}

static void fit_operators(const struct ec_compare_opts *o, struct ec_buf *ret_file,
                          struct saved *ret)
{
    struct ec_comparison c = { 0 };
    struct ec_file file = { 0 };
    struct ec_err err = { 0 };

    *ret = (struct saved){ 0 };
    CHECK_OK(ec_compare(o, &c, &err));
    CHECK_OK(ec_saved_model_load(MODEL, &ret->a, &ret->m, &ret->t, &err));
    CHECK_OK(ec_file_open(MODEL, 0, &file, &err));
    ec_buf_add(ret_file, file.data, file.len);
    CHECK_INT(ret->t.rows, c.n_rows);
    ec_file_close(&file);
    ec_comparison_clear(&c);
}

TEST(a_saved_model_of_operators_answers_its_rows)
{
    struct ec_compare_opts o = operators(1), four = operators(4);
    struct ec_buf file = EC_BUF_INIT, again = EC_BUF_INIT;
    struct ec_model_rows asked = { 0 };
    struct ec_err err = { 0 };
    struct saved s, other;
    int i;

    write_operators(40, "");
    fit_operators(&o, &file, &s);
    fit_operators(&four, &again, &other);
    CHECK(file.len == again.len && !memcmp(file.data, again.data, file.len));
    CHECK_STR(s.t.of, "operators");
    CHECK_STR(s.t.what, "linear");
    CHECK_STR(s.t.source, TABLE);
    CHECK_STR(s.t.target, "time_ns");
    CHECK(s.t.device_offsets && s.t.lo > 0 && s.t.hi > s.t.lo);
    write_operators(40, "abacus,1,64,128,256,train,1\n");
    o.ops.n = 0; /* those that it was fitted to */
    CHECK_OK(ec_saved_model_operators(s.m, &s.t, &o, &asked, &err));
    CHECK_INT(asked.n, 40);
    CHECK_INT(asked.n_measured, 40);
    CHECK_INT(asked.n_left_out, 1);
    CHECK_HAS(asked.first_left_out, "abacus");
    for (i = 0; i < asked.n; i++) {
        CHECK(asked.v[i].predicted >= s.t.lo && asked.v[i].predicted <= s.t.hi);
        CHECK_STR(asked.v[i].device, "t4");
        CHECK_HAS(asked.v[i].what, "linear m=");
    }
    CHECK(asked.m.mean_ape < 0.3);
    ec_model_rows_clear(&asked);
    ec_buf_clear(&file);
    ec_buf_clear(&again);
    saved_clear(&s);
    saved_clear(&other);
    (void)unlink(TABLE);
}

/* Ends of the range of the rows hold what leaves it, and say so. */
TEST(answers_are_held_in_the_range_of_the_rows)
{
    struct ec_compare_opts o = operators(1);
    struct ec_buf file = EC_BUF_INIT;
    struct ec_model_rows asked = { 0 };
    struct ec_err err = { 0 };
    struct saved s;
    int i, n_low = 0, n_high = 0;

    write_operators(40, "");
    fit_operators(&o, &file, &s);
    s.t.lo = 1e5;
    s.t.hi = 2e5;
    CHECK_OK(ec_saved_model_operators(s.m, &s.t, &o, &asked, &err));
    for (i = 0; i < asked.n; i++) {
        n_low += asked.v[i].predicted == 1e5;
        n_high += asked.v[i].predicted == 2e5;
        CHECK(asked.v[i].predicted >= 1e5 && asked.v[i].predicted <= 2e5);
        CHECK_INT(asked.v[i].held, asked.v[i].predicted == 1e5 || asked.v[i].predicted == 2e5);
    }
    CHECK(n_low > 0 && n_high > 0);
    ec_model_rows_clear(&asked);
    s.t.lo = s.t.hi = 0; /* nowhere */
    CHECK_OK(ec_saved_model_operators(s.m, &s.t, &o, &asked, &err));
    for (i = 0; i < asked.n; i++)
        CHECK(!asked.v[i].held);
    ec_model_rows_clear(&asked);
    ec_buf_clear(&file);
    saved_clear(&s);
    (void)unlink(TABLE);
}

TEST(operators_that_a_model_cannot_answer_are_refused)
{
    struct ec_compare_opts o = operators(1);
    struct ec_saved_model t = { .of = "operators",
                                .what = "linear",
                                .network = "",
                                .device = "",
                                .precision = "",
                                .framework = "",
                                .optimizer = "" };
    struct ec_grid_opts table = options("ours");
    struct ec_regressor *m = fitted(colour);
    struct ec_model_rows asked = { 0 };
    struct ec_err err = { 0 };

    write_operators(8, "");
    CHECK_FAILS(ec_saved_model_operators(m, &t, &o, &asked, &err), EC_E_INPUT,
                "the model asks for \"colour\", which operators have not");
    CHECK_FAILS(ec_saved_model_table(m, &t, &table, &asked, &err), EC_E_INPUT,
                "fitted to operators: give --op NAME --data PATH");
    o.ops.n = 0;
    t.what = "linera";
    CHECK_FAILS(ec_saved_model_operators(m, &t, &o, &asked, &err), EC_E_NOT_FOUND,
                "did you mean \"linear\"");
    t.what = "softmax";
    CHECK_FAILS(ec_saved_model_operators(m, &t, &o, &asked, &err), EC_E_INPUT,
                "no row of --op softmax; the tables hold --op linear");
    ec_regressor_free(m);
    (void)unlink(TABLE);
}

/* --- Running out of memory --- */

static enum ec_status load(struct ec_err *err)
{
    struct ec_regressor *m = NULL;
    struct ec_saved_model t = { 0 };
    struct ec_arena a = { 0 };
    enum ec_status st = ec_saved_model_load(MODEL, &a, &m, &t, err);

    ec_regressor_free(m);
    ec_arena_clear(&a);
    return st;
}

static struct saved given;

static enum ec_status ask_table(struct ec_err *err)
{
    struct ec_grid_opts o = options("ours");
    struct ec_model_rows asked = { 0 };
    enum ec_status st = ec_saved_model_table(given.m, &given.t, &o, &asked, err);

    ec_model_rows_clear(&asked);
    return st;
}

static enum ec_status ask_operators(struct ec_err *err)
{
    struct ec_compare_opts o = operators(1);
    struct ec_model_rows asked = { 0 };
    enum ec_status st = ec_saved_model_operators(given.m, &given.t, &o, &asked, err);

    ec_model_rows_clear(&asked);
    return st;
}

TEST(each_allocation_failing)
{
    struct ec_compare_opts o = operators(1);
    struct ec_buf file = EC_BUF_INIT;

    write_table(true);
    fit_and_load("ours", &given);
    CHECK_TORTURE(load);
    CHECK_TORTURE(ask_table);
    saved_clear(&given);
    write_operators(24, "");
    fit_operators(&o, &file, &given);
    CHECK_TORTURE(ask_operators);
    saved_clear(&given);
    ec_buf_clear(&file);
    (void)unlink(TABLE);
}
