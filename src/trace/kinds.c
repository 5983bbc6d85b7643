/* data/kernels.csv: what kind of work a kernel is, by its name alone. */
#include "trace/operators.h"

#include <stdlib.h>
#include <string.h>

#include "kernels_file.h"

EC_EMBED(kernels, EC_KERNELS_FILE);

#define TILE_LEAST 16 /* of the first number of a tile; smaller ones are sizes of filters */

enum ec_status ec__kernels_read(struct ec_csv *ret, struct ec_err *err)
{
    return ec_csv_parse(ec__kernels_begin, (size_t)(ec__kernels_end - ec__kernels_begin), ret, err);
}

enum { NAME, KIND, MEANS };

/* The first row that fits: of precisions, or of the others. -1: none. */
static int row_of(const struct ec_csv *rows, const char *name, bool of_precision)
{
    int i;

    for (i = 0; i < rows->n_rows; i++)
        if (ec_str_eq(ec_csv_cell(rows, i, KIND), "precision") == of_precision &&
            ec_str_glob(ec_csv_cell(rows, i, NAME), name))
            return i;
    return -1;
}

/* "_192x208_64x4_" -> "192x208"; empty where the name has none. */
static struct ec_span tile_of(const char *name)
{
    static const char digits[] = "0123456789";
    const char *p = name;

    while (*(p += strcspn(p, digits))) {
        size_t first = strspn(p, digits), len = first;
        int64_t v;

        while (p[len] == 'x' && strspn(p + len + 1, digits))
            len += 1 + strspn(p + len + 1, digits);
        if (len > first && ec_parse_int((struct ec_span){ p, first }, &v) && v >= TILE_LEAST)
            return (struct ec_span){ p, len };
        p += first;
    }
    return (struct ec_span){ p, 0 };
}

const char *ec__kernel_kind(const struct ec_csv *rows, const char *name)
{
    int row = row_of(rows, name, false);

    return row < 0 ? "other" : ec_csv_cell(rows, row, KIND);
}

void ec__kernel_label(const struct ec_csv *rows, const char *name, struct ec_buf *out)
{
    int row = row_of(rows, name, false), precision = row_of(rows, name, true);
    const char *kind = ec__kernel_kind(rows, name), *means;
    const char *plain = name + (ec_str_starts(name, "void ") ? strlen("void ") : 0);
    struct ec_span tile = tile_of(name);

    means = row < 0 ? "@" : ec_csv_cell(rows, row, MEANS);
    ec_buf_str(out, kind);
    if (ec_str_eq(means, "@"))
        ec_buf_printf(out, " %.*s", (int)strcspn(plain, "<("), plain);
    else if (*means)
        ec_buf_printf(out, " %s", means);
    if (precision >= 0)
        ec_buf_printf(out, " %s", ec_csv_cell(rows, precision, MEANS));
    if (tile.len && (ec_str_eq(kind, "product") || ec_str_eq(kind, "convolution")))
        ec_buf_printf(out, " %.*s", (int)tile.len, tile.p);
}

static int by_time(const void *a, const void *b)
{
    const struct ec_trace_share *x = a, *y = b;

    return x->ns != y->ns ? (x->ns > y->ns ? -1 : 1) : strcmp(x->kind, y->kind);
}

int ec_trace_by_kind(const struct ec_trace_steps *s, const struct ec_trace_ops *o,
                     struct ec_trace_share ret[EC_TRACE_KINDS_MOST])
{
    double all = 0, times;
    int n = 0, i, k;

    for (i = 0; i < o->n_calls; i++) {
        const struct ec_trace_call *c = &o->call[i];
        const struct ec_trace_op *op = &o->v[c->op];
        bool is_predicted = op->mapped == EC_TRACE_MAPPED && op->predicted_ns.p50 > 0;

        for (k = 0; k < n && !ec_str_eq(ret[k].kind, op->kind); k++)
            continue;
        if (k == EC_TRACE_KINDS_MOST)
            continue;
        if (k == n)
            ret[n++] = (struct ec_trace_share){ op->kind, 0, 0, false };
        ret[k].ns += c->ns;
        ret[k].predicted_ns += is_predicted ? op->predicted_ns.p50 : c->ns;
        ret[k].is_predicted |= is_predicted;
        all += c->ns;
    }
    times = all > 0 ? ec_trace_median(s)->part_ns[EC_TRACE_PART_compute] / all : 1;
    for (i = 0; i < n; i++) {
        ret[i].ns *= times;
        ret[i].predicted_ns *= times;
    }
    if (n)
        qsort(ret, (size_t)n, sizeof *ret, by_time);
    return n;
}
