/* Folders of JPEG images: which are taken, what of them is seen, what is said of broken ones. The
 * pictures are ramps (fuzz/make_sample_seeds.py), so that a pixel tells where it comes from. */
#include "test.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dataset/dataset.h"
#include "dataset/one_sample.h"

#define CORPUS "fuzz/corpus/jpeg/"
#define EDGE 20
#define PLANE (EDGE * EDGE)

static char g_dir[64];

static void make_dir(const char *name)
{
    char path[256];

    (void)snprintf(path, sizeof path, "%s/%s", g_dir, name);
    CHECK_INT(mkdir(path, 0777), 0);
}

static void put(const char *from, const char *name)
{
    struct ec_file f = { 0 };
    struct ec_err err = { 0 };
    char path[256];

    (void)snprintf(path, sizeof path, CORPUS "%s", from);
    CHECK_OK(ec_file_open(path, 0, &f, &err));
    (void)snprintf(path, sizeof path, "%s/%s", g_dir, name);
    CHECK_OK(ec_file_write(path, f.data, f.len, &err));
    ec_file_close(&f);
}

static void make_tree(void)
{
    (void)snprintf(g_dir, sizeof g_dir, "/tmp/ec-test-folder-XXXXXX");
    CHECK(mkdtemp(g_dir) != NULL);
    make_dir("train");
    make_dir("train/b");
    make_dir("train/a");
    make_dir("val");
    make_dir("val/b");
    put("ramp.jpg", "train/b/2.jpg");
    put("ramp.jpg", "train/a/1.JPEG");
    put("progressive.jpg", "train/b/1.jpeg");
    put("is_png.jpg", "train/b/readme.txt");
    put("full_colour.jpg", "val/b/v.jpg");
}

static void remove_tree(void)
{
    char command[128];

    (void)snprintf(command, sizeof command, "rm -r %s", g_dir);
    CHECK_INT(system(command), 0); /* a name that mkdtemp made */
}

static enum ec_status open_tree(const char *more, enum ec_augment augment, struct ec_samples **ret,
                                struct ec_err *err)
{
    struct ec_samples_opts o = {
        .normalise = EC_NORMALISE_UNIT, .augment = augment, .shape = {3, { 3, EDGE, EDGE }}
    };
    char spec[256];

    (void)snprintf(spec, sizeof spec, "imagefolder:%s%s", g_dir, more);
    return ec_samples_open(spec, &o, ret, err);
}

static struct ec_samples *opened(const char *more, enum ec_augment augment)
{
    struct ec_samples *s = NULL;
    struct ec_err err = { 0 };

    CHECK_OK(open_tree(more, augment, &s, &err));
    return s;
}

static bool no_jpeg(void)
{
#ifdef EC_HAVE_JPEG
    return false;
#else
    printf("skipped: built without libjpeg\n");
    return true;
#endif
}

static int64_t get(const struct ec_samples *s, enum ec_part part, int64_t i, int64_t epoch,
                   float *x)
{
    struct ec_err err = { 0 };
    int64_t label = -1;

    CHECK_OK(
        one_sample(s, part, i, epoch, &(struct ec_sample_data){ .x = x, .label = &label }, &err));
    return label;
}

TEST(classes_and_files_in_order)
{
    struct ec_samples *s;
    const struct ec_samples_info *info;

    make_tree();
    s = opened("", EC_AUGMENT_AUTO);
    info = ec_samples_info(s);
    CHECK_INT(info->count[EC_PART_TRAIN], 3);
    CHECK_INT(info->count[EC_PART_VAL], 1);
    CHECK_INT(info->count[EC_PART_TEST], 0);
    CHECK_INT(info->classes, 2);
    CHECK_STR(info->class_names[1], "b");
    CHECK_STR(info->augments, "resized-crop");
    ec_samples_close(s);
    make_dir("val/c");
    put("ramp.jpg", "val/c/1.jpg");
    {
        struct ec_err err = { 0 };

        s = NULL;
        CHECK_FAILS(open_tree("", 0, &s, &err), EC_E_INPUT, "no such class");
    }
    remove_tree();
}

/* Where in the picture a pixel of the sample comes from, by its colours. */
static double column_of(const float *x, int64_t i)
{
    return (double)x[i] * 255 / 2;
}

static double row_of(const float *x, int64_t i)
{
    return (double)x[PLANE + i] * 255 / 3;
}

TEST(validation_sees_the_middle)
{
    double step = 80.0 / EDGE / 1.143, first_x = 59.5 - (EDGE - 1) / 2.0 * step,
           first_y = 39.5 - (EDGE - 1) / 2.0 * step;
    struct ec_samples *s;
    float x[3 * PLANE];
    int64_t i;

    if (no_jpeg())
        return;
    make_tree();
    s = opened("", EC_AUGMENT_AUTO);
    CHECK_INT(get(s, EC_PART_VAL, 0, -1, x), 1);
    for (i = 0; i < PLANE; i++) {
        CHECK(fabs(column_of(x, i) - (first_x + (double)(i % EDGE) * step)) < 1.2);
        CHECK(fabs(row_of(x, i) - (first_y + (double)(i / EDGE) * step)) < 1.2);
        CHECK(fabs((double)x[2 * PLANE + i] * 255 - 128) < 3);
    }
    ec_samples_close(s);
    remove_tree();
}

/* A random box of the picture: columns and rows are evenly spaced inside it, perhaps mirrored. */
TEST(training_sees_random_boxes)
{
    struct ec_samples *s;
    float x[3 * PLANE], again[3 * PLANE];
    int64_t epoch, flips = 0, i = (EDGE / 2) * EDGE + 2, last = i + EDGE - 5;
    double least = 200, most = 0, step_x, step_y, middle;

    if (no_jpeg())
        return;
    make_tree();
    s = opened("", EC_AUGMENT_AUTO);
    for (epoch = 0; epoch < 60; epoch++) {
        (void)get(s, EC_PART_TRAIN, epoch % 3, epoch, x);
        (void)get(s, EC_PART_TRAIN, epoch % 3, epoch, again);
        CHECK(memcmp(x, again, sizeof x) == 0);
        step_x = (column_of(x, last) - column_of(x, i)) / (EDGE - 5);
        step_y = (row_of(x, 17 * EDGE + 9) - row_of(x, 2 * EDGE + 9)) / 15;
        middle = column_of(x, i) + 7.5 * step_x;
        CHECK(fabs(column_of(x, i + 7) + 0.5 * step_x - middle) < 1.5);
        CHECK(step_y > 0 && fabs(step_x) * EDGE < 122 && step_y * EDGE < 82);
        CHECK(fabs(step_x) * step_y * PLANE > 0.07 * 120 * 80);
        flips += step_x < 0;
        least = middle < least ? middle : least;
        most = middle > most ? middle : most;
    }
    CHECK(flips > 15 && flips < 45);
    CHECK(most - least > 30);
    ec_samples_close(s);
    remove_tree();
}

TEST(grey_and_inks_become_colours)
{
    static const char *const files[] = { "grey.jpg", "inks.jpg" };
    struct ec_samples *s;
    float x[3 * PLANE];
    int k;

    if (no_jpeg())
        return;
    for (k = 0; k < 2; k++) {
        make_tree();
        put(files[k], "val/b/v.jpg");
        s = opened("", EC_AUGMENT_AUTO);
        (void)get(s, EC_PART_VAL, 0, -1, x);
        CHECK(fabs(column_of(x, PLANE / 2 + EDGE / 2) - 61.2) < 3);
        CHECK(k || fabsf(x[0] - x[2 * PLANE]) < 0.01F);
        CHECK(!k || fabs(row_of(x, PLANE / 2 + EDGE / 2) - 41.2) < 3);
        ec_samples_close(s);
        remove_tree();
    }
}

static void check_broken(const char *file, const char *part)
{
    struct ec_samples *s = NULL;
    struct ec_err err = { 0 };
    float x[3 * PLANE];
    int64_t label = -1;
    struct ec_sample_data out = { .x = x, .label = &label };

    make_tree();
    put(file, "train/a/1.JPEG");
    s = opened("", EC_AUGMENT_AUTO);
    CHECK(one_sample(s, EC_PART_TRAIN, 0, -1, &out, &err) != EC_OK);
    CHECK_HAS(err.text, "train/a/1.JPEG: ");
    CHECK_HAS(err.text, part);
    ec_samples_close(s);
    s = opened(",skip_broken=1", EC_AUGMENT_AUTO);
    CHECK_OK(one_sample(s, EC_PART_TRAIN, 0, -1, &out, &err));
    CHECK_INT(label, 1);
    ec_samples_close(s);
    remove_tree();
}

TEST(broken_images_are_named)
{
    if (no_jpeg())
        return;
    check_broken("cut.jpg", "Premature end");
    check_broken("header_only.jpg", "damaged JPEG");
    check_broken("is_png.jpg", "Not a JPEG");
    check_broken("says_65500.jpg", "pixels");
}

TEST(vanished_files_stop_the_loader_with_a_sentence)
{
    struct ec_loader_opts o = { .batch = 3, .augment = true, .workers = 2 };
    const struct ec_batch *b = NULL;
    struct ec_loader *l = NULL;
    struct ec_err err = { 0 };
    struct ec_samples *s;
    char path[128];

    if (no_jpeg())
        return;
    make_tree();
    s = opened("", EC_AUGMENT_AUTO);
    (void)snprintf(path, sizeof path, "%s/train/b/1.jpeg", g_dir);
    CHECK_INT(unlink(path), 0);
    CHECK_OK(ec_loader_new(s, &o, &l, &err));
    CHECK_FAILS(ec_loader_next(l, &b, &err), EC_E_NOT_FOUND, "train sample 1: ");
    CHECK_HAS(err.text, "train/b/1.jpeg: cannot open");
    CHECK_FAILS(ec_loader_next(l, &b, &err), EC_E_NOT_FOUND, "train/b/1.jpeg");
    ec_loader_free(l);
    ec_samples_close(s);
    remove_tree();
}

TEST(empty_folders_are_told)
{
    struct ec_samples *s = NULL;
    struct ec_err err = { 0 };

    (void)snprintf(g_dir, sizeof g_dir, "/tmp/ec-test-folder-XXXXXX");
    CHECK(mkdtemp(g_dir) != NULL);
    CHECK_FAILS(open_tree("", 0, &s, &err), EC_E_INPUT, "has 0 folders");
    make_dir("x");
    make_dir("y");
    CHECK_FAILS(open_tree("", 0, &s, &err), EC_E_NOT_FOUND, "holds no JPEG images");
    remove_tree();
    CHECK_FAILS(open_tree("", 0, &s, &err), EC_E_NOT_FOUND, "cannot open the folder");
}
