/* From rows of measurements to layers and ceilings of a machine. */
#include "adapt/layers_rows.h"

#include "tables/tables.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Ceilings of a machine without measured ones: the bandwidth per core of the slowest server memory
 * in the catalogue, and a rate of arithmetic. The level of each kind's residual makes up for the
 * error. */
#define RATE_UNKNOWN_BYTES_PER_S 10e9
#define FLOP_UNKNOWN_PER_S 50e9

struct ec_measured_layer {
    char *what;
    int phase; /* enum ec_phase; -1: forward and gradients together */
    enum ec_optimizer optimizer;
    double ns, program_bytes;
    bool doubtful;
};

void ec_measured_layers_clear(struct ec_measured_layers *l)
{
    ec_free(l->row);
    ec_arena_clear(&l->arena);
    memset(l, 0, sizeof *l);
}

static double number_in(const char *text, const char *name)
{
    const char *at = strstr(text, name);
    struct ec_span rest = ec_span_of(at ? at + strlen(name) : ""), word = { NULL, 0 };
    double v = 0;

    return ec_span_cut(&rest, ' ', &word) && ec_parse_double(word, &v) ? v : 0;
}

void ec_ceiling_work(const char *what, double *ret_flop, double *ret_copy_bytes)
{
    *ret_copy_bytes = number_in(what, "copy bytes=");
    *ret_flop = number_in(what, " flop=");
    if (ec_str_starts(what, "gemm "))
        *ret_flop = 2 * number_in(what, " m=") * number_in(what, " n=") * number_in(what, " k=");
}

/* ------------------------------------------------------------------------------------------------
 * Rows of layers and ceilings of one machine */

/* Adds a ceiling: copies stay sorted by size; of rates of arithmetic the highest is kept. */
static void take_ceiling(struct ec_layer_machine *m, const char *what, double ns)
{
    double bytes, flop;
    int i, k;

    ec_ceiling_work(what, &flop, &bytes);
    if (flop > 0)
        m->flop_per_s = fmax(m->flop_per_s, flop / ns * 1e9);
    if (!(bytes > 0) || m->n == EC_LAYER_SIZES)
        return;
    for (i = 0; i < m->n && m->size_bytes[i] < bytes; i++)
        continue;
    if (i < m->n && m->size_bytes[i] <= bytes)
        return;
    for (k = m->n++; k > i; k--) {
        m->size_bytes[k] = m->size_bytes[k - 1];
        m->rate_bytes_per_s[k] = m->rate_bytes_per_s[k - 1];
    }
    m->size_bytes[i] = bytes;
    m->rate_bytes_per_s[i] = 2 * bytes / ns * 1e9;
}

/* *ret: as for ec_layer_place. Only losses have one row for forward and gradients together; other
 * operators have a row for each phase. */
static bool phase_of(const struct ec_record *r, int *ret)
{
    const struct ec_op *op = NULL;
    struct ec_span rest = ec_span_of(r->what), word = { NULL, 0 };

    *ret = r->phase;
    if (r->phase >= 0)
        return true;
    if (r->foreign[EC_WORD_MODE] || r->cond.mode != EC_MODE_FORWARD_BACKWARD)
        return false;
    if (ec_span_cut(&rest, ' ', &word))
        op = ec_op_find(word);
    return op && op->flags & EC_OPF_LOSS;
}

/* A profile is of one machine, engine and number of threads: an error when a row's word differs. */
static enum ec_status same(char ret[EC_LAYER_TEXT_BYTES], const char *what, const char *word,
                           struct ec_err *err)
{
    if (!*ret)
        (void)snprintf(ret, EC_LAYER_TEXT_BYTES, "%s", word);
    if (ec_str_eq(ret, word))
        return EC_OK;
    return ec_fail(err, EC_E_INPUT, "rows of %s %s and of %.60s: a profile is of one", what, ret,
                   word);
}

static enum ec_status take_layer(struct ec_measured_layers *l, const struct ec_record *row,
                                 struct ec_err *err)
{
    int phase = -1;
    bool known = phase_of(row, &phase);
    struct ec_measured_layer *r;
    char threads[EC_LAYER_TEXT_BYTES];

    if (!known || row->foreign[EC_WORD_OPTIMIZER] || !ec_str_eq(row->method, "separated"))
        return EC_OK;
    if (l->only_threads > 0 && row->threads != l->only_threads)
        return EC_OK;
    EC_PASS(same(l->machine.framework, "framework", ec_record_word(row, EC_WORD_FRAMEWORK), err));
    EC_PASS(same(l->machine.precision, "precision", ec_record_word(row, EC_WORD_PRECISION), err));
    EC_PASS(same(l->device, "device", row->device, err));
    (void)snprintf(threads, sizeof threads, "%lld threads", (long long)row->threads);
    EC_PASS(same(l->threads, "a run with", threads, err));
    l->machine.threads = row->threads;
    EC_PASS(ec_grow(&l->row, &l->cap, l->n + 1, sizeof *l->row, err));
    r = &l->row[l->n];
    r->what = ec_arena_str(&l->arena, row->what);
    r->phase = phase;
    r->optimizer = row->cond.optimizer;
    r->ns = row->time.ns;
    r->program_bytes = row->memory_peak_bytes;
    /* "noisy" is no reason: the choice of noise_sd covers it */
    r->doubtful = *row->flags && !ec_str_eq(row->flags, "noisy");
    EC_PASS(ec_allocated(r->what, err));
    l->n++;
    return EC_OK;
}

static enum ec_status take_row(void *user, const struct ec_record *row, struct ec_err *err)
{
    struct ec_measured_layers *l = user;

    if (!(row->time.ns > 0) || row->held_out || !ec_str_eq(row->outcome, "ok"))
        return EC_OK;
    if (row->kind == EC_KIND_operator)
        return take_layer(l, row, err);
    if (row->kind == EC_KIND_ceiling && !row->foreign[EC_WORD_PRECISION] &&
        row->cond.precision == EC_FP32)
        take_ceiling(&l->machine, row->what, row->time.ns);
    return EC_OK;
}

enum ec_status ec_measured_layers_add(struct ec_measured_layers *l, const char *path,
                                      struct ec_err *err)
{
    const struct ec_table_given given = { .path = path, .device_in = ec_device_in_text };
    enum ec_status st = ec_records_each(&given, take_row, l, err);

    if (st && err && !ec_str_starts(err->text, path)) /* a table that cannot be read says it */
        ec_err_prefix(err, "%s: ", path);
    return st;
}

static double elems_of(const struct ec_shape *s)
{
    int64_t n = 0;

    return ec_shape_count(s, &n) ? (double)n : 0;
}

static double trainable_elems(const struct ec_case *c)
{
    struct ec_param_list list = { 0 };
    double sum = 0;
    int i;

    if (c->op->params)
        c->op->params(c, &list);
    for (i = 0; i < list.n; i++)
        if (list.p[i].trainable)
            sum += elems_of(&list.p[i].shape);
    return sum;
}

static enum ec_status place(const struct ec_layer_machine *m, const struct ec_measured_layer *r,
                            struct ec_layer_row *ret, struct ec_err *err)
{
    struct ec_owned_case c = { 0 };
    enum ec_status st;

    EC_TRY(ec_case_parse(r->what, &c, err));
    if (r->phase == EC_UPDATE)
        ec_layer_place_update(m, r->optimizer, trainable_elems(&c.c), r->program_bytes,
                              &ret->point);
    else
        EC_TRY(ec_layer_place(m, &c.c, r->phase, r->program_bytes, &ret->point, err));
    ret->log_ns = log(r->ns);
    ret->doubtful = r->doubtful;
out:
    ec_case_clear(&c);
    return st;
}

/* Fills in ceilings that were not measured. */
static void fill_unknown(struct ec_layer_machine *m)
{
    if (!(m->flop_per_s > 0))
        m->flop_per_s = FLOP_UNKNOWN_PER_S;
    if (m->n)
        return;
    m->size_bytes[0] = 1e6;
    m->rate_bytes_per_s[0] = RATE_UNKNOWN_BYTES_PER_S;
    m->n = 1;
}

enum ec_status ec_measured_layers_fit(struct ec_measured_layers *l, struct ec_layers **ret,
                                      int *ret_left_out, struct ec_err *err)
{
    struct ec_layer_row *row = ec_alloc(sizeof *row * (size_t)(l->n ? l->n : 1));
    struct ec_err first = { 0 };
    enum ec_status st = EC_OK;
    int i, n = 0;

    EC_PASS(ec_allocated(row, err));
    fill_unknown(&l->machine);
    for (i = 0; i < l->n; i++) {
        st = place(&l->machine, &l->row[i], &row[n], n ? NULL : &first);
        if (st == EC_E_NOMEM)
            EC_TRY(ec_nomem(err));
        n += st == EC_OK;
    }
    *ret_left_out = l->n - n;
    if (!n)
        EC_TRY(ec_fail(err, EC_E_INPUT, "none of %d rows is a layer that can be used%s%s", l->n,
                       l->n ? ": " : "", l->n ? first.text : ""));
    EC_TRY(ec_layers_new(&l->machine, row, n, ret, err));
out:
    ec_free(row);
    return st;
}
