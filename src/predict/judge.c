/* Predictions beside measurements, with two plain estimates on the same rows. */
#include "predict/methods.h"
#include "predict/predict_internal.h"

#include <stdio.h>
#include <string.h>

static int word_index(const char *const *words, const char *word)
{
    int i;

    for (i = 0; words[i]; i++)
        if (ec_str_eq(words[i], word))
            return i;
    return -1;
}

enum ec_status ec__measured_opts(const struct ec_measured *m, struct ec_predict_opts *ret,
                                 struct ec_err *err)
{
    const struct {
        const char *name, *word;
    } rows[] = {
        {"precision",  m->precision    },
        { "layout",    m->memory_format},
        { "optimizer", m->optimizer    },
        { "framework", m->framework    },
        { "mode",      m->mode         },
    };
    enum ec_status st = EC_OK;
    int i;

    ec_predict_opts_default(ret);
    for (i = 0; i < EC_LEN(rows); i++)
        EC_TRY(ec_conditions_set(&ret->cond, rows[i].name, rows[i].word, err));
    ret->batch = m->batch;
    ret->devices = m->num_devices;
    ret->cond.input_copy = m->input_copy;
    ret->cond.queued = m->queued && !m->is_network;
    ret->cond.half_inputs = m->half_inputs && !m->is_network;
    ret->seq_len = m->seq_len;
    ret->image = m->image_px;
    ret->phase = m->is_network ? 0 : m->phase + 1;
    if (ret->cond.mode == EC_MODE_ISOLATED_STEP && !ec_str_eq(m->activation, "none"))
        ret->activation = m->activation;
out:
    return st;
}

/* Paper peak at a precision: matrix units where the device has them. A device that has no other
 * arithmetic is taken by those. */
double ec__paper_peak(const struct ec_device *d, enum ec_precision p, bool matrix)
{
    double half = d->fp16_tensor_flop_per_s.value, peak = d->fp32_flop_per_s.value;

    if (matrix && p == EC_TF32 && d->tf32_tensor_flop_per_s.value > 0)
        peak = d->tf32_tensor_flop_per_s.value;
    else if (matrix && p != EC_FP32 && p != EC_TF32 && half > 0)
        peak = half;
    return peak > 0 ? peak : half;
}

double ec_paper_peak_named(const struct ec_device *d, const char *precision)
{
    int p = word_index(ec_precision_names, precision);

    return p < 0 ? 0 : ec__paper_peak(d, (enum ec_precision)p, true);
}

void ec__plain_estimates(const struct ec_step *s, const struct ec_device *d, enum ec_precision p,
                         struct ec_judged *ret)
{
    double elem = p == EC_FP32 || p == EC_TF32 ? 4 : 2, flop = 0, mac = 0;
    int i;

    ret->roofline_ns = 0;
    for (i = 0; i < s->n; i++) {
        const struct ec_kernel *k = &s->kernel[i];
        double bytes = elem * (k->read_elems + k->write_elems + k->weight_elems) + k->fixed_bytes;
        double t_flop = k->flop / ec__paper_peak(d, p, (k->flags & EC_KF_MATRIX) != 0);
        double t_bytes = bytes / d->memory_bytes_per_s.value;

        double repeat = s->repeat ? s->repeat[i] : 1;

        ret->roofline_ns += repeat * 1e9 * (t_flop > t_bytes ? t_flop : t_bytes);
        flop += repeat * k->flop;
        mac += repeat * k->mac;
    }
    ret->flop_ns = 1e9 * (mac > 0 ? 2 * mac : flop) / ec__paper_peak(d, p, mac > 0);
}

static enum ec_status judge_network(struct ec_predictor *p, const struct ec_measured *m,
                                    const struct ec_predict_opts *o, const struct ec_device *d,
                                    struct ec_judged *ret, struct ec_err *err)
{
    struct ec_prediction r;
    const struct ec_step *step = NULL;
    struct ec_loaded *l = NULL;
    enum ec_status st;

    EC_TRY(ec_predict_network(p, m->what, m->device, o, &r, err));
    EC_TRY(ec__load(p, m->what, o, &l, err));
    EC_TRY(ec__loaded_step(l, o->cond.mode, o->cond.optimizer, &step, err));
    ret->ns = r.step_time_ns;
    ret->memory = m->allocator ? r.allocator_peak_bytes : r.memory_peak_bytes;
    ret->basis = r.basis;
    ec__plain_estimates(step, d, o->cond.precision, ret);
out:
    return st;
}

static enum ec_status judge_op(struct ec_predictor *p, const struct ec_measured *m,
                               const struct ec_predict_opts *o, const struct ec_device *d,
                               struct ec_judged *ret, struct ec_err *err)
{
    struct ec_owned_case c = { 0 };
    struct ec_step step = { 0 };
    struct ec_prediction r;
    enum ec_status st;

    EC_TRY(ec_predict_op(p, m->what, m->device, o, &r, err));
    EC_TRY(ec_case_parse(m->what, &c, err));
    EC_TRY(ec_step_of_case(&c.c, m->phase, o->cond.mode, &step, err));
    ret->ns = r.step_time_ns;
    ret->basis = r.basis;
    ec__plain_estimates(&step, d, o->cond.precision, ret);
out:
    ec_step_clear(&step);
    ec_case_clear(&c);
    return st;
}

static enum ec_status judge_one(struct ec_predictor *p, const struct ec_measured *m,
                                struct ec_judged_list *list, struct ec_judged *ret,
                                struct ec_err *err)
{
    const struct ec_device *d = NULL;
    struct ec_predict_opts o;
    enum ec_status st;

    memset(ret, 0, sizeof *ret);
    st = ec_device_find(m->device, &d, err);
    if (st == EC_E_NOT_FOUND)
        list->n_no_device++;
    if (st)
        return st;
    EC_TRY(ec__measured_opts(m, &o, err));
    if (m->is_network && ec_host_feeds(d))
        o.host = m->host;
    ret->m = m;
    ret->device = ec_device_key(d);
    EC_TRY(m->is_network ? judge_network(p, m, &o, d, ret, err) : judge_op(p, m, &o, d, ret, err));
out:
    if (st == EC_E_NOT_FOUND) {
        if (!list->n_no_network++)
            (void)snprintf(list->first_missing, sizeof list->first_missing, "%s", m->what);
    } else if (st) {
        list->n_other++;
    }
    return st;
}

enum ec_status ec_judge(struct ec_predictor *p, const struct ec_measured *rows, int n,
                        struct ec_judged_list *ret, struct ec_err *err)
{
    struct ec_judged_list list = { 0 };
    enum ec_status st = EC_OK;
    int i;

    list.v = ec_alloc(sizeof *list.v * (size_t)(n ? n : 1));
    if (!list.v)
        return ec_nomem(err);
    for (i = 0; i < n; i++) {
        st = judge_one(p, &rows[i], &list, &list.v[list.n], err);
        if (st == EC_E_NOMEM) {
            ec_free(list.v);
            return st;
        }
        list.n += st == EC_OK;
    }
    *ret = list;
    return EC_OK;
}

enum ec_status ec_judge_by(struct ec_predictor *p, int method, struct ec_judged_list *l,
                           struct ec_err *err)
{
    enum ec_status st = EC_OK;
    int i, n = 0;

    for (i = 0; i < l->n; i++) {
        const struct ec_measured *m = l->v[i].m;
        struct ec_predict_opts o;
        double ns = 0;

        st = ec__measured_opts(m, &o, NULL);
        if (!st)
            st = ec_method_ns(p, method, m->is_network ? m->what : NULL,
                              m->is_network ? NULL : m->what, m->device, &o, &ns, NULL);
        if (st == EC_E_NOMEM)
            return ec_nomem(err);
        if (st) {
            l->n_other++;
            continue;
        }
        l->v[n] = l->v[i];
        l->v[n++].ns = ec_no_interval(ns);
    }
    l->n = n;
    return EC_OK;
}
