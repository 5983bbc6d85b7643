/* Every network of the zoo builds and has the parameters and MAC that are published for it. */
#include "test.h"

#include "graph/zoo_internal.h"
#include "figures.h"

static struct ec_graph *build(const char *spec, const struct ec_graph_opts *opts)
{
    struct ec_graph *g = NULL;
    struct ec_err err = { 0 };

    CHECK_OK(ec_zoo_build(spec, opts, &g, &err));
    return g;
}

static double params_of(const char *spec)
{
    struct ec_graph *g = build(spec, NULL);
    double n = g ? graph_params(g) : -1;

    ec_graph_free(g);
    return n;
}

static double mac_of(const char *spec, int64_t batch)
{
    struct ec_graph_opts opts = { .struct_size = sizeof opts, .batch = batch };
    struct ec_graph *g = build(spec, &opts);
    double n = g ? graph_mac(g) : -1;

    ec_graph_free(g);
    return n;
}

/* 0.1 % where an independent program counted the products; the published tables round. */
static void check_figures(const struct ec__zoo_row *row, const struct ec_graph *g)
{
    double params = graph_params(g), mac = graph_mac(g);

    double tol = row->source->params_tol + row->source->params_frac * (double)row->params;
    double mac_tol = row->source->mac_tol + row->source->mac_frac * row->mac;

    if (row->params && fabs(params - (double)row->params) > tol)
        test_fail(__FILE__, __LINE__, "%s has %.0f parameters, %s: %lld", row->name, params,
                  row->source->text, (long long)row->params);
    if (row->mac > 0 && fabs(mac - row->mac) > mac_tol)
        test_fail(__FILE__, __LINE__, "%s has %.0f MAC, %s: %.0f", row->name, mac,
                  row->source->text, row->mac);
    CHECK(mac > 0 && params > 0);
}

TEST(every_network_has_its_published_figures)
{
    int n, i;
    const struct ec__zoo_row *rows = ec__zoo_rows(&n);

    for (i = 0; i < n; i++) {
        struct ec_graph *g = build(rows[i].name, NULL);

        if (g)
            check_figures(&rows[i], g);
        ec_graph_free(g);
    }
}

/* Published for the blocks of deployment, in millions and in thousand millions, rounded. */
TEST(merged_branches_have_their_published_figures)
{
    CHECK_NEAR(params_of("repvgg_a0:merged=1"), 8.31e6, 1e-3);
    CHECK_NEAR(params_of("repvgg_b1g4:merged=1"), 36.13e6, 1e-3);
    CHECK_NEAR(params_of("repvgg_b2:merged=1"), 80.32e6, 1e-3);
    CHECK_NEAR(mac_of("repvgg_b2:merged=1", 1), 18.38e9, 1e-3);
    CHECK_NEAR(params_of("repvgg_d2se:merged=1"), 120.39e6, 1e-3);
    CHECK_NEAR(params_of("mobileone_s0:merged=1"), 2.08e6, 1e-3);
    CHECK_NEAR(params_of("mobileone_s4:merged=1"), 14.84e6, 1e-3);
}

/* The tables of timm since 2.9 are of merged networks. */
TEST(merged_networks_have_the_figures_of_the_tables)
{
    static const struct {
        const char *spec;
        double params, mac;
    } cases[] = {
        {"repghostnet_200:merged=1",   9.77,   0.52 },
        { "repvit_m2_3:merged=1",      22.93,  4.52 },
        { "repvit_m3:merged=1",        10.12,  1.86 },
        { "efficientvit_m5:merged=1",  12.44,  0.52 },
        { "shvit_s1:merged=1",         6.31,   0.24 },
        { "shvit_s4:merged=1",         16.55,  0.99 },
        { "tiny_vit_21m_384:merged=1", 21.22,  13.70},
        { "nextvit_large:merged=1",    57.83,  10.75},
        { "fastvit_t8:merged=1",       4.00,   0.69 },
        { "fastvit_ma36:merged=1",     43.98,  7.82 },
        { "fastvit_mci2:merged=1",     35.70,  7.83 },
        { "fastvit_mci3:merged=1",     125.07, 14.81},
        { "fastvit_mci4:merged=1",     321.57, 27.76},
    };
    int i;

    for (i = 0; i < EC_LEN(cases); i++) {
        CHECK_NEAR(params_of(cases[i].spec), cases[i].params * 1e6, 0.0051 / cases[i].params);
        CHECK_NEAR(mac_of(cases[i].spec, 1), cases[i].mac * 1e9, 0.0051 / cases[i].mac);
    }
}

TEST(names_match_whatever_marks_join_their_parts)
{
    static const char *const same[] = { "resnet50",           "resnet-50",       "ResNet50",
                                        "RESNET_50",          "tv_resnet50",     "resnet 50",
                                        "gluon_resnet50_v1b", "resnet50.a1_in1k" };
    static const char *const known[] = {
        "wide_resnet50_2", "mobilenetv2_100",
        "vgg16_bn",        "densenet-161",
        "inception-v3",    "bert-base-uncased",
        "bert_large",      "gpt2-large",
        "gpt2-xl",         "opt_1.3b",
        "gpt3_xl",         "gpt3_2_7b",
        "EfficientNet-B0", "googlenet_v1",
        "overfeat_fast",   "vgg_a",
        "alexnet_owt",     "tf_efficientnetv2_b0",
        "llama3.1_8b",     "mpt-7b",
        "regnety_032",     "convnext_base_in22ft1k",
    };
    int i;

    for (i = 0; i < EC_LEN(same); i++)
        CHECK_STR(ec__zoo_find(ec_span_of(same[i]))->name, "resnet50");
    for (i = 0; i < EC_LEN(known); i++)
        if (!ec_zoo_has(known[i]))
            test_fail(__FILE__, __LINE__, "no network \"%s\"", known[i]);
    CHECK(ec_zoo_has("resnet50:width=32"));
    CHECK_STR(ec_zoo_spelled("ResNet-50"), "resnet50");
    CHECK_STR(ec_zoo_spelled("tv_resnet50"), "tv_resnet50");
    CHECK_STR(ec_zoo_spelled("mine.onnx"), "mine.onnx");
    CHECK_STR(ec__zoo_find(ec_span_of("convnext"))->family->name, "convnext");
    CHECK(!ec_zoo_has("resnet51"));
    CHECK(!ec_zoo_has(""));
    CHECK(!ec_zoo_has("_"));
}

/* A spelling that two rows claim would hide one of them. */
TEST(every_name_finds_its_own_row)
{
    const struct ec__zoo_row *rows;
    struct ec_span rest, alias;
    int n, n_names, i;
    const char *const *names = ec_zoo_names(&n_names);

    rows = ec__zoo_rows(&n);
    CHECK_INT(n, n_names);
    for (i = 0; i < n; i++) {
        CHECK_STR(names[i], rows[i].name);
        CHECK_STR(ec__zoo_find(ec_span_of(rows[i].name))->name, rows[i].name);
        rest = ec_span_of(rows[i].aliases);
        while (rest.p && ec_span_cut(&rest, ' ', &alias))
            if (alias.len)
                CHECK_STR(ec__zoo_find(alias)->name, rows[i].name);
        CHECK(rows[i].source != NULL && rows[i].family->variant_size > 0);
    }
}

/* Same padding, filters doubling, Dense 128 and 10: by hand for 32x32x3. */
static double template_params(int depth, int filters)
{
    double n = 0;
    int in = 3, side = 32, i;

    for (i = 0; i < depth; i++) {
        n += filters * (9.0 * in + 1) + filters * (9.0 * filters + 1);
        in = filters;
        filters *= 2;
        side /= 2;
    }
    return n + 128 * ((double)in * side * side + 1) + 10 * 129;
}

TEST(cifar_template_follows_its_parameters)
{
    int depth, filters;
    char spec[80];

    for (depth = 2; depth <= 4; depth++)
        for (filters = 32; filters <= 64; filters += 32) {
            (void)snprintf(spec, sizeof spec, "cifar_cnn:depth=%d,base_filters=%d", depth, filters);
            CHECK_NEAR(params_of(spec), template_params(depth, filters), 0);
        }
    CHECK_NEAR(params_of("cifar_cnn:depth=2,base_filters=8,double=0,dense=16"),
               8 * 28 + 3 * 8 * 73 + 16 * (8 * 64 + 1) + 170, 0);
}

TEST(parameters_after_the_name_change_the_network)
{
    CHECK_NEAR(params_of("mlp:in=784,hidden=512x512,out=10"),
               784 * 512 + 512 + 512 * 512 + 512 + 5130, 0);
    CHECK_NEAR(params_of("resnet18:classes=10"), 11689512 - 990 * 513, 0);
    CHECK_NEAR(params_of("googlenet:aux=0"), 6624904, 0); /* torchvision, as loaded with weights */
    CHECK_NEAR(params_of("inception_v3:aux=0"), 23834568, 0);
    CHECK_NEAR(params_of("resnet50:layers=3x4x23x3"), 44549160, 0);
    CHECK_NEAR(params_of("resnet50:groups=32,base_width=4"), 25028904, 0);
    CHECK_NEAR(params_of("gpt2:layers=24,hidden=1024,heads=16,ffn=4096"), 354823168, 0);
    CHECK_NEAR(params_of("llama:layers=32,hidden=4096,heads=32,kv_heads=8,ffn=14336,vocab=128256,"
                         "seq=16"),
               8030261248.0, 0);
    /* a family is its first network */
    CHECK_NEAR(params_of("chain:ops=flatten; linear n=8; relu; classes,image=4,channels=1"),
               17 * 8 + 90, 0);
    CHECK_NEAR(params_of("mobile:width=1"), params_of("mobilenet_v1"), 0);
    CHECK_NEAR(params_of("resnet18:classes=0"), 11689512 - 1000 * 513, 0);
    CHECK_NEAR(params_of("lstm_lm:hidden=650,embed=650,tied=1"),
               33278.0 * 651 + 2 * (4 * 650.0 * 1300 + 8 * 650), 0);
}

/* Blocks in words make the networks that have rows of their own. */
TEST(words_change_blocks)
{
    CHECK_NEAR(
        params_of("resnet50:widths=256_64.64_64.64_64.64 512_128.128_128.128_128.128_128.128 "
                  "1024_256.256_256.256_256.256_256.256_256.256_256.256 "
                  "2048_512.512_512.512_512.512"),
        25557032, 0);
    CHECK_NEAR(params_of("resnet50:widths=64_64_64 128_128_128 256_256_256 512_512_512"), 11689512,
               0);
    CHECK_NEAR(params_of("resnest50d:radix=0"), params_of("resnet50d"), 0);
    CHECK_NEAR(params_of("res2net50_26w_4s:scale=0,base_width=64"), 25557032, 0);
    CHECK_NEAR(params_of("resnet33ts:attend=se"), params_of("seresnet33ts"), 0);
    CHECK_NEAR(params_of("dpn68:apart=1"), params_of("dpn68b"), 0);
    CHECK_NEAR(params_of("cs3darknet_l:stem=64,stem_filter=6"), params_of("cs3darknet_focus_l"), 0);
    CHECK_NEAR(params_of("xception41:middle=16"), params_of("xception65"), 0);
}

static int nodes_of(const char *spec, const char *op)
{
    struct ec_graph *g = build(spec, NULL);
    int i, n = 0;

    for (i = 0; g && i < g->n_nodes; i++)
        n += ec_str_eq(g->nodes[i]->op->name, op);
    ec_graph_free(g);
    return n;
}

/* Each convolution of 3x4x6x3 bottlenecks, of four shortcuts and of the stem; a gain for each
 * where norms are missing. */
TEST(standardised_weights_are_work)
{
    CHECK_INT(nodes_of("resnetv2_50x1_bit", "instance_norm"), 3 * 16 + 4 + 1);
    CHECK_INT(nodes_of("resnetv2_50x1_bit:std=0", "instance_norm"), 0);
    CHECK_NEAR(params_of("resnetv2_50x1_bit:std=0"), params_of("resnetv2_50x1_bit"), 0);
    CHECK_INT(nodes_of("nf_resnet50", "instance_norm"), 3 * 16 + 4 + 1);
    CHECK_INT(nodes_of("nf_resnet50", "batch_norm"), 0);
}

/* A filter that blurs is no weight to train. */
TEST(blurs_have_no_parameters)
{
    CHECK_INT(nodes_of("resnetblur50", "conv2d"), nodes_of("resnet50", "conv2d") + 4);
    CHECK_NEAR(params_of("resnetblur50"), 25557032, 0);
    CHECK_NEAR(params_of("resnet50:norm=group"), 25557032, 0);
}

/* Maps of 16, 16 and 8 pixels a side, of 14, 14 and 7 in the smaller image; for each two tables of
 * the distances, of 64 and 128 features. */
TEST(attention_among_pixels_follows_the_image)
{
    double small = params_of("botnet26t_256:image=224"), own = params_of("botnet26t_256");

    CHECK_NEAR(own - small, 2 * 4 * 64 + 2 * 4 * 128 + 2 * 2 * 128, 0);
    CHECK_NEAR(params_of("halonet26t:image=512"), params_of("halonet26t"), 0);
    CHECK_NEAR(params_of("resnet50_clip:image=448") - params_of("resnet50_clip"),
               (14 * 14 - 7 * 7) * 2048, 0);
}

TEST(mac_grows_with_batch_and_image)
{
    CHECK_NEAR(mac_of("resnet50", 32), 32 * mac_of("resnet50", 1), 1e-9);
    CHECK_NEAR(mac_of("vgg11:image=448", 1) / mac_of("vgg11", 1), 4, 0.06);
    CHECK_NEAR(mac_of("gpt2:seq=128", 4), 4 * mac_of("gpt2:seq=128", 1), 1e-9);
}

/* Fused and composed attention do the same products; a causal kernel may skip half of them. */
TEST(flash_changes_kernels_not_parameters)
{
    CHECK_NEAR(params_of("gpt2:flash=1"), params_of("gpt2"), 0);
    CHECK_NEAR(params_of("llama3_8b:flash=0,layers=2"), params_of("llama3_8b:layers=2"), 0);
    CHECK(mac_of("gpt2:flash=1", 1) <= mac_of("gpt2", 1));
}

/* The scores of each layer are scaled once, whatever masks them, and windows are masked. */
TEST(eager_scores_are_scaled_and_masked)
{
    static const char *const masks[] = { "add", "select", "clip" };
    char spec[120];
    int i, fused;

    for (i = 0; i < EC_LEN(masks); i++)
        for (fused = 0; fused < 2; fused++) {
            (void)snprintf(spec, sizeof spec, "llama3_8b:layers=2,flash=0,mask=%s,qkv_fused=%d",
                           masks[i], fused);
            CHECK_INT(nodes_of(spec, "scale_scalar"), 2);
        }
    CHECK_INT(nodes_of("gpt_neo_125m:flash=0,layers=2,act=relu", "where"), 1);
    CHECK_INT(nodes_of("bloom_560m:layers=2,mask=select", "where"), 0);
    CHECK_INT(nodes_of("llama3_8b:layers=2", "scale_scalar"), 0);
}

TEST(options_set_batch_size_and_classes)
{
    struct ec_graph_opts opts = {
        .struct_size = sizeof opts, .batch = 8, .image_px = 128, .classes = 10
    };
    struct ec_graph *g = build("resnet18", &opts);
    const struct ec_value *in, *out;

    if (!g)
        return;
    in = g->values[g->inputs[0]];
    out = g->values[g->outputs[0]];
    CHECK_STR(in->name, "input");
    CHECK_INT(in->type.shape.d[0], 8);
    CHECK_INT(in->type.shape.d[3], 128);
    CHECK_INT(out->type.shape.rank, 2);
    CHECK_INT(out->type.shape.d[1], 10);
    CHECK_INT(ec_graph_batch(g), 8);
    CHECK_STR(ec_graph_name(g), "resnet18");
    CHECK_STR(g->task, "classify");
    ec_graph_free(g);
}

TEST(language_models_give_logits_per_token)
{
    struct ec_graph_opts opts = { .struct_size = sizeof opts, .batch = 2, .seq_len = 64 };
    struct ec_graph *g = build("bert_base", &opts);

    if (!g)
        return;
    CHECK_STR(g->task, "language");
    CHECK_INT(g->values[g->inputs[0]]->type.dtype, EC_DT_i64);
    CHECK_INT(g->values[g->outputs[0]]->type.shape.d[0], 128);
    CHECK_INT(g->values[g->outputs[0]]->type.shape.d[1], 30522);
    ec_graph_free(g);
}

TEST(auxiliary_outputs_follow_the_main_one)
{
    struct ec_graph *g = build("googlenet", NULL);

    if (!g)
        return;
    CHECK_INT(g->n_outputs, 3);
    CHECK_HAS(g->values[g->outputs[0]]->name, "fc");
    CHECK_HAS(g->values[g->outputs[1]]->name, "aux1");
    ec_graph_free(g);
}

TEST(segmentation_keeps_the_size_of_the_image)
{
    static const char *const names[] = { "unet", "fcn_resnet50", "deeplabv3_resnet50" };
    int i;

    for (i = 0; i < EC_LEN(names); i++) {
        struct ec_graph_opts opts = { .struct_size = sizeof opts, .image_px = 256, .classes = 7 };
        struct ec_graph *g = build(names[i], &opts);
        char text[80];

        if (!g)
            continue;
        CHECK_STR(ec_shape_text(&g->values[g->outputs[0]]->type.shape, text, sizeof text),
                  "1x7x256x256");
        CHECK_STR(g->task, "segment");
        ec_graph_free(g);
    }
}

/* Peebles and Xie 2023, table 4: of images of 256 px. */
TEST(diffusion_transformers_have_their_published_work)
{
    static const struct {
        const char *name;
        double giga_mac;
    } of[] = {
        {"dit_xl_2", 118.64},
        { "dit_l_2", 80.71 },
        { "dit_b_2", 23.01 },
        { "dit_s_2", 6.06  }
    };
    int i;

    for (i = 0; i < EC_LEN(of); i++)
        CHECK_NEAR(mac_of(of[i].name, 1) / 1e9, of[i].giga_mac, 2e-3);
}

/* FLUX.1: 50 steps are 3719.5 TFLOP (Liu et al. 2025, "From Reusing to Forecasting"); detectors:
 * the tables of their repositories, in GFLOP of an image of 640 px, with one digit behind the
 * point. */
TEST(flux_and_detectors_have_their_published_work)
{
    static const struct {
        const char *name;
        double giga_flop;
    } of[] = {
        {"flux_dev", 74390},
        { "yolov5n", 4.5  },
        { "yolov5s", 16.5 },
        { "yolov5m", 49   },
        { "yolov5l", 109.1},
        { "yolov5x", 205.7},
        { "yolov8n", 8.7  },
        { "yolov8s", 28.6 },
        { "yolov8m", 78.9 },
        { "yolov8l", 165.2},
        { "yolov8x", 257.8},
        { "yolo11n", 6.5  },
        { "yolo11s", 21.5 },
        { "yolo11m", 68   },
        { "yolo11l", 86.9 },
        { "yolo11x", 194.9}
    };
    int i;

    for (i = 0; i < EC_LEN(of); i++)
        CHECK_NEAR(2e-9 * mac_of(of[i].name, 1), of[i].giga_flop, 0.005 + 0.05 / of[i].giga_flop);
}

/* 38x38, 19x19, 10x10, 5x5, 3x3 and 1x1 places with 4 or 6 boxes each. */
TEST(ssd_has_its_8732_boxes)
{
    struct ec_graph *g = build("ssd300_resnet50", NULL);

    if (!g)
        return;
    CHECK_INT(g->values[g->outputs[0]]->type.shape.d[2], 8732);
    CHECK_INT(g->values[g->outputs[1]]->type.shape.d[1], 4);
    ec_graph_free(g);
}

/* An expert more is its two dense layers and its column of the router, in every second layer. */
TEST(experts_add_their_weights)
{
    double few = params_of("t5_small:experts=4,sparse_step=2");
    double more = params_of("t5_small:experts=5,sparse_step=2");

    CHECK_NEAR(more - few, 6 * (2 * 512.0 * 2048 + 512), 0);
}

TEST(wrong_words_are_answered_with_what_there_is)
{
    struct ec_graph *g = NULL;
    struct ec_err err = { 0 };

    CHECK_FAILS(ec_zoo_build("resnet51", NULL, &g, &err), EC_E_NOT_FOUND, "resnet50");
    CHECK_FAILS(ec_zoo_build("resnet50:depth=3", NULL, &g, &err), EC_E_INPUT, "layers");
    CHECK_FAILS(ec_zoo_build("resnet50:layers=x", NULL, &g, &err), EC_E_INPUT, "layers");
    CHECK_FAILS(ec_zoo_build("resnet50:layers", NULL, &g, &err), EC_E_INPUT, "name=value");
    CHECK_FAILS(ec_zoo_build("cifar_cnn:depth=99", NULL, &g, &err), EC_E_INPUT, "depth");
    CHECK_FAILS(ec_zoo_build("alexnet:image=32", NULL, &g, &err), EC_E_SHAPE, "alexnet");
    CHECK_FAILS(ec_zoo_build("gpt2:seq=4096", NULL, &g, &err), EC_E_INPUT, "positions");
    CHECK_FAILS(ec_zoo_build("gpt2:heads=7", NULL, &g, &err), EC_E_INPUT, "divide");
    CHECK_FAILS(ec_zoo_build("unet:image=100", NULL, &g, &err), EC_E_INPUT, "halved");
    CHECK_FAILS(ec_zoo_build("vgg11:plan=64-Q", NULL, &g, &err), EC_E_INPUT, "Q");
    CHECK_FAILS(ec_zoo_build("resnet50:widths=64", NULL, &g, &err), EC_E_INPUT, "stage 1");
    CHECK_FAILS(ec_zoo_build("resnet50:widths=64_8_x", NULL, &g, &err), EC_E_INPUT, "stage 1");
    CHECK_FAILS(ec_zoo_build("cspresnet50:stages=cps_c64", NULL, &g, &err), EC_E_INPUT, "cps_c64");
    CHECK_FAILS(ec_zoo_build("gernet_s:stages=basic_d2", NULL, &g, &err), EC_E_INPUT, "basic_d2");
    CHECK_FAILS(ec_zoo_build("gernet_s:stages=basic_c8_c9", NULL, &g, &err), EC_E_INPUT, "c8_c9");
    CHECK_FAILS(ec_zoo_build("botnet26t_256:stages=bot_c64_h5", NULL, &g, &err), EC_E_INPUT,
                "5 heads");
    CHECK_FAILS(ec_zoo_build("halonet26t:image=224", NULL, &g, &err), EC_E_INPUT, "blocks of 8");
    CHECK_FAILS(ec_zoo_build("bat_resnext26ts:image=224", NULL, &g, &err), EC_E_INPUT, "by 8");
    CHECK_FAILS(ec_zoo_build("selecsls42:layers=next_m64_c64", NULL, &g, &err), EC_E_INPUT,
                "next_m64");
    CHECK_FAILS(ec_zoo_build("nfnet_f0:channels=64", NULL, &g, &err), EC_E_INPUT, "channels: 1");
    CHECK_FAILS(ec_zoo_build("hgnet_tiny:mid=64", NULL, &g, &err), EC_E_INPUT, "mid 1");
    CHECK_FAILS(ec_zoo_build("dpn68:grow=16", NULL, &g, &err), EC_E_INPUT, "grow");
    CHECK_FAILS(ec_zoo_build("mobileone_s0:gated=0", NULL, &g, &err), EC_E_INPUT, "gated: 1");
    CHECK_FAILS(ec_zoo_build("mobilenet_v2:stages=ir_q1", NULL, &g, &err), EC_E_INPUT, "ir_q1");
    CHECK_FAILS(ec_zoo_build("mobilenet_v2:act=nothing", NULL, &g, &err), EC_E_NOT_FOUND,
                "nothing");
    CHECK(g == NULL);
}

/* Whatever allocation fails, the sentence says so and nothing is left behind. */
TEST(out_of_memory_is_survived)
{
    struct ec_graph *g = NULL;
    struct ec_err err = { 0 };
    int64_t n;

    for (n = 1; n < 100000; n += 1 + n / 16) {
        enum ec_status st;

        ec_alloc_fail_after(n);
        st = ec_zoo_build("squeezenet1_1", NULL, &g, &err);
        ec_alloc_fail_after(0);
        if (!st)
            break;
        CHECK_STR(ec_status_name(st), "E_NOMEM");
    }
    CHECK(g != NULL);
    ec_graph_free(g);
}
