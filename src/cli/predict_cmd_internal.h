/* Options and answers of epochcast predict, shared by its files. */
#ifndef EC_PREDICT_CMD_INTERNAL_H
#define EC_PREDICT_CMD_INTERNAL_H

#include "cli/cli.h"
#include "hw/hw.h"
#include "predict/predict.h"

struct predict_cmd_opts {
    const char *model, *op, *requests, *profile, *store;
    int64_t evidence;
    int method, sandbox;
    struct ec_strs device;
    bool json, csv, markdown, explain;
    struct ec_predict_opts query;
};

/* One device with its answer, or why there is none. */
struct answer {
    const char *device;
    const struct ec_device *used; /* with the changes of --set */
    struct ec_prediction r;
    struct ec_predict_opts query; /* in the precision of the answer */
    double own_step_ns;           /* our own median, where r is by another method; else 0 */
    enum ec_status st;
    struct ec_err err;
    struct ec_evidence *evidence; /* NULL: not asked for */
    int n_evidence;
    struct ec_explanation *why; /* NULL: not asked for */
    const char *no_evidence;    /* why there is no evidence; NULL: there is a store */
};

/* One device: a card of lines. */
void ec__predict_card(const struct predict_cmd_opts *o, const struct answer *a, struct ec_buf *out);
/* A row per device that has an answer, and notes; CSV leaves the notes to standard error. */
enum ec_status ec__predict_table(struct ec_call *call, const struct answer *a, int n,
                                 struct ec_err *err) EC_MUST_CHECK;
/* What each stage did to it; nothing where that was not asked for. */
void ec__predict_explain(const struct predict_cmd_opts *o, const struct answer *a,
                         struct ec_buf *out);
void ec__predict_json(struct ec_call *call, const struct answer *a, int n);

#endif
