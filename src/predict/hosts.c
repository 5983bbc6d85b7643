/* The hosts that predictions of networks may name. */
#include "predict/predict_internal.h"

#include <math.h>

int ec_host_count(void)
{
    return ec_fitted_host_count(ec_fitted());
}

struct ec_host ec_host_at(int i)
{
    const struct ec_host_fit *h = ec_fitted_host_at(ec_fitted(), i);

    return (struct ec_host){ h->name, exp(h->launch) };
}

bool ec_host_feeds(const struct ec_device *d)
{
    return ec_width_of_network(d) == EC_W_network;
}

enum ec_status ec_host_check(const char *name, struct ec_err *err)
{
    double launch;

    return ec_fitted_host(ec_fitted(), name && *name ? name : EC_REFERENCE_HOST, &launch, err);
}
