/* The cpu backend of a build without oneDNN's headers. */
#include "engine/backend.h"

static const struct ec_kernel_row rows[] = {
    {NULL, 0, NULL, NULL, NULL, NULL},
};

static enum ec_status absent_open(const struct ec_engine_opts *opts, struct ec_ctx **ret,
                                  struct ec_err *err)
{
    (void)opts, (void)ret;
    return ec_fail(err, EC_E_BACKEND,
                   "backend cpu was left out of this build: it needs the headers of oneDNN 2 "
                   "(Debian package libdnnl-dev)");
}

const struct ec_backend ec_backend_cpu = {
    .name = "cpu",
    .help = "this machine's processor, by oneDNN (left out of this build)",
    .abi = EC_BACKEND_ABI,
    .open = absent_open,
    .rows = rows,
};
