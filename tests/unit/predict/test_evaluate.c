/* Judging: measured rows beside predictions, grouped, with what was left out counted. */
#include "ask.h"
#include "predict/predict_internal.h"

#define LINEAR "linear m=4096 k=768 n=3072"

/* A network row as a layout makes it. */
static struct ec_record network_row(const char *what, const char *device, double time_ns)
{
    struct ec_record r;

    ec_record_init(&r);
    ec_record_default(&r);
    r.source.mapping = "made-up";
    r.kind = EC_KIND_network;
    r.what = what;
    r.family = what;
    r.device = device;
    r.batch = 8;
    r.time = (struct ec_reading){ time_ns, true };
    return r;
}

static struct ec_record operator_row(const char *what, const char *device, int phase)
{
    struct ec_record m = network_row(what, device, 1e6);

    m.kind = EC_KIND_operator;
    m.family = "linear";
    ec_record_set_word(&m, EC_WORD_MODE, "forward");
    m.batch = 0;
    m.phase = phase;
    return m;
}

static struct ec_judged_list judge(struct ec_predictor *p, const struct ec_record *rows, int n)
{
    struct ec_judged_list l = { 0 };
    struct ec_err err = { 0 };

    CHECK_OK(ec_judge(p, rows, n, &l, &err));
    return l;
}

TEST(what_else_a_job_has_is_set_by_its_words)
{
    struct ec_record m = network_row("resnet18", "t4", 1e6);
    struct ec_predict_opts o;
    struct ec_err err = { 0 };

    ec_predict_opts_default(&o);
    CHECK_OK(ec_predict_opts_job("", &o, &err));
    CHECK_INT(o.parallel.tuning, EC_TUNING_FULL);
    CHECK_OK(ec_predict_opts_job("tuning=qlora  rank=8 zero=2 tp=4", &o, &err));
    CHECK_INT(o.parallel.tuning, EC_TUNING_QLORA);
    CHECK_INT(o.parallel.rank, 8);
    CHECK_INT(o.parallel.zero, 2);
    CHECK_INT(o.parallel.tensor, 4);
    m.job = "tuning=full rank=8 targets=attention fp32_adapters=1";
    CHECK_OK(ec_record_opts(&m, &o, &err)); /* as tables say of rows beside those with adapters */
    CHECK_OK(ec_predict_opts_check(&o, false, &err));
    CHECK_INT(o.parallel.rank, 16);
    m.job = "tuning=lora rank=8 fp32_adapters=1";
    CHECK_OK(ec_record_opts(&m, &o, &err));
    CHECK_INT(o.parallel.rank, 8);
    CHECK(!o.parallel.fp32_adapters); /* in float32 they are so anyway */
    CHECK_FAILS(ec_predict_opts_job("batch=4", &o, &err), EC_E_INPUT, "\"batch\" is no word");
    CHECK_FAILS(ec_predict_opts_job("device=/etc/passwd", &o, &err), EC_E_INPUT, "no word");
    CHECK_FAILS(ec_predict_opts_job("zero=9", &o, &err), EC_E_INPUT, "9");
}

TEST(rows_are_asked_as_their_words_say)
{
    struct ec_predictor *p = predictor();
    struct ec_record rows[3] = { network_row("resnet18", "t4", 1e6), operator_row(LINEAR, "T4", 2),
                                 network_row("vgg16", "a100", 0) };
    struct ec_predict_opts o = options(8), of_op = options(0);
    struct ec_judged_list l;

    rows[2].memory_peak_bytes = 1e9;
    of_op.phase = 3;
    l = judge(p, rows, 3);
    CHECK_INT(l.n, 3);
    if (l.n == 3) {
        CHECK_NEAR(l.v[0].ns.p50, ask(p, "resnet18", "t4", &o).step_time_ns.p50, 0);
        CHECK_NEAR(l.v[1].ns.p50, ask_op(p, LINEAR, "t4", &of_op).step_time_ns.p50, 0);
        CHECK_NEAR(l.v[2].memory.p50, ask(p, "vgg16", "a100", &o).memory_peak_bytes.p50, 0);
        CHECK_STR(l.v[2].device, "a100-sxm4-40gb");
        CHECK(l.v[0].m == &rows[0]);
    }
    ec_free(l.v);
    ec_predictor_free(p);
}

/* FLOP over the peak of the specification; bytes take less time here. */
TEST(plain_estimates_follow_paper_peaks)
{
    struct ec_predictor *p = predictor();
    struct ec_record row = operator_row(LINEAR, "t4", 0);
    struct ec_judged_list l = judge(p, &row, 1);
    const struct ec_device *d = NULL;
    struct ec_err err = { 0 };

    CHECK_OK(ec_device_find("t4", &d, &err));
    CHECK_NEAR(l.v[0].plain.flop_ns, 1e9 * 2.0 * 4096 * 768 * 3072 / d->fp32_flop_per_s.value,
               1e-9);
    CHECK_NEAR(l.v[0].plain.roofline_ns, l.v[0].plain.flop_ns,
               0.01); /* bound by arithmetic; adds the bias */
    ec_free(l.v);
    ec_predictor_free(p);
}

TEST(rows_that_cannot_be_asked_are_counted_by_reason)
{
    struct ec_predictor *p = predictor();
    struct ec_record rows[] = {
        network_row("unheard_of", "t4", 1e6),  network_row("unheard_of_too", "t4", 1e6),
        network_row("resnet18", "z9000", 1e6), network_row("resnet18", "t4", 1e6),
        network_row("resnet18", "t4", 1e6),    operator_row("linear m=4", "t4", 0)
    };
    struct ec_judged_list l;

    ec_record_set_word(&rows[4], EC_WORD_PRECISION, "fp7");
    l = judge(p, rows, EC_LEN(rows));
    CHECK_INT(l.n, 1);
    CHECK_INT(l.n_no_network, 2);
    CHECK_INT(l.n_no_device, 1);
    CHECK_INT(l.n_other, 2);
    CHECK_HAS(l.why[0].text, "unheard_of");
    ec_free(l.v);
    l = judge(p, NULL, 0);
    CHECK_INT(l.n, 0);
    ec_free(l.v);
    ec_predictor_free(p);
}

static struct ec_group_errors *group(const struct ec_judged_list *l, enum ec_group_by by, int *n)
{
    struct ec_group_errors *g = NULL;
    struct ec_err err = { 0 };

    CHECK_OK(ec_evaluate(l, by, &g, n, &err));
    return g;
}

TEST(groups_have_errors_of_their_own)
{
    struct ec_predictor *p = predictor();
    struct ec_predict_opts o = options(8);
    double t4 = ask(p, "resnet18", "t4", &o).step_time_ns.p50;
    double a100 = ask(p, "resnet18", "a100", &o).step_time_ns.p50;
    struct ec_record rows[] = { network_row("resnet18", "t4", t4),
                                network_row("resnet18", "a100", 2 * a100),
                                network_row("resnet18", "t4", t4) };
    struct ec_judged_list l = judge(p, rows, EC_LEN(rows));
    struct ec_group_errors *g;
    int n = 0;

    g = group(&l, EC_BY_DEVICE, &n);
    CHECK_INT(n, 2);
    if (n == 2) {
        CHECK_STR(g[0].key, "a100-sxm4-40gb");
        CHECK_INT(g[0].ours.n, 1);
        CHECK_NEAR(g[0].ours.median_ape, 0.5, 1e-12);
        CHECK_NEAR(g[0].ours.bias, 0.5, 1e-12);
        CHECK_STR(g[1].key, "t4");
        CHECK_INT(g[1].ours.n, 2);
        CHECK_NEAR(g[1].ours.worst_ape, 0, 1e-12);
        CHECK_NEAR(g[1].ours.coverage, 1, 0);
        CHECK_STR(g[1].mapping, "made-up");
        CHECK(!g[1].is_memory && g[1].roofline.n == 2);
    }
    ec_free(g);
    g = group(&l, EC_BY_ALL, &n);
    CHECK(n == 1 && ec_str_eq(g[0].key, "all") && g[0].ours.n == 3);
    ec_free(g);
    g = group(&l, EC_BY_PHASE, &n);
    CHECK(n == 1 && ec_str_eq(g[0].key, "training_step"));
    ec_free(g);
    ec_free(l.v);
    ec_predictor_free(p);
}

static enum ec_status judge_once(struct ec_err *err)
{
    struct ec_record rows[] = { network_row("lenet5", "t4", 1e6), operator_row(LINEAR, "t4", 0) };
    struct ec_group_errors *g = NULL;
    struct ec_judged_list l = { 0 };
    struct ec_predictor *p = NULL;
    enum ec_status st;
    int n;

    EC_TRY(ec_predictor_new(&p, err));
    EC_TRY(ec_judge(p, rows, EC_LEN(rows), &l, err));
    EC_TRY(ec_evaluate(&l, EC_BY_FAMILY, &g, &n, err));
out:
    ec_free(g);
    ec_free(l.v);
    ec_predictor_free(p);
    return st;
}

/* A host is for networks on GPUs; other rows of the same table are predicted as ever. */
TEST(rows_are_predicted_with_the_host_they_name)
{
    static const struct ec_host_fit slow = { "slow", 1.4 };
    struct ec_predictor *p = predictor();
    struct ec_fitted f = *p->fitted;
    struct ec_record rows[] = { network_row("mobilenet_v2", "t4", 1e6),
                                network_row("resnet18", "cpu-epyc-2vcpu", 1e6),
                                operator_row(LINEAR, "t4", 0) };
    struct ec_predict_opts o = options(8);
    struct ec_judged_list plain, named;
    int i;

    f.hosts = &slow;
    f.n_hosts = 1;
    p->fitted = &f;
    plain = judge(p, rows, EC_LEN(rows));
    for (i = 0; i < EC_LEN(rows); i++)
        rows[i].host = o.host = slow.name;
    named = judge(p, rows, EC_LEN(rows));
    CHECK_INT(plain.n, 3);
    CHECK_INT(named.n, 3);
    if (named.n == 3 && plain.n == 3) {
        CHECK(named.v[0].ns.p50 > plain.v[0].ns.p50);
        CHECK_NEAR(named.v[0].ns.p50, ask(p, "mobilenet_v2", "t4", &o).step_time_ns.p50, 0);
        CHECK_NEAR(named.v[1].ns.p50, plain.v[1].ns.p50, 0);
        CHECK_NEAR(named.v[2].ns.p50, plain.v[2].ns.p50, 0);
    }
    ec_free(plain.v);
    ec_free(named.v);
    ec_predictor_free(p);
}

TEST(each_allocation_failing)
{
    CHECK_TORTURE(judge_once);
}
