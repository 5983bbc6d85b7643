/* Layouts for recording: each knows a table of its columns, and reads every row of it. */
#include "test.h"

#include "tables/record_internal.h"

/* The columns that a layout wants, and those its templates name, with a row of ones. */
static void write_table(const struct ec_mapping *l, struct ec_buf *out)
{
    const char *c;

    for (c = l->columns; *c; c++)
        ec_buf_char(out, *c == ' ' ? ',' : *c);
    if (!strstr(l->columns, "device "))
        ec_buf_str(out, ",device");
    ec_buf_str(out, "\n1");
    for (c = l->columns; *c; c++)
        ec_buf_str(out, *c == ' ' ? ",1" : "");
    if (!strstr(l->columns, "device "))
        ec_buf_str(out, ",t4");
    ec_buf_char(out, '\n');
}

static void check_mapping(const struct ec_mapping *l, struct ec_arena *a)
{
    struct ec_record r[EC_RECORDS_MAX];
    const struct ec_mapping *found = NULL;
    struct ec_reader *reader = NULL;
    struct ec_buf text = EC_BUF_INIT;
    struct ec_csv csv = { 0 };
    struct ec_err err = { 0 };
    int n = 0, i;

    write_table(l, &text);
    CHECK_OK(ec_csv_parse(text.data, text.len, &csv, &err));
    if (l->instead)
        CHECK_FAILS(ec_mapping_detect_record(&csv, a, &found, &err), EC_E_UNSUPPORTED, l->instead);
    else
        CHECK_OK(ec_mapping_detect_record(&csv, a, &found, &err));
    if (!found || !ec_str_eq(found->columns, l->columns))
        test_fail(__FILE__, __LINE__, "a table of %s is taken for one of %s", l->name,
                  found ? found->name : "none");
    if (!l->instead)
        CHECK_OK(ec_reader_new(l, &csv, NULL, &reader, &err));
    if (reader)
        CHECK_OK(ec_reader_row(reader, 0, r, &n, &err));
    if (l->rows == NULL && !l->instead)
        CHECK(n >= 1);
    for (i = 0; i < n; i++) {
        CHECK(r[i].reading && *r[i].reading && r[i].kind < EC_KIND_COUNT && r[i].what);
        CHECK(i == 0 || !ec_str_eq(r[i].reading, r[i - 1].reading)); /* rows are told by it */
        CHECK(r[i].phase >= -1 && r[i].iteration >= -1);
    }
    ec_reader_free(reader);
    ec_csv_clear(&csv);
    ec_buf_clear(&text);
}

TEST(each_layout_reads_its_own_table)
{
    struct ec_mapping_set m = { 0 };
    struct ec_arena a = { 0 };
    struct ec_err err = { 0 };
    int i;

    CHECK_OK(ec__maps_shipped(&a, &m, &err));
    CHECK(m.n > 80);
    for (i = 0; i < m.n; i++)
        if (!m.section[i]->by_name)
            check_mapping(m.section[i], &a);
    ec_arena_clear(&a);
}

TEST(each_layout_has_a_name_and_a_source)
{
    struct ec_mapping_set m = { 0 };
    struct ec_arena a = { 0 };
    struct ec_err err = { 0 };
    int i, k;

    CHECK_OK(ec__maps_shipped(&a, &m, &err));
    for (i = 0; i < m.n; i++) {
        const struct ec_mapping *l = m.section[i];

        CHECK(l->name && *l->name && l->source && *l->source && (l->what || l->instead));
        CHECK(l->stored_only || l->times[0].column || l->memory_read || l->samples);
        for (k = 0; k < i; k++)
            CHECK(!ec_str_eq(l->name, m.section[k]->name));
    }
    ec_arena_clear(&a);
}

TEST(recorded_tables_are_not_judged)
{
    static const char csv[] = "layer,predictor,features,rmse_ms\nconv,forest,all,7.9\n";
    const struct ec_mapping *l = NULL;
    struct ec_csv table = { 0 };
    struct ec_arena a = { 0 };
    struct ec_err err = { 0 };

    CHECK_OK(ec_csv_parse(csv, strlen(csv), &table, &err));
    CHECK_FAILS(ec_mapping_detect(&table, &a, &l, &err), EC_E_NOT_FOUND,
                "in the format prenet-published");
    CHECK_OK(ec_mapping_detect_record(&table, &a, &l, &err));
    CHECK_STR(ec_mapping_name(l), "prenet-published");
    ec_csv_clear(&table);
    ec_arena_clear(&a);
}

static const struct ec_record *first_record(const char *text, struct ec_csv *csv,
                                            struct ec_arena *a, struct ec_reader **reader)
{
    static struct ec_record r[EC_RECORDS_MAX];
    const struct ec_mapping *l = NULL;
    struct ec_err err = { 0 };
    int n = 0;

    CHECK_OK(ec_csv_parse(text, strlen(text), csv, &err));
    CHECK_OK(ec_mapping_detect_record(csv, a, &l, &err));
    CHECK_OK(ec_reader_new(l, csv, NULL, reader, &err));
    CHECK_OK(ec_reader_row(*reader, 0, r, &n, &err));
    CHECK_INT(n, 1);
    return r;
}

/* The source's figure is a share of the peak: it stays, and the time that follows is marked. */
TEST(a_rate_is_kept_beside_the_time_that_follows)
{
    static const char text[] = "device,op,peak_tflops,fraction_of_peak,spec\n"
                               "b200,matmul,2000,0.5,b=1 m=64 k=16 n=32 layout=NT out_dtype=fp32\n";
    struct ec_reader *reader = NULL;
    struct ec_arena a = { 0 };
    struct ec_csv csv = { 0 };
    const struct ec_record *r = first_record(text, &csv, &a, &reader);

    CHECK_STR(r->source.mapping, "simumax-grad-weight");
    CHECK_STR(r->what, "linear m=16 k=32 n=64 bias=0");
    CHECK_STR(r->reading, "fraction_of_peak");
    CHECK_STR(r->flags, "from_rate");
    CHECK_INT(r->phase, EC_L_GRAD_WEIGHT);
    CHECK_NEAR(r->time.ns, 2.0 * 64 * 16 * 32 / 1e15 * 1e9, 1e-12);
    CHECK(strstr(r->extra, "\"fraction_of_peak\":0.5") && strstr(r->extra, "out_dtype=fp32"));
    ec_reader_free(reader);
    ec_csv_clear(&csv);
    ec_arena_clear(&a);
}

TEST(the_part_of_a_cell_is_a_word_of_its_own)
{
    static const char text[] =
        "op,provider,mode,metric,x_name,x_value,config,device,median,p20,p80\n"
        "softmax,torch,backward,time_ms,BT,8,hidden_size: 4 dtype: torch.bfloat16,b200,2,1,3\n";
    struct ec_reader *reader = NULL;
    struct ec_arena a = { 0 };
    struct ec_csv csv = { 0 };
    const struct ec_record *r = first_record(text, &csv, &a, &reader);

    CHECK_STR(r->what, "softmax x=8x4");
    CHECK_STR(ec_record_word(r, EC_WORD_PRECISION), "bf16");
    CHECK_INT(r->phase, EC_L_GRAD_DATA);
    CHECK(strstr(r->extra, "hidden_size: 4 dtype") != NULL);
    ec_reader_free(reader);
    ec_csv_clear(&csv);
    ec_arena_clear(&a);
}

TEST(numbers_of_other_columns_stay_numbers)
{
    static const char csv[] = "env,device,model,batch_size,iteration,time_ms,a,b,c,d,e\n"
                              "x,t4,m,1,0,1,-1.50,007,1e5,say \"a\",\n";
    const struct ec_mapping *l = NULL;
    struct ec_record r[EC_RECORDS_MAX];
    struct ec_reader *reader = NULL;
    struct ec_csv table = { 0 };
    struct ec_arena a = { 0 };
    struct ec_err err = { 0 };
    int n = 0;

    CHECK_OK(ec_csv_parse(csv, strlen(csv), &table, &err));
    CHECK_OK(ec_mapping_of_record(&table, NULL, &a, &l, &err));
    CHECK_OK(ec_reader_new(l, &table, NULL, &reader, &err));
    CHECK_OK(ec_reader_row(reader, 0, r, &n, &err));
    CHECK_STR(r[0].extra, "{\"a\":-1.50,\"b\":\"007\",\"c\":\"1e5\","
                          "\"d\":\"say \\\"a\\\"\"}");
    ec_reader_free(reader);
    ec_csv_clear(&table);
    ec_arena_clear(&a);
}
