/* Every value of every option of EC_TESTED: each spelling that is taken, and each that is refused
 * by a sentence that names the option, what was found and what was expected. */
#ifndef TEST_VALUES_H
#define TEST_VALUES_H

#include "options.h"

#define VALUE_BYTES 512

static bool ends_with(const char *text, const char *end)
{
    return strlen(text) >= strlen(end) && ec_str_eq(text + strlen(text) - strlen(end), end);
}

/* --- Refusals --- */

/* FLAG: found "TEXT", expected ... */
static void refused_in_order(const struct row *r, const char *text)
{
    char flag[EC_FLAG_BYTES], want[EC_FLAG_BYTES + VALUE_BYTES];
    struct ec_call call;
    struct ec_err err;

    (void)ec_flag_text(r->f->name, flag, sizeof flag);
    (void)snprintf(want, sizeof want, "%s: found \"%s\", ", flag, text);
    if (parse_value(r, text, &call, &err) != EC_E_INPUT)
        COMPLAIN(r, "takes \"%s\"", text);
    else if (!ec_str_starts(err.text, want) || !strstr(err.text + strlen(want) - 1, " expected "))
        COMPLAIN(r, "refuses \"%s\" with \"%s\"", text, err.text);
    else if (!call.wrong_usage || ec_call_given(&call, r->f->name))
        COMPLAIN(r, "\"%s\" is noted as given", text);
    else if (strlen(err.text) + 1 >= EC_ERR_MAX_BYTES || ends_with(err.text, "."))
        COMPLAIN(r, "the sentence is cut, or has a full stop: \"%s\"", err.text);
    ec_call_clear(&call);
}

static void refuses_all(const struct row *r, const char *const *texts, int n)
{
    int i;

    for (i = 0; i < n; i++)
        refused_in_order(r, texts[i]);
}

static void refuses_what_is_no_value(const struct row *r)
{
    static const char *const no_int[] = {
        "1e3", "",   " ",     "1.5", "0x10", /* 1e3: no amount */
        "one", "--", "1,000", "1 2", "- 1",  "nan", "12a", "1_0", "1e-3", "9223372036854775808"
    };
    static const char *const no_double[] = { "1,5",   "",     " ",
                                             "nan",   "inf",  "-inf", /* 1,5: two shares */
                                             "1e999", "0x10", "1 2",
                                             "1.2.",  "ten",  "1e" };
    bool share = r->f->max == 1;
    static const char *const no_bool[] = { "", " ", "2", "-1", "maybe", "on", "yess", "tru" };
    static const char *const no_ints[] = {
        "3xx3", "3,,3", "3.5x2", "x", ",", "3x3x", "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17"
    };
    static const char *const no_choice[] = { "", " ", "none-of-these", "0", "-1", "1.5", "?" };

    switch (r->f->type) {
    case EC_F_INT:
        refuses_all(r, no_int + r->f->is_amount, EC_LEN(no_int) - r->f->is_amount);
        break;
    case EC_F_DOUBLE:
        refuses_all(r, no_double + share, EC_LEN(no_double) - share);
        break;
    case EC_F_BOOL:
        refuses_all(r, no_bool, EC_LEN(no_bool));
        break;
    case EC_F_INTS:
        refuses_all(r, no_ints, EC_LEN(no_ints));
        break;
    case EC_F_ENUM:
        refuses_all(r, no_choice, EC_LEN(no_choice));
        break;
    default:
        break;
    }
}

TEST(what_is_no_value_is_refused_in_one_form)
{
    (void)each_option(refuses_what_is_no_value);
}

static bool takes_words(const struct ec_field *f)
{
    return f->choices && (f->type == EC_F_ENUM || f->type == EC_F_STR || f->type == EC_F_STRS);
}

/* All that may be chosen, in their order, and behind them only the hint of the option. */
static void refusal_lists_the_choices(const struct row *r)
{
    struct ec_buf want = EC_BUF_INIT;
    struct ec_call call;
    struct ec_err err;
    int i, n = 0;

    if (!takes_words(r->f))
        return;
    ec_buf_str(&want, "expected one of");
    for (i = 0; r->f->choices[i]; i++)
        if (ec_field_may_be(r->f, i))
            ec_buf_printf(&want, "%s %s", n++ ? "," : "", r->f->choices[i]);
    if (r->f->hint)
        ec_buf_printf(&want, "; %s", r->f->hint);
    if (parse_value(r, "none-of-these", &call, &err) != EC_E_INPUT)
        COMPLAIN(r, "takes none-of-these");
    else if (!ends_with(err.text, ec_buf_text(&want)))
        COMPLAIN(r, "ends not with \"%s\": \"%s\"", ec_buf_text(&want), err.text);
    ec_call_clear(&call);
    ec_buf_clear(&want);
}

TEST(a_refusal_lists_what_is_possible)
{
    (void)each_option(refusal_lists_the_choices);
}

/* A word with a letter more or less, or of two choices, is none of them. */
static void nearly_a_choice(const struct row *r)
{
    char text[VALUE_BYTES];
    const char *word;
    size_t len;
    int i;

    if (r->f->type != EC_F_ENUM)
        return;
    for (i = 0; r->f->choices[i]; i++) {
        word = r->f->choices[i];
        len = strlen(word);
        (void)snprintf(text, sizeof text, "%sx", word);
        if (ec_field_index(r->f, ec_span_of(text)) < 0)
            refused_in_order(r, text);
        (void)snprintf(text, sizeof text, "%.*s", (int)len - 1, word);
        if (ec_field_index(r->f, ec_span_of(text)) < 0)
            refused_in_order(r, text);
        (void)snprintf(text, sizeof text, "%s,%s", word, r->f->choices[0]);
        if (r->group->fields != r->cmd->lists)
            refused_in_order(r, text);
        (void)snprintf(text, sizeof text, " %s", word);
        refused_in_order(r, text);
    }
}

TEST(nearly_a_choice_is_none)
{
    (void)each_option(nearly_a_choice);
}

/* Of what is very long the head is repeated, and what was expected still stands behind it. */
static void long_values_are_cut(const struct row *r)
{
    char text[VALUE_BYTES - EC_FLAG_BYTES], head[128], flag[EC_FLAG_BYTES];
    struct ec_call call;
    struct ec_err err;

    if (r->f->type == EC_F_STR || r->f->type == EC_F_STRS || r->f->type == EC_F_INTS)
        return;
    memset(text, 'z', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    (void)snprintf(head, sizeof head, "%s: found \"%.80s\", expected ",
                   ec_flag_text(r->f->name, flag, sizeof flag), text);
    if (parse_value(r, text, &call, &err) != EC_E_INPUT || !ec_str_starts(err.text, head))
        COMPLAIN(r, "a long word is refused with \"%s\"", err.text);
    ec_call_clear(&call);
}

TEST(a_long_value_leaves_room_for_what_was_expected)
{
    (void)each_option(long_values_are_cut);
}

/* --- Ranges --- */

static void range_names_its_ends(const struct row *r)
{
    char text[EC_FMT_DOUBLE_BYTES], want[160];
    struct ec_call call;
    struct ec_err err;

    if (!is_number(r->f) || !(r->f->max > r->f->min) || r->f->max > 1e15)
        return;
    (void)ec_snprintf(want, sizeof want, "expected %.15g to %.15g%s%s", r->f->min, r->f->max,
                      r->f->unit ? " " : "", r->f->unit ? r->f->unit : "");
    if (parse_value(r, plain(r->f->max + 1, text), &call, &err) != EC_E_INPUT)
        COMPLAIN(r, "takes %s", text);
    else if (!ends_with(err.text, want))
        COMPLAIN(r, "\"%s\" ends not with \"%s\"", err.text, want);
    ec_call_clear(&call);
}

/* The ends belong to the range, the next number beyond does not. */
static void ends_belong_to_the_range(const struct row *r)
{
    char text[EC_FMT_DOUBLE_BYTES];
    struct ec_call call;
    struct ec_err err;
    double v;

    if (r->f->type != EC_F_DOUBLE || !(r->f->max > r->f->min))
        return;
    if (parse_value(r, ec_fmt_double(text, sizeof text, r->f->min), &call, &err))
        COMPLAIN(r, "refuses its least value: %s", err.text);
    else if (memcpy(&v, (const char *)object(r, &call) + r->f->offset, sizeof v), v != r->f->min)
        COMPLAIN(r, "%s is read as %.17g", text, v);
    ec_call_clear(&call);
    refused_in_order(r, ec_fmt_double(text, sizeof text, nextafter(r->f->max, HUGE_VAL)));
    refused_in_order(r, ec_fmt_double(text, sizeof text, nextafter(r->f->min, -HUGE_VAL)));
}

TEST(ranges_hold_to_the_last_digit)
{
    (void)each_option(range_names_its_ends);
    (void)each_option(ends_belong_to_the_range);
}

/* --- Spellings --- */

static void swap_case(char *text)
{
    for (; *text; text++)
        if (*text >= 'a' && *text <= 'z')
            *text = (char)(*text - 'a' + 'A');
        else if (*text >= 'A' && *text <= 'Z')
            *text = (char)(*text - 'A' + 'a');
}

static void swap_dashes(char *text)
{
    for (; *text; text++)
        *text = (char)(*text == '-' ? '_' : *text == '_' ? '-' : *text);
}

/* Whether the value is choice i: the number of an enum, else the word as the table has it. */
static bool is_choice(const struct row *r, const struct ec_call *call, int i)
{
    const void *at = (const char *)object(r, call) + r->f->offset;
    const struct ec_strs *list = at;
    const char *text;

    if (r->f->type == EC_F_ENUM)
        return *(const int *)at == i;
    if (r->f->type == EC_F_STRS)
        return list->n > 0 && ec_str_eq(list->v[list->n - 1], r->f->choices[i]);
    memcpy(&text, at, sizeof text);
    return ec_str_eq(text, r->f->choices[i]);
}

static void takes_the_spelling(const struct row *r, const char *text, int i)
{
    struct ec_call call;
    struct ec_err err;

    if (parse_value(r, text, &call, &err))
        COMPLAIN(r, "refuses %s: %s", text, err.text);
    else if (!is_choice(r, &call, i))
        COMPLAIN(r, "%s is not %s", text, r->f->choices[i]);
    ec_call_clear(&call);
}

static void spellings_are_taken(const struct row *r)
{
    char text[VALUE_BYTES];
    struct ec_span rest, word;
    int i;

    if (!takes_words(r->f))
        return;
    for (i = 0; r->f->choices[i]; i++) {
        if (!ec_field_may_be(r->f, i))
            continue;
        (void)snprintf(text, sizeof text, "%s", r->f->choices[i]);
        takes_the_spelling(r, text, i);
        swap_case(text);
        takes_the_spelling(r, text, i);
        swap_dashes(text);
        takes_the_spelling(r, text, i);
        swap_case(text);
        takes_the_spelling(r, text, i);
        rest = ec_span_of(r->f->also ? r->f->also[i] : NULL);
        while (rest.p && ec_span_cut(&rest, ' ', &word)) {
            (void)snprintf(text, sizeof text, "%.*s", (int)word.len, word.p);
            takes_the_spelling(r, text, i);
        }
    }
}

/* A spelling that is read beside a choice names no other one. */
static void no_spelling_means_two(const struct row *r)
{
    struct ec_span rest, word;
    int i;

    for (i = 0; takes_words(r->f) && r->f->choices[i]; i++) {
        if (ec_field_index(r->f, ec_span_of(r->f->choices[i])) != i)
            COMPLAIN(r, "%s is an earlier choice", r->f->choices[i]);
        rest = ec_span_of(r->f->also ? r->f->also[i] : NULL);
        while (rest.p && ec_span_cut(&rest, ' ', &word))
            if (ec_field_index(r->f, word) != i)
                COMPLAIN(r, "%.*s is not %s", (int)word.len, word.p, r->f->choices[i]);
    }
}

TEST(choices_are_read_in_any_spelling)
{
    (void)each_option(spellings_are_taken);
    (void)each_option(no_spelling_means_two);
}

/* Some value that the option takes; NULL: a file that would be written. */
static const char *some_value(const struct row *r, char *out, size_t size)
{
    int i = 0;

    if (writes(r->cmd, r->f->name))
        return NULL;
    if (takes_words(r->f)) {
        while (!ec_field_may_be(r->f, i))
            i++;
        return r->f->choices[i];
    }
    if (is_number(r->f)) {
        (void)ec_snprintf(out, size, "%.0f", ceil(r->f->min));
        return out;
    }
    return r->f->type == EC_F_BOOL ? "1" : r->f->type == EC_F_INTS ? "3x3" : "a=b, c";
}

static void printed(const struct row *r, const struct ec_call *call, struct ec_buf *out)
{
    ec_buf_reset(out);
    ec_field_print(r->f, object(r, call), out);
}

/* FLAG=TEXT, FLAG TEXT, and the flag with '_' for '-' are one; what is printed is read again. */
static void ways_are_one(const struct row *r)
{
    char flag[EC_FLAG_BYTES], word[VALUE_BYTES], number[32];
    struct ec_buf one = EC_BUF_INIT, other = EC_BUF_INIT;
    const char *text = some_value(r, number, sizeof number);
    struct ec_call call;
    struct ec_err err;

    if (!text || r->f->type == EC_F_BOOL)
        return;
    if (parse_value(r, text, &call, &err))
        COMPLAIN(r, "%s", err.text);
    printed(r, &call, &one);
    ec_call_clear(&call);
    if (parse(r->cmd, ec_flag_text(r->f->name, flag, sizeof flag), text, &call, &err))
        COMPLAIN(r, "with a blank: %s", err.text);
    printed(r, &call, &other);
    CHECK_STR(ec_buf_text(&other), ec_buf_text(&one));
    ec_call_clear(&call);
    (void)snprintf(word, sizeof word, "--%s=%s", r->f->name, ec_buf_text(&one));
    if (parse(r->cmd, word, NULL, &call, &err))
        COMPLAIN(r, "as it is printed: %s", err.text);
    printed(r, &call, &other);
    CHECK_STR(ec_buf_text(&other), ec_buf_text(&one));
    ec_call_clear(&call);
    ec_buf_clear(&one);
    ec_buf_clear(&other);
}

TEST(ways_to_write_a_value_are_one)
{
    (void)each_option(ways_are_one);
}

/* What is text is kept as it stands: blanks, signs, letters of any language. */
static void text_is_kept(const struct row *r)
{
    static const char *const texts[] = { "a b", " x ", "a=b=c", "'q'", "\xc3\xa4\xe2\x82\xac", "" };
    struct ec_call call;
    struct ec_err err;
    const char *v;
    int i;

    if (r->f->type != EC_F_STR || r->f->choices || writes(r->cmd, r->f->name))
        return;
    for (i = 0; i < EC_LEN(texts); i++) {
        if (parse_value(r, texts[i], &call, &err)) {
            COMPLAIN(r, "refuses \"%s\": %s", texts[i], err.text);
        } else {
            memcpy(&v, (const char *)object(r, &call) + r->f->offset, sizeof v);
            CHECK_STR(v, texts[i]);
        }
        ec_call_clear(&call);
    }
}

TEST(texts_are_kept_as_they_stand)
{
    (void)each_option(text_is_kept);
}

/* --- Twice --- */

static void given_twice(const struct row *r)
{
    char one[VALUE_BYTES], two[VALUE_BYTES], flag[EC_FLAG_BYTES], number[32];
    const char *text = some_value(r, number, sizeof number);
    char *argv[] = { one, two };
    struct ec_call call = { .out = EC_BUF_INIT };
    struct ec_err err = { 0 };
    struct ec_strs list;
    enum ec_status st;

    if (!text || r->f->type == EC_F_BOOL)
        return;
    (void)ec_flag_text(r->f->name, flag, sizeof flag);
    (void)snprintf(one, sizeof one, "%s=%s", flag, text);
    (void)snprintf(two, sizeof two, "%s=%s", flag, text);
    st = ec_args_parse(r->cmd, 2, argv, &call, &err);
    if (r->f->type == EC_F_STRS) {
        memcpy(&list, (const char *)object(r, &call) + r->f->offset, sizeof list);
        if (st || list.n < 2 || !ec_str_eq(list.v[list.n - 2], list.v[list.n - 1]))
            COMPLAIN(r, "may be repeated, and is not: %s", err.text);
    } else if (st != EC_E_INPUT || !ec_str_starts(err.text, flag) ||
               !ends_with(err.text, "is given twice") || !call.wrong_usage) {
        COMPLAIN(r, "twice: \"%s\"", err.text);
    }
    ec_call_clear(&call);
}

TEST(only_lists_are_given_twice)
{
    (void)each_option(given_twice);
}

/* --- What a command has not --- */

/* All commands, with an option of one of them. */
static void belongs_to_its_command(const struct row *r)
{
    char flag[EC_FLAG_BYTES], want[EC_FLAG_BYTES + 64];
    const struct ec_cmd *cmd;
    struct ec_call call;
    struct ec_err err;
    int i;

    (void)ec_flag_text(r->f->name, flag, sizeof flag);
    for (i = 0; (cmd = command_at(i)); i++) {
        if (field_of(cmd, ec_span_of(r->f->name)))
            continue;
        if (parse(cmd, flag, "1", &call, &err) != EC_E_INPUT || !call.wrong_usage)
            COMPLAIN(r, "%s takes it, and has it not", cmd->name);
        (void)snprintf(want, sizeof want, "unknown option %s", flag);
        if (!ec_str_starts(err.text, want)) {
            (void)snprintf(want, sizeof want, "%s belongs to ", flag);
            if (!ec_str_starts(err.text, want) && !ec_str_starts(err.text, "no option --layout"))
                COMPLAIN(r, "%s: \"%s\"", cmd->name, err.text);
        }
        ec_call_clear(&call);
    }
}

TEST(options_belong_to_their_commands)
{
    (void)each_option(belongs_to_its_command);
}

static bool takes_all_words(const struct ec_cmd *cmd)
{
    struct ec_span rest = ec_span_of(cmd->positional), name;

    while (rest.len && ec_span_cut(&rest, ' ', &name))
        if (field_of(cmd, name)->type == EC_F_STRS)
            return true;
    return false;
}

/* One word more than the command has places for. */
TEST(a_word_too_many_is_named)
{
    char words[8][24], *argv[8];
    struct ec_span rest, name;
    const struct ec_cmd *cmd;
    int i, n;

    for (i = 0; (cmd = command_at(i)); i++) {
        struct ec_call call = { .out = EC_BUF_INIT };
        struct ec_err err = { 0 };

        if (takes_all_words(cmd))
            continue;
        rest = ec_span_of(cmd->positional);
        for (n = 0; rest.len && ec_span_cut(&rest, ' ', &name) && n < EC_LEN(words) - 1; n++) {
            (void)snprintf(words[n], sizeof words[n], "%s",
                           takes_words(field_of(cmd, name)) ? field_of(cmd, name)->choices[0]
                                                            : "word");
            argv[n] = words[n];
        }
        (void)snprintf(words[n], sizeof words[n], "too-many");
        argv[n] = words[n];
        CHECK_FAILS(ec_args_parse(cmd, n + 1, argv, &call, &err), EC_E_INPUT,
                    "unexpected argument \"too-many\"");
        CHECK(call.wrong_usage);
        ec_call_clear(&call);
    }
}

/* Help is asked for wherever it stands, as long as what stands before it is right. */
static void help_behind_it(const struct row *r)
{
    char word[VALUE_BYTES], help[] = "--help", flag[EC_FLAG_BYTES], number[32];
    const char *text = some_value(r, number, sizeof number);
    char *argv[] = { word, help };
    struct ec_call call = { .out = EC_BUF_INIT };
    struct ec_err err = { 0 };

    if (!text)
        return;
    (void)snprintf(word, sizeof word, "%s=%s", ec_flag_text(r->f->name, flag, sizeof flag), text);
    if (ec_args_parse(r->cmd, 2, argv, &call, &err) || !call.want_help)
        COMPLAIN(r, "no help behind it: %s", err.text);
    else if (call.given.n != 1)
        COMPLAIN(r, "help is noted as an option");
    ec_call_clear(&call);
}

TEST(help_is_asked_for_anywhere)
{
    (void)each_option(help_behind_it);
}

#endif
