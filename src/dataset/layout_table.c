/* Formats of public measurement tables, one row each, and the words they use. A template is text
 * with {column} replaced by the cell; {column:map} goes through a word map first, {one+other:map}
 * takes two cells with a plus between them. */
#include "dataset/layout_internal.h"

#include <string.h>

/* {column:map}: words of the sources to words of ours. An empty target excludes the row. */
struct word_map {
    const char *map, *from, *to;
};

/* clang-format off */
/* Files of our own campaigns: docs/measurement-format.md. */
#define CAMPAIGN                                                                                   \
    .columns = "run key kind what phase method outcome n_warm_up samples_ns device_samples_ns "    \
               "held_out",                                                                         \
    .what = "{what}", .family = "{family}", .device = "{device}", .device_name = "{device_name}",  \
    .precision = "{precision:autocast}", .memory_format = "{layout}", .optimizer = "{optimizer}",  \
    .framework = "{framework}", .framework_version = "{engine_version}",                           \
    .libraries = "cuda=cuda cudnn=cudnn driver=driver onednn=onednn blas=blas",                    \
    .outcome = "{outcome}",                                                                        \
    .batch = "{batch}", .image_px = "{image_px}", .seq_len = "{seq_len}",                          \
    .num_devices = "{num_devices}", .flags = "@flags", .samples = "samples_ns",                    \
    .device_samples = "device_samples_ns", .method = "{method}", .run = "{run}",                   \
    .threads = "{threads}", .n_warm_up = "{n_warm_up}", .held_out = "{held_out}",                  \
    .memory = "memory_peak_bytes", .memory_unit_bytes = 1, .memory_kind = "allocator",             \
    .memory_reserved = "{memory_reserved_bytes}", .machine = "machine"
/* What stands for the plain work of an operator, and for a whole network. */
#define CAMPAIGN_CASE "kind=operator outcome=ok flags= method!=justus method!=isolated "
#define CAMPAIGN_NETWORK "kind=network outcome=ok flags= "
/* clang-format on */

/* clang-format off */
/* Kernels one by one, each with the caches emptied before it, while the host ran ahead. */
#define LIGER                                                                                      \
    .columns = "op provider mode metric x_name x_value config median p20 p80",                     \
    .licence = "BSD-2-Clause", .url = "https://github.com/linkedin/Liger-Kernel",                  \
    .framework = "pytorch-2", .libraries = "liger=liger_version"
#define LIGER_TIME                                                                                 \
    .time_stat = "median", .times = { { .column = "median", .phase = EC_L_WHOLE } }
/* Of operators that PyTorch has a kernel for, forward and backward. All of backward of those that
 * have no products is the gradient of the data. */
#define LIGER_CASE(rows_)                                                                          \
    LIGER, LIGER_TIME, .source = "Liger Kernel benchmarks, operators of PyTorch",                  \
    .rows = "metric=time_ms provider=torch|huggingface " rows_, .keep = "mode!=no-grad-forward",   \
    .family = "{op}", .phase = "{mode:pass}", .mode = "{mode:pass_mode}", .queued = "median"
#define LIGER_LAYER(rows_)                                                                         \
    LIGER, LIGER_TIME, .source = "Liger Kernel benchmarks, kernels of transformers",               \
    .stored_only = true, .kind = "layer", .rows = "metric=time_ms " rows_,                         \
    .what = "{op} {provider} {x_name}={x_value} {config}", .family = "{op}",                       \
    .precision = "{config.dtype:torch_type}", .mode = "{mode:stored_pass}"
#define AXOLOTL                                                                                    \
    .source = "axolotl, memory beside configurations", .stored_only = true, .is_network = true,    \
    .columns = "readme config base_model adapter sample_packing memory_gib_per_gpu unit",          \
    .licence = "Apache-2.0", .url = "https://github.com/axolotl-ai-cloud/axolotl",                 \
    .what = "{base_model}", .family = "{base_model}", .device = "", .precision = "",               \
    .framework = "pytorch-2", .mode = "training_step", .optimizer = "{optimizer}",                 \
    .batch = "{micro_batch_size}", .seq_len = "{sequence_len}", .num_devices = "{num_gpus}",       \
    .memory = "memory_gib_per_gpu"
/* Some rows have a step, others no more than tokens or operations per second. */
#define STEP_TIME_S                                                                                \
    .times = { { .column = "step_time_s", .phase = EC_L_WHOLE, .unit_ns = 1e9 } }
#define TPU_TRAINING                                                                               \
    .source = "MaxText and TPU recipes, language models", .stored_only = true,                     \
    .columns = "source_repo model num_chips num_slices per_device_batch remat step_time_s "        \
               "tflops_per_chip mfu_pct kind",                                                     \
    .is_network = true, .licence = "Apache-2.0",                                                   \
    .url = "https://github.com/AI-Hypercomputer/maxtext", .what = "{model}",                       \
    .family = "{model}", .precision = "{precision:precision}", .framework = "jax",                 \
    .mode = "training_step", .optimizer = "", .batch = "{global_batch}", .seq_len = "{seq_len}",   \
    .num_devices = "{num_chips}"
#define SMALL_LLM                                                                                  \
    .source = "small tables of language model training", .stored_only = true,                      \
    .columns = "source model compiled activation_checkpointing tokens_per_s_per_gpu "              \
               "model_tflops_per_gpu step_time_s peak_mem_gb note",                                \
    .is_network = true, .what = "{model}", .family = "{model}",                                    \
    .precision = "{precision:precision}", .framework = "", .mode = "training_step",                \
    .optimizer = "", .batch = "{global_batch}", .seq_len = "{seq_len}",                            \
    .num_devices = "{num_gpus}"
#define SMALL_LLM_MEMORY                                                                           \
    .memory = "peak_mem_gb", .memory_unit_bytes = 1e9
/* Products by their share of the peak: the transposed operands say which of a layer's three. */
#define SIMUMAX                                                                                    \
    .source = "SimuMax, measured efficiency", .columns = "op peak_tflops fraction_of_peak spec",   \
    .licence = "Apache-2.0", .url = "https://github.com/MooreThreads/SimuMax",                     \
    .precision = "bf16", .framework = "pytorch-2"
#define SIMUMAX_TIME(phase_)                                                                       \
    .times = { { .column = "fraction_of_peak", .phase = phase_, .peak_tflops = "peak_tflops",      \
                 .multiply_adds = "spec.b spec.m spec.k spec.n", .flags = "from_rate" } }
/* clang-format on */

#define TIME(column_, phase_)                                                                      \
    {                                                                                              \
        .column = column_, .phase = phase_                                                         \
    }

/* clang-format off */
static const struct word_map maps[] = {
    { "mode", "forward", "forward" },
    { "mode", "forward_incl_h2d", "forward" },
    { "mode", "forward_backward", "forward_backward" },
    { "mode", "forward_backward_incl_h2d", "forward_backward" },
    { "mode", "training_step", "training_step" },
    { "mode", "inference", "forward" },
    { "prenet", "vgg16", "vgg16" }, { "prenet", "bert_base_like", "bert_base" },
    { "lone_mode", "forward", "forward" }, { "lone_mode", "training_step", "isolated_step" },
    { "precision", "fp32", "fp32" }, { "precision", "tf32", "tf32" }, { "precision", "amp", "amp" },
    { "precision", "fp16", "fp16" }, { "precision", "bf16", "bf16" },
    { "precision", "amp_fp16", "amp" }, { "precision", "amp_bf16", "amp" },
    { "precision", "fp16_master_weights", "amp" }, { "precision", "fp16_tensor_core", "fp16" },
    { "precision", "fp16_storage_fp32_math", "" }, { "precision", "fp64", "" },
    { "format", "channels_first", "channels-first" },
    { "format", "channels_last", "channels-last" },
    { "vector", "softmax", "softmax" }, { "vector", "ln", "layer_norm" },
    { "vector", "relu", "relu" }, { "vector", "tanh", "tanh" }, { "vector", "gelu", "gelu" },
    { "vector", "add", "add" }, { "vector", "mul", "mul" }, { "vector", "div", "div" },
    { "vector", "pow", "pow" }, { "vector", "addu", "scale_scalar" },
    { "vector", "mulu", "scale_scalar" }, { "vector", "divu", "scale_scalar" },
    { "vector", "powu", "pow_scalar" },
    { "second", "add", "y" }, { "second", "mul", "y" }, { "second", "div", "y" },
    { "second", "pow", "y" },
    { "cell", "lstm", "lstm" }, { "cell", "gru", "gru" }, { "cell", "vanilla", "rnn" },
    { "lambda", "resnet50", "resnet50" }, { "lambda", "bert_base_squad", "bert_base" },
    { "lambda", "bert_large_squad", "bert_large" },
    { "lambda_update", "resnet50", "momentum" }, { "lambda_update", "bert_base_squad", "adam" },
    { "lambda_update", "bert_large_squad", "adam" },
    { "torch1", "1.12", "pytorch-1" }, { "torch1", "1.13", "pytorch-1" },
    { "torch", "0.3.0", "pytorch-0" }, { "torch", "0.4.0", "pytorch-0" },
    { "timm", "0+1.13", "pytorch-1" }, { "timm", "0+2.1.0", "pytorch-2" },
    { "timm", "0+2.4.0", "pytorch-2" }, { "timm", "0+2.9.1", "pytorch-2" },
    { "timm", "1+2.1.0", "pytorch-compiled" }, { "timm", "1+2.2.1", "pytorch-compiled" },
    { "timm", "1+2.4.0", "pytorch-compiled" }, { "timm", "1+2.9.1", "pytorch-compiled" },
    /* the library merges their branches before it times them: fewer parameters in the table */
    { "timm_net", "repvgg_a0+2.9.1", "repvgg_a0:merged=1" },
    { "timm_net", "repvgg_a1+2.9.1", "repvgg_a1:merged=1" },
    { "timm_net", "repvgg_a2+2.9.1", "repvgg_a2:merged=1" },
    { "timm_net", "repvgg_b0+2.9.1", "repvgg_b0:merged=1" },
    { "timm_net", "repvgg_b1+2.9.1", "repvgg_b1:merged=1" },
    { "timm_net", "repvgg_b1g4+2.9.1", "repvgg_b1g4:merged=1" },
    { "timm_net", "repvgg_b2+2.9.1", "repvgg_b2:merged=1" },
    { "timm_net", "repvgg_b2g4+2.9.1", "repvgg_b2g4:merged=1" },
    { "timm_net", "repvgg_b3+2.9.1", "repvgg_b3:merged=1" },
    { "timm_net", "repvgg_b3g4+2.9.1", "repvgg_b3g4:merged=1" },
    { "kernels", "pytorch", "pytorch-0" }, { "kernels", "tensorflow", "tensorflow-1" },
    { "kernels", "caffe2", "caffe" },
    { "stored_mode", "forward", "forward" }, { "stored_mode", "inference", "forward" },
    { "stored_mode", "training", "forward_backward" },
    { "stored_mode", "forward_backward", "forward_backward" },
    { "stored_mode", "training_step", "training_step" },
    { "outcome", "ok", "ok" }, { "outcome", "out_of_memory", "out_of_memory" },
    { "outcome", "unsupported", "unsupported" }, { "outcome", "unstable", "unstable" },
    { "precision", "bfloat16", "bf16" }, { "precision", "bf16-true", "bf16" },
    { "torch_type", "torch.float32", "fp32" }, { "torch_type", "torch.bfloat16", "bf16" },
    { "pass", "fwd", "forward" }, { "pass", "bwd", "grad_data" },
    { "pass", "forward", "forward" }, { "pass", "backward", "grad_data" },
    { "pass_mode", "fwd", "forward" }, { "pass_mode", "bwd", "forward_backward" },
    { "pass_mode", "forward", "forward" }, { "pass_mode", "backward", "forward_backward" },
    { "pass_mode", "full", "forward_backward" },
    { "stored_pass", "fwd", "forward" }, { "stored_pass", "bwd", "backward" },
    { "stored_pass", "full", "forward_backward" },
    /* rows of the last layer of models, by their vocabulary */
    { "vocabulary", "llama_2_7b", "32000" }, { "vocabulary", "llama_3_8b", "128256" },
    { "vocabulary", "qwen2.5_7b", "152064" }, { "vocabulary", "qwen2.5_14b", "152064" },
    { "vocabulary", "qwen2.5_72b", "152064" }, { "vocabulary", "deepseek_v2_lite", "102400" },
    { "vocabulary", "deepseek_v3", "129280" },
    { "amp_or_not", "0", "fp32" }, { "amp_or_not", "1", "amp" },
    { "outcome", "oom", "out_of_memory" }, { "outcome", "error", "error" },
    /* Our own phases: what the predictor is asked, and what is recorded. */
    { "asked", "forward", "forward" }, { "asked", "grad_data", "forward_backward" },
    { "asked", "grad_weight", "forward_backward" },
    { "asked", "forward_backward", "forward_backward" }, { "asked", "step", "training_step" },
    { "asked", "update", "" }, { "asked", "loss", "" }, { "asked", "host_to_device", "" },
    /* Words of anybody, for tables of users: patterns, see ec__layout_map_is_strict. */
    { "any_precision", "fp32", "fp32" }, { "any_precision", "float32", "fp32" },
    { "any_precision", "torchfloat32", "fp32" }, { "any_precision", "single", "fp32" },
    { "any_precision", "32true", "fp32" }, { "any_precision", "32", "fp32" },
    { "any_precision", "", "fp32" }, { "any_precision", "tf32", "tf32" },
    { "any_precision", "amp*", "amp" }, { "any_precision", "mixed*", "amp" },
    { "any_precision", "*mixed", "amp" }, { "any_precision", "autocast", "amp" },
    { "any_precision", "bf16*", "bf16" }, { "any_precision", "bfloat16", "bf16" },
    { "any_precision", "torchbfloat16", "bf16" },
    { "any_precision", "fp16*", "fp16" }, { "any_precision", "float16", "fp16" },
    { "any_precision", "torchfloat16", "fp16" }, { "any_precision", "half", "fp16" },
    { "any_framework", "", "pytorch-2" },
    { "any_framework", "pytorchcompiled", "pytorch-compiled" },
    { "any_framework", "torchcompile*", "pytorch-compiled" },
    { "any_framework", "pytorchngc", "pytorch-ngc" },
    { "any_framework", "pytorch1*", "pytorch-1" }, { "any_framework", "torch1*", "pytorch-1" },
    { "any_framework", "pytorch0*", "pytorch-0" }, { "any_framework", "torch7", "torch7" },
    { "any_framework", "pytorch*", "pytorch-2" }, { "any_framework", "torch*", "pytorch-2" },
    { "any_framework", "tensorflow1*", "tensorflow-1" },
    { "any_framework", "tf1*", "tensorflow-1" },
    { "any_framework", "tensorflow*", "tensorflow-2" }, { "any_framework", "tf*", "tensorflow-2" },
    { "any_framework", "keras*", "tensorflow-2" }, { "any_framework", "caffe*", "caffe" },
    { "any_optimizer", "", "sgd" }, { "any_optimizer", "none", "none" },
    { "any_optimizer", "sgd", "sgd" }, { "any_optimizer", "momentum", "momentum" },
    { "any_optimizer", "*sgd*momentum", "momentum" }, { "any_optimizer", "rmsprop", "rmsprop" },
    { "any_optimizer", "adam", "adam" }, { "any_optimizer", "adamw", "adamw" },
    { "any_optimizer", "adagrad", "adagrad" }, { "any_optimizer", "adadelta", "adadelta" },
    { "any_mode", "", "training_step" }, { "any_mode", "train*", "training_step" },
    { "any_mode", "step", "training_step" }, { "any_mode", "forwardbackward", "forward_backward" },
    { "any_mode", "fwdbwd", "forward_backward" }, { "any_mode", "forward", "forward" },
    { "any_mode", "fwd", "forward" }, { "any_mode", "infer*", "forward" },
    { "any_mode", "eval*", "forward" },
    { "any_format", "", "channels-first" }, { "any_format", "channelsfirst", "channels-first" },
    { "any_format", "nchw", "channels-first" }, { "any_format", "contiguous", "channels-first" },
    { "any_format", "channelslast", "channels-last" }, { "any_format", "nhwc", "channels-last" },
    { "phase", "step", "training_step" },
    { "autocast", "fp32", "fp32" }, { "autocast", "tf32", "tf32" }, { "autocast", "amp", "amp" },
    { "autocast", "amp-bf16", "amp" }, { "autocast", "fp16", "fp16" },
    { "autocast", "bf16", "bf16" },
};

const struct ec_layout ec__layouts[] = {
    { .name = "neusight-bmm", .source = "NeuSight (ASPLOS 2025), batched products",
      .columns = "batch_count rows_m inner_k cols_n split",
      .rows = "batch_count!=1", .keep = "above_peak!=1",
      .what = "matmul b={batch_count} m={rows_m} k={inner_k} n={cols_n}", .family = "matmul",
      .precision = "fp32", .framework = "pytorch-2", .mode = "forward",
      .times = { TIME("time_ms", EC_L_FWD) },
      .licence = "MIT", .url = "https://github.com/sitar-lab/NeuSight",
      .framework_version = "{framework_version}", .flags = "above_peak", .time_stat = "mean" },
    { .name = "neusight-linear", .source = "NeuSight (ASPLOS 2025), linear layers",
      .columns = "batch_count rows_m inner_k cols_n split",
      .rows = "batch_count=1", .keep = "above_peak!=1",
      /* kernels for Maxwell, up to three times slower than the P4's own, which its others ran */
      .except = "device=p4 split=train",
      .what = "linear m={rows_m} k={inner_k} n={cols_n}", .family = "linear",
      .precision = "fp32", .framework = "pytorch-2", .mode = "forward",
      .times = { TIME("time_ms", EC_L_FWD) },
      .licence = "MIT", .url = "https://github.com/sitar-lab/NeuSight",
      .framework_version = "{framework_version}", .flags = "above_peak", .time_stat = "mean" },
    { .name = "neusight-conv", .source = "NeuSight (ASPLOS 2025), convolutions",
      .columns = "kernel_class channels_in channels_out kernel_size input_size padding stride",
      .keep = "",
      .what = "conv2d n={batch_size} c={channels_in} h={input_size} w={input_size} "
              "k={channels_out} r={kernel_size} stride={stride} pad={padding} bias=0",
      .family = "conv2d", .precision = "fp32", .framework = "pytorch-2", .mode = "forward",
      .times = { TIME("time_ms", EC_L_FWD) },
      .licence = "MIT", .url = "https://github.com/sitar-lab/NeuSight",
      .framework_version = "{framework_version}", .flags = "above_peak", .time_stat = "mean" },
    { .name = "neusight-vector", .source = "NeuSight (ASPLOS 2025), vector operators",
      .columns = "op rows_b cols_h split", .keep = "above_peak!=1",
      .what = "{op:vector} x={rows_b}x{cols_h} {op:second?y}", .family = "{op:vector}",
      .precision = "fp32", .framework = "pytorch-2", .mode = "forward",
      .times = { TIME("time_ms", EC_L_FWD) },
      .licence = "MIT", .url = "https://github.com/sitar-lab/NeuSight",
      .framework_version = "{framework_version}", .flags = "above_peak", .time_stat = "mean" },
    /* The same benchmark on TensorFlow 2; before the next, whose columns it has too. */
    { .name = "practicum-conv",
      .source = "ml-performance-prediction, TensorFlow 2, convolutions",
      .columns = "run devices_in_graph channels_in channels_out kernel_size input_size padding "
                 "use_bias activation optimizer timed",
      .keep = "timed=forward above_peak!=1",
      .what = "conv2d n={batch_size} c={channels_in} h={input_size} w={input_size} "
              "k={channels_out} r={kernel_size} stride={stride} pad={padding} bias={use_bias}",
      .family = "conv2d", .precision = "fp32", .framework = "tensorflow-2", .mode = "forward",
      .times = { TIME("time_ms", EC_L_FWD) },
      .licence = "Apache-2.0",
      .url = "https://github.com/profnote/ml-performance-prediction",
      .stored_mode = "{timed:stored_mode}", .stored_optimizer = "{optimizer}",
      .flags = "above_peak", .time_stat = "median", .min = "time_min_ms", .max = "time_max_ms",
      .std = "time_std_ms" },
    { .name = "justus-conv", .source = "Justus et al. 2018, convolutions",
      .columns = "channels_in channels_out kernel_size input_size padding use_bias activation "
                 "optimizer timed",
      .keep = "timed=forward above_peak!=1",
      .what = "conv2d n={batch_size} c={channels_in} h={input_size} w={input_size} "
              "k={channels_out} r={kernel_size} stride={stride} pad={padding} bias={use_bias}",
      .family = "conv2d", .precision = "fp32", .framework = "tensorflow-1", .mode = "forward",
      .times = { TIME("time_ms", EC_L_FWD) },
      .licence = "Apache-2.0",
      .url = "https://github.com/CDECatapult/ml-performance-prediction",
      .stored_mode = "{timed:stored_mode}", .stored_optimizer = "{optimizer}",
      .flags = "above_peak", .time_stat = "median", .min = "time_min_ms", .max = "time_max_ms",
      .std = "time_std_ms" },
    /* With the activation, and the training steps of lone layers. */
    { .name = "justus-conv-all", .by_name = true,
      .source = "Justus et al. 2018, convolutions and training steps",
      .columns = "channels_in channels_out kernel_size input_size padding use_bias activation "
                 "optimizer timed",
      .what = "conv2d n={batch_size} c={channels_in} h={input_size} w={input_size} "
              "k={channels_out} r={kernel_size} stride={stride} pad={padding} bias={use_bias}",
      .family = "conv2d", .precision = "fp32", .framework = "tensorflow-1",
      .mode = "{timed:lone_mode}",
      .optimizer = "{optimizer}", .activation = "{activation}",
      .times = { TIME("time_ms", EC_L_WHOLE) },
      .licence = "Apache-2.0", .url = "https://github.com/CDECatapult/ml-performance-prediction" },
    { .name = "justus-dense-all", .by_name = true,
      .source = "Justus et al. 2018, dense layers and training steps",
      .columns = "dim_in dim_out activation optimizer timed",
      .what = "linear m={batch_size} k={dim_in} n={dim_out}", .family = "linear",
      .precision = "fp32", .framework = "tensorflow-1",
      .mode = "{timed:lone_mode}", .optimizer = "{optimizer}", .activation = "{activation}",
      .times = { TIME("time_ms", EC_L_WHOLE) },
      .licence = "Apache-2.0", .url = "https://github.com/CDECatapult/ml-performance-prediction" },
    { .name = "justus-dense", .source = "Justus et al. 2018, dense layers",
      .columns = "dim_in dim_out activation optimizer timed", .keep = "timed=forward",
      .what = "linear m={batch_size} k={dim_in} n={dim_out}", .family = "linear",
      .precision = "fp32", .framework = "tensorflow-1", .mode = "forward",
      .times = { TIME("time_ms", EC_L_FWD) },
      .licence = "Apache-2.0",
      .url = "https://github.com/CDECatapult/ml-performance-prediction",
      .stored_mode = "{timed:stored_mode}", .stored_optimizer = "{optimizer}",
      .flags = "above_peak", .time_stat = "median", .min = "time_min_ms", .max = "time_max_ms",
      .std = "time_std_ms" },
    { .name = "deepbench-gemm", .source = "DeepBench, GEMM",
      .columns = "m n k a_transposed b_transposed time_ms", .keep = "above_peak!=1",
      .what = "matmul b=1 m={m} k={k} n={n}", .family = "matmul",
      .precision = "{precision:precision}", .framework = "vendor-bench", .mode = "forward",
      .times = { TIME("time_ms", EC_L_FWD) },
      .licence = "Apache-2.0", .url = "https://github.com/baidu-research/DeepBench",
      .libraries = "library=library", .flags = "above_peak" },
    { .name = "deepbench-conv", .source = "DeepBench, convolutions",
      .columns = "input_w input_h kernel_w kernel_h pad_w pad_h forward_ms backward_weight_ms",
      .keep = "",
      .what = "conv2d n={batch_size} c={channels_in} h={input_h} w={input_w} k={channels_out} "
              "r={kernel_h} s={kernel_w} stride={stride_h}x{stride_w} pad={pad_h}x{pad_w} bias=0",
      .family = "conv2d", .precision = "{precision:precision}", .framework = "vendor-bench",
      .mode = "forward",
      .times = { TIME("forward_ms", EC_L_FWD), TIME("backward_input_ms", EC_L_GRAD_DATA),
                 TIME("backward_weight_ms", EC_L_GRAD_WEIGHT) },
      .licence = "Apache-2.0", .url = "https://github.com/baidu-research/DeepBench",
      .libraries = "library=library", .flags = "above_peak" },
    { .name = "deepbench-rnn", .source = "DeepBench, recurrent layers",
      .columns = "cell hidden_size batch_size time_steps forward_ms", .keep = "",
      .what = "{cell:cell} n={batch_size} t={time_steps} c={hidden_size} hidden={hidden_size}",
      .family = "{cell:cell}", .precision = "{precision:precision}", .framework = "vendor-bench",
      .mode = "forward",
      .times = { TIME("forward_ms", EC_L_FWD), TIME("backward_input_ms", EC_L_GRAD_DATA),
                 TIME("backward_weight_ms", EC_L_GRAD_WEIGHT) },
      .licence = "Apache-2.0", .url = "https://github.com/baidu-research/DeepBench",
      .libraries = "library=library", .flags = "above_peak" },
    { .name = "neusight-network", .source = "NeuSight (ASPLOS 2025), whole networks",
      .columns = "parallelism compiled seq_len model mode forward_suspect", .is_network = true,
      .keep = "num_gpus=1 parallelism=none compiled=0 forward_suspect!=1",
      .what = "{model}", .family = "{model}", .precision = "{precision:precision}",
      .framework = "pytorch-2", .mode = "{timed:mode}", .optimizer = "none",
      .batch = "{batch_size}", .seq_len = "{seq_len}", .times = { TIME("time_ms", EC_L_WHOLE) },
      .licence = "MIT", .url = "https://github.com/sitar-lab/NeuSight",
      .num_devices = "{num_gpus}", .framework_version = "{framework_version}",
      .flags = "above_peak forward_suspect" },
    { .name = "timm-train", .source = "pytorch-image-models results, training",
      .columns = "family model memory_format forward_gmacs timed above_peak", .is_network = true,
      .keep = "above_peak!=1", .what = "{model}", .family = "{family}",
      .precision = "{precision:precision}", .memory_format = "{memory_format:format}",
      .framework = "pytorch-1", .mode = "{timed:mode}", .optimizer = "momentum",
      .batch = "{batch_size}", .image_px = "{img_size}", .times = { TIME("time_ms", EC_L_WHOLE) },
      .licence = "Apache-2.0", .url = "https://github.com/huggingface/pytorch-image-models",
      .framework_version = "{framework_version}", .libraries = "cuda=cuda_version",
      .flags = "above_peak" },
    { .name = "timm-infer", .source = "pytorch-image-models results, inference",
      .columns = "family model memory_format forward_gmacs timed compiled", .is_network = true,
      .keep = "", .what = "{model+framework_version:timm_net|model}", .family = "{family}",
      .precision = "{precision:precision}", .memory_format = "{memory_format:format}",
      .framework = "{compiled+framework_version:timm}", .mode = "{timed:mode}", .optimizer = "none",
      .batch = "{batch_size}", .image_px = "{img_size}", .times = { TIME("time_ms", EC_L_WHOLE) },
      .licence = "Apache-2.0", .url = "https://github.com/huggingface/pytorch-image-models",
      .framework_version = "{framework_version}", .libraries = "cuda=cuda_version",
      .flags = "above_peak" },
    { .name = "torchvision-benchmark", .source = "pytorch-gpu-benchmark, torchvision networks",
      .columns = "network mode batch_size_per_gpu img_size timed series", .is_network = true,
      .keep = "num_gpus=1", .what = "{network}", .family = "{network}",
      .precision = "{precision:precision}", .framework = "pytorch-1", .mode = "{timed:mode}",
      .optimizer = "none", .batch = "{batch_size_per_gpu}", .image_px = "{img_size}",
      .input_copy = "timed",
      .times = { TIME("time_ms", EC_L_WHOLE) },
      .licence = "MIT", .url = "https://github.com/ryujaehun/pytorch-gpu-benchmark",
      .num_devices = "{num_gpus}", .framework_version = "{framework_version}",
      .libraries = "cuda=cuda_version", .time_stat = "median", .mean = "time_mean_ms",
      .std = "time_std_ms", .n_samples = "iterations" },
    { .name = "lambda-training", .source = "Lambda deep learning benchmark",
      .columns = "network ngc_container smi_mem_mb quality_flag step_time_ms timed",
      .is_network = true, .keep = "num_gpus=1 status=ok quality_flag=", .what = "{network:lambda}",
      .family = "{network}", .precision = "{precision:precision}", .framework = "pytorch-ngc",
      .mode = "{timed:mode}", .optimizer = "{network:lambda_update}",
      .batch = "{batch_size_per_gpu}",
      .seq_len = "{seq_len}", .times = { TIME("step_time_ms", EC_L_WHOLE) },
      .url = "https://github.com/lambdal/deeplearning-benchmark",
      .num_devices = "{num_gpus}", .framework_version = "{framework_version}",
      .libraries = "ngc=ngc_container cuda=cuda_version driver=driver",
      .outcome = "{status:outcome}", .flags = "@quality_flag", .memory = "smi_mem_mb",
      .memory_kind = "process" },
    { .name = "lambda-several", .by_name = true,
      .source = "Lambda deep learning benchmark, several GPUs",
      .columns = "network ngc_container smi_mem_mb quality_flag step_time_ms timed",
      .is_network = true, .keep = "num_gpus!=1 status=ok quality_flag=",
      .what = "{network:lambda}", .family = "{network}", .precision = "{precision:precision}",
      .framework = "pytorch-ngc", .mode = "{timed:mode}", .optimizer = "momentum",
      .batch = "{batch_size_per_gpu}", .seq_len = "{seq_len}", .num_devices = "{num_gpus}",
      .times = { TIME("step_time_ms", EC_L_WHOLE) },
      .url = "https://github.com/lambdal/deeplearning-benchmark" },
    { .name = "u39kun", .source = "u39kun deep learning benchmark",
      .columns = "network timed precision framework framework_version cuda image_size time_ms",
      .is_network = true, .keep = "", .what = "{network}", .family = "{network}",
      .precision = "{precision:precision}", .framework = "{framework:kernels}",
      .mode = "{timed:mode}", .optimizer = "none", .batch = "{batch_size}",
      .image_px = "{image_size}", .times = { TIME("time_ms", EC_L_WHOLE) },
      .url = "https://github.com/u39kun/deep-learning-benchmark",
      .framework_version = "{framework_version}", .libraries = "cuda=cuda", .time_stat = "mean" },
    { .name = "cnn-benchmarks", .source = "cnn-benchmarks (Torch 7)",
      .columns = "network backend cudnn_version repeats time_ms", .is_network = true,
      .keep = "backend!=nn_cuda", .what = "{network}", .family = "{network}",
      .precision = "{precision:precision}", .framework = "torch7", .mode = "{timed:mode}",
      .optimizer = "none", .batch = "{batch_size}", .image_px = "{img_size}",
      .times = { TIME("time_ms", EC_L_WHOLE) },
      .licence = "MIT", .url = "https://github.com/jcjohnson/cnn-benchmarks",
      .libraries = "cudnn=cudnn_version cuda=cuda_version", .time_stat = "median",
      .mean = "time_mean_ms", .std = "time_std_ms", .n_samples = "repeats" },
    { .name = "gpumemnet-timm", .source = "GPUMemNet, vision models",
      .columns = "model family img_size_source peak_gpu_mem_mib usable", .is_network = true,
      .keep = "usable=1", .what = "{model}", .family = "{family}", .framework = "pytorch-1",
      .mode = "training_step", .optimizer = "sgd", .batch = "{batch_size}",
      .image_px = "{img_size}", .memory_read = "peak_gpu_mem_mib",
      .url = "https://github.com/itu-rad/GPUMemNet", .memory = "peak_gpu_mem_mib",
      .memory_kind = "process",
      .flags = "!usable below_live_tensors near_capacity drops_vs_smaller_batch" },
    { .name = "gpumemnet-network", .source = "GPUMemNet, well-known networks",
      .columns = "model image_size seq_len optimizer peak_gpu_mem_mib run_is", .is_network = true,
      .keep = "", .what = "{model}", .family = "{model}", .framework = "pytorch-1",
      .mode = "training_step", .optimizer = "adam", .batch = "{batch_size}",
      .image_px = "{image_size}", .seq_len = "{seq_len}", .memory_read = "peak_gpu_mem_mib",
      .url = "https://github.com/itu-rad/GPUMemNet", .memory = "peak_gpu_mem_mib",
      .memory_kind = "process" },
    /* Recorded, not judged: */
    { .name = "neusight-operator", .source = "NeuSight (ASPLOS 2025), operators inside networks",
      .columns = "model mode seq_len batch_size node kind target input_shapes output_shape",
      .stored_only = true, .kind = "layer", .zero_is_none = true, .licence = "MIT",
      .url = "https://github.com/sitar-lab/NeuSight",
      .what = "{kind} {target} in={input_shapes} out={output_shape}", .family = "{model}",
      .framework = "pytorch-2", .mode = "{mode:stored_mode}", .batch = "{batch_size}",
      .seq_len = "{seq_len}",
      .times = { { .column = "time_ms", .phase = EC_L_WHOLE },
                 { .column = "forward_ms", .phase = EC_L_WHOLE, .mode = "forward" },
                 { .column = "backward_ms", .phase = EC_L_WHOLE, .mode = "backward" } } },
    { .name = "neusight-configuration", .source = "NeuSight (ASPLOS 2025), hyper-parameters",
      .columns = "model architecture layers hidden heads ffn vocab max_positions",
      .stored_only = true, .kind = "configuration", .licence = "MIT",
      .url = "https://github.com/sitar-lab/NeuSight", .what = "{model}", .family = "{model}",
      .precision = "", .memory_format = "", .framework = "", .mode = "", .optimizer = "" },
    { .name = "practicum-conv-mirrored",
      .source = "ml-performance-prediction, TensorFlow 2, convolutions on two devices",
      .columns = "num_gpus variant run batch_size_per_gpu channels_in channels_out kernel_size",
      .stored_only = true, .licence = "Apache-2.0",
      .url = "https://github.com/profnote/ml-performance-prediction",
      .what = "conv2d n={batch_size_per_gpu} c={channels_in} h={input_size} w={input_size} "
              "k={channels_out} r={kernel_size} stride={stride} pad={padding} bias={use_bias}",
      .family = "conv2d", .framework = "tensorflow-2", .mode = "training_step",
      .optimizer = "{optimizer}", .num_devices = "{num_gpus}", .time_stat = "median",
      .min = "time_min_ms", .max = "time_max_ms", .std = "time_std_ms",
      .times = { { .column = "time_ms", .phase = EC_L_WHOLE, .flags = "host_overhead" } } },
    { .name = "practicum-dense-mirrored",
      .source = "ml-performance-prediction, TensorFlow 2, dense layers on two devices",
      .columns = "num_gpus batch_size_in_dataset dim_in dim_out activation optimizer",
      .stored_only = true, .licence = "Apache-2.0",
      .url = "https://github.com/profnote/ml-performance-prediction",
      .what = "linear m={batch_size_in_dataset} k={dim_in} n={dim_out}", .family = "linear",
      .framework = "tensorflow-2", .mode = "training_step", .optimizer = "{optimizer}",
      .num_devices = "{num_gpus}", .time_stat = "median", .min = "time_min_ms",
      .max = "time_max_ms", .std = "time_std_ms",
      .times = { { .column = "time_ms", .phase = EC_L_WHOLE, .flags = "host_overhead" } } },
    { .name = "practicum-network",
      .source = "ml-performance-prediction, TensorFlow 2, whole networks",
      .columns = "network dataset_size strategy global_batch_size epoch measure time_s "
                 "steps_per_epoch step_time_ms",
      /* The runs over a subset are called single, but take twice the batch in the time that the
       * other runs of one device take for once, and to 1 % that of the mirrored runs of two. */
      .keep = "measure=epoch|epoch_median_2_to_last|epoch_average epoch!=1 "
              "dataset!=patch_camelyon_subset",
      .is_network = true, .licence = "Apache-2.0",
      .url = "https://github.com/profnote/ml-performance-prediction", .what = "{network}",
      .family = "{network}", .framework = "tensorflow-2", .mode = "training_step",
      .optimizer = "{optimizer}", .batch = "{batch_size_per_gpu}", .num_devices = "{num_gpus}",
      .framework_version = "{framework_version}",
      .times = { { .column = "step_time_ms", .phase = EC_L_WHOLE } } },
    /* Whole runs, their first epoch with the building of graphs included. */
    { .name = "practicum-network-total", .by_name = true,
      .source = "ml-performance-prediction, TensorFlow 2, runs of ten epochs",
      .columns = "network dataset_size strategy global_batch_size epoch measure time_s "
                 "steps_per_epoch step_time_ms",
      .keep = "measure=total_10_epochs dataset!=patch_camelyon_subset",
      .is_network = true, .licence = "Apache-2.0",
      .url = "https://github.com/profnote/ml-performance-prediction", .what = "{network}",
      .family = "{network}", .framework = "tensorflow-2", .mode = "training_step",
      .optimizer = "{optimizer}", .batch = "{batch_size_per_gpu}", .num_devices = "{num_gpus}",
      .times = { TIME("step_time_ms", EC_L_WHOLE) } },
    { .name = "practicum-layer-range",
      .source = "ml-performance-prediction, TensorFlow 2, ranges of layers",
      .columns = "network first_layer last_layer measure time_s step_time_ms",
      .stored_only = true, .is_network = true, .kind = "layer", .licence = "Apache-2.0",
      .url = "https://github.com/profnote/ml-performance-prediction",
      .what = "{network}/{first_layer}..{last_layer}", .family = "{network}",
      .framework = "tensorflow-2", .mode = "training_step", .optimizer = "{optimizer}",
      .batch = "{batch_size}", .framework_version = "{framework_version}",
      .times = { { .column = "step_time_ms", .phase = EC_L_WHOLE } } },
    { .name = "practicum-layer",
      .source = "ml-performance-prediction, TensorFlow 2, layers of two networks",
      .columns = "network layer input_size channels_in channels_out kernel_size padding use_bias "
                 "activation optimizer timed framework_version",
      .stored_only = true, .kind = "layer", .licence = "Apache-2.0",
      .url = "https://github.com/profnote/ml-performance-prediction", .what = "{network}/{layer}",
      .family = "{network}", .framework = "tensorflow-2", .mode = "{timed:stored_mode}",
      .optimizer = "{optimizer}", .batch = "{batch_size}",
      .framework_version = "{framework_version}",
      .times = { { .column = "time_ms", .phase = EC_L_WHOLE } } },
    { .name = "mlperf-training", .source = "MLPerf Training results",
      .columns = "mlperf_round org system benchmark division num_nodes global_batch_size "
                 "throughput_median step_time_ms",
      .stored_only = true, .is_network = true, .licence = "Apache-2.0",
      .url = "https://github.com/mlcommons", .what = "{benchmark}", .family = "{benchmark}",
      .precision = "", .framework = "{framework}", .mode = "training_step", .optimizer = "",
      .batch = "{global_batch_size}", .num_devices = "{num_devices}",
      .device_name = "{accelerator_name}", .flags = "throughput_suspect", .time_stat = "median",
      .n_samples = "n_runs",
      .times = { { .column = "step_time_ms", .phase = EC_L_WHOLE },
                 { .column = "time_to_train_s_median", .phase = EC_L_WHOLE, .unit_ns = 1e9,
                   .mode = "time_to_train" } } },
    /* What one of several devices does; what it waits for the others is in its time. */
    { .name = "mlperf-resnet", .by_name = true, .source = "MLPerf Training results, ResNet-50",
      .columns = "mlperf_round org system benchmark division num_nodes global_batch_size "
                 "throughput_median step_time_ms",
      .is_network = true, .licence = "Apache-2.0", .url = "https://github.com/mlcommons",
      .keep = "benchmark=resnet num_nodes=1 division=closed throughput_suspect=0 "
              "device=v100-sxm2-16gb|v100-sxm2-32gb|v100-sxm3-32gb|v100s-pcie-32gb|"
              "a100-pcie-40gb|a100-pcie-80gb|a100-sxm4-40gb|a100-sxm4-80gb|a30|a10g|l40|l40s|"
              "rtx-a5000|h100-sxm5-80gb|h200-sxm-141gb system!=gpu-v100-8-TF2.0",
      .what = "resnet50", .family = "resnet50", .precision = "amp",
      .memory_format = "channels-last", .framework = "mxnet", .mode = "training_step",
      .optimizer = "momentum", .batch = "{global_batch_size/num_devices}",
      .times = { TIME("step_time_ms", EC_L_WHOLE) } },
    { .name = "llm-foundry", .source = "LLM Foundry, training throughput",
      .columns = "model d_model n_layers n_heads mp_mode fsdp_sharding global_batch_size "
                 "step_time_s",
      .stored_only = true, .is_network = true, .licence = "Apache-2.0",
      .url = "https://github.com/mosaicml/llm-foundry", .what = "{model}", .family = "{model}",
      .precision = "{precision:precision}", .framework = "pytorch-2", .mode = "training_step",
      .optimizer = "adamw", .batch = "{global_batch_size}", .seq_len = "{seq_len}",
      .num_devices = "{num_gpus}",
      .times = { { .column = "step_time_s", .phase = EC_L_WHOLE, .unit_ns = 1e9 } } },
    { .name = "torchtitan", .source = "torchtitan, training throughput and memory",
      .columns = "model local_batch_size fsdp tp pp cp torch_compile step_time_s peak_mem_gib",
      .stored_only = true, .is_network = true, .licence = "BSD-3-Clause",
      .url = "https://github.com/pytorch/torchtitan", .what = "{model}", .family = "{model}",
      .precision = "{precision:precision}", .framework = "pytorch-2", .mode = "training_step",
      .optimizer = "adamw", .batch = "{global_batch_size}", .seq_len = "{seq_len}",
      .num_devices = "{num_gpus}", .framework_version = "{framework_version}",
      .memory = "peak_mem_gib", .memory_unit_bytes = 0x1p30, .memory_kind = "allocator",
      .times = { { .column = "step_time_s", .phase = EC_L_WHOLE, .unit_ns = 1e9 } } },
    { .name = "deepbench-allreduce", .source = "DeepBench, all-reduce",
      .columns = "num_devices num_nodes num_floats time_ms algorithm", .stored_only = true,
      .kind = "collective", .licence = "Apache-2.0",
      .url = "https://github.com/baidu-research/DeepBench",
      .what = "all_reduce elems={num_floats} dtype=f32", .family = "all_reduce",
      .framework = "vendor-bench", .num_devices = "{num_devices}", .std = "time_std_ms",
      .libraries = "collective=algorithm",
      .times = { { .column = "time_ms", .phase = EC_L_WHOLE } } },
    { .name = "gpumemnet-cnn", .source = "GPUMemNet, random convolutional networks",
      .columns = "input_channels num_classes depth architecture base_filters batch_size "
                 "layers_type_outelems_params peak_gpu_mem_mib",
      .stored_only = true, .is_network = true, .url = "https://github.com/itu-rad/GPUMemNet",
      .what = "gpumemnet_cnn:architecture={architecture},depth={depth},"
              "base_filters={base_filters},in={input_channels},classes={num_classes}",
      .family = "gpumemnet_cnn", .framework = "pytorch-1", .mode = "training_step",
      .optimizer = "adam", .batch = "{batch_size}", .image_px = "{input_size}",
      .outcome = "{status:outcome}", .memory = "peak_gpu_mem_mib", .memory_kind = "process" },
    { .name = "gpumemnet-mlp", .source = "GPUMemNet, random dense networks",
      .columns = "input_size output_size hidden_layers linear_out_features peak_gpu_mem_mib",
      .stored_only = true, .is_network = true, .url = "https://github.com/itu-rad/GPUMemNet",
      .what = "gpumemnet_mlp:in={input_size},out={linear_out_features}",
      .family = "gpumemnet_mlp", .framework = "pytorch-1", .mode = "training_step",
      .optimizer = "adam", .batch = "{batch_size}", .memory = "peak_gpu_mem_mib",
      .memory_kind = "process" },
    { .name = "detectron2", .source = "Detectron2 model zoo",
      .columns = "task model config lr_schedule images_per_iter train_s_per_iter",
      .stored_only = true, .is_network = true, .licence = "Apache-2.0",
      .url = "https://github.com/facebookresearch/detectron2", .what = "{config}",
      .family = "{task}", .precision = "{precision:precision}", .framework = "pytorch-1",
      .mode = "training_step", .optimizer = "momentum", .batch = "{images_per_iter}",
      .num_devices = "{num_gpus}", .time_stat = "mean", .memory = "train_mem_gb_per_gpu",
      .memory_unit_bytes = 0x1p30, .memory_kind = "allocator",
      .times = { { .column = "train_s_per_iter", .phase = EC_L_WHOLE, .unit_ns = 1e9 } } },
    { .name = "pycls", .source = "pycls model zoo",
      .columns = "model family global_batch_size gflops_mac train_forward_ms train_backward_ms "
                 "train_forward_backward_ms",
      .stored_only = true, .is_network = true, .licence = "MIT",
      .url = "https://github.com/facebookresearch/pycls", .what = "{model}", .family = "{family}",
      .precision = "{precision:precision}", .framework = "pytorch-1", .mode = "forward_backward",
      .batch = "{batch_size_per_gpu}", .image_px = "{image_size}", .num_devices = "{num_gpus}",
      .framework_version = "{framework_version}", .libraries = "cuda=cuda",
      .times = { { .column = "train_forward_backward_ms", .phase = EC_L_WHOLE },
                 { .column = "train_forward_ms", .phase = EC_L_WHOLE, .mode = "forward" },
                 { .column = "train_backward_ms", .phase = EC_L_WHOLE, .mode = "backward" },
                 { .column = "eval_forward_ms", .phase = EC_L_WHOLE, .mode = "inference" } } },
    { .name = "convnet-network", .source = "convnet-benchmarks, networks",
      .columns = "network batch_size forward_ms backward_ms library note consistent",
      .stored_only = true, .is_network = true, .licence = "MIT",
      .url = "https://github.com/soumith/convnet-benchmarks", .what = "{network}",
      .family = "{network}", .precision = "{precision:precision}", .framework = "{library}",
      .mode = "{timed:stored_mode}", .batch = "{batch_size}", .image_px = "{img_size}",
      .flags = "!consistent",
      .times = { { .column = "time_ms", .phase = EC_L_WHOLE },
                 { .column = "forward_ms", .phase = EC_L_WHOLE, .mode = "forward" },
                 { .column = "backward_ms", .phase = EC_L_WHOLE, .mode = "backward" } } },
    { .name = "convnet-conv", .source = "convnet-benchmarks, convolutions",
      .columns = "library series layer input_size channels_in kernel_size forward_ms "
                 "backward_input_ms backward_weight_ms",
      .stored_only = true, .licence = "MIT",
      .url = "https://github.com/soumith/convnet-benchmarks",
      .what = "conv2d n={batch_size} c={channels_in} h={input_size} w={input_size} "
              "k={channels_out} r={kernel_size} stride={stride} pad={padding} bias=0",
      .family = "conv2d", .framework = "{library}", .mode = "forward", .flags = "above_peak",
      .times = { { .column = "forward_ms", .phase = EC_L_FWD },
                 { .column = "backward_input_ms", .phase = EC_L_GRAD_DATA },
                 { .column = "backward_weight_ms", .phase = EC_L_GRAD_WEIGHT },
                 { .column = "time_ms", .phase = EC_L_WHOLE, .mode = "forward_backward" } } },
    { .name = "convnet-layer", .source = "convnet-benchmarks, layers of networks by Caffe",
      .columns = "network layer type input_size channels_in forward_ms backward_ms framework",
      .stored_only = true, .kind = "layer", .licence = "MIT",
      .url = "https://github.com/soumith/convnet-benchmarks", .what = "{network}/{layer}",
      .family = "{network}", .framework = "caffe", .batch = "{batch_size}",
      .flags = "above_peak",
      .times = { { .column = "forward_ms", .phase = EC_L_WHOLE, .mode = "forward" },
                 { .column = "backward_ms", .phase = EC_L_WHOLE, .mode = "backward" } } },
    { .name = "dawnbench", .source = "DAWNBench, training",
      .columns = "task model num_devices seconds_per_epoch_median samples_per_epoch entry",
      .stored_only = true, .is_network = true,
      .url = "https://github.com/stanford-futuredata/dawn-bench-entries", .what = "{model}",
      .family = "{task}", .precision = "", .framework = "{framework}", .mode = "epoch",
      .optimizer = "", .num_devices = "{num_devices}", .device_name = "{hardware_text}",
      .flags = "resolution_may_vary epoch_definition_suspect", .time_stat = "median",
      .min = "seconds_per_epoch_min", .max = "seconds_per_epoch_max",
      .n_samples = "epochs_logged",
      .times = { { .column = "seconds_per_epoch_median", .phase = EC_L_WHOLE,
                   .unit_ns = 1e9 } } },
    { .name = "nyu-iterations", .source = "Cloud training and analysis (NYU 2025), iterations",
      .columns = "network batch_size iteration timed time_ms interval_ms unsynchronised_suspect",
      .stored_only = true, .is_network = true,
      .url = "https://github.com/dhairyamishra/cloud-training-and-analysis-nyu25",
      .what = "{network}", .family = "{network}", .precision = "{precision:precision}",
      .framework = "pytorch-2", .mode = "{timed:stored_mode}", .optimizer = "",
      .batch = "{batch_size}", .image_px = "{img_size}",
      .framework_version = "{framework_version}", .iteration = "iteration",
      .flags = "unsynchronised_suspect memory_spill_suspect",
      .times = { { .column = "interval_ms", .phase = EC_L_WHOLE },
                 { .column = "time_ms", .phase = EC_L_WHOLE, .flags = "unsynchronised" } } },
    { .name = "prenet-epoch", .source = "PreNeT (ICPE 2025), epochs",
      .columns = "network dataset_size steps_per_epoch epoch_s step_time_ms value_source",
      .keep = "", .is_network = true, .licence = "MIT",
      .url = "https://github.com/pacslab/PreNeT", .what = "{network:prenet}", .family = "{network}",
      .precision = "{precision:precision}", .framework = "pytorch-2", .mode = "training_step",
      .optimizer = "{optimizer}", .batch = "{batch_size}", .image_px = "{img_size}",
      .seq_len = "{seq_len}",
      .times = { { .column = "step_time_ms", .phase = EC_L_WHOLE, .flags = "data_loading" },
                 { .column = "epoch_s", .phase = EC_L_WHOLE, .unit_ns = 1e9, .mode = "epoch",
                   .stored_only = true, .flags = "data_loading" } } },
    { .name = "prenet-published", .source = "PreNeT (ICPE 2025), published errors",
      .columns = "layer predictor features rmse_ms", .stored_only = true, .kind = "published",
      .licence = "MIT", .url = "https://github.com/pacslab/PreNeT",
      .what = "{layer} {predictor} {features}", .family = "{layer}", .precision = "",
      .memory_format = "", .framework = "", .mode = "", .optimizer = "" },
    { .name = "devices", .source = "table of devices",
      .columns = "device vendor architecture sm_count fp32_tflops mem_bw_gb_s memory_gb",
      .stored_only = true, .kind = "device", .what = "{device}", .family = "{architecture}",
      .precision = "", .memory_format = "", .framework = "", .mode = "", .optimizer = "" },
    /* Second collection. What can be asked: */
    { .name = "mamf", .source = "machine learning engineering, highest product rate found",
      .columns = "max_achieved_tflops theoretical_tflops fraction best_m best_n best_k",
      .keep = "precision=bf16", .licence = "CC-BY-SA-4.0",
      .url = "https://github.com/stas00/ml-engineering",
      .what = "matmul b=1 m={best_m} k={best_k} n={best_n}", .family = "matmul",
      .precision = "{precision:precision}", .framework = "pytorch-2", .mode = "forward",
      .queued = "max_achieved_tflops", .framework_version = "{torch}", .time_stat = "minimum",
      .times = { { .column = "max_achieved_tflops", .phase = EC_L_FWD,
                   .multiply_adds = "best_m best_n best_k",
                   .flags = "from_rate best_of_search" } } },
    { .name = "simumax-forward", SIMUMAX, .rows = "op=matmul spec.layout=TN",
      .what = "linear m={spec.m} k={spec.k} n={spec.n} bias=0", .family = "linear",
      .queued = "spec", .mode = "forward", SIMUMAX_TIME(EC_L_FWD) },
    { .name = "simumax-grad-data", SIMUMAX, .rows = "op=matmul spec.layout=NN",
      .what = "linear m={spec.m} k={spec.n} n={spec.k} bias=0", .family = "linear",
      .queued = "spec", .mode = "forward_backward", SIMUMAX_TIME(EC_L_GRAD_DATA) },
    /* added to what was there, in single precision as a rule: more memory than ours writes */
    { .name = "simumax-grad-weight", SIMUMAX, .rows = "op=matmul spec.layout=NT",
      .stored_only = true, .what = "linear m={spec.k} k={spec.n} n={spec.m} bias=0",
      .family = "linear", .mode = "forward_backward", SIMUMAX_TIME(EC_L_GRAD_WEIGHT) },
    { .name = "simumax-other", SIMUMAX, .rows = "op!=matmul", .stored_only = true,
      .kind = "layer", .what = "{op} {spec}", .family = "{op}", .mode = "" },
    { .name = "liger-cross-entropy",
      LIGER_CASE("op=cross_entropy x_name=V config.B=8 config.T=2048"), .precision = "fp32",
      .what = "cross_entropy n=16384 c={x_value}" },
    { .name = "liger-cross-entropy-tokens",
      LIGER_CASE("op=cross_entropy x_name=BT"), .precision = "fp32",
      .what = "cross_entropy n={x_value} c={config.vocab_size}" },
    { .name = "liger-cross-entropy-models",
      LIGER_CASE("op=cross_entropy x_name=model_config config.bsz=1"), .precision = "fp32",
      .what = "cross_entropy n={config.seq_len} c={x_value:vocabulary}" },
    { .name = "liger-layer-norm",
      LIGER_CASE("op=layer_norm x_name=N"), .precision = "{config.dtype:torch_type}",
      .what = "layer_norm x={config.M}x{x_value}" },
    { .name = "liger-layer-norm-tokens",
      LIGER_CASE("op=layer_norm x_name=T"), .precision = "{config.dtype:torch_type}",
      .what = "layer_norm x={x_value}x{config.hidden_size}" },
    { .name = "liger-softmax",
      LIGER_CASE("op=softmax x_name=N"), .precision = "{config.dtype:torch_type}",
      .what = "softmax x={config.M}x{x_value}" },
    { .name = "liger-softmax-tokens",
      LIGER_CASE("op=softmax x_name=BT"), .precision = "{config.dtype:torch_type}",
      .what = "softmax x={x_value}x{config.hidden_size}" },
    { .name = "liger-embedding",
      LIGER_CASE("op=embedding x_name=V"), .precision = "{config.dtype:torch_type}",
      .what = "embedding x={config.B}x{config.T} num={x_value} dim={config.D}" },
    { .name = "cudnn-norms", .source = "cuDNN frontend, norms",
      .columns = "op backend dtype rows_n cols_c has_bias pass time_ms gb_per_s",
      .keep = "backend=pytorch", .licence = "MIT",
      .url = "https://github.com/NVIDIA/cudnn-frontend", .what = "{op} x={rows_n}x{cols_c}",
      .family = "{op}", .precision = "{dtype:precision}", .framework = "pytorch-2",
      .phase = "{pass:pass}", .mode = "{pass:pass_mode}",
      .times = { { .column = "time_ms", .phase = EC_L_WHOLE } } },
    /* Recorded: runs on many devices, fine-tuning, arithmetic in eight bits, fused kernels. */
    { .name = "liger-other-providers", LIGER_LAYER("provider!=torch|huggingface") },
    { .name = "liger-other-operators",
      LIGER_LAYER("provider=torch|huggingface op!=cross_entropy|layer_norm|softmax|embedding") },
    { .name = "liger-memory", LIGER, .source = "Liger Kernel benchmarks, memory",
      .rows = "metric=peak_mem_mb", .stored_only = true, .kind = "layer",
      .what = "{op} {provider} {x_name}={x_value} {config}", .family = "{op}",
      .precision = "{config.dtype:torch_type}", .mode = "{mode:stored_pass}",
      .memory = "median", .memory_kind = "allocator" },
    { .name = "cudnn-attention", .source = "cuDNN frontend, attention",
      .columns = "model backend dtype mask batch q_len kv_len q_heads kv_heads pass time_ms",
      .stored_only = true, .kind = "layer", .licence = "MIT",
      .url = "https://github.com/NVIDIA/cudnn-frontend",
      .what = "attention batch={batch} q={q_len} kv={kv_len} heads={q_heads}/{kv_heads} "
              "dims={head_dim_qk}/{head_dim_vo} mask={mask} window={sliding_window}",
      .family = "attention", .precision = "{dtype:precision}", .framework = "{backend}",
      .mode = "{pass:stored_pass}", .framework_version = "{cudnn_backend_version}",
      .times = { { .column = "time_ms", .phase = EC_L_WHOLE } } },
    { .name = "nemo-training", .source = "NeMo and Megatron Bridge, performance summaries",
      .columns = "container mode model global_batch micro_batch tokens_per_s_per_gpu step_time_s "
                 "alt_of_row tokens_rounded",
      .stored_only = true, .is_network = true, .licence = "Apache-2.0",
      .url = "https://github.com/NVIDIA-NeMo/Megatron-Bridge", .what = "{model}",
      .family = "{model}", .precision = "{precision:precision}", .framework = "megatron-bridge",
      .framework_version = "{container}", .mode = "training_step", .optimizer = "adam",
      .batch = "{global_batch}", .seq_len = "{seq_len}", .num_devices = "{num_gpus}",
      .flags = "tokens_rounded",
      .times = { { .column = "step_time_s", .phase = EC_L_WHOLE, .unit_ns = 1e9 } } },
    { .name = "simumax-steps", .source = "SimuMax, steps of truncated language models",
      .columns = "case model num_layers step_time_ms peak_alloc_gib_max_rank simumax_pred_ms",
      .stored_only = true, .is_network = true, .licence = "Apache-2.0",
      .url = "https://github.com/MooreThreads/SimuMax", .what = "{model}:layers={num_layers}",
      .family = "{model}", .precision = "{precision:precision}", .framework = "megatron",
      .mode = "training_step", .optimizer = "adam", .batch = "{micro_batch}",
      .seq_len = "{seq_len}", .num_devices = "{num_gpus}", .memory = "peak_alloc_gib_max_rank",
      .memory_unit_bytes = 0x1p30, .memory_kind = "allocator",
      .times = { { .column = "step_time_ms", .phase = EC_L_WHOLE } } },
    { .name = "bigscience", .source = "BigScience, layouts of GPT on many devices",
      .columns = "model num_gpus gpus_per_node params_b num_layers d_model num_heads dp tp pp "
                 "micro_batch status mem_gb_nvidia_smi step_time_s",
      .stored_only = true, .is_network = true, .licence = "Apache-2.0",
      .url = "https://github.com/bigscience-workshop/bigscience",
      .what = "{model}:params_b={params_b},layers={num_layers},d_model={d_model}",
      .family = "{model}", .precision = "{precision:precision}",
      .framework = "megatron-deepspeed", .mode = "training_step", .optimizer = "adam",
      .batch = "{global_batch}", .seq_len = "{seq_len}", .num_devices = "{num_gpus}",
      .outcome = "{status:outcome}",
      .flags = "columns_swapped_in_source topology_mismatch layers_inferred",
      .memory = "mem_gb_nvidia_smi", .memory_unit_bytes = 0x1p30, .memory_kind = "process",
      .times = { { .column = "step_time_s", .phase = EC_L_WHOLE, .unit_ns = 1e9 } } },
    { .name = "tpu-training", TPU_TRAINING, .rows = "step_time_s!=", STEP_TIME_S },
    { .name = "tpu-training-rates", TPU_TRAINING, .rows = "step_time_s=" },
    { .name = "litgpt-finetuning", .source = "LitGPT, fine-tuning",
      .columns = "model mode quantization lora_rank lora_targets runtime_min cost_usd peak_mem_gb "
                 "time_per_1k_iters_min",
      .stored_only = true, .is_network = true, .licence = "Apache-2.0",
      .url = "https://github.com/Lightning-AI/litgpt", .what = "{model}", .family = "{model}",
      .precision = "{precision:precision}", .framework = "pytorch-2", .mode = "training_step",
      .optimizer = "{optimizer}", .batch = "{micro_batch}", .seq_len = "{max_seq_len}",
      .num_devices = "{num_gpus}", .outcome = "{status:outcome}", .memory = "peak_mem_gb",
      .memory_unit_bytes = 1e9, .memory_kind = "allocator",
      .times = { { .column = "runtime_min", .phase = EC_L_WHOLE, .unit_ns = 60e9,
                   .mode = "time_to_train" },
                 { .column = "time_per_1k_iters_min", .phase = EC_L_WHOLE, .unit_ns = 60e6,
                   .flags = "micro_batches" } } },
    { .name = "torchtune-finetuning", .source = "torchtune, fine-tuning",
      .columns = "model method packed compiled activation_checkpointing cpu_offload "
                 "peak_mem_gib_per_gpu tokens_per_s",
      .stored_only = true, .is_network = true, .licence = "BSD-3-Clause",
      .url = "https://github.com/pytorch/torchtune", .what = "{model}", .family = "{model}",
      .precision = "{precision:precision}", .framework = "pytorch-2", .mode = "training_step",
      .optimizer = "{optimizer}", .batch = "{batch_size}", .seq_len = "{seq_len}",
      .num_devices = "{num_gpus}", .memory = "peak_mem_gib_per_gpu",
      .memory_unit_bytes = 0x1p30, .memory_kind = "allocator" },
    { .name = "axolotl-memory", AXOLOTL, .rows = "unit!=GB", .memory_unit_bytes = 0x1p30 },
    { .name = "axolotl-memory-decimal", AXOLOTL, .rows = "unit=GB", .memory_unit_bytes = 1e9 },
    { .name = "openmmlab-memory", .source = "OpenMMLab model zoos, memory",
      .columns = "config method backbone crop_size batch_per_gpu image_size amp "
                 "train_mem_gb_per_gpu inference_fps",
      .stored_only = true, .is_network = true, .licence = "Apache-2.0",
      .url = "https://github.com/open-mmlab", .what = "{method} {backbone} {config}",
      .family = "{method}",
      .precision = "{amp:amp_or_not}", .framework = "pytorch-1", .mode = "training_step",
      .optimizer = "", .batch = "{batch_per_gpu}", .num_devices = "{num_gpus}",
      .memory = "train_mem_gb_per_gpu", .memory_unit_bytes = 0x1p30,
      .memory_kind = "allocator" },
    { .name = "habana-finetuning", .source = "Optimum for Intel Gaudi, fine-tuning",
      .columns = "script model distribution task train_batch_size_per_device train_samples_per_s "
                 "train_runtime_s ambiguous_config",
      .stored_only = true, .is_network = true, .licence = "Apache-2.0",
      .url = "https://github.com/huggingface/optimum-habana", .what = "{model}",
      .family = "{script}", .precision = "{precision:precision}",
      .framework = "optimum-habana", .mode = "time_to_train", .optimizer = "",
      .batch = "{train_batch_size_per_device}", .seq_len = "{seq_len}",
      .num_devices = "{num_devices}", .flags = "ambiguous_config",
      .times = { { .column = "train_runtime_s", .phase = EC_L_WHOLE, .unit_ns = 1e9 } } },
    { .name = "neuron-training", .source = "AWS Neuron, training on Trainium",
      .columns = "model instance num_neuron_cores zero1 sequences_per_s step_time_s mfu_pct "
                 "neuron_version",
      .stored_only = true, .is_network = true, .licence = "CC-BY-SA-4.0",
      .url = "https://github.com/aws-neuron/aws-neuron-sdk", .what = "{model}",
      .family = "{model}", .precision = "{precision:precision}", .framework = "neuron",
      .framework_version = "{neuron_version}", .mode = "training_step",
      .optimizer = "{optimizer}", .batch = "{global_batch}", .seq_len = "{seq_len}",
      .num_devices = "{num_devices}",
      .times = { { .column = "step_time_s", .phase = EC_L_WHOLE, .unit_ns = 1e9 } } },
    { .name = "small-llm-steps", SMALL_LLM, .rows = "step_time_s!=", STEP_TIME_S,
      SMALL_LLM_MEMORY },
    { .name = "small-llm-memory", SMALL_LLM, .rows = "step_time_s= peak_mem_gb!=",
      SMALL_LLM_MEMORY },
    { .name = "small-llm-rates", SMALL_LLM, .rows = "step_time_s= peak_mem_gb=" },
    { .name = "pipeweave-gemm", .source = "PipeWeave, products in eight bits",
      .columns = "m n k time_us source_split", .stored_only = true, .licence = "Apache-2.0",
      .url = "https://github.com/zksainx/pipeweave", .what = "matmul b=1 m={m} k={k} n={n}",
      .family = "matmul", .precision = "fp8", .framework = "", .mode = "forward",
      .times = { { .column = "time_us", .phase = EC_L_FWD, .unit_ns = 1e3 } } },
    { .name = "pipeweave-collectives", .source = "PipeWeave, collectives inside a machine",
      .columns = "collective num_devices devices_per_node size_as_printed "
                 "time_ms_median_over_ranks n_ranks_or_repeats",
      .stored_only = true, .kind = "collective", .licence = "Apache-2.0",
      .url = "https://github.com/zksainx/pipeweave",
      .what = "{collective} bytes={size_as_printed}", .family = "{collective}", .precision = "",
      .framework = "nccl", .num_devices = "{num_devices}",
      .time_stat = "median", .min = "time_ms_min", .max = "time_ms_max",
      .n_samples = "n_ranks_or_repeats",
      .times = { { .column = "time_ms_median_over_ranks", .phase = EC_L_WHOLE } } },
    { .name = "gpu-prices", .source = "prices of GPUs by the hour",
      .columns = "provider gpu vram_gb gpu_count tier spot price_usd_per_gpu_hour collected_at",
      .stored_only = true, .kind = "price", .licence = "MIT", .device = "{gpu}",
      .what = "{provider} {gpu} {tier}", .family = "{provider}", .precision = "",
      .memory_format = "", .framework = "", .mode = "", .optimizer = "",
      .num_devices = "{gpu_count}" },
    { .name = "llm-configurations", .source = "hyper-parameters of language models",
      .columns = "name decoder_block emb_dim num_decoder_layers num_query_heads num_kv_heads "
                 "mlp_dim vocab_size",
      .stored_only = true, .kind = "configuration", .licence = "Apache-2.0",
      .url = "https://github.com/AI-Hypercomputer/maxtext", .what = "{name}",
      .family = "{decoder_block}", .precision = "", .memory_format = "", .framework = "",
      .mode = "", .optimizer = "" },
    { .name = "campaign-case", .source = "campaign of epochcast, operators", CAMPAIGN,
      .rows = "kind=operator", .keep = CAMPAIGN_CASE "held_out!=1", .phase = "{phase}",
      .queued = "cuda", .half_inputs = "inputs", .mode = "{phase:asked}",
      .stored_mode = "{phase:phase}" },
    { .name = "campaign-network", .source = "campaign of epochcast, networks", CAMPAIGN,
      .rows = "kind=network", .keep = CAMPAIGN_NETWORK "held_out!=1", .is_network = true,
      .mode = "{phase:asked}", .stored_mode = "{phase:phase}" },
    { .name = "campaign-ceiling", .source = "campaign of epochcast, ceilings", CAMPAIGN,
      .rows = "kind=ceiling", .kind = "ceiling", .stored_only = true, .stored_mode = "{phase}" },
    /* Kept apart: to be judged by, never fitted to. */
    { .name = "campaign-case-held-out", .source = "campaign of epochcast, operators kept apart",
      CAMPAIGN, .by_name = true, .rows = "kind=operator", .keep = CAMPAIGN_CASE "held_out=1",
      .queued = "cuda", .half_inputs = "inputs",
      .phase = "{phase}", .mode = "{phase:asked}", .stored_mode = "{phase:phase}" },
    /* What the allocator held at most in the steps of those networks. */
    { .name = "campaign-memory", .source = "campaign of epochcast, networks, allocator",
      .by_name = true, .is_network = true,
      .columns = "run key kind what phase method outcome memory_peak_bytes held_out",
      .rows = "kind=network", .keep = "outcome=ok|unstable phase=step execution=eager held_out!=1",
      .what = "{what}", .family = "{family}", .precision = "{precision:autocast}",
      .memory_format = "{layout}", .optimizer = "{optimizer}", .framework = "{framework}",
      .batch = "{batch}", .image_px = "{image_px}", .seq_len = "{seq_len}",
      .mode = "training_step", .memory_read = "memory_peak_bytes", .memory = "memory_peak_bytes",
      .memory_unit_bytes = 1, .memory_kind = "allocator" },
    { .name = "campaign-network-held-out", .source = "campaign of epochcast, networks kept apart",
      CAMPAIGN, .by_name = true, .rows = "kind=network", .keep = CAMPAIGN_NETWORK "held_out=1",
      .is_network = true, .mode = "{phase:asked}", .stored_mode = "{phase:phase}" },
};
/* clang-format on */

const int ec__n_layouts = EC_LEN(ec__layouts);

bool ec__layout_map_is_strict(struct ec_span map)
{
    return map.len > 4 && !memcmp(map.p, "any_", 4);
}

/* Small letters and digits alone; what is too long is cut, and then no word of ours. */
static void fold(const char *word, char out[40])
{
    size_t n = 0;

    for (; *word && n + 1 < 40; word++) {
        char c = *word >= 'A' && *word <= 'Z' ? (char)(*word - 'A' + 'a') : *word;

        if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
            out[n++] = c;
    }
    out[n] = '\0';
}

void ec__layout_map_words(struct ec_span map, struct ec_buf *out)
{
    int i, k;

    for (i = 0; i < EC_LEN(maps); i++) {
        if (!ec_span_eq(map, maps[i].map))
            continue;
        for (k = 0; k < i; k++)
            if (ec_span_eq(map, maps[k].map) && ec_str_eq(maps[k].to, maps[i].to))
                break;
        if (k == i)
            ec_buf_printf(out, "%s%s", out->len ? ", " : "", maps[i].to);
    }
}

const char *ec__layout_word(struct ec_span map, const char *from)
{
    bool strict = ec__layout_map_is_strict(map);
    char folded[40];
    int i;

    if (strict)
        fold(from, folded);
    for (i = 0; i < EC_LEN(maps); i++)
        if (ec_span_eq(map, maps[i].map) &&
            (strict ? ec_str_glob(maps[i].from, folded) : ec_str_eq(maps[i].from, from)))
            return maps[i].to;
    return NULL;
}
