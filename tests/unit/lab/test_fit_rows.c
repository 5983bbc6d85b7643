/* Rows of a fit, read from made-up tables: what each of them keeps, what they weigh, and which are
 * taken. */
#include "tables.h"

#include "lab/fit_internal.h"

struct world {
    struct tables t;
    char sub[96], networks[160];
    struct ec_fit_opts opts;
    struct ec_fit f;
};

static const char *const families[] = { "resnet18", "vgg16", "alexnet", "densenet121" };
static const int sizes[] = { 8, 16, 32 };
/* All sizes on the first device, all but the last on the second. */
enum { NETWORKS = EC_LEN(families) * (2 * EC_LEN(sizes) - 1) };

/* Beside single layers a table of networks on two devices. */
static bool make(struct world *w, double factor, int64_t max_rows, int64_t seed)
{
    static const char *const devices[] = { "T4", "V100" };
    struct ec_buf csv = EC_BUF_INIT;
    struct ec_err err = { 0 };
    int d, k, b;

    memset(w, 0, sizeof *w);
    if (!open_tables(&w->t, factor))
        return false;
    (void)snprintf(w->sub, sizeof w->sub, "%s/pytorch_gpu_benchmark", w->t.dir);
    (void)snprintf(w->networks, sizeof w->networks, "%s/torchvision.csv", w->sub);
    CHECK(mkdir(w->sub, 0700) == 0);
    ec_buf_str(&csv, "device,network,mode,batch_size_per_gpu,img_size,timed,series,precision,"
                     "num_gpus,time_ms\n");
    for (d = 0; d < EC_LEN(devices); d++)
        for (k = 0; k < EC_LEN(families); k++)
            for (b = 0; b < EC_LEN(sizes) - d; b++)
                ec_buf_printf(&csv, "%s,%s,x,%d,224,forward_backward,s,fp32,1,%.9g\n", devices[d],
                              families[k], sizes[b], factor * (k + 1) * (3 - d) * sizes[b]);
    CHECK_OK(ec_file_write(w->networks, csv.data, csv.len, &err));
    ec_buf_clear(&csv);
    w->opts = (struct ec_fit_opts){ .data_dir = w->t.dir, .seed = seed, .max_rows = max_rows };
    w->opts.threads = 1;
    w->f.opts = &w->opts;
    CHECK_OK(ec__fit_collect(&w->f, &err));
    return true;
}

static void clear(struct world *w)
{
    ec__fit_clear(&w->f);
    (void)unlink(w->networks);
    (void)rmdir(w->sub);
    close_tables(&w->t);
}

TEST(each_row_says_what_was_measured)
{
    static struct world w;
    int i, networks = 0, used = 0;

    if (!make(&w, 1, 1000, 1))
        return;
    for (i = 0; i < w.f.n_sources; i++)
        used += w.f.source[i].n_used;
    CHECK_INT(used, ROWS + NETWORKS);
    CHECK_INT(w.f.n_rows, ROWS + NETWORKS);
    for (i = 0; i < w.f.n_rows; i++) {
        const struct ec_fit_row *r = w.f.row[i];

        networks += !r->isolated;
        CHECK(r->time_ns > 0 && isfinite(r->time_ns) && r->weight > 0 && isfinite(r->weight));
        CHECK(r->step && r->step->n > 0);
        CHECK(r->device >= 0 && r->device < w.f.n_devices);
        CHECK(r->source >= 0 && r->source < w.f.n_sources);
        CHECK((r->op != NULL) == r->isolated && (r->network != 0) == !r->isolated);
        CHECK(*r->what && *r->family);
        CHECK(r->isolated || (r->batch >= 8 && r->batch <= 32));
    }
    CHECK_INT(networks, NETWORKS);
    clear(&w);
}

/* A host is a source's machine for a device: it has the rows that it should. */
TEST(hosts_have_their_rows)
{
    static struct world w;
    int i, h, rows = 0;

    if (!make(&w, 1, 1000, 1))
        return;
    CHECK_INT(w.f.n_hosts, 4); /* two sources, two devices */
    for (h = 0; h < w.f.n_hosts; h++) {
        int n = 0, networks = 0, waited = 0;

        for (i = 0; i < w.f.n_rows; i++) {
            const struct ec_fit_row *r = w.f.row[i];

            if (r->host != h)
                continue;
            n++;
            networks += !r->isolated;
            waited += r->waited;
            CHECK_INT(r->source, w.f.host[h].source);
            CHECK_INT(r->device, w.f.host[h].device);
            CHECK_INT(r->cond.framework, w.f.host[h].framework);
        }
        CHECK_INT(n, w.f.host[h].n_rows);
        CHECK_INT(networks, w.f.host[h].n_networks);
        CHECK_INT(waited, w.f.host[h].n_waited);
        rows += n;
    }
    CHECK_INT(rows, w.f.n_rows);
    clear(&w);
}

/* Devices are of a product, products of an architecture; the ranks are 0, 1 ... by rows. */
TEST(products_and_architectures_fit_each_other)
{
    static struct world w;
    int i, k, rows[8] = { 0 };

    if (!make(&w, 1, 1000, 1))
        return;
    for (i = 0; i < w.f.n_devices; i++) {
        CHECK(w.f.product_of[i] >= 0 && w.f.product_of[i] < w.f.n_products);
        CHECK_INT(w.f.product_arch[w.f.product_of[i]], w.f.arch_of[i]);
        CHECK(!w.f.arch_is_own[w.f.arch_of[i]]);
    }
    CHECK_INT(w.f.n_archs, 2);
    for (i = 0; i < w.f.n_rows; i++)
        rows[w.f.arch_of[w.f.row[i]->device] % 8]++;
    for (i = 0; i < w.f.n_archs; i++) {
        CHECK(w.f.arch_rank[i] >= 0 && w.f.arch_rank[i] < w.f.n_archs);
        for (k = 0; k < w.f.n_archs; k++)
            if (rows[i] > rows[k])
                CHECK(w.f.arch_rank[i] < w.f.arch_rank[k]);
        CHECK(w.f.arch_sources[i] >= 1 && w.f.arch_sources[i] <= w.f.n_sources);
    }
    clear(&w);
}

/* No device of a table drowns others, and families of networks weigh alike. */
TEST(rows_weigh_by_what_there_is_beside_them)
{
    double of_host[8] = { 0 }, of_family[EC_LEN(families)] = { 0 };
    static struct world w;
    int i, k;

    if (!make(&w, 1, 1000, 1))
        return;
    for (i = 0; i < w.f.n_rows; i++) {
        const struct ec_fit_row *r = w.f.row[i];

        of_host[r->host % 8] += r->reach_weight * r->reach_weight;
        CHECK(r->source_weight == (r->unsteady ? 0 : r->reach_weight));
        for (k = 0; k < EC_LEN(families); k++)
            if (!r->isolated && ec_str_eq(r->what, families[k]))
                of_family[k] += r->physics ? r->weight : 0;
    }
    for (i = 0; i < w.f.n_hosts; i++)
        CHECK_NEAR(of_host[i], 1, 1e-9);
    for (k = 0; k < EC_LEN(families); k++)
        CHECK_NEAR(of_family[k], of_family[0], 1e-9);
    CHECK(of_family[0] > 0);
    clear(&w);
}

/* A row that is in a small sample is in a larger one, and another seed takes others. */
TEST(samples_grow_and_seeds_differ)
{
    static struct world all, few, other;
    int i, n_few = 0, n_all = 0, differ = 0;

    if (!make(&all, 1, 1000, 1) || !make(&few, 1, 20, 1) || !make(&other, 1, 20, 2))
        return;
    for (i = 0; i < few.f.n_rows; i++) {
        const struct ec_fit_row *r = few.f.row[i];
        int k;

        for (k = 0; k < all.f.n_rows; k++)
            if (all.f.row[k]->id == r->id && all.f.row[k]->isolated == r->isolated &&
                ec_str_eq(all.f.row[k]->what, r->what))
                break;
        CHECK(k < all.f.n_rows && (all.f.row[k]->physics || !r->physics));
        n_few += r->physics && r->isolated;
        CHECK(r->few || !r->physics || !r->isolated);
    }
    for (i = 0; i < all.f.n_rows; i++)
        n_all += all.f.row[i]->physics && all.f.row[i]->isolated;
    CHECK_INT(n_all, ROWS);
    CHECK(n_few > 10 && n_few < ROWS / 2);
    for (i = 0; i < few.f.n_rows && i < other.f.n_rows; i++)
        differ += few.f.row[i]->physics != other.f.row[i]->physics;
    CHECK(differ > 0 || few.f.n_rows != other.f.n_rows);
    clear(&all);
    clear(&few);
    clear(&other);
}

static int count_physics(const struct ec_fit *f)
{
    int i, n = 0;

    for (i = 0; i < f->n_rows; i++)
        n += f->row[i]->physics;
    return n;
}

/* Each sample is about as large as the first, of other rows; all together they are more. */
TEST(folds_have_samples_of_their_own)
{
    static struct world w;
    unsigned draw;
    int i, first, n, same;

    if (!make(&w, 1, 20, 1))
        return;
    first = count_physics(&w.f);
    for (draw = 1; draw < EC_FIT_DRAWS; draw++) {
        ec__fit_take(&w.f, 1u << draw);
        n = count_physics(&w.f);
        CHECK(n > first / 2 && n < 2 * first);
        for (i = same = 0; i < w.f.n_rows; i++)
            same += w.f.row[i]->physics && w.f.row[i]->drawn & 1;
        CHECK(same < n);
    }
    ec__fit_take(&w.f, ~0u);
    CHECK(count_physics(&w.f) > first);
    ec__fit_take(&w.f, 1);
    CHECK_INT(count_physics(&w.f), first);
    clear(&w);
}

/* What takes twice as long is off by a factor of two more, in every way that errors are asked. */
TEST(errors_follow_the_measured_times)
{
    static struct world once, twice;
    double *x;
    int i;

    if (!make(&once, 1, 1000, 1) || !make(&twice, 2, 1000, 1))
        return;
    CHECK_INT(once.f.n_rows, twice.f.n_rows);
    CHECK_INT(ec__fit_params(&once.f), ec__fit_params(&twice.f));
    x = ec_alloc(sizeof *x * (size_t)ec__fit_params(&once.f));
    CHECK(x);
    for (i = 0; x && i < once.f.n_rows && i < twice.f.n_rows; i++) {
        const struct ec_fit_row *a = once.f.row[i], *b = twice.f.row[i];
        int as;

        CHECK(fabs(ec__fit_log_error(&once.f, x, i) - ec__fit_log_error(&twice.f, x, i) - log(2)) <
              1e-6);
        for (as = EC_FIT_AS_MEASURED; as <= EC_FIT_AS_ASKED; as++)
            CHECK(fabs(ec__fit_asked_error(&twice.f, x, b, (enum ec_fit_as)as) -
                       ec__fit_asked_error(&once.f, x, a, (enum ec_fit_as)as) - log(2)) < 1e-6);
    }
    ec_free(x);
    clear(&once);
    clear(&twice);
}

/* Each row has its features, all of them numbers, which do not hang on what was measured. */
TEST(features_do_not_know_the_answer)
{
    static struct world once, twice;
    double a[EC_FIT_COLUMNS] = { 0 }, b[EC_FIT_COLUMNS] = { 0 }, *x;
    int i, k;

    if (!make(&once, 1, 1000, 1) || !make(&twice, 2, 1000, 1))
        return;
    x = ec_alloc(sizeof *x * (size_t)ec__fit_params(&once.f));
    CHECK(x);
    for (i = 0; x && i < once.f.n_rows; i++) {
        int n = once.f.row[i]->op ? (int)EC_FEATURE_COUNT : (int)EC_NF_COUNT;

        CHECK(ec__fit_features(&once.f, x, once.f.row[i], a));
        CHECK(ec__fit_features(&twice.f, x, twice.f.row[i], b));
        for (k = 0; k < n; k++)
            if (!isfinite(a[k]) || a[k] != b[k])
                test_fail(__FILE__, __LINE__, "row %d: feature %d is %g and %g", i, k, a[k], b[k]);
    }
    ec_free(x);
    clear(&once);
    clear(&twice);
}
