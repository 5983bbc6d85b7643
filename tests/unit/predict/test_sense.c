/* Answers obey common sense: a question is asked twice with one thing changed, and the two answers
 * must relate as the world does (docs/common-sense.md). Questions are drawn over all networks,
 * devices, batches, precisions, optimizers, memory orders, modes and frameworks.
 *
 *   EC_SENSE_SEED=7         draw others; what was drawn is printed
 *   EC_SENSE_PAIRS=1000000  draw more
 *   EC_SENSE_NETWORK=GLOB   of these networks only
 *
 * What fails is printed as two commands. */
#include "sense.h"
#include "test.h"

/* Answers are sums of some thousand numbers in another order: equal ones may differ in the last
 * digits. */
#define ROUNDING 1e-3
/* A batch may take more than its share of samples by what caches no longer hold; those of CPUs are
 * large. */
#define BATCH_SHARE 1.10
#define BATCH_SHARE_CPU 1.30
/* What boards of one chip may differ by beyond their specification: clocks, cooling, memory. */
#define SIBLING_SHARE 1.15

#define DEFAULT_SEED 1
#define DEFAULT_PAIRS 100000
#define BATCHES 4
#define SHOWN 2 /* failures of each relation */

struct question {
    const char *model;
    const struct ec_device *device;
    struct ec_predict_opts o;
};
/* The first is the one that is not larger. */
struct pair {
    struct question q[2];
};

/* --- What must hold --- */

/* How many times beyond its bound the pair is: 1 and below holds. 0: the relation says nothing. */
typedef double (*breach_fn)(const struct question *q, const struct ec_prediction *r);

static double not_less(double small, double large)
{
    return large > 0 && small > 0 ? small / large : 0;
}

static double time_rises(const struct question *q, const struct ec_prediction *r)
{
    (void)q;
    return not_less(r[0].step_time_ns.p50, r[1].step_time_ns.p50);
}

/* For other networks, images and boards: what differs by less is equal. */
#define NEARLY 1.02

static double time_nearly_rises(const struct question *q, const struct ec_prediction *r)
{
    return time_rises(q, r) / NEARLY;
}

static double batch_share(const struct question *q, const struct ec_prediction *r)
{
    double most = q[0].device->kind == EC_DEV_CPU ? BATCH_SHARE_CPU : BATCH_SHARE;
    double share = most * (double)q[1].o.batch / (double)q[0].o.batch;

    return r[1].step_time_ns.p50 / (r[0].step_time_ns.p50 * share);
}

static double siblings(const struct question *q, const struct ec_prediction *r)
{
    double faster = r[0].step_time_ns.p50 / r[1].step_time_ns.p50, lo, hi;

    if (!sense_siblings(q[0].device, q[1].device, q[0].o.cond.precision, &lo, &hi))
        return 0;
    return fmax(lo / faster, faster / hi) / SIBLING_SHARE;
}

/* The first is the newer. Kernels of a few blocks go by the clock of a multiprocessor, which a
 * board with more of all may have lower. */
static double dominance_in(const struct question *q, const struct ec_prediction *r,
                           enum sense_counted counted)
{
    if (!sense_dominates(q[0].device, q[1].device, q[0].o.cond.precision, counted))
        return 0;
    return time_nearly_rises(q, r);
}

static double dominance(const struct question *q, const struct ec_prediction *r)
{
    return dominance_in(q, r, SENSE_WITH_BOTH);
}

static double dominance_of_any_power(const struct question *q, const struct ec_prediction *r)
{
    return dominance_in(q, r, SENSE_WITH_CACHE);
}

static double memory_rises(const struct question *q, const struct ec_prediction *r)
{
    (void)q;
    return r[0].has_memory && r[1].has_memory
               ? not_less(r[0].memory_peak_bytes.p50, r[1].memory_peak_bytes.p50)
               : 0;
}

static double allocated_within_peak(const struct question *q, const struct ec_prediction *r)
{
    const struct ec_interval *part = &r->allocator_peak_bytes, *whole = &r->memory_peak_bytes;

    (void)q;
    if (!r->has_memory)
        return 0;
    return fmax(fmax(not_less(part->p05, whole->p05), not_less(part->p50, whole->p50)),
                not_less(part->p95, whole->p95));
}

static double yes(bool holds)
{
    return holds ? 1 : 2; /* beyond its bound by all of it, or not at all */
}

static double fits_agrees(const struct question *q, const struct ec_prediction *r)
{
    if (!r->has_memory || q->device->memory_bytes.src == EC_SRC_NONE)
        return 0;
    return yes(r->fits == (r->memory_peak_bytes.p50 <= ec_device_usable_bytes(q->device)));
}

/* A capacity outside the interval of 90 % is one of the last twentieth. */
static double chance_agrees(const struct question *q, const struct ec_prediction *r)
{
    const struct ec_interval *peak = &r->memory_peak_bytes;
    double capacity = ec_device_usable_bytes(q->device), chance = r->fits_probability;

    if (!r->has_memory || q->device->memory_bytes.src == EC_SRC_NONE)
        return 0;
    if (capacity > peak->p95)
        return yes(chance >= 0.95 - ROUNDING);
    if (capacity < peak->p05)
        return yes(chance <= 0.05 + ROUNDING);
    return yes(capacity >= peak->p50 ? chance >= 0.5 - ROUNDING : chance <= 0.5 + ROUNDING);
}

/* --- The relations, and what is changed in each --- */

enum change {
    BATCH,
    OPTIMIZER,
    MODE,
    SIBLING,
    NEWER,
    NEWER_OF_ANY_POWER,
    NEWER_OF_OTHERS,
    NETWORK,
    COUNTS,
    IMAGE,
    TOKENS,
    NONE, /* relations that one answer must keep */
    CHANGES
};

struct failure {
    struct pair found, simple;
    double breach, simple_breach;
};
struct relation {
    const char *name;
    enum change change;
    double allowed; /* share that may be broken; 1: counted only */
    breach_fn breach;
    /* found */
    int64_t n, broken;
    struct failure worst[SHOWN];
};

/* Of families, where the correction differs from one to the other. */
#define RARELY 0.0005
/* In brackets what nature breaks, or what too few have measured (docs/common-sense.md): no
 * relations, counted only. */
/* clang-format off */
#define RELATION(name_, change_, allowed_, breach_)                                                \
    { .name = name_, .change = change_, .allowed = allowed_, .breach = breach_ }
static struct relation relations[] = {
    RELATION("a larger batch takes no less time",  BATCH,           0,      time_rises),
    RELATION("nor more than its share and 10 %",   BATCH,           0,      batch_share),
    RELATION("none <= sgd <= momentum <= adam",    OPTIMIZER,       0,      time_rises),
    RELATION("forward <= with backward <= step",   MODE,            0,      time_rises),
    RELATION("siblings within specifications",     SIBLING,         0,      siblings),
    RELATION("newer with 1.1 times of all",        NEWER,           0,      dominance),
    RELATION("(the same of any power)",           NEWER_OF_ANY_POWER, 1,  dominance_of_any_power),
    RELATION("(the same across vendors)",          NEWER_OF_OTHERS, 1,      dominance),
    RELATION("a larger network of a family",       NETWORK,         RARELY, time_nearly_rises),
    RELATION("(a larger one by counts alone)",     COUNTS,          1,      time_rises),
    RELATION("more pixels take no less time",      IMAGE,           0,      time_nearly_rises),
    RELATION("more tokens take no less time",      TOKENS,          0,      time_rises),
    RELATION("memory: a larger batch",             BATCH,           0,      memory_rises),
    RELATION("memory: forward <= training",        MODE,            0,      memory_rises),
    RELATION("memory: allocated within peak",      NONE,            0,      allocated_within_peak),
    RELATION("memory: fits as it says",            NONE,            0,      fits_agrees),
    RELATION("memory: its chance to fit",          NONE,            0,      chance_agrees),
};
#undef RELATION
/* clang-format on */

/* --- What is drawn from --- */

struct device_pair {
    const struct ec_device *a, *b;
};
struct device_pairs {
    struct device_pair *v;
    int n, cap;
};
struct world {
    struct ec_predictor *p;
    struct ec_rng rng;
    uint64_t seed;
    const char *only; /* networks; NULL: all */
    struct sense_network *network;
    int n_networks;
    const struct ec_device **device; /* those that answer */
    int n_devices;
    struct device_pairs chips[EC_PRECISION_COUNT], newer[EC_PRECISION_COUNT],
        any_power[EC_PRECISION_COUNT], others[EC_PRECISION_COUNT];
    int64_t n_pairs, n_refused, n_answers;
};

/* What the pairs of one network share, so that few graphs are built for many questions. */
struct scene {
    const struct sense_network *network, *larger, *counted; /* NULL: there is none */
    bool turned[2];            /* the other one of both is the larger */
    int64_t batch[BATCHES];    /* rising */
    int64_t size[2], own_size; /* image side or tokens; 0: the network's own */
    bool padded;               /* one of both images is padded, to the size of windows */
};

static int64_t setting(const char *name, int64_t otherwise)
{
    const char *text = getenv(name);
    int64_t v;

    return text && ec_parse_int(ec_span_of(text), &v) ? v : otherwise;
}

static int64_t draw(struct world *w, int64_t lo, int64_t hi)
{
    return ec_rng_range(&w->rng, lo, hi);
}

static bool chance(struct world *w, double share)
{
    return ec_rng_unit(&w->rng) < share;
}

/* As many between 1 and 2 as between 128 and 256. */
static int64_t draw_log(struct world *w, int64_t hi)
{
    return (int64_t)exp(ec_rng_unit(&w->rng) * log((double)hi + 0.999));
}

static void add_pair(struct device_pairs *l, const struct ec_device *a, const struct ec_device *b)
{
    struct ec_err err = { 0 };

    CHECK_OK(ec_grow(&l->v, &l->cap, l->n + 1, sizeof *l->v, &err));
    l->v[l->n++] = (struct device_pair){ a, b };
}

static void relate_devices(struct world *w, const struct ec_device *a, const struct ec_device *b)
{
    double lo, hi;
    int p;

    for (p = 0; p < EC_PRECISION_COUNT; p++) {
        if (sense_siblings(a, b, (enum ec_precision)p, &lo, &hi))
            add_pair(&w->chips[p], a, b);
        if (sense_dominates(a, b, (enum ec_precision)p, SENSE_WITH_BOTH))
            add_pair(a->vendor == b->vendor ? &w->newer[p] : &w->others[p], a, b);
        if (a->vendor == b->vendor && sense_dominates(a, b, (enum ec_precision)p, SENSE_WITH_CACHE))
            add_pair(&w->any_power[p], a, b);
    }
}

/* Devices whose specification lacks what a prediction needs refuse even the smallest network. */
static void find_devices(struct world *w)
{
    int n, i, j;
    const struct ec_device *const *all = ec_devices(&n);

    w->device = ec_alloc((size_t)n * sizeof *w->device);
    CHECK(w->device);
    for (i = 0; w->device && i < n; i++) {
        struct ec_prediction r;

        if (!ec_predict_network(w->p, "mlp", all[i]->key, NULL, &r, NULL))
            w->device[w->n_devices++] = all[i];
    }
    for (i = 0; i < w->n_devices; i++)
        for (j = 0; j < w->n_devices; j++)
            relate_devices(w, w->device[i], w->device[j]);
}

static void find_networks(struct world *w)
{
    struct ec_err err = { 0 };
    int n, i;
    const struct ec__zoo_row *rows = ec__zoo_rows(&n);

    w->network = ec_alloc((size_t)n * sizeof *w->network);
    CHECK(w->network);
    for (i = 0; w->network && i < n; i++)
        CHECK_OK(sense_describe(&rows[i], &w->network[w->n_networks++], &err));
}

static void open_world(struct world *w)
{
    struct ec_err err = { 0 };

    memset(w, 0, sizeof *w);
    w->seed = (uint64_t)setting("EC_SENSE_SEED", DEFAULT_SEED);
    w->only = getenv("EC_SENSE_NETWORK");
    ec_rng_seed(&w->rng, w->seed);
    CHECK_OK(ec_predictor_new(&w->p, &err));
    find_devices(w);
    find_networks(w);
}

static void close_world(struct world *w)
{
    int i;

    for (i = 0; i < EC_PRECISION_COUNT; i++) {
        ec_free(w->chips[i].v);
        ec_free(w->newer[i].v);
        ec_free(w->any_power[i].v);
        ec_free(w->others[i].v);
    }
    for (i = 0; i < w->n_networks; i++)
        ec_free(w->network[i].kernel);
    ec_free(w->network);
    ec_free(w->device);
    ec_predictor_free(w->p);
}

/* --- Asking --- */

static bool answer(struct world *w, const struct question *q, struct ec_prediction *ret)
{
    struct ec_err err = { 0 };
    enum ec_status st = ec_predict_network(w->p, q->model, q->device->key, &q->o, ret, &err);

    w->n_answers++;
    if (st && st != EC_E_SHAPE && st != EC_E_INPUT && st != EC_E_UNSUPPORTED)
        test_fail(__FILE__, __LINE__, "%s on %s: %s", q->model, q->device->key, err.text);
    return !st;
}

static bool answers(struct world *w, const struct pair *p, struct ec_prediction r[2])
{
    if (answer(w, &p->q[0], &r[0]) && answer(w, &p->q[1], &r[1]))
        return true;
    w->n_refused++;
    return false;
}

/* Keeps the largest, of different networks; the slot to fill, NULL: others are larger. */
static struct failure *place_of(struct relation *rel, const char *model, double breach)
{
    struct failure *least = &rel->worst[0];
    int i;

    for (i = 0; i < SHOWN; i++) {
        struct failure *f = &rel->worst[i];

        if (f->found.q[0].model && ec_str_eq(f->found.q[0].model, model))
            return breach > f->breach ? f : NULL;
        if (f->breach < least->breach)
            least = f;
    }
    return breach > least->breach ? least : NULL;
}

static void judge(struct relation *rel, const struct pair *p, const struct ec_prediction *r)
{
    double breach = rel->breach(p->q, r);
    struct failure *f;

    if (!(breach > 0))
        return;
    rel->n++;
    if (breach <= 1 + ROUNDING)
        return;
    rel->broken++;
    f = place_of(rel, p->q[0].model, breach);
    if (f)
        *f = (struct failure){ .found = *p, .breach = breach };
}

static void judge_one(struct relation *rel, const struct pair *p, const struct ec_prediction *r)
{
    int i;

    for (i = 0; i < 2; i++) {
        struct pair alone = {
            {p->q[i], p->q[i]}
        };

        judge(rel, &alone, &r[i]);
    }
}

static void ask_pair(struct world *w, const struct pair *p, enum change change)
{
    struct ec_prediction r[2];
    int i;

    if (!answers(w, p, r))
        return;
    w->n_pairs++;
    for (i = 0; i < EC_LEN(relations); i++)
        if (relations[i].change == change)
            judge(&relations[i], p, r);
        else if (relations[i].change == NONE)
            judge_one(&relations[i], p, r);
}

/* --- Drawing --- */

static void set_size(struct question *q, const struct sense_network *n, int64_t size)
{
    if (n->sizes & EC_SIZE_SEQ_LEN)
        q->o.seq_len = size;
    else if (n->sizes & EC_SIZE_IMAGE)
        q->o.image = size;
}

static struct question draw_query(struct world *w, const struct scene *s)
{
    static const enum ec_optimizer optimizers[] = { EC_OPT_sgd, EC_OPT_momentum, EC_OPT_adam,
                                                    EC_OPT_adamw, EC_OPT_none };
    struct question q = { .model = s->network->row->name };

    ec_predict_opts_default(&q.o);
    q.device = w->device[draw(w, 0, w->n_devices - 1)];
    q.o.batch = s->batch[draw(w, 0, BATCHES - 1)];
    q.o.cond.precision = (enum ec_precision)draw(w, 0, EC_PRECISION_COUNT - 1);
    q.o.cond.layout = chance(w, 0.3);
    q.o.cond.optimizer = optimizers[draw(w, 0, EC_LEN(optimizers) - 1)];
    if (chance(w, 0.25))
        q.o.cond.framework = (enum ec_framework)draw(w, 0, EC_FRAMEWORK_COUNT - 1);
    if (chance(w, 0.4))
        q.o.cond.mode = (enum ec_mode)draw(w, EC_MODE_FORWARD_BACKWARD, EC_MODE_FORWARD);
    set_size(&q, s->network, s->size[0]);
    return q;
}

static void change_batch(struct world *w, const struct scene *s, struct pair *p)
{
    int lo = (int)draw(w, 0, BATCHES - 2);

    p->q[0].o.batch = s->batch[lo];
    p->q[1].o.batch = s->batch[draw(w, lo + 1, BATCHES - 1)];
}

/* adam and adamw stand on one step of the ladder. */
static void change_optimizer(struct world *w, struct pair *p)
{
    static const enum ec_optimizer ladder[] = { EC_OPT_none, EC_OPT_sgd, EC_OPT_momentum,
                                                EC_OPT_adam };
    int lo = (int)draw(w, 0, 2);

    p->q[0].o.cond.mode = p->q[1].o.cond.mode = EC_MODE_TRAINING_STEP;
    p->q[0].o.cond.optimizer = ladder[lo];
    p->q[1].o.cond.optimizer = ladder[draw(w, lo + 1, 3)];
    if (p->q[1].o.cond.optimizer == EC_OPT_adam && chance(w, 0.5))
        p->q[1].o.cond.optimizer = EC_OPT_adamw;
}

static void change_mode(struct world *w, struct pair *p)
{
    static const enum ec_mode ladder[] = { EC_MODE_FORWARD, EC_MODE_FORWARD_BACKWARD,
                                           EC_MODE_TRAINING_STEP };
    int lo = (int)draw(w, 0, 1);

    p->q[0].o.cond.mode = ladder[lo];
    p->q[1].o.cond.mode = ladder[draw(w, lo + 1, 2)];
}

static bool change_device(struct world *w, const struct device_pairs *l, struct pair *p)
{
    const struct device_pair *d;

    if (!l->n)
        return false;
    d = &l->v[draw(w, 0, l->n - 1)];
    p->q[0].device = d->a;
    p->q[1].device = d->b;
    return true;
}

/* cuDNN has no kernels on Hopper's matrix units for groups of such widths in channels-last
 * (fitted on measured/h100): such convolutions run as if on its lanes, and an older board that
 * has them may be faster. */
static bool lacks_kernels(const struct sense_network *n, const struct question *q)
{
    int i, exponent;

    if (q->device->matrix_issue.value != EC_MATRIX_WARP_GROUP ||
        q->o.cond.layout != EC_CHANNELS_LAST || q->o.cond.precision == EC_FP32)
        return false;
    for (i = 0; i < n->n; i++)
        if (n->kernel[i].kind[SENSE_GROUP_WIDTH] > 0 &&
            frexp(n->kernel[i].kind[SENSE_GROUP_WIDTH], &exponent) != 0.5)
            return true;
    return false;
}

static bool change_to_older(struct world *w, const struct scene *s, const struct device_pairs *l,
                            struct pair *p)
{
    return change_device(w, l, p) && !lacks_kernels(s->network, &p->q[0]);
}

/* Both in the size in which they were compared. */
static bool change_network(const struct scene *s, const struct sense_network *other, bool turned,
                           struct pair *p)
{
    const struct sense_network *n[2] = { turned ? other : s->network, turned ? s->network : other };
    int i;

    if (!other)
        return false;
    for (i = 0; i < 2; i++) {
        p->q[i].model = n[i]->row->name;
        p->q[i].o.batch = s->batch[0];
        set_size(&p->q[i], n[i], n[i]->image);
    }
    return true;
}

static bool change_size(const struct scene *s, unsigned of, struct pair *p)
{
    int64_t size[2] = { s->size[0] ? s->size[0] : s->own_size, s->size[1] };
    bool turned = size[0] > size[1];
    int i;

    if (!(s->network->sizes & of) || size[0] == size[1] || s->padded)
        return false;
    for (i = 0; i < 2; i++) {
        p->q[i].o.batch = s->batch[0];
        set_size(&p->q[i], s->network, size[turned ? 1 - i : i]);
    }
    return true;
}

static bool change(struct world *w, const struct scene *s, enum change what, struct pair *p)
{
    enum ec_precision precision = p->q[0].o.cond.precision;

    switch (what) {
    case BATCH:
        change_batch(w, s, p);
        return true;
    case OPTIMIZER:
        change_optimizer(w, p);
        return true;
    case MODE:
        change_mode(w, p);
        return true;
    case SIBLING:
        return change_device(w, &w->chips[precision], p);
    case NEWER:
        return change_to_older(w, s, &w->newer[precision], p);
    case NEWER_OF_ANY_POWER:
        return change_device(w, &w->any_power[precision], p);
    case NEWER_OF_OTHERS:
        return change_device(w, &w->others[precision], p);
    case NETWORK:
        return change_network(s, s->larger, s->turned[0], p);
    case COUNTS:
        return change_network(s, s->counted, s->turned[1], p);
    case IMAGE:
        return change_size(s, EC_SIZE_IMAGE, p);
    case TOKENS:
        return change_size(s, EC_SIZE_SEQ_LEN, p);
    default:
        return false;
    }
}

static int by_number(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/* Two that follow on each other: steps between neighbours are what a table of rules gets wrong. */
static void draw_batches(struct world *w, struct scene *s)
{
    int64_t most = s->network->sizes & EC_SIZE_SEQ_LEN ? 64 : 512;
    int i, j;

    do {
        s->batch[0] = draw_log(w, most);
        s->batch[1] = s->batch[0] + 1;
        s->batch[2] = draw_log(w, most);
        s->batch[3] = (int64_t)1 << draw(w, 0, s->network->sizes & EC_SIZE_SEQ_LEN ? 5 : 8);
        qsort(s->batch, BATCHES, sizeof *s->batch, by_number);
        for (i = j = 1; i < BATCHES; i++)
            j += s->batch[i] > s->batch[i - 1];
    } while (j < BATCHES);
}

/* How often a network pads its image or map, which windows do not divide; -1: it is refused. */
static int pads_at(const struct ec__zoo_row *row, int64_t size)
{
    struct ec_graph *g = NULL;
    int i, n = 0;

    if (sense_open(row, size, &g, NULL))
        return -1;
    for (i = 0; i < g->n_nodes; i++)
        n += ec_str_eq(g->nodes[i]->op->name, "pad");
    ec_graph_free(g);
    return n;
}

/* Mostly photographs of usual sizes; those of a network that reads smaller ones are scaled. */
static void draw_sizes(struct world *w, struct scene *s)
{
    static const int64_t images[] = { 128, 160, 192, 208, 224, 240, 256, 288, 320, 384 };
    static const int64_t tokens[] = { 16, 32, 48, 64, 100, 128, 192, 256, 384, 512 };
    bool language = s->network->sizes & EC_SIZE_SEQ_LEN;

    s->own_size = s->network->row->size;
    s->size[0] = 0;
    s->size[1] =
        language ? tokens[draw(w, 0, EC_LEN(tokens) - 1)] : images[draw(w, 0, EC_LEN(images) - 1)];
    if (!language && s->own_size < 96)
        s->size[1] = s->own_size + draw(w, 1, 3) * 16;
    if (language)
        s->size[0] = tokens[draw(w, 0, EC_LEN(tokens) - 1)];
    else if (chance(w, 0.3) && s->own_size >= 96)
        s->size[0] = images[draw(w, 0, EC_LEN(images) - 1)];
    s->padded = !language && pads_at(s->network->row, s->size[0] ? s->size[0] : s->own_size) !=
                                 pads_at(s->network->row, s->size[1]);
}

typedef bool (*larger_fn)(const struct sense_network *b, const struct sense_network *a);

/* One of those that are larger or smaller, each with the same chance. */
static const struct sense_network *draw_relative(struct world *w, const struct sense_network *n,
                                                 larger_fn larger, bool *ret_turned)
{
    const struct sense_network *ret = NULL;
    int i, seen = 0;

    for (i = 0; i < w->n_networks; i++) {
        const struct sense_network *other = &w->network[i];
        bool is_larger = larger(other, n);

        if ((is_larger || larger(n, other)) && draw(w, 0, seen++) == 0) {
            ret = other;
            *ret_turned = !is_larger;
        }
    }
    return ret;
}

static void draw_scene(struct world *w, const struct sense_network *n, struct scene *s)
{
    memset(s, 0, sizeof *s);
    s->network = n;
    s->larger = draw_relative(w, n, sense_larger, &s->turned[0]);
    s->counted = draw_relative(w, n, sense_counts_larger, &s->turned[1]);
    draw_sizes(w, s);
    draw_batches(w, s);
}

/* How often each is asked of one network: all of the zoo come in a run. */
static const int weights[CHANGES] = {
    [BATCH] = 60,          [OPTIMIZER] = 30, [MODE] = 20,
    [SIBLING] = 40,        [NEWER] = 34,     [NEWER_OF_ANY_POWER] = 8,
    [NEWER_OF_OTHERS] = 5, [NETWORK] = 25,   [COUNTS] = 10,
    [IMAGE] = 20,          [TOKENS] = 80,
};

static void ask_scene(struct world *w, const struct scene *s)
{
    int what, i;

    for (what = 0; what < CHANGES; what++)
        for (i = 0; i < weights[what]; i++) {
            struct question q = draw_query(w, s);
            struct pair p = {
                {q, q}
            };

            if (change(w, s, (enum change)what, &p))
                ask_pair(w, &p, (enum change)what);
        }
}

static void ask_network(struct world *w, const struct sense_network *n)
{
    struct scene s;

    if (w->only && !ec_str_glob(w->only, n->row->name))
        return;
    draw_scene(w, n, &s);
    ask_scene(w, &s);
}

/* Networks in an order of the seed, over and over. */
static void shuffle(struct world *w, int *order)
{
    int i;

    for (i = 0; i < w->n_networks; i++)
        order[i] = i;
    for (i = w->n_networks - 1; i > 0; i--) {
        int j = (int)draw(w, 0, i), swap = order[i];

        order[i] = order[j];
        order[j] = swap;
    }
}

static void ask_all(struct world *w, int64_t pairs)
{
    int *order = ec_alloc((size_t)w->n_networks * sizeof *order), i;
    int64_t before;

    CHECK(order);
    shuffle(w, order);
    do {
        before = w->n_pairs;
        for (i = 0; i < w->n_networks && w->n_pairs < pairs; i++)
            ask_network(w, &w->network[order[i]]);
    } while (w->n_pairs < pairs && w->n_pairs > before); /* a pattern that none has ends too */
    CHECK(w->n_pairs >= pairs);
    for (i = 0; i < EC_LEN(relations); i++)
        CHECK(relations[i].n || w->only || pairs < DEFAULT_PAIRS);
    ec_free(order);
}

/* --- Showing --- */

static void print_command(const struct question *q)
{
    struct ec_predict_opts plain;

    ec_predict_opts_default(&plain);
    (void)printf("      epochcast predict %s -d %s -b %lld", q->model, q->device->key,
                 (long long)q->o.batch);
    if (q->o.cond.precision != plain.cond.precision)
        (void)printf(" -p %s", ec_precision_names[q->o.cond.precision]);
    if (q->o.cond.layout != plain.cond.layout)
        (void)printf(" --layout %s", ec_memory_format_names[q->o.cond.layout]);
    if (q->o.cond.optimizer != plain.cond.optimizer)
        (void)printf(" --optimizer %s", ec_optimizer_names[q->o.cond.optimizer]);
    if (q->o.cond.framework != plain.cond.framework)
        (void)printf(" --framework %s", ec_framework_keys[q->o.cond.framework]);
    if (q->o.cond.mode != plain.cond.mode)
        (void)printf(" --mode %s", ec_mode_names[q->o.cond.mode]);
    if (q->o.image)
        (void)printf(" --image %lld", (long long)q->o.image);
    if (q->o.seq_len)
        (void)printf(" --seq-len %lld", (long long)q->o.seq_len);
    (void)printf("\n");
}

/* By all that is drawn. */
static bool same_query(const struct question *a, const struct question *b)
{
    return ec_str_eq(a->model, b->model) && a->device == b->device && a->o.batch == b->o.batch &&
           a->o.cond.precision == b->o.cond.precision && a->o.cond.layout == b->o.cond.layout &&
           a->o.cond.optimizer == b->o.cond.optimizer &&
           a->o.cond.framework == b->o.cond.framework && a->o.cond.mode == b->o.cond.mode &&
           a->o.image == b->o.image && a->o.seq_len == b->o.seq_len;
}

static bool same(const struct pair *a, const struct pair *b)
{
    return same_query(&a->q[0], &b->q[0]) && same_query(&a->q[1], &b->q[1]);
}

static double breach_of(struct world *w, const struct relation *rel, const struct pair *p)
{
    struct ec_prediction r[2];

    return answers(w, p, r) ? rel->breach(p->q, r) : 0;
}

/* A simpler pair is taken when it still breaks the relation, by a quarter of the way at least. */
static void try_simpler(struct world *w, const struct relation *rel, const struct pair *p,
                        struct failure *f)
{
    double breach;

    if (same(p, &f->simple))
        return;
    breach = breach_of(w, rel, p);
    if (breach > 1 + ROUNDING && log(breach) > 0.25 * log(f->breach)) {
        f->simple = *p;
        f->simple_breach = breach;
    }
}

#define TRY_OPTION(member, v)                                                                      \
    do {                                                                                           \
        struct pair p = f->simple;                                                                 \
        if (p.q[0].o.member == p.q[1].o.member) {                                                  \
            p.q[0].o.member = p.q[1].o.member = (v);                                               \
            try_simpler(w, rel, &p, f);                                                            \
        }                                                                                          \
    } while (0)

static void simplify_names(struct world *w, const struct relation *rel, struct failure *f)
{
    static const char *const models[] = { "bert_base", "resnet50" };
    static const char *const devices[] = { "t4", "rtx3090", "a100-sxm4-40gb" };
    int i;

    for (i = 0; i < EC_LEN(models); i++) {
        struct pair p = f->simple;

        if (!ec_str_eq(p.q[0].model, p.q[1].model))
            break;
        p.q[0].model = p.q[1].model = models[i];
        try_simpler(w, rel, &p, f);
    }
    for (i = 0; i < EC_LEN(devices); i++) {
        struct pair p = f->simple;

        if (p.q[0].device != p.q[1].device)
            break;
        CHECK(!ec_device_find(devices[i], &p.q[0].device, NULL));
        p.q[1].device = p.q[0].device;
        try_simpler(w, rel, &p, f);
    }
}

static void simplify(struct world *w, const struct relation *rel, struct failure *f)
{
    static const int64_t batches[] = { 256, 128, 64, 32, 16, 8, 1 };
    int i;

    f->simple = f->found;
    f->simple_breach = f->breach;
    TRY_OPTION(cond.framework, EC_FW_pytorch_2);
    TRY_OPTION(cond.precision, EC_FP32);
    TRY_OPTION(cond.layout, EC_CHANNELS_FIRST);
    TRY_OPTION(cond.optimizer, EC_OPT_sgd);
    TRY_OPTION(cond.mode, EC_MODE_TRAINING_STEP);
    simplify_names(w, rel, f);
    TRY_OPTION(image, 0);
    TRY_OPTION(seq_len, 0);
    for (i = 0; i < EC_LEN(batches); i++)
        TRY_OPTION(batch, batches[i]);
}

static void print_pair(const struct pair *p, double breach)
{
    (void)printf("    beyond its bound by %.1f %%\n", 100 * (breach - 1));
    print_command(&p->q[0]);
    if (!same_query(&p->q[0], &p->q[1]))
        print_command(&p->q[1]);
}

static void print_failures(struct world *w, struct relation *rel)
{
    int i;

    if (!rel->broken)
        return;
    (void)printf("\n  %s\n", rel->name);
    for (i = 0; i < SHOWN; i++) {
        struct failure *f = &rel->worst[i];

        if (!(f->breach > 0))
            continue;
        simplify(w, rel, f);
        print_pair(&f->found, f->breach);
        if (!same(&f->found, &f->simple)) {
            (void)printf("    simpler,");
            print_pair(&f->simple, f->simple_breach);
        }
    }
}

static double worst_of(const struct relation *rel)
{
    double ret = 1;
    int i;

    for (i = 0; i < SHOWN; i++)
        ret = fmax(ret, rel->worst[i].breach);
    return ret;
}

static void print_table(const struct world *w)
{
    int i;

    (void)printf("seed %llu: %lld pairs, %lld answers, %lld pairs refused\n",
                 (unsigned long long)w->seed, (long long)w->n_pairs, (long long)w->n_answers,
                 (long long)w->n_refused);
    (void)printf("  %-34s %8s %8s %8s %10s\n", "relation", "pairs", "broken", "share", "largest");
    for (i = 0; i < EC_LEN(relations); i++) {
        const struct relation *rel = &relations[i];

        (void)printf("  %-34s %8lld %8lld %6.2f %% %8.1f %%\n", rel->name, (long long)rel->n,
                     (long long)rel->broken,
                     rel->n ? 100 * (double)rel->broken / (double)rel->n : 0,
                     100 * (worst_of(rel) - 1));
    }
}

static void demand(const struct relation *rel)
{
    double share = rel->n ? (double)rel->broken / (double)rel->n : 0;

    if (share > rel->allowed)
        test_fail(__FILE__, __LINE__, "\"%s\" is broken by %.2f %% of %lld pairs, want %.1f %%",
                  rel->name, 100 * share, (long long)rel->n, 100 * rel->allowed);
}

static const struct sense_network *named(const struct world *w, const char *name)
{
    int i;

    for (i = 0; i < w->n_networks; i++)
        if (ec_str_eq(w->network[i].row->name, name))
            return &w->network[i];
    test_fail(__FILE__, __LINE__, "no network %s", name);
    return &w->network[0];
}

/* Ladders that anybody would name are found, and nothing that is merely another network. */
TEST(larger_networks_of_a_family)
{
    static const char *const ladders[][2] = {
        {"resnet18",         "resnet34"       },
        { "resnet50",        "resnet101"      },
        { "resnet101",       "resnet152"      },
        { "vgg11",           "vgg13"          },
        { "vgg13",           "vgg16"          },
        { "vgg16",           "vgg19"          },
        { "densenet121",     "densenet169"    },
        { "densenet169",     "densenet201"    },
        { "efficientnet_b0", "efficientnet_b1"},
        { "convnext_tiny",   "convnext_small" },
        { "convnext_small",  "convnext_base"  },
        { "swin_t",          "swin_s"         },
        { "vit_b_16",        "vit_l_16"       },
        { "bert_base",       "bert_large"     },
        { "gpt2",            "gpt2_medium"    },
        { "gpt2_medium",     "gpt2_large"     },
        { "opt_125m",        "opt_1_3b"       },
    };
    static const char *const others[][2] = {
        {"resnet34",       "resnet50"       },
        { "resnet50",      "resnext50_32x4d"},
        { "resnet50",      "seresnet50"     },
        { "vgg11",         "vgg11_bn"       },
        { "bert_base",     "roberta_large"  },
        { "mobilenet_v2",  "efficientnet_b7"},
        { "convnext_tiny", "convnextv2_tiny"},
    };
    struct world w = { 0 };
    int i;

    find_networks(&w);
    for (i = 0; i < EC_LEN(ladders); i++) {
        const struct sense_network *a = named(&w, ladders[i][0]), *b = named(&w, ladders[i][1]);

        if (!sense_larger(b, a) || sense_larger(a, b) || !sense_counts_larger(b, a))
            test_fail(__FILE__, __LINE__, "%s is not larger than %s", b->row->name, a->row->name);
    }
    for (i = 0; i < EC_LEN(others); i++) {
        const struct sense_network *a = named(&w, others[i][0]), *b = named(&w, others[i][1]);

        if (sense_larger(b, a) || sense_larger(a, b))
            test_fail(__FILE__, __LINE__, "%s and %s: one is larger", b->row->name, a->row->name);
    }
    close_world(&w);
}

static const struct ec_device *device(const char *key)
{
    const struct ec_device *d = NULL;
    struct ec_err err = { 0 };

    CHECK_OK(ec_device_find(key, &d, &err));
    return d;
}

TEST(boards_of_a_chip_and_newer_ones)
{
    double lo = 0, hi = 0;

    CHECK(sense_siblings(device("rtx3090"), device("rtx3090ti"), EC_AMP, &lo, &hi));
    CHECK(lo == 1);
    CHECK_NEAR(hi, 450.0 / 350, 1e-9); /* power; peak and bandwidth differ by less */
    CHECK(!sense_siblings(device("rtx3090"), device("a100-sxm4-40gb"), EC_AMP, &lo, &hi));
    CHECK(!sense_siblings(device("rtx3080"), device("rtx3080-laptop"), EC_AMP, &lo, &hi));
    CHECK(!sense_siblings(device("tpu-v2"), device("tpu-v3"), EC_AMP, &lo, &hi));
    CHECK(sense_dominates(device("h100-sxm5-80gb"), device("a100-sxm4-40gb"), EC_AMP,
                          SENSE_WITH_CACHE));
    CHECK(!sense_dominates(device("a100-sxm4-40gb"), device("h100-sxm5-80gb"), EC_AMP,
                           SENSE_WITH_BOTH));
    CHECK(!sense_dominates(device("a10"), device("v100-16gb"), EC_AMP, SENSE_WITH_CACHE));
    CHECK(sense_dominates(device("titan-v"), device("gtx1080ti"), EC_FP32, SENSE_WITH_CACHE));
    CHECK(!sense_dominates(device("titan-v"), device("gtx1080ti"), EC_FP32, SENSE_WITH_BOTH));
    /* A card for games has fewer matrix units than one for servers that is older. */
    CHECK(!sense_dominates(device("rtx3090"), device("v100-16gb"), EC_AMP, SENSE_BASIC));
    CHECK_NEAR(sense_peak(device("a100-sxm4-40gb"), EC_TF32), 156e12, 1e-9);
    CHECK_NEAR(sense_peak(device("t4"), EC_TF32), 8.1e12, 1e-9);
    CHECK_NEAR(sense_peak(device("mi50"), EC_FP16), 26.5e12, 1e-9);
}

TEST(answers_obey_common_sense)
{
    struct world w;
    int i;

    open_world(&w);
    if (!test_bad_checks)
        ask_all(&w, setting("EC_SENSE_PAIRS", DEFAULT_PAIRS));
    print_table(&w);
    for (i = 0; i < EC_LEN(relations); i++)
        print_failures(&w, &relations[i]);
    (void)fflush(stdout); /* what is demanded goes elsewhere, and comes last */
    for (i = 0; i < EC_LEN(relations); i++)
        demand(&relations[i]);
    close_world(&w);
}
