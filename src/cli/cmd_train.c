/* epochcast train: trains a network on data. */
#include "cli/train_internal.h"
#include "predict/predict.h"

#include "train_cmd.h"

/* Built-in classifiers get as many outputs as the data has classes. */
static enum ec_status count_classes(const struct ec__train_opts *o, int64_t *ret,
                                    struct ec_err *err)
{
    const struct ec_samples_info *info;
    struct ec_samples_opts plain = o->samples;
    struct ec_samples *s = NULL;
    enum ec_status st = EC_OK;

    *ret = o->classes;
    if (o->classes || !ec_zoo_has(o->model) || ec_str_starts(o->data, "synthetic"))
        return EC_OK;
    EC_TRY(ec_samples_open(o->data, &plain, &s, err));
    info = ec_samples_info(s);
    if (info->label == EC_LABEL_CLASS)
        *ret = info->classes;
out:
    ec_samples_close(s);
    return st;
}

static enum ec_status open_network(const struct ec__train_opts *o, struct ec_graph **ret,
                                   struct ec_err *err)
{
    struct ec_graph_opts g = {
        .struct_size = sizeof g,
        .batch = o->train.batch,
        .image_px = o->image,
        .seq_len = o->seq_len,
    };

    EC_PASS(count_classes(o, &g.classes, err));
    return ec_graph_open(o->model, &g, ret, err);
}

static enum ec_status open_data(const struct ec__train_opts *o, const struct ec_graph *g,
                                struct ec_samples **ret, struct ec_err *err)
{
    struct ec_samples_opts so = o->samples;

    so.seed = o->train.seed;
    EC_PASS(ec_train_fit_samples(g, &so, err));
    return ec_samples_open(o->data, &so, ret, err);
}

/* Predicts the step before training, if the catalogue has the device; a failed prediction is not an
 * error. */
static void predict_step(const struct ec__train_opts *o, struct ec__train_show *show)
{
    struct ec_predictor *p = NULL;
    struct ec_prediction r = { .struct_size = sizeof r };
    struct ec_predict_opts q;
    struct ec_err err = { 0 };

    if (!o->device)
        return;
    if (ec_predictor_new(&p, &err))
        goto out;
    ec_predict_opts_default(&q);
    q.batch = o->train.batch;
    q.image = o->image;
    q.classes = o->classes;
    q.seq_len = o->seq_len;
    if (!ec_predict_opts_set(&q, "optimizer", ec_optimizer_names[o->train.cond.optimizer], &err) &&
        !ec_predict_opts_set(&q, "precision", ec_precision_names[o->train.cond.precision], &err) &&
        !ec_predict_network(p, o->model, o->device, &q, &r, &err)) {
        show->predicted_s = r.step_time_ns.p50 * 1e-9;
        show->predicted_low_s = r.step_time_ns.p05 * 1e-9;
        show->predicted_high_s = r.step_time_ns.p95 * 1e-9;
    }
out:
    (void)ec_snprintf(show->no_prediction, sizeof show->no_prediction, "%s", err.text);
    ec_predictor_free(p);
}

static void tell_origin(const struct ec__train_opts *o, const struct ec_graph *g)
{
    if (ec_str_eq(g->source, "onnx"))
        ec_say("%s: weights of the file are not read; training starts from random ones\n",
               o->model);
}

static void tell_interrupted(struct ec_call *call, const struct ec_train_result *r)
{
    const struct ec__train_opts *o = call->opts;

    if (!r->steps)
        ec_call_interrupted(call, "interrupted before the first step");
    else if (o->train.checkpoint)
        ec_call_interrupted(call, "interrupted; a checkpoint is in %s, --resume continues",
                            o->train.checkpoint);
    else
        ec_call_interrupted(call, "interrupted; without --checkpoint nothing is kept");
}

/* Settings that differ on ranks other than the first: they print nothing and write no files. */
static enum ec_status train(struct ec_call *call, struct ec_ctx *ctx, const struct ec_graph *g,
                            const struct ec_samples *s, const struct ec_group *group,
                            struct ec_err *err)
{
    const struct ec__train_opts *o = call->opts;
    struct ec__train_show show = { 0 };
    struct ec_train_result r = { 0 };
    struct ec__train_run run = { o,
                                 g,
                                 ec_samples_info(s),
                                 &r,
                                 ec_engine_name(ctx),
                                 ec_engine_library(ctx),
                                 ec_engine_threads(ctx),
                                 0 };
    enum ec_status st;

    ec__train_show_start(&show, o);
    if (!group->rank)
        predict_step(o, &show);
    show.silent = group->rank > 0;
    st = ec_train(ctx, g, s, &o->train, group, ec__train_told, &show, &r, err);
    ec__train_show_end(&show);
    if (!st && !group->rank)
        st = ec__train_write(call, &run, err);
    if (!st && !group->rank && r.stopped && ec_interrupted())
        tell_interrupted(call, &r);
    ec_train_result_clear(&r);
    return st;
}

/* Options that do nothing for this network, these data or a process of its own. */
static enum ec_status check_used(struct ec_call *call, const struct ec_graph *g,
                                 const struct ec_samples *s, const struct ec_group *group,
                                 struct ec_err *err)
{
    const struct ec__train_opts *o = call->opts;
    const struct ec_samples_info *info = ec_samples_info(s);

    EC_PASS(ec_call_check_sizes(call, g->sizes, o->model, err));
    if (o->train.test && !info->count[EC_PART_TEST])
        return ec_usage(call, err, "--test has no effect: %s has no test samples", info->name);
    if (ec_call_given(call, "val_split") && info->has_val)
        return ec_usage(call, err,
                        "--val-split has no effect: %s has validation samples of its own",
                        info->name);
    if (o->mpi && !group->ops)
        return ec_usage(call, err, "--mpi has no effect without mpirun");
    return EC_OK;
}

static enum ec_status run(struct ec_call *call, struct ec_err *err)
{
    const struct ec__train_opts *o = call->opts;
    struct ec_engine_opts eo = { .backend = o->backend,
                                 .threads = o->threads,
                                 .seed = (uint64_t)o->train.seed };
    struct ec_group group = { 0 };
    struct ec_samples *s = NULL;
    struct ec_graph *g = NULL;
    struct ec_ctx *ctx = NULL;
    enum ec_status st;

    EC_TRY(ec_group_open(o->mpi, &group, err));
    EC_TRY(open_network(o, &g, err));
    EC_TRY(open_data(o, g, &s, err));
    EC_TRY(check_used(call, g, s, &group, err));
    EC_TRY(ec_engine_open(&eo, &ctx, err));
    if (!group.rank)
        tell_origin(o, g);
    EC_TRY(train(call, ctx, g, s, &group, err));
out:
    ec_engine_close(ctx);
    ec_samples_close(s);
    ec_graph_free(g);
    ec_group_close(&group);
    return st;
}
