/* Lines of the Model Context Protocol, as agents send them. An answer is one line of JSON with an
 * id, or there is none. Of the commands there is the catalogue of devices alone, which is quick and
 * opens no network. */
#include "fuzz.h"

#include "cli/serve_internal.h"

#include <string.h>

extern const struct ec_cmd ec_cmd_device;

static void stop(const char *why)
{
    (void)fprintf(stderr, "%s\n", why);
    __builtin_trap();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct ec_cmd *const commands[] = { &ec_cmd_device, NULL };
    static const struct ec_executable of = { "fuzz", "", commands };
    const struct ec_answering with = { .of = &of, .compute_s = 1, .to_agent = true };
    const struct ec_jval *root = NULL;
    struct ec_buf out = EC_BUF_INIT;
    struct ec_arena a = { 0 };

    if (size > 1 << 14)
        return 0;
    ec__agent_answer(&with, (const char *)data, size, &out);
    if (out.len) {
        if (strchr(ec_buf_text(&out), '\n') != out.data + out.len - 1)
            stop("an answer of several lines");
        if (ec_json_parse(ec_buf_text(&out), out.len, &a, &root, NULL))
            stop("an answer that is no JSON");
        if (root->type != EC_J_OBJECT || !ec_json_get(root, "id"))
            stop("an answer without an id");
    }
    ec_arena_clear(&a);
    ec_buf_clear(&out);
    return 0;
}
