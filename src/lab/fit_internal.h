/* Rows of a fit: kernels, where they ran, how long they took. */
#ifndef EC_FIT_INTERNAL_H
#define EC_FIT_INTERNAL_H

#include "lab/lab.h"

/* What is left out of a fit: the bases, and of networks families by their names. */
enum { EC_FIT_LEFT_FAMILY = 2, EC_FIT_SPLITS };

struct ec_fit_row {
    const struct ec_step *step; /* in fit->steps */
    int host;                   /* index into fit->host: the pair of source and device */
    int device;                 /* index into fit->device */
    struct ec_conditions cond;
    enum ec_width_kind width;
    bool isolated;
    bool physics; /* among those the constants are fitted to; only corrections are fitted to the
                     others */
    bool few;     /* of a small sample that is even over devices: what studies of calibration ask */
    bool unsteady; /* waited for a host that changed its speed: its residual is not its own */
    bool waited;   /* may have waited for its host, and so shows how fast that is */
    const struct ec_op *op; /* NULL for networks */
    unsigned class_mask;    /* bit per ec_kclass that its step holds */
    double time_ns, weight;
    double
        source_weight;   /* so that no device of a table, however many rows it has, drowns others */
    double reach_weight; /* likewise, in how far errors reach on a device; of all rows */
    /* By cross-validation, of what was left out: rows or structures, devices, families. */
    double answer[EC_FIT_SPLITS][EC_MEMBER_COUNT]; /* learned, whole */
    double law[EC_FIT_SPLITS];                     /* log(measured / predicted) of the laws alone */
    double slope[EC_FIT_SPLITS];    /* how much of a correction arrives in the time */
    double unseen[2];               /* log(measured / predicted), by basis */
    double spread[2];               /* how much wider than usual its interval is, likewise */
    double raw[2];                  /* the same of boosting on raw features; NAN: none */
    bool bare[2];                   /* nothing of its framework was left to learn from */
    struct ec_plain_estimate plain; /* without a fit, at paper peaks */
    double unseen_family; /* log(measured / predicted) when only its family was left out */
    double named_host;    /* the same when what is built alike was, and its host is named */
    bool bare_family;
    struct ec_width_scale
        group_scale[2];     /* of its group's errors: by basis; of rows but its cluster */
    double interval_factor; /* beside that, of its device; of other clusters */
    uint64_t network;       /* signature; 0 for operators */
    int kin;                /* of networks: which are built alike */
    int family_rank;        /* of networks: place by number of rows, the most first */
    double copy_bytes;      /* copied from the host within the step */
    const char *family, *what;
    int64_t batch, image;
    int source; /* index into fit->source */
    int id;
    int slopes_row; /* in fit->slopes */
};

struct ec_fit_memory_row {
    struct ec_memory parts;
    double peak_bytes;
    bool allocator; /* read from the framework's allocator, else from the device */
    double unseen;  /* log(measured / predicted) by constants that had none of its family */
    int source;
    const char *family;
};

#define EC_FIT_SOURCES_MAX 48
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
    int *arch_rank; /* place of an architecture by its number of rows, the most first */
    int *product_sources, *arch_sources, *product_arch;
    bool *arch_is_processor;
    double *interval_factor; /* per device: of networks, measured */
    int n_products, n_archs;
    struct ec_fit_host {
        int source, device, n_rows, n_networks;
        int n_waited; /* networks whose step was short of kernels: they show how fast the host is */
        enum ec_framework framework;
    } * host;
    int n_hosts, cap_hosts;
    int n_named_hosts; /* written */
    struct ec_step **steps;
    int n_steps, cap_steps;
    struct ec_predictor *predictor;
    struct ec_lm_slopes *slopes; /* of all rows, where the constants ended; NULL: not there yet */
    struct {
        const char *table, *name, *licence, *url;
        int n_read, n_used;
        bool unsteady, own;
    } source[EC_FIT_SOURCES_MAX];
    int n_sources;
    struct ec_memory_constants memory;
    struct ec_learned *learned;
    struct ec_domain domain;                         /* ranges of the rows */
    bool trees_only;                                 /* fit no dense networks */
    bool own_models[EC_WIDTH_COUNT][EC_SCOPE_COUNT]; /* by scope: rows are many enough */
    struct ec_width width[EC_WIDTH_COUNT][2];
    struct ec_width_scale group_scale[EC_WIDTH_COUNT][2][EC_WIDTH_GROUPS];
    double largest_batch;
};

/* Read the tables under opts->data_dir and turn a fair sample of their rows into kernels. */
enum ec_status ec__fit_collect(struct ec_fit *f, struct ec_err *err) EC_MUST_CHECK;
void ec__fit_clear(struct ec_fit *f);
/* The question of a row. */
struct ec_physics_query ec__fit_query(const struct ec_fit *f, const struct ec_fit_row *r);
void ec__fit_say(const struct ec_fit_opts *o, const char *fmt, ...) EC_PRINTF(2, 3);

/* --- The vector of parameters: logarithms of value over initial value --- */
int ec__fit_params(const struct ec_fit *f);
void ec__fit_constants(const double *x, struct ec_constants *c);
/* The other way, for the part of the constants. */
void ec__fit_params_of(const struct ec_constants *c, double *ret_x);
/* Of arithmetic and of memory: of an architecture, and what a product adds. */
void ec__fit_arch_offset(const struct ec_fit *f, const double *x, int arch, double ret[2]);
void ec__fit_product_offset(const struct ec_fit *f, const double *x, int product, double ret[2]);
double ec__fit_host_offset(const struct ec_fit *f, const double *x, int host);
/* That of the host which networks of a framework are predicted with: the median over its sources,
 * drawn to none where they are few. */
double ec__fit_reference_host(const struct ec_fit *f, const double *x, enum ec_framework fw);
/* How a row's time is asked for. */
enum ec_fit_as {
    EC_FIT_AS_MEASURED, /* with all that was found of its product and its host */
    EC_FIT_AS_NAMED,    /* as a user asks who names the host */
    EC_FIT_AS_ASKED,    /* as a user asks: networks on GPUs with the reference host */
};
/* Rates of a row's question at x. False where the catalogue lacks a number. */
bool ec__fit_rates(const struct ec_fit *f, const double *x, const struct ec_fit_row *r,
                   enum ec_fit_as as, struct ec_constants *ret_constants, struct ec_rates *ret);
/* log(law / measured) of f->row[row], as it was measured. */
double ec__fit_log_error(const void *ctx, const double *x, int row);
/* The residual of a row: measured over law, for networks of the kernels that a correction
 * moves, with the host taken out. ret_weight: how much of the time these are, squared; 0 where the
 * row says nothing of them. False: the row cannot be timed. */
bool ec__fit_left_over(const struct ec_fit *f, const double *x, const struct ec_fit_row *r,
                       double *ret, double *ret_weight);
/* log(measured / predicted) with that much correction. */
double ec__fit_asked_error(const struct ec_fit *f, const double *x, const struct ec_fit_row *r,
                           enum ec_fit_as as, double correction);
/* Fit the constants to the rows marked `physics`, starting from x. */
enum ec_status ec__fit_run(const struct ec_fit *f, int iterations, double *x,
                           struct ec_err *err) EC_MUST_CHECK;
/* Keep the derivatives at x: fits from there to parts of the rows cost little from now on. */
enum ec_status ec__fit_keep_slopes(struct ec_fit *f, const double *x,
                                   struct ec_err *err) EC_MUST_CHECK;
/* What is known of the row's architecture, product and host, forgotten. */
void ec__fit_forget(const struct ec_fit *f, double *x, const struct ec_fit_row *r);
/* Which networks are built alike: numbers rows' kin. */
enum ec_status ec__fit_find_kin(struct ec_fit *f, struct ec_err *err) EC_MUST_CHECK;

enum ec_status ec__fit_memory(struct ec_fit *f, struct ec_err *err) EC_MUST_CHECK;

/* --- The learned corrections --- */
/* Fit the corrections to rows; models of ret that are there already stay. */
enum ec_status ec__fit_learn(const struct ec_fit *f, const double *x,
                             struct ec_fit_row *const *rows, int n, struct ec_learned *ret,
                             struct ec_err *err) EC_MUST_CHECK;
/* A row's operator as features are computed from it; borrows the row's kernels. */
struct ec_operator ec__fit_operator(const struct ec_fit *f, const struct ec_fit_row *r);
/* job(ctx, i) for each i below n, shared out over threads, whole. */
void ec__fit_each(int n_threads, int n, void (*job)(void *ctx, int i), void *ctx);
/* Features of any row: of an operator or of a network. */
enum { EC_FIT_COLUMNS = (int)EC_FEATURE_COUNT > (int)EC_NF_COUNT ? EC_FEATURE_COUNT : EC_NF_COUNT };
/* As a user's question has them. False: the row cannot be timed. */
bool ec__fit_features(const struct ec_fit *f, const double *x, const struct ec_fit_row *r,
                      double ret[EC_FIT_COLUMNS]);
/* Which models correct a row: those of its framework, or 0. */
int ec__fit_scope(const struct ec_fit *f, const struct ec_fit_row *r);
/* What the members of l say of a row, before shares; 0 where there is none. */
void ec__fit_answers(const struct ec_fit *f, const double *x, const struct ec_learned *l,
                     const struct ec_fit_row *r, double ret[EC_MEMBER_COUNT]);
/* The correction that such answers make, by the shares of `shares`. */
double ec__fit_correction(const struct ec_fit *f, const struct ec_learned *shares,
                          const struct ec_fit_row *r, const double answer[EC_MEMBER_COUNT]);
/* Fit how large the errors of held-out rows are, and note each row's spread from a model that had
 * not seen it; f->row[]->unseen must be settled. */
enum ec_status ec__fit_spread(struct ec_fit *f, const double *x, enum ec_basis basis,
                              struct ec_err *err) EC_MUST_CHECK;

/* How far errors reach within groups; f->row[]->unseen and spread must be settled. */
enum ec_status ec__fit_group_scales(struct ec_fit *f, enum ec_basis basis,
                                    struct ec_err *err) EC_MUST_CHECK;
/* What a row counts in the widths of a basis: nothing where its framework was left out with it. */
double ec__fit_width_weight(const struct ec_fit_row *r, enum ec_basis basis);

/* What boosting on raw features, fitted to train's rows, says of rows that it has not seen. */
enum ec_status ec__fit_baselines(const struct ec_fit *train, enum ec_basis basis,
                                 struct ec_fit_row *const *unseen, int n,
                                 struct ec_err *err) EC_MUST_CHECK;

/* --- Cross-validation --- */
struct ec_weighted {
    double v, weight;
};
/* The value that this share of the weight lies below, 0 of none; sorts. */
double ec__weighted_quantile(struct ec_weighted *v, int n, double q);
/* 5 and 95 % points by weight, on both sides of 0; sorts. */
struct ec_width ec__weighted_width(struct ec_weighted *v, int n);
/* Which of n parts a row is in. Architectures are dealt out by their number of rows, so that those
 * which much is known of are not left out together. */
int ec__fit_part(const struct ec_fit *f, const struct ec_fit_row *r, enum ec_basis basis, int n);
enum ec_status ec__fit_cross_validate(struct ec_fit *f, const double *x, enum ec_basis basis,
                                      struct ec_err *err) EC_MUST_CHECK;
enum ec_status ec__fit_write_folds(const struct ec_fit *f, struct ec_err *err) EC_MUST_CHECK;
/* The rows behind that table, each with its errors, to see what is wrong with which. */
enum ec_status ec__fit_write_rows(const struct ec_fit *f, struct ec_err *err) EC_MUST_CHECK;
enum ec_status ec__fit_write(struct ec_fit *f, const double *x, struct ec_err *err) EC_MUST_CHECK;

/* parallel_tables.c: tables of several devices, and what their networks are called and hold */
enum ec_status ec__parallel_sources(struct ec_csv *ret, struct ec_err *err) EC_MUST_CHECK;
enum ec_status ec__parallel_networks(struct ec_csv *ret, struct ec_err *err) EC_MUST_CHECK;

#endif
