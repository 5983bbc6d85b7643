/* Sentences on runs: findings.sql, asked of their columns. */
#include "base/base.h"
#include "findings_sql.h"
#include "report/runs_internal.h"

EC_EMBED(findings, EC_FINDINGS_SQL);

enum ec_status ec_runs_findings(const struct ec_runs *r, const char *reference, struct ec_arena *a,
                                struct ec_strs *ret, struct ec_err *err)
{
    static const struct ec_col given[] = { { .key = "mode" },
                                           { .key = "precision" },
                                           { .key = "reference" } };
    struct ec_runs_common common;
    struct ec__query q = { 0 };
    enum ec_status st;

    EC_TRY(ec_runs_common(r, &common, err));
    EC_TRY(ec__query_open(&q, err));
    ec__query_into(&q, "given", given, EC_LEN(given));
    ec__query_text(&q, common.mode);
    ec__query_text(&q, common.precision);
    ec__query_text(&q, reference);
    ec__runs_into(&q, "run", r->v, r->n);
    ec__runs_into(&q, "left_out", r->left, r->n_left);
    EC_TRY(ec__query_say(&q, ec__findings_begin, a, ret, err));
out:
    ec__query_close(&q);
    return st;
}
