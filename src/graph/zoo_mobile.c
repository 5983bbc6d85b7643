/* Networks of inverted residuals: MobileNet V1 to V3, MNASNet, EfficientNet V1 and V2, and others.
 *
 * Their stages are words, in the notation common for them: ir_r2_k3_s2_e6_c24_se0.25
 *
 *   cn  convolution, norm, activation               r  blocks          k  filter
 *   ds  depthwise, then 1x1                         s  stride of the first block
 *   dsa the same, activation after the 1x1 too      e  expansion       c  channels out
 *   ir  1x1 to expansion x input, depthwise, 1x1    se squeeze-and-excitation, share of channels
 *   er  the first two fused into one convolution    n  activation: nre relu, nhs hard swish, nsw
 * silu skip, noskip: with or without the residual addition where that is not the rule */
#include "graph/zoo_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum kind { CN, DS, DSA, IR, ER };

#define PARTS_MAX 5

struct stage {
    enum kind kind;
    int64_t repeat, k[PARTS_MAX], stride, channels, fake_in;
    int n_k, first, last; /* filters mixed; groups of the 1x1 */
    double expand, se;
    const char *act;
    bool skip;
};

static bool is_prefix(struct ec_span s, const char *prefix)
{
    return s.len >= strlen(prefix) && memcmp(s.p, prefix, strlen(prefix)) == 0;
}

/* "3.5.7": how many, and which. */
static bool stage_list(struct ec_span text, int64_t v[PARTS_MAX], int *ret_n)
{
    struct ec_span part;
    int n = 0;

    while (text.p && ec_span_cut(&text, '.', &part))
        if (n == PARTS_MAX || !ec_parse_int(part, &v[n]) || v[n] < 1 || v[n++] > 1000)
            return false;
    *ret_n = n;
    return n > 0;
}

static bool stage_number(struct stage *st, char key, struct ec_span digits)
{
    int64_t unused[PARTS_MAX];
    double v;

    if (key == 'k')
        return stage_list(digits, st->k, &st->n_k);
    if (key == 'a' || key == 'p')
        return stage_list(digits, unused, key == 'a' ? &st->first : &st->last);
    if (!ec_parse_double(digits, &v) || v < 0 || v > 1e6)
        return false;
    switch (key) {
    case 'r':
        st->repeat = (int64_t)v;
        return true;
    case 's':
        st->stride = (int64_t)v;
        return v >= 1;
    case 'c':
        st->channels = (int64_t)v;
        return v >= 1;
    case 'f':
        st->fake_in = (int64_t)v;
        return v >= 1;
    case 'e':
        st->expand = v;
        return v > 0;
    default:
        return false;
    }
}

static bool stage_word(struct stage *st, struct ec_span w)
{
    static const struct {
        const char *word, *act;
    } acts[] = {
        {"nre",  "relu"      },
        { "nhs", "hard_swish"},
        { "nsw", "silu"      },
        { "nr6", "relu6"     }
    };
    int i;

    for (i = 0; i < EC_LEN(acts); i++)
        if (ec_span_eq(w, acts[i].word)) {
            st->act = acts[i].act;
            return true;
        }
    if (ec_span_eq(w, "skip") || ec_span_eq(w, "noskip")) {
        st->skip = w.len == 4;
        return true;
    }
    if (is_prefix(w, "se"))
        return ec_parse_double((struct ec_span){ w.p + 2, w.len - 2 }, &st->se) && st->se > 0 &&
               st->se <= 1;
    if (is_prefix(w, "fc"))
        return stage_number(st, 'f', (struct ec_span){ w.p + 2, w.len - 2 });
    return w.len > 1 && stage_number(st, w.p[0], (struct ec_span){ w.p + 1, w.len - 1 });
}

static bool stage_parse(struct ec_span text, const char *act, struct stage *ret)
{
    static const char *const kinds[] = { "cn", "ds", "dsa", "ir", "er" };
    struct stage st = { .repeat = 1, .k = { 3 }, .stride = 1, .n_k = 1, .first = 1, .last = 1 };
    struct ec_span w;
    int i;

    st.expand = 1;
    st.act = act;
    if (!ec_span_cut(&text, '_', &w))
        return false;
    for (i = 0; i < EC_LEN(kinds) && !ec_span_eq(w, kinds[i]); i++)
        ;
    if (i == EC_LEN(kinds))
        return false;
    st.kind = (enum kind)i;
    st.skip = st.kind != CN;
    while (text.p && ec_span_cut(&text, '_', &w))
        if (!stage_word(&st, w))
            return false;
    *ret = st;
    return st.channels > 0 && st.repeat >= 0 && st.repeat <= 1000;
}

static int squeeze(struct ec_builder *b, int x, const struct ec__mobile *v, const struct stage *st,
                   int64_t in)
{
    if (st->se <= 0)
        return x;
    if (v->se_mid)
        return ec__se(b, x, ec__round_to((double)ec_b_dim(b, x, 1) * st->se, 8, false), "relu",
                      "hard_sigmoid");
    return ec__se(b, x, (int64_t)fmax(1, nearbyint((double)in * st->se)), st->act, "sigmoid");
}

/* Parts of the channels, each with its own filter; what does not divide goes to the first. */
static int mixed(struct ec_builder *b, int x, struct ec__conv c, const int64_t *k, int n)
{
    int64_t in = ec_b_dim(b, x, 1), out = c.k, rest = in - in / n * (n - 1);
    bool depthwise = c.groups > 1;
    char sizes[160];
    int xs[PARTS_MAX], i, at;

    at = snprintf(sizes, sizeof sizes, "%lld", EC__I64(rest));
    for (i = 1; i < n; i++)
        at += snprintf(sizes + at, sizeof sizes - (size_t)at, ",%lld", EC__I64(in / n));
    (void)ec_b1(b, x, "split axis=1 sizes=%s", sizes);
    for (i = 0; i < n && !b->st; i++)
        xs[i] = b->g->nodes[b->g->n_nodes - 1]->out[i];
    for (i = 0; i < n && !b->st; i++) {
        c.k = i ? out / n : out - out / n * (n - 1);
        c.r = k ? k[i] : c.r;
        c.groups = depthwise ? c.k : 1;
        xs[i] = ec__conv(b, xs[i], c);
    }
    return b->st ? -1 : ec_bn(b, xs, n, "concat");
}

static int maybe_mixed(struct ec_builder *b, int x, struct ec__conv c, const int64_t *k, int n)
{
    if (n > 1)
        return ec_b1(b, mixed(b, x, c, k, n), "batch_norm");
    c.r = k ? k[0] : c.r;
    return ec__conv_bn(b, x, c);
}

/* The layers of one block without the residual addition. */
static int inner(struct ec_builder *b, int x, const struct ec__mobile *v, const struct stage *st,
                 int64_t out, int64_t stride)
{
    int64_t in = ec_b_dim(b, x, 1), from = in, mid;
    bool wide = st->expand != 1; /* exactly as written in the stage's word */
    const char *act = st->act;

    if (st->fake_in)
        from = ec__round_to((double)st->fake_in * v->width, 8, v->nearest);
    mid = ec__round_to((double)from * st->expand, 8, false);
    if (st->kind == CN || (st->kind == ER && !wide))
        return ec__conv_bn_act(b, x, EC__CONV(.k = out, .r = st->k[0], .stride = stride), act);
    if (st->kind == ER) {
        x = ec__conv_bn_act(b, x, EC__CONV(.k = mid, .r = st->k[0], .stride = stride), act);
    } else {
        if (st->kind == IR && wide)
            x = ec__act(b, maybe_mixed(b, x, EC__CONV(.k = mid), NULL, st->first), act);
        mid = ec_b_dim(b, x, 1);
        x = maybe_mixed(b, x, EC__CONV(.k = mid, .stride = stride, .groups = mid), st->k, st->n_k);
        x = ec__act(b, x, act);
    }
    x = squeeze(b, x, v, st, in);
    x = maybe_mixed(b, x, EC__CONV(.k = out), NULL, st->last);
    return ec__act(b, x, st->kind == DSA ? act : NULL);
}

static int64_t scaled_depth(const struct ec__mobile *v, const struct stage *st, bool end)
{
    double n = (double)st->repeat * v->depth;

    if (end && v->fixed_ends)
        return st->repeat;
    n = v->round_depth ? nearbyint(n) : ceil(n - 1e-9);
    return n < 1 ? 1 : (int64_t)n;
}

static int run_stage(struct ec_builder *b, int x, const struct ec__mobile *v,
                     const struct stage *st, int index, bool end)
{
    int64_t n = scaled_depth(v, st, end), i;
    int64_t out = ec__round_to((double)st->channels * v->width, 8, v->nearest);

    for (i = 0; i < n && !b->st; i++) {
        int64_t stride = i ? 1 : st->stride, in = ec_b_dim(b, x, 1);
        size_t old = ec_b_push(b, "blocks.%d.%lld.", index, EC__I64(i));
        int y = inner(b, x, v, st, out, stride);

        if (st->skip && st->kind != DSA && stride == 1 && in == out)
            y = ec__add(b, ec__drop_path(b, y, v->drop_path), x);
        ec_b_pop(b, old);
        x = y;
    }
    return x;
}

static int run_stages(struct ec_builder *b, int x, const struct ec__mobile *v)
{
    struct ec_span rest = ec_span_of(v->stages), word;
    int index = 0;

    while (!b->st && ec_span_cut(&rest, ' ', &word)) {
        struct stage st;

        if (!word.len)
            continue;
        if (!stage_parse(word, v->act, &st)) {
            b->st = ec_fail(b->err, EC_E_INPUT, "stage \"%.*s\" is not like ir_r2_k3_s2_e6_c24",
                            word.len > 60 ? 60 : (int)word.len, word.p);
            break;
        }
        x = run_stage(b, x, v, &st, index, index == 0 || !rest.p);
        index++;
    }
    return x;
}

static int head(struct ec_builder *b, int x, const struct ec__mobile *v, const struct ec__net *net)
{
    bool fixed = v->fixed_ends || v->head_rule == EC__HEAD_NEVER ||
                 (v->head_rule == EC__HEAD_ABOVE_1 && v->width < 1);
    double scale = fixed ? 1 : v->width;
    int64_t k = ec__round_to((double)v->head * scale, 8, v->nearest);

    if (v->head)
        x = ec__conv_bn_act(b, x, EC__CONV(.k = k, .name = "conv_head"), v->act);
    x = ec_b1(b, x, "global_avg_pool");
    x = ec_b1(b, x, "flatten");
    if (v->hidden)
        x = ec__act(b, ec__linear(b, x, v->hidden, true, "pre_classifier"), v->act);
    return ec__linear(b, ec__dropout(b, x, v->dropout), net->classes, true, "classifier");
}

static int build(struct ec_builder *b, const struct ec__net *net, const void *variant)
{
    const struct ec__mobile *v = variant;
    int64_t k = v->fixed_ends || v->fixed_stem
                    ? v->stem
                    : ec__round_to((double)v->stem * v->width, 8, v->nearest);
    int x = ec__input_image(b, net, 3);

    x = ec__conv_bn_act(
        b, x, EC__CONV(.k = k, .r = 3, .stride = 2, .name = "conv_stem", .norm = "bn1"), v->act);
    return head(b, run_stages(b, x, v), v, net);
}

/* clang-format off */
#define T struct ec__mobile
static const struct ec_field fields[] = {
    EC__REAL(T, "width", width, 0.01, 64, "multiplies the channels"),
    EC__REAL(T, "depth", depth, 0.01, 64, "multiplies the blocks of a stage"),
    EC__BOOL(T, "nearest", nearest, "scaled channels to the nearest multiple of 8"),
    EC__INT(T, "stem", stem, 1, 65536, "filters of the first convolution"),
    EC__INT(T, "head", head, 0, 65536, "filters of the last 1x1 convolution; 0: none"),
    EC__INT(T, "hidden", hidden, 0, 65536, "features between pool and classifier; 0: none"),
    EC__STR(T, "act", act, "activation: relu, relu6, silu, hard_swish"),
    EC__STR(T, "stages", stages, "stages joined by blanks: ir_r2_k3_s2_e6_c24"),
    EC__REAL(T, "dropout", dropout, 0, 0.99, "probability before the classifier"),
    EC__REAL(T, "drop_path", drop_path, 0, 0.99, "probability of dropping a block"),
    EC_FIELD_END
};
#undef T
/* clang-format on */

const struct ec__family ec__family_mobile = {
    "mobile", "inverted residuals", "classify", sizeof(struct ec__mobile), fields, build,
};
