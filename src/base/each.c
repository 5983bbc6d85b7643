/* Whole jobs shared out over threads. */
#include <pthread.h>

#include "base/base.h"

struct jobs {
    void (*job)(void *ctx, int i);
    void *ctx;
    int n, next;
    int64_t until_ns;
    pthread_mutex_t lock;
};

static void *do_some(void *arg)
{
    struct jobs *all = arg;

    ec_compute_until(all->until_ns);
    for (;;) {
        int i;

        (void)pthread_mutex_lock(&all->lock);
        i = all->next++;
        (void)pthread_mutex_unlock(&all->lock);
        if (i >= all->n)
            return NULL;
        all->job(all->ctx, i);
    }
}

void ec_each(int n_threads, int n, void (*job)(void *ctx, int i), void *ctx)
{
    struct jobs all = { job, ctx, n, 0, ec_compute_end_ns(), PTHREAD_MUTEX_INITIALIZER };
    pthread_t thread[64];
    int started = 0;

    while (started < n_threads - 1 && started < EC_LEN(thread) &&
           pthread_create(&thread[started], NULL, do_some, &all) == 0)
        started++;
    (void)do_some(&all);
    while (started)
        (void)pthread_join(thread[--started], NULL);
}
