/* Batches of samples, made ahead by threads.
 *
 * A step is identified by its running number over all epochs. Slots hold the step in use and the
 * next ones. Workers take pieces of these steps in order and write each sample to its place in the
 * batch, so the result does not depend on which worker makes a sample. */
#include "dataset/samples_internal.h"

#include <pthread.h>
#include <string.h>

#define WORKERS_MAX 256
#define PREFETCH_MAX 1024
#define PREFETCH_DEFAULT 2
#define PIECE_MAX 32 /* samples that a worker takes at once */

#include "loader_fields.h"

struct slot {
    int64_t step;  /* running number; -1: none */
    int64_t taken; /* samples handed to workers */
    int64_t made;
    enum ec_status st;
    int64_t bad; /* place of the failed sample; the first place is reported, whichever worker finds
                    it */
    struct ec_err err;
    struct ec_batch batch;
};

struct ec_loader {
    const struct ec_samples *samples;
    const struct ec_samples_info *info;
    struct ec_loader_opts o;
    int64_t n, steps;  /* samples of the split; steps per epoch */
    int64_t total;     /* steps over all epochs; INT64_MAX: without end */
    struct slot *slot; /* n_slots; step k stands in k % n_slots */
    int64_t n_slots;
    struct ec_arena arena;      /* slots and batches */
    struct ec__scratch scratch; /* of the caller's thread */
    struct ec_loader_stats stats;
    int64_t start_ns;

    pthread_mutex_t lock; /* protects the following members and the counts of the slots */
    pthread_cond_t room, done;
    pthread_t *thread;
    int n_threads;
    bool has_lock, quit;
    int64_t next;  /* step that the caller gets next */
    int64_t front; /* step that the workers are at */
    int64_t busy_ns, made;
};

/* --- Which samples --- */

static int64_t chunk(const struct ec_loader *l)
{
    return l->o.batch * l->o.world;
}

/* Samples of a step over all ranks, the place of this rank's first one, and how many it has. */
static int64_t share(const struct ec_loader *l, int64_t step, int64_t *ret_first)
{
    int64_t begin = step % l->steps * chunk(l), left = l->n - begin, from, to;

    if (left >= chunk(l)) {
        *ret_first = begin + l->o.rank * l->o.batch;
        return l->o.batch;
    }
    from = left * l->o.rank / l->o.world;
    to = left * (l->o.rank + 1) / l->o.world;
    *ret_first = begin + from;
    return to - from;
}

static int64_t index_of(const struct ec_loader *l, int64_t epoch, int64_t place)
{
    if (!l->o.shuffle)
        return place;
    return ec__permute(place, l->n, ec__mix((uint64_t)l->o.seed, (uint64_t)epoch));
}

static struct ec_sample_data row_of(const struct ec_loader *l, const struct ec_sample_data *d,
                                    int64_t i)
{
    int64_t in = i * l->info->input_elems, label = i * l->info->label_elems;

    return (struct ec_sample_data){ .x = d->x ? d->x + in : NULL,
                                    .tokens = d->tokens ? d->tokens + in : NULL,
                                    .label = d->label ? d->label + label : NULL,
                                    .target = d->target ? d->target + label : NULL };
}

/* Samples from..to-1 of the batch. */
static enum ec_status make(const struct ec_loader *l, const struct ec_batch *b, int64_t from,
                           int64_t to, struct ec__scratch *scratch, int64_t *ret_bad,
                           struct ec_err *err)
{
    int64_t first, i, index, step = b->epoch * l->steps + b->step;
    enum ec_status st = EC_OK;

    (void)share(l, step, &first);
    for (i = from; !st && i < to; i++) {
        struct ec_sample_data row = row_of(l, &b->data, i);

        index = index_of(l, b->epoch, first + i);
        st = ec__samples_get(l->samples, l->o.split, index, l->o.augment ? b->epoch : -1, &row,
                             scratch, err);
        if (st) {
            *ret_bad = i;
            ec_err_prefix(err, "%s sample %lld: ", ec_part_name(l->o.split), (long long)index);
        }
    }
    return st;
}

static void clear_tail(const struct ec_loader *l, const struct ec_batch *b)
{
    size_t rows = (size_t)(l->o.batch - b->n), in = rows * (size_t)l->info->input_elems,
           label = rows * (size_t)l->info->label_elems;
    struct ec_sample_data tail = row_of(l, &b->data, b->n);

    if (tail.x)
        memset(tail.x, 0, in * sizeof *tail.x);
    if (tail.tokens)
        memset(tail.tokens, 0, in * sizeof *tail.tokens);
    if (tail.label)
        memset(tail.label, 0, label * sizeof *tail.label);
    if (tail.target)
        memset(tail.target, 0, label * sizeof *tail.target);
}

static void begin_step(struct ec_loader *l, struct slot *s, int64_t step)
{
    struct ec_batch *b = &s->batch;
    int64_t first;

    s->step = step;
    s->taken = s->made = 0;
    s->st = EC_OK;
    s->bad = INT64_MAX;
    b->epoch = step / l->steps;
    b->step = step % l->steps;
    b->last = b->step == l->steps - 1;
    b->n = share(l, step, &first);
    if (b->n < l->o.batch)
        clear_tail(l, b);
}

/* --- Workers --- */

/* The slot and its piece to make next; NULL: the worker must wait. */
static struct slot *take(struct ec_loader *l, int64_t *ret_from, int64_t *ret_to)
{
    struct slot *s = &l->slot[l->front % l->n_slots];
    int64_t piece = l->o.batch / (2 * l->o.workers);

    if (l->front >= l->total || l->front >= l->next + l->n_slots - 1)
        return NULL;
    if (s->step != l->front)
        begin_step(l, s, l->front);
    piece = piece < 1 ? 1 : piece > PIECE_MAX ? PIECE_MAX : piece;
    *ret_from = s->taken;
    *ret_to = s->batch.n - s->taken < piece ? s->batch.n : s->taken + piece;
    s->taken = *ret_to;
    if (s->taken == s->batch.n)
        l->front++;
    return s;
}

static void *work(void *arg)
{
    struct ec_loader *l = arg;
    struct ec__scratch scratch = { 0 };
    int64_t from, to, bad, start;
    struct ec_err err = { 0 };
    enum ec_status st;
    struct slot *s;

    (void)pthread_mutex_lock(&l->lock);
    while (!l->quit) {
        s = take(l, &from, &to);
        if (!s) {
            (void)pthread_cond_wait(&l->room, &l->lock);
            continue;
        }
        (void)pthread_mutex_unlock(&l->lock);
        start = ec_clock_ns();
        bad = 0;
        st = make(l, &s->batch, from, to, &scratch, &bad, &err);
        start = ec_clock_ns() - start;
        (void)pthread_mutex_lock(&l->lock);
        l->busy_ns += start;
        l->made += to - from;
        s->made += to - from;
        if (st && bad < s->bad) {
            s->st = st;
            s->bad = bad;
            s->err = err;
        }
        if (s->made == s->batch.n)
            (void)pthread_cond_signal(&l->done);
    }
    (void)pthread_mutex_unlock(&l->lock);
    ec__scratch_clear(&scratch);
    return NULL;
}

/* --- Making and asking --- */

static enum ec_status start(struct ec_loader *l, struct ec_err *err)
{
    l->start_ns = ec_clock_ns();
    for (l->quit = false; l->n_threads < l->o.workers; l->n_threads++)
        if (pthread_create(&l->thread[l->n_threads], NULL, work, l))
            return ec_fail(err, EC_E_IO, "cannot start thread %d of %lld that make batches",
                           l->n_threads + 1, (long long)l->o.workers);
    return EC_OK;
}

static void stop(struct ec_loader *l)
{
    if (!l->has_lock)
        return;
    (void)pthread_mutex_lock(&l->lock);
    l->quit = true;
    (void)pthread_cond_broadcast(&l->room);
    (void)pthread_mutex_unlock(&l->lock);
    while (l->n_threads)
        (void)pthread_join(l->thread[--l->n_threads], NULL);
}

static enum ec_status check(const struct ec_samples *s, const struct ec_loader_opts *o,
                            struct ec_err *err)
{
    if ((unsigned)o->split >= EC_PART_COUNT || !s->info.count[o->split])
        return ec_fail(err, EC_E_INPUT, "%s has no %s samples", s->info.name,
                       ec_part_name(o->split));
    if (o->batch < 1 || o->epochs < 0)
        return ec_fail(err, EC_E_INPUT, "batch of %lld in %lld epochs, expected at least 1 and 0",
                       (long long)o->batch, (long long)o->epochs);
    if (o->workers < 0 || o->workers > WORKERS_MAX || o->prefetch < 0 || o->prefetch > PREFETCH_MAX)
        return ec_fail(err, EC_E_INPUT,
                       "%lld workers and %lld batches ahead, expected 0 to %d and "
                       "0 to %d",
                       (long long)o->workers, (long long)o->prefetch, WORKERS_MAX, PREFETCH_MAX);
    if (o->world < 0 || o->rank < 0 || o->rank >= (o->world ? o->world : 1))
        return ec_fail(err, EC_E_INPUT, "rank %lld of %lld", (long long)o->rank,
                       (long long)o->world);
    return EC_OK;
}

static enum ec_status count_steps(struct ec_loader *l, struct ec_err *err)
{
    int64_t per_step;

    l->n = l->info->count[l->o.split];
    if (!ec_mul_i64(l->o.batch, l->o.world, &per_step) || per_step > INT64_MAX / 4)
        return ec_fail(err, EC_E_INPUT, "batch of %lld over %lld ranks is too large",
                       (long long)l->o.batch, (long long)l->o.world);
    l->steps = l->o.drop_last ? l->n / per_step : (l->n + per_step - 1) / per_step;
    if (!l->steps)
        return ec_fail(err, EC_E_INPUT, "a step takes %lld samples, %s has %lld: none is full",
                       (long long)per_step, ec_part_name(l->o.split), (long long)l->n);
    if (!l->o.epochs || !ec_mul_i64(l->o.epochs, l->steps, &l->total))
        l->total = INT64_MAX;
    return EC_OK;
}

/* A buffer of `values` per sample; NULL when the set does not fill it. */
static enum ec_status buffer(struct ec_loader *l, bool wanted, int64_t values, size_t elem_bytes,
                             void *ret_ptr, struct ec_err *err)
{
    int64_t n, bytes;
    void *p = NULL;

    if (!wanted)
        return EC_OK;
    if (!ec_mul_i64(values, l->o.batch, &n) || !ec_mul_i64(n, (int64_t)elem_bytes, &bytes))
        return ec_fail(err, EC_E_INPUT, "a batch of %lld samples is too large",
                       (long long)l->o.batch);
    p = ec_arena_alloc(&l->arena, (size_t)bytes);
    EC_PASS(ec_allocated(p, err));
    memcpy(ret_ptr, &p, sizeof p);
    return EC_OK;
}

static enum ec_status make_slots(struct ec_loader *l, struct ec_err *err)
{
    const struct ec_samples_info *info = l->info;
    bool tokens = info->input == EC_INPUT_TOKENS, vector = info->label == EC_LABEL_VECTOR,
         binary = info->label == EC_LABEL_BINARY;
    int64_t i;

    l->slot = ec_arena_alloc(&l->arena, (size_t)l->n_slots * sizeof *l->slot);
    l->thread = ec_arena_alloc(&l->arena, (size_t)(l->o.workers + 1) * sizeof *l->thread);
    EC_PASS(ec_allocated(l->slot && l->thread, err));
    for (i = 0; i < l->n_slots; i++) {
        struct ec_sample_data *d = &l->slot[i].batch.data;

        l->slot[i].step = -1;
        EC_PASS(buffer(l, !tokens, info->input_elems, sizeof *d->x, &d->x, err));
        EC_PASS(buffer(l, tokens, info->input_elems, sizeof *d->tokens, &d->tokens, err));
        EC_PASS(buffer(l, !vector, info->label_elems, sizeof *d->label, &d->label, err));
        EC_PASS(buffer(l, vector || binary, info->label_elems, sizeof *d->target, &d->target, err));
    }
    return EC_OK;
}

static enum ec_status make_lock(struct ec_loader *l, struct ec_err *err)
{
    if (pthread_mutex_init(&l->lock, NULL) || pthread_cond_init(&l->room, NULL) ||
        pthread_cond_init(&l->done, NULL))
        return ec_fail(err, EC_E_IO, "cannot make the lock of the loader");
    l->has_lock = true;
    return EC_OK;
}

enum ec_status ec_loader_new(const struct ec_samples *s, const struct ec_loader_opts *opts,
                             struct ec_loader **ret, struct ec_err *err)
{
    struct ec_loader *l = NULL;
    enum ec_status st = EC_OK;

    EC_TRY(check(s, opts, err));
    l = ec_alloc(sizeof *l);
    EC_TRY(ec_allocated(l, err));
    l->samples = s;
    l->info = ec_samples_info(s);
    l->o = *opts;
    l->o.world = opts->world ? opts->world : 1;
    l->o.prefetch = opts->prefetch ? opts->prefetch : PREFETCH_DEFAULT;
    l->n_slots = l->o.workers ? l->o.prefetch + 1 : 1;
    EC_TRY(count_steps(l, err));
    EC_TRY(make_slots(l, err));
    EC_TRY(make_lock(l, err));
    EC_TRY(start(l, err));
    *ret = l;
    l = NULL;
out:
    ec_loader_free(l);
    return st;
}

void ec_loader_free(struct ec_loader *l)
{
    if (!l)
        return;
    stop(l);
    if (l->has_lock) {
        (void)pthread_mutex_destroy(&l->lock);
        (void)pthread_cond_destroy(&l->room);
        (void)pthread_cond_destroy(&l->done);
    }
    ec__scratch_clear(&l->scratch);
    ec_arena_clear(&l->arena);
    ec_free(l);
}

int64_t ec_loader_steps(const struct ec_loader *l)
{
    return l->steps;
}

enum ec_status ec_loader_seek(struct ec_loader *l, int64_t epoch, int64_t step, struct ec_err *err)
{
    int64_t at, i;

    if (epoch < 0 || step < 0 || step > l->steps || !ec_mul_i64(epoch, l->steps, &at) ||
        !ec_add_i64(at, step, &at) || at > l->total)
        return ec_fail(err, EC_E_INPUT, "no step %lld in epoch %lld: an epoch has %lld steps",
                       (long long)step, (long long)epoch, (long long)l->steps);
    stop(l);
    for (i = 0; i < l->n_slots; i++)
        l->slot[i].step = -1;
    l->next = l->front = at;
    ec_loader_reset_stats(l);
    return start(l, err);
}

/* Without workers. */
static void make_here(struct ec_loader *l, struct slot *s)
{
    int64_t begin;

    if (s->step == l->next && s->st)
        return;
    begin = ec_clock_ns();
    begin_step(l, s, l->next);
    s->st = make(l, &s->batch, 0, s->batch.n, &l->scratch, &s->bad, &s->err);
    l->busy_ns += ec_clock_ns() - begin;
    l->made += s->batch.n;
}

static void wait_for(struct ec_loader *l, struct slot *s)
{
    while (s->step != l->next || s->made < s->batch.n)
        (void)pthread_cond_wait(&l->done, &l->lock);
}

static void count(struct ec_loader *l, const struct slot *s, int64_t waited_ns)
{
    if (!l->stats.batches)
        l->stats.first_wait_ns = waited_ns;
    l->stats.wait_ns += waited_ns;
    l->stats.batches++;
    l->stats.samples += s->batch.n;
}

enum ec_status ec_loader_next(struct ec_loader *l, const struct ec_batch **ret, struct ec_err *err)
{
    struct slot *s = &l->slot[l->next % l->n_slots];
    int64_t begin = ec_clock_ns();
    enum ec_status st;

    if (l->next >= l->total) {
        *ret = NULL;
        return EC_OK;
    }
    (void)pthread_mutex_lock(&l->lock);
    if (l->o.workers)
        wait_for(l, s);
    else
        make_here(l, s);
    st = s->st;
    if (!st) {
        l->next++;
        (void)pthread_cond_broadcast(&l->room);
    }
    (void)pthread_mutex_unlock(&l->lock);
    if (st)
        return ec_fail(err, st, "%s", s->err.text);
    count(l, s, ec_clock_ns() - begin);
    *ret = &s->batch;
    return EC_OK;
}

void ec_loader_get_stats(const struct ec_loader *l, struct ec_loader_stats *ret)
{
    struct ec_loader *open = (struct ec_loader *)l; /* the lock is not part of the constant state */

    *ret = l->stats;
    (void)pthread_mutex_lock(&open->lock);
    ret->busy_ns = l->busy_ns;
    ret->load_samples_per_s = l->busy_ns ? 1e9 * (double)l->made / (double)l->busy_ns : 0;
    (void)pthread_mutex_unlock(&open->lock);
    ret->elapsed_ns = ec_clock_ns() - l->start_ns;
    if (ret->elapsed_ns > 0)
        ret->samples_per_s = 1e9 * (double)ret->samples / (double)ret->elapsed_ns;
}

void ec_loader_reset_stats(struct ec_loader *l)
{
    (void)pthread_mutex_lock(&l->lock);
    l->stats = (struct ec_loader_stats){ 0 };
    l->busy_ns = l->made = 0;
    l->start_ns = ec_clock_ns();
    (void)pthread_mutex_unlock(&l->lock);
}
