/* The meaning of columns by their names: one row for each quantity, with the names that people give
 * it. Case, blanks, '-' and '_' do not matter; "images/s" is images_per_s. All code that searches a
 * column in a user's table uses this file. */
#include "tables/mapping_internal.h"

#include <string.h>

/* clang-format off */
const struct ec_unit ec__time_units[] = {
    { "ns", "ns", 1, EC_MEASURE_TIME },       { "us", "us", 1e3, EC_MEASURE_TIME },
    { "ms", "ms", 1e6, EC_MEASURE_TIME },     { "msec", "ms", 1e6, EC_MEASURE_TIME },
    { "s", "s", 1e9, EC_MEASURE_TIME },       { "sec", "s", 1e9, EC_MEASURE_TIME },
    { "secs", "s", 1e9, EC_MEASURE_TIME },    { "seconds", "s", 1e9, EC_MEASURE_TIME },
    { .name = NULL },
};
/* Scripts divide the bytes of the allocator by 1024 twice and call the result MB. */
const struct ec_unit ec__byte_units[] = {
    { "bytes", "B", 1, EC_MEASURE_BYTES },    { "b", "B", 1, EC_MEASURE_BYTES },
    { "kib", "KiB", 0x1p10, EC_MEASURE_BYTES },
    { "mib", "MiB", 0x1p20, EC_MEASURE_BYTES }, { "mb", "MB", 0x1p20, EC_MEASURE_BYTES },
    { "gib", "GiB", 0x1p30, EC_MEASURE_BYTES }, { "gb", "GB", 0x1p30, EC_MEASURE_BYTES },
    { .name = NULL },
};
static const struct ec_unit rate_units[] = {
    { "per_s", "1/s", 1, EC_MEASURE_NUMBER }, { "per_sec", "1/s", 1, EC_MEASURE_NUMBER },
    { "per_second", "1/s", 1, EC_MEASURE_NUMBER },
    { .name = NULL },
};
/* Units of columns that are not measurements. */
static const struct ec_unit other_units[] = {
    { "flop", "FLOP", 1, EC_MEASURE_LARGE },  { "flop_per_s", "FLOP/s", 1, EC_MEASURE_LARGE },
    { "bytes_per_s", "B/s", 1, EC_MEASURE_LARGE },
    { "flop_per_byte", "FLOP/byte", 1, EC_MEASURE_NUMBER },
    { "frac", "", 1, EC_MEASURE_SHARE },      { "pct", "%", 0.01, EC_MEASURE_SHARE },
    { "usd", "USD", 1, EC_MEASURE_NUMBER },   { "w", "W", 1, EC_MEASURE_NUMBER },
    { .name = NULL },
};
/* Units that are part of the name itself. */
static const struct ec_unit things[] = {
    { "images_per_s", "images/s", 1, EC_MEASURE_NUMBER },
    { "images_per_second", "images/s", 1, EC_MEASURE_NUMBER },
    { "samples_per_s", "samples/s", 1, EC_MEASURE_NUMBER },
    { "tokens_per_s", "tokens/s", 1, EC_MEASURE_LARGE },
    { "time_per_epoch", "s", 1e9, EC_MEASURE_TIME },
    { "accuracy", "", 1, EC_MEASURE_SHARE },  { "efficiency", "", 1, EC_MEASURE_SHARE },
    { .name = NULL },
};

/* One row per column. The name of a column with units is one of the names followed by a unit:
 * step_time_ms. `size` is the unit of a name without one; 0: a unit is required. The last member is
 * the list of words that its cells may hold (words.c). If several columns mean the same, the first
 * row is used. */
const struct ec_column ec_columns[] = {
    { EC_Q_MODEL, "model network net arch architecture model_name network_name", NULL, 0, NULL },
    { EC_Q_DEVICE, "device gpu accelerator device_name gpu_name gpu_model gpu_type hardware "
                    "card graphics_card",
      NULL, 0, NULL },
    { EC_Q_ENV, "environment", NULL, 0, NULL },
    { EC_Q_ENV, "env", NULL, 0, NULL },
    { EC_Q_RUN, "run", NULL, 0, NULL },
    { EC_Q_RUN, "run_id", NULL, 0, NULL },
    { EC_Q_RUN, "trial", NULL, 0, NULL },
    { EC_Q_RUN, "repeat", NULL, 0, NULL },
    { EC_Q_RUN, "repetition", NULL, 0, NULL },
    { EC_Q_RUN, "seed", NULL, 0, NULL },
    { EC_Q_BATCH, "batch batch_size bs train_batch_size minibatch minibatch_size "
                   "batch_per_rank", NULL, 0, NULL },
    { EC_Q_PRECISION, "precision prec dtype amp_dtype", NULL, 0, "any_precision" },
    { EC_Q_PRECISION, "mixed_precision mixed amp use_amp", NULL, 0, "any_precision" },
    { EC_Q_FRAMEWORK, "framework", NULL, 0, "any_framework" },
    { EC_Q_FRAMEWORK_VERSION, "framework_version torch_version pytorch_version", NULL, 0, NULL },
    { EC_Q_OPTIMIZER, "optimizer optimiser optim", NULL, 0, "any_optimizer" },
    { EC_Q_RECOMPUTE, "recompute recomputation activation_checkpointing gradient_checkpointing "
      "grad_checkpointing", NULL, 0, "any_recompute" },
    { EC_Q_MEMORY_FORMAT, "memory_format data_format layout", NULL, 0, "any_format" },
    { EC_Q_MODE, "mode", NULL, 0, "any_mode" },
    { EC_Q_OUTCOME, "outcome status", NULL, 0, "any_outcome" },
    { EC_Q_IMAGE_PX, "image_px img_size image_size input_size resolution", NULL, 0, NULL },
    { EC_Q_SEQ_LEN, "seq_len sequence_length seq_length sequence_len", NULL, 0, NULL },
    { EC_Q_NUM_DEVICES, "num_devices n_devices num_gpus n_gpus gpu_count world_size gpus devices "
      "ngpus ngpu ranks", NULL, 0, NULL },
    { EC_Q_ITERATION, "iteration iter iter_idx iteration_idx iter_index step step_idx", NULL, 0,
      NULL },
    { EC_Q_STEP_TIME, "step_time iter_time iteration_time batch_time time_per_step "
      "time_per_iteration time_per_iter time_per_batch median_step_time mean_step_time "
      "avg_step_time step_time_median step_time_mean median_iter_time mean_iter_time "
      "avg_iter_time time step iter iteration batch latency step_latency", ec__time_units, 0,
      NULL },
    { EC_Q_STEP_TIME, "ms_per_step ms_per_iter ms_per_iteration ms_per_batch ms_per_it ms_step "
      "ms_iter ms_batch ms_it it_ms ms", NULL, 1e6, NULL },
    { EC_Q_STEP_TIME, "s_per_step s_per_iter s_per_iteration s_per_batch s_per_it sec_per_step "
      "seconds_per_step sec_per_iter sec_per_it sec_per_iteration sec_per_batch "
      "seconds_per_iter seconds_per_iteration seconds_per_batch s_step s_iter s_it it_s sec_it",
      NULL, 1e9, NULL },
    { EC_Q_STEP_RATE, "its it iters iter iterations steps step batches batch", rate_units, 0,
      NULL },
    { EC_Q_STEP_RATE, "its_s iters_s steps_s batches_s", NULL, 1, NULL },
    { EC_Q_EPOCH_TIME, "time_per_epoch epoch_time epoch_duration epoch", ec__time_units, 1e9,
      NULL },
    { EC_Q_EPOCH_TIME, "s_per_epoch sec_per_epoch seconds_per_epoch", NULL, 1e9, NULL },
    { EC_Q_RATE, "images image imgs img samples sample sequences seqs seq examples "
      "throughput_images throughput_image throughput_imgs throughput_img throughput_samples "
      "throughput_sample",
      rate_units, 0, NULL },
    { EC_Q_RATE, "throughput images_s image_s imgs_s img_s samples_s images_sec imgs_sec img_sec "
      "samples_sec ips fps", NULL, 1, NULL },
    { EC_Q_TOKEN_RATE, "tokens token tok toks throughput_tokens throughput_tok", rate_units, 0,
      NULL },
    { EC_Q_TOKEN_RATE, "tokens_s tok_s toks_s tokens_sec tok_sec tps", NULL, 1, NULL },
    { EC_Q_MEMORY, "peak_memory memory_peak max_memory peak_mem max_mem max_gpu_mem "
      "max_gpu_memory peak_gpu_mem peak_gpu_memory gpu_mem gpu_memory max_memory_allocated "
      "max_mem_allocated peak_memory_allocated memory_allocated mem_allocated allocated "
      "memory mem peak vram peak_vram", ec__byte_units, 0, NULL },
    { EC_Q_DATASET_SIZE, "dataset_size train_size num_train_samples train_samples", NULL, 0, NULL },
    { EC_Q_EPOCHS, "epochs num_epochs n_epochs", NULL, 0, NULL },
    { EC_Q_PARAMS, "num_params n_params params parameters num_parameters", NULL, 0, NULL },
    { EC_Q_DEPTH, "depth", NULL, 0, NULL },
    { EC_Q_BASE_FILTERS, "base_filters base_channels filters n_filters num_filters channels", NULL,
      0, NULL },
};
/* clang-format on */

const int ec_n_columns = EC_LEN(ec_columns);

#define NAME_MAX_BYTES 64

/* "Step time (ms)" -> "step_time_ms", "images/s" -> "images_per_s". False: too long, or empty. */
static bool normalise(const char *name, char out[NAME_MAX_BYTES])
{
    size_t n = 0;
    bool gap = false;

    for (; *name; name++) {
        bool upper = *name >= 'A' && *name <= 'Z', slash = *name == '/';
        char c = upper ? (char)(*name - 'A' + 'a') : *name;
        bool word = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');

        if (n + 8 > NAME_MAX_BYTES)
            return false;
        if (slash && n) {
            memcpy(out + n, "_per", 4);
            n += 4;
        }
        if (word && gap && n)
            out[n++] = '_';
        if (word)
            out[n++] = c;
        gap = !word;
    }
    out[n] = '\0';
    return n > 0;
}

/* The part of a name behind the word; NULL if the name does not begin with the word. loose: '_' is
 * ignored. */
static const char *behind(const char *name, struct ec_span word, bool loose)
{
    size_t i;

    for (i = 0; i < word.len; i++) {
        if (loose && word.p[i] == '_')
            continue;
        while (loose && *name == '_')
            name++;
        if (*name != word.p[i])
            return NULL;
        name++;
    }
    while (loose && *name == '_')
        name++;
    return name;
}

/* Whether the name is the alias followed by the unit, which may be empty. */
static bool spelt(const char *name, struct ec_span alias, const char *unit, bool loose)
{
    const char *rest = behind(name, alias, loose);

    if (!rest || !*unit)
        return rest && !*rest;
    if (!loose && *rest++ != '_')
        return false;
    rest = behind(rest, ec_span_of(unit), loose);
    return rest && !*rest;
}

enum ec_rate ec__column_rate(enum ec_quantity q)
{
    return q == EC_Q_RATE         ? EC_RATE_SAMPLES
           : q == EC_Q_STEP_RATE  ? EC_RATE_STEPS
           : q == EC_Q_TOKEN_RATE ? EC_RATE_TOKENS
                                  : EC_RATE_NONE;
}

static bool alias_of(const struct ec_column *c, const char *name, struct ec_span alias, bool loose,
                     struct ec_meaning *ret)
{
    const struct ec_unit *u;

    ret->quantity = c->quantity;
    ret->size = c->size;
    ret->unit = c->quantity == EC_Q_EPOCH_TIME ? "s" : ec__column_rate(c->quantity) ? "1/s" : "";
    if (spelt(name, alias, "", loose))
        return true;
    for (u = c->units; u && u->name; u++)
        if ((!loose || u->name[1]) && spelt(name, alias, u->name, loose)) {
            ret->size = u->size;
            ret->unit = u->text;
            return true;
        }
    return false;
}

/* '_' can change the meaning, so the exact form is tried first: epoch_s is a time, epochs is a
 * number of epochs. A unit of one letter needs its '_': "times" is not a time in seconds. */
struct ec_meaning ec_column_meaning(const char *name)
{
    struct ec_meaning m = { .quantity = EC_Q_NONE, .unit = "" };
    char text[NAME_MAX_BYTES];
    int i, loose;

    if (!normalise(name, text))
        return m;
    for (loose = 0; loose < 2; loose++)
        for (i = 0; i < ec_n_columns; i++) {
            struct ec_span rest = ec_span_of(ec_columns[i].names), alias;

            while (rest.p && ec_span_cut(&rest, ' ', &alias))
                if (alias_of(&ec_columns[i], text, alias, loose != 0, &m)) {
                    m.rank = i;
                    return m;
                }
        }
    return (struct ec_meaning){ .quantity = EC_Q_NONE, .unit = "" };
}

int ec_column_of(const struct ec_csv *csv, enum ec_quantity q)
{
    int i, best = -1, rank = 0;

    for (i = 0; i < csv->n_cols; i++) {
        struct ec_meaning m = ec_column_meaning(csv->names[i]);

        if (m.quantity == q && (best < 0 || m.rank < rank)) {
            best = i;
            rank = m.rank;
        }
    }
    return best;
}

const char *ec_column_words(enum ec_quantity q)
{
    int i;

    for (i = 0; i < ec_n_columns; i++)
        if (ec_columns[i].quantity == q && ec_columns[i].words)
            return ec_columns[i].words;
    return NULL;
}

bool ec_column_holds_numbers(enum ec_quantity q)
{
    return q != EC_Q_NONE && q != EC_Q_MODEL && q != EC_Q_DEVICE && q != EC_Q_ENV &&
           q != EC_Q_RUN && q != EC_Q_FRAMEWORK_VERSION && !ec_column_words(q);
}

const char *ec_column_word(enum ec_quantity q, const char *cell)
{
    const char *words = ec_column_words(q);

    return words ? ec__word(ec__words_find(NULL, ec_span_of(words)), cell) : NULL;
}

bool ec__cell_is_out_of_memory(const char *cell)
{
    return ec_str_eq(ec_column_word(EC_Q_OUTCOME, cell), EC_OUT_OF_MEMORY);
}

static bool ends_in(const char *name, const char *end)
{
    size_t n = strlen(name), m = strlen(end);

    return n >= m && ec_str_eq(name + n - m, end);
}

/* The longest unit of the list that the name ends in, if longer than *best. The b of rows_b is not
 * a unit. */
static void find_unit(const char *name, const struct ec_unit *list, const struct ec_unit **best)
{
    size_t len = *best ? strlen((*best)->name) : 0, n = strlen(name);
    bool is_thing = list == things;

    for (; list->name; list++) {
        size_t m = strlen(list->name);
        bool apart = is_thing || (n > m && name[n - m - 1] == '_');

        if (m > len && apart && ends_in(name, list->name) && !ec_str_eq(list->name, "b")) {
            *best = list;
            len = m;
        }
    }
}

const struct ec_unit *ec_unit_of(const char *name, bool *ret_apart)
{
    const struct ec_unit *found = NULL, *thing;

    find_unit(name, ec__time_units, &found);
    find_unit(name, ec__byte_units, &found);
    find_unit(name, rate_units, &found);
    find_unit(name, other_units, &found);
    thing = found;
    find_unit(name, things, &thing);
    *ret_apart = thing == found;
    return thing;
}

/* The unit at the end of any name: "images_per_s", "stall_ms". */
const char *ec_column_unit(const char *name, double *ret_seconds)
{
    struct ec_meaning m = ec_column_meaning(name);
    bool is_time = m.quantity == EC_Q_STEP_TIME || m.quantity == EC_Q_EPOCH_TIME, apart;
    const struct ec_unit *u;
    char text[NAME_MAX_BYTES];

    *ret_seconds = is_time ? m.size / 1e9 : 0;
    if (m.quantity == EC_Q_RATE)
        return ec_str_glob("im*", name) ? "images/s" : "samples/s";
    if (m.quantity == EC_Q_STEP_RATE || m.quantity == EC_Q_TOKEN_RATE)
        return m.quantity == EC_Q_STEP_RATE ? "steps/s" : "tokens/s";
    if (*m.unit)
        return m.unit;
    u = normalise(name, text) ? ec_unit_of(text, &apart) : NULL;
    if (u && u->measure == EC_MEASURE_TIME)
        *ret_seconds = u->size / 1e9;
    return u && *u->text ? u->text : NULL;
}

int ec_column_like(const struct ec_csv *csv, const char *name)
{
    int i, col = ec_csv_col(csv, name);
    struct ec_meaning want, m;

    if (col >= 0)
        return col;
    want = ec_column_meaning(name);
    for (i = 0; i < csv->n_cols && col < 0 && want.quantity != EC_Q_NONE; i++) {
        m = ec_column_meaning(csv->names[i]);
        if (m.quantity == want.quantity && m.size == want.size)
            col = i;
    }
    return col;
}
