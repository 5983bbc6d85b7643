/* The machine record and the probes that fill it. */
#ifndef EC_HW_PROBE_INTERNAL_H
#define EC_HW_PROBE_INTERNAL_H

#include "hw/hw.h"

#define EC_CACHES_MAX 8
#define EC_NUMA_MAX 16
#define EC_GPUS_MAX 16
#define EC_LIBS_MAX 16

/* Instruction sets that decide how fast a training step can be:
 * X(name, flag in the "flags" or "Features" line of /proc/cpuinfo). */
#define EC_ISA_LIST(X)                                                                             \
    X(sse4_2, "sse4_2")                                                                            \
    X(avx, "avx")                                                                                  \
    X(fma, "fma")                                                                                  \
    X(f16c, "f16c")                                                                                \
    X(avx2, "avx2")                                                                                \
    X(avx_vnni, "avx_vnni")                                                                        \
    X(avx512f, "avx512f")                                                                          \
    X(avx512_vnni, "avx512_vnni")                                                                  \
    X(avx512_bf16, "avx512_bf16")                                                                  \
    X(avx512_fp16, "avx512_fp16")                                                                  \
    X(amx_int8, "amx_int8")                                                                        \
    X(amx_bf16, "amx_bf16")                                                                        \
    X(asimd, "asimd")                                                                              \
    X(asimdhp, "asimdhp")                                                                          \
    X(sve, "sve")                                                                                  \
    X(sve2, "sve2")                                                                                \
    X(arm_bf16, "bf16")                                                                            \
    X(arm_i8mm, "i8mm")

enum ec_isa {
#define EC_ISA_ENUM(name, flag) EC_ISA_##name,
    EC_ISA_LIST(EC_ISA_ENUM)
#undef EC_ISA_ENUM
        EC_ISA_COUNT
};

struct ec_cpu_info {
    const char *model;           /* NULL: unknown, as for every text below */
    int sockets, cores, threads; /* of the whole machine; 0: unknown */
    struct ec_qty base_hz, max_hz;
    unsigned isa; /* 1 << enum ec_isa */
    bool hypervisor;
};

struct ec_cache_info {
    int level;
    const char *type;   /* "data", "instruction", "unified" */
    int64_t size_bytes; /* of one */
    int count;
};

struct ec_gpu_info {
    const char *name;
    const struct ec_device *device; /* row of the catalogue; NULL: none matches */
    int compute_capability;         /* 10 * major + minor; 0: unknown */
    int fp32_lanes;                 /* 0: unknown, as for the numbers below */
    int64_t memory_bytes;
    double max_sm_hz, max_memory_hz, power_limit_w;
    int pcie_gen, pcie_width, pcie_gen_max, pcie_width_max;
};

struct ec_lib_info {
    const char *name, *version;
};

struct ec_machine {
    struct ec_arena arena; /* every text */
    const char *os, *kernel, *arch, *compiler;
    struct ec_cpu_info cpu;
    int n_caches, n_numa, n_gpus, n_libs;
    struct ec_cache_info caches[EC_CACHES_MAX];
    int64_t numa_memory_bytes[EC_NUMA_MAX];
    int64_t memory_bytes, memory_available_bytes;
    int64_t swap_bytes, swap_free_bytes;
    int64_t memory_limit_bytes;  /* of the container; 0: none */
    double cpu_limit;            /* CPUs that the container may use; 0: no limit */
    const char *topology_source; /* "sys" or "hwloc" */
    const char *driver_version, *cuda_driver_version;
    const char *gpu_note; /* why no GPU is listed; NULL when one is */
    struct ec_gpu_info gpus[EC_GPUS_MAX];
    struct ec_lib_info libs[EC_LIBS_MAX];
};

/* Processor, caches, memory and system from the files below `root` ("" is this machine). What is
 * not there stays unknown. Errors: NOMEM. */
enum ec_status ec__probe_tree(const char *root, struct ec_machine *m,
                              struct ec_err *err) EC_MUST_CHECK;
/* Sockets, cores, caches and NUMA nodes from hwloc; false, with nothing changed, without it. */
bool ec__probe_hwloc(struct ec_machine *m);
/* NVIDIA GPUs by the driver's library. No library, no driver and no GPU are success.
 * library  file name for dlopen
 * Errors   NOMEM */
enum ec_status ec__probe_nvml(const char *library, struct ec_machine *m,
                              struct ec_err *err) EC_MUST_CHECK;
/* CUDA, cuDNN and PyTorch where they are installed, from files below `root`; of this machine ("")
 * also from the libraries that the loader finds. PyTorch is that of the environment in use, else of
 * the system. Errors: NOMEM */
enum ec_status ec__probe_versions(const char *root, struct ec_machine *m,
                                  struct ec_err *err) EC_MUST_CHECK;
struct ec_lib_versions {
    int cuda, cudnn; /* as the libraries number them; 0: none */
};
/* cudart, cudnn  file names for dlopen, the first that opens counts; NULL-terminated */
void ec__library_versions(const char *const *cudart, const char *const *cudnn,
                          struct ec_lib_versions *ret);
/* Adds a library; without a version nothing. Errors: NOMEM */
enum ec_status ec__add_lib(struct ec_machine *m, const char *name, const char *version,
                           struct ec_err *err) EC_MUST_CHECK;
/* Row of the catalogue for a driver's name of a GPU, told apart by memory; NULL: none. */
const struct ec_device *ec__match_gpu(const char *name, int64_t memory_bytes);
const char *ec__isa_name(enum ec_isa isa);

#endif
