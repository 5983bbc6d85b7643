/* What the server's files share. */
#ifndef EC_SERVE_INTERNAL_H
#define EC_SERVE_INTERNAL_H

#include "serve/serve.h"

#include <sys/socket.h>

/* Whether an address may ask once more: so often in a second, and a second's worth at once. */
bool ec__rate_ok(const struct sockaddr *from, double per_s, int64_t now_ns);

/* Room for so much more of a body, or false and none taken: who is refused stands in nobody's way,
 * and whoever was given room last has what the others left. */
bool ec__room_take(int64_t bytes, int64_t max_bytes);

struct ec__now {
    int64_t running, bodies_bytes; /* atomic */
};
extern struct ec__now ec__now;
void ec__count(const struct ec_http_call *c, int64_t time_ns);
/* Before the process gives up its rights. */
void ec__count_begin(void);

#endif
