/* Collects the rows of a fit from every table of data/tables.csv, sampled evenly over devices, so
 * that no source dominates. */
#include "lab/fit_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Of tables under the directory of our own measurements. */
#define OWN_LICENCE "Apache-2.0"
#define OWN_URL "measured/ of this project"

/* Weight of a table, in rows, and the log error that counts as 1. */
#define TABLE_WEIGHT_ROWS 500.0
#define NETWORK_TABLE_WEIGHT_ROWS 400.0
/* Keep so many times more rows of networks: they are few, and many are of networks that we do not
 * have. */
#define NETWORK_ROWS 3
/* Size of the small sample, as a multiple of what the constants are fitted to. */
#define FEW_ROWS 6
/* A framework with so many rows of a kind has models of its own. */
#define OWN_ROWS 8000
/* With so many rows, kernels alone and isolated steps have models of their own: they differ from
 * benchmarked calls by more than frameworks do. */
#define OWN_QUEUED_ROWS 300
/* Weight of a row that waited for a host of varying speed. */
#define UNSTEADY_WEIGHT 0.2
/* A host of varying speed takes at most this long to issue a kernel: a step with more time per
 * kernel waited for the device. */
#define SLOWEST_ISSUE_NS 70e3
#define SIGMA_OPERATOR 0.20
#define SIGMA_NETWORK 0.12

static enum ec_status device_index(struct ec_fit *f, const struct ec_device *d, int *ret,
                                   struct ec_err *err)
{
    for (*ret = 0; *ret < f->n_devices; ++*ret)
        if (f->device[*ret] == d)
            return EC_OK;
    EC_PASS(ec_grow(&f->device, &f->cap_devices, f->n_devices + 1, sizeof *f->device, err));
    f->device[f->n_devices++] = d;
    return EC_OK;
}

static enum ec_status new_step(struct ec_fit *f, struct ec_step **ret, struct ec_err *err)
{
    struct ec_step *s;

    EC_PASS(ec_grow(&f->steps, &f->cap_steps, f->n_steps + 1, sizeof *f->steps, err));
    s = ec_alloc(sizeof *s);
    EC_PASS(ec_allocated(s, err));
    f->steps[f->n_steps++] = s;
    *ret = s;
    return EC_OK;
}

static enum ec_status operator_step(struct ec_fit *f, const struct ec_record *m,
                                    const struct ec_predict_opts *o, const struct ec_device *d,
                                    struct ec_facts *facts, struct ec_fit_row *r,
                                    struct ec_err *err)
{
    struct ec_owned_case c = { 0 };
    struct ec_step *s = NULL;
    enum ec_status st;

    EC_TRY(ec_case_parse(m->what, &c, err));
    EC_TRY(new_step(f, &s, err));
    EC_TRY(ec_step_of_query(&c.c, o, s, err));
    ec_facts_of_op(&c.c, d, &o->cond, facts);
    r->width = ec_width_of_op(c.c.op);
    r->op = c.c.op;
    r->step = s;
out:
    ec_case_clear(&c);
    return st;
}

static enum ec_status copy_step(struct ec_fit *f, const struct ec_step *from, struct ec_step **ret,
                                struct ec_err *err)
{
    size_t n = (size_t)from->n;
    struct ec_step *s = NULL;

    EC_PASS(new_step(f, &s, err));
    s->kernel = ec_alloc(sizeof *s->kernel * n);
    s->repeat = ec_alloc(sizeof *s->repeat * n);
    EC_PASS(ec_allocated(s->kernel && s->repeat, err));
    if (n) {
        memcpy(s->kernel, from->kernel, sizeof *s->kernel * n);
        memcpy(s->repeat, from->repeat, sizeof *s->repeat * n);
    }
    s->n = from->n;
    s->n_param_tensors = from->n_param_tensors;
    s->input_bytes = from->input_bytes;
    *ret = s;
    return EC_OK;
}

static enum ec_status network_step(struct ec_fit *f, const struct ec_record *m,
                                   const struct ec_predict_opts *o, const struct ec_device *d,
                                   struct ec_facts *facts, struct ec_fit_row *r, struct ec_err *err)
{
    const struct ec_step *step = NULL;
    const struct ec_graph *g = NULL;
    struct ec_step *s = NULL;

    EC_PASS(ec_predictor_network(f->predictor, m->what, o, &g, &step, err));
    EC_PASS(copy_step(f, step, &s, err));
    ec_facts_of_network(g, s, d, &o->cond, facts);
    r->step = s;
    if ((double)m->batch > f->largest_batch)
        f->largest_batch = (double)m->batch;
    return EC_OK;
}

/* rung  of a batch ladder, 0: a reading */
static enum ec_status memory_row(struct ec_fit *f, const struct ec_record *m, int source,
                                 const struct ec_predict_opts *o, int rung, struct ec_err *err)
{
    struct ec_fit_memory_row row = { .peak_bytes = rung ? 0 : m->memory_peak_bytes,
                                     .rung = rung,
                                     .in_fit = ec_memory_is_fitted(o->cond.framework),
                                     .allocator = ec_str_eq(m->memory_kind, "allocator"),
                                     .source = source,
                                     .family = ec_arena_str(&f->arena, m->family) };
    const struct ec_device *d = NULL;
    const struct ec_step *step = NULL;
    const struct ec_graph *g = NULL;

    EC_PASS(ec_allocated(row.family, err));
    EC_PASS(ec_device_find(m->device, &d, err));
    row.capacity_bytes = ec_device_usable_bytes(d);
    EC_PASS(ec_predictor_network(f->predictor, m->what, o, &g, &step, err));
    EC_PASS(ec_cost_memory(g, &o->cond, &row.parts, err));
    EC_PASS(ec_grow(&f->memory_row, &f->cap_memory_rows, f->n_memory_rows + 1,
                    sizeof *f->memory_row, err));
    f->memory_row[f->n_memory_rows++] = row;
    return EC_OK;
}

/* The batch of a row is the largest of 1, 2, 3, 4, 6, 8, 12, 16 ... that ran on its device, down
 * from FIRST_RUNG; the next ran out of memory. */
#define FIRST_RUNG 512
static enum ec_status ladder_rows(struct ec_fit *f, const struct ec_record *m, int source,
                                  struct ec_err *err)
{
    bool is_power = (m->batch & (m->batch - 1)) == 0;
    struct ec_predict_opts o;

    EC_PASS(ec_record_opts(m, &o, err));
    EC_PASS(memory_row(f, m, source, &o, -1, err));
    if (m->batch >= FIRST_RUNG)
        return EC_OK;
    o.batch = m->batch == 1 ? 2 : m->batch + m->batch / (is_power ? 2 : 3);
    return memory_row(f, m, source, &o, 1, err);
}

/* Tells networks apart: the same at every batch, image size and mode. */
static uint64_t network_signature(const struct ec_step *s)
{
    double of[2] = { 0 }; /* kernels of matrix work of the forward pass, their parameters */
    int i;

    for (i = 0; i < s->n; i++) {
        const struct ec_kernel *k = &s->kernel[i];
        double repeat = s->repeat ? s->repeat[i] : 1;

        if (k->phase != EC_FORWARD || !(k->flags & EC_KF_MATRIX))
            continue;
        of[0] += repeat;
        of[1] += repeat * k->weight_elems;
    }
    return ec_hash(of, sizeof of);
}

/* What a row is for, beside the fit of corrections. */
struct sample {
    bool few;
    unsigned drawn;
};

/* Kernels issued one by one; the update is a few for all parameters. */
static double issued_kernels(const struct ec_step *s)
{
    double n = 1;
    int i;

    for (i = 0; i < s->n; i++)
        if (s->kernel[i].phase != EC_UPDATE)
            n += (s->repeat ? s->repeat[i] : 1) *
                 (s->kernel[i].kclass == EC_K_RNN ? 1 : s->kernel[i].launches);
    return n;
}

/* Adds one measured row. Errors: UNSUPPORTED and others for rows that we cannot build, which the
 * caller counts. */
static enum ec_status add_row(struct ec_fit *f, const struct ec_record *m, int source,
                              const struct sample *sample, struct ec_err *err)
{
    const struct ec_device *d = NULL;
    struct ec_fit_row r = { 0 }, *kept;
    struct ec_predict_opts o;
    struct ec_facts facts;
    struct ec_rates rates;

    EC_PASS(ec_device_find(m->device, &d, err));
    EC_PASS(ec_record_opts(m, &o, err));
    if (m->num_devices > 1)
        return ec_fail(err, EC_E_UNSUPPORTED, "several devices have a fit of their own");
    if (ec_record_is_memory(m))
        return memory_row(f, m, source, &o, 0, err);
    EC_PASS(ec_rates_init(&rates, d, &o.cond, &ec_fitted()->c, NULL, err));
    EC_PASS(ec_record_is_network(m) ? network_step(f, m, &o, d, &facts, &r, err)
                                    : operator_step(f, m, &o, d, &facts, &r, err));
    if (r.step->n == 0)
        return EC_E_UNSUPPORTED;
    EC_PASS(ec_domain_see(&f->domain, &facts, err));
    EC_PASS(device_index(f, d, &r.device, err));
    r.cond = o.cond;
    r.isolated = !ec_record_is_network(m);
    r.drawn = sample->drawn;
    r.physics = r.drawn & 1;
    r.few = sample->few;
    if (ec_record_is_network(m))
        r.width = ec_width_of_network(d);
    r.network = ec_record_is_network(m) ? network_signature(r.step) : 0;
    r.copy_bytes = m->cond.input_copy ? r.step->input_bytes : 0;
    r.time_ns = m->time.ns;
    r.unsteady =
        f->source[source].unsteady && m->time.ns < SLOWEST_ISSUE_NS * issued_kernels(r.step);
    r.plain = ec_plain_estimate(r.step, d, r.cond.precision);
    r.source = source;
    r.id = m->row;
    r.batch = m->batch;
    r.image = m->image_px;
    r.what = ec_arena_str(&f->arena, m->what);
    r.family = ec_arena_str(&f->arena, m->family);
    r.release = ec_arena_str(&f->arena, m->framework_version);
    kept = ec_arena_copy(&f->arena, &r, sizeof r);
    EC_PASS(ec_allocated(r.family && r.what && r.release && kept, err));
    EC_PASS(ec_grow(&f->row, &f->cap_rows, f->n_rows + 1, sizeof *f->row, err));
    f->row[f->n_rows++] = kept;
    return EC_OK;
}

/* How many rows of a table have the device of a row, and how many its operator and phase, too. */
struct alike {
    int device, kind;
};

#define DRAW_SEEDS 1000003 /* apart: no seed of one draw is that of another */

/* A number from 0 to 1 by a hash of seed, draw, device, row and phase, so that a sample does not
 * depend on order. */
static double chance(const struct ec_fit_opts *o, const struct ec_record *m, int draw)
{
    long long seed = o->seed + DRAW_SEEDS * (long long)draw;
    char text[128];
    int n = snprintf(text, sizeof text, "%lld/%s/%d/%d", seed, m->device, m->row, m->phase);

    return (double)((ec_hash(text, (size_t)n) * 0x9e3779b97f4a7c15u) >> 11) * 0x1p-53;
}

/* Keep a row with the chance that leaves about so many of its device, or of its device, operator
 * and phase. The first sample of the constants is a part of what is kept; the others are drawn as
 * large from that. */
static bool sampled(const struct ec_fit_opts *o, const struct ec_record *m, struct alike of,
                    int learned_rows, struct sample *ret)
{
    double most = (double)o->max_rows, unit = chance(o, m, 0);
    double part = ec_record_is_network(m) ? NETWORK_ROWS * most / of.device : most / of.kind;
    double kept = o->constants_only ? part : fmax(part, learned_rows * most / of.device);
    int draw;

    ret->few = unit < FEW_ROWS * most / of.device;
    ret->drawn = unit < part;
    for (draw = 1; draw < EC_FIT_DRAWS; draw++)
        ret->drawn |= (unsigned)(chance(o, m, draw) < part / fmin(kept, 1)) << draw;
    return unit < kept;
}

static int by_device(const void *user, int a, int b)
{
    const struct ec_record *row = user;

    return strcmp(row[a].device, row[b].device);
}

/* Of one device and phase, and one operator or network. */
static int by_kind(const void *user, int a, int b)
{
    const struct ec_record *row = user;
    size_t len = strcspn(row[a].what, " "), other = strcspn(row[b].what, " ");
    int c = by_device(row, a, b);

    if (!c)
        c = (int)row[a].phase - (int)row[b].phase;
    return c ? c : strncmp(row[a].what, row[b].what, len > other ? len : other);
}

/* Weight of a row of a family. The networks of a family have correlated errors on all devices, so
 * many of them say less than as many of different families. */
static double family_weight(const struct ec_fit *f, int first, const struct ec_fit_row *r)
{
    int n = 0, i;

    for (i = first; i < f->n_rows; i++)
        n += f->row[i]->physics && ec_str_eq(f->row[i]->family, r->family);
    return n ? 1 / sqrt(n) : 1;
}

static void weigh(struct ec_fit *f, int first)
{
    double sum = 0, most;
    int n = 0, i;

    if (first == f->n_rows)
        return;
    for (i = first; i < f->n_rows; i++)
        n += f->row[i]->physics;
    most = f->row[first]->isolated ? TABLE_WEIGHT_ROWS : fmin(n, NETWORK_TABLE_WEIGHT_ROWS);
    for (i = first; i < f->n_rows; i++) {
        struct ec_fit_row *r = f->row[i];

        r->weight = r->isolated ? 1 : family_weight(f, first, r);
        sum += r->physics ? r->weight : 0;
    }
    for (i = first; i < f->n_rows; i++) {
        double sigma = f->row[i]->isolated ? SIGMA_OPERATOR : SIGMA_NETWORK;

        f->row[i]->weight *=
            (sum > most || (sum > 0 && !f->row[i]->isolated) ? most / sum : 1) / (sigma * sigma);
        if (f->row[i]->unsteady)
            f->row[i]->weight *= UNSTEADY_WEIGHT;
    }
}

static enum ec_status add_rows(struct ec_fit *f, const struct ec_record_list *l, int source,
                               const struct ec_table_use *t, struct ec_err *err)
{
    bool ladder = ec_str_eq(t->part, "ladder"), memory = ec_str_eq(t->part, "memory");
    struct ec_groups devices = { 0 }, kinds = { 0 };
    enum ec_status st, row;
    struct sample sample;
    struct alike alike;
    char first[160] = "";
    int i;

    EC_TRY(ec_group(l->n, by_device, l->v, &devices, err));
    EC_TRY(ec_group(l->n, by_kind, l->v, &kinds, err));
    for (i = 0; i < l->n; i++) {
        if (memory && !ec_record_is_memory(&l->v[i]))
            continue;
        f->source[source].n_read++;
        alike.device = ec_group_size(&devices, devices.of[i]);
        alike.kind = ec_group_size(&kinds, kinds.of[i]);
        if (!sampled(f->opts, &l->v[i], alike, t->learned_rows, &sample))
            continue;
        row = ladder ? ladder_rows(f, &l->v[i], source, err)
                     : add_row(f, &l->v[i], source, &sample, err);
        if (row == EC_E_NOMEM)
            EC_TRY(row);
        f->source[source].n_used += row == EC_OK;
        if (row && err && !first[0])
            (void)snprintf(first, sizeof first, "%.150s", err->text);
    }
    if (first[0])
        ec__fit_say(f->opts, "  first row left out: %s", first);
out:
    ec_groups_clear(&devices);
    ec_groups_clear(&kinds);
    return st;
}

static int origin_of(const struct ec_fit *f, int source)
{
    const char *table = f->source[source].table;
    size_t folder = strcspn(table, "/") + 1;
    int i;

    for (i = 0; i < source; i++)
        if (f->source[i].own == f->source[source].own &&
            strncmp(f->source[i].table, table, folder) == 0)
            break;
    return i;
}

/* What is said of a table outlives the table. */
static enum ec_status describe_source(struct ec_fit *f, const struct ec_table_use *t,
                                      const struct ec_mapping *l, struct ec_err *err)
{
    const struct {
        const char *text;
        const char **ret;
    } texts[] = {
        {t->table,                                      &f->source[f->n_sources].table  },
        { *t->name ? t->name : ec_mapping_source(l),    &f->source[f->n_sources].name   },
        { t->own ? OWN_LICENCE : ec_mapping_licence(l), &f->source[f->n_sources].licence},
        { t->own ? OWN_URL : ec_mapping_url(l),         &f->source[f->n_sources].url    },
    };
    int i;

    for (i = 0; i < EC_LEN(texts); i++) {
        *texts[i].ret = ec_arena_str(&f->arena, texts[i].text);
        EC_PASS(ec_allocated(*texts[i].ret, err));
    }
    f->source[f->n_sources].unsteady = t->unsteady;
    f->source[f->n_sources].own = t->own;
    f->source[f->n_sources].origin = origin_of(f, f->n_sources);
    f->n_sources++;
    return EC_OK;
}

static enum ec_status read_table(struct ec_fit *f, const struct ec_table_use *t, struct ec_err *err)
{
    const char *folder = t->own ? f->opts->measured_dir : f->opts->data_dir;
    const struct ec_table_given given = { .mapping = t->mapping };
    const struct ec_mapping *layout = NULL;
    struct ec_record_list list = { 0 };
    struct ec_arena a = { 0 };
    struct ec_csv csv = { 0 };
    int source = f->n_sources, first = f->n_rows;
    char path[1024];
    enum ec_status st;

    if (!folder)
        return EC_E_NOT_FOUND;
    (void)snprintf(path, sizeof path, "%s/%s", folder, t->table);
    EC_TRY(ec_csv_read(path, &csv, err));
    EC_TRY(t->mapping ? ec_mapping_of_table(&csv, &given, &a, &layout, err)
                      : ec_mapping_detect(&csv, &a, &layout, err));
    EC_TRY(ec_mapping_rows(layout, &csv, &a, &list, err));
    EC_TRY(describe_source(f, t, layout, err));
    EC_TRY(add_rows(f, &list, source, t, err));
    weigh(f, first);
    ec__fit_say(f->opts, "%-40s %6d rows, %5d used", t->table, f->source[source].n_read,
                f->source[source].n_used);
out:
    ec_records_clear(&list);
    ec_csv_clear(&csv);
    ec_arena_clear(&a);
    return st;
}

/* The index of a name in a list, at its end when it is not there yet. */
static int name_index(struct ec_arena *a, const char **list, int *n, const char *name)
{
    int i;

    for (i = 0; i < *n; i++)
        if (ec_str_eq(list[i], name))
            return i;
    list[*n] = ec_arena_str(a, name);
    return list[*n] ? (*n)++ : -1;
}

/* Boards of one product share the start of their keys. */
static enum ec_status find_products(struct ec_fit *f, struct ec_err *err)
{
    size_t n = (size_t)(f->n_devices ? f->n_devices : 1);
    char arch[EC_ARCH_BYTES];
    int i;

    f->product_of = ec_arena_alloc(&f->arena, sizeof *f->product_of * n);
    f->arch_of = ec_arena_alloc(&f->arena, sizeof *f->arch_of * n);
    f->product = ec_arena_alloc(&f->arena, sizeof *f->product * n);
    f->arch = ec_arena_alloc(&f->arena, sizeof *f->arch * n);
    f->product_sources = ec_arena_alloc(&f->arena, sizeof *f->product_sources * n);
    f->arch_sources = ec_arena_alloc(&f->arena, sizeof *f->arch_sources * n);
    f->product_arch = ec_arena_alloc(&f->arena, sizeof *f->product_arch * n);
    f->arch_is_own = ec_arena_alloc(&f->arena, sizeof *f->arch_is_own * n);
    f->product_is_accelerator = ec_arena_alloc(&f->arena, sizeof *f->product_is_accelerator * n);
    f->interval_factor = ec_arena_alloc(&f->arena, sizeof *f->interval_factor * n);
    EC_PASS(ec_allocated(f->product_of && f->arch_of && f->product && f->arch &&
                             f->product_sources && f->arch_sources && f->product_arch &&
                             f->arch_is_own && f->product_is_accelerator && f->interval_factor,
                         err));
    for (i = 0; i < f->n_devices; i++) {
        const char *key = ec_device_key(f->device[i]);
        const char *name = ec_arena_strn(&f->arena, key, ec_product_len(key));

        ec_arch_key(f->device[i], arch);
        f->interval_factor[i] = 1;
        f->arch_of[i] = name_index(&f->arena, f->arch, &f->n_archs, arch);
        f->product_of[i] = name ? name_index(&f->arena, f->product, &f->n_products, name) : -1;
        if (f->arch_of[i] < 0 || f->product_of[i] < 0)
            return ec_nomem(err);
        f->product_arch[f->product_of[i]] = f->arch_of[i];
        f->product_is_accelerator[f->product_of[i]] = f->device[i]->kind == EC_DEV_ACCELERATOR;
        f->arch_is_own[f->arch_of[i]] = f->device[i]->kind != EC_DEV_GPU;
    }
    return EC_OK;
}

/* Least number of rows with which a source counts as having measured a device. */
#define TELLING_ROWS 20

/* How many sources say something of the devices that `of` puts into group `which`. */
static int count_sources(const struct ec_fit *f, const int *of, int which)
{
    int rows[EC_FIT_SOURCES_MAX] = { 0 }, i, n = 0;

    for (i = 0; i < f->n_hosts; i++)
        if (of[f->host[i].device] == which)
            rows[f->source[f->host[i].source].origin] += f->host[i].n_rows;
    for (i = 0; i < f->n_sources; i++)
        n += rows[i] >= TELLING_ROWS;
    return n;
}

static enum ec_status rank_archs(struct ec_fit *f, struct ec_err *err)
{
    size_t size = (size_t)(f->n_archs ? f->n_archs : 1);
    int *n = ec_arena_alloc(&f->arena, sizeof *n * size), i, j;

    f->arch_rank = ec_arena_alloc(&f->arena, sizeof *f->arch_rank * size);
    EC_PASS(ec_allocated(n && f->arch_rank, err));
    for (i = 0; i < f->n_archs; i++)
        n[i] = f->arch_rank[i] = 0;
    for (i = 0; i < f->n_rows; i++)
        n[f->arch_of[f->row[i]->device]]++;
    for (i = 0; i < f->n_archs; i++)
        for (j = 0; j < f->n_archs; j++)
            f->arch_rank[i] += n[j] > n[i] || (n[j] == n[i] && j < i);
    for (i = 0; i < f->n_archs; i++)
        f->arch_sources[i] = count_sources(f, f->arch_of, i);
    for (i = 0; i < f->n_products; i++)
        f->product_sources[i] = count_sources(f, f->product_of, i);
    for (i = 0; i < f->n_devices; i++) /* all but GPUs are so unlike that few rows say much */
        if (f->device[i]->kind != EC_DEV_GPU && !f->product_sources[f->product_of[i]])
            f->product_sources[f->product_of[i]] = 1;
    return EC_OK;
}

/* The place of a group by its size, the largest first. */
static int rank_of(const struct ec_groups *g, int group)
{
    int n = ec_group_size(g, group), rank = 0, k;

    for (k = 0; k < g->n; k++)
        rank += ec_group_size(g, k) > n || (ec_group_size(g, k) == n && k < group);
    return rank;
}

static int by_family(const void *user, int a, int b)
{
    struct ec_fit_row *const *row = user;

    return strcmp(row[a]->family, row[b]->family);
}

static enum ec_status rank_families(struct ec_fit *f, struct ec_err *err)
{
    struct ec_fit_row **row = ec_alloc(sizeof *row * ((size_t)f->n_rows + 1));
    struct ec_groups families = { 0 };
    int n = 0, i;
    enum ec_status st;

    EC_TRY(ec_allocated(row, err));
    for (i = 0; i < f->n_rows; i++)
        if (!f->row[i]->isolated)
            row[n++] = f->row[i];
    EC_TRY(ec_group(n, by_family, row, &families, err));
    for (i = 0; i < n; i++)
        row[i]->family_rank = rank_of(&families, families.of[i]);
out:
    ec_groups_clear(&families);
    ec_free(row);
    return st;
}

/* A step with so little time per kernel may have waited for the host, and shows its speed. */
#define WAITED_NS 80e3

static bool has_waited(const struct ec_fit_row *r)
{
    return !r->isolated && r->time_ns < WAITED_NS * issued_kernels(r->step);
}

/* A host is a source's machine for a device, as a framework finds it. */
static enum ec_status find_hosts(struct ec_fit *f, struct ec_err *err)
{
    int i, h;

    for (i = 0; i < f->n_rows; i++) {
        struct ec_fit_row *r = f->row[i];

        for (h = f->n_hosts - 1; h >= 0; h--)
            if (f->host[h].source == r->source && f->host[h].device == r->device &&
                f->host[h].framework == r->cond.framework)
                break;
        if (h < 0) {
            h = f->n_hosts;
            EC_PASS(ec_grow(&f->host, &f->cap_hosts, h + 1, sizeof *f->host, err));
            f->host[f->n_hosts++] = (struct ec_fit_host){ .source = r->source,
                                                          .device = r->device,
                                                          .framework = r->cond.framework };
        }
        f->host[h].n_rows++;
        f->host[h].n_networks += !r->isolated;
        r->waited = has_waited(r);
        f->host[h].n_waited += r->waited;
        r->host = h;
    }
    return EC_OK;
}

/* One over the root of how many rows the device has in the table; nothing for rows that waited for
 * an unsteady host: no correction is fitted to those, and they set no widths. */
static enum ec_status weigh_sources(struct ec_fit *f, struct ec_err *err)
{
    int *n = ec_alloc(sizeof *n * (size_t)(f->n_hosts + 1)), i;

    EC_PASS(ec_allocated(n, err));
    for (i = 0; i < f->n_rows; i++)
        n[f->row[i]->host]++;
    for (i = 0; i < f->n_rows; i++) {
        struct ec_fit_row *r = f->row[i];

        r->reach_weight = 1 / sqrt(n[r->host]);
        r->source_weight = r->unsteady ? 0 : r->reach_weight;
    }
    ec_free(n);
    return EC_OK;
}

/* Decides which kinds have models by framework and for kernels alone: libraries differ by more than
 * trees can represent, where there are many rows. */
static void choose_own_models(struct ec_fit *f)
{
    int n[EC_WIDTH_COUNT][EC_SCOPE_COUNT] = { { 0 } }, all[EC_WIDTH_COUNT] = { 0 }, i, k;

    for (i = 0; i < f->n_rows; i++) {
        const struct ec_fit_row *r = f->row[i];

        if (!r->op)
            continue;
        if (r->cond.queued)
            n[r->width][EC_SCOPE_QUEUED]++;
        else if (r->cond.mode == EC_MODE_ISOLATED_STEP)
            n[r->width][EC_SCOPE_STEP]++;
        else if (ec_is_forward(r->step))
            n[r->width][1 + (int)r->cond.framework]++;
        all[r->width] += !r->cond.queued && r->cond.mode != EC_MODE_ISOLATED_STEP;
    }
    for (i = 0; i < EC_WIDTH_COUNT; i++)
        for (k = 1; k < EC_SCOPE_COUNT; k++)
            f->own_models[i][k] = k >= EC_SCOPE_QUEUED ? n[i][k] >= OWN_QUEUED_ROWS && all[i] > 0
                                                       : n[i][k] >= OWN_ROWS && n[i][k] < all[i];
}

/* Rows of tables under data_dir. */
static int public_rows(const struct ec_fit *f)
{
    int i, n = 0;

    for (i = 0; i < f->n_rows; i++)
        n += !f->source[f->row[i]->source].own;
    return n;
}

static bool is_of_memory(const struct ec_table_use *t)
{
    return ec_str_eq(t->part, "memory") || ec_str_eq(t->part, "ladder");
}

static enum ec_status read_tables(struct ec_fit *f, bool only_memory, struct ec_err *err)
{
    struct ec_table_use *tables = NULL;
    enum ec_status st;
    int i, n = 0;

    EC_PASS(ec_predictor_new(&f->predictor, err));
    EC_PASS(ec_table_uses("fit", &f->arena, &tables, &n, err));
    if (n > EC_FIT_SOURCES_MAX)
        return ec_fail(err, EC_E_INPUT, "tables.csv: %d tables for the fit, at most %d", n,
                       EC_FIT_SOURCES_MAX);
    for (i = 0; i < n; i++) {
        if (only_memory && !is_of_memory(&tables[i]))
            continue;
        st = read_table(f, &tables[i], err);
        if (st == EC_E_NOT_FOUND) {
            ec__fit_say(f->opts, "%-40s not there, left out", tables[i].table);
            st = EC_OK;
        }
        EC_PASS(st);
    }
    return EC_OK;
}

enum ec_status ec__fit_collect_memory(struct ec_fit *f, struct ec_err *err)
{
    return read_tables(f, true, err);
}

enum ec_status ec__fit_collect(struct ec_fit *f, struct ec_err *err)
{
    EC_PASS(read_tables(f, false, err));
    if (public_rows(f) < 100) /* our own alone would be shipped in their place */
        return ec_fail(err, EC_E_INPUT, "%s: %d usable rows, expected at least 100",
                       f->opts->data_dir, public_rows(f));
    EC_PASS(find_products(f, err));
    EC_PASS(find_hosts(f, err));
    EC_PASS(rank_archs(f, err));
    EC_PASS(rank_families(f, err));
    EC_PASS(ec__fit_find_kin(f, err));
    choose_own_models(f);
    return weigh_sources(f, err);
}

struct ec_physics_query ec__fit_query(const struct ec_fit *f, const struct ec_fit_row *r)
{
    return (struct ec_physics_query){ .device = f->device[r->device],
                                      .step = r->step,
                                      .op = r->op,
                                      .cond = r->cond,
                                      .kind = r->width,
                                      .isolated = r->isolated,
                                      .copy_bytes = r->copy_bytes };
}

void ec__fit_clear(struct ec_fit *f)
{
    int i;

    for (i = 0; i < f->n_steps; i++) {
        ec_step_clear(f->steps[i]);
        ec_free(f->steps[i]);
    }
    ec_free(f->steps);
    ec_free(f->row);
    ec_free(f->memory_row);
    ec_free(f->device);
    ec_free(f->host);
    ec_predictor_free(f->predictor);
    ec_lm_slopes_free(f->slopes);
    ec_learned_free(f->learned);
    ec_domain_clear(&f->domain);
    ec_arena_clear(&f->arena);
}
