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

/* Words joined by single blanks. */
static inline void epochcast(const char *words, struct done *ret)
{
    static const char out[] = "test-cli-run.out", err[] = "test-cli-run.err";
    char copy[512], *argv[32] = { NULL }, *p = copy;
    int argc = 0, saved_out, saved_err;

    *ret = (struct done){ 0 };
    (void)snprintf(copy, sizeof copy, "epochcast%s%s", *words ? " " : "", words);
    while (*p && argc + 1 < EC_LEN(argv)) {
        argv[argc++] = p;
        p += strcspn(p, " ");
        if (*p)
            *p++ = '\0';
    }
    catch_stream(stdout, out, &saved_out);
    catch_stream(stderr, err, &saved_err);
    ret->status = ec_run(&ec_epochcast, argc, argv);
    release_stream(stderr, err, saved_err, &ret->err);
    release_stream(stdout, out, saved_out, &ret->out);
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

#endif
