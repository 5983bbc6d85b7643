/* The parts of the sandbox that its files share. */
#ifndef EC_SANDBOX_INTERNAL_H
#define EC_SANDBOX_INTERNAL_H

#include <stdbool.h>

/* The address sanitizer looks for leaks at the end: it starts a process that attaches to this one,
 * and reads /proc. Such builds are allowed this much more. */
#if defined(__SANITIZE_ADDRESS__)
#define EC__SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define EC__SANITIZED 1
#endif
#endif
#ifndef EC__SANITIZED
#define EC__SANITIZED 0
#endif

/* sandbox.c: set once, before threads are started, so that a refusal to open a file can say why. */
extern bool ec__files_denied;

/* sandbox_calls.c: denies system calls. False: the kernel or the architecture has no filter for
 * them. no_files: files cannot be opened at all. */
bool ec__sandbox_calls(bool no_files);

#endif
