/* Reads the directory of results, and finds out what each file is. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "report/results_internal.h"
#include "report_columns.h"

#define DEPTH_MAX 4

struct listing {
    struct ec__results *r;
    const char **names; /* from the directory of the results */
    int n;
};

/* Whether a directory is an earlier report, which is no result. */
static bool is_report(struct ec__results *r, const char *path)
{
    const char *page = ec_arena_printf(r->a, "%s/report.html", path);
    struct stat s;

    return page && stat(page, &s) == 0;
}

static enum ec_status list(struct listing *l, const char *folder, int depth)
{
    struct ec__results *r = l->r;
    const char *path = *folder ? ec_arena_printf(r->a, "%s/%s", r->o->dir, folder) : r->o->dir;
    DIR *dir = path ? opendir(path) : NULL;
    enum ec_status st = EC_OK;
    struct dirent *entry;

    if (!dir)
        return ec_fail(r->err, EC_E_NOT_FOUND, "%s: cannot read the directory: %s",
                       path ? path : "", strerror(errno));
    while (!st && (entry = readdir(dir))) {
        const char *name, *full;

        if (entry->d_name[0] == '.' && !r->o->only)
            continue;
        name = ec_arena_printf(r->a, "%s%s%s", folder, *folder ? "/" : "", entry->d_name);
        full = ec_arena_printf(r->a, "%s/%s", r->o->dir, name ? name : "");
        if (!name || !full) {
            st = ec_nomem(r->err);
        } else if (r->o->only ? !ec_str_eq(name, r->o->only) : ec_is_folder(full)) {
            if (!r->o->only && depth < DEPTH_MAX && !is_report(r, full))
                st = list(l, name, depth + 1);
        } else if (l->n == EC__FILES_MAX) {
            st = ec_fail(r->err, EC_E_INPUT, "%s: more than %d files", r->o->dir, EC__FILES_MAX);
        } else {
            l->names[l->n++] = name;
        }
    }
    (void)closedir(dir);
    return st;
}

struct ec_table_given ec__results_given(const struct ec__results *r, const char *path)
{
    struct ec_table_given given = r->o->given.given;

    given.path = path;
    given.device_in = ec_device_in_text;
    given.is_processor = ec_device_is_processor;
    return given;
}

/* Whether the table has runs: `analyse` finds steps of networks in it. ret: the table's store */
static bool holds_runs(struct ec__results *r, const char *path, struct ec_said *said,
                       struct ec_store **ret, struct ec_err *why)
{
    struct ec_runs_query q = { .precision = "fp32", .bare = true };
    struct ec_runs runs = { 0 };
    bool found = false;

    if (!ec_runs_store(&path, 1, &r->o->given, ret, said, why) &&
        !ec_runs_measured(*ret, &q, &runs, NULL))
        found = runs.n > 0;
    ec_runs_clear(&runs);
    return found;
}

/* Whether it is a measurement file; without all columns it cannot be read. */
static bool is_measured(struct ec__results *r, const char *path, const struct ec_csv *csv)
{
    const struct ec_table_given given = ec__results_given(r, path);
    const struct ec_mapping *l = NULL;

    return ec_record_is_export(csv) ||
           (ec_record_is_file(csv) && ec_mapping_of_record(csv, &given, r->a, &l, NULL) == EC_OK);
}

/* Rows of a measurement file or an export: ceilings of a machine, operators, networks. */
static bool holds_kind(const struct ec_csv *csv, const char *kind)
{
    int col = ec_csv_col(csv, "kind"), row;

    for (row = 0; row < csv->n_rows; row++)
        if (ec_str_eq(ec_csv_cell(csv, row, col), kind))
            return true;
    return false;
}

/* A table of single operators. */
static bool holds_operators(struct ec__results *r, const struct ec_csv *csv)
{
    const struct ec_mapping *l = NULL;

    return csv->n_rows && !ec_record_is_file(csv) &&
           ec_mapping_detect_record(csv, r->a, &l, NULL) == EC_OK && ec_mapping_is_operator(l);
}

static bool any_recipe(const struct ec_csv *csv)
{
    const struct ec_picture *all;
    int n, i;

    all = ec_pictures(&n);
    for (i = 0; i < n; i++)
        if (ec_picture_fits(&all[i], csv))
            return true;
    return false;
}

/* A user's own table of runs may be what a recipe draws as well. */
static bool is_picture(struct ec__results *r, const struct ec_csv *csv)
{
    const struct ec_mapping *l = NULL;

    return !r->o->given.given.mapping && ec_column_of(csv, EC_Q_ITERATION) < 0 && any_recipe(csv) &&
           ec_mapping_detect_record(csv, r->a, &l, NULL) != EC_OK;
}

#define OTHER "neither runs of networks nor layers nor a table that a recipe draws"

/* Incomplete or damaged measurements; the message names the file. Of a folder the other files are
 * reported, a file alone is what was asked for. why: status 0 where nothing is said of the file */
static enum ec_status leave_out(struct ec__results *r, const char *path, const struct ec_err *why)
{
    r->done.n_left_out++;
    if (r->o->only)
        return why->status ? ec_fail(r->err, why->status, "%s", why->text)
                           : ec_fail(r->err, EC_E_NOT_FOUND, "%s: " OTHER, path);
    ec_said_left_out(r->said, path,
                     why->status && why->status != EC_E_NOT_FOUND ? why->text : OTHER);
    return EC_OK;
}

static enum ec_status take_csv(struct ec__results *r, const char *path, const char *name)
{
    const struct ec_table_given given = ec__results_given(r, path);
    struct ec_said said = *r->said;
    struct ec_store *store = NULL;
    struct ec_csv csv = { 0 };
    struct ec_err why = { 0 };
    bool measured, layers, runs, ceilings, alone;

    ec__results_tell(r, "reading ", name);
    if (ec_table_open(&given, &csv, &why))
        return leave_out(r, path, &why);
    measured = is_measured(r, path, &csv);
    layers = (measured && holds_kind(&csv, "operator")) || holds_operators(r, &csv);
    ceilings = measured && holds_kind(&csv, "ceiling");
    /* the store is not needed, and slow */
    alone = layers && !(measured && holds_kind(&csv, "network"));
    runs = ec_csv_col(&csv, "time_per_epoch") < 0 && !ec__is_scaling(&csv) &&
           (ceilings || !alone) && holds_runs(r, path, &said, &store, &why);
    ceilings = ceilings && !why.status;
    runs = runs || ceilings;
    if (runs)
        *r->said = said;
    if (layers)
        r->layer_files[r->n_layer_files++] = path;
    if (ceilings)
        r->ceiling_files[r->n_ceiling_files++] = path;
    if (runs && !r->n_run_files)
        r->store = store;
    else
        ec_store_close(store);
    if (runs)
        r->run_files[r->n_run_files++] = path;
    if (layers || (runs && !is_picture(r, &csv))) {
        ec_csv_clear(&csv);
        return EC_OK;
    }
    if (csv.n_rows && (any_recipe(&csv) || ec__is_scaling(&csv) ||
                       ec_csv_col(&csv, "time_per_epoch") >= 0 || ec__is_grid(&csv))) {
        r->tables[r->n_tables++] =
            (struct ec__result_table){ path, name, ec__results_word(r, name), csv };
        return EC_OK;
    }
    ec_csv_clear(&csv);
    return leave_out(r, path, &why);
}

enum ec_status ec__results_read(struct ec__results *r)
{
    const char *names[EC__FILES_MAX], *path = NULL;
    struct listing l = { .r = r, .names = names };
    int i;

    EC_PASS(list(&l, "", 1));
    EC_PASS(ec_file_can_write(r->o->out, true, r->err)); /* fail before the long reading */
    qsort(names, (size_t)l.n, sizeof *names, ec_by_text);
    for (i = 0; i < l.n; i++) {
        path = ec_arena_printf(r->a, "%s/%s", r->o->dir, names[i]);
        EC_PASS(ec_allocated(path, r->err));
        if (ec_str_glob("*.sqlite", names[i]) || ec_str_glob("*.db", names[i]))
            r->stores[r->n_stores++] = path;
        else if (r->o->only || ec_str_glob("*.csv", names[i]))
            EC_PASS(take_csv(r, path, names[i]));
        else if (ec_str_glob("*.json", names[i]))
            r->machines[r->n_machines++] = path;
    }
    if (!r->n_tables && !r->n_run_files && !r->n_layer_files && !r->n_stores)
        EC_PASS(r->done.n_left_out
                    ? ec_fail(r->err, EC_E_NOT_FOUND, "%s: no table of it can be used", r->o->dir)
                    : ec_no_table(r->o->dir, " or *.sqlite", r->a, r->err));
    return EC_OK;
}

/* ------------------------------------------------------------------------------------------------
 * Machine records */

static const char *text_at(const struct ec_jval *root, const char *a, const char *b)
{
    const struct ec_jval *v = root ? ec_json_get(root, a) : NULL;

    v = v && b && v->type == EC_J_OBJECT ? ec_json_get(v, b) : v;
    return v && v->type == EC_J_STR ? v->str : NULL;
}

static double number_at(const struct ec_jval *root, const char *a, const char *b)
{
    const struct ec_jval *v = ec_json_get(root, a);

    v = v && v->type == EC_J_OBJECT ? ec_json_get(v, b) : NULL;
    return v && v->type == EC_J_NUM ? v->num : 0;
}

static void text_cell(struct ec_table *t, const char *text)
{
    ec_table_row(t, ec_text(text && *text ? text : NULL));
}

/* Words of a list, joined. */
static const char *joined(struct ec__results *r, const char *before, const char *words)
{
    return before && words ? ec_arena_printf(r->a, "%s%s%s", before, *before ? ", " : "", words)
                           : before;
}

static const char *gpus_of(struct ec__results *r, const struct ec_jval *root)
{
    const struct ec_jval *gpus = ec_json_get(root, "gpus"), *g;
    const char *text = "";

    for (g = gpus && gpus->type == EC_J_ARRAY ? gpus->child : NULL; g; g = g->next)
        if (g->type == EC_J_OBJECT)
            text = joined(r, text, text_at(g, "name", NULL));
    return text;
}

static const char *libraries_of(struct ec__results *r, const struct ec_jval *root)
{
    const struct ec_jval *software = ec_json_get(root, "software"), *v;
    const char *text = "";

    v = software && software->type == EC_J_OBJECT ? ec_json_get(software, "libraries") : NULL;
    for (v = v && v->type == EC_J_OBJECT ? v->child : NULL; v; v = v->next)
        if (v->type == EC_J_STR)
            text = joined(r, text, ec_arena_printf(r->a, "%s %s", v->key, v->str));
    return text;
}

static const char *several(struct ec__results *r, const struct ec_jval *root, const char *what)
{
    double n = number_at(root, "cpu", what);

    /* "sockets" becomes "socket" for one */
    return ec_arena_printf(r->a, "%.0f %.*s", n, (int)strlen(what) - (n == 1), what);
}

static void describe(struct ec__results *r, const char *path, const struct ec_jval *root,
                     struct ec_table *t)
{
    char size[32];

    text_cell(t, ec__results_name(r, path));
    text_cell(t, text_at(root, "cpu", "model"));
    text_cell(t, joined(r, joined(r, several(r, root, "sockets"), several(r, root, "cores")),
                        several(r, root, "threads")));
    text_cell(t, ec_fmt_bytes(size, sizeof size, number_at(root, "memory", "total_bytes")));
    text_cell(t, gpus_of(r, root));
    text_cell(t, text_at(root, "nvidia", "driver_version"));
    text_cell(t, text_at(root, "software", "os"));
    text_cell(t, text_at(root, "software", "kernel"));
    text_cell(t, text_at(root, "software", "compiler"));
    text_cell(t, libraries_of(r, root));
}

enum ec_status ec__results_machines(struct ec__results *r)
{
    struct ec_table t;
    int i;

    ec_table_init(&t, machines_cols, EC_LEN(machines_cols));
    for (i = 0; i < r->n_machines; i++) {
        const struct ec_jval *root = NULL;
        struct ec_file f = { 0 };
        struct ec_err why = { 0 };
        const char *schema = NULL;

        if (!ec_file_open(r->machines[i], 1 << 24, &f, &why) &&
            !ec_json_parse((const char *)f.data, f.len, r->a, &root, &why) &&
            root->type == EC_J_OBJECT)
            schema = text_at(root, "schema", NULL);
        if (schema && ec_str_starts(schema, "epochcast.machine/")) {
            describe(r, r->machines[i], root, &t);
        } else if (schema && ec_str_starts(schema, "epochcast.profile/")) {
            r->profiles[r->n_profiles++] = r->machines[i];
        } else {
            r->done.n_left_out++;
            ec_said_left_out(r->said, r->machines[i], "neither a machine record nor a profile");
        }
        ec_file_close(&f);
    }
    if (ec_table_rows(&t)) {
        ec_document_heading(&r->doc, 2, "Machines");
        ec_document_table(&r->doc, &t, "Machines that rows point to.", "epochcast device probe");
    }
    ec_table_clear(&t);
    return EC_OK;
}
