/* Loads, saves and applies learned corrections. */
#include "model/learned.h"
#include "model/features.h"
#include "model/network_features.h"

#include "predictor_file.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define MAGIC "EPOCHPRD"
#define VERSION 7
#define MAGIC_BYTES 8
#define MODEL_MAX_BYTES ((uint64_t)8 << 20)
#define PROVENANCE_MAX_BYTES ((uint64_t)1 << 16)
/* Bounds on the logarithm of a correction. Far from the rows of the fit no model is trusted
 * further. */
#define LARGEST_CORRECTION 1.5
/* How far the dense network may be from the trees, as a logarithm. */
#define LARGEST_DEPARTURE 0.5
/* Bound on the logarithm of a spread. */
#define LARGEST_LOG_SPREAD 0.8

static void put_u64(struct ec_buf *out, uint64_t v)
{
    unsigned char b[8];
    int i;

    for (i = 0; i < 8; i++)
        b[i] = (unsigned char)(v >> (8 * i));
    ec_buf_add(out, b, sizeof b);
}

/* Adds bytes to the checksum of a file. It covers all but the models, which have checksums of their
 * own, so that opening a file does not read them. */
static uint64_t sum_with(uint64_t sum, const void *data, size_t len)
{
    return (sum ^ ec_hash(data, len)) * 0x9e3779b97f4a7c15u;
}

/* Bytes to be read. A read past the end sets `bad`, which stays set. */
struct reader {
    const unsigned char *p, *summed; /* bytes before `summed` are in `sum` */
    size_t left;
    uint64_t sum;
    bool bad;
};

static void sum_up_to_here(struct reader *r)
{
    r->sum = sum_with(r->sum, r->summed, (size_t)(r->p - r->summed));
    r->summed = r->p;
}

static uint64_t get_u64(struct reader *r)
{
    uint64_t v = 0;
    int i;

    if (r->left < 8) {
        r->bad = true;
        return 0;
    }
    for (i = 0; i < 8; i++)
        v |= (uint64_t)r->p[i] << (8 * i);
    r->p += 8;
    r->left -= 8;
    return v;
}

/* A share s is written as s times (2^32 - 1). */
static double get_share(struct reader *r)
{
    return (double)(get_u64(r) & 0xffffffffu) / 4294967295.0;
}

static uint64_t share_bits(double share)
{
    assert(share >= 0 && share <= 1);
    return (uint64_t)(share * 4294967295.0 + 0.5);
}

/* Number of places of models. place_of() has their order in the file. */
#define MODEL_PLACES (EC_WIDTH_COUNT * (int)EC_ROLE_COUNT * EC_SCOPE_COUNT * (int)EC_MEMBER_COUNT)

struct place {
    int kind, role, scope, member;
};

static struct place place_of(int i)
{
    struct place p;

    p.member = i % EC_MEMBER_COUNT;
    i /= EC_MEMBER_COUNT;
    p.scope = i % EC_SCOPE_COUNT;
    i /= EC_SCOPE_COUNT;
    p.role = i % EC_ROLE_COUNT;
    p.kind = i / EC_ROLE_COUNT;
    assert(p.kind >= 0 && p.kind < EC_WIDTH_COUNT);
    return p;
}

static struct ec_learned_model *model_at(const struct ec_learned *l, int i)
{
    struct place p = place_of(i);

    return l->set[p.kind][p.role].of[p.scope][p.member];
}

enum ec_status ec_learned_place(struct ec_learned *l, enum ec_width_kind kind, enum ec_role role,
                                int scope, enum ec_member member, struct ec_learned_model **ret,
                                struct ec_err *err)
{
    struct ec_learned_model **m = &l->set[kind][role].of[scope][member];

    assert((unsigned)scope < EC_SCOPE_COUNT && (unsigned)member < EC_MEMBER_COUNT);
    if (!*m)
        *m = ec_alloc(sizeof **m);
    EC_PASS(ec_allocated(*m, err));
    *ret = *m;
    return EC_OK;
}

void ec_learned_free(struct ec_learned *l)
{
    int i;

    if (!l)
        return;
    for (i = 0; i < MODEL_PLACES; i++) {
        struct ec_learned_model *m = model_at(l, i);

        if (m)
            ec_regressor_free(m->model);
        ec_free(m);
    }
    ec_free(l->provenance);
    ec_buf_clear(&l->ranges);
    ec_domain_clear(&l->domain);
    ec_free(l);
}

static enum ec_status read_provenance(struct reader *r, struct ec_learned *l, struct ec_err *err)
{
    uint64_t len = get_u64(r);

    if (r->bad || len > r->left || len > PROVENANCE_MAX_BYTES)
        return ec_fail(err, EC_E_PARSE, "predictor file: the provenance is damaged");
    l->provenance = ec_alloc((size_t)len + 1);
    EC_PASS(ec_allocated(l->provenance, err));
    memcpy(l->provenance, r->p, (size_t)len);
    r->p += len;
    r->left -= len;
    return EC_OK;
}

static enum ec_status load_model(struct ec_learned_model *m, struct ec_err *err)
{
    if (!m->data)
        return EC_OK;
    EC_PASS(ec_regressor_load(m->data, m->len, &m->model, err));
    m->data = NULL;
    return EC_OK;
}

static enum ec_status read_model(struct reader *r, struct ec_learned *l, struct ec_err *err)
{
    uint64_t kind = get_u64(r), role = get_u64(r), scope = get_u64(r), member = get_u64(r), len;
    double share = get_share(r);
    struct ec_learned_model *m = NULL;

    len = get_u64(r);
    if (r->bad || kind >= EC_WIDTH_COUNT || role >= EC_ROLE_COUNT ||
        scope >= (uint64_t)EC_SCOPE_COUNT || member >= EC_MEMBER_COUNT || len > r->left ||
        len > MODEL_MAX_BYTES || l->set[kind][role].of[scope][member])
        return ec_fail(err, EC_E_PARSE, "predictor file: a model's header is damaged");
    EC_PASS(ec_learned_place(l, (enum ec_width_kind)kind, (enum ec_role)role, (int)scope,
                             (enum ec_member)member, &m, err));
    m->share = share;
    m->data = r->p;
    m->len = (size_t)len;
    sum_up_to_here(r);
    r->p += len;
    r->left -= len;
    r->summed = r->p;
    return EC_OK;
}

static enum ec_status read_ranges(struct reader *r, struct ec_learned *l, struct ec_err *err)
{
    uint64_t len = get_u64(r);

    if (r->bad || len > r->left)
        return ec_fail(err, EC_E_PARSE, "predictor file: the ranges are damaged");
    if (!len)
        return EC_OK;
    EC_PASS(ec_domain_parse((const char *)r->p, (size_t)len, &l->domain, err));
    ec_buf_add(&l->ranges, r->p, (size_t)len);
    EC_PASS(ec_buf_status(&l->ranges, err));
    r->p += len;
    r->left -= len;
    return EC_OK;
}

static enum ec_status open_file(const void *data, size_t len, struct ec_learned **ret,
                                struct ec_err *err)
{
    struct reader r = { .p = data, .summed = data, .left = len };
    struct ec_learned *l = ec_alloc(sizeof *l);
    enum ec_status st = EC_OK;
    uint64_t n, version, sum;

    EC_PASS(ec_allocated(l, err));
    if (len < MAGIC_BYTES || memcmp(data, MAGIC, MAGIC_BYTES) != 0)
        EC_TRY(ec_fail(err, EC_E_PARSE, "not a predictor file"));
    r.p += MAGIC_BYTES;
    r.left -= MAGIC_BYTES;
    version = get_u64(&r);
    if (!r.bad && version != VERSION)
        EC_TRY(ec_fail(err, EC_E_UNSUPPORTED,
                       "predictor file of version %llu, this program reads %d",
                       (unsigned long long)version, VERSION));
    EC_TRY(read_provenance(&r, l, err));
    n = get_u64(&r);
    if (r.bad || n > (uint64_t)MODEL_PLACES)
        EC_TRY(ec_fail(err, EC_E_PARSE, "predictor file: the header is damaged"));
    while (n--)
        EC_TRY(read_model(&r, l, err));
    EC_TRY(read_ranges(&r, l, err));
    sum_up_to_here(&r);
    sum = get_u64(&r);
    if (r.bad || sum != r.sum)
        EC_TRY(
            ec_fail(err, EC_E_PARSE, "the predictor file is damaged: its checksum does not match"));
    if (r.left)
        EC_TRY(ec_fail(err, EC_E_PARSE, "predictor file: %zu bytes too many", r.left));
    *ret = l;
    l = NULL;
out:
    ec_learned_free(l);
    return st;
}

enum ec_status ec_learned_load(const void *data, size_t len, struct ec_learned **ret,
                               struct ec_err *err)
{
    struct ec_learned *l = NULL;
    enum ec_status st;
    int i;

    EC_TRY(open_file(data, len, &l, err));
    for (i = 0; i < MODEL_PLACES; i++)
        if (model_at(l, i))
            EC_TRY(load_model(model_at(l, i), err));
    *ret = l;
    l = NULL;
out:
    ec_learned_free(l);
    return st;
}

enum ec_status ec_learned_open_shipped(struct ec_learned **ret, struct ec_err *err)
{
    const void *data;
    size_t len;

    ec__learned_shipped(&data, &len);
    return open_file(data, len, ret, err);
}

/* Only models with a share above 0 are saved. */
static bool is_kept(const struct ec_learned_model *m)
{
    return m && m->model && share_bits(m->share) > 0;
}

/* The output and its checksum, as reader. */
struct writer {
    struct ec_buf *out;
    size_t summed;
    uint64_t sum;
};

static void sum_up_written(struct writer *w)
{
    if (w->out->len > w->summed)
        w->sum = sum_with(w->sum, w->out->data + w->summed, w->out->len - w->summed);
    w->summed = w->out->len;
}

static enum ec_status put_model(const struct ec_learned_model *m, struct place at, struct writer *w,
                                struct ec_err *err)
{
    struct ec_buf one = EC_BUF_INIT, *out = w->out;
    enum ec_status st;

    EC_TRY(ec_regressor_save(m->model, &one, err));
    put_u64(out, (uint64_t)at.kind);
    put_u64(out, (uint64_t)at.role);
    put_u64(out, (uint64_t)at.scope);
    put_u64(out, (uint64_t)at.member);
    put_u64(out, share_bits(m->share));
    put_u64(out, one.len);
    sum_up_written(w);
    ec_buf_add(out, one.data, one.len);
    w->summed = out->len;
out:
    ec_buf_clear(&one);
    return st;
}

enum ec_status ec_learned_save(const struct ec_learned *l, struct ec_buf *out, struct ec_err *err)
{
    size_t told = l->provenance ? strlen(l->provenance) : 0;
    struct writer w = { .out = out, .summed = out->len };
    uint64_t n = 0;
    int i;

    for (i = 0; i < MODEL_PLACES; i++)
        n += is_kept(model_at(l, i));
    ec_buf_add(out, MAGIC, MAGIC_BYTES);
    put_u64(out, VERSION);
    put_u64(out, told);
    ec_buf_add(out, l->provenance ? l->provenance : "", told);
    put_u64(out, n);
    for (i = 0; i < MODEL_PLACES; i++)
        if (is_kept(model_at(l, i)))
            EC_PASS(put_model(model_at(l, i), place_of(i), &w, err));
    put_u64(out, l->ranges.len);
    if (l->ranges.len)
        ec_buf_add(out, l->ranges.data, l->ranges.len);
    sum_up_written(&w);
    put_u64(out, w.sum);
    return ec_buf_status(out, err);
}

int ec__learned_columns(enum ec_width_kind kind)
{
    int n = 0;

    if (ec_is_network_kind(kind))
        return EC_NF_COUNT;
    while (n < EC_FEATURE_COUNT &&
           ec_feature_in(n, kind == EC_W_conv ? EC_FS_ROUTES : EC_FS_ROOFLINE))
        n++;
    return n;
}

const char *const *ec_learned_column_names(enum ec_width_kind kind, const char **scratch)
{
    int i, n = ec__learned_columns(kind);

    if (ec_is_network_kind(kind))
        return ec_network_feature_names;
    for (i = 0; i < n; i++)
        scratch[i] = ec_feature_name(i);
    return scratch;
}

/* ROUTES features that describe a single phase of a convolution. Models leave them out; corrections
 * take the other ROUTES features, which cover the whole training step. */
static const char *const of_one_phase[] = {
    "batch",
    "in_side",
    "out_side",
    "batch_rest_8",
    "batch_rest_32",
    "c_in_rest_8",
    "c_in_rest_32",
    "c_out_rest_8",
    "c_out_rest_32",
    "log_fft_32_flop_ns",
    "log_fft_32_bytes",
    "fft_32_excess",
    "log_fft_16_flop_ns",
    "log_fft_16_bytes",
    "fft_16_excess",
    "log_fft_whole_flop_ns",
    "log_fft_whole_bytes",
    "fft_whole_excess",
    "log_winograd_flop_ns",
    "log_winograd_bytes",
    "winograd_excess",
    "log_image_columns",
    "filter_is_1",
    "filter_is_2",
    "filter_is_3",
    "filter_is_4",
    "filter_is_5",
    "filter_is_6",
    "filter_is_7",
    "stride_is_1",
    "stride_is_2",
    "stride_is_3",
    "stride_is_4",
};

/* The spread of networks knows neither framework nor device: groups and devices have scales of
 * their own, and a device beyond those of the fit is no sign of larger errors. */
static const char *const of_others[] = { "framework", "log_peak",  "log_bandwidth", "log_balance",
                                         "log_cache", "log_units", "launch_factor" };

static bool is_fitted_to(enum ec_width_kind kind, enum ec_role role, int column, const char *name)
{
    if (ec_is_network_kind(kind)) /* which have no correction */
        return ec_name_index(of_others, EC_LEN(of_others), name) < 0;
    return ec_feature_set(column) != EC_FS_ROUTES ||
           (role == EC_ROLE_correction &&
            ec_name_index(of_one_phase, EC_LEN(of_one_phase), name) < 0);
}

int ec_role_columns(enum ec_width_kind kind, enum ec_role role, int *ret)
{
    const char *scratch[EC_FEATURE_COUNT];
    const char *const *names = ec_learned_column_names(kind, scratch);
    int i, n = 0, n_all = ec__learned_columns(kind);

    for (i = 0; i < n_all; i++)
        if (is_fitted_to(kind, role, i, names[i]))
            ret[n++] = i;
    return n;
}

static enum ec_status bind_model(struct ec_learned_model *m, enum ec_width_kind kind,
                                 struct ec_err *err)
{
    const char *scratch[EC_FEATURE_COUNT];
    const char *const *have = ec_learned_column_names(kind, scratch);
    int i, n = ec__learned_columns(kind);

    for (i = 0; m->model && i < ec_regressor_cols(m->model); i++) {
        const char *name = ec_regressor_names(m->model)[i];

        m->column[i] = ec_name_index(have, n, name);
        if (m->column[i] < 0)
            return ec_fail(err, EC_E_UNSUPPORTED,
                           "predictor file: the %s model needs the feature \"%.60s\", which "
                           "this program does not compute",
                           ec_width_name(kind), name);
    }
    m->bound = true;
    return EC_OK;
}

/* Calls of frameworks were measured in float32 alone: their corrections would make a product in
 * bf16 take 1.3 to 2.5 times as long as it does (measured/h100/ceilings.csv). In other precisions
 * those of kernels apply. */
struct ec_scope_key ec_scope_key_of(const struct ec_conditions *c, bool forward)
{
    bool step = c->mode == EC_MODE_ISOLATED_STEP;
    bool unmeasured = c->precision != EC_FP32 && c->framework != EC_FW_vendor_bench && !step;

    return (struct ec_scope_key){ .framework = c->framework, /* by hand: few select a model */
                                  .forward = forward,
                                  .queued = c->queued || unmeasured,
                                  .step = step };
}

int ec_learned_scope(const struct ec_learned *l, enum ec_width_kind kind, enum ec_role role,
                     struct ec_scope_key who)
{
    const int scope[] = { who.queued ? EC_SCOPE_QUEUED : 0, who.step ? EC_SCOPE_STEP : 0,
                          who.forward ? 1 + (int)who.framework : 0 };
    int i, member;

    for (i = 0; i < EC_LEN(scope); i++)
        for (member = 0; scope[i] && member < EC_MEMBER_COUNT; member++)
            if (l->set[kind][role].of[scope[i]][member])
                return scope[i];
    return 0;
}

enum ec_status ec_learned_need(struct ec_learned *l, enum ec_width_kind kind,
                               struct ec_scope_key who, struct ec_err *err)
{
    const enum ec_role role[] = { EC_ROLE_correction, EC_ROLE_spread };
    int i, member;

    for (i = 0; i < EC_LEN(role); i++) {
        int scope = ec_learned_scope(l, kind, role[i], who);

        for (member = 0; member < EC_MEMBER_COUNT; member++) {
            struct ec_learned_model *m = l->set[kind][role[i]].of[scope][member];

            if (!m || m->bound)
                continue;
            EC_PASS(load_model(m, err));
            EC_PASS(bind_model(m, kind, err));
        }
    }
    return EC_OK;
}

enum ec_status ec_learned_bind(struct ec_learned *l, struct ec_err *err)
{
    int i;

    for (i = 0; i < MODEL_PLACES; i++)
        if (model_at(l, i))
            EC_PASS(bind_model(model_at(l, i), (enum ec_width_kind)place_of(i).kind, err));
    return EC_OK;
}

/* The model's answer; 0 without a loaded model. */
static double ask(const struct ec_learned_model *m, const double *features)
{
    double row[EC_LEARN_COLS_MAX], v;
    int i, n;

    if (!m || !m->model)
        return 0;
    n = m->bound ? ec_regressor_cols(m->model) : 0;
    assert(n <= EC_LEARN_COLS_MAX);
    for (i = 0; i < n; i++)
        row[i] = features[m->column[i]];
    ec_regressor_predict(m->model, n ? row : features, 1, &v);
    return v;
}

static double within(double v, double most)
{
    assert(most >= 0);
    return fmax(-most, fmin(most, v));
}

double ec_learned_blend(const double answer[EC_MEMBER_COUNT], const double share[EC_MEMBER_COUNT])
{
    double v[EC_MEMBER_COUNT], sum = 0;
    int i;

    for (i = 0; i < EC_MEMBER_COUNT; i++)
        v[i] = within(answer[i], LARGEST_CORRECTION);
    if (share[EC_MEMBER_trees] > 0)
        v[EC_MEMBER_dense] =
            v[EC_MEMBER_trees] + within(v[EC_MEMBER_dense] - v[EC_MEMBER_trees], LARGEST_DEPARTURE);
    for (i = 0; i < EC_MEMBER_COUNT; i++)
        if (share[i] > 0)
            sum += share[i] * v[i];
    return within(sum, LARGEST_CORRECTION);
}

void ec_learned_answers(const struct ec_learned *l, enum ec_width_kind kind, enum ec_role role,
                        struct ec_scope_key who, const double *features,
                        double ret_answer[EC_MEMBER_COUNT], double ret_share[EC_MEMBER_COUNT])
{
    struct ec_learned_model *const *m = l->set[kind][role].of[ec_learned_scope(l, kind, role, who)];
    int i;

    for (i = 0; i < EC_MEMBER_COUNT; i++) {
        ret_share[i] = m[i] && m[i]->model ? m[i]->share : 0;
        ret_answer[i] = ask(m[i], features);
    }
}

double ec_learned_trees(const struct ec_learned *l, enum ec_width_kind kind, enum ec_role role,
                        struct ec_scope_key who, const double *features)
{
    return ask(l->set[kind][role].of[ec_learned_scope(l, kind, role, who)][EC_MEMBER_trees],
               features);
}

double ec_learned_correction(const struct ec_learned *l, enum ec_width_kind kind,
                             struct ec_scope_key who, const double *features)
{
    double answer[EC_MEMBER_COUNT], share[EC_MEMBER_COUNT];

    ec_learned_answers(l, kind, EC_ROLE_correction, who, features, answer, share);
    return ec_learned_blend(answer, share);
}

double ec_learned_as_spread(double answer)
{
    return exp(fmax(-LARGEST_LOG_SPREAD, fmin(LARGEST_LOG_SPREAD, answer)));
}

bool ec_has_spread(const struct ec_device *d)
{
    return d->kind != EC_DEV_ACCELERATOR;
}

double ec_learned_spread(const struct ec_learned *l, enum ec_width_kind kind,
                         const struct ec_device *d, const double *features)
{
    const struct ec_learned_model *m = l->set[kind][EC_ROLE_spread].of[0][EC_MEMBER_trees];

    return m && ec_has_spread(d) ? ec_learned_as_spread(m->share * ask(m, features)) : 1;
}

EC_EMBED(predictor, EC_PREDICTOR_FILE);

void ec__learned_shipped(const void **ret_data, size_t *ret_len)
{
    *ret_data = ec__predictor_begin;
    *ret_len = (size_t)(ec__predictor_end - ec__predictor_begin);
}

const char *ec_predictor_provenance(size_t *ret_len)
{
    const char *at = ec__predictor_begin + MAGIC_BYTES + 8;
    struct reader r = { .p = (const unsigned char *)at, .left = (size_t)(ec__predictor_end - at) };
    uint64_t len = get_u64(&r);

    *ret_len = len <= r.left ? (size_t)len : 0;
    return (const char *)r.p;
}
