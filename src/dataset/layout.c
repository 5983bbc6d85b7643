/* Layouts of public measurement tables: one row each. A template is text with {column} replaced by
 * the cell; {column:map} goes through a word map first; {column|word} stands in for an empty cell.
 */
#include "dataset/dataset.h"

#include <stdio.h>
#include <string.h>

#define TIMES_MAX 3

struct ec_layout {
    const char *name, *source;
    const char *columns; /* all must be present */
    const char *keep;    /* col=value or col!=value, joined by blanks; absent columns pass */
    bool is_network;
    const char *what, *device, *precision, *memory_format, *optimizer, *framework, *mode, *family;
    const char *batch, *image_px, *seq_len;
    struct {
        const char *column; /* milliseconds */
        int phase;          /* -1: the whole of `mode` */
    } times[TIMES_MAX];
    const char *input_copy; /* column whose cell says that the input copy is in the time */
    const char *memory_mib; /* column of peak memory; NULL: none */
};

enum { WHOLE = -1, FWD = 0, GRAD_DATA = 1, GRAD_WEIGHT = 2 };

/* {column:map}: words of the sources to words of ours. An empty target excludes the row. */
struct word_map {
    const char *map, *from, *to;
};

/* clang-format off */
static const struct word_map maps[] = {
    { "mode", "forward", "forward" },
    { "mode", "forward_incl_h2d", "forward" },
    { "mode", "forward_backward", "forward_backward" },
    { "mode", "forward_backward_incl_h2d", "forward_backward" },
    { "mode", "training_step", "training_step" },
    { "mode", "inference", "forward" },
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
    { "torch1", "1.12", "pytorch-1" }, { "torch1", "1.13", "pytorch-1" },
    { "torch", "0.3.0", "pytorch-0" }, { "torch", "0.4.0", "pytorch-0" },
    { "compiled", "0", "pytorch-2" }, { "compiled", "1", "pytorch-compiled" },
    { "kernels", "pytorch", "pytorch-0" }, { "kernels", "tensorflow", "tensorflow-1" },
    { "kernels", "caffe2", "caffe" },
};

static const struct ec_layout layouts[] = {
    { .name = "neusight-bmm", .source = "NeuSight (ASPLOS 2025), batched products",
      .columns = "batch_count rows_m inner_k cols_n split", .keep = "above_peak!=1 batch_count!=1",
      .what = "matmul b={batch_count} m={rows_m} k={inner_k} n={cols_n}", .family = "matmul",
      .precision = "fp32", .framework = "pytorch-2", .mode = "forward",
      .times = { { "time_ms", FWD } } },
    { .name = "neusight-linear", .source = "NeuSight (ASPLOS 2025), linear layers",
      .columns = "batch_count rows_m inner_k cols_n split", .keep = "above_peak!=1 batch_count=1",
      .what = "linear m={rows_m} k={inner_k} n={cols_n}", .family = "linear",
      .precision = "fp32", .framework = "pytorch-2", .mode = "forward",
      .times = { { "time_ms", FWD } } },
    { .name = "neusight-conv", .source = "NeuSight (ASPLOS 2025), convolutions",
      .columns = "kernel_class channels_in channels_out kernel_size input_size padding stride",
      .keep = "",
      .what = "conv2d n={batch_size} c={channels_in} h={input_size} w={input_size} "
              "k={channels_out} r={kernel_size} stride={stride} pad={padding} bias=0",
      .family = "conv2d", .precision = "fp32", .framework = "pytorch-2", .mode = "forward",
      .times = { { "time_ms", FWD } } },
    { .name = "neusight-vector", .source = "NeuSight (ASPLOS 2025), vector operators",
      .columns = "op rows_b cols_h split", .keep = "above_peak!=1",
      .what = "{op:vector} x={rows_b}x{cols_h} {op:second?y}", .family = "{op:vector}",
      .precision = "fp32", .framework = "pytorch-2", .mode = "forward",
      .times = { { "time_ms", FWD } } },
    { .name = "justus-conv", .source = "Justus et al. 2018 and its 2020 replication, convolutions",
      .columns = "channels_in channels_out kernel_size input_size padding use_bias activation "
                 "optimizer timed",
      .keep = "timed=forward above_peak!=1",
      .what = "conv2d n={batch_size} c={channels_in} h={input_size} w={input_size} "
              "k={channels_out} r={kernel_size} stride={stride} pad={padding} bias={use_bias}",
      .family = "conv2d", .precision = "fp32", .framework = "tensorflow-1", .mode = "forward",
      .times = { { "time_ms", FWD } } },
    { .name = "justus-dense", .source = "Justus et al. 2018, dense layers",
      .columns = "dim_in dim_out activation optimizer timed", .keep = "timed=forward",
      .what = "linear m={batch_size} k={dim_in} n={dim_out}", .family = "linear",
      .precision = "fp32", .framework = "tensorflow-1", .mode = "forward",
      .times = { { "time_ms", FWD } } },
    { .name = "deepbench-gemm", .source = "DeepBench, GEMM",
      .columns = "m n k a_transposed b_transposed time_ms", .keep = "above_peak!=1",
      .what = "matmul b=1 m={m} k={k} n={n}", .family = "matmul",
      .precision = "{precision:precision}", .framework = "vendor-bench", .mode = "forward",
      .times = { { "time_ms", FWD } } },
    { .name = "deepbench-conv", .source = "DeepBench, convolutions",
      .columns = "input_w input_h kernel_w kernel_h pad_w pad_h forward_ms backward_weight_ms",
      .keep = "",
      .what = "conv2d n={batch_size} c={channels_in} h={input_h} w={input_w} k={channels_out} "
              "r={kernel_h} s={kernel_w} stride={stride_h}x{stride_w} pad={pad_h}x{pad_w} bias=0",
      .family = "conv2d", .precision = "{precision:precision}", .framework = "vendor-bench",
      .mode = "forward",
      .times = { { "forward_ms", FWD }, { "backward_input_ms", GRAD_DATA },
                 { "backward_weight_ms", GRAD_WEIGHT } } },
    { .name = "deepbench-rnn", .source = "DeepBench, recurrent layers",
      .columns = "cell hidden_size batch_size time_steps forward_ms", .keep = "",
      .what = "{cell:cell} n={batch_size} t={time_steps} c={hidden_size} hidden={hidden_size}",
      .family = "{cell:cell}", .precision = "{precision:precision}", .framework = "vendor-bench",
      .mode = "forward", .times = { { "forward_ms", FWD }, { "backward_input_ms", GRAD_DATA },
                                    { "backward_weight_ms", GRAD_WEIGHT } } },
    { .name = "neusight-network", .source = "NeuSight (ASPLOS 2025), whole networks",
      .columns = "parallelism compiled seq_len model mode forward_suspect", .is_network = true,
      .keep = "num_gpus=1 parallelism=none compiled=0 forward_suspect!=1",
      .what = "{model}", .family = "{model}", .precision = "{precision:precision}",
      .framework = "pytorch-2", .mode = "{timed:mode}", .optimizer = "none",
      .batch = "{batch_size}", .seq_len = "{seq_len}", .times = { { "time_ms", WHOLE } } },
    { .name = "timm-train", .source = "pytorch-image-models results, training",
      .columns = "family model memory_format forward_gmacs timed above_peak", .is_network = true,
      .keep = "above_peak!=1", .what = "{model}", .family = "{family}",
      .precision = "{precision:precision}", .memory_format = "{memory_format:format}",
      .framework = "pytorch-1", .mode = "{timed:mode}", .optimizer = "momentum",
      .batch = "{batch_size}", .image_px = "{img_size}", .times = { { "time_ms", WHOLE } } },
    { .name = "timm-infer", .source = "pytorch-image-models results, inference",
      .columns = "family model memory_format forward_gmacs timed compiled", .is_network = true,
      .keep = "", .what = "{model}", .family = "{family}",
      .precision = "{precision:precision}", .memory_format = "{memory_format:format}",
      .framework = "{compiled:compiled}", .mode = "{timed:mode}", .optimizer = "none",
      .batch = "{batch_size}", .image_px = "{img_size}", .times = { { "time_ms", WHOLE } } },
    { .name = "torchvision-benchmark", .source = "pytorch-gpu-benchmark, torchvision networks",
      .columns = "network mode batch_size_per_gpu img_size timed series", .is_network = true,
      .keep = "num_gpus=1", .what = "{network}", .family = "{network}",
      .precision = "{precision:precision}", .framework = "pytorch-1", .mode = "{timed:mode}",
      .optimizer = "none", .batch = "{batch_size_per_gpu}", .image_px = "{img_size}",
      .input_copy = "timed",
      .times = { { "time_ms", WHOLE } } },
    { .name = "lambda-training", .source = "Lambda deep learning benchmark",
      .columns = "network ngc_container smi_mem_mb quality_flag step_time_ms timed",
      .is_network = true, .keep = "num_gpus=1 status=ok quality_flag=", .what = "{network:lambda}",
      .family = "{network}", .precision = "{precision:precision}", .framework = "pytorch-ngc",
      .mode = "{timed:mode}", .optimizer = "momentum", .batch = "{batch_size_per_gpu}",
      .seq_len = "{seq_len}", .times = { { "step_time_ms", WHOLE } } },
    { .name = "u39kun", .source = "u39kun deep learning benchmark",
      .columns = "network timed precision framework framework_version cuda image_size time_ms",
      .is_network = true, .keep = "", .what = "{network}", .family = "{network}",
      .precision = "{precision:precision}", .framework = "{framework:kernels}",
      .mode = "{timed:mode}", .optimizer = "none", .batch = "{batch_size}",
      .image_px = "{image_size}", .times = { { "time_ms", WHOLE } } },
    { .name = "cnn-benchmarks", .source = "cnn-benchmarks (Torch 7)",
      .columns = "network backend cudnn_version repeats time_ms", .is_network = true,
      .keep = "backend!=nn_cuda", .what = "{network}", .family = "{network}",
      .precision = "{precision:precision}", .framework = "torch7", .mode = "{timed:mode}",
      .optimizer = "none", .batch = "{batch_size}", .image_px = "{img_size}",
      .times = { { "time_ms", WHOLE } } },
    { .name = "gpumemnet-timm", .source = "GPUMemNet, vision models",
      .columns = "model family img_size_source peak_gpu_mem_mib usable", .is_network = true,
      .keep = "usable=1", .what = "{model}", .family = "{family}", .framework = "pytorch-1",
      .mode = "training_step", .optimizer = "sgd", .batch = "{batch_size}",
      .image_px = "{img_size}", .memory_mib = "peak_gpu_mem_mib" },
    { .name = "gpumemnet-network", .source = "GPUMemNet, well-known networks",
      .columns = "model image_size seq_len optimizer peak_gpu_mem_mib run_is", .is_network = true,
      .keep = "", .what = "{model}", .family = "{model}", .framework = "pytorch-1",
      .mode = "training_step", .optimizer = "adam", .batch = "{batch_size}",
      .image_px = "{image_size}", .seq_len = "{seq_len}", .memory_mib = "peak_gpu_mem_mib" },
};
/* clang-format on */

/* ------------------------------------------------------------------------------------------------
 * Templates */

static const char *map_word(struct ec_span map, const char *from)
{
    int i;

    for (i = 0; i < EC_LEN(maps); i++)
        if (ec_span_eq(map, maps[i].map) && ec_str_eq(maps[i].from, from))
            return maps[i].to;
    return "";
}

static void column_name(struct ec_span s, char *out, size_t size)
{
    (void)snprintf(out, size, "%.*s", s.len >= size ? 0 : (int)s.len, s.len ? s.p : "");
}

/* Expand what stands between braces. False: the row is excluded. */
static bool expand_cell(const struct ec_csv *csv, int row, struct ec_span body, struct ec_buf *out)
{
    struct ec_span name = { NULL, 0 }, map = body;
    bool optional = body.len && memchr(body.p, '?', body.len);
    char column[64];
    const char *cell;

    if (!memchr(body.p, ':', body.len)) {
        column_name(body, column, sizeof column);
        ec_buf_str(out, ec_csv_cell(csv, row, ec_csv_col(csv, column)));
        return true;
    }
    (void)ec_span_cut(&map, ':', &name);
    column_name(name, column, sizeof column);
    cell = ec_csv_cell(csv, row, ec_csv_col(csv, column));
    if (optional) { /* {op:second?y}: a second operand of the same shape for binary operators */
        struct ec_span key = { NULL, 0 };
        const char *word;

        (void)ec_span_cut(&map, '?', &key);
        word = map_word(key, cell);
        if (*word)
            ec_buf_printf(out, "%s=%sx%s", word, ec_csv_cell(csv, row, ec_csv_col(csv, "rows_b")),
                          ec_csv_cell(csv, row, ec_csv_col(csv, "cols_h")));
        return true;
    }
    cell = map_word(map, cell);
    ec_buf_str(out, cell);
    return *cell != '\0';
}

static bool expand(const struct ec_csv *csv, int row, const char *template, struct ec_buf *out)
{
    const char *open, *close;

    ec_buf_reset(out);
    while (template && (open = strchr(template, '{')) && (close = strchr(open, '}'))) {
        struct ec_span body = { open + 1, (size_t)(close - open - 1) };

        ec_buf_add(out, template, (size_t)(open - template));
        if (!expand_cell(csv, row, body, out))
            return false;
        template = close + 1;
    }
    if (template)
        ec_buf_str(out, template);
    return true;
}

static enum ec_status expand_str(const struct ec_csv *csv, int row, const char *template,
                                 const char *deflt, struct ec_buf *scratch, struct ec_arena *a,
                                 const char **ret, bool *ret_excluded, struct ec_err *err)
{
    struct ec_span text;

    if (!template || !strchr(template, '{')) {
        *ret = template ? template : deflt;
        return EC_OK;
    }
    if (!expand(csv, row, template, scratch))
        *ret_excluded = true;
    text = ec_span_trim(ec_span_of(ec_buf_text(scratch)));
    *ret = text.len ? ec_arena_strn(a, text.p, text.len) : deflt;
    return *ret ? ec_buf_status(scratch, err) : ec_nomem(err);
}

static int64_t expand_int(const struct ec_csv *csv, int row, const char *template,
                          struct ec_buf *scratch)
{
    double v = 0;

    if (!template || !expand(csv, row, template, scratch) ||
        !ec_parse_double(ec_span_trim(ec_span_of(ec_buf_text(scratch))), &v) || v < 0 || v > 1e9)
        return 0;
    return (int64_t)v;
}

/* ------------------------------------------------------------------------------------------------
 * Rows */

static bool passes(const struct ec_csv *csv, int row, const char *keep)
{
    struct ec_span rest = ec_span_of(keep), word, name;

    while (rest.p && ec_span_cut(&rest, ' ', &word)) {
        char column[64], value[64];
        bool negated, same;
        int col;

        if (!word.len)
            continue;
        (void)ec_span_cut(&word, '=', &name);
        negated = name.len && name.p[name.len - 1] == '!';
        name.len -= negated ? 1 : 0;
        column_name(name, column, sizeof column);
        column_name(word, value, sizeof value);
        col = ec_csv_col(csv, column);
        if (col < 0)
            continue;
        same = ec_str_eq(ec_csv_cell(csv, row, col), value);
        if (same == negated)
            return false;
    }
    return true;
}

static bool has_columns(const struct ec_layout *l, const struct ec_csv *csv)
{
    struct ec_span rest = ec_span_of(l->columns), word;
    char column[64];

    while (rest.p && ec_span_cut(&rest, ' ', &word)) {
        column_name(word, column, sizeof column);
        if (ec_csv_col(csv, column) < 0)
            return false;
    }
    return true;
}

/* Tables with the same columns differ in what their first row passes. */
enum ec_status ec_layout_detect(const struct ec_csv *csv, const struct ec_layout **ret,
                                struct ec_err *err)
{
    int i, row;

    for (row = 0; row < csv->n_rows; row++)
        for (i = 0; i < EC_LEN(layouts); i++)
            if (has_columns(&layouts[i], csv) && passes(csv, row, layouts[i].keep)) {
                *ret = &layouts[i];
                return EC_OK;
            }
    return ec_fail(err, EC_E_NOT_FOUND,
                   "no layout knows a table with these %d columns (%s, %s, ...)", csv->n_cols,
                   csv->n_cols ? csv->names[0] : "", csv->n_cols > 1 ? csv->names[1] : "");
}

const char *ec_layout_name(const struct ec_layout *l)
{
    return l->name;
}

const char *ec_layout_source(const struct ec_layout *l)
{
    return l->source;
}

bool ec_layout_is_network(const struct ec_layout *l)
{
    return l->is_network;
}

static enum ec_status row_question(const struct ec_layout *l, const struct ec_csv *csv, int row,
                                   struct ec_buf *scratch, struct ec_arena *a,
                                   struct ec_measured *m, bool *ret_excluded, struct ec_err *err)
{
    const struct {
        const char *template, *deflt;
        const char **ret;
    } texts[] = {
        {l->what,                             "",               &m->what         },
        { l->device ? l->device : "{device}", "",               &m->device       },
        { l->precision,                       "fp32",           &m->precision    },
        { l->memory_format,                   "channels-first", &m->memory_format},
        { l->optimizer,                       "none",           &m->optimizer    },
        { l->framework,                       "pytorch-2",      &m->framework    },
        { l->mode,                            "forward",        &m->mode         },
        { l->family,                          "",               &m->family       },
    };
    enum ec_status st = EC_OK;
    int i;

    for (i = 0; i < EC_LEN(texts); i++)
        EC_TRY(expand_str(csv, row, texts[i].template, texts[i].deflt, scratch, a, texts[i].ret,
                          ret_excluded, err));
    m->layout = l->name;
    m->is_network = l->is_network;
    m->input_copy =
        l->input_copy && strstr(ec_csv_cell(csv, row, ec_csv_col(csv, l->input_copy)), "_incl_h2d");
    m->batch = expand_int(csv, row, l->batch, scratch);
    m->image_px = expand_int(csv, row, l->image_px, scratch);
    m->seq_len = expand_int(csv, row, l->seq_len, scratch);
    m->row = row;
out:
    return st;
}

/* The layout itself, or another one with the same columns whose conditions the row passes. */
static const struct ec_layout *layout_of_row(const struct ec_layout *l, const struct ec_csv *csv,
                                             int row)
{
    int i;

    if (passes(csv, row, l->keep))
        return l;
    for (i = 0; i < EC_LEN(layouts); i++)
        if (ec_str_eq(layouts[i].columns, l->columns) && passes(csv, row, layouts[i].keep))
            return &layouts[i];
    return NULL;
}

/* A reading: anything else than a number above zero is none. */
static bool positive(const struct ec_csv *csv, int row, const char *column, double *ret)
{
    double v;

    if (!ec_parse_double(ec_span_of(ec_csv_cell(csv, row, ec_csv_col(csv, column))), &v) || v <= 0)
        return false;
    *ret = v;
    return true;
}

static enum ec_status add_row(const struct ec_layout *table, const struct ec_csv *csv, int row,
                              struct ec_buf *scratch, struct ec_arena *a,
                              struct ec_measured_list *ret, struct ec_err *err)
{
    const struct ec_layout *l = layout_of_row(table, csv, row);
    struct ec_measured m = { 0 };
    bool excluded = l == NULL, any = false;
    enum ec_status st = EC_OK;
    double value = 0;
    int t;

    if (!excluded)
        EC_TRY(row_question(l, csv, row, scratch, a, &m, &excluded, err));
    for (t = 0; !excluded && t < TIMES_MAX && l->times[t].column; t++) {
        if (!positive(csv, row, l->times[t].column, &value))
            continue;
        m.time_ns = value * 1e6;
        m.phase = l->times[t].phase;
        EC_TRY(ec_grow(&ret->v, &ret->cap, ret->n + 1, sizeof *ret->v, err));
        ret->v[ret->n++] = m;
        any = true;
    }
    if (!excluded && l->memory_mib && positive(csv, row, l->memory_mib, &value)) {
        m.time_ns = 0;
        m.memory_bytes = value * 0x1p20;
        m.phase = WHOLE;
        EC_TRY(ec_grow(&ret->v, &ret->cap, ret->n + 1, sizeof *ret->v, err));
        ret->v[ret->n++] = m;
        any = true;
    }
    ret->n_excluded += any ? 0 : 1;
out:
    return st;
}

enum ec_status ec_layout_rows(const struct ec_layout *l, const struct ec_csv *csv,
                              struct ec_arena *a, struct ec_measured_list *ret, struct ec_err *err)
{
    struct ec_buf scratch = EC_BUF_INIT;
    enum ec_status st = EC_OK;
    int row;

    for (row = 0; row < csv->n_rows; row++)
        EC_TRY(add_row(l, csv, row, &scratch, a, ret, err));
out:
    ec_buf_clear(&scratch);
    return st;
}

void ec_measured_clear(struct ec_measured_list *l)
{
    if (!l)
        return;
    ec_free(l->v);
    memset(l, 0, sizeof *l);
}
