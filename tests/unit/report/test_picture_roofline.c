/* Rooflines of layers: each number stands at a point and below the picture, and nothing lies over
 * anything. */
#include "ask.h"
#include "drawn.h"

#include <stdlib.h>

#include "report/report.h"

/* The table of `epochcast roofline MODEL --layers`. */
static void table_of(const char *model, const char *device, int64_t top, struct ec_csv *ret)
{
    struct ec_runs_ask asked = { .model = model, .layers = true, .top = top };
    struct ec_predictor *p = predictor();
    struct ec_buf text = EC_BUF_INIT;
    struct ec_runs runs = { 0 };
    struct ec_table t = { 0 };
    struct ec_err err = { 0 };

    asked.opts = options(8);
    CHECK_OK(ec_device_find(device, &asked.device, &err));
    CHECK_OK(ec_runs_predict(p, &asked, &runs, &err));
    CHECK_OK(ec_runs_label(&runs, &err));
    CHECK_OK(ec_runs_table(&runs, EC_RUNS_ROOFLINE, &t, &err));
    CHECK_OK(ec_table_write(&t, EC_TABLE_CSV, &text, &err));
    CHECK_OK(ec_csv_parse(ec_buf_text(&text), text.len, ret, &err));
    ec_buf_clear(&text);
    ec_table_clear(&t);
    ec_runs_clear(&runs);
    ec_predictor_free(p);
}

static int count(const struct ec_drawing *d, enum ec_item_role role, const char *text, bool whole)
{
    int i, n = 0;

    for (i = 0; i < d->n; i++)
        if (d->items[i].role == role && d->items[i].text)
            n += whole ? ec_str_eq(d->items[i].text, text) : strstr(d->items[i].text, text) != NULL;
    return n;
}

static void draw(const struct ec_csv *t, int width, struct ec_drawing *ret)
{
    struct ec_picture p;
    struct ec_err err = { 0 };

    CHECK_OK(ec_picture_find("roofline", &p, &err));
    p.width_px = width;
    CHECK_OK(ec_picture_draw(&p, t, ret, &err));
}

/* Labels that have the number, alone or in "3, 4". */
static int labels_with(const struct ec_drawing *d, int number)
{
    int i, n = 0;

    for (i = 0; i < d->n; i++) {
        const char *at = d->items[i].role == EC_ROLE_LABEL ? d->items[i].text : NULL;

        if (at && strspn(at, "0123456789, ") == strlen(at))
            for (; *at; at += strspn(at, ", "), n += strtol(at, (char **)&at, 10) == number)
                continue;
    }
    return n;
}

/* Entries "3 NAME" of the legend, whose blanks do not break. */
static int entries(const struct ec_drawing *d, int number)
{
    char begin[16];
    int i, n = 0;

    (void)snprintf(begin, sizeof begin, "%d\xc2\xa0", number);
    for (i = 0; i < d->n; i++) {
        const char *text = d->items[i].role == EC_ROLE_NOTE ? d->items[i].text : NULL, *at;

        for (at = text; at && (at = strstr(at, begin)); at++)
            n += at == text || at[-1] == ' ';
    }
    return n;
}

TEST(numbered_layers_are_all_there)
{
    static const char *const models[] = { "resnet50", "mobilenet_v2", "bert_base", "densenet121",
                                          "vgg16" };
    static const int widths[] = { 480, 760, 1100 };
    struct ec_csv t = { 0 };
    struct ec_drawing d = { 0 };
    int i, k, w;

    for (i = 0; i < EC_LEN(models); i++) {
        table_of(models[i], "t4", 0, &t);
        for (w = 0; w < EC_LEN(widths); w++) {
            draw(&t, widths[w], &d);
            check_inside(&d, models[i]);
            check_texts(&d, models[i]);
            for (k = 1; k <= 8; k++) {
                if (labels_with(&d, k) != 1)
                    test_fail(__FILE__, __LINE__, "%s, %d px: no %d", models[i], widths[w], k);
                CHECK_INT(entries(&d, k), 1);
            }
            CHECK(count(&d, EC_ROLE_TITLE, "numbered", false));
            CHECK(count(&d, EC_ROLE_TITLE, "batch 8, fp32", false));
            CHECK_INT(count(&d, EC_ROLE_LEGEND, "the whole step", true), 1);
            CHECK_INT(count(&d, EC_ROLE_LABEL, models[i], true), 1);
            ec_drawing_clear(&d);
        }
        ec_csv_clear(&t);
    }
}

/* Of a network whose layers are all different, the numbers go by their times. */
TEST(the_slowest_layers_come_first)
{
    struct ec_csv t = { 0 };
    struct ec_drawing d = { 0 };
    int time, layer, i;

    table_of("lenet5", "t4", 3, &t);
    time = ec_csv_col(&t, "median_ns");
    layer = ec_csv_col(&t, "layer");
    CHECK_INT(t.n_rows, 4); /* the network, and three layers */
    for (i = 2; i < t.n_rows; i++)
        CHECK(strtod(ec_csv_cell(&t, i, time), NULL) <= strtod(ec_csv_cell(&t, i - 1, time), NULL));
    draw(&t, 760, &d);
    CHECK_INT(labels_with(&d, 4), 0);
    CHECK(count(&d, EC_ROLE_NOTE, ec_csv_cell(&t, 1, layer), false));
    ec_drawing_clear(&d);
    ec_csv_clear(&t);
}

/* Points above each roof are explained, and only these; layers in one place share their label. */
TEST(points_above_a_roof_are_explained)
{
    static const char text[] =
        "device,kind,layer,median_ns,label,arithmetic_flop_per_byte,achieved_flop_per_s,"
        "peak_flop_per_s,memory_bytes_per_s\n"
        "t4,predicted,,9e6,net,100,1e12,2e12,1e11\n"
        "t4,predicted,fast,3e6,,200,2.1e12,2e12,1e11\n"
        "t4,predicted,alike,2e6,,201,2.11e12,2e12,1e11\n"
        "t4,predicted,cached,1e6,,1,%s,2e12,1e11\n";
    struct ec_csv t = { 0 };
    struct ec_drawing d = { 0 };
    struct ec_err err = { 0 };
    char table[sizeof text + 8];
    int i;

    for (i = 0; i < 2; i++) {
        (void)snprintf(table, sizeof table, text, i ? "1.2e11" : "1e11");
        CHECK_OK(ec_csv_parse(table, strlen(table), &t, &err));
        draw(&t, 0, &d);
        CHECK_INT(count(&d, EC_ROLE_NOTE, "above the flat roof", false), 1);
        CHECK_INT(count(&d, EC_ROLE_NOTE, "above the sloped roof", false), i);
        CHECK_INT(count(&d, EC_ROLE_LABEL, "1, 2", true), 1);
        CHECK_INT(count(&d, EC_ROLE_LABEL, "net", true), 1);
        ec_drawing_clear(&d);
        ec_csv_clear(&t);
    }
}

/* Tables of measured networks have no layers: the names are those of the table. */
TEST(networks_are_named)
{
    static const char text[] = "device,kind,label,arithmetic_flop_per_byte,achieved_flop_per_s,"
                               "peak_flop_per_s,memory_bytes_per_s\n"
                               "t4,measured,\"net, batch 8\",10,1e9,2.5e12,5e10\n";
    struct ec_csv t = { 0 };
    struct ec_drawing d = { 0 };
    struct ec_err err = { 0 };

    CHECK_OK(ec_csv_parse(text, strlen(text), &t, &err));
    draw(&t, 0, &d);
    CHECK_INT(count(&d, EC_ROLE_LABEL, "net, batch 8", true), 1);
    CHECK_INT(count(&d, EC_ROLE_NOTE, "", false), 0);
    CHECK(count(&d, EC_ROLE_TITLE, "points: measured", false));
    ec_drawing_clear(&d);
    ec_csv_clear(&t);
}
