/* Transformers on images: what tells their attention apart, and what parameters change. */
#include "test.h"

#include "graph/zoo_internal.h"
#include "figures.h"

static struct ec_graph *build(const char *spec)
{
    struct ec_graph *g = NULL;
    struct ec_err err = { 0 };

    CHECK_OK(ec_zoo_build(spec, NULL, &g, &err));
    return g;
}

static double params_of(const char *spec)
{
    struct ec_graph *g = build(spec);
    double n = g ? graph_params(g) : -1;

    ec_graph_free(g);
    return n;
}

static double mac_of(const char *spec)
{
    struct ec_graph *g = build(spec);
    double n = g ? graph_mac(g) : -1;

    ec_graph_free(g);
    return n;
}

/* Nodes of an operator whose first output has that shape; NULL: any. */
static int nodes_of(const char *spec, const char *op, const char *shape)
{
    struct ec_graph *g = build(spec);
    char text[120];
    int i, n = 0;

    for (i = 0; g && i < g->n_nodes; i++)
        n += ec_str_eq(g->nodes[i]->op->name, op) &&
             (!shape ||
              ec_str_eq(ec_shape_text(&g->nodes[i]->out_type[0]->shape, text, sizeof text), shape));
    ec_graph_free(g);
    return n;
}

TEST(attention_has_the_products_of_its_kind)
{
    /* two products of 12 blocks; a class token joins 196 patches */
    CHECK_INT(nodes_of("vit_b_16", "matmul", "1x12x197x197"), 12);
    CHECK_INT(nodes_of("vit_b_16", "matmul", "1x12x197x64"), 12);
    /* cross-covariance: scores of channels, never of tokens */
    CHECK_INT(nodes_of("xcit_small_12_p16_224", "matmul", "1x8x48x48"), 12);
    CHECK_INT(nodes_of("xcit_small_12_p16_224", "matmul", "1x8x196x196"), 0);
    CHECK_INT(nodes_of("xcit_small_12_p16_224", "softmax", "1x8x1x197"), 2);
    /* talking heads: a dense layer over heads before and after each softmax */
    CHECK_INT(nodes_of("cait_xxs24_224", "linear", "1x196x196x4"), 48);
    CHECK_INT(nodes_of("cait_xxs24_224", "softmax", "1x4x1x197"), 2);
    /* factored: the keys' softmax is over tokens */
    CHECK_INT(nodes_of("coat_lite_tiny", "softmax", "1x8x3137x8"), 2);
    CHECK_INT(nodes_of("coat_lite_tiny", "matmul", "1x8x8x8"), 2);
    /* fewer queries than keys where LeViT shrinks */
    CHECK_INT(nodes_of("levit_256", "matmul", "1x8x49x196"), 1);
    CHECK_INT(nodes_of("levit_256", "matmul", "1x12x16x49"), 1);
    /* units of 64 tokens, then of 16, then all */
    CHECK_INT(nodes_of("hiera_tiny_224", "softmax", "1x1x49x64x64"), 1);
    CHECK_INT(nodes_of("hiera_tiny_224", "softmax", "1x2x49x16x64"), 1);
    CHECK_INT(nodes_of("hiera_tiny_224", "softmax", "1x4x1x196x196"), 6);
}

TEST(positions_are_added_where_they_belong)
{
    /* relative positions: one sum of scores per block; one MLP per block, or one for all */
    CHECK_INT(nodes_of("vit_relpos_small_patch16_224", "add", "1x6x196x196"), 12);
    CHECK_INT(nodes_of("vit_relpos_small_patch16_224", "gather", NULL), 12);
    CHECK_INT(nodes_of("vit_srelpos_small_patch16_224", "add", "1x6x196x196"), 12);
    CHECK_INT(nodes_of("vit_srelpos_small_patch16_224", "gather", NULL), 1);
    CHECK_INT(nodes_of("levit_256", "gather", NULL), 14);
    CHECK_INT(nodes_of("swinv2_cr_tiny_224", "linear", "2401x3"), 2);
    /* rotary positions: queries and keys of each block, their class token aside */
    CHECK_INT(nodes_of("vit_base_patch16_rope_224", "neg", NULL), 24);
    CHECK_INT(nodes_of("vit_base_patch16_rope_224", "concat", "1x12x197x64"), 24);
    CHECK_NEAR(params_of("vit_base_patch16_rope_mixed_224") -
                   params_of("vit_base_patch16_rope_224"),
               2 * 12 * 12 * 32, 0);
    /* of rows and of columns: two sums per block */
    CHECK_INT(nodes_of("samvit_base_patch16_224", "add", "12x14x14x14x14"), 12);
    CHECK_INT(nodes_of("samvit_base_patch16_224", "add", "1x12x196x196"), 12);
}

TEST(parameters_of_a_vision_transformer_add_their_weights)
{
    double vit = params_of("vit_b_16"), block = 12;

    CHECK_NEAR(params_of("vit_b_16:scale=1") - vit, block * 2 * 768, 0);
    CHECK_NEAR(params_of("vit_b_16:extra=5,positions=patches") - vit, (4 - 1) * 768, 0);
    CHECK_NEAR(params_of("vit_b_16:extra=0,pool=mean") - vit, -2 * 768, 0);
    CHECK_NEAR(params_of("vit_b_16:gate=packed") - vit, block * (768 * 3072 + 3072), 0);
    CHECK_NEAR(params_of("vit_b_16:gate=split"), params_of("vit_b_16:gate=packed"), 0);
    CHECK_NEAR(params_of("vit_b_16:split_qkv=1") - vit, -block * 768, 0);
    CHECK_NEAR(params_of("vit_b_16:qk_norm=1") - vit, block * 2 * 2 * 64, 0);
    CHECK_NEAR(params_of("vit_b_16:rms=1") - vit, -(2 * block + 1) * 768, 0);
    CHECK_NEAR(params_of("vit_b_16:no_bias=1") - vit, -block * (3 * 768 + 768 + 3072 + 768), 0);
    CHECK_NEAR(params_of("vit_b_16:norm=none") - vit, -2 * 768, 0);
    CHECK_NEAR(params_of("vit_b_16:differential=1") - vit, block * (4 * 32 + 64), 0);
    /* query, projections of one block, its norm and its MLP */
    CHECK_NEAR(params_of("vit_b_16:pool=attention") - vit,
               768 + 4 * (768 * 768 + 768) + 2 * 768 + 2 * 768 * 3072 + 3072 + 768, 0);
    /* positions of 16 x 16 whatever the image; as rows and columns */
    CHECK_NEAR(params_of("vit_b_16:positions=patches,grid=16,image=384"),
               params_of("vit_b_16:positions=patches,grid=16"), 0);
    CHECK_NEAR(params_of("vit_b_16:positions=patches,grid=16") -
                   params_of("vit_b_16:positions=patches,grid=16,factored=1"),
               (256 - 32) * 768, 0);
    CHECK_NEAR(params_of("swin_t:windows=7x7x14x7") - params_of("swin_t"),
               6 * 12 * (27 * 27 - 13 * 13), 0);
}

/* Dense layers over tokens and 1x1 convolutions over maps do the same work. */
TEST(levit_has_two_forms_of_the_same_size)
{
    CHECK_NEAR(params_of("levit_conv_256"), params_of("levit_256"), 0);
    CHECK_NEAR(mac_of("levit_conv_256"), mac_of("levit_256"), 0);
    CHECK_INT(nodes_of("levit_conv_256", "linear", NULL), 2);
}

/* A layer over three sizes: each with its attention and norms; the MLP and the convolutions that
 * give positions are counted once. */
TEST(coat_shares_what_its_sizes_have_in_common)
{
    double attention = 4 * 152 * 152 + 4 * 152, mlp = 8 * 152 * 152 + 5 * 152;

    CHECK_NEAR(params_of("coat_tiny:parallel=7") - params_of("coat_tiny"),
               3 * (attention + 4 * 152) + mlp, 0);
}

/* Attention between channels, and in windows of one size, grows with the pixels only. */
TEST(some_attention_is_linear_in_the_pixels)
{
    double few = mac_of("xcit_small_12_p16_224"), many = mac_of("xcit_small_12_p16_224:image=448");

    CHECK_NEAR(many / few, 4, 0.01);
    few = mac_of("davit_tiny");
    many = mac_of("davit_tiny:image=448");
    CHECK_NEAR(many / few, 4, 0.01);
}

TEST(networks_without_classes_give_features)
{
    struct ec_graph_opts opts = { .struct_size = sizeof opts, .classes = 10 };
    struct ec_err err = { 0 };
    struct ec_graph *g = build("vit_base_patch16_siglip_224");

    if (g)
        CHECK_INT(g->values[g->outputs[0]]->type.shape.d[1], 768);
    ec_graph_free(g);
    g = NULL;
    CHECK_OK(ec_zoo_build("vit_base_patch16_siglip_224", &opts, &g, &err));
    if (g)
        CHECK_INT(g->values[g->outputs[0]]->type.shape.d[1], 10);
    ec_graph_free(g);
}

TEST(names_of_weights_find_their_network)
{
    static const char *const known[] = {
        "xcit_large_24_p8_384_dist",
        "jx_nest_small",
        "vit_base_resnet50_384",
        "vit_large_patch14_clip_quickgelu_336",
        "vit_so400m_patch14_siglip_gap_896",
        "swinv2_large_window12to24_192to384_22kft1k",
        "eva02_large_patch14_clip_336.merged2b",
        "vit_small_patch16_384.augreg_in21k_ft_in1k",
        "tnt_s_legacy_patch16_224",
        "vitamin_large2_384",
    };
    int i;

    for (i = 0; i < EC_LEN(known); i++)
        if (!ec_zoo_has(known[i]))
            test_fail(__FILE__, __LINE__, "no network \"%s\"", known[i]);
}

TEST(what_does_not_fit_is_named)
{
    static const struct {
        const char *spec, *part;
    } wrong[] = {
        {"cait_xxs24_224:heads=5",            "divide"     },
        { "xcit_nano_12_p16_224:heads=3",     "divide"     },
        { "convit_tiny:heads=5",              "divide"     },
        { "nest_tiny:image=100",              "blocks"     },
        { "tnt_s_patch16_224:image=100",      "patches"    },
        { "hiera_tiny_224:image=100",         "multiple"   },
        { "sam2_hiera_tiny:windows=8x4",      "windows"    },
        { "levit_128:widths=8x16x32",         "no head"    },
        { "pit_s_224:heads=3x6",              "heads"      },
        { "twins_svt_small:sr=8x4",           "sr: 2"      },
        { "coat_tiny:widths=152x152",         "4 numbers"  },
        { "davit_tiny:heads=3x6",             "heads"      },
        { "swin_t:windows=7x7",               "windows"    },
        { "vit_b_16:extra=0",                 "class token"},
        { "vit_b_16:rope=fixed,heads=128",    "of 4"       },
        { "vit_b_16:heads=7",                 "divide"     },
        { "vitamin_small_224:stem_widths=64", "stem_widths"},
        { "vit_b_16:act=nothing",             "nothing"    },
    };
    int i;

    for (i = 0; i < EC_LEN(wrong); i++) {
        struct ec_graph *g = NULL;
        struct ec_err err = { 0 };
        enum ec_status st = ec_zoo_build(wrong[i].spec, NULL, &g, &err);

        if (!st || !strstr(err.text, wrong[i].part))
            test_fail(__FILE__, __LINE__, "%s: %s", wrong[i].spec, st ? err.text : "was built");
        ec_graph_free(g);
    }
}
