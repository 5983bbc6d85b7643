/* One query, all its answers: text, table, CSV, JSON, a line of requests, one device or several.
 * They say the same numbers, and what explains a number comes to it. */
#include "capture.h"

#include <stdlib.h>

/* As words, and the same as a request. */
struct query {
    const char *words, *device, *request;
};
/* clang-format off */
static const struct query queries[] = {
    { "lenet5", "t4", "\"model\":\"lenet5\"" },
    { "resnet18 --batch 8", "t4", "\"model\":\"resnet18\",\"batch\":8" },
    { "resnet50 --batch 32 --precision amp", "a100-sxm4-40gb",
      "\"model\":\"resnet50\",\"batch\":32,\"precision\":\"amp\"" },
    { "resnet50 --batch 4096", "t4", "\"model\":\"resnet50\",\"batch\":4096" },
    { "vgg16 --batch 16 --mode forward", "v100-sxm2-16gb",
      "\"model\":\"vgg16\",\"batch\":16,\"mode\":\"forward\"" },
    { "mobilenet_v2 --batch 64 --optimizer adam", "rtx3090",
      "\"model\":\"mobilenet_v2\",\"batch\":64,\"optimizer\":\"adam\"" },
    { "bert_base --batch 4 --seq-len 64", "h100-sxm5-80gb",
      "\"model\":\"bert_base\",\"batch\":4,\"seq_len\":64" },
    { "resnet18 --batch 16 --epochs 3 --samples 10000 --usd-per-hour 2", "t4",
      "\"model\":\"resnet18\",\"batch\":16,\"epochs\":3,\"samples\":10000,\"usd_per_hour\":2" },
    { "resnet18 --batch 32 --devices 4", "t4",
      "\"model\":\"resnet18\",\"batch\":32,\"devices\":4" },
    { "resnet18 --batch 32 --framework tensorflow-2 --layout channels-last", "t4",
      "\"model\":\"resnet18\",\"batch\":32,\"framework\":\"tensorflow-2\","
      "\"layout\":\"channels-last\"" },
    { "mnist_cnn --batch 64", "cpu-epyc-2vcpu", "\"model\":\"mnist_cnn\",\"batch\":64" },
    { "--op 'relu x=64x64' --phase forward", "t4",
      "\"op\":\"relu x=64x64\",\"phase\":\"forward\"" },
    { "--op 'conv2d n=32 c=64 h=56 w=56 k=64 r=3 pad=1'", "t4",
      "\"op\":\"conv2d n=32 c=64 h=56 w=56 k=64 r=3 pad=1\"" },
    { "--op 'linear m=64 k=1024 n=1024' --phase grad_weight --precision amp", "a100-sxm4-40gb",
      "\"op\":\"linear m=64 k=1024 n=1024\",\"phase\":\"grad_weight\",\"precision\":\"amp\"" },
};
/* clang-format on */

#define COMPLAIN(q, fmt, ...)                                                                      \
    test_fail(__FILE__, __LINE__, "%s on %s: " fmt, (q)->words, (q)->device, ##__VA_ARGS__)

/* The answer for the devices in a form. */
static void ask_on(const struct query *q, const char *devices, const char *form, struct ec_buf *ret)
{
    char words[400];

    (void)snprintf(words, sizeof words, "predict %s --device %s", q->words, devices);
    answer_of(words, form, ret);
}

static void ask(const struct query *q, const char *form, struct ec_buf *ret)
{
    ask_on(q, q->device, form, ret);
}

/* Takes out what an answer has of the others beside it, or where there are no others; and its line.
 */
static void drop_choices(struct ec_jval *v)
{
    static const char *const keys[] = { "advice", "room", "fastest", "cheapest", "line" };
    struct ec_jval **at = &v->child;
    int i;

    while (*at) {
        for (i = 0; i < EC_LEN(keys); i++)
            if ((*at)->key && ec_str_eq((*at)->key, keys[i]))
                break;
        if ((*at)->key && ec_str_eq((*at)->key, "predictions"))
            for (struct ec_jval *one = (*at)->child; one; one = one->next)
                drop_choices(one);
        if (i < EC_LEN(keys)) {
            *at = (*at)->next;
            v->n--;
        } else {
            at = &(*at)->next;
        }
    }
}

static const struct ec_jval *parsed(const struct query *q, const struct ec_buf *text,
                                    struct ec_arena *a)
{
    static const struct ec_jval nothing = { .type = EC_J_NULL };
    const struct ec_jval *root = NULL;
    struct ec_err err = { 0 };

    if (ec_json_parse(ec_buf_text(text), text->len, a, &root, &err))
        COMPLAIN(q, "no JSON: %s", err.text);
    if (root)
        drop_choices((struct ec_jval *)root);
    return root ? root : &nothing;
}

/* "step_time_ns", "p50" or "parts", "device_ns"; second NULL: the first itself. NaN: is not there.
 */
static double number_at(const struct ec_jval *root, const char *first, const char *second)
{
    const struct ec_jval *v = ec_json_get(root, first);

    if (v && second)
        v = v->type == EC_J_OBJECT ? ec_json_get(v, second) : NULL;
    if (v && v->type == EC_J_BOOL)
        return v->b;
    return v && v->type == EC_J_NUM ? v->num : (double)NAN;
}

static const char *text_at(const struct ec_jval *root, const char *key)
{
    const struct ec_jval *v = ec_json_get(root, key);

    return v && v->type == EC_J_STR ? v->str : "";
}

/* --- CSV --- */

/* The number of JSON that a column of CSV holds: "step_time_p05_ns" is p05 of "step_time_ns". */
static double of_column(const struct ec_jval *root, const char *column)
{
    const char *p05 = strstr(column, "_p05_"), *p95 = strstr(column, "_p95_"),
               *mark = p05 ? p05 : p95;
    char key[64];

    if (mark) {
        (void)snprintf(key, sizeof key, "%.*s%s", (int)(mark - column), column, mark + 4);
        return number_at(root, key, p05 ? "p05" : "p95");
    }
    if (ec_json_get(root, column))
        return number_at(root, column,
                         ec_json_get(root, column)->type == EC_J_OBJECT ? "p50" : NULL);
    return number_at(root, "parts", column);
}

static void cell_is(const struct query *q, const struct ec_jval *root, const char *column,
                    const char *cell)
{
    bool has_host = *text_at(root, "host") != '\0';
    double want, got;

    if (ec_str_eq(column, "fits"))
        return; /* a word for fits_probability, see below */
    if (*text_at(root, column) || (ec_str_eq(column, "host") && !has_host)) {
        if (!ec_str_eq(cell, text_at(root, column)))
            COMPLAIN(q, "%s is \"%s\", in JSON \"%s\"", column, cell, text_at(root, column));
        return;
    }
    if (!*cell && ec_str_eq(column, "host_ns") && !has_host)
        return;
    want = of_column(root, column);
    if (!*cell && ec_json_get(root, "op") && ec_str_starts(column, "samples"))
        return; /* for people: of an operator nobody asks the rate */
    if (!*cell ? !isnan(want) : !ec_parse_double(ec_span_of(cell), &got))
        COMPLAIN(q, "%s is \"%s\", in JSON %.9g", column, cell, want);
    else if (*cell && !(fabs(got - want) <= 1e-8 * fabs(want)))
        COMPLAIN(q, "%s is %.17g, in JSON %.17g", column, got, want);
}

TEST(csv_has_the_numbers_of_json)
{
    struct ec_buf json = EC_BUF_INIT, sheet = EC_BUF_INIT;
    int i, col;

    for (i = 0; i < EC_LEN(queries); i++) {
        const struct query *q = &queries[i];
        struct ec_arena a = { 0 };
        struct ec_csv csv = { 0 };
        struct ec_err err = { 0 };
        const struct ec_jval *root;

        ask(q, "--json", &json);
        ask(q, "--csv", &sheet);
        root = parsed(q, &json, &a);
        CHECK_OK(ec_csv_parse(ec_buf_text(&sheet), sheet.len, &csv, &err));
        CHECK_INT(csv.n_rows, 1);
        for (col = 0; col < csv.n_cols && csv.n_rows; col++)
            cell_is(q, root, csv.names[col], ec_csv_cell(&csv, 0, col));
        CHECK(csv.n_cols > 25);
        ec_csv_clear(&csv);
        ec_arena_clear(&a);
    }
    ec_buf_clear(&json);
    ec_buf_clear(&sheet);
}

/* --- Requests --- */

/* Both trees, value by value; *path says where they differ. */
static bool same_tree(const struct ec_jval *a, const struct ec_jval *b, const char **path)
{
    const struct ec_jval *x, *y;

    if (a->key)
        *path = a->key;
    if (a->type != b->type || a->n != b->n ||
        !ec_str_eq(a->key ? a->key : "", b->key ? b->key : ""))
        return false;
    if (a->type == EC_J_NUM)
        return fabs(a->num - b->num) <= 1e-12 * fabs(b->num);
    if (a->type == EC_J_STR)
        return ec_str_eq(a->str, b->str);
    if (a->type == EC_J_BOOL)
        return a->b == b->b;
    for (x = a->child, y = b->child; x && y; x = x->next, y = y->next)
        if (!same_tree(x, y, path))
            return false;
    return true;
}

static void write_requests(const char *path)
{
    struct ec_buf text = EC_BUF_INIT;
    struct ec_err err = { 0 };
    int i;

    for (i = 0; i < EC_LEN(queries); i++)
        ec_buf_printf(&text, "{%s,\"device\":\"%s\"}\n", queries[i].request, queries[i].device);
    CHECK_OK(ec_file_write(path, text.data, text.len, &err));
    ec_buf_clear(&text);
}

TEST(requests_have_the_answers_of_the_command)
{
    struct ec_buf json = EC_BUF_INIT, line = EC_BUF_INIT;
    char path[64], words[128];
    struct ec_span rest, part;
    struct done d;
    int i;

    write_requests(capture_path("jsonl", path, sizeof path));
    (void)snprintf(words, sizeof words, "predict --requests %s --sandbox off", path);
    epochcast(words, &d);
    CHECK_INT(d.status, EC_EXIT_OK);
    CHECK(remove(path) == 0);
    rest = (struct ec_span){ (const char *)d.out.data, d.out.len };
    for (i = 0; i < EC_LEN(queries) && rest.len && ec_span_cut(&rest, '\n', &part); i++) {
        const char *where = "the whole";
        struct ec_arena a = { 0 };

        ask(&queries[i], "--json", &json);
        ec_buf_reset(&line);
        ec_buf_add(&line, part.p, part.len);
        if (!same_tree(parsed(&queries[i], &json, &a), parsed(&queries[i], &line, &a), &where))
            COMPLAIN(&queries[i], "%s differs in the request's answer", where);
        ec_arena_clear(&a);
    }
    CHECK_INT(i, EC_LEN(queries));
    CHECK_INT(rest.len, 0);
    done_clear(&d);
    ec_buf_clear(&json);
    ec_buf_clear(&line);
}

/* --- Several devices --- */

/* What an answer has because there is another device: time_over_first and its kin. */
static bool is_of_comparison(const struct ec_jval *v)
{
    return strstr(v->key, "_first") != NULL;
}

static int own_members(const struct ec_jval *answer)
{
    const struct ec_jval *v;
    int n = 0;

    for (v = answer->child; v; v = v->next)
        n += !is_of_comparison(v);
    return n;
}

/* Each answer of a comparison is the one that its device has alone. */
TEST(a_comparison_has_the_answers_of_each)
{
    struct ec_buf both = EC_BUF_INIT, one = EC_BUF_INIT;
    char devices[96];
    int i;

    for (i = 0; i < EC_LEN(queries); i++) {
        const struct query *q = &queries[i];
        const char *names[] = { q->device, "p100-pcie-16gb" };
        const struct ec_jval *list, *v, *alone, *x, *y;
        struct ec_arena a = { 0 };
        int k = 0;

        (void)snprintf(devices, sizeof devices, "%s,%s", names[0], names[1]);
        ask_on(q, devices, "--json", &both);
        list = ec_json_get(parsed(q, &both, &a), "predictions");
        CHECK_INT(list ? list->n : 0, 2);
        for (v = list ? list->child : NULL; v && k < 2; v = v->next, k++) {
            const char *where = "something";

            ask_on(q, text_at(v, "device"), "--json", &one);
            alone = parsed(q, &one, &a);
            CHECK_INT(own_members(v) + 1, alone->n); /* which has the schema too */
            for (x = v->child, y = alone->child->next; x && y; x = x->next) {
                if (is_of_comparison(x))
                    continue;
                if (!same_tree(x, y, &where))
                    COMPLAIN(q, "%s of %s differs in a comparison", where, text_at(v, "device"));
                y = y->next;
            }
        }
        ec_arena_clear(&a);
    }
    ec_buf_clear(&both);
    ec_buf_clear(&one);
}

/* --- People --- */

typedef const char *(*fmt_fn)(char *, size_t, double, double);

static const char *fmt_rate(char *out, size_t size, double v, double like)
{
    (void)like;
    return ec_fmt_digits3(out, size, v);
}

/* "  step   66.9 ms   (90 %: 44.4 ms to 104 ms)", by the numbers of JSON; of a guess "not known"
 * and bounds with units of their own. */
static void card_line(const struct query *q, const struct ec_jval *root, const char *key,
                      const char *title, fmt_fn fmt, const char *card)
{
    double mid = number_at(root, key, "p50"), lo = number_at(root, key, "p05"),
           hi = number_at(root, key, "p95");
    bool is_guess = number_at(root, "guess", NULL) > 0 && !strstr(key, "bytes");
    char line[160], a[32], b[32], c[32];

    if (isnan(mid))
        return;
    (void)snprintf(line, sizeof line, "\n  %-12s %12s   (90 %%: %s to %s)\n", title,
                   is_guess ? "not known" : fmt(a, sizeof a, mid, mid),
                   fmt(b, sizeof b, lo, is_guess ? lo : mid),
                   fmt(c, sizeof c, hi, is_guess ? hi : mid));
    if (!strstr(card, line))
        COMPLAIN(q, "the card lacks \"%s\"", line + 1);
}

static void phases_and_sides(const struct query *q, const struct ec_jval *root, const char *card)
{
    double device = number_at(root, "parts", "device_ns"),
           host = number_at(root, "parts", "host_ns"),
           hidden = number_at(root, "parts", "hidden_ns");
    char line[160], a[32], b[32], c[32];

    if (*text_at(root, "host")) {
        (void)snprintf(line, sizeof line, "device %s, host %s, of which %s overlap",
                       ec_fmt_ns(a, sizeof a, device), ec_fmt_ns(b, sizeof b, host),
                       ec_fmt_ns(c, sizeof c, hidden));
        if (!strstr(card, line))
            COMPLAIN(q, "the card lacks \"%s\"", line);
        if (!(hidden > 0 && hidden <= fmin(device, host) * (1 + 1e-9)))
            COMPLAIN(q, "%g ns overlap, of %g and %g", hidden, device, host);
    }
    (void)snprintf(line, sizeof line, "  limited by %s\n", text_at(root, "limit"));
    if (!strstr(card, line))
        COMPLAIN(q, "the card lacks \"%s\"", line);
}

TEST(the_card_has_the_numbers_of_json)
{
    struct ec_buf json = EC_BUF_INIT, card = EC_BUF_INIT;
    int i;

    for (i = 0; i < EC_LEN(queries); i++) {
        const struct query *q = &queries[i];
        struct ec_arena a = { 0 };
        const struct ec_jval *root;
        const char *text;

        ask(q, "--json", &json);
        ask(q, "", &card);
        root = parsed(q, &json, &a);
        text = ec_buf_text(&card);
        card_line(q, root, "step_time_ns", ec_json_get(root, "op") ? "time" : "step",
                  ec_fmt_ns_like, text);
        if (!ec_json_get(root, "op"))
            card_line(q, root, "samples_per_s", "samples/s", fmt_rate, text);
        card_line(q, root, "epoch_time_ns", "epoch", ec_fmt_ns_like, text);
        card_line(q, root, "job_time_ns", "job", ec_fmt_ns_like, text);
        card_line(q, root, "memory_peak_bytes", "peak memory", ec_fmt_bytes_like, text);
        card_line(q, root, "allocator_peak_bytes", "  allocated", ec_fmt_bytes_like, text);
        phases_and_sides(q, root, text);
        ec_arena_clear(&a);
    }
    ec_buf_clear(&json);
    ec_buf_clear(&card);
}

/* The place behind the three numbers of the step, which have one unit; of a guess its bounds, of a
 * job, which has bounds in its place, the median; NULL: they are not there. */
static const char *behind_step(const char *at, const struct ec_jval *v)
{
    static const char *const bounds[] = { "p50", "p05", "p95" };
    static const double likes[] = { 1, 1e3, 1e6, 1e9, 120e9, 7200e9 };
    int first = number_at(v, "guess", NULL) > 0, i, k;
    int last = ec_json_get(v, "job_time_ns") ? 1 : EC_LEN(bounds);
    char text[32];

    for (i = 0; i < EC_LEN(likes); i++) {
        const char *end = at;
        double scale;

        (void)ec_unit_of_ns(likes[i], &scale);
        for (k = first; k < last && end; k++)
            end = strstr(end, ec_fmt_digits3(text, sizeof text,
                                             number_at(v, "step_time_ns", bounds[k]) * scale));
        if (end)
            return end;
    }
    return NULL;
}

/* In a table of several devices too, and in its order. */
TEST(the_table_has_the_numbers_of_json)
{
    struct ec_buf json = EC_BUF_INIT, table = EC_BUF_INIT;
    static const char *const forms[] = { "", "--markdown" };
    char devices[96];
    const char *at;
    int i, k;

    for (i = 0; i < EC_LEN(queries); i++) {
        const struct query *q = &queries[i];
        struct ec_arena arena = { 0 };
        const struct ec_jval *list, *v;

        (void)snprintf(devices, sizeof devices, "%s,p100-pcie-16gb", q->device);
        ask_on(q, devices, "--json", &json);
        list = ec_json_get(parsed(q, &json, &arena), "predictions");
        for (k = 0; k < EC_LEN(forms); k++) {
            ask_on(q, devices, forms[k], &table);
            at = ec_buf_text(&table);
            for (v = list ? list->child : NULL; v && at; v = v->next) {
                at = strstr(at, text_at(v, "device"));
                at = at ? behind_step(at, v) : NULL;
                if (!at)
                    COMPLAIN(q, "no row of %s with its step", text_at(v, "device"));
            }
        }
        ec_arena_clear(&arena);
    }
    ec_buf_clear(&json);
    ec_buf_clear(&table);
}

/* --- What holds within one answer --- */

static void interval_is_ordered(const struct query *q, const struct ec_jval *root, const char *key)
{
    double lo = number_at(root, key, "p05"), mid = number_at(root, key, "p50"),
           hi = number_at(root, key, "p95");

    if (ec_json_get(root, key) && !(lo > 0 && lo <= mid && mid <= hi))
        COMPLAIN(q, "%s: %g, %g, %g", key, lo, mid, hi);
}

TEST(an_answer_agrees_with_itself)
{
    static const char *const intervals[] = {
        "step_time_ns", "samples_per_s",     "epoch_time_ns",       "job_time_ns",
        "cost_usd",     "memory_peak_bytes", "allocator_peak_bytes"
    };
    struct ec_buf json = EC_BUF_INIT;
    int i, k;

    for (i = 0; i < EC_LEN(queries); i++) {
        const struct query *q = &queries[i];
        struct ec_arena a = { 0 };
        const struct ec_jval *root;
        double step, alone, waits;

        ask(q, "--json", &json);
        root = parsed(q, &json, &a);
        for (k = 0; k < EC_LEN(intervals); k++)
            interval_is_ordered(q, root, intervals[k]);
        step = number_at(root, "step_time_ns", "p50");
        CHECK_NEAR(number_at(root, "samples_per_s", "p50") * step * 1e-9,
                   number_at(root, "batch", NULL), 1e-6);
        if (ec_json_get(root, "job_time_ns"))
            CHECK_NEAR(number_at(root, "job_time_ns", "p50"),
                       3 * number_at(root, "epoch_time_ns", "p50"), 1e-6);
        alone = number_at(root, "parts", "device_ns") + number_at(root, "parts", "host_ns") +
                number_at(root, "parts", "other_ns") - number_at(root, "parts", "hidden_ns");
        waits = number_at(root, "parts", "exposed_communication_ns") +
                number_at(root, "parts", "wait_ns");
        if (*text_at(root, "host") && isnan(waits))
            CHECK_NEAR(alone, step, 1e-6);
        else if (*text_at(root, "host")) /* whose median is corrected a little */
            CHECK_NEAR(alone + waits, step, 0.1);
        ec_arena_clear(&a);
    }
    ec_buf_clear(&json);
}

/* What a device and its host do at the same time does not depend on how many there are of them. */
TEST(several_devices_overlap_with_their_hosts_as_one_does)
{
    static const struct query one = { "resnet18 --batch 32", "t4", "" },
                              four = { "resnet18 --batch 32 --devices 4", "t4", "" };
    static const char *const keys[] = { "device_ns", "host_ns", "other_ns", "hidden_ns" };
    struct ec_buf a = EC_BUF_INIT, b = EC_BUF_INIT;
    struct ec_arena arena = { 0 };
    const struct ec_jval *alone, *several;
    int i;

    ask(&one, "--json", &a);
    ask(&four, "--json", &b);
    alone = parsed(&one, &a, &arena);
    several = parsed(&four, &b, &arena);
    for (i = 0; i < EC_LEN(keys); i++)
        CHECK_NEAR(number_at(several, "parts", keys[i]), number_at(alone, "parts", keys[i]), 1e-6);
    CHECK(number_at(several, "parts", "hidden_ns") > 0);
    ec_arena_clear(&arena);
    ec_buf_clear(&a);
    ec_buf_clear(&b);
}

/* --- Explanations --- */

/* "66.9 ms" at *p; NaN: there is none. */
static double take_time(const char *p)
{
    static const struct {
        const char *unit;
        double ns;
    } units[] = {
        {" ns",   1   },
        { " us",  1e3 },
        { " ms",  1e6 },
        { " s",   1e9 },
        { " min", 60e9}
    };
    size_t len = strspn(p, "0123456789.");
    double v;
    int i;

    if (!ec_parse_double((struct ec_span){ p, len }, &v))
        return (double)NAN;
    for (i = EC_LEN(units) - 1; i >= 0; i--)
        if (ec_str_starts(p + len, units[i].unit))
            return v * units[i].ns;
    return (double)NAN;
}

/* Of "kind  3  24.6 M  19.7 us  x2.381  x0.898  = 41.4 us" the first time, the product of the
 * factors, the last time; *ret_slack is what rounding may make of them. False: no such line. */
static bool take_factors(const char *line, double *ret_first, double *ret_product, double *ret_last,
                         double *ret_slack)
{
    const char *p = line;
    double v;
    int n = 0;

    *ret_product = 1;
    *ret_slack = 0.011;
    *ret_first = *ret_last = (double)NAN;
    for (; *p && *p != '\n'; p++) {
        if (p > line && p[-1] != ' ')
            continue;
        if (*p == 'x' && p[1] >= '0' && p[1] <= '9' &&
            ec_parse_double((struct ec_span){ p + 1, strspn(p + 1, "0123456789.") }, &v)) {
            *ret_product *= v;
            *ret_slack += 0.0005 / fmax(v, 1e-3);
            n++;
        } else if (*p >= '0' && *p <= '9' && !isnan(take_time(p))) {
            *ret_first = n ? *ret_first : take_time(p);
            *ret_last = take_time(p);
        }
    }
    return n > 0 && !isnan(*ret_first);
}

static int check_factor_lines(const struct query *q, const char *text)
{
    struct ec_span rest = ec_span_of(text), line;
    double first, product, last, slack;
    char copy[512];
    int n = 0;

    while (rest.len && ec_span_cut(&rest, '\n', &line)) {
        (void)snprintf(copy, sizeof copy, "%.*s", (int)line.len, line.p);
        if (strchr(copy, '(') || strchr(copy, ';') || strchr(copy, ',') || strchr(copy, ':') ||
            !take_factors(copy, &first, &product, &last, &slack))
            continue;
        n++;
        if (!(fabs(first * product / last - 1) <= slack))
            COMPLAIN(q, "%g ns x %g is not %g ns: %s", first, product, last, copy);
    }
    return n;
}

TEST(factors_multiply_to_the_time)
{
    struct ec_buf text = EC_BUF_INIT;
    int i;

    for (i = 0; i < EC_LEN(queries); i++) {
        ask(&queries[i], "--explain", &text);
        if (check_factor_lines(&queries[i], ec_buf_text(&text)) < 2)
            COMPLAIN(&queries[i], "no lines of factors");
    }
    ec_buf_clear(&text);
}

static double sum_of(const struct ec_jval *object)
{
    const struct ec_jval *v;
    double sum = 0;

    for (v = object ? object->child : NULL; v; v = v->next)
        sum += v->type == EC_J_NUM ? v->num : 0;
    return sum;
}

/* The last stage that has times of kernels; NULL: none. */
static const struct ec_jval *last_times(const struct ec_jval *why)
{
    const struct ec_jval *stages = ec_json_get(why, "stages"), *v, *last = NULL;

    for (v = stages ? stages->child : NULL; v; v = v->next)
        if (ec_json_get(v, "device_ns_by_kind"))
            last = ec_json_get(v, "device_ns_by_kind");
    return last;
}

/* The kernels of the last stage, the casts and the launches are the device's time. */
TEST(stages_add_up_to_the_device)
{
    struct ec_buf json = EC_BUF_INIT;
    double sum;
    int i;

    for (i = 0; i < EC_LEN(queries); i++) {
        const struct query *q = &queries[i];
        struct ec_arena a = { 0 };
        const struct ec_jval *root, *why;

        ask(q, "--explain --json", &json);
        root = parsed(q, &json, &a);
        why = ec_json_get(root, "explanation");
        if (!why || !last_times(why)) {
            COMPLAIN(q, "no explanation");
        } else {
            sum = sum_of(last_times(why)) + number_at(why, "casts_ns", NULL) +
                  number_at(why, "gaps_ns", NULL);
            CHECK_NEAR(sum, number_at(why, "device_ns", NULL), 1e-8);
            CHECK(sum_of(ec_json_get(why, "launches")) <=
                  number_at(why, "launches_with_casts", NULL) * (1 + 1e-9));
        }
        ec_arena_clear(&a);
    }
    ec_buf_clear(&json);
}

/* An explanation changes nothing of the answer that it explains. */
TEST(an_explained_answer_is_the_same)
{
    struct ec_buf plain = EC_BUF_INIT, explained = EC_BUF_INIT;
    int i;

    for (i = 0; i < EC_LEN(queries); i++) {
        const struct query *q = &queries[i];
        const struct ec_jval *x, *y;
        struct ec_arena a = { 0 };
        const char *where = "";

        ask(q, "", &plain);
        ask(q, "--explain", &explained);
        CHECK(ec_str_starts(ec_buf_text(&explained), ec_buf_text(&plain)));
        ask(q, "--json", &plain);
        ask(q, "--explain --json", &explained);
        x = parsed(q, &plain, &a)->child;
        y = parsed(q, &explained, &a)->child;
        for (; x && y; x = x->next, y = y->next)
            if (!same_tree(x, y, &where))
                COMPLAIN(q, "%s differs when explained", where);
        CHECK(!x && y && ec_str_eq(y->key, "explanation") && !y->next);
        ec_arena_clear(&a);
    }
    ec_buf_clear(&plain);
    ec_buf_clear(&explained);
}

/* The bounds of the interval, as the explanation has them, are those of the answer. */
TEST(the_interval_is_explained_by_its_bounds)
{
    struct ec_buf json = EC_BUF_INIT, text = EC_BUF_INIT;
    char want[96];
    int i;

    for (i = 0; i < EC_LEN(queries); i++) {
        const struct query *q = &queries[i];
        struct ec_arena a = { 0 };
        const struct ec_jval *root;
        double mid;

        if (strstr(q->words, "--devices"))
            continue; /* its median moves: the bounds are of the time before */
        ask(q, "--explain --json", &json);
        root = parsed(q, &json, &a);
        mid = number_at(root, "step_time_ns", "p50");
        (void)ec_snprintf(want, sizeof want, "90 %% between x%.3f and x%.3f",
                          number_at(root, "step_time_ns", "p05") / mid,
                          number_at(root, "step_time_ns", "p95") / mid);
        if (!strstr(ec_buf_text(&json), want))
            COMPLAIN(q, "nothing says \"%s\"", want);
        ec_arena_clear(&a);
    }
    ec_buf_clear(&json);
    ec_buf_clear(&text);
}

/* --- Baselines --- */

TEST(a_baseline_says_how_far_it_is_from_our_own)
{
    static const char *const methods[] = { "roofline",    "flop",        "justus-sum",
                                           "practicum-1", "practicum-2", "practicum-3" };
    static const struct query own = { "resnet50 --batch 32", "t4", "" };
    struct ec_buf json = EC_BUF_INIT;
    struct ec_arena a = { 0 };
    const struct ec_jval *root;
    char form[64];
    double ours;
    int i;

    ask(&own, "--json", &json);
    ours = number_at(parsed(&own, &json, &a), "step_time_ns", "p50");
    for (i = 0; i < EC_LEN(methods); i++) {
        (void)snprintf(form, sizeof form, "--json --method %s", methods[i]);
        ask(&own, form, &json);
        root = parsed(&own, &json, &a);
        CHECK_STR(text_at(root, "method"), methods[i]);
        CHECK_NEAR(number_at(root, "ratio_to_own", NULL) * ours,
                   number_at(root, "step_time_ns", "p50"), 1e-6);
        CHECK(isnan(number_at(root, "step_time_ns", "p05"))); /* a baseline has no interval */
        CHECK_NEAR(number_at(root, "samples_per_s", "p50") *
                       number_at(root, "step_time_ns", "p50") * 1e-9,
                   32, 1e-6);
    }
    ec_arena_clear(&a);
    ec_buf_clear(&json);
}
