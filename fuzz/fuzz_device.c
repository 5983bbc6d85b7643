/* A file of devices, JSON or CSV by its first character, that somebody passes on. What is taken has
 * a key, a name and numbers above 0; what is refused has its sentence. */
#include "fuzz.h"

#include "hw/device_internal.h"

#include <math.h>
#include <stdio.h>

static void stop(const char *why)
{
    (void)fprintf(stderr, "%s\n", why);
    __builtin_trap();
}

static void check_taken(const struct ec_device *d)
{
    const struct ec_device_qty_info *info;
    int n, i;

    if (!d->key || !*d->key || !d->name || !d->arch || !d->file_note || !*d->file_note)
        stop("a device without a name");
    info = ec_device_qty_info(&n);
    for (i = 0; i < n; i++) {
        const struct ec_qty *q = ec_device_qty(d, &info[i]);

        if (q->src && (!isfinite(q->value) || q->value <= 0))
            stop(info[i].name);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ec_span text = { (const char *)data, size };
    bool is_json = size && (*text.p == '{' || *text.p == '[');
    const struct ec_device **list = NULL;
    struct ec_arena a = { 0 };
    struct ec_err err = { 0 };
    int n = 0, i;

    if (ec__devices_parse(is_json ? "f.json" : "f.csv", NULL, text, &a, &list, &n, &err) == EC_OK)
        for (i = 0; i < n; i++)
            check_taken(list[i]);
    else if (!err.text[0])
        stop("refused without a sentence");
    ec_arena_clear(&a);
    return 0;
}
