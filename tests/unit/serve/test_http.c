/* Names in requests, and what is refused before a port is open. tests/serve/run has the rest. */
#include "serve/serve.h"
#include "test.h"

static const char *const own[] = { "gpu.example" };

static bool ok(const char *host, const char *origin)
{
    const struct ec_strs names = { .n = 1, .v = (const char **)own };

    return ec_http_names_ok(host, origin, &names);
}

TEST(hosts_of_this_machine_are_taken)
{
    CHECK(ok("127.0.0.1", NULL));
    CHECK(ok("127.0.0.1:8040", NULL));
    CHECK(ok("192.168.0.1:80", NULL));
    CHECK(ok("localhost", NULL));
    CHECK(ok("LOCALHOST:1", NULL));
    CHECK(ok("[::1]", NULL));
    CHECK(ok("[::1]:8040", NULL));
    CHECK(ok("GPU.example:8040", NULL));
}

TEST(hosts_of_others_are_not)
{
    CHECK(!ok("", NULL));
    CHECK(!ok("evil.example", NULL));
    CHECK(!ok("127.0.0.1.evil.example", NULL));
    CHECK(!ok("localhost.evil.example", NULL));
    CHECK(!ok("xlocalhost", NULL));
    CHECK(!ok("127.0.0.1:x", NULL));
    CHECK(!ok("127.0.0.1:", NULL));
    CHECK(!ok("127.0.0.1@evil.example", NULL));
    CHECK(!ok("[::1", NULL));
    CHECK(!ok("[]", NULL));
    CHECK(!ok("[evil.example]", NULL));
    CHECK(!ok("[::1]evil", NULL));
    CHECK(!ok("::1", NULL));
}

TEST(origins_are_the_host)
{
    CHECK(ok("localhost:5", "http://localhost:5"));
    CHECK(ok("localhost:5", "https://LOCALHOST:5"));
    CHECK(!ok("localhost:5", "http://localhost:6"));
    CHECK(!ok("localhost:5", "http://evil.example"));
    CHECK(!ok("localhost:5", "null"));
    CHECK(!ok("localhost:5", ""));
    CHECK(!ok("localhost:5", "ftp://localhost:5"));
    CHECK(!ok("localhost:5", "http:/localhost:5"));
}

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
