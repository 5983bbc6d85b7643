/* Samples of many lengths: padded to the longest of their micro-batch or of all, or packed. */
#include "predict/query.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LENGTHS_MOST 4096 /* different ones, of a list; of a file after sorting into as many */
#define ROWS_MOST ((size_t)1 << 26)

struct length {
    double tokens, share;
};

struct lengths {
    struct length *v; /* ascending, cut at the longest that is trained; n */
    int n;
    double mean, longest;
};

static int by_tokens(const void *a, const void *b)
{
    double x = ((const struct length *)a)->tokens, y = ((const struct length *)b)->tokens;

    return (x > y) - (x < y);
}

static enum ec_status add(struct lengths *l, int *cap, struct ec_span tokens, struct ec_span share,
                          struct ec_err *err)
{
    struct length one = { 0, 1 };
    enum ec_status st = EC_OK;

    tokens = ec_span_trim(tokens);
    if (!ec_parse_double(tokens, &one.tokens) || !(one.tokens >= 1) || one.tokens > 1 << 22 ||
        (share.p && (!ec_parse_double(ec_span_trim(share), &one.share) || !(one.share > 0) ||
                     one.share > 1e15)))
        return ec_fail(err, EC_E_INPUT,
                       "--lengths: found \"%.*s\", expected tokens, or tokens:share, such as "
                       "200:0.7,1500:0.3",
                       (int)(tokens.len > 40 ? 40 : tokens.len), tokens.len ? tokens.p : "");
    EC_TRY(ec_grow(&l->v, cap, l->n + 1, sizeof *l->v, err));
    l->v[l->n++] = one;
out:
    return st;
}

/* "200:0.7,1500:0.3" */
static enum ec_status read_list(struct lengths *l, const char *text, struct ec_err *err)
{
    struct ec_span rest = ec_span_of(text), word, tokens;
    enum ec_status st = EC_OK;
    int cap = 0;

    while (rest.p && ec_span_cut(&rest, ',', &word)) {
        if (l->n == LENGTHS_MOST)
            return ec_fail(err, EC_E_INPUT, "--lengths: more than %d; give a file", LENGTHS_MOST);
        (void)ec_span_cut(&word, ':', &tokens);
        EC_TRY(add(l, &cap, tokens, word, err));
    }
out:
    return st;
}

/* A number of tokens on each line; the first line may be a heading. */
static enum ec_status read_file(struct lengths *l, const char *path, struct ec_err *err)
{
    const struct ec_span none = { NULL, 0 };
    struct ec_file file = { 0 };
    struct ec_span rest, line;
    enum ec_status st;
    int cap = 0, number = 0;
    double v;

    EC_TRY(ec_file_open(path, ROWS_MOST, &file, err));
    rest = (struct ec_span){ (const char *)file.data, file.len };
    while (rest.p && ec_span_cut(&rest, '\n', &line)) {
        line = ec_span_trim(line);
        if (!line.len || (!number++ && !ec_parse_double(line, &v)))
            continue;
        st = add(l, &cap, line, none, err);
        if (st)
            ec_err_prefix(err, "%s, line %d: ", path, number);
        EC_TRY(st);
    }
out:
    ec_file_close(&file);
    return st;
}

/* longest: what is longer is cut to it; 0: nothing is */
static enum ec_status read_lengths(struct lengths *l, const char *text, double longest,
                                   bool no_files, struct ec_err *err)
{
    double sum = 0;
    enum ec_status st;
    int i;

    if (strpbrk(text, "./") && !strchr(text, ':') && !strchr(text, ',')) {
        if (no_files)
            return ec_fail(err, EC_E_INPUT, "lengths \"%.60s\": files are not read (--no-files)",
                           text);
        EC_TRY(read_file(l, text, err));
    } else {
        EC_TRY(read_list(l, text, err));
    }
    if (!l->n)
        EC_TRY(ec_fail(err, EC_E_INPUT, "--lengths: \"%.60s\" has none", text));
    qsort(l->v, (size_t)l->n, sizeof *l->v, by_tokens);
    for (i = 0; i < l->n; i++) {
        if (longest > 0)
            l->v[i].tokens = fmin(l->v[i].tokens, longest);
        sum += l->v[i].share;
        l->mean += l->v[i].share * l->v[i].tokens;
    }
    l->mean /= sum;
    for (i = 0; i < l->n; i++)
        l->v[i].share /= sum;
    l->longest = l->v[l->n - 1].tokens;
out:
    return st;
}

/* Mean of the longest of n samples drawn by chance. */
static double mean_longest(const struct lengths *l, double n)
{
    double below = 0, last = 0, mean = 0;
    int i;

    for (i = 0; i < l->n; i++) {
        double upto;

        below += l->v[i].share;
        upto = pow(fmin(1, below), n);
        mean += (upto - last) * l->v[i].tokens;
        last = upto;
    }
    return mean / last;
}

#define STEP_OF_TOKENS 8 /* frameworks pad to this multiple */

static int64_t whole_tokens(double tokens)
{
    return (int64_t)(STEP_OF_TOKENS * ceil(tokens / STEP_OF_TOKENS - 1e-9));
}

/* Sequences of the network's length, full of samples. */
static void pack(const struct lengths *l, int64_t seq_len, struct ec_predict_opts *o)
{
    if (o->samples)
        o->samples = (int64_t)ceil((double)o->samples * l->mean / (double)seq_len);
}

/* Tokens are those of the samples, without padding. */
static void pad(const struct lengths *l, struct ec_predict_opts *o)
{
    if (o->tokens)
        o->samples = (int64_t)ceil((double)o->tokens / l->mean);
    o->tokens = 0;
}

enum ec_status
ec__predict_lengths(struct ec_predictor *p, const char *model, const char *device,
                    const struct ec_predict_opts *opts, struct ec_prediction *ret,
                    enum ec_status (*predict)(struct ec_predictor *, const char *, const char *,
                                              const struct ec_predict_opts *,
                                              struct ec_prediction *, struct ec_err *),
                    struct ec_err *err)
{
    struct ec_predict_opts o = *opts;
    struct ec_prediction full;
    enum ec_padding how = opts->padding;
    struct lengths l = { 0 };
    double micro, trained;
    enum ec_status st;

    EC_TRY(read_lengths(&l, opts->lengths, (double)opts->seq_len, p->no_files, err));
    o.lengths = NULL;
    o.padding = EC_PADDING_longest; /* of alike ones there is none */
    if (!o.seq_len && how != EC_PADDING_packed)
        o.seq_len = whole_tokens(l.longest);
    if (how != EC_PADDING_packed)
        pad(&l, &o);
    EC_TRY(predict(p, model, device, &o, &full, err)); /* the fullest micro-batch */
    if (full.seq_len < 1)
        EC_TRY(ec_fail(err, EC_E_INPUT, "--lengths: %s does not take tokens", model));
    if (how == EC_PADDING_packed)
        pack(&l, full.seq_len, &o);
    micro = (double)(full.is_shared ? full.micro_batch : full.batch_per_device);
    trained = how == EC_PADDING_longest ? mean_longest(&l, micro) : (double)full.seq_len;
    o.seq_len = how == EC_PADDING_longest ? whole_tokens(trained) : full.seq_len;
    if (o.batch == EC_BATCH_MAX || !(o.batch || o.global_batch || full.is_shared))
        o.batch = full.batch_per_device;
    EC_TRY(predict(p, model, device, &o, ret, err));
    ret->memory_peak_bytes = full.memory_peak_bytes;
    ret->memory_needed_bytes = full.memory_needed_bytes;
    ret->allocator_peak_bytes = full.allocator_peak_bytes;
    ret->activations_bytes = full.activations_bytes;
    ret->overhead_bytes = full.overhead_bytes;
    ret->fits = full.fits;
    ret->fits_probability = full.fits_probability;
    ret->mean_tokens = how == EC_PADDING_packed ? (double)o.seq_len : l.mean;
    ret->padding_frac = how == EC_PADDING_packed ? 0 : fmax(0, 1 - l.mean / (double)o.seq_len);
out:
    ec_free(l.v);
    return st;
}
