/* The language of data/families: what terms are worth, what statements do, what is refused. */
#include "graph/net_internal.h"
#include "test.h"

#include <pthread.h>
#include <string.h>

/* The graph of a family of that text, which has no parameters; NULL: `err` says why. */
static struct ec_graph *build(const char *text, struct ec_err *err)
{
    static const struct ec_field none[] = { EC_FIELD_END };
    struct ec__family family = { .name = "test", .fields = none, .text = text };
    struct ec__net net = { .batch = 2, .size = 8, .classes = 10 };
    struct ec_builder b = { .err = err };

    *err = (struct ec_err){ .status = EC_OK };
    b.g = ec_graph_new("test");
    CHECK(b.g != NULL);
    (void)ec__net_build(&b, &net, &family, NULL);
    CHECK_INT(b.scope[0], 0);
    if (b.st) {
        CHECK_INT(err->status, b.st);
        ec_graph_free(b.g);
        return NULL;
    }
    return b.g;
}

static void check_name(const char *text, const char *want)
{
    struct ec_err err;
    struct ec_graph *g = build(text, &err);

    CHECK_STR(g ? g->nodes[0]->name : err.text, want);
    ec_graph_free(g);
}

/* What an expression is as text: the name of a node. */
static void check_worth(const char *expression, const char *want)
{
    char text[400];

    (void)snprintf(text, sizeof text, "def network():\n    return image().relu(name=\"{%s}\")\n",
                   expression);
    check_name(text, want);
}

static void check_fails(const char *text, const char *want)
{
    struct ec_err err;
    struct ec_graph *g = build(text, &err);

    CHECK(!g);
    CHECK_HAS(err.text, want);
    ec_graph_free(g);
}

TEST(terms)
{
    check_worth("1 + 2 * 3", "7");
    check_worth("(1 + 2) * 3", "9");
    check_worth("7 // 2 + 7 % 2", "4");
    check_worth("0 - 7 // 2", "-3");
    check_worth("7 / 2", "3.5");
    check_worth("-3 + 1", "-2");
    check_worth("1 < 2 and 2 <= 2 and not 3 > 4", "1");
    check_worth("0 or 5", "5");
    check_worth("'a' == 'a'", "1");
    check_worth("none == 0", "0");
    check_worth("1 if 0 else 2", "2");
    check_worth("[1, 2] + [3]", "1,2,3");
    check_worth("[4, 5, 6][-1]", "6");
    check_worth("sum([1, 2, 3]) + len([1, 2])", "8");
    check_worth("max(2, min(5, 3))", "3");
    check_worth("round(2.5) + floor(2.9)", "4");
    check_worth("sqrt(16) + pow(2, 3)", "12");
    check_worth("(1 / 3).digits(3)", "0.333");
    check_worth("image().dim(-1) + batch + size + classes", "28");
    check_worth("'m_c3_d2'.notation('d c')", "m,2,3");
    check_worth("'m_c3_c2'.notation('d c') == none", "1");
    check_worth("'se0.25'.key()", "se,0.25");
    check_worth("'a; b'.words(';')[1]", "b");
    check_worth("'12'.number() + 1", "13");
    check_worth("'x'.number() == none", "1");
    check_worth("round_to(20, 8)", "24");
}

TEST(statements)
{
    check_name("def network():\n"
               "    a, b = [1, 2]\n"
               "    for i in 3 scope \"s{i}.\":\n"
               "        if i == 1: return image().relu(name=\"{a}{b}\")\n"
               "    return none\n",
               "s1.12");
    check_name("def f(x, k, r=k + 1): return x.conv(k, r, name=\"{k}{r}\")\n"
               "def network():\n"
               "    x = image()\n"
               "    for k in [4]: x = x.f(k,\n"
               "        r=3) # goes on\n"
               "    return x\n"
               "        .relu()\n",
               "43");
    check_name("def g(n): return 1 if n < 2 else n * g(n - 1)\n"
               "def network():\n"
               "    scope \"a.\":\n"
               "        scope \"b.\":\n"
               "            x = image().relu(name=\"{g(4)}\")\n"
               "    return x\n",
               "a.b.24");
}

TEST(outputs_of_a_node_are_a_list)
{
    struct ec_err err;
    struct ec_graph *g = build("def network():\n"
                               "    a, b = image().split(axis=2, parts=2)\n"
                               "    return concat([a], b, axis=2)\n",
                               &err);

    CHECK(g != NULL);
    if (g) {
        CHECK_INT(g->n_nodes, 2);
        CHECK_INT(g->nodes[1]->n_in, 2);
        CHECK_INT(g->nodes[1]->out_type[0]->shape.d[2], 8);
    }
    ec_graph_free(g);
}

TEST(what_is_refused_names_its_line)
{
    check_fails("def network(\n", "test.net:2: found \"\", expected");
    check_fails("def network():\nreturn 1\n", "test.net:2");
    check_fails("def network():\n    return 1 +\n", "a value");
    check_fails("def network():\n    return \"a\n", "a quotation mark");
    check_fails("def network():\n    return \"{1\"\n", "test.net:2");
    check_fails("def network():\n    return 1..2\n", "a number");
    check_fails("def network():\n      x = 1\n    return x\n", "indentation");
    check_fails("def network():\n    return other\n", "test.net:2: other has no value here");
    check_fails("def network():\n    return 1 / 0\n", "a division by zero");
    check_fails("def network():\n    return [1][1]\n", "no member 1 of a list of 1");
    check_fails("def network():\n    return 'a' + 1\n", "numbers are expected");
    check_fails("def network():\n    a, b = [1]\n    return a\n", "2 names for 1 values");
    check_fails("def f(x): return x\ndef network():\n    return f()\n", "f needs x");
    check_fails("def f(x): return x\ndef network():\n    return f(1, x=2)\n", "or twice");
    check_fails("def network():\n    return image().nothing()\n", "no operator \"nothing\"");
    check_fails("def network():\n    return image().conv2d(k=0)\n", "k");
    check_fails("def network():\n    return image().dim('a')\n", "a number is expected");
    check_fails("def network():\n    require 1 > 2, \"so it is\"\n    return image()\n",
                "so it is");
    check_fails("def network():\n    return 3\n", "network returns no value");
}

TEST(what_never_ends_is_refused)
{
    check_fails("def network(): return network()\n", "terms inside each other");
    check_fails("def network():\n"
                "    for i in 10000:\n"
                "        for j in 10000: x = j\n"
                "    return image()\n",
                "statements");
    check_fails("def network():\n    return ((((((((((((((((((((((((((((((((((((((((((((((((((((((("
                "((((((((((1))))))))\n",
                "fewer terms");
}

TEST(a_family_defines_network)
{
    check_fails("def stem():\n    return image()\n", "network() is not defined");
}

static void *build_one(void *ret)
{
    struct ec_graph *g = NULL;

    if (!ec_zoo_build("resnet18", NULL, &g, NULL))
        *(int *)ret = g->n_nodes;
    ec_graph_free(g);
    return NULL;
}

TEST(threads_read_a_family_once)
{
    pthread_t thread[4];
    int n_nodes[EC_LEN(thread)] = { 0 }, i;

    for (i = 0; i < EC_LEN(thread); i++)
        CHECK_INT(pthread_create(&thread[i], NULL, build_one, &n_nodes[i]), 0);
    for (i = 0; i < EC_LEN(thread); i++) {
        (void)pthread_join(thread[i], NULL);
        CHECK(n_nodes[i] > 20);
        CHECK_INT(n_nodes[i], n_nodes[0]);
    }
}

TEST(every_family_is_read)
{
    struct ec_arena arena = { 0 };
    struct ec__term *terms = NULL;
    struct ec_err err = { 0 };
    int n, i;
    const struct ec__zoo_row *rows = ec__zoo_rows(&n);

    for (i = 0; i < n; i++)
        if (rows[i].family->text)
            CHECK_OK(ec__net_parse(rows[i].family->name, rows[i].family->text, NULL, &arena, &terms,
                                   &err));
    ec_arena_clear(&arena);
}
