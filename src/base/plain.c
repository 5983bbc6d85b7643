/* Which characters may be shown. Everything that prints calls this, sentences of errors first, so
 * it calls nothing. */
#include "base/text.h"

#include <string.h>

int ec_utf8_len(const char *p, size_t len)
{
    const unsigned char *u = (const unsigned char *)p;
    int n = u[0] < 0x80 ? 1 : u[0] < 0xc2 ? 0 : u[0] < 0xe0 ? 2 : u[0] < 0xf0 ? 3 : 4, i;

    if (!n || u[0] > 0xf4 || (size_t)n > len)
        return 0;
    for (i = 1; i < n; i++)
        if ((u[i] & 0xc0) != 0x80)
            return 0;
    /* overlong forms, surrogates and what lies beyond U+10FFFF */
    if ((u[0] == 0xe0 && u[1] < 0xa0) || (u[0] == 0xed && u[1] > 0x9f) ||
        (u[0] == 0xf0 && u[1] < 0x90) || (u[0] == 0xf4 && u[1] > 0x8f))
        return 0;
    return n;
}

static uint32_t decode(const unsigned char *p, int len)
{
    static const unsigned char first[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
    uint32_t c = p[0] & first[len];
    int i;

    for (i = 1; i < len; i++)
        c = c << 6 | (p[i] & 0x3f);
    return c;
}

/* Joiners of scripts and emoji (U+200C, U+200D) harm nobody. */
static bool is_plain(uint32_t c)
{
    return !(c < 32 || (c >= 0x7f && c < 0xa0) || c == 0x61c || c == 0x200b || c == 0x200e ||
             c == 0x200f || (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) ||
             c == 0xfeff || (c >= 0xfdd0 && c <= 0xfdef) || (c & 0xfffe) == 0xfffe);
}

size_t ec_plain_char(const char *p, size_t len, bool *ret_plain)
{
    int n = ec_utf8_len(p, len);

    *ret_plain = n && is_plain(decode((const unsigned char *)p, n));
    return n ? (size_t)n : 1;
}

size_t ec_plain_text(char *text, size_t len, const char *kept)
{
    size_t from = 0, to = 0, n;
    bool plain;

    for (; from < len; from += n) {
        n = ec_plain_char(text + from, len - from, &plain);
        if (plain || (text[from] && strchr(kept, text[from]))) {
            memmove(text + to, text + from, n);
            to += n;
        } else {
            text[to++] = '?';
        }
    }
    return to;
}
