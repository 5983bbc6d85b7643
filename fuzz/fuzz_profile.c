/* A profile of a device, as one person passes it on to another. What is taken writes out as text
 * that is taken again and says the same; what is refused has its sentence. */
#include "fuzz.h"

#include "predict/predict.h"

#include <stdio.h>

static void stop(const char *why, const char *text)
{
    (void)fprintf(stderr, "%s: %s\n", why, text);
    __builtin_trap();
}

static void check_taken(const struct ec_profile *p)
{
    struct ec_buf text = EC_BUF_INIT, again = EC_BUF_INIT;
    struct ec_profile back;
    struct ec_err err = { 0 };

    ec_profile_json(p, &text);
    if (ec_profile_parse(ec_buf_text(&text), text.len, &back, &err))
        stop(err.text, ec_buf_text(&text));
    ec_profile_json(&back, &again);
    if (!ec_str_eq(ec_buf_text(&text), ec_buf_text(&again)))
        stop("not the same again", ec_buf_text(&text));
    ec_buf_clear(&text);
    ec_buf_clear(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ec_profile p;
    struct ec_err err = { 0 };

    if (ec_profile_parse((const char *)data, size, &p, &err) == EC_OK)
        check_taken(&p);
    else if (!err.text[0])
        stop("refused without a sentence", "");
    return 0;
}
