/* What a page calls of the module, one call at a time. Texts end with a zero; what is answered
 * stays until the next call. docs/page.md */
#include "base/base.h"
#include "cli/cli.h"
#include "epochcast/command.h"
#include "epochcast/predict.h"

/* Declares and begins a function that the page finds by its name. */
#define EXPORT(type, name, ...)                                                                    \
    type name(__VA_ARGS__) __attribute__((export_name(#name), used));                              \
    type name(__VA_ARGS__)

static struct ec_predictor *g_predictor; /* NULL until the first request */
static char *g_written;                  /* by a command */
static struct ec_buf g_options = EC_BUF_INIT;
static struct ec_err g_err;

static const char *answer(enum ec_status st, const char *text)
{
    return st ? g_err.text : text;
}

/* NULL: out of memory */
EXPORT(void *, ec_page_alloc, size_t len)
{
    return ec_alloc(len ? len : 1);
}

EXPORT(void, ec_page_free, void *p)
{
    ec_free(p);
}

/* A file that models and devices may name from now on, in place of an earlier one of the name.
 * Takes data, of ec_page_alloc. 0, or a status. */
EXPORT(int, ec_page_hold, const char *name, void *data, size_t len)
{
    ec_predictor_free(g_predictor); /* it keeps networks by name */
    g_predictor = NULL;
    return (int)ec_file_hold(name, data, len, &g_err);
}

/* The answer to a request of docs/requests.md; a failure to answer is one as well. */
EXPORT(const char *, ec_page_ask, const char *request)
{
    const char *ret = "";
    enum ec_status st = g_predictor ? EC_OK : ec_predictor_new(&g_predictor, &g_err);

    if (!st)
        st = ec_predict_json(g_predictor, request, &ret, &g_err);
    return answer(st, ret);
}

/* Runs a command line, n words without the name of the program. *ret_status: 0, and what it wrote
 * to standard output; or a status, and the sentence. */
EXPORT(const char *, ec_page_run, int n, char **word, int *ret_status)
{
    ec_text_free(g_written);
    g_written = NULL;
    *ret_status = (int)ec_command(n, word, &g_written, NULL, &g_err);
    return answer((enum ec_status) * ret_status, g_written);
}

/* The options of every command: tools/make-options. */
EXPORT(const char *, ec_page_options, void)
{
    ec_buf_reset(&g_options);
    ec_options_json(&g_options);
    return ec_buf_text(&g_options);
}
