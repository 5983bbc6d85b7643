/* HTTP by libmicrohttpd, which is opened at run time: the socket, limits, names, the log.
 * What is answered is the caller's. One server in a process. docs/serve.md */
#ifndef EC_SERVE_H
#define EC_SERVE_H

#include "base/base.h"

/* A request and its answer. */
struct ec_http_call {
    char request[128], type[64]; /* "POST /v1/predict", type of the body; what is longer is cut */
    struct ec_buf body;
    int status;                     /* 200 until the answer says otherwise */
    const char *answer_type, *path; /* path: under which it is counted; text that stays */
    const char *allow;              /* of status 405: the methods of this path */
    struct ec_buf answer;
    /* Set by the answer: sends what it has and then, as long as this returns true, what that
     * appends. */
    bool (*more)(struct ec_http_call *c);
    struct ec_span rest; /* these two are for it */
    int64_t number;
    int64_t compute_ns; /* that it took so far */
    void *arg;          /* that of the options */
    int socket;         /* this and what follows are the server's own */
    bool is_queued, is_over;
    size_t sent; /* of the part in `answer` */
    int64_t begin_ns, taken_bytes, held_bytes, answer_bytes;
};
/* An object `error` of a status and a sentence, as docs/requests.md has it. */
void ec_http_refuse(struct ec_http_call *c, int status, enum ec_status st, const char *fmt, ...)
    EC_PRINTF(4, 5);
#define EC_HTTP_CONNECTIONS_MAX 16000
struct ec_http_opts {
    const char *listen;   /* "127.0.0.1:8040", "[::1]:8040"; port 0: any; others with a token */
    const char *token;    /* that Authorization has; NULL: none is needed */
    struct ec_strs names; /* in Host, beside numeric addresses and localhost */
    int64_t header_max_bytes, body_max_bytes, bodies_max_bytes;
    double rate_per_s; /* requests of one address; 0: no limit */
    int64_t connections, per_address, threads;
    double deadline_s; /* for a request to come, and for an answer to be taken */
    void (*say)(const char *fmt, ...) EC_PRINTF(1, 2); /* the log, of JSON lines; NULL: none */
    bool (*stop)(void);                                /* asked ten times a second */
    /* Called when the port is open, before threads are started. */
    enum ec_status (*ready)(const struct ec_http_opts *o, int port, struct ec_err *err);
    void (*answer)(struct ec_http_call *c); /* called by several threads */
    void *arg;
};
/* Answers until o->stop, then what has begun. Errors: INPUT (listen), UNSUPPORTED (no
 * library), IO, and those of o->ready */
enum ec_status ec_http_serve(const struct ec_http_opts *o, struct ec_err *err) EC_MUST_CHECK;
/* Whether Host and Origin are this server's: a page of another site, whose name was made to point
 * here, has its own. origin NULL: none was sent. */
bool ec_http_names_ok(const char *host, const char *origin, const struct ec_strs *names);
/* Whether the header Authorization has the token; how long it takes says nothing of the token. */
bool ec_http_token_ok(const char *authorization, const char *token);
/* Appends what was counted, as Prometheus reads it. */
void ec_http_metrics(struct ec_buf *out);

#endif
