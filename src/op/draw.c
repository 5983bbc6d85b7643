/* What samplers of operators draw with: sizes are log-uniform over the range that is met in
 * practice, channels mostly round numbers, image sides mostly those of the usual stages. Numbers
 * are drawn into variables, never inside the arguments of a call: C does not say in which order
 * those are computed, and compilers differ. */
#include "op/op_internal.h"

#include <math.h>

bool ec__draw_chance(struct ec_rng *r, int percent)
{
    return ec_rng_range(r, 1, 100) <= percent;
}

int64_t ec__draw_log(struct ec_rng *r, int64_t lo, int64_t hi)
{
    double from = log((double)lo), to = log((double)hi + 1);
    int64_t v = (int64_t)exp(from + (to - from) * ec_rng_unit(r));

    return v < lo ? lo : v > hi ? hi : v;
}

int64_t ec__draw_width(struct ec_rng *r, int64_t lo, int64_t hi)
{
    static const int64_t steps[] = { 8, 16, 32, 64 };
    int64_t v = ec__draw_log(r, lo, hi), step = steps[ec_rng_range(r, 0, EC_LEN(steps) - 1)];

    if (ec__draw_chance(r, 20))
        return v;
    return v < step ? step : v / step * step;
}

int64_t ec__draw_side(struct ec_rng *r)
{
    static const int64_t sides[] = { 7, 8, 14, 16, 28, 32, 56, 64, 112, 128, 224 };

    if (ec__draw_chance(r, 70))
        return sides[ec_rng_range(r, 0, EC_LEN(sides) - 1)];
    return ec__draw_log(r, 7, 256);
}

int64_t ec__draw_of(struct ec_rng *r, const int64_t *values, int n)
{
    return values[ec_rng_range(r, 0, n - 1)];
}

void ec__draw_shape(struct ec_rng *r, struct ec_buf *out)
{
    bool image = ec__draw_chance(r, 50), sequence = !image && ec__draw_chance(r, 70);
    int64_t n = ec__draw_log(r, 1, image || sequence ? 256 : 8192);
    int64_t t = sequence ? ec__draw_log(r, 8, 1024) : 1;
    int64_t c = image      ? ec__draw_width(r, 8, 1024)
                : sequence ? ec__draw_width(r, 32, 4096)
                           : ec__draw_width(r, 10, 8192);
    int64_t side = image ? ec__draw_side(r) : 1;

    ec_buf_printf(out, "%lld", (long long)n);
    if (sequence)
        ec_buf_printf(out, "x%lld", (long long)t);
    ec_buf_printf(out, "x%lld", (long long)c);
    if (image)
        ec_buf_printf(out, "x%lldx%lld", (long long)side, (long long)side);
}

void ec__draw_images(struct ec_rng *r, struct ec_buf *out)
{
    int64_t side = ec__draw_side(r), n = ec__draw_log(r, 1, 256);
    int64_t c = ec__draw_width(r, 8, 2048);

    ec_buf_printf(out, "%lldx%lldx%lldx%lld", (long long)n, (long long)c, (long long)side,
                  (long long)side);
}

void ec__draw_rows(struct ec_rng *r, struct ec_buf *out)
{
    int64_t n = ec__draw_log(r, 1, 128), t = ec__draw_log(r, 8, 1024);
    int64_t c = ec__draw_width(r, 64, 4096);

    ec_buf_printf(out, "%lldx%lldx%lld", (long long)n, (long long)t, (long long)c);
}

void ec__sample_any(const struct ec_op *op, struct ec_rng *r, struct ec_buf *out)
{
    ec_buf_printf(out, "%s x=", op->name);
    ec__draw_shape(r, out);
}

void ec__sample_images(const struct ec_op *op, struct ec_rng *r, struct ec_buf *out)
{
    ec_buf_printf(out, "%s x=", op->name);
    ec__draw_images(r, out);
}

void ec__sample_rows(const struct ec_op *op, struct ec_rng *r, struct ec_buf *out)
{
    ec_buf_printf(out, "%s x=", op->name);
    ec__draw_rows(r, out);
}
