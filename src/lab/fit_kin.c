/* Finds networks that are built alike, which cross-validation leaves out together: it is no test to
 * leave out a network when its twin under another name stays. */
#include "lab/fit_internal.h"
#include "model/model.h"

#include <math.h>

/* A group of networks that is left out together. */
struct kin {
    double mean[EC_STRUCTURE_COUNT];
    int n, into; /* rows; -1: stands, else the group that it went into */
};

/* Families and networks as keys of rows; each row's first group is that of the first row that
 * shares its family or its network. */
static int find_groups(struct ec_fit_row **row, int n, int *ret_group)
{
    int i, j, k, n_groups = 0;

    for (i = 0; i < n; i++) {
        ret_group[i] = -1;
        for (j = 0; j < i; j++) {
            if (row[j]->network != row[i]->network && !ec_str_eq(row[j]->family, row[i]->family))
                continue;
            if (ret_group[i] < 0) {
                ret_group[i] = ret_group[j];
            } else if (ret_group[i] != ret_group[j]) { /* the row joins two */
                int old = ret_group[j];

                for (k = 0; k < i; k++)
                    if (ret_group[k] == old)
                        ret_group[k] = ret_group[i];
            }
        }
        if (ret_group[i] < 0)
            ret_group[i] = n_groups++;
    }
    return n_groups;
}

static double distance(const double *a, const double *b)
{
    double sum = 0;
    int i;

    for (i = 0; i < EC_STRUCTURE_COUNT; i++)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(sum);
}

/* Groups whose farthest members are nearest join, until few enough are left. far: n x n */
static void join_groups(struct kin *k, int n, int most, double *far)
{
    int left = 0, i, j, a, b;

    for (i = 0; i < n; i++)
        left += k[i].n > 0;
    for (; left > most; left--) {
        double least = HUGE_VAL;

        a = b = -1;
        for (i = 0; i < n; i++)
            for (j = 0; k[i].n && k[i].into < 0 && j < i; j++)
                if (k[j].n && k[j].into < 0 && far[i * n + j] < least) {
                    least = far[i * n + j];
                    a = j;
                    b = i;
                }
        k[b].into = a;
        for (i = 0; i < n; i++)
            far[a * n + i] = far[i * n + a] = fmax(far[a * n + i], far[b * n + i]);
    }
}

static int root_of(const struct kin *k, int i)
{
    while (k[i].into >= 0)
        i = k[i].into;
    return i;
}

static void find_means(struct ec_fit_row **row, const int *group, int n, struct kin *k, int n_kin)
{
    double one[EC_STRUCTURE_COUNT];
    int i, d;

    for (i = 0; i < n_kin; i++)
        k[i].into = -1;
    for (i = 0; i < n; i++) {
        ec_network_structure(row[i]->step, one);
        k[group[i]].n++;
        for (d = 0; d < EC_STRUCTURE_COUNT; d++)
            k[group[i]].mean[d] += one[d];
    }
    for (i = 0; i < n_kin; i++)
        for (d = 0; d < EC_STRUCTURE_COUNT && k[i].n; d++)
            k[i].mean[d] /= k[i].n;
}

/* Numbers the groups that stand. */
static void number_rows(struct ec_fit_row **row, const int *group, int n, const struct kin *k,
                        int n_kin)
{
    int i, j, number;

    for (i = 0; i < n; i++) {
        int root = root_of(k, group[i]);

        for (number = j = 0; j < root && j < n_kin; j++)
            number += k[j].n > 0 && k[j].into < 0;
        row[i]->kin = number;
    }
}

enum ec_status ec__fit_find_kin(struct ec_fit *f, struct ec_err *err)
{
    struct ec_fit_row **row = ec_alloc(sizeof *row * (size_t)(f->n_rows + 1));
    int *group = ec_alloc(sizeof *group * (size_t)(f->n_rows + 1)), n = 0, n_kin, i, j;
    struct kin *k = NULL;
    double *far = NULL;
    enum ec_status st = EC_OK;

    EC_TRY(ec_allocated(row && group, err));
    for (i = 0; i < f->n_rows; i++)
        if (!f->row[i]->isolated)
            row[n++] = f->row[i];
    n_kin = find_groups(row, n, group);
    k = ec_alloc(sizeof *k * (size_t)(n_kin + 1));
    far = ec_alloc(sizeof *far * (size_t)(n_kin + 1) * (size_t)(n_kin + 1));
    EC_TRY(ec_allocated(k && far, err));
    find_means(row, group, n, k, n_kin);
    for (i = 0; i < n_kin; i++)
        for (j = 0; j < n_kin; j++)
            far[i * n_kin + j] = distance(k[i].mean, k[j].mean);
    join_groups(k, n_kin, EC_FIT_FOLDS_KIN, far);
    number_rows(row, group, n, k, n_kin);
out:
    ec_free(row);
    ec_free(group);
    ec_free(k);
    ec_free(far);
    return st;
}
