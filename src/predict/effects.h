/* What is known of a network beyond its kernels: how far off predictions were for this network on
 * any device, and under these very conditions, at whatever batch. A network is known by its
 * parameters and kernels, not by its name. */
#ifndef EC_EFFECTS_H
#define EC_EFFECTS_H

#include "predict/predict_internal.h"

/* Tells networks apart: the same at every batch, image size and mode. */
uint64_t ec_network_signature(const struct ec_step *s);
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
/* NULL: nothing is known. */
const struct ec_effect *ec_effects_find(const struct ec_effects *e, uint64_t key);
void ec_effects_sort(struct ec_effects *e);

#endif
