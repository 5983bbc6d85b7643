/* A refusal. tests/serve/run has the rest. */
#include "serve/serve.h"
#include "test.h"

TEST(a_refusal_is_an_object)
{
    struct ec_http_call c = { .status = 200, .answer = EC_BUF_INIT };

    ec_buf_str(&c.answer, "half an answer");
    ec_http_refuse(&c, 413, EC_E_INPUT, "a \"large\" body of %d bytes", 5);
    CHECK_INT(c.status, 413);
    CHECK_STR(
        ec_buf_text(&c.answer),
        "{\"error\":{\"status\":\"E_INPUT\",\"message\":\"a \\\"large\\\" body of 5 bytes\"}}\n");
    ec_buf_clear(&c.answer);
}
