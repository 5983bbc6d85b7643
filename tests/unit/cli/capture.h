/* Runs the program inside the test and keeps what it says on both streams. */
#ifndef TEST_CLI_CAPTURE_H
#define TEST_CLI_CAPTURE_H

#include "test.h"

#include "cli/cli.h"

#include <unistd.h>

struct done {
    int status;
    struct ec_file out, err;
};

static inline void catch_stream(FILE *stream, const char *path, int *ret_saved)
{
    FILE *to = fopen(path, "w");

    (void)fflush(stream);
    *ret_saved = dup(fileno(stream));
    CHECK(to && dup2(fileno(to), fileno(stream)) >= 0);
    if (to)
        (void)fclose(to);
}

static inline void release_stream(FILE *stream, const char *path, int saved, struct ec_file *ret)
{
    struct ec_err err;

    (void)fflush(stream);
    CHECK(dup2(saved, fileno(stream)) >= 0);
    (void)close(saved);
    CHECK_OK(ec_file_open(path, 1 << 20, ret, &err));
    (void)remove(path);
}

/* A file of this process alone: tests run side by side. */
static inline const char *capture_path(const char *end, char *out, size_t size)
{
    (void)snprintf(out, size, "/tmp/ec-test-cli-%lld.%s", (long long)getpid(), end);
    return out;
}

#define WORDS_MAX 32
/* The words behind "epochcast". */
static inline void epochcast_words(int n, const char *const *words, struct done *ret)
{
    static char copy[WORDS_MAX][512];
    char out[64], err[64], *argv[WORDS_MAX + 1] = { NULL };
    int i, saved_out, saved_err;

    *ret = (struct done){ 0 };
    CHECK(n < WORDS_MAX);
    for (i = 0; i <= n && i < WORDS_MAX; i++) {
        (void)snprintf(copy[i], sizeof copy[i], "%s", i ? words[i - 1] : "epochcast");
        argv[i] = copy[i];
    }
    catch_stream(stdout, capture_path("out", out, sizeof out), &saved_out);
    catch_stream(stderr, capture_path("err", err, sizeof err), &saved_err);
    ret->status = ec_run(&ec_epochcast, i, argv);
    release_stream(stderr, err, saved_err, &ret->err);
    release_stream(stdout, out, saved_out, &ret->out);
}

/* Words joined by single blanks; what stands in single quotes is one word. Returns how many. */
static inline int split_words(const char *text, char *copy, size_t size, const char *ret[WORDS_MAX])
{
    char *p = copy, end;
    int n = 0;

    (void)snprintf(copy, size, "%s", text);
    while (*p && n < WORDS_MAX) {
        end = *p == '\'' ? '\'' : ' ';
        p += end == '\'';
        ret[n++] = p;
        p += strcspn(p, end == ' ' ? " " : "'");
        if (*p)
            *p++ = '\0';
        p += *p == ' ' && end == '\'';
    }
    return n;
}

static inline void epochcast(const char *text, struct done *ret)
{
    const char *words[WORDS_MAX];
    char copy[1024];

    epochcast_words(split_words(text, copy, sizeof copy, words), words, ret);
}

static inline bool holds(const struct ec_file *f, const char *part)
{
    char *text = ec_alloc(f->len + 1);
    bool found;

    CHECK(text);
    if (!text)
        return false;
    memcpy(text, f->len ? (const char *)f->data : "", f->len);
    text[f->len] = '\0';
    found = strstr(text, part) != NULL;
    ec_free(text);
    return found;
}

static inline void done_clear(struct done *d)
{
    ec_file_close(&d->out);
    ec_file_close(&d->err);
}

/* Standard output of the words with a form ("": for people). Another status than 0 fails the test.
 */
static inline void answer_of(const char *words, const char *form, struct ec_buf *ret)
{
    char all[512];
    struct done d;

    (void)snprintf(all, sizeof all, "%s%s%s", words, *form ? " " : "", form);
    epochcast(all, &d);
    if (d.status != EC_EXIT_OK)
        test_fail(__FILE__, __LINE__, "%s: status %d: %.*s", all, d.status, (int)d.err.len,
                  d.err.len ? (const char *)d.err.data : "");
    ec_buf_reset(ret);
    if (d.out.len)
        ec_buf_add(ret, (const char *)d.out.data, d.out.len);
    done_clear(&d);
}

#endif
