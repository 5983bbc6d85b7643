/* Error sentences: written once, prefixed, cut, and optional. */
#include "test.h"

TEST(status_has_name_and_text)
{
    CHECK_STR(ec_status_name(EC_OK), "OK");
    CHECK_STR(ec_status_name(EC_E_SHAPE), "E_SHAPE");
    CHECK_STR(ec_status_text(EC_E_NOMEM), "out of memory");
    CHECK_STR(ec_status_name((enum ec_status)(-99)), "unknown status");
    CHECK_STR(ec_status_text((enum ec_status)7), "unknown status");
}

TEST(fail_writes_sentence_and_returns_status)
{
    struct ec_err err = { 0 };

    CHECK_INT(ec_fail(&err, EC_E_SHAPE, "kernel %dx%d", 7, 7), EC_E_SHAPE);
    CHECK_INT(err.status, EC_E_SHAPE);
    CHECK_STR(err.text, "kernel 7x7");
}

TEST(prefix_goes_in_front)
{
    struct ec_err err = { 0 };

    (void)ec_fail(&err, EC_E_PARSE, "line 3: no comma");
    ec_err_prefix(&err, "%s: ", "a.json");
    CHECK_STR(err.text, "a.json: line 3: no comma");
}

TEST(long_sentences_are_cut)
{
    struct ec_err err = { 0 };
    char longer[2 * EC_ERR_MAX_BYTES];

    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    (void)ec_fail(&err, EC_E_INPUT, "%s", longer);
    CHECK_INT(strlen(err.text), EC_ERR_MAX_BYTES - 1);
    ec_err_prefix(&err, "%s", longer);
    CHECK_INT(strlen(err.text), EC_ERR_MAX_BYTES - 1);
}

TEST(err_may_be_null)
{
    CHECK_INT(ec_fail(NULL, EC_E_IO, "x"), EC_E_IO);
    CHECK_INT(ec_nomem(NULL), EC_E_NOMEM);
    ec_err_prefix(NULL, "x");
}
