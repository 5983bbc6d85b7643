/* The picture of epochcast trace: the parts of the median step, measured and predicted. */
#include "cli/trace_internal.h"
#include "plot/plot.h"

#include <math.h>

#define SHOWN_FROM 0.005 /* of a step */

struct parts {
    const char *name[EC_TRACE_KINDS_MOST + EC_TRACE_PARTS];
    double measured_ns[EC_TRACE_KINDS_MOST + EC_TRACE_PARTS];
    double predicted_ns[EC_TRACE_KINDS_MOST + EC_TRACE_PARTS];
    int n;
};

static void add(struct parts *p, const char *name, double measured_ns, double predicted_ns)
{
    p->name[p->n] = name;
    p->measured_ns[p->n] = measured_ns;
    p->predicted_ns[p->n++] = predicted_ns;
}

/* Computing by its kinds, then the other parts. */
static void collect(const struct ec_traced *f, struct parts *p)
{
    const struct ec_trace_step *s = ec_trace_median(&f->steps);
    double least = SHOWN_FROM * ec_trace_step_ns(s);
    struct ec_trace_share kind[EC_TRACE_KINDS_MOST];
    int n = ec_trace_by_kind(&f->steps, &f->ops, kind), i;

    for (i = 0; i < n; i++)
        if (kind[i].ns > least)
            add(p, kind[i].kind, kind[i].ns,
                kind[i].is_predicted ? kind[i].predicted_ns : (double)NAN);
    for (i = EC_TRACE_PART_compute + 1; i < EC_TRACE_PARTS; i++)
        if (s->part_ns[i] > least)
            add(p, ec_trace_part_labels[i], s->part_ns[i], (double)NAN);
}

enum ec_status ec__trace_picture(const struct ec_traced *f, const char *path, struct ec_err *err)
{
    const struct ec_trace_step *s = ec_trace_median(&f->steps);
    struct parts p = { .n = 0 };
    struct ec_series series[] = { { .name = "measured" }, { .name = "predicted" } };
    struct ec_plot plot = {
        .kind = EC_PLOT_BARS,
        .y = {.title = "time in a step", .form = EC_AXIS_NS},
        .categories = p.name,
        .series = series,
        .n_series = f->device ? 2 : 1
    };
    char title[160], step[32];
    struct ec_drawing d = { 0 };
    enum ec_status st;

    collect(f, &p);
    series[0].y = p.measured_ns;
    series[1].y = p.predicted_ns;
    series[0].n = series[1].n = plot.n_categories = p.n;
    (void)ec_snprintf(title, sizeof title, "Where a step of %s goes%s%s",
                      ec_fmt_ns(step, sizeof step, ec_trace_step_ns(s)), f->device ? ", " : "",
                      f->device ? f->device : "");
    plot.title = title;
    EC_TRY(ec_plot_draw(&plot, &d, err));
    EC_TRY(ec_drawing_write(&d, path, err));
out:
    ec_drawing_clear(&d);
    return st;
}
