/* How often nature breaks what test_sense.c demands of predictions: pairs of measured rows that
 * differ in one thing only, held to the same rules. What nature breaks is no relation.
 *
 *   nature DATA_DIR MEASURED_DIR [--csv]
 *
 * DATA_DIR holds the public tables, MEASURED_DIR the project's own. Counts only are written. */
#include "predict/sense.h"

#include "base/base.h"
#include "tables/tables.h"

#include <stdio.h>

#define ROUNDING 1e-3
#define NOISE 0.05
#define BATCH_SHARE 1.10
#define SIBLING_SHARE 1.15
#define SHOWN 3

/* Rows of a table that are counted apart. */
enum part { ALL, OF_GPUS, OF_CPUS, SHORT_STEPS, LONG_STEPS, LONG_CALLS };
static const char *const part_names[] = {
    "", "GPUs", "processors", "steps below 50 ms", "steps from 50 ms", "calls from 1 ms"
};
#define LONG_STEP_NS 50e6
#define LONG_CALL_NS 1e6

struct table {
    const struct ec_table_use *use;
    enum part part;
};

/* Columns that tell software apart, where a table has them. */
static const char *const software[] = {
    "framework_version", "engine_version", "cuda_version", "cuda",      "cudnn_version", "cudnn",
    "ngc_container",     "backend",        "compiled",     "execution", "library",       "timed"
};

struct row {
    struct ec_record m;
    const struct ec_device *device;
    const struct sense_network *network; /* NULL: not of the zoo */
    const char *software;
    const char *key; /* of the relation that is counted */
    double value;    /* time or memory; median of rows that are alike */
};

struct nature {
    const char *data, *measured;
    struct ec_arena arena, keys; /* of a table, of a relation */
    struct sense_network *network;
    int n_networks;
    unsigned char *larger; /* 1: larger, 2: by counts; row by row */
    struct row *row;
    int n, cap;
};

/* --- What is counted --- */

enum field {
    F_NETWORK = 1 << 0,
    F_DEVICE = 1 << 1,
    F_OPTIMIZER = 1 << 2,
    F_MODE = 1 << 3,
    F_BATCH = 1 << 4,
    F_IMAGE = 1 << 5,
    F_TOKENS = 1 << 6,
};

typedef double (*breach_fn)(const struct nature *n, const struct row *a, const struct row *b);

static double rises(const struct row *a, const struct row *b)
{
    return a->value / b->value;
}

static double by_batch(const struct nature *n, const struct row *a, const struct row *b)
{
    (void)n;
    return a->m.batch < b->m.batch ? rises(a, b) : 0;
}

static double by_share(const struct nature *n, const struct row *a, const struct row *b)
{
    (void)n;
    if (a->m.batch >= b->m.batch)
        return 0;
    return b->value / (a->value * BATCH_SHARE * (double)b->m.batch / (double)a->m.batch);
}

static int rank_of(const char *word, const char *const *words)
{
    int i;

    for (i = 0; words[i]; i++)
        if (ec_str_eq(word, words[i]))
            return i;
    return -1;
}

static double by_optimizer(const struct nature *n, const struct row *a, const struct row *b)
{
    static const char *const ladder[] = { "none", "sgd", "momentum", "adam", NULL };
    int x = rank_of(ec_record_word(&a->m, EC_WORD_OPTIMIZER), ladder),
        y = rank_of(ec_record_word(&b->m, EC_WORD_OPTIMIZER), ladder);

    (void)n;
    if (!ec_str_eq(ec_record_word(&a->m, EC_WORD_MODE), "training_step"))
        return 0;
    return x >= 0 && x < y ? rises(a, b) : 0;
}

static double by_mode(const struct nature *n, const struct row *a, const struct row *b)
{
    static const char *const ladder[] = { "forward", "forward_backward", "training_step", NULL };
    int x = rank_of(ec_record_word(&a->m, EC_WORD_MODE), ladder),
        y = rank_of(ec_record_word(&b->m, EC_WORD_MODE), ladder);

    (void)n;
    return x >= 0 && x < y ? rises(a, b) : 0;
}

static enum ec_precision precision_of(const struct row *r)
{
    return (enum ec_precision)rank_of(ec_record_word(&r->m, EC_WORD_PRECISION), ec_precision_names);
}

static double sibling_breach(const struct row *a, const struct row *b, bool with_one)
{
    double lo, hi, faster = a->value / b->value;

    if (a->device >= b->device || !sense_siblings(a->device, b->device, precision_of(a), &lo, &hi))
        return 0;
    if (!with_one)
        sense_sibling_range(a->device, b->device, precision_of(a), &lo, &hi);
    return fmax(lo / faster, faster / hi) / SIBLING_SHARE;
}

static double by_sibling(const struct nature *n, const struct row *a, const struct row *b)
{
    (void)n;
    return sibling_breach(a, b, true);
}

static double by_sibling_alone(const struct nature *n, const struct row *a, const struct row *b)
{
    (void)n;
    return sibling_breach(a, b, false);
}

static double newer(const struct row *a, const struct row *b, enum sense_counted counted,
                    bool one_vendor)
{
    if ((a->device->vendor == b->device->vendor) != one_vendor ||
        !sense_dominates(a->device, b->device, precision_of(a), counted))
        return 0;
    return rises(a, b);
}

#define NEWER(name, counted, one_vendor)                                                           \
    static double name(const struct nature *n, const struct row *a, const struct row *b)           \
    {                                                                                              \
        (void)n;                                                                                   \
        return newer(a, b, counted, one_vendor);                                                   \
    }
NEWER(by_newer, SENSE_BASIC, true)
NEWER(by_newer_cache, SENSE_WITH_CACHE, true)
NEWER(by_newer_power, SENSE_WITH_POWER, true)
NEWER(by_newer_both, SENSE_WITH_BOTH, true)
NEWER(by_newer_other, SENSE_BASIC, false)
NEWER(by_newer_other_both, SENSE_WITH_BOTH, false)

/* Under such a name a library pads images as TensorFlow does, by kernels of their own. */
static bool padded(const struct row *r)
{
    return strncmp(r->m.what, "tf_", 3) == 0;
}

static double larger(const struct nature *n, const struct row *a, const struct row *b, int bit)
{
    if (!a->network || !b->network || padded(a) != padded(b))
        return 0;
    return n->larger[(b->network - n->network) * n->n_networks + (a->network - n->network)] & bit
               ? rises(a, b)
               : 0;
}

static double by_network(const struct nature *n, const struct row *a, const struct row *b)
{
    return larger(n, a, b, 1);
}

static double by_counts(const struct nature *n, const struct row *a, const struct row *b)
{
    return larger(n, a, b, 2);
}

static double by_image(const struct nature *n, const struct row *a, const struct row *b)
{
    (void)n;
    return a->m.image_px && a->m.image_px < b->m.image_px ? rises(a, b) : 0;
}

static double by_tokens(const struct nature *n, const struct row *a, const struct row *b)
{
    (void)n;
    return a->m.seq_len && a->m.seq_len < b->m.seq_len ? rises(a, b) : 0;
}

static const struct relation {
    const char *name;
    bool is_memory;
    bool networks_only;
    unsigned changed; /* fields that may differ */
    breach_fn breach;
} relations[] = {
    {"batch",                           false, true,  F_BATCH,              by_batch           },
    { "batch_share",                    false, true,  F_BATCH,              by_share           },
    { "optimizer",                      false, true,  F_OPTIMIZER,          by_optimizer       },
    { "mode",                           false, true,  F_MODE | F_OPTIMIZER, by_mode            },
    { "siblings",                       false, false, F_DEVICE,             by_sibling         },
    { "siblings_without_1",             false, false, F_DEVICE,             by_sibling_alone   },
    { "newer",                          false, false, F_DEVICE,             by_newer           },
    { "newer_with_cache",               false, false, F_DEVICE,             by_newer_cache     },
    { "newer_with_power",               false, false, F_DEVICE,             by_newer_power     },
    { "newer_with_cache_power",         false, false, F_DEVICE,             by_newer_both      },
    { "newer_vendors",                  false, false, F_DEVICE,             by_newer_other     },
    { "newer_with_cache_power_vendors", false, false, F_DEVICE,             by_newer_other_both},
    { "larger_network",                 false, true,  F_NETWORK,            by_network         },
    { "larger_by_counts",               false, true,  F_NETWORK,            by_counts          },
    { "image",                          false, true,  F_IMAGE,              by_image           },
    { "tokens",                         false, true,  F_TOKENS,             by_tokens          },
    { "memory_batch",                   true,  true,  F_BATCH,              by_batch           },
    { "memory_mode",                    true,  true,  F_MODE | F_OPTIMIZER, by_mode            },
};

/* --- Reading --- */

static const char *software_of(struct nature *n, const struct ec_csv *csv, int row)
{
    struct ec_buf text = EC_BUF_INIT;
    const char *ret;
    int i;

    for (i = 0; i < EC_LEN(software); i++)
        ec_buf_printf(&text, "%s|", ec_csv_cell(csv, row, ec_csv_col(csv, software[i])));
    ret = ec_arena_str(&n->arena, ec_buf_text(&text));
    ec_buf_clear(&text);
    return ret ? ret : "";
}

static const struct sense_network *network_of(const struct nature *n, const char *what)
{
    const struct ec__zoo_row *row = ec__zoo_find(ec_span_of(what));
    int i;

    for (i = 0; row && i < n->n_networks; i++)
        if (n->network[i].row == row)
            return &n->network[i];
    return NULL;
}

static bool is_part(const struct row *r, enum part part)
{
    switch (part) {
    case OF_GPUS:
        return r->device->kind == EC_DEV_GPU;
    case OF_CPUS:
        return r->device->kind == EC_DEV_CPU;
    case SHORT_STEPS:
        return r->m.time.ns < LONG_STEP_NS;
    case LONG_STEPS:
        return r->m.time.ns >= LONG_STEP_NS;
    case LONG_CALLS:
        return r->m.time.ns >= LONG_CALL_NS;
    default:
        return true;
    }
}

static enum ec_status add_row(struct nature *n, const struct ec_csv *csv, const struct ec_record *m,
                              enum part part, struct ec_err *err)
{
    struct row r = { .m = *m };
    enum ec_status st = EC_OK;

    if (ec_device_find(m->device, &r.device, NULL) || m->num_devices > 1)
        return EC_OK;
    EC_TRY(ec_grow(&n->row, &n->cap, n->n + 1, sizeof *n->row, err));
    r.software = software_of(n, csv, m->row);
    r.network = ec_record_is_network(m) ? network_of(n, m->what) : NULL;
    r.value = m->time.ns > 0 ? m->time.ns : m->memory_peak_bytes;
    if (r.value > 0 && is_part(&r, part))
        n->row[n->n++] = r;
out:
    return st;
}

static enum ec_status read_table(struct nature *n, const struct table *t, struct ec_err *err)
{
    const struct ec_table_given given = { .mapping = t->use->mapping };
    struct ec_record_list list = { 0 };
    const struct ec_mapping *l = NULL;
    struct ec_csv csv = { 0 };
    char path[1024];
    enum ec_status st;
    int i;

    n->n = 0;
    (void)snprintf(path, sizeof path, "%s/%s", t->use->own ? n->measured : n->data, t->use->table);
    EC_TRY(ec_csv_read(path, &csv, err));
    EC_TRY(t->use->mapping ? ec_mapping_of_table(&csv, &given, &n->arena, &l, err)
                           : ec_mapping_detect(&csv, &n->arena, &l, err));
    EC_TRY(ec_mapping_rows(l, &csv, &n->arena, &list, err));
    for (i = 0; i < list.n; i++)
        EC_TRY(add_row(n, &csv, &list.v[i], t->part, err));
out:
    ec_records_clear(&list);
    ec_csv_clear(&csv);
    return st;
}

/* --- Rows that are alike but for what a relation changes --- */

static const char *text_unless(unsigned changed, unsigned field, const char *text)
{
    return changed & field ? "" : text;
}

static int64_t number_unless(unsigned changed, unsigned field, int64_t v)
{
    return changed & field ? 0 : v;
}

static enum ec_status set_key(struct nature *n, struct row *r, unsigned changed, struct ec_err *err)
{
    const struct ec_record *m = &r->m;

    r->key = ec_arena_printf(
        &n->keys, "%d|%s|%s|%s|%s|%s|%s|%s|%d|%d%d%d|%lld|%lld|%lld|%s", m->time.ns > 0,
        text_unless(changed, F_NETWORK, m->what), text_unless(changed, F_DEVICE, r->device->key),
        ec_record_word(m, EC_WORD_PRECISION), ec_record_word(m, EC_WORD_LAYOUT),
        text_unless(changed, F_OPTIMIZER, ec_record_word(m, EC_WORD_OPTIMIZER)),
        ec_record_word(m, EC_WORD_FRAMEWORK),
        text_unless(changed, F_MODE, ec_record_word(m, EC_WORD_MODE)), m->phase, m->cond.input_copy,
        m->cond.queued, ec_str_eq(m->memory_kind, "allocator"),
        (long long)number_unless(changed, F_BATCH, m->batch),
        (long long)number_unless(changed, F_IMAGE, m->image_px),
        (long long)number_unless(changed, F_TOKENS, m->seq_len),
        text_unless(changed, F_MODE, r->software));
    return r->key ? EC_OK : ec_nomem(err);
}

static int by_key(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    int d = strcmp(x->key, y->key);

    return d ? d : (x->value > y->value) - (x->value < y->value);
}

static enum ec_status sort_rows(struct nature *n, unsigned changed, struct ec_err *err)
{
    enum ec_status st = EC_OK;
    int i;

    ec_arena_clear(&n->keys);
    for (i = 0; i < n->n; i++)
        EC_TRY(set_key(n, &n->row[i], changed, err));
    if (n->n)
        qsort(n->row, (size_t)n->n, sizeof *n->row, by_key);
out:
    return st;
}

static int group_end(const struct nature *n, int first)
{
    int i = first;

    while (i < n->n && ec_str_eq(n->row[i].key, n->row[first].key))
        i++;
    return i;
}

/* Rows that were measured several times become their median. */
static enum ec_status merge_rows(struct nature *n, struct ec_err *err)
{
    enum ec_status st;
    int i, end, to = 0;

    EC_TRY(sort_rows(n, 0, err));
    for (i = 0; i < n->n; i = end) {
        end = group_end(n, i);
        n->row[to++] = n->row[(i + end - 1) / 2];
    }
    n->n = to;
out:
    return st;
}

/* --- Counting --- */

struct pair {
    const struct row *a, *b;
    double breach;
};
struct count {
    int64_t pairs, broken, beyond;
    struct pair worst[SHOWN];
};

static void note(struct count *c, const struct row *a, const struct row *b, double breach)
{
    struct pair p = { a, b, breach };
    int i;

    if (!(breach > 0))
        return;
    c->pairs++;
    c->broken += breach > 1 + ROUNDING;
    c->beyond += breach > 1 + NOISE;
    for (i = 0; i < SHOWN; i++)
        if (p.breach > c->worst[i].breach) {
            struct pair swap = c->worst[i];

            c->worst[i] = p;
            p = swap;
        }
}

static void count_group(const struct nature *n, const struct relation *rel, int first, int end,
                        struct count *c)
{
    int i, j;

    for (i = first; i < end; i++)
        for (j = first; j < end; j++)
            if (i != j && (n->row[i].m.time.ns > 0) != rel->is_memory)
                note(c, &n->row[i], &n->row[j], rel->breach(n, &n->row[i], &n->row[j]));
}

static void print_row(const struct row *r)
{
    (void)printf("      %s %s %s %s %s batch %lld image %lld tokens %lld %s %s: %.4g ms or MB\n",
                 r->m.what, r->device->key, ec_record_word(&r->m, EC_WORD_PRECISION),
                 ec_record_word(&r->m, EC_WORD_LAYOUT), ec_record_word(&r->m, EC_WORD_MODE),
                 (long long)r->m.batch, (long long)r->m.image_px, (long long)r->m.seq_len,
                 ec_record_word(&r->m, EC_WORD_OPTIMIZER), r->software, r->value / 1e6);
}

static void print_count(const struct table *t, const struct relation *rel, const struct count *c,
                        bool as_csv)
{
    int i;

    if (!c->pairs)
        return;
    if (as_csv) {
        (void)printf("%s,%s,%s,%lld,%lld,%lld\n", rel->name, t->use->table, part_names[t->part],
                     (long long)c->pairs, (long long)c->broken, (long long)c->beyond);
        return;
    }
    (void)printf("%-30s %-38s %-17s %7lld %6lld %6lld %6.2f %%  worst %+.1f %%\n", rel->name,
                 t->use->table, part_names[t->part], (long long)c->pairs, (long long)c->broken,
                 (long long)c->beyond, 100 * (double)c->beyond / (double)c->pairs,
                 100 * (c->worst[0].breach - 1));
    for (i = 0; i < SHOWN && c->worst[i].breach > 1 + NOISE; i++) {
        (void)printf("    beyond by %.1f %%\n", 100 * (c->worst[i].breach - 1));
        print_row(c->worst[i].a);
        print_row(c->worst[i].b);
    }
}

static enum ec_status count_relation(struct nature *n, const struct table *t,
                                     const struct relation *rel, bool as_csv, struct ec_err *err)
{
    struct count c = { 0 };
    enum ec_status st;
    int i, end;

    EC_TRY(sort_rows(n, rel->changed, err));
    for (i = 0; i < n->n; i = end) {
        end = group_end(n, i);
        if (ec_record_is_network(&n->row[i].m) || !rel->networks_only)
            count_group(n, rel, i, end, &c);
    }
    print_count(t, rel, &c, as_csv);
out:
    return st;
}

static enum ec_status count_table(struct nature *n, const struct table *t, bool as_csv,
                                  struct ec_err *err)
{
    enum ec_status st;
    int i;

    EC_TRY(read_table(n, t, err));
    EC_TRY(merge_rows(n, err));
    for (i = 0; i < EC_LEN(relations); i++)
        EC_TRY(count_relation(n, t, &relations[i], as_csv, err));
out:
    ec_arena_clear(&n->arena);
    return st;
}

static enum ec_status describe_zoo(struct nature *n, struct ec_err *err)
{
    const struct ec__zoo_row *rows = ec__zoo_rows(&n->n_networks);
    size_t count = (size_t)n->n_networks, i, j;
    enum ec_status st = EC_OK;

    n->network = ec_alloc(count * sizeof *n->network);
    n->larger = ec_alloc(count * count);
    if (!n->network || !n->larger)
        return ec_nomem(err);
    for (i = 0; i < count; i++)
        EC_TRY(sense_describe(&rows[i], &n->network[i], err));
    for (i = 0; i < count; i++)
        for (j = 0; j < count; j++)
            n->larger[i * count + j] =
                (unsigned char)((sense_larger(&n->network[i], &n->network[j]) ? 1 : 0) |
                                (sense_counts_larger(&n->network[i], &n->network[j]) ? 2 : 0));
out:
    return st;
}

static enum ec_status find_part(const struct ec_table_use *use, enum part *ret, struct ec_err *err)
{
    int i;

    for (i = 0; i < EC_LEN(part_names); i++)
        if (ec_str_eq(use->part, part_names[i])) {
            *ret = (enum part)i;
            return EC_OK;
        }
    return ec_fail(err, EC_E_INPUT, "tables.csv: %s: no part \"%.40s\"", use->table, use->part);
}

int main(int argc, char **argv)
{
    bool as_csv = argc > 3 && ec_str_eq(argv[3], "--csv");
    struct ec_err err = { 0 };
    struct nature n = { 0 };
    struct ec_table_use *uses = NULL;
    struct ec_arena a = { 0 };
    enum ec_status st;
    int i, n_uses = 0;

    if (argc < 3) {
        (void)fprintf(stderr, "nature DATA_DIR MEASURED_DIR [--csv]\n");
        return 2;
    }
    n.data = argv[1];
    n.measured = argv[2];
    EC_TRY(describe_zoo(&n, &err));
    if (as_csv)
        (void)printf("relation,table,part,pairs,broken,broken_beyond_5_percent\n");
    EC_TRY(ec_table_uses("nature", &a, &uses, &n_uses, &err));
    for (i = 0; i < n_uses; i++) {
        struct table t = { .use = &uses[i] };

        EC_TRY(find_part(&uses[i], &t.part, &err));
        EC_TRY(count_table(&n, &t, as_csv, &err));
    }
out:
    if (st)
        (void)fprintf(stderr, "nature: %s\n", err.text);
    for (i = 0; n.network && i < n.n_networks; i++)
        ec_free(n.network[i].kernel);
    ec_free(n.network);
    ec_free(n.larger);
    ec_free(n.row);
    ec_arena_clear(&n.arena);
    ec_arena_clear(&n.keys);
    ec_arena_clear(&a);
    return st ? 1 : 0;
}
