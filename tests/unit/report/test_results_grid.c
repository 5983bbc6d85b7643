/* Configurations in a report: which is fastest, which regressor is best, what fits into a budget of
 * time; each sentence against the rows that it was made of. */
#define DIR "test-results-grid"
#include "results_dir.h"

#include "cost/cost.h"
#include "graph/graph.h"

#define HEAD                                                                                       \
    "config,model,data,depth,base_filters,batch_size,num_params,time_per_epoch,dataset_size,"      \
    "train_loss,test_accuracy\n"

static const int depths[] = { 1, 2, 3 }, filters[] = { 8, 16, 32 }, batches[] = { 16, 32 };
enum { CONFIGS = EC_LEN(depths) * EC_LEN(filters) * EC_LEN(batches) };

struct config {
    int depth, filters, batch;
    double params, time_s;
};

static double params_of(int depth, int base_filters)
{
    struct ec_graph *g = NULL;
    struct ec_totals t = { 0 };
    char name[64];
    struct ec_err err;

    (void)snprintf(name, sizeof name, "cifar_cnn:depth=%d,base_filters=%d", depth, base_filters);
    CHECK_OK(ec_graph_open(name, NULL, &g, &err));
    CHECK_OK(ec_cost_graph(g, EC_OPT_none, 4, &t, NULL, &err));
    ec_graph_free(g);
    return t.params;
}

static void make_configs(struct config *ret)
{
    struct ec_rng rng;
    int i;

    ec_rng_seed(&rng, 3);
    for (i = 0; i < CONFIGS; i++) {
        struct config *c = &ret[i];

        c->depth = depths[i % 3];
        c->filters = filters[i / 3 % 3];
        c->batch = batches[i / 9];
        c->params = params_of(c->depth, c->filters);
        c->time_s = 1 + 0.001 * c->depth * c->filters * c->filters + 8.0 / c->batch +
                    0.05 * ec_rng_unit(&rng);
    }
}

static void put_grid(const struct config *c, int n, double loss)
{
    struct ec_buf text = EC_BUF_INIT;
    int i;

    ec_buf_str(&text, HEAD);
    for (i = 0; i < n; i++)
        ec_buf_printf(&text, "c%d,cifar_cnn,synthetic,%d,%d,%d,%.0f,%.9g,640,%g,0.25\n", i,
                      c[i].depth, c[i].filters, c[i].batch, c[i].params, c[i].time_s, loss);
    put("configs.csv", ec_buf_text(&text));
    ec_buf_clear(&text);
}

static void the_fastest_and_the_slowest_configuration(const struct config *c,
                                                      const struct report *r)
{
    const char *text;
    int i, fast = 0, slow = 0;
    char want[200];

    for (i = 0; i < CONFIGS; i++) {
        fast = c[i].time_s < c[fast].time_s ? i : fast;
        slow = c[i].time_s > c[slow].time_s ? i : slow;
    }
    text = ec_buf_text(&r->markdown);
    (void)snprintf(want, sizeof want, "depth %d with %d filters at batch %d is fastest (",
                   c[fast].depth, c[fast].filters, c[fast].batch);
    CHECK_NEAR(number_after(text, want), c[fast].time_s, 6e-3);
    (void)snprintf(want, sizeof want, "depth %d with %d filters at batch %d slowest (",
                   c[slow].depth, c[slow].filters, c[slow].batch);
    CHECK_NEAR(number_after(text, want), c[slow].time_s, 6e-3);
}

/* Of two batches the factor is the geometric mean over pairs of rows. */
static void twice_the_batch_has_a_factor(const struct config *c, const struct report *r)
{
    double sum = 0;
    const char *text = strstr(ec_buf_text(&r->markdown), "an epoch in configs.csv takes");
    char want[80];
    int i;

    for (i = 0; i < CONFIGS / 2; i++)
        sum += log(c[i + CONFIGS / 2].time_s / c[i].time_s);
    (void)snprintf(want, sizeof want, " %.2f times as long with twice the batch.",
                   exp(sum / (CONFIGS / 2)));
    CHECK(text != NULL);
    CHECK_HAS(text ? text : "", want);
}

/* --- Regressors --- */

struct fitted {
    const char *name;
    double mae, mse, ape, total, mean;
    int n;
};

/* Errors of a regressor, out of the sheet of its predictions. */
static void errors_of(const struct ec_csv *fit, const char *family, struct fitted *ret)
{
    int i;

    *ret = (struct fitted){ .name = family };
    for (i = 0; i < fit->n_rows; i++)
        if (ec_str_eq(word_at(fit, i, "family"), family)) {
            double t = number_at(fit, i, "measured"), p = number_at(fit, i, "predicted");

            ret->n++;
            ret->mean += t;
            ret->total += t * t;
            ret->mae += fabs(p - t);
            ret->mse += (p - t) * (p - t);
            ret->ape += fabs(p / t - 1);
        }
    ret->total -= ret->mean * ret->mean / ret->n;
}

/* What is shown has three digits, or four decimals, or two of percent. */
static void regressors_are_judged_by_what_they_had_not_seen(const struct report *r)
{
    struct ec_csv fit, shown;
    double best = 1e9;
    const char *best_name = "";
    char want[200], mae[32];
    int i;

    read_table("tables/fit-configs.csv", &fit);
    shown_table(ec_buf_text(&r->markdown), "regressor", &shown);
    CHECK(shown.n_rows >= 2);
    CHECK_INT(fit.n_rows, shown.n_rows * CONFIGS);
    for (i = 0; i < shown.n_rows; i++) {
        struct fitted e;

        errors_of(&fit, word_at(&shown, i, "regressor"), &e);
        CHECK_INT(e.n, CONFIGS);
        CHECK_INT(number_at(&shown, i, "rows"), CONFIGS);
        CHECK(fabs(number_at(&shown, i, "MAE (s/epoch)") - e.mae / e.n) <
              6e-4 + 6e-3 * e.mae / e.n);
        CHECK(fabs(number_at(&shown, i, "RMSE (s/epoch)") - sqrt(e.mse / e.n)) <
              6e-4 + 6e-3 * sqrt(e.mse / e.n));
        CHECK(fabs(number_at(&shown, i, "R\xc2\xb2") - (1 - e.mse / e.total)) < 1e-4);
        CHECK(fabs(number_at(&shown, i, "MAPE (%)") - 100 * e.ape / e.n) < 0.0051);
        if (e.mae / e.n < best) {
            best = e.mae / e.n;
            best_name = e.name;
        }
    }
    (void)snprintf(want, sizeof want,
                   "in configs.csv is predicted best by %s: MAE %s per epoch, "
                   "R\xc2\xb2 ",
                   best_name, ec_fmt_ns(mae, sizeof mae, best * 1e9));
    CHECK_HAS(ec_buf_text(&r->markdown), want);
    ec_csv_clear(&fit);
    ec_csv_clear(&shown);
}

/* Each row is tested once by each regressor, as it was measured. */
static void each_configuration_is_tested_once(const struct config *c)
{
    struct ec_csv fit;
    int i, k;

    read_table("tables/fit-configs.csv", &fit);
    for (i = 0; i < CONFIGS; i++) {
        int n = 0;

        for (k = 0; k < fit.n_rows; k++)
            n += fabs(number_at(&fit, k, "measured") / c[i].time_s - 1) < 1e-7;
        CHECK_INT(n, fit.n_rows / CONFIGS);
    }
    for (k = 0; k < fit.n_rows; k++)
        CHECK_STR(word_at(&fit, k, "quantity"), "time_s");
    ec_csv_clear(&fit);
}

/* --- Within a budget --- */

static bool is_among(const int *v, int n, double x)
{
    int i;

    for (i = 0; i < n; i++)
        if (fabs(v[i] - x) < 0.5)
            return true;
    return false;
}

static const struct config *measured_as(const struct config *c, const struct ec_csv *t, int row)
{
    int i;

    for (i = 0; i < CONFIGS; i++)
        if (fabs(c[i].depth - number_at(t, row, "depth")) < 0.5 &&
            fabs(c[i].filters - number_at(t, row, "base filters")) < 0.5 &&
            fabs(c[i].batch - number_at(t, row, "batch")) < 0.5)
            return &c[i];
    return NULL;
}

static void a_budget_holds_what_fits_into_it(const struct config *c, const struct report *r)
{
    static const int between[] = { 8, 12, 16, 32 };
    double times[CONFIGS], budget, middle;
    struct ec_csv t;
    int i, measured = 0, inside = 0;
    char want[80];

    for (i = 0; i < CONFIGS; i++)
        times[i] = c[i].time_s;
    middle = quantile_of(times, CONFIGS, 0.5);
    budget = number_after(ec_buf_text(&r->markdown), "Configurations within ");
    CHECK(budget >= middle && budget <= middle * 1.11); /* two digits, upwards */
    shown_table(ec_buf_text(&r->markdown), "depth", &t);
    CHECK(t.n_rows > 5);
    for (i = 0; i < t.n_rows; i++) {
        double p05 = number_at(&t, i, "5 % (s/epoch)"), p50 = number_at(&t, i, "median (s/epoch)");
        double p95 = number_at(&t, i, "95 % (s/epoch)"), m = number_at(&t, i, "measured (s/epoch)");
        const struct config *same = measured_as(c, &t, i);

        CHECK(p05 <= p50 && p50 <= p95 && p50 <= budget * 1.005);
        CHECK(!i || number_at(&t, i - 1, "median (s/epoch)") <= p50);
        CHECK_NEAR(number_at(&t, i, "images/s"), 640 / p50, 1.2e-2);
        CHECK(is_among(depths, EC_LEN(depths), number_at(&t, i, "depth")));
        CHECK(is_among(between, EC_LEN(between), number_at(&t, i, "base filters")));
        CHECK(is_among(batches, EC_LEN(batches), number_at(&t, i, "batch")));
        CHECK_INT(isfinite(m), same != NULL);
        if (!same)
            continue;
        measured++;
        inside += m >= p05 && m <= p95;
        CHECK_NEAR(m, same->time_s, 6e-3);
    }
    CHECK(measured && t.n_rows < 27); /* all are shown */
    (void)snprintf(want, sizeof want, "Of the %d that were run, %d took a time", measured, inside);
    CHECK_HAS(ec_buf_text(&r->markdown), want);
    ec_csv_clear(&t);
}

/* The largest network of the table is the one that the finding names. */
static void the_largest_network_within_the_budget(const struct report *r)
{
    struct ec_csv t;
    const char *text;
    int i, best = 0;
    char want[160];

    text = ec_buf_text(&r->markdown);
    shown_table(text, "depth", &t);
    for (i = 0; i < t.n_rows; i++)
        best = number_at(&t, i, "parameters") > number_at(&t, best, "parameters") ? i : best;
    (void)snprintf(want, sizeof want,
                   "the largest network of the family in configs.csv has depth %s with %s filters, "
                   "at batch %s: ",
                   word_at(&t, best, "depth"), word_at(&t, best, "base filters"),
                   word_at(&t, best, "batch"));
    CHECK_NEAR(number_after(text, want), number_at(&t, best, "median (s/epoch)"), 1e-2);
    ec_csv_clear(&t);
}

/* Cross-validation takes seconds: what is checked of it is checked of one report. */
TEST(a_grid_of_configurations)
{
    struct config c[CONFIGS];
    struct report r;

    make_configs(c);
    begin();
    put_grid(c, CONFIGS, 1.5);
    report(NULL, &r);
    holds_of_every_report(&r, "configs.csv", "");
    the_fastest_and_the_slowest_configuration(c, &r);
    twice_the_batch_has_a_factor(c, &r);
    regressors_are_judged_by_what_they_had_not_seen(&r);
    each_configuration_is_tested_once(c);
    a_budget_holds_what_fits_into_it(c, &r);
    the_largest_network_within_the_budget(&r);
    report_clear(&r);
    end();
}

/* --- Runs that learned nothing --- */

/* Of few configurations no regressor is fitted, which takes seconds. */
enum { FEW = 3 };

TEST(guesses_are_counted)
{
    static const struct {
        double loss;
        bool guesses;
    } rows[] = {
        {2.3026, true }, /* log 10 */
        { 2.4,   true },
        { 2.25,  false},
        { 0.1,   false},
    };
    struct config c[CONFIGS];
    int i;

    make_configs(c);
    for (i = 0; i < EC_LEN(rows); i++) {
        struct report r;

        begin();
        put_grid(c, FEW, rows[i].loss);
        report(NULL, &r);
        if (rows[i].guesses) {
            CHECK_HAS(ec_buf_text(&r.markdown), "3 of 3 runs ended at the training loss of "
                                                "random answers among 10 classes, 2.303");
            CHECK_HAS(ec_buf_text(&r.markdown), "In configs.csv 3 of 3 runs learned nothing");
        } else {
            CHECK(!strstr(ec_buf_text(&r.markdown), "learned nothing"));
        }
        CHECK_HAS(ec_buf_text(&r.markdown), "The images are made up (synthetic) of the shape of");
        report_clear(&r);
        end();
    }
}

/* --- Few configurations --- */

/* Too few to fit say so; one alone is neither fastest nor slowest. */
TEST(few_configurations)
{
    struct config c[CONFIGS];
    int n;

    make_configs(c);
    for (n = 1; n <= 4; n++) {
        struct report r;

        begin();
        put_grid(c, n, 1.5);
        report(NULL, &r);
        holds_of_every_report(&r, "configs.csv", "");
        CHECK_HAS(ec_buf_text(&r.markdown), "## Configurations: configs.csv");
        CHECK_INT(strstr(ec_buf_text(&r.markdown), " is fastest (") != NULL, n > 1);
        CHECK_INT(strstr(ec_buf_text(&r.markdown), "No regressor was fitted: ") != NULL ||
                      strstr(ec_buf_text(&r.markdown), "### Regressors") != NULL,
                  true);
        report_clear(&r);
        end();
    }
}

/* Times that are none: the table stands, and nothing is said or drawn of times. */
TEST(a_grid_without_times)
{
    struct config c[CONFIGS];
    struct report r;
    int i;

    make_configs(c);
    for (i = 0; i < CONFIGS; i++)
        c[i].time_s = 0;
    begin();
    put_grid(c, CONFIGS, 1.5);
    report(NULL, &r);
    CHECK_HAS(ec_buf_text(&r.markdown), "## Configurations: configs.csv");
    CHECK(!strstr(ec_buf_text(&r.markdown), "is fastest"));
    CHECK(!strstr(ec_buf_text(&r.markdown), "Within a budget"));
    holds_of_every_report(&r, "configs.csv", "");
    report_clear(&r);
    end();
}
