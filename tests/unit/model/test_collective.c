/* Times of collectives: counts of hops and bytes, and what must hold for every GPU, size and number
 * of devices, whatever the constants are. */
#include "model/parallel.h"
#include "test.h"

#include <math.h>

/* Machines of 8 with links of 100 GB/s and 10 GB/s for each device between them. */
static struct ec_topology place(double devices)
{
    return (struct ec_topology){
        .devices = devices,
        .per_machine = 8,
        .inside = {.link = EC_LINK_nvlink, .bytes_per_s = 100e9},
        .network_bytes_per_s = 10e9
    };
}

/* Links at their nominal rates, and hops that take no time. */
static void plain(double v[EC_P_COUNT])
{
    memset(v, 0, sizeof *v * EC_P_COUNT);
    v[EC_P_share_nvlink] = v[EC_P_share_pcie] = v[EC_P_share_network] = v[EC_P_share_tree] = 1;
    v[EC_P_small] = v[EC_P_ramp] = v[EC_P_hop_send] = 1;
}

static double by(enum ec_algorithm a, enum ec_collective kind, double devices, double bytes,
                 const double *v)
{
    struct ec_topology at = place(devices);
    struct ec_collective_time t;

    ec_collective_by(a, kind, &at, bytes, v, &t);
    return t.ns;
}

/* The interval of a group has the prediction in it, and large messages vary least. */
TEST(collectives_that_are_off_alike)
{
    const struct ec_parallel_width *w = ec_parallel_fitted()->collective;
    struct ec_topology one = { .devices = 8, .per_machine = 8 }, two = one;
    int i;

    two.devices = 16;
    CHECK_INT(ec_collective_group(EC_COLLECTIVE_all_reduce, &one, 65536), EC_CG_IN_MACHINE);
    CHECK_INT(ec_collective_group(EC_COLLECTIVE_all_gather, &one, 65537), EC_CG_IN_MACHINE + 1);
    CHECK_INT(ec_collective_group(EC_COLLECTIVE_send, &one, 1e9), EC_CG_MACHINES - 1);
    CHECK_INT(ec_collective_group(EC_COLLECTIVE_send, &two, 1), EC_CG_MACHINES);
    CHECK(ec_collective_is_measured(EC_COLLECTIVE_all_reduce, &two));
    CHECK(ec_collective_is_measured(EC_COLLECTIVE_send, &one));
    CHECK(!ec_collective_is_measured(EC_COLLECTIVE_send, &two));
    CHECK(!ec_collective_is_measured(EC_COLLECTIVE_broadcast, &one));
    for (i = 0; i < EC_CG_COUNT; i++)
        CHECK(w[i].n >= 20 && w[i].lo < 0 && w[i].hi > 0 && w[i].most_devices >= 2);
    for (i = EC_CG_IN_MACHINE; i < EC_CG_SENDS - 1; i++)
        CHECK(w[i].hi - w[i].lo > w[i + 1].hi - w[i + 1].lo);
}

TEST(a_ring_moves_what_each_device_lacks)
{
    static const struct {
        enum ec_collective kind;
        double devices, ns; /* of 1e9 bytes at 100 GB/s */
    } rows[] = {
        {EC_COLLECTIVE_all_reduce,      2, 1e7   },
        { EC_COLLECTIVE_all_reduce,     4, 1.5e7 },
        { EC_COLLECTIVE_reduce_scatter, 4, 7.5e6 },
        { EC_COLLECTIVE_all_gather,     8, 8.75e6},
        { EC_COLLECTIVE_broadcast,      8, 1e7   },
        { EC_COLLECTIVE_send,           8, 1e7   },
    };
    double v[EC_P_COUNT];
    int i;

    plain(v);
    for (i = 0; i < EC_LEN(rows); i++) {
        struct ec_topology at = place(rows[i].devices);

        CHECK_NEAR(by(EC_ALGORITHM_ring, rows[i].kind, rows[i].devices, 1e9, v), rows[i].ns, 1e-9);
        CHECK_NEAR(ec_collective_ns(rows[i].kind, &at, 1e9, v), rows[i].ns, 1e-9);
    }
}

/* Latency alone: no bytes, a hop inside machines of 1 us and between them of 10 us. */
TEST(hops_are_counted)
{
    static const struct {
        enum ec_algorithm algorithm;
        enum ec_collective kind;
        double devices, ns;
    } rows[] = {
        {EC_ALGORITHM_ring,   EC_COLLECTIVE_all_reduce,     8,    14e3              },
        { EC_ALGORITHM_ring,  EC_COLLECTIVE_reduce_scatter, 8,    7e3               },
        { EC_ALGORITHM_ring,  EC_COLLECTIVE_send,           8,    1e3               },
        { EC_ALGORITHM_tree,  EC_COLLECTIVE_all_reduce,     8,    6e3               },
        { EC_ALGORITHM_tree,  EC_COLLECTIVE_broadcast,      8,    3e3               },
        { EC_ALGORITHM_ring,  EC_COLLECTIVE_all_reduce,     16,   2 * (14e3 + 10e3) },
        { EC_ALGORITHM_ring,  EC_COLLECTIVE_send,           16,   10e3              },
        { EC_ALGORITHM_rings, EC_COLLECTIVE_all_reduce,     64,   6e3 + 2 * 7 * 10e3},
        { EC_ALGORITHM_trees, EC_COLLECTIVE_all_reduce,     64,   6e3 + 2 * 3 * 10e3},
        { EC_ALGORITHM_trees, EC_COLLECTIVE_all_gather,     8192, 3e3 + 10 * 10e3   },
    };
    double v[EC_P_COUNT];
    int i;

    plain(v);
    v[EC_P_hop_nvlink_ns] = 1e3;
    v[EC_P_hop_network_ns] = 10e3;
    for (i = 0; i < EC_LEN(rows); i++)
        CHECK_NEAR(by(rows[i].algorithm, rows[i].kind, rows[i].devices, 0, v), rows[i].ns, 1e-9);
}

/* Between machines each of the 8 devices takes its eighth over its own network: 2 x 3/4 x 1/8 of
 * the bytes at 10 GB/s. */
TEST(machines_share_the_bytes_among_their_devices)
{
    double v[EC_P_COUNT];

    plain(v);
    CHECK_NEAR(by(EC_ALGORITHM_rings, EC_COLLECTIVE_all_reduce, 32, 1e9, v), 1.875e7, 1e-9);
    v[EC_P_share_network] = 0.5;
    CHECK_NEAR(by(EC_ALGORITHM_rings, EC_COLLECTIVE_all_reduce, 32, 1e9, v), 3.75e7, 1e-9);
    CHECK_NEAR(by(EC_ALGORITHM_rings, EC_COLLECTIVE_broadcast, 32, 1e9, v), 2.5e7, 1e-9);
    CHECK_NEAR(by(EC_ALGORITHM_ring, EC_COLLECTIVE_send, 32, 1e9, v), 2e8, 1e-9);
}

TEST(algorithms_are_where_they_can_be)
{
    struct ec_topology at = place(8);
    struct ec_collective_time t;
    double v[EC_P_COUNT];

    plain(v);
    CHECK(isinf(by(EC_ALGORITHM_rings, EC_COLLECTIVE_all_reduce, 8, 1e6, v)));
    CHECK(isinf(by(EC_ALGORITHM_trees, EC_COLLECTIVE_all_reduce, 8, 1e6, v)));
    CHECK(isinf(by(EC_ALGORITHM_tree, EC_COLLECTIVE_all_reduce, 16, 1e6, v)));
    CHECK(isinf(by(EC_ALGORITHM_in_switch, EC_COLLECTIVE_all_reduce, 8, 1e6, v)));
    at.inside.reduces = true;
    ec_collective_time(EC_COLLECTIVE_all_reduce, &at, 1e9, v, &t);
    CHECK_INT(t.algorithm, EC_ALGORITHM_in_switch); /* each byte is sent once, not 1.75 times */
    CHECK_NEAR(t.ns, 1e7 * 8 / 7, 1e-9);
    ec_collective_time(EC_COLLECTIVE_all_gather, &at, 1e9, v, &t);
    CHECK_INT(t.algorithm, EC_ALGORITHM_ring);
}

/* Of few bytes the tree is faster, of many the ring; what is taken is the faster. */
TEST(the_fastest_is_taken)
{
    struct ec_topology at = place(8);
    struct ec_collective_time few, many;
    double v[EC_P_COUNT];

    plain(v);
    v[EC_P_share_tree] = 0.5;
    v[EC_P_hop_nvlink_ns] = 1e3;
    ec_collective_time(EC_COLLECTIVE_all_reduce, &at, 1e3, v, &few);
    ec_collective_time(EC_COLLECTIVE_all_reduce, &at, 1e9, v, &many);
    CHECK_INT(few.algorithm, EC_ALGORITHM_tree);
    CHECK_INT(many.algorithm, EC_ALGORITHM_ring);
    CHECK_NEAR(few.latency_ns, 6e3, 1e-9);
    CHECK_NEAR(many.bus_bytes_per_s, 100e9, 0.01);
}

/* The ramp of bandwidth: none of it for latencies that a small message has in full. */
TEST(a_small_message_has_a_part_of_the_latency)
{
    struct ec_topology at = place(2);
    double v[EC_P_COUNT];

    plain(v);
    v[EC_P_launch_ns] = 5e3;
    v[EC_P_hop_nvlink_ns] = 10e3;
    v[EC_P_small] = 0.25;
    v[EC_P_ramp] = 0.5;
    CHECK_NEAR(ec_collective_ns(EC_COLLECTIVE_send, &at, 0, v), 5e3 + 2.5e3, 1e-9);
    CHECK_NEAR(ec_collective_ns(EC_COLLECTIVE_send, &at, 5e5, v), 5e3 + 2.5e3 + 5e3 + 7.5e3 / 2,
               1e-9); /* transfer = ramp x latency */
    CHECK_NEAR(ec_collective_ns(EC_COLLECTIVE_send, &at, 1e12, v), 1e10, 1e-4);
}

/* --- With the constants that ship --- */

static const double *shipped(void)
{
    return ec_parallel_fitted()->v;
}

static const double sizes[] = { 0, 1, 1e3, 65536, 1e6, 25.0 * 1048576, 1e9, 16e9 };
/* Also numbers that fill no machine. */
static const double counts[] = { 1,  2,  3,   4,   5,    7,    8,     9,     12,     16,
                                 17, 64, 100, 256, 1000, 4096, 16384, 65536, 1 << 20 };

/* The first GPU of the catalogue from *at on. */
static bool each_gpu(int *at, struct ec_topology *ret, const char **ret_key)
{
    const struct ec_device *const *all;
    struct ec_topology_wish wish = { .devices = 8 };
    struct ec_err err = { 0 };
    int n;

    all = ec_devices(&n);
    for (; *at < n && all[*at]->kind != EC_DEV_GPU; ++*at)
        continue;
    if (*at >= n)
        return false;
    CHECK_OK(ec_device_topology(all[*at], &wish, ret, &err));
    *ret_key = all[*at]->key;
    return true;
}

/* Only a switch that adds up has more to give to more devices. */
TEST(more_devices_and_more_bytes_take_no_less_time)
{
    struct ec_topology at;
    const char *key;
    int i, k, c, s;

    for (i = 0; each_gpu(&i, &at, &key); i++)
        for (k = 0; k < EC_COLLECTIVE_COUNT; k++)
            for (c = 1; c < EC_LEN(counts); c++)
                for (s = 0; s < EC_LEN(sizes); s++) {
                    struct ec_topology fewer = at, more = at;
                    double ns, less, small;

                    fewer.devices = counts[c - 1];
                    more.devices = counts[c];
                    ns = ec_collective_ns((enum ec_collective)k, &more, sizes[s], shipped());
                    less = ec_collective_ns((enum ec_collective)k, &fewer, sizes[s], shipped());
                    small =
                        s ? ec_collective_ns((enum ec_collective)k, &more, sizes[s - 1], shipped())
                          : 0;
                    if (!(isfinite(ns) && ns > 0 &&
                          ns >= less * (at.inside.reduces ? 0.85 : 0.9999999) && ns >= small))
                        test_fail(__FILE__, __LINE__,
                                  "%s on %g x %s: %g bytes take %g ns; %g on %g devices, %g for "
                                  "fewer bytes",
                                  ec_collective_names[k], counts[c], key, sizes[s], ns, less,
                                  counts[c - 1], small);
                }
}

/* So throughput does not fall, even of a job that does little else. Not from one machine to two:
 * their network may be much slower than their links. */
TEST(twice_the_devices_take_at_most_about_twice_the_time)
{
    struct ec_topology at;
    const char *key;
    int i, s;
    double n;

    for (i = 0; each_gpu(&i, &at, &key); i++)
        for (s = 0; s < EC_LEN(sizes); s++)
            for (n = 2; n <= 1 << 19; n *= 2) {
                struct ec_topology one = at, two = at;
                double a, b;

                one.devices = n;
                two.devices = 2 * n;
                if (ec_topology_machines(&one) <= 1 && ec_topology_machines(&two) > 1)
                    continue;
                a = ec_collective_ns(EC_COLLECTIVE_all_reduce, &one, sizes[s], shipped());
                b = ec_collective_ns(EC_COLLECTIVE_all_reduce, &two, sizes[s], shipped());
                if (b > (sizes[s] < 1e7 ? 2.1 : 2) * a)
                    test_fail(__FILE__, __LINE__, "%s, %g bytes: %g ns on %g, %g ns on %g", key,
                              sizes[s], a, n, b, 2 * n);
            }
}

/* Latency grows with the logarithm of the number of devices, and bandwidth has a floor. */
TEST(a_million_devices_are_sane)
{
    struct ec_topology at;
    const char *key;
    int i;

    for (i = 0; each_gpu(&i, &at, &key); i++) {
        struct ec_topology most = at, two = at;
        double latency, ratio;

        most.devices = 1 << 20;
        two.devices = 2 * at.per_machine;
        latency = ec_collective_ns(EC_COLLECTIVE_all_reduce, &most, 4, shipped());
        ratio = ec_collective_ns(EC_COLLECTIVE_all_reduce, &most, 1e9, shipped()) /
                ec_collective_ns(EC_COLLECTIVE_all_reduce, &two, 1e9, shipped());
        if (latency > 5e6 || ratio > 4)
            test_fail(__FILE__, __LINE__, "%s: latency %g ns, %g times as long as two machines",
                      key, latency, ratio);
    }
}

TEST(nothing_is_faster_than_its_latency_or_its_links)
{
    struct ec_topology at;
    const char *key;
    int i, c, s;

    for (i = 0; each_gpu(&i, &at, &key); i++)
        for (c = 1; c < EC_LEN(counts); c++)
            for (s = 0; s < EC_LEN(sizes); s++) {
                struct ec_collective_time t;
                double most = at.inside.bytes_per_s * (at.inside.reduces ? 2 : 1);

                at.devices = counts[c];
                ec_collective_time(EC_COLLECTIVE_all_reduce, &at, sizes[s], shipped(), &t);
                if (ec_topology_machines(&at) > 1) /* of few machines, each byte crosses once */
                    most = 2 * ec_topology_inside(&at) * at.network_bytes_per_s;
                if (t.ns < t.latency_ns || t.latency_ns < shipped()[EC_P_launch_ns] ||
                    t.bus_bytes_per_s > most)
                    test_fail(__FILE__, __LINE__,
                              "%g x %s, %g bytes: %g ns, latency %g ns, %g B/s of %g", counts[c],
                              key, sizes[s], t.ns, t.latency_ns, t.bus_bytes_per_s, most);
            }
}

TEST(a_faster_network_or_link_takes_no_more_time)
{
    int k, s;

    for (k = 0; k < EC_COLLECTIVE_COUNT; k++)
        for (s = 0; s < EC_LEN(sizes); s++) {
            struct ec_topology slow = place(64), fast = place(64);

            fast.network_bytes_per_s *= 2;
            CHECK(ec_collective_ns((enum ec_collective)k, &fast, sizes[s], shipped()) <=
                  ec_collective_ns((enum ec_collective)k, &slow, sizes[s], shipped()));
            fast.inside.bytes_per_s *= 2;
            CHECK(ec_collective_ns((enum ec_collective)k, &fast, sizes[s], shipped()) <=
                  ec_collective_ns((enum ec_collective)k, &slow, sizes[s], shipped()));
        }
}

/* A reduce-scatter and an all-gather are an all-reduce, but for one launch. */
TEST(halves_of_an_all_reduce)
{
    struct ec_topology at = place(64);
    double half = ec_collective_ns(EC_COLLECTIVE_reduce_scatter, &at, 1e9, shipped());

    CHECK_NEAR(half, ec_collective_ns(EC_COLLECTIVE_all_gather, &at, 1e9, shipped()), 1e-12);
    CHECK_NEAR(2 * half, ec_collective_ns(EC_COLLECTIVE_all_reduce, &at, 1e9, shipped()), 0.01);
}

TEST(one_device_reduces_nothing)
{
    struct ec_topology at = place(1);
    struct ec_collective_time t;
    int k;

    for (k = 0; k < EC_COLLECTIVE_COUNT; k++) {
        ec_collective_time((enum ec_collective)k, &at, 1e9, shipped(), &t);
        CHECK(t.ns == 0 && t.latency_ns == 0 && t.bus_bytes_per_s == 0);
    }
}

/* Machines of one device have no link inside. */
TEST(machines_of_one_device)
{
    struct ec_topology at = place(64);
    double v[EC_P_COUNT];

    plain(v);
    at.per_machine = 1;
    CHECK_NEAR(ec_collective_ns(EC_COLLECTIVE_all_reduce, &at, 1e9, v), 2e8 * 63 / 64, 1e-9);
    CHECK_NEAR(ec_collective_ns(EC_COLLECTIVE_all_gather, &at, 1e9, v), 1e8 * 63 / 64, 1e-9);
}
