/* Every option that reads a file: what is not there, a folder, an empty file and noise are refused
 * by a sentence that names them, and nothing is answered. */
#include "capture.h"
#include "commands.h"
#include "scratch.h"

/* A command that reads the file of '%', by the option: a metavar that begins with FILE or MODEL. */
struct reading {
    const char *command, *option, *words;
    bool may_be_folder, may_be_empty, may_be_noise, may_be_missing;
};
/* clang-format off */
static const struct reading readings[] = {
    { .command = "predict", .option = "model", .words = "predict % --device t4" },
    { .command = "predict", .option = "requests", .words = "predict --requests % --sandbox off",
      .may_be_empty = true, .may_be_noise = true }, /* an answer for each line */
    { .command = "predict", .option = "profile", .words = "predict lenet5 -d t4 --profile %" },
    { .command = "predict", .option = "store",
      .words = "predict lenet5 -d t4 --evidence 2 --store %",
      .may_be_missing = true }, /* the answer says that there is none */
    { .command = "model", .option = "model", .words = "model %" },
    { .command = "train", .option = "model", .words = "train % --data synthetic" },
    { .command = "measure layers", .option = "cases",
      .words = "measure layers --cases % --out cases.csv", .may_be_empty = true },
    { .command = "data import", .option = "mapping",
      .words = "data import products.csv --store other.sqlite --mapping %" },
    { .command = "data list", .option = "store", .words = "data list --store %" },
    { .command = "data show", .option = "store", .words = "data show 1 --store %" },
    { .command = "data export", .option = "store", .words = "data export --store %" },
    { .command = "data check", .option = "store", .words = "data check --dry-run --store %" },
    { .command = "data merge", .option = "words", .words = "data merge % --store other.sqlite" },
    { .command = "fit compare", .option = "data",
      .words = "fit compare --op matmul --family ridge --data %", .may_be_folder = true },
    { .command = "fit compare", .option = "mapping",
      .words = "fit compare --op matmul --family ridge --data products.csv --mapping %" },
    { .command = "fit compare", .option = "store",
      .words = "fit compare --op matmul --family ridge --store %" },
    { .command = "fit table", .option = "store", .words = "fit table --store %" },
    { .command = "whatif", .option = "store", .words = "whatif --store %" },
    { .command = "fit table", .option = "table", .words = "fit table --table %" },
    { .command = "fit table", .option = "profile",
      .words = "fit table --table grid.csv --features width,batch_size --profile %" },
    { .command = "fit table", .option = "mapping",
      .words = "fit table --table grid.csv --mapping %" },
    { .command = "fit describe", .option = "file", .words = "fit describe %" },
    { .command = "fit predict", .option = "file", .words = "fit predict % --table grid.csv" },
    { .command = "evaluate", .option = "tables", .words = "evaluate %" },
    { .command = "evaluate", .option = "networks", .words = "evaluate --networks %" },
    { .command = "evaluate", .option = "operators", .words = "evaluate --operators %" },
    { .command = "evaluate", .option = "profile",
      .words = "evaluate --networks networks.csv --profile %" },
    { .command = "evaluate", .option = "mapping",
      .words = "evaluate --networks networks.csv --mapping %" },
    { .command = "calibrate", .option = "table", .words = "calibrate -d t4 --table %" },
    { .command = "calibrate", .option = "mapping",
      .words = "calibrate -d t4 --table networks.csv --mapping %" },
    { .command = "calibrate", .option = "measured",
      .words = "calibrate -d this --measured % --out p.json" },
    { .command = "calibrate", .option = "store",
      .words = "calibrate -d t4 --from-store --store %" },
    { .command = "whatif", .option = "table", .words = "whatif --table %" },
    { .command = "whatif", .option = "profile", .words = "whatif --table grid.csv --profile %" },
    { .command = "whatif", .option = "mapping", .words = "whatif --table grid.csv --mapping %" },
    { .command = "analyse", .option = "files", .words = "analyse %" },
    { .command = "analyse", .option = "store", .words = "analyse --store %" },
    { .command = "analyse", .option = "mapping", .words = "analyse networks.csv --mapping %" },
    { .command = "predict", .option = "prices",
      .words = "predict lenet5 -d t4 --samples 100 --prices %" },
    { .command = "predict", .option = "job", .words = "predict lenet5 -d t4 --job %" },
    { .command = "plan", .option = "model", .words = "plan % -d t4 --samples 100" },
    { .command = "plan", .option = "jobs", .words = "plan -d t4 --jobs %" },
    { .command = "plan", .option = "profile",
      .words = "plan lenet5 -d t4 --samples 1000 --profile %" },
    { .command = "plan", .option = "prices",
      .words = "plan lenet5 -d t4 --samples 100 --prices %" },
    { .command = "predict", .option = "lengths",
      .words = "predict gpt2 -d t4 --lengths %" },
    { .command = "plan", .option = "lengths",
      .words = "plan gpt2 -d t4 --samples 100 --lengths %" },
    { .command = "slurm", .option = "model", .words = "slurm % -d t4 --samples 100" },
    { .command = "slurm", .option = "lengths",
      .words = "slurm gpt2 -d t4 --samples 100 --lengths %" },
    { .command = "check", .option = "model", .words = "check % -d t4 --measured 1s" },
    { .command = "check", .option = "from", .words = "check lenet5 -d t4 --from %" },
    { .command = "check", .option = "profile",
      .words = "check lenet5 -d t4 --measured 1s --profile %" },
    { .command = "check", .option = "mapping", .words = "check networks.csv --mapping %" },
    { .command = "check", .option = "lengths",
      .words = "check gpt2 -d t4 --measured 1s --lengths %" },
    { .command = "check", .option = "against", .words = "check results.csv --against %" },
    { .command = "fit table", .option = "more",
      .words = "fit table grid.csv % --features width,batch_size",
      .may_be_folder = true },
    { .command = "roofline", .option = "models", .words = "roofline % --device t4" },
    { .command = "roofline", .option = "measured", .words = "roofline lenet5 -d t4 --measured %" },
    { .command = "roofline", .option = "store", .words = "roofline lenet5 -d t4 --store %" },
    { .command = "trace", .option = "files", .words = "trace %", .may_be_folder = true },
    { .command = "trace", .option = "model", .words = "trace trace.json --model % -d t4" },
    { .command = "plot", .option = "table", .words = "plot bars % --x a --y b" },
    { .command = "report", .option = "mapping", .words = "report results --mapping %" },
    { .command = "serve", .option = "token", .words = "serve --token % --listen nowhere" },
    { .command = "serve", .option = "store", .words = "serve --store % --listen nowhere" },
    { .command = "serve", .option = "page", .words = "serve --page % --listen nowhere",
      .may_be_empty = true, .may_be_noise = true }, /* it is shown as it is */
};
/* clang-format on */

#define COMPLAIN(r, fmt, ...) test_fail(__FILE__, __LINE__, "%s: " fmt, (r)->words, ##__VA_ARGS__)

static void run_with(const struct reading *r, const char *path, struct done *d)
{
    const char *at = strchr(r->words, '%');
    char words[256];

    (void)snprintf(words, sizeof words, "%.*s%s%s", (int)(at - r->words), r->words, path, at + 1);
    epochcast(words, d);
}

static int times_held(const struct ec_file *f, const char *part)
{
    size_t len = strlen(part), i;
    int n = 0;

    for (i = 0; i + len <= f->len; i++)
        n += memcmp(f->data + i, part, len) == 0;
    return n;
}

/* One line, which names the command and the file once, and says something behind it. */
static void refuses(const struct reading *r, const char *path)
{
    struct done d;
    char head[64];

    run_with(r, path, &d);
    (void)snprintf(head, sizeof head, "epochcast %s: ", r->command);
    if (d.status != EC_EXIT_FAILED || d.out.len)
        COMPLAIN(r, "%s: status %d, %zu bytes of answer", path, d.status, d.out.len);
    if (!holds(&d.err, head) || !holds(&d.err, path) || !holds(&d.err, ": "))
        COMPLAIN(r, "%s: \"%.*s\"", path, (int)d.err.len, (const char *)d.err.data);
    if (times_held(&d.err, path) != 1)
        COMPLAIN(r, "%s is named %d times", path, times_held(&d.err, path));
    if (times_held(&d.err, "\n") != 1 || !d.err.len || d.err.data[d.err.len - 1] != '\n')
        COMPLAIN(r, "%s: not one line: \"%.*s\"", path, (int)d.err.len, (const char *)d.err.data);
    done_clear(&d);
}

/* Where an answer is right it is one, and nothing is wrong with the process. */
static void takes(const struct reading *r, const char *path)
{
    struct done d;

    run_with(r, path, &d);
    if (d.status != EC_EXIT_OK && d.status != EC_EXIT_FAILED)
        COMPLAIN(r, "%s: status %d", path, d.status);
    if (d.status == EC_EXIT_FAILED && !d.err.len)
        COMPLAIN(r, "%s: fails without a word", path);
    done_clear(&d);
}

static void write_noise(const char *path)
{
    unsigned char noise[600];
    struct ec_err err = { 0 };
    struct ec_rng rng;
    int i;

    ec_rng_seed(&rng, 4);
    for (i = 0; i < EC_LEN(noise); i++)
        noise[i] = (unsigned char)(128 + ec_rng_range(&rng, 0, 127)); /* no digit, no comma */
    CHECK_OK(ec_file_write(path, noise, sizeof noise, &err));
}

static void make_files(struct scratch *s)
{
    (void)setenv("HWLOC_HIDE_ERRORS", "2", 1); /* what it says of an odd machine is not ours */
    scratch_begin(s);
    scratch_networks("networks.csv");
    scratch_products("products.csv");
    scratch_grid("grid.csv");
    CHECK(mkdir("results", 0700) == 0 && mkdir("a-folder.map", 0700) == 0);
    scratch_networks("results/networks.csv");
    scratch_write("trace.json", "[{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,"
                                "\"tid\":7,\"ts\":1,\"dur\":9}]");
    scratch_write("nothing-in-it.map", "");
    write_noise("noise.map");
}

TEST(a_file_that_is_not_there_is_named)
{
    struct scratch s;
    int i;

    make_files(&s);
    for (i = 0; i < EC_LEN(readings); i++)
        (readings[i].may_be_missing ? takes : refuses)(&readings[i], "not-there.map");
    scratch_end(&s);
}

TEST(a_folder_is_no_file)
{
    struct scratch s;
    int i;

    make_files(&s);
    for (i = 0; i < EC_LEN(readings); i++)
        (readings[i].may_be_folder ? takes : refuses)(&readings[i], "a-folder.map");
    scratch_end(&s);
}

TEST(an_empty_file_is_told)
{
    struct scratch s;
    int i;

    make_files(&s);
    for (i = 0; i < EC_LEN(readings); i++)
        (readings[i].may_be_empty ? takes : refuses)(&readings[i], "nothing-in-it.map");
    scratch_end(&s);
}

TEST(noise_is_told)
{
    struct scratch s;
    int i;

    make_files(&s);
    for (i = 0; i < EC_LEN(readings); i++)
        (readings[i].may_be_noise ? takes : refuses)(&readings[i], "noise.map");
    scratch_end(&s);
}

/* --- What is no file --- */

/* Commands that read what is not an option with a file of its own: data sets, folders of tables. */
/* clang-format off */
static const struct reading others[] = {
    { .command = "data import", .words = "data import % --store other.sqlite",
      .may_be_folder = true },
    { .command = "dataset", .words = "dataset csv:%" },
    { .command = "dataset", .words = "dataset npy:%", .may_be_folder = true },
    { .command = "dataset", .words = "dataset digits:%" },
    { .command = "dataset", .words = "dataset cifar10:%", .may_be_folder = true },
    { .command = "dataset", .words = "dataset mnist:%", .may_be_folder = true },
    { .command = "dataset", .words = "dataset imagefolder:%", .may_be_folder = true },
    { .command = "dataset", .words = "dataset pcam:%", .may_be_folder = true },
    { .command = "train", .words = "train mnist_cnn --data csv:%" },
    { .command = "report", .words = "report %", .may_be_folder = true },
};
/* clang-format on */

/* Opening a pipe waits for its other end and reading /dev/zero never ends: the alarm would end the
 * test. */
TEST(what_is_no_file_is_refused_at_once)
{
    static const char *const paths[] = { "a-pipe.map", "/dev/zero", "/proc/self/environ" };
    struct scratch s;
    int i, k;

    make_files(&s);
    CHECK(mkfifo("a-pipe.map", 0600) == 0);
    (void)alarm(60);
    for (k = 0; k < EC_LEN(paths); k++) {
        for (i = 0; i < EC_LEN(readings); i++)
            refuses(&readings[i], paths[k]);
        for (i = 0; i < EC_LEN(others); i++)
            refuses(&others[i], paths[k]);
    }
    (void)alarm(0);
    scratch_end(&s);
}

/* In folders that are read the names are those of files, and the pipes are not. */
TEST(pipes_in_folders_are_refused_at_once)
{
    static const char *const pipes[] = { "d/train-images-idx3-ubyte",
                                         "d/train-labels-idx1-ubyte",
                                         "d/data_batch_1.bin",
                                         "d/x.npy",
                                         "d/y.npy",
                                         "d/train/a/x.jpg",
                                         "d/train/b/x.jpg",
                                         "d/rows.csv" };
    static const struct reading rows[] = {
        {.command = "dataset",      .words = "dataset mnist:%"                                },
        { .command = "dataset",     .words = "dataset cifar10:%"                              },
        { .command = "dataset",     .words = "dataset npy:%"                                  },
        { .command = "train",       .words = "train cifar_cnn --data imagefolder:% --batch 1" },
        { .command = "data import", .words = "data import % --store other.sqlite"             },
        { .command = "report",      .words = "report %"                                       },
        { .command = "fit compare", .words = "fit compare --op matmul --family ridge --data %"},
    };
    struct scratch s;
    struct done d;
    int i;

    make_files(&s);
    CHECK(mkdir("d", 0700) == 0 && mkdir("d/train", 0700) == 0);
    CHECK(mkdir("d/train/a", 0700) == 0 && mkdir("d/train/b", 0700) == 0);
    for (i = 0; i < EC_LEN(pipes); i++)
        CHECK(mkfifo(pipes[i], 0600) == 0);
    (void)alarm(60);
    for (i = 0; i < EC_LEN(rows); i++) {
        run_with(&rows[i], "d", &d);
        if (d.status != EC_EXIT_FAILED || !holds(&d.err, "is a pipe, expected a file"))
            COMPLAIN(&rows[i], "status %d: \"%.*s\"", d.status, (int)d.err.len,
                     (const char *)d.err.data);
        done_clear(&d);
    }
    (void)alarm(0);
    scratch_end(&s);
}

/* --- Options that read a file are in the list above --- */

static bool is_listed(const char *names, const char *name)
{
    struct ec_span rest = ec_span_of(names), word;

    while (rest.len && ec_span_cut(&rest, ' ', &word))
        if (ec_span_eq(word, name))
            return true;
    return false;
}

static bool reads_a_file(const struct ec_cmd *cmd, const struct ec_field *f)
{
    return f->metavar && !is_listed(cmd->writes, f->name) &&
           (ec_str_starts(f->metavar, "FILE") || strstr(f->metavar, "|FILE") ||
            ec_str_eq(f->metavar, "MODEL"));
}

static bool is_tried(const char *title, const char *option)
{
    int i;

    for (i = 0; i < EC_LEN(readings); i++)
        if (ec_str_eq(readings[i].command, title) && ec_str_eq(readings[i].option, option))
            return true;
    return false;
}

/* Those whose file is read by code that another row tries, or that need a process around them. */
static bool is_excused(const char *title, const char *option)
{
    /* clang-format off */
    static const char *const rows[][2] = {
        { "train", "mpi" }, { "train", "store_file" }, { "measure", "store" },
        { "measure ddp", "mpi" }, { "study strategy", "mpi" },
        { "data import", "store" }, { "data merge", "store" },
        { "fit predict", "table" }, { "fit predict", "profile" }, { "fit predict", "mapping" },
        { "fit predict", "store" }, { "measure ddp", "profile" }, { "serve", "profile" },
    };
    /* clang-format on */
    int i;

    for (i = 0; i < EC_LEN(rows); i++)
        if (ec_str_starts(title, rows[i][0]) && ec_str_eq(option, rows[i][1]))
            return true;
    return false;
}

TEST(all_options_that_read_a_file_are_tried)
{
    char title[EC_CMD_TITLE_BYTES];
    const struct ec_arg_group *g;
    const struct ec_cmd *cmd;
    const struct ec_field *f;
    int i, n = 0;

    for (i = 0; (cmd = command_at(i)); i++)
        for (g = cmd->groups; g->fields; g++)
            for (f = g->fields; f->name; f++) {
                if (!reads_a_file(cmd, f))
                    continue;
                n++;
                (void)ec_cmd_title(cmd, title, sizeof title);
                if (!is_tried(title, f->name) && !is_excused(title, f->name))
                    test_fail(__FILE__, __LINE__, "%s: %s reads %s and is not tried", title,
                              f->name, f->metavar);
            }
    CHECK(n > 30);
}

/* And the other way round: no row is of what is there no more. */
TEST(all_that_is_tried_is_there)
{
    char title[EC_CMD_TITLE_BYTES];
    const struct ec_arg_group *g;
    const struct ec_cmd *cmd;
    int i, k;
    bool found;

    for (k = 0; k < EC_LEN(readings); k++) {
        for (found = false, i = 0; (cmd = command_at(i)); i++)
            for (g = cmd->groups; g->fields; g++)
                found = found ||
                        (ec_str_eq(ec_cmd_title(cmd, title, sizeof title), readings[k].command) &&
                         ec_field_find(g->fields, ec_span_of(readings[k].option)));
        if (!found)
            COMPLAIN(&readings[k], "no option %s", readings[k].option);
    }
}
