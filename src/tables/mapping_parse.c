/* Parses mappings, lines `key = value` that say what the columns of a table mean
 * (docs/mappings.md). */
#include "tables/mapping_internal.h"

#include <stdio.h>
#include <string.h>

#include "mapping_keys.h"

#define MAPPING_MAX_BYTES ((size_t)64 << 10)
#define WORDS_MAX 512 /* entries of a list */

enum value_kind { VALUE_TEXT, VALUE_COLUMN, VALUE_CONDITIONS, VALUE_FLAG };

struct key {
    const char *name;
    size_t offset; /* in struct ec_mapping: of a const char *, or of a bool */
    enum value_kind kind;
    const char *word; /* VALUE_FLAG: the one that may stand there */
};

/* clang-format off */
static const struct key keys[] = {
#define KEY(name, member, kind, word)                                                              \
    { name, offsetof(struct ec_mapping, member), VALUE_##kind, word },
    MAPPING_KEYS(KEY)
#undef KEY
};

/* Readings: <name>_<unit> = {column}. */
static const struct {
    const char *name;
    int phase;
} times[] = {
    { "time", EC_L_WHOLE }, { "forward", EC_L_FWD }, { "grad_data", EC_L_GRAD_DATA },
    { "grad_weight", EC_L_GRAD_WEIGHT }, { "epoch", EC_L_WHOLE },
};
/* Beside the units of columns. */
static const struct ec_unit more_units[] = {
    { .name = "minutes", .size = 60e9 }, { .name = "tflop_per_s" }, { .name = NULL },
};
/* clang-format on */

/* One part of a mapping: the lines before the first section, or a section. */
struct mapping {
    struct ec_mapping_file *map;
    struct ec_mapping common, *l; /* l: what lines belong to */
    bool given[EC_LEN(keys)];     /* in this part */
    bool has_times, has_memory;
    struct ec_words *words; /* a list whose entries follow; NULL: none */
    int n_words_room;
    struct ec_arena *a;
    int line;
    struct ec_err *err;
};

static enum ec_status fail_line(const struct mapping *m, const char *why, struct ec_span what)
{
    return ec_fail(m->err, EC_E_PARSE, "line %d: %s \"%.*s\"", m->line, why,
                   (int)(what.len > 60 ? 60 : what.len), what.len ? what.p : "");
}

static enum ec_status keep_text(const struct mapping *m, struct ec_span value, const char **ret)
{
    *ret = ec_arena_strn(m->a, value.p ? value.p : "", value.len);
    return *ret ? EC_OK : ec_nomem(m->err);
}

/* "{time}" -> "time" */
static enum ec_status take_column(const struct mapping *m, struct ec_span value, const char **ret)
{
    struct ec_span name = { value.p + 1, value.len - 2 };

    if (value.len < 3 || value.p[0] != '{' || value.p[value.len - 1] != '}' ||
        memchr(name.p, '{', name.len) || memchr(name.p, '}', name.len))
        return fail_line(m, "one {column} is expected, found", value);
    return keep_text(m, name, ret);
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

/* ------------------------------------------------------------------------------------------------
 * Words: "from -> to", "one | other -> to", or words that stay as they are */

static enum ec_status add_word(struct mapping *m, struct ec_span from, struct ec_span to)
{
    struct ec_words *w = m->words;
    struct ec_word_pair *v = (struct ec_word_pair *)w->v;
    enum ec_status st;

    if (w->n == WORDS_MAX)
        return fail_line(m, "more words than a list holds, at", from);
    if (w->n == m->n_words_room) {
        m->n_words_room = m->n_words_room ? 2 * m->n_words_room : 8;
        v = ec_arena_alloc(m->a, sizeof *v * (size_t)m->n_words_room);
        EC_PASS(ec_allocated(v, m->err));
        if (w->n)
            memcpy(v, w->v, sizeof *v * (size_t)w->n);
        w->v = v;
    }
    st = keep_text(m, ec_span_trim(from), &v[w->n].from);
    if (!st)
        st = keep_text(m, ec_span_trim(to), &v[w->n].to);
    w->n += st == EC_OK;
    return st;
}

static enum ec_status parse_words(struct mapping *m, struct ec_span line)
{
    const char *arrow = memmem(line.p, line.len, "->", 2);
    struct ec_span from = line, to = { NULL, 0 }, one;

    if (arrow) {
        from.len = (size_t)(arrow - line.p);
        to = (struct ec_span){ arrow + 2, line.len - from.len - 2 };
        if (!ec_span_trim(to).len || !balanced(to))
            return fail_line(m, "`word -> ours` is expected, found", line);
        if (!from.len)
            return add_word(m, from, to);
    }
    while (from.p && ec_span_cut(&from, arrow ? '|' : ' ', &one))
        if (arrow || one.len)
            EC_PASS(add_word(m, one, arrow ? to : one));
    return EC_OK;
}

static bool is_name(struct ec_span s)
{
    size_t i;

    for (i = 0; i < s.len; i++)
        if (!((s.p[i] >= 'a' && s.p[i] <= 'z') || (s.p[i] >= 'A' && s.p[i] <= 'Z') ||
              (s.p[i] >= '0' && s.p[i] <= '9') || (s.p[i] && strchr("_-.", s.p[i]))))
            return false;
    return s.len > 0 && s.len < 64;
}

static enum ec_status begin_words(struct mapping *m, struct ec_span name, struct ec_span value)
{
    struct ec_words *w;

    if (m->map->n)
        return fail_line(m, "words stand before the first section, found", name);
    if (!is_name(name))
        return fail_line(m, "a list of words is named by letters, digits, `_` and `-`, found",
                         name);
    w = ec_arena_alloc(m->a, sizeof *w);
    EC_PASS(ec_allocated(w, m->err));
    EC_PASS(keep_text(m, name, &w->name));
    w->is_loose = ec_str_starts(w->name, "any_");
    w->next = m->map->words;
    m->map->words = m->words = w;
    m->n_words_room = 0;
    return value.len ? parse_words(m, value) : EC_OK;
}

/* {column:words}: there is such a list. */
static enum ec_status check_lists(const struct mapping *m, struct ec_span value)
{
    struct ec_span rest = value, part, body, list, name;

    while (rest.len && ec_span_cut(&rest, '}', &part)) {
        const char *open = part.len ? memchr(part.p, '{', part.len) : NULL;

        if (!open)
            continue;
        body = list = (struct ec_span){ open + 1, (size_t)(part.p + part.len - open - 1) };
        if (!body.len || !memchr(body.p, ':', body.len))
            continue;
        (void)ec_span_cut(&list, ':', &name);
        if (list.len && list.p[list.len - 1] == '?')
            list.len--;
        body = list;
        if (list.len && memchr(list.p, '|', list.len))
            (void)ec_span_cut(&body, '|', &list);
        if (!ec__words_find(m->map, list))
            return fail_line(m, "no words stand above that are called", list);
    }
    return EC_OK;
}

/* ------------------------------------------------------------------------------------------------
 * Keys */

static enum ec_status check_conditions(const struct mapping *m, struct ec_span value)
{
    struct ec_span word;

    while (value.p && ec_span_cut(&value, ' ', &word))
        if (word.len && (*word.p == '=' || !memchr(word.p, '=', word.len)))
            return fail_line(m, "`column=value` or `column!=value` is expected, found", word);
    return EC_OK;
}

static enum ec_status set_key(struct mapping *m, const struct key *k, struct ec_span name,
                              struct ec_span value)
{
    char *at = (char *)m->l + k->offset;
    const char *text = NULL;
    enum ec_status st = EC_OK;

    if (m->given[k - keys])
        return fail_line(m, "given twice:", name);
    m->given[k - keys] = true;
    if (k->kind == VALUE_FLAG) {
        *(bool *)at = true;
        return ec_span_eq(value, k->word)
                   ? EC_OK
                   : ec_fail(m->err, EC_E_PARSE, "line %d: %s = %s is expected, found \"%.*s\"",
                             m->line, k->name, k->word, (int)(value.len > 60 ? 60 : value.len),
                             value.len ? value.p : "");
    }
    if (k->kind == VALUE_COLUMN)
        st = take_column(m, value, &text);
    else if (k->kind == VALUE_CONDITIONS)
        st = check_conditions(m, value);
    else if (!balanced(value))
        st = fail_line(m, "braces do not close in", value);
    else
        st = check_lists(m, value);
    if (!st && !text)
        st = keep_text(m, value, &text);
    if (!st)
        memcpy(at, &text, sizeof text);
    return st;
}

/* ------------------------------------------------------------------------------------------------
 * Readings: a column and words about it */

static enum ec_status keep_list(const struct mapping *m, struct ec_span value, char sep,
                                const char **ret)
{
    char *text = ec_arena_strn(m->a, value.p ? value.p : "", value.len), *c;

    for (c = text; c && *c; c++)
        *c = *c == sep ? ' ' : *c;
    *ret = text;
    return text ? EC_OK : ec_nomem(m->err);
}

/* What a column may hold, a bit each. */
enum { TIME = 1, EPOCH = 2, RATE = 4, ARITHMETIC = 8, MEMORY = 16, ANY_TIME = 15 };

/* Words behind a reading, and the readings that they say something of. */
static const struct {
    const char *word;
    unsigned of;
    const char *meaning;
} reading_words[] = {
    {"recorded",  ANY_TIME | MEMORY, "recorded" },
    { "mode",     ANY_TIME,          "mode="    },
    { "flags",    ANY_TIME,          "flags="   },
    { "steps",    TIME,              "steps="   },
    { "samples",  EPOCH,             "samples=" },
    { "of",       ARITHMETIC,        "of="      },
    { "share_of", ARITHMETIC,        "share_of="},
};

static enum ec_status no_such_word(const struct mapping *m, unsigned reading, struct ec_span word)
{
    struct ec_buf may = EC_BUF_INIT;
    enum ec_status st;
    int i, n = 0;

    for (i = 0; i < EC_LEN(reading_words); i++)
        if (reading_words[i].of & reading)
            ec_buf_printf(&may, "%s`%s`", n++ ? ", " : "", reading_words[i].meaning);
    ec_buf_str(&may, n > 1 ? " are what may stand here, found" : " may stand here, found");
    st = ec_buf_status(&may, m->err);
    if (!st)
        st = fail_line(m, ec_buf_text(&may), word);
    ec_buf_clear(&may);
    return st;
}

static enum ec_status set_word(const struct mapping *m, unsigned reading, struct ec_mapping_time *t,
                               struct ec_span word)
{
    struct ec_span value = word, name;
    double v = 0;
    int i;

    (void)ec_span_cut(&value, '=', &name);
    for (i = 0; i < EC_LEN(reading_words); i++)
        if (ec_span_eq(name, reading_words[i].word) && !(reading_words[i].of & reading))
            return no_such_word(m, reading, word);
    if (ec_span_eq(word, "recorded")) {
        t->stored_only = true;
        return EC_OK;
    }
    if (ec_span_eq(name, "mode") && value.len)
        return keep_text(m, value, &t->mode);
    if (ec_span_eq(name, "flags") && value.len)
        return keep_list(m, value, '+', &t->flags);
    if (ec_span_eq(name, "of") && value.len)
        return keep_list(m, value, '*', &t->multiply_adds);
    if (ec_span_eq(name, "share_of") && value.len)
        return keep_text(m, value, &t->peak_tflops);
    if (ec_span_eq(name, "steps") && ec_parse_double(value, &v) && v >= 1) {
        t->unit_ns /= v;
        return EC_OK;
    }
    if (ec_span_eq(name, "samples") && ec_parse_double(value, &v) && v >= 1) {
        t->epoch_samples = v;
        return EC_OK;
    }
    return no_such_word(m, reading, word);
}

/* "{column} word word" */
static enum ec_status set_words(const struct mapping *m, unsigned reading, struct ec_span value,
                                struct ec_mapping_time *t)
{
    const char *close = value.len ? memchr(value.p, '}', value.len) : NULL;
    struct ec_span column = value, word;

    if (!value.len)
        return fail_line(m, "one {column} is expected, found", value);
    if (close)
        column.len = (size_t)(close - value.p) + 1;
    value.p += column.len;
    value.len -= column.len;
    if (value.len && *value.p != ' ')
        return fail_line(m, "one {column} is expected, found", column);
    EC_PASS(take_column(m, column, &t->column));
    while (value.len && ec_span_cut(&value, ' ', &word))
        if (word.len)
            EC_PASS(set_word(m, reading, t, word));
    return EC_OK;
}

/* The readings of a section stand in place of those that it begins with. */
static enum ec_status next_time(struct mapping *m, struct ec_span name,
                                struct ec_mapping_time **ret)
{
    int i = 0;

    if (!m->has_times)
        memset(m->l->times, 0, sizeof m->l->times);
    m->has_times = true;
    while (i < EC_MAPPING_TIMES_MAX && m->l->times[i].column)
        i++;
    if (i == EC_MAPPING_TIMES_MAX)
        return fail_line(m, "more than four times:", name);
    *ret = &m->l->times[i];
    return EC_OK;
}

static enum ec_status set_time(struct mapping *m, int time, double unit_ns, struct ec_span name,
                               struct ec_span value)
{
    bool epoch = ec_str_eq(times[time].name, "epoch");
    struct ec_mapping_time *t = NULL;

    EC_PASS(next_time(m, name, &t));
    *t = (struct ec_mapping_time){ .phase = times[time].phase,
                                   .unit_ns = unit_ns,
                                   .epoch_samples = epoch ? -1 : 0 };
    EC_PASS(set_words(m, epoch ? EPOCH : unit_ns > 0 ? TIME : ARITHMETIC, value, t));
    if ((unit_ns > 0) == (t->multiply_adds != NULL))
        return fail_line(m,
                         "a rate, and nothing else, has `of=`, the columns whose product are the "
                         "multiply-adds; found",
                         value);
    return EC_OK;
}

static enum ec_status set_rate(struct mapping *m, struct ec_span name, struct ec_span value)
{
    struct ec_mapping_time *t = NULL;

    EC_PASS(next_time(m, name, &t));
    *t = (struct ec_mapping_time){ .phase = EC_L_WHOLE, .rate = EC_SPEED_SAMPLES };
    return set_words(m, RATE, value, t);
}

/* MB and GB are taken for MiB and GiB, as in all tables, unless `decimal` says that they are not.
 */
static enum ec_status set_memory(struct mapping *m, const struct ec_unit *unit, struct ec_span name,
                                 struct ec_span value)
{
    static const char decimal[] = " decimal";
    size_t n = sizeof decimal - 1;
    bool is_decimal = value.len > n && !memcmp(value.p + value.len - n, decimal, n);
    struct ec_mapping_time t = { 0 };
    enum ec_status st;

    if (m->has_memory)
        return fail_line(m, "a second memory:", name);
    m->has_memory = true;
    value.len -= is_decimal ? n : 0;
    st = set_words(m, MEMORY, value, &t);
    m->l->memory = t.column;
    m->l->memory_read = t.stored_only ? NULL : t.column;
    m->l->memory_unit_bytes = unit->size;
    if (is_decimal && ec_str_eq(unit->name, "gb"))
        m->l->memory_unit_bytes = 1e9;
    else if (is_decimal && ec_str_eq(unit->name, "mb"))
        m->l->memory_unit_bytes = 1e6;
    else if (is_decimal && !st)
        st = fail_line(m, "`decimal` is of MB and GB, found at", name);
    return st;
}

/* The unit that a key has behind its first word and '_'. */
static const struct ec_unit *unit_of(const char *first, struct ec_span name,
                                     const struct ec_unit *units)
{
    size_t n = strlen(first);
    struct ec_span unit;

    if (name.len < n + 2 || memcmp(name.p, first, n) != 0 || name.p[n] != '_')
        return NULL;
    unit = (struct ec_span){ name.p + n + 1, name.len - n - 1 };
    for (; units->name; units++)
        if (ec_span_eq(unit, units->name))
            return units;
    return NULL;
}

/* ret_known: the key is a time or a memory reading. */
static enum ec_status set_reading(struct mapping *m, struct ec_span name, struct ec_span value,
                                  bool *ret_known)
{
    const struct ec_unit *u;
    int i;

    *ret_known = true;
    for (i = 0; i < EC_LEN(times); i++) {
        u = unit_of(times[i].name, name, ec__time_units);
        u = u ? u : unit_of(times[i].name, name, more_units);
        if (u)
            return set_time(m, i, u->size, name, value);
    }
    u = unit_of("memory", name, ec__byte_units);
    if (u)
        return set_memory(m, u, name, value);
    *ret_known = ec_span_eq(name, "samples_per_s");
    return *ret_known ? set_rate(m, name, value) : EC_OK;
}

static enum ec_status fail_key(const struct mapping *m, struct ec_span name)
{
    const char *names[EC_LEN(keys) + 1] = { "samples_per_s" };
    char word[64];
    int i;

    for (i = 0; i < EC_LEN(keys); i++)
        names[i + 1] = keys[i].name;
    (void)snprintf(word, sizeof word, "%.*s", (int)(name.len > 60 ? 60 : name.len), name.p);
    return ec_fail_near(m->err, EC_E_PARSE, word, names, EC_LEN(names), "line %d: no key \"%s\"",
                        m->line, word);
}

static enum ec_status set_use(struct mapping *m, struct ec_span value)
{
    m->l->stored_only = ec_span_eq(value, "record");
    m->l->for_queries = ec_span_eq(value, "query");
    m->l->by_name = m->l->for_queries || ec_span_eq(value, "named");
    return m->l->stored_only || m->l->by_name
               ? EC_OK
               : fail_line(m, "use = record, query or named is expected, found", value);
}

static enum ec_status parse_key(struct mapping *m, struct ec_span line)
{
    struct ec_span value = line, name;
    bool known = false;
    enum ec_status st;
    int i;

    if (!memchr(line.p, '=', line.len))
        return fail_line(m, "`key = value` is expected, found", line);
    (void)ec_span_cut(&value, '=', &name);
    name = ec_span_trim(name);
    value = ec_span_trim(value);
    if (!name.len)
        return fail_line(m, "no key stands in", line);
    if (name.len > 6 && !memcmp(name.p, "words ", 6))
        return begin_words(m, ec_span_trim((struct ec_span){ name.p + 6, name.len - 6 }), value);
    if (ec_span_eq(name, "use"))
        return set_use(m, value);
    for (i = 0; i < EC_LEN(keys); i++)
        if (ec_span_eq(name, keys[i].name))
            return set_key(m, &keys[i], name, value);
    st = set_reading(m, name, value, &known);
    return st || known ? st : fail_key(m, name);
}

/* ------------------------------------------------------------------------------------------------
 * Sections */

static enum ec_status fail_kind(const struct mapping *m, const struct ec_mapping *l)
{
    struct ec_buf list = EC_BUF_INIT;
    enum ec_status st;
    int i;

    for (i = 0; ec_kind_names[i]; i++)
        ec_buf_printf(&list, "%s%s", i ? ", " : "", ec_kind_names[i]);
    st = ec_fail(m->err, EC_E_PARSE, "kind is \"%.40s\", expected one of %s", l->kind,
                 ec_buf_text(&list));
    ec_buf_clear(&list);
    return st;
}

/* Checks a complete section. */
static enum ec_status check_section(const struct mapping *m, struct ec_mapping *l)
{
    bool needs_size = false, describes = l->stored_only;
    int i;

    if (l->instead) {
        l->source = l->source ? l->source : l->name;
        l->stored_only = true;
        return EC_OK;
    }
    for (i = 0; i < EC_MAPPING_TIMES_MAX; i++)
        needs_size = needs_size || l->times[i].epoch_samples < 0;
    if (!l->what || !*l->what)
        return ec_fail(m->err, EC_E_PARSE,
                       "the mapping has no line `what = ...`: the case or "
                       "network that a row measures");
    if (!l->times[0].column && !l->memory && !l->outcome && !l->samples && !describes)
        return ec_fail(m->err, EC_E_PARSE,
                       "the mapping has no reading: time_ms, forward_ms, memory_mib ...");
    if (l->iteration && !l->times[0].column)
        return ec_fail(m->err, EC_E_PARSE,
                       "the mapping has iterations and no time of them: time_ms, time_s ...");
    if (needs_size && !l->dataset_size)
        return ec_fail(m->err, EC_E_PARSE,
                       "the time of an epoch needs `samples=N` behind its column, or "
                       "`dataset_size = {column}`");
    if (l->kind && ec_name_index(ec_kind_names, EC_KIND_COUNT, l->kind) < 0)
        return fail_kind(m, l);
    l->source = l->source ? l->source : "table described by a mapping file";
    if (l->kind && ec_str_eq(l->kind, "network")) {
        l->is_network = true;
        l->kind = NULL; /* the default of rows of networks */
    }
    return EC_OK;
}

static enum ec_status end_section(struct mapping *m)
{
    enum ec_status st = m->l == &m->common ? EC_OK : check_section(m, m->l);

    if (st && m->err)
        ec_err_prefix(m->err, "line %d, section %s: ", m->line, m->l->name);
    return st;
}

const struct ec_mapping *ec__section_find(const struct ec_mapping_file *map, struct ec_span name)
{
    int i;

    for (i = 0; i < map->n; i++)
        if (ec_span_eq(name, map->section[i]->name))
            return map->section[i];
    return NULL;
}

static enum ec_status add_section(struct mapping *m, struct ec_span name,
                                  const struct ec_mapping *like)
{
    struct ec_mapping *l = ec_arena_copy(m->a, like, sizeof *like);

    EC_PASS(ec_allocated(l, m->err));
    if (m->map->n == EC_SECTIONS_MAX)
        return fail_line(m, "more sections than a mapping holds, at", name);
    EC_PASS(keep_text(m, name, &l->name));
    l->map = m->map;
    m->map->section[m->map->n++] = m->l = l;
    memset(m->given, 0, sizeof m->given);
    m->has_times = m->has_memory = false;
    return EC_OK;
}

/* "[name]", or "[name : other]" for a section that begins as another is. */
static enum ec_status parse_section(struct mapping *m, struct ec_span line)
{
    struct ec_span other = { line.p + 1, line.len - 1 }, name;
    const struct ec_mapping *like = &m->common;

    EC_PASS(end_section(m));
    if (line.p[line.len - 1] != ']')
        return fail_line(m, "`[name]` is expected, found", line);
    other.len--;
    if (memchr(other.p, ':', other.len)) {
        (void)ec_span_cut(&other, ':', &name);
        other = ec_span_trim(other);
        like = ec__section_find(m->map, other);
        if (!like)
            return fail_line(m, "no section stands above that is called", other);
    } else {
        name = other;
    }
    name = ec_span_trim(name);
    if (!is_name(name))
        return fail_line(m, "a section is named by letters, digits, `_`, `-` and `.`, found", name);
    if (ec__section_find(m->map, name))
        return fail_line(m, "a section of this name stands above:", name);
    return add_section(m, name, like);
}

/* ------------------------------------------------------------------------------------------------
 * Lines: one that begins with a blank goes on with the one before */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static enum ec_status parse_line(struct mapping *m, struct ec_span line)
{
    m->words = NULL;
    return *line.p == '[' ? parse_section(m, line) : parse_key(m, line);
}

/* A line that is being gathered, and where in the file it began. */
struct gathered {
    struct ec_buf text;
    int line;
};

static enum ec_status end_line(struct mapping *m, struct gathered *g)
{
    enum ec_status st = EC_OK;

    m->line = g->line;
    if (g->text.len)
        st = parse_line(m, ec_span_of(ec_buf_text(&g->text)));
    ec_buf_reset(&g->text);
    return st;
}

/* Lists of words take their lines one by one, all else as one line. */
static enum ec_status take_line(struct mapping *m, struct gathered *g, int at, struct ec_span line)
{
    struct ec_span text = ec_span_trim(line);

    if (is_blank(*line.p) && m->words) {
        m->line = at;
        return parse_words(m, text);
    }
    if (is_blank(*line.p) && g->text.len) {
        ec_buf_char(&g->text, ' ');
    } else {
        EC_PASS(end_line(m, g));
        m->words = NULL;
        g->line = at;
    }
    ec_buf_add(&g->text, text.p, text.len);
    EC_PASS(ec_buf_status(&g->text, m->err));
    if (ec_str_starts(ec_buf_text(&g->text), "words "))
        EC_PASS(end_line(m, g));
    return EC_OK;
}

static enum ec_status parse_lines(struct mapping *m, struct ec_span rest)
{
    struct gathered g = { .text = EC_BUF_INIT };
    struct ec_span line, text;
    enum ec_status st = EC_OK;
    int at = 0;

    while (rest.p && ec_span_cut(&rest, '\n', &line)) {
        at++;
        text = ec_span_trim(line);
        if (text.len && *text.p != '#')
            EC_TRY(take_line(m, &g, at, line));
    }
    EC_TRY(end_line(m, &g));
    m->line = at;
out:
    ec_buf_clear(&g.text);
    return st;
}

/* Without sections the mapping is one. */
static enum ec_status end(struct mapping *m, bool is_own)
{
    if (m->map->n)
        return end_section(m);
    if (!is_own && !m->common.what) /* a file of words, for the others */
        return EC_OK;
    EC_PASS(add_section(m, ec_span_of(m->map->name), &m->common));
    return check_section(m, m->l);
}

static enum ec_status check_shared(const struct ec_mapping_file *map, struct ec_err *err)
{
    int i, k, n;

    for (i = 0; i < map->n; i++) {
        for (k = n = 0; k < map->n; k++)
            n += ec__mappings_share(map->section[k], map->section[i]);
        if (n > EC_PLANS_MAX)
            return ec_fail(err, EC_E_PARSE, "%d sections have the same columns as %s, at most %d",
                           n, map->section[i]->name, EC_PLANS_MAX);
    }
    return EC_OK;
}

enum ec_status ec__map_parse(const char *name, const char *text, size_t len,
                             const struct ec_mapping_file *shared, bool is_own, struct ec_arena *a,
                             struct ec_mapping_file **ret, struct ec_err *err)
{
    struct mapping m = { .a = a, .err = err };

    if (len > MAPPING_MAX_BYTES)
        return ec_fail(err, EC_E_INPUT, "%zu bytes are too many for a mapping, at most %zu", len,
                       MAPPING_MAX_BYTES);
    if (len && memchr(text, '\0', len))
        return ec_fail(err, EC_E_PARSE, "a NUL byte stands in the text: not a mapping");
    m.map = ec_arena_alloc(a, sizeof *m.map);
    EC_PASS(ec_allocated(m.map, err));
    m.map->name = name;
    m.map->is_own = is_own;
    m.map->shared = shared;
    m.l = &m.common;
    EC_PASS(parse_lines(&m, (struct ec_span){ text, len }));
    EC_PASS(end(&m, is_own));
    EC_PASS(check_shared(m.map, err));
    *ret = m.map;
    return EC_OK;
}
