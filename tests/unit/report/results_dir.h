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

#endif
