/* Reading and writing safetensors. */
#include "graph/safetensors.h"

#include <string.h>

#define HEADER_LEN_BYTES 8
#define HEADER_MAX_BYTES ((uint64_t)100 << 20) /* as the format has it */

static const struct type {
    const char *name;
    enum ec_dtype dtype; /* EC_DT_COUNT: none of ours */
    int bits;
} types[EC_TENSOR_TYPES] = {
    {"F32",      EC_DT_f32,   32},
    { "F16",     EC_DT_f16,   16},
    { "BF16",    EC_DT_bf16,  16},
    { "F64",     EC_DT_f64,   64},
    { "I64",     EC_DT_i64,   64},
    { "I32",     EC_DT_i32,   32},
    { "I16",     EC_DT_i16,   16},
    { "I8",      EC_DT_i8,    8 },
    { "U8",      EC_DT_u8,    8 },
    { "BOOL",    EC_DT_bool,  8 },
    { "U64",     EC_DT_COUNT, 64},
    { "U32",     EC_DT_COUNT, 32},
    { "U16",     EC_DT_COUNT, 16},
    { "C64",     EC_DT_COUNT, 64},
    { "F8_E4M3", EC_DT_COUNT, 8 },
    { "F8_E5M2", EC_DT_COUNT, 8 },
    { "F8_E8M0", EC_DT_COUNT, 8 },
    { "F6_E2M3", EC_DT_COUNT, 6 },
    { "F6_E3M2", EC_DT_COUNT, 6 },
    { "F4",      EC_DT_COUNT, 4 },
};

/* By the name in files; NULL: there is none. */
static const struct type *type_of(const struct ec_jval *name)
{
    int i;

    for (i = 0; name && name->type == EC_J_STR && i < EC_LEN(types); i++)
        if (ec_str_eq(types[i].name, name->str))
            return &types[i];
    return NULL;
}

static const char *type_name(enum ec_dtype t)
{
    int i;

    for (i = 0; i < EC_LEN(types) - 1 && types[i].dtype != t; i++)
        ;
    return types[i].name;
}

/* --- The checksum ---
 * The note "crc32": of the whole file, in eight hexadecimal digits, which count as zeros. Other
 * programs' files have none. */

#define SUM_BEGIN "\"crc32\":\""
#define SUM_ZEROS "00000000"
enum { SUM_DIGITS = sizeof SUM_ZEROS - 1 };

/* Where in the file its digits stand; 0: nowhere. */
static size_t sum_place(const char *header, size_t len)
{
    const char *at = memmem(header, len, SUM_BEGIN, sizeof SUM_BEGIN - 1);
    size_t place = at ? (size_t)(at - header) + sizeof SUM_BEGIN - 1 : 0;

    return place && len - place >= SUM_DIGITS ? HEADER_LEN_BYTES + place : 0;
}

static enum ec_status check_sum(const char *data, size_t len, const struct ec_tensors *f,
                                size_t header_len, struct ec_err *err)
{
    const char *want = ec_tensors_note(f, "crc32");
    size_t place = sum_place(data + HEADER_LEN_BYTES, header_len);
    struct ec_crc32 sum;
    char found[16];

    if (!want || !place)
        return EC_OK;
    ec_crc32_init(&sum);
    ec_crc32_add(&sum, data, place);
    ec_crc32_add(&sum, SUM_ZEROS, SUM_DIGITS);
    ec_crc32_add(&sum, data + place + SUM_DIGITS, len - place - SUM_DIGITS);
    (void)snprintf(found, sizeof found, "%08x", (unsigned)ec_crc32_sum(&sum));
    return ec_str_eq(found, want)
               ? EC_OK
               : ec_fail(err, EC_E_PARSE, "checksum %s, expected %.8s: the file is damaged", found,
                         want);
}

/* --- Reading --- */

static enum ec_status read_shape(const struct ec_jval *v, struct ec_tensor *t, struct ec_err *err)
{
    const struct ec_jval *d;

    if (!v || v->type != EC_J_ARRAY || v->n > EC_RANK_MAX)
        return ec_fail(err, EC_E_PARSE, "tensor \"%.80s\": shape is no list of at most %d numbers",
                       t->name, EC_RANK_MAX);
    for (d = v->child; d; d = d->next) {
        if (d->type != EC_J_NUM || !d->is_int || d->i < 0)
            return ec_fail(err, EC_E_PARSE, "tensor \"%.80s\": a dimension is no whole number",
                           t->name);
        t->shape.d[t->shape.rank++] = d->i;
    }
    return EC_OK;
}

static enum ec_status read_range(const struct ec_jval *v, int bits, struct ec_tensor *t,
                                 const char *data, int64_t data_bytes, struct ec_err *err)
{
    const struct ec_jval *end = v && v->type == EC_J_ARRAY && v->n == 2 ? v->child->next : NULL;
    int64_t n, want;

    if (!end || !v->child->is_int || !end->is_int)
        return ec_fail(err, EC_E_PARSE, "tensor \"%.80s\": data_offsets are not two whole numbers",
                       t->name);
    if (v->child->i < 0 || end->i < v->child->i || end->i > data_bytes)
        return ec_fail(err, EC_E_PARSE,
                       "tensor \"%.80s\": data_offsets %lld to %lld lie outside the %lld bytes "
                       "of the file",
                       t->name, (long long)v->child->i, (long long)end->i, (long long)data_bytes);
    t->bytes = end->i - v->child->i;
    if (!ec_shape_count(&t->shape, &n) || !ec_mul_i64(n, bits, &want) || want % 8 ||
        want / 8 != t->bytes)
        return ec_fail(err, EC_E_PARSE, "tensor \"%.80s\": %lld bytes do not fit its shape",
                       t->name, (long long)t->bytes);
    t->data = data + v->child->i;
    return EC_OK;
}

static enum ec_status read_tensor(const struct ec_jval *v, const char *data, int64_t data_bytes,
                                  struct ec_tensor *t, struct ec_err *err)
{
    const struct ec_jval *word = ec_json_get(v, "dtype");
    const struct type *type = type_of(word);

    t->name = v->key;
    if (!type)
        return ec_fail(err, EC_E_PARSE, "tensor \"%.80s\": unknown dtype \"%.20s\"", t->name,
                       word && word->type == EC_J_STR ? word->str : "");
    t->dtype = type->dtype;
    t->type = type->name;
    EC_PASS(read_shape(ec_json_get(v, "shape"), t, err));
    return read_range(ec_json_get(v, "data_offsets"), type->bits, t, data, data_bytes, err);
}

static enum ec_status read_notes(const struct ec_jval *v, struct ec_tensors *ret,
                                 struct ec_err *err)
{
    const struct ec_jval *c;

    if (v->type != EC_J_OBJECT)
        return ec_fail(err, EC_E_PARSE, "__metadata__ is no object");
    ret->notes = ec_arena_alloc(&ret->arena, sizeof *ret->notes * ((size_t)v->n + 1));
    EC_PASS(ec_allocated(ret->notes, err));
    for (c = v->child; c; c = c->next) {
        if (c->type != EC_J_STR)
            return ec_fail(err, EC_E_PARSE, "__metadata__: \"%.80s\" is no text", c->key);
        ret->notes[ret->n_notes++] = (struct ec_tensor_note){ c->key, c->str };
    }
    return EC_OK;
}

static enum ec_status read_header(const struct ec_jval *h, const char *data, int64_t data_bytes,
                                  struct ec_tensors *ret, struct ec_err *err)
{
    const struct ec_jval *c;
    int64_t left_bytes = data_bytes; /* the format has neither gaps nor overlaps */
    int i;

    if (h->type != EC_J_OBJECT)
        return ec_fail(err, EC_E_PARSE, "the header is no object");
    ret->v = ec_arena_alloc(&ret->arena, sizeof *ret->v * ((size_t)h->n + 1));
    EC_PASS(ec_allocated(ret->v, err));
    for (c = h->child; c; c = c->next) {
        if (ec_str_eq(c->key, "__metadata__"))
            EC_PASS(read_notes(c, ret, err));
        else if (c->type != EC_J_OBJECT)
            return ec_fail(err, EC_E_PARSE, "tensor \"%.80s\" is no object", c->key);
        else
            EC_PASS(read_tensor(c, data, data_bytes, &ret->v[ret->n++], err));
    }
    for (i = 0; i < ret->n && left_bytes >= 0; i++)
        left_bytes -= ret->v[i].bytes;
    if (left_bytes)
        return ec_fail(err, EC_E_PARSE, "its tensors take %s bytes than follow its header",
                       left_bytes < 0 ? "more" : "fewer");
    return EC_OK;
}

enum ec_status ec_tensors_parse(const void *data, size_t len, struct ec_tensors *ret,
                                struct ec_err *err)
{
    const unsigned char *p = data;
    const struct ec_jval *header = NULL;
    uint64_t n = 0;
    enum ec_status st;
    int i;

    if (len < HEADER_LEN_BYTES)
        return ec_fail(err, EC_E_PARSE, "%zu bytes: too short for a safetensors file", len);
    for (i = 0; i < HEADER_LEN_BYTES; i++)
        n |= (uint64_t)p[i] << 8 * i;
    if (n > HEADER_MAX_BYTES || n > len - HEADER_LEN_BYTES)
        return ec_fail(err, EC_E_PARSE,
                       "the header claims %llu bytes, the file has %zu: no safetensors file, or "
                       "a damaged one",
                       (unsigned long long)n, len);
    EC_TRY(ec_json_parse((const char *)p + HEADER_LEN_BYTES, (size_t)n, &ret->arena, &header, err));
    EC_TRY(read_header(header, (const char *)p + HEADER_LEN_BYTES + n,
                       (int64_t)(len - HEADER_LEN_BYTES - n), ret, err));
    EC_TRY(check_sum(data, len, ret, (size_t)n, err));
out:
    if (st)
        ec_tensors_clear(ret);
    return st;
}

enum ec_status ec_tensors_open(const char *path, struct ec_tensors *ret, struct ec_err *err)
{
    struct ec_file f = { 0 };
    enum ec_status st;

    EC_PASS(ec_file_open(path, 0, &f, err));
    st = ec_within(err, ec_tensors_parse(f.data, f.len, ret, err), "%s: ", path);
    if (!st)
        ret->file = f;
    else
        ec_file_close(&f);
    return st;
}

void ec_tensors_clear(struct ec_tensors *t)
{
    if (!t)
        return;
    ec_file_close(&t->file);
    ec_arena_clear(&t->arena);
    memset(t, 0, sizeof *t);
}

const struct ec_tensor *ec_tensors_find(const struct ec_tensors *t, const char *name)
{
    return ec_row_named(t->v, t->n, sizeof *t->v, name);
}

const char *ec_tensors_note(const struct ec_tensors *t, const char *key)
{
    const struct ec_tensor_note *note = ec_row_named(t->notes, t->n_notes, sizeof *t->notes, key);

    return note ? note->value : NULL;
}

/* --- Writing --- */

static void put_header(const struct ec_tensor *v, int n, const struct ec_tensor_note *notes,
                       int n_notes, struct ec_buf *out)
{
    struct ec_json j;
    int64_t at = 0;
    int i, k;

    ec_json_begin(&j, out, 0);
    ec_json_open(&j, NULL, '{');
    ec_json_open(&j, "__metadata__", '{');
    ec_json_str(&j, "crc32", SUM_ZEROS); /* first: it is found by its text */
    for (i = 0; i < n_notes; i++)
        ec_json_str(&j, notes[i].key, notes[i].value);
    ec_json_close(&j, '}');
    for (i = 0; i < n; i++) {
        ec_json_open(&j, v[i].name, '{');
        ec_json_str(&j, "dtype", type_name(v[i].dtype));
        ec_json_open(&j, "shape", '[');
        for (k = 0; k < v[i].shape.rank; k++)
            ec_json_int(&j, NULL, v[i].shape.d[k]);
        ec_json_close(&j, ']');
        ec_json_open(&j, "data_offsets", '[');
        ec_json_int(&j, NULL, at);
        ec_json_int(&j, NULL, at + v[i].bytes);
        ec_json_close(&j, ']');
        ec_json_close(&j, '}');
        at += v[i].bytes;
    }
    ec_json_close(&j, '}');
    while (out->len % HEADER_LEN_BYTES && !out->st) /* numbers begin aligned, as the format asks */
        ec_buf_char(out, ' ');
}

struct writing {
    struct ec_new_file file;
    struct ec_crc32 sum;
};

static enum ec_status put(struct writing *w, const void *data, size_t len, struct ec_err *err)
{
    ec_crc32_add(&w->sum, data, len);
    return ec_new_file_put(&w->file, data, len, err);
}

static enum ec_status put_tensors(struct writing *w, const struct ec_tensor *v, int n,
                                  ec_tensor_fetch fetch, void *user, struct ec_err *err)
{
    enum ec_status st = EC_OK;
    int64_t largest = 0;
    void *mem = NULL;
    int i;

    for (i = 0; i < n; i++)
        if (!v[i].data && v[i].bytes > largest)
            largest = v[i].bytes;
    mem = ec_alloc((size_t)largest);
    EC_TRY(ec_allocated(mem, err));
    for (i = 0; i < n; i++) {
        if (!v[i].data)
            EC_TRY(fetch(user, &v[i], mem, err));
        EC_TRY(put(w, v[i].data ? v[i].data : mem, (size_t)v[i].bytes, err));
    }
out:
    ec_free(mem);
    return st;
}

static enum ec_status put_sum(struct writing *w, const struct ec_buf *header, struct ec_err *err)
{
    char digits[16];

    (void)snprintf(digits, sizeof digits, "%08x", (unsigned)ec_crc32_sum(&w->sum));
    return ec_new_file_put_at(&w->file, (int64_t)sum_place(header->data, header->len), digits,
                              SUM_DIGITS, err);
}

enum ec_status ec_tensors_write(const char *path, const struct ec_tensor *v, int n,
                                const struct ec_tensor_note *notes, int n_notes,
                                ec_tensor_fetch fetch, void *user, struct ec_err *err)
{
    struct writing w = { .file = EC_NEW_FILE_INIT };
    unsigned char len[HEADER_LEN_BYTES];
    struct ec_buf header = EC_BUF_INIT;
    enum ec_status st;
    int i;

    ec_crc32_init(&w.sum);
    put_header(v, n, notes, n_notes, &header);
    EC_TRY(ec_buf_status(&header, err));
    for (i = 0; i < HEADER_LEN_BYTES; i++)
        len[i] = (unsigned char)(header.len >> 8 * i);
    EC_TRY(ec_new_file_open(&w.file, path, err));
    EC_TRY(put(&w, len, sizeof len, err));
    EC_TRY(put(&w, header.data, header.len, err));
    EC_TRY(put_tensors(&w, v, n, fetch, user, err));
    EC_TRY(put_sum(&w, &header, err));
    EC_TRY(ec_new_file_commit(&w.file, err));
out:
    ec_new_file_close(&w.file);
    ec_buf_clear(&header);
    return st;
}
