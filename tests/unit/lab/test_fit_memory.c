/* The law of memory on made-up readings: what went in comes out, and the order of the two peaks
 * stays whatever the readings say. */
#include "lab/fit_internal.h"
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define FAMILIES 30
#define SIZES 32
#define ROWS (2 * FAMILIES * SIZES)

#define MADE                                                                                       \
    {                                                                                              \
        7e7, 1.2e9, 3e8, 1.05, 1.1, 2                                                              \
    }

struct readings {
    struct ec_fit fit;
    struct ec_fit_memory_row row[ROWS];
    char name[FAMILIES][16];
};

/* Families differ in what weighs most, so that each constant shows. */
static struct ec_memory parts_of(int family, int size)
{
    double unit = 2e7 * pow(1.25, size);
    struct ec_memory m = { .weights = unit * (family % 3),
                           .gradients = unit * (family % 3),
                           .activations = unit * (4 + family),
                           .transient = unit,
                           .windowed = family % 2 ? unit : 0 };

    m.most = (struct ec_memory_moment){ m.weights, m.activations, m.transient / 2 };
    m.apart = m.weights + m.gradients + m.activations + m.transient;
    return m;
}

/* device_share  of what the law says that the device tells */
static void make(struct readings *r, const struct ec_memory_constants *c, double device_share)
{
    int i;

    memset(r, 0, sizeof *r);
    for (i = 0; i < FAMILIES; i++)
        (void)snprintf(r->name[i], sizeof r->name[i], "f%d", i);
    for (i = 0; i < ROWS; i++) {
        struct ec_fit_memory_row *row = &r->row[i];

        row->family = r->name[i / 2 % FAMILIES];
        row->parts = parts_of(i / 2 % FAMILIES, i / 2 / FAMILIES);
        row->allocator = i % 2;
        row->source = i % 2;
        row->in_fit = true;
        row->peak_bytes = row->allocator ? ec_allocator_total(&row->parts, c)
                                         : device_share * ec_memory_total(&row->parts, c);
    }
    r->fit.memory_row = r->row;
    r->fit.n_memory_rows = ROWS;
}

TEST(the_law_that_made_the_readings_is_found)
{
    const struct ec_memory_constants made = MADE;
    struct ec_memory_constants *got;
    struct ec_err err = { 0 };
    static struct readings r;

    make(&r, &made, 1);
    CHECK_OK(ec__fit_memory(&r.fit, &err));
    got = &r.fit.memory;
    CHECK_NEAR(got->base_bytes, made.base_bytes, 0.05);
    CHECK_NEAR(got->context_bytes, made.context_bytes, 0.05);
    CHECK_NEAR(got->convolution_bytes, made.convolution_bytes, 0.2);
    CHECK_NEAR(got->reserve_factor, made.reserve_factor, 0.02);
    CHECK_NEAR(got->workspace_factor, made.workspace_factor, 0.1);
    CHECK(r.fit.width[EC_W_memory][0].hi < 0.05 && r.fit.width[EC_W_memory][0].lo > -0.05);
}

/* Readings of devices below those of allocators are wrong; no constant follows them there. */
TEST(no_reading_puts_the_device_below_the_allocator)
{
    const struct ec_memory_constants made = MADE;
    struct ec_err err = { 0 };
    static struct readings r;
    int i;

    make(&r, &made, 0.3);
    CHECK_OK(ec__fit_memory(&r.fit, &err));
    CHECK(r.fit.memory.context_bytes >= 0 && r.fit.memory.workspace_factor >= 0);
    CHECK(r.fit.memory.reserve_factor >= 1);
    for (i = 0; i < ROWS; i++)
        CHECK(ec_allocator_total(&r.row[i].parts, &r.fit.memory) <=
              ec_memory_total(&r.row[i].parts, &r.fit.memory));
}

/* Where every second row is a rung that ran in, or ran out of, what it needs and a hundredth. */
TEST(rungs_of_ladders_show_what_is_needed)
{
    const struct ec_memory_constants made = MADE;
    struct ec_err err = { 0 };
    static struct readings r;
    int i, wrong = 0;

    make(&r, &made, 1);
    for (i = 1; i < ROWS; i += 2) {
        r.row[i].allocator = false;
        r.row[i].rung = i / 2 % 2 ? 1 : -1;
        r.row[i].peak_bytes = 0;
        r.row[i].capacity_bytes =
            ec_memory_need(&r.row[i].parts, &made) * (r.row[i].rung > 0 ? 0.99 : 1.01);
    }
    CHECK_OK(ec__fit_memory(&r.fit, &err));
    CHECK_NEAR(r.fit.memory.hold_factor, made.hold_factor, 0.02);
    for (i = 1; i < ROWS; i += 2)
        wrong += r.row[i].unseen * r.row[i].rung > 0.01; /* log(there is / needed) */
    CHECK(wrong == 0);
}

/* No constant is fitted to rows of other frameworks; they say how wrong the constants are for them.
 */
TEST(other_frameworks_have_a_width_of_their_own)
{
    const struct ec_memory_constants made = MADE;
    struct ec_err err = { 0 };
    static struct readings r;
    int i;

    make(&r, &made, 1);
    for (i = 0; i < ROWS; i += 4) {
        r.row[i].in_fit = false;
        r.row[i].peak_bytes *= 1.5;
    }
    CHECK_OK(ec__fit_memory(&r.fit, &err));
    CHECK_NEAR(r.fit.memory.context_bytes, made.context_bytes, 0.05);
    CHECK_NEAR(exp(r.fit.width[EC_W_memory][1].hi), 1.5, 0.05);
    CHECK(exp(r.fit.width[EC_W_memory][0].hi) < 1.05);
}

TEST(few_readings_of_devices_change_nothing)
{
    const struct ec_memory_constants made = MADE, before = { 1, 2, 3, 4, 5, 6 };
    struct ec_err err = { 0 };
    static struct readings r;

    make(&r, &made, 1);
    r.fit.n_memory_rows = 20;
    r.fit.memory = before;
    CHECK_OK(ec__fit_memory(&r.fit, &err));
    CHECK(memcmp(&r.fit.memory, &before, sizeof before) == 0);
}

/* Neither the order of the readings nor a second copy of each changes what is found. */
TEST(readings_count_by_what_they_say)
{
    const struct ec_memory_constants made = MADE;
    struct ec_fit_memory_row swap;
    static struct readings r, back;
    struct ec_err err = { 0 };
    int i;

    make(&r, &made, 0.9);
    make(&back, &made, 0.9);
    for (i = 0; i < ROWS / 2; i++) {
        swap = back.row[i];
        back.row[i] = back.row[ROWS - 1 - i];
        back.row[ROWS - 1 - i] = swap;
    }
    CHECK_OK(ec__fit_memory(&r.fit, &err));
    CHECK_OK(ec__fit_memory(&back.fit, &err));
    CHECK_NEAR(back.fit.memory.base_bytes, r.fit.memory.base_bytes, 1e-3);
    CHECK_NEAR(back.fit.memory.context_bytes, r.fit.memory.context_bytes, 1e-3);
    CHECK_NEAR(back.fit.memory.reserve_factor, r.fit.memory.reserve_factor, 1e-3);
    CHECK_NEAR(back.fit.memory.workspace_factor, r.fit.memory.workspace_factor, 1e-3);
}

/* Each reading has the error of a law that had none of its family, and the width is of those. */
TEST(each_reading_is_judged_without_its_family)
{
    const struct ec_memory_constants made = MADE;
    const struct ec_width *w;
    static struct readings r;
    struct ec_err err = { 0 };
    int i, below = 0, above = 0;

    make(&r, &made, 1);
    for (i = 0; i < ROWS; i++) /* readings scatter by a tenth, each in its way */
        r.row[i].peak_bytes *= 1 + 0.1 * ((i * 37 % 21) / 10.0 - 1);
    for (i = 0; i < ROWS; i++)
        r.row[i].unseen = 99;
    CHECK_OK(ec__fit_memory(&r.fit, &err));
    w = &r.fit.width[EC_W_memory][0];
    for (i = 0; i < ROWS; i++) {
        CHECK(fabs(r.row[i].unseen) < 0.2);
        below += r.row[i].unseen < w->lo;
        above += r.row[i].unseen > w->hi;
    }
    CHECK(below <= 0.06 * ROWS && above <= 0.06 * ROWS);
    CHECK(w->lo < -0.05 && w->hi > 0.05);
}

static enum ec_status fit_some(struct ec_err *err)
{
    const struct ec_memory_constants made = MADE;
    static struct readings r;

    make(&r, &made, 1);
    r.fit.n_memory_rows = 90;
    return ec__fit_memory(&r.fit, err);
}

TEST(each_allocation_may_fail)
{
    CHECK_TORTURE(fit_some);
}
