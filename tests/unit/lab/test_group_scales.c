/* How far errors are said to reach: by groups, by networks built alike within, by devices. */
#include "lab/fit_internal.h"
#include "test.h"

#include <math.h>

#define FAMILIES 20
#define EACH 10
#define ROWS (FAMILIES * EACH)

/* Networks of one framework: such built alike, whose middles lie `apart`, rows `around` them. */
struct world {
    struct ec_fit f;
    struct ec_fit_row row[ROWS], *at[ROWS];
    const struct ec_device *device[2];
    double interval_factor[2];
    int arch_of[2];
};

static const struct ec_kernel kernel = { .phase = EC_FORWARD };
static const struct ec_step step = { .n = 1, .kernel = (struct ec_kernel *)&kernel };

/* Evenly from -1 to 1. */
static double even(int i, int n)
{
    return 2.0 * i / (n - 1) - 1;
}

static void make(struct world *w, double apart, double around)
{
    static const struct ec_device gpu[2] = { { .kind = EC_DEV_GPU }, { .kind = EC_DEV_GPU } };
    int i;

    memset(w, 0, sizeof *w);
    w->f.row = w->at;
    w->f.n_rows = ROWS;
    w->f.device = w->device;
    w->f.n_devices = 2;
    w->f.interval_factor = w->interval_factor;
    w->f.arch_of = w->arch_of;
    w->f.width[EC_W_network][0] = (struct ec_width){ -0.2, 0, 0.2, ROWS };
    for (i = 0; i < 2; i++) {
        w->device[i] = &gpu[i];
        w->arch_of[i] = i;
    }
    for (i = 0; i < ROWS; i++) {
        struct ec_fit_row *r = &w->row[i];
        int family = i / EACH;

        *r = (struct ec_fit_row){ .step = &step, .width = EC_W_network, .id = i };
        r->kin = family;
        r->cond.framework = EC_FW_pytorch_2;
        r->device = i % EACH == family % EACH; /* a tenth on the second */
        r->source_weight = r->reach_weight = 1;
        r->spread = 1;
        r->unseen[0] =
            apart * even(family * 7 % FAMILIES, FAMILIES) + around * even(i % EACH, EACH);
        w->at[i] = r;
    }
}

static double half_width(struct world *w)
{
    struct ec_err err = { 0 };
    int group = ec_width_group(EC_FW_pytorch_2, &step, w->device[0], false);

    CHECK_OK(ec__fit_group_scales(&w->f, EC_BASIS_MEASURED, &err));
    return 0.2 * w->f.group_scale[EC_W_network][0][group].hi;
}

TEST(a_new_family_reaches_as_far_as_families_lie_apart)
{
    static struct world w;
    double alike, apart;
    int i;

    make(&w, 0, 0.1);
    alike = half_width(&w);
    CHECK_NEAR(alike, 0.1, 0.2); /* 95 % of even errors, with what few families leave open */
    make(&w, 0.3, 0.1);
    apart = half_width(&w);
    CHECK(apart > 0.27 && apart < 0.4); /* 1.645 of the deviation of middles, and the rows around */
    for (i = 0; i < ROWS; i++)          /* each family by the others */
        CHECK_NEAR(w.row[i].group_scale[0].hi, apart / 0.2, 0.1 * apart / 0.2);
}

TEST(an_unsteady_device_widens_its_own_intervals_only)
{
    static struct world w;
    int i;

    make(&w, 0, 0.1);
    for (i = 0; i < ROWS; i++)
        if (w.row[i].device == 1)
            w.row[i].unseen[0] *= 4;
    (void)half_width(&w);
    CHECK(w.interval_factor[1] > 1.2);
    CHECK(w.interval_factor[0] < 1);
    for (i = 0; i < ROWS; i++)
        CHECK_NEAR(w.row[i].interval_factor, w.interval_factor[w.row[i].device], 0.3);
}

TEST(one_device_with_other_ways_widens_no_group_of_several)
{
    enum { DEVICES = 6, EACH_DEVICE = 30, ALL = (DEVICES + 1) * EACH_DEVICE };
    static const struct ec_device gpu = { .kind = EC_DEV_GPU };
    static struct ec_fit_row row[ALL], *at[ALL];
    const struct ec_device *device[DEVICES + 1];
    int arch_of[DEVICES + 1], group, i;
    struct ec_err err = { 0 };
    struct ec_fit f = { .row = at, .n_rows = ALL, .device = device, .arch_of = arch_of };

    f.n_devices = DEVICES + 1;
    f.width[EC_W_vector][EC_BASIS_SPECIFICATION] = (struct ec_width){ -0.6, 0, 0.6, ALL };
    for (i = 0; i <= DEVICES; i++) {
        device[i] = &gpu;
        arch_of[i] = i;
    }
    for (i = 0; i < ALL; i++) { /* the last device was measured in a queue, and errs by much */
        int d = i / EACH_DEVICE;

        row[i] = (struct ec_fit_row){ .step = &step, .width = EC_W_vector, .id = i, .device = d };
        row[i].isolated = true;
        row[i].cond.queued = d == DEVICES;
        row[i].source_weight = row[i].spread = 1;
        row[i].unseen[EC_BASIS_SPECIFICATION] =
            (d == DEVICES ? 1.0 : 0.1) * even(i % EACH_DEVICE, EACH_DEVICE);
        at[i] = &row[i];
    }
    CHECK_OK(ec__fit_group_scales(&f, EC_BASIS_SPECIFICATION, &err));
    group = ec_width_group(EC_FW_pytorch_2, &step, &gpu, false);
    CHECK(0.6 * f.group_scale[EC_W_vector][EC_BASIS_SPECIFICATION][group].hi < 0.16);
    group = ec_width_group(EC_FW_pytorch_2, &step, &gpu, true);
    CHECK(0.6 * f.group_scale[EC_W_vector][EC_BASIS_SPECIFICATION][group].hi > 0.16);
}

/* --- What the scales do not depend on --- */

/* Errors and the width of their kind in another unit: the same scales. */
TEST(the_unit_of_errors_changes_no_scale)
{
    static struct world w, other;
    double one, two;
    int i;

    make(&w, 0.2, 0.1);
    one = half_width(&w);
    make(&other, 0.4, 0.2);
    other.f.width[EC_W_network][0] = (struct ec_width){ -0.4, 0, 0.4, ROWS };
    two = half_width(&other); /* in units of 0.2, as the other is */
    CHECK_NEAR(two, one, 1e-9);
    for (i = 0; i < ROWS; i++) {
        CHECK_NEAR(other.row[i].group_scale[0].lo, w.row[i].group_scale[0].lo, 1e-9);
        CHECK_NEAR(other.row[i].group_scale[0].hi, w.row[i].group_scale[0].hi, 1e-9);
        CHECK_NEAR(other.row[i].interval_factor, w.row[i].interval_factor, 1e-9);
    }
}

/* Errors that reach farther to one side widen that side. */
TEST(each_side_has_its_own_width)
{
    static struct world w, other;
    int i;

    make(&w, 0, 0.1);
    make(&other, 0, 0.1);
    for (i = 0; i < ROWS; i++) {
        w.row[i].unseen[0] *= w.row[i].unseen[0] > 0 ? 3 : 1;
        other.row[i].unseen[0] = -w.row[i].unseen[0];
    }
    (void)half_width(&w);
    (void)half_width(&other);
    for (i = 0; i < ROWS; i++) {
        CHECK(w.row[i].group_scale[0].hi > 1.5 * w.row[i].group_scale[0].lo);
        CHECK(other.row[i].group_scale[0].lo > 1.5 * other.row[i].group_scale[0].hi);
    }
}

TEST(the_order_of_rows_changes_no_scale)
{
    static struct world w, other;
    int i;

    make(&w, 0.2, 0.1);
    make(&other, 0.2, 0.1);
    for (i = 0; i < ROWS; i++)
        other.at[i] = &other.row[ROWS - 1 - i];
    CHECK_NEAR(half_width(&other), half_width(&w), 1e-9);
    for (i = 0; i < ROWS; i++)
        CHECK_NEAR(other.row[i].group_scale[0].hi, w.row[i].group_scale[0].hi, 1e-9);
}

/* The wider errors lie apart, the wider the intervals; nine tenths at least are in their own. */
TEST(intervals_hold_what_they_say)
{
    static struct world w;
    double before = 0, half;
    int step_of, i, inside;

    for (step_of = 1; step_of <= 5; step_of++) {
        make(&w, 0.1 * step_of, 0.05);
        half = half_width(&w);
        CHECK(half > before);
        before = half;
        for (inside = i = 0; i < ROWS; i++)
            inside += fabs(w.row[i].unseen[0]) <=
                      0.2 * w.row[i].group_scale[0].hi * w.row[i].interval_factor;
        CHECK(inside >= 0.85 * ROWS);
    }
}

static enum ec_status settle_some(struct ec_err *err)
{
    static struct world w;

    make(&w, 0.2, 0.1);
    return ec__fit_group_scales(&w.f, EC_BASIS_MEASURED, err);
}

TEST(each_allocation_may_fail)
{
    CHECK_TORTURE(settle_some);
}
