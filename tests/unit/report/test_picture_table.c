/* Every row of the table of pictures: its words are columns, it asks for what it needs and for no
 * more, and what it draws stays in the picture. A picture that is added is tested by its row. */
#include "drawn.h"
#include "test.h"

#include "report/picture_internal.h"
#include "report/report.h"

#define COLUMNS_MAX 32

/* One column of a recipe's lists. */
struct word {
    struct ec_span all; /* "model|network?:name" without what follows ':' */
    bool optional, number;
};
struct words {
    struct word v[COLUMNS_MAX];
    int n;
};

static void add_list(const char *list, bool number, struct words *ret)
{
    struct ec_span rest = ec_span_of(list ? list : ""), word, name;

    while (rest.len && ec_span_cut(&rest, ',', &word) && ret->n < COLUMNS_MAX) {
        struct word *w = &ret->v[ret->n++];

        (void)ec_span_cut(&word, ':', &name);
        *w = (struct word){ .all = name, .number = number };
        w->optional = name.len && name.p[name.len - 1] == '?';
        w->all.len -= w->optional;
    }
}

static void add_words(const struct ec_picture *p, struct words *ret)
{
    add_list(p->x, true, ret);
    add_list(p->y, true, ret);
    add_list(p->group, false, ret);
    add_list(p->label, false, ret);
}

static void words_of(const struct ec_picture *p, struct words *ret)
{
    struct ec_picture panel;
    int i;

    ret->n = 0;
    add_words(p, ret);
    for (i = 0; ec__panel(p, i, &panel); i++)
        add_words(&panel, ret);
}

/* The k-th alternative; the last one where there are fewer. */
static struct ec_span alternative(const struct word *w, int k)
{
    struct ec_span rest = w->all, one = { "", 0 };

    while (k-- >= 0 && rest.len && ec_span_cut(&rest, '|', &one))
        continue;
    return one;
}

static bool has_column(const struct ec_buf *head, struct ec_span name)
{
    struct ec_span rest = { head->data, head->len }, one;

    while (rest.len && ec_span_cut(&rest, ',', &one))
        if (one.len == name.len && !memcmp(one.p, name.p, name.len))
            return true;
    return false;
}

static void add_column(struct ec_buf *head, struct ec_buf *a, struct ec_buf *b, struct ec_span name,
                       bool number)
{
    const char *comma = head->len ? "," : "";

    if (has_column(head, name))
        return;
    ec_buf_printf(head, "%s%.*s", comma, (int)name.len, name.p);
    ec_buf_printf(a, "%s%s", comma, number ? "1.5" : "word");
    ec_buf_printf(b, "%s%s", comma, number ? "3" : "other");
}

/* A table for the recipe: the k-th alternative of each column, without column `without` (-1: none),
 * optional ones where they are asked for; `more` is a column besides. Returns whether it fits. */
struct choice {
    int k, without;
    bool optional;
    const char *more;
};

static void make_table(const struct ec_picture *p, const struct choice *c, struct ec_csv *ret)
{
    struct ec_buf head = EC_BUF_INIT, a = EC_BUF_INIT, b = EC_BUF_INIT;
    struct words w;
    struct ec_err err;
    int i;

    words_of(p, &w);
    for (i = 0; i < w.n; i++)
        if (i != c->without && (c->optional || !w.v[i].optional))
            add_column(&head, &a, &b, alternative(&w.v[i], c->k), w.v[i].number);
    if (c->more)
        add_column(&head, &a, &b, ec_span_of(c->more), true);
    if (p->form == EC_PICTURE_ROOFLINE) {
        add_column(&head, &a, &b, ec_span_of("peak_flop_per_s"), true);
        add_column(&head, &a, &b, ec_span_of("memory_bytes_per_s"), true);
    }
    ec_buf_printf(&head, "\n%s\n%s\n", ec_buf_text(&a), ec_buf_text(&b));
    CHECK_OK(ec_csv_parse(ec_buf_text(&head), head.len, ret, &err));
    ec_buf_clear(&head);
    ec_buf_clear(&a);
    ec_buf_clear(&b);
}

static bool fits(const struct ec_picture *p, struct choice c)
{
    struct ec_csv t = { 0 };
    bool ret;

    make_table(p, &c, &t);
    ret = ec_picture_fits(p, &t);
    ec_csv_clear(&t);
    return ret;
}

static void each_recipe(void (*visit)(const struct ec_picture *p))
{
    const struct ec_picture *all;
    int n, i;

    all = ec_pictures(&n);
    CHECK(n > 10);
    for (i = 0; i < n; i++)
        visit(&all[i]);
}

/* --- Rows --- */

static void has_a_name_and_a_meaning(const struct ec_picture *p)
{
    const char *c;

    for (c = p->name; *c; c++)
        if (!((*c >= 'a' && *c <= 'z') || *c == '-'))
            test_fail(__FILE__, __LINE__, "%s: a name of a file with '%c'", p->name, *c);
    if (!p->help || !*p->help || p->help[strlen(p->help) - 1] == '.')
        test_fail(__FILE__, __LINE__, "%s: help is no sentence without its full stop", p->name);
    if (!p->title || p->title[0] < 'A' || p->title[0] > 'Z')
        test_fail(__FILE__, __LINE__, "%s: no title", p->name);
    CHECK(p->panels ? !p->x && !p->y : p->x && *p->x && p->y && *p->y);
    CHECK(!p->has_reference || p->reference_label);
    CHECK(p->percent_bands ? p->form == EC_PICTURE_SCATTER : true);
    CHECK(p->each_environment ? p->environments : true);
}

static void is_found_by_its_name(const struct ec_picture *p)
{
    struct ec_picture found = { 0 };
    struct ec_err err;

    CHECK_OK(ec_picture_find(p->name, &found, &err));
    CHECK(!memcmp(&found, p, sizeof found));
}

TEST(recipes_have_names_and_are_found)
{
    const struct ec_picture *all;
    int n, i, k;

    each_recipe(has_a_name_and_a_meaning);
    each_recipe(is_found_by_its_name);
    all = ec_pictures(&n);
    for (i = 0; i < n; i++)
        for (k = 0; k < i; k++)
            CHECK(strcmp(all[i].name, all[k].name) != 0);
}

TEST(forms_are_pictures_to_be_filled)
{
    static const char *const names[] = {
#define FORM(name, text) text,
        EC_PICTURE_FORM_LIST(FORM)
#undef FORM
    };
    struct ec_picture p;
    struct ec_err err = { 0 };
    int i;

    for (i = 0; i < EC_LEN(names); i++) {
        struct ec_picture recipe = { .form = EC_PICTURE_FORM_COUNT };

        if (ec_str_eq(names[i], "roofline")) /* a recipe of that name goes first */
            continue;
        CHECK_OK(ec_picture_find(names[i], &recipe, &err));
        CHECK_INT(recipe.form, i);
        CHECK_STR(recipe.name, names[i]);
        CHECK(!recipe.x && !recipe.y && !recipe.title);
    }
    CHECK_FAILS(ec_picture_find("roofine", &p, &err), EC_E_INPUT, "did you mean \"roofline\"");
    CHECK_FAILS(ec_picture_find("", &p, &err), EC_E_INPUT, "no picture \"\"");
}

/* --- Columns --- */

static void words_are_columns(const struct ec_picture *p)
{
    struct words w;
    int i, needed = 0;

    words_of(p, &w);
    CHECK(w.n < COLUMNS_MAX);
    for (i = 0; i < w.n; i++) {
        struct ec_span rest = w.v[i].all, one;

        needed += !w.v[i].optional;
        CHECK(rest.len > 0);
        while (rest.len && ec_span_cut(&rest, '|', &one))
            if (!one.len || memchr(one.p, ' ', one.len) || memchr(one.p, '?', one.len))
                test_fail(__FILE__, __LINE__, "%s: \"%.*s\" is no column", p->name, (int)one.len,
                          one.p);
    }
    CHECK(needed >= 2);
}

static void asks_for_what_it_needs(const struct ec_picture *p)
{
    struct words w;
    int i, k;

    words_of(p, &w);
    if (!fits(p, (struct choice){ .without = -1 }))
        test_fail(__FILE__, __LINE__, "%s: asks for a column that may be left out", p->name);
    if (!fits(p, (struct choice){ .without = -1, .optional = true }))
        test_fail(__FILE__, __LINE__, "%s: does not fit all of its columns", p->name);
    for (k = 1; k < 5; k++)
        if (!fits(p, (struct choice){ .without = -1, .k = k, .optional = true }))
            test_fail(__FILE__, __LINE__, "%s: alternative %d does not fit", p->name, k);
    for (i = 0; i < w.n; i++) {
        bool other = false; /* a column of another word that stands in for this one */
        int m;

        for (m = 0; m < w.n; m++) {
            struct ec_span rest = w.v[i].all, one, first = alternative(&w.v[m], 0);

            while (m != i && !w.v[m].optional && rest.len && ec_span_cut(&rest, '|', &one))
                other |= one.len == first.len && !memcmp(one.p, first.p, one.len);
        }
        if (!w.v[i].optional && !other && fits(p, (struct choice){ .without = i }))
            test_fail(__FILE__, __LINE__, "%s: fits without %.*s", p->name, (int)w.v[i].all.len,
                      w.v[i].all.p);
    }
    if (p->unless && fits(p, (struct choice){ .without = -1, .more = p->unless }))
        test_fail(__FILE__, __LINE__, "%s: fits a table with %s", p->name, p->unless);
}

TEST(recipes_ask_for_what_they_need)
{
    each_recipe(words_are_columns);
    each_recipe(asks_for_what_it_needs);
}

/* A picture that cannot be drawn says which column is missing. */
static void names_what_is_missing(const struct ec_picture *p)
{
    struct choice c = { .without = 0 };
    struct ec_drawing d = { 0 };
    struct ec_csv t = { 0 };
    struct ec_err err = { 0 };

    make_table(p, &c, &t);
    if (!ec_picture_fits(p, &t)) {
        if (ec_picture_draw(p, &t, &d, &err) != EC_E_INPUT || !strstr(err.text, "column"))
            test_fail(__FILE__, __LINE__, "%s: %s", p->name, err.text);
        CHECK_INT(d.n, 0);
    }
    ec_drawing_clear(&d);
    ec_csv_clear(&t);
}

TEST(what_is_missing_is_named)
{
    each_recipe(names_what_is_missing);
}

/* --- Drawings --- */

/* Shapes and texts stay inside, but for a hair's breadth of their outlines. */
static void stays_inside(const struct ec_picture *p, const struct ec_drawing *d)
{
    double box[4];
    int i, k;

    CHECK(d->width > 100 && d->height > 100);
    for (i = 0; i < d->n; i++) {
        item_box(&d->items[i], box);
        for (k = 0; k < 4; k++)
            CHECK(isfinite(box[k]));
        if (box[0] < -1 || box[1] < -1 || box[2] > d->width + 1 || box[3] > d->height + 1)
            test_fail(__FILE__, __LINE__, "%s: \"%s\" reaches from %g, %g to %g, %g", p->name,
                      d->items[i].text ? d->items[i].text : "a shape", box[0], box[1], box[2],
                      box[3]);
    }
}

static bool says(const struct ec_drawing *d, const char *text)
{
    int i;

    for (i = 0; i < d->n; i++)
        if (d->items[i].text && strstr(d->items[i].text, text))
            return true;
    return false;
}

static int marks(const struct ec_drawing *d)
{
    int i, n = 0;

    for (i = 0; i < d->n; i++)
        n += d->items[i].role == EC_ROLE_MARK;
    return n;
}

/* The rows as recipes keep them: words of `where` are taken as they are asked for. */
static void drawn(const struct ec_picture *p, struct ec_drawing *ret)
{
    struct choice c = { .without = -1, .optional = true };
    struct ec_csv t = { 0 };
    struct ec_err err = { 0 };

    make_table(p, &c, &t);
    if (ec_picture_draw(p, &t, ret, &err))
        test_fail(__FILE__, __LINE__, "%s: %s", p->name, err.text);
    ec_csv_clear(&t);
}

static void draws_inside_and_alike(const struct ec_picture *p)
{
    struct ec_drawing one = { 0 }, two = { 0 };
    struct ec_buf a = EC_BUF_INIT, b = EC_BUF_INIT;
    struct ec_err err;

    drawn(p, &one);
    drawn(p, &two);
    stays_inside(p, &one);
    CHECK(marks(&one) > 0);
    if (!p->panels && !says(&one, p->title)) /* panels have theirs */
        test_fail(__FILE__, __LINE__, "%s: no title", p->name);
    if (p->has_reference && !says(&one, p->reference_label))
        test_fail(__FILE__, __LINE__, "%s: no %s", p->name, p->reference_label);
    CHECK_OK(ec_drawing_svg(&one, "id", &a, &err));
    CHECK_OK(ec_drawing_svg(&two, "id", &b, &err));
    CHECK_STR(ec_buf_text(&a), ec_buf_text(&b));
    ec_buf_clear(&a);
    ec_buf_clear(&b);
    ec_drawing_clear(&one);
    ec_drawing_clear(&two);
}

TEST(drawings_stay_inside_and_are_the_same_twice)
{
    each_recipe(draws_inside_and_alike);
}

static void asks_for_a_size(const struct ec_picture *p)
{
    struct ec_picture large = *p;
    struct ec_drawing d = { 0 };

    large.width_px = 1200;
    drawn(&large, &d);
    CHECK_NEAR(d.width, 1200, 1e-12);
    stays_inside(&large, &d);
    ec_drawing_clear(&d);
}

TEST(a_width_that_is_asked_for_is_kept)
{
    each_recipe(asks_for_a_size);
}

/* An empty table has nothing to draw, and is no crash. */
static void has_nothing_of_nothing(const struct ec_picture *p)
{
    struct choice c = { .without = -1, .optional = true };
    struct ec_csv t = { 0 }, empty = { 0 };
    struct ec_buf head = EC_BUF_INIT;
    struct ec_drawing d = { 0 };
    struct ec_err err = { 0 };
    int i;

    make_table(p, &c, &t);
    for (i = 0; i < t.n_cols; i++)
        ec_buf_printf(&head, "%s%s", i ? "," : "", t.names[i]);
    ec_buf_char(&head, '\n');
    CHECK_OK(ec_csv_parse(ec_buf_text(&head), head.len, &empty, &err));
    CHECK(ec_picture_fits(p, &empty));
    CHECK_FAILS(ec_picture_draw(p, &empty, &d, &err), EC_E_INPUT, "");
    CHECK(err.text[0]);
    ec_drawing_clear(&d);
    ec_csv_clear(&empty);
    ec_csv_clear(&t);
    ec_buf_clear(&head);
}

TEST(a_table_without_rows)
{
    each_recipe(has_nothing_of_nothing);
}
