/* epochcast dataset: describes training data, and measures how fast it is read. */
#include "cli/cli.h"
#include "dataset/dataset.h"
#include "report/report.h"

#include <string.h>

#include "dataset_cmd.h"
#include "cli_columns.h"

static enum ec_status list(struct ec_call *call, struct ec_err *err)
{
    static const struct ec_table_head head = { "epochcast.dataset_list/1", "readers", { { 0 } } };
    const struct ec_samples_reader *const *r;
    struct ec_table t;

    ec_table_init(&t, dataset_reader_cols, EC_LEN(dataset_reader_cols));
    for (r = ec_samples_readers(); *r; r++) {
        ec_table_row(&t, ec_text((*r)->usage), ec_text((*r)->help));
    }
    return ec_call_last_table(call, &head, &t, err);
}

/* The keys of a reader, if the word is its name followed by a question mark. */
static enum ec_status list_keys(struct ec_call *call, const struct ec_samples_reader *r,
                                struct ec_err *err)
{
    const struct ec_table_head head = {
        "epochcast.dataset_keys/1", "keys", {{ "data", r->usage }, { "help", r->help }}
    };
    struct ec_buf text = EC_BUF_INIT;
    const struct ec_field *f;
    enum ec_status st;
    struct ec_table t;

    if (!call->forms.json && !call->forms.csv)
        ec_buf_printf(&call->out, "%s: %s\n\n", r->usage, r->help);
    ec_table_init(&t, dataset_option_cols, EC_LEN(dataset_option_cols));
    for (f = r->fields; f && f->name; f++) {
        ec_buf_reset(&text);
        ec_help_text(f, &text);
        ec_table_row(&t, ec_text(f->name), ec_text(ec_buf_text(&text)));
    }
    st = ec_call_table(call, &head, &t, err);
    ec_table_clear(&t);
    ec_buf_clear(&text);
    return st;
}

static const char *label_text(const struct ec_samples_info *i, char *out, size_t size)
{
    switch (i->label) {
    case EC_LABEL_CLASS:
        (void)snprintf(out, size, "one of %lld classes", (long long)i->classes);
        break;
    case EC_LABEL_BINARY:
        (void)snprintf(out, size, "0 or 1");
        break;
    case EC_LABEL_VECTOR:
        (void)snprintf(out, size, "numbers: %lld", (long long)i->label_elems);
        break;
    case EC_LABEL_TOKENS:
        (void)snprintf(out, size, "the next token, of a vocabulary of %lld", (long long)i->classes);
        break;
    }
    return out;
}

static void put_shape(const struct ec_samples_info *i, struct ec_buf *out)
{
    int k;

    for (k = 0; k < i->rank; k++)
        ec_buf_printf(out, "%s%lld", k ? "x" : "", (long long)i->shape[k]);
}

static void info_text(const struct ec_samples_info *i, struct ec_buf *out)
{
    char label[80];
    int k;

    ec_buf_printf(out, "data       %s%s%s\n", i->name, *i->path ? "  " : "", i->path);
    ec_buf_printf(out, "samples   ");
    for (k = 0; k < EC_PART_COUNT; k++)
        ec_buf_printf(out, " %s %lld", ec_part_name((enum ec_part)k), (long long)i->count[k]);
    ec_buf_str(out, "\ninput      ");
    put_shape(i, out);
    ec_buf_printf(out, " %s\n", i->input == EC_INPUT_TOKENS ? "tokens" : "numbers");
    ec_buf_printf(out, "label      %s\n", label_text(i, label, sizeof label));
    ec_buf_printf(out, "augmented  %s\n", i->augments);
    for (k = 0; k < i->n_channels; k++)
        ec_buf_printf(out, "%s%s%.4f +- %.4f", k ? "" : "normalised ", k ? ", " : "",
                      (double)i->mean[k], (double)i->std[k]);
    ec_buf_str(out, i->n_channels ? "\n" : "");
    if (i->floor_loss > 0)
        ec_buf_printf(out, "floor      loss of the best possible model %.4f\n", i->floor_loss);
}

static void info_json(const struct ec_samples_info *i, struct ec_json *j)
{
    static const char *const labels[] = { "class", "binary", "vector", "tokens" };
    int k;

    ec_json_str(j, "data", i->name);
    ec_json_str(j, "path", i->path);
    for (k = 0; k < EC_PART_COUNT; k++)
        ec_json_int(j, ec_part_name((enum ec_part)k), i->count[k]);
    ec_json_open(j, "shape", '[');
    for (k = 0; k < i->rank; k++)
        ec_json_int(j, NULL, i->shape[k]);
    ec_json_close(j, ']');
    ec_json_str(j, "input", i->input == EC_INPUT_TOKENS ? "tokens" : "f32");
    ec_json_str(j, "label", labels[i->label]);
    ec_json_int(j, "label_elems", i->label_elems);
    ec_json_int(j, "classes", i->classes);
    ec_json_str(j, "augment", i->augments);
    ec_json_open(j, "mean", '[');
    for (k = 0; k < i->n_channels; k++)
        ec_json_num(j, NULL, (double)i->mean[k]);
    ec_json_close(j, ']');
    ec_json_open(j, "std", '[');
    for (k = 0; k < i->n_channels; k++)
        ec_json_num(j, NULL, (double)i->std[k]);
    ec_json_close(j, ']');
    if (i->floor_loss > 0)
        ec_json_num(j, "floor_loss", i->floor_loss);
}

/* Mean and range of the input, and the label. */
static void describe(const struct ec_samples_info *i, const struct ec_batch *b, int64_t k,
                     struct ec_buf *out)
{
    double sum = 0, least = 0, most = 0, v;
    int64_t n;

    for (n = 0; n < i->input_elems; n++) {
        v = b->data.x ? (double)b->data.x[k * i->input_elems + n]
                      : (double)b->data.tokens[k * i->input_elems + n];
        sum += v / (double)i->input_elems;
        least = n && least < v ? least : v;
        most = n && most > v ? most : v;
    }
    ec_buf_printf(out, "sample %lld  mean %.4f  from %.4f to %.4f  ", (long long)k, sum, least,
                  most);
    if (i->label == EC_LABEL_VECTOR)
        ec_buf_printf(out, "target %.4f", (double)b->data.target[k * i->label_elems]);
    else
        ec_buf_printf(out, "label %lld", (long long)b->data.label[k * i->label_elems]);
    if (i->class_names && i->label != EC_LABEL_VECTOR)
        ec_buf_printf(out, " %s", i->class_names[b->data.label[k]]);
    ec_buf_char(out, '\n');
}

static enum ec_status show(struct ec_call *call, const struct ec_samples *s, struct ec_err *err)
{
    const struct dataset_opts *o = call->opts;
    const struct ec_samples_info *info = ec_samples_info(s);
    int64_t n = o->show < info->count[EC_PART_TRAIN] ? o->show : info->count[EC_PART_TRAIN], k;
    struct ec_loader_opts lo = { .batch = n, .epochs = 1 };
    const struct ec_batch *b = NULL;
    struct ec_loader *l = NULL;
    enum ec_status st = EC_OK;

    EC_TRY(ec_loader_new(s, &lo, &l, err));
    EC_TRY(ec_loader_next(l, &b, err));
    ec_buf_char(&call->out, '\n');
    for (k = 0; k < n; k++)
        describe(info, b, k, &call->out);
out:
    ec_loader_free(l);
    return st;
}

static enum ec_status read_batches(const struct ec_samples *s, const struct dataset_opts *o,
                                   struct ec_loader_stats *ret, struct ec_err *err)
{
    struct ec_loader_opts lo = o->loader;
    const struct ec_batch *b = NULL;
    struct ec_loader *l = NULL;
    enum ec_status st = EC_OK;
    int64_t k;

    lo.batch = o->batch;
    lo.seed = o->seed;
    lo.shuffle = lo.augment = true;
    EC_TRY(ec_loader_new(s, &lo, &l, err));
    for (k = 0; k < o->batches; k++)
        EC_TRY(ec_loader_next(l, &b, err));
    ec_loader_get_stats(l, ret);
out:
    ec_loader_free(l);
    return st;
}

/* The value of predict's option: workers, and the time in which one makes a sample. */
static void loader_value(const struct dataset_opts *o, const struct ec_loader_stats *r,
                         char out[64])
{
    (void)ec_snprintf(out, 64, "%lldx%.3gms",
                      (long long)(o->loader.workers ? o->loader.workers : 1),
                      1e3 / r->load_samples_per_s);
}

static void rate_text(const struct dataset_opts *o, const struct ec_loader_stats *r,
                      struct ec_buf *out)
{
    char wait[32], all[32], value[64];

    ec_buf_printf(out,
                  "\nread       %lld samples in %s, %.0f samples/s; one thread alone makes %.0f\n",
                  (long long)r->samples, ec_fmt_ns(all, sizeof all, (double)r->elapsed_ns),
                  r->samples_per_s, r->load_samples_per_s);
    ec_buf_printf(out, "waited     %s for batches\n",
                  ec_fmt_ns(wait, sizeof wait, (double)r->wait_ns));
    loader_value(o, r, value);
    ec_buf_printf(out, "predict    --loader %s (workers x the time of a sample)\n", value);
}

static void rate_json(const struct dataset_opts *o, const struct ec_loader_stats *r,
                      struct ec_json *j)
{
    char value[64];

    loader_value(o, r, value);
    ec_json_open(j, "reading", '{');
    ec_json_int(j, "samples", r->samples);
    ec_json_int(j, "elapsed_ns", r->elapsed_ns);
    ec_json_int(j, "wait_ns", r->wait_ns);
    ec_json_int(j, "first_wait_ns", r->first_wait_ns);
    ec_json_num(j, "samples_per_s", r->samples_per_s);
    ec_json_num(j, "samples_per_s_per_thread", r->load_samples_per_s);
    ec_json_str(j, "loader", value);
    ec_json_close(j, '}');
}

static enum ec_status report(struct ec_call *call, const struct ec_samples *s, struct ec_err *err)
{
    const struct dataset_opts *o = call->opts;
    struct ec_loader_stats rate = { 0 };
    struct ec_json j;

    if (o->batches)
        EC_PASS(read_batches(s, o, &rate, err));
    if (!call->forms.json) {
        info_text(ec_samples_info(s), &call->out);
        if (o->show)
            EC_PASS(show(call, s, err));
        if (o->batches)
            rate_text(o, &rate, &call->out);
        return EC_OK;
    }
    ec_json_document(&j, &call->out, 2, "epochcast.dataset/1");
    info_json(ec_samples_info(s), &j);
    if (o->batches)
        rate_json(o, &rate, &j);
    ec_json_end(&j);
    return EC_OK;
}

/* The reader whose keys are to be listed ("csv?"); NULL: the word has no question mark. */
static const struct ec_samples_reader *asked_for(const char *spec)
{
    const struct ec_samples_reader *const *r;
    size_t len = strlen(spec);

    for (r = ec_samples_readers(); *r; r++)
        if (len && spec[len - 1] == '?' && strlen((*r)->name) == len - 1 &&
            ec_str_starts(spec, (*r)->name))
            return *r;
    return NULL;
}

static enum ec_status run(struct ec_call *call, struct ec_err *err)
{
    struct dataset_opts *o = call->opts;
    const struct ec_samples_reader *keys;
    struct ec_samples *s = NULL;
    enum ec_status st;

    if (!o->spec)
        return list(call, err);
    keys = asked_for(o->spec);
    if (keys)
        return list_keys(call, keys, err);
    if (call->forms.csv || call->forms.markdown)
        return ec_usage(call, err,
                        "--csv and --markdown go with the lists: give no DATA, or a kind with a "
                        "question mark");
    o->samples.seed = o->seed;
    st = ec_samples_open(o->spec, &o->samples, &s, err);
    if (!st)
        st = report(call, s, err);
    ec_samples_close(s);
    return st;
}
