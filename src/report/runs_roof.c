/* Notes on a roofline: points above a roof, and what limits them against their side of the ridge.
 */
#include "report/report_internal.h"
#include "report/runs_internal.h"

#include <math.h>

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

static bool is_above(const struct ec_run *v, enum ec__roof_side side)
{
    return ec__roof_above(ec_run_intensity(v), ec_run_flop_per_s(v), v->peak_flop_per_s,
                          v->memory_bytes_per_s) == side;
}

static bool is_above_flat(const struct ec_run *v)
{
    return is_above(v, EC__ROOF_FLAT);
}

static bool is_above_sloped(const struct ec_run *v)
{
    return is_above(v, EC__ROOF_SLOPED);
}

static bool is_limited_by(const struct ec_run *v, enum ec_limit limit)
{
    return ec_str_eq(ec_run_limit(v), ec_limit_name(limit));
}

static bool is_memory_above_ridge(const struct ec_run *v)
{
    return is_limited_by(v, EC_LIMIT_MEMORY) && ec_run_intensity(v) > ec_run_ridge(v);
}

static bool is_compute_below_ridge(const struct ec_run *v)
{
    return is_limited_by(v, EC_LIMIT_COMPUTE) && ec_run_intensity(v) < ec_run_ridge(v);
}

static enum ec_status note(struct ec_runs *r, const char *what, bool (*is)(const struct ec_run *v),
                           const char *reason, struct ec_err *err)
{
    const struct ec_run *first = NULL;
    int i, n = 0;

    for (i = 0; i < r->n; i++)
        if (is(&r->v[i]))
            first = n++ ? first : &r->v[i];
    if (!n)
        return EC_OK;
    return ec_strs_add(&r->notes, &r->arena, err, "%s: %d of %d rows (%s%s): %s", what, n, r->n,
                       *first->layer ? first->layer : first->record.what,
                       n > 1 ? " and others" : "", reason);
}

enum ec_status ec_runs_roof_notes(struct ec_runs *r, struct ec_err *err)
{
    enum ec_status st;

    EC_TRY(note(r, "above the flat roof", is_above_flat, ec__roof_reason(EC__ROOF_FLAT), err));
    EC_TRY(
        note(r, "above the sloped roof", is_above_sloped, ec__roof_reason(EC__ROOF_SLOPED), err));
    EC_TRY(note(r, "limited by memory bandwidth above the ridge", is_memory_above_ridge,
                "the ridge is of the data sheet; such kernels reach less of its bandwidth than of "
                "its peak",
                err));
    EC_TRY(note(r, "limited by compute below the ridge", is_compute_below_ridge,
                "the ridge is of the data sheet; such kernels reach less of its peak than of its "
                "bandwidth",
                err));
out:
    return st;
}
