/* Output of predict --explain: a line for each kind of kernel, whose factors multiply to its time,
 * and a paragraph for each stage. */
#include "cli/predict_cmd_internal.h"

#define NAME_WIDTH 11
#define TEXT_INDENT (NAME_WIDTH + 2)

static const char *fmt_factor(char *out, size_t size, double by)
{
    (void)ec_snprintf(out, size, "x%.3f", by);
    return out;
}

static double sum_of(const double *kind_ns)
{
    double sum = 0;
    int i;

    for (i = 0; i < EC_KCLASS_COUNT; i++)
        sum += kind_ns[i];
    return sum;
}

/* The stages that change kernels, in their order: columns. */
static int columns_of(const struct ec_explanation *why,
                      const struct ec_explained *ret[EC_EXPLAINED_MAX])
{
    int i, n = 0;

    for (i = 0; i < why->n; i++)
        if (why->row[i].timed && sum_of(why->row[i].kind_ns) > 0)
            ret[n++] = &why->row[i];
    return n;
}

/* The time of the first column, the factors of the following columns, and their product. */
static void times(const struct ec_explained *const *col, int n, int kind, struct ec_buf *out)
{
    double before = 0, now = 0;
    char text[32];
    int i;

    for (i = 0; i < n; i++) {
        now = kind < 0 ? sum_of(col[i]->kind_ns) : col[i]->kind_ns[kind];
        ec_buf_printf(out, " %10s",
                      i ? fmt_factor(text, sizeof text, before > 0 ? now / before : 1)
                        : ec_fmt_ns(text, sizeof text, now));
        before = now;
    }
    ec_buf_printf(out, " %11s\n", ec_fmt_ns(text, sizeof text, now));
}

static void header(const struct ec_explained *const *col, int n, struct ec_buf *out)
{
    int i;

    ec_buf_printf(out, "  %-*s %8s %8s", NAME_WIDTH, "kernels", "launches", "FLOP");
    for (i = 0; i < n; i++)
        ec_buf_printf(out, " %10s", col[i]->stage);
    ec_buf_printf(out, " %11s\n", "= time");
}

/* launches: 0 where the line has none. */
static void beside(struct ec_buf *out, const char *name, double launches, double ns, int width)
{
    char number[32], text[32];

    if (ns > 0)
        ec_buf_printf(out, "  %-*s %8s%*s\n", NAME_WIDTH, name,
                      launches > 0 ? ec_fmt_si(number, sizeof number, launches) : "", width,
                      ec_fmt_ns(text, sizeof text, ns));
}

static void kernel_lines(const struct ec_explanation *why, bool is_op, struct ec_buf *out)
{
    const struct ec_explained *col[EC_EXPLAINED_MAX];
    int n = columns_of(why, col), width = 9 + 11 * n + 12, i;
    char number[32], flop[32];

    if (!n)
        return;
    header(col, n, out);
    for (i = 0; i < EC_KCLASS_COUNT; i++) {
        if (!(col[n - 1]->kind_ns[i] > 0))
            continue;
        ec_buf_printf(out, "  %-*s %8s %8s", NAME_WIDTH, ec_kclass_name((enum ec_kclass)i),
                      ec_fmt_si(number, sizeof number, why->launches[i]),
                      ec_fmt_si(flop, sizeof flop, why->flop[i]));
        times(col, n, i, out);
    }
    ec_buf_printf(out, "  %-*s %8s %8s", NAME_WIDTH, "all kinds", "", "");
    times(col, n, -1, out);
    beside(out, "+ casts", why->issued - sum_of(why->launches), why->cast_ns, width);
    beside(out, is_op ? "+ call" : "+ gaps", why->issued, why->gap_ns, width);
    beside(out, is_op ? "time" : "device", 0, why->device_ns, width);
    ec_buf_char(out, '\n');
}

void ec__predict_explain(const struct predict_cmd_opts *o, const struct answer *a,
                         struct ec_buf *out)
{
    const struct ec_explanation *why = a->why;
    int i;

    if (!why)
        return;
    ec_buf_printf(out, "\nHow the time on %s is computed, stage by stage (docs/time-model.md)\n\n",
                  a->device);
    kernel_lines(why, o->op != NULL, out);
    for (i = 0; i < why->n; i++) {
        const struct ec_explained *e = &why->row[i];
        size_t start = out->len;

        ec_buf_printf(out, "  %-*s", NAME_WIDTH, e->stage);
        ec_help_wrap(out, start, e->text, TEXT_INDENT);
    }
}
