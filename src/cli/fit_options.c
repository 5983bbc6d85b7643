/* Which option of `epochcast fit` belongs to which of its actions. */
#include "cli/fit_internal.h"

#define OF(action) (1u << EC_FIT_##action)
#define CONSTANTS (OF(PHYSICS) | OF(SHIP) | OF(DOMAIN) | OF(PARALLEL))
#define REGRESSORS (OF(COMPARE) | OF(TABLE))

/* clang-format off */
static const struct {
    const char *option;
    unsigned actions;
} options[] = {
    { "dir", CONSTANTS | OF(DESCRIBE) | OF(PREDICT) },
    { "seed", OF(PHYSICS) | OF(DOMAIN) | REGRESSORS },
    { "threads", OF(PHYSICS) | OF(SHIP) | OF(PARALLEL) | OF(COMPARE) },
    { "max_rows", OF(PHYSICS) | OF(DOMAIN) | OF(COMPARE) | OF(PREDICT) },
    { "rows", OF(PHYSICS) | OF(SHIP) | REGRESSORS },
    { "json", REGRESSORS | OF(DESCRIBE) | OF(PREDICT) },
    { "csv", REGRESSORS | OF(PREDICT) },
    { "markdown", REGRESSORS | OF(PREDICT) },
    { "ship", OF(SHIP) },
    { "provenance", OF(PROVENANCE) },
    { "measured", OF(PHYSICS) | OF(SHIP) | OF(DOMAIN) },
    { "out", CONSTANTS | OF(PREDICT) },
    { "learned", OF(PHYSICS) | OF(SHIP) },
    { "errors", OF(PHYSICS) | OF(SHIP) | OF(PARALLEL) },
    { "iterations", OF(PHYSICS) | OF(PARALLEL) },
    { "quick", OF(PHYSICS) },
    { "op", OF(COMPARE) | OF(PREDICT) },
    { "data", OF(COMPARE) | OF(PREDICT) },
    { "family", REGRESSORS },
    { "split", REGRESSORS },
    { "folds", REGRESSORS },
    { "layout", OF(COMPARE) | OF(PREDICT) },
    { "tune", OF(COMPARE) },
    { "tune_state", OF(COMPARE) },
    { "save", REGRESSORS },
    { "table", OF(TABLE) | OF(PREDICT) },
    { "target", OF(TABLE) },
    { "features", REGRESSORS },
    { "network", OF(TABLE) },
    { "model", OF(TABLE) },
    { "batch", OF(TABLE) },
    { "device", OF(TABLE) | OF(PREDICT) },
    { "profile", OF(TABLE) | OF(PREDICT) },
    { "precision", OF(TABLE) },
    { "framework", OF(TABLE) },
    { "optimizer", OF(TABLE) },
};
/* clang-format on */

static const char *const actions[] = {
#define ACTION_TEXT(action, text) text,
    EC_FIT_ACTION_LIST(ACTION_TEXT)
#undef ACTION_TEXT
};

unsigned ec__fit_actions_of(const char *option)
{
    int i;

    for (i = 0; i < EC_LEN(options); i++)
        if (ec_str_eq(options[i].option, option))
            return options[i].actions;
    return 0;
}

static void put_actions(unsigned of, struct ec_buf *out)
{
    int i, n = 0;

    for (i = 0; i < EC_LEN(actions); i++)
        if (of & (1u << i)) {
            bool last = !(of >> (i + 1));

            ec_buf_printf(out, "%s%s", !n++ ? "" : last ? " and " : ", ", actions[i]);
        }
}

static enum ec_status refuse(struct ec_call *call, const char *option, enum ec__fit_action action,
                             struct ec_err *err)
{
    struct ec_buf text = EC_BUF_INIT;
    const struct fit_cmd_opts *o = call->opts;
    char flag[EC_FLAG_BYTES];

    if (ec_str_eq(option, "dir")) {
        ec_buf_printf(&text, "\"%.60s\": a DIR or FILE", o->dir);
    } else {
        ec_buf_str(&text, ec_flag_text(option, flag, sizeof flag));
    }
    ec_buf_str(&text, " belongs to ");
    put_actions(ec__fit_actions_of(option), &text);
    (void)ec_usage(call, err, "%s, not to %s", ec_buf_text(&text), actions[action]);
    ec_buf_clear(&text);
    return EC_E_INPUT;
}

enum ec_status ec__fit_check_options(struct ec_call *call, enum ec__fit_action action,
                                     struct ec_err *err)
{
    const struct fit_cmd_opts *o = call->opts;
    const char *split = o->compare.split ? o->compare.split : "";
    int i;

    for (i = 0; i < call->given.n; i++)
        if (!ec_str_eq(call->given.v[i], "action") &&
            !(ec__fit_actions_of(call->given.v[i]) & (1u << action)))
            return refuse(call, call->given.v[i], action, err);
    if (o->json + o->csv + o->markdown > 1)
        return ec_usage(call, err, "--json, --csv and --markdown exclude each other");
    if (action == EC_FIT_PREDICT && ec_call_given(call, "out") &&
        (o->json || o->csv || o->markdown))
        return ec_usage(call, err, "--out writes CSV to a file: it takes no other form");
    if (o->compare.tune_state && !o->compare.tune)
        return ec_usage(call, err, "--tune-state keeps a search: it needs --tune N");
    if (ec_call_given(call, "folds") &&
        (ec_str_eq(split, "random") || ec_str_starts(split, "logo:") ||
         (!*split && action == EC_FIT_COMPARE)))
        return ec_usage(call, err,
                        "--folds: --split %s has no parts to be counted; kfold and "
                        "group: have",
                        *split ? split : "random");
    return EC_OK;
}
