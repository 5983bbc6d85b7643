/* Each section of a report with little in its file, or with what stands in no proper one: the
 * report is made, what cannot be used is named, and nothing odd comes through to the page. */
#define DIR "test-results-odd"
#include "results_dir.h"

static const char good[] = "model,epoch,train_loss,train_acc\nnet,1,2,0.3\nnet,2,1,0.6\n";

#define RUNS "env,device,model,batch_size,iteration,time_ms\n"
#define CURVES "model,epoch,train_loss,train_acc\n"
#define GRID "config,depth,base_filters,batch_size,num_params,time_per_epoch\n"
#define DDP                                                                                        \
    "model,ranks,batch_per_rank,batch_size,step_ns,local_step_ns,all_reduce_ns,images_per_s\n"

/* A file of each kind: its header, a row, and the same row with one cell to be filled. */
/* clang-format off */
static const struct {
    const char *name, *header, *row, *odd;
    const char *heading; /* of one row; NULL: a row is too little for a section */
} kinds[] = {
    { "runs.csv", RUNS, "a,t4,resnet18,32,0,100\n", "a,t4,resnet18,32,0,%s\n", "## Runs" },
    { "envs.csv", RUNS, "a,t4,resnet18,32,0,100\n", "%s,t4,resnet18,32,0,100\n", "## Runs" },
    { "networks.csv", RUNS, "a,t4,resnet18,32,0,100\n", "a,t4,%s,32,0,100\n", "## Runs" },
    { "curves.csv", CURVES, "net,1,2,0.3\n", "net,1,%s,0.3\n", NULL },
    { "names.csv", CURVES, "net,1,2,0.3\n", "%s,1,2,0.3\n", NULL },
    { "configs.csv", GRID, "a,1,8,32,1000,2\n", "a,1,8,32,1000,%s\n",
      "## Configurations: configs.csv" },
    { "grid.csv", GRID, "a,1,8,32,1000,2\n", "a,%s,8,32,1000,2\n", "## Configurations: grid.csv" },
    { "ddp.csv", DDP, "net,1,32,32,1000000,1000000,0,32000\n", "net,1,32,32,%s,1000000,0,32000\n",
      "## Several devices: ddp.csv" },
    { "layers.csv", MEASURED, MEASURED_ROW("operator", "relu x=64x256x56x56", "500000"),
      MEASURED_ROW("operator", "relu x=64x256x56x56", "%s"), "## Operators" },
    { "ceilings.csv", MEASURED, MEASURED_ROW("ceiling", "gemm m=999 n=99 k=9", "500000"),
      MEASURED_ROW("ceiling", "gemm m=999 n=99 k=9", "%s"), NULL },
};
/* clang-format on */

/* clang-format off */
static const char *const odd[] = {
    "", " ", "0", "-1", "nan", "inf", "-inf", "1e200", "1e-308", "1e999", "0x10", "12abc",
    "<script>alert(1)</script>", "a|b`c`", "![x](http://y)", "\"a \"\"quoted\"\" cell\"",
    "\"two\nlines\"", "\xff\xfe", "\x1b[31m", "../../up",
};
/* clang-format on */

/* A report of the file beside a good one. */
static void report_with(int kind, const char *text, const char *cell, struct report *ret)
{
    begin();
    put("a-good.csv", good);
    put(kinds[kind].name, text);
    report(NULL, ret);
    holds_of_every_report(ret, kinds[kind].name, cell);
    CHECK_HAS(ec_buf_text(&ret->markdown), "## Loss and accuracy over epochs: a-good.csv");
    end();
}

static bool is_noted(const struct report *r, const char *what)
{
    struct ec_buf said = EC_BUF_INIT;
    struct ec_err err = { 0 };
    bool found;

    CHECK_OK(ec_said_print(&r->said, &said, &err));
    found = strstr(ec_buf_text(&said), what) != NULL;
    ec_buf_clear(&said);
    return found;
}

TEST(a_file_without_rows_is_named_and_left_out)
{
    int i;

    for (i = 0; i < EC_LEN(kinds); i++) {
        struct report r;

        report_with(i, kinds[i].header, "", &r);
        CHECK_INT(r.done.n_left_out, 1);
        CHECK_INT(r.done.n_runs, 0);
        if (!is_noted(&r, kinds[i].name))
            test_fail(__FILE__, __LINE__, "no note names %s", kinds[i].name);
        report_clear(&r);
    }
}

TEST(a_file_of_one_row_has_its_section)
{
    char text[2048];
    int i;

    for (i = 0; i < EC_LEN(kinds); i++) {
        struct report r;

        (void)snprintf(text, sizeof text, "%s%s", kinds[i].header, kinds[i].row);
        report_with(i, text, "", &r);
        if (kinds[i].heading)
            CHECK_HAS(ec_buf_text(&r.markdown), kinds[i].heading);
        report_clear(&r);
    }
}

/* What begins as a file of measurements, and lacks most of its columns. */
TEST(half_a_measurement_file_is_named_and_left_out)
{
    static const char *const texts[] = {
        "run,kind,what,samples_ns\nr,operator,relu x=64x256x56x56,500000\n",
        "run,kind,what,samples_ns\nr,ceiling,gemm m=999 n=99 k=9,500000\n",
        "run,kind,what,samples_ns\nr,network,resnet18,500000\n"
    };
    int i;

    for (i = 0; i < EC_LEN(texts); i++) {
        struct report r;

        begin();
        put("a-good.csv", good);
        put("half.csv", texts[i]);
        report(NULL, &r);
        CHECK_INT(r.done.n_left_out, 1);
        CHECK(is_noted(&r, "half.csv"));
        CHECK_HAS(ec_buf_text(&r.markdown), "## Loss and accuracy over epochs: a-good.csv");
        report_clear(&r);
        end();
    }
}

/* A damaged row is told by its place; the other files are reported. */
TEST(damaged_measurements_are_left_out_by_their_line)
{
    struct report r;

    begin();
    put("a-good.csv", good);
    put("ceilings.csv", MEASURED MEASURED_ROW("ceiling", "gemm m=999 n=99 k=9", "12abc"));
    report(NULL, &r);
    CHECK_INT(r.done.n_left_out, 1);
    CHECK(is_noted(&r, "ceilings.csv: row 1: sample 0 is no number of nanoseconds"));
    report_clear(&r);
    end();
}

/* Beside a proper row, which keeps its section. */
TEST(odd_cells_spoil_nothing)
{
    char row[1024];
    int i, k;

    for (i = 0; i < EC_LEN(kinds); i++)
        for (k = 0; k < EC_LEN(odd); k++) {
            struct ec_buf text = EC_BUF_INIT;
            const char *at = strstr(kinds[i].odd, "%s");
            struct report r;

            (void)snprintf(row, sizeof row, "%.*s%s%s", (int)(at - kinds[i].odd), kinds[i].odd,
                           odd[k], at + 2);
            ec_buf_printf(&text, "%s%s%s", kinds[i].header, kinds[i].row, row);
            report_with(i, ec_buf_text(&text), odd[k], &r);
            if (kinds[i].heading && !strstr(ec_buf_text(&r.markdown), kinds[i].heading) &&
                !is_noted(&r, kinds[i].name))
                test_fail(__FILE__, __LINE__, "%s with \"%s\": neither a section nor a note",
                          kinds[i].name, odd[k]);
            report_clear(&r);
            ec_buf_clear(&text);
        }
}

/* Lines end as Windows ends them, and begin with its mark. */
TEST(tables_of_other_systems_are_read)
{
    int i;

    for (i = 0; i < EC_LEN(kinds); i++) {
        struct ec_buf text = EC_BUF_INIT;
        struct report r;
        const char *c;

        ec_buf_str(&text, "\xef\xbb\xbf");
        for (c = kinds[i].header; *c; c++)
            ec_buf_printf(&text, "%s%c", *c == '\n' ? "\r" : "", *c);
        for (c = kinds[i].row; *c; c++)
            ec_buf_printf(&text, "%s%c", *c == '\n' ? "\r" : "", *c);
        report_with(i, ec_buf_text(&text), "", &r);
        if (kinds[i].heading)
            CHECK_HAS(ec_buf_text(&r.markdown), kinds[i].heading);
        report_clear(&r);
        ec_buf_clear(&text);
    }
}

/* --- Records beside tables --- */

TEST(records_that_say_little_are_described_or_named)
{
    /* clang-format off */
    static const struct {
        const char *text;
        bool described;
    } rows[] = {
        { "{\"schema\":\"epochcast.machine/1\"}", true },
        { "{\"schema\":\"epochcast.machine/1\",\"cpu\":[],\"memory\":7,\"gpus\":{}}", true },
        { "{\"schema\":\"epochcast.machine/1\",\"cpu\":{\"model\":\"<b>|\",\"cores\":-1},"
          "\"gpus\":[1,{\"name\":\"G\"}],"
          "\"software\":{\"libraries\":{\"z\":1,\"y\":\"2\"}}}", true },
        { "{\"schema\":7}", false },
        { "{}", false },
        { "[]", false },
        { "", false },
        { "{\"schema\":\"epochcast.machine/1\"", false },
    };
    /* clang-format on */
    int i;

    for (i = 0; i < EC_LEN(rows); i++) {
        struct report r;

        begin();
        put("a-good.csv", good);
        put("machine.json", rows[i].text);
        report(NULL, &r);
        holds_of_every_report(&r, "machine.json", rows[i].text);
        CHECK_INT(strstr(ec_buf_text(&r.markdown), "## Machines") != NULL, rows[i].described);
        CHECK_INT(is_noted(&r, "machine.json"), !rows[i].described);
        CHECK_INT(r.done.n_left_out, !rows[i].described);
        CHECK(!strstr(ec_buf_text(&r.page), "<b>|"));
        report_clear(&r);
        end();
    }
}

TEST(more_files_than_are_read_are_refused)
{
    struct ec_results_opts o = { .dir = DIR, .out = OUT, .precision = "fp32" };
    struct ec_results_done done = { 0 };
    struct ec_arena a = { 0 };
    struct ec_said notes = { .arena = &a };
    struct ec_err err;
    char name[32];
    int i;

    begin();
    for (i = 0; i < 257; i++) {
        (void)snprintf(name, sizeof name, "n%d.txt", i);
        put(name, "x");
    }
    CHECK_FAILS(ec_results_report(&o, &a, &notes, &done, &err), EC_E_INPUT,
                DIR ": more than 256 files");
    ec_arena_clear(&a);
    end();
}
