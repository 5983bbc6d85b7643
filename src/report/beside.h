/* Measured rows beside their predictions: one line for each row, and sentences about all of them.
 */
#ifndef EC_REPORT_BESIDE_H
#define EC_REPORT_BESIDE_H

#include "predict/predict.h"
#include "report/query.h"
#include "report/table.h"

/* Rows of one file. */
struct ec_beside {
    const char *file, *given; /* given: the folder that it was found in, or the file */
    const char *name;         /* short, as text calls it */
    const struct ec_csv *csv;
    const struct ec_judged_list *judged;
    struct ec_cause *causes;                    /* of each row */
    const struct ec_judged_list *out_of_memory; /* runs that did not fit; NULL: none */
    double tolerance;                           /* of the verdicts, a share */
};

/* Sets up the table. several: rows of several files come into it; verdict: text says slower or
 * faster in place of whether a row is inside */
#define EC_BESIDE_COLS 23
void ec_beside_table(struct ec_table *t, struct ec_col cols[EC_BESIDE_COLS], bool several,
                     bool verdict);
/* Adds the rows. all: otherwise only the worst, where there are many, and no runs that did not fit,
 * which are sentences for people. Returns how many. Errors: NOMEM */
enum ec_status ec_beside_rows(const struct ec_beside *c, bool all, struct ec_table *t, int *ret_n,
                              struct ec_err *err) EC_MUST_CHECK;
/* Rows of all tables, of which sentences are made: beside.sql. Set several; the rest begins empty.
 */
struct ec_beside_sum {
    bool several; /* tables: sentences name the file of a line */
    struct ec__query rows;
    int n_parts; /* tables that were added */
};
/* Errors: NOMEM */
enum ec_status ec_beside_add(const struct ec_beside *c, struct ec_beside_sum *s,
                             struct ec_err *err) EC_MUST_CHECK;
void ec_beside_clear(struct ec_beside_sum *s);
/* How far off the rows are, how many are inside, the likely causes, and what to do. Errors: NOMEM
 */
enum ec_status ec_beside_sentences(struct ec_beside_sum *s, struct ec_arena *a, struct ec_strs *ret,
                                   struct ec_err *err) EC_MUST_CHECK;

#endif
