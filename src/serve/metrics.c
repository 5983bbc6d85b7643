/* What the server counts, in the text format of Prometheus. */
#include "serve/serve_internal.h"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

enum { REQUESTS, SECONDS, BODIES, ANSWERS, COUNTED };
static const char *const counted[COUNTED][2] = {
    {"requests_total",         "Requests that were answered or refused."                  },
    { "request_seconds_total", "Time from the head of a request to the end of its answer."},
    { "body_bytes_total",      "Bytes of bodies that were sent here."                     },
    { "answer_bytes_total",    "Bytes of answers, without heads."                         },
};

struct row {
    const char *path;
    int status;
    double of[COUNTED];
};
#define ROWS_MAX 128 /* paths by statuses, few of which occur */
static struct {
    pthread_mutex_t lock;
    struct row row[ROWS_MAX];
    int n, statm; /* statm: a file that the kernel makes up, opened before rights are given up */
} g_counts = { .lock = PTHREAD_MUTEX_INITIALIZER, .statm = -1 };
struct ec__now ec__now;

void ec__count_begin(void)
{
    g_counts.statm = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
}

void ec__count(const struct ec_http_call *c, int64_t time_ns)
{
    const double of[COUNTED] = { 1, (double)time_ns / 1e9, (double)c->taken_bytes,
                                 (double)c->answer_bytes };
    int i, k, status = c->is_queued ? c->status : 0; /* 0: it went before it was answered */

    (void)pthread_mutex_lock(&g_counts.lock);
    for (i = 0; i < g_counts.n; i++)
        if (g_counts.row[i].path == c->path && g_counts.row[i].status == status)
            break;
    if (i < ROWS_MAX) {
        g_counts.row[i].path = c->path;
        g_counts.row[i].status = status;
        for (k = 0; k < COUNTED; k++)
            g_counts.row[i].of[k] += of[k];
        g_counts.n = i < g_counts.n ? g_counts.n : i + 1;
    }
    (void)pthread_mutex_unlock(&g_counts.lock);
}

static void gauge(struct ec_buf *out, const char *name, const char *help, double value)
{
    ec_buf_printf(out, "# HELP %s %s\n# TYPE %s gauge\n%s %.17g\n", name, help, name, name, value);
}

static double resident_bytes(void)
{
    char text[64] = "";
    struct ec_span rest, field = { NULL, 0 };
    int64_t pages = 0;
    int i;

    if (g_counts.statm < 0 || pread(g_counts.statm, text, sizeof text - 1, 0) <= 0)
        return 0;
    rest = ec_span_of(text);
    for (i = 0; i < 2; i++) /* address space, resident, shared ... */
        (void)ec_span_cut(&rest, ' ', &field);
    if (!ec_parse_int(field, &pages))
        return 0;
    return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

void ec_http_metrics(struct ec_buf *out)
{
    const struct row *r;
    int i, k;

    (void)pthread_mutex_lock(&g_counts.lock);
    for (k = 0; k < COUNTED; k++) {
        ec_buf_printf(out, "# HELP epochcast_http_%s %s\n# TYPE epochcast_http_%s counter\n",
                      counted[k][0], counted[k][1], counted[k][0]);
        for (i = 0; i < g_counts.n; i++) {
            r = &g_counts.row[i];
            ec_buf_printf(out, "epochcast_http_%s{path=\"%s\",status=\"%d\"} %.17g\n",
                          counted[k][0], r->path, r->status, r->of[k]);
        }
    }
    (void)pthread_mutex_unlock(&g_counts.lock);
    gauge(out, "epochcast_http_requests_running", "Requests that are not answered yet.",
          (double)__atomic_load_n(&ec__now.running, __ATOMIC_RELAXED));
    gauge(out, "epochcast_http_bodies_bytes", "Bodies that are held now.",
          (double)__atomic_load_n(&ec__now.bodies_bytes, __ATOMIC_RELAXED));
    gauge(out, "process_resident_memory_bytes", "Memory of the process.", resident_bytes());
}
