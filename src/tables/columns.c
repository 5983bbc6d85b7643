/* The meaning of columns by their names: names.txt has a row for each quantity, with the names that
 * people give it. Case, blanks, '-' and '_' do not matter; "images/s" is images_per_s. All code
 * that searches a column in a user's table uses this file. */
#include "tables/mapping_internal.h"

#include <string.h>

#include "table_names.h"

/* clang-format off */
#define UNIT(name_, text_, size_, measure_) { name_, text_, size_, EC_MEASURE_##measure_ },
#define UNITS(list) { list(UNIT) { .name = NULL } }
const struct ec_unit ec__time_units[] = UNITS(TIME_UNITS);
const struct ec_unit ec__byte_units[] = UNITS(BYTE_UNITS);
static const struct ec_unit rate_units[] = UNITS(RATE_UNITS), other_units[] = UNITS(OTHER_UNITS),
                            things[] = UNITS(NAMED_UNITS);

#define COLUMN(quantity_, units_, size_, words_, names_)                                           \
    { EC_Q_##quantity_, names_, units_, size_, words_ },
const struct ec_column ec_columns[] = { COLUMNS(COLUMN) };
#define TEXT(text_) text_,
static const char *const folders[] = { FOLDERS(TEXT) };
/* clang-format on */

const int ec_n_columns = EC_LEN(ec_columns);

#define NAME_MAX_BYTES 64

/* "Step time (ms)" -> "step_time_ms", "images/s" -> "images_per_s". False: too long, or empty. */
static bool normalise(const char *name, char out[NAME_MAX_BYTES])
{
    size_t n = 0;
    bool gap = false;

    for (; *name; name++) {
        bool upper = *name >= 'A' && *name <= 'Z', slash = *name == '/';
        char c = upper ? (char)(*name - 'A' + 'a') : *name;
        bool word = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');

        if (n + 8 > NAME_MAX_BYTES)
            return false;
        if (slash && n) {
            memcpy(out + n, "_per", 4);
            n += 4;
        }
        if (word && gap && n)
            out[n++] = '_';
        if (word)
            out[n++] = c;
        gap = !word;
    }
    out[n] = '\0';
    return n > 0;
}

/* The part of a name behind the word; NULL if the name does not begin with the word. loose: '_' is
 * ignored. */
static const char *behind(const char *name, struct ec_span word, bool loose)
{
    size_t i;

    for (i = 0; i < word.len; i++) {
        if (loose && word.p[i] == '_')
            continue;
        while (loose && *name == '_')
            name++;
        if (*name != word.p[i])
            return NULL;
        name++;
    }
    while (loose && *name == '_')
        name++;
    return name;
}

/* Whether the name is the alias followed by the unit, which may be empty. */
static bool spelt(const char *name, struct ec_span alias, const char *unit, bool loose)
{
    const char *rest = behind(name, alias, loose);

    if (!rest || !*unit)
        return rest && !*rest;
    if (!loose && *rest++ != '_')
        return false;
    rest = behind(rest, ec_span_of(unit), loose);
    return rest && !*rest;
}

enum ec_speed_kind ec__column_rate(enum ec_quantity q)
{
    return q == EC_Q_RATE         ? EC_SPEED_SAMPLES
           : q == EC_Q_STEP_RATE  ? EC_SPEED_STEPS
           : q == EC_Q_TOKEN_RATE ? EC_SPEED_TOKENS
                                  : EC_SPEED_TIME;
}

static bool alias_of(const struct ec_column *c, const char *name, struct ec_span alias, bool loose,
                     struct ec_meaning *ret)
{
    const struct ec_unit *u;

    ret->quantity = c->quantity;
    ret->size = c->size;
    ret->unit = c->quantity == EC_Q_EPOCH_TIME ? "s" : ec__column_rate(c->quantity) ? "1/s" : "";
    if (spelt(name, alias, "", loose))
        return true;
    for (u = c->units; u && u->name; u++)
        if ((!loose || u->name[1]) && spelt(name, alias, u->name, loose)) {
            ret->size = u->size;
            ret->unit = u->text;
            return true;
        }
    return false;
}

/* "params.batch_size", "train/step_time": what trackers put in front. */
static const char *without_folders(const char *name)
{
    int i;

    for (i = 0; i < EC_LEN(folders); i++)
        if (!strncasecmp(name, folders[i], strlen(folders[i]))) {
            name += strlen(folders[i]);
            i = -1;
        }
    return name;
}

/* '_' can change the meaning, so the exact form is tried first: epoch_s is a time, epochs is a
 * number of epochs. A unit of one letter needs its '_': "times" is not a time in seconds. */
struct ec_meaning ec_column_meaning(const char *name)
{
    struct ec_meaning m = { .quantity = EC_Q_NONE, .unit = "" };
    char text[NAME_MAX_BYTES];
    int i, loose;

    if (!normalise(without_folders(name), text))
        return m;
    for (loose = 0; loose < 2; loose++)
        for (i = 0; i < ec_n_columns; i++) {
            struct ec_span rest = ec_span_of(ec_columns[i].names), alias;

            while (rest.p && ec_span_cut(&rest, ' ', &alias))
                if (alias_of(&ec_columns[i], text, alias, loose != 0, &m)) {
                    m.rank = i;
                    return m;
                }
        }
    return (struct ec_meaning){ .quantity = EC_Q_NONE, .unit = "" };
}

int ec_column_of(const struct ec_csv *csv, enum ec_quantity q)
{
    int i, best = -1, rank = 0;

    for (i = 0; i < csv->n_cols; i++) {
        struct ec_meaning m = ec_column_meaning(csv->names[i]);

        if (m.quantity == q && (best < 0 || m.rank < rank)) {
            best = i;
            rank = m.rank;
        }
    }
    return best;
}

const char *ec_column_words(enum ec_quantity q)
{
    int i;

    for (i = 0; i < ec_n_columns; i++)
        if (ec_columns[i].quantity == q && ec_columns[i].words)
            return ec_columns[i].words;
    return NULL;
}

bool ec_column_holds_numbers(enum ec_quantity q)
{
    return q != EC_Q_NONE && q != EC_Q_MODEL && q != EC_Q_DEVICE && q != EC_Q_ENV &&
           q != EC_Q_RUN && q != EC_Q_FRAMEWORK_VERSION && !ec_column_words(q);
}

const char *ec_column_word(enum ec_quantity q, const char *cell)
{
    const char *words = ec_column_words(q);

    return words ? ec__word(ec__words_find(NULL, ec_span_of(words)), cell) : NULL;
}

bool ec__cell_is_out_of_memory(const char *cell)
{
    return ec_str_eq(ec_column_word(EC_Q_OUTCOME, cell), EC_OUT_OF_MEMORY);
}

/* The longest unit of the list that the name ends in, if longer than *best. The b of rows_b is not
 * a unit. */
static void find_unit(const char *name, const struct ec_unit *list, const struct ec_unit **best)
{
    size_t len = *best ? strlen((*best)->name) : 0, n = strlen(name);
    bool is_thing = list == things;

    for (; list->name; list++) {
        size_t m = strlen(list->name);
        bool apart = is_thing || (n > m && name[n - m - 1] == '_');

        if (m > len && apart && ec_str_ends(name, list->name) && !ec_str_eq(list->name, "b")) {
            *best = list;
            len = m;
        }
    }
}

const struct ec_unit *ec_unit_of(const char *name, bool *ret_apart)
{
    const struct ec_unit *found = NULL, *thing;

    find_unit(name, ec__time_units, &found);
    find_unit(name, ec__byte_units, &found);
    find_unit(name, rate_units, &found);
    find_unit(name, other_units, &found);
    thing = found;
    find_unit(name, things, &thing);
    *ret_apart = thing == found;
    return thing;
}

/* The unit at the end of any name: "images_per_s", "stall_ms". */
const char *ec_column_unit(const char *name, double *ret_seconds)
{
    struct ec_meaning m = ec_column_meaning(name);
    bool is_time = m.quantity == EC_Q_STEP_TIME || m.quantity == EC_Q_EPOCH_TIME, apart;
    const struct ec_unit *u;
    char text[NAME_MAX_BYTES];

    *ret_seconds = is_time ? m.size / 1e9 : 0;
    if (m.quantity == EC_Q_RATE)
        return ec_str_glob("im*", name) ? "images/s" : "samples/s";
    if (m.quantity == EC_Q_STEP_RATE || m.quantity == EC_Q_TOKEN_RATE)
        return m.quantity == EC_Q_STEP_RATE ? "steps/s" : "tokens/s";
    if (*m.unit)
        return m.unit;
    u = normalise(name, text) ? ec_unit_of(text, &apart) : NULL;
    if (u && u->measure == EC_MEASURE_TIME)
        *ret_seconds = u->size / 1e9;
    return u && *u->text ? u->text : NULL;
}

int ec_column_like(const struct ec_csv *csv, const char *name)
{
    int i, col = ec_csv_col(csv, name);
    struct ec_meaning want, m;

    if (col >= 0)
        return col;
    want = ec_column_meaning(name);
    for (i = 0; i < csv->n_cols && col < 0 && want.quantity != EC_Q_NONE; i++) {
        m = ec_column_meaning(csv->names[i]);
        if (m.quantity == want.quantity && m.size == want.size)
            col = i;
    }
    return col;
}
