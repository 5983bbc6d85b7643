/* Shared by the files of this folder. */
#ifndef EC_REPORT_INTERNAL_H
#define EC_REPORT_INTERNAL_H

#include "report/table.h"

struct ec_csv;
struct ec_metrics;
struct ec_run;
struct ec_totals;

/* Groups rows that have the same words in n columns; a column below 0 is passed over. rows: those
 * that are grouped; NULL: the first n_rows. ret: clear it. Errors: NOMEM */
enum ec_status ec__csv_group(const struct ec_csv *t, const int *cols, int n, const int *rows,
                             int n_rows, struct ec_groups *ret, struct ec_err *err) EC_MUST_CHECK;
void ec__table_csv(const struct ec_table *t, struct ec_buf *out);
/* Seconds as ec_fmt_ns writes a time. */
enum { EC__SECONDS_BYTES = 32 };
const char *ec__seconds(double s, char out[EC__SECONDS_BYTES]);
/* ", R2 0.987"; "" where there is none, as of one row. */
enum { EC__R2_BYTES = 32 };
const char *ec__r2(const struct ec_metrics *m, char out[EC__R2_BYTES]);
/* A run of which nothing is known. */
struct ec_run ec__run_blank(void);
/* FLOP and bytes of a step up to this phase (enum ec_phase). */
void ec__run_count(struct ec_run *r, const struct ec_totals *t, int last);
/* The roof that a point lies above, and why it may. */
enum ec__roof_side { EC__ROOF_BELOW, EC__ROOF_SLOPED, EC__ROOF_FLAT };
enum ec__roof_side ec__roof_above(double intensity, double rate, double peak, double bandwidth);
const char *ec__roof_reason(enum ec__roof_side side);
/* Writes the character at `text`, or a blank for one that may not be shown; returns its bytes. */
size_t ec__put_plain(struct ec_buf *out, const char *text, size_t len);
/* Writes text as HTML: escapes markup, and replaces control characters by blanks. */
void ec_html_escape(struct ec_buf *out, const char *text);
void ec_html_escape_part(struct ec_buf *out, const char *text, size_t len);

#endif
