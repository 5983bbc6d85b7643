/* Every combination of models, values of options, and devices. */
#include "plan/plan.h"

#include <assert.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

enum ec_status ec_sweep_count(const struct ec_sweep *s, int *ret, struct ec_err *err)
{
    int64_t n = (int64_t)s->models.n * s->n_devices;
    int i;

    for (i = 0; i < s->n_axes && n <= EC_SWEEP_MAX; i++)
        n *= s->axes[i].values.n;
    if (n > EC_SWEEP_MAX)
        return ec_fail(err, EC_E_INPUT, "more than %d combinations of options", EC_SWEEP_MAX);
    *ret = (int)n;
    return EC_OK;
}

enum ec_status ec_sweep_at(const struct ec_sweep *s, const struct ec_predict_opts *base, int i,
                           struct ec_sweep_point *ret, struct ec_err *err)
{
    enum ec_status st = EC_OK;
    const char *names[EC_SWEEP_AXES];
    struct ec_strs varied = { .v = names };
    int k;

    assert(s->n_axes <= EC_SWEEP_AXES);
    *ret = (struct ec_sweep_point){ .opts = *base };
    ret->device = s->devices[i % s->n_devices];
    i /= s->n_devices;
    for (k = s->n_axes - 1; k >= 0 && !st; k--) {
        const struct ec_field_values *a = &s->axes[k];

        st = ec_predict_opts_set(&ret->opts, a->field, a->values.v[i % a->values.n], err);
        i /= a->values.n;
        names[varied.n++] = a->field;
    }
    ret->asked = ret->opts;
    ec_drop_idle(&ret->opts, &varied, &varied);
    ret->model = s->models.v[i];
    return st;
}

int ec_sweep_smallest(const struct ec_sweep *s, int i, int axis)
{
    int stride = s->n_devices, smallest = 0, at, n = s->axes[axis].values.n, k;
    double least = HUGE_VAL, value;

    for (k = s->n_axes - 1; k > axis; k--)
        stride *= s->axes[k].values.n;
    for (k = 0; k < n; k++)
        if (ec_parse_double(ec_span_of(s->axes[axis].values.v[k]), &value) && value < least) {
            least = value;
            smallest = k;
        }
    at = i / stride % n;
    return i + (smallest - at) * stride;
}

static enum ec_status match(const char *word, struct ec_strs *list, struct ec_arena *a,
                            struct ec_err *err)
{
    int n_names = 0, n = list->n, i;
    const char *const *names = ec_zoo_names(&n_names);

    if (!strpbrk(word, "*?"))
        return ec_strs_add(list, a, err, "%s", word);
    for (i = 0; i < n_names; i++)
        if (ec_str_glob(word, names[i]))
            EC_PASS(ec_strs_add(list, a, err, "%s", names[i]));
    if (list->n == n)
        return ec_fail(err, EC_E_NOT_FOUND, "no built-in network matches \"%.80s\"", word);
    return EC_OK;
}

/* Whether what follows a comma is a parameter of the network before it: "cifar_cnn:depth=3,..." */
static bool is_parameter(struct ec_span rest)
{
    size_t i;

    for (i = 0; i < rest.len && rest.p[i] != ',' && rest.p[i] != ':'; i++)
        if (rest.p[i] == '=')
            return true;
    return false;
}

enum ec_status ec_models_named(const char *word, struct ec_strs *list, struct ec_arena *a,
                               struct ec_err *err)
{
    const char *begin = word, *at, *one;
    enum ec_status st = EC_OK;

    if (!strchr(word, ',') || access(word, F_OK) == 0)
        return match(word, list, a, err);
    for (at = word; !st; at++) {
        if (*at && (*at != ',' || is_parameter(ec_span_of(at + 1))))
            continue;
        one = ec_arena_strn(a, begin, (size_t)(at - begin));
        EC_PASS(ec_allocated(one, err));
        if (!*one)
            return ec_fail(err, EC_E_INPUT, "\"%.80s\": a name is empty", word);
        st = match(one, list, a, err);
        if (!*at)
            break;
        begin = at + 1;
    }
    return st;
}
