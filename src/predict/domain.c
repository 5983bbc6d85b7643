/* Ranges of what was seen, facts of what is asked, and the sentences where they do not meet. */
#include "predict/domain.h"

#include "domain_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Rounding of sizes is no extrapolation. */
#define TOLERANCE 1.05
#define TEXT_MAX_BYTES ((size_t)1 << 20)

/* The ranges that go into the library as they are. */
__asm__(".section .rodata\n"
        "ec__domain_begin:\n"
        ".incbin \"" EC_DOMAIN_FILE "\"\n"
        "ec__domain_end:\n"
        ".byte 0\n"
        ".previous\n");
extern const char ec__domain_begin[] __attribute__((visibility("hidden")));
extern const char ec__domain_end[] __attribute__((visibility("hidden")));

void ec__domain_shipped(const char **ret, size_t *ret_len)
{
    *ret = ec__domain_begin;
    *ret_len = (size_t)(ec__domain_end - ec__domain_begin);
}

/* ------------------------------------------------------------------------------------------------
 * Facts */

static void add(struct ec_facts *f, const char *group, const char *quantity, double value)
{
    struct ec_fact *x;

    if (f->n == EC_FACTS_MAX || !(value > 0) || !isfinite(value))
        return;
    x = &f->v[f->n++];
    (void)snprintf(x->group, sizeof x->group, "%.47s", group);
    (void)snprintf(x->quantity, sizeof x->quantity, "%.39s", quantity);
    x->value = value;
}

static void add_qty(struct ec_facts *f, const char *group, const char *quantity, double scale,
                    struct ec_qty q)
{
    if (q.src != EC_SRC_NONE)
        add(f, group, quantity, scale * q.value);
}

static void add_device(struct ec_facts *f, const struct ec_device *d, const char *of)
{
    char group[48];

    (void)snprintf(group, sizeof group, "device %s %s", ec_device_kind_name(d->kind), of);
    add_qty(f, group, "memory bandwidth in GB/s", 1e-9, d->memory_bytes_per_s);
    add_qty(f, group, "FP32 peak in TFLOP/s", 1e-12, d->fp32_flop_per_s);
    add_qty(f, group, "multiprocessors", 1, d->sm_count);
}

/* Without its units tf32 is fp32. */
static void add_precision(struct ec_facts *f, const char *group, const struct ec_device *d,
                          enum ec_precision p)
{
    char word[40];

    if (p == EC_TF32 && d->tf32_tensor_flop_per_s.src == EC_SRC_NONE)
        p = EC_FP32;
    (void)snprintf(word, sizeof word, "precision %s", ec_precision_names[p]);
    add(f, group, word, 1);
}

/* "h=56", "pad=1x1", "x=4096x1024": of several numbers the last, since shapes of any rank end with
 * what a row of memory holds; how much there is in all is the work. */
static void add_numbers(struct ec_facts *f, const char *group, const struct ec_op *op,
                        struct ec_span word)
{
    struct ec_span name = { NULL, 0 }, one;
    bool shape, several;
    char quantity[40];
    double v = 0;

    if (!ec_span_cut(&word, '=', &name) || !word.len)
        return;
    several = memchr(word.p, 'x', word.len) != NULL;
    shape = several && !(op->fields && ec_field_find(op->fields, name));
    while (word.p && ec_span_cut(&word, 'x', &one))
        if (!ec_parse_double(one, &v))
            return;
    (void)snprintf(quantity, sizeof quantity, shape ? "last dimension of %.*s" : "%.*s",
                   (int)name.len, name.p);
    add(f, group, quantity, v);
}

static double work_of(const struct ec_case *c, bool *ret_mac)
{
    double mac = 0, elems = 0;
    struct ec_work w;
    int i;

    w.n = 0;
    c->op->work(c, EC_FORWARD, &w);
    for (i = 0; i < w.n; i++) {
        mac += w.kernel[i].mac;
        elems += w.kernel[i].read_elems + w.kernel[i].write_elems;
    }
    *ret_mac = mac > 0;
    return mac > 0 ? mac : elems;
}

enum ec_status ec_facts_of_op(const struct ec_case *c, const struct ec_device *d,
                              enum ec_precision p, struct ec_facts *ret, struct ec_err *err)
{
    struct ec_buf text = EC_BUF_INIT;
    struct ec_span rest, word;
    struct ec_facts f;
    char group[48];
    enum ec_status st;
    bool is_mac;
    double work;

    f.n = 0;
    ec_case_print(c, &text);
    EC_TRY(ec_buf_status(&text, err));
    (void)snprintf(group, sizeof group, "%.30s %s", c->op->name, ec_device_kind_name(d->kind));
    rest = ec_span_of(ec_buf_text(&text));
    while (rest.p && ec_span_cut(&rest, ' ', &word))
        add_numbers(&f, group, c->op, word);
    work = work_of(c, &is_mac);
    add(&f, group, is_mac ? "MAC" : "elements moved", work);
    add_precision(&f, group, d, p);
    add_device(&f, d, "operator");
    *ret = f;
out:
    ec_buf_clear(&text);
    return st;
}

void ec_facts_of_network(const struct ec_graph *g, const struct ec_device *d, enum ec_precision p,
                         struct ec_facts *ret)
{
    double params = 0;
    char group[48];
    int i;

    ret->n = 0;
    (void)snprintf(group, sizeof group, "network %s", ec_device_kind_name(d->kind));
    add(ret, group, "batch", (double)ec_graph_batch(g));
    for (i = 0; i < g->n_inputs && i < 1; i++) {
        const struct ec_type *t = &g->values[g->inputs[i]]->type;

        if (t->shape.rank == 4)
            add(ret, group, "image side", (double)t->shape.d[2]);
        else if (t->shape.rank == 2 && !ec_dtype_is_float(t->dtype))
            add(ret, group, "sequence length", (double)t->shape.d[1]);
    }
    for (i = 0; i < g->n_values; i++)
        if (g->values[i]->kind == EC_V_PARAM)
            params += ec_type_elems(&g->values[i]->type);
    add(ret, group, "parameters", params);
    add(ret, group, "operators", g->n_nodes);
    add_precision(ret, group, d, p);
    add_device(ret, d, "network");
}

/* ------------------------------------------------------------------------------------------------
 * Ranges */

static int by_name(const void *a, const void *b)
{
    const struct ec_range *x = a, *y = b;
    int c = strcmp(x->group, y->group);

    return c ? c : strcmp(x->quantity, y->quantity);
}

static void sort(struct ec_domain *d)
{
    if (d->n)
        qsort(d->v, (size_t)d->n, sizeof *d->v, by_name);
}

/* Linear: for building, where order comes last. */
static struct ec_range *find_any(struct ec_domain *d, const struct ec_fact *f)
{
    int i;

    for (i = 0; i < d->n; i++)
        if (ec_str_eq(d->v[i].quantity, f->quantity) && ec_str_eq(d->v[i].group, f->group))
            return &d->v[i];
    return NULL;
}

enum ec_status ec_domain_see(struct ec_domain *d, const struct ec_facts *facts, struct ec_err *err)
{
    enum ec_status st = EC_OK;
    int i;

    for (i = 0; i < facts->n; i++) {
        const struct ec_fact *f = &facts->v[i];
        struct ec_range *r = find_any(d, f);

        if (!r) {
            EC_TRY(ec_grow(&d->v, &d->cap, d->n + 1, sizeof *d->v, err));
            r = &d->v[d->n++];
            memset(r, 0, sizeof *r);
            memcpy(r->group, f->group, sizeof r->group);
            memcpy(r->quantity, f->quantity, sizeof r->quantity);
            r->lo = r->hi = f->value;
        }
        r->lo = fmin(r->lo, f->value);
        r->hi = fmax(r->hi, f->value);
        r->n++;
    }
out:
    return st;
}

void ec_domain_print(struct ec_domain *d, struct ec_buf *out)
{
    int i;

    sort(d);
    ec_buf_str(out, "group,quantity,lo,hi,rows\n");
    for (i = 0; i < d->n; i++)
        ec_buf_printf(out, "%s,%s,%.6g,%.6g,%d\n", d->v[i].group, d->v[i].quantity, d->v[i].lo,
                      d->v[i].hi, d->v[i].n);
}

static enum ec_status read_row(const struct ec_csv *csv, int row, struct ec_range *r,
                               struct ec_err *err)
{
    double n = 0;

    (void)snprintf(r->group, sizeof r->group, "%.47s", ec_csv_cell(csv, row, 0));
    (void)snprintf(r->quantity, sizeof r->quantity, "%.39s", ec_csv_cell(csv, row, 1));
    if (!r->group[0] || !r->quantity[0] ||
        !ec_parse_double(ec_span_of(ec_csv_cell(csv, row, 2)), &r->lo) ||
        !ec_parse_double(ec_span_of(ec_csv_cell(csv, row, 3)), &r->hi) ||
        !ec_parse_double(ec_span_of(ec_csv_cell(csv, row, 4)), &n) || !(r->lo > 0) ||
        !(r->hi >= r->lo) || !(n >= 0 && n < 1e9))
        return ec_fail(err, EC_E_PARSE, "ranges of the fit: row %d is damaged", row + 1);
    r->n = (int)n;
    return EC_OK;
}

enum ec_status ec_domain_parse(const char *text, size_t len, struct ec_domain *ret,
                               struct ec_err *err)
{
    struct ec_domain d = { 0 };
    struct ec_csv csv = { 0 };
    enum ec_status st;
    int i;

    if (len > TEXT_MAX_BYTES)
        return ec_fail(err, EC_E_PARSE, "ranges of the fit: more than %zu bytes", TEXT_MAX_BYTES);
    EC_TRY(ec_csv_parse(text, len, &csv, err));
    if (csv.n_cols != 5 || !ec_str_eq(csv.names[0], "group"))
        EC_TRY(ec_fail(err, EC_E_PARSE, "ranges of the fit: expected group,quantity,lo,hi,rows"));
    for (i = 0; i < csv.n_rows; i++) {
        EC_TRY(ec_grow(&d.v, &d.cap, d.n + 1, sizeof *d.v, err));
        EC_TRY(read_row(&csv, i, &d.v[d.n], err));
        d.n++;
    }
    sort(&d);
    *ret = d;
    memset(&d, 0, sizeof d);
out:
    ec_csv_clear(&csv);
    ec_domain_clear(&d);
    return st;
}

void ec_domain_clear(struct ec_domain *d)
{
    ec_free(d->v);
    memset(d, 0, sizeof *d);
}

/* ------------------------------------------------------------------------------------------------
 * Doubts */

static const struct ec_range *find(const struct ec_domain *d, const struct ec_fact *f)
{
    struct ec_range key;

    memcpy(key.group, f->group, sizeof key.group);
    memcpy(key.quantity, f->quantity, sizeof key.quantity);
    return d->n ? bsearch(&key, d->v, (size_t)d->n, sizeof *d->v, by_name) : NULL;
}

static bool has_group(const struct ec_domain *d, const char *group)
{
    int i;

    for (i = 0; i < d->n; i++)
        if (ec_str_eq(d->v[i].group, group))
            return true;
    return false;
}

/* "conv2d gpu" -> "conv2d", "GPU" */
static void split_group(const char *group, char subject[48], const char **ret_class)
{
    static const struct {
        const char *key, *word;
    } classes[] = {
        {"gpu",          "GPU"        },
        { "cpu",         "CPU"        },
        { "accelerator", "accelerator"}
    };
    struct ec_span rest = ec_span_of(group), first = { NULL, 0 }, second = { NULL, 0 };
    int i;

    (void)ec_span_cut(&rest, ' ', &first);
    (void)ec_span_cut(&rest, ' ', &second);
    (void)snprintf(subject, 48, "%.*s", (int)first.len, first.p);
    *ret_class = "device";
    for (i = 0; i < EC_LEN(classes); i++)
        if (ec_span_eq(second, classes[i].key))
            *ret_class = classes[i].word;
}

static void say_unseen(const struct ec_fact *f, bool group_unseen, struct ec_doubt *ret)
{
    char subject[48];
    const char *class;

    split_group(f->group, subject, &class);
    ret->log2_factor = EC_DOUBT_UNSEEN;
    if (group_unseen)
        (void)snprintf(ret->text, sizeof ret->text,
                       "extrapolating: no %s was measured on any %s; the interval is a guess",
                       subject, class);
    else
        (void)snprintf(ret->text, sizeof ret->text,
                       "extrapolating: no %s with %s was measured on any %s", subject, f->quantity,
                       class);
}

/* Sizes whole, everything else with four digits. */
static void number(char out[32], double v)
{
    (void)snprintf(out, 32, v == floor(v) && v < 1e12 ? "%.0f" : "%.4g", v);
}

static void say_beyond(const struct ec_fact *f, const struct ec_range *r, double factor, bool above,
                       struct ec_doubt *ret)
{
    char subject[48], value[32], bound[32];
    const char *class;

    split_group(f->group, subject, &class);
    ret->log2_factor = log2(factor);
    number(value, f->value);
    number(bound, above ? r->hi : r->lo);
    if (ec_str_eq(subject, "device"))
        (void)snprintf(ret->text, sizeof ret->text,
                       "extrapolating: %s, %s, is %.*fx %s any measured %s (%s)", f->quantity,
                       value, factor < 10, factor, above ? "above" : "below", class, bound);
    else
        (void)snprintf(ret->text, sizeof ret->text,
                       "extrapolating: %s %s is %.*fx %s any %s measured on a %s (%s)", f->quantity,
                       value, factor < 10, factor, above ? "above" : "below", subject, class,
                       bound);
}

static bool doubt(const struct ec_domain *d, const struct ec_fact *f, struct ec_doubt *ret)
{
    const struct ec_range *r = find(d, f);
    double factor;

    if (!r && ec_str_starts(f->group, "device")) /* its kind of question says so */
        return false;
    if (!r) {
        say_unseen(f, !has_group(d, f->group), ret);
        return true;
    }
    factor = fmax(f->value / r->hi, r->lo / f->value);
    if (factor <= TOLERANCE)
        return false;
    say_beyond(f, r, factor, f->value > r->hi, ret);
    return true;
}

static int by_size(const void *a, const void *b)
{
    const struct ec_doubt *x = a, *y = b;

    return (x->log2_factor < y->log2_factor) - (x->log2_factor > y->log2_factor);
}

int ec_domain_doubts(const struct ec_domain *d, const struct ec_facts *facts, struct ec_doubt *ret,
                     int max)
{
    struct ec_doubt all[EC_FACTS_MAX];
    int i, j, n = 0;

    for (i = 0; i < facts->n; i++) {
        if (!doubt(d, &facts->v[i], &all[n]))
            continue;
        for (j = 0; j < n && !ec_str_eq(all[j].text, all[n].text); j++)
            continue;
        n += j == n; /* a group that was never seen is told once */
    }
    if (n)
        qsort(all, (size_t)n, sizeof *all, by_size);
    for (i = 0; i < n && i < max; i++)
        ret[i] = all[i];
    return n;
}
