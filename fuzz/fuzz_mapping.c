/* A mapping file and the table it describes, parted by a line "---": whatever they hold, a table is
 * read or refused with a sentence, and every record is whole. */
#include "fuzz.h"

#include "tables/mapping_internal.h"

#include <stdio.h>
#include <string.h>

static void stop(const char *why)
{
    (void)fprintf(stderr, "%s\n", why);
    __builtin_trap();
}

static void check_record(const struct ec_record *r)
{
    const char *const texts[] = { r->what,
                                  r->device,
                                  ec_record_word(r, EC_WORD_PRECISION),
                                  ec_record_word(r, EC_WORD_OPTIMIZER),
                                  ec_record_word(r, EC_WORD_MODE),
                                  ec_record_word(r, EC_WORD_FRAMEWORK),
                                  r->family,
                                  ec_kind_names[r->kind],
                                  r->reading,
                                  r->device_name,
                                  r->libraries,
                                  r->outcome,
                                  r->time_stat,
                                  r->memory_kind,
                                  r->flags,
                                  r->extra,
                                  r->source.mapping,
                                  ec_record_word(r, EC_WORD_LAYOUT) };
    const struct ec_jval *extra = NULL;
    struct ec_arena a = { 0 };
    size_t i;

    for (i = 0; i < sizeof texts / sizeof *texts; i++)
        if (!texts[i])
            stop("a text is missing");
    if (r->batch < 0 || r->num_devices < 0 || r->n_samples < 0)
        stop("a count is negative");
    if (*r->extra) {
        enum ec_status st = ec_json_parse(r->extra, strlen(r->extra), &a, &extra, NULL);

        /* Columns may have the same name, and cells may be no text at all. */
        if (!st && extra->type != EC_J_OBJECT)
            stop("extra is no object");
    }
    ec_arena_clear(&a);
}

static void read_table(const struct ec_mapping *l, const struct ec_csv *csv)
{
    struct ec_record r[EC_RECORDS_MAX];
    struct ec_reader *reader = NULL;
    struct ec_err err = { 0 };
    int row, n = 0, i;

    if (ec_reader_new(l, csv, NULL, &reader, &err)) {
        if (!*err.text)
            stop("refused without a sentence");
        return;
    }
    for (row = 0; row < csv->n_rows; row++) {
        if (ec_reader_row(reader, row, r, &n, NULL))
            break;
        for (i = 0; i < n; i++)
            check_record(&r[i]);
    }
    ec_reader_free(reader);
}

/* The same rows as questions to the predictor. */
static void ask_table(const struct ec_mapping *l, const struct ec_csv *csv, struct ec_arena *a)
{
    struct ec_record_list rows = { 0 };
    struct ec_err err = { 0 };
    int i;

    if (ec_mapping_rows(l, csv, a, &rows, &err) && !*err.text)
        stop("refused without a sentence");
    for (i = 0; i < rows.n; i++)
        if (!rows.v[i].what || !rows.v[i].device || rows.v[i].batch < 0)
            stop("a question lacks something");
    ec_records_clear(&rows);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char parting[] = "\n---\n";
    const char *text = (const char *)data;
    const char *part = size ? memmem(text, size, parting, strlen(parting)) : NULL;
    size_t len = part ? (size_t)(part - text) : size;
    const char *rest = part ? part + strlen(parting) : "";
    const struct ec_mapping *l = NULL;
    struct ec_mapping_file *map = NULL;
    struct ec_arena a = { 0 };
    struct ec_csv csv = { 0 };
    struct ec_err err = { 0 };
    int i;

    if (ec__map_parse("mine", text, len, NULL, true, &a, &map, &err) && !*err.text)
        stop("refused without a sentence");
    if (!ec_csv_parse(rest, part ? size - (size_t)(rest - text) : 0, &csv, NULL)) {
        for (i = 0; map && i < map->n; i++) {
            read_table(map->section[i], &csv);
            ask_table(map->section[i], &csv, &a);
        }
        if (!ec_mapping_detect_record(&csv, &a, &l, NULL))
            read_table(l, &csv);
    }
    ec_csv_clear(&csv);
    ec_arena_clear(&a);
    return 0;
}
