/* A user's own table: makes its mapping from the names of its columns, and reads its rows. */
#include "tables/record_internal.h"

#include <math.h>
#include <string.h>

#include "table_names.h"

#define HEADER_ENOUGH "model,device,batch,step_time_ms"
#define CIFAR10_TRAIN 50000
/* Only answers of `epochcast predict --csv` have it. */
#define PREDICTED "step_time_p05_ns"
#define JOB_ROW(quantity_, word_) { EC_Q_##quantity_, word_ },

struct plain {
    const struct ec_csv *csv;
    const struct ec_table_given *given;
    struct ec_arena *a;
    struct ec_mapping *l;
    int col[EC_Q_COUNT];
    bool is_grid; /* configurations of the built-in CNN: their parameters are columns */
    enum ec_status st;
};

/* ------------------------------------------------------------------------------------------------
 * The header */

static bool has(const struct plain *p, enum ec_quantity q)
{
    return p->col[q] >= 0;
}

static const char *name_of(const struct plain *p, enum ec_quantity q)
{
    return has(p, q) ? p->csv->names[p->col[q]] : NULL;
}

static double size_of(const struct plain *p, enum ec_quantity q)
{
    return ec_column_meaning(name_of(p, q)).size;
}

static const char *first_in(const struct ec_csv *csv, int col)
{
    int row;

    for (row = 0; row < csv->n_rows && col >= 0; row++)
        if (*ec_csv_cell(csv, row, col))
            return ec_csv_cell(csv, row, col);
    return "";
}

static const char *first_cell(const struct plain *p, enum ec_quantity q)
{
    return first_in(p->csv, p->col[q]);
}

struct ec_span ec__folder_of(const char *path)
{
    const char *end = path ? strrchr(path, '/') : NULL, *begin;

    while (end && end > path && end[-1] == '/')
        end--;
    for (begin = end; end && begin > path && begin[-1] != '/';)
        begin--;
    return !end ? ec_span_of("") : (struct ec_span){ begin, (size_t)(end - begin) };
}

/* "cuda:0" names a place, and "1" a count: no product. */
bool ec__column_is_product(const struct ec_csv *csv, int col)
{
    const char *word = first_in(csv, col);

    return !ec_str_glob("cuda*", word) && !ec_str_glob("gpu*", word) &&
           (!*word || word[strspn(word, "0123456789")]);
}

/* Times and memory without a unit cannot be used; names with characters of templates cannot be part
 * of one. */
static bool usable(const struct ec_csv *csv, int col, const struct ec_meaning *m)
{
    if (m->quantity == EC_Q_STEP_TIME || m->quantity == EC_Q_EPOCH_TIME ||
        m->quantity == EC_Q_MEMORY)
        return m->size > 0;
    if (m->quantity == EC_Q_DEVICE && !ec__column_is_product(csv, col))
        return false;
    return m->quantity != EC_Q_NONE && !strpbrk(csv->names[col], "{}:|+?");
}

static void find_columns(struct plain *p)
{
    int rank[EC_Q_COUNT], i;

    for (i = 0; i < EC_Q_COUNT; i++) {
        p->col[i] = -1;
        rank[i] = 0;
    }
    for (i = 0; i < p->csv->n_cols; i++) {
        struct ec_meaning m = ec_column_meaning(p->csv->names[i]);

        if (!usable(p->csv, i, &m) || (p->col[m.quantity] >= 0 && rank[m.quantity] <= m.rank))
            continue;
        p->col[m.quantity] = i;
        rank[m.quantity] = m.rank;
    }
    if (!has(p, EC_Q_TUNING)) /* "rank" is the number of a process there */
        p->col[EC_Q_ADAPTER_RANK] = -1;
    p->is_grid = has(p, EC_Q_DEPTH) && has(p, EC_Q_BASE_FILTERS);
}

/* A time or memory whose name has no unit; NULL: there is none. */
static const char *without_unit(const struct plain *p, const char **ret_example)
{
    int i;

    for (i = 0; i < p->csv->n_cols; i++) {
        struct ec_meaning m = ec_column_meaning(p->csv->names[i]);

        if ((m.quantity == EC_Q_STEP_TIME || m.quantity == EC_Q_MEMORY) && !(m.size > 0)) {
            *ret_example = ec__likely_unit(p->csv, i, m.quantity);
            return p->csv->names[i];
        }
    }
    return NULL;
}

static const char *device_in(const struct plain *p, const char *text, bool whole)
{
    return p->given->device_in && text && *text ? p->given->device_in(text, whole) : NULL;
}

static const char *base_name(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;

    return slash ? slash + 1 : path;
}

static const char *kept(struct plain *p, const char *text)
{
    if (!text)
        p->st = EC_E_NOMEM;
    return text;
}

/* A template of one column, through its map of words if it has one. */
static const char *template_of(struct plain *p, enum ec_quantity q)
{
    const char *map = ec_column_words(q);

    return kept(p,
                ec_arena_printf(p->a, "{%s%s%s}", name_of(p, q), map ? ":" : "", map ? map : ""));
}

const char *ec_table_device(const struct ec_csv *csv, const struct ec_table_given *given,
                            int *ret_col)
{
    struct plain p = { .csv = csv, .given = given };

    find_columns(&p);
    *ret_col = p.col[EC_Q_DEVICE];
    if (*ret_col >= 0)
        return NULL;
    return given->device && *given->device ? given->device
                                           : device_in(&p, base_name(given->path), false);
}

static const char *find_device(struct plain *p)
{
    int col = -1;
    const char *device = ec_table_device(p->csv, p->given, &col);

    return col < 0 ? device : kept(p, ec_arena_printf(p->a, "{%s}", p->csv->names[col]));
}

/* What a column or a folder calls an environment, where a device was read from that name. */
static void find_taken(struct plain *p)
{
    const char *name = first_cell(p, EC_Q_ENV), *device = first_cell(p, EC_Q_DEVICE);
    const char *key = ec_str_ieq(name, device) ? NULL : device_in(p, name, false);

    if (key && ec_str_eq(key, device)) {
        p->l->taken_env = name;
        p->l->taken_device = device;
    }
}

/* The batch as samples per second times the time of a step; 0 if the rows do not have both, or give
 * different batches. */
static int64_t batch_by_rate(const struct plain *p)
{
    double seconds, rate, sum = 0, batch;
    int row, n = 0;

    if (!has(p, EC_Q_STEP_TIME) || !has(p, EC_Q_RATE))
        return 0;
    for (row = 0; row < p->csv->n_rows; row++) {
        const char *time = ec_csv_cell(p->csv, row, p->col[EC_Q_STEP_TIME]);
        const char *per_s = ec_csv_cell(p->csv, row, p->col[EC_Q_RATE]);

        if (!ec_parse_double(ec_span_trim(ec_span_of(time)), &seconds) ||
            !ec_parse_double(ec_span_trim(ec_span_of(per_s)), &rate))
            continue;
        batch = seconds * size_of(p, EC_Q_STEP_TIME) / 1e9 * rate;
        if (!(batch >= 1) || batch > 1e6 || (n && fabs(batch - sum / n) > 0.02 * batch))
            return 0;
        sum += batch;
        n++;
    }
    return n ? llround(sum / n) : 0;
}

static const char *find_batch(struct plain *p)
{
    int64_t batch = p->given->batch;

    if (has(p, EC_Q_BATCH))
        return template_of(p, EC_Q_BATCH);
    if (batch <= 0)
        batch = batch_by_rate(p);
    if (batch <= 0)
        return NULL;
    return kept(p, ec_arena_printf(p->a, "%lld", (long long)batch));
}

/* The parameters of the CNN are columns, unless its name has them. */
static const char *find_model(struct plain *p)
{
    const char *model = p->given->model && *p->given->model ? p->given->model : NULL;
    bool parameters = p->is_grid && !strchr(first_cell(p, EC_Q_MODEL), ':');

    if (has(p, EC_Q_MODEL))
        model = template_of(p, EC_Q_MODEL);
    else if (!model && p->is_grid)
        model = "cifar_cnn";
    p->l->family = model;
    if (!model || !parameters)
        return model;
    return kept(p, ec_arena_printf(p->a, "%s:depth={%s},base_filters={%s}", model,
                                   name_of(p, EC_Q_DEPTH), name_of(p, EC_Q_BASE_FILTERS)));
}

/* ------------------------------------------------------------------------------------------------
 * The readings: the time of a step, or a quantity from which it follows, and memory */

/* Tokens give a step where the tokens of a sample are known. */
static bool find_rate(const struct plain *p, enum ec_quantity *ret)
{
    if (has(p, EC_Q_STEP_RATE))
        *ret = EC_Q_STEP_RATE;
    else if (has(p, EC_Q_RATE))
        *ret = EC_Q_RATE;
    else
        *ret = EC_Q_TOKEN_RATE;
    return has(p, *ret) && (*ret != EC_Q_TOKEN_RATE || has(p, EC_Q_SEQ_LEN) || p->given->tokens_of);
}

/* "gpu_mem", "vram" and "max_gpu_mem" are what nvidia-smi shows, "max_memory_allocated" is what the
 * allocator has handed out; of others, such as "peak_memory", it is not known. */
static const char *memory_kind_of(const char *column)
{
    bool smi = strcasestr(column, "gpu") || strcasestr(column, "vram");

    return strcasestr(column, "alloc")          ? "allocator"
           : smi && !strcasestr(column, "peak") ? "process"
                                                : EC_MEMORY_EITHER;
}

static void find_readings(struct plain *p)
{
    struct ec_mapping_time *t = p->l->times;
    enum ec_quantity rate;

    if (has(p, EC_Q_STEP_TIME)) {
        *t++ = (struct ec_mapping_time){ .column = name_of(p, EC_Q_STEP_TIME),
                                         .unit_ns = size_of(p, EC_Q_STEP_TIME) };
    } else if (find_rate(p, &rate)) {
        *t++ = (struct ec_mapping_time){ .column = name_of(p, rate),
                                         .rate = ec__column_rate(rate),
                                         .of_all = !has(p, EC_Q_ITERATION) };
        if (rate == EC_Q_TOKEN_RATE)
            p->l->tokens_of = p->given->tokens_of;
    } else if (has(p, EC_Q_EPOCH_TIME) && (has(p, EC_Q_DATASET_SIZE) || p->is_grid)) {
        *t++ = (struct ec_mapping_time){ .column = name_of(p, EC_Q_EPOCH_TIME),
                                         .unit_ns = size_of(p, EC_Q_EPOCH_TIME),
                                         .epoch_samples =
                                             has(p, EC_Q_DATASET_SIZE) ? -1 : CIFAR10_TRAIN };
        p->l->dataset_size = name_of(p, EC_Q_DATASET_SIZE);
    }
    for (t = p->l->times; t->column; t++)
        t->phase = EC_L_WHOLE;
    if (has(p, EC_Q_MEMORY)) {
        p->l->memory = p->l->memory_read = name_of(p, EC_Q_MEMORY);
        p->l->memory_unit_bytes = size_of(p, EC_Q_MEMORY);
        p->l->memory_kind = memory_kind_of(p->l->memory);
    }
    if (p->l->times[0].column)
        p->l->iteration = name_of(p, EC_Q_ITERATION);
}

/* A time of an epoch beside that of a step is recorded too; tables of iterations have none. */
static void find_epochs(struct plain *p)
{
    bool told = p->l->times[0].column && !p->l->iteration && has(p, EC_Q_EPOCH_TIME);

    if (told && !ec_str_eq(p->l->times[0].column, name_of(p, EC_Q_EPOCH_TIME)))
        p->l->times[1] = (struct ec_mapping_time){ .column = name_of(p, EC_Q_EPOCH_TIME),
                                                   .phase = EC_L_WHOLE,
                                                   .unit_ns = size_of(p, EC_Q_EPOCH_TIME),
                                                   .mode = "epoch",
                                                   .stored_only = true };
}

/* ------------------------------------------------------------------------------------------------
 * The mapping */

/* What is trained, and how devices share it. */
static const char *find_job(struct plain *p)
{
    static const struct {
        enum ec_quantity q;
        const char *word;
    } rows[] = { JOB_COLUMNS(JOB_ROW) };
    const char *job = "";
    int i;

    for (i = 0; i < EC_LEN(rows) && job; i++)
        if (has(p, rows[i].q))
            job = ec_arena_printf(p->a, "%s %s=%s", job, rows[i].word, template_of(p, rows[i].q));
    return kept(p, job);
}

static void find_conditions(struct plain *p)
{
    struct ec_mapping *l = p->l;
    const struct {
        enum ec_quantity q;
        const char **ret;
    } rows[] = {
        {EC_Q_PRECISION,          &l->precision        },
        { EC_Q_FRAMEWORK,         &l->framework        },
        { EC_Q_OPTIMIZER,         &l->optimizer        },
        { EC_Q_RECOMPUTE,         &l->recompute        },
        { EC_Q_MODE,              &l->mode             },
        { EC_Q_MEMORY_FORMAT,     &l->memory_format    },
        { EC_Q_FRAMEWORK_VERSION, &l->framework_version},
        { EC_Q_IMAGE_PX,          &l->image_px         },
        { EC_Q_SEQ_LEN,           &l->seq_len          },
        { EC_Q_NUM_DEVICES,       &l->num_devices      },
        { EC_Q_ENV,               &l->device_name      },
        { EC_Q_RUN,               &l->run              },
        { EC_Q_OUTCOME,           &l->outcome          },
    };
    int i;

    l->mode = "training_step";
    l->optimizer = "";
    l->job = find_job(p);
    if (p->given->precision && *p->given->precision)
        l->precision = p->given->precision;
    for (i = 0; i < EC_LEN(rows); i++)
        if (has(p, rows[i].q))
            *rows[i].ret = template_of(p, rows[i].q);
    for (i = 0; i < p->csv->n_cols; i++) /* rows that their own table flags */
        if (ec_str_ends(p->csv->names[i], "suspect"))
            l->flags = kept(p, ec_arena_str(p->a, p->csv->names[i]));
}

enum ec_status ec__check_comparison(const struct ec_csv *csv, const struct ec_table_given *given,
                                    struct ec_err *err)
{
    const char *device = NULL;
    int i;

    for (i = 0; i < csv->n_cols; i++) {
        enum ec_quantity q = ec_column_meaning(csv->names[i]).quantity;

        if ((q >= EC_Q_STEP_TIME && q <= EC_Q_MEMORY) || q == EC_Q_DEVICE)
            return EC_OK;
        if (q == EC_Q_NONE && !device && given->device_in && given->device_in(csv->names[i], false))
            device = csv->names[i];
    }
    if (!device || ec_column_of(csv, EC_Q_MODEL) < 0)
        return EC_OK;
    return ec_fail(err, EC_E_UNSUPPORTED,
                   "column %.40s is a device: a comparison of devices, which does not say what was "
                   "measured; give the table that it was made from, with a row for each run",
                   device);
}

/* The option that says the device of a folder's tables. */
static void put_folder(const struct plain *p, struct ec_buf *options)
{
    struct ec_span folder = ec__folder_of(p->given->path);

    if (!p->l->device && folder.len)
        ec_buf_printf(options, ", for a folder --environment '%.*s=KEY'",
                      (int)(folder.len < 40 ? folder.len : 40), folder.p);
}

/* What a table lacks, in words. */
struct missing {
    struct ec_buf what, options, unknown; /* the last: names of columns without a meaning */
    const char *bare, *unit;              /* a time whose name says no unit; NULL: none */
    bool known, timed;                    /* a known format but for that; it has times or memory */
};

/* "no column says the model and the batch (or say --model NAME, --batch N); ..." */
static enum ec_status say_missing(const struct plain *p, const struct missing *m,
                                  struct ec_err *err)
{
    if (!m->known && p->csv->n_cols == 1)
        return ec_fail(err, EC_E_NOT_FOUND,
                       "no commas, tabs or semicolons divide its lines; a table needs at "
                       "least: " HEADER_ENOUGH);
    if (!m->known)
        return ec_fail(err, EC_E_NOT_FOUND,
                       "no known table format has these %d columns (%.40s, %.40s, ...): no column "
                       "says %s; a table needs at least: " HEADER_ENOUGH "%s",
                       p->csv->n_cols, p->csv->names[0], p->csv->names[1], ec_buf_text(&m->what),
                       has(p, EC_Q_ITERATION) ? "; `epochcast check MODEL --from FILE` reads "
                                                "what a run said at its steps"
                                              : "");
    if (m->bare && !m->timed)
        return ec_fail(err, EC_E_INPUT,
                       "the name of column %.40s says no unit: call it %.40s_%s; a table needs at "
                       "least: " HEADER_ENOUGH,
                       m->bare, m->bare, m->unit);
    return ec_fail(
        err, EC_E_INPUT, "no column says %s%s%s%s; a table needs at least: " HEADER_ENOUGH,
        ec_buf_text(&m->what), ec_buf_text(&m->options),
        m->unknown.len ? "; columns without a known meaning: " : "", ec_buf_text(&m->unknown));
}

static enum ec_status check_missing(struct plain *p, struct ec_err *err)
{
    const struct ec_mapping *l = p->l;
    const char *time = has(p, EC_Q_TOKEN_RATE) ? "the tokens of a sample (seq_len)" : "the time";
    struct missing m = { .timed = l->times[0].column || l->memory };
    const struct {
        bool lacks;
        const char *what, *option;
    } needs[] = {
        {!l->what,    "the model",  "--model NAME"},
        { !l->device, "the device", "--device KEY"},
        { !l->batch,  "the batch",  "--batch N"   },
        { !m.timed,   time,         NULL          },
    };
    enum ec_status st = EC_OK;
    int i, n = 0, left = 0;

    for (i = 0; i < EC_LEN(needs); i++)
        left += needs[i].lacks;
    if (!left)
        return EC_OK;
    EC_TRY(ec__check_comparison(p->csv, p->given, err));
    for (i = 0; i < EC_LEN(needs); i++) {
        if (!needs[i].lacks)
            continue;
        left--;
        ec_buf_printf(&m.what, "%s%s", n++ == 0 ? "" : left ? ", " : " and ", needs[i].what);
        if (needs[i].option)
            ec_buf_printf(&m.options, "%s%s", m.options.len ? ", " : " (or say ", needs[i].option);
    }
    put_folder(p, &m.options);
    ec_buf_str(&m.options, m.options.len ? ")" : "");
    EC_TRY(ec_columns_unknown(p->csv, p->a, &m.unknown, err));
    m.bare = without_unit(p, &m.unit);
    m.known = ((m.timed || m.bare || has(p, EC_Q_TOKEN_RATE)) &&
               (l->what || has(p, EC_Q_DEVICE) || has(p, EC_Q_ENV) || has(p, EC_Q_BATCH) ||
                l->iteration)) ||
              (l->what && l->device && l->batch && strstr(ec_buf_text(&m.unknown), "did you"));
    st = say_missing(p, &m, err);
out:
    ec_buf_clear(&m.unknown);
    ec_buf_clear(&m.what);
    ec_buf_clear(&m.options);
    return st;
}

static void name_mapping(struct plain *p)
{
    struct ec_mapping *l = p->l;

    l->name = l->iteration ? "iterations" : p->is_grid ? "cnn-grid" : "plain";
    l->source = l->iteration ? "iterations of training runs, one row each"
                : p->is_grid ? "grid of networks, seconds per epoch"
                             : "table of training runs";
}

enum ec_status ec__mapping_of_header(const struct ec_csv *csv, const struct ec_table_given *given,
                                     struct ec_arena *a, const struct ec_mapping **ret,
                                     struct ec_err *err)
{
    static const struct ec_table_given none = { 0 };
    struct plain p = { .csv = csv, .given = given ? given : &none, .a = a };
    enum ec_status st = EC_OK;

    if (ec_csv_col(csv, PREDICTED) >= 0)
        return ec_fail(err, EC_E_NOT_FOUND,
                       "a table of predictions (it has the column " PREDICTED
                       "), expected measurements");
    p.l = ec_arena_alloc(a, sizeof *p.l);
    EC_PASS(ec_allocated(p.l, err));
    p.l->plain = p.l->is_network = true;
    find_columns(&p);
    p.l->what = find_model(&p);
    p.l->device = find_device(&p);
    find_taken(&p);
    p.l->batch = find_batch(&p);
    find_readings(&p);
    find_epochs(&p);
    find_conditions(&p);
    name_mapping(&p);
    if (p.st)
        return ec_nomem(err);
    st = check_missing(&p, err);
    *ret = st ? NULL : p.l;
    return st;
}

/* ------------------------------------------------------------------------------------------------
 * Rows as queries, read by the code for recording, so that invalid cells give the same messages */

static enum ec_status keep_reading(const struct ec_record *r, struct ec_arena *a,
                                   struct ec_record_list *ret, struct ec_err *err)
{
    struct ec_record query = *r;

    ec_record_default(&query);
    return ec__keep_query(&query, a, ret, err);
}

/* Some readings are recorded only. */
static bool is_asked(const struct ec_mapping *l, const struct ec_csv *csv,
                     const struct ec_record *r)
{
    int col = ec_csv_col(csv, r->reading), i;

    for (i = 0; i < EC_MAPPING_TIMES_MAX && l->times[i].column; i++)
        if (l->times[i].stored_only && ec__column_named(csv, l->times[i].column) == col)
            return false;
    return r->time.known || l->memory_read;
}

static enum ec_status keep_out_of_memory(const struct ec_record *r, struct ec_arena *a,
                                         struct ec_record_list *ret, struct ec_err *err)
{
    struct ec_record *kept;

    EC_PASS(ec_grow(&ret->out_of_memory, &ret->cap_out_of_memory, ret->n_out_of_memory + 1,
                    sizeof *kept, err));
    kept = &ret->out_of_memory[ret->n_out_of_memory];
    *kept = *r;
    ec_record_default(kept);
    EC_PASS(ec_record_keep(kept, a, err));
    ret->n_out_of_memory++;
    return EC_OK;
}

enum ec_status ec__keep_plain(const struct ec_mapping *l, const struct ec_csv *csv, int row,
                              const struct ec_record *r, int n, struct ec_arena *a,
                              struct ec_record_list *ret, struct ec_err *err)
{
    enum ec_status st = EC_OK;
    int i, before = ret->n;

    if (n && r->kind == EC_KIND_network && ec_str_eq(r->outcome, EC_OUT_OF_MEMORY))
        return keep_out_of_memory(r, a, ret, err);
    if (n && ec_str_eq(r->outcome, "ok") && ec__mapping_judges(l, csv, row) &&
        (r->kind == EC_KIND_network || r->kind == EC_KIND_operator))
        for (i = 0; i < n && !st; i++)
            if (is_asked(l, csv, &r[i]))
                st = keep_reading(&r[i], a, ret, err);
    if (!st && ret->n == before)
        st = ec__exclude(l, csv, row, a, ret, err);
    return st;
}
