/* One target per thing read from outside. A target is this function, called with hostile bytes; it
 * must return with everything freed. fuzz/corpus/<name>/ holds its inputs, every crash ever found
 * among them.
 *
 * Without a fuzzing engine the target is a program that runs the files named as arguments, or those
 * in the folders named; that is how ./check uses it. `meson setup -Dfuzz=true` with clang links
 * libFuzzer instead. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
