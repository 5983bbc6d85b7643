/* The library in a program that has set a locale with a decimal comma: every answer and every file
 * is what it is in any other. */
#include "ask.h"
#include "comma.h"

#include "adapt/profile.h"

static void add_request(struct ec_predictor *p, const char *line, struct ec_buf *out)
{
    struct ec_err err = { 0 };

    CHECK_OK(ec_predict_request(p, line, strlen(line), 0, out, &err));
    ec_buf_char(out, '\n');
}

static void add_requests(struct ec_buf *out)
{
    struct ec_predictor *p = predictor();

    add_request(p,
                "{\"id\": 1.5, \"model\": \"lenet5\", \"device\": \"t4\", \"batch\": 8, \"set\": "
                "\"memory_bytes_per_s=2.5e11\", \"samples\": 1000, \"usd_per_hour\": 0.75}",
                out);
    add_request(p,
                "{\"op\": \"leaky_relu x=64x64 alpha=0.25\", \"device\": \"h100-sxm5-80gb\", "
                "\"phase\": \"forward\"}",
                out);
    add_request(p, "{\"model\": \"lenet5\", \"device\": \"t4\", \"usd_per_hour\": -0.5}", out);
    add_request(p,
                "{\"model\": \"resnet50\", \"device\": \"a100-sxm4-40gb\", \"batch\": 16, "
                "\"devices\": 2, \"from_run\": \"1=45.5ms,2=48.25ms\"}",
                out);
    ec_predictor_free(p);
}

static void add_graph(const char *path, struct ec_buf *out)
{
    struct ec_graph *g = NULL;
    struct ec_file f = { 0 };
    struct ec_err err = { 0 };

    CHECK_OK(ec_file_open(path, 0, &f, &err));
    CHECK_OK(ec_graph_from_json((const char *)f.data, f.len, NULL, &g, &err));
    if (g)
        CHECK_OK(ec_graph_to_json(g, out, &err));
    ec_graph_free(g);
    ec_file_close(&f);
}

/* Measured rows, read from CSV. */
static void add_rows(struct ec_buf *out)
{
    static const char text[] = "device,op,rows_b,cols_h,split,time_ms\nT4,relu,4096,1024,x,1.25\n";
    const struct ec_mapping *layout = NULL;
    struct ec_record_list rows = { 0 };
    struct ec_arena a = { 0 };
    struct ec_err err = { 0 };
    struct ec_csv csv = { 0 };
    int i;

    CHECK_OK(ec_csv_parse(text, sizeof text - 1, &csv, &err));
    CHECK_OK(ec_mapping_detect(&csv, &a, &layout, &err));
    CHECK_OK(ec_mapping_rows(layout, &csv, &a, &rows, &err));
    CHECK_INT(rows.n, 1);
    for (i = 0; i < rows.n; i++)
        ec_buf_printf(out, "%s %.17g\n", rows.v[i].what, rows.v[i].time.ns);
    ec_records_clear(&rows);
    ec_csv_clear(&csv);
    ec_arena_clear(&a);
}

/* A profile that was saved and loaded. */
static void add_profile(struct ec_buf *out)
{
    struct ec_profile one = { 0 }, two = { 0 };
    struct ec_buf text = EC_BUF_INIT;
    struct ec_err err = { 0 };

    CHECK_OK(ec_profile_prior("rtx4070", &one, &err));
    one.change[EC_DO_COMPUTE] = 0.123456789;
    ec_profile_json(&one, &text);
    CHECK_OK(ec_profile_parse(ec_buf_text(&text), text.len, &two, &err));
    CHECK_NEAR(two.change[EC_DO_COMPUTE], 0.123456789, 0);
    two.made[0] = '\0'; /* the time of day */
    ec_profile_json(&two, out);
    ec_buf_clear(&text);
}

static void add_all(struct ec_buf *out)
{
    add_requests(out);
    add_graph("fuzz/corpus/graph_json/constants", out);
    add_rows(out);
    add_profile(out);
}

TEST(answers_and_files_are_those_of_the_c_locale)
{
    struct ec_buf want = EC_BUF_INIT, seen = EC_BUF_INIT;

    add_all(&want);
    CHECK_HAS(ec_buf_text(&want), "expected 0 to 1000000 USD");
    if (comma_begin()) {
        add_all(&seen);
        CHECK_STR(ec_buf_text(&seen), ec_buf_text(&want));
        comma_end();
    }
    ec_buf_clear(&want);
    ec_buf_clear(&seen);
}
