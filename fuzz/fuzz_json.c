/* JSON text: what is read is written and read again, and must be the same text. */
#include "fuzz.h"

#include "base/base.h"

#include <string.h>

static void write_value(struct ec_json *j, const struct ec_jval *v)
{
    const struct ec_jval *child;

    switch (v->type) {
    case EC_J_NULL:
        ec_json_null(j, v->key);
        break;
    case EC_J_BOOL:
        ec_json_bool(j, v->key, v->b);
        break;
    case EC_J_NUM:
        if (v->is_int)
            ec_json_int(j, v->key, v->i);
        else
            ec_json_num(j, v->key, v->num);
        break;
    case EC_J_STR:
        ec_json_str(j, v->key, v->str);
        break;
    case EC_J_ARRAY:
    case EC_J_OBJECT:
        ec_json_open(j, v->key, v->type == EC_J_ARRAY ? '[' : '{');
        for (child = v->child; child; child = child->next)
            write_value(j, child);
        ec_json_close(j, v->type == EC_J_ARRAY ? ']' : '}');
        break;
    }
}

static void write_text(const struct ec_jval *v, struct ec_buf *out)
{
    struct ec_json j;

    ec_json_begin(&j, out, 0);
    write_value(&j, v);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ec_buf once = EC_BUF_INIT, twice = EC_BUF_INIT;
    struct ec_err err = { .status = EC_OK };
    struct ec_arena a = { 0 };
    const struct ec_jval *v;

    if (ec_json_parse((const char *)data, size, &a, &v, &err) == EC_OK) {
        write_text(v, &once);
        if (ec_json_parse(once.data, once.len, &a, &v, &err))
            __builtin_trap();
        write_text(v, &twice);
        if (strcmp(ec_buf_text(&once), ec_buf_text(&twice)) != 0)
            __builtin_trap();
    } else if (!err.text[0]) {
        __builtin_trap();
    }
    ec_buf_clear(&once);
    ec_buf_clear(&twice);
    ec_arena_clear(&a);
    return 0;
}
