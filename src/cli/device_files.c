/* Files of devices among the words of a command: --device mygpu.json. */
#include "cli/cli.h"

#include "hw/hw.h"

#include <string.h>

/* Says once what a file lacks, unless the answers of the command do. */
static enum ec_status say_notes(struct ec_call *call, const char *word, struct ec_err *err)
{
    struct ec_strs words = { .n = 1, .v = &word };
    const struct ec_device **found = NULL;
    char title[EC_CMD_TITLE_BYTES];
    int n = 0, i;

    EC_PASS(ec_devices_named(&words, &found, &n, &call->arena, err));
    (void)ec_cmd_title(call->cmd, title, sizeof title);
    for (i = 0; i < n && !call->cmd->says_devices; i++)
        ec_say("%s %s: %s: %s\n", call->of->name, title, ec_device_key(found[i]),
               found[i]->file_note);
    return EC_OK;
}

static enum ec_status read_words(struct ec_call *call, const char *words, struct ec_err *err)
{
    struct ec_span rest = ec_span_of(words), word;
    const char *name;

    while (rest.p && ec_span_cut(&rest, ',', &word)) {
        word = ec_span_trim(word);
        name = ec_arena_strn(&call->arena, word.p, word.len);
        EC_PASS(ec_allocated(name, err));
        if (!ec_device_is_file(name))
            continue;
        EC_PASS(ec_device_read(name, NULL, err));
        EC_PASS(say_notes(call, name, err));
    }
    return EC_OK;
}

/* "envA=mygpu.json" -> "mygpu.json" */
static const char *after_name(const char *word)
{
    const char *equals = strrchr(word, '=');

    return equals ? equals + 1 : word;
}

/* Not the lists of filters, which select what a store has of a device. */
enum ec_status ec_call_read_devices(struct ec_call *call, struct ec_err *err)
{
    const struct ec_arg_group *g;
    const struct ec_field *f;
    int i;

    for (g = call->cmd->groups; g && g->fields; g++)
        for (f = g->fields; f->name; f++) {
            const char *at = (const char *)call->opts + g->offset + f->offset;
            const struct ec_strs *words = (const void *)at;

            if (!ec_str_eq(f->name, "device") && !ec_str_eq(f->name, "keys") &&
                !ec_str_eq(f->name, "environment"))
                continue;
            if (f->type == EC_F_STR && ec_str_eq(f->metavar, "KEY") &&
                *(const char *const *)(const void *)at)
                EC_PASS(read_words(call, *(const char *const *)(const void *)at, err));
            for (i = 0; f->type == EC_F_STRS && i < words->n; i++)
                EC_PASS(read_words(call, after_name(words->v[i]), err));
        }
    return EC_OK;
}
