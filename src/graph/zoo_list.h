/* Every built-in network, family by family:
 *
 *   X(name, aliases, family, size, classes, params, mac, source, variant...)
 *
 * size is the image side or the sequence length; params and mac (forward, one sample of that size)
 * are published figures and where they come from, 0 when there are none. Adding a network is one
 * line here; the table test holds it to its figures. Included twice. */
/* clang-format off */

/* Stages of inverted residuals; notation in zoo_mobile.c. */
#define MOBILENET_V1                                                                               \
    "dsa_r1_k3_s1_c64 dsa_r2_k3_s2_c128 dsa_r2_k3_s2_c256 dsa_r6_k3_s2_c512 "                      \
    "dsa_r2_k3_s2_c1024"
#define MOBILENET_V2                                                                               \
    "ds_r1_k3_s1_c16 ir_r2_k3_s2_e6_c24 ir_r3_k3_s2_e6_c32 ir_r4_k3_s2_e6_c64 "                    \
    "ir_r3_k3_s1_e6_c96 ir_r3_k3_s2_e6_c160 ir_r1_k3_s1_e6_c320"
#define MOBILENET_V3_LARGE                                                                         \
    "ds_r1_k3_s1_e1_c16_nre ir_r1_k3_s2_e4_c24_nre ir_r1_k3_s1_e3_c24_nre "                        \
    "ir_r3_k5_s2_e3_c40_se0.25_nre ir_r1_k3_s2_e6_c80 ir_r1_k3_s1_e2.5_c80 "                       \
    "ir_r2_k3_s1_e2.3_c80 ir_r2_k3_s1_e6_c112_se0.25 ir_r3_k5_s2_e6_c160_se0.25"
#define MOBILENET_V3_SMALL                                                                         \
    "ds_r1_k3_s2_e1_c16_se0.25_nre ir_r1_k3_s2_e4.5_c24_nre ir_r1_k3_s1_e3.67_c24_nre "            \
    "ir_r1_k5_s2_e4_c40_se0.25 ir_r2_k5_s1_e6_c40_se0.25 ir_r2_k5_s1_e3_c48_se0.25 "               \
    "ir_r3_k5_s2_e6_c96_se0.25"
#define MOBILENET_V3_LARGE_MINIMAL                                                                 \
    "ds_r1_k3_s1_e1_c16 ir_r1_k3_s2_e4_c24 ir_r1_k3_s1_e3_c24 ir_r3_k3_s2_e3_c40 "                 \
    "ir_r1_k3_s2_e6_c80 ir_r1_k3_s1_e2.5_c80 ir_r2_k3_s1_e2.3_c80 ir_r2_k3_s1_e6_c112 "            \
    "ir_r3_k3_s2_e6_c160"
#define MOBILENET_V3_SMALL_MINIMAL                                                                 \
    "ds_r1_k3_s2_e1_c16 ir_r1_k3_s2_e4.5_c24 ir_r1_k3_s1_e3.67_c24 ir_r1_k3_s2_e4_c40 "            \
    "ir_r2_k3_s1_e6_c40 ir_r2_k3_s1_e3_c48 ir_r3_k3_s2_e6_c96"
#define MNASNET_B1                                                                                 \
    "ds_r1_k3_s1_c16 ir_r3_k3_s2_e3_c24 ir_r3_k5_s2_e3_c40 ir_r3_k5_s2_e6_c80 "                    \
    "ir_r2_k3_s1_e6_c96 ir_r4_k5_s2_e6_c192 ir_r1_k3_s1_e6_c320"
#define MNASNET_A1                                                                                 \
    "ds_r1_k3_s1_c16_noskip ir_r2_k3_s2_e6_c24 ir_r3_k5_s2_e3_c40_se0.25 "                         \
    "ir_r4_k3_s2_e6_c80 ir_r2_k3_s1_e6_c112_se0.25 ir_r3_k5_s2_e6_c160_se0.25 "                    \
    "ir_r1_k3_s1_e6_c320"
#define SPNASNET                                                                                   \
    "ds_r1_k3_s1_c16_noskip ir_r3_k3_s2_e3_c24 ir_r1_k5_s2_e6_c40 ir_r3_k3_s1_e3_c40 "             \
    "ir_r1_k5_s2_e6_c80 ir_r3_k3_s1_e3_c80 ir_r1_k5_s1_e6_c96 ir_r3_k5_s1_e3_c96 "                 \
    "ir_r4_k5_s2_e6_c192 ir_r1_k3_s1_e6_c320_noskip"
#define FBNETC                                                                                     \
    "ir_r1_k3_s1_e1_c16 ir_r1_k3_s2_e6_c24 ir_r2_k3_s1_e1_c24 ir_r1_k5_s2_e6_c32 "                 \
    "ir_r1_k5_s1_e3_c32 ir_r1_k5_s1_e6_c32 ir_r1_k3_s1_e6_c32 ir_r1_k5_s2_e6_c64 "                 \
    "ir_r1_k5_s1_e3_c64 ir_r2_k5_s1_e6_c64 ir_r3_k5_s1_e6_c112 ir_r1_k5_s1_e3_c112 "               \
    "ir_r4_k5_s2_e6_c184 ir_r1_k3_s1_e6_c352"
#define EFFICIENTNET                                                                               \
    "ds_r1_k3_s1_e1_c16_se0.25 ir_r2_k3_s2_e6_c24_se0.25 ir_r2_k5_s2_e6_c40_se0.25 "               \
    "ir_r3_k3_s2_e6_c80_se0.25 ir_r3_k5_s1_e6_c112_se0.25 ir_r4_k5_s2_e6_c192_se0.25 "             \
    "ir_r1_k3_s1_e6_c320_se0.25"
#define EFFICIENTNET_LITE                                                                          \
    "ds_r1_k3_s1_e1_c16 ir_r2_k3_s2_e6_c24 ir_r2_k5_s2_e6_c40 ir_r3_k3_s2_e6_c80 "                 \
    "ir_r3_k5_s1_e6_c112 ir_r4_k5_s2_e6_c192 ir_r1_k3_s1_e6_c320"
#define EFFICIENTNET_V2_S                                                                          \
    "er_r2_k3_s1_e1_c24 er_r4_k3_s2_e4_c48 er_r4_k3_s2_e4_c64 ir_r6_k3_s2_e4_c128_se0.25 "         \
    "ir_r9_k3_s1_e6_c160_se0.25 ir_r15_k3_s2_e6_c256_se0.25"
#define EFFICIENTNET_V2_M                                                                          \
    "er_r3_k3_s1_e1_c24 er_r5_k3_s2_e4_c48 er_r5_k3_s2_e4_c80 ir_r7_k3_s2_e4_c160_se0.25 "         \
    "ir_r14_k3_s1_e6_c176_se0.25 ir_r18_k3_s2_e6_c304_se0.25 ir_r5_k3_s1_e6_c512_se0.25"
#define EFFICIENTNET_V2_L                                                                          \
    "er_r4_k3_s1_e1_c32 er_r7_k3_s2_e4_c64 er_r7_k3_s2_e4_c96 ir_r10_k3_s2_e4_c192_se0.25 "        \
    "ir_r19_k3_s1_e6_c224_se0.25 ir_r25_k3_s2_e6_c384_se0.25 ir_r7_k3_s1_e6_c640_se0.25"
#define EFFICIENTNET_V2_XL                                                                         \
    "er_r4_k3_s1_e1_c32 er_r8_k3_s2_e4_c64 er_r8_k3_s2_e4_c96 ir_r16_k3_s2_e4_c192_se0.25 "        \
    "ir_r24_k3_s1_e6_c256_se0.25 ir_r32_k3_s2_e6_c512_se0.25 ir_r8_k3_s1_e6_c640_se0.25"
#define EFFICIENTNET_V2_B                                                                          \
    "er_r1_k3_s1_e1_c16 er_r2_k3_s2_e4_c32 er_r2_k3_s2_e4_c48 ir_r3_k3_s2_e4_c96_se0.25 "          \
    "ir_r5_k3_s1_e6_c112_se0.25 ir_r8_k3_s2_e6_c192_se0.25"
#define EFFICIENTNET_EDGE                                                                          \
    "er_r1_k3_s1_e4_c24_fc24_noskip er_r2_k3_s2_e8_c32 er_r4_k3_s2_e8_c48 "                        \
    "ir_r5_k5_s2_e8_c96 ir_r4_k5_s1_e8_c144 ir_r2_k5_s2_e8_c192"
#define EFFICIENTNET_V2_RW_S                                                                       \
    "er_r2_k3_s1_e1_c24 er_r4_k3_s2_e4_c48 er_r4_k3_s2_e4_c64 ir_r6_k3_s2_e4_c128_se0.25 "         \
    "ir_r9_k3_s1_e6_c160_se0.25 ir_r15_k3_s2_e6_c272_se0.25"
#define MIXNET_S                                                                                   \
    "ds_r1_k3_s1_e1_c16 ir_r1_k3_a1.1_p1.1_s2_e6_c24 ir_r1_k3_a1.1_p1.1_s1_e3_c24 "                \
    "ir_r1_k3.5.7_s2_e6_c40_se0.5_nsw ir_r3_k3.5_a1.1_p1.1_s1_e6_c40_se0.5_nsw "                   \
    "ir_r1_k3.5.7_p1.1_s2_e6_c80_se0.25_nsw ir_r2_k3.5_p1.1_s1_e6_c80_se0.25_nsw "                 \
    "ir_r1_k3.5.7_a1.1_p1.1_s1_e6_c120_se0.5_nsw "                                                 \
    "ir_r2_k3.5.7.9_a1.1_p1.1_s1_e3_c120_se0.5_nsw ir_r1_k3.5.7.9.11_s2_e6_c200_se0.5_nsw "        \
    "ir_r2_k3.5.7.9_p1.1_s1_e6_c200_se0.5_nsw"
#define MIXNET_M                                                                                   \
    "ds_r1_k3_s1_e1_c24 ir_r1_k3.5.7_a1.1_p1.1_s2_e6_c32 ir_r1_k3_a1.1_p1.1_s1_e3_c32 "            \
    "ir_r1_k3.5.7.9_s2_e6_c40_se0.5_nsw ir_r3_k3.5_a1.1_p1.1_s1_e6_c40_se0.5_nsw "                 \
    "ir_r1_k3.5.7_s2_e6_c80_se0.25_nsw ir_r3_k3.5.7.9_a1.1_p1.1_s1_e6_c80_se0.25_nsw "             \
    "ir_r1_k3_s1_e6_c120_se0.5_nsw ir_r3_k3.5.7.9_a1.1_p1.1_s1_e3_c120_se0.5_nsw "                 \
    "ir_r1_k3.5.7.9_s2_e6_c200_se0.5_nsw ir_r3_k3.5.7.9_p1.1_s1_e6_c200_se0.5_nsw"
#define LCNET                                                                                      \
    "dsa_r1_k3_s1_c32 dsa_r2_k3_s2_c64 dsa_r2_k3_s2_c128 dsa_r1_k3_s2_c256 "                       \
    "dsa_r1_k5_s1_c256 dsa_r4_k5_s1_c256 dsa_r2_k5_s2_c512_se0.25"

/* --- chain --- */
X("mnist_cnn", "", chain, 28, 10, 24330, 0, PAPER,
  .channels = 1,
  .ops = "conv2d k=32 r=3; relu; max_pool2d r=2; conv2d k=32 r=3; relu; max_pool2d r=2; "
         "conv2d k=32 r=3; relu; max_pool2d r=2; flatten; linear n=128; relu; classes")
X("cifar10_cnn", "", chain, 32, 10, 0, 0, HAND,
  .ops = "conv2d k=64 r=3; relu; max_pool2d r=2; conv2d k=64 r=3; relu; max_pool2d r=2; "
         "conv2d k=32 r=3; relu; max_pool2d r=2; flatten; linear n=512; relu; linear n=256; "
         "relu; linear n=128; relu; classes")
X("patchcamelyon_cnn", "pcam_cnn", chain, 96, 1, 19941381, 0, PAPER,
  .ops = "conv2d k=256 r=3 pad=1; relu; max_pool2d r=2; conv2d k=256 r=3 pad=1; relu; "
         "max_pool2d r=2; conv2d k=512 r=3 pad=1; relu; max_pool2d r=2; "
         "conv2d k=512 r=3 pad=1; relu; max_pool2d r=2; conv2d k=1024 r=3 pad=1; relu; "
         "max_pool2d r=2; conv2d k=1024 r=3 pad=1; relu; max_pool2d r=2; flatten; "
         "linear n=1028; relu; linear n=512; relu; linear n=128; relu; classes")
X("lenet5", "lenet", chain, 32, 10, 61706, 0, HAND,
  .channels = 1,
  .ops = "conv2d k=6 r=5; tanh; avg_pool2d r=2; conv2d k=16 r=5; tanh; avg_pool2d r=2; "
         "flatten; linear n=120; tanh; linear n=84; tanh; classes")
X("alexnet", "alexnet_owt alexnet_v2", chain, 224, 1000, 61100840, 714188480, TV,
  .ops = "conv2d k=64 r=11 stride=4 pad=2; relu; max_pool2d r=3 stride=2; "
         "conv2d k=192 r=5 pad=2; relu; max_pool2d r=3 stride=2; conv2d k=384 r=3 pad=1; "
         "relu; conv2d k=256 r=3 pad=1; relu; conv2d k=256 r=3 pad=1; relu; "
         "max_pool2d r=3 stride=2; adaptive_avg_pool out=6; flatten; dropout; linear n=4096; "
         "relu; dropout; linear n=4096; relu; classes")
X("alexnet_caffe", "bvlc_alexnet caffenet", chain, 227, 1000, 60965224, 0, HAND,
  .ops = "conv2d k=96 r=11 stride=4; relu; lrn; max_pool2d r=3 stride=2; "
         "conv2d k=256 r=5 pad=2 groups=2; relu; lrn; max_pool2d r=3 stride=2; "
         "conv2d k=384 r=3 pad=1; relu; conv2d k=384 r=3 pad=1 groups=2; relu; "
         "conv2d k=256 r=3 pad=1 groups=2; relu; max_pool2d r=3 stride=2; flatten; "
         "linear n=4096; relu; dropout; linear n=4096; relu; dropout; classes")
X("overfeat", "overfeat_fast", chain, 231, 1000, 0, 0, HAND,
  .ops = "conv2d k=96 r=11 stride=4; relu; max_pool2d r=2; conv2d k=256 r=5; relu; "
         "max_pool2d r=2; conv2d k=512 r=3 pad=1; relu; conv2d k=1024 r=3 pad=1; relu; "
         "conv2d k=1024 r=3 pad=1; relu; max_pool2d r=2; flatten; linear n=3072; relu; "
         "linear n=4096; relu; classes")

/* --- cifar_cnn --- */
X("cifar_cnn", "cifar10_template", cifar_cnn, 32, 10, 0, 0, HAND,
  .depth = 3, .base_filters = 32, .dense = 128, .twice = true)

/* --- mlp --- */
X("mlp", "", mlp, 1, 10, 0, 0, HAND, .in = 784, .hidden = { 2, { 512, 512 } })

/* --- vgg --- */
X("vgg11", "vgg_a", vgg, 224, 1000, 132863336, 7609090048, TV,
  .plan = "64-M-128-M-256-256-M-512-512-M-512-512-M")
X("vgg11_bn", "", vgg, 224, 1000, 132868840, 7609090048, TV,
  .plan = "64-M-128-M-256-256-M-512-512-M-512-512-M", .bn = true)
X("vgg13", "vgg_b", vgg, 224, 1000, 133047848, 1.130846618e+10, TV,
  .plan = "64-64-M-128-128-M-256-256-M-512-512-M-512-512-M")
X("vgg13_bn", "", vgg, 224, 1000, 133053736, 1.130846618e+10, TV,
  .plan = "64-64-M-128-128-M-256-256-M-512-512-M-512-512-M", .bn = true)
X("vgg16", "vgg_d", vgg, 224, 1000, 138357544, 1.547026432e+10, TV,
  .plan = "64-64-M-128-128-M-256-256-256-M-512-512-512-M-512-512-512-M")
X("vgg16_bn", "", vgg, 224, 1000, 138365992, 1.547026432e+10, TV,
  .plan = "64-64-M-128-128-M-256-256-256-M-512-512-512-M-512-512-512-M", .bn = true)
X("vgg19", "vgg_e", vgg, 224, 1000, 143667240, 1.963206246e+10, TV,
  .plan = "64-64-M-128-128-M-256-256-256-256-M-512-512-512-512-M-512-512-512-512-M")
X("vgg19_bn", "", vgg, 224, 1000, 143678248, 1.963206246e+10, TV,
  .plan = "64-64-M-128-128-M-256-256-256-256-M-512-512-512-512-M-512-512-512-512-M", .bn = true)

/* --- googlenet --- */
X("googlenet", "", googlenet, 224, 1000, 13004888, 1506748416, TV, .aux = true, .bn = true)
X("googlenet_v1", "bvlc_googlenet inception_v1", googlenet, 224, 1000, 6998552, 0, HAND,
  .five = true)

/* --- inception --- */
X("inception_v3", "", inception, 299, 1000, 27161264, 5718899296, TV, .aux = true)
X("tf_inception_v3",
  "adv_inception_v3 gluon_inception_v3", inception, 299, 1000, 23834568, 5713216096, TV,
  .aux = false)

/* --- resnet --- */
X("resnet18", "gluon_resnet18_v1b", resnet, 224, 1000, 11689512, 1814073344, TV,
  .layers = { 4, { 2, 2, 2, 2 } }, .basic = true)
X("resnet34", "gluon_resnet34_v1b", resnet, 224, 1000, 21797672, 3663761408, TV,
  .layers = { 4, { 3, 4, 6, 3 } }, .basic = true)
X("resnet50",
  "resnet resnet50_v1_5 gluon_resnet50_v1b resnet50_a1",
  resnet, 224, 1000, 25557032, 4089184256, TV,
  .layers = { 4, { 3, 4, 6, 3 } })
X("resnet50_v1", "", resnet, 224, 1000, 25557032, 0, HAND,
  .layers = { 4, { 3, 4, 6, 3 } }, .stride_1x1 = true)
X("resnet101", "gluon_resnet101_v1b", resnet, 224, 1000, 44549160, 7801405440, TV,
  .layers = { 4, { 3, 4, 23, 3 } })
X("resnet152", "gluon_resnet152_v1b", resnet, 224, 1000, 60192808, 1.151362662e+10, TV,
  .layers = { 4, { 3, 8, 36, 3 } })
X("resnext50_32x4d", "gluon_resnext50_32x4d", resnet, 224, 1000, 25028904, 4230479872, TV,
  .layers = { 4, { 3, 4, 6, 3 } }, .groups = 32, .base_width = 4)
X("resnext101_32x8d", "", resnet, 224, 1000, 88791336, 1.641401549e+10, TV,
  .layers = { 4, { 3, 4, 23, 3 } }, .groups = 32, .base_width = 8)
X("resnext101_64x4d", "gluon_resnext101_64x4d", resnet, 224, 1000, 83455272, 1.546027008e+10, TV,
  .layers = { 4, { 3, 4, 23, 3 } }, .groups = 64, .base_width = 4)
X("wide_resnet50_2", "wrn50_2", resnet, 224, 1000, 68883240, 1.139802112e+10, TV,
  .layers = { 4, { 3, 4, 6, 3 } }, .base_width = 128)
X("wide_resnet101_2", "wrn101_2", resnet, 224, 1000, 126886696, 2.275305062e+10, TV,
  .layers = { 4, { 3, 4, 23, 3 } }, .base_width = 128)
X("resnet200", "", resnet, 224, 1000, 64670000, 1.507e+10, TIMM, .layers = { 4, { 3, 24, 36, 3 } })
X("resnext101_32x4d", "gluon_resnext101_32x4d", resnet, 224, 1000, 44180000, 8010000000, TIMM,
  .layers = { 4, { 3, 4, 23, 3 } }, .groups = 32, .base_width = 4)
X("resnext101_32x16d", "", resnet, 224, 1000, 194030000, 3.627e+10, TIMM,
  .layers = { 4, { 3, 4, 23, 3 } }, .groups = 32, .base_width = 16)
X("resnext101_32x32d", "", resnet, 224, 1000, 468530000, 8.729e+10, TIMM,
  .layers = { 4, { 3, 4, 23, 3 } }, .groups = 32, .base_width = 32)
X("resnext101_32x48d", "", resnet, 224, 1000, 828410000, 1.5357e+11, TIMM,
  .layers = { 4, { 3, 4, 23, 3 } }, .groups = 32, .base_width = 48)
X("resnet26", "", resnet, 224, 1000, 16000000, 2360000000, TIMM, .layers = { 4, { 2, 2, 2, 2 } })
X("resnet10t", "", resnet, 176, 1000, 5440000, 700000000, TIMM,
  .layers = { 4, { 1, 1, 1, 1 } }, .basic = true, .stem = { 3, { 24, 32, 64 } }, .avg_down = true)
X("resnet14t", "", resnet, 176, 1000, 10080000, 1070000000, TIMM,
  .layers = { 4, { 1, 1, 1, 1 } }, .stem = { 3, { 24, 32, 64 } }, .avg_down = true)
X("resnet18d", "", resnet, 224, 1000, 11710000, 2060000000, TIMM,
  .layers = { 4, { 2, 2, 2, 2 } }, .basic = true, .stem = { 3, { 32, 32, 64 } }, .avg_down = true)
X("resnet34d", "", resnet, 224, 1000, 21820000, 3910000000, TIMM,
  .layers = { 4, { 3, 4, 6, 3 } }, .basic = true, .stem = { 3, { 32, 32, 64 } }, .avg_down = true)
X("resnet26d", "", resnet, 224, 1000, 16010000, 2600000000, TIMM,
  .layers = { 4, { 2, 2, 2, 2 } }, .stem = { 3, { 32, 32, 64 } }, .avg_down = true)
X("resnet26t", "", resnet, 256, 1000, 16010000, 3350000000, TIMM,
  .layers = { 4, { 2, 2, 2, 2 } }, .stem = { 3, { 24, 32, 64 } }, .avg_down = true)
X("resnet50c", "gluon_resnet50_v1c", resnet, 224, 1000, 25580000, 4350000000, TIMM,
  .layers = { 4, { 3, 4, 6, 3 } }, .stem = { 3, { 32, 32, 64 } })
X("resnet101c", "gluon_resnet101_v1c", resnet, 224, 1000, 44570000, 8080000000, TIMM,
  .layers = { 4, { 3, 4, 23, 3 } }, .stem = { 3, { 32, 32, 64 } })
X("resnet152c", "gluon_resnet152_v1c", resnet, 224, 1000, 60210000, 1.18e+10, TIMM,
  .layers = { 4, { 3, 8, 36, 3 } }, .stem = { 3, { 32, 32, 64 } })
X("resnet50d", "gluon_resnet50_v1d", resnet, 224, 1000, 25580000, 4350000000, TIMM,
  .layers = { 4, { 3, 4, 6, 3 } }, .stem = { 3, { 32, 32, 64 } }, .avg_down = true)
X("resnet101d", "gluon_resnet101_v1d", resnet, 224, 1000, 44570000, 8080000000, TIMM,
  .layers = { 4, { 3, 4, 23, 3 } }, .stem = { 3, { 32, 32, 64 } }, .avg_down = true)
X("resnet152d", "gluon_resnet152_v1d", resnet, 224, 1000, 60210000, 1.18e+10, TIMM,
  .layers = { 4, { 3, 8, 36, 3 } }, .stem = { 3, { 32, 32, 64 } }, .avg_down = true)
X("resnet200d", "", resnet, 256, 1000, 64690000, 2e+10, TIMM,
  .layers = { 4, { 3, 24, 36, 3 } }, .stem = { 3, { 32, 32, 64 } }, .avg_down = true)
X("resnet50s", "gluon_resnet50_v1s", resnet, 224, 1000, 25680000, 5470000000, TIMM,
  .layers = { 4, { 3, 4, 6, 3 } }, .stem = { 3, { 64, 64, 128 } })
X("resnet101s", "gluon_resnet101_v1s", resnet, 224, 1000, 44670000, 9190000000, TIMM,
  .layers = { 4, { 3, 4, 23, 3 } }, .stem = { 3, { 64, 64, 128 } })
X("resnet152s", "gluon_resnet152_v1s", resnet, 224, 1000, 60320000, 1.292e+10, TIMM,
  .layers = { 4, { 3, 8, 36, 3 } }, .stem = { 3, { 64, 64, 128 } })
X("resnet50t", "", resnet, 224, 1000, 25570000, 4320000000, TIMM,
  .layers = { 4, { 3, 4, 6, 3 } }, .stem = { 3, { 24, 32, 64 } }, .avg_down = true)
X("seresnet18", "", resnet, 224, 1000, 11780000, 1820000000, TIMM,
  .layers = { 4, { 2, 2, 2, 2 } }, .basic = true, .se = 16)
X("seresnet34", "", resnet, 224, 1000, 21960000, 3670000000, TIMM,
  .layers = { 4, { 3, 4, 6, 3 } }, .basic = true, .se = 16)
X("seresnet50", "", resnet, 224, 1000, 28090000, 4110000000, TIMM,
  .layers = { 4, { 3, 4, 6, 3 } }, .se = 16)
X("seresnet101", "", resnet, 224, 1000, 49330000, 7840000000, TIMM,
  .layers = { 4, { 3, 4, 23, 3 } }, .se = 16)
X("seresnet152", "", resnet, 224, 1000, 66820000, 1.157e+10, TIMM,
  .layers = { 4, { 3, 8, 36, 3 } }, .se = 16)
X("seresnet50t", "", resnet, 224, 1000, 28100000, 4320000000, TIMM,
  .layers = { 4, { 3, 4, 6, 3 } }, .stem = { 3, { 24, 32, 64 } }, .avg_down = true, .se = 16)
X("seresnet152d", "", resnet, 256, 1000, 66840000, 1.542e+10, TIMM,
  .layers = { 4, { 3, 8, 36, 3 } }, .stem = { 3, { 32, 32, 64 } }, .avg_down = true, .se = 16)
X("seresnet200d", "", resnet, 256, 1000, 71860000, 2.001e+10, TIMM,
  .layers = { 4, { 3, 24, 36, 3 } }, .stem = { 3, { 32, 32, 64 } }, .avg_down = true, .se = 16)
X("seresnet269d", "", resnet, 256, 1000, 113670000, 2.659e+10, TIMM,
  .layers = { 4, { 3, 30, 48, 8 } }, .stem = { 3, { 32, 32, 64 } }, .avg_down = true, .se = 16)
X("seresnext26d_32x4d", "", resnet, 224, 1000, 16810000, 2730000000, TIMM,
  .layers = { 4, { 2, 2, 2, 2 } }, .groups = 32, .base_width = 4, .stem = { 3, { 32, 32, 64 } },
  .avg_down = true, .se = 16)
X("seresnext26t_32x4d", "seresnext26tn_32x4d", resnet, 224, 1000, 16810000, 2700000000, TIMM,
  .layers = { 4, { 2, 2, 2, 2 } }, .groups = 32, .base_width = 4, .stem = { 3, { 24, 32, 64 } },
  .avg_down = true, .se = 16)
X("seresnext50_32x4d", "gluon_seresnext50_32x4d", resnet, 224, 1000, 27560000, 4260000000, TIMM,
  .layers = { 4, { 3, 4, 6, 3 } }, .groups = 32, .base_width = 4, .se = 16)
X("seresnext101_32x4d", "gluon_seresnext101_32x4d", resnet, 224, 1000, 48960000, 8020000000, TIMM,
  .layers = { 4, { 3, 4, 23, 3 } }, .groups = 32, .base_width = 4, .se = 16)
X("seresnext101_64x4d", "gluon_seresnext101_64x4d", resnet, 224, 1000, 88230000, 1.553e+10, TIMM,
  .layers = { 4, { 3, 4, 23, 3 } }, .groups = 64, .base_width = 4, .se = 16)
X("seresnext101_32x8d", "", resnet, 224, 1000, 93570000, 1.648e+10, TIMM,
  .layers = { 4, { 3, 4, 23, 3 } }, .groups = 32, .base_width = 8, .se = 16)
X("seresnext101d_32x8d", "", resnet, 224, 1000, 93590000, 1.672e+10, TIMM,
  .layers = { 4, { 3, 4, 23, 3 } }, .groups = 32, .base_width = 8, .stem = { 3, { 32, 32, 64 } },
  .avg_down = true, .se = 16)
X("resnext50d_32x4d", "", resnet, 224, 1000, 25050000, 4500000000, TIMM,
  .layers = { 4, { 3, 4, 6, 3 } }, .groups = 32, .base_width = 4, .stem = { 3, { 32, 32, 64 } },
  .avg_down = true)
X("ecaresnet26t", "", resnet, 256, 1000, 16010000, 3350000000, TIMM,
  .layers = { 4, { 2, 2, 2, 2 } }, .stem = { 3, { 24, 32, 64 } }, .avg_down = true, .eca = true)
X("ecaresnet50d", "", resnet, 224, 1000, 25580000, 4350000000, TIMM,
  .layers = { 4, { 3, 4, 6, 3 } }, .stem = { 3, { 32, 32, 64 } }, .avg_down = true, .eca = true)
X("ecaresnet50t", "", resnet, 256, 1000, 25570000, 5640000000, TIMM,
  .layers = { 4, { 3, 4, 6, 3 } }, .stem = { 3, { 24, 32, 64 } }, .avg_down = true, .eca = true)
X("ecaresnet101d", "", resnet, 224, 1000, 44570000, 8080000000, TIMM,
  .layers = { 4, { 3, 4, 23, 3 } }, .stem = { 3, { 32, 32, 64 } }, .avg_down = true, .eca = true)
X("ecaresnet200d", "", resnet, 256, 1000, 64690000, 2e+10, TIMM,
  .layers = { 4, { 3, 24, 36, 3 } }, .stem = { 3, { 32, 32, 64 } }, .avg_down = true, .eca = true)
X("ecaresnet269d", "", resnet, 320, 1000, 102090000, 4.153e+10, TIMM,
  .layers = { 4, { 3, 30, 48, 8 } }, .stem = { 3, { 32, 32, 64 } }, .avg_down = true, .eca = true)
X("resnetrs50", "resnet_rs_50", resnet, 160, 1000, 35690000, 2290000000, TIMM,
  .layers = { 4, { 3, 4, 6, 3 } }, .stem = { 3, { 32, 32, 64 } }, .conv_pool = true,
  .avg_down = true, .se = 4)
X("resnetrs101", "resnet_rs_101", resnet, 192, 1000, 63620000, 6040000000, TIMM,
  .layers = { 4, { 3, 4, 23, 3 } }, .stem = { 3, { 32, 32, 64 } }, .conv_pool = true,
  .avg_down = true, .se = 4)
X("resnetrs152", "resnet_rs_152", resnet, 256, 1000, 86620000, 1.559e+10, TIMM,
  .layers = { 4, { 3, 8, 36, 3 } }, .stem = { 3, { 32, 32, 64 } }, .conv_pool = true,
  .avg_down = true, .se = 4)
X("resnetrs200", "resnet_rs_200", resnet, 256, 1000, 93210000, 2.018e+10, TIMM,
  .layers = { 4, { 3, 24, 36, 3 } }, .stem = { 3, { 32, 32, 64 } }, .conv_pool = true,
  .avg_down = true, .se = 4)
X("resnetrs270", "resnet_rs_270", resnet, 256, 1000, 129860000, 2.706e+10, TIMM,
  .layers = { 4, { 4, 29, 53, 4 } }, .stem = { 3, { 32, 32, 64 } }, .conv_pool = true,
  .avg_down = true, .se = 4)
X("resnetrs350", "resnet_rs_350", resnet, 288, 1000, 163960000, 4.367e+10, TIMM,
  .layers = { 4, { 4, 36, 72, 4 } }, .stem = { 3, { 32, 32, 64 } }, .conv_pool = true,
  .avg_down = true, .se = 4)
X("resnetrs420", "resnet_rs_420", resnet, 320, 1000, 191890000, 6.42e+10, TIMM,
  .layers = { 4, { 4, 44, 87, 4 } }, .stem = { 3, { 32, 32, 64 } }, .conv_pool = true,
  .avg_down = true, .se = 4)
X("resnet20", "cifar_resnet20 resnet20_cifar", resnet, 32, 10, 0, 0, HAND,
  .layers = { 3, { 3, 3, 3 } }, .basic = true, .width = 16, .small_stem = true)
X("resnet32", "cifar_resnet32 resnet32_cifar", resnet, 32, 10, 0, 0, HAND,
  .layers = { 3, { 5, 5, 5 } }, .basic = true, .width = 16, .small_stem = true)
X("resnet44", "cifar_resnet44 resnet44_cifar", resnet, 32, 10, 0, 0, HAND,
  .layers = { 3, { 7, 7, 7 } }, .basic = true, .width = 16, .small_stem = true)
X("resnet56", "cifar_resnet56 resnet56_cifar", resnet, 32, 10, 0, 0, HAND,
  .layers = { 3, { 9, 9, 9 } }, .basic = true, .width = 16, .small_stem = true)
X("resnet110", "cifar_resnet110 resnet110_cifar", resnet, 32, 10, 0, 0, HAND,
  .layers = { 3, { 18, 18, 18 } }, .basic = true, .width = 16, .small_stem = true)
X("fcn_resnet50", "", resnet, 520, 21, 32957013, 1.427257728e+11, TV,
  .layers = { 4, { 3, 4, 6, 3 } }, .flat = 2, .dilate = true, .head = 1)
X("fcn_resnet101", "", resnet, 520, 21, 51949141, 2.227468672e+11, TV,
  .layers = { 4, { 3, 4, 23, 3 } }, .flat = 2, .dilate = true, .head = 1)
X("deeplabv3_resnet50", "", resnet, 520, 21, 39638869, 1.687312059e+11, TV,
  .layers = { 4, { 3, 4, 6, 3 } }, .flat = 2, .dilate = true, .head = 2)
X("deeplabv3_resnet101", "", resnet, 520, 21, 58630997, 2.487523003e+11, TV,
  .layers = { 4, { 3, 4, 23, 3 } }, .flat = 2, .dilate = true, .head = 2)
X("ssd300_resnet50", "", resnet, 300, 81, 0, 0, HAND,
  .layers = { 3, { 3, 4, 6 } }, .flat = 1, .head = 3)
X("resnetaa50", "", resnet, 224, 1000, 25560000, 5150000000, TIMM,
  .layers = { 4, { 3, 4, 6, 3 } }, .aa = true)
X("resnetaa34d", "", resnet, 224, 1000, 21820000, 4430000000, TIMM,
  .layers = { 4, { 3, 4, 6, 3 } }, .basic = true, .stem = { 3, { 32, 32, 64 } }, .avg_down = true,
  .aa = true)
X("resnetaa50d", "", resnet, 224, 1000, 25580000, 5390000000, TIMM,
  .layers = { 4, { 3, 4, 6, 3 } }, .stem = { 3, { 32, 32, 64 } }, .avg_down = true, .aa = true)
X("resnetaa101d", "", resnet, 224, 1000, 44570000, 9120000000, TIMM,
  .layers = { 4, { 3, 4, 23, 3 } }, .stem = { 3, { 32, 32, 64 } }, .avg_down = true, .aa = true)
X("seresnetaa50d", "", resnet, 224, 1000, 28110000, 5400000000, TIMM,
  .layers = { 4, { 3, 4, 6, 3 } }, .stem = { 3, { 32, 32, 64 } }, .avg_down = true, .aa = true,
  .se = 16)
X("resnetv2_18", "", resnet, 224, 1000, 11690000, 1820000000, TIMM,
  .layers = { 4, { 2, 2, 2, 2 } }, .basic = true, .preact = true)
X("resnetv2_34", "", resnet, 224, 1000, 21800000, 3670000000, TIMM,
  .layers = { 4, { 3, 4, 6, 3 } }, .basic = true, .preact = true)
X("resnetv2_50", "", resnet, 224, 1000, 25550000, 4110000000, TIMM,
  .layers = { 4, { 3, 4, 6, 3 } }, .preact = true)
X("resnetv2_101", "", resnet, 224, 1000, 44540000, 7830000000, TIMM,
  .layers = { 4, { 3, 4, 23, 3 } }, .preact = true)
X("resnetv2_152", "", resnet, 224, 1000, 60190000, 1.155e+10, TIMM,
  .layers = { 4, { 3, 8, 36, 3 } }, .preact = true)
X("resnetv2_18d", "", resnet, 224, 1000, 11710000, 2060000000, TIMM,
  .layers = { 4, { 2, 2, 2, 2 } }, .basic = true, .stem = { 3, { 32, 32, 64 } }, .avg_down = true,
  .preact = true)
X("resnetv2_34d", "", resnet, 224, 1000, 21820000, 3910000000, TIMM,
  .layers = { 4, { 3, 4, 6, 3 } }, .basic = true, .stem = { 3, { 32, 32, 64 } }, .avg_down = true,
  .preact = true)
X("resnetv2_50d", "", resnet, 224, 1000, 25570000, 4350000000, TIMM,
  .layers = { 4, { 3, 4, 6, 3 } }, .stem = { 3, { 32, 32, 64 } }, .avg_down = true, .preact = true)
X("resnetv2_101d", "", resnet, 224, 1000, 44560000, 8070000000, TIMM,
  .layers = { 4, { 3, 4, 23, 3 } }, .stem = { 3, { 32, 32, 64 } }, .avg_down = true, .preact = true)
X("resnetv2_152d", "", resnet, 224, 1000, 60200000, 1.18e+10, TIMM,
  .layers = { 4, { 3, 8, 36, 3 } }, .stem = { 3, { 32, 32, 64 } }, .avg_down = true, .preact = true)
X("resnetv2_50t", "", resnet, 224, 1000, 25570000, 4320000000, TIMM,
  .layers = { 4, { 3, 4, 6, 3 } }, .stem = { 3, { 24, 32, 64 } }, .avg_down = true, .preact = true)
X("resnetv2_50x1_bit",
  "resnetv2_50x1_bitm resnetv2_50x1_bit_distilled", resnet, 224, 1000, 25550000, 4230000000, TIMM,
  .layers = { 4, { 3, 4, 6, 3 } }, .width = 64, .preact = true, .gn = true)
X("resnetv2_50x3_bit", "resnetv2_50x3_bitm", resnet, 224, 1000, 217320000, 3.706e+10, TIMM,
  .layers = { 4, { 3, 4, 6, 3 } }, .width = 192, .preact = true, .gn = true)
X("resnetv2_101x1_bit", "resnetv2_101x1_bitm", resnet, 224, 1000, 44540000, 8040000000, TIMM,
  .layers = { 4, { 3, 4, 23, 3 } }, .width = 64, .preact = true, .gn = true)
X("resnetv2_101x3_bit", "resnetv2_101x3_bitm", resnet, 224, 1000, 387930000, 7.123e+10, TIMM,
  .layers = { 4, { 3, 4, 23, 3 } }, .width = 192, .preact = true, .gn = true)
X("resnetv2_152x2_bit",
  "resnetv2_152x2_bitm resnetv2_152x2_bit_teacher resnetv2_152x2_bit_teacher_384",
  resnet, 224, 1000, 236340000, 4.695e+10, TIMM,
  .layers = { 4, { 3, 8, 36, 3 } }, .width = 128, .preact = true, .gn = true)
X("resnetv2_152x4_bit", "resnetv2_152x4_bitm", resnet, 224, 1000, 936530000, 1.869e+11, TIMM,
  .layers = { 4, { 3, 8, 36, 3 } }, .width = 256, .preact = true, .gn = true)

/* --- unet --- */
X("unet", "", unet, 512, 2, 31037698, 0, HAND,
  .widths = { 5, { 64, 128, 256, 512, 1024 } }, .dims = 2)
X("unet3d", "", unet, 128, 3, 0, 0, HAND,
  .widths = { 6, { 32, 64, 128, 256, 320, 320 } }, .dims = 3, .channels = 1, .strided = true,
  .instance = true)

/* --- densenet --- */
X("densenet121", "", densenet, 224, 1000, 7978856, 2834161664, TV,
  .growth = 32, .first = 64, .blocks = { 4, { 6, 12, 24, 16 } })
X("densenet161", "", densenet, 224, 1000, 28681000, 7727907072, TV,
  .growth = 48, .first = 96, .blocks = { 4, { 6, 12, 36, 24 } })
X("densenet169", "", densenet, 224, 1000, 14149480, 3359843328, TV,
  .growth = 32, .first = 64, .blocks = { 4, { 6, 12, 32, 32 } })
X("densenet201", "", densenet, 224, 1000, 20013928, 4291365888, TV,
  .growth = 32, .first = 64, .blocks = { 4, { 6, 12, 48, 32 } })
X("densenet264", "", densenet, 224, 1000, 72690000, 1.295e+10, TIMM,
  .growth = 48, .first = 96, .blocks = { 4, { 6, 12, 64, 48 } })
X("densenet121d", "", densenet, 224, 1000, 8000000, 3110000000, TIMM,
  .growth = 32, .first = 64, .blocks = { 4, { 6, 12, 24, 16 } }, .stem = { 3, { 32, 32, 64 } })

/* --- vovnet --- */
X("ese_vovnet19b_dw", "", vovnet, 224, 1000, 6540000, 1340000000, TIMM,
  .stem = { 3, { 64, 64, 64 } }, .mid = { 4, { 128, 160, 192, 224 } },
  .out = { 4, { 256, 512, 768, 1024 } }, .per_block = 3, .blocks = { 4, { 1, 1, 1, 1 } },
  .depthwise = true)
X("ese_vovnet39b", "", vovnet, 224, 1000, 24570000, 7090000000, TIMM,
  .stem = { 3, { 64, 64, 128 } }, .mid = { 4, { 128, 160, 192, 224 } },
  .out = { 4, { 256, 512, 768, 1024 } }, .per_block = 5, .blocks = { 4, { 1, 1, 2, 2 } })
X("ese_vovnet99b", "", vovnet, 224, 1000, 63200000, 1.651e+10, TIMM,
  .stem = { 3, { 64, 64, 128 } }, .mid = { 4, { 128, 160, 192, 224 } },
  .out = { 4, { 256, 512, 768, 1024 } }, .per_block = 5, .blocks = { 4, { 1, 3, 9, 3 } })
X("ese_vovnet57b", "", vovnet, 224, 1000, 38610000, 8950000000, TIMM,
  .stem = { 3, { 64, 64, 128 } }, .mid = { 4, { 128, 160, 192, 224 } },
  .out = { 4, { 256, 512, 768, 1024 } }, .per_block = 5, .blocks = { 4, { 1, 1, 4, 3 } })
X("vovnet39a", "", vovnet, 224, 1000, 22600000, 7090000000, TIMM,
  .stem = { 3, { 64, 64, 128 } }, .mid = { 4, { 128, 160, 192, 224 } },
  .out = { 4, { 256, 512, 768, 1024 } }, .per_block = 5, .blocks = { 4, { 1, 1, 2, 2 } },
  .plain = true)
X("vovnet57a", "", vovnet, 224, 1000, 36640000, 8950000000, TIMM,
  .stem = { 3, { 64, 64, 128 } }, .mid = { 4, { 128, 160, 192, 224 } },
  .out = { 4, { 256, 512, 768, 1024 } }, .per_block = 5, .blocks = { 4, { 1, 1, 4, 3 } },
  .plain = true)

/* --- ghostnet --- */
X("ghostnet_100", "ghostnet", ghostnet, 224, 1000, 5180000, 150000000, TIMM, .width = 1)

/* --- xception --- */
X("xception", "legacy_xception", xception, 299, 1000, 22860000, 8400000000, TIMM, .middle = 8)

/* --- repvgg --- */
X("repvgg_a0", "", repvgg, 224, 1000, 9110000, 0, TIMM,
  .blocks = { 4, { 2, 4, 14, 1 } }, .width = 0.75, .last = 2.5)
X("repvgg_a1", "", repvgg, 224, 1000, 14090000, 0, TIMM,
  .blocks = { 4, { 2, 4, 14, 1 } }, .width = 1, .last = 2.5)
X("repvgg_a2", "", repvgg, 224, 1000, 28210000, 0, TIMM,
  .blocks = { 4, { 2, 4, 14, 1 } }, .width = 1.5, .last = 2.75)
X("repvgg_b0", "", repvgg, 224, 1000, 15820000, 0, TIMM,
  .blocks = { 4, { 4, 6, 16, 1 } }, .width = 1, .last = 2.5)
X("repvgg_b1", "", repvgg, 224, 1000, 57420000, 0, TIMM,
  .blocks = { 4, { 4, 6, 16, 1 } }, .width = 2, .last = 4)
X("repvgg_b1g4", "", repvgg, 224, 1000, 39970000, 0, TIMM,
  .blocks = { 4, { 4, 6, 16, 1 } }, .width = 2, .last = 4, .groups = 4)
X("repvgg_b2", "", repvgg, 224, 1000, 89020000, 0, TIMM,
  .blocks = { 4, { 4, 6, 16, 1 } }, .width = 2.5, .last = 5)
X("repvgg_b2g4", "", repvgg, 224, 1000, 61760000, 0, TIMM,
  .blocks = { 4, { 4, 6, 16, 1 } }, .width = 2.5, .last = 5, .groups = 4)
X("repvgg_b3", "", repvgg, 224, 1000, 123090000, 0, TIMM,
  .blocks = { 4, { 4, 6, 16, 1 } }, .width = 3, .last = 5)
X("repvgg_b3g4", "", repvgg, 224, 1000, 83830000, 0, TIMM,
  .blocks = { 4, { 4, 6, 16, 1 } }, .width = 3, .last = 5, .groups = 4)

/* --- dla --- */
X("dla34", "", dla, 224, 1000, 15740000, 3070000000, TIMM,
  .channels = { 6, { 16, 32, 64, 128, 256, 512 } }, .heights = { 4, { 1, 2, 2, 1 } }, .basic = true)
X("dla46_c", "", dla, 224, 1000, 1300000, 580000000, TIMM,
  .channels = { 6, { 16, 32, 64, 64, 128, 256 } }, .heights = { 4, { 1, 2, 2, 1 } })
X("dla46x_c", "", dla, 224, 1000, 1070000, 540000000, TIMM,
  .channels = { 6, { 16, 32, 64, 64, 128, 256 } }, .heights = { 4, { 1, 2, 2, 1 } }, .groups = 32,
  .base_width = 4)
X("dla60", "", dla, 224, 1000, 22040000, 4260000000, TIMM,
  .channels = { 6, { 16, 32, 128, 256, 512, 1024 } }, .heights = { 4, { 1, 2, 3, 1 } })
X("dla60x", "", dla, 224, 1000, 17350000, 3540000000, TIMM,
  .channels = { 6, { 16, 32, 128, 256, 512, 1024 } }, .heights = { 4, { 1, 2, 3, 1 } },
  .groups = 32, .base_width = 4)
X("dla60x_c", "", dla, 224, 1000, 1320000, 590000000, TIMM,
  .channels = { 6, { 16, 32, 64, 64, 128, 256 } }, .heights = { 4, { 1, 2, 3, 1 } }, .groups = 32,
  .base_width = 4)
X("dla102", "", dla, 224, 1000, 33270000, 7190000000, TIMM,
  .channels = { 6, { 16, 32, 128, 256, 512, 1024 } }, .heights = { 4, { 1, 3, 4, 1 } },
  .root_add = true)
X("dla102x", "", dla, 224, 1000, 26310000, 5890000000, TIMM,
  .channels = { 6, { 16, 32, 128, 256, 512, 1024 } }, .heights = { 4, { 1, 3, 4, 1 } },
  .root_add = true, .groups = 32, .base_width = 4)
X("dla102x2", "", dla, 224, 1000, 41280000, 9340000000, TIMM,
  .channels = { 6, { 16, 32, 128, 256, 512, 1024 } }, .heights = { 4, { 1, 3, 4, 1 } },
  .root_add = true, .groups = 64, .base_width = 4)
X("dla169", "", dla, 224, 1000, 53390000, 1.16e+10, TIMM,
  .channels = { 6, { 16, 32, 128, 256, 512, 1024 } }, .heights = { 4, { 2, 3, 5, 1 } },
  .root_add = true)

/* --- hrnet --- */
X("hrnet_w18_small", "", hrnet, 224, 1000, 13190000, 1610000000, TIMM,
  .width = 16, .first = 1, .planes = 32, .blocks = 2, .modules = { 3, { 1, 1, 1 } })
X("hrnet_w18_small_v2", "", hrnet, 224, 1000, 15600000, 2620000000, TIMM,
  .width = 18, .first = 2, .planes = 64, .blocks = 2, .modules = { 3, { 1, 3, 2 } })
X("hrnet_w18", "", hrnet, 224, 1000, 21300000, 4320000000, TIMM,
  .width = 18, .first = 4, .planes = 64, .blocks = 4, .modules = { 3, { 1, 4, 3 } })
X("hrnet_w30", "", hrnet, 224, 1000, 37710000, 8150000000, TIMM,
  .width = 30, .first = 4, .planes = 64, .blocks = 4, .modules = { 3, { 1, 4, 3 } })
X("hrnet_w32", "", hrnet, 224, 1000, 41230000, 8970000000, TIMM,
  .width = 32, .first = 4, .planes = 64, .blocks = 4, .modules = { 3, { 1, 4, 3 } })
X("hrnet_w40", "", hrnet, 224, 1000, 57560000, 1.275e+10, TIMM,
  .width = 40, .first = 4, .planes = 64, .blocks = 4, .modules = { 3, { 1, 4, 3 } })
X("hrnet_w44", "", hrnet, 224, 1000, 67060000, 1.494e+10, TIMM,
  .width = 44, .first = 4, .planes = 64, .blocks = 4, .modules = { 3, { 1, 4, 3 } })
X("hrnet_w48", "", hrnet, 224, 1000, 77470000, 1.734e+10, TIMM,
  .width = 48, .first = 4, .planes = 64, .blocks = 4, .modules = { 3, { 1, 4, 3 } })
X("hrnet_w64", "", hrnet, 224, 1000, 128060000, 2.897e+10, TIMM,
  .width = 64, .first = 4, .planes = 64, .blocks = 4, .modules = { 3, { 1, 4, 3 } })

/* --- mixer --- */
X("mixer_s16_224", "mixer_s16", mixer, 224, 1000, 18530000, 3790000000, TIMM,
  .patch = 16, .hidden = 512, .layers = 8, .tokens = 256, .ffn = 2048)
X("mixer_s32_224", "mixer_s32", mixer, 224, 1000, 19100000, 1000000000, TIMM,
  .patch = 32, .hidden = 512, .layers = 8, .tokens = 256, .ffn = 2048)
X("mixer_b16_224", "mixer_b16", mixer, 224, 1000, 59880000, 1.262e+10, TIMM,
  .patch = 16, .hidden = 768, .layers = 12, .tokens = 384, .ffn = 3072)
X("mixer_b32_224", "mixer_b32", mixer, 224, 1000, 60290000, 3240000000, TIMM,
  .patch = 32, .hidden = 768, .layers = 12, .tokens = 384, .ffn = 3072)
X("mixer_l16_224", "mixer_l16", mixer, 224, 1000, 208200000, 4.46e+10, TIMM,
  .patch = 16, .hidden = 1024, .layers = 24, .tokens = 512, .ffn = 4096)
X("mixer_l32_224", "mixer_l32", mixer, 224, 1000, 206940000, 1.127e+10, TIMM,
  .patch = 32, .hidden = 1024, .layers = 24, .tokens = 512, .ffn = 4096)
X("resmlp_12_224", "resmlp_12", mixer, 224, 1000, 15350000, 3010000000, TIMM,
  .patch = 16, .hidden = 384, .layers = 12, .ffn = 1536)
X("resmlp_24_224", "resmlp_24", mixer, 224, 1000, 30020000, 5960000000, TIMM,
  .patch = 16, .hidden = 384, .layers = 24, .ffn = 1536)
X("resmlp_36_224", "resmlp_36", mixer, 224, 1000, 44690000, 8910000000, TIMM,
  .patch = 16, .hidden = 384, .layers = 36, .ffn = 1536)
X("resmlp_big_24_224", "resmlp_big_24", mixer, 224, 1000, 129140000, 1.0023e+11, TIMM,
  .patch = 8, .hidden = 768, .layers = 24, .ffn = 3072)

/* --- squeezenet --- */
X("squeezenet1_0", "squeezenet", squeezenet, 224, 1000, 1248424, 818924576, TV, .v1_1 = false)
X("squeezenet1_1", "", squeezenet, 224, 1000, 1235496, 349151936, TV, .v1_1 = true)

/* --- shufflenet --- */
X("shufflenet_v2_x0_5", "", shufflenet, 224, 1000, 1366792, 40476448, TV,
  .channels = { 4, { 48, 96, 192, 1024 } })
X("shufflenet_v2_x1_0", "shufflenet_v2", shufflenet, 224, 1000, 2278604, 144907992, TV,
  .channels = { 4, { 116, 232, 464, 1024 } })
X("shufflenet_v2_x1_5", "", shufflenet, 224, 1000, 3503624, 295759392, TV,
  .channels = { 4, { 176, 352, 704, 1024 } })
X("shufflenet_v2_x2_0", "", shufflenet, 224, 1000, 7393996, 583253464, TV,
  .channels = { 4, { 244, 488, 976, 2048 } })

/* --- mobile --- */
X("mobilenet_v1", "mobilenetv1_100 mobilenet", mobile, 224, 1000, 4230000, 580000000, TIMM,
  .stages = MOBILENET_V1, .act = "relu6", .stem = 32, .width = 1, .depth = 1)
X("mobilenet_v2", "mobilenetv2_100", mobile, 224, 1000, 3504872, 300774272, TV,
  .stages = MOBILENET_V2, .act = "relu6", .stem = 32, .width = 1, .depth = 1, .head = 1280,
  .dropout = 0.2)
X("mobilenetv2_035", "", mobile, 224, 1000, 1680000, 70000000, TIMM,
  .stages = MOBILENET_V2, .act = "relu6", .stem = 32, .width = 0.35, .depth = 1, .head = 1280,
  .dropout = 0.2)
X("mobilenetv2_050", "", mobile, 224, 1000, 1970000, 100000000, TIMM,
  .stages = MOBILENET_V2, .act = "relu6", .stem = 32, .width = 0.5, .depth = 1, .head = 1280,
  .dropout = 0.2)
X("mobilenetv2_075", "", mobile, 224, 1000, 2640000, 220000000, TIMM,
  .stages = MOBILENET_V2, .act = "relu6", .stem = 32, .width = 0.75, .depth = 1, .head = 1280,
  .dropout = 0.2)
X("mobilenetv2_140", "", mobile, 224, 1000, 6110000, 600000000, TIMM,
  .stages = MOBILENET_V2, .act = "relu6", .stem = 32, .width = 1.4, .depth = 1, .head = 1280,
  .dropout = 0.2)
X("mobilenetv2_110d", "", mobile, 224, 1000, 4520000, 450000000, TIMM,
  .stages = MOBILENET_V2, .act = "relu6", .stem = 32, .width = 1.1, .depth = 1.2, .head = 1280,
  .fixed_ends = true, .dropout = 0.2)
X("mobilenetv2_120d", "", mobile, 224, 1000, 5830000, 690000000, TIMM,
  .stages = MOBILENET_V2, .act = "relu6", .stem = 32, .width = 1.2, .depth = 1.4, .head = 1280,
  .fixed_ends = true, .dropout = 0.2)
X("mobilenet_v3_large",
  "mobilenetv3_large_100 mobilenetv3_rw", mobile, 224, 1000, 5483032, 216589760, TV,
  .stages = MOBILENET_V3_LARGE, .act = "hard_swish", .stem = 16, .width = 1, .depth = 1,
  .head = 960, .hidden = 1280, .se_mid = true, .head_rule = EC__HEAD_ALWAYS, .dropout = 0.2)
X("mobilenet_v3_small", "mobilenetv3_small_100", mobile, 224, 1000, 2542856, 56510400, TV,
  .stages = MOBILENET_V3_SMALL, .act = "hard_swish", .stem = 16, .width = 1, .depth = 1,
  .head = 576, .hidden = 1024, .se_mid = true, .head_rule = EC__HEAD_ALWAYS, .dropout = 0.2)
X("mobilenetv3_large_075", "", mobile, 224, 1000, 3990000, 160000000, TIMM,
  .stages = MOBILENET_V3_LARGE, .act = "hard_swish", .stem = 16, .width = 0.75, .depth = 1,
  .head = 960, .hidden = 1280, .se_mid = true, .head_rule = EC__HEAD_ALWAYS, .dropout = 0.2)
X("mobilenetv3_small_075", "", mobile, 224, 1000, 2040000, 50000000, TIMM,
  .stages = MOBILENET_V3_SMALL, .act = "hard_swish", .stem = 16, .width = 0.75, .depth = 1,
  .head = 576, .hidden = 1024, .se_mid = true, .head_rule = EC__HEAD_ALWAYS, .dropout = 0.2)
X("mobilenetv3_small_050", "", mobile, 224, 1000, 1590000, 30000000, TIMM,
  .stages = MOBILENET_V3_SMALL, .act = "hard_swish", .stem = 16, .width = 0.5, .depth = 1,
  .head = 576, .fixed_stem = true, .hidden = 1024, .se_mid = true, .head_rule = EC__HEAD_ALWAYS,
  .dropout = 0.2)
X("mobilenetv3_large_minimal_100", "", mobile, 224, 1000, 3920000, 220000000, TIMM,
  .stages = MOBILENET_V3_LARGE_MINIMAL, .act = "relu", .stem = 16, .width = 1, .depth = 1,
  .head = 960, .hidden = 1280, .se_mid = true, .head_rule = EC__HEAD_ALWAYS, .dropout = 0.2)
X("mobilenetv3_small_minimal_100", "", mobile, 224, 1000, 2040000, 60000000, TIMM,
  .stages = MOBILENET_V3_SMALL_MINIMAL, .act = "relu", .stem = 16, .width = 1, .depth = 1,
  .head = 576, .hidden = 1024, .se_mid = true, .head_rule = EC__HEAD_ALWAYS, .dropout = 0.2)
X("mnasnet0_5", "mnasnet_050", mobile, 224, 1000, 2218512, 104455968, TV,
  .stages = MNASNET_B1, .act = "relu", .stem = 32, .width = 0.5, .depth = 1, .head = 1280,
  .head_rule = EC__HEAD_NEVER, .dropout = 0.2)
X("mnasnet0_75", "mnasnet_075", mobile, 224, 1000, 3170208, 215493104, TV,
  .stages = MNASNET_B1, .act = "relu", .stem = 32, .width = 0.75, .depth = 1, .head = 1280,
  .head_rule = EC__HEAD_NEVER, .dropout = 0.2)
X("mnasnet1_0", "mnasnet mnasnet_100 mnasnet_b1", mobile, 224, 1000, 4383312, 314415872, TV,
  .stages = MNASNET_B1, .act = "relu", .stem = 32, .width = 1, .depth = 1, .head = 1280,
  .head_rule = EC__HEAD_NEVER, .dropout = 0.2)
X("mnasnet1_3", "mnasnet_130", mobile, 224, 1000, 6282256, 526362432, TV,
  .stages = MNASNET_B1, .act = "relu", .stem = 32, .width = 1.3, .depth = 1, .head = 1280,
  .head_rule = EC__HEAD_NEVER, .dropout = 0.2)
X("semnasnet_100", "mnasnet_a1", mobile, 224, 1000, 3890000, 320000000, TIMM,
  .stages = MNASNET_A1, .act = "relu", .stem = 32, .width = 1, .depth = 1, .head = 1280,
  .dropout = 0.2)
X("semnasnet_075", "", mobile, 224, 1000, 2910000, 230000000, TIMM,
  .stages = MNASNET_A1, .act = "relu", .stem = 32, .width = 0.75, .depth = 1, .head = 1280,
  .dropout = 0.2)
X("spnasnet_100", "", mobile, 224, 1000, 4420000, 350000000, TIMM,
  .stages = SPNASNET, .act = "relu", .stem = 32, .width = 1, .depth = 1, .head = 1280,
  .dropout = 0.2)
X("fbnetc_100", "", mobile, 224, 1000, 5570000, 400000000, TIMM,
  .stages = FBNETC, .act = "relu", .stem = 16, .width = 1, .depth = 1, .head = 1984, .dropout = 0.2)
X("efficientnet_b0", "", mobile, 224, 1000, 5288548, 385814752, TV,
  .stages = EFFICIENTNET, .act = "silu", .stem = 32, .width = 1, .depth = 1, .head = 1280,
  .head_rule = EC__HEAD_ALWAYS, .dropout = 0.2, .drop_path = 0.2)
X("efficientnet_b1", "", mobile, 240, 1000, 7794184, 686802832, TV,
  .stages = EFFICIENTNET, .act = "silu", .stem = 32, .width = 1, .depth = 1.1, .head = 1280,
  .head_rule = EC__HEAD_ALWAYS, .dropout = 0.2, .drop_path = 0.2)
X("efficientnet_b2", "efficientnet_b2a", mobile, 288, 1000, 9109994, 1087529456, TV,
  .stages = EFFICIENTNET, .act = "silu", .stem = 32, .width = 1.1, .depth = 1.2, .head = 1280,
  .head_rule = EC__HEAD_ALWAYS, .dropout = 0.3, .drop_path = 0.2)
X("efficientnet_b3", "efficientnet_b3a", mobile, 300, 1000, 12233232, 1827141392, TV,
  .stages = EFFICIENTNET, .act = "silu", .stem = 32, .width = 1.2, .depth = 1.4, .head = 1280,
  .head_rule = EC__HEAD_ALWAYS, .dropout = 0.3, .drop_path = 0.2)
X("efficientnet_b4", "", mobile, 380, 1000, 19341616, 4393771024, TV,
  .stages = EFFICIENTNET, .act = "silu", .stem = 32, .width = 1.4, .depth = 1.8, .head = 1280,
  .head_rule = EC__HEAD_ALWAYS, .dropout = 0.4, .drop_path = 0.2)
X("efficientnet_b5", "", mobile, 456, 1000, 30389784, 1.026638475e+10, TV,
  .stages = EFFICIENTNET, .act = "silu", .stem = 32, .width = 1.6, .depth = 2.2, .head = 1280,
  .head_rule = EC__HEAD_ALWAYS, .dropout = 0.4, .drop_path = 0.2)
X("efficientnet_b6", "", mobile, 528, 1000, 43040704, 1.906759354e+10, TV,
  .stages = EFFICIENTNET, .act = "silu", .stem = 32, .width = 1.8, .depth = 2.6, .head = 1280,
  .head_rule = EC__HEAD_ALWAYS, .dropout = 0.5, .drop_path = 0.2)
X("efficientnet_b7", "", mobile, 600, 1000, 66347960, 3.774588419e+10, TV,
  .stages = EFFICIENTNET, .act = "silu", .stem = 32, .width = 2, .depth = 3.1, .head = 1280,
  .head_rule = EC__HEAD_ALWAYS, .dropout = 0.5, .drop_path = 0.2)
X("efficientnet_b8", "", mobile, 672, 1000, 87410000, 6.348e+10, TIMM,
  .stages = EFFICIENTNET, .act = "silu", .stem = 32, .width = 2.2, .depth = 3.6, .head = 1280,
  .head_rule = EC__HEAD_ALWAYS, .dropout = 0.5, .drop_path = 0.2)
X("efficientnet_l2", "efficientnet_l2_ns_475", mobile, 475, 1000, 480310000, 1.7211e+11, TIMM,
  .stages = EFFICIENTNET, .act = "silu", .stem = 32, .width = 4.3, .depth = 5.3, .head = 1280,
  .head_rule = EC__HEAD_ALWAYS, .dropout = 0.5, .drop_path = 0.2)
X("efficientnet_lite0", "", mobile, 224, 1000, 4650000, 400000000, TIMM,
  .stages = EFFICIENTNET_LITE, .act = "relu6", .stem = 32, .width = 1, .depth = 1, .head = 1280,
  .fixed_ends = true, .dropout = 0.2, .drop_path = 0.2)
X("efficientnet_lite1", "", mobile, 240, 1000, 5420000, 620000000, TIMM,
  .stages = EFFICIENTNET_LITE, .act = "relu6", .stem = 32, .width = 1, .depth = 1.1, .head = 1280,
  .fixed_ends = true, .dropout = 0.2, .drop_path = 0.2)
X("efficientnet_lite2", "", mobile, 260, 1000, 6090000, 890000000, TIMM,
  .stages = EFFICIENTNET_LITE, .act = "relu6", .stem = 32, .width = 1.1, .depth = 1.2,
  .head = 1280, .fixed_ends = true, .dropout = 0.2, .drop_path = 0.2)
X("efficientnet_lite3", "", mobile, 300, 1000, 8200000, 1650000000, TIMM,
  .stages = EFFICIENTNET_LITE, .act = "relu6", .stem = 32, .width = 1.2, .depth = 1.4,
  .head = 1280, .fixed_ends = true, .dropout = 0.2, .drop_path = 0.2)
X("efficientnet_lite4", "", mobile, 380, 1000, 13010000, 4040000000, TIMM,
  .stages = EFFICIENTNET_LITE, .act = "relu6", .stem = 32, .width = 1.4, .depth = 1.8,
  .head = 1280, .fixed_ends = true, .dropout = 0.2, .drop_path = 0.2)
X("tinynet_a", "", mobile, 192, 1000, 6190000, 350000000, TIMM,
  .stages = EFFICIENTNET, .act = "silu", .stem = 32, .width = 1, .depth = 1.2, .head = 1280,
  .fixed_stem = true, .round_depth = true, .dropout = 0.2, .drop_path = 0.2)
X("tinynet_b", "", mobile, 188, 1000, 3730000, 210000000, TIMM,
  .stages = EFFICIENTNET, .act = "silu", .stem = 32, .width = 0.75, .depth = 1.1, .head = 1280,
  .fixed_stem = true, .round_depth = true, .dropout = 0.2, .drop_path = 0.2)
X("tinynet_c", "", mobile, 184, 1000, 2460000, 110000000, TIMM,
  .stages = EFFICIENTNET, .act = "silu", .stem = 32, .width = 0.54, .depth = 0.85, .head = 1280,
  .fixed_stem = true, .round_depth = true, .dropout = 0.2, .drop_path = 0.2)
X("tinynet_d", "", mobile, 152, 1000, 2340000, 50000000, TIMM,
  .stages = EFFICIENTNET, .act = "silu", .stem = 32, .width = 0.54, .depth = 0.695, .head = 1280,
  .fixed_stem = true, .round_depth = true, .dropout = 0.2, .drop_path = 0.2)
X("tinynet_e", "", mobile, 106, 1000, 2040000, 30000000, TIMM,
  .stages = EFFICIENTNET, .act = "silu", .stem = 32, .width = 0.51, .depth = 0.6, .head = 1280,
  .fixed_stem = true, .round_depth = true, .dropout = 0.2, .drop_path = 0.2)
X("efficientnet_v2_s", "efficientnetv2_s", mobile, 384, 1000, 21458488, 8365617152, TV,
  .stages = EFFICIENTNET_V2_S, .act = "silu", .stem = 24, .width = 1, .depth = 1, .head = 1280,
  .dropout = 0.2, .drop_path = 0.2)
X("efficientnet_v2_m", "efficientnetv2_m", mobile, 480, 1000, 54139356, 2.458246038e+10, TV,
  .stages = EFFICIENTNET_V2_M, .act = "silu", .stem = 24, .width = 1, .depth = 1, .head = 1280,
  .dropout = 0.3, .drop_path = 0.2)
X("efficientnet_v2_l", "efficientnetv2_l", mobile, 480, 1000, 118515272, 5.607969901e+10, TV,
  .stages = EFFICIENTNET_V2_L, .act = "silu", .stem = 32, .width = 1, .depth = 1, .head = 1280,
  .dropout = 0.4, .drop_path = 0.2)
X("efficientnet_v2_xl", "efficientnetv2_xl", mobile, 512, 1000, 208120000, 9.385e+10, TIMM,
  .stages = EFFICIENTNET_V2_XL, .act = "silu", .stem = 32, .width = 1, .depth = 1, .head = 1280,
  .dropout = 0.5, .drop_path = 0.2)
X("efficientnetv2_b0", "efficientnet_v2_b0", mobile, 224, 1000, 7140000, 730000000, TIMM,
  .stages = EFFICIENTNET_V2_B, .act = "silu", .stem = 32, .width = 1, .depth = 1, .head = 1280,
  .nearest = true, .dropout = 0.2, .drop_path = 0.2)
X("efficientnetv2_b1", "efficientnet_v2_b1", mobile, 240, 1000, 8140000, 1210000000, TIMM,
  .stages = EFFICIENTNET_V2_B, .act = "silu", .stem = 32, .width = 1, .depth = 1.1, .head = 1280,
  .nearest = true, .dropout = 0.2, .drop_path = 0.2)
X("efficientnetv2_b2", "efficientnet_v2_b2", mobile, 260, 1000, 10100000, 1720000000, TIMM,
  .stages = EFFICIENTNET_V2_B, .act = "silu", .stem = 32, .width = 1.1, .depth = 1.2, .head = 1280,
  .nearest = true, .dropout = 0.2, .drop_path = 0.2)
X("efficientnetv2_b3", "efficientnet_v2_b3", mobile, 300, 1000, 14360000, 3040000000, TIMM,
  .stages = EFFICIENTNET_V2_B, .act = "silu", .stem = 32, .width = 1.2, .depth = 1.4, .head = 1280,
  .nearest = true, .dropout = 0.2, .drop_path = 0.2)
X("mobilenetv1_125", "", mobile, 224, 1000, 6270000, 890000000, TIMM,
  .stages = MOBILENET_V1, .act = "relu6", .stem = 32, .width = 1.25, .depth = 1, .dropout = 0.2)
X("efficientnet_es", "efficientnet_es_pruned", mobile, 224, 1000, 5440000, 1810000000, TIMM,
  .stages = EFFICIENTNET_EDGE, .act = "relu", .stem = 32, .width = 1, .depth = 1, .head = 1280,
  .dropout = 0.2)
X("efficientnet_em", "", mobile, 240, 1000, 6900000, 3040000000, TIMM,
  .stages = EFFICIENTNET_EDGE, .act = "relu", .stem = 32, .width = 1, .depth = 1.1, .head = 1280,
  .dropout = 0.2)
X("efficientnet_el", "efficientnet_el_pruned", mobile, 300, 1000, 10590000, 8000000000, TIMM,
  .stages = EFFICIENTNET_EDGE, .act = "relu", .stem = 32, .width = 1.2, .depth = 1.4, .head = 1280,
  .dropout = 0.2)
X("efficientnetv2_rw_s", "", mobile, 288, 1000, 23940000, 4910000000, TIMM,
  .stages = EFFICIENTNET_V2_RW_S, .act = "silu", .stem = 24, .width = 1, .depth = 1, .head = 1792,
  .dropout = 0.2, .drop_path = 0.2)
X("efficientnetv2_rw_t", "", mobile, 224, 1000, 13650000, 1930000000, TIMM,
  .stages = EFFICIENTNET_V2_S, .act = "silu", .stem = 24, .width = 0.8, .depth = 0.9, .head = 1280,
  .head_rule = EC__HEAD_ALWAYS, .dropout = 0.2, .drop_path = 0.2)
X("mixnet_s", "", mobile, 224, 1000, 4130000, 250000000, TIMM,
  .stages = MIXNET_S, .act = "relu", .stem = 16, .width = 1, .depth = 1, .head = 1536,
  .head_rule = EC__HEAD_NEVER, .dropout = 0.2)
X("mixnet_m", "", mobile, 224, 1000, 5010000, 360000000, TIMM,
  .stages = MIXNET_M, .act = "relu", .stem = 24, .width = 1, .depth = 1, .head = 1536,
  .head_rule = EC__HEAD_NEVER, .dropout = 0.25)
X("mixnet_l", "", mobile, 224, 1000, 7330000, 580000000, TIMM,
  .stages = MIXNET_M, .act = "relu", .stem = 24, .width = 1.3, .depth = 1, .head = 1536,
  .head_rule = EC__HEAD_NEVER, .dropout = 0.25)
X("mixnet_xl", "", mobile, 224, 1000, 11900000, 930000000, TIMM,
  .stages = MIXNET_M, .act = "relu", .stem = 24, .width = 1.6, .depth = 1.2, .head = 1536,
  .round_depth = true, .head_rule = EC__HEAD_NEVER, .dropout = 0.25)
X("lcnet_050", "", mobile, 224, 1000, 1880000, 50000000, TIMM,
  .stages = LCNET, .act = "hard_swish", .stem = 16, .width = 0.5, .depth = 1, .hidden = 1280,
  .se_mid = true, .dropout = 0.2)
X("lcnet_075", "", mobile, 224, 1000, 2360000, 100000000, TIMM,
  .stages = LCNET, .act = "hard_swish", .stem = 16, .width = 0.75, .depth = 1, .hidden = 1280,
  .se_mid = true, .dropout = 0.2)
X("lcnet_100", "", mobile, 224, 1000, 2950000, 160000000, TIMM,
  .stages = LCNET, .act = "hard_swish", .stem = 16, .width = 1, .depth = 1, .hidden = 1280,
  .se_mid = true, .dropout = 0.2)

/* --- regnet --- */
X("regnet_x_200mf", "regnetx_002", regnet, 224, 1000, 2680000, 200000000, TIMM,
  .depth = 13, .w0 = 24, .wa = 36.44, .wm = 2.49, .group_width = 8, .nearest = true)
X("regnet_x_400mf", "", regnet, 224, 1000, 5495976, 413812608, TV,
  .depth = 22, .w0 = 24, .wa = 24.48, .wm = 2.54, .group_width = 16)
X("regnet_x_600mf", "regnetx_006", regnet, 224, 1000, 6200000, 610000000, TIMM,
  .depth = 16, .w0 = 48, .wa = 36.97, .wm = 2.24, .group_width = 24, .nearest = true)
X("regnet_x_800mf", "regnetx_008", regnet, 224, 1000, 7259656, 799699712, TV,
  .depth = 16, .w0 = 56, .wa = 35.73, .wm = 2.28, .group_width = 16)
X("regnet_x_1_6gf", "regnetx_016", regnet, 224, 1000, 9190136, 1602849792, TV,
  .depth = 18, .w0 = 80, .wa = 34.01, .wm = 2.25, .group_width = 24)
X("regnet_x_3_2gf", "regnetx_032", regnet, 224, 1000, 15296552, 3176621952, TV,
  .depth = 25, .w0 = 88, .wa = 26.31, .wm = 2.25, .group_width = 48)
X("regnet_x_4gf", "regnetx_040", regnet, 224, 1000, 22120000, 3990000000, TIMM,
  .depth = 23, .w0 = 96, .wa = 38.65, .wm = 2.43, .group_width = 40, .nearest = true)
X("regnet_x_6_4gf", "regnetx_064", regnet, 224, 1000, 26210000, 6490000000, TIMM,
  .depth = 17, .w0 = 184, .wa = 60.83, .wm = 2.07, .group_width = 56, .nearest = true)
X("regnet_x_8gf", "regnetx_080", regnet, 224, 1000, 39572648, 7995132416, TV,
  .depth = 23, .w0 = 80, .wa = 49.56, .wm = 2.88, .group_width = 120)
X("regnet_x_12gf", "regnetx_120", regnet, 224, 1000, 46110000, 1.213e+10, TIMM,
  .depth = 19, .w0 = 168, .wa = 73.36, .wm = 2.37, .group_width = 112, .nearest = true)
X("regnet_x_16gf", "regnetx_160", regnet, 224, 1000, 54278536, 1.594075546e+10, TV,
  .depth = 22, .w0 = 216, .wa = 55.59, .wm = 2.1, .group_width = 128)
X("regnet_x_32gf", "regnetx_320", regnet, 224, 1000, 107811560, 3.173592979e+10, TV,
  .depth = 23, .w0 = 320, .wa = 69.86, .wm = 2, .group_width = 168)
X("regnet_y_200mf", "regnety_002", regnet, 224, 1000, 3160000, 200000000, TIMM,
  .depth = 13, .w0 = 24, .wa = 36.44, .wm = 2.49, .group_width = 8, .se = 0.25, .nearest = true)
X("regnet_y_400mf", "regnety_004", regnet, 224, 1000, 4344144, 401842848, TV,
  .depth = 16, .w0 = 48, .wa = 27.89, .wm = 2.09, .group_width = 8, .se = 0.25)
X("regnet_y_600mf", "regnety_006", regnet, 224, 1000, 6060000, 610000000, TIMM,
  .depth = 15, .w0 = 48, .wa = 32.54, .wm = 2.32, .group_width = 16, .se = 0.25, .nearest = true)
X("regnet_y_800mf", "", regnet, 224, 1000, 6432512, 833856256, TV,
  .depth = 14, .w0 = 56, .wa = 38.84, .wm = 2.4, .group_width = 16, .se = 0.25)
X("regnet_y_1_6gf", "regnety_016", regnet, 224, 1000, 11202430, 1612076160, TV,
  .depth = 27, .w0 = 48, .wa = 20.71, .wm = 2.65, .group_width = 24, .se = 0.25)
X("regnet_y_3_2gf", "regnety_032", regnet, 224, 1000, 19436338, 3176482752, TV,
  .depth = 21, .w0 = 80, .wa = 42.63, .wm = 2.66, .group_width = 24, .se = 0.25)
X("regnet_y_4gf", "regnety_040", regnet, 224, 1000, 20650000, 4000000000, TIMM,
  .depth = 22, .w0 = 96, .wa = 31.41, .wm = 2.24, .group_width = 64, .se = 0.25, .nearest = true)
X("regnet_y_6_4gf", "regnety_064", regnet, 224, 1000, 30580000, 6390000000, TIMM,
  .depth = 25, .w0 = 112, .wa = 33.22, .wm = 2.27, .group_width = 72, .se = 0.25, .nearest = true)
X("regnet_y_8gf", "", regnet, 224, 1000, 39381472, 8473070592, TV,
  .depth = 17, .w0 = 192, .wa = 76.82, .wm = 2.19, .group_width = 56, .se = 0.25)
X("regnet_y_12gf", "regnety_120", regnet, 224, 1000, 51820000, 1.214e+10, TIMM,
  .depth = 19, .w0 = 168, .wa = 73.36, .wm = 2.37, .group_width = 112, .se = 0.25, .nearest = true)
X("regnet_y_16gf", "regnety_160", regnet, 224, 1000, 83590140, 1.591151027e+10, TV,
  .depth = 18, .w0 = 200, .wa = 106.23, .wm = 2.48, .group_width = 112, .se = 0.25)
X("regnet_y_32gf", "regnety_320", regnet, 224, 1000, 145046770, 3.227955283e+10, TV,
  .depth = 20, .w0 = 232, .wa = 115.89, .wm = 2.53, .group_width = 232, .se = 0.25)
X("regnet_y_128gf", "regnety_1280", regnet, 384, 1000, 644812894, 3.745700064e+11, TV,
  .depth = 27, .w0 = 456, .wa = 160.83, .wm = 2.52, .group_width = 264, .se = 0.25)
X("regnetx_004", "", regnet, 224, 1000, 5160000, 400000000, TIMM,
  .depth = 22, .w0 = 24, .wa = 24.48, .wm = 2.54, .group_width = 16, .nearest = true)
X("regnety_008", "", regnet, 224, 1000, 6260000, 810000000, TIMM,
  .depth = 14, .w0 = 56, .wa = 38.84, .wm = 2.4, .group_width = 16, .se = 0.25, .nearest = true)
X("regnety_080", "", regnet, 224, 1000, 39180000, 8000000000, TIMM,
  .depth = 17, .w0 = 192, .wa = 76.82, .wm = 2.19, .group_width = 56, .se = 0.25, .nearest = true)

/* --- convnext --- */
X("convnext_tiny",
  "convnext_tiny_384_in22ft1k convnext_tiny_hnf", convnext, 224, 1000, 28589128, 4455531264, TV,
  .depths = { 4, { 3, 3, 9, 3 } }, .widths = { 4, { 96, 192, 384, 768 } }, .drop_path = 0.1)
X("convnext_small", "convnext_small_384_in22ft1k", convnext, 224, 1000, 50223688, 8683712256, TV,
  .depths = { 4, { 3, 3, 27, 3 } }, .widths = { 4, { 96, 192, 384, 768 } }, .drop_path = 0.4)
X("convnext_base", "convnext_base_384_in22ft1k", convnext, 224, 1000, 88591464, 1.535472947e+10, TV,
  .depths = { 4, { 3, 3, 27, 3 } }, .widths = { 4, { 128, 256, 512, 1024 } }, .drop_path = 0.5)
X("convnext_large",
  "convnext_large_384_in22ft1k", convnext, 224, 1000, 197767336, 3.43614336e+10, TV,
  .depths = { 4, { 3, 3, 27, 3 } }, .widths = { 4, { 192, 384, 768, 1536 } }, .drop_path = 0.5)
X("convnext_atto", "", convnext, 224, 1000, 3700000, 550000000, TIMM,
  .depths = { 4, { 2, 2, 6, 2 } }, .widths = { 4, { 40, 80, 160, 320 } })
X("convnext_femto", "", convnext, 224, 1000, 5220000, 790000000, TIMM,
  .depths = { 4, { 2, 2, 6, 2 } }, .widths = { 4, { 48, 96, 192, 384 } })
X("convnext_pico", "", convnext, 224, 1000, 9050000, 1370000000, TIMM,
  .depths = { 4, { 2, 2, 6, 2 } }, .widths = { 4, { 64, 128, 256, 512 } })
X("convnext_nano", "convnext_nano_hnf", convnext, 224, 1000, 15590000, 2460000000, TIMM,
  .depths = { 4, { 2, 2, 8, 2 } }, .widths = { 4, { 80, 160, 320, 640 } })
X("convnext_xlarge",
  "convnext_xlarge_384_in22ft1k", convnext, 224, 1000, 350200000, 6.098e+10, TIMM,
  .depths = { 4, { 3, 3, 27, 3 } }, .widths = { 4, { 256, 512, 1024, 2048 } }, .drop_path = 0.5)
X("convnextv2_atto", "", convnext, 224, 1000, 3710000, 550000000, TIMM,
  .depths = { 4, { 2, 2, 6, 2 } }, .widths = { 4, { 40, 80, 160, 320 } }, .grn = true,
  .drop_path = 0.1)
X("convnextv2_femto", "", convnext, 224, 1000, 5230000, 790000000, TIMM,
  .depths = { 4, { 2, 2, 6, 2 } }, .widths = { 4, { 48, 96, 192, 384 } }, .grn = true,
  .drop_path = 0.1)
X("convnextv2_pico", "", convnext, 224, 1000, 9070000, 1370000000, TIMM,
  .depths = { 4, { 2, 2, 6, 2 } }, .widths = { 4, { 64, 128, 256, 512 } }, .grn = true,
  .drop_path = 0.1)
X("convnextv2_nano", "", convnext, 224, 1000, 15620000, 2460000000, TIMM,
  .depths = { 4, { 2, 2, 8, 2 } }, .widths = { 4, { 80, 160, 320, 640 } }, .grn = true,
  .drop_path = 0.1)
X("convnextv2_tiny", "", convnext, 224, 1000, 28640000, 4470000000, TIMM,
  .depths = { 4, { 3, 3, 9, 3 } }, .widths = { 4, { 96, 192, 384, 768 } }, .grn = true,
  .drop_path = 0.1)
X("convnextv2_small", "", convnext, 224, 1000, 50320000, 8710000000, TIMM,
  .depths = { 4, { 3, 3, 27, 3 } }, .widths = { 4, { 96, 192, 384, 768 } }, .grn = true,
  .drop_path = 0.1)
X("convnextv2_base", "", convnext, 224, 1000, 88720000, 1.538e+10, TIMM,
  .depths = { 4, { 3, 3, 27, 3 } }, .widths = { 4, { 128, 256, 512, 1024 } }, .grn = true,
  .drop_path = 0.1)
X("convnextv2_large", "", convnext, 224, 1000, 197960000, 3.44e+10, TIMM,
  .depths = { 4, { 3, 3, 27, 3 } }, .widths = { 4, { 192, 384, 768, 1536 } }, .grn = true,
  .drop_path = 0.1)
X("convnextv2_huge", "", convnext, 224, 1000, 660290000, 1.15e+11, TIMM,
  .depths = { 4, { 3, 3, 27, 3 } }, .widths = { 4, { 352, 704, 1408, 2816 } }, .grn = true,
  .drop_path = 0.1)

/* --- vit --- */
X("vit_b_16",
  "vit_base_patch16_224 deit_base_patch16_224 vit_base vit_base_patch16_384 "
  "deit_base_patch16_384 vit_base_patch16", vit, 224, 1000, 86567656, 1.756382822e+10, TV,
  .patch = 16, .hidden = 768, .layers = 12, .heads = 12, .ffn = 3072, .extra = 1)
X("vit_b_32", "vit_base_patch32_224 vit_base_patch32_384", vit, 224, 1000, 88224232, 4409186304, TV,
  .patch = 32, .hidden = 768, .layers = 12, .heads = 12, .ffn = 3072, .extra = 1)
X("vit_l_16",
  "vit_large_patch16_224 vit_large_patch16_384 vit_large",
  vit, 224, 1000, 304326632, 6.155471258e+10, TV,
  .patch = 16, .hidden = 1024, .layers = 24, .heads = 16, .ffn = 4096, .extra = 1)
X("vit_l_32",
  "vit_large_patch32_224 vit_large_patch32_384", vit, 224, 1000, 306535400, 1.537753907e+10, TV,
  .patch = 32, .hidden = 1024, .layers = 24, .heads = 16, .ffn = 4096, .extra = 1)
X("vit_h_14", "vit_huge_patch14_224 vit_huge", vit, 224, 1000, 632045800, 1.672951091e+11, TV,
  .patch = 14, .hidden = 1280, .layers = 32, .heads = 16, .ffn = 5120, .extra = 1)
X("vit_tiny_patch16_224",
  "deit_tiny_patch16_224 vit_tiny vit_tiny_patch16_384", vit, 224, 1000, 5720000, 1260000000, TIMM,
  .patch = 16, .hidden = 192, .layers = 12, .heads = 3, .ffn = 768, .extra = 1)
X("vit_small_patch16_224",
  "deit_small_patch16_224 vit_small vit_small_patch16_384",
  vit, 224, 1000, 22050000, 4610000000, TIMM,
  .patch = 16, .hidden = 384, .layers = 12, .heads = 6, .ffn = 1536, .extra = 1)
X("vit_small_patch32_224", "vit_small_patch32_384", vit, 224, 1000, 22880000, 1150000000, TIMM,
  .patch = 32, .hidden = 384, .layers = 12, .heads = 6, .ffn = 1536, .extra = 1)
X("vit_base_patch8_224", "", vit, 224, 1000, 86580000, 7.822e+10, TIMM,
  .patch = 8, .hidden = 768, .layers = 12, .heads = 12, .ffn = 3072, .extra = 1)
X("vit_large_patch14_224", "", vit, 224, 1000, 304200000, 8.108e+10, TIMM,
  .patch = 14, .hidden = 1024, .layers = 24, .heads = 16, .ffn = 4096, .extra = 1)
X("vit_small_patch16_36x1_224",
  "vit_small_patch16_18x2_224", vit, 224, 1000, 64670000, 1.371e+10, TIMM,
  .patch = 16, .hidden = 384, .layers = 36, .heads = 6, .ffn = 1536, .extra = 1, .scale = true)
X("vit_base_patch16_18x2_224", "", vit, 224, 1000, 256730000, 5.251e+10, TIMM,
  .patch = 16, .hidden = 768, .layers = 36, .heads = 12, .ffn = 3072, .extra = 1, .scale = true)
X("deit_tiny_distilled_patch16_224", "", vit, 224, 1000, 5910000, 1270000000, TIMM,
  .patch = 16, .hidden = 192, .layers = 12, .heads = 3, .ffn = 768, .extra = 2)
X("deit_small_distilled_patch16_224", "", vit, 224, 1000, 22440000, 4630000000, TIMM,
  .patch = 16, .hidden = 384, .layers = 12, .heads = 6, .ffn = 1536, .extra = 2)
X("deit_base_distilled_patch16_224",
  "deit_base_distilled_patch16_384", vit, 224, 1000, 87340000, 1.768e+10, TIMM,
  .patch = 16, .hidden = 768, .layers = 12, .heads = 12, .ffn = 3072, .extra = 2)
X("deit3_small_patch16_224", "deit3_small_patch16_384", vit, 224, 1000, 22060000, 4610000000, TIMM,
  .patch = 16, .hidden = 384, .layers = 12, .heads = 6, .ffn = 1536, .extra = 1, .scale = true,
  .drop_path = 0.1)
X("deit3_medium_patch16_224", "", vit, 224, 1000, 38850000, 8000000000, TIMM,
  .patch = 16, .hidden = 512, .layers = 12, .heads = 8, .ffn = 2048, .extra = 1, .scale = true,
  .drop_path = 0.1)
X("deit3_base_patch16_224", "deit3_base_patch16_384", vit, 224, 1000, 86590000, 1.758e+10, TIMM,
  .patch = 16, .hidden = 768, .layers = 12, .heads = 12, .ffn = 3072, .extra = 1, .scale = true,
  .drop_path = 0.1)
X("deit3_large_patch16_224", "deit3_large_patch16_384", vit, 224, 1000, 304370000, 6.16e+10, TIMM,
  .patch = 16, .hidden = 1024, .layers = 24, .heads = 16, .ffn = 4096, .extra = 1, .scale = true,
  .drop_path = 0.1)
X("deit3_huge_patch14_224", "", vit, 224, 1000, 632130000, 1.674e+11, TIMM,
  .patch = 14, .hidden = 1280, .layers = 32, .heads = 16, .ffn = 5120, .extra = 1, .scale = true,
  .drop_path = 0.1)
X("vit_huge_patch14_clip_224",
  "vit_huge_patch14_clip_336 vit_huge_patch14_clip_378", vit, 224, 1000, 632050000, 1.674e+11, TIMM,
  .patch = 14, .hidden = 1280, .layers = 32, .heads = 16, .ffn = 5120, .extra = 1, .pre_norm = true)
X("vit_base_patch16_clip_224",
  "vit_base_patch16_clip_384", vit, 224, 1000, 86570000, 1.758e+10, TIMM,
  .patch = 16, .hidden = 768, .layers = 12, .heads = 12, .ffn = 3072, .extra = 1, .pre_norm = true)
X("vit_large_patch14_clip_224",
  "vit_large_patch14_clip_336", vit, 224, 1000, 304200000, 8.108e+10, TIMM,
  .patch = 14, .hidden = 1024, .layers = 24, .heads = 16, .ffn = 4096, .extra = 1, .pre_norm = true)
X("vit_base_patch16_plus_240", "", vit, 240, 1000, 117560000, 2.741e+10, TIMM,
  .patch = 16, .hidden = 896, .layers = 12, .heads = 14, .ffn = 3584, .extra = 1, .scale = true)
X("vit_base_patch32_plus_256", "", vit, 256, 1000, 119480000, 7790000000, TIMM,
  .patch = 32, .hidden = 896, .layers = 12, .heads = 14, .ffn = 3584, .extra = 1, .scale = true)
X("vit_base_patch32_clip_224",
  "vit_base_patch32_clip_384 vit_base_patch32_clip_448", vit, 224, 1000, 88220000, 4410000000, TIMM,
  .patch = 32, .hidden = 768, .layers = 12, .heads = 12, .ffn = 3072, .extra = 1, .pre_norm = true)
X("vit_giant_patch14_224", "", vit, 224, 1000, 1012610000, 2.6718e+11, TIMM,
  .patch = 14, .hidden = 1408, .layers = 40, .heads = 16, .ffn = 6144, .extra = 1)
X("vit_giant_patch14_clip_224", "", vit, 224, 1000, 1012650000, 2.6718e+11, TIMM,
  .patch = 14, .hidden = 1408, .layers = 40, .heads = 16, .ffn = 6144, .extra = 1, .pre_norm = true)
X("vit_gigantic_patch14_224", "", vit, 224, 1000, 1844440000, 4.8395e+11, TIMM,
  .patch = 14, .hidden = 1664, .layers = 48, .heads = 16, .ffn = 8192, .extra = 1)
X("vit_base_patch16_224_miil", "", vit, 224, 1000, 86540000, 1.759e+10, TIMM,
  .patch = 16, .hidden = 768, .layers = 12, .heads = 12, .ffn = 3072, .extra = 1,
  .no_qkv_bias = true)

/* --- swin --- */
X("swin_t", "swin_tiny_patch4_window7_224", swin, 224, 1000, 28288354, 4490566656, TV,
  .dim = 96, .window = 7, .depths = { 4, { 2, 2, 6, 2 } }, .heads = { 4, { 3, 6, 12, 24 } },
  .drop_path = 0.2)
X("swin_s", "swin_small_patch4_window7_224", swin, 224, 1000, 49606258, 8740875264, TV,
  .dim = 96, .window = 7, .depths = { 4, { 2, 2, 18, 2 } }, .heads = { 4, { 3, 6, 12, 24 } },
  .drop_path = 0.3)
X("swin_b", "swin_base_patch4_window7_224", swin, 224, 1000, 87768224, 1.543094682e+10, TV,
  .dim = 128, .window = 7, .depths = { 4, { 2, 2, 18, 2 } }, .heads = { 4, { 4, 8, 16, 32 } },
  .drop_path = 0.5)
X("swin_large_patch4_window7_224", "swin_l", swin, 224, 1000, 196530000, 3.453e+10, TIMM,
  .dim = 192, .window = 7, .depths = { 4, { 2, 2, 18, 2 } }, .heads = { 4, { 6, 12, 24, 48 } },
  .drop_path = 0.5)
X("swin_base_patch4_window12_384", "", swin, 384, 1000, 87900000, 4.719e+10, TIMM,
  .dim = 128, .window = 12, .depths = { 4, { 2, 2, 18, 2 } }, .heads = { 4, { 4, 8, 16, 32 } },
  .drop_path = 0.5)
X("swin_large_patch4_window12_384", "", swin, 384, 1000, 196740000, 1.0408e+11, TIMM,
  .dim = 192, .window = 12, .depths = { 4, { 2, 2, 18, 2 } }, .heads = { 4, { 6, 12, 24, 48 } },
  .drop_path = 0.5)
X("swin_v2_t", "swinv2_tiny_window8_256", swin, 256, 1000, 28351570, 5939690496, TV,
  .dim = 96, .window = 8, .depths = { 4, { 2, 2, 6, 2 } }, .heads = { 4, { 3, 6, 12, 24 } },
  .drop_path = 0.2, .v2 = true)
X("swin_v2_s", "swinv2_small_window8_256", swin, 256, 1000, 49737442, 1.154585702e+10, TV,
  .dim = 96, .window = 8, .depths = { 4, { 2, 2, 18, 2 } }, .heads = { 4, { 3, 6, 12, 24 } },
  .drop_path = 0.3, .v2 = true)
X("swin_v2_b", "swinv2_base_window8_256", swin, 256, 1000, 87930848, 2.032513434e+10, TV,
  .dim = 128, .window = 8, .depths = { 4, { 2, 2, 18, 2 } }, .heads = { 4, { 4, 8, 16, 32 } },
  .drop_path = 0.5, .v2 = true)
X("swinv2_tiny_window16_256", "", swin, 256, 1000, 28350000, 6680000000, TIMM,
  .dim = 96, .window = 16, .depths = { 4, { 2, 2, 6, 2 } }, .heads = { 4, { 3, 6, 12, 24 } },
  .drop_path = 0.2, .v2 = true, .clip = true)
X("swinv2_small_window16_256", "", swin, 256, 1000, 49730000, 1.282e+10, TIMM,
  .dim = 96, .window = 16, .depths = { 4, { 2, 2, 18, 2 } }, .heads = { 4, { 3, 6, 12, 24 } },
  .drop_path = 0.3, .v2 = true, .clip = true)
X("swinv2_base_window16_256",
  "swinv2_base_window12to16_192to256", swin, 256, 1000, 87920000, 2.202e+10, TIMM,
  .dim = 128, .window = 16, .depths = { 4, { 2, 2, 18, 2 } }, .heads = { 4, { 4, 8, 16, 32 } },
  .drop_path = 0.5, .v2 = true, .clip = true)

/* --- maxvit --- */
X("maxvit_t", "", maxvit, 224, 1000, 30919624, 5558046720, TV,
  .stem = 64, .window = 7, .head_dim = 32, .layers = { 4, { 2, 2, 5, 2 } },
  .widths = { 4, { 64, 128, 256, 512 } }, .drop_path = 0.2)

/* --- bert --- */
X("bert_base", "bert bert_base_uncased bert_base_like", bert, 512, 0, 109514298, 0, HF,
  .layers = 12, .hidden = 768, .heads = 12, .ffn = 3072, .vocab = 30522, .positions = 512,
  .types = 2, .dropout = 0.1)
X("bert_large", "bert_large_uncased", bert, 512, 0, 335174458, 0, HF,
  .layers = 24, .hidden = 1024, .heads = 16, .ffn = 4096, .vocab = 30522, .positions = 512,
  .types = 2, .dropout = 0.1)
X("bert_base_pretraining", "", bert, 512, 0, 110106428, 0, HF,
  .layers = 12, .hidden = 768, .heads = 12, .ffn = 3072, .vocab = 30522, .positions = 512,
  .types = 2, .head = 1, .dropout = 0.1)
X("bert_large_pretraining", "mlperf_bert", bert, 512, 0, 336226108, 0, HF,
  .layers = 24, .hidden = 1024, .heads = 16, .ffn = 4096, .vocab = 30522, .positions = 512,
  .types = 2, .head = 1, .dropout = 0.1)
X("bert_base_squad", "bert_base_qa", bert, 384, 0, 108893186, 0, HF,
  .layers = 12, .hidden = 768, .heads = 12, .ffn = 3072, .vocab = 30522, .positions = 512,
  .types = 2, .head = 2, .dropout = 0.1)
X("bert_large_squad", "bert_large_qa", bert, 384, 0, 334094338, 0, HF,
  .layers = 24, .hidden = 1024, .heads = 16, .ffn = 4096, .vocab = 30522, .positions = 512,
  .types = 2, .head = 2, .dropout = 0.1)
X("bert_tiny", "", bert, 512, 0, 0, 0, HAND,
  .layers = 2, .hidden = 128, .heads = 2, .ffn = 512, .vocab = 30522, .positions = 512, .types = 2,
  .dropout = 0.1)
X("roberta_base", "roberta", bert, 512, 0, 124697433, 0, HF,
  .layers = 12, .hidden = 768, .heads = 12, .ffn = 3072, .vocab = 50265, .positions = 514,
  .types = 1, .dropout = 0.1)
X("roberta_large", "", bert, 512, 0, 355412057, 0, HF,
  .layers = 24, .hidden = 1024, .heads = 16, .ffn = 4096, .vocab = 50265, .positions = 514,
  .types = 1, .dropout = 0.1)
X("distilbert", "distilbert_base_uncased", bert, 512, 0, 66985530, 0, HF,
  .layers = 6, .hidden = 768, .heads = 12, .ffn = 3072, .vocab = 30522, .positions = 512,
  .dropout = 0.1)

/* --- gpt --- */
X("gpt2", "gpt2_small gpt2_124m", gpt, 1024, 0, 124439808, 0, HF,
  .style = EC__GPT2, .layers = 12, .hidden = 768, .heads = 12, .ffn = 3072, .vocab = 50257,
  .positions = 1024, .dropout = 0.1)
X("gpt2_medium", "gpt2_med", gpt, 1024, 0, 354823168, 0, HF,
  .style = EC__GPT2, .layers = 24, .hidden = 1024, .heads = 16, .ffn = 4096, .vocab = 50257,
  .positions = 1024, .dropout = 0.1)
X("gpt2_large", "", gpt, 1024, 0, 774030080, 0, HF,
  .style = EC__GPT2, .layers = 36, .hidden = 1280, .heads = 20, .ffn = 5120, .vocab = 50257,
  .positions = 1024, .dropout = 0.1)
X("gpt2_xl", "", gpt, 1024, 0, 1557611200, 0, HF,
  .style = EC__GPT2, .layers = 48, .hidden = 1600, .heads = 25, .ffn = 6400, .vocab = 50257,
  .positions = 1024, .dropout = 0.1)
X("gpt3_125m", "gpt3_small", gpt, 2048, 0, 0, 0, HAND,
  .style = EC__GPT2, .layers = 12, .hidden = 768, .heads = 12, .ffn = 3072, .vocab = 50257,
  .positions = 2048, .dropout = 0.1)
X("gpt3_350m", "gpt3_medium", gpt, 2048, 0, 0, 0, HAND,
  .style = EC__GPT2, .layers = 24, .hidden = 1024, .heads = 16, .ffn = 4096, .vocab = 50257,
  .positions = 2048, .dropout = 0.1)
X("gpt3_760m", "gpt3_large", gpt, 2048, 0, 0, 0, HAND,
  .style = EC__GPT2, .layers = 24, .hidden = 1536, .heads = 16, .ffn = 6144, .vocab = 50257,
  .positions = 2048, .dropout = 0.1)
X("gpt3_1_3b", "", gpt, 2048, 0, 0, 0, HAND,
  .style = EC__GPT2, .layers = 24, .hidden = 2048, .heads = 16, .ffn = 8192, .vocab = 50257,
  .positions = 2048, .dropout = 0.1)
X("gpt3_2_7b", "gpt3_27", gpt, 2048, 0, 0, 0, HAND,
  .style = EC__GPT2, .layers = 32, .hidden = 2560, .heads = 32, .ffn = 10240, .vocab = 50257,
  .positions = 2048, .dropout = 0.1)
X("gpt3_xl", "", gpt, 2048, 0, 0, 0, HAND,
  .style = EC__GPT2, .layers = 24, .hidden = 3072, .heads = 24, .ffn = 12288, .vocab = 50257,
  .positions = 2048, .dropout = 0.1)
X("gpt3_6_7b", "gpt3_67", gpt, 2048, 0, 0, 0, HAND,
  .style = EC__GPT2, .layers = 32, .hidden = 4096, .heads = 32, .ffn = 16384, .vocab = 50257,
  .positions = 2048, .dropout = 0.1)
X("gpt3_13b", "gpt3_13", gpt, 2048, 0, 0, 0, HAND,
  .style = EC__GPT2, .layers = 40, .hidden = 5120, .heads = 40, .ffn = 20480, .vocab = 50257,
  .positions = 2048, .dropout = 0.1)
X("gpt3_175b", "gpt3", gpt, 2048, 0, 0, 0, HAND,
  .style = EC__GPT2, .layers = 96, .hidden = 12288, .heads = 96, .ffn = 49152, .vocab = 50257,
  .positions = 2048, .dropout = 0.1)
X("opt_125m", "", gpt, 2048, 0, 125239296, 0, HF,
  .style = EC__OPT, .layers = 12, .hidden = 768, .heads = 12, .ffn = 3072, .vocab = 50272,
  .positions = 2048, .dropout = 0.1)
X("opt_1_3b", "opt_13", gpt, 2048, 0, 1315758080, 0, HF,
  .style = EC__OPT, .layers = 24, .hidden = 2048, .heads = 32, .ffn = 8192, .vocab = 50272,
  .positions = 2048, .dropout = 0.1)
X("opt_2_7b", "", gpt, 2048, 0, 2651596800, 0, HF,
  .style = EC__OPT, .layers = 32, .hidden = 2560, .heads = 32, .ffn = 10240, .vocab = 50272,
  .positions = 2048, .dropout = 0.1)
X("opt_6_7b", "", gpt, 2048, 0, 6658473984, 0, HF,
  .style = EC__OPT, .layers = 32, .hidden = 4096, .heads = 32, .ffn = 16384, .vocab = 50272,
  .positions = 2048, .dropout = 0.1)
X("mpt_125m", "", gpt, 2048, 0, 125311488, 0, PAPER,
  .style = EC__MPT, .layers = 12, .hidden = 768, .heads = 12, .ffn = 3072, .vocab = 50368,
  .flash = true)
X("mpt_350m", "", gpt, 2048, 0, 355985408, 0, PAPER,
  .style = EC__MPT, .layers = 24, .hidden = 1024, .heads = 16, .ffn = 4096, .vocab = 50368,
  .flash = true)
X("mpt_760m", "", gpt, 2048, 0, 0, 0, HAND,
  .style = EC__MPT, .layers = 24, .hidden = 1536, .heads = 12, .ffn = 6144, .vocab = 50368,
  .flash = true)
X("mpt_1b", "", gpt, 2048, 0, 1315950592, 0, PAPER,
  .style = EC__MPT, .layers = 24, .hidden = 2048, .heads = 16, .ffn = 8192, .vocab = 50368,
  .flash = true)
X("mpt_3b", "", gpt, 2048, 0, 2651837440, 0, PAPER,
  .style = EC__MPT, .layers = 32, .hidden = 2560, .heads = 20, .ffn = 10240, .vocab = 50368,
  .flash = true)
X("mpt_7b", "", gpt, 2048, 0, 0, 0, HAND,
  .style = EC__MPT, .layers = 32, .hidden = 4096, .heads = 32, .ffn = 16384, .vocab = 50368,
  .flash = true)
X("mpt_13b", "", gpt, 2048, 0, 12853954560, 0, PAPER,
  .style = EC__MPT, .layers = 40, .hidden = 5120, .heads = 40, .ffn = 20480, .vocab = 50368,
  .flash = true)
X("mpt_30b", "", gpt, 2048, 0, 29975214080, 0, PAPER,
  .style = EC__MPT, .layers = 48, .hidden = 7168, .heads = 56, .ffn = 28672, .vocab = 50368,
  .flash = true)
X("mpt_70b", "", gpt, 2048, 0, 0, 0, HAND,
  .style = EC__MPT, .layers = 80, .hidden = 8192, .heads = 64, .ffn = 32768, .vocab = 50368,
  .flash = true)

/* --- llama --- */
X("llama3_8b", "llama llama3.1_8b meta_llama_3_8b", llama, 8192, 0, 8030261248, 0, HF,
  .layers = 32, .hidden = 4096, .heads = 32, .kv_heads = 8, .ffn = 14336, .vocab = 128256,
  .flash = true)
X("llama3_70b", "llama3.1_70b", llama, 8192, 0, 70553706496, 0, HF,
  .layers = 80, .hidden = 8192, .heads = 64, .kv_heads = 8, .ffn = 28672, .vocab = 128256,
  .flash = true)
X("llama3.2_1b", "", llama, 8192, 0, 1235814400, 0, HF,
  .layers = 16, .hidden = 2048, .heads = 32, .kv_heads = 8, .ffn = 8192, .vocab = 128256,
  .tied = true, .flash = true)
X("llama3.2_3b", "", llama, 8192, 0, 3212749824, 0, HF,
  .layers = 28, .hidden = 3072, .heads = 24, .kv_heads = 8, .ffn = 8192, .vocab = 128256,
  .tied = true, .flash = true)
X("llama2_7b", "llama_7b", llama, 4096, 0, 6738415616, 0, HF,
  .layers = 32, .hidden = 4096, .heads = 32, .kv_heads = 32, .ffn = 11008, .vocab = 32000,
  .flash = true)
X("llama2_13b", "llama_13b", llama, 4096, 0, 13015864320, 0, HF,
  .layers = 40, .hidden = 5120, .heads = 40, .kv_heads = 40, .ffn = 13824, .vocab = 32000,
  .flash = true)
X("llama2_70b", "", llama, 4096, 0, 68976648192, 0, HF,
  .layers = 80, .hidden = 8192, .heads = 64, .kv_heads = 8, .ffn = 28672, .vocab = 32000,
  .flash = true)
X("mistral_7b", "", llama, 4096, 0, 7241732096, 0, HF,
  .layers = 32, .hidden = 4096, .heads = 32, .kv_heads = 8, .ffn = 14336, .vocab = 32000,
  .flash = true)
X("qwen2_7b", "qwen2.5_7b", llama, 4096, 0, 7615616512, 0, HF,
  .layers = 28, .hidden = 3584, .heads = 28, .kv_heads = 4, .ffn = 18944, .vocab = 152064,
  .qkv_bias = true, .flash = true)
X("tinyllama_1_1b", "tinyllama", llama, 2048, 0, 1100048384, 0, HF,
  .layers = 22, .hidden = 2048, .heads = 32, .kv_heads = 4, .ffn = 5632, .vocab = 32000,
  .flash = true)

/* --- seq2seq --- */
X("transformer_base", "transformer", seq2seq, 64, 0, 0, 0, HAND,
  .style = EC__TRANSFORMER, .layers = 6, .hidden = 512, .heads = 8, .head_dim = 64, .ffn = 2048,
  .vocab = 37000, .dropout = 0.1)
X("transformer_big", "mlperf_transformer", seq2seq, 64, 0, 0, 0, HAND,
  .style = EC__TRANSFORMER, .layers = 6, .hidden = 1024, .heads = 16, .head_dim = 64, .ffn = 4096,
  .vocab = 33708, .dropout = 0.1)
X("t5_small", "", seq2seq, 512, 0, 60506624, 0, HF,
  .style = EC__T5, .layers = 6, .hidden = 512, .heads = 8, .head_dim = 64, .ffn = 2048,
  .vocab = 32128, .dropout = 0.1)
X("t5_base", "", seq2seq, 512, 0, 222903552, 0, HF,
  .style = EC__T5, .layers = 12, .hidden = 768, .heads = 12, .head_dim = 64, .ffn = 3072,
  .vocab = 32128, .dropout = 0.1)
X("t5_large", "", seq2seq, 512, 0, 737668096, 0, HF,
  .style = EC__T5, .layers = 24, .hidden = 1024, .heads = 16, .head_dim = 64, .ffn = 4096,
  .vocab = 32128, .dropout = 0.1)
X("t5_3b", "", seq2seq, 512, 0, 2851598336, 0, HF,
  .style = EC__T5, .layers = 24, .hidden = 1024, .heads = 32, .head_dim = 128, .ffn = 16384,
  .vocab = 32128, .dropout = 0.1)
X("t5_v1_1_base", "", seq2seq, 512, 0, 247577856, 0, HF,
  .style = EC__T5, .layers = 12, .hidden = 768, .heads = 12, .head_dim = 64, .ffn = 2048,
  .vocab = 32128, .gated = true, .untied = true, .dropout = 0.1)
X("switch_xl_4", "switchxl4", seq2seq, 512, 0, 0, 0, HAND,
  .style = EC__T5, .layers = 24, .hidden = 1024, .heads = 32, .head_dim = 128, .ffn = 16384,
  .vocab = 32128, .experts = 4, .sparse_step = 2, .capacity = 64, .dropout = 0.1)

/* --- rnn_lm --- */
X("lstm_lm", "lstm", rnn_lm, 35, 0, 13987678, 0, HAND,
  .cell = 1, .vocab = 33278, .embed = 200, .hidden = 200, .layers = 2, .dropout = 0.2)
X("gru_lm", "gru", rnn_lm, 35, 0, 0, 0, HAND,
  .cell = 2, .vocab = 33278, .embed = 200, .hidden = 200, .layers = 2, .dropout = 0.2)
X("rnn_lm", "rnn", rnn_lm, 35, 0, 0, 0, HAND,
  .cell = 0, .vocab = 33278, .embed = 200, .hidden = 200, .layers = 2, .dropout = 0.2)

/* clang-format on */
