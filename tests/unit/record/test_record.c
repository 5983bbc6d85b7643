/* Measurements: words of conditions, text of cells, one list of columns wherever they are told. */
#include "record/record.h"
#include "test.h"

static const struct ec_record_col *column_named(const char *name)
{
    const struct ec_record_col *c;

    for (c = ec_record_cols; c->name; c++)
        if (ec_str_eq(c->name, name))
            return c;
    return NULL;
}

#include <string.h>

/* A record with every cell filled, each with a text of its own where it may have one. */
static void fill(struct ec_record *r, struct ec_arena *a)
{
    struct ec_row_fault fault = { 0 };
    const struct ec_record_col *c;
    int n = 0;

    ec_record_init(r);
    for (c = ec_record_cols; c->name; c++) {
        const char *text = ec_arena_printf(a, "%d", ++n);

        text = c->type == EC_C_FLAG    ? "1"
               : c->type == EC_C_KIND  ? "ceiling"
               : c->type == EC_C_PHASE ? "grad_weight"
                                       : text;
        ec_record_set(c, r, text, &fault);
    }
    CHECK(!fault.column);
}

TEST(every_cell_is_read_back_from_its_text)
{
    struct ec_arena a = { 0 };
    struct ec_record r, again;
    const struct ec_record_col *c;

    fill(&r, &a);
    ec_record_init(&again);
    for (c = ec_record_cols; c->name; c++) {
        struct ec_buf text = EC_BUF_INIT, second = EC_BUF_INIT;
        struct ec_row_fault fault = { 0 };

        if (c->type == EC_C_LIBRARY)
            continue;
        CHECK(ec_record_put(c, &r, &text));
        ec_record_set(c, &again, ec_arena_str(&a, ec_buf_text(&text)), &fault);
        CHECK(!fault.column);
        CHECK(ec_record_put(c, &again, &second));
        CHECK_STR(ec_buf_text(&second), ec_buf_text(&text));
        ec_buf_clear(&text);
        ec_buf_clear(&second);
    }
    ec_arena_clear(&a);
}

TEST(what_is_not_known_is_not_written)
{
    const struct ec_record_col *c;
    struct ec_record r;

    ec_record_init(&r);
    for (c = ec_record_cols; c->name; c++) {
        struct ec_buf text = EC_BUF_INIT;
        bool always = c->type == EC_C_KIND || c->type == EC_C_ROW ||
                      (c->type == EC_C_WORD && c->word == EC_WORD_RECOMPUTE);

        CHECK(ec_record_put(c, &r, &text) == always);
        ec_buf_clear(&text);
    }
}

TEST(cells_without_sense_are_faults)
{
    static const struct {
        const char *column, *text;
    } cases[] = {
        {"batch",              "-1"        },
        { "batch",             "many"      },
        { "source_row",        "9999999999"},
        { "time_ns",           "-3"        },
        { "memory_peak_bytes", "nan"       },
        { "held_out",          "yes"       },
        { "kind",              "opinion"   },
    };
    struct ec_record r;
    int i;

    ec_record_init(&r);
    for (i = 0; i < EC_LEN(cases); i++) {
        struct ec_row_fault fault = { 0 };

        ec_record_set(column_named(cases[i].column), &r, cases[i].text, &fault);
        CHECK(fault.column && ec_str_eq(fault.column, cases[i].column));
        CHECK(fault.found && ec_str_eq(fault.found, cases[i].text));
    }
}

TEST(words_of_others_are_kept_and_told)
{
    struct ec_err err = { 0 };
    struct ec_record r;

    ec_record_init(&r);
    CHECK_OK(ec_record_check(&r, NULL) == EC_E_INPUT ? EC_OK : EC_E_INPUT);
    ec_record_set_word(&r, EC_WORD_PRECISION, "amp");
    CHECK(!r.foreign[EC_WORD_PRECISION] && r.cond.precision == EC_AMP);
    ec_record_set_word(&r, EC_WORD_PRECISION, "f32"); /* as older files say it */
    CHECK(!r.foreign[EC_WORD_PRECISION] && r.cond.precision == EC_FP32);
    ec_record_set_word(&r, EC_WORD_LAYOUT, "Channels_Last");
    CHECK(!r.foreign[EC_WORD_LAYOUT] && r.cond.layout == EC_CHANNELS_LAST);
    ec_record_set_word(&r, EC_WORD_PRECISION, "amp");
    ec_record_set_word(&r, EC_WORD_LAYOUT, "channels-first");
    ec_record_set_word(&r, EC_WORD_MODE, "forward");
    ec_record_default(&r);
    CHECK_STR(ec_record_word(&r, EC_WORD_OPTIMIZER), "none"); /* only steps have one */
    CHECK(!r.usual_optimizer);
    CHECK_STR(ec_record_word(&r, EC_WORD_LAYOUT), "channels-first");
    CHECK_OK(ec_record_check(&r, &err));
    ec_record_set_word(&r, EC_WORD_FRAMEWORK, "jax");
    CHECK_STR(ec_record_word(&r, EC_WORD_FRAMEWORK), "jax");
    CHECK_FAILS(ec_record_check(&r, &err), EC_E_INPUT, "jax");
}

TEST(a_mode_called_as_its_phase_is_the_mode_of_that_phase)
{
    struct ec_record r;

    ec_record_init(&r);
    r.kind = EC_KIND_operator;
    ec_record_set_phase_in_file(&r, "grad_data");
    CHECK(r.phase == EC_GRAD_DATA && r.cond.mode == EC_MODE_FORWARD_BACKWARD);
    CHECK_STR(ec_record_phase(&r), "grad_data");
    ec_record_set_phase_in_file(&r, "update");
    CHECK(r.phase == EC_UPDATE && r.cond.mode == EC_MODE_TRAINING_STEP);
    ec_record_set_phase_in_file(&r, "step");
    CHECK(r.phase == -1 && r.cond.mode == EC_MODE_TRAINING_STEP);
    r.kind = EC_KIND_network;
    ec_record_set_phase_in_file(&r, "forward");
    CHECK(r.phase == -1 && r.cond.mode == EC_MODE_FORWARD);
    ec_record_set_phase_in_file(&r, "host_to_device");
    CHECK_STR(ec_record_phase(&r), "host_to_device");
}

TEST(what_can_be_held_against_a_prediction)
{
    struct ec_record good, r;

    ec_record_init(&good);
    good.kind = EC_KIND_network;
    good.outcome = "ok";
    good.time = (struct ec_reading){ 5, true };
    CHECK(ec_record_is_comparable(&good));
    r = good, r.flags = "drift";
    CHECK(!ec_record_is_comparable(&r));
    r = good, r.outcome = "unstable";
    CHECK(!ec_record_is_comparable(&r));
    r = good, r.held_out = true;
    CHECK(!ec_record_is_comparable(&r));
    r = good, r.kind = EC_KIND_ceiling;
    CHECK(!ec_record_is_comparable(&r));
    r = good, r.foreign[EC_WORD_PRECISION] = "fp64";
    CHECK(!ec_record_is_comparable(&r));
    r = good, r.time = (struct ec_reading){ 0 };
    CHECK(!ec_record_is_comparable(&r));
    r.memory_peak_bytes = 7;
    CHECK(ec_record_is_comparable(&r) && ec_record_is_memory(&r));
    r = good, r.kind = EC_KIND_operator, r.phase = EC_UPDATE;
    CHECK(!ec_record_is_comparable(&r));
    r.phase = EC_FORWARD;
    CHECK(ec_record_is_comparable(&r));
    r.method = "justus";
    CHECK(!ec_record_is_comparable(&r));
}

/* --- The same columns elsewhere --- */

static const char *text_of(const char *path, struct ec_file *f)
{
    struct ec_err err = { 0 };

    CHECK_OK(ec_file_open(path, 1 << 20, f, &err));
    return (const char *)f->data;
}

/* The collector of PyTorch writes the same columns in the same order. */
TEST(devices_that_share_a_replica_are_those_of_its_job)
{
    struct ec_record r;

    ec_record_init(&r);
    CHECK_INT(ec_record_ways(&r), 1);
    r.job = "tuning=lora rank=16 zero=3";
    CHECK_INT(ec_record_ways(&r), 1);
    r.job = "tp=8 pp=4 zero=1 cp=2";
    CHECK_INT(ec_record_ways(&r), 64);
    r.job = "tp=-3 pp=9223372036854775807 cp=2";
    CHECK(ec_record_ways(&r) > 0);
}

TEST(the_collector_has_these_columns)
{
    struct ec_file f = { 0 };
    const char *at = text_of("python/epochcast/collect/table.py", &f);
    struct ec_buf names = EC_BUF_INIT, keys = EC_BUF_INIT;
    const struct ec_record_col *c;
    struct ec_buf found[2] = { EC_BUF_INIT, EC_BUF_INIT };
    bool is_inside;
    int i;

    for (i = 0; i < 2; i++) {
        const char *end;

        at = strstr(at, i ? "KEY_COLUMNS = (" : "COLUMNS = (");
        CHECK(at != NULL);
        end = at ? strchr(at, ')') : NULL;
        for (is_inside = false; end && at < end; at++)
            if (*at == '"')
                is_inside = !is_inside;
            else if (is_inside)
                ec_buf_char(&found[i], *at);
    }
    for (c = ec_record_cols; c->name; c++) {
        if (c->in_file)
            ec_buf_printf(&names, "%s%s", names.len ? " " : "", c->in_file);
        if (c->in_key)
            ec_buf_printf(&keys, "%s%s", keys.len ? " " : "", c->in_file);
    }
    CHECK_STR(ec_buf_text(&found[0]), ec_buf_text(&names));
    CHECK_STR(ec_buf_text(&found[1]), ec_buf_text(&keys));
    ec_buf_clear(&names);
    ec_buf_clear(&keys);
    ec_buf_clear(&found[0]);
    ec_buf_clear(&found[1]);
    ec_file_close(&f);
}

/* A row of a table in Markdown that has the name among its first names: | `a`, `b` | ... */
static bool has_row(const char *text, const char *name)
{
    struct ec_span rest = ec_span_of(text), line, cell;
    char quoted[64];

    (void)snprintf(quoted, sizeof quoted, "`%s`", name);
    while (ec_span_cut(&rest, '\n', &line)) {
        struct ec_span cells = line;
        const char *at;

        if (!ec_span_cut(&cells, '|', &cell) || cell.len || !ec_span_cut(&cells, '|', &cell))
            continue;
        at = memmem(cell.p, cell.len, quoted, strlen(quoted));
        if (at)
            return true;
    }
    return false;
}

TEST(documents_have_a_row_for_each_column)
{
    struct ec_file files = { 0 }, store = { 0 };
    const char *format = text_of("docs/measurement-format.md", &files);
    const char *schema = text_of("docs/store.md", &store);
    const struct ec_record_col *c;

    for (c = ec_record_cols; c->name; c++) {
        if (c->in_file && !has_row(format, c->in_file))
            test_fail(__FILE__, __LINE__, "docs/measurement-format.md: no row for %s", c->in_file);
        if (c->table == 'm' && !has_row(schema, c->sql ? c->sql : c->name))
            test_fail(__FILE__, __LINE__, "docs/store.md: no row for %s",
                      c->sql ? c->sql : c->name);
    }
    ec_file_close(&files);
    ec_file_close(&store);
}

/* Conditions that a question may have are columns, each under its own name or as a word. */
TEST(every_condition_is_a_column)
{
    const struct ec_field *f;

    for (f = ec_condition_fields; f->name; f++) {
        const char *name = ec_str_eq(f->name, "layout") ? "memory_format" : f->name;
        const struct ec_record_col *c = column_named(name);

        CHECK(c && (c->type == EC_C_WORD || c->type == EC_C_FLAG) && c->table);
    }
}
