/* Cases in tests: made from text, counted, refused. */
#ifndef TEST_CASE_H
#define TEST_CASE_H

#include "op/op.h"
#include "test.h"
#include "work.h"

/* Parses; a failure is a failed check. False when there is no case. */
static inline bool case_open(const char *text, struct ec_owned_case *ret)
{
    struct ec_err err = { 0 };

    if (ec_case_parse(text, ret, &err) == EC_OK)
        return true;
    test_fail(__FILE__, __LINE__, "%s: %s", text, err.text);
    return false;
}

static inline struct ec_count case_count(const struct ec_case *c, enum ec_phase p)
{
    struct ec_work w = { 0 };
    struct ec_count n = { 0 };

    c->op->work(c, p, &w);
    work_count(&w, 4, &n);
    return n;
}

static inline double case_mac(const struct ec_case *c, enum ec_phase p)
{
    return case_count(c, p).mac;
}

/* Elements of parameters, trainable only. */
static inline double case_params(const struct ec_case *c)
{
    struct ec_param_list l = { 0 };
    double sum = 0;
    int64_t n = 0;
    int i;

    if (c->op->params)
        c->op->params(c, &l);
    for (i = 0; i < l.n; i++)
        if (l.p[i].trainable && ec_shape_count(&l.p[i].shape, &n))
            sum += (double)n;
    return sum;
}

/* The case's first output has this shape. */
static inline void check_shape(const char *file, int line, const char *text, const char *want)
{
    struct ec_owned_case c = { 0 };
    char got[200];

    if (!case_open(text, &c))
        return;
    (void)ec_shape_text(&c.c.out[0]->shape, got, sizeof got);
    if (!ec_str_eq(got, want))
        test_fail(file, line, "%s gives %s, want %s", text, got, want);
    ec_case_clear(&c);
}
#define CHECK_SHAPE(text, want) check_shape(__FILE__, __LINE__, text, want)

/* The case is refused with this status and a sentence that holds `part`. */
static inline void check_refused(const char *file, int line, const char *text, enum ec_status want,
                                 const char *part)
{
    struct ec_err err = { 0 };
    struct ec_owned_case c = { 0 };
    enum ec_status st = ec_case_parse(text, &c, &err);

    if (st != want || !strstr(err.text, part))
        test_fail(file, line, "%s: %s \"%s\", want %s \"%s\"", text, ec_status_name(st), err.text,
                  ec_status_name(want), part);
    ec_case_clear(&c);
}
#define CHECK_REFUSED(text, status, part) check_refused(__FILE__, __LINE__, text, status, part)

/* Kernel i of a phase; a zeroed one when there are fewer. */
static inline struct ec_kernel case_kernel(const struct ec_case *c, enum ec_phase p, int i)
{
    struct ec_work w = { 0 };

    c->op->work(c, p, &w);
    if (i < w.n)
        return w.kernel[i];
    test_fail(__FILE__, __LINE__, "%s has %d kernels in %s, wanted number %d", c->op->name, w.n,
              ec_phase_name(p), i);
    return (struct ec_kernel){ 0 };
}

#endif
