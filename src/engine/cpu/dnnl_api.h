/* Functions of oneDNN that we call, by name and type: X(name). Types come from the header that the
 * build found; the library itself is opened at run time. */
/* clang-format off */
#define EC_DNNL_SYMBOLS(X)                    \
    X(dnnl_version)                           \
    X(dnnl_engine_create)                     \
    X(dnnl_engine_destroy)                    \
    X(dnnl_stream_create)                     \
    X(dnnl_stream_destroy)                    \
    X(dnnl_get_effective_cpu_isa)             \
    X(dnnl_memory_desc_init_by_strides)       \
    X(dnnl_memory_desc_init_by_tag)           \
    X(dnnl_memory_desc_equal)                 \
    X(dnnl_memory_desc_get_size)              \
    X(dnnl_memory_desc_init_submemory)        \
    X(dnnl_memory_desc_permute_axes)          \
    X(dnnl_memory_create)                     \
    X(dnnl_memory_set_data_handle_v2)         \
    X(dnnl_memory_destroy)                    \
    X(dnnl_primitive_attr_create)             \
    X(dnnl_primitive_attr_destroy)            \
    X(dnnl_primitive_attr_set_scratchpad_mode)\
    X(dnnl_primitive_attr_set_post_ops)       \
    X(dnnl_post_ops_create)                   \
    X(dnnl_post_ops_destroy)                  \
    X(dnnl_post_ops_append_eltwise)           \
    X(dnnl_primitive_attr_set_output_scales)  \
    X(dnnl_primitive_desc_create)             \
    X(dnnl_primitive_desc_destroy)            \
    X(dnnl_primitive_desc_query)              \
    X(dnnl_primitive_desc_query_md)           \
    X(dnnl_primitive_create)                  \
    X(dnnl_primitive_execute)                 \
    X(dnnl_primitive_get_primitive_desc)      \
    X(dnnl_primitive_destroy)                 \
    X(dnnl_reorder_primitive_desc_create)     \
    X(dnnl_concat_primitive_desc_create)      \
    X(dnnl_dilated_convolution_forward_desc_init)            \
    X(dnnl_dilated_convolution_backward_data_desc_init)      \
    X(dnnl_dilated_convolution_backward_weights_desc_init)   \
    X(dnnl_dilated_deconvolution_forward_desc_init)          \
    X(dnnl_dilated_deconvolution_backward_data_desc_init)    \
    X(dnnl_dilated_deconvolution_backward_weights_desc_init) \
    X(dnnl_inner_product_forward_desc_init)            \
    X(dnnl_inner_product_backward_data_desc_init)      \
    X(dnnl_inner_product_backward_weights_desc_init)   \
    X(dnnl_matmul_desc_init)                           \
    X(dnnl_pooling_v2_forward_desc_init)               \
    X(dnnl_pooling_v2_backward_desc_init)              \
    X(dnnl_batch_normalization_forward_desc_init)      \
    X(dnnl_batch_normalization_backward_desc_init)     \
    X(dnnl_layer_normalization_forward_desc_init)      \
    X(dnnl_layer_normalization_backward_desc_init)     \
    X(dnnl_softmax_forward_desc_init)                  \
    X(dnnl_softmax_backward_desc_init)                 \
    X(dnnl_logsoftmax_forward_desc_init)               \
    X(dnnl_logsoftmax_backward_desc_init)              \
    X(dnnl_lrn_forward_desc_init)                      \
    X(dnnl_lrn_backward_desc_init)
/* clang-format on */
