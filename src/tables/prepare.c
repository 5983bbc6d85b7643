/* Makes a table ready to be read, the same for every command: columns of 0 and 1 become one column
 * of words, and each row gets its machine, where another column or the folder names it. */
#include "tables/mapping_internal.h"

#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------
 * One column for each word: opt_SGD, opt_Adam */

static bool is_member(const char *name, const char *prefix, const char **ret_word)
{
    size_t n = strlen(prefix);

    *ret_word = strncasecmp(name, prefix, n) == 0 && name[n] ? name + n : NULL;
    return *ret_word != NULL;
}

/* The word of a row: the column that has 1, "none" only where no other has; "a+b" where two have,
 * which is no word. False: a cell is neither 0 nor 1. */
static bool word_of_row(struct ec_csv *csv, int row, const char *prefix, const char **ret)
{
    const char *word;
    int i;

    *ret = "";
    for (i = 0; i < csv->n_cols && *ret; i++) {
        double v = 0;

        if (!is_member(csv->names[i], prefix, &word))
            continue;
        if (!ec_parse_double(ec_span_trim(ec_span_of(ec_csv_cell(csv, row, i))), &v) ||
            (fabs(v) > 0 && fabs(v - 1) > 0))
            return false;
        if (!(v > 0) || (**ret && ec_str_ieq(word, "none")))
            continue;
        *ret = !**ret || ec_str_ieq(*ret, "none")
                   ? word
                   : ec_arena_printf(&csv->arena, "%.40s+%.40s", *ret, word);
    }
    return true;
}

static enum ec_status join_columns(struct ec_csv *csv, const char *prefix, const char *name,
                                   struct ec_err *err)
{
    const char **words, *word;
    int i, row, n = 0, col = 0;

    for (i = 0; i < csv->n_cols; i++)
        n += is_member(csv->names[i], prefix, &word);
    if (n < 2 || ec_csv_col(csv, name) >= 0)
        return EC_OK;
    words = ec_arena_alloc(&csv->arena, sizeof *words * ((size_t)csv->n_rows + 1));
    EC_PASS(ec_allocated(words, err));
    for (row = 0; row < csv->n_rows; row++) {
        if (!word_of_row(csv, row, prefix, &words[row]))
            return EC_OK;
        EC_PASS(ec_allocated(words[row], err));
    }
    EC_PASS(ec_csv_add_col(csv, name, &col, err));
    for (row = 0; row < csv->n_rows; row++)
        ec_csv_set(csv, row, col, words[row]);
    return EC_OK;
}

/* Flags of one precision each, bf16 and fp16, become one column: that of the first of them. */
static void join_flags(struct ec_csv *csv)
{
    int at = ec_column_of(csv, EC_Q_PRECISION), i, row;
    int rank = at < 0 ? 0 : ec_column_meaning(csv->names[at]).rank;

    if (at < 0 || rank == ec_column_meaning("precision").rank)
        return;
    for (i = at + 1; i < csv->n_cols; i++) {
        if (ec_column_meaning(csv->names[i]).rank != rank)
            continue;
        for (row = 0; row < csv->n_rows; row++) {
            const char *word = ec_column_word(EC_Q_PRECISION, ec_csv_cell(csv, row, i));

            if (word && !ec_str_eq(word, "fp32"))
                ec_csv_set(csv, row, at, ec_csv_cell(csv, row, i));
        }
        csv->names[i] = ""; /* the first says it */
    }
}

/* ------------------------------------------------------------------------------------------------
 * Machines */

#define PROCESSOR "cpu" /* what is named by its kind alone */
#define WORDS_MAX 4     /* in a message */

struct machines {
    struct ec_csv *csv;
    const struct ec_table_given *given;
    int col;     /* that names the machines; -1: none does */
    int device;  /* column of devices that are products; -1: none */
    bool is_env; /* its words name environments, in which the machine is */
    bool one;    /* its only word is no device of the catalogue, so that --device may say which */
    struct {
        const char *word, *key;
    } seen[64]; /* by hash: tables repeat their words */
};

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool names_processor(const char *text)
{
    const char *p;

    for (p = text; (p = strcasestr(p, PROCESSOR)) != NULL; p++)
        if ((p == text || !is_letter(p[-1])) && !is_letter(p[strlen(PROCESSOR)]))
            return true;
    return false;
}

/* What --environment says of a word; NULL: nothing. */
static const char *said_of(const struct ec_table_given *given, const char *word)
{
    int i;

    for (i = 0; i < given->environments.n; i++) {
        struct ec_span rest = ec_span_of(given->environments.v[i]), name;

        if (ec_span_cut(&rest, '=', &name) && rest.p && ec_span_eq(ec_span_trim(name), word))
            return rest.p;
    }
    return NULL;
}

/* The machine that a word names: as the user says, by the catalogue, or PROCESSOR; NULL: none.
 * loose: the word may hold more than the name */
static const char *look_up(const struct ec_table_given *given, const char *word, bool loose)
{
    const char *key = said_of(given, word);

    if (!key && *word && given->device_in)
        key = given->device_in(word, !loose);
    return key || !loose || !names_processor(word) ? key : PROCESSOR;
}

static const char *machine_of(struct machines *m, const char *word)
{
    size_t at = ec_hash(word, strlen(word)) % EC_LEN(m->seen);

    if (!m->seen[at].word || !ec_str_eq(m->seen[at].word, word)) {
        m->seen[at].word = word;
        m->seen[at].key = look_up(m->given, word, m->is_env);
    }
    return m->seen[at].key;
}

static bool names_any(struct machines *m, int col, bool is_env)
{
    int row;

    memset(m->seen, 0, sizeof m->seen);
    m->is_env = is_env;
    for (row = 0; row < m->csv->n_rows; row++)
        if (machine_of(m, ec_csv_cell(m->csv, row, col)))
            return true;
    return false;
}

/* The column of devices, or the first of environments where it alone names one. */
static void find_column(struct machines *m)
{
    bool is_env = false;
    int best = 0, i;

    m->col = m->device = -1;
    for (i = 0; i < m->csv->n_cols; i++) {
        struct ec_meaning of = ec_column_meaning(m->csv->names[i]);
        bool device = of.quantity == EC_Q_DEVICE && ec__column_is_product(m->csv, i), named;
        int rank;

        if (!device && of.quantity != EC_Q_ENV)
            continue;
        m->device = device && m->device < 0 ? i : m->device;
        named = names_any(m, i, !device);
        rank = of.rank + (named ? 0 : ec_n_columns);
        if ((!device && !named) || (m->col >= 0 && best <= rank))
            continue;
        m->col = i;
        is_env = !device;
        best = rank;
    }
    m->is_env = is_env;
    memset(m->seen, 0, sizeof m->seen);
}

/* Whether --device may stand beside a word that names this machine; NULL: none. */
static bool agrees(const struct ec_table_given *given, const char *word, const char *key)
{
    const char *own = given->device_in ? given->device_in(given->device, true) : NULL;

    if (ec_str_eq(key ? key : "", PROCESSOR))
        return given->is_processor && given->is_processor(given->device);
    return key ? ec_str_eq(key, own ? own : given->device) : !*word;
}

/* --device beside a column that says otherwise. */
static enum ec_status check_column(struct machines *m, struct ec_err *err)
{
    const char *words[WORDS_MAX + 1], *unknown = NULL, *device = m->given->device;
    struct ec_buf list = EC_BUF_INIT;
    int row, i, n = 0;
    bool other = false;
    enum ec_status st;

    for (row = 0; row < m->csv->n_rows && n <= WORDS_MAX; row++) {
        const char *word = ec_csv_cell(m->csv, row, m->col);

        if (!*word || ec_name_index(words, n, word) >= 0)
            continue;
        words[n++] = word;
        other = other || !agrees(m->given, word, machine_of(m, word));
        if (!machine_of(m, word) || ec_str_eq(machine_of(m, word), PROCESSOR))
            unknown = word;
    }
    m->one = n == 1 && !m->is_env && unknown;
    if (!other || m->one)
        return EC_OK;
    for (i = 0; i < n && i < WORDS_MAX; i++)
        ec_buf_printf(&list, "%s%.40s", i ? ", " : "", words[i]);
    ec_buf_str(&list, n > WORDS_MAX ? ", ..." : "");
    st = ec_buf_status(&list, err);
    if (!st && unknown)
        st = ec_fail(err, EC_E_INPUT,
                     "column %.40s says %.200s, --device says %.40s: leave --device out, and say "
                     "--environment '%.40s=KEY'",
                     m->csv->names[m->col], ec_buf_text(&list), device, unknown);
    else if (!st)
        st = ec_fail(err, EC_E_INPUT,
                     "column %.40s says %.200s, --device says %.40s: leave --device out",
                     m->csv->names[m->col], ec_buf_text(&list), device);
    ec_buf_clear(&list);
    return st;
}

/* What the column of devices has in this row. */
static const char *device_of_row(struct machines *m, const char *word)
{
    const char *key = machine_of(m, word), *said = said_of(m->given, word);

    if (!m->is_env)
        return said ? said : m->one ? m->given->device : word;
    if (ec_str_eq(key ? key : "", PROCESSOR))
        return m->given->device && agrees(m->given, word, key) ? m->given->device : word;
    return key ? key : word;
}

/* The column of this name, or a new one. */
static enum ec_status own_column(struct ec_csv *csv, const char *name, int *ret, struct ec_err *err)
{
    *ret = ec_csv_col(csv, name);
    return *ret < 0 ? ec_csv_add_col(csv, name, ret, err) : EC_OK;
}

static enum ec_status name_by_column(struct machines *m, struct ec_err *err)
{
    struct ec_csv *csv = m->csv;
    int device = m->device, env = -1, row;

    if (m->given->device && !m->given->device_chooses)
        EC_PASS(check_column(m, err));
    if (!m->is_env && !m->one && !m->given->environments.n)
        return EC_OK; /* its words are read as they are */
    if (m->device < 0)
        EC_PASS(own_column(csv, "device", &device, err));
    if (!m->is_env && ec_column_of(csv, EC_Q_ENV) < 0)
        EC_PASS(ec_csv_add_col(csv, "environment", &env, err));
    for (row = 0; row < csv->n_rows; row++) {
        const char *word = ec_csv_cell(csv, row, m->col);

        ec_csv_set(csv, row, device, device_of_row(m, word));
        ec_csv_set(csv, row, env, word);
    }
    return EC_OK;
}

static bool is_constant(const struct ec_csv *csv, int col)
{
    int row;

    for (row = 1; row < csv->n_rows; row++)
        if (!ec_str_eq(ec_csv_cell(csv, row, col), ec_csv_cell(csv, 0, col)))
            return false;
    return true;
}

/* The folder names the machine, and the environment unless a column tells several apart. */
static enum ec_status name_by_folder(struct machines *m, struct ec_err *err)
{
    struct ec_span name = ec__folder_of(m->given->path);
    const char *folder = ec_arena_strn(&m->csv->arena, name.len ? name.p : "", name.len);
    const char *key, *device = m->given->device;
    int col = 0, env = -1, row;

    EC_PASS(ec_allocated(folder, err));
    key = *folder ? look_up(m->given, folder, true) : NULL;
    if (!key)
        return EC_OK;
    if (device && agrees(m->given, folder, key))
        key = device;
    else if (device && !m->given->device_chooses)
        return ec_fail(err, EC_E_INPUT,
                       "the folder %.40s names %.40s, --device says %.40s: say --environment "
                       "'%.40s=%.40s'",
                       folder, ec_str_eq(key, PROCESSOR) ? "a processor" : key, device, folder,
                       ec_str_eq(key, PROCESSOR) ? "KEY" : key);
    EC_PASS(own_column(m->csv, "device", &col, err));
    if (is_constant(m->csv, ec_column_of(m->csv, EC_Q_ENV)))
        EC_PASS(own_column(m->csv, "environment", &env, err));
    for (row = 0; row < m->csv->n_rows; row++) {
        ec_csv_set(m->csv, row, col, key);
        ec_csv_set(m->csv, row, env, folder);
    }
    return EC_OK;
}

static enum ec_status check_environments(const struct ec_table_given *given, struct ec_err *err)
{
    int i;

    for (i = 0; i < given->environments.n; i++) {
        const char *text = given->environments.v[i], *equals = strchr(text, '=');

        if (!equals || equals == text || !equals[1])
            return ec_fail(err, EC_E_INPUT,
                           "--environment \"%.60s\": expected NAME=KEY, a name of the table or its "
                           "folder and the device that it is",
                           text);
    }
    return EC_OK;
}

enum ec_status ec_table_prepare(struct ec_csv *csv, const struct ec_table_given *given,
                                struct ec_err *err)
{
    struct machines m = { .csv = csv, .given = given };
    int i;

    for (i = 0; i < csv->n_cols; i++) /* "epoch,  time" */
        csv->names[i] += strspn(csv->names[i], " ");
    EC_PASS(check_environments(given, err));
    EC_PASS(ec_table_plain_numbers(csv, err));
    if (ec_record_is_export(csv) || ec_record_is_file(csv))
        return EC_OK; /* ours say their devices */
    EC_PASS(join_columns(csv, "opt_", "optimizer", err));
    EC_PASS(join_columns(csv, "act_", "activation", err));
    join_flags(csv);
    if (!given->device_in && !given->device && !given->environments.n)
        return EC_OK; /* nobody asks for machines: a picture shows the words that stand there */
    find_column(&m);
    return m.col >= 0 ? name_by_column(&m, err) : name_by_folder(&m, err);
}

#define JSON_MAX_BYTES ((size_t)1 << 20)

/* Why a file that is no table is none, where it is a log or JSON. */
static enum ec_status say_other(const char *path, enum ec_status st, struct ec_csv *csv,
                                struct ec_err *err)
{
    struct ec_file f = { 0 };
    struct ec_log log = { 0 };
    struct ec_span text;
    bool json, known = false;
    int i;

    for (i = 0; i < csv->n_cols && !st; i++)
        known |= ec_column_meaning(csv->names[i]).quantity != EC_Q_NONE &&
                 !ec_str_eq(csv->names[i] + strspn(csv->names[i], " "), "time");
    if (st == EC_E_NOMEM || known || ec_file_open(path, JSON_MAX_BYTES, &f, NULL))
        return st;
    text = ec_span_trim((struct ec_span){ (const char *)f.data, f.len });
    json = text.len && (*text.p == '{' || *text.p == '[');
    if (!ec_log_read(text, &log, NULL))
        st = ec_fail(err, EC_E_UNSUPPORTED, "%s: " EC_TABLE_IS_LOG, path);
    else if (json)
        st = ec_fail(err, EC_E_UNSUPPORTED, "%s: " EC_TABLE_IS_JSON, path);
    ec_log_clear(&log);
    ec_file_close(&f);
    if (st)
        ec_csv_clear(csv);
    return st;
}

enum ec_status ec_table_open(const struct ec_table_given *given, struct ec_csv *ret,
                             struct ec_err *err)
{
    struct ec_csv csv = { 0 };
    enum ec_status st = given->of_trace ? given->of_trace(given, &csv, err) : EC_OK;

    if (!st && !csv.n_cols) {
        st = ec_csv_read(given->path, &csv, err);
        st = say_other(given->path, st, &csv, err);
    }
    if (st)
        return st; /* the message names the file */
    st = ec_table_prepare(&csv, given, err);
    if (st) {
        ec_err_prefix(err, "%s: ", given->path);
        ec_csv_clear(&csv);
        return st;
    }
    *ret = csv;
    return EC_OK;
}
