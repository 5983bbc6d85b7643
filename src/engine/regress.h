/* Dense networks of `learn`, trained by programs. Reached by "engine/engine.h". */
#ifndef EC_ENGINE_REGRESS_H
#define EC_ENGINE_REGRESS_H

#include "learn/learn.h"

/* For ec_learn_env.ann: one thread, on oneDNN where it is installed, else by plain C. The same bits
 * for a seed on the same machine. */
extern const struct ec_ann_engine ec_ann_by_engine;

#endif
