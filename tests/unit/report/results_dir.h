/* A directory of results in the working folder, and the report that is made of it. */
#ifndef TEST_RESULTS_DIR_H
#define TEST_RESULTS_DIR_H

#include "test.h"

#include "report/report.h"

#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

/* DIR: of this program alone; programs run side by side. */
#define OUT DIR "/report"

static inline int drop(const char *path, const struct stat *s, int kind, struct FTW *at)
{
    (void)s;
    (void)kind;
    (void)at;
    return remove(path);
}

static inline void begin(void)
{
    (void)nftw(DIR, drop, 16, FTW_DEPTH | FTW_PHYS);
    CHECK_INT(mkdir(DIR, 0777), 0);
}

static inline void end(void)
{
    CHECK_INT(nftw(DIR, drop, 16, FTW_DEPTH | FTW_PHYS), 0);
}

static inline void put(const char *name, const char *text)
{
    char path[256], folder[256], *slash;
    struct ec_err err;

    (void)snprintf(path, sizeof path, "%s/%s", DIR, name);
    (void)snprintf(folder, sizeof folder, "%s", path);
    slash = strrchr(folder, '/');
    if (slash)
        *slash = '\0';
    (void)mkdir(folder, 0777);
    CHECK_OK(ec_file_write(path, text, strlen(text), &err));
}

struct report {
    struct ec_arena a;
    struct ec_strs notes;
    struct ec_results_done done;
    struct ec_buf markdown, page;
};

static inline void read_file(const char *name, struct ec_buf *ret)
{
    struct ec_file f = { 0 };
    struct ec_err err;
    char path[256];

    (void)snprintf(path, sizeof path, "%s/%s", OUT, name);
    CHECK_OK(ec_file_open(path, 1 << 24, &f, &err));
    ec_buf_add(ret, (const char *)f.data, f.len);
    ec_file_close(&f);
}

static inline void report(const char *title, struct report *ret)
{
    struct ec_results_opts o = { .dir = DIR, .out = OUT, .title = title, .precision = "fp32" };
    struct ec_err err;

    *ret = (struct report){ .markdown = EC_BUF_INIT, .page = EC_BUF_INIT };
    CHECK_OK(ec_results_report(&o, &ret->a, &ret->notes, &ret->done, &err));
    read_file("report.md", &ret->markdown);
    read_file("report.html", &ret->page);
}

static inline void report_clear(struct report *r)
{
    ec_buf_clear(&r->markdown);
    ec_buf_clear(&r->page);
    ec_arena_clear(&r->a);
}

static inline int count(const char *text, const char *part)
{
    int n = 0;

    for (text = strstr(text, part); text; text = strstr(text + 1, part))
        n++;
    return n;
}

/* --- What holds of every report --- */

/* A word by itself, as numbers that are none are printed. */
static inline bool holds_word(const char *text, const char *word)
{
    const char *at;
    size_t len = strlen(word);

    for (at = strstr(text, word); at; at = strstr(at + 1, word))
        if (strchr(" |\n", at[-1]) && strchr(" |\n%", at[len]))
            return true;
    return false;
}

/* Ends of cells in a line of Markdown. */
static inline int cells_in(struct ec_span line)
{
    size_t i;
    int n = 0;

    for (i = 0; i < line.len; i++)
        n += line.p[i] == '|' && (i == 0 || line.p[i - 1] != '\\');
    return n;
}

/* Every row of a table has as many cells as its first one. */
static inline void rows_are_whole(const char *markdown)
{
    struct ec_span rest = ec_span_of(markdown), line;
    int want = 0;

    while (rest.len && ec_span_cut(&rest, '\n', &line)) {
        bool row = line.len && line.p[0] == '|';

        if (row && want && cells_in(line) != want)
            test_fail(__FILE__, __LINE__, "%d cells, want %d: %.*s", cells_in(line), want,
                      (int)line.len, line.p);
        want = !row ? 0 : want ? want : cells_in(line);
    }
}

/* The same of a page: cells of each row against those of its head. */
static inline void page_rows_are_whole(const char *page)
{
    struct ec_span rest = ec_span_of(page), line;
    int want = 0;

    while (rest.len && ec_span_cut(&rest, '\n', &line)) {
        char *copy;
        int n;

        if (line.len < 4 || (memcmp(line.p, "<tr>", 4) != 0 && memcmp(line.p, "<div", 4) != 0 &&
                             memcmp(line.p, "<the", 4) != 0))
            continue;
        copy = ec_alloc(line.len + 1);
        memcpy(copy, line.p, line.len);
        want = strstr(copy, "<thead>") ? count(copy, "</th>") : want;
        n = count(copy, "</td>");
        if (n && n != want)
            test_fail(__FILE__, __LINE__, "%d cells, want %d: %s", n, want, copy);
        ec_free(copy);
    }
}

/* A tag of somebody else, as text of Markdown that is neither escaped nor of a command. */
static inline void no_tag_is_live(const char *markdown, const char *tag)
{
    struct ec_span rest = ec_span_of(markdown), line;

    while (rest.len && ec_span_cut(&rest, '\n', &line)) {
        size_t i, len = strlen(tag);
        bool code = line.len > 4 && !memcmp(line.p, "    ", 4);
        int ticks = 0;

        for (i = 0; i + len <= line.len && !code; i++) {
            ticks += line.p[i] == '`' && (!i || line.p[i - 1] != '\\');
            if (!memcmp(line.p + i, tag, len) && (!i || line.p[i - 1] != '\\') && ticks % 2 == 0)
                test_fail(__FILE__, __LINE__, "live %s: %.*s", tag, (int)line.len, line.p);
        }
    }
}

static inline void holds_of_every_report(const struct report *r, const char *file, const char *cell)
{
    const char *page = ec_buf_text(&r->page), *markdown = ec_buf_text(&r->markdown);
    int bad = test_bad_checks;

    CHECK(!strstr(page, "<script") && !strchr(page, 0x1b) && !strchr(markdown, 0x1b));
    CHECK(!strstr(markdown, "![x](http"));
    no_tag_is_live(markdown, "<script");
    no_tag_is_live(markdown, "<img");
    CHECK_INT(count(page, "<svg"), r->done.n_figures);
    CHECK_INT(count(page, "</svg>"), r->done.n_figures);
    CHECK_INT(count(page, "<table"), count(page, "</table>"));
    CHECK_INT(count(page, "<h2"), count(markdown, "\n## "));
    if (!strstr(cell, "nan") && !strstr(cell, "inf")) /* which a picture may not say either */
        CHECK(!holds_word(markdown, "nan") && !holds_word(markdown, "inf"));
    CHECK(!strstr(page, "\"nan\"") && !strstr(page, "NaN"));
    rows_are_whole(markdown);
    page_rows_are_whole(page);
    if (test_bad_checks != bad)
        test_fail(__FILE__, __LINE__, "the report was of %s with \"%s\"", file, cell);
}

#endif
