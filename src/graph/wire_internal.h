/* Protobuf wire format, read in place: no copies, no allocation, every length checked. */
#ifndef EC_GRAPH_WIRE_INTERNAL_H
#define EC_GRAPH_WIRE_INTERNAL_H

#include "base/base.h"

enum ec__wire_type { EC__WIRE_VARINT = 0, EC__WIRE_I64 = 1, EC__WIRE_LEN = 2, EC__WIRE_I32 = 5 };

/* A message, or a run of packed numbers. After a failure `bad` says why and nothing more is read.
 */
struct ec__wire {
    const unsigned char *p, *end;
    const char *bad;
};

struct ec__field {
    uint32_t num;
    enum ec__wire_type type;
    uint64_t u;          /* VARINT, I64, I32 */
    struct ec_span span; /* LEN */
};

struct ec__wire ec__wire_of(const void *data, size_t len);
struct ec__wire ec__wire_span(struct ec_span s);
/* The next field; false at the end and after a failure. */
bool ec__wire_next(struct ec__wire *w, struct ec__field *ret);
/* The next number of a packed run, in the wire type given. */
bool ec__wire_packed(struct ec__wire *w, enum ec__wire_type type, uint64_t *ret);
double ec__wire_float(uint64_t bits);
double ec__wire_double(uint64_t bits);

/* Writing. */
void ec__wire_put_int(struct ec_buf *out, uint32_t num, int64_t v);
void ec__wire_put_float(struct ec_buf *out, uint32_t num, double v);
void ec__wire_put_str(struct ec_buf *out, uint32_t num, const char *text);
void ec__wire_put_msg(struct ec_buf *out, uint32_t num, const struct ec_buf *msg);

#endif
