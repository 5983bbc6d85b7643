/* The options of a question, as one table. */
#include "predict/predict_internal.h"

#include <string.h>

static const char *const mode_words[] = { "training_step", "forward_backward", "forward", NULL };
static const char *const phase_words[] = { "all", "forward", "grad_data", "grad_weight", NULL };

#define AT(member) offsetof(struct ec_predict_opts, member)

/* clang-format off */
const struct ec_field ec_predict_fields[] = {
    { .name = "batch", .type = EC_F_INT, .offset = AT(batch), .min = 0, .max = 1 << 24,
      .deflt = "0",
      .unit = "samples", .metavar = "N", .short_flag = 'b',
      .help = "samples per step; 0 takes what the file says, or 1" },
    { .name = "precision", .type = EC_F_ENUM, .offset = AT(precision), .deflt = "fp32",
      .choices = ec_precision_names, .short_flag = 'p',
      .help = "arithmetic: fp32, tf32 (matrix units on float32), amp (autocast), bf16, fp16" },
    { .name = "layout", .type = EC_F_ENUM, .offset = AT(layout), .deflt = "channels-first",
      .choices = ec_memory_format_names, .help = "memory order of images" },
    { .name = "optimizer", .type = EC_F_ENUM, .offset = AT(optimizer), .deflt = "sgd",
      .choices = ec_optimizer_names, .short_flag = 'o',
      .help = "parameter update at the end of a step" },
    { .name = "framework", .type = EC_F_ENUM, .offset = AT(framework), .deflt = "pytorch-2",
      .choices = ec_framework_keys, .help = "who runs it: decides dispatch cost and fusion" },
    { .name = "mode", .type = EC_F_ENUM, .offset = AT(mode), .deflt = "training_step",
      .choices = mode_words, .help = "what a step holds" },
    { .name = "phase", .type = EC_F_ENUM, .offset = AT(phase), .deflt = "all",
      .choices = phase_words, .help = "of one operator (with --op)" },
    { .name = "dataset", .type = EC_F_STR, .offset = AT(dataset), .metavar = "NAME",
      .help = "a known data set; gives the samples of an epoch" },
    { .name = "samples", .type = EC_F_INT, .offset = AT(samples), .min = 0, .max = 1e15,
      .deflt = "0",
      .unit = "samples", .metavar = "N", .help = "samples of an epoch" },
    { .name = "epochs", .type = EC_F_INT, .offset = AT(epochs), .min = 0, .max = 1e6, .deflt = "0",
      .metavar = "N", .short_flag = 'e', .help = "epochs of the job" },
    { .name = "seq_len", .type = EC_F_INT, .offset = AT(seq_len), .min = 0, .max = 1 << 22,
      .deflt = "0",
      .unit = "tokens", .metavar = "N", .help = "sequence length; 0 is the network's own" },
    { .name = "image", .type = EC_F_INT, .offset = AT(image), .min = 0, .max = 65536, .deflt = "0",
      .unit = "pixels", .metavar = "PX", .help = "side of input images; 0 is the network's own" },
    { .name = "classes", .type = EC_F_INT, .offset = AT(classes), .min = 0, .max = 1 << 24,
      .deflt = "0",
      .metavar = "N", .help = "outputs of a built-in classifier; 0 is the network's own" },
    { .name = "as_exported", .type = EC_F_BOOL, .offset = AT(as_exported), .deflt = "0",
      .help = "take an ONNX file as it is: do not restore norms folded away by the exporter" },
    { .name = "input_copy", .type = EC_F_BOOL, .offset = AT(input_copy), .deflt = "0",
      .help = "each step first copies its input from the host, without overlap" },
    { .name = "set", .type = EC_F_STR, .offset = AT(set), .metavar = "NAME=VALUE,...",
      .help = "change numbers of the device, such as memory_bytes_per_s=1.2e12" },
    EC_FIELD_END,
};
/* clang-format on */

void ec_predict_opts_default(struct ec_predict_opts *opts)
{
    struct ec_arena none = { 0 };

    memset(opts, 0, sizeof *opts);
    opts->struct_size = sizeof *opts;
    if (ec_fields_default(ec_predict_fields, opts, &none, NULL))
        memset(opts, 0, sizeof *opts); /* cannot happen: no default needs memory */
}
