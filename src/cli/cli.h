/* The command line: a table of commands, option tables parsed by one parser, help and manual pages
 * made from the same tables. */
#ifndef EC_CLI_H
#define EC_CLI_H

#include "base/base.h"
#include "report/report.h"

/* A run of options under one heading of the help; groups with the heading of the one before go on
 * with it, so that sub-commands can share rows. Groups let a command offer the options of a
 * library call, whose struct is a member of the command's own. */
struct ec_arg_group {
    const char *heading;
    const struct ec_field *fields; /* NULL ends the list of groups */
    size_t offset;                 /* of the struct they describe, inside the command's options */
};

struct ec_call;

/* A command does one thing, or has sub-commands with a table each; or both: then it does its own
 * where no word names a sub-command. */
struct ec_cmd {
    const char *name;
    const struct ec_cmd *of; /* of a sub-command: the command that it belongs to */
    /* Sub-commands, NULL ends; without `run` and `groups` of its own one of them is chosen. */
    const struct ec_cmd *const *subs;
    const char *chosen_by;    /* of a sub-command: an option that chooses it without its word */
    const char *help;         /* one line, without final full stop */
    const char *const *usage; /* what may follow the name, one line each; NULL ends */
    const char *positional;   /* fields that words without a flag fill, in order; the last one may
                               * be an EC_F_STRS, which takes all the rest */
    const char *writes;      /* fields that name a file to be written, or NULL: where that cannot */
    const char *writes_dirs; /* be it is said before the work; directories, likewise */
    const struct ec_arg_group *groups;
    size_t opts_size;
    enum ec_status (*run)(struct ec_call *call, struct ec_err *err);
};

/* One run of a command. */
struct ec_call {
    const struct ec_cmd *cmd;
    void *opts;            /* in the arena */
    struct ec_arena arena; /* for whatever lives as long as the run */
    struct ec_buf out;     /* goes to standard output when the command returns */
    struct ec_strs given;  /* names of the fields that were given */
    bool want_help;
    bool wrong_usage;                   /* set by ec_usage: exit status 2 */
    char interrupted[EC_ERR_MAX_BYTES]; /* set by ec_call_interrupted */
};

/* EC_EXIT_SIGNAL: and the signal's number, as shells report it */
enum { EC_EXIT_OK = 0, EC_EXIT_FAILED = 1, EC_EXIT_USAGE = 2, EC_EXIT_SIGNAL = 128 };

/* What can be started is its commands. */
struct ec_executable {
    const char *name, *help;
    const struct ec_cmd *const *commands; /* NULL ends */
};
extern const struct ec_executable ec_epochcast; /* commands.c */

/* args.c: which of its sub-commands, or itself, the words after the command's name choose; the word
 * that names it is taken out of them. Errors: INPUT, wrong usage, when they name none */
enum ec_status ec_args_choose(const struct ec_cmd *cmd, int *argc, char **argv,
                              struct ec_call *call, const struct ec_cmd **ret,
                              struct ec_err *err) EC_MUST_CHECK;
const struct ec_cmd *ec_cmd_sub(const struct ec_cmd *cmd, const char *name); /* NULL: none */
/* "data import" */
#define EC_CMD_TITLE_BYTES 48
const char *ec_cmd_title(const struct ec_cmd *cmd, char *out, size_t size);
/* Fills call->opts from the words. Errors: INPUT, NOMEM */
enum ec_status ec_args_parse(const struct ec_cmd *cmd, int argc, char **argv, struct ec_call *call,
                             struct ec_err *err) EC_MUST_CHECK;
bool ec_call_given(const struct ec_call *call, const char *field_name);
void ec_call_clear(struct ec_call *call);
/* A sentence about wrong usage; returns EC_E_INPUT. */
enum ec_status ec_usage(struct ec_call *call, struct ec_err *err, const char *fmt, ...)
    EC_PRINTF(3, 4);

/* interrupt.c: after ec_interrupt_watch, Ctrl-C or a signal to end asks for an end, and a second
 * one ends the process; after ec_interrupt_end the first one does. */
void ec_interrupt_watch(void);
void ec_interrupt_end(void);
bool ec_interrupted(void);
int ec_interrupt_status(void); /* 128 and the number of the signal that asked: 130 for Ctrl-C */
/* The command ends well, and has not done all of its work: a sentence of what is kept and how to go
 * on. It goes to standard error, and the exit status is ec_interrupt_status(). */
void ec_call_interrupted(struct ec_call *call, const char *fmt, ...) EC_PRINTF(2, 3);

/* help.c */
void ec_help_all(const struct ec_executable *x, struct ec_buf *out);
void ec_help_cmd(const struct ec_executable *x, const struct ec_cmd *cmd, struct ec_buf *out);
bool ec_is_positional(const struct ec_cmd *cmd, const char *field_name);
/* "--base-filters N", with the short flag when there is one: "-b, --batch N". */
void ec_help_flag(const struct ec_field *f, struct ec_buf *out);
/* A field's name as an option: "--base-filters". */
#define EC_FLAG_BYTES 64
const char *ec_flag_text(const char *name, char *out, size_t size);
/* What stands for the value in help. */
const char *ec_help_metavar(const struct ec_field *f);
/* Fills lines of 80 columns with the words of `text`, indented; the first line begins at
 * line_start. */
void ec_help_wrap(struct ec_buf *out, size_t line_start, const char *text, size_t indent);
/* What the option means, its unit, choices, range and default: one sentence, no full stop. */
void ec_help_text(const struct ec_field *f, struct ec_buf *out);

/* forms.c: what every command that prints a table offers, by EC_FIELDS_FORMS; text without. */
struct ec_forms {
    bool json, csv, markdown;
};
/* What JSON has around the rows. */
struct ec_table_head {
    const char *schema, *rows; /* key of the array */
    struct {
        const char *key, *text;
    } of[4]; /* between the two; a key NULL ends */
};
enum ec_table_form ec_forms_table(const struct ec_forms *f);
bool ec_forms_any(const struct ec_forms *f);
/* Usage: at most one. */
enum ec_status ec_forms_check(struct ec_call *call, const struct ec_forms *f,
                              struct ec_err *err) EC_MUST_CHECK;
/* head: NULL where there is no JSON */
enum ec_status ec_call_table(struct ec_call *call, const struct ec_forms *f,
                             const struct ec_table_head *head, const struct ec_table *t,
                             struct ec_err *err) EC_MUST_CHECK;
/* Writes call->out to standard output now and empties it: long answers are seen as they come. */
enum ec_status ec_call_flush(struct ec_call *call, struct ec_err *err) EC_MUST_CHECK;
/* Columns of the terminal that standard output goes to, or of $COLUMNS; 0: no terminal. */
int ec_terminal_columns(void);

/* Rows of a table that hold what they should not, the first by line, to standard error. */
struct ec_record_list;
void ec_call_say(const char *path, const struct ec_strs *lines); /* each behind the path */
void ec_call_left_out(const char *path, const struct ec_record_list *rows);

/* run.c: all but the process around it; returns the exit status. */
int ec_run(const struct ec_executable *x, int argc, char **argv);
const struct ec_cmd *ec_cmd_find(const struct ec_executable *x, const char *name);
/* process.c: what main() of each executable is. */
int ec_main(const struct ec_executable *x, int argc, char **argv);

/* Options that most commands have: one row each. at: offset of a bool */
/* clang-format off */
#define EC_FIELD_JSON(at)                                                                          \
    { .name = "json", .type = EC_F_BOOL, .offset = (at), .help = "write JSON" }
#define EC_FIELD_CSV(at)                                                                           \
    { .name = "csv", .type = EC_F_BOOL, .offset = (at), .help = "write CSV" }
#define EC_FIELD_MARKDOWN(at)                                                                      \
    { .name = "markdown", .type = EC_F_BOOL, .offset = (at), .help = "write Markdown" }
/* All three, of a struct ec_forms. */
#define EC_FIELDS_FORMS(at)                                                                        \
    EC_FIELD_JSON((at) + offsetof(struct ec_forms, json)),                                         \
        EC_FIELD_CSV((at) + offsetof(struct ec_forms, csv)),                                       \
        EC_FIELD_MARKDOWN((at) + offsetof(struct ec_forms, markdown))
/* How a table of measurements is read, and what it may leave out: of a const char *, another and an
 * int64_t; 0: not given. */
#define EC_FIELDS_GIVEN(mapping_at, model_at, batch_at)                                            \
    { .name = "mapping", .type = EC_F_STR, .offset = (mapping_at), .metavar = "NAME|FILE.map",     \
      .help = "what the columns of the tables mean: a mapping of `epochcast data mappings`, or a " \
              "file of your own; without it the names of the columns say it" },                    \
    { .name = "model", .type = EC_F_STR, .offset = (model_at), .metavar = "NAME",                  \
      .help = "network of the rows of a table that has no column of it" },                         \
    { .name = "batch", .type = EC_F_INT, .offset = (batch_at), .max = 1e9, .metavar = "N",         \
      .help = "batch of the rows of a table that has no column of it" }
/* Around a line that the next is written over: it ends at the right margin, for what a terminal
 * wraps would stay. */
#define EC_LINE_OVER "\r\033[K\033[?7l"
#define EC_LINE_END "\033[?7h"
/* of a struct ec_strs, for ec_devices_named */
#define EC_FIELD_DEVICES(at)                                                                       \
    { .name = "device", .type = EC_F_STRS, .offset = (at), .metavar = "KEY,...",                   \
      .short_flag = 'd',                                                                           \
      .help = "device key or pattern such as 'rtx*', or several joined by ','" }
/* clang-format on */

#endif
