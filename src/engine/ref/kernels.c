/* The rows: an operator each, whose kernel EC__REF_KERNEL makes in its file. The build makes the
 * list from there. */
#include "engine/ref/ref_internal.h"

/* clang-format off */
#define X(op) EC__REF_DECLARE(op)
#include "engine/ref/kernel_list.h"
#undef X

const struct ec_kernel_row EC__REF(rows)[] = {
#define X(op) { #op, 0, NULL, EC__REF(op##_prepare), EC__REF(op##_run), NULL },
#include "engine/ref/kernel_list.h"
#undef X
    { NULL, 0, NULL, NULL, NULL, NULL },
};
/* clang-format on */
