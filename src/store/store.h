/* Measurements in SQLite: devices, software, cases, measured values, raw samples, and the source of
 * every row. docs/store.md describes the schema. */
#ifndef EC_STORE_H
#define EC_STORE_H

#include "base/base.h"
#include "tables/tables.h"
#include "epochcast/store.h"

/* Path of the store: --store FILE, else $EPOCHCAST_STORE, else
 * $XDG_DATA_HOME/epochcast/store.sqlite, else ~/.local/share/epochcast/store.sqlite. given: NULL or
 * "" for none; env: such as getenv. Errors: INPUT when none is set */
enum ec_status ec_store_path(const char *given, char *(*env)(const char *), struct ec_buf *ret,
                             struct ec_err *err) EC_MUST_CHECK;
const char *ec_store_file(const struct ec_store *s);

/* --- Writing --- */

/* Finds a source by its key if it has one, else by its digest; adds it when there is none. Errors:
 * STORE, NOMEM */
enum ec_status ec_store_add_source(struct ec_store *s, const struct ec_source *source,
                                   int64_t *ret_id, struct ec_err *err) EC_MUST_CHECK;
/* Adds a machine's record (ec_machine_to_json), or finds the same one. Errors: STORE, NOMEM */
enum ec_status ec_store_add_machine(struct ec_store *s, const char *machine_json, int64_t *ret_id,
                                    struct ec_err *err) EC_MUST_CHECK;
/* Adds one measurement; it is on disk when the call returns, unless a batch is open. Source, row
 * and reading identify a measurement: one that is there stays as it is.
 * machine_id  0: unknown
 * ret_id      of the new or old measurement; ret_new may be NULL
 * Errors      INPUT, STORE, NOMEM */
enum ec_status ec_store_add(struct ec_store *s, int64_t source_id, int64_t machine_id,
                            const struct ec_record *r, int64_t *ret_id, bool *ret_new,
                            struct ec_err *err) EC_MUST_CHECK;

struct ec_sample {
    int64_t iteration;
    int64_t host_ns, device_ns; /* 0: not measured */
    const char *flags;          /* "" */
};
enum ec_status ec_store_add_sample(struct ec_store *s, int64_t measurement_id,
                                   const struct ec_sample *sample,
                                   struct ec_err *err) EC_MUST_CHECK;
/* A batch: rows between these calls are written together. It is faster, and all is lost if the
 * process dies. Errors: STORE */
enum ec_status ec_store_begin(struct ec_store *s, struct ec_err *err) EC_MUST_CHECK;
enum ec_status ec_store_commit(struct ec_store *s, struct ec_err *err) EC_MUST_CHECK;

struct ec_store_import {
    const char *source_key; /* NULL: of the file */
    bool pass_over; /* of several tables, those that cannot be read are named and left out */
    struct ec_table_given given; /* path and functions are filled in */
};
#define EC_STORE_WHY_MAX 3
#define EC_STORE_WHY_BYTES 256
#define EC_STORE_NOTES_MAX 6
struct ec_store_counts {
    int64_t rows;     /* of the file */
    int64_t added;    /* measurements */
    int64_t known;    /* measurements that were there already */
    int64_t samples;  /* added */
    int64_t skipped;  /* rows that no section of the mapping claims */
    int64_t no_time;  /* of those added or known: kept with outcome error, they have no figures */
    int64_t left_out; /* rows that cannot become measurements; the reasons of the first: */
    char why[EC_STORE_WHY_MAX][EC_STORE_WHY_BYTES];
    int n_notes;       /* what a person should know of the table, the first ones kept */
    int n_table_notes; /* of these, of the table as a whole; they are the first */
    char note[EC_STORE_NOTES_MAX][EC_STORE_WHY_BYTES];
    char mapping[64]; /* that the table was read by */
};
/* A CSV table of any form, or what `export` wrote (CSV or JSON lines).
 * opts may be NULL. Errors: NOT_FOUND, PARSE, INPUT, STORE, IO, NOMEM */
enum ec_status ec_store_import(struct ec_store *s, const char *path,
                               const struct ec_store_import *opts, struct ec_store_counts *ret,
                               struct ec_err *err) EC_MUST_CHECK;
/* What a person should know of the table. stored: of its rows too, which are kept; else which of
 * them cannot be used */
void ec_store_counts_say(const struct ec_store_counts *c, const char *path, bool stored,
                         struct ec_said *said);
/* Adds all measurements of another store that are not here yet. Errors: as ec_store_open; INPUT for
 * the same store */
enum ec_status ec_store_merge(struct ec_store *s, const char *other, struct ec_store_counts *ret,
                              struct ec_err *err) EC_MUST_CHECK;

/* --- Reading --- */

/* Shell patterns without regard to case; `device` may be several, joined by commas. NULL: any */
struct ec_store_query {
    const char *device, *op, *network, *source, *kind, *precision;
    bool only_ok;       /* outcome ok and a time above zero or a memory reading */
    bool leave_flagged; /* leave out rows that the source or `check` flags */
    int64_t limit;      /* 0: no limit */
    int64_t id;         /* 0: any */
};

/* A measurement with its device, software, case and source. Texts live until the next row; none is
 * NULL. */
struct ec_stored {
    int64_t id;
    struct ec_record r;   /* time: the source's figure, else the median of the samples */
    const char *findings; /* what `check` found, joined by blanks */
    int64_t n_samples;    /* raw samples */
};

/* Rows in the order in which they were stored. query may be NULL. Errors: STORE, NOMEM */
enum ec_status ec_store_select(struct ec_store *s, const struct ec_store_query *query,
                               struct ec_store_rows **ret, struct ec_err *err) EC_MUST_CHECK;
/* The next row; *ret NULL at the end. Errors: STORE, NOMEM */
enum ec_status ec_store_next(struct ec_store_rows *rows, const struct ec_stored **ret,
                             struct ec_err *err) EC_MUST_CHECK;

/* Samples of a measurement, by iteration. ret: n samples, ec_free() it; flags live in the arena. */
enum ec_status ec_store_samples(struct ec_store *s, int64_t measurement_id, struct ec_arena *a,
                                struct ec_sample **ret, int *ret_n,
                                struct ec_err *err) EC_MUST_CHECK;

struct ec_store_source_row {
    const char *key, *name, *mapping, *licence, *url, *sha256, *file_name, *imported;
    int64_t measurements, devices, cases, samples;
};
/* Every source with its counts, by key; texts live in the arena. ret: ec_free() it */
enum ec_status ec_store_sources(struct ec_store *s, struct ec_arena *a,
                                struct ec_store_source_row **ret, int *ret_n,
                                struct ec_err *err) EC_MUST_CHECK;

enum ec_export_form { EC_EXPORT_CSV, EC_EXPORT_JSON_LINES };
/* One measurement as a line; `import` reads it back as the same row of the same source. */
void ec_export_header(enum ec_export_form form, struct ec_buf *out);
enum ec_status ec_export_row(struct ec_store *s, const struct ec_stored *row,
                             enum ec_export_form form, struct ec_buf *out,
                             struct ec_err *err) EC_MUST_CHECK;

/* --- Checking --- */

/* Reasons to flag a row: X(name, sentence). */
#define EC_FINDING_LIST(X)                                                                         \
    X(no_time, "outcome ok, and no time, no samples and no memory")                                \
    X(time_not_positive, "time of zero or less")                                                   \
    X(not_a_number, "a figure that is no number, or below zero, or beyond all bounds")             \
    X(case_not_understood, "an operator whose text is no case")                                    \
    X(device_unknown, "a device that is not in the catalogue; not flagged: --clean keeps it")      \
    X(min_above_time, "smallest time above the row's own")                                         \
    X(max_below_time, "largest time below the row's own")                                          \
    X(rate_above_peak, "more operations per second than the device's peak")                        \
    X(bandwidth_above_peak, "more bytes per second than the memory, caches set aside")             \
    X(memory_above_device, "more memory than the device has")                                      \
    X(repeats_disagree, "the same conditions in the same source, more than a factor 2 apart")

enum ec_finding {
#define EC_FINDING_ENUM(name, text) EC_FIND_##name,
    EC_FINDING_LIST(EC_FINDING_ENUM)
#undef EC_FINDING_ENUM
        EC_FINDING_COUNT
};
const char *ec_finding_name(enum ec_finding f);
const char *ec_finding_text(enum ec_finding f);

struct ec_store_check {
    /* measurements is the sum of judged and the next four members; judged: operators compared with
     * their device */
    int64_t measurements, judged;
    int64_t no_device;                 /* not in the catalogue */
    int64_t descriptions;              /* of devices, configurations: nothing was measured */
    int64_t others;                    /* networks, layers: no limit is known */
    int64_t not_judged;                /* operators without a time, a valid case or a step */
    int64_t winograd;                  /* above the peak, as Winograd may be: no finding */
    int64_t found[EC_FINDING_COUNT];   /* rows */
    int64_t example[EC_FINDING_COUNT]; /* id of the first; 0: none */
};
/* Checks every row against the limits of hardware. write: store the findings, in place of those of
 * the last check. Errors: STORE, NOMEM */
enum ec_status ec_store_check(struct ec_store *s, bool write, struct ec_store_check *ret,
                              struct ec_err *err) EC_MUST_CHECK;

#endif
