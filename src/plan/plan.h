/* Choices among predictions: sweeps over the options of a query, their order, prices and deadlines,
 * what would fit where a job does not, and what would make it faster. */
#ifndef EC_PLAN_H
#define EC_PLAN_H

#include "hw/hw.h"
#include "predict/predict.h"

/* --- Sweeps: every combination of models, values of options, and devices --- */
struct ec_sweep {
    struct ec_strs models; /* paths or names; for an operator one text, which is handed back */
    const struct ec_field_values *axes; /* of fields of ec_predict_fields */
    int n_axes;
    const struct ec_device **devices;
    int n_devices;
};
#define EC_SWEEP_MAX 100000
struct ec_sweep_point {
    const char *model;
    const struct ec_device *device;
    struct ec_predict_opts opts;
};
/* Errors: INPUT for more than EC_SWEEP_MAX combinations */
enum ec_status ec_sweep_count(const struct ec_sweep *s, int *ret, struct ec_err *err) EC_MUST_CHECK;
/* Combination i: devices change fastest, models slowest. base: the options that do not vary. */
enum ec_status ec_sweep_at(const struct ec_sweep *s, const struct ec_predict_opts *base, int i,
                           struct ec_sweep_point *ret, struct ec_err *err) EC_MUST_CHECK;
/* The combination that is as i, but for the smallest value of an axis whose values are numbers. */
int ec_sweep_smallest(const struct ec_sweep *s, int i, int axis);
/* The names of built-in networks that match a word with '*' or '?', else the word itself; words
 * joined by ',' are several, unless the word is the path of a file. Appends. Errors: NOT_FOUND
 * where a pattern matches nothing, NOMEM */
enum ec_status ec_models_named(const char *word, struct ec_strs *list, struct ec_arena *a,
                               struct ec_err *err) EC_MUST_CHECK;

/* --- Order --- */
enum ec_sort { EC_SORT_TIME, EC_SORT_COST, EC_SORT_MEMORY, EC_SORT_SAMPLES, EC_SORT_GIVEN };
extern const char *const ec_sort_names[]; /* NULL-terminated */
/* One prediction among several. */
struct ec_choice {
    const struct ec_prediction *r;
    int index;      /* the caller's */
    int group;      /* within it the fastest and the cheapest are marked: the model's number */
    double in_time; /* probability that the job, else the epoch, ends by the deadline; -1: none */
    bool is_fastest, is_cheapest;
};
/* Whether it fits, and ends in time where there is a deadline, rather than not. */
bool ec_choice_is_possible(const struct ec_choice *c);
/* Sorts them: what fits and is in time comes first, then what may be in time, what will not, and
 * what does not fit; then, but for the memory, what is more than a guess; then by the key, then by
 * index. EC_SORT_GIVEN: by index alone. The time is that of the job, else of the epoch, else of a
 * sample. Marks the fastest and the cheapest of those of a group that fit, are in time and are no
 * guesses, where the group has several. deadline_ns: 0: none. Errors: NOMEM */
enum ec_status ec_choices_rank(struct ec_choice *v, int n, enum ec_sort sort, double deadline_ns,
                               struct ec_err *err) EC_MUST_CHECK;

/* --- Prices --- */
enum ec_price_kind {
    EC_PRICE_UNSAID, /* as a request: on demand or community, whichever more devices have; else one
                        of the others */
    EC_PRICE_ON_DEMAND,
    EC_PRICE_COMMUNITY, /* of machines of others, on a marketplace */
    EC_PRICE_RESERVED,  /* for months */
    EC_PRICE_SPOT,      /* may be taken away */
    EC_PRICE_ANY,       /* as a request: all */
};
extern const char *const ec_price_kinds[]; /* NULL-terminated */
struct ec_price {
    const struct ec_device *device;
    double usd_per_hour; /* of one device */
    enum ec_price_kind kind;
    const char *date, *source, *region; /* "": not said */
};
struct ec_prices {
    struct ec_price *v; /* in the arena */
    int n, cap;
    int n_unknown;       /* rows of devices that the catalogue lacks */
    const char *unknown; /* the first of them */
};
/* A table of prices, CSV with the columns device, usd_per_hour and, if there, kind, spot, count,
 * region, date and source; or "KEY=USD,KEY=USD". A price is that of `count` devices. A device may
 * be a pattern. Errors: those of ec_file_open and ec_devices_match, PARSE, INPUT */
enum ec_status ec_prices_read(const char *path_or_list, struct ec_prices *ret, struct ec_arena *a,
                              struct ec_err *err) EC_MUST_CHECK;
/* Leaves the prices of one kind, and those that say none. Returns the kind. */
enum ec_price_kind ec_prices_keep(struct ec_prices *p, enum ec_price_kind kind,
                                  const struct ec_device **devices, int n_devices);
/* Whether its date is more than 90 days ago; false where it has none. */
bool ec_price_is_old(const struct ec_price *p);
/* The cheapest price of a device; NULL: none. */
const struct ec_price *ec_price_of(const struct ec_prices *p, const struct ec_device *d);

/* --- What would fit --- */
/* The largest batch that fits with a change of the conditions. */
struct ec_room_way {
    const char *options; /* "--precision amp"; "": as asked */
    const char *key;     /* "batch_amp", in JSON */
    int64_t batch;       /* 0: none */
    double samples_per_s;
};
#define EC_ROOM_WAYS 4
/* Ways by which a network fits that does not, by the upper end of the memory's interval. */
struct ec_room {
    int64_t asked_batch;                  /* of one device */
    struct ec_room_way way[EC_ROOM_WAYS]; /* as asked, then what allows a larger batch */
    int n;
    const struct ec_device
        *device; /* of the same vendor and kind, the smallest, then the fastest; NULL: none */
};
/* Errors: those of ec_predict_network */
enum ec_status ec_room_for(struct ec_predictor *p, const char *model, const char *device,
                           const struct ec_predict_opts *opts, struct ec_room *ret,
                           struct ec_err *err) EC_MUST_CHECK;
/* As lines: "  batch 741  --precision amp  350 samples/s". */
void ec_room_print(const struct ec_room *r, struct ec_buf *out);

/* --- What would help --- */
#define EC_ADVICE_MAX 3
struct ec_advice {
    const char *option; /* change of the query: "precision" */
    char value[32];     /* "amp" */
    bool recompute;     /* with --recompute full, for room */
    char text[128];     /* "--precision amp: 2.1 times as many samples/s" */
    double speedup;     /* samples per second, over those of the query */
};
/* The changes that help most, best first; at most EC_ADVICE_MAX, each by at least 5 %. `batch` is
 * of one device. Errors: NOMEM; a change that cannot be predicted is left out */
enum ec_status ec_advise(struct ec_predictor *p, const char *model, const char *device,
                         const struct ec_predict_opts *opts, const struct ec_prediction *r,
                         struct ec_advice ret[EC_ADVICE_MAX], int *ret_count,
                         struct ec_err *err) EC_MUST_CHECK;

#endif
