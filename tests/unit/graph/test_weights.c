/* Checkpoints: tensors of several files, in groups, beside a network. */
#include "graph/graph.h"
#include "test.h"

#include <unistd.h>

static struct ec_err err;

static void add(struct ec_buf *out, const char *name, int64_t rows, int64_t *at)
{
    ec_buf_printf(
        out, "%s\"%s\":{\"dtype\":\"F16\",\"shape\":[%lld,4],\"data_offsets\":[%lld,%lld]}",
        *at ? "," : "", name, (long long)rows, (long long)*at, (long long)(*at + 8 * rows));
    *at += 8 * rows;
}

/* A file with these names and rows of 4 numbers in f16. */
static const char *file_of(const char *const *names, const int64_t *rows, int n)
{
    static char path[200];
    struct ec_buf header = EC_BUF_INIT, file = EC_BUF_INIT;
    static const char zeros[256];
    int64_t at = 0;
    int i;

    (void)snprintf(path, sizeof path, "/tmp/epochcast-weights-%d.safetensors", (int)getpid());
    ec_buf_char(&header, '{');
    for (i = 0; i < n; i++)
        add(&header, names[i], rows[i], &at);
    ec_buf_char(&header, '}');
    for (i = 0; i < 8; i++)
        ec_buf_char(&file, (char)(unsigned char)(header.len >> 8 * i));
    ec_buf_join(&file, &header);
    ec_buf_add(&file, zeros, (size_t)at);
    CHECK_OK(ec_file_write(path, file.data, file.len, &err));
    ec_buf_clear(&header);
    ec_buf_clear(&file);
    return path;
}

TEST(names_that_differ_by_numbers_are_a_group)
{
    static const char *const names[] = { "h.0.w", "h.11.w", "h.1.w", "h.2x.w", "top" };
    static const int64_t rows[] = { 2, 2, 3, 2, 1 };
    const char *path = file_of(names, rows, 5);
    struct ec_weights w = { 0 };

    CHECK(ec_weights_is(path));
    CHECK_OK(ec_weights_open(path, &w, &err));
    CHECK_INT(w.n, 5);
    CHECK_INT(w.n_groups, 4); /* of two shapes, and two others */
    CHECK(w.is_whole && w.n_groups == 4 && w.groups[0].n + w.groups[1].n == 3);
    CHECK_STR(w.n_groups ? w.groups[0].name : "", "h.*.w");
    ec_weights_clear(&w);
    (void)unlink(path);
}

TEST(what_differs_from_the_network_is_said_by_shape)
{
    static const char json[] =
        "{\"schema\":\"epochcast.graph/1\",\"inputs\":[{\"name\":\"x\",\"shape\":[2,4]}],"
        "\"nodes\":[{\"name\":\"a\",\"op\":\"linear\",\"in\":[\"x\"],"
        "\"attrs\":{\"n\":3,\"bias\":false}}],\"outputs\":[\"a\"]}";
    static const char *const names[] = { "a.weight", "b.0.weight", "b.1.weight" };
    static const int64_t rows[] = { 3, 5, 5 };
    const char *path = file_of(names, rows, 3);
    struct ec_weights w = { 0 };
    struct ec_graph *g = NULL;

    CHECK_OK(ec_graph_from_json(json, sizeof json - 1, NULL, &g, &err));
    CHECK_OK(ec_weights_open(path, &w, &err));
    if (g) {
        CHECK_OK(ec_weights_compare(&w, g, &err));
        CHECK_INT(w.notes.n, 2);
        CHECK_STR(w.notes.v[0], "config.json: 12 parameters, the checkpoint has 52");
        CHECK_STR(w.notes.v[1], "5x4: 2 in the checkpoint, 0 in the network: b.*.weight");
    }
    ec_weights_clear(&w);
    ec_graph_free(g);
    (void)unlink(path);
}

TEST(every_allocation_may_fail)
{
    static const char *const names[] = { "h.0.w", "h.1.w" };
    static const int64_t rows[] = { 2, 2 };
    const char *path = file_of(names, rows, 2);
    enum ec_status st = EC_E_NOMEM;
    int64_t n;

    for (n = 1; n < 400 && st; n++) {
        struct ec_weights w = { 0 };

        (void)ec_alloc_fail_after(n);
        st = ec_weights_open(path, &w, &err);
        (void)ec_alloc_fail_after(0);
        CHECK(!st || st == EC_E_NOMEM);
        ec_weights_clear(&w);
    }
    CHECK_OK(st);
    (void)unlink(path);
}
