/* What stands in a picture is what stands in its table: points in series, their middles, bars and
 * their order, cells of a heat map, and marks inside the axes. */
#include "drawn.h"
#include "numbers.h"

#include "report/picture_internal.h"
#include "report/report.h"

#define ROWS 120

struct row {
    int env, model, batch;
    double rate;
};

static void draw_rows(uint64_t seed, struct row *ret, struct ec_csv *t)
{
    struct ec_buf text = EC_BUF_INIT;
    struct ec_rng rng;
    struct ec_err err;
    int i;

    ec_rng_seed(&rng, seed);
    ec_buf_str(&text, "env,model,batch_size,images_per_s\n");
    for (i = 0; i < ROWS; i++) {
        ret[i] = (struct row){ (int)(ec_rng_next(&rng) % 3), (int)(ec_rng_next(&rng) % 4),
                               8 << (ec_rng_next(&rng) % 3), 1 + 999 * ec_rng_unit(&rng) };
        ec_buf_printf(&text, "e%d,m%d,%d,%.17g\n", ret[i].env, ret[i].model, ret[i].batch,
                      ret[i].rate);
    }
    CHECK_OK(ec_csv_parse(ec_buf_text(&text), text.len, t, &err));
    ec_buf_clear(&text);
}

/* Rates of the rows of a curve at a batch; env, model, batch < 0: any. */
static int rates_of(const struct row *v, int env, int model, int batch, double *ret)
{
    int i, n = 0;

    for (i = 0; i < ROWS; i++)
        if ((env < 0 || v[i].env == env) && (model < 0 || v[i].model == model) &&
            (batch < 0 || v[i].batch == batch))
            ret[n++] = v[i].rate;
    return n;
}

/* --- Points --- */

/* Each row is a point; merged, each place of each curve is the median of its rows. */
TEST(curves_are_medians_of_their_rows)
{
    const struct ec_picture p = {
        .form = EC_PICTURE_LINE, .x = "batch_size", .y = "images_per_s", .group = "env,model"
    };
    uint64_t seed;

    for (seed = 1; seed < 10; seed++) {
        struct row v[ROWS];
        struct ec__points pts;
        struct ec_csv t;
        struct ec_err err;
        int i, k, sum = 0;

        draw_rows(seed, v, &t);
        CHECK_OK(ec__points_read(&p, &t, &pts, &err));
        CHECK_INT(pts.n, ROWS);
        CHECK_OK(ec__points_merge(&pts, false, &err));
        for (i = 0; i < pts.n; i++) {
            const struct ec__point *q = &pts.v[i];
            const char *name = pts.series.name[q->series];
            double rates[ROWS];
            int n = rates_of(v, name[1] - '0', name[5] - '0', (int)q->x, rates);

            sum += n;
            CHECK(n > 0);
            CHECK_NEAR(q->y, quantile_of(rates, n, 0.5), 1e-9);
            if (n > 1) {
                CHECK_NEAR(q->lo, quantile_of(rates, n, 0.05), 1e-9);
                CHECK_NEAR(q->hi, quantile_of(rates, n, 0.95), 1e-9);
                CHECK(q->lo <= q->y && q->y <= q->hi);
            }
            for (k = 0; k < i; k++) /* one point at each place */
                CHECK(pts.v[k].series != q->series || fabs(pts.v[k].x - q->x) > 0);
        }
        CHECK_INT(sum, ROWS);
        ec__points_clear(&pts);
        ec_csv_clear(&t);
    }
}

/* `where` takes rows and changes none. */
TEST(rows_that_are_asked_for)
{
    static const struct {
        const char *where;
        int env, batch;
    } rows[] = {
        {"env=e1",               1,  -1},
        { "batch_size=16",       -1, 16},
        { "env=e2,batch_size=8", 2,  8 },
        { "env=E?,none?=x",      -1, -1},
        { "env=*",               -1, -1},
    };
    struct row v[ROWS];
    struct ec_csv t;
    int i;

    draw_rows(4, v, &t);
    for (i = 0; i < EC_LEN(rows); i++) {
        const struct ec_picture p = { .form = EC_PICTURE_SCATTER,
                                      .x = "batch_size",
                                      .y = "images_per_s",
                                      .where = rows[i].where };
        struct ec__points pts;
        double rates[ROWS];
        struct ec_err err;
        int k, n = rates_of(v, rows[i].env, -1, rows[i].batch, rates);

        CHECK_OK(ec__points_read(&p, &t, &pts, &err));
        CHECK_INT(pts.n, n);
        for (k = 0; k < pts.n && k < n; k++)
            CHECK_NEAR(pts.v[k].y, rates[k], 1e-12);
        ec__points_clear(&pts);
    }
    ec_csv_clear(&t);
}

TEST(what_is_asked_for_wrongly_is_said)
{
    static const struct {
        const char *where, *says;
    } rows[] = {
        {"env",      "\"env\": expected column=pattern"                 },
        { "enw=e1",  "the table has no column \"enw\""                  },
        { "env=e9",  "no row has numbers in batch_size and images_per_s"},
        { ",env=e1", "expected column=pattern"                          },
    };
    struct row v[ROWS];
    struct ec_csv t;
    int i;

    draw_rows(4, v, &t);
    for (i = 0; i < EC_LEN(rows); i++) {
        const struct ec_picture p = { .form = EC_PICTURE_SCATTER,
                                      .x = "batch_size",
                                      .y = "images_per_s",
                                      .where = rows[i].where };
        struct ec__points pts;
        struct ec_err err;

        CHECK_FAILS(ec__points_read(&p, &t, &pts, &err), EC_E_INPUT, rows[i].says);
    }
    ec_csv_clear(&t);
}

/* --- Drawings --- */

static bool has_text(const struct ec_drawing *d, enum ec_item_role role, const char *text)
{
    int i;

    for (i = 0; i < d->n; i++)
        if (d->items[i].role == role && d->items[i].text && ec_str_eq(d->items[i].text, text))
            return true;
    return false;
}

/* Where the text begins in the picture; not finite: it is not there. */
static double place_of(const struct ec_drawing *d, const char *text)
{
    double box[4] = { (double)NAN, 0, 0, 0 };
    int i;

    for (i = 0; i < d->n; i++)
        if (d->items[i].text && ec_str_eq(d->items[i].text, text))
            item_box(&d->items[i], box);
    return box[0];
}

/* Each form, each curve in the legend, each place at the axis, and no mark outside of the frame
 * that lines of the grid span. */
static void frame_of(const struct ec_drawing *d, double ret[4])
{
    double box[4];
    int i;

    ret[0] = ret[1] = (double)INFINITY;
    ret[2] = ret[3] = -(double)INFINITY;
    for (i = 0; i < d->n; i++) {
        if (d->items[i].role != EC_ROLE_GRID && d->items[i].role != EC_ROLE_AXIS)
            continue;
        item_box(&d->items[i], box);
        ret[0] = fmin(ret[0], box[0]);
        ret[1] = fmin(ret[1], box[1]);
        ret[2] = fmax(ret[2], box[2]);
        ret[3] = fmax(ret[3], box[3]);
    }
}

static void marks_lie_inside(const struct ec_drawing *d)
{
    double frame[4], box[4];
    int i, n = 0;

    frame_of(d, frame);
    for (i = 0; i < d->n; i++) {
        if (d->items[i].role != EC_ROLE_MARK)
            continue;
        n++;
        item_box(&d->items[i], box);
        if (box[0] < frame[0] - 6 || box[1] < frame[1] - 6 || box[2] > frame[2] + 6 ||
            box[3] > frame[3] + 6)
            test_fail(__FILE__, __LINE__, "a mark from %g, %g to %g, %g leaves %g, %g to %g, %g",
                      box[0], box[1], box[2], box[3], frame[0], frame[1], frame[2], frame[3]);
    }
    CHECK(n > 0);
}

TEST(marks_lie_inside_their_axes)
{
    static const enum ec_picture_form forms[] = { EC_PICTURE_LINE, EC_PICTURE_SCATTER,
                                                  EC_PICTURE_BARS, EC_PICTURE_STACK,
                                                  EC_PICTURE_BOX };
    struct row v[ROWS];
    struct ec_csv t;
    int i, log_y;

    draw_rows(9, v, &t);
    for (i = 0; i < EC_LEN(forms); i++)
        for (log_y = 0; log_y < 2; log_y++) {
            const struct ec_picture p = { .form = forms[i],
                                          .x = "batch_size",
                                          .y = "images_per_s",
                                          .group = "env",
                                          .title = "A title",
                                          .log_y = log_y && forms[i] != EC_PICTURE_STACK };
            struct ec_drawing d = { 0 };
            struct ec_err err;

            CHECK_OK(ec_picture_draw(&p, &t, &d, &err));
            marks_lie_inside(&d);
            CHECK(has_text(&d, EC_ROLE_TITLE, "A title"));
            CHECK(has_text(&d, EC_ROLE_LEGEND, "e0") && has_text(&d, EC_ROLE_LEGEND, "e2"));
            CHECK(has_text(&d, EC_ROLE_TICK, "8") || forms[i] < EC_PICTURE_BARS);
            ec_drawing_clear(&d);
        }
    ec_csv_clear(&t);
}

/* Bars by their first value go from the largest down, whatever the order of the rows. */
TEST(the_largest_bar_stands_first)
{
    static const char *const tables[] = { "kind,error_frac\nlow,0.1\nhigh,0.5\nmiddle,0.3\n",
                                          "kind,error_frac\nhigh,0.5\nmiddle,0.3\nlow,0.1\n",
                                          "kind,error_frac\nmiddle,0.3\nlow,0.1\nhigh,0.5\n" };
    const struct ec_picture p = {
        .form = EC_PICTURE_BARS, .x = "kind", .y = "error_frac", .largest_first = true
    };
    int i;

    for (i = 0; i < EC_LEN(tables); i++) {
        struct ec_drawing d = { 0 };
        struct ec_csv t;
        struct ec_err err;

        CHECK_OK(ec_csv_parse(tables[i], strlen(tables[i]), &t, &err));
        CHECK_OK(ec_picture_draw(&p, &t, &d, &err));
        CHECK(place_of(&d, "high") < place_of(&d, "middle"));
        CHECK(place_of(&d, "middle") < place_of(&d, "low"));
        ec_drawing_clear(&d);
        ec_csv_clear(&t);
    }
}

/* Predictions say R2 and errors of their points, computed here from the sums. */
TEST(scatter_says_its_errors)
{
    static const char text[] = "measured,predicted\n10,11\n20,18\n40,44\n80,60\n";
    static const double m[] = { 10, 20, 40, 80 }, q[] = { 11, 18, 44, 60 };
    const struct ec_picture p = {
        .form = EC_PICTURE_SCATTER, .x = "measured", .y = "predicted", .percent_bands = true
    };
    double sum = 0, squares = 0, off = 0, mean_ape = 0, ape[EC_LEN(m)];
    struct ec_drawing d = { 0 };
    char want[120];
    struct ec_csv t;
    struct ec_err err;
    int i;

    for (i = 0; i < EC_LEN(m); i++) {
        sum += m[i];
        squares += m[i] * m[i];
        off += (m[i] - q[i]) * (m[i] - q[i]);
        ape[i] = fabs(q[i] / m[i] - 1);
        mean_ape += ape[i] / EC_LEN(m);
    }
    (void)snprintf(want, sizeof want,
                   "4 points, R\xc2\xb2 %.3f, error %.1f %% in the median, %.1f %% in the mean; "
                   "dashed: \xc2\xb1"
                   "20 %%",
                   1 - off / (squares - sum * sum / EC_LEN(m)),
                   100 * quantile_of(ape, EC_LEN(m), 0.5), 100 * mean_ape);
    CHECK_OK(ec_csv_parse(text, sizeof text - 1, &t, &err));
    CHECK_OK(ec_picture_draw(&p, &t, &d, &err));
    CHECK(has_text(&d, EC_ROLE_TITLE, want));
    marks_lie_inside(&d);
    ec_drawing_clear(&d);
    ec_csv_clear(&t);
}

/* Beside points stand their networks; of one network what its runs differ by, of many runs the
 * outermost. */
TEST(labels_say_what_differs)
{
    static const int sizes[] = { 3, 100 };
    static const char *const models[] = { "m0", "m1" };
    struct ec_picture p;
    struct ec_err err;
    int k, n, i;

    CHECK_OK(ec_picture_find("time-flop", &p, &err));
    for (k = 0; k < EC_LEN(sizes); k++)
        for (n = 1; n <= 2; n++) {
            struct ec_buf text = EC_BUF_INIT;
            struct ec_drawing d = { 0 };
            struct ec_csv t;

            ec_buf_str(&text, "env,model,batch_size,flop,median_ns\n");
            for (i = 0; i < sizes[k]; i++)
                ec_buf_printf(&text, "e,%s,%d,%d,%d\n", models[i % n], i + 1, 1 << i % 20, 10 + i);
            CHECK_OK(ec_csv_parse(ec_buf_text(&text), text.len, &t, &err));
            CHECK_OK(ec_picture_draw(&p, &t, &d, &err));
            CHECK_INT(has_text(&d, EC_ROLE_LABEL, "m0"), n > 1);
            CHECK_INT(has_text(&d, EC_ROLE_LABEL, "batch 1"), n == 1);
            CHECK_INT(has_text(&d, EC_ROLE_LABEL, "batch 2"), n == 1 && k == 0);
            ec_drawing_clear(&d);
            ec_csv_clear(&t);
            ec_buf_clear(&text);
        }
}

/* A heat map has a cell for each pair, and the text of each is its median. */
TEST(heat_maps_have_their_cells)
{
    static const char text[] = "depth,batch,share_frac\n1,8,0.1\n1,16,0.2\n2,8,0.3\n2,16,0.4\n"
                               "2,16,0.6\n";
    static const char *const cells[] = { "10 %", "20 %", "30 %", "50 %" };
    const struct ec_picture p = {
        .form = EC_PICTURE_HEAT, .x = "batch", .y = "share_frac", .group = "depth"
    };
    struct ec_drawing d = { 0 };
    struct ec_csv t;
    struct ec_err err;
    int i;

    CHECK_OK(ec_csv_parse(text, sizeof text - 1, &t, &err));
    CHECK_OK(ec_picture_draw(&p, &t, &d, &err));
    for (i = 0; i < EC_LEN(cells); i++)
        if (!has_text(&d, EC_ROLE_CELL, cells[i]))
            test_fail(__FILE__, __LINE__, "no cell says %s", cells[i]);
    ec_drawing_clear(&d);
    ec_csv_clear(&t);
}

/* --- Names of pictures --- */

/* Devices whose names differ in odd letters alone; letters that a pattern or a command reads. */
TEST(pictures_of_devices_are_told_apart)
{
    static const char text[] =
        "device,arithmetic_flop_per_byte,achieved_flop_per_s,peak_flop_per_s,memory_bytes_per_s\n"
        "a b,10,1e12,2e12,1e11\na/b,9,1e12,2e12,1e11\nit's,9,1e12,2e12,1e11\n"
        "a*,9,1e12,2e12,1e11\n\"two\nlines\",9,1e12,2e12,1e11\n";
    struct ec_picture_file *v = NULL;
    struct ec_arena a = { 0 };
    struct ec_csv t;
    struct ec_err err;
    int n = 0, i, k;

    CHECK_OK(ec_csv_parse(text, sizeof text - 1, &t, &err));
    CHECK_OK(ec_pictures_of(&t, &a, &v, &n, &err));
    CHECK_INT(n, 6);
    for (i = 0; i < n; i++) {
        CHECK(!v[i].p.where || !strpbrk(v[i].p.where, "'*\n"));
        for (k = 0; k < i; k++)
            CHECK(strcmp(v[i].name, v[k].name) != 0);
    }
    ec_csv_clear(&t);
    ec_arena_clear(&a);
}

/* Curves too many for colours: running out of memory on the way is said, not passed over. */
static enum ec_status draw_many(struct ec_err *err)
{
    struct ec_buf text = EC_BUF_INIT;
    struct ec_drawing d = { 0 };
    struct ec_csv t = { 0 };
    struct ec_picture p;
    enum ec_status st;
    int i;

    ec_buf_str(&text, "model,epoch,train_loss,val_loss\n");
    for (i = 0; i < 16; i++)
        ec_buf_printf(&text, "n%d,1,2,\nn%d,2,1,\n", i, i);
    EC_TRY(ec_buf_status(&text, err));
    EC_TRY(ec_csv_parse(ec_buf_text(&text), text.len, &t, err));
    EC_TRY(ec_picture_find("loss-curves", &p, err));
    EC_TRY(ec_picture_draw(&p, &t, &d, err));
out:
    ec_drawing_clear(&d);
    ec_csv_clear(&t);
    ec_buf_clear(&text);
    return st;
}

TEST(each_allocation_may_fail)
{
    CHECK_TORTURE(draw_many);
}
