/* A fake device whose times are known: with it the whole road from measuring to predicting runs in
 * tests, exactly and without hardware. Nothing is computed. Memory is counted, not held; what is
 * read back is zero.
 *
 * The law. The host issues launches, the device works through them; two clocks, both from 0:
 *
 *   each kernel of op->work(case, phase) (op->infer where the network only infers), and each flat
 *   operation as one kernel, of L launches, F FLOP and B bytes:
 *     host    += L * host_ns
 *     device   = max(device, host) + N * S * (L * launch_ns + max(F / peak, B / bandwidth))
 *   peak       the device's FP32 rate; its BF16 matrix rate for EC_KF_MATRIX kernels in bfloat16
 *   bandwidth  the device's memory bandwidth
 *   B          elements times 2 (bfloat16) or 4, and the kernel's fixed bytes; flat: see sim.c
 *   N          exp(noise * z), z normal, drawn per kernel from the context's seed; 1 when noise is
 * 0 S          1 + drift_per_s * t, and + throttle_frac once t >= throttle_at_s > 0, where t is the
 *              time in seconds at which the device begins the kernel
 *
 *   sync, upload and download bring the host to the device's time; the copies then take
 *   EC_SIM_COPY_NS + bytes / EC_SIM_LINK_BYTES_PER_S of both clocks. Gradients of inputs that
 *   nobody wants cost nothing (`for_input`). */
#ifndef EC_SIM_H
#define EC_SIM_H

#include "engine/backend.h"

#define EC_SIM_COPY_NS 10e3
#define EC_SIM_LINK_BYTES_PER_S 12e9 /* PCI Express 3.0 x16, as commonly reached */

#endif
