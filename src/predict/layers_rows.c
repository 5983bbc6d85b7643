/* Measurement files to rows of layers and the ceilings of their machine. */
#include "predict/layers_rows.h"

#include "learn/learn.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A machine whose copies nobody measured: what the catalogue's slowest server memory gives a core,
 * and a rate of arithmetic to which the rows find their own level. */
#define RATE_UNKNOWN_BYTES_PER_S 10e9
#define FLOP_UNKNOWN_PER_S 50e9

struct ec_measured_layer {
    char *what;
    int phase; /* enum ec_phase; -1: forward and gradients together */
    enum ec_optimizer optimizer;
    double ns, plan_bytes;
    bool doubtful;
};

void ec_measured_layers_clear(struct ec_measured_layers *l)
{
    ec_free(l->row);
    ec_arena_clear(&l->arena);
    memset(l, 0, sizeof *l);
}

static const char *cell(const struct ec_csv *c, int row, const char *name)
{
    return ec_csv_cell(c, row, ec_csv_col(c, name));
}

/* Median of the numbers joined by blanks; 0: none. */
static enum ec_status median(const char *text, double *ret, struct ec_err *err)
{
    double *v = ec_alloc(sizeof *v * (strlen(text) / 2 + 1));
    struct ec_span rest = ec_span_of(text), word;
    int n = 0;

    if (!v)
        return ec_nomem(err);
    while (rest.p && ec_span_cut(&rest, ' ', &word))
        if (ec_parse_double(word, &v[n]) && v[n] > 0)
            n++;
    *ret = n ? ec_quantile_inplace(v, n, 0.5) : 0;
    ec_free(v);
    return EC_OK;
}

static double number_in(const char *text, const char *name)
{
    const char *at = strstr(text, name);
    struct ec_span rest = ec_span_of(at ? at + strlen(name) : ""), word = { NULL, 0 };
    double v = 0;

    return ec_span_cut(&rest, ' ', &word) && ec_parse_double(word, &v) ? v : 0;
}

/* Copies stay sorted by size; the best of the arithmetic counts. */
static void take_ceiling(struct ec_layer_machine *m, const char *what, double ns)
{
    double bytes = number_in(what, "copy bytes="), flop = number_in(what, " flop=");
    int i, k;

    if (!strncmp(what, "gemm ", 5))
        flop = 2 * number_in(what, "m=") * number_in(what, " n=") * number_in(what, " k=");
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

static int word_in(const char *const *names, const char *word)
{
    int i;

    for (i = 0; names[i]; i++)
        if (ec_str_eq(names[i], word))
            return i;
    return -1;
}

/* *ret: as ec_layer_place has it. Forward and gradients together are told of losses alone: of other
 * operators the phases stand by themselves. */
static bool phase_named(const char *name, const char *what, int *ret)
{
    const struct ec_op *op = NULL;
    struct ec_span rest = ec_span_of(what), word = { NULL, 0 };
    int p;

    for (p = 0; p < EC_PHASE_COUNT; p++)
        if (ec_str_eq(ec_phase_name((enum ec_phase)p), name)) {
            *ret = p;
            return true;
        }
    if (ec_str_eq(name, "forward_backward") && ec_span_cut(&rest, ' ', &word))
        op = ec_op_find(word);
    *ret = -1;
    return op && op->flags & EC_OPF_LOSS;
}

/* One machine, engine and number of threads are one profile. */
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

static enum ec_status take_layer(struct ec_measured_layers *l, const struct ec_csv *c, int row,
                                 double ns, struct ec_err *err)
{
    int phase = -1;
    bool known = phase_named(cell(c, row, "phase"), cell(c, row, "what"), &phase);
    int optimizer = word_in(ec_optimizer_names, cell(c, row, "optimizer"));
    struct ec_measured_layer *r;
    char threads[EC_LAYER_TEXT_BYTES];
    enum ec_status st;
    int64_t n_threads = 0;

    (void)ec_parse_int(ec_span_of(cell(c, row, "threads")), &n_threads);
    if (!known || optimizer < 0 || !ec_str_eq(cell(c, row, "method"), "separated"))
        return EC_OK;
    if (l->only_threads > 0 && n_threads != l->only_threads)
        return EC_OK;
    EC_TRY(same(l->machine.framework, "framework", cell(c, row, "framework"), err));
    EC_TRY(same(l->machine.precision, "precision", cell(c, row, "precision"), err));
    EC_TRY(same(l->device, "device", cell(c, row, "device"), err));
    (void)snprintf(threads, sizeof threads, "%lld threads", (long long)n_threads);
    EC_TRY(same(l->threads, "a run with", threads, err));
    l->machine.threads = n_threads;
    EC_TRY(ec_grow(&l->row, &l->cap, l->n + 1, sizeof *l->row, err));
    r = &l->row[l->n];
    r->what = ec_arena_str(&l->arena, cell(c, row, "what"));
    r->phase = phase;
    r->optimizer = (enum ec_optimizer)optimizer;
    r->ns = ns;
    r->plan_bytes = number_in(cell(c, row, "memory_peak_bytes"), "");
    /* "noisy" only says that the median is less well known: the choice of noise sees to that. */
    r->doubtful = *cell(c, row, "flags") && !ec_str_eq(cell(c, row, "flags"), "noisy");
    if (!r->what)
        EC_TRY(ec_nomem(err));
    l->n++;
out:
    return st;
}

enum ec_status ec_measured_layers_add(struct ec_measured_layers *l, const char *path,
                                      struct ec_err *err)
{
    struct ec_csv c = { 0 };
    enum ec_status st = ec_csv_read(path, &c, err);
    int i;

    if (st)
        return st;
    if (ec_csv_col(&c, "samples_ns") < 0 || ec_csv_col(&c, "kind") < 0)
        EC_TRY(ec_fail(err, EC_E_PARSE, "not a measurement file: no columns kind, samples_ns"));
    for (i = 0; i < c.n_rows; i++) {
        const char *kind = cell(&c, i, "kind"), *samples = cell(&c, i, "device_samples_ns");
        double ns = 0;

        if (!ec_str_eq(cell(&c, i, "outcome"), "ok") || ec_str_eq(cell(&c, i, "held_out"), "1"))
            continue;
        EC_TRY(median(*samples ? samples : cell(&c, i, "samples_ns"), &ns, err));
        if (!(ns > 0))
            continue;
        if (ec_str_eq(kind, "ceiling") && ec_str_eq(cell(&c, i, "precision"), "fp32"))
            take_ceiling(&l->machine, cell(&c, i, "what"), ns);
        else if (ec_str_eq(kind, "operator"))
            EC_TRY(take_layer(l, &c, i, ns, err));
    }
out:
    if (st)
        ec_err_prefix(err, "%s: ", path);
    ec_csv_clear(&c);
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
        ec_layer_place_update(m, r->optimizer, trainable_elems(&c.c), r->plan_bytes, &ret->point);
    else
        EC_TRY(ec_layer_place(m, &c.c, r->phase, r->plan_bytes, &ret->point, err));
    ret->log_ns = log(r->ns);
    ret->doubtful = r->doubtful;
out:
    ec_case_clear(&c);
    return st;
}

/* Without ceilings the law is a guess, to which the rows find their level. */
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

    if (!row)
        return ec_nomem(err);
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
