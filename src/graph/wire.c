/* Protobuf wire format: tags, numbers and lengths, read in place from memory we do not trust. */
#include "graph/wire_internal.h"

#include <string.h>

struct ec__wire ec__wire_of(const void *data, size_t len)
{
    const unsigned char *p = data;

    return (struct ec__wire){ p, len ? p + len : p, NULL };
}

struct ec__wire ec__wire_span(struct ec_span s)
{
    return ec__wire_of(s.p, s.len);
}

static bool fail(struct ec__wire *w, const char *why)
{
    w->bad = why;
    w->p = w->end;
    return false;
}

static bool varint(struct ec__wire *w, uint64_t *ret)
{
    uint64_t v = 0;
    int shift;

    if (w->p < w->end && *w->p < 0x80) { /* nearly all of them */
        *ret = *w->p++;
        return true;
    }
    for (shift = 0; shift < 64; shift += 7) {
        unsigned char c;

        if (w->p == w->end)
            return fail(w, "it ends inside a number");
        c = *w->p++;
        v |= (uint64_t)(c & 0x7f) << shift;
        if (!(c & 0x80)) {
            *ret = v;
            return true;
        }
    }
    return fail(w, "a number is longer than 64 bits");
}

/* Little-endian, `n` bytes. */
static bool fixed(struct ec__wire *w, size_t n, uint64_t *ret)
{
    uint64_t v = 0;
    size_t i;

    if ((size_t)(w->end - w->p) < n)
        return fail(w, "it ends inside a number");
    for (i = 0; i < n; i++)
        v |= (uint64_t)w->p[i] << (8 * i);
    w->p += n;
    *ret = v;
    return true;
}

static bool length(struct ec__wire *w, struct ec_span *ret)
{
    uint64_t len;

    if (!varint(w, &len))
        return false;
    if (len > (uint64_t)(w->end - w->p))
        return fail(w, "a part claims more bytes than there are");
    *ret = (struct ec_span){ (const char *)w->p, (size_t)len };
    w->p += len;
    return true;
}

bool ec__wire_packed(struct ec__wire *w, enum ec__wire_type type, uint64_t *ret)
{
    if (w->p == w->end)
        return false;
    switch (type) {
    case EC__WIRE_VARINT:
        return varint(w, ret);
    case EC__WIRE_I64:
        return fixed(w, 8, ret);
    case EC__WIRE_I32:
        return fixed(w, 4, ret);
    case EC__WIRE_LEN:
        break;
    }
    return fail(w, "a field is of an unknown kind");
}

bool ec__wire_next(struct ec__wire *w, struct ec__field *ret)
{
    uint64_t tag;

    if (w->p == w->end || !varint(w, &tag))
        return false;
    if (tag >> 3 == 0 || tag >> 3 > 0x1fffffff)
        return fail(w, "a field number is out of range");
    ret->num = (uint32_t)(tag >> 3);
    ret->type = (enum ec__wire_type)(tag & 7);
    ret->u = 0;
    ret->span = (struct ec_span){ NULL, 0 };
    if (ret->type == EC__WIRE_LEN)
        return length(w, &ret->span);
    if (w->p == w->end)
        return fail(w, "it ends inside a number");
    return ec__wire_packed(w, ret->type, &ret->u);
}

double ec__wire_float(uint64_t bits)
{
    uint32_t low = (uint32_t)bits;
    float f;

    memcpy(&f, &low, sizeof f);
    return (double)f;
}

double ec__wire_double(uint64_t bits)
{
    double d;

    memcpy(&d, &bits, sizeof d);
    return d;
}

static void put_varint(struct ec_buf *out, uint64_t v)
{
    for (; v >= 0x80; v >>= 7)
        ec_buf_char(out, (char)(unsigned char)(v | 0x80));
    ec_buf_char(out, (char)v);
}

void ec__wire_put_int(struct ec_buf *out, uint32_t num, int64_t v)
{
    put_varint(out, (uint64_t)num << 3 | EC__WIRE_VARINT);
    put_varint(out, (uint64_t)v);
}

void ec__wire_put_float(struct ec_buf *out, uint32_t num, double v)
{
    float f = (float)v;
    uint32_t bits;
    int i;

    memcpy(&bits, &f, sizeof bits);
    put_varint(out, (uint64_t)num << 3 | EC__WIRE_I32);
    for (i = 0; i < 4; i++)
        ec_buf_char(out, (char)(unsigned char)(bits >> (8 * i)));
}

static void put_bytes(struct ec_buf *out, uint32_t num, const void *data, size_t len)
{
    put_varint(out, (uint64_t)num << 3 | EC__WIRE_LEN);
    put_varint(out, len);
    ec_buf_add(out, data, len);
}

void ec__wire_put_str(struct ec_buf *out, uint32_t num, const char *text)
{
    put_bytes(out, num, text, strlen(text));
}

void ec__wire_put_msg(struct ec_buf *out, uint32_t num, const struct ec_buf *msg)
{
    if (msg->st)
        out->st = msg->st;
    put_bytes(out, num, msg->data, msg->len);
}
