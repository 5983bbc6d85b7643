/* Pictures of tables: columns, units, repeats, and recipes that find their tables. */
#include "test.h"

#include "report/picture_internal.h"
#include "report/report.h"

static void table(const char *text, struct ec_csv *ret)
{
    struct ec_err err;

    CHECK_OK(ec_csv_parse(text, strlen(text), ret, &err));
}

TEST(names_tell_units)
{
    static const struct {
        const char *column, *title;
        enum ec_axis_form form;
        double factor;
    } rows[] = {
        {"time_ms",              "time",           EC_AXIS_NS,     1e6   },
        { "images_per_s",        "throughput",     EC_AXIS_NUMBER, 1     },
        { "samples_per_s",       "throughput",     EC_AXIS_NUMBER, 1     },
        { "tokens_per_s",        "throughput",     EC_AXIS_SI,     1     },
        { "achieved_flop_per_s", "achieved",       EC_AXIS_SI,     1     },
        { "peak_memory_mib",     "peak memory",    EC_AXIS_BYTES,  0x1p20},
        { "efficiency_frac",     "efficiency",     EC_AXIS_SHARE,  1     },
        { "error_pct",           "error",          EC_AXIS_SHARE,  0.01  },
        { "time_per_epoch",      "time per epoch", EC_AXIS_NS,     1e9   },
        { "depth",               "depth",          EC_AXIS_NUMBER, 1     },
        { "peak_memory_mb",      "peak memory",    EC_AXIS_BYTES,  0x1p20}, /* as tables mean it */
        { "steps_per_s",         "steps",          EC_AXIS_NUMBER, 1     }, /* no time */
        { "stall_msec",          "stall",          EC_AXIS_NS,     1e6   },
        { "rows_b",              "rows b",         EC_AXIS_NUMBER, 1     },
    };
    int i;

    for (i = 0; i < EC_LEN(rows); i++) {
        struct ec__quantity q;

        ec__quantity_of(rows[i].column, &q);
        CHECK_STR(q.title, rows[i].title);
        CHECK_INT(q.form, rows[i].form);
        CHECK_NEAR(q.factor, rows[i].factor, 1e-12);
    }
}

TEST(repeats_become_their_median)
{
    struct ec_picture p = { .form = EC_PICTURE_BARS, .x = "m", .y = "v_ms", .group = "g?" };
    struct ec__points pts;
    struct ec_csv t;
    struct ec_err err;

    table("m,v_ms\na,1\na,2\na,9\nb,5\n,\n", &t);
    CHECK_OK(ec__points_read(&p, &t, &pts, &err));
    CHECK_INT(pts.n, 4);
    CHECK_OK(ec__points_merge(&pts, true, &err));
    CHECK_INT(pts.n, 2);
    CHECK_NEAR(pts.v[0].y, 2e6, 1e-12);
    CHECK_NEAR(pts.v[0].hi, 8.3e6, 1e-9);
    CHECK(isnan(pts.v[1].lo));
    ec__points_clear(&pts);
    ec_csv_clear(&t);
}

/* A campaign's rows come in a drawn order; what all share is said once. */
TEST(names_are_sorted_and_short)
{
    struct ec_picture p = {
        .form = EC_PICTURE_BARS, .x = "model,depth,batch", .y = "v_ms", .group = "env?,device?"
    };
    struct ec__points pts;
    struct ec_csv t;
    struct ec_err err;

    table("model,depth,batch,env,device,v_ms\nnet,2,128,b,gpu,1\nnet,2,16,a,gpu,2\n"
          "net,1,32,a,gpu,3\nnet,2,16,b,gpu,4\n",
          &t);
    CHECK_OK(ec__points_read(&p, &t, &pts, &err));
    CHECK_STR(pts.constant, "gpu");
    CHECK_STR(pts.subject, "net");
    CHECK_INT(pts.series.n, 2);
    CHECK_STR(pts.series.name[0], "b");
    CHECK_INT(pts.categories.n, 3);
    CHECK_STR(pts.categories.name[0], "depth 1, batch 32");
    CHECK_STR(pts.categories.name[1], "depth 2, batch 16");
    CHECK_STR(pts.categories.name[2], "depth 2, batch 128");
    CHECK_INT(pts.v[0].category, 2);
    CHECK_INT(pts.v[3].category, 1);
    CHECK_INT(pts.v[3].series, 0);
    ec__points_clear(&pts);
    ec_csv_clear(&t);
}

static bool has_text(const struct ec_drawing *d, const char *text)
{
    int i;

    for (i = 0; i < d->n; i++)
        if (d->items[i].text && ec_str_eq(d->items[i].text, text))
            return true;
    return false;
}

/* The network of all rows stands in a recipe's title, the other conditions under it; of several
 * networks, and in a title of the user's own, it does not. */
TEST(one_network_is_named_in_the_title)
{
    /* clang-format off */
    static const struct {
        const char *more, *title; /* NULL: the recipe's */
        const char *want, *under;
    } rows[] = {
        { "", NULL, "Throughput by batch size: resnet50", "a100, amp" },
        { "", "Mine", "Mine", "resnet50, a100, amp" },
        { "8,70,a100,vgg16,amp\n", NULL, "Throughput by batch size", "a100, amp; resnet50" },
    };
    /* clang-format on */
    int i;

    for (i = 0; i < EC_LEN(rows); i++) {
        struct ec_drawing d = { 0 };
        struct ec_picture p;
        struct ec_csv t;
        struct ec_err err;
        char text[200];

        (void)snprintf(text, sizeof text,
                       "batch_size,images_per_s,env,model,precision\n"
                       "8,90,a100,resnet50,amp\n16,99,a100,resnet50,amp\n%s",
                       rows[i].more);
        table(text, &t);
        CHECK_OK(ec_picture_find("batch-throughput", &p, &err));
        p.title = rows[i].title ? rows[i].title : p.title;
        CHECK_OK(ec_picture_draw(&p, &t, &d, &err));
        CHECK(has_text(&d, rows[i].want));
        CHECK(has_text(&d, rows[i].under));
        ec_drawing_clear(&d);
        ec_csv_clear(&t);
    }
}

/* Batches grow by factors, epochs do not. */
TEST(lines_over_batches_have_a_logarithmic_axis)
{
    struct ec_drawing d = { 0 };
    struct ec_picture p;
    struct ec_csv t;
    struct ec_err err;

    table("batch,samples_per_s\n256,50\n1,10\n8,20\n64,40\n8,21\n", &t);
    CHECK_OK(ec_picture_find("line", &p, &err));
    p.x = "batch";
    p.y = "samples_per_s";
    CHECK_OK(ec_picture_draw(&p, &t, &d, &err));
    CHECK(has_text(&d, "8") && has_text(&d, "64") && has_text(&d, "256"));
    CHECK(has_text(&d, "throughput (samples/s)"));
    ec_drawing_clear(&d);
    ec_csv_clear(&t);
    table("epoch,loss\n1,5\n2,2\n3,1\n4,0.9\n5,0.8\n", &t);
    p.x = "epoch";
    p.y = "loss";
    CHECK_OK(ec_picture_draw(&p, &t, &d, &err));
    CHECK(has_text(&d, "3"));
    ec_drawing_clear(&d);
    ec_csv_clear(&t);
}

/* A condition that the recipe does not name is said too. */
TEST(conditions_of_all_rows_are_said)
{
    struct ec_picture p = { .form = EC_PICTURE_SCATTER, .x = "flop", .y = "v_ms" };
    struct ec__points pts;
    struct ec_csv t;
    struct ec_err err;

    table("model,flop,batch,device,precision,v_ms\nnet,2,16,t4,amp,1\nnet,3,16,t4,fp32,2\n", &t);
    CHECK_OK(ec__points_read(&p, &t, &pts, &err));
    CHECK_STR(pts.subject, "net");
    CHECK_STR(pts.constant, "t4, batch 16");
    ec__points_clear(&pts);
    ec_csv_clear(&t);
}

/* A network of two lengths is two series; where words are read, images are samples. */
TEST(tokens_tell_networks_apart)
{
    struct ec_picture p = {
        .form = EC_PICTURE_LINE, .x = "batch_size", .y = "images_per_s", .group = "model,seq_len?"
    };
    struct ec__points pts;
    struct ec_csv t;
    struct ec_err err;

    table("model,seq_len,batch_size,images_per_s\nbert,64,1,10\nbert,512,1,2\nnet,,1,5\n", &t);
    CHECK_OK(ec__points_read(&p, &t, &pts, &err));
    CHECK_INT(pts.series.n, 3);
    CHECK_STR(pts.series.name[0], "bert, 64 tokens");
    CHECK_STR(pts.series.name[1], "bert, 512 tokens");
    CHECK_STR(pts.series.name[2], "net");
    CHECK_STR(pts.y.unit, "samples/s");
    ec__points_clear(&pts);
    ec_csv_clear(&t);
}

/* What is left of several columns still says what it counts. */
TEST(one_column_that_is_left_is_named)
{
    struct ec_picture p = { .form = EC_PICTURE_BARS, .x = "model,batch_size", .y = "images_per_s" };
    struct ec__points pts;
    struct ec_csv t;
    struct ec_err err;

    table("model,batch_size,images_per_s\nnet,4,10\nnet,8,12\n", &t);
    CHECK_OK(ec__points_read(&p, &t, &pts, &err));
    CHECK_STR(pts.categories.name[0], "batch 4");
    CHECK_STR(pts.y.unit, "images/s");
    ec__points_clear(&pts);
    ec_csv_clear(&t);
}

static int pictures_called(const char *csv, const char *name)
{
    struct ec_arena a = { 0 };
    struct ec_picture_file *v;
    struct ec_csv t;
    struct ec_err err;
    int n = 0, i, found = 0;

    table(csv, &t);
    CHECK_OK(ec_pictures_of(&t, &a, &v, &n, &err));
    for (i = 0; i < n; i++)
        found += ec_str_eq(v[i].name, name);
    ec_csv_clear(&t);
    ec_arena_clear(&a);
    return found;
}

TEST(a_bar_alone_is_no_picture)
{
    CHECK_INT(pictures_called("env,model,batch_size,efficiency_frac\na,net,4,0.4\n", "efficiency"),
              0);
    CHECK_INT(pictures_called("env,model,batch_size,efficiency_frac\na,net,4,0.4\na,net,8,0.5\n",
                              "efficiency"),
              1);
}

static int count_items(const struct ec_drawing *d, enum ec_item_role role, const char *text)
{
    int i, n = 0;

    for (i = 0; i < d->n; i++)
        n += d->items[i].role == role && d->items[i].text && strstr(d->items[i].text, text);
    return n;
}

TEST(of_many_curves_some_have_a_colour)
{
    struct ec_buf text = EC_BUF_INIT;
    struct ec_drawing d = { 0 };
    struct ec_picture p;
    struct ec_csv t;
    struct ec_err err;
    int i;

    ec_buf_str(&text, "model,epoch,train_accuracy,val_accuracy,test_accuracy\n");
    for (i = 0; i < 20; i++)
        ec_buf_printf(&text, "net%d,1,0.1,0.2,\nnet%d,2,0.%d,0.%d,\n", i, i, 10 + i, 20 + i);
    table(ec_buf_text(&text), &t);
    CHECK_OK(ec_picture_find("accuracy-curves", &p, &err));
    CHECK_OK(ec_picture_draw(&p, &t, &d, &err));
    CHECK_INT(count_items(&d, EC_ROLE_LEGEND, "net"), 7);
    CHECK_INT(count_items(&d, EC_ROLE_LEGEND, "net19"), 1); /* the highest, and the lowest */
    CHECK_INT(count_items(&d, EC_ROLE_LEGEND, "net0"), 1);
    CHECK_INT(count_items(&d, EC_ROLE_TITLE, "7 of 20 in colour"), 1);
    CHECK_INT(count_items(&d, EC_ROLE_AXIS, "val accuracy"), 1);
    ec_drawing_clear(&d);
    ec_csv_clear(&t);
    ec_buf_clear(&text);
}

/* Precisions of one rate are one line with both names, whole however long. */
TEST(equal_roofs_have_one_label)
{
    struct ec_drawing d = { 0 };
    struct ec_picture p;
    struct ec_csv t;
    struct ec_err err;

    table("device,precision,kind,label,arithmetic_flop_per_byte,achieved_flop_per_s,"
          "peak_flop_per_s,memory_bytes_per_s\n"
          "intel-r-xeon-r-processor,amp,measured,net,10,1e9,2.5e12,5e10\n"
          "intel-r-xeon-r-processor,fp32,measured,net,10,1e9,8e11,5e10\n"
          "t4,bf16,measured,net,20,2e9,2.5e12,5e10\n",
          &t);
    CHECK_OK(ec_picture_find("roofline", &p, &err));
    CHECK_OK(ec_picture_draw(&p, &t, &d, &err));
    CHECK_INT(count_items(&d, EC_ROLE_LABEL,
                          "intel-r-xeon-r-processor, amp, t4, bf16: "
                          "2.5 TFLOP/s, 50 GB/s"),
              1);
    CHECK_INT(count_items(&d, EC_ROLE_LABEL, "2.5 TFLOP/s"), 1);
    CHECK_INT(count_items(&d, EC_ROLE_LABEL, "fp32: 800 GFLOP/s, 50 GB/s"), 1);
    ec_drawing_clear(&d);
    ec_csv_clear(&t);
}

TEST(accuracy_in_percent_is_a_share)
{
    struct ec_picture p = { .form = EC_PICTURE_LINE, .x = "epoch", .y = "val_accuracy" };
    struct ec__points pts;
    struct ec_csv t;
    struct ec_err err;

    table("epoch,val_accuracy\n1,45.5\n2,0.9\n", &t);
    CHECK_OK(ec__points_read(&p, &t, &pts, &err));
    CHECK_NEAR(pts.v[0].y, 0.455, 1e-12);
    ec__points_clear(&pts);
    ec_csv_clear(&t);
}

/* Each recipe with a table made of the first alternative of each of its columns. */
TEST(every_recipe_draws_its_table)
{
    const struct ec_picture *all;
    int n, i;

    all = ec_pictures(&n);
    for (i = 0; i < n; i++) {
        const char *lists[] = { all[i].x, all[i].y, all[i].group, all[i].label };
        struct ec_buf head = EC_BUF_INIT, row = EC_BUF_INIT, other = EC_BUF_INIT;
        struct ec_drawing d = { 0 };
        struct ec_csv t;
        struct ec_err err = { 0 };
        int k;

        if (all[i].panels) /* below */
            continue;
        for (k = 0; k < EC_LEN(lists); k++) {
            struct ec_span rest = ec_span_of(lists[k] ? lists[k] : ""), word, name;

            while (rest.len && ec_span_cut(&rest, ',', &word)) {
                (void)ec_span_cut(&word, ':', &name);
                word = name;
                (void)ec_span_cut(&word, '|', &name);
                name.len -= name.p[name.len - 1] == '?';
                ec_buf_printf(&head, "%s%.*s", head.len ? "," : "", (int)name.len, name.p);
                ec_buf_printf(&row, "%s%s", row.len ? "," : "", k < 2 ? "1.5" : "word");
                ec_buf_printf(&other, "%s%s", other.len ? "," : "", k < 2 ? "3" : "other");
            }
        }
        if (all[i].form == EC_PICTURE_ROOFLINE) {
            ec_buf_str(&head, ",peak_flop_per_s,memory_bytes_per_s");
            ec_buf_str(&row, ",1e13,1e12");
        }
        ec_buf_printf(&head, "\n%s\n", ec_buf_text(&row));
        if (all[i].between)
            ec_buf_printf(&head, "%s\n", ec_buf_text(&other));
        table(ec_buf_text(&head), &t);
        CHECK(ec_picture_fits(&all[i], &t));
        err.text[0] = '\0';
        if (ec_picture_draw(&all[i], &t, &d, &err))
            test_fail(__FILE__, __LINE__, "%s: %s\n%s", all[i].name, err.text, ec_buf_text(&head));
        ec_drawing_clear(&d);
        ec_csv_clear(&t);
        ec_buf_clear(&head);
        ec_buf_clear(&row);
        ec_buf_clear(&other);
    }
}

/* Loss and accuracy in one row, of half the width each; without accuracies there is one of them. */
TEST(panels_stand_side_by_side)
{
    static const char *const texts[] = {
        "epoch,model,train_loss,val_loss,train_accuracy,val_accuracy\n"
        "1,net,2,2.1,0.1,0.1\n2,net,1,1.2,0.5,0.4\n",
        "epoch,model,train_loss,train_accuracy\n1,net,2,\n2,net,1,\n",
    };
    struct ec_picture p;
    struct ec_err err = { 0 };
    int i, k;

    CHECK_OK(ec_picture_find("training-curves", &p, &err));
    for (i = 0; i < EC_LEN(texts); i++) {
        struct ec_drawing d = { 0 };
        struct ec_csv t;
        int titles = 0;

        table(texts[i], &t);
        CHECK(ec_picture_fits(&p, &t));
        CHECK_OK(ec_picture_draw(&p, &t, &d, &err));
        for (k = 0; k < d.n; k++)
            if (d.items[k].role == EC_ROLE_TITLE && d.items[k].kind == EC_ITEM_TEXT &&
                strstr(d.items[k].text, "over epochs")) {
                CHECK(titles ? d.items[k].xy[0] > 600 : d.items[k].xy[0] < 600);
                titles++;
            }
        CHECK_INT(titles, 2 - i);
        CHECK_NEAR(d.width, 600 * (2 - i), 0);
        ec_drawing_clear(&d);
        ec_csv_clear(&t);
    }
}

static enum ec_status draw(struct ec_err *err)
{
    static const char text[] = "model,env,images_per_s,batch_size\na,x,1,4\na,y,2,4\nb,x,3,4\n";
    struct ec_drawing d = { 0 };
    struct ec_csv t = { 0 };
    struct ec_picture p;
    enum ec_status st;

    EC_TRY(ec_picture_find("throughput-environments", &p, err));
    EC_TRY(ec_csv_parse(text, sizeof text - 1, &t, err));
    EC_TRY(ec_picture_draw(&p, &t, &d, err));
out:
    ec_drawing_clear(&d);
    ec_csv_clear(&t);
    return st;
}

TEST(running_out_of_memory_is_reported)
{
    CHECK_TORTURE(draw);
}
