/* The server. Threads of the library answer; the thread that runs it looks at the clock, and shuts
 * connections that let it run out: the library's own limit is for silence alone, and a byte now and
 * then would keep a connection for ever. */
#include "serve/serve_internal.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <pthread.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Numbers of microhttpd.h, a part of the binary interface of libmicrohttpd.so.12. */
enum { NO, YES, USE_OWN_THREADS = 8, USE_EPOLL = 512, USE_WAKING = 1024 };
enum { OPT_END, OPT_CONNECTION_BYTES, OPT_CONNECTIONS, OPT_COMPLETED = 4, OPT_PER_ADDRESS };
enum { OPT_LISTEN_SOCKET = 12, OPT_THREADS = 14, OPT_CONNECTION = 27, OPT_STRICT = 29 };
enum { KIND_HEADER = 1, KIND_ARGUMENT = 8, BYTES_STAY = 0, PART_BYTES = 1 << 14 };
enum { INFO_ADDRESS = 2, INFO_SOCKET = 6 };
enum { STREAM_END = -1, STREAM_FAILED = -2 };
#define SIZE_UNKNOWN UINT64_MAX
typedef int on_request(void *arg, void *connection, const char *url, const char *method,
                       const char *version, const char *data, size_t *len, void **state);
typedef ssize_t next_part(void *arg, uint64_t at, char *to, size_t max);

static struct {
    const struct ec_http_opts *o;
    EC_LIBMICROHTTPD(EC_FOREIGN_MEMBER)
    int socket;
    pthread_mutex_t lock;                             /* of until_ns */
    int64_t until_ns[EC_HTTP_CONNECTIONS_MAX + 1024]; /* by socket: when it is shut; 0: never */
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

static int socket_of(void *connection)
{
    return *(const int *)g_http.get_connection_info(connection, INFO_SOCKET);
}

enum { HOST, LENGTH, ENCODING, ORIGIN, TYPE, TOKEN, HEADERS };
struct head {
    const char *value[HEADERS]; /* NULL: absent */
    int n[HEADERS], arguments;  /* behind ? in the path */
};

static int note_header(void *arg, int kind, const char *key, const char *value)
{
    static const char *const names[HEADERS] = { "Host",   "Content-Length", "Transfer-Encoding",
                                                "Origin", "Content-Type",   "Authorization" };
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

/* Sets the answer to what cannot be answered; false: it can. */
static bool refuse_head(struct ec_http_call *c, const struct sockaddr *from, const struct head *at)
{
    const struct ec_http_opts *o = g_http.o;
    const char *path = strchr(c->request, ' ') + 1;
    bool is_open = ec_str_eq(path, "/") || ec_str_eq(path, "/healthz");
    const char *length = at->value[LENGTH], *origin = at->value[ORIGIN];
    int64_t n = 0;

    if (o->rate_per_s > 0 && !ec__rate_ok(from, o->rate_per_s, c->begin_ns))
        ec_http_refuse(c, 429, EC_E_INPUT, "more than the %g requests a second of an address",
                       o->rate_per_s);
    else if (o->token && !is_open && !ec_http_token_ok(at->value[TOKEN], o->token))
        ec_http_refuse(c, 401, EC_E_INPUT,
                       "expected the header Authorization: Bearer and the "
                       "token of this server");
    else if (at->n[LENGTH] > 1 || (at->n[LENGTH] && at->n[ENCODING]))
        ec_http_refuse(c, 400, EC_E_INPUT, "the request has two lengths");
    else if (at->n[HOST] != 1 || at->n[ORIGIN] > 1)
        ec_http_refuse(c, 400, EC_E_INPUT, "%d headers Host, expected one", at->n[HOST]);
    else if (!ec_http_names_ok(at->value[HOST], origin, &o->names))
        ec_http_refuse(c, 403, EC_E_INPUT,
                       "Host \"%.80s\", Origin \"%.80s\": expected a numeric address, localhost or "
                       "a --name, and an Origin of the same",
                       at->value[HOST], origin ? origin : "");
    else if (at->arguments && !is_open)
        ec_http_refuse(c, 400, EC_E_INPUT,
                       "%s?...: options are not read from the path: POST a JSON object of them",
                       path);
    else if (length && (!ec_parse_int(ec_span_of(length), &n) || n < 0 || n > o->body_max_bytes))
        ec_http_refuse(c, 413, EC_E_INPUT, "a body of %.20s bytes, at most %lld are read", length,
                       (long long)o->body_max_bytes);
    else
        return false;
    return true;
}

/* While it is made the clock stands still. */
static void make(struct ec_http_call *c, bool *ret_is_more)
{
    int64_t begin_ns = ec_clock_ns();

    set_clock(c->socket, false);
    if (ret_is_more)
        *ret_is_more = c->more(c);
    else
        g_http.o->answer(c);
    c->compute_ns += ec_clock_ns() - begin_ns;
    set_clock(c->socket, true);
}

static ssize_t send_part(void *arg, uint64_t at, char *to, size_t max)
{
    struct ec_http_call *c = arg;
    bool is_more = true;
    size_t n;

    (void)at;
    if (c->sent == c->answer.len) {
        ec_buf_reset(&c->answer);
        c->sent = 0;
        make(c, &is_more);
    }
    if (c->answer.st)
        return STREAM_FAILED;
    n = c->answer.len - c->sent < max ? c->answer.len - c->sent : max;
    if (!is_more && !n)
        return STREAM_END;
    memcpy(to, ec_buf_text(&c->answer) + c->sent, n);
    c->sent += n;
    c->answer_bytes += (int64_t)n;
    return (ssize_t)n;
}

static int queue(struct ec_http_call *c, void *connection)
{
    const char *const rows[][2] = {
        {"Content-Type",             c->answer_type                                   },
        { "X-Content-Type-Options",  "nosniff"                                        },
        { "Content-Security-Policy", "frame-ancestors 'none'"                         },
        { "Cache-Control",           "no-store"                                       },
        { "WWW-Authenticate",        c->status == 401 ? "Bearer" : NULL               },
        { "Retry-After",             c->status == 429 || c->status == 503 ? "1" : NULL},
        { "Allow",                   c->allow                                         },
    };
    void *r = NULL;
    int i, ret;

    if (c->more)
        r = g_http.create_response_from_callback(SIZE_UNKNOWN, PART_BYTES, send_part, c, NULL);
    else if (!c->answer.st)
        r = g_http.create_response_from_buffer(c->answer.len, c->answer.data, BYTES_STAY);
    if (!r)
        return NO; /* no memory: the connection is closed */
    for (i = 0; i < EC_LEN(rows); i++)
        if (rows[i][1])
            (void)g_http.add_response_header(r, rows[i][0], rows[i][1]);
    c->answer_bytes = c->more ? 0 : (int64_t)c->answer.len;
    set_clock(c->socket, true);
    c->is_queued = true;
    ret = g_http.queue_response(connection, (unsigned)c->status, r);
    g_http.destroy_response(r);
    return ret;
}

static void forget(struct ec_http_call *c)
{
    (void)__atomic_sub_fetch(&ec__now.bodies_bytes, c->held_bytes, __ATOMIC_RELAXED);
    c->held_bytes = 0;
    ec_buf_clear(&c->body);
}

/* What is beyond the limits is read and forgotten. */
static void take(struct ec_http_call *c, const char *data, size_t len)
{
    c->taken_bytes += (int64_t)len;
    c->is_over = c->is_over || c->taken_bytes > g_http.o->body_max_bytes ||
                 !ec__room_take((int64_t)len, g_http.o->bodies_max_bytes);
    if (c->is_over) {
        forget(c);
    } else {
        c->held_bytes += (int64_t)len;
        ec_buf_add(&c->body, data, len);
    }
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
        *c = (struct ec_http_call){
            .arg = arg, .status = 200, .answer_type = "application/json", .path = "other"
        };
        c->socket = socket_of(connection);
        c->begin_ns = ec_clock_ns();
        (void)__atomic_add_fetch(&ec__now.running, 1, __ATOMIC_RELAXED);
        (void)g_http.get_connection_values(connection, KIND_HEADER, note_header, &at);
        at.arguments = g_http.get_connection_values(connection, KIND_ARGUMENT, NULL, NULL);
        (void)snprintf(c->request, sizeof c->request, "%.16s %s", method, url);
        (void)snprintf(c->type, sizeof c->type, "%s", at.value[TYPE] ? at.value[TYPE] : "");
        return refuse_head(c,
                           *(const struct sockaddr *const *)g_http.get_connection_info(
                               connection, INFO_ADDRESS),
                           &at)
                   ? queue(c, connection)
                   : YES;
    }
    if (*len || c->is_queued) {
        take(c, data, *len);
        *len = 0;
        return c->body.st ? NO : YES;
    }
    if (c->taken_bytes > g_http.o->body_max_bytes)
        ec_http_refuse(c, 413, EC_E_INPUT, "a body of more than %lld bytes",
                       (long long)g_http.o->body_max_bytes);
    else if (c->is_over)
        ec_http_refuse(c, 503, EC_E_NOMEM, "the bodies of all requests have more than %lld bytes",
                       (long long)g_http.o->bodies_max_bytes);
    else
        make(c, NULL);
    if (!c->more)
        forget(c); /* others have the room while this answer is taken */
    return queue(c, connection);
}

static void log_line(const struct ec_http_call *c)
{
    char when[32];
    struct ec_buf line = EC_BUF_INIT;

    ec_buf_printf(&line, "{\"time\":\"%s\",\"request\":", ec_utc_now(when, sizeof when));
    ec_json_quote(&line, c->request);
    ec_buf_printf(&line,
                  ",\"status\":%d,\"body_bytes\":%lld,\"answer_bytes\":%lld,\"time_ns\":%lld}",
                  c->is_queued ? c->status : 0, (long long)c->taken_bytes,
                  (long long)c->answer_bytes, (long long)(ec_clock_ns() - c->begin_ns));
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
    ec__count(c, ec_clock_ns() - c->begin_ns);
    forget(c);
    set_clock(c->socket, true);
    (void)__atomic_sub_fetch(&ec__now.running, 1, __ATOMIC_RELAXED);
    ec_buf_clear(&c->answer);
    ec_free(c);
    *state = NULL;
}

static void connection(void *arg, void *connected, void **context, int is_closed)
{
    (void)arg, (void)context;
    set_clock(socket_of(connected), !is_closed);
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
    return __atomic_load_n(&ec__now.running, __ATOMIC_RELAXED) > 0;
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
    if (!g_http.o->token && colon && !ec_str_starts(host, "127.") && !ec_str_eq(host, "::1"))
        return ec_fail(err, EC_E_INPUT, "--listen %.60s: beyond this machine only with --token",
                       text);
    if (!colon || getaddrinfo(host, colon + 1, &want, &at))
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
    static const char *const symbols[] = { EC_LIBMICROHTTPD(EC_FOREIGN_SYMBOL) NULL };
    enum ec_status st = EC_OK;
    int port = 0;

    g_http.o = o;
    EC_TRY(ec_dynlib_open(names, "libmicrohttpd12", "answering over HTTP", symbols,
                          &g_http.start_daemon, err));
    EC_TRY(open_port(o->listen, &port, err));
    ec__count_begin();
    EC_TRY(o->ready(o, port, err));
    st = answer_until_stopped(err);
out:
    (void)close(g_http.socket);
    return st;
}
