/* What the fit has seen, and what is said of questions outside of it. */
#include "ask.h"

#include "model/learned.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char text[] = "group,quantity,lo,hi,rows\n"
                           "conv2d gpu,k,1,512,9\n"
                           "conv2d gpu,precision fp32,1,1,9\n"
                           "network gpu,batch,2,64,9\n"
                           "device gpu network,memory bandwidth in GB/s,200,1000,9\n"
                           "linear gpu,k,1,512,900\n"
                           "linear tensorflow-1 p100,k,2,64,100\n"
                           "linear tensorflow-1 t4,k,2,64,99\n";

static struct ec_domain domain(void)
{
    struct ec_domain d = { 0 };
    struct ec_err err = { 0 };

    CHECK_OK(ec_domain_parse(text, sizeof text - 1, &d, &err));
    CHECK_INT(d.n, 7);
    return d;
}

static struct ec_fact fact(int group, const char *before, const char *name, double value)
{
    return (struct ec_fact){ group, before, name, (int)strlen(name), value };
}

static struct ec_outside one(struct ec_fact_group group, const char *before, const char *name,
                             double value)
{
    struct ec_facts f = { .group = { group }, .n = 1, .v = { fact(0, before, name, value) } };
    struct ec_outside r = { 0 };
    struct ec_domain d = domain();

    (void)ec_domain_outside(&d, &f, &r, 1);
    ec_domain_clear(&d);
    return r;
}

/* Where a framework has rows on a product, their range counts. */
TEST(what_was_measured_here_counts)
{
    static const struct {
        const char *product;
        double k;
        const char *text; /* NULL: inside */
    } cases[] = {
        {"p100",  60,   NULL                                                               },
        { "p100", 128,  "k 128 is 2.0x above any linear measured with tensorflow-1 on p100"},
 /* a T4 has too few rows for a range of its own */
        { "t4",   128,  NULL                                                               },
        { "t4",   1024, "k 1024 is 2.0x above any linear measured on GPUs"                 },
        { "l4",   128,  NULL                                                               },
    };
    struct ec_domain d = domain();
    int i;

    for (i = 0; i < EC_LEN(cases); i++) {
        struct ec_facts f = {
            .group = {{ "linear", "gpu", NULL }},
            .here = { "linear",                  "tensorflow-1", cases[i].product },
            .n = 1,
            .v = {                  fact(0, "",                                   "k", cases[i].k) }
        };
        struct ec_outside r = { 0 };

        CHECK_INT(ec_domain_outside(&d, &f, &r, 1), cases[i].text != NULL);
        if (cases[i].text)
            CHECK_HAS(r.text, cases[i].text);
    }
    ec_domain_clear(&d);
}

static void swap(unsigned char *a, unsigned char *b, size_t size)
{
    size_t i;

    for (i = 0; i < size; i++) {
        unsigned char byte = a[i];

        a[i] = b[i];
        b[i] = byte;
    }
}

/* In place of the C library's, which may or may not keep the order of equal elements: a heap sort,
 * which does not. */
void qsort(void *data, size_t n, size_t size, int (*compare)(const void *, const void *))
{
    size_t left = n / 2, at, child;
    unsigned char *v = data;

    while (n > 1) {
        if (left)
            left--;
        else
            swap(v, v + --n * size, size);
        for (at = left; (child = 2 * at + 1) < n; at = child) {
            if (child + 1 < n && compare(v + child * size, v + (child + 1) * size) < 0)
                child++;
            if (compare(v + at * size, v + child * size) >= 0)
                break;
            swap(v + at * size, v + child * size, size);
        }
    }
}

static const struct ec_fact_group conv = { "conv2d", "gpu", NULL };
static const struct ec_fact_group network = { "network", "gpu", NULL };

TEST(inside_is_not_outside)
{
    CHECK_STR(one(conv, "", "k", 1).text, "");
    CHECK_STR(one(conv, "", "k", 512).text, "");
    CHECK_STR(one(conv, "", "k", 520).text, ""); /* rounding */
    CHECK_STR(one(conv, "precision ", "fp32", 1).text, "");
}

TEST(what_is_outside_names_quantity_value_factor_and_bound)
{
    struct ec_outside d = one(conv, "", "k", 2048);

    CHECK_NEAR(d.log2_factor, 2, 1e-12);
    CHECK_HAS(d.text, "k 2048 is 4.0x above any conv2d measured on GPUs (512)");
    d = one(network, "", "batch", 1);
    CHECK_NEAR(d.log2_factor, 1, 1e-12);
    CHECK_HAS(d.text, "batch 1 is 2.0x below any network measured on GPUs (2)");
    d = one((struct ec_fact_group){ "device", "gpu", "network" }, "", "memory bandwidth in GB/s",
            4000);
    CHECK_HAS(d.text, "memory bandwidth in GB/s, 4000, is 4.0x above any measured GPU (1000)");
}

TEST(equally_far_outside_stands_in_the_order_of_the_query)
{
    struct ec_facts f = {
        .group = {conv},
        .n = 4,
        .v = { fact(0, "precision ", "bf16", 1), fact(0, "", "k", 4096),
                  fact(0, "precision ", "amp", 1), fact(0, "", "groups", 1) }
    };
    struct ec_domain d = domain();
    struct ec_outside r[4];

    CHECK_INT(ec_domain_outside(&d, &f, r, EC_LEN(r)), 4);
    CHECK_HAS(r[0].text, "k 4096");
    CHECK_HAS(r[1].text, "precision bf16");
    CHECK_HAS(r[2].text, "precision amp");
    CHECK_HAS(r[3].text, "with groups");
    ec_domain_clear(&d);
}

TEST(what_was_never_seen_is_told)
{
    static const struct ec_fact_group gelu = { "gelu", "cpu", NULL };
    static const struct ec_fact_group other = { "device", "accelerator", "network" };

    CHECK_HAS(one(conv, "precision ", "amp", 1).text, "no conv2d with precision amp");
    CHECK_HAS(one(gelu, "", "elements moved", 1e6).text, "no gelu was measured on any CPU");
    CHECK_NEAR(one(gelu, "", "elements moved", 1e6).log2_factor, EC_OUTSIDE_UNSEEN, 0);
    CHECK_STR(one(other, "", "multiprocessors", 2).text, "");
}

/* A layer that no network had, but that was measured alone, is half as unknown. */
TEST(a_layer_that_was_measured_alone_is_known_by_half)
{
    CHECK_HAS(one(network, "layer ", "gelu", 1).text, "no network with layer gelu");
    CHECK_NEAR(one(network, "layer ", "gelu", 1).log2_factor, EC_OUTSIDE_UNSEEN, 0);
    CHECK_HAS(one(network, "layer ", "conv2d", 1).text, "no network with layer conv2d");
    CHECK_NEAR(one(network, "layer ", "conv2d", 1).log2_factor, EC_OUTSIDE_UNSEEN / 2, 0);
}

/* What stands in the text of a case is what is held against the ranges. */
TEST(numbers_of_a_case_are_those_of_its_text)
{
    static const char *const texts[] = {
        "conv2d n=32 c=64 h=56 w=56 k=64 r=3 pad=1",
        "conv2d n=32 c=64 h=56 w=56 k=64 r=1 stride=2x3 bias=0",
        "linear m=4096 k=768 n=3072",
        "matmul b=96 m=512 k=64 n=512",
        "softmax x=96x512x512",
        "relu x=7",
        "concat x=2x3 y=2x4 z=2x5 x3=2x6 axis=1",
        "layer_norm x=8x512x768 eps=0.001",
        "lstm n=8 t=32 c=64 hidden=128",
        "scaled_dot_product_attention b=8 t=32 d=64 u=32 e=64",
    };
    struct ec_case_number v[EC_FACTS_MAX];
    struct ec_err err = { 0 };
    int i, k;

    for (i = 0; i < EC_LEN(texts); i++) {
        struct ec_buf printed = EC_BUF_INIT;
        struct ec_owned_case c = { 0 };
        struct ec_span rest, word, name, one;

        if (ec_case_parse(texts[i], &c, &err))
            continue;
        ec_case_print(&c.c, &printed);
        rest = ec_span_of(ec_buf_text(&printed));
        (void)ec_span_cut(&rest, ' ', &word);
        for (k = 0; k < ec_case_numbers(&c.c, v, EC_LEN(v)); k++) {
            double number = -1;

            CHECK(ec_span_cut(&rest, ' ', &word) && ec_span_cut(&word, '=', &name));
            CHECK(name.len == (size_t)v[k].name_len && !memcmp(name.p, v[k].name, name.len));
            while (word.p && ec_span_cut(&word, 'x', &one))
                CHECK(ec_parse_double(one, &number));
            CHECK_NEAR(v[k].value, number, 0);
        }
        CHECK(!rest.p);
        ec_buf_clear(&printed);
        ec_case_clear(&c);
    }
}

TEST(the_farthest_outside_comes_first)
{
    struct ec_facts f = {
        .group = {conv, network},
        .n = 3,
        .v = { fact(0, "", "k", 1024), fact(1, "", "batch", 6400), fact(0, "", "k", 100) }
    };
    struct ec_outside r[2] = { 0 };
    struct ec_domain d = domain();

    CHECK_INT(ec_domain_outside(&d, &f, r, 2), 2);
    CHECK_HAS(r[0].text, "batch");
    CHECK_HAS(r[1].text, "k 1024");
    ec_domain_clear(&d);
}

TEST(ranges_survive_writing)
{
    struct ec_domain d = domain(), again = { 0 };
    struct ec_buf out = EC_BUF_INIT, twice = EC_BUF_INIT;
    struct ec_err err = { 0 };

    ec_domain_print(&d, &out);
    CHECK_OK(ec_domain_parse(ec_buf_text(&out), out.len, &again, &err));
    ec_domain_print(&again, &twice);
    CHECK_STR(ec_buf_text(&out), ec_buf_text(&twice));
    ec_domain_clear(&d);
    ec_domain_clear(&again);
    ec_buf_clear(&out);
    ec_buf_clear(&twice);
}

TEST(damaged_ranges_are_refused)
{
    static const char *const bad[] = {
        "",
        "a,b\n",
        "group,quantity,lo,hi,rows\nconv2d gpu,k,5,1,9\n",
        "group,quantity,lo,hi,rows\nconv2d gpu,k,-1,1,9\n",
        "group,quantity,lo,hi,rows\n,k,1,2,9\n",
        "group,quantity,lo,hi,rows\nconv2d gpu,k,1,x,9\n",
    };
    struct ec_domain d = { 0 };
    struct ec_err err = { 0 };
    int i;

    for (i = 0; i < EC_LEN(bad); i++)
        CHECK_INT(ec_domain_parse(bad[i], strlen(bad[i]), &d, &err), EC_E_PARSE);
}

/* The predictor file carries ranges, or none. */
TEST(the_predictor_file_carries_ranges)
{
    struct ec_learned *l = NULL, *again = NULL;
    struct ec_buf out = EC_BUF_INIT, twice = EC_BUF_INIT;
    struct ec_err err = { 0 };
    const void *data;
    size_t len;

    ec__learned_shipped(&data, &len);
    CHECK_OK(ec_learned_load(data, len, &l, &err));
    ec_buf_reset(&l->ranges);
    CHECK_OK(ec_learned_save(l, &out, &err));
    CHECK_OK(ec_learned_load(out.data, out.len, &again, &err));
    CHECK_INT(again->domain.n, 0);
    ec_learned_free(again);
    ec_buf_reset(&out);
    ec_buf_str(&l->ranges, text);
    CHECK_OK(ec_learned_save(l, &out, &err));
    CHECK_OK(ec_learned_load(out.data, out.len, &again, &err));
    CHECK_INT(again->domain.n, 7);
    CHECK_OK(ec_learned_save(again, &twice, &err));
    CHECK(out.len == twice.len && memcmp(out.data, twice.data, out.len) == 0);
    ec_learned_free(again);
    again = NULL;
    CHECK_INT(ec_learned_load(out.data, out.len - 3, &again, &err), EC_E_PARSE);
    ec_learned_free(l);
    ec_buf_clear(&out);
    ec_buf_clear(&twice);
}

TEST(queries_far_outside_have_wider_intervals)
{
    struct ec_predictor *p = predictor();
    struct ec_predict_opts o = options(64);
    struct ec_prediction in = ask(p, "resnet50", "t4", &o), out;

    CHECK_INT(in.n_warnings, 0);
    o.batch = 1 << 16;
    out = ask(p, "resnet50", "t4", &o);
    CHECK(out.n_warnings >= 1);
    CHECK_HAS(out.warnings[0], "batch 65536");
    CHECK(out.step_time_ns.p95 / out.step_time_ns.p05 >
          1.2 * in.step_time_ns.p95 / in.step_time_ns.p05);
    o = options(0);
    out = ask_op(p, "conv2d n=32 c=64 h=56 w=56 k=64000 r=3 pad=1", "rtx3080", &o);
    CHECK_INT(out.n_warnings, 2);
    CHECK_HAS(out.warnings[0], "k 64000 is 6.5x above any conv2d measured on GPUs");
    CHECK_HAS(out.warnings[1], "MAC 3.70 T");
    ec_predictor_free(p);
}

/* The words of the ranges that ship are those that queries ask for. */
TEST(grouped_convolutions_that_were_measured_have_no_note)
{
    struct ec_predictor *p = predictor();
    struct ec_predict_opts o = options(64);
    struct ec_prediction r;
    int i;

    o.cond.precision = EC_AMP;
    r = ask(p, "resnext50_32x4d", "rtx3090", &o);
    for (i = 0; i < r.n_warnings; i++)
        CHECK(!strstr(r.warnings[i], "grouped convolutions"));
    ec_predictor_free(p);
}
