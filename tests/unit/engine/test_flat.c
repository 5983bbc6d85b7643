/* Flat arithmetic: losses against finite differences and closed forms, optimizers against their
 * definitions written out once more, the same bits on any number of threads. */
#include "engine/flat_host.h"
#include "test.h"

static struct ec_ctx one = { .threads = 1 }, four = { .threads = 4 };

static double noise(int i)
{
    return sin(i * 12.9898) * 2;
}

static double loss_of(struct ec_loss_job *j, enum ec_dtype t)
{
    struct ec_err err = { 0 };
    double loss = 0;

    j->ret_loss = &loss;
    CHECK_OK(ec_flat_host.loss(&one, t, j, &err));
    return loss;
}

/* Gradient of each element against central differences. */
static void check_gradient(struct ec_loss_job j, double *y, int n)
{
    double d[64], h = 1e-5;
    int i;

    j.y = y;
    j.scale = 1;
    j.d_y = d;
    (void)loss_of(&j, EC_DT_f64);
    j.d_y = NULL;
    for (i = 0; i < n; i++) {
        double old = y[i], up, down;

        y[i] = old + h;
        up = loss_of(&j, EC_DT_f64);
        y[i] = old - h;
        down = loss_of(&j, EC_DT_f64);
        y[i] = old;
        CHECK_NEAR(1 + (up - down) / (2 * h), 1 + d[i], 1e-8);
    }
}

TEST(loss_gradients_agree_with_finite_differences)
{
    const int64_t classes[4] = { 2, 0, -1, 1 };
    const int64_t pixels[6] = { 0, 1, 2, -5, 1, 0 };
    float targets[12];
    double y[36];
    int i, l;

    for (i = 0; i < 36; i++)
        y[i] = noise(i);
    for (i = 0; i < 12; i++)
        targets[i] = (float)(i % 3 == 0);
    check_gradient((struct ec_loss_job){ .loss = EC_LOSS_cross_entropy,
                                         .label_smoothing = 0.2,
                                         .rows = 4,
                                         .cols = 3,
                                         .target = classes },
                   y, 12);
    check_gradient(
        (struct ec_loss_job){
            .loss = EC_LOSS_cross_entropy, .rows = 6, .cols = 3, .inner = 3, .target = pixels },
        y, 18);
    for (l = EC_LOSS_bce; l < EC_LOSS_COUNT; l++)
        check_gradient(
            (struct ec_loss_job){
                .loss = (enum ec_loss)l, .delta = 0.7, .rows = 4, .cols = 3, .target = targets },
            y, 12);
}

TEST(cross_entropy_counts_and_leaves_rows_out)
{
    const float y[6] = { 1, 2, 3, 1, 0, 0 };
    const int64_t target[3] = { 1, 0, -1 };
    struct ec_err err = { 0 };
    int64_t correct = 0, counted = 0;
    struct ec_loss_job j = { .rows = 3,
                             .cols = 2,
                             .y = y,
                             .target = target,
                             .ret_correct = &correct,
                             .ret_counted = &counted };
    const int64_t bad[3] = { 1, 2, 0 };

    CHECK_NEAR(loss_of(&j, EC_DT_f32), (log1p(exp(-1)) + log1p(exp(-2))) / 2, 1e-6);
    CHECK_INT(correct, 2);
    CHECK_INT(counted, 2);
    j.target = bad;
    CHECK_FAILS(ec_flat_host.loss(&one, EC_DT_f32, &j, &err), EC_E_INPUT,
                "target of row 1 is class 2, there are 2");
}

/* The polynomial is as good as the library's function: a row of many classes. */
TEST(float_softmax_is_exact_to_rounding)
{
    enum { N = 1003 };
    float y[N], d[N];
    const int64_t target[1] = { 17 };
    struct ec_loss_job j = { .scale = 1, .rows = 1, .cols = N, .y = y, .target = target, .d_y = d };
    double sum = 0, worst = 0, loss;
    int i;

    for (i = 0; i < N; i++)
        y[i] = (float)(noise(i) * 8);
    for (i = 0; i < N; i++)
        sum += exp((double)y[i] - 16);
    loss = loss_of(&j, EC_DT_f32);
    CHECK_NEAR(loss, 16 + log(sum) - (double)y[17], 1e-6);
    for (i = 0; i < N; i++) {
        double want = exp((double)y[i] - 16) / sum - (i == 17);
        double off = fabs((double)d[i] - want) / (fabs(want) > 1e-30 ? fabs(want) : 1e-30);

        worst = off > worst ? off : worst;
    }
    CHECK(worst < 3e-6); /* a difference of 32 rounds to 2e-6 */
}

/* --- Optimizers --- */

struct opt_case {
    enum ec_optimizer o;
    bool nesterov;
    double decay;
};

/* The published update of one weight, in double. */
static void by_definition(const struct ec_update *u, double *w, double g, double *a, double *b)
{
    double t = (double)u->step, delta;

    if (u->optimizer == EC_OPT_adamw)
        *w *= 1 - u->lr * u->weight_decay;
    else
        g += u->weight_decay * *w;
    switch (u->optimizer) {
    case EC_OPT_sgd:
        *w -= u->lr * g;
        break;
    case EC_OPT_momentum:
        *a = u->momentum * *a + g;
        *w -= u->lr * (u->nesterov ? g + u->momentum * *a : *a);
        break;
    case EC_OPT_rmsprop:
        *a = u->alpha * *a + (1 - u->alpha) * g * g;
        *w -= u->lr * g / (sqrt(*a) + u->eps);
        break;
    case EC_OPT_adagrad:
        *a += g * g;
        *w -= u->lr * g / (sqrt(*a) + u->eps);
        break;
    case EC_OPT_adadelta:
        *a = u->alpha * *a + (1 - u->alpha) * g * g;
        delta = sqrt(*b + u->eps) / sqrt(*a + u->eps) * g;
        *b = u->alpha * *b + (1 - u->alpha) * delta * delta;
        *w -= u->lr * delta;
        break;
    default: /* adam, adamw */
        *a = u->beta1 * *a + (1 - u->beta1) * g;
        *b = u->beta2 * *b + (1 - u->beta2) * g * g;
        *w -= u->lr * (*a / (1 - pow(u->beta1, t))) / (sqrt(*b / (1 - pow(u->beta2, t))) + u->eps);
    }
}

static void check_optimizer(const struct opt_case *c, enum ec_dtype t)
{
    enum { N = 37 };
    double w[N], g[N], a[N] = { 0 }, b[N] = { 0 }, ww[N], wa[N] = { 0 }, wb[N] = { 0 };
    float fw[N], fg[N], fa[N] = { 0 }, fb[N] = { 0 };
    void *state[2] = { t == EC_DT_f64 ? (void *)a : fa, t == EC_DT_f64 ? (void *)b : fb };
    struct ec_update u = { c->o, 0.01, 0.9, 0.9, 0.999, 0.95, 1e-6, c->decay, c->nesterov, 0, 0.5 };
    int i;

    for (i = 0; i < N; i++) {
        ww[i] = w[i] = noise(i);
        fw[i] = (float)w[i];
    }
    for (u.step = 1; u.step <= 5; u.step++) {
        for (i = 0; i < N; i++) {
            g[i] = noise(i + 100 * (int)u.step);
            fg[i] = (float)g[i];
            by_definition(&u, &ww[i], g[i] * u.grad_scale, &wa[i], &wb[i]);
        }
        ec_flat_host.update(&one, t, &u, t == EC_DT_f64 ? (void *)w : fw,
                            t == EC_DT_f64 ? (const void *)g : fg, state, N);
    }
    for (i = 0; i < N; i++)
        CHECK_NEAR(t == EC_DT_f64 ? w[i] : (double)fw[i], ww[i], t == EC_DT_f64 ? 1e-11 : 2e-5);
}

TEST(optimizers_follow_their_definitions)
{
    static const struct opt_case cases[] = {
        {EC_OPT_sgd,       false, 0  },
        { EC_OPT_sgd,      false, 0.1},
        { EC_OPT_momentum, false, 0.1},
        { EC_OPT_momentum, true,  0.1},
        { EC_OPT_rmsprop,  false, 0.1},
        { EC_OPT_adam,     false, 0.1},
        { EC_OPT_adamw,    false, 0.1},
        { EC_OPT_adagrad,  false, 0.1},
        { EC_OPT_adadelta, false, 0.1},
    };
    int i;

    for (i = 0; i < EC_LEN(cases); i++) {
        check_optimizer(&cases[i], EC_DT_f64);
        check_optimizer(&cases[i], EC_DT_f32);
    }
}

TEST(threads_change_no_bit)
{
    enum { ROWS = 300, COLS = 1000 };
    size_t n = (size_t)ROWS * COLS;
    float *y = ec_alloc(n * sizeof *y), *d = ec_alloc(n * sizeof *d), *e = ec_alloc(n * sizeof *e);
    int64_t target[ROWS];
    double first = 0, second = 0;
    struct ec_err err = { 0 };
    struct ec_loss_job j = { .scale = 1, .rows = ROWS, .cols = COLS, .y = y, .target = target };
    int i;

    CHECK(y && d && e);
    for (i = 0; i < (int)n; i++)
        y[i] = (float)noise(i);
    for (i = 0; i < ROWS; i++)
        target[i] = i;
    j.ret_loss = &first;
    j.d_y = d;
    CHECK_OK(ec_flat_host.loss(&one, EC_DT_f32, &j, &err));
    j.ret_loss = &second;
    j.d_y = e;
    CHECK_OK(ec_flat_host.loss(&four, EC_DT_f32, &j, &err));
    CHECK_NEAR(second, first, 0);
    CHECK(!memcmp(d, e, n * sizeof *d));
    CHECK_NEAR(ec_flat_host.norm2(&four, EC_DT_f32, y, (int64_t)n),
               ec_flat_host.norm2(&one, EC_DT_f32, y, (int64_t)n), 0);
    ec_free(y);
    ec_free(d);
    ec_free(e);
}

TEST(bfloat16_adds_round_to_even)
{
    uint16_t acc[3] = { 0x3f80, 0x3f80, 0x7f80 }, x[3] = { 0x3b80, 0x3c00, 0xff80 };

    ec_flat_host.add(&one, EC_DT_bf16, acc, x, 3);
    CHECK_INT(acc[0], 0x3f80); /* 1 + 2^-8: half way, to even */
    CHECK_INT(acc[1], 0x3f81);
    CHECK((acc[2] & 0x7fff) > 0x7f80); /* not a number */
}
