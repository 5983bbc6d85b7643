/* Reads the notation of mobile stages: ir_r2_k3_s2_e6_c24_se0.25
 *
 *   cn   convolution, norm, activation               r  blocks         k  filter
 *   ds   depthwise, then 1x1                         s  stride of the first block
 *   dsa  the same, activation after the 1x1 too      e  expansion      c  channels out
 *   ir   1x1 to expansion x input, depthwise, 1x1    se squeeze-and-excitation, share of channels
 *   er   the first two fused into one convolution    n  activation: nre relu, nhs hard swish, nsw
 *   uir  ir with a depthwise convolution in front of   silu, nr6 relu6
 *        it (filter a) and without that of k0        skip, noskip: with or without the residual
 *   mqa  attention of several queries to one key       addition where that is not the rule
 *        and value: h heads of d features, v stride  a, p  parts of the 1x1 before and after: a1.1
 *        of the maps of keys and values              fc expansion of so many channels
 *   mvit attention among pixels of equal places in   m  inner channels  q  squeezed channels, where
 *        2x2 patches, t layers of d features            a share does not give them
 *   mvit2 the same with attention of linear cost     gs channels of a group of the filter
 *                                                    d1 2x2 pixels become channels first
 *                                                    cc experts: filters are mixed per sample */
#include "graph/zoo_mobile_internal.h"

#include <string.h>

static bool is_prefix(struct ec_span s, const char *prefix)
{
    return s.len >= strlen(prefix) && memcmp(s.p, prefix, strlen(prefix)) == 0;
}

static struct ec_span after(struct ec_span s, size_t n)
{
    return (struct ec_span){ s.p + n, s.len - n };
}

/* "3.5.7": how many, and which. */
static bool parse_parts(struct ec_span text, struct ec__parts *ret)
{
    struct ec_span part;

    ret->n = 0;
    while (text.p && ec_span_cut(&text, '.', &part)) {
        int64_t v;

        if (ret->n == EC__PARTS_MAX || !ec_parse_int(part, &v) || v < 0 || v > 1000)
            return false;
        ret->v[ret->n++] = v;
    }
    return ret->n > 0;
}

/* Longer keys before those that begin like them. */
static const struct {
    const char *key;
    size_t offset;
    int64_t lo;
} counts[] = {
    {"fc",  offsetof(struct ec__stage, fake_in),   1},
    { "gs", offsetof(struct ec__stage, group),     1},
    { "cc", offsetof(struct ec__stage, experts),   1},
    { "r",  offsetof(struct ec__stage, repeat),    0},
    { "s",  offsetof(struct ec__stage, stride),    1},
    { "c",  offsetof(struct ec__stage, channels),  1},
    { "m",  offsetof(struct ec__stage, mid),       1},
    { "q",  offsetof(struct ec__stage, squeeze),   1},
    { "h",  offsetof(struct ec__stage, heads),     1},
    { "v",  offsetof(struct ec__stage, kv_stride), 1},
    { "t",  offsetof(struct ec__stage, layers),    1},
};

static bool parse_count(struct ec__stage *st, struct ec_span w)
{
    int64_t v;
    int i;

    for (i = 0; i < EC_LEN(counts); i++)
        if (is_prefix(w, counts[i].key)) {
            if (!ec_parse_int(after(w, strlen(counts[i].key)), &v) || v < counts[i].lo ||
                v > 1000000)
                return false;
            *(int64_t *)(void *)((char *)st + counts[i].offset) = v;
            return true;
        }
    return false;
}

/* d1 of a convolution, d64 of attention */
static bool parse_d(struct ec__stage *st, struct ec_span digits)
{
    int64_t v;

    if (!ec_parse_int(digits, &v) || v < 1 || v > 100000)
        return false;
    *(st->kind >= EC__MQA ? &st->dim : &st->fold) = v;
    return true;
}

static const struct {
    const char *word, *act;
} acts[] = {
    {"nre",  "relu"      },
    { "nhs", "hard_swish"},
    { "nsw", "silu"      },
    { "nr6", "relu6"     }
};

static bool parse_word(struct ec__stage *st, struct ec_span w)
{
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
        return ec_parse_double(after(w, 2), &st->se) && st->se > 0 && st->se <= 1;
    if (is_prefix(w, "e"))
        return ec_parse_double(after(w, 1), &st->expand) && st->expand > 0 && st->expand <= 1000;
    if (is_prefix(w, "k"))
        return parse_parts(after(w, 1), &st->k);
    if (is_prefix(w, "a"))
        return parse_parts(after(w, 1), &st->first);
    if (is_prefix(w, "p"))
        return parse_parts(after(w, 1), &st->last);
    if (is_prefix(w, "d"))
        return parse_d(st, after(w, 1));
    return parse_count(st, w);
}

/* What the blocks divide by. */
static bool is_whole(const struct ec__stage *st)
{
    int i;

    for (i = 0; i < st->k.n; i++)
        if (st->k.v[i] < 1 && st->kind != EC__UIR)
            return false;
    if (st->kind == EC__MQA)
        return st->heads > 0 && st->dim > 0;
    if (st->kind == EC__MVIT)
        return st->heads > 0 && st->dim > 0 && st->layers > 0;
    return st->kind != EC__MVIT2 || st->layers > 0;
}

bool ec__stage_parse(struct ec_span text, const char *act, struct ec__stage *ret)
{
    static const char *const kinds[] = { "cn",  "ds",  "dsa",  "ir",   "er",
                                         "uir", "mqa", "mvit", "mvit2" };
    struct ec__stage st = { .repeat = 1, .stride = 1, .kv_stride = 1, .expand = 1, .act = act };
    struct ec_span w;
    int i;

    st.k = (struct ec__parts){ { 3 }, 1 };
    if (!ec_span_cut(&text, '_', &w))
        return false;
    for (i = 0; i < EC_LEN(kinds) && !ec_span_eq(w, kinds[i]); i++)
        ;
    if (i == EC_LEN(kinds))
        return false;
    st.kind = (enum ec__stage_kind)i;
    st.skip = st.kind != EC__CN && st.kind < EC__MVIT;
    while (text.p && ec_span_cut(&text, '_', &w))
        if (!w.len || !parse_word(&st, w))
            return false;
    *ret = st;
    return st.channels > 0 && st.repeat <= 1000 && is_whole(&st);
}
