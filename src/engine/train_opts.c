/* Options of training, and the rates that follow from them. */
#include "engine/train_internal.h"

#include <math.h>

static const char *const schedules[] = { "constant", "step", "cosine", NULL };
static const char *const losses[] = { "auto",
#define LOSS_WORD(name, target, help) #name,
                                      EC_LOSS_LIST(LOSS_WORD)
#undef LOSS_WORD
                                          NULL };

#include "train_fields.h"

double ec_train_rate(const struct ec_train_opts *o, double lr, int64_t update, int64_t total,
                     int64_t updates_per_epoch)
{
    int64_t epoch = updates_per_epoch > 0 ? update / updates_per_epoch : 0;
    int64_t falls = epoch / (o->step_epochs > 0 ? o->step_epochs : 1);
    double left = (double)(total - o->warmup);
    double part = left > 0 ? (double)(update - o->warmup) / left : 1;

    if (update < o->warmup)
        return lr * (double)(update + 1) / (double)o->warmup;
    if (o->schedule == EC_SCHEDULE_STEP)
        return lr * pow(o->step_factor, (double)falls);
    if (o->schedule == EC_SCHEDULE_COSINE)
        return lr * 0.5 * (1 + cos(3.141592653589793 * (part < 1 ? part : 1)));
    return lr;
}
