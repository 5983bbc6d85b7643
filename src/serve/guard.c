/* Who may ask, and how often. */
#include "serve/serve_internal.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <string.h>
#include <sys/random.h>

bool ec_http_names_ok(const char *host, const char *origin, const struct ec_strs *names)
{
    unsigned char ip[sizeof(struct in6_addr)];
    bool six = host[0] == '[', known;
    size_t len = strcspn(host, six ? "]" : ":");
    const char *port = host + len + six;
    char name[256];
    int64_t n;
    int i;

    if (len >= sizeof name || (six && host[len] != ']') ||
        (*port && (*port != ':' || !ec_parse_int(ec_span_of(port + 1), &n))))
        return false;
    (void)snprintf(name, sizeof name, "%.*s", (int)len - six, host + six);
    known = inet_pton(six ? AF_INET6 : AF_INET, name, ip) == 1 || ec_str_ieq(name, "localhost");
    for (i = 0; i < names->n && !known; i++)
        known = ec_str_ieq(name, names->v[i]);
    return known &&
           (!origin || (ec_str_starts(origin, "http://") && ec_str_ieq(origin + 7, host)) ||
            (ec_str_starts(origin, "https://") && ec_str_ieq(origin + 8, host)));
}

bool ec_http_token_ok(const char *authorization, const char *token)
{
    char sent[EC_SHA256_TEXT_BYTES], own[EC_SHA256_TEXT_BYTES];
    int i, differ = 0;

    if (!authorization || strncasecmp(authorization, "Bearer ", 7) != 0)
        return false;
    ec_sha256(authorization + 7, strlen(authorization + 7), sent);
    ec_sha256(token, strlen(token), own);
    for (i = 0; i < EC_SHA256_TEXT_BYTES; i++)
        differ |= sent[i] ^ own[i];
    return differ == 0;
}

/* Addresses share rows of a table, by a number that is drawn when the server begins, so that nobody
 * can choose with whom. Of version 6 the first half counts: the other is a machine's to choose. */
#define RATE_ROWS 4096
static struct {
    pthread_mutex_t lock;
    uint64_t drawn;
    struct {
        double used; /* of a second's worth */
        int64_t at_ns;
    } row[RATE_ROWS];
} g_rate = { .lock = PTHREAD_MUTEX_INITIALIZER };

static int rate_row(const struct sockaddr *from)
{
    const struct sockaddr_in6 *six = (const void *)from;
    const struct sockaddr_in *four = (const void *)from;
    uint64_t address = 0;
    struct ec_rng r;

    if (from->sa_family == AF_INET)
        memcpy(&address, &four->sin_addr, sizeof four->sin_addr);
    else if (IN6_IS_ADDR_V4MAPPED(&six->sin6_addr))
        memcpy(&address, six->sin6_addr.s6_addr + 12, 4);
    else
        memcpy(&address, &six->sin6_addr, sizeof address);
    ec_rng_seed(&r, address ^ g_rate.drawn);
    return (int)(ec_rng_next(&r) % RATE_ROWS);
}

bool ec__rate_ok(const struct sockaddr *from, double per_s, int64_t now_ns)
{
    bool ok;
    int i;

    (void)pthread_mutex_lock(&g_rate.lock);
    if (!g_rate.drawn && getrandom(&g_rate.drawn, sizeof g_rate.drawn, 0) < 0)
        g_rate.drawn = (uint64_t)now_ns;
    i = rate_row(from);
    g_rate.row[i].used -= (double)(now_ns - g_rate.row[i].at_ns) / 1e9 * per_s;
    g_rate.row[i].used = g_rate.row[i].used < 0 ? 0 : g_rate.row[i].used;
    g_rate.row[i].at_ns = now_ns;
    ok = g_rate.row[i].used + 1 <= (per_s > 1 ? per_s : 1);
    g_rate.row[i].used += ok;
    (void)pthread_mutex_unlock(&g_rate.lock);
    return ok;
}

bool ec__room_take(int64_t bytes, int64_t max_bytes)
{
    int64_t now = __atomic_load_n(&ec__now.bodies_bytes, __ATOMIC_RELAXED);

    do
        if (now + bytes > max_bytes)
            return false;
    while (!__atomic_compare_exchange_n(&ec__now.bodies_bytes, &now, now + bytes, true,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return true;
}
