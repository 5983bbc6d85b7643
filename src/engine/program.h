/* Inputs and outputs of a program, and access between gradients and update. For the trainer and for
 * tests; measuring code needs engine.h only. */
#ifndef EC_ENGINE_PROGRAM_H
#define EC_ENGINE_PROGRAM_H

#include "engine/engine.h"

/* Inputs by their order in the graph, plain: float32 (float64 on ref64 is converted from float32),
 * or the integer type of the graph. Copied. */
enum ec_status ec_program_set_input(struct ec_program *p, int input, const void *data,
                                    int64_t bytes, struct ec_err *err) EC_MUST_CHECK;
/* int64_t or float, see ec_loss_target. Copied. */
enum ec_status ec_program_set_target(struct ec_program *p, const void *data, int64_t bytes,
                                     struct ec_err *err) EC_MUST_CHECK;
enum ec_status ec_program_set_d_out(struct ec_program *p, int output, const float *data,
                                    int64_t bytes, struct ec_err *err) EC_MUST_CHECK;

/* Forward and loss only, with running statistics and without dropout (evaluation). */
enum ec_status ec_program_eval(struct ec_program *p, struct ec_step_result *ret,
                               struct ec_err *err) EC_MUST_CHECK;
/* What ec_program_step does at its end; for clipping, ranks and accumulation: there it also zeroes
 * the gradients. */
enum ec_status ec_program_update(struct ec_program *p, const struct ec_update *u,
                                 struct ec_err *err) EC_MUST_CHECK;
enum ec_status ec_program_grad_norm(struct ec_program *p, double *ret,
                                    struct ec_err *err) EC_MUST_CHECK;
/* Factor on the loss's gradient: 1 / steps that add up. */
void ec_program_set_loss_scale(struct ec_program *p, double scale);
/* Steps done so far: dropout is a function of it. For going on where an earlier run ended. */
void ec_program_set_step(struct ec_program *p, uint64_t step);

/* Called after the task that completes a block of gradients, last layers first: all gradients lie
 * in one float32 block of memory, `grad` points into it. For all-reduce behind backward. */
typedef enum ec_status (*ec_program_grads_ready)(void *user, float *grad, int64_t n,
                                                 struct ec_err *err);
void ec_program_on_grads(struct ec_program *p, ec_program_grads_ready fn, void *user);

/* Reading and writing by name of the graph's value, plain float32. what: 'v' value, 'g' gradient,
 * '0' '1' optimizer state. n in elements. Errors: NOT_FOUND, INPUT (size) */
enum ec_status ec_program_read(struct ec_program *p, const char *value, char what, float *ret,
                               int64_t n, struct ec_err *err) EC_MUST_CHECK;
enum ec_status ec_program_write(struct ec_program *p, const char *value, char what,
                                const float *data, int64_t n, struct ec_err *err) EC_MUST_CHECK;
/* A parameter of the program, and whether it has that part: for listing. */
bool ec_program_has(const struct ec_program *p, const char *value, char what);
enum ec_status ec_program_output(struct ec_program *p, int output, float *ret, int64_t n,
                                 struct ec_err *err) EC_MUST_CHECK;

#endif
