/* NVIDIA GPUs through the driver's management library, opened at run time. Only calls without
 * structs are used, but one whose three numbers have kept their place since its first version. */
#include "hw/device_internal.h"
#include "hw/probe_internal.h"

#include <dlfcn.h>

struct nvml_gpu; /* opaque handle */

/* What nvml.h defines, named as we use it. */
enum { NVML_OK = 0, NVML_TEXT_MAX = 96, NVML_CLOCK_SM = 1, NVML_CLOCK_MEMORY = 2 };

struct nvml {
    EC_LIBNVML(EC_FOREIGN_MEMBER)
    EC_LIBNVML_OPTIONAL(EC_FOREIGN_MEMBER)
};

/* The symbol that is missing; NULL when all required ones are there. */
static const char *load_symbols(void *lib, struct nvml *nv)
{
    static const char *const needed[] = { EC_LIBNVML(EC_FOREIGN_SYMBOL) NULL };
    static const char *const optional[] = { EC_LIBNVML_OPTIONAL(EC_FOREIGN_SYMBOL) NULL };

    (void)ec_dynlib_take(lib, optional, &nv->driver);
    return ec_dynlib_take(lib, needed, &nv->init);
}

typedef int (*gpu_number_fn)(struct nvml_gpu *gpu, unsigned *ret);

static int gpu_number(gpu_number_fn fn, struct nvml_gpu *gpu)
{
    unsigned v = 0;

    return fn && fn(gpu, &v) == NVML_OK && v <= INT32_MAX ? (int)v : 0;
}

/* The library answers in MHz. */
static double max_clock_hz(const struct nvml *nv, struct nvml_gpu *gpu, int which)
{
    unsigned mhz = 0;

    return nv->max_clock && nv->max_clock(gpu, which, &mhz) == NVML_OK ? mhz * 1e6 : 0;
}

static enum ec_status read_gpu(const struct nvml *nv, struct nvml_gpu *gpu, struct ec_machine *m,
                               struct ec_err *err)
{
    struct ec_gpu_info *g = &m->gpus[m->n_gpus];
    unsigned long long memory[16] = { 0 }; /* total, free, used; room to spare */
    char name[NVML_TEXT_MAX] = "";
    int major = 0, minor = 0;

    if (nv->name(gpu, name, sizeof name) != NVML_OK)
        return EC_OK;
    name[sizeof name - 1] = '\0';
    g->name = ec_arena_str(&m->arena, name);
    EC_PASS(ec_allocated(g->name, err));
    if (nv->memory(gpu, memory) == NVML_OK && memory[0] <= INT64_MAX)
        g->memory_bytes = (int64_t)memory[0];
    if (nv->capability && nv->capability(gpu, &major, &minor) == NVML_OK)
        g->compute_capability = 10 * major + minor;
    g->fp32_lanes = gpu_number(nv->lanes, gpu);
    g->max_sm_hz = max_clock_hz(nv, gpu, NVML_CLOCK_SM);
    g->max_memory_hz = max_clock_hz(nv, gpu, NVML_CLOCK_MEMORY);
    g->power_limit_w = gpu_number(nv->power_limit, gpu) / 1e3; /* answered in mW */
    g->pcie_gen = gpu_number(nv->pcie_gen, gpu);
    g->pcie_width = gpu_number(nv->pcie_width, gpu);
    g->pcie_gen_max = gpu_number(nv->pcie_gen_max, gpu);
    g->pcie_width_max = gpu_number(nv->pcie_width_max, gpu);
    g->device = ec__match_gpu(g->name, g->memory_bytes);
    m->n_gpus++;
    return EC_OK;
}

static enum ec_status read_versions(const struct nvml *nv, struct ec_machine *m, struct ec_err *err)
{
    char driver[NVML_TEXT_MAX] = "";
    int cuda = 0; /* 12040 is 12.4 */

    if (nv->driver && nv->driver(driver, sizeof driver) == NVML_OK) {
        driver[sizeof driver - 1] = '\0';
        m->driver_version = ec_arena_str(&m->arena, driver);
        EC_PASS(ec_allocated(m->driver_version, err));
    }
    if (nv->cuda && nv->cuda(&cuda) == NVML_OK && cuda > 0) {
        m->cuda_driver_version = ec_arena_printf(&m->arena, "%d.%d", cuda / 1000, cuda % 1000 / 10);
        EC_PASS(ec_allocated(m->cuda_driver_version, err));
    }
    return EC_OK;
}

static enum ec_status read_all(const struct nvml *nv, struct ec_machine *m, struct ec_err *err)
{
    enum ec_status st = read_versions(nv, m, err);
    struct nvml_gpu *gpu = NULL;
    unsigned n = 0, i;

    if (!st && nv->count(&n) != NVML_OK)
        n = 0;
    for (i = 0; !st && i < n && m->n_gpus < EC_GPUS_MAX; i++)
        if (nv->handle(i, &gpu) == NVML_OK)
            st = read_gpu(nv, gpu, m, err);
    if (!st && !m->n_gpus)
        m->gpu_note = "the NVIDIA driver lists no GPU";
    return st;
}

enum ec_status ec__probe_nvml(const char *library, struct ec_machine *m, struct ec_err *err)
{
    void *lib = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    struct nvml nv = { 0 };
    enum ec_status st = EC_OK;
    const char *missing;

    if (!lib) {
        m->gpu_note = "no NVIDIA driver library";
        return EC_OK;
    }
    missing = load_symbols(lib, &nv);
    if (missing) {
        m->gpu_note = ec_arena_printf(&m->arena, "the NVIDIA driver library lacks %s", missing);
        st = m->gpu_note ? EC_OK : ec_nomem(err);
    } else if (nv.init() != NVML_OK) {
        m->gpu_note = "the NVIDIA driver library does not start";
    } else {
        st = read_all(&nv, m, err);
        (void)nv.shutdown();
    }
    (void)dlclose(lib);
    return st;
}

/* A driver reserves some memory; what is left differs from the nominal size by less than this. */
#define SAME_MEMORY_FRAC 0.06

static bool same_memory(const struct ec_device *d, int64_t memory_bytes)
{
    double nominal = d->memory_bytes.value, rel;

    if (!d->memory_bytes.src || memory_bytes <= 0)
        return false;
    rel = (double)memory_bytes / nominal - 1;
    return rel > -SAME_MEMORY_FRAC && rel < SAME_MEMORY_FRAC;
}

/* The same chip at the same clock, sold with another memory size. */
static bool is_variant(const struct ec_device *a, const struct ec_device *b)
{
    return a->boost_hz.src && a->compute_capability == b->compute_capability &&
           a->fp32_lanes.value == b->fp32_lanes.value && a->boost_hz.value == b->boost_hz.value &&
           a->tdp_w.value == b->tdp_w.value;
}

const struct ec_device *ec__match_gpu(const char *name, int64_t memory_bytes)
{
    char folded[EC_DEVICE_NAME_MAX];
    const struct ec_device *const *all;
    const struct ec_device *d = NULL;
    int n, i;

    if (ec_device_fold(name, folded, sizeof folded) > 0)
        d = ec__device_folded(folded);
    if (!d)
        return NULL;
    if (same_memory(d, memory_bytes))
        return d;
    all = ec_devices(&n);
    for (i = 0; i < n; i++)
        if (is_variant(d, all[i]) && same_memory(all[i], memory_bytes))
            return all[i];
    return d;
}
