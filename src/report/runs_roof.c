/* Notes on a roofline: roof.sql, asked of its points. */
#include "base/base.h"
#include "report/report_internal.h"
#include "report/runs_internal.h"
#include "roof_sql.h"

#include <math.h>

EC_EMBED(roof, EC_ROOF_SQL);

#define ABOVE 1.0005 /* 100.0 % is not above */

enum ec__roof_side ec__roof_above(double intensity, double rate, double peak, double bandwidth)
{
    double sloped = intensity * bandwidth;

    if (!(rate > ABOVE * fmin(peak, sloped)))
        return EC__ROOF_BELOW; /* or not known */
    return sloped < peak ? EC__ROOF_SLOPED : EC__ROOF_FLAT;
}

const char *ec__roof_reason(enum ec__roof_side side)
{
    return side == EC__ROOF_FLAT
               ? "convolutions by Winograd's and like algorithms do fewer operations than are "
                 "counted"
               : "what a cache still holds is counted as read from memory";
}

enum ec_status ec_runs_roof_notes(struct ec_runs *r, struct ec_err *err)
{
    struct ec__query q = { 0 };
    enum ec_status st;

    EC_TRY(ec__runs_views(r->v, r->n, &q, err));
    ec__query_into(&q, "given", "flat sloped");
    ec__query_text(&q, ec__roof_reason(EC__ROOF_FLAT));
    ec__query_text(&q, ec__roof_reason(EC__ROOF_SLOPED));
    EC_TRY(ec__query_say(&q, ec__roof_begin, &r->arena, &r->notes, err));
out:
    ec__query_close(&q);
    return st;
}
