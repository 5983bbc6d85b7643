/* How the devices of one machine reach each other, and how fast, from the words of the catalogue.
 * PCI Express: payload of a lane in one direction after line coding (PCI-SIG base specifications:
 * 8b/10b for generations 1 and 2, 128b/130b from 3 on). */
#include "hw/hw.h"

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

enum ec_status ec_device_reach(const struct ec_device *d, enum ec_link want, int64_t devices,
                               struct ec_reach *ret, struct ec_err *err)
{
    bool own = d->link_bytes_per_s.src != EC_SRC_NONE && d->link_bytes_per_s.value > 0;
    bool bridged = own && d->link && strstr(d->link, "bridge");
    struct ec_reach r = { .link = want };

    if (want == EC_LINK_auto)
        r.link = own && !bridged ? EC_LINK_nvlink : EC_LINK_pcie;
    if (r.link != EC_LINK_pcie && !own)
        return ec_fail(err, EC_E_UNSUPPORTED,
                       "%s has no link between devices in the catalogue: take --interconnect pcie, "
                       "or give link_bytes_per_s with --set",
                       d->key);
    if (r.link == EC_LINK_bridge && devices > 2)
        r.link = EC_LINK_pcie; /* bridges join pairs: a ring leaves them */
    r.bytes_per_s = r.link == EC_LINK_pcie ? host_rate(d, &r.assumed)
                                           : d->link_bytes_per_s.value / 2; /* both directions */
    *ret = r;
    return EC_OK;
}
