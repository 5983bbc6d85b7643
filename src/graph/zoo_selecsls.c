/* SelecSLS (Mehta et al. 2020): blocks that join what three depths gave.
 *
 * Layers are words: first_m64_c64 is a strided block of m channels inside and c in its result,
 * next_m64_c128 one that joins the result of the last `first`, too; conv_k3_c960_s2 a convolution.
 */
#include "graph/zoo_internal.h"

#define SELECSLS(X, T)                                                                             \
    X(T, STR, layers, "blocks joined by blanks: first_m64_c64 next_m64_c128 conv_k3_c960_s2")
EC__VARIANT(selecsls, SELECSLS);

static int cbr(struct ec_builder *b, int x, int64_t k, int64_t r, int64_t stride)
{
    return ec__conv_bn_act(b, x, EC__CONV(.k = k, .r = r, .stride = stride), "relu");
}

static int block(struct ec_builder *b, int x, int side, int64_t mid, int64_t out, bool first)
{
    int xs[4];

    xs[0] = cbr(b, x, mid, 3, first ? 2 : 1);
    xs[1] = cbr(b, cbr(b, xs[0], mid, 1, 1), mid / 2, 3, 1);
    xs[2] = cbr(b, cbr(b, xs[1], mid, 1, 1), mid / 2, 3, 1);
    xs[3] = side;
    return cbr(b, ec_bn(b, xs, first ? 3 : 4, "concat"), out, 1, 1);
}

static int layer(struct ec_builder *b, int x, struct ec_span text, int *side)
{
    struct ec__word w;
    bool known = ec__word_parse(text, "mcks", &w), first = ec_span_eq(w.kind, "first");
    int64_t mid = (int64_t)ec__word_get(&w, 'm', 0), out = (int64_t)ec__word_get(&w, 'c', 0);

    if (known && out >= 1 && ec_span_eq(w.kind, "conv"))
        return cbr(b, x, out, (int64_t)ec__word_get(&w, 'k', 1), (int64_t)ec__word_get(&w, 's', 1));
    if (known && out >= 1 && mid >= 2 && (first || (ec_span_eq(w.kind, "next") && *side >= 0))) {
        x = block(b, x, *side, mid, out, first);
        *side = first ? x : *side;
        return x;
    }
    b->st = ec_fail(b->err, EC_E_INPUT, "layer \"%.*s\" is not like first_m64_c64 next_m64_c128",
                    text.len > 60 ? 60 : (int)text.len, text.p);
    return -1;
}

static int build(struct ec_builder *b, const struct ec__net *net, const void *variant)
{
    const struct ec__selecsls *v = variant;
    struct ec_span rest = ec_span_of(v->layers), word;
    int x = cbr(b, ec__input_image(b, net, 3), 32, 3, 2), side = -1, i = 0;

    while (!b->st && rest.p && ec_span_cut(&rest, ' ', &word)) {
        size_t old = ec_b_push(b, "features.%d.", i++);

        x = layer(b, x, word, &side);
        ec_b_pop(b, old);
    }
    return ec__classifier(b, x, 0, net->classes, "fc");
}

EC__FAMILY(selecsls, "blocks that join three depths", "classify", SELECSLS, build);
