/* Reads and writes values of a program as plain float32 or integers on the host. */
#include "engine/program_internal.h"

#include <string.h>

#include "engine/flat_host.h"

int64_t ec__value_elems(const struct ec_program *p, int value)
{
    int64_t n = 0;

    return ec_shape_count(&p->g->values[value]->type.shape, &n) ? n : 0;
}

enum ec_dtype ec__value_dtype(const struct ec_program *p, int value, enum ec_dtype t)
{
    enum ec_dtype own = p->g->values[value]->type.dtype;

    return ec_dtype_is_float(own) ? t : own;
}

int64_t ec__plain_bytes(const struct ec_program *p, int value, enum ec_dtype t)
{
    return ec__value_elems(p, value) * ec_dtype_bytes(ec__value_dtype(p, value, t));
}

void ec__loss_shape(const struct ec_program *p, struct ec_loss_job *job)
{
    const struct ec_shape *s = &p->g->values[p->g->outputs[0]]->type.shape;
    int64_t n = ec__value_elems(p, p->g->outputs[0]);
    int at = s->rank >= 4 ? 1 : s->rank - 1; /* images have their classes where channels are */
    int i;

    job->inner = 1;
    job->cols = s->rank >= 2 ? s->d[at] : 1;
    for (i = at + 1; i < s->rank; i++)
        job->inner *= s->d[i];
    job->rows = job->cols ? n / job->cols : 0;
}

/* --- Between float32 on the host and any plain type --- */

static void widen(enum ec_dtype t, const void *src, float *ret, int64_t n)
{
    int64_t i;

    if (t == EC_DT_f32)
        memcpy(ret, src, (size_t)n * sizeof *ret);
    for (i = 0; t == EC_DT_f64 && i < n; i++)
        ret[i] = (float)((const double *)src)[i];
    for (i = 0; t == EC_DT_bf16 && i < n; i++)
        ret[i] = ec__of_bf16(((const uint16_t *)src)[i]);
}

static void narrow(enum ec_dtype t, const float *src, void *ret, int64_t n)
{
    int64_t i;

    if (t == EC_DT_f32)
        memcpy(ret, src, (size_t)n * sizeof *src);
    for (i = 0; t == EC_DT_f64 && i < n; i++)
        ((double *)ret)[i] = (double)src[i];
    for (i = 0; t == EC_DT_bf16 && i < n; i++)
        ((uint16_t *)ret)[i] = ec__to_bf16(src[i]);
}

static enum ec_status to_device(struct ec_program *p, void *dst, const void *src, int64_t bytes,
                                struct ec_err *err)
{
    if (p->b->upload)
        return p->b->upload(p->ctx, dst, src, bytes, err);
    memcpy(dst, src, (size_t)bytes);
    return EC_OK;
}

static enum ec_status to_host(struct ec_program *p, void *dst, const void *src, int64_t bytes,
                              struct ec_err *err)
{
    EC_PASS(ec_engine_sync(p->ctx, err));
    if (p->b->download)
        return p->b->download(p->ctx, dst, src, bytes, err);
    memcpy(dst, src, (size_t)bytes);
    return EC_OK;
}

/* Memory of the device for the moment. */
static enum ec_status staging(struct ec_program *p, int64_t bytes, void **ret, struct ec_err *err)
{
    return p->b->mem_alloc(p->ctx, bytes ? bytes : 1, ret, err);
}

static void staging_free(struct ec_program *p, void *mem)
{
    if (mem)
        p->b->mem_free(p->ctx, mem);
}

/* A tensor in memory of the program. */
struct place {
    const struct ec_fmt *fmt; /* NULL: plain */
    enum ec_dtype plain;
    struct ec_type type; /* dtype f32 */
    int64_t n;
    void *at;
};

static enum ec_dtype place_dtype(const struct place *w)
{
    return w->fmt ? w->fmt->dtype : w->plain;
}

/* The host's memory: the backend reads from and writes to what the caller gave. */
static bool on_host(const struct ec_program *p)
{
    return !p->b->mem_alloc;
}

static enum ec_status read_blocked(struct ec_program *p, const struct place *w, float *ret,
                                   struct ec_err *err)
{
    int64_t bytes = w->n * (int64_t)sizeof *ret;
    void *plain = NULL;
    enum ec_status st;

    if (on_host(p))
        return p->b->reorder(p->ctx, &w->type, w->fmt, w->at, NULL, ret, err);
    EC_TRY(staging(p, bytes, &plain, err));
    EC_TRY(p->b->reorder(p->ctx, &w->type, w->fmt, w->at, NULL, plain, err));
    EC_TRY(to_host(p, ret, plain, bytes, err));
out:
    staging_free(p, plain);
    return st;
}

static enum ec_status read_place(struct ec_program *p, const struct place *w, float *ret,
                                 struct ec_err *err)
{
    enum ec_dtype t = place_dtype(w);
    enum ec_status st;
    void *host;

    if (w->fmt && w->fmt->layout)
        return read_blocked(p, w, ret, err);
    if (t == EC_DT_f32)
        return to_host(p, ret, w->at, w->n * (int64_t)sizeof *ret, err);
    host = ec_alloc((size_t)(w->n * ec_dtype_bytes(t)));
    EC_PASS(ec_allocated(host, err));
    st = to_host(p, host, w->at, w->n * ec_dtype_bytes(t), err);
    if (!st)
        widen(t, host, ret, w->n);
    ec_free(host);
    return st;
}

static enum ec_status write_blocked(struct ec_program *p, const struct place *w, const float *data,
                                    struct ec_err *err)
{
    int64_t bytes = w->n * (int64_t)sizeof *data;
    void *plain = NULL;
    enum ec_status st;

    if (on_host(p))
        return p->b->reorder(p->ctx, &w->type, NULL, data, w->fmt, w->at, err);
    EC_TRY(staging(p, bytes, &plain, err));
    EC_TRY(to_device(p, plain, data, bytes, err));
    EC_TRY(p->b->reorder(p->ctx, &w->type, NULL, plain, w->fmt, w->at, err));
    EC_TRY(ec_engine_sync(p->ctx, err));
out:
    staging_free(p, plain);
    return st;
}

static enum ec_status write_place(struct ec_program *p, const struct place *w, const float *data,
                                  struct ec_err *err)
{
    enum ec_dtype t = place_dtype(w);
    int64_t bytes = w->n * ec_dtype_bytes(t);
    enum ec_status st;
    void *host;

    if (w->fmt && w->fmt->layout)
        return write_blocked(p, w, data, err);
    if (t == EC_DT_f32)
        return to_device(p, w->at, data, bytes, err);
    host = ec_alloc((size_t)bytes);
    EC_PASS(ec_allocated(host, err));
    narrow(t, data, host, w->n);
    st = to_device(p, w->at, host, bytes, err);
    ec_free(host);
    return st;
}

/* --- By name --- */

static int find_value(const struct ec_program *p, const char *name)
{
    int i;

    for (i = 0; i < p->g->n_values; i++)
        if (!strcmp(p->g->values[i]->name, name) &&
            (p->g->values[i]->kind != EC_V_PARAM || p->params[i].used))
            return i;
    return -1;
}

static void *in_param(const struct ec_program *p, void *base, int value)
{
    return base ? (unsigned char *)base + p->params[value].offset : NULL;
}

/* Where an activation or its gradient lies, when it can be relied on. */
static enum ec_status buffer_place(struct ec_program *p, int value, char what, struct place *ret,
                                   struct ec_err *err)
{
    const struct ec_pvalue *v = &p->last->values[value];
    int buf = what == 'v' ? v->buf : v->grad;
    const struct ec_pbuf *b;

    if (buf < 0)
        return ec_fail(err, EC_E_NOT_FOUND, "\"%.80s\" has no %s of its own in this network",
                       p->g->values[value]->name, what == 'v' ? "memory" : "gradient");
    b = &p->last->bufs[buf];
    if (b->pool == EC_POOL_ARENA && !p->opts.keep_all && !v->is_output &&
        p->g->values[value]->kind == EC_V_COMPUTED)
        return ec_fail(err, EC_E_UNSUPPORTED, "memory of \"%.80s\" is shared with others",
                       p->g->values[value]->name);
    ret->fmt = v->fmt;
    ret->plain = p->compute;
    ret->at = (b->pool == EC_POOL_IO ? (unsigned char *)p->io_mem : p->last->arena) + b->offset;
    return EC_OK;
}

static enum ec_status find_place(struct ec_program *p, const char *name, char what, int64_t n,
                                 struct place *ret, struct ec_err *err)
{
    int value = find_value(p, name);

    memset(ret, 0, sizeof *ret);
    if (value < 0)
        return ec_fail(err, EC_E_NOT_FOUND, "no value \"%.80s\" in network \"%.80s\"", name,
                       p->g->name);
    ret->type = p->g->values[value]->type;
    if (!ec_dtype_is_float(ret->type.dtype))
        return ec_fail(err, EC_E_UNSUPPORTED, "\"%.80s\" is %s, not floating point", name,
                       ec_dtype_name(ret->type.dtype));
    ret->type.dtype = EC_DT_f32;
    ret->n = ec__value_elems(p, value);
    if (n != ret->n)
        return ec_fail(err, EC_E_INPUT, "\"%.80s\" has %lld elements, not %lld", name,
                       (long long)ret->n, (long long)n);
    if (p->g->values[value]->kind != EC_V_PARAM)
        return buffer_place(p, value, what, ret, err);
    ret->fmt = p->params[value].fmt;
    ret->plain = p->wide;
    if (what == 'v')
        ret->at = in_param(p, p->param_mem, value);
    else if (p->params[value].learns)
        ret->at = in_param(p, what == 'g' ? p->grad_mem : p->state_mem[what - '0'], value);
    if (!ret->at)
        return ec_fail(err, EC_E_NOT_FOUND, "\"%.80s\" has no %s in this network", name,
                       what == 'g' ? "gradient" : "optimizer state");
    return EC_OK;
}

bool ec_program_has(const struct ec_program *p, const char *value, char what)
{
    int v = find_value(p, value);

    if (v < 0 || p->g->values[v]->kind != EC_V_PARAM)
        return false;
    if (what == 'v')
        return true;
    return p->params[v].learns &&
           (what == 'g' ? p->train.backward : what - '0' >= 0 && what - '0' < p->n_states);
}

static enum ec_status check_what(char what, struct ec_err *err)
{
    if (what == 'v' || what == 'g' || what == '0' || what == '1')
        return EC_OK;
    return ec_fail(err, EC_E_INPUT, "values have parts v, g, 0 and 1, not %c", what);
}

enum ec_status ec_program_read(struct ec_program *p, const char *value, char what, float *ret,
                               int64_t n, struct ec_err *err)
{
    struct place w;

    EC_PASS(check_what(what, err));
    EC_PASS(find_place(p, value, what, n, &w, err));
    return read_place(p, &w, ret, err);
}

enum ec_status ec_program_write(struct ec_program *p, const char *value, char what,
                                const float *data, int64_t n, struct ec_err *err)
{
    struct place w;

    EC_PASS(check_what(what, err));
    EC_PASS(find_place(p, value, what, n, &w, err));
    return write_place(p, &w, data, err);
}

enum ec_status ec_program_output(struct ec_program *p, int output, float *ret, int64_t n,
                                 struct ec_err *err)
{
    struct place w = { 0 };
    int value;

    if (output < 0 || output >= p->g->n_outputs)
        return ec_fail(err, EC_E_INPUT, "output %d of %d", output, p->g->n_outputs);
    value = p->g->outputs[output];
    if (p->g->values[value]->kind == EC_V_PARAM)
        return ec_program_read(p, p->g->values[value]->name, 'v', ret, n, err);
    w.type = p->g->values[value]->type;
    w.type.dtype = EC_DT_f32;
    w.n = ec__value_elems(p, value);
    if (n != w.n)
        return ec_fail(err, EC_E_INPUT, "output %d has %lld elements, not %lld", output,
                       (long long)w.n, (long long)n);
    EC_PASS(buffer_place(p, value, 'v', &w, err));
    return read_place(p, &w, ret, err);
}

/* --- Inputs and targets --- */

static enum ec_status check_bytes(const char *what, const char *name, int64_t got, int64_t want,
                                  struct ec_err *err)
{
    if (got == want)
        return EC_OK;
    return ec_fail(err, EC_E_INPUT, "%s \"%.80s\": %lld bytes given, %lld expected", what, name,
                   (long long)got, (long long)want);
}

enum ec_status ec__program_write_io(struct ec_program *p, int value, const void *data,
                                    struct ec_err *err)
{
    enum ec_dtype t = ec__value_dtype(p, value, EC_DT_f32);
    const struct place w = {
        .plain = p->compute,
        .type = p->g->values[value]->type,
        .n = ec__value_elems(p, value),
        .at = (unsigned char *)p->io_mem + p->value_io[value].offset,
    };

    if (!ec_dtype_is_float(t) || p->compute == EC_DT_f32)
        return to_device(p, w.at, data, w.n * ec_dtype_bytes(t), err);
    return write_place(p, &w, data, err);
}

enum ec_status ec_program_set_input(struct ec_program *p, int input, const void *data,
                                    int64_t bytes, struct ec_err *err)
{
    const struct ec_graph *g = p->g;
    enum ec_dtype t;
    int value;

    if (input < 0 || input >= g->n_inputs)
        return ec_fail(err, EC_E_INPUT, "input %d of %d", input, g->n_inputs);
    value = g->inputs[input];
    t = ec__value_dtype(p, value, EC_DT_f32);
    EC_PASS(check_bytes("input", g->values[value]->name, bytes, ec__plain_bytes(p, value, t), err));
    return ec__program_write_io(p, value, data, err);
}

enum ec_status ec_program_set_target(struct ec_program *p, const void *data, int64_t bytes,
                                     struct ec_err *err)
{
    if (!p->opts.with_loss)
        return ec_fail(err, EC_E_INPUT, "a network compiled without a loss has no target");
    EC_PASS(check_bytes("target of", p->g->values[p->g->outputs[0]]->name, bytes,
                        p->target_io.bytes, err));
    return to_device(p, (unsigned char *)p->io_mem + p->target_io.offset, data, bytes, err);
}

enum ec_status ec_program_set_d_out(struct ec_program *p, int output, const float *data,
                                    int64_t bytes, struct ec_err *err)
{
    struct place w = { .plain = p->wide };
    int value;

    if (output < 0 || output >= p->g->n_outputs || p->opts.with_loss || !p->train.backward)
        return ec_fail(err, EC_E_INPUT, "output %d takes no gradient in this network", output);
    value = p->g->outputs[output];
    EC_PASS(check_bytes("gradient of output", p->g->values[value]->name, bytes,
                        ec__plain_bytes(p, value, EC_DT_f32), err));
    w.type = p->g->values[value]->type;
    w.n = ec__value_elems(p, value);
    w.at = (unsigned char *)p->io_mem + p->d_out_io[output].offset;
    return write_place(p, &w, data, err);
}
