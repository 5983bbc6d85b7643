/* How each optimizer is usually set: PyTorch's defaults, learning rates as they are trained with.
 */
#include "engine/engine.h"

struct ec_update ec_update_default(enum ec_optimizer o)
{
    bool adam = o == EC_OPT_adam || o == EC_OPT_adamw;
    struct ec_update u = { 0 };

    u.optimizer = o;
    u.lr = o == EC_OPT_adadelta ? 1.0 : adam || o == EC_OPT_rmsprop ? 1e-3 : 1e-2;
    u.momentum = o == EC_OPT_momentum ? 0.9 : 0;
    u.beta1 = 0.9;
    u.beta2 = 0.999;
    u.alpha = o == EC_OPT_adadelta ? 0.9 : 0.99;
    u.eps = o == EC_OPT_adadelta ? 1e-6 : o == EC_OPT_adagrad ? 1e-10 : 1e-8;
    u.weight_decay = o == EC_OPT_adamw ? 0.01 : 0;
    u.step = 1;
    u.grad_scale = 1;
    return u;
}
