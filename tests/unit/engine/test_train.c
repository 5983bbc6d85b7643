/* The trainer on a small network and data that can be learnt: it learns, it stops and goes on with
 * the same numbers, it keeps whole checkpoints. */
#include "engine/train_internal.h"
#include "test.h"

#include "graph/graph.h"
#include "graph/graph.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *folder(void)
{
    static char name[] = "/tmp/ec-train-XXXXXX";
    static bool made;

    if (!made)
        CHECK(mkdtemp(name) != NULL);
    made = true;
    return name;
}

/* Everything that has a state of its own: running statistics, dropout. */
static struct ec_graph *small_net(int64_t batch, struct ec_err *err)
{
    struct ec_builder b = { .g = ec_graph_new("small"), .err = err };
    int x;

    if (!b.g) {
        (void)ec_nomem(err);
        return NULL;
    }
    x = ec_b_input(&b, "x", EC_DT_f32, 4, batch, (int64_t)1, (int64_t)6, (int64_t)6);
    x = ec_b1(&b, x, "conv2d k=4 r=3 pad=1");
    x = ec_b1(&b, x, "batch_norm");
    x = ec_b1(&b, x, "relu");
    x = ec_b1(&b, x, "max_pool2d r=2");
    x = ec_b1(&b, x, "flatten");
    x = ec_b1(&b, x, "dropout p=0.1");
    x = ec_b1(&b, x, "linear n=3");
    if (!b.st)
        b.st = ec_graph_add_output(b.g, x, err);
    if (!b.st)
        return b.g;
    ec_graph_free(b.g);
    return NULL;
}

static struct ec_train_opts opts(void)
{
    struct ec_arena a = { 0 };
    struct ec_train_opts o = { 0 };
    struct ec_err err = { 0 };

    CHECK_OK(ec_fields_default(ec_train_fields, &o, &a, &err));
    ec_arena_clear(&a);
    o.batch = 16;
    o.epochs = 3;
    o.workers = 0;
    o.lr = 0.01;
    return o;
}

struct told {
    int64_t stop_after; /* steps; 0: never */
    int64_t steps;
    int epochs, saved;
    int64_t waited_ns;
    char notes[1024];
};

static bool told(void *user, const struct ec_train_event *e)
{
    struct told *t = user;

    t->steps += e->kind == EC_TRAIN_STEP;
    if (e->kind == EC_TRAIN_STEP) {
        CHECK(e->wait_ns >= 0 && e->wait_ns <= e->step_ns);
        t->waited_ns += e->wait_ns;
    }
    t->epochs += e->kind == EC_TRAIN_EPOCH;
    t->saved += e->kind == EC_TRAIN_SAVED;
    if (e->kind == EC_TRAIN_NOTE)
        (void)snprintf(t->notes + strlen(t->notes), sizeof t->notes - strlen(t->notes), "%s\n",
                       e->text);
    return !t->stop_after || t->steps < t->stop_after;
}

static enum ec_status train_on(const char *backend, const struct ec_train_opts *o, struct told *t,
                               struct ec_train_result *r, struct ec_err *err)
{
    struct ec_engine_opts eo = { .backend = backend, .threads = 1, .seed = 3 };
    struct ec_samples_opts so = { .val_frac = 0.25, .seed = 1 };
    struct ec_samples *s = NULL;
    struct ec_graph *g = NULL;
    struct ec_ctx *ctx = NULL;
    enum ec_status st;

    EC_TRY(ec_engine_open(&eo, &ctx, err));
    g = small_net(o->batch, err);
    if (!g) {
        st = EC_E_NOMEM;
        goto out;
    }
    EC_TRY(ec_train_fit_samples(g, &so, err));
    EC_TRY(ec_samples_open("synthetic:train=128,test=32,noise=0.2", &so, &s, err));
    EC_TRY(ec_train(ctx, g, s, o, NULL, t ? told : NULL, t, r, err));
out:
    ec_samples_close(s);
    ec_graph_free(g);
    ec_engine_close(ctx);
    return st;
}

/* Two heads on one trunk; which of them are outputs, and what the second counts. */
static struct ec_graph *heads(int which, double weight)
{
    struct ec_err err = { 0 };
    struct ec_builder b = { .g = ec_graph_new("heads"), .err = &err };
    int x = ec_b_input(&b, "x", EC_DT_f32, 2, (int64_t)4, (int64_t)5), a, c;

    x = ec_b1(&b, ec_b1(&b, x, "linear n=6 name=trunk"), "tanh");
    a = ec_b1(&b, x, "linear n=3 name=main");
    c = ec_b1(&b, x, "linear n=3 name=aux");
    if (which & 1)
        CHECK_OK(ec_graph_add_output(b.g, a, &err));
    if (which & 2)
        CHECK_OK(ec_graph_add_output(b.g, c, &err));
    CHECK(!b.st);
    b.g->values[c]->loss_weight = weight;
    return b.g;
}

enum { TRUNK_ELEMS = 30, HEAD_ELEMS = 18 };

struct head_grads {
    float trunk[TRUNK_ELEMS], main[HEAD_ELEMS], aux[HEAD_ELEMS];
    double loss;
};

static struct head_grads head_grads(int which, double weight)
{
    struct ec_engine_opts eo = { .backend = "ref", .threads = 1 };
    struct ec_program_opts o = { .cond.mode = EC_MODE_FORWARD_BACKWARD,
                                 .with_loss = true,
                                 .loss = EC_LOSS_cross_entropy };
    struct ec_err err = { 0 };
    struct ec_graph *g = heads(which, weight);
    struct head_grads ret = { 0 };
    struct ec_step_result r = { 0 };
    struct ec_ctx *ctx = NULL;
    struct ec_program *p = NULL;

    CHECK_OK(ec_engine_open(&eo, &ctx, &err));
    CHECK_OK(ec_program_new(ctx, g, &o, &p, &err));
    CHECK_OK(ec_program_init(p, 1, &err));
    CHECK_OK(ec_program_fill(p, 2, &err));
    CHECK_OK(ec_program_step(p, NULL, &r, &err));
    ret.loss = r.loss;
    CHECK_OK(ec_program_read(p, "trunk.weight", 'g', ret.trunk, TRUNK_ELEMS, &err));
    if (ec_program_has(p, "main.weight", 'g'))
        CHECK_OK(ec_program_read(p, "main.weight", 'g', ret.main, HEAD_ELEMS, &err));
    if (ec_program_has(p, "aux.weight", 'g'))
        CHECK_OK(ec_program_read(p, "aux.weight", 'g', ret.aux, HEAD_ELEMS, &err));
    ec_program_free(p);
    ec_engine_close(ctx);
    ec_graph_free(g);
    return ret;
}

TEST(auxiliary_heads_count_their_weight)
{
    struct head_grads one = head_grads(1, 0), other = head_grads(2, 0);
    struct head_grads both = head_grads(3, 0.3), none = head_grads(3, 0);
    int i;

    CHECK_NEAR(both.loss, one.loss, 0);
    for (i = 0; i < HEAD_ELEMS; i++) {
        CHECK_NEAR((double)both.main[i], (double)one.main[i], 1e-5);
        CHECK_NEAR((double)both.aux[i], 0.3 * (double)other.aux[i], 1e-5);
        CHECK_NEAR((double)none.aux[i], 0, 0);
    }
    for (i = 0; i < TRUNK_ELEMS; i++) {
        CHECK_NEAR((double)both.trunk[i], (double)one.trunk[i] + 0.3 * (double)other.trunk[i],
                   1e-5);
        CHECK_NEAR((double)none.trunk[i], (double)one.trunk[i], 0);
    }
    CHECK(other.aux[0] != 0);
}

static enum ec_status train(const struct ec_train_opts *o, struct told *t,
                            struct ec_train_result *r, struct ec_err *err)
{
    return train_on("ref", o, t, r, err);
}

TEST(it_learns_and_tells)
{
    struct ec_train_opts o = opts();
    struct ec_train_result r = { 0 };
    struct ec_err err = { 0 };
    struct told t = { 0 };

    o.epochs = 8;
    o.test = true;
    CHECK_OK(train(&o, &t, &r, &err));
    CHECK_INT(t.epochs, 8);
    CHECK_INT(r.n_curve, 8);
    CHECK_INT(r.steps, t.steps);
    CHECK(r.curve[7].train_loss < 0.5 * r.curve[0].train_loss);
    CHECK(r.curve[7].val_accuracy > 0.8);
    CHECK(r.has_test && r.test_accuracy > 0.8);
    CHECK(r.peak_bytes > 0 && r.time_per_epoch > 0 && !r.stopped);
    ec_train_result_clear(&r);
}

/* Losses and accuracies; times are never the same. */
static void check_same_curve(const struct ec_train_result *a, const struct ec_train_result *b)
{
    int i;

    CHECK_INT(a->n_curve, b->n_curve);
    for (i = 0; i < a->n_curve && i < b->n_curve; i++) {
        CHECK_NEAR(a->curve[i].train_loss, b->curve[i].train_loss, 0);
        CHECK_NEAR(a->curve[i].val_loss, b->curve[i].val_loss, 0);
        CHECK_NEAR(a->curve[i].val_accuracy, b->curve[i].val_accuracy, 0);
    }
}

static void check_same_tensors(const char *pa, const char *pb)
{
    struct ec_tensors a = { 0 }, b = { 0 };
    struct ec_err err = { 0 };
    int i;

    CHECK_OK(ec_tensors_open(pa, &a, &err));
    CHECK_OK(ec_tensors_open(pb, &b, &err));
    CHECK_INT(a.n, b.n);
    for (i = 0; i < a.n && i < b.n; i++)
        if (memcmp(a.v[i].data, b.v[i].data, (size_t)a.v[i].bytes) != 0)
            test_fail(__FILE__, __LINE__, "%s differs", a.v[i].name);
    ec_tensors_clear(&a);
    ec_tensors_clear(&b);
}

/* Stopped in the middle of an epoch, and again: the same bits as of a run in one piece. */
static void go_on(const char *backend)
{
    struct ec_train_opts o = opts();
    struct ec_train_result whole = { 0 }, r = { 0 };
    struct ec_err err = { 0 };
    struct told t = { .stop_after = 4 };
    char a[64], b[64], pa[96], pb[96];

    (void)snprintf(a, sizeof a, "%s/a-%s", folder(), backend);
    (void)snprintf(b, sizeof b, "%s/b-%s", folder(), backend);
    (void)snprintf(pa, sizeof pa, "%s/last.safetensors", a);
    (void)snprintf(pb, sizeof pb, "%s/last.safetensors", b);
    o.schedule = EC_SCHEDULE_COSINE;
    o.warmup = 3;
    o.checkpoint = a;
    CHECK_OK(train_on(backend, &o, NULL, &whole, &err));
    o.checkpoint = b;
    o.resume = true;
    CHECK_OK(train_on(backend, &o, &t, &r, &err));
    CHECK(r.stopped);
    CHECK_INT(r.steps, 4);
    ec_train_result_clear(&r);
    t = (struct told){ .stop_after = 5 };
    CHECK_OK(train_on(backend, &o, &t, &r, &err));
    CHECK_INT(r.steps, 9);
    ec_train_result_clear(&r);
    CHECK_OK(train_on(backend, &o, NULL, &r, &err));
    check_same_curve(&whole, &r);
    check_same_tensors(pa, pb);
    ec_train_result_clear(&r);
    ec_train_result_clear(&whole);
}

TEST(going_on_gives_the_same_bits)
{
    go_on("ref");
}

TEST(a_checkpoint_of_another_run_is_refused)
{
    struct ec_train_opts o = opts();
    struct ec_train_result r = { 0 };
    struct ec_err err = { 0 };
    char a[64];

    (void)snprintf(a, sizeof a, "%s/a-ref", folder());
    o.checkpoint = a;
    o.resume = true;
    o.batch = 8;
    CHECK_FAILS(train(&o, NULL, &r, &err), EC_E_INPUT, "was made with network=small batch=16");
    o.checkpoint = "/no/such/folder";
    o.resume = false;
    CHECK_FAILS(train(&o, NULL, &r, &err), EC_E_IO, "/no/such/folder: cannot make the folder");
    o.checkpoint = NULL;
    o.resume = true;
    CHECK_FAILS(train(&o, NULL, &r, &err), EC_E_INPUT, "--resume needs --checkpoint");
}

/* Killed at any moment, the file is whole and the run goes on. */
TEST(kill_leaves_whole_checkpoints)
{
    struct ec_train_opts o = opts();
    struct ec_err err = { 0 };
    char dir[64], path[96];
    int i, opened = 0;

    (void)snprintf(dir, sizeof dir, "%s/kill", folder());
    (void)snprintf(path, sizeof path, "%s/last.safetensors", dir);
    o.checkpoint = dir;
    o.resume = true;
    o.checkpoint_every = 1;
    o.epochs = 100000;
    for (i = 0; i < 8; i++) {
        struct ec_tensors f = { 0 };
        pid_t child = fork();
        int status = 0;

        CHECK(child >= 0);
        if (child == 0) {
            struct ec_train_result r = { 0 };

            _exit(train(&o, NULL, &r, &err) != EC_OK);
        }
        (void)usleep(40000 + 23457U * (unsigned)i);
        CHECK(kill(child, SIGKILL) == 0);
        CHECK(waitpid(child, &status, 0) == child);
        CHECK(WIFSIGNALED(status));
        if (access(path, F_OK))
            continue;
        CHECK_OK(ec_tensors_open(path, &f, &err));
        ec_tensors_clear(&f);
        opened++;
    }
    CHECK(opened > 0);
}

/* Files of a folder, hidden ones left out. */
static int n_entries(const char *dir)
{
    DIR *d = opendir(dir);
    const struct dirent *e;
    int n = 0;

    while (d && (e = readdir(d)))
        n += e->d_name[0] != '.';
    if (d)
        (void)closedir(d);
    return n;
}

/* What killed runs left of files that they wrote goes with the next run. */
TEST(killed_runs_leave_nothing)
{
    struct ec_train_opts o = opts();
    struct ec_train_result r = { 0 };
    struct ec_err err = { 0 };
    char dir[64], left[128];

    (void)snprintf(dir, sizeof dir, "%s/left", folder());
    (void)snprintf(left, sizeof left, "%s/last.safetensors.0123456789ab", dir);
    CHECK(mkdir(dir, 0700) == 0);
    CHECK_OK(ec_file_write(left, "torn", 4, &err));
    o.checkpoint = dir;
    o.epochs = 2;
    CHECK_OK(train(&o, NULL, &r, &err));
    CHECK_INT(n_entries(dir), 3); /* last, previous, best */
    ec_train_result_clear(&r);
}

TEST(a_second_run_is_told_who_has_the_folder)
{
    struct ec_train_opts o = opts();
    struct ec_train_result r = { 0 };
    struct ec_err err = { 0 };
    char dir[64], last[96], who[128];
    pid_t child;
    int i;

    (void)snprintf(dir, sizeof dir, "%s/shared", folder());
    (void)snprintf(last, sizeof last, "%s/last.safetensors", dir);
    o.checkpoint = dir;
    o.checkpoint_every = 1;
    child = fork();
    if (child == 0) {
        o.epochs = 1000000;
        _exit(train(&o, NULL, &r, &err) != EC_OK);
    }
    for (i = 0; i < 6000 && access(last, F_OK); i++)
        (void)usleep(10000);
    (void)snprintf(who, sizeof who, "%s: is in use by process %d (", dir, (int)child);
    o.epochs = 1;
    CHECK_FAILS(train(&o, NULL, &r, &err), EC_E_IO, who);
    CHECK(kill(child, SIGKILL) == 0 && waitpid(child, NULL, 0) == child);
    CHECK_OK(train(&o, NULL, &r, &err));
    ec_train_result_clear(&r);
}

static void damage(const char *path)
{
    struct ec_file f = { 0 };
    struct ec_err err = { 0 };
    char *copy;

    CHECK_OK(ec_file_open(path, 0, &f, &err));
    copy = ec_alloc(f.len);
    if (copy) {
        memcpy(copy, f.data, f.len);
        copy[f.len - 1] = (char)(copy[f.len - 1] ^ 4); /* of a tensor, not of the head */
        CHECK_OK(ec_file_write(path, copy, f.len, &err));
    }
    ec_free(copy);
    ec_file_close(&f);
}

TEST(a_damaged_checkpoint_gives_way_to_the_one_before)
{
    struct ec_train_opts o = opts();
    struct ec_train_result whole = { 0 }, r = { 0 };
    struct ec_tensors f = { 0 };
    struct ec_err err = { 0 };
    char dir[64], last[96], previous[96];
    struct told t = { 0 };

    (void)snprintf(dir, sizeof dir, "%s/damaged", folder());
    (void)snprintf(last, sizeof last, "%s/last.safetensors", dir);
    (void)snprintf(previous, sizeof previous, "%s/previous.safetensors", dir);
    o.checkpoint = dir;
    CHECK_OK(train(&o, NULL, &whole, &err));
    damage(last);
    o.resume = true;
    CHECK_OK(train(&o, &t, &r, &err)); /* the last epoch again */
    check_same_curve(&whole, &r);
    CHECK_HAS(t.notes, "last.safetensors: checksum ");
    CHECK_HAS(t.notes, "the checkpoint before it is taken");
    CHECK_HAS(t.notes, "goes on from");
    CHECK_OK(ec_tensors_open(last, &f, &err));
    ec_tensors_clear(&f);
    CHECK_OK(ec_tensors_open(previous, &f, &err)); /* the damaged one did not take its place */
    ec_tensors_clear(&f);
    ec_train_result_clear(&r);

    (void)unlink(last); /* as if killed where no second names are possible */
    CHECK_OK(train(&o, NULL, &r, &err));
    check_same_curve(&whole, &r);
    ec_train_result_clear(&r);
    ec_train_result_clear(&whole);

    damage(last);
    damage(previous);
    CHECK_FAILS(train(&o, NULL, &r, &err), EC_E_PARSE, "last.safetensors: checksum ");
}

TEST(rates_follow_the_schedule)
{
    struct ec_train_opts o = { .schedule = EC_SCHEDULE_COSINE, .warmup = 4 };

    CHECK_NEAR(ec_train_rate(&o, 1, 0, 104, 10), 0.25, 1e-12);
    CHECK_NEAR(ec_train_rate(&o, 1, 3, 104, 10), 1, 1e-12);
    CHECK_NEAR(ec_train_rate(&o, 1, 4, 104, 10), 1, 1e-12);
    CHECK_NEAR(ec_train_rate(&o, 1, 54, 104, 10), 0.5, 1e-12);
    CHECK_NEAR(ec_train_rate(&o, 1, 104, 104, 10), 0, 1e-12);
    o = (struct ec_train_opts){ .schedule = EC_SCHEDULE_STEP,
                                .step_epochs = 2,
                                .step_factor = 0.1 };
    CHECK_NEAR(ec_train_rate(&o, 1, 19, 100, 10), 1, 1e-12);
    CHECK_NEAR(ec_train_rate(&o, 1, 20, 100, 10), 0.1, 1e-12);
    CHECK_NEAR(ec_train_rate(&o, 1, 40, 100, 10), 0.01, 1e-12);
    o = (struct ec_train_opts){ 0 };
    CHECK_NEAR(ec_train_rate(&o, 0.3, 40, 100, 10), 0.3, 0);
}

TEST(clipping_and_adding_up)
{
    struct ec_train_opts o = opts();
    struct ec_train_result r = { 0 };
    struct ec_err err = { 0 };

    o.clip_norm = 0.5;
    o.lr = 0.3;
    o.accumulate = 3;
    o.cond.optimizer = EC_OPT_sgd;
    CHECK_OK(train(&o, NULL, &r, &err));
    CHECK(r.curve[2].grad_norm > 0);
    CHECK(r.curve[2].train_loss < r.curve[0].train_loss);
    ec_train_result_clear(&r);
}

TEST(a_run_that_diverges_says_so)
{
    struct ec_train_opts o = opts();
    struct ec_train_result r = { 0 };
    struct ec_err err = { 0 };

    o.cond.optimizer = EC_OPT_sgd;
    o.lr = 1e38;
    CHECK_FAILS(train(&o, NULL, &r, &err), EC_E_UNSTABLE, "lower --lr");
}

/* --- Each allocation fails once --- */

static struct torture {
    const char *backend, *checkpoint;
    int64_t workers;
} torture;

/* Of the loss: auto follows from the data, so that only here it is known. */
TEST(smoothing_of_another_loss_is_refused)
{
    struct ec_train_opts o = opts();
    struct ec_train_result r = { 0 };
    struct ec_err err = { 0 };

    o.label_smoothing = 0.1;
    o.loss = 1 + EC_LOSS_mse;
    CHECK_FAILS(train(&o, NULL, &r, &err), EC_E_INPUT, "label smoothing has no effect");
}

/* Steps alone are timed: the waiting is a part of each, and nothing is evaluated. */
TEST(steps_only_evaluate_nothing)
{
    struct ec_train_opts o = opts();
    struct ec_train_result r = { 0 };
    struct told t = { 0 };
    struct ec_err err = { 0 };

    o.steps_only = true;
    CHECK_OK(train(&o, &t, &r, &err));
    CHECK(r.n_curve == 3 && t.waited_ns > 0);
    CHECK_NEAR(r.curve[2].val_accuracy, -1, 0);
    CHECK_INT(r.steps, 3 * r.steps_per_epoch);
    ec_train_result_clear(&r);
}

static struct ec_train_opts short_opts(void)
{
    struct ec_train_opts o = opts();

    o.epochs = 1;
    o.max_iters = 3;
    o.batch = 16;
    o.workers = torture.workers;
    o.checkpoint = torture.checkpoint;
    o.checkpoint_every = 1;
    o.resume = torture.checkpoint != NULL;
    return o;
}

/* All a run does: network, data, program, the steps, checkpoints, and going on from the one that is
 * there. */
static enum ec_status short_run(struct ec_err *err)
{
    const struct ec_train_opts o = short_opts();
    struct ec_train_result r = { 0 };
    enum ec_status st = train_on(torture.backend, &o, NULL, &r, err);

    ec_train_result_clear(&r);
    return st;
}

static void remove_checkpoint(const char *dir)
{
    static const char *const names[] = { "last", "previous", "best" };
    char path[128];
    int i;

    for (i = 0; i < EC_LEN(names); i++) {
        (void)snprintf(path, sizeof path, "%s/%s.safetensors", dir, names[i]);
        (void)unlink(path);
    }
}

/* The run after one in which an allocation failed ends with the weights of a run in one piece; one
 * that has steps behind it reads a checkpoint too. */
static void survive(const char *backend, int64_t steps_before)
{
    struct ec_err err = { 0 };
    char whole[96], dir[96], whole_file[128], file[128];
    int64_t n, left = 0, damaged = 0, read = 0;

    (void)snprintf(whole, sizeof whole, "%s/whole-%s", folder(), backend);
    (void)snprintf(whole_file, sizeof whole_file, "%s/last.safetensors", whole);
    (void)snprintf(dir, sizeof dir, "%s/torn-%s", folder(), backend);
    (void)snprintf(file, sizeof file, "%s/last.safetensors", dir);
    remove_checkpoint(whole);
    torture = (struct torture){ backend, whole, 0 };
    CHECK_OK(short_run(&err));
    torture.checkpoint = dir;
    for (n = 1; !left && n < 1000000; n++) {
        struct ec_tensors f = { 0 };
        enum ec_status st;

        remove_checkpoint(dir);
        if (steps_before) {
            struct ec_train_opts o = short_opts();
            struct ec_train_result r = { 0 };

            o.max_iters = steps_before;
            CHECK_OK(train_on(backend, &o, NULL, &r, &err));
            ec_train_result_clear(&r);
        }
        memset(&err, 0, sizeof err);
        (void)ec_alloc_fail_after(n);
        st = short_run(&err);
        left = ec_alloc_fail_after(0);
        if (st != (left ? EC_OK : EC_E_NOMEM) || (st && !err.text[0]))
            test_fail(__FILE__, __LINE__, "%s: with allocation %lld failing: %s (%s)", backend,
                      (long long)n, ec_status_name(st), err.text);
        st = ec_tensors_open(file, &f, &err);
        read += !st;
        damaged += st && st != EC_E_NOT_FOUND;
        ec_tensors_clear(&f);
        CHECK_OK(short_run(&err));
        check_same_tensors(whole_file, file);
        if (test_bad_checks)
            break;
    }
    CHECK(read > 0);
    CHECK_INT(damaged, 0);
    (void)printf("%s: %lld allocations failed, %lld times a checkpoint was there\n", backend,
                 (long long)(n - 2), (long long)read);
}

TEST(every_failing_allocation_is_survived)
{
    torture = (struct torture){ "ref", NULL, 0 };
    CHECK_TORTURE(short_run);
    torture.workers = 1;
    CHECK_TORTURE(short_run);
    survive("ref", 0);
    survive("ref", 2);
}

/* With one thread; where oneDNN is. Last: what OpenMP starts here must not be there when others
 * fork. */
TEST(going_on_gives_the_same_bits_on_the_processor)
{
    struct ec_engine_opts eo = { .backend = "cpu", .threads = 1 };
    struct ec_ctx *ctx = NULL;
    struct ec_err err = { 0 };
    char command[96];

    if (ec_engine_open(&eo, &ctx, &err)) {
        printf("skipped: %s\n", err.text);
    } else {
        ec_engine_close(ctx);
        go_on("cpu");
        survive("cpu", 0);
        survive("cpu", 2);
    }
    (void)snprintf(command, sizeof command, "rm -rf %s", folder());
    CHECK(system(command) == 0);
}
