/* Whole commands in a program that has set a locale with a decimal comma: what they print and write
 * is what it is in any other. */
#include "capture.h"
#include "comma.h"
#include "scratch.h"

/* clang-format off */
static const struct {
    const char *words, *file; /* file: that it writes; NULL: none */
} rows[] = {
    { "predict resnet18 --device t4,a100 --samples 1000 --epochs 3 --usd-per-hour 0.75", NULL },
    { "predict resnet18 --device t4 --explain", NULL },
    { "predict resnet18 --device t4 --csv --set memory_bytes_per_s=2.5e11", NULL },
    { "predict resnet18 --device t4 --json --loader 8x10.5ms", NULL },
    { "model lenet5", NULL },
    { "model lenet5 --write net.json", "net.json" },
    { "device show t4 --json", NULL },
    { "evaluate networks.csv", NULL },
    { "evaluate networks.csv --csv", NULL },
    { "fit table --table grid.csv --network= --features width,batch_size --family linear "
      "--save fit.model", "fit.model" },
    { "whatif --table grid.csv --network= --features width,batch_size width=24.5 "
      "batch_size=20", NULL },
    { "roofline lenet5 --device t4 --out roof.svg", "roof.svg" },
    { "plot bars networks.csv --x device --y step_time_ms --out bars.svg", "bars.svg" },
    { "train mnist_cnn --data synthetic:train=16,test=8,noise=0.5 --batch 8 --epochs 1 --lr 0.01 "
      "--backend ref --threads 1 --max-iters 1 --checkpoint ck", NULL },
    { "measure layers --backend sim --op relu --count 3 --seed 1 --out rows.csv", NULL },
};
/* clang-format on */

static void add_file(const struct ec_file *f, struct ec_buf *out)
{
    ec_buf_add(out, f->data, f->len);
}

/* What the n-th command says and writes; the status alone of those whose times differ. */
static void run(int n, struct ec_buf *out)
{
    bool timed = ec_str_starts(rows[n].words, "train") || ec_str_starts(rows[n].words, "measure");
    struct ec_file f = { 0 };
    struct ec_err err = { 0 };
    struct done d;

    epochcast(rows[n].words, &d);
    ec_buf_printf(out, "status %d\n", d.status);
    if (!timed) {
        add_file(&d.out, out);
        add_file(&d.err, out);
    }
    done_clear(&d);
    if (!rows[n].file)
        return;
    CHECK_OK(ec_file_open(rows[n].file, 1 << 20, &f, &err));
    add_file(&f, out);
    ec_file_close(&f);
}

TEST(commands_say_the_same)
{
    struct ec_buf want[EC_LEN(rows)] = { 0 }, seen = EC_BUF_INIT;
    struct scratch s;
    bool has_comma;
    int i;

    (void)setenv("HWLOC_HIDE_ERRORS", "2", 1);
    scratch_begin(&s);
    scratch_networks("networks.csv");
    scratch_grid("grid.csv");
    for (i = 0; i < EC_LEN(rows); i++) {
        run(i, &want[i]);
        CHECK_HAS(ec_buf_text(&want[i]), "status 0");
    }
    has_comma = comma_begin();
    for (i = 0; has_comma && i < EC_LEN(rows); i++) {
        ec_buf_reset(&seen);
        (void)remove("rows.csv");
        run(i, &seen);
        CHECK_STR(ec_buf_text(&seen), ec_buf_text(&want[i]));
    }
    comma_end();
    for (i = 0; i < EC_LEN(rows); i++)
        ec_buf_clear(&want[i]);
    ec_buf_clear(&seen);
    scratch_end(&s);
}
