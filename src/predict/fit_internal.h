/* Rows of a fit: kernels, where they ran, how long they took. */
#ifndef EC_FIT_INTERNAL_H
#define EC_FIT_INTERNAL_H

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
    unsigned class_mask; /* bit per ec_kclass that its step holds */
    double time_ns, weight;
    double unseen[2];  /* log(measured / predicted) by cross-validation: rows, devices */
    double copy_bytes; /* copied from the host within the step */
    const char *family;
    int source; /* index into fit->source */
    int id;
};

struct ec_fit_memory_row {
    struct ec_memory parts;
    double peak_bytes;
};

#define EC_FIT_SOURCES_MAX 32
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
    int n_products;
    int n_hosts;
    struct ec_step **steps;
    int n_steps, cap_steps;
    struct ec_predictor *predictor;
    struct {
        const char *name;
        int n_read, n_used;
    } source[EC_FIT_SOURCES_MAX];
    int n_sources;
    struct ec_memory_constants memory;
    struct ec_width width[EC_WIDTH_COUNT][2];
    double largest_batch;
};

/* Read the tables under opts->data_dir and turn a fair sample of their rows into kernels. */
enum ec_status ec__fit_collect(struct ec_fit *f, struct ec_err *err) EC_MUST_CHECK;
void ec__fit_clear(struct ec_fit *f);
void ec__fit_say(const struct ec_fit_opts *o, const char *fmt, ...) EC_PRINTF(2, 3);

#endif
