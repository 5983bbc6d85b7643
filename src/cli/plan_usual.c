/* What `epochcast plan` takes where the command line says nothing. */
#include "cli/plan_internal.h"

/* What is usual where nothing is said, and parameters in float32 beside halves. */
enum ec_status ec__plan_settle(struct ec_call *call, struct plan_job *ret, struct ec_err *err)
{
    struct plan_cmd_opts *o = call->opts;
    struct ec_predict_opts one = o->query;
    const struct ec_graph *g = NULL;
    const struct ec_step *step = NULL;
    struct ec_predictor *p = NULL;
    struct ec_totals totals;
    struct ec_usual u;
    enum ec_status st;

    one.batch = 1;
    EC_TRY(ec_predictor_new(&p, err));
    EC_TRY(ec_predictor_network(p, o->model, &one, &g, &step, err));
    EC_TRY(ec_call_check_sizes(call, g->sizes, o->model, err));
    EC_TRY(ec_cost_graph(g, o->query.cond.optimizer, 4, &totals, NULL, err));
    ret->tokens = g->sizes & EC_SIZE_SEQ_LEN || o->query.tokens;
    u = ec_usual_training(ret->tokens, totals.params + totals.buffers, o->query.parallel.tuning);
    o->query.usual_precision = u.halves && !ec_call_given(call, "precision");
    if (!ec_call_given(call, "precision"))
        o->query.cond.precision = u.halves ? EC_BF16 : EC_AMP;
    if (!ec_call_given(call, "master_weights"))
        o->query.cond.master_weights = true; /* where the parameters are halves */
    if (u.adamw && !ec_call_given(call, "optimizer"))
        o->query.cond.optimizer = EC_OPT_adamw;
    ret->images = g->sizes & EC_SIZE_IMAGE;
    ret->params = totals.trainable_params;
out:
    ec_predictor_free(p);
    return st;
}
