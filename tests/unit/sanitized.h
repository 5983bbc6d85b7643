/* TEST_SANITIZED: built with a sanitizer that keeps a shadow of the memory, which makes a program
 * several times slower. Tests repeat there less often what is the same over and over. */
#ifndef TEST_SANITIZED_H
#define TEST_SANITIZED_H

#if defined(__has_feature)
#define TEST_SANITIZED                                                                             \
    (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                        \
     __has_feature(memory_sanitizer))
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TEST_SANITIZED 1
#else
#define TEST_SANITIZED 0
#endif

#endif
