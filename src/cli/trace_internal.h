/* Shared by the files of epochcast trace. */
#ifndef EC_CLI_TRACE_INTERNAL_H
#define EC_CLI_TRACE_INTERNAL_H

#include "cli/cli.h"
#include "trace/trace.h"

#include "trace_opts.h"

/* trace_show.c: a file and the budget of its median step. */
enum ec_status ec__trace_show(struct ec_call *call, const struct ec_traced *f,
                              struct ec_err *err) EC_MUST_CHECK;
enum ec_status ec__trace_csv(struct ec_call *call, const struct ec_traced *f, int n,
                             struct ec_err *err) EC_MUST_CHECK;
enum ec_status ec__trace_json(struct ec_json *j, const struct ec_traced *f,
                              struct ec_err *err) EC_MUST_CHECK;

/* Fits what was printed since `from` to the terminal; in Markdown each line is a paragraph. */
enum ec_status ec__trace_said(struct ec_call *call, size_t from, struct ec_err *err) EC_MUST_CHECK;

/* trace_ops.c: operators, kernels or modules, by what the options say; with others the ten
 * operators that most can be won back from. */
enum ec_status ec__trace_ops_table(struct ec_call *call, const struct ec_traced *f,
                                   struct ec_err *err) EC_MUST_CHECK;
enum ec_status ec__trace_ops_json(struct ec_json *j, const struct ec_traced *f,
                                  struct ec_err *err) EC_MUST_CHECK;

/* What belongs to one name, and to one way where there are several, in sums. */
struct ec__trace_sum {
    const char *name, *way; /* way NULL: none */
    double v[6];
};
/* Sums of equal names and ways, in the order; how many. */
int ec__trace_add_up(struct ec__trace_sum *v, int n, int (*order)(const void *, const void *));
int ec__trace_by_name(const void *a, const void *b); /* of struct ec__trace_sum */

/* trace_ranks.c: several ranks beside each other, of which the one that is waited for most is
 * ret_last; two traces, whose verdict is the exit status. */
enum ec_status ec__trace_ranks(struct ec_call *call, const struct ec_traced *f, int n,
                               int *ret_last, struct ec_err *err) EC_MUST_CHECK;
enum ec_status ec__trace_compare(struct ec_call *call, const struct ec_traced *f,
                                 struct ec_err *err) EC_MUST_CHECK;

/* trace_picture.c: written to a file, .svg or .png. */
enum ec_status ec__trace_picture(const struct ec_traced *f, const char *path,
                                 struct ec_err *err) EC_MUST_CHECK;

/* trace_model.c: the step beside the prediction of a network. */
enum ec_status ec__trace_model(struct ec_call *call, struct ec_predictor *p,
                               const struct ec_traced *f, struct ec_err *err) EC_MUST_CHECK;

#endif
