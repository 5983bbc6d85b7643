/* Translation of words in cells: by the lists of a mapping, and by the lists for all tables. */
#include "tables/mapping_internal.h"

#include "table_names.h"

/* clang-format off */
#define PAIR(from_, to_) { from_, to_ },
#define LIST(name_, rows_, condition_) static const struct ec_word_pair name_[] = { rows_(PAIR) };
WORD_LISTS(LIST)

#define WORDS(name_, rows_, condition_)                                                            \
    { .name = #name_, .v = name_, .n = EC_LEN(name_), .is_loose = true, .condition = condition_ },
static const struct ec_words built_in[] = { WORD_LISTS(WORDS) };
/* clang-format on */

const struct ec_words *ec__words_find(const struct ec_mapping_file *m, struct ec_span name)
{
    const struct ec_words *w;
    int i;

    for (; m; m = m->shared)
        for (w = m->words; w; w = w->next)
            if (ec_span_eq(name, w->name))
                return w;
    for (i = 0; i < EC_LEN(built_in); i++)
        if (ec_span_eq(name, built_in[i].name))
            return &built_in[i];
    return NULL;
}

static const char *own_word(const char *condition, const char *word)
{
    const struct ec_field *f = ec_field_find(ec_condition_fields, ec_span_of(condition));
    int at = ec_field_index(f, ec_span_of(word));

    return at < 0 ? NULL : f->choices[at];
}

const char *ec__word(const struct ec_words *w, const char *from)
{
    char folded[40]; /* a longer word matches none of ours */
    int i;

    if (!w)
        return NULL;
    if (w->is_loose)
        ec_str_letters(from, folded, sizeof folded);
    for (i = 0; i < w->n; i++)
        if (w->is_loose ? ec_str_glob(w->v[i].from, folded) : ec_str_eq(w->v[i].from, from))
            return w->v[i].to;
    return w->condition ? own_word(w->condition, from) : NULL;
}

void ec__words_print(const struct ec_words *w, struct ec_buf *out)
{
    int i, k;

    for (i = 0; i < w->n; i++) {
        for (k = 0; k < i && !ec_str_eq(w->v[k].to, w->v[i].to); k++)
            continue;
        if (k == i)
            ec_buf_printf(out, "%s%s", out->len ? ", " : "", *w->v[i].to ? w->v[i].to : "none");
    }
}
