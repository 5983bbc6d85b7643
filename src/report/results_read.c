/* The directory: which file is what. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/results_internal.h"

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static enum ec_status list(struct ec__results *r, const char **names, int *ret_n)
{
    DIR *dir = opendir(r->o->dir);
    enum ec_status st = EC_OK;
    struct dirent *entry;
    int n = 0;

    if (!dir)
        return ec_fail(r->err, EC_E_NOT_FOUND, "%s: cannot read the directory: %s", r->o->dir,
                       strerror(errno));
    while ((entry = readdir(dir)) && n < EC__FILES_MAX && !st) {
        if (entry->d_name[0] == '.')
            continue;
        names[n] = ec_arena_str(r->a, entry->d_name);
        st = names[n++] ? EC_OK : ec_nomem(r->err);
    }
    (void)closedir(dir);
    qsort(names, (size_t)n, sizeof *names, by_name);
    *ret_n = n;
    return st;
}

/* Runs: what analysing finds steps of networks in. */
static bool holds_runs(const char *path)
{
    struct ec_runs_query q = { .precision = "fp32" };
    struct ec_store *s = NULL;
    struct ec_runs runs = { 0 };
    bool found = false;

    if (!ec_runs_store(&path, 1, NULL, &s, NULL) && !ec_runs_measured(s, &q, &runs, NULL))
        found = runs.n > 0;
    ec_runs_clear(&runs);
    ec_store_close(s);
    return found;
}

/* Rows of a measurement file: ceilings of a machine, operators, networks. */
static bool holds_kind(const struct ec_csv *csv, const char *kind)
{
    int col = ec_csv_col(csv, "kind"), row;

    if (col < 0 || ec_csv_col(csv, "samples_ns") < 0)
        return false;
    for (row = 0; row < csv->n_rows; row++)
        if (ec_str_eq(ec_csv_cell(csv, row, col), kind))
            return true;
    return false;
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

static enum ec_status take_csv(struct ec__results *r, const char *path, const char *name)
{
    struct ec_csv csv = { 0 };
    struct ec_err why = { 0 };
    bool layers, runs;

    if (ec_csv_read(path, &csv, &why)) {
        r->done.n_left_out++;
        return ec_strs_add(r->notes, r->a, r->err, "%s: %s", name, why.text);
    }
    layers = holds_kind(&csv, "operator");
    runs =
        ec_csv_col(&csv, "time_per_epoch") < 0 && (holds_kind(&csv, "ceiling") || holds_runs(path));
    if (layers)
        r->layer_files[r->n_layer_files++] = path;
    if (runs)
        r->run_files[r->n_run_files++] = path;
    if (layers || runs) {
        ec_csv_clear(&csv);
        return EC_OK;
    }
    if (csv.n_rows && (any_recipe(&csv) || ec_csv_col(&csv, "time_per_epoch") >= 0)) {
        r->tables[r->n_tables++] = (struct ec__result_table){ path, name, csv };
        return EC_OK;
    }
    ec_csv_clear(&csv);
    r->done.n_left_out++;
    return ec_strs_add(r->notes, r->a, r->err,
                       "%s: neither runs of networks nor layers nor a table that a recipe draws",
                       name);
}

enum ec_status ec__results_read(struct ec__results *r)
{
    const char *names[EC__FILES_MAX];
    enum ec_status st;
    int n = 0, i;

    EC_TRY(list(r, names, &n));
    for (i = 0; i < n; i++) {
        const char *path = ec_arena_printf(r->a, "%s/%s", r->o->dir, names[i]);

        if (!path)
            EC_TRY(ec_nomem(r->err));
        if (ec_str_glob("*.csv", names[i]))
            EC_TRY(take_csv(r, path, names[i]));
        else if (ec_str_glob("*.sqlite", names[i]) || ec_str_glob("*.db", names[i]))
            r->stores[r->n_stores++] = path;
        else if (ec_str_glob("*.json", names[i]))
            r->machines[r->n_machines++] = path;
    }
    if (!r->n_tables && !r->n_run_files && !r->n_layer_files && !r->n_stores)
        EC_TRY(ec_fail(r->err, EC_E_NOT_FOUND,
                       "%s holds no results: expected CSV tables or stores (.sqlite)", r->o->dir));
out:
    return st;
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

/* clang-format off */
static const struct ec_col machine_cols[] = {
    {.key = "what",   .title = ""},
    { .key = "value", .title = ""},
};
/* clang-format on */

static void row(struct ec_table *t, const char *what, const char *value)
{
    if (!value || !*value)
        return;
    ec_table_text(t, what);
    ec_table_text(t, value);
}

static void gpu_rows(struct ec_table *t, const struct ec_jval *root)
{
    const struct ec_jval *gpus = ec_json_get(root, "gpus"), *g;

    for (g = gpus && gpus->type == EC_J_ARRAY ? gpus->child : NULL; g; g = g->next)
        if (g->type == EC_J_OBJECT)
            row(t, "GPU", text_at(g, "name", NULL));
}

static void library_rows(struct ec_table *t, const struct ec_jval *root)
{
    const struct ec_jval *software = ec_json_get(root, "software"), *v;

    v = software && software->type == EC_J_OBJECT ? ec_json_get(software, "libraries") : NULL;
    for (v = v && v->type == EC_J_OBJECT ? v->child : NULL; v; v = v->next)
        if (v->type == EC_J_STR)
            row(t, v->key, v->str);
}

static void describe(struct ec__results *r, const char *path, const struct ec_jval *root)
{
    char text[128], size[32];
    struct ec_table t;

    ec_table_init(&t, machine_cols, EC_LEN(machine_cols));
    row(&t, "processor", text_at(root, "cpu", "model"));
    (void)snprintf(text, sizeof text, "%.0f sockets, %.0f cores, %.0f threads",
                   number_at(root, "cpu", "sockets"), number_at(root, "cpu", "cores"),
                   number_at(root, "cpu", "threads"));
    row(&t, "topology", text);
    row(&t, "memory", ec_fmt_bytes(size, sizeof size, number_at(root, "memory", "total_bytes")));
    gpu_rows(&t, root);
    row(&t, "driver", text_at(root, "nvidia", "driver_version"));
    row(&t, "system", text_at(root, "software", "os"));
    row(&t, "kernel", text_at(root, "software", "kernel"));
    row(&t, "compiler", text_at(root, "software", "compiler"));
    library_rows(&t, root);
    ec_document_table(&r->doc, &t, strrchr(path, '/') ? strrchr(path, '/') + 1 : path,
                      "epochcast device probe");
    ec_table_clear(&t);
}

enum ec_status ec__results_machines(struct ec__results *r)
{
    enum ec_status st = EC_OK;
    bool headed = false;
    int i;

    for (i = 0; i < r->n_machines && !st; i++) {
        const struct ec_jval *root = NULL;
        struct ec_file f = { 0 };
        struct ec_err why = { 0 };
        const char *schema = NULL;

        if (!ec_file_open(r->machines[i], 1 << 24, &f, &why) &&
            !ec_json_parse((const char *)f.data, f.len, r->a, &root, &why) &&
            root->type == EC_J_OBJECT)
            schema = text_at(root, "schema", NULL);
        if (schema && ec_str_starts(schema, "epochcast.machine/")) {
            if (!headed)
                ec_document_heading(&r->doc, 2, "Machines");
            headed = true;
            describe(r, r->machines[i], root);
        } else if (schema && ec_str_starts(schema, "epochcast.profile/")) {
            r->profile = r->machines[i];
        } else {
            r->done.n_left_out++;
            st = ec_strs_add(r->notes, r->a, r->err, "%s: neither a machine record nor a profile",
                             r->machines[i]);
        }
        ec_file_close(&f);
    }
    return st;
}
