/* Makes a profile from files of layers and ceilings. */
#include "adapt/local.h"

#include <stdio.h>
#include <string.h>

enum ec_status ec_local_make(const char *device, const char *const *paths, int n, int64_t threads,
                             struct ec_local *ret, struct ec_err *err)
{
    struct ec_measured_layers m = { .only_threads = threads };
    const struct ec_layer_machine *of;
    enum ec_status st;
    int i;

    memset(ret, 0, sizeof *ret);
    EC_TRY(ec_profile_prior(device, &ret->profile, err));
    for (i = 0; i < n; i++)
        EC_TRY(ec_measured_layers_add(&m, paths[i], err));
    EC_TRY(ec_measured_layers_fit(&m, &ret->layers, &ret->left_out, err));
    of = ec_layers_machine(ret->layers);
    ec_profile_set_rates(&ret->profile, of->flop_per_s, of->rate_bytes_per_s[of->n - 1]);
    ret->profile.n_operators = ec_layers_count(ret->layers);
    (void)snprintf(ret->machine, sizeof ret->machine, "%s", m.device);
out:
    if (st)
        ec_local_clear(ret);
    ec_measured_layers_clear(&m);
    return st;
}

void ec_local_json(const struct ec_local *l, struct ec_buf *out)
{
    ec_profile_json_layers(&l->profile, l->layers, out);
}

void ec_local_clear(struct ec_local *l)
{
    ec_layers_free(l->layers);
    memset(l, 0, sizeof *l);
}
