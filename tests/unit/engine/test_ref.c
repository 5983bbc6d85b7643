/* Every kernel of ref: gradients against finite differences in float64, float32 against float64,
 * products counted against the rules of src/op, and the permissions a kernel gives to a program. */
#include "node.h"
#include "ref_cases.h"

#include "engine/ref/ref.h"
#include "graph/graph.h"
#include "work.h"

#include <stdlib.h>

#define SEED 7
#define STEP 1e-6 /* of finite differences */
#define TOL 1e-6  /* of gradients, relative to 1 and to the largest of the tensor */

static struct ec_ctx *f32, *f64;

static void open_backends(void)
{
    if (!f32)
        f32 = node_backend("ref");
    if (!f64)
        f64 = node_backend("ref64");
}

/* Sum of the outputs, weighted by d_out. */
static double weighted_sum(struct node *n)
{
    struct ec_err err = { 0 };
    double sum = 0;
    int64_t j;
    int i;

    CHECK_OK(node_forward(n, &err));
    for (i = 0; i < n->oc.c.n_out; i++)
        for (j = 0; n->d_out[i] && j < node_elems(n->oc.c.out[i]); j++)
            sum += ((double *)n->out[i])[j] * ((double *)n->d_out[i])[j];
    return sum;
}

static double largest(const double *p, int64_t n)
{
    double most = 1;
    int64_t i;

    for (i = 0; i < n; i++)
        most = fmax(most, fabs(p[i]));
    return most;
}

/* d: gradient by the kernel; x: what it is the gradient of. One complaint is enough. */
static void check_gradient(struct node *n, const char *what, int which, double *x, const double *d,
                           int64_t count)
{
    double scale = largest(d, count);
    int64_t i;

    for (i = 0; i < count; i++) {
        double was = x[i], up, down, want;

        x[i] = was + STEP;
        up = weighted_sum(n);
        x[i] = was - STEP;
        down = weighted_sum(n);
        x[i] = was;
        want = (up - down) / (2 * STEP);
        if (fabs(d[i] - want) <= TOL * scale)
            continue;
        test_fail(__FILE__, __LINE__,
                  "%s (seed %d): gradient of %s %d at %lld is %.12g, want %.12g", n->text, SEED,
                  what, which, (long long)i, d[i], want);
        return;
    }
}

static void check_finite_differences(const char *text)
{
    struct ec_err err = { 0 };
    struct node n;
    int i;

    if (node_open(&n, f64, text, true)) {
        node_fill(&n, SEED, ref_positive(text));
        CHECK_OK(node_forward(&n, &err));
        CHECK_OK(node_backward(&n, &err));
        for (i = 0; i < n.oc.c.n_in; i++)
            if (n.d_in[i])
                check_gradient(&n, "input", i, n.in[i], n.d_in[i], node_elems(n.oc.c.in[i]));
        for (i = 0; i < n.params.n; i++)
            if (n.d_param[i])
                check_gradient(&n, "parameter", i, n.param[i], n.d_param[i],
                               node_elems(n.param_type[i]));
    }
    node_close(&n);
}

TEST(gradients_are_finite_differences)
{
    open_backends();
    ref_each_case(check_finite_differences);
}

/* Random geometries: those that do not fit are drawn again. */
static void check_random(const char *op, const char *dims, bool conv)
{
    struct ec_rng r;
    int64_t filter;
    int made = 0, tries;

    ec_rng_seed(&r, SEED);
    for (tries = 0; made < 12 && tries < 400; tries++) {
        struct ec_owned_case c = { 0 };
        char text[256];
        int at = snprintf(text, sizeof text, "%s n=%d c=%d", op, (int)ec_rng_range(&r, 1, 2),
                          (int)ec_rng_range(&r, 1, 4));
        const char *d;

        for (d = dims; *d; d++)
            at += snprintf(text + at, sizeof text - (size_t)at, " %c=%d", *d,
                           (int)ec_rng_range(&r, 1, 7));
        filter = ec_rng_range(&r, 1, 4); /* pools refuse padding that fills a window */
        at +=
            snprintf(text + at, sizeof text - (size_t)at, " r=%d stride=%d pad=%d", (int)filter,
                     (int)ec_rng_range(&r, 1, 3), (int)ec_rng_range(&r, 0, conv ? 2 : filter / 2));
        if (strlen(dims) == 3)
            at += snprintf(text + at, sizeof text - (size_t)at, " t=%d", (int)filter);
        if (conv)
            (void)snprintf(text + at, sizeof text - (size_t)at, " k=%d groups=%d dil=%d bias=%d",
                           (int)ec_rng_range(&r, 1, 4), (int)ec_rng_range(&r, 1, 3),
                           (int)ec_rng_range(&r, 1, 2), (int)ec_rng_range(&r, 0, 1));
        if (ec_case_parse(text, &c, NULL))
            continue;
        ec_case_clear(&c);
        check_finite_differences(text);
        made++;
    }
    CHECK_INT(made, 12);
}

TEST(gradients_of_random_windows)
{
    open_backends();
    check_random("conv1d", "w", true);
    check_random("conv2d", "hw", true);
    check_random("conv3d", "dhw", true);
    check_random("conv_transpose1d", "w", true);
    check_random("conv_transpose2d", "hw", true);
    check_random("conv_transpose3d", "dhw", true);
    check_random("max_pool1d", "w", false);
    check_random("max_pool2d", "hw", false);
    check_random("max_pool3d", "dhw", false);
    check_random("avg_pool1d", "w", false);
    check_random("avg_pool2d", "hw", false);
    check_random("avg_pool3d", "dhw", false);
}

static void check_close(const struct node *a, const struct node *b, const char *what, int which,
                        const struct ec_type *t, const void *pa, const void *pb)
{
    double most = 1;
    int64_t i;

    for (i = 0; i < node_elems(t); i++)
        most = fmax(most, fabs(node_get(b, t, pb, i)));
    for (i = 0; i < node_elems(t); i++) {
        double va = node_get(a, t, pa, i), vb = node_get(b, t, pb, i);

        if (fabs(va - vb) <= 2e-5 * most || (isinf(vb) && va == vb))
            continue;
        test_fail(__FILE__, __LINE__,
                  "%s (seed %d): %s %d at %lld is %.9g in float, %.9g in double", a->text, SEED,
                  what, which, (long long)i, va, vb);
        return;
    }
}

static void run_both(struct node *n, const char *text)
{
    struct ec_err err = { 0 };

    node_fill(n, SEED, ref_positive(text));
    CHECK_OK(node_forward(n, &err));
    CHECK_OK(node_backward(n, &err));
}

static void check_float(const char *text)
{
    struct node a, b;
    bool ok = node_open(&a, f32, text, true);
    int i;

    ok = node_open(&b, f64, text, true) && ok;
    if (ok) {
        run_both(&a, text);
        run_both(&b, text);
        for (i = 0; i < a.oc.c.n_out; i++)
            check_close(&a, &b, "output", i, a.oc.c.out[i], a.out[i], b.out[i]);
        for (i = 0; i < a.oc.c.n_in; i++)
            if (a.d_in[i])
                check_close(&a, &b, "gradient of input", i, a.oc.c.in[i], a.d_in[i], b.d_in[i]);
        for (i = 0; i < a.params.n; i++) {
            check_close(&a, &b, "parameter", i, a.param_type[i], a.param[i], b.param[i]);
            if (a.d_param[i])
                check_close(&a, &b, "gradient of parameter", i, a.param_type[i], a.d_param[i],
                            b.d_param[i]);
        }
    }
    node_close(&a);
    node_close(&b);
}

TEST(float_is_close_to_double)
{
    open_backends();
    ref_each_case(check_float);
}

/* --- Multiply-accumulates --- */

static double mac_of(const struct ec_case *c, enum ec_phase p)
{
    struct ec_work w = { 0 };
    struct ec_count n = { 0 };

    c->op->work(c, p, &w);
    work_count(&w, 4, &n);
    return n.mac;
}

static double taken(struct ec_ctx *ctx)
{
    struct ec_ref_ctx *r = (struct ec_ref_ctx *)ctx;
    double mac = r->mac;

    r->mac = 0;
    return mac;
}

/* The rule of fused attention counts the pairs that a causal mask leaves, and both widths as one.
 */
static bool counts_otherwise(const char *text)
{
    return !strncmp(text, "attention ", 10) &&
           (strstr(text, "causal=1") || strstr(text, "d=4 e=2"));
}

static void check_mac(const char *text)
{
    struct ec_err err = { 0 };
    struct node n;

    if (!counts_otherwise(text) && node_open(&n, f64, text, true)) {
        const struct ec_case *c = &n.oc.c;
        double back = mac_of(c, EC_GRAD_DATA) + mac_of(c, EC_GRAD_WEIGHT), got;

        node_fill(&n, SEED, ref_positive(text));
        (void)taken(f64);
        CHECK_OK(node_forward(&n, &err));
        got = taken(f64);
        if (got != mac_of(c, EC_FORWARD))
            test_fail(__FILE__, __LINE__,
                      "%s: FLOP rule disagrees with ref: forward %g MAC, did %g", text,
                      mac_of(c, EC_FORWARD), got);
        CHECK_OK(node_backward(&n, &err));
        got = taken(f64);
        if (got != back)
            test_fail(__FILE__, __LINE__,
                      "%s: FLOP rule disagrees with ref: backward %g MAC, did %g", text, back, got);
        node_close(&n);
    }
}

TEST(flop_rules_agree)
{
    open_backends();
    ref_each_case(check_mac);
}

/* --- Permissions --- */

static void check_same(const char *text, const char *what, const void *a, const void *b,
                       int64_t bytes)
{
    if (memcmp(a, b, (size_t)bytes) != 0)
        test_fail(__FILE__, __LINE__, "%s: %s", text, what);
}

/* Forward over its input, and backward over the gradient it reads, give the same. */
static void check_in_place(struct node *n)
{
    struct ec_err err = { 0 };
    const struct ec_type *t = n->oc.c.out[0];
    int64_t bytes = node_bytes(n, t);
    void *want = node_poisoned(bytes), *own;
    int i = n->k.in_place, d = n->k.d_in_place;

    if (i >= 0) {
        memcpy(want, n->out[0], (size_t)bytes);
        own = n->out[0];
        n->out[0] = n->in[i];
        CHECK_OK(node_forward(n, &err));
        check_same(n->text, "in place forward differs", n->in[i], want, bytes);
        n->out[0] = own;
    }
    if (d >= 0 && n->d_in[d]) {
        memcpy(want, n->d_in[d], (size_t)bytes);
        own = n->d_in[d];
        n->d_in[d] = n->d_out[0];
        CHECK_OK(node_backward(n, &err));
        check_same(n->text, "in place backward differs", n->d_out[0], want, bytes);
        n->d_in[d] = own;
    }
    ec_free(want);
}

static void check_permissions(const char *text)
{
    struct node n;
    int i;

    if (node_open(&n, f32, text, true)) {
        const struct ec_case *c = &n.oc.c;

        run_both(&n, text);
        if (n.k.view)
            check_same(text, "is no view of its input", n.in[0], n.out[0],
                       node_bytes(&n, c->in[0]));
        for (i = 0; (n.k.view || n.k.d_out_is_d_in) && i < c->n_in; i++)
            if (n.d_in[i])
                check_same(text, "its gradient is not the output's", n.d_in[i], n.d_out[0],
                           node_bytes(&n, c->in[i]));
        check_in_place(&n);
    }
    node_close(&n);
}

TEST(what_a_kernel_permits_is_true)
{
    open_backends();
    ref_each_case(check_permissions);
}

/* --- Without training --- */

static double first_out(const char *text, uint64_t seed, bool training)
{
    struct ec_err err = { 0 };
    struct node n;
    double sum = 0;
    int64_t i;

    if (node_open(&n, f64, text, training)) {
        node_fill(&n, SEED, 0);
        n.seed = seed;
        CHECK_OK(node_forward(&n, &err));
        for (i = 0; i < node_elems(n.oc.c.out[0]); i++)
            sum += ((double *)n.out[0])[i] * (double)(i + 1);
    }
    node_close(&n);
    return sum;
}

TEST(dropout_is_a_function_of_the_seed)
{
    open_backends();
    CHECK(first_out("dropout x=64 p=0.5", 1, true) == first_out("dropout x=64 p=0.5", 1, true));
    CHECK(first_out("dropout x=64 p=0.5", 1, true) != first_out("dropout x=64 p=0.5", 2, true));
    CHECK(first_out("dropout x=64 p=0.5", 1, false) == first_out("identity x=64", 1, false));
    CHECK(first_out("drop_path x=64x2 p=0.5", 1, true) !=
          first_out("drop_path x=64x2 p=0.5", 2, true));
}

TEST(dropout_removes_the_share_it_says)
{
    struct ec_err err = { 0 };
    struct node n;
    int64_t i, zero = 0;

    open_backends();
    if (node_open(&n, f64, "dropout x=20000 p=0.3", true)) {
        node_fill(&n, SEED, 0);
        CHECK_OK(node_forward(&n, &err));
        for (i = 0; i < 20000; i++) {
            double x = ((double *)n.in[0])[i], y = ((double *)n.out[0])[i];

            zero += y == 0;
            CHECK(y == 0 || fabs(y - x / 0.7) < 1e-12);
        }
        CHECK_NEAR((double)zero / 20000, 0.3, 0.05);
    }
    node_close(&n);
}

TEST(drop_path_removes_whole_samples)
{
    struct ec_err err = { 0 };
    struct node n;
    int i, removed = 0;

    open_backends();
    if (node_open(&n, f64, "drop_path x=200x3 p=0.5", true)) {
        node_fill(&n, SEED, 0);
        CHECK_OK(node_forward(&n, &err));
        for (i = 0; i < 200; i++) {
            const double *y = (double *)n.out[0] + i * 3;

            CHECK((y[0] == 0) == (y[1] == 0) && (y[1] == 0) == (y[2] == 0));
            removed += y[0] == 0;
        }
        CHECK_NEAR(removed, 100, 0.2);
    }
    node_close(&n);
}

/* Rows with no, one and two zeros. */
TEST(product_has_a_gradient_at_zero)
{
    static const double x[9] = { 2, 3, 4, 2, 0, 4, 0, 3, 0 };
    static const double want[9] = { 12, 8, 6, 0, 8, 0, 0, 0, 0 };
    struct ec_err err = { 0 };
    struct node n;
    int i;

    open_backends();
    if (node_open(&n, f64, "reduce_prod x=3x3 axes=1", true)) {
        memcpy(n.in[0], x, sizeof x);
        for (i = 0; i < 3; i++)
            ((double *)n.d_out[0])[i] = 1;
        CHECK_OK(node_forward(&n, &err));
        CHECK_OK(node_backward(&n, &err));
        for (i = 0; i < 9; i++)
            CHECK_NEAR(((double *)n.d_in[0])[i], want[i], 1e-12);
    }
    node_close(&n);
}

/* --- What is computed, recorded once PyTorch agreed (tests/torch/compare.py). EC_UPDATE=1 writes
 * what is new or differs. --- */

#define RECORD "tests/recorded/ref.csv"

static struct ec_csv recorded;
static struct ec_buf now;

/* A sum over the outputs in which every place weighs differently. */
static double signature(struct node *n)
{
    double sum = 0;
    int64_t j;
    int i;

    for (i = 0; i < n->oc.c.n_out; i++)
        for (j = 0; j < node_elems(n->oc.c.out[i]); j++)
            sum += node_get(n, n->oc.c.out[i], n->out[i], j) * cos((double)(i + j));
    return sum;
}

/* A new operator is in the record from the next update on; until then the other tests hold it. */
static bool is_new(const char *text)
{
    size_t len = strcspn(text, " ");
    int row;

    for (row = 0; row < recorded.n_rows; row++) {
        const char *cell = ec_csv_cell(&recorded, row, 0);

        if (strncmp(cell, text, len) == 0 && cell[len] == ' ')
            return false;
    }
    return true;
}

static void check_recorded(const char *text)
{
    struct ec_err err = { 0 };
    struct node n;
    double got = 0, want = 0;
    bool found, holds;
    int row = 0;

    if (node_open(&n, f64, text, true)) {
        node_fill(&n, SEED, ref_positive(text));
        CHECK_OK(node_forward(&n, &err));
        got = signature(&n);
    }
    node_close(&n);
    while (row < recorded.n_rows && strcmp(ec_csv_cell(&recorded, row, 0), text) != 0)
        row++;
    found =
        row < recorded.n_rows && ec_parse_double(ec_span_of(ec_csv_cell(&recorded, row, 1)), &want);
    holds = found && fabs(got - want) <= 1e-9 * (1 + fabs(want));
    ec_buf_printf(&now, "%s,%.12g\n", text, holds ? want : got);
    if (holds || getenv("EC_UPDATE"))
        return;
    if (is_new(text))
        (void)printf("note: %s is not in %s yet: EC_UPDATE=1 writes it\n", text, RECORD);
    else if (!found)
        test_fail(__FILE__, __LINE__, "%s is not in %s: run again with EC_UPDATE=1", text, RECORD);
    else
        test_fail(__FILE__, __LINE__, "%s gives %.12g, recorded is %.12g", text, got, want);
}

TEST(outputs_are_as_recorded)
{
    struct ec_err err = { 0 };

    open_backends();
    ec_buf_str(&now, "case,signature\n");
    CHECK_OK(ec_csv_read(RECORD, &recorded, &err));
    ref_each_case(check_recorded);
    if (getenv("EC_UPDATE"))
        CHECK_OK(ec_file_write(RECORD, now.data, now.len, &err));
    ec_csv_clear(&recorded);
    ec_buf_clear(&now);
}

/* x = 1, 2, 3, 4 in one channel: mean 2.5, variance 1.25, unbiased 5/3 */
TEST(batch_norm_keeps_running_statistics)
{
    struct ec_err err = { 0 };
    struct node n;
    int i;

    open_backends();
    if (node_open(&n, f64, "batch_norm x=4x1", true)) {
        for (i = 0; i < 4; i++)
            ((double *)n.in[0])[i] = i + 1;
        *(double *)n.param[0] = *(double *)n.param[3] = 1;
        *(double *)n.param[1] = *(double *)n.param[2] = 0;
        CHECK_OK(node_forward(&n, &err));
        CHECK_NEAR(*(double *)n.param[2], 0.25, 1e-12);
        CHECK_NEAR(*(double *)n.param[3], 0.9 + 0.1 * 5 / 3, 1e-12);
        CHECK_NEAR(*(double *)n.out[0], -1.5 / sqrt(1.25 + 1e-5), 1e-12);
    }
    node_close(&n);
    if (node_open(&n, f64, "batch_norm x=4x1", false)) {
        *(double *)n.in[0] = 5;
        *(double *)n.param[0] = 2;
        *(double *)n.param[1] = 1;
        *(double *)n.param[2] = 3;
        *(double *)n.param[3] = 4;
        CHECK_OK(node_forward(&n, &err));
        CHECK_NEAR(*(double *)n.out[0], 2 * 2 / sqrt(4 + 1e-5) + 1, 1e-12);
        CHECK_NEAR(*(double *)n.param[2], 3, 0);
    }
    node_close(&n);
}

/* --- Indices out of range --- */

static void check_refused_index(const char *text, int input, int64_t index, const char *part)
{
    struct ec_err err = { 0 };
    struct node n;

    if (node_open(&n, f64, text, true)) {
        node_fill(&n, SEED, 0);
        node_set(&n, n.oc.c.in[input], n.in[input], 0, (double)index);
        CHECK_FAILS(node_forward(&n, &err), EC_E_INPUT, part);
    }
    node_close(&n);
}

TEST(indices_out_of_range_are_refused)
{
    open_backends();
    check_refused_index("embedding x=3 num=7 dim=2", 0, 7,
                        "embedding: index 7 at element 0, expected less than 7");
    check_refused_index("embedding x=3 num=7 dim=2", 0, -1, "index -1");
    check_refused_index("gather x=4x2 y=3 axis=0", 1, 4, "gather: index 4");
    check_refused_index("gather x=4x2 y=3 axis=0", 1, -5, "gather: index -5");
    check_refused_index("gather_elements x=4x2 y=3x2 axis=0", 1, 9, "index 9");
    check_refused_index("one_hot x=3 depth=4", 0, 4, "index 4");
}

/* --- Integers and empty tensors --- */

static void check_forward(const char *text)
{
    struct ec_err err = { 0 };
    struct node n;

    if (node_open(&n, f32, text, true)) {
        node_fill(&n, SEED, 0);
        CHECK_OK(node_forward(&n, &err));
    }
    node_close(&n);
}

TEST(whole_numbers_are_computed_as_such)
{
    static const char *const texts[] = {
        "add x=3x4 y=4 dtype=i64",
        "neg x=3 dtype=i32",
        "cast x=4 to=i64",
        "cast x=4 to=f32 dtype=i64",
        "transpose x=2x3 dtype=i8",
        "concat x=2x3 y=2x1 dtype=i16",
        "reduce_sum x=3x4 dtype=i64",
        "cumsum x=5 dtype=i64",
        "slice x=5 starts=1 ends=3 dtype=i64",
        "where x=3 y=3 z=3 dtype=i64",
        "topk x=5 k=2 dtype=i64",
        "max x=3 y=3 dtype=u8",
        "gather x=5x2 y=3 dtype=i64",
        "not x=4 dtype=bool",
        "logical x=4 y=4 dtype=bool",
        "gather_elements x=4x2 y=3x2 axis=0 dtype=i64",
    };
    struct ec_err err = { 0 };
    struct node n;
    int i;

    open_backends();
    for (i = 0; i < EC_LEN(texts); i++)
        check_forward(texts[i]);
    if (node_open(&n, f32, "add x=1 y=1 dtype=i64", true)) {
        *(int64_t *)n.in[0] = 40;
        *(int64_t *)n.in[1] = 2;
        CHECK_OK(node_forward(&n, &err));
        CHECK_INT(*(int64_t *)n.out[0], 42);
    }
    node_close(&n);
}

TEST(empty_tensors_are_computed)
{
    static const char *const texts[] = {
        "add x=0x3 y=3",
        "relu x=0",
        "transpose x=0x3",
        "reduce_sum x=0x3 axes=0",
        "softmax x=0x3",
        "concat x=0x3 y=2x3 axis=0",
        "slice x=4 starts=2 ends=2",
        "matmul x=0x3 y=3x2",
        "matmul x=2x0 y=0x3",
        "tile x=2x3 repeats=0x1",
        "expand x=1x0 shape=3x0",
    };
    int i;

    open_backends();
    for (i = 0; i < EC_LEN(texts); i++)
        check_forward(texts[i]);
}

/* --- Memory --- */

static const char *torture_text;

static enum ec_status open_and_run(struct ec_err *err)
{
    struct ec_engine_opts opts = { .backend = "ref" };
    struct node n = { 0 };
    struct ec_ctx *ctx = NULL;
    enum ec_status st;

    EC_TRY(ec_engine_open(&opts, &ctx, err));
    EC_TRY(node_prepare(&n, ctx, torture_text, true, err));
out:
    node_close(&n);
    ec_engine_close(ctx);
    return st;
}

static void check_torture(const char *text)
{
    torture_text = text;
    CHECK_TORTURE(open_and_run);
}

TEST(each_allocation_fails_once)
{
    ref_each_case(check_torture);
}

/* --- Coverage --- */

TEST(every_operator_of_the_zoo_has_a_kernel)
{
    int n, i, j;
    const char *const *names = ec_zoo_names(&n);

    open_backends();
    CHECK(n > 300);
    for (i = 0; i < n; i++) {
        struct ec_err err = { 0 };
        struct ec_graph *g = NULL;

        CHECK_OK(ec_graph_open(names[i], NULL, &g, &err));
        for (j = 0; g && j < g->n_nodes; j++)
            if (!node_row(f32, g->nodes[j]->op->name))
                test_fail(__FILE__, __LINE__, "%s: %s has no kernel", names[i],
                          g->nodes[j]->op->name);
        ec_graph_free(g);
    }
}

/* Closes what the tests opened: the last of them. */
TEST(backends_close)
{
    CHECK_STR(ec_engine_name(f32), "ref");
    CHECK_STR(ec_engine_name(f64), "ref64");
    ec_engine_close(f32);
    ec_engine_close(f64);
    f32 = f64 = NULL;
}
