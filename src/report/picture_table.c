/* The recipes: one row per picture. */
#include "report/picture.h"

/* Names that tables give to the same thing. */
#define MODEL "model|network|what"
#define ENV "env|environment|device"
#define BATCH "batch_size|batch|batch_size_per_gpu"
/* Filters of mode and precision. */
#define KIND "mode?,precision?"
#define RATE "images_per_s|images_per_second|samples_per_s|throughput"

/* clang-format off */
static const struct ec_picture recipes[] = {
    { .name = "training-curves", .help = "loss and accuracy over the epochs of training runs",
      .title = "Loss and accuracy over epochs", .panels = "loss-curves,accuracy-curves",
      .width_px = 1200 },
    { .name = "accuracy-curves", .help = "accuracy over the epochs of training runs",
      .form = EC_PICTURE_LINE, .x = "epoch",
      .y = "train_accuracy|train_acc|accuracy,val_accuracy|val_acc|validation_accuracy?,"
           "test_accuracy|test_acc?",
      .group = "env?,model|network|config?,data?,batch_size?", .title = "Accuracy over epochs",
      .y_title = "accuracy", .at_values = true },
    { .name = "loss-curves", .help = "loss over the epochs of training runs",
      .form = EC_PICTURE_LINE, .x = "epoch",
      .y = "train_loss|loss,val_loss|validation_loss?,test_loss?",
      .group = "env?,model|network|config?,data?,batch_size?", .title = "Loss over epochs",
      .y_title = "loss", .at_values = true },
    { .name = "batch-throughput", .help = "throughput against batch size",
      .form = EC_PICTURE_LINE, .x = BATCH, .y = RATE,
      .group = ENV "?,model|network?,seq_len?,depth?,base_filters?," KIND, .unless = "iteration",
      .lo = "images_per_s_lo?", .hi = "images_per_s_hi?",
      .title = "Throughput by batch size", .x_title = "batch size", .log_x = true,
      .at_values = true, .from_zero = true, .environments = true, .each_environment = true },
    { .name = "iterations", .help = "throughput of each iteration",
      .form = EC_PICTURE_LINE, .x = "iteration|iter_idx|iter|step", .y = RATE,
      .group = ENV "?,model|network?," BATCH "?,precision?,optimizer?,data?",
      .title = "Throughput by iteration",
      .x_title = "iteration", .from_zero = true, .environments = true },
    { .name = "step-times", .help = "how often iterations took how long",
      .form = EC_PICTURE_HISTOGRAM,
      .x = "time_ns|time_ms|iter_time_ms|iteration_time_ms|step_time_ms|iter_time_s|time_s",
      .y = "iteration|iter_idx|iter|step", .group = ENV "?,model|network," BATCH "?",
      .title = "Times of iterations", .x_title = "time of an iteration",
      .y_title = "share of iterations", .environments = true },
    { .name = "time-flop", .help = "time of a step against its FLOP",
      .form = EC_PICTURE_SCATTER, .x = "flop", .y = "median_ns", .unit = "flop", .label = MODEL,
      .group = ENV "," KIND,
      .title = "Time against FLOP", .x_title = "work of a step", .y_title = "time of a step",
      .log_x = true, .log_y = true },
    { .name = "predicted-actual", .help = "predictions against measurements, with R\xc2\xb2",
      .form = EC_PICTURE_SCATTER, .x = "measured|actual|measured_ns|median_ns",
      .y = "predicted_p50|predicted|predicted_ns|ours,linear?,ann?",
      .group = "family?,set?,env?,mode?",
      .where = "quantity?=time*,kind?=measured", .title = "Predicted against measured",
      .x_title = "measured", .y_title = "predicted", .log_x = true, .log_y = true,
      .percent_bands = true },
    { .name = "error-by-device", .help = "errors of predictions, by device",
      .form = EC_PICTURE_BARS, .x = "device|group",
      .y = "median_ape_frac|ape_frac|error_frac:epochcast,"
           "roofline_median_ape_frac?:roofline", .where = "by?=device", .title = "Error by device",
      .y_title = "median error", .largest_first = true, .from_zero = true },
    { .name = "error-by-family", .help = "errors of predictions, by family of networks",
      .form = EC_PICTURE_BARS, .x = "family|group",
      .y = "median_ape_frac|ape_frac|error_frac:epochcast,"
           "roofline_median_ape_frac?:roofline", .where = "by?=family", .title = "Error by family",
      .y_title = "median error", .largest_first = true, .from_zero = true },
    { .name = "error-by-kind", .help = "errors of predictions, by kind of operator",
      .form = EC_PICTURE_BARS, .x = "op|kind|group",
      .y = "median_ape_frac|ape_frac|error_frac:epochcast,"
           "roofline_median_ape_frac?:roofline", .where = "by?=kind",
      .title = "Error by kind of operator", .y_title = "median error", .largest_first = true,
      .from_zero = true },
    { .name = "throughput-environments", .help = "throughput of each network, by environment",
      .form = EC_PICTURE_BARS, .x = MODEL ",seq_len?,depth?,base_filters?," BATCH "?", .y = RATE,
      .group = ENV "," KIND, .unless = "iteration", .title = "Throughput across environments",
      .lo = "images_per_s_lo?", .hi = "images_per_s_hi?",
      .log_if_wide = true, .environments = true },
    { .name = "efficiency", .help = "achieved share of the peak",
      .form = EC_PICTURE_BARS, .x = MODEL ",seq_len?," BATCH "?",
      .y = "efficiency_frac|efficiency", .group = ENV "," KIND, .unless = "iteration",
      .title = "Efficiency against peak", .y_title = "share of peak FLOP/s" },
    { .name = "model-comparison", .help = "time per sample or step of networks, side by side",
      .form = EC_PICTURE_BARS, .x = MODEL ",seq_len?," BATCH "?",
      .y = "time_per_image_ns|median_ns",
      .group = ENV "," KIND, .title = "Networks compared", .log_if_wide = true },
    { .name = "speedup", .help = "speed-up between environments",
      .form = EC_PICTURE_BARS, .x = MODEL ",seq_len?," BATCH "?", .y = "speedup",
      .group = ENV "," KIND,
      .title = "Speed-up between environments", .y_title = "speed-up", .log_y = true,
      .between = true,
      .has_reference = true, .reference = 1, .reference_label = "the reference" },
    { .name = "roofline", .help = "rooflines of devices with the networks under them",
      .form = EC_PICTURE_ROOFLINE, .x = "arithmetic_flop_per_byte", .y = "achieved_flop_per_s",
      .title = "Roofline", .group = "device" },
    { .name = "composition-ablation",
      .help = "sum of isolated layers over the network, by what is left out",
      .form = EC_PICTURE_BARS, .x = MODEL ",batch_size|batch?",
      .y = "ratio|isolated_to_whole|sum_to_whole|justus_ratio:alone with trained input,"
           "isolated_ratio?:alone,no_loss_ratio?:without loss,needed_ratio?:gradients needed only,"
           "marginal_ratio?:a further copy,company_ratio?:among neighbours,tasks_ratio?:its tasks",
      .group = "method|variant?",
      .title = "Sum of layers over the whole network", .y_title = "sum / network",
      .has_reference = true, .reference = 1, .reference_label = "the network" },
    { .name = "memory-breakdown", .help = "device memory by kind",
      .form = EC_PICTURE_STACK, .x = MODEL ",seq_len?," BATCH "?,device?",
      .y = "weights_bytes,gradients_bytes,optimizer_bytes,activations_bytes,transient_bytes?,"
           "input_bytes?,overhead_bytes?",
      .title = "Peak memory by kind", .y_title = "memory" },
    { .name = "scaling", .help = "efficiency of scaling over devices",
      .form = EC_PICTURE_LINE, .x = "num_devices|devices|num_gpus",
      .y = "scaling_efficiency_frac|scaling_frac", .group = ENV "?," MODEL "?,seq_len?," KIND,
      .title = "Scaling efficiency", .environments = true, .log_x = true,
      .at_values = true, .from_zero = true,
      .y_title = "share of perfect scaling", .has_reference = true, .reference = 1,
      .reference_label = "perfect" },
    { .name = "device-scaling", .help = "throughput over devices, as a share of perfect scaling",
      .form = EC_PICTURE_LINE, .x = "n_devices|num_devices|num_gpus", .y = "device_scaling_frac",
      .group = "device?," MODEL "?," BATCH "?," KIND, .title = "Scaling over devices",
      .x_title = "devices", .log_x = true, .at_values = true, .from_zero = true,
      .y_title = "share of perfect scaling", .has_reference = true, .reference = 1,
      .reference_label = "perfect" },
    { .name = "exchange", .help = "steps of several processes with and without their exchange",
      .form = EC_PICTURE_BARS, .x = MODEL ",batch_size|batch?",
      .y = "step_ns:step,local_step_ns:without exchange,all_reduce_ns:exchange alone",
      .title = "Exchange of gradients", .y_title = "time", .log_if_wide = true },
    { .name = "calibration-curve", .help = "error against the number of calibration rows",
      .form = EC_PICTURE_LINE, .x = "calibration_rows", .y = "median_ape_frac",
      .group = "table?,selection?", .title = "Error by calibration rows",
      .x_title = "calibration rows", .y_title = "median error", .from_zero = true,
      .at_values = true },
    { .name = "time-accuracy", .help = "accuracy reached against the time it took",
      .form = EC_PICTURE_SCATTER, .x = "total_time_s|training_time_s|time_per_epoch",
      .y = "test_accuracy|best_accuracy|val_accuracy", .label = "batch_size?",
      .group = MODEL "|config?,depth?,base_filters?", .subtitle = "beside points: batch size",
      .unless = "epoch", .title = "Accuracy against time", .y_title = "accuracy" },
};
/* clang-format on */

const struct ec_picture *ec_pictures(int *ret_n)
{
    *ret_n = EC_LEN(recipes);
    return recipes;
}
