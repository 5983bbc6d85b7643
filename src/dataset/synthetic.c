/* Training data made from a seed: random, or with patterns that can be learnt, so that an accuracy
 * is meaningful without a download. Every sample is a function of (seed, split, index).
 *
 * Images of a class carry its pattern, a smooth patch, at random places and with a random sign,
 * under noise. The sign makes the mean image of every class the same, so a linear model sees
 * nothing; convolution, rectification and pooling find it.
 * Tables: the class is the largest of `classes` sums of waves over a few of the inputs, for
 * regression the sums themselves with noise.
 * Tokens: a Markov chain in which every token has four likely successors. */
#include "dataset/samples_internal.h"

#include <math.h>

enum task { TASK_AUTO, TASK_CLASSES, TASK_REGRESS, TASK_TOKENS, TASK_RANDOM };
static const char *const task_words[] = { "auto", "classes", "regress", "tokens", "random", NULL };

#define ELEMS_MAX 1e9
#define COUNT_MAX 1e12

#include "synthetic_fields.h"

/* Waves of the tables: score_k = sum_j weight[k][j] cos(freq[j] . x[picked] + phase[j]). */
#define WAVES 12
#define WAVE_DIMS 4

struct teacher {
    struct ec__patterns patterns; /* classes of images; first, where tests look */
    enum task task;
    uint64_t seed;
    double noise;
    int64_t copies;
    int n_picked;
    int64_t picked[WAVE_DIMS]; /* inputs that matter */
    double freq[WAVES][WAVE_DIMS], phase[WAVES];
    int64_t n_scores;
    double *weight; /* (n_scores, WAVES); the sum has deviation 1 */
};

/* Nearly normal, mean 0, deviation 1, at most 3.46: the sum of four 16-bit numbers. */
static float noise(struct ec_rng *r)
{
    uint64_t v = ec_rng_next(r);
    double sum = (double)((v & 0xffff) + ((v >> 16) & 0xffff) + ((v >> 32) & 0xffff) + (v >> 48));

    return (float)((sum - 2 * 65535.0) * (1.7320508075688772 / 65536.0));
}

static void fill_noise(struct ec_rng *r, float *x, int64_t n, double scale)
{
    float s = (float)scale;
    int64_t i;

    for (i = 0; i < n; i++)
        x[i] = s * noise(r);
}

/* --- Teachers --- */

#define GRID 4 /* a pattern is this many random corners a side, interpolated */

static float grid_at(const float *g, int64_t y, int64_t x, int64_t size)
{
    double step = size > 1 ? (GRID - 1) / (double)(size - 1) : 0, fy, fx, top, bottom;
    int iy, ix;

    fy = (double)y * step;
    fx = (double)x * step;
    iy = fy >= GRID - 1 ? GRID - 2 : (int)fy;
    ix = fx >= GRID - 1 ? GRID - 2 : (int)fx;
    fy -= iy;
    fx -= ix;
    g += (ptrdiff_t)iy * GRID + ix;
    top = (double)g[0] * (1 - fx) + (double)g[1] * fx;
    bottom = (double)g[GRID] * (1 - fx) + (double)g[GRID + 1] * fx;
    return (float)(top * (1 - fy) + bottom * fy);
}

/* Mean 0 and root mean square 1 over the patch. */
static void standardise(float *v, int64_t n)
{
    double sum = 0, squares = 0, mean, scale;
    int64_t i;

    for (i = 0; i < n; i++)
        sum += (double)v[i];
    mean = sum / (double)n;
    for (i = 0; i < n; i++)
        squares += ((double)v[i] - mean) * ((double)v[i] - mean);
    scale = squares > 0 ? sqrt((double)n / squares) : 1;
    for (i = 0; i < n; i++)
        v[i] = (float)(((double)v[i] - mean) * scale);
}

static enum ec_status make_patterns(struct teacher *t, const struct ec_samples_info *info,
                                    struct ec_arena *a, struct ec_err *err)
{
    struct ec__patterns *p = &t->patterns;
    int64_t h = info->shape[1], w = info->shape[2], edge = h < w ? h : w, n, k, c, y, x, i;
    float corner[GRID * GRID], *v;
    struct ec_rng r;

    p->channels = info->shape[0];
    p->classes = info->classes;
    p->size = edge < 4 ? edge : edge / 5 < 4 ? 4 : edge / 5 > 16 ? 16 : edge / 5;
    n = p->channels * p->size * p->size;
    if (n > (int64_t)ELEMS_MAX / p->classes)
        return ec_fail(err, EC_E_INPUT, "patterns of %lld classes with %lld values are too many",
                       (long long)p->classes, (long long)n);
    v = ec_arena_alloc(a, (size_t)(n * p->classes) * sizeof *v);
    EC_PASS(ec_allocated(v, err));
    p->v = v;
    for (k = 0; k < p->classes; k++, v += n) {
        ec_rng_seed(&r, ec__mix(t->seed, (uint64_t)k));
        for (c = 0; c < p->channels; c++) {
            for (i = 0; i < GRID * GRID; i++)
                corner[i] = noise(&r);
            for (y = 0; y < p->size; y++)
                for (x = 0; x < p->size; x++)
                    v[(c * p->size + y) * p->size + x] = grid_at(corner, y, x, p->size);
        }
        standardise(v, n);
    }
    return EC_OK;
}

static enum ec_status make_waves(struct teacher *t, const struct ec_samples_info *info,
                                 int64_t n_scores, struct ec_arena *a, struct ec_err *err)
{
    struct ec_rng r;
    double squares;
    int64_t i;
    int j;

    ec_rng_seed(&r, t->seed);
    t->n_picked = info->input_elems < WAVE_DIMS ? (int)info->input_elems : WAVE_DIMS;
    for (j = 0; j < t->n_picked; j++)
        t->picked[j] = info->input_elems * j / t->n_picked;
    for (j = 0; j < WAVES; j++) {
        for (i = 0; i < t->n_picked; i++)
            t->freq[j][i] = (double)noise(&r);
        t->phase[j] = 6.283185307179586 * ec_rng_unit(&r);
    }
    t->n_scores = n_scores;
    t->weight = ec_arena_alloc(a, (size_t)n_scores * WAVES * sizeof *t->weight);
    EC_PASS(ec_allocated(t->weight, err));
    for (i = 0; i < n_scores; i++) {
        squares = 0;
        for (j = 0; j < WAVES; j++) {
            t->weight[i * WAVES + j] = (double)noise(&r);
            squares += t->weight[i * WAVES + j] * t->weight[i * WAVES + j];
        }
        for (j = 0; j < WAVES; j++) /* a wave has variance 1/2 */
            t->weight[i * WAVES + j] *= sqrt(2 / squares);
    }
    return EC_OK;
}

static double score(const struct teacher *t, const float *x, int64_t k)
{
    double sum = 0, angle;
    int i, j;

    for (j = 0; j < WAVES; j++) {
        angle = t->phase[j];
        for (i = 0; i < t->n_picked; i++)
            angle += t->freq[j][i] * (double)x[t->picked[i]];
        sum += t->weight[k * WAVES + j] * cos(angle);
    }
    return sum;
}

/* --- Markov chain --- */

#define SUCCESSORS 4
static const double successor_share[SUCCESSORS] = { 0.5, 0.25, 0.15, 0.05 };
#define ANY_SHARE 0.05 /* what is left: any token */

/* The likely successors of t are distinct, and each token is successor of as many: the chain's
 * tokens are equally frequent. */
static int64_t successor(const struct teacher *t, int64_t token, int which, int64_t vocab)
{
    return (ec__permute(token, vocab, t->seed) + which * (vocab / SUCCESSORS)) % vocab;
}

static int64_t next_token(const struct teacher *t, struct ec_rng *r, int64_t token, int64_t vocab)
{
    double u = ec_rng_unit(r);
    int i;

    for (i = 0; i < SUCCESSORS && vocab >= SUCCESSORS; i++) {
        if (u < successor_share[i])
            return successor(t, token, i, vocab);
        u -= successor_share[i];
    }
    return ec_rng_range(r, 0, vocab - 1);
}

/* Entropy of the next token, the same for each token. */
static double chain_entropy(int64_t vocab)
{
    double any = ANY_SHARE / (double)vocab, sum, p;
    int i;

    if (vocab < SUCCESSORS)
        return log((double)vocab);
    sum = -(double)(vocab - SUCCESSORS) * any * log(any);
    for (i = 0; i < SUCCESSORS; i++) {
        p = successor_share[i] + any;
        sum -= p * log(p);
    }
    return sum;
}

/* --- The reader --- */

static enum task choose_task(const struct ec_samples *s, const struct synthetic_opts *o)
{
    if (o->task != TASK_AUTO)
        return (enum task)o->task;
    return s->opts.input == EC_INPUT_TOKENS ? TASK_TOKENS : TASK_CLASSES;
}

static enum ec_status set_shape(struct ec_samples *s, const struct synthetic_opts *o,
                                struct ec_err *err)
{
    static const struct ec_ints image = { 3, { 3, 32, 32 } }, tokens = { 1, { 128 } };
    struct ec_samples_info *info = &s->info;
    const struct ec_ints *shape = o->shape.n                       ? &o->shape
                                  : s->opts.shape.n                ? &s->opts.shape
                                  : info->input == EC_INPUT_TOKENS ? &tokens
                                                                   : &image;
    int i;

    if (shape->n > EC_SAMPLE_RANK_MAX || (info->input == EC_INPUT_TOKENS && shape->n != 1))
        return ec_fail(err, EC_E_INPUT, "shape has %d dimensions, expected %s", shape->n,
                       info->input == EC_INPUT_TOKENS ? "the length alone" : "1 to 4");
    info->rank = shape->n;
    info->input_elems = 1;
    for (i = 0; i < shape->n; i++) {
        info->shape[i] = shape->v[i];
        if (!ec_mul_i64(info->input_elems, shape->v[i], &info->input_elems) ||
            info->input_elems > (int64_t)ELEMS_MAX)
            return ec_fail(err, EC_E_INPUT, "a sample has more than 1e9 values");
    }
    return EC_OK;
}

static void set_labels(struct ec_samples *s, const struct synthetic_opts *o, enum task task)
{
    struct ec_samples_info *info = &s->info;
    int64_t wanted = s->opts.classes;

    info->label_elems = 1;
    if (info->input == EC_INPUT_TOKENS) {
        info->classes = o->vocab ? o->vocab : wanted ? wanted : 256;
        info->label = EC_LABEL_TOKENS;
        info->label_elems = info->input_elems;
        info->floor_loss =
            task == TASK_TOKENS ? chain_entropy(info->classes) : log((double)info->classes);
    } else if (task == TASK_REGRESS) {
        info->label = EC_LABEL_VECTOR;
        info->label_elems = o->targets;
        info->floor_loss = 0.01 * o->noise * o->noise;
    } else {
        info->classes = o->classes ? o->classes : wanted ? wanted : 10;
        /* one output is a probability, and that of two classes */
        info->label = info->classes <= 2 ? EC_LABEL_BINARY : EC_LABEL_CLASS;
        info->classes = info->classes < 2 ? 2 : info->classes;
        info->floor_loss = task == TASK_RANDOM ? log((double)info->classes) : 0;
    }
}

static enum ec_status open_synthetic(struct ec_samples *s, const void *opts, struct ec_err *err)
{
    const struct synthetic_opts *o = opts;
    struct ec_samples_info *info = &s->info;
    struct teacher *t = ec_arena_alloc(&s->arena, sizeof *t);

    EC_PASS(ec_allocated(t, err));
    s->state = t;
    t->task = choose_task(s, o);
    t->seed = ec__mix((uint64_t)s->opts.seed, 0x5e7);
    t->noise = o->noise;
    t->copies = o->copies;
    info->input =
        t->task == TASK_TOKENS || (t->task == TASK_RANDOM && s->opts.input == EC_INPUT_TOKENS)
            ? EC_INPUT_TOKENS
            : EC_INPUT_F32;
    info->count[EC_PART_TRAIN] = o->train;
    info->count[EC_PART_TEST] = o->test;
    EC_PASS(set_shape(s, o, err));
    set_labels(s, o, t->task);
    if (t->task == TASK_CLASSES && info->rank == 3 && info->shape[1] > 1 && info->shape[2] > 1)
        return make_patterns(t, info, &s->arena, err);
    if (t->task == TASK_CLASSES || t->task == TASK_REGRESS)
        return make_waves(t, info, info->label == EC_LABEL_VECTOR ? o->targets : info->classes,
                          &s->arena, err);
    return EC_OK;
}

static void get_tokens(const struct teacher *t, const struct ec_samples_info *info,
                       struct ec_rng *r, const struct ec_sample_data *out)
{
    int64_t vocab = info->classes, token = ec_rng_range(r, 0, vocab - 1), i;

    for (i = 0; i < info->input_elems; i++) {
        if (out->tokens)
            out->tokens[i] = token;
        token =
            t->task == TASK_TOKENS ? next_token(t, r, token, vocab) : ec_rng_range(r, 0, vocab - 1);
        if (out->label)
            out->label[i] = token;
    }
}

static void add_patterns(const struct teacher *t, const struct ec_samples_info *info, int64_t k,
                         struct ec_rng *r, float *x)
{
    const struct ec__patterns *p = &t->patterns;
    int64_t h = info->shape[1], w = info->shape[2], i, c, row, col, y0, x0;
    const float *v;
    float sign;

    for (i = 0; i < t->copies; i++) {
        y0 = ec_rng_range(r, 0, h - p->size);
        x0 = ec_rng_range(r, 0, w - p->size);
        sign = ec_rng_next(r) >> 63 ? 1.0F : -1.0F;
        v = p->v + k * p->channels * p->size * p->size;
        for (c = 0; c < p->channels; c++)
            for (row = 0; row < p->size; row++)
                for (col = 0; col < p->size; col++)
                    x[(c * h + y0 + row) * w + x0 + col] += sign * *v++;
    }
}

static int64_t largest_score(const struct teacher *t, const float *x)
{
    double best = score(t, x, 0), v;
    int64_t k, at = 0;

    for (k = 1; k < t->n_scores; k++) {
        v = score(t, x, k);
        if (v > best) {
            best = v;
            at = k;
        }
    }
    return at;
}

static void get_values(const struct teacher *t, const struct ec_samples_info *info,
                       struct ec_rng *r, float *x, const struct ec_sample_data *out)
{
    int64_t k, label = t->task == TASK_REGRESS ? 0 : ec_rng_range(r, 0, info->classes - 1);

    fill_noise(r, x, info->input_elems, t->patterns.v ? t->noise : 1);
    if (t->patterns.v)
        add_patterns(t, info, label, r, x);
    else if (t->task == TASK_CLASSES)
        label = largest_score(t, x);
    for (k = 0; t->task == TASK_REGRESS && out->target && k < t->n_scores; k++)
        out->target[k] = (float)(score(t, x, k) + 0.1 * t->noise * (double)noise(r));
    if (t->task == TASK_REGRESS)
        return;
    if (out->label)
        *out->label = label;
    if (out->target && info->label == EC_LABEL_BINARY)
        *out->target = (float)label;
}

static enum ec_status get(const struct ec_samples *s, const struct ec__ask *ask,
                          const struct ec_sample_data *out, struct ec__scratch *scratch,
                          struct ec_err *err)
{
    const struct teacher *t = s->state;
    float *x = out->x;
    struct ec_rng r;

    ec_rng_seed(&r, ec__mix(ec__mix(t->seed, (uint64_t)ask->part + 1), (uint64_t)ask->index));
    if (s->info.input == EC_INPUT_TOKENS) {
        get_tokens(t, &s->info, &r, out);
        return EC_OK;
    }
    if (!x)
        x = ec__scratch_get(scratch, 0, (size_t)s->info.input_elems * sizeof *x);
    EC_PASS(ec_allocated(x, err));
    get_values(t, &s->info, &r, x, out);
    return EC_OK;
}

const struct ec__reader ec__reader_synthetic = {
    .about = {.name = "synthetic",
              .usage = "synthetic[:key=value,...]",
              .help = "made from a seed, with patterns to learn; needs no files",
              .fields = synthetic_fields,
              .raw = true},
    .opts_size = sizeof(struct synthetic_opts),
    .open = open_synthetic,
    .get = get,
};
