/* Runs that ran out of memory, beside what predictions say of them. */
#include "report/runs_internal.h"

#include "predict/predict.h"

enum ec_status ec__run_asked(struct ec_predictor *p, const struct ec_record *given,
                             struct ec_record *ret, struct ec_err *err)
{
    *ret = *given;
    ret->kind = EC_KIND_network;
    if (ec_str_eq(ec_record_word(ret, EC_WORD_MODE), "inference"))
        ec_record_set_word(ret, EC_WORD_MODE, "forward");
    ec_record_default(ret);
    return ec_records_usual(p, ret, 1, err);
}

enum ec_status ec__runs_judge_left(struct ec_predictor *p, struct ec_runs *r, struct ec_err *err)
{
    enum ec_status st = EC_OK;
    int i;

    for (i = 0; i < r->n_left && !st; i++) {
        struct ec_run *l = &r->left[i];
        struct ec_judged_list judged = { 0 };
        struct ec_record m;

        if (!ec_str_eq(l->record.outcome, "out_of_memory"))
            continue;
        st = ec__run_asked(p, &l->record, &m, err);
        if (!st)
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
