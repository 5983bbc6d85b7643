/* The pictures that a table gives, their names and files; the order of names in them, and which of
 * too many stay. */
#include "test.h"

#include "report/picture_internal.h"
#include "report/report.h"

#include <sys/stat.h>
#include <unistd.h>

static void table(const char *text, struct ec_csv *ret)
{
    struct ec_err err;

    CHECK_OK(ec_csv_parse(text, strlen(text), ret, &err));
}

/* --- Sets --- */

struct of_table {
    struct ec_arena a;
    struct ec_csv t;
    struct ec_picture_file *v;
    int n;
};

static void pictures(const char *text, struct of_table *ret)
{
    struct ec_err err;

    *ret = (struct of_table){ .n = 0 };
    table(text, &ret->t);
    CHECK_OK(ec_pictures_of(&ret->t, &ret->a, &ret->v, &ret->n, &err));
}

static void pictures_clear(struct of_table *s)
{
    ec_csv_clear(&s->t);
    ec_arena_clear(&s->a);
}

static const struct ec_picture_file *called(const struct of_table *s, const char *name)
{
    int i;

    for (i = 0; i < s->n; i++)
        if (ec_str_eq(s->v[i].name, name))
            return &s->v[i];
    return NULL;
}

#define ROOFS "arithmetic_flop_per_byte,achieved_flop_per_s,peak_flop_per_s,memory_bytes_per_s"

/* Every table of the left gives the pictures of the right, and no other. */
TEST(tables_give_their_pictures)
{
    /* clang-format off */
    static const struct {
        const char *csv, *names; /* with a blank between */
    } rows[] = {
        { "a,b\n1,2\n", "" },
        { "epoch,train_loss\n1,2\n2,1\n", "loss-curves" },
        { "epoch,train_loss\n1,2\n", "" },
        { "epoch,train_loss,train_acc\n1,2,0.5\n2,1,0.6\n", "training-curves" },
        { "model,batch,images_per_s\nnet,1,10\nnet,2,15\n", "batch-throughput" },
        { "device,model,batch,images_per_s\na,net,1,10\nb,net,1,15\n", "throughput-environments" },
        { "device,model,speedup\na,net,1\n", "" },
        { "device,model,speedup\na,net,1\nb,net,2\n", "speedup" },
        { "measured,predicted\n1,2\n3,3\n", "predicted-actual" },
        { "mode,measured,predicted\ninference,1,2\ntraining_step,3,3\n",
          "predicted-actual-inference predicted-actual-training_step" },
        { "device," ROOFS "\na,10,1e12,2e12,1e11\n", "roofline" },
        { "device," ROOFS "\na,10,1e12,2e12,1e11\nb b,9,1e12,2e12,1e11\n",
          "roofline roofline-a roofline-b-b" },
        { "calibration_rows,median_ape_frac\n1,0.5\n2,0.3\n", "calibration-curve" },
        { "model,total_time_s,test_accuracy\na,10,0.5\nb,20,0.7\n", "time-accuracy" },
        { "model,step_ns,local_step_ns,all_reduce_ns\na,10,8,3\nb,20,14,7\n", "exchange" },
        { "model,weights_bytes,gradients_bytes,optimizer_bytes,activations_bytes\na,1,1,0,9\n",
          "memory-breakdown" },
    };
    /* clang-format on */
    int i, k;

    for (i = 0; i < EC_LEN(rows); i++) {
        struct ec_buf seen = EC_BUF_INIT;
        struct of_table s;

        pictures(rows[i].csv, &s);
        for (k = 0; k < s.n; k++)
            ec_buf_printf(&seen, "%s%s", k ? " " : "", s.v[k].name);
        CHECK_STR(ec_buf_text(&seen), rows[i].names);
        ec_buf_clear(&seen);
        pictures_clear(&s);
    }
}

/* A set is drawn by what it says: nothing else is asked for. */
TEST(every_picture_of_a_set_can_be_drawn)
{
    struct of_table s;
    int i, k;

    pictures("device,model,batch_size,mode,precision,images_per_s,speedup,efficiency_frac,"
             "median_ns," ROOFS "\n"
             "t4,a,8,training_step,fp32,10,1,0.3,9e6,10,1e12,8e12,3e11\n"
             "t4,a,16,training_step,fp32,15,1,0.4,9e6,12,1e12,8e12,3e11\n"
             "t4,a,16,forward,fp32,45,1,0.4,3e6,9,1e12,8e12,3e11\n"
             "a100,a,8,training_step,fp32,90,9,0.5,1e6,10,9e12,19e12,2e12\n"
             "a100,a,16,training_step,fp32,99,9,0.6,1e6,12,9e12,19e12,2e12\n"
             "a100,a,16,training_step,amp,199,9,0.3,5e5,12,2e13,3e14,2e12\n",
             &s);
    CHECK(s.n >= 6);
    for (i = 0; i < s.n; i++) {
        struct ec_drawing d = { 0 };
        struct ec_err err;

        CHECK_OK(ec_picture_draw(&s.v[i].p, &s.t, &d, &err));
        CHECK(d.n > 0);
        ec_drawing_clear(&d);
        for (k = 0; k < i; k++)
            CHECK(strcmp(s.v[i].name, s.v[k].name) != 0);
    }
    CHECK(called(&s, "efficiency") && called(&s, "speedup") && called(&s, "roofline-t4"));
    /* modes and precisions are not mixed: steps of training, the precision of most */
    CHECK_HAS(called(&s, "efficiency")->p.where, "mode=training_step");
    CHECK_HAS(called(&s, "efficiency")->p.where, "precision=fp32");
    CHECK_HAS(called(&s, "roofline-a100")->p.where, "device=a100");
    CHECK_HAS(called(&s, "roofline-a100")->p.title, "a100");
    pictures_clear(&s);
}

/* A comma would end a word of `where`, and a slash a name of a file. */
TEST(odd_words_become_names_of_files)
{
    struct of_table s;
    int i;

    pictures("device," ROOFS "\n\"a, b/c\",10,1e12,2e12,1e11\n../d,9,1e12,2e12,1e11\n", &s);
    CHECK_INT(s.n, 3);
    for (i = 0; i < s.n; i++)
        CHECK(!strchr(s.v[i].name, '/') && !strchr(s.v[i].name, ' ') && !strchr(s.v[i].name, ','));
    CHECK(called(&s, "roofline-a--b-c"));
    CHECK_STR(called(&s, "roofline-a--b-c")->p.where, "device=a? b/c");
    pictures_clear(&s);
}

TEST(pictures_are_written)
{
    static const char dir[] = "test-picture-set";
    struct ec_arena a = { 0 };
    struct ec_strs names = { 0 };
    struct ec_file f = { 0 };
    struct ec_csv t;
    struct ec_err err = { 0 };

    table("epoch,train_loss,train_acc\n1,2,0.5\n2,1,0.6\n", &t);
    CHECK_OK(ec_pictures_write(&t, dir, "svg", &a, &names, &err));
    CHECK_OK(ec_pictures_write(&t, dir, "svg", &a, &names, &err)); /* again, over itself */
    CHECK_INT(names.n, 2);
    CHECK_STR(names.v[0], "test-picture-set/training-curves.svg");
    CHECK_FAILS(ec_pictures_write(&t, dir, "gif", &a, &names, &err), EC_E_INPUT, "gif");
    CHECK_FAILS(ec_pictures_write(&t, "no/such/place", "svg", &a, &names, &err), EC_E_IO,
                "no/such/place: cannot make the directory");
    CHECK_OK(ec_file_open(names.v[0], 1 << 20, &f, &err));
    CHECK(f.len > 4 && !memcmp(f.data, "<svg", 4));
    ec_file_close(&f);
    (void)remove(names.v[0]);
    CHECK_INT(rmdir(dir), 0);
    ec_csv_clear(&t);
    ec_arena_clear(&a);
}

/* --- The order of names --- */

TEST(names_go_by_numbers_then_as_they_come)
{
    static const int want[] = { 1, 0, 3, 4, 2 };
    int rows[] = { 0, 1, 2, 3, 4 }, to[5], i;
    const struct ec__names names = {
        .row = rows, .n = 5, .cols = {0, 1},
                .n_cols = 2
    };
    struct ec_csv t;
    struct ec_err err;

    table("model,batch\nb,16\nb,2\na,16\na,x\na,2.5\n", &t);
    CHECK_OK(ec__names_sort(&t, &names, to, &err));
    for (i = 0; i < EC_LEN(want); i++)
        CHECK_INT(to[i], want[i]);
    ec_csv_clear(&t);
}

/* Whatever the numbers, each old place has one new place: that of its number. */
TEST(sorting_is_a_permutation)
{
    enum { N = 40 };
    struct ec_buf text = EC_BUF_INIT;
    int rows[N], to[N], i;
    const struct ec__names names = { .row = rows, .n = N, .n_cols = 1 };
    struct ec_csv t;
    struct ec_err err;

    ec_buf_str(&text, "v\n");
    for (i = 0; i < N; i++) {
        ec_buf_printf(&text, "%d\n", (i * 17 + 5) % N);
        rows[i] = i;
    }
    table(ec_buf_text(&text), &t);
    CHECK_OK(ec__names_sort(&t, &names, to, &err));
    for (i = 0; i < N; i++)
        CHECK_INT(to[i], (i * 17 + 5) % N);
    ec_csv_clear(&t);
    ec_buf_clear(&text);
}

/* --- Too many --- */

static void read_points(const struct ec_picture *p, const struct ec_csv *t, struct ec__points *pts)
{
    struct ec_err err;

    CHECK_OK(ec__points_read(p, t, pts, &err));
}

/* n networks of one batch on one device; the first also on a second. */
static void many_bars(int n, struct ec_csv *ret)
{
    struct ec_buf text = EC_BUF_INIT;
    int i;

    ec_buf_str(&text, "model,env,images_per_s\n");
    for (i = 0; i < n; i++)
        ec_buf_printf(&text, "net%d,a,%d\n", i, 100 + i);
    for (i = 0; i < 4; i++)
        ec_buf_printf(&text, "net%d,b,%d\n", i, 300 + i);
    table(ec_buf_text(&text), ret);
    ec_buf_clear(&text);
}

TEST(few_bars_stay_as_they_are)
{
    struct ec_picture p = {
        .form = EC_PICTURE_BARS, .x = "model", .y = "images_per_s", .group = "env"
    };
    struct ec__points pts;
    const char *note = NULL;
    struct ec_csv t;
    struct ec_err err;

    many_bars(5, &t);
    read_points(&p, &t, &pts);
    CHECK_OK(ec__few_categories(&t, &pts, EC__BY_SERIES, &note, &err));
    CHECK_INT(pts.categories.n, 5);
    CHECK(!note);
    ec__points_clear(&pts);
    ec_csv_clear(&t);
}

TEST(of_many_bars_those_that_compare_stay)
{
    struct ec_picture p = {
        .form = EC_PICTURE_BARS, .x = "model", .y = "images_per_s", .group = "env"
    };
    struct ec__points pts;
    const char *note = NULL;
    struct ec_csv t;
    struct ec_err err;
    int i;

    many_bars(60, &t);
    read_points(&p, &t, &pts);
    CHECK_OK(ec__few_categories(&t, &pts, EC__BY_SERIES, &note, &err));
    CHECK_INT(pts.categories.n, 4); /* those that two devices have */
    CHECK_STR(pts.categories.name[0], "net0");
    CHECK_STR(note, "4 of 60 shown, those that most series have");
    for (i = 0; i < pts.n; i++)
        CHECK(pts.v[i].category >= 0 && pts.v[i].category < pts.categories.n);
    CHECK_INT(pts.n, 8);
    ec__points_clear(&pts);
    ec_csv_clear(&t);
}

TEST(of_many_bars_the_largest_stay)
{
    struct ec_picture p = { .form = EC_PICTURE_BARS, .x = "model", .y = "images_per_s" };
    struct ec_buf text = EC_BUF_INIT;
    struct ec__points pts;
    const char *note = NULL;
    struct ec_csv t;
    struct ec_err err;
    int i;

    ec_buf_str(&text, "model,images_per_s\n");
    for (i = 0; i < 60; i++)
        ec_buf_printf(&text, "net%d,%d\n", i, 1 + (i * 7) % 60);
    table(ec_buf_text(&text), &t);
    read_points(&p, &t, &pts);
    CHECK_OK(ec__few_categories(&t, &pts, EC__BY_FIRST, &note, &err));
    CHECK_INT(pts.categories.n, 28);
    CHECK_HAS(note, "28 of 60 shown, the largest");
    for (i = 0; i < pts.n; i++)
        CHECK(pts.v[i].y > 60 - 28);
    ec__points_clear(&pts);
    ec_csv_clear(&t);
    ec_buf_clear(&text);
}

/* A curve needs two points; of too many the networks that most environments have stay. */
TEST(of_many_curves_the_comparable_stay)
{
    struct ec_picture p = {
        .form = EC_PICTURE_LINE, .x = "batch", .y = "images_per_s", .group = "env,model"
    };
    struct ec_buf text = EC_BUF_INIT;
    struct ec__points pts;
    const char *note = NULL;
    struct ec_csv t;
    struct ec_err err;
    int i;

    ec_buf_str(&text, "env,model,batch,images_per_s\n");
    for (i = 0; i < 20; i++)
        ec_buf_printf(&text, "a,net%d,1,5\na,net%d,2,9\n", i, i);
    ec_buf_str(&text, "b,net7,1,6\nb,net7,2,11\nb,net8,1,6\n");
    table(ec_buf_text(&text), &t);
    read_points(&p, &t, &pts);
    CHECK_INT(pts.series.n, 22);
    CHECK_OK(ec__few_curves(&t, &pts, 2, &note, &err));
    CHECK_INT(pts.series.n, 2);
    CHECK_HAS(pts.series.name[0], "net7");
    CHECK_HAS(pts.series.name[1], "net7");
    CHECK_STR(note, "1 of 20 networks, those of most environments");
    ec__points_clear(&pts);
    ec_csv_clear(&t);
    ec_buf_clear(&text);
}

/* --- Running out of memory --- */

static enum ec_status make(struct ec_err *err)
{
    static const char text[] = "device,model,batch,mode,images_per_s\n"
                               "a,net,1,forward,4\na,net,2,forward,7\nb,net,1,training_step,3\n"
                               "b,net,2,training_step,5\n";
    struct ec_picture_file *v;
    struct ec_arena a = { 0 };
    struct ec_csv t = { 0 };
    enum ec_status st;
    int n;

    EC_TRY(ec_csv_parse(text, sizeof text - 1, &t, err));
    EC_TRY(ec_pictures_of(&t, &a, &v, &n, err));
out:
    ec_csv_clear(&t);
    ec_arena_clear(&a);
    return st;
}

TEST(running_out_of_memory_is_reported)
{
    CHECK_TORTURE(make);
}
