/* The whole program but for the process around it: what goes to which stream, and exit statuses. */
#include "capture.h"
#include "commands.h"

#include <signal.h>
#include <stdlib.h>

/* Answers go to standard output and leave standard error empty; complaints the other way. */
TEST(statuses_and_streams)
{
    /* clang-format off */
    static const struct {
        const char *words;
        int status;
        const char *out, *err; /* NULL: nothing at all */
    } rows[] = {
        { "", EC_EXIT_USAGE, NULL, "Usage: epochcast COMMAND" },
        { "help", EC_EXIT_OK, "Usage: epochcast COMMAND", NULL },
        { "--help", EC_EXIT_OK, "Usage: epochcast COMMAND", NULL },
        { "-h", EC_EXIT_OK, "Usage: epochcast COMMAND", NULL },
        { "help predict", EC_EXIT_OK, "Usage: epochcast predict", NULL },
        { "predict --help", EC_EXIT_OK, "Usage: epochcast predict", NULL },
        { "predict --batch -1 --help", EC_EXIT_USAGE, NULL, "--batch: found \"-1\"" },
        { "help predcit", EC_EXIT_USAGE, NULL, "did you mean \"predict\"" },
        { "predcit", EC_EXIT_USAGE, NULL, "no command \"predcit\"; did you mean" },
        { "zzzzzzzzzzzz", EC_EXIT_USAGE, NULL, "epochcast help lists them" },
        { "--version", EC_EXIT_OK, "epochcast " EC_VERSION "\n", NULL },
        { "version", EC_EXIT_OK, "epochcast " EC_VERSION "\n", NULL },
        { "model --bacth 3", EC_EXIT_USAGE, NULL, "epochcast model: unknown option --bacth" },
        { "model no-such-network", EC_EXIT_FAILED, NULL, "epochcast model: no built-in network" },
        { "model lenet5 --json", EC_EXIT_OK, "\"schema\": \"epochcast.", NULL },
    };
    /* clang-format on */
    int i;

    for (i = 0; i < EC_LEN(rows); i++) {
        struct done d;

        epochcast(rows[i].words, &d);
        if (d.status != rows[i].status)
            test_fail(__FILE__, __LINE__, "\"%s\": status %d, want %d", rows[i].words, d.status,
                      rows[i].status);
        if (rows[i].out ? !holds(&d.out, rows[i].out) : d.out.len > 0)
            test_fail(__FILE__, __LINE__, "\"%s\": standard output", rows[i].words);
        if (rows[i].err ? !holds(&d.err, rows[i].err) : d.err.len > 0)
            test_fail(__FILE__, __LINE__, "\"%s\": standard error is\n%.*s", rows[i].words,
                      (int)d.err.len, d.err.len ? (const char *)d.err.data : "");
        done_clear(&d);
    }
}

/* Each command: help is an answer, a flag that it has not is wrong usage, and says so by name. */
TEST(all_commands_help_and_refuse)
{
    char words[128];
    int i;

    for (i = 0; command_at(i); i++) {
        char name[EC_CMD_TITLE_BYTES];
        struct done d;

        (void)ec_cmd_title(command_at(i), name, sizeof name);
        (void)snprintf(words, sizeof words, "%s --help", name);
        epochcast(words, &d);
        CHECK_INT(d.status, EC_EXIT_OK);
        CHECK(holds(&d.out, name) && holds(&d.out, "Usage: ") && !d.err.len);
        done_clear(&d);
        (void)snprintf(words, sizeof words, "%s --no-such-option-at-all", name);
        epochcast(words, &d);
        CHECK_INT(d.status, EC_EXIT_USAGE);
        (void)snprintf(words, sizeof words, "epochcast %s: unknown option --no-such-option-at-all",
                       name);
        CHECK(holds(&d.err, words) && !d.out.len);
        done_clear(&d);
    }
}

TEST(columns_of_the_terminal)
{
    static const struct {
        const char *given;
        int columns;
    } rows[] = {
        {"80",      80},
        { "1",      1 },
        { "0",      0 },
        { "-5",     0 },
        { "wide",   0 },
        { "",       0 },
        { "999999", 0 },
    };
    const char *before = getenv("COLUMNS");
    char kept[32], path[64];
    int i, saved;

    (void)snprintf(kept, sizeof kept, "%s", before ? before : "");
    catch_stream(stdout, capture_path("out", path, sizeof path), &saved); /* no terminal */
    for (i = 0; i < EC_LEN(rows); i++) {
        (void)setenv("COLUMNS", rows[i].given, 1);
        CHECK_INT(ec_terminal_columns(), rows[i].columns);
    }
    (void)fflush(stdout);
    CHECK(dup2(saved, fileno(stdout)) >= 0);
    (void)close(saved);
    (void)remove(path);
    if (before)
        (void)setenv("COLUMNS", kept, 1);
    else
        (void)unsetenv("COLUMNS");
}

/* What was written is written once: a long answer may be sent in parts. */
TEST(flushing_empties_the_answer)
{
    struct ec_call call = { .out = EC_BUF_INIT };
    struct ec_file seen = { 0 };
    struct ec_err err;
    char path[64];
    int saved;

    catch_stream(stdout, capture_path("out", path, sizeof path), &saved);
    ec_buf_str(&call.out, "one\n");
    CHECK_OK(ec_call_flush(&call, &err));
    CHECK_INT(call.out.len, 0);
    CHECK_OK(ec_call_flush(&call, &err));
    ec_buf_str(&call.out, "two\n");
    CHECK_OK(ec_call_flush(&call, &err));
    release_stream(stdout, path, saved, &seen);
    CHECK_INT(seen.len, 8);
    CHECK(holds(&seen, "one\ntwo\n"));
    ec_file_close(&seen);
    ec_call_clear(&call);
}

TEST(an_answer_that_is_not_whole_is_not_written)
{
    struct ec_call call = { .out = EC_BUF_INIT };
    struct ec_err err = { 0 };

    call.out.st = EC_E_NOMEM;
    CHECK_FAILS(ec_call_flush(&call, &err), EC_E_NOMEM, "");
    ec_call_clear(&call);
}

TEST(full_devices_are_told)
{
    struct ec_call call = { .out = EC_BUF_INIT };
    struct ec_err err = { 0 };
    FILE *full = fopen("/dev/full", "w");
    int saved = dup(fileno(stdout));

    if (full) {
        (void)fflush(stdout);
        CHECK(dup2(fileno(full), fileno(stdout)) >= 0);
        ec_buf_str(&call.out, "nobody reads this\n");
        CHECK_FAILS(ec_call_flush(&call, &err), EC_E_IO, "cannot write to standard output");
        CHECK(dup2(saved, fileno(stdout)) >= 0);
        clearerr(stdout);
        (void)fclose(full);
    }
    (void)close(saved);
    ec_call_clear(&call);
}

/* --- Signals --- */

static void asks_for_an_end(int signal_number)
{
    ec_interrupt_watch();
    CHECK(!ec_interrupted());
    (void)raise(signal_number);
    CHECK(ec_interrupted());
    CHECK_INT(ec_interrupt_status(), 128 + signal_number);
    ec_interrupt_end();
}

TEST(a_signal_asks_for_an_end)
{
    asks_for_an_end(SIGINT);
    asks_for_an_end(SIGTERM);
    ec_interrupt_watch(); /* begins anew */
    CHECK(!ec_interrupted());
    CHECK_INT(ec_interrupt_status(), 130);
    ec_interrupt_end();
}

TEST(a_question_does_not_end_the_watch_of_its_server)
{
    ec_interrupt_watch();
    ec_interrupt_watch();
    ec_interrupt_end();
    (void)raise(SIGTERM);
    ec_interrupt_watch(); /* nor forget what was asked for */
    ec_interrupt_end();
    CHECK(ec_interrupted());
    ec_interrupt_end();
}

TEST(what_is_kept_is_said)
{
    struct ec_call call = { .out = EC_BUF_INIT };

    CHECK_STR(call.interrupted, "");
    ec_call_interrupted(&call, "%d of %s", 3, "five");
    CHECK_STR(call.interrupted, "3 of five");
    ec_call_clear(&call);
}
