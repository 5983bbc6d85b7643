/* Numbers as people write them in tables. */
#include "test.h"

#include "tables/mapping_internal.h"

#include <math.h>
#include <string.h>

/* The cell of a table of one column and one row, after reading. */
static const char *read_one(const char *name, const char *cell, struct ec_csv *csv)
{
    struct ec_err err = { 0 };
    char text[128];

    (void)ec_snprintf(text, sizeof text, "%s\n\"%s\"\n", name, cell);
    *csv = (struct ec_csv){ 0 };
    CHECK_OK(ec_csv_parse(text, strlen(text), csv, &err));
    CHECK_OK(ec_table_plain_numbers(csv, &err));
    CHECK_INT(csv->n_rows, 1);
    return csv->n_rows ? ec_csv_cell(csv, 0, 0) : "";
}

#define LONG "123456789012345678901234567890 ms"

/* What is no number, or of another kind, stays for the reader of the column to refuse. */
TEST(units_and_thousands_become_plain_numbers)
{
    static const struct {
        const char *column, *cell, *want;
    } cases[] = {
        {"images_per_s",     "690 img/s",         "690"      },
        { "images_per_s",    "1,007",             "1007"     },
        { "step_time_ms",    "45.2 \302\261 0.3", "45.2"     },
        { "step_time_ms",    "0.5 +/- .01 s",     "500"      },
        { "images_per_s",    "1,234,567.5",       "1234567.5"},
        { "step_ms",         "73 ms",             "73"       },
        { "step_ms",         "73ms",              "73"       },
        { "step_ms",         "0.073 s",           "73"       },
        { "step_s",          "73 ms",             "0.073"    },
        { "peak_memory_mib", "6 GiB",             "6144"     },
        { "step_ms",         "73,1",              "73,1"     },
        { "step_ms",         "1,00",              "1,00"     },
        { "step_ms",         "12,3456",           "12,3456"  },
        { "step_ms",         "73 img/s",          "73 img/s" },
        { "step_ms",         "fast",              "fast"     },
        { "step_ms",         "",                  ""         },
        { "step_ms",         "OOM",               "OOM"      },
        { "step_ms",         "1e300",             "1e300"    },
        { "step_ms",         LONG,                LONG       },
        { "model",           "1,007",             "1,007"    },
        { "model",           "73 ms",             "73 ms"    },
    };
    int i;

    for (i = 0; i < EC_LEN(cases); i++) {
        struct ec_csv csv;

        CHECK_STR(read_one(cases[i].column, cases[i].cell, &csv), cases[i].want);
        ec_csv_clear(&csv);
    }
}

TEST(a_column_without_a_unit_gets_that_of_its_cells)
{
    struct ec_csv csv;

    CHECK_STR(read_one("Step Time", "73 ms", &csv), "73");
    CHECK(fabs(ec_column_meaning(csv.names[0]).size - 1e6) < 1);
    ec_csv_clear(&csv);
    CHECK_STR(read_one("Step Time", "73", &csv), "73");
    CHECK_STR(csv.names[0], "Step Time");
    ec_csv_clear(&csv);
}
