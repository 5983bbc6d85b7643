/* Conditions as words, in tables of fields, compared. */
#ifndef EC_RECORD_H
#define EC_RECORD_H

#include "base/base.h"
#include "epochcast/conditions.h"

/* The words of each condition, in the order of its enumeration; NULL-terminated. */
extern const char *const ec_precision_names[];
extern const char *const ec_memory_format_names[];
extern const char *const ec_mode_names[];
extern const char *const ec_optimizer_names[];
extern const char *const ec_framework_keys[];
const char *ec_mode_name(enum ec_mode m);           /* "?" for what is none */
const char *ec_framework_name(enum ec_framework f); /* "PyTorch 2.x, eager" */

/* The row of each condition in a table of fields; at: where the struct of the table holds it. */
#define EC_FIELD_PRECISION(at)                                                                     \
    {                                                                                              \
        .name = "precision", .type = EC_F_ENUM, .offset = (at), .deflt = "fp32",                   \
        .choices = ec_precision_names, .short_flag = 'p',                                          \
        .help =                                                                                    \
            "arithmetic; fp32 is without TF32, tf32 has it in products and convolutions, amp is "  \
            "autocast"                                                                             \
    }
#define EC_FIELD_LAYOUT(at)                                                                        \
    {                                                                                              \
        .name = "layout", .type = EC_F_ENUM, .offset = (at), .deflt = "channels-first",            \
        .choices = ec_memory_format_names, .help = "memory order of images"                        \
    }
#define EC_FIELD_OPTIMIZER(at)                                                                     \
    {                                                                                              \
        .name = "optimizer", .type = EC_F_ENUM, .offset = (at), .deflt = "sgd",                    \
        .choices = ec_optimizer_names, .short_flag = 'o',                                          \
        .help = "parameter update at the end of a step"                                            \
    }
#define EC_FIELD_FRAMEWORK(at)                                                                     \
    {                                                                                              \
        .name = "framework", .type = EC_F_ENUM, .offset = (at), .deflt = "pytorch-2",              \
        .choices = ec_framework_keys, .help = "who runs it: decides dispatch cost and fusion"      \
    }
#define EC_FIELD_MODE(at)                                                                          \
    {                                                                                              \
        .name = "mode", .type = EC_F_ENUM, .offset = (at), .deflt = "training_step",               \
        .choices = ec_mode_names,                                                                  \
        .help = "what a step holds; isolated_step trains one operator, its input and its target"   \
    }
#define EC_FIELD_INPUT_COPY(at)                                                                    \
    {                                                                                              \
        .name = "input_copy", .type = EC_F_BOOL, .offset = (at), .deflt = "0",                     \
        .help = "each step first copies its input from the host, without overlap"                  \
    }
#define EC_FIELD_QUEUED(at)                                                                        \
    {                                                                                              \
        .name = "queued", .type = EC_F_BOOL, .offset = (at), .deflt = "0",                         \
        .help = "with --op: its kernels alone, others waiting behind them as inside a network; "   \
                "without, what a benchmark of one call measures"                                   \
    }
#define EC_FIELD_HALF_INPUTS(at)                                                                   \
    {                                                                                              \
        .name = "half_inputs", .type = EC_F_BOOL, .offset = (at), .deflt = "0",                    \
        .help = "with --op and --precision amp: its inputs are half already, as inside a network"  \
    }
#define EC_FIELD_MASTER_WEIGHTS(at)                                                                \
    {                                                                                              \
        .name = "master_weights", .type = EC_F_BOOL, .offset = (at), .deflt = "0",                 \
        .help =                                                                                    \
            "with bf16 or fp16: float32 copies of the parameters and float32 states in memory, "   \
            "as mixed-precision trainers keep them"                                                \
    }

/* All of them, over struct ec_conditions; ended by EC_FIELD_END. */
extern const struct ec_field ec_condition_fields[];
/* fp32, channels-first, pytorch-2, a training step with sgd. */
struct ec_conditions ec_conditions_default(void);

bool ec_conditions_equal(const struct ec_conditions *a, const struct ec_conditions *b);
uint64_t ec_conditions_hash(const struct ec_conditions *c);
/* Errors: INPUT when no condition has the name, or the word is none of its words */
enum ec_status ec_conditions_set(struct ec_conditions *c, const char *name, const char *word,
                                 struct ec_err *err) EC_MUST_CHECK;
/* "precision=amp layout=channels-last ...": what differs from the defaults; "" when nothing does.
 * Reads again by ec_conditions_parse. */
void ec_conditions_print(const struct ec_conditions *c, struct ec_buf *out);
/* The defaults, changed by what the text says. Errors: INPUT names the word that is none */
enum ec_status ec_conditions_parse(const char *text, struct ec_conditions *ret,
                                   struct ec_err *err) EC_MUST_CHECK;

#endif
