/* Names of losses. Their arithmetic is the backend's: engine/flat_host.c, engine/cuda. */
#include "engine/engine.h"

const char *const ec_loss_names[] = {
#define LOSS_NAME(name, target, help) #name,
    EC_LOSS_LIST(LOSS_NAME)
#undef LOSS_NAME
        NULL
};

enum ec_target_kind ec_loss_target(enum ec_loss l)
{
    static const enum ec_target_kind kinds[] = {
#define LOSS_TARGET(name, target, help) EC_TARGET_##target,
        EC_LOSS_LIST(LOSS_TARGET)
#undef LOSS_TARGET
    };

    return kinds[l];
}
