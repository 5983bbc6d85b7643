/* epochcast serve: predictions over HTTP, and for agents over standard input and output. What comes
 * in is a stranger's: after the start no file can be opened and no program started. */
#include "cli/serve_internal.h"
#include "predict/predict.h"
#include "serve/serve.h"
#include "store/store.h"

#include <ctype.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "openapi_file.h"

EC_EMBED(openapi, EC_OPENAPI_FILE);

#define FILE_MAX_BYTES ((size_t)1 << 26)
#define TOKEN_MIN_BYTES 16

enum { SANDBOX_AUTO, SANDBOX_REQUIRE, SANDBOX_OFF };
static const char *const sandbox_names[] = { "auto", "require", "off", NULL };

#include "serve_cmd.h"

static enum ec_status answer_body(struct ec_http_call *c, const struct ec_question *q,
                                  struct ec_err *err)
{
    const struct serve_opts *o = c->arg;
    const struct ec_jval *args = NULL;
    struct ec_arena a = { 0 };
    enum ec_status st;

    if (c->body.len > EC_REQUEST_MAX_BYTES)
        return ec_fail(err, EC_E_INPUT, "a question of more than %zu bytes", EC_REQUEST_MAX_BYTES);
    if (c->body.len || ec_str_starts(c->request, "POST "))
        EC_TRY(ec_json_parse(ec_buf_text(&c->body), c->body.len, &a, &args, err));
    st = ec__question_answer(&o->with, q, args, &c->answer, err);
out:
    ec_arena_clear(&a);
    return st;
}

static void free_predictor(void *p)
{
    ec_predictor_free(p);
}

static enum ec_status predictor(const struct serve_opts *o, struct ec_predictor **ret,
                                struct ec_err *err)
{
    struct ec_predictor *p = NULL;
    enum ec_status st;

    *ret = pthread_getspecific(o->predictor);
    if (*ret)
        return EC_OK;
    EC_TRY(ec_predictor_new(&p, err));
    EC_TRY(ec_predictor_use_profile(p, o->with.profile, err));
    (void)pthread_setspecific(o->predictor, p);
    *ret = p;
    p = NULL;
out:
    ec_predictor_free(p);
    return st;
}

/* Answers the next of JSON lines. One that takes too long has been the last. */
static bool answer_line(struct ec_http_call *c)
{
    const struct serve_opts *o = c->arg;
    struct ec_predictor *p = NULL;
    struct ec_err err = { EC_OK, "" };
    enum ec_status st = EC_OK;
    struct ec_span line = { NULL, 0 };

    ec__answer_begin(&o->with, c->compute_ns);
    while (!line.len && c->rest.len && ec_span_cut(&c->rest, '\n', &line)) {
        line = ec_span_trim(line);
        c->number++;
    }
    if (!line.len)
        return false;
    if (ec__answer_is_late()) {
        c->rest.len = 0;
        st = ec_fail(&err, EC_E_UNSTABLE,
                     "line %lld and those behind it: the answers take longer than the %g s of "
                     "--compute",
                     (long long)c->number, o->with.compute_s);
    } else {
        st = predictor(o, &p, &err);
    }
    if (!st)
        st = ec_predict_request(p, line.p, line.len, c->number, &c->answer, &err);
    ec_compute_until(0);
    if (st)
        ec_http_refuse(c, c->status, st, "%s", err.text);
    else
        ec_buf_char(&c->answer, '\n');
    return true;
}

/* A request, or of JSON lines one a line. */
static enum ec_status answer_predict(struct ec_http_call *c, struct ec_err *err)
{
    struct ec_predictor *p = NULL;

    if (strstr(c->type, "ndjson") || strstr(c->type, "jsonl")) {
        c->rest = (struct ec_span){ ec_buf_text(&c->body), c->body.len };
        c->more = answer_line;
        c->answer_type = "application/x-ndjson";
        return EC_OK;
    }
    EC_PASS(predictor(c->arg, &p, err));
    EC_PASS(ec_predict_request(p, ec_buf_text(&c->body), c->body.len, 0, &c->answer, err));
    ec_buf_char(&c->answer, '\n');
    if (strstr(ec_buf_text(&c->answer), "\"error\":{")) { /* within a text " would be \" */
        c->status = 400;
        return ec_compute_check(err);
    }
    return EC_OK;
}

/* Keeps a network under a path that no file has. */
static enum ec_status answer_model(struct ec_http_call *c, struct ec_err *err)
{
    char digest[EC_SHA256_TEXT_BYTES], name[EC_SHA256_TEXT_BYTES + 8];
    struct ec_graph *g = NULL;
    enum ec_status st;

    if (!c->body.len)
        return ec_fail(err, EC_E_INPUT, "an empty body, expected a network: ONNX, or JSON");
    ec_sha256(c->body.data, c->body.len, digest);
    (void)snprintf(name, sizeof name, "sha256/%s", digest);
    EC_TRY(ec_file_hold(name, c->body.data, c->body.len, err));
    c->body = (struct ec_buf)EC_BUF_INIT;
    EC_TRY(ec_graph_open(name, NULL, &g, err));
    ec_buf_printf(&c->answer, "{\"model\":\"%s\"}\n", name);
out:
    ec_graph_free(g);
    return st;
}

enum { HEALTH, METRICS, OPENAPI, PAGE, PREDICT, MODEL, PATHS };
static const char *const paths[PATHS] = { "/healthz", "/metrics",    "/openapi.json",
                                          "/",        "/v1/predict", "/v1/model" };

static enum ec_status answer_get(struct ec_http_call *c, int path)
{
    const struct serve_opts *o = c->arg;

    if (path == HEALTH) {
        ec_buf_str(&c->answer, "{\"status\":\"ok\",\"version\":\"" EC_VERSION "\"}\n");
    } else if (path == METRICS) {
        c->answer_type = "text/plain; version=0.0.4; charset=utf-8";
        ec_http_metrics(&c->answer);
    } else if (path == OPENAPI) {
        ec_buf_str(&c->answer, ec__openapi_begin);
    } else {
        c->answer_type = "text/html; charset=utf-8";
        ec_buf_add(&c->answer, o->html.data, o->html.len);
    }
    return EC_OK;
}

static void answer(struct ec_http_call *c)
{
    const struct serve_opts *o = c->arg;
    const char *path = strchr(c->request, ' ') + 1, *name = path + strlen("/v1/");
    bool posts = ec_str_starts(c->request, "POST "), is_allowed;
    bool gets = ec_str_starts(c->request, "GET ") || ec_str_starts(c->request, "HEAD ");
    const struct ec_question *q =
        ec_str_starts(path, "/v1/") ? ec__question_find(&o->with, name) : NULL;
    struct ec_err err = { EC_OK, "" };
    enum ec_status st = EC_OK;
    int i = 0;

    while (i < PATHS && !ec_str_eq(path, paths[i]))
        i++;
    is_allowed = (posts && (q || i >= PREDICT)) || (gets && (q || i < PREDICT));
    ec__answer_begin(&o->with, 0);
    if (!q && (i == PATHS || (i == PAGE && !o->html.len))) {
        ec_http_refuse(c, 404, EC_E_NOT_FOUND, "no %s; /openapi.json lists what there is%s", path,
                       i == PAGE ? ", and --page shows the page here" : "");
    } else if (!is_allowed) {
        c->allow = q ? "GET, HEAD, POST" : i < PREDICT ? "GET, HEAD" : "POST";
        ec_http_refuse(c, 405, EC_E_INPUT, "%s, expected %s", c->request, c->allow);
    } else {
        c->path = q ? q->path : paths[i];
        st = q              ? answer_body(c, q, &err)
             : i == PREDICT ? answer_predict(c, &err)
             : i == MODEL   ? answer_model(c, &err)
                            : answer_get(c, i);
    }
    st = ec__answer_end(&o->with, st, &err);
    if (st)
        ec_http_refuse(c, st == EC_E_NOMEM || st == EC_E_UNSTABLE ? 503 : 400, st, "%s", err.text);
}

/* Files that may still be opened: where a name is tried that leads out, by .. or a link, the kernel
 * says no. */
static enum ec_status give_up_rights(struct serve_opts *o, struct ec_err *err)
{
    const char *const named[] = { o->files, o->with.store, o->with.profile };
    const char *readable[EC_LEN(named) + 1] = { NULL };
    struct ec_sandbox_opts opts = { NULL, (int)o->http.connections + 64,
                                    o->sandbox == SANDBOX_REQUIRE };
    const struct rlimit memory = { (rlim_t)o->memory_bytes, (rlim_t)o->memory_bytes };
    unsigned parts = EC_SANDBOX_ALL, needed = EC_SANDBOX_FILES | EC_SANDBOX_CALLS;
    enum ec_status st = EC_OK;
    int i, n = 0;

    for (i = 0; i < EC_LEN(named); i++)
        if (named[i])
            readable[n++] = named[i];
    opts.read_beneath = n ? readable : NULL;
    if (o->memory_bytes && setrlimit(RLIMIT_AS, &memory))
        return ec_fail(err, EC_E_IO, "--memory-bytes: %s", strerror(errno));
    if (chdir(o->files ? o->files : "/"))
        return ec_fail(err, EC_E_IO, "%s: %s", o->files ? o->files : "/", strerror(errno));
    if (o->sandbox != SANDBOX_OFF)
        st = ec_sandbox_enter(&opts, &parts, err);
    if (n)
        needed = EC_SANDBOX_FILES;
    if (!st && !(parts & needed))
        st = ec_fail(err, EC_E_UNSUPPORTED, "this kernel cannot deny files, but for --sandbox off");
    return st;
}

static enum ec_status ready(const struct ec_http_opts *http, int port, struct ec_err *err)
{
    EC_PASS(give_up_rights(http->arg, err));
    ec_say("http://%.*s:%d\n", (int)(strrchr(http->listen, ':') - http->listen), http->listen,
           port);
    return EC_OK;
}

static enum ec_status serve_agent(struct ec_call *call, struct ec_err *err)
{
    struct serve_opts *o = call->opts;
    struct ec_buf line = EC_BUF_INIT;
    enum ec_status st;

    call->is_data = true;
    EC_TRY(give_up_rights(o, err));
    while (ec_call_line(stdin, &line)) {
        EC_TRY(ec_buf_status(&line, err));
        ec__agent_answer(&o->with, ec_buf_text(&line), line.len, &call->out);
        EC_TRY(ec_call_flush(call, err));
    }
out:
    ec_buf_clear(&line);
    return st;
}

/* In place of a path that is relative the whole one: the folder is left. path: NULL stays NULL */
static enum ec_status find_path(const char **path, struct ec_arena *a, struct ec_err *err)
{
    char *whole = *path ? realpath(*path, NULL) : NULL;

    if (*path && !whole)
        return ec_fail(err, EC_E_NOT_FOUND, "%s: %s", *path, strerror(errno));
    if (whole)
        *path = ec_arena_str(a, whole);
    free(whole);
    return EC_OK;
}

static enum ec_status read_token(struct serve_opts *o, struct ec_arena *a, struct ec_err *err)
{
    struct ec_span text;
    size_t n = 0;

    EC_PASS(ec_file_open(o->token_file, 4096, &o->token, err));
    text = ec_span_trim((struct ec_span){ (const char *)o->token.data, o->token.len });
    while (n < text.len && isgraph((unsigned char)text.p[n]))
        n++;
    if (n < TOKEN_MIN_BYTES || n < text.len)
        return ec_fail(err, EC_E_INPUT, "%s: expected a word of at least %d letters", o->token_file,
                       TOKEN_MIN_BYTES);
    o->http.token = ec_arena_strn(a, text.p, text.len);
    return ec_allocated(o->http.token, err);
}

static enum ec_status serve_http(struct serve_opts *o, struct ec_err *err)
{
    enum ec_status st;

    if (pthread_key_create(&o->predictor, free_predictor))
        return ec_nomem(err);
    o->http.say = o->log ? ec_say : NULL;
    o->http.stop = ec_interrupted;
    o->http.ready = ready;
    o->http.answer = answer;
    o->http.arg = o;
    ec_interrupt_watch();
    st = ec_http_serve(&o->http, err);
    ec_interrupt_end();
    (void)pthread_key_delete(o->predictor);
    return st;
}

static enum ec_status run(struct ec_call *call, struct ec_err *err)
{
    struct serve_opts *o = call->opts;
    struct ec_predictor *p = NULL;
    struct ec_store *store = NULL;
    enum ec_status st;

    o->with.of = call->of;
    o->with.to_agent = o->mcp;
    EC_TRY(find_path(&o->files, &call->arena, err));
    if (o->with.store) /* whether it is one */
        EC_TRY(ec_store_open(o->with.store, EC_STORE_READ, &store, err));
    ec_store_close(store);
    EC_TRY(find_path(&o->with.store, &call->arena, err));
    EC_TRY(find_path(&o->with.profile, &call->arena, err));
    EC_TRY(ec_predictor_new(&p, err));
    EC_TRY(ec_predictor_use_profile(p, o->with.profile, err)); /* whether it is one */
    if (o->page)
        EC_TRY(ec_file_open(o->page, FILE_MAX_BYTES, &o->html, err));
    if (o->token_file)
        EC_TRY(read_token(o, &call->arena, err));
    st = o->mcp ? serve_agent(call, err) : serve_http(o, err);
out:
    ec_predictor_free(p);
    ec_file_close(&o->html);
    ec_file_close(&o->token);
    return st;
}
