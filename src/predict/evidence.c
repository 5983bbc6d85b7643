/* Finds the measured rows that are nearest to a query. Rows are listed as they are; nothing is
 * predicted. */
#include "predict/predict_internal.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COORDS 9
/* Distances of other conditions; 1 is a factor e in a size. */
#define OTHER_PRECISION 1.0
#define OTHER_MODE 1.0
#define OTHER_LAYOUT 0.5
#define OTHER_FRAMEWORK 0.5
#define OTHER_OPTIMIZER 0.25
#define OTHER_RECOMPUTE 0.25
#define UNTOLD 0.5
/* Distances of devices: another kind; years of age that count as 1, like a factor 2 of peak or
 * bandwidth. */
#define OTHER_KIND 3.0
#define YEARS_OF_GENERATION 2.0

struct asked {
    const char *model; /* NULL: an operator */
    size_t family_len; /* length of the family's name in the model's */
    const struct ec_op *op;
    double at[COORDS];
    const char *device, *phase;
    const struct ec_device *on; /* NULL: not in the catalogue */
    const struct ec_predict_opts *opts;
    int64_t batch;
};

/* Entries found so far, the nearest first. */
struct found {
    struct ec_evidence *v;
    int n, max;
    struct ec_arena *arena;
};

static double log_ratio(double a, double b)
{
    return a > 0 && b > 0 ? fabs(log(a / b)) : 0;
}

/* Coordinates of a case: logarithms of the sizes of its first forward kernel. */
static enum ec_status locate(const struct ec_case *c, double at[COORDS], struct ec_err *err)
{
    struct ec_step s = { 0 };
    enum ec_status st;

    memset(at, 0, sizeof *at * COORDS);
    EC_TRY(ec_step_of_case(c, EC_FORWARD, EC_MODE_FORWARD, &s, err));
    if (s.n) {
        const struct ec_kernel *k = &s.kernel[0];
        const double sizes[COORDS] = { k->flop,
                                       k->read_elems + k->write_elems,
                                       k->weight_elems,
                                       k->b * k->m,
                                       k->n,
                                       k->k,
                                       k->c_in,
                                       k->r,
                                       k->stride };
        int i;

        for (i = 0; i < COORDS; i++)
            at[i] = log1p(sizes[i]);
    }
out:
    ec_step_clear(&s);
    return st;
}

/* Number of letters before the first digit or '_': "resnet" of resnet50, "vit" of vit_base. */
static size_t family_len(const char *name)
{
    size_t n = 0;

    while (isalpha((unsigned char)name[n]))
        n++;
    return n;
}

static double doublings(double a, double b)
{
    return a > 0 && b > 0 ? fabs(log2(a / b)) : 0;
}

/* Distance by generation, peak and bandwidth; a device that is not in the catalogue is of another
 * kind. */
static double device_distance(const struct asked *q, const char *key)
{
    enum ec_precision p = q->opts->cond.precision;
    const struct ec_device *d = NULL;
    double sum;

    if (ec_str_eq(key, q->device))
        return 0;
    if (!q->on || ec_device_find(key, &d, NULL))
        return OTHER_KIND;
    sum = doublings(ec_paper_peak(q->on, p, true), ec_paper_peak(d, p, true)) +
          doublings(q->on->memory_bytes_per_s.value, d->memory_bytes_per_s.value);
    if (q->on->kind != d->kind || q->on->vendor != d->vendor)
        sum += OTHER_KIND;
    return ec_str_eq(q->on->arch, d->arch)
               ? sum
               : sum + 1 + abs(q->on->launch_year - d->launch_year) / YEARS_OF_GENERATION;
}

/* Only whole steps have an update. */
static bool has_update(const struct asked *q)
{
    return q->model && q->opts->cond.mode == EC_MODE_TRAINING_STEP;
}

static const char *phase_word(const struct ec_record *r)
{
    return ec_record_phase_word(r);
}

/* Distance of two words; 0 where the row's is unknown. */
static double word_distance(const char *asked, const char *found, double distance)
{
    if (ec_str_eq(asked, found))
        return 0;
    return *found ? distance : UNTOLD * distance;
}

static double condition_distance(const struct asked *q, const struct ec_stored *s)
{
    static const double distance[EC_WORD_COUNT] = {
        [EC_WORD_PRECISION] = OTHER_PRECISION, [EC_WORD_LAYOUT] = OTHER_LAYOUT,
        [EC_WORD_FRAMEWORK] = OTHER_FRAMEWORK, [EC_WORD_MODE] = OTHER_MODE,
        [EC_WORD_OPTIMIZER] = OTHER_OPTIMIZER, [EC_WORD_RECOMPUTE] = OTHER_RECOMPUTE,
    };
    const bool matters[EC_WORD_COUNT] = {
        [EC_WORD_PRECISION] = true,          [EC_WORD_LAYOUT] = true,
        [EC_WORD_FRAMEWORK] = true,          [EC_WORD_MODE] = !q->phase[0],
        [EC_WORD_OPTIMIZER] = has_update(q), [EC_WORD_RECOMPUTE] = true,
    };
    struct ec_record asked = { .cond = q->opts->cond };
    double sum = word_distance(q->phase, phase_word(&s->r), OTHER_MODE);
    int i;

    for (i = 0; i < EC_WORD_COUNT; i++)
        if (matters[i])
            sum += word_distance(ec_record_word(&asked, (enum ec_word)i),
                                 ec_record_word(&s->r, (enum ec_word)i), distance[i]);
    return sum;
}

/* Computes the distance of a row. False: the row is no evidence for the query. */
static bool measure(const struct asked *q, const struct ec_stored *s, double *ret)
{
    struct ec_owned_case c = { 0 };
    double at[COORDS], sum = 0;
    int i;

    *ret = condition_distance(q, s) + device_distance(q, s->r.device);
    if (q->model) {
        *ret += log_ratio((double)q->batch, (double)s->r.batch) +
                2 * log_ratio((double)q->opts->image, (double)s->r.image_px) +
                log_ratio((double)q->opts->seq_len, (double)s->r.seq_len);
        return true;
    }
    if (ec_case_parse(s->r.what, &c, NULL))
        return false;
    if (c.c.op != q->op || locate(&c.c, at, NULL)) {
        ec_case_clear(&c);
        return false;
    }
    for (i = 0; i < COORDS; i++)
        sum += (at[i] - q->at[i]) * (at[i] - q->at[i]);
    *ret += sqrt(sum);
    ec_case_clear(&c);
    return true;
}

static bool nearer(const struct ec_evidence *a, const struct ec_evidence *b)
{
    if (a->same_network != b->same_network)
        return a->same_network;
    if (a->same_device != b->same_device)
        return a->same_device;
    return a->distance < b->distance;
}

/* Copies the texts into the arena: those of a stored row live until the next row. */
static bool copy_texts(struct ec_arena *a, struct ec_evidence *e)
{
    const char **texts[] = { &e->what,  &e->device,    &e->precision, &e->mode,
                             &e->phase, &e->framework, &e->source };
    int i;

    for (i = 0; i < EC_LEN(texts); i++) {
        *texts[i] = ec_arena_str(a, *texts[i]);
        if (!*texts[i])
            return false;
    }
    return true;
}

static bool is_repeat(const struct ec_evidence *a, const struct ec_evidence *b)
{
    const char *const pairs[][2] = {
        {a->what,       b->what     },
        { a->device,    b->device   },
        { a->precision, b->precision},
        { a->mode,      b->mode     },
        { a->phase,     b->phase    },
        { a->framework, b->framework},
        { a->source,    b->source   },
    };
    int i;

    for (i = 0; i < EC_LEN(pairs); i++)
        if (!ec_str_eq(pairs[i][0], pairs[i][1]))
            return false;
    return a->batch == b->batch && fabs(a->distance - b->distance) < 1e-9;
}

static void repeat(struct ec_evidence *of, double time_ns)
{
    of->time_ns += (time_ns - of->time_ns) / ++of->count;
    of->least_ns = fmin(of->least_ns, time_ns);
    of->most_ns = fmax(of->most_ns, time_ns);
}

/* Adds a row in order of distance, or counts it in an entry with the same conditions. An entry that
 * is removed stays removed: later rows of it are equally far. */
static enum ec_status insert(struct found *f, struct ec_evidence e, struct ec_err *err)
{
    int at;

    for (at = 0; at < f->n; at++)
        if (is_repeat(&f->v[at], &e)) {
            repeat(&f->v[at], e.time_ns);
            return EC_OK;
        }
    if (f->n == f->max && !nearer(&e, &f->v[f->n - 1]))
        return EC_OK;
    EC_PASS(ec_allocated(copy_texts(f->arena, &e), err));
    if (f->n < f->max)
        f->n++;
    for (at = f->n - 1; at > 0 && nearer(&e, &f->v[at - 1]); at--)
        f->v[at] = f->v[at - 1];
    f->v[at] = e;
    return EC_OK;
}

static enum ec_status consider(const struct asked *q, const struct ec_stored *s, struct found *f,
                               struct ec_err *err)
{
    const struct ec_record *m = &s->r;
    struct ec_evidence e = { .what = m->what,
                             .device = m->device,
                             .precision = ec_record_word(m, EC_WORD_PRECISION),
                             .mode = ec_record_word(m, EC_WORD_MODE),
                             .phase = phase_word(m),
                             .framework = ec_record_word(m, EC_WORD_FRAMEWORK),
                             .source = *m->source.name ? m->source.name : m->source.key,
                             .id = s->id,
                             .batch = m->batch,
                             .count = 1,
                             .time_ns = m->time.ns,
                             .least_ns = m->time.ns,
                             .most_ns = m->time.ns,
                             .same_device = ec_str_eq(m->device, q->device) };

    if (!(m->time.ns > 0) || s->r.num_devices > 1 || *s->r.job ||
        ec_record_is_network(m) != (q->model != NULL))
        return EC_OK;
    e.same_network = !q->model || ec_str_eq(m->what, q->model);
    if (q->model && !e.same_network &&
        (family_len(m->what) != q->family_len || strncmp(m->what, q->model, q->family_len) != 0))
        return EC_OK;
    return measure(q, s, &e.distance) ? insert(f, e, err) : EC_OK;
}

static enum ec_status search(struct ec_store *store, const struct ec_store_query *query,
                             const struct asked *q, struct found *f, struct ec_err *err)
{
    struct ec_store_rows *rows = NULL;
    const struct ec_stored *s = NULL;
    enum ec_status st;

    EC_TRY(ec_store_select(store, query, &rows, err));
    for (;;) {
        EC_TRY(ec_store_next(rows, &s, err));
        if (!s)
            break;
        EC_TRY(consider(q, s, f, err));
    }
out:
    ec_store_rows_free(rows);
    return st;
}

static enum ec_status ask_op(const char *op, const struct ec_predict_opts *opts,
                             struct ec_owned_case *c, struct asked *q, struct ec_store_query *query,
                             struct ec_err *err)
{
    EC_PASS(ec_case_parse(op, c, err));
    EC_PASS(locate(&c->c, q->at, err));
    q->op = c->c.op;
    query->op = c->c.op->name;
    if (opts->phase)
        q->phase = ec_phase_name((enum ec_phase)(opts->phase - 1)); /* enum: phase 0 means all */
    return EC_OK;
}

/* Query and pattern for a network; names that begin with the same letters are one family. */
static enum ec_status ask_network(const char *model, struct ec_buf *pattern, struct asked *q,
                                  struct ec_store_query *query, struct ec_err *err)
{
    q->family_len = family_len(model);
    ec_buf_add(pattern, model, q->family_len);
    ec_buf_char(pattern, '*');
    query->network = ec_buf_text(pattern);
    return ec_buf_status(pattern, err);
}

enum ec_status ec_evidence_find(struct ec_store *store, const struct ec_evidence_query *q,
                                struct ec_arena *a, struct ec_evidence *ret, int n, int *ret_n,
                                struct ec_err *err)
{
    struct ec_store_query query = { .only_ok = true, .leave_flagged = true };
    struct asked asked = {
        .model = q->model, .device = q->device, .opts = q->opts, .batch = q->batch, .phase = ""
    };
    struct found f = { .v = ret, .max = n, .arena = a };
    struct ec_owned_case c = { 0 };
    struct ec_buf pattern = EC_BUF_INIT;
    enum ec_status st = EC_OK;

    if (ec_device_find(q->device, &asked.on, NULL))
        asked.on = NULL;
    EC_TRY(q->op ? ask_op(q->op, q->opts, &c, &asked, &query, err)
                 : ask_network(q->model, &pattern, &asked, &query, err));
    EC_TRY(search(store, &query, &asked, &f, err));
    *ret_n = f.n;
out:
    ec_buf_clear(&pattern);
    ec_case_clear(&c);
    return st;
}
