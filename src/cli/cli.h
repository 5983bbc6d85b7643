/* The command line: a table of commands, option tables parsed by one parser, help and manual pages
 * made from the same tables. */
#ifndef EC_CLI_H
#define EC_CLI_H

#include "base/base.h"
#include "report/report.h"

/* Options that the help lists under one heading. Consecutive groups with the same heading are
 * printed as one, so that sub-commands can share rows. A group can describe the options of a
 * library call, whose struct is a member of the command's own struct. */
struct ec_arg_group {
    const char *heading;
    const struct ec_field *fields; /* NULL ends the list of groups */
    size_t offset; /* of the struct that the fields describe, in the command's struct of options */
};

/* Options that have an effect beside certain others only, and are refused elsewhere. A term is the
 * name of a field, which holds when it is given, or `name=value`, which holds when that is its
 * value; terms are joined by blanks, and one is enough. Without terms the fields exclude each
 * other; without fields ("") the terms are needed always. What depends on data or on a network is
 * refused where they are opened. */
struct ec_arg_rule {
    const char *fields;         /* names joined by blanks; NULL ends the rules of a command */
    const char *needs, *unless; /* terms; NULL: none */
    const char *why;            /* says so; NULL: that a field has no effect */
};

struct ec_call;

/* A command has `run`, or sub-commands with tables of their own, or both. If it has both, `run` is
 * called when no word names a sub-command. */
struct ec_cmd {
    const char *name;
    const struct ec_cmd *of; /* of a sub-command: the command that it belongs to */
    /* Sub-commands, NULL ends. Without `run` and `groups` the command line must name one. */
    const struct ec_cmd *const *subs;
    const char *chosen_by;    /* of a sub-command: options that select it without its name, joined
                                 by blanks */
    bool chosen_by_path;      /* and a first word that is a path: with '.' or '/', or there */
    const char *help;         /* one line, without final full stop */
    const char *const *usage; /* what may follow the name, one line each; NULL ends */
    const char *positional; /* names of the fields that words without a flag set, in order; the last
                               may be an EC_F_STRS, which takes all further words */
    const char *writes;     /* names of the fields with files to write, or NULL; whether each */
    const char *writes_dirs; /* can be written is checked before the run; directories, likewise */
    const struct ec_arg_group *groups;
    const struct ec_arg_rule *rules; /* NULL: none */
    const struct ec_field *lists;    /* of one group: a number or a choice of these may be several,
                                        joined by ','; struct ec_call has them. NULL: of none */
    bool says_devices;               /* its answers say what files of devices lack */
    size_t opts_size;
    enum ec_status (*run)(struct ec_call *call, struct ec_err *err);
};

/* --color, which every command takes; auto: where standard output is a terminal, unless NO_COLOR is
 * set. */
enum ec_color { EC_COLOR_AUTO, EC_COLOR_ALWAYS, EC_COLOR_NEVER };

/* How a command prints its tables (EC_FIELDS_FORMS): one at most; none is text. */
struct ec_forms {
    bool json, csv, markdown;
};

#define EC_CALL_LISTS 8
struct ec_executable;
/* One run of a command. */
struct ec_call {
    const struct ec_executable *of; /* the program */
    const struct ec_cmd *cmd;
    void *opts;            /* in the arena */
    struct ec_arena arena; /* for data that live until the run ends */
    struct ec_buf out;     /* goes to standard output when the command returns */
    struct ec_buf *taken;  /* or is appended to this; NULL: standard output */
    struct ec_strs given;  /* names of the fields that were given */
    /* Fields that were given several values; the command's own struct has the first of them. */
    struct ec_field_values lists[EC_CALL_LISTS];
    int n_lists;
    struct ec_forms forms;
    enum ec_color color;
    bool want_help;
    bool wrong_usage;    /* set by ec_usage: exit status 2 */
    int verdict;         /* exit status of a run without an error */
    bool is_data;        /* `out` goes to a program: its bytes are those of the data */
    size_t plain_len;    /* of `out`: so much of it may be shown on a terminal */
    const char *profile; /* of a server, for predictions of its device; NULL: none */
    char interrupted[EC_ERR_MAX_BYTES]; /* set by ec_call_interrupted */
};

/* EC_EXIT_SIGNAL plus the number of the signal, as shells report it */
enum { EC_EXIT_OK = 0, EC_EXIT_FAILED = 1, EC_EXIT_USAGE = 2, EC_EXIT_SIGNAL = 128 };

/* A program and its commands. */
struct ec_executable {
    const char *name, *help;
    const struct ec_cmd *const *commands; /* NULL ends */
};
extern const struct ec_executable ec_epochcast; /* commands.c */

/* args.c: takes --color out of the words. Errors: INPUT (wrong usage) */
enum ec_status ec_args_color(int *argc, char **argv, struct ec_call *call,
                             struct ec_err *err) EC_MUST_CHECK;
/* The sub-command that the words after the command's name select, or the command itself.
 * The word that names the sub-command is removed from argv. Errors: INPUT (wrong usage) if they
 * name none */
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
/* Sets call->forms. Refuses several of them, and an option that has no effect beside the others, by
 * the rules of the command. */
enum ec_status ec_args_check(struct ec_call *call, struct ec_err *err) EC_MUST_CHECK;
/* device_files.c: reads the files among the words of --device. Errors: those of ec_device_read */
enum ec_status ec_call_read_devices(struct ec_call *call, struct ec_err *err) EC_MUST_CHECK;
bool ec_call_given(const struct ec_call *call, const char *field_name);
/* The values of an option that has several; NULL: it has not. */
const struct ec_field_values *ec_call_list(const struct ec_call *call, const char *field_name);
void ec_call_clear(struct ec_call *call);
/* Refuses a size that was asked for and changes no network: --image, --seq-len, --classes.
 * sizes  EC_SIZE_* of the network, or of any of several
 * name   of the network, for the sentence; NULL: there are several */
enum ec_status ec_call_check_sizes(struct ec_call *call, unsigned sizes, const char *name,
                                   struct ec_err *err) EC_MUST_CHECK;
/* Writes an error about wrong usage; returns EC_E_INPUT. */
enum ec_status ec_usage(struct ec_call *call, struct ec_err *err, const char *fmt, ...)
    EC_PRINTF(3, 4);

/* interrupt.c: after ec_interrupt_watch, the first SIGINT or SIGTERM only makes ec_interrupted()
 * true, and the second one ends the process. After ec_interrupt_end the first one ends the process.
 * */
void ec_interrupt_watch(void);
void ec_interrupt_end(void);
bool ec_interrupted(void);
int ec_interrupt_status(void); /* 128 plus the number of the signal: 130 for Ctrl-C */
/* For a command that was interrupted but succeeded so far. The sentence says what is kept and how
 * to continue; it is printed on standard error, and the exit status is ec_interrupt_status(). */
void ec_call_interrupted(struct ec_call *call, const char *fmt, ...) EC_PRINTF(2, 3);

/* help.c */
void ec_help_all(const struct ec_executable *x, struct ec_buf *out);
void ec_help_cmd(const struct ec_executable *x, const struct ec_cmd *cmd, struct ec_buf *out);
bool ec_is_positional(const struct ec_cmd *cmd, const char *field_name);
/* "--base-filters N", with the short flag when there is one: "-b, --batch N". */
void ec_help_flag(const struct ec_field *f, struct ec_buf *out);
/* The letter of an option, 'b' of --batch; 0: it has none. The same in all commands. */
char ec_short_flag(const char *name);
/* As help offers it: "--no-predict" where the option is a flag that is on by default. */
const char *ec_flag_offered(const struct ec_field *f, char *out, size_t size);
/* What stands for the value of an option in help: "N". */
const char *ec_help_metavar(const struct ec_field *f);
/* Fills lines of 80 columns with the words of `text`, indented; the first line begins at
 * line_start. */
void ec_help_wrap(struct ec_buf *out, size_t line_start, const char *text, size_t indent);
/* What the option means, its unit, choices, range and default: one sentence, no full stop. */
void ec_help_text(const struct ec_field *f, struct ec_buf *out);

/* options_json.c: the options of every command, an object of lists: name, type, help, range ... */
void ec_options_json(struct ec_buf *out);

/* forms.c: output in the form that call->forms says. */
/* The keys around the rows in JSON. */
struct ec_table_head {
    const char *schema, *rows; /* key of the array */
    struct {
        const char *key, *text;
    } of[4]; /* between the two; a key NULL ends */
};
enum ec_table_form ec_forms_table(const struct ec_forms *f);
bool ec_forms_any(const struct ec_forms *f);
/* head: NULL where there is no JSON */
enum ec_status ec_call_table(struct ec_call *call, const struct ec_table_head *head,
                             const struct ec_table *t, struct ec_err *err) EC_MUST_CHECK;
/* Likewise, and clears the table. */
enum ec_status ec_call_last_table(struct ec_call *call, const struct ec_table_head *head,
                                  struct ec_table *t, struct ec_err *err) EC_MUST_CHECK;
/* Writes call->out to standard output now and empties it, so that long answers appear early. */
enum ec_status ec_call_flush(struct ec_call *call, struct ec_err *err) EC_MUST_CHECK;
/* cmd_predict.c: reads a line, of a request; false: there is none */
bool ec_call_line(FILE *in, struct ec_buf *line);
/* Width of the terminal of standard output, or $COLUMNS; 0: not a terminal. */
int ec_terminal_columns(void);
/* Appends the lines of text, the long ones broken between words. false: nothing was appended, as
 * there is no terminal, or none so wide that it would help */
bool ec_terminal_fit(struct ec_span text, struct ec_buf *out);
/* Breaks lines of the output, from this byte on, that are longer than the terminal is wide; what
 * goes on below stands two columns further in. */
enum ec_status ec_call_fit(struct ec_call *call, size_t from, struct ec_err *err) EC_MUST_CHECK;

/* What a table of measurements leaves open, on standard error. */
struct ec_record_list;
struct ec_mapping;
/* Says all of them. */
enum ec_status ec_said_end(const struct ec_said *s, struct ec_err *err) EC_MUST_CHECK;
/* Rows that are left out for one reason: how many, and their lines. line: the first of n, at most
 * EC_CALL_LINES_MAX */
#define EC_CALL_LINES_MAX 10
void ec_call_say_rows(struct ec_said *said, const char *path, const int *line, int n,
                      const char *why);
/* Rows that were left out because of wrong cells, the first with their cells. */
void ec_call_left_out(struct ec_said *said, const char *path, const struct ec_record_list *rows);
/* The precision that is assumed, columns that are not used: ec_table_notes. Errors: NOMEM */
enum ec_status ec_call_table_notes(struct ec_said *said, const char *path, const struct ec_csv *csv,
                                   const struct ec_mapping *l, struct ec_arena *a,
                                   struct ec_err *err) EC_MUST_CHECK;
/* Of runs of several tables that agree sample for sample, those of the first table stay. */
struct ec_copies {
    struct ec_seen_run *v; /* sorted by their samples */
    int n, cap;
    struct ec_arena arena;
};
enum ec_status ec_copies_drop(struct ec_copies *c, struct ec_record_list *l, int *ret_dropped,
                              struct ec_err *err) EC_MUST_CHECK;
void ec_copies_clear(struct ec_copies *c);

/* run.c: answers a command line with the words after the command's name; they are reordered. */
enum ec_status ec_call_answer(struct ec_call *call, const struct ec_cmd *cmd, int argc, char **argv,
                              struct ec_err *err) EC_MUST_CHECK;
/* Runs a command line; returns the exit status. */
int ec_run(const struct ec_executable *x, int argc, char **argv);
const struct ec_cmd *ec_cmd_find(const struct ec_executable *x, const char *name);
/* process.c: main() of each executable calls this. */
int ec_main(const struct ec_executable *x, int argc, char **argv);

#define EC_TABLE_FILES "*.csv|*.json.gz|*trace.json" /* of a folder: tables, and traces */

/* say.c: on standard error. What a terminal would obey in names out of files becomes '?'. */
void ec_say(const char *fmt, ...) EC_PRINTF(1, 2);
/* A progress line on a terminal, which the next one overwrites. */
void ec_say_over(const char *fmt, ...) EC_PRINTF(1, 2);
void ec_say_nothing_over(void);
/* From now on what this thread says is appended to `out`, without progress lines; NULL: standard
 * error. Returns the one before. */
struct ec_buf *ec_say_into(struct ec_buf *out);

/* of a struct ec_strs, for ec_devices_named */
/* clang-format off */
#define EC_FIELD_DEVICES(at)                                                                       \
    { .name = "device", .type = EC_F_STRS, .offset = (at), .metavar = "KEY,...",                   \
      .help = "device key, pattern such as 'rtx*', or file such as mygpu.json or GPUs.csv:L4; " \
              "several are joined by ','" }
/* clang-format on */

#endif
