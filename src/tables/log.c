/* Logs of training: lines that say a step, and a time of day or a rate. A bar that goes back to the
 * start of its line ends a line too. */
#include "tables/log.h"

#include <math.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#define LINE_MOST 4096 /* what stands behind is not read */
#define GROUPS 8

#define BEGIN "(^|[^[:alnum:]_])"
enum form {
    FORM_STEP,
    FORM_BAR,
    FORM_OF,
    FORM_DATE,
    FORM_CLOCK,
    FORM_RATE,
    FORM_TIME,
    FORM_LEFT,
    FORM_COUNT
};
static const char *const forms[FORM_COUNT] = {
    /* "step 120/5000", "iter: 120 of 5000" */
    BEGIN "(global_step|step|iter|iteration|it|batch)[][:space:]:=#[]+([0-9]{1,15})"
          "([[:space:]]*(/|of)[[:space:]]*([0-9]{1,15}))?",
    BEGIN "([0-9]{1,15})/([0-9]{1,15}) +(\\[|\xe2\x94\x81)", /* tqdm, Keras */
    /* "Epoch: [0][ 10/5005]", "Train: 0 [  50/5004 (  1%)]"; no epoch is a step */
    "[]0-9][[:space:]]*\\[[[:space:]]*([0-9]{1,15})/([0-9]{1,15})[] (]",
    BEGIN "([0-9]{4})-([0-9]{2})-([0-9]{2})[T ]",
    "(^|[^[:alnum:]_]|[0-9]T)([0-9]{2}):([0-9]{2}):([0-9]{2}([.,][0-9]{1,9})?)",
    "([0-9]+([.][0-9]+)?)[[:space:]]*(it/s|steps?/s|s/it|ms/it|ms/step)",
    /* "time 94.10ms,", in seconds "Time  0.094 ( 0.112)", "time: 0.0940  data: 0.0030" */
    ("(^|[,|;\t]|  )[[:space:]]*time[[:space:]:=]+([0-9]+([.][0-9]+)?)"
     "([[:space:]]*(ms|s)([^[:alnum:]]|$)|[[:space:]]*([(,|;]|$)|  |\t)"),
    BEGIN "eta[[:space:]]*:", /* how long it will take: no time of the day */
};

struct reading {
    regex_t form[FORM_COUNT];
    regmatch_t group[GROUPS]; /* of the last match */
    struct ec_log_span *v[2]; /* between clocks; by rates */
    int n[2], cap[2];
    struct line {
        int64_t step, steps;
        double clock_s, each_s; /* since a day; -1: not said; of a step by a rate */
        bool has_date;
    } before; /* the last with a clock; step -1: none */
};

static bool match(struct reading *r, enum form f, const char *line)
{
    return regexec(&r->form[f], line, GROUPS, r->group, 0) == 0;
}

/* The number of a group; 0: it is not there. */
static double number(const struct reading *r, const char *line, int group)
{
    const regmatch_t *g = &r->group[group];
    char text[32] = "";
    double v = 0;
    int i;

    for (i = 0; g->rm_so >= 0 && i < g->rm_eo - g->rm_so && i + 1 < EC_LEN(text); i++)
        text[i] = line[g->rm_so + i] == ',' ? '.' : line[g->rm_so + i];
    return ec_parse_double(ec_span_of(text), &v) ? v : 0;
}

/* Days since a day of the Gregorian calendar. */
static double days_of(double year, double month, double day)
{
    double y = month <= 2 ? year - 1 : year, m = month + (month <= 2 ? 9 : -3);

    return 365 * y + floor(y / 4) - floor(y / 100) + floor(y / 400) + floor((153 * m + 2) / 5) +
           day;
}

/* False: it says no step. Cuts a bar off, whose times are none of the day. */
static bool read_line(struct reading *r, char *line, struct line *ret)
{
    struct line l = { .step = -1, .clock_s = -1 };
    bool ms, per_s;

    if (match(r, FORM_RATE, line) && number(r, line, 1) > 0) {
        const char *unit = line + r->group[3].rm_so;

        ms = unit[0] == 'm';
        per_s = unit[0] == 'i' || !strncmp(unit, "step", 4);
        l.each_s = per_s ? 1 / number(r, line, 1) : number(r, line, 1) / (ms ? 1e3 : 1);
    } else if (match(r, FORM_TIME, line)) {
        ms = r->group[5].rm_so >= 0 && line[r->group[5].rm_so] == 'm';
        l.each_s = number(r, line, 2) / (ms ? 1e3 : 1);
    }
    if (match(r, FORM_OF, line)) {
        l.step = (int64_t)number(r, line, 1);
        l.steps = (int64_t)number(r, line, 2);
    }
    if (match(r, FORM_BAR, line)) {
        l.step = (int64_t)number(r, line, 2);
        l.steps = (int64_t)number(r, line, 3);
        line[r->group[2].rm_so] = '\0';
    }
    if (match(r, FORM_STEP, line)) {
        l.step = (int64_t)number(r, line, 3);
        l.steps = (int64_t)number(r, line, 6);
    }
    if (match(r, FORM_LEFT, line))
        line[r->group[0].rm_so] = '\0';
    if (match(r, FORM_CLOCK, line))
        l.clock_s = 3600 * number(r, line, 2) + 60 * number(r, line, 3) + number(r, line, 4);
    if (l.clock_s >= 0 && match(r, FORM_DATE, line)) {
        l.has_date = true;
        l.clock_s += 86400 * days_of(number(r, line, 2), number(r, line, 3), number(r, line, 4));
    }
    *ret = l;
    return l.step >= 0;
}

static enum ec_status add(struct reading *r, int which, double steps, double seconds,
                          struct ec_err *err)
{
    enum ec_status st =
        ec_grow(&r->v[which], &r->cap[which], r->n[which] + 1, sizeof *r->v[which], err);

    if (!st)
        r->v[which][r->n[which]++] = (struct ec_log_span){ steps, seconds };
    return st;
}

static enum ec_status add_line(struct reading *r, const struct line *l, struct ec_log *log,
                               struct ec_err *err)
{
    double n = fmax((double)(l->step - (log->step ? log->step : l->step)), 1);
    double took = l->clock_s - r->before.clock_s;
    enum ec_status st = EC_OK;

    took += took < 0 && !l->has_date ? 86400 : 0; /* midnight */
    if (l->each_s > 0)
        EC_TRY(add(r, 1, n, l->each_s * n, err));
    log->step = l->step;
    log->steps = l->steps ? l->steps : log->steps;
    if (l->clock_s < 0)
        goto out;
    if (r->before.step >= 0 && l->step > r->before.step && l->has_date == r->before.has_date) {
        if (!(took > 0))
            goto out; /* of a clock of whole seconds: up to the first line of the next */
        EC_TRY(add(r, 0, (double)(l->step - r->before.step), took, err));
    }
    r->before = *l;
out:
    return st;
}

static enum ec_status add_all(struct reading *r, struct ec_span text, struct ec_log *log,
                              struct ec_err *err)
{
    enum ec_status st = EC_OK;
    char line[LINE_MOST];
    struct line l;
    size_t i, n = 0;

    for (i = 0; i <= text.len && !st; i++) {
        char c = i < text.len ? text.p[i] : '\n';

        if (c == '\x1b') { /* a colour: "ESC[32m" */
            while (i + 1 < text.len && text.p[i + 1] && strchr("[;0123456789m", text.p[i + 1]))
                if (text.p[++i] == 'm')
                    break;
            c = ' ';
        }
        if (c != '\n' && c != '\r' && c != '\b') {
            if (n + 1 < sizeof line)
                line[n++] = c ? c : ' ';
            continue;
        }
        line[n] = '\0';
        n = 0;
        if (read_line(r, line, &l))
            st = add_line(r, &l, log, err);
    }
    return st;
}

static int by_step_time(const void *a, const void *b)
{
    const struct ec_log_span *x = a, *y = b;
    double u = x->seconds / x->steps, v = y->seconds / y->steps;

    return (u > v) - (u < v);
}

/* The time that half of the steps take at most. The first span waits for the start. */
static enum ec_status set_median(struct ec_log *log, struct ec_err *err)
{
    int from = log->n > 1, n = log->n - from, i;
    struct ec_log_span *v = ec_alloc(sizeof *v * (size_t)(n + 1));
    double below = 0;

    if (!v)
        return ec_nomem(err);
    memcpy(v, log->v + from, sizeof *v * (size_t)n);
    qsort(v, (size_t)n, sizeof *v, by_step_time);
    for (i = 0; i < n; i++)
        log->counted += v[i].steps;
    for (i = 0; i < n && below < log->counted / 2; i++) {
        below += v[i].steps;
        log->step_ns = 1e9 * v[i].seconds / v[i].steps;
    }
    ec_free(v);
    return EC_OK;
}

enum ec_status ec_log_read(struct ec_span text, struct ec_log *ret, struct ec_err *err)
{
    struct reading r = { .before = { .step = -1 } };
    struct ec_log log = { .step = 0 };
    enum ec_status st = EC_OK;
    int n = 0, which;

    for (; n < FORM_COUNT; n++)
        if (regcomp(&r.form[n], forms[n], REG_EXTENDED | REG_ICASE))
            EC_TRY(ec_nomem(err));
    EC_TRY(add_all(&r, text, &log, err));
    which = r.n[0] == 0;
    if (!r.n[which])
        EC_TRY(ec_fail(err, EC_E_PARSE,
                       "no two lines with a step and a time, and none with a rate: expected such "
                       "as \"12:30:05 step 120/5000\""));
    log.v = r.v[which];
    log.n = r.n[which];
    EC_TRY(set_median(&log, err));
    *ret = log;
    r.v[which] = NULL;
out:
    while (n > 0)
        regfree(&r.form[--n]);
    ec_free(r.v[0]);
    ec_free(r.v[1]);
    return st;
}

void ec_log_clear(struct ec_log *l)
{
    ec_free(l->v);
    *l = (struct ec_log){ .step = 0 };
}
