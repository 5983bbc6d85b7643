/* Layers of a machine: the law where nothing was measured, the rows where something was, and sums.
 */
#include "ask.h"

#include "predict/composed.h"
#include "predict/profile.h"

#define ROWS 24

/* A machine of 100 GFLOP/s whose copies fall from 100 to 10 GB/s. */
static struct ec_layer_machine machine(void)
{
    return (struct ec_layer_machine){
        .flop_per_s = 1e11,
        .n = 2,
        .size_bytes = {1e5,   1e8 },
        .rate_bytes_per_s = { 1e11, 1e10},
        .threads = 1,
        .framework = "pytorch-1",
        .precision = "fp32"
    };
}

static void place(const struct ec_layer_machine *m, int64_t n, struct ec_layer_point *ret)
{
    struct ec_owned_case c = { 0 };
    struct ec_err err = { 0 };
    char text[64];

    (void)snprintf(text, sizeof text, "linear m=%lld k=256 n=256", (long long)n);
    CHECK_OK(ec_case_parse(text, &c, &err));
    CHECK_OK(ec_layer_place(m, &c.c, EC_FORWARD, 0, ret, &err));
    ec_case_clear(&c);
}

/* Twice the law, at 16, 32 ... rows. */
static struct ec_layers *measured(int n)
{
    struct ec_layer_machine m = machine();
    struct ec_layer_row row[ROWS] = { 0 };
    struct ec_layers *l = NULL;
    struct ec_err err = { 0 };
    int i;

    for (i = 0; i < n; i++) {
        place(&m, 16 + 40 * i, &row[i].point);
        row[i].log_ns = row[i].point.log_law + log(2);
    }
    CHECK_OK(ec_layers_new(&m, row, n, &l, &err));
    return l;
}

TEST(without_rows_the_law_stands_alone)
{
    struct ec_layers *l = measured(0);
    struct ec_layer_point at;
    struct ec_layer_time t;

    place(ec_layers_machine(l), 64, &at);
    ec_layers_time(l, &at, &t);
    CHECK_INT(t.rows, 0);
    CHECK_NEAR(t.log_ns, at.log_law, 0);
    CHECK_NEAR(t.unknown, 1, 0);
    ec_layers_free(l);
}

TEST(rows_move_their_kind)
{
    struct ec_layers *l = measured(ROWS);
    struct ec_layer_point at;
    struct ec_layer_time near_rows, far;

    place(ec_layers_machine(l), 300, &at);
    ec_layers_time(l, &at, &near_rows);
    CHECK_INT(near_rows.rows, ROWS);
    CHECK_NEAR(near_rows.log_ns, at.log_law + log(2), 0.02);
    place(ec_layers_machine(l), 1000000, &at);
    ec_layers_time(l, &at, &far);
    CHECK_NEAR(far.log_ns, at.log_law + log(2), 0.1); /* one level for the kind */
    CHECK(far.log_sd > 2 * near_rows.log_sd);
    ec_layers_free(l);
}

/* What is wrong with one task is wrong with its equal, less with another. */
TEST(errors_of_a_kind_go_together)
{
    struct ec_layers *l = measured(4);
    struct ec_layer_point a, b;
    const struct ec_layer_point *one[] = { &a }, *equal[] = { &a, &a }, *apart[] = { &a, &b };
    const double ns[] = { 100, 100 };
    struct ec_err err = { 0 };
    double sd_one, sd_equal, sd_apart;

    place(ec_layers_machine(l), 3000, &a);
    place(ec_layers_machine(l), 1, &b);
    CHECK_OK(ec_layers_sum_sd(l, one, ns, 1, &sd_one, &err));
    CHECK_OK(ec_layers_sum_sd(l, equal, ns, 2, &sd_equal, &err));
    CHECK_OK(ec_layers_sum_sd(l, apart, ns, 2, &sd_apart, &err));
    CHECK_NEAR(sd_equal, 2 * sd_one, 1e-6 * sd_one);
    CHECK(sd_apart < sd_equal);
    ec_layers_free(l);
}

TEST(profiles_keep_layers)
{
    struct ec_layers *l = measured(ROWS), *back = NULL;
    struct ec_layer_point at;
    struct ec_layer_time t, same;
    struct ec_buf text = EC_BUF_INIT;
    struct ec_err err = { 0 };
    struct ec_profile p, read;

    CHECK_OK(ec_calibrate_prior("this", &p, &err));
    (void)snprintf(p.numbers, sizeof p.numbers, "fp32_flop_per_s=1e11");
    ec_profile_json_layers(&p, l, &text);
    CHECK_OK(ec_profile_parse(ec_buf_text(&text), text.len, &read, &err));
    CHECK_STR(read.numbers, p.numbers);
    CHECK_OK(ec_profile_parse_layers(ec_buf_text(&text), text.len, &back, &err));
    CHECK_INT(ec_layers_count(back), ROWS);
    place(ec_layers_machine(l), 300, &at);
    ec_layers_time(l, &at, &t);
    ec_layers_time(back, &at, &same);
    CHECK_NEAR(same.log_ns, t.log_ns, 1e-3);
    ec_layers_free(l);
    ec_layers_free(back);
    ec_buf_clear(&text);
}

/* An eager framework: every operator in every phase; the sum is that of its parts. */
TEST(a_step_is_the_sum_of_its_tasks)
{
    struct ec_layers *l = measured(ROWS);
    struct ec_graph_opts o = { .struct_size = sizeof o, .batch = 8 };
    struct ec_composed c, forward;
    struct ec_graph *g = NULL;
    struct ec_err err = { 0 };

    CHECK_OK(ec_graph_open("lenet5", &o, &g, &err));
    CHECK_OK(ec_compose_network(l, g, EC_MODE_TRAINING_STEP, EC_OPT_sgd, &c, &err));
    CHECK_OK(ec_compose_network(l, g, EC_MODE_FORWARD, EC_OPT_sgd, &forward, &err));
    CHECK(forward.time.step_ns > 0 && forward.time.step_ns < c.time.step_ns);
    CHECK_NEAR(c.time.phase_ns[EC_FORWARD] + c.time.phase_ns[EC_GRAD_DATA] +
                   c.time.phase_ns[EC_GRAD_WEIGHT] + c.time.phase_ns[EC_UPDATE],
               c.time.step_ns, 1e-9 * c.time.step_ns);
    CHECK(c.unknown_frac > 0.1 && *c.unknown); /* convolutions were not measured */
    ec_graph_free(g);
    ec_layers_free(l);
}

TEST(this_machine_is_a_device)
{
    const struct ec_device *d = NULL, *local = NULL;
    struct ec_err err = { 0 };

    CHECK_OK(ec_device_find("this", &d, &err));
    CHECK_OK(ec_device_find("local", &local, &err));
    CHECK(d == local);
    CHECK_STR(ec_device_key(d), "this");
    CHECK(d->kind == EC_DEV_CPU && d->memory_bytes_per_s.src == EC_SRC_NONE);
}
