/* Output: tables in the chosen format, and standard output. */
#include "cli/cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum ec_table_form ec_forms_table(const struct ec_forms *f)
{
    return f->csv ? EC_TABLE_CSV : f->markdown ? EC_TABLE_MARKDOWN : EC_TABLE_TEXT;
}

bool ec_forms_any(const struct ec_forms *f)
{
    return f->json || f->csv || f->markdown;
}

static bool on_terminal(const struct ec_call *call)
{
    return !call->taken && isatty(STDOUT_FILENO);
}

static bool wants_color(const struct ec_call *call)
{
    const char *no = getenv("NO_COLOR"), *terminal = getenv("TERM");

    if (call->color != EC_COLOR_AUTO)
        return call->color == EC_COLOR_ALWAYS;
    return on_terminal(call) && !(no && *no) && terminal && !ec_str_eq(terminal, "dumb");
}

/* Takes out of the text that was added what a terminal would obey in place of showing it. Data stay
 * as they are where no terminal reads them. */
static void make_plain(struct ec_call *call)
{
    struct ec_buf *b = &call->out;
    bool is_data = call->is_data || call->forms.json || call->forms.csv;

    if (b->len > call->plain_len && (!is_data || on_terminal(call))) {
        b->len = call->plain_len +
                 ec_plain_text(b->data + call->plain_len, b->len - call->plain_len, "\n\t");
        b->data[b->len] = '\0';
    }
    call->plain_len = b->len;
}

/* Text is fitted to the width of the terminal by leaving out the columns that may be left out. */
static enum ec_status write_text(struct ec_call *call, const struct ec_table *t, struct ec_err *err)
{
    struct ec_buf titles = EC_BUF_INIT;
    struct ec_table fitted = *t;
    enum ec_status st;

    fitted.width = ec_terminal_columns();
    fitted.color = wants_color(call);
    make_plain(call);
    st = ec_table_write(&fitted, EC_TABLE_TEXT, &call->out, err);
    call->plain_len = call->out.len; /* cells are plain, colours are ours */
    if (!st && ec_table_dropped(&fitted, &titles))
        ec_say("left out to fit %d columns: %s; --csv has all\n", fitted.width,
               ec_buf_text(&titles));
    ec_buf_clear(&titles);
    return st;
}

enum ec_status ec_call_fit(struct ec_call *call, size_t from, struct ec_err *err)
{
    struct ec_span text = { ec_buf_text(&call->out) + from, call->out.len - from };
    struct ec_buf fitted = EC_BUF_INIT;
    enum ec_status st;

    if (!ec_terminal_fit(text, &fitted))
        return EC_OK;
    EC_TRY(ec_buf_status(&fitted, err));
    call->out.len = from;
    ec_buf_add(&call->out, fitted.data, fitted.len);
    st = ec_buf_status(&call->out, err);
out:
    ec_buf_clear(&fitted);
    return st;
}

enum ec_status ec_said_end(const struct ec_said *s, struct ec_err *err)
{
    struct ec_buf text = EC_BUF_INIT;
    enum ec_status st = ec_said_print(s, &text, err);

    if (!st)
        ec_say("%s", ec_buf_text(&text));
    ec_buf_clear(&text);
    return st;
}

void ec_call_say_rows(struct ec_said *said, const char *path, const int *line, int n,
                      const char *why)
{
    struct ec_buf text = EC_BUF_INIT;
    int i;

    ec_buf_printf(&text, "%d row%s left out, line%s", n, n == 1 ? "" : "s", n == 1 ? "" : "s");
    for (i = 0; i < EC_CALL_LINES_MAX && i < n; i++)
        ec_buf_printf(&text, "%s %d", i ? "," : "", line[i]);
    if (n > EC_CALL_LINES_MAX)
        ec_buf_printf(&text, " and %d more", n - EC_CALL_LINES_MAX);
    ec_buf_printf(&text, ":%s%s", *why == '\n' ? "" : " ", why);
    ec_said_add(said, path, "%s", ec_buf_text(&text));
    ec_buf_clear(&text);
}

_Static_assert(EC_FAULTY_LINES_MAX == EC_CALL_LINES_MAX, "all lines that are kept are printed");

void ec_call_left_out(struct ec_said *said, const char *path, const struct ec_record_list *rows)
{
    struct ec_buf why = EC_BUF_INIT;
    int i;

    for (i = 0; i < EC_FAULTS_MAX && i < rows->n_faulty; i++)
        ec_buf_printf(&why, "%s%s", rows->n_faulty == 1 ? "1 row left out: " : "\n  ",
                      rows->fault[i]);
    if (rows->n_faulty == 1)
        ec_said_add(said, path, "%s", ec_buf_text(&why));
    else if (rows->n_faulty)
        ec_call_say_rows(said, path, rows->faulty_line, rows->n_faulty, ec_buf_text(&why));
    ec_buf_clear(&why);
}

enum ec_status ec_call_table_notes(struct ec_said *said, const char *path, const struct ec_csv *csv,
                                   const struct ec_mapping *l, struct ec_arena *a,
                                   struct ec_err *err)
{
    struct ec_strs notes = { 0 };
    enum ec_status st = ec_table_notes(csv, l, a, &notes, err);
    int i;

    for (i = 0; i < notes.n; i++)
        ec_said_add(said, path, "%s", notes.v[i]);
    return st;
}

enum ec_status ec_call_table(struct ec_call *call, const struct ec_table_head *head,
                             const struct ec_table *t, struct ec_err *err)
{
    const struct ec_forms *f = &call->forms;
    struct ec_json j;
    enum ec_status st;
    int i;

    if (!ec_forms_any(f))
        return write_text(call, t, err);
    if (!f->json)
        return ec_table_write(t, ec_forms_table(f), &call->out, err);
    ec_json_document(&j, &call->out, 2, head->schema);
    for (i = 0; i < EC_LEN(head->of) && head->of[i].key; i++)
        ec_json_str(&j, head->of[i].key, head->of[i].text);
    st = ec_table_json(t, &j, head->rows, err);
    ec_json_end(&j);
    return st;
}

enum ec_status ec_call_last_table(struct ec_call *call, const struct ec_table_head *head,
                                  struct ec_table *t, struct ec_err *err)
{
    enum ec_status st = ec_call_table(call, head, t, err);

    ec_table_clear(t);
    return st;
}

enum ec_status ec_call_flush(struct ec_call *call, struct ec_err *err)
{
    EC_PASS(ec_buf_status(&call->out, err));
    make_plain(call);
    if (call->taken)
        ec_buf_join(call->taken, &call->out);
    else if (fwrite(ec_buf_text(&call->out), 1, call->out.len, stdout) != call->out.len ||
             fflush(stdout))
        return ec_fail(err, EC_E_IO, "cannot write to standard output: %s", strerror(errno));
    ec_buf_reset(&call->out);
    call->plain_len = 0;
    return EC_OK;
}
