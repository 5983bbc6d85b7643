/* The table of data sets: rows are whole, names find them. */
#include "test.h"

#include "dataset/dataset.h"

static const struct ec_dataset *find(const char *name)
{
    struct ec_err err = { 0 };
    const struct ec_dataset *d = NULL;

    CHECK_OK(ec_dataset_find(name, &d, &err));
    return d;
}

static void check_row(const struct ec_dataset *d)
{
    int64_t i;

    CHECK(d->key && d->name && d->source);
    CHECK(d->train > 0 && d->val >= 0 && d->test >= 0 && d->classes >= 0);
    CHECK((unsigned)d->kind < EC_SAMPLE_KIND_COUNT);
    CHECK(d->rank >= 0 && d->rank <= EC_LEN(d->shape));
    for (i = 0; d->kind == EC_SAMPLE_IMAGE && i < d->rank; i++)
        CHECK(d->shape[i] > 0);
}

TEST(every_row_is_whole_and_found_by_its_names)
{
    const struct ec_dataset *all;
    const char *const *alias;
    int n, i;

    all = ec_datasets(&n);
    CHECK(n >= 30);
    for (i = 0; i < n; i++) {
        check_row(&all[i]);
        CHECK(find(all[i].key) == &all[i]);
        for (alias = all[i].aliases; alias && *alias; alias++)
            CHECK(find(*alias) == &all[i]);
    }
}

TEST(counts_are_the_published_ones)
{
    CHECK_INT(find("imagenet")->train, 1281167);
    CHECK_INT(find("CIFAR-10")->train, 50000);
    CHECK_INT(find("cifar_100")->classes, 100);
    CHECK_INT(find("PatchCamelyon")->train, 262144);
    CHECK_INT(find("WikiText-103")->train, 103227021);
    CHECK_INT(find("ILSVRC 2012")->val, 50000);
    CHECK_INT(find("pcam")->shape[1], 96);
}

TEST(unknown_names_get_a_hint)
{
    struct ec_err err = { 0 };
    const struct ec_dataset *d = NULL;

    CHECK_FAILS(ec_dataset_find("cifar11", &d, &err), EC_E_NOT_FOUND, "\"cifar10\"");
    CHECK_FAILS(ec_dataset_find("", &d, &err), EC_E_NOT_FOUND, "no data set \"\"");
    CHECK(d == NULL);
}
