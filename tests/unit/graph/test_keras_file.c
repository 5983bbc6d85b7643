/* Files of Keras: HDF5 with text of both kinds, zip archives, damaged and swollen ones. */
#include "test.h"

#include "graph/graph.h"
#include "figures.h"

#include <stdlib.h>
#include <unistd.h>

#define RECORDED "tests/recorded/keras/"

static struct ec_err err;

static bool have_hdf5(void)
{
    struct ec_graph *g = NULL;
    bool have = ec_graph_open(RECORDED "model.h5", NULL, &g, &err) != EC_E_UNSUPPORTED;

    ec_graph_free(g);
    if (!have)
        printf("skipped: %s\n", err.text);
    return have;
}

static void check_params(const char *path, double want)
{
    struct ec_graph *g = NULL;

    CHECK_OK(ec_graph_open(path, NULL, &g, &err));
    if (g)
        CHECK_NEAR(graph_params(g), want, 0);
    ec_graph_free(g);
}

TEST(hdf5_of_both_kinds_of_text)
{
    struct ec_graph *g = NULL;

    if (!have_hdf5())
        return;
    check_params(RECORDED "model.h5", 482);
    check_params(RECORDED "fixed.h5", 482);
    CHECK_FAILS(ec_graph_open(RECORDED "weights.h5", NULL, &g, &err), EC_E_PARSE,
                "at most its weights");
    CHECK_FAILS(ec_graph_open(RECORDED "number.h5", NULL, &g, &err), EC_E_PARSE, "is no text");
    CHECK_FAILS(ec_graph_open(RECORDED "list.h5", NULL, &g, &err), EC_E_PARSE, "is no text");
}

/* Every prefix of a file, and every byte changed: a sentence, or a model. */
TEST(damaged_archives_are_refused)
{
    struct ec_file f = { 0 };
    char path[] = "/tmp/test-keras-XXXXXX";
    int fd = mkstemp(path);
    unsigned char *copy;
    size_t i;

    CHECK(fd >= 0);
    CHECK_OK(ec_file_open(RECORDED "vgg16.keras", 1 << 20, &f, &err));
    copy = malloc(f.len);
    for (i = 0; copy && i < 2 * f.len; i += i < f.len ? 7 : 1) {
        struct ec_graph *g = NULL;
        size_t len = i < f.len ? i : f.len;

        memcpy(copy, f.data, f.len);
        if (i >= f.len)
            copy[i - f.len] ^= 0x41;
        CHECK(pwrite(fd, copy, len, 0) == (ssize_t)len && !ftruncate(fd, (off_t)len));
        if (ec_graph_open(path, NULL, &g, &err) && !err.text[0])
            test_fail(__FILE__, __LINE__, "no sentence about byte %zu", i);
        ec_graph_free(g);
    }
    free(copy);
    ec_file_close(&f);
    CHECK(!close(fd) && !unlink(path));
}
