/* Layers of a machine: the law where nothing was measured, the rows where something was, and sums.
 */
#include "ask.h"

#include "adapt/composed.h"
#include "adapt/profile.h"

#define ROWS 24

static const struct ec_conditions trained = { .optimizer = EC_OPT_sgd };
static const struct ec_conditions inferred = { .mode = EC_MODE_FORWARD, .optimizer = EC_OPT_sgd };

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

static void place_conv(const struct ec_layer_machine *m, int64_t n, int64_t channels,
                       struct ec_layer_point *ret)
{
    struct ec_owned_case c = { 0 };
    struct ec_err err = { 0 };
    char text[96];

    (void)snprintf(text, sizeof text, "conv2d n=%lld c=%lld h=14 w=14 k=%lld r=3 pad=1",
                   (long long)n, (long long)channels, (long long)channels);
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

    CHECK_OK(ec_profile_prior("this", &p, &err));
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

/* A profile made when rows had fewer coordinates says what to do. */
TEST(rows_of_another_number_of_coordinates_are_told)
{
    static const char text[] =
        "{\"framework\": \"epochcast\", \"precision\": \"fp32\", \"threads\": 1, \"flop_per_s\": "
        "1e11,"
        " \"copies\": [[1e6, 1e10]], \"rows\": [[\"relu forward stream\", 0, 5, 5, 1, 1]]}";
    struct ec_layers *l = NULL;
    struct ec_arena a = { 0 };
    const struct ec_jval *obj = NULL;
    struct ec_err err = { 0 };

    CHECK_OK(ec_json_parse(text, sizeof text - 1, &a, &obj, &err));
    CHECK_FAILS(ec_layers_parse(obj, &l, &err), EC_E_PARSE, "epochcast calibrate");
    ec_arena_clear(&a);
}

/* Convolutions whose channels fill no blocks run at a third of the speed: that is nothing of those
 * that fill them. */
TEST(ragged_channels_are_another_matter)
{
    struct ec_layer_machine m = machine();
    struct ec_layer_row row[ROWS] = { 0 };
    struct ec_layers *l = NULL;
    struct ec_layer_point at;
    struct ec_layer_time t;
    struct ec_err err = { 0 };
    int i;

    for (i = 0; i < ROWS; i++) {
        bool ragged = i % 2;

        place_conv(&m, 1 + i, ragged ? 61 : 64, &row[i].point);
        row[i].log_ns = row[i].point.log_law + log(ragged ? 3.3 : 1.1);
    }
    CHECK_OK(ec_layers_new(&m, row, ROWS, &l, &err));
    place_conv(&m, 20, 128, &at);
    ec_layers_time(l, &at, &t);
    CHECK_NEAR(exp(t.log_ns - at.log_law), 1.1, 0.1);
    place_conv(&m, 20, 125, &at);
    ec_layers_time(l, &at, &t);
    CHECK(t.log_ns - at.log_law > log(2.2));
    ec_layers_free(l);
}

/* The law of all nodes in the phase, each once. */
static double law_of_nodes(const struct ec_layers *l, const struct ec_graph *g, enum ec_phase phase)
{
    const struct ec_conditions cond = { .optimizer = EC_OPT_sgd };
    struct ec_memory memory;
    struct ec_err err = { 0 };
    double sum = 0, bytes;
    int i;

    CHECK_OK(ec_cost_memory(g, &cond, &memory, &err));
    bytes = memory.weights + memory.gradients + memory.optimizer + memory.activations;
    for (i = 0; i < g->n_nodes; i++) {
        struct ec_case c = ec_node_case(g->nodes[i]);
        struct ec_layer_point at;

        if (phase == EC_GRAD_DATA && !ec_node_needs_input_grad(g, g->nodes[i]))
            continue;
        if (!ec_layer_place(ec_layers_machine(l), &c, (int)phase, bytes, &at, NULL))
            sum += exp(at.log_law);
    }
    return sum;
}

/* Gradients that meet are added up: that is a copy, and not the operator's gradient once more. */
TEST(every_gradient_is_counted_once)
{
    struct ec_layers *l = measured(0);
    struct ec_graph_opts o = { .struct_size = sizeof o, .batch = 8 };
    struct ec_composed c;
    struct ec_graph *g = NULL;
    struct ec_err err = { 0 };
    double law;

    CHECK_OK(ec_graph_open("resnet18", &o, &g, &err));
    CHECK_OK(ec_compose_network(l, g, &trained, &c, &err));
    law = law_of_nodes(l, g, EC_GRAD_DATA);
    CHECK(c.time.phase_ns[EC_GRAD_DATA] > law && c.time.phase_ns[EC_GRAD_DATA] < 1.1 * law);
    ec_graph_free(g);
    ec_layers_free(l);
}

/* Where losses of the kind were measured, they are a task of the step, not a softmax. */
TEST(a_measured_loss_takes_part)
{
    struct ec_layer_machine m = machine();
    struct ec_layer_row row = { 0 };
    struct ec_graph_opts o = { .struct_size = sizeof o, .batch = 8 };
    struct ec_composed with, without;
    struct ec_layers *l = NULL, *none = NULL;
    struct ec_owned_case loss = { 0 };
    struct ec_graph *g = NULL;
    struct ec_err err = { 0 };
    double loss_ns = 1e9;

    (void)snprintf(m.framework, sizeof m.framework, "epochcast");
    CHECK_OK(ec_case_parse("cross_entropy n=8 c=10", &loss, &err));
    CHECK_OK(ec_layer_place(&m, &loss.c, -1, 0, &row.point, &err));
    row.log_ns = log(loss_ns);
    CHECK_OK(ec_layers_new(&m, &row, 1, &l, &err));
    CHECK_OK(ec_layers_new(&m, &row, 0, &none, &err));
    CHECK_OK(ec_graph_open("lenet5", &o, &g, &err));
    CHECK_OK(ec_compose_network(none, g, &trained, &without, &err));
    CHECK_OK(ec_compose_network(l, g, &trained, &with, &err));
    CHECK(without.time.step_ns < 0.01 * loss_ns);
    CHECK(with.time.step_ns > 0.3 * loss_ns); /* one row is not believed altogether */
    ec_case_clear(&loss);
    ec_graph_free(g);
    ec_layers_free(none);
    ec_layers_free(l);
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
    CHECK_OK(ec_compose_network(l, g, &trained, &c, &err));
    CHECK_OK(ec_compose_network(l, g, &inferred, &forward, &err));
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
    CHECK(d->kind == EC_DEV_CPU);
    CHECK(d->memory_bytes_per_s.src == EC_SRC_PROBED && d->memory_bytes_per_s.value > 1e8);
    CHECK(d->memory_bytes_per_s.value < 1e14);
    CHECK(d->fp32_flop_per_s.src == EC_SRC_PROBED && d->fp32_flop_per_s.value > 1e8);
    CHECK(d->fp32_flop_per_s.value < 1e16);
}
