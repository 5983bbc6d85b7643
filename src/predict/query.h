/* A query during its prediction, and the stages of the prediction. */
#ifndef EC_PREDICT_QUERY_H
#define EC_PREDICT_QUERY_H

#include "predict/predict_internal.h"
#include "predict/sharded.h"

/* The device of a query, with what the fit and a profile have of it. */
struct ec__target {
    const struct ec_device *device;
    const struct ec_device_fit *fit;  /* NULL: no rows in the fit */
    const struct ec_profile *profile; /* NULL: none of this device */
    struct ec_rates rates;
    struct ec_rates plain; /* without the profile; corrections were fitted to these */
    enum ec_basis basis;
    struct ec_known known;
    struct ec_known *by_class; /* the same in the cache, by enum ec_kclass; NULL: not cached */
    enum ec_width_kind kind;   /* of the query; selects interval and corrections */
    double spread;             /* factor on the width of the interval */
    double offset[EC_DO_COUNT];
    const char *host;     /* of networks; NULL: not named */
    bool usual_precision; /* in place of fp32 */
    bool no_tf32;         /* fp32 in its place */
    bool compiled;        /* pytorch-compiled in place of pytorch-2 */
    bool by_layers;       /* predicted by layers of the profile, with own_width */
    struct ec_width own_width;
    double own_memory; /* bytes; 0: by ec_memory_total */
};

/* Successive kernels that are timed together: a phase of an operator, or all of an isolated step or
 * a network. */
struct ec__part {
    struct ec_step step;       /* borrows the kernels of the query's */
    struct ec_step_time plain; /* by the physics, without the profile */
    struct ec_step_time time;
    double correction; /* factor on the time of an operator, learned */
    double spread;     /* factor on the width of the interval */
};

struct ec__query {
    struct ec_predictor *p;
    struct ec_predict_opts
        settled; /* what was asked, with what the device and the network settle */
    const struct ec_predict_opts *o; /* settled */
    const struct ec_graph *graph;    /* NULL for operators */
    const struct ec_case *op;        /* NULL for networks */
    bool unfused;                    /* pytorch-2 in place of pytorch-ngc */
    const struct ec_step *step;
    struct ec_step kept;     /* the same with all activations kept: what was fitted */
    struct ec_memory memory; /* of a network */
    struct ec__target t;
    struct ec_composed composed; /* the sum of layers; valid with t.by_layers */
    struct ec__part part[EC_PHASE_COUNT];
    int n_parts;
    struct ec_step_time time; /* after the stages so far */
    double near,
        unknown; /* predicted residual at the query; share of its variance that no row explains */
    struct ec_width repeats; /* by measurements of the very query; n 0: none */
    struct ec__several_width several;
    struct ec__shard *shard; /* NULL: the devices share the batch alone; owned */
    struct ec_width width;   /* of log(step time) */
    double widened;          /* factor on the width, for extrapolation */
    double median;           /* factor that a profile's rows put on the whole time of one device */
    struct ec_prediction *r;
};

/* target.c. Fills *ret, which is borrowed. op: NULL for a network. Options that leave the precision
 * to the device get its usual one. Errors: those of ec_device_find; UNSUPPORTED */
enum ec_status ec__find_target(struct ec_predictor *p, const char *key, struct ec_predict_opts *o,
                               const struct ec_op *op, struct ec__target *ret,
                               struct ec_err *err) EC_MUST_CHECK;
/* Sets the basis of the query, and loads the models for it. */
enum ec_status ec__find_basis(const struct ec_predictor *p, const struct ec_predict_opts *o,
                              const struct ec_step *step, struct ec__target *t,
                              struct ec_err *err) EC_MUST_CHECK;

/* answer.c: what the time rests on, in words; r->kind is set */
void ec__say_evidence(const struct ec__target *t, const struct ec_conditions *cond,
                      struct ec_prediction *r);

/* parts.c: times the parts at these rates, of operators with their corrections, and sets q->time to
 * their sum. again: these rates were the last ones, and q->part[].plain is without corrections */
void ec__time_parts(struct ec__query *q, const struct ec_rates *r, bool again);
/* Scales all parts of a time alike, since a correction is of their sum. */
void ec__scale_time(struct ec_step_time *t, double by);

/* explain.c: what each stage did, as rows of the explanation. */
void ec__explain_kernels(const struct ec__query *q, struct ec_explanation *why);
void ec__explain_paper(const struct ec__query *q, struct ec_explanation *why);
void ec__explain_law(const struct ec__query *q, struct ec_explanation *why);
void ec__explain_offset(const struct ec__query *q, struct ec_explanation *why);
void ec__explain_correction(const struct ec__query *q, struct ec_explanation *why);
void ec__explain_profile(const struct ec__query *q, struct ec_explanation *why);
void ec__explain_gaps(const struct ec__query *q, struct ec_explanation *why);
void ec__explain_host(const struct ec__query *q, struct ec_explanation *why);
void ec__explain_step(const struct ec__query *q, struct ec_explanation *why);
void ec__explain_devices(const struct ec__query *q, struct ec_explanation *why);
void ec__explain_interval(const struct ec__query *q, struct ec_explanation *why);

/* stages.c: runs the stages, from the kernels of the step to its time and interval. why: records
 * what each stage did; may be NULL. Errors: those of the stages */
enum ec_status ec__run_stages(struct ec__query *q, struct ec_explanation *why,
                              struct ec_err *err) EC_MUST_CHECK;

/* batch.c: sets a batch where the options leave it open. Errors: UNSUPPORTED where nothing fits or
 * the size of the memory is not known; those of ec_graph_open */
/* Kernels that NVIDIA fused are of transformers: without attention a network of its containers runs
 * as everyone's. */
enum ec_status ec__choose_framework(struct ec__query *q, const char *model,
                                    struct ec_err *err) EC_MUST_CHECK;
enum ec_status ec__choose_batch(struct ec__query *q, const char *model,
                                struct ec_err *err) EC_MUST_CHECK;

/* sharded.c: the share of a rank in place of the whole network's step and memory. Errors: those of
 * ec_partition_new and ec_blocks_cut */
enum ec_status ec__shard_network(struct ec__query *q, struct ec_network *n,
                                 struct ec_err *err) EC_MUST_CHECK;
void ec__shard_free(struct ec__shard *sh);
/* From a micro-batch on the slowest stage to the step of all. Errors: those of ec__topology_of */
enum ec_status ec__sharded(struct ec__query *q, struct ec_err *err) EC_MUST_CHECK;
void ec__fill_sharded(const struct ec__query *q);
void ec__fill_flop(const struct ec__query *q);

/* layers.c: the layers of a network after the stages. Errors: UNSUPPORTED, NOMEM */
enum ec_status ec__time_layers(const struct ec__query *q, struct ec_step_layers *ret,
                               struct ec_arena *arena, struct ec_err *err) EC_MUST_CHECK;

/* job.c: tokens of a sample; side of a square image in pixels; 0: it has none */
int64_t ec__sequence_length(const struct ec_graph *g, const struct ec_predict_opts *o);
int64_t ec__image_side(const struct ec_graph *g);
/* The step waits for the data loader, which works beside it. Errors: INPUT */
enum ec_status ec__wait_for_loader(const struct ec__query *q, struct ec_err *err) EC_MUST_CHECK;
/* Start, evaluation and checkpoints; after the memory. forward: the prediction of a step of the
 * evaluation; NULL: there is none. Errors: INPUT */
enum ec_status ec__fill_job(const struct ec__query *q, const struct ec_prediction *forward,
                            struct ec_err *err) EC_MUST_CHECK;
/* lengths.c: of samples of many lengths, by two predictions of alike ones. Errors: INPUT, those of
 * predict and of ec_file_open */
enum ec_status
ec__predict_lengths(struct ec_predictor *p, const char *model, const char *device,
                    const struct ec_predict_opts *opts, struct ec_prediction *ret,
                    enum ec_status (*predict)(struct ec_predictor *, const char *, const char *,
                                              const struct ec_predict_opts *,
                                              struct ec_prediction *, struct ec_err *),
                    struct ec_err *err) EC_MUST_CHECK;
/* passes.c: what the step has beside training, before the job. Errors: UNSUPPORTED, INPUT */
enum ec_status ec__add_passes(const struct ec__query *q, struct ec_err *err) EC_MUST_CHECK;
/* Models beside the one that is trained, on a device; 0: there is none. */
double ec__reference_bytes(const struct ec__query *q);
/* energy.c: after the time of the job */
void ec__fill_energy(const struct ec__query *q);
/* restarts.c: adds them to the job. write_bytes_per_s: of the file system; 0: not given. Errors:
 * INPUT */
enum ec_status ec__add_restarts(const struct ec__query *q, double write_bytes_per_s,
                                struct ec_err *err) EC_MUST_CHECK;
enum ec_status ec__fill_epoch(const struct ec__query *q, struct ec_err *err) EC_MUST_CHECK;
/* Bytes that the step needs on one device, by q->graph and q->memory. With several devices each has
 * a second copy of its gradients, packed for communication. */
struct ec_interval ec__memory_needed(const struct ec__query *q);
void ec__fill_memory(const struct ec__query *q);

#endif
