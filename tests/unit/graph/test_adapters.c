/* Adapters beside frozen layers. */
#include "cost/cost.h"
#include "graph/graph.h"
#include "test.h"

#include <math.h>

static struct ec_graph *open_with(const char *model, int64_t rank, bool packed)
{
    struct ec_graph_opts o = { sizeof o, .batch = 1, .seq_len = 64, .adapter_rank = rank,
                               .pack_frozen = packed };
    struct ec_graph *g = NULL;
    struct ec_err err = { 0 };

    CHECK_OK(ec_graph_open(model, &o, &g, &err));
    return g;
}

static double count(const struct ec_graph *g, bool trainable, bool packed)
{
    double n = 0;
    int i;

    for (i = 0; i < g->n_values; i++) {
        const struct ec_value *v = g->values[i];

        if (v->kind == EC_V_PARAM && v->trainable == trainable && v->packed == packed)
            n += ec_type_elems(&v->type);
    }
    return n;
}

/* Seven layers a block: q and o are (h, h), k and v (kv, h), gate and up (f, h), down (h, f). */
TEST(each_layer_but_the_last_has_an_adapter)
{
    const double h = 4096, kv = 1024, f = 14336, r = 8, blocks = 2, vocab = 128256;
    double layers = 2 * h * h + 2 * kv * h + 3 * f * h;
    struct ec_graph *whole = open_with("llama3_8b:layers=2", 0, false);
    struct ec_graph *g = open_with("llama3_8b:layers=2", 8, true);
    int i, k;

    CHECK_NEAR(count(g, true, false), blocks * r * (4 * h + 2 * (h + kv) + 3 * (h + f)), 1e-12);
    CHECK_NEAR(count(g, false, true), blocks * layers, 1e-12);
    CHECK_NEAR(count(g, false, false), 2 * vocab * h + (2 * blocks + 1) * h, 1e-12);
    CHECK_INT(g->n_nodes, whole->n_nodes + 3 * 7 * 2);
    for (i = 0; i < g->n_nodes; i++) {
        CHECK_INT(g->nodes[i]->id, i);
        for (k = 0; k < g->nodes[i]->n_in; k++)
            CHECK(g->values[g->nodes[i]->in[k]]->producer < i &&
                  g->nodes[i]->in[k] < g->nodes[i]->out[0]);
        for (k = 0; k < g->nodes[i]->n_out; k++)
            CHECK_INT(g->values[g->nodes[i]->out[k]]->producer, i);
    }
    CHECK(g->values[g->outputs[0]]->requires_grad);
    ec_graph_free(whole);
    ec_graph_free(g);
}

static int adapters_of(const char *model, bool attention)
{
    struct ec_graph_opts o = { sizeof o, .seq_len = 16, .adapter_rank = 4,
                               .adapt_attention = attention };
    struct ec_graph *g = NULL;
    struct ec_err err = { 0 };
    int i, n = 0;

    CHECK_OK(ec_graph_open(model, &o, &g, &err));
    for (i = 0; i < g->n_nodes; i++)
        n += strstr(g->nodes[i]->name, ".lora_B") != NULL;
    ec_graph_free(g);
    return n;
}

/* Queries, keys, values and the output: by the graph, whether attention is one node or several. */
TEST(attention_alone_may_have_adapters)
{
    static const struct {
        const char *model;
        int all, attention; /* of a block */
    } of[] = {
        {"llama3_8b:layers=2",          7, 4},
        { "llama3_8b:layers=2,flash=0", 7, 4},
        { "bert_base:layers=2",         6, 4},
    };
    int i;

    for (i = 0; i < EC_LEN(of); i++) {
        CHECK(adapters_of(of[i].model, false) >= 2 * of[i].all);
        CHECK_INT(adapters_of(of[i].model, true), 2 * of[i].attention);
    }
}

/* SDXL has 70 blocks of transformers with two attentions each. Its output is a convolution, so that
 * no linear layer is the last; frozen encoders of images and texts have none. */
TEST(diffusion_networks_have_them_beside_what_is_trained)
{
    CHECK_INT(adapters_of("sdxl_unet:image=256", true), 70 * 8);
    CHECK_INT(adapters_of("sdxl:image=256", true), 70 * 8);
    CHECK_INT(adapters_of("sdxl:image=256", false), adapters_of("sdxl_unet:image=256", false));
    CHECK_INT(adapters_of("sd15:image=128", true), 16 * 8);
    CHECK_INT(adapters_of("dit_s_2:layers=3", true), 3 * 2);
}

static double of_phase(const struct ec_graph *g, enum ec_phase p, bool bytes)
{
    const struct ec_conditions cond = { .optimizer = EC_OPT_adamw };
    struct ec_step s = { 0 };
    struct ec_err err = { 0 };
    double sum = 0;
    int i;

    CHECK_OK(ec_step_build(g, &cond, &s, &err));
    for (i = 0; i < s.n; i++)
        if (s.kernel[i].phase == p)
            sum += bytes ? ec_kernel_bytes(&s.kernel[i], 2) : s.kernel[i].mac;
    ec_step_clear(&s);
    return sum;
}

/* The encoders run forward alone, and keep nothing but their weights. */
TEST(frozen_encoders_are_forward_work)
{
    struct ec_graph *g = open_with("sd15_unet:image=128", 0, false);
    struct ec_graph *all = open_with("sd15:image=128", 0, false);
    struct ec_conditions cond = { .optimizer = EC_OPT_adamw };
    struct ec_memory few, more;
    struct ec_err err = { 0 };

    CHECK_OK(ec_cost_memory(g, &cond, &few, &err));
    CHECK_OK(ec_cost_memory(all, &cond, &more, &err));
    CHECK(of_phase(all, EC_FORWARD, false) > 1.2 * of_phase(g, EC_FORWARD, false));
    CHECK_NEAR(of_phase(all, EC_GRAD_DATA, false), of_phase(g, EC_GRAD_DATA, false), 1e-12);
    CHECK_NEAR(of_phase(all, EC_GRAD_WEIGHT, false), of_phase(g, EC_GRAD_WEIGHT, false), 1e-12);
    CHECK(more.at_loss < 1.01 * few.at_loss);
    CHECK_NEAR(more.gradients + more.optimizer, few.gradients + few.optimizer, 1e-12);
    /* of CLIP ViT-L/14's text, and of the image's half of the autoencoder */
    CHECK_NEAR(count(all, false, false), 123060480 + 34163592 + 72, 1e-12);
    ec_graph_free(g);
    ec_graph_free(all);
}

TEST(frozen_weights_have_no_gradient_and_no_states)
{
    struct ec_graph *whole = open_with("llama3_8b:layers=2", 0, false);
    struct ec_graph *lora = open_with("llama3_8b:layers=2", 8, false);
    struct ec_graph *packed = open_with("llama3_8b:layers=2", 8, true);
    struct ec_conditions cond = { .precision = EC_BF16, .optimizer = EC_OPT_adamw };
    struct ec_memory a, b, c;
    struct ec_err err = { 0 };

    CHECK(of_phase(lora, EC_GRAD_WEIGHT, false) < 0.02 * of_phase(whole, EC_GRAD_WEIGHT, false));
    CHECK_NEAR(of_phase(lora, EC_FORWARD, false), of_phase(whole, EC_FORWARD, false), 0.02);
    CHECK(of_phase(lora, EC_UPDATE, true) < 0.02 * of_phase(whole, EC_UPDATE, true));
    CHECK(of_phase(packed, EC_FORWARD, true) > of_phase(lora, EC_FORWARD, true));
    CHECK_OK(ec_cost_memory(whole, &cond, &a, &err));
    CHECK_OK(ec_cost_memory(lora, &cond, &b, &err));
    CHECK_OK(ec_cost_memory(packed, &cond, &c, &err));
    CHECK(b.weights > a.weights && b.weights < 1.02 * a.weights);
    CHECK(b.gradients + b.optimizer < 0.02 * (a.gradients + a.optimizer));
    CHECK(c.weights < b.weights - 1.4 * count(packed, false, true));
    CHECK(c.unpacked == 2.0 * 4096 * 14336);
    ec_graph_free(whole);
    ec_graph_free(lora);
    ec_graph_free(packed);
}

TEST(other_networks_have_them_too_or_say_why)
{
    static const char *const some[] = { "gpt2", "bert_base", "vit_b_16" };
    struct ec_graph_opts o = { sizeof o, .adapter_rank = 8 };
    struct ec_graph *g = NULL;
    struct ec_err err = { 0 };
    int i;

    for (i = 0; i < EC_LEN(some); i++) {
        g = open_with(some[i], 4, false);
        CHECK(count(g, true, false) > 0);
        CHECK(count(g, true, false) < 0.05 * count(g, false, false));
        ec_graph_free(g);
    }
    g = NULL;
    CHECK_INT(ec_graph_open("resnet50", &o, &g, &err), EC_E_UNSUPPORTED);
    CHECK(strstr(err.text, "resnet50") != NULL);
}

static enum ec_status open_once(struct ec_err *err)
{
    struct ec_graph_opts o = { sizeof o, .seq_len = 16, .adapter_rank = 4, .pack_frozen = true };
    struct ec_graph *g = NULL;
    enum ec_status st = ec_graph_open("gpt2:layers=1", &o, &g, err);

    ec_graph_free(g);
    return st;
}

TEST(failing_memory)
{
    CHECK_TORTURE(open_once);
}
