/* Topology from hwloc, which also knows systems without /proc and /sys. Optional at build time. */
#include "hw/probe_internal.h"

#ifdef EC_HAVE_HWLOC
#include <hwloc.h>

/* Where it gets no memory, loading a topology may not end. */
#define SPARE_BYTES ((int64_t)8 << 20)

static const char *cache_type(hwloc_obj_cache_type_t type)
{
    switch (type) {
    case HWLOC_OBJ_CACHE_DATA:
        return "data";
    case HWLOC_OBJ_CACHE_INSTRUCTION:
        return "instruction";
    case HWLOC_OBJ_CACHE_UNIFIED:
        break;
    }
    return "unified";
}

static void add_caches(struct ec_machine *m, hwloc_topology_t topo, hwloc_obj_type_t type)
{
    int n = hwloc_get_nbobjs_by_type(topo, type);
    hwloc_obj_t obj = n > 0 ? hwloc_get_obj_by_type(topo, type, 0) : NULL;

    if (!obj || m->n_caches == EC_CACHES_MAX || obj->attr->cache.size > INT64_MAX)
        return;
    m->caches[m->n_caches++] = (struct ec_cache_info){
        .level = (int)obj->attr->cache.depth,
        .type = cache_type(obj->attr->cache.type),
        .size_bytes = (int64_t)obj->attr->cache.size,
        .count = n,
    };
}

static void read_caches(struct ec_machine *m, hwloc_topology_t topo)
{
    static const hwloc_obj_type_t types[] = { HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L1ICACHE,
                                              HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE,
                                              HWLOC_OBJ_L4CACHE };
    int i;

    m->n_caches = 0;
    for (i = 0; i < EC_LEN(types); i++)
        add_caches(m, topo, types[i]);
}

static void read_numa(struct ec_machine *m, hwloc_topology_t topo)
{
    hwloc_obj_t node = NULL;

    m->n_numa = 0;
    while (m->n_numa < EC_NUMA_MAX &&
           (node = hwloc_get_next_obj_by_type(topo, HWLOC_OBJ_NUMANODE, node)) != NULL)
        m->numa_memory_bytes[m->n_numa++] = (int64_t)node->attr->numanode.local_memory;
}

static void read_topology(struct ec_machine *m, hwloc_topology_t topo)
{
    int sockets = hwloc_get_nbobjs_by_type(topo, HWLOC_OBJ_PACKAGE);
    int cores = hwloc_get_nbobjs_by_type(topo, HWLOC_OBJ_CORE);
    int threads = hwloc_get_nbobjs_by_type(topo, HWLOC_OBJ_PU);

    if (sockets > 0)
        m->cpu.sockets = sockets;
    if (cores > 0)
        m->cpu.cores = cores;
    if (threads > 0)
        m->cpu.threads = threads;
    read_caches(m, topo);
    read_numa(m, topo);
    m->topology_source = "hwloc";
}

bool ec__probe_hwloc(struct ec_machine *m)
{
    hwloc_topology_t topo;
    bool ok = false;

    if (ec_headroom_spare("hwloc", SPARE_BYTES, NULL))
        return false;
    ec_foreign_begin("hwloc");
    if (hwloc_topology_init(&topo) == 0) {
        (void)hwloc_topology_set_icache_types_filter(topo, HWLOC_TYPE_FILTER_KEEP_ALL);
        ok = hwloc_topology_load(topo) == 0;
        if (ok)
            read_topology(m, topo);
        hwloc_topology_destroy(topo);
    }
    ec_foreign_end();
    return ok;
}

#else

bool ec__probe_hwloc(struct ec_machine *m)
{
    (void)m;
    return false;
}

#endif
