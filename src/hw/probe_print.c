/* The machine record as JSON (schema "epochcast.machine/1") and as text for people. */
#include "hw/probe_internal.h"

/* --- JSON: unknown is null --- */

static void json_count(struct ec_json *j, const char *key, int64_t v)
{
    if (v > 0)
        ec_json_int(j, key, v);
    else
        ec_json_null(j, key);
}

static void json_amount(struct ec_json *j, const char *key, double v)
{
    if (v > 0)
        ec_json_num(j, key, v);
    else
        ec_json_null(j, key);
}

static void json_cpu(struct ec_json *j, const struct ec_machine *m)
{
    const struct ec_cpu_info *c = &m->cpu;
    int i;

    ec_json_open(j, "cpu", '{');
    ec_json_str(j, "model", c->model);
    json_count(j, "sockets", c->sockets);
    json_count(j, "cores", c->cores);
    json_count(j, "threads", c->threads);
    json_amount(j, "limit_cpus", m->cpu_limit);
    json_amount(j, "base_hz", c->base_hz.value);
    json_amount(j, "max_hz", c->max_hz.value);
    ec_json_bool(j, "virtual", c->hypervisor);
    ec_json_open(j, "isa", '[');
    for (i = 0; i < EC_ISA_COUNT; i++)
        if (c->isa & 1u << i)
            ec_json_str(j, NULL, ec__isa_name((enum ec_isa)i));
    ec_json_close(j, ']');
    ec_json_close(j, '}');
}

static void json_caches(struct ec_json *j, const struct ec_machine *m)
{
    int i;

    ec_json_open(j, "caches", '[');
    for (i = 0; i < m->n_caches; i++) {
        ec_json_open(j, NULL, '{');
        ec_json_int(j, "level", m->caches[i].level);
        ec_json_str(j, "type", m->caches[i].type);
        ec_json_int(j, "size_bytes", m->caches[i].size_bytes);
        ec_json_int(j, "count", m->caches[i].count);
        ec_json_close(j, '}');
    }
    ec_json_close(j, ']');
}

/* In use: neither free nor reclaimable; 0: not known. */
static int64_t used_bytes(const struct ec_machine *m)
{
    return m->memory_available_bytes > 0 && m->memory_available_bytes < m->memory_bytes
               ? m->memory_bytes - m->memory_available_bytes
               : 0;
}

static int64_t used_swap(const struct ec_machine *m)
{
    return m->swap_free_bytes < m->swap_bytes ? m->swap_bytes - m->swap_free_bytes : 0;
}

static void json_memory(struct ec_json *j, const struct ec_machine *m)
{
    int i;

    ec_json_open(j, "memory", '{');
    json_count(j, "total_bytes", m->memory_bytes);
    json_count(j, "available_bytes", m->memory_available_bytes);
    json_count(j, "used_bytes", used_bytes(m));
    json_count(j, "swap_bytes", m->swap_bytes);
    json_count(j, "swap_used_bytes", used_swap(m));
    json_count(j, "limit_bytes", m->memory_limit_bytes);
    ec_json_open(j, "numa_node_bytes", '[');
    for (i = 0; i < m->n_numa; i++)
        ec_json_int(j, NULL, m->numa_memory_bytes[i]);
    ec_json_close(j, ']');
    ec_json_close(j, '}');
}

static void json_gpu(struct ec_json *j, const struct ec_gpu_info *g)
{
    ec_json_open(j, NULL, '{');
    ec_json_str(j, "name", g->name);
    ec_json_str(j, "device", g->device ? g->device->key : NULL);
    json_count(j, "memory_bytes", g->memory_bytes);
    json_count(j, "compute_capability", g->compute_capability);
    json_count(j, "fp32_lanes", g->fp32_lanes);
    json_amount(j, "max_sm_hz", g->max_sm_hz);
    json_amount(j, "max_memory_hz", g->max_memory_hz);
    json_amount(j, "power_limit_w", g->power_limit_w);
    json_count(j, "pcie_generation", g->pcie_gen);
    json_count(j, "pcie_width", g->pcie_width);
    json_count(j, "pcie_generation_max", g->pcie_gen_max);
    json_count(j, "pcie_width_max", g->pcie_width_max);
    ec_json_close(j, '}');
}

static void json_gpus(struct ec_json *j, const struct ec_machine *m)
{
    int i;

    ec_json_open(j, "nvidia", '{');
    ec_json_str(j, "driver_version", m->driver_version);
    ec_json_str(j, "cuda_driver_version", m->cuda_driver_version);
    ec_json_str(j, "note", m->gpu_note);
    ec_json_close(j, '}');
    ec_json_open(j, "gpus", '[');
    for (i = 0; i < m->n_gpus; i++)
        json_gpu(j, &m->gpus[i]);
    ec_json_close(j, ']');
}

static void json_software(struct ec_json *j, const struct ec_machine *m)
{
    int i;

    ec_json_open(j, "software", '{');
    ec_json_str(j, "os", m->os);
    ec_json_str(j, "kernel", m->kernel);
    ec_json_str(j, "arch", m->arch);
    ec_json_str(j, "compiler", m->compiler);
    ec_json_open(j, "libraries", '{');
    for (i = 0; i < m->n_libs; i++)
        ec_json_str(j, m->libs[i].name, m->libs[i].version);
    ec_json_close(j, '}');
    ec_json_close(j, '}');
}

enum ec_status ec_machine_to_json(const struct ec_machine *m, struct ec_buf *out,
                                  struct ec_err *err)
{
    struct ec_json j;

    ec_json_document(&j, out, 2, "epochcast.machine/1");
    json_cpu(&j, m);
    ec_json_str(&j, "topology_source", m->topology_source);
    json_caches(&j, m);
    json_memory(&j, m);
    json_gpus(&j, m);
    json_software(&j, m);
    ec_json_end(&j);
    return ec_buf_status(out, err);
}

/* --- Text: one line per thing, unknown is '-' --- */

#define TEXT_MAX 64

static void line(struct ec_buf *out, const char *label, const char *value)
{
    ec_buf_printf(out, "%-18s %s\n", label, value && *value ? value : "-");
}

static const char *text_bytes(char *out, size_t size, int64_t bytes)
{
    if (bytes <= 0)
        return "-";
    return ec_fmt_bytes(out, size, (double)bytes);
}

static void line_bytes(struct ec_buf *out, const char *label, int64_t bytes)
{
    char text[TEXT_MAX];

    line(out, label, text_bytes(text, sizeof text, bytes));
}

static void line_clock(struct ec_buf *out, const char *label, double hz)
{
    char text[TEXT_MAX] = "";

    if (hz > 0)
        (void)ec_snprintf(text, sizeof text, "%.0f MHz", hz * 1e-6);
    line(out, label, text);
}

static void text_count(struct ec_buf *out, int n, const char *what)
{
    if (n > 0)
        ec_buf_printf(out, "%d %s%s", n, what, n == 1 ? "" : "s");
    else
        ec_buf_printf(out, "- %ss", what);
}

static void text_cpu(struct ec_buf *out, const struct ec_machine *m)
{
    const struct ec_cpu_info *c = &m->cpu;
    int i;

    line(out, "CPU", c->model);
    ec_buf_printf(out, "%-18s ", "");
    text_count(out, c->sockets, "socket");
    ec_buf_str(out, ", ");
    text_count(out, c->cores, "core");
    ec_buf_str(out, ", ");
    text_count(out, c->threads, "thread");
    ec_buf_str(out, c->hypervisor ? ", virtual\n" : "\n");
    if (m->cpu_limit > 0)
        ec_buf_printf(out, "%-18s %g CPUs\n", "container limit", m->cpu_limit);
    line_clock(out, "base clock", c->base_hz.value);
    line_clock(out, "highest clock", c->max_hz.value);
    ec_buf_printf(out, "%-18s", "instruction sets");
    for (i = 0; i < EC_ISA_COUNT; i++)
        if (c->isa & 1u << i)
            ec_buf_printf(out, " %s", ec__isa_name((enum ec_isa)i));
    ec_buf_str(out, c->isa ? "\n" : " -\n");
}

static void text_memory(struct ec_buf *out, const struct ec_machine *m)
{
    char text[TEXT_MAX], swap[TEXT_MAX];
    int i;

    for (i = 0; i < m->n_caches; i++) {
        const struct ec_cache_info *c = &m->caches[i];

        ec_buf_printf(out, "L%d %-15s %d x %s\n", c->level, c->type, c->count,
                      text_bytes(text, sizeof text, c->size_bytes));
    }
    line_bytes(out, "memory", m->memory_bytes);
    line_bytes(out, "memory available", m->memory_available_bytes);
    line_bytes(out, "memory used", used_bytes(m));
    if (m->swap_bytes)
        ec_buf_printf(out, "%-18s %s, %s of it used\n", "swap",
                      text_bytes(text, sizeof text, m->swap_bytes),
                      ec_fmt_bytes(swap, sizeof swap, (double)used_swap(m)));
    if (m->memory_limit_bytes)
        line_bytes(out, "container limit", m->memory_limit_bytes);
    for (i = 0; i < m->n_numa; i++)
        ec_buf_printf(out, "NUMA node %-8d %s\n", i,
                      text_bytes(text, sizeof text, m->numa_memory_bytes[i]));
}

static void text_gpu(struct ec_buf *out, int index, const struct ec_gpu_info *g)
{
    char text[TEXT_MAX];

    ec_buf_printf(out, "GPU %-14d %s, %s\n", index, g->name,
                  text_bytes(text, sizeof text, g->memory_bytes));
    ec_buf_printf(out, "%-18s catalogue: %s\n", "", g->device ? g->device->key : "-");
    ec_buf_printf(out, "%-18s", "");
    if (g->max_sm_hz > 0)
        ec_buf_printf(out, " SM up to %.0f MHz,", g->max_sm_hz * 1e-6);
    if (g->max_memory_hz > 0)
        ec_buf_printf(out, " memory up to %.0f MHz,", g->max_memory_hz * 1e-6);
    if (g->power_limit_w > 0)
        ec_buf_printf(out, " power limit %.0f W,", g->power_limit_w);
    ec_buf_printf(out, " PCIe %d x%d (of %d x%d)\n", g->pcie_gen, g->pcie_width, g->pcie_gen_max,
                  g->pcie_width_max);
}

static void text_gpus(struct ec_buf *out, const struct ec_machine *m)
{
    int i;

    if (!m->n_gpus)
        line(out, "GPU", m->gpu_note);
    for (i = 0; i < m->n_gpus; i++)
        text_gpu(out, i, &m->gpus[i]);
    if (m->driver_version)
        line(out, "NVIDIA driver", m->driver_version);
    if (m->cuda_driver_version)
        line(out, "CUDA of driver", m->cuda_driver_version);
}

enum ec_status ec_machine_to_text(const struct ec_machine *m, struct ec_buf *out,
                                  struct ec_err *err)
{
    int i;

    text_cpu(out, m);
    text_memory(out, m);
    text_gpus(out, m);
    line(out, "system", m->os);
    line(out, "kernel", m->kernel);
    line(out, "architecture", m->arch);
    line(out, "built by", m->compiler);
    for (i = 0; i < m->n_libs; i++)
        line(out, m->libs[i].name, m->libs[i].version);
    return ec_buf_status(out, err);
}
