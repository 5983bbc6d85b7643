/* Placement in memory: buffers that are never needed at the same time share memory; parameters,
 * their gradients and the optimizer's states are one block each, with gradients in the order in
 * which backward completes them. */
#include "engine/program_internal.h"

#include <assert.h>
#include <stdlib.h>
#include <sys/mman.h>

static int root_of(const struct ec_variant *g, int buf)
{
    while (g->bufs[buf].root != buf)
        buf = g->bufs[buf].root;
    return buf;
}

/* A task may write over what nobody needs after it. */
static void take_over(struct ec_variant *g)
{
    int i;

    for (i = 0; i < g->n_inplace; i++) {
        const struct ec_inplace *w = &g->inplace[i];
        struct ec_pbuf *from = &g->bufs[root_of(g, w->from)], *to = &g->bufs[root_of(g, w->to)];

        if (from == to || from->pool != EC_POOL_ARENA || to->pool != EC_POOL_ARENA ||
            from->last != w->task || to->first != w->task || from->bytes < to->bytes)
            continue;
        to->root = (int)(from - g->bufs);
        if (to->last > from->last)
            from->last = to->last;
    }
}

struct placing {
    const struct ec_variant *g;
    int *order, *placed; /* buffers: by size; by offset */
    int n, n_placed;
};

static bool overlap(const struct ec_pbuf *a, const struct ec_pbuf *b)
{
    return a->first <= b->last && b->first <= a->last;
}

/* The smallest gap between the buffers that live at the same time, else the space above them. */
static int64_t best_offset(const struct placing *w, const struct ec_pbuf *b, int64_t bytes)
{
    int64_t end = 0, best = -1, best_hole = INT64_MAX;
    int i;

    for (i = 0; i < w->n_placed; i++) {
        const struct ec_pbuf *o = &w->g->bufs[w->placed[i]];
        int64_t hole = o->offset - end;

        if (!overlap(b, o))
            continue;
        if (hole >= bytes && hole < best_hole) {
            best = end;
            best_hole = hole;
        }
        if (o->offset + ec__align(o->bytes) > end)
            end = o->offset + ec__align(o->bytes);
    }
    return best >= 0 ? best : end;
}

static void insert_placed(struct placing *w, int buf)
{
    int at = w->n_placed++;

    while (at > 0 && w->g->bufs[w->placed[at - 1]].offset > w->g->bufs[buf].offset) {
        w->placed[at] = w->placed[at - 1];
        at--;
    }
    w->placed[at] = buf;
}

/* Largest first; of equal ones, the earlier. */
static int by_size(const void *a, const void *b, void *ctx)
{
    const struct ec_variant *g = ctx;
    int ia = *(const int *)a, ib = *(const int *)b;
    int64_t sa = g->bufs[ia].bytes, sb = g->bufs[ib].bytes;

    if (sa != sb)
        return sa < sb ? 1 : -1;
    return ia < ib ? -1 : ia > ib;
}

static enum ec_status pack(struct ec_variant *g, struct ec_err *err)
{
    struct placing w = { .g = g };
    enum ec_status st = EC_OK;
    int i;

    w.order = ec_alloc(sizeof *w.order * (size_t)(g->n_bufs + 1));
    w.placed = ec_alloc(sizeof *w.placed * (size_t)(g->n_bufs + 1));
    EC_TRY(ec_allocated(w.order && w.placed, err));
    for (i = 0; i < g->n_bufs; i++)
        if (g->bufs[i].pool == EC_POOL_ARENA && g->bufs[i].root == i && g->bufs[i].first >= 0)
            w.order[w.n++] = i;
    qsort_r(w.order, (size_t)w.n, sizeof *w.order, by_size, g);
    for (i = 0; i < w.n; i++) {
        struct ec_pbuf *b = &g->bufs[w.order[i]];
        int64_t bytes = ec__align(b->bytes);

        b->offset = best_offset(&w, b, bytes);
        assert(b->offset >= 0 && b->offset % EC_ENGINE_ALIGN == 0);
        insert_placed(&w, w.order[i]);
        if (b->offset + bytes > g->arena_bytes)
            g->arena_bytes = b->offset + bytes;
    }
out:
    ec_free(w.order);
    ec_free(w.placed);
    return st;
}

enum ec_status ec__program_place(struct ec_program *p, struct ec_variant *g, struct ec_err *err)
{
    int i;

    take_over(g);
    for (i = 0; i < g->n_bufs; i++) {
        struct ec_pbuf *b = &g->bufs[i];

        if (b->pool != EC_POOL_ARENA || b->first < 0)
            continue;
        g->kind_bytes[b->kind] += ec__align(b->bytes);
        if (p->opts.keep_all) {
            b->first = 0;
            b->last = g->n_tasks;
        }
    }
    EC_PASS(pack(g, err));
    for (i = 0; i < g->n_bufs; i++)
        if (g->bufs[i].root != i)
            g->bufs[i].offset = g->bufs[root_of(g, i)].offset;
    return EC_OK;
}

/* --- Parameters --- */

static int by_completion(const void *a, const void *b, void *ctx)
{
    const struct ec_program *p = ctx;
    int ia = *(const int *)a, ib = *(const int *)b;
    int da = p->params[ia].grad_done, db = p->params[ib].grad_done;

    if (da != db)
        return da < db ? -1 : 1;
    return ia < ib ? -1 : ia > ib;
}

/* 0: learnt, 1: frozen weights, 2: running statistics */
static int class_of(const struct ec_pparam *q)
{
    return q->learns ? 0 : q->buffer ? 2 : 1;
}

static void place_class(struct ec_program *p, int class, int *ids)
{
    int i, n = 0;

    for (i = 0; i < p->g->n_values; i++)
        if (p->params[i].used && class_of(&p->params[i]) == class)
            ids[n++] = i;
    if (class == 0)
        qsort_r(ids, (size_t)n, sizeof *ids, by_completion, p);
    for (i = 0; i < n; i++) {
        p->params[ids[i]].offset = p->param_bytes;
        p->param_bytes += ec__align(p->params[ids[i]].bytes);
    }
}

/* Which block of gradients each task completes. */
static void mark_completion(struct ec_program *p)
{
    int i;

    for (i = 0; i < p->g->n_values; i++) {
        const struct ec_pparam *q = &p->params[i];
        struct ec_task *t;

        if (!q->used || !q->learns || q->grad_done < 0)
            continue;
        assert(q->grad_done < p->train.n_tasks);
        t = &p->train.tasks[q->grad_done];
        if (!t->done_bytes || q->offset < t->done_offset)
            t->done_offset = q->offset;
        t->done_bytes += ec__align(q->bytes);
    }
}

enum ec_status ec__program_layout(struct ec_program *p, struct ec_err *err)
{
    int *ids = ec_alloc(sizeof *ids * (size_t)(p->g->n_values + 1));

    EC_PASS(ec_allocated(ids, err));
    place_class(p, 0, ids);
    p->learn_bytes = p->param_bytes;
    place_class(p, 1, ids);
    p->weight_bytes = p->param_bytes;
    place_class(p, 2, ids);
    p->stat_bytes = p->param_bytes - p->weight_bytes;
    assert(p->learn_bytes <= p->weight_bytes && p->stat_bytes >= 0);
    ec_free(ids);
    mark_completion(p);
    return EC_OK;
}

/* --- Pointers --- */

static void *address(const struct ec_program *p, const struct ec_variant *g, int buf)
{
    const struct ec_pbuf *b;
    unsigned char *base = g->arena;
    int64_t offset;

    if (buf < 0)
        return NULL;
    assert(buf < g->n_bufs);
    b = &g->bufs[buf];
    offset = b->offset;
    if (b->pool == EC_POOL_PARAM || b->pool == EC_POOL_GRAD) {
        base = b->pool == EC_POOL_PARAM ? p->param_mem : p->grad_mem;
        offset = p->params[b->param].offset;
    } else if (b->pool == EC_POOL_IO) {
        base = p->io_mem;
    }
    assert(base && offset >= 0);
    return base + offset;
}

static void **addresses(struct ec_program *p, const struct ec_variant *g, const int *bufs, int n)
{
    void **ret = ec_arena_alloc(&p->mem, sizeof *ret * (size_t)(n ? n : 1));
    int i;

    for (i = 0; ret && i < n; i++)
        ret[i] = address(p, g, bufs[i]);
    return ret;
}

static enum ec_status resolve_kernel(struct ec_program *p, const struct ec_variant *g,
                                     struct ec_task *t, struct ec_err *err)
{
    const struct ec_node *n = t->pn->n;
    struct ec_kargs *a = &t->args;

    a->in = (const void *const *)addresses(p, g, t->in, n->n_in);
    a->out = addresses(p, g, t->out, n->n_out);
    a->d_out = (const void *const *)addresses(p, g, t->d_out, n->n_out);
    a->d_in = addresses(p, g, t->d_in, n->n_in);
    a->param = addresses(p, g, t->param, n->n_param);
    a->d_param = addresses(p, g, t->d_param, n->n_param);
    a->ws = address(p, g, t->ws);
    a->scratch = address(p, g, t->scratch);
    return ec_allocated(a->in && a->out && a->d_out && a->d_in && a->param && a->d_param, err);
}

enum ec_status ec__program_resolve(struct ec_program *p, struct ec_variant *g, struct ec_err *err)
{
    int i;

    for (i = 0; i < g->n_tasks; i++) {
        struct ec_task *t = &g->tasks[i];

        if (t->kind == EC_TASK_KERNEL)
            EC_PASS(resolve_kernel(p, g, t, err));
        t->p_src = address(p, g, t->src);
        t->p_base = address(p, g, t->base);
        t->p_dst = address(p, g, t->dst);
    }
    return EC_OK;
}

#define HUGE_PAGE_BYTES ((uintptr_t)2 << 20)

/* Asks for large pages where whole ones fit: a step walks through all of it again and again, and
 * looking up small pages costs up to a tenth of its time. A wish: refused or unknown, nothing
 * changes. */
static void want_large_pages(void *mem, int64_t bytes)
{
#ifdef MADV_HUGEPAGE
    uintptr_t at = (uintptr_t)mem;
    uintptr_t first = (HUGE_PAGE_BYTES - at % HUGE_PAGE_BYTES) % HUGE_PAGE_BYTES;

    if ((uintptr_t)bytes >= first + HUGE_PAGE_BYTES)
        (void)madvise((unsigned char *)mem + first,
                      ((uintptr_t)bytes - first) / HUGE_PAGE_BYTES * HUGE_PAGE_BYTES,
                      MADV_HUGEPAGE);
#else
    (void)mem, (void)bytes;
#endif
}

enum ec_status ec__program_alloc(struct ec_program *p, int64_t bytes, void **ret,
                                 struct ec_err *err)
{
    int64_t want = ec__align(bytes ? bytes : 1);
    uintptr_t at;
    void *raw;

    if (p->b->mem_alloc) {
        EC_PASS(p->b->mem_alloc(p->ctx, want, &raw, err));
        p->b->flat->zero(p->ctx, raw, want);
        p->raw[p->n_raw++] = raw;
        *ret = raw;
    } else {
        raw = ec_alloc((size_t)want + EC_ENGINE_ALIGN);
        if (!raw)
            return ec_fail(err, EC_E_NOMEM, "out of memory: the network needs %lld bytes at once",
                           (long long)want);
        p->raw[p->n_raw++] = raw;
        want_large_pages(raw, want);
        at = (uintptr_t)raw;
        *ret = (unsigned char *)raw + (EC_ENGINE_ALIGN - at % EC_ENGINE_ALIGN) % EC_ENGINE_ALIGN;
    }
    return EC_OK;
}
