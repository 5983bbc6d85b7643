/* Operators of a trace as cases, what belongs to which, and what could be won back. */
#include "trace/trace.h"
#include "test.h"

struct looked {
    struct ec_trace trace;
    uint32_t *up;
    struct ec_trace_steps steps;
    struct ec_trace_ops ops;
};

static void look(const char *events, const char *device, struct looked *l)
{
    struct ec_predictor *p = NULL;
    struct ec_err err = { 0 };

    CHECK_OK(ec_predictor_new(&p, &err));
    CHECK_OK(ec_trace_parse(events, strlen(events), &l->trace, &err));
    CHECK_OK(ec_trace_join(&l->trace, &l->up, &err));
    CHECK_OK(ec_trace_find_steps(&l->trace, l->up, &l->steps, &err));
    CHECK_OK(ec_trace_operators(&l->trace, l->up, &l->steps, p, device, &l->ops, &err));
    ec_predictor_free(p);
}

static void clear(struct looked *l)
{
    ec_trace_clear(&l->trace);
    ec_trace_steps_clear(&l->steps);
    ec_trace_ops_clear(&l->ops);
    ec_free(l->up);
}

/* An operator that launches one kernel. */
#define CALL(name, dims, types, values)                                                            \
    "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"" name                                            \
    "\",\"pid\":1,\"tid\":1,\"ts\":10,\"dur\":50,\"args\":{\"External id\":3,\"Input Dims\":" dims \
    ",\"Input type\":" types ",\"Concrete Inputs\":" values "}},"                                  \
    "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":1,\"tid\":1,"    \
    "\"ts\":20,\"dur\":5,\"args\":{\"correlation\":7}},"                                           \
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":7,\"ts\":40,\"dur\":1000,"  \
    "\"args\":{\"correlation\":7}}"

/* Kernels without an operator, as names of public profiles have them. */
TEST(names_say_the_kind)
{
    static const struct {
        const char *name, *kind, *label;
    } rows[] = {
  /* clang-format off */
        { "nvjet_tst_192x192_64x4_2x1_v_bz_coopB_bias_TNN",
          "product", "product bf16 192x192" },
        { "sm80_xmma_gemm_f32f32_tf32f32_f32_nn_n_tilesize128x64x32_stage3_warpsize2x2x1_cublas",
          "product", "product tf32 128x64x32" },
        { "volta_sgemm_128x64_nt",
          "product", "product fp32 128x64" },
        { "void cutlass::Kernel2<cutlass_80_tensorop_f16_s16816gemm_relu_f16_256x128_32x3_nn>()",
          "product", "product fp16 256x128" },
        { "void cudnn::cnn::wgrad_alg0_engine<float, 128, 5, 5, 3>(int)",
          "convolution", "convolution grad_weight fp32" },
        { "sm90_xmma_dgrad_implicit_gemm_bf16bf16_bf16f32_f32_tilesize128x128x64_cudnn",
          "convolution", "convolution grad_data bf16 128x128x64" },
        { "void cudnn::winograd_nonfused::winogradForwardData4x4<float, float>()",
          "convolution", "convolution winograd fp32" },
        { "void flash::flash_fwd_kernel<Flash_fwd_kernel_traits<(int)128, cutlass::bfloat16_t>>()",
          "attention", "attention forward bf16" },
        { "fmha_cutlassB_f16_aligned_64x64_k64_sm80(PyTorchMemEffAttention::AttentionBackwa"
          "rdKernel)",
          "attention", "attention backward fp16" },
        { "void at::native::vectorized_layer_norm_kernel<float, float>(int)",
          "norm", "norm layer_norm fp32" },
        { "void cunn_SoftMaxForward<8, c10::Half, float>(c10::Half*)",
          "softmax", "softmax fp16" },
        { "void at::native::elementwise_kernel<128, 2, at::native::binary_internal::MulFunc"
          "tor<float>>(int)",
          "elementwise", "elementwise mul fp32" },
        { "void at::native::reduce_kernel<512, 1, at::native::MeanOps<float>>(T3)",
          "reduction", "reduction fp32" },
        { "void at::native::multi_tensor_apply_kernel<FusedAdamMathFunctor<float>>()",
          "update", "update fp32" },
        { "triton_poi_fused_add_gelu_3",
          "elementwise", "elementwise triton_poi_fused_add_gelu_3" },
        { "void fbgemm_gpu::permute_2D_data_kernel<long>()",
          "copy", "copy layout" },
        { "void deep_ep::intranode::combine<__nv_bfloat16, 4, 768>(int4*)",
          "collective", NULL },
        { "void c10d::symmetric_memory::one_shot_all_reduce_kernel<c10::BFloat16>()",
          "collective", NULL },
        { "triton_poi_fused_add_all_reduce_wait_tensor_3",
          "elementwise", "elementwise triton_poi_fused_add_all_reduce_wait_tensor_3" },
        { "void cutlass::device_kernel<flash::FlashAttnBwdSm90<cutlass::bfloat16_t>>(Params)",
          "attention", "attention backward bf16" },
        { "void transformer_engine::normalization::ln_bwd_tuned_kernel<float>()",
          "norm", "norm layer_norm backward fp32" },
        { "void kOptimizerStatic8bit2StateBlockwise<__nv_bfloat16, 1, 256, 1>()",
          "update", "update bf16" },
        { "fused_moe_kernel",
          "product", "product experts" },
        { "my_kernel(int)",
          "other", "other my_kernel" },
  /* clang-format on */
    };
    int i;

    for (i = 0; i < EC_LEN(rows); i++) {
        char events[512];
        struct looked l = { 0 };

        (void)snprintf(events, sizeof events,
                       "[{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"%s\",\"pid\":0,\"tid\":7,"
                       "\"ts\":40,\"dur\":1000,\"args\":{}}]",
                       rows[i].name);
        look(events, NULL, &l);
        if (!rows[i].label) { /* is no operator */
            CHECK_INT(l.ops.n, 0);
            CHECK(l.ops.collective_ns > 0);
        } else {
            CHECK_INT(l.ops.n, 1);
            CHECK_STR(l.ops.v[0].kind, rows[i].kind);
            CHECK_STR(l.ops.v[0].label, rows[i].label);
        }
        clear(&l);
    }
}

/* Two names of one kind are one row, and what a step computes is divided among the kinds. */
TEST(kinds_add_up_to_compute)
{
#define KERNEL(name, from, dur)                                                                    \
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"" name "\",\"pid\":0,\"tid\":7,\"ts\":" #from     \
    ",\"dur\":" #dur ",\"args\":{}}"
    struct ec_trace_share kind[EC_TRACE_KINDS_MOST];
    struct looked l = { 0 };
    struct ec_err err = { 0 };

    look("[" KERNEL("volta_sgemm_128x64_nt", 0, 100) "," KERNEL(
             "volta_sgemm_128x64_nn", 100, 50) "," KERNEL("softmax_warp_forward<float>", 150,
                                                          30) "," KERNEL("ncclDevKernel_AllReduce",
                                                                         180, 20) "]",
         NULL, &l);
    CHECK_OK(ec_trace_budget(&l.trace, l.up, &l.steps, &err));
    CHECK_INT(l.ops.n, 2);
    CHECK_INT(ec_trace_by_kind(&l.steps, &l.ops, kind), 2);
    CHECK_STR(kind[0].kind, "product");
    CHECK_NEAR(kind[0].ns, 150e3, 1e-9);
    CHECK_NEAR(kind[1].ns, 30e3, 1e-9);
    CHECK(!kind[0].is_predicted);
    clear(&l);
}

TEST(calls_are_cases)
{
    /* clang-format off */
    static const struct {
        const char *events, *text;
        enum ec_precision precision;
    } rows[] = {
        { "[" CALL("aten::addmm",
                   "[[10],[8,32],[32,10],[],[]]",
                   "[\"c10::Half\",\"c10::Half\",\"c10::Half\",\"Scalar\",\"Scalar\"]",
                   "[\"\",\"\",\"\",\"1\",\"1\"]") "]",
          "linear m=8 k=32 n=10 bias=1", EC_FP16 },
        { "[" CALL("aten::bmm",
                   "[[4,8,32],[4,32,10]]",
                   "[\"float\",\"float\"]",
                   "[\"\",\"\"]") "]",
          "matmul x=4x8x32 y=4x32x10", EC_FP32 },
        { "[" CALL("aten::_grouped_mm",
                   "[[60,32],[4,32,10],[4],[],[]]",
                   "[\"c10::BFloat16\",\"c10::BFloat16\",\"int\",\"\",\"\"]",
                   "[\"\",\"\",\"\",\"\",\"\"]") "]",
          "grouped_matmul x=60x32 y=4x32x10", EC_BF16 },
        { "[" CALL("aten::_grouped_mm", /* the gradient of its weights */
                   "[[32,60],[60,10],[4],[],[]]",
                   "[\"c10::BFloat16\",\"c10::BFloat16\",\"int\",\"\",\"\"]",
                   "[\"\",\"\",\"\",\"\",\"\"]") "]",
          "grouped_matmul x=60x32 y=4x32x10", EC_BF16 },
        { "[" CALL("aten::cudnn_convolution",
                   "[[2,6,20,20],[12,3,3,3],[],[],[],[]]",
                   "[\"c10::BFloat16\",\"c10::BFloat16\"]",
                   "[\"\",\"\",\"[1, 1]\",\"[2, 2]\",\"[1, 1]\",\"2\"]") "]",
          "conv2d n=2 c=6 h=20 w=20 k=12 r=3 s=3 stride=2x2 pad=1x1 groups=2 bias=0", EC_BF16 },
        { "[" CALL("aten::convolution_backward",
                   "[[2,12,10,10],[2,6,20,20],[12,6,3,3],[],[],[],[],[],[],[],[]]",
                   "[\"float\",\"float\",\"float\"]",
                   "[\"\",\"\",\"\",\"[0]\",\"[2, 2]\",\"[1, 1]\",\"[1, 1]\",\"False\",\"[0,"
                   " 0]\",\"1\",\"[True, True, False]\"]") "]",
          "conv2d n=2 c=6 h=20 w=20 k=12 r=3 s=3 stride=2x2 pad=1x1 bias=0", EC_FP32 },
        { "[" CALL("_C::rms_norm",
                   "[[888,2880],[888,2880],[2880],[]]",
                   "[\"c10::BFloat16\",\"c10::BFloat16\",\"c10::BFloat16\",\"Scalar\"]",
                   "[\"\",\"\",\"\",\"1e-05\"]") "]",
          "rms_norm x=888x2880", EC_BF16 },
        { "[" CALL("fbgemm::split_embedding_codegen_lookup_rowwise_adagrad_function",
                   "[[0],[16000],[],[],[],[],[],[],[],[],[],[30],[],[],[],[],"
                   "[],[],[],[],[100]]",
                   "[\"float\",\"c10::Half\",\"\",\"\",\"\","
                   "\"\",\"\",\"\",\"\",\"\",\"\",\"long\"]",
                   "[]") "]",
          "scale_scalar x=1230", EC_FP32 }, /* 30 of 8 bytes, and so many rows of 160 halves */
        { "[" CALL("aten::_softmax",
                   "[[8,12,128,128],[],[]]",
                   "[\"float\",\"Scalar\",\"Scalar\"]",
                   "[\"\",\"-1\",\"False\"]") "]",
          "softmax x=8x12x128x128 axis=-1", EC_FP32 },
        { "[" CALL("aten::add_",
                   "[[8,16],[16],[]]",
                   "[\"float\",\"float\",\"Scalar\"]",
                   "[\"\",\"\",\"1\"]") "]",
          "add x=8x16 y=16", EC_FP32 },
        { "[" CALL("aten::sum",
                   "[[64,1000],[],[],[]]",
                   "[\"c10::Half\",\"ScalarList\",\"Scalar\",\"\"]",
                   "[\"\",\"[-1]\",\"True\",\"\"]") "]",
          "reduce_sum x=64x1000 axes=1", EC_FP16 },
        { "[" CALL("aten::embedding",
                   "[[1000,64],[8,16],[],[],[]]",
                   "[\"c10::BFloat16\",\"long int\",\"Scalar\",\"Scalar\",\"Scalar\"]",
                   "[\"\",\"\",\"-1\",\"False\",\"False\"]") "]",
          "embedding x=8x16 num=1000 dim=64", EC_BF16 },
        { "[" CALL("aten::_flash_attention_forward",
                   "[[2,128,8,64],[2,128,8,64],[2,128,8,64],[],[],[],[],[],[]]",
                   "[\"c10::Half\",\"c10::Half\",\"c10::Half\"]",
                   "[\"\",\"\",\"\",\"\",\"\",\"128\",\"128\",\"0.\",\"True\"]") "]",
          "attention b=16 t=128 u=128 d=64 e=64 causal=1", EC_FP16 },
        { "[" CALL("aten::_flash_attention_backward", /* 8 heads, 4 of keys and values */
                   "[[2,128,8,64],[2,128,8,64],[2,128,4,64],[2,128,4,64]]",
                   "[\"c10::BFloat16\",\"c10::BFloat16\",\"c10::BFloat16\",\"c10::BFloat16\"]",
                   "[\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"128\",\"128\",\"0.\",\"True\"]") "]",
          "attention b=16 t=128 u=128 d=64 e=64 causal=1", EC_BF16 },
        { "[" CALL("aten::_efficient_attention_backward",
                   "[[2,128,8,64],[2,128,8,64],[2,128,4,64],[2,128,4,64]]",
                   "[\"c10::BFloat16\",\"c10::BFloat16\",\"c10::BFloat16\",\"c10::BFloat16\"]",
                   "[\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\","
                   "\"\",\"1\"]") "]",
          "attention b=16 t=128 u=128 d=64 e=64 causal=1", EC_BF16 },
        { "[" CALL("flash_attn::_flash_attn_varlen_forward", /* 4 samples, one behind the other */
                   "[[512,8,64],[512,8,64],[512,8,64],[5],[5]]",
                   "[\"c10::BFloat16\",\"c10::BFloat16\",\"c10::BFloat16\",\"c10::BFloat16\"]",
                   "[\"\",\"\",\"\",\"\",\"\",\"200\",\"200\",\"0.\",\"\",\"True\"]") "]",
          "attention b=32 t=128 u=128 d=64 e=64 causal=1", EC_BF16 },
        { "[" CALL("flash_attn_3::fwd",
                   "[[2,128,8,64],[2,128,4,64],[2,128,4,64]]",
                   "[\"c10::BFloat16\",\"c10::BFloat16\",\"c10::BFloat16\",\"c10::BFloat16\"]",
                   "[\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\","
                   "\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\","
                   "\"False\"]") "]",
          "attention b=16 t=128 u=128 d=64 e=64 causal=0", EC_BF16 },
        { "[" CALL("fsdp::split_with_sizes_copy",
                   "[[8,1000],[],[]]",
                   "[\"c10::BFloat16\",\"ScalarList\",\"Scalar\"]",
                   "[\"\",\"[600, 400]\",\"1\"]") "]",
          "scale_scalar x=4000", EC_FP32 },
        { "[" CALL("aten::nll_loss_backward", /* a score of each row; zeros are filled before */
                   "[[],[2048,50257],[2048],[],[],[],[]]",
                   "[\"float\",\"float\",\"long int\"]",
                   "[\"\",\"\",\"\",\"\",\"1\",\"-100\",\"\"]") "]",
          "scale_scalar x=1024", EC_FP32 },
        { "[" CALL("triton_tem_fused_addmm_relu_3", /* a bias before, the result behind */
                   "[[40],[16,32],[32,40],[16,40]]",
                   "[\"c10::BFloat16\",\"c10::BFloat16\",\"c10::BFloat16\",\"c10::BFloat16\"]",
                   "[\"\",\"\",\"\",\"\"]") "]",
          "linear m=16 k=32 n=40 bias=0", EC_BF16 },
        { "[" CALL("aten::native_layer_norm",
                   "[[8,16,64],[],[64],[64],[]]",
                   "[\"float\",\"ScalarList\",\"float\",\"float\",\"Scalar\"]",
                   "[\"\",\"[64]\",\"\",\"\",\"1e-05\"]") "]",
          "layer_norm x=8x16x64", EC_FP32 },
        { "[" CALL("aten::max_pool2d_with_indices",
                   "[[2,6,20,20],[],[],[],[],[]]",
                   "[\"float\"]",
                   "[\"\",\"[3, 3]\",\"[2, 2]\",\"[1, 1]\",\"[1, 1]\",\"False\"]") "]",
          "max_pool2d n=2 c=6 h=20 w=20 r=3 s=3 stride=2x2 pad=1x1", EC_FP32 },
        { "[" CALL("aten::cat",
                   "[[[2,30],[2,50]],[]]",
                   "[\"TensorList\",\"Scalar\"]",
                   "[\"\",\"0\"]") "]",
          "scale_scalar x=160", EC_FP32 },
        { "[" CALL("aten::copy_",
                   "[[4,64],[4,64],[]]",
                   "[\"c10::Half\",\"float\",\"Scalar\"]",
                   "[\"\",\"\",\"False\"]") "]",
          "scale_scalar x=192", EC_FP32 },
    };
    /* clang-format on */
    int i;

    for (i = 0; i < EC_LEN(rows); i++) {
        struct looked l;

        look(rows[i].events, "a100-sxm4-40gb", &l);
        CHECK_INT(l.ops.n, 1);
        CHECK_STR(l.ops.v[0].text, rows[i].text);
        CHECK_INT(l.ops.v[0].precision, rows[i].precision);
        CHECK(l.ops.v[0].predicted_ns.p05 > 0);
        CHECK(l.ops.v[0].predicted_ns.p05 <= l.ops.v[0].predicted_ns.p50);
        CHECK(l.ops.v[0].roofline_ns > 0);
        CHECK_NEAR(l.ops.mapped_ns[EC_TRACE_MAPPED], 1e6, 1e-9);
        CHECK(l.ops.v[0].recoverable_ns > 0); /* 1 ms of so small an operator */
        clear(&l);
    }
}

/* Of 2021: no values, so that strides follow from what comes next. */
TEST(strides_of_old_traces_follow_from_the_next_operator)
{
    static const char text[] =
        "[" CALL("aten::cudnn_convolution", "[[2,6,20,20],[12,6,3,3],[],[],[],[]]",
                 "[\"float\",\"float\"]",
                 "\"\"") ","
                         "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::batch_norm\",\"pid\":1,"
                         "\"tid\":1,"
                         "\"ts\":70,\"dur\":5,\"args\":{\"Input Dims\":[[2,12,10,10],[12]]}}]";
    struct looked l;

    look(text, NULL, &l);
    CHECK_STR(l.ops.v[0].text, "conv2d n=2 c=6 h=20 w=20 k=12 r=3 s=3 stride=2x2 pad=1x1 bias=0");
    clear(&l);
}

/* Two calls with one number: the last made the node of autograd. An embedding is whole. */
TEST(backward_finds_its_call)
{
#define EVENT(cat, name, tid, ts, dur, args)                                                       \
    "{\"ph\":\"X\",\"cat\":\"" cat "\",\"name\":\"" name "\",\"pid\":1,\"tid\":" tid ",\"ts\":" ts \
    ",\"dur\":" dur ",\"args\":{" args "}}"
#define NUMBERED "\"Sequence number\":5"
#define SHAPED "\"Input Dims\":[[64,64],[64,64]],\"Input type\":[\"float\",\"float\"]"
#define LAUNCHED "\"correlation\":"
    /* clang-format off */
    static const char text[] = "["
        EVENT("cpu_op", "aten::add_", "1", "0", "9", NUMBERED "," SHAPED) ","
        EVENT("cuda_runtime", "cudaLaunchKernel", "1", "1", "2", LAUNCHED "1") ","
        EVENT("kernel", "add", "7", "10", "1", LAUNCHED "1") ","
        EVENT("cpu_op", "aten::embedding", "1", "20", "9", NUMBERED "," SHAPED) ","
        EVENT("cpu_op", "aten::index_select", "1", "21", "7", SHAPED) ","
        EVENT("cuda_runtime", "cudaLaunchKernel", "1", "22", "2", LAUNCHED "2") ","
        EVENT("kernel", "select", "7", "30", "2", LAUNCHED "2") ","
        EVENT("cpu_op", "EmbeddingBackward", "2", "40", "9", NUMBERED) ","
        EVENT("cpu_op", "aten::zero_", "2", "41", "7", SHAPED) ","
        EVENT("cuda_runtime", "cudaLaunchKernel", "2", "42", "2", LAUNCHED "3") ","
        EVENT("kernel", "zero", "7", "50", "4", LAUNCHED "3") "]";
    /* clang-format on */
    struct looked l;

    look(text, NULL, &l);
    CHECK_INT(l.ops.n_calls, 3);
    CHECK_STR(l.ops.v[l.ops.call[1].op].name, "aten::embedding");
    CHECK_INT(l.ops.call[0].forward, -1);
    CHECK_INT(l.ops.call[2].forward, 1);
    CHECK_NEAR(l.ops.call[2].ns, 4000, 0);
    clear(&l);
}

/* A server gives its model one list of the tokens of all requests; a recommender a list of rows. */
TEST(a_list_of_tokens_is_no_batch)
{
#define IDS CALL("aten::embedding", "[[1000,64],[888]]", "[\"float\",\"long int\"]", "[\"\",\"\"]")
#define FLASH                                                                                      \
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"flash_fwd_kernel\",\"pid\":0,\"tid\":7,\"ts\":"   \
    "2000,"                                                                                        \
    "\"dur\":10}"
    struct ec_trace_said said;
    struct looked l;

    look("[" IDS "," FLASH "]", NULL, &l);
    ec_trace_conditions(&l.trace, &l.ops, &said);
    CHECK(said.is_list && said.batch == 1 && said.seq_len == 888);
    clear(&l);
    look("[" IDS "]", NULL, &l);
    ec_trace_conditions(&l.trace, &l.ops, &said);
    CHECK(!said.is_list && said.batch == 888 && !said.seq_len);
    clear(&l);
}

TEST(what_has_no_operator_is_listed)
{
    static const char text[] =
        "[{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"lonely\",\"pid\":0,\"tid\":7,\"ts\":1,"
        "\"dur\":3},"
        "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"mine::op\",\"pid\":1,\"tid\":1,\"ts\":10,"
        "\"dur\":50,\"args\":{\"External id\":3,\"Input Dims\":[[1024]],\"Input type\":[\"float\"]"
        "}},{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"launch is missing\",\"pid\":0,\"tid\":7,"
        "\"ts\":40,\"dur\":5,\"args\":{\"External id\":3}}]";
    struct looked l;

    look(text, "a100-sxm4-40gb", &l);
    CHECK_INT(l.ops.n, 2);
    CHECK_NEAR(l.ops.mapped_ns[EC_TRACE_NOT_MAPPED], 3000, 1e-9);
    CHECK_NEAR(l.ops.mapped_ns[EC_TRACE_BY_BYTES], 5000, 1e-9);
    CHECK(l.ops.v[0].why == NULL || l.ops.v[1].why == NULL);
    clear(&l);
}
