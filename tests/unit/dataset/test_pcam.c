/* PatchCamelyon's HDF5 files, as h5py writes them (tests/recorded/pcam/make.py). */
#include "test.h"

#include <stdlib.h>
#include <unistd.h>

#include "dataset/dataset.h"
#include "dataset/one_sample.h"

#define RECORDED "tests/recorded/pcam"

static struct ec_samples *opened(const char *spec)
{
    struct ec_samples_opts o = { .augment = EC_AUGMENT_NONE };
    struct ec_samples *s = NULL;
    struct ec_err err = { 0 };
    enum ec_status st = ec_samples_open(spec, &o, &s, &err);

    if (st == EC_E_UNSUPPORTED) {
        CHECK_HAS(err.text, "install libhdf5");
        printf("skipped: %s\n", err.text);
        return NULL;
    }
    CHECK_OK(st);
    return s;
}

TEST(images_and_labels_to_the_bit)
{
    static const int64_t counts[EC_PART_COUNT] = { 4, 2, 3 };
    struct ec_samples *s = opened("pcam:" RECORDED);
    struct ec_err err = { 0 };
    float x[192], target = -1;
    int64_t label = -1, same = 0, n = 0, i, k;
    int part;

    if (!s)
        return;
    CHECK_INT(ec_samples_info(s)->label, EC_LABEL_BINARY);
    for (part = 0; part < EC_PART_COUNT; part++) {
        CHECK_INT(ec_samples_info(s)->count[part], counts[part]);
        for (k = 0; k < counts[part]; k++) {
            struct ec_sample_data out = { .x = x, .label = &label, .target = &target };

            CHECK_OK(one_sample(s, (enum ec_part)part, k, -1, &out, &err));
            CHECK_INT(label, k % 2);
            CHECK(target == (float)label);
            for (i = 0; i < 192; i++, n++) /* channels stand side by side in the file */
                same += fabs((double)x[i % 3 * 64 + i / 3] - (double)((7 * k + i) % 256) / 255.0) <
                        1e-6;
        }
    }
    CHECK_INT(same, n);
    ec_samples_close(s);
}

TEST(threads_read_in_turn)
{
    struct ec_samples *s = opened("pcam:" RECORDED);
    struct ec_loader_opts o = { .batch = 3, .workers = 4, .prefetch = 6, .shuffle = true };
    const struct ec_batch *b = NULL;
    struct ec_loader *l = NULL;
    struct ec_err err = { 0 };
    int i;

    if (!s)
        return;
    CHECK_OK(ec_loader_new(s, &o, &l, &err));
    for (i = 0; i < 100; i++)
        CHECK_OK(ec_loader_next(l, &b, &err));
    ec_loader_free(l);
    ec_samples_close(s);
}

TEST(what_is_no_such_file_is_told)
{
    char dir[] = "/tmp/ec-test-pcam-XXXXXX", command[256], spec[64];
    struct ec_samples *s = opened("pcam:" RECORDED);
    struct ec_err err = { 0 };

    if (!s)
        return;
    ec_samples_close(s);
    s = NULL;
    CHECK(mkdtemp(dir) != NULL);
    (void)snprintf(spec, sizeof spec, "pcam:%s", dir);
    CHECK_FAILS(ec_samples_open(spec, NULL, &s, &err), EC_E_NOT_FOUND, "epochcast fetch pcam");
    (void)snprintf(command, sizeof command,
                   "cp " RECORDED "/*.h5 %s && cp " RECORDED
                   "/camelyonpatch_level_2_split_test_y.h5 "
                   "%s/camelyonpatch_level_2_split_train_y.h5",
                   dir, dir);
    CHECK_INT(system(command), 0);
    CHECK_FAILS(ec_samples_open(spec, NULL, &s, &err), EC_E_PARSE, "3 labels for 4 images");
    (void)snprintf(command, sizeof command, "echo no >%s/camelyonpatch_level_2_split_train_x.h5",
                   dir);
    CHECK_INT(system(command), 0);
    CHECK_FAILS(ec_samples_open(spec, NULL, &s, &err), EC_E_PARSE, "is no HDF5 file");
    (void)snprintf(command, sizeof command, "rm -r %s", dir);
    CHECK_INT(system(command), 0); /* a name that mkdtemp made */
}
