/* The devices of a query: by which strategy they work together, in what machines and network. */
#include "predict/predict_internal.h"

enum ec_strategy ec__strategy_of(const struct ec_predict_opts *o)
{
    if (o->strategy != EC_STRATEGY_auto)
        return o->strategy;
    return o->cond.framework == EC_FW_tensorflow_1 || o->cond.framework == EC_FW_tensorflow_2
               ? EC_STRATEGY_mirrored
               : EC_STRATEGY_ddp;
}

enum ec_status ec__topology_of(const struct ec_device *d, const struct ec_predict_opts *o,
                               struct ec_topology *ret, struct ec_err *err)
{
    struct ec_topology_wish wish = { .devices = o->devices,
                                     .per_machine = o->devices_per_machine,
                                     .link = o->interconnect };
    enum ec_strategy s = ec__strategy_of(o);

    if (!ec_strategy_spans_machines(s)) {
        if (o->devices_per_machine && o->devices_per_machine < o->devices)
            return ec_fail(err, EC_E_UNSUPPORTED,
                           "strategy %s is one process, which needs all devices in one machine: "
                           "found %lld devices in machines of %lld",
                           ec_strategy_names[s], (long long)o->devices,
                           (long long)o->devices_per_machine);
        wish.per_machine = o->devices;
    }
    if (o->network_rate && *o->network_rate &&
        !ec_parse_byte_rate(ec_span_of(o->network_rate), &wish.network_bytes_per_s))
        return ec_fail(err, EC_E_INPUT,
                       "--network-rate: found \"%.60s\", expected a rate with its unit, such as "
                       "200Gb/s or 25GB/s",
                       o->network_rate);
    return ec_device_topology(d, &wish, ret, err);
}
