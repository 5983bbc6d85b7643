/* Why measured rows are outside their intervals: what the row itself shows, what the other rows of
 * its device show, and whether a prediction under other conditions has the measured value inside.
 */
#include "predict/predict_internal.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define CAUSE_WORD(name, word) word,
static const char *const words[] = { EC_CAUSE_LIST(CAUSE_WORD) };

const char *ec_cause_word(enum ec_cause_kind k)
{
    return words[k];
}

double ec__judged_measured(const struct ec_judged *j)
{
    return ec_record_is_memory(j->m) ? j->m->memory_peak_bytes : j->m->time.ns;
}

const struct ec_interval *ec__judged_predicted(const struct ec_judged *j)
{
    return ec_record_is_memory(j->m) ? &j->memory : &j->ns;
}

double ec_judged_ratio(const struct ec_judged *j)
{
    return ec__judged_measured(j) / ec__judged_predicted(j)->p50;
}

double ec_judged_off(const struct ec_judged *j)
{
    return ec__judged_predicted(j)->p50 / ec__judged_measured(j) - 1;
}

bool ec_judged_inside(const struct ec_judged *j)
{
    const struct ec_interval *i = ec__judged_predicted(j);

    return ec__judged_measured(j) >= i->p05 && ec__judged_measured(j) <= i->p95;
}

/* ------------------------------------------------------------------------------------------------
 * One row */

struct causes {
    struct ec_predictor *p;
    const struct ec_judged_list *l;
    struct ec_groups devices; /* rows of each */
    int *load, load_of_all;   /* of loading in the loop, by row and of all; 0: none */
};

static enum ec_status say(struct ec_cause *c, enum ec_cause_kind kind, const char *fmt, ...)
    EC_PRINTF(3, 4);
static enum ec_status say(struct ec_cause *c, enum ec_cause_kind kind, const char *fmt, ...)
{
    va_list ap;

    c->kind = kind;
    va_start(ap, fmt);
    (void)ec_vsnprintf(c->text, sizeof c->text, fmt, ap);
    va_end(ap);
    return EC_OK;
}

static enum ec_status spilled(const struct causes *c, const struct ec_judged *j,
                              struct ec_cause *ret)
{
    bool measured = j->m->memory_peak_bytes > j->card_bytes;
    double bytes = measured ? j->m->memory_peak_bytes : j->needed_bytes;
    double need_bytes = bytes > j->card_bytes ? bytes : j->most_bytes;
    bool fills = need_bytes == j->card_bytes; /* a peak is at most that */
    char need[32], card[32];

    (void)c;
    if (!ec_spilled(ec_judged_ratio(j), bytes, j->most_bytes, j->card_bytes))
        return EC_OK;
    return say(ret, EC_CAUSE_SPILLED,
               "%s %s, %s%s: part of it was in the host's memory; use a smaller batch",
               measured                ? "measured"
               : bytes > j->card_bytes ? "the prediction needs"
                                       : "the prediction needs up to",
               ec_fmt_bytes_apart(need, sizeof need, need_bytes, j->card_bytes),
               fills ? "all that the card has" : "the card has ",
               fills ? "" : ec_fmt_bytes_apart(card, sizeof card, j->card_bytes, need_bytes));
}

bool ec_record_spilled(const struct ec_record *m, const struct ec_device *d,
                       const struct ec_prediction *r, struct ec_cause *ret)
{
    struct ec_judged j = { .m = m, .card_bytes = ec_device_usable_bytes(d) };

    ret->text[0] = '\0';
    ec__judged_answer(&j, r);
    (void)spilled(NULL, &j, ret); /* cannot fail */
    return ret->text[0] != '\0';
}

/* Whether the row is inside the interval of a prediction with other options. */
static enum ec_status fits(const struct causes *c, const struct ec_judged *j,
                           const struct ec_predict_opts *o, bool *ret)
{
    struct ec_prediction r;
    enum ec_status st = ec_predict_network(c->p, j->m->what, j->m->device, o, &r, NULL);

    *ret = !st && j->m->time.ns >= r.step_time_ns.p05 && j->m->time.ns <= r.step_time_ns.p95;
    return st == EC_E_NOMEM ? st : EC_OK;
}

static enum ec_status options_of(const struct ec_judged *j, struct ec_predict_opts *ret)
{
    enum ec_status st = EC_OK;

    if (j->opts) {
        *ret = *j->opts;
        ret->cond.precision = j->m->cond.precision; /* the one that was settled */
        ret->usual_precision = ret->usual_optimizer = false;
    } else {
        st = ec_record_opts(j->m, ret, NULL);
        ret->host = j->m->host;
    }
    return st;
}

/* Nobody trains in a precision for which the device has no units. */
static bool has_units(const struct ec_judged *j, enum ec_precision p)
{
    const struct ec_device *d = NULL;

    if (ec_device_find(j->m->device, &d, NULL))
        return false;
    return p == EC_TF32   ? d->tf32_tensor_flop_per_s.src != EC_SRC_NONE
           : p == EC_BF16 ? d->bf16_tensor_flop_per_s.src != EC_SRC_NONE
           : p == EC_AMP  ? d->fp16_tensor_flop_per_s.src != EC_SRC_NONE
                          : true;
}

static bool is_slow(const struct ec_judged *j)
{
    return ec__judged_measured(j) > ec__judged_predicted(j)->p95;
}

/* Precisions that would be faster, or slower, than that of the row. */
static enum ec_status precision(const struct causes *c, const struct ec_judged *j,
                                struct ec_cause *ret)
{
    static const int slower[] = { EC_TF32, EC_FP32 }, faster[] = { EC_TF32, EC_AMP, EC_BF16 };
    struct ec_predict_opts o;
    bool yes = false, is_fp32, slow = is_slow(j);
    int i;

    EC_PASS(options_of(j, &o));
    is_fp32 = o.cond.precision == EC_FP32 || o.cond.precision == EC_TF32;
    for (i = 0; i < (slow ? EC_LEN(slower) : EC_LEN(faster)) && is_fp32 != slow && !yes; i++) {
        o.cond.precision = (enum ec_precision)(slow ? slower[i] : faster[i]);
        if (!has_units(j, o.cond.precision) || ec_str_eq(ec_precision_names[o.cond.precision],
                                                         ec_record_word(j->m, EC_WORD_PRECISION)))
            continue;
        EC_PASS(fits(c, j, &o, &yes));
        if (yes)
            return say(
                ret, EC_CAUSE_PRECISION, "the time is that of %s, not of %s: was the run in %s?",
                ec_precision_names[o.cond.precision], ec_record_word(j->m, EC_WORD_PRECISION),
                ec_precision_names[o.cond.precision]);
    }
    return EC_OK;
}

/* Options of the run that may have been others: the time is then that of another word. */
static const struct other {
    enum ec_cause_kind kind;
    bool slow;
    const char *option, *word, *other; /* the word that the run has, and the one to try */
    const char *text;
} others[] = {
#include "predict_causes.h"
};

static enum ec_status other_option(const struct causes *c, const struct ec_judged *j,
                                   const struct other *v, struct ec_cause *ret)
{
    const struct ec_field *f = ec_field_find(ec_predict_fields, ec_span_of(v->option));
    struct ec_buf word = EC_BUF_INIT;
    struct ec_predict_opts o;
    enum ec_status st;
    bool yes = false;

    if (v->kind == EC_CAUSE_LINKS && j->m->num_devices < 2)
        return EC_OK;
    EC_TRY(options_of(j, &o));
    ec_field_print(f, &o, &word);
    EC_TRY(ec_buf_status(&word, NULL));
    if (!ec_str_eq(ec_buf_text(&word), v->word))
        goto out;
    EC_TRY(ec_predict_opts_set(&o, v->option, v->other, NULL));
    if (o.cond.mode != EC_MODE_TRAINING_STEP)
        o.cond.recompute = EC_RECOMPUTE_NONE;
    EC_TRY(fits(c, j, &o, &yes));
    if (yes)
        st = say(ret, v->kind, "%s", v->text);
out:
    ec_buf_clear(&word);
    return st;
}

/* With several devices a batch may be that of all or of one. */
static enum ec_status batch(const struct causes *c, const struct ec_judged *j, struct ec_cause *ret)
{
    struct ec_predict_opts o;
    bool yes = false, slow = is_slow(j);

    EC_PASS(options_of(j, &o));
    if (j->m->num_devices < 2 || o.global_batch || (!slow && o.batch % j->m->num_devices))
        return EC_OK;
    o.batch = slow ? o.batch * j->m->num_devices : o.batch / j->m->num_devices;
    EC_PASS(fits(c, j, &o, &yes));
    if (yes)
        return say(ret, EC_CAUSE_BATCH,
                   "the time is that of batch %lld on each device: is %lld the batch of %s?",
                   (long long)o.batch, (long long)j->m->batch, slow ? "one device" : "all devices");
    return EC_OK;
}

/* ------------------------------------------------------------------------------------------------
 * The other rows of the device */

/* So many rows of a device are enough to compare each row with. */
#define OTHERS_MAX 256

/* The i-th of the other rows of the device; NULL: there is none, or it is no time of a network.
 * i    below others_of() */
static const struct ec_judged *other(const struct causes *c, const struct ec_judged *j, int i)
{
    const struct ec_groups *g = &c->devices;
    const struct ec_judged *k = &c->l->v[g->item[g->begin[g->of[j - c->l->v]] + i]];

    return k != j && !ec_record_is_memory(k->m) && ec_record_is_network(k->m) ? k : NULL;
}

static int others_of(const struct causes *c, const struct ec_judged *j)
{
    int n = ec_group_size(&c->devices, c->devices.of[j - c->l->v]);

    return n < OTHERS_MAX ? n : OTHERS_MAX;
}

static int by_device(const void *user, int a, int b)
{
    const struct ec_judged *v = user;

    return strcmp(v[a].device, v[b].device);
}

static double rate_of(const struct ec_judged *j, double ns)
{
    return (double)j->m->batch * 1e9 / ns;
}

static bool near(double a, double b, double share)
{
    return fabs(log(a / b)) < share;
}

/* A loader gives as many samples per second to whatever network and batch. */
#define LOADER_NEAR 0.1
#define LOADER_APART 0.3

static enum ec_status loader(const struct causes *c, const struct ec_judged *j,
                             struct ec_cause *ret)
{
    double rate = rate_of(j, j->m->time.ns);
    int i;

    for (i = 0; i < others_of(c, j); i++) {
        const struct ec_judged *k = other(c, j, i);

        if (k && is_slow(k) && near(rate, rate_of(k, k->m->time.ns), LOADER_NEAR) &&
            !near(rate_of(j, j->ns.p50), rate_of(k, k->ns.p50), LOADER_APART))
            return say(ret, EC_CAUSE_LOADER,
                       "other networks or batches came to about the same samples per second: the "
                       "loader, or copying its samples, sets the pace");
    }
    return EC_OK;
}

/* A batch that does not change the time was not the batch of the step. */
static enum ec_status same_time(const struct causes *c, const struct ec_judged *j,
                                struct ec_cause *ret)
{
    int i;

    for (i = 0; i < others_of(c, j); i++) {
        const struct ec_judged *k = other(c, j, i);

        if (k && ec_str_eq(j->m->what, k->m->what) && j->m->batch != k->m->batch &&
            near(j->m->time.ns, k->m->time.ns, 0.05) && !near(j->ns.p50, k->ns.p50, 0.4))
            return say(ret, EC_CAUSE_BATCH,
                       "batch %lld took the same time: is the batch of the run another, or the "
                       "time that of a sample?",
                       (long long)k->m->batch);
    }
    return EC_OK;
}

/* Time of loading a sample before each step, as it explains rows best: each of LOADS values, a
 * tenth apart, is tried on all of them. */
#define LOADS 120
#define LOAD_NS(i) (10e3 * pow(1.1, (i)))
/* With fewer other networks or devices, or with less of their errors explained, it is chance. */
#define LOAD_OTHERS 3
#define LOAD_EXPLAINS 0.6

/* Rows of one network on one device; for each value the sum of their errors, the first without a
 * loader. */
struct load_group {
    int n;
    double error[1 + LOADS];
};

struct load_row {
    uint64_t key;
    int row;
};

static int by_key(const void *a, const void *b)
{
    const struct load_row *x = a, *y = b;

    return x->key != y->key ? (x->key > y->key) - (x->key < y->key) : x->row - y->row;
}

static double batch_load_ns(const struct ec_judged *j, int load)
{
    return load ? LOAD_NS(load - 1) * (double)j->m->batch : 0;
}

static void add_errors(const struct ec_judged *j, struct load_group *ret)
{
    int i;

    ret->n++;
    for (i = 0; i <= LOADS; i++)
        ret->error[i] += fabs(log(j->m->time.ns / (j->ns.p50 + batch_load_ns(j, i))));
}

/* The value that leaves the least error in `all` but `but`; 0: none explains enough. */
static int best_load(const struct load_group *all, const struct load_group *but)
{
    int best = 0, i;

    for (i = 1; i <= LOADS; i++)
        if (all->error[i] - but->error[i] < all->error[best] - but->error[best])
            best = i;
    return all->error[best] - but->error[best] < LOAD_EXPLAINS * (all->error[0] - but->error[0])
               ? best
               : 0;
}

/* Sets c->load[i] to the value by which the rows of other networks and devices explain row i. */
static enum ec_status find_loads(struct causes *c)
{
    size_t room = (size_t)c->l->n + 1;
    struct load_row *v = ec_alloc(sizeof *v * room);
    struct load_group *group = ec_alloc(sizeof *group * 2), *all = group + 1;
    int n = 0, n_groups = 0, at, i, k;

    c->load = ec_alloc(sizeof *c->load * room);
    if (!v || !group || !c->load) {
        ec_free(v);
        ec_free(group);
        return EC_E_NOMEM;
    }
    for (i = 0; i < c->l->n; i++) {
        const struct ec_record *m = c->l->v[i].m;

        if (ec_record_is_network(m) && !ec_record_is_memory(m))
            v[n++] = (struct load_row){ ec_hash(m->what, strlen(m->what)) * 31 +
                                            ec_hash(c->l->v[i].device, strlen(c->l->v[i].device)),
                                        i };
    }
    qsort(v, (size_t)n, sizeof *v, by_key);
    memset(group, 0, sizeof *group * 2);
    for (i = 0; i < n; i++) {
        n_groups += !i || v[i].key != v[i - 1].key;
        add_errors(&c->l->v[v[i].row], all);
    }
    for (i = 0; i < n && n_groups > LOAD_OTHERS; i = k) {
        memset(group, 0, sizeof *group);
        for (k = i; k < n && v[k].key == v[i].key; k++)
            add_errors(&c->l->v[v[k].row], group);
        for (at = i; at < k; at++)
            c->load[v[at].row] = best_load(all, group);
    }
    memset(group, 0, sizeof *group);
    c->load_of_all = best_load(all, group);
    ec_free(v);
    ec_free(group);
    return EC_OK;
}

/* Without workers a loop loads, then steps: slow cards seem as predicted, and fast ones slow. */
static enum ec_status in_loop(const struct causes *c, const struct ec_judged *j,
                              struct ec_cause *ret)
{
    double ns = batch_load_ns(j, c->load[j - c->l->v]);

    if (!(ns > 0) || !c->load_of_all || j->m->time.ns < j->ns.p05 + ns ||
        j->m->time.ns > j->ns.p95 + ns)
        return EC_OK;
    return say(ret, EC_CAUSE_LOADER,
               "%.2g ms of each sample beside the step explain it and other rows: does the loop "
               "load them itself (num_workers=0)? then --loader 0x%.2gms",
               LOAD_NS(c->load_of_all - 1) / 1e6, LOAD_NS(c->load_of_all - 1) / 1e6);
}

/* A host that issues kernels slowly shows where it takes about as long as the device. */
#define HOST_SHARE 0.7

static enum ec_status host(const struct causes *c, const struct ec_judged *j, struct ec_cause *ret)
{
    (void)c;
    if (!(j->host_ns > HOST_SHARE * j->device_ns))
        return EC_OK;
    return say(ret, EC_CAUSE_HOST,
               "the step waits for the host, which issues its kernels: a slower CPU, or another "
               "version of the framework; a larger batch would hide it");
}

/* A clock below the usual one slows all rows by the same factor. */
#define THROTTLED_NEAR 0.15

static enum ec_status throttled(const struct causes *c, const struct ec_judged *j,
                                struct ec_cause *ret)
{
    int i, n = 0, n_like = 0;

    for (i = 0; i < others_of(c, j); i++) {
        const struct ec_judged *k = other(c, j, i);

        n += k != NULL;
        n_like += k && near(ec_judged_ratio(j), ec_judged_ratio(k), THROTTLED_NEAR);
    }
    if (!n || n_like < n)
        return EC_OK;
    return say(ret, EC_CAUSE_THROTTLED,
               "all rows of %s are slower by about the same factor: a lower clock, a power limit, "
               "or other work on it",
               j->device);
}

static bool on_processor(const struct ec_judged *j)
{
    const struct ec_device *d = NULL;

    return !ec_device_find(j->device, &d, NULL) && d->kind == EC_DEV_CPU;
}

/* ------------------------------------------------------------------------------------------------
 * Where nothing else is seen */

static enum ec_status slow(const struct causes *c, const struct ec_judged *j, struct ec_cause *ret)
{
    (void)c;
    if (on_processor(j))
        return say(ret, EC_CAUSE_SLOW,
                   "the processor would be faster: time the loop without the loader, and look at "
                   "the number of threads, at other work on the machine, and at the libraries of "
                   "the framework (torch.__config__.show(): oneDNN, MKL or OpenBLAS)");
    return say(
        ret, EC_CAUSE_SLOW,
        "the device would be faster: time the loop without the loader, and look at the clock "
        "(nvidia-smi -q -d PERFORMANCE) and at other work on the device");
}

static enum ec_status fast(const struct causes *c, const struct ec_judged *j, struct ec_cause *ret)
{
    (void)c;
    (void)j;
    return say(ret, EC_CAUSE_UNKNOWN,
               "faster than predicted: check precision, batch, image size, and that the clock was "
               "read after the device had finished");
}

/* ------------------------------------------------------------------------------------------------
 * All of them, the likeliest first */

typedef enum ec_status (*cause_fn)(const struct causes *c, const struct ec_judged *j,
                                   struct ec_cause *ret);
struct row_causes {
    struct ec_cause *v;
    int n, most;
};

/* Keeps what was found in the next place, unless its kind is there already. */
static void keep(struct row_causes *r)
{
    int k = 0;

    while (k < r->n && r->v[k].kind != r->v[r->n].kind)
        k++;
    if (k < r->n)
        r->v[r->n] = (struct ec_cause){ .kind = EC_CAUSE_NONE };
    r->n += r->v[r->n].kind != EC_CAUSE_NONE;
}

static enum ec_status look(const struct causes *c, const struct ec_judged *j, const cause_fn *find,
                           int n, struct row_causes *ret)
{
    enum ec_status st = EC_OK;
    int i;

    for (i = 0; i < n && ret->n < ret->most && !st; i++) {
        st = find[i](c, j, &ret->v[ret->n]);
        keep(ret);
    }
    return st;
}

static enum ec_status look_at_options(const struct causes *c, const struct ec_judged *j,
                                      struct row_causes *ret)
{
    enum ec_status st = EC_OK;
    int i;

    for (i = 0; i < EC_LEN(others) && ret->n < ret->most && !st; i++) {
        bool rare = others[i].kind == EC_CAUSE_RECOMPUTE; /* nobody turns it on by mistake */

        if (others[i].slow != is_slow(j) || (rare && ret->most == 1))
            continue;
        st = other_option(c, j, &others[i], &ret->v[ret->n]);
        keep(ret);
    }
    return st;
}

/* What one time alone cannot tell apart. */
static void add_possible(const struct ec_judged *j, struct row_causes *ret)
{
    enum { OF_STEP = 1, OF_PROCESSOR = 2, OF_DEVICE = 4, OF_EXCHANGE = 8 };
    static const struct {
        enum ec_cause_kind kind;
        int of;
        const char *text;
    } possible[] = {
        {EC_CAUSE_LOADER,     OF_STEP,      "batches that come at"                     },
        { EC_CAUSE_THROTTLED, OF_DEVICE,
         "a lower clock, a power limit, or other work on the device, that leaves"      },
        { EC_CAUSE_THROTTLED, OF_PROCESSOR,
         "fewer threads, other work, or a framework without oneDNN or MKL, that leaves"},
        { EC_CAUSE_LINKS,     OF_EXCHANGE,
         "a path over PCIe or the host, or a slow network card, that leaves"           },
    };
    int of = j->m->kind == EC_KIND_collective ? OF_EXCHANGE
             : on_processor(j)                ? OF_PROCESSOR
                                              : OF_DEVICE;
    int i;

    if (ec_record_is_network(j->m) && j->m->cond.mode == EC_MODE_TRAINING_STEP)
        of |= OF_STEP;
    for (i = 0; i < EC_LEN(possible) && ret->n < ret->most; i++) {
        if (!(possible[i].of & of))
            continue;
        (void)say(&ret->v[ret->n], possible[i].kind, "%s %.0f %% of the expected speed",
                  possible[i].text, 100 / ec_judged_ratio(j));
        keep(ret);
    }
}

static enum ec_status slow_network(const struct causes *c, const struct ec_judged *j,
                                   struct row_causes *ret)
{
    static const cause_fn seen[] = { spilled, batch,   same_time, loader,
                                     host,    in_loop, throttled, precision },
                          last[] = { slow };

    EC_PASS(look(c, j, seen, EC_LEN(seen), ret));
    EC_PASS(look_at_options(c, j, ret));
    if (ret->most == 1)
        EC_PASS(look(c, j, last, 1, ret));
    else
        add_possible(j, ret);
    return EC_OK;
}

static enum ec_status fast_network(const struct causes *c, const struct ec_judged *j,
                                   struct row_causes *ret)
{
    static const cause_fn seen[] = { batch, precision, same_time }, last[] = { fast };

    EC_PASS(look(c, j, seen, EC_LEN(seen), ret));
    EC_PASS(look_at_options(c, j, ret));
    return look(c, j, last, EC_LEN(last), ret);
}

/* Of an operator or a collective nothing is known but its time. */
static enum ec_status lone(const struct causes *c, const struct ec_judged *j,
                           struct row_causes *ret)
{
    static const cause_fn last[] = { fast };

    if (ret->most == 1 || ec_record_is_memory(j->m)) {
        ret->v[0].kind = EC_CAUSE_UNKNOWN;
        return EC_OK;
    }
    if (!is_slow(j))
        return look(c, j, last, 1, ret);
    add_possible(j, ret);
    return EC_OK;
}

/* clang-format off */
/* What shows whether it is so. NVIDIA's, AMD's, of a processor; NULL: nothing that is common. */
#define LOOK_AT_THREADS "python3 -c 'import torch; print(torch.__config__.parallel_info())'"
static const struct confirm {
    const char *nvidia, *amd, *other;
} confirms[EC_CAUSE_COUNT] = {
    [EC_CAUSE_SPILLED] = { "nvidia-smi --query-gpu=memory.used,memory.total --format=csv -l 1",
                           "rocm-smi --showmeminfo vram", "free -h" },
    [EC_CAUSE_LOADER] = { "nvidia-smi dmon -s u -c 30  # sm below 90: the device waits",
                          "rocm-smi --showuse  # below 90 %: the device waits", "top -H" },
    [EC_CAUSE_HOST] = { "top -H  # a thread of python at 100 %",
                        "top -H  # a thread of python at 100 %", LOOK_AT_THREADS },
    [EC_CAUSE_THROTTLED] = { "nvidia-smi -q -d PERFORMANCE,CLOCK,POWER,PIDS",
                             "rocm-smi --showclocks --showpower --showpids", LOOK_AT_THREADS },
    [EC_CAUSE_LINKS] = { "nvidia-smi topo -m; NCCL_DEBUG=INFO names the path of each exchange",
                         "rocm-smi --showtopo; NCCL_DEBUG=INFO names the path of each exchange",
                         NULL },
    [EC_CAUSE_SLOW] = { "nvidia-smi dmon -s puc -c 30", "rocm-smi", LOOK_AT_THREADS },
};
/* clang-format on */
#define PRINT_PRECISION "print(torch.is_autocast_enabled(), torch.get_float32_matmul_precision())"
/* A line in the loop of training shows it, whatever the device is. */
static const char *const prints[EC_CAUSE_COUNT] = {
    [EC_CAUSE_PRECISION] = PRINT_PRECISION,
    [EC_CAUSE_MODE] = "print(model.training, torch.is_grad_enabled())",
    [EC_CAUSE_BATCH] = "print(x.shape)",
    [EC_CAUSE_LAYOUT] = "print(x.is_contiguous(memory_format=torch.channels_last))",
    [EC_CAUSE_SOFTWARE] = "TORCH_LOGS=recompiles,graph_breaks python3 train.py",
    [EC_CAUSE_RECOMPUTE] = "grep -rn checkpoint train.py",
};

static const char *confirm_of(enum ec_cause_kind kind, const char *device)
{
    const struct confirm *by = &confirms[kind];
    const struct ec_device *d = NULL;

    if (prints[kind] || ec_device_find(device, &d, NULL))
        return prints[kind];
    return d->kind == EC_DEV_CPU           ? by->other
           : d->vendor == EC_VENDOR_NVIDIA ? by->nvidia
           : d->vendor == EC_VENDOR_AMD    ? by->amd
                                           : NULL;
}

enum ec_status ec_judged_causes(struct ec_predictor *p, const struct ec_judged_list *l, int most,
                                struct ec_cause *ret, struct ec_err *err)
{
    struct causes c = { .p = p, .l = l };
    enum ec_status st = find_loads(&c);
    int i, k;

    memset(ret, 0, sizeof *ret * (size_t)l->n * (size_t)most);
    if (!st)
        st = ec_group(l->n, by_device, l->v, &c.devices, err);
    for (i = 0; i < l->n && !st; i++) {
        const struct ec_judged *j = &l->v[i];
        struct row_causes row = { .v = &ret[(ptrdiff_t)i * most], .most = most };

        if (ec_judged_inside(j))
            continue;
        st = ec_record_is_memory(j->m) || !ec_record_is_network(j->m) ? lone(&c, j, &row)
             : is_slow(j)                                             ? slow_network(&c, j, &row)
                                                                      : fast_network(&c, j, &row);
        for (k = 0; k < row.n; k++)
            row.v[k].confirm = confirm_of(row.v[k].kind, j->device);
    }
    ec_free(c.load);
    ec_groups_clear(&c.devices);
    return st ? ec_nomem(err) : EC_OK;
}
