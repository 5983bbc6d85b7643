/* The queries of findings: every statement can be prepared, and each finding has rows that it
 * speaks of and rows that it passes over. */
#include "a_run.h"

#include "report/results_internal.h"

#include <sqlite3.h>

/* ------------------------------------------------------------------------------------------------
 * Tables that are no runs: tables.sql */

static void open_table(const char *text, struct ec__query *ret)
{
    struct ec__results r = { 0 };
    struct ec__result_table t = { .name = "t.csv" };
    struct ec_err err;

    r.err = &err;
    CHECK_OK(ec_csv_parse(text, strlen(text), &t.csv, &err));
    CHECK_OK(ec__results_query(&r, &t, ret));
    ec_csv_clear(&t.csv);
}

/* Asks every view of a database. */
static void ask_views(struct ec__query *q, int least)
{
    struct ec_strs views = { 0 };
    struct ec_arena a = { 0 };
    struct ec_err err;
    char sql[100];
    int i;

    CHECK_OK(
        ec__query_say(q, "SELECT name FROM sqlite_master WHERE type = 'view'", &a, &views, &err));
    CHECK(views.n >= least);
    for (i = 0; i < views.n; i++) {
        (void)snprintf(sql, sizeof sql, "SELECT * FROM %s", views.v[i]);
        CHECK_OK(ec__query_say(q, sql, NULL, NULL, &err));
    }
    ec_arena_clear(&a);
}

TEST(every_view_of_tables_can_be_asked)
{
    struct ec__query q;

    open_table("model\n", &q);
    ask_views(&q, 20);
    ec__query_close(&q);
}

/* A script of src/report. ret: clear it */
static void read_script(const char *path, struct ec_buf *ret)
{
    struct ec_file f = { 0 };
    struct ec_err err;

    CHECK_OK(ec_file_open(path, 0, &f, &err));
    ec_buf_add(ret, (const char *)f.data, f.len);
    ec_file_close(&f);
}

TEST(every_view_of_runs_can_be_asked)
{
    struct ec_run v = run_of("a", "m0", 8, 1e6);
    struct ec_runs r = { .v = &v, .n = 1, .reference = "a" };
    struct ec__query *q;
    struct ec_err err;

    CHECK_OK(ec__runs_query(&r, &q, &err));
    ec__query_into(q, "ceiling", "device precision flop_per_s bytes bytes_per_s");
    ask_views(q, 20);
    ec__runs_changed(&r);
}

#define GRID                                                                                       \
    "depth,base_filters,batch_size,num_params,time_per_epoch,model,train_loss,test_accuracy\n"
#define DDP                                                                                        \
    "model,ranks,batch_per_rank,step_ns,local_step_ns,all_reduce_ns,images_per_s\n"                \
    "mlp,1,8,1000,1000,0,8000\n"

/* clang-format off */
static const struct {
    const char *view, *text, *want; /* what a sentence holds; NULL: there is none */
} sentences[] = {
    { "data_note", "model,data,val_accuracy\ncifar_cnn,synthetic,0.5\n",
      "made up (synthetic) of the shape" },
    { "data_note", "model,val_accuracy\ncifar_cnn,0.5\n", "does not say which images" },
    { "data_note", "model,val_accuracy\nmlp,0.5\n", NULL },
    { "data_note", "model,data,val_accuracy\ncifar_cnn,synthetic,\n", NULL },
    { "trained_note", GRID "1,8,16,9,2,cifar_cnn,2.4,0.1\n1,8,32,9,1,cifar_cnn,0.4,0.9\n",
      "1 of 2 runs ended at the training loss of random answers among 10 classes, 2.303" },
    { "trained_note", GRID "1,8,16,9,2,cifar_cnn,1.2,0.1\n", NULL },
    { "grid_found", GRID "1,8,16,9,2,mlp,,\n2,8,16,9,4,mlp,,\n2,8,32,9,x,mlp,,\n",
      "depth 1 with 8 filters at batch 16 is fastest (2.00 s per epoch), depth 2 with 8 "
      "filters at batch 16 "
      "slowest (4.00 s)" },
    { "grid_found", GRID "1,8,16,9,2,mlp,,\n2,8,16,9,4,mlp,,\n",
      "takes 2.00 times as long with twice the depth" },
    { "grid_found", GRID "1,8,16,9,2,cifar_cnn,2.4,0.1\n1,8,32,9,2,cifar_cnn,2.5,0.1\n",
      "In t.csv 2 of 2 runs learned nothing" },
    { "grid_found", GRID "1,8,16,9,2,mlp,,\n1,8,16,9,3,mlp,,\n", NULL },
    { "curve_found", "model,epoch,train_loss\ncifar_cnn,1,2.31\n",
      "The runs in t.csv learned nothing" },
    { "curve_found",
      "model,epoch,val_accuracy,batch_size,train_loss\nmlp,1,0.5,64,1\nmlp,2,0.75,64,1\n",
      "The best validation accuracy in t.csv is 75.0 %, after epoch 2 of mlp at batch 64." },
    { "curve_found", "model,epoch,accuracy\nmlp,1,62\n",
      "The best accuracy in t.csv is 62.0 %, after epoch 1" },
    { "curve_found", "model,val_accuracy\nmlp,0.5\n", NULL },
    { "ablation_found", "method,ratio\nalone,0.9\nalone,1.25\n",
      "by the method \"alone\" add up to 0.90 to 1.25 of their network." },
    { "ablation_found", "variant,sum_to_whole\nwarm,1\n", "\"warm\" add up to 1.00 to 1.00" },
    { "ablation_found", "method,ratio\nalone,\n", NULL },
    { "ddp_found", DDP "mlp,2,8,1250,1000,100,12800\n",
      "2 processes of one machine train mlp, batch 8 each, 1.60 times as fast as one; "
      "without the exchange of "
      "gradients a step takes 0.80 of its time." },
    { "ddp_found",
      DDP "mlp,1,16,1000,1000,0,9000\nmlp,2,8,1250,1000,100,12800\nmlp,2,16,2000,1000,100,9900\n",
      "2 processes of one machine train 1.10 (mlp, batch 16 each) to 1.60 times (mlp, batch 8)" },
    { "ddp_found", DDP, NULL },
    { "ddp_found",
      "model,ranks,batch_per_rank,step_ns,local_step_ns,images_per_s\nmlp,2,8,9,8,7\n", NULL },
    { "choice_words", GRID "1,8,16,9,2,,,\n2,16,16,9,2,,,\n3,64,16,9,2,,,\n",
      " depth=1,2,3 base_filters=8,12,16,64 batch_size=16" },
    { "answer_found", GRID "1,8,16,9,2,mlp,,\n", NULL },
};
/* clang-format on */

TEST(each_finding_on_tables_has_its_rows)
{
    int i, k;

    for (i = 0; i < EC_LEN(sentences); i++) {
        struct ec_strs said = { 0 };
        struct ec_arena a = { 0 };
        struct ec__query q;
        bool found = false;
        struct ec_err err;
        char sql[100];

        open_table(sentences[i].text, &q);
        (void)snprintf(sql, sizeof sql, "SELECT * FROM %s", sentences[i].view);
        CHECK_OK(ec__query_say(&q, sql, &a, &said, &err));
        for (k = 0; k < said.n; k++)
            found = found || !sentences[i].want || strstr(said.v[k], sentences[i].want);
        if (found != (sentences[i].want != NULL))
            test_fail(__FILE__, __LINE__, "row %d of %s: %d sentences, first \"%s\"", i,
                      sentences[i].view, said.n, said.n ? said.v[0] : "");
        ec__query_close(&q);
        ec_arena_clear(&a);
    }
}

TEST(the_largest_network_within_a_budget)
{
    static const char fill[] = "INSERT INTO asked VALUES(1, 'epochcast', 10, 100);"
                               "INSERT INTO answer VALUES(1, 1, 8, 16, 50, 1, 2, 3, 2.5), (2, 2, "
                               "8, 16, 70, 3, 4, 5, NULL)";
    struct ec_strs said = { 0 };
    struct ec_arena a = { 0 };
    struct ec__query q;
    struct ec_err err;

    open_table("model\n", &q);
    CHECK_OK(ec__query_say(&q, fill, NULL, NULL, &err));
    CHECK_OK(ec__query_say(&q, "SELECT * FROM answer_caption; SELECT * FROM answer_found", &a,
                           &said, &err));
    CHECK_INT(said.n, 2);
    CHECK_HAS(said.v[0], "Of the 1 that were run, 1 took a time within");
    CHECK_HAS(
        said.v[1],
        "has depth 2 with 8 filters, at batch 16: 4.00 s are predicted by epochcast, 3.00 s to "
        "5.00 s with 90 % confidence.");
    ec__query_close(&q);
    ec_arena_clear(&a);
}

/* ------------------------------------------------------------------------------------------------
 * Runs: findings.sql */

enum { FINDINGS_MAX = 40 };

/* Runs every statement on some runs, and counts the sentences of each that has columns. */
static int walk(struct ec_run *v, int n, struct ec_run *left, int n_left, int *ret_said)
{
    struct ec_runs r = { .v = v, .n = n, .left = left, .n_left = n_left, .reference = v->env };
    struct ec_buf text = EC_BUF_INIT;
    const char *script;
    struct ec__query *q;
    struct ec_err err;
    int findings = 0;

    read_script("src/report/findings.sql", &text);
    script = ec_buf_text(&text);

    CHECK_OK(ec__runs_query(&r, &q, &err));
    while (*script) {
        sqlite3_stmt *s = NULL;
        int rc = sqlite3_prepare_v2(q->db, script, -1, &s, &script), said = 0;

        if (rc)
            test_fail(__FILE__, __LINE__, "%s", sqlite3_errmsg(q->db));
        while (s && (rc = sqlite3_step(s)) == SQLITE_ROW)
            said += sqlite3_column_type(s, 0) != SQLITE_NULL;
        CHECK_INT(rc, s ? SQLITE_DONE : SQLITE_OK);
        if (s && sqlite3_column_count(s) && findings < FINDINGS_MAX)
            ret_said[findings++] = said;
        (void)sqlite3_finalize(s);
    }
    ec__runs_changed(&r);
    ec_buf_clear(&text);
    return findings;
}

/* What a finding may speak of, in as few runs as have it. */
static int striking_runs(struct ec_run *v)
{
    static const char *const models[] = { "m0", "m1", "m2", "m3", "m4", "m5" };
    int i, n = 0;

    for (i = 0; i < 12; i++) {
        v[n] = run_of(i % 2 ? "b" : "a", models[i / 2], 8, 1e6 * (i + 1));
        v[n].predicted_ns = 1.1 * v[n].median_ns;
        v[n].std_ns = 0.01 * v[n].median_ns;
        n++;
    }
    v[0].repeats = v[1].repeats = 3; /* two environments whose runs were repeated */
    v[1].std_ns = 1e4;
    v[2].drift_ratio = 1.5;
    v[3].record.flags = "noisy";
    v[4].unknown = true;
    v[4].uncounted = "no network \"m2\"";
    v[5].needed_bytes = v[5].most_bytes = 2e10; /* more than the card has, and far slower */
    v[5].device_bytes = 1e10;
    v[5].predicted_ns = 1e4;
    for (i = 0; i < 3; i++) { /* more of a batch, less for it */
        v[n] = run_of("a", "m0", 16 << i, 1e8 * (i + 1));
        v[n++].scaling_frac = 0.5;
    }
    for (i = 0; i < 2; i++) { /* several devices, and devices of one type */
        v[n] = run_of(i ? "c" : "d", "m5", 32, 1e6 * (i + 1));
        v[n].record.device = "t4";
        v[n].record.num_devices = 2;
        v[n++].device_scaling_frac = 0.9;
    }
    v[n] = run_of("a", "m1", 8, 1e6);
    ec_record_set_word(&v[n++].record, EC_WORD_PRECISION, "amp");
    for (i = 0; i < n; i++)
        v[i].flop = 4e9;                 /* below the peak */
    v[n++] = run_of("a", "m3", 64, 1e7); /* above it */
    v[n] = run_of("a", "m3", 128, 1e7);
    v[n++].record.flags = "suspect";
    return n;
}

TEST(each_finding_on_runs_speaks_and_is_silent)
{
    struct ec_run many[FINDINGS_MAX], few[4], left = run_of("a", "m0", 512, UNKNOWN);
    int said[3][FINDINGS_MAX] = { { 0 } }, i, n;

    left.record.outcome = "out_of_memory";
    few[0] = run_of("a", "m0", 8, 1e6);
    few[0].peak_flop_per_s = UNKNOWN;
    n = walk(many, striking_runs(many), &left, 1, said[0]);
    CHECK(n >= 15);
    CHECK_INT(walk(few, 1, NULL, 0, said[1]), n);
    few[0].record.what = "";
    ec_record_set_word(&few[0].record, EC_WORD_MODE, "forward"); /* nothing to compare */
    CHECK_INT(walk(few, 1, NULL, 0, said[2]), n);
    for (i = 0; i < n; i++) {
        if (!said[0][i] && !said[1][i])
            test_fail(__FILE__, __LINE__, "finding %d of findings.sql is never said", i + 1);
        if (said[0][i] && said[1][i] && said[2][i])
            test_fail(__FILE__, __LINE__, "finding %d of findings.sql is always said", i + 1);
    }
}
