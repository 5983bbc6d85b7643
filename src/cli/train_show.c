/* The progress of a run, on standard error: one line that is overwritten on a terminal, else one
 * line per epoch. Ctrl-C ends the run after a checkpoint; a second Ctrl-C ends it at once. */
#include "cli/train_internal.h"

#include <stdio.h>
#include <unistd.h>

#define RENEW_NS ((int64_t)200000000)
/* Weight of the prediction in the remaining time, in measured steps. */
#define PREDICTION_STEPS 10.0

void ec__train_show_start(struct ec__train_show *s, const struct ec__train_opts *o)
{
    s->o = o;
    s->terminal = isatty(STDERR_FILENO);
    ec_interrupt_watch();
}

void ec__train_show_end(struct ec__train_show *s)
{
    ec_interrupt_end();
    if (s->open_line)
        (void)fputc('\n', stderr);
    s->open_line = false;
}

static void clear_line(struct ec__train_show *s)
{
    if (s->open_line)
        ec_say_nothing_over();
    s->open_line = false;
}

/* 3 h 05 min, 12 min 30 s, 42 s */
static const char *duration(char *out, size_t size, double s)
{
    int64_t t = (int64_t)(s + 0.5);

    if (t >= 3600)
        (void)snprintf(out, size, "%lld h %02lld min", (long long)(t / 3600),
                       (long long)(t / 60 % 60));
    else if (t >= 60)
        (void)snprintf(out, size, "%lld min %02lld s", (long long)(t / 60), (long long)(t % 60));
    else
        (void)snprintf(out, size, "%lld s", (long long)t);
    return out;
}

static void put_accuracy(double v)
{
    if (v >= 0)
        ec_say("  accuracy %.2f %%", 100 * v);
}

/* Time left: predicted before the first step, corrected as steps come in. */
static double left_s(const struct ec__train_show *s, const struct ec_train_event *e)
{
    double left = (double)(e->total - e->done), own = (double)e->done;

    if (s->predicted_s <= 0)
        return e->left_s;
    if (e->left_s < 0 || left <= 0)
        return s->predicted_s * left;
    return (PREDICTION_STEPS * s->predicted_s * left + own * e->left_s) / (PREDICTION_STEPS + own);
}

static void show_start(struct ec__train_show *s, const struct ec_train_event *e)
{
    double left = (double)(e->total - e->done);
    char a[32], b[32], c[32];

    ec_say("%lld steps of %lld samples, %lld per epoch\n", (long long)(e->total - e->done),
           (long long)s->o->train.batch, (long long)e->steps);
    if (s->no_prediction[0])
        ec_say("no time is predicted: %s\n", s->no_prediction);
    if (s->predicted_s > 0)
        ec_say("predicted: %s (90 %%: %s to %s)\n", duration(a, sizeof a, s->predicted_s * left),
               duration(b, sizeof b, s->predicted_low_s * left),
               duration(c, sizeof c, s->predicted_high_s * left));
}

static void show_step(struct ec__train_show *s, const struct ec_train_event *e)
{
    int64_t now = ec_clock_ns();
    char left[32];

    if (!s->terminal || now - s->last_ns < RENEW_NS)
        return;
    s->last_ns = now;
    clear_line(s);
    ec_say("epoch %lld  step %lld/%lld  loss %.4f", (long long)e->epoch + 1, (long long)e->step,
           (long long)e->steps, e->loss);
    put_accuracy(e->accuracy);
    ec_say("  %.*f images/s  %s left", e->images_per_s < 99.95, e->images_per_s,
           duration(left, sizeof left, left_s(s, e)));
    s->open_line = true;
}

static void show_epoch(struct ec__train_show *s, const struct ec_train_event *e)
{
    const struct ec_train_epoch *x = e->last;
    char left[32], time[32];

    clear_line(s);
    ec_say("epoch %lld  loss %.4f", (long long)x->epoch, x->train_loss);
    put_accuracy(x->train_accuracy);
    if (x->val_loss > 0 || x->val_accuracy >= 0) {
        ec_say("  validation %.4f", x->val_loss);
        put_accuracy(x->val_accuracy);
    }
    ec_say("  %s  %.*f images/s", ec_fmt_ns(time, sizeof time, x->time_s * 1e9),
           x->images_per_s < 99.95, x->images_per_s);
    if (x->wait_frac > 0.05)
        ec_say("  %.0f %% waiting for data", 100 * x->wait_frac);
    if (e->done < e->total)
        ec_say("  %s left", duration(left, sizeof left, left_s(s, e)));
    (void)fputc('\n', stderr);
}

bool ec__train_told(void *show, const struct ec_train_event *e)
{
    struct ec__train_show *s = show;

    if (s->silent)
        return !ec_interrupted();
    switch (e->kind) {
    case EC_TRAIN_START:
        show_start(s, e);
        break;
    case EC_TRAIN_STEP:
        show_step(s, e);
        break;
    case EC_TRAIN_EPOCH:
        show_epoch(s, e);
        break;
    case EC_TRAIN_NOTE:
        clear_line(s);
        ec_say("%s\n", e->text);
        break;
    case EC_TRAIN_SAVED:
        break;
    }
    return !ec_interrupted();
}
