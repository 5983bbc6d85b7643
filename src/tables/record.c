/* Rows of tables as records, by a mapping that record_plan.c looked up. */
#include "tables/record_internal.h"

#include <math.h>
#include <string.h>

/* Readings must fit into 64 bits as nanoseconds or bytes. */
#define READING_MAX 1e18
#define COUNT_MAX 1e15
#define RATES "a number such as 690", "a rate from 0 to 10^18"
#define SAMPLES "a number of samples"

/* The first fault of a row is the one that is reported. */
static void find_fault(struct ec_reader *r, const char *column, const char *found,
                       const char *expected)
{
    if (!r->fault.column)
        r->fault = (struct ec_row_fault){ *column ? column : "(none)", found, expected };
}

/* False: the cell is empty, or is not a number in the range, which is an error of the row.
 * example: of such a number; range: what it may be */
static bool read_number(struct ec_reader *r, int row, int col, double max, const char *example,
                        const char *range, double *ret)
{
    const char *cell = ec_csv_cell(r->csv, row, col);
    struct ec_span text = ec_span_trim(ec_span_of(cell));

    if (!text.len)
        return false;
    if (!ec_parse_double(text, ret))
        find_fault(r, r->csv->names[col], cell, example);
    else if (*ret >= 0 && *ret <= max)
        return true;
    else
        find_fault(r, r->csv->names[col], cell, range);
    return false;
}

/* The row says that the run did not fit, in the place of a time or of its memory. */
static bool is_out_of_memory(const struct ec_reader *r, int row, int col)
{
    const char *cell = ec_csv_cell(r->csv, row, col);
    double v;

    return *cell && !r->judges && !ec_parse_double(ec_span_trim(ec_span_of(cell)), &v) &&
           ec__cell_is_out_of_memory(cell);
}

/* A word of the source that is not in the list is recorded unchanged. */
static void put_word(struct ec_reader *r, int row, const struct ec_piece *p, const char *cell,
                     struct ec_buf *out)
{
    const char *to;

    if (p->second >= 0) {
        ec_buf_reset(&r->pair);
        ec_buf_printf(&r->pair, "%s+%s", cell, ec_csv_cell(r->csv, row, p->second));
        cell = ec_buf_text(&r->pair);
    }
    to = ec__word(p->words, cell);
    if (!to && p->words && p->words->is_loose) {
        ec_buf_reset(&r->words);
        ec_buf_str(&r->words, "");
        ec__words_print(p->words, &r->words);
        find_fault(r, r->csv->names[p->col], cell, ec_buf_text(&r->words));
    }
    if (to) { /* the empty word: nothing */
        r->lossy[p->col] = r->lossy[p->col] || (!p->is_optional && !ec_str_eq(to, cell));
        ec__word_put(r->csv, row, to, out);
    } else if (!p->is_optional) {
        r->is_left_out = r->is_left_out || p->other < 0;
        ec_buf_str(out, p->other >= 0 ? ec_csv_cell(r->csv, row, p->other) : cell);
    }
}

/* One cell divided by another. */
static void put_quotient(struct ec_reader *r, int row, const struct ec_piece *p, const char *over,
                         struct ec_buf *out)
{
    const char *under = ec_csv_cell(r->csv, row, p->second);
    double a = 0, b = 0;

    if (ec_parse_double(ec_span_trim(ec_span_of(over)), &a) &&
        ec_parse_double(ec_span_trim(ec_span_of(under)), &b) && b >= 1 && a >= b &&
        !(fmod(a, b) > 0))
        ec_buf_printf(out, "%.0f", a / b);
    else if (r->judges)
        r->is_left_out = true;
    else if (p->col >= 0 && p->second >= 0)
        find_fault(r, r->csv->names[p->col], over, "a multiple of the column that divides it");
}

/* The piece's cell, or the part of it that is meant, which stays until the next one. */
static const char *cell_of(struct ec_reader *r, int row, const struct ec_piece *p)
{
    const char *cell = ec_csv_cell(r->csv, row, p->col);
    struct ec_span part;

    if (!p->key.len)
        return cell;
    part = ec__cell_part(cell, p->key);
    ec_buf_reset(&r->part);
    ec_buf_add(&r->part, part.p, part.len);
    return ec_buf_text(&r->part);
}

static const char *expand(struct ec_reader *r, int row, struct ec_template *t)
{
    int i;

    if (t->fixed)
        return t->fixed;
    if (t->n == 1 && t->piece[0].kind == EC_PIECE_CELL && !t->piece[0].key.len)
        return ec_csv_cell(r->csv, row, t->piece[0].col);
    ec_buf_reset(&t->out);
    for (i = 0; i < t->n; i++) {
        const struct ec_piece *p = &t->piece[i];
        const char *cell = cell_of(r, row, p);

        if (p->kind == EC_PIECE_TEXT)
            ec_buf_add(&t->out, p->text.p, p->text.len);
        else if (p->kind == EC_PIECE_QUOTIENT)
            put_quotient(r, row, p, cell, &t->out);
        else if (p->kind == EC_PIECE_WORD && p->col >= 0)
            put_word(r, row, p, cell, &t->out);
        else
            ec_buf_str(&t->out, cell);
    }
    while (t->out.len && t->out.data[t->out.len - 1] == ' ')
        t->out.data[--t->out.len] = '\0';
    return ec_buf_text(&t->out);
}

static const char *name_of(const struct ec_reader *r, int col)
{
    return col < 0 ? "" : r->csv->names[col];
}

/* The column whose cell a template takes, the first of several; -1: it has none. */
static int column_of(const struct ec_template *t)
{
    int i;

    for (i = 0; i < t->n; i++)
        if (t->piece[i].kind != EC_PIECE_TEXT)
            return t->piece[i].col;
    return -1;
}

/* Averages over devices have fractions: 22.75 is kept as 22, and the cell beside it. */
static int64_t expand_count(struct ec_reader *r, int row, struct ec_template *t)
{
    const char *cell = expand(r, row, t);
    struct ec_span text = ec_span_trim(ec_span_of(cell));
    int col = column_of(t);
    double v;

    if (!text.len)
        return 0;
    if (ec_parse_double(text, &v) && v >= 0 && v <= COUNT_MAX) {
        if (col >= 0 && v != floor(v))
            r->lossy[col] = true;
        return (int64_t)v;
    }
    find_fault(r, name_of(r, col), cell, "a number from 0 to 10^15");
    return 0;
}

static struct ec_reading read_time(struct ec_reader *r, int row, int col, double unit_ns)
{
    double unit = unit_ns > 0 ? unit_ns : 1e6;
    struct ec_reading v = { 0 };

    v.known = read_number(r, row, col, READING_MAX / unit, "a number such as 73.1",
                          "a number from 0 to 10^18 nanoseconds", &v.ns);
    v.ns = v.known ? v.ns * unit : 0;
    return v;
}

static bool cell_is_json_number(const char *c)
{
    c += *c == '-';
    if (*c == '0' ? c[1] >= '0' && c[1] <= '9' : *c < '1' || *c > '9')
        return false;
    c += strspn(c, "0123456789");
    if (*c == '.' && c[1] >= '0' && c[1] <= '9')
        c += 1 + strspn(c + 1, "0123456789");
    return !*c;
}

/* Columns that have no place of their own, and the source's word where a map changed it. */
static const char *write_extra(struct ec_reader *r, const struct ec_plan *p, int row)
{
    int i;

    ec_buf_reset(&r->extra);
    for (i = 0; i < r->csv->n_cols; i++) {
        const char *cell = ec_csv_cell(r->csv, row, i);

        if (!*cell || (p->used[i] && !r->lossy[i]))
            continue;
        ec_buf_char(&r->extra, r->extra.len ? ',' : '{');
        ec_buf_str(&r->extra, r->json_key[i]);
        ec_buf_char(&r->extra, ':');
        if (cell_is_json_number(cell))
            ec_buf_str(&r->extra, cell);
        else
            ec_json_quote(&r->extra, cell);
    }
    if (r->extra.len)
        ec_buf_char(&r->extra, '}');
    return ec_buf_text(&r->extra);
}

static const char *write_libraries(struct ec_reader *r, const struct ec_plan *p, int row)
{
    int i;

    ec_buf_reset(&r->libraries);
    for (i = 0; i < p->n_libraries; i++) {
        const char *cell = ec_csv_cell(r->csv, row, p->library[i].col);

        if (!*cell)
            continue;
        ec_buf_str(&r->libraries, r->libraries.len ? " " : "");
        ec_buf_add(&r->libraries, p->library[i].name.p, p->library[i].name.len);
        ec_buf_char(&r->libraries, '=');
        ec_buf_str(&r->libraries, cell);
    }
    return ec_buf_text(&r->libraries);
}

static void put_flag(struct ec_buf *out, const char *before, struct ec_span flag)
{
    ec_buf_str(out, out->len ? " " : "");
    ec_buf_str(out, before);
    ec_buf_add(out, flag.p, flag.len);
}

static const char *write_flags(struct ec_reader *r, const struct ec_plan *p, int row, int which,
                               const char *of_time)
{
    struct ec_buf *out = &r->flags[which];
    int i;

    ec_buf_reset(out);
    for (i = 0; i < p->n_flags; i++) {
        const struct ec_named_col *f = &p->flag[i];
        const char *cell = ec_csv_cell(r->csv, row, f->col);

        if (f->kind == EC_FLAG_TEXT && *cell)
            put_flag(out, "", ec_span_of(cell));
        else if (f->kind == EC_FLAG_SET && ec_str_eq(cell, "1"))
            put_flag(out, "", f->name);
        else if (f->kind == EC_FLAG_CLEAR && ec_str_eq(cell, "0"))
            put_flag(out, "not_", f->name);
    }
    if (of_time)
        put_flag(out, "", ec_span_of(of_time));
    return ec_buf_text(out);
}

static void read_memory(struct ec_reader *r, const struct ec_plan *p, int row,
                        struct ec_record *rec)
{
    double unit = p->l->memory_unit_bytes > 0 ? p->l->memory_unit_bytes : 0x1p20, v;

    if (is_out_of_memory(r, row, p->memory) ||
        !read_number(r, row, p->memory, READING_MAX / unit, "a number such as 5200",
                     "a number from 0 to 10^18 bytes", &v) ||
        v == 0)
        return;
    rec->memory_peak_bytes = v * unit;
    rec->memory_kind = p->l->memory_kind ? p->l->memory_kind : "";
}

/* A row that does not number itself counts as the table does. */
static int64_t read_iteration(struct ec_reader *r, int row, int col)
{
    const char *cell = ec_csv_cell(r->csv, row, col);
    struct ec_span text = ec_span_trim(ec_span_of(cell));
    int64_t v = row;

    if (text.len && (!ec_parse_int(text, &v) || v < 0))
        find_fault(r, r->csv->names[col], cell, "a whole number of at least 0");
    return v;
}

/* A row of a user's own table must have everything that a query needs. */
static void check_plain(struct ec_reader *r, const struct ec_plan *p, int row,
                        const struct ec_record *rec)
{
    int batch = column_of(&p->text[EC_TEXT_batch]), device = column_of(&p->text[EC_TEXT_device]);
    double v = 0;

    if (!*rec->what)
        find_fault(r, name_of(r, column_of(&p->text[EC_TEXT_what])), "", "a case or a network");
    if (!*rec->device)
        find_fault(r, name_of(r, device), "", "a device");
    if (batch >= 0 &&
        (!ec_parse_double(ec_span_trim(ec_span_of(ec_csv_cell(r->csv, row, batch))), &v) || v < 1 ||
         v != floor(v)))
        find_fault(r, r->csv->names[batch], ec_csv_cell(r->csv, row, batch),
                   "a whole number of at least 1");
}

/* What the source says of its conditions, in its words or, where a map has them, in ours. */
static void read_conditions(struct ec_reader *r, struct ec_plan *p, int row, struct ec_record *rec)
{
    static const struct {
        int text;
        enum ec_word word;
    } words[] = {
        {EC_TEXT_precision,      EC_WORD_PRECISION},
        { EC_TEXT_memory_format, EC_WORD_LAYOUT   },
        { EC_TEXT_framework,     EC_WORD_FRAMEWORK},
        { EC_TEXT_mode,          EC_WORD_MODE     },
        { EC_TEXT_optimizer,     EC_WORD_OPTIMIZER},
        { EC_TEXT_recompute,     EC_WORD_RECOMPUTE},
    };
    const struct ec_mapping *l = p->l;
    bool left_out;
    int i;

    for (i = 0; i < EC_LEN(words); i++)
        ec_record_set_word(rec, words[i].word, expand(r, row, &p->text[words[i].text]));
    left_out = r->is_left_out; /* a pass that is no phase is the whole */
    rec->phase = ec_phase_find(expand(r, row, &p->text[EC_TEXT_phase]));
    r->is_left_out = left_out;
    ec_record_phase_mode(rec);
    rec->cond.input_copy = ec__mapping_holds(r->csv, row, l->input_copy);
    rec->cond.queued = !l->is_network && ec__mapping_holds(r->csv, row, l->queued);
    rec->cond.half_inputs = !l->is_network && ec__mapping_holds(r->csv, row, l->half_inputs);
}

/* The words that have a value: a cell that is empty, or 0, says no more than a plain training. */
static const char *read_job(struct ec_reader *r, struct ec_plan *p, int row)
{
    struct ec_span rest = ec_span_of(expand(r, row, &p->text[EC_TEXT_job])), word, value, name;

    ec_buf_reset(&r->job);
    while (ec_span_cut(&rest, ' ', &word)) {
        value = word;
        (void)ec_span_cut(&value, '=', &name);
        if (value.len && !ec_span_eq(value, "0"))
            ec_buf_printf(&r->job, "%s%.*s", r->job.len ? " " : "", (int)word.len, word.p);
    }
    return ec_buf_text(&r->job);
}

/* What all readings of the row share. */
static void read_common(struct ec_reader *r, struct ec_plan *p, int row, struct ec_record *rec)
{
    const struct {
        int text;
        const char **ret;
    } texts[] = {
        {EC_TEXT_what,               &rec->what             },
        { EC_TEXT_device,            &rec->device           },
        { EC_TEXT_family,            &rec->family           },
        { EC_TEXT_activation,        &rec->activation       },
        { EC_TEXT_device_name,       &rec->device_name      },
        { EC_TEXT_framework_version, &rec->framework_version},
        { EC_TEXT_outcome,           &rec->outcome          },
        { EC_TEXT_method,            &rec->method           },
        { EC_TEXT_run,               &rec->run              },
    };
    const struct {
        int text;
        int64_t *ret;
    } counts[] = {
        {EC_TEXT_batch,            &rec->batch                },
        { EC_TEXT_image_px,        &rec->image_px             },
        { EC_TEXT_seq_len,         &rec->seq_len              },
        { EC_TEXT_num_devices,     &rec->num_devices          },
        { EC_TEXT_threads,         &rec->threads              },
        { EC_TEXT_n_warm_up,       &rec->n_warm_up            },
        { EC_TEXT_memory_reserved, &rec->memory_reserved_bytes},
    };
    int i;

    ec_record_init(rec);
    memset(r->lossy, 0, (size_t)r->csv->n_cols);
    for (i = 0; i < EC_LEN(texts); i++)
        *texts[i].ret = expand(r, row, &p->text[texts[i].text]);
    if (p->l->plain)
        check_plain(r, p, row, rec);
    read_conditions(r, p, row, rec);
    rec->job = read_job(r, p, row);
    for (i = 0; i < EC_LEN(counts); i++)
        *counts[i].ret = expand_count(r, row, &p->text[counts[i].text]);
    rec->kind = ec__mapping_kind(p->l);
    rec->source.mapping = p->l->name;
    rec->row = row;
    rec->held_out = expand_count(r, row, &p->text[EC_TEXT_held_out]) != 0;
    rec->samples_ns = ec_csv_cell(r->csv, row, p->samples);
    rec->device_samples_ns = ec_csv_cell(r->csv, row, p->device_samples);
    rec->machine = ec_csv_cell(r->csv, row, p->machine);
    rec->libraries = r->judges ? "" : write_libraries(r, p, row);
    for (i = 0; i < EC_MAPPING_TIMES_MAX; i++)
        if (is_out_of_memory(r, row, p->time_col[i]))
            rec->outcome = EC_OUT_OF_MEMORY;
    if (is_out_of_memory(r, row, p->memory))
        rec->outcome = EC_OUT_OF_MEMORY;
    if (p->iteration >= 0)
        rec->iteration = read_iteration(r, row, p->iteration);
    rec->extra = r->judges ? "" : write_extra(r, p, row);
    if (p->l->what && *p->l->what && !*rec->what)
        find_fault(r, name_of(r, column_of(&p->text[EC_TEXT_what])), "", "a case or a network");
}

static void read_spread(struct ec_reader *r, const struct ec_plan *p, int row,
                        struct ec_record *rec)
{
    double unit_ns = p->l->times[0].unit_ns;
    double n;

    rec->time_stat = p->l->time_stat ? p->l->time_stat : "";
    rec->min = read_time(r, row, p->min, unit_ns);
    rec->max = read_time(r, row, p->max, unit_ns);
    rec->mean = read_time(r, row, p->mean, unit_ns);
    rec->std = read_time(r, row, p->std, unit_ns);
    if (read_number(r, row, p->n_samples, COUNT_MAX, "a number such as 100",
                    "a number from 0 to 10^15", &n))
        rec->n_samples = (int64_t)n;
}

/* A rate is also recorded in its own column; the time is computed from it. */
static struct ec_reading read_rate(struct ec_reader *r, const struct ec_plan *p, int row, int time)
{
    const struct ec_mapping_time *t = &p->l->times[time];
    struct ec_reading v = { 0 };
    double value;

    v.known = read_number(r, row, p->time_col[time], READING_MAX, RATES, &value);
    v.ns = v.known && value > 0 ? ec__mapping_time_ns(t, r->csv, row, value) : 0;
    return v;
}

/* Tokens of a sample: the row's, else those that the network has by itself; 0: it has none. */
static int64_t tokens_of(const struct ec_mapping *l, const struct ec_record *rec)
{
    return rec->seq_len || !l->tokens_of ? rec->seq_len : l->tokens_of(rec->what);
}

/* A step by a rate, or as one of those that make an epoch. */
static struct ec_reading read_step(struct ec_reader *r, const struct ec_plan *p, int row, int time,
                                   const struct ec_record *rec)
{
    const struct ec_mapping_time *t = &p->l->times[time];
    int col = p->time_col[time];
    double batch = (double)rec->batch, samples = t->epoch_samples, value;
    double samples_of_step = batch * (t->of_all ? (double)rec->num_devices : 1);
    double of_step = t->rate == EC_SPEED_STEPS    ? 1
                     : t->rate == EC_SPEED_TOKENS ? samples_of_step * (double)tokens_of(p->l, rec)
                                                  : samples_of_step;
    struct ec_reading v = { 0 };

    if (t->rate == EC_SPEED_TOKENS && !(of_step > 0))
        find_fault(r, name_of(r, column_of(&p->text[EC_TEXT_what])), rec->what,
                   "a network of text, or a column seq_len");
    if (t->rate) {
        v.known = read_number(r, row, col, READING_MAX, RATES, &value);
        v.ns = v.known && value > 0 ? of_step / value * 1e9 : 0;
        return v;
    }
    v = read_time(r, row, col, t->unit_ns);
    if (samples < 0 &&
        (!read_number(r, row, p->dataset_size, COUNT_MAX, SAMPLES, SAMPLES, &samples) ||
         samples < 1))
        find_fault(r, name_of(r, p->dataset_size), ec_csv_cell(r->csv, row, p->dataset_size),
                   SAMPLES);
    if (v.known && samples >= 1 && batch >= 1)
        v.ns /= ceil(samples / batch);
    return v;
}

/* The record of one time of the row. */
static void read_one(struct ec_reader *r, const struct ec_plan *p, int row, int which, int time,
                     struct ec_record *rec)
{
    const struct ec_mapping_time *t = &p->l->times[time];

    rec->reading = r->csv->names[p->time_col[time]];
    rec->time = t->multiply_adds ? read_rate(r, p, row, time)
                : t->rate || fabs(t->epoch_samples) > 0
                    ? read_step(r, p, row, time, rec)
                    : read_time(r, row, p->time_col[time], t->unit_ns);
    if (rec->time.known && !(rec->time.ns > 0) && !r->judges)
        find_fault(r, rec->reading, ec_csv_cell(r->csv, row, p->time_col[time]),
                   t->rate ? "a rate above zero" : "a time above zero");
    if (t->mode && !r->judges)
        ec_record_set_word(rec, EC_WORD_MODE, t->mode);
    if (!p->l->phase)
        rec->phase = p->l->stored_mode && !ec_str_eq(ec_record_word(rec, EC_WORD_MODE), "forward")
                         ? EC_L_WHOLE
                         : t->phase;
    rec->flags = write_flags(r, p, row, which, t->flags);
    if (time == 0)
        read_spread(r, p, row, rec);
}

static enum ec_status reader_status(struct ec_reader *r, struct ec_plan *p, struct ec_err *err)
{
    int i;

    for (i = 0; i < EC_TEXT_COUNT; i++)
        EC_PASS(ec_buf_status(&p->text[i].out, err));
    for (i = 0; i < EC_RECORDS_MAX; i++)
        EC_PASS(ec_buf_status(&r->flags[i], err));
    EC_PASS(ec_buf_status(&r->libraries, err));
    EC_PASS(ec_buf_status(&r->pair, err));
    EC_PASS(ec_buf_status(&r->part, err));
    EC_PASS(ec_buf_status(&r->words, err));
    return ec_buf_status(&r->extra, err);
}

static struct ec_plan *plan_of_row(struct ec_reader *r, int row)
{
    int i;

    for (i = 0; i < r->n_plans; i++)
        if (r->judges ? ec__mapping_judges(r->plan[i].l, r->csv, row)
                      : ec_conditions_pass(r->csv, row, r->plan[i].l->rows))
            return &r->plan[i];
    return NULL;
}

static bool has_time(const struct ec_reader *r, const struct ec_plan *p, int row, int time)
{
    struct ec_span text = ec_span_trim(ec_span_of(ec_csv_cell(r->csv, row, p->time_col[time])));
    double v = 0;

    if (r->judges)
        return !p->l->times[time].stored_only && ec_parse_double(text, &v) && v > 0;
    return text.len && !is_out_of_memory(r, row, p->time_col[time]) &&
           !(p->l->zero_is_none && ec_parse_double(text, &v) && v == 0);
}

/* A row without a time: memory only, a failure, a description, or missing values. */
static void read_no_time(struct ec_reader *r, const struct ec_plan *p, int row,
                         const struct ec_record *common, struct ec_record *rec)
{
    bool measures = p->l->times[0].column || p->samples >= 0 || p->memory >= 0, lacks;

    *rec = *common;
    rec->reading = p->samples >= 0  ? name_of(r, p->samples)
                   : p->memory >= 0 ? name_of(r, p->memory)
                                    : "row";
    read_memory(r, p, row, rec);
    lacks = measures && rec->memory_peak_bytes == 0 && !*rec->samples_ns &&
            !*rec->device_samples_ns && ec_str_eq(rec->outcome, "ok");
    if (lacks && rec->iteration >= 0)
        find_fault(r, name_of(r, p->time_col[0]), "", "a time above zero");
    if (lacks)
        rec->outcome = "error";
    rec->flags = write_flags(r, p, row, 0, lacks ? "no_time" : NULL);
}

/* What a prediction is compared with beside times: the median of samples, and memory. */
static enum ec_status read_judged(struct ec_reader *r, const struct ec_plan *p, int row,
                                  const struct ec_record *common, struct ec_record *ret, int *n,
                                  struct ec_err *err)
{
    enum ec_status st = EC_OK;
    double ns = 0;

    if (p->samples >= 0 &&
        ec__sampled_ns(common->samples_ns, common->device_samples_ns, &ns, &st, err)) {
        ret[*n] = *common;
        ret[(*n)++].time = (struct ec_reading){ ns, true };
    }
    if (p->l->memory_read) {
        ret[*n] = *common;
        ret[*n].phase = EC_L_WHOLE;
        read_memory(r, p, row, &ret[*n]);
        *n += ret[*n].memory_peak_bytes > 0;
    }
    return st;
}

enum ec_status ec_reader_row(struct ec_reader *r, int row, struct ec_record ret[EC_RECORDS_MAX],
                             int *ret_n, struct ec_err *err)
{
    struct ec_plan *p = plan_of_row(r, row);
    enum ec_status st = EC_OK;
    struct ec_record common;
    int n = 0, i;

    *ret_n = 0;
    r->fault = (struct ec_row_fault){ 0 };
    r->is_left_out = false;
    if (!p)
        return EC_OK;
    read_common(r, p, row, &common);
    for (i = 0; i < EC_MAPPING_TIMES_MAX && p->l->times[i].column; i++) {
        if (!has_time(r, p, row, i))
            continue;
        ret[n] = common;
        read_one(r, p, row, n, i, &ret[n]);
        n += !r->judges || ret[n].time.ns > 0;
    }
    if (r->judges)
        st = read_judged(r, p, row, &common, ret, &n, err);
    else if (n)
        read_memory(r, p, row, &ret[0]);
    else
        read_no_time(r, p, row, &common, &ret[n++]);
    *ret_n = r->fault.column || (r->judges && r->is_left_out) ? 0 : n;
    return st ? st : reader_status(r, p, err);
}

const struct ec_mapping *ec__reader_mapping(struct ec_reader *r, int row,
                                            const struct ec_mapping *otherwise)
{
    const struct ec_plan *p = plan_of_row(r, row);

    return p ? p->l : otherwise;
}

struct ec_row_fault ec_reader_fault(const struct ec_reader *r)
{
    return r->fault;
}
