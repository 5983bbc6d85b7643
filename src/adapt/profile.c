/* Writes and reads profiles, and applies them to predictions. */
#include "adapt/profile.h"
#include "adapt/offsets.h"
#include "adapt/neighbours.h"

#include "shipped_own_file.h"
#include "shipped_pytorch_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "learn/learn.h"

#define SCHEMA "epochcast.profile/1"
/* A profile with larger numbers is damaged: they are factors of more than 1000. */
#define CHANGE_MAX 7.0
#define VARIANCE_MAX 4.0

static const char *const offset_names[EC_DO_COUNT] = { "compute", "memory", "launch" };

/* ------------------------------------------------------------------------------------------------
 * The file */

/* Three decimal places are enough for residuals and coordinates. */
static double rounded(double v)
{
    return round(v * 1e3) / 1e3;
}

static void json_offsets(struct ec_json *j, const struct ec_profile *p)
{
    int i, k;

    ec_json_open(j, "offsets", '[');
    for (i = 0; i < EC_DO_COUNT; i++) {
        ec_json_open(j, NULL, '{');
        ec_json_str(j, "name", offset_names[i]);
        ec_json_num(j, "log_change", p->change[i]);
        ec_json_num(j, "log_sd", sqrt(p->covariance[i][i]));
        ec_json_open(j, "log_covariance", '[');
        for (k = 0; k < EC_DO_COUNT; k++)
            ec_json_num(j, NULL, p->covariance[i][k]);
        ec_json_close(j, ']');
        ec_json_close(j, '}');
    }
    ec_json_close(j, ']');
}

/* What was measured in each row, and its time. */
static void put_measured(const struct ec_profile *p, struct ec_json *j)
{
    int i;

    if (!p->n_points)
        return;
    ec_json_open(j, "measured", '[');
    for (i = 0; i < p->n_points; i++) {
        int indent = j->indent;

        ec_json_open(j, NULL, '[');
        j->indent = 0;
        ec_json_num(j, NULL, (double)p->point[i].query);
        ec_json_num(j, NULL, p->point[i].time_ns);
        ec_json_close(j, ']');
        j->indent = indent;
    }
    ec_json_close(j, ']');
}

/* Writes the residual of each row, for the Gaussian process. */
static void json_points(struct ec_json *j, const struct ec_profile *p)
{
    int i, k;

    ec_json_int(j, "residual_layout", EC_GP_LAYOUT);
    ec_json_open(j, "residuals", '[');
    for (i = 0; i < p->n_points; i++) {
        const struct ec_gp_point *at = &p->point[i];
        int indent = j->indent;

        ec_json_open(j, NULL, '[');
        j->indent = 0;                                                     /* one line per row */
        ec_json_str(j, NULL, ec_width_name((enum ec_width_kind)at->kind)); /* enum: or -1 */
        ec_json_str(j, NULL, ec_framework_keys[at->framework]);
        ec_json_int(j, NULL, at->code);
        ec_json_num(j, NULL, rounded(at->residual));
        for (k = 0; k < ec_gp_coords(at->kind); k++)
            ec_json_num(j, NULL, rounded(at->at[k]));
        for (k = 0; k < at->n_neighbours; k++)
            ec_json_num(j, NULL, rounded(at->neighbour[k]));
        ec_json_close(j, ']');
        j->indent = indent;
    }
    ec_json_close(j, ']');
    put_measured(p, j);
}

void ec_profile_json(const struct ec_profile *p, struct ec_buf *out)
{
    ec_profile_json_layers(p, NULL, out);
}

void ec_profile_json_layers(const struct ec_profile *p, const struct ec_layers *layers,
                            struct ec_buf *out)
{
    struct ec_json j;

    ec_json_document(&j, out, 2, SCHEMA);
    ec_json_str(&j, "device", p->device);
    if (*p->numbers)
        ec_json_str(&j, "numbers", p->numbers);
    json_offsets(&j, p);
    ec_json_open(&j, "rows", '{');
    ec_json_int(&j, "operators", p->n_operators);
    ec_json_int(&j, "networks", p->n_networks);
    ec_json_num(&j, "median_ape_before_frac", p->error_before);
    ec_json_num(&j, "median_ape_after_frac", p->error_after);
    ec_json_close(&j, '}');
    if (p->n_points)
        json_points(&j, p);
    if (layers) {
        ec_json_open(&j, "layers", '{');
        ec_layers_json(layers, &j);
        ec_json_close(&j, '}');
    }
    ec_json_open(&j, "provenance", '{');
    ec_json_str(&j, "source", p->source);
    ec_json_str(&j, "made_utc", p->made);
    ec_json_str(&j, "machine", p->machine);
    ec_json_str(&j, "version", p->version);
    ec_json_str(&j, "constants", p->constants);
    ec_json_close(&j, '}');
    ec_json_end(&j);
}

static enum ec_status get_text(const struct ec_jval *obj, const char *key, bool needed,
                               char ret[EC_PROFILE_TEXT_BYTES], struct ec_err *err)
{
    const struct ec_jval *v = obj ? ec_json_get(obj, key) : NULL;

    ret[0] = '\0';
    if (!v && !needed)
        return EC_OK;
    if (!v || v->type != EC_J_STR)
        return ec_fail(err, EC_E_PARSE, "\"%s\": expected text", key);
    if (strlen(v->str) >= EC_PROFILE_TEXT_BYTES)
        return ec_fail(err, EC_E_PARSE, "\"%s\": text of more than %d bytes", key,
                       EC_PROFILE_TEXT_BYTES - 1);
    (void)snprintf(ret, EC_PROFILE_TEXT_BYTES, "%s", v->str);
    return EC_OK;
}

/* Reads a number between -max and max. v: NULL when there is none */
static enum ec_status get_number(const struct ec_jval *v, const char *key, double max, double *ret,
                                 struct ec_err *err)
{
    if (!v || v->type != EC_J_NUM || !(fabs(v->num) <= max))
        return ec_fail(err, EC_E_PARSE, "\"%s\": expected a number of at most %g", key, max);
    *ret = v->num;
    return EC_OK;
}

static enum ec_status get_offset(const struct ec_jval *o, int i, struct ec_profile *p,
                                 struct ec_err *err)
{
    const struct ec_jval *name, *row, *v;
    int k;

    name = o && o->type == EC_J_OBJECT ? ec_json_get(o, "name") : NULL;
    row = name ? ec_json_get(o, "log_covariance") : NULL;
    if (!name || name->type != EC_J_STR || !ec_str_eq(name->str, offset_names[i]))
        return ec_fail(err, EC_E_PARSE, "\"offsets\": expected \"%s\" at place %d", offset_names[i],
                       i + 1);
    if (!row || row->type != EC_J_ARRAY || row->n != EC_DO_COUNT)
        return ec_fail(err, EC_E_PARSE, "\"log_covariance\": expected %d numbers", EC_DO_COUNT);
    EC_PASS(get_number(ec_json_get(o, "log_change"), "log_change", CHANGE_MAX, &p->change[i], err));
    for (k = 0, v = row->child; k < EC_DO_COUNT; k++, v = v->next)
        EC_PASS(get_number(v, "log_covariance", VARIANCE_MAX, &p->covariance[i][k], err));
    return EC_OK;
}

/* Whether c is symmetric and positive definite, by its minors. */
static bool is_covariance(const double c[EC_DO_COUNT][EC_DO_COUNT])
{
    double two = c[0][0] * c[1][1] - c[0][1] * c[1][0];
    double three = c[0][0] * (c[1][1] * c[2][2] - c[1][2] * c[2][1]) -
                   c[0][1] * (c[1][0] * c[2][2] - c[1][2] * c[2][0]) +
                   c[0][2] * (c[1][0] * c[2][1] - c[1][1] * c[2][0]);
    int i, k;

    for (i = 0; i < EC_DO_COUNT; i++)
        for (k = 0; k < i; k++)
            if (fabs(c[i][k] - c[k][i]) > 1e-9)
                return false;
    return c[0][0] > 0 && two > 0 && three > 0;
}

static enum ec_status get_offsets(const struct ec_jval *list, struct ec_profile *p,
                                  struct ec_err *err)
{
    const struct ec_jval *o;
    int i;

    if (!list || list->type != EC_J_ARRAY || list->n != EC_DO_COUNT)
        return ec_fail(err, EC_E_PARSE, "\"offsets\": expected a list of %d", EC_DO_COUNT);
    for (i = 0, o = list->child; i < EC_DO_COUNT; i++, o = o->next)
        EC_PASS(get_offset(o, i, p, err));
    if (!is_covariance((const double(*)[EC_DO_COUNT])p->covariance))
        return ec_fail(err, EC_E_PARSE, "\"log_covariance\": not a covariance");
    return EC_OK;
}

static enum ec_status get_rows(const struct ec_jval *rows, struct ec_profile *p, struct ec_err *err)
{
    double n_operators = 0, n_networks = 0;

    if (!rows || rows->type != EC_J_OBJECT)
        return ec_fail(err, EC_E_PARSE, "\"rows\": expected an object");
    EC_PASS(get_number(ec_json_get(rows, "operators"), "operators", 1e9, &n_operators, err));
    EC_PASS(get_number(ec_json_get(rows, "networks"), "networks", 1e9, &n_networks, err));
    EC_PASS(get_number(ec_json_get(rows, "median_ape_before_frac"), "median_ape_before_frac", 1e9,
                       &p->error_before, err));
    EC_PASS(get_number(ec_json_get(rows, "median_ape_after_frac"), "median_ape_after_frac", 1e9,
                       &p->error_after, err));
    p->n_operators = (int64_t)n_operators;
    p->n_networks = (int64_t)n_networks;
    return EC_OK;
}

static int kind_named(const char *name)
{
    int k;

    for (k = 0; k < EC_WIDTH_COUNT; k++)
        if (ec_str_eq(ec_width_name((enum ec_width_kind)k), name))
            return k;
    return -1;
}

static int framework_named(const char *name)
{
    int k;

    for (k = 0; k < EC_FRAMEWORK_COUNT; k++)
        if (ec_str_eq(ec_framework_keys[k], name))
            return k;
    return -1;
}

/* Reads kind and framework, then the numbers: code, residual, coordinates, and to the end
 * neighbours. */
static enum ec_status get_point(const struct ec_jval *row, struct ec_gp_point *ret,
                                struct ec_err *err)
{
    const struct ec_jval *v = row->type == EC_J_ARRAY ? row->child : NULL;
    const struct ec_jval *fw = v ? v->next : NULL;
    double code = 0;
    int k;

    ret->kind = v && v->type == EC_J_STR ? kind_named(v->str) : -1;
    ret->framework = fw && fw->type == EC_J_STR ? framework_named(fw->str) : -1;
    if (ret->kind < 0 || ret->framework < 0)
        return ec_fail(err, EC_E_PARSE,
                       "residuals: expected a kind of query and a framework first in each row");
    v = fw->next;
    EC_PASS(get_number(v, "residuals", 1e4, &code, err));
    ret->code = (int)code;
    v = v->next;
    EC_PASS(get_number(v, "residuals", CHANGE_MAX, &ret->residual, err));
    for (k = 0; k < ec_gp_coords(ret->kind); k++) {
        v = v->next;
        EC_PASS(get_number(v, "residuals", 1e3, &ret->at[k], err));
    }
    for (v = v->next; v && ret->n_neighbours < EC_GP_NEIGHBOURS; v = v->next)
        EC_PASS(get_number(v, "residuals", EC_DEPARTURE_MAX, &ret->neighbour[ret->n_neighbours++],
                           err));
    if (v)
        return ec_fail(err, EC_E_PARSE, "residuals: a row of more than %d numbers",
                       ec_gp_coords(ret->kind) + EC_GP_NEIGHBOURS + 2);
    return EC_OK;
}

/* Reads what was measured in each row. Older profiles do not say. */
static enum ec_status get_measured(const struct ec_jval *root, struct ec_profile *p,
                                   struct ec_err *err)
{
    const struct ec_jval *list = ec_json_get(root, "measured"), *row;
    int i = 0;

    for (row = list && list->type == EC_J_ARRAY ? list->child : NULL; row && i < p->n_points;
         row = row->next, i++) {
        const struct ec_jval *id = row->type == EC_J_ARRAY ? row->child : NULL;
        double query = 0;

        if (!id || !id->next)
            return ec_fail(err, EC_E_PARSE, "measured: expected an id and a time in each row");
        EC_PASS(get_number(id, "measured", EC_QUERY_ID_MAX, &query, err));
        p->point[i].query = (int64_t)query;
        EC_PASS(get_number(id->next, "measured", 1e18, &p->point[i].time_ns, err));
    }
    return EC_OK;
}

/* Reads the residuals. Older profiles have none. With another EC_GP_LAYOUT they are ignored, and
 * only the offsets are used. */
static enum ec_status get_points(const struct ec_jval *root, struct ec_profile *p,
                                 struct ec_err *err)
{
    const struct ec_jval *list = ec_json_get(root, "residuals"), *row;
    double layout = 1;

    if (!list)
        return EC_OK;
    if (list->type != EC_J_ARRAY)
        return ec_fail(err, EC_E_PARSE, "residuals: expected a list");
    if (ec_json_get(root, "residual_layout"))
        EC_PASS(
            get_number(ec_json_get(root, "residual_layout"), "residual_layout", 1e6, &layout, err));
    if ((int)layout != EC_GP_LAYOUT)
        return EC_OK;
    for (row = list->child; row; row = row->next) {
        if (p->n_points == EC_GP_MAX)
            return ec_fail(err, EC_E_PARSE, "residuals: more than %d rows", EC_GP_MAX);
        EC_PASS(get_point(row, &p->point[p->n_points], err));
        p->n_points++;
    }
    return get_measured(root, p, err);
}

static enum ec_status check_schema(const struct ec_jval *root, struct ec_err *err)
{
    const struct ec_jval *v = root->type == EC_J_OBJECT ? ec_json_get(root, "schema") : NULL;

    if (!v || v->type != EC_J_STR || !ec_str_starts(v->str, "epochcast.profile/"))
        return ec_fail(err, EC_E_PARSE, "not a profile of a device: expected \"schema\": \"%s\"",
                       SCHEMA);
    if (!ec_str_eq(v->str, SCHEMA))
        return ec_fail(err, EC_E_UNSUPPORTED, "schema %.40s is not known here, expected %s", v->str,
                       SCHEMA);
    return EC_OK;
}

enum ec_status ec_profile_parse(const char *text, size_t len, struct ec_profile *ret,
                                struct ec_err *err)
{
    struct ec_profile p = { 0 };
    struct ec_arena a = { 0 };
    const struct ec_jval *root = NULL, *origin;
    enum ec_status st;

    EC_TRY(ec_json_parse(text, len, &a, &root, err));
    EC_TRY(check_schema(root, err));
    EC_TRY(get_text(root, "device", true, p.device, err));
    EC_TRY(get_text(root, "numbers", false, p.numbers, err));
    EC_TRY(get_offsets(ec_json_get(root, "offsets"), &p, err));
    EC_TRY(get_rows(ec_json_get(root, "rows"), &p, err));
    EC_TRY(get_points(root, &p, err));
    origin = ec_json_get(root, "provenance");
    if (!origin || origin->type != EC_J_OBJECT)
        EC_TRY(ec_fail(err, EC_E_PARSE, "\"provenance\": expected an object"));
    EC_TRY(get_text(origin, "source", false, p.source, err));
    EC_TRY(get_text(origin, "made_utc", false, p.made, err));
    /* earlier versions wrote "host" */
    EC_TRY(get_text(origin, ec_json_get(origin, "machine") ? "machine" : "host", false, p.machine,
                    err));
    EC_TRY(get_text(origin, "version", true, p.version, err));
    EC_TRY(get_text(origin, "constants", true, p.constants, err));
    *ret = p;
out:
    ec_arena_clear(&a);
    return st;
}

enum ec_status ec_profile_parse_layers(const char *text, size_t len, struct ec_layers **ret,
                                       struct ec_err *err)
{
    const struct ec_jval *root = NULL, *layers;
    struct ec_arena a = { 0 };
    enum ec_status st;

    *ret = NULL;
    EC_TRY(ec_json_parse(text, len, &a, &root, err));
    layers = root->type == EC_J_OBJECT ? ec_json_get(root, "layers") : NULL;
    if (layers && layers->type != EC_J_OBJECT)
        EC_TRY(ec_fail(err, EC_E_PARSE, "\"layers\": expected an object"));
    if (layers)
        EC_TRY(ec_layers_parse(layers, ret, err));
out:
    ec_arena_clear(&a);
    return st;
}

void ec_profile_set_rates(struct ec_profile *p, double flop_per_s, double bytes_per_s)
{
    (void)ec_snprintf(p->numbers, sizeof p->numbers, "fp32_flop_per_s=%.4g,memory_bytes_per_s=%.4g",
                      flop_per_s, bytes_per_s);
}

enum ec_status ec_profile_prior(const char *device, struct ec_profile *ret, struct ec_err *err)
{
    const struct ec_fitted *f = ec_fitted();
    const struct ec_device *d = NULL;
    double sd[EC_DO_COUNT];
    int i;

    EC_PASS(ec_device_find(device, &d, err));
    memset(ret, 0, sizeof *ret);
    (void)snprintf(ret->device, sizeof ret->device, "%s", ec_device_key(d));
    if (d->memory_bytes_per_s.src ==
        EC_SRC_PROBED) /* timed just now, and a little otherwise later */
        ec_profile_set_rates(ret, d->fp32_flop_per_s.value, d->memory_bytes_per_s.value);
    ec_offsets_prior_sd(f, ec_device_measured_as(d), sd);
    for (i = 0; i < EC_DO_COUNT; i++)
        ret->covariance[i][i] = sd[i] * sd[i];
    (void)snprintf(ret->version, sizeof ret->version, "%s", EC_VERSION);
    ec_constants_id(f, ret->constants);
    (void)ec_utc_now(ret->made, sizeof ret->made);
    return EC_OK;
}

/* ------------------------------------------------------------------------------------------------
 * Shipped profiles */

EC_EMBED(shipped_own, EC_SHIPPED_OWN_FILE);
EC_EMBED(shipped_pytorch, EC_SHIPPED_PYTORCH_FILE);

static const struct ec_shipped_profile shipped[] = {
    {"cpu-epyc-2vcpu",  "epochcast", ec__shipped_own_begin,     ec__shipped_own_end    },
    { "cpu-epyc-2vcpu", "pytorch-1", ec__shipped_pytorch_begin, ec__shipped_pytorch_end},
};

/* The layers were measured in float32 and without isolated steps. */
const struct ec_shipped_profile *ec_profile_shipped(const char *device,
                                                    const struct ec_conditions *cond)
{
    int i;

    if (cond->precision != EC_FP32 || cond->mode == EC_MODE_ISOLATED_STEP)
        return NULL;
    for (i = 0; i < EC_LEN(shipped); i++)
        if (ec_str_eq(device, shipped[i].device) &&
            ec_str_eq(ec_framework_keys[cond->framework], shipped[i].framework))
            return &shipped[i];
    return NULL;
}

void ec_profile_add(const struct ec_profile *profile, double offset[EC_DO_COUNT])
{
    int i;

    for (i = 0; i < EC_DO_COUNT; i++)
        offset[i] += profile->change[i];
}

/* One half of an interval, from these. */
struct half {
    double known,
        specification;      /* half-widths for measured devices, for devices by specification */
    double unknown;         /* as of ec_profile_width */
    double variance, prior; /* variance of log(time) by the offsets: now, before calibration */
};

/* The half-width after calibration, by squares. It is that of measured devices, plus the variance
 * of the offsets, plus the part `unknown` of the difference to a specification's, which is also the
 * maximum. Where held-out networks make measured devices the wider case, it is a specification's
 * less the variance that calibration removed, but at least half of it. */
static double wider(const struct half *h)
{
    double known = h->known * h->known, specification = h->specification * h->specification;
    double half = known + EC_NORMAL_95 * EC_NORMAL_95 * h->variance;

    if (known >= specification)
        return sqrt(
            fmax(specification - EC_NORMAL_95 * EC_NORMAL_95 * fmax(0, h->prior - h->variance),
                 specification / 4));
    half += h->unknown * (specification - known);
    return sqrt(half > specification ? specification : half);
}

static double prior_variance(const struct ec_fitted *f, const struct ec_physics_query *q,
                             const double g[EC_DO_COUNT])
{
    double sd[EC_DO_COUNT], prior = 0;
    int i;

    ec_offsets_prior_sd(f, ec_device_measured_as(q->device), sd);
    for (i = 0; i < EC_DO_COUNT; i++)
        prior += g[i] * g[i] * sd[i] * sd[i];
    return prior;
}

struct ec_width ec_profile_width(const struct ec_fitted *f, const struct ec_profile *profile,
                                 double unknown, const struct ec_physics_query *q)
{
    int group = ec_width_group(q->cond.framework, q->step, q->device, q->cond.queued);
    const struct ec_width known = ec_fitted_width(f, q->kind, EC_BASIS_MEASURED, group);
    const struct ec_width bare = ec_fitted_width(f, q->kind, EC_BASIS_SPECIFICATION, group);
    const struct ec_known seen = ec_fitted_known(f, q->device, &q->cond, q->kind, q->step);
    const struct ec_width spec = ec_width_between(&known, &bare, seen.unknown);
    struct ec_width w = known;
    struct half h = { .unknown = unknown };
    double g[EC_DO_COUNT], variance;

    ec_query_gradient(f, q, profile->change, g);
    variance = ec_variance_along(g, (const double(*)[EC_DO_COUNT])profile->covariance);
    h.variance = variance;
    h.prior = prior_variance(f, q, g);
    h.known = -known.lo;
    h.specification = -spec.lo;
    w.lo = -wider(&h);
    h.known = known.hi;
    h.specification = spec.hi;
    w.hi = wider(&h);
    return w;
}

void ec_constants_id(const struct ec_fitted *f, char ret[EC_PROFILE_TEXT_BYTES])
{
    uint64_t h = ec_hash(&f->c, sizeof f->c);
    int i;

    for (i = 0; i < f->n_archs; i++)
        h = h * 31 + ec_hash(&f->archs[i].compute, 2 * sizeof f->archs[i].compute);
    for (i = 0; i < f->n_products; i++)
        h = h * 31 + ec_hash(&f->products[i].compute, 2 * sizeof f->products[i].compute);
    h = h * 31 + ec_hash(f->reference_launch, sizeof f->reference_launch);
    (void)snprintf(ret, EC_PROFILE_TEXT_BYTES, "%016llx", (unsigned long long)h);
}
