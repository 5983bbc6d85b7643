/* JSON writer. Numbers get the shortest text that reads back as the same double. */
#include "base/io.h"
#include "base/print.h"

#include <assert.h>
#include <math.h>
#include <string.h>

void ec_json_begin(struct ec_json *j, struct ec_buf *out, int indent)
{
    *j = (struct ec_json){ .out = out, .indent = indent };
}

static void new_line(struct ec_json *j)
{
    int i;

    if (!j->indent)
        return;
    ec_buf_char(j->out, '\n');
    for (i = 0; i < j->indent * j->depth; i++)
        ec_buf_char(j->out, ' ');
}

/* Everything that stands in front of a value. */
static void begin_value(struct ec_json *j, const char *key)
{
    if (j->need_comma)
        ec_buf_char(j->out, ',');
    if (j->depth)
        new_line(j);
    if (key) {
        ec_json_quote(j->out, key);
        ec_buf_str(j->out, j->indent ? ": " : ":");
    }
    j->need_comma = true;
}

void ec_json_open(struct ec_json *j, const char *key, char bracket)
{
    assert(bracket == '{' || bracket == '[');
    begin_value(j, key);
    ec_buf_char(j->out, bracket);
    j->depth++;
    j->need_comma = false;
}

void ec_json_close(struct ec_json *j, char bracket)
{
    assert((bracket == '}' || bracket == ']') && j->depth > 0);
    j->depth--;
    if (j->need_comma)
        new_line(j);
    ec_buf_char(j->out, bracket);
    j->need_comma = true;
}

void ec_json_str(struct ec_json *j, const char *key, const char *v)
{
    begin_value(j, key);
    if (v)
        ec_json_quote(j->out, v);
    else
        ec_buf_str(j->out, "null");
}

void ec_json_strs(struct ec_json *j, const char *key, const char *const *v, int n)
{
    int i;

    ec_json_open(j, key, '[');
    for (i = 0; i < n; i++)
        ec_json_str(j, NULL, v[i]);
    ec_json_close(j, ']');
}

void ec_json_document(struct ec_json *j, struct ec_buf *out, int indent, const char *schema)
{
    ec_json_begin(j, out, indent);
    ec_json_open(j, NULL, '{');
    ec_json_str(j, "schema", schema);
}

void ec_json_end(struct ec_json *j)
{
    ec_json_close(j, '}');
    ec_buf_char(j->out, '\n');
}

void ec_json_int(struct ec_json *j, const char *key, int64_t v)
{
    begin_value(j, key);
    ec_buf_printf(j->out, "%lld", (long long)v);
}

void ec_json_num(struct ec_json *j, const char *key, double v)
{
    char text[EC_FMT_DOUBLE_BYTES];

    begin_value(j, key);
    ec_buf_str(j->out, isfinite(v) ? ec_fmt_double(text, sizeof text, v) : "null");
}

void ec_json_num9(struct ec_json *j, const char *key, double v)
{
    ec_json_num(j, key, ec_nine_digits(v));
}

void ec_json_bool(struct ec_json *j, const char *key, bool v)
{
    begin_value(j, key);
    ec_buf_str(j->out, v ? "true" : "false");
}

void ec_json_null(struct ec_json *j, const char *key)
{
    begin_value(j, key);
    ec_buf_str(j->out, "null");
}

static void quote_byte(struct ec_buf *out, unsigned char c)
{
    static const char from[] = "\"\\\n\t\r\b\f", to[] = "\"\\ntrbf";
    const char *hit = c ? strchr(from, c) : NULL;

    if (hit)
        ec_buf_printf(out, "\\%c", to[hit - from]);
    else
        ec_buf_printf(out, "\\u%04x", c);
}

static bool is_plain(unsigned char c)
{
    return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

/* Bytes that are not UTF-8 become U+FFFD: the output is valid whatever a file name holds. */
void ec_json_quote(struct ec_buf *out, const char *text)
{
    size_t left = strlen(text), run;

    ec_buf_char(out, '"');
    while (left) {
        int wide;

        for (run = 0; run < left && is_plain((unsigned char)text[run]);)
            run++;
        ec_buf_add(out, text, run);
        text += run;
        left -= run;
        if (!left)
            break;
        wide = ec_utf8_len(text, left);
        if (wide > 1)
            ec_buf_add(out, text, (size_t)wide);
        else if (wide == 1)
            quote_byte(out, (unsigned char)*text);
        else
            ec_buf_str(out, "\xef\xbf\xbd");
        text += wide ? wide : 1;
        left -= wide ? (size_t)wide : 1;
    }
    ec_buf_char(out, '"');
}
