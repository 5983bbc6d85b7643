/* What all GPUs of a generation share, stated once: one macro per compute capability, and for AMD
 * per architecture. A row of the table takes the one of its chip, with what its clocks do:
 * SM_86(FREE). What no document states names the rule or the measurements behind it. */
#ifndef EC_DEVICE_GENERATIONS_H
#define EC_DEVICE_GENERATIONS_H

/* clang-format off */
#define DOC_KEPLER_GUIDE "NVIDIA Kepler tuning guide (CUDA toolkit)"
#define DOC_MAXWELL_GUIDE "NVIDIA Maxwell tuning guide (CUDA toolkit)"
#define DOC_PASCAL_GUIDE "NVIDIA Pascal tuning guide (CUDA toolkit)"
#define DOC_PTX "NVIDIA PTX ISA: mma 7.0, cp.async 8.0, wgmma 9.0, tcgen05 10.0"
#define DOC_MFMA "AMD matrix core instructions (MFMA, WMMA) in the ISA guide of the architecture"
#define REF_FEW_PAGES "measured: operands that lie far apart are slow before Volta"
#define REF_HALF_IDLE "assumed: as in GA10x, half of the lanes serve products alone"
#define REF_CLOCK_FREE "assumed: a desktop board for games"
#define REF_CLOCK_SPECIFIED "assumed: no desktop board for games"

#define TRAIT(v, r)       { EC_##v, EC_SRC_DATASHEET, (r) }
#define TRAIT_SEEN(v, r)  { EC_##v, EC_SRC_MEASURED, (r) }
/* Of the 16-bit matrix peak: the mean over the boards of the generation whose highest product was
 * measured (bf16_sustained_flop_per_s). Of other generations nobody published one. */
#define REF_SUSTAINED "mean of the measured boards of the generation"
#define SUSTAINED(v) .matrix_sustained_frac = { (v), EC_SRC_MEASURED, REF_SUSTAINED }
#define CLOCK(kind) .clock_kind = TRAIT(CLOCK_##kind, REF_CLOCK_##kind)
#define KEPLER                                                                                     \
    .fp32_lane_kind = TRAIT(LANES_STARVED, DOC_KEPLER_GUIDE), /* 192, four schedulers */           \
    .matrix_issue = TRAIT(MATRIX_NONE, DOC_PTX),                                                   \
    .memory_path = TRAIT(PATH_UNCACHED, DOC_KEPLER_GUIDE)
#define BEFORE_VOLTA(doc)                                                                          \
    .fp32_lane_kind = TRAIT(LANES_PLAIN, doc), .matrix_issue = TRAIT(MATRIX_NONE, DOC_PTX),        \
    .memory_path = TRAIT_SEEN(PATH_FEW_PAGES, REF_FEW_PAGES)
#define SINCE_VOLTA(lanes, lanes_doc, issue)                                                       \
    .fp32_lane_kind = TRAIT(LANES_##lanes, lanes_doc),                                             \
    .matrix_issue = TRAIT(MATRIX_##issue, DOC_PTX),                                                \
    .memory_path = TRAIT_SEEN(PATH_PLAIN, REF_FEW_PAGES)

#define SM_35(clock)  .compute_capability = 35, KEPLER, CLOCK(clock)
#define SM_37(clock)  .compute_capability = 37, KEPLER, CLOCK(clock)
#define SM_50(clock)  .compute_capability = 50, BEFORE_VOLTA(DOC_MAXWELL_GUIDE), CLOCK(clock)
#define SM_52(clock)  .compute_capability = 52, BEFORE_VOLTA(DOC_MAXWELL_GUIDE), CLOCK(clock)
#define SM_60(clock)  .compute_capability = 60, BEFORE_VOLTA(DOC_PASCAL_GUIDE), CLOCK(clock)
#define SM_61(clock)  .compute_capability = 61, BEFORE_VOLTA(DOC_PASCAL_GUIDE), CLOCK(clock)
#define SM_70(clock)  .compute_capability = 70, SINCE_VOLTA(PLAIN, DOC_V100, WARP), CLOCK(clock)
#define SM_75(clock)                                                                               \
    .compute_capability = 75, SINCE_VOLTA(BESIDE_INTEGER, DOC_TURING, WARP), CLOCK(clock)
#define SM_75_WITHOUT_TENSOR(clock)                                                                \
    .compute_capability = 75, SINCE_VOLTA(BESIDE_INTEGER, DOC_TURING, NONE), CLOCK(clock)
#define SM_80(clock)                                                                               \
    .compute_capability = 80, SINCE_VOLTA(PLAIN, DOC_A100, WARP_ASYNC), CLOCK(clock),              \
    SUSTAINED(0.840)
#define SM_86(clock)                                                                               \
    .compute_capability = 86, SINCE_VOLTA(HALF_INTEGER, DOC_GA102, WARP_ASYNC), CLOCK(clock)
#define SM_89(clock)                                                                               \
    .compute_capability = 89, SINCE_VOLTA(HALF_INTEGER, DOC_ADA, WARP_ASYNC), CLOCK(clock)
#define SM_90(clock)                                                                               \
    .compute_capability = 90, SINCE_VOLTA(HALF_IDLE, REF_HALF_IDLE, WARP_GROUP), CLOCK(clock),     \
    SUSTAINED(0.820)
#define SM_100(clock)                                                                              \
    .compute_capability = 100, SINCE_VOLTA(HALF_IDLE, REF_HALF_IDLE, WARP_GROUP), CLOCK(clock),    \
    SUSTAINED(0.752)
#define SM_103(clock)                                                                              \
    .compute_capability = 103, SINCE_VOLTA(HALF_IDLE, REF_HALF_IDLE, WARP_GROUP), CLOCK(clock),    \
    SUSTAINED(0.786)
#define SM_120(clock)                                                                              \
    .compute_capability = 120, SINCE_VOLTA(HALF_INTEGER, DOC_BLACKWELL, WARP_ASYNC), CLOCK(clock)

#define AMD_TRAITS(lanes, lanes_doc, issue)                                                        \
    .fp32_lane_kind = TRAIT(LANES_##lanes, lanes_doc),                                             \
    .matrix_issue = TRAIT(MATRIX_##issue, DOC_MFMA),                                               \
    .memory_path = TRAIT(PATH_PLAIN, "assumed: as NVIDIA since Volta"),                            \
    .clock_kind = TRAIT(CLOCK_SPECIFIED, REF_CLOCK_SPECIFIED)
#define GCN_5(arch_) .arch = arch_, AMD_TRAITS(PLAIN, DOC_VEGAFE, NONE)
#define CDNA_1   .arch = "cdna1", AMD_TRAITS(PLAIN, DOC_CDNA1, WARP)
#define CDNA_2   .arch = "cdna2", AMD_TRAITS(PLAIN, DOC_CDNA2, WARP)
#define CDNA_3   .arch = "cdna3", AMD_TRAITS(PAIRED, DOC_CDNA3, WARP), SUSTAINED(0.559)
#define CDNA_4   .arch = "cdna4", AMD_TRAITS(PAIRED, DOC_CDNA4, WARP), SUSTAINED(0.680)
#define RDNA_3   .arch = "rdna3", AMD_TRAITS(PAIRED, DOC_RDNA3, WARP)
/* clang-format on */

#endif
