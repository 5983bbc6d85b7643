/* epochcast device: the catalogue of devices, the hosts, and the probe of this machine. */
#include "cli/cli.h"

#include <math.h>

#include "hw/hw.h"
#include "predict/predict.h"
#include "report/report.h"

#include "device_cmd.h"
#include "cli_columns.h"

/* clang-format off */
/* Text has the columns that people compare; CSV and JSON have all. */
static const struct ec_col list_cols[] = {
    { .key = "key", .title = "key" },
    { .key = "name", .title = "name", .drop = 3 },
    { .key = "vendor", .title = "vendor", .flags = EC_COL_DATA_ONLY },
    { .key = "kind", .title = "kind", .flags = EC_COL_DATA_ONLY },
    { .key = "arch", .title = "architecture", .drop = 2 },
    { .key = "launch_year", .title = "year", .format = EC_COL_PLAIN, .drop = 1 },
    { .key = "fp32", .title = "FP32", .unit = "TFLOP/s", .format = EC_COL_DIGITS3, .scale = 1e-12,
      .flags = EC_COL_TEXT_ONLY },
    { .key = "fp16", .title = "FP16 matrix", .unit = "TFLOP/s", .format = EC_COL_DIGITS3,
      .scale = 1e-12, .flags = EC_COL_TEXT_ONLY },
    { .key = "memory", .title = "memory", .unit = "GiB", .format = EC_COL_DIGITS3,
      .scale = 1.0 / (1 << 30), .flags = EC_COL_TEXT_ONLY },
    { .key = "bandwidth", .title = "bandwidth", .unit = "GB/s", .format = EC_COL_FIXED,
      .scale = 1e-9, .flags = EC_COL_TEXT_ONLY },
    { .key = "power", .title = "power", .unit = "W", .format = EC_COL_FIXED,
      .flags = EC_COL_TEXT_ONLY },
#define QTY_COL(member, qty_unit, label, qty_scale, printed)                                       \
    { .key = #member, .title = label, .format = EC_COL_PLAIN, .flags = EC_COL_DATA_ONLY },
    EC_DEVICE_QTY_LIST(QTY_COL)
#undef QTY_COL
#define TRAIT_COL(member, label, words)                                                            \
    { .key = #member, .title = label, .flags = EC_COL_DATA_ONLY },
    EC_DEVICE_TRAIT_LIST(TRAIT_COL)
#undef TRAIT_COL
};

/* clang-format on */

static void add_qty(struct ec_table *t, const struct ec_qty *q)
{
    ec_table_row(t, q->src == EC_SRC_NONE ? ec_none() : ec_num(q->value));
}

static void add_traits(struct ec_table *t, const struct ec_device *d)
{
    const struct ec_device_trait_info *info;
    int n, i;

    info = ec_device_trait_info(&n);
    for (i = 0; i < n; i++) {
        const struct ec_trait *v = ec_device_trait(d, &info[i]);

        ec_table_row(t, ec_text(v->src ? info[i].words[v->value] : NULL));
    }
}

static void add_device(struct ec_table *t, const struct ec_device *d)
{
    ec_table_row(t, ec_text(d->key), ec_text(d->name), ec_text(ec_vendor_name(d->vendor)),
                 ec_text(ec_device_kind_name(d->kind)), ec_text(d->arch),
                 d->launch_year ? ec_int(d->launch_year) : ec_none());
    add_qty(t, &d->fp32_flop_per_s);
    add_qty(t, d->fp16_tensor_flop_per_s.src ? &d->fp16_tensor_flop_per_s
                                             : &d->fp16_vector_flop_per_s);
    add_qty(t, &d->memory_bytes);
    add_qty(t, &d->memory_bytes_per_s);
    add_qty(t, &d->tdp_w);
#define ADD_QTY(member, unit, label, scale, printed) add_qty(t, &d->member);
    EC_DEVICE_QTY_LIST(ADD_QTY)
#undef ADD_QTY
    add_traits(t, d);
}

static enum ec_status run_list(struct ec_call *call, struct ec_err *err)
{
    static const struct ec_table_head head = { "epochcast.device_list/1", "devices", { { 0 } } };
    static const char *all[] = { "all" };
    const struct device_opts *o = call->opts;
    struct ec_strs patterns = o->keys.n ? o->keys : (struct ec_strs){ 1, 1, all };
    const struct ec_device **devices = NULL;
    struct ec_table t;
    enum ec_status st = EC_OK;
    int n, i;

    ec_table_init(&t, list_cols, EC_LEN(list_cols));
    EC_TRY(ec_devices_named(&patterns, &devices, &n, &call->arena, err));
    for (i = 0; i < n; i++)
        add_device(&t, devices[i]);
    EC_TRY(ec_call_table(call, &head, &t, err));
out:
    ec_table_clear(&t);
    return st;
}

static void line(struct ec_buf *out, const char *label, const char *value)
{
    if (value && *value && !ec_str_eq(value, "unknown"))
        ec_buf_printf(out, "  %-14s%s\n", label, value);
}

static void describe(const struct ec_device *d, struct ec_buf *out)
{
    double usable = ec_device_usable_bytes(d);
    char number[32];

    ec_buf_printf(out, "%s\n", d->name);
    line(out, "key", d->key);
    line(out, "architecture", d->arch);
    (void)snprintf(number, sizeof number, "%d.%d", d->compute_capability / 10,
                   d->compute_capability % 10);
    line(out, "capability", d->compute_capability ? number : NULL);
    (void)snprintf(number, sizeof number, "%d", d->launch_year);
    line(out, "year", d->launch_year ? number : NULL);
    line(out, "memory type", d->memory_type);
    line(out, "usable memory", usable > 0 ? ec_fmt_bytes(number, sizeof number, usable) : NULL);
    line(out, "host link", d->host_link);
    line(out, "device link", d->link);
    line(out, "form factor", d->form_factor);
    line(out, "datasheet", d->source);
    line(out, "note", d->note);
    line(out, "file", d->file_note);
}

static void add_quantities(struct ec_table *t, const struct ec_device *d)
{
    const struct ec_device_qty_info *info;
    int n, i;

    info = ec_device_qty_info(&n);
    for (i = 0; i < n; i++) {
        const struct ec_qty *q = ec_device_qty(d, &info[i]);

        ec_table_row(t, ec_text(d->key), ec_text(info[i].label),
                     q->src ? ec_num(q->value * info[i].scale) : ec_none(),
                     ec_text(info[i].printed_unit),
                     ec_text(q->src ? q->ref ? q->ref : ec_src_name(q->src) : NULL));
    }
}

static void show_traits(struct ec_table *t, const struct ec_device *d)
{
    const struct ec_device_trait_info *info;
    int n, i;

    info = ec_device_trait_info(&n);
    for (i = 0; i < n; i++) {
        const struct ec_trait *v = ec_device_trait(d, &info[i]);

        if (!v->src)
            continue;
        ec_table_row(t, ec_text(d->key), ec_text(info[i].label), ec_text(info[i].words[v->value]),
                     ec_text(""), ec_text(ec_device_trait_source(d, v)));
    }
}

/* CSV is one table of all devices; text has a table for each, below its other properties. */
static enum ec_status show_tables(struct ec_call *call, const struct ec_device **d, int n,
                                  struct ec_err *err)
{
    enum ec_status st = EC_OK;
    struct ec_table t;
    int i;

    ec_table_init(&t, device_show_cols, EC_LEN(device_show_cols));
    for (i = 0; i < n && !st; i++) {
        add_quantities(&t, d[i]);
        show_traits(&t, d[i]);
        if (call->forms.csv && i < n - 1)
            continue;
        if (call->forms.markdown)
            ec_buf_printf(&call->out, "%s**%s**\n", i ? "\n" : "", d[i]->name);
        else if (!call->forms.csv) {
            ec_buf_str(&call->out, i ? "\n" : "");
            describe(d[i], &call->out);
        }
        ec_buf_str(&call->out, call->forms.csv ? "" : "\n");
        st = ec_table_write(&t, ec_forms_table(&call->forms), &call->out, err);
        ec_table_clear(&t);
        ec_table_init(&t, device_show_cols, EC_LEN(device_show_cols));
    }
    ec_table_clear(&t);
    return st;
}

static void json_traits(const struct ec_device *d, struct ec_json *j)
{
    const struct ec_device_trait_info *info;
    int n, i;

    info = ec_device_trait_info(&n);
    for (i = 0; i < n; i++) {
        const struct ec_trait *t = ec_device_trait(d, &info[i]);

        if (!t->src) {
            ec_json_null(j, info[i].name);
            continue;
        }
        ec_json_open(j, info[i].name, '{');
        ec_json_str(j, "value", info[i].words[t->value]);
        ec_json_str(j, "src", ec_src_name(t->src));
        ec_json_str(j, "source", ec_device_trait_source(d, t));
        ec_json_close(j, '}');
    }
}

static void show_json(const struct ec_device *d, struct ec_json *j)
{
    const struct ec_device_qty_info *info;
    double usable = ec_device_usable_bytes(d);
    int n, i;

    ec_json_open(j, NULL, '{');
    ec_json_str(j, "key", d->key);
    ec_json_str(j, "name", d->name);
    ec_json_str(j, "vendor", ec_vendor_name(d->vendor));
    ec_json_str(j, "kind", ec_device_kind_name(d->kind));
    ec_json_str(j, "arch", d->arch);
    ec_json_str(j, "memory_type", d->memory_type);
    ec_json_num(j, "usable_memory_bytes", usable > 0 ? usable : (double)NAN);
    ec_json_str(j, "host_link", d->host_link);
    ec_json_str(j, "link", d->link);
    ec_json_str(j, "form_factor", d->form_factor);
    ec_json_str(j, "note", d->note);
    if (d->file_note)
        ec_json_str(j, "file_note", d->file_note);
    info = ec_device_qty_info(&n);
    for (i = 0; i < n; i++) {
        const struct ec_qty *q = ec_device_qty(d, &info[i]);

        if (!q->src) {
            ec_json_null(j, info[i].name);
            continue;
        }
        ec_json_open(j, info[i].name, '{');
        ec_json_num(j, "value", q->value);
        ec_json_str(j, "src", ec_src_name(q->src));
        ec_json_str(j, "source", ec_device_qty_source(d, q));
        ec_json_close(j, '}');
    }
    json_traits(d, j);
    ec_json_close(j, '}');
}

static enum ec_status run_show(struct ec_call *call, struct ec_err *err)
{
    const struct device_opts *o = call->opts;
    const struct ec_device **devices = NULL;
    struct ec_json j;
    int n, i;

    EC_PASS(ec_devices_named(&o->keys, &devices, &n, &call->arena, err));
    if (!call->forms.json)
        return show_tables(call, devices, n, err);
    ec_json_document(&j, &call->out, 2, "epochcast.device/1");
    ec_json_open(&j, "devices", '[');
    for (i = 0; i < n; i++)
        show_json(devices[i], &j);
    ec_json_close(&j, ']');
    ec_json_end(&j);
    return EC_OK;
}

static enum ec_status run_hosts(struct ec_call *call, struct ec_err *err)
{
    static const struct ec_table_head head = { "epochcast.host_list/1", "hosts", { { 0 } } };
    struct ec_table t;
    enum ec_status st;
    int i;

    ec_table_init(&t, device_host_cols, EC_LEN(device_host_cols));
    for (i = 0; i < ec_host_count(); i++) {
        ec_table_row(&t, ec_text(ec_host_at(i).name), ec_num(ec_host_at(i).time_factor));
    }
    st = ec_call_table(call, &head, &t, err);
    if (!ec_forms_any(&call->forms))
        ec_buf_str(&call->out,
                   "\nA host is fitted to one table of measurements: its software, clocks and "
                   "machine together.\nIt is no ranking of processors. With graphs a step is "
                   "launched as a whole, "
                   "as a CUDA graph is.\n");
    ec_table_clear(&t);
    return st;
}

static enum ec_status run_probe(struct ec_call *call, struct ec_err *err)
{
    struct ec_machine *m = NULL;
    enum ec_status st = EC_OK;

    EC_TRY(ec_machine_probe(&m, err));
    EC_TRY(call->forms.json ? ec_machine_to_json(m, &call->out, err)
                            : ec_machine_to_text(m, &call->out, err));
out:
    ec_machine_free(m);
    return st;
}

static enum ec_status run_machines(struct ec_call *call, struct ec_err *err)
{
    static const struct ec_table_head head = { "epochcast.machine_list/1", "machines", { { 0 } } };
    const struct ec_machine_type *all;
    struct ec_table t;
    int n, i;

    all = ec_machine_types(&n);
    ec_table_init(&t, device_machine_cols, EC_LEN(device_machine_cols));
    for (i = 0; i < n; i++) {
        const struct ec_device *d = all[i].device;

        ec_table_row(&t, ec_text(d->key), ec_text(ec_device_measured_as(d)));
        add_qty(&t, &d->machine_devices);
        ec_table_row(&t, ec_num(d->network_bytes_per_s.value / 2), ec_num(all[i].memory_bytes),
                     ec_text(d->network_bytes_per_s.ref));
    }
    return ec_call_last_table(call, &head, &t, err);
}
