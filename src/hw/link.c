/* How devices reach each other, in a machine and between machines, and how fast, from the words of
 * the catalogue. PCI Express: payload of a lane in one direction after line coding (PCI-SIG base
 * specifications: 8b/10b for generations 1 and 2, 128b/130b from 3 on). */
#include "hw/hw.h"

#include <math.h>
#include <string.h>

const char *const ec_link_names[] = {
#define LINK_NAME(id, name) name,
    EC_LINK_LIST(LINK_NAME)
#undef LINK_NAME
        NULL
};

static const double lane_bytes_per_s[] = { 0, 250e6, 500e6, 984.6e6, 1969e6, 3938e6, 7563e6 };

/* What the host slot of a device without such words is taken for. */
#define USUAL_GENERATION 3
#define USUAL_LANES 16

/* "pcie4 x16": lanes may be missing. */
static double host_rate(const struct ec_device *d, bool *ret_assumed)
{
    struct ec_span lanes = ec_span_of(d->host_link ? d->host_link : ""), slot = { NULL, 0 };
    int64_t generation = 0, n = USUAL_LANES;

    (void)ec_span_cut(&lanes, 'x', &slot);
    slot = ec_span_trim(slot);
    *ret_assumed = slot.len < 5 || memcmp(slot.p, "pcie", 4) != 0 ||
                   !ec_parse_int((struct ec_span){ slot.p + 4, slot.len - 4 }, &generation) ||
                   generation < 1 || generation >= EC_LEN(lane_bytes_per_s) ||
                   (lanes.len && (!ec_parse_int(ec_span_trim(lanes), &n) || n < 1));
    return *ret_assumed ? lane_bytes_per_s[USUAL_GENERATION] * USUAL_LANES
                        : lane_bytes_per_s[generation] * (double)n;
}

/* The switches of NVLink 4 and later add up (NVIDIA, "H100 Tensor Core GPU Architecture"). */
static bool switch_reduces(const struct ec_device *d)
{
    return d->link && strstr(d->link, "nvswitch") && memcmp(d->link, "nvlink", 6) == 0 &&
           d->link[6] >= '4' && d->link[6] <= '9';
}

/* "nvlink4 bridge (2-4 gpus)" joins up to four, "bridge" alone two; `comes` with the board:
 * "nvlink4 with bridge (2 gpus)". 0: none. */
static int64_t bridge_of(const struct ec_device *d, bool *ret_comes)
{
    const char *bridge = d->link ? strstr(d->link, "bridge") : NULL, *gpus;

    *ret_comes = bridge && strstr(d->link, "with bridge");
    gpus = bridge ? strstr(bridge, " gpus") : NULL;
    if (!bridge)
        return 0;
    return gpus && gpus[-1] >= '2' && gpus[-1] <= '9' ? gpus[-1] - '0' : 2;
}

enum ec_status ec_device_reach(const struct ec_device *d, enum ec_link want, int64_t devices,
                               struct ec_reach *ret, struct ec_err *err)
{
    bool own = d->link_bytes_per_s.src != EC_SRC_NONE && d->link_bytes_per_s.value > 0;
    struct ec_reach r = { .link = want };
    bool comes;
    int64_t joined = bridge_of(d, &comes);

    if (want == EC_LINK_auto)
        r.link = !own || (joined && !comes) ? EC_LINK_pcie
                 : joined                   ? EC_LINK_bridge
                                            : EC_LINK_nvlink;
    if (r.link != EC_LINK_pcie && !own)
        return ec_fail(err, EC_E_UNSUPPORTED,
                       "%s has no link between devices in the catalogue: take --interconnect pcie, "
                       "or give link_bytes_per_s with --set",
                       d->key);
    if (r.link == EC_LINK_bridge)
        r.joined = joined ? joined : 2;
    if (devices > r.joined && r.joined)
        r.link = EC_LINK_pcie; /* a ring leaves the bridges */
    r.reduces = r.link == EC_LINK_nvlink && switch_reduces(d);
    r.bytes_per_s = r.link == EC_LINK_pcie ? host_rate(d, &r.assumed)
                                           : d->link_bytes_per_s.value / 2; /* both directions */
    *ret = r;
    return EC_OK;
}

/* What is assumed where the catalogue has no machine of a device, by its form factor: an adapter of
 * 10 Gb/s, of 200 Gb/s for each module, of 100 Gb/s for eight cards. The last row is for any. */
static const struct {
    const char *form_factor;
    int64_t devices;
    double network_bytes_per_s; /* of one device */
} assumed[] = {
    {"cpu",        1, 1.25e9  },
    { "laptop",    1, 1.25e9  },
    { "superchip", 1, 25e9    },
    { "sxm5",      8, 25e9    },
    { "oam",       8, 25e9    },
    { "module",    8, 25e9    },
    { "",          8, 1.5625e9},
};

static int assumed_row(const struct ec_device *d)
{
    int i = 0;

    while (i + 1 < EC_LEN(assumed) && !ec_str_eq(d->form_factor, assumed[i].form_factor))
        i++;
    return i;
}

static bool known(const struct ec_qty *q)
{
    return q->src != EC_SRC_NONE && q->value > 0;
}

static int64_t usual_devices(const struct ec_device *d)
{
    return known(&d->machine_devices) ? (int64_t)d->machine_devices.value
                                      : assumed[assumed_row(d)].devices;
}

static double usual_network(const struct ec_device *d)
{
    return known(&d->network_bytes_per_s) ? d->network_bytes_per_s.value / 2 /* both directions */
                                          : assumed[assumed_row(d)].network_bytes_per_s;
}

double ec_topology_machines(const struct ec_topology *t)
{
    return ceil(t->devices / t->per_machine);
}

double ec_topology_inside(const struct ec_topology *t)
{
    return fmin(t->devices, t->per_machine);
}

enum ec_status ec_device_topology(const struct ec_device *d, const struct ec_topology_wish *wish,
                                  struct ec_topology *ret, struct ec_err *err)
{
    int64_t per_machine = wish->per_machine > 0 ? wish->per_machine : usual_devices(d);
    double network = wish->network_bytes_per_s;
    struct ec_topology t = { .devices = (double)(wish->devices > 1 ? wish->devices : 1),
                             .per_machine = (double)per_machine,
                             .network_bytes_per_s = network > 0 ? network : usual_network(d) };

    EC_PASS(ec_device_reach(d, wish->link, (int64_t)ec_topology_inside(&t), &t.inside, err));
    if (t.inside.joined && t.inside.link == EC_LINK_pcie)
        EC_PASS(ec_device_reach(d, EC_LINK_bridge, t.inside.joined, &t.bridged, err));
    *ret = t;
    return EC_OK;
}
