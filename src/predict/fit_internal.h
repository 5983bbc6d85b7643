/* Rows of a fit: kernels, where they ran, how long they took. */
#ifndef EC_FIT_INTERNAL_H
#define EC_FIT_INTERNAL_H

#include "predict/features.h"
#include "predict/learned.h"
#include "predict/network_features.h"
#include "predict/predict_internal.h"

struct ec_fit_row {
    const struct ec_step *step; /* in fit->steps */
    int host;                   /* index of the pair of source and device */
    int device;                 /* index into fit->device */
    enum ec_precision precision;
    enum ec_memory_format format;
    enum ec_framework framework;
    enum ec_width_kind width;
    bool isolated;
    bool queued;      /* an operator's kernels alone */
    bool half_inputs; /* of an operator under autocast */
    bool physics;  /* among those the constants are fitted to; the others only teach corrections */
    bool unsteady; /* waited for a host that changed its speed: what is left over is not its own */
    bool few;      /* among those that teach the corrections of devices known by specification */
    const struct ec_op *op; /* NULL for networks */
    enum ec_mode mode;
    enum ec_optimizer optimizer;
    unsigned class_mask; /* bit per ec_kclass that its step holds */
    double time_ns, weight;
    double
        source_weight;   /* so that no device of a table, however many rows it has, drowns others */
    double reach_weight; /* likewise, in how far errors reach on a device; of all rows */
    double answer[2][EC_MEMBER_COUNT]; /* learned, whole, by cross-validation: rows, devices */
    double unseen[2];                  /* log(measured / predicted), likewise */
    double spread[2];                  /* how much wider than usual its interval is, likewise */
    double raw[2];                     /* the same of boosting on raw features; NAN: none */
    double roofline_ns, flop_ns;       /* estimates without a fit, at paper peaks */
    double unseen_board;   /* log(measured / predicted) when only its own board was left out */
    double unseen_network; /* the same when its network was, and most of its family not */
    double unseen_size; /* log(measured / predicted) when the row's size of network is not known */
    struct ec_stretch stretch[3];  /* of its group's errors: by basis, sizes; of rows but itself */
    double device_reach;           /* beside that, of its device; of other families */
    double size_reach;             /* the same at sizes that were not known */
    bool known_size;               /* but the network is, under the row's conditions */
    uint64_t network;              /* signature; 0 for operators */
    bool only_network;             /* of its framework: without it nothing is known of that */
    int family_rank, network_rank; /* of networks: places by number of rows, the most first */
    double copy_bytes;             /* copied from the host within the step */
    const char *family, *what;
    int64_t batch, image;
    int source; /* index into fit->source */
    int id;
    int slopes_row; /* in fit->slopes */
};

struct ec_fit_memory_row {
    struct ec_memory parts;
    double peak_bytes;
    bool allocator; /* that the framework's allocator tells, else the device */
    double unseen;  /* log(measured / predicted) by constants that had none of its family */
    int source;
    const char *family;
};

#define EC_FIT_SOURCES_MAX 48
/* Parts of the cross-validation. */
#define EC_FIT_FOLDS_ROWS 4
#define EC_FIT_FOLDS_FAMILIES 24
#define EC_FIT_FOLDS_NETWORKS 12
#define EC_FIT_FOLDS_DEVICES 10
#define EC_FIT_FOLDS_BOARDS 10
#define EC_FIT_FOLDS_SIZES 6
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
    int *product_of; /* per device: index into product */
    const char **product;
    int *product_rank;       /* place of a product by its number of rows, the most first */
    double *device_reach;    /* per device: of networks, measured */
    double (*size_reach)[2]; /* the same at sizes that were not known: forward, training */
    int *board_part;         /* per device: which of EC_FIT_FOLDS_BOARDS it is in */
    int n_products;
    int n_hosts;
    struct ec_step **steps;
    int n_steps, cap_steps;
    struct ec_predictor *predictor;
    struct ec_lm_slopes *slopes; /* of all rows, where the constants ended; NULL: not there yet */
    struct {
        const char *table, *name, *licence, *url;
        int n_read, n_used;
        bool unsteady;
    } source[EC_FIT_SOURCES_MAX];
    int n_sources;
    struct ec_memory_constants memory;
    struct ec_width allocator; /* of what its peak is predicted to be */
    struct ec_learned *learned;
    struct ec_domain domain;                         /* ranges of the rows */
    bool trees_only;                                 /* teach no dense networks */
    bool own_models[EC_WIDTH_COUNT][EC_SCOPE_COUNT]; /* by scope: rows are many enough */
    struct ec_width width[EC_WIDTH_COUNT][2];
    struct ec_stretch stretch[EC_WIDTH_COUNT][2][EC_WIDTH_GROUPS];
    double largest_batch;
};

/* Read the tables under opts->data_dir and turn a fair sample of their rows into kernels. */
enum ec_status ec__fit_collect(struct ec_fit *f, struct ec_err *err) EC_MUST_CHECK;
void ec__fit_clear(struct ec_fit *f);
/* The question of a row. */
struct ec_posed ec__fit_posed(const struct ec_fit *f, const struct ec_fit_row *r);
void ec__fit_say(const struct ec_fit_opts *o, const char *fmt, ...) EC_PRINTF(2, 3);

/* --- The vector of parameters: logarithms of value over initial value --- */
int ec__fit_params(const struct ec_fit *f);
void ec__fit_constants(const double *x, struct ec_constants *c);
/* The other way, for the part of the constants. */
void ec__fit_params_of(const struct ec_constants *c, double *ret_x);
/* Offsets of a device and of the row's host. */
void ec__fit_offsets(const struct ec_fit *f, const double *x, int device, double *ret);
const double *ec__fit_product_offset(const struct ec_fit *f, const double *x, int product);
double ec__fit_host_offset(const struct ec_fit *f, const double *x, int host);
/* Rates of a row's question at x: with what is known of its device and host, or by specification
 * only. False where the catalogue lacks a number. */
bool ec__fit_rates(const struct ec_fit *f, const double *x, const struct ec_fit_row *r,
                   enum ec_basis basis, struct ec_constants *ret_constants, struct ec_rates *ret);
/* log(physics / measured) of f->row[row]. */
double ec__fit_log_error(const void *ctx, const double *x, int row);
/* Fit the constants to the rows marked `physics`, starting from x. */
enum ec_status ec__fit_run(const struct ec_fit *f, int iterations, double *x,
                           struct ec_err *err) EC_MUST_CHECK;
/* Keep the derivatives at x: fits from there to parts of the rows cost little from now on. */
enum ec_status ec__fit_keep_slopes(struct ec_fit *f, const double *x,
                                   struct ec_err *err) EC_MUST_CHECK;
/* What is known of the row's device and host, forgotten; of its product, too. */
void ec__fit_forget(const struct ec_fit *f, double *x, const struct ec_fit_row *r);
/* And what is known of the product, left to the other boards of it. */
void ec__fit_forget_board(const struct ec_fit *f, double *x, const struct ec_fit_row *r);

enum ec_status ec__fit_memory(struct ec_fit *f, struct ec_err *err) EC_MUST_CHECK;

/* --- The learned corrections --- */
/* Teach the corrections of a basis to rows; models of ret that are there already stay. */
enum ec_status ec__fit_learn(const struct ec_fit *f, const double *x, enum ec_basis basis,
                             struct ec_fit_row *const *rows, int n, struct ec_learned *ret,
                             struct ec_err *err) EC_MUST_CHECK;
/* A row's operator as features are computed from it; borrows the row's kernels. */
struct ec_operator ec__fit_operator(const struct ec_fit *f, const struct ec_fit_row *r);
/* job(ctx, i) for each i below n, shared out over threads, whole. */
void ec__fit_each(int n_threads, int n, void (*job)(void *ctx, int i), void *ctx);
/* A row of what a correction is taught. */
struct ec_effect_row {
    uint64_t group;      /* rows of one kind of operator in one table, whatever the device */
    int device, at;      /* at: the caller's */
    double kernel_share; /* of the law's time that the kernel takes, the rest lies beside it */
    double value;
};
/* Take out of the values what is true of single devices: in each group a device's effect on what
 * lies beside its kernels, and on the kernels where asked, gives way to the mean over the group's
 * devices. Sorts. */
enum ec_status ec__fit_without_devices(struct ec_effect_row *v, int n, bool kernels,
                                       struct ec_err *err) EC_MUST_CHECK;
/* Features of any row: of an operator or of a network. */
enum { EC_FIT_COLUMNS = (int)EC_FEATURE_COUNT > (int)EC_NF_COUNT ? EC_FEATURE_COUNT : EC_NF_COUNT };
/* False: the row cannot be timed. */
bool ec__fit_features(const struct ec_fit *f, const double *x, enum ec_basis basis,
                      const struct ec_fit_row *r, double ret[EC_FIT_COLUMNS]);
/* Which models correct a row: those of its framework, or 0. */
int ec__fit_scope(const struct ec_fit *f, enum ec_basis basis, const struct ec_fit_row *r);
/* What the members of l say of a row, before shares; 0 where there is none. */
void ec__fit_answers(const struct ec_fit *f, const double *x, const struct ec_learned *l,
                     enum ec_basis basis, const struct ec_fit_row *r, double ret[EC_MEMBER_COUNT]);
/* The correction that such answers make, by the shares of `shares`. */
double ec__fit_correction(const struct ec_fit *f, const struct ec_learned *shares,
                          enum ec_basis basis, const struct ec_fit_row *r,
                          const double answer[EC_MEMBER_COUNT]);
/* Teach how large the errors of held-out rows are, and note each row's spread from a model that had
 * not seen it; f->row[]->unseen must be settled. */
enum ec_status ec__fit_spread(struct ec_fit *f, const double *x, enum ec_basis basis,
                              struct ec_err *err) EC_MUST_CHECK;

/* The reach of errors within groups; f->row[]->unseen and spread must be settled.
 * sizes  of networks at sizes that were not known */
enum ec_status ec__fit_stretch(struct ec_fit *f, enum ec_basis basis, bool sizes,
                               struct ec_err *err) EC_MUST_CHECK;

/* What is known of single networks, and how far that carries to other sizes of them. */
enum ec_status ec__fit_effects(struct ec_fit *f, const double *x, struct ec_err *err) EC_MUST_CHECK;

/* What boosting on raw features, taught by train's rows, says of rows that it has not seen. */
enum ec_status ec__fit_peers(const struct ec_fit *train, enum ec_basis basis,
                             struct ec_fit_row *const *unseen, int n,
                             struct ec_err *err) EC_MUST_CHECK;

/* --- Cross-validation --- */
struct ec_weighted {
    double v, weight;
};
/* The value that this share of the weight lies below, 0 of none; sorts. */
double ec__weighted_quantile(struct ec_weighted *v, int n, double q);
/* 5, 50 and 95 % points by weight; sorts. */
struct ec_width ec__weighted_width(struct ec_weighted *v, int n);
/* Which of n parts a row is in. Products and families are dealt out by their number of rows, so
 * that those which much is known of are not left out together. */
int ec__fit_part(const struct ec_fit *f, const struct ec_fit_row *r, enum ec_basis basis, int n);
/* What an operator's row is predicted for when its board is left out and others of its product are
 * not. The shares of corrections must be settled. */
enum ec_status ec__fit_leave_boards(struct ec_fit *f, const double *x,
                                    struct ec_err *err) EC_MUST_CHECK;
enum ec_status ec__fit_cross_validate(struct ec_fit *f, const double *x, enum ec_basis basis,
                                      struct ec_err *err) EC_MUST_CHECK;
/* Likewise of networks, when others of their families are not left out. */
enum ec_status ec__fit_leave_networks(struct ec_fit *f, const double *x,
                                      struct ec_err *err) EC_MUST_CHECK;
enum ec_status ec__fit_write_folds(const struct ec_fit *f, struct ec_err *err) EC_MUST_CHECK;
/* The rows behind that table, each with its errors, to see what is wrong with which. */
enum ec_status ec__fit_write_rows(const struct ec_fit *f, struct ec_err *err) EC_MUST_CHECK;
enum ec_status ec__fit_write(struct ec_fit *f, const double *x, struct ec_err *err) EC_MUST_CHECK;

#endif
