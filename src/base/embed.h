/* Embeds a file in the program, byte for byte. */
#ifndef EC_EMBED_H
#define EC_EMBED_H

/* clang-format off */
/* file: a string, by a header that tools/embed-header wrote. Its bytes lie from ec__NAME_begin up
 * to ec__NAME_end, and a zero follows. */
#define EC_EMBED(name, file)                                                                       \
    __asm__(".section .rodata\n"                                                                   \
            ".balign 16\n"                                                                         \
            "ec__" #name "_begin:\n"                                                               \
            ".incbin \"" file "\"\n"                                                               \
            "ec__" #name "_end:\n"                                                                 \
            ".byte 0\n"                                                                            \
            ".previous\n");                                                                        \
    extern const char ec__##name##_begin[] __attribute__((visibility("hidden")));                  \
    extern const char ec__##name##_end[] __attribute__((visibility("hidden")))
/* clang-format on */

#endif
