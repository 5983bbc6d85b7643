/* The lists of tables with several devices, of their networks and of rates between machines:
 * data/parallel.csv and its like, inside the program. */
#include "lab/fit_internal.h"

#include "parallel_file.h"
#include "parallel_networks_file.h"
#include "parallel_rates_file.h"

EC_EMBED(parallel, EC_PARALLEL_FILE);
EC_EMBED(parallel_networks, EC_PARALLEL_NETWORKS_FILE);
EC_EMBED(parallel_rates, EC_PARALLEL_RATES_FILE);

static enum ec_status parse(const char *begin, const char *end, struct ec_csv *ret,
                            struct ec_err *err)
{
    return ec_csv_parse(begin, (size_t)(end - begin), ret, err);
}

enum ec_status ec__parallel_sources(struct ec_csv *ret, struct ec_err *err)
{
    return parse(ec__parallel_begin, ec__parallel_end, ret, err);
}

enum ec_status ec__parallel_networks(struct ec_csv *ret, struct ec_err *err)
{
    return parse(ec__parallel_networks_begin, ec__parallel_networks_end, ret, err);
}

enum ec_status ec__parallel_rates(struct ec_csv *ret, struct ec_err *err)
{
    return parse(ec__parallel_rates_begin, ec__parallel_rates_end, ret, err);
}
