/* What the module epochcast-dnnl.so does: oneDNN is C++ and throws where memory ends; nothing may
 * be thrown through C. Without the module such an exception ends the program. */
#ifndef EC_ENGINE_CPU_DNNL_GUARD_H
#define EC_ENGINE_CPU_DNNL_GUARD_H

#define EC_DNNL_GUARD_MODULE "epochcast-dnnl.so"
#define EC_DNNL_GUARD_SYMBOL "ec_dnnl_guard"
#define EC_DNNL_GUARD_ABI 1

/* Puts in place of each function of EC_LIBDNNL, whose addresses `slots` has in that order, one
 * that calls it between begin() and end() and returns an exception as a status. 0: made for another
 * list. */
typedef int ec_dnnl_guard_fn(int abi, int n_slots, void **slots, void (*begin)(void),
                             void (*end)(void));

#endif
