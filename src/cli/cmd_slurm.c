/* epochcast slurm: the lines of a job script that a prediction gives, or what is wrong with a
 * script. */
#include "cli/cli.h"
#include "plan/plan.h"

#define SCRIPT_MOST ((size_t)1 << 20)

#include "slurm_cmd.h"

static enum ec_status check(const struct slurm_opts *o, const struct ec_slurm_need *need,
                            struct ec_call *call, struct ec_err *err)
{
    struct ec_slurm_script script;
    struct ec_file file = { 0 };
    enum ec_status st;
    int faults;

    EC_TRY(ec_file_open(o->check, SCRIPT_MOST, &file, err));
    st = ec_slurm_parse((struct ec_span){ (const char *)file.data, file.len }, &script, err);
    EC_TRY(ec_within(err, st, "%s: ", o->check));
    faults = ec_slurm_check(&script, need, &call->out);
    EC_TRY(ec_call_flush(call, err));
    if (faults)
        st = ec_fail(err, EC_E_INPUT, "%s: %d of these are wrong", o->check, faults);
out:
    ec_file_close(&file);
    return st;
}

/* A script has as many devices on each node: those that share out evenly. */
static int64_t even_per_node(const struct ec_prediction *r)
{
    int64_t n = r->devices_per_machine;

    while (n > 1 && r->devices % n)
        n--;
    return n;
}

static enum ec_status does_not_fit(struct ec_predictor *p, const struct slurm_opts *o,
                                   const struct ec_slurm_need *need, struct ec_err *err)
{
    const char *key = ec_device_key(need->device);
    struct ec_buf ways = EC_BUF_INIT;
    struct ec_room room;
    enum ec_status st;
    int i;

    EC_TRY(ec_room_for(p, o->model, key, &o->query, &room, err));
    for (i = 0; i < room.n; i++)
        if (room.way[i].batch)
            ec_buf_printf(&ways, "batch %lld %s fits; ", (long long)room.way[i].batch,
                          room.way[i].options);
    if (room.device)
        ec_buf_printf(&ways, "batch %lld fits on %s; ", (long long)room.asked_batch,
                      ec_device_key(room.device));
    st = ec_fail(
        err, EC_E_UNSUPPORTED,
        "it fits into the memory of %s with a probability of %.0f %%; %sepochcast plan looks "
        "for how many devices hold it",
        key, 100 * need->fits_probability, ec_buf_text(&ways));
out:
    ec_buf_clear(&ways);
    return st;
}

static enum ec_status run(struct ec_call *call, struct ec_err *err)
{
    struct slurm_opts *o = call->opts;
    const struct ec_device **devices = NULL;
    struct ec_predictor *p = NULL;
    struct ec_slurm_need need;
    struct ec_prediction r;
    enum ec_status st;
    int n = 0;

    o->query.struct_size = sizeof o->query;
    o->query.usual_precision = !ec_call_given(call, "precision");
    o->query.usual_optimizer = !ec_call_given(call, "optimizer");
    o->query.usual_framework = !ec_call_given(call, "framework");
    EC_TRY(ec_devices_named(&o->device, &devices, &n, &call->arena, err));
    if (n != 1)
        return ec_usage(call, err, "--device: found %d devices, expected one", n);
    EC_TRY(ec_predictor_new(&p, err));
    EC_TRY(ec_predict_usual(p, o->model, devices[0], &o->query, err));
    EC_TRY(ec_predict_network(p, o->model, ec_device_key(devices[0]), &o->query, &r, err));
    if (r.machines > 1 && even_per_node(&r) != r.devices_per_machine) {
        o->query.devices_per_machine = even_per_node(&r);
        EC_TRY(ec_predict_network(p, o->model, ec_device_key(devices[0]), &o->query, &r, err));
    }
    EC_TRY(ec_slurm_need(o->model, devices[0], &o->query, &r, &need, err));
    if (o->check)
        EC_TRY(check(o, &need, call, err));
    else if (need.fits_probability >= 0 && need.fits_probability < 0.5)
        EC_TRY(does_not_fit(p, o, &need, err));
    else
        ec_slurm_print(&need, &call->out);
out:
    ec_predictor_free(p);
    return st;
}
