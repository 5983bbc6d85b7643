/* epochcast analyse: summarises measured training runs. */
#include "cli/runs_cmd.h"

#include <string.h>

#include "analyse_cmd.h"

/* Measured layers, where there are no networks. */
static enum ec_status show_layers(struct ec_call *call, struct ec_store *s, const char *device,
                                  struct ec_err *err)
{
    const struct ec_table_head head = { .schema = "epochcast.layers/1", .rows = "layers" };
    const struct ec_store_query query = { .kind = "operator", .device = device };
    struct ec_operator_times l = { .a = &call->arena };
    struct ec_store_rows *rows = NULL;
    const struct ec_stored *row = NULL;
    struct ec_table t = { 0 };
    enum ec_status st;
    int n = 0;

    EC_TRY(ec_store_select(s, &query, &rows, err));
    for (;;) {
        EC_TRY(ec_store_next(rows, &row, err));
        if (!row)
            break;
        EC_TRY(ec_operator_times_add(&l, &row->r, err));
    }
    if (!l.n && device)
        EC_TRY(ec_fail(err, EC_E_NOT_FOUND,
                       "no run and no layer of %.80s among the rows: "
                       "leave --device out to see all",
                       device));
    if (!l.n)
        EC_TRY(ec_fail(err, EC_E_NOT_FOUND,
                       "neither runs of networks nor layers: expected rows of training steps with "
                       "a batch size, or of operators with a time"));
    EC_TRY(ec_operator_times_table(&l, 0, &n, &t, err));
    EC_TRY(ec_call_table(call, &head, &t, err));
    ec_say("single layers: %d; rows that are updates or have no time: %d. `epochcast fit --op NAME "
           "--data FILE.csv` fits them, `epochcast report FILE.csv` draws them.\n",
           l.n, l.n_unused);
out:
    ec_store_rows_free(rows);
    ec_operator_times_clear(&l);
    ec_table_clear(&t);
    return st;
}

/* The tables that are named, and those of the folders that are. */
static enum ec_status find_tables(struct ec_call *call, struct ec_store_import *how,
                                  struct ec_strs *files, struct ec_err *err)
{
    const struct analyse_opts *o = call->opts;
    bool is_folder = false;
    int i;

    for (i = 0; i < o->files.n; i++) {
        EC_PASS(ec_files_find(o->files.v[i], "*.csv", &call->arena, files, &is_folder, err));
        how->pass_over = how->pass_over || is_folder;
    }
    if (!files->n && !o->store)
        return ec_no_table(o->files.v[0], "", &call->arena, err);
    return EC_OK;
}

static enum ec_status check(struct ec_call *call, struct ec_err *err)
{
    const struct analyse_opts *o = call->opts;

    EC_PASS(ec_host_check(o->host, err));
    return ec_mapping_check(o->given.given.mapping, err);
}

static enum ec_status run(struct ec_call *call, struct ec_err *err)
{
    const struct analyse_opts *o = call->opts;
    struct ec_runs_query q = { .network = o->network,
                               .skip = o->skip,
                               .precision = ec_precision_names[o->precision],
                               .predict = o->predict,
                               .host = o->host,
                               .processes = true };
    struct runs_output out = { .png = o->png,
                               .schema = "epochcast.analysis/1",
                               .key = "runs",
                               .plots = o->plots,
                               .view = o->complexity   ? EC_RUNS_COMPLEXITY
                                       : o->throughput ? EC_RUNS_THROUGHPUT
                                                       : EC_RUNS_ANALYSIS };
    struct ec_said said = { .arena = &call->arena };
    struct ec_buf devices = EC_BUF_INIT;
    struct ec_store *s = NULL;
    struct ec_store_import how = o->given;
    struct ec_runs runs = { 0 };
    struct ec_strs files = { 0 };
    enum ec_status st;

    EC_TRY(check(call, err));
    ec_strs_print(&o->device, &devices);
    EC_TRY(ec_buf_status(&devices, err));
    if (devices.len)
        q.device = ec_buf_text(&devices);
    if (q.device && !strpbrk(q.device, "*?,")) /* a single device replaces a missing column */
        how.given.device = q.device;
    how.given.device_chooses = true;
    if (ec_call_given(call, "precision")) /* else it is said that none is known */
        how.given.precision = ec_precision_names[o->precision];
    EC_TRY(find_tables(call, &how, &files, err));
    said.folder = o->files.n == 1 && how.pass_over ? o->files.v[0] : NULL;
    EC_TRY(o->store ? ec_store_open(o->store, EC_STORE_READ, &s, err)
                    : ec_runs_store(files.v, files.n, &how, &s, &said, err));
    EC_TRY(ec_said_end(&said, err));
    EC_TRY(ec_runs_measured(s, &q, &runs, err));
    if (!runs.n) {
        st = show_layers(call, s, q.device, err);
        goto out;
    }
    EC_TRY(ec_runs_ceilings(s, &runs, err));
    EC_TRY(ec_runs_relate(&runs, o->reference, err));
    EC_TRY(ec_runs_label(&runs, err));
    EC_TRY(ec__runs_write(call, &runs, &out, err));
out:
    ec_runs_clear(&runs);
    ec_store_close(s);
    ec_buf_clear(&devices);
    return st;
}
