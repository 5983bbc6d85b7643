/* Finds the mapping of a table: built-in mappings and users' own. */
#include "tables/mapping_internal.h"

#include <string.h>

#include "mappings_file.h"

#define WORDS "words" /* the file of words that mappings share */
#define NAME_BYTES 64
#define OWN_MAX_BYTES (1 << 20)

/* All files, each behind a line with a form feed and its name. */
EC_EMBED(mappings, EC_MAPPINGS_FILE);

/* ------------------------------------------------------------------------------------------------
 * What ships */

/* The next file: its name and its text. False at the end. */
static bool next_file(struct ec_span *rest, struct ec_span *ret_name, struct ec_span *ret_text)
{
    while (rest->p && ec_span_cut(rest, '\f', ret_text))
        if (ret_text->len) {
            (void)ec_span_cut(ret_text, '\n', ret_name);
            return true;
        }
    return false;
}

static struct ec_span shipped_text(void)
{
    return (struct ec_span){ ec__mappings_begin, (size_t)(ec__mappings_end - ec__mappings_begin) };
}

static enum ec_status parse_shipped(struct ec_span name, struct ec_span text,
                                    const struct ec_mapping_file *shared, struct ec_arena *a,
                                    struct ec_mapping_file **ret, struct ec_err *err)
{
    const char *key = ec_arena_strn(a, name.p, name.len);
    enum ec_status st =
        key ? ec__map_parse(key, text.p, text.len, shared, false, a, ret, err) : ec_nomem(err);

    if (st)
        ec_err_prefix(err, "%.*s.map: ", (int)name.len, name.p);
    return st;
}

static enum ec_status parse_words(struct ec_arena *a, struct ec_mapping_file **ret,
                                  struct ec_err *err)
{
    struct ec_span rest = shipped_text(), name, text;

    while (next_file(&rest, &name, &text))
        if (ec_span_eq(name, WORDS))
            return parse_shipped(name, text, NULL, a, ret, err);
    return EC_OK;
}

static int count_words(const char *words)
{
    int n = words && *words;

    for (; words && *words; words++)
        n += *words == ' ';
    return n;
}

/* Those that want most columns first, others in the order of files. */
static void sort_mappings(const struct ec_mapping **v, int n)
{
    int i, k;

    for (i = 1; i < n; i++) {
        const struct ec_mapping *l = v[i];

        for (k = i; k > 0 && count_words(v[k - 1]->columns) < count_words(l->columns); k--)
            v[k] = v[k - 1];
        v[k] = l;
    }
}

static enum ec_status list_mappings(struct ec_arena *a, struct ec_mapping_set *m,
                                    struct ec_err *err)
{
    int i, k, n = 0;

    for (i = 0; i < m->n_files; i++)
        n += m->file[i]->n;
    m->section = ec_arena_alloc(a, sizeof *m->section * (size_t)(n + 1));
    EC_PASS(ec_allocated(m->section, err));
    for (i = 0; i < m->n_files; i++)
        for (k = 0; k < m->file[i]->n; k++)
            m->section[m->n++] = m->file[i]->section[k];
    sort_mappings(m->section, m->n);
    return EC_OK;
}

enum ec_status ec__maps_shipped(struct ec_arena *a, struct ec_mapping_set *ret, struct ec_err *err)
{
    struct ec_span rest = shipped_text(), name, text;
    struct ec_mapping_file *shared = NULL, *map = NULL;
    struct ec_mapping_set m = { 0 };
    int n = 0;

    while (next_file(&rest, &name, &text))
        n++;
    m.file = ec_arena_alloc(a, sizeof *m.file * (size_t)(n + 1));
    EC_PASS(ec_allocated(m.file, err));
    EC_PASS(parse_words(a, &shared, err));
    rest = shipped_text();
    while (next_file(&rest, &name, &text)) {
        if (ec_span_eq(name, WORDS))
            continue;
        EC_PASS(parse_shipped(name, text, shared, a, &map, err));
        m.file[m.n_files++] = map;
    }
    EC_PASS(list_mappings(a, &m, err));
    *ret = m;
    return EC_OK;
}

enum ec_status ec_mappings(struct ec_arena *a, struct ec_mapping_info **ret, int *ret_n,
                           struct ec_err *err)
{
    struct ec_mapping_set m = { 0 };
    struct ec_mapping_info *v;
    int i, k, n = 0;

    EC_PASS(ec__maps_shipped(a, &m, err));
    v = ec_arena_alloc(a, sizeof *v * (size_t)(m.n + 1));
    EC_PASS(ec_allocated(v, err));
    for (i = 0; i < m.n_files; i++)
        for (k = 0; k < m.file[i]->n; k++) {
            const struct ec_mapping *l = m.file[i]->section[k];

            v[n++] = (struct ec_mapping_info){
                .name = l->name,
                .file = m.file[i]->name,
                .use = l->instead       ? "refused"
                       : l->for_queries ? "query"
                       : l->by_name     ? "named"
                       : l->stored_only ? "record"
                                        : "predict",
                .columns = l->columns ? l->columns : "",
                .source = l->source,
                .licence = l->licence ? l->licence : "",
                .url = l->url ? l->url : "",
            };
        }
    *ret = v;
    *ret_n = n;
    return EC_OK;
}

/* ------------------------------------------------------------------------------------------------
 * By name */

static enum ec_status fail_name(const struct ec_mapping_set *m, const char *name,
                                struct ec_arena *a, struct ec_err *err)
{
    const char **names = ec_arena_alloc(a, sizeof *names * (size_t)(m->n + m->n_files + 1));
    int i, n = 0;

    EC_PASS(ec_allocated(names, err));
    for (i = 0; i < m->n; i++)
        names[n++] = m->section[i]->name;
    for (i = 0; i < m->n_files; i++)
        if (!ec__section_find(m->file[i], ec_span_of(m->file[i]->name)))
            names[n++] = m->file[i]->name;
    return ec_fail_near(
        err, EC_E_NOT_FOUND, name, names, n,
        "no mapping \"%.60s\": `epochcast data mappings` lists them, a file of your own is "
        "called *.map",
        name);
}

/* A file, and the section that is meant; NULL: whichever the table is of. */
static enum ec_status find_shipped(const char *name, struct ec_arena *a,
                                   const struct ec_mapping_file **ret_map,
                                   const struct ec_mapping **ret_section, struct ec_err *err)
{
    struct ec_mapping_set m = { 0 };
    enum ec_status st = ec__maps_shipped(a, &m, err);
    int i;

    for (i = 0; i < m.n_files && !st; i++) {
        *ret_section = ec__section_find(m.file[i], ec_span_of(name));
        *ret_map = m.file[i];
        if (*ret_section || ec_str_eq(m.file[i]->name, name))
            return EC_OK;
    }
    return st ? st : fail_name(&m, name, a, err);
}

enum ec_status ec_mapping_text(const char *name, struct ec_arena *a, const char **ret,
                               size_t *ret_len, struct ec_err *err)
{
    struct ec_span rest = shipped_text(), file, text;
    const struct ec_mapping *section = NULL;
    const struct ec_mapping_file *map = NULL;

    if (!ec_str_eq(name, WORDS))
        EC_PASS(find_shipped(name, a, &map, &section, err));
    while (next_file(&rest, &file, &text))
        if (ec_span_eq(file, map ? map->name : WORDS)) {
            *ret = text.p;
            *ret_len = text.len;
        }
    return EC_OK;
}

static enum ec_status read_own(const char *path, struct ec_arena *a,
                               const struct ec_mapping_file **ret, struct ec_err *err)
{
    const char *base = ec_path_name(path);
    size_t len = strcspn(base, ".");
    const char *name = ec_arena_strn(a, base, len);
    struct ec_mapping_file *shared = NULL, *map = NULL;
    struct ec_file f = { 0 };
    enum ec_status st;

    EC_PASS(ec_file_open(path, OWN_MAX_BYTES, &f, err));
    st = name ? parse_words(a, &shared, err) : ec_nomem(err);
    if (!st)
        st = ec__map_parse(name, (const char *)f.data, f.len, shared, true, a, &map, err);
    if (st)
        ec_err_prefix(err, "%s: ", path);
    ec_file_close(&f);
    *ret = map;
    return st;
}

static bool is_path(const char *name)
{
    return strchr(name, '/') || ec_str_ends(name, ".map");
}

enum ec_status ec_mapping_check(const char *mapping, struct ec_err *err)
{
    const struct ec_mapping *section = NULL;
    const struct ec_mapping_file *map = NULL;
    struct ec_arena a = { 0 };
    enum ec_status st = EC_OK;

    if (mapping)
        st = is_path(mapping) ? read_own(mapping, &a, &map, err)
                              : find_shipped(mapping, &a, &map, &section, err);
    ec_arena_clear(&a);
    return st;
}

/* The first column that a section wants and the table lacks; what is optional is left out. */
static struct ec_span lacking(const struct ec_mapping *l, const struct ec_csv *csv)
{
    struct ec_span rest = ec_span_of(l->columns), word, key;

    while (rest.p && ec_span_cut(&rest, ' ', &word))
        if (word.len && ec__column_find(csv, word, &key) < 0)
            return word;
    return (struct ec_span){ NULL, 0 };
}

/* ------------------------------------------------------------------------------------------------
 * By columns */

/* Layouts to choose from, those that want most columns first. */
struct choice {
    const struct ec_mapping *const *v;
    int n;
};

/* For queries: the first mapping whose columns the table has and by which one of its rows is a
 * query. */
static const struct ec_mapping *choose_judged(struct choice c, const struct ec_csv *csv,
                                              bool *ret_known)
{
    int i, row;

    for (i = 0; i < c.n; i++)
        *ret_known = *ret_known || ec__mapping_recognises(c.v[i], csv);
    for (row = 0; row < csv->n_rows && *ret_known; row++)
        for (i = 0; i < c.n; i++)
            if (ec__mapping_recognises(c.v[i], csv) && ec__mapping_judges(c.v[i], csv, row))
                return c.v[i];
    return NULL;
}

/* For recording: the mapping with most columns that the table has; of equals, the one whose
 * conditions the first row meets. */
static const struct ec_mapping *choose_recorded(struct choice c, const struct ec_csv *csv)
{
    const struct ec_mapping *best = NULL;
    int best_score = -1, i;

    for (i = 0; i < c.n; i++) {
        const struct ec_mapping *l = c.v[i];
        int score = 2 * count_words(l->columns);

        if (l->by_name || score + 1 < best_score || !ec__mapping_has_columns(l, csv))
            continue;
        score += csv->n_rows && ec_conditions_pass(csv, 0, l->rows);
        if (score > best_score) {
            best = l;
            best_score = score;
        }
    }
    return best;
}

/* A table that is known not to be one of measurements. */
static enum ec_status check_form(const struct ec_mapping *l, struct ec_err *err)
{
    return l && l->instead ? ec_fail(err, EC_E_UNSUPPORTED, "%.400s", l->instead) : EC_OK;
}

static enum ec_status fail_judged(const struct ec_csv *csv, const struct ec_mapping *stored,
                                  bool known, struct ec_err *err)
{
    EC_PASS(check_form(stored, err));
    if (known)
        return ec_fail(err, EC_E_NOT_FOUND,
                       "the columns are those of %s, but no row is a finished measurement that can "
                       "be predicted%s%.200s",
                       stored ? stored->name : "a known table",
                       stored && stored->keep ? ": those are with " : "",
                       stored && stored->keep ? stored->keep : "");
    if (stored)
        return ec_fail(
            err, EC_E_NOT_FOUND,
            "a table in the format %s, which `epochcast data import` keeps and which cannot "
            "be compared with predictions: its rows are not single steps of one device of a "
            "network or operator that can be predicted%s",
            stored->name,
            ec__mapping_kind(stored) == EC_KIND_operator
                ? "; `epochcast fit --op NAME --data FILE.csv` fits them"
            : ec__mapping_kind(stored) == EC_KIND_network
                ? "; `epochcast report FILE.csv` shows runs of networks"
                : "");
    return ec_fail(err, EC_E_NOT_FOUND, "no known table format has these %d columns (%s, %s, ...)",
                   csv->n_cols, csv->n_cols ? csv->names[0] : "",
                   csv->n_cols > 1 ? csv->names[1] : "");
}

enum ec_status ec_mapping_detect(const struct ec_csv *csv, struct ec_arena *a,
                                 const struct ec_mapping **ret, struct ec_err *err)
{
    struct ec_mapping_set m = { 0 };
    const struct ec_mapping *l = ec__mapping_of_export(csv);
    bool known = false;

    if (l) {
        *ret = l;
        return EC_OK;
    }
    EC_PASS(ec__maps_shipped(a, &m, err));
    l = choose_judged((struct choice){ m.section, m.n }, csv, &known);
    if (!l)
        return fail_judged(csv, choose_recorded((struct choice){ m.section, m.n }, csv), known,
                           err);
    *ret = l;
    return EC_OK;
}

enum ec_status ec_mapping_detect_record(const struct ec_csv *csv, struct ec_arena *a,
                                        const struct ec_mapping **ret, struct ec_err *err)
{
    struct ec_mapping_set m = { 0 };
    const struct ec_mapping *l = ec__mapping_of_export(csv);

    if (l) {
        *ret = l;
        return EC_OK;
    }
    EC_PASS(ec__maps_shipped(a, &m, err));
    l = choose_recorded((struct choice){ m.section, m.n }, csv);
    if (!l)
        return ec_fail(err, EC_E_NOT_FOUND,
                       "no known table format has these %d columns (%s, %s, ...); a mapping "
                       "describes one of your own",
                       csv->n_cols, csv->n_cols ? csv->names[0] : "",
                       csv->n_cols > 1 ? csv->names[1] : "");
    *ret = l;
    return check_form(l, err);
}

/* ------------------------------------------------------------------------------------------------
 * A mapping requested by name */

/* Sets values that neither a column nor the mapping gives. The layouts of a user's own mapping are
 * a copy, so they may be changed. */
static enum ec_status fill_own(const struct ec_mapping_file *map,
                               const struct ec_table_given *given, struct ec_arena *a,
                               struct ec_err *err)
{
    const char *batch = NULL;
    int i;

    if (given->batch > 0)
        batch = ec_arena_printf(a, "%lld", (long long)given->batch);
    if (given->batch > 0 && !batch)
        return ec_nomem(err);
    for (i = 0; i < map->n; i++) {
        struct ec_mapping *l = map->section[i];

        l->batch = l->batch ? l->batch : batch;
        l->precision = l->precision ? l->precision : given->precision;
    }
    return EC_OK;
}

/* The device of a table whose mapping does not name it. Sections are parsed anew for each table. */
static enum ec_status fill_device(const struct ec_mapping *l, const struct ec_csv *csv,
                                  const struct ec_table_given *given, struct ec_arena *a,
                                  struct ec_err *err)
{
    const char *device;
    int col = -1, i;

    if (!given || !l->map || ec_csv_col(csv, "device") >= 0)
        return EC_OK;
    device = ec_table_device(csv, given, &col);
    if (col >= 0)
        device = ec_arena_printf(a, "{%s}", csv->names[col]);
    if (col >= 0 && !device)
        return ec_nomem(err);
    for (i = 0; i < l->map->n; i++)
        if (!l->map->section[i]->device)
            l->map->section[i]->device = device;
    return EC_OK;
}

static enum ec_status fail_lacking(const struct ec_mapping_file *map, const struct ec_mapping *l,
                                   const struct ec_csv *csv, struct ec_err *err)
{
    struct ec_span column = lacking(l ? l : map->section[0], csv);

    return ec_fail(err, EC_E_INPUT, "the mapping %s needs a column %.*s that the table lacks",
                   l ? l->name : map->name, (int)(column.len > 60 ? 60 : column.len),
                   column.len ? column.p : "");
}

static enum ec_status choose_section(const struct ec_mapping_file *map, const struct ec_csv *csv,
                                     bool judged, const struct ec_mapping **ret, struct ec_err *err)
{
    const struct ec_mapping *sorted[EC_SECTIONS_MAX];
    const struct ec_mapping *l;
    bool known = false;
    struct choice c = { sorted, map->n };
    int i;

    for (i = 0; i < map->n; i++)
        sorted[i] = map->section[i];
    sort_mappings(sorted, map->n);
    l = choose_recorded(c, csv);
    if (!l)
        return fail_lacking(map, NULL, csv, err);
    if (judged) {
        const struct ec_mapping *stored = l;

        l = choose_judged(c, csv, &known);
        if (!l)
            return fail_judged(csv, stored, known, err);
    }
    *ret = l;
    return EC_OK;
}

/* The table has all columns that a section wants and names. Errors: NOMEM */
static enum ec_status fits(const struct ec_mapping_file *map, const struct ec_mapping *section,
                           const struct ec_csv *csv, bool *ret, struct ec_err *err)
{
    struct ec_reader *reader = NULL;
    enum ec_status st;
    int i;

    *ret = false;
    for (i = 0; i < map->n && !*ret; i++) {
        if ((section && section != map->section[i]) ||
            !ec__mapping_has_columns(map->section[i], csv))
            continue;
        st = ec_reader_new(map->section[i], csv, NULL, &reader, NULL);
        if (st == EC_E_NOMEM)
            return ec_nomem(err);
        *ret = st == EC_OK;
    }
    if (*ret)
        ec_reader_free(reader);
    return EC_OK;
}

/* judged: for queries. NULL: no mapping was requested, or it does not fit */
static enum ec_status named(const struct ec_csv *csv, const struct ec_table_given *given,
                            bool judged, struct ec_arena *a, const struct ec_mapping **ret,
                            struct ec_err *err)
{
    const struct ec_mapping *section = NULL;
    const struct ec_mapping_file *map = NULL;
    bool fit = true;

    *ret = NULL;
    if (!given || !given->mapping)
        return EC_OK;
    if (is_path(given->mapping)) {
        EC_PASS(read_own(given->mapping, a, &map, err));
        EC_PASS(fill_own(map, given, a, err));
    } else {
        EC_PASS(find_shipped(given->mapping, a, &map, &section, err));
    }
    if (given->mapping_if_fits)
        EC_PASS(fits(map, section, csv, &fit, err));
    if (!fit)
        return EC_OK;
    if (!section)
        EC_PASS(choose_section(map, csv, judged, ret, err));
    else if (!ec__mapping_has_columns(section, csv))
        EC_PASS(fail_lacking(map, section, csv, err));
    else if (judged && section->stored_only)
        EC_PASS(fail_judged(csv, section, false, err));
    else
        *ret = section;
    return EC_OK;
}

enum ec_status ec_mapping_of_record(const struct ec_csv *csv, const struct ec_table_given *given,
                                    struct ec_arena *a, const struct ec_mapping **ret,
                                    struct ec_err *err)
{
    struct ec_mapping_set m = { 0 };

    EC_PASS(named(csv, given, false, a, ret, err));
    if (!*ret)
        *ret = ec__mapping_of_export(csv);
    if (!*ret) {
        EC_PASS(ec__maps_shipped(a, &m, err));
        *ret = choose_recorded((struct choice){ m.section, m.n }, csv);
        EC_PASS(check_form(*ret, err));
    }
    return *ret ? fill_device(*ret, csv, given, a, err)
                : ec__mapping_of_header(csv, given, a, ret, err);
}

enum ec_status ec_mapping_of_table(const struct ec_csv *csv, const struct ec_table_given *given,
                                   struct ec_arena *a, const struct ec_mapping **ret,
                                   struct ec_err *err)
{
    const struct ec_mapping *stored;
    struct ec_mapping_set m = { 0 };
    bool known = false;

    EC_PASS(named(csv, given, true, a, ret, err));
    if (!*ret)
        *ret = ec__mapping_of_export(csv);
    if (!*ret) {
        EC_PASS(ec__maps_shipped(a, &m, err));
        stored = choose_recorded((struct choice){ m.section, m.n }, csv);
        *ret = choose_judged((struct choice){ m.section, m.n }, csv, &known);
        if (!*ret && (stored || known))
            EC_PASS(fail_judged(csv, stored, known, err));
    }
    return *ret ? fill_device(*ret, csv, given, a, err)
                : ec__mapping_of_header(csv, given, a, ret, err);
}

const struct ec_mapping *ec_mapping_all(const struct ec_mapping *l, const struct ec_csv *csv,
                                        const struct ec_table_given *given)
{
    const struct ec_mapping *all;
    char name[100];

    (void)ec_snprintf(name, sizeof name, "%s-all", l->name);
    all = given->mapping || !l->map ? NULL : ec__section_find(l->map, ec_span_of(name));
    return all && ec__mapping_has_columns(all, csv) ? all : l;
}

const char *ec_mapping_name(const struct ec_mapping *l)
{
    return l->name;
}

const char *ec_mapping_source(const struct ec_mapping *l)
{
    return l->source;
}

bool ec_mapping_needs_device(const struct ec_mapping *l)
{
    return !l->device && (l->times[0].column || l->memory);
}

const char *ec_mapping_licence(const struct ec_mapping *l)
{
    return l->licence ? l->licence : "";
}

const char *ec_mapping_run_column(const struct ec_mapping *l)
{
    return l->samples ? "run" : NULL;
}

const char *ec_mapping_url(const struct ec_mapping *l)
{
    return l->url ? l->url : "";
}

bool ec_mapping_is_own(const struct ec_mapping *l)
{
    return l->plain || (l->map && l->map->is_own);
}

bool ec_mapping_tells_runs(const struct ec_mapping *l)
{
    return l->of_iteration != NULL;
}

bool ec_mapping_is_operator(const struct ec_mapping *l)
{
    return ec__mapping_kind(l) == EC_KIND_operator;
}

bool ec_mapping_is_network(const struct ec_mapping *l)
{
    return l->is_network;
}
