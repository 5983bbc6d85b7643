/* epochcast-lab: makes the predictor that ships, and studies it. For maintainers, not installed. */
#include "cli/cli.h"
#include "lab/lab.h"

#include "lab_cmd.h"

static void progress(void *ctx, const char *text)
{
    (void)ctx;
    ec_say("%s\n", text);
}

/* The options of a call, which names the public tables; NULL: it does not. */
static struct ec_fit_opts *options(struct ec_call *call, struct ec_err *err)
{
    struct ec_fit_opts *o = call->opts;

    o->command = "epochcast-lab physics DIR";
    o->progress = progress;
    if (o->data_dir)
        return o;
    (void)ec_usage(call, err, "no DIR: expected that of the public tables");
    return NULL;
}

static enum ec_status run_physics(struct ec_call *call, struct ec_err *err)
{
    const struct ec_fit_opts *o = options(call, err);

    return o ? ec_fit_physics(o, err) : EC_E_INPUT;
}

static enum ec_status run_ship(struct ec_call *call, struct ec_err *err)
{
    struct ec_fit_opts *o = options(call, err);

    ec_fit_opts_ship(call->opts);
    return o ? ec_fit_physics(o, err) : EC_E_INPUT;
}

static enum ec_status run_splits(struct ec_call *call, struct ec_err *err)
{
    struct ec_fit_opts *o = options(call, err);

    ec_fit_opts_ship(call->opts);
    return o ? ec_fit_splits(o, err) : EC_E_INPUT;
}

static enum ec_status run_memory(struct ec_call *call, struct ec_err *err)
{
    struct ec_fit_opts *o = options(call, err);

    ec_fit_opts_ship(call->opts);
    return o ? ec_fit_memory(o, err) : EC_E_INPUT;
}

static enum ec_status run_domain(struct ec_call *call, struct ec_err *err)
{
    const struct ec_fit_opts *o = options(call, err);

    return o ? ec_fit_domain(o, err) : EC_E_INPUT;
}

static enum ec_status run_report(struct ec_call *call, struct ec_err *err)
{
    struct ec_fit_opts *o = options(call, err);

    if (!o)
        return EC_E_INPUT;
    o->constants_only = true;
    return ec_fit_report(o, &call->out, err);
}

static enum ec_status run_parallel(struct ec_call *call, struct ec_err *err)
{
    const struct ec_fit_opts *o = options(call, err);

    return o ? ec_fit_parallel(o, err) : EC_E_INPUT;
}

static enum ec_status run_calibrate(struct ec_call *call, struct ec_err *err)
{
    const struct ec_fit_opts *o = options(call, err);
    struct ec_buf text = EC_BUF_INIT;
    enum ec_status st;

    if (!o)
        return EC_E_INPUT;
    EC_TRY(ec_calibrate_study(o->data_dir, o->seed, progress, NULL, &text, err));
    EC_TRY(ec_file_write(o->out_path, text.data, text.len, err));
out:
    ec_buf_clear(&text);
    return st;
}

const struct ec_executable ec_lab = {
    .name = "epochcast-lab",
    .help = "makes the predictor that ships, and studies it",
    .commands = lab_commands,
};
