/* Collects quantities, builds their ranges, and writes a note for each quantity outside its range.
 */
#include "model/domain.h"

#include "model/fitted.h"

#include "domain_file.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Within 5 % of a range is inside: sizes are rounded. */
#define TOLERANCE 1.05
#define TEXT_MAX_BYTES ((size_t)1 << 20)
#define HEADER "group,quantity,lo,hi,rows"

EC_EMBED(domain, EC_DOMAIN_FILE);

void ec_domain_shipped(const char **ret, size_t *ret_len)
{
    *ret = ec__domain_begin;
    *ret_len = (size_t)(ec__domain_end - ec__domain_begin);
}

/* ------------------------------------------------------------------------------------------------
 * Facts */

/* Groups of a query: the operator or network itself, and its device. */
enum { OWN, OF_DEVICE };

static void add_span(struct ec_facts *f, int group, const char *before, struct ec_span name,
                     double value)
{
    if (f->n < EC_FACTS_MAX && value > 0 && isfinite(value))
        f->v[f->n++] = (struct ec_fact){ group, before, name.p, (int)name.len, value };
}

static void add(struct ec_facts *f, int group, const char *before, const char *name, double value)
{
    add_span(f, group, before, ec_span_of(name), value);
}

/* What was found on the device itself is no specification, which may promise too much. */
static void add_qty(struct ec_facts *f, const char *name, double scale, struct ec_qty q)
{
    if (q.src != EC_SRC_NONE && q.src != EC_SRC_PROBED)
        add(f, OF_DEVICE, "", name, scale * q.value);
}

static void add_device(struct ec_facts *f, const struct ec_device *d, const char *of)
{
    f->group[OF_DEVICE] = (struct ec_fact_group){ "device", ec_device_kind_name(d->kind), of };
    add_qty(f, "memory bandwidth in GB/s", 1e-9, d->memory_bytes_per_s);
    add_qty(f, "FP32 peak in TFLOP/s", 1e-12, d->fp32_flop_per_s);
    add_qty(f, "multiprocessors", 1, d->sm_count);
}

/* A device without TF32 units computes tf32 as fp32. */
static void add_precision(struct ec_facts *f, const struct ec_device *d, enum ec_precision p)
{
    if (p == EC_TF32 && d->tf32_tensor_flop_per_s.src == EC_SRC_NONE)
        p = EC_FP32;
    add(f, OWN, "precision ", ec_precision_names[p], 1);
}

/* Numbers of the case: "h=56", "pad=1x1", "x=4096x1024". Of a shape only the last dimension is
 * taken, which is contiguous in memory at every rank; the total size is in the work. */
static void add_numbers(struct ec_facts *f, const struct ec_case *c)
{
    struct ec_case_number v[EC_FACTS_MAX];
    int n = ec_case_numbers(c, v, EC_LEN(v)), i;

    for (i = 0; i < n; i++)
        add_span(f, OWN, v[i].of_shape ? "last dimension of " : "",
                 (struct ec_span){ v[i].name, (size_t)v[i].name_len }, v[i].value);
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

void ec_facts_of_op(const struct ec_case *c, const struct ec_device *d,
                    const struct ec_conditions *cond, struct ec_facts *ret)
{
    const char *key = ec_device_measured_as(d);
    bool is_mac;
    double work;

    ret->n = 0;
    (void)snprintf(ret->product, sizeof ret->product, "%.*s", (int)ec_product_len(key), key);
    ret->here =
        (struct ec_fact_group){ c->op->name, ec_framework_keys[cond->framework], ret->product };
    ret->group[OWN] = (struct ec_fact_group){ c->op->name, ec_device_kind_name(d->kind), NULL };
    add_numbers(ret, c);
    work = work_of(c, &is_mac);
    add(ret, OWN, "", is_mac ? "MAC" : "elements moved", work);
    add_precision(ret, d, cond->precision);
    add_device(ret, d, "operator");
}

#define KINDS_MAX 24

/* Kinds of layers with parameters, each once. */
static void add_layers(struct ec_facts *f, const struct ec_graph *g)
{
    const struct ec_op *kind[KINDS_MAX];
    int i, k, n = 0;

    for (i = 0; i < g->n_nodes && n < KINDS_MAX; i++) {
        const struct ec_node *node = g->nodes[i];

        if (!node->n_param)
            continue;
        for (k = 0; k < n && kind[k] != node->op; k++)
            continue;
        if (k == n) {
            kind[n++] = node->op;
            add(f, OWN, "layer ", node->op->name, 1);
        }
    }
}

/* Widths of groups up to a power of two; one channel each is a depthwise convolution. */
#define GROUP_WIDTHS 6

static void add_groups(struct ec_facts *f, const struct ec_step *step, enum ec_memory_format layout)
{
#define IN_ORDER(order)                                                                            \
    {                                                                                              \
        "2 to 4 channels in " order, "5 to 8 channels in " order, "9 to 16 channels in " order,    \
            "17 to 32 channels in " order, "33 to 64 channels in " order,                          \
            "over 64 channels in " order                                                           \
    }
    static const char *const names[EC_MEMORY_FORMAT_COUNT][GROUP_WIDTHS] = {
        [EC_CHANNELS_FIRST] = IN_ORDER("channels-first"),
        [EC_CHANNELS_LAST] = IN_ORDER("channels-last"),
    };
#undef IN_ORDER
    unsigned has = 0;
    int i, k;

    for (i = 0; i < step->n; i++) {
        const struct ec_kernel *kernel = &step->kernel[i];

        if (kernel->kclass != EC_K_CONV || kernel->groups < 2 || kernel->c_in < 2)
            continue;
        for (k = 0; k < GROUP_WIDTHS - 1 && kernel->c_in > 4 << k; k++)
            continue;
        has |= 1u << k;
    }
    for (k = 0; k < GROUP_WIDTHS; k++)
        if (has & 1u << k)
            add(f, OWN, "grouped convolutions of ", names[layout][k], 1);
}

void ec_facts_of_network(const struct ec_graph *g, const struct ec_step *step,
                         const struct ec_device *d, const struct ec_conditions *cond,
                         struct ec_facts *ret)
{
    double params = 0;
    int i;

    ret->n = 0;
    ret->here.subject = NULL;
    ret->group[OWN] = (struct ec_fact_group){ "network", ec_device_kind_name(d->kind), NULL };
    add(ret, OWN, "", "batch", (double)ec_graph_batch(g));
    for (i = 0; i < g->n_inputs && i < 1; i++) {
        const struct ec_type *t = &g->values[g->inputs[i]]->type;

        if (t->shape.rank == 4)
            add(ret, OWN, "", "image side", (double)t->shape.d[2]);
        else if (t->shape.rank == 2 && !ec_dtype_is_float(t->dtype))
            add(ret, OWN, "", "sequence length", (double)t->shape.d[1]);
    }
    for (i = 0; i < g->n_values; i++)
        if (g->values[i]->kind == EC_V_PARAM)
            params += ec_type_elems(&g->values[i]->type);
    add(ret, OWN, "", "parameters", params);
    add(ret, OWN, "", "operators", g->n_nodes);
    add_layers(ret, g);
    add_groups(ret, step, cond->layout);
    add_precision(ret, d, cond->precision);
    add_device(ret, d, "network");
}

static void group_text(const struct ec_fact_group *g, char ret[48])
{
    (void)snprintf(ret, 48, "%.30s %s%s%s", g->subject, g->kind, g->of ? " " : "",
                   g->of ? g->of : "");
}

static void quantity_text(const struct ec_fact *f, char ret[EC_QUANTITY_BYTES])
{
    (void)snprintf(ret, EC_QUANTITY_BYTES, "%s%.*s", f->before, f->name_len, f->name);
}

/* ------------------------------------------------------------------------------------------------
 * Ranges */

static int by_name(const void *a, const void *b)
{
    const struct ec_range *x = a, *y = b;
    int c = strcmp(x->group, y->group);

    return c ? c : strcmp(x->quantity, y->quantity);
}

/* What was written is in order already. */
static void sort(struct ec_domain *d)
{
    int i = 1;

    while (i < d->n && by_name(&d->v[i - 1], &d->v[i]) <= 0)
        i++;
    if (i < d->n)
        qsort(d->v, (size_t)d->n, sizeof *d->v, by_name);
}

static enum ec_status see(struct ec_domain *d, const struct ec_fact_group *g,
                          const struct ec_fact *f, struct ec_err *err)
{
    struct ec_range key, *r;

    group_text(g, key.group);
    quantity_text(f, key.quantity);
    r = d->n ? bsearch(&key, d->v, (size_t)d->n, sizeof *d->v, by_name) : NULL;
    if (r) {
        r->lo = fmin(r->lo, f->value);
        r->hi = fmax(r->hi, f->value);
        r->n++;
        assert(r->lo > 0 && r->lo <= r->hi);
        return EC_OK;
    }
    EC_PASS(ec_grow(&d->v, &d->cap, d->n + 1, sizeof *d->v, err));
    r = &d->v[d->n++];
    memset(r, 0, sizeof *r);
    memcpy(r->group, key.group, sizeof key.group);
    memcpy(r->quantity, key.quantity, sizeof key.quantity);
    r->lo = r->hi = f->value;
    r->n = 1;
    sort(d); /* there are few */
    return EC_OK;
}

enum ec_status ec_domain_see(struct ec_domain *d, const struct ec_facts *facts, struct ec_err *err)
{
    int i;

    for (i = 0; i < facts->n; i++) {
        EC_PASS(see(d, &facts->group[facts->v[i].group], &facts->v[i], err));
        if (facts->here.subject && facts->v[i].group == OWN)
            EC_PASS(see(d, &facts->here, &facts->v[i], err));
    }
    return EC_OK;
}

void ec_domain_print(struct ec_domain *d, struct ec_buf *out)
{
    int i;

    sort(d);
    ec_buf_str(out, HEADER "\n");
    for (i = 0; i < d->n; i++)
        ec_buf_printf(out, "%s,%s,%.6g,%.6g,%d\n", d->v[i].group, d->v[i].quantity, d->v[i].lo,
                      d->v[i].hi, d->v[i].n);
}

/* Returns the length of what was copied. */
static int copy_text(char *ret, size_t size, struct ec_span text)
{
    size_t len = text.len < size ? text.len : size - 1;

    memcpy(ret, text.p, len);
    ret[len] = '\0';
    return (int)len;
}

/* The text is the program's own: no cell is quoted. */
static bool read_row(struct ec_span line, struct ec_range *r)
{
    struct ec_span cell[5];
    int64_t n;
    int i;

    for (i = 0; i < EC_LEN(cell); i++)
        if (!ec_span_cut(&line, ',', &cell[i]))
            return false;
    if (line.p || !ec_parse_double(cell[2], &r->lo) || !ec_parse_double(cell[3], &r->hi) ||
        !ec_parse_int(cell[4], &n) || !(r->lo > 0) || !(r->hi >= r->lo) || n < 0 || n > INT_MAX)
        return false;
    r->n = (int)n;
    r->quantity_len = copy_text(r->quantity, sizeof r->quantity, cell[1]);
    return copy_text(r->group, sizeof r->group, cell[0]) && r->quantity_len;
}

/* Finds where each group begins; the ranges are sorted. */
static enum ec_status make_groups(struct ec_domain *d, struct ec_err *err)
{
    int i, cap = 0;

    for (i = 0; i < d->n; i++) {
        if (i == 0 || !ec_str_eq(d->v[i].group, d->v[i - 1].group)) {
            EC_PASS(ec_grow(&d->group, &cap, d->n_groups + 1, sizeof *d->group, err));
            d->group[d->n_groups++] = (struct ec_range_group){ i, 0, (int)strlen(d->v[i].group) };
        }
        d->group[d->n_groups - 1].n++;
        assert(i == 0 || by_name(&d->v[i - 1], &d->v[i]) <= 0); /* sorted */
    }
    return EC_OK;
}

enum ec_status ec_domain_parse(const char *text, size_t len, struct ec_domain *ret,
                               struct ec_err *err)
{
    struct ec_span rest = { text, len }, line;
    struct ec_domain d = { 0 };
    enum ec_status st;

    if (len > TEXT_MAX_BYTES)
        return ec_fail(err, EC_E_PARSE, "ranges of the fit: more than %zu bytes", TEXT_MAX_BYTES);
    if (!ec_span_cut(&rest, '\n', &line) || !ec_span_eq(line, HEADER))
        return ec_fail(err, EC_E_PARSE, "ranges of the fit: expected " HEADER);
    while (ec_span_cut(&rest, '\n', &line) && (line.len || rest.p)) {
        EC_TRY(ec_grow(&d.v, &d.cap, d.n + 1, sizeof *d.v, err));
        if (!read_row(line, &d.v[d.n++]))
            EC_TRY(ec_fail(err, EC_E_PARSE, "ranges of the fit: row %d is damaged", d.n));
    }
    sort(&d);
    EC_TRY(make_groups(&d, err));
    *ret = d;
    memset(&d, 0, sizeof d);
out:
    ec_domain_clear(&d);
    return st;
}

void ec_domain_clear(struct ec_domain *d)
{
    ec_free(d->v);
    ec_free(d->group);
    memset(d, 0, sizeof *d);
}

/* ------------------------------------------------------------------------------------------------
 * Extrapolation */

/* Whether `at` begins with the word; moves it behind the word. */
static bool leads(const char **at, const char *word, size_t len)
{
    bool yes = memcmp(*at, word, len) == 0;

    *at += len;
    return yes;
}

static const struct ec_range_group *find_group(const struct ec_domain *d,
                                               const struct ec_fact_group *g)
{
    size_t subject = strlen(g->subject), kind = strlen(g->kind), of = g->of ? strlen(g->of) : 0;
    int len = (int)(subject + 1 + kind + (g->of ? 1 + of : 0)), i;

    for (i = 0; i < d->n_groups; i++) {
        const char *at = d->v[d->group[i].first].group;

        if (d->group[i].name_len == len && leads(&at, g->subject, subject) && leads(&at, " ", 1) &&
            leads(&at, g->kind, kind) && (!g->of || (leads(&at, " ", 1) && leads(&at, g->of, of))))
            return &d->group[i];
    }
    return NULL;
}

static const struct ec_range *find(const struct ec_domain *d, const struct ec_range_group *g,
                                   const struct ec_fact *f)
{
    size_t before = strlen(f->before), name = (size_t)f->name_len;
    const struct ec_range *r = &d->v[g->first], *end = r + g->n;

    for (; r < end; r++)
        if (r->quantity_len == (int)(before + name) &&
            memcmp(r->quantity + before, f->name, name) == 0 &&
            memcmp(r->quantity, f->before, before) == 0)
            return r;
    return NULL;
}

static const char *kind_word(const struct ec_fact_group *g)
{
    static const struct {
        const char *key, *word;
    } kinds[] = {
        {"gpu",          "GPU"        },
        { "cpu",         "CPU"        },
        { "accelerator", "accelerator"}
    };
    int i;

    for (i = 0; i < EC_LEN(kinds); i++)
        if (ec_str_eq(g->kind, kinds[i].key))
            return kinds[i].word;
    return "device";
}

static void say_no_group(const struct ec_fact_group *g, struct ec_outside *ret)
{
    ret->log2_factor = EC_OUTSIDE_UNSEEN;
    ret->is_unseen = true;
    (void)snprintf(ret->text, sizeof ret->text,
                   "extrapolating: no %s was measured on any %s; the interval is a guess",
                   g->subject, kind_word(g));
}

/* A layer that no network had may have been measured alone: its kernels are known then. */
static bool is_known_alone(const struct ec_domain *d, const struct ec_fact_group *g,
                           const struct ec_fact *f)
{
    struct ec_fact_group alone = { f->name, g->kind, NULL };

    return ec_str_eq(f->before, "layer ") && find_group(d, &alone);
}

static void say_unseen(const struct ec_domain *d, const struct ec_fact_group *g,
                       const struct ec_fact *f, struct ec_outside *ret)
{
    ret->log2_factor = is_known_alone(d, g, f) ? EC_OUTSIDE_UNSEEN / 2 : EC_OUTSIDE_UNSEEN;
    ret->is_unseen = true;
    (void)snprintf(ret->text, sizeof ret->text,
                   "extrapolating: no %s with %s%.*s was measured on any %s", g->subject, f->before,
                   f->name_len, f->name, kind_word(g));
}

/* Whole numbers as they are, others with four digits; from a million on with an SI prefix. */
static void number(char out[32], double v)
{
    if (v >= 1e6)
        (void)ec_fmt_si(out, 32, v);
    else
        (void)ec_snprintf(out, 32, v == floor(v) ? "%.0f" : "%.4g", v);
}

static void say_beyond(const struct ec_fact_group *g, const struct ec_fact *f,
                       const struct ec_range *r, double factor, struct ec_outside *ret)
{
    bool above = f->value > r->hi;
    char value[32], bound[32];

    ret->log2_factor = log2(factor);
    ret->is_unseen = false;
    number(value, f->value);
    number(bound, above ? r->hi : r->lo);
    if (g->of && !ec_str_eq(g->subject, "device"))
        (void)ec_snprintf(ret->text, sizeof ret->text,
                          "extrapolating: %s %s is %.*fx %s any %s measured with %s on %s (%s)",
                          r->quantity, value, factor < 10, factor, above ? "above" : "below",
                          g->subject, g->kind, g->of, bound);
    else if (g->of)
        (void)ec_snprintf(ret->text, sizeof ret->text,
                          "extrapolating: %s, %s, is %.*fx %s any measured %s (%s)", r->quantity,
                          value, factor < 10, factor, above ? "above" : "below", kind_word(g),
                          bound);
    else
        (void)ec_snprintf(ret->text, sizeof ret->text,
                          "extrapolating: %s %s is %.*fx %s any %s measured on %ss (%s)",
                          r->quantity, value, factor < 10, factor, above ? "above" : "below",
                          g->subject, kind_word(g), bound);
}

/* So many rows with the framework on the product make a range. */
#define TELLING_ROWS 100

static bool is_beyond(const struct ec_fact_group *g, const struct ec_fact *f,
                      const struct ec_range *r, struct ec_outside *ret)
{
    double factor = fmax(f->value / r->hi, r->lo / f->value);

    if (factor > TOLERANCE)
        say_beyond(g, f, r, factor, ret);
    return factor > TOLERANCE;
}

/* Whether f is outside; ranges are those of its group. */
static bool is_outside(const struct ec_domain *d, const struct ec_range_group *ranges,
                       const struct ec_fact_group *g, const struct ec_fact *f,
                       struct ec_outside *ret)
{
    const struct ec_range *r = find(d, ranges, f);

    if (!r && g->of) /* the group of the operator or network has the note */
        return false;
    if (!r) {
        say_unseen(d, g, f, ret);
        return true;
    }
    return is_beyond(g, f, r, ret);
}

/* The same by what was measured with the framework on the product; *ret_told: it has a range. */
static bool is_outside_here(const struct ec_domain *d, const struct ec_range_group *ranges,
                            const struct ec_fact_group *g, const struct ec_fact *f, bool *ret_told,
                            struct ec_outside *ret)
{
    const struct ec_range *r = ranges ? find(d, ranges, f) : NULL;

    *ret_told = r && r->n >= TELLING_ROWS;
    return *ret_told && is_beyond(g, f, r, ret);
}

/* Insertion sort, largest first. It is stable, unlike qsort(): which notes are printed must not
 * depend on the C library. */
static void put_in_order(struct ec_outside *v, int n)
{
    int i, k;

    for (i = 1; i < n; i++) {
        struct ec_outside one = v[i];

        for (k = i; k > 0 && v[k - 1].log2_factor < one.log2_factor; k--)
            v[k] = v[k - 1];
        v[k] = one;
    }
}

int ec_domain_outside(const struct ec_domain *d, const struct ec_facts *facts,
                      struct ec_outside *ret, int max)
{
    const struct ec_range_group *ranges = NULL, *here = NULL;
    struct ec_outside all[EC_FACTS_MAX];
    int i, n = 0, group = -1;
    bool told;

    if (facts->here.subject)
        here = find_group(d, &facts->here);

    for (i = 0; i < facts->n; i++) {
        const struct ec_fact *f = &facts->v[i];
        const struct ec_fact_group *g = &facts->group[f->group];

        if (f->group != group) {
            group = f->group;
            ranges = find_group(d, g);
            if (!ranges && !g->of) /* once per group; a device's group needs no note of its own */
                say_no_group(g, &all[n++]);
        }
        n += is_outside_here(d, f->group == OWN ? here : NULL, &facts->here, f, &told, &all[n]);
        n += !told && ranges && is_outside(d, ranges, g, f, &all[n]);
    }
    put_in_order(all, n);
    for (i = 0; i < n && i < max; i++)
        ret[i] = all[i];
    return n;
}
