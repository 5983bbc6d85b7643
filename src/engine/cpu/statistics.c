/* Mean and variance of each channel of a batch. The library adds up tens of thousands of numbers in
 * one float after another, and networks of many norms make much of that: the gradients of
 * MobileNetV2 were three times as far from float64 as they are with these. Here short blocks are
 * summed in float and joined in double; memory is read once. */
#include "engine/cpu/rows.h"

/* Channels that a part takes at a time where they lie side by side. */
#define GROUP 64

struct statistics {
    enum ec__elem t;
    struct ec__channels c;
    int64_t group;
};

static void group_of(const struct ec__row_job *j, int64_t first, int64_t n, double *mean,
                     double *m2)
{
    const struct statistics *s = j->data;
    int64_t size = s->c.inner * s->c.block, block = first / s->c.block, o, i;
    double count = (double)(s->c.outer * s->c.inner);
    float *ret_mean = j->at[1], *ret_var = j->at[2];

    for (i = 0; i < n; i++)
        mean[i] = m2[i] = 0;
    for (o = 0; o < s->c.outer; o++) {
        int64_t at = (o * s->c.blocks + block) * size + first % s->c.block;

        j->cpu->loops->moments(s->t, (const char *)j->at[0] + at * ec__elem_bytes(s->t), s->c.inner,
                               s->c.block, n, o * s->c.inner, mean, m2);
    }
    for (i = 0; i < n && first + i < s->c.channels; i++) {
        ret_mean[first + i] = (float)mean[i];
        ret_var[first + i] = (float)(m2[i] / count);
    }
}

static void part(const struct ec__row_job *j, int64_t begin, int64_t end)
{
    const struct statistics *s = j->data;
    double *mean = (double *)(void *)j->own;
    int64_t all = s->c.blocks * s->c.block, i;

    for (i = begin; i < end; i++) {
        int64_t first = i * s->group, n = all - first < s->group ? all - first : s->group;

        group_of(j, first, n, mean, mean + s->group);
    }
}

void ec__statistics_call(struct ec__build *b, const struct ec__channels *c, struct ec__place x,
                         struct ec__place mean, struct ec__place var)
{
    struct statistics s = { ec__elem_of(b->k), *c, c->block };
    int64_t all = c->blocks * c->block;

    if (s.group > GROUP)
        s.group = GROUP;
    EC__CALL_ROWS(b, part, (all + s.group - 1) / s.group, 2 * s.group * (int64_t)sizeof(double), &s,
                  x, mean, var);
}
