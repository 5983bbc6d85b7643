/* A mapping file and the table it describes, parted by a line "---": whatever they hold, a table is
 * read or refused with a sentence, and every record is whole. */
#include "fuzz.h"

#include "dataset/dataset.h"

#include <stdio.h>
#include <string.h>

static void stop(const char *why)
{
    (void)fprintf(stderr, "%s\n", why);
    __builtin_trap();
}

static void check_record(const struct ec_record *r)
{
    const char *const texts[] = { r->m.what,    r->m.device,       r->m.precision, r->m.optimizer,
                                  r->m.mode,    r->m.framework,    r->m.family,    r->kind,
                                  r->reading,   r->device_name,    r->libraries,   r->outcome,
                                  r->time_stat, r->memory_kind,    r->flags,       r->extra,
                                  r->m.layout,  r->m.memory_format };
    const struct ec_jval *extra = NULL;
    struct ec_arena a = { 0 };
    size_t i;

    for (i = 0; i < sizeof texts / sizeof *texts; i++)
        if (!texts[i])
            stop("a text is missing");
    if (r->m.batch < 0 || r->num_devices < 0 || r->n_samples < 0)
        stop("a count is negative");
    if (*r->extra) {
        enum ec_status st = ec_json_parse(r->extra, strlen(r->extra), &a, &extra, NULL);

        /* Columns may have the same name, and cells may be no text at all. */
        if (!st && extra->type != EC_J_OBJECT)
            stop("extra is no object");
    }
    ec_arena_clear(&a);
}

static void read_table(const struct ec_layout *l, const struct ec_csv *csv)
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char parting[] = "\n---\n";
    const char *text = (const char *)data;
    const char *part = size ? memmem(text, size, parting, strlen(parting)) : NULL;
    size_t len = part ? (size_t)(part - text) : size;
    const char *rest = part ? part + strlen(parting) : "";
    const struct ec_layout *l = NULL;
    struct ec_arena a = { 0 };
    struct ec_csv csv = { 0 };
    struct ec_err err = { 0 };

    if (ec_layout_parse(text, len, &a, &l, &err) && !*err.text)
        stop("refused without a sentence");
    if (!ec_csv_parse(rest, part ? size - (size_t)(rest - text) : 0, &csv, NULL)) {
        if (l)
            read_table(l, &csv);
        if (!ec_layout_detect_record(&csv, &l, NULL))
            read_table(l, &csv);
    }
    ec_csv_clear(&csv);
    ec_arena_clear(&a);
    return 0;
}
