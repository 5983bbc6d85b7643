/* Muon: the momentum of hidden matrices is made orthogonal by five Newton-Schulz iterations, each
 * three products (Jordan et al. 2024). AdamW updates all else: embeddings, the output layer, norms,
 * biases. */
#include "cost/cost.h"
#include "cost/step_notes.h"

#include <math.h>

#define ITERATIONS 5
#define MATRIX_BYTES 2.0 /* the iterations are in bf16 at any precision */
#define PASSES 8         /* calls for each matrix beside, which PyTorch makes one by one */

bool ec__muon_next(const struct ec_graph *g, struct ec__muon *m)
{
    int last = g->n_nodes; /* that has parameters: makes the output */

    while (last-- > 0 && !g->nodes[last]->n_param)
        continue;
    for (; m->node < last; m->node++, m->slot = 0) {
        const struct ec_node *n = g->nodes[m->node];
        bool experts = ec_str_eq(n->op->name, "experts"); /* whose biases have rank 2 */

        while (m->slot < n->n_param && !ec_str_eq(n->op->name, "embedding")) {
            const struct ec_value *v = g->values[n->param[m->slot++]];
            const struct ec_shape *s = &v->type.shape;
            double elems = ec_type_elems(&v->type), rows;

            if (!v->trainable || s->rank < 2 + experts || elems <= 0 ||
                n->param[m->slot - 1] != n->out[0] - n->n_param + m->slot - 1) /* another's */
                continue;
            m->count = experts ? (double)s->d[0] : 1;
            rows = (double)s->d[experts];
            m->narrow = fmin(rows, elems / m->count / rows);
            m->wide = fmax(rows, elems / m->count / rows);
            return true;
        }
    }
    return false;
}

double ec_hidden_frac(const struct ec_graph *g)
{
    double all = ec_graph_trained_elems(g), hidden = 0;
    struct ec__muon m = { 0 };

    while (ec__muon_next(g, &m))
        hidden += m.count * m.narrow * m.wide;
    return all > 0 ? hidden / all : 0;
}

static void add_product(struct ec_work *w, double b, double side, double n, double k, double share)
{
    struct ec_kernel *p = ec_work_add(w, EC_K_GEMM, EC_UPDATE);

    p->flags = EC_KF_MATRIX;
    p->b = b;
    p->m = side;
    p->n = n;
    p->k = k;
    p->launches = share * (ITERATIONS + PASSES / 3.0);
    p->serial = ITERATIONS;
    p->mac = share * ITERATIONS * b * side * n * k;
    p->flop = 2 * p->mac;
    p->fixed_bytes = share * ITERATIONS * MATRIX_BYTES * b * (side * k + k * n + side * n);
}

void ec__muon_work(const struct ec__muon *m, double share, struct ec_work *w)
{
    w->n = 0;
    add_product(w, m->count, m->narrow, m->narrow, m->wide, share); /* X X' */
    add_product(w, m->count, m->narrow, m->narrow, m->narrow, share);
    add_product(w, m->count, m->narrow, m->wide, m->narrow, share);
}
