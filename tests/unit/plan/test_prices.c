/* Prices of machines, and SkyPilot's catalogue. */
#include "test.h"

#include "plan/plan.h"

static void write_file(const char *path, const char *text)
{
    struct ec_err err = { 0 };

    CHECK_OK(ec_file_write(path, text, strlen(text), &err));
}

static double usd_of(const struct ec_prices *p, const char *key)
{
    const struct ec_device *d = NULL;
    const struct ec_price *found;
    struct ec_err err = { 0 };

    CHECK_OK(ec_device_find(key, &d, &err));
    found = ec_price_of(p, d, NULL);
    return found ? found->usd_per_hour : 0;
}

TEST(a_price_of_a_machine_is_that_of_its_devices)
{
    struct ec_prices p;
    struct ec_arena a = { 0 };
    struct ec_err err = { 0 };

    CHECK_OK(ec_prices_read("p5.48xlarge=80,h100-sxm5-80gb=12,a100-sxm4-80gb=2", &p, &a, &err));
    CHECK_NEAR(usd_of(&p, "p5.48xlarge"), 10, 1e-12);
    CHECK_NEAR(usd_of(&p, "h100-sxm5-80gb"), 10, 1e-12); /* in whatever machine it is cheapest */
    CHECK_NEAR(usd_of(&p, "dgx-h100"), 12, 1e-12);       /* has no price of its own */
    CHECK_NEAR(usd_of(&p, "a2-ultragpu-8g"), 2, 1e-12);
    CHECK_NEAR(usd_of(&p, "t4"), 0, 1e-12);
    ec_arena_clear(&a);
}

TEST(a_machine_is_paid_whole)
{
    struct ec_predict_opts o;
    struct ec_prices p;
    struct ec_arena a = { 0 };
    struct ec_err err = { 0 };
    const struct ec_device *d = NULL;

    ec_predict_opts_default(&o);
    CHECK_OK(ec_prices_read("p5.48xlarge=80,h100-sxm5-80gb=12", &p, &a, &err));
    CHECK_OK(ec_device_find("p5.48xlarge", &d, &err));
    CHECK_NEAR(ec_price_each(ec_price_of(&p, d, &o), &o), 80, 1e-12);
    o.devices = 12; /* of 16 */
    CHECK_NEAR(ec_price_each(ec_price_of(&p, d, &o), &o), 160. / 12, 1e-12);
    o.devices = 8;
    CHECK_NEAR(ec_price_each(ec_price_of(&p, d, &o), &o), 10, 1e-12);
    o.devices_per_machine = 4;
    CHECK_NEAR(ec_price_each(ec_price_of(&p, d, &o), &o), 20, 1e-12);
    CHECK_OK(ec_device_find("h100-sxm5-80gb", &d, &err)); /* cheaper than most of a machine */
    CHECK_NEAR(ec_price_each(ec_price_of(&p, d, &o), &o), 12, 1e-12);
    ec_arena_clear(&a);
}

#define FILE_NAME "skypilot-prices.csv"
TEST(a_catalogue_of_skypilot_is_read)
{
    const struct ec_device *d = NULL;
    struct ec_prices p;
    struct ec_arena a = { 0 };
    struct ec_err err = { 0 };

    write_file(FILE_NAME,
               "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,GPUInfo,Price,"
               "SpotPrice,Region,AvailabilityZone\n"
               "m5.large,,,2.0,8.0,,0.096,0.04,us-east-1,us-east-1a\n"
               "g4dn.12xlarge,T4,4.0,48.0,192.0,\"{'Gpus': [{'Name': 'T4'}]}\",3.912,1.2,us-east-1,"
               "us-east-1a\n"
               "inf1.xlarge,Inferentia,1.0,4.0,8.0,,0.228,,us-east-1,us-east-1a\n"
               "p4d.24xlarge,A100,8.0,96.0,1152.0,,32.8,,us-east-1,us-east-1b\n"
               "nothing,T4,1.0,4.0,8.0,,,,us-east-1,us-east-1a\n");
    CHECK_OK(ec_prices_read(FILE_NAME, &p, &a, &err));
    CHECK_INT(p.n, 3);
    CHECK_INT(p.n_unknown, 1);
    CHECK_STR(p.unknown, "Inferentia");
    CHECK_OK(ec_device_find("t4", &d, NULL));
    CHECK_NEAR(usd_of(&p, "t4"), 0.3, 1e-12);
    CHECK_INT(ec_price_of(&p, d, NULL)->kind, EC_PRICE_SPOT);
    CHECK_STR(ec_price_of(&p, d, NULL)->source, "g4dn.12xlarge");
    CHECK_STR(ec_price_of(&p, d, NULL)->region, "us-east-1");
    CHECK_INT(ec_prices_keep(&p, EC_PRICE_ON_DEMAND, &d, 1), EC_PRICE_ON_DEMAND);
    CHECK_NEAR(usd_of(&p, "t4"), 0.978, 1e-12);
    CHECK_NEAR(usd_of(&p, "a100-sxm4-40gb"), 4.1, 1e-12);
    write_file(FILE_NAME, "AcceleratorName,AcceleratorCount,Price,SpotPrice\nT4,none,1,\n");
    CHECK_FAILS(ec_prices_read(FILE_NAME, &p, &a, &err), EC_E_INPUT, "count: found \"none\"");
    (void)remove(FILE_NAME);
    ec_arena_clear(&a);
}
