/* Steps of several processes beside their predictions. */
#include "test.h"

#include "report/report.h"

static const char csv_text[] =
    "model,ranks,batch_per_rank,optimizer,precision,num_params,step_ns,local_step_ns,"
    "all_reduce_ns,images_per_s,threads,device\n"
    "mnist_cnn,1,64,sgd,fp32,24330,5000000,5000000,0,12800,1,cpu-epyc-2vcpu\n"
    "resnet18,2,8,sgd,fp32,11689512,900000000,800000000,50000000,17.8,1,cpu-epyc-2vcpu\n"
    "mnist_cnn,2,64,sgd,fp32,24330,5200000,5100000,100000,24615,1,cpu-epyc-2vcpu\n"
    "mnist_cnn,8,64,sgd,fp32,24330,50000000,40000000,100000,10240,1,cpu-epyc-2vcpu\n"
    "linear m=4 k=3 n=5,2,4,sgd,fp32,20,5000,4000,900,1600000,1,cpu-epyc-2vcpu\n"
    "no_such_network,1,64,sgd,fp32,24330,5000000,5000000,0,12800,1,cpu-epyc-2vcpu\n";

enum { MODEL, BATCH, RANKS, MEASURED, PREDICTED, RANGE, OFF, INSIDE };

static const struct ec_cell *cell(const struct ec_table *t, int row, int col)
{
    return &t->cells[row * t->n_cols + col];
}

TEST(each_step_stands_beside_its_prediction)
{
    static const struct {
        const char *model;
        int64_t ranks;
        bool measured, predicted;
    } want[] = {
        {"mnist_cnn",        1, true,  true },
        { "mnist_cnn",       2, true,  true },
        { "mnist_cnn",       4, false, true },
        { "mnist_cnn",       8, true,  true },
        { "resnet18",        2, true,  true },
        { "no_such_network", 1, true,  false},
        { "no_such_network", 2, false, false},
        { "no_such_network", 4, false, false},
    };
    struct ec_predictor *p = NULL;
    struct ec_csv csv = { 0 };
    struct ec_arena a = { 0 };
    struct ec_err err = { 0 };
    const char *why = "";
    struct ec_table t;
    int i;

    ec_scaling_table(&t);
    CHECK_OK(ec_csv_parse(csv_text, strlen(csv_text), &csv, &err));
    CHECK_OK(ec_predictor_new(&p, &err));
    CHECK_OK(ec_scaling_rows(p, &csv, &a, &t, &why, &err));
    CHECK_INT(ec_table_rows(&t), EC_LEN(want));
    for (i = 0; i < EC_LEN(want); i++) {
        CHECK_STR(cell(&t, i, MODEL)->v.text, want[i].model);
        CHECK_INT(cell(&t, i, RANKS)->v.i, want[i].ranks);
        CHECK((cell(&t, i, MEASURED)->kind != EC_CELL_NONE) == want[i].measured);
        CHECK((cell(&t, i, PREDICTED)->kind != EC_CELL_NONE) == want[i].predicted);
        CHECK((cell(&t, i, INSIDE)->kind != EC_CELL_NONE) ==
              (want[i].measured && want[i].predicted));
    }
    /* From the measured 5 ms of one process, by a law that adds little for so few parameters. */
    CHECK_NEAR(cell(&t, 1, PREDICTED)->v.num, 5.1e6, 0.1);
    CHECK_NEAR(cell(&t, 1, OFF)->v.num, cell(&t, 1, PREDICTED)->v.num / 5.2e6 - 1, 1e-9);
    CHECK(cell(&t, 1, INSIDE)->v.b);
    CHECK(!cell(&t, 3, INSIDE)->v.b);
    CHECK(strstr(why, "no_such_network") != NULL);
    ec_predictor_free(p);
    ec_table_clear(&t);
    ec_csv_clear(&csv);
    ec_arena_clear(&a);
}
