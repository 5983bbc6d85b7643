/* epochcast fit: comparisons of regressors on measured operators, and regressors of a table of
 * configurations. */
#include "cli/fit_internal.h"

#include "fit_cmd.h"

static enum ec_status check_split(struct ec_call *call, const char *usual, struct ec_err *err)
{
    const struct fit_cmd_opts *o = call->opts;
    const char *split = o->compare.split && *o->compare.split ? o->compare.split : usual;

    if (ec_call_given(call, "folds") &&
        (ec_str_eq(split, "random") || ec_str_starts(split, "logo:")))
        return ec_usage(call, err,
                        "--folds does not apply to --split %s, only to kfold and group:", split);
    return EC_OK;
}

/* "linear,gbt" is two. */
static enum ec_status split_families(struct ec_call *call, struct ec_err *err)
{
    struct fit_cmd_opts *o = call->opts;
    struct ec_strs apart = { 0 };
    int i;

    for (i = 0; i < o->compare.families.n; i++) {
        struct ec_span rest = ec_span_of(o->compare.families.v[i]), one;

        while (ec_span_cut(&rest, ',', &one))
            EC_PASS(ec_strs_add(&apart, &call->arena, err, "%.*s", (int)one.len, one.p));
    }
    o->compare.families = apart;
    return EC_OK;
}

static enum ec_status run_compare(struct ec_call *call, struct ec_err *err)
{
    EC_PASS(check_split(call, "random", err));
    EC_PASS(split_families(call, err));
    return ec__fit_compare(call, err);
}

static enum ec_status run_table(struct ec_call *call, struct ec_err *err)
{
    EC_PASS(check_split(call, "kfold", err));
    EC_PASS(split_families(call, err));
    return ec__fit_table(call, err);
}

static enum ec_status run_provenance(struct ec_call *call, struct ec_err *err)
{
    size_t len;
    const char *text = ec_predictor_provenance(&len);

    (void)err;
    ec_buf_add(&call->out, text, len);
    return EC_OK;
}
