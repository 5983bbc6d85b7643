/* epochcast plan: which devices, how many, and how they share a job, by time and money. */
#include "cli/plan_internal.h"
#include "cli/predict_cmd_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "plan_cmd.h"

/* ------------------------------------------------------------------------------------------------
 * What is searched */

/* Searched unless the command line says otherwise. The last two are those of a layout. */
static const struct {
    const char *name, *values;
} searched[] = {
    {"layout",       "channels-first,channels-last"     },
    { "recompute",   "none,selective,full"              },
    { "tp",          "1,2,4,8"                          },
    { "pp",          "1,2,4,8"                          },
    { "ep",          "1,2,4,8,16,32,64"                 },
    { "micro_batch", "1,2,4,8,16,32,64,128,256,512,1024"},
    { "zero",        "0,1,2,3"                          },
    { "devices",     "1,2,4,8"                          },
};

static bool is_searched(const char *name)
{
    return ec_row_named(searched, EC_LEN(searched), sizeof *searched, name) != NULL;
}

static enum ec_status add_words(struct ec_strs *list, const char *words, double most,
                                struct ec_arena *a, struct ec_err *err)
{
    struct ec_span all = ec_span_of(words), word;
    enum ec_status st = EC_OK;
    double value;

    while (!st && all.p && ec_span_cut(&all, ',', &word))
        if (!ec_parse_double(word, &value) || value <= most)
            st = ec_strs_add(list, a, err, "%.*s", (int)word.len, word.p);
    return st;
}

static int by_number(const void *a, const void *b)
{
    int64_t x = 0, y = 0;

    (void)ec_parse_int(ec_span_of(*(const char *const *)a), &x);
    (void)ec_parse_int(ec_span_of(*(const char *const *)b), &y);
    return (x > y) - (x < y);
}

/* Each number once, the smallest first. */
static void order(struct ec_strs *list)
{
    int i, n = 0;

    qsort(list->v, (size_t)list->n, sizeof *list->v, by_number);
    for (i = 0; i < list->n; i++)
        if (!n || !ec_str_eq(list->v[i], list->v[n - 1]))
            list->v[n++] = list->v[i];
    list->n = n;
}

/* A range of numbers of devices has the multiples of the cards of each machine as well. */
#define MACHINES_MAX 128

static enum ec_status add_machines(const struct ec_plan_query *q, struct ec_strs *list,
                                   struct ec_arena *a, struct ec_err *err)
{
    struct ec_topology_wish wish = { .devices = 1, .per_machine = q->opts.devices_per_machine };
    int64_t most = 0, least = 0, n, cards;
    struct ec_topology at;
    int i;

    order(list);
    (void)ec_parse_int(ec_span_of(list->v[0]), &least);
    (void)ec_parse_int(ec_span_of(list->v[list->n - 1]), &most);
    for (i = 0; i < q->n_devices; i++) {
        if (ec_device_topology(q->devices[i], &wish, &at, NULL) || at.per_machine < 2)
            continue;
        cards = (int64_t)at.per_machine;
        for (n = cards; n <= most && n <= cards * MACHINES_MAX; n += cards)
            if (n >= least)
                EC_PASS(ec_strs_add(list, a, err, "%lld", (long long)n));
    }
    order(list);
    return EC_OK;
}

/* Largest number among the values; 0: none is a number. */
static double largest(const struct ec_strs *list)
{
    double most = 0, v;
    int i;

    for (i = 0; i < list->n; i++)
        if (ec_parse_double(ec_span_of(list->v[i]), &v))
            most = fmax(most, v);
    return most;
}

/* Values of an option that is searched: those given, else the usual ones up to `most`. */
static enum ec_status fill_axis(struct ec_call *call, const char *name, const char *usual,
                                double most, struct ec_field_values *ret, struct ec_err *err)
{
    const struct plan_cmd_opts *o = call->opts;
    const struct ec_field *f = ec_field_find(ec_predict_fields, ec_span_of(name));
    const struct ec_field_values *given = ec_call_list(call, name);
    struct ec_buf text = EC_BUF_INIT;
    enum ec_status st = EC_OK;
    int i;

    *ret = (struct ec_field_values){ .field = f->name };
    for (i = 0; given && i < given->values.n; i++)
        EC_TRY(ec_strs_add(&ret->values, &call->arena, err, "%s", given->values.v[i]));
    if (!given && ec_call_given(call, name)) {
        ec_field_print(f, &o->query, &text);
        EC_TRY(ec_buf_status(&text, err));
        usual = ec_buf_text(&text);
        most = HUGE_VAL;
    }
    if (!given)
        EC_TRY(add_words(&ret->values, usual, most, &call->arena, err));
    if (given && f->type == EC_F_INT)
        order(&ret->values);
out:
    ec_buf_clear(&text);
    return st;
}

/* Micro-batches of networks of tokens are small: a sample is long. */
#define MOST_SEQUENCES 64
/* Orders of images matter to matrix units. */
static bool may_reorder(const struct plan_job *job, const struct ec_plan_query *q)
{
    int i;

    for (i = 0; i < q->n_devices; i++)
        if (job->images && ec_matrix_flop_per_s(q->devices[i], EC_FP16) > 0)
            return true;
    return false;
}

/* Parameters whose float32 gradients and states take less than about 2 GB: nobody divides them,
 * since what is saved is a small part of any card. */
#define FEW_PARAMETERS 125e6

static enum ec_status make_axes(struct ec_call *call, const struct plan_job *job,
                                struct ec_plan_query *q, struct ec_err *err)
{
    const struct plan_cmd_opts *o = call->opts;
    struct ec_field_values *v =
        ec_arena_alloc(&call->arena, sizeof *v * (EC_CALL_LISTS + EC_LEN(searched)));
    struct ec_field_values counts;
    double most, samples = (double)o->query.global_batch;
    const char *usual;
    int i;

    EC_PASS(ec_allocated(v, err));
    q->axes = v;
    for (i = 0; i < call->n_lists; i++)
        if (!is_searched(call->lists[i].field))
            v[q->n_axes++] = call->lists[i];
    EC_PASS(fill_axis(call, "devices", ec_call_given(call, "devices") ? "1" : "1,2,4,8", HUGE_VAL,
                      &counts, err));
    counts.has_range = !ec_call_given(call, "devices") ||
                       (ec_call_list(call, "devices") && ec_call_list(call, "devices")->has_range);
    q->whole_machines = counts.has_range;
    q->splits_packed = ec_call_given(call, "tp");
    if (counts.has_range)
        EC_PASS(add_machines(q, &counts.values, &call->arena, err));
    for (i = 0; i < EC_LEN(searched) - 1; i++) {
        most = job->params < FEW_PARAMETERS ? 1 : largest(&counts.values);
        if (ec_str_eq(searched[i].name, "micro_batch"))
            most = fmin(samples > 0 ? samples : HUGE_VAL, job->tokens ? MOST_SEQUENCES : HUGE_VAL);
        else if (ec_str_eq(searched[i].name, "ep"))
            most = fmin(most, job->experts);
        else if (ec_str_eq(searched[i].name, "zero"))
            most = o->query.strategy == EC_STRATEGY_fsdp || job->params < FEW_PARAMETERS ? 0 : 3;
        usual = searched[i].values;
        if (ec_str_eq(searched[i].name, "layout") && !may_reorder(job, q))
            usual = ec_memory_format_names[EC_CHANNELS_FIRST];
        EC_PASS(fill_axis(call, searched[i].name, usual, most, &v[q->n_axes++], err));
    }
    v[q->n_axes++] = counts;
    return EC_OK;
}

/* ------------------------------------------------------------------------------------------------
 * Search */

static void tell(int done, int n)
{
    static int last = -1; /* percent; the search calls it from one thread at a time */

    if (n && 100 * (int64_t)done / n != last)
        ec_say_over("searching: %lld %%", (long long)(100 * (int64_t)done / n));
    last = n ? (int)(100 * (int64_t)done / n) : -1;
}

static enum ec_status parse_limits(struct ec_call *call, struct ec_plan_query *q,
                                   struct ec_err *err)
{
    const struct plan_cmd_opts *o = call->opts;
    struct ec_span money = ec_span_trim(ec_span_of(o->budget ? o->budget : "0"));

    if (money.len && money.p[0] == '$')
        money = (struct ec_span){ money.p + 1, money.len - 1 };
    if (money.len > 3 && !strncasecmp(money.p + money.len - 3, "usd", 3))
        money = ec_span_trim((struct ec_span){ money.p, money.len - 3 });
    if (!ec_parse_double(money, &q->budget) || !(q->budget >= 0) || !isfinite(q->budget))
        return ec_usage(call, err, "--budget: found \"%.40s\", expected USD such as 5000usd",
                        o->budget);
    if (o->deadline && !ec_parse_duration(ec_span_of(o->deadline), &q->deadline_ns))
        return ec_usage(call, err, "--deadline: found \"%.40s\", expected a time such as 72h or 3d",
                        o->deadline);
    if (o->energy && !ec_parse_energy(ec_span_of(o->energy), &q->energy_j))
        return ec_usage(call, err, "--energy: found \"%.40s\", expected an energy such as 500kWh",
                        o->energy);
    return EC_OK;
}

/* A limit of the energy holds for devices whose power is known. */
static enum ec_status keep_powered(struct ec_call *call, struct ec_plan_query *q,
                                   struct ec_err *err)
{
    const char *left_out = "";
    int i, n = 0;

    for (i = 0; q->energy_j > 0 && i < q->n_devices; i++)
        if (q->devices[i]->tdp_w.src != EC_SRC_NONE)
            q->devices[n++] = q->devices[i];
        else
            left_out = ec_arena_printf(&call->arena, "%s%s%s", left_out, *left_out ? ", " : "",
                                       ec_device_key(q->devices[i]));
    EC_PASS(ec_allocated(left_out, err));
    if (!*left_out)
        return EC_OK;
    if (!n)
        return ec_fail(err, EC_E_UNSUPPORTED,
                       "--energy: the board power of %s is not known, nor what it takes", left_out);
    q->n_devices = n;
    ec_say("left out for --energy, as their board power is not known: %s\n", left_out);
    return EC_OK;
}

static enum ec_status make_query(struct ec_call *call, struct ec_plan_query *q, struct ec_err *err)
{
    struct plan_cmd_opts *o = call->opts;
    struct ec_predictor *p = NULL;
    struct plan_job job;
    enum ec_status st;

    EC_TRY(parse_limits(call, q, err));
    EC_TRY(ec_devices_named(&o->device, &q->devices, &q->n_devices, &call->arena, err));
    if (o->prices) {
        EC_TRY(ec_prices_read(o->prices, &q->prices, &call->arena, err));
        q->n_devices = ec__keep_priced(&q->prices, o->price_kind, q->devices, q->n_devices);
        if (q->budget > 0 && !ec_price_of(&q->prices, q->devices[0], NULL))
            EC_TRY(ec_fail(err, EC_E_NOT_FOUND, "--budget: no device of --device has a price"));
    }
    EC_TRY(keep_powered(call, q, err));
    EC_TRY(ec_predictor_new(&p, err));
    EC_TRY(ec__use_profile(call, o->profile, p, q->devices, q->n_devices, err));
    q->profile = o->profile ? o->profile : call->profile;
    EC_TRY(ec__plan_settle(call, &job, err));
    q->model = o->model;
    q->opts = o->query;
    q->memory_chance = o->memory_chance;
    q->threads = (int)sysconf(_SC_NPROCESSORS_ONLN);
    q->stop = ec_interrupted;
    q->until_ns = ec_compute_end_ns();
    q->tell = isatty(STDERR_FILENO) ? tell : NULL;
    EC_TRY(make_axes(call, &job, q, err));
out:
    ec_predictor_free(p);
    return st;
}

static enum ec_status search(const struct ec_plan_query *q, struct ec_plan *ret, struct ec_err *err)
{
    enum ec_status st;

    ec_interrupt_watch();
    st = ec_plan_search(q, ret, err);
    ec_interrupt_end();
    if (q->tell)
        ec_say_nothing_over();
    return st;
}

/* ------------------------------------------------------------------------------------------------
 * Rows */

static bool is_plain_word(const char *word)
{
    return !word[strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                              "_-+.,:/=@%")];
}

static void add_word(struct ec_buf *out, const char *word)
{
    if (*word && is_plain_word(word)) {
        ec_buf_str(out, word);
        return;
    }
    ec_buf_char(out, '\'');
    for (; *word; word++)
        if (*word == '\'')
            ec_buf_str(out, "'\\''");
        else
            ec_buf_char(out, *word);
    ec_buf_char(out, '\'');
}

/* The command that gives the same answer. The precision is always said: without it a device might
 * have another. */
static const char *command_of(const char *model, const char *device, const char *profile,
                              const struct ec_predict_opts *o, struct ec_arena *a)
{
    struct ec_buf out = EC_BUF_INIT, value = EC_BUF_INIT;
    const struct ec_field *f;
    const char *ret = NULL;
    char flag[EC_FLAG_BYTES];

    ec_buf_str(&out, "epochcast predict ");
    add_word(&out, model);
    ec_buf_str(&out, " --device ");
    add_word(&out, device);
    if (profile) {
        ec_buf_str(&out, " --profile ");
        add_word(&out, profile);
    }
    for (f = ec_predict_fields; f->name; f++) {
        if (ec_field_is_default(f, o) && !ec_str_eq(f->name, "precision"))
            continue;
        ec_buf_char(&out, ' ');
        if (f->type == EC_F_BOOL) {
            ec_buf_str(&out, ec_flag_offered(f, flag, sizeof flag));
            continue;
        }
        ec_buf_reset(&value);
        ec_field_print(f, o, &value);
        ec_buf_str(&out, ec_flag_text(f->name, flag, sizeof flag));
        ec_buf_char(&out, ' ');
        add_word(&out, ec_buf_text(&value));
    }
    if (!out.st && !value.st)
        ret = ec_arena_str(a, ec_buf_text(&out));
    ec_buf_clear(&out);
    ec_buf_clear(&value);
    return ret;
}

static enum ec_status fill_row(struct ec_call *call, struct ec_predictor *p,
                               const struct ec_plan_query *q, struct plan_row *row,
                               struct ec_err *err)
{
    const struct plan_cmd_opts *o = call->opts;
    const char *device = ec_device_key(q->devices[row->at->device]);
    /* of a server's file the name alone is said */
    const char *profile = o->profile || !q->profile ? o->profile : ec_path_name(q->profile);
    bool of_profile = profile && ec_str_eq(ec_predictor_profile(p)->device, device);

    EC_PASS(ec_plan_opts(q, row->at, &row->opts, err));
    EC_PASS(ec_predict_network(p, q->model, device, &row->opts, &row->r, err));
    row->command =
        command_of(q->model, device, of_profile ? profile : NULL, &row->opts, &call->arena);
    return ec_allocated(row->command, err);
}

static const char *mark_of(const struct ec_plan_front *f, const struct ec_plan_point *at)
{
    return at == f->best && at == f->surest ? "expected, 95 %"
           : at == f->best                  ? "expected"
           : at == f->surest                ? "at 95 %"
                                            : NULL;
}

static const char *why_of(struct ec_arena *a, const struct ec_plan_front *f, int i)
{
    const struct ec_plan_point *at = f->v[i], *first = f->v[0];
    double times = at->time_ns / first->time_ns;
    char how[32], slower[48];

    if (f->n == 1)
        return "fastest and cheapest";
    if (i == 0)
        return "fastest";
    if (times < 1.095)
        (void)ec_snprintf(slower, sizeof slower, "%.*f %% slower", times < 1.01 ? 1 : 0,
                          100 * (times - 1));
    else
        (void)ec_snprintf(slower, sizeof slower, "%s times as long",
                          ec_fmt_times(how, sizeof how, times));
    return ec_arena_printf(a, "%s%.*f %% cheaper, %s", i == f->n - 1 ? "cheapest: " : "",
                           at->cost < 0.99 * first->cost ? 0 : 1,
                           100 * (1 - at->cost / first->cost), slower);
}

/* What is lost without row i of a front: its distance to its neighbours, as logarithms. */
static double gap(const struct ec_plan_front *f, const int *kept, int k)
{
    const struct ec_plan_point *a = f->v[kept[k - 1]], *b = f->v[kept[k + 1]];

    return log(b->time_ns / a->time_ns) + log(a->cost / b->cost);
}

/* A line that saves less is not worth one, unless --top asks for it. */
#define WORTH 0.99

/* The ends and the best stay; of the others those leave first that are closest to their
 * neighbours. */
static int choose(const struct ec_plan_front *f, int most, double worth, int *kept)
{
    int n, i, k, least;

    for (n = 0, i = 0; i < f->n; i++)
        if (i == 0 || i == f->n - 1 || mark_of(f, f->v[i]) ||
            f->v[i]->cost < worth * f->v[kept[n - 1]]->cost)
            kept[n++] = i;
    while (n > most) {
        for (least = -1, k = 1; k < n - 1; k++)
            if (!mark_of(f, f->v[kept[k]]) && (least < 0 || gap(f, kept, k) < gap(f, kept, least)))
                least = k;
        if (least < 0)
            break;
        n--;
        for (k = least; k < n; k++)
            kept[k] = kept[k + 1];
    }
    return n;
}

static enum ec_status make_rows(struct ec_call *call, struct plan_answer *a, struct ec_err *err)
{
    const struct plan_cmd_opts *o = call->opts;
    const struct ec_plan_front *f = &a->front;
    int *kept = ec_arena_alloc(&call->arena, sizeof *kept * ((size_t)f->n + 1));
    struct ec_predictor *p = NULL;
    enum ec_status st;
    bool surest_is_in = !f->surest;
    int i;

    a->v = ec_arena_alloc(&call->arena, sizeof *a->v * ((size_t)f->n + 1));
    EC_TRY(ec_allocated(a->v && kept, err));
    EC_TRY(ec_predictor_new(&p, err));
    EC_TRY(ec_predictor_use_profile(p, a->q.profile, err));
    a->n = choose(f, (int)o->top, ec_call_given(call, "top") ? 1 : WORTH, kept);
    for (i = 0; i < a->n; i++) {
        a->v[i].at = f->v[kept[i]];
        a->v[i].why = why_of(&call->arena, f, kept[i]);
        surest_is_in |= a->v[i].at == f->surest;
    }
    if (!surest_is_in)
        a->v[a->n++] = (struct plan_row){ .at = f->surest, .why = "surely within the limits" };
    for (i = 0; i < a->n; i++) {
        a->v[i].mark = mark_of(f, a->v[i].at);
        EC_TRY(fill_row(call, p, &a->q, &a->v[i], err));
    }
out:
    ec_predictor_free(p);
    return st;
}

/* ------------------------------------------------------------------------------------------------
 * Why not */

static enum ec_status fix_axis(struct ec_call *call, const char *name, const char *value,
                               struct ec_plan_query *q, struct ec_err *err)
{
    struct ec_field_values *v = ec_arena_alloc(&call->arena, sizeof *v * (size_t)q->n_axes);
    struct ec_predict_opts checked = q->opts;
    int i;

    EC_PASS(ec_allocated(v, err));
    EC_PASS(ec_predict_opts_set(&checked, name, value, err));
    memcpy(v, q->axes, sizeof *v * (size_t)q->n_axes);
    q->axes = v;
    for (i = 0; i < q->n_axes; i++)
        if (ec_str_eq(v[i].field, name)) {
            v[i].values = (struct ec_strs){ 0 };
            EC_PASS(ec_strs_add(&v[i].values, &call->arena, err, "%s", value));
            return EC_OK;
        }
    q->opts = checked;
    return EC_OK;
}

/* The one option of which a word is a choice, as "qlora" of tuning; NULL: none, or several. */
static const struct ec_field *option_of(const char *word)
{
    const struct ec_field *f, *found = NULL;
    int i, n = 0;

    for (f = ec_predict_fields; f->name; f++)
        for (i = 0; f->type == EC_F_ENUM && f->choices[i]; i++)
            if (ec_str_eq(f->choices[i], word)) {
                found = f;
                n++;
            }
    return n == 1 ? found : NULL;
}

/* "h100 x8 tp=4 qlora": a device, a number of them, values of options. */
static enum ec_status narrow(struct ec_call *call, const char *text, struct ec_plan_query *q,
                             struct ec_err *err)
{
    struct ec_span all = ec_span_of(text), one;
    enum ec_status st = EC_OK;
    const struct ec_field *f;
    int64_t n;

    while (all.p && ec_span_cut(&all, ' ', &one)) {
        char *word = ec_arena_strn(&call->arena, one.p, one.len), *equals, *c;

        EC_PASS(ec_allocated(word, err));
        equals = strchr(word, '=');
        if (!one.len)
            continue;
        if (word[0] == 'x' && ec_parse_int(ec_span_of(word + 1), &n)) {
            EC_TRY(fix_axis(call, "devices", word + 1, q, err));
        } else if (equals) {
            *equals = '\0';
            for (c = word; *c; c++)
                *c = *c == '-' ? '_' : *c;
            EC_TRY(fix_axis(call, ec_str_eq(word, "batch") ? "micro_batch" : word, equals + 1, q,
                            err));
        } else {
            struct ec_strs words = { 1, 1, (const char *[]){ word } };

            st = ec_devices_named(&words, &q->devices, &q->n_devices, &call->arena, err);
            f = st == EC_E_NOT_FOUND ? option_of(word) : NULL;
            EC_TRY(f ? fix_axis(call, f->name, word, q, err) : st);
        }
    }
out:
    if (st == EC_E_INPUT || st == EC_E_NOT_FOUND)
        ec_err_prefix(err, "--why-not: ");
    return st;
}

static const char *name_of(struct ec_call *call, const struct ec_plan_query *q,
                           const struct plan_row *row)
{
    return ec_arena_printf(&call->arena, "%s x%lld (%s, batch %s)",
                           ec_device_key(q->devices[row->at->device]), (long long)row->at->count,
                           ec__plan_how(q, row, &call->arena), ec__plan_batches(row, &call->arena));
}

static const char *amounts(struct ec_call *call, const struct ec_plan_point *at, bool has_cost)
{
    char time[32], cost[32];

    return ec_arena_printf(&call->arena, "%s and %s %s", ec_fmt_ns(time, sizeof time, at->time_ns),
                           ec_fmt_digits3(cost, sizeof cost, at->cost),
                           has_cost ? "USD" : "device-hours");
}

static const char *ruled_out(struct ec_call *call, const struct plan_answer *a,
                             const struct plan_row *row)
{
    const struct ec_plan_point *at = row->at;
    double p50 = at->need_bytes, p95 = row->r.memory_needed_bytes.p95, bytes = at->usable_bytes;
    char need[32], limit[32], chance[32];
    int i;

    switch (ec_plan_judge(&a->q, at)) {
    case EC_PLAN_FULL:
        return ec_arena_printf(
            &call->arena,
            "does not fit with a probability of %.0f %%: it needs %s (95 %%: %s) "
            "of %s",
            100 * a->q.memory_chance, ec_fmt_bytes_apart(need, sizeof need, p50, bytes),
            ec_fmt_bytes_apart(chance, sizeof chance, p95, bytes),
            ec_fmt_bytes_apart(limit, sizeof limit, bytes,
                               fabs(p50 - bytes) < fabs(p95 - bytes) ? p50 : p95));
    case EC_PLAN_LATE:
        return ec_arena_printf(&call->arena,
                               "takes %s: the chance to be within the limits is %.0f %%",
                               amounts(call, at, row->r.has_cost), 100 * at->in_limits);
    case EC_PLAN_OK:
        break;
    }
    for (i = 0; i < a->n; i++)
        if (a->v[i].at->time_ns <= at->time_ns && a->v[i].at->cost <= at->cost)
            return a->v[i].at->time_ns == at->time_ns && a->v[i].at->cost == at->cost
                       ? ec_arena_printf(&call->arena, "nothing: it is line %d", i + 1)
                       : ec_arena_printf(&call->arena, "takes %s; line %d, %s, takes %s",
                                         amounts(call, at, row->r.has_cost), i + 1,
                                         name_of(call, &a->q, &a->v[i]),
                                         amounts(call, a->v[i].at, row->r.has_cost));
    return ec_arena_printf(&call->arena,
                           "nothing: it takes %s, and no line is as fast and as cheap",
                           amounts(call, at, row->r.has_cost));
}

/* The best of those that are so: what is fastest of what fits, else what nearly fits. */
static enum ec_status explain(struct ec_call *call, struct plan_answer *a, struct ec_err *err)
{
    const struct plan_cmd_opts *o = call->opts;
    struct ec_plan_query q = a->q;
    struct ec_predictor *p = NULL;
    struct ec_plan found = { 0 };
    struct ec_plan_front front = { 0 };
    struct plan_row row = { 0 };
    enum ec_status st;

    if (!o->why_not)
        return EC_OK;
    EC_TRY(narrow(call, o->why_not, &q, err));
    q.exhaustive = true;
    q.whole_machines = false;
    q.splits_packed = true;
    EC_TRY(search(&q, &found, err));
    EC_TRY(ec_plan_front(&q, &found, &front, err));
    row.at = front.n ? front.v[0] : found.nearest.index >= 0 ? &found.nearest : NULL;
    if (!row.at && found.n_refused) {
        a->why_not =
            ec_arena_printf(&call->arena, "%s: not possible: %s", o->why_not, found.refused);
    } else if (!row.at) {
        struct ec_plan_point first = { .device = 0 };
        struct ec_err why = { 0 };

        EC_TRY(ec_plan_opts(&q, &first, &row.opts, err));
        a->why_not =
            ec_arena_printf(&call->arena, "%s: not possible%s%s", o->why_not,
                            ec_predict_opts_check(&row.opts, false, &why) ? ": " : "", why.text);
    } else {
        EC_TRY(ec_predictor_new(&p, err));
        EC_TRY(ec_predictor_use_profile(p, q.profile, err));
        EC_TRY(fill_row(call, p, &q, &row, err));
        a->why_not = ec_arena_printf(&call->arena, "%s: at best %s: %s", o->why_not,
                                     name_of(call, &q, &row), ruled_out(call, a, &row));
    }
    EC_TRY(ec_allocated(a->why_not, err));
out:
    ec_predictor_free(p);
    ec_free(front.v);
    ec_plan_clear(&found);
    return st;
}

/* ------------------------------------------------------------------------------------------------
 * The command */

static enum ec_status none_fits(const struct ec_call *call, const struct plan_answer *a,
                                struct ec_err *err)
{
    const struct ec_plan *p = &a->found;
    const struct ec_plan_point *at = &p->nearest;
    bool unsure = at->need_bytes < at->usable_bytes;
    char need[32], usable[32];

    if (p->stopped)
        return ec_fail(err, EC_E_UNSUPPORTED,
                       "interrupted before a configuration that fits was found");
    if (at->index >= 0)
        return ec_fail(err, EC_E_UNSUPPORTED,
                       "none of the %d possible configurations fits with a probability of %.0f %%: "
                       "the nearest, %lld x %s, needs %s %s of %s on each%s%s%s",
                       p->n_possible, 100 * a->q.memory_chance, (long long)at->count,
                       ec_device_key(a->q.devices[at->device]), unsure ? "about" : "at least",
                       ec_fmt_bytes_apart(need, sizeof need, at->need_bytes, at->usable_bytes),
                       ec_fmt_bytes_apart(usable, sizeof usable, at->usable_bytes, at->need_bytes),
                       unsure ? ", which probably fits: a lower --memory-chance accepts it" : "",
                       ec_call_given(call, "devices") ? "" : "; --devices 1..64 tries more of them",
                       unsure || ec_call_given(call, "tuning") || !a->q.opts.tokens
                           ? ""
                           : "; --tuning lora,qlora trains adapters alone");
    return ec_fail(err, EC_E_UNSUPPORTED, "no configuration can be predicted%s%s",
                   *p->refused ? ": " : "", p->refused);
}

static enum ec_status run(struct ec_call *call, struct ec_err *err)
{
    struct plan_cmd_opts *o = call->opts;
    struct plan_answer a = { .n = 0 };
    enum ec_status st;

    o->query.struct_size = sizeof o->query;
    if (o->jobs)
        return ec__plan_jobs(call, err);
    if (!o->query.samples && !o->query.tokens && !(o->query.dataset && *o->query.dataset))
        return ec_usage(call, err, "how large is the job? Give --tokens, --samples or --dataset");
    EC_TRY(make_query(call, &a.q, err));
    EC_TRY(search(&a.q, &a.found, err));
    EC_TRY(ec_plan_front(&a.q, &a.found, &a.front, err));
    if (!a.front.n && !o->why_not)
        EC_TRY(none_fits(call, &a, err));
    EC_TRY(make_rows(call, &a, err));
    EC_TRY(explain(call, &a, err));
    EC_TRY(ec__plan_show(call, &a, err));
    if (a.found.stopped)
        ec_call_interrupted(call, "the table has the best of what was predicted so far");
out:
    ec_free(a.front.v);
    ec_plan_clear(&a.found);
    return st;
}
