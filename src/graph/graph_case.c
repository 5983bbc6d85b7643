/* A network out of one case: single layers are measured as the small networks they are. */
#include "graph/build_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define COMPANY "company."
/* Fewer channels than a vector has lanes are no layer between convolutions. */
#define COMPANY_CHANNELS 16

bool ec_graph_is_company(const struct ec_node *n)
{
    return strncmp(n->name, COMPANY, sizeof COMPANY - 1) == 0;
}

static bool is_image(const struct ec_type *t)
{
    return t->shape.rank == 4 && t->dtype == EC_DT_f32 && t->shape.d[1] >= COMPANY_CHANNELS;
}

/* The cheapest convolution: one weight per channel. */
static enum ec_status add_company(struct ec_graph *g, int *value, struct ec_err *err)
{
    int64_t channels = g->values[*value]->type.shape.d[1];
    const struct ec_op *conv = ec_op_find(ec_span_of("conv2d"));
    struct ec_node *n = NULL;
    char words[96], name[64];
    void *attrs = NULL;

    (void)snprintf(words, sizeof words, "k=%" PRId64 " r=1 s=1 groups=%" PRId64 " bias=0", channels,
                   channels);
    (void)snprintf(name, sizeof name, COMPANY "%d", g->n_nodes);
    EC_PASS(ec_attrs_parse(conv, ec_span_of(words), &g->arena, &attrs, err));
    EC_PASS(ec_graph_add_node(g, name, conv, attrs, value, 1, &n, err));
    g->values[n->param[0]]->trainable = g->values[n->param[0]]->requires_grad = false;
    *value = n->out[0];
    return EC_OK;
}

/* One copy: inputs from `chained` (input 0) or of its own. */
static enum ec_status copy_inputs(struct ec_graph *g, const struct ec_case *c,
                                  const struct ec_case_graph *opts, int copy, int chained, int *in,
                                  struct ec_err *err)
{
    char name[64];
    int i;

    for (i = 0; i < c->n_in; i++) {
        bool train = opts->train_inputs && ec_dtype_is_float(c->in[i]->dtype);

        if (i == 0 && chained >= 0) {
            in[0] = chained;
            continue;
        }
        (void)snprintf(name, sizeof name, "x%d.%d", copy, i);
        if (train)
            EC_PASS(ec_graph_add_param(g, name, c->in[i], true, &in[i], err));
        else
            EC_PASS(ec_graph_add_input(g, name, c->in[i], &in[i], err));
        if (opts->company_before && is_image(c->in[i]))
            EC_PASS(add_company(g, &in[i], err));
    }
    return EC_OK;
}

/* The difference from a target that is trained like a weight, as some layer benchmarks have it. */
static enum ec_status subtract_target(struct ec_graph *g, int copy, int *value, struct ec_err *err)
{
    const struct ec_op *sub = ec_op_find(ec_span_of("sub"));
    struct ec_node *n = NULL;
    char name[64];
    int in[2];

    (void)snprintf(name, sizeof name, "target%d", copy);
    in[0] = *value;
    EC_PASS(ec_graph_add_param(g, name, &g->values[in[0]]->type, true, &in[1], err));
    (void)snprintf(name, sizeof name, "difference%d", copy);
    EC_PASS(ec_graph_add_node(g, name, sub, NULL, in, 2, &n, err));
    *value = n->out[0];
    return EC_OK;
}

static bool chains(const struct ec_case *c)
{
    return c->n_in == 1 && c->n_out == 1 && ec_shape_eq(&c->in[0]->shape, &c->out[0]->shape) &&
           c->in[0]->dtype == c->out[0]->dtype;
}

static enum ec_status add_case(struct ec_graph *g, const struct ec_case *c, int copy, const int *in,
                               struct ec_node **ret, struct ec_err *err)
{
    struct ec_buf words = EC_BUF_INIT;
    enum ec_status st;
    void *attrs = NULL;
    char name[64];

    if (c->op->fields)
        ec_fields_print(c->op->fields, c->attrs, &words);
    EC_TRY(ec_buf_status(&words, err));
    EC_TRY(ec_attrs_parse(c->op, ec_span_of(ec_buf_text(&words)), &g->arena, &attrs, err));
    (void)snprintf(name, sizeof name, "%s%d", c->op->name, copy);
    EC_TRY(ec_graph_add_node(g, name, c->op, attrs, in, c->n_in, ret, err));
out:
    ec_buf_clear(&words);
    return st;
}

/* An output for the loss of a program, by the cheapest operator that hands on gradients. */
static enum ec_status add_scores(struct ec_graph *g, const struct ec_case *c, struct ec_err *err)
{
    struct ec_node *n = NULL;
    int x;

    EC_PASS(ec_graph_add_input(g, "x0.0", c->in[0], &x, err));
    EC_PASS(ec_graph_add_node(g, COMPANY "scores", ec_op_find(ec_span_of("relu")), NULL, &x, 1, &n,
                              err));
    return ec_graph_add_output(g, n->out[0], err);
}

static enum ec_status add_copy(struct ec_graph *g, const struct ec_case *c,
                               const struct ec_case_graph *opts, int copy, int *chained, int *in,
                               struct ec_err *err)
{
    struct ec_node *n = NULL;
    int i;

    EC_PASS(copy_inputs(g, c, opts, copy, *chained, in, err));
    EC_PASS(add_case(g, c, copy, in, &n, err));
    if (opts->then)
        EC_PASS(add_case(g, opts->then, copy, n->out, &n, err));
    *chained = !opts->apart && chains(c) ? n->out[0] : -1;
    for (i = 0; i < n->n_out; i++) {
        int value = n->out[i];

        if (*chained >= 0 && copy + 1 < opts->copies)
            break;
        if (opts->train_target && ec_dtype_is_float(g->values[value]->type.dtype))
            EC_PASS(subtract_target(g, copy, &value, err));
        if (opts->company_after && is_image(&g->values[value]->type))
            EC_PASS(add_company(g, &value, err));
        EC_PASS(ec_graph_add_output(g, value, err));
    }
    return EC_OK;
}

enum ec_status ec_graph_of_case(const struct ec_case *c, const struct ec_case_graph *opts,
                                struct ec_graph **ret, struct ec_err *err)
{
    struct ec_graph *g = ec_graph_new(c->op->name);
    int *in = ec_alloc(sizeof *in * (size_t)(c->n_in ? c->n_in : 1));
    enum ec_status st = EC_OK;
    int copy, chained = -1;

    EC_TRY(ec_allocated(g && in, err));
    g->source = "case";
    if (c->n_in && c->in[0]->shape.rank)
        g->batch = c->in[0]->shape.d[0];
    if (opts->as_loss)
        EC_TRY(add_scores(g, c, err));
    for (copy = 0; copy < opts->copies && !opts->as_loss; copy++)
        EC_TRY(add_copy(g, c, opts, copy, &chained, in, err));
    *ret = g;
    g = NULL;
out:
    ec_free(in);
    ec_graph_free(g);
    return st;
}
