/* The Model Context Protocol: JSON-RPC 2.0, a message a line. */
#include "cli/serve_internal.h"
#include "predict/predict.h"

#include "mcp_tools_file.h"

#include <string.h>

EC_EMBED(tools, EC_MCP_TOOLS_FILE);

#define ANSWER_MAX_BYTES 65536 /* about what clients hand on to their model at once */

static const struct ec_jval *member(const struct ec_jval *v, const char *key, enum ec_jtype type)
{
    const struct ec_jval *ret = v && v->type == EC_J_OBJECT ? ec_json_get(v, key) : NULL;

    return ret && ret->type == type ? ret : NULL;
}

/* Without the space between its words, which an agent would read and pay for. */
static void put_short(struct ec_buf *to, const char *json)
{
    bool quoted = false;

    for (; *json; json++) {
        if (!quoted && (*json == ' ' || *json == '\n'))
            continue;
        if (*json == '"')
            quoted = !quoted;
        ec_buf_char(to, *json);
        if (*json == '\\')
            ec_buf_char(to, *++json);
    }
}

/* Asked for all devices: a table of what people compare, since all that is known of them is long.
 */
static const struct ec_question as_table = {
    "/v1/devices", {"device", "list"      },
     { NULL,    "--markdown"}
};

static void put_call(struct ec_buf *out, const struct ec_answering *a, const struct ec_question *q,
                     const struct ec_jval *args)
{
    struct ec_buf whole = EC_BUF_INIT, text = EC_BUF_INIT;
    struct ec_err err = { EC_OK, "" };
    enum ec_status st;

    if (ec_str_eq(q->path, as_table.path) && (!args || !args->child))
        q = &as_table;
    ec__answer_begin(a, 0);
    st = ec__answer_end(a, ec__question_answer(a, q, args, &whole, &err), &err);
    if (ec_str_eq(q->form[true], "--json"))
        put_short(&text, ec_buf_text(&whole));
    else
        ec_buf_join(&text, &whole);
    if (!st && text.len > ANSWER_MAX_BYTES)
        st = ec_fail(&err, EC_E_INPUT,
                     "the answer has %zu bytes, an agent gets at most %d: ask for fewer devices or "
                     "conditions, or give \"top\" or \"totals\"",
                     text.len, ANSWER_MAX_BYTES);
    ec_buf_str(out, ",\"result\":{\"content\":[{\"type\":\"text\",\"text\":");
    ec_json_quote(out, st ? err.text : ec_buf_text(&text));
    ec_buf_printf(out, "}],\"isError\":%s}", st ? "true" : "false");
    ec_buf_clear(&whole);
    ec_buf_clear(&text);
}

/* root: NULL where the line is no JSON, err says why. A notification has no id and gets no answer.
 */
static void put_answer(struct ec_buf *out, const struct ec_jval *root, const struct ec_answering *a,
                       struct ec_err *err)
{
    const struct ec_jval *params = member(root, "params", EC_J_OBJECT);
    const struct ec_jval *method = member(root, "method", EC_J_STR);
    const struct ec_jval *tool = member(params, "name", EC_J_STR);
    const struct ec_jval *version = member(params, "protocolVersion", EC_J_STR);
    const struct ec_jval *id = method ? ec_json_get(root, "id") : NULL;
    const char *asked = method ? method->str : "", *name = tool ? tool->str : "";
    const struct ec_question *q = ec__question_find(a, name);
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
    if (calls && q) {
        put_call(out, a, q, ec_json_get(params, "arguments"));
    } else if (ec_str_eq(asked, "tools/list")) {
        ec_buf_printf(out, ",\"result\":%s", ec__tools_begin);
    } else if (ec_str_eq(asked, "initialize")) {
        /* not 2025-03-26, the one version whose servers must take batches */
        ec_buf_printf(out,
                      ",\"result\":{\"protocolVersion\":\"%s\",\"capabilities\":{\"tools\":{}},"
                      "\"serverInfo\":{\"name\":\"epochcast\",\"version\":\"" EC_VERSION "\"}}",
                      version && strcmp(version->str, "2025-06-18") < 0 ? "2024-11-05"
                                                                        : "2025-06-18");
    } else if (ec_str_eq(asked, "ping")) {
        ec_buf_str(out, ",\"result\":{}");
    } else {
        if (root)
            (void)ec_fail(err, EC_E_NOT_FOUND, "no %s \"%.60s\"%s", calls ? "tool" : "method",
                          calls ? name : asked,
                          calls    ? "; tools/list names them"
                          : method ? ""
                                   : "; expected an object that has one");
        ec_buf_printf(out, ",\"error\":{\"code\":%d,\"message\":",
                      !root     ? -32700
                      : !method ? -32600
                      : calls   ? -32602
                                : -32601);
        ec_json_quote(out, err->text);
        ec_buf_char(out, '}');
    }
    ec_buf_str(out, "}\n");
}

void ec__agent_answer(const struct ec_answering *a, const char *line, size_t len,
                      struct ec_buf *out)
{
    const struct ec_jval *root = NULL;
    struct ec_err err = { EC_OK, "" };
    struct ec_arena arena = { 0 };

    if (ec_json_parse(line, len, &arena, &root, &err))
        root = NULL;
    put_answer(out, root, a, &err);
    ec_arena_clear(&arena);
}
