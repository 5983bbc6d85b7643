/* Who may ask: names in requests, the token, how often. */
#include "serve/serve_internal.h"
#include "test.h"

#include <arpa/inet.h>
#include <string.h>

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

TEST(a_token_is_the_whole_word)
{
    static const char token[] = "open-sesame-0123456789";

    CHECK(ec_http_token_ok("Bearer open-sesame-0123456789", token));
    CHECK(ec_http_token_ok("bearer open-sesame-0123456789", token));
    CHECK(!ec_http_token_ok(NULL, token));
    CHECK(!ec_http_token_ok("", token));
    CHECK(!ec_http_token_ok("Bearer", token));
    CHECK(!ec_http_token_ok("Bearer ", token));
    CHECK(!ec_http_token_ok("open-sesame-0123456789", token));
    CHECK(!ec_http_token_ok("Bearer open-sesame-012345678", token));
    CHECK(!ec_http_token_ok("Bearer open-sesame-01234567890", token));
    CHECK(!ec_http_token_ok("Bearer Open-sesame-0123456789", token));
}

static bool may(const char *address, double per_s, int64_t at_ns)
{
    struct sockaddr_in four = { .sin_family = AF_INET };
    struct sockaddr_in6 six = { .sin6_family = AF_INET6 };

    if (inet_pton(AF_INET, address, &four.sin_addr) == 1)
        return ec__rate_ok((const void *)&four, per_s, at_ns);
    CHECK(inet_pton(AF_INET6, address, &six.sin6_addr) == 1);
    return ec__rate_ok((const void *)&six, per_s, at_ns);
}

TEST(who_is_refused_takes_no_room)
{
    CHECK(ec__room_take(60, 100));
    CHECK(!ec__room_take(50, 100));
    CHECK(ec__room_take(40, 100));
    CHECK(!ec__room_take(1, 100));
    CHECK_INT(ec__now.bodies_bytes, 100);
    ec__now.bodies_bytes = 0;
}

TEST(an_address_has_its_rate)
{
    const int64_t s = 1000000000, now = 1000 * s;
    int i, n = 0;

    for (i = 0; i < 10; i++)
        n += may("192.0.2.1", 4, now);
    CHECK_INT(n, 4); /* a second's worth at once */
    CHECK(may("192.0.2.1", 4, now + s / 4));
    CHECK(!may("192.0.2.1", 4, now + s / 4));
    CHECK(may("192.0.2.1", 4, now + 100 * s)); /* what is not used is not kept for longer */
    for (i = 0, n = 1; i < 10; i++)
        n += may("192.0.2.1", 4, now + 100 * s);
    CHECK_INT(n, 4);
    CHECK(may("192.0.2.9", 0.5, now)); /* less than one in a second */
    CHECK(!may("192.0.2.9", 0.5, now + s));
    CHECK(may("192.0.2.9", 0.5, now + 2 * s));
}

TEST(addresses_of_version_6_count_by_their_first_half)
{
    const int64_t now = 5000LL * 1000000000;

    CHECK(may("2001:db8:0:1::1", 1, now));
    CHECK(!may("2001:db8:0:1::2", 1, now)); /* the same network */
    CHECK(may("::ffff:198.51.100.7", 1, now));
    CHECK(!may("198.51.100.7", 1, now)); /* the same machine */
}
