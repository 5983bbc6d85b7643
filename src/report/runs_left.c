/* Runs that ran out of memory, beside what predictions say of them. */
#include "report/runs_internal.h"

#include "predict/predict.h"
#include "report_columns.h"

static bool came_out(const struct ec_run *l, const char *outcome)
{
    return ec_str_eq(l->record.outcome, outcome);
}

/* ------------------------------------------------------------------------------------------------
 * What predictions say of those that did not fit */

enum ec_status ec__runs_judge_left(struct ec_predictor *p, struct ec_runs *r, struct ec_err *err)
{
    enum ec_status st = EC_OK;
    int i;

    for (i = 0; i < r->n_left && !st; i++) {
        struct ec_run *l = &r->left[i];
        struct ec_judged_list judged = { 0 };
        struct ec_record m = l->record;

        if (!came_out(l, "out_of_memory"))
            continue;
        ec_record_default(&m);
        st = ec_judge(p, &m, 1, &judged, err);
        if (!st && judged.n && judged.v[0].card_bytes > 0) {
            l->needed_bytes = judged.v[0].needed_bytes;
            l->device_bytes = judged.v[0].card_bytes;
            l->fits_probability = judged.v[0].fits_probability;
        }
        ec_free(judged.v);
    }
    return st;
}

static bool is_judged(const struct ec_run *l)
{
    return l->needed_bytes > 0 && l->device_bytes > 0;
}

void ec__runs_misfits(const struct ec_runs *r, struct ec_table *ret)
{
    int i;

    ec_table_init(ret, misfits_cols, EC_LEN(misfits_cols));
    for (i = 0; i < r->n_left; i++) {
        const struct ec_run *l = &r->left[i];

        if (!came_out(l, "out_of_memory"))
            continue;
        ec_table_row(ret, ec_text(l->env), ec_text(l->record.what), ec_int(l->record.batch),
                     ec_text(ec_record_word(&l->record, EC_WORD_MODE)),
                     ec_text(ec_record_word(&l->record, EC_WORD_PRECISION)));
        if (is_judged(l)) {
            ec_table_row(ret, ec_num(l->needed_bytes), ec_num(l->device_bytes),
                         ec_text(ec_misfit_verdict(l->fits_probability)));
        } else {
            ec_table_row(ret, ec_none(), ec_none(), ec_none());
        }
    }
}
