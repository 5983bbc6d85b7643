/* Questions of `epochcast serve` are command lines: their options and answers are those of the
 * commands. */
#include "cli/args_internal.h"
#include "cli/serve_internal.h"

#include <string.h>

#define WORDS_MAX 256

/* tools/make-questions describes them, by the same tables, in data/openapi.json and, for agents, in
 * data/mcp-tools.json. predict over HTTP is in cmd_serve.c. */
static const struct ec_question questions[] = {
    {"/v1/predict",   { "predict", NULL },       { NULL, "--json" }        },
    { "/v1/compare",  { "predict", NULL },       { "--json", "--markdown" }},
    { "/v1/memory",   { "predict", "--memory" }, { NULL, "--markdown" }    },
    { "/v1/plan",     { "plan", NULL },          { "--json", "--json" }    },
    { "/v1/check",    { "check", NULL },         { "--json", "--json" }    },
    { "/v1/layers",   { "model", NULL },         { "--json", "--json" }    },
    { "/v1/networks", { "model", "--list" },     { "--json", "--json" }    },
    { "/v1/devices",  { "device", "list" },      { "--json", "--json" }    },
    { "/v1/device",   { "device", "show" },      { "--json", "--json" }    },
};

static const struct ec_cmd *command_of(const struct ec_question *q, const struct ec_executable *of)
{
    const struct ec_cmd *cmd = ec_cmd_find(of, q->words[0]);
    const struct ec_cmd *sub = cmd && cmd->subs ? ec_cmd_sub(cmd, q->words[1]) : NULL;

    return sub ? sub : cmd;
}

static const char *name_of(const struct ec_question *q)
{
    return q->path + strlen("/v1/");
}

const struct ec_question *ec__question_find(const struct ec_answering *a, const char *name)
{
    const struct ec_question *q;

    for (q = questions; q < questions + EC_LEN(questions); q++)
        if (q->form[a->to_agent] && ec_str_eq(name_of(q), name) && command_of(q, a->of))
            return q;
    return NULL;
}

void ec__answer_begin(const struct ec_answering *a, int64_t taken_ns)
{
    ec_compute_until(a->compute_s > 0 ? ec_clock_ns() + (int64_t)(a->compute_s * 1e9) - taken_ns
                                      : 0);
}

bool ec__answer_is_late(void)
{
    return ec_compute_end_ns() && ec_clock_ns() > ec_compute_end_ns();
}

enum ec_status ec__answer_end(const struct ec_answering *a, enum ec_status st, struct ec_err *err)
{
    if (ec__answer_is_late())
        st = ec_fail(err, EC_E_UNSTABLE, "the answer takes longer than the %g s of --compute",
                     a->compute_s);
    ec_compute_until(0);
    return st;
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

/* "FILE|KEY=USD,...": of an option over HTTP, which takes no files. */
static const char *after_bar(const char *metavar)
{
    const char *bar = strchr(metavar, '|');

    return bar ? bar + 1 : metavar;
}

static enum ec_status refuse_key(const char *asked, const struct ec_cmd *cmd, const char *key,
                                 struct ec_err *err)
{
    const char *names[WORDS_MAX], *near;
    const struct ec_arg_group *g;
    const struct ec_field *f;
    int n = 0;

    for (g = cmd->groups; g->fields; g++)
        for (f = g->fields; f->name && n < WORDS_MAX; f++)
            if (!names_file(f))
                names[n++] = f->name;
    if (cmd->positional && !ec_near_names(key, names, n, &near, 1))
        return ec_fail(err, EC_E_INPUT, "%s takes no such \"%.60s\"; expected \"%s\"", asked, key,
                       cmd->positional);
    return ec_fail_near(err, EC_E_INPUT, key, names, n, "%s takes no such \"%.60s\"", asked, key);
}

enum ec_status ec__question_answer(const struct ec_answering *with, const struct ec_question *q,
                                   const struct ec_jval *args, struct ec_buf *out,
                                   struct ec_err *err)
{
    const char *form = q->form[with->to_agent], *words[WORDS_MAX] = { q->words[0], form };
    const struct ec_cmd *cmd = command_of(q, with->of);
    struct ec_call call = {
        .of = with->of, .out = EC_BUF_INIT, .taken = out, .profile = with->profile
    };
    struct ec_buf said = EC_BUF_INIT, *before = ec_say_into(&said);
    const struct ec_jval *v;
    const struct ec_arg_group *g = NULL;
    struct ec_arena a = { 0 };
    const struct ec_field *f;
    enum ec_status st = EC_OK;
    int n = 2;

    if (q->words[1]) {
        words[1] = q->words[1];
        words[n++] = form;
    }
    if (args && args->type != EC_J_OBJECT)
        EC_TRY(ec_fail(err, EC_E_INPUT, "expected an object of options"));
    if (with->store && args && ec_json_get(args, "evidence"))
        words[n++] = ec_arena_printf(&a, "--store=%s", with->store);
    for (v = args ? args->child : NULL; v; v = v->next) {
        f = ec__field_of(cmd, ec_span_of(v->key), 0, &g);
        if (!f || n == WORDS_MAX || names_file(f) ||
            (!with->store && ec_str_eq(v->key, "evidence")))
            EC_TRY(refuse_key(with->to_agent ? name_of(q) : q->path, cmd, v->key, err));
        if (v->type == EC_J_OBJECT)
            EC_TRY(ec_fail(err, EC_E_INPUT, "%s: found an object, expected text such as \"%s\"",
                           v->key, f->metavar ? after_bar(f->metavar) : "1"));
        if (v->type != EC_J_NULL)
            words[n++] = word_of(v, &a);
        EC_TRY(ec_allocated(words[n - 1], err));
    }
    st = ec_call_answer(&call, ec_cmd_find(with->of, q->words[0]), n - 1, (char **)words + 1, err);
    if (!st && call.interrupted[0])
        st = ec_fail(err, EC_E_UNSTABLE, "%s", call.interrupted);
out:
    (void)ec_say_into(before);
    ec_call_clear(&call);
    ec_buf_clear(&said);
    ec_arena_clear(&a);
    return st;
}
