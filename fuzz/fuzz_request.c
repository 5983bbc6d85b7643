/* One line of a service: a question as JSON. Whatever comes, the answer is one line of JSON with
 * the schema, either times that are ordered and finite or an error with a sentence. */
#include "fuzz.h"

#include "predict/predict.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LINE_MAX_BYTES 2048

static void stop(const char *why, const struct ec_buf *answer)
{
    (void)fprintf(stderr, "%s: %s\n", why, ec_buf_text(answer));
    __builtin_trap();
}

static double number(const struct ec_jval *v, const char *key)
{
    v = v ? ec_json_get(v, key) : NULL;
    return v && v->type == EC_J_NUM ? v->num : (double)NAN;
}

static void check_answer(const struct ec_jval *root, const struct ec_buf *text)
{
    const struct ec_jval *error = ec_json_get(root, "error"), *message;
    const struct ec_jval *step = ec_json_get(root, "step_time_ns");
    double lo = number(step, "p05"), mid = number(step, "p50"), hi = number(step, "p95");

    if (!ec_json_get(root, "schema"))
        stop("no schema", text);
    if (error) {
        message = ec_json_get(error, "message");
        if (!message || message->type != EC_J_STR || !*message->str)
            stop("an error without a sentence", text);
        return;
    }
    if (!(lo > 0 && lo <= mid && mid <= hi && isfinite(hi)))
        stop("times out of order", text);
    if (!(number(root, "batch") >= 1))
        stop("no batch", text);
}

/* Files are another target's business: a question that names one is passed over, so that no input
 * reads what lies about on the machine. */
static bool names_a_file(const uint8_t *data, size_t size)
{
    size_t i;

    for (i = 0; i < size; i++)
        if (data[i] == '/' || data[i] == '\\')
            return true;
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct ec_predictor *p; /* kept: its cache is part of what is tried */
    struct ec_buf out = EC_BUF_INIT;
    struct ec_arena a = { 0 };
    const struct ec_jval *root = NULL;

    if (size > LINE_MAX_BYTES || names_a_file(data, size))
        return 0;
    if (!p && ec_predictor_new(&p, NULL))
        return 0;
    if (ec_predict_request(p, (const char *)data, size, 0, &out, NULL))
        stop("no answer", &out);
    if (ec_json_parse(ec_buf_text(&out), out.len, &a, &root, NULL) || strchr(out.data, '\n'))
        stop("not one line of JSON", &out);
    check_answer(root, &out);
    ec_arena_clear(&a);
    ec_buf_clear(&out);
    return 0;
}
