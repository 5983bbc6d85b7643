/* CSV text: a table that is read, written and read again has the same cells. */
#include "fuzz.h"

#include "base/base.h"

#include <string.h>

static void write_row(struct ec_buf *out, const char *const *cells, int n)
{
    int i;

    for (i = 0; i < n; i++) {
        ec_buf_str(out, i ? "," : "");
        /* a lone empty cell would be a blank line */
        if (n == 1 && !*cells[i])
            ec_buf_str(out, "\"\"");
        else
            ec_csv_put(out, cells[i]);
    }
    ec_buf_char(out, '\n');
}

static void check_again(const struct ec_csv *c)
{
    struct ec_buf text = EC_BUF_INIT;
    struct ec_csv again = { 0 };
    int i;

    write_row(&text, c->names, c->n_cols);
    for (i = 0; i < c->n_rows; i++)
        write_row(&text, c->cells + (size_t)i * (size_t)c->n_cols, c->n_cols);
    if (ec_csv_parse(text.data, text.len, &again, NULL) || again.n_rows != c->n_rows)
        __builtin_trap();
    for (i = 0; i < c->n_rows * c->n_cols; i++)
        if (strcmp(c->cells[i], again.cells[i]) != 0)
            __builtin_trap();
    ec_csv_clear(&again);
    ec_buf_clear(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ec_err err = { .status = EC_OK };
    struct ec_csv c = { 0 };

    if (ec_csv_parse((const char *)data, size, &c, &err) == EC_OK)
        check_again(&c);
    else if (!err.text[0])
        __builtin_trap();
    ec_csv_clear(&c);
    return 0;
}
