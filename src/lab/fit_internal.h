/* Inside the fit: its rows (kernels, device, measured time), its parameters and its steps. */
#ifndef EC_FIT_INTERNAL_H
#define EC_FIT_INTERNAL_H

#include "lab/lab.h"

/* Splits of the cross-validation: one for each basis, and one by families of networks. */
enum { EC_FIT_LEFT_FAMILY = 2, EC_FIT_SPLITS };

struct ec_fit_row {
    const struct ec_step *step; /* in fit->steps */
    int host;                   /* index into fit->host: a pair of source and device */
    int device;                 /* index into fit->device */
    struct ec_conditions cond;
    enum ec_width_kind width;
    bool isolated;
    bool physics;   /* the constants are fitted to it; corrections are fitted to all rows */
    unsigned drawn; /* a bit for each sample that it is in: the constants are fitted to the first */
    bool few;       /* in the small sample for studies of calibration, even over devices */
    bool unsteady;  /* waited for a host whose speed varied: its residual is not the device's */
    bool waited;    /* may have waited for its host: shows how fast the host is */
    const struct ec_op *op; /* NULL for networks */
    double time_ns, weight;
    double source_weight; /* evens out devices of a table with many and with few rows */
    double reach_weight;  /* the same for widths on a device, over all rows */
    /* Results of cross-validation, by split: rows or structures, devices, families. */
    double answer[EC_FIT_SPLITS][EC_MEMBER_COUNT]; /* answers of models, before shares */
    double law[EC_FIT_SPLITS]; /* log(measured / predicted) by the physics alone */
    double unseen[2];          /* log(measured / predicted), by basis */
    double spread;             /* factor on the width of its interval with measurements */
    double raw[2];            /* log(measured / predicted) by boosting on raw features; NAN: none */
    bool bare[EC_FIT_SPLITS]; /* no other row of its framework was in the fit */
    struct ec_plain_estimate plain; /* without a fit, at paper peaks */
    double named_host;              /* with its structure left out, its host named */
    struct ec_width_scale
        group_scale[2];     /* scale of its group by basis, from rows outside its cluster */
    double interval_factor; /* factor of its device, from other clusters */
    uint64_t network;       /* signature; 0 for operators */
    int kin;                /* of networks: number of the group that is built alike */
    int family_rank;        /* of networks: place by number of rows, the most first */
    double copy_bytes;      /* copied from the host within the step */
    const char *family, *what;
    const char *release; /* of its framework, ""; unknown */
    int64_t batch, image;
    int source; /* index into fit->source */
    int id;
    int slopes_row; /* in fit->slopes */
};

struct ec_fit_memory_row {
    struct ec_memory parts;
    double peak_bytes;     /* of a rung of a ladder: 0 */
    double capacity_bytes; /* of the device; 0: unknown */
    bool allocator;        /* read from the framework's allocator, else from the device */
    int rung;              /* of a batch ladder: -1 it ran, 1 it ran out of memory; 0: a reading */
    bool in_fit;           /* constants are fitted to it: of a framework that has many rows */
    double unseen;         /* log(measured / predicted) with its family left out */
    int source;
    const char *family;
};

#define EC_FIT_SOURCES_MAX 48
/* Samples of rows that the folds of the cross-validation are fitted to: errors of one sample alone
 * would be those of a lucky or unlucky draw. */
#define EC_FIT_DRAWS 3
/* Parts of the cross-validation. */
#define EC_FIT_FOLDS_ROWS 4
#define EC_FIT_FOLDS_KIN 24
#define EC_FIT_FOLDS_FAMILIES 24
#define EC_FIT_FOLDS_DEVICES 10
#define EC_FIT_FOLDS_MEMORY 5
struct ec_fit {
    const struct ec_fit_opts *opts;
    const char *stage;
    struct ec_arena arena;
    struct ec_fit_row **row;
    int n_rows, cap_rows;
    struct ec_fit_memory_row *memory_row;
    int n_memory_rows, cap_memory_rows;
    const struct ec_device **device;
    int n_devices, cap_devices;
    int *product_of, *arch_of; /* per device: index into product, into arch */
    const char **product, **arch;
    int *arch_rank; /* rank by number of rows, the most first */
    int *product_sources, *arch_sources, *product_arch;
    bool *arch_is_own, *product_is_accelerator;
    double *interval_factor; /* per device: of networks, measured */
    int n_products, n_archs;
    struct ec_fit_host {
        int source, device, n_rows, n_networks;
        int n_waited; /* networks with a step too short for their kernels: they show the host's
                         speed */
        enum ec_framework framework;
    } * host;
    int n_hosts, cap_hosts;
    int n_named_hosts; /* written */
    struct ec_step **steps;
    int n_steps, cap_steps;
    struct ec_predictor *predictor;
    struct ec_lm_slopes
        *slopes; /* derivatives of all rows at the fitted constants; NULL: not computed */
    struct {
        const char *table, *name, *licence, *url;
        int origin; /* its tables lie in one folder and count as one source: index of the first */
        int n_read, n_used;
        bool unsteady, own;
    } source[EC_FIT_SOURCES_MAX];
    int n_sources;
    struct ec_memory_constants memory;
    struct ec_learned *learned;
    struct ec_domain domain;                         /* ranges of the rows */
    bool trees_only;                                 /* fit no dense networks */
    bool own_models[EC_WIDTH_COUNT][EC_SCOPE_COUNT]; /* by scope: there are enough rows */
    struct ec_width width[EC_WIDTH_COUNT][2];
    struct ec_width_scale group_scale[EC_WIDTH_COUNT][2][EC_WIDTH_GROUPS];
    double largest_batch;
};

/* Reads the tables under opts->data_dir and makes rows of a balanced sample. Errors: those of
 * reading tables, NOMEM */
enum ec_status ec__fit_collect(struct ec_fit *f, struct ec_err *err) EC_MUST_CHECK;
void ec__fit_clear(struct ec_fit *f);
/* From now on the constants are fitted to the samples with a bit in `samples`. */
void ec__fit_take(struct ec_fit *f, unsigned samples);
/* The physics' query of a row. */
struct ec_physics_query ec__fit_query(const struct ec_fit *f, const struct ec_fit_row *r);
void ec__fit_say(const struct ec_fit_opts *o, const char *fmt, ...) EC_PRINTF(2, 3);

/* --- The vector of parameters: logarithms of value over initial value --- */
int ec__fit_params(const struct ec_fit *f);
void ec__fit_constants(const double *x, struct ec_constants *c);
/* The other way, for the part of the constants. */
void ec__fit_params_of(const struct ec_constants *c, double *ret_x);
/* Offsets of arithmetic and memory: of an architecture, and in addition of a product. */
void ec__fit_arch_offset(const struct ec_fit *f, const double *x, int arch, double ret[2]);
void ec__fit_product_offset(const struct ec_fit *f, const double *x, int product, double ret[2]);
double ec__fit_host_offset(const struct ec_fit *f, const double *x, int host);
/* Offset of a framework's reference host: the median over sources, shrunk to 0 where they are few.
 */
double ec__fit_reference_host(const struct ec_fit *f, const double *x, enum ec_framework fw);
/* Which offsets a prediction of a row uses. */
enum ec_fit_as {
    EC_FIT_AS_MEASURED, /* with those of its own product and host */
    EC_FIT_AS_NAMED,    /* as a query that names the host */
    EC_FIT_AS_ASKED,    /* as a query without a host: networks on GPUs with the reference host */
};
/* Rates of a row's query at x. False where the catalogue lacks a number. */
bool ec__fit_rates(const struct ec_fit *f, const double *x, const struct ec_fit_row *r,
                   enum ec_fit_as as, struct ec_constants *ret_constants, struct ec_rates *ret);
/* log(physics / measured) of f->row[row], with its own offsets. */
double ec__fit_log_error(const void *ctx, const double *x, int row);
/* log(measured / predicted), without corrections. */
double ec__fit_asked_error(const struct ec_fit *f, const double *x, const struct ec_fit_row *r,
                           enum ec_fit_as as);
/* Fit the constants to the rows marked `physics`, starting from x. */
enum ec_status ec__fit_run(const struct ec_fit *f, int iterations, double *x,
                           struct ec_err *err) EC_MUST_CHECK;
/* Keep the derivatives at x: fits from there to parts of the rows cost little from now on. */
enum ec_status ec__fit_keep_slopes(struct ec_fit *f, const double *x,
                                   struct ec_err *err) EC_MUST_CHECK;
/* The parameters that ship: the constants, and the offsets of products and hosts that a query gets.
 * ret_x: ec__fit_params */
enum ec_status ec__fit_shipped(struct ec_fit *f, double *ret_x, struct ec_err *err) EC_MUST_CHECK;
/* What the rows marked `physics` say of one parameter; the derivatives at x must have been kept.
 * ret: ec__fit_params */
#define EC_FIT_NOTICEABLE 0.01 /* least change of log(time) over that of log(constant) */
struct ec_fit_evidence {
    double prior_sd, sd; /* of the logarithm, before and after the rows */
    /* By table, which is the first source that reads it: rows that depend on it noticeably, and
     * their part of the Hessian's diagonal. */
    int rows[EC_FIT_SOURCES_MAX];
    double says[EC_FIT_SOURCES_MAX];
};
enum ec_status ec__fit_evidence(const struct ec_fit *f, const double *x,
                                struct ec_fit_evidence *ret, struct ec_err *err) EC_MUST_CHECK;
/* Sets the offsets of the row's architecture, product and host to 0. */
void ec__fit_forget(const struct ec_fit *f, double *x, const struct ec_fit_row *r);
/* Finds groups of networks that are built alike, and sets the rows' kin. */
enum ec_status ec__fit_find_kin(struct ec_fit *f, struct ec_err *err) EC_MUST_CHECK;

/* Rows of memory alone. */
enum ec_status ec__fit_collect_memory(struct ec_fit *f, struct ec_err *err) EC_MUST_CHECK;
enum ec_status ec__fit_memory(struct ec_fit *f, struct ec_err *err) EC_MUST_CHECK;
/* Prints the errors of each source. */
enum ec_status ec__memory_errors(const struct ec_fit *f, struct ec_err *err) EC_MUST_CHECK;
/* As initialisers: all constants of memory, the widths of one kind. */
void ec__print_memory(const struct ec_fit *f, struct ec_buf *out);
void ec__print_width(const struct ec_fit *f, enum ec_width_kind kind, struct ec_buf *out);

/* --- The learned corrections --- */
/* Fit the corrections to rows; models of ret that are there already stay. */
enum ec_status ec__fit_learn(const struct ec_fit *f, const double *x,
                             struct ec_fit_row *const *rows, int n, struct ec_learned *ret,
                             struct ec_err *err) EC_MUST_CHECK;
/* A row's operator as features are computed from it; borrows the row's kernels. */
struct ec_operator ec__fit_operator(const struct ec_fit *f, const struct ec_fit_row *r);
/* Features of any row: of an operator or of a network. */
enum { EC_FIT_COLUMNS = (int)EC_FEATURE_COUNT > (int)EC_NF_COUNT ? EC_FEATURE_COUNT : EC_NF_COUNT };
/* Features as a user's query has them. False: the row cannot be timed. */
bool ec__fit_features(const struct ec_fit *f, const double *x, const struct ec_fit_row *r,
                      double ret[EC_FIT_COLUMNS]);
/* The scope of models for a row: its framework's, or 0. */
int ec__fit_scope(const struct ec_fit *f, const struct ec_fit_row *r);
/* Answers of the members of l for a row, before shares; 0 without a model. */
void ec__fit_answers(const struct ec_fit *f, const double *x, const struct ec_learned *l,
                     const struct ec_fit_row *r, double ret[EC_MEMBER_COUNT]);
/* The correction from answers and the shares in `shares`. */
double ec__fit_correction(const struct ec_fit *f, const struct ec_learned *shares,
                          const struct ec_fit_row *r, const double answer[EC_MEMBER_COUNT]);
/* Fits models of the size of errors on held-out rows of measured devices, and sets each row's
 * spread by a model that was fitted without it. f->row[]->unseen must be set. */
enum ec_status ec__fit_spread(struct ec_fit *f, const double *x, struct ec_err *err) EC_MUST_CHECK;
/* The error of a held-out row over its spread. */
double ec__fit_unit_error(const struct ec_fit_row *r, enum ec_basis basis);

/* Computes the scales of widths by group. f->row[]->unseen and spread must be set. */
enum ec_status ec__fit_group_scales(struct ec_fit *f, enum ec_basis basis,
                                    struct ec_err *err) EC_MUST_CHECK;
/* Weight of a row in the widths of a basis: 0 where its framework was left out with it. */
double ec__fit_width_weight(const struct ec_fit_row *r, enum ec_basis basis);

/* Predicts unseen rows by boosting on raw features, fitted to the rows of train. */
enum ec_status ec__fit_baselines(const struct ec_fit *train, enum ec_basis basis,
                                 struct ec_fit_row *const *unseen, int n,
                                 struct ec_err *err) EC_MUST_CHECK;

/* How unlike rows are: the distance from a row to the nearest of others, in standard deviations
 * (fit_distance.c). NAN: none is of its kind. */
struct ec_fit_space;
enum ec_status ec__fit_space_new(const struct ec_fit *f, struct ec_fit_space **ret,
                                 struct ec_err *err) EC_MUST_CHECK;
void ec__fit_space_free(struct ec_fit_space *s);
/* left[i]: row i is no neighbour. */
struct ec_fit_far {
    double work, device;
};
struct ec_fit_far ec__fit_far(const struct ec_fit *f, const struct ec_fit_space *s, int row,
                              const bool *left);

/* An analytical sum after PALEO, for each row (fit_paleo.c): ret[i] in ns. */
enum ec_status ec__fit_paleo(const struct ec_fit *f, double *ret, struct ec_err *err) EC_MUST_CHECK;

/* --- Cross-validation --- */
struct ec_weighted {
    double v, weight;
};
/* The quantile q of v by weight, 0 for n = 0; sorts v. */
double ec__weighted_quantile(struct ec_weighted *v, int n, double q);
/* 5 and 95 % points by weight, on both sides of 0; sorts. */
struct ec_width ec__weighted_width(struct ec_weighted *v, int n);
/* The part, of n, of a row. Architectures are dealt out by their number of rows, so that the
 * largest are in different parts. */
int ec__fit_part(const struct ec_fit *f, const struct ec_fit_row *r, enum ec_basis basis, int n);
enum ec_status ec__fit_cross_validate(struct ec_fit *f, const double *x, enum ec_basis basis,
                                      struct ec_err *err) EC_MUST_CHECK;
enum ec_status ec__fit_write_folds(const struct ec_fit *f, struct ec_err *err) EC_MUST_CHECK;
/* Writes the rows of the table of errors, each with its errors. Errors: IO, NOMEM */
enum ec_status ec__fit_write_rows(const struct ec_fit *f, struct ec_err *err) EC_MUST_CHECK;
/* The name of a host: "timm-rtx3090". Errors: NOMEM */
enum ec_status ec__fit_host_name(struct ec_fit *f, const struct ec_fit_host *h, const char **ret,
                                 struct ec_err *err) EC_MUST_CHECK;
enum ec_status ec__fit_write(struct ec_fit *f, const double *x, struct ec_err *err) EC_MUST_CHECK;

/* parallel_tables.c: the list of tables of several devices; names and sizes of their networks;
 * rates between machines */
enum ec_status ec__parallel_sources(struct ec_csv *ret, struct ec_err *err) EC_MUST_CHECK;
enum ec_status ec__parallel_networks(struct ec_csv *ret, struct ec_err *err) EC_MUST_CHECK;
enum ec_status ec__parallel_rates(struct ec_csv *ret, struct ec_err *err) EC_MUST_CHECK;

#endif
