/* Logs of training: lines that say a step, and a time of day or a rate, and tables of them. A bar
 * that goes back to the start of its line ends a line too. */
#include "tables/mapping_internal.h"

#include <math.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "log_forms.h"

#define LINE_MOST 4096 /* what stands behind is not read */
#define GROUPS 8
#define COARSE_S 20 /* what a clock of whole seconds is read over */

#define NAME(name_, form_) FORM_##name_,
#define FORM(name_, form_) form_,
enum form { FORMS(NAME) FORM_COUNT };
static const char *const forms[FORM_COUNT] = { FORMS(FORM) };

struct reading {
    regex_t form[FORM_COUNT];
    regmatch_t group[GROUPS]; /* of the last match */
    struct ec_log_span *v[3]; /* between clocks; by rates; by rates of lines without a step */
    int n[3], cap[3];
    enum ec_speed_kind kind[3];
    bool fine; /* a clock has parts of seconds */
    struct interval {
        double ms, epochs, samples; /* at its start; how many; before */
    } open[2];                      /* of MLPerf: an epoch; a block of them */
    double epoch, epochs, bar;      /* of Keras; steps of its longest bar; 0: not said */
    double batch, of_epoch;         /* samples of a step, of an epoch; 0: not said */
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

static double in_s(const struct reading *r, const char *line, int group, int unit)
{
    return number(r, line, group) / (unit >= 0 && line[unit] == 'm' ? 1e3 : 1);
}

/* The time of a step that a line says; 0: none. */
static double time_in(struct reading *r, const char *line)
{
    int unit;

    if (match(r, FORM_RATE, line) && number(r, line, 1) > 0) {
        unit = r->group[3].rm_so;
        return line[unit] == 'i' || !strncmp(line + unit, "step", 4) ? 1 / number(r, line, 1)
                                                                     : in_s(r, line, 1, unit);
    }
    if (match(r, FORM_PER, line) && number(r, line, 4) > 0)
        return 1 / number(r, line, 4);
    if (match(r, FORM_NAMED, line)) {
        unit = r->group[3].rm_so >= 0 ? r->group[3].rm_so : r->group[6].rm_so;
        return unit < 0 ? 0 : in_s(r, line, 4, unit);
    }
    return match(r, FORM_TIME, line) ? in_s(r, line, 2, r->group[5].rm_so) : 0;
}

/* A bar counts the steps of its epoch; a shorter one is of an evaluation. */
static bool of_run(struct reading *r, struct line *l)
{
    bool longest = (double)l->steps >= r->bar;

    if (!(r->epochs > 0) || !(r->epochs * (double)l->steps < 1e15))
        return true;
    r->bar = longest ? (double)l->steps : r->bar;
    l->step += (int64_t)((r->epoch - 1) * r->bar);
    l->steps = (int64_t)(r->epochs * r->bar);
    return longest;
}

/* False: it says no step. Cuts a bar off, whose times are none of the day. */
static bool read_line(struct reading *r, char *line, struct line *ret)
{
    struct line l = { .step = -1, .clock_s = -1, .each_s = time_in(r, line) };

    if (match(r, FORM_EPOCH, line)) {
        r->epoch = fmin(number(r, line, 1), number(r, line, 2));
        r->epochs = number(r, line, 2);
    }
    if (match(r, FORM_OF, line)) {
        l.step = (int64_t)number(r, line, 1);
        l.steps = (int64_t)number(r, line, 2);
    }
    if (match(r, FORM_BAR, line)) {
        l.step = (int64_t)number(r, line, 2);
        l.steps = (int64_t)number(r, line, 3);
        if (!of_run(r, &l))
            return false;
        line[r->group[2].rm_so] = '\0';
    }
    if (match(r, FORM_STEP, line)) {
        l.step = (int64_t)number(r, line, 3);
        l.steps = (int64_t)number(r, line, 6);
    }
    if (match(r, FORM_LEFT, line))
        line[r->group[0].rm_so] = '\0';
    if (match(r, FORM_ELAPSED, line) || match(r, FORM_CLOCK, line))
        l.clock_s = 3600 * number(r, line, 2) + 60 * number(r, line, 3) + number(r, line, 4);
    if (l.clock_s >= 0 && match(r, FORM_DATE, line)) {
        l.has_date = true;
        l.clock_s += 86400 * days_of(number(r, line, 2), number(r, line, 3), number(r, line, 4));
    }
    if (l.each_s > 1e9) { /* "time": 1793614351.2 is a clock */
        l.clock_s = l.each_s;
        l.each_s = 0;
        l.has_date = true;
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

    took += took < 0 && !l->has_date ? 86400 : 0; /* midnight */
    if (l->each_s > 0)
        EC_PASS(add(r, 1, n, l->each_s * n, err));
    log->step = l->step;
    log->steps = l->steps ? l->steps : log->steps;
    if (l->clock_s < 0)
        return EC_OK;
    r->fine = r->fine || fabs(l->clock_s - floor(l->clock_s)) > 0;
    if (r->before.step >= 0 && l->step > r->before.step && l->has_date == r->before.has_date) {
        if (!(took > 0))
            return EC_OK; /* of a clock of whole seconds: up to the first line of the next */
        EC_PASS(add(r, 0, (double)(l->step - r->before.step), took, err));
    }
    r->before = *l;
    return EC_OK;
}

/* ------------------------------------------------------------------------------------------------
 * MLPerf: :::MLLOG {"time_ms": 1700000000000, "key": "epoch_start", "metadata": {"epoch_num": 1}}
 */

#define MLPERF ":::MLLOG"
#define EPOCHS_MOST 1000 /* of a block; more are samples or tokens by another name */

/* The number that a form finds; 0: it does not. */
static double said(struct reading *r, enum form f, const char *line)
{
    return match(r, f, line) ? number(r, line, 1) : 0;
}

/* An epoch, or a block of them, is a span by what it says to have done. */
static enum ec_status add_event(struct reading *r, const char *line, struct ec_err *err)
{
    double batch = said(r, FORM_ML_BATCH, line), of_epoch = said(r, FORM_ML_EPOCH, line), n;
    struct interval now = { .samples = said(r, FORM_ML_SAMPLES, line) }, *open;
    bool block;

    r->batch = batch > 0 ? batch : r->batch;
    r->of_epoch = of_epoch > 0 ? of_epoch : r->of_epoch;
    if (!match(r, FORM_ML_EVENT, line))
        return EC_OK;
    now.ms = number(r, line, 1);
    block = line[r->group[2].rm_so] == 'b';
    open = &r->open[block];
    if (line[r->group[3].rm_so + 2] == 'a') { /* start */
        now.epochs = block ? said(r, FORM_ML_COUNT, line) : 1;
        *open = now;
        return EC_OK;
    }
    n = now.samples > 0 ? now.samples - open->samples : open->epochs;
    r->kind[block] = now.samples > 0 ? EC_SPEED_SAMPLES : EC_SPEED_EPOCHS;
    return n > 0 && (now.samples > 0 || n <= EPOCHS_MOST) && open->ms > 0 && now.ms > open->ms
               ? add(r, block, n, (now.ms - open->ms) / 1e3, err)
               : EC_OK;
}

/* Epochs and samples as steps, where the log says of how many. */
static void as_steps(struct reading *r)
{
    int i, k;

    for (i = 0; i < 2; i++) {
        bool epochs = r->kind[i] == EC_SPEED_EPOCHS && r->of_epoch > 0;
        bool samples = (epochs || r->kind[i] == EC_SPEED_SAMPLES) && r->batch > 0;

        for (k = 0; k < r->n[i]; k++)
            r->v[i][k].steps *= (epochs ? r->of_epoch : 1) / (samples ? r->batch : 1);
        r->kind[i] = samples ? EC_SPEED_STEPS : epochs ? EC_SPEED_SAMPLES : r->kind[i];
    }
    r->fine = true;
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
                line[n++] = c && c != '"' && c != '\'' ? c : ' '; /* of JSON */
            continue;
        }
        line[n] = '\0';
        n = 0;
        if (strstr(line, MLPERF))
            st = add_event(r, line, err);
        else if (read_line(r, line, &l))
            st = add_line(r, &l, log, err);
        else if (l.each_s > 0 && match(r, FORM_PER, line))
            st = add(r, 2, 1, l.each_s, err);
    }
    if (r->open[0].ms > 0 || r->open[1].ms > 0)
        as_steps(r);
    return st;
}

/* ------------------------------------------------------------------------------------------------
 * Tables: scalars of TensorBoard, histories of Weights & Biases, what Lightning logs */

static bool cell_number(const struct ec_csv *csv, int row, int col, double *ret)
{
    return ec_parse_double(ec_span_trim(ec_span_of(ec_csv_cell(csv, row, col))), ret);
}

static const char *bare_name(const struct ec_csv *csv, int col)
{
    return csv->names[col] + strspn(csv->names[col], " ");
}

/* Results of Ultralytics: seconds since the start at the end of each epoch. */
static bool is_of_epochs(const struct ec_csv *csv)
{
    return csv->n_cols > 2 && ec_str_eq(bare_name(csv, 0), "epoch") &&
           ec_str_eq(bare_name(csv, 1), "time") && ec_str_starts(bare_name(csv, 2), "train/");
}

static enum ec_status add_table(struct reading *r, const struct ec_csv *csv, struct ec_log *log,
                                struct ec_err *err)
{
    static const char *const clocks[] = { "Wall time", "_timestamp", "timestamp", "_runtime" };
    static const enum ec_quantity rates[] = { EC_Q_STEP_TIME, EC_Q_STEP_RATE, EC_Q_RATE,
                                              EC_Q_TOKEN_RATE };
    int step = ec_column_of(csv, EC_Q_ITERATION), clock = -1, each = -1, i, row;
    struct ec_meaning m = { .size = 0 };
    double v;

    for (i = 0; i < EC_LEN(clocks) && clock < 0; i++)
        clock = ec_csv_col(csv, clocks[i]);
    for (i = 0; i < EC_LEN(rates) && !(m.size > 0); i++) {
        each = ec_column_of(csv, rates[i]);
        m = ec_column_meaning(each < 0 ? "" : csv->names[each]);
        r->kind[1] = i ? ec__column_rate(rates[i]) : EC_SPEED_STEPS;
    }
    if (is_of_epochs(csv)) {
        step = 0;
        clock = 1;
        each = -1;
        r->kind[0] = EC_SPEED_EPOCHS;
    }
    for (row = 0; row < csv->n_rows && step >= 0; row++) {
        struct line l = { .has_date = true, .clock_s = -1 };

        if (!cell_number(csv, row, step, &v) || v < 0)
            continue;
        l.step = (int64_t)v;
        if (cell_number(csv, row, each, &v) && v > 0)
            l.each_s = m.quantity == EC_Q_STEP_TIME ? v * m.size / 1e9 : 1 / (v * m.size);
        l.clock_s = cell_number(csv, row, clock, &v) ? v : -1;
        EC_PASS(add_line(r, &l, log, err));
    }
    return EC_OK;
}

/* Of a table; EC_OK without spans: it is none. */
static enum ec_status add_rows(struct reading *r, struct ec_span text, struct ec_log *log,
                               struct ec_err *err)
{
    struct ec_csv csv = { 0 };
    struct ec_span head = { 0 }, rest = text;
    enum ec_status st = EC_OK;

    if (!ec_span_cut(&rest, '\n', &head) || head.len > LINE_MOST ||
        ec_csv_parse(head.p, head.len, &csv, NULL))
        return EC_OK;
    if (csv.n_cols > 1 && (ec_column_of(&csv, EC_Q_ITERATION) >= 0 || is_of_epochs(&csv))) {
        ec_csv_clear(&csv);
        if (!ec_csv_parse(text.p, text.len, &csv, NULL))
            st = add_table(r, &csv, log, err);
    }
    ec_csv_clear(&csv);
    return st;
}

/* ------------------------------------------------------------------------------------------------
 * The median */

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

    log->counted = 0;
    EC_PASS(ec_allocated(v, err));
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

/* Spans by a clock of whole seconds are off by up to one: joins them to at least COARSE_S. The
 * first and what took far longer than the median, as an evaluation does, stay apart. */
static void join_short(struct ec_log *log)
{
    int n = log->n > 1, i;
    bool open = false;

    for (i = n; i < log->n; i++) {
        struct ec_log_span *to = &log->v[n - 1], s = log->v[i];
        bool apart = s.seconds > 1 + 3e-9 * s.steps * log->step_ns;

        if (open && !apart) {
            to->steps += s.steps;
            to->seconds += s.seconds;
        } else {
            *(to = &log->v[n++]) = s;
        }
        open = !apart && to->seconds < COARSE_S;
    }
    log->n = n;
}

enum ec_status ec_log_read(struct ec_span text, struct ec_log *ret, struct ec_err *err)
{
    struct reading r = {
        .before = {.step = -1     },
          .kind = { EC_SPEED_STEPS, EC_SPEED_STEPS, EC_SPEED_STEPS }
    };
    struct ec_log log = { .step = 0 };
    enum ec_status st = EC_OK;
    int n = 0, which;

    for (; n < FORM_COUNT; n++)
        if (regcomp(&r.form[n], forms[n], REG_EXTENDED | REG_ICASE))
            EC_TRY(ec_nomem(err));
    EC_TRY(add_rows(&r, text, &log, err));
    if (!r.n[0] && !r.n[1])
        EC_TRY(add_all(&r, text, &log, err));
    which = r.n[0] ? 0 : r.n[1] ? 1 : 2;
    if (!r.n[which])
        EC_TRY(ec_fail(err, EC_E_PARSE,
                       "no two lines with a step and a time, and none with a rate: expected such "
                       "as \"12:30:05 step 120/5000\""));
    log.kind = r.kind[which];
    log.v = r.v[which];
    log.n = r.n[which];
    EC_TRY(set_median(&log, err));
    if (which == 0 && !r.fine) {
        join_short(&log);
        EC_TRY(set_median(&log, err));
    }
    *ret = log;
    r.v[which] = NULL;
out:
    while (n > 0)
        regfree(&r.form[--n]);
    for (which = 0; which < EC_LEN(r.v); which++)
        ec_free(r.v[which]);
    return st;
}

void ec_log_clear(struct ec_log *l)
{
    ec_free(l->v);
    *l = (struct ec_log){ .step = 0 };
}
