/* Which rows of a table a mapping takes. */
#include "tables/mapping_internal.h"

/* absent: what a column that is not there says */
static bool passes(const struct ec_csv *csv, int row, const char *conditions, bool absent)
{
    struct ec_span rest = ec_span_of(conditions), word, name;

    while (rest.p && ec_span_cut(&rest, ' ', &word)) {
        struct ec_span key;
        const char *cell;
        char room[64];
        bool negated, same;
        int col;

        if (!word.len)
            continue;
        (void)ec_span_cut(&word, '=', &name);
        negated = name.len && name.p[name.len - 1] == '!';
        name.len -= negated ? 1 : 0;
        col = ec__column_find(csv, name, &key);
        if (col < 0 && absent)
            continue;
        if (col < 0)
            return false;
        cell = ec__cell(csv, row, name, room, sizeof room);
        same = ec_span_eq(word, cell) || ec_is_among(cell, word, '|');
        if (same == negated)
            return false;
    }
    return true;
}

bool ec_conditions_pass(const struct ec_csv *csv, int row, const char *conditions)
{
    return passes(csv, row, conditions, true);
}

bool ec__mapping_holds(const struct ec_csv *csv, int row, const char *conditions)
{
    return conditions && *conditions && passes(csv, row, conditions, false);
}

bool ec__mapping_has_columns(const struct ec_mapping *l, const struct ec_csv *csv)
{
    struct ec_span rest = ec_span_of(l->columns), word, key;

    while (rest.p && ec_span_cut(&rest, ' ', &word))
        if (word.len && ec__column_find(csv, word, &key) < 0)
            return false;
    return true;
}

/* The row is a query that the predictor answers. */
bool ec__mapping_judges(const struct ec_mapping *l, const struct ec_csv *csv, int row)
{
    return !l->stored_only && ec_conditions_pass(csv, row, l->rows) &&
           ec_conditions_pass(csv, row, l->keep) && !ec__mapping_holds(csv, row, l->except);
}

bool ec__mapping_recognises(const struct ec_mapping *l, const struct ec_csv *csv)
{
    return (!l->by_name || l->for_queries) && !l->stored_only && ec__mapping_has_columns(l, csv);
}

bool ec__mappings_share(const struct ec_mapping *a, const struct ec_mapping *b)
{
    return !a->by_name && ec_str_eq(a->columns ? a->columns : "", b->columns ? b->columns : "");
}

enum ec_kind ec__mapping_kind(const struct ec_mapping *l)
{
    int i = l->kind ? ec_name_index(ec_kind_names, EC_KIND_COUNT, l->kind) : -1;

    if (i >= 0)
        return (enum ec_kind)i;
    return l->is_network ? EC_KIND_network : EC_KIND_operator;
}
