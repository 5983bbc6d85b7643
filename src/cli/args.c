/* The parser of the command line: options are described by field tables. */
#include "cli/args_internal.h"

#include <stdarg.h>
#include <string.h>

#include "predict/predict.h"

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
    bool lists; /* several values are possible */
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
    return ec_strs_have(&call->given, field_name);
}

const struct ec_field_values *ec_call_list(const struct ec_call *call, const char *field_name)
{
    return ec_row_named(call->lists, call->n_lists, sizeof *call->lists, field_name);
}

static enum ec_status note_given(struct ec_call *call, const char *name, struct ec_err *err)
{
    static const struct ec_field f = { .name = "given", .type = EC_F_STRS };

    return ec_field_set(&f, &call->given, ec_span_of(name), &call->arena, err);
}

/* A flag has '-' where the name of the field has '_'. */
bool ec__flag_eq(struct ec_span flag, const char *name)
{
    size_t i;

    for (i = 0; i < flag.len; i++)
        if ((flag.p[i] == '-' ? '_' : flag.p[i]) != name[i])
            return false;
    return !name[flag.len];
}

/* The field of a command with this flag, NULL if none; *ret_group is its group. */
const struct ec_field *ec__field_of(const struct ec_cmd *cmd, struct ec_span flag, char short_flag,
                                    const struct ec_arg_group **ret_group)
{
    const struct ec_arg_group *g;
    const struct ec_field *f;

    for (g = cmd->groups; g && g->fields; g++)
        for (f = g->fields; f->name; f++)
            if (short_flag ? ec_short_flag(f->name) == short_flag : ec__flag_eq(flag, f->name)) {
                *ret_group = g;
                return f;
            }
    return NULL;
}

static struct target find_field(const struct parser *p, struct ec_span flag, char short_flag)
{
    const struct ec_arg_group *g = NULL;
    const struct ec_field *f = ec__field_of(p->cmd, flag, short_flag, &g);

    return (struct target){ f, f ? (char *)p->call->opts + g->offset : NULL,
                            f && g->fields == p->cmd->lists };
}

/* The flag that a word begins with: "--batch" of "--batch=4", "-b" of "-b4". */
struct ec_span ec__flag_of(const char *word, char *ret_short)
{
    bool is_long = word[0] == '-' && word[1] == '-';

    *ret_short = is_long ? '\0' : word[1];
    return is_long ? (struct ec_span){ word + 2, strcspn(word + 2, "=") }
                   : (struct ec_span){ NULL, 0 };
}

/* Names of the other sub-commands that have the option. */
static enum ec_status fail_sibling(const struct parser *p, const char *flag, struct ec_span name,
                                   char letter)
{
    const struct ec_cmd *parent = p->cmd->of ? p->cmd->of : p->cmd, *with[16];
    const struct ec_arg_group *g;
    struct ec_buf text = EC_BUF_INIT;
    char title[EC_CMD_TITLE_BYTES];
    int n = 0, i;

    if (p->cmd->of && ec__field_of(parent, name, letter, &g))
        with[n++] = parent;
    for (i = 0; parent->subs && parent->subs[i] && n < EC_LEN(with); i++)
        if (ec__field_of(parent->subs[i], name, letter, &g))
            with[n++] = parent->subs[i];
    for (i = 0; i < n; i++)
        ec_buf_printf(&text, "%s%s",
                      !i           ? ""
                      : i == n - 1 ? " and "
                                   : ", ",
                      ec_cmd_title(with[i], title, sizeof title));
    if (n)
        (void)ec_usage(p->call, p->err, "%s belongs to %s, not to %s", flag, ec_buf_text(&text),
                       ec_cmd_title(p->cmd, title, sizeof title));
    ec_buf_clear(&text);
    return n ? EC_E_INPUT : EC_OK;
}

/* ------------------------------------------------------------------------------------------------
 * Options */

#define FLAGS_MAX 128

/* The option of this command that says what people or an argument of a training tool say. */
static int known_elsewhere(const char *asked, const char *const *names, int n, const char **found)
{
    char key[EC_FLAG_BYTES], option[EC_FLAG_BYTES];
    int i;

    (void)ec_snprintf(key, sizeof key, "%s", asked);
    for (i = 0; key[i]; i++)
        key[i] = key[i] == '-' ? '_' : key[i];
    ec_job_option(key, option, sizeof option);
    i = ec_name_index(names, n, option);
    *found = i >= 0 ? names[i] : NULL;
    return i >= 0;
}

/* Names are compared without their leading dashes, which would make all of them similar. */
static enum ec_status fail_unknown(const struct parser *p, const char *word, size_t len)
{
    const char *names[FLAGS_MAX], *found[3];
    char asked[EC_FLAG_BYTES], flag[EC_FLAG_BYTES];
    struct ec_buf hint = EC_BUF_INIT;
    const struct ec_arg_group *g;
    const struct ec_field *f;
    struct ec_span name;
    char letter;
    enum ec_status st;
    int n = 0, n_found, i;

    for (g = p->cmd->groups; g->fields; g++)
        for (f = g->fields; f->name && n < FLAGS_MAX; f++)
            if (!ec_is_positional(p->cmd, f->name))
                names[n++] = f->name;
    (void)snprintf(asked, sizeof asked, "%.*s", (int)(len > 60 ? 60 : len), word);
    if (ec_str_eq(asked, "--layout") &&
        ec__field_of(p->cmd, ec_span_of("mapping"), '\0', &g)) /* its name in earlier versions */
        return ec_usage(p->call, p->err,
                        "no option --layout here: a layout is the order of tensors in memory; for "
                        "the meaning of table columns use --mapping NAME|FILE.map");
    name = ec__flag_of(asked, &letter);
    EC_PASS(fail_sibling(p, asked, name, letter));
    n_found = known_elsewhere(asked + strspn(asked, "-"), names, n, found);
    if (!n_found)
        n_found = ec_near_names(asked + strspn(asked, "-"), names, n, found, EC_LEN(found));
    for (i = 0; i < n_found; i++)
        ec_buf_printf(&hint, "%s%s", i ? ", " : "; did you mean ",
                      ec_flag_text(found[i], flag, sizeof flag));
    st = ec_usage(p->call, p->err, "unknown option %s%s%s", asked, ec_buf_text(&hint),
                  n_found ? "?" : "");
    ec_buf_clear(&hint);
    return st;
}

static enum ec_status can_write(const struct parser *p, struct target t)
{
    bool is_dir = ec_is_among(t.f->name, ec_span_of(p->cmd->writes_dirs), ' ');

    if (!is_dir && !ec_is_among(t.f->name, ec_span_of(p->cmd->writes), ' '))
        return EC_OK;
    return ec_file_can_write(*(const char *const *)((const char *)t.obj + t.f->offset), is_dir,
                             p->err);
}

/* Of numbers that are not whole only shares may be several: "1,000" of others is one, mistyped. */
static bool is_share(const struct ec_field *f)
{
    return f->type == EC_F_DOUBLE && f->max == 1;
}

static bool is_list(struct target t, struct ec_span value)
{
    bool several = memchr(value.p, ',', value.len) || memmem(value.p, value.len, "..", 2);

    return t.lists && several && (t.f->type == EC_F_INT || t.f->type == EC_F_ENUM || is_share(t.f));
}

/* "1..64": the powers of two between the ends, and these. */
static bool is_range(struct ec_span word, int64_t *lo, int64_t *hi)
{
    const char *dots = word.len ? memmem(word.p, word.len, "..", 2) : NULL;
    struct ec_span from = { word.p, dots ? (size_t)(dots - word.p) : 0 };
    struct ec_span to = { dots ? dots + 2 : NULL, dots ? word.len - from.len - 2 : 0 };

    return dots && ec_parse_int(from, lo) && ec_parse_int(to, hi) && *lo >= 1 && *lo <= *hi;
}

/* "1,000" is meant as one number. */
static bool is_grouped(const struct ec_field *f, struct ec_span word)
{
    return f->type == EC_F_INT && word.len > 1 && word.p[0] == '0';
}

/* Each value is checked by setting it. A value that is written twice counts once. */
static enum ec_status add_value(const struct parser *p, const struct ec_field *f, struct target t,
                                struct ec_span word, struct ec_strs *list)
{
    enum ec_status st = ec_field_set(f, t.obj, word, &p->call->arena, p->err);
    int i = 0;

    while (!st && i < list->n && !ec_span_eq(word, list->v[i]))
        i++;
    return st || i < list->n
               ? st
               : ec_strs_add(list, &p->call->arena, p->err, "%.*s", (int)word.len, word.p);
}

static enum ec_status add_range(const struct parser *p, const struct ec_field *f, struct target t,
                                int64_t lo, int64_t hi, struct ec_strs *list)
{
    int64_t power = 1;
    char text[24];

    for (;; lo = power < hi ? power : hi) {
        (void)ec_snprintf(text, sizeof text, "%lld", (long long)lo);
        EC_PASS(add_value(p, f, t, ec_span_of(text), list));
        if (lo == hi)
            break;
        while (power <= lo)
            power *= 2;
    }
    return EC_OK;
}

/* The first value is set last, so that it stays. */
static enum ec_status set_list(const struct parser *p, const struct ec_field *f, struct target t,
                               struct ec_span all)
{
    struct ec_call *call = p->call;
    struct ec_field_values *list = &call->lists[call->n_lists];
    struct ec_span text = all, word;
    enum ec_status st = EC_OK;
    int64_t lo = 0, hi = 0;

    if (call->n_lists == EC_CALL_LISTS)
        return ec_usage(call, p->err, "%s: more than %d options have several values", f->name,
                        EC_CALL_LISTS);
    *list = (struct ec_field_values){ .field = t.f->name };
    while (!st && all.p && ec_span_cut(&all, ',', &word)) {
        word = ec_span_trim(word);
        if (is_grouped(f, word))
            return ec_usage(call, p->err,
                            "%s: found \"%.*s\", expected a number, or several such as 32,64",
                            f->name, (int)text.len, text.p);
        lo = hi = 0;
        if (f->type == EC_F_INT && is_range(word, &lo, &hi)) {
            list->has_range = true;
            st = add_range(p, f, t, lo, hi, &list->values);
        } else if (lo > hi && hi >= 1) {
            return ec_usage(call, p->err,
                            "%s: found \"%.*s\", expected the smaller first: %lld..%lld", f->name,
                            (int)word.len, word.p, (long long)hi, (long long)lo);
        } else
            st = add_value(p, f, t, word, &list->values);
    }
    call->n_lists++;
    return st ? st : ec_field_set(f, t.obj, ec_span_of(list->values.v[0]), &call->arena, p->err);
}

static enum ec_status set_field(const struct parser *p, struct target t, const char *shown,
                                struct ec_span value)
{
    struct ec_field f = *t.f;
    enum ec_status st;

    if (f.type != EC_F_STRS && ec_call_given(p->call, f.name))
        return ec_usage(p->call, p->err, "%s is given twice", shown);
    f.name = shown; /* error messages name the flag as typed */
    st = is_list(t, value) ? set_list(p, &f, t, value)
                           : ec_field_set(&f, t.obj, value, &p->call->arena, p->err);
    p->call->wrong_usage = st == EC_E_INPUT;
    if (!st)
        st = can_write(p, t);
    return st ? st : note_given(p->call, t.f->name, p->err);
}

/* The value of a flag: the text after '=', else the next word; a boolean without value is true. */
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

/* For a word that looks like a file: names the options that read files. */
static enum ec_status unexpected(struct parser *p, const char *word)
{
    const struct ec_arg_group *g;
    const struct ec_field *f;
    struct ec_buf flags = EC_BUF_INIT;
    int n = 0;

    for (g = p->cmd->groups; strpbrk(word, "./") && g->fields; g++)
        for (f = g->fields; f->name; f++)
            if (f->metavar && ec_str_starts(f->metavar, "FILE") &&
                !ec_is_among(f->name, ec_span_of(p->cmd->writes), ' ')) {
                ec_buf_str(&flags, n++ ? ", " : "; options that read a file are ");
                ec_help_flag(f, &flags);
            }
    (void)ec_usage(p->call, p->err, "unexpected argument \"%.60s\"%s", word, ec_buf_text(&flags));
    ec_buf_clear(&flags);
    return EC_E_INPUT;
}

static enum ec_status positional(struct parser *p, const char *word)
{
    struct ec_span rest = p->positional, name;
    struct target t;

    if (!rest.len || !ec_span_cut(&rest, ' ', &name))
        return unexpected(p, word);
    t = find_field(p, name, 0);
    if (t.f->type != EC_F_STRS)
        p->positional = rest;
    return set_field(p, t, t.f->metavar ? t.f->metavar : t.f->name, ec_span_of(word));
}

static enum ec_status parse_words(struct parser *p)
{
    bool flags_over = false;

    while (p->at < p->argc) {
        const char *word = p->argv[p->at++];

        if (flags_over || word[0] != '-' || !word[1])
            EC_PASS(positional(p, word));
        else if (ec_str_eq(word, "--"))
            flags_over = true;
        else if (word[1] == '-')
            EC_PASS(long_flag(p, word));
        else
            EC_PASS(short_flag(p, word));
    }
    return EC_OK;
}

enum ec_status ec_args_parse(const struct ec_cmd *cmd, int argc, char **argv, struct ec_call *call,
                             struct ec_err *err)
{
    struct parser p = { .cmd = cmd, .call = call, .argc = argc, .argv = argv, .err = err };
    const struct ec_arg_group *g;

    call->cmd = cmd;
    call->opts = ec_arena_alloc(&call->arena, cmd->opts_size);
    EC_PASS(ec_allocated(call->opts, err));
    for (g = cmd->groups; g->fields; g++)
        EC_PASS(ec_fields_default(g->fields, (char *)call->opts + g->offset, &call->arena, err));
    p.positional = ec_span_of(cmd->positional);
    return parse_words(&p);
}

void ec_call_clear(struct ec_call *call)
{
    ec_buf_clear(&call->out);
    ec_arena_clear(&call->arena);
}
