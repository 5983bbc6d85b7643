/* How long a step of ResNet-50 takes, at batches that double until the memory is full.
 *
 *     cc predict.c $(pkg-config --cflags --libs epochcast) -o predict && ./predict a100-sxm4-40gb
 */
#include <epochcast/epochcast.h>

#include <stdio.h>

static enum ec_status ask(struct ec_predictor *p, const char *device, long batch,
                          struct ec_prediction *ret, struct ec_err *err)
{
    struct ec_predict_opts opts;
    enum ec_status st;

    ec_predict_opts_default(&opts);
    opts.batch = batch;
    st = ec_predict_opts_set(&opts, "precision", "amp", err);
    return st ? st : ec_predict_network(p, "resnet50", device, &opts, ret, err);
}

int main(int argc, char **argv)
{
    const char *device = argc > 1 ? argv[1] : "t4";
    struct ec_predictor *p = NULL;
    struct ec_prediction r;
    struct ec_err err;
    enum ec_status st = ec_predictor_new(&p, &err);
    long batch;

    for (batch = 8; !st && batch <= 1 << 16; batch *= 2) {
        st = ask(p, device, batch, &r, &err);
        if (st || !r.fits)
            break;
        (void)printf("batch %5ld: %7.1f ms (90 %%: %.1f to %.1f), %6.0f samples/s\n", batch,
                     r.step_time_ns.p50 / 1e6, r.step_time_ns.p05 / 1e6, r.step_time_ns.p95 / 1e6,
                     r.samples_per_s.p50);
    }
    if (st)
        (void)fprintf(stderr, "%s\n", err.text);
    ec_predictor_free(p);
    return st != EC_OK;
}
