/* Configurations of a family of networks, each trained for some epochs: the table of a grid study,
 * a row per configuration. docs/cmd/measure.md
 *
 * The columns are those of `epochcast train --csv`, with one for each parameter that is varied. */
#ifndef EC_CONFIGS_H
#define EC_CONFIGS_H

#include "measure/measurer.h"

#define EC_CONFIG_PARAMS_MAX 8

struct ec_config {
    int64_t value[EC_CONFIG_PARAMS_MAX]; /* of the parameters, in the order of ec_configs.param */
    int64_t batch;
};

/* What is varied, and the lists of values. */
struct ec_config_axes {
    const char *family; /* of the zoo: "cifar_cnn" */
    int n_params;
    const char *param[EC_CONFIG_PARAMS_MAX];
    struct ec_ints value[EC_CONFIG_PARAMS_MAX];
    struct ec_ints batch;
};

struct ec_csv_log;
struct ec_configs {
    const struct ec_config_axes *axes; /* borrowed */
    struct ec_config *v;               /* the whole grid */
    int n;
    const char *data; /* ec_samples_open; NULL: synthetic */
    struct ec_train_opts train;
    struct ec_samples_opts samples;
    /* Time so many steps, after some that do not count, and scale them to the epoch: 0: whole
     * epochs */
    int64_t max_iters, warmup_iters;
    int threads;               /* of the backend: runs on another number of them are other rows */
    struct ec_csv_log *log;    /* of the configurations */
    struct ec_csv_log *curves; /* loss and accuracy of each epoch of the first round; NULL: not
                                * wanted */
    int n_known;
    char **known; /* what identifies the rows that are there already; ec_configs_clear */
    void (*failed)(void *user, const char *what, const char *why); /* NULL: silent */
    void *user;
    /* The data set is kept open while networks want the same of it. */
    struct ec_samples *open;
    struct ec_samples_opts open_opts;
};

/* Makes the grid and opens its tables, of which `curves` may be NULL; c->axes is set. What is in
 * the table already is not trained again.
 * Errors: INPUT: no network of this family takes the parameters; those of ec_csv_log_open */
enum ec_status ec_configs_open(struct ec_configs *c, const char *path, const char *curves,
                               struct ec_err *err) EC_MUST_CHECK;
void ec_configs_clear(struct ec_configs *c);

/* Trains one and writes its row. One that does not fit or does not converge has none: it is
 * added to c->failed.
 * m      backend, device, threads, stop, counters
 * round  from 0; known is what had more rows than that when the table was opened
 * Errors: those that end a campaign: NOT_FOUND and PARSE of data, IO, NOMEM */
enum ec_status ec_measure_config(struct ec_measurer *m, struct ec_configs *c,
                                 const struct ec_config *config, int round,
                                 struct ec_err *err) EC_MUST_CHECK;

/* "cifar_cnn:depth=2,base_filters=32" */
void ec_config_name(const struct ec_config_axes *axes, const struct ec_config *config,
                    struct ec_buf *out);

#endif
