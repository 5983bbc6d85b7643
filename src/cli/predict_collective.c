/* `predict --collective`: the time of one exchange among devices, alone. */
#include "cli/predict_cmd_internal.h"

static void as_text(const struct predict_cmd_opts *o, const struct ec_collective_answer *a,
                    const struct ec_device *d, struct ec_buf *out)
{
    char bytes[32], ns[32], lo[32], hi[32], latency[32];

    ec_buf_printf(out, "%s of %s among %lld x %s\n", ec_collective_names[o->collective],
                  ec_fmt_bytes(bytes, sizeof bytes, a->bytes), (long long)o->query.devices,
                  d->name);
    if (a->machines > 1)
        ec_buf_printf(out, "in %lld machines of %lld\n", (long long)a->machines,
                      (long long)a->per_machine);
    else
        ec_buf_str(out, "in one machine\n");
    ec_buf_printf(out,
                  "\n  time         %s   (90 %%: %s to %s)\n"
                  "  latency      %s, the part that no bytes need\n",
                  ec_fmt_ns(ns, sizeof ns, a->ns.p50), ec_fmt_ns(lo, sizeof lo, a->ns.p05),
                  ec_fmt_ns(hi, sizeof hi, a->ns.p95),
                  ec_fmt_ns(latency, sizeof latency, a->time.latency_ns));
    ec_buf_printf(out, "  bus          %.4g GB/s, as nccl-tests count it\n  algorithm    %s\n",
                  a->time.bus_bytes_per_s * 1e-9, ec_algorithm_said[a->time.algorithm]);
    if (!a->is_measured)
        ec_buf_str(out, "  note: the interval is that of all-reduces; of this exchange none was "
                        "measured\n");
}

static void as_json(const struct predict_cmd_opts *o, const struct ec_collective_answer *a,
                    const struct ec_device *d, struct ec_json *j)
{
    ec_json_str(j, "collective", ec_collective_names[o->collective]);
    ec_json_str(j, "device", ec_device_key(d));
    ec_json_num(j, "bytes", a->bytes);
    ec_json_int(j, "devices", o->query.devices);
    ec_json_int(j, "machines", a->machines);
    ec_json_int(j, "devices_per_machine", a->per_machine);
    ec_json_num(j, "time_ns", a->ns.p50);
    ec_json_num(j, "time_p05_ns", a->ns.p05);
    ec_json_num(j, "time_p95_ns", a->ns.p95);
    ec_json_bool(j, "exchange_measured", a->is_measured);
    ec_json_num(j, "latency_ns", a->time.latency_ns);
    ec_json_num(j, "bus_bytes_per_s", a->time.bus_bytes_per_s);
    ec_json_str(j, "algorithm", ec_algorithm_names[a->time.algorithm]);
}

enum ec_status ec__predict_collective(struct ec_call *call, struct ec_err *err)
{
    const struct predict_cmd_opts *o = call->opts;
    const struct ec_device **devices = NULL;
    struct ec_collective_answer a;
    int n = 0, i;

    if (o->model.n || o->op || call->forms.csv || call->forms.markdown || !o->device.n ||
        o->query.devices < 2)
        return ec_usage(call, err,
                        "--collective goes with --bytes, --device, --devices 2 or more, what says "
                        "where they are, and --json");
    EC_PASS(ec_devices_named(&o->device, &devices, &n, &call->arena, err));
    if (!ec_parse_bytes(ec_span_of(o->bytes ? o->bytes : ""), &a.bytes))
        return ec_fail(err, EC_E_INPUT, "--bytes: found \"%.40s\", expected " EC_BYTES_EXPECTED,
                       o->bytes ? o->bytes : "");
    for (i = 0; i < n; i++) {
        struct ec_json j;

        EC_PASS(ec_predict_collective(devices[i], &o->query, o->collective, &a, err));
        if (!call->forms.json) {
            ec_buf_str(&call->out, i ? "\n" : "");
            as_text(o, &a, devices[i], &call->out);
            continue;
        }
        ec_json_document(&j, &call->out, 2, "epochcast.collective/1");
        as_json(o, &a, devices[i], &j);
        ec_json_end(&j);
    }
    return EC_OK;
}
