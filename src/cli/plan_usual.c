/* What `epochcast plan` takes where the command line says nothing. */
#include "cli/plan_internal.h"

#include <math.h>

static double experts_of(const struct ec_graph *g)
{
    double most = 1;
    int i;

    for (i = 0; i < g->n_nodes; i++)
        if (ec_str_eq(g->nodes[i]->op->name, "experts"))
            most = fmax(most, (double)g->values[g->nodes[i]->param[0]]->type.shape.d[0]);
    return most;
}

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
    ret->tokens = g->sizes & EC_SIZE_SEQ_LEN || o->query.tokens || ec_graph_tokens(g) > 0;
    ret->params = totals.params + totals.buffers; /* frozen ones, too */
    u = ec_usual_training(ret->tokens, ret->params, o->query.parallel.tuning);
    o->query.usual_precision = !ec_call_given(call, "precision");
    if (o->query.usual_precision)
        o->query.cond.precision = u.halves ? EC_BF16 : EC_AMP;
    ec_precision_of_module(g, &o->query);
    o->query.usual_precision &= u.halves;
    if (!ec_call_given(call, "master_weights"))
        o->query.cond.master_weights = true; /* where the parameters are halves */
    if (u.adamw && !ec_call_given(call, "optimizer"))
        o->query.cond.optimizer = EC_OPT_adamw;
    ret->experts = experts_of(g);
    ret->images = g->sizes & EC_SIZE_IMAGE;
out:
    ec_predictor_free(p);
    return st;
}
