/* What `data export` wrote as a table to read: rows as questions, as records, as a user's table. */
#include "test.h"

#include "tables/tables.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HEADER                                                                                     \
    "source_key,source_row,reading,kind,what,phase,mode,outcome,batch,precision,device,framework," \
    "time_ns,memory_peak_bytes,held_out,flags,layout,samples\n"

static const char table[] =
    HEADER "a,0,t,network,resnet18,,training_step,ok,8,amp,t4,pytorch-2,5e6,7000,,,x,\n"
           "a,1,t,network,resnet18,,training_step,ok,16,amp,t4,pytorch-2,,,,,x,\"[[0,9000000,null,"
           "\"\"\"\"]"
           ",[1,1,7000000,\"\"\"\"],[2,3000000,null,\"\"\"\"],[3,null,5000000,\"\"\"\"]]\"\n"
           "a,2,t,network,resnet18,,training_step,ok,32,amp,t4,pytorch-2,8e6,,1,,x,\n"
           "a,3,t,network,resnet18,,training_step,ok,32,amp,t4,pytorch-2,8e6,,,doubtful,x,\n"
           "a,4,t,network,resnet18,,epoch,ok,32,amp,t4,pytorch-2,8e6,,,,x,\n"
           "a,5,t,network,resnet18,,training_step,ok,64,amp,t4,pytorch-2,,9000,,,x,\n"
           "a,6,t,operator,relu x=8,grad_data,grad_data,ok,,fp32,t4,pytorch-2,100,,,,x,\n"
           "a,7,t,operator,relu x=8,update,update,ok,,fp32,t4,pytorch-2,100,,,,x,\n"
           "a,8,t,network,resnet18,,training_step,ok,many,amp,t4,pytorch-2,8e6,,,,x,\n";

struct read_table {
    struct ec_csv csv;
    struct ec_arena arena;
    const struct ec_mapping *layout;
    struct ec_record_list rows;
};

static void read_text(const char *text, struct read_table *t)
{
    struct ec_err err = { 0 };

    memset(t, 0, sizeof *t);
    CHECK_OK(ec_csv_parse(text, strlen(text), &t->csv, &err));
    CHECK_OK(ec_mapping_detect(&t->csv, &t->arena, &t->layout, &err));
    CHECK_OK(ec_mapping_rows(t->layout, &t->csv, &t->arena, &t->rows, &err));
}

static void clear(struct read_table *t)
{
    ec_records_clear(&t->rows);
    ec_csv_clear(&t->csv);
    ec_arena_clear(&t->arena);
}

TEST(rows_of_an_export_are_queries)
{
    struct read_table t;

    read_text(table, &t);
    CHECK_STR(ec_mapping_name(t.layout), "export");
    CHECK(!ec_mapping_is_network(t.layout)); /* it holds operators, too */
    CHECK_INT(t.rows.n, 3);
    CHECK_INT(t.rows.n_excluded, 5); /* kept apart, flagged, an epoch, memory alone, an update */
    CHECK_INT(t.rows.n_faulty, 1);
    CHECK_HAS(t.rows.fault[0], "line 10, column batch: found \"many\"");
    CHECK(t.rows.v[0].cond.precision == EC_AMP && t.rows.v[0].cond.optimizer == EC_OPT_sgd);
    CHECK_NEAR(t.rows.v[0].time.ns, 5e6, 0);
    CHECK_NEAR(t.rows.v[1].time.ns, 6e6, 0); /* of 9, 7, 3 and 5 ms */
    CHECK_INT(t.rows.v[2].phase, EC_GRAD_DATA);
    CHECK(t.rows.v[2].cond.mode == EC_MODE_FORWARD_BACKWARD);
    clear(&t);
}

TEST(memory_alone_is_a_query_where_nothing_else_is)
{
    struct read_table t;

    read_text(HEADER "a,5,t,network,resnet18,,training_step,ok,64,amp,t4,pytorch-2,,9000,,,x,\n",
              &t);
    CHECK(ec_mapping_is_network(t.layout));
    CHECK_INT(t.rows.n, 1);
    CHECK(t.rows.n == 1 && ec_record_is_memory(&t.rows.v[0]));
    clear(&t);
}

static enum ec_status count(void *user, const struct ec_record *r, struct ec_err *err)
{
    int *n = user;

    (void)err;
    (*n)++;
    CHECK(r->what && *r->what);
    return EC_OK;
}

/* The table without its last line, which is faulty. */
static size_t sound_len(void)
{
    size_t len = strlen(table) - 1;

    while (table[len - 1] != '\n')
        len--;
    return len;
}

TEST(each_row_whatever_wrote_it)
{
    static const char campaign[] =
        "run,key,kind,what,phase,method,outcome,n_warm_up,samples_ns,device_samples_ns,held_out\n"
        "r,k,operator,relu x=8,forward,separated,ok,2,5 7,,0\n"
        "r,l,operator,relu x=8,update,separated,error,2,,,0\n";
    static const char *const texts[] = { table, campaign };
    static const int want[] = { 8, 2 };
    char path[] = "/tmp/epochcast-each-XXXXXX";
    struct ec_err err = { 0 };
    int fd = mkstemp(path), n, i;

    CHECK(fd >= 0);
    (void)close(fd);
    for (i = 0; i < EC_LEN(texts); i++) {
        CHECK_OK(ec_file_write(path, texts[i], i ? strlen(texts[i]) : sound_len(), &err));
        n = 0;
        CHECK_OK(ec_records_each(&(struct ec_table_given){ .path = path }, count, &n, &err));
        CHECK_INT(n, want[i]);
    }
    CHECK_OK(ec_file_write(path, table, strlen(table), &err));
    CHECK_FAILS(ec_records_each(&(struct ec_table_given){ .path = path }, count, &n, &err),
                EC_E_INPUT, "line 10, column batch: found \"many\"");
    CHECK_OK(ec_file_write(path, "a,b\n1,2\n", 8, &err));
    CHECK_FAILS(ec_records_each(&(struct ec_table_given){ .path = path }, count, &n, &err),
                EC_E_NOT_FOUND, "no known table format");
    (void)unlink(path);
}

TEST(steps_of_networks_as_a_users_table)
{
    struct ec_csv csv = { 0 };
    struct ec_err err = { 0 };

    CHECK_OK(ec_csv_parse(table, sound_len(), &csv, &err));
    CHECK_OK(ec_table_of_steps(&csv, &(struct ec_table_given){ .path = "t.csv" }, false, &err));
    CHECK_INT(csv.n_rows, 2);
    CHECK_STR(ec_csv_cell(&csv, 1, ec_csv_col(&csv, "batch_size")), "16");
    CHECK_STR(ec_csv_cell(&csv, 1, ec_csv_col(&csv, "step_time_ms")), "6");
    CHECK_STR(ec_csv_cell(&csv, 1, ec_csv_col(&csv, "precision")), "amp");
    CHECK(ec_csv_col(&csv, "image_px") < 0); /* no row says it */
    ec_csv_clear(&csv);
}

TEST(a_table_without_steps_says_so)
{
    static const char text[] =
        HEADER "a,6,t,operator,relu x=8,forward,forward,ok,,fp32,t4,pytorch-2,100,,,,x,\n";
    struct ec_csv csv = { 0 };
    struct ec_err err = { 0 };

    CHECK_OK(ec_csv_parse(text, strlen(text), &csv, &err));
    CHECK_FAILS(ec_table_of_steps(&csv, &(struct ec_table_given){ .path = "t.csv" }, false, &err),
                EC_E_INPUT, "none of its 1 rows is a step of a network");
    ec_csv_clear(&csv);
}

/* A cell of a measurement file: a word where the column has words, else what no other column has.
 */
static const char *cell_of(const struct ec_record_col *c, int at, char room[48])
{
    static const char *const words[][2] = {
        {"kind",               "operator"     },
        { "what",              "relu x=8"     },
        { "phase",             "forward"      },
        { "outcome",           "ok"           },
        { "precision",         "amp"          },
        { "layout",            "channels-last"},
        { "optimizer",         "none"         },
        { "framework",         "pytorch-1"    },
        { "inputs",            "fp16"         },
        { "samples_ns",        "500 7 900"    },
        { "device_samples_ns", "1 2"          },
        { "held_out",          "1"            },
    };
    int i;

    for (i = 0; i < EC_LEN(words); i++)
        if (ec_str_eq(c->in_file, words[i][0]))
            return words[i][1];
    (void)snprintf(room, 48, c->type == EC_C_COUNT || c->type == EC_C_NUMBER ? "%d" : "w%d",
                   100 + at);
    return room;
}

static enum ec_status keep_all(void *user, const struct ec_record *r, struct ec_err *err)
{
    const struct ec_record_col *c;
    struct ec_buf cell = EC_BUF_INIT;
    char room[48], other[64];
    int i;

    (void)err;
    (*(int *)user)++;
    for (c = ec_record_cols, i = 0; c->name; c++, i++) {
        if (!c->in_file)
            continue;
        ec_buf_reset(&cell);
        ec_record_put_in_file(c, r, &cell);
        (void)snprintf(other, sizeof other, "\"%s\":", c->in_file);
        if (!ec_str_eq(ec_buf_text(&cell), cell_of(c, i, room)) &&
            (c->table || !strstr(r->extra, other)))
            test_fail(__FILE__, __LINE__, "%s: \"%s\" became \"%s\"", c->in_file,
                      cell_of(c, i, room), ec_buf_text(&cell));
    }
    ec_buf_clear(&cell);
    return EC_OK;
}

/* The mapping of measurement files reads each column that the store has, and keeps the others. */
TEST(no_column_of_a_measurement_file_is_lost)
{
    char path[] = "/tmp/epochcast-columns-XXXXXX", room[48];
    struct ec_buf head = EC_BUF_INIT, row = EC_BUF_INIT;
    const struct ec_record_col *c;
    struct ec_err err = { 0 };
    int fd = mkstemp(path), i, n = 0;

    CHECK(fd >= 0);
    (void)close(fd);
    for (c = ec_record_cols, i = 0; c->name; c++, i++)
        if (c->in_file) {
            ec_buf_printf(&head, "%s%s", head.len ? "," : "", c->in_file);
            ec_buf_printf(&row, "%s%s", row.len ? "," : "", cell_of(c, i, room));
        }
    ec_buf_printf(&head, "\n%s\n", ec_buf_text(&row));
    CHECK_OK(ec_file_write(path, head.data, head.len, &err));
    CHECK_OK(ec_records_each(&(struct ec_table_given){ .path = path }, keep_all, &n, &err));
    CHECK_INT(n, 1);
    (void)unlink(path);
    ec_buf_clear(&head);
    ec_buf_clear(&row);
}
