/* A job script: what is taken has counts and sizes in range; what is refused has its sentence. */
#include "fuzz.h"

#include "plan/slurm.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ec_slurm_script s;
    struct ec_err err = { 0 };

    if (ec_slurm_parse((struct ec_span){ (const char *)data, size }, &s, &err)) {
        if (!err.text[0])
            __builtin_trap();
    } else if (s.limit_ns < 0 || s.nodes < 0 || ec_slurm_gpus(&s) < 0 || s.mem_bytes < 0) {
        __builtin_trap();
    }
    return 0;
}
