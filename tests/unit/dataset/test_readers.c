/* Data sets in their true formats: written here, read to the bit. */
#include "test.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef EC_HAVE_ZLIB
#include <zlib.h>
#endif

#include "dataset/dataset.h"
#include "dataset/one_sample.h"

static char g_dir[64];

static const char *dir(void)
{
    (void)snprintf(g_dir, sizeof g_dir, "/tmp/ec-test-readers-XXXXXX");
    CHECK(mkdtemp(g_dir) != NULL);
    return g_dir;
}

static void write_file(const char *name, const void *data, size_t len)
{
    struct ec_err err = { 0 };
    char path[256];

    (void)snprintf(path, sizeof path, "%s/%s", g_dir, name);
    CHECK_OK(ec_file_write(path, data, len, &err));
}

static void remove_dir(void)
{
    char command[128];

    (void)snprintf(command, sizeof command, "rm -r %s", g_dir);
    CHECK_INT(system(command), 0); /* a name that mkdtemp made */
}

/* Opens "<reader>:<folder><more>" without validation samples, pixels in 0..1. */
static enum ec_status open_in(const char *reader, const char *more, struct ec_samples_opts o,
                              struct ec_samples **ret, struct ec_err *err)
{
    char spec[256];

    o.normalise = ec_str_eq(reader, "npy") ? EC_NORMALISE_AUTO : EC_NORMALISE_UNIT;
    (void)snprintf(spec, sizeof spec, "%s:%s%s", reader, g_dir, more);
    return ec_samples_open(spec, &o, ret, err);
}

static struct ec_samples *opened(const char *reader, const char *more, struct ec_samples_opts o)
{
    struct ec_samples *s = NULL;
    struct ec_err err = { 0 };

    CHECK_OK(open_in(reader, more, o, &s, &err));
    return s;
}

static void check_refused(const char *reader, const char *more, const char *part)
{
    struct ec_samples *s = NULL;
    struct ec_err err = { 0 };
    enum ec_status st = open_in(reader, more, (struct ec_samples_opts){ 0 }, &s, &err);

    CHECK(st != EC_OK);
    CHECK_HAS(err.text, part);
    ec_samples_close(s);
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

/* Pixel i of image n is (7 n + i) mod 256, label (3 n + 1) mod 10: fuzz/make_sample_seeds.py */
static unsigned char pixel(int64_t n, int64_t i)
{
    return (unsigned char)((7 * n + i) % 256);
}

static void check_cifar_images(const struct ec_samples *s, enum ec_part part, int64_t n)
{
    float x[3072];
    int64_t k, i, same = 0;

    CHECK_INT(ec_samples_info(s)->count[part], n);
    for (k = 0; k < n; k++) {
        CHECK_INT(get(s, part, k, -1, x), (3 * (k % 2) + 1) % 10);
        for (i = 0; i < 3072; i++)
            same += x[i] == (float)(pixel(k % 2, i) / 255.0);
    }
    CHECK_INT(same, n * 3072);
}

static void copy(const char *from, const char *name)
{
    struct ec_file f = { 0 };
    struct ec_err err = { 0 };

    CHECK_OK(ec_file_open(from, 0, &f, &err));
    write_file(name, f.data, f.len);
    ec_file_close(&f);
}

static void copy_batches(const char *from, const char *suffix)
{
    char name[64];
    int i;

    for (i = 1; i <= 5; i++) {
        (void)snprintf(name, sizeof name, "data_batch_%d%s", i, suffix);
        copy(from, name);
    }
    (void)snprintf(name, sizeof name, "test_batch%s", suffix);
    copy(from, name);
}

TEST(cifar10_binary)
{
    struct ec_samples *s;

    (void)dir();
    copy_batches("fuzz/corpus/cifar/ten.bin", ".bin");
    write_file("batches.meta.txt", "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n\n", 21);
    s = opened("cifar10", "", (struct ec_samples_opts){ 0 });
    check_cifar_images(s, EC_PART_TRAIN, 10);
    check_cifar_images(s, EC_PART_TEST, 2);
    CHECK_STR(ec_samples_info(s)->augments, "crop-flip");
    CHECK(ec_samples_info(s)->class_names != NULL);
    if (ec_samples_info(s)->class_names)
        CHECK_STR(ec_samples_info(s)->class_names[9], "j");
    ec_samples_close(s);
    write_file("data_batch_3.bin", "short", 5);
    check_refused("cifar10", "", "data_batch_3.bin: has 5 bytes, expected a multiple of 3073");
    remove_dir();
}

TEST(cifar10_pickled)
{
    struct ec_samples *s;

    (void)dir();
    copy_batches("fuzz/corpus/pickle/python2.pkl", "");
    s = opened("cifar10", "", (struct ec_samples_opts){ 0 });
    check_cifar_images(s, EC_PART_TRAIN, 10);
    ec_samples_close(s);
    copy("fuzz/corpus/pickle/calls_system.pkl", "data_batch_5");
    check_refused("cifar10", "", "data_batch_5: pickle asks for os.system");
    copy("fuzz/corpus/pickle/shape_too_large.pkl", "data_batch_5");
    check_refused("cifar10", "", "rows of 3072");
    copy("fuzz/corpus/pickle/list_in_itself.pkl", "data_batch_5");
    check_refused("cifar10", "", "no \"data\"");
    remove_dir();
}

TEST(cifar100_takes_the_fine_label)
{
    static unsigned char record[3074] = { 19, 99 };
    struct ec_samples *s;
    float x[3072];

    (void)dir();
    write_file("train.bin", record, sizeof record);
    s = opened("cifar100", "", (struct ec_samples_opts){ 0 });
    CHECK_INT(get(s, EC_PART_TRAIN, 0, -1, x), 99);
    CHECK_INT(ec_samples_info(s)->count[EC_PART_TEST], 0);
    ec_samples_close(s);
    record[1] = 100;
    write_file("train.bin", record, sizeof record);
    check_refused("cifar100", "", "label 100, expected 0 to 99");
    remove_dir();
}

/* Built without zlib: then gzip is refused with a sentence. */
static bool has_gzip(void)
{
#ifdef EC_HAVE_ZLIB
    return true;
#else
    printf("skipped: built without zlib\n");
    return false;
#endif
}

static void write_mnist(const char *images)
{
    (void)dir();
    copy(images, "train-images-idx3-ubyte.gz"); /* gzip is known by its first bytes, not its name */
    copy("fuzz/corpus/idx/labels.idx", "train-labels-idx1-ubyte");
}

TEST(mnist_plain_and_gzip)
{
    static const char *const files[] = { "fuzz/corpus/idx/images.idx",
                                         "fuzz/corpus/idx/images.idx.gz" };
    struct ec_samples *s;
    int64_t i, k, same = 0;
    float x[20];
    int f, n_files;

    n_files = has_gzip() ? EC_LEN(files) : 1;
    for (f = 0; f < n_files; f++) {
        write_mnist(files[f]);
        s = opened("mnist", "", (struct ec_samples_opts){ 0 });
        CHECK_INT(ec_samples_info(s)->count[EC_PART_TRAIN], 3);
        CHECK_INT(ec_samples_info(s)->shape[1], 4);
        CHECK_INT(ec_samples_info(s)->shape[2], 5);
        for (k = 0; k < 3; k++) {
            CHECK_INT(get(s, EC_PART_TRAIN, k, -1, x), (3 * k + 1) % 10);
            for (i = 0; i < 20; i++)
                same += x[i] == (float)(pixel(k, i) / 255.0);
        }
        ec_samples_close(s);
        remove_dir();
    }
    CHECK_INT(same, n_files * 60);
}

TEST(broken_mnist_is_refused)
{
    write_mnist("fuzz/corpus/idx/short.idx");
    check_refused("mnist", "", "IDX header says 60 bytes, 59 follow");
    remove_dir();
    write_mnist("fuzz/corpus/idx/cut.gz");
    check_refused("mnist", "", has_gzip() ? "gzip data is cut short" : "without zlib");
    remove_dir();
    write_mnist("fuzz/corpus/idx/bomb.gz");
    check_refused("mnist", "", has_gzip() ? "no IDX file" : "without zlib");
    remove_dir();
    (void)dir();
    check_refused("fashion", "", "epochcast fetch fashion");
    remove_dir();
}

TEST(bombs_stay_below_the_limit)
{
    struct ec__bytes b = { 0 };
    struct ec_err err = { 0 };

    if (!has_gzip())
        return;
    CHECK_FAILS(ec__bytes_load("fuzz/corpus/idx/bomb.gz", 100000, &b, &err), EC_E_PARSE,
                "holds more than 100000 bytes");
}

#ifdef EC_HAVE_ZLIB
/* As gzip: `head`, then so many MiB of a byte. */
static void write_bomb(const char *name, const void *head, size_t len, char byte, int mib)
{
    char path[256], *block = ec_alloc(1 << 20);
    gzFile z;

    (void)snprintf(path, sizeof path, "%s/%s", g_dir, name);
    z = gzopen(path, "wb9");
    CHECK(z && block);
    if (!z || !block)
        return;
    memset(block, byte, 1 << 20);
    CHECK_INT(gzwrite(z, head, (unsigned)len), len);
    while (mib--)
        CHECK_INT(gzwrite(z, block, 1 << 20), 1 << 20);
    CHECK_INT(gzclose(z), Z_OK);
    ec_free(block);
}

/* What unpacks to more than its head says, or than a table of its size may, is refused before it
 * fills memory. */
TEST(gzip_unpacks_to_what_it_says)
{
    static const unsigned char small[16] = { 0, 0, 8, 3, 0, 0, 1, 0, 0, 0, 0, 28, 0, 0, 0, 28 };
    static const unsigned char labels[8] = { 0, 0, 8, 1, 0, 0, 1, 0 };
    struct rusage before, after;

    (void)getrusage(RUSAGE_SELF, &before);
    (void)dir();
    write_bomb("train-images-idx3-ubyte", small, sizeof small, 0, 512);
    write_bomb("train-labels-idx1-ubyte", labels, sizeof labels, 0, 1);
    check_refused("mnist", "", "holds more than 200720 bytes");
    remove_dir();
    (void)dir();
    write_bomb("bomb.csv", "a,b\n", 4, ',', 512);
    check_refused("csv", "/bomb.csv", "holds more than 16777216 bytes");
    remove_dir();
    (void)getrusage(RUSAGE_SELF, &after);
    CHECK(after.ru_maxrss - before.ru_maxrss < 128 << 10); /* KiB */
}
#endif

TEST(grey_is_repeated_and_resized)
{
    struct ec_samples_opts net = {
        .shape = {3, { 3, 8, 10 }}
    };
    struct ec_samples *s;
    float x[3 * 80], own[20];
    int64_t i;

    write_mnist("fuzz/corpus/idx/images.idx");
    s = opened("mnist", "", net);
    (void)get(s, EC_PART_TRAIN, 1, -1, x);
    for (i = 0; i < 80; i++)
        CHECK(x[i] == x[80 + i] && x[i] == x[160 + i]);
    ec_samples_close(s);
    s = opened("mnist", "", (struct ec_samples_opts){ 0 });
    (void)get(s, EC_PART_TRAIN, 1, -1, own);
    /* between four pixels: 9/16, 3/16, 3/16, 1/16 */
    CHECK_NEAR((double)x[1 * 10 + 1],
               (9 * (double)own[0] + 3 * (double)own[1] + 3 * (double)own[5] + (double)own[6]) / 16,
               1e-5);
    ec_samples_close(s);
    remove_dir();
}

TEST(normalised_pixels_have_mean_0_and_deviation_1)
{
    struct ec_samples_opts o = { .val_frac = 0 };
    struct ec_samples *s = NULL;
    double sum = 0, squares = 0;
    struct ec_err err = { 0 };
    char spec[128];
    float x[20];
    int64_t i, k;

    write_mnist("fuzz/corpus/idx/images.idx");
    (void)snprintf(spec, sizeof spec, "mnist:%s", g_dir);
    CHECK_OK(ec_samples_open(spec, &o, &s, &err));
    for (k = 0; k < 3; k++) {
        (void)get(s, EC_PART_TRAIN, k, -1, x);
        for (i = 0; i < 20; i++) {
            sum += (double)x[i];
            squares += (double)(x[i] * x[i]);
        }
    }
    CHECK(fabs(sum / 60) < 1e-5);
    CHECK_NEAR(squares / 60, 1, 1e-4);
    ec_samples_close(s);
    remove_dir();
}

/* Augmented images are cut from the padded one: every row of one stands in it, or is black. */
TEST(crops_and_flips_move_pixels_only)
{
    struct ec_samples *s;
    float x[3072], plain[3072], again[3072];
    int64_t epoch, i, same, moved = 0;

    (void)dir();
    copy_batches("fuzz/corpus/cifar/ten.bin", ".bin");
    s = opened("cifar10", "", (struct ec_samples_opts){ 0 });
    (void)get(s, EC_PART_TRAIN, 0, -1, plain);
    for (epoch = 0; epoch < 50; epoch++) {
        (void)get(s, EC_PART_TRAIN, 0, epoch, x);
        (void)get(s, EC_PART_TRAIN, 0, epoch, again);
        CHECK(memcmp(x, again, sizeof x) == 0);
        moved += memcmp(x, plain, sizeof x) != 0;
        /* along a row pixels go up by one, or down when flipped; 255 and black are the ends */
        for (i = 0, same = 0; i < 31; i++)
            same += fabsf(fabsf(x[16 * 32 + i + 1] - x[16 * 32 + i]) - 1 / 255.0F) < 1e-6F;
        CHECK(same >= 31 - 6);
    }
    CHECK(moved > 40);
    (void)get(s, EC_PART_TEST, 0, 1, x); /* never the test samples */
    CHECK(memcmp(x, plain, sizeof x) == 0);
    ec_samples_close(s);
    remove_dir();
}

static const char iris[] = "width,kind,length\n1.5,b,2\n2.5,a,4\n3.5,b,6\n4.5,c,8\n";

static struct ec_samples *open_csv(const char *text, const char *options)
{
    char more[64];

    (void)dir();
    write_file("t.csv", text, strlen(text));
    (void)snprintf(more, sizeof more, "/t.csv,test=0%s", options);
    return opened("csv", more, (struct ec_samples_opts){ 0 });
}

TEST(tables_with_words_for_labels)
{
    struct ec_samples *s = open_csv(iris, ",label=kind");
    const struct ec_samples_info *info = ec_samples_info(s);
    float x[2];

    CHECK_INT(info->classes, 3);
    CHECK_STR(info->class_names[0], "a");
    CHECK_INT(get(s, EC_PART_TRAIN, 3, 0, x), 2);
    CHECK(x[0] == 4.5F && x[1] == 8);
    CHECK_INT(get(s, EC_PART_TRAIN, 1, 0, x), 0);
    ec_samples_close(s);
    check_refused("csv", "/t.csv", "column 2 (kind): \"b\" is no number");
    check_refused("csv", "/t.csv,label=none", "no column \"none\"");
    check_refused("csv", "/u.csv", "cannot open");
    remove_dir();
}

TEST(tables_without_header_and_regression)
{
    struct ec_samples *s = open_csv("1,2,0.5\n3,4,1.5\n", "");
    struct ec_err err = { 0 };
    float y = 0;

    CHECK_INT(ec_samples_info(s)->label, EC_LABEL_VECTOR);
    CHECK_INT(ec_samples_info(s)->count[EC_PART_TRAIN], 2);
    CHECK_OK(one_sample(s, EC_PART_TRAIN, 1, 0, &(struct ec_sample_data){ .target = &y }, &err));
    CHECK(y == 1.5F);
    ec_samples_close(s);
    remove_dir();
    s = open_csv("1,2,10\n3,4,2\n5,6,10\n", "");
    CHECK_INT(ec_samples_info(s)->label, EC_LABEL_BINARY);
    CHECK_STR(ec_samples_info(s)->class_names[1], "10"); /* by value, not by letters */
    ec_samples_close(s);
    remove_dir();
}

TEST(test_samples_are_the_same_for_every_seed)
{
    float x[2][2][1];
    int64_t seed, i;
    struct ec_buf text = EC_BUF_INIT;

    for (i = 0; i < 40; i++)
        ec_buf_printf(&text, "%d,%d.5\n", (int)i, (int)i);
    (void)dir();
    write_file("t.csv", text.data, text.len);
    for (seed = 0; seed < 2; seed++) {
        struct ec_samples_opts o = { .val_frac = 0.25, .seed = seed };
        struct ec_samples *s = opened("csv", "/t.csv,test=0.1", o);

        CHECK_INT(ec_samples_info(s)->count[EC_PART_TEST], 4);
        CHECK_INT(ec_samples_info(s)->count[EC_PART_VAL], 9);
        (void)get(s, EC_PART_TEST, 0, -1, x[seed][0]);
        (void)get(s, EC_PART_VAL, 0, -1, x[seed][1]);
        ec_samples_close(s);
    }
    CHECK(x[0][0][0] == x[1][0][0]);
    CHECK(x[0][1][0] != x[1][1][0]);
    ec_buf_clear(&text);
    remove_dir();
}

static void write_npy(const char *name, const char *type, const char *shape, const void *data,
                      size_t len)
{
    struct ec_buf b = EC_BUF_INIT;
    char head[118];

    (void)snprintf(head, sizeof head, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }",
                   type, shape);
    ec_buf_add(&b, "\x93NUMPY\x01\x00\x76\x00", 10);
    ec_buf_printf(&b, "%-117s\n", head);
    ec_buf_add(&b, data, len);
    write_file(name, b.data, b.len);
    ec_buf_clear(&b);
}

TEST(arrays_of_numpy)
{
    static const unsigned char y[] = { 2, 0, 1 };
    static const int64_t longs[] = { 0, 0, 5 };
    struct ec_samples *s;
    float x[12];
    int64_t i;

    (void)dir();
    copy("fuzz/corpus/npy/bytes.npy", "x.npy"); /* (3, 2, 2, 3): too small to be taken for NHWC */
    write_npy("y.npy", "|u1", "(3,)", y, sizeof y);
    s = opened("npy", ",layout=nhwc,test=0", (struct ec_samples_opts){ 0 });
    CHECK_INT(ec_samples_info(s)->shape[0], 3);
    CHECK_INT(ec_samples_info(s)->classes, 3);
    CHECK_INT(get(s, EC_PART_TRAIN, 2, -1, x), 1);
    for (i = 0; i < 12; i++)
        CHECK(x[i] == (float)(pixel(2, i % 4 * 3 + i / 4) / 255.0));
    ec_samples_close(s);
    write_npy("y.npy", "<i8", "(3,)", longs, sizeof longs);
    s = opened("npy", ",test=0", (struct ec_samples_opts){ 0 });
    CHECK_INT(ec_samples_info(s)->classes, 6);
    ec_samples_close(s);
    remove_dir();
}

TEST(arrays_that_shrink_are_an_error)
{
    static const float v[6] = { 1, 2, 3, 4, 5, 6 };
    struct ec_err err = { 0 };
    struct ec_samples *s;
    char path[128];
    float x[2];

    (void)dir();
    write_npy("x.npy", "<f4", "(3, 2)", v, sizeof v);
    write_npy("y.npy", "<f4", "(3,)", v, 12);
    s = opened("npy", ",test=0", (struct ec_samples_opts){ 0 });
    CHECK_INT(ec_samples_info(s)->label, EC_LABEL_VECTOR);
    CHECK_OK(one_sample(s, EC_PART_TRAIN, 2, 0, &(struct ec_sample_data){ .x = x }, &err));
    CHECK(x[1] == 6);
    (void)snprintf(path, sizeof path, "%s/x.npy", g_dir);
    CHECK_INT(truncate(path, 140), 0);
    CHECK_FAILS(one_sample(s, EC_PART_TRAIN, 2, 0, &(struct ec_sample_data){ .x = x }, &err),
                EC_E_IO, "x.npy: ends at byte 140, 12 more");
    ec_samples_close(s);
    check_refused("npy", "", "array of 6 numbers of 4 bytes, but 12 bytes follow");
    remove_dir();
}

TEST(unreadable_arrays_are_refused)
{
    (void)dir();
    copy("fuzz/corpus/npy/fortran.npy", "x.npy");
    write_npy("y.npy", "<f4", "(2,)", "\0\0\0\0\0\0\0", 8);
    check_refused("npy", "", "Fortran");
    copy("fuzz/corpus/npy/big_endian.npy", "x.npy");
    check_refused("npy", "", "type '>i4'");
    copy("fuzz/corpus/npy/shape_huge.npy", "x.npy");
    check_refused("npy", "", "shape of the array is malformed");
    remove_dir();
}

TEST(digits_of_scikit_learn)
{
    struct ec_samples_opts o = { .normalise = EC_NORMALISE_UNIT };
    struct ec_samples *s = NULL;
    struct ec_err err = { 0 };
    int64_t label, i, n[10] = { 0 };
    float x[784];

    if (ec_samples_open("digits:px=28", &o, &s, &err) != EC_OK) {
        CHECK(err.status == EC_E_NOT_FOUND || !has_gzip());
        printf("skipped: %s\n", err.text);
        return;
    }
    CHECK(s != NULL);
    if (!s)
        return;
    CHECK_INT(ec_samples_info(s)->count[EC_PART_TRAIN] + ec_samples_info(s)->count[EC_PART_TEST],
              1797);
    CHECK_INT(ec_samples_info(s)->input_elems, 784);
    for (i = 0; i < ec_samples_info(s)->count[EC_PART_TRAIN]; i++) {
        label = get(s, EC_PART_TRAIN, i, 0, x);
        n[label >= 0 && label < 10 ? label : 0]++;
    }
    for (i = 0; i < 10; i++)
        CHECK(n[i] > 100);
    ec_samples_close(s);
}
