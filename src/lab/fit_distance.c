/* How unlike rows that are left out are to the rest. Two distances, both root mean squares of
 * differences in standard deviations over all rows: of the work (networks: their structure;
 * operators: logarithms of MAC and of elements, among rows whose kernels are of the same class) and
 * of the device (logarithms of its specification). */
#include "lab/fit_internal.h"
#include "model/model.h"

#include <math.h>

/* Of operators; networks have EC_STRUCTURE_COUNT numbers. */
enum { OP_MAC, OP_READ, OP_WRITTEN, OP_WEIGHTS, OP_COUNT };
enum { MOST = (int)EC_STRUCTURE_COUNT > (int)OP_COUNT ? (int)EC_STRUCTURE_COUNT : (int)OP_COUNT };

/* clang-format off */
#define SPEC_LIST(X)                                                                               \
    X(fp32_flop_per_s) X(fp16_tensor_flop_per_s) X(memory_bytes_per_s) X(l2_bytes) X(sm_count)     \
    X(tdp_w)
/* clang-format on */
#define SPEC_ONE(member) +1
enum { SPEC_COUNT = 0 SPEC_LIST(SPEC_ONE) };

struct ec_fit_space {
    double (*work)[MOST];       /* by row */
    double (*spec)[SPEC_COUNT]; /* by device */
};

static int n_work(const struct ec_fit_row *r)
{
    return r->isolated ? (int)OP_COUNT : (int)EC_STRUCTURE_COUNT;
}

static void operator_work(const struct ec_step *s, double *ret)
{
    double sum[OP_COUNT] = { 0 };
    int i;

    for (i = 0; i < s->n; i++) {
        sum[OP_MAC] += s->kernel[i].mac;
        sum[OP_READ] += s->kernel[i].read_elems;
        sum[OP_WRITTEN] += s->kernel[i].write_elems;
        sum[OP_WEIGHTS] += s->kernel[i].weight_elems;
    }
    for (i = 0; i < OP_COUNT; i++)
        ret[i] = log1p(sum[i]);
}

/* Divides column c of the rows, operators or networks, by its standard deviation. */
static void scale_work(const struct ec_fit *f, struct ec_fit_space *s, bool isolated, int c)
{
    double n = 0, sum = 0, squares = 0, sd;
    int i;

    for (i = 0; i < f->n_rows; i++)
        if (f->row[i]->isolated == isolated) {
            n++;
            sum += s->work[i][c];
            squares += s->work[i][c] * s->work[i][c];
        }
    sd = n > 0 ? sqrt(fmax(0, squares / n - sum / n * (sum / n))) : 0;
    for (i = 0; i < f->n_rows && sd > 0; i++)
        if (f->row[i]->isolated == isolated)
            s->work[i][c] /= sd;
}

static void scale_spec(const struct ec_fit *f, struct ec_fit_space *s, int c)
{
    double sum = 0, squares = 0, sd;
    int i;

    for (i = 0; i < f->n_devices; i++) {
        sum += s->spec[i][c];
        squares += s->spec[i][c] * s->spec[i][c];
    }
    sd = sqrt(fmax(0, squares / f->n_devices - sum / f->n_devices * (sum / f->n_devices)));
    for (i = 0; i < f->n_devices && sd > 0; i++)
        s->spec[i][c] /= sd;
}

enum ec_status ec__fit_space_new(const struct ec_fit *f, struct ec_fit_space **ret,
                                 struct ec_err *err)
{
    struct ec_fit_space *s = ec_alloc(sizeof *s);
    int i, c;

    EC_PASS(ec_allocated(s, err));
    *ret = s;
    s->work = ec_alloc(sizeof *s->work * (size_t)(f->n_rows + 1));
    s->spec = ec_alloc(sizeof *s->spec * (size_t)(f->n_devices + 1));
    EC_PASS(ec_allocated(s->work && s->spec, err));
    for (i = 0; i < f->n_rows; i++)
        if (f->row[i]->isolated)
            operator_work(f->row[i]->step, s->work[i]);
        else
            ec_network_structure(f->row[i]->step, s->work[i]);
    for (i = 0; i < f->n_devices; i++) {
        const struct ec_device *d = f->device[i];
#define SPEC_VALUE(member) log1p(fmax(0, d->member.value)),
        const double v[SPEC_COUNT] = { SPEC_LIST(SPEC_VALUE) };
#undef SPEC_VALUE

        for (c = 0; c < SPEC_COUNT; c++)
            s->spec[i][c] = v[c];
    }
    for (c = 0; c < MOST; c++) {
        if (c < OP_COUNT)
            scale_work(f, s, true, c);
        if (c < EC_STRUCTURE_COUNT)
            scale_work(f, s, false, c);
    }
    for (c = 0; c < SPEC_COUNT; c++)
        scale_spec(f, s, c);
    return EC_OK;
}

void ec__fit_space_free(struct ec_fit_space *s)
{
    if (!s)
        return;
    ec_free(s->work);
    ec_free(s->spec);
    ec_free(s);
}

static double squares(const double *a, const double *b, int n)
{
    double sum = 0;
    int i;

    for (i = 0; i < n; i++)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sum / n;
}

/* Whether rows are compared: networks with networks, an operator with others of its class. */
static bool is_alike(const struct ec_fit_row *a, const struct ec_fit_row *b)
{
    return a->isolated == b->isolated &&
           (!a->isolated || a->step->kernel[0].kclass == b->step->kernel[0].kclass);
}

struct ec_fit_far ec__fit_far(const struct ec_fit *f, const struct ec_fit_space *s, int row,
                              const bool *left)
{
    const struct ec_fit_row *r = f->row[row];
    double work = HUGE_VAL, device = HUGE_VAL;
    int i;

    for (i = 0; i < f->n_rows; i++) {
        if (left[i] || !is_alike(r, f->row[i]))
            continue;
        if (work > 0)
            work = fmin(work, squares(s->work[row], s->work[i], n_work(r)));
        if (device > 0)
            device =
                fmin(device, squares(s->spec[r->device], s->spec[f->row[i]->device], SPEC_COUNT));
    }
    return (struct ec_fit_far){ isfinite(work) ? sqrt(work) : (double)NAN,
                                isfinite(device) ? sqrt(device) : (double)NAN };
}
