/* A user's own table: whatever its header and cells hold, it is read or refused with a sentence,
 * and every row is a whole question or a fault that names its line. */
#include "fuzz.h"

#include "tables/tables.h"

#include <stdio.h>
#include <string.h>

static void stop(const char *why)
{
    (void)fprintf(stderr, "%s\n", why);
    __builtin_trap();
}

static const char *device_in(const char *text, bool whole)
{
    return strchr(text, whole ? '4' : 't') ? "t4" : NULL;
}

static void check_query(const struct ec_record *m)
{
    const char *const texts[] = { m->what,
                                  m->device,
                                  ec_record_word(m, EC_WORD_PRECISION),
                                  ec_record_word(m, EC_WORD_OPTIMIZER),
                                  ec_record_word(m, EC_WORD_MODE),
                                  ec_record_word(m, EC_WORD_FRAMEWORK),
                                  ec_record_word(m, EC_WORD_LAYOUT),
                                  m->family };
    size_t i;

    for (i = 0; i < sizeof texts / sizeof *texts; i++)
        if (!texts[i])
            stop("a text is missing");
    if (!*m->what || !*m->device || m->batch < 1)
        stop("a question without network, device or batch");
    if (!(m->time.ns > 0) && !(m->memory_peak_bytes > 0))
        stop("a question without a measurement");
}

static void read_rows(const struct ec_mapping *l, const struct ec_csv *csv, struct ec_arena *a)
{
    struct ec_record_list rows = { 0 };
    int i;

    if (!ec_mapping_rows(l, csv, a, &rows, NULL)) {
        for (i = 0; i < rows.n; i++)
            check_query(&rows.v[i]);
        for (i = 0; i < rows.n_faulty && i < EC_FAULTS_MAX; i++)
            if (strncmp(rows.fault[i], "line ", 5) != 0)
                stop("a fault without a line");
    }
    ec_records_clear(&rows);
}

static void read_with(const struct ec_csv *csv, const struct ec_table_given *given)
{
    const struct ec_mapping *l = NULL;
    struct ec_arena a = { 0 };
    struct ec_err err = { 0 };

    if (ec_mapping_of_table(csv, given, &a, &l, &err)) {
        if (!*err.text)
            stop("refused without a sentence");
    } else if (ec_mapping_is_own(l)) {
        read_rows(l, csv, &a);
    }
    ec_arena_clear(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *named[] = { "lab=t4" };
    static const struct ec_table_given all = {
        .path = "box_t4/x.csv",
        .model = "vgg16",
        .device = "t4",
        .batch = 8,
        .environments = {.n = 1, .v = named},
        .device_in = device_in,
    };
    struct ec_csv csv = { 0 };

    if (!ec_csv_parse((const char *)data, size, &csv, NULL)) {
        read_with(&csv, NULL);
        if (!ec_table_prepare(&csv, &all, NULL))
            read_with(&csv, &all);
    }
    ec_csv_clear(&csv);
    return 0;
}
