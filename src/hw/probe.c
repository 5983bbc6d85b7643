/* The machine record: what this machine is, as kept beside every measurement. The host's name and
 * serial numbers are left out on purpose. */
#include "hw/probe_internal.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#ifdef EC_HAVE_HWLOC
#include <hwloc.h>
#endif

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#elif defined(__GNUC__)
#define COMPILER "gcc " __VERSION__
#else
#define COMPILER "unknown"
#endif

static void *find_function(void *lib, const char *symbol)
{
    return lib ? dlsym(lib, symbol) : NULL;
}

/* SQLite only counts when this process uses it already. */
static enum ec_status add_sqlite(struct ec_machine *m, struct ec_err *err)
{
    void *lib = dlopen("libsqlite3.so.0", RTLD_LAZY | RTLD_NOLOAD);
    void *p = find_function(lib, "sqlite3_libversion");
    const char *(*version)(void) = NULL;
    enum ec_status st = EC_OK;

    memcpy(&version, &p, sizeof version);
    if (version)
        st = ec__add_lib(m, "sqlite", version(), err);
    if (lib)
        (void)dlclose(lib);
    return st;
}

/* dnnl_version() points at a struct that starts with major, minor and patch. */
static enum ec_status add_dnnl(struct ec_machine *m, struct ec_err *err)
{
    static const char *const names[] = { "libdnnl.so.3", "libdnnl.so.2" };
    const int *(*version)(void) = NULL;
    char text[48];
    void *lib = NULL, *p;
    enum ec_status st = EC_OK;
    int i;

    ec_foreign_begin("oneDNN"); /* its constructors run */
    for (i = 0; !lib && i < EC_LEN(names); i++)
        lib = dlopen(names[i], RTLD_LAZY | RTLD_LOCAL);
    ec_foreign_end();
    p = find_function(lib, "dnnl_version");
    memcpy(&version, &p, sizeof version);
    if (version) {
        const int *v = version();

        (void)snprintf(text, sizeof text, "%d.%d.%d", v[0], v[1], v[2]);
        st = ec__add_lib(m, "oneDNN", text, err);
    }
    if (lib)
        (void)dlclose(lib);
    return st;
}

static enum ec_status add_hwloc(struct ec_machine *m, struct ec_err *err)
{
#ifdef EC_HAVE_HWLOC
    unsigned v = hwloc_get_api_version(); /* 0x00020900 is 2.9 */
    char text[32];

    (void)snprintf(text, sizeof text, "%u.%u.%u", v >> 16, v >> 8 & 0xff, v & 0xff);
    return ec__add_lib(m, "hwloc_api", text, err);
#else
    (void)m;
    (void)err;
    return EC_OK;
#endif
}

/* Compiler that built us and libraries in use. Errors: NOMEM. */
static enum ec_status probe_software(struct ec_machine *m, struct ec_err *err)
{
    m->compiler = COMPILER;
    EC_PASS(add_hwloc(m, err));
    EC_PASS(add_sqlite(m, err));
    return add_dnnl(m, err);
}

/* Architecture, and the kernel where /proc does not say. */
static enum ec_status read_uname(struct ec_machine *m, struct ec_err *err)
{
    struct utsname u;

    if (uname(&u))
        return EC_OK;
    m->arch = ec_arena_str(&m->arena, u.machine);
    if (!m->kernel)
        m->kernel = ec_arena_str(&m->arena, u.release);
    return ec_allocated(m->arch && m->kernel, err);
}

enum ec_status ec_machine_probe(struct ec_machine **ret, struct ec_err *err)
{
    struct ec_machine *m = ec_alloc(sizeof *m);
    enum ec_status st;

    EC_PASS(ec_allocated(m, err));
    EC_TRY(ec__probe_tree("", m, err));
    EC_TRY(read_uname(m, err));
    (void)ec__probe_hwloc(m);
    EC_TRY(ec__probe_nvml("libnvidia-ml.so.1", m, err));
    EC_TRY(probe_software(m, err));
    EC_TRY(ec__probe_versions("", m, err));
    *ret = m;
    m = NULL;
out:
    ec_machine_free(m);
    return st;
}

void ec_machine_forget_moment(struct ec_machine *m)
{
    m->memory_available_bytes = 0;
    m->swap_free_bytes = m->swap_bytes;
}

void ec_machine_free(struct ec_machine *m)
{
    if (!m)
        return;
    ec_arena_clear(&m->arena);
    ec_free(m);
}

const char *ec_machine_cpu_name(const struct ec_machine *m)
{
    return m->cpu.model ? m->cpu.model : "";
}
