/* What the tests of the store share: a folder of their own, records with made-up numbers. */
#ifndef STORE_TEST_H
#define STORE_TEST_H

#include "test.h"

#include "store/store.h"

#include <stdlib.h>
#include <unistd.h>

static char store_dir[64];

/* A file in the folder of this program, made at the first call. */
static inline const char *store_file(const char *name, char *out, size_t size)
{
    static const char template[] = "/tmp/epochcast-store-XXXXXX";

    if (!*store_dir) {
        memcpy(store_dir, template, sizeof template);
        CHECK(mkdtemp(store_dir) != NULL);
    }
    (void)snprintf(out, size, "%s/%s", store_dir, name);
    return out;
}

static inline void store_remove_all(void)
{
    char command[128];

    (void)snprintf(command, sizeof command, "rm -rf '%s'", store_dir);
    CHECK_INT(system(command), 0);
    *store_dir = '\0';
}

static inline void write_text(const char *path, const char *text)
{
    struct ec_err err = { 0 };

    CHECK_OK(ec_file_write(path, text, strlen(text), &err));
}

static inline struct ec_record record_of(const char *what, int row, double ns)
{
    struct ec_record r;

    memset(&r, 0, sizeof r);
    r.m.what = what;
    r.m.device = "gpu";
    r.m.precision = "fp32";
    r.m.memory_format = "channels-first";
    r.m.optimizer = "none";
    r.m.framework = "pytorch-2";
    r.m.mode = "forward";
    r.m.family = "family";
    r.m.phase = 0;
    r.m.row = row;
    r.kind = "operator";
    r.reading = "time_ms";
    r.device_name = r.framework_version = r.libraries = r.time_stat = r.memory_kind = "";
    r.flags = r.extra = r.method = r.run = r.samples = r.device_samples = r.machine = "";
    r.outcome = "ok";
    r.num_devices = 1;
    r.iteration = -1;
    r.time = (struct ec_reading){ ns, true };
    return r;
}

#endif
