/* The result of a fit as C text, and the learned corrections as a file. */
#include "lab/fit_internal.h"

#include <stdlib.h>
#include <string.h>

#define PREDICTOR_MAX_BYTES ((size_t)1 << 26)

static void print_constants(const double *x, struct ec_buf *out)
{
    static const char *const names[] = {
#define THETA_NAME(name, ...) #name,
        EC_THETA_LIST(THETA_NAME)
#undef THETA_NAME
    };
    struct ec_constants c;
    int i, j;

    ec__fit_constants(x, &c);
    ec_buf_str(out, "    .c = { .theta = {\n");
    for (i = 0; i < EC_THETA_COUNT; i++)
        ec_buf_printf(out, "        [EC_T_%s] = %.6g,\n", names[i], c.theta[i]);
    ec_buf_str(out, "    }, .framework = {\n");
    for (i = 0; i < EC_FRAMEWORK_COUNT; i++) {
        ec_buf_printf(out, "        /* %s */\n        {", ec_framework_keys[i]);
        for (j = 0; j < EC_FWT_COUNT; j++)
            ec_buf_printf(out, " %.6g,", c.framework[i][j]);
        ec_buf_str(out, " },\n");
    }
    ec_buf_str(out, "    } },\n");
}

static enum ec_status print_devices(const struct ec_fit *f, struct ec_buf *out, struct ec_err *err)
{
    struct ec_device_fit *d = ec_alloc(sizeof *d * (size_t)(f->n_devices + 1));
    int i;

    EC_PASS(ec_allocated(d, err));
    for (i = 0; i < f->n_devices; i++) {
        d[i].key = ec_device_key(f->device[i]);
        d[i].interval_factor = f->interval_factor[i];
    }
    for (i = 0; i < f->n_rows; i++)
        *(f->row[i]->isolated ? &d[f->row[i]->device].n_operators
                              : &d[f->row[i]->device].n_networks) += 1;
    qsort(d, (size_t)f->n_devices, sizeof *d, ec_by_text);
    ec_buf_str(out, "static const struct ec_device_fit device_fits[] = {\n");
    for (i = 0; i < f->n_devices; i++)
        ec_buf_printf(out, "    { \"%s\", %d, %d, %.4f },\n", d[i].key, d[i].n_operators,
                      d[i].n_networks, d[i].interval_factor);
    ec_buf_str(out, "};\n\n");
    ec_free(d);
    return EC_OK;
}

static void print_offset_rows(const char *name, struct ec_offset_fit *v, int n, struct ec_buf *out)
{
    int i;

    qsort(v, (size_t)n, sizeof *v, ec_by_text);
    ec_buf_printf(out, "static const struct ec_offset_fit %s[] = {\n", name);
    for (i = 0; i < n; i++)
        ec_buf_printf(out, "    { \"%s\", %.4f, %.4f, %d },\n", v[i].key, v[i].compute, v[i].memory,
                      v[i].n_sources);
    ec_buf_str(out, "};\n\n");
}

static enum ec_status print_offsets(const struct ec_fit *f, const double *x, struct ec_buf *out,
                                    struct ec_err *err)
{
    struct ec_offset_fit *v = ec_alloc(sizeof *v * (size_t)(f->n_products + f->n_archs + 1));
    double of[2];
    int i;

    EC_PASS(ec_allocated(v, err));
    for (i = 0; i < f->n_archs; i++) {
        ec__fit_arch_offset(f, x, i, of);
        v[i] = (struct ec_offset_fit){ f->arch[i], of[0], of[1], f->arch_sources[i] };
    }
    print_offset_rows("arch_fits", v, f->n_archs, out);
    for (i = 0; i < f->n_products; i++) {
        ec__fit_product_offset(f, x, i, of);
        v[i] = (struct ec_offset_fit){ f->product[i], of[0], of[1], f->product_sources[i] };
    }
    print_offset_rows("product_fits", v, f->n_products, out);
    ec_free(v);
    return EC_OK;
}

/* Only what differs from the kind. */
static void print_group_scales(const struct ec_fit *f, struct ec_buf *out)
{
    static const char *const kinds[] = { [EC_PLAIN] = "",
                                         [EC_BATCHED] = ", batched",
                                         [EC_QUEUED] = ", queued",
                                         [EC_ON_CPU] = ", on a CPU" };
    int kind, basis, group;

    ec_buf_str(out, "    },\n    .group_scale = {\n");
    for (kind = 0; kind < EC_WIDTH_COUNT; kind++)
        for (basis = 0; basis < 2; basis++)
            for (group = 0; group < EC_WIDTH_GROUPS; group++) {
                const struct ec_width_scale *r = &f->group_scale[kind][basis][group];

                if (r->lo > 0 && (r->lo != 1 || r->hi != 1))
                    ec_buf_printf(out, "        [EC_W_%s][%d][%d] = { %.4f, %.4f }, /* %s%s%s */\n",
                                  ec_width_name((enum ec_width_kind)kind), basis, group, r->lo,
                                  r->hi, ec_framework_keys[group / 2 % (int)EC_FRAMEWORK_COUNT],
                                  kinds[group / 2 / (int)EC_FRAMEWORK_COUNT],
                                  group % 2 ? ", training" : "");
            }
}

/* Of comparisons, the first by which two rows differ. */
static int first_of(const int *order, int n)
{
    int i = 0;

    while (i < n - 1 && !order[i])
        i++;
    return order[i];
}

static int by_seen(const void *a, const void *b)
{
    const struct ec_seen_fit *x = a, *y = b;
    const int order[] = { strcmp(x->device, y->device), (int)x->framework - (int)y->framework,
                          (int)x->kind - (int)y->kind, strcmp(x->op, y->op), x->step - y->step };

    return first_of(order, EC_LEN(order));
}

/* One for each device, framework, operator and harness, with the mean of its rows' launch offsets.
 */
static enum ec_status print_seen(const struct ec_fit *f, const double *x, struct ec_buf *out,
                                 struct ec_err *err)
{
    struct ec_seen_fit *v = ec_alloc(sizeof *v * (size_t)(f->n_rows + 1));
    int i, k, n = 0;

    EC_PASS(ec_allocated(v, err));
    for (i = 0; i < f->n_rows; i++) {
        const struct ec_fit_row *r = f->row[i];

        v[i] = (struct ec_seen_fit){ ec_device_key(f->device[r->device]),
                                     r->op ? r->op->name : "",
                                     r->cond.framework,
                                     r->width,
                                     ec__fit_host_offset(f, x, r->host),
                                     r->cond.mode == EC_MODE_ISOLATED_STEP };
    }
    qsort(v, (size_t)f->n_rows, sizeof *v, by_seen);
    ec_buf_str(out, "static const struct ec_seen_fit seen_fits[] = {\n");
    for (i = 0; i < f->n_rows; i = k, n++) {
        double launch = 0;

        for (k = i; k < f->n_rows && !by_seen(&v[k], &v[i]); k++)
            launch += v[k].launch;
        ec_buf_printf(out, "    { \"%s\", \"%s\", (enum ec_framework)%d, EC_W_%s, %.4f, %d },\n",
                      v[i].device, v[i].op, (int)v[i].framework, ec_width_name(v[i].kind),
                      launch / (k - i), (int)v[i].step);
    }
    ec_buf_printf(out, "};\n#define N_SEEN %d\n\n", n);
    ec_free(v);
    return EC_OK;
}

static int by_known(const void *a, const void *b)
{
    const struct ec_known_fit *x = a, *y = b;
    const int order[] = {
        strcmp(x->product, y->product),        strcmp(x->arch, y->arch),
        (int)x->framework - (int)y->framework, (int)x->kind - (int)y->kind,
        (int)x->kclass - (int)y->kclass,       (int)x->precision - (int)y->precision,
        (int)x->layout - (int)y->layout
    };

    return first_of(order, EC_LEN(order));
}

static struct ec_known_fit known_of(const struct ec_fit *f, const struct ec_fit_row *r)
{
    struct ec_known_fit k = ec_known_place(&r->cond, r->width, r->step);

    k.product = f->product[f->product_of[r->device]];
    k.arch = f->arch[f->arch_of[r->device]];
    k.sources = (uint64_t)1 << f->source[r->source].origin;
    return k;
}

static enum ec_status print_known(const struct ec_fit *f, struct ec_buf *out, struct ec_err *err)
{
    struct ec_known_fit *v = ec_alloc(sizeof *v * (size_t)(f->n_rows + 1));
    int i, k, n = 0;

    EC_PASS(ec_allocated(v, err));
    for (i = 0; i < f->n_rows; i++)
        v[i] = known_of(f, f->row[i]);
    qsort(v, (size_t)f->n_rows, sizeof *v, by_known);
    ec_buf_str(out, "static const struct ec_known_fit known_fits[] = {\n");
    for (i = 0; i < f->n_rows; i = k, n++) {
        uint64_t sources = 0;

        for (k = i; k < f->n_rows && !by_known(&v[k], &v[i]); k++)
            sources |= v[k].sources;
        ec_buf_printf(out,
                      "    { \"%s\", \"%s\", (enum ec_framework)%d, EC_W_%s,\n"
                      "      (enum ec_kclass)%d, (enum ec_precision)%d, "
                      "(enum ec_memory_format)%d, 0x%llx },\n",
                      v[i].arch, v[i].product, (int)v[i].framework, ec_width_name(v[i].kind),
                      (int)v[i].kclass, (int)v[i].precision, (int)v[i].layout,
                      (unsigned long long)sources);
    }
    ec_buf_printf(out, "};\n#define N_KNOWN %d\n\n", n);
    ec_free(v);
    return EC_OK;
}

/* Merges hosts of one name over tables and frameworks: the mean of their offsets from the
 * framework's reference host. */
static enum ec_status print_hosts(struct ec_fit *f, const double *x, struct ec_buf *out,
                                  struct ec_err *err)
{
    struct ec_host_fit *v = ec_alloc(sizeof *v * (size_t)(f->n_hosts + 1));
    enum ec_status st = EC_OK;
    int i, k, n = 0;

    EC_TRY(ec_allocated(v, err));
    for (i = 0; i < f->n_hosts; i++) {
        const struct ec_fit_host *h = &f->host[i];

        if (!h->n_waited || f->device[h->device]->kind != EC_DEV_GPU)
            continue;
        EC_TRY(ec__fit_host_name(f, h, &v[n].name, err));
        v[n++].launch = ec__fit_host_offset(f, x, i) - ec__fit_reference_host(f, x, h->framework);
    }
    qsort(v, (size_t)n, sizeof *v, ec_by_text);
    ec_buf_str(out, "static const struct ec_host_fit host_fits[] = {\n");
    for (i = 0, f->n_named_hosts = 0; i < n; i = k) {
        double sum = 0;

        for (k = i; k < n && ec_str_eq(v[k].name, v[i].name); k++)
            sum += v[k].launch;
        ec_buf_printf(out, "    { \"%s\", %.4f },\n", v[i].name, sum / (k - i));
        f->n_named_hosts++;
    }
    ec_buf_str(out, "};\n\n");
out:
    ec_free(v);
    return st;
}

static void splits_json(struct ec_json *j)
{
    /* clang-format off */
    static const struct {
        int folds;
        const char *what, *groups;
    } splits[] = {
        { EC_FIT_FOLDS_ROWS, "unseen configuration", "rows of operators" },
        { EC_FIT_FOLDS_KIN, "unseen structure", "families with all networks that are built alike" },
        { EC_FIT_FOLDS_FAMILIES, "unseen family", "families of networks by their names" },
        { EC_FIT_FOLDS_DEVICES, "unseen architecture", "devices, all of an architecture together" },
        { EC_FIT_FOLDS_MEMORY, "memory", "families of networks" },
    };
    /* clang-format on */
    int i;

    ec_json_open(j, "splits", '[');
    for (i = 0; i < EC_LEN(splits); i++) {
        ec_json_open(j, NULL, '{');
        ec_json_str(j, "split", splits[i].what);
        ec_json_int(j, "folds", splits[i].folds);
        ec_json_str(j, "groups", splits[i].groups);
        ec_json_close(j, '}');
    }
    ec_json_close(j, ']');
}

/* Writes the provenance: all that is needed to repeat the fit. */
static void provenance_json(const struct ec_fit *f, struct ec_buf *out)
{
    const struct ec_fit_opts *o = f->opts;
    struct ec_json j;
    int i;

    ec_json_document(&j, out, 2, "epochcast.provenance/1");
    ec_json_str(&j, "command", o->command);
    ec_json_str(&j, "version", EC_VERSION);
    ec_json_int(&j, "seed", o->seed);
    ec_json_int(&j, "max_rows", o->max_rows);
    ec_json_int(&j, "iterations", o->iterations);
    ec_json_bool(&j, "cross_validated", !o->quick);
    splits_json(&j);
    ec_json_int(&j, "rows", f->n_rows);
    ec_json_int(&j, "memory_rows", f->n_memory_rows);
    ec_json_open(&j, "tables", '[');
    for (i = 0; i < f->n_sources; i++) {
        ec_json_open(&j, NULL, '{');
        ec_json_str(&j, "table", f->source[i].table);
        ec_json_str(&j, "source", f->source[i].name);
        ec_json_str(&j, "url", f->source[i].url);
        ec_json_str(&j, "licence", *f->source[i].licence ? f->source[i].licence : "none found");
        ec_json_int(&j, "rows_read", f->source[i].n_read);
        ec_json_int(&j, "rows_used", f->source[i].n_used);
        ec_json_close(&j, '}');
    }
    ec_json_close(&j, ']');
    ec_json_end(&j);
}

static enum ec_status tell_provenance(const struct ec_fit *f, struct ec_err *err)
{
    struct ec_buf text = EC_BUF_INIT;
    enum ec_status st;

    provenance_json(f, &text);
    EC_TRY(ec_buf_status(&text, err));
    ec_free(f->learned->provenance);
    f->learned->provenance = ec_alloc(text.len + 1);
    EC_TRY(ec_allocated(f->learned->provenance, err));
    memcpy(f->learned->provenance, text.data, text.len);
out:
    ec_buf_clear(&text);
    return st;
}

static enum ec_status write_learned(struct ec_fit *f, struct ec_err *err)
{
    struct ec_buf out = EC_BUF_INIT;
    enum ec_status st = EC_OK;

    if (!f->opts->learned_path)
        return EC_OK;
    ec_buf_reset(&f->learned->ranges);
    ec_domain_print(&f->domain, &f->learned->ranges);
    EC_TRY(tell_provenance(f, err));
    EC_TRY(ec_learned_save(f->learned, &out, err));
    EC_TRY(ec_file_write(f->opts->learned_path, out.data, out.len, err));
out:
    ec_buf_clear(&out);
    return st;
}

void ec__print_memory(const struct ec_fit *f, struct ec_buf *out)
{
    const struct ec_memory_constants *m = &f->memory;

    ec_buf_printf(out, "    .memory = { %.6g, %.6g, %.6g, %.6g, %.6g, %.6g },\n", m->base_bytes,
                  m->context_bytes, m->convolution_bytes, m->hold_factor, m->reserve_factor,
                  m->workspace_factor);
}

void ec__print_width(const struct ec_fit *f, enum ec_width_kind kind, struct ec_buf *out)
{
    int b;

    ec_buf_printf(out, "        [EC_W_%s] = {\n", ec_width_name(kind));
    for (b = 0; b < 2; b++)
        ec_buf_printf(out, "            { %.4f, %.4f, %.4f, %d },\n", f->width[kind][b].lo,
                      f->width[kind][b].mid, f->width[kind][b].hi, f->width[kind][b].n);
    ec_buf_str(out, "        },\n");
}

enum ec_status ec__fit_write(struct ec_fit *f, const double *x, struct ec_err *err)
{
    struct ec_buf out = EC_BUF_INIT;
    enum ec_status st;
    int i;

    ec_buf_printf(
        &out,
        "/* Written by `%s`; do not edit. %d rows of operators and networks\n"
        " * and %d of memory, seed %lld, at most %lld rows of each device in each table, %lld "
        "iterations.\n * Sources:\n",
        f->opts->command, f->n_rows, f->n_memory_rows, (long long)f->opts->seed,
        (long long)f->opts->max_rows, (long long)f->opts->iterations);
    for (i = 0; i < f->n_sources; i++)
        ec_buf_printf(&out, " *   %s: %d rows of %d read\n *     %s, licence: %s\n",
                      f->source[i].name, f->source[i].n_used, f->source[i].n_read,
                      f->source[i].table,
                      *f->source[i].licence ? f->source[i].licence : "none found");
    ec_buf_str(&out, " */\n");
    EC_TRY(print_devices(f, &out, err));
    EC_TRY(print_offsets(f, x, &out, err));
    EC_TRY(print_seen(f, x, &out, err));
    EC_TRY(print_known(f, &out, err));
    EC_TRY(print_hosts(f, x, &out, err));
    ec_buf_str(&out, "static const struct ec_fitted fitted = {\n");
    print_constants(x, &out);
    ec__print_memory(f, &out);
    ec_buf_str(&out, "    .width = {\n");
    for (i = 0; i < EC_WIDTH_COUNT; i++)
        ec__print_width(f, (enum ec_width_kind)i, &out);
    print_group_scales(f, &out);
    ec_buf_printf(&out,
                  "    },\n    .devices = device_fits,\n    .n_devices = %d,\n"
                  "    .archs = arch_fits,\n    .n_archs = %d,\n"
                  "    .products = product_fits,\n    .n_products = %d,\n"
                  "    .seen = seen_fits,\n    .n_seen = N_SEEN,\n"
                  "    .known = known_fits,\n    .n_known = N_KNOWN,\n"
                  "    .hosts = host_fits,\n    .n_hosts = %d,\n    .largest_batch = %.0f,\n"
                  "    .reference_launch = {",
                  f->n_devices, f->n_archs, f->n_products, f->n_named_hosts, f->largest_batch);
    for (i = 0; i < EC_FRAMEWORK_COUNT; i++)
        ec_buf_printf(&out, "%s%.4f,", i % 6 ? " " : "\n        ",
                      ec__fit_reference_host(f, x, (enum ec_framework)i));
    ec_buf_str(&out, "\n    },\n};\n");
    EC_TRY(ec_file_put(f->opts->out_path, &out, err));
    EC_TRY(write_learned(f, err));
out:
    ec_buf_clear(&out);
    return st;
}

/* Puts the ranges into the predictor file that is there. */
static enum ec_status put_ranges(struct ec_fit *f, struct ec_err *err)
{
    struct ec_buf out = EC_BUF_INIT;
    struct ec_learned *l = NULL;
    struct ec_file file = { 0 };
    enum ec_status st;

    EC_TRY(ec_file_open(f->opts->learned_path, PREDICTOR_MAX_BYTES, &file, err));
    EC_TRY(ec_learned_load(file.data, file.len, &l, err));
    ec_buf_reset(&l->ranges);
    ec_domain_print(&f->domain, &l->ranges);
    EC_TRY(ec_learned_save(l, &out, err));
    EC_TRY(ec_file_write(f->opts->learned_path, out.data, out.len, err));
out:
    ec_file_close(&file);
    ec_buf_clear(&out);
    ec_learned_free(l);
    return st;
}

enum ec_status ec_fit_domain(const struct ec_fit_opts *opts, struct ec_err *err)
{
    struct ec_fit f = { .opts = opts };
    struct ec_buf out = EC_BUF_INIT;
    enum ec_status st;

    EC_TRY(ec__fit_collect(&f, err));
    ec_domain_print(&f.domain, &out);
    EC_TRY(ec_file_put(opts->out_path, &out, err));
    if (opts->learned_path)
        EC_TRY(put_ranges(&f, err));
out:
    ec_buf_clear(&out);
    ec__fit_clear(&f);
    return st;
}
