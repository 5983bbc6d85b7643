/* Making graphs, inside graph: values and nodes one by one, networks of the zoo. */
#ifndef EC_GRAPH_BUILD_INTERNAL_H
#define EC_GRAPH_BUILD_INTERNAL_H

#include "graph/graph.h"

enum ec_status ec_graph_add_input(struct ec_graph *g, const char *name, const struct ec_type *type,
                                  int *ret_value, struct ec_err *err) EC_MUST_CHECK;
/* A free parameter (position table, layer scale): usable as any operator's input. */
enum ec_status ec_graph_add_param(struct ec_graph *g, const char *name, const struct ec_type *type,
                                  bool trainable, int *ret_value, struct ec_err *err) EC_MUST_CHECK;
enum ec_status ec_graph_add_const(struct ec_graph *g, const char *name, const struct ec_type *type,
                                  int *ret_value, struct ec_err *err) EC_MUST_CHECK;
/* What the constant holds: n numbers, 1 or as many as it has elements; copied.
 * Errors: INPUT; UNSUPPORTED when the graph has no room for them (ec_graph_has_room) */
enum ec_status ec_graph_const_values(struct ec_graph *g, int value, const double *v, int64_t n,
                                     struct ec_err *err) EC_MUST_CHECK;
bool ec_graph_has_room(const struct ec_graph *g, int64_t n);
/* rule: docs/graph-json.md lists them. Errors: INPUT, SHAPE */
enum ec_status ec_graph_const_rule(struct ec_graph *g, int value, const char *rule,
                                   const double *arg, int n_arg, struct ec_err *err) EC_MUST_CHECK;
const char *ec_contents_rule(const struct ec_contents *c, int *ret_n_arg); /* NULL: none */
/* Append a node; infers its outputs and makes its parameters.
 * attrs   in g->arena (ec_attrs_parse), kept
 * in      value ids, copied
 * Errors: SHAPE and INPUT, prefixed with the node's operator and name. */
enum ec_status ec_graph_add_node(struct ec_graph *g, const char *name, const struct ec_op *op,
                                 void *attrs, const int *in, int n_in, struct ec_node **ret,
                                 struct ec_err *err) EC_MUST_CHECK;
enum ec_status ec_graph_note(struct ec_graph *g, struct ec_err *err, const char *fmt, ...)
    EC_PRINTF(3, 4) EC_MUST_CHECK;

/* Freezes all parameters and puts trained adapters beside all linear layers but the last.
 * Errors  UNSUPPORTED: there are no such layers; NOMEM, the graph is then good for nothing */
enum ec_status ec__graph_adapt(struct ec_graph *g, const struct ec_graph_opts *o,
                               struct ec_err *err) EC_MUST_CHECK;

/* The first parameter that a node made itself: they stand right before its outputs. */
static inline int ec__own_param(const struct ec_node *n)
{
    return n->out[0] - n->n_param;
}

/* Numbers the values in the order in which they come to be: what is given, then node by node. What
 * no node makes any more is left out. */
enum ec_status ec__graph_in_order(struct ec_graph *g, struct ec_err *err) EC_MUST_CHECK;

/* --- The builder of zoo code, see graph.h --- */
int ec_bn(struct ec_builder *b, const int *xs, int n, const char *words);
int64_t ec_b_dim(const struct ec_builder *b, int value, int dim); /* negative dim from the end */
size_t ec_b_push(struct ec_builder *b, const char *name);         /* into a scope; old length */
void ec_b_pop(struct ec_builder *b, size_t old);

/* spec: name or name:key=value,... ; Errors: NOT_FOUND, INPUT */
enum ec_status ec_zoo_build(const char *spec, const struct ec_graph_opts *opts,
                            struct ec_graph **ret, struct ec_err *err) EC_MUST_CHECK;

#endif
