/* Going through the items of a campaign. */
#include "measure/campaign.h"

#include "measure/measurer_internal.h"

#define NS_PER_S 1e9

/* The items of this shard in the orders of all rounds; returns the number per round. Orders belong
 * to the seed and the number of items: every shard and every resumed run draws the same. The first
 * decides which items are whose.
 * room  n_items */
static int draw(const struct ec_campaign *c, int rounds, int *order, int *room, bool *mine)
{
    struct ec_rng rng;
    int round, i, n = 0;

    ec_rng_seed(&rng, c->seed);
    for (round = 0; round < c->first_round + rounds; round++) {
        for (i = 0; i < c->n_items; i++)
            room[i] = i;
        ec_rng_shuffle(&rng, room, c->n_items);
        for (i = 0; i < c->n_items && !round; i++)
            mine[room[i]] = i % c->n_shards == c->shard;
        for (i = 0; i < c->n_items; i++)
            if (round >= c->first_round && mine[room[i]])
                order[n++] = room[i];
    }
    return n / rounds;
}

static enum ec_status measure(struct ec_measurer *m, const struct ec_campaign_item *item, int round,
                              struct ec_err *err)
{
    m->cond = item->cond;
    ec_record_set_word(&m->base, EC_WORD_PRECISION, ec_precision_names[item->cond.precision]);
    switch (item->kind) {
    case EC_CAMPAIGN_NETWORK:
        return ec_measure_network(m, item->what, &item->opts, err);
    case EC_CAMPAIGN_CEILING:
        return ec_measure_ceiling(m, item->what, err);
    case EC_CAMPAIGN_CONFIG:
        return ec_measure_config(m, item->configs, item->config, round, err);
    default:
        return ec_measure_layer(m, item->what, item->activation, item->methods, err);
    }
}

/* Items that were there already cost nothing, so time left counts those that were measured. */
static void report(const struct ec_measurer *m, const struct ec_campaign *c, const char *what,
                   int64_t start_ns, int n_measured, struct ec_campaign_progress *p)
{
    p->n_added = m->n_added;
    p->n_known = m->n_known;
    p->n_failed = m->n_failed;
    p->what = what;
    p->elapsed_s = (double)(ec_clock_ns() - start_ns) / NS_PER_S;
    p->left_s = n_measured ? p->elapsed_s / n_measured * (p->total - p->done) : 0;
    if (c->budget_s > 0 && p->left_s > c->budget_s - p->elapsed_s)
        p->left_s = c->budget_s > p->elapsed_s ? c->budget_s - p->elapsed_s : 0;
    if (c->progress)
        c->progress(c->user, p);
}

static bool ended(const struct ec_measurer *m, const struct ec_campaign *c, int64_t start_ns,
                  enum ec_campaign_end *ret)
{
    bool over = c->budget_s > 0 && (double)(ec_clock_ns() - start_ns) > c->budget_s * NS_PER_S;

    *ret = m->stop && m->stop() ? EC_CAMPAIGN_STOPPED : over ? EC_CAMPAIGN_BUDGET : *ret;
    return *ret != EC_CAMPAIGN_DONE;
}

enum ec_status ec_campaign_run(struct ec_measurer *m, const struct ec_campaign *c,
                               enum ec_campaign_end *ret_end, struct ec_err *err)
{
    size_t n_items = (size_t)c->n_items;
    int rounds = c->rounds ? c->rounds : 1;
    int *order = ec_alloc(sizeof *order * n_items * (size_t)rounds + 1);
    int *room = ec_alloc(sizeof *room * n_items + 1);
    bool *mine = ec_alloc(sizeof *mine * n_items + 1);
    struct ec_campaign_progress p = { 0 };
    int64_t start_ns = ec_clock_ns();
    enum ec_campaign_end end = EC_CAMPAIGN_DONE;
    enum ec_status st = EC_OK;
    int i, n_round, n_measured = 0;

    EC_TRY(ec_allocated(order && room && mine, err));
    n_round = draw(c, rounds, order, room, mine);
    p.total = n_round * rounds;
    for (i = 0; i < p.total; i++) {
        const struct ec_campaign_item *item = &c->items[order[i]];
        int64_t known = m->n_known;

        if (ended(m, c, start_ns, &end))
            break;
        EC_TRY(measure(m, item, c->first_round + i / n_round, err));
        p.done++;
        n_measured += m->n_known == known;
        report(m, c, item->what, start_ns, n_measured, &p);
    }
    *ret_end = m->n_cut ? EC_CAMPAIGN_STOPPED : end;
out:
    ec_free(order);
    ec_free(room);
    ec_free(mine);
    return st;
}
