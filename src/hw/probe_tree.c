/* What Linux says in /proc, /sys and /etc, below any root, so that recorded machines can be read
 * in tests. Text of the system is input: nothing here trusts a size, a count or a line. */
#include "hw/probe_internal.h"

#define TREE_FILE_MAX_BYTES ((size_t)16 << 20) /* /proc/cpuinfo of a thousand CPUs is 2 MB */
#define CPUS_MAX 4096
#define CACHE_INDEX_MAX 8
#define KIB 1024

struct tree {
    const char *root;
    struct ec_machine *m;
    struct ec_arena scratch; /* paths and file contents */
    bool out_of_memory;      /* sticky */
};

/* The file's text, trimmed; an empty span when it cannot be read. */
static struct ec_span tree_read(struct tree *t, const char *path)
{
    struct ec_span text = { NULL, 0 };
    struct ec_file f = { 0 };
    char *full = ec_arena_printf(&t->scratch, "%s%s", t->root, path), *copy;

    if (!full) {
        t->out_of_memory = true;
        return text;
    }
    /* Absent and unreadable files are the normal case: the value stays unknown. */
    switch (ec_file_open_kernel(full, TREE_FILE_MAX_BYTES, &f, NULL)) {
    case EC_OK:
        break;
    case EC_E_NOMEM:
        t->out_of_memory = true;
        return text;
    default:
        return text;
    }
    copy = ec_arena_strn(&t->scratch, (const char *)f.data, f.len);
    if (copy)
        text = ec_span_trim((struct ec_span){ copy, f.len });
    t->out_of_memory |= !copy;
    ec_file_close(&f);
    return text;
}

static const char *tree_keep(struct tree *t, struct ec_span text)
{
    char *copy;

    if (!text.len)
        return NULL;
    copy = ec_arena_strn(&t->m->arena, text.p, text.len);
    t->out_of_memory |= !copy;
    return copy;
}

/* "12345 kB" -> 12345 * 1024. 0 when it is no such number. */
static int64_t parse_kib(struct ec_span text)
{
    struct ec_span rest = ec_span_trim(text), number;
    int64_t v;

    if (!ec_span_cut(&rest, ' ', &number) || !ec_parse_int(number, &v) || v < 0 ||
        !ec_mul_i64(v, KIB, &v))
        return 0;
    return v;
}

/* "48K", "32M" -> bytes. 0 when it is no such number. */
static int64_t parse_size(struct ec_span text)
{
    int64_t v, scale = 1;

    if (text.len && text.p[text.len - 1] == 'K')
        scale = KIB;
    else if (text.len && text.p[text.len - 1] == 'M')
        scale = (int64_t)KIB * KIB;
    text.len -= scale > 1;
    if (!ec_parse_int(text, &v) || v < 0 || !ec_mul_i64(v, scale, &v))
        return 0;
    return v;
}

/* First number of a list such as "0-3,8". -1 when there is none. */
static int64_t list_first(struct ec_span list)
{
    size_t n = 0;
    int64_t v;

    while (n < list.len && list.p[n] >= '0' && list.p[n] <= '9')
        n++;
    return ec_parse_int((struct ec_span){ list.p, n }, &v) ? v : -1;
}

typedef void (*list_fn)(struct tree *t, int id);

/* Calls fn for each number of a list such as "0-3,8" that is below `limit`. */
static void list_each(struct tree *t, struct ec_span list, int limit, list_fn fn)
{
    struct ec_span part, first;
    int64_t lo, hi;

    while (ec_span_cut(&list, ',', &part)) {
        if (!ec_span_cut(&part, '-', &first) || !ec_parse_int(first, &lo))
            return;
        hi = lo;
        if (part.p && !ec_parse_int(part, &hi))
            return;
        for (; lo >= 0 && lo <= hi && lo < limit; lo++)
            fn(t, (int)lo);
    }
}

/* --- /proc/cpuinfo --- */

/* Identity of one physical core; a set of them counts cores and sockets. */
struct core_id {
    int64_t package, core;
};

struct cpu_count {
    struct core_id ids[CPUS_MAX];
    int n_cores, n_sockets;
};

static void count_core(struct cpu_count *c, int64_t package, int64_t core)
{
    bool new_socket = true;
    int i;

    for (i = 0; i < c->n_cores; i++) {
        if (c->ids[i].package != package)
            continue;
        new_socket = false;
        if (c->ids[i].core == core)
            return;
    }
    if (c->n_cores == CPUS_MAX)
        return;
    c->ids[c->n_cores++] = (struct core_id){ package, core };
    c->n_sockets += new_socket;
}

static const struct {
    const char *name, *flag;
} isas[EC_ISA_COUNT] = {
#define ISA_ROW(name, flag) { #name, flag },
    EC_ISA_LIST(ISA_ROW)
#undef ISA_ROW
};

const char *ec__isa_name(enum ec_isa isa)
{
    return isas[isa].name;
}

static unsigned parse_isa(struct ec_span flags)
{
    struct ec_span flag;
    unsigned found = 0;
    int i;

    while (ec_span_cut(&flags, ' ', &flag))
        for (i = 0; i < EC_ISA_COUNT; i++)
            if (ec_span_eq(flag, isas[i].flag))
                found |= 1u << i;
    return found;
}

static bool has_word(struct ec_span words, const char *word)
{
    struct ec_span w;

    while (ec_span_cut(&words, ' ', &w))
        if (ec_span_eq(w, word))
            return true;
    return false;
}

/* Clock that Intel writes at the end of the name: "... CPU @ 2.40GHz". 0 when there is none. */
static double model_hz(struct ec_span model)
{
    struct ec_span rest = model, before;
    double ghz;

    if (!ec_span_cut(&rest, '@', &before) || !rest.p)
        return 0;
    rest = ec_span_trim(rest);
    if (rest.len < 4 || !ec_span_eq((struct ec_span){ rest.p + rest.len - 3, 3 }, "GHz"))
        return 0;
    rest.len -= 3;
    return ec_parse_double(rest, &ghz) && ghz > 0 ? ghz * 1e9 : 0;
}

static void read_cpu_line(struct tree *t, struct ec_span key, struct ec_span value,
                          struct core_id *id)
{
    struct ec_cpu_info *cpu = &t->m->cpu;

    if (ec_span_eq(key, "processor")) {
        cpu->threads++;
    } else if (ec_span_eq(key, "physical id")) {
        (void)ec_parse_int(value, &id->package);
    } else if (ec_span_eq(key, "core id")) {
        (void)ec_parse_int(value, &id->core);
    } else if (!cpu->model && ec_span_eq(key, "model name")) {
        cpu->model = tree_keep(t, value);
        if (model_hz(value) > 0)
            cpu->base_hz = (struct ec_qty){ model_hz(value), EC_SRC_PROBED, "/proc/cpuinfo" };
    } else if (!cpu->isa && (ec_span_eq(key, "flags") || ec_span_eq(key, "Features"))) {
        cpu->isa = parse_isa(value);
        cpu->hypervisor = has_word(value, "hypervisor");
    }
}

/* One paragraph per logical CPU, "key : value" lines. */
static void read_cpuinfo(struct tree *t)
{
    struct ec_span rest = tree_read(t, "/proc/cpuinfo"), line, key;
    struct cpu_count *count = ec_arena_alloc(&t->scratch, sizeof *count);
    struct core_id id = { -1, -1 };

    if (!count) {
        t->out_of_memory = true;
        return;
    }
    while (ec_span_cut(&rest, '\n', &line)) {
        if (ec_span_cut(&line, ':', &key) && line.p)
            read_cpu_line(t, ec_span_trim(key), ec_span_trim(line), &id);
        if (ec_span_trim(key).len && rest.p)
            continue;
        if (id.core >= 0)
            count_core(count, id.package, id.core);
        id = (struct core_id){ -1, -1 };
    }
    t->m->cpu.sockets = count->n_sockets;
    t->m->cpu.cores = count->n_cores;
}

/* The kernel writes kHz here. */
static void read_clock(struct tree *t, const char *path, struct ec_qty *q)
{
    int64_t khz;

    if (ec_parse_int(tree_read(t, path), &khz) && khz > 0)
        *q = (struct ec_qty){ (double)khz * 1e3, EC_SRC_PROBED, "cpufreq" };
}

/* --- Caches and NUMA nodes --- */

static const char *cache_type(struct ec_span type)
{
    if (ec_span_eq(type, "Data"))
        return "data";
    if (ec_span_eq(type, "Instruction"))
        return "instruction";
    return ec_span_eq(type, "Unified") ? "unified" : NULL;
}

static void add_cache(struct ec_machine *m, const struct ec_cache_info *found)
{
    struct ec_cache_info *c;
    int i;

    for (i = 0; i < m->n_caches; i++) {
        c = &m->caches[i];
        if (c->level == found->level && ec_str_eq(c->type, found->type) &&
            c->size_bytes == found->size_bytes) {
            c->count++;
            return;
        }
    }
    if (m->n_caches < EC_CACHES_MAX)
        m->caches[m->n_caches++] = *found;
}

static struct ec_span cache_file(struct tree *t, int cpu, int index, const char *file)
{
    char *path = ec_arena_printf(&t->scratch, "/sys/devices/system/cpu/cpu%d/cache/index%d/%s", cpu,
                                 index, file);

    t->out_of_memory |= !path;
    return path ? tree_read(t, path) : (struct ec_span){ NULL, 0 };
}

/* A cache shared by several CPUs is counted at the first of them. */
static void read_caches(struct tree *t, int cpu)
{
    struct ec_cache_info c = { .count = 1 };
    int64_t level;
    int i;

    for (i = 0; i < CACHE_INDEX_MAX; i++) {
        if (!ec_parse_int(cache_file(t, cpu, i, "level"), &level) || level < 1 || level > 9)
            return;
        if (list_first(cache_file(t, cpu, i, "shared_cpu_list")) != cpu)
            continue;
        c.level = (int)level;
        c.type = cache_type(cache_file(t, cpu, i, "type"));
        c.size_bytes = parse_size(cache_file(t, cpu, i, "size"));
        if (c.type && c.size_bytes > 0)
            add_cache(t->m, &c);
    }
}

static void read_numa(struct tree *t, int node)
{
    char *path = ec_arena_printf(&t->scratch, "/sys/devices/system/node/node%d/meminfo", node);
    struct ec_span rest, line, before;
    int64_t bytes = 0;

    t->out_of_memory |= !path;
    if (!path || t->m->n_numa == EC_NUMA_MAX)
        return;
    rest = tree_read(t, path);
    while (!bytes && ec_span_cut(&rest, '\n', &line)) { /* "Node 0 MemTotal:  7694540 kB" */
        (void)ec_span_cut(&line, ':', &before);
        if (line.p && before.len > 8 &&
            ec_span_eq((struct ec_span){ before.p + before.len - 8, 8 }, "MemTotal"))
            bytes = parse_kib(line);
    }
    if (bytes)
        t->m->numa_memory_bytes[t->m->n_numa++] = bytes;
}

/* --- Memory and system --- */

static void read_meminfo(struct tree *t)
{
    struct ec_span rest = tree_read(t, "/proc/meminfo"), line, key;

    while (ec_span_cut(&rest, '\n', &line)) {
        if (!ec_span_cut(&line, ':', &key) || !line.p)
            continue;
        if (ec_span_eq(key, "MemTotal"))
            t->m->memory_bytes = parse_kib(line);
        else if (ec_span_eq(key, "MemAvailable"))
            t->m->memory_available_bytes = parse_kib(line);
        else if (ec_span_eq(key, "SwapTotal"))
            t->m->swap_bytes = parse_kib(line);
        else if (ec_span_eq(key, "SwapFree"))
            t->m->swap_free_bytes = parse_kib(line);
    }
}

/* Limits of the container, cgroup version 2: "max" or a number; "quota period". */
static void read_limits(struct tree *t)
{
    struct ec_span cpu = tree_read(t, "/sys/fs/cgroup/cpu.max"), quota;
    int64_t bytes, quota_us, period_us;

    if (ec_parse_int(tree_read(t, "/sys/fs/cgroup/memory.max"), &bytes) && bytes > 0)
        t->m->memory_limit_bytes = bytes;
    if (ec_span_cut(&cpu, ' ', &quota) && cpu.p && ec_parse_int(quota, &quota_us) &&
        ec_parse_int(cpu, &period_us) && quota_us > 0 && period_us > 0)
        t->m->cpu_limit = (double)quota_us / (double)period_us;
}

/* PRETTY_NAME="Debian GNU/Linux 12 (bookworm)" */
static void read_os_release(struct tree *t)
{
    struct ec_span rest = tree_read(t, "/etc/os-release"), line, key;

    while (!t->m->os && ec_span_cut(&rest, '\n', &line)) {
        if (!ec_span_cut(&line, '=', &key) || !line.p || !ec_span_eq(key, "PRETTY_NAME"))
            continue;
        if (line.len >= 2 && line.p[0] == '"' && line.p[line.len - 1] == '"')
            line = (struct ec_span){ line.p + 1, line.len - 2 };
        t->m->os = tree_keep(t, line);
    }
}

enum ec_status ec__probe_tree(const char *root, struct ec_machine *m, struct ec_err *err)
{
    struct tree t = { .root = root, .m = m };

    read_cpuinfo(&t);
    read_clock(&t, "/sys/devices/system/cpu/cpu0/cpufreq/base_frequency", &m->cpu.base_hz);
    read_clock(&t, "/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", &m->cpu.max_hz);
    list_each(&t, tree_read(&t, "/sys/devices/system/cpu/online"), CPUS_MAX, read_caches);
    list_each(&t, tree_read(&t, "/sys/devices/system/node/online"), CPUS_MAX, read_numa);
    read_meminfo(&t);
    read_limits(&t);
    read_os_release(&t);
    m->kernel = tree_keep(&t, tree_read(&t, "/proc/sys/kernel/osrelease"));
    m->topology_source = "sys";
    ec_arena_clear(&t.scratch);
    return t.out_of_memory ? ec_nomem(err) : EC_OK;
}
