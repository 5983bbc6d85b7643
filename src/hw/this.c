/* This machine as a device. */
#include "hw/device_internal.h"
#include "hw/probe_internal.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char name[EC_DEVICE_NAME_MAX];
static struct ec_device this_device = { .key = "this",
                                        .name = name,
                                        .vendor = EC_VENDOR_OTHER,
                                        .kind = EC_DEV_CPU,
                                        .arch = "cpu",
                                        .source = "the probe of this machine" };

static struct ec_qty probed(double value, const char *ref)
{
    return (struct ec_qty){ value, value > 0 ? EC_SRC_PROBED : EC_SRC_NONE, ref };
}

/* float32 numbers in a vector register. */
static int lanes_of(unsigned isa)
{
    if (isa & (1U << EC_ISA_avx512f))
        return 16;
    if (isa & (1U << EC_ISA_avx))
        return 8;
    return 4;
}

/* Two units, each with a multiply-add per cycle, as most cores of servers and desktops have. */
static void fill(const struct ec_machine *m)
{
    struct ec_device *d = &this_device;
    int lanes = lanes_of(m->cpu.isa), i;
    struct ec_qty clock = m->cpu.max_hz.value > 0 ? m->cpu.max_hz : m->cpu.base_hz;

    (void)snprintf(name, sizeof name, "%s", m->cpu.model ? m->cpu.model : "this machine");
    d->sm_count = probed(m->cpu.cores, NULL);
    d->fp32_lanes = probed((double)m->cpu.cores * lanes * 2, "cores x lanes x 2 units");
    d->base_hz = m->cpu.base_hz;
    d->boost_hz = m->cpu.max_hz;
    d->fp32_flop_per_s =
        probed(clock.value * 2 * d->fp32_lanes.value, "lanes x 2 x clock, two units assumed");
    d->memory_bytes =
        probed((double)(m->memory_limit_bytes > 0 ? m->memory_limit_bytes : m->memory_bytes), NULL);
    for (i = 0; i < m->n_caches; i++)
        if (m->caches[i].level >= 2 && !ec_str_eq(m->caches[i].type, "instruction"))
            d->l2_bytes = probed((double)m->caches[i].size_bytes * m->caches[i].count, NULL);
}

static void probe(void)
{
    struct ec_machine *m = NULL;

    (void)snprintf(name, sizeof name, "this machine");
    if (!ec_machine_probe(&m, NULL))
        fill(m);
    ec_machine_free(m);
}

const struct ec_device *ec_device_this(void)
{
    (void)pthread_once(&once, probe);
    return &this_device;
}
