/* Measured layers in a report: the time of each operator by phase, and its place under the measured
 * roofs. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cost/cost.h"
#include "report/operators.h"
#include "report/results_internal.h"

/* Layers with a lower intensity (FLOP per byte) mainly move data. They are left out of the
 * roofline, which they would widen. */
#define INTENSITY_MIN 0.01
#define PRECISIONS_MAX 8

struct roof {
    char precision[32];
    double flop_per_s;
};

struct layers {
    struct ec__results *r;
    struct ec_operator_times of;
    int n_roofs;
    struct roof roof[PRECISIONS_MAX];  /* the best arithmetic of each precision */
    double largest_bytes, bytes_per_s; /* of the largest copy; 0: none was measured */
};

static enum ec_status take_layer(void *user, const struct ec_record *row, struct ec_err *err)
{
    struct layers *l = user;

    return ec_operator_times_add(&l->of, row, err);
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

enum { LINES_SHOWN = 24 };

static enum ec_status add_table(struct layers *l, const char *name)
{
    const char *caption = ec__results_text(
        l->r, "%s: phases of single layers by operator, those that take longest together first.",
        name);
    struct ec_table t = { 0 };
    enum ec_status st;
    int n = 0;

    EC_TRY(ec_operator_times_table(&l->of, LINES_SHOWN, &n, &t, l->r->err));
    if (n > LINES_SHOWN)
        caption = ec__results_text(l->r, "%s The first %d of %d.", caption, (int)LINES_SHOWN, n);
    ec_document_table(&l->r->doc, &t, caption, NULL);
out:
    ec_table_clear(&t);
    return st;
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
    for (i = 0; i < l->of.n; i++) {
        const struct ec_operator_time *v = &l->of.v[i];
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
    const char *file = ec__results_text(l->r, "roofline-%s", word);
    struct ec_buf text = EC_BUF_INIT;
    struct ec_csv csv = { 0 };
    struct ec_picture p;
    enum ec_status st;
    int n = 0, left_out = 0;

    EC_TRY(points_csv(l, &text, &n, &left_out));
    if (!n)
        goto out;
    EC_TRY(ec__results_parsed(l->r, file, &text, &csv));
    EC_TRY(ec_picture_find("roofline", &p, l->r->err));
    p.title = "Single layers under the roofs";
    p.subtitle = ec__results_text(l->r, "%s: %d phases", name, n);
    if (left_out)
        p.subtitle = ec__results_text(l->r, "%s; %d more hardly compute: below %g FLOP/byte",
                                      p.subtitle, left_out, INTENSITY_MIN);
    p.help = "what single layers reach, and the roofs that were measured";
    EC_TRY(ec__results_picture(l->r, &p, &csv, ec__results_text(l->r, "layers-%.60s", word),
                               ec__results_command(l->r, "plot roofline", file)));
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
    struct layers l = { .r = r, .of = { .a = r->a } };
    struct ec_table_given given;
    char many[32], left[32];
    enum ec_status st;
    int i;

    given = ec__results_given(r, path);
    EC_TRY(ec_records_each(&given, take_layer, &l, r->err));
    for (i = 0; i < r->n_ceiling_files; i++) {
        given.path = r->ceiling_files[i];
        if (same_folder(given.path, path))
            EC_TRY(ec_records_each(&given, take_roof, &l, r->err));
    }
    if (!l.of.n)
        goto out;
    ec_document_heading(&r->doc, 2, ec__results_text(r, "Single layers: %s", name));
    ec_document_text(&r->doc,
                     "%s times of single layers, their phases apart; %s more rows are updates or "
                     "have no time. FLOP and bytes are those of their kernels, without caches "
                     "between them: layers that fit into caches stand above the roof of memory.",
                     ec_fmt_thousands(many, sizeof many, l.of.n),
                     ec_fmt_thousands(left, sizeof left, l.of.n_unused));
    EC_TRY(add_table(&l, name));
    EC_TRY(add_picture(&l, name, word));
    r->done.n_tables++;
out:
    ec_operator_times_clear(&l.of);
    return st;
}

enum ec_status ec__results_layers(struct ec__results *r)
{
    int i;

    for (i = 0; i < r->n_layer_files; i++) {
        ec__results_tell(r, "drawing ", ec__results_name(r, r->layer_files[i]));
        EC_PASS(section(r, r->layer_files[i]));
    }
    return EC_OK;
}
