/* Lists of records, their faults, and the median of samples. */
#include "dataset/mapping_internal.h"

#include <stdlib.h>
#include <string.h>

enum ec_status ec__keep_query(const struct ec_record *r, struct ec_arena *a,
                              struct ec_record_list *ret, struct ec_err *err)
{
    enum ec_status st = ec_grow(&ret->v, &ret->cap, ret->n + 1, sizeof *ret->v, err);

    if (st)
        return st;
    ret->v[ret->n] = *r;
    st = ec_record_keep(&ret->v[ret->n], a, err);
    ret->n += st == EC_OK;
    return st;
}

enum ec_status ec__keep_fault(const struct ec_csv *csv, int row, struct ec_row_fault fault,
                              struct ec_arena *a, struct ec_record_list *ret, struct ec_err *err)
{
    const char *text;

    if (ret->n_faulty < EC_FAULTY_LINES_MAX)
        ret->faulty_line[ret->n_faulty] = csv->lines[row];
    if (ret->n_faulty++ >= EC_FAULTS_MAX)
        return EC_OK;
    text = ec_arena_printf(a, "line %d, column %.40s: found \"%.60s\", expected %.120s",
                           csv->lines[row], fault.column, fault.found, fault.expected);
    if (!text)
        return ec_nomem(err);
    ret->fault[ret->n_faulty - 1] = text;
    return EC_OK;
}

static int by_number(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

double ec__median(double *v, int n)
{
    if (!n)
        return 0;
    qsort(v, (size_t)n, sizeof *v, by_number);
    return (v[(n - 1) / 2] + v[n / 2]) / 2;
}

bool ec_samples_next(struct ec_span *rest, int64_t *ret_ns, bool *ret_bad)
{
    struct ec_span word;
    double v = 0;

    while (rest->p && ec_span_cut(rest, ' ', &word)) {
        if (!word.len)
            continue;
        *ret_bad = !ec_parse_double(word, &v) || v < 0 || v > 0x1p62;
        *ret_ns = *ret_bad ? 0 : (int64_t)(v + 0.5);
        return true;
    }
    return false;
}

/* Median of a cell of samples, zeros and what is no number left out. */
static bool median_ns(const char *cell, double *ret, enum ec_status *ret_st, struct ec_err *err)
{
    struct ec_span rest = ec_span_of(cell);
    double *v = NULL;
    int n = 0, cap = 0;
    bool bad = false;
    int64_t ns = 0;

    while (!*ret_st && ec_samples_next(&rest, &ns, &bad)) {
        if (bad || ns == 0)
            continue;
        *ret_st = ec_grow(&v, &cap, n + 1, sizeof *v, err);
        if (!*ret_st)
            v[n++] = (double)ns;
    }
    if (n)
        *ret = ec__median(v, n);
    ec_free(v);
    return n > 0;
}

bool ec__sampled_ns(const char *samples, const char *device_samples, double *ret,
                    enum ec_status *ret_st, struct ec_err *err)
{
    return median_ns(device_samples, ret, ret_st, err) ||
           (!*ret_st && median_ns(samples, ret, ret_st, err));
}

static bool same_run(const struct ec_record *a, const struct ec_record *b)
{
    return ec_record_same_words(a, b) && ec_str_eq(a->what, b->what) &&
           ec_str_eq(a->device, b->device) && a->batch == b->batch && a->image_px == b->image_px &&
           a->seq_len == b->seq_len && a->num_devices == b->num_devices &&
           a->threads == b->threads && ec_str_eq(a->reading, b->reading);
}

enum ec_status ec__merge_iterations(struct ec_record_list *l, int first, struct ec_err *err)
{
    double *ns = ec_alloc(sizeof *ns * (size_t)(l->n + 1));
    bool *done = ec_alloc((size_t)l->n + 1);
    int i, k, n, kept = first;

    if (!ns || !done) {
        ec_free(ns);
        ec_free(done);
        return ec_nomem(err);
    }
    memset(done, 0, (size_t)l->n + 1);
    for (i = first; i < l->n; i++) {
        struct ec_record m = l->v[i];

        for (n = 0, k = i; k < l->n && !done[i]; k++)
            if (!done[k] && same_run(&m, &l->v[k])) {
                ns[n++] = l->v[k].time.ns;
                done[k] = k > i;
            }
        if (!n)
            continue;
        done[i] = true;
        m.time.ns = ec__median(ns, n);
        l->v[kept++] = m;
    }
    l->n = kept;
    ec_free(ns);
    ec_free(done);
    return EC_OK;
}

void ec_records_clear(struct ec_record_list *l)
{
    if (!l)
        return;
    ec_free(l->v);
    ec_free(l->out_of_memory);
    memset(l, 0, sizeof *l);
}
