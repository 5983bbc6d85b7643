/* Widths of letters, so that a layout is the same whatever fonts a machine has. */
#include "plot/plot_internal.h"

#include <string.h>

/* Advances of DejaVu Sans in thousandths of the size: from blank to tilde, and from 0xA0 to 0xFF.
 */
/* clang-format off */
static const short ascii[95] = {
    318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337, 636, 636, 636,
    636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 531, 1000, 684, 686, 698, 770, 632,
    575, 775, 752, 295, 295, 656, 557, 863, 748, 787, 603, 787, 695, 635, 611, 732, 684, 989, 685,
    611, 685, 390, 337, 390, 838, 500, 500, 613, 635, 550, 635, 615, 352, 635, 634, 278, 278, 579,
    278, 974, 634, 612, 635, 635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636, 337, 636, 838,
};
static const short latin[96] = {
    318, 401, 636, 636, 636, 636, 337, 500, 500, 1000, 471, 612, 838, 361, 1000, 500, 500, 838,
    401, 401, 500, 636, 636, 318, 500, 401, 471, 612, 969, 969, 969, 531, 684, 684, 684, 684, 684,
    684, 974, 698, 632, 632, 632, 632, 295, 295, 295, 295, 775, 748, 787, 787, 787, 787, 787, 838,
    787, 732, 732, 732, 732, 611, 605, 630, 613, 613, 613, 613, 613, 613, 982, 550, 615, 615, 615,
    615, 278, 278, 278, 278, 612, 634, 612, 612, 612, 612, 612, 838, 612, 634, 634, 634, 634, 592,
    635, 592,
};
/* clang-format on */
#define BOLD_FACTOR 1.18
#define ELLIPSIS "\xe2\x80\xa6"

static unsigned decode(const char *p, int len)
{
    static const unsigned char mask[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
    unsigned c = (unsigned char)p[0] & mask[len];
    int i;

    for (i = 1; i < len; i++)
        c = c << 6 | ((unsigned char)p[i] & 0x3f);
    return c;
}

/* Combining marks have no width in truth; taking them as letters errs on the safe side. */
static double advance(unsigned c)
{
    if (c >= 32 && c < 127)
        return ascii[c - 32];
    if (c >= 0xa0 && c < 0x100)
        return latin[c - 0xa0];
    return c < 0x250 ? 800 : 1000;
}

double ec__text_px(const char *text, double size_px, bool bold)
{
    size_t len = strlen(text);
    double sum = 0;

    while (len) {
        int n = ec_utf8_len(text, len);

        sum += n ? advance(decode(text, n)) : 1000;
        text += n ? n : 1;
        len -= (size_t)(n ? n : 1);
    }
    return sum * size_px / 1000 * (bold ? BOLD_FACTOR : 1);
}

const char *ec__text_clean(struct ec_arena *a, const char *text, double size_px, double max_px)
{
    struct ec_buf out = EC_BUF_INIT;
    size_t len = strlen(text), fits = 0;
    double room = max_px > 0 ? max_px * 1000 / size_px : (double)INT32_MAX, width = 0;
    const char *copy;

    while (len && width <= room) {
        int n = ec_utf8_len(text, len);
        unsigned c = n ? decode(text, n) : 0xfffd;
        bool plain;

        (void)ec_plain_char(text, len, &plain);
        width += n && !plain ? 318 : advance(c);
        if (!n)
            ec_buf_str(&out, "\xef\xbf\xbd");
        else if (!plain)
            ec_buf_char(&out, ' ');
        else
            ec_buf_add(&out, text, (size_t)n);
        if (width + 1000 <= room)
            fits = out.len;
        text += n ? n : 1;
        len -= (size_t)(n ? n : 1);
    }
    if (width > room)
        copy = ec_arena_printf(a, "%.*s" ELLIPSIS, (int)fits, ec_buf_text(&out));
    else
        copy = ec_arena_str(a, ec_buf_text(&out));
    copy = out.st ? NULL : copy;
    ec_buf_clear(&out);
    return copy;
}
