/* The questions of epochcast predict: combinations of models, options and devices, their answers,
 * and the order of these. */
#include "cli/predict_cmd_internal.h"

struct asking {
    struct ec_call *call;
    const struct predict_cmd_opts *o;
    struct ec_predictor *p;
    struct ec_sweep sweep;
    struct ec_prices prices;
    double deadline_ns; /* 0: none */
    struct answer *v;
    int n;
};

/* ------------------------------------------------------------------------------------------------
 * Questions */

static enum ec_status make_sweep(struct asking *q, const struct ec_device **devices, int n_devices,
                                 struct ec_err *err)
{
    const struct predict_cmd_opts *o = q->o;
    struct ec_sweep *s = &q->sweep;
    int i;

    s->devices = devices;
    s->n_devices = n_devices;
    s->axes = q->call->lists;
    s->n_axes = q->call->n_lists;
    if (o->op)
        EC_PASS(ec_strs_add(&s->models, &q->call->arena, err, "%s", o->op));
    for (i = 0; i < o->model.n; i++)
        EC_PASS(ec_models_named(o->model.v[i], &s->models, &q->call->arena, err));
    return ec_sweep_count(s, &q->n, err);
}

/* Options are refused where no combination of their values is possible. */
static enum ec_status check_sweep(struct asking *q, struct ec_err *err)
{
    struct ec_err why = { 0 };
    struct ec_sweep_point at;
    int i;

    for (i = 0; i < q->n; i++) {
        EC_PASS(ec_sweep_at(&q->sweep, &q->o->query, i, &at, err));
        if (!ec_predict_opts_check(&at.asked, q->o->op != NULL, *why.text ? NULL : &why))
            return EC_OK;
    }
    return ec_usage(q->call, err, "%s", why.text);
}

/* Without a batch all rows of a model have the same one, or they could not be compared: that of the
 * device with the most room. */
static void share_usual_batch(struct asking *q, int first, int n)
{
    int64_t batch = 0, one;
    int i;

    for (i = first; i < first + n; i++)
        if (!ec_predict_batch(q->p, q->v[i].model, q->v[i].device, &q->v[i].query, &one, NULL) &&
            one > batch)
            batch = one;
    for (i = first; i < first + n; i++)
        q->v[i].query.batch = batch;
}

static enum ec_status make_answers(struct asking *q, struct ec_err *err)
{
    int n_models = q->sweep.models.n > 1 ? q->sweep.models.n : 1;
    int per_model = q->n / n_models, i;
    struct ec_sweep_point at;

    q->v = ec_arena_alloc(&q->call->arena, sizeof *q->v * (size_t)q->n);
    EC_PASS(ec_allocated(q->v, err));
    for (i = 0; i < q->n; i++) {
        struct answer *a = &q->v[i];

        EC_PASS(ec_sweep_at(&q->sweep, &q->o->query, i, &at, err));
        a->model = at.model;
        a->device = ec_device_key(at.device);
        a->used = at.device;
        a->query = at.opts;
        if (!q->o->op)
            EC_PASS(ec_predict_usual(q->p, a->model, a->used, &a->query, err));
        a->asked_batch = at.opts.batch;
        a->in_time = -1;
        a->largest_batch = -1;
        a->price = ec_price_of(&q->prices, at.device, &at.opts);
        if (a->price)
            a->query.usd_per_hour = ec_price_each(a->price, &at.opts);
    }
    for (i = 0; q->n > 1 && !q->o->op && i < q->n; i += per_model)
        if (!q->o->query.batch && !q->o->query.global_batch &&
            !ec_call_given(q->call, "global_batch"))
            share_usual_batch(q, i, per_model);
    return EC_OK;
}

/* ------------------------------------------------------------------------------------------------
 * Answers */

static enum ec_status predict(const struct asking *q, struct answer *a)
{
    const char *op = q->o->op, *model = op ? NULL : a->model;

    if (a->why)
        return ec_predict_explained(q->p, model, op, a->device, &a->query, &a->r, a->why, &a->err);
    return op ? ec_predict_op(q->p, op, a->device, &a->query, &a->r, &a->err)
              : ec_predict_network(q->p, model, a->device, &a->query, &a->r, &a->err);
}

static enum ec_status by_method(const struct asking *q, struct answer *a)
{
    const char *op = q->o->op, *model = op ? NULL : a->model;
    double ns = 0;

    if (q->o->method == EC_METHOD_OWN)
        return EC_OK;
    EC_PASS(ec_method_ns(q->p, q->o->method, model, op, a->device, &a->query, &ns, &a->err));
    a->own_step_ns = a->r.step_time_ns.p50;
    ec_method_replace(&a->r, ns);
    return EC_OK;
}

static void answer_one(const struct asking *q, struct answer *a)
{
    const char *set = q->o->query.set;

    if (set && *set)
        a->st = ec_device_override(a->used, set, EC_SRC_USER, &q->call->arena, &a->used, &a->err);
    if (!a->st && q->o->explain) {
        a->why = ec_arena_alloc(&q->call->arena, sizeof *a->why);
        a->st = a->why ? EC_OK : ec_nomem(&a->err);
    }
    if (!a->st)
        a->st = predict(q, a);
    if (a->st)
        return;
    a->query.cond.precision = a->r.precision;
    if (!q->o->op && !a->query.global_batch)
        a->query.batch = a->r.batch_per_device;
    a->st = by_method(q, a);
}

/* Devices that lack numbers for a prediction, and options that do not go together, are reported and
 * skipped; any other failure is an error of the query. */
static bool is_passed_over(const struct asking *q, enum ec_status st)
{
    return q->n > 1 && (st == EC_E_UNSUPPORTED || (st == EC_E_INPUT && q->sweep.n_axes));
}

static enum ec_status answer_all(struct asking *q, struct ec_err *err)
{
    int i, n_ok = 0;

    for (i = 0; i < q->n; i++) {
        struct answer *a = &q->v[i];

        answer_one(q, a);
        n_ok += a->st == EC_OK;
        if (a->st && !is_passed_over(q, a->st)) {
            if (err)
                *err = a->err;
            return a->st;
        }
    }
    if (n_ok)
        return EC_OK;
    return ec_fail(err, q->v[0].st, "none of the %d %s can be predicted: %s", q->n,
                   q->sweep.n_devices == q->n ? "devices" : "combinations", q->v[0].err.text);
}

/* What more devices bring, where several numbers of them were asked for. */
static void add_speedups(struct asking *q)
{
    const struct answer *base;
    int axis, i;

    for (axis = 0; axis < q->sweep.n_axes; axis++)
        if (ec_str_eq(q->sweep.axes[axis].field, "devices"))
            break;
    for (i = 0; axis < q->sweep.n_axes && i < q->n; i++) {
        struct answer *a = &q->v[i];

        base = &q->v[ec_sweep_smallest(&q->sweep, i, axis)];
        if (a->st || base->st || !(base->r.samples_per_s.p50 > 0))
            continue;
        a->speedup = a->r.samples_per_s.p50 / base->r.samples_per_s.p50;
        a->efficiency =
            base->r.devices == 1 ? a->speedup / (double)a->r.devices : a->r.scaling_efficiency.p50;
    }
}

/* ------------------------------------------------------------------------------------------------
 * Order */

/* Numbers of devices alone keep their order: they are read as a series. */
static enum ec_sort usual_sort(const struct asking *q)
{
    bool is_series = q->n > 1 && q->sweep.n_axes == 1 && q->sweep.axes[0].values.n == q->n &&
                     ec_str_eq(q->sweep.axes[0].field, "devices");

    return is_series && !ec_call_given(q->call, "sort") ? EC_SORT_GIVEN : q->o->sort;
}

static void compare_with_first(struct answer *v, int n)
{
    int i;

    for (i = 1; i < n && v[0].r.samples_per_s.p50 > 0 && !ec_is_guess(&v[0].r); i++)
        if (ec_str_eq(v[i].model, v[0].model) && !ec_str_eq(v[i].device, v[0].device) &&
            !ec_is_guess(&v[i].r))
            v[i].over_first = ec_time_ratio(&v[i].r, &v[0].r, &v[i].faster_probability);
}

static enum ec_status sort(struct asking *q, struct ec_err *err)
{
    struct ec_choice *c = ec_arena_alloc(&q->call->arena, sizeof *c * (size_t)q->n);
    struct answer *v = ec_arena_alloc(&q->call->arena, sizeof *v * (size_t)q->n);
    int n = 0, top, i, k;

    EC_PASS(ec_allocated(c && v, err));
    for (i = 0; i < q->n; i++)
        if (!q->v[i].st)
            c[n++] = (struct ec_choice){ .r = &q->v[i].r,
                                         .index = i,
                                         .group = i / (q->n / q->sweep.models.n) };
    EC_PASS(ec_choices_rank(c, n, usual_sort(q), q->deadline_ns, err));
    top = q->o->top && q->o->top < n ? (int)q->o->top : n;
    for (i = 0; i < top; i++) {
        v[i] = q->v[c[i].index];
        v[i].in_time = c[i].in_time;
        v[i].is_fastest = c[i].is_fastest;
        v[i].is_cheapest = c[i].is_cheapest;
        v[i].is_late = !ec_choice_is_possible(&c[i]);
    }
    compare_with_first(v, top);
    for (k = 0; k < q->n; k++)
        if (q->v[k].st)
            v[i++] = q->v[k];
    q->v = v;
    q->n = i;
    return EC_OK;
}

static enum ec_status check(const struct asking *q, bool has_cost, struct ec_err *err)
{
    const struct predict_cmd_opts *o = q->o;
    bool has_size = ec_has_amount(&o->query) || (o->query.dataset && *o->query.dataset);

    if ((o->prices || o->deadline) && !has_size)
        return ec_usage(q->call, err,
                        "--%s without a size: give --dataset and --epochs, --samples, --tokens or "
                        "--steps",
                        o->prices ? "prices" : "deadline");
    if (o->sort == EC_SORT_COST && !has_cost)
        return ec_usage(q->call, err,
                        "--sort cost without a price: give --prices or "
                        "--usd-per-hour");
    return EC_OK;
}

int ec__keep_priced(struct ec_prices *prices, enum ec_price_kind asked,
                    const struct ec_device **devices, int n)
{
    enum ec_price_kind kind;
    int i, n_priced = 0, n_any = 0;
    char others[80] = "";
    bool named;

    if (prices->n_unknown)
        ec_say("left out: %d price%s of devices that are not known, such as \"%.60s\"\n",
               prices->n_unknown, prices->n_unknown == 1 ? "" : "s", prices->unknown);
    for (i = 0; i < n; i++)
        n_any += ec_price_of(prices, devices[i], NULL) != NULL;
    kind = ec_prices_keep(prices, asked, devices, n);
    named = kind != EC_PRICE_UNSAID && kind != EC_PRICE_ANY;
    for (i = 0; i < n; i++)
        n_priced += ec_price_of(prices, devices[i], NULL) != NULL;
    if (!n_priced && n)
        ec_say("no cost: --prices has no%s%s price of %s%s%s\n", asked && named ? " " : "",
               asked && named ? ec_price_kinds[asked] : "", ec_device_key(devices[0]),
               n > 1 ? " or the others" : "",
               n_any ? "; another kind is known: --price-kind any takes it" : "");
    if (!n_priced || n_priced == n)
        return n;
    if (n_priced < n_any)
        (void)ec_snprintf(others, sizeof others,
                          "; of %d another kind is known: --price-kind any compares these too",
                          n_any - n_priced);
    ec_say("left out: %d device%s without a%s%s price%s\n", n - n_priced,
           n - n_priced == 1 ? "" : "s",
           kind == EC_PRICE_ON_DEMAND ? "n "
           : named                    ? " "
                                      : "",
           named ? ec_price_kinds[kind] : "", others);
    for (i = 0, n_priced = 0; i < n; i++)
        if (ec_price_of(prices, devices[i], NULL))
            devices[n_priced++] = devices[i];
    return n_priced;
}

enum ec_status ec__predict_ask(struct ec_call *call, struct ec_predictor *p,
                               const struct ec_device **devices, int n_devices, struct answer **ret,
                               int *ret_count, struct ec_err *err)
{
    struct asking q = { .call = call, .o = call->opts, .p = p };

    EC_PASS(check(&q, q.o->prices || ec_call_given(call, "usd_per_hour"), err));
    if (q.o->deadline && !ec_parse_duration(ec_span_of(q.o->deadline), &q.deadline_ns))
        return ec_usage(call, err, "--deadline: found \"%.40s\", expected a time such as 12h or 3d",
                        q.o->deadline);
    if (q.o->prices)
        EC_PASS(ec_prices_read(q.o->prices, &q.prices, &call->arena, err));
    if (q.o->prices)
        n_devices = ec__keep_priced(&q.prices, q.o->price_kind, devices, n_devices);
    EC_PASS(make_sweep(&q, devices, n_devices, err));
    EC_PASS(check_sweep(&q, err));
    EC_PASS(make_answers(&q, err));
    EC_PASS(answer_all(&q, err));
    add_speedups(&q);
    EC_PASS(sort(&q, err));
    *ret = q.v;
    *ret_count = q.n;
    return EC_OK;
}

enum ec_status ec__predict_extras(struct ec_call *call, struct ec_predictor *p,
                                  const struct answer *a, struct extras *ret, struct ec_err *err)
{
    const struct predict_cmd_opts *o = call->opts;
    const struct ec_prediction *r = &a->r;
    struct ec_predict_opts query = a->query;
    struct ec_prediction again;

    *ret = (struct extras){ .has_room = false };
    query.usd_per_hour = 0;
    if (r->is_shared) /* else a changed micro-batch would change how often there is one */
        query.batch = a->asked_batch;
    if (o->op || o->method != EC_METHOD_OWN)
        return EC_OK;
    if (r->has_memory && r->fits_probability >= 0 && r->fits_probability < EC_SURE) {
        EC_PASS(ec_room_for(p, a->model, a->device, &query, &ret->room, err));
        ret->has_room = true;
    }
    if (!ret->has_room || r->fits_probability >= 0.5)
        EC_PASS(ec_advise(p, a->model, a->device, &query, r, ret->advice, &ret->n_advice, err));
    ret->has_layers = o->layers;
    if (o->layers)
        EC_PASS(ec_predict_layers(p, a->model, a->device, &query, &again, &ret->layers,
                                  &call->arena, err));
    return EC_OK;
}
