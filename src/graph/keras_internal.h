/* Models of Keras, inside the reader: layers of a model and their calls (keras.c), one layer as
 * nodes (keras_layer.c). Format: docs/keras.md */
#ifndef EC_GRAPH_KERAS_INTERNAL_H
#define EC_GRAPH_KERAS_INTERNAL_H

#include "graph/net_internal.h"

struct ec__keras {
    struct ec_builder b;
    struct ec__net net;
    struct ec__text *text; /* data/families/keras.net */
    struct ec_arena arena; /* until the network is made */
    const struct ec_graph_opts *opts;
    bool opened;  /* the file leaves dimensions open, which the options give */
    int depth;    /* of models inside each other */
    int64_t work; /* layers and calls so far */
};

/* What a call of a layer gets: values of the network, and numbers beside them. */
struct ec__keras_in {
    int *value, n;
    double *number;
    int n_numbers, cap_numbers;
};

/* A text of an object, "" where it has none. */
const char *ec__keras_word(const struct ec_jval *obj, const char *key);
/* Copies of letters that names of nodes may have; in the arena. */
const char *ec__keras_name(struct ec__keras *k, const char *name);
/* The input of a model: its shape as the layer says, else the model, which may be NULL. as_ids:
 * what it feeds reads words. Errors are the builder's. */
int ec__keras_input(struct ec__keras *k, const struct ec_jval *layer, const struct ec_jval *model,
                    bool as_ids);
/* The values of an input as a list. Errors are the builder's. */
struct ec__item ec__keras_values(struct ec__keras *k, const struct ec__keras_in *in);
/* The nodes of a layer that is no model: a value, or a list of values. Errors are the builder's,
 * with the layer in front. */
struct ec__item ec__keras_layer(struct ec__keras *k, const struct ec_jval *layer, const char *name,
                                const struct ec__keras_in *in);

#endif
