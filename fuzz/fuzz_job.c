/* The file of a training tool; the first byte chooses its syntax. What is taken has a format and
 * options in range; what is refused has its sentence. */
#include "fuzz.h"

#include "predict/predict.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const paths[] = { "/nowhere/f.json", "/nowhere/f.yaml", "/nowhere/f.toml",
                                         "/nowhere/f.sh" };
    struct ec_predict_opts o;
    struct ec_job_file f;
    struct ec_strs none = { 0 };
    struct ec_arena a = { 0 };
    struct ec_err err = { 0 };
    struct ec_span text;

    if (!size)
        return 0;
    text = (struct ec_span){ (const char *)data + 1, size - 1 };
    ec_predict_opts_default(&o);
    if (ec_job_file_parse(paths[data[0] % EC_LEN(paths)], text, &none, &o, &f, &a, &err)) {
        if (!err.text[0])
            __builtin_trap();
    } else if (!f.format || o.devices < 1 || o.batch < 0 || o.parallel.zero > 3) {
        __builtin_trap();
    }
    ec_arena_clear(&a);
    return 0;
}
