/* Options and answers of epochcast predict, shared by its files. */
#ifndef EC_PREDICT_CMD_INTERNAL_H
#define EC_PREDICT_CMD_INTERNAL_H

#include "cli/cli.h"
#include "hw/hw.h"
#include "plan/plan.h"
#include "predict/predict.h"

#include "predict_opts.h"

/* One combination of model, options and device with its answer, or why there is none. */
struct answer {
    const char *model; /* or the operator's text */
    const char *device;
    const struct ec_device *used; /* with the changes of --set */
    struct ec_prediction r;
    struct ec_predict_opts query; /* of the answer: with its precision and its batch */
    int64_t asked_batch;          /* 0: none; EC_BATCH_MAX */
    double own_step_ns;           /* our own median, where r is by another method; else 0 */
    enum ec_status st;
    struct ec_err err;
    struct ec_evidence *evidence; /* NULL: not asked for */
    int n_evidence;
    struct ec_explanation *why;   /* NULL: not asked for */
    const char *no_evidence;      /* why there is no evidence; NULL: there is a store */
    const struct ec_price *price; /* of --prices; NULL: none */
    double in_time;               /* probability to end by --deadline; -1: none */
    int64_t largest_batch; /* of a device, for --memory; 0: not even 1 fits; -1: none is known */
    bool is_fastest, is_cheapest; /* of those that fit and are in time */
    bool is_late;                 /* it does not fit, or is rather not in time */
    double speedup;               /* samples/s, over those of the fewest devices; 0: not several */
    double efficiency;            /* against one device; 0 or not finite: not known */
    struct ec_interval
        over_first;            /* time of a sample over that of the first answer, of another
                                  device and the same model; all 0: it is that, or there is none */
    double faster_probability; /* to be faster than the first */
};

/* What one answer has in addition, where it is the only one. */
struct extras {
    bool has_room; /* it does not fit: what would */
    struct ec_room room;
    struct ec_advice advice[EC_ADVICE_MAX];
    int n_advice;
    bool has_layers;
    struct ec_step_layers layers;
};

/* Predicts with the profile, else with that of the server, if there is one. Errors: of usage for a
 * profile of none of the devices; those of ec_predictor_use_profile */
enum ec_status ec__use_profile(struct ec_call *call, const char *path, struct ec_predictor *p,
                               const struct ec_device **devices, int n,
                               struct ec_err *err) EC_MUST_CHECK;
/* predict_ask.c: all combinations, in the order of --sort; those without an answer come last.
 * Errors: those of the query; that of the first answer where there is no answer at all */
enum ec_status ec__predict_ask(struct ec_call *call, struct ec_predictor *p,
                               const struct ec_device **devices, int n_devices, struct answer **ret,
                               int *ret_count, struct ec_err *err) EC_MUST_CHECK;
/* Of several devices those that have a price of a kind, where one has; the rest cannot be compared
 * with them. Returns how many remain. */
int ec__keep_priced(struct ec_prices *prices, enum ec_price_kind asked,
                    const struct ec_device **devices, int n);
/* Errors: NOMEM; those of the predictor */
enum ec_status ec__predict_extras(struct ec_call *call, struct ec_predictor *p,
                                  const struct answer *a, struct extras *ret,
                                  struct ec_err *err) EC_MUST_CHECK;

/* In place of the median of a guess, in text. */
#define EC_NOT_KNOWN "not known"
/* yes, likely, unlikely, no; NULL: the probability is below 0, or the memory is not known */
const char *ec__chance_word(double probability);
const char *ec__fits_word(const struct ec_prediction *r);
/* The query as text, without the options for which `varies` is true: a table has columns of them.
 * varies: by the index in ec_predict_fields; NULL: none */
void ec__query_line(const struct predict_cmd_opts *o, const struct answer *a, bool with_model,
                    const bool *varies, struct ec_buf *out);
/* Precision and optimizer where the network chose them, framework where the stack did. */
void ec__usual_line(const struct predict_cmd_opts *o, const struct answer *a, struct ec_buf *out);
/* The host, if there is one; with_time: and its time. */
void ec__host_line(const struct answer *a, bool with_time, struct ec_buf *out);

/* --collective. Errors: of usage; those of ec_predict_collective */
enum ec_status ec__predict_collective(struct ec_call *call, struct ec_err *err) EC_MUST_CHECK;
/* One answer: a card of lines. */
void ec__predict_card(const struct predict_cmd_opts *o, const struct answer *a,
                      const struct extras *x, struct ec_buf *out);
/* A row per answer, and notes; CSV leaves the notes to standard error. n: with those that have no
 * answer */
enum ec_status ec__predict_table(struct ec_call *call, const struct answer *a, int n,
                                 struct ec_err *err) EC_MUST_CHECK;
/* What each stage did to it; nothing where that was not asked for. */
void ec__predict_explain(const struct predict_cmd_opts *o, const struct answer *a,
                         struct ec_buf *out);
enum ec_status ec__predict_layers_table(struct ec_call *call, const struct ec_step_layers *l,
                                        struct ec_err *err) EC_MUST_CHECK;
/* predict_job.c: sets options and the model by --job. Errors: those of ec_job_file_read; INPUT */
enum ec_status ec__predict_job_read(struct ec_call *call, struct ec_err *err) EC_MUST_CHECK;
/* What was read, assumed and left; for CSV and Markdown on standard error, for JSON nowhere. */
void ec__predict_job_lines(struct ec_call *call);
void ec__predict_job_json(const struct predict_cmd_opts *o, struct ec_json *j);
/* Members of an open object. */
void ec__predict_layers_json(const struct ec_step_layers *l, struct ec_json *j);
/* x: NULL for several answers */
void ec__predict_json(struct ec_call *call, const struct answer *a, int n, const struct extras *x);

#endif
