/* Conditions: of a query, and of a measurement. Each word has one row here; command lines,
 * requests, tables and documents take their words from these rows. */
#ifndef EPOCHCAST_CONDITIONS_H
#define EPOCHCAST_CONDITIONS_H

#include <stdbool.h>
#include <stdint.h>

/* Arithmetic: X(NAME, word, other spellings that are read). fp32 is without TF32; tf32 has it in
 * products and convolutions; amp is autocast to float16; bf16 and fp16 hold everything in two
 * bytes. */
#define EC_PRECISION_LIST(X)                                                                       \
    X(FP32, "fp32", "f32 float32 single")                                                          \
    X(TF32, "tf32", NULL)                                                                          \
    X(AMP, "amp", "mixed autocast amp-bf16") /* autocast to bfloat16 counts as amp */              \
    X(BF16, "bf16", "bfloat16")                                                                    \
    X(FP16, "fp16", "float16 half")

/* Order of the elements of images in memory: X(NAME, word, other spellings that are read). */
#define EC_MEMORY_FORMAT_LIST(X)                                                                   \
    X(CHANNELS_FIRST, "channels-first", "nchw") X(CHANNELS_LAST, "channels-last", "nhwc")

/* What is run in a step: X(NAME, word). */
#define EC_MODE_LIST(X)                                                                            \
    X(TRAINING_STEP, "training_step")                                                              \
    X(FORWARD_BACKWARD, "forward_backward")                                                        \
    X(FORWARD, "forward")                                                                          \
    X(ISOLATED_STEP, "isolated_step") /* one operator alone, with its input and its target */

/* Optimizers: X(name, state tensors per parameter, parameter-sized tensors read and written per
 * update, FLOP per element, parameter-sized tensors held only meanwhile by frameworks that update
 * all parameters at once). Update traffic: gradient, weight and each state are read, weight and
 * each state written. */
#define EC_OPTIMIZER_LIST(X)                                                                       \
    X(none, 0, 0, 0, 0)                                                                            \
    X(sgd, 0, 3, 2, 0)                                                                             \
    X(momentum, 1, 5, 4, 0)                                                                        \
    X(rmsprop, 1, 5, 7, 1)                                                                         \
    X(adam, 2, 7, 12, 1)                                                                           \
    X(adamw, 2, 7, 14, 1)                                                                          \
    X(adagrad, 1, 5, 6, 1)                                                                         \
    X(adadelta, 2, 7, 14, 2)

/* Activations that are computed again in backward instead of kept: X(NAME, word). full: of the
 * whole network, segment by segment (activation checkpointing). */
#define EC_RECOMPUTE_LIST(X) X(NONE, "none") X(FULL, "full")

/* Frameworks: X(id, key, name, optimizer kernels per parameter tensor, and whether it fuses: plain
 * attention into one kernel; casts and elementwise passes into their neighbours; the steps of small
 * recurrent layers). struct ec_constants has the fitted numbers of a framework, by index. */
/* clang-format off */
#define EC_FRAMEWORK_LIST(X)                                                                       \
    X(pytorch_2,        "pytorch-2",        "PyTorch 2.x, eager",     0.15, true,  false, true)    \
    X(pytorch_1,        "pytorch-1",        "PyTorch 1.x, eager",     0.5,  false, false, false)   \
    X(pytorch_0,        "pytorch-0",        "PyTorch 0.x, eager",     2,    false, false, false)   \
    X(pytorch_ngc,      "pytorch-ngc",      "PyTorch in NVIDIA's containers, real data",           \
                                                                      0.1,  false, false, false)   \
    X(pytorch_compiled, "pytorch-compiled", "PyTorch 2.x, torch.compile",                          \
                                                                      0.1,  true,  true,  true)    \
    X(tensorflow_1,     "tensorflow-1",     "TensorFlow 1.x, graph mode",                          \
                                                                      1,    false, false, false)   \
    X(tensorflow_2,     "tensorflow-2",     "TensorFlow 2.x, Keras",  1,    false, false, false)   \
    X(torch7,           "torch7",           "Torch 7",                0.5,  false, false, false)   \
    X(caffe,            "caffe",            "Caffe",                  1,    false, false, false)   \
    X(vendor_bench,     "vendor-bench",     "a vendor library called from C",                      \
                                                                      1,    false, false, false)   \
    X(epochcast,        "epochcast",        "the engine of epochcast",                             \
                                                                      0,    false, false, false)   \
    X(mxnet,            "mxnet",            "Apache MXNet in NVIDIA's containers",                 \
                                                                      0.1,  false, true,  true)
/* clang-format on */

#define EC_CONDITION_ENUM(name, ...) EC_##name,
enum ec_precision { EC_PRECISION_LIST(EC_CONDITION_ENUM) EC_PRECISION_COUNT };
enum ec_memory_format { EC_MEMORY_FORMAT_LIST(EC_CONDITION_ENUM) EC_MEMORY_FORMAT_COUNT };
#undef EC_CONDITION_ENUM
#define EC_MODE_ENUM(name, ...) EC_MODE_##name,
enum ec_mode { EC_MODE_LIST(EC_MODE_ENUM) EC_MODE_COUNT };
#undef EC_MODE_ENUM
#define EC_OPTIMIZER_ENUM(name, ...) EC_OPT_##name,
enum ec_optimizer { EC_OPTIMIZER_LIST(EC_OPTIMIZER_ENUM) EC_OPT_COUNT };
#undef EC_OPTIMIZER_ENUM
#define EC_RECOMPUTE_ENUM(name, ...) EC_RECOMPUTE_##name,
enum ec_recompute { EC_RECOMPUTE_LIST(EC_RECOMPUTE_ENUM) EC_RECOMPUTE_COUNT };
#undef EC_RECOMPUTE_ENUM
#define EC_FRAMEWORK_ENUM(id, ...) EC_FW_##id,
enum ec_framework { EC_FRAMEWORK_LIST(EC_FRAMEWORK_ENUM) EC_FRAMEWORK_COUNT };
#undef EC_FRAMEWORK_ENUM

/* All zero: fp32, channels-first, a training step without an optimizer of the first framework. */
struct ec_conditions {
    enum ec_precision precision;
    enum ec_memory_format layout;
    enum ec_framework framework;
    enum ec_mode mode;
    enum ec_optimizer optimizer;
    enum ec_recompute recompute;
    bool queued;         /* operator: its kernels alone, issued behind others in a full queue */
    bool half_inputs;    /* operator under autocast: its inputs are halves already */
    bool input_copy;     /* each step first copies its input from the host, not overlapped */
    bool master_weights; /* float32 parameters and states beside bf16 or fp16 parameters */
};

#endif
