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

    ec_record_init(&r);
    r.what = what;
    r.device = "gpu";
    ec_record_set_word(&r, EC_WORD_PRECISION, "fp32");
    ec_record_set_word(&r, EC_WORD_LAYOUT, "channels-first");
    ec_record_set_word(&r, EC_WORD_OPTIMIZER, "none");
    ec_record_set_word(&r, EC_WORD_FRAMEWORK, "pytorch-2");
    ec_record_set_word(&r, EC_WORD_MODE, "forward");
    r.family = "family";
    r.phase = 0;
    r.row = row;
    r.reading = "time_ms";
    r.outcome = "ok";
    r.num_devices = 1;
    r.time = (struct ec_reading){ ns, true };
    return r;
}

#endif
