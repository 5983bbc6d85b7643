/* Energy of the boards, from their power limit and from what the step is made of. */
#include "predict/query.h"

#include <math.h>

/* Shares of the limit. Nobody's tables of training times have the power beside them, so they are
 * not fitted: products run into the limit, an idle board with a context takes a tenth to a quarter
 * of it, and a machine of eight H100 that trains draws at most 82 %, in the mean of busy runs 76 %,
 * of what it is rated at (Latif et al. 2024, Newkirk et al. 2025). */
static const struct ec_interval of_compute = { 0.70, 0.93, 1 };
static const struct ec_interval of_memory = { 0.45, 0.70, 0.95 };
static const struct ec_interval of_waiting = { 0.10, 0.30, 0.55 };

/* What a PCI Express slot gives. Boards that have no more, as the T4 and the L4, run into it with
 * any work. */
#define SLOT_W 75

void ec__fill_energy(const struct ec__query *q)
{
    struct ec_prediction *r = q->r;
    double limit_w = q->t.device->tdp_w.value, step = r->step_time_ns.p50;
    double products = r->compute_bound_ns + r->reference_ns; /* samples are made by reading */
    double moves = r->memory_bound_ns + (r->generators ? 0 : r->generation_ns);
    double busy = fmin(1, (products + moves) / step), compute, waits, ns;
    const struct ec_interval *time = r->has_job ? &r->job_time_ns : &r->epoch_time_ns;
    const struct ec_interval *moving = limit_w <= SLOT_W ? &of_compute : &of_memory;
    struct ec_interval *p = &r->board_power_w, *e = &r->board_energy_j;

    if (q->t.device->tdp_w.src == EC_SRC_NONE || !(limit_w > 0) || !(step > 0))
        return;
    compute = products + moves > 0 ? busy * products / (products + moves) : 0;
    waits = 1 - busy;
    p->p05 = limit_w *
             (compute * of_compute.p05 + (busy - compute) * moving->p05 + waits * of_waiting.p05);
    p->p50 = limit_w *
             (compute * of_compute.p50 + (busy - compute) * moving->p50 + waits * of_waiting.p50);
    p->p95 = limit_w *
             (compute * of_compute.p95 + (busy - compute) * moving->p95 + waits * of_waiting.p95);
    if (!r->has_epoch)
        return;
    ns = (double)(r->devices + r->generators) * 1e-9;
    e->p50 = ns * time->p50 * p->p50;
    e->p05 = e->p50 * exp(-hypot(log(time->p50 / time->p05), log(p->p50 / p->p05)));
    e->p95 = e->p50 * exp(hypot(log(time->p95 / time->p50), log(p->p95 / p->p50)));
}
