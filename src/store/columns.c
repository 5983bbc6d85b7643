/* The columns of a measurement in SQL, and their values. */
#include "store/store_internal.h"

const char *ec__column_sql(const struct ec_record_col *c)
{
    return c->sql ? c->sql : c->name;
}

void ec__measurement_columns(const char *before, struct ec_buf *out)
{
    const struct ec_record_col *c;
    int n = 0;

    for (c = ec_record_cols; c->name; c++)
        if (c->table == 'm')
            ec_buf_printf(out, "%s%s%s", n++ ? ", " : "", before, ec__column_sql(c));
}

void ec__measurement_add_sql(struct ec_buf *out)
{
    const struct ec_record_col *c;
    int i;

    ec_buf_str(out, "INSERT OR IGNORE INTO measurement(source_id, machine_id, device_id, "
                    "software_id, cas_id, ");
    ec__measurement_columns("", out);
    ec_buf_str(out, ") VALUES(");
    for (i = 0; i < EC_MEASUREMENT_IDS; i++)
        ec_buf_str(out, i ? ", ?" : "?");
    for (c = ec_record_cols; c->name; c++)
        ec_buf_str(out, c->table == 'm' ? ", ?" : "");
    ec_buf_char(out, ')');
}

bool ec__describes(enum ec_kind kind)
{
    return kind == EC_KIND_configuration || kind == EC_KIND_device || kind == EC_KIND_published;
}

void ec__json_print(const struct ec_jval *v, struct ec_buf *out)
{
    const struct ec_jval *c;
    char number[EC_FMT_DOUBLE_BYTES];

    switch (v->type) {
    case EC_J_NULL:
        ec_buf_str(out, "null");
        return;
    case EC_J_BOOL:
        ec_buf_str(out, v->b ? "true" : "false");
        return;
    case EC_J_NUM:
        if (v->is_int)
            ec_buf_printf(out, "%lld", (long long)v->i);
        else
            ec_buf_str(out, ec_fmt_double(number, sizeof number, v->num));
        return;
    case EC_J_STR:
        ec_json_quote(out, v->str);
        return;
    case EC_J_ARRAY:
    case EC_J_OBJECT:
        ec_buf_char(out, v->type == EC_J_ARRAY ? '[' : '{');
        for (c = v->child; c; c = c->next) {
            ec_buf_str(out, c == v->child ? "" : ",");
            if (v->type == EC_J_OBJECT) {
                ec_json_quote(out, c->key);
                ec_buf_char(out, ':');
            }
            ec__json_print(c, out);
        }
        ec_buf_char(out, v->type == EC_J_ARRAY ? ']' : '}');
    }
}
