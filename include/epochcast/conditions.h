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

/* What is run in a step: X(NAME, word, other spellings that are read). An isolated step is that of
 * one operator alone, with its input and its target. */
#define EC_MODE_LIST(X)                                                                            \
    X(TRAINING_STEP, "training_step", "training train")                                            \
    X(FORWARD_BACKWARD, "forward_backward", NULL)                                                  \
    X(FORWARD, "forward", "inference eval")                                                        \
    X(ISOLATED_STEP, "isolated_step", NULL)

/* Optimizers: X(name, state tensors per parameter, bytes of an element of them where not those of
 * the precision, parameter-sized tensors read and written per update, FLOP per element,
 * parameter-sized tensors held only meanwhile by frameworks that update all parameters at once,
 * calls for each parameter tensor where the update is composed of others). Update traffic:
 * gradient, weight and each state are read, weight and each state written. adamw_8bit: blocks of
 * 256 with a float32 scale (Dettmers et al. 2022), paged or not; it takes no less time than adamw,
 * since it computes more for fewer bytes (torchtune's run is 5 % slower with it). adafactor: rows
 * and columns in place of states (Shazeer and Stern 2018). muon: its row is of hidden matrices
 * (src/cost/muon.c); adamw's is of all else. The engine trains with those of the first list. */
#define EC_ENGINE_OPTIMIZER_LIST(X)                                                                \
    X(none, 0, 0, 0, 0, 0, 0)                                                                      \
    X(sgd, 0, 0, 3, 2, 0, 1)                                                                       \
    X(momentum, 1, 0, 5, 4, 0, 1)                                                                  \
    X(rmsprop, 1, 0, 5, 7, 1, 4)                                                                   \
    X(adam, 2, 0, 7, 12, 1, 2)                                                                     \
    X(adamw, 2, 0, 7, 14, 1, 3)                                                                    \
    X(adagrad, 1, 0, 5, 6, 1, 1)                                                                   \
    X(adadelta, 2, 0, 7, 14, 2, 1)
#define EC_OPTIMIZER_LIST(X)                                                                       \
    EC_ENGINE_OPTIMIZER_LIST(X)                                                                    \
    X(adamw_8bit, 2, 1 + 4.0 / 256, 7, 20, 0, 1)                                                   \
    X(adafactor, 0, 0, 13, 14, 0, 12)                                                              \
    X(lion, 1, 0, 5, 8, 1, 2)                                                                      \
    X(lamb, 2, 0, 10, 20, 1, 6)                                                                    \
    X(muon, 1, 0, 13, 12, 0, 12)

/* Activations that are computed again in backward instead of kept: X(NAME, word). full: of the
 * whole network, segment by segment (activation checkpointing); selective: of these, all but the
 * results of attention and of every second other product. */
#define EC_RECOMPUTE_LIST(X) X(NONE, "none") X(FULL, "full") X(SELECTIVE, "selective")

/* Frameworks: X(id, key, name, optimizer kernels per parameter tensor, and whether it fuses: plain
 * attention into one kernel; casts and elementwise passes into their neighbours; the steps of small
 * recurrent layers; whether it keeps images channels-last and converts them for convolutions on the
 * lanes; whether it composes updates, and RMS norms, of other operators). struct ec_constants has
 * the fitted numbers of a framework, by index. */
/* clang-format off */
#define EC_FRAMEWORK_LIST(X)                                                                       \
    X(pytorch_2, "pytorch-2", "PyTorch 2.x, eager", 0.15, true, false, true, false, false, true)   \
    X(pytorch_1, "pytorch-1", "PyTorch 1.x, eager", 0.5, false, false, false, false, false, true)  \
    X(pytorch_0, "pytorch-0", "PyTorch 0.x, eager", 2, false, false, false, false, false, false)   \
    X(pytorch_ngc,      "pytorch-ngc",      "fused transformers of NVIDIA's containers",           \
                                                0.1, false, false, false, false, false, false)     \
    X(pytorch_compiled, "pytorch-compiled", "PyTorch 2.x, torch.compile",                          \
                                                0.1, true, true, true, false, false, false)        \
    X(tensorflow_1,     "tensorflow-1",     "TensorFlow 1.x, graph mode",                          \
                                                1, false, false, false, true, false, false)        \
    X(tensorflow_2,     "tensorflow-2",     "TensorFlow 2.x, Keras",                               \
                                                1, false, false, false, true, true, false)         \
    X(torch7, "torch7", "Torch 7", 0.5, false, false, false, false, false, false)                  \
    X(caffe, "caffe", "Caffe", 1, false, false, false, false, false, false)                        \
    X(vendor_bench,     "vendor-bench",     "a vendor library called from C",                      \
                                                1, false, false, false, false, false, false)       \
    X(epochcast,        "epochcast",        "the engine of epochcast",                             \
                                                0, false, false, false, false, false, false)       \
    X(mxnet,            "mxnet",            "Apache MXNet in NVIDIA's containers",                 \
                                                0.1, false, true, true, false, false, false)
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

/* What is trained: X(NAME, word). lora, qlora: adapters of a rank beside frozen linear layers;
 * qlora holds these in 4 bits. */
#define EC_TUNING_LIST(X) X(FULL, "full") X(LORA, "lora") X(QLORA, "qlora")
#define EC_TUNING_ENUM(name, word) EC_TUNING_##name,
enum ec_tuning { EC_TUNING_LIST(EC_TUNING_ENUM) EC_TUNING_COUNT };
#undef EC_TUNING_ENUM

/* Which linear layers have adapters: X(NAME, word). */
#define EC_TARGETS_LIST(X)                                                                         \
    X(ALL, "all")             /* but the last, which makes scores of words */                      \
    X(ATTENTION, "attention") /* those before and behind attention */
#define EC_TARGETS_ENUM(name, word) EC_TARGETS_##name,
enum ec_targets { EC_TARGETS_LIST(EC_TARGETS_ENUM) EC_TARGETS_COUNT };
#undef EC_TARGETS_ENUM

/* Software that shares a job out: X(NAME, word). What is known of each: stacks.inc. */
#define EC_STACK_LIST(X)                                                                           \
    X(AUTO, "auto")                                                                                \
    X(FSDP, "fsdp")           /* PyTorch's, as composer and torchtitan run it */                   \
    X(MEGATRON, "megatron")   /* Megatron-LM, NeMo */                                              \
    X(DEEPSPEED, "deepspeed") /* Megatron-DeepSpeed */                                             \
    X(TORCHTUNE, "torchtune") /* recipes of one machine */                                         \
    X(MAXTEXT, "maxtext")     /* JAX on TPUs */
#define EC_STACK_ENUM(name, word) EC_STACK_##name,
enum ec_stack { EC_STACK_LIST(EC_STACK_ENUM) EC_STACK_COUNT };
#undef EC_STACK_ENUM

/* Generation of attention's kernels: X(NAME, word). */
#define EC_ATTENTION_LIST(X)                                                                       \
    X(AUTO, "auto")                                                                                \
    X(FLASH1, "flash1") /* of 2022 and 2023 */                                                     \
    X(FLASH2, "flash2") /* PyTorch 2.2 and later; what the fit has */                              \
    X(FLASH3, "flash3") /* products beside scores; cuDNN's on Hopper and later are like it */
#define EC_ATTENTION_ENUM(name, word) EC_ATTENTION_##name,
enum ec_attention { EC_ATTENTION_LIST(EC_ATTENTION_ENUM) EC_ATTENTION_COUNT };
#undef EC_ATTENTION_ENUM

/* What linear layers multiply in: X(NAME, word, bits, bytes that casts move for an element of an
 * operand: one scale for a tensor, one for each 32 elements, two levels of scales). */
#define EC_PRODUCTS_LIST(X)                                                                        \
    X(AUTO, "auto", 0, 0) /* the precision */                                                      \
    X(FP8, "fp8", 8, 2.0)                                                                          \
    X(MXFP8, "mxfp8", 8, 4.0)                                                                      \
    X(NVFP4, "nvfp4", 4, 5.7)
#define EC_PRODUCTS_ENUM(name, word, bits, cast_bytes) EC_PRODUCTS_##name,
enum ec_products { EC_PRODUCTS_LIST(EC_PRODUCTS_ENUM) EC_PRODUCTS_COUNT };
#undef EC_PRODUCTS_ENUM

/* How a job is shared out among devices, and on which software. Data parallel is what remains:
 * devices / (tp pp cp). docs/large-models.md */
struct ec_parallelism {
    int64_t tensor, pipeline, context, expert; /* devices of each group; 0 and 1: none */
    int64_t virtual_stages; /* chunks of the network on each stage; 0 and 1: one */
    int64_t zero;         /* stage: 1 shares optimizer states, 2 gradients too, 3 parameters too */
    int64_t shard_group;  /* devices that share them; 0: all of the data-parallel group */
    int64_t micro_batch;  /* samples that a replica takes at once; 0: follows from the others */
    int64_t accumulation; /* micro-batches of a step; 0: follows from the others */
    bool sequence_parallel; /* with tensor */
    bool keep_gathered;     /* with zero 3: parameters stay gathered between forward and backward */
    bool offload;           /* optimizer states are on the host, which updates them */
    bool chunked_loss;      /* the output and its loss are computed piece by piece */
    bool serial_exchange;   /* devices wait for each exchange */
    bool reduce_each;       /* gradients are added up after each micro-batch, not after the last */
    double overlap_experts; /* share of the exchange between experts that hides */
    enum ec_tuning tuning;
    int64_t rank; /* of adapters */
    enum ec_targets targets;
    bool fp32_adapters; /* beside weights in bf16 or fp16 */
    enum ec_stack stack;
    enum ec_attention attention;
    enum ec_products products;
};

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
