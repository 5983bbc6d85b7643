/* Totals of a network: operations, bytes moved, and memory of a step. A step is a list of kernels
 * in the order in which a framework issues them; every total is a sum over that list. */
#ifndef EC_COST_H
#define EC_COST_H

#include "graph/graph.h"
#include "hw/hw.h"
#include "record/record.h"

double ec_optimizer_states(enum ec_optimizer o);
/* Of all states of a parameter; usual: bytes of an element in the precision. */
double ec_optimizer_state_bytes(enum ec_optimizer o, double usual, double hidden_frac);
/* The share of a graph's trained elements that are matrices between its embeddings and its output
 * layer. */
double ec_hidden_frac(const struct ec_graph *g);
double ec_optimizer_tensors(enum ec_optimizer o);

/* The kernels of one step, in issue order. node[i] is the node of kernel[i]; -1 for the loss, -2
 * for the optimizer. */
#define EC_STEP_LOSS (-1)
#define EC_STEP_OPTIMIZER (-2)
struct ec_step {
    int n, cap;
    struct ec_kernel *kernel;
    int n_node, cap_node;
    int *node;
    double *repeat;          /* how often each kernel runs; NULL: once (see ec_step_merge) */
    double input_bytes;      /* of the network's inputs, as the host holds them */
    int64_t n_param_tensors; /* trainable tensors, each its own optimizer kernel when not fused */
};

/* graph     shapes inferred; borrowed
 * cond      mode, optimizer and recompute shape it
 * Errors    NOMEM */
enum ec_status ec_step_build(const struct ec_graph *g, const struct ec_conditions *cond,
                             struct ec_step *ret, struct ec_err *err) EC_MUST_CHECK;
/* Errors: NOMEM */
enum ec_status ec_step_copy(const struct ec_step *s, struct ec_step *ret,
                            struct ec_err *err) EC_MUST_CHECK;
/* The step without the kernels that recomputation adds; in the arena, what both have is shared.
 * Errors: NOMEM */
enum ec_status ec_step_once(const struct ec_step *s, struct ec_arena *arena, struct ec_step *ret,
                            struct ec_err *err) EC_MUST_CHECK;
/* The update of so many elements, in so many tensors, of the trained ones of a graph. Errors: NOMEM
 */
enum ec_status ec_step_of_update(const struct ec_graph *g, double elems, int64_t tensors,
                                 enum ec_optimizer opt, struct ec_step *ret,
                                 struct ec_err *err) EC_MUST_CHECK;
/* Equal kernels become one that repeats: order and nodes are lost, sums stay. Networks repeat their
 * blocks, so that timing a step takes a tenth of the work. Errors: NOMEM */
enum ec_status ec_step_merge(struct ec_step *s, struct ec_err *err) EC_MUST_CHECK;
/* The kernels of a single case: one phase, or every phase of `mode` when phase < 0. */
enum ec_status ec_step_of_case(const struct ec_case *c, int phase, enum ec_mode mode,
                               struct ec_step *ret, struct ec_err *err) EC_MUST_CHECK;
/* The kernels of a benchmark that trains one operator alone (Justus et al. 2018): those of the
 * operator in all phases, an element-wise activation, the mean squared error against a target,
 * gradients of input and target even where a network needs none, the optimizer's update of
 * parameters, input and target, tensor by tensor.
 * activation  NULL: none
 * Errors      NOMEM */
enum ec_status ec_step_isolated(const struct ec_case *c, const struct ec_op *activation,
                                enum ec_optimizer opt, struct ec_step *ret,
                                struct ec_err *err) EC_MUST_CHECK;
void ec_step_clear(struct ec_step *s);

/* Counts of a layer or a network, at `elem_bytes` per element. Per phase: forward, grad_data,
 * grad_weight, update. */
struct ec_totals {
    double params, trainable_params; /* elements; running statistics are in neither */
    double buffers;                  /* running statistics */
    struct ec_count phase[EC_PHASE_COUNT];
    double output_elems; /* elements written by forward operators */
    double saved_bytes;  /* kept from forward for backward, values counted once */
    double input_bytes;
};
double ec_totals_backward_flop(const struct ec_totals *t);
double ec_totals_training_flop(const struct ec_totals *t);

struct ec_layer {
    const struct ec_node *node; /* NULL: the loss */
    struct ec_totals t;
};

/* Work and parameters of a step of the graph that was built; what nodes keep and put out is 0. */
void ec_cost_step(const struct ec_graph *g, const struct ec_step *s, double elem_bytes,
                  struct ec_totals *ret);
/* Totals of the network; when ret_layers is not NULL the layers, g->n_nodes of them and one more
 * without a node for the loss; ec_free() it. The optimizer's update is in phase[EC_UPDATE]. Saved
 * bytes of a layer are those it is the first to ask for. */
enum ec_status ec_cost_graph(const struct ec_graph *g, enum ec_optimizer opt, double elem_bytes,
                             struct ec_totals *ret, struct ec_layer **ret_layers,
                             struct ec_err *err) EC_MUST_CHECK;

/* What is held at one moment, in bytes: parameters with what belongs to them, what backward needs
 * with the input, and what comes and goes. */
struct ec_memory_moment {
    double fixed, kept, transient;
};
#define EC_LOSS_CHUNKS 8 /* of torchtune's and Liger's losses, about */
/* Bytes of an element: of activations, where less than of weights is autocast's; of weights and
 * their gradients; of the optimizer's states. States wider than the weights come with a copy of the
 * parameters as wide, master weights. */
struct ec_elem_bytes {
    double activation, weight, state;
};
/* Device memory of a step by kind, in bytes, before allocator and context overhead. Activations
 * hold the halves of weights that autocast makes (casts; in forward the transient does), what is
 * the optimizer's its copies of the parameters. */
struct ec_memory {
    double weights, gradients, optimizer, activations, transient, input;
    struct ec_elem_bytes bytes; /* of what is trained */
    double casts;
    double windowed;              /* largest working set of a convolution over several elements */
    struct ec_memory_moment most; /* the moment at which the sum is largest */
    double apart; /* each kind at its own most, whenever that is: never below the sum of `most` */
    double hidden_frac; /* of trained elements: ec_hidden_frac */
    double unpacked;    /* the largest weight out of 4 bits, while its layer runs */
    double at_loss;     /* what forward alone leaves for backward */
    /* The most of that and what comes and goes, on the way back: with the loss as PyTorch has it,
     * as trainers of large models have it, and with output and loss in EC_LOSS_CHUNKS pieces. */
    double plain, working, chunked;
};
/* A parameter in 4 bits: blocks of 64 with a float32 scale (Dettmers et al. 2023). */
#define EC_PACKED_BYTES (0.5 + 4.0 / 64)
/* Of a precision. master_weights: states and a copy of the parameters in float32. */
struct ec_elem_bytes ec_elem_bytes_of(enum ec_precision p, bool master_weights);
/* Of what kernels read and write at a precision; by the word of a table, which may be another than
 * ours, the same. */
double ec_precision_bytes(enum ec_precision p);
double ec_precision_word_bytes(const char *precision);
enum ec_status ec_cost_memory(const struct ec_graph *g, const struct ec_conditions *cond,
                              struct ec_memory *ret, struct ec_err *err) EC_MUST_CHECK;
/* EC_FRAMEWORK_LIST says what each member means. */
struct ec_framework_traits {
    const char *name;
    double update_launches;
    bool fuses_attention, fuses_passes, fuses_steps, converts, composes_update, composes_layers;
};
extern const struct ec_framework_traits ec_frameworks[EC_FRAMEWORK_COUNT];

/* --- A step and the data sheet of a device --- */
/* FLOP/s of the matrix units at a precision; if the data sheet has only the other 16-bit type, that
 * of this type. 0: no matrix units, or unknown. */
double ec_matrix_flop_per_s(const struct ec_device *d, enum ec_precision p);
/* FLOP/s of products (matrix) and of all else: what matrix units reach, else the float32 lanes. A
 * device that has no other arithmetic does everything by matrix units. 0: not known */
double ec_paper_peak(const struct ec_device *d, enum ec_precision p, bool matrix);
/* Of products, by the word of a precision; 0 where it is none of ours. */
double ec_paper_peak_named(const struct ec_device *d, const char *precision);
/* The highest rate of any unit that a precision, by its word, may run on: nothing is faster. */
double ec_highest_flop_per_s(const struct ec_device *d, const char *precision);

/* Two simple estimates of a step at the peaks of the data sheet: the sum of max(FLOP / peak, bytes
 * / bandwidth) over kernels, and FLOP / peak of the products alone. */
struct ec_plain_estimate {
    double roofline_ns, flop_ns;
};
struct ec_plain_estimate ec_plain_estimate(const struct ec_step *s, const struct ec_device *d,
                                           enum ec_precision p);

/* Clocks go beyond the nominal ones that peaks are computed from: by up to 7 % in public data. */
#define EC_PEAK_MARGIN 1.10
/* What a step must compute and move. least: convolutions by Winograd or FFT, with fewer operations
 * than are counted. */
struct ec_step_need {
    double flop, least_flop, bytes;
};
struct ec_step_need ec_step_need(const struct ec_step *s, double elem_bytes);
/* The least time of a step on the device; no hardware is faster. 0: unknown. */
double ec_step_least_ns(const struct ec_step *s, const struct ec_device *d, const char *precision);

#include "cost/networks.h"
#include "cost/partition.h"
#endif
