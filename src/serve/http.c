/* The server. Threads of the library answer; the thread that runs it looks at the clock, and shuts
 * connections that let it run out: the library's own limit is for silence alone, and a byte now and
 * then would keep a connection for ever. */
#include "serve/serve.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <pthread.h>
#include <stdarg.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* Numbers of microhttpd.h, a part of the binary interface of libmicrohttpd.so.12. */
enum { NO, YES, USE_OWN_THREADS = 8, USE_EPOLL = 512, USE_WAKING = 1024 };
enum { OPT_END, OPT_CONNECTION_BYTES, OPT_CONNECTIONS, OPT_COMPLETED = 4, OPT_PER_ADDRESS };
enum { OPT_LISTEN_SOCKET = 12, OPT_THREADS = 14, OPT_CONNECTION = 27, OPT_STRICT = 29 };
enum { KIND_HEADER = 1, INFO_SOCKET = 6, BYTES_STAY = 0 };
typedef int on_request(void *arg, void *connection, const char *url, const char *method,
                       const char *version, const char *data, size_t *len, void **state);
/* X(member, result, parameters): symbol MHD_<member> */
#define MHD_LIST(X)                                                                                \
    X(start_daemon, void *, (unsigned, uint16_t, void *, void *, on_request *, void *, ...))       \
    X(quiesce_daemon, int, (void *))                                                               \
    X(stop_daemon, void, (void *))                                                                 \
    X(get_connection_values, int,                                                                  \
      (void *, int, int (*)(void *, int, const char *, const char *), void *))                     \
    X(get_connection_info, const int *, (void *, int, ...))                                        \
    X(create_response_from_buffer, void *, (size_t, void *, int))                                  \
    X(add_response_header, int, (void *, const char *, const char *))                              \
    X(queue_response, int, (void *, unsigned, void *))                                             \
    X(destroy_response, void, (void *))

static struct {
    const struct ec_http_opts *o;
#define MHD_MEMBER(member, result, params) result(*member) params;
    MHD_LIST(MHD_MEMBER)
#undef MHD_MEMBER
    int socket;
    pthread_mutex_t lock;                             /* of until_ns */
    int64_t until_ns[EC_HTTP_CONNECTIONS_MAX + 1024]; /* by socket: when it is shut; 0: never */
    int64_t n_running;                                /* atomic */
} g_http = { .socket = -1, .lock = PTHREAD_MUTEX_INITIALIZER };

void ec_http_refuse(struct ec_http_call *c, int status, enum ec_status st, const char *fmt, ...)
{
    char text[EC_ERR_MAX_BYTES];
    va_list ap;

    va_start(ap, fmt);
    (void)ec_vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    c->status = status;
    ec_buf_reset(&c->answer);
    ec_buf_printf(&c->answer, "{\"error\":{\"status\":\"%s\",\"message\":", ec_status_name(st));
    ec_json_quote(&c->answer, text);
    ec_buf_str(&c->answer, "}}\n");
}

/* From now the client at this socket has the deadline, or it is not waited for. */
static void set_clock(int fd, bool on)
{
    (void)pthread_mutex_lock(&g_http.lock);
    if (fd < EC_LEN(g_http.until_ns))
        g_http.until_ns[fd] = on ? ec_clock_ns() + (int64_t)(g_http.o->deadline_s * 1e9) : 0;
    else
        (void)shutdown(fd, SHUT_RDWR);
    (void)pthread_mutex_unlock(&g_http.lock);
}

enum { HOST, LENGTH, ENCODING, ORIGIN, TYPE, HEADERS };
struct head {
    const char *value[HEADERS]; /* NULL: absent */
    int n[HEADERS];
};

static int note_header(void *arg, int kind, const char *key, const char *value)
{
    static const char *const names[HEADERS] = { "Host", "Content-Length", "Transfer-Encoding",
                                                "Origin", "Content-Type" };
    struct head *at = arg;
    int i;

    (void)kind;
    for (i = 0; i < HEADERS; i++)
        if (ec_str_ieq(key, names[i])) {
            at->value[i] = value ? value : "";
            at->n[i]++;
        }
    return YES;
}

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

/* Sets the answer to what cannot be answered; false: it can. */
static bool refuse_head(struct ec_http_call *c, const struct head *at)
{
    const struct ec_http_opts *o = g_http.o;
    const char *length = at->value[LENGTH], *origin = at->value[ORIGIN];
    int64_t n = 0;

    if (at->n[LENGTH] > 1 || (at->n[LENGTH] && at->n[ENCODING]))
        ec_http_refuse(c, 400, EC_E_INPUT, "the request has two lengths");
    else if (at->n[HOST] != 1 || at->n[ORIGIN] > 1)
        ec_http_refuse(c, 400, EC_E_INPUT, "%d headers Host, expected one", at->n[HOST]);
    else if (!ec_http_names_ok(at->value[HOST], origin, &o->names))
        ec_http_refuse(c, 403, EC_E_INPUT,
                       "Host \"%.80s\", Origin \"%.80s\": expected a numeric address, localhost or "
                       "a --name, and an Origin of the same",
                       at->value[HOST], origin ? origin : "");
    else if (length && (!ec_parse_int(ec_span_of(length), &n) || n < 0 || n > o->body_max_bytes))
        ec_http_refuse(c, 413, EC_E_INPUT, "a body of %.20s bytes, at most %lld are read", length,
                       (long long)o->body_max_bytes);
    else
        return false;
    return true;
}

static int queue(struct ec_http_call *c, void *connection)
{
    const char *const rows[][2] = {
        {"Content-Type",             c->answer_type          },
        { "X-Content-Type-Options",  "nosniff"               },
        { "Content-Security-Policy", "frame-ancestors 'none'"},
        { "Cache-Control",           "no-store"              },
    };
    void *r = c->answer.st
                  ? NULL
                  : g_http.create_response_from_buffer(c->answer.len, c->answer.data, BYTES_STAY);
    int i, ret;

    if (!r)
        return NO; /* no memory: the connection is closed */
    for (i = 0; i < EC_LEN(rows); i++)
        (void)g_http.add_response_header(r, rows[i][0], rows[i][1]);
    set_clock(c->socket, true);
    c->is_queued = true;
    ret = g_http.queue_response(connection, (unsigned)c->status, r);
    g_http.destroy_response(r);
    return ret;
}

/* Called for the head, for each part of the body, and at its end. */
static int request(void *arg, void *connection, const char *url, const char *method,
                   const char *version, const char *data, size_t *len, void **state)
{
    struct ec_http_call *c = *state;
    struct head at = { .n = { 0 } };

    (void)version;
    if (!c) {
        *state = c = ec_alloc(sizeof *c);
        if (!c)
            return NO;
        *c = (struct ec_http_call){ .arg = arg, .status = 200, .answer_type = "application/json" };
        c->socket = *g_http.get_connection_info(connection, INFO_SOCKET);
        c->begin_ns = ec_clock_ns();
        (void)__atomic_add_fetch(&g_http.n_running, 1, __ATOMIC_RELAXED);
        (void)g_http.get_connection_values(connection, KIND_HEADER, note_header, &at);
        (void)snprintf(c->request, sizeof c->request, "%.16s %s", method, url);
        (void)snprintf(c->type, sizeof c->type, "%s", at.value[TYPE] ? at.value[TYPE] : "");
        return refuse_head(c, &at) ? queue(c, connection) : YES;
    }
    if (*len || c->is_queued) {
        c->taken_bytes += (int64_t)*len;
        if (c->taken_bytes <= g_http.o->body_max_bytes)
            ec_buf_add(&c->body, data, *len);
        *len = 0;
        return c->body.st ? NO : YES;
    }
    set_clock(c->socket, false);
    if (c->taken_bytes > g_http.o->body_max_bytes)
        ec_http_refuse(c, 413, EC_E_INPUT, "a body of more than %lld bytes",
                       (long long)g_http.o->body_max_bytes);
    else
        g_http.o->answer(c);
    return queue(c, connection);
}

static void log_line(const struct ec_http_call *c)
{
    char when[32];
    struct ec_buf line = EC_BUF_INIT;

    ec_buf_printf(&line, "{\"time\":\"%s\",\"request\":", ec_utc_now(when, sizeof when));
    ec_json_quote(&line, c->request);
    ec_buf_printf(&line,
                  ",\"status\":%d,\"body_bytes\":%lld,\"answer_bytes\":%zu,\"time_ns\":%lld}",
                  c->is_queued ? c->status : 0, (long long)c->taken_bytes, c->answer.len,
                  (long long)(ec_clock_ns() - c->begin_ns));
    g_http.o->say("%s\n", ec_buf_text(&line));
    ec_buf_clear(&line);
}

static void completed(void *arg, void *connection, void **state, int why)
{
    struct ec_http_call *c = *state;

    (void)arg, (void)connection, (void)why;
    if (!c)
        return;
    if (g_http.o->say)
        log_line(c);
    set_clock(c->socket, true);
    (void)__atomic_sub_fetch(&g_http.n_running, 1, __ATOMIC_RELAXED);
    ec_buf_clear(&c->body);
    ec_buf_clear(&c->answer);
    ec_free(c);
    *state = NULL;
}

static void connection(void *arg, void *connected, void **context, int is_closed)
{
    (void)arg, (void)context;
    set_clock(*g_http.get_connection_info(connected, INFO_SOCKET), !is_closed);
}

/* Shuts connections whose time is over, which the library then closes; waits a little. Returns
 * whether requests are there. */
static bool look_at_clock(void)
{
    const struct timespec tenth = { 0, 100000000 };
    int64_t now_ns = ec_clock_ns();
    int i;

    (void)pthread_mutex_lock(&g_http.lock);
    for (i = 0; i < EC_LEN(g_http.until_ns); i++)
        if (g_http.until_ns[i] && g_http.until_ns[i] < now_ns)
            (void)shutdown(i, SHUT_RDWR);
    (void)pthread_mutex_unlock(&g_http.lock);
    (void)nanosleep(&tenth, NULL);
    return __atomic_load_n(&g_http.n_running, __ATOMIC_RELAXED) > 0;
}

static enum ec_status answer_until_stopped(struct ec_err *err)
{
    const struct ec_http_opts *o = g_http.o;
    int64_t until_ns;
    void *d = g_http.start_daemon(USE_OWN_THREADS | USE_EPOLL | USE_WAKING, 0, NULL, NULL, request,
                                  o->arg, OPT_LISTEN_SOCKET, g_http.socket, OPT_THREADS,
                                  (unsigned)o->threads, OPT_CONNECTIONS, (unsigned)o->connections,
                                  OPT_PER_ADDRESS, (unsigned)o->per_address, OPT_CONNECTION_BYTES,
                                  (size_t)o->header_max_bytes, OPT_STRICT, 1, OPT_COMPLETED,
                                  completed, NULL, OPT_CONNECTION, connection, NULL, OPT_END);

    if (!d)
        return ec_fail(err, EC_E_IO, "libmicrohttpd cannot start %lld threads",
                       (long long)o->threads);
    while (!o->stop())
        (void)look_at_clock();
    (void)g_http.quiesce_daemon(d);
    until_ns = ec_clock_ns() + (int64_t)(o->deadline_s * 1e9);
    while (look_at_clock() && ec_clock_ns() < until_ns)
        ;
    g_http.stop_daemon(d);
    return EC_OK;
}

static enum ec_status open_port(const char *text, int *ret_port, struct ec_err *err)
{
    const struct addrinfo want = { .ai_flags = AI_NUMERICHOST, .ai_socktype = SOCK_STREAM };
    const char *colon = strrchr(text, ':');
    size_t len = colon ? (size_t)(colon - text) : 0;
    bool six = len > 2 && text[0] == '[' && text[len - 1] == ']';
    struct addrinfo *at = NULL;
    struct sockaddr_in6 own; /* its port stands where that of version 4 does */
    socklen_t own_len = sizeof own;
    enum ec_status st = EC_OK;
    char host[64];
    int on = 1;

    (void)snprintf(host, sizeof host, "%.*s", (int)len - 2 * six, text + six);
    if ((!ec_str_starts(host, "127.") && !ec_str_eq(host, "::1")) ||
        getaddrinfo(host, colon + 1, &want, &at))
        return ec_fail(err, EC_E_INPUT, "--listen: found \"%.60s\", expected 127.0.0.1:8040 or so",
                       text);
    g_http.socket = socket(at->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    (void)setsockopt(g_http.socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (g_http.socket < 0 || bind(g_http.socket, at->ai_addr, at->ai_addrlen) ||
        listen(g_http.socket, 128) || getsockname(g_http.socket, (struct sockaddr *)&own, &own_len))
        st = ec_fail(err, EC_E_IO, "--listen %s: %s", text, strerror(errno));
    else
        *ret_port = ntohs(own.sin6_port);
    freeaddrinfo(at);
    return st;
}

enum ec_status ec_http_serve(const struct ec_http_opts *o, struct ec_err *err)
{
    static const char *const names[] = { "libmicrohttpd.so.12", NULL };
    enum ec_status st = EC_OK;
    void *lib = NULL;
    int port = 0;

    g_http.o = o;
    EC_TRY(ec_dynlib_open(names, "libmicrohttpd12", "answering over HTTP", &lib, err));
#define MHD_LOAD(member, result, params)                                                           \
    EC_TRY(ec_dynlib_symbol(lib, "MHD_" #member, &g_http.member, err));
    MHD_LIST(MHD_LOAD)
#undef MHD_LOAD
    EC_TRY(open_port(o->listen, &port, err));
    EC_TRY(o->ready(o, port, err));
    st = answer_until_stopped(err);
out:
    (void)close(g_http.socket);
    return st;
}
