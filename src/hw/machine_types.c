/* Machines: devices of the catalogue with as many in a machine, and such a network, as the rows of
 * data/machines.csv say. */
#include "hw/device_internal.h"

#include <pthread.h>

#include "machines_file.h"

EC_EMBED(machines, EC_MACHINES_FILE);

static struct ec_machine_type *machines;
static int n_machines;
static struct ec_arena kept; /* lives as long as the program */
static pthread_once_t made = PTHREAD_ONCE_INIT;

/* Columns of the file, in its order. */
enum { M_KEY, M_NAME, M_DEVICE, M_DEVICES, M_NETWORK, M_MEMORY, M_SOURCE, M_COLUMNS };

static const struct ec_device *device_of(const char *key)
{
    char folded[EC_DEVICE_NAME_MAX];

    return ec_device_fold(key, folded, sizeof folded) > 0 ? ec__device_folded(folded) : NULL;
}

static bool make_one(const struct ec_csv *t, int row, struct ec_machine_type *ret)
{
    struct ec_device *d = ec_arena_alloc(&kept, sizeof *d);
    const struct ec_device *like = NULL;
    const char *source = ec_arena_str(&kept, ec_csv_cell(t, row, M_SOURCE));
    double network = 0, memory = 0;
    int64_t devices = 0;

    if (!d || !source || !(like = device_of(ec_csv_cell(t, row, M_DEVICE))) ||
        !ec_parse_int(ec_span_of(ec_csv_cell(t, row, M_DEVICES)), &devices) || devices < 1 ||
        !ec_parse_byte_rate(ec_span_of(ec_csv_cell(t, row, M_NETWORK)), &network) ||
        !ec_parse_double(ec_span_of(ec_csv_cell(t, row, M_MEMORY)), &memory))
        return false;
    *d = *like;
    d->key = ec_arena_str(&kept, ec_csv_cell(t, row, M_KEY));
    d->name = ec_arena_printf(&kept, "%s of %s", like->name, ec_csv_cell(t, row, M_NAME));
    d->aliases = NULL;
    d->measured_as = like->key;
    d->machine_devices = (struct ec_qty){ (double)devices, EC_SRC_DATASHEET, source };
    d->network_bytes_per_s = (struct ec_qty){ 2 * network, EC_SRC_DATASHEET, source };
    *ret = (struct ec_machine_type){ d, memory * 0x1p30 };
    return d->key && d->name;
}

/* Parsed once; without memory there are none. */
static void make(void)
{
    struct ec_csv t = { 0 };
    int row;

    if (!ec_csv_parse(ec__machines_begin, (size_t)(ec__machines_end - ec__machines_begin), &t,
                      NULL)) {
        machines = ec_arena_alloc(&kept, sizeof *machines * ((size_t)t.n_rows + 1));
        for (row = 0; machines && row < t.n_rows; row++)
            n_machines += make_one(&t, row, &machines[n_machines]);
    }
    ec_csv_clear(&t);
}

const struct ec_machine_type *ec_machine_types(int *ret_count)
{
    (void)pthread_once(&made, make);
    *ret_count = n_machines;
    return machines;
}

const struct ec_device *ec__machine_type_folded(const char *folded)
{
    int n, i;
    const struct ec_machine_type *all = ec_machine_types(&n);
    char key[EC_DEVICE_NAME_MAX];

    for (i = 0; i < n; i++)
        if (ec_device_fold(all[i].device->key, key, sizeof key) > 0 && ec_str_eq(key, folded))
            return all[i].device;
    return NULL;
}

const struct ec_machine_type *ec_machine_type_of(const struct ec_device *d)
{
    int n, i;
    const struct ec_machine_type *all = ec_machine_types(&n);

    for (i = 0; i < n; i++)
        if (all[i].device == d)
            return &all[i];
    return NULL;
}
