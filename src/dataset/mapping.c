/* Mapping files: a layout of your own, written as lines `key = template`. */
#include "dataset/layout_internal.h"

#include <stdio.h>
#include <string.h>

#define MAPPING_MAX_BYTES ((size_t)64 << 10)

enum value_kind { VALUE_TEXT, VALUE_COLUMN };

struct key {
    const char *name;
    size_t offset; /* of a const char * in struct ec_layout */
    enum value_kind kind;
};

#define AT(member) offsetof(struct ec_layout, member)

/* clang-format off */
static const struct key keys[] = {
    { "source", AT(source), VALUE_TEXT },
    { "licence", AT(licence), VALUE_TEXT },
    { "url", AT(url), VALUE_TEXT },
    { "rows", AT(rows), VALUE_TEXT },
    { "kind", AT(kind), VALUE_TEXT },
    { "what", AT(what), VALUE_TEXT },
    { "family", AT(family), VALUE_TEXT },
    { "device", AT(device), VALUE_TEXT },
    { "device_name", AT(device_name), VALUE_TEXT },
    { "precision", AT(precision), VALUE_TEXT },
    { "memory_format", AT(memory_format), VALUE_TEXT },
    { "optimizer", AT(optimizer), VALUE_TEXT },
    { "framework", AT(framework), VALUE_TEXT },
    { "framework_version", AT(framework_version), VALUE_TEXT },
    { "libraries", AT(libraries), VALUE_TEXT },
    { "mode", AT(mode), VALUE_TEXT },
    { "batch", AT(batch), VALUE_TEXT },
    { "image_px", AT(image_px), VALUE_TEXT },
    { "seq_len", AT(seq_len), VALUE_TEXT },
    { "num_devices", AT(num_devices), VALUE_TEXT },
    { "outcome", AT(outcome), VALUE_TEXT },
    { "flags", AT(flags), VALUE_TEXT },
    { "time_stat", AT(time_stat), VALUE_TEXT },
    { "time_min", AT(min), VALUE_COLUMN },
    { "time_max", AT(max), VALUE_COLUMN },
    { "time_mean", AT(mean), VALUE_COLUMN },
    { "time_std", AT(std), VALUE_COLUMN },
    { "n_samples", AT(n_samples), VALUE_COLUMN },
    { "iteration", AT(iteration), VALUE_COLUMN },
    { "memory_kind", AT(memory_kind), VALUE_TEXT },
};

/* Readings: <name>_<unit> = {column}. */
static const struct {
    const char *name;
    int phase;
} times[] = {
    { "time", EC_L_WHOLE }, { "forward", EC_L_FWD }, { "grad_data", EC_L_GRAD_DATA },
    { "grad_weight", EC_L_GRAD_WEIGHT },
};
static const struct {
    const char *name;
    double ns;
} time_units[] = { { "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 } };
static const struct {
    const char *name;
    double bytes;
} memory_units[] = {
    { "memory_bytes", 1 }, { "memory_mib", 0x1p20 }, { "memory_gib", 0x1p30 },
};
/* clang-format on */

struct mapping {
    struct ec_layout *l;
    struct ec_arena *a;
    int line, n_times;
    struct ec_err *err;
};

static enum ec_status fail_line(const struct mapping *m, const char *why, struct ec_span what)
{
    return ec_fail(m->err, EC_E_PARSE, "line %d: %s \"%.*s\"", m->line, why,
                   (int)(what.len > 60 ? 60 : what.len), what.len ? what.p : "");
}

/* "{time}" -> "time" */
static enum ec_status take_column(const struct mapping *m, struct ec_span value, const char **ret)
{
    struct ec_span name = { value.p + 1, value.len - 2 };

    if (value.len < 3 || value.p[0] != '{' || value.p[value.len - 1] != '}' ||
        memchr(name.p, '{', name.len) || memchr(name.p, '}', name.len))
        return fail_line(m, "one {column} is expected, found", value);
    *ret = ec_arena_strn(m->a, name.p, name.len);
    return *ret ? EC_OK : ec_nomem(m->err);
}

/* Braces open and close in turn. */
static bool balanced(struct ec_span value)
{
    bool open = false;
    size_t i;

    for (i = 0; i < value.len; i++) {
        if (value.p[i] != '{' && value.p[i] != '}')
            continue;
        if (open == (value.p[i] == '{'))
            return false;
        open = !open;
    }
    return !open;
}

static enum ec_status set_key(struct mapping *m, const struct key *k, struct ec_span name,
                              struct ec_span value)
{
    char *at = (char *)m->l + k->offset;
    const char *old, *text = NULL;
    enum ec_status st = EC_OK;

    memcpy(&old, at, sizeof old);
    if (old)
        return fail_line(m, "given twice:", name);
    if (k->kind == VALUE_COLUMN) {
        st = take_column(m, value, &text);
    } else if (!balanced(value)) {
        st = fail_line(m, "braces do not close in", value);
    } else {
        text = ec_arena_strn(m->a, value.p ? value.p : "", value.len);
        st = text ? EC_OK : ec_nomem(m->err);
    }
    if (!st)
        memcpy(at, &text, sizeof text);
    return st;
}

/* ret_known: the key is a time or a memory reading. */
static enum ec_status set_reading(struct mapping *m, struct ec_span name, struct ec_span value,
                                  bool *ret_known)
{
    struct ec_layout_time *t;
    char word[64];
    int i, u;

    *ret_known = true;
    for (i = 0; i < EC_LEN(times); i++)
        for (u = 0; u < EC_LEN(time_units); u++) {
            (void)snprintf(word, sizeof word, "%s_%s", times[i].name, time_units[u].name);
            if (!ec_span_eq(name, word))
                continue;
            if (m->n_times == EC_LAYOUT_TIMES_MAX)
                return fail_line(m, "more than four times:", name);
            t = &m->l->times[m->n_times++];
            t->phase = times[i].phase;
            t->unit_ns = time_units[u].ns;
            return take_column(m, value, &t->column);
        }
    for (u = 0; u < EC_LEN(memory_units); u++)
        if (ec_span_eq(name, memory_units[u].name)) {
            if (m->l->memory)
                return fail_line(m, "a second memory:", name);
            m->l->memory_unit_bytes = memory_units[u].bytes;
            return take_column(m, value, &m->l->memory);
        }
    *ret_known = false;
    return EC_OK;
}

static enum ec_status fail_key(const struct mapping *m, struct ec_span name)
{
    const char *names[EC_LEN(keys)];
    struct ec_buf hint = EC_BUF_INIT;
    char word[64];
    enum ec_status st;
    int i;

    for (i = 0; i < EC_LEN(keys); i++)
        names[i] = keys[i].name;
    (void)snprintf(word, sizeof word, "%.*s", (int)(name.len > 60 ? 60 : name.len), name.p);
    ec_near_hint(&hint, word, names, EC_LEN(keys));
    st = ec_fail(m->err, EC_E_PARSE, "line %d: no key \"%s\"%s", m->line, word, ec_buf_text(&hint));
    ec_buf_clear(&hint);
    return st;
}

static enum ec_status parse_line(struct mapping *m, struct ec_span line)
{
    struct ec_span value = line, name;
    bool known = false;
    enum ec_status st;
    int i;

    if (!memchr(line.p, '=', line.len))
        return fail_line(m, "`key = template` is expected, found", line);
    (void)ec_span_cut(&value, '=', &name);
    name = ec_span_trim(name);
    value = ec_span_trim(value);
    if (!name.len)
        return fail_line(m, "no key stands in", line);
    for (i = 0; i < EC_LEN(keys); i++)
        if (ec_span_eq(name, keys[i].name))
            return set_key(m, &keys[i], name, value);
    st = set_reading(m, name, value, &known);
    return st || known ? st : fail_key(m, name);
}

static enum ec_status check_kind(const struct mapping *m)
{
    const char *kind = m->l->kind;
    struct ec_buf list = EC_BUF_INIT;
    enum ec_status st;
    int i;

    for (i = 0; ec_record_kinds[i]; i++)
        if (!kind || ec_str_eq(kind, ec_record_kinds[i]))
            return EC_OK;
    for (i = 0; ec_record_kinds[i]; i++)
        ec_buf_printf(&list, "%s%s", i ? ", " : "", ec_record_kinds[i]);
    st = ec_fail(m->err, EC_E_PARSE, "kind is \"%.40s\", expected one of %s", kind,
                 ec_buf_text(&list));
    ec_buf_clear(&list);
    return st;
}

static enum ec_status check_whole(const struct mapping *m)
{
    if (!m->l->what || !*m->l->what)
        return ec_fail(m->err, EC_E_PARSE,
                       "the mapping has no line `what = ...`: the case or "
                       "network that a row measures");
    if (!m->n_times && !m->l->memory && !m->l->outcome)
        return ec_fail(m->err, EC_E_PARSE,
                       "the mapping has no reading: time_ms, forward_ms, memory_mib ...");
    if (m->l->iteration && !m->n_times)
        return ec_fail(m->err, EC_E_PARSE,
                       "the mapping has iterations and no time of them: time_ms, time_s ...");
    return check_kind(m);
}

enum ec_status ec_layout_parse(const char *text, size_t len, struct ec_arena *a,
                               const struct ec_layout **ret, struct ec_err *err)
{
    struct mapping m = { .a = a, .err = err };
    struct ec_span rest = { text, len }, line;
    enum ec_status st = EC_OK;

    if (len > MAPPING_MAX_BYTES)
        return ec_fail(err, EC_E_INPUT, "%zu bytes are too many for a mapping, at most %zu", len,
                       MAPPING_MAX_BYTES);
    if (len && memchr(text, '\0', len))
        return ec_fail(err, EC_E_PARSE, "a NUL byte stands in the text: not a mapping");
    m.l = ec_arena_alloc(a, sizeof *m.l);
    if (!m.l)
        return ec_nomem(err);
    m.l->name = "mapping";
    while (!st && rest.p && ec_span_cut(&rest, '\n', &line)) {
        m.line++;
        line = ec_span_trim(line);
        if (line.len && *line.p != '#')
            st = parse_line(&m, line);
    }
    if (!st)
        st = check_whole(&m);
    if (st)
        return st;
    m.l->source = m.l->source ? m.l->source : "table described by a mapping file";
    m.l->is_network = m.l->kind && ec_str_eq(m.l->kind, "network");
    *ret = m.l;
    return EC_OK;
}
