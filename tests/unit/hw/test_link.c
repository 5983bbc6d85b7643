/* How devices reach each other, inside a machine and between machines. */
#include "hw/hw.h"
#include "test.h"

#include <math.h>

static const struct ec_device *device(const char *key)
{
    const struct ec_device *d = NULL;
    struct ec_err err = { 0 };

    CHECK_OK(ec_device_find(key, &d, &err));
    return d;
}

TEST(links_of_devices)
{
    static const struct {
        const char *device;
        enum ec_link want;
        int64_t devices;
        enum ec_link link;
        double bytes_per_s;
        bool reduces;
    } rows[] = {
        {"a100-sxm4-40gb",  EC_LINK_auto,   8, EC_LINK_nvlink, 300e9,   false},
        { "h100-sxm5-80gb", EC_LINK_auto,   8, EC_LINK_nvlink, 450e9,   true },
        { "h100-sxm5-80gb", EC_LINK_pcie,   8, EC_LINK_pcie,   63.0e9,  false},
        { "b200",           EC_LINK_auto,   8, EC_LINK_nvlink, 900e9,   true },
        { "v100-sxm3-32gb", EC_LINK_auto,   8, EC_LINK_nvlink, 150e9,   false},
        { "rtx3090",        EC_LINK_auto,   2, EC_LINK_pcie,   31.5e9,  false},
        { "rtx3090",        EC_LINK_bridge, 2, EC_LINK_bridge, 56.25e9, false},
        { "rtx3090",        EC_LINK_bridge, 4, EC_LINK_pcie,   31.5e9,  false},
        { "h200-nvl-141gb", EC_LINK_auto,   4, EC_LINK_bridge, 450e9,   false},
        { "h200-nvl-141gb", EC_LINK_auto,   8, EC_LINK_pcie,   63.0e9,  false},
        { "h100-nvl-94gb",  EC_LINK_auto,   4, EC_LINK_pcie,   63.0e9,  false},
        { "t4",             EC_LINK_auto,   4, EC_LINK_pcie,   15.75e9, false},
        { "mi300x",         EC_LINK_auto,   8, EC_LINK_nvlink, 448e9,   false},
    };
    struct ec_reach reach;
    struct ec_err err = { 0 };
    int i;

    for (i = 0; i < EC_LEN(rows); i++) {
        CHECK_OK(
            ec_device_reach(device(rows[i].device), rows[i].want, rows[i].devices, &reach, &err));
        CHECK_INT(reach.link, rows[i].link);
        CHECK_NEAR(reach.bytes_per_s, rows[i].bytes_per_s, 0.01);
        CHECK_INT(reach.reduces, rows[i].reduces);
    }
    CHECK_INT(ec_device_reach(device("t4"), EC_LINK_nvlink, 2, &reach, &err), EC_E_UNSUPPORTED);
    CHECK_HAS(err.text, "pcie");
}

static struct ec_topology topology(const char *key, int64_t devices, int64_t per_machine,
                                   double network)
{
    struct ec_topology_wish wish = { devices, per_machine, EC_LINK_auto, network };
    struct ec_topology t = { 0 };
    struct ec_err err = { 0 };

    CHECK_OK(ec_device_topology(device(key), &wish, &t, &err));
    return t;
}

TEST(a_machine_is_that_of_the_catalogue)
{
    struct ec_topology t = topology("a100-sxm4-80gb", 20, 0, 0);

    CHECK_NEAR(t.per_machine, 8, 0);
    CHECK_NEAR(ec_topology_machines(&t), 3, 0);
    CHECK_NEAR(ec_topology_inside(&t), 8, 0);
    CHECK_NEAR(t.network_bytes_per_s, 25e9, 1e-9); /* 200 Gb/s, one direction */
    t = topology("v100-sxm3-32gb", 16, 0, 0);
    CHECK_NEAR(ec_topology_machines(&t), 1, 0);
    t = topology("a100-sxm4-80gb", 3, 0, 0);
    CHECK_NEAR(ec_topology_inside(&t), 3, 0);
    t = topology("a100-sxm4-80gb", 0, 0, 0);
    CHECK_NEAR(t.devices, 1, 0);
}

TEST(a_machine_may_be_given)
{
    struct ec_topology t = topology("a100-sxm4-80gb", 20, 4, 12.5e9);

    CHECK_NEAR(ec_topology_machines(&t), 5, 0);
    CHECK_NEAR(t.network_bytes_per_s, 12.5e9, 1e-12);
}

/* What counts is how many are in a machine, and in a group of one. */
TEST(a_bridge_serves_machines_of_two)
{
    struct ec_topology_wish wish = { 8, 2, EC_LINK_bridge, 0 };
    struct ec_topology t = { 0 };
    struct ec_err err = { 0 };

    CHECK_OK(ec_device_topology(device("rtx3090"), &wish, &t, &err));
    CHECK_INT(t.inside.link, EC_LINK_bridge);
    wish.per_machine = 4;
    CHECK_OK(ec_device_topology(device("rtx3090"), &wish, &t, &err));
    CHECK_INT(t.inside.link, EC_LINK_pcie);
    CHECK_INT(t.bridged.link, EC_LINK_bridge); /* of groups of two */
    CHECK_INT(t.bridged.joined, 2);
    wish.link = EC_LINK_pcie;
    CHECK_OK(ec_device_topology(device("rtx3090"), &wish, &t, &err));
    CHECK_INT(t.bridged.joined, 0);
    wish.link = EC_LINK_nvlink;
    CHECK_FAILS(ec_device_topology(device("t4"), &wish, &t, &err), EC_E_UNSUPPORTED,
                "no link between devices");
}

TEST(every_device_has_a_machine_and_a_network)
{
    const struct ec_device *const *all;
    int n, i;

    all = ec_devices(&n);
    for (i = 0; i < n; i++) {
        struct ec_topology t = topology(all[i]->key, 1 << 14, 0, 0);

        if (!(t.per_machine >= 1 && t.per_machine <= 256 && t.network_bytes_per_s >= 1e9 &&
              t.network_bytes_per_s <= 1e12 && isfinite(t.inside.bytes_per_s)))
            test_fail(__FILE__, __LINE__, "%s: %g devices in a machine, %g B/s between machines",
                      all[i]->key, t.per_machine, t.network_bytes_per_s);
    }
}
