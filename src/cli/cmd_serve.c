/* epochcast serve: predictions over HTTP, and for agents over standard input and output. What comes
 * in is a stranger's: after the start no file can be opened and no program started. */
#include "cli/args_internal.h"
#include "predict/predict.h"
#include "serve/serve.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "mcp_tools_file.h"
#include "openapi_file.h"

EC_EMBED(openapi, EC_OPENAPI_FILE);
EC_EMBED(tools, EC_MCP_TOOLS_FILE);

#define FILE_MAX_BYTES ((size_t)1 << 26)
#define WORDS_MAX 256

struct serve_opts {
    const struct ec_executable *of; /* its commands answer */
    const char *page;
    bool log, mcp;
    int64_t memory_bytes;
    int sandbox;
    struct ec_http_opts http;
    struct ec_file html;
    pthread_key_t predictor; /* each thread's: it keeps networks */
};

enum { SANDBOX_AUTO, SANDBOX_REQUIRE, SANDBOX_OFF };
static const char *const sandbox_names[] = { "auto", "require", "off", NULL };

#include "serve_cmd.h"

/* Questions are command lines: their options and answers are those of the commands.
 * tools/make-questions describes them, by the same tables, in data/openapi.json and, for agents, in
 * data/mcp-tools.json. */
static const struct question {
    const char *name, *words[2]; /* that the command line begins with */
} questions[] = {
    {"compare",   { "predict", NULL }  },
    { "plan",     { "plan", NULL }     },
    { "check",    { "check", NULL }    },
    { "layers",   { "model", NULL }    },
    { "networks", { "model", "--list" }},
    { "devices",  { "device", "list" } },
    { "device",   { "device", "show" } },
};

static const struct ec_cmd *command_of(const struct question *q, const struct ec_executable *of)
{
    const struct ec_cmd *cmd = ec_cmd_find(of, q->words[0]);
    const struct ec_cmd *sub = cmd && cmd->subs ? ec_cmd_sub(cmd, q->words[1]) : NULL;

    return sub ? sub : cmd;
}

static const struct question *find_question(const char *name, const struct ec_executable *of)
{
    int i;

    for (i = 0; i < EC_LEN(questions); i++)
        if (ec_str_eq(questions[i].name, name) && command_of(&questions[i], of))
            return &questions[i];
    return NULL;
}

/* "--batch=32,64" */
static const char *word_of(const struct ec_jval *v, struct ec_arena *a)
{
    const struct ec_jval *one = v->type == EC_J_ARRAY ? v->child : v;
    struct ec_buf b = EC_BUF_INIT;
    const char *ret;
    int n = 0;

    ec_buf_printf(&b, "--%s=", v->key);
    for (; one; one = v->type == EC_J_ARRAY ? one->next : NULL) {
        if (n++)
            ec_buf_char(&b, ',');
        if (one->type == EC_J_NUM && !one->is_int)
            ec_buf_printf(&b, "%.17g", one->num);
        else if (one->type == EC_J_NUM)
            ec_buf_printf(&b, "%lld", (long long)one->i);
        else
            ec_buf_str(&b, one->type == EC_J_STR ? one->str : one->b ? "1" : "0");
    }
    ret = b.st ? NULL : ec_arena_str(a, b.data);
    ec_buf_clear(&b);
    return ret;
}

/* And nothing else; a file that another option names cannot be opened (ec_sandbox_enter). */
static bool names_file(const struct ec_field *f)
{
    return f->metavar && strstr(f->metavar, "FILE") && !strstr(f->metavar, "|KEY=");
}

/* args: an object of options, or NULL */
static enum ec_status answer_question(const struct ec_executable *of, const struct question *q,
                                      const struct ec_jval *args, struct ec_buf *out,
                                      struct ec_err *err)
{
    char json[] = "--json", *words[WORDS_MAX] = { (char *)q->words[0], json };
    struct ec_call call = { .of = of, .out = EC_BUF_INIT, .taken = out };
    struct ec_buf said = EC_BUF_INIT, *before = ec_say_into(&said);
    const struct ec_jval *v;
    const struct ec_arg_group *g = NULL;
    struct ec_arena a = { 0 };
    const struct ec_field *f;
    enum ec_status st = EC_OK;
    int n = 2;

    if (q->words[1]) {
        words[1] = (char *)q->words[1];
        words[n++] = json;
    }
    if (args && args->type != EC_J_OBJECT)
        EC_TRY(ec_fail(err, EC_E_INPUT, "expected an object of options"));
    for (v = args ? args->child : NULL; v; v = v->next) {
        f = ec__field_of(command_of(q, of), ec_span_of(v->key), 0, &g);
        if (!f || n == WORDS_MAX || v->type == EC_J_OBJECT || names_file(f))
            EC_TRY(ec_fail(err, EC_E_INPUT, "%s takes no such \"%.60s\"", q->name, v->key));
        if (v->type == EC_J_NULL)
            continue;
        words[n] = (char *)word_of(v, &a);
        if (!words[n++])
            EC_TRY(ec_nomem(err));
    }
    st = ec_call_answer(&call, ec_cmd_find(of, q->words[0]), n - 1, words + 1, err);
out:
    (void)ec_say_into(before);
    ec_call_clear(&call);
    ec_buf_clear(&said);
    ec_arena_clear(&a);
    return st;
}

static enum ec_status answer_body(struct ec_http_call *c, const struct question *q,
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
    st = answer_question(o->of, q, args, &c->answer, err);
out:
    ec_arena_clear(&a);
    return st;
}

static void free_predictor(void *p)
{
    ec_predictor_free(p);
}

/* A request, or of JSON lines one a line. */
static enum ec_status answer_predict(struct ec_http_call *c, const struct serve_opts *o,
                                     struct ec_err *err)
{
    struct ec_predictor *p = pthread_getspecific(o->predictor);
    struct ec_span rest = { ec_buf_text(&c->body), c->body.len }, line = rest;
    bool lines = strstr(c->type, "ndjson") || strstr(c->type, "jsonl");
    enum ec_status st = EC_OK;
    int64_t number = 0;

    if (!p)
        EC_TRY(ec_predictor_new(&p, err));
    (void)pthread_setspecific(o->predictor, p);
    while (lines ? rest.len && ec_span_cut(&rest, '\n', &line) : !number) {
        line = ec_span_trim(line);
        number++;
        if (lines && !line.len)
            continue;
        EC_TRY(ec_predict_request(p, line.p, line.len, lines ? number : 0, &c->answer, err));
        ec_buf_char(&c->answer, '\n');
    }
    if (lines)
        c->answer_type = "application/x-ndjson";
    else if (strstr(ec_buf_text(&c->answer), "\"error\":{")) /* within a text " would be \" */
        c->status = 400;
out:
    return st;
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

static void answer(struct ec_http_call *c)
{
    const struct serve_opts *o = c->arg;
    const char *path = strchr(c->request, ' ') + 1, *name = path + strlen("/v1/");
    const struct question *q = ec_str_starts(path, "/v1/") ? find_question(name, o->of) : NULL;
    struct ec_err err = { EC_OK, "" };
    enum ec_status st = EC_OK;

    if (ec_str_eq(c->request, "POST /v1/predict")) {
        st = answer_predict(c, o, &err);
    } else if (ec_str_eq(c->request, "POST /v1/model")) {
        st = answer_model(c, &err);
    } else if (q && (ec_str_starts(c->request, "POST ") || ec_str_starts(c->request, "GET "))) {
        st = answer_body(c, q, &err);
    } else if (ec_str_eq(c->request, "GET /healthz")) {
        ec_buf_str(&c->answer, "{\"status\":\"ok\",\"version\":\"" EC_VERSION "\"}\n");
    } else if (ec_str_eq(c->request, "GET /openapi.json")) {
        ec_buf_str(&c->answer, ec__openapi_begin);
    } else if (ec_str_eq(c->request, "GET /") && o->html.len) {
        c->answer_type = "text/html; charset=utf-8";
        ec_buf_add(&c->answer, o->html.data, o->html.len);
    } else {
        ec_http_refuse(c, 404, EC_E_NOT_FOUND, "no %s; /openapi.json lists what there is",
                       c->request);
    }
    if (st)
        ec_http_refuse(c, st == EC_E_NOMEM ? 503 : 400, st, "%s", err.text);
}

static enum ec_status give_up_rights(const struct serve_opts *o, struct ec_err *err)
{
    const struct ec_sandbox_opts opts = { NULL, (int)o->http.connections + 64,
                                          o->sandbox == SANDBOX_REQUIRE };
    const struct rlimit memory = { (rlim_t)o->memory_bytes, (rlim_t)o->memory_bytes };
    unsigned parts = EC_SANDBOX_ALL;
    enum ec_status st = EC_OK;

    if ((o->memory_bytes && setrlimit(RLIMIT_AS, &memory)) || chdir("/"))
        return ec_fail(err, EC_E_IO, "--memory-bytes: %s", strerror(errno));
    if (o->sandbox != SANDBOX_OFF)
        st = ec_sandbox_enter(&opts, &parts, err);
    if (!st && !(parts & (EC_SANDBOX_FILES | EC_SANDBOX_CALLS)))
        st = ec_fail(err, EC_E_UNSUPPORTED, "this kernel cannot deny files, but for --sandbox off");
    return st;
}

static enum ec_status ready(const struct ec_http_opts *http, int port, struct ec_err *err)
{
    enum ec_status st = give_up_rights(http->arg, err);

    if (!st)
        ec_say("http://%.*s:%d\n", (int)(strrchr(http->listen, ':') - http->listen), http->listen,
               port);
    return st;
}

/* ------------------------------------------------------------------------------------------------
 * The Model Context Protocol: JSON-RPC 2.0, a message a line */

static const struct ec_jval *member(const struct ec_jval *v, const char *key, enum ec_jtype type)
{
    const struct ec_jval *ret = v && v->type == EC_J_OBJECT ? ec_json_get(v, key) : NULL;

    return ret && ret->type == type ? ret : NULL;
}

static void put_call(struct ec_buf *out, const struct ec_executable *of, const struct question *q,
                     const struct ec_jval *args)
{
    struct ec_buf text = EC_BUF_INIT;
    struct ec_err err = { EC_OK, "" };
    bool failed = answer_question(of, q, args, &text, &err) != EC_OK;

    ec_buf_str(out, ",\"result\":{\"content\":[{\"type\":\"text\",\"text\":");
    ec_json_quote(out, failed ? err.text : ec_buf_text(&text));
    ec_buf_printf(out, "}],\"isError\":%s}", failed ? "true" : "false");
    ec_buf_clear(&text);
}

/* root: NULL where the line is no JSON. A notification has no id and gets no answer. */
static void put_answer(struct ec_buf *out, const struct ec_jval *root,
                       const struct ec_executable *of)
{
    static const char *const wrong[] = { "-32700,\"message\":\"no JSON",
                                         "-32600,\"message\":\"no method",
                                         "-32602,\"message\":\"no such tool",
                                         "-32601,\"message\":\"no such method" };
    const struct ec_jval *params = member(root, "params", EC_J_OBJECT);
    const struct ec_jval *method = member(root, "method", EC_J_STR);
    const struct ec_jval *tool = member(params, "name", EC_J_STR);
    const struct ec_jval *version = member(params, "protocolVersion", EC_J_STR);
    const struct ec_jval *id = method ? ec_json_get(root, "id") : NULL;
    const char *asked = method ? method->str : "", *name = tool ? tool->str : "";
    const struct question *q = find_question(ec_str_eq(name, "predict") ? "compare" : name, of);
    bool calls = ec_str_eq(asked, "tools/call");
    struct ec_json j;

    if (method && !id)
        return;
    ec_json_begin(&j, out, 0);
    ec_json_open(&j, NULL, '{');
    ec_json_str(&j, "jsonrpc", "2.0");
    ec_request_id_json(&j, id);
    if (!id || (id->type != EC_J_STR && id->type != EC_J_NUM))
        ec_buf_str(out, ",\"id\":null");
    if (calls && q)
        put_call(out, of, q, ec_json_get(params, "arguments"));
    else if (ec_str_eq(asked, "tools/list"))
        ec_buf_printf(out, ",\"result\":%s", ec__tools_begin);
    else if (ec_str_eq(asked, "initialize"))
        ec_buf_printf(out,
                      ",\"result\":{\"protocolVersion\":\"%s\",\"capabilities\":{\"tools\":{}},"
                      "\"serverInfo\":{\"name\":\"epochcast\",\"version\":\"" EC_VERSION "\"}}",
                      version && ec_str_eq(version->str, "2024-11-05")   ? "2024-11-05"
                      : version && ec_str_eq(version->str, "2025-03-26") ? "2025-03-26"
                                                                         : "2025-06-18");
    else if (ec_str_eq(asked, "ping"))
        ec_buf_str(out, ",\"result\":{}");
    else
        ec_buf_printf(out, ",\"error\":{\"code\":%s\"}",
                      wrong[!root     ? 0
                            : !method ? 1
                            : calls   ? 2
                                      : 3]);
    ec_buf_str(out, "}\n");
}

static enum ec_status serve_agent(struct ec_call *call, struct ec_err *err)
{
    struct ec_buf line = EC_BUF_INIT;
    enum ec_status st;

    call->is_data = true;
    EC_TRY(give_up_rights(call->opts, err));
    while (ec_call_line(stdin, &line)) {
        const struct ec_jval *root = NULL;
        struct ec_arena a = { 0 };

        EC_TRY(ec_buf_status(&line, err));
        if (ec_json_parse(ec_buf_text(&line), line.len, &a, &root, NULL))
            root = NULL;
        put_answer(&call->out, root, call->of);
        ec_arena_clear(&a);
        EC_TRY(ec_call_flush(call, err));
    }
out:
    ec_buf_clear(&line);
    return st;
}

static enum ec_status run(struct ec_call *call, struct ec_err *err)
{
    struct serve_opts *o = call->opts;
    enum ec_status st = EC_OK;

    if (o->mcp)
        return serve_agent(call, err);
    if (pthread_key_create(&o->predictor, free_predictor))
        return ec_nomem(err);
    if (o->page)
        EC_TRY(ec_file_open(o->page, FILE_MAX_BYTES, &o->html, err));
    o->of = call->of;
    o->http.say = o->log ? ec_say : NULL;
    o->http.stop = ec_interrupted;
    o->http.ready = ready;
    o->http.answer = answer;
    o->http.arg = o;
    ec_interrupt_watch();
    st = ec_http_serve(&o->http, err);
    ec_interrupt_end();
out:
    (void)pthread_key_delete(o->predictor);
    ec_file_close(&o->html);
    return st;
}
