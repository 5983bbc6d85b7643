/* One parser for the options of every command, driven by field tables. */
#include "cli/cli.h"

#include <stdarg.h>
#include <string.h>

struct parser {
    const struct ec_cmd *cmd;
    struct ec_call *call;
    int argc, at; /* argv[at] is the next word */
    char **argv;
    struct ec_span positional; /* names not used up */
    struct ec_err *err;
};

/* A field and the struct it belongs to. */
struct target {
    const struct ec_field *f;
    void *obj;
};

enum ec_status ec_usage(struct ec_call *call, struct ec_err *err, const char *fmt, ...)
{
    char text[EC_ERR_MAX_BYTES];
    va_list ap;

    va_start(ap, fmt);
    (void)ec_vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    call->wrong_usage = true;
    return ec_fail(err, EC_E_INPUT, "%s", text);
}

bool ec_call_given(const struct ec_call *call, const char *field_name)
{
    int i;

    for (i = 0; i < call->given.n; i++)
        if (ec_str_eq(call->given.v[i], field_name))
            return true;
    return false;
}

static enum ec_status note_given(struct ec_call *call, const char *name, struct ec_err *err)
{
    static const struct ec_field f = { .name = "given", .type = EC_F_STRS };

    return ec_field_set(&f, &call->given, ec_span_of(name), &call->arena, err);
}

/* Flags write '-' where names have '_'. */
static bool flag_eq(struct ec_span flag, const char *name)
{
    size_t i;

    for (i = 0; i < flag.len; i++)
        if ((flag.p[i] == '-' ? '_' : flag.p[i]) != name[i])
            return false;
    return !name[flag.len];
}

static struct target find_field(const struct parser *p, struct ec_span flag, char short_flag)
{
    const struct ec_arg_group *g;
    const struct ec_field *f;

    for (g = p->cmd->groups; g->fields; g++)
        for (f = g->fields; f->name; f++)
            if (short_flag ? f->short_flag == short_flag : flag_eq(flag, f->name))
                return (struct target){ f, (char *)p->call->opts + g->offset };
    return (struct target){ NULL, NULL };
}

const char *ec_flag_text(const char *name, char *out, size_t size)
{
    size_t i;

    (void)snprintf(out, size, "--%s", name);
    for (i = 0; out[i]; i++)
        if (out[i] == '_')
            out[i] = '-';
    return out;
}

#define FLAGS_MAX 128

/* Names are compared without their dashes, which would make all of them look alike. */
static enum ec_status fail_unknown(const struct parser *p, const char *word, size_t len)
{
    const char *names[FLAGS_MAX], *found[3];
    char asked[EC_FLAG_BYTES], flag[EC_FLAG_BYTES];
    struct ec_buf hint = EC_BUF_INIT;
    const struct ec_arg_group *g;
    const struct ec_field *f;
    enum ec_status st;
    int n = 0, i;

    for (g = p->cmd->groups; g->fields; g++)
        for (f = g->fields; f->name && n < FLAGS_MAX; f++)
            if (!ec_is_positional(p->cmd, f->name))
                names[n++] = f->name;
    (void)snprintf(asked, sizeof asked, "%.*s", (int)(len > 60 ? 60 : len), word);
    n = ec_near_names(asked + strspn(asked, "-"), names, n, found, EC_LEN(found));
    for (i = 0; i < n; i++)
        ec_buf_printf(&hint, "%s%s", i ? ", " : "; did you mean ",
                      ec_flag_text(found[i], flag, sizeof flag));
    st =
        ec_usage(p->call, p->err, "unknown option %s%s%s", asked, ec_buf_text(&hint), n ? "?" : "");
    ec_buf_clear(&hint);
    return st;
}

static bool is_one_of(const char *names, const char *wanted)
{
    struct ec_span rest = ec_span_of(names), name;

    while (rest.p && ec_span_cut(&rest, ' ', &name))
        if (ec_span_eq(name, wanted))
            return true;
    return false;
}

static enum ec_status can_write(const struct parser *p, struct target t)
{
    bool is_dir = is_one_of(p->cmd->writes_dirs, t.f->name);

    if (!is_dir && !is_one_of(p->cmd->writes, t.f->name))
        return EC_OK;
    return ec_file_can_write(*(const char *const *)((const char *)t.obj + t.f->offset), is_dir,
                             p->err);
}

static enum ec_status set_field(const struct parser *p, struct target t, const char *shown,
                                struct ec_span value)
{
    struct ec_field f = *t.f;
    enum ec_status st;

    if (f.type != EC_F_STRS && ec_call_given(p->call, f.name))
        return ec_usage(p->call, p->err, "%s is given twice", shown);
    f.name = shown; /* sentences name what was typed */
    st = ec_field_set(&f, t.obj, value, &p->call->arena, p->err);
    p->call->wrong_usage = st == EC_E_INPUT;
    if (!st)
        st = can_write(p, t);
    return st ? st : note_given(p->call, t.f->name, p->err);
}

/* The value of a flag: after '=', else the next word; a bare boolean is true. */
static enum ec_status take_value(struct parser *p, struct target t, const char *shown,
                                 const char *attached)
{
    const char *next = p->at < p->argc ? p->argv[p->at] : NULL;

    if (attached)
        return set_field(p, t, shown, ec_span_of(attached));
    if (t.f->type == EC_F_BOOL)
        return set_field(p, t, shown, ec_span_of("1"));
    if (!next || (ec_str_starts(next, "--") && next[2]))
        return ec_usage(p->call, p->err, "%s needs a value: %s", shown, ec_help_metavar(t.f));
    p->at++;
    return set_field(p, t, shown, ec_span_of(next));
}

static enum ec_status long_flag(struct parser *p, const char *word)
{
    const char *equals = strchr(word, '=');
    size_t len = equals ? (size_t)(equals - word) : strlen(word);
    struct ec_span name = { word + 2, len - 2 };
    struct target t = find_field(p, name, 0);
    char shown[EC_FLAG_BYTES];

    if (ec_span_eq(name, "help")) {
        p->call->want_help = true;
        return EC_OK;
    }
    if (t.f)
        return take_value(p, t, ec_flag_text(t.f->name, shown, sizeof shown),
                          equals ? equals + 1 : NULL);
    if (!equals && name.len > 3 && memcmp(name.p, "no-", 3) == 0) {
        t = find_field(p, (struct ec_span){ name.p + 3, name.len - 3 }, 0);
        if (t.f && t.f->type == EC_F_BOOL)
            return set_field(p, t, ec_flag_text(t.f->name, shown, sizeof shown), ec_span_of("0"));
    }
    return fail_unknown(p, word, len);
}

static enum ec_status short_flag(struct parser *p, const char *word)
{
    struct target t = find_field(p, (struct ec_span){ NULL, 0 }, word[1]);
    char shown[3] = { '-', word[1], '\0' };

    if (word[1] == 'h' && !t.f) {
        p->call->want_help = true;
        return EC_OK;
    }
    if (!t.f)
        return fail_unknown(p, word, strlen(word));
    return take_value(p, t, shown, word[2] ? word + 2 + (word[2] == '=') : NULL);
}

static enum ec_status positional(struct parser *p, const char *word)
{
    struct ec_span rest = p->positional, name;
    struct target t;

    if (!rest.len || !ec_span_cut(&rest, ' ', &name))
        return ec_usage(p->call, p->err, "unexpected argument \"%.60s\"", word);
    t = find_field(p, name, 0);
    if (t.f->type != EC_F_STRS)
        p->positional = rest;
    return set_field(p, t, t.f->metavar ? t.f->metavar : t.f->name, ec_span_of(word));
}

static enum ec_status parse_words(struct parser *p)
{
    enum ec_status st = EC_OK;
    bool flags_over = false;

    while (!st && p->at < p->argc) {
        const char *word = p->argv[p->at++];

        if (flags_over || word[0] != '-' || !word[1])
            st = positional(p, word);
        else if (ec_str_eq(word, "--"))
            flags_over = true;
        else if (word[1] == '-')
            st = long_flag(p, word);
        else
            st = short_flag(p, word);
    }
    return st;
}

enum ec_status ec_args_parse(const struct ec_cmd *cmd, int argc, char **argv, struct ec_call *call,
                             struct ec_err *err)
{
    struct parser p = { .cmd = cmd, .call = call, .argc = argc, .argv = argv, .err = err };
    const struct ec_arg_group *g;
    enum ec_status st = EC_OK;

    call->cmd = cmd;
    call->opts = ec_arena_alloc(&call->arena, cmd->opts_size);
    if (!call->opts)
        return ec_nomem(err);
    for (g = cmd->groups; g->fields && !st; g++)
        st = ec_fields_default(g->fields, (char *)call->opts + g->offset, &call->arena, err);
    p.positional = ec_span_of(cmd->positional);
    return st ? st : parse_words(&p);
}

void ec_call_clear(struct ec_call *call)
{
    ec_buf_clear(&call->out);
    ec_arena_clear(&call->arena);
}
