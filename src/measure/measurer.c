/* Rows: known or new, whole or failed. */
#include "measure/measurer.h"

#include <math.h>
#include <string.h>

#include "measure/measurer_internal.h"

#define CROWDED_FROM 0.1 /* share of time that others took the processor, worth a word */

void ec__parts_clear(struct ec__parts *p)
{
    ec_free(p->ns);
    memset(p, 0, sizeof *p);
}

int64_t *ec__parts_add(struct ec__parts *p)
{
    if (ec_grow(&p->ns, &p->cap_runs, p->n_runs + 1, sizeof *p->ns * (size_t)p->n_parts, NULL))
        return NULL;
    p->n_runs++;
    return p->ns + (int64_t)(p->n_runs - 1) * p->n_parts;
}

enum ec_status ec__parts_timing(const struct ec_measurer *m, const struct ec__parts *p, int part,
                                const struct ec_timing *whole, struct ec_timing *ret,
                                struct ec_err *err)
{
    int first = p->n_runs - whole->n, i;

    *ret = *whole;
    ret->cap = whole->n;
    ret->sample = ec_alloc(sizeof *ret->sample * (size_t)(whole->n ? whole->n : 1));
    EC_PASS(ec_allocated(ret->sample, err));
    for (i = 0; i < whole->n; i++) {
        ret->sample[i].iteration = i;
        ret->sample[i].host_ns = p->ns[(int64_t)(first + i) * p->n_parts + part];
        ret->sample[i].flags = "";
    }
    return ec_timing_judge(&m->protocol, ret, err);
}

enum ec_status ec__step_ns(const struct ec_measurer *m, struct ec_program *p,
                           const struct ec_update *u, int64_t *ret, struct ec_err *err)
{
    int64_t start_ns;

    EC_PASS(ec_engine_sync(m->ctx, err));
    start_ns = ec_engine_now_ns(m->ctx);
    EC_PASS(ec_program_step(p, u, NULL, err));
    EC_PASS(ec_engine_sync(m->ctx, err));
    *ret = ec_engine_now_ns(m->ctx) - start_ns;
    return EC_OK;
}

enum ec_status ec__row_known(struct ec_measurer *m, const struct ec_record *row, bool *ret,
                             struct ec_err *err)
{
    char key[EC_ROW_KEY_BYTES];

    EC_PASS(ec_row_key(row, key, err));
    *ret = ec_row_file_has(m->file, key);
    m->n_known += *ret;
    return EC_OK;
}

void ec__note_crowd(struct ec_measurer *m, const char *flags, const struct ec_timing *t)
{
    if (t->wait_frac < CROWDED_FROM || (flags && strstr(flags, "data_loading")))
        return;
    m->n_crowded++;
    m->crowded_frac = fmax(m->crowded_frac, t->wait_frac);
}

enum ec_status ec__row_write(struct ec_measurer *m, struct ec_record *row,
                             const struct ec_timing *timing, struct ec_err *err)
{
    const char *own = row->flags; /* of the caller, who may write more rows */
    enum ec_status st;
    char key[EC_ROW_KEY_BYTES];

    EC_TRY(ec_row_key(row, key, err));
    if (ec_row_file_has(m->file, key))
        return EC_OK;
    row->held_out = ec_row_held_out(row->kind, row->what);
    if (!timing || !row->calls_per_sample)
        row->calls_per_sample = timing ? 1 : 0;
    if (timing) {
        row->outcome = timing->unstable ? "unstable" : "ok";
        if (!own || !*own)
            row->flags = timing->unstable ? "drift" : timing->noisy ? "noisy" : "";
        m->last_ns = timing->median_ns;
        ec__note_crowd(m, own, timing);
    }
    m->n_failed += !ec_str_eq(row->outcome, "ok");
    EC_TRY(ec_row_file_append(m->file, row, timing, m->thread_clock, err));
    m->n_added++;
out:
    row->flags = own;
    return st;
}

enum ec_status ec__row_failed(struct ec_measurer *m, struct ec_record *row, enum ec_status why,
                              struct ec_err *err)
{
    struct ec_err sentence = { 0 };
    enum ec_status st;

    if (why == EC_E_NOMEM || why == EC_E_IO || why == EC_E_STORE)
        return why;
    if (err)
        sentence = *err;
    row->outcome = why == EC_E_UNSUPPORTED     ? "unsupported"
                   : why == EC_E_DEVICE_MEMORY ? "out_of_memory"
                   : why == EC_E_UNSTABLE      ? "unstable"
                                               : "error";
    row->note = sentence.text;
    (void)ec_snprintf(m->why, sizeof m->why, "%s", sentence.text);
    st = ec__row_write(m, row, NULL, NULL);
    row->note = "";
    if (!st && err)
        memset(err, 0, sizeof *err);
    return st;
}
