/* What constants hold: rules against values worked out by hand, limits, the way through JSON. */
#include "graph/build_internal.h"
#include "test.h"

#include <math.h>

static struct ec_graph *g_graph;

static int constant(enum ec_dtype t, struct ec_shape shape)
{
    struct ec_type type = { shape, t };
    struct ec_err err = { 0 };
    char name[32];
    int id = -1;

    (void)snprintf(name, sizeof name, "c%d", g_graph->n_values);
    CHECK_OK(ec_graph_add_const(g_graph, name, &type, &id, &err));
    return id;
}

static void begin(void)
{
    g_graph = ec_graph_new("constants");
    CHECK(g_graph != NULL);
}

static void check_contents(int id, const double *want, int64_t n)
{
    double got[512];
    int64_t i;

    CHECK(n <= EC_LEN(got));
    CHECK(ec_value_contents(g_graph->values[id], got));
    for (i = 0; i < n; i++)
        CHECK_NEAR(got[i], want[i], 1e-12);
}

#define SHAPE(...)                                                                                 \
    ec_shape_make(EC_LEN(((const int64_t[]){ __VA_ARGS__ })), (const int64_t[]){ __VA_ARGS__ })
#define RULE(id, name, n, ...)                                                                     \
    CHECK_OK(ec_graph_const_rule(g_graph, id, name, (const double[]){ __VA_ARGS__ }, n, &err))
#define HOLDS(id, ...)                                                                             \
    check_contents(id, (const double[]){ __VA_ARGS__ }, EC_LEN(((const double[]){ __VA_ARGS__ })))

TEST(rules)
{
    struct ec_err err = { 0 };
    double all[256];
    int id;

    begin();
    id = constant(EC_DT_i64, SHAPE(2, 3));
    RULE(id, "range", 0, 0);
    HOLDS(id, 0, 1, 2, 0, 1, 2);
    id = constant(EC_DT_f32, SHAPE(1, 1, 2, 3)); /* the last query sees every key */
    RULE(id, "causal", 2, 0, -5);
    HOLDS(id, 0, 0, -5, 0, 0, 0);
    id = constant(EC_DT_f32, SHAPE(3, 3));
    RULE(id, "causal_window", 2, 2, -5);
    HOLDS(id, 0, -5, -5, 0, 0, -5, -5, 0, 0);
    id = constant(EC_DT_f32, SHAPE(1, 2, 1, 3)); /* slopes of 1/16 and 1/256 */
    RULE(id, "alibi", 0, 0);
    HOLDS(id, 0, 0.0625, 0.125, 0, 0.00390625, 0.0078125);
    /* torchvision: rows of the table of a window of 2 */
    id = constant(EC_DT_i64, SHAPE(16));
    RULE(id, "relative_index", 0, 0);
    HOLDS(id, 4, 3, 1, 0, 5, 4, 2, 1, 7, 6, 4, 3, 8, 7, 5, 4);
    id = constant(EC_DT_f32, SHAPE(1, 3, 3, 2));
    RULE(id, "relative_coords", 0, 0);
    CHECK(ec_value_contents(g_graph->values[id], all));
    CHECK_NEAR(all[0], -log2(9) / 3, 1e-12);
    CHECK_NEAR(all[8], 0, 1e-12);
    CHECK_NEAR(all[17], log2(9) / 3, 1e-12);
    /* a map of 4 x 4 in windows of 2, shifted by 1: rows and columns 0-1 | 2 | 3 */
    id = constant(EC_DT_f32, SHAPE(1, 4, 1, 4, 4));
    RULE(id, "window_mask", 2, 4, 1);
    CHECK(ec_value_contents(g_graph->values[id], all));
    HOLDS(id, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -100, 0, -100, -100, 0, -100, 0);
    CHECK_NEAR(all[48 + 1], -100, 0);
    CHECK_NEAR(all[48 + 5], 0, 0);
    /* a map of 4 x 4, windows of 2, one every 2 rows and columns; windows of 3 every row */
    id = constant(EC_DT_i64, SHAPE(4, 4));
    RULE(id, "overlap_index", 2, 4, 2);
    HOLDS(id, 0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15);
    id = constant(EC_DT_i64, SHAPE(4, 9));
    RULE(id, "overlap_index", 2, 4, 1);
    CHECK(ec_value_contents(g_graph->values[id], all));
    CHECK_NEAR(all[9], 1, 0);
    CHECK_NEAR(all[35], 15, 0);
    id = constant(EC_DT_f32, SHAPE(1, 2, 4));
    RULE(id, "positions", 0, 0);
    HOLDS(id, 0, 1, 0, 1, sin(1), cos(1), sin(0.01), cos(0.01));
    /* a map of 2 x 2: sin and cos of the row in channels 0 and 1, of the column in 2 and 3 */
    id = constant(EC_DT_f32, SHAPE(1, 4, 2, 2));
    RULE(id, "positions_2d", 0, 0);
    CHECK(ec_value_contents(g_graph->values[id], all));
    CHECK_NEAR(all[4], -1, 1e-6);
    CHECK_NEAR(all[6], 1, 1e-6);
    CHECK_NEAR(all[8], 0, 1e-5);
    CHECK_NEAR(all[13], 1, 1e-6);
    CHECK_NEAR(all[14], -1, 1e-6);
    /* queries every second row and column of 3 x 3 keys: the first, and the last */
    id = constant(EC_DT_i64, SHAPE(4, 9));
    RULE(id, "distance_index", 0, 0);
    HOLDS(id, 0, 1, 2, 3, 4, 5, 6, 7, 8, 2, 1, 0, 5, 4, 3, 8, 7, 6, 6, 7, 8, 3, 4, 5, 0, 1, 2, 8, 7,
          6, 5, 4, 3, 2, 1, 0);
    id = constant(EC_DT_f32, SHAPE(1, 4, 4, 3));
    RULE(id, "distances", 0, 0);
    CHECK(ec_value_contents(g_graph->values[id], all));
    CHECK_NEAR(all[3 * 3 + 0], 1, 0); /* from the first to the last: one right, one down */
    CHECK_NEAR(all[3 * 3 + 1], 1, 0);
    CHECK_NEAR(all[3 * 3 + 2], 2, 0);
    CHECK_NEAR(all[9 * 3 + 0], 1, 0); /* from the third to the second: one right, one up */
    CHECK_NEAR(all[9 * 3 + 1], -1, 0);
    id = constant(EC_DT_f32, SHAPE(1, 3, 3, 2));
    RULE(id, "log_coords", 0, 0);
    HOLDS(id, -log(2), -log(2), -log(2), 0, -log(2), log(2), 0, -log(2), 0, 0, 0, log(2), log(2),
          -log(2), log(2), 0, log(2), log(2));
    id = constant(EC_DT_f32, SHAPE(16, 2)); /* from the first token to the last: up and left */
    RULE(id, "pair_coords", 0, 0);
    CHECK(ec_value_contents(g_graph->values[id], all));
    CHECK_NEAR(all[3 * 2 + 0], -log(2), 1e-12);
    CHECK_NEAR(all[3 * 2 + 1], -log(2), 1e-12);
    CHECK_NEAR(all[12 * 2 + 0], log(2), 1e-12);
    CHECK_NEAR(all[1 * 2 + 0], 0, 0);
    id = constant(EC_DT_i64, SHAPE(3, 3));
    RULE(id, "line_index", 0, 0);
    HOLDS(id, 2, 1, 0, 3, 2, 1, 4, 3, 2);
    id = constant(EC_DT_f32, SHAPE(4, 1));
    RULE(id, "grid", 1, 0);
    HOLDS(id, 0, 1, 0, 1);
    RULE(id, "grid", 1, 1);
    HOLDS(id, 0, 0, 1, 1);
    id = constant(EC_DT_f32, SHAPE(4, 4)); /* row, column, and both again */
    RULE(id, "rotary_2d", 1, 1);
    HOLDS(id, 0, 0, 0, 0, 0, sin(1), 0, sin(1), sin(1), 0, sin(1), 0, sin(1), sin(1), sin(1),
          sin(1));
    id = constant(EC_DT_f32, SHAPE(2, 4));
    RULE(id, "rotary", 1, 1);
    HOLDS(id, 0, 0, 0, 0, sin(1), sin(0.01), sin(1), sin(0.01));
    ec_graph_free(g_graph);
}

/* transformers.T5Attention._relative_position_bucket of -200 ... 200, at some distances. */
TEST(buckets)
{
    static const struct {
        int64_t key;
        double both, before;
    } cases[] = {
        {0,    15, 31},
        { 50,  15, 31},
        { 180, 10, 17},
        { 192, 8,  8 },
        { 199, 1,  1 },
        { 200, 0,  0 },
        { 201, 17, 0 },
        { 212, 25, 0 },
        { 400, 31, 0 }
    };
    struct ec_err err = { 0 };
    double *v = ec_alloc(sizeof *v * 401 * 401);
    int id, i;

    begin();
    id = constant(EC_DT_i64, SHAPE(401, 401));
    RULE(id, "buckets", 1, 1);
    CHECK(ec_value_contents(g_graph->values[id], v));
    for (i = 0; i < EC_LEN(cases); i++)
        CHECK_NEAR(v[200 * 401 + cases[i].key], cases[i].both, 0);
    RULE(id, "buckets", 1, 0);
    CHECK(ec_value_contents(g_graph->values[id], v));
    for (i = 0; i < EC_LEN(cases); i++)
        CHECK_NEAR(v[200 * 401 + cases[i].key], cases[i].before, 0);
    ec_free(v);
    ec_graph_free(g_graph);
}

TEST(refusals)
{
    static const double two[] = { 1, 2 };
    struct ec_err err = { 0 };
    double *many = ec_alloc(sizeof *many * EC_CONTENTS_MAX);
    int id, large;

    begin();
    id = constant(EC_DT_f32, SHAPE(3));
    CHECK(!ec_value_contents(g_graph->values[id], many));
    CHECK_FAILS(ec_graph_const_values(g_graph, id, two, 2, &err), EC_E_INPUT, "3 elements, 2 were");
    CHECK_FAILS(ec_graph_const_values(g_graph, 7, two, 1, &err), EC_E_INPUT, "is no constant");
    CHECK_FAILS(ec_graph_const_rule(g_graph, id, "magic", NULL, 0, &err), EC_E_INPUT, "no rule");
    CHECK_FAILS(ec_graph_const_rule(g_graph, id, "causal", two, 1, &err), EC_E_INPUT, "no rule");
    CHECK_FAILS(ec_graph_const_rule(g_graph, id, "relative_index", NULL, 0, &err), EC_E_SHAPE,
                "does not fit");
    CHECK_FAILS(ec_graph_const_rule(g_graph, id, "window_mask", two, 2, &err), EC_E_SHAPE,
                "does not fit");
    CHECK_FAILS(ec_graph_const_rule(g_graph, id, "overlap_index", two, 2, &err), EC_E_SHAPE,
                "does not fit");
    large = constant(EC_DT_f32, SHAPE(EC_CONTENTS_MAX));
    many[1] = 1;
    CHECK_OK(ec_graph_const_values(g_graph, large, many, EC_CONTENTS_MAX, &err));
    CHECK_FAILS(ec_graph_const_values(g_graph, id, two, 1, &err), EC_E_UNSUPPORTED, "hold more");
    ec_free(many);
    ec_graph_free(g_graph);
}

static const char text[] =
    "{\"schema\": \"epochcast.graph/1\", \"name\": \"t\", \"batch\": 2,"
    " \"inputs\": [{\"name\": \"x\", \"shape\": [\"N\", 3]}], \"consts\": ["
    "{\"name\": \"k\", \"shape\": [3], \"values\": [0.5, \"-inf\", 3]},"
    "{\"name\": \"i\", \"shape\": [2], \"dtype\": \"i64\", \"values\": [2, 2]},"
    "{\"name\": \"r\", \"shape\": [2, 2], \"rule\": \"causal\", \"args\": [1, 0]},"
    "{\"name\": \"u\", \"shape\": [3]}],"
    " \"nodes\": [{\"name\": \"y\", \"op\": \"mul\", \"in\": [\"x\", \"k\"]},"
    "{\"name\": \"z\", \"op\": \"add\", \"in\": [\"y\", \"u\"]}], \"outputs\": [\"z\"]}";

TEST(through_json)
{
    struct ec_buf out = EC_BUF_INIT, again = EC_BUF_INIT;
    struct ec_graph *g = NULL;
    struct ec_err err = { 0 };
    double v[4];

    CHECK_OK(ec_graph_from_json(text, sizeof text - 1, NULL, &g, &err));
    CHECK_INT(g->n_contents, 4); /* what is the same everywhere counts once */
    CHECK_OK(ec_graph_to_json(g, &out, &err));
    ec_graph_free(g);
    CHECK_OK(ec_graph_from_json(out.data, out.len, NULL, &g, &err));
    CHECK_OK(ec_graph_to_json(g, &again, &err));
    CHECK_STR(ec_buf_text(&out), ec_buf_text(&again));
    CHECK(ec_value_contents(g->values[1], v));
    CHECK(v[0] == 0.5 && isinf(v[1]) && v[1] < 0 && v[2] == 3);
    CHECK(ec_value_contents(g->values[2], v));
    CHECK(v[0] == 2 && v[1] == 2);
    CHECK(ec_value_contents(g->values[3], v));
    CHECK(v[0] == 1 && v[1] == 0 && v[2] == 1 && v[3] == 1);
    CHECK(!ec_value_contents(g->values[4], v));
    ec_graph_free(g);
    ec_buf_clear(&out);
    ec_buf_clear(&again);
}

static void refused(const char *constants, enum ec_status st, const char *why)
{
    char json[512];
    struct ec_graph *g = NULL;
    struct ec_err err = { 0 };
    int n = snprintf(json, sizeof json,
                     "{\"schema\": \"epochcast.graph/1\", \"inputs\": [], \"consts\": [%s], "
                     "\"nodes\": [], \"outputs\": []}",
                     constants);

    CHECK_FAILS(ec_graph_from_json(json, (size_t)n, NULL, &g, &err), st, why);
}

TEST(json_that_is_wrong)
{
    refused("{\"name\": \"k\", \"shape\": [2], \"values\": 3}", EC_E_PARSE, "a list of numbers");
    refused("{\"name\": \"k\", \"shape\": [2], \"values\": [true, 1]}", EC_E_PARSE,
            "a list of numbers");
    refused("{\"name\": \"k\", \"shape\": [2], \"values\": []}", EC_E_INPUT,
            "2 elements, 0 were given");
    refused("{\"name\": \"k\", \"shape\": [2], \"rule\": 1}", EC_E_PARSE, "a text");
    refused("{\"name\": \"k\", \"shape\": [2], \"rule\": \"range\", \"args\": [1]}", EC_E_INPUT,
            "no rule");
}
