/* Sentences on runs: findings.sql, asked of their columns. */
#include "base/base.h"
#include "findings_sql.h"
#include "report/runs_internal.h"

EC_EMBED(findings, EC_FINDINGS_SQL);

/* What the script makes goes with the rows, so that it can be run again. */
enum ec_status ec_runs_findings(struct ec_runs *r, struct ec_arena *a, struct ec_strs *ret,
                                struct ec_err *err)
{
    struct ec__query *q;

    EC_PASS(ec__runs_query(r, &q, err));
    EC_PASS(ec__query_say(q, "SAVEPOINT before", NULL, NULL, err));
    EC_PASS(ec__query_say(q, ec__findings_begin, a, ret, err));
    return ec__query_say(q, "ROLLBACK TO before", NULL, NULL, err);
}
