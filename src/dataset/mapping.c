/* Rows of a public table as queries, and the median of samples. */
#include "dataset/mapping_internal.h"
#include "dataset/record_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

static enum ec_status public_rows(const struct ec_mapping *l, const struct ec_csv *csv,
                                  struct ec_arena *a, struct ec_record_list *ret,
                                  struct ec_err *err)
{
    struct ec_record r[EC_RECORDS_MAX];
    struct ec_reader *reader = NULL;
    enum ec_status st;
    int row, n = 0, i;

    EC_TRY(ec__judging_reader_new(l, csv, &reader, err));
    for (row = 0; row < csv->n_rows; row++) {
        EC_TRY(ec_reader_row(reader, row, r, &n, err));
        for (i = 0; i < n; i++)
            EC_TRY(ec__keep_query(&r[i], a, ret, err));
        ret->n_excluded += n == 0;
    }
out:
    ec_reader_free(reader);
    return st;
}

enum ec_status ec_mapping_rows(const struct ec_mapping *l, const struct ec_csv *csv,
                               struct ec_arena *a, struct ec_record_list *ret, struct ec_err *err)
{
    if (l->is_export)
        return ec__export_rows(csv, a, ret, err);
    if (l->plain || l->map->is_own)
        return ec__plain_rows(l, csv, a, ret, err);
    return public_rows(l, csv, a, ret, err);
}

void ec_records_clear(struct ec_record_list *l)
{
    if (!l)
        return;
    ec_free(l->v);
    memset(l, 0, sizeof *l);
}
