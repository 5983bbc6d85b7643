/* Bytes of model files. */
#include "learn/learn_internal.h"

#include <math.h>
#include <string.h>

static void put(struct ec_buf *out, uint64_t v, int n)
{
    unsigned char b[8];
    int i;

    for (i = 0; i < n; i++)
        b[i] = (unsigned char)(v >> (8 * i));
    ec_buf_add(out, b, (size_t)n);
}

void ec__put_uint(struct ec_buf *out, uint32_t v, int n)
{
    put(out, v, n);
}

void ec__put_u32(struct ec_buf *out, uint32_t v)
{
    put(out, v, 4);
}

void ec__put_u64(struct ec_buf *out, uint64_t v)
{
    put(out, v, 8);
}

void ec__put_f32(struct ec_buf *out, float v)
{
    uint32_t u;

    memcpy(&u, &v, sizeof u);
    put(out, u, 4);
}

void ec__put_f64(struct ec_buf *out, double v)
{
    uint64_t u;

    memcpy(&u, &v, sizeof u);
    put(out, u, 8);
}

void ec__put_f64s(struct ec_buf *out, const double *v, int n)
{
    int i;

    for (i = 0; i < n; i++)
        ec__put_f64(out, v[i]);
}

void ec__put_f32s(struct ec_buf *out, const float *v, int n)
{
    int i;

    for (i = 0; i < n; i++)
        ec__put_f32(out, v[i]);
}

void ec__put_text(struct ec_buf *out, const char *text)
{
    ec__put_u32(out, (uint32_t)strlen(text));
    ec_buf_str(out, text);
}

static uint64_t get(struct ec_bytes *in, int n)
{
    uint64_t v = 0;
    int i;

    if (in->bad || in->left < (size_t)n) {
        in->bad = true;
        return 0;
    }
    for (i = 0; i < n; i++)
        v |= (uint64_t)in->p[i] << (8 * i);
    in->p += n;
    in->left -= (size_t)n;
    return v;
}

uint32_t ec__get_uint(struct ec_bytes *in, int n)
{
    return (uint32_t)get(in, n);
}

uint32_t ec__get_u32(struct ec_bytes *in)
{
    return (uint32_t)get(in, 4);
}

uint64_t ec__get_u64(struct ec_bytes *in)
{
    return get(in, 8);
}

float ec__get_f32(struct ec_bytes *in)
{
    uint32_t u = (uint32_t)get(in, 4);
    float v;

    memcpy(&v, &u, sizeof v);
    if (!isfinite(v)) {
        in->bad = true;
        return 0;
    }
    return v;
}

double ec__get_f64(struct ec_bytes *in)
{
    uint64_t u = get(in, 8);
    double v;

    memcpy(&v, &u, sizeof v);
    if (!isfinite(v)) {
        in->bad = true;
        return 0;
    }
    return v;
}

int ec__get_count(struct ec_bytes *in, size_t elem_bytes, int max)
{
    uint32_t n = ec__get_u32(in);

    if (in->bad || n > (uint32_t)max || n > in->left / elem_bytes) {
        in->bad = true;
        return 0;
    }
    return (int)n;
}

struct ec_bytes ec__get_part(struct ec_bytes *in, size_t n)
{
    struct ec_bytes part = *in;

    if (in->bad || n > in->left) {
        in->bad = true;
        n = 0;
    }
    part.left = n;
    in->p += n;
    in->left -= n;
    return part;
}

/* For as many as are left in the bytes. */
static void *room_for(struct ec_bytes *in, int n, size_t elem_bytes, struct ec_arena *a)
{
    in->bad |= (size_t)n > in->left / elem_bytes;
    return in->bad ? NULL : ec_arena_alloc(a, elem_bytes * (size_t)(n ? n : 1));
}

double *ec__get_f64s(struct ec_bytes *in, int n, struct ec_arena *a)
{
    double *v = room_for(in, n, sizeof *v, a);
    int i;

    for (i = 0; v && i < n; i++)
        v[i] = ec__get_f64(in);
    return v;
}

float *ec__get_f32s(struct ec_bytes *in, int n, struct ec_arena *a)
{
    float *v = room_for(in, n, sizeof *v, a);
    int i;

    for (i = 0; v && i < n; i++)
        v[i] = ec__get_f32(in);
    return v;
}

/* Text of one line: what is printed must not carry control characters. */
const char *ec__get_text(struct ec_bytes *in, struct ec_arena *a)
{
    int n = ec__get_count(in, 1, 255), i;
    const char *text = (const char *)in->p;

    if (in->bad)
        return NULL;
    for (i = 0; i < n; i++)
        in->bad |= text[i] < 32 || text[i] > 126;
    if (in->bad)
        return NULL;
    in->p += n;
    in->left -= (size_t)n;
    return ec_arena_strn(a, text, (size_t)n);
}

enum ec_status ec__get_status(const struct ec_bytes *in, bool got, struct ec_err *err)
{
    if (in->bad)
        return ec_fail(err, EC_E_PARSE, "the model file holds what no fit can have written");
    return ec_allocated(got, err);
}
