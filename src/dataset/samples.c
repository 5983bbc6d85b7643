/* Opens a data set by its specification, and does what all readers share: splits, limits, seeds. */
#include "dataset/samples_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */
#define READER_LIST(X)                                                                             \
    X(synthetic) X(cifar10) X(cifar100) X(mnist) X(fashion) X(imagefolder) X(imagenette) X(pcam) \
    X(digits) X(csv) X(npy)

#define READER_DECLARE(name) extern const struct ec__reader ec__reader_##name;
READER_LIST(READER_DECLARE)
#undef READER_DECLARE

static const struct ec__reader *const g_readers[] = {
#define READER_ROW(name) &ec__reader_##name,
    READER_LIST(READER_ROW)
#undef READER_ROW
};

static const char *const augment_words[] = {
    "auto", "none", "flip", "crop-flip", "resized-crop", NULL
};
static const char *const normalise_words[] = { "auto", "unit", NULL };

/* clang-format on */

#include "samples_fields.h"

const struct ec_samples_reader *const *ec_samples_readers(void)
{
    static const struct ec_samples_reader *const list[] = {
#define READER_ROW(name) &ec__reader_##name.about,
        READER_LIST(READER_ROW)
#undef READER_ROW
            NULL,
    };

    return list;
}

enum ec_status ec_samples_home(struct ec_buf *ret, struct ec_err *err)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");

    if (cache && *cache)
        ec_buf_printf(ret, "%s/epochcast/data", cache);
    else if (home && *home)
        ec_buf_printf(ret, "%s/.cache/epochcast/data", home);
    else
        return ec_fail(err, EC_E_INPUT,
                       "no folder for data sets: neither XDG_CACHE_HOME nor HOME is set");
    return ec_buf_status(ret, err);
}

/* --- Opening --- */

static enum ec_status find_reader(struct ec_span name, const struct ec__reader **ret,
                                  struct ec_err *err)
{
    const char *names[EC_LEN(g_readers)];
    struct ec_buf hint = EC_BUF_INIT;
    char word[48];
    enum ec_status st;
    int i;

    for (i = 0; i < EC_LEN(g_readers); i++) {
        names[i] = g_readers[i]->about.name;
        if (ec_span_eq(name, names[i])) {
            *ret = g_readers[i];
            return EC_OK;
        }
    }
    (void)snprintf(word, sizeof word, "%.*s", name.len > 40 ? 40 : (int)name.len, name.p);
    ec_near_hint(&hint, word, names, EC_LEN(names));
    if (!hint.len) {
        ec_buf_str(&hint, "; there are");
        for (i = 0; i < EC_LEN(names); i++)
            ec_buf_printf(&hint, "%s %s", i ? "," : "", names[i]);
    }
    st = ec_fail(err, EC_E_NOT_FOUND, "no training data \"%s\"%s", word, ec_buf_text(&hint));
    ec_buf_clear(&hint);
    return st;
}

/* One word of what follows the colon: an option of the reader; true when it is one. */
static bool take_option(const struct ec__reader *r, struct ec_span word, void *opts,
                        struct ec_arena *a, enum ec_status *st, struct ec_err *err)
{
    struct ec_span value = word, key;
    const struct ec_field *f;

    (void)ec_span_cut(&value, '=', &key);
    f = value.p ? ec_field_find(r->about.fields, ec_span_trim(key)) : NULL;
    if (!f)
        return false;
    *st = ec_field_set(f, opts, ec_span_trim(value), a, err);
    return true;
}

static enum ec_status unknown_option(const struct ec__reader *r, struct ec_span word,
                                     struct ec_err *err)
{
    struct ec_buf names = EC_BUF_INIT;
    const struct ec_field *f;
    enum ec_status st;

    for (f = r->about.fields; f && f->name; f++)
        ec_buf_printf(&names, "%s%s", names.len ? ", " : "", f->name);
    st = ec_fail(err, EC_E_INPUT, "found \"%.*s\", expected %s%s",
                 word.len > 60 ? 60 : (int)word.len, word.p,
                 names.len ? "key=value with one of " : "nothing more", ec_buf_text(&names));
    ec_buf_clear(&names);
    return st;
}

static bool may_have_path(const struct ec__reader *r)
{
    return r->needs_path || r->takes_path || r->folder;
}

/* "PATH,key=value,...": the path is what stands before the first option; it may hold commas. */
static enum ec_status parse_rest(const struct ec__reader *r, struct ec_span rest, void *opts,
                                 struct ec_samples *s, struct ec_err *err)
{
    const char *start = rest.p;
    struct ec_span word;
    size_t path_len = 0;
    bool in_options = false;
    enum ec_status st = EC_OK;

    while (!st && rest.p && ec_span_cut(&rest, ',', &word)) {
        if (take_option(r, word, opts, &s->arena, &st, err)) {
            in_options = true;
            continue;
        }
        if (in_options || !may_have_path(r))
            return unknown_option(r, word, err);
        path_len = (size_t)(word.p + word.len - start);
    }
    if (st)
        return st;
    s->info.path = ec_arena_strn(&s->arena, start ? start : "", path_len);
    return ec_allocated(s->info.path, err);
}

static enum ec_status default_path(const struct ec__reader *r, struct ec_samples *s,
                                   struct ec_err *err)
{
    struct ec_buf path = EC_BUF_INIT;
    enum ec_status st = EC_OK;

    if (*s->info.path || (!r->folder && !r->needs_path))
        return EC_OK;
    if (!r->folder)
        return ec_fail(err, EC_E_INPUT, "expected a path: %s", r->about.usage);
    EC_TRY(ec_samples_home(&path, err));
    ec_buf_printf(&path, "/%s", r->folder);
    EC_TRY(ec_buf_keep(&path, &s->arena, &s->info.path, err));
out:
    ec_buf_clear(&path);
    return st;
}

/* The share of `n` that a limit leaves; at least one where there was one. */
static int64_t shrink(int64_t n, int64_t limit, int64_t of)
{
    double share = (double)limit / (double)of;
    int64_t left = (int64_t)ceil((double)n * share);

    return left < n ? left : n;
}

/* Moves a share of the training samples to a part that has none. */
static bool carve(struct ec_samples *s, enum ec_part part, double share)
{
    int64_t *count = s->info.count, n = count[EC_PART_TRAIN], take;

    if (count[part] || !(share > 0) || n < 2)
        return false;
    take = (int64_t)llround((double)n * share);
    take = take < 1 ? 1 : take;
    count[part] = take;
    count[EC_PART_TRAIN] -= take;
    return true;
}

static enum ec_status make_splits(struct ec_samples *s, struct ec_err *err)
{
    int64_t *count = s->info.count, train;
    int i;

    memcpy(s->part_count, count, sizeof s->part_count);
    s->test_from_train = carve(s, EC_PART_TEST, s->test_frac);
    s->val_from_train = carve(s, EC_PART_VAL, s->opts.val_frac);
    s->n_test = count[EC_PART_TEST];
    train = count[EC_PART_TRAIN];
    if (train < 1)
        return ec_fail(err, EC_E_INPUT,
                       "no training samples: %lld in all, %lld for validation, "
                       "%lld for testing",
                       (long long)s->part_count[EC_PART_TRAIN], (long long)count[EC_PART_VAL],
                       (long long)count[EC_PART_TEST]);
    for (i = 0; s->opts.limit && s->opts.limit < train && i < EC_PART_COUNT; i++)
        count[i] = shrink(count[i], s->opts.limit, train);
    return EC_OK;
}

static enum ec_status check_opts(const struct ec_samples_opts *o, struct ec_err *err)
{
    int i;

    if (!(o->val_frac >= 0 && o->val_frac < 1))
        return ec_fail(err, EC_E_INPUT, "val_split: found %g, expected 0 to 0.9", o->val_frac);
    if (o->limit < 0 || o->classes < 0)
        return ec_fail(err, EC_E_INPUT, "limit and classes cannot be negative");
    if (o->shape.n < 0 || o->shape.n > EC_SAMPLE_RANK_MAX)
        return ec_fail(err, EC_E_INPUT, "input of the network has %d dimensions, expected 1 to %d",
                       o->shape.n, EC_SAMPLE_RANK_MAX);
    for (i = 0; i < o->shape.n; i++)
        if (o->shape.v[i] < 1)
            return ec_fail(err, EC_E_INPUT, "input of the network: dimension %d is %lld", i,
                           (long long)o->shape.v[i]);
    return EC_OK;
}

/* What was asked for and does nothing is a mistake: noise is not flipped, pixels that nobody
 * normalises are as they are. */
static enum ec_status check_used(const struct ec_samples *s, struct ec_err *err)
{
    const struct ec_samples_opts *o = &s->opts;

    if (o->augment > EC_AUGMENT_NONE && s->augment != o->augment)
        return ec_fail(err, EC_E_INPUT, "augment: found %s, but its samples are not augmented",
                       augment_words[o->augment]);
    if (o->normalise == EC_NORMALISE_UNIT && s->reader->about.raw)
        return ec_fail(err, EC_E_INPUT,
                       "normalise: found unit, but its samples are not normalised");
    return EC_OK;
}

static enum ec_status open_with(struct ec_samples *s, struct ec_span rest, struct ec_err *err)
{
    const struct ec__reader *r = s->reader;
    void *opts = NULL;

    EC_PASS(check_opts(&s->opts, err));
    opts = ec_arena_alloc(&s->arena, r->opts_size ? r->opts_size : 1);
    EC_PASS(ec_allocated(opts, err));
    EC_PASS(ec_fields_default(r->about.fields, opts, &s->arena, err));
    EC_PASS(parse_rest(r, rest, opts, s, err));
    EC_PASS(default_path(r, s, err));
    s->info.name = r->about.name;
    EC_PASS(r->open(s, opts, err));
    EC_PASS(check_used(s, err));
    s->info.has_val = s->info.count[EC_PART_VAL] > 0;
    EC_PASS(make_splits(s, err));
    s->info.augments = augment_words[s->augment ? s->augment : EC_AUGMENT_NONE];
    return EC_OK;
}

enum ec_status ec_samples_open(const char *spec, const struct ec_samples_opts *opts,
                               struct ec_samples **ret, struct ec_err *err)
{
    static const struct ec_samples_opts defaults = { .val_frac = 0.1 };
    struct ec_span rest = ec_span_of(spec), name;
    const struct ec__reader *r = NULL;
    struct ec_samples *s = NULL;
    enum ec_status st = EC_OK;

    (void)ec_span_cut(&rest, ':', &name);
    EC_TRY(find_reader(ec_span_trim(name), &r, err));
    s = ec_alloc(sizeof *s);
    EC_TRY(ec_allocated(s, err));
    s->reader = r;
    s->opts = opts ? *opts : defaults;
    EC_TRY(ec_within(err, open_with(s, rest, err), "%s: ", r->about.name));
    *ret = s;
    s = NULL;
out:
    ec_samples_close(s);
    return st;
}

void ec_samples_close(struct ec_samples *s)
{
    if (!s)
        return;
    if (s->reader->close)
        s->reader->close(s);
    ec_arena_clear(&s->arena);
    ec_free(s);
}

const struct ec_samples_info *ec_samples_info(const struct ec_samples *s)
{
    return &s->info;
}

/* --- One sample --- */

enum { KEY_SPLIT = 1, KEY_TEST, KEY_AUGMENT };

/* Samples of a split in the reader's numbering. Where some are left out they are a random choice:
 * folders are sorted by class. Test samples that are carved from the training samples are the same
 * for every seed, those for validation are not. */
static struct ec__ask place(const struct ec_samples *s, enum ec_part split, int64_t index)
{
    uint64_t seed = (uint64_t)s->opts.seed;
    int64_t all = s->part_count[EC_PART_TRAIN], pool = all - (s->test_from_train ? s->n_test : 0);
    struct ec__ask ask = { split, index, NULL };

    if (split == EC_PART_TEST && s->test_from_train)
        index = pool + index;
    else if (split == EC_PART_VAL && s->val_from_train)
        index = ec__permute(pool - 1 - index, pool, ec__mix(seed, KEY_SPLIT));
    else if (split == EC_PART_TRAIN && s->info.count[split] < pool)
        index = ec__permute(index, pool, ec__mix(seed, KEY_SPLIT));
    else if (split != EC_PART_TRAIN && s->info.count[split] < s->part_count[split])
        index = ec__permute(index, s->part_count[split], ec__mix(seed, KEY_SPLIT));
    if (s->part_count[split] == 0)
        ask.part = EC_PART_TRAIN;
    ask.index =
        ask.part == EC_PART_TRAIN && s->test_from_train ? ec__permute(index, all, KEY_TEST) : index;
    return ask;
}

enum ec_status ec__samples_get(const struct ec_samples *s, enum ec_part split, int64_t index,
                               int64_t epoch, const struct ec_sample_data *out,
                               struct ec__scratch *scratch, struct ec_err *err)
{
    struct ec_rng rng;
    struct ec__ask ask;

    if ((unsigned)split >= EC_PART_COUNT || index < 0 || index >= s->info.count[split])
        return ec_fail(err, EC_E_INPUT, "%s: no sample %lld of %s, which has %lld", s->info.name,
                       (long long)index, ec_part_name(split),
                       (long long)((unsigned)split < EC_PART_COUNT ? s->info.count[split] : 0));
    ask = place(s, split, index);
    if (epoch >= 0 && split == EC_PART_TRAIN && s->augment > EC_AUGMENT_NONE) {
        ec_rng_seed(&rng, ec__mix(ec__mix((uint64_t)s->opts.seed, KEY_AUGMENT),
                                  ec__mix((uint64_t)epoch, (uint64_t)ask.index)));
        ask.rng = &rng;
    }
    return s->reader->get(s, &ask, out, scratch, err);
}
