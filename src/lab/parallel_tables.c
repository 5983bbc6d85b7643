/* The lists of tables with several devices and of their networks: data/parallel.csv and
 * data/parallel_networks.csv, inside the program. */
#include "lab/fit_internal.h"

#include "parallel_file.h"
#include "parallel_networks_file.h"

EC_EMBED(parallel, EC_PARALLEL_FILE);
EC_EMBED(parallel_networks, EC_PARALLEL_NETWORKS_FILE);

enum ec_status ec__parallel_sources(struct ec_csv *ret, struct ec_err *err)
{
    return ec_csv_parse(ec__parallel_begin, (size_t)(ec__parallel_end - ec__parallel_begin), ret,
                        err);
}

enum ec_status ec__parallel_networks(struct ec_csv *ret, struct ec_err *err)
{
    return ec_csv_parse(ec__parallel_networks_begin,
                        (size_t)(ec__parallel_networks_end - ec__parallel_networks_begin), ret,
                        err);
}
