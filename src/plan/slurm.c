/* Job scripts of Slurm, by the words of sbatch(1). */
#include "plan/slurm.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "learn/learn.h"

#include "plan_lists.h"

#define MINUTE_NS 60e9
#define HOUR_NS 3600e9
#define DAY_NS 86400e9

/* ------------------------------------------------------------------------------------------------
 * Reading */

/* "90", "90:30", "12:00:00", "2-12", "2-12:30", "2-12:30:00", "UNLIMITED" */
static bool parse_time(struct ec_span s, struct ec_slurm_script *script, void *at)
{
    double *ret = at;
    static const double of_clock[] = { HOUR_NS, MINUTE_NS, 1e9 };
    struct ec_span rest = s, day = { NULL, 0 }, part;
    double v = 0;
    int64_t n, parts[3];
    int n_parts = 0, i, first;

    (void)script;
    if (ec_span_eq(s, "UNLIMITED") || ec_span_eq(s, "INFINITE")) {
        *ret = (double)INFINITY;
        return true;
    }
    if (s.len && memchr(s.p, '-', s.len)) {
        (void)ec_span_cut(&rest, '-', &day);
        if (!ec_parse_int(day, &n) || n < 0)
            return false;
        v = (double)n * DAY_NS;
    }
    while (rest.p && n_parts < 3 && ec_span_cut(&rest, ':', &part))
        if (!ec_parse_int(part, &parts[n_parts]) || parts[n_parts++] < 0)
            return false;
    if (rest.p || !n_parts)
        return false;
    first = day.p || n_parts == 3 ? 0 : 1; /* without days one or two are minutes and seconds */
    for (i = 0; i < n_parts; i++)
        v += (double)parts[i] * of_clock[first + i];
    *ret = v > 0 ? v : (double)INFINITY; /* 0 asks for no limit */
    return true;
}

/* "64G", "64000M"; megabytes without a unit. 0: all that there is. */
static bool parse_size(struct ec_span s, struct ec_slurm_script *script, void *at)
{
    double *ret = at;
    static const char units[] = { 'K', 'M', 'G', 'T' };
    const char *unit = s.len ? memchr(units, s.p[s.len - 1] & ~0x20, sizeof units) : NULL;
    int64_t n;

    (void)script;
    if (unit)
        s.len--;
    if (!ec_parse_int(s, &n) || n < 0)
        return false;
    *ret = ldexp((double)n, 10 * (unit ? (int)(unit - units) + 1 : 2));
    return true;
}

static bool parse_count(struct ec_span s, struct ec_slurm_script *script, void *at)
{
    int64_t *ret = at;

    (void)script;
    return ec_parse_int(s, ret) && *ret >= 1 && *ret <= 1 << 24;
}

/* "4", or the most of "2-4". */
static bool parse_nodes(struct ec_span s, struct ec_slurm_script *script, void *at)
{
    struct ec_span rest = s, first = { NULL, 0 };

    (void)ec_span_cut(&rest, '-', &first);
    return parse_count(rest.p ? rest : first, script, at);
}

/* "8", "h100:8", "h100:8(S:0-1)" */
static bool parse_gpus(struct ec_span s, struct ec_slurm_script *script, void *at)
{
    const char *end = s.len ? memchr(s.p, '(', s.len) : NULL;
    struct ec_span rest, type;

    if (end)
        s.len = (size_t)(end - s.p);
    rest = s;
    if (!ec_span_cut(&rest, ':', &type) || !rest.p)
        return parse_count(s, script, at);
    if (type.len >= sizeof script->gpu_type)
        type.len = sizeof script->gpu_type - 1;
    memcpy(script->gpu_type, type.p, type.len);
    script->gpu_type[type.len] = '\0';
    return parse_count(rest, script, at);
}

/* "gpu:8" or "gpu:h100:8" among others; without a number it is one. */
static bool parse_gres(struct ec_span s, struct ec_slurm_script *script, void *at)
{
    struct ec_span rest = s, item, word;

    while (rest.p && ec_span_cut(&rest, ',', &item)) {
        struct ec_span left = item;

        if (item.len > 5 && !memcmp(item.p, "gres/", 5))
            left = (struct ec_span){ item.p + 5, item.len - 5 };
        if (!ec_span_cut(&left, ':', &word) || word.len != 3 || memcmp(word.p, "gpu", 3) != 0)
            continue;
        script->gpus_per_node = 1;
        if (left.p && !parse_gpus(left, script, at))
            return false;
    }
    return true;
}

#define WORD(name_, letter_, how_, member_, like_)                                                 \
    { name_, letter_, parse_##how_, offsetof(struct ec_slurm_script, member_), like_ },
static const struct {
    const char *name;
    char letter;
    bool (*parse)(struct ec_span s, struct ec_slurm_script *script, void *at);
    size_t at;
    const char *like;
} words[] = { SLURM_WORDS(WORD) };

static struct ec_span next_word(struct ec_span *line)
{
    struct ec_span w;
    size_t n = 0;

    *line = ec_span_trim(*line);
    while (n < line->len && line->p[n] != ' ' && line->p[n] != '\t' && line->p[n] != '#')
        n++;
    if (n < line->len && line->p[n] == '#') /* a comment behind */
        line->len = n;
    w = (struct ec_span){ line->p, n };
    *line = (struct ec_span){ line->p + n, line->len - n };
    return w;
}

/* The row of an option, and its value where it stands in the same word. -1: none of ours */
static int find_word(struct ec_span w, struct ec_span *ret_value)
{
    struct ec_span rest, name;
    int i;

    *ret_value = (struct ec_span){ NULL, 0 };
    if (w.len >= 2 && w.p[0] == '-' && w.p[1] != '-') {
        for (i = 0; i < EC_LEN(words) && words[i].letter != w.p[1]; i++)
            continue;
        if (w.len > 2)
            *ret_value = (struct ec_span){ w.p + 2, w.len - 2 };
        return i < EC_LEN(words) ? i : -1;
    }
    if (w.len < 3 || w.p[0] != '-' || w.p[1] != '-')
        return -1;
    rest = (struct ec_span){ w.p + 2, w.len - 2 };
    (void)ec_span_cut(&rest, '=', &name);
    if (rest.p)
        *ret_value = rest;
    for (i = 0; i < EC_LEN(words); i++)
        if (strlen(words[i].name) == name.len && !memcmp(words[i].name, name.p, name.len))
            return i;
    return -1;
}

enum ec_status ec_slurm_parse(struct ec_span text, struct ec_slurm_script *ret, struct ec_err *err)
{
    static const char begin[] = "#SBATCH";
    struct ec_span rest = text, line, w, value;
    int number = 0, word;

    memset(ret, 0, sizeof *ret);
    while (rest.p && ec_span_cut(&rest, '\n', &line)) {
        number++;
        line = ec_span_trim(line);
        if (!line.len)
            continue;
        if (line.p[0] != '#') /* the first command ends them */
            break;
        if (line.len < sizeof begin || memcmp(line.p, begin, sizeof begin - 1) != 0)
            continue;
        line = (struct ec_span){ line.p + sizeof begin - 1, line.len - (sizeof begin - 1) };
        while (line = ec_span_trim(line), line.len) {
            w = next_word(&line);
            if (!w.len)
                break;
            word = find_word(w, &value);
            if (word < 0)
                continue;
            if (!value.p)
                value = next_word(&line);
            if (!words[word].parse(value, ret, (char *)ret + words[word].at))
                return ec_fail(err, EC_E_PARSE, "line %d: --%s: found \"%.*s\", expected %s",
                               number, words[word].name, (int)(value.len > 60 ? 60 : value.len),
                               value.len ? value.p : "", words[word].like);
        }
    }
    return EC_OK;
}

double ec_slurm_gpus(const struct ec_slurm_script *s)
{
    double nodes = s->nodes ? (double)s->nodes : 1;
    double tasks = s->tasks            ? (double)s->tasks
                   : s->tasks_per_node ? nodes * (double)s->tasks_per_node
                                       : 1;

    return s->gpus            ? (double)s->gpus
           : s->gpus_per_node ? nodes * (double)s->gpus_per_node
                              : tasks * (double)s->gpus_per_task;
}

/* ------------------------------------------------------------------------------------------------
 * What a job needs */

#define MOST_99 2.326
/* Of the host, assumed: a process with PyTorch and the libraries of a GPU, and its loader. */
#define PROCESS_BYTES (6 * 0x1p30)
#define LEAST_RESTARTS 0.1

/* Log-normal above the median, as the interval is. */
static double point_99(const struct ec_interval *i)
{
    return i->p50 * pow(i->p95 / i->p50, MOST_99 / EC_NORMAL_95);
}

enum ec_status ec_slurm_need(const char *model, const struct ec_device *d,
                             const struct ec_predict_opts *o, const struct ec_prediction *r,
                             struct ec_slurm_need *ret, struct ec_err *err)
{
    double per_node = fmin((double)r->devices, (double)r->devices_per_machine);
    double held = r->checkpoint_bytes / (double)r->machines;

    if (!r->has_job)
        return ec_fail(err, EC_E_INPUT,
                       "how large is the job? Give --epochs, --samples, --tokens or --steps");
    *ret = (struct ec_slurm_need){ .name = model,
                                   .device = d,
                                   .job_ns = r->job_time_ns,
                                   .nodes = r->machines,
                                   .gpus_per_node = (int64_t)per_node,
                                   .gpus = r->devices,
                                   .fits_probability = r->fits_probability,
                                   .restarts = r->failures > LEAST_RESTARTS,
                                   .is_guess = ec_is_guess(r) };
    ret->limit_ns = MINUTE_NS * ceil(fmax(1, point_99(&r->job_time_ns) / MINUTE_NS));
    /* a node's part of a checkpoint, while it is written; states that live there */
    ret->mem_bytes = per_node * PROCESS_BYTES + held * (o->parallel.offload ? 2 : 1);
    if (d->kind == EC_DEV_CPU)
        ret->mem_bytes += per_node * r->memory_peak_bytes.p95;
    return EC_OK;
}

static const char *fmt_limit(char *out, size_t size, double ns)
{
    double minutes = fmin(ceil(ns / MINUTE_NS), 1e12);
    int64_t all = (int64_t)minutes, days = all / 1440;

    if (days)
        (void)ec_snprintf(out, size, "%lld-%02lld:%02lld:00", (long long)days,
                          (long long)(all % 1440 / 60), (long long)(all % 60));
    else
        (void)ec_snprintf(out, size, "%02lld:%02lld:00", (long long)(all / 60),
                          (long long)(all % 60));
    return out;
}

void ec_slurm_print(const struct ec_slurm_need *n, struct ec_buf *out)
{
    bool is_cpu = n->device->kind == EC_DEV_CPU;
    char limit[40], text[2][32], count[24];
    const char *p;

    (void)ec_snprintf(count, sizeof count, "%lld", (long long)n->gpus_per_node);
    (void)ec_fmt_ns(text[0], sizeof text[0], n->is_guess ? n->job_ns.p05 : n->job_ns.p50);
    (void)ec_fmt_ns(text[1], sizeof text[1], n->job_ns.p95);
    ec_buf_printf(out,
                  "#!/bin/bash\n# The job takes %s%s%s%s; it ends within the limit with a "
                  "probability of 99 %%.\n",
                  text[0], n->is_guess ? " to " : " in the median", n->is_guess ? text[1] : "",
                  n->is_guess ? " (90 %), a guess: nothing like it was measured" : "");
    if (n->fits_probability >= 0 && n->fits_probability < EC_SURE)
        ec_buf_printf(out, "# It fits into the memory of %s with a probability of %.0f %% only.\n",
                      n->device->name, 100 * n->fits_probability);
    ec_buf_str(out, "#SBATCH --job-name=");
    p = strrchr(n->name, '/');
    for (p = p ? p + 1 : n->name; *p; p++)
        ec_buf_char(out, (*p >= '0' && *p <= '9') || (*p >= 'a' && *p <= 'z') ||
                                 (*p >= 'A' && *p <= 'Z') || *p == '.'
                             ? *p
                             : '_');
    ec_buf_printf(
        out,
        "\n#SBATCH --time=%s\n#SBATCH --nodes=%lld\n%s%s\n"
        "#SBATCH --ntasks-per-node=%s\n#SBATCH --mem=%.0fG\n",
        fmt_limit(limit, sizeof limit, n->limit_ns), (long long)n->nodes,
        is_cpu ? "#SBATCH --exclusive"
        : n->device->kind == EC_DEV_GPU
            ? "#SBATCH --gpus-per-node="
            : "# Not GPUs: ask for the devices by the --gres of your site; on each node: ",
        is_cpu ? "" : count, count, 8 * ceil(n->mem_bytes / 0x1p33));
    if (is_cpu && n->device->sm_count.src)
        ec_buf_printf(out, "#SBATCH --cpus-per-task=%.0f\n", n->device->sm_count.value);
    if (n->restarts)
        ec_buf_str(out, "#SBATCH --requeue\n");
}

/* ------------------------------------------------------------------------------------------------
 * Comparing */

/* One finding; `fault` counts. */
EC_PRINTF(4, 5)
static void say(struct ec_buf *out, int *faults, bool fault, const char *fmt, ...)
{
    va_list args;

    ec_buf_str(out, fault ? "WRONG  " : "ok     ");
    va_start(args, fmt);
    ec_buf_vprintf(out, fmt, args);
    va_end(args);
    ec_buf_char(out, '\n');
    *faults += fault;
}

static void check_time(const struct ec_slurm_script *s, const struct ec_slurm_need *n,
                       struct ec_buf *out, int *faults)
{
    char limit[40], need[40];
    double chance;

    (void)fmt_limit(need, sizeof need, n->limit_ns);
    if (!(s->limit_ns > 0)) {
        say(out, faults, true, "no --time: the queue's own limit may be shorter than %s", need);
        return;
    }
    if (isinf(s->limit_ns)) {
        say(out, faults, false, "--time is unlimited; 99 %% of such jobs end within %s", need);
        return;
    }
    chance = ec_interval_below(&n->job_ns, s->limit_ns);
    say(out, faults, chance < 0.99,
        "--time=%s: the job ends in it with a probability of %.0f %%%s%s",
        fmt_limit(limit, sizeof limit, s->limit_ns), 100 * chance,
        chance < 0.99 ? "; 99 % needs " : "", chance < 0.99 ? need : "");
}

/* "h100" may be any build of it. */
static bool is_product(const struct ec_device *a, const struct ec_device *b)
{
    const char *x = ec_device_measured_as(a), *y = ec_device_measured_as(b);

    return ec_product_len(x) == ec_product_len(y) && !memcmp(x, y, ec_product_len(x));
}

/* Whether the ways in which a script says how many agree. */
static void check_agreement(const struct ec_slurm_script *s, struct ec_buf *out, int *faults)
{
    int64_t nodes = s->nodes ? s->nodes : 1, gpus = (int64_t)ec_slurm_gpus(s);
    int64_t tasks = s->tasks ? s->tasks : nodes * s->tasks_per_node;
    int64_t on_nodes = nodes * s->gpus_per_node;

    if (s->gpus && on_nodes && (s->nodes ? on_nodes != gpus : gpus % s->gpus_per_node))
        say(out, faults, true, "--gpus=%lld, but %lld on each of %lld nodes", (long long)gpus,
            (long long)s->gpus_per_node, (long long)nodes);
    if (s->gpus_per_task && tasks && tasks * s->gpus_per_task != gpus)
        say(out, faults, true, "%lld GPUs, but %lld for each of %lld tasks", (long long)gpus,
            (long long)s->gpus_per_task, (long long)tasks);
    else if (!s->gpus_per_task && tasks && tasks != gpus && tasks != nodes)
        say(out, faults, true, "%lld tasks for %lld GPUs: expected one for each, or one on a node",
            (long long)tasks, (long long)gpus);
}

static void check_gpus(const struct ec_slurm_script *s, const struct ec_slurm_need *n,
                       struct ec_buf *out, int *faults)
{
    double gpus = ec_slurm_gpus(s), nodes = s->nodes ? (double)s->nodes : 1;
    const struct ec_device *d = NULL;

    if (n->device->kind == EC_DEV_CPU) {
        if (gpus > 0)
            say(out, faults, true, "%.0f GPUs; the job is predicted on a processor", gpus);
        return;
    }
    if (!(gpus > 0) && n->device->kind == EC_DEV_ACCELERATOR) {
        say(out, faults, nodes != (double)n->nodes, "%.0f nodes; predicted on %lld of %lld devices",
            nodes, (long long)n->nodes, (long long)n->gpus_per_node);
        return;
    }
    if (!(gpus > 0)) {
        say(out, faults, true, "no --gpus, --gpus-per-node or --gres=gpu: the job is of %lld",
            (long long)n->gpus);
        return;
    }
    say(out, faults, gpus != (double)n->gpus, "%.0f GPUs; the job is predicted on %lld", gpus,
        (long long)n->gpus);
    check_agreement(s, out, faults);
    if (s->nodes)
        say(out, faults, nodes != (double)n->nodes, "--nodes=%.0f; predicted on %lld of %lld GPUs",
            nodes, (long long)n->nodes, (long long)n->gpus_per_node);
    if (*s->gpu_type && !ec_device_find(s->gpu_type, &d, NULL))
        say(out, faults, !is_product(d, n->device), "GPUs are %s; predicted on %s", s->gpu_type,
            n->device->name);
}

int ec_slurm_check(const struct ec_slurm_script *s, const struct ec_slurm_need *n,
                   struct ec_buf *out)
{
    double given =
        s->mem_bytes > 0 ? s->mem_bytes : s->mem_per_gpu_bytes * (double)n->gpus_per_node;
    char asked[32], needed[32];
    int faults = 0;

    check_time(s, n, out, &faults);
    check_gpus(s, n, out, &faults);
    if (given > 0)
        say(out, &faults, given < n->mem_bytes, "%s of host memory on a node; about %s are needed",
            ec_fmt_bytes_apart(asked, sizeof asked, given, n->mem_bytes),
            ec_fmt_bytes_apart(needed, sizeof needed, n->mem_bytes, given));
    if (n->fits_probability >= 0)
        say(out, &faults, n->fits_probability < EC_SURE,
            "it fits into the memory of %s with a probability of %.0f %%", n->device->name,
            100 * n->fits_probability);
    return faults;
}
