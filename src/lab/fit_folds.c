/* Cross-validation: errors on rows that neither constants nor corrections were fitted to. From them
 * come the shares of corrections, the widths of intervals, and the table of errors. */
#include "lab/fit_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool is_any(const struct ec_fit_row *r)
{
    (void)r;
    return true;
}

static bool is_operator(const struct ec_fit_row *r)
{
    return r->isolated;
}

static bool is_network(const struct ec_fit_row *r)
{
    return !r->isolated;
}

/* Frameworks of the rows of a fit: of networks, and of operators. */
struct told {
    bool of[2][EC_FRAMEWORK_COUNT];
};

static struct told told_by(const struct ec_fit *f)
{
    struct told ret = { 0 };
    int i;

    for (i = 0; i < f->n_rows; i++)
        ret.of[f->row[i]->isolated][f->row[i]->cond.framework] = true;
    return ret;
}

/* Without only their family, networks are predicted with their host.
 * bare  the fit has no row of the row's framework */
static void keep_error(const struct ec_fit *like, const double *x, const struct ec_learned *learned,
                       int split, bool bare, struct ec_fit_row *r)
{
    enum ec_fit_as as = split == EC_FIT_LEFT_FAMILY ? EC_FIT_AS_NAMED : EC_FIT_AS_ASKED;

    r->law[split] = ec__fit_asked_error(like, x, r, as);
    if (split == EC_BASIS_MEASURED)
        r->named_host = ec__fit_asked_error(like, x, r, EC_FIT_AS_NAMED);
    r->bare[split] = bare;
    ec__fit_answers(like, x, learned, r, r->answer[split]);
}

/* What is left out, in how many parts. Networks and operators separately, since corrections of one
 * do not affect the other; there are so few families of networks that parts of them must be small.
 */
struct leaving {
    enum ec_basis basis;
    bool families; /* of a split of its own, EC_FIT_LEFT_FAMILY */
    const char *what;
    int n_parts, n_draws; /* each part of its rows is judged by another sample */
    bool (*leaves)(const struct ec_fit_row *r), (*judges)(const struct ec_fit_row *r);
};

/* A fold of networks fits constants alone, seconds each; one of operators learns corrections. */
/* clang-format off */
static const struct leaving leavings[] = {
    { EC_BASIS_MEASURED, false, "unseen configurations",
      EC_FIT_FOLDS_ROWS, 1, is_operator, is_operator },
    { EC_BASIS_MEASURED, false, "unseen structures",
      EC_FIT_FOLDS_KIN, 1, is_network, is_network },
    { EC_BASIS_MEASURED, true, "unseen families",
      EC_FIT_FOLDS_FAMILIES, 1, is_network, is_network },
    { EC_BASIS_SPECIFICATION, false, "operators on unseen architectures",
      EC_FIT_FOLDS_DEVICES, 1, is_any, is_operator },
    { EC_BASIS_SPECIFICATION, false, "networks on unseen architectures",
      EC_FIT_FOLDS_DEVICES, EC_FIT_DRAWS, is_any, is_network },
};
/* clang-format on */

static int part_of(const struct ec_fit *f, const struct leaving *l, const struct ec_fit_row *r)
{
    return l->families ? r->family_rank % l->n_parts : ec__fit_part(f, r, l->basis, l->n_parts);
}

/* A fold starts where the fit of all rows ended, with the derivatives there. */
#define FOLD_ITERATIONS 8

/* Rows of a part, and what predicts them; blocks of them are shared out over threads. */
struct judged {
    const struct ec_fit *unseen, *like;
    const struct leaving *l;
    const double *x;
    const struct ec_learned *learned;
    struct told told;
};
#define BLOCK_ROWS 64

static void keep_block(void *ctx, int block)
{
    const struct judged *j = ctx;
    int i, end = (block + 1) * BLOCK_ROWS;

    for (i = block * BLOCK_ROWS; i < end && i < j->unseen->n_rows; i++) {
        struct ec_fit_row *r = j->unseen->row[i];

        keep_error(j->like, j->x, j->learned,
                   j->l->families ? EC_FIT_LEFT_FAMILY : (int)j->l->basis,
                   !j->told.of[r->isolated][r->cond.framework], r);
    }
}

/* Predicts the rows of a part by constants and corrections fitted without them, to a sample by the
 * number of the part and of the draw. */
static enum ec_status leave_out(struct ec_fit *f, const double *start, const struct leaving *l,
                                int part, int draw, struct ec_err *err)
{
    struct ec_fit unseen = *f, train = *f, like = *f; /* like: what is judged of the rest */
    size_t room = sizeof(struct ec_fit_row *) * (size_t)(f->n_rows + 1);
    double *x = ec_alloc(sizeof *x * (size_t)ec__fit_params(f));
    struct ec_learned *learned = ec_alloc(sizeof *learned);
    enum ec_status st = EC_OK;
    struct judged judged;
    int i;

    unseen.row = ec_alloc(room);
    train.row = ec_alloc(room);
    like.row = ec_alloc(room);
    unseen.n_rows = train.n_rows = like.n_rows = 0;
    EC_TRY(ec_allocated(x && unseen.row && train.row && like.row && learned, err));
    memcpy(x, start, sizeof *x * (size_t)ec__fit_params(f));
    ec__fit_take(f, 1u << (part + draw) % EC_FIT_DRAWS);
    for (i = 0; i < f->n_rows; i++) {
        struct ec_fit_row *r = f->row[i];

        if (l->leaves(r) && part_of(f, l, r) == part) {
            if (l->judges(r) && r->id % l->n_draws == draw)
                unseen.row[unseen.n_rows++] = r;
            if (l->basis == EC_BASIS_SPECIFICATION)
                ec__fit_forget(f, x, r);
            continue;
        }
        train.row[train.n_rows++] = r;
        if (l->judges(r))
            like.row[like.n_rows++] = r;
    }
    EC_TRY(ec__fit_run(&train, FOLD_ITERATIONS, x, err));
    EC_TRY(ec__fit_learn(f, x, like.row, like.n_rows, learned, err));
    if (!l->families)
        EC_TRY(ec__fit_baselines(&like, l->basis, unseen.row, unseen.n_rows, err));
    judged = (struct judged){ &unseen, &like, l, x, learned, told_by(&like) };
    ec_each((int)f->opts->threads, (unseen.n_rows + BLOCK_ROWS - 1) / BLOCK_ROWS, keep_block,
            &judged);
out:
    ec_learned_free(learned);
    ec_free(x);
    ec_free(unseen.row);
    ec_free(train.row);
    ec_free(like.row);
    return st;
}

/* Rows that the same models correct. */
struct corrected {
    enum ec_width_kind kind;
    int scope;
    enum ec_basis basis;
};

static bool is_of(const struct ec_fit *f, const struct corrected *c, const struct ec_fit_row *r)
{
    return r->width == c->kind && ec__fit_scope(f, r) == c->scope;
}

static double error_at(const struct ec_fit_row *r, enum ec_basis basis, const double *share)
{
    return r->law[basis] - ec_learned_blend(r->answer[basis], share);
}

/* Mean absolute log error with these shares of the members. */
static double loss_at(const struct ec_fit *f, const struct corrected *c, const double *share)
{
    double sum = 0, weight = 0;
    int i;

    for (i = 0; i < f->n_rows; i++) {
        const struct ec_fit_row *r = f->row[i];

        if (!is_of(f, c, r))
            continue;
        sum += r->source_weight * fabs(error_at(r, c->basis, share));
        weight += r->source_weight;
    }
    return weight > 0 ? sum / weight : 0;
}

/* The best shares, in quarters with a sum of at most 1: finer shares would fit noise. A larger sum
 * must be clearly better. Every blend has trees, since they bound the dense network. */
static void best_shares(const struct ec_fit *f, const struct corrected *c, double *ret)
{
    double share[EC_MEMBER_COUNT] = { 0 }, least = loss_at(f, c, share);
    int whole, trees;

    memcpy(ret, share, sizeof share);
    for (whole = 1; whole <= 4; whole++)
        for (trees = whole; trees > 0; trees--) {
            double loss;

            share[EC_MEMBER_trees] = trees / 4.0;
            share[EC_MEMBER_dense] = (whole - trees) / 4.0;
            loss = loss_at(f, c, share);
            if (loss < 0.995 * least) {
                least = loss;
                memcpy(ret, share, sizeof share);
            }
        }
}

static const char *scope_name(int scope)
{
    if (!scope)
        return "";
    return scope == EC_SCOPE_QUEUED ? "kernels alone"
           : scope == EC_SCOPE_STEP ? "isolated steps"
                                    : ec_framework_keys[scope - 1];
}

/* Shares are chosen on rows of measured devices, as in most queries; other bases use the same. */
static void settle_shares(struct ec_fit *f, const struct corrected *c)
{
    struct ec_learned_model *const *m = f->learned->set[c->kind][EC_ROLE_correction].of[c->scope];
    static const double none[EC_MEMBER_COUNT] = { 0 };
    double share[EC_MEMBER_COUNT];
    int i;

    if (c->basis == EC_BASIS_MEASURED)
        best_shares(f, c, share);
    for (i = 0; i < EC_MEMBER_COUNT; i++) {
        if (m[i] && c->basis == EC_BASIS_MEASURED)
            m[i]->share = share[i];
        share[i] = m[i] ? m[i]->share : 0;
    }
    ec__fit_say(f->opts,
                "  %s%s%s, %s: mean |log error| %.4f, with corrections %.4f (share of trees %.2f, "
                "of dense %.2f)",
                ec_width_name(c->kind), c->scope ? " of " : "", scope_name(c->scope),
                c->basis == EC_BASIS_SPECIFICATION ? "unseen architecture" : "unseen row",
                loss_at(f, c, none), loss_at(f, c, share), share[EC_MEMBER_trees],
                share[EC_MEMBER_dense]);
    for (i = 0; i < f->n_rows; i++) {
        struct ec_fit_row *r = f->row[i];

        if (is_of(f, c, r))
            r->unseen[c->basis] = error_at(r, c->basis, share);
    }
}

static bool has_rows(const struct ec_fit *f, const struct corrected *c)
{
    int i;

    for (i = 0; i < f->n_rows; i++)
        if (is_of(f, c, f->row[i]))
            return true;
    return false;
}

static void settle_kind(struct ec_fit *f, enum ec_width_kind kind, enum ec_basis basis)
{
    struct corrected c = { kind, 0, basis };

    for (; c.scope < EC_SCOPE_COUNT; c.scope++)
        if (has_rows(f, &c))
            settle_shares(f, &c);
}

/* The width of a kind: quantiles of errors, each divided by its spread. */
static void settle_width(struct ec_fit *f, int kind, enum ec_basis basis, struct ec_weighted *v)
{
    int i, n = 0;

    for (i = 0; i < f->n_rows; i++) {
        const struct ec_fit_row *r = f->row[i];

        if ((int)r->width == kind)
            v[n++] = (struct ec_weighted){ ec__fit_unit_error(r, basis),
                                           ec__fit_width_weight(r, basis) };
    }
    f->width[kind][basis] = ec__weighted_width(v, n);
}

static enum ec_status settle(struct ec_fit *f, const double *x, enum ec_basis basis,
                             struct ec_err *err)
{
    struct ec_weighted *v = ec_alloc(sizeof *v * (size_t)(f->n_rows + 1));
    enum ec_status st = EC_OK;
    int kind;

    EC_TRY(ec_allocated(v, err));
    for (kind = 0; kind < EC_WIDTH_COUNT; kind++)
        if (kind != EC_W_memory)
            settle_kind(f, (enum ec_width_kind)kind, basis);
    if (basis == EC_BASIS_MEASURED)
        EC_TRY(ec__fit_spread(f, x, err));
    for (kind = 0; kind < EC_WIDTH_COUNT; kind++)
        if (kind != EC_W_memory)
            settle_width(f, kind, basis, v);
    EC_TRY(ec__fit_group_scales(f, basis, err));
out:
    ec_free(v);
    return st;
}

static enum ec_status leave_parts(struct ec_fit *f, const double *x, const struct leaving *l,
                                  struct ec_err *err)
{
    enum ec_status st = EC_OK;
    char stage[64];
    int i, n = l->n_parts * l->n_draws;

    for (i = 0; i < n; i++) {
        (void)snprintf(stage, sizeof stage, "%s fold %d of %d", l->what, i + 1, n);
        f->stage = stage;
        EC_TRY(leave_out(f, x, l, i % l->n_parts, i / l->n_parts, err));
    }
out:
    ec__fit_take(f, 1);
    return st;
}

enum ec_status ec__fit_cross_validate(struct ec_fit *f, const double *x, enum ec_basis basis,
                                      struct ec_err *err)
{
    int i;

    for (i = 0; i < EC_LEN(leavings); i++)
        if (leavings[i].basis == basis)
            EC_PASS(leave_parts(f, x, &leavings[i], err));
    return settle(f, x, basis, err);
}

/* ------------------------------------------------------------------------------------------------
 * What cross-validation reached, as a table: one row per source of rows and split. */

enum split { SPLIT_ROW, SPLIT_HOST, SPLIT_FAMILY, SPLIT_DEVICE, SPLIT_FRAMEWORK, SPLIT_COUNT };
static const char *const split_keys[] = { "row", "host", "family", "device", "framework" };

static const char *split_name(const struct ec_fit_row *r, enum split split)
{
    switch (split) {
    case SPLIT_HOST:
        return "unseen structure, host named";
    case SPLIT_FAMILY:
        return "unseen family, host named";
    case SPLIT_DEVICE:
        return "unseen architecture";
    case SPLIT_FRAMEWORK:
        return "unseen framework";
    default:
        return r->isolated ? "unseen configuration" : "unseen structure";
    }
}

/* A row as it was predicted when held out; all logarithms. */
struct held_out {
    double error;  /* measured over predicted */
    double lo, hi; /* of the interval, over predicted */
};

/* Whether the row is in the split. A row without others of its framework is in the split by
 * framework. */
static bool is_split(const struct ec_fit_row *r, enum split split)
{
    switch (split) {
    case SPLIT_ROW:
        return !r->bare[EC_BASIS_MEASURED];
    case SPLIT_HOST:
        return !r->isolated && !r->bare[EC_BASIS_MEASURED];
    case SPLIT_FAMILY:
        return !r->isolated && !r->bare[EC_FIT_LEFT_FAMILY];
    case SPLIT_DEVICE:
        return !r->bare[EC_BASIS_SPECIFICATION];
    default:
        return r->bare[EC_BASIS_MEASURED];
    }
}

static struct ec_width scaled(const struct ec_width *w, const struct ec_width_scale *by,
                              double factor)
{
    return (struct ec_width){ .lo = factor * by->lo * w->lo, .hi = factor * by->hi * w->hi };
}

static bool held_out(const struct ec_fit *f, const struct ec_fit_row *r, enum split split,
                     struct held_out *ret)
{
    enum ec_basis basis = split == SPLIT_DEVICE || split == SPLIT_FRAMEWORK ? EC_BASIS_SPECIFICATION
                                                                            : EC_BASIS_MEASURED;
    bool seen = basis == EC_BASIS_MEASURED;
    const struct ec_width_scale *group = r->group_scale;
    const struct ec_width *of = f->width[r->width];
    struct ec_width w, bare;

    if (!is_split(r, split))
        return false;
    w = scaled(&of[EC_BASIS_MEASURED], &group[EC_BASIS_MEASURED],
               seen && !r->isolated ? r->interval_factor : 1);
    bare = scaled(&of[EC_BASIS_SPECIFICATION], &group[EC_BASIS_SPECIFICATION], 1);
    w = ec_width_between(&w, &bare, seen ? 0 : 1);
    ret->error = split == SPLIT_FAMILY      ? r->law[EC_FIT_LEFT_FAMILY]
                 : split == SPLIT_HOST      ? r->named_host
                 : split == SPLIT_FRAMEWORK ? r->unseen[EC_BASIS_MEASURED]
                                            : r->unseen[basis];
    ret->lo = r->spread * w.lo;
    ret->hi = r->spread * w.hi;
    return true;
}

/* log(measured / baseline) on the same rows, NAN where there is none. */
static double raw_error(const struct ec_fit_row *r, enum split split)
{
    switch (split) {
    case SPLIT_ROW:
        return r->raw[EC_BASIS_MEASURED];
    case SPLIT_DEVICE:
        return r->raw[EC_BASIS_SPECIFICATION];
    default:
        return (double)NAN;
    }
}

/* clang-format off */
#define PEER_LIST(X)                                                                               \
    X(roofline, log(r->time_ns / r->plain.roofline_ns))                                            \
    X(flop, log(r->time_ns / r->plain.flop_ns))                                                    \
    X(raw_boosting, raw_error(r, split))
/* clang-format on */
enum {
#define PEER_ENUM(name, error) PEER_##name,
    PEER_LIST(PEER_ENUM)
#undef PEER_ENUM
        PEER_COUNT
};
#define PEER_COLUMNS(name, error) "," #name "_median_ape_frac," #name "_mean_ape_frac"
#define PEER_NONE(name, error) ",,"

static void peer_errors(const struct ec_fit_row *r, enum split split, double ret[PEER_COUNT])
{
#define PEER_ERROR(name, error) ret[PEER_##name] = (error);
    PEER_LIST(PEER_ERROR)
#undef PEER_ERROR
}

/* Room for the numbers of a row of the table. */
enum { CV_Y, CV_OURS, CV_LO, CV_HI, CV_PEERS, CV_COUNT = CV_PEERS + PEER_COUNT };

static enum ec_status put_baselines(const double *y, const double *peer[PEER_COUNT], int n,
                                    struct ec_buf *out, struct ec_err *err)
{
    struct ec_metrics m;
    int i, k;

    for (i = 0; i < PEER_COUNT; i++) {
        for (k = 0; k < n && isfinite(peer[i][k]); k++)
            continue;
        if (k < n) { /* the column is empty unless all rows have it */
            ec_buf_str(out, ",,");
            continue;
        }
        EC_PASS(ec_metrics_compute(y, peer[i], NULL, NULL, n, &m, err));
        ec_buf_printf(out, ",%.4f,%.4f", m.median_ape, m.mean_ape);
    }
    return EC_OK;
}

/* Zero where the values do not differ. */
static double r2_of(const struct ec_metrics *m)
{
    return isfinite(m->r2) ? m->r2 : 0;
}

/* The median of what the ends lie apart, as a factor around the middle; lo is used up. */
static double half_width(double *lo, const double *hi, int n)
{
    int i;

    for (i = 0; i < n; i++)
        lo[i] = sqrt(hi[i] / lo[i]);
    return ec_quantile_inplace(lo, n, 0.5);
}

/* Rows of a table: all, or a part of them. */
struct part {
    const char *name; /* after the table's; "": all */
    bool of_vectors;  /* of tables of vector operators alone: those of a class */
    enum ec_kclass kclass;
    bool unsteady; /* those that waited for an unsteady host */
};

static bool is_part(const struct part *p, const struct ec_fit_row *r)
{
    return (!p->of_vectors || r->step->kernel[0].kclass == p->kclass) &&
           (!p->unsteady || r->unsteady);
}

static bool is_in_table(const struct ec_fit *f, int source, const struct ec_fit_row *r)
{
    return ec_str_eq(f->source[r->source].name, f->source[source].name);
}

static enum ec_status cv_row(const struct ec_fit *f, int source, const struct part *part,
                             enum split split, double *v, struct ec_buf *out, struct ec_err *err)
{
    const struct ec_fit_row *last = NULL;
    char name[128];
    const double *peer[PEER_COUNT];
    double *column[CV_COUNT];
    struct ec_metrics m;
    double width;
    int i, k, n = 0;

    for (i = 0; i < CV_COUNT; i++)
        column[i] = v + (size_t)i * (size_t)f->n_rows;
    for (i = 0; i < PEER_COUNT; i++)
        peer[i] = column[CV_PEERS + i];
    for (i = 0; i < f->n_rows; i++) {
        const struct ec_fit_row *r = f->row[i];
        double error[PEER_COUNT];
        struct held_out h;

        if (!is_in_table(f, source, r) || !is_part(part, r) || !held_out(f, r, split, &h))
            continue;
        last = r;
        column[CV_Y][n] = r->time_ns;
        column[CV_OURS][n] = r->time_ns * exp(-h.error);
        column[CV_LO][n] = column[CV_OURS][n] * exp(h.lo);
        column[CV_HI][n] = column[CV_OURS][n] * exp(h.hi);
        peer_errors(r, split, error);
        for (k = 0; k < PEER_COUNT; k++)
            column[CV_PEERS + k][n] = r->time_ns * exp(-error[k]);
        n++;
    }
    if (!n)
        return EC_OK;
    EC_PASS(ec_metrics_compute(column[CV_Y], column[CV_OURS], column[CV_LO], column[CV_HI], n, &m,
                               err));
    (void)snprintf(name, sizeof name, "%s%s", f->source[source].name, part->name);
    ec_csv_put(out, name);
    ec_buf_char(out, ',');
    ec_csv_put(out, split_name(last, split));
    width = half_width(column[CV_LO], column[CV_HI], n);
    ec_buf_printf(out, ",%d,%.4f,%.4f,%.4f,%.3f,%.4g,%.4f,%.4f,%.3f", n, m.median_ape, m.mean_ape,
                  m.p90_ape, m.worst_ape, m.rmse / 1e6, r2_of(&m), m.coverage, width);
    EC_PASS(put_baselines(column[CV_Y], peer, n, out, err));
    ec_buf_char(out, '\n');
    ec__fit_say(f->opts,
                "  %-46.46s %-20s median %5.1f %%, p90 %5.1f %%, in interval %4.1f %%, x/ %.2f",
                name, split_name(last, split), 100 * m.median_ape, 100 * m.p90_ape,
                100 * m.coverage, width);
    return EC_OK;
}

static bool holds_vectors_alone(const struct ec_fit *f, int source)
{
    int i;

    for (i = 0; i < f->n_rows; i++)
        if (is_in_table(f, source, f->row[i]) && f->row[i]->width != EC_W_vector)
            return false;
    return true;
}

/* A table, then parts of it that say more by themselves: kernels of a table of vector operators are
 * unlike, and rows that waited for an unsteady host are off by what that did. */
static enum ec_status cv_table(const struct ec_fit *f, int source, double *v, struct ec_buf *out,
                               struct ec_err *err)
{
    /* clang-format off */
    static const struct part parts[] = {
        { .name = "" },
        { .name = ": element-wise", .of_vectors = true, .kclass = EC_K_STREAM },
        { .name = ": softmax", .of_vectors = true, .kclass = EC_K_SOFTMAX },
        { .name = ": layer norm", .of_vectors = true, .kclass = EC_K_NORM },
        { .name = ": waited for the host", .unsteady = true },
    };
    /* clang-format on */
    bool vectors = holds_vectors_alone(f, source);
    int i, split;

    for (i = 0; i < EC_LEN(parts); i++)
        for (split = 0; split < SPLIT_COUNT && (vectors || !parts[i].of_vectors); split++)
            EC_PASS(cv_row(f, source, &parts[i], (enum split)split, v, out, err));
    return EC_OK;
}

/* Of the rungs of a ladder: those that ran, and were said not to; those that ran out of memory, and
 * were said to. */
static void say_rungs(const struct ec_fit *f, int source)
{
    int n[2] = { 0 }, refused[2] = { 0 }, i;

    for (i = 0; i < f->n_memory_rows; i++) {
        const struct ec_fit_memory_row *r = &f->memory_row[i];

        if (r->source != source || !r->rung)
            continue;
        n[r->rung > 0]++;
        refused[r->rung > 0] += r->unseen < 0;
    }
    if (n[0] && n[1])
        ec__fit_say(f->opts,
                    "  memory, %-38.38s %d ran, false alarms %4.1f %%; %d out of memory, called "
                    "%4.1f %%",
                    f->source[source].name, n[0], 100.0 * refused[0] / n[0], n[1],
                    100.0 * refused[1] / n[1]);
}

/* Memory, by source, with the row's family held out. */
static enum ec_status cv_memory_row(const struct ec_fit *f, int source, double *v,
                                    struct ec_buf *out, struct ec_err *err)
{
    int most = f->n_memory_rows, n = 0, i;
    double *y = v, *p = v + most, *lo = v + 2 * most, *hi = v + 3 * most;
    struct ec_metrics m;

    say_rungs(f, source);
    for (i = 0; i < most; i++) {
        const struct ec_fit_memory_row *r = &f->memory_row[i];
        const struct ec_width *w = &f->width[EC_W_memory][r->in_fit ? 0 : 1];

        if (r->source != source || r->rung)
            continue;
        y[n] = r->peak_bytes;
        p[n] = r->peak_bytes * exp(w->mid - r->unseen);
        lo[n] = p[n] * exp(w->lo - w->mid);
        hi[n] = p[n] * exp(w->hi - w->mid);
        if (r->allocator) /* as far above in bytes as the device's peak */
            hi[n] = p[n] + ec_memory_need(&r->parts, &f->memory) * (exp(w->hi) - exp(w->mid));
        n++;
    }
    if (!n)
        return EC_OK;
    EC_PASS(ec_metrics_compute(y, p, lo, hi, n, &m, err));
    ec_csv_put(out, f->source[source].name);
    ec_buf_printf(
        out,
        " (memory),unseen family,%d,%.4f,%.4f,%.4f,%.3f,,%.4f,%.4f,%.3f" PEER_LIST(PEER_NONE) "\n",
        n, m.median_ape, m.mean_ape, m.p90_ape, m.worst_ape, r2_of(&m), m.coverage,
        half_width(lo, hi, n));
    ec__fit_say(
        f->opts,
        "  memory, %-38.38s median %5.1f %%, mean %5.1f %%, p90 %5.1f %%, worst %5.1f %%, in "
        "interval %4.1f %%",
        f->source[source].name, 100 * m.median_ape, 100 * m.mean_ape, 100 * m.p90_ape,
        100 * m.worst_ape, 100 * m.coverage);
    return EC_OK;
}

/* Sources of one name are one row. */
static bool is_first(const struct ec_fit *f, int source)
{
    int i;

    for (i = 0; i < source; i++)
        if (ec_str_eq(f->source[i].name, f->source[source].name))
            return false;
    return true;
}

enum ec_status ec__fit_write_folds(const struct ec_fit *f, struct ec_err *err)
{
    double *v = ec_alloc(sizeof *v * CV_COUNT * (size_t)(f->n_rows + f->n_memory_rows + 1));
    struct ec_buf out = EC_BUF_INIT;
    enum ec_status st = EC_OK;
    int s;

    EC_TRY(ec_allocated(v, err));
    ec_buf_str(&out,
               "table,split,rows,median_ape_frac,mean_ape_frac,p90_ape_frac,worst_ape_frac,"
               "rmse_ms,r2,coverage_of_90_frac,half_width_factor" PEER_LIST(PEER_COLUMNS) "\n");
    for (s = 0; s < f->n_sources; s++) {
        if (!is_first(f, s))
            continue;
        EC_TRY(cv_table(f, s, v, &out, err));
        EC_TRY(cv_memory_row(f, s, v, &out, err));
    }
    EC_TRY(ec_buf_status(&out, err));
    if (f->opts->table_path)
        EC_TRY(ec_file_write(f->opts->table_path, out.data, out.len, err));
out:
    ec_buf_clear(&out);
    ec_free(v);
    return st;
}

enum ec_status ec__memory_errors(const struct ec_fit *f, struct ec_err *err)
{
    double *v = ec_alloc(sizeof *v * 4 * (size_t)(f->n_memory_rows + 1));
    struct ec_buf out = EC_BUF_INIT;
    enum ec_status st = EC_OK;
    int s;

    EC_TRY(ec_allocated(v, err));
    for (s = 0; s < f->n_sources; s++)
        if (is_first(f, s))
            EC_TRY(cv_memory_row(f, s, v, &out, err));
out:
    ec_buf_clear(&out);
    ec_free(v);
    return st;
}

/* log(predicted / measured), the same by the physics alone if the split keeps it, whether the
 * measured time was in the interval, and the interval's half width; empty for rows outside the
 * split. */
static void put_error(const struct ec_fit *f, const struct ec_fit_row *r, enum split split,
                      struct ec_buf *out)
{
    enum ec_basis basis = split == SPLIT_DEVICE ? EC_BASIS_SPECIFICATION : EC_BASIS_MEASURED;
    struct held_out h;

    if (!held_out(f, r, split, &h)) {
        ec_buf_str(out, ",,,,");
        return;
    }
    ec_buf_printf(out, ",%.4f,", -h.error);
    if (split != SPLIT_FAMILY && split != SPLIT_HOST)
        ec_buf_printf(out, "%.4f", -r->law[basis]);
    ec_buf_printf(out, ",%d,%.4f", h.error >= h.lo && h.error <= h.hi, (h.hi - h.lo) / 2);
}

enum ec_status ec__fit_write_rows(const struct ec_fit *f, struct ec_err *err)
{
    struct ec_buf out = EC_BUF_INIT;
    int i, split;

    ec_buf_str(&out, "table,what,family,device,framework,precision,layout,mode,batch,image_px,"
                     "time_ms,kin,unsteady,waited");
    for (split = 0; split < SPLIT_COUNT; split++)
        ec_buf_printf(&out, ",%s_log_error,%s_law_error,%s_in,%s_half_width", split_keys[split],
                      split_keys[split], split_keys[split], split_keys[split]);
    ec_buf_char(&out, '\n');
    for (i = 0; i < f->n_rows; i++) {
        const struct ec_fit_row *r = f->row[i];

        ec_csv_put(&out, f->source[r->source].name);
        ec_buf_char(&out, ',');
        ec_csv_put(&out, r->what);
        ec_buf_char(&out, ',');
        ec_csv_put(&out, r->family);
        ec_buf_printf(&out, ",%s,%s,%s,%s,%s,%lld,%lld,%.6g,%d,%d,%d",
                      ec_device_key(f->device[r->device]), ec_framework_keys[r->cond.framework],
                      ec_precision_names[r->cond.precision], ec_memory_format_names[r->cond.layout],
                      ec_mode_names[r->cond.mode], (long long)r->batch, (long long)r->image,
                      r->time_ns / 1e6, r->kin, (int)r->unsteady, (int)r->waited);
        for (split = 0; split < SPLIT_COUNT; split++)
            put_error(f, r, (enum split)split, &out);
        ec_buf_char(&out, '\n');
    }
    return ec_file_put(f->opts->rows_path, &out, err);
}
