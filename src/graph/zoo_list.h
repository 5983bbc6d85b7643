/* Every built-in network, family by family:
 *
 *   X(name, aliases, family, size, classes, params, mac, source, variant...)
 *
 * size is the image side or the sequence length; params and mac (forward, one sample of that size)
 * are published figures and where they come from, 0 when there are none. Adding a network is one
 * line here; the table test holds it to its figures. Included twice. */
/* clang-format off */

/* Stages of inverted residuals; notation in zoo_mobile_stage.c. */
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
    "cn_r2_k3_s1_c24_skip er_r4_k3_s2_e4_c48 er_r4_k3_s2_e4_c64 ir_r6_k3_s2_e4_c128_se0.25 "       \
    "ir_r9_k3_s1_e6_c160_se0.25 ir_r15_k3_s2_e6_c256_se0.25"
#define EFFICIENTNET_V2_M                                                                          \
    "cn_r3_k3_s1_c24_skip er_r5_k3_s2_e4_c48 er_r5_k3_s2_e4_c80 ir_r7_k3_s2_e4_c160_se0.25 "       \
    "ir_r14_k3_s1_e6_c176_se0.25 ir_r18_k3_s2_e6_c304_se0.25 ir_r5_k3_s1_e6_c512_se0.25"
#define EFFICIENTNET_V2_L                                                                          \
    "cn_r4_k3_s1_c32_skip er_r7_k3_s2_e4_c64 er_r7_k3_s2_e4_c96 ir_r10_k3_s2_e4_c192_se0.25 "      \
    "ir_r19_k3_s1_e6_c224_se0.25 ir_r25_k3_s2_e6_c384_se0.25 ir_r7_k3_s1_e6_c640_se0.25"
#define EFFICIENTNET_V2_XL                                                                         \
    "cn_r4_k3_s1_c32_skip er_r8_k3_s2_e4_c64 er_r8_k3_s2_e4_c96 ir_r16_k3_s2_e4_c192_se0.25 "      \
    "ir_r24_k3_s1_e6_c256_se0.25 ir_r32_k3_s2_e6_c512_se0.25 ir_r8_k3_s1_e6_c640_se0.25"
#define EFFICIENTNET_V2_B                                                                          \
    "cn_r1_k3_s1_c16_skip er_r2_k3_s2_e4_c32 er_r2_k3_s2_e4_c48 ir_r3_k3_s2_e4_c96_se0.25 "        \
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

/* Stages of further mobile networks */
#define EFFICIENTNET_B1_PRUNED                                                                     \
    "ds_r1_k3_s1_c16_q8 ds_r1_k3_s1_c16_q4 ir_r1_k3_s2_m48_q4_c12 ir_r1_k3_s1_m62_q6_c12 "         \
    "ir_r1_k3_s1_m48_q6_c12 ir_r1_k5_s2_m70_q6_c35 ir_r1_k5_s1_m61_q10_c35 "                       \
    "ir_r1_k5_s1_m51_q10_c35 ir_r1_k3_s2_m175_q10_c74 ir_r1_k3_s1_m188_q20_c74 "                   \
    "ir_r1_k3_s1_m137_q20_c74 ir_r1_k3_s1_m164_q20_c74 ir_r1_k5_s1_m399_q20_c67 "                  \
    "ir_r1_k5_s1_m201_q28_c67 ir_r1_k5_s1_m160_q28_c67 ir_r1_k5_s1_m213_q28_c67 "                  \
    "ir_r1_k5_s2_m637_q27_c192 ir_r1_k5_s1_m806_q48_c192 ir_r1_k5_s1_m798_q48_c192 "               \
    "ir_r1_k5_s1_m891_q48_c192 ir_r1_k5_s1_m990_q48_c192 ir_r1_k3_s1_m1152_q48_c320 "              \
    "ir_r1_k3_s1_m1912_q80_c320"
#define EFFICIENTNET_B2_PRUNED                                                                     \
    "ds_r1_k3_s1_c16_q8 ds_r1_k3_s1_c16_q4 ir_r1_k3_s2_m54_q4_c17 ir_r1_k3_s1_m69_q6_c17 "         \
    "ir_r1_k3_s1_m61_q6_c17 ir_r1_k5_s2_m86_q6_c42 ir_r1_k5_s1_m72_q12_c42 "                       \
    "ir_r1_k5_s1_m98_q12_c42 ir_r1_k3_s2_m245_q12_c85 ir_r1_k3_s1_m274_q22_c85 "                   \
    "ir_r1_k3_s1_m254_q22_c85 ir_r1_k3_s1_m292_q22_c85 ir_r1_k5_s1_m502_q22_c116 "                 \
    "ir_r1_k5_s1_m315_q30_c116 ir_r1_k5_s1_m354_q30_c116 ir_r1_k5_s1_m443_q30_c116 "               \
    "ir_r1_k5_s2_m719_q30_c208 ir_r1_k5_s1_m1148_q52_c208 ir_r1_k5_s1_m1160_q52_c208 "             \
    "ir_r1_k5_s1_m1182_q52_c208 ir_r1_k5_s1_m1228_q52_c208 ir_r1_k3_s1_m1248_q52_c352 "            \
    "ir_r1_k3_s1_m2112_q88_c352"
#define EFFICIENTNET_B3_PRUNED                                                                     \
    "ds_r1_k3_s1_c24_q10 ds_r1_k3_s1_c24_q6 ir_r1_k3_s2_m27_q6_c12 ir_r1_k3_s1_m49_q8_c12 "        \
    "ir_r1_k3_s1_m48_q8_c12 ir_r1_k5_s2_m83_q8_c40 ir_r1_k5_s1_m90_q12_c40 "                       \
    "ir_r1_k5_s1_m85_q12_c40 ir_r1_k3_s2_m215_q12_c93 ir_r1_k3_s1_m261_q24_c93 "                   \
    "ir_r1_k3_s1_m219_q24_c93 ir_r1_k3_s1_m254_q24_c93 ir_r1_k3_s1_m236_q24_c93 "                  \
    "ir_r1_k5_s1_m480_q24_c120 ir_r1_k5_s1_m235_q34_c120 ir_r1_k5_s1_m217_q34_c120 "               \
    "ir_r1_k5_s1_m226_q33_c120 ir_r1_k5_s1_m340_q34_c120 ir_r1_k5_s2_m802_q34_c232 "               \
    "ir_r1_k5_s1_m1030_q58_c232 ir_r1_k5_s1_m924_q58_c232 ir_r1_k5_s1_m1016_q58_c232 "             \
    "ir_r1_k5_s1_m1130_q58_c232 ir_r1_k5_s1_m1266_q58_c232 ir_r1_k3_s1_m1392_q58_c384 "            \
    "ir_r1_k3_s1_m2301_q96_c384"
#define EFFICIENTNET_V2_RW_M                                                                       \
    "er_r3_k3_s1_e1_c24 er_r5_k3_s2_e4_c48 er_r5_k3_s2_e4_c64 ir_r8_k3_s2_e4_c128_se0.25 "         \
    "ir_r15_k3_s1_e6_c160_se0.25 ir_r24_k3_s2_e6_c272_se0.25"
#define EFFICIENTNET_X                                                                             \
    "ds_r1_k3_s1_e1_c16_se0.25_d1 er_r2_k3_s2_e6_c24_se0.25_nre er_r2_k5_s2_e6_c40_se0.25_nre "    \
    "ir_r3_k3_s2_e6_c80_se0.25 ir_r3_k5_s1_e6_c112_se0.25 ir_r4_k5_s2_e6_c192_se0.25 "             \
    "ir_r1_k3_s1_e6_c320_se0.25"
#define EFFICIENTNET_H                                                                             \
    "ds_r1_k3_s1_e1_c16_se0.25_d1 er_r2_k3_s2_e4_c24_se0.25_nre er_r2_k5_s2_e4_c40_se0.25_nre "    \
    "ir_r3_k3_s2_e4_c80_se0.25 ir_r3_k5_s1_e6_c112_se0.25 ir_r4_k5_s2_e6_c192_se0.25 "             \
    "ir_r1_k3_s1_e6_c320_se0.25"
#define EFFICIENTNET_CC4                                                                           \
    "ds_r1_k3_s1_e1_c16_se0.25 ir_r2_k3_s2_e6_c24_se0.25 ir_r2_k5_s2_e6_c40_se0.25 "               \
    "ir_r3_k3_s2_e6_c80_se0.25 ir_r3_k5_s1_e6_c112_se0.25_cc4 ir_r4_k5_s2_e6_c192_se0.25_cc4 "     \
    "ir_r1_k3_s1_e6_c320_se0.25_cc4"
#define EFFICIENTNET_CC8                                                                           \
    "ds_r1_k3_s1_e1_c16_se0.25 ir_r2_k3_s2_e6_c24_se0.25 ir_r2_k5_s2_e6_c40_se0.25 "               \
    "ir_r3_k3_s2_e6_c80_se0.25 ir_r3_k5_s1_e6_c112_se0.25_cc8 ir_r4_k5_s2_e6_c192_se0.25_cc8 "     \
    "ir_r1_k3_s1_e6_c320_se0.25_cc8"
#define TEST_EFFICIENTNET                                                                          \
    "cn_r1_k3_s1_c16_skip er_r1_k3_s2_e4_c24 er_r1_k3_s2_e4_c32 ir_r1_k3_s2_e4_c48_se0.25 "        \
    "ir_r1_k3_s2_e4_c64_se0.25"
#define HARDCORENAS_A                                                                              \
    "ds_r1_k3_s1_e1_c16_nre ir_r1_k5_s2_e3_c24_nre ir_r1_k5_s1_e3_c24_nre_se0.25 "                 \
    "ir_r1_k5_s2_e3_c40_nre ir_r1_k5_s1_e6_c40_nre_se0.25 ir_r1_k5_s2_e6_c80_se0.25 "              \
    "ir_r1_k5_s1_e6_c80_se0.25 ir_r2_k5_s1_e6_c112_se0.25 ir_r1_k5_s2_e6_c192_se0.25 "             \
    "ir_r1_k5_s1_e6_c192_se0.25 cn_r1_k1_s1_c960"
#define HARDCORENAS_B                                                                              \
    "ds_r1_k3_s1_e1_c16_nre ir_r1_k5_s2_e3_c24_nre ir_r1_k5_s1_e3_c24_nre_se0.25 "                 \
    "ir_r1_k3_s1_e3_c24_nre ir_r1_k5_s2_e3_c40_nre ir_r2_k5_s1_e3_c40_nre ir_r1_k5_s2_e3_c80 "     \
    "ir_r1_k5_s1_e3_c80 ir_r2_k3_s1_e3_c80 ir_r1_k5_s1_e3_c112 ir_r3_k3_s1_e3_c112 "               \
    "ir_r1_k5_s2_e6_c192_se0.25 ir_r1_k5_s1_e6_c192_se0.25 ir_r1_k3_s1_e3_c192_se0.25 "            \
    "cn_r1_k1_s1_c960"
#define HARDCORENAS_C                                                                              \
    "ds_r1_k3_s1_e1_c16_nre ir_r1_k5_s2_e3_c24_nre ir_r1_k5_s1_e3_c24_nre_se0.25 "                 \
    "ir_r1_k5_s2_e3_c40_nre ir_r3_k5_s1_e3_c40_nre ir_r1_k5_s2_e4_c80 "                            \
    "ir_r1_k5_s1_e6_c80_se0.25 ir_r2_k3_s1_e3_c80 ir_r1_k5_s1_e6_c112_se0.25 "                     \
    "ir_r3_k3_s1_e3_c112 ir_r1_k5_s2_e6_c192_se0.25 ir_r1_k5_s1_e6_c192_se0.25 "                   \
    "ir_r1_k3_s1_e3_c192_se0.25 cn_r1_k1_s1_c960"
#define HARDCORENAS_D                                                                              \
    "ds_r1_k3_s1_e1_c16_nre ir_r1_k5_s2_e3_c24_nre_se0.25 ir_r1_k5_s1_e3_c24_nre_se0.25 "          \
    "ir_r1_k5_s2_e3_c40_nre_se0.25 ir_r1_k5_s1_e4_c40_nre_se0.25 "                                 \
    "ir_r1_k3_s1_e3_c40_nre_se0.25 ir_r1_k5_s2_e4_c80_se0.25 ir_r3_k3_s1_e3_c80_se0.25 "           \
    "ir_r1_k3_s1_e4_c112_se0.25 ir_r1_k5_s1_e4_c112_se0.25 ir_r1_k3_s1_e3_c112_se0.25 "            \
    "ir_r1_k5_s1_e3_c112_se0.25 ir_r1_k5_s2_e6_c192_se0.25 ir_r2_k5_s1_e6_c192_se0.25 "            \
    "ir_r1_k3_s1_e6_c192_se0.25 cn_r1_k1_s1_c960"
#define HARDCORENAS_E                                                                              \
    "ds_r1_k3_s1_e1_c16_nre ir_r1_k5_s2_e3_c24_nre_se0.25 ir_r1_k5_s1_e3_c24_nre_se0.25 "          \
    "ir_r1_k5_s2_e6_c40_nre_se0.25 ir_r2_k5_s1_e4_c40_nre_se0.25 "                                 \
    "ir_r1_k3_s1_e3_c40_nre_se0.25 ir_r1_k5_s2_e4_c80_se0.25 ir_r1_k3_s1_e6_c80_se0.25 "           \
    "ir_r3_k5_s1_e6_c112_se0.25 ir_r1_k5_s1_e3_c112_se0.25 ir_r1_k5_s2_e6_c192_se0.25 "            \
    "ir_r2_k5_s1_e6_c192_se0.25 ir_r1_k3_s1_e6_c192_se0.25 cn_r1_k1_s1_c960"
#define HARDCORENAS_F                                                                              \
    "ds_r1_k3_s1_e1_c16_nre ir_r1_k5_s2_e3_c24_nre_se0.25 ir_r1_k5_s1_e3_c24_nre_se0.25 "          \
    "ir_r1_k5_s2_e6_c40_nre_se0.25 ir_r1_k5_s1_e6_c40_nre_se0.25 ir_r1_k5_s2_e6_c80_se0.25 "       \
    "ir_r1_k5_s1_e6_c80_se0.25 ir_r2_k3_s1_e3_c80_se0.25 ir_r1_k3_s1_e6_c112_se0.25 "              \
    "ir_r2_k5_s1_e6_c112_se0.25 ir_r1_k3_s1_e3_c112_se0.25 ir_r1_k5_s2_e6_c192_se0.25 "            \
    "ir_r1_k5_s1_e6_c192_se0.25 ir_r2_k3_s1_e6_c192_se0.25 cn_r1_k1_s1_c960"
#define MOBILEVIT_XXS                                                                              \
    "ir_r1_k3_s1_e2_c16 ir_r3_k3_s2_e2_c24 ir_r1_k3_s2_e2_c48 mvit_t2_h4_d64_c48 "                 \
    "ir_r1_k3_s2_e2_c64 mvit_t4_h4_d80_c64 ir_r1_k3_s2_e2_c80 mvit_t3_h4_d96_c80"
#define MOBILEVIT_XS                                                                               \
    "ir_r1_k3_s1_e4_c32 ir_r3_k3_s2_e4_c48 ir_r1_k3_s2_e4_c64 mvit_t2_h4_d96_c64 "                 \
    "ir_r1_k3_s2_e4_c80 mvit_t4_h4_d120_c80 ir_r1_k3_s2_e4_c96 mvit_t3_h4_d144_c96"
#define MOBILEVIT_S                                                                                \
    "ir_r1_k3_s1_e4_c32 ir_r3_k3_s2_e4_c64 ir_r1_k3_s2_e4_c96 mvit_t2_h4_d144_c96 "                \
    "ir_r1_k3_s2_e4_c128 mvit_t4_h4_d192_c128 ir_r1_k3_s2_e4_c160 mvit_t3_h4_d240_c160"
#define SEMOBILEVIT_S                                                                              \
    "ir_r1_k3_s1_e4_c32_se0.125 ir_r3_k3_s2_e4_c64_se0.125 ir_r1_k3_s2_e4_c96_se0.125 "            \
    "mvit_t2_h4_d144_c96 ir_r1_k3_s2_e4_c128_se0.125 mvit_t4_h4_d192_c128 "                        \
    "ir_r1_k3_s2_e4_c160_se0.125 mvit_t3_h4_d240_c160"
#define MOBILEVIT_V2                                                                               \
    "ir_r1_k3_s1_e2_c64 ir_r2_k3_s2_e2_c128 ir_r1_k3_s2_e2_c256 mvit2_t2_c256 "                    \
    "ir_r1_k3_s2_e2_c384 mvit2_t4_c384 ir_r1_k3_s2_e2_c512 mvit2_t3_c512"
#define EDGETPU                                                                                    \
    "cn_r1_k1_s1_c16 er_r1_k3_s2_e8_c32 er_r3_k3_s1_e4_c32 er_r1_k3_s2_e8_c48 "                    \
    "er_r3_k3_s1_e4_c48 ir_r1_k3_s2_e8_c96 ir_r3_k3_s1_e4_c96 ir_r1_k3_s1_e8_c96_noskip "          \
    "ir_r3_k3_s1_e4_c96 ir_r1_k5_s2_e8_c160 ir_r3_k5_s1_e4_c160 ir_r1_k3_s1_e8_c192"
#define EDGETPU_V2_XS                                                                              \
    "cn_r1_k1_s1_c16 er_r1_k3_s2_e8_c32 er_r1_k3_s1_e4_gs64_c32 er_r1_k3_s2_e8_c48 "               \
    "er_r1_k3_s1_e4_gs64_c48 er_r1_k3_s1_e4_c48 er_r1_k3_s1_e4_gs64_c48 er_r1_k3_s2_e8_c96 "       \
    "ir_r3_k3_s1_e4_c96 ir_r1_k3_s1_e8_c144 ir_r3_k3_s1_e4_c144 ir_r1_k3_s2_e8_c160 "              \
    "ir_r3_k3_s1_e4_c160 ir_r1_k3_s1_e8_c192"
#define EDGETPU_V2_S                                                                               \
    "cn_r1_k1_s1_c24 er_r1_k3_s2_e8_c48 er_r1_k3_s1_e4_gs64_c48 er_r1_k3_s2_e8_c64 "               \
    "er_r1_k3_s1_e4_gs64_c64 er_r1_k3_s1_e4_c64 er_r1_k3_s1_e4_gs64_c64 er_r1_k3_s2_e8_c128 "      \
    "ir_r3_k3_s1_e4_c128 ir_r1_k3_s1_e8_c160 ir_r3_k3_s1_e4_c160 ir_r1_k3_s2_e8_c192 "             \
    "ir_r3_k3_s1_e4_c192 ir_r1_k3_s1_e8_c256"
#define EDGETPU_V2_M                                                                               \
    "cn_r1_k1_s1_c32 er_r1_k3_s2_e8_c64 er_r1_k3_s1_e4_gs64_c64 er_r1_k3_s2_e8_c80 "               \
    "er_r1_k3_s1_e4_gs64_c80 er_r1_k3_s1_e4_c80 er_r1_k3_s1_e4_gs64_c80 er_r1_k3_s2_e8_c160 "      \
    "ir_r3_k3_s1_e4_c160 ir_r1_k3_s1_e8_c192 ir_r3_k3_s1_e4_c192 ir_r1_k3_s2_e8_c240 "             \
    "ir_r3_k3_s1_e4_c240 ir_r1_k3_s1_e8_c320"
#define EDGETPU_V2_L                                                                               \
    "cn_r1_k1_s1_c32 er_r1_k3_s2_e8_c64 er_r1_k3_s1_e4_gs128_c64 er_r1_k3_s2_e8_c96 "              \
    "er_r1_k3_s1_e4_gs128_c96 er_r1_k3_s1_e4_c96 er_r1_k3_s1_e4_gs128_c96 er_r1_k3_s2_e8_c192 "    \
    "ir_r3_k3_s1_e4_c192 ir_r1_k3_s1_e8_c240 ir_r3_k3_s1_e4_c240 ir_r1_k3_s2_e8_c256 "             \
    "ir_r3_k3_s1_e4_c256 ir_r1_k3_s1_e8_c384"
#define MOBILENET_V3_LARGE_150D                                                                    \
    "ds_r2_k3_s1_e1_c16_nre ir_r1_k3_s2_e4_c24_nre ir_r2_k3_s1_e3_c24_nre "                        \
    "ir_r4_k5_s2_e3_c40_se0.25_nre ir_r1_k3_s2_e6_c80 ir_r2_k3_s1_e2.5_c80 "                       \
    "ir_r2_k3_s1_e2.3_c80 ir_r3_k3_s1_e6_c112_se0.25 ir_r4_k5_s2_e6_c160_se0.25 "                  \
    "cn_r2_k1_s1_c960"
#define MOBILENET_V4_SMALL                                                                         \
    "cn_r1_k3_s2_c32 cn_r1_k1_s1_c32 cn_r1_k3_s2_c96 cn_r1_k1_s1_c64 uir_r1_a5_k5_s2_e3_c96 "      \
    "uir_r4_a0_k3_s1_e2_c96 uir_r1_a3_k0_s1_e4_c96 uir_r1_a3_k3_s2_e6_c128 "                       \
    "uir_r1_a5_k5_s1_e4_c128 uir_r1_a0_k5_s1_e4_c128 uir_r1_a0_k5_s1_e3_c128 "                     \
    "uir_r2_a0_k3_s1_e4_c128 cn_r1_k1_s1_c960"
#define MOBILENET_V4_MEDIUM                                                                        \
    "er_r1_k3_s2_e4_c48 uir_r1_a3_k5_s2_e4_c80 uir_r1_a3_k3_s1_e2_c80 uir_r1_a3_k5_s2_e6_c160 "    \
    "uir_r2_a3_k3_s1_e4_c160 uir_r1_a3_k5_s1_e4_c160 uir_r1_a3_k3_s1_e4_c160 "                     \
    "uir_r1_a3_k0_s1_e4_c160 uir_r1_a0_k0_s1_e2_c160 uir_r1_a3_k0_s1_e4_c160 "                     \
    "uir_r1_a5_k5_s2_e6_c256 uir_r1_a5_k5_s1_e4_c256 uir_r2_a3_k5_s1_e4_c256 "                     \
    "uir_r1_a0_k0_s1_e4_c256 uir_r1_a3_k0_s1_e4_c256 uir_r1_a3_k5_s1_e2_c256 "                     \
    "uir_r1_a5_k5_s1_e4_c256 uir_r2_a0_k0_s1_e4_c256 uir_r1_a5_k0_s1_e2_c256 cn_r1_k1_s1_c960"
#define MOBILENET_V4_LARGE                                                                         \
    "er_r1_k3_s2_e4_c48 uir_r1_a3_k5_s2_e4_c96 uir_r1_a3_k3_s1_e4_c96 uir_r1_a3_k5_s2_e4_c192 "    \
    "uir_r3_a3_k3_s1_e4_c192 uir_r1_a3_k5_s1_e4_c192 uir_r5_a5_k3_s1_e4_c192 "                     \
    "uir_r1_a3_k0_s1_e4_c192 uir_r4_a5_k5_s2_e4_c512 uir_r1_a5_k0_s1_e4_c512 "                     \
    "uir_r1_a5_k3_s1_e4_c512 uir_r2_a5_k0_s1_e4_c512 uir_r1_a5_k3_s1_e4_c512 "                     \
    "uir_r1_a5_k5_s1_e4_c512 uir_r3_a5_k0_s1_e4_c512 cn_r1_k1_s1_c960"
#define MOBILENET_V4_HYBRID_MEDIUM                                                                 \
    "er_r1_k3_s2_e4_c48 uir_r1_a3_k5_s2_e4_c80 uir_r1_a3_k3_s1_e2_c80 uir_r1_a3_k5_s2_e6_c160 "    \
    "uir_r1_a0_k0_s1_e2_c160 uir_r1_a3_k3_s1_e4_c160 uir_r1_a3_k5_s1_e4_c160 "                     \
    "mqa_r1_k3_h4_s1_v2_d64_c160 uir_r1_a3_k3_s1_e4_c160 mqa_r1_k3_h4_s1_v2_d64_c160 "             \
    "uir_r1_a3_k0_s1_e4_c160 mqa_r1_k3_h4_s1_v2_d64_c160 uir_r1_a3_k3_s1_e4_c160 "                 \
    "mqa_r1_k3_h4_s1_v2_d64_c160 uir_r1_a3_k0_s1_e4_c160 uir_r1_a5_k5_s2_e6_c256 "                 \
    "uir_r1_a5_k5_s1_e4_c256 uir_r2_a3_k5_s1_e4_c256 uir_r1_a0_k0_s1_e2_c256 "                     \
    "uir_r1_a3_k5_s1_e2_c256 uir_r1_a0_k0_s1_e2_c256 uir_r1_a0_k0_s1_e4_c256 "                     \
    "mqa_r1_k3_h4_s1_d64_c256 uir_r1_a3_k0_s1_e4_c256 mqa_r1_k3_h4_s1_d64_c256 "                   \
    "uir_r1_a5_k5_s1_e4_c256 mqa_r1_k3_h4_s1_d64_c256 uir_r1_a5_k0_s1_e4_c256 "                    \
    "mqa_r1_k3_h4_s1_d64_c256 uir_r1_a5_k0_s1_e4_c256 cn_r1_k1_s1_c960"
#define MOBILENET_V4_HYBRID_LARGE                                                                  \
    "er_r1_k3_s2_e4_c48 uir_r1_a3_k5_s2_e4_c96 uir_r1_a3_k3_s1_e4_c96 uir_r1_a3_k5_s2_e4_c192 "    \
    "uir_r3_a3_k3_s1_e4_c192 uir_r1_a3_k5_s1_e4_c192 uir_r2_a5_k3_s1_e4_c192 "                     \
    "mqa_r1_k3_h8_s1_v2_d48_c192 uir_r1_a5_k3_s1_e4_c192 mqa_r1_k3_h8_s1_v2_d48_c192 "             \
    "uir_r1_a5_k3_s1_e4_c192 mqa_r1_k3_h8_s1_v2_d48_c192 uir_r1_a5_k3_s1_e4_c192 "                 \
    "mqa_r1_k3_h8_s1_v2_d48_c192 uir_r1_a3_k0_s1_e4_c192 uir_r4_a5_k5_s2_e4_c512 "                 \
    "uir_r1_a5_k0_s1_e4_c512 uir_r1_a5_k3_s1_e4_c512 uir_r2_a5_k0_s1_e4_c512 "                     \
    "uir_r1_a5_k3_s1_e4_c512 uir_r1_a5_k5_s1_e4_c512 mqa_r1_k3_h8_s1_d64_c512 "                    \
    "uir_r1_a5_k0_s1_e4_c512 mqa_r1_k3_h8_s1_d64_c512 uir_r1_a5_k0_s1_e4_c512 "                    \
    "mqa_r1_k3_h8_s1_d64_c512 uir_r1_a5_k0_s1_e4_c512 mqa_r1_k3_h8_s1_d64_c512 "                   \
    "uir_r1_a5_k0_s1_e4_c512 cn_r1_k1_s1_c960"

/* Of MobileNet V5 */
#define MOBILENET_V5_BASE                                                                          \
    "er_r3_s2_e4_c128 uir_a3_k5_s2_e6_c256 uir_a5_k0_e4_c256 uir_a3_k0_e4_c256 "                   \
    "uir_a5_k0_e4_c256 uir_a3_k0_e4_c256 uir_a5_k5_s2_e6_c512 uir_r2_a5_k0_e4_c512 "               \
    "uir_k0_e1_c512 mqa_h8_d64_c512 uir_k0_e2_c512 mqa_h8_d64_c512 uir_k0_e2_c512 "                \
    "mqa_h8_d64_c512 uir_k0_e2_c512 mqa_h8_d64_c512 uir_k0_e2_c512 mqa_h8_d64_c512 "               \
    "uir_k0_e2_c512 mqa_h8_d64_c512 uir_k0_e2_c512 uir_a5_k5_s2_e6_c1024 mqa_h16_d64_c1024 "       \
    "uir_k0_e2_c1024 mqa_h16_d64_c1024 uir_k0_e2_c1024 mqa_h16_d64_c1024 uir_k0_e2_c1024 "         \
    "mqa_h16_d64_c1024 uir_k0_e2_c1024 mqa_h16_d64_c1024 uir_k0_e2_c1024 mqa_h16_d64_c1024 "       \
    "uir_k0_e2_c1024 mqa_h16_d64_c1024 uir_k0_e2_c1024"
#define MOBILENET_V5_300M                                                                          \
    "er_r3_s2_e4_c128 uir_a3_k5_s2_e6_c256 uir_a5_k0_e4_c256 uir_a3_k0_e4_c256 "                   \
    "uir_a5_k0_e4_c256 uir_a3_k0_e4_c256 uir_a5_k5_s2_e6_c640 uir_r7_a5_k0_e4_c640 "               \
    "uir_k0_e1_c640 mqa_h12_v2_d64_c640 uir_k0_e2_c640 mqa_h12_v2_d64_c640 uir_k0_e2_c640 "        \
    "mqa_h12_v2_d64_c640 uir_k0_e2_c640 mqa_h12_v2_d64_c640 uir_k0_e2_c640 "                       \
    "mqa_h12_v2_d64_c640 uir_k0_e2_c640 mqa_h12_v2_d64_c640 uir_k0_e2_c640 "                       \
    "mqa_h12_v2_d64_c640 uir_k0_e2_c640 mqa_h12_v2_d64_c640 uir_k0_e2_c640 "                       \
    "mqa_h12_v2_d64_c640 uir_k0_e2_c640 mqa_h12_v2_d64_c640 uir_k0_e2_c640 "                       \
    "mqa_h12_v2_d64_c640 uir_k0_e2_c640 mqa_h12_v2_d64_c640 uir_k0_e2_c640 "                       \
    "mqa_h12_v2_d64_c640 uir_k0_e2_c640 mqa_h12_v2_d64_c640 uir_k0_e2_c640 "                       \
    "uir_a5_k5_s2_e6_c1280 mqa_h16_d96_c1280 uir_k0_e2_c1280 mqa_h16_d96_c1280 "                   \
    "uir_k0_e2_c1280 mqa_h16_d96_c1280 uir_k0_e2_c1280 mqa_h16_d96_c1280 uir_k0_e2_c1280 "         \
    "mqa_h16_d96_c1280 uir_k0_e2_c1280 mqa_h16_d96_c1280 uir_k0_e2_c1280 mqa_h16_d96_c1280 "       \
    "uir_k0_e2_c1280 mqa_h16_d96_c1280 uir_k0_e2_c1280 mqa_h16_d96_c1280 uir_k0_e2_c1280 "         \
    "mqa_h16_d96_c1280 uir_k0_e2_c1280 mqa_h16_d96_c1280 uir_k0_e2_c1280 mqa_h16_d96_c1280 "       \
    "uir_k0_e2_c1280 mqa_h16_d96_c1280 uir_k0_e2_c1280 mqa_h16_d96_c1280 uir_k0_e2_c1280 "         \
    "mqa_h16_d96_c1280 uir_k0_e2_c1280 mqa_h16_d96_c1280 uir_k0_e2_c1280 mqa_h16_d96_c1280 "       \
    "uir_k0_e2_c1280 mqa_h16_d96_c1280 uir_k0_e2_c1280 mqa_h16_d96_c1280 uir_k0_e2_c1280"

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
X("inception_v4", "", inception, 299, 1000, 42680000, 1.228e+10, TIMM, .version = 1)
X("inception_resnet_v2", "ens_adv_inception_resnet_v2", inception,
  299, 1000, 55840000, 1.318e+10, TIMM,
  .version = 2)

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
  .layers = { 4, { 3, 4, 6, 3 } }, .width = 64, .preact = true, .norm = EC__NORM_GROUP,
  .std = true)
X("resnetv2_50x3_bit", "resnetv2_50x3_bitm", resnet, 224, 1000, 217320000, 3.706e+10, TIMM,
  .layers = { 4, { 3, 4, 6, 3 } }, .width = 192, .preact = true, .norm = EC__NORM_GROUP,
  .std = true)
X("resnetv2_101x1_bit", "resnetv2_101x1_bitm", resnet, 224, 1000, 44540000, 8040000000, TIMM,
  .layers = { 4, { 3, 4, 23, 3 } }, .width = 64, .preact = true, .norm = EC__NORM_GROUP,
  .std = true)
X("resnetv2_101x3_bit", "resnetv2_101x3_bitm", resnet, 224, 1000, 387930000, 7.123e+10, TIMM,
  .layers = { 4, { 3, 4, 23, 3 } }, .width = 192, .preact = true, .norm = EC__NORM_GROUP,
  .std = true)
X("resnetv2_152x2_bit",
  "resnetv2_152x2_bitm resnetv2_152x2_bit_teacher resnetv2_152x2_bit_teacher_384",
  resnet, 224, 1000, 236340000, 4.695e+10, TIMM,
  .layers = { 4, { 3, 8, 36, 3 } }, .width = 128, .preact = true, .norm = EC__NORM_GROUP,
  .std = true)
X("resnetv2_152x4_bit", "resnetv2_152x4_bitm", resnet, 224, 1000, 936530000, 1.869e+11, TIMM,
  .layers = { 4, { 3, 8, 36, 3 } }, .width = 256, .preact = true, .norm = EC__NORM_GROUP,
  .std = true)
X("ecaresnetlight", "", resnet, 224, 1000, 30160000, 4110000000, TIMM,
  .layers = { 4, { 1, 1, 11, 3 } }, .avg_down = true, .eca = true)
X("ecaresnet50d_pruned", "", resnet, 224, 1000, 19940000, 2530000000, TIMM,
  .stem = { 3, { 32, 32, 64 } }, .avg_down = true, .eca = true,
  .widths = "19_47.18_52.22_64.35 171_85.37_107.80_120.85_125.87 818_198.126_255.232_256.233_"
            "253.235_256.225_256.239 2022_492.237_512.500_512.490")
X("ecaresnet101d_pruned", "", resnet, 224, 1000, 24880000, 3480000000, TIMM,
  .stem = { 3, { 32, 32, 64 } }, .avg_down = true, .eca = true,
  .widths = "26_45.25_53.20_60.27 142_81.24_93.49_102.54_122.78 278_101.25_239.160_234.156_"
            "250.176_253.191_251.175_230.128_244.154_244.159_238.97_244.149_253.181_245.119_"
            "255.216_256.201_253.149_254.141_256.190_256.217_255.156_256.155_256.232_256.214 "
            "2042_499.289_512.512_512.502")
X("ecaresnext26t_32x4d", "ecaresnext50t_32x4d", resnet, 224, 1000, 15410000, 0, TIMM,
  .layers = { 4, { 2, 2, 2, 2 } }, .groups = 32, .base_width = 4, .stem = { 3, { 24, 32, 64 } },
  .avg_down = true, .eca = true)
X("resnet50_gn", "", resnet, 224, 1000, 25560000, 4140000000, TIMM,
  .layers = { 4, { 3, 4, 6, 3 } }, .norm = EC__NORM_GROUP)
X("resnetblur18", "", resnet, 224, 1000, 11690000, 2340000000, TIMM,
  .layers = { 4, { 2, 2, 2, 2 } }, .basic = true, .blur = true)
X("resnetblur50", "", resnet, 224, 1000, 25560000, 5160000000, TIMM,
  .layers = { 4, { 3, 4, 6, 3 } }, .blur = true)
X("resnetblur50d", "", resnet, 224, 1000, 25580000, 5400000000, TIMM,
  .layers = { 4, { 3, 4, 6, 3 } }, .stem = { 3, { 32, 32, 64 } }, .avg_down = true, .blur = true)
X("resnetblur101d", "", resnet, 224, 1000, 44570000, 9120000000, TIMM,
  .layers = { 4, { 3, 4, 23, 3 } }, .stem = { 3, { 32, 32, 64 } }, .avg_down = true, .blur = true)
X("skresnet18", "", resnet, 224, 1000, 11960000, 1820000000, TIMM,
  .layers = { 4, { 2, 2, 2, 2 } }, .basic = true, .sk = 8)
X("skresnet34", "", resnet, 224, 1000, 22280000, 3670000000, TIMM,
  .layers = { 4, { 3, 4, 6, 3 } }, .basic = true, .sk = 8)
X("skresnet50", "", resnet, 224, 1000, 25800000, 4110000000, TIMM,
  .layers = { 4, { 3, 4, 6, 3 } }, .sk = 16)
X("skresnet50d", "", resnet, 224, 1000, 25820000, 4360000000, TIMM,
  .layers = { 4, { 3, 4, 6, 3 } }, .stem = { 3, { 32, 32, 64 } }, .avg_down = true, .sk = 16)
X("resnetv2_50d_gn", "", resnet, 224, 1000, 25570000, 4380000000, TIMM,
  .layers = { 4, { 3, 4, 6, 3 } }, .stem = { 3, { 32, 32, 64 } }, .avg_down = true,
  .preact = true, .norm = EC__NORM_GROUP)
X("resnetv2_50d_evob", "", resnet, 224, 1000, 25590000, 4330000000, TIMM,
  .layers = { 4, { 3, 4, 6, 3 } }, .stem = { 3, { 32, 32, 64 } }, .avg_down = true,
  .preact = true, .norm = EC__NORM_EVO_B)
X("resnetv2_50d_evos", "", resnet, 224, 1000, 25590000, 4330000000, TIMM,
  .layers = { 4, { 3, 4, 6, 3 } }, .stem = { 3, { 32, 32, 64 } }, .avg_down = true,
  .preact = true, .norm = EC__NORM_EVO_S)
X("resnetv2_50d_frn", "", resnet, 224, 1000, 25590000, 4330000000, TIMM,
  .layers = { 4, { 3, 4, 6, 3 } }, .stem = { 3, { 32, 32, 64 } }, .avg_down = true,
  .preact = true, .norm = EC__NORM_FILTER)
X("resnet50_clip", "", resnet, 224, 1024, 38320000, 6140000000, TIMM,
  .layers = { 4, { 3, 4, 6, 3 } }, .stem = { 3, { 32, 32, 64 } }, .avg_down = true, .aa = true,
  .head = 4)
X("resnet50_clip_gap", "", resnet, 224, 1024, 23530000, 5390000000, TIMM,
  .layers = { 4, { 3, 4, 6, 3 } }, .stem = { 3, { 32, 32, 64 } }, .avg_down = true, .aa = true,
  .head = 6)
X("resnet101_clip", "", resnet, 224, 512, 56260000, 9810000000, TIMM,
  .layers = { 4, { 3, 4, 23, 3 } }, .stem = { 3, { 32, 32, 64 } }, .avg_down = true, .aa = true,
  .head = 4)
X("resnet101_clip_gap", "", resnet, 224, 512, 42520000, 9110000000, TIMM,
  .layers = { 4, { 3, 4, 23, 3 } }, .stem = { 3, { 32, 32, 64 } }, .avg_down = true, .aa = true,
  .head = 6)
X("resnet50x4_clip", "", resnet, 288, 640, 87140000, 2.135e+10, TIMM,
  .layers = { 4, { 4, 6, 10, 6 } }, .width = 80, .stem = { 3, { 40, 40, 80 } }, .avg_down = true,
  .aa = true, .head = 4)
X("resnet50x4_clip_gap", "", resnet, 288, 640, 65620000, 1.957e+10, TIMM,
  .layers = { 4, { 4, 6, 10, 6 } }, .width = 80, .stem = { 3, { 40, 40, 80 } }, .avg_down = true,
  .aa = true, .head = 6)
X("resnet50x16_clip", "", resnet, 384, 768, 167330000, 7.49e+10, TIMM,
  .layers = { 4, { 6, 8, 18, 8 } }, .width = 96, .stem = { 3, { 48, 48, 96 } }, .avg_down = true,
  .aa = true, .head = 4)
X("resnet50x16_clip_gap", "", resnet, 384, 768, 136200000, 7.032e+10, TIMM,
  .layers = { 4, { 6, 8, 18, 8 } }, .width = 96, .stem = { 3, { 48, 48, 96 } }, .avg_down = true,
  .aa = true, .head = 6)
X("resnet50x64_clip", "", resnet, 448, 1024, 420380000, 2.6502e+11, TIMM,
  .layers = { 4, { 3, 15, 36, 10 } }, .width = 128, .stem = { 3, { 64, 64, 128 } },
  .avg_down = true, .aa = true, .head = 4)
X("resnet50x64_clip_gap", "", resnet, 448, 1024, 365030000, 2.5396e+11, TIMM,
  .layers = { 4, { 3, 15, 36, 10 } }, .width = 128, .stem = { 3, { 64, 64, 128 } },
  .avg_down = true, .aa = true, .head = 6)
X("resnet50_mlp", "", resnet, 256, 1000, 26650000, 7050000000, TIMM,
  .layers = { 4, { 3, 4, 6, 3 } }, .stem = { 3, { 32, 32, 64 } }, .avg_down = true, .aa = true,
  .head = 5)
X("test_resnet", "", resnet, 160, 1000, 470000, 100000000, TIMM,
  .stem = { 3, { 16, 16, 32 } }, .avg_down = true, .widths = "32_32 48_48 192_48.48 96_96")
X("resnest14d", "", resnet, 224, 1000, 10610000, 2760000000, TIMM,
  .layers = { 4, { 1, 1, 1, 1 } }, .stem = { 3, { 32, 32, 64 } }, .avg_down = true, .radix = 2)
X("resnest26d", "", resnet, 224, 1000, 17070000, 3640000000, TIMM,
  .layers = { 4, { 2, 2, 2, 2 } }, .stem = { 3, { 32, 32, 64 } }, .avg_down = true, .radix = 2)
X("resnest50d", "", resnet, 224, 1000, 27480000, 5400000000, TIMM,
  .layers = { 4, { 3, 4, 6, 3 } }, .stem = { 3, { 32, 32, 64 } }, .avg_down = true, .radix = 2)
X("resnest101e", "", resnet, 256, 1000, 48280000, 1.338e+10, TIMM,
  .layers = { 4, { 3, 4, 23, 3 } }, .stem = { 3, { 64, 64, 128 } }, .avg_down = true, .radix = 2)
X("resnest200e", "", resnet, 320, 1000, 70200000, 3.569e+10, TIMM,
  .layers = { 4, { 3, 24, 36, 3 } }, .stem = { 3, { 64, 64, 128 } }, .avg_down = true, .radix = 2)
X("resnest269e", "", resnet, 416, 1000, 110930000, 7.769e+10, TIMM,
  .layers = { 4, { 3, 30, 48, 8 } }, .stem = { 3, { 64, 64, 128 } }, .avg_down = true, .radix = 2)
X("resnest50d_4s2x40d", "", resnet, 224, 1000, 30420000, 4400000000, TIMM,
  .layers = { 4, { 3, 4, 6, 3 } }, .stem = { 3, { 32, 32, 64 } }, .avg_down = true, .groups = 2,
  .base_width = 40, .radix = 4, .pool_first = true)
X("resnest50d_1s4x24d", "", resnet, 224, 1000, 25680000, 4430000000, TIMM,
  .layers = { 4, { 3, 4, 6, 3 } }, .stem = { 3, { 32, 32, 64 } }, .avg_down = true, .groups = 4,
  .base_width = 24, .radix = 1, .pool_first = true)
X("res2net50_26w_4s", "", resnet, 224, 1000, 25700000, 4280000000, TIMM,
  .layers = { 4, { 3, 4, 6, 3 } }, .base_width = 26, .scale = 4)
X("res2net50_48w_2s", "", resnet, 224, 1000, 25290000, 4180000000, TIMM,
  .layers = { 4, { 3, 4, 6, 3 } }, .base_width = 48, .scale = 2)
X("res2net50_14w_8s", "", resnet, 224, 1000, 25060000, 4210000000, TIMM,
  .layers = { 4, { 3, 4, 6, 3 } }, .base_width = 14, .scale = 8)
X("res2net50_26w_6s", "", resnet, 224, 1000, 37050000, 6330000000, TIMM,
  .layers = { 4, { 3, 4, 6, 3 } }, .base_width = 26, .scale = 6)
X("res2net50_26w_8s", "", resnet, 224, 1000, 48400000, 8370000000, TIMM,
  .layers = { 4, { 3, 4, 6, 3 } }, .base_width = 26, .scale = 8)
X("res2net101_26w_4s", "", resnet, 224, 1000, 45210000, 8100000000, TIMM,
  .layers = { 4, { 3, 4, 23, 3 } }, .base_width = 26, .scale = 4)
X("res2net50d", "", resnet, 224, 1000, 25720000, 4520000000, TIMM,
  .layers = { 4, { 3, 4, 6, 3 } }, .stem = { 3, { 32, 32, 64 } }, .avg_down = true,
  .base_width = 26, .scale = 4)
X("res2net101d", "", resnet, 224, 1000, 45230000, 8350000000, TIMM,
  .layers = { 4, { 3, 4, 23, 3 } }, .stem = { 3, { 32, 32, 64 } }, .avg_down = true,
  .base_width = 26, .scale = 4)
X("res2next50", "", resnet, 224, 1000, 24670000, 4200000000, TIMM,
  .layers = { 4, { 3, 4, 6, 3 } }, .groups = 8, .base_width = 4, .scale = 4)

/* --- csp --- */
X("cspresnet50", "", csp, 256, 1000, 21620000, 4540000000, TIMM,
  .stem = { 1, { 64 } }, .stem_filter = 7, .stem_stride = 2, .pool = true, .block = 2,
  .act = "leaky_relu", .linear = true,
  .stages = "csp_d3_c128_s1_e2_b0.5 csp_d3_c256_e2_b0.5 csp_d5_c512_e2_b0.5 csp_d2_c1024_e2_b0.5")
X("cspresnet50d", "", csp, 256, 1000, 21640000, 4860000000, TIMM,
  .stem = { 3, { 32, 32, 64 } }, .stem_stride = 2, .pool = true, .block = 2, .act = "leaky_relu",
  .linear = true,
  .stages = "csp_d3_c128_s1_e2_b0.5 csp_d3_c256_e2_b0.5 csp_d5_c512_e2_b0.5 csp_d2_c1024_e2_b0.5")
X("cspresnet50w", "", csp, 256, 1000, 28120000, 5040000000, TIMM,
  .stem = { 3, { 32, 32, 64 } }, .stem_stride = 2, .pool = true, .block = 2, .act = "leaky_relu",
  .linear = true,
  .stages = "csp_d3_c256_s1_r0.5_b0.25 csp_d3_c512_r0.5_b0.25 csp_d5_c1024_r0.5_b0.25 "
            "csp_d2_c2048_r0.5_b0.25")
X("cspresnext50", "", csp, 256, 1000, 20570000, 0, TIMM,
  .stem = { 1, { 64 } }, .stem_filter = 7, .stem_stride = 2, .pool = true, .block = 2,
  .act = "leaky_relu", .linear = true,
  .stages = "csp_d3_c256_s1_g32_r0.5 csp_d3_c512_g32_r0.5 csp_d5_c1024_g32_r0.5 "
            "csp_d2_c2048_g32_r0.5")
X("cspdarknet53", "", csp, 256, 1000, 27640000, 6570000000, TIMM,
  .stem = { 1, { 32 } }, .stem_stride = 1, .grow = true, .act = "leaky_relu",
  .stages = "csp_d1_c64_e2_b0.5 csp_d2_c128_r0.5 csp_d8_c256_r0.5 csp_d8_c512_r0.5 "
            "csp_d4_c1024_r0.5")
X("darknet17", "", csp, 256, 1000, 14300000, 3260000000, TIMM,
  .stem = { 1, { 32 } }, .stem_stride = 1, .act = "leaky_relu",
  .stages = "dark_d1_c64_b0.5 dark_d1_c128_b0.5 dark_d1_c256_b0.5 dark_d1_c512_b0.5 "
            "dark_d1_c1024_b0.5")
X("darknet21", "", csp, 256, 1000, 20860000, 3930000000, TIMM,
  .stem = { 1, { 32 } }, .stem_stride = 1, .act = "leaky_relu",
  .stages = "dark_d1_c64_b0.5 dark_d1_c128_b0.5 dark_d1_c256_b0.5 dark_d2_c512_b0.5 "
            "dark_d2_c1024_b0.5")
X("sedarknet21", "", csp, 256, 1000, 20950000, 3930000000, TIMM,
  .stem = { 1, { 32 } }, .stem_stride = 1, .act = "leaky_relu", .se = 16,
  .stages = "dark_d1_c64_b0.5 dark_d1_c128_b0.5 dark_d1_c256_b0.5 dark_d2_c512_b0.5 "
            "dark_d2_c1024_b0.5")
X("darknet53", "", csp, 256, 1000, 41610000, 9310000000, TIMM,
  .stem = { 1, { 32 } }, .stem_stride = 1, .act = "leaky_relu",
  .stages = "dark_d1_c64_b0.5 dark_d2_c128_b0.5 dark_d8_c256_b0.5 dark_d8_c512_b0.5 "
            "dark_d4_c1024_b0.5")
X("darknetaa53", "", csp, 256, 1000, 36020000, 7970000000, TIMM,
  .stem = { 1, { 32 } }, .stem_stride = 1, .act = "leaky_relu", .avg_down = true,
  .stages = "dark_d1_c64_b0.5 dark_d2_c128_b0.5 dark_d8_c256_b0.5 dark_d8_c512_b0.5 "
            "dark_d4_c1024_b0.5")
X("cs3darknet_s", "", csp, 256, 1000, 3280000, 720000000, TIMM,
  .stem = { 2, { 16, 32 } }, .stem_stride = 2, .act = "silu",
  .stages = "cs3_d1_c64_r0.5 cs3_d3_c128_r0.5 cs3_d4_c256_r0.5 cs3_d1_c512_r0.5")
X("cs3darknet_focus_s", "", csp, 256, 1000, 3270000, 690000000, TIMM,
  .stem = { 1, { 32 } }, .stem_filter = 6, .stem_stride = 2, .act = "silu",
  .stages = "cs3_d1_c64_r0.5 cs3_d3_c128_r0.5 cs3_d4_c256_r0.5 cs3_d1_c512_r0.5")
X("cs3darknet_m", "", csp, 256, 1000, 9310000, 2080000000, TIMM,
  .stem = { 2, { 24, 48 } }, .stem_stride = 2, .act = "silu",
  .stages = "cs3_d2_c96_r0.5 cs3_d4_c192_r0.5 cs3_d6_c384_r0.5 cs3_d2_c768_r0.5")
X("cs3darknet_focus_m", "", csp, 256, 1000, 9300000, 1980000000, TIMM,
  .stem = { 1, { 48 } }, .stem_filter = 6, .stem_stride = 2, .act = "silu",
  .stages = "cs3_d2_c96_r0.5 cs3_d4_c192_r0.5 cs3_d6_c384_r0.5 cs3_d2_c768_r0.5")
X("cs3darknet_l", "", csp, 256, 1000, 21160000, 4860000000, TIMM,
  .stem = { 2, { 32, 64 } }, .stem_stride = 2, .act = "silu",
  .stages = "cs3_d3_c128_r0.5 cs3_d6_c256_r0.5 cs3_d9_c512_r0.5 cs3_d3_c1024_r0.5")
X("cs3darknet_focus_l", "", csp, 256, 1000, 21150000, 4660000000, TIMM,
  .stem = { 1, { 64 } }, .stem_filter = 6, .stem_stride = 2, .act = "silu",
  .stages = "cs3_d3_c128_r0.5 cs3_d6_c256_r0.5 cs3_d9_c512_r0.5 cs3_d3_c1024_r0.5")
X("cs3darknet_x", "", csp, 256, 1000, 35050000, 8380000000, TIMM,
  .stem = { 2, { 40, 80 } }, .stem_stride = 2, .act = "silu",
  .stages = "cs3_d3_c160_r0.5 cs3_d7_c320_r0.5 cs3_d11_c640_r0.5 cs3_d3_c1280_r0.5")
X("cs3darknet_focus_x", "", csp, 256, 1000, 35020000, 8030000000, TIMM,
  .stem = { 1, { 80 } }, .stem_filter = 6, .stem_stride = 2, .act = "silu",
  .stages = "cs3_d3_c160_r0.5 cs3_d7_c320_r0.5 cs3_d11_c640_r0.5 cs3_d3_c1280_r0.5")
X("cs3sedarknet_l", "", csp, 256, 1000, 21910000, 4860000000, TIMM,
  .stem = { 2, { 32, 64 } }, .stem_stride = 2, .act = "silu", .se = 4,
  .stages = "cs3_d3_c128_r0.5 cs3_d6_c256_r0.5 cs3_d9_c512_r0.5 cs3_d3_c1024_r0.5")
X("cs3sedarknet_x", "", csp, 256, 1000, 35400000, 8380000000, TIMM,
  .stem = { 2, { 40, 80 } }, .stem_stride = 2, .act = "silu", .se = 16,
  .stages = "cs3_d3_c160_r0.5 cs3_d7_c320_r0.5 cs3_d11_c640_r0.5 cs3_d3_c1280_r0.5")
X("cs3sedarknet_xdw", "", csp, 256, 1000, 21600000, 5970000000, TIMM,
  .stem = { 2, { 32, 64 } }, .stem_stride = 2, .block = 2, .act = "silu", .se = 16,
  .stages = "csp_d3_c256_r0.5_b0.5 csp_d6_c512_r0.5_b0.5 csp_d12_c1024_g256_r0.5_b0.5 "
            "csp_d4_c2048_g512_r0.5_b0.5")
X("cs3edgenet_x", "", csp, 256, 1000, 47820000, 1.153e+10, TIMM,
  .stem = { 2, { 40, 80 } }, .stem_stride = 2, .act = "silu", .block = 1,
  .stages = "cs3_d3_c160_r0.5_b1.5 cs3_d7_c320_r0.5_b1.5 cs3_d11_c640_r0.5_b1.5 "
            "cs3_d3_c1280_r0.5_b1.5")
X("cs3se_edgenet_x", "", csp, 256, 1000, 50720000, 1.153e+10, TIMM,
  .stem = { 2, { 40, 80 } }, .stem_stride = 2, .act = "silu", .block = 1, .se = 4,
  .stages = "cs3_d3_c160_r0.5_b1.5 cs3_d7_c320_r0.5_b1.5 cs3_d11_c640_r0.5_b1.5 "
            "cs3_d3_c1280_r0.5_b1.5")

/* --- byob --- */
X("gernet_s", "", byob, 224, 1000, 8170000, 750000000, TIMM,
  .stem = { 1, { 13 } }, .head = 1920, .act = "relu",
  .stages = "basic_c48_s2 basic_d3_c48_s2 bottle_d7_c384_s2_b0.25 bottle_d2_c560_s2_g1_b3 "
            "bottle_c256_g1_b3")
X("gernet_m", "", byob, 224, 1000, 21140000, 3020000000, TIMM,
  .stem = { 1, { 32 } }, .head = 2560, .act = "relu",
  .stages = "basic_c128_s2 basic_d2_c192_s2 bottle_d6_c640_s2_b0.25 bottle_d4_c640_s2_g1_b3 "
            "bottle_c640_g1_b3")
X("gernet_l", "", byob, 256, 1000, 31080000, 4570000000, TIMM,
  .stem = { 1, { 32 } }, .head = 2560, .act = "relu",
  .stages = "basic_c128_s2 basic_d2_c192_s2 bottle_d6_c640_s2_b0.25 bottle_d5_c640_s2_g1_b3 "
            "bottle_d4_c640_g1_b3")
X("resnet51q", "", byob, 256, 1000, 35700000, 6380000000, TIMM,
  .stem = { 4, { 16, 32, 64, 128 } }, .stem_plain = 2, .head = 2048, .act = "silu",
  .stages = "bottle_d2_c256_g32_b0.25 bottle_d4_c512_s2_g32_b0.25 bottle_d6_c1536_s2_g32_b0.25 "
            "bottle_d4_c1536_s2_g1")
X("resnet61q", "", byob, 256, 1000, 36850000, 7800000000, TIMM,
  .stem = { 4, { 16, 32, 64, 128 } }, .head = 2048, .twice = true, .act = "silu",
  .stages = "edge_c256 bottle_d4_c512_s2_g32_b0.25 bottle_d6_c1536_s2_g32_b0.25 "
            "bottle_d4_c1536_s2_g1")
X("resnet32ts", "", byob, 256, 1000, 17960000, 4630000000, TIMM,
  .stem = { 3, { 24, 32, 64 } }, .act = "silu",
  .stages = "bottle_d2_c256_b0.25 bottle_d3_c512_s2_b0.25 bottle_d3_c1536_s2_b0.25 "
            "bottle_d2_c1536_s2_b0.25")
X("resnet33ts", "", byob, 256, 1000, 19680000, 4760000000, TIMM,
  .stem = { 3, { 24, 32, 64 } }, .head = 1280, .act = "silu",
  .stages = "bottle_d2_c256_b0.25 bottle_d3_c512_s2_b0.25 bottle_d3_c1536_s2_b0.25 "
            "bottle_d2_c1536_s2_b0.25")
X("gcresnet33ts", "", byob, 256, 1000, 19880000, 4760000000, TIMM,
  .stem = { 3, { 24, 32, 64 } }, .head = 1280, .attend = 3, .act = "silu",
  .stages = "bottle_d2_c256_b0.25 bottle_d3_c512_s2_b0.25 bottle_d3_c1536_s2_b0.25 "
            "bottle_d2_c1536_s2_b0.25")
X("seresnet33ts", "", byob, 256, 1000, 19780000, 4760000000, TIMM,
  .stem = { 3, { 24, 32, 64 } }, .head = 1280, .attend = 1, .act = "silu",
  .stages = "bottle_d2_c256_b0.25 bottle_d3_c512_s2_b0.25 bottle_d3_c1536_s2_b0.25 "
            "bottle_d2_c1536_s2_b0.25")
X("eca_resnet33ts", "", byob, 256, 1000, 19680000, 4760000000, TIMM,
  .stem = { 3, { 24, 32, 64 } }, .head = 1280, .attend = 2, .act = "silu",
  .stages = "bottle_d2_c256_b0.25 bottle_d3_c512_s2_b0.25 bottle_d3_c1536_s2_b0.25 "
            "bottle_d2_c1536_s2_b0.25")
X("gcresnet50t", "", byob, 256, 1000, 25900000, 5420000000, TIMM,
  .stem = { 3, { 24, 32, 64 } }, .attend = 3, .act = "relu",
  .stages = "bottle_d3_c256_b0.25 bottle_d4_c512_s2_b0.25 bottle_d6_c1024_s2_b0.25 "
            "bottle_d3_c2048_s2_b0.25")
X("bat_resnext26ts", "", byob, 256, 1000, 10730000, 2530000000, TIMM,
  .stem = { 3, { 24, 32, 64 } }, .pool = true, .attend = 4, .act = "silu",
  .stages = "bottle_d2_c256_g32_b0.25 bottle_d2_c512_s2_g32_b0.25 bottle_d2_c1024_s2_g32_b0.25 "
            "bottle_d2_c2048_s2_g32_b0.25")
X("resnext26ts", "", byob, 256, 1000, 10300000, 0, TIMM,
  .stem = { 3, { 24, 32, 64 } }, .pool = true, .act = "silu",
  .stages = "bottle_d2_c256_g32_b0.25 bottle_d2_c512_s2_g32_b0.25 "
            "bottle_d2_c1024_s2_g32_b0.25 bottle_d2_c2048_s2_g32_b0.25")
X("seresnext26ts", "", byob, 256, 1000, 10390000, 0, TIMM,
  .stem = { 3, { 24, 32, 64 } }, .pool = true, .attend = 1, .act = "silu",
  .stages = "bottle_d2_c256_g32_b0.25 bottle_d2_c512_s2_g32_b0.25 "
            "bottle_d2_c1024_s2_g32_b0.25 bottle_d2_c2048_s2_g32_b0.25")
X("eca_resnext26ts", "", byob, 256, 1000, 10300000, 0, TIMM,
  .stem = { 3, { 24, 32, 64 } }, .pool = true, .attend = 2, .act = "silu",
  .stages = "bottle_d2_c256_g32_b0.25 bottle_d2_c512_s2_g32_b0.25 "
            "bottle_d2_c1024_s2_g32_b0.25 bottle_d2_c2048_s2_g32_b0.25")
X("gcresnext26ts", "", byob, 256, 1000, 10480000, 0, TIMM,
  .stem = { 3, { 24, 32, 64 } }, .pool = true, .attend = 3, .act = "silu",
  .stages = "bottle_d2_c256_g32_b0.25 bottle_d2_c512_s2_g32_b0.25 "
            "bottle_d2_c1024_s2_g32_b0.25 bottle_d2_c2048_s2_g32_b0.25")
X("gcresnext50ts", "", byob, 256, 1000, 15670000, 0, TIMM,
  .stem = { 3, { 24, 32, 64 } }, .pool = true, .attend = 3, .act = "silu",
  .stages = "bottle_d3_c256_g32_b0.25 bottle_d4_c512_s2_g32_b0.25 "
            "bottle_d6_c1024_s2_g32_b0.25 bottle_d3_c2048_s2_g32_b0.25")
X("regnetz_b16", "", byob, 224, 1000, 9720000, 0, TIMM,
  .stem = { 1, { 32 } }, .head = 1536, .attend = 1, .se = 4, .narrow = true, .linear_out = true,
  .no_shortcut = true, .act = "silu",
  .stages = "bottle_d2_c48_s2_g16_b3 bottle_d6_c96_s2_g16_b3 "
            "bottle_d12_c192_s2_g16_b3 bottle_d2_c288_s2_g16_b3")
X("regnetz_c16", "", byob, 256, 1000, 13460000, 0, TIMM,
  .stem = { 1, { 32 } }, .head = 1536, .attend = 1, .se = 4, .narrow = true, .linear_out = true,
  .no_shortcut = true, .act = "silu",
  .stages = "bottle_d2_c48_s2_g16_b4 bottle_d6_c96_s2_g16_b4 "
            "bottle_d12_c192_s2_g16_b4 bottle_d2_c288_s2_g16_b4")
X("regnetz_d32", "", byob, 256, 1000, 27580000, 0, TIMM,
  .stem = { 3, { 24, 32, 64 } }, .head = 1792, .attend = 1, .se = 4, .narrow = true,
  .linear_out = true, .no_shortcut = true, .act = "silu",
  .stages = "bottle_d3_c64_g32_b4 bottle_d6_c128_s2_g32_b4 "
            "bottle_d12_c256_s2_g32_b4 bottle_d3_c384_s2_g32_b4")
X("regnetz_d8", "", byob, 256, 1000, 23370000, 0, TIMM,
  .stem = { 3, { 24, 32, 64 } }, .head = 1792, .attend = 1, .se = 4, .narrow = true,
  .linear_out = true, .no_shortcut = true, .act = "silu",
  .stages = "bottle_d3_c64_g8_b4 bottle_d6_c128_s2_g8_b4 "
            "bottle_d12_c256_s2_g8_b4 bottle_d3_c384_s2_g8_b4")
X("regnetz_e8", "", byob, 256, 1000, 57700000, 0, TIMM,
  .stem = { 3, { 24, 32, 64 } }, .head = 2048, .attend = 1, .se = 4, .narrow = true,
  .linear_out = true, .no_shortcut = true, .act = "silu",
  .stages = "bottle_d3_c96_g8_b4 bottle_d8_c192_s2_g8_b4 "
            "bottle_d16_c384_s2_g8_b4 bottle_d3_c512_s2_g8_b4")
X("botnet26t_256", "", byob, 256, 1000, 12490000, 3320000000, TIMM,
  .stem = { 3, { 24, 32, 64 } }, .pool = true, .act = "relu",
  .stages = "bottle_d2_c256_b0.25 bottle_d2_c512_s2_b0.25 bottle_c1024_s2_b0.25 bot_c1024_b0.25 "
            "bot_d2_c2048_s2_b0.25")
X("eca_botnext26ts_256", "", byob, 256, 1000, 10590000, 2460000000, TIMM,
  .stem = { 3, { 24, 32, 64 } }, .pool = true, .attend = 2, .act = "silu",
  .stages = "bottle_d2_c256_g16_b0.25 bottle_d2_c512_s2_g16_b0.25 bottle_c1024_s2_g16_b0.25 "
            "bot_c1024_b0.25_q16 bot_d2_c2048_s2_b0.25_q16")
X("halonet26t", "", byob, 256, 1000, 12480000, 3190000000, TIMM,
  .stem = { 3, { 24, 32, 64 } }, .pool = true, .act = "relu",
  .stages = "bottle_d2_c256_b0.25 bottle_d2_c512_s2_b0.25 bottle_c1024_s2_b0.25 "
            "halo_c1024_b0.25_o2 halo_d2_c2048_s2_b0.25_o2")
X("eca_halonext26ts", "", byob, 256, 1000, 10760000, 2440000000, TIMM,
  .stem = { 3, { 24, 32, 64 } }, .pool = true, .attend = 2, .act = "silu",
  .stages = "bottle_d2_c256_g16_b0.25 bottle_d2_c512_s2_g16_b0.25 bottle_c1024_s2_g16_b0.25 "
            "halo_c1024_b0.25_q16_o2 halo_d2_c2048_s2_b0.25_q16_o2")
X("lambda_resnet26t", "", byob, 256, 1000, 10960000, 3020000000, TIMM,
  .stem = { 3, { 24, 32, 64 } }, .pool = true, .act = "relu",
  .stages = "bottle_d2_c256_b0.25 bottle_d2_c512_s2_b0.25 bottle_c1024_s2_b0.25 lambda_c1024_b0.25 "
            "lambda_d2_c2048_s2_b0.25")
X("lambda_resnet26rpt_256", "", byob, 256, 1000, 10990000, 3160000000, TIMM,
  .stem = { 3, { 24, 32, 64 } }, .pool = true, .act = "relu",
  .stages = "bottle_d2_c256_b0.25 bottle_d2_c512_s2_b0.25 bottle_c1024_s2_b0.25 "
            "lambda_c1024_b0.25_r0 lambda_d2_c2048_s2_b0.25_r0")
X("botnet50ts_256", "", byob, 256, 1000, 22740000, 5540000000, TIMM,
  .stem = { 3, { 24, 32, 64 } }, .pool = true, .act = "silu",
  .stages = "bottle_d3_c256_b0.25 bottle_c512_s2_b0.25 bottle_d2_c512_b0.25 bot_c512_b0.25 "
            "bottle_c1024_s2_b0.25 bot_c1024_b0.25 bottle_c1024_b0.25 bot_c1024_b0.25 "
            "bottle_c1024_b0.25 bot_c1024_b0.25 bottle_c2048_s2_b0.25 bot_c2048_b0.25 "
            "bottle_c2048_b0.25")
X("halonet50ts", "", byob, 256, 1000, 22730000, 5300000000, TIMM,
  .stem = { 3, { 24, 32, 64 } }, .pool = true, .act = "silu",
  .stages = "bottle_d3_c256_b0.25 bottle_c512_s2_b0.25 bottle_d2_c512_b0.25 halo_c512_b0.25_h4 "
            "bottle_c1024_s2_b0.25 halo_c1024_b0.25 bottle_c1024_b0.25 halo_c1024_b0.25 "
            "bottle_c1024_b0.25 halo_c1024_b0.25 bottle_c2048_s2_b0.25 halo_c2048_b0.25 "
            "bottle_c2048_b0.25")
X("lambda_resnet50ts", "", byob, 256, 1000, 21540000, 5070000000, TIMM,
  .stem = { 3, { 24, 32, 64 } }, .pool = true, .act = "silu",
  .stages = "bottle_d3_c256_b0.25 bottle_c512_s2_b0.25 bottle_d2_c512_b0.25 lambda_c512_b0.25 "
            "bottle_c1024_s2_b0.25 lambda_c1024_b0.25 bottle_c1024_b0.25 lambda_c1024_b0.25 "
            "bottle_c1024_b0.25 lambda_c1024_b0.25 bottle_c2048_s2_b0.25 lambda_c2048_b0.25 "
            "bottle_c2048_b0.25")
X("lamhalobotnet50ts_256", "", byob, 256, 1000, 22570000, 5020000000, TIMM,
  .stem = { 3, { 24, 32, 64 } }, .act = "silu",
  .stages = "bottle_d3_c256_b0.25 bottle_c512_s2_b0.25 lambda_c512_b0.25_r13 bottle_c512_b0.25 "
            "lambda_c512_b0.25_r13 bottle_c1024_s2_b0.25 halo_c1024_b0.25 bottle_c1024_b0.25 "
            "halo_c1024_b0.25 bottle_c1024_b0.25 halo_c1024_b0.25 bottle_c2048_s2_b0.25 "
            "bot_c2048_b0.25 bottle_c2048_b0.25")
X("halo2botnet50ts_256", "", byob, 256, 1000, 22640000, 5020000000, TIMM,
  .stem = { 3, { 24, 32, 64 } }, .act = "silu",
  .stages = "bottle_d3_c256_b0.25 bottle_c512_s2_b0.25 halo_c512_b0.25 bottle_c512_b0.25 "
            "halo_c512_b0.25 bottle_c1024_s2_b0.25 halo_c1024_b0.25 bottle_c1024_b0.25 "
            "halo_c1024_b0.25 bottle_c1024_b0.25 halo_c1024_b0.25 bottle_c2048_s2_b0.25 "
            "bot_c2048_b0.25 bottle_c2048_b0.25")
X("sebotnet33ts_256", "", byob, 256, 1000, 13700000, 3890000000, TIMM,
  .stem = { 3, { 24, 32, 64 } }, .head = 1280, .attend = 1, .act = "silu",
  .stages = "bottle_d2_c256_b0.25 bottle_c512_s2_b0.25 bottle_c512_b0.25 bot_c512_b0.25 "
            "bottle_c1024_s2_b0.25 bottle_c1024_b0.25 bot_c1024_b0.25 bot_d2_c1536_s2_b0.333")
X("sehalonet33ts", "", byob, 256, 1000, 13690000, 3550000000, TIMM,
  .stem = { 3, { 24, 32, 64 } }, .head = 1280, .attend = 1, .act = "silu",
  .stages = "bottle_d2_c256_b0.25 bottle_c512_s2_b0.25 bottle_c512_b0.25 halo_c512_b0.25 "
            "bottle_c1024_s2_b0.25 bottle_c1024_b0.25 halo_c1024_b0.25 halo_d2_c1536_s2_b0.333")
X("halonet_h1", "", byob, 256, 1000, 8100000, 3000000000, TIMM,
  .stem = { 1, { 64 } }, .stem_filter = 7, .pool = true, .act = "relu",
  .stages = "halo_d3_c64 halo_d3_c128_s2 halo_d10_c256_s2 halo_d3_c512_s2")
X("haloregnetz_b", "", byob, 224, 1000, 11680000, 1970000000, TIMM,
  .stem = { 1, { 32 } }, .head = 1536, .attend = 1, .se = 4, .narrow = true, .linear_out = true,
  .no_shortcut = true, .act = "silu",
  .stages = "bottle_d2_c48_s2_g16_b3 bottle_d6_c96_s2_g16_b3 bottle_c192_s2_g16_b3 "
            "bottle_d2_c192_g16_b3 halo_c192_b3_w7_o2_x0.33 bottle_d3_c192_g16_b3 "
            "halo_c192_b3_w7_o2_x0.33 bottle_d3_c192_g16_b3 halo_c192_b3_w7_o2_x0.33 "
            "halo_d2_c288_s2_b3_w7_o2_x0.33")

/* --- nfnet --- */
X("dm_nfnet_f0", "", nfnet, 192, 1000, 71490000, 7210000000, TIMM,
  .depths = { 4, { 1, 2, 6, 3 } }, .channels = { 4, { 256, 512, 1536, 1536 } }, .width = 1,
  .stem = { 4, { 16, 32, 64, 128 } }, .twice = true, .group = 128, .ratio = 0.5, .head = 3072,
  .act = "gelu", .se = 2, .gamma_in_act = true, .same = true, .skip_gain = true)
X("dm_nfnet_f1", "", nfnet, 224, 1000, 132630000, 1.787e+10, TIMM,
  .depths = { 4, { 2, 4, 12, 6 } }, .channels = { 4, { 256, 512, 1536, 1536 } }, .width = 1,
  .stem = { 4, { 16, 32, 64, 128 } }, .twice = true, .group = 128, .ratio = 0.5, .head = 3072,
  .act = "gelu", .se = 2, .gamma_in_act = true, .same = true, .skip_gain = true)
X("dm_nfnet_f2", "", nfnet, 256, 1000, 193780000, 3.376e+10, TIMM,
  .depths = { 4, { 3, 6, 18, 9 } }, .channels = { 4, { 256, 512, 1536, 1536 } }, .width = 1,
  .stem = { 4, { 16, 32, 64, 128 } }, .twice = true, .group = 128, .ratio = 0.5, .head = 3072,
  .act = "gelu", .se = 2, .gamma_in_act = true, .same = true, .skip_gain = true)
X("dm_nfnet_f3", "", nfnet, 320, 1000, 254920000, 6.877e+10, TIMM,
  .depths = { 4, { 4, 8, 24, 12 } }, .channels = { 4, { 256, 512, 1536, 1536 } }, .width = 1,
  .stem = { 4, { 16, 32, 64, 128 } }, .twice = true, .group = 128, .ratio = 0.5, .head = 3072,
  .act = "gelu", .se = 2, .gamma_in_act = true, .same = true, .skip_gain = true)
X("dm_nfnet_f4", "", nfnet, 384, 1000, 316070000, 1.2214e+11, TIMM,
  .depths = { 4, { 5, 10, 30, 15 } }, .channels = { 4, { 256, 512, 1536, 1536 } }, .width = 1,
  .stem = { 4, { 16, 32, 64, 128 } }, .twice = true, .group = 128, .ratio = 0.5, .head = 3072,
  .act = "gelu", .se = 2, .gamma_in_act = true, .same = true, .skip_gain = true)
X("dm_nfnet_f5", "", nfnet, 416, 1000, 377210000, 1.7071e+11, TIMM,
  .depths = { 4, { 6, 12, 36, 18 } }, .channels = { 4, { 256, 512, 1536, 1536 } }, .width = 1,
  .stem = { 4, { 16, 32, 64, 128 } }, .twice = true, .group = 128, .ratio = 0.5, .head = 3072,
  .act = "gelu", .se = 2, .gamma_in_act = true, .same = true, .skip_gain = true)
X("dm_nfnet_f6", "", nfnet, 448, 1000, 438360000, 2.297e+11, TIMM,
  .depths = { 4, { 7, 14, 42, 21 } }, .channels = { 4, { 256, 512, 1536, 1536 } }, .width = 1,
  .stem = { 4, { 16, 32, 64, 128 } }, .twice = true, .group = 128, .ratio = 0.5, .head = 3072,
  .act = "gelu", .se = 2, .gamma_in_act = true, .same = true, .skip_gain = true)
X("nfnet_f0", "", nfnet, 192, 1000, 71490000, 7210000000, TIMM,
  .depths = { 4, { 1, 2, 6, 3 } }, .channels = { 4, { 256, 512, 1536, 1536 } }, .width = 1,
  .stem = { 4, { 16, 32, 64, 128 } }, .twice = true, .group = 128, .ratio = 0.5, .head = 3072,
  .act = "gelu", .se = 2)
X("nfnet_f1", "", nfnet, 224, 1000, 132630000, 1.787e+10, TIMM,
  .depths = { 4, { 2, 4, 12, 6 } }, .channels = { 4, { 256, 512, 1536, 1536 } }, .width = 1,
  .stem = { 4, { 16, 32, 64, 128 } }, .twice = true, .group = 128, .ratio = 0.5, .head = 3072,
  .act = "gelu", .se = 2)
X("nfnet_f2", "", nfnet, 256, 1000, 193780000, 3.376e+10, TIMM,
  .depths = { 4, { 3, 6, 18, 9 } }, .channels = { 4, { 256, 512, 1536, 1536 } }, .width = 1,
  .stem = { 4, { 16, 32, 64, 128 } }, .twice = true, .group = 128, .ratio = 0.5, .head = 3072,
  .act = "gelu", .se = 2)
X("nfnet_f3", "", nfnet, 320, 1000, 254920000, 6.877e+10, TIMM,
  .depths = { 4, { 4, 8, 24, 12 } }, .channels = { 4, { 256, 512, 1536, 1536 } }, .width = 1,
  .stem = { 4, { 16, 32, 64, 128 } }, .twice = true, .group = 128, .ratio = 0.5, .head = 3072,
  .act = "gelu", .se = 2)
X("nfnet_f4", "", nfnet, 384, 1000, 316070000, 1.2214e+11, TIMM,
  .depths = { 4, { 5, 10, 30, 15 } }, .channels = { 4, { 256, 512, 1536, 1536 } }, .width = 1,
  .stem = { 4, { 16, 32, 64, 128 } }, .twice = true, .group = 128, .ratio = 0.5, .head = 3072,
  .act = "gelu", .se = 2)
X("nfnet_f5", "", nfnet, 416, 1000, 377210000, 1.7071e+11, TIMM,
  .depths = { 4, { 6, 12, 36, 18 } }, .channels = { 4, { 256, 512, 1536, 1536 } }, .width = 1,
  .stem = { 4, { 16, 32, 64, 128 } }, .twice = true, .group = 128, .ratio = 0.5, .head = 3072,
  .act = "gelu", .se = 2)
X("nfnet_f6", "", nfnet, 448, 1000, 438360000, 2.297e+11, TIMM,
  .depths = { 4, { 7, 14, 42, 21 } }, .channels = { 4, { 256, 512, 1536, 1536 } }, .width = 1,
  .stem = { 4, { 16, 32, 64, 128 } }, .twice = true, .group = 128, .ratio = 0.5, .head = 3072,
  .act = "gelu", .se = 2)
X("nfnet_f7", "", nfnet, 480, 1000, 499500000, 3.0008e+11, TIMM,
  .depths = { 4, { 8, 16, 48, 24 } }, .channels = { 4, { 256, 512, 1536, 1536 } }, .width = 1,
  .stem = { 4, { 16, 32, 64, 128 } }, .twice = true, .group = 128, .ratio = 0.5, .head = 3072,
  .act = "gelu", .se = 2)
X("nfnet_l0", "", nfnet, 224, 1000, 35070000, 4360000000, TIMM,
  .depths = { 4, { 1, 2, 6, 3 } }, .channels = { 4, { 256, 512, 1536, 1536 } }, .width = 1,
  .stem = { 4, { 16, 32, 64, 128 } }, .twice = true, .group = 64, .ratio = 0.25, .act = "silu",
  .head = 2304, .se = 4)
X("eca_nfnet_l0", "", nfnet, 224, 1000, 24140000, 4350000000, TIMM,
  .depths = { 4, { 1, 2, 6, 3 } }, .channels = { 4, { 256, 512, 1536, 1536 } }, .width = 1,
  .stem = { 4, { 16, 32, 64, 128 } }, .twice = true, .group = 64, .ratio = 0.25, .act = "silu",
  .head = 2304, .eca = true)
X("eca_nfnet_l1", "", nfnet, 256, 1000, 41410000, 9620000000, TIMM,
  .depths = { 4, { 2, 4, 12, 6 } }, .channels = { 4, { 256, 512, 1536, 1536 } }, .width = 1,
  .stem = { 4, { 16, 32, 64, 128 } }, .twice = true, .group = 64, .ratio = 0.25, .act = "silu",
  .head = 3072, .eca = true)
X("eca_nfnet_l2", "", nfnet, 320, 1000, 56720000, 2.095e+10, TIMM,
  .depths = { 4, { 3, 6, 18, 9 } }, .channels = { 4, { 256, 512, 1536, 1536 } }, .width = 1,
  .stem = { 4, { 16, 32, 64, 128 } }, .twice = true, .group = 64, .ratio = 0.25, .act = "silu",
  .head = 3072, .eca = true)
X("eca_nfnet_l3", "", nfnet, 352, 1000, 72040000, 3.257e+10, TIMM,
  .depths = { 4, { 4, 8, 24, 12 } }, .channels = { 4, { 256, 512, 1536, 1536 } }, .width = 1,
  .stem = { 4, { 16, 32, 64, 128 } }, .twice = true, .group = 64, .ratio = 0.25, .act = "silu",
  .head = 3072, .eca = true)
X("nf_resnet26", "", nfnet, 224, 1000, 16000000, 2410000000, TIMM,
  .depths = { 4, { 2, 2, 2, 2 } }, .channels = { 4, { 256, 512, 1024, 2048 } }, .width = 1,
  .stem = { 1, { 64 } }, .stem_filter = 7, .pool = true, .ratio = 0.25, .act = "relu")
X("nf_seresnet26", "", nfnet, 224, 1000, 17400000, 2410000000, TIMM,
  .depths = { 4, { 2, 2, 2, 2 } }, .channels = { 4, { 256, 512, 1024, 2048 } }, .width = 1,
  .stem = { 1, { 64 } }, .stem_filter = 7, .pool = true, .ratio = 0.25, .act = "relu", .se = 16)
X("nf_ecaresnet26", "", nfnet, 224, 1000, 16000000, 2410000000, TIMM,
  .depths = { 4, { 2, 2, 2, 2 } }, .channels = { 4, { 256, 512, 1024, 2048 } }, .width = 1,
  .stem = { 1, { 64 } }, .stem_filter = 7, .pool = true, .ratio = 0.25, .act = "relu", .eca = true)
X("nf_resnet50", "", nfnet, 256, 1000, 25560000, 5460000000, TIMM,
  .depths = { 4, { 3, 4, 6, 3 } }, .channels = { 4, { 256, 512, 1024, 2048 } }, .width = 1,
  .stem = { 1, { 64 } }, .stem_filter = 7, .pool = true, .ratio = 0.25, .act = "relu")
X("nf_seresnet50", "", nfnet, 224, 1000, 28090000, 4210000000, TIMM,
  .depths = { 4, { 3, 4, 6, 3 } }, .channels = { 4, { 256, 512, 1024, 2048 } }, .width = 1,
  .stem = { 1, { 64 } }, .stem_filter = 7, .pool = true, .ratio = 0.25, .act = "relu", .se = 16)
X("nf_ecaresnet50", "", nfnet, 224, 1000, 25560000, 4210000000, TIMM,
  .depths = { 4, { 3, 4, 6, 3 } }, .channels = { 4, { 256, 512, 1024, 2048 } }, .width = 1,
  .stem = { 1, { 64 } }, .stem_filter = 7, .pool = true, .ratio = 0.25, .act = "relu", .eca = true)
X("nf_resnet101", "", nfnet, 224, 1000, 44550000, 8010000000, TIMM,
  .depths = { 4, { 3, 4, 23, 3 } }, .channels = { 4, { 256, 512, 1024, 2048 } }, .width = 1,
  .stem = { 1, { 64 } }, .stem_filter = 7, .pool = true, .ratio = 0.25, .act = "relu")
X("nf_seresnet101", "", nfnet, 224, 1000, 49330000, 8020000000, TIMM,
  .depths = { 4, { 3, 4, 23, 3 } }, .channels = { 4, { 256, 512, 1024, 2048 } }, .width = 1,
  .stem = { 1, { 64 } }, .stem_filter = 7, .pool = true, .ratio = 0.25, .act = "relu", .se = 16)
X("nf_ecaresnet101", "", nfnet, 224, 1000, 44550000, 8010000000, TIMM,
  .depths = { 4, { 3, 4, 23, 3 } }, .channels = { 4, { 256, 512, 1024, 2048 } }, .width = 1,
  .stem = { 1, { 64 } }, .stem_filter = 7, .pool = true, .ratio = 0.25, .act = "relu", .eca = true)
X("nf_regnet_b0", "", nfnet, 192, 1000, 8760000, 0, TIMM,
  .depths = { 4, { 1, 3, 6, 6 } }, .channels = { 4, { 48, 104, 208, 440 } }, .width = 0.75,
  .stem = { 1, { 48 } }, .group = 8, .ratio = 2.25, .narrow = true, .head = 1280, .act = "silu",
  .se = 2)
X("nf_regnet_b1", "", nfnet, 256, 1000, 10220000, 0, TIMM,
  .depths = { 4, { 2, 4, 7, 7 } }, .channels = { 4, { 48, 104, 208, 440 } }, .width = 0.75,
  .stem = { 1, { 48 } }, .group = 8, .ratio = 2.25, .narrow = true, .head = 1280, .act = "silu",
  .se = 2)
X("nf_regnet_b2", "", nfnet, 240, 1000, 14310000, 0, TIMM,
  .depths = { 4, { 2, 4, 8, 8 } }, .channels = { 4, { 56, 112, 232, 488 } }, .width = 0.75,
  .stem = { 1, { 56 } }, .group = 8, .ratio = 2.25, .narrow = true, .head = 1419, .act = "silu",
  .se = 2)
X("nf_regnet_b3", "", nfnet, 288, 1000, 18590000, 0, TIMM,
  .depths = { 4, { 2, 5, 9, 9 } }, .channels = { 4, { 56, 128, 248, 528 } }, .width = 0.75,
  .stem = { 1, { 56 } }, .group = 8, .ratio = 2.25, .narrow = true, .head = 1536, .act = "silu",
  .se = 2)
X("nf_regnet_b4", "", nfnet, 320, 1000, 30210000, 0, TIMM,
  .depths = { 4, { 2, 6, 11, 11 } }, .channels = { 4, { 64, 144, 288, 616 } }, .width = 0.75,
  .stem = { 1, { 64 } }, .group = 8, .ratio = 2.25, .narrow = true, .head = 1792, .act = "silu",
  .se = 2)
X("nf_regnet_b5", "", nfnet, 384, 1000, 49740000, 0, TIMM,
  .depths = { 4, { 3, 7, 14, 14 } }, .channels = { 4, { 80, 168, 336, 704 } }, .width = 0.75,
  .stem = { 1, { 80 } }, .group = 8, .ratio = 2.25, .narrow = true, .head = 2048, .act = "silu",
  .se = 2)
X("test_nfnet", "", nfnet, 160, 1000, 380000, 290000000, TIMM,
  .depths = { 4, { 1, 1, 1, 1 } }, .channels = { 4, { 32, 64, 96, 128 } }, .width = 1,
  .stem = { 4, { 16, 32, 64, 128 } }, .twice = true, .group = 8, .ratio = 0.25, .head = 192,
  .act = "silu", .se = 4)

/* --- dpn --- */
X("dpn48b", "", dpn, 224, 1000, 9130000, 1690000000, TIMM,
  .blocks = { 4, { 3, 4, 6, 3 } }, .grow = { 4, { 16, 32, 32, 64 } }, .stem = 10, .inner = 128,
  .groups = 32, .small = true, .apart = true, .act = "silu")
X("dpn68", "", dpn, 224, 1000, 12610000, 2350000000, TIMM,
  .blocks = { 4, { 3, 4, 12, 3 } }, .grow = { 4, { 16, 32, 32, 64 } }, .stem = 10, .inner = 128,
  .groups = 32, .small = true, .act = "relu")
X("dpn68b", "", dpn, 224, 1000, 12610000, 2350000000, TIMM,
  .blocks = { 4, { 3, 4, 12, 3 } }, .grow = { 4, { 16, 32, 32, 64 } }, .stem = 10, .inner = 128,
  .groups = 32, .small = true, .apart = true, .act = "relu")
X("dpn92", "", dpn, 224, 1000, 37670000, 6540000000, TIMM,
  .blocks = { 4, { 3, 4, 20, 3 } }, .grow = { 4, { 16, 32, 24, 128 } }, .stem = 64, .inner = 96,
  .groups = 32, .act = "relu")
X("dpn98", "", dpn, 224, 1000, 61570000, 1.173e+10, TIMM,
  .blocks = { 4, { 3, 6, 20, 3 } }, .grow = { 4, { 16, 32, 32, 128 } }, .stem = 96, .inner = 160,
  .groups = 40, .act = "relu")
X("dpn131", "", dpn, 224, 1000, 79250000, 1.609e+10, TIMM,
  .blocks = { 4, { 4, 8, 28, 3 } }, .grow = { 4, { 16, 32, 32, 128 } }, .stem = 128, .inner = 160,
  .groups = 40, .act = "relu")
X("dpn107", "", dpn, 224, 1000, 86920000, 1.838e+10, TIMM,
  .blocks = { 4, { 4, 8, 20, 3 } }, .grow = { 4, { 20, 64, 64, 128 } }, .stem = 128, .inner = 200,
  .groups = 50, .act = "relu")

/* --- aligned_xception --- */
X("xception41", "", aligned_xception, 299, 1000, 26970000, 9280000000, TIMM,
  .entry = { 3, { 128, 256, 728 } }, .middle = 8)
X("xception65", "", aligned_xception, 299, 1000, 39920000, 1.396e+10, TIMM,
  .entry = { 3, { 128, 256, 728 } }, .middle = 16)
X("xception71", "", aligned_xception, 299, 1000, 42340000, 1.809e+10, TIMM,
  .entry = { 5, { 128, 256, 256, 728, 728 } }, .middle = 16)
X("xception41p", "", aligned_xception, 299, 1000, 26910000, 9250000000, TIMM,
  .entry = { 3, { 128, 256, 728 } }, .middle = 8, .preact = true)
X("xception65p", "", aligned_xception, 299, 1000, 39820000, 1.391e+10, TIMM,
  .entry = { 3, { 128, 256, 728 } }, .middle = 16, .preact = true)

/* --- selecsls --- */
X("selecsls42", "", selecsls, 224, 1000, 30350000, 2940000000, TIMM,
  .layers = "first_m64_c64 next_m64_c128 first_m144_c144 next_m144_c288 first_m304_c304 "
            "next_m304_c480 conv_k3_c960_s2 conv_k3_c1024 conv_k3_c1024_s2 conv_k1_c1280")
X("selecsls42b", "", selecsls, 224, 1000, 32460000, 2980000000, TIMM,
  .layers = "first_m64_c64 next_m64_c128 first_m144_c144 next_m144_c288 first_m304_c304 "
            "next_m304_c480 conv_k3_c960_s2 conv_k3_c1024 conv_k3_c1280_s2 conv_k1_c1024")
X("selecsls60", "", selecsls, 224, 1000, 30670000, 3590000000, TIMM,
  .layers = "first_m64_c64 next_m64_c128 first_m128_c128 next_m128_c128 next_m128_c288 "
            "first_m288_c288 next_m288_c288 next_m288_c288 next_m288_c416 conv_k3_c756_s2 "
            "conv_k3_c1024 conv_k3_c1024_s2 conv_k1_c1280")
X("selecsls60b", "", selecsls, 224, 1000, 32770000, 3630000000, TIMM,
  .layers = "first_m64_c64 next_m64_c128 first_m128_c128 next_m128_c128 next_m128_c288 "
            "first_m288_c288 next_m288_c288 next_m288_c288 next_m288_c416 conv_k3_c756_s2 "
            "conv_k3_c1024 conv_k3_c1280_s2 conv_k1_c1024")
X("selecsls84", "", selecsls, 224, 1000, 50950000, 5900000000, TIMM,
  .layers = "first_m64_c64 next_m64_c144 first_m144_c144 next_m144_c144 next_m144_c144 "
            "next_m144_c144 next_m144_c304 first_m304_c304 next_m304_c304 next_m304_c304 "
            "next_m304_c304 next_m304_c304 next_m304_c512 conv_k3_c960_s2 conv_k3_c1024 "
            "conv_k3_c1024_s2 conv_k3_c1280")

/* --- hgnet --- */
X("hgnet_tiny", "", hgnet, 224, 1000, 14740000, 4540000000, TIMM,
  .stem = { 3, { 48, 48, 96 } }, .mid = { 4, { 96, 128, 160, 192 } },
  .out = { 4, { 224, 448, 512, 768 } }, .blocks = { 4, { 1, 1, 2, 1 } },
  .light = { 4, { 0, 0, 0, 0 } }, .per_block = 5)
X("hgnet_small", "", hgnet, 224, 1000, 24360000, 8530000000, TIMM,
  .stem = { 3, { 64, 64, 128 } }, .mid = { 4, { 128, 160, 192, 224 } },
  .out = { 4, { 256, 512, 768, 1024 } }, .blocks = { 4, { 1, 1, 2, 1 } },
  .light = { 4, { 0, 0, 0, 0 } }, .per_block = 6)
X("hgnet_base", "", hgnet, 224, 1000, 71580000, 2.514e+10, TIMM,
  .stem = { 3, { 96, 96, 160 } }, .mid = { 4, { 192, 224, 256, 288 } },
  .out = { 4, { 320, 640, 960, 1280 } }, .blocks = { 4, { 1, 2, 3, 2 } },
  .light = { 4, { 0, 0, 0, 0 } }, .per_block = 7)
X("hgnetv2_b0", "", hgnet, 224, 1000, 6000000, 330000000, TIMM,
  .v2 = true, .stem = { 2, { 16, 16 } }, .mid = { 4, { 16, 32, 64, 128 } },
  .out = { 4, { 64, 256, 512, 1024 } }, .blocks = { 4, { 1, 1, 2, 1 } },
  .light = { 4, { 0, 0, 1, 1 } }, .per_block = 3, .affine = true)
X("hgnetv2_b1", "", hgnet, 224, 1000, 6340000, 490000000, TIMM,
  .v2 = true, .stem = { 2, { 24, 32 } }, .mid = { 4, { 32, 48, 96, 192 } },
  .out = { 4, { 64, 256, 512, 1024 } }, .blocks = { 4, { 1, 1, 2, 1 } },
  .light = { 4, { 0, 0, 1, 1 } }, .per_block = 3, .affine = true)
X("hgnetv2_b2", "", hgnet, 224, 1000, 11220000, 1150000000, TIMM,
  .v2 = true, .stem = { 2, { 24, 32 } }, .mid = { 4, { 32, 64, 128, 256 } },
  .out = { 4, { 96, 384, 768, 1536 } }, .blocks = { 4, { 1, 1, 3, 1 } },
  .light = { 4, { 0, 0, 1, 1 } }, .per_block = 4, .affine = true)
X("hgnetv2_b3", "", hgnet, 224, 1000, 16290000, 1780000000, TIMM,
  .v2 = true, .stem = { 2, { 24, 32 } }, .mid = { 4, { 32, 64, 128, 256 } },
  .out = { 4, { 128, 512, 1024, 2048 } }, .blocks = { 4, { 1, 1, 3, 1 } },
  .light = { 4, { 0, 0, 1, 1 } }, .per_block = 5, .affine = true)
X("hgnetv2_b4", "", hgnet, 224, 1000, 19800000, 2750000000, TIMM,
  .v2 = true, .stem = { 2, { 32, 48 } }, .mid = { 4, { 48, 96, 192, 384 } },
  .out = { 4, { 128, 512, 1024, 2048 } }, .blocks = { 4, { 1, 1, 3, 1 } },
  .light = { 4, { 0, 0, 1, 1 } }, .per_block = 6)
X("hgnetv2_b5", "", hgnet, 224, 1000, 39570000, 6560000000, TIMM,
  .v2 = true, .stem = { 2, { 32, 64 } }, .mid = { 4, { 64, 128, 256, 512 } },
  .out = { 4, { 128, 512, 1024, 2048 } }, .blocks = { 4, { 1, 2, 5, 2 } },
  .light = { 4, { 0, 0, 1, 1 } }, .per_block = 6)
X("hgnetv2_b6", "", hgnet, 224, 1000, 75260000, 1.688e+10, TIMM,
  .v2 = true, .stem = { 2, { 48, 96 } }, .mid = { 4, { 96, 192, 384, 768 } },
  .out = { 4, { 192, 512, 1024, 2048 } }, .blocks = { 4, { 2, 3, 6, 3 } },
  .light = { 4, { 0, 0, 1, 1 } }, .per_block = 6)

/* --- mobileone --- */
X("mobileone_s0", "", mobileone, 224, 1000, 5290000, 1090000000, TIMM,
  .widths = { 4, { 48, 128, 256, 1024 } }, .blocks = { 4, { 2, 8, 10, 1 } },
  .gated = { 4, { 0, 0, 0, 0 } }, .stem = 48, .branches = 4)
X("mobileone_s1", "", mobileone, 224, 1000, 4830000, 860000000, TIMM,
  .widths = { 4, { 96, 192, 512, 1280 } }, .blocks = { 4, { 2, 8, 10, 1 } },
  .gated = { 4, { 0, 0, 0, 0 } }, .stem = 64, .branches = 1)
X("mobileone_s2", "", mobileone, 224, 1000, 7880000, 1340000000, TIMM,
  .widths = { 4, { 96, 256, 640, 2048 } }, .blocks = { 4, { 2, 8, 10, 1 } },
  .gated = { 4, { 0, 0, 0, 0 } }, .stem = 64, .branches = 1)
X("mobileone_s3", "", mobileone, 224, 1000, 10170000, 1940000000, TIMM,
  .widths = { 4, { 128, 320, 768, 2048 } }, .blocks = { 4, { 2, 8, 10, 1 } },
  .gated = { 4, { 0, 0, 0, 0 } }, .stem = 64, .branches = 1)
X("mobileone_s4", "", mobileone, 224, 1000, 14950000, 3040000000, TIMM,
  .widths = { 4, { 192, 448, 896, 2048 } }, .blocks = { 4, { 2, 8, 10, 1 } },
  .gated = { 4, { 0, 0, 5, 1 } }, .stem = 64, .branches = 1)

/* --- tresnet --- */
X("tresnet_m", "", tresnet, 224, 1000, 31390000, 5750000000, TIMM,
  .layers = { 4, { 3, 4, 11, 3 } }, .width = 64, .basic = 2)
X("tresnet_m_448", "", tresnet, 448, 1000, 31390000, 2.294e+10, TIMM,
  .layers = { 4, { 3, 4, 11, 3 } }, .width = 64, .basic = 2)
X("tresnet_l", "", tresnet, 224, 1000, 55990000, 1.09e+10, TIMM,
  .layers = { 4, { 4, 5, 18, 3 } }, .width = 76, .basic = 2)
X("tresnet_l_448", "", tresnet, 448, 1000, 55990000, 4.35e+10, TIMM,
  .layers = { 4, { 4, 5, 18, 3 } }, .width = 76, .basic = 2)
X("tresnet_xl", "", tresnet, 224, 1000, 78440000, 1.52e+10, TIMM,
  .layers = { 4, { 4, 5, 24, 3 } }, .width = 83, .basic = 2)
X("tresnet_xl_448", "", tresnet, 448, 1000, 78440000, 6.065e+10, TIMM,
  .layers = { 4, { 4, 5, 24, 3 } }, .width = 83, .basic = 2)
X("tresnet_v2_l", "", tresnet, 224, 1000, 46170000, 8810000000, TIMM,
  .layers = { 4, { 3, 4, 23, 3 } }, .width = 64)

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
X("densenet264d", "", densenet, 224, 1000, 72740000, 1.357e+10, TIMM,
  .growth = 48, .first = 96, .blocks = { 4, { 6, 12, 64, 48 } }, .stem = { 3, { 48, 48, 96 } })
X("densenet264d_iabn", "", densenet, 224, 1000, 72740000, 1.347e+10, TIMM,
  .growth = 48, .first = 96, .blocks = { 4, { 6, 12, 64, 48 } }, .stem = { 3, { 48, 48, 96 } },
  .act = "leaky_relu")
X("densenetblur121d", "", densenet, 224, 1000, 8000000, 3110000000, TIMM,
  .growth = 32, .first = 64, .blocks = { 4, { 6, 12, 24, 16 } }, .stem = { 3, { 32, 32, 64 } },
  .blur = true)

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
X("repghostnet_050", "", ghostnet, 224, 1000, 2310000, 50000000, TIMM,
  .width = 0.5, .rep = true)
X("repghostnet_058", "", ghostnet, 224, 1000, 2550000, 70000000, TIMM,
  .width = 0.58, .rep = true)
X("repghostnet_080", "", ghostnet, 224, 1000, 3280000, 100000000, TIMM,
  .width = 0.8, .rep = true)
X("repghostnet_100", "", ghostnet, 224, 1000, 4070000, 150000000, TIMM,
  .width = 1.0, .rep = true)
X("repghostnet_111", "", ghostnet, 224, 1000, 4540000, 180000000, TIMM,
  .width = 1.11, .rep = true)
X("repghostnet_130", "", ghostnet, 224, 1000, 5480000, 250000000, TIMM,
  .width = 1.3, .rep = true)
X("repghostnet_150", "", ghostnet, 224, 1000, 6580000, 320000000, TIMM,
  .width = 1.5, .rep = true)
X("repghostnet_200", "", ghostnet, 224, 1000, 9800000, 540000000, TIMM,
  .width = 2.0, .rep = true)

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
X("repvgg_d2se", "", repvgg, 320, 1000, 133330000, 7.457e+10, TIMM,
  .blocks = { 4, { 8, 14, 24, 1 } }, .width = 2.5, .last = 5, .se = 16)

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
X("gmixer_12_224", "gmixer_12", mixer, 224, 1000, 12700000, 2670000000, TIMM,
  .patch = 16, .hidden = 384, .layers = 12, .tokens = 384, .ffn = 1536,
  .gate = EC__GATE_FEATURES)
X("gmixer_24_224", "gmixer_24", mixer, 224, 1000, 24720000, 5280000000, TIMM,
  .patch = 16, .hidden = 384, .layers = 24, .tokens = 384, .ffn = 1536,
  .gate = EC__GATE_FEATURES)
X("gmlp_ti16_224", "gmlp_ti16", mixer, 224, 1000, 5870000, 1340000000, TIMM,
  .patch = 16, .hidden = 128, .layers = 30, .ffn = 768, .gate = EC__GATE_PATCHES)
X("gmlp_s16_224", "gmlp_s16", mixer, 224, 1000, 19420000, 4420000000, TIMM,
  .patch = 16, .hidden = 256, .layers = 30, .ffn = 1536, .gate = EC__GATE_PATCHES)
X("gmlp_b16_224", "gmlp_b16", mixer, 224, 1000, 73080000, 1.578e+10, TIMM,
  .patch = 16, .hidden = 512, .layers = 30, .ffn = 3072, .gate = EC__GATE_PATCHES)

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
X("efficientnet_cc_b0_4e", "", mobile, 224, 1000, 13310000, 410000000, TIMM,
  .stages = EFFICIENTNET_CC4, .act = "silu", .stem = 32, .width = 1, .depth = 1, .head = 1280,
  .head_rule = EC__HEAD_ALWAYS)
X("efficientnet_cc_b0_8e", "", mobile, 224, 1000, 24010000, 420000000, TIMM,
  .stages = EFFICIENTNET_CC8, .act = "silu", .stem = 32, .width = 1, .depth = 1, .head = 1280,
  .head_rule = EC__HEAD_ALWAYS)
X("efficientnet_cc_b1_8e", "", mobile, 240, 1000, 39720000, 750000000, TIMM,
  .stages = EFFICIENTNET_CC8, .act = "silu", .stem = 32, .width = 1, .depth = 1.1, .head = 1280,
  .head_rule = EC__HEAD_ALWAYS)
X("efficientnet_b0_gn", "", mobile, 224, 1000, 5290000, 420000000, TIMM,
  .stages = EFFICIENTNET, .act = "silu", .stem = 32, .width = 1, .depth = 1, .head = 1280,
  .head_rule = EC__HEAD_ALWAYS, .norm = EC__GROUP_NORM, .norm_group = 8)
X("efficientnet_b0_g8_gn", "", mobile, 224, 1000, 6560000, 660000000, TIMM,
  .stages = EFFICIENTNET, .act = "silu", .stem = 32, .width = 1, .depth = 1, .head = 1280,
  .head_rule = EC__HEAD_ALWAYS, .group = 8, .norm = EC__GROUP_NORM, .norm_group = 8)
X("efficientnet_b0_g16_evos", "", mobile, 224, 1000, 8110000, 1010000000, TIMM,
  .stages = EFFICIENTNET, .act = "silu", .stem = 32, .width = 1, .depth = 1, .head = 1280,
  .head_rule = EC__HEAD_ALWAYS, .by = 16, .group = 16)
X("efficientnet_b3_gn", "", mobile, 288, 1000, 11730000, 1740000000, TIMM,
  .stages = EFFICIENTNET, .act = "silu", .stem = 32, .width = 1.2, .depth = 1.4, .head = 1280,
  .head_rule = EC__HEAD_ALWAYS, .by = 16, .norm = EC__GROUP_NORM, .norm_group = 16)
X("efficientnet_b3_g8_gn", "", mobile, 288, 1000, 14250000, 2590000000, TIMM,
  .stages = EFFICIENTNET, .act = "silu", .stem = 32, .width = 1.2, .depth = 1.4, .head = 1280,
  .head_rule = EC__HEAD_ALWAYS, .by = 16, .group = 8, .norm = EC__GROUP_NORM, .norm_group = 16)
X("efficientnet_blur_b0", "", mobile, 224, 1000, 5290000, 430000000, TIMM,
  .stages = EFFICIENTNET, .act = "silu", .stem = 32, .width = 1, .depth = 1, .head = 1280,
  .head_rule = EC__HEAD_ALWAYS, .aa = EC__AA_BLUR)
X("efficientnet_b1_pruned", "", mobile, 240, 1000, 6330000, 400000000, TIMM,
  .stages = EFFICIENTNET_B1_PRUNED, .act = "silu", .stem = 32, .width = 1, .depth = 1, .head =
  1280, .head_rule = EC__HEAD_ALWAYS, .by = 1)
X("efficientnet_b2_pruned", "", mobile, 260, 1000, 8310000, 730000000, TIMM,
  .stages = EFFICIENTNET_B2_PRUNED, .act = "silu", .stem = 32, .width = 1, .depth = 1, .head =
  1408, .head_rule = EC__HEAD_ALWAYS, .by = 1)
X("efficientnet_b3_pruned", "", mobile, 300, 1000, 9860000, 1040000000, TIMM,
  .stages = EFFICIENTNET_B3_PRUNED, .act = "silu", .stem = 40, .width = 1, .depth = 1, .head =
  1536, .head_rule = EC__HEAD_ALWAYS, .by = 1)
X("efficientnet_x_b3", "", mobile, 288, 1000, 13300000, 3910000000, TIMM,
  .stages = EFFICIENTNET_X, .act = "silu", .stem = 32, .width = 1.2, .depth = 1.4, .head = 1280,
  .head_rule = EC__HEAD_ALWAYS)
X("efficientnet_x_b5", "", mobile, 448, 1000, 33440000, 2.3350e+10, TIMM,
  .stages = EFFICIENTNET_X, .act = "silu", .stem = 32, .width = 1.6, .depth = 2.2, .head = 1280,
  .head_rule = EC__HEAD_ALWAYS)
X("efficientnet_h_b5", "", mobile, 448, 1000, 45880000, 2.7160e+10, TIMM,
  .stages = EFFICIENTNET_H, .act = "silu", .stem = 32, .width = 1.92, .depth = 2.2, .head = 1280,
  .head_rule = EC__HEAD_ALWAYS)
X("efficientnetv2_rw_m", "efficientnet_v2_rw_m", mobile, 320, 1000, 53240000, 1.2720e+10, TIMM,
  .stages = EFFICIENTNET_V2_RW_M, .act = "silu", .stem = 24, .width = 1.2, .depth = 1, .head =
  1792, .head_rule = EC__HEAD_ALWAYS)
X("gc_efficientnetv2_rw_t", "", mobile, 224, 1000, 13680000, 1940000000, TIMM,
  .stages = EFFICIENTNET_V2_S, .act = "silu", .stem = 24, .width = 0.8, .depth = 0.9, .head =
  1280, .head_rule = EC__HEAD_ALWAYS, .context = true)
X("test_efficientnet", "", mobile, 160, 1000, 360000, 60000000, TIMM,
  .stages = TEST_EFFICIENTNET, .act = "silu", .stem = 24, .width = 1, .depth = 1, .head = 256,
  .head_rule = EC__HEAD_ALWAYS, .nearest = true)
X("test_efficientnet_gn", "", mobile, 160, 1000, 360000, 60000000, TIMM,
  .stages = TEST_EFFICIENTNET, .act = "silu", .stem = 24, .width = 1, .depth = 1, .head = 256,
  .head_rule = EC__HEAD_ALWAYS, .nearest = true, .norm = EC__GROUP_NORM, .norm_group = 8)
X("test_efficientnet_ln", "", mobile, 160, 1000, 360000, 60000000, TIMM,
  .stages = TEST_EFFICIENTNET, .act = "silu", .stem = 24, .width = 1, .depth = 1, .head = 256,
  .head_rule = EC__HEAD_ALWAYS, .nearest = true, .norm = EC__LAYER_NORM)
X("test_efficientnet_evos", "", mobile, 160, 1000, 360000, 60000000, TIMM,
  .stages = TEST_EFFICIENTNET, .act = "silu", .stem = 24, .width = 1, .depth = 1, .head = 256,
  .head_rule = EC__HEAD_ALWAYS, .nearest = true, .norm = EC__EVO_NORM, .norm_group = 8)
X("hardcorenas_a", "", mobile, 224, 1000, 5260000, 230000000, TIMM,
  .stages = HARDCORENAS_A, .act = "hard_swish", .stem = 32, .width = 1, .depth = 1, .hidden =
  1280, .se_mid = true)
X("hardcorenas_b", "", mobile, 224, 1000, 5180000, 260000000, TIMM,
  .stages = HARDCORENAS_B, .act = "hard_swish", .stem = 32, .width = 1, .depth = 1, .hidden =
  1280, .se_mid = true)
X("hardcorenas_c", "", mobile, 224, 1000, 5520000, 280000000, TIMM,
  .stages = HARDCORENAS_C, .act = "hard_swish", .stem = 32, .width = 1, .depth = 1, .hidden =
  1280, .se_mid = true)
X("hardcorenas_d", "", mobile, 224, 1000, 7500000, 300000000, TIMM,
  .stages = HARDCORENAS_D, .act = "hard_swish", .stem = 32, .width = 1, .depth = 1, .hidden =
  1280, .se_mid = true)
X("hardcorenas_e", "", mobile, 224, 1000, 8070000, 350000000, TIMM,
  .stages = HARDCORENAS_E, .act = "hard_swish", .stem = 32, .width = 1, .depth = 1, .hidden =
  1280, .se_mid = true)
X("hardcorenas_f", "", mobile, 224, 1000, 8200000, 350000000, TIMM,
  .stages = HARDCORENAS_F, .act = "hard_swish", .stem = 32, .width = 1, .depth = 1, .hidden =
  1280, .se_mid = true)
X("mobilevit_xxs", "", mobile, 256, 1000, 1270000, 420000000, TIMM,
  .stages = MOBILEVIT_XXS, .act = "silu", .stem = 16, .width = 1, .depth = 1, .head = 320)
X("mobilevit_xs", "", mobile, 256, 1000, 2320000, 1050000000, TIMM,
  .stages = MOBILEVIT_XS, .act = "silu", .stem = 16, .width = 1, .depth = 1, .head = 384)
X("mobilevit_s", "", mobile, 256, 1000, 5580000, 2030000000, TIMM,
  .stages = MOBILEVIT_S, .act = "silu", .stem = 16, .width = 1, .depth = 1, .head = 640)
X("semobilevit_s", "", mobile, 256, 1000, 5740000, 2030000000, TIMM,
  .stages = SEMOBILEVIT_S, .act = "silu", .stem = 16, .width = 1, .depth = 1, .head = 640, .se_mid
  = true, .gate = "sigmoid")
X("mobilevitv2_050", "", mobile, 256, 1000, 1370000, 480000000, TIMM,
  .stages = MOBILEVIT_V2, .act = "silu", .stem = 32, .width = 0.5, .depth = 1)
X("mobilevitv2_075", "", mobile, 256, 1000, 2870000, 1050000000, TIMM,
  .stages = MOBILEVIT_V2, .act = "silu", .stem = 32, .width = 0.75, .depth = 1)
X("mobilevitv2_100", "", mobile, 256, 1000, 4900000, 1840000000, TIMM,
  .stages = MOBILEVIT_V2, .act = "silu", .stem = 32, .width = 1.0, .depth = 1)
X("mobilevitv2_125", "", mobile, 256, 1000, 7480000, 2860000000, TIMM,
  .stages = MOBILEVIT_V2, .act = "silu", .stem = 32, .width = 1.25, .depth = 1)
X("mobilevitv2_150", "mobilevitv2_150_384", mobile, 256, 1000, 10590000, 4090000000, TIMM,
  .stages = MOBILEVIT_V2, .act = "silu", .stem = 32, .width = 1.5, .depth = 1)
X("mobilevitv2_175", "mobilevitv2_175_384", mobile, 256, 1000, 14250000, 5540000000, TIMM,
  .stages = MOBILEVIT_V2, .act = "silu", .stem = 32, .width = 1.75, .depth = 1)
X("mobilevitv2_200", "mobilevitv2_200_384", mobile, 256, 1000, 18450000, 7220000000, TIMM,
  .stages = MOBILEVIT_V2, .act = "silu", .stem = 32, .width = 2.0, .depth = 1)
X("mobilenetv1_100h", "", mobile, 224, 1000, 5280000, 630000000, TIMM,
  .stages = MOBILENET_V1, .act = "relu6", .stem = 32, .width = 1, .depth = 1, .head = 1024)
X("mobilenet_edgetpu_100", "", mobile, 224, 1000, 4090000, 1000000000, TIMM,
  .stages = EDGETPU, .act = "relu", .stem = 32, .width = 1, .depth = 1, .head = 1280)
X("mobilenet_edgetpu_v2_xs", "", mobile, 224, 1000, 4460000, 700000000, TIMM,
  .stages = EDGETPU_V2_XS, .act = "relu", .stem = 32, .width = 1, .depth = 1, .head = 1280)
X("mobilenet_edgetpu_v2_s", "", mobile, 224, 1000, 5990000, 1210000000, TIMM,
  .stages = EDGETPU_V2_S, .act = "relu", .stem = 64, .stem_r = 5, .width = 1, .depth = 1, .head =
  1280)
X("mobilenet_edgetpu_v2_m", "", mobile, 224, 1000, 8460000, 1850000000, TIMM,
  .stages = EDGETPU_V2_M, .act = "relu", .stem = 64, .stem_r = 5, .width = 1, .depth = 1, .head =
  1344)
X("mobilenet_edgetpu_v2_l", "", mobile, 224, 1000, 10920000, 2550000000, TIMM,
  .stages = EDGETPU_V2_L, .act = "relu", .stem = 64, .stem_r = 7, .width = 1, .depth = 1, .head =
  1408)
X("mobilenetv3_large_150d",
  "mobilenet_v3_large_150d", mobile, 256, 1000, 14620000, 1030000000, TIMM,
  .stages = MOBILENET_V3_LARGE_150D, .act = "hard_swish", .stem = 16, .width = 1.5, .depth = 1,
  .hidden = 1280, .se_mid = true)
X("mobilenetv4_conv_small", "mobilenet_v4_small", mobile, 224, 1000, 3770000, 190000000, TIMM,
  .stages = MOBILENET_V4_SMALL, .act = "relu", .stem = 32, .width = 1, .depth = 1, .hidden = 1280,
  .hidden_norm = true)
X("mobilenetv4_conv_small_035", "", mobile, 224, 1000, 1910000, 50000000, TIMM,
  .stages = MOBILENET_V4_SMALL, .act = "relu", .stem = 32, .width = 0.35, .depth = 1, .hidden =
  1280, .hidden_norm = true, .fixed_stem = true)
X("mobilenetv4_conv_small_050", "", mobile, 224, 1000, 2240000, 70000000, TIMM,
  .stages = MOBILENET_V4_SMALL, .act = "relu", .stem = 32, .width = 0.5, .depth = 1, .hidden =
  1280, .hidden_norm = true, .fixed_stem = true)
X("mobilenetv4_conv_medium", "mobilenet_v4_medium", mobile, 256, 1000, 9720000, 1100000000, TIMM,
  .stages = MOBILENET_V4_MEDIUM, .act = "relu", .stem = 32, .width = 1, .depth = 1, .hidden =
  1280, .hidden_norm = true)
X("mobilenetv4_conv_aa_medium", "", mobile, 256, 1000, 9720000, 1580000000, TIMM,
  .stages = MOBILENET_V4_MEDIUM, .act = "relu", .stem = 32, .width = 1, .depth = 1, .hidden =
  1280, .hidden_norm = true, .aa = EC__AA_AVG)
X("mobilenetv4_conv_blur_medium", "", mobile, 224, 1000, 9720000, 1220000000, TIMM,
  .stages = MOBILENET_V4_MEDIUM, .act = "relu", .stem = 32, .width = 1, .depth = 1, .hidden =
  1280, .hidden_norm = true, .aa = EC__AA_BLUR)
X("mobilenetv4_conv_large", "mobilenet_v4_large", mobile, 256, 1000, 32590000, 2860000000, TIMM,
  .stages = MOBILENET_V4_LARGE, .act = "relu", .stem = 24, .width = 1, .depth = 1, .hidden = 1280,
  .hidden_norm = true)
X("mobilenetv4_conv_aa_large", "", mobile, 384, 1000, 32590000, 7070000000, TIMM,
  .stages = MOBILENET_V4_LARGE, .act = "relu", .stem = 24, .width = 1, .depth = 1, .hidden = 1280,
  .hidden_norm = true, .aa = EC__AA_AVG)
X("mobilenetv4_hybrid_medium", "", mobile, 256, 1000, 11070000, 1290000000, TIMM,
  .stages = MOBILENET_V4_HYBRID_MEDIUM, .act = "relu", .stem = 32, .width = 1, .depth = 1, .hidden
  = 1280, .hidden_norm = true, .layer_scale = true)
X("mobilenetv4_hybrid_medium_075", "", mobile, 224, 1000, 7310000, 660000000, TIMM,
  .stages = MOBILENET_V4_HYBRID_MEDIUM, .act = "relu", .stem = 32, .width = 0.75, .depth = 1,
  .hidden = 1280, .hidden_norm = true, .fixed_stem = true, .layer_scale = true)
X("mobilenetv4_hybrid_large", "", mobile, 384, 1000, 37760000, 7770000000, TIMM,
  .stages = MOBILENET_V4_HYBRID_LARGE, .act = "gelu", .stem = 24, .width = 1, .depth = 1, .hidden
  = 1280, .hidden_norm = true, .layer_scale = true)
X("mobilenetv4_hybrid_large_075", "", mobile, 256, 1000, 22750000, 2060000000, TIMM,
  .stages = MOBILENET_V4_HYBRID_LARGE, .act = "gelu", .stem = 24, .width = 0.75, .depth = 1,
  .hidden = 1280, .hidden_norm = true, .fixed_stem = true, .layer_scale = true)
X("mobilenetv5_base", "", mobile, 256, 1000, 82650000, 2.005e+10, TIMM,
  .stages = MOBILENET_V5_BASE, .fuse = 2, .act = "gelu approx=tanh", .stem = 64, .width = 1,
  .depth = 1, .head = 2048, .norm = EC__RMS_NORM, .layer_scale = true)
X("mobilenetv5_300m", "mobilenetv5_300m_enc", mobile, 768, 0, 294130000, 4.3574e+11, TIMM,
  .stages = MOBILENET_V5_300M, .fuse = 2, .act = "gelu approx=tanh", .stem = 64, .width = 1,
  .depth = 1, .head = 2048, .norm = EC__RMS_NORM, .layer_scale = true)

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
  "convnext_tiny_384_in22ft1k convnext_tiny_hnf convnext_tiny_hnfd",
  convnext, 224, 1000, 28589128, 4455531264, TV,
  .depths = { 4, { 3, 3, 9, 3 } }, .widths = { 4, { 96, 192, 384, 768 } }, .drop_path = 0.1)
X("convnext_small", "convnext_small_384_in22ft1k", convnext, 224, 1000, 50223688, 8683712256, TV,
  .depths = { 4, { 3, 3, 27, 3 } }, .widths = { 4, { 96, 192, 384, 768 } }, .drop_path = 0.4)
X("convnext_base", "convnext_base_384_in22ft1k", convnext, 224, 1000, 88591464, 1.535472947e+10, TV,
  .depths = { 4, { 3, 3, 27, 3 } }, .widths = { 4, { 128, 256, 512, 1024 } }, .drop_path = 0.5)
X("convnext_large",
  "convnext_large_384_in22ft1k", convnext, 224, 1000, 197767336, 3.43614336e+10, TV,
  .depths = { 4, { 3, 3, 27, 3 } }, .widths = { 4, { 192, 384, 768, 1536 } }, .drop_path = 0.5)
X("convnext_atto", "", convnext, 224, 1000, 3700000, 550000000, TIMM,
  .depths = { 4, { 2, 2, 6, 2 } }, .widths = { 4, { 40, 80, 160, 320 } }, .conv = true)
X("convnext_femto", "", convnext, 224, 1000, 5220000, 790000000, TIMM,
  .depths = { 4, { 2, 2, 6, 2 } }, .widths = { 4, { 48, 96, 192, 384 } }, .conv = true)
X("convnext_pico", "", convnext, 224, 1000, 9050000, 1370000000, TIMM,
  .depths = { 4, { 2, 2, 6, 2 } }, .widths = { 4, { 64, 128, 256, 512 } }, .conv = true)
X("convnext_nano", "convnext_nano_hnf", convnext, 224, 1000, 15590000, 2460000000, TIMM,
  .depths = { 4, { 2, 2, 8, 2 } }, .widths = { 4, { 80, 160, 320, 640 } }, .conv = true)
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
X("convnext_atto_ols", "", convnext, 224, 1000, 3700000, 580000000, TIMM,
  .depths = { 4, { 2, 2, 6, 2 } }, .widths = { 4, { 40, 80, 160, 320 } }, .conv = true,
  .stem = EC__OVERLAP_TIERED)
X("convnext_femto_ols", "", convnext, 224, 1000, 5230000, 820000000, TIMM,
  .depths = { 4, { 2, 2, 6, 2 } }, .widths = { 4, { 48, 96, 192, 384 } }, .conv = true,
  .stem = EC__OVERLAP_TIERED)
X("convnext_pico_ols", "", convnext, 224, 1000, 9060000, 1430000000, TIMM,
  .depths = { 4, { 2, 2, 6, 2 } }, .widths = { 4, { 64, 128, 256, 512 } }, .conv = true,
  .stem = EC__OVERLAP_TIERED)
X("convnext_nano_ols", "", convnext, 224, 1000, 15650000, 2650000000, TIMM,
  .depths = { 4, { 2, 2, 8, 2 } }, .widths = { 4, { 80, 160, 320, 640 } }, .conv = true,
  .stem = EC__OVERLAP)
X("convnext_large_mlp", "", convnext, 256, 1000, 200130000, 4.494e+10, TIMM,
  .depths = { 4, { 3, 3, 27, 3 } }, .widths = { 4, { 192, 384, 768, 1536 } }, .hidden = 1536)
X("convnext_xxlarge", "", convnext, 256, 1000, 846470000, 1.9809e+11, TIMM,
  .depths = { 4, { 3, 4, 30, 3 } }, .widths = { 4, { 384, 768, 1536, 3072 } })
X("convnext_atto_rms", "", convnext, 224, 1000, 3690000, 550000000, TIMM,
  .depths = { 4, { 2, 2, 6, 2 } }, .widths = { 4, { 40, 80, 160, 320 } }, .conv = true,
  .rms = true)
X("convnext_zepto_rms", "", convnext, 224, 1000, 2160000, 300000000, TIMM,
  .depths = { 4, { 2, 2, 4, 2 } }, .widths = { 4, { 32, 64, 128, 256 } }, .conv = true,
  .rms = true)
X("convnext_zepto_rms_ols", "", convnext, 224, 1000, 2160000, 340000000, TIMM,
  .depths = { 4, { 2, 2, 4, 2 } }, .widths = { 4, { 32, 64, 128, 256 } }, .conv = true,
  .stem = EC__OVERLAP_ACT, .rms = true)
X("test_convnext", "", convnext, 160, 1000, 270000, 30000000, TIMM,
  .depths = { 4, { 1, 2, 4, 2 } }, .widths = { 4, { 24, 32, 48, 64 } })
X("test_convnext2", "", convnext, 160, 1000, 480000, 50000000, TIMM,
  .depths = { 4, { 1, 1, 1, 1 } }, .widths = { 4, { 32, 64, 96, 128 } })
X("test_convnext3", "", convnext, 160, 1000, 470000, 50000000, TIMM,
  .depths = { 4, { 1, 1, 1, 1 } }, .widths = { 4, { 32, 64, 96, 128 } },
  .filters = { 4, { 7, 5, 5, 3 } }, .act = "silu")

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
  .patch = 16, .hidden = 192, .layers = 12, .heads = 3, .ffn = 768, .extra = 2,
  .distilled = true)
X("deit_small_distilled_patch16_224", "", vit, 224, 1000, 22440000, 4630000000, TIMM,
  .patch = 16, .hidden = 384, .layers = 12, .heads = 6, .ffn = 1536, .extra = 2,
  .distilled = true)
X("deit_base_distilled_patch16_224",
  "deit_base_distilled_patch16_384", vit, 224, 1000, 87340000, 1.768e+10, TIMM,
  .patch = 16, .hidden = 768, .layers = 12, .heads = 12, .ffn = 3072, .extra = 2,
  .distilled = true)
X("deit3_small_patch16_224", "deit3_small_patch16_384", vit, 224, 1000, 22060000, 4610000000, TIMM,
  .patch = 16, .hidden = 384, .layers = 12, .heads = 6, .ffn = 1536, .extra = 1, .scale = true,
  .positions = EC__OF_PATCHES, .drop_path = 0.1)
X("deit3_medium_patch16_224", "", vit, 224, 1000, 38850000, 8000000000, TIMM,
  .patch = 16, .hidden = 512, .layers = 12, .heads = 8, .ffn = 2048, .extra = 1, .scale = true,
  .positions = EC__OF_PATCHES, .drop_path = 0.1)
X("deit3_base_patch16_224", "deit3_base_patch16_384", vit, 224, 1000, 86590000, 1.758e+10, TIMM,
  .patch = 16, .hidden = 768, .layers = 12, .heads = 12, .ffn = 3072, .extra = 1, .scale = true,
  .positions = EC__OF_PATCHES, .drop_path = 0.1)
X("deit3_large_patch16_224", "deit3_large_patch16_384", vit, 224, 1000, 304370000, 6.16e+10, TIMM,
  .patch = 16, .hidden = 1024, .layers = 24, .heads = 16, .ffn = 4096, .extra = 1, .scale = true,
  .positions = EC__OF_PATCHES, .drop_path = 0.1)
X("deit3_huge_patch14_224", "", vit, 224, 1000, 632130000, 1.674e+11, TIMM,
  .patch = 14, .hidden = 1280, .layers = 32, .heads = 16, .ffn = 5120, .extra = 1, .scale = true,
  .positions = EC__OF_PATCHES, .drop_path = 0.1)
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
X("vit_giant_patch14_clip_224", "", vit, 224, 1024, 1012650000, 2.6718e+11, TIMM,
  .patch = 14, .hidden = 1408, .layers = 40, .heads = 16, .ffn = 6144, .extra = 1, .pre_norm = true)
X("vit_gigantic_patch14_224", "", vit, 224, 1000, 1844440000, 4.8395e+11, TIMM,
  .patch = 14, .hidden = 1664, .layers = 48, .heads = 16, .ffn = 8192, .extra = 1)
X("vit_base_patch16_224_miil", "", vit, 224, 1000, 86540000, 1.759e+10, TIMM,
  .patch = 16, .hidden = 768, .layers = 12, .heads = 12, .ffn = 3072, .extra = 1,
  .no_qkv_bias = true)

/* --- vit, further --- */
X("vit_tiny_r_s16_p8_224", "vit_tiny_r_s16_p8_384", vit, 224, 1000, 6340000, 440000000, TIMM,
  .patch = 8, .hidden = 192, .layers = 12, .heads = 3, .ffn = 768, .extra = 1,
  .stem = EC__STEM_RESNET_V2)
X("vit_small_r26_s32_224", "vit_small_r26_s32_384", vit, 224, 1000, 36430000, 3560000000, TIMM,
  .patch = 1, .hidden = 384, .layers = 12, .heads = 6, .ffn = 1536, .extra = 1,
  .stem_layers = { 4, { 2, 2, 2, 2 } }, .stem = EC__STEM_RESNET_V2)
X("vit_base_r26_s32_224", "", vit, 224, 1000, 101380000, 6810000000, TIMM,
  .patch = 1, .hidden = 768, .layers = 12, .heads = 12, .ffn = 3072, .extra = 1,
  .stem_layers = { 4, { 2, 2, 2, 2 } }, .stem = EC__STEM_RESNET_V2)
X("vit_base_r50_s16_224",
  "vit_base_r50_s16_384 vit_base_resnet50_384", vit, 224, 1000, 98660000, 2.166e+10, TIMM,
  .patch = 1, .hidden = 768, .layers = 12, .heads = 12, .ffn = 3072, .extra = 1,
  .stem_layers = { 3, { 3, 4, 9 } }, .stem = EC__STEM_RESNET_V2)
X("vit_large_r50_s32_224", "vit_large_r50_s32_384", vit, 224, 1000, 328990000, 1.958e+10, TIMM,
  .patch = 1, .hidden = 1024, .layers = 24, .heads = 16, .ffn = 4096, .extra = 1,
  .stem_layers = { 4, { 3, 4, 6, 3 } }, .stem = EC__STEM_RESNET_V2)
X("vit_small_resnet26d_224", "", vit, 224, 1000, 63610000, 5070000000, TIMM,
  .patch = 1, .hidden = 768, .layers = 8, .heads = 8, .ffn = 2304, .extra = 1,
  .stem_layers = { 4, { 2, 2, 2, 2 } }, .stem = EC__STEM_RESNET_D)
X("vit_small_resnet50d_s16_224", "", vit, 224, 1000, 57530000, 1.348e+10, TIMM,
  .patch = 1, .hidden = 768, .layers = 8, .heads = 8, .ffn = 2304, .extra = 1,
  .stem_layers = { 3, { 3, 4, 6 } }, .stem = EC__STEM_RESNET_D)
X("vit_base_resnet26d_224", "", vit, 224, 1000, 101400000, 6970000000, TIMM,
  .patch = 1, .hidden = 768, .layers = 12, .heads = 12, .ffn = 3072, .extra = 1,
  .stem_layers = { 4, { 2, 2, 2, 2 } }, .stem = EC__STEM_RESNET_D)
X("vit_base_resnet50d_224", "", vit, 224, 1000, 110970000, 8730000000, TIMM,
  .patch = 1, .hidden = 768, .layers = 12, .heads = 12, .ffn = 3072, .extra = 1,
  .stem_layers = { 4, { 3, 4, 6, 3 } }, .stem = EC__STEM_RESNET_D)
X("vit_base_patch16_rpn_224", "", vit, 224, 1000, 86540000, 1.749e+10, TIMM,
  .patch = 16, .hidden = 768, .layers = 12, .heads = 12, .ffn = 3072, .no_qkv_bias = true,
  .block = EC__BLOCK_POST, .pool = EC__POOL_MEAN, .norm = EC__NORM_AFTER)
X("vit_relpos_small_patch16_224", "", vit, 224, 1000, 21980000, 4590000000, TIMM,
  .patch = 16, .hidden = 384, .layers = 12, .heads = 6, .ffn = 1536, .relative = 128,
  .no_qkv_bias = true, .scale = true, .pool = EC__POOL_MEAN, .norm = EC__NORM_AFTER,
  .positions = EC__OF_NONE)
X("vit_relpos_medium_patch16_224", "", vit, 224, 1000, 38750000, 7970000000, TIMM,
  .patch = 16, .hidden = 512, .layers = 12, .heads = 8, .ffn = 2048, .relative = 128,
  .no_qkv_bias = true, .scale = true, .pool = EC__POOL_MEAN, .norm = EC__NORM_AFTER,
  .positions = EC__OF_NONE)
X("vit_relpos_base_patch16_224", "", vit, 224, 1000, 86430000, 1.751e+10, TIMM,
  .patch = 16, .hidden = 768, .layers = 12, .heads = 12, .ffn = 3072, .relative = 128,
  .no_qkv_bias = true, .scale = true, .pool = EC__POOL_MEAN, .norm = EC__NORM_AFTER,
  .positions = EC__OF_NONE)
X("vit_relpos_base_patch16_plus_240", "", vit, 240, 1000, 117380000, 2.73e+10, TIMM,
  .patch = 16, .hidden = 896, .layers = 12, .heads = 14, .ffn = 3584, .relative = 128,
  .scale = true, .pool = EC__POOL_MEAN, .positions = EC__OF_NONE)
X("vit_relpos_base_patch32_plus_rpn_256", "", vit, 256, 1000, 119420000, 7680000000, TIMM,
  .patch = 32, .hidden = 896, .layers = 12, .heads = 14, .ffn = 3584, .relative = 128,
  .block = EC__BLOCK_POST, .pool = EC__POOL_MEAN, .positions = EC__OF_NONE)
X("vit_relpos_small_patch16_rpn_224", "", vit, 224, 1000, 21970000, 4590000000, TIMM,
  .patch = 16, .hidden = 384, .layers = 12, .heads = 6, .ffn = 1536, .relative = 128,
  .no_qkv_bias = true, .block = EC__BLOCK_POST, .pool = EC__POOL_MEAN, .positions = EC__OF_NONE)
X("vit_relpos_medium_patch16_rpn_224", "", vit, 224, 1000, 38730000, 7970000000, TIMM,
  .patch = 16, .hidden = 512, .layers = 12, .heads = 8, .ffn = 2048, .relative = 128,
  .no_qkv_bias = true, .block = EC__BLOCK_POST, .pool = EC__POOL_MEAN, .positions = EC__OF_NONE)
X("vit_relpos_base_patch16_rpn_224", "", vit, 224, 1000, 86410000, 1.751e+10, TIMM,
  .patch = 16, .hidden = 768, .layers = 12, .heads = 12, .ffn = 3072, .relative = 128,
  .no_qkv_bias = true, .block = EC__BLOCK_POST, .pool = EC__POOL_MEAN, .positions = EC__OF_NONE)
X("vit_relpos_medium_patch16_cls_224", "", vit, 224, 1000, 38760000, 8030000000, TIMM,
  .patch = 16, .hidden = 512, .layers = 12, .heads = 8, .ffn = 2048, .relative = 256,
  .no_qkv_bias = true, .scale = true, .extra = 1, .positions = EC__OF_NONE)
X("vit_relpos_base_patch16_cls_224", "", vit, 224, 1000, 86430000, 1.76e+10, TIMM,
  .patch = 16, .hidden = 768, .layers = 12, .heads = 12, .ffn = 3072, .relative = 128,
  .no_qkv_bias = true, .scale = true, .extra = 1, .positions = EC__OF_NONE)
X("vit_relpos_base_patch16_clsgap_224", "", vit, 224, 1000, 86430000, 1.76e+10, TIMM,
  .patch = 16, .hidden = 768, .layers = 12, .heads = 12, .ffn = 3072, .relative = 128,
  .no_qkv_bias = true, .scale = true, .extra = 1, .pool = EC__POOL_MEAN, .norm = EC__NORM_AFTER,
  .positions = EC__OF_NONE)
X("vit_srelpos_small_patch16_224", "", vit, 224, 1000, 21970000, 4590000000, TIMM,
  .patch = 16, .hidden = 384, .layers = 12, .heads = 6, .ffn = 1536, .relative = 384,
  .shared_relative = true, .no_qkv_bias = true, .scale = true, .pool = EC__POOL_MEAN,
  .positions = EC__OF_NONE)
X("vit_srelpos_medium_patch16_224", "", vit, 224, 1000, 38740000, 7960000000, TIMM,
  .patch = 16, .hidden = 512, .layers = 12, .heads = 8, .ffn = 2048, .relative = 512,
  .shared_relative = true, .no_qkv_bias = true, .scale = true, .pool = EC__POOL_MEAN,
  .positions = EC__OF_NONE)
X("vit_medium_patch16_gap_240", "", vit, 240, 11821, 44400000, 9220000000, TIMM,
  .patch = 16, .hidden = 512, .layers = 12, .heads = 8, .ffn = 2048, .no_qkv_bias = true,
  .scale = true, .pool = EC__POOL_MEAN)
X("vit_medium_patch16_gap_256",
  "vit_medium_patch16_gap_384", vit, 256, 1000, 38860000, 1.059e+10, TIMM,
  .patch = 16, .hidden = 512, .layers = 12, .heads = 8, .ffn = 2048, .no_qkv_bias = true,
  .scale = true, .pool = EC__POOL_MEAN)
X("vit_betwixt_patch16_gap_256", "", vit, 256, 1000, 60370000, 1.625e+10, TIMM,
  .patch = 16, .hidden = 640, .layers = 12, .heads = 10, .ffn = 2560, .no_qkv_bias = true,
  .scale = true, .pool = EC__POOL_MEAN)
X("vit_base_patch16_gap_224", "", vit, 224, 1000, 86570000, 1.749e+10, TIMM,
  .patch = 16, .hidden = 768, .layers = 12, .heads = 16, .ffn = 3072, .pool = EC__POOL_MEAN)
X("vit_huge_patch14_gap_224", "", vit, 224, 0, 630760000, 1.6673e+11, TIMM,
  .patch = 14, .hidden = 1280, .layers = 32, .heads = 16, .ffn = 5120, .pool = EC__POOL_MEAN)
X("vit_huge_patch16_gap_448", "", vit, 448, 0, 631670000, 5.447e+11, TIMM,
  .patch = 16, .hidden = 1280, .layers = 32, .heads = 16, .ffn = 5120, .pool = EC__POOL_MEAN)
X("vit_giant_patch16_gap_224", "", vit, 224, 0, 1011370000, 2.0246e+11, TIMM,
  .patch = 16, .hidden = 1408, .layers = 40, .heads = 16, .ffn = 6144, .pool = EC__POOL_MEAN)
X("vit_xsmall_patch16_clip_224", "", vit, 224, 512, 8280000, 1790000000, TIMM,
  .patch = 16, .hidden = 256, .layers = 10, .heads = 4, .ffn = 1024, .extra = 1, .pre_norm = true)
X("vit_medium_patch32_clip_224", "", vit, 224, 512, 39690000, 2000000000, TIMM,
  .patch = 32, .hidden = 512, .layers = 12, .heads = 8, .ffn = 2048, .extra = 1, .pre_norm = true)
X("vit_medium_patch16_clip_224", "", vit, 224, 512, 38590000, 8000000000, TIMM,
  .patch = 16, .hidden = 512, .layers = 12, .heads = 8, .ffn = 2048, .extra = 1, .pre_norm = true)
X("vit_betwixt_patch32_clip_224", "", vit, 224, 512, 61410000, 3090000000, TIMM,
  .patch = 32, .hidden = 640, .layers = 12, .heads = 10, .ffn = 2560, .extra = 1, .pre_norm = true)
X("vit_base_patch32_clip_256", "", vit, 256, 512, 87860000, 5760000000, TIMM,
  .patch = 32, .hidden = 768, .layers = 12, .heads = 12, .ffn = 3072, .extra = 1, .pre_norm = true)
X("vit_base_patch16_plus_clip_240", "", vit, 240, 640, 117210000, 2.741e+10, TIMM,
  .patch = 16, .hidden = 896, .layers = 12, .heads = 14, .ffn = 3584, .extra = 1, .pre_norm = true)
X("vit_gigantic_patch14_clip_224", "", vit, 224, 1280, 1844910000, 4.8396e+11, TIMM,
  .patch = 14, .hidden = 1664, .layers = 48, .heads = 16, .ffn = 8192, .extra = 1,
  .pre_norm = true)
X("vit_gigantic_patch14_clip_378", "", vit, 378, 1280, 1845700000, 1.42982e+12, TIMM,
  .patch = 14, .hidden = 1664, .layers = 48, .heads = 16, .ffn = 8192, .extra = 1,
  .pre_norm = true)
X("vit_base_patch32_clip_quickgelu_224", "", vit, 224, 512, 87850000, 4410000000, TIMM,
  .patch = 32, .hidden = 768, .layers = 12, .heads = 12, .ffn = 3072, .act = "quick_gelu",
  .extra = 1, .pre_norm = true)
X("vit_base_patch16_clip_quickgelu_224", "", vit, 224, 512, 86190000, 1.758e+10, TIMM,
  .patch = 16, .hidden = 768, .layers = 12, .heads = 12, .ffn = 3072, .act = "quick_gelu",
  .extra = 1, .pre_norm = true)
X("vit_large_patch14_clip_quickgelu_224",
  "vit_large_patch14_clip_quickgelu_336", vit, 224, 768, 303970000, 8.108e+10, TIMM,
  .patch = 14, .hidden = 1024, .layers = 24, .heads = 16, .ffn = 4096, .act = "quick_gelu",
  .extra = 1, .pre_norm = true)
X("vit_huge_patch14_clip_quickgelu_224",
  "vit_huge_patch14_clip_quickgelu_378", vit, 224, 1024, 632080000, 1.674e+11, TIMM,
  .patch = 14, .hidden = 1280, .layers = 32, .heads = 16, .ffn = 5120, .act = "quick_gelu",
  .extra = 1, .pre_norm = true)
X("vit_gigantic_patch14_clip_quickgelu_224", "", vit, 224, 1280, 1844910000, 4.8396e+11, TIMM,
  .patch = 14, .hidden = 1664, .layers = 48, .heads = 16, .ffn = 8192, .act = "quick_gelu",
  .extra = 1, .pre_norm = true)
X("vit_base_mci_224", "", vit, 224, 512, 86350000, 1.773e+10, TIMM,
  .patch = 16, .hidden = 768, .layers = 12, .heads = 12, .ffn = 3072, .extra = 1,
  .stem = EC__STEM_CONVS, .positions = EC__OF_PATCHES)
X("flexivit_small", "", vit, 240, 1000, 22060000, 5350000000, TIMM,
  .patch = 16, .hidden = 384, .layers = 12, .heads = 6, .ffn = 1536, .extra = 1,
  .positions = EC__OF_PATCHES)
X("flexivit_base", "", vit, 240, 1000, 86590000, 2.029e+10, TIMM,
  .patch = 16, .hidden = 768, .layers = 12, .heads = 12, .ffn = 3072, .extra = 1,
  .positions = EC__OF_PATCHES)
X("flexivit_large", "", vit, 240, 1000, 304360000, 7.099e+10, TIMM,
  .patch = 16, .hidden = 1024, .layers = 24, .heads = 16, .ffn = 4096, .extra = 1,
  .positions = EC__OF_PATCHES)
X("vit_base_patch16_xp_224", "", vit, 224, 1000, 86510000, 1.756e+10, TIMM,
  .patch = 16, .hidden = 768, .layers = 12, .heads = 12, .ffn = 3072, .extra = 1, .pre_norm = true,
  .rms = true, .qk_norm = true, .no_qkv_bias = true, .block = EC__BLOCK_PARALLEL,
  .positions = EC__OF_PATCHES)
X("vit_large_patch14_xp_224", "", vit, 224, 1000, 304060000, 8.101e+10, TIMM,
  .patch = 14, .hidden = 1024, .layers = 24, .heads = 16, .ffn = 4096, .extra = 1,
  .pre_norm = true, .rms = true, .qk_norm = true, .no_qkv_bias = true, .block = EC__BLOCK_PARALLEL,
  .positions = EC__OF_PATCHES)
X("vit_huge_patch14_xp_224", "", vit, 224, 1000, 631800000, 1.673e+11, TIMM,
  .patch = 14, .hidden = 1280, .layers = 32, .heads = 16, .ffn = 5120, .extra = 1,
  .pre_norm = true, .rms = true, .qk_norm = true, .no_qkv_bias = true, .block = EC__BLOCK_PARALLEL,
  .positions = EC__OF_PATCHES)
X("vit_small_patch8_224", "", vit, 224, 0, 21670000, 2.244e+10, TIMM,
  .patch = 8, .hidden = 384, .layers = 12, .heads = 6, .ffn = 1536, .extra = 1)
X("vit_small_patch14_dinov2", "", vit, 518, 0, 22060000, 4.676e+10, TIMM,
  .patch = 14, .hidden = 384, .layers = 12, .heads = 6, .ffn = 1536, .extra = 1, .scale = true)
X("vit_small_patch14_reg4_dinov2", "", vit, 518, 0, 22060000, 4.695e+10, TIMM,
  .patch = 14, .hidden = 384, .layers = 12, .heads = 6, .ffn = 1536, .extra = 5, .scale = true,
  .positions = EC__OF_PATCHES)
X("vit_base_patch14_dinov2", "", vit, 518, 0, 86580000, 1.5171e+11, TIMM,
  .patch = 14, .hidden = 768, .layers = 12, .heads = 12, .ffn = 3072, .extra = 1, .scale = true)
X("vit_base_patch14_reg4_dinov2", "", vit, 518, 0, 86580000, 1.5225e+11, TIMM,
  .patch = 14, .hidden = 768, .layers = 12, .heads = 12, .ffn = 3072, .extra = 5, .scale = true,
  .positions = EC__OF_PATCHES)
X("vit_large_patch14_dinov2", "", vit, 518, 0, 304370000, 5.0715e+11, TIMM,
  .patch = 14, .hidden = 1024, .layers = 24, .heads = 16, .ffn = 4096, .extra = 1, .scale = true)
X("vit_large_patch14_reg4_dinov2", "", vit, 518, 0, 304370000, 5.089e+11, TIMM,
  .patch = 14, .hidden = 1024, .layers = 24, .heads = 16, .ffn = 4096, .extra = 5, .scale = true,
  .positions = EC__OF_PATCHES)
X("vit_giant_patch14_dinov2", "", vit, 518, 0, 1136480000, 1.7842e+12, TIMM,
  .patch = 14, .hidden = 1536, .layers = 40, .heads = 24, .ffn = 4096, .extra = 1, .scale = true,
  .gate = EC__GATE_PACKED)
X("vit_giant_patch14_reg4_dinov2", "", vit, 518, 0, 1136480000, 1.79008e+12, TIMM,
  .patch = 14, .hidden = 1536, .layers = 40, .heads = 24, .ffn = 4096, .extra = 5, .scale = true,
  .gate = EC__GATE_PACKED, .positions = EC__OF_PATCHES)
X("vit_base_patch32_siglip_256", "", vit, 256, 0, 94550000, 5750000000, TIMM,
  .patch = 32, .hidden = 768, .layers = 12, .heads = 12, .ffn = 3072, .pool = EC__POOL_ATTENTION)
X("vit_base_patch32_siglip_gap_256", "", vit, 256, 0, 87470000, 5670000000, TIMM,
  .patch = 32, .hidden = 768, .layers = 12, .heads = 12, .ffn = 3072, .pool = EC__POOL_MEAN)
X("vit_base_patch16_siglip_224",
  "vit_base_patch16_siglip_256 vit_base_patch16_siglip_384 vit_base_patch16_siglip_512",
  vit, 224, 0, 92880000, 1.773e+10, TIMM,
  .patch = 16, .hidden = 768, .layers = 12, .heads = 12, .ffn = 3072, .pool = EC__POOL_ATTENTION)
X("vit_base_patch16_siglip_gap_224",
  "vit_base_patch16_siglip_gap_256 vit_base_patch16_siglip_gap_384 "
  "vit_base_patch16_siglip_gap_512", vit, 224, 0, 85800000, 1.749e+10, TIMM,
  .patch = 16, .hidden = 768, .layers = 12, .heads = 12, .ffn = 3072, .pool = EC__POOL_MEAN)
X("vit_large_patch16_siglip_256",
  "vit_large_patch16_siglip_384 vit_large_patch16_siglip_512",
  vit, 256, 0, 315960000, 8.134e+10, TIMM,
  .patch = 16, .hidden = 1024, .layers = 24, .heads = 16, .ffn = 4096, .pool = EC__POOL_ATTENTION)
X("vit_large_patch16_siglip_gap_256",
  "vit_large_patch16_siglip_gap_384 vit_large_patch16_siglip_gap_512",
  vit, 256, 0, 303360000, 8.08e+10, TIMM,
  .patch = 16, .hidden = 1024, .layers = 24, .heads = 16, .ffn = 4096, .pool = EC__POOL_MEAN)
X("vit_so400m_patch14_siglip_224",
  "vit_so400m_patch14_siglip_378 vit_so400m_patch14_siglip_384",
  vit, 224, 0, 427680000, 1.1026e+11, TIMM,
  .patch = 14, .hidden = 1152, .layers = 27, .heads = 16, .ffn = 4304, .pool = EC__POOL_ATTENTION)
X("vit_so400m_patch14_siglip_gap_224",
  "vit_so400m_patch14_siglip_gap_378 vit_so400m_patch14_siglip_gap_384 "
  "vit_so400m_patch14_siglip_gap_448 vit_so400m_patch14_siglip_gap_896",
  vit, 224, 0, 412440000, 1.0957e+11, TIMM,
  .patch = 14, .hidden = 1152, .layers = 27, .heads = 16, .ffn = 4304, .pool = EC__POOL_MEAN)
X("vit_so400m_patch16_siglip_256",
  "vit_so400m_patch16_siglip_384 vit_so400m_patch16_siglip_512",
  vit, 256, 0, 427890000, 1.1031e+11, TIMM,
  .patch = 16, .hidden = 1152, .layers = 27, .heads = 16, .ffn = 4304, .pool = EC__POOL_ATTENTION)
X("vit_so400m_patch16_siglip_gap_256",
  "vit_so400m_patch16_siglip_gap_384 vit_so400m_patch16_siglip_gap_512",
  vit, 256, 0, 412650000, 1.0962e+11, TIMM,
  .patch = 16, .hidden = 1152, .layers = 27, .heads = 16, .ffn = 4304, .pool = EC__POOL_MEAN)
X("vit_giantopt_patch16_siglip_256",
  "vit_giantopt_patch16_siglip_384", vit, 256, 0, 1163170000, 2.9966e+11, TIMM,
  .patch = 16, .hidden = 1536, .layers = 40, .heads = 16, .ffn = 6144, .pool = EC__POOL_ATTENTION)
X("vit_giantopt_patch16_siglip_gap_256",
  "vit_giantopt_patch16_siglip_gap_384", vit, 256, 0, 1134840000, 2.9842e+11, TIMM,
  .patch = 16, .hidden = 1536, .layers = 40, .heads = 16, .ffn = 6144, .pool = EC__POOL_MEAN)
X("vit_wee_patch16_reg1_gap_256", "", vit, 256, 1000, 13420000, 3830000000, TIMM,
  .patch = 16, .hidden = 256, .layers = 14, .heads = 4, .ffn = 1280, .extra = 1, .scale = true,
  .pool = EC__POOL_MEAN, .norm = EC__NORM_AFTER, .positions = EC__OF_PATCHES)
X("vit_dwee_patch16_reg1_gap_256", "", vit, 256, 1000, 13430000, 3830000000, TIMM,
  .patch = 16, .hidden = 256, .layers = 14, .heads = 4, .ffn = 1280, .extra = 1,
  .differential = true, .scale = true, .pool = EC__POOL_MEAN, .norm = EC__NORM_AFTER,
  .positions = EC__OF_PATCHES)
X("vit_pwee_patch16_reg1_gap_256", "", vit, 256, 1000, 15250000, 4370000000, TIMM,
  .patch = 16, .hidden = 256, .layers = 16, .heads = 4, .ffn = 1280, .extra = 1,
  .block = EC__BLOCK_PARALLEL, .scale = true, .pool = EC__POOL_MEAN, .norm = EC__NORM_AFTER,
  .positions = EC__OF_PATCHES)
X("vit_dpwee_patch16_reg1_gap_256", "", vit, 256, 1000, 15250000, 4370000000, TIMM,
  .patch = 16, .hidden = 256, .layers = 16, .heads = 4, .ffn = 1280, .extra = 1,
  .block = EC__BLOCK_PARALLEL, .differential = true, .scale = true, .pool = EC__POOL_MEAN,
  .norm = EC__NORM_AFTER, .positions = EC__OF_PATCHES)
X("vit_little_patch16_reg1_gap_256", "", vit, 256, 1000, 22520000, 6270000000, TIMM,
  .patch = 16, .hidden = 320, .layers = 14, .heads = 5, .ffn = 1792, .extra = 1, .scale = true,
  .pool = EC__POOL_MEAN, .norm = EC__NORM_AFTER, .positions = EC__OF_PATCHES)
X("vit_little_patch16_reg4_gap_256", "", vit, 256, 1000, 22520000, 6350000000, TIMM,
  .patch = 16, .hidden = 320, .layers = 14, .heads = 5, .ffn = 1792, .extra = 4, .scale = true,
  .pool = EC__POOL_MEAN, .norm = EC__NORM_AFTER, .positions = EC__OF_PATCHES)
X("vit_dlittle_patch16_reg1_gap_256", "", vit, 256, 1000, 22520000, 6270000000, TIMM,
  .patch = 16, .hidden = 320, .layers = 14, .heads = 5, .ffn = 1792, .extra = 1,
  .differential = true, .scale = true, .pool = EC__POOL_MEAN, .norm = EC__NORM_AFTER,
  .positions = EC__OF_PATCHES)
X("vit_medium_patch16_reg1_gap_256", "", vit, 256, 1000, 38880000, 1.063e+10, TIMM,
  .patch = 16, .hidden = 512, .layers = 12, .heads = 8, .ffn = 2048, .extra = 1, .scale = true,
  .pool = EC__POOL_MEAN, .norm = EC__NORM_AFTER, .positions = EC__OF_PATCHES)
X("vit_medium_patch16_reg4_gap_256", "", vit, 256, 1000, 38880000, 1.076e+10, TIMM,
  .patch = 16, .hidden = 512, .layers = 12, .heads = 8, .ffn = 2048, .extra = 4, .scale = true,
  .pool = EC__POOL_MEAN, .norm = EC__NORM_AFTER, .positions = EC__OF_PATCHES)
X("vit_medium_patch16_reg4_256", "", vit, 256, 1000, 38870000, 9970000000, TIMM,
  .patch = 16, .hidden = 512, .layers = 12, .heads = 8, .ffn = 2048, .extra = 5,
  .positions = EC__OF_PATCHES)
X("vit_mediumd_patch16_reg4_gap_256",
  "vit_mediumd_patch16_reg4_gap_384", vit, 256, 1000, 64110000, 1.787e+10, TIMM,
  .patch = 16, .hidden = 512, .layers = 20, .heads = 8, .ffn = 2048, .extra = 4, .scale = true,
  .pool = EC__POOL_MEAN, .norm = EC__NORM_AFTER, .positions = EC__OF_PATCHES)
X("vit_betwixt_patch16_reg1_gap_256", "", vit, 256, 1000, 60400000, 1.632e+10, TIMM,
  .patch = 16, .hidden = 640, .layers = 12, .heads = 10, .ffn = 2560, .extra = 1, .scale = true,
  .pool = EC__POOL_MEAN, .norm = EC__NORM_AFTER, .positions = EC__OF_PATCHES)
X("vit_betwixt_patch16_reg4_gap_256",
  "vit_betwixt_patch16_reg4_gap_384", vit, 256, 1000, 60400000, 1.652e+10, TIMM,
  .patch = 16, .hidden = 640, .layers = 12, .heads = 10, .ffn = 2560, .extra = 4, .scale = true,
  .pool = EC__POOL_MEAN, .norm = EC__NORM_AFTER, .positions = EC__OF_PATCHES)
X("vit_base_patch16_reg4_gap_256", "", vit, 256, 1000, 86620000, 2.35e+10, TIMM,
  .patch = 16, .hidden = 768, .layers = 12, .heads = 12, .ffn = 3072, .extra = 4,
  .pool = EC__POOL_MEAN, .norm = EC__NORM_AFTER, .positions = EC__OF_PATCHES)
X("vit_base_patch16_reg8_gap_256", "", vit, 256, 1000, 86620000, 2.26e+10, TIMM,
  .patch = 16, .hidden = 768, .layers = 12, .heads = 12, .ffn = 3072, .extra = 8,
  .pool = EC__POOL_MEAN, .norm = EC__NORM_AFTER, .positions = EC__OF_PATCHES)
X("vit_so150m_patch16_reg4_gap_256",
  "vit_so150m_patch16_reg4_gap_384", vit, 256, 1000, 134130000, 3.675e+10, TIMM,
  .patch = 16, .hidden = 896, .layers = 18, .heads = 14, .ffn = 2304, .extra = 4,
  .pool = EC__POOL_MEAN)
X("vit_so150m_patch16_reg4_map_256", "", vit, 256, 1000, 141480000, 3.718e+10, TIMM,
  .patch = 16, .hidden = 896, .layers = 18, .heads = 14, .ffn = 2304, .extra = 4,
  .pool = EC__POOL_ATTENTION)
X("vit_so150m2_patch16_reg1_gap_256",
  "vit_so150m2_patch16_reg1_gap_384 vit_so150m2_patch16_reg1_gap_448",
  vit, 256, 1000, 136060000, 3.7e+10, TIMM,
  .patch = 16, .hidden = 832, .layers = 21, .heads = 13, .ffn = 2176, .extra = 1,
  .no_qkv_bias = true, .scale = true, .pool = EC__POOL_MEAN, .norm = EC__NORM_AFTER,
  .positions = EC__OF_PATCHES)
X("vit_intern300m_patch14_448", "", vit, 448, 0, 304010000, 3.6205e+11, TIMM,
  .patch = 14, .hidden = 1024, .layers = 24, .heads = 16, .ffn = 4096, .extra = 1, .scale = true,
  .norm = EC__NORM_NONE)
X("test_vit", "", vit, 160, 1000, 370000, 40000000, TIMM,
  .patch = 16, .hidden = 64, .layers = 6, .heads = 2, .ffn = 192, .extra = 1)
X("test_vit2", "", vit, 160, 1000, 460000, 50000000, TIMM,
  .patch = 16, .hidden = 64, .layers = 8, .heads = 2, .ffn = 192, .extra = 1, .scale = true,
  .pool = EC__POOL_MEAN, .norm = EC__NORM_AFTER)
X("test_vit3", "", vit, 160, 1000, 930000, 90000000, TIMM,
  .patch = 16, .hidden = 96, .layers = 9, .heads = 3, .ffn = 192, .extra = 1, .scale = true,
  .pool = EC__POOL_ATTENTION)
X("test_vit4", "", vit, 160, 1000, 1020000, 110000000, TIMM,
  .patch = 16, .hidden = 96, .layers = 9, .heads = 3, .ffn = 288, .extra = 1, .scale = true,
  .pool = EC__POOL_MEAN, .norm = EC__NORM_AFTER)
X("aimv2_large_patch14_224",
  "aimv2_large_patch14_336 aimv2_large_patch14_448", vit, 224, 0, 309200000, 8.23e+10, TIMM,
  .patch = 14, .hidden = 1024, .layers = 24, .heads = 8, .ffn = 2816, .rms = true,
  .embed_norm = true, .no_bias = true, .gate = EC__GATE_SPLIT, .pool = EC__POOL_MEAN)
X("aimv2_huge_patch14_224",
  "aimv2_huge_patch14_336 aimv2_huge_patch14_448", vit, 224, 0, 680850000, 1.7901e+11, TIMM,
  .patch = 14, .hidden = 1536, .layers = 24, .heads = 12, .ffn = 4096, .rms = true,
  .embed_norm = true, .no_bias = true, .gate = EC__GATE_SPLIT, .pool = EC__POOL_MEAN)
X("aimv2_1b_patch14_224",
  "aimv2_1b_patch14_336 aimv2_1b_patch14_448", vit, 224, 0, 1234960000, 3.2243e+11, TIMM,
  .patch = 14, .hidden = 2048, .layers = 24, .heads = 16, .ffn = 5632, .rms = true,
  .embed_norm = true, .no_bias = true, .gate = EC__GATE_SPLIT, .pool = EC__POOL_MEAN)
X("aimv2_3b_patch14_224",
  "aimv2_3b_patch14_336 aimv2_3b_patch14_448", vit, 224, 0, 2720660000, 7.0591e+11, TIMM,
  .patch = 14, .hidden = 3072, .layers = 24, .heads = 24, .ffn = 8192, .rms = true,
  .embed_norm = true, .no_bias = true, .gate = EC__GATE_SPLIT, .pool = EC__POOL_MEAN)
X("naflexvit_base_patch16_gap",
  "naflexvit_base_patch16_par_gap", vit, 384, 1000, 86630000, 5.586e+10, TIMM,
  .patch = 16, .hidden = 768, .layers = 12, .heads = 12, .ffn = 3072, .extra = 4, .scale = true,
  .grid = 16, .positions = EC__OF_PATCHES, .pool = EC__POOL_MEAN, .norm = EC__NORM_AFTER)
X("naflexvit_base_patch16_parfac_gap", "", vit, 384, 1000, 86460000, 5.586e+10, TIMM,
  .patch = 16, .hidden = 768, .layers = 12, .heads = 12, .ffn = 3072, .extra = 4, .factored = true,
  .scale = true, .grid = 16, .positions = EC__OF_PATCHES, .pool = EC__POOL_MEAN,
  .norm = EC__NORM_AFTER)
X("naflexvit_base_patch16_map", "", vit, 384, 1000, 93720000, 5.623e+10, TIMM,
  .patch = 16, .hidden = 768, .layers = 12, .heads = 12, .ffn = 3072, .extra = 1, .scale = true,
  .grid = 16, .positions = EC__OF_PATCHES, .pool = EC__POOL_ATTENTION)
X("naflexvit_base_patch16_siglip", "", vit, 384, 0, 92930000, 5.612e+10, TIMM,
  .patch = 16, .hidden = 768, .layers = 12, .heads = 12, .ffn = 3072, .grid = 16,
  .positions = EC__OF_PATCHES, .pool = EC__POOL_ATTENTION)
X("naflexvit_so400m_patch16_siglip", "", vit, 384, 0, 427890000, 2.5965e+11, TIMM,
  .patch = 16, .hidden = 1152, .layers = 27, .heads = 16, .ffn = 4304, .grid = 16,
  .positions = EC__OF_PATCHES, .pool = EC__POOL_ATTENTION)
X("naflexvit_so150m2_patch16_reg1_gap", "", vit, 384, 1000, 136060000, 8.953e+10, TIMM,
  .patch = 16, .hidden = 832, .layers = 21, .heads = 13, .ffn = 2176, .extra = 1,
  .no_qkv_bias = true, .scale = true, .grid = 16, .positions = EC__OF_PATCHES,
  .pool = EC__POOL_MEAN, .norm = EC__NORM_AFTER)
X("naflexvit_so150m2_patch16_reg1_map", "", vit, 384, 1000, 142460000, 9.033e+10, TIMM,
  .patch = 16, .hidden = 832, .layers = 21, .heads = 13, .ffn = 2176, .extra = 1,
  .no_qkv_bias = true, .scale = true, .grid = 16, .positions = EC__OF_PATCHES,
  .pool = EC__POOL_ATTENTION)
X("eva_large_patch14_196", "eva_large_patch14_336", vit, 196, 1000, 304140000, 6.157e+10, TIMM,
  .patch = 14, .hidden = 1024, .layers = 24, .heads = 16, .ffn = 4096, .extra = 1,
  .pool = EC__POOL_MEAN, .norm = EC__NORM_AFTER)
X("eva_giant_patch14_224",
  "eva_giant_patch14_336 eva_giant_patch14_560", vit, 224, 1000, 1012560000, 2.6718e+11, TIMM,
  .patch = 14, .hidden = 1408, .layers = 40, .heads = 16, .ffn = 6144, .extra = 1,
  .pool = EC__POOL_MEAN, .norm = EC__NORM_AFTER)
X("eva_giant_patch14_clip_224", "", vit, 224, 1024, 1012590000, 2.6718e+11, TIMM,
  .patch = 14, .hidden = 1408, .layers = 40, .heads = 16, .ffn = 6144, .extra = 1)
X("eva02_tiny_patch14_224", "", vit, 224, 0, 5500000, 1700000000, TIMM,
  .patch = 14, .hidden = 192, .layers = 12, .heads = 3, .ffn = 512, .gate = EC__GATE_PACKED,
  .extra = 1, .rope = EC__ROPE_FIXED, .pool = EC__POOL_MEAN, .norm = EC__NORM_AFTER)
X("eva02_tiny_patch14_336", "", vit, 336, 1000, 5760000, 4680000000, TIMM,
  .patch = 14, .hidden = 192, .layers = 12, .heads = 3, .ffn = 512, .gate = EC__GATE_PACKED,
  .extra = 1, .rope = EC__ROPE_FIXED, .pool = EC__POOL_MEAN, .norm = EC__NORM_AFTER)
X("eva02_small_patch14_224", "", vit, 224, 0, 21620000, 6140000000, TIMM,
  .patch = 14, .hidden = 384, .layers = 12, .heads = 6, .ffn = 1024, .gate = EC__GATE_PACKED,
  .extra = 1, .rope = EC__ROPE_FIXED, .pool = EC__POOL_MEAN, .norm = EC__NORM_AFTER)
X("eva02_small_patch14_336", "", vit, 336, 1000, 22130000, 1.548e+10, TIMM,
  .patch = 14, .hidden = 384, .layers = 12, .heads = 6, .ffn = 1024, .gate = EC__GATE_PACKED,
  .extra = 1, .rope = EC__ROPE_FIXED, .pool = EC__POOL_MEAN, .norm = EC__NORM_AFTER)
X("eva02_base_patch14_224", "", vit, 224, 0, 85760000, 2.322e+10, TIMM,
  .patch = 14, .hidden = 768, .layers = 12, .heads = 12, .ffn = 2048, .gate = EC__GATE_SPLIT,
  .mlp_norm = true, .split_qkv = true, .extra = 1, .rope = EC__ROPE_FIXED, .pool = EC__POOL_MEAN,
  .norm = EC__NORM_AFTER)
X("eva02_base_patch14_448", "", vit, 448, 1000, 87120000, 1.0711e+11, TIMM,
  .patch = 14, .hidden = 768, .layers = 12, .heads = 12, .ffn = 2048, .gate = EC__GATE_SPLIT,
  .mlp_norm = true, .split_qkv = true, .extra = 1, .rope = EC__ROPE_FIXED, .pool = EC__POOL_MEAN,
  .norm = EC__NORM_AFTER)
X("eva02_large_patch14_224", "", vit, 224, 0, 303270000, 8.115e+10, TIMM,
  .patch = 14, .hidden = 1024, .layers = 24, .heads = 16, .ffn = 2730, .gate = EC__GATE_SPLIT,
  .mlp_norm = true, .split_qkv = true, .extra = 1, .rope = EC__ROPE_FIXED, .pool = EC__POOL_MEAN,
  .norm = EC__NORM_AFTER)
X("eva02_large_patch14_448", "", vit, 448, 1000, 305080000, 3.6233e+11, TIMM,
  .patch = 14, .hidden = 1024, .layers = 24, .heads = 16, .ffn = 2730, .gate = EC__GATE_SPLIT,
  .mlp_norm = true, .split_qkv = true, .extra = 1, .rope = EC__ROPE_FIXED, .pool = EC__POOL_MEAN,
  .norm = EC__NORM_AFTER)
X("eva02_base_patch16_clip_224", "", vit, 224, 512, 86260000, 1.762e+10, TIMM,
  .patch = 16, .hidden = 768, .layers = 12, .heads = 12, .ffn = 2048, .attn_norm = true,
  .gate = EC__GATE_SPLIT, .mlp_norm = true, .split_qkv = true, .extra = 1, .rope = EC__ROPE_FIXED)
X("eva02_large_patch14_clip_224",
  "eva02_large_patch14_clip_336", vit, 224, 768, 304110000, 8.118e+10, TIMM,
  .patch = 14, .hidden = 1024, .layers = 24, .heads = 16, .ffn = 2730, .attn_norm = true,
  .gate = EC__GATE_SPLIT, .mlp_norm = true, .split_qkv = true, .extra = 1, .rope = EC__ROPE_FIXED)
X("eva02_enormous_patch14_clip_224", "", vit, 224, 1024, 4350560000, 1.13246e+12, TIMM,
  .patch = 14, .hidden = 1792, .layers = 64, .heads = 16, .ffn = 15360, .extra = 1,
  .block = EC__BLOCK_POST)
X("vit_medium_patch16_rope_reg1_gap_256", "", vit, 256, 1000, 38740000, 1.063e+10, TIMM,
  .patch = 16, .hidden = 512, .layers = 12, .heads = 8, .ffn = 2048, .extra = 1, .scale = true,
  .rope = EC__ROPE_FIXED, .positions = EC__OF_NONE, .pool = EC__POOL_MEAN, .norm = EC__NORM_AFTER)
X("vit_mediumd_patch16_rope_reg1_gap_256", "", vit, 256, 1000, 63950000, 1.765e+10, TIMM,
  .patch = 16, .hidden = 512, .layers = 20, .heads = 8, .ffn = 2048, .extra = 1,
  .no_qkv_bias = true, .scale = true, .rope = EC__ROPE_FIXED, .positions = EC__OF_NONE,
  .pool = EC__POOL_MEAN, .norm = EC__NORM_AFTER)
X("vit_betwixt_patch16_rope_reg4_gap_256", "", vit, 256, 1000, 60230000, 1.652e+10, TIMM,
  .patch = 16, .hidden = 640, .layers = 12, .heads = 10, .ffn = 2560, .extra = 4, .scale = true,
  .rope = EC__ROPE_FIXED, .positions = EC__OF_NONE, .pool = EC__POOL_MEAN, .norm = EC__NORM_AFTER)
X("vit_base_patch16_rope_reg1_gap_256", "", vit, 256, 1000, 86430000, 2.322e+10, TIMM,
  .patch = 16, .hidden = 768, .layers = 12, .heads = 12, .ffn = 3072, .extra = 1, .scale = true,
  .rope = EC__ROPE_FIXED, .positions = EC__OF_NONE, .pool = EC__POOL_MEAN, .norm = EC__NORM_AFTER)
X("vit_small_patch16_rope_224", "", vit, 224, 1000, 21980000, 4610000000, TIMM,
  .patch = 16, .hidden = 384, .layers = 12, .heads = 6, .ffn = 1536, .extra = 1, .scale = true,
  .rope = EC__ROPE_FIXED, .positions = EC__OF_NONE)
X("vit_small_patch16_rope_ape_224", "", vit, 224, 1000, 22060000, 4610000000, TIMM,
  .patch = 16, .hidden = 384, .layers = 12, .heads = 6, .ffn = 1536, .extra = 1, .scale = true,
  .rope = EC__ROPE_FIXED, .positions = EC__OF_PATCHES)
X("vit_small_patch16_rope_mixed_224", "", vit, 224, 1000, 21990000, 4610000000, TIMM,
  .patch = 16, .hidden = 384, .layers = 12, .heads = 6, .ffn = 1536, .extra = 1, .scale = true,
  .rope = EC__ROPE_LEARNED, .positions = EC__OF_NONE)
X("vit_small_patch16_rope_mixed_ape_224", "", vit, 224, 1000, 22060000, 4610000000, TIMM,
  .patch = 16, .hidden = 384, .layers = 12, .heads = 6, .ffn = 1536, .extra = 1, .scale = true,
  .rope = EC__ROPE_LEARNED, .positions = EC__OF_PATCHES)
X("vit_base_patch16_rope_224", "", vit, 224, 1000, 86430000, 1.758e+10, TIMM,
  .patch = 16, .hidden = 768, .layers = 12, .heads = 12, .ffn = 3072, .extra = 1, .scale = true,
  .rope = EC__ROPE_FIXED, .positions = EC__OF_NONE)
X("vit_base_patch16_rope_ape_224", "", vit, 224, 1000, 86590000, 1.758e+10, TIMM,
  .patch = 16, .hidden = 768, .layers = 12, .heads = 12, .ffn = 3072, .extra = 1, .scale = true,
  .rope = EC__ROPE_FIXED, .positions = EC__OF_PATCHES)
X("vit_base_patch16_rope_mixed_224", "", vit, 224, 1000, 86440000, 1.758e+10, TIMM,
  .patch = 16, .hidden = 768, .layers = 12, .heads = 12, .ffn = 3072, .extra = 1, .scale = true,
  .rope = EC__ROPE_LEARNED, .positions = EC__OF_NONE)
X("vit_base_patch16_rope_mixed_ape_224", "", vit, 224, 1000, 86590000, 1.758e+10, TIMM,
  .patch = 16, .hidden = 768, .layers = 12, .heads = 12, .ffn = 3072, .extra = 1, .scale = true,
  .rope = EC__ROPE_LEARNED, .positions = EC__OF_PATCHES)
X("vit_large_patch16_rope_224", "", vit, 224, 1000, 304170000, 6.16e+10, TIMM,
  .patch = 16, .hidden = 1024, .layers = 24, .heads = 16, .ffn = 4096, .extra = 1, .scale = true,
  .rope = EC__ROPE_FIXED, .positions = EC__OF_NONE)
X("vit_large_patch16_rope_ape_224", "", vit, 224, 1000, 304370000, 6.16e+10, TIMM,
  .patch = 16, .hidden = 1024, .layers = 24, .heads = 16, .ffn = 4096, .extra = 1, .scale = true,
  .rope = EC__ROPE_FIXED, .positions = EC__OF_PATCHES)
X("vit_large_patch16_rope_mixed_224", "", vit, 224, 1000, 304200000, 6.16e+10, TIMM,
  .patch = 16, .hidden = 1024, .layers = 24, .heads = 16, .ffn = 4096, .extra = 1, .scale = true,
  .rope = EC__ROPE_LEARNED, .positions = EC__OF_NONE)
X("vit_large_patch16_rope_mixed_ape_224", "", vit, 224, 1000, 304400000, 6.16e+10, TIMM,
  .patch = 16, .hidden = 1024, .layers = 24, .heads = 16, .ffn = 4096, .extra = 1, .scale = true,
  .rope = EC__ROPE_LEARNED, .positions = EC__OF_PATCHES)
X("vit_small_patch16_dinov3", "", vit, 256, 0, 21590000, 6260000000, TIMM,
  .patch = 16, .hidden = 384, .layers = 12, .heads = 6, .ffn = 1536, .scale = true, .extra = 5,
  .pool = EC__POOL_MEAN, .rope = EC__ROPE_FIXED, .positions = EC__OF_NONE, .no_qkv_bias = true)
X("vit_small_patch16_dinov3_qkvb", "", vit, 256, 0, 21600000, 6260000000, TIMM,
  .patch = 16, .hidden = 384, .layers = 12, .heads = 6, .ffn = 1536, .scale = true, .extra = 5,
  .pool = EC__POOL_MEAN, .rope = EC__ROPE_FIXED, .positions = EC__OF_NONE)
X("vit_small_plus_patch16_dinov3", "", vit, 256, 0, 28680000, 8110000000, TIMM,
  .patch = 16, .hidden = 384, .layers = 12, .heads = 6, .ffn = 1536, .scale = true, .extra = 5,
  .pool = EC__POOL_MEAN, .rope = EC__ROPE_FIXED, .positions = EC__OF_NONE, .gate = EC__GATE_SPLIT,
  .no_qkv_bias = true)
X("vit_small_plus_patch16_dinov3_qkvb", "", vit, 256, 0, 28690000, 8110000000, TIMM,
  .patch = 16, .hidden = 384, .layers = 12, .heads = 6, .ffn = 1536, .scale = true, .extra = 5,
  .pool = EC__POOL_MEAN, .rope = EC__ROPE_FIXED, .positions = EC__OF_NONE, .gate = EC__GATE_SPLIT)
X("vit_base_patch16_dinov3", "", vit, 256, 0, 85640000, 2.36e+10, TIMM,
  .patch = 16, .hidden = 768, .layers = 12, .heads = 12, .ffn = 3072, .scale = true, .extra = 5,
  .pool = EC__POOL_MEAN, .rope = EC__ROPE_FIXED, .positions = EC__OF_NONE, .no_qkv_bias = true)
X("vit_base_patch16_dinov3_qkvb", "", vit, 256, 0, 85660000, 2.36e+10, TIMM,
  .patch = 16, .hidden = 768, .layers = 12, .heads = 12, .ffn = 3072, .scale = true, .extra = 5,
  .pool = EC__POOL_MEAN, .rope = EC__ROPE_FIXED, .positions = EC__OF_NONE)
X("vit_large_patch16_dinov3", "", vit, 256, 0, 303080000, 8.243e+10, TIMM,
  .patch = 16, .hidden = 1024, .layers = 24, .heads = 16, .ffn = 4096, .scale = true, .extra = 5,
  .pool = EC__POOL_MEAN, .rope = EC__ROPE_FIXED, .positions = EC__OF_NONE, .no_qkv_bias = true)
X("vit_large_patch16_dinov3_qkvb", "", vit, 256, 0, 303130000, 8.243e+10, TIMM,
  .patch = 16, .hidden = 1024, .layers = 24, .heads = 16, .ffn = 4096, .scale = true, .extra = 5,
  .pool = EC__POOL_MEAN, .rope = EC__ROPE_FIXED, .positions = EC__OF_NONE)
X("vit_huge_plus_patch16_dinov3", "", vit, 256, 0, 840510000, 2.2488e+11, TIMM,
  .patch = 16, .hidden = 1280, .layers = 32, .heads = 20, .ffn = 5120, .scale = true, .extra = 5,
  .pool = EC__POOL_MEAN, .rope = EC__ROPE_FIXED, .positions = EC__OF_NONE, .gate = EC__GATE_SPLIT,
  .no_qkv_bias = true)
X("vit_huge_plus_patch16_dinov3_qkvb", "", vit, 256, 0, 840590000, 2.2488e+11, TIMM,
  .patch = 16, .hidden = 1280, .layers = 32, .heads = 20, .ffn = 5120, .scale = true, .extra = 5,
  .pool = EC__POOL_MEAN, .rope = EC__ROPE_FIXED, .positions = EC__OF_NONE, .gate = EC__GATE_SPLIT)
X("vit_7b_patch16_dinov3", "", vit, 256, 0, 6716030000, 1.7751e+12, TIMM,
  .patch = 16, .hidden = 4096, .layers = 40, .heads = 32, .ffn = 8192, .gate = EC__GATE_SPLIT,
  .no_qkv_bias = true, .scale = true, .extra = 5, .pool = EC__POOL_MEAN, .rope = EC__ROPE_FIXED,
  .positions = EC__OF_NONE)
X("vit_pe_core_tiny_patch16_384", "", vit, 384, 512, 6140000, 4740000000, TIMM,
  .patch = 16, .hidden = 192, .layers = 12, .heads = 3, .ffn = 768, .pool_heads = 8,
  .pre_norm = true, .rope = EC__ROPE_FIXED, .extra = 1, .pool = EC__POOL_ATTENTION)
X("vit_pe_core_small_patch16_384", "", vit, 384, 512, 23780000, 1.569e+10, TIMM,
  .patch = 16, .hidden = 384, .layers = 12, .heads = 6, .ffn = 1536, .pool_heads = 8,
  .pre_norm = true, .rope = EC__ROPE_FIXED, .extra = 1, .pool = EC__POOL_ATTENTION)
X("vit_pe_core_base_patch16_224", "", vit, 224, 1024, 93670000, 1.782e+10, TIMM,
  .patch = 16, .hidden = 768, .layers = 12, .heads = 12, .ffn = 3072, .pool_heads = 8,
  .pre_norm = true, .rope = EC__ROPE_FIXED, .extra = 1, .pool = EC__POOL_ATTENTION)
X("vit_pe_core_large_patch14_336", "", vit, 336, 1024, 317150000, 1.9233e+11, TIMM,
  .patch = 14, .hidden = 1024, .layers = 24, .heads = 16, .ffn = 4096, .pool_heads = 8,
  .pre_norm = true, .rope = EC__ROPE_FIXED, .extra = 1, .pool = EC__POOL_ATTENTION)
X("vit_pe_core_gigantic_patch14_448", "", vit, 448, 1280, 1882030000, 2.06012e+12, TIMM,
  .patch = 14, .hidden = 1536, .layers = 50, .heads = 16, .ffn = 8960, .pool_heads = 8,
  .pre_norm = true, .rope = EC__ROPE_FIXED, .pool_ffn = 6144, .pool = EC__POOL_ATTENTION)
X("vit_pe_lang_large_patch14_448", "", vit, 448, 0, 291420000, 3.4699e+11, TIMM,
  .patch = 14, .hidden = 1024, .layers = 23, .heads = 16, .ffn = 4096, .pre_norm = true,
  .rope = EC__ROPE_FIXED, .extra = 1, .scale = true, .pool = EC__POOL_MEAN, .norm = EC__NORM_NONE)
X("vit_pe_lang_gigantic_patch14_448", "", vit, 448, 0, 1740920000, 1.93199e+12, TIMM,
  .patch = 14, .hidden = 1536, .layers = 47, .heads = 16, .ffn = 8960, .pre_norm = true,
  .rope = EC__ROPE_FIXED, .scale = true, .pool = EC__POOL_MEAN, .norm = EC__NORM_NONE)
X("vit_pe_spatial_tiny_patch16_512", "", vit, 512, 0, 5680000, 1.046e+10, TIMM,
  .patch = 16, .hidden = 192, .layers = 12, .heads = 3, .ffn = 768, .pre_norm = true,
  .rope = EC__ROPE_FIXED, .extra = 1, .pool = EC__POOL_MEAN, .norm = EC__NORM_NONE)
X("vit_pe_spatial_small_patch16_512", "", vit, 512, 0, 21980000, 3.18e+10, TIMM,
  .patch = 16, .hidden = 384, .layers = 12, .heads = 6, .ffn = 1536, .pre_norm = true,
  .rope = EC__ROPE_FIXED, .extra = 1, .pool = EC__POOL_MEAN, .norm = EC__NORM_NONE)
X("vit_pe_spatial_base_patch16_512", "", vit, 512, 0, 86430000, 1.0713e+11, TIMM,
  .patch = 16, .hidden = 768, .layers = 12, .heads = 12, .ffn = 3072, .pre_norm = true,
  .rope = EC__ROPE_FIXED, .extra = 1, .pool = EC__POOL_MEAN, .norm = EC__NORM_NONE)
X("vit_pe_spatial_large_patch14_448", "", vit, 448, 0, 303960000, 3.6205e+11, TIMM,
  .patch = 14, .hidden = 1024, .layers = 24, .heads = 16, .ffn = 4096, .pre_norm = true,
  .rope = EC__ROPE_FIXED, .extra = 1, .pool = EC__POOL_MEAN, .norm = EC__NORM_NONE)
X("vit_pe_spatial_gigantic_patch14_448", "", vit, 448, 0, 1851890000, 2.05525e+12, TIMM,
  .patch = 14, .hidden = 1536, .layers = 50, .heads = 16, .ffn = 8960, .pre_norm = true,
  .rope = EC__ROPE_FIXED, .scale = true, .pool = EC__POOL_MEAN, .norm = EC__NORM_NONE)
X("vitamin_small_224", "", vit, 224, 384, 22030000, 5920000000, TIMM,
  .patch = 16, .hidden = 384, .layers = 14, .heads = 6, .ffn = 768,
  .stem_widths = { 2, { 64, 128 } }, .stem = EC__STEM_VITAMIN, .stem_layers = { 2, { 2, 4 } },
  .gate = EC__GATE_SPLIT, .act = "gelu", .mlp_first_norm = true, .pool = EC__POOL_MEAN,
  .norm = EC__NORM_AFTER)
X("vitamin_base_224", "", vit, 224, 768, 87720000, 2.268e+10, TIMM,
  .patch = 16, .hidden = 768, .layers = 14, .heads = 12, .ffn = 1536,
  .stem_widths = { 2, { 128, 256 } }, .stem = EC__STEM_VITAMIN, .stem_layers = { 2, { 2, 4 } },
  .gate = EC__GATE_SPLIT, .act = "gelu", .mlp_first_norm = true, .pool = EC__POOL_MEAN,
  .norm = EC__NORM_AFTER)
X("vitamin_large_224",
  "vitamin_large_256 vitamin_large_336 vitamin_large_384",
  vit, 224, 768, 333320000, 7.505e+10, TIMM,
  .patch = 16, .hidden = 1024, .layers = 31, .heads = 16, .ffn = 2048,
  .stem_widths = { 2, { 160, 320 } }, .stem = EC__STEM_VITAMIN, .stem_layers = { 2, { 2, 4 } },
  .gate = EC__GATE_SPLIT, .act = "gelu", .mlp_first_norm = true, .pool = EC__POOL_MEAN,
  .norm = EC__NORM_AFTER)
X("vitamin_large2_224",
  "vitamin_large2_256 vitamin_large2_336 vitamin_large2_384",
  vit, 224, 1024, 333580000, 7.505e+10, TIMM,
  .patch = 16, .hidden = 1024, .layers = 31, .heads = 16, .ffn = 2048,
  .stem_widths = { 2, { 160, 320 } }, .stem = EC__STEM_VITAMIN, .stem_layers = { 2, { 2, 4 } },
  .gate = EC__GATE_SPLIT, .act = "gelu", .mlp_first_norm = true, .pool = EC__POOL_MEAN,
  .norm = EC__NORM_AFTER)
X("vitamin_xlarge_256",
  "vitamin_xlarge_336 vitamin_xlarge_384", vit, 256, 1152, 436060000, 1.3013e+11, TIMM,
  .patch = 16, .hidden = 1152, .layers = 32, .heads = 16, .ffn = 2304,
  .stem_widths = { 2, { 192, 384 } }, .stem = EC__STEM_VITAMIN, .stem_layers = { 2, { 2, 4 } },
  .gate = EC__GATE_SPLIT, .act = "gelu", .mlp_first_norm = true, .pool = EC__POOL_MEAN,
  .norm = EC__NORM_AFTER, .positions = EC__OF_NONE)

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
  "swinv2_base_window12to16_192to256 swinv2_base_window12to16_192to256_22kft1k",
  swin, 256, 1000, 87920000, 2.202e+10, TIMM,
  .dim = 128, .window = 16, .depths = { 4, { 2, 2, 18, 2 } }, .heads = { 4, { 4, 8, 16, 32 } },
  .drop_path = 0.5, .v2 = true, .clip = true)

/* --- swin, further --- */
X("swin_s3_tiny_224", "", swin, 224, 1000, 28330000, 4640000000, TIMM,
  .dim = 96, .windows = { 4, { 7, 7, 14, 7 } }, .depths = { 4, { 2, 2, 6, 2 } },
  .heads = { 4, { 3, 6, 12, 24 } }, .clip = true, .drop_path = 0.1)
X("swin_s3_small_224", "", swin, 224, 1000, 49740000, 9430000000, TIMM,
  .dim = 96, .windows = { 4, { 14, 14, 14, 7 } }, .depths = { 4, { 2, 2, 18, 2 } },
  .heads = { 4, { 3, 6, 12, 24 } }, .clip = true, .drop_path = 0.1)
X("swin_s3_base_224", "", swin, 224, 1000, 71130000, 1.369e+10, TIMM,
  .dim = 96, .windows = { 4, { 7, 7, 14, 7 } }, .depths = { 4, { 2, 2, 30, 2 } },
  .heads = { 4, { 3, 6, 12, 24 } }, .clip = true, .drop_path = 0.1)
X("swinv2_base_window12_192", "", swin, 192, 21841, 109280000, 1.19e+10, TIMM,
  .window = 12, .dim = 128, .depths = { 4, { 2, 2, 18, 2 } }, .heads = { 4, { 4, 8, 16, 32 } },
  .drop_path = 0.1, .v2 = true, .clip = true)
X("swinv2_base_window12to24_192to384",
  "swinv2_base_window12to24_192to384_22kft1k", swin, 384, 1000, 87920000, 5.525e+10, TIMM,
  .window = 24, .dim = 128, .depths = { 4, { 2, 2, 18, 2 } }, .heads = { 4, { 4, 8, 16, 32 } },
  .drop_path = 0.1, .v2 = true, .clip = true)
X("swinv2_large_window12_192", "", swin, 192, 21841, 228770000, 2.617e+10, TIMM,
  .window = 12, .dim = 192, .depths = { 4, { 2, 2, 18, 2 } }, .heads = { 4, { 6, 12, 24, 48 } },
  .drop_path = 0.1, .v2 = true, .clip = true)
X("swinv2_large_window12to16_192to256",
  "swinv2_large_window12to16_192to256_22kft1k", swin, 256, 1000, 196740000, 4.781e+10, TIMM,
  .window = 16, .dim = 192, .depths = { 4, { 2, 2, 18, 2 } }, .heads = { 4, { 6, 12, 24, 48 } },
  .drop_path = 0.1, .v2 = true, .clip = true)
X("swinv2_large_window12to24_192to384",
  "swinv2_large_window12to24_192to384_22kft1k", swin, 384, 1000, 196740000, 1.1615e+11, TIMM,
  .window = 24, .dim = 192, .depths = { 4, { 2, 2, 18, 2 } }, .heads = { 4, { 6, 12, 24, 48 } },
  .drop_path = 0.1, .v2 = true, .clip = true)
X("swinv2_cr_tiny_224", "swinv2_cr_tiny_384", swin, 224, 1000, 28330000, 4660000000, TIMM,
  .dim = 96, .depths = { 4, { 2, 2, 6, 2 } }, .heads = { 4, { 3, 6, 12, 24 } }, .cr = true,
  .clip = true)
X("swinv2_cr_tiny_ns_224", "", swin, 224, 1000, 28330000, 4660000000, TIMM,
  .norm_stages = true, .dim = 96, .depths = { 4, { 2, 2, 6, 2 } },
  .heads = { 4, { 3, 6, 12, 24 } }, .cr = true, .clip = true)
X("swinv2_cr_small_224", "swinv2_cr_small_384", swin, 224, 1000, 49700000, 9070000000, TIMM,
  .dim = 96, .depths = { 4, { 2, 2, 18, 2 } }, .heads = { 4, { 3, 6, 12, 24 } }, .cr = true,
  .clip = true)
X("swinv2_cr_small_ns_224", "swinv2_cr_small_ns_256", swin, 224, 1000, 49700000, 9080000000, TIMM,
  .norm_stages = true, .dim = 96, .depths = { 4, { 2, 2, 18, 2 } },
  .heads = { 4, { 3, 6, 12, 24 } }, .cr = true, .clip = true)
X("swinv2_cr_base_224", "swinv2_cr_base_384", swin, 224, 1000, 87880000, 1.586e+10, TIMM,
  .dim = 128, .depths = { 4, { 2, 2, 18, 2 } }, .heads = { 4, { 4, 8, 16, 32 } }, .cr = true,
  .clip = true)
X("swinv2_cr_base_ns_224", "", swin, 224, 1000, 87880000, 1.586e+10, TIMM,
  .norm_stages = true, .dim = 128, .depths = { 4, { 2, 2, 18, 2 } },
  .heads = { 4, { 4, 8, 16, 32 } }, .cr = true, .clip = true)
X("swinv2_cr_large_224", "swinv2_cr_large_384", swin, 224, 1000, 196680000, 3.51e+10, TIMM,
  .dim = 192, .depths = { 4, { 2, 2, 18, 2 } }, .heads = { 4, { 6, 12, 24, 48 } }, .cr = true,
  .clip = true)
X("swinv2_cr_huge_224", "", swin, 224, 1000, 657830000, 1.1597e+11, TIMM,
  .heads = { 4, { 8, 16, 32, 64 } }, .dim = 352, .depths = { 4, { 2, 2, 18, 2 } }, .cr = true,
  .clip = true, .norm_every = 6)
X("swinv2_cr_huge_384", "", swin, 384, 1000, 657940000, 3.5204e+11, TIMM,
  .heads = { 4, { 11, 22, 44, 88 } }, .dim = 352, .depths = { 4, { 2, 2, 18, 2 } }, .cr = true,
  .clip = true, .norm_every = 6)
X("swinv2_cr_giant_224", "swinv2_cr_giant_384", swin, 224, 1000, 2598760000, 4.8385e+11, TIMM,
  .dim = 512, .depths = { 4, { 2, 2, 42, 2 } }, .heads = { 4, { 16, 32, 64, 128 } }, .cr = true,
  .clip = true, .norm_every = 6)

/* --- maxvit --- */
X("maxvit_t", "", maxvit, 224, 1000, 30919624, 5558046720, TV,
  .stem = 64, .window = 7, .head_dim = 32, .layers = { 4, { 2, 2, 5, 2 } },
  .widths = { 4, { 64, 128, 256, 512 } }, .drop_path = 0.2)

/* --- xcit --- */
X("xcit_nano_12_p16_224",
  "xcit_nano_12_p16_224_dist xcit_nano_12_p16_384 xcit_nano_12_p16_384_dist",
  xcit, 224, 1000, 3050000, 560000000, TIMM,
  .patch = 16, .hidden = 128, .layers = 12, .heads = 4, .norm_class = true)
X("xcit_tiny_12_p16_224",
  "xcit_tiny_12_p16_224_dist xcit_tiny_12_p16_384 xcit_tiny_12_p16_384_dist",
  xcit, 224, 1000, 6720000, 1240000000, TIMM,
  .patch = 16, .hidden = 192, .layers = 12, .heads = 4)
X("xcit_tiny_24_p16_224",
  "xcit_tiny_24_p16_224_dist xcit_tiny_24_p16_384 xcit_tiny_24_p16_384_dist",
  xcit, 224, 1000, 12120000, 2340000000, TIMM,
  .patch = 16, .hidden = 192, .layers = 24, .heads = 4)
X("xcit_small_12_p16_224",
  "xcit_small_12_p16_224_dist xcit_small_12_p16_384 xcit_small_12_p16_384_dist",
  xcit, 224, 1000, 26250000, 4820000000, TIMM,
  .patch = 16, .hidden = 384, .layers = 12, .heads = 8)
X("xcit_small_24_p16_224",
  "xcit_small_24_p16_224_dist xcit_small_24_p16_384 xcit_small_24_p16_384_dist",
  xcit, 224, 1000, 47670000, 9100000000, TIMM,
  .patch = 16, .hidden = 384, .layers = 24, .heads = 8)
X("xcit_medium_24_p16_224",
  "xcit_medium_24_p16_224_dist xcit_medium_24_p16_384 xcit_medium_24_p16_384_dist",
  xcit, 224, 1000, 84400000, 1.613e+10, TIMM,
  .patch = 16, .hidden = 512, .layers = 24, .heads = 8)
X("xcit_large_24_p16_224",
  "xcit_large_24_p16_224_dist xcit_large_24_p16_384 xcit_large_24_p16_384_dist",
  xcit, 224, 1000, 189100000, 3.586e+10, TIMM,
  .patch = 16, .hidden = 768, .layers = 24, .heads = 16)
X("xcit_nano_12_p8_224",
  "xcit_nano_12_p8_224_dist xcit_nano_12_p8_384 xcit_nano_12_p8_384_dist",
  xcit, 224, 1000, 3050000, 2160000000, TIMM,
  .patch = 8, .hidden = 128, .layers = 12, .heads = 4, .norm_class = true)
X("xcit_tiny_12_p8_224",
  "xcit_tiny_12_p8_224_dist xcit_tiny_12_p8_384 xcit_tiny_12_p8_384_dist",
  xcit, 224, 1000, 6710000, 4810000000, TIMM,
  .patch = 8, .hidden = 192, .layers = 12, .heads = 4)
X("xcit_tiny_24_p8_224",
  "xcit_tiny_24_p8_224_dist xcit_tiny_24_p8_384 xcit_tiny_24_p8_384_dist",
  xcit, 224, 1000, 12110000, 9210000000, TIMM,
  .patch = 8, .hidden = 192, .layers = 24, .heads = 4)
X("xcit_small_12_p8_224",
  "xcit_small_12_p8_224_dist xcit_small_12_p8_384 xcit_small_12_p8_384_dist",
  xcit, 224, 1000, 26210000, 1.869e+10, TIMM,
  .patch = 8, .hidden = 384, .layers = 12, .heads = 8)
X("xcit_small_24_p8_224",
  "xcit_small_24_p8_224_dist xcit_small_24_p8_384 xcit_small_24_p8_384_dist",
  xcit, 224, 1000, 47630000, 3.581e+10, TIMM,
  .patch = 8, .hidden = 384, .layers = 24, .heads = 8)
X("xcit_medium_24_p8_224",
  "xcit_medium_24_p8_224_dist xcit_medium_24_p8_384 xcit_medium_24_p8_384_dist",
  xcit, 224, 1000, 84320000, 6.353e+10, TIMM,
  .patch = 8, .hidden = 512, .layers = 24, .heads = 8)
X("xcit_large_24_p8_224",
  "xcit_large_24_p8_224_dist xcit_large_24_p8_384 xcit_large_24_p8_384_dist",
  xcit, 224, 1000, 188930000, 1.4123e+11, TIMM,
  .patch = 8, .hidden = 768, .layers = 24, .heads = 16)

/* --- cait --- */
X("cait_xxs24_224", "cait_xxs24_384", cait, 224, 1000, 11960000, 2530000000, TIMM,
  .hidden = 192, .layers = 24, .heads = 4)
X("cait_xxs36_224", "cait_xxs36_384", cait, 224, 1000, 17300000, 3770000000, TIMM,
  .hidden = 192, .layers = 36, .heads = 4)
X("cait_xs24_384", "", cait, 384, 1000, 26670000, 1.928e+10, TIMM,
  .hidden = 288, .layers = 24, .heads = 6)
X("cait_s24_224", "cait_s24_384", cait, 224, 1000, 46920000, 9350000000, TIMM,
  .hidden = 384, .layers = 24, .heads = 8)
X("cait_s36_384", "", cait, 384, 1000, 68370000, 4.799e+10, TIMM,
  .hidden = 384, .layers = 36, .heads = 8)
X("cait_m36_384", "", cait, 384, 1000, 271220000, 1.7311e+11, TIMM,
  .hidden = 768, .layers = 36, .heads = 16)
X("cait_m48_448", "", cait, 448, 1000, 356460000, 3.2941e+11, TIMM,
  .hidden = 768, .layers = 48, .heads = 16)

/* --- pit --- */
X("pit_ti_224", "", pit, 224, 1000, 4850000, 700000000, TIMM,
  .patch = 16, .stride = 8, .head_dim = 32, .layers = { 3, { 2, 6, 4 } },
  .heads = { 3, { 2, 4, 8 } })
X("pit_xs_224", "", pit, 224, 1000, 10620000, 1400000000, TIMM,
  .patch = 16, .stride = 8, .head_dim = 48, .layers = { 3, { 2, 6, 4 } },
  .heads = { 3, { 2, 4, 8 } })
X("pit_s_224", "", pit, 224, 1000, 23460000, 2880000000, TIMM,
  .patch = 16, .stride = 8, .head_dim = 48, .layers = { 3, { 2, 6, 4 } },
  .heads = { 3, { 3, 6, 12 } })
X("pit_b_224", "", pit, 224, 1000, 73760000, 1.242e+10, TIMM,
  .patch = 14, .stride = 7, .head_dim = 64, .layers = { 3, { 3, 6, 4 } },
  .heads = { 3, { 4, 8, 16 } })
X("pit_ti_distilled_224", "", pit, 224, 1000, 5100000, 710000000, TIMM,
  .patch = 16, .stride = 8, .head_dim = 32, .layers = { 3, { 2, 6, 4 } },
  .heads = { 3, { 2, 4, 8 } }, .distilled = true)
X("pit_xs_distilled_224", "", pit, 224, 1000, 11000000, 1410000000, TIMM,
  .patch = 16, .stride = 8, .head_dim = 48, .layers = { 3, { 2, 6, 4 } },
  .heads = { 3, { 2, 4, 8 } }, .distilled = true)
X("pit_s_distilled_224", "", pit, 224, 1000, 24040000, 2900000000, TIMM,
  .patch = 16, .stride = 8, .head_dim = 48, .layers = { 3, { 2, 6, 4 } },
  .heads = { 3, { 3, 6, 12 } }, .distilled = true)
X("pit_b_distilled_224", "", pit, 224, 1000, 74790000, 1.25e+10, TIMM,
  .patch = 14, .stride = 7, .head_dim = 64, .layers = { 3, { 3, 6, 4 } },
  .heads = { 3, { 4, 8, 16 } }, .distilled = true)

/* --- levit --- */
X("levit_128s", "", levit, 224, 1000, 7780000, 310000000, TIMM,
  .patch = 16, .key_dim = 16, .widths = { 3, { 128, 256, 384 } }, .layers = { 3, { 2, 3, 4 } },
  .heads = { 3, { 4, 6, 8 } }, .act = "hard_swish", .distilled = true)
X("levit_128", "", levit, 224, 1000, 9210000, 410000000, TIMM,
  .patch = 16, .key_dim = 16, .widths = { 3, { 128, 256, 384 } }, .layers = { 3, { 4, 4, 4 } },
  .heads = { 3, { 4, 8, 12 } }, .act = "hard_swish", .distilled = true)
X("levit_192", "", levit, 224, 1000, 10950000, 660000000, TIMM,
  .patch = 16, .key_dim = 32, .widths = { 3, { 192, 288, 384 } }, .layers = { 3, { 4, 4, 4 } },
  .heads = { 3, { 3, 5, 6 } }, .act = "hard_swish", .distilled = true)
X("levit_256", "", levit, 224, 1000, 18890000, 1130000000, TIMM,
  .patch = 16, .key_dim = 32, .widths = { 3, { 256, 384, 512 } }, .layers = { 3, { 4, 4, 4 } },
  .heads = { 3, { 4, 6, 8 } }, .act = "hard_swish", .distilled = true)
X("levit_384", "", levit, 224, 1000, 39130000, 2360000000, TIMM,
  .patch = 16, .key_dim = 32, .widths = { 3, { 384, 512, 768 } }, .layers = { 3, { 4, 4, 4 } },
  .heads = { 3, { 6, 9, 12 } }, .act = "hard_swish", .distilled = true)
X("levit_384_s8", "", levit, 224, 1000, 39120000, 9980000000, TIMM,
  .patch = 8, .key_dim = 32, .widths = { 3, { 384, 512, 768 } }, .layers = { 3, { 4, 4, 4 } },
  .heads = { 3, { 6, 9, 12 } }, .act = "silu", .distilled = true)
X("levit_512_s8", "", levit, 224, 1000, 74050000, 2.182e+10, TIMM,
  .patch = 8, .key_dim = 64, .widths = { 3, { 512, 640, 896 } }, .layers = { 3, { 4, 4, 4 } },
  .heads = { 3, { 8, 10, 14 } }, .act = "silu")
X("levit_512", "", levit, 224, 1000, 95170000, 5640000000, TIMM,
  .patch = 16, .key_dim = 64, .widths = { 3, { 512, 768, 1024 } }, .layers = { 3, { 4, 4, 4 } },
  .heads = { 3, { 8, 12, 16 } }, .act = "silu")
X("levit_256d", "", levit, 224, 1000, 26210000, 1400000000, TIMM,
  .patch = 16, .key_dim = 32, .widths = { 3, { 256, 384, 512 } }, .layers = { 3, { 4, 8, 6 } },
  .heads = { 3, { 4, 6, 8 } }, .act = "silu")
X("levit_512d", "", levit, 224, 1000, 92500000, 5850000000, TIMM,
  .patch = 16, .key_dim = 64, .widths = { 3, { 512, 640, 768 } }, .layers = { 3, { 4, 8, 6 } },
  .heads = { 3, { 8, 10, 12 } }, .act = "silu")
X("levit_conv_128s", "", levit, 224, 1000, 7780000, 310000000, TIMM,
  .patch = 16, .key_dim = 16, .widths = { 3, { 128, 256, 384 } }, .layers = { 3, { 2, 3, 4 } },
  .heads = { 3, { 4, 6, 8 } }, .act = "hard_swish", .conv = true, .distilled = true)
X("levit_conv_128", "", levit, 224, 1000, 9210000, 410000000, TIMM,
  .patch = 16, .key_dim = 16, .widths = { 3, { 128, 256, 384 } }, .layers = { 3, { 4, 4, 4 } },
  .heads = { 3, { 4, 8, 12 } }, .act = "hard_swish", .conv = true, .distilled = true)
X("levit_conv_192", "", levit, 224, 1000, 10950000, 660000000, TIMM,
  .patch = 16, .key_dim = 32, .widths = { 3, { 192, 288, 384 } }, .layers = { 3, { 4, 4, 4 } },
  .heads = { 3, { 3, 5, 6 } }, .act = "hard_swish", .conv = true, .distilled = true)
X("levit_conv_256", "", levit, 224, 1000, 18890000, 1130000000, TIMM,
  .patch = 16, .key_dim = 32, .widths = { 3, { 256, 384, 512 } }, .layers = { 3, { 4, 4, 4 } },
  .heads = { 3, { 4, 6, 8 } }, .act = "hard_swish", .conv = true, .distilled = true)
X("levit_conv_384", "", levit, 224, 1000, 39130000, 2360000000, TIMM,
  .patch = 16, .key_dim = 32, .widths = { 3, { 384, 512, 768 } }, .layers = { 3, { 4, 4, 4 } },
  .heads = { 3, { 6, 9, 12 } }, .act = "hard_swish", .conv = true, .distilled = true)
X("levit_conv_384_s8", "", levit, 224, 1000, 39120000, 9980000000, TIMM,
  .patch = 8, .key_dim = 32, .widths = { 3, { 384, 512, 768 } }, .layers = { 3, { 4, 4, 4 } },
  .heads = { 3, { 6, 9, 12 } }, .act = "silu", .conv = true, .distilled = true)
X("levit_conv_512_s8", "", levit, 224, 1000, 74050000, 2.182e+10, TIMM,
  .patch = 8, .key_dim = 64, .widths = { 3, { 512, 640, 896 } }, .layers = { 3, { 4, 4, 4 } },
  .heads = { 3, { 8, 10, 14 } }, .act = "silu", .conv = true)
X("levit_conv_512", "", levit, 224, 1000, 95170000, 5640000000, TIMM,
  .patch = 16, .key_dim = 64, .widths = { 3, { 512, 768, 1024 } }, .layers = { 3, { 4, 4, 4 } },
  .heads = { 3, { 8, 12, 16 } }, .act = "silu", .conv = true)
X("levit_conv_256d", "", levit, 224, 1000, 26210000, 1400000000, TIMM,
  .patch = 16, .key_dim = 32, .widths = { 3, { 256, 384, 512 } }, .layers = { 3, { 4, 8, 6 } },
  .heads = { 3, { 4, 6, 8 } }, .act = "silu", .conv = true)
X("levit_conv_512d", "", levit, 224, 1000, 92500000, 5850000000, TIMM,
  .patch = 16, .key_dim = 64, .widths = { 3, { 512, 640, 768 } }, .layers = { 3, { 4, 8, 6 } },
  .heads = { 3, { 8, 10, 12 } }, .act = "silu", .conv = true)

/* --- twins --- */
X("twins_pcpvt_small", "", twins, 224, 1000, 24110000, 3830000000, TIMM,
  .widths = { 4, { 64, 128, 320, 512 } }, .layers = { 4, { 3, 4, 6, 3 } },
  .heads = { 4, { 1, 2, 5, 8 } }, .ratios = { 4, { 8, 8, 4, 4 } }, .sr = { 4, { 8, 4, 2, 1 } })
X("twins_pcpvt_base", "", twins, 224, 1000, 43830000, 6680000000, TIMM,
  .widths = { 4, { 64, 128, 320, 512 } }, .layers = { 4, { 3, 4, 18, 3 } },
  .heads = { 4, { 1, 2, 5, 8 } }, .ratios = { 4, { 8, 8, 4, 4 } }, .sr = { 4, { 8, 4, 2, 1 } })
X("twins_pcpvt_large", "", twins, 224, 1000, 60990000, 9840000000, TIMM,
  .widths = { 4, { 64, 128, 320, 512 } }, .layers = { 4, { 3, 8, 27, 3 } },
  .heads = { 4, { 1, 2, 5, 8 } }, .ratios = { 4, { 8, 8, 4, 4 } }, .sr = { 4, { 8, 4, 2, 1 } })
X("twins_svt_small", "", twins, 224, 1000, 24060000, 2940000000, TIMM,
  .widths = { 4, { 64, 128, 256, 512 } }, .layers = { 4, { 2, 2, 10, 4 } },
  .heads = { 4, { 2, 4, 8, 16 } }, .ratios = { 4, { 4, 4, 4, 4 } }, .sr = { 4, { 8, 4, 2, 1 } },
  .window = 7)
X("twins_svt_base", "", twins, 224, 1000, 56070000, 8590000000, TIMM,
  .widths = { 4, { 96, 192, 384, 768 } }, .layers = { 4, { 2, 2, 18, 2 } },
  .heads = { 4, { 3, 6, 12, 24 } }, .ratios = { 4, { 4, 4, 4, 4 } }, .sr = { 4, { 8, 4, 2, 1 } },
  .window = 7)
X("twins_svt_large", "", twins, 224, 1000, 99270000, 1.515e+10, TIMM,
  .widths = { 4, { 128, 256, 512, 1024 } }, .layers = { 4, { 2, 2, 18, 2 } },
  .heads = { 4, { 4, 8, 16, 32 } }, .ratios = { 4, { 4, 4, 4, 4 } }, .sr = { 4, { 8, 4, 2, 1 } },
  .window = 7)

/* --- nest --- */
X("nest_tiny", "", nest, 224, 1000, 17060000, 5830000000, TIMM,
  .drop_path = 0.5, .widths = { 3, { 96, 192, 384 } }, .layers = { 3, { 2, 2, 8 } },
  .heads = { 3, { 3, 6, 12 } })
X("nest_small", "", nest, 224, 1000, 38350000, 1.035e+10, TIMM,
  .drop_path = 0.5, .widths = { 3, { 96, 192, 384 } }, .layers = { 3, { 2, 2, 20 } },
  .heads = { 3, { 3, 6, 12 } })
X("nest_base", "", nest, 224, 1000, 67720000, 1.796e+10, TIMM,
  .drop_path = 0.5, .widths = { 3, { 128, 256, 512 } }, .layers = { 3, { 2, 2, 20 } },
  .heads = { 3, { 4, 8, 16 } })
X("jx_nest_tiny", "nest_tiny_jx", nest, 224, 1000, 17060000, 5830000000, TIMM,
  .drop_path = 0.5, .widths = { 3, { 96, 192, 384 } }, .layers = { 3, { 2, 2, 8 } },
  .heads = { 3, { 3, 6, 12 } }, .same = true)
X("jx_nest_small", "nest_small_jx", nest, 224, 1000, 38350000, 1.035e+10, TIMM,
  .drop_path = 0.5, .widths = { 3, { 96, 192, 384 } }, .layers = { 3, { 2, 2, 20 } },
  .heads = { 3, { 3, 6, 12 } }, .same = true)
X("jx_nest_base", "nest_base_jx", nest, 224, 1000, 67720000, 1.796e+10, TIMM,
  .drop_path = 0.5, .widths = { 3, { 128, 256, 512 } }, .layers = { 3, { 2, 2, 20 } },
  .heads = { 3, { 4, 8, 16 } }, .same = true)

/* --- coat --- */
X("coat_tiny", "", coat, 224, 1000, 5500000, 4350000000, TIMM,
  .widths = { 4, { 152, 152, 152, 152 } }, .layers = { 4, { 2, 2, 2, 2 } },
  .ratios = { 4, { 4, 4, 4, 4 } }, .parallel = 6)
X("coat_mini", "", coat, 224, 1000, 10340000, 6820000000, TIMM,
  .widths = { 4, { 152, 216, 216, 216 } }, .layers = { 4, { 2, 2, 2, 2 } },
  .ratios = { 4, { 4, 4, 4, 4 } }, .parallel = 6)
X("coat_small", "", coat, 224, 1000, 21690000, 1.261e+10, TIMM,
  .widths = { 4, { 152, 320, 320, 320 } }, .layers = { 4, { 2, 2, 2, 2 } },
  .ratios = { 4, { 4, 4, 4, 4 } }, .parallel = 6)
X("coat_lite_tiny", "", coat, 224, 1000, 5720000, 1600000000, TIMM,
  .widths = { 4, { 64, 128, 256, 320 } }, .layers = { 4, { 2, 2, 2, 2 } },
  .ratios = { 4, { 8, 8, 4, 4 } })
X("coat_lite_mini", "", coat, 224, 1000, 11010000, 2000000000, TIMM,
  .widths = { 4, { 64, 128, 320, 512 } }, .layers = { 4, { 2, 2, 2, 2 } },
  .ratios = { 4, { 8, 8, 4, 4 } })
X("coat_lite_small", "", coat, 224, 1000, 19840000, 3960000000, TIMM,
  .widths = { 4, { 64, 128, 320, 512 } }, .layers = { 4, { 3, 4, 6, 3 } },
  .ratios = { 4, { 8, 8, 4, 4 } })
X("coat_lite_medium", "coat_lite_medium_384", coat, 224, 1000, 44570000, 9810000000, TIMM,
  .widths = { 4, { 128, 256, 320, 512 } }, .layers = { 4, { 3, 6, 10, 8 } },
  .ratios = { 4, { 4, 4, 4, 4 } })

/* --- convit --- */
X("convit_tiny", "", convit, 224, 1000, 5710000, 1260000000, TIMM,
  .hidden = 192, .layers = 12, .gated = 10, .heads = 4)
X("convit_small", "", convit, 224, 1000, 27780000, 5760000000, TIMM,
  .hidden = 432, .layers = 12, .gated = 10, .heads = 9)
X("convit_base", "", convit, 224, 1000, 86540000, 1.752e+10, TIMM,
  .hidden = 768, .layers = 12, .gated = 10, .heads = 16)

/* --- visformer --- */
X("visformer_tiny", "", visformer, 224, 1000, 10320000, 1270000000, TIMM,
  .stem = 16, .hidden = 192, .layers = { 3, { 7, 4, 4 } }, .heads = 3)
X("visformer_small", "", visformer, 224, 1000, 40220000, 4880000000, TIMM,
  .stem = 32, .hidden = 384, .layers = { 3, { 7, 4, 4 } }, .heads = 6)

/* --- tnt --- */
X("tnt_s_patch16_224", "tnt_s_legacy_patch16_224", tnt, 224, 1000, 23760000, 5250000000, TIMM,
  .hidden = 384, .pixel = 24, .layers = 12, .heads = 6, .pixel_heads = 4)
X("tnt_b_patch16_224", "", tnt, 224, 1000, 65410000, 1.41e+10, TIMM,
  .hidden = 640, .pixel = 40, .layers = 12, .heads = 10, .pixel_heads = 4)

/* --- samvit --- */
X("samvit_base_patch16_224", "", samvit, 224, 1000, 86460000, 1.754e+10, TIMM,
  .patch = 16, .hidden = 768, .layers = 12, .heads = 12, .every = 3, .window = 14)
X("samvit_base_patch16", "", samvit, 1024, 0, 89670000, 4.8643e+11, TIMM,
  .patch = 16, .hidden = 768, .layers = 12, .heads = 12, .every = 3, .neck = 256,
  .positions = true, .window = 14)
X("samvit_large_patch16", "", samvit, 1024, 0, 308280000, 1.49386e+12, TIMM,
  .patch = 16, .hidden = 1024, .layers = 24, .heads = 16, .every = 6, .neck = 256,
  .positions = true, .window = 14)
X("samvit_huge_patch16", "", samvit, 1024, 0, 637030000, 2.98223e+12, TIMM,
  .patch = 16, .hidden = 1280, .layers = 32, .heads = 16, .every = 8, .neck = 256,
  .positions = true, .window = 14)

/* --- focalnet --- */
X("focalnet_tiny_srf", "", focalnet, 224, 1000, 28430000, 4420000000, TIMM,
  .width = 96, .levels = 2, .window = 3, .layers = { 4, { 2, 2, 6, 2 } }, .drop_path = 0.1)
X("focalnet_tiny_lrf", "", focalnet, 224, 1000, 28650000, 4490000000, TIMM,
  .width = 96, .levels = 3, .window = 3, .layers = { 4, { 2, 2, 6, 2 } }, .drop_path = 0.1)
X("focalnet_small_srf", "", focalnet, 224, 1000, 49890000, 8620000000, TIMM,
  .width = 96, .levels = 2, .window = 3, .layers = { 4, { 2, 2, 18, 2 } }, .drop_path = 0.1)
X("focalnet_small_lrf", "", focalnet, 224, 1000, 50340000, 8740000000, TIMM,
  .width = 96, .levels = 3, .window = 3, .layers = { 4, { 2, 2, 18, 2 } }, .drop_path = 0.1)
X("focalnet_base_srf", "", focalnet, 224, 1000, 88150000, 1.528e+10, TIMM,
  .width = 128, .levels = 2, .window = 3, .layers = { 4, { 2, 2, 18, 2 } }, .drop_path = 0.1)
X("focalnet_base_lrf", "", focalnet, 224, 1000, 88750000, 1.543e+10, TIMM,
  .width = 128, .levels = 3, .window = 3, .layers = { 4, { 2, 2, 18, 2 } }, .drop_path = 0.1)
X("focalnet_large_fl3", "", focalnet, 384, 21842, 239130000, 1.0506e+11, TIMM,
  .width = 192, .levels = 3, .window = 5, .layers = { 4, { 2, 2, 18, 2 } }, .drop_path = 0.1,
  .post_norm = true, .overlap = true, .scale = true)
X("focalnet_large_fl4", "", focalnet, 384, 21842, 239320000, 1.052e+11, TIMM,
  .width = 192, .levels = 4, .window = 3, .layers = { 4, { 2, 2, 18, 2 } }, .drop_path = 0.1,
  .post_norm = true, .overlap = true, .scale = true)
X("focalnet_xlarge_fl3", "", focalnet, 384, 21842, 408790000, 1.8561e+11, TIMM,
  .width = 256, .levels = 3, .window = 5, .layers = { 4, { 2, 2, 18, 2 } }, .drop_path = 0.1,
  .post_norm = true, .overlap = true, .scale = true)
X("focalnet_xlarge_fl4", "", focalnet, 384, 21842, 409030000, 1.8579e+11, TIMM,
  .width = 256, .levels = 4, .window = 3, .layers = { 4, { 2, 2, 18, 2 } }, .drop_path = 0.1,
  .post_norm = true, .overlap = true, .scale = true)
X("focalnet_huge_fl3", "", focalnet, 224, 21842, 745280000, 1.1826e+11, TIMM,
  .width = 352, .levels = 3, .window = 3, .layers = { 4, { 2, 2, 18, 2 } }, .drop_path = 0.1,
  .inner_norm = true, .post_norm = true, .overlap = true, .scale = true)
X("focalnet_huge_fl4", "", focalnet, 224, 0, 686460000, 1.189e+11, TIMM,
  .width = 352, .levels = 4, .window = 3, .layers = { 4, { 2, 2, 18, 2 } }, .drop_path = 0.1,
  .inner_norm = true, .post_norm = true, .overlap = true, .scale = true)

/* --- davit --- */
X("davit_tiny", "", davit, 224, 1000, 28360000, 4540000000, TIMM,
  .widths = { 4, { 96, 192, 384, 768 } }, .layers = { 4, { 1, 1, 3, 1 } },
  .heads = { 4, { 3, 6, 12, 24 } }, .window = 7)
X("davit_small", "", davit, 224, 1000, 49750000, 8800000000, TIMM,
  .widths = { 4, { 96, 192, 384, 768 } }, .layers = { 4, { 1, 1, 9, 1 } },
  .heads = { 4, { 3, 6, 12, 24 } }, .window = 7)
X("davit_base", "", davit, 224, 1000, 87950000, 1.551e+10, TIMM,
  .widths = { 4, { 128, 256, 512, 1024 } }, .layers = { 4, { 1, 1, 9, 1 } },
  .heads = { 4, { 4, 8, 16, 32 } }, .window = 7)
X("davit_large", "", davit, 224, 1000, 196810000, 3.46e+10, TIMM,
  .widths = { 4, { 192, 384, 768, 1536 } }, .layers = { 4, { 1, 1, 9, 1 } },
  .heads = { 4, { 6, 12, 24, 48 } }, .window = 7)
X("davit_huge", "", davit, 224, 1000, 348920000, 6.123e+10, TIMM,
  .widths = { 4, { 256, 512, 1024, 2048 } }, .layers = { 4, { 1, 1, 9, 1 } },
  .heads = { 4, { 8, 16, 32, 64 } }, .window = 7)
X("davit_giant", "", davit, 224, 1000, 1406470000, 1.9292e+11, TIMM,
  .widths = { 4, { 384, 768, 1536, 3072 } }, .layers = { 4, { 1, 1, 12, 3 } },
  .heads = { 4, { 12, 24, 48, 96 } }, .window = 7)
X("davit_base_fl", "", davit, 768, 0, 90370000, 1.9032e+11, TIMM,
  .widths = { 4, { 128, 256, 512, 1024 } }, .layers = { 4, { 1, 1, 9, 1 } },
  .heads = { 4, { 4, 8, 16, 32 } }, .window = 12, .overlap = true)
X("davit_huge_fl", "", davit, 768, 0, 360640000, 7.4484e+11, TIMM,
  .widths = { 4, { 256, 512, 1024, 2048 } }, .layers = { 4, { 1, 1, 9, 1 } },
  .heads = { 4, { 8, 16, 32, 64 } }, .window = 12, .overlap = true)

/* --- hiera --- */
X("hiera_tiny_224", "", hiera, 224, 1000, 27910000, 4910000000, TIMM,
  .width = 96, .heads = 1, .layers = { 4, { 1, 2, 7, 2 } })
X("hiera_small_224", "", hiera, 224, 1000, 35010000, 6420000000, TIMM,
  .width = 96, .heads = 1, .layers = { 4, { 1, 2, 11, 2 } })
X("hiera_base_224", "", hiera, 224, 1000, 51520000, 9400000000, TIMM,
  .width = 96, .heads = 1, .layers = { 4, { 2, 3, 16, 3 } })
X("hiera_base_plus_224", "", hiera, 224, 1000, 69900000, 1.267e+10, TIMM,
  .width = 112, .heads = 2, .layers = { 4, { 2, 3, 16, 3 } })
X("hiera_large_224", "", hiera, 224, 1000, 213740000, 4.034e+10, TIMM,
  .width = 144, .heads = 2, .layers = { 4, { 2, 6, 36, 4 } })
X("hiera_huge_224", "", hiera, 224, 1000, 672780000, 1.2485e+11, TIMM,
  .width = 256, .heads = 4, .layers = { 4, { 2, 6, 36, 4 } })
X("hiera_small_abswin_256", "", hiera, 256, 1000, 34360000, 8290000000, TIMM,
  .width = 96, .heads = 1, .layers = { 4, { 1, 2, 11, 2 } }, .grid = 14, .repeat = true,
  .scale = true)
X("hiera_base_abswin_256", "", hiera, 256, 1000, 51270000, 1.246e+10, TIMM,
  .width = 96, .heads = 1, .layers = { 4, { 2, 3, 16, 3 } }, .grid = 14, .scale = true)

/* --- hieradet --- */
X("sam2_hiera_tiny", "", hieradet, 896, 0, 26850000, 9.986e+10, TIMM,
  .width = 96, .heads = 1, .grid = 7, .layers = { 4, { 1, 2, 7, 2 } },
  .windows = { 4, { 8, 4, 14, 7 } }, .global = { 3, { 5, 7, 9 } })
X("sam2_hiera_small", "", hieradet, 896, 0, 33950000, 1.2399e+11, TIMM,
  .width = 96, .heads = 1, .grid = 7, .layers = { 4, { 1, 2, 11, 2 } },
  .windows = { 4, { 8, 4, 14, 7 } }, .global = { 3, { 7, 10, 13 } })
X("sam2_hiera_base_plus", "", hieradet, 896, 0, 68680000, 2.2748e+11, TIMM,
  .width = 112, .heads = 2, .grid = 14, .layers = { 4, { 2, 3, 16, 3 } },
  .windows = { 4, { 8, 4, 14, 7 } }, .global = { 3, { 12, 16, 20 } })
X("sam2_hiera_large", "", hieradet, 1024, 0, 212150000, 9.0748e+11, TIMM,
  .width = 144, .heads = 2, .grid = 7, .layers = { 4, { 2, 6, 36, 4 } },
  .windows = { 4, { 8, 4, 16, 8 } }, .global = { 3, { 23, 33, 43 } })
X("hieradet_small", "", hieradet, 256, 1000, 34730000, 8510000000, TIMM,
  .width = 96, .heads = 1, .grid = 7, .layers = { 4, { 1, 2, 11, 2 } },
  .windows = { 4, { 8, 4, 16, 8 } }, .scale = true, .global = { 3, { 7, 10, 13 } })

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
  .positions = 1024, .flash = true, .dropout = 0.1)
X("gpt2_medium", "gpt2_med", gpt, 1024, 0, 354823168, 0, HF,
  .style = EC__GPT2, .layers = 24, .hidden = 1024, .heads = 16, .ffn = 4096, .vocab = 50257,
  .positions = 1024, .flash = true, .dropout = 0.1)
X("gpt2_large", "", gpt, 1024, 0, 774030080, 0, HF,
  .style = EC__GPT2, .layers = 36, .hidden = 1280, .heads = 20, .ffn = 5120, .vocab = 50257,
  .positions = 1024, .flash = true, .dropout = 0.1)
X("gpt2_xl", "", gpt, 1024, 0, 1557611200, 0, HF,
  .style = EC__GPT2, .layers = 48, .hidden = 1600, .heads = 25, .ffn = 6400, .vocab = 50257,
  .positions = 1024, .flash = true, .dropout = 0.1)
X("gpt3_125m", "gpt3_small", gpt, 2048, 0, 0, 0, HAND,
  .style = EC__GPT2, .layers = 12, .hidden = 768, .heads = 12, .ffn = 3072, .vocab = 50257,
  .positions = 2048, .flash = true, .dropout = 0.1)
X("gpt3_350m", "gpt3_medium", gpt, 2048, 0, 0, 0, HAND,
  .style = EC__GPT2, .layers = 24, .hidden = 1024, .heads = 16, .ffn = 4096, .vocab = 50257,
  .positions = 2048, .flash = true, .dropout = 0.1)
X("gpt3_760m", "gpt3_large", gpt, 2048, 0, 0, 0, HAND,
  .style = EC__GPT2, .layers = 24, .hidden = 1536, .heads = 16, .ffn = 6144, .vocab = 50257,
  .positions = 2048, .flash = true, .dropout = 0.1)
X("gpt3_1_3b", "", gpt, 2048, 0, 0, 0, HAND,
  .style = EC__GPT2, .layers = 24, .hidden = 2048, .heads = 16, .ffn = 8192, .vocab = 50257,
  .positions = 2048, .flash = true, .dropout = 0.1)
X("gpt3_2_7b", "gpt3_27", gpt, 2048, 0, 0, 0, HAND,
  .style = EC__GPT2, .layers = 32, .hidden = 2560, .heads = 32, .ffn = 10240, .vocab = 50257,
  .positions = 2048, .flash = true, .dropout = 0.1)
X("gpt3_xl", "", gpt, 2048, 0, 0, 0, HAND,
  .style = EC__GPT2, .layers = 24, .hidden = 3072, .heads = 24, .ffn = 12288, .vocab = 50257,
  .positions = 2048, .flash = true, .dropout = 0.1)
X("gpt3_6_7b", "gpt3_67", gpt, 2048, 0, 0, 0, HAND,
  .style = EC__GPT2, .layers = 32, .hidden = 4096, .heads = 32, .ffn = 16384, .vocab = 50257,
  .positions = 2048, .flash = true, .dropout = 0.1)
X("gpt3_13b", "gpt3_13", gpt, 2048, 0, 0, 0, HAND,
  .style = EC__GPT2, .layers = 40, .hidden = 5120, .heads = 40, .ffn = 20480, .vocab = 50257,
  .positions = 2048, .flash = true, .dropout = 0.1)
X("gpt3_175b", "gpt3", gpt, 2048, 0, 0, 0, HAND,
  .style = EC__GPT2, .layers = 96, .hidden = 12288, .heads = 96, .ffn = 49152, .vocab = 50257,
  .positions = 2048, .flash = true, .dropout = 0.1)
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


/* --- rexnet --- */
X("rexnet_100", "", rexnet, 224, 1000, 4800000, 410000000, TIMM,
  .width = 1.0, .by = 1)
X("rexnet_130", "", rexnet, 224, 1000, 7560000, 680000000, TIMM,
  .width = 1.3, .by = 1)
X("rexnet_150", "", rexnet, 224, 1000, 9730000, 900000000, TIMM,
  .width = 1.5, .by = 1)
X("rexnet_200", "", rexnet, 224, 1000, 16370000, 1560000000, TIMM,
  .width = 2.0, .by = 1)
X("rexnet_300", "", rexnet, 224, 1000, 34710000, 3440000000, TIMM,
  .width = 3.0, .by = 1)
X("rexnetr_100", "", rexnet, 224, 1000, 4880000, 430000000, TIMM,
  .width = 1.0, .by = 8)
X("rexnetr_130", "", rexnet, 224, 1000, 7610000, 680000000, TIMM,
  .width = 1.3, .by = 8)
X("rexnetr_150", "", rexnet, 224, 1000, 9780000, 890000000, TIMM,
  .width = 1.5, .by = 8)
X("rexnetr_200", "", rexnet, 224, 1000, 16520000, 1590000000, TIMM,
  .width = 2.0, .by = 8)
X("rexnetr_300", "", rexnet, 224, 1000, 34810000, 3390000000, TIMM,
  .width = 3.0, .by = 16)

/* --- convmixer --- */
X("convmixer_768_32", "", convmixer, 224, 1000, 21110000, 1.955e+10, TIMM,
  .patch = 7, .hidden = 768, .layers = 32, .filter = 7, .act = "relu")
X("convmixer_1536_20", "", convmixer, 224, 1000, 51630000, 4.868e+10, TIMM,
  .patch = 7, .hidden = 1536, .layers = 20, .filter = 9, .act = "gelu")
X("convmixer_1024_20_ks9_p14", "", convmixer, 224, 1000, 24380000, 5550000000, TIMM,
  .patch = 14, .hidden = 1024, .layers = 20, .filter = 9, .act = "gelu")

/* --- edgenext --- */
X("edgenext_xx_small", "", edgenext, 256, 1000, 1330000, 260000000, TIMM,
  .depths = { 4, { 2, 2, 6, 2 } }, .widths = { 4, { 24, 48, 88, 168 } }, .heads = 4)
X("edgenext_x_small", "", edgenext, 256, 1000, 2340000, 540000000, TIMM,
  .depths = { 4, { 3, 3, 9, 3 } }, .widths = { 4, { 32, 64, 100, 192 } }, .heads = 4)
X("edgenext_small", "", edgenext, 256, 1000, 5590000, 1260000000, TIMM,
  .depths = { 4, { 3, 3, 9, 3 } }, .widths = { 4, { 48, 96, 160, 304 } }, .heads = 8)
X("edgenext_small_rw", "", edgenext, 256, 1000, 7830000, 1580000000, TIMM,
  .depths = { 4, { 3, 3, 9, 3 } }, .widths = { 4, { 48, 96, 192, 384 } }, .heads = 8,
  .early = true)
X("edgenext_base", "", edgenext, 256, 1000, 18510000, 3850000000, TIMM,
  .depths = { 4, { 3, 3, 9, 3 } }, .widths = { 4, { 80, 160, 288, 584 } }, .heads = 8)

/* --- nasnet --- */
X("nasnetalarge", "nasnet_a_large nasnet", nasnet, 331, 1000, 88750000, 2.389e+10, TIMM,
  .width = 168, .cells = 6)
X("pnasnet5large", "pnasnet_5_large pnasnet", nasnet, 331, 1000, 86060000, 2.504e+10, TIMM,
  .width = 216, .cells = 4, .progressive = true)

/* --- repvit --- */
X("repvit_m0_9", "", repvit, 224, 1000, 5490000, 830000000, TIMM,
  .depths = { 4, { 2, 2, 14, 2 } }, .widths = { 4, { 48, 96, 192, 384 } })
X("repvit_m1", "", repvit, 224, 1000, 5490000, 830000000, TIMM,
  .depths = { 4, { 2, 2, 14, 2 } }, .widths = { 4, { 48, 96, 192, 384 } }, .legacy = true)
X("repvit_m1_0", "", repvit, 224, 1000, 7300000, 1130000000, TIMM,
  .depths = { 4, { 2, 2, 14, 2 } }, .widths = { 4, { 56, 112, 224, 448 } })
X("repvit_m1_1", "", repvit, 224, 1000, 8800000, 1360000000, TIMM,
  .depths = { 4, { 2, 2, 12, 2 } }, .widths = { 4, { 64, 128, 256, 512 } })
X("repvit_m2", "", repvit, 224, 1000, 8800000, 1360000000, TIMM,
  .depths = { 4, { 2, 2, 12, 2 } }, .widths = { 4, { 64, 128, 256, 512 } }, .legacy = true)
X("repvit_m1_5", "", repvit, 224, 1000, 14640000, 2310000000, TIMM,
  .depths = { 4, { 4, 4, 24, 4 } }, .widths = { 4, { 64, 128, 256, 512 } })
X("repvit_m3", "", repvit, 224, 1000, 10680000, 1890000000, TIMM,
  .depths = { 4, { 4, 4, 18, 2 } }, .widths = { 4, { 64, 128, 256, 512 } }, .legacy = true)
X("repvit_m2_3", "", repvit, 224, 1000, 23690000, 4570000000, TIMM,
  .depths = { 4, { 6, 6, 34, 2 } }, .widths = { 4, { 80, 160, 320, 640 } })

/* --- starnet --- */
X("starnet_s1", "", starnet, 224, 1000, 2870000, 420000000, TIMM,
  .width = 24, .depths = { 4, { 2, 2, 8, 3 } }, .ratio = 4)
X("starnet_s2", "", starnet, 224, 1000, 3680000, 550000000, TIMM,
  .width = 32, .depths = { 4, { 1, 2, 6, 2 } }, .ratio = 4)
X("starnet_s3", "", starnet, 224, 1000, 5750000, 760000000, TIMM,
  .width = 32, .depths = { 4, { 2, 2, 8, 4 } }, .ratio = 4)
X("starnet_s4", "", starnet, 224, 1000, 7480000, 1050000000, TIMM,
  .width = 32, .depths = { 4, { 3, 3, 12, 5 } }, .ratio = 4)
X("starnet_s050", "", starnet, 224, 1000, 540000, 90000000, TIMM,
  .width = 16, .depths = { 4, { 1, 1, 3, 1 } }, .ratio = 3)
X("starnet_s100", "", starnet, 224, 1000, 1040000, 190000000, TIMM,
  .width = 20, .depths = { 4, { 1, 2, 4, 1 } }, .ratio = 4)
X("starnet_s150", "", starnet, 224, 1000, 1560000, 230000000, TIMM,
  .width = 24, .depths = { 4, { 1, 2, 4, 2 } }, .ratio = 3)

/* --- swiftformer --- */
X("swiftformer_xs", "", swiftformer, 224, 1000, 3480000, 610000000, TIMM,
  .depths = { 4, { 3, 3, 6, 4 } }, .widths = { 4, { 48, 56, 112, 220 } })
X("swiftformer_s", "", swiftformer, 224, 1000, 6090000, 990000000, TIMM,
  .depths = { 4, { 3, 3, 9, 6 } }, .widths = { 4, { 48, 64, 168, 224 } })
X("swiftformer_l1", "", swiftformer, 224, 1000, 12060000, 1600000000, TIMM,
  .depths = { 4, { 4, 3, 10, 5 } }, .widths = { 4, { 48, 96, 192, 384 } })
X("swiftformer_l3", "", swiftformer, 224, 1000, 28490000, 4010000000, TIMM,
  .depths = { 4, { 4, 4, 12, 6 } }, .widths = { 4, { 64, 128, 320, 512 } })

/* --- mambaout --- */
X("mambaout_femto", "", mambaout, 224, 1000, 7300000, 1160000000, TIMM,
  .depths = { 4, { 3, 3, 9, 3 } }, .widths = { 4, { 48, 96, 192, 288 } }, .expand = 8.0 / 3,
  .filtered = 1, .act = "gelu")
X("mambaout_kobe", "", mambaout, 224, 1000, 9140000, 1520000000, TIMM,
  .depths = { 4, { 3, 3, 15, 3 } }, .widths = { 4, { 48, 96, 192, 288 } }, .expand = 8.0 / 3,
  .filtered = 1, .act = "gelu")
X("mambaout_tiny", "", mambaout, 224, 1000, 26550000, 4490000000, TIMM,
  .depths = { 4, { 3, 3, 9, 3 } }, .widths = { 4, { 96, 192, 384, 576 } }, .expand = 8.0 / 3,
  .filtered = 1, .act = "gelu")
X("mambaout_small", "", mambaout, 224, 1000, 48490000, 8960000000, TIMM,
  .depths = { 4, { 3, 4, 27, 3 } }, .widths = { 4, { 96, 192, 384, 576 } }, .expand = 8.0 / 3,
  .filtered = 1, .act = "gelu")
X("mambaout_base", "", mambaout, 224, 1000, 84810000, 1.583e+10, TIMM,
  .depths = { 4, { 3, 4, 27, 3 } }, .widths = { 4, { 128, 256, 512, 768 } }, .expand = 8.0 / 3,
  .filtered = 1, .act = "gelu")
X("mambaout_small_rw", "", mambaout, 224, 1000, 48500000, 8960000000, TIMM,
  .depths = { 4, { 3, 4, 27, 3 } }, .widths = { 4, { 96, 192, 384, 576 } }, .expand = 8.0 / 3,
  .filtered = 1, .act = "gelu", .rw = true)
X("mambaout_base_short_rw", "", mambaout, 224, 1000, 88830000, 1.631e+10, TIMM,
  .depths = { 4, { 3, 3, 25, 3 } }, .widths = { 4, { 128, 256, 512, 768 } }, .expand = 3,
  .filtered = 1.25, .act = "gelu", .rw = true)
X("mambaout_base_tall_rw", "", mambaout, 224, 1000, 86480000, 1.615e+10, TIMM,
  .depths = { 4, { 3, 4, 30, 3 } }, .widths = { 4, { 128, 256, 512, 768 } }, .expand = 2.5,
  .filtered = 1.25, .act = "gelu", .rw = true)
X("mambaout_base_wide_rw", "", mambaout, 224, 1000, 94450000, 1.778e+10, TIMM,
  .depths = { 4, { 3, 4, 27, 3 } }, .widths = { 4, { 128, 256, 512, 768 } }, .expand = 3,
  .filtered = 1.5, .act = "silu", .rw = true)
X("mambaout_base_plus_rw", "", mambaout, 224, 1000, 101660000, 1.919e+10, TIMM,
  .depths = { 4, { 3, 4, 30, 3 } }, .widths = { 4, { 128, 256, 512, 768 } }, .expand = 3,
  .filtered = 1.5, .act = "silu", .rw = true)
X("test_mambaout", "", mambaout, 160, 1000, 450000, 30000000, TIMM,
  .depths = { 4, { 1, 1, 3, 1 } }, .widths = { 4, { 16, 32, 48, 64 } }, .expand = 3,
  .filtered = 1, .act = "silu", .rw = true)

/* --- efficientvit --- */
X("efficientvit_b0", "", efficientvit, 224, 1000, 3410000, 100000000, TIMM,
  .widths = { 5, { 8, 16, 32, 64, 128 } }, .depths = { 5, { 1, 2, 2, 2, 2 } }, .head_dim = 16,
  .head = { 2, { 1024, 1280 } }, .act = "hard_swish")
X("efficientvit_b1", "", efficientvit, 224, 1000, 9100000, 530000000, TIMM,
  .widths = { 5, { 16, 32, 64, 128, 256 } }, .depths = { 5, { 1, 2, 3, 3, 4 } }, .head_dim = 16,
  .head = { 2, { 1536, 1600 } }, .act = "hard_swish")
X("efficientvit_b2", "", efficientvit, 224, 1000, 24330000, 1600000000, TIMM,
  .widths = { 5, { 24, 48, 96, 192, 384 } }, .depths = { 5, { 1, 3, 4, 4, 6 } }, .head_dim = 32,
  .head = { 2, { 2304, 2560 } }, .act = "hard_swish")
X("efficientvit_b3", "", efficientvit, 224, 1000, 48650000, 3990000000, TIMM,
  .widths = { 5, { 32, 64, 128, 256, 512 } }, .depths = { 5, { 1, 4, 6, 6, 9 } }, .head_dim = 32,
  .head = { 2, { 2304, 2560 } }, .act = "hard_swish")
X("efficientvit_l1", "", efficientvit, 224, 1000, 52650000, 5270000000, TIMM,
  .widths = { 5, { 32, 64, 128, 256, 512 } }, .depths = { 5, { 1, 1, 1, 6, 6 } }, .head_dim = 32,
  .head = { 2, { 3072, 3200 } }, .act = "gelu approx=tanh", .large = true)
X("efficientvit_l2", "", efficientvit, 224, 1000, 63710000, 6970000000, TIMM,
  .widths = { 5, { 32, 64, 128, 256, 512 } }, .depths = { 5, { 1, 2, 2, 8, 8 } }, .head_dim = 32,
  .head = { 2, { 3072, 3200 } }, .act = "gelu approx=tanh", .large = true)
X("efficientvit_l3", "", efficientvit, 224, 1000, 246040000, 2.762e+10, TIMM,
  .widths = { 5, { 64, 128, 256, 512, 1024 } }, .depths = { 5, { 1, 2, 2, 8, 8 } },
  .head_dim = 32, .head = { 2, { 6144, 6400 } }, .act = "gelu approx=tanh", .large = true)

/* --- efficientvit_m --- */
X("efficientvit_m0", "", efficientvit_m, 224, 1000, 2350000, 80000000, TIMM,
  .widths = { 3, { 64, 128, 192 } }, .depths = { 3, { 1, 2, 3 } }, .heads = { 3, { 4, 4, 4 } },
  .filters = { 4, { 5, 5, 5, 5 } })
X("efficientvit_m1", "", efficientvit_m, 224, 1000, 2980000, 170000000, TIMM,
  .widths = { 3, { 128, 144, 192 } }, .depths = { 3, { 1, 2, 3 } }, .heads = { 3, { 2, 3, 3 } },
  .filters = { 4, { 7, 5, 3, 3 } })
X("efficientvit_m2", "", efficientvit_m, 224, 1000, 4190000, 200000000, TIMM,
  .widths = { 3, { 128, 192, 224 } }, .depths = { 3, { 1, 2, 3 } }, .heads = { 3, { 4, 3, 2 } },
  .filters = { 4, { 7, 5, 3, 3 } })
X("efficientvit_m3", "", efficientvit_m, 224, 1000, 6900000, 270000000, TIMM,
  .widths = { 3, { 128, 240, 320 } }, .depths = { 3, { 1, 2, 3 } }, .heads = { 3, { 4, 3, 4 } },
  .filters = { 4, { 5, 5, 5, 5 } })
X("efficientvit_m4", "", efficientvit_m, 224, 1000, 8800000, 300000000, TIMM,
  .widths = { 3, { 128, 256, 384 } }, .depths = { 3, { 1, 2, 3 } }, .heads = { 3, { 4, 4, 4 } },
  .filters = { 4, { 7, 5, 3, 3 } })
X("efficientvit_m5", "", efficientvit_m, 224, 1000, 12470000, 530000000, TIMM,
  .widths = { 3, { 192, 288, 384 } }, .depths = { 3, { 1, 3, 4 } }, .heads = { 3, { 3, 3, 4 } },
  .filters = { 4, { 7, 5, 3, 3 } })

/* --- shvit --- */
X("shvit_s1", "", shvit, 224, 1000, 0, 240000000, TIMM,
  .widths = { 3, { 128, 224, 320 } }, .depths = { 3, { 2, 4, 5 } },
  .parts = { 3, { 0, 48, 68 } })
X("shvit_s2", "", shvit, 224, 1000, 0, 370000000, TIMM,
  .widths = { 3, { 128, 308, 448 } }, .depths = { 3, { 2, 4, 5 } },
  .parts = { 3, { 0, 66, 96 } })
X("shvit_s3", "", shvit, 224, 1000, 0, 600000000, TIMM,
  .widths = { 3, { 192, 352, 448 } }, .depths = { 3, { 3, 5, 5 } },
  .parts = { 3, { 0, 75, 96 } })
X("shvit_s4", "", shvit, 256, 1000, 0, 990000000, TIMM,
  .widths = { 3, { 224, 336, 448 } }, .depths = { 3, { 4, 7, 6 } },
  .parts = { 3, { 0, 72, 96 } })

/* --- tinyvit --- */
X("tiny_vit_5m_224", "", tinyvit, 224, 21841, 12080000, 1270000000, TIMM,
  .depths = { 4, { 2, 2, 6, 2 } }, .widths = { 4, { 64, 128, 160, 320 } },
  .heads = { 4, { 2, 4, 5, 10 } }, .windows = { 4, { 7, 7, 14, 7 } })
X("tiny_vit_11m_224", "", tinyvit, 224, 21841, 20350000, 2030000000, TIMM,
  .depths = { 4, { 2, 2, 6, 2 } }, .widths = { 4, { 64, 128, 256, 448 } },
  .heads = { 4, { 2, 4, 8, 14 } }, .windows = { 4, { 7, 7, 14, 7 } })
X("tiny_vit_21m_224", "", tinyvit, 224, 21841, 33220000, 4290000000, TIMM,
  .depths = { 4, { 2, 2, 6, 2 } }, .widths = { 4, { 96, 192, 384, 576 } },
  .heads = { 4, { 3, 6, 12, 18 } }, .windows = { 4, { 7, 7, 14, 7 } })
X("tiny_vit_21m_384", "", tinyvit, 384, 1000, 21230000, 1.377e+10, TIMM,
  .depths = { 4, { 2, 2, 6, 2 } }, .widths = { 4, { 96, 192, 384, 576 } },
  .heads = { 4, { 3, 6, 12, 18 } }, .windows = { 4, { 12, 12, 24, 12 } })
X("tiny_vit_21m_512", "", tinyvit, 512, 1000, 21270000, 2.702e+10, TIMM,
  .depths = { 4, { 2, 2, 6, 2 } }, .widths = { 4, { 96, 192, 384, 576 } },
  .heads = { 4, { 3, 6, 12, 18 } }, .windows = { 4, { 16, 16, 32, 16 } })

/* --- nextvit --- */
X("nextvit_small", "", nextvit, 224, 1000, 31760000, 5810000000, TIMM,
  .depths = { 4, { 3, 4, 10, 3 } })
X("nextvit_base", "", nextvit, 224, 1000, 44820000, 8290000000, TIMM,
  .depths = { 4, { 3, 4, 20, 3 } })
X("nextvit_large", "", nextvit, 224, 1000, 57870000, 1.078e+10, TIMM,
  .depths = { 4, { 3, 4, 30, 3 } })

/* --- efficientformer --- */
X("efficientformer_l1", "", efficientformer, 224, 1000, 12290000, 1300000000, TIMM,
  .depths = { 4, { 3, 2, 6, 4 } }, .widths = { 4, { 48, 96, 224, 448 } }, .attending = 1)
X("efficientformer_l3", "", efficientformer, 224, 1000, 31410000, 3930000000, TIMM,
  .depths = { 4, { 4, 4, 12, 6 } }, .widths = { 4, { 64, 128, 320, 512 } }, .attending = 4)
X("efficientformer_l7", "", efficientformer, 224, 1000, 82230000, 1.017e+10, TIMM,
  .depths = { 4, { 6, 6, 18, 8 } }, .widths = { 4, { 96, 192, 384, 768 } }, .attending = 8)
X("efficientformerv2_s0", "", efficientformer, 224, 1000, 3600000, 410000000, TIMM,
  .depths = { 4, { 2, 2, 6, 4 } }, .widths = { 4, { 32, 48, 96, 176 } }, .attending = 2,
  .v2 = true, .narrow = { 4, { 1, 3, 1, 2 } })
X("efficientformerv2_s1", "", efficientformer, 224, 1000, 6190000, 670000000, TIMM,
  .depths = { 4, { 3, 3, 9, 6 } }, .widths = { 4, { 32, 48, 120, 224 } }, .attending = 2,
  .v2 = true, .narrow = { 4, { 2, 4, 2, 2 } })
X("efficientformerv2_s2", "", efficientformer, 224, 1000, 12710000, 1270000000, TIMM,
  .depths = { 4, { 4, 4, 12, 8 } }, .widths = { 4, { 32, 64, 144, 288 } }, .attending = 4,
  .v2 = true, .narrow = { 4, { 2, 6, 2, 4 } })
X("efficientformerv2_l", "", efficientformer, 224, 1000, 26320000, 2590000000, TIMM,
  .depths = { 4, { 5, 5, 15, 10 } }, .widths = { 4, { 40, 80, 192, 384 } }, .attending = 6,
  .v2 = true, .narrow = { 4, { 4, 7, 3, 4 } })

/* --- fastvit --- */
X("fastvit_t8", "", fastvit, 256, 1000, 4030000, 700000000, TIMM,
  .depths = { 4, { 2, 2, 4, 2 } }, .widths = { 4, { 48, 96, 192, 384 } }, .ratio = 3)
X("fastvit_t12", "", fastvit, 256, 1000, 7550000, 1420000000, TIMM,
  .depths = { 4, { 2, 2, 6, 2 } }, .widths = { 4, { 64, 128, 256, 512 } }, .ratio = 3)
X("fastvit_s12", "", fastvit, 256, 1000, 9470000, 1820000000, TIMM,
  .depths = { 4, { 2, 2, 6, 2 } }, .widths = { 4, { 64, 128, 256, 512 } }, .ratio = 4)
X("fastvit_sa12", "", fastvit, 256, 1000, 11580000, 1960000000, TIMM,
  .depths = { 4, { 2, 2, 6, 2 } }, .widths = { 4, { 64, 128, 256, 512 } }, .ratio = 4,
  .attending = 1)
X("fastvit_sa24", "", fastvit, 256, 1000, 21550000, 3800000000, TIMM,
  .depths = { 4, { 4, 4, 12, 4 } }, .widths = { 4, { 64, 128, 256, 512 } }, .ratio = 4,
  .attending = 1)
X("fastvit_sa36", "", fastvit, 256, 1000, 31530000, 5640000000, TIMM,
  .depths = { 4, { 6, 6, 18, 6 } }, .widths = { 4, { 64, 128, 256, 512 } }, .ratio = 4,
  .attending = 1)
X("fastvit_ma36", "", fastvit, 256, 1000, 44070000, 7880000000, TIMM,
  .depths = { 4, { 6, 6, 18, 6 } }, .widths = { 4, { 76, 152, 304, 608 } }, .ratio = 4,
  .attending = 1)
X("fastvit_mci0", "", fastvit, 256, 512, 11410000, 2420000000, TIMM,
  .depths = { 4, { 2, 6, 10, 2 } }, .widths = { 4, { 64, 128, 256, 512 } }, .ratio = 3,
  .attending = 1, .clip = true)
X("fastvit_mci1", "", fastvit, 256, 512, 21540000, 4720000000, TIMM,
  .depths = { 4, { 4, 12, 20, 4 } }, .widths = { 4, { 64, 128, 256, 512 } }, .ratio = 3,
  .attending = 1, .clip = true)
X("fastvit_mci2", "", fastvit, 256, 512, 35820000, 7910000000, TIMM,
  .depths = { 4, { 4, 12, 24, 4 } }, .widths = { 4, { 80, 160, 320, 640 } }, .ratio = 3,
  .attending = 1, .clip = true)
X("fastvit_mci3", "", fastvit, 256, 768, 0, 1.482e+10, TIMM,
  .depths = { 5, { 2, 12, 24, 4, 2 } }, .widths = { 5, { 96, 192, 384, 768, 1536 } }, .ratio = 4,
  .attending = 2, .clip = true, .five = true)
X("fastvit_mci4", "", fastvit, 256, 768, 0, 2.778e+10, TIMM,
  .depths = { 5, { 2, 12, 24, 4, 4 } }, .widths = { 5, { 128, 256, 512, 1024, 2048 } },
  .ratio = 4, .attending = 2, .clip = true, .five = true)

/* clang-format on */
