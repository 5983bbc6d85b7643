/* Types of machines: each row is a device of the catalogue, in other numbers and another network.
 */
#include "test.h"

#include "hw/hw.h"

TEST(each_row_is_a_machine_of_a_known_device)
{
    const struct ec_machine_type *all;
    const struct ec_device *d = NULL, *card = NULL;
    struct ec_err err = { 0 };
    struct ec_csv rows = { 0 };
    int n, i;

    all = ec_machine_types(&n);
    CHECK_OK(ec_csv_read("data/machines.csv", &rows, &err)); /* none was left out */
    CHECK_INT(n, rows.n_rows);
    ec_csv_clear(&rows);
    for (i = 0; i < n; i++) {
        CHECK_OK(ec_device_find(all[i].device->key, &d, &err));
        CHECK(d == all[i].device && ec_machine_type_of(d) == &all[i]);
        CHECK_OK(ec_device_find(ec_device_measured_as(d), &card, &err));
        CHECK(card != d && !ec_machine_type_of(card));
        CHECK_NEAR(d->memory_bytes.value, card->memory_bytes.value, 1e-12);
        CHECK(d->machine_devices.value >= 4 && d->machine_devices.value <= 72);
        CHECK(d->network_bytes_per_s.value > 1e8 && d->network_bytes_per_s.value <= 100e9);
        CHECK(all[i].memory_bytes > 100 * 0x1p30 && all[i].memory_bytes < 0x1p45);
        CHECK(strlen(d->network_bytes_per_s.ref) > 10);
    }
}

TEST(a_machine_has_its_network_and_number)
{
    struct ec_topology_wish wish = { .devices = 32 };
    struct ec_topology t;
    const struct ec_device *d = NULL;
    struct ec_err err = { 0 };

    CHECK_OK(ec_device_find("P5.48xlarge", &d, &err));
    CHECK_OK(ec_device_topology(d, &wish, &t, &err));
    CHECK(ec_topology_machines(&t) == 4);
    CHECK_NEAR(t.network_bytes_per_s, 50e9, 1e-12);
    CHECK_OK(ec_device_find("a2-ultragpu-8g", &d, &err));
    CHECK_OK(ec_device_topology(d, &wish, &t, &err));
    CHECK_NEAR(t.network_bytes_per_s, 100e9 / 8 / 8, 1e-12);
    CHECK_OK(ec_device_find("gb200-nvl72", &d, &err));
    CHECK_OK(ec_device_topology(d, &wish, &t, &err));
    CHECK(ec_topology_machines(&t) == 1);
}

TEST(patterns_find_machines_where_no_device_matches)
{
    const struct ec_device **list = NULL;
    const char *words[] = { "dgx-?100", "h100*" };
    const struct ec_strs names = { .n = 2, .v = words };
    struct ec_arena a = { 0 };
    struct ec_err err = { 0 };
    int n = 0, i;

    CHECK_OK(ec_devices_named(&names, &list, &n, &a, &err));
    CHECK(n > 3 && ec_machine_type_of(list[0]) && ec_machine_type_of(list[1]));
    for (i = 2; i < n; i++)
        CHECK(!ec_machine_type_of(list[i]));
    ec_arena_clear(&a);
}
