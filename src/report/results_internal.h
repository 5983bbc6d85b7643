/* Shared by the sections of a report. */
#ifndef EC_REPORT_RESULTS_INTERNAL_H
#define EC_REPORT_RESULTS_INTERNAL_H

#include "report/document.h"
#include "report/picture_internal.h"
#include "report/query.h"
#include "report/report.h"

#define EC__FILES_MAX 256

struct ec__result_table {
    const char *path, *name; /* name: path below the directory of results */
    const char *word;        /* the name as a part of file names */
    struct ec_csv csv;
};

struct ec__results {
    const struct ec_results_opts *o;
    struct ec_document doc;
    struct ec_arena *a;   /* of the caller */
    struct ec_said *said; /* of the caller */
    struct ec_strs findings;
    struct ec_strs written; /* lines of the manifest */
    struct ec_strs words;   /* that names of files have become */
    const char *run_files[EC__FILES_MAX], *ceiling_files[EC__FILES_MAX],
        *layer_files[EC__FILES_MAX], *stores[EC__FILES_MAX], *machines[EC__FILES_MAX],
        *profiles[EC__FILES_MAX];
    struct ec_store *store; /* of the first of run_files; NULL: not read */
    int n_run_files, n_ceiling_files, n_layer_files, n_stores, n_machines, n_profiles, n_tables;
    struct ec__result_table tables[EC__FILES_MAX];
    struct ec_results_done done;
    struct ec_err *err;
};

/* results_read.c: sorts the files of the directory by what they hold. */
enum ec_status ec__results_read(struct ec__results *r) EC_MUST_CHECK;
enum ec_status ec__results_machines(struct ec__results *r) EC_MUST_CHECK;
/* results_runs.c: everything about measured runs */
enum ec_status ec__results_runs(struct ec__results *r) EC_MUST_CHECK;
/* results_layers.c: measured operators, a section for each file */
enum ec_status ec__results_layers(struct ec__results *r) EC_MUST_CHECK;
/* results_errors.c: errors of predictions, of networks and of operators */
enum ec_status ec__results_errors(struct ec__results *r, struct ec_runs *runs) EC_MUST_CHECK;
enum ec_status ec__results_operators(struct ec__results *r) EC_MUST_CHECK;
/* results_tables.c: tables that a recipe draws */
enum ec_status ec__results_tables(struct ec__results *r) EC_MUST_CHECK;

/* results_scaling.c: `epochcast measure ddp`, steps of several processes against one */
enum ec_status ec__results_scaling(struct ec__results *r) EC_MUST_CHECK;
/* results_grid.c: tables of configurations: detection; pictures and sentences; regressors and
 * what-if, which are the last sections */
enum ec_status ec__grid_begin(struct ec__results *r, const struct ec__result_table *t,
                              struct ec__query *q) EC_MUST_CHECK;
enum ec_status ec__grid_end(struct ec__results *r, const struct ec__result_table *t,
                            struct ec__query *q) EC_MUST_CHECK;
/* Of several grids: which device is preferable. */
enum ec_status ec__grids_end(struct ec__results *r) EC_MUST_CHECK;

/* manifest.c: the list of written files. The next report removes those that it no longer writes,
 * unless somebody changed them. */
enum ec_status ec__manifest_note(struct ec__results *r, const char *name,
                                 const struct ec_buf *text) EC_MUST_CHECK;
enum ec_status ec__manifest_write(struct ec__results *r) EC_MUST_CHECK;

/* --- results_parts.c --- */

/* Reports the next step to the caller. */
void ec__results_tell(const struct ec__results *r, const char *doing, const char *name);
/* How a table of the results is read. */
struct ec_table_given ec__results_given(const struct ec__results *r, const char *path);
/* The path of a file in the directory of results. */
const char *ec__results_name(const struct ec__results *r, const char *path);
/* A text of the report: "" when memory is out, which is kept and said when files are written. */
const char *ec__results_text(struct ec__results *r, const char *fmt, ...) EC_PRINTF(2, 3);
/* "h200/grids/configs.csv" as part of a file's name, which no other name becomes. */
const char *ec__results_word(struct ec__results *r, const char *name);
/* Writes text as OUT/NAME. */
enum ec_status ec__results_write(struct ec__results *r, const char *name,
                                 const struct ec_buf *text) EC_MUST_CHECK;
/* Writes text as OUT/tables/NAME. */
enum ec_status ec__results_file(struct ec__results *r, const char *name,
                                const struct ec_buf *text) EC_MUST_CHECK;
/* The same as a table: a text that is one, or a struct ec_table. ret: clear it */
enum ec_status ec__results_parsed(struct ec__results *r, const char *name,
                                  const struct ec_buf *text, struct ec_csv *ret) EC_MUST_CHECK;
enum ec_status ec__results_kept(struct ec__results *r, const char *name, const struct ec_table *t,
                                struct ec_csv *ret) EC_MUST_CHECK;
/* A word as a shell takes it. */
const char *ec__results_quoted(struct ec__results *r, const char *word);
/* "epochcast COMMAND OUT/tables/TABLE" */
const char *ec__results_command(struct ec__results *r, const char *command, const char *table);
/* Draws every picture of a table into the document; `file` is what the commands name, "tables/..."
 * one of the report. */
enum ec_status ec__results_pictures(struct ec__results *r, const struct ec_csv *csv,
                                    const char *prefix, const char *file) EC_MUST_CHECK;
enum ec_status ec__results_picture(struct ec__results *r, const struct ec_picture *p,
                                   const struct ec_csv *csv, const char *name,
                                   const char *command) EC_MUST_CHECK;
/* The first rows of a table as they are, numbers with units. */
enum ec_status ec__results_csv(struct ec__results *r, const struct ec_csv *csv,
                               const char *caption) EC_MUST_CHECK;
/* Whether a table is of `epochcast measure ddp`, or a grid of configurations. */
bool ec__is_scaling(const struct ec_csv *csv);
bool ec__is_grid(const struct ec_csv *csv);
/* The column of a grid that has this meaning; of epochs in any unit. */
int ec__grid_column(const struct ec_csv *csv, const char *name);
/* Opens the views of tables.sql on a table. Close it, also after a failure. */
enum ec_status ec__results_query(struct ec__results *r, const struct ec__result_table *t,
                                 struct ec__query *ret) EC_MUST_CHECK;
/* The rows of a statement as texts of the document. */
enum ec_status ec__results_note(struct ec__results *r, struct ec__query *q,
                                const char *sql) EC_MUST_CHECK;

#endif
