/* Bytes of model files. */
#include "learn/learn_internal.h"

#include <math.h>
#include <string.h>

void ec__put_uint(struct ec_buf *out, uint64_t v, int n)
{
    unsigned char b[8];
    int i;

    for (i = 0; i < n; i++)
        b[i] = (unsigned char)(v >> (8 * i));
    ec_buf_add(out, b, (size_t)n);
}

void ec__put_f32(struct ec_buf *out, float v)
{
    uint32_t u;

    memcpy(&u, &v, sizeof u);
    ec__put_uint(out, u, 4);
}

void ec__put_f64(struct ec_buf *out, double v)
{
    uint64_t u;

    memcpy(&u, &v, sizeof u);
    ec__put_uint(out, u, 8);
}

void ec__put_text(struct ec_buf *out, const char *text)
{
    ec__put_uint(out, (uint32_t)strlen(text), 4);
    ec_buf_str(out, text);
}

uint64_t ec__get_uint(struct ec_bytes *in, int n)
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

float ec__get_f32(struct ec_bytes *in)
{
    uint32_t u = (uint32_t)ec__get_uint(in, 4);
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
    uint64_t u = ec__get_uint(in, 8);
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
    uint32_t n = (uint32_t)ec__get_uint(in, 4);

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

void ec__io_int(struct ec_bytes *io, int *v, int least, int most)
{
    uint32_t u;

    if (io->out) {
        ec__put_uint(io->out, (uint32_t)*v, 4);
        return;
    }
    u = (uint32_t)ec__get_uint(io, 4);
    io->bad |= u < (uint32_t)least || u > (uint32_t)most;
    *v = io->bad ? least : (int)u;
}

void ec__io_count(struct ec_bytes *io, int *v, size_t elem_bytes, int most)
{
    if (io->out)
        ec__put_uint(io->out, (uint32_t)*v, 4);
    else
        *v = ec__get_count(io, elem_bytes, most);
}

void ec__io_f64(struct ec_bytes *io, double *v)
{
    if (io->out)
        ec__put_f64(io->out, *v);
    else
        *v = ec__get_f64(io);
}

/* Room for as many as are left in the bytes; false: nothing is to be read. */
static bool room_for(struct ec_bytes *in, int n, size_t elem_bytes, void *ret)
{
    void *v;

    in->bad |= (size_t)n > in->left / elem_bytes;
    if (in->bad)
        return false;
    v = ec_arena_alloc(in->a, elem_bytes * (size_t)(n ? n : 1));
    in->bad = in->no_memory = !v;
    memcpy(ret, &v, sizeof v);
    return v != NULL;
}

void ec__io_f64s(struct ec_bytes *io, double **v, int n)
{
    int i;

    if (!io->out && !room_for(io, n, sizeof **v, v))
        return;
    for (i = 0; i < n; i++)
        ec__io_f64(io, &(*v)[i]);
}

void ec__io_f32s(struct ec_bytes *io, float **v, int n)
{
    int i;

    if (!io->out && !room_for(io, n, sizeof **v, v))
        return;
    for (i = 0; i < n; i++)
        if (io->out)
            ec__put_f32(io->out, (*v)[i]);
        else
            (*v)[i] = ec__get_f32(io);
}

void ec__io_widths(struct ec_bytes *io, double **v, int n)
{
    int i;

    ec__io_f64s(io, v, n);
    for (i = 0; !io->bad && i < n; i++)
        io->bad |= (*v)[i] <= 0;
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
    if (in->bad && !in->no_memory)
        return ec_fail(err, EC_E_PARSE, "the model file holds what no fit can have written");
    return ec_allocated(got && !in->no_memory, err);
}
