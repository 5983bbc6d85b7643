/* Runs one case on ref64, for the comparison with PyTorch:
 *
 *     ref-case describe CASE    shapes, one tensor a line: kind, role, type, dimensions
 *     ref-case run CASE         reads inputs, parameters and the gradients of the outputs (float64,
 * or int64 for whole numbers; in the order of `describe`), writes outputs, gradients of inputs and
 * of parameters, and the parameters as they are then; what has no gradient is left out */
int test_main(int argc, char **argv);
#define main test_main /* test.h brings one along */
#include "node.h"
#undef main

static void describe_tensor(const char *kind, const char *role, const struct ec_type *t)
{
    int i;

    (void)printf("%s %s %s", kind, role, ec_dtype_is_float(t->dtype) ? "float" : "int");
    for (i = 0; i < t->shape.rank; i++)
        (void)printf(" %lld", (long long)t->shape.d[i]);
    (void)printf("\n");
}

static void describe(const struct node *n)
{
    int i;

    for (i = 0; i < n->oc.c.n_in; i++)
        describe_tensor(n->want_d_in[i] ? "in" : "in-fixed",
                        node_index_range(&n->oc.c, i) ? "index" : "-", n->oc.c.in[i]);
    for (i = 0; i < n->params.n; i++)
        describe_tensor(n->want_d_param[i] ? "param" : "param-fixed", n->params.p[i].role,
                        n->param_type[i]);
    for (i = 0; i < n->oc.c.n_out; i++)
        describe_tensor(n->has_d_out[i] ? "out" : "out-fixed", "-", n->oc.c.out[i]);
}

static bool move(bool read, const struct node *n, const struct ec_type *t, void *p)
{
    int64_t i;

    for (i = 0; p && i < node_elems(t); i++) {
        bool is_float = ec_dtype_is_float(t->dtype);
        double v = read ? 0 : node_get(n, t, p, i);
        int64_t w = (int64_t)v;
        void *at = is_float ? (void *)&v : (void *)&w;

        if (read ? fread(at, 8, 1, stdin) != 1 : fwrite(at, 8, 1, stdout) != 1)
            return false;
        if (read)
            node_set(n, t, p, i, is_float ? v : (double)w);
    }
    return true;
}

static bool run(struct node *n, struct ec_err *err)
{
    const struct ec_case *c = &n->oc.c;
    bool ok = true;
    int i;

    for (i = 0; i < c->n_in; i++)
        ok = ok && move(true, n, c->in[i], n->in[i]);
    for (i = 0; i < n->params.n; i++)
        ok = ok && move(true, n, n->param_type[i], n->param[i]);
    for (i = 0; i < c->n_out; i++)
        ok = ok && move(true, n, c->out[i], n->d_out[i]);
    if (!ok)
        (void)ec_fail(err, EC_E_IO, "input ends early");
    if (!ok || node_forward(n, err) || node_backward(n, err))
        return false;
    for (i = 0; i < c->n_out; i++)
        ok = ok && move(false, n, c->out[i], n->out[i]);
    for (i = 0; i < c->n_in; i++)
        ok = ok && move(false, n, c->in[i], n->d_in[i]);
    for (i = 0; i < n->params.n; i++)
        ok = ok && move(false, n, n->param_type[i], n->d_param[i]);
    for (i = 0; i < n->params.n; i++)
        ok = ok && move(false, n, n->param_type[i], n->param[i]);
    return ok;
}

int main(int argc, char **argv)
{
    const char *mode = argc == 3 ? argv[1] : "";
    struct ec_ctx *ctx = node_backend("ref64");
    struct ec_err err = { 0 };
    struct node n = { 0 };
    bool ok = false;

    if (strcmp(mode, "describe") != 0 && strcmp(mode, "run") != 0) {
        (void)ec_fail(&err, EC_E_INPUT, "usage: ref-case describe|run CASE");
    } else if (!node_prepare(&n, ctx, argv[2], true, &err)) {
        node_alloc(&n);
        ok = true;
        if (!strcmp(mode, "describe"))
            describe(&n);
        else
            ok = run(&n, &err);
    }
    if (!ok)
        (void)fprintf(stderr, "ref-case: %s\n", err.text);
    node_close(&n);
    ec_engine_close(ctx);
    return ok ? 0 : 1;
}
