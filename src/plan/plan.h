/* Choices among predictions: sweeps over the options of a query, their order, prices and deadlines,
 * what would fit where a job does not, what would make it faster, and plans of whole jobs. */
#ifndef EC_PLAN_H
#define EC_PLAN_H

#include "hw/hw.h"
#include "plan/slurm.h"
#include "plan/thresholds.h"
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
#define EC_SWEEP_AXES 32
struct ec_sweep_point {
    const char *model;
    const struct ec_device *device;
    struct ec_predict_opts opts, asked; /* asked: with what has no effect in this combination */
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
    double sold_by;      /* devices of a machine that is paid whole; 1: one alone */
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
 * region, date and source, or a catalogue of SkyPilot; or "KEY=USD,KEY=USD". A price is that of
 * `count` devices; without it of one, or of a machine. A device may be a pattern. Errors: those of
 * ec_file_open and ec_devices_match, PARSE, INPUT */
enum ec_status ec_prices_read(const char *path_or_list, struct ec_prices *ret, struct ec_arena *a,
                              struct ec_err *err) EC_MUST_CHECK;
/* Leaves the prices of one kind, and those that say none. Returns the kind. */
enum ec_price_kind ec_prices_keep(struct ec_prices *p, enum ec_price_kind kind,
                                  const struct ec_device **devices, int n_devices);
/* Whether its date is more than 90 days ago; false where it has none. */
bool ec_price_is_old(const struct ec_price *p);
/* What each device of a job costs, with its part of machines that it leaves idle. */
double ec_price_each(const struct ec_price *p, const struct ec_predict_opts *o);
/* The cheapest price of a device, for a job unless that is NULL; NULL: none. */
const struct ec_price *ec_price_of(const struct ec_prices *p, const struct ec_device *d,
                                   const struct ec_predict_opts *o);

/* --- What would fit --- */
/* The largest batch of a device that fits with a change of the conditions. */
struct ec_room_way {
    char options[96]; /* "--precision amp"; "": as asked */
    char key[48];     /* "batch_amp", in JSON */
    int64_t batch;    /* 0: none */
    double samples_per_s;
    bool retunes; /* trains adapters in place of all parameters */
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
    const char *option;          /* change of the query: "precision" */
    char value[32];              /* "amp" */
    enum ec_recompute recompute; /* with it, for room */
    char text[128];              /* "--precision amp: 2.1 times as many samples/s" */
    double speedup;              /* samples per second, over those of the query */
};
/* The changes that help most, best first; at most EC_ADVICE_MAX, each by at least 5 %. `batch` is
 * of one device. Errors: NOMEM; a change that cannot be predicted is left out */
enum ec_status ec_advise(struct ec_predictor *p, const char *model, const char *device,
                         const struct ec_predict_opts *opts, const struct ec_prediction *r,
                         struct ec_advice ret[EC_ADVICE_MAX], int *ret_count,
                         struct ec_err *err) EC_MUST_CHECK;

/* --- Plans: which devices, how many, and how they share a job --- */
struct ec_plan_query {
    const char *model;
    const struct ec_device **devices;
    int n_devices;
    struct ec_prices prices;     /* none: the money of opts.usd_per_hour, else device-hours */
    struct ec_predict_opts opts; /* what does not vary; with the size of a job */
    const char *profile;         /* path, for the answers of its device; NULL: none */
    /* What varies, of fields of ec_predict_fields; the last two are "zero" and "devices", values of
     * "micro_batch" ascend. A configuration in which replicas share the batch alone is asked for
     * by its batch, the others by their micro-batch. */
    const struct ec_field_values *axes;
    int n_axes;
    bool whole_machines; /* numbers that fill no whole machines are powers of two */
    bool splits_packed;  /* layers in 4 bits may be tensor parallel: no known trainer does it */
    double deadline_ns, budget;    /* 0: none */
    double energy_j;               /* of the boards, at most; 0: no limit */
    double memory_chance;          /* that it fits, at least: 0.95 */
    int threads;                   /* of the search, each with a predictor of its own */
    bool exhaustive;               /* predict all of them: for tests, and for questions about one */
    bool (*stop)(void);            /* NULL: nothing stops it */
    int64_t until_ns;              /* by ec_clock_ns; 0: no end */
    void (*tell)(int done, int n); /* called by one thread at a time; NULL: nobody asks */
};
/* A configuration that was predicted. */
struct ec_plan_point {
    int device, index;               /* of the query; of the sweep over its axes */
    int64_t count;                   /* devices */
    double time_ns, cost;            /* medians, of the job, else the epoch */
    double need_bytes, usable_bytes; /* usable: 0: not known */
    double fits, in_limits;          /* chances: memory; deadline and budget. -1: not asked */
    int involved;                    /* more for each way beside replicas in which it is shared */
    bool is_guess;
};
struct ec_plan {
    struct ec_plan_point *v; /* in the order of device and index */
    int n, cap;
    int n_possible, n_predicted;    /* devices divide the network and its batch so; answers */
    int n_by_memory, n_by_time;     /* not predicted: a bound rules them out */
    int n_refused;                  /* the network cannot be divided so */
    char refused[EC_ERR_MAX_BYTES]; /* the first sentence about one that was refused; "": none */
    struct ec_plan_point nearest;   /* of those that do not fit, by bound or answer, the one that
                                       misses least, as need over usable; index < 0: none */
    bool stopped;
};
/* A plainer way of sharing is preferred to one that is faster by no more than this. */
#define EC_PLAN_ABOUT 1.02
/* Every configuration that may be about the fastest of its device and its number of devices is in
 * the answer; so is then the whole front. ec_plan_clear() it. Errors: INPUT for too many
 * combinations; NOMEM; those of ec_predict_network that do not depend on the configuration */
enum ec_status ec_plan_search(const struct ec_plan_query *q, struct ec_plan *ret,
                              struct ec_err *err) EC_MUST_CHECK;
void ec_plan_clear(struct ec_plan *p);
/* Where bf16 was not asked for but is usual, a device without units for it takes amp; float32
 * parameters need no copy. */
void ec_plan_usual(struct ec_predict_opts *opts, const struct ec_device *d);
/* The options of a point, as `predict` takes them. Errors: those of ec_sweep_at */
enum ec_status ec_plan_opts(const struct ec_plan_query *q, const struct ec_plan_point *at,
                            struct ec_predict_opts *ret, struct ec_err *err) EC_MUST_CHECK;
bool ec_plan_is_limited(const struct ec_plan_query *q);          /* deadline, budget or energy */
enum ec_plan_verdict { EC_PLAN_OK, EC_PLAN_LATE, EC_PLAN_FULL }; /* late, or too dear */
enum ec_plan_verdict ec_plan_judge(const struct ec_plan_query *q, const struct ec_plan_point *at);
/* Points of which none is both faster and cheaper than another, fastest first. They fit and are
 * rather within the limits; where none is, those that fit; guesses are among them where there is
 * nothing else. best: the cheapest of those within a deadline, else the fastest within a budget;
 * by chances of 50 % and of 95 %, the latter of the fastest of each device and number; -1: none, or
 * no limits. */
struct ec_plan_front {
    const struct ec_plan_point **v;
    int n;
    const struct ec_plan_point *best, *surest; /* surest need not be of the front; NULL: none */
    bool within;                               /* the limits */
};
/* ec_free() ret->v. Errors: NOMEM */
enum ec_status ec_plan_front(const struct ec_plan_query *q, const struct ec_plan *p,
                             struct ec_plan_front *ret, struct ec_err *err) EC_MUST_CHECK;

/* --- A queue: which device runs which job, one after another --- */
struct ec_queue {
    int n_jobs, n_kinds, count; /* kinds of devices; so many of each */
    const double *time_ns;      /* [job][kind]; 0: it does not run there */
    int *machine;    /* of each job: kind * count + which of its kind; -1: it runs nowhere */
    double *load_ns; /* of each machine, 0 before the call */
    double end_ns;   /* the last job has ended */
    double bound_ns; /* no placement ends before */
};
/* Places jobs so that all have ended soon: each, the longest first, where it ends first; then moves
 * and swaps jobs of the device that ends last, while that helps. Errors: NOMEM */
enum ec_status ec_queue_place(struct ec_queue *q, struct ec_err *err) EC_MUST_CHECK;

#endif
