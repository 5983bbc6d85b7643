/* This machine as a device. */
#include "hw/device_internal.h"
#include "hw/probe_internal.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char name[EC_DEVICE_NAME_MAX];
static struct ec_device this_device = { .key = "this",
                                        .name = name,
                                        .vendor = EC_VENDOR_OTHER,
                                        .kind = EC_DEV_CPU,
                                        .arch = "cpu",
                                        .form_factor = "cpu",
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

/* Cores that this process may use. */
static int cores_of(const struct ec_machine *m)
{
    int n = m->cpu.cores > 0 ? m->cpu.cores : 1;

    return m->cpu_limit > 0 && m->cpu_limit < n ? (int)ceil(m->cpu_limit) : n;
}

/* Together the cores copy several times what the caches keep. */
static size_t copied_bytes(const struct ec_device *d, int cores)
{
    double bytes = fmax(4 * d->l2_bytes.value, 0x1p26) / cores;

    return (size_t)fmin(bytes, 0x1p27);
}

/* What no probe knows is timed: a processor's name says neither how many units it has nor the
 * clock under load, and virtual machines hide the name, too. */
static void fill(const struct ec_machine *m)
{
    struct ec_device *d = &this_device;
    double clock_hz = m->cpu.max_hz.value > 0 ? m->cpu.max_hz.value : m->cpu.base_hz.value;
    int cores = cores_of(m), i;

    (void)snprintf(name, sizeof name, "%s", m->cpu.model ? m->cpu.model : "this machine");
    d->sm_count = probed(cores, NULL);
    d->fp32_lanes = probed(2.0 * cores * lanes_of(m->cpu.isa), "cores x lanes x 2 units");
    d->base_hz = m->cpu.base_hz;
    d->boost_hz = m->cpu.max_hz;
    d->memory_bytes =
        probed((double)(m->memory_limit_bytes > 0 ? m->memory_limit_bytes : m->memory_bytes), NULL);
    for (i = 0; i < m->n_caches; i++)
        if (m->caches[i].level >= 2 && !ec_str_eq(m->caches[i].type, "instruction"))
            d->l2_bytes = probed((double)m->caches[i].size_bytes * m->caches[i].count, NULL);
    d->fp32_flop_per_s =
        probed(ec_roof_flop_per_s(cores), "multiply-adds, timed for 0.02 s when asked for");
    if (!d->fp32_flop_per_s.src) /* no loop for this processor */
        d->fp32_flop_per_s = probed(2 * clock_hz * d->fp32_lanes.value, "lanes x 2 x clock");
    d->memory_bytes_per_s = probed(ec_roof_copy_bytes_per_s(cores, copied_bytes(d, cores)),
                                   "copies, timed for 0.06 s when asked for");
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
