/* Embeds a file in the program, byte for byte. */
#ifndef EC_EMBED_H
#define EC_EMBED_H

/* clang-format off */
#ifdef __wasm__ /* a section of data for each, whose symbols have types and sizes */
#define EC_EMBED_SECTION(name) ".section .rodata.ec__" #name ",\"\",@\n.p2align 4\n"
#define EC_EMBED_LABEL(label, size)                                                                \
    ".type " label ",@object\n.size " label ", " size "\n" label ":\n"
#define EC_EMBED_BACK ""
#else
#define EC_EMBED_SECTION(name) ".section .rodata\n.balign 16\n"
#define EC_EMBED_LABEL(label, size) label ":\n"
#define EC_EMBED_BACK ".previous\n"
#endif
/* file: a string, by a header that tools/embed-header wrote. Its bytes lie from ec__NAME_begin up
 * to ec__NAME_end, and a zero follows. */
#define EC_EMBED(name, file)                                                                       \
    __asm__(EC_EMBED_SECTION(name)                                                                 \
            EC_EMBED_LABEL("ec__" #name "_begin", "ec__" #name "_end - ec__" #name "_begin")       \
            ".incbin \"" file "\"\n"                                                               \
            EC_EMBED_LABEL("ec__" #name "_end", "1")                                               \
            ".byte 0\n"                                                                            \
            EC_EMBED_BACK);                                                                        \
    extern const char ec__##name##_begin[] __attribute__((visibility("hidden")));                  \
    extern const char ec__##name##_end[] __attribute__((visibility("hidden")))
/* clang-format on */

#endif
