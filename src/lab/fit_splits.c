/* Stricter splits than those of cross-validation: a whole source is left out, a release of the
 * software, a kind of kernel at a condition. Only the laws are fitted again, from the derivatives
 * at the solution; the learned corrections are off. Beside the errors stands how unlike the rest
 * the rows are, here and in the splits of cross-validation. */
#include "lab/fit_internal.h"
#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What a split makes of the rows. */
struct dealt {
    int *fold;    /* by row: the fold that leaves it out; -1: none does */
    bool *judged; /* of the rows that are left out */
};

struct split {
    const char *name;
    /* The fold that leaves a row out; -1: none does, and it is not judged. One for a kind of
     * kernels has `holds` instead, that of releases neither. */
    int (*fold)(const struct ec_fit *f, const struct ec_fit_row *r);
    bool (*holds)(const struct ec_fit_row *r);
    bool fits; /* the laws are fitted without the rows; else cross_validation.csv has the errors */
};

/* ------------------------------------------------------------------------------------------------
 * Kinds of kernels. A network is of a kind where so much of it is. */
#define MUCH 0.1

static double structure(const struct ec_fit_row *r, int which)
{
    double of[EC_STRUCTURE_COUNT];

    ec_network_structure(r->step, of);
    return of[which];
}

enum {
#define STRUCTURE_ENUM(name, value) STRUCTURE_##name,
    EC_STRUCTURE_LIST(STRUCTURE_ENUM)
#undef STRUCTURE_ENUM
        STRUCTURE_COUNT
};

static bool is_half(const struct ec_fit_row *r)
{
    return r->cond.precision != EC_FP32 && r->cond.precision != EC_TF32;
}

static bool is_op(const struct ec_fit_row *r, enum ec_kclass c)
{
    return r->isolated && r->step->kernel[0].kclass == c;
}

static bool is_grouped_last_half(const struct ec_fit_row *r)
{
    if (r->cond.layout != EC_CHANNELS_LAST || !is_half(r))
        return false;
    return r->isolated ? r->step->kernel[0].kclass == EC_K_CONV && r->step->kernel[0].groups > 1
                       : structure(r, STRUCTURE_of_grouped) > MUCH;
}

static bool is_depthwise(const struct ec_fit_row *r)
{
    return is_op(r, EC_K_DEPTHWISE) ||
           (!r->isolated && structure(r, STRUCTURE_of_depthwise) > MUCH);
}

static bool is_attending(const struct ec_fit_row *r)
{
    return is_op(r, EC_K_ATTENTION) ||
           (!r->isolated && structure(r, STRUCTURE_of_attention) > MUCH / 4);
}

static bool is_norm(const struct ec_fit_row *r)
{
    return is_op(r, EC_K_NORM);
}

static bool is_softmax(const struct ec_fit_row *r)
{
    return is_op(r, EC_K_SOFTMAX);
}

static bool is_half_product(const struct ec_fit_row *r)
{
    return is_op(r, EC_K_GEMM) && is_half(r);
}

static bool is_recurrent(const struct ec_fit_row *r)
{
    return is_op(r, EC_K_RNN);
}

/* ------------------------------------------------------------------------------------------------
 * How rows are dealt out. */

/* Tables of one source share their name up to the first comma. */
static bool is_of_source(const struct ec_fit *f, int a, int b)
{
    size_t n = strcspn(f->source[a].name, ",");

    return n == strcspn(f->source[b].name, ",") &&
           !strncmp(f->source[a].name, f->source[b].name, n);
}

static int source_of(const struct ec_fit *f, const struct ec_fit_row *r)
{
    int k = 0;

    while (!is_of_source(f, k, r->source))
        k++;
    return k;
}

#define RELEASES_MAX 64
struct release {
    const struct ec_fit_row *first; /* its framework, and its words */
    bool of[EC_FIT_SOURCES_MAX];    /* the sources that measured it */
};

static int release_of(struct release *v, int *n, const struct ec_fit_row *r)
{
    int k;

    for (k = 0; k < *n; k++)
        if (v[k].first->cond.framework == r->cond.framework &&
            ec_str_eq(v[k].first->release, r->release))
            return k;
    if (!*r->release || *n == RELEASES_MAX)
        return -1;
    v[*n] = (struct release){ .first = r };
    return (*n)++;
}

/* A release is judged by the tables that have another one of the same framework. */
static void deal_releases(const struct ec_fit *f, struct dealt *ret)
{
    struct release v[RELEASES_MAX];
    int i, k, n = 0;

    for (i = 0; i < f->n_rows; i++) {
        ret->fold[i] = release_of(v, &n, f->row[i]);
        if (ret->fold[i] >= 0)
            v[ret->fold[i]].of[f->row[i]->source] = true;
    }
    for (i = 0; i < f->n_rows; i++) {
        ret->judged[i] = false;
        for (k = 0; k < n && ret->fold[i] >= 0; k++)
            ret->judged[i] |= k != ret->fold[i] && v[k].of[f->row[i]->source] &&
                              v[k].first->cond.framework == f->row[i]->cond.framework;
    }
}

/* As cross-validation deals; see fit_folds.c. */
static int row_of(const struct ec_fit *f, const struct ec_fit_row *r)
{
    return r->isolated ? ec__fit_part(f, r, EC_BASIS_MEASURED, EC_FIT_FOLDS_ROWS) : -1;
}

static int structure_of(const struct ec_fit *f, const struct ec_fit_row *r)
{
    return r->isolated ? -1 : ec__fit_part(f, r, EC_BASIS_MEASURED, EC_FIT_FOLDS_KIN);
}

static int family_of(const struct ec_fit *f, const struct ec_fit_row *r)
{
    (void)f;
    return r->isolated ? -1 : r->family_rank % EC_FIT_FOLDS_FAMILIES;
}

static int device_of(const struct ec_fit *f, const struct ec_fit_row *r)
{
    return ec__fit_part(f, r, EC_BASIS_SPECIFICATION, EC_FIT_FOLDS_DEVICES);
}

/* clang-format off */
static const struct split splits[] = {
    { "unseen configuration", row_of, NULL, false },
    { "unseen structure", structure_of, NULL, false },
    { "unseen family, host named", family_of, NULL, false },
    { "unseen architecture", device_of, NULL, false },
    { "unseen source", source_of, NULL, true },
    { "unseen release", NULL, NULL, true },
    { "unseen kernels: grouped convolutions, channels last, half precision", NULL,
      is_grouped_last_half, true },
    { "unseen kernels: depthwise convolutions", NULL, is_depthwise, true },
    { "unseen kernels: attention", NULL, is_attending, true },
    { "unseen kernels: norms", NULL, is_norm, true },
    { "unseen kernels: softmax", NULL, is_softmax, true },
    { "unseen kernels: products in half precision", NULL, is_half_product, true },
    { "unseen kernels: recurrent layers", NULL, is_recurrent, true },
};
/* clang-format on */

static void deal(const struct ec_fit *f, const struct split *s, struct dealt *ret)
{
    int i;

    if (!s->fold && !s->holds) {
        deal_releases(f, ret);
        return;
    }
    for (i = 0; i < f->n_rows; i++) {
        ret->fold[i] = s->fold ? s->fold(f, f->row[i]) : s->holds(f->row[i]) - 1;
        ret->judged[i] = ret->fold[i] >= 0;
    }
}

/* ------------------------------------------------------------------------------------------------
 * The folds. */

/* A fold starts where the fit of all rows ended. */
#define FOLD_ITERATIONS 8

/* log(measured / predicted) of the rows of a fold, by laws that were fitted without them. */
static enum ec_status leave_out(const struct ec_fit *f, const double *start, const struct dealt *d,
                                int fold, double *ret_error, struct ec_err *err)
{
    size_t n_params = (size_t)ec__fit_params(f);
    double *x = ec_alloc(sizeof *x * n_params);
    struct ec_fit train = *f;
    enum ec_status st = EC_OK;
    int i;

    train.n_rows = 0;
    train.row = ec_alloc(sizeof *train.row * (size_t)(f->n_rows + 1));
    EC_TRY(ec_allocated(x && train.row, err));
    memcpy(x, start, sizeof *x * n_params);
    for (i = 0; i < f->n_rows; i++)
        if (d->fold[i] == fold) /* what others say of product and host comes back in the fit */
            ec__fit_forget(f, x, f->row[i]);
        else
            train.row[train.n_rows++] = f->row[i];
    EC_TRY(ec__fit_run(&train, FOLD_ITERATIONS, x, err));
    for (i = 0; i < f->n_rows; i++)
        if (d->fold[i] == fold && d->judged[i])
            ret_error[i] = ec__fit_asked_error(&train, x, f->row[i], EC_FIT_AS_ASKED);
out:
    ec_free(x);
    ec_free(train.row);
    return st;
}

static bool has_fold(const struct ec_fit *f, const struct dealt *d, int fold)
{
    int i;

    for (i = 0; i < f->n_rows; i++)
        if (d->fold[i] == fold && d->judged[i])
            return true;
    return false;
}

static int n_folds(const struct ec_fit *f, const struct dealt *d)
{
    int i, n = 0;

    for (i = 0; i < f->n_rows; i++)
        n = d->fold[i] >= n ? d->fold[i] + 1 : n;
    return n;
}

static enum ec_status leave_all(struct ec_fit *f, const double *x, const struct split *s,
                                const struct dealt *d, double *ret_error, struct ec_err *err)
{
    int n = n_folds(f, d), fold;
    char stage[128];

    for (fold = 0; fold < n && s->fits; fold++) {
        if (!has_fold(f, d, fold))
            continue;
        (void)snprintf(stage, sizeof stage, "%s, %d of %d", s->name, fold + 1, n);
        f->stage = stage;
        EC_PASS(leave_out(f, x, d, fold, ret_error, err));
    }
    return EC_OK;
}

/* ------------------------------------------------------------------------------------------------
 * The table. */

/* All that is known of the rows, by row. */
struct judged {
    struct ec_fit *f;
    const struct ec_fit_space *space;
    const double *paleo_ns;
    double *kept;  /* log(measured / predicted) by the laws, the row in the fit */
    double *error; /* the same, the row left out */
    double *y, *p; /* room */
    bool *left;
    struct ec_buf out;
};

/* So many rows of a table show how far it is from the rest. */
#define FAR_ROWS 100

/* Rows of a table in a split, into ret; returns how many. */
static int rows_of(const struct judged *j, const struct dealt *d, int source, int *ret)
{
    const struct ec_fit *f = j->f;
    int i, n = 0;

    for (i = 0; i < f->n_rows; i++)
        if (d->judged[i] && ec_str_eq(f->source[f->row[i]->source].name, f->source[source].name))
            ret[n++] = i;
    return n;
}

/* ",median" of v; "," where no row has one. */
static void put_median(struct judged *j, double *v, int n)
{
    int i, finite = 0;

    for (i = 0; i < n; i++)
        if (isfinite(v[i]))
            v[finite++] = v[i];
    ec_buf_char(&j->out, ',');
    if (finite)
        ec_buf_printf(&j->out, "%.3f", ec_quantile_inplace(v, finite, 0.5));
}

static void put_far(struct judged *j, const struct dealt *d, const int *row, int n)
{
    int step = n > FAR_ROWS ? n / FAR_ROWS : 1, i, k, asked = 0, fold = -1;

    for (k = 0; k < n; k += step) {
        struct ec_fit_far far;

        if (d->fold[row[k]] != fold) {
            fold = d->fold[row[k]];
            for (i = 0; i < j->f->n_rows; i++)
                j->left[i] = d->fold[i] == fold;
        }
        far = ec__fit_far(j->f, j->space, row[k], j->left);
        j->y[asked] = far.work;
        j->p[asked++] = far.device;
    }
    put_median(j, j->y, asked);
    put_median(j, j->p, asked);
}

/* Errors of times that are `measured * exp(-error)`; all: p90 and worst, too. */
static enum ec_status put_errors(struct judged *j, const int *row, int n, const double *error,
                                 bool all, struct ec_err *err)
{
    struct ec_metrics m;
    int i;

    for (i = 0; i < n; i++) {
        j->y[i] = j->f->row[row[i]]->time_ns;
        j->p[i] = j->y[i] * exp(-error[row[i]]);
    }
    EC_PASS(ec_metrics_compute(j->y, j->p, NULL, NULL, n, &m, err));
    ec_buf_printf(&j->out, ",%.4f,%.4f", m.median_ape, m.mean_ape);
    if (all)
        ec_buf_printf(&j->out, ",%.4f,%.3f", m.p90_ape, m.worst_ape);
    return EC_OK;
}

/* clang-format off */
#define PEER_LIST(X)                                                                               \
    X(roofline, j->f->row[row]->plain.roofline_ns)                                                 \
    X(flop, j->f->row[row]->plain.flop_ns)                                                         \
    X(half_peak, 2 * j->f->row[row]->plain.flop_ns)                                                \
    X(paleo, j->paleo_ns[row])
/* clang-format on */
enum {
#define PEER_ENUM(name, ns) PEER_##name,
    PEER_LIST(PEER_ENUM)
#undef PEER_ENUM
        PEER_COUNT
};
#define COLUMNS                                                                                    \
    "table,split,rows,median_ape_frac,mean_ape_frac,p90_ape_frac,worst_ape_frac,"                  \
    "kept_median_ape_frac,kept_mean_ape_frac,work_distance,device_distance"
#define PEER_COLUMNS(name, ns) "," #name "_median_ape_frac," #name "_mean_ape_frac"

static double peer_ns(const struct judged *j, int row, int peer)
{
    const double ns[PEER_COUNT] = {
#define PEER_NS(name, value) value,
        PEER_LIST(PEER_NS)
#undef PEER_NS
    };

    return ns[peer];
}

static enum ec_status put_peers(struct judged *j, const int *row, int n, struct ec_err *err)
{
    struct ec_metrics m;
    int peer, i;

    for (peer = 0; peer < PEER_COUNT; peer++) {
        for (i = 0; i < n; i++) {
            j->y[i] = j->f->row[row[i]]->time_ns;
            j->p[i] = peer_ns(j, row[i], peer);
        }
        EC_PASS(ec_metrics_compute(j->y, j->p, NULL, NULL, n, &m, err));
        ec_buf_printf(&j->out, ",%.4f,%.4f", m.median_ape, m.mean_ape);
    }
    return EC_OK;
}

static enum ec_status put_row(struct judged *j, const struct split *s, const struct dealt *d,
                              int source, int *row, struct ec_err *err)
{
    int n = rows_of(j, d, source, row);

    if (!n)
        return EC_OK;
    ec_csv_put(&j->out, j->f->source[source].name);
    ec_buf_char(&j->out, ',');
    ec_csv_put(&j->out, s->name);
    ec_buf_printf(&j->out, ",%d", n);
    if (s->fits) {
        EC_PASS(put_errors(j, row, n, j->error, true, err));
        EC_PASS(put_errors(j, row, n, j->kept, false, err));
    } else {
        ec_buf_str(&j->out, ",,,,,,");
    }
    put_far(j, d, row, n);
    EC_PASS(put_peers(j, row, n, err));
    ec_buf_char(&j->out, '\n');
    return EC_OK;
}

static enum ec_status put_split(struct judged *j, const double *x, const struct split *s,
                                struct ec_err *err)
{
    size_t room = (size_t)j->f->n_rows + 1;
    struct dealt d = { ec_alloc(sizeof *d.fold * room), ec_alloc(sizeof *d.judged * room) };
    int *row = ec_alloc(sizeof *row * room), source, before;
    enum ec_status st = EC_OK;

    EC_TRY(ec_allocated(d.fold && d.judged && row, err));
    deal(j->f, s, &d);
    EC_TRY(leave_all(j->f, x, s, &d, j->error, err));
    for (source = 0; source < j->f->n_sources; source++) {
        for (before = 0; before < source; before++)
            if (ec_str_eq(j->f->source[before].name, j->f->source[source].name))
                break;
        if (before == source) /* tables of one name are one */
            EC_TRY(put_row(j, s, &d, source, row, err));
    }
out:
    ec_free(d.fold);
    ec_free(d.judged);
    ec_free(row);
    return st;
}

/* Times that the derivatives are computed anew on the way from the shipped laws to those of all
 * rows; the shipped file lacks the offsets of hosts and products. */
#define ROUNDS 3

/* Laws of all rows, and the derivatives there. */
static enum ec_status fit_all(struct ec_fit *f, double **ret_x, struct ec_err *err)
{
    double *x = ec_alloc(sizeof *x * (size_t)ec__fit_params(f));
    int i;

    *ret_x = x;
    EC_PASS(ec_allocated(x, err));
    ec__fit_params_of(&ec_fitted()->c, x);
    for (i = 0; i < ROUNDS; i++) {
        EC_PASS(ec__fit_keep_slopes(f, x, err));
        EC_PASS(ec__fit_run(f, (int)f->opts->iterations, x, err));
    }
    return ec__fit_keep_slopes(f, x, err);
}

enum ec_status ec_fit_splits(const struct ec_fit_opts *opts, struct ec_err *err)
{
    struct ec_fit f = { .opts = opts, .stage = "all rows" };
    struct ec_fit_space *space = NULL;
    struct judged j = { .f = &f, .out = EC_BUF_INIT };
    double *x = NULL, *v = NULL;
    enum ec_status st;
    size_t n;
    int i;

    EC_TRY(ec__fit_collect(&f, err));
    n = (size_t)f.n_rows + 1;
    v = ec_alloc(sizeof *v * 5 * n);
    j.left = ec_alloc(sizeof *j.left * n);
    EC_TRY(ec_allocated(v && j.left, err));
    j.kept = v + n;
    j.error = v + 2 * n;
    j.y = v + 3 * n;
    j.p = v + 4 * n;
    j.paleo_ns = v;
    EC_TRY(fit_all(&f, &x, err));
    EC_TRY(ec__fit_paleo(&f, v, err));
    EC_TRY(ec__fit_space_new(&f, &space, err));
    j.space = space;
    for (i = 0; i < f.n_rows; i++)
        j.kept[i] = ec__fit_asked_error(&f, x, f.row[i], EC_FIT_AS_ASKED);
    ec_buf_str(&j.out, COLUMNS PEER_LIST(PEER_COLUMNS) "\n");
    for (i = 0; i < EC_LEN(splits); i++)
        EC_TRY(put_split(&j, x, &splits[i], err));
    EC_TRY(ec_file_put(opts->out_path, &j.out, err));
out:
    ec_buf_clear(&j.out);
    ec__fit_space_free(space);
    ec_free(x);
    ec_free(v);
    ec_free(j.left);
    ec__fit_clear(&f);
    return st;
}
