/* Whole networks: the gradient of every weight against finite differences in double precision, and
 * memory that is shared against memory that is not. */
#include "engine/program.h"
#include "test.h"

#include "graph/graph.h"

struct run {
    struct ec_ctx *ctx;
    struct ec_graph *g;
    struct ec_program *p;
};

static struct run start(const char *backend, const char *net, int64_t batch, int64_t image,
                        int64_t seq_len, bool keep_all, bool no_fuse)
{
    const struct ec_engine_opts eo = { .backend = backend, .threads = 1, .seed = 9 };
    const struct ec_graph_opts go = {
        .struct_size = sizeof go, .batch = batch, .image_px = image, .seq_len = seq_len
    };
    const struct ec_program_opts o = {
        .cond = {.mode = EC_MODE_TRAINING_STEP, .optimizer = EC_OPT_sgd},
        .with_loss = true,
        .keep_all = keep_all,
        .no_fuse = no_fuse,
    };
    struct ec_err err = { 0 };
    struct run r = { 0 };

    if (ec_engine_open(&eo, &r.ctx, &err)) {
        (void)printf("skipped %s: %s\n", backend, err.text);
        return r;
    }
    CHECK_OK(ec_graph_open(net, &go, &r.g, &err));
    CHECK_OK(ec_program_new(r.ctx, r.g, &o, &r.p, &err));
    if (r.p)
        CHECK_OK(ec_program_fill(r.p, 4, &err));
    return r;
}

static void end(struct run *r)
{
    ec_program_free(r->p);
    ec_graph_free(r->g);
    ec_engine_close(r->ctx);
}

/* Loss of a training step: statistics of the batch, the dropout of step 0. */
static double loss(const struct run *r)
{
    struct ec_step_result s = { 0 };
    struct ec_err err = { 0 };

    ec_program_set_step(r->p, 0);
    CHECK_OK(ec_program_step(r->p, NULL, &s, &err));
    return s.loss;
}

/* The weight moved along its gradient; what the moves really were (weights are written in float32)
 * goes to `by`. */
static double moved(const struct run *r, const char *name, const float *w, const float *g,
                    double *by, int64_t n, double h)
{
    float *to = ec_alloc(sizeof *to * (size_t)n);
    struct ec_err err = { 0 };
    double largest = 1e-30, ret;
    int64_t i;

    CHECK(to != NULL);
    for (i = 0; i < n; i++)
        largest = fabs((double)g[i]) > largest ? fabs((double)g[i]) : largest;
    for (i = 0; i < n; i++) {
        to[i] = (float)((double)w[i] + h * (double)g[i] / largest);
        by[i] = (double)to[i] - (double)w[i];
    }
    CHECK_OK(ec_program_write(r->p, name, 'v', to, n, &err));
    ret = loss(r);
    CHECK_OK(ec_program_write(r->p, name, 'v', w, n, &err));
    ec_free(to);
    return ret;
}

static void check_weight(const struct run *r, const char *net, const char *name, int64_t n,
                         double *worst)
{
    size_t bytes = sizeof(double) * (size_t)n;
    float *w = ec_alloc(bytes), *g = ec_alloc(bytes);
    double *up_by = ec_alloc(bytes), *down_by = ec_alloc(bytes);
    double up, down, want = 0, h = 2e-6, off;
    struct ec_err err = { 0 };
    int64_t i;

    CHECK(w && g && up_by && down_by);
    CHECK_OK(ec_program_read(r->p, name, 'v', w, n, &err));
    (void)loss(r);
    CHECK_OK(ec_program_read(r->p, name, 'g', g, n, &err));
    up = moved(r, name, w, g, up_by, n, h);
    down = moved(r, name, w, g, down_by, n, -h);
    for (i = 0; i < n; i++)
        want += (double)g[i] * (up_by[i] - down_by[i]);
    off = fabs(up - down - want) / (fabs(want) + 1e-9);
    if (off > *worst)
        *worst = off;
    if (off > 2e-3)
        test_fail(__FILE__, __LINE__, "%s: %s: loss moved by %.9g, its gradient says %.9g", net,
                  name, up - down, want);
    ec_free(w);
    ec_free(g);
    ec_free(up_by);
    ec_free(down_by);
}

/* At most `most` weights, evenly over the network. */
static void check_network(const char *net, int64_t batch, int64_t image, int64_t seq_len, int most)
{
    struct run r = start("ref64", net, batch, image, seq_len, false, false);
    int i, n = 0, seen = 0, step;
    double worst = 0;

    for (i = 0; r.p && i < r.g->n_values; i++)
        n += ec_program_has(r.p, r.g->values[i]->name, 'g');
    step = n / most > 1 ? n / most : 1;
    for (i = 0; r.p && i < r.g->n_values; i++) {
        const struct ec_value *v = r.g->values[i];

        if (ec_program_has(r.p, v->name, 'g') && seen++ % step == 0)
            check_weight(&r, net, v->name, (int64_t)ec_type_elems(&v->type), &worst);
    }
    (void)printf("%s: %d weights, worst %.1e\n", net, seen / step, worst);
    end(&r);
}

TEST(gradients_of_whole_networks_are_finite_differences)
{
    check_network("mnist_cnn", 2, 0, 0, 10);
    check_network("cifar_cnn:depth=2,base_filters=4", 2, 16, 0, 10);
    check_network("resnet20", 4, 16, 0, 12);
    check_network("mlp", 3, 0, 0, 10);
}

/* Loss and every gradient after two updates, as one digest. */
static void digest(const char *backend, const char *net, int64_t image, bool keep_all, bool no_fuse,
                   char *ret)
{
    struct run r = start(backend, net, 4, image, 0, keep_all, no_fuse);
    struct ec_update u = ec_update_default(EC_OPT_sgd);
    struct ec_buf all = EC_BUF_INIT;
    struct ec_step_result s = { 0 };
    struct ec_err err = { 0 };
    int i;

    ret[0] = '\0';
    for (i = 0; r.p && i < 2; i++) {
        CHECK_OK(ec_program_step(r.p, &u, &s, &err));
        ec_buf_add(&all, &s.loss, sizeof s.loss);
    }
    for (i = 0; r.p && i < r.g->n_values; i++) {
        int64_t n = (int64_t)ec_type_elems(&r.g->values[i]->type);
        float *v = ec_alloc(sizeof *v * (size_t)n);

        if (v && ec_program_has(r.p, r.g->values[i]->name, 'g')) {
            CHECK_OK(ec_program_read(r.p, r.g->values[i]->name, 'g', v, n, &err));
            ec_buf_add(&all, v, sizeof *v * (size_t)n);
        }
        ec_free(v);
    }
    if (r.p)
        ec_sha256(all.data, all.len, ret);
    ec_buf_clear(&all);
    end(&r);
}

TEST(sharing_memory_changes_no_bit)
{
    static const struct {
        const char *net;
        int64_t image;
    } nets[] = {
        {"resnet20",      16},
        { "mobilenet_v2", 32},
        { "densenet121",  32}
    };
    static const char *const backends[] = { "ref", "cpu" };
    char shared[EC_SHA256_TEXT_BYTES], kept[EC_SHA256_TEXT_BYTES];
    int i, b;

    for (b = 0; b < EC_LEN(backends); b++)
        for (i = 0; i < EC_LEN(nets); i++) {
            digest(backends[b], nets[i].net, nets[i].image, false, false, shared);
            digest(backends[b], nets[i].net, nets[i].image, true, false, kept);
            if (!ec_str_eq(shared, kept))
                test_fail(__FILE__, __LINE__, "%s: %s differs", backends[b], nets[i].net);
        }
}
