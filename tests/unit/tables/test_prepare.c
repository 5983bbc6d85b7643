/* Tables made ready: machines by column, folder and option, and columns of 0 and 1 as words. */
#include "test.h"

#include "tables/mapping_internal.h"

#include <string.h>

/* As much of the catalogue as is needed here. */
static const char *device_in(const char *text, bool whole)
{
    if (ec_str_ieq(text, "a100") || (!whole && ec_str_glob("*a100*", text)))
        return "a100";
    if (ec_str_ieq(text, "t4") || (!whole && ec_str_glob("*t4*", text)))
        return "t4";
    return ec_str_eq(text, "cpu-x") ? "cpu-x" : NULL;
}

static bool is_processor(const char *device)
{
    return ec_str_starts(device, "cpu-");
}

static enum ec_status prepare(const char *text, const char *path, const char *device,
                              const char *environment, struct ec_csv *ret, struct ec_err *err)
{
    struct ec_table_given given = {
        .path = path, .device = device, .device_in = device_in, .is_processor = is_processor
    };
    enum ec_status st;

    given.environments = (struct ec_strs){ .n = environment != NULL, .v = &environment };
    EC_TRY(ec_csv_parse(text, strlen(text), ret, err));
    EC_TRY(ec_table_prepare(ret, &given, err));
out:
    return st;
}

static const char *cell(const struct ec_csv *csv, int row, const char *column)
{
    return ec_csv_cell(csv, row, ec_csv_col(csv, column));
}

#define TAIL ",model,batch,step_time_ms\n"
#define RUN ",vgg16,8,90\n"

/* A table, its path, the options, and what its first and its last row are then of. */
TEST(machines_by_column_folder_and_option)
{
    /* clang-format off */
    static const struct {
        const char *text, *path, *device, *environment, *first, *last, *env;
    } rows[] = {
        { "env" TAIL "t4" RUN "a100" RUN, "x.csv", NULL, NULL, "t4", "a100", "" },
        { "device,env" TAIL "cuda,my t4 box" RUN "cuda,a100" RUN, "x.csv", NULL, NULL, "t4",
          "a100", "" },
        /* the column that names machines, not the first one */
        { "env,environment" TAIL "A,t4" RUN "A,CPU" RUN, "x.csv", NULL, NULL, "t4", "CPU", "t4" },
        { "env,environment" TAIL "A,t4" RUN "A,CPU" RUN, "x.csv", NULL, "CPU=cpu-x", "t4",
          "cpu-x", "t4" },
        { "env,device" TAIL "A,cuda" RUN, "runs/envA_t4/x.csv", NULL, NULL, "t4", "t4",
          "envA_t4" },
        { "env,device" TAIL "A,cuda" RUN "B,cuda" RUN, "envA_t4/x.csv", NULL, NULL, "t4", "t4",
          "" },
        { "env,device" TAIL "A,cuda" RUN, "box/x.csv", NULL, "box=t4", "t4", "t4", "box" },
        { "env,device" TAIL "A,cuda" RUN, "envB_cpu/x.csv", NULL, NULL, "cpu", "cpu",
          "envB_cpu" },
        { "env,device" TAIL "A,cuda" RUN, "envB_cpu/x.csv", "cpu-x", NULL, "cpu-x", "cpu-x",
          "envB_cpu" },
        { "gpu" TAIL "t4" RUN "a100" RUN, "x_t4/x.csv", NULL, "t4=a100", "", "", "t4" },
        { "device" TAIL "board 7" RUN, "x.csv", "t4", NULL, "t4", "t4", "board 7" },
        { "device" TAIL "T4" RUN, "x.csv", "t4", NULL, "T4", "T4", "" },
        /* folders above the file's own, and words in words, say nothing */
        { "env" TAIL "A" RUN, "t4/runs/x.csv", NULL, NULL, "", "", "" },
        { "env" TAIL "cpus" RUN, "x.csv", NULL, NULL, "", "", "" },
    };
    /* clang-format on */
    int i;

    for (i = 0; i < EC_LEN(rows); i++) {
        struct ec_csv csv = { 0 };
        struct ec_err err = { 0 };

        CHECK_OK(
            prepare(rows[i].text, rows[i].path, rows[i].device, rows[i].environment, &csv, &err));
        CHECK_STR(cell(&csv, 0, "device"), rows[i].first);
        CHECK_STR(cell(&csv, csv.n_rows - 1, "device"), rows[i].last);
        CHECK_STR(cell(&csv, 0, "environment"), rows[i].env);
        ec_csv_clear(&csv);
    }
}

TEST(a_device_beside_rows_of_another_is_refused)
{
    /* clang-format off */
    static const struct {
        const char *text, *path, *device, *environment, *sentence;
    } rows[] = {
        { "env,environment" TAIL "A,RTX t4" RUN "A,CPU" RUN, "x.csv", "t4", NULL,
          "column environment says RTX t4, CPU, --device says t4: leave --device out, and say "
          "--environment 'CPU=KEY'" },
        { "device" TAIL "t4" RUN "a100" RUN, "x.csv", "t4", NULL,
          "column device says t4, a100, --device says t4: leave --device out" },
        { "device" TAIL "board 7" RUN "board 8" RUN, "x.csv", "t4", NULL,
          "--environment 'board 8=KEY'" },
        { "device" TAIL "cuda" RUN, "envA_a100/x.csv", "t4", NULL,
          "the folder envA_a100 names a100, --device says t4: say --environment "
          "'envA_a100=a100'" },
        { "device" TAIL "cuda" RUN, "envB_cpu/x.csv", "t4", NULL,
          "the folder envB_cpu names a processor, --device says t4: say --environment "
          "'envB_cpu=KEY'" },
        { "env" TAIL "CPU" RUN, "x.csv", "t4", NULL, "--environment 'CPU=KEY'" },
        { "env" TAIL "A" RUN, "x.csv", NULL, "CPU", "--environment \"CPU\": expected NAME=KEY" },
        { "env" TAIL "A" RUN, "x.csv", NULL, "=t4", "expected NAME=KEY" },
        { "env" TAIL "A" RUN, "x.csv", NULL, "A=", "expected NAME=KEY" },
    };
    /* clang-format on */
    int i;

    for (i = 0; i < EC_LEN(rows); i++) {
        struct ec_csv csv = { 0 };
        struct ec_err err = { 0 };

        CHECK_FAILS(
            prepare(rows[i].text, rows[i].path, rows[i].device, rows[i].environment, &csv, &err),
            EC_E_INPUT, rows[i].sentence);
        ec_csv_clear(&csv);
    }
}

TEST(a_column_for_each_word_is_one_of_words)
{
    static const char text[] = "opt_SGD,opt_Adam,opt_None,act_relu,act_tanh,n\n"
                               "1,0,0,0,0,7\n0,1.0,1,1,0,8\n0,0,1,0,1,9\n1,1,0,1,0,10\n";
    static const char *const bad[] = { "opt_SGD,n\n1,2\n", "opt_SGD,opt_Adam\n1,2\n",
                                       "opt_SGD,opt_Adam,optimizer\n1,0,adam\n" };
    static const char *const want[][2] = {
        {"SGD",       ""    },
        { "Adam",     "relu"},
        { "None",     "tanh"},
        { "SGD+Adam", "relu"},
    };
    struct ec_csv csv = { 0 };
    struct ec_err err = { 0 };
    int i;

    CHECK_OK(prepare(text, "x.csv", NULL, NULL, &csv, &err));
    for (i = 0; i < EC_LEN(want); i++) {
        CHECK_STR(cell(&csv, i, "optimizer"), want[i][0]);
        CHECK_STR(cell(&csv, i, "activation"), want[i][1]);
    }
    CHECK_STR(cell(&csv, 3, "n"), "10");
    ec_csv_clear(&csv);
    for (i = 0; i < EC_LEN(bad); i++) {
        int n;

        CHECK_OK(ec_csv_parse(bad[i], strlen(bad[i]), &csv, &err));
        n = csv.n_cols;
        CHECK_OK(ec_table_prepare(&csv, &(struct ec_table_given){ 0 }, &err));
        CHECK_INT(csv.n_cols, n);
        ec_csv_clear(&csv);
    }
}

static enum ec_status make(struct ec_err *err)
{
    struct ec_csv csv = { 0 };
    enum ec_status st = prepare("opt_SGD,opt_Adam,environment" TAIL "1,0,t4" RUN "0,1,CPU" RUN,
                                "a/x.csv", NULL, "CPU=cpu-x", &csv, err);

    ec_csv_clear(&csv);
    return st;
}

TEST(each_allocation_may_fail)
{
    CHECK_TORTURE(make);
}
