/* Host and Origin of a request, a line each. What is taken names this machine: no letter stands in
 * it but in localhost, in a numeric address, or in the name that was given; and an Origin that is
 * taken ends with the Host. */
#include "fuzz.h"

#include "serve/serve.h"

#include <string.h>

#define NAMES_MAX_BYTES 1024

static void stop(const char *why)
{
    (void)fprintf(stderr, "%s\n", why);
    __builtin_trap();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *own = "gpu.example", *origin;
    const struct ec_strs names = { .n = 1, .v = &own };
    char text[NAMES_MAX_BYTES + 1];
    char *line_end;

    if (size > NAMES_MAX_BYTES)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    line_end = strchr(text, '\n');
    if (line_end)
        *line_end = '\0';
    origin = line_end ? line_end + 1 : NULL;
    if (!ec_http_names_ok(text, origin, &names))
        return 0;
    if (text[strspn(text, "0123456789abcdefABCDEF.:[]%")] &&
        strncasecmp(text, own, strlen(own)) != 0 && strncasecmp(text, "localhost", 9) != 0)
        stop("a name of another");
    if (origin && (strlen(origin) < strlen(text) ||
                   strcasecmp(origin + strlen(origin) - strlen(text), text) != 0))
        stop("an origin of another");
    return 0;
}
