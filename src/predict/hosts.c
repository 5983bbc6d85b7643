/* The hosts that predictions of networks may name. */
#include "predict/predict_internal.h"

#include <math.h>

int ec_host_count(void)
{
    return 1 + ec_fitted()->n_hosts;
}

struct ec_host ec_host_at(int i)
{
    const struct ec_host_fit *h = i > 0 ? &ec_fitted()->hosts[i - 1] : NULL;

    return h ? (struct ec_host){ h->name, exp(h->launch) }
             : (struct ec_host){ EC_REFERENCE_HOST, 1 };
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
