/* What is known of a network beyond its kernels: how far off predictions were for this network on
 * any device, and under these very conditions, at whatever batch. A network is known by its
 * parameters and kernels, not by its name. */
#ifndef EC_EFFECTS_H
#define EC_EFFECTS_H

#include "predict/predict_internal.h"

/* Tells networks apart: the same at every batch, image size and mode. */
uint64_t ec_network_signature(const struct ec_step *s);

/* The share of a correction that a network keeps under conditions which it was measured in. The
 * rest tells it from networks like it, which the measurement does better. */
#define EC_KNOWN_CORRECTION 0.5

/* Keys of what is known: of the network in this mode, on half or on whole numbers; of the same
 * under one set of conditions. */
struct ec_effect_keys {
    uint64_t network, conditions;
};
struct ec_effect_keys ec_effect_keys(uint64_t signature, const char *device, enum ec_mode mode,
                                     enum ec_precision p, enum ec_framework fw,
                                     enum ec_memory_format format);

struct ec_effect {
    uint64_t key;
    float log_factor;
};
/* Sorted by key; owned. */
struct ec_effects {
    struct ec_effect *v;
    int n;
};
/* MAC of the forward pass. */
double ec_network_mac(const struct ec_step *s);
/* How large a step is: doublings of that. Sizes of a network lie along this. */
double ec_network_size(const struct ec_step *s);
/* How alike what is left over of two sizes of a network is, under the same conditions: 1 for what
 * all sizes share, and as much again near by. */
double ec_sizes_alike(double a, double b);
/* Conditions hold their mean under their own key, and under these the sizes that were measured: two
 * entries for each, its weight in what others are predicted from, and its size over
 * EC_ANCHOR_SIZE. */
enum ec_anchor { EC_ANCHOR_WEIGHT, EC_ANCHOR_SIZE_OF, EC_ANCHOR_ENTRIES };
#define EC_ANCHOR_SIZE 64.0
#define EC_ANCHORS_MAX 64
uint64_t ec_anchor_key(uint64_t conditions, int anchor, enum ec_anchor what);
/* What is left over at a size; the mean where no sizes are known, 0 where nothing is. */
double ec_effect_near(const struct ec_effects *e, uint64_t conditions, double size);

/* NULL: nothing is known. */
const struct ec_effect *ec_effects_find(const struct ec_effects *e, uint64_t key);
void ec_effects_sort(struct ec_effects *e);

#endif
