/* Answers that nobody can take: a full disk, standard output that is closed, places where no file
 * can be written. Each ends with status 1 and a sentence, and never with half an answer as if it
 * were one. */
#include "capture.h"
#include "commands.h"
#include "leaks.h"
#include "scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>

/* Commands with an answer, long ones and short ones. */
/* clang-format off */
static const char *const answering[] = {
    "help", "--help", "--version", "version", "help predict", "predict --help", "help op sample",
    "predict lenet5 --device t4", "predict lenet5 --device t4 --json",
    "predict lenet5 --device t4,rtx3090", "predict lenet5 --device t4,rtx3090 --csv",
    "predict resnet18 --device t4,rtx3090 --explain",
    "predict --requests requests.jsonl --sandbox off",
    "model resnet18", "model resnet18 --json", "model --list", "model --list --csv",
    "device list", "device list --csv", "device list --json", "device show t4", "device hosts",
    "op", "op conv2d", "op sample --count 3", "plot --list", "fetch --dir .", "dataset",
    "roofline lenet5 --device t4", "analyse iterations.csv", "evaluate --networks networks.csv",
    "calibrate --device t4 --table networks.csv", "calibrate --device t4 --suggest 2",
    "whatif --table grid.csv --network= --features width,batch_size",
    "fit --table grid.csv --network= --features width,batch_size --family linear",
    "fit provenance", "data list --store store.sqlite", "data list --store store.sqlite --limit 5",
    "data show 1 --store store.sqlite", "data export --store store.sqlite",
    "data check --store store.sqlite", "data mappings", "data mappings timm",
    "plot bars networks.csv --x device --y step_time_ms",
    "data import networks.csv --store store.sqlite",
};
/* clang-format on */

static void make_tables(struct scratch *s)
{
    struct done d;

    scratch_begin(s);
    scratch_networks("networks.csv");
    scratch_iterations("iterations.csv");
    scratch_products("products.csv");
    scratch_grid("grid.csv");
    scratch_write("requests.jsonl", "{\"model\": \"lenet5\", \"device\": \"t4\"}\n");
    epochcast("data import products.csv --store store.sqlite", &d);
    CHECK_INT(d.status, EC_EXIT_OK);
    done_clear(&d);
}

/* Runs the words in a process of their own, whose standard output is opened at `path`, or closed.
 * Returns the exit status; what goes to standard error is in the file err.txt. */
static int run_apart(const char *text, const char *path)
{
    const char *words[WORDS_MAX];
    char copy[512], name[] = "epochcast", *argv[WORDS_MAX + 2] = { name };
    int n = split_words(text, copy, sizeof copy, words), status = 0, i, out, err;
    pid_t child;

    for (i = 0; i < n; i++)
        argv[1 + i] = copy + (words[i] - copy);
    (void)fflush(NULL);
    child = fork();
    if (child == 0) {
        err = open("err.txt", O_WRONLY | O_CREAT | O_TRUNC, 0600);
        out = path ? open(path, O_WRONLY) : -1;
        if (err < 0 || dup2(err, STDERR_FILENO) < 0 || (path && dup2(out, STDOUT_FILENO) < 0))
            _exit(99);
        (void)close(err);
        if (!path)
            (void)close(STDOUT_FILENO);
        status = ec_main(&ec_epochcast, n + 1, argv);
        _exit(status);
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static void must_fail(const char *text, const char *path, const char *why)
{
    struct ec_file said = { 0 };
    struct ec_err err = { 0 };
    int status = run_apart(text, path);

    CHECK_OK(ec_file_open("err.txt", 1 << 20, &said, &err));
    if (status != EC_EXIT_FAILED || !holds(&said, "cannot write to standard output: ") ||
        !holds(&said, why) || !holds(&said, "epochcast"))
        test_fail(__FILE__, __LINE__, "\"%s\" to %s: status %d: \"%.*s\"", text,
                  path ? path : "nowhere", status, (int)said.len,
                  said.len ? (const char *)said.data : "");
    ec_file_close(&said);
}

TEST(a_full_disk_is_told)
{
    struct scratch s;
    int i;

    if (access("/dev/full", W_OK))
        return;
    make_tables(&s);
    for (i = 0; i < EC_LEN(answering); i++)
        must_fail(answering[i], "/dev/full", strerror(ENOSPC));
    scratch_end(&s);
}

TEST(a_closed_output_is_told)
{
    struct scratch s;
    int i;

    make_tables(&s);
    for (i = 0; i < EC_LEN(answering); i++)
        must_fail(answering[i], NULL, strerror(EBADF));
    scratch_end(&s);
}

/* The same commands do answer where they can. In this process: a child of one that has had threads
 * may not start any. */
TEST(they_answer_where_they_can)
{
    struct scratch s;
    struct done d;
    int i;

    make_tables(&s);
    for (i = 0; i < EC_LEN(answering); i++) {
        epochcast(answering[i], &d);
        if (d.status != EC_EXIT_OK || !d.out.len || d.out.data[d.out.len - 1] != '\n')
            test_fail(__FILE__, __LINE__, "\"%s\": status %d, %zu bytes", answering[i], d.status,
                      d.out.len);
        done_clear(&d);
    }
    scratch_end(&s);
}

/* Wrong usage is so whatever standard output is. */
TEST(complaints_need_no_output)
{
    static const char *const wrong[] = { "predict", "nonesuch",      "predict --nonesuch",
                                         "model",   "data nonesuch", "help nonesuch",
                                         "" };
    struct scratch s;
    int i;

    scratch_begin(&s);
    for (i = 0; i < EC_LEN(wrong); i++) {
        CHECK_INT(run_apart(wrong[i], NULL), EC_EXIT_USAGE);
        CHECK_INT(run_apart(wrong[i], "/dev/full"), EC_EXIT_USAGE);
    }
    scratch_end(&s);
}

/* --- Files that are written --- */

/* A command that writes the file of '%'. */
struct writing {
    const char *command, *option, *words, *end; /* end: which the name must have */
};
/* clang-format off */
static const struct writing writings[] = {
    { "model", "write", "model lenet5 --write %", ".json" },
    { "model", "write", "model lenet5 --write %", ".onnx" },
    { "roofline", "out", "roofline lenet5 --device t4 --out %", ".svg" },
    { "roofline", "out", "roofline lenet5 --device t4 --out %", ".png" },
    { "plot", "out", "plot bars networks.csv --x device --y step_time_ms --out %", ".svg" },
    { "plot", "out", "plot bars networks.csv --x device --y step_time_ms --out %", ".png" },
    { "evaluate", "rows", "evaluate --networks networks.csv --rows %", ".csv" },
    { "calibrate", "out", "calibrate --device t4 --table networks.csv --out %", ".json" },
    { "fit table", "rows", "fit table --table grid.csv --network= --features width,batch_size "
      "--family linear --rows %", ".csv" },
    { "fit table", "save", "fit table --table grid.csv --network= --features width,batch_size "
      "--family linear --save %", ".model" },
};
/* clang-format on */

static void write_to(const struct writing *w, const char *path, struct done *d)
{
    const char *at = strchr(w->words, '%');
    char words[512];

    (void)snprintf(words, sizeof words, "%.*s%s%s", (int)(at - w->words), w->words, path, at + 1);
    epochcast(words, d);
}

static void refuses_to_write(const struct writing *w, const char *path, const char *why)
{
    struct done d;

    write_to(w, path, &d);
    if (d.status != EC_EXIT_FAILED || !holds(&d.err, path) || !holds(&d.err, why))
        test_fail(__FILE__, __LINE__, "%s to %s: status %d: \"%.*s\"", w->words, path, d.status,
                  (int)d.err.len, d.err.len ? (const char *)d.err.data : "");
    done_clear(&d);
}

TEST(what_cannot_be_written_is_named)
{
    char path[64];
    struct scratch s;
    int i;

    make_tables(&s);
    CHECK(mkdir("folder.csv", 0700) == 0);
    for (i = 0; i < EC_LEN(writings); i++) {
        (void)snprintf(path, sizeof path, "folder%s", writings[i].end);
        (void)mkdir(path, 0700);
        refuses_to_write(&writings[i], path, "is a directory, expected a file");
        (void)snprintf(path, sizeof path, "pipe%s", writings[i].end);
        (void)mkfifo(path, 0600);
        refuses_to_write(&writings[i], path, "is a pipe, expected a file");
        (void)snprintf(path, sizeof path, "nowhere/file%s", writings[i].end);
        refuses_to_write(&writings[i], path, "cannot");
        (void)snprintf(path, sizeof path, "networks.csv/file%s", writings[i].end);
        refuses_to_write(&writings[i], path, "cannot");
    }
    scratch_end(&s);
}

static bool same_bytes(const char *a, const char *b)
{
    struct ec_file one = { 0 }, other = { 0 };
    struct ec_err err = { 0 };
    bool same;

    CHECK_OK(ec_file_open(a, 1 << 24, &one, &err));
    CHECK_OK(ec_file_open(b, 1 << 24, &other, &err));
    same = one.len == other.len && one.len && memcmp(one.data, other.data, one.len) == 0;
    ec_file_close(&one);
    ec_file_close(&other);
    return same;
}

/* Written twice it is the same file, but for the second of the clock that a profile says, and what
 * stood there before is gone. */
TEST(what_is_written_again_is_the_same)
{
    char first[64], second[64];
    struct scratch s;
    struct done d;
    int i, times;

    make_tables(&s);
    for (i = 0; i < EC_LEN(writings); i++) {
        (void)snprintf(first, sizeof first, "first%s", writings[i].end);
        (void)snprintf(second, sizeof second, "second%s", writings[i].end);
        scratch_write(second, "what stood there before");
        for (times = 0; times < 2 || (times < 5 && !same_bytes(first, second)); times++) {
            write_to(&writings[i], times & 1 ? second : first, &d);
            if (d.status != EC_EXIT_OK)
                test_fail(__FILE__, __LINE__, "%s: status %d: %.*s", writings[i].words, d.status,
                          (int)d.err.len, d.err.len ? (const char *)d.err.data : "");
            done_clear(&d);
        }
        if (!same_bytes(first, second))
            test_fail(__FILE__, __LINE__, "%s: another file the second time", writings[i].words);
    }
    scratch_end(&s);
}

/* A picture is of a kind that its name says. */
TEST(pictures_are_of_the_kind_that_they_are_called)
{
    static const char *const words[] = { "roofline lenet5 --device t4 --out %s",
                                         "plot bars networks.csv --x device --y step_time_ms "
                                         "--out %s" };
    static const char *const wrong[] = { "picture", "picture.jpg", "picture.svg.gz", "svg" };
    char text[160];
    struct scratch s;
    struct done d;
    int i, k;

    make_tables(&s);
    for (i = 0; i < EC_LEN(words); i++)
        for (k = 0; k < EC_LEN(wrong); k++) {
            (void)snprintf(text, sizeof text, "%.*s%s", (int)strlen(words[i]) - 2, words[i],
                           wrong[k]);
            epochcast(text, &d);
            CHECK_INT(d.status, EC_EXIT_FAILED);
            CHECK(holds(&d.err, "the name of a picture ends with .svg or .png"));
            CHECK(holds(&d.err, wrong[k]) && access(wrong[k], F_OK) != 0);
            done_clear(&d);
        }
    scratch_end(&s);
}
