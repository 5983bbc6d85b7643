/* What every picture owes its reader: nothing outside, no text over another, ticks on the axis. */
#include "drawn.h"

#include "plot/plots.h"
TEST(every_kind_keeps_to_the_page_and_covers_no_text)
{
    struct ec_err err;
    char name[32];
    int i, width;

    for (i = 0; i < PLOTS; i++)
        for (width = 320; width <= 1400; width += 360) {
            struct ec_plot p = *plot_sample(i);
            struct ec_drawing d = { 0 };

            p.width_px = width;
            CHECK_OK(ec_plot_draw(&p, &d, &err));
            (void)snprintf(name, sizeof name, "plot %d", i);
            check_inside(&d, name);
            check_texts(&d, name);
            ec_drawing_clear(&d);
        }
}

/* Many names around a few places: some may be left out, none may lie over another. */
TEST(labels_of_a_crowd_never_overlap)
{
    enum { N = 120 };
    static char names[N][32];
    const char *labels[N];
    double x[N], y[N];
    struct ec_series s = { .n = N, .x = x, .y = y, .labels = labels, .marks = EC_MARK_POINT };
    struct ec_plot p = { .kind = EC_PLOT_XY, .title = "Crowd", .series = &s, .n_series = 1 };
    struct ec_drawing d = { 0 };
    struct ec_err err;
    int i, n = 0;

    for (i = 0; i < N; i++) {
        (void)snprintf(names[i], sizeof names[i], "network number %d", i);
        labels[i] = names[i];
        x[i] = i % 7 + 0.01 * i;
        y[i] = i % 5 + 0.01 * i;
    }
    CHECK_OK(ec_plot_draw(&p, &d, &err));
    check_inside(&d, "a crowd");
    check_texts(&d, "a crowd");
    for (i = 0; i < d.n; i++)
        n += d.items[i].role == EC_ROLE_LABEL;
    CHECK_INT(n + d.labels_left_out, N);
    CHECK(n > 30);
    ec_drawing_clear(&d);
}

TEST(labels_in_a_cloud_of_small_points_cover_none)
{
    enum { N = 400, NAMED = 8 };
    const char *labels[N];
    double x[N], y[N], text[4], mark[4];
    struct ec_series s = { .n = N, .x = x, .y = y, .labels = labels };
    struct ec_plot p = { .kind = EC_PLOT_XY, .series = &s, .n_series = 1 };
    struct ec_drawing d = { 0 };
    struct ec_err err;
    int i, k, n = 0, covered = 0;

    s.marks = EC_MARK_POINT | EC_MARK_SMALL;
    for (i = 0; i < N; i++) {
        labels[i] = i % (N / NAMED) ? "" : "network";
        x[i] = i % 20 + 0.02 * (i % 7);
        y[i] = i / 20 + 0.03 * (i % 5) + (i > N / 2 ? 20 : 0);
    }
    CHECK_OK(ec_plot_draw(&p, &d, &err));
    for (i = 0; i < d.n; i++) {
        if (d.items[i].role != EC_ROLE_LABEL)
            continue;
        n++;
        item_box(&d.items[i], text);
        for (k = 0; k < d.n; k++) {
            if (d.items[k].role != EC_ROLE_MARK)
                continue;
            item_box(&d.items[k], mark);
            covered += mark[0] < text[2] && mark[2] > text[0] && mark[1] < text[3] - 2 &&
                       mark[3] > text[1] + 2;
        }
    }
    CHECK_INT(covered, 0);
    CHECK(n > 0);
    ec_drawing_clear(&d);
}

TEST(points_out_of_range_or_unknown_are_left_out)
{
    const double x[] = { 1, 2, (double)NAN, 4, 0 }, y[] = { 1, (double)INFINITY, 3, 4, 5 };
    struct ec_series s = { .n = 5, .x = x, .y = y, .marks = EC_MARK_POINT };
    struct ec_plot p = { .series = &s, .n_series = 1, .x = { .log = true } };
    struct ec_drawing d = { 0 };
    struct ec_err err;
    int i, n = 0;

    CHECK_OK(ec_plot_draw(&p, &d, &err));
    for (i = 0; i < d.n; i++)
        n += d.items[i].kind == EC_ITEM_CIRCLE;
    CHECK_INT(n, 2);
    ec_drawing_clear(&d);
}

TEST(nothing_to_draw_is_said)
{
    const double x[] = { 1 }, y[] = { -1 };
    struct ec_series s = { .n = 1, .x = x, .y = y };
    struct ec_plot p = { .series = &s, .n_series = 1, .y = { .log = true } };
    struct ec_drawing d = { 0 };
    struct ec_err err;

    CHECK_FAILS(ec_plot_draw(&p, &d, &err), EC_E_INPUT, "no point has two usable numbers");
    p.n_series = 0;
    CHECK_FAILS(ec_plot_draw(&p, &d, &err), EC_E_INPUT, "no series");
    p.kind = EC_PLOT_BARS;
    p.n_series = 1;
    CHECK_FAILS(ec_plot_draw(&p, &d, &err), EC_E_INPUT, "no categories");
    p.width_px = 10;
    CHECK_FAILS(ec_plot_draw(&p, &d, &err), EC_E_INPUT, "width 10 px");
}

static enum ec_status draw_all(struct ec_err *err)
{
    enum ec_status st = EC_OK;
    int i;

    for (i = 0; i < PLOTS && !st; i++) {
        struct ec_drawing d = { 0 };
        struct ec_buf out = EC_BUF_INIT;

        st = ec_plot_draw(plot_sample(i), &d, err);
        if (!st)
            st = ec_drawing_svg(&d, "x", &out, err);
        ec_buf_clear(&out);
        ec_drawing_clear(&d);
    }
    return st;
}

TEST(running_out_of_memory_is_reported)
{
    CHECK_TORTURE(draw_all);
}
