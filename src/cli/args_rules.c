/* Options that have no effect in a combination are refused: struct ec_arg_rule. */
#include "cli/args_internal.h"

#include "graph/graph.h"

/* Whether `name` was given, as true where it is a flag, not empty where it is a list; or the field
 * has the value of `name=value`. */
static bool holds(const struct ec_call *call, struct ec_span term)
{
    struct ec_span value = term, name;
    const struct ec_arg_group *g = NULL;
    struct ec_buf text = EC_BUF_INIT;
    const struct ec_field *f;
    const char *options;
    bool yes;

    (void)ec_span_cut(&value, '=', &name);
    f = ec__field_of(call->cmd, name, '\0', &g);
    options = (const char *)call->opts + g->offset;
    if (!value.p)
        return ec_call_given(call, f->name) &&
               (f->type != EC_F_BOOL || *(const bool *)(options + f->offset)) &&
               (f->type != EC_F_STRS || ((const struct ec_strs *)(options + f->offset))->n);
    ec_field_print(f, options, &text);
    yes = ec_span_eq(value, ec_buf_text(&text));
    ec_buf_clear(&text);
    return yes;
}

/* How many of the terms hold. joined: "--data or --optimizer momentum", of those that hold or of
 * all; NULL: not wanted */
static int count(const struct ec_call *call, const char *terms, bool all, struct ec_buf *joined)
{
    struct ec_span rest = ec_span_of(terms), term, value, name;
    char text[EC_FLAG_BYTES], flag[EC_FLAG_BYTES];
    int n = 0;

    while (rest.p && ec_span_cut(&rest, ' ', &term)) {
        bool yes = holds(call, term);

        n += yes;
        if (!joined || !(all || yes))
            continue;
        value = term;
        (void)ec_span_cut(&value, '=', &name);
        (void)snprintf(text, sizeof text, "%.*s", (int)name.len, name.p);
        ec_buf_printf(joined, "%s%s", joined->len ? " or " : "",
                      ec_flag_text(text, flag, sizeof flag));
        if (value.p)
            ec_buf_printf(joined, " %.*s", (int)value.len, value.p);
    }
    return n;
}

static enum ec_status check(struct ec_call *call, const struct ec_arg_rule *r, struct ec_err *err)
{
    bool lacks = r->needs && !count(call, r->needs, true, NULL);
    bool has = r->unless && count(call, r->unless, false, NULL);
    struct ec_span rest = ec_span_of(r->fields), name;
    struct ec_buf terms = EC_BUF_INIT;
    char text[EC_FLAG_BYTES], flag[EC_FLAG_BYTES];
    enum ec_status st = EC_OK;

    if (r->why && !r->needs && !r->unless)
        has = count(call, r->fields, false, NULL) > 1;
    if (!lacks && !has)
        return EC_OK;
    if (r->why)
        return !*r->fields || count(call, r->fields, false, NULL)
                   ? ec_usage(call, err, "%s", r->why)
                   : EC_OK;
    while (!st && rest.p && ec_span_cut(&rest, ' ', &name)) {
        if (!holds(call, name))
            continue;
        (void)count(call, lacks ? r->needs : r->unless, lacks, &terms);
        (void)snprintf(text, sizeof text, "%.*s", (int)name.len, name.p);
        st = ec_usage(call, err, "%s has no effect %s %s", ec_flag_text(text, flag, sizeof flag),
                      lacks ? "without" : "with", ec_buf_text(&terms));
    }
    ec_buf_clear(&terms);
    return st;
}

/* Whether a flag was given that not every command has, or has as a flag. */
static bool has_flag(const struct ec_call *call, const char *name)
{
    const struct ec_arg_group *g = NULL;
    const struct ec_field *f = ec__field_of(call->cmd, ec_span_of(name), '\0', &g);

    return f && f->type == EC_F_BOOL && holds(call, ec_span_of(name));
}

enum ec_status ec_args_check(struct ec_call *call, struct ec_err *err)
{
    struct ec_forms *f = &call->forms;
    const struct ec_arg_rule *r;

    *f = (struct ec_forms){ has_flag(call, "json"), has_flag(call, "csv"),
                            has_flag(call, "markdown") };
    if (f->json + f->csv + f->markdown > 1)
        return ec_usage(call, err, "--json, --csv and --markdown exclude each other");
    for (r = call->cmd->rules; r && r->fields; r++)
        EC_PASS(check(call, r, err));
    return EC_OK;
}

enum ec_status ec_call_check_sizes(struct ec_call *call, unsigned sizes, const char *name,
                                   struct ec_err *err)
{
    static const struct {
        const char *field, *own; /* own: the value that asks for nothing */
        unsigned size;
    } rows[] = {
        {"image",    "image=0",   EC_SIZE_IMAGE  },
        { "seq_len", "seq_len=0", EC_SIZE_SEQ_LEN},
        { "classes", "classes=0", EC_SIZE_CLASSES},
    };
    char flag[EC_FLAG_BYTES];
    int i;

    for (i = 0; i < EC_LEN(rows); i++)
        if (ec_call_given(call, rows[i].field) && !holds(call, ec_span_of(rows[i].own)) &&
            !(sizes & rows[i].size))
            return ec_usage(call, err, "%s has no effect: %.80s%s on it",
                            ec_flag_text(rows[i].field, flag, sizeof flag),
                            name ? name : "none of the networks",
                            name ? " does not depend" : " depends");
    return EC_OK;
}
