/* Options of training, and the rates that follow from them. */
#include "engine/train_internal.h"

#include <math.h>

#define AT(member) offsetof(struct ec_train_opts, member)

static const char *const schedules[] = { "constant", "step", "cosine", NULL };
static const char *const losses[] = { "auto",
#define LOSS_WORD(name, target, help) #name,
                                      EC_LOSS_LIST(LOSS_WORD)
#undef LOSS_WORD
                                          NULL };

/* clang-format off */
const struct ec_field ec_train_fields[] = {
    { .name = "epochs", .type = EC_F_INT, .offset = AT(epochs), .deflt = "1", .min = 0, .max = 1e6,
      .metavar = "N", .help = "passes over the training samples" },
    { .name = "batch", .type = EC_F_INT, .offset = AT(batch), .deflt = "64", .min = 1, .max = 1e6,
      .metavar = "N", .help = "samples per step and process" },
    { .name = "accumulate", .type = EC_F_INT, .offset = AT(accumulate), .deflt = "1", .min = 1,
      .max = 1e6, .metavar = "N", .help = "steps whose gradients add up to one update" },
    { .name = "max_iters", .type = EC_F_INT, .offset = AT(max_iters), .min = 0, .max = 1e12,
      .metavar = "N", .help = "end after so many steps; 0: none but the epochs" },
    { .name = "optimizer", .type = EC_F_ENUM, .offset = AT(cond.optimizer), .deflt = "adam",
      .choices = ec_optimizer_names, .help = "how weights follow gradients" },
    { .name = "lr", .type = EC_F_DOUBLE, .offset = AT(lr), .min = 0, .max = 1e6, .metavar = "RATE",
      .help = "learning rate; 0: usual for the optimizer" },
    { .name = "momentum", .type = EC_F_DOUBLE, .offset = AT(momentum), .deflt = "0.9", .min = 0,
      .max = 1, .metavar = "V", .help = "of the optimizer momentum" },
    { .name = "nesterov", .type = EC_F_BOOL, .offset = AT(nesterov),
      .help = "look ahead by the momentum" },
    { .name = "weight_decay", .type = EC_F_DOUBLE, .offset = AT(weight_decay), .deflt = "-1",
      .min = -1, .max = 1e3, .metavar = "V",
      .help = "pulls weights to zero, decoupled with adamw; below 0: usual for the optimizer" },
    { .name = "schedule", .type = EC_F_ENUM, .offset = AT(schedule), .deflt = "constant",
      .choices = schedules, .help = "how the rate changes over the run" },
    { .name = "step_epochs", .type = EC_F_INT, .offset = AT(step_epochs), .deflt = "30", .min = 1,
      .max = 1e6, .metavar = "N", .unit = "epochs", .help = "schedule step: from fall to fall" },
    { .name = "step_factor", .type = EC_F_DOUBLE, .offset = AT(step_factor), .deflt = "0.1",
      .min = 0, .max = 1, .metavar = "V", .help = "schedule step: what the rate falls by" },
    { .name = "warmup", .type = EC_F_INT, .offset = AT(warmup), .min = 0, .max = 1e12,
      .metavar = "N", .unit = "updates", .help = "the rate grows evenly over the first ones" },
    { .name = "clip_norm", .type = EC_F_DOUBLE, .offset = AT(clip_norm), .min = 0, .max = 1e12,
      .metavar = "V", .help = "gradients longer than this are shortened to it; 0: never" },
    { .name = "loss", .type = EC_F_ENUM, .offset = AT(loss), .deflt = "auto", .choices = losses,
      .help = "what is made small; auto: by the labels of the data" },
    { .name = "label_smoothing", .type = EC_F_DOUBLE, .offset = AT(label_smoothing), .min = 0,
      .max = 1, .metavar = "V", .help = "cross entropy: share of each label given to all classes" },
    { .name = "huber_delta", .type = EC_F_DOUBLE, .offset = AT(huber_delta), .deflt = "1", .min = 0,
      .max = 1e12, .metavar = "V", .help = "huber: where squares end" },
    { .name = "precision", .type = EC_F_ENUM, .offset = AT(cond.precision), .deflt = "fp32",
      EC_PRECISION_WORDS, EC_ENGINE_PRECISIONS,
      .help = "type of activations; weights are float32 in any" },
    { .name = "seed", .type = EC_F_INT, .offset = AT(seed), .deflt = "1", .metavar = "N",
      .help = "of initial weights, order, augmentation and dropout" },
    { .name = "test", .type = EC_F_BOOL, .offset = AT(test),
      .help = "evaluate on the test part at the end" },
    { .name = "checkpoint", .type = EC_F_STR, .offset = AT(checkpoint), .metavar = "DIR",
      .help = "folder for checkpoints: last.safetensors, and best.safetensors by validation" },
    { .name = "checkpoint_every", .type = EC_F_INT, .offset = AT(checkpoint_every), .min = 0,
      .max = 1e12, .metavar = "N", .unit = "updates",
      .help = "between two checkpoints inside an epoch; 0: only at its end" },
    { .name = "resume", .type = EC_F_BOOL, .offset = AT(resume),
      .help = "go on from the last checkpoint of the folder, when there is one" },
    { .name = "workers", .type = EC_F_INT, .offset = AT(workers), .deflt = "1", .min = 0,
      .max = 64, .metavar = "N", .help = "threads that prepare batches ahead" },
    { .name = "prefetch", .type = EC_F_INT, .offset = AT(prefetch), .deflt = "2", .min = 0,
      .max = 64, .metavar = "N", .help = "batches prepared ahead" },
    EC_FIELD_END
};
/* clang-format on */

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
