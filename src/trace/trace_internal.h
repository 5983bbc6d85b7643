/* Inside the folder: bytes of a file in order, and the pool of names while a trace is read. */
#ifndef EC_TRACE_INTERNAL_H
#define EC_TRACE_INTERNAL_H

#include "trace/trace.h"

/* --- Bytes of a file in order, unpacked when it is gzip (source.c) --- */
struct ec__source {
    int fd; /* -1: not open */
    int64_t done_bytes, file_bytes;
    char cut[160]; /* where what is damaged ends, in words; "": it is not */
    void *gzip;
};
/* data  NULL: the file of `path` */
enum ec_status ec__source_open(const char *path, const void *data, size_t len,
                               struct ec__source *ret, struct ec_err *err) EC_MUST_CHECK;
/* Up to `room` further bytes; 0: the end. */
enum ec_status ec__source_read(struct ec__source *s, char *to, size_t room, size_t *ret,
                               struct ec_err *err) EC_MUST_CHECK;
void ec__source_close(struct ec__source *s);

/* --- An event as a file has it (events.c) --- */
struct ec__seen {
    struct ec_span phase, name, category, process, thread, start, dur;
    struct ec_span dims, types, values, strides, call, external, sequence;
    struct ec_span collective, elements, dtype, group; /* of collectives */
    int64_t start_ns, dur_ns;
    bool is_timed; /* these are known */
};
/* Adds it, if it is of a kind that is kept. */
enum ec_status ec__trace_see(struct ec_trace *t, const struct ec__seen *e,
                             struct ec_err *err) EC_MUST_CHECK;

/* data  NULL: the file, of len bytes */
enum ec_status ec__nsys_read(const char *path, void *data, size_t len, ec_trace_progress progress,
                             void *arg, struct ec_trace *t, struct ec_err *err) EC_MUST_CHECK;

/* --- The table while it grows (events.c) --- */
#define EC__TRACE_EVENTS_MAX (32 << 20)
enum ec_status ec__trace_begin(struct ec_trace *t, struct ec_err *err) EC_MUST_CHECK;
/* The number of a name; what JSON escapes in it is decoded. */
enum ec_status ec__trace_text(struct ec_trace *t, struct ec_span name, uint32_t *ret,
                              struct ec_err *err) EC_MUST_CHECK;
/* Refuses what overlaps, and frees the pool. */
enum ec_status ec__trace_end(struct ec_trace *t, struct ec_err *err) EC_MUST_CHECK;

/* Events of the kinds whose bits are set, in order of start; of those that start together the
 * longest first. ret: ec_free() it */
enum ec_status ec__trace_sorted(const struct ec_trace *t, unsigned kinds, uint32_t **ret,
                                int *ret_n, struct ec_err *err) EC_MUST_CHECK;

/* --- Finding (index.c) --- */

/* Sets `at` to the first of n places, in order, for which `holds`, of `mid`, is true; n: none. */
#define EC__FIRST(at, n, holds)                                                                    \
    do {                                                                                           \
        int hi_ = (n);                                                                             \
        for ((at) = 0; (at) < hi_;) {                                                              \
            int mid = (at) + (hi_ - (at)) / 2;                                                     \
            if (holds)                                                                             \
                hi_ = mid;                                                                         \
            else                                                                                   \
                (at) = mid + 1;                                                                    \
        }                                                                                          \
    } while (0)

/* Numbers of keys: 0 for the first. */
struct ec__index {
    struct ec__index_slot {
        uint32_t hash, number; /* plus 1 */
    } * slot;
    int n_slots, n;
};
/* v: n elements of `size` bytes that begin with their keys; 0: pointers to texts, which are the
 * keys. ret n: the key is new, and the caller adds it to v. */
enum ec_status ec__index_find(struct ec__index *x, const void *v, size_t size, const void *key,
                              size_t len, uint32_t *ret, struct ec_err *err) EC_MUST_CHECK;

/* Events by a number other than 0; the first where several have one. */
struct ec__numbers {
    struct ec__numbered {
        uint32_t number, event;
    } * v;
    int n, cap;
};
enum ec_status ec__numbers_add(struct ec__numbers *l, uint32_t number, uint32_t event,
                               struct ec_err *err) EC_MUST_CHECK;
void ec__numbers_sort(struct ec__numbers *l);
uint32_t ec__numbers_find(const struct ec__numbers *l, uint32_t number); /* EC_TRACE_NIL: none */

/* --- Sets of time (intervals.c) --- */
struct ec__stretch {
    int64_t from, to;
};
/* Zeroed is empty. Sorted and disjoint after ec__set_unite; the others need that. */
struct ec__set {
    struct ec__stretch *v;
    int n, cap;
};
enum ec_status ec__set_add(struct ec__set *s, int64_t from, int64_t to,
                           struct ec_err *err) EC_MUST_CHECK;
void ec__set_unite(struct ec__set *s);
/* Takes from `rest` what it has in common with `of`. */
enum ec_status ec__set_take(struct ec__set *rest, const struct ec__set *of,
                            struct ec_err *err) EC_MUST_CHECK;
double ec__set_within(const struct ec__set *s, int64_t from, int64_t to);
void ec__set_clear(struct ec__set *s);

#define EC__TRACE_KIND(kind) (1u << EC_TRACE_##kind)
#define EC__TRACE_OF_DEVICE                                                                        \
    (EC__TRACE_KIND(KERNEL) | EC__TRACE_KIND(COLLECTIVE) | EC__TRACE_KIND(COPY) |                  \
     EC__TRACE_KIND(FILL))
/* The launch of an event of a device; NULL: the file has none. */
static inline const struct ec_trace_event *ec__trace_launch(const struct ec_trace *t,
                                                            const uint32_t *up, uint32_t of)
{
    return up[of] != EC_TRACE_NIL ? &t->v[up[of]] : NULL;
}

#endif
