/* Requests and answers as JSON: the schema of docs/requests.md, errors that are answers, memory
 * running out. */
#include "ask.h"

/* The answer to one line, parsed. */
struct reply {
    struct ec_buf text;
    struct ec_arena arena;
    const struct ec_jval *root;
};

static void reply_clear(struct reply *r)
{
    ec_buf_clear(&r->text);
    ec_arena_clear(&r->arena);
}

static struct reply send(struct ec_predictor *p, const char *line)
{
    struct reply r = { .text = EC_BUF_INIT };
    struct ec_err err = { 0 };

    CHECK_OK(ec_predict_request(p, line, strlen(line), 0, &r.text, &err));
    CHECK_OK(ec_json_parse(ec_buf_text(&r.text), r.text.len, &r.arena, &r.root, &err));
    CHECK(!strchr(ec_buf_text(&r.text), '\n'));
    if (r.root)
        CHECK_STR(r.root->child->str, "epochcast.prediction/1");
    return r;
}

static const struct ec_jval *get(const struct ec_jval *v, const char *a, const char *b)
{
    v = v ? ec_json_get(v, a) : NULL;
    return v && b ? ec_json_get(v, b) : v;
}

static const char *text_at(const struct reply *r, const char *a, const char *b)
{
    const struct ec_jval *v = get(r->root, a, b);

    return v && v->type == EC_J_STR ? v->str : "(none)";
}

static double num_at(const struct reply *r, const char *a, const char *b)
{
    const struct ec_jval *v = get(r->root, a, b);

    return v && v->type == EC_J_NUM ? v->num : -1;
}

TEST(a_network_with_everything)
{
    struct ec_predictor *p = predictor();
    struct reply r = send(p, "{\"schema\":\"epochcast.request/1\",\"id\":\"q\\n1\","
                             "\"model\":\"resnet18\",\"device\":\"t4\",\"batch\":32,"
                             "\"precision\":\"amp\",\"optimizer\":\"adam\",\"samples\":1e3,"
                             "\"epochs\":\"2\",\"as_exported\":true,\"set\":null}");

    CHECK_STR(text_at(&r, "id", NULL), "q\n1");
    CHECK_STR(text_at(&r, "model", NULL), "resnet18");
    CHECK_STR(text_at(&r, "device", NULL), "t4");
    CHECK_NEAR(num_at(&r, "batch", NULL), 32, 0);
    CHECK(num_at(&r, "step_time_ns", "p05") > 0);
    CHECK_NEAR(num_at(&r, "epoch_time_ns", "p50"), 32 * num_at(&r, "step_time_ns", "p50"), 1e-8);
    CHECK_NEAR(num_at(&r, "job_time_ns", "p50"), 2 * num_at(&r, "epoch_time_ns", "p50"), 1e-8);
    CHECK_NEAR(num_at(&r, "samples_per_s", "p50"), 32e9 / num_at(&r, "step_time_ns", "p50"), 1e-8);
    CHECK(num_at(&r, "memory_peak_bytes", "p95") > 0);
    CHECK(num_at(&r, "fits_probability", NULL) >= 0);
    CHECK(num_at(&r, "parts", "weights_bytes") > 0);
    CHECK(num_at(&r, "parts", "device_ns") > 0);
    CHECK(get(r.root, "fits", NULL)->type == EC_J_BOOL);
    CHECK(get(r.root, "warnings", NULL)->type == EC_J_ARRAY);
    CHECK(*text_at(&r, "limit", NULL) && *text_at(&r, "basis", NULL));
    CHECK(!get(r.root, "error", NULL));
    reply_clear(&r);
    ec_predictor_free(p);
}

TEST(an_operator)
{
    struct ec_predictor *p = predictor();
    struct reply r = send(p, "{\"op\":\"linear m=64 k=32 n=16\",\"device\":\"T4\",\"id\":-7,"
                             "\"phase\":\"grad_weight\"}");

    CHECK_NEAR(num_at(&r, "id", NULL), -7, 0);
    CHECK_STR(text_at(&r, "op", NULL), "linear m=64 k=32 n=16");
    CHECK_NEAR(num_at(&r, "batch", NULL), 64, 0);
    CHECK_NEAR(num_at(&r, "samples_per_s", "p50"), 64e9 / num_at(&r, "step_time_ns", "p50"), 1e-8);
    CHECK(num_at(&r, "step_time_ns", "p50") > 0);
    CHECK(!get(r.root, "memory_peak_bytes", NULL) && !get(r.root, "fits", NULL));
    CHECK(!get(r.root, "epoch_time_ns", NULL) && !get(r.root, "job_time_ns", NULL));
    CHECK(!get(r.root, "parts", "weights_bytes"));
    reply_clear(&r);
    ec_predictor_free(p);
}

/* Nine significant digits, wherever the point stands. */
TEST(numbers_have_nine_digits)
{
    static const struct {
        double v;
        const char *text;
    } rows[] = {
        {12.3456789012,    "12.3456789"   },
        { 12345678.9012,   "12345678.9"   },
        { 123456789.012,   "123456789"    },
        { 999999999.9,     "1000000000"   },
        { 1234567890.12,   "1234567890"   },
        { 9876543219876.5, "9876543220000"},
        { -123456789.9,    "-123456790"   },
        { 0,               "0"            },
    };
    int i;

    for (i = 0; i < EC_LEN(rows); i++) {
        struct ec_prediction r = { .unknown_ns = 0, .device_ns = rows[i].v };
        struct ec_predict_opts o;
        struct ec_buf text = EC_BUF_INIT;
        char want[64];
        struct ec_json j;

        ec_json_begin(&j, &text, 0);
        ec_json_open(&j, NULL, '{');
        ec_predict_opts_default(&o);
        ec_answer_json(&j, &o, &r, false);
        ec_json_close(&j, '}');
        (void)snprintf(want, sizeof want, "\"device_ns\":%s,", rows[i].text);
        CHECK_HAS(ec_buf_text(&text), want);
        ec_buf_clear(&text);
    }
}

static void check_in_document(const struct ec_span doc, const char *name)
{
    char quoted[80];

    (void)snprintf(quoted, sizeof quoted, "`%s`", name);
    if (!memmem(doc.p, doc.len, quoted, strlen(quoted)))
        test_fail(__FILE__, __LINE__, "docs/requests.md has no %s", quoted);
}

/* Every option and every key of an answer stands in the document of both. */
TEST(the_smallest_number_is_no_null)
{
    struct ec_predictor *p = predictor();
    struct reply r = send(p, "{\"model\":\"llama3_405b\",\"device\":\"m40-12gb\",\"batch\":2,"
                             "\"precision\":\"fp16\",\"framework\":\"pytorch-compiled\","
                             "\"mode\":\"forward\"}");
    const struct ec_jval *v = get(r.root, "fits_probability", NULL);

    CHECK(v && v->type == EC_J_NUM && v->num < 1e-300);
    reply_clear(&r);
    ec_predictor_free(p);
}

TEST(the_document_has_every_key)
{
    struct ec_predictor *p = predictor();
    struct reply r = send(p, "{\"id\":1,\"model\":\"resnet18\",\"device\":\"v100-sxm2-16gb\","
                             "\"batch\":8,\"devices\":2,\"samples\":1000,\"epochs\":2,"
                             "\"usd_per_hour\":3}");
    const struct ec_field *f;
    const struct ec_jval *v;
    struct ec_file file = { 0 };
    struct ec_err err = { 0 };
    struct ec_span doc;

    CHECK_OK(ec_file_open("docs/requests.md", 0, &file, &err));
    doc = (struct ec_span){ (const char *)file.data, file.len };
    for (f = ec_predict_fields; f->name; f++)
        check_in_document(doc, f->name);
    for (v = r.root->child; v; v = v->next)
        check_in_document(doc, v->key);
    for (v = get(r.root, "parts", NULL)->child; v; v = v->next)
        check_in_document(doc, v->key);
    CHECK(get(r.root, "cost_usd", NULL) && get(r.root, "parts", "wait_ns"));
    ec_file_close(&file);
    reply_clear(&r);
    ec_predictor_free(p);
}

TEST(the_answer_to_the_library_is_that_to_the_line)
{
    struct ec_predictor *p = predictor();
    struct ec_predict_opts o = options(8);
    struct ec_prediction direct = ask(p, "resnet18", "t4", &o);
    struct reply r = send(p, "{\"network\":\"resnet18\",\"device\":\"t4\",\"batch\":8}");

    CHECK_NEAR(num_at(&r, "step_time_ns", "p50"), direct.step_time_ns.p50, 1e-8);
    CHECK_NEAR(num_at(&r, "memory_peak_bytes", "p95"), direct.memory_peak_bytes.p95, 1e-8);
    reply_clear(&r);
    ec_predictor_free(p);
}

TEST(a_request_without_precision_leaves_it_to_the_device)
{
    struct ec_predictor *p = predictor();
    struct reply r = send(p, "{\"model\":\"vgg16\",\"device\":\"tpu-v4\"}");

    CHECK_STR(text_at(&r, "precision", NULL), "bf16");
    reply_clear(&r);
    r = send(p, "{\"model\":\"vgg16\",\"device\":\"tpu-v4\",\"precision\":null}");
    CHECK_STR(text_at(&r, "precision", NULL), "bf16");
    reply_clear(&r);
    r = send(p, "{\"model\":\"vgg16\",\"device\":\"tpu-v4\",\"precision\":\"fp32\"}");
    CHECK_STR(text_at(&r, "error", "status"), "E_UNSUPPORTED");
    reply_clear(&r);
    ec_predictor_free(p);
}

/* clang-format off */
static const struct {
    const char *line, *status, *message;
} refused[] = {
    { "", "E_PARSE", "" },
    { "no json", "E_PARSE", "line 1" },
    { "[]", "E_PARSE", "expected one JSON object" },
    { "{}", "E_INPUT", "no device" },
    { "{\"device\":\"t4\"}", "E_INPUT", "give \"model\" or \"op\"" },
    { "{\"model\":\"vgg16\"}", "E_INPUT", "no device" },
    { "{\"model\":\"vgg16\",\"op\":\"relu x=1\",\"device\":\"t4\"}", "E_INPUT", "both" },
    { "{\"model\":\"a\",\"network\":\"b\",\"device\":\"t4\"}", "E_INPUT", "both given" },
    { "{\"model\":5,\"device\":\"t4\"}", "E_INPUT", "model: expected text" },
    { "{\"model\":\"vgg16\",\"device\":[\"t4\"]}", "E_INPUT", "device: a request has one device" },
    { "{\"model\":\"vgg16\",\"device\":\"t4\",\"bach\":1}", "E_INPUT", "\"batch\"" },
    { "{\"model\":\"vgg16\",\"device\":\"t4\",\"batch\":-1}", "E_INPUT", "batch" },
    { "{\"model\":\"vgg16\",\"device\":\"t4\",\"batch\":1.5}", "E_INPUT", "batch" },
    { "{\"model\":\"vgg16\",\"device\":\"t4\",\"batch\":1e300}", "E_INPUT", "batch" },
    { "{\"model\":\"vgg16\",\"device\":\"t4\",\"batch\":[1]}", "E_INPUT", "number or text" },
    { "{\"model\":\"vgg16\",\"device\":\"t4\",\"precision\":\"fp8\"}", "E_INPUT", "fp16" },
    { "{\"model\":\"vgg16\",\"device\":\"t4\",\"id\":{}}", "E_INPUT", "id" },
    { "{\"model\":\"vgg16\",\"device\":\"t4\",\"batch\":1,\"batch\":2}", "E_PARSE", "batch" },
    { "{\"model\":\"vgg61\",\"device\":\"t4\"}", "E_NOT_FOUND", "vgg16" },
    { "{\"model\":\"vgg16\",\"device\":\"t5\"}", "E_NOT_FOUND", "t4" },
    { "{\"model\":\"-\",\"device\":\"t4\"}", "E_INPUT", "name a file" },
    { "{\"model\":\"switch_xl_4:experts=64,layers=1000,sparse_step=1\",\"device\":\"t4\"}",
      "E_INPUT", "too many layers" },
    { "{\"op\":\"conv2d\",\"device\":\"t4\"}", "E_INPUT", "missing" },
    { "{\"op\":\"relu x=4\",\"device\":\"t4\",\"batch\":2}", "E_INPUT", "is for networks" },
};
/* clang-format on */

TEST(what_cannot_be_answered_is_answered_by_an_error)
{
    struct ec_predictor *p = predictor();
    int i;

    for (i = 0; i < EC_LEN(refused); i++) {
        struct reply r = send(p, refused[i].line);

        CHECK_STR(text_at(&r, "error", "status"), refused[i].status);
        CHECK_HAS(text_at(&r, "error", "message"), refused[i].message);
        CHECK(!get(r.root, "step_time_ns", NULL));
        reply_clear(&r);
    }
    ec_predictor_free(p);
}

TEST(an_error_keeps_the_id_wherever_it_stands)
{
    struct ec_predictor *p = predictor();
    struct reply r = send(p, "{\"colour\":1,\"device\":\"t4\",\"id\":12}");

    CHECK_NEAR(num_at(&r, "id", NULL), 12, 0);
    CHECK_HAS(text_at(&r, "error", "message"), "colour");
    reply_clear(&r);
    ec_predictor_free(p);
}

TEST(an_id_that_is_null_is_none)
{
    struct ec_predictor *p = predictor();
    struct reply r = send(p, "{\"id\":null,\"model\":\"lenet5\",\"device\":\"t4\"}");

    CHECK(!get(r.root, "id", NULL) && get(r.root, "step_time_ns", NULL));
    reply_clear(&r);
    ec_predictor_free(p);
}

/* Memory running out is told by the answer, or by the status when there is none. */
static enum ec_status request(struct ec_predictor *p, const char *line, struct ec_buf *out,
                              struct ec_err *err)
{
    enum ec_status st = ec_predict_request(p, line, strlen(line), 0, out, err);

    if (st)
        return st;
    CHECK(out->len && out->data[out->len - 1] == '}');
    if (strstr(ec_buf_text(out), "{\"status\":\"E_NOMEM\""))
        return ec_fail(err, EC_E_NOMEM, "%.200s", ec_buf_text(out));
    CHECK(!strstr(ec_buf_text(out), "error"));
    return EC_OK;
}

/* Each allocation fails once: the answer is whole or there is none. */
static const char *torture_line;

static enum ec_status request_once(struct ec_err *err)
{
    struct ec_buf out = EC_BUF_INIT;
    struct ec_predictor *p = NULL;
    enum ec_status st;

    EC_TRY(ec_predictor_new(&p, err));
    EC_TRY(request(p, torture_line, &out, err));
out:
    ec_predictor_free(p);
    ec_buf_clear(&out);
    return st;
}

TEST(each_allocation_failing)
{
    static const char *const lines[] = {
        "{\"model\":\"alexnet\",\"device\":\"t4\",\"batch\":2,\"dataset\":\"mnist\",\"epochs\":2}",
        "{\"op\":\"conv2d n=2 c=4 h=8 w=8 k=4 r=3\",\"device\":\"t4\",\"set\":\"tdp_w=60\"}",
    };
    int i;

    for (i = 0; i < EC_LEN(lines); i++) {
        torture_line = lines[i];
        CHECK_TORTURE(request_once);
    }
}

TEST(a_predictor_answers_after_running_out_of_memory)
{
    static const char line[] = "{\"model\":\"alexnet\",\"device\":\"t4\",\"batch\":2}";
    struct ec_predictor *p = predictor();
    struct reply whole = send(p, line);
    int64_t n, left = 0;

    ec_predictor_free(p);
    p = predictor();
    for (n = 1; !left && n < 100000; n++) {
        struct ec_buf out = EC_BUF_INIT;
        struct ec_err err = { 0 };
        enum ec_status st;

        (void)ec_alloc_fail_after(n);
        st = request(p, line, &out, &err);
        left = ec_alloc_fail_after(0);
        CHECK(left ? !st : st == EC_E_NOMEM);
        if (!st)
            CHECK_STR(ec_buf_text(&out), ec_buf_text(&whole.text));
        ec_buf_clear(&out);
    }
    reply_clear(&whole);
    ec_predictor_free(p);
}
