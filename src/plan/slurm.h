/* Job scripts of Slurm: what a script asks for, what a prediction needs, and how they compare. */
#ifndef EC_PLAN_SLURM_H
#define EC_PLAN_SLURM_H

#include "hw/hw.h"
#include "predict/predict.h"

/* What a script asks for; 0: nothing said. */
struct ec_slurm_script {
    double limit_ns; /* INFINITY: no limit */
    int64_t nodes, gpus_per_node, gpus, gpus_per_task, tasks, tasks_per_node;
    double mem_bytes, mem_per_gpu_bytes; /* of a node */
    char gpu_type[40];                   /* "h100" */
};
/* Reads the lines #SBATCH of a script, up to its first command. Errors: PARSE for a value that is
 * no such, with its line */
enum ec_status ec_slurm_parse(struct ec_span text, struct ec_slurm_script *ret,
                              struct ec_err *err) EC_MUST_CHECK;
double ec_slurm_gpus(const struct ec_slurm_script *s); /* of all nodes; 0: not said */

/* What a job needs. */
struct ec_slurm_need {
    const char *name; /* of the job */
    const struct ec_device *device;
    struct ec_interval job_ns;
    double limit_ns; /* in which it ends with a probability of 99 %, in whole minutes */
    int64_t nodes, gpus_per_node, gpus;
    double mem_bytes;        /* of a node's host memory */
    double fits_probability; /* -1: not known */
    bool restarts;           /* to be expected */
    bool is_guess;           /* the median says little */
};
/* Errors: INPUT where the prediction is of no job */
enum ec_status ec_slurm_need(const char *model, const struct ec_device *d,
                             const struct ec_predict_opts *o, const struct ec_prediction *r,
                             struct ec_slurm_need *ret, struct ec_err *err) EC_MUST_CHECK;
/* Its lines of a script. */
void ec_slurm_print(const struct ec_slurm_need *n, struct ec_buf *out);
/* Compares, a line for each finding. Returns how many of them are faults. */
int ec_slurm_check(const struct ec_slurm_script *s, const struct ec_slurm_need *n,
                   struct ec_buf *out);

#endif
