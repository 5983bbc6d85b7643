/* A directory of results in the working folder, and the report that is made of it. */
#ifndef TEST_RESULTS_DIR_H
#define TEST_RESULTS_DIR_H

#include "numbers.h"

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

/* A file of measurements: times in nanoseconds, with a blank between. */
#define MEASURED                                                                                   \
    "run,key,measured_utc,kind,what,family,phase,method,outcome,note,batch,image_px,seq_len,"      \
    "precision,layout,execution,optimizer,threads,num_devices,device,device_name,machine,engine,"  \
    "engine_version,framework,cuda,cudnn,driver,onednn,n_warm_up,calls_per_sample,stop,"           \
    "samples_ns,device_samples_ns,memory_peak_bytes,memory_reserved_bytes,held_out,seed,flags,"    \
    "tool,tool_version\n"
#define MEASURED_BY(method, kind, what, samples)                                                   \
    "r,k,2026-11-20T21:04:43Z," kind "," what ",,forward," method ",ok,,,,,fp32,channels-first,"   \
    "eager,none,1,1,t4,T4,m,epochcast,0.1.0,epochcast,,,,,10,1,count," samples                     \
    ",,,,0,1,,epochcast,0.1.0\n"
#define MEASURED_ROW(kind, what, samples) MEASURED_BY("whole", kind, what, samples)

struct report {
    struct ec_arena a;
    struct ec_said said;
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
    ret->said.arena = &ret->a;
    CHECK_OK(ec_results_report(&o, &ret->a, &ret->said, &ret->done, &err));
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

/* --- Tables of a report --- */

static inline void read_table(const char *name, struct ec_csv *ret)
{
    struct ec_buf text = EC_BUF_INIT;
    struct ec_err err;

    *ret = (struct ec_csv){ 0 };
    read_file(name, &text);
    CHECK_OK(ec_csv_parse(ec_buf_text(&text), text.len, ret, &err));
    ec_buf_clear(&text);
}

/* The table of Markdown whose first title is this, as a sheet. */
static inline void shown_table(const char *markdown, const char *title, struct ec_csv *ret)
{
    struct ec_span rest = ec_span_of(markdown), line, cell;
    struct ec_buf text = EC_BUF_INIT;
    struct ec_err err;
    char head[64];
    size_t len;
    int n = 0;

    *ret = (struct ec_csv){ 0 };
    len = (size_t)snprintf(head, sizeof head, "| %s ", title);
    while (rest.len && ec_span_cut(&rest, '\n', &line)) {
        int k = 0;

        if (n ? !line.len || *line.p != '|' : line.len < len || memcmp(line.p, head, len) != 0)
            continue;
        if (n++ == 1) /* how columns are set */
            continue;
        (void)ec_span_cut(&line, '|', &cell);
        while (line.len && ec_span_cut(&line, '|', &cell))
            ec_buf_printf(&text, "%s\"%.*s\"", k++ ? "," : "", (int)cell.len - 2, cell.p + 1);
        ec_buf_char(&text, '\n');
        if (!rest.len || *rest.p != '|')
            break;
    }
    CHECK(n > 2);
    CHECK_OK(ec_csv_parse(ec_buf_text(&text), text.len, ret, &err));
    ec_buf_clear(&text);
}

static inline const char *word_at(const struct ec_csv *t, int row, const char *col)
{
    if (ec_csv_col(t, col) < 0)
        test_fail(__FILE__, __LINE__, "no column %s", col);
    return ec_csv_cell(t, row, ec_csv_col(t, col));
}

/* Not finite without a number; commas between thousands are passed over. */
static inline double number_at(const struct ec_csv *t, int row, const char *col)
{
    const char *text = word_at(t, row, col);
    char digits[64];
    size_t n = 0;
    double v;

    for (; *text && n + 1 < sizeof digits; text++)
        if (*text != ',')
            digits[n++] = *text;
    digits[n] = '\0';
    return ec_parse_double(ec_span_of(digits), &v) ? v : (double)NAN;
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

/* Our script is the last thing of the page, and the only one. */
static inline bool has_our_script_only(const char *page)
{
    const char *at = strstr(page, "<script");

    return at && ec_str_starts(at, "<script>\nconst U={ns:") && !strstr(at + 1, "<script") &&
           ec_str_eq(page + strlen(page) - strlen("</script>\n</body>\n</html>\n"),
                     "</script>\n</body>\n</html>\n");
}

static inline void holds_of_every_report(const struct report *r, const char *file, const char *cell)
{
    const char *page = ec_buf_text(&r->page), *markdown = ec_buf_text(&r->markdown);
    int bad = test_bad_checks;

    CHECK(has_our_script_only(page) && !strchr(page, 0x1b) && !strchr(markdown, 0x1b));
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
