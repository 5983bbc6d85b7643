/* Lists of records, their faults, and the median of samples. */
#include "tables/mapping_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum ec_status ec__keep_query(const struct ec_record *r, struct ec_arena *a,
                              struct ec_record_list *ret, struct ec_err *err)
{
    EC_PASS(ec_grow(&ret->v, &ret->cap, ret->n + 1, sizeof *ret->v, err));
    ret->v[ret->n] = *r;
    EC_PASS(ec_record_keep(&ret->v[ret->n], a, err));
    ret->n++;
    return EC_OK;
}

/* The first condition that a row does not pass. */
static struct ec_span failed_condition(const struct ec_csv *csv, int row, const char *conditions)
{
    struct ec_span rest = ec_span_of(conditions), word = { 0 };
    char one[256];

    while (rest.p && ec_span_cut(&rest, ' ', &word)) {
        (void)ec_snprintf(one, sizeof one, "%.*s", (int)word.len, word.p);
        if (!ec_conditions_pass(csv, row, one))
            break;
    }
    return word;
}

enum ec_status ec__exclude(const struct ec_mapping *l, const struct ec_csv *csv, int row,
                           struct ec_arena *a, struct ec_record_list *ret, struct ec_err *err)
{
    const char *name = "except", *text = l->except;

    if (ret->n_excluded++)
        return EC_OK;
    if (!ec_conditions_pass(csv, row, l->rows)) {
        name = "rows";
        text = l->rows;
    } else if (!ec_conditions_pass(csv, row, l->keep)) {
        name = "keep";
        text = l->keep;
    } else if (!ec__mapping_holds(csv, row, l->except)) {
        return EC_OK;
    }
    if (text != l->except) {
        struct ec_span word = failed_condition(csv, row, text), col = word, key;
        char room[64];
        const char *cell;

        if (strcspn(word.p, "!=") < word.len)
            col.len = strcspn(word.p, "!=");
        cell =
            ec__column_find(csv, col, &key) < 0 ? "" : ec__cell(csv, row, col, room, sizeof room);
        ret->excluded = ec_arena_printf(a, "line %d has %.*s \"%.60s\"", csv->lines[row],
                                        (int)col.len, col.p, cell);
        if (ret->excluded && l->plain)
            ret->excluded =
                ec_arena_printf(a,
                                "%s: rows of tables are compared as training of all parameters, "
                                "whole on each device; `epochcast check` takes one such run",
                                ret->excluded);
        else if (ret->excluded)
            ret->excluded =
                ec_arena_printf(a, "%s, its mapping has %s = %s", ret->excluded, name, text);
        return ec_allocated(ret->excluded, err);
    }
    ret->excluded = ec_arena_printf(a, "its mapping has %s = %s", name, text);
    return ec_allocated(ret->excluded, err);
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
    EC_PASS(ec_allocated(text, err));
    ret->fault[ret->n_faulty - 1] = text;
    return EC_OK;
}

double ec__median(double *v, int n)
{
    if (!n)
        return 0;
    qsort(v, (size_t)n, sizeof *v, ec_by_double);
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

static int by_run(const void *user, int a, int b)
{
    const struct ec_record *v = user;
    int64_t devices = v[a].num_devices - v[b].num_devices;
    int by = devices ? (devices > 0) - (devices < 0) : strcmp(v[a].reading, v[b].reading);

    by = by ? by : strcmp(v[a].device_name, v[b].device_name); /* the environment */
    return by ? by : ec_record_compare(&v[a], &v[b]);
}

enum ec_status ec__merge_iterations(struct ec_record_list *l, int first, struct ec_err *err)
{
    struct ec_record *v = l->n > first ? l->v + first : NULL;
    double *ns = ec_alloc(sizeof *ns * (size_t)(l->n + 1));
    struct ec_groups runs = { 0 };
    enum ec_status st = EC_OK;
    int i, k, n;

    EC_PASS(ec_allocated(ns, err));
    EC_TRY(ec_group(l->n - first, by_run, v, &runs, err));
    for (i = 0; i < runs.n; i++) { /* groups begin in the order of rows: none is overwritten */
        struct ec_record m = v[ec_group_first(&runs, i)];
        double sum = 0, squares = 0;

        for (n = 0, k = runs.begin[i]; k < runs.begin[i + 1]; k++)
            sum += ns[n++] = v[runs.item[k]].time.ns;
        m.mean = (struct ec_reading){ sum / n, true };
        for (k = 0; k < n; k++)
            squares += (ns[k] - m.mean.ns) * (ns[k] - m.mean.ns);
        m.std = (struct ec_reading){ n > 1 ? sqrt(squares / (n - 1)) : 0, n > 1 };
        m.n_samples = n;
        m.time.ns = ec__median(ns, n);
        v[i] = m;
    }
    l->n = first + runs.n;
out:
    ec_groups_clear(&runs);
    ec_free(ns);
    return st;
}

void ec_records_name_device(struct ec_record_list *l, const struct ec_csv *csv, const char *device)
{
    bool ours = ec_record_is_file(csv) || ec_record_is_export(csv);
    int i;

    for (i = 0; device && i < l->n; i++)
        if (ours || !*l->v[i].device)
            l->v[i].device = device;
}

void ec_records_clear(struct ec_record_list *l)
{
    if (!l)
        return;
    ec_free(l->v);
    ec_free(l->out_of_memory);
    memset(l, 0, sizeof *l);
}
