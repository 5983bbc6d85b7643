/* The Model Context Protocol: JSON-RPC 2.0, a message a line. */
#include "cli/serve_internal.h"
#include "predict/predict.h"

#include "mcp_tools_file.h"

EC_EMBED(tools, EC_MCP_TOOLS_FILE);

static const struct ec_jval *member(const struct ec_jval *v, const char *key, enum ec_jtype type)
{
    const struct ec_jval *ret = v && v->type == EC_J_OBJECT ? ec_json_get(v, key) : NULL;

    return ret && ret->type == type ? ret : NULL;
}

static void put_call(struct ec_buf *out, const struct ec_answering *a, const struct ec_question *q,
                     const struct ec_jval *args)
{
    struct ec_buf text = EC_BUF_INIT;
    struct ec_err err = { EC_OK, "" };
    bool failed;

    ec__answer_begin(a, 0);
    failed = ec__answer_end(a, ec__question_answer(a, q, args, &text, &err), &err) != EC_OK;
    ec_buf_str(out, ",\"result\":{\"content\":[{\"type\":\"text\",\"text\":");
    ec_json_quote(out, failed ? err.text : ec_buf_text(&text));
    ec_buf_printf(out, "}],\"isError\":%s}", failed ? "true" : "false");
    ec_buf_clear(&text);
}

/* root: NULL where the line is no JSON. A notification has no id and gets no answer. */
static void put_answer(struct ec_buf *out, const struct ec_jval *root, const struct ec_answering *a)
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
    const struct ec_question *q =
        ec__question_find(ec_str_eq(name, "predict") ? "compare" : name, a->of);
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
        put_call(out, a, q, ec_json_get(params, "arguments"));
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

void ec__agent_answer(const struct ec_answering *a, const char *line, size_t len,
                      struct ec_buf *out)
{
    const struct ec_jval *root = NULL;
    struct ec_arena arena = { 0 };

    if (ec_json_parse(line, len, &arena, &root, NULL))
        root = NULL;
    put_answer(out, root, a);
    ec_arena_clear(&arena);
}
