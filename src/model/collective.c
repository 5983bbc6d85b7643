/* Times of collectives, by the fastest of the algorithms that NCCL has.
 *
 * Each is a latency (hops) and a transfer (bytes over a rate). A large message pays the full
 * latency of every hop, because it is cut into pieces that are acknowledged; a small one is sent
 * with its flags, and pays a share of it. Between them the time is
 *
 *     launch + small * latency + transfer + (1 - small) * latency * transfer / (transfer + half)
 *
 * with half = ramp * latency: the bandwidth that is seen rises smoothly with the message.
 *
 * Sources: R. Thakur et al., "Optimization of Collective Communication Operations in MPICH" (2005);
 * P. Sanders et al., "Two-tree algorithms for full bandwidth broadcast" (2009). */
#include "model/parallel.h"

#include <assert.h>
#include <math.h>

const char *const ec_collective_names[] = {
#define COLLECTIVE_NAME(id, word) word,
    EC_COLLECTIVE_LIST(COLLECTIVE_NAME)
#undef COLLECTIVE_NAME
        NULL
};
const char *const ec_algorithm_names[] = {
#define ALGORITHM_NAME(id, word, said) word,
    EC_ALGORITHM_LIST(ALGORITHM_NAME)
#undef ALGORITHM_NAME
        NULL
};
const char *const ec_algorithm_said[] = {
#define ALGORITHM_SAID(id, word, said) said,
    EC_ALGORITHM_LIST(ALGORITHM_SAID)
#undef ALGORITHM_SAID
        NULL
};

/* An all-reduce is a reduce-scatter and an all-gather. scattered: a device needs to send only what
 * it does not keep. */
static const struct {
    double rounds;
    bool scattered;
} kinds[] = {
    [EC_COLLECTIVE_all_reduce] = {2,  true },
      [EC_COLLECTIVE_reduce_scatter] = { 1, true },
    [EC_COLLECTIVE_all_gather] = { 1, true },
      [EC_COLLECTIVE_all_to_all] = { 1, true },
    [EC_COLLECTIVE_broadcast] = { 1, false},
      [EC_COLLECTIVE_send] = { 1, false},
};

/* n devices, or machines, that reach each other alike. */
struct level {
    double n, bytes_per_s, hop_ns;
    bool reduces;
};
struct cost {
    double latency_ns, transfer_ns;
};

static double ring_bytes(enum ec_collective kind, double n, double bytes)
{
    assert(n > 1 && bytes >= 0);
    return kinds[kind].rounds * bytes * (kinds[kind].scattered ? (n - 1) / n : 1);
}

static double time_of(const struct cost *c, const double *v)
{
    double half = v[EC_P_ramp] * c->latency_ns;
    double more = (1 - fmin(v[EC_P_small], 1)) * c->latency_ns * c->transfer_ns;

    return v[EC_P_launch_ns] + fmin(v[EC_P_small], 1) * c->latency_ns + c->transfer_ns +
           (more > 0 ? more / (c->transfer_ns + half) : 0);
}

/* An algorithm that is not possible somewhere takes for ever there. */
static const struct cost never = { 0, (double)INFINITY };

static struct cost ring(enum ec_collective kind, const struct level *l, double bytes)
{
    return (struct cost){ kinds[kind].rounds * (l->n - 1) * l->hop_ns,
                          ring_bytes(kind, l->n, bytes) / l->bytes_per_s * 1e9 };
}

/* Two trees of half the bytes each: every device sends as much as in a ring, in few hops. */
static struct cost tree(enum ec_collective kind, const struct level *l, double bytes,
                        const double *v)
{
    double rate = l->bytes_per_s * fmin(v[EC_P_share_tree], 1);

    return (struct cost){ kinds[kind].rounds * log2(l->n) * l->hop_ns,
                          ring_bytes(kind, l->n, bytes) / rate * 1e9 };
}

/* Every device sends each byte to the switch once, and receives the sum once. The fewer they are,
 * the less of the switch they can use: that is why four are slower than eight. */
static struct cost in_switch(enum ec_collective kind, const struct level *l, double bytes)
{
    double rate = l->bytes_per_s * (l->n - 1) / l->n;

    if (!l->reduces || kind != EC_COLLECTIVE_all_reduce)
        return never;
    return (struct cost){ 2 * log2(l->n) * l->hop_ns, bytes / rate * 1e9 };
}

static struct cost among(enum ec_algorithm a, enum ec_collective kind, const struct level *l,
                         double bytes, const double *v)
{
    if (l->n <= 1)
        return (struct cost){ 0 };
    return a == EC_ALGORITHM_ring   ? ring(kind, l, bytes)
           : a == EC_ALGORITHM_tree ? tree(kind, l, bytes, v)
                                    : in_switch(kind, l, bytes);
}

static struct cost cheapest(enum ec_collective kind, const struct level *l, double bytes,
                            const double *v)
{
    static const enum ec_algorithm all[] = { EC_ALGORITHM_ring, EC_ALGORITHM_tree,
                                             EC_ALGORITHM_in_switch };
    struct cost best = never;
    int i;

    for (i = 0; i < EC_LEN(all); i++) {
        struct cost c = among(all[i], kind, l, bytes, v);

        if (time_of(&c, v) < time_of(&best, v))
            best = c;
    }
    return best;
}

static struct level inside_of(const struct ec_topology *at, double n, const double *v)
{
    struct level l = { .n = n, .reduces = at->inside.reduces };

    if (at->inside.link == EC_LINK_nvlink) {
        l.bytes_per_s = at->inside.bytes_per_s * fmin(v[EC_P_share_nvlink], 1);
        l.hop_ns = v[EC_P_hop_nvlink_ns];
    } else if (at->inside.link == EC_LINK_bridge) {
        l.bytes_per_s = at->inside.bytes_per_s * fmin(v[EC_P_share_bridge], 1);
        l.hop_ns = v[EC_P_hop_nvlink_ns];
    } else {
        l.bytes_per_s = at->inside.bytes_per_s * fmin(v[EC_P_share_pcie], 1) *
                        pow(2 / fmax(l.n, 2), v[EC_P_crowd_pcie]);
        l.hop_ns = v[EC_P_hop_pcie_ns];
    }
    return l;
}

/* A ring through all devices, which enters and leaves each machine once. */
static struct cost ring_of_all(enum ec_collective kind, double devices, const struct level *inside,
                               const struct level *between, double bytes)
{
    double out = inside->n * between->bytes_per_s;
    struct level all = { .n = devices,
                         .bytes_per_s = inside->n > 1 ? fmin(inside->bytes_per_s, out) : out };
    struct cost c = ring(kind, &all, bytes);

    c.latency_ns = kinds[kind].rounds *
                   ((devices - between->n) * inside->hop_ns + (between->n - 1) * between->hop_ns);
    return c;
}

/* Inside machines each device gets a part of the bytes, which it takes between machines over its
 * own share of the network; the two overlap. */
static struct cost by_levels(enum ec_algorithm a, enum ec_collective kind,
                             const struct level *inside, const struct level *between, double bytes,
                             const double *v)
{
    struct cost in = cheapest(kind, inside, bytes, v);
    struct cost out = among(a, kind, between, bytes / inside->n, v);

    return (struct cost){ in.latency_ns + out.latency_ns, fmax(in.transfer_ns, out.transfer_ns) };
}

/* From one device to another: nothing is added up on the way. */
static struct cost one_hop(const struct level *l, double bytes, const double *v)
{
    return (struct cost){ v[EC_P_hop_send] * l->hop_ns, bytes / l->bytes_per_s * 1e9 };
}

/* Each device has a part for each other one. All of them leave it by its own link, those for other
 * machines by its share of the network as well. */
static struct cost to_all(double devices, const struct level *inside, const struct level *between,
                          double bytes)
{
    double own = bytes * (devices - 1) / devices / inside->bytes_per_s;
    double far = bytes * (devices - inside->n) / devices / between->bytes_per_s;
    double hop = between->n > 1 ? between->hop_ns : inside->hop_ns;

    return (struct cost){ log2(devices) * hop, fmax(own, between->n > 1 ? far : 0) * 1e9 };
}

static struct cost cost_of(enum ec_algorithm a, enum ec_collective kind,
                           const struct ec_topology *at, double bytes, const double *v)
{
    bool send = kind == EC_COLLECTIVE_send;
    struct level inside = inside_of(at, send ? 2 : ec_topology_inside(at), v);
    struct level between = { .n = ec_topology_machines(at),
                             .bytes_per_s =
                                 at->network_bytes_per_s * fmin(v[EC_P_share_network], 1),
                             .hop_ns = v[EC_P_hop_network_ns] };

    if (send)
        return a == EC_ALGORITHM_ring ? one_hop(between.n > 1 ? &between : &inside, bytes, v)
                                      : never;
    if (kind == EC_COLLECTIVE_all_to_all)
        return a == EC_ALGORITHM_ring ? to_all(at->devices, &inside, &between, bytes) : never;
    if (a == EC_ALGORITHM_rings || a == EC_ALGORITHM_trees)
        return between.n <= 1
                   ? never
                   : by_levels(a == EC_ALGORITHM_rings ? EC_ALGORITHM_ring : EC_ALGORITHM_tree,
                               kind, &inside, &between, bytes, v);
    if (between.n <= 1)
        return among(a, kind, &inside, bytes, v);
    return a == EC_ALGORITHM_ring ? ring_of_all(kind, at->devices, &inside, &between, bytes)
                                  : never;
}

void ec_collective_by(enum ec_algorithm a, enum ec_collective kind, const struct ec_topology *at,
                      double bytes, const double v[EC_P_COUNT], struct ec_collective_time *ret)
{
    struct ec_collective_time t = { .algorithm = a };
    struct cost c;

    if (at->devices > 1) {
        c = cost_of(a, kind, at, bytes, v);
        t.ns = time_of(&c, v);
        t.bus_bytes_per_s = ring_bytes(kind, at->devices, bytes) / t.ns * 1e9;
        c.transfer_ns = 0;
        t.latency_ns = time_of(&c, v);
    }
    *ret = t;
}

int ec_collective_group(enum ec_collective kind, const struct ec_topology *at, double bytes)
{
    static const double up_to[EC_COLLECTIVE_SIZES - 1] = { 0x1p16, 0x1p20, 0x1p24 };
    int size = 0;

    if (ec_topology_machines(at) > 1)
        return EC_CG_MACHINES;
    while (size < EC_LEN(up_to) && bytes > up_to[size])
        size++;
    return (kind == EC_COLLECTIVE_send ? EC_CG_SENDS : EC_CG_IN_MACHINE) + size;
}

bool ec_collective_is_measured(enum ec_collective kind, const struct ec_topology *at)
{
    return kind == EC_COLLECTIVE_all_reduce ||
           (kind == EC_COLLECTIVE_send && ec_topology_machines(at) <= 1);
}

void ec_collective_time(enum ec_collective kind, const struct ec_topology *at, double bytes,
                        const double v[EC_P_COUNT], struct ec_collective_time *ret)
{
    struct ec_collective_time best, t;
    int a;

    ec_collective_by(EC_ALGORITHM_ring, kind, at, bytes, v, &best);
    for (a = EC_ALGORITHM_ring + 1; a < EC_ALGORITHM_COUNT; a++) {
        ec_collective_by((enum ec_algorithm)a, kind, at, bytes, v, &t);
        if (t.ns < best.ns)
            best = t;
    }
    *ret = best;
}

double ec_collective_ns(enum ec_collective kind, const struct ec_topology *at, double bytes,
                        const double v[EC_P_COUNT])
{
    struct ec_collective_time t;

    ec_collective_time(kind, at, bytes, v, &t);
    return t.ns;
}
