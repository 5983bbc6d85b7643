/* A directory of results becomes a report: each kind of file has its section, what is none is
 * named, and an earlier report in the same place leaves nothing behind. */
#define DIR "test-results-report"
#include "results_dir.h"

static bool there_is(const char *name)
{
    char path[256];
    struct stat s;

    (void)snprintf(path, sizeof path, "%s/%s", OUT, name);
    return stat(path, &s) == 0;
}

static const char iterations[] = "env,device,model,batch_size,iteration,time_ms\n"
                                 "slow,t4,resnet18,32,0,100\nslow,t4,resnet18,32,1,110\n"
                                 "slow,t4,resnet18,64,0,200\nfast,v100-sxm2-16gb,resnet18,32,0,40\n"
                                 "fast,v100-sxm2-16gb,resnet18,64,0,70\n";
static const char curves[] = "model,epoch,train_loss,train_acc\nnet,1,2,0.3\nnet,2,1,0.6\n";
static const char grid[] = "config,depth,base_filters,batch_size,num_params,time_per_epoch\n"
                           "a,1,8,32,1000,2\nb,1,16,32,3000,3\nc,2,8,32,2000,3\n"
                           "d,2,16,32,6000,5\n";
static const char ddp[] =
    "model,ranks,batch_per_rank,batch_size,step_ns,local_step_ns,all_reduce_ns,images_per_s\n"
    "net,1,32,32,1000000,1000000,0,32000\nnet,2,32,64,1300000,1000000,300000,49000\n";
static const char machine[] =
    "{\"schema\":\"epochcast.machine/1\",\"cpu\":{\"model\":\"A CPU\",\"sockets\":1,\"cores\":2,"
    "\"threads\":4},\"memory\":{\"total_bytes\":1073741824},\"gpus\":[],"
    "\"software\":{\"os\":\"An OS\",\"kernel\":\"6\",\"compiler\":\"cc\","
    "\"libraries\":{\"zlib\":\"1\"}}}\n";

/* --- Sections --- */

/* Each kind of file alone, or with the one that it needs: headings that stand in the report. */
TEST(each_kind_of_file_has_its_section)
{
    /* clang-format off */
    static const struct {
        const char *name, *text;
        const char *headings[8]; /* NULL ends */
    } rows[] = {
        { "runs.csv", iterations, { "## Method", "## Environments", "## What the networks compute",
          "## Runs", "## Roofline", "## Pictures of the runs", "## Memory", NULL } },
        { "curves.csv", curves, { "## Loss and accuracy over epochs: curves.csv", NULL } },
        { "configs.csv", grid, { "## Configurations: configs.csv", NULL } },
        { "ddp.csv", ddp, { "## Several devices: ddp.csv", NULL } },
    };
    /* clang-format on */
    int i, k;

    for (i = 0; i < EC_LEN(rows); i++) {
        struct report r;

        begin();
        put(rows[i].name, rows[i].text);
        report(NULL, &r);
        for (k = 0; rows[i].headings[k]; k++)
            CHECK_HAS(ec_buf_text(&r.markdown), rows[i].headings[k]);
        CHECK_HAS(ec_buf_text(&r.markdown), "# Results in " DIR "\n");
        CHECK_HAS(ec_buf_text(&r.markdown), "## Findings");
        CHECK_HAS(ec_buf_text(&r.markdown), "## How to make this again");
        CHECK_INT(r.done.n_left_out, 0);
        CHECK_INT(r.said.left_out.texts.n, 0);
        report_clear(&r);
        end();
    }
}

TEST(machines_are_described)
{
    struct report r;

    begin();
    put("curves.csv", curves);
    put("machine.json", machine);
    report("A title of mine", &r);
    CHECK_HAS(ec_buf_text(&r.markdown), "# A title of mine\n");
    CHECK_HAS(ec_buf_text(&r.markdown), "## Machines");
    CHECK_HAS(ec_buf_text(&r.markdown), "| A CPU | 1 socket, 2 cores, 4 threads | 1.00 GiB |");
    CHECK_HAS(ec_buf_text(&r.markdown), "zlib 1");
    report_clear(&r);
    end();
}

/* --- What holds of every report --- */

static void files_in(const char *folder, struct ec_arena *a, struct ec_strs *ret)
{
    bool is_folder;
    char path[256];
    struct ec_err err;

    (void)snprintf(path, sizeof path, "%s/%s", OUT, folder);
    CHECK_OK(ec_files_find(path, "*", a, ret, &is_folder, &err));
}

static void all_kinds(void)
{
    begin();
    put("runs.csv", iterations);
    put("curves.csv", curves);
    put("configs.csv", grid);
    put("ddp.csv", ddp);
    put("machine.json", machine);
}

TEST(pictures_tables_and_texts_agree)
{
    struct ec_strs pictures = { 0 };
    struct report r;
    int i;

    all_kinds();
    report(NULL, &r);
    CHECK(r.done.n_runs == 4 && r.done.n_figures > 6);
    files_in("pictures", &r.a, &pictures);
    CHECK_INT(pictures.n, r.done.n_figures);
    CHECK_INT(count(ec_buf_text(&r.page), "<svg"), r.done.n_figures);
    CHECK_INT(count(ec_buf_text(&r.markdown), "!["), r.done.n_figures);
    CHECK_INT(count(ec_buf_text(&r.page), "http://") + count(ec_buf_text(&r.page), "https://"),
              count(ec_buf_text(&r.page), "xmlns=\"http://www.w3.org/2000/svg\""));
    CHECK_INT(count(ec_buf_text(&r.page), "<h2"), count(ec_buf_text(&r.markdown), "\n## "));
    CHECK(!strstr(ec_buf_text(&r.markdown), " nan") && !strstr(ec_buf_text(&r.markdown), " inf "));
    for (i = 0; i < pictures.n; i++) {
        const char *slash = strrchr(pictures.v[i], '/');

        CHECK_INT(count(ec_buf_text(&r.markdown), slash ? slash + 1 : pictures.v[i]), 1);
    }
    report_clear(&r);
    end();
}

/* The manifest names each file and what it holds; a second report is the first again. */
TEST(the_same_results_are_the_same_report)
{
    struct ec_buf first = EC_BUF_INIT, second = EC_BUF_INIT;
    struct report r;

    all_kinds();
    report(NULL, &r);
    read_file("manifest.sha256", &first);
    CHECK_INT(count(ec_buf_text(&first), "\n"),
              2 + r.done.n_figures + count(ec_buf_text(&first), "  tables/"));
    report_clear(&r);
    report(NULL, &r);
    CHECK_INT(r.done.n_removed, 0);
    read_file("manifest.sha256", &second);
    CHECK_STR(ec_buf_text(&second), ec_buf_text(&first));
    report_clear(&r);
    ec_buf_clear(&first);
    ec_buf_clear(&second);
    end();
}

/* --- What goes, what stays --- */

TEST(files_of_an_earlier_report_go)
{
    struct report r;

    begin();
    put("curves.csv", curves);
    put("old.csv", curves);
    put("mended.csv", curves);
    report(NULL, &r);
    CHECK(there_is("pictures/old.csv-training-curves.svg"));
    report_clear(&r);
    CHECK_INT(remove(DIR "/old.csv"), 0);
    CHECK_INT(remove(DIR "/mended.csv"), 0);
    put("report/pictures/mine.svg", "not of a report");
    put("report/pictures/mended.csv-training-curves.svg", "changed since");
    report(NULL, &r);
    CHECK_INT(r.done.n_removed, 1);
    CHECK(!there_is("pictures/old.csv-training-curves.svg"));
    CHECK(there_is("pictures/curves.csv-training-curves.svg") && there_is("pictures/mine.svg"));
    CHECK(there_is("pictures/mended.csv-training-curves.svg"));
    CHECK_INT(r.said.notes.texts.n, 1);
    CHECK_HAS(r.said.notes.texts.v[0], "of an earlier report, changed since: it stays where it is");
    report_clear(&r);
    end();
}

/* A manifest is a file like others: one that names what lies elsewhere takes nothing away. */
TEST(a_manifest_names_only_what_a_report_writes)
{
    static const char *const names[] = {
        "../keep.csv", "pictures/../../keep.csv", "keep.txt", "tables/.hidden",
        "tables/a/b",  "/etc/hostname",           ""
    };
    struct ec_buf text = EC_BUF_INIT;
    char digest[EC_SHA256_TEXT_BYTES];
    struct report r;
    int i;

    begin();
    put("curves.csv", curves);
    put("keep.csv", curves);
    report(NULL, &r);
    report_clear(&r);
    put("report/keep.txt", "x");
    put("report/tables/.hidden", "x");
    ec_sha256("x", 1, digest);
    for (i = 0; i < EC_LEN(names); i++)
        ec_buf_printf(&text, "%s  %s\n", digest, names[i]);
    ec_sha256(curves, sizeof curves - 1, digest);
    ec_buf_printf(&text, "%s  ../keep.csv\nshort\n\n", digest);
    put("report/manifest.sha256", ec_buf_text(&text));
    report(NULL, &r);
    CHECK_INT(r.done.n_removed, 0);
    CHECK(there_is("keep.txt") && there_is("tables/.hidden") && there_is("../keep.csv"));
    report_clear(&r);
    ec_buf_clear(&text);
    end();
}

/* --- What is no result --- */

TEST(what_is_passed_over_is_named)
{
    struct ec_buf said = EC_BUF_INIT;
    struct ec_err err = { 0 };
    struct report r;

    begin();
    put("curves.csv", curves);
    put("addresses.csv", "name,street\na,b\n");
    put("broken.csv", "a,b\n1,2,3\n");
    put("odd.json", "[1, 2]\n");
    put("notes.txt", "read by nobody");
    put(".hidden.csv", "a,b\n1,2,3\n");
    report(NULL, &r);
    CHECK_INT(r.done.n_left_out, 3);
    CHECK_INT(r.said.left_out.texts.n, 3);
    CHECK_OK(ec_said_print(&r.said, &said, &err));
    CHECK_HAS(ec_buf_text(&said), "left out " DIR "/addresses.csv: neither runs of networks");
    CHECK_HAS(ec_buf_text(&said), "left out " DIR "/broken.csv: line 2: ");
    CHECK_HAS(ec_buf_text(&said), "left out " DIR "/odd.json: neither a machine record nor a");
    ec_buf_clear(&said);
    report_clear(&r);
    end();
}

TEST(a_directory_without_results)
{
    struct ec_results_opts o = { .dir = DIR, .out = OUT, .precision = "fp32" };
    struct ec_results_done done = { 0 };
    struct ec_arena a = { 0 };
    struct ec_said notes = { .arena = &a };
    struct ec_err err;

    begin();
    CHECK_FAILS(ec_results_report(&o, &a, &notes, &done, &err), EC_E_NOT_FOUND,
                DIR " holds no table: expected files named *.csv or *.sqlite");
    CHECK(!there_is("report.html"));
    put("curves.csv", curves);
    o.out = DIR "/no/such/place";
    CHECK_FAILS(ec_results_report(&o, &a, &notes, &done, &err), EC_E_NOT_FOUND, "no/such");
    o.out = OUT;
    o.dir = DIR "/nowhere";
    CHECK_FAILS(ec_results_report(&o, &a, &notes, &done, &err), EC_E_NOT_FOUND,
                "nowhere: cannot read the directory");
    ec_arena_clear(&a);
    end();
}

/* --- Progress --- */

static void note(void *user, const char *what)
{
    struct ec_buf *said = user;

    ec_buf_printf(said, "%s\n", what);
}

TEST(it_tells_what_it_does)
{
    struct ec_buf said = EC_BUF_INIT;
    struct ec_results_opts o = {
        .dir = DIR, .out = OUT, .precision = "fp32", .progress = note, .progress_user = &said
    };
    struct ec_results_done done = { 0 };
    struct ec_arena a = { 0 };
    struct ec_said notes = { .arena = &a };
    struct ec_err err;

    begin();
    put("curves.csv", curves);
    put("sub/runs.csv", iterations);
    CHECK_OK(ec_results_report(&o, &a, &notes, &done, &err));
    CHECK_HAS(ec_buf_text(&said), "reading curves.csv\nreading sub/runs.csv\ncomparing runs\n");
    ec_buf_clear(&said);
    ec_arena_clear(&a);
    end();
}
