/* Networks on tokens: what encoders, decoders and recurrent ones share (zoo_text.c). */
#ifndef EC_GRAPH_ZOO_TEXT_INTERNAL_H
#define EC_GRAPH_ZOO_TEXT_INTERNAL_H

#include "graph/zoo_internal.h"

/* (n, t) -> (n, t, dim). ret_table: value of the table, for tying the output layer to it; or NULL
 */
int ec__embed(struct ec_builder *b, int ids, int64_t num, int64_t dim, const char *name,
              int *ret_table);
/* The first t of num learned positions: (1, t, dim) */
int ec__embed_positions(struct ec_builder *b, int64_t t, int64_t num, int64_t dim,
                        const char *name);
/* Logits (n*t, vocab); table >= 0 ties the weight to the embedding. */
int ec__lm_head(struct ec_builder *b, int x, int64_t vocab, int table, bool bias, const char *name);

#endif
