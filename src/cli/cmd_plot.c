/* epochcast plot: a picture of a table, by a recipe or by columns. */
#include "cli/cli.h"
#include "report/report.h"

#include "plot_cmd.h"
#include "cli_columns.h"

static const char *const log_names[] = { "none", "x", "y", "xy", NULL };

static enum ec_status list(struct ec_call *call, struct ec_err *err)
{
    static const struct ec_table_head head = { "epochcast.plot_list/1", "recipes", { { 0 } } };
    const struct ec_picture *all;
    struct ec_table t;
    int n, i;

    all = ec_pictures(&n);
    ec_table_init(&t, plot_list_cols, EC_LEN(plot_list_cols));
    for (i = 0; i < n; i++) {
        const char *cells[] = { all[i].name, all[i].help, all[i].x, all[i].y, all[i].group };
        int k;

        for (k = 0; k < EC_LEN(cells); k++)
            ec_table_text(&t, cells[k] ? cells[k] : "");
    }
    return ec_call_last_table(call, &head, &t, err);
}

/* The given options override those of the recipe. */
static enum ec_status merge(struct ec_call *call, struct ec_picture *ret, struct ec_err *err)
{
    struct plot_opts *o = call->opts;
    const struct ec_picture *g = &o->p;
    const struct {
        const char *given;
        const char **to;
    } texts[] = {
        {g->x,                &ret->x              },
        { g->y,               &ret->y              },
        { g->group,           &ret->group          },
        { g->lo,              &ret->lo             },
        { g->hi,              &ret->hi             },
        { g->label,           &ret->label          },
        { g->unit,            &ret->unit           },
        { g->where,           &ret->where          },
        { g->reference_label, &ret->reference_label},
        { g->title,           &ret->title          },
        { g->subtitle,        &ret->subtitle       },
        { g->note,            &ret->note           },
        { g->x_title,         &ret->x_title        },
        { g->y_title,         &ret->y_title        },
    };
    int i;

    for (i = 0; i < EC_LEN(texts); i++)
        if (texts[i].given)
            *texts[i].to = texts[i].given;
    if (ec_call_given(call, "from_zero"))
        ret->from_zero = g->from_zero;
    if (ec_call_given(call, "identity"))
        ret->percent_bands = g->percent_bands;
    if (ec_call_given(call, "reference")) {
        ret->has_reference = true;
        ret->reference = g->reference;
    }
    if (ec_call_given(call, "width") || !ret->width_px)
        ret->width_px = g->width_px;
    ret->height_px = g->height_px;
    if (!o->log)
        return EC_OK;
    for (i = 0; log_names[i] && !ec_str_eq(log_names[i], o->log); i++)
        continue;
    if (!log_names[i])
        return ec_usage(call, err, "--log %.40s: expected x, y, xy or none", o->log);
    ret->log_if_wide = false;
    ret->log_x = i & 1;
    ret->log_y = i >> 1 & 1;
    return EC_OK;
}

/* Columns and looks are those of the recipes that such a picture is made of. */
static enum ec_status check_panels(struct ec_call *call, const struct ec_picture *p,
                                   struct ec_err *err)
{
    static const char *const possible[] = { "kind", "table", "out", "where", "width", "height" };
    char flag[EC_FLAG_BYTES];
    int i;

    for (i = 0; i < call->given.n && p->panels; i++) {
        if (ec_name_index(possible, EC_LEN(possible), call->given.v[i]) < 0)
            return ec_usage(call, err, "%s has no effect with %s: draw one of its panels, %s",
                            ec_flag_text(call->given.v[i], flag, sizeof flag), p->name, p->panels);
    }
    return EC_OK;
}

static enum ec_status draw(struct ec_call *call, struct ec_err *err)
{
    const struct plot_opts *o = call->opts;
    struct ec_drawing d = { 0 };
    const struct ec_table_given given = { .path = o->table };
    struct ec_csv csv = { 0 };
    struct ec_picture p;
    enum ec_status st;

    st = ec_picture_find(o->kind, &p, err);
    call->wrong_usage = st == EC_E_INPUT;
    EC_TRY(st);
    EC_TRY(check_panels(call, &p, err));
    EC_TRY(merge(call, &p, err));
    EC_TRY(ec_table_open(&given, &csv, err));
    EC_TRY(ec_within(err, ec_picture_draw(&p, &csv, &d, err), "%s: ", o->table));
    if (o->out)
        EC_TRY(ec_drawing_write(&d, o->out, err));
    else
        EC_TRY(ec_drawing_svg(&d, "picture", &call->out, err));
    if (d.labels_left_out)
        ec_say("epochcast: %d label%s left out, because there is no free place\n",
               d.labels_left_out, d.labels_left_out == 1 ? " was" : "s were");
out:
    ec_drawing_clear(&d);
    ec_csv_clear(&csv);
    return st;
}

static enum ec_status run(struct ec_call *call, struct ec_err *err)
{
    const struct plot_opts *o = call->opts;

    return o->list ? list(call, err) : draw(call, err);
}
