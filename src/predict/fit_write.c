/* The result of a fit as C text, and the learned corrections as a file. */
#include "predict/fit_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void print_constants(const double *x, struct ec_buf *out)
{
    static const char *const names[] = {
#define THETA_NAME(name, init, sd) #name,
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

static int by_key(const void *a, const void *b)
{
    const struct ec_device_fit *x = a, *y = b;

    return strcmp(x->key, y->key);
}

static void count_rows(const struct ec_fit *f, struct ec_device_fit *d)
{
    int i;

    for (i = 0; i < f->n_rows; i++)
        *(f->row[i]->isolated ? &d[f->row[i]->device].n_operators
                              : &d[f->row[i]->device].n_networks) += 1;
}

static void print_device_rows(const char *name, struct ec_device_fit *d, int n, struct ec_buf *out)
{
    int i;

    qsort(d, (size_t)n, sizeof *d, by_key);
    ec_buf_printf(out, "static const struct ec_device_fit %s[] = {\n", name);
    for (i = 0; i < n; i++)
        ec_buf_printf(out, "    { \"%s\", { %.4f, %.4f, %.4f }, %d, %d, %.4f, { %.3f, %.3f } },\n",
                      d[i].key, d[i].offset[0], d[i].offset[1], d[i].offset[2], d[i].n_operators,
                      d[i].n_networks, d[i].reach, d[i].size_reach[0], d[i].size_reach[1]);
    ec_buf_str(out, "};\n\n");
}

static enum ec_status print_devices(const struct ec_fit *f, const double *x, struct ec_buf *out,
                                    struct ec_err *err)
{
    struct ec_device_fit *d = ec_alloc(sizeof *d * (size_t)(f->n_devices + 1));
    struct ec_device_fit *p = ec_alloc(sizeof *p * (size_t)(f->n_products + 1));
    enum ec_status st = EC_OK;
    int i;

    if (!d || !p)
        EC_TRY(ec_nomem(err));
    for (i = 0; i < f->n_devices; i++) {
        d[i].key = ec_device_key(f->device[i]);
        d[i].reach = f->device_reach[i];
        d[i].size_reach[0] = fmax(1, f->size_reach[i][0]);
        d[i].size_reach[1] = fmax(1, f->size_reach[i][1]);
        ec__fit_offsets(f, x, i, d[i].offset);
    }
    for (i = 0; i < f->n_products; i++) {
        p[i].key = f->product[i];
        p[i].reach = p[i].size_reach[0] = p[i].size_reach[1] = 1;
        memcpy(p[i].offset, ec__fit_product_offset(f, x, i), sizeof p[i].offset);
    }
    count_rows(f, d);
    print_device_rows("device_fits", d, f->n_devices, out);
    print_device_rows("product_fits", p, f->n_products, out);
out:
    ec_free(d);
    ec_free(p);
    return st;
}

/* Only what differs from the kind. */
static void print_stretch(const struct ec_fit *f, struct ec_buf *out)
{
    static const char *const manners[] = { [EC_PLAIN] = "",
                                           [EC_BATCHED] = ", batched",
                                           [EC_QUEUED] = ", queued",
                                           [EC_ON_CPU] = ", on a CPU" };
    int kind, basis, group;

    ec_buf_str(out, "    },\n    .stretch = {\n");
    for (kind = 0; kind < EC_WIDTH_COUNT; kind++)
        for (basis = 0; basis < 2; basis++)
            for (group = 0; group < EC_WIDTH_GROUPS; group++) {
                const struct ec_stretch *r = &f->stretch[kind][basis][group];

                if (r->lo > 0 && (r->lo != 1 || r->hi != 1))
                    ec_buf_printf(out, "        [EC_W_%s][%d][%d] = { %.4f, %.4f }, /* %s%s%s */\n",
                                  ec__width_name((enum ec_width_kind)kind), basis, group, r->lo,
                                  r->hi, ec_framework_keys[group / 2 % (int)EC_FRAMEWORK_COUNT],
                                  manners[group / 2 / (int)EC_FRAMEWORK_COUNT],
                                  group % 2 ? ", training" : "");
            }
}

static int by_host(const void *a, const void *b)
{
    const struct ec_host_fit *x = a, *y = b;
    int c = strcmp(x->device, y->device);

    if (c)
        return c;
    return x->framework != y->framework ? (int)x->framework - (int)y->framework
                                        : (int)x->kind - (int)y->kind;
}

static enum ec_status print_hosts(const struct ec_fit *f, const double *x, struct ec_buf *out,
                                  struct ec_err *err)
{
    struct ec_host_fit *h = ec_alloc(sizeof *h * (size_t)(f->n_hosts + 1));
    int i;

    if (!h)
        return ec_nomem(err);
    for (i = 0; i < f->n_rows; i++) {
        const struct ec_fit_row *r = f->row[i];

        h[r->host] = (struct ec_host_fit){ ec_device_key(f->device[r->device]), r->framework,
                                           r->width, ec__fit_host_offset(f, x, r->host) };
    }
    qsort(h, (size_t)f->n_hosts, sizeof *h, by_host);
    ec_buf_str(out, "static const struct ec_host_fit host_fits[] = {\n");
    for (i = 0; i < f->n_hosts; i++)
        ec_buf_printf(out, "    { \"%s\", (enum ec_framework)%d, EC_W_%s, %.4f },\n", h[i].device,
                      (int)h[i].framework, ec__width_name(h[i].kind), h[i].launch);
    ec_buf_str(out, "};\n\n");
    ec_free(h);
    return EC_OK;
}

static void splits_json(struct ec_json *j)
{
    /* clang-format off */
    static const struct {
        int folds;
        const char *what, *groups;
    } splits[] = {
        { EC_FIT_FOLDS_ROWS, "unseen configuration", "rows of operators" },
        { EC_FIT_FOLDS_FAMILIES, "unseen family", "families of networks" },
        { EC_FIT_FOLDS_NETWORKS, "unseen network", "networks, of a family apart" },
        { EC_FIT_FOLDS_DEVICES, "unseen device", "devices, boards of a product together" },
        { EC_FIT_FOLDS_BOARDS, "unseen board", "devices, boards of a product apart" },
        { EC_FIT_FOLDS_SIZES, "unseen batch", "sizes of a network" },
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

/* Everything that it takes to make the same again. */
static void provenance_json(const struct ec_fit *f, struct ec_buf *out)
{
    const struct ec_fit_opts *o = f->opts;
    struct ec_json j;
    int i;

    ec_json_begin(&j, out, 2);
    ec_json_open(&j, NULL, '{');
    ec_json_str(&j, "schema", "epochcast.provenance/1");
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
    ec_json_close(&j, '}');
    ec_buf_char(out, '\n');
}

static enum ec_status tell_provenance(const struct ec_fit *f, struct ec_err *err)
{
    struct ec_buf text = EC_BUF_INIT;
    enum ec_status st;

    provenance_json(f, &text);
    EC_TRY(ec_buf_status(&text, err));
    ec_free(f->learned->provenance);
    f->learned->provenance = ec_alloc(text.len + 1);
    if (!f->learned->provenance)
        EC_TRY(ec_nomem(err));
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

enum ec_status ec__fit_write(struct ec_fit *f, const double *x, struct ec_err *err)
{
    struct ec_buf out = EC_BUF_INIT;
    enum ec_status st;
    int i, b;

    ec_buf_printf(
        &out,
        "/* Written by `%s`; do not edit. %d rows of operators and networks\n"
        " * and %d of memory, seed %lld, at most %lld rows of each device in each table, %lld "
        "iterations.\n * Sources:\n",
        f->opts->command ? f->opts->command : "epochcast fit", f->n_rows, f->n_memory_rows,
        (long long)f->opts->seed, (long long)f->opts->max_rows, (long long)f->opts->iterations);
    for (i = 0; i < f->n_sources; i++)
        ec_buf_printf(&out, " *   %s: %d rows of %d read\n *     %s, licence: %s\n",
                      f->source[i].name, f->source[i].n_used, f->source[i].n_read,
                      f->source[i].table,
                      *f->source[i].licence ? f->source[i].licence : "none found");
    ec_buf_str(&out, " */\n");
    EC_TRY(print_devices(f, x, &out, err));
    EC_TRY(print_hosts(f, x, &out, err));
    ec_buf_str(&out, "static const struct ec_fitted fitted = {\n");
    print_constants(x, &out);
    ec_buf_printf(&out, "    .memory = { %.6g, %.6g, %.6g, %.6g },\n", f->memory.base_bytes,
                  f->memory.context_bytes, f->memory.reserve_factor, f->memory.workspace_factor);
    ec_buf_printf(&out, "    .allocator = { %.4f, %.4f, %.4f, %d },\n    .width = {\n",
                  f->allocator.lo, f->allocator.mid, f->allocator.hi, f->allocator.n);
    for (i = 0; i < EC_WIDTH_COUNT; i++) {
        ec_buf_printf(&out, "        [EC_W_%s] = {\n", ec__width_name((enum ec_width_kind)i));
        for (b = 0; b < 2; b++)
            ec_buf_printf(&out, "            { %.4f, %.4f, %.4f, %d },\n", f->width[i][b].lo,
                          f->width[i][b].mid, f->width[i][b].hi, f->width[i][b].n);
        ec_buf_str(&out, "        },\n");
    }
    print_stretch(f, &out);
    ec_buf_printf(&out,
                  "    },\n    .devices = device_fits,\n    .n_devices = %d,\n"
                  "    .products = product_fits,\n    .n_products = %d,\n"
                  "    .hosts = host_fits,\n    .n_hosts = %d,\n    .largest_batch = %.0f,\n};\n",
                  f->n_devices, f->n_products, f->n_hosts, f->largest_batch);
    EC_TRY(ec_buf_status(&out, err));
    EC_TRY(ec_file_write(f->opts->out_path, out.data, out.len, err));
    EC_TRY(write_learned(f, err));
out:
    ec_buf_clear(&out);
    return st;
}

enum ec_status ec_fit_domain(const struct ec_fit_opts *opts, struct ec_err *err)
{
    struct ec_fit f = { .opts = opts };
    struct ec_buf out = EC_BUF_INIT;
    enum ec_status st;

    EC_TRY(ec__fit_collect(&f, err));
    ec_domain_print(&f.domain, &out);
    EC_TRY(ec_buf_status(&out, err));
    EC_TRY(ec_file_write(opts->out_path, out.data, out.len, err));
out:
    ec_buf_clear(&out);
    ec__fit_clear(&f);
    return st;
}
