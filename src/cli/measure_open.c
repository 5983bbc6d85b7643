/* Opens what a campaign needs: backend, measurement file, machine record. */
#include "cli/measure_internal.h"

#include <string.h>

#include "hw/hw.h"
#include "store/store.h"

enum { MACHINE_DIGITS = 12 };

/* Writes machine-<id>.json to the folder of the file; id is the beginning of its SHA-256. */
static enum ec_status write_machine(struct ec_call *call, const char *out,
                                    const struct ec_machine *machine, const char **ret_id,
                                    struct ec_err *err)
{
    struct ec_buf json = EC_BUF_INIT, path = EC_BUF_INIT;
    char digest[EC_SHA256_TEXT_BYTES];
    const char *slash = out ? strrchr(out, '/') : NULL;
    enum ec_status st;

    EC_TRY(ec_machine_to_json(machine, &json, err));
    EC_TRY(ec_buf_status(&json, err));
    ec_sha256(json.data, json.len, digest);
    *ret_id = ec_arena_strn(&call->arena, digest, MACHINE_DIGITS);
    EC_TRY(ec_allocated(*ret_id, err));
    if (slash)
        ec_buf_add(&path, out, (size_t)(slash + 1 - out));
    ec_buf_printf(&path, "machine-%s.json", *ret_id);
    EC_TRY(ec_buf_status(&path, err));
    EC_TRY(ec_file_write(path.data, json.data, json.len, err));
out:
    ec_buf_clear(&json);
    ec_buf_clear(&path);
    return st;
}

/* The catalogue key of the CPU or GPU; if it has none, its name in lower case with '-' between
 * words. */
static const char *device_word(struct ec_call *call, const char *name)
{
    const struct ec_device *d = NULL;
    struct ec_buf word = EC_BUF_INIT;
    const char *c, *ret;

    if (!ec_device_find(name, &d, NULL))
        return ec_device_key(d);
    for (c = name; *c; c++) {
        bool letter = (*c >= 'a' && *c <= 'z') || (*c >= '0' && *c <= '9');

        if (*c >= 'A' && *c <= 'Z')
            ec_buf_char(&word, (char)(*c - 'A' + 'a'));
        else if (letter)
            ec_buf_char(&word, *c);
        else if (word.len && word.data[word.len - 1] != '-')
            ec_buf_char(&word, '-');
    }
    while (word.len && word.data[word.len - 1] == '-')
        word.data[--word.len] = '\0';
    ret = ec_arena_str(&call->arena, word.len ? word.data : "unknown");
    ec_buf_clear(&word);
    return ret;
}

/* "onednn=2.6.3" of "oneDNN 2.6.3 (OMP)"; other backends' word for themselves as it is. */
static const char *libraries_of(struct ec_call *call, const char *library)
{
    struct ec_span rest = ec_span_of(library ? library : ""), word = { "", 0 };

    (void)ec_span_cut(&rest, ' ', &word);
    if (rest.p)
        (void)ec_span_cut(&rest, ' ', &word);
    return word.len ? ec_arena_printf(&call->arena, "onednn=%.*s", (int)word.len, word.p) : "";
}

static enum ec_status fill_base(struct ec_call *call, const struct measure_opts *o,
                                struct ec_measurer *m, struct ec_err *err)
{
    struct ec_machine *machine = NULL;
    struct ec_record *b = &m->base;
    enum ec_status st;

    ec_record_init(b);
    EC_TRY(ec_machine_probe(&machine, err));
    ec_machine_forget_moment(machine);
    EC_TRY(write_machine(call, o->out, machine, &b->machine, err));
    b->device_name = ec_arena_str(&call->arena, ec_machine_cpu_name(machine));
    b->device = b->device_name ? device_word(call, o->device ? o->device : b->device_name) : NULL;
    b->framework_version = EC_VERSION;
    b->libraries = libraries_of(call, ec_engine_library(m->ctx));
    ec_record_set_word(b, EC_WORD_LAYOUT, "channels-first");
    b->execution = "compiled";
    b->threads = ec_engine_threads(m->ctx);
    b->num_devices = 1;
    b->seed = o->seed;
    if (!b->device || !b->libraries)
        st = ec_nomem(err);
out:
    ec_machine_free(machine);
    return st;
}

enum ec_status ec__measure_engine(struct ec_call *call, const struct measure_opts *o,
                                  struct ec_measurer *ret, struct ec_err *err)
{
    struct ec_engine_opts engine = o->engine;

    ret->protocol = o->protocol;
    ret->stop = ec_interrupted;
    engine.seed = (uint64_t)o->seed;
    EC_PASS(ec_engine_open(&engine, &ret->ctx, err));
    if (o->clock)
        EC_PASS(ec_engine_use_thread_clock(ret->ctx, err));
    ret->thread_clock = o->clock != 0;
    return fill_base(call, o, ret, err);
}

enum ec_status ec__measure_open(struct ec_call *call, const struct measure_opts *o,
                                struct ec_measurer *ret, struct ec_err *err)
{
    EC_PASS(ec_row_file_open(o->out, &ret->file, err));
    if (ec_row_file_rows(ret->file) && !o->resume)
        return ec_fail(err, EC_E_INPUT, "%s has %lld rows already: --resume continues it", o->out,
                       (long long)ec_row_file_rows(ret->file));
    return ec__measure_engine(call, o, ret, err);
}

void ec__measure_close(struct ec_measurer *m)
{
    ec_row_file_close(m->file);
    ec_engine_close(m->ctx);
    memset(m, 0, sizeof *m);
}

enum ec_status ec__measure_import(struct ec_call *call, const struct measure_opts *o,
                                  const char *path, struct ec_err *err)
{
    struct ec_store_counts counts;
    struct ec_store *s = NULL;
    enum ec_status st;

    if (!o->store)
        return EC_OK;
    EC_TRY(ec_store_open(o->store, 0, &s, err));
    EC_TRY(ec_store_import(s, path, NULL, &counts, err));
    ec_buf_printf(&call->out, "%s: %lld rows, %lld of them new\n", o->store, (long long)counts.rows,
                  (long long)counts.added);
out:
    ec_store_close(s);
    return st;
}
