/* A campaign: items are measured in an order drawn from the seed, so that the rows of an
 * interrupted campaign are a fair sample. A resumed campaign skips the rows that its file has
 * already. */
#ifndef EC_CAMPAIGN_H
#define EC_CAMPAIGN_H

#include "measure/configs.h"
#include "measure/measurer.h"

enum ec_campaign_kind {
    EC_CAMPAIGN_LAYER,
    EC_CAMPAIGN_NETWORK,
    EC_CAMPAIGN_CEILING,
    EC_CAMPAIGN_CONFIG
};

struct ec_campaign_item {
    enum ec_campaign_kind kind;
    const char *what;          /* case text, network, ceiling, or name of a configuration */
    struct ec_graph_opts opts; /* networks */
    struct ec_conditions cond;
    unsigned methods;           /* layers: enum ec_layer_method */
    const char *activation;     /* ... of the lone ones; NULL, "": none */
    struct ec_configs *configs; /* configurations: the table, borrowed */
    const struct ec_config *config;
};

struct ec_campaign_progress {
    int done, total; /* items of this shard; done ones may have been there already */
    int64_t n_added, n_known, n_failed;
    double elapsed_s, left_s; /* left 0: not known yet */
    const char *what;         /* item that was finished last */
};

struct ec_campaign {
    const struct ec_campaign_item *items;
    int n_items;
    uint64_t seed;
    int first_round, rounds; /* all items in turn, each round in another order; 0 is 1. What rounds
                              * after the first measure again are configurations. */
    int shard, n_shards;     /* this process takes items whose place in the order leaves the rest
                              * `shard` when divided by n_shards; 0 of 1 is all */
    double budget_s;         /* 0: none */
    void (*progress)(void *user, const struct ec_campaign_progress *p); /* NULL: silent */
    void *user;
};
enum ec_campaign_end { EC_CAMPAIGN_DONE, EC_CAMPAIGN_BUDGET, EC_CAMPAIGN_STOPPED };

/* Errors: those that ec_measure_layer and ec_measure_network end with */
enum ec_status ec_campaign_run(struct ec_measurer *m, const struct ec_campaign *c,
                               enum ec_campaign_end *ret_end, struct ec_err *err) EC_MUST_CHECK;

#endif
