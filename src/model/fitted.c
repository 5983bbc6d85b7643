/* Access to the shipped numbers (fitted.inc, which `epochcast fit` writes). */
#include "model/fitted.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fitted.inc"

const struct ec_fitted *ec_fitted(void)
{
    return &fitted;
}

bool ec_is_forward(const struct ec_step *step)
{
    return !step->n || step->kernel[step->n - 1].phase == EC_FORWARD;
}

/* Releases of PyTorch run nearly the same kernels: one of them alone has few networks. So have
 * accelerators that are no GPUs, whose frameworks are one group. */
static enum ec_framework pooled(enum ec_framework fw, const struct ec_device *d)
{
    bool pool = d->kind == EC_DEV_ACCELERATOR || fw == EC_FW_pytorch_0 || fw == EC_FW_pytorch_1;

    return pool ? EC_FW_pytorch_2 : fw;
}

int ec_width_group(enum ec_framework fw, const struct ec_step *step, const struct ec_device *d,
                   bool queued)
{
    bool batched = step->n == 1 && step->kernel[0].kclass == EC_K_GEMM && step->kernel[0].b > 1;
    enum ec_group_kind kind = d->kind == EC_DEV_CPU ? EC_ON_CPU
                              : queued              ? EC_QUEUED
                              : batched             ? EC_BATCHED
                                                    : EC_PLAIN;

    return 2 * ((int)kind * (int)EC_FRAMEWORK_COUNT + (int)pooled(fw, d)) + !ec_is_forward(step);
}

struct ec_width ec_fitted_width(const struct ec_fitted *f, enum ec_width_kind kind,
                                enum ec_basis basis, int group)
{
    const struct ec_width_scale *scale = &f->group_scale[kind][basis][group];
    struct ec_width w = f->width[kind][basis];

    if (scale->lo > 0)
        w.lo = w.mid + (w.lo - w.mid) * scale->lo;
    if (scale->hi > 0)
        w.hi = w.mid + (w.hi - w.mid) * scale->hi;
    return w;
}

/* Whether a word at the end of a device's key names a board or memory size, not the product. */
static bool is_board_word(struct ec_span w)
{
    static const char *const words[] = { "pcie", "nvl", "gcd", "hbm2e", "500w" };
    size_t digits = 0;
    int i;

    for (i = 0; i < EC_LEN(words); i++)
        if (ec_span_eq(w, words[i]))
            return true;
    while (digits < w.len && w.p[digits] >= '0' && w.p[digits] <= '9')
        digits++;
    if (digits && w.len == digits + 2 && memcmp(w.p + digits, "gb", 2) == 0)
        return true;
    return w.len >= 3 && w.len <= 4 && memcmp(w.p, "sxm", 3) == 0;
}

size_t ec_product_len(const char *key)
{
    size_t len = strlen(key), cut;

    for (;;) {
        cut = len;
        while (cut && key[cut - 1] != '-')
            cut--;
        if (!cut || !is_board_word((struct ec_span){ key + cut, len - cut }))
            return len;
        len = cut - 1;
    }
}

void ec_arch_key(const struct ec_device *d, char ret[EC_ARCH_BYTES])
{
    size_t i;

    if (d->compute_capability)
        (void)snprintf(ret, EC_ARCH_BYTES, "sm%d", d->compute_capability);
    else
        (void)snprintf(ret, EC_ARCH_BYTES, "%s", d->arch);
    for (i = 0; ret[i]; i++)
        ret[i] = ret[i] == ' ' ? '-' : ret[i];
}

/* For bsearch(): the first member of each list's rows is the key. */
static int compare_key(const void *key, const void *row)
{
    return strcmp(key, *(const char *const *)row);
}

static const struct ec_offset_fit *find_offset(const struct ec_offset_fit *list, int n,
                                               const char *key)
{
    return n ? bsearch(key, list, (size_t)n, sizeof *list, compare_key) : NULL;
}

static const struct ec_offset_fit *find_product(const struct ec_fitted *f, const char *key)
{
    char name[64];

    (void)snprintf(name, sizeof name, "%.*s", (int)ec_product_len(key), key);
    return find_offset(f->products, f->n_products, name);
}

const struct ec_device_fit *ec_fitted_device(const struct ec_fitted *f, const char *key)
{
    return f->n_devices
               ? bsearch(key, f->devices, (size_t)f->n_devices, sizeof *f->devices, compare_key)
               : NULL;
}

int ec_fitted_sources(const struct ec_fitted *f, const char *key)
{
    const struct ec_offset_fit *p = find_product(f, key);

    return p ? p->n_sources : 0;
}

int ec_fitted_arch_sources(const struct ec_fitted *f, const char *arch)
{
    const struct ec_offset_fit *a = find_offset(f->archs, f->n_archs, arch);

    return a ? a->n_sources : 0;
}

enum ec_kclass ec_main_class(const struct ec_step *step)
{
    double mac[EC_KCLASS_COUNT] = { 0 };
    int most = EC_K_STREAM, i;

    for (i = 0; i < step->n; i++)
        if (step->kernel[i].phase == EC_FORWARD)
            mac[step->kernel[i].kclass] +=
                (step->repeat ? step->repeat[i] : 1) * step->kernel[i].mac;
    mac[EC_K_CONV] += mac[EC_K_DEPTHWISE];
    mac[EC_K_GEMM] += mac[EC_K_ATTENTION];
    mac[EC_K_DEPTHWISE] = mac[EC_K_ATTENTION] = 0;
    for (i = 0; i < EC_KCLASS_COUNT; i++)
        if (mac[i] > mac[most])
            most = i;
    return (enum ec_kclass)most;
}

struct ec_known_fit ec_known_place(const struct ec_conditions *cond, enum ec_width_kind kind,
                                   const struct ec_step *step)
{
    enum ec_kclass kclass = ec_is_network_kind(kind) ? ec_main_class(step) : EC_K_STREAM;
    bool of_maps = kind == EC_W_conv || kclass == EC_K_CONV;

    return (struct ec_known_fit){ .framework =
                                      cond->framework, /* by hand: few tell kernels apart */
                                  .kind = kind,
                                  .kclass = kclass,
                                  .precision = cond->precision,
                                  .layout = of_maps ? cond->layout : EC_CHANNELS_FIRST };
}

static int count(uint64_t sources)
{
    return __builtin_popcountll(sources);
}

/* A source that is near counts as one, one of the architecture alone as a half: the fit shrinks
 * offsets alike. */
static double unknown_of(const struct ec_known *k)
{
    double near = k->product + k->sibling + k->arch / 2.0, device, kind;

    if (k->same)
        return 0;
    device = 1 / (1 + near);
    kind = k->kind ? 0 : 1 / (1 + k->kind_by / 2.0);
    assert(device > 0 && device <= 1 && kind >= 0 && kind <= 1);
    return fmax(device, kind);
}

struct ec_known ec_fitted_known(const struct ec_fitted *f, const struct ec_device *d,
                                const struct ec_conditions *cond, enum ec_width_kind kind,
                                const struct ec_step *step)
{
    struct ec_known_fit asked = ec_known_place(cond, kind, step);
    uint64_t same = 0, product = 0, sibling = 0, of_arch = 0, of_kind = 0, by = 0;
    const char *key = ec_device_measured_as(d);
    size_t len = ec_product_len(key);
    char arch[EC_ARCH_BYTES];
    struct ec_known ret;
    int i;

    ec_arch_key(d, arch);
    for (i = 0; i < f->n_known; i++) {
        const struct ec_known_fit *k = &f->known[i];
        bool kernels = k->kind == asked.kind && k->kclass == asked.kclass;
        bool alike = kernels && k->framework == asked.framework &&
                     k->precision == asked.precision && k->layout == asked.layout;
        bool here = strncmp(k->product, key, len) == 0 && !k->product[len];

        of_kind |= alike ? k->sources : 0;
        by |= kernels && k->framework == asked.framework ? k->sources : 0;
        if (!here && !ec_str_eq(k->arch, arch))
            continue;
        *(here ? alike ? &same : &product : alike ? &sibling : &of_arch) |= k->sources;
    }
    ret = (struct ec_known){ .same = count(same),
                             .product = count(product & ~same),
                             .sibling = count(sibling & ~(same | product)),
                             .arch = count(of_arch & ~(same | product | sibling)),
                             .kind = count(of_kind),
                             .kind_by = count(by) };
    ret.unknown = unknown_of(&ret);
    return ret;
}

enum ec_basis ec_known_basis(const struct ec_known *k)
{
    if (k->same)
        return EC_BASIS_MEASURED;
    return k->unknown <= 0.5 ? EC_BASIS_RELATED : EC_BASIS_SPECIFICATION;
}

static double side_between(double measured, double specification, double unknown)
{
    double m = measured * measured, s = specification * specification;

    return sqrt(m + unknown * fmax(0, s - m));
}

struct ec_width ec_width_between(const struct ec_width *measured,
                                 const struct ec_width *specification, double unknown)
{
    struct ec_width w = *measured;

    assert(unknown >= 0 && unknown <= 1);
    w.lo = -side_between(measured->lo, specification->lo, unknown);
    w.hi = side_between(measured->hi, specification->hi, unknown);
    return w;
}

/* Launch offset of the nearest rows of the same framework and harness, as ec_fitted_offset says;
 * that of whole isolated steps differs. Of networks (op is "") only the device's own count. */
static double seen_launch(const struct ec_fitted *f, const char *device,
                          const struct ec_conditions *cond, enum ec_width_kind kind, const char *op)
{
    double sum[4] = { 0 }; /* + 2 of other devices, + 1 of other operators of the kind */
    int n[4] = { 0 }, i;

    for (i = 0; i < f->n_seen; i++) {
        const struct ec_seen_fit *s = &f->seen[i];
        bool other = !ec_str_eq(s->device, device), unlike = !ec_str_eq(s->op, op);

        if (s->framework != cond->framework || s->kind != kind ||
            s->step != (cond->mode == EC_MODE_ISOLATED_STEP) || (other && !*op))
            continue;
        sum[2 * other + unlike] += s->launch;
        n[2 * other + unlike]++;
    }
    for (i = 0; i < 4; i++)
        if (n[i])
            return sum[i] / n[i];
    return 0;
}

/* Torch 7 and Caffe have loops of their own on CPUs: what these reach says nothing of a CPU under
 * the libraries of others. */
static bool has_own_loops(enum ec_framework fw)
{
    return fw == EC_FW_torch7 || fw == EC_FW_caffe;
}

static bool tells(const struct ec_fitted *f, const char *arch, enum ec_framework fw)
{
    int i;

    for (i = 0; i < f->n_known; i++)
        if (ec_str_eq(f->known[i].arch, arch) &&
            has_own_loops(f->known[i].framework) == has_own_loops(fw))
            return true;
    return false;
}

void ec_fitted_offset(const struct ec_fitted *f, const struct ec_device *d,
                      const struct ec_conditions *cond, const struct ec_op *op,
                      double ret[EC_DO_COUNT])
{
    enum ec_width_kind kind = op ? ec_width_of_op(op) : ec_width_of_network(d);
    const struct ec_offset_fit *of[2];
    char arch[EC_ARCH_BYTES];
    int i;

    ec_arch_key(d, arch);
    of[0] = find_offset(f->archs, f->n_archs, arch);
    of[1] = find_product(f, ec_device_measured_as(d));
    memset(ret, 0, sizeof *ret * EC_DO_COUNT);
    if (d->kind == EC_DEV_CPU && !tells(f, arch, cond->framework))
        of[0] = of[1] = NULL;
    for (i = 0; i < EC_LEN(of); i++)
        if (of[i]) {
            ret[EC_DO_COMPUTE] += of[i]->compute;
            ret[EC_DO_MEMORY] += of[i]->memory;
        }
    ec_offsets_bound(d, &f->c, ret);
    ret[EC_DO_LAUNCH] = kind == EC_W_network ? f->reference_launch[cond->framework]
                                             : seen_launch(f, ec_device_measured_as(d), cond, kind,
                                                           op ? op->name : "");
}

/* Replaying a graph takes the host one launch, not one a kernel: here a hundredth. */
static const struct ec_host_fit general_hosts[] = {
    {EC_REFERENCE_HOST, 0   },
    { EC_GRAPHS_HOST,   -4.6},
};

int ec_fitted_host_count(const struct ec_fitted *f)
{
    return EC_LEN(general_hosts) + f->n_hosts;
}

const struct ec_host_fit *ec_fitted_host_at(const struct ec_fitted *f, int i)
{
    return i < EC_LEN(general_hosts) ? &general_hosts[i] : &f->hosts[i - EC_LEN(general_hosts)];
}

/* The list of hosts is long, so the message has only near names. */
static enum ec_status no_such_host(const struct ec_fitted *f, const char *name, struct ec_err *err)
{
    int i, n = ec_fitted_host_count(f);
    const char **names = ec_alloc(sizeof *names * (size_t)n);
    enum ec_status st;

    EC_PASS(ec_allocated(names, err));
    for (i = 0; i < n; i++)
        names[i] = ec_fitted_host_at(f, i)->name;
    st = ec_fail_near(
        err, EC_E_NOT_FOUND, name, names, n,
        "host \"%.60s\" was not measured; \"epochcast device hosts\" lists those that were", name);
    ec_free(names);
    return st;
}

enum ec_status ec_fitted_host(const struct ec_fitted *f, const char *name, double *ret_launch,
                              struct ec_err *err)
{
    int i;

    *ret_launch = 0;
    for (i = 0; i < ec_fitted_host_count(f); i++)
        if (ec_str_eq(name, ec_fitted_host_at(f, i)->name)) {
            *ret_launch = ec_fitted_host_at(f, i)->launch;
            return EC_OK;
        }
    return no_such_host(f, name, err);
}

const char *ec_width_name(enum ec_width_kind k)
{
    static const char *const names[] = {
#define WIDTH_NAME(name) #name,
        EC_WIDTH_LIST(WIDTH_NAME)
#undef WIDTH_NAME
    };
    return names[k];
}

enum ec_width_kind ec_width_of_network(const struct ec_device *d)
{
    return d->kind == EC_DEV_GPU ? EC_W_network : EC_W_network_not_gpu;
}

enum ec_width_kind ec_width_of_op(const struct ec_op *op)
{
    static const struct {
        const char *prefix;
        enum ec_width_kind kind;
    } kinds[] = {
        {"conv",       EC_W_conv},
        { "matmul",    EC_W_gemm},
        { "grouped",   EC_W_gemm},
        { "linear",    EC_W_gemm},
        { "lstm",      EC_W_rnn },
        { "gru",       EC_W_rnn },
        { "rnn",       EC_W_rnn },
        { "multi",     EC_W_gemm},
        { "attention", EC_W_gemm},
    };
    int i;

    for (i = 0; i < EC_LEN(kinds); i++)
        if (ec_str_starts(op->name, kinds[i].prefix))
            return kinds[i].kind;
    return EC_W_vector;
}

bool ec_is_network_kind(enum ec_width_kind kind)
{
    return kind == EC_W_network || kind == EC_W_network_not_gpu;
}

struct ec_fitted ec_fitted_bare(const struct ec_fitted *f)
{
    struct ec_fitted bare = *f;

    bare.n_devices = bare.n_archs = bare.n_products = bare.n_hosts = 0;
    bare.n_seen = bare.n_known = 0;
    return bare;
}
