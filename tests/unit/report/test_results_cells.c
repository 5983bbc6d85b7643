/* Each cell and each name of a column in each kind of file, filled with what belongs in none: the
 * report is made, and what holds of every report holds of it. */
#define DIR "test-results-cells"
#include "results_dir.h"

static const char good[] = "model,epoch,train_loss,train_acc\nnet,1,2,0.3\nnet,2,1,0.6\n";

/* A file of each kind, with rows enough for its tables and pictures. */
/* clang-format off */
static const struct {
    const char *name, *text;
} kinds[] = {
    { "runs.csv",
      "env,device,model,batch_size,iteration,time_ms\n"
      "a,t4,resnet18,32,0,100\na,t4,resnet18,32,1,110\na,t4,resnet18,64,0,190\n"
      "b,v100-sxm2-16gb,resnet18,32,0,40\nb,v100-sxm2-16gb,lenet5,32,0,4\n" },
    { "curves.csv",
      "model,data,batch_size,epoch,train_loss,train_acc,val_accuracy\n"
      "net,cifar,32,1,2,0.3,0.2\nnet,cifar,32,2,1,0.6,0.4\nnet,cifar,64,1,2.1,0.25,0.2\n" },
    { "configs.csv",
      "config,model,depth,base_filters,batch_size,num_params,time_per_epoch,dataset_size,"
      "train_loss,test_accuracy\n"
      "a,cifar_cnn,1,8,32,1000,2,640,1.9,0.3\nb,cifar_cnn,1,16,32,3000,3,640,1.8,0.4\n"
      "c,cifar_cnn,2,8,32,2000,3,640,2.31,0.1\nd,cifar_cnn,2,16,32,6000,5,640,1.7,0.5\n" },
    { "ddp.csv",
      "model,device,ranks,batch_per_rank,batch_size,step_ns,local_step_ns,all_reduce_ns,"
      "images_per_s\n"
      "net,cpu,1,32,32,1000000,1000000,0,32000\nnet,cpu,2,32,64,1300000,1000000,300000,49000\n"
      "big,cpu,1,32,32,9000000,9000000,0,3200\nbig,cpu,2,32,64,9500000,9000000,600000,6000\n" },
    { "roofs.csv",
      "device,precision,kind,label,arithmetic_flop_per_byte,achieved_flop_per_s,peak_flop_per_s,"
      "memory_bytes_per_s\n"
      "a,fp32,measured,net,10,1e9,2.5e12,5e10\nb,fp32,measured,net,9,1e9,8e11,5e10\n"
      "b,fp32,predicted,net,9,2e9,8e11,5e10\n" },
    { "parts.csv",
      "model,batch_size,method,ratio\nnet,32,alone,1.2\nnet,64,alone,1.1\nnet,32,near,0.9\n" },
    { "pairs.csv",
      "family,quantity,measured,predicted\nx,time_s,1,1.1\nx,time_s,2,1.9\ny,time_s,3,3.3\n" },
};
/* clang-format on */

/* clang-format off */
static const char *const hostile[] = {
    "", "\"a\n<script>alert(1)</script>\"", "a|b<img src=x>", "1e200", "it's *`c`",
};
enum { FIRST_FEW = 2 };
/* clang-format on */

/* The text with the cell of that row and column replaced; row -1: in every row but the first. */
static bool with_cell(const char *text, int row, int col, const char *cell, struct ec_buf *out)
{
    struct ec_span rest = ec_span_of(text), line, one;
    bool found = false;
    int r, c;

    for (r = 0; rest.len && ec_span_cut(&rest, '\n', &line); r++) {
        for (c = 0; line.len && ec_span_cut(&line, ',', &one); c++) {
            bool here = c == col && (r == row || (row < 0 && r));

            ec_buf_str(out, c ? "," : "");
            if (here)
                ec_buf_str(out, cell);
            else
                ec_buf_add(out, one.p, one.len);
            found |= here;
        }
        ec_buf_char(out, '\n');
    }
    return found;
}

static void report_of(int kind, int row, int col, const char *cell)
{
    struct ec_buf text = EC_BUF_INIT;
    struct report r;
    char what[300];

    (void)with_cell(kinds[kind].text, row, col, cell, &text);
    (void)snprintf(what, sizeof what, "%s, row %d, column %d: %s", kinds[kind].name, row, col,
                   cell);
    begin();
    put("a-good.csv", good);
    put(kinds[kind].name, ec_buf_text(&text));
    report(NULL, &r);
    CHECK_HAS(ec_buf_text(&r.markdown), "## Loss and accuracy over epochs: a-good.csv");
    holds_of_every_report(&r, kinds[kind].name, what);
    report_clear(&r);
    end();
    ec_buf_clear(&text);
}

static int columns_of(const char *text)
{
    const char *end = strchr(text, '\n');
    int n = 1;

    for (; text < end; text++)
        n += *text == ',';
    return n;
}

static void each_column(int row, int n_hostile)
{
    int i, c, k;

    for (i = 0; i < EC_LEN(kinds); i++)
        for (c = 0; c < columns_of(kinds[i].text); c++)
            for (k = 0; k < n_hostile; k++)
                report_of(i, row, c, hostile[k]);
}

TEST(a_hostile_cell_in_each_column)
{
    each_column(2, EC_LEN(hostile));
}

TEST(a_hostile_column)
{
    each_column(-1, FIRST_FEW);
}

TEST(a_hostile_name_of_a_column)
{
    each_column(0, FIRST_FEW);
}

/* --- Rows --- */

/* What stands once stands twice: nothing tells the rows apart, and no column is left to show. */
TEST(the_same_row_twice)
{
    int i;

    for (i = 0; i < EC_LEN(kinds); i++) {
        struct ec_buf text = EC_BUF_INIT;
        struct ec_span rest = ec_span_of(kinds[i].text), head, row;
        struct report r;

        (void)ec_span_cut(&rest, '\n', &head);
        (void)ec_span_cut(&rest, '\n', &row);
        ec_buf_printf(&text, "%.*s\n", (int)head.len, head.p);
        ec_buf_printf(&text, "%.*s\n%.*s\n", (int)row.len, row.p, (int)row.len, row.p);
        begin();
        put("a-good.csv", good);
        put(kinds[i].name, ec_buf_text(&text));
        report(NULL, &r);
        CHECK_HAS(ec_buf_text(&r.markdown), kinds[i].name);
        holds_of_every_report(&r, kinds[i].name, "the same row twice");
        report_clear(&r);
        end();
        ec_buf_clear(&text);
    }
}

/* Rows in another order say the same: as many pictures and findings, and the same runs. */
TEST(the_order_of_rows_changes_no_count)
{
    int i;

    for (i = 0; i < EC_LEN(kinds); i++) {
        struct ec_buf text = EC_BUF_INIT, turned = EC_BUF_INIT;
        struct ec_span rest = ec_span_of(kinds[i].text), head, row;
        struct report r, other;

        (void)ec_span_cut(&rest, '\n', &head);
        while (rest.len && ec_span_cut(&rest, '\n', &row)) {
            ec_buf_reset(&text);
            ec_buf_printf(&text, "%.*s\n%s", (int)row.len, row.p, ec_buf_text(&turned));
            ec_buf_reset(&turned);
            ec_buf_str(&turned, ec_buf_text(&text));
        }
        ec_buf_reset(&text);
        ec_buf_printf(&text, "%.*s\n%s", (int)head.len, head.p, ec_buf_text(&turned));
        begin();
        put(kinds[i].name, kinds[i].text);
        report(NULL, &r);
        put(kinds[i].name, ec_buf_text(&text));
        report(NULL, &other);
        CHECK_INT(other.done.n_figures, r.done.n_figures);
        CHECK_INT(other.done.n_tables, r.done.n_tables);
        CHECK_INT(other.done.n_runs, r.done.n_runs);
        CHECK_INT(other.done.n_removed, 0);
        CHECK_INT(count(ec_buf_text(&other.markdown), "\n- "),
                  count(ec_buf_text(&r.markdown), "\n- "));
        report_clear(&r);
        report_clear(&other);
        end();
        ec_buf_clear(&text);
        ec_buf_clear(&turned);
    }
}

/* --- Names of files --- */

static int pictures_in(void)
{
    struct ec_strs found = { 0 };
    struct ec_arena a = { 0 };
    struct ec_err err;
    bool is_folder;
    int n;

    CHECK_OK(ec_files_find(OUT "/pictures", "*", &a, &found, &is_folder, &err));
    n = found.n;
    ec_arena_clear(&a);
    return n;
}

/* Names that become one word keep their pictures apart. */
TEST(no_picture_takes_the_place_of_another)
{
#define LONG "a-name-that-goes-on-for-more-than-the-sixty-letters-of-which-pictures-are-named"
    static const char *const names[][2] = {
        {"sub/a.csv",       "sub-a.csv"     },
        { "a b.csv",        "a-b.csv"       },
        { LONG "-one.csv",  LONG "-two.csv" },
        { "x](y)<img>.csv", "x](y)[img].csv"},
    };
    int i;

    for (i = 0; i < EC_LEN(names); i++) {
        struct report r;

        begin();
        put(names[i][0], good);
        put(names[i][1], good);
        report(NULL, &r);
        CHECK_INT(r.done.n_figures, 2);
        CHECK_INT(pictures_in(), 2);
        holds_of_every_report(&r, names[i][0], "");
        CHECK_INT(count(ec_buf_text(&r.markdown), "](pictures/"), 2);
        CHECK(!strstr(ec_buf_text(&r.markdown), "pictures/x]"));
        report_clear(&r);
        end();
    }
}
