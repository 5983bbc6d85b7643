/* Networks of inverted residuals: MobileNet V1 to V4, MNASNet, EfficientNet V1 and V2, MobileViT,
 * and others. Their stages are words in the notation of zoo_mobile_stage.c. */
#include "graph/zoo_mobile_internal.h"

#include <math.h>

/* How the last 1x1 convolution follows the width. */
enum ec__head_rule { EC__HEAD_ABOVE_1, EC__HEAD_ALWAYS, EC__HEAD_NEVER };

#define MAPS_MAX 8 /* sizes of maps that are kept */

static int64_t scaled_depth(const struct ec__mobile *v, const struct ec__stage *st, bool end)
{
    double n = (double)st->repeat * v->depth;

    if (end && v->fixed_ends)
        return st->repeat;
    n = v->round_depth ? nearbyint(n) : ceil(n - 1e-9);
    return n < 1 ? 1 : (int64_t)n;
}

/* `unfold`: 2x2 pixels are channels still, and the first block leaves so in place of a stride. */
static int run_stage(struct ec_builder *b, int x, const struct ec__mobile *v,
                     const struct ec__stage *stage, int index, bool end, bool unfold)
{
    int64_t n = scaled_depth(v, stage, end), i, by = v->by ? v->by : 8;
    int64_t out = ec__round_to((double)stage->channels * v->width, by, v->nearest);

    out *= stage->fold ? 4 : 1;
    for (i = 0; ec_b_each(b, i, n, "blocks.%d.%lld.", index, EC__I64(i)); i++) {
        struct ec__stage st = *stage;
        int64_t stride = i || unfold ? 1 : st.stride, in = ec_b_dim(b, x, 1);
        int y;

        st.fold = !i && st.fold;
        st.expand /= !i && unfold ? 4 : 1;
        y = ec__mobile_block(b, x, v, &st, out, stride);
        if (st.skip && st.kind != EC__DSA && stride == 1 && in == out)
            y = ec__add(b, ec__drop_path(b, y, v->drop_path), x);
        x = y;
    }
    return x;
}

/* The last map of each size, the smallest last. */
struct maps {
    int at[MAPS_MAX];
    int n;
};

static int run_stages(struct ec_builder *b, int x, const struct ec__mobile *v, struct maps *ret)
{
    struct ec_span rest = ec_span_of(v->stages), word;
    bool folded = false, unfold;
    int index = 0;

    ret->n = 0;
    while (!b->st && ec_span_cut(&rest, ' ', &word)) {
        struct ec__stage st;

        if (!word.len)
            continue;
        if (!ec__stage_parse(word, v->act, &st)) {
            b->st = ec_fail(b->err, EC_E_INPUT, "stage \"%.*s\" is not like ir_r2_k3_s2_e6_c24",
                            word.len > 60 ? 60 : (int)word.len, word.p);
            break;
        }
        if (st.stride > 1 && ret->n < MAPS_MAX - 1)
            ret->at[ret->n++] = x;
        unfold = folded && st.stride > 1;
        folded = st.fold;
        x = run_stage(b, x, v, &st, index, index == 0 || !rest.p, unfold);
        index++;
    }
    ret->at[ret->n++] = x;
    return x;
}

/* The last maps at the size of their largest, through an expansion; then a map of 16 x 16. */
static int fused_maps(struct ec_builder *b, const struct ec__mobile *v, const struct maps *maps)
{
    int first = maps->n > v->fuse ? maps->n - (int)v->fuse : 0, i, x, xs[MAPS_MAX];
    int64_t h = ec_b_dim(b, maps->at[first], 2), w = ec_b_dim(b, maps->at[first], 3);

    for (i = first; i < maps->n; i++)
        xs[i] = i == first ? maps->at[i]
                           : ec_b1(b, maps->at[i], "resize size=%lldx%lld mode=nearest", EC__I64(h),
                                   EC__I64(w));
    x = ec__concat(b, xs + first, maps->n - first);
    x = ec__conv(b, x, EC__CONV(.k = 2 * ec_b_dim(b, x, 1), .name = "msfa.pw_exp"));
    x = ec__mobile_norm(b, x, v, v->act);
    x = ec__mobile_norm(b, ec__conv(b, x, EC__CONV(.k = v->head, .name = "msfa.pw_proj")), v, NULL);
    if (h % 16 || w % 16)
        x = ec__resize(b, x, 16, 16);
    else if (h > 16 || w > 16)
        x = ec_b1(b, x, "avg_pool2d r=%lld s=%lld stride=%lld,%lld", EC__I64(h / 16),
                  EC__I64(w / 16), EC__I64(h / 16), EC__I64(w / 16));
    return ec__mobile_norm(b, x, v, NULL);
}

static int head(struct ec_builder *b, int x, const struct ec__mobile *v, const struct maps *maps,
                int64_t classes)
{
    bool fixed = v->fixed_ends || v->head_rule == EC__HEAD_NEVER ||
                 (v->head_rule == EC__HEAD_ABOVE_1 && v->width < 1);
    double scale = fixed ? 1 : v->width;
    int64_t k = ec__round_to((double)v->head * scale, v->by ? v->by : 8, v->nearest);

    if (v->fuse)
        x = fused_maps(b, v, maps);
    else if (v->head)
        x = ec__mobile_norm(b, ec__conv(b, x, EC__CONV(.k = k, .name = "conv_head")), v, v->act);
    x = ec_b1(b, x, "global_avg_pool");
    if (v->hidden_norm)
        x = ec__mobile_norm(b, ec__conv(b, x, EC__CONV(.k = v->hidden, .name = "conv_head")), v,
                            v->act);
    x = ec_b1(b, x, "flatten");
    if (v->hidden && !v->hidden_norm)
        x = ec__act(b, ec__linear(b, x, v->hidden, true, "pre_classifier"), v->act);
    if (!classes)
        return x;
    return ec__linear(b, ec__dropout(b, x, v->dropout), classes, true, "classifier");
}

static int build(struct ec_builder *b, const struct ec__net *net, const void *variant)
{
    const struct ec__mobile *v = variant;
    int64_t k = v->fixed_ends || v->fixed_stem
                    ? v->stem
                    : ec__round_to((double)v->stem * v->width, v->by ? v->by : 8, v->nearest);
    struct ec__conv stem = { .k = k, .r = v->stem_r ? v->stem_r : 3, .stride = 2 };
    int x = ec__input_image(b, net, 3);
    struct maps maps;

    stem.name = "conv_stem", stem.norm = "bn1";
    x = v->norm == EC__BATCH_NORM ? ec__conv_bn_act(b, x, stem, v->act)
                                  : ec__mobile_norm(b, ec__conv(b, x, stem), v, v->act);
    x = run_stages(b, x, v, &maps);
    return head(b, x, v, &maps, net->classes);
}

static const char *const norms[] = { "batch", "group", "layer", "evo", "rms", NULL };
static const char *const head_rules[] = { "above_1", "always", "never", NULL };
static const char *const pools[] = { "none", "avg", "blur", NULL };

EC__FAMILY(mobile, "inverted residuals", "classify", MOBILE, build);
