/* Samples of many lengths: padded to the longest of their micro-batch or of all, or packed. */
#include "predict/query.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_MOST ((size_t)1 << 26) /* bytes */

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

    tokens = ec_span_trim(tokens);
    if (!ec_parse_double(tokens, &one.tokens) || !(one.tokens >= 1) || one.tokens > 1 << 22 ||
        (share.p && (!ec_parse_double(ec_span_trim(share), &one.share) || !(one.share > 0) ||
                     one.share > 1e15)))
        return ec_fail(err, EC_E_INPUT,
                       "--lengths: found \"%.*s\", expected tokens, or tokens:share, such as "
                       "200:0.7,1500:0.3",
                       (int)(tokens.len > 40 ? 40 : tokens.len), tokens.len ? tokens.p : "");
    EC_PASS(ec_grow(&l->v, cap, l->n + 1, sizeof *l->v, err));
    l->v[l->n++] = one;
    return EC_OK;
}

/* "200:0.7,1500:0.3", or a file with one on each line, of which the first may be a heading. */
static enum ec_status read_words(struct lengths *l, struct ec_span rest, char sep,
                                 struct ec_err *err)
{
    struct ec_span word, tokens;
    enum ec_status st = EC_OK;
    int cap = 0, number = 0;
    double v;

    while (rest.p && ec_span_cut(&rest, sep, &word)) {
        word = ec_span_trim(word);
        number++;
        if (sep == '\n' && (!word.len || (number == 1 && !ec_parse_double(word, &v))))
            continue;
        (void)ec_span_cut(&word, ':', &tokens);
        st = add(l, &cap, tokens, word, err);
        if (st && sep == '\n')
            ec_err_prefix(err, "line %d: ", number);
        EC_PASS(st);
    }
    return EC_OK;
}

/* longest: what is longer is cut to it; 0: nothing is */
static enum ec_status read_lengths(struct lengths *l, const char *text, double longest,
                                   bool no_files, struct ec_err *err)
{
    bool is_file = strpbrk(text, "./") && !strpbrk(text, ":,");
    struct ec_file file = { 0 };
    double sum = 0;
    enum ec_status st;
    int i;

    if (is_file && no_files)
        return ec_fail(err, EC_E_INPUT, "lengths \"%.60s\": files are not read (--no-files)", text);
    if (is_file)
        EC_TRY(ec_file_open(text, ROWS_MOST, &file, err));
    st = read_words(
        l, is_file ? (struct ec_span){ (const char *)file.data, file.len } : ec_span_of(text),
        is_file ? '\n' : ',', err);
    if (st && is_file)
        ec_err_prefix(err, "%s, ", text);
    EC_TRY(st);
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
    ec_file_close(&file);
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
    if (how != EC_PADDING_packed && o.tokens) { /* tokens are those of the samples */
        o.samples = (int64_t)ceil((double)o.tokens / l.mean);
        o.tokens = 0;
    }
    EC_TRY(predict(p, model, device, &o, &full, err)); /* the fullest micro-batch */
    if (full.seq_len < 1)
        EC_TRY(ec_fail(err, EC_E_INPUT, "--lengths: %s does not take tokens", model));
    if (how == EC_PADDING_packed) /* sequences full of samples */
        o.samples = (int64_t)ceil((double)o.samples * l.mean / (double)full.seq_len);
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
