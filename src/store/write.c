/* Writing: sources, machines, and measurements with the rows they refer to. */
#include "store/store_internal.h"

#include "op/op.h"

#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------
 * Rows that are named by their texts */

/* The id of a row of texts, made when it is not there. */
static enum ec_status named_row(struct ec_store *s, enum ec_stmt add, enum ec_stmt find,
                                const char *const *texts, int n, int64_t *ret_id,
                                struct ec_err *err)
{
    sqlite3_stmt *q = NULL;
    bool found = false;

    EC_PASS(ec__store_stmt(s, add, &q, err));
    ec__bind_texts(q, texts, n);
    EC_PASS(ec__store_run(s, q, err));
    if (sqlite3_changes(s->db)) {
        *ret_id = sqlite3_last_insert_rowid(s->db);
        return EC_OK;
    }
    EC_PASS(ec__store_stmt(s, find, &q, err));
    ec__bind_texts(q, texts, n);
    EC_PASS(ec__store_id(s, q, ret_id, &found, err));
    return found ? EC_OK : ec_fail(err, EC_E_STORE, "the store loses rows while they are written");
}

/* The same through a cache. The key is the texts joined by a control character, with their lengths
 * so that it is unambiguous. */
static enum ec_status known_row(struct ec_store *s, struct ec_dict *d, enum ec_stmt add,
                                enum ec_stmt find, const char *const *texts, int n, int64_t *ret_id,
                                struct ec_err *err)
{
    int i;

    ec_buf_reset(&s->key);
    for (i = 0; i < n; i++)
        ec_buf_printf(&s->key, "%zu %s\x1f", strlen(texts[i]), texts[i]);
    EC_PASS(ec_buf_status(&s->key, err));
    if (ec__dict_find(d, ec_buf_text(&s->key), ret_id))
        return EC_OK;
    EC_PASS(named_row(s, add, find, texts, n, ret_id, err));
    return ec__dict_add(d, ec_buf_text(&s->key), *ret_id, err);
}

/* Operators are stored by their canonical text; an invalid case is stored as it is. */
static enum ec_status case_row(struct ec_store *s, const struct ec_record *r, int64_t *ret_id,
                               struct ec_err *err)
{
    const char *texts[] = { r->what, ec_kind_names[r->kind], r->family };
    struct ec_owned_case c = { 0 };
    struct ec_buf text = EC_BUF_INIT, key = EC_BUF_INIT;
    enum ec_status st;

    ec_buf_printf(&key, "%s\x1f%s\x1f%s", texts[1], texts[2], texts[0]);
    EC_TRY(ec_buf_status(&key, err));
    if (ec__dict_find(&s->cases, ec_buf_text(&key), ret_id))
        goto out;
    if (r->kind == EC_KIND_operator) {
        st = ec_case_parse(r->what, &c, NULL);
        if (st == EC_E_NOMEM)
            EC_TRY(ec_nomem(err));
        if (!st)
            ec_case_print(&c.c, &text);
        EC_TRY(ec_buf_status(&text, err));
        texts[0] = text.len ? ec_buf_text(&text) : texts[0];
    }
    EC_TRY(named_row(s, EC_Q_CASE_ADD, EC_Q_CASE_FIND, texts, EC_LEN(texts), ret_id, err));
    EC_TRY(ec__dict_add(&s->cases, ec_buf_text(&key), *ret_id, err));
out:
    ec_case_clear(&c);
    ec_buf_clear(&text);
    ec_buf_clear(&key);
    return st;
}

/* ------------------------------------------------------------------------------------------------
 * Sources and machines */

static enum ec_status find_source(struct ec_store *s, enum ec_stmt by, const char *text,
                                  int64_t *ret_id, bool *ret_found, struct ec_err *err)
{
    sqlite3_stmt *q = NULL;

    EC_PASS(ec__store_stmt(s, by, &q, err));
    ec__bind_texts(q, &text, 1);
    return ec__store_id(s, q, ret_id, ret_found, err);
}

/* A file that has grown since: its rows are still known by their number. */
static enum ec_status note_digest(struct ec_store *s, int64_t id, const char *sha256,
                                  struct ec_err *err)
{
    sqlite3_stmt *q = NULL;

    EC_PASS(ec__store_stmt(s, EC_Q_SOURCE_DIGEST, &q, err));
    (void)sqlite3_bind_int64(q, 1, id);
    (void)sqlite3_bind_text(q, 2, sha256, -1, SQLITE_STATIC);
    return ec__store_run(s, q, err);
}

static enum ec_status insert_source(struct ec_store *s, const struct ec_source *source,
                                    const char *key, int64_t *ret_id, struct ec_err *err)
{
    const char *texts[] = { key,         source->name,   source->mapping,   source->licence,
                            source->url, source->sha256, source->file_name, source->imported };
    sqlite3_stmt *q = NULL;

    EC_PASS(ec__store_stmt(s, EC_Q_SOURCE_ADD, &q, err));
    ec__bind_texts(q, texts, EC_LEN(texts));
    EC_PASS(ec__store_run(s, q, err));
    *ret_id = sqlite3_last_insert_rowid(s->db);
    return EC_OK;
}

#define DIGEST_IN_KEY 12

enum ec_status ec_store_add_source(struct ec_store *s, const struct ec_source *source,
                                   int64_t *ret_id, struct ec_err *err)
{
    const char *sha256 = source->sha256 ? source->sha256 : "";
    char key[160];
    bool found = false;

    if (source->key)
        EC_PASS(find_source(s, EC_Q_SOURCE_BY_KEY, source->key, ret_id, &found, err));
    else
        EC_PASS(find_source(s, EC_Q_SOURCE_BY_DIGEST, sha256, ret_id, &found, err));
    if (found && source->key && *sha256)
        return note_digest(s, *ret_id, sha256, err);
    if (found)
        return EC_OK;
    (void)snprintf(key, sizeof key, "%.100s/%.*s", source->mapping ? source->mapping : "source",
                   DIGEST_IN_KEY, sha256);
    return insert_source(s, source, source->key ? source->key : key, ret_id, err);
}

/* The record is stored as one line, so that equal records compare equal whatever their layout in
 * files was. */
enum ec_status ec_store_add_machine(struct ec_store *s, const char *machine_json, int64_t *ret_id,
                                    struct ec_err *err)
{
    char digest[EC_SHA256_TEXT_BYTES];
    const char *texts[] = { digest, machine_json };
    const struct ec_jval *root = NULL;
    struct ec_buf line = EC_BUF_INIT;
    struct ec_arena a = { 0 };
    enum ec_status st;

    st = ec_json_parse(machine_json, strlen(machine_json), &a, &root, NULL);
    if (st == EC_E_NOMEM)
        EC_TRY(ec_nomem(err));
    if (!st) {
        ec__json_print(root, &line);
        EC_TRY(ec_buf_status(&line, err));
        texts[1] = ec_buf_text(&line);
    }
    ec_sha256(texts[1], strlen(texts[1]), digest);
    EC_TRY(named_row(s, EC_Q_MACHINE_ADD, EC_Q_MACHINE_FIND, texts, EC_LEN(texts), ret_id, err));
out:
    ec_buf_clear(&line);
    ec_arena_clear(&a);
    return st;
}

/* ------------------------------------------------------------------------------------------------
 * Measurements */

static void bind_count(sqlite3_stmt *q, int at, int64_t v)
{
    if (v)
        (void)sqlite3_bind_int64(q, at, v);
    else
        (void)sqlite3_bind_null(q, at);
}

static void bind_time(sqlite3_stmt *q, int at, struct ec_reading v)
{
    if (v.known)
        (void)sqlite3_bind_double(q, at, v.ns);
    else
        (void)sqlite3_bind_null(q, at);
}

static void bind_text(sqlite3_stmt *q, int at, const char *text)
{
    (void)sqlite3_bind_text(q, at, text ? text : "", -1, SQLITE_STATIC);
}

static const char *outcome_name(const char *word)
{
    static const char *const words[] = { "ok", "unsupported", "out_of_memory", "unstable",
                                         "error" };
    int i;

    for (i = 0; i < EC_LEN(words); i++)
        if (word && ec_str_eq(word, words[i]))
            return words[i];
    return NULL;
}

static void bind_cell(sqlite3_stmt *q, int at, const struct ec_record_col *c,
                      const struct ec_record *r)
{
    const char *from = (const char *)r + c->offset;
    struct ec_reading reading;
    const char *text;
    int64_t count;
    double v;

    switch (c->type) {
    case EC_C_TEXT:
        memcpy(&text, from, sizeof text);
        bind_text(q, at, text);
        return;
    case EC_C_JSON:
        memcpy(&text, from, sizeof text);
        if (text && *text)
            bind_text(q, at, text);
        else
            (void)sqlite3_bind_null(q, at);
        return;
    case EC_C_COUNT:
        memcpy(&count, from, sizeof count);
        bind_count(q, at, count);
        return;
    case EC_C_NUMBER:
        memcpy(&v, from, sizeof v);
        bind_count(q, at, v < 0x1p62 ? (int64_t)v : 0);
        return;
    case EC_C_TIME:
        memcpy(&reading, from, sizeof reading);
        bind_time(q, at, reading);
        return;
    case EC_C_ROW:
        (void)sqlite3_bind_int64(q, at, r->row);
        return;
    case EC_C_FLAG:
        (void)sqlite3_bind_int64(q, at, *(const bool *)from);
        return;
    case EC_C_PHASE:
        bind_text(q, at, ec_record_phase_word(r));
        return;
    case EC_C_WORD:
        bind_text(q, at, ec_record_word(r, c->word));
        return;
    case EC_C_KIND: /* in other tables */
    case EC_C_LIBRARY:
        return;
    }
}

static enum ec_status find_measurement(struct ec_store *s, int64_t source_id,
                                       const struct ec_record *r, int64_t *ret_id, bool *ret_found,
                                       struct ec_err *err)
{
    sqlite3_stmt *q = NULL;

    EC_PASS(ec__store_stmt(s, EC_Q_MEASUREMENT_FIND, &q, err));
    (void)sqlite3_bind_int64(q, 1, source_id);
    (void)sqlite3_bind_int64(q, 2, r->row);
    bind_text(q, 3, r->reading);
    return ec__store_id(s, q, ret_id, ret_found, err);
}

static enum ec_status insert_measurement(struct ec_store *s, int64_t source_id, int64_t machine_id,
                                         const struct ec_record *r, int64_t *ret_id,
                                         struct ec_err *err)
{
    const char *device[] = { r->device, r->device_name };
    const char *software[] = { ec_record_word(r, EC_WORD_FRAMEWORK), r->framework_version,
                               r->libraries };
    const struct ec_record_col *c;
    int at = EC_MEASUREMENT_IDS;
    int64_t device_id = 0, software_id = 0, cas_id = 0;
    sqlite3_stmt *q = NULL;

    EC_PASS(known_row(s, &s->devices, EC_Q_DEVICE_ADD, EC_Q_DEVICE_FIND, device, EC_LEN(device),
                      &device_id, err));
    EC_PASS(known_row(s, &s->software, EC_Q_SOFTWARE_ADD, EC_Q_SOFTWARE_FIND, software,
                      EC_LEN(software), &software_id, err));
    EC_PASS(case_row(s, r, &cas_id, err));
    EC_PASS(ec__store_stmt(s, EC_Q_MEASUREMENT_ADD, &q, err));
    (void)sqlite3_bind_int64(q, 1, source_id);
    bind_count(q, 2, machine_id);
    (void)sqlite3_bind_int64(q, 3, device_id);
    (void)sqlite3_bind_int64(q, 4, software_id);
    (void)sqlite3_bind_int64(q, 5, cas_id);
    for (c = ec_record_cols; c->name; c++)
        if (c->table == 'm')
            bind_cell(q, ++at, c, r);
    EC_PASS(ec__store_run(s, q, err));
    *ret_id = sqlite3_last_insert_rowid(s->db);
    return EC_OK;
}

enum ec_status ec_store_add(struct ec_store *s, int64_t source_id, int64_t machine_id,
                            const struct ec_record *r, int64_t *ret_id, bool *ret_new,
                            struct ec_err *err)
{
    bool alone = !s->in_batch, found = false;
    enum ec_status st = EC_OK;

    if (!outcome_name(r->outcome))
        return ec_fail(err, EC_E_INPUT,
                       "row %d: outcome \"%.40s\" is none of ok, unsupported, out_of_memory, "
                       "unstable, error",
                       r->row + 1, r->outcome ? r->outcome : "");
    if (alone)
        st = ec_store_begin(s, err);
    if (!st)
        st = find_measurement(s, source_id, r, ret_id, &found, err);
    if (!st && !found)
        st = insert_measurement(s, source_id, machine_id, r, ret_id, err);
    if (alone)
        st = ec__store_end(s, st, err);
    if (!st && ret_new)
        *ret_new = !found;
    return st;
}

enum ec_status ec_store_add_sample(struct ec_store *s, int64_t measurement_id,
                                   const struct ec_sample *sample, struct ec_err *err)
{
    sqlite3_stmt *q = NULL;

    EC_PASS(ec__store_stmt(s, EC_Q_SAMPLE_ADD, &q, err));
    (void)sqlite3_bind_int64(q, 1, measurement_id);
    (void)sqlite3_bind_int64(q, 2, sample->iteration);
    bind_count(q, 3, sample->host_ns);
    bind_count(q, 4, sample->device_ns);
    bind_text(q, 5, sample->flags);
    return ec__store_run(s, q, err);
}
