/* The list of operators, which the build makes from the rows (EC__OP in op_internal.h), and finding
 * one by its name. Rows see nothing of this file. */
#include "op/op.h"

#include <stdio.h>
#include <string.h>

/* clang-format off */
#define X(name) extern const struct ec_op ec_op_##name;
#include "op/op_list.h"
#undef X

static const struct ec_op *const g_ops[] = {
#define X(name) &ec_op_##name,
#include "op/op_list.h"
#undef X
};
/* clang-format on */

const struct ec_op *const *ec_ops(int *ret_count)
{
    *ret_count = EC_LEN(g_ops);
    return g_ops;
}

static int span_cmp(struct ec_span s, const char *text)
{
    int c = strncmp(s.p, text, s.len);

    return c ? c : (text[s.len] ? -1 : 0);
}

static const struct ec_op *find_alias(struct ec_span name)
{
    int i;

    for (i = 0; i < EC_LEN(g_ops); i++) {
        struct ec_span rest = ec_span_of(g_ops[i]->aliases ? g_ops[i]->aliases : ""), word;

        while (rest.len && ec_span_cut(&rest, ' ', &word))
            if (word.len == name.len && memcmp(word.p, name.p, name.len) == 0)
                return g_ops[i];
    }
    return NULL;
}

const struct ec_op *ec_op_find(struct ec_span name)
{
    int lo = 0, hi = EC_LEN(g_ops) - 1;

    while (lo <= hi) {
        int mid = (lo + hi) / 2, c = span_cmp(name, g_ops[mid]->name);

        if (c == 0)
            return g_ops[mid];
        if (c < 0)
            hi = mid - 1;
        else
            lo = mid + 1;
    }
    return find_alias(name);
}

enum ec_status ec_op_named(struct ec_span name, const struct ec_op **ret, struct ec_err *err)
{
    struct ec_buf hint = EC_BUF_INIT;
    const char *names[256];
    const struct ec_op *const *ops;
    char text[64];
    int n, i;

    *ret = ec_op_find(name);
    if (*ret)
        return EC_OK;
    ops = ec_ops(&n);
    for (i = 0; i < n && i < EC_LEN(names); i++)
        names[i] = ops[i]->name;
    (void)snprintf(text, sizeof text, "%.*s", name.len > 60 ? 60 : (int)name.len, name.p);
    ec_near_hint(&hint, text, names, i);
    (void)ec_fail(err, EC_E_NOT_FOUND, "no operator \"%s\"%s", text, ec_buf_text(&hint));
    ec_buf_clear(&hint);
    return EC_E_NOT_FOUND;
}
