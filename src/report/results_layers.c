/* Measured layers in a report: the time of each operator by phase, and its place under the measured
 * roofs. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cost/cost.h"
#include "report/results_internal.h"

/* Layers with a lower intensity (FLOP per byte) mainly move data. They are left out of the
 * roofline, which they would widen. */
#define INTENSITY_MIN 0.01
#define PRECISIONS_MAX 8

struct layer {
    const char *op, *phase, *device, *precision;
    double ns, flop, bytes;
};

struct roof {
    char precision[32];
    double flop_per_s;
};

struct layers {
    struct ec__results *r;
    struct layer *v;
    int n, cap, n_unused, n_roofs;
    struct roof roof[PRECISIONS_MAX];  /* the best arithmetic of each precision */
    double largest_bytes, bytes_per_s; /* of the largest copy; 0: none was measured */
};

/* FLOP and bytes of the operator in the phase; false: unknown. */
static bool count(const struct ec_record *r, double elem_bytes, struct layer *ret)
{
    struct ec_owned_case c = { 0 };
    struct ec_step step = { 0 };
    int i;

    if (r->phase == EC_UPDATE || (r->phase < 0 && r->cond.mode == EC_MODE_FORWARD))
        return false;
    if (ec_case_parse(r->what, &c, NULL))
        return false;
    ret->op = c.c.op->name;
    if (ec_step_of_case(&c.c, r->phase, EC_MODE_FORWARD_BACKWARD, &step, NULL))
        step.n = 0;
    for (i = 0; i < step.n; i++) {
        const struct ec_kernel *k = &step.kernel[i];

        ret->flop += k->flop;
        ret->bytes += ec_kernel_bytes(k, elem_bytes);
    }
    ec_step_clear(&step);
    ec_case_clear(&c);
    return i > 0;
}

static enum ec_status take_layer(void *user, const struct ec_record *row, struct ec_err *err)
{
    const char *precision = ec_record_word(row, EC_WORD_PRECISION);
    struct layer v = { .ns = ec_str_eq(row->outcome, "ok") ? row->time.ns : 0 };
    struct layers *l = user;
    enum ec_status st;

    if (row->kind != EC_KIND_operator || (*row->method && !ec_str_eq(row->method, "separated")))
        return EC_OK;
    if (!(v.ns > 0) || !count(row, ec_precision_word_bytes(precision), &v)) {
        l->n_unused++;
        return EC_OK;
    }
    v.phase = ec_arena_str(l->r->a, ec_record_phase(row));
    v.device = ec_arena_str(l->r->a, row->device);
    v.precision = ec_arena_str(l->r->a, precision);
    if (!v.phase || !v.device || !v.precision)
        return ec_nomem(err);
    st = ec_grow(&l->v, &l->cap, l->n + 1, sizeof *l->v, err);
    if (!st)
        l->v[l->n++] = v;
    return st;
}

static struct roof *roof_named(struct layers *l, const char *precision)
{
    int i;

    for (i = 0; i < l->n_roofs; i++)
        if (ec_str_eq(l->roof[i].precision, precision))
            return &l->roof[i];
    return NULL;
}

/* The precision of products: under autocast that of halves. */
static struct roof *roof_of(struct layers *l, const char *precision)
{
    struct roof *half = ec_str_eq(precision, "amp") ? roof_named(l, "fp16") : NULL;

    if (half)
        return half;
    return roof_named(l, ec_str_eq(precision, "amp") ? "bf16" : precision);
}

/* The best rate of arithmetic, and the rate of the largest copy, bytes read and written. */
static enum ec_status take_roof(void *user, const struct ec_record *row, struct ec_err *err)
{
    const char *precision = ec_record_word(row, EC_WORD_PRECISION);
    struct layers *l = user;
    struct roof *roof = roof_named(l, precision);
    double bytes, flop, ns = row->time.ns;

    (void)err;
    if (row->kind != EC_KIND_ceiling || !(ns > 0) || !ec_str_eq(row->outcome, "ok"))
        return EC_OK;
    ec_ceiling_work(row->what, &flop, &bytes);
    if (flop > 0 && !roof && l->n_roofs < PRECISIONS_MAX) {
        roof = &l->roof[l->n_roofs++];
        (void)snprintf(roof->precision, sizeof roof->precision, "%s", precision);
    }
    if (flop > 0 && roof)
        roof->flop_per_s = fmax(roof->flop_per_s, flop / ns * 1e9);
    if (bytes > l->largest_bytes) {
        l->largest_bytes = bytes;
        l->bytes_per_s = 2 * bytes / ns * 1e9;
    }
    return EC_OK;
}

/* ------------------------------------------------------------------------------------------------
 * The table: a line for each phase of each operator, the longest together first */

/* clang-format off */
static const struct ec_col cols[] = {
    { .key = "op", .title = "operator" },
    { .key = "phase", .title = "phase" },
    { .key = "layers", .title = "layers", .format = EC_COL_PLAIN },
    { .key = "shortest_ns", .title = "shortest", .format = EC_COL_NS },
    { .key = "median_ns", .title = "median", .format = EC_COL_NS,
      .flags = EC_COL_AS_BEFORE },
    { .key = "longest_ns", .title = "longest", .format = EC_COL_NS,
      .flags = EC_COL_AS_BEFORE },
    { .key = "flop_per_s", .title = "median FLOP/s", .format = EC_COL_SI },
    { .key = "bytes_per_s", .title = "median bytes/s", .format = EC_COL_SI },
};
/* clang-format on */

enum { LINES_SHOWN = 24 };

struct line {
    const struct layer *first;
    int n;
    double total_ns;
};

static bool same_kind(const struct layer *a, const struct layer *b)
{
    return ec_str_eq(a->op, b->op) && ec_str_eq(a->phase, b->phase);
}

static int find_lines(const struct layers *l, struct line *line)
{
    int n = 0, i, k;

    for (i = 0; i < l->n; i++) {
        for (k = 0; k < n && !same_kind(line[k].first, &l->v[i]); k++)
            continue;
        if (k == n)
            line[n++] = (struct line){ &l->v[i], 0, 0 };
        line[k].n++;
        line[k].total_ns += l->v[i].ns;
    }
    for (i = 1; i < n; i++)
        for (k = i; k > 0 && line[k].total_ns > line[k - 1].total_ns; k--) {
            struct line moved = line[k];

            line[k] = line[k - 1];
            line[k - 1] = moved;
        }
    return n;
}

static void add_line(const struct layers *l, const struct line *line, double *room,
                     struct ec_table *t)
{
    double *ns = room, *flop = room + l->n, *bytes = room + 2 * l->n;
    int i, n = 0;

    for (i = 0; i < l->n; i++) {
        if (!same_kind(&l->v[i], line->first))
            continue;
        ns[n] = l->v[i].ns;
        flop[n] = l->v[i].flop / l->v[i].ns * 1e9;
        bytes[n++] = l->v[i].bytes / l->v[i].ns * 1e9;
    }
    ec_table_row(t, ec_text(line->first->op), ec_text(line->first->phase), ec_int(n),
                 ec_num(ec_quantile_inplace(ns, n, 0)), ec_num(ec_quantile_inplace(ns, n, 0.5)),
                 ec_num(ec_quantile_inplace(ns, n, 1)), ec_num(ec_quantile_inplace(flop, n, 0.5)),
                 ec_num(ec_quantile_inplace(bytes, n, 0.5)));
}

static enum ec_status add_table(struct layers *l, const char *name)
{
    struct line *line = ec_arena_alloc(l->r->a, sizeof *line * (size_t)l->n);
    double *room = ec_arena_alloc(l->r->a, sizeof *room * 3 * (size_t)l->n);
    const char *caption = ec_arena_printf(
        l->r->a, "%s: phases of single layers by operator, those that take longest together first.",
        name);
    struct ec_table t;
    int i, n;

    if (!line || !room || !caption)
        return ec_nomem(l->r->err);
    n = find_lines(l, line);
    if (n > LINES_SHOWN)
        caption = ec_arena_printf(l->r->a, "%s The first %d of %d.", caption, (int)LINES_SHOWN, n);
    if (!caption)
        return ec_nomem(l->r->err);
    ec_table_init(&t, cols, EC_LEN(cols));
    for (i = 0; i < n && i < LINES_SHOWN; i++)
        add_line(l, &line[i], room, &t);
    ec_document_table(&l->r->doc, &t, caption, NULL);
    ec_table_clear(&t);
    return EC_OK;
}

/* ------------------------------------------------------------------------------------------------
 * The roofline */

static void put(struct ec_buf *out, double v)
{
    if (v > 0)
        ec_buf_printf(out, ",%.6g", v);
    else
        ec_buf_char(out, ',');
}

/* Layers at a precision without measured products have no roof. */
static enum ec_status points_csv(struct layers *l, struct ec_buf *out, int *ret_n,
                                 int *ret_left_out)
{
    int i;

    *ret_n = *ret_left_out = 0;
    ec_buf_str(out, "device,op,phase,precision,arithmetic_flop_per_byte,achieved_flop_per_s,"
                    "peak_flop_per_s,memory_bytes_per_s,kind,label\n");
    for (i = 0; i < l->n; i++) {
        const struct layer *v = &l->v[i];
        const struct roof *roof = roof_of(l, v->precision);

        if (!(v->flop > INTENSITY_MIN * v->bytes && v->bytes > 0)) {
            ++*ret_left_out;
            continue;
        }
        ++*ret_n;
        ec_csv_put(out, v->device);
        ec_buf_printf(out, ",%s,%s,%s", v->op, v->phase, v->precision);
        put(out, v->flop / v->bytes);
        put(out, v->flop / v->ns * 1e9);
        put(out, roof ? roof->flop_per_s : 0);
        put(out, l->bytes_per_s);
        ec_buf_str(out, ",measured,\n");
    }
    return ec_buf_status(out, l->r->err);
}

static enum ec_status add_picture(struct layers *l, const char *name, const char *word)
{
    const char *file = ec_arena_printf(l->r->a, "roofline-%s", word);
    const char *command =
        ec__results_command(l->r, "plot roofline", ec_arena_printf(l->r->a, "roofline-%s", word));
    struct ec_buf text = EC_BUF_INIT;
    struct ec_csv csv = { 0 };
    struct ec_picture p;
    enum ec_status st;
    int n = 0, left_out = 0;

    if (!file || !command)
        return ec_nomem(l->r->err);
    EC_TRY(points_csv(l, &text, &n, &left_out));
    if (!n)
        goto out;
    EC_TRY(ec__results_file(l->r, file, &text));
    EC_TRY(ec_csv_parse(ec_buf_text(&text), text.len, &csv, l->r->err));
    EC_TRY(ec_picture_find("roofline", &p, l->r->err));
    p.title = "Single layers under the roofs";
    p.subtitle = ec_arena_printf(l->r->a, "%s: %d phases", name, n);
    if (left_out && p.subtitle)
        p.subtitle = ec_arena_printf(l->r->a, "%s; %d more hardly compute: below %g FLOP/byte",
                                     p.subtitle, left_out, INTENSITY_MIN);
    if (!p.subtitle)
        EC_TRY(ec_nomem(l->r->err));
    p.help = "what single layers reach, and the roofs that were measured";
    EC_TRY(ec__results_picture(l->r, &p, &csv, ec_arena_printf(l->r->a, "layers-%.60s", word),
                               command));
out:
    ec_csv_clear(&csv);
    ec_buf_clear(&text);
    return st;
}

/* Ceilings apply to the devices of their folder. */
static bool same_folder(const char *a, const char *b)
{
    const char *slash = strrchr(a, '/');
    size_t len = slash ? (size_t)(slash - a) : 0;

    return slash && !strncmp(a, b, len) && b[len] == '/' && !strchr(b + len + 1, '/');
}

static enum ec_status section(struct ec__results *r, const char *path)
{
    const char *name = ec__results_name(r, path), *word = ec__results_word(r, name);
    struct layers l = { .r = r };
    struct ec_table_given given;
    char many[32], left[32];
    enum ec_status st;
    int i;

    if (!word)
        return ec_nomem(r->err);
    given = ec__results_given(r, path);
    EC_TRY(ec_records_each(&given, take_layer, &l, r->err));
    for (i = 0; i < r->n_ceiling_files; i++) {
        given.path = r->ceiling_files[i];
        if (same_folder(given.path, path))
            EC_TRY(ec_records_each(&given, take_roof, &l, r->err));
    }
    if (!l.n)
        goto out;
    ec_document_heading(&r->doc, 2, ec_arena_printf(r->a, "Single layers: %s", name));
    ec_document_text(&r->doc,
                     "%s times of single layers, their phases apart; %s more rows are updates or "
                     "have no time. FLOP and bytes are those of their kernels, without caches "
                     "between them: layers that fit into caches stand above the roof of memory.",
                     ec_fmt_thousands(many, sizeof many, l.n),
                     ec_fmt_thousands(left, sizeof left, l.n_unused));
    EC_TRY(add_table(&l, name));
    EC_TRY(add_picture(&l, name, word));
    r->done.n_tables++;
out:
    ec_free(l.v);
    return st;
}

enum ec_status ec__results_layers(struct ec__results *r)
{
    enum ec_status st = EC_OK;
    int i;

    for (i = 0; i < r->n_layer_files && !st; i++) {
        ec__results_tell(r, "drawing ", ec__results_name(r, r->layer_files[i]));
        st = section(r, r->layer_files[i]);
    }
    return st;
}
