/* The width of the terminal, and lines broken to fit it. */
#include "cli/cli.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Terminals that are narrower wrap lines themselves. */
#define FIT_LEAST 30

int ec_terminal_columns(void)
{
    const char *given = getenv("COLUMNS");
    int64_t columns;

    if (given && ec_parse_int(ec_span_of(given), &columns) && columns > 0 && columns < INT16_MAX)
        return (int)columns;
#ifdef TIOCGWINSZ
    struct winsize size;

    if (isatty(STDOUT_FILENO) && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size))
        return size.ws_col;
#endif
    return 0;
}

/* Where the line ends if it must fit: before a gap of several blanks, which stands between columns,
 * else before a word, but not between a number and its unit. */
static size_t end_of_line(struct ec_span line, int width)
{
    size_t gap = 0, word = 0, i;
    int used = 0;

    for (i = 0; i < line.len && used <= width; i++) {
        if (line.p[i] == ' ' && i && line.p[i - 1] != ' ') {
            word = line.p[i - 1] >= '0' && line.p[i - 1] <= '9' ? word : i;
            gap = i + 1 < line.len && line.p[i + 1] == ' ' ? i : gap;
        }
        used += ((unsigned char)line.p[i] & 0xC0) != 0x80; /* a letter has several bytes */
    }
    if (used <= width)
        return line.len;
    return gap ? gap : word ? word : line.len;
}

static void fit_line(struct ec_span line, int width, struct ec_buf *out)
{
    int indent = 2;
    size_t n = end_of_line(line, width);

    while ((size_t)indent - 2 < line.len && line.p[indent - 2] == ' ')
        indent++;
    for (;; n = end_of_line(line, width - indent)) {
        ec_buf_add(out, line.p, n);
        line = ec_span_trim((struct ec_span){ line.p + n, line.len - n });
        if (!line.len)
            break;
        ec_buf_printf(out, "\n%*s", indent, "");
    }
    ec_buf_char(out, '\n');
}

bool ec_terminal_fit(struct ec_span text, struct ec_buf *out)
{
    int width = ec_terminal_columns();
    struct ec_span line;

    if (width < FIT_LEAST || !text.len)
        return false;
    while (text.len && ec_span_cut(&text, '\n', &line))
        fit_line(line, width, out);
    return true;
}
