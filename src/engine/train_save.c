/* Checkpoints: weights, running statistics, optimizer state and where the run stands, in one
 * safetensors file. Other programs find the weights under their own names; what is ours has names
 * that begin with "optimizer." and notes. docs/engine.md describes the file. */
#include "engine/train_internal.h"

#include "graph/graph.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FORMAT "epochcast.checkpoint/2"
enum { NUMBER_CHARS = EC_FMT_DOUBLE_BYTES };

/* Exactly: doubles by their shortest text that reads back as the same. */
static void numbers_of(const struct ec_train_state *s, struct ec_buf *out)
{
    const double sums[] = { s->sums.loss, s->sums.correct, s->sums.counted, s->best };
    char text[NUMBER_CHARS];
    int i;

    ec_buf_printf(out, "%lld %lld %lld %lld", (long long)s->epoch, (long long)s->step,
                  (long long)s->updates, (long long)s->steps);
    for (i = 0; i < EC_LEN(sums); i++)
        ec_buf_printf(out, " %s", ec_fmt_double(text, sizeof text, sums[i]));
}

static void curve_of(const struct ec_train_result *r, struct ec_buf *out)
{
    int i, k;

    for (i = 0; i < r->n_curve; i++) {
        const struct ec_train_epoch *e = &r->curve[i];
        const double v[] = { e->train_loss,   e->train_accuracy, e->val_loss,
                             e->val_accuracy, e->rate,           e->grad_norm,
                             e->time_s,       e->images_per_s,   e->wait_frac };
        char text[NUMBER_CHARS];

        for (k = 0; k < EC_LEN(v); k++)
            ec_buf_printf(out, "%s%s",
                          k   ? " "
                          : i ? ";"
                              : "",
                          ec_fmt_double(text, sizeof text, v[k]));
    }
}

/* What must be the same for a run to go on. Threads, files and the length of the run may change. */
static void settings_of(const struct ec_trainer *t, struct ec_buf *out)
{
    ec_buf_printf(out,
                  "network=%s batch=%lld accumulate=%lld world=%lld optimizer=%s loss=%s "
                  "seed=%lld data=%s samples=%lld",
                  t->g->name, (long long)t->o->batch, (long long)t->micro, (long long)t->world,
                  ec_optimizer_names[t->o->cond.optimizer], ec_loss_names[t->loss],
                  (long long)t->o->seed, t->info->name, (long long)t->info->count[EC_PART_TRAIN]);
}

/* --- Writing --- */

struct listing {
    struct ec_trainer *t;
    struct ec_arena arena;
    struct ec_tensor *v;
    int n;
};

static void add_tensor(struct listing *l, const struct ec_value *v, const char *name)
{
    struct ec_tensor *x = &l->v[l->n++];
    int64_t n = 0;

    (void)ec_shape_count(&v->type.shape, &n);
    x->name = name;
    x->dtype = EC_DT_f32;
    x->shape = v->type.shape;
    x->bytes = n * (int64_t)sizeof(float);
}

static enum ec_status list_tensors(struct listing *l, struct ec_err *err)
{
    const struct ec_graph *g = l->t->g;
    int i, which;

    l->v = ec_arena_alloc(&l->arena, sizeof *l->v * ((size_t)g->n_values * 3 + 1));
    EC_PASS(ec_allocated(l->v, err));
    for (i = 0; i < g->n_values; i++)
        if (ec_program_has(l->t->program, g->values[i]->name, 'v') &&
            g->values[i]->kind == EC_V_PARAM)
            add_tensor(l, g->values[i], g->values[i]->name);
    for (which = '0'; which <= '1'; which++)
        for (i = 0; i < g->n_values; i++) {
            const char *name;

            if (!ec_program_has(l->t->program, g->values[i]->name, (char)which))
                continue;
            name = ec_arena_printf(&l->arena, "optimizer.%c.%s", which, g->values[i]->name);
            EC_PASS(ec_allocated(name, err));
            add_tensor(l, g->values[i], name);
        }
    return EC_OK;
}

/* "optimizer.0.fc.weight" is state 0 of fc.weight. */
static const char *split_name(const char *name, char *ret_what)
{
    *ret_what = 'v';
    if (!ec_str_starts(name, "optimizer.") || !name[10] || name[11] != '.')
        return name;
    *ret_what = name[10];
    return name + 12;
}

static enum ec_status fetch(void *user, const struct ec_tensor *x, void *ret, struct ec_err *err)
{
    struct ec_trainer *t = user;
    const char *name;
    char what;

    name = split_name(x->name, &what);
    return ec_program_read(t->program, name, what, ret, x->bytes / (int64_t)sizeof(float), err);
}

static enum ec_status path_of(const struct ec_trainer *t, const char *name, char *ret, size_t size,
                              struct ec_err *err)
{
    int n = snprintf(ret, size, "%s/%s.safetensors", t->o->checkpoint, name);

    if (n < 0 || (size_t)n >= size)
        return ec_fail(err, EC_E_IO, "%s: path is too long", t->o->checkpoint);
    return EC_OK;
}

static enum ec_status write_file(struct ec_trainer *t, const char *path, struct ec_err *err)
{
    struct ec_buf numbers = EC_BUF_INIT, curve = EC_BUF_INIT, settings = EC_BUF_INIT;
    struct listing l = { .t = t };
    enum ec_status st;

    numbers_of(&t->at, &numbers);
    curve_of(t->ret, &curve);
    settings_of(t, &settings);
    EC_TRY(ec_buf_status(&numbers, err));
    EC_TRY(ec_buf_status(&curve, err));
    EC_TRY(ec_buf_status(&settings, err));
    EC_TRY(list_tensors(&l, err));
    {
        const struct ec_tensor_note notes[] = {
            {"format",    FORMAT                },
            { "state",    ec_buf_text(&numbers) },
            { "curve",    ec_buf_text(&curve)   },
            { "settings", ec_buf_text(&settings)},
        };

        EC_TRY(ec_tensors_write(path, l.v, l.n, notes, EC_LEN(notes), fetch, t, err));
    }
out:
    ec_arena_clear(&l.arena);
    ec_buf_clear(&numbers);
    ec_buf_clear(&curve);
    ec_buf_clear(&settings);
    return st;
}

enum ec_status ec__train_lock(struct ec_trainer *t, int *ret_lock, struct ec_err *err)
{
    static const char *const names[] = { "last", "best" };
    char path[PATH_MAX];
    int i;

    if (!t->o->checkpoint || t->group.rank)
        return EC_OK;
    if (mkdir(t->o->checkpoint, 0777) && errno != EEXIST)
        return ec_fail(err, EC_E_IO, "%s: cannot make the folder: %s", t->o->checkpoint,
                       strerror(errno));
    EC_PASS(ec_folder_lock(t->o->checkpoint, ret_lock, err));
    for (i = 0; i < EC_LEN(names) && *ret_lock >= 0; i++) {
        EC_PASS(path_of(t, names[i], path, sizeof path, err));
        ec_new_file_remove_left(path);
    }
    return EC_OK;
}

/* The checkpoint before stays beside the new one, by a second name of the file: `last` is there at
 * every moment. Where a file system has no second names there is none to go back to. */
static enum ec_status keep_previous(const struct ec_trainer *t, const char *last,
                                    struct ec_err *err)
{
    char previous[PATH_MAX];
    enum ec_status st = path_of(t, "previous", previous, sizeof previous, err);

    if (!st && access(last, F_OK) == 0) {
        (void)unlink(previous);
        (void)!link(last, previous);
    }
    return st;
}

enum ec_status ec__train_save(struct ec_trainer *t, const char *name, struct ec_err *err)
{
    struct ec_train_event e = { .kind = EC_TRAIN_SAVED };
    bool is_last = ec_str_eq(name, "last");
    char path[PATH_MAX];

    if (!t->o->checkpoint || t->group.rank)
        return EC_OK;
    EC_PASS(path_of(t, name, path, sizeof path, err));
    if (is_last && !t->last_is_damaged)
        EC_PASS(keep_previous(t, path, err));
    EC_PASS(write_file(t, path, err));
    if (is_last)
        t->last_is_damaged = false;
    e.text = path;
    if (t->told && !t->told(t->user, &e))
        t->stop = true;
    return EC_OK;
}

/* --- Reading --- */

static bool read_words(const char *text, char sep, double *ret, int n)
{
    struct ec_span rest = ec_span_of(text), word;
    int i;

    for (i = 0; i < n; i++)
        if (!ec_span_cut(&rest, sep, &word) || !ec_parse_double(word, &ret[i]))
            return false;
    return !rest.len;
}

static enum ec_status read_state(const char *text, struct ec_train_state *s, struct ec_err *err)
{
    double v[8];
    int i;

    if (!text || !read_words(text, ' ', v, EC_LEN(v)))
        return ec_fail(err, EC_E_PARSE, "the note \"state\" is missing or damaged");
    for (i = 0; i < 4; i++)
        if (v[i] < 0 || v[i] > 1e15)
            return ec_fail(err, EC_E_PARSE, "the note \"state\" counts to %g", v[i]);
    s->epoch = (int64_t)v[0];
    s->step = (int64_t)v[1];
    s->updates = (int64_t)v[2];
    s->steps = (int64_t)v[3];
    s->sums = (struct ec_sums){ v[4], v[5], v[6] };
    s->best = v[7];
    return EC_OK;
}

static enum ec_status read_curve(const char *text, struct ec_train_result *r, struct ec_err *err)
{
    struct ec_span rest = ec_span_of(text ? text : ""), row;

    while (rest.len && ec_span_cut(&rest, ';', &row)) {
        struct ec_span word;
        double v[9] = { 0 };
        int k;

        for (k = 0; k < EC_LEN(v); k++)
            if (!ec_span_cut(&row, ' ', &word) || !ec_parse_double(word, &v[k]))
                return ec_fail(err, EC_E_PARSE, "the note \"curve\" is damaged");
        EC_PASS(ec_grow(&r->curve, &r->cap_curve, r->n_curve + 1, sizeof *r->curve, err));
        r->curve[r->n_curve] = (struct ec_train_epoch){ r->n_curve + 1, v[0], v[1], v[2], v[3],
                                                        v[4],           v[5], v[6], v[7], v[8] };
        r->n_curve++;
    }
    return EC_OK;
}

static enum ec_status load_tensor(struct ec_trainer *t, const struct ec_tensor *x,
                                  struct ec_err *err)
{
    const char *name;
    enum ec_status st;
    float *copy;
    char what;

    if (x->dtype != EC_DT_f32)
        return ec_fail(err, EC_E_PARSE, "tensor \"%.80s\" is %s, expected f32", x->name, x->type);
    copy = ec_alloc((size_t)x->bytes); /* the file's memory may not be aligned */
    EC_PASS(ec_allocated(copy, err));
    memcpy(copy, x->data, (size_t)x->bytes);
    name = split_name(x->name, &what);
    st = ec_program_write(t->program, name, what, copy, x->bytes / (int64_t)sizeof *copy, err);
    ec_free(copy);
    return st;
}

static enum ec_status check_settings(const struct ec_trainer *t, const struct ec_tensors *f,
                                     struct ec_err *err)
{
    const char *format = ec_tensors_note(f, "format"), *was = ec_tensors_note(f, "settings");
    struct ec_buf now = EC_BUF_INIT;
    enum ec_status st;

    if (!format || !ec_str_eq(format, FORMAT))
        return ec_fail(err, EC_E_PARSE, "is no checkpoint of ours (%s)", FORMAT);
    if (!ec_tensors_note(f, "crc32"))
        return ec_fail(err, EC_E_PARSE, "has no checksum (crc32)");
    settings_of(t, &now);
    st = ec_buf_status(&now, err);
    if (!st && (!was || !ec_str_eq(was, ec_buf_text(&now))))
        st = ec_fail(err, EC_E_INPUT, "was made with %.200s; this run has %.200s", was ? was : "?",
                     ec_buf_text(&now));
    ec_buf_clear(&now);
    return st;
}

/* Every tensor of the program must come from the file: a part of a network is not where a run
 * stood.
 */
static enum ec_status load_all(struct ec_trainer *t, const struct ec_tensors *f, struct ec_err *err)
{
    struct listing l = { .t = t };
    enum ec_status st;
    int i;

    EC_TRY(list_tensors(&l, err));
    for (i = 0; i < l.n; i++) {
        const struct ec_tensor *x = ec_tensors_find(f, l.v[i].name);

        if (!x)
            EC_TRY(ec_fail(err, EC_E_PARSE, "lacks tensor \"%.80s\"", l.v[i].name));
        EC_TRY(load_tensor(t, x, err));
    }
out:
    ec_arena_clear(&l.arena);
    return st;
}

/* The file to go on from: `last`, or the one before it where that is damaged or gone. NOT_FOUND:
 * neither is there. */
static enum ec_status open_newest(struct ec_trainer *t, struct ec_tensors *ret, char *path,
                                  size_t size, struct ec_err *err)
{
    struct ec_err why = { 0 };
    enum ec_status st, last, before;

    EC_PASS(path_of(t, "last", path, size, err));
    st = last = ec_tensors_open(path, ret, &why);
    t->last_is_damaged = last == EC_E_PARSE;
    if (last == EC_E_PARSE || last == EC_E_NOT_FOUND) {
        EC_PASS(path_of(t, "previous", path, size, err));
        before = ec_tensors_open(path, ret, last == EC_E_NOT_FOUND ? &why : NULL);
        if (!before && t->last_is_damaged)
            ec__tell_note(t, "%s; the checkpoint before it is taken", why.text);
        st = before && last == EC_E_PARSE ? last : before;
    }
    if (st && err)
        *err = why;
    return st;
}

enum ec_status ec__train_load(struct ec_trainer *t, struct ec_err *err)
{
    struct ec_tensors f = { 0 };
    char path[PATH_MAX];
    enum ec_status st;

    st = open_newest(t, &f, path, sizeof path, err);
    if (st == EC_E_NOT_FOUND) {
        if (err)
            memset(err, 0, sizeof *err);
        ec__tell_note(t, "no checkpoint is in %s yet: starting anew", t->o->checkpoint);
        return EC_OK;
    }
    if (st)
        return st;
    EC_TRY(check_settings(t, &f, err));
    EC_TRY(read_state(ec_tensors_note(&f, "state"), &t->at, err));
    EC_TRY(read_curve(ec_tensors_note(&f, "curve"), t->ret, err));
    EC_TRY(load_all(t, &f, err));
    ec_program_set_step(t->program, (uint64_t)t->at.steps);
    ec__tell_note(t, "goes on from %s: epoch %lld, step %lld", path, (long long)t->at.epoch + 1,
                  (long long)t->at.step);
out:
    st = ec_within(err, st, "%s: ", path);
    ec_tensors_clear(&f);
    return st;
}
