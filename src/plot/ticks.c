/* Ranges of axes, where ticks stand and what is written at them. */
#include "plot/plot_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

double ec__scale_px(const struct ec__scale *s, double v)
{
    double share = s->log ? log(v / s->lo) / log(s->hi / s->lo) : (v - s->lo) / (s->hi - s->lo);

    return s->px_lo + share * (s->px_hi - s->px_lo);
}

/* ------------------------------------------------------------------------------------------------
 * Units */

struct prefix {
    double from, factor; /* of values from `from` on */
    const char *text;
};

static const struct prefix si[] = {
    {1e15,  1e-15, "P"},
    { 1e12, 1e-12, "T"},
    { 1e9,  1e-9,  "G"},
    { 1e6,  1e-6,  "M"},
    { 1e3,  1e-3,  "k"},
    { 0,    1,     "" },
};
static const struct prefix times[] = {
    {2 * 3600e9, 1 / 3600e9, "h"        },
    { 180e9,     1 / 60e9,   "min"      },
    { 1e9,       1e-9,       "s"        },
    { 1e6,       1e-6,       "ms"       },
    { 1e3,       1e-3,       "\xc2\xb5s"},
    { 0,         1,          "ns"       },
};
/* Decades of time: minutes would give odd numbers. */
static const struct prefix decades[] = {
    {1e9,  1e-9, "s"        },
    { 1e6, 1e-6, "ms"       },
    { 1e3, 1e-3, "\xc2\xb5s"},
    { 0,   1,    "ns"       }
};
static const struct prefix bytes[] = {
    {0x1p40,  0x1p-40, "TiB"},
    { 0x1p30, 0x1p-30, "GiB"},
    { 0x1p20, 0x1p-20, "MiB"},
    { 0x1p10, 0x1p-10, "KiB"},
    { 0,      1,       "B"  },
};
static const struct prefix share[] = {
    {0, 100, "%"}
};
static const struct prefix plain[] = {
    {0, 1, ""}
};

static const struct prefix *prefixes(const struct ec_axis *axis)
{
    switch (axis->form) {
    case EC_AXIS_SI:
        return si;
    case EC_AXIS_NS:
        return axis->log ? decades : times;
    case EC_AXIS_BYTES:
        return bytes;
    case EC_AXIS_SHARE:
        return share;
    case EC_AXIS_NUMBER:
        break;
    }
    return plain;
}

static const struct prefix *prefix_for(const struct ec_axis *axis, double v)
{
    const struct prefix *p = prefixes(axis);

    /* A hair below a limit belongs to it: 999.9999 M is 1 G. */
    while (p->from > 0 && fabs(v) * (1 + 1e-9) < p->from)
        p++;
    return p;
}

/* At most `decimals`, thousands apart. */
static void number_text(double v, int decimals, char *out, size_t size)
{
    double whole = round(v);

    if (fabs(v) >= 1e15 || (v != 0 && fabs(v) < 1e-6))
        (void)ec_snprintf(out, size, "%.3g", v);
    else if (fabs(v) >= 1e3 && decimals <= 0)
        (void)ec_fmt_thousands(out, size, (int64_t)whole);
    else
        (void)ec_snprintf(out, size, "%.*f", decimals > 0 ? decimals : 0, v == 0 ? 0.0 : v);
}

/* That leave three significant digits; below 0 none. */
static int short_decimals(double v)
{
    int decimals = v == 0 ? 0 : 2 - (int)floor(log10(fabs(v)) + 1e-9);

    return decimals > 8 ? 8 : decimals;
}

/* What short_text writes of it. */
static double shortened(double v)
{
    int decimals = short_decimals(v);
    double power = pow(10, decimals > 0 ? decimals : 0);

    return round(v * power) / power;
}

/* Without trailing zeros. */
static void short_text(double v, char *out, size_t size)
{
    int decimals = short_decimals(v);
    char *end;

    number_text(v, decimals, out, size);
    if (!strchr(out, '.') || strchr(out, 'e'))
        return;
    end = out + strlen(out);
    while (end[-1] == '0')
        *--end = '\0';
    if (end[-1] == '.')
        end[-1] = '\0';
}

void ec_axis_text(const struct ec_axis *axis, double v, char *out, size_t size)
{
    double factor = prefix_for(axis, v)->factor;
    const struct prefix *p = prefix_for(axis, shortened(v * factor) / factor); /* 999.6 ms: 1 s */
    char number[32];
    const char *unit = axis->form == EC_AXIS_NUMBER || axis->form == EC_AXIS_SI
                           ? (axis->unit ? axis->unit : "")
                           : "";

    short_text(v * p->factor, number, sizeof number);
    (void)snprintf(out, size, "%s%s%s%.24s", number, *p->text || *unit ? " " : "", p->text, unit);
}

/* On logarithmic axes each tick says its own prefix. */
static void log_tick_text(const struct ec_axis *axis, double v, char *out)
{
    struct ec_axis bare = *axis;

    bare.unit = NULL;
    ec_axis_text(&bare, v, out, EC__TICK_BYTES);
}

/* ------------------------------------------------------------------------------------------------
 * Which ticks */

static bool fits(const struct ec__tick_request *r, const struct ec__scale *s,
                 const struct ec__ticks *t)
{
    double end = -1e9;
    int i;

    for (i = 0; i < t->n; i++) {
        double at = fabs(ec__scale_px(s, t->v[i].at) - s->px_lo);
        double half =
            r->upright ? r->size_px * 0.8 : ec__text_px(t->v[i].text, r->size_px, false) / 2 + 5;

        if (at - half < end)
            return false;
        end = at + half;
    }
    return true;
}

static double nice_step(double step)
{
    double decade = pow(10, floor(log10(step) + 1e-9)), m = step / decade;

    return decade * (m < 1.0001 ? 1 : m < 2.0001 ? 2 : m < 5.0001 ? 5 : 10);
}

/* Ticks lo..hi in steps; snap: the range grows to the ticks around it. False when too many. */
static bool linear_ticks(struct ec__scale *s, double factor, double step, bool snap,
                         struct ec__ticks *t)
{
    double first = s->lo * factor / step, last = s->hi * factor / step;
    int i, decimals = (int)ceil(-log10(step) - 1e-9);

    first = snap ? floor(first + 1e-6) : ceil(first - 1e-6);
    last = snap ? ceil(last - 1e-6) : floor(last + 1e-6);
    if (!(last - first < EC__TICKS_MAX))
        return false;
    t->n = 0;
    for (i = 0; i <= (int)(last - first); i++) {
        struct ec__tick *v = &t->v[t->n++];

        v->at = (first + i) * step / factor;
        number_text((first + i) * step, decimals, v->text, sizeof v->text);
    }
    if (snap) {
        s->lo = first * step / factor;
        s->hi = last * step / factor;
    }
    return t->n > 0;
}

static void linear_axis(const struct ec__tick_request *r, struct ec__scale *s, struct ec__ticks *t)
{
    const struct ec_axis *axis = r->axis;
    const struct prefix *p = prefix_for(axis, fmax(fabs(s->lo), fabs(s->hi)));
    bool given = axis->lo != 0 || axis->hi != 0;
    int want;

    for (want = 9; want >= 1; want--) {
        struct ec__scale trial = *s;

        if (!linear_ticks(&trial, p->factor, nice_step((s->hi - s->lo) * p->factor / want), !given,
                          t))
            continue;
        if (fits(r, &trial, t) || want == 1) {
            *s = trial;
            break;
        }
    }
    (void)snprintf(
        t->unit, sizeof t->unit, "%s%s", p->text,
        (axis->form == EC_AXIS_SI || axis->form == EC_AXIS_NUMBER) && axis->unit ? axis->unit : "");
}

/* Numbers of a decade that get a tick, densest first. */
static const double mantissas[][3] = {
    {1,  2, 5},
    { 1, 3, 0},
    { 1, 0, 0}
};

/* Every stride-th decade; false when too many or fewer than two. */
static bool log_ticks(const struct ec_axis *axis, const struct ec__scale *s, const double *set,
                      int stride, struct ec__ticks *t)
{
    int first = (int)floor(log10(s->lo)), last = (int)ceil(log10(s->hi)), d, m;

    t->n = 0;
    for (d = first; d <= last; d++)
        for (m = 0; m < 3 && set[m] > 0; m++) {
            double at = set[m] * pow(10, d);

            if ((d % stride + stride) % stride || at < s->lo * (1 - 1e-9) ||
                at > s->hi * (1 + 1e-9))
                continue;
            if (t->n == EC__TICKS_MAX)
                return false;
            t->v[t->n].at = at;
            log_tick_text(axis, at, t->v[t->n++].text);
        }
    return t->n >= 2;
}

/* Outwards to 1, 2 or 5 of a decade. */
static double snap_log(double v, bool up)
{
    static const double steps[] = { 1, 2, 5, 10 };
    double decade = pow(10, floor(log10(v) + 1e-9)), m = v / decade;
    int i;

    if (up) {
        for (i = 0; i < 3 && steps[i] < m * (1 - 1e-6); i++)
            continue;
    } else {
        for (i = 3; i > 0 && steps[i] > m * (1 + 1e-6); i--)
            continue;
    }
    return steps[i] * decade;
}

static void log_axis(const struct ec__tick_request *r, struct ec__scale *s, struct ec__ticks *t)
{
    const struct ec_axis *axis = r->axis;
    int set, stride;

    if (axis->lo == 0 && axis->hi == 0) {
        s->lo = snap_log(s->lo / 1.08, false);
        s->hi = snap_log(s->hi * 1.08, true);
    }
    if (axis->form == EC_AXIS_SI || axis->form == EC_AXIS_NUMBER)
        (void)snprintf(t->unit, sizeof t->unit, "%s", axis->unit ? axis->unit : "");
    for (set = 0; set < EC_LEN(mantissas); set++)
        for (stride = 1; stride < (set + 1 == EC_LEN(mantissas) ? 40 : 2); stride++)
            if (log_ticks(axis, s, mantissas[set], stride, t) && fits(r, s, t))
                return;
    t->n = 2; /* not even two decades fit: the ends */
    t->v[0].at = s->lo;
    t->v[1].at = s->hi;
    log_tick_text(axis, s->lo, t->v[0].text);
    log_tick_text(axis, s->hi, t->v[1].text);
    if (!fits(r, s, t))
        t->n = 1;
}

/* At each value; on a logarithmic axis else at every second, third ..., the last among them. */
static bool value_ticks(const struct ec__tick_request *r, struct ec__scale *s, struct ec__ticks *t)
{
    const struct prefix *p = prefix_for(r->axis, s->log ? 0 : fmax(fabs(r->lo), fabs(r->hi)));
    int i, stride;

    if (!r->axis->at_values || r->n_values < 1 || r->n_values > EC__TICKS_MAX)
        return false;
    (void)snprintf(t->unit, sizeof t->unit, "%s%s", s->log ? "" : p->text,
                   r->axis->unit ? r->axis->unit : "");
    for (stride = 1; stride == 1 || (s->log && stride < r->n_values); stride++) {
        t->n = 0;
        for (i = (r->n_values - 1) % stride; i < r->n_values; i += stride) {
            struct ec__tick *at = &t->v[t->n++];

            at->at = r->values[i];
            if (s->log)
                log_tick_text(r->axis, at->at, at->text);
            else
                short_text(at->at * p->factor, at->text, sizeof at->text);
        }
        if (fits(r, s, t))
            return true;
    }
    return false;
}

static void pad(const struct ec_axis *axis, struct ec__scale *s)
{
    double by;

    if (s->log) {
        by = fmax(pow(s->hi / s->lo, 0.05), 1.12);
        s->lo /= by;
        s->hi *= by;
        return;
    }
    by = 0.04 * (s->hi - s->lo);
    if (!(by > 0))
        by = s->lo != 0 ? 0.1 * fabs(s->lo) : 1;
    if (s->lo != 0 || !axis->from_zero)
        s->lo = s->lo >= 0 && s->lo - by < 0 ? 0 : s->lo - by;
    if (axis->form == EC_AXIS_SHARE && s->hi > 0.5 && s->hi <= 1)
        s->hi = fmin(s->hi + by, 1); /* shares end there */
    else if (s->hi != 0 || !axis->from_zero)
        s->hi += by;
}

void ec__ticks_make(const struct ec__tick_request *r, struct ec__scale *ret_scale,
                    struct ec__ticks *ret)
{
    const struct ec_axis *axis = r->axis;
    struct ec__scale s = { r->lo, r->hi, axis->log, 0, r->length_px }, padded;

    memset(ret, 0, sizeof *ret);
    if (axis->from_zero && !axis->log) {
        s.lo = fmin(s.lo, 0);
        s.hi = fmax(s.hi, 0);
    }
    padded = s;
    pad(axis, &padded);
    if (axis->lo != 0 || axis->hi != 0) {
        s.lo = axis->lo;
        s.hi = axis->hi;
    } else if (!axis->log || axis->at_values) {
        s = padded;
    }
    if (!value_ticks(r, &s, ret)) {
        if (axis->log)
            log_axis(r, &s, ret);
        else
            linear_axis(r, &s, ret);
    }
    *ret_scale = s;
}
