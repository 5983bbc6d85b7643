/* The store as programs outside see it (epochcast/store.h): plain rows in place of records. */
#include "store/store.h"

#include <string.h>

static void report(const struct ec_store_counts *c, int64_t *ret_added, int64_t *ret_known)
{
    if (ret_added)
        *ret_added = c->added;
    if (ret_known)
        *ret_known = c->known;
}

enum ec_status ec_store_import_file(struct ec_store *s, const char *path, const char *device,
                                    int64_t *ret_added, int64_t *ret_known, struct ec_err *err)
{
    struct ec_store_import opts = { .given = { .device = device } };
    struct ec_store_counts counts = { 0 };

    EC_NEED(err, s, path);
    EC_PASS(ec_store_import(s, path, &opts, &counts, err));
    report(&counts, ret_added, ret_known);
    return EC_OK;
}

enum ec_status ec_store_merge_file(struct ec_store *s, const char *other, int64_t *ret_added,
                                   int64_t *ret_known, struct ec_err *err)
{
    struct ec_store_counts counts = { 0 };

    EC_NEED(err, s, other);
    EC_PASS(ec_store_merge(s, other, &counts, err));
    report(&counts, ret_added, ret_known);
    return EC_OK;
}

enum ec_status ec_store_find(struct ec_store *s, const char *device, const char *op,
                             const char *network, struct ec_store_rows **ret, struct ec_err *err)
{
    struct ec_store_query q = { .device = device, .op = op, .network = network };

    EC_NEED(err, s, ret);
    return ec_store_select(s, &q, ret, err);
}

static struct ec_store_row row_of(const struct ec_stored *x)
{
    const struct ec_record *r = &x->r;

    return (struct ec_store_row){ .id = x->id,
                                  .what = r->what,
                                  .is_network = r->kind == EC_KIND_network,
                                  .device = r->device,
                                  .precision = ec_record_word(r, EC_WORD_PRECISION),
                                  .memory_format = ec_record_word(r, EC_WORD_LAYOUT),
                                  .optimizer = ec_record_word(r, EC_WORD_OPTIMIZER),
                                  .framework = ec_record_word(r, EC_WORD_FRAMEWORK),
                                  .mode = ec_record_word(r, EC_WORD_MODE),
                                  .phase = ec_record_phase_word(r),
                                  .outcome = r->outcome,
                                  .findings = x->findings,
                                  .source = r->source.key,
                                  .licence = r->source.licence,
                                  .batch = r->batch,
                                  .num_devices = r->num_devices,
                                  .n_samples = x->n_samples,
                                  .time_ns = r->time.known ? r->time.ns : 0,
                                  .memory_bytes = r->memory_peak_bytes };
}

enum ec_status ec_store_read(struct ec_store_rows *rows, struct ec_store_row *ret,
                             struct ec_err *err)
{
    const struct ec_stored *x = NULL;
    struct ec_store_row row = { 0 };
    size_t size;

    EC_NEED(err, rows, ret);
    size = ret->struct_size;
    EC_PASS(
        ec_need_size(err, "struct ec_store_row", size, sizeof size + sizeof row.id, sizeof row));
    EC_PASS(ec_store_next(rows, &x, err));
    if (x)
        row = row_of(x);
    row.struct_size = size;
    memcpy(ret, &row, size);
    return EC_OK;
}
