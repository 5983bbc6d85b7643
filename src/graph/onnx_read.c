/* ONNX to a graph: parse, sort, mark parameters, fuse, then convert node by node in order. */
#include "graph/onnx_internal.h"

#include <stdio.h>
#include <string.h>

/* Scratch memory for a file of `len` bytes: enough for any honest one. */
#define SCRATCH_BASE_BYTES ((size_t)64 << 20)
#define SCRATCH_PER_BYTE 16
#define GRAPH_BASE_BYTES ((size_t)256 << 20)

static int64_t opt_batch(const struct onnx_conv *c)
{
    return c->opts && c->opts->batch > 0 ? c->opts->batch : 1;
}

static bool is_data(const struct onnx_model *m, const struct onnx_info *info)
{
    const struct onnx_value *v = info->value < 0 ? NULL : &m->values[info->value];

    return v && v->tensor < 0 && !v->is_param && !v->is_const && info->rank >= 0;
}

/* The batch that the file fixes: the first dimension of its first input. 0: it fixes none. */
static int64_t file_batch(const struct onnx_model *m)
{
    int i;

    for (i = 0; i < m->n_inputs; i++)
        if (is_data(m, &m->inputs[i]) && m->inputs[i].rank > 0)
            return m->inputs[i].d[0] > 0 ? m->inputs[i].d[0] : 0;
    return 0;
}

static enum ec_status add_input(struct onnx_conv *c, const struct onnx_info *info,
                                struct ec_err *err)
{
    const struct onnx_value *v = &c->m->values[info->value];
    struct ec_type t;
    char name[120];

    (void)snprintf(name, sizeof name, "%.*s", v->name.len > 100 ? 100 : (int)v->name.len,
                   v->name.p);
    if (!ec__onnx_info_type(c, info, &t))
        return ec_fail(err, EC_E_SHAPE, "input \"%s\" has a shape out of range", name);
    return ec_graph_add_input(c->g, name, &t, &c->val[info->value].gv, err);
}

static void known_tensor(struct onnx_conv *c, int value)
{
    const struct onnx_tensor *t = &c->m->tensors[c->m->values[value].tensor];
    struct onnx_known *k = t->v ? ec_arena_alloc(c->a, sizeof *k) : NULL;

    if (!k)
        return;
    *k = (struct onnx_known){ t->type, 0, t->v };
    if (ec_shape_count(&t->type.shape, &k->n))
        c->val[value].known = k;
}

/* What each value is before the first node: parameter, known contents, input. */
static enum ec_status begin_values(struct onnx_conv *c, struct ec_err *err)
{
    struct onnx_model *m = c->m;
    int i;

    for (i = 0; i < m->n_values; i++) {
        c->val[i] = (struct onnx_val){ .gv = -1, .param = m->values[i].is_param ? i : -1 };
        if (m->values[i].tensor >= 0)
            known_tensor(c, i);
    }
    for (i = 0; i < m->n_inputs; i++)
        if (is_data(m, &m->inputs[i]) && c->val[m->inputs[i].value].gv < 0)
            EC_PASS(add_input(c, &m->inputs[i], err));
    return EC_OK;
}

static bool reads_guess(const struct onnx_conv *c, const struct onnx_node *n)
{
    int i;

    for (i = 0; i < n->n_in; i++)
        if (n->in[i] >= 0 && c->val[n->in[i]].guessed)
            return true;
    return false;
}

/* What no rule can shape is opaque, and what reads a shape that was guessed may not fit. */
static enum ec_status convert_node(struct onnx_conv *c, const struct onnx_node *n,
                                   struct ec_err *err)
{
    const struct onnx_rule *r =
        n->domain.len && !ec_span_eq(n->domain, "ai.onnx") ? NULL : ec__onnx_rule(n->op);
    struct ec_err why = { 0 };
    enum ec_status st;

    ec_buf_reset(&c->words);
    c->r = r;
    c->err = r ? &why : err;
    if (!r)
        return ec__onnx_opaque(c);
    st = r->emit(c);
    if (st == EC_E_UNSUPPORTED || (st && st != EC_E_NOMEM && reads_guess(c, n))) {
        ec_buf_reset(&c->words);
        c->err = NULL;
        st = ec__onnx_opaque(c);
    }
    return st ? ec_fail(err, st, "%s", why.text) : EC_OK;
}

static void mark_outputs(struct onnx_conv *c, const struct onnx_node *n)
{
    bool constant = ec__onnx_is_constant(c), guessed = reads_guess(c, n);
    int i;

    for (i = 0; i < n->n_out; i++)
        if (n->out[i] >= 0) {
            c->val[n->out[i]].constant |= constant;
            c->val[n->out[i]].guessed |= guessed;
        }
}

static enum ec_status convert_nodes(struct onnx_conv *c, struct ec_err *err)
{
    enum ec_status st;
    int i;

    for (i = 0; i < c->m->n_nodes; i++) {
        const struct onnx_node *n = &c->m->nodes[c->m->order[i]];

        c->n = n;
        if (n->dead || ec__onnx_fold(c, n))
            continue;
        st = convert_node(c, n, err);
        mark_outputs(c, n);
        if (st) {
            ec_err_prefix(err, "ONNX node %d \"%.*s\" (%.*s): ", c->m->order[i],
                          n->name.len > 80 ? 80 : (int)n->name.len, n->name.p,
                          n->op.len > 40 ? 40 : (int)n->op.len, n->op.p);
            return st;
        }
    }
    return EC_OK;
}

static enum ec_status finish_outputs(struct onnx_conv *c, struct ec_err *err)
{
    struct onnx_model *m = c->m;
    int i, k;

    for (i = 0; i < m->n_outputs; i++) {
        int v = m->outputs[i].value;

        if (v >= 0 && c->val[v].gv >= 0)
            EC_PASS(ec_graph_add_output(c->g, c->val[v].gv, err));
    }
    for (i = 0; !m->n_outputs && i < m->n_nodes; i++)
        for (k = 0; k < m->nodes[i].n_out; k++) {
            int v = m->nodes[i].out[k];

            if (v >= 0 && !m->values[v].n_uses && c->val[v].gv >= 0)
                EC_PASS(ec_graph_add_output(c->g, c->val[v].gv, err));
        }
    return EC_OK;
}

static enum ec_status convert(struct onnx_conv *c, struct ec_err *err)
{
    char name[80];

    (void)snprintf(name, sizeof name, "%.*s",
                   c->m->graph_name.len > 60 ? 60 : (int)c->m->graph_name.len,
                   c->m->graph_name.len ? c->m->graph_name.p : "");
    c->g = ec_graph_new(name[0] ? name : "onnx");
    EC_PASS(ec_allocated(c->g, err));
    c->g->source = "onnx";
    c->g->batch = c->batch;
    c->g->arena.max_bytes = GRAPH_BASE_BYTES + c->a->max_bytes;
    EC_PASS(begin_values(c, err));
    EC_PASS(convert_nodes(c, err));
    return finish_outputs(c, err);
}

/* --- another batch: convert at the file's own first, to learn every shape --- */

static enum ec_status learn_shapes(struct onnx_conv *c, struct ec_err *err)
{
    struct ec_shape *old = ec_arena_alloc(c->a, (size_t)c->m->n_values * sizeof *old);
    struct ec_type t;
    int i;

    EC_PASS(ec_allocated(old, err));
    EC_PASS(convert(c, err));
    for (i = 0; i < c->m->n_values; i++)
        if (ec__onnx_type(c, i, &t))
            old[i] = t.shape;
    c->old = old;
    ec_graph_free(c->g);
    c->g = NULL;
    c->n_restored = c->n_unknown = c->n_tables = c->n_shared = 0;
    c->shared_elems = 0;
    return EC_OK;
}

/* --- notes --- */

/* Output layers have the table of the embedding, and biases that are zero are many: no note. */
#define SHARED_USUAL 2
#define SHARED_ELEMS 1e5

static enum ec_status note_unknown(struct onnx_conv *c, struct ec_err *err)
{
    struct ec_buf list = EC_BUF_INIT;
    enum ec_status st;
    int i;

    for (i = 0; i < c->n_unknown; i++)
        ec_buf_printf(&list, "%s%.*s (%d)", i ? ", " : "",
                      c->unknown[i].len > 40 ? 40 : (int)c->unknown[i].len, c->unknown[i].p,
                      c->n_unknown_of[i]);
    st =
        ec_graph_note(c->g, err, "operators counted by their traffic only: %s", ec_buf_text(&list));
    ec_buf_clear(&list);
    return st;
}

static enum ec_status note_rebatched(struct onnx_conv *c, struct ec_err *err)
{
    long long from = c->old_batch, to = c->batch;

    if (!c->n_rescaled)
        return ec_graph_note(c->g, err, "the file fixes batch %lld; it was changed to %lld", from,
                             to);
    return ec_graph_note(c->g, err,
                         "the file fixes batch %lld; it was changed to %lld, with %d constant "
                         "shape%s fitted to it",
                         from, to, c->n_rescaled, c->n_rescaled == 1 ? "" : "s");
}

/* Convolutions that kept the names of their biases may have had norms, which the file does not
 * show. Norms and dropout in it show that it is of training. */
static enum ec_status note_bare(const struct onnx_conv *c, struct ec_err *err)
{
    int i, bare = 0;

    for (i = 0; i < c->g->n_nodes; i++) {
        const struct ec_node *n = c->g->nodes[i];

        if (strstr(n->op->name, "norm") || ec_str_eq(n->op->name, "dropout"))
            return EC_OK;
        bare += ec_str_starts(n->op->name, "conv") && n->n_param > 1;
    }
    if (!bare || !ec_span_eq(c->m->producer, "pytorch"))
        return EC_OK;
    return ec_graph_note(
        c->g, err,
        "no normalization in a network with %d convolution%s with bias: an export in "
        "evaluation mode folds norms into them; if the network has norms, export "
        "model.train() for a training step",
        bare, bare == 1 ? "" : "s");
}

static enum ec_status add_notes(struct onnx_conv *c, int n_dropped, struct ec_err *err)
{
    if (c->n_unknown)
        EC_PASS(note_unknown(c, err));
    if (c->n_restored) {
        c->g->restored_norms = true;
        EC_PASS(ec_graph_note(c->g, err,
                              "an inference export: batch norms folded into %d convolutions were "
                              "put back (dropout cannot be); export with "
                              "training=torch.onnx.TrainingMode.TRAINING, "
                              "do_constant_folding=False to keep them",
                              c->n_restored));
    }
    EC_PASS(note_bare(c, err));
    if (c->n_shared > SHARED_USUAL && c->shared_elems > SHARED_ELEMS)
        EC_PASS(
            ec_graph_note(c->g, err,
                          "%d weights are shared with an earlier layer; kept apart they would be "
                          "%.0f more parameters: torch.onnx.export merges equal weights, as "
                          "those of a new nn.TransformerEncoder; export with "
                          "training=torch.onnx.TrainingMode.TRAINING to keep them apart",
                          c->n_shared, c->shared_elems));
    if (c->old)
        EC_PASS(note_rebatched(c, err));
    if ((c->g->sizes & EC_SIZE_SEQ_LEN) && ec__onnx_asked_size(c, EC_SIZE_SEQ_LEN) <= 0)
        EC_PASS(ec_graph_note(c->g, err, "the sequence length is open: %d was taken (--seq-len)",
                              ONNX_SEQ_LEN));
    if ((c->g->sizes & EC_SIZE_IMAGE) && ec__onnx_asked_size(c, EC_SIZE_IMAGE) <= 0)
        EC_PASS(ec_graph_note(c->g, err, "the image size is open: %d pixels were taken (--image)",
                              ONNX_IMAGE_PX));
    if (n_dropped)
        EC_PASS(ec_graph_note(c->g, err, "%d nodes that no output needs were left out", n_dropped));
    return EC_OK;
}

static enum ec_status run(struct onnx_conv *c, struct ec_err *err)
{
    int64_t fixed;
    int n_dropped = 0, n_trimmed = 0;
    enum ec_status st;

    EC_PASS(ec__onnx_sort(c->m, err));
    ec__onnx_mark_params(c->m);
    ec__onnx_drop_unneeded(c->m, &n_dropped);
    ec__onnx_fuse(c->m);
    ec__onnx_trim_recurrent(c->m);
    ec__onnx_drop_unneeded(c->m, &n_trimmed);
    c->val = ec_arena_alloc(c->a, (size_t)(c->m->n_values + 1) * sizeof *c->val);
    EC_PASS(ec_allocated(c->val, err));
    c->restore = !(c->opts && c->opts->as_exported);
    fixed = file_batch(c->m);
    c->batch = c->old_batch = fixed ? fixed : opt_batch(c);
    if (fixed && c->opts && c->opts->batch > 0 && c->opts->batch != fixed) {
        EC_PASS(learn_shapes(c, err));
        c->batch = c->opts->batch;
    }
    st = convert(c, err);
    if (st && c->old)
        ec_err_prefix(err,
                      "the file is for batch %lld and cannot be changed to %lld; export it with "
                      "dynamic_axes={\"INPUT\": {0: \"batch\"}}: ",
                      (long long)c->old_batch, (long long)c->batch);
    if (!st)
        st = ec__onnx_join(c, err);
    if (!st)
        st = add_notes(c, n_dropped, err);
    return st;
}

enum ec_status ec_graph_from_onnx(const void *data, size_t len, const struct ec_graph_opts *opts,
                                  struct ec_graph **ret, struct ec_err *err)
{
    struct ec_arena a = { 0 };
    struct onnx_model m;
    struct onnx_conv c = { .m = &m, .a = &a, .opts = opts, .words = EC_BUF_INIT };
    enum ec_status st;

    a.max_bytes = SCRATCH_BASE_BYTES + (len < SIZE_MAX / 64 ? len * SCRATCH_PER_BYTE : 0);
    c.words.max_bytes = 4096;
    EC_TRY(ec__onnx_parse(data, len, &a, &m, err));
    EC_TRY(run(&c, err));
    *ret = c.g;
    c.g = NULL;
out:
    ec_graph_free(c.g);
    ec_buf_clear(&c.words);
    ec_arena_clear(&a);
    return st;
}
