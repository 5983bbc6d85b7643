/* Error tables: predicted rows grouped by device, family, phase or precision; our errors beside
 * those of a roofline and of FLOP / peak on the same rows. */
#include "predict/predict_internal.h"

#include <stdlib.h>
#include <string.h>

static const char *count_of(const struct ec_record *m)
{
    static const char *const counts[] = { "1", "1", "2", "3", "4", "5", "6", "7", "8" };

    return m->num_devices < EC_LEN(counts) ? counts[m->num_devices] : "more";
}

static const char *group_key(const struct ec_judged *j, enum ec_group_by by)
{
    switch (by) {
    case EC_BY_ALL:
        return "all";
    case EC_BY_DEVICE:
        return j->device;
    case EC_BY_FAMILY:
        return j->m->family;
    case EC_BY_PHASE:
        return ec_record_phase(j->m);
    case EC_BY_PRECISION:
        return ec_record_word(j->m, EC_WORD_PRECISION);
    case EC_BY_DEVICES:
        return count_of(j->m);
    case EC_BY_COUNT:
        break;
    }
    return "";
}

const char *const ec_group_names[] = {
    [EC_BY_ALL] = "all",     [EC_BY_DEVICE] = "device",       [EC_BY_FAMILY] = "family",
    [EC_BY_PHASE] = "phase", [EC_BY_PRECISION] = "precision", [EC_BY_DEVICES] = "devices",
    [EC_BY_COUNT] = NULL,
};

/* Times and memory are never of one group. */
struct keyed {
    const char *key;
    bool is_memory;
    int row;
};

static int by_key(const void *a, const void *b)
{
    const struct keyed *x = a, *y = b;
    int c = strcmp(x->key, y->key);

    return c ? c : x->is_memory != y->is_memory ? x->is_memory - y->is_memory : x->row - y->row;
}

/* Errors of one group. v: scratch for 6 * n numbers */
static enum ec_status group_errors(const struct ec_judged_list *l, const struct keyed *rows, int n,
                                   double *v, struct ec_group_errors *ret, struct ec_err *err)
{
    double *y = v, *p = v + n, *lo = v + 2 * n, *hi = v + 3 * n, *roof = v + 4 * n,
           *flop = v + 5 * n;
    int i;

    for (i = 0; i < n; i++) {
        const struct ec_judged *j = &l->v[rows[i].row];

        y[i] = ec__judged_measured(j);
        p[i] = ec__judged_predicted(j)->p50;
        lo[i] = ec__judged_predicted(j)->p05;
        hi[i] = ec__judged_predicted(j)->p95;
        roof[i] = j->plain.roofline_ns;
        flop[i] = j->plain.flop_ns;
    }
    ret->is_memory = ec_record_is_memory(l->v[rows[0].row].m);
    EC_PASS(ec_metrics_compute(y, p, lo, hi, n, &ret->ours, err));
    EC_PASS(ec_metrics_compute(y, roof, NULL, NULL, n, &ret->roofline, err));
    return ec_metrics_compute(y, flop, NULL, NULL, n, &ret->flop, err);
}

enum ec_status ec_evaluate(const struct ec_judged_list *l, enum ec_group_by by,
                           struct ec_group_errors **ret, int *ret_count, struct ec_err *err)
{
    struct keyed *rows = ec_alloc(sizeof *rows * (size_t)(l->n ? l->n : 1));
    double *v = ec_alloc(sizeof *v * 6 * (size_t)(l->n ? l->n : 1));
    struct ec_group_errors *out = ec_alloc(sizeof *out * (size_t)(l->n ? l->n : 1));
    enum ec_status st = EC_OK;
    int i, j, n = 0;

    EC_TRY(ec_allocated(rows && v && out, err));
    for (i = 0; i < l->n; i++)
        rows[i] = (struct keyed){ group_key(&l->v[i], by), ec_record_is_memory(l->v[i].m), i };
    qsort(rows, (size_t)l->n, sizeof *rows, by_key);
    for (i = 0; i < l->n; i = j) {
        for (j = i; j < l->n && ec_str_eq(rows[i].key, rows[j].key) &&
                    rows[i].is_memory == rows[j].is_memory;
             j++)
            continue;
        out[n].key = rows[i].key;
        out[n].mapping = l->v[rows[i].row].m->source.mapping;
        EC_TRY(group_errors(l, rows + i, j - i, v, &out[n++], err));
    }
    *ret = out;
    *ret_count = n;
    out = NULL;
out:
    ec_free(rows);
    ec_free(v);
    ec_free(out);
    return st;
}
