/* ViT and what grew out of it: DeiT, hybrids, relative and rotary positions, EVA, DINO, SigLIP,
 * AIM. One block of attention and dense layers, from the first to the last. */
#include "graph/zoo_vit_internal.h"

enum ec__vit_positions { EC__OF_ALL, EC__OF_PATCHES, EC__OF_NONE };

enum ec__vit_pool { EC__POOL_TOKEN, EC__POOL_MEAN, EC__POOL_ATTENTION };

enum ec__vit_block { EC__BLOCK_PRE, EC__BLOCK_POST, EC__BLOCK_PARALLEL };

enum ec__vit_gate { EC__UNGATED, EC__GATE_PACKED, EC__GATE_SPLIT }; /* one dense layer, or two */

int ec__vit_act(struct ec_builder *b, int x, const struct ec__vit *v)
{
    if (!v->act)
        return ec_b1(b, x, "gelu");
    if (!ec_str_eq(v->act, "quick_gelu"))
        return ec_b1(b, x, "%s", v->act);
    return ec_b2(b, x, ec_b1(b, ec_b1(b, x, "scale_scalar mul=1.702"), "sigmoid"), "mul");
}

/* --- Blocks --- */

/* The first half of one dense layer, or a second layer, decides what passes. */
static int gated(struct ec_builder *b, int x, const struct ec__vit *v)
{
    const char *act = v->act ? v->act : "silu";
    const struct ec_node *split;
    int gate, up;

    if (v->gate == EC__GATE_SPLIT) {
        gate = ec__linear(b, x, v->ffn, !v->no_bias, "mlp.fc1_g");
        up = ec__linear(b, x, v->ffn, !v->no_bias, "mlp.fc1_x");
        return ec_b2(b, ec__act(b, gate, act), up, "mul");
    }
    (void)ec_b1(b, ec__linear(b, x, 2 * v->ffn, !v->no_bias, "mlp.fc1"), "split axis=2 parts=2");
    split = ec_b_last(b);
    return split ? ec_b2(b, ec__act(b, split->out[0], act), split->out[1], "mul") : -1;
}

static int mlp(struct ec_builder *b, int x, const struct ec__vit *v)
{
    if (v->mlp_first_norm)
        x = ec__vit_norm(b, x, v, "mlp.norm0");
    if (v->gate)
        x = gated(b, x, v);
    else
        x = ec__vit_act(b, ec__linear(b, x, v->ffn, !v->no_bias, "mlp.fc1"), v);
    x = ec__dropout(b, x, v->dropout);
    if (v->mlp_norm)
        x = ec__vit_norm(b, x, v, "mlp.norm");
    return ec__dropout(b, ec__linear(b, x, v->hidden, !v->no_bias, "mlp.fc2"), v->dropout);
}

/* Queries, keys, values and what is inside the MLP, of one dense layer; of two where only the MLP
 * has a bias. */
static void parallel_parts(struct ec_builder *b, int x, const struct ec__vit *v, int qkv[3],
                           int *ret_inner)
{
    int64_t c = v->hidden, f = v->ffn;
    const struct ec_node *split;
    int first = v->no_qkv_bias ? 0 : 1, i;

    if (v->no_qkv_bias) {
        *ret_inner = ec__linear(b, x, f, true, "in_proj.mlp");
        (void)ec_b1(b, ec__linear(b, x, 3 * c, false, "in_proj.qkv"), "split axis=2 parts=3");
    } else {
        (void)ec_b1(b, ec__linear(b, x, f + 3 * c, true, "in_proj"),
                    "split axis=2 sizes=%lld,%lld,%lld,%lld", EC__I64(f), EC__I64(c), EC__I64(c),
                    EC__I64(c));
    }
    split = ec_b_last(b);
    for (i = 0; i < 3; i++)
        qkv[i] = split ? split->out[first + i] : -1;
    if (first)
        *ret_inner = split ? split->out[0] : -1;
}

static int parallel(struct ec_builder *b, int x, const struct ec__vit *v,
                    const struct ec__vit_shared *s)
{
    int qkv[3], inner = -1, y;

    parallel_parts(b, ec__vit_norm(b, x, v, "in_norm"), v, qkv, &inner);
    y = ec__vit_attend(b, qkv, v, s);
    inner = ec__vit_act(b, inner, v);
    if (v->differential) {
        y = ec_bn(b, (int[]){ y, inner }, 2, "concat axis=2");
        y = ec__linear(b, y, v->hidden, true, "out_proj");
    } else {
        y = ec__linear(b, y, v->hidden, true, "attn_out_proj");
        y = ec__add(b, y, ec__linear(b, inner, v->hidden, true, "mlp_out_proj"));
    }
    return ec__residual(b, x, y, v->scale ? "ls" : NULL, v->drop_path);
}

static int block(struct ec_builder *b, int x, const struct ec__vit *v,
                 const struct ec__vit_shared *s)
{
    bool post = v->block == EC__BLOCK_POST;
    int y;

    if (v->block == EC__BLOCK_PARALLEL)
        return parallel(b, x, v, s);
    y = ec__vit_attention(b, post ? x : ec__vit_norm(b, x, v, "norm1"), v, s);
    y = post ? ec__vit_norm(b, y, v, "norm1") : y;
    x = ec__residual(b, x, y, v->scale ? "ls1" : NULL, v->drop_path);
    y = mlp(b, post ? x : ec__vit_norm(b, x, v, "norm2"), v);
    y = post ? ec__vit_norm(b, y, v, "norm2") : y;
    return ec__residual(b, x, y, v->scale ? "ls2" : NULL, v->drop_path);
}

/* --- Tokens --- */

/* One table of the side `from` along an axis of the map, resized to the map. */
static int resized(struct ec_builder *b, const char *name, int64_t c, const int64_t from[2],
                   const int64_t to[2])
{
    int x = ec_b_param(b, name, 4, (int64_t)1, c, from[0], from[1]);

    if (from[0] == to[0] && from[1] == to[1])
        return x;
    return ec_b1(b, x, "resize size=%lld,%lld mode=linear", EC__I64(to[0]), EC__I64(to[1]));
}

/* Positions that are a map of another size, (1, t, c). */
static int map_positions(struct ec_builder *b, const struct ec__vit *v, int64_t side)
{
    const int64_t map[2] = { v->grid, v->grid }, rows[2] = { v->grid, 1 },
                  columns[2] = { 1, v->grid };
    const int64_t to[2] = { side, side }, to_rows[2] = { side, 1 }, to_columns[2] = { 1, side };
    int x;

    if (!v->factored)
        return ec__map_tokens(b, resized(b, "pos_embed", v->hidden, map, to));
    x = resized(b, "pos_embed_y", v->hidden, rows, to_rows);
    x = ec__add(b, x, resized(b, "pos_embed_x", v->hidden, columns, to_columns));
    return ec__map_tokens(b, x);
}

/* Patches as tokens, with the class (and other) tokens in front and positions added. */
static int tokens(struct ec_builder *b, int image, const struct ec__vit *v, int64_t *ret_side)
{
    int64_t patch;
    int x = ec__vit_stem(b, image, v, &patch);

    if (patch)
        x = ec_b1(b, x, "conv2d k=%lld r=%lld stride=%lld bias=%d name=conv_proj",
                  EC__I64(v->hidden), EC__I64(patch), EC__I64(patch), !v->pre_norm);
    *ret_side = ec_b_dim(b, x, 2);
    x = ec__map_tokens(b, x);
    if (v->embed_norm)
        x = ec__vit_norm(b, x, v, "embed_norm");
    if (v->positions == EC__OF_PATCHES && v->grid)
        x = ec__add(b, x, map_positions(b, v, *ret_side));
    else if (v->positions == EC__OF_PATCHES)
        x = ec__positions(b, x, "pos_embedding");
    x = v->extra ? ec__prefix(b, x, v->extra, "class_token") : x;
    if (v->positions == EC__OF_ALL)
        x = ec__positions(b, x, "pos_embedding");
    return ec__dropout(b, x, v->dropout);
}

static int pooled(struct ec_builder *b, int x, const struct ec__vit *v)
{
    if (v->pool == EC__POOL_TOKEN)
        return ec__token(b, x, 0);
    if (v->pool == EC__POOL_ATTENTION)
        return ec__vit_pool_attention(b, x, v);
    if (v->extra)
        x = ec__tokens_of(b, x, v->extra, ec_b_dim(b, x, 1));
    return ec_b1(b, x, "reduce_mean axes=1 keepdims=0");
}

/* No classes: the pooled features are the output. */
static int head(struct ec_builder *b, int x, const struct ec__vit *v, int64_t classes)
{
    int first;

    if (v->norm == EC__NORM_BEFORE)
        x = ec__vit_norm(b, x, v, "norm");
    first = pooled(b, x, v);
    if (v->norm == EC__NORM_AFTER)
        first = ec__vit_norm(b, first, v, "fc_norm");
    if (classes)
        first = ec__linear(b, first, classes, true, "head");
    if (v->distilled) {
        x = ec__linear(b, ec__token(b, x, 1), classes, true, "head_dist");
        if (!b->st)
            b->st = ec_graph_add_output(b->g, x, b->err);
    }
    return first;
}

static bool fits(struct ec_builder *b, const struct ec__net *net, const struct ec__vit *v)
{
    int64_t heads = v->differential ? 2 * v->heads : v->heads;

    if (net->size < v->patch || v->hidden % heads || (v->rope && v->hidden / v->heads % 4)) {
        b->st = ec_fail(b->err, EC_E_INPUT,
                        "the image must hold a patch of %lld, and %lld heads divide hidden %lld%s",
                        EC__I64(v->patch), EC__I64(heads), EC__I64(v->hidden),
                        v->rope ? " to multiples of 4" : "");
        return false;
    }
    if (v->pool == EC__POOL_TOKEN && v->extra < 1 + v->distilled)
        b->st = ec_fail(b->err, EC_E_INPUT, "a pool of the class token wants %d extra, found %lld",
                        1 + v->distilled, EC__I64(v->extra));
    return !b->st;
}

static int build(struct ec_builder *b, const struct ec__net *net, const void *variant)
{
    const struct ec__vit *v = variant;
    struct ec__vit_shared s;
    int64_t side;
    int x;

    if (!fits(b, net, v))
        return -1;
    x = tokens(b, ec__input_image(b, net, 3), v, &side);
    if (v->pre_norm)
        x = ec__vit_norm(b, x, v, "norm_pre");
    ec__vit_share(b, v, side, &s);
    for (; ec_b_each(b, s.block, v->layers, "blocks.%lld.", EC__I64(s.block)); s.block++)
        x = block(b, x, v, &s);
    return head(b, x, v, net->classes);
}

static const char *const stems[] = { "patches", "resnetv2", "resnetd", "convs", "vitamin", NULL };
static const char *const places[] = { "all", "patches", "none", NULL };
static const char *const ropes[] = { "none", "fixed", "learned", NULL };
static const char *const blocks[] = { "pre", "post", "parallel", NULL };
static const char *const gates[] = { "none", "packed", "split", NULL };
static const char *const pools[] = { "token", "mean", "attention", NULL };
static const char *const norms[] = { "before", "after", "none", NULL };

EC__FAMILY(vit, "vision transformer", "classify", VIT, build);
