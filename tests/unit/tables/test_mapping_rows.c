/* Layouts of measurement tables: each recognises a small table with made-up numbers, maps its
 * words, heeds its conditions. */
#include "test.h"

#include "tables/tables.h"

/* As much of the catalogue as is needed here. */
static const char *device_in(const char *text, bool whole)
{
    return ec_str_ieq(text, "t4") || (!whole && ec_str_glob("*t4*", text)) ? "t4" : NULL;
}

/* A table read and mapped. */
struct read_table {
    struct ec_csv csv;
    struct ec_arena arena;
    const struct ec_mapping *layout;
    struct ec_record_list rows;
};

static bool read_text(const char *text, struct read_table *t, const char *file, int line)
{
    struct ec_err err = { 0 };
    enum ec_status st;

    memset(t, 0, sizeof *t);
    EC_TRY(ec_csv_parse(text, strlen(text), &t->csv, &err));
    EC_TRY(ec_mapping_detect(&t->csv, &t->arena, &t->layout, &err));
    EC_TRY(ec_mapping_rows(t->layout, &t->csv, &t->arena, &t->rows, &err));
out:
    if (st)
        test_fail(file, line, "%s", err.text);
    return !st;
}
#define READ(text, t) read_text(text, t, __FILE__, __LINE__)

static void clear(struct read_table *t)
{
    ec_records_clear(&t->rows);
    ec_csv_clear(&t->csv);
    ec_arena_clear(&t->arena);
}

/* One row of each layout and the question it becomes. Times are 2.5 ms, memory is 100 MiB. */
struct layout_case {
    const char *layout, *csv;
    const char *what, *device, *precision, *framework, *mode, *optimizer, *family;
    int64_t batch, image_px, seq_len;
};

#define CAMPAIGN_HEADER                                                                            \
    "run,key,kind,what,family,phase,method,outcome,n_warm_up,samples_ns,device_samples_ns,"        \
    "held_out,batch,image_px,seq_len,precision,layout,optimizer,framework,device\n"

/* clang-format off */
static const struct layout_case cases[] = {
    { "campaign-case",
      CAMPAIGN_HEADER
      "r,k1,operator,relu x=64,relu,forward,separated,ok,3,2400000 2500000 2600000,,0,,,,"
      "fp32,channels-first,none,pytorch-1,T4\n"
      "r,k2,operator,tanh x=64,tanh,forward,separated,ok,3,1,,1,,,,fp32,channels-first,none,"
      "pytorch-1,T4\n"
      "r,k3,operator,tanh x=32,tanh,update,separated,ok,3,1,,0,,,,fp32,channels-first,none,"
      "pytorch-1,T4\n"
      "r,k4,operator,tanh x=32,tanh,forward,justus,ok,3,1,,0,,,,fp32,channels-first,none,"
      "pytorch-1,T4\n"
      "r,k5,ceiling,launch,launch,forward,ceiling,ok,3,1,,0,,,,fp32,channels-first,none,"
      "pytorch-1,T4\n",
      "relu x=64", "T4", "fp32", "pytorch-1", "forward", "none", "relu", 0, 0, 0 },
    { "campaign-network",
      CAMPAIGN_HEADER
      "r,k1,network,resnet18,resnet18,step,whole,ok,3,9 9 9,2400000 2500000 2600000,0,8,96,,"
      "amp-bf16,channels-last,adam,pytorch-2,T4\n",
      "resnet18", "T4", "amp", "pytorch-2", "training_step", "adam", "resnet18", 8, 96, 0 },
    { "neusight-bmm",
      "device,batch_count,rows_m,inner_k,cols_n,split,above_peak,time_ms\n"
      "V100,8,64,32,16,train,0,2.5\n",
      "matmul b=8 m=64 k=32 n=16", "V100", "fp32", "pytorch-2", "forward", "none", "matmul",
      0, 0, 0 },
    { "neusight-linear",
      "device,batch_count,rows_m,inner_k,cols_n,split,above_peak,time_ms\n"
      "V100,1,64,32,16,train,0,2.5\n",
      "linear m=64 k=32 n=16", "V100", "fp32", "pytorch-2", "forward", "none", "linear",
      0, 0, 0 },
    { "neusight-conv",
      "device,kernel_class,batch_size,channels_in,channels_out,kernel_size,input_size,padding,"
      "stride,time_ms\nT4,x,4,8,16,3,20,1,2,2.5\n",
      "conv2d n=4 c=8 h=20 w=20 k=16 r=3 stride=2 pad=1 bias=0", "T4", "fp32", "pytorch-2",
      "forward", "none", "conv2d", 0, 0, 0 },
    { "neusight-vector",
      "device,op,rows_b,cols_h,split,time_ms\nT4,addu,48,96,test,2.5\n",
      "scale_scalar x=48x96", "T4", "fp32", "pytorch-2", "forward", "none", "scale_scalar",
      0, 0, 0 },
    { "justus-conv",
      "device,batch_size,channels_in,channels_out,kernel_size,input_size,padding,stride,use_bias,"
      "activation,optimizer,timed,time_ms\nP100,2,3,5,7,50,same,2,1,relu,sgd,forward,2.5\n",
      "conv2d n=2 c=3 h=50 w=50 k=5 r=7 stride=2 pad=same bias=1", "P100", "fp32",
      "tensorflow-1", "forward", "none", "conv2d", 0, 0, 0 },
    { "justus-dense",
      "device,batch_size,dim_in,dim_out,activation,optimizer,timed,time_ms\n"
      "P100,11,22,33,relu,sgd,forward,2.5\n",
      "linear m=11 k=22 n=33", "P100", "fp32", "tensorflow-1", "forward", "none", "linear",
      0, 0, 0 },
    { "deepbench-gemm",
      "device,precision,m,n,k,a_transposed,b_transposed,time_ms\nV100,fp16_tensor_core,7,8,9,0,1,"
      "2.5\n",
      "matmul b=1 m=7 k=9 n=8", "V100", "fp16", "vendor-bench", "forward", "none", "matmul",
      0, 0, 0 },
    { "neusight-network",
      "device,num_gpus,parallelism,compiled,seq_len,model,mode,forward_suspect,precision,timed,"
      "batch_size,time_ms\nA100,1,none,0,512,gpt2,x,0,fp32,training_step,3,2.5\n",
      "gpt2", "A100", "fp32", "pytorch-2", "training_step", "none", "gpt2", 3, 0, 512 },
    { "timm-train",
      "device,family,model,memory_format,forward_gmacs,timed,above_peak,precision,batch_size,"
      "img_size,time_ms\nA100,resnet,resnet50,channels_last,4,training_step,0,amp_fp16,64,224,"
      "2.5\n",
      "resnet50", "A100", "amp", "pytorch-1", "training_step", "momentum", "resnet",
      64, 224, 0 },
    { "timm-infer",
      "device,family,model,memory_format,forward_gmacs,timed,compiled,precision,batch_size,"
      "img_size,time_ms,framework_version\nA100,resnet,resnet50,channels_first,4,inference,1,fp32,"
      "8,160,2.5,2.4.0\n",
      "resnet50", "A100", "fp32", "pytorch-compiled", "forward", "none", "resnet", 8, 160, 0 },
    { "torchvision-benchmark",
      "device,network,mode,batch_size_per_gpu,img_size,timed,series,precision,num_gpus,time_ms\n"
      "T4,alexnet,x,12,224,forward_backward,s,fp32,1,2.5\n",
      "alexnet", "T4", "fp32", "pytorch-1", "forward_backward", "none", "alexnet",
      12, 224, 0 },
    { "lambda-training",
      "device,network,ngc_container,smi_mem_mb,quality_flag,step_time_ms,timed,num_gpus,status,"
      "precision,batch_size_per_gpu,seq_len\n"
      "V100,bert_base_squad,c,1,,2.5,training_step,1,ok,amp,4,384\n",
      "bert_base", "V100", "amp", "pytorch-ngc", "training_step", "adam",
      "bert_base_squad", 4, 0, 384 },
    { "mamf",
      "device,precision,max_achieved_tflops,theoretical_tflops,fraction,best_m,best_n,best_k,"
      "torch\n"
      "a100-sxm4-80gb,bf16,800,999,0.8,1000,100000,10000,2.6\n" /* 2e12 FLOP at 8e14 a second */
      "a100-sxm4-80gb,fp8,800,999,0.8,1000,100000,10000,2.6\na,bf16,800,999,0.8,,1,1,2.6\n"
      "a,bf16,none,999,0.8,1,1,1,2.6\n",
      "matmul b=1 m=1000 k=10000 n=100000", "a100-sxm4-80gb", "bf16", "pytorch-2", "forward",
      "none", "matmul", 0, 0, 0 },
    { "simumax-forward",
      "device,op,peak_tflops,fraction_of_peak,spec\n"
      "b200,matmul,2000,0.4,b=2 m=1000 k=10000 n=50000 layout=TN accumulate=False\n"
      "b200,matmul,2000,0.4,b=2 m=1000 k=10000 n=50000 layout=NT accumulate=True\n"
      "b200,sdp_fwd,2000,0.4,batch=1 seq_len=4096 head_num=8\n",
      "linear m=1000 k=10000 n=50000 bias=0", "b200", "bf16", "pytorch-2", "forward", "none",
      "linear", 0, 0, 0 },
    { "liger-softmax",
      "op,provider,mode,metric,x_name,x_value,config,device,median,p20,p80,liger_version\n"
      "softmax,torch,forward,time_ms,N,128,M: 2048 dtype: torch.bfloat16,rtx3090,2.5,2,3,0.5.8\n"
      "softmax,liger,forward,time_ms,N,128,M: 2048 dtype: torch.bfloat16,rtx3090,2.5,2,3,0.5.8\n"
      "softmax,torch,full,peak_mem_mb,N,128,M: 2048 dtype: torch.bfloat16,rtx3090,2,2,3,0.5.8\n"
      "rope,torch,forward,time_ms,H,128,dtype: torch.bfloat16,rtx3090,2.5,2,3,0.5.8\n",
      "softmax x=2048x128", "rtx3090", "bf16", "pytorch-2", "forward", "none", "softmax",
      0, 0, 0 },
    { "cudnn-norms",
      "model,op,device,backend,dtype,rows_n,cols_c,has_bias,pass,time_ms,gb_per_s\n"
      "m,rms_norm,b200,pytorch,bfloat16,16,32,0,fwd,2.5,9\n"
      "m,rms_norm,b200,cudnn,bfloat16,16,32,0,fwd,2.5,9\n",
      "rms_norm x=16x32", "b200", "bf16", "pytorch-2", "forward", "none", "rms_norm", 0, 0, 0 },
    { "u39kun",
      "device,network,timed,precision,framework,framework_version,cuda,image_size,batch_size,"
      "time_ms\nV100,vgg16,forward,fp16,caffe2,1,9,224,16,2.5\n",
      "vgg16", "V100", "fp16", "caffe", "forward", "none", "vgg16", 16, 224, 0 },
    { "cnn-benchmarks",
      "device,network,backend,cudnn_version,repeats,precision,timed,batch_size,img_size,time_ms\n"
      "TitanX,alexnet,cudnn,5,10,fp32,forward_backward,16,224,2.5\n",
      "alexnet", "TitanX", "fp32", "torch7", "forward_backward", "none", "alexnet",
      16, 224, 0 },
};
/* clang-format on */

static void check_case(const struct layout_case *want)
{
    struct read_table t;
    const struct ec_record *m;

    if (READ(want->csv, &t) && t.rows.n == 1) {
        m = &t.rows.v[0];
        CHECK_STR(ec_mapping_name(t.layout), want->layout);
        CHECK_STR(m->source.mapping, want->layout);
        CHECK(ec_mapping_is_network(t.layout) == (want->batch > 0));
        CHECK(ec_record_is_network(m) == (want->batch > 0));
        CHECK_STR(m->what, want->what);
        CHECK_STR(m->device, want->device);
        CHECK_STR(ec_record_word(m, EC_WORD_PRECISION), want->precision);
        CHECK_STR(ec_record_word(m, EC_WORD_FRAMEWORK), want->framework);
        CHECK_STR(ec_record_word(m, EC_WORD_MODE), want->mode);
        CHECK_STR(ec_record_word(m, EC_WORD_OPTIMIZER), want->optimizer);
        CHECK_STR(m->family, want->family);
        CHECK_INT(m->batch, want->batch);
        CHECK_INT(m->image_px, want->image_px);
        CHECK_INT(m->seq_len, want->seq_len);
        CHECK_INT(m->phase, ec_record_is_network(m) ? -1 : 0);
        CHECK_NEAR(m->time.ns, 2.5e6, 1e-12);
        CHECK_NEAR(m->memory_peak_bytes, 0, 0);
        CHECK(*ec_mapping_source(t.layout));
    } else {
        test_fail(__FILE__, __LINE__, "%s: %d rows, want 1", want->layout, t.rows.n);
    }
    clear(&t);
}

/* What a lone layer's training step is asked as, and files of before the column. */
TEST(isolated_steps_have_their_activation)
{
    static const char *const want[] = { "relu", "" };
    struct read_table t;
    int i;

    for (i = 0; i < 2; i++) {
        char text[1024];

        (void)snprintf(
            text, sizeof text,
            "run,key,kind,what,phase,method,outcome,n_warm_up,samples_ns,device_samples_ns,"
            "held_out,optimizer,device%s\n"
            "r,k1,operator,linear m=4 k=3 n=5,step,justus,ok,3,2500000,,0,adam,T4%s\n"
            "r,k2,operator,linear m=4 k=3 n=6,step,isolated,ok,3,2500000,,0,adam,T4%s\n",
            i ? "" : ",activation", i ? "" : ",relu", i ? "" : ",relu");
        if (READ(text, &t) && t.rows.n == 1) {
            CHECK_STR(t.rows.v[0].source.mapping, "campaign-isolated-step");
            CHECK_STR(t.rows.v[0].activation, want[i]);
            CHECK_INT(t.rows.v[0].cond.mode, EC_MODE_ISOLATED_STEP);
            CHECK_INT(t.rows.v[0].cond.optimizer, EC_OPT_adam);
            CHECK_INT(t.rows.v[0].phase, -1);
        } else {
            test_fail(__FILE__, __LINE__, "%d rows, want 1", t.rows.n);
        }
        clear(&t);
    }
}

/* Steps of several processes: kept by evaluations, though they have a flag. */
TEST(parallel_steps_are_read)
{
    static const char text[] =
        "run,key,kind,what,phase,method,outcome,n_warm_up,samples_ns,device_samples_ns,held_out,"
        "batch,num_devices,flags,device,framework\n"
        "r,k1,network,mnist_cnn,step,whole,ok,3,2500000,,1,8,1,data_loading,T4,epochcast\n"
        "r,k2,network,mnist_cnn,step,whole,unstable,3,2500000,,1,8,2,data_loading,T4,epochcast\n"
        "r,k3,network,mnist_cnn,step,whole,ok,3,2500000,,1,8,2,data_loading,T4,epochcast\n"
        "r,k4,network,mnist_cnn,step,whole,ok,3,2500000,,0,8,1,drift,T4,epochcast\n"
        "r,k5,network,mnist_cnn,step,fed,ok,3,2500000,,0,8,1,data_loading,T4,epochcast\n";
    struct read_table t;

    if (READ(text, &t) && t.rows.n == 2) {
        CHECK_STR(t.rows.v[1].source.mapping, "campaign-parallel");
        CHECK_INT(t.rows.v[0].num_devices, 1);
        CHECK_INT(t.rows.v[1].num_devices, 2);
        CHECK_STR(t.rows.v[1].run, "r");
    } else {
        test_fail(__FILE__, __LINE__, "%d rows, want 2", t.rows.n);
    }
    clear(&t);
}

/* One of several devices: its share of the batch is a whole number, or the row is left out. */
TEST(a_share_of_the_batch_is_a_quotient)
{
    static const char text[] =
        "mlperf_round,org,system,benchmark,division,device,num_devices,num_nodes,"
        "global_batch_size,throughput_median,throughput_suspect,step_time_ms\n"
        "v1,a,s,resnet,closed,a100-sxm4-80gb,8,1,3264,1,0,2.5\n"
        "v1,a,s,resnet,closed,a100-sxm4-80gb,7,1,3264,1,0,2.5\n"
        "v1,a,s,resnet,closed,a100-sxm4-80gb,0,1,3264,1,0,2.5\n"
        "v1,a,s,resnet,closed,a100-sxm4-80gb,,1,3264,1,0,2.5\n"
        "v1,a,s,resnet,closed,a100-sxm4-80gb,16,2,3264,1,0,2.5\n"
        "v1,a,s,bert,closed,a100-sxm4-80gb,8,1,3264,1,0,2.5\n";
    const struct ec_table_given given = { .mapping = "mlperf-resnet" };
    struct read_table t = { .layout = NULL };
    struct ec_err err = { 0 };

    CHECK_OK(ec_csv_parse(text, strlen(text), &t.csv, &err));
    CHECK_OK(ec_mapping_of_table(&t.csv, &given, &t.arena, &t.layout, &err));
    CHECK_OK(ec_mapping_rows(t.layout, &t.csv, &t.arena, &t.rows, &err));
    CHECK_INT(t.rows.n, 1);
    if (t.rows.n == 1) {
        CHECK_INT(t.rows.v[0].batch, 408);
        CHECK_STR(ec_record_word(&t.rows.v[0], EC_WORD_FRAMEWORK), "mxnet");
        CHECK_STR(t.rows.v[0].what, "resnet50");
    }
    clear(&t);
}

TEST(each_layout_recognises_its_table)
{
    int i;

    for (i = 0; i < EC_LEN(cases); i++)
        check_case(&cases[i]);
}

TEST(several_times_of_a_row_become_several_queries)
{
    static const char csv[] =
        "device,precision,input_w,input_h,kernel_w,kernel_h,pad_w,pad_h,stride_w,stride_h,"
        "batch_size,channels_in,channels_out,forward_ms,backward_input_ms,backward_weight_ms\n"
        "V100,fp32,30,20,5,3,2,1,2,1,4,8,16,1,2,3\n"
        "V100,fp32,30,20,5,3,2,1,2,1,4,8,16,1,,0\n";
    struct read_table t;

    if (READ(csv, &t)) {
        CHECK_STR(ec_mapping_name(t.layout), "deepbench-conv");
        CHECK_INT(t.rows.n, 4);
        CHECK_STR(t.rows.v[0].what,
                  "conv2d n=4 c=8 h=20 w=30 k=16 r=3 s=5 stride=1x2 pad=1x2 bias=0");
        CHECK_INT(t.rows.v[0].phase, 0);
        CHECK_INT(t.rows.v[1].phase, 1);
        CHECK_INT(t.rows.v[2].phase, 2);
        CHECK_NEAR(t.rows.v[2].time.ns, 3e6, 0);
        CHECK_INT(t.rows.v[3].row, 1);
        CHECK_INT(t.rows.n_excluded, 0);
    }
    clear(&t);
}

/* The three products of a layer, by which operand is transposed; the third adds to what is there.
 */
TEST(products_that_are_told_by_their_share_of_the_peak)
{
    static const char csv[] =
        "device,op,peak_tflops,fraction_of_peak,spec\n"
        "b200,matmul,2000,0.5,b=1 m=16 k=64 n=32 layout=NN accumulate=False out_dtype=bf16\n"
        "b200,matmul,2000,0,b=1 m=16 k=64 n=32 layout=NN accumulate=False out_dtype=bf16\n"
        "b200,matmul,2000,0.5,b=1 m=64 k=16 n=32 layout=NT accumulate=True out_dtype=fp32\n";
    struct read_table t;

    if (READ(csv, &t) && t.rows.n == 1) {
        CHECK_STR(t.rows.v[0].source.mapping, "simumax-grad-data");
        CHECK_STR(t.rows.v[0].what, "linear m=16 k=32 n=64 bias=0");
        CHECK_STR(ec_record_word(&t.rows.v[0], EC_WORD_MODE), "forward_backward");
        CHECK_INT(t.rows.v[0].phase, 1);
        CHECK(t.rows.v[0].cond.queued);
        CHECK_NEAR(t.rows.v[0].time.ns, 2.0 * 16 * 64 * 32 / 1e15 * 1e9, 1e-12);
        CHECK_INT(t.rows.n_excluded, 2);
    }
    CHECK_INT(t.rows.n, 1);
    clear(&t);
}

TEST(a_column_says_which_part_of_the_step_a_row_is)
{
    static const char csv[] =
        "op,provider,mode,metric,x_name,x_value,config,device,median,p20,p80\n"
        "layer_norm,torch,forward,time_ms,T,64,hidden_size: 32 dtype: torch.bfloat16,b200,1,1,1\n"
        "layer_norm,torch,backward,time_ms,T,64,hidden_size: 32 dtype: torch.float32,b200,2,1,1\n"
        "layer_norm,torch,full,time_ms,T,64,hidden_size: 32 dtype: torch.float32,b200,3,1,1\n"
        "layer_norm,torch,full,time_ms,T,64,hidden_size: 32 dtype: torch.float64,b200,4,1,1\n"
        "cross_entropy,torch,no-grad-forward,time_ms,BT,64,vocab_size: 9,b200,5,1,1\n"
        "cross_entropy,torch,full,time_ms,BT,64,vocab_size: 9 bsz: 1,b200,6,1,1\n";
    struct read_table t;

    if (READ(csv, &t) && t.rows.n == 4) {
        CHECK_STR(t.rows.v[0].what, "layer_norm x=64x32");
        CHECK_INT(t.rows.v[0].phase, 0);
        CHECK_STR(ec_record_word(&t.rows.v[0], EC_WORD_PRECISION), "bf16");
        CHECK_STR(ec_record_word(&t.rows.v[1], EC_WORD_PRECISION), "fp32");
        CHECK_INT(t.rows.v[1].phase, 1);
        CHECK_STR(ec_record_word(&t.rows.v[2], EC_WORD_MODE), "forward_backward");
        CHECK_INT(t.rows.v[2].phase, -1);
        CHECK_STR(t.rows.v[3].what, "cross_entropy n=64 c=9");
        CHECK_NEAR(t.rows.v[3].time.ns, 6e6, 1e-12);
    }
    CHECK_INT(t.rows.n, 4);
    clear(&t);
}

TEST(cells_of_recurrent_layers)
{
    static const char csv[] =
        "device,precision,cell,hidden_size,batch_size,time_steps,forward_ms,backward_input_ms\n"
        "V100,fp32,lstm,64,2,10,1,4\nV100,fp32,vanilla,64,2,10,1,\nV100,fp32,other,64,2,10,1,\n";
    struct read_table t;

    if (READ(csv, &t)) {
        CHECK_INT(t.rows.n, 3);
        CHECK_STR(t.rows.v[0].what, "lstm n=2 t=10 c=64 hidden=64");
        CHECK_STR(t.rows.v[2].family, "rnn");
        CHECK_INT(t.rows.n_excluded, 1); /* a word that no map has */
    }
    clear(&t);
}

TEST(a_second_operand_only_where_there_is_one)
{
    static const char csv[] = "device,op,rows_b,cols_h,split,time_ms\n"
                              "T4,add,48,96,test,1\nT4,ln,48,96,test,1\n";
    struct read_table t;

    if (READ(csv, &t)) {
        CHECK_INT(t.rows.n, 2);
        CHECK_STR(t.rows.v[0].what, "add x=48x96 y=48x96");
        CHECK_STR(t.rows.v[1].what, "layer_norm x=48x96");
    }
    clear(&t);
}

TEST(conditions_leave_rows_out)
{
    static const char csv[] =
        "device,network,ngc_container,smi_mem_mb,quality_flag,step_time_ms,timed,num_gpus,status,"
        "precision,batch_size_per_gpu,seq_len\n"
        "V100,resnet50,c,1,,2,training_step,8,ok,amp,4,\n"
        "V100,resnet50,c,1,,2,training_step,1,failed,amp,4,\n"
        "V100,resnet50,c,1,odd,2,training_step,1,ok,amp,4,\n"
        "V100,resnet50,c,1,,,training_step,1,ok,amp,4,\n"
        "V100,resnet50,c,1,,-1,training_step,1,ok,amp,4,\n"
        "V100,unheard_of,c,1,,2,training_step,1,ok,amp,4,\n"
        "V100,resnet50,c,1,,2,training_step,1,ok,fp64,4,\n"
        "V100,resnet50,c,1,,2,training_step,1,ok,fp32,4,\n";
    struct read_table t;

    if (READ(csv, &t)) {
        CHECK_INT(t.rows.n, 1);
        CHECK_INT(t.rows.v[0].row, 7);
        CHECK_STR(ec_record_word(&t.rows.v[0], EC_WORD_PRECISION), "fp32");
        CHECK_INT(t.rows.v[0].seq_len, 0);
        CHECK_INT(t.rows.n_excluded, 7);
    }
    clear(&t);
}

TEST(rows_of_one_table_may_belong_to_two_layouts)
{
    static const char csv[] = "device,batch_count,rows_m,inner_k,cols_n,split,above_peak,time_ms\n"
                              "V100,1,64,32,16,x,0,1\nV100,4,64,32,16,x,0,1\n"
                              "V100,4,64,32,16,x,1,1\n";
    struct read_table t;

    if (READ(csv, &t)) {
        CHECK_INT(t.rows.n, 2);
        CHECK_STR(t.rows.v[0].source.mapping, "neusight-linear");
        CHECK_STR(t.rows.v[1].source.mapping, "neusight-bmm");
        CHECK_INT(t.rows.n_excluded, 1);
    }
    clear(&t);
}

/* All of a condition must hold for a fault to leave a row out. */
TEST(rows_with_a_known_fault_are_not_judged)
{
    static const char faulty[] =
        "device,batch_count,rows_m,inner_k,cols_n,split,above_peak,time_ms\n"
        "p4,1,64,32,16,train,0,1\np4,1,64,32,16,test,0,2\nV100,1,64,32,16,train,0,3\n";
    static const char without_device[] =
        "batch_count,rows_m,inner_k,cols_n,split,above_peak,time_ms\n1,64,32,16,train,0,1\n";
    struct read_table t;

    if (READ(faulty, &t)) {
        CHECK_INT(t.rows.n, 2);
        CHECK_INT(t.rows.n_excluded, 1);
    }
    clear(&t);
    if (READ(without_device, &t))
        CHECK_INT(t.rows.n_excluded, 0);
    clear(&t);
}

/* Of a library that merges branches before it times, other versions of it did not. */
TEST(a_network_by_the_version_that_was_timed)
{
    static const char text[] =
        "device,family,model,memory_format,forward_gmacs,timed,compiled,precision,batch_size,"
        "img_size,time_ms,framework_version\n"
        "A100,repvgg,repvgg_b2,channels_first,4,inference,0,fp32,8,224,2.5,2.4.0\n"
        "A100,repvgg,repvgg_b2,channels_first,4,inference,0,fp32,8,224,2.5,2.9.1\n"
        "A100,resnet,resnet50,channels_first,4,inference,0,fp32,8,224,2.5,2.9.1\n";
    static const char *const want[] = { "repvgg_b2", "repvgg_b2:merged=1", "resnet50" };
    struct read_table t;
    int i;

    if (READ(text, &t)) {
        CHECK_INT(t.rows.n, EC_LEN(want));
        for (i = 0; i < t.rows.n && i < EC_LEN(want); i++)
            CHECK_STR(t.rows.v[i].what, want[i]);
    }
    clear(&t);
}

TEST(memory_readings)
{
    static const char timm[] =
        "device,model,family,img_size_source,peak_gpu_mem_mib,usable,batch_size,image_px,img_size\n"
        "A100,resnet18,resnet,x,100,1,32,1,224\nA100,resnet18,resnet,x,100,0,32,1,224\n"
        "A100,resnet18,resnet,x,0,1,32,1,224\nA100,resnet18,resnet,x,-5,1,32,1,224\n";
    static const char network[] =
        "device,model,image_size,seq_len,optimizer,peak_gpu_mem_mib,run_is,batch_size\n"
        "A100,bert_base,,128,adam,100,x,8\n";
    struct read_table t;

    if (READ(timm, &t)) {
        CHECK_STR(ec_mapping_name(t.layout), "gpumemnet-timm");
        CHECK_INT(t.rows.n, 1); /* nothing and less than nothing are no readings */
        CHECK_NEAR(t.rows.v[0].memory_peak_bytes, 100 * 0x1p20, 0);
        CHECK_NEAR(t.rows.v[0].time.ns, 0, 0);
        CHECK_INT(t.rows.v[0].image_px, 224);
        CHECK_STR(ec_record_word(&t.rows.v[0], EC_WORD_MODE), "training_step");
        CHECK_INT(t.rows.n_excluded, 3);
    }
    clear(&t);
    if (READ(network, &t)) {
        CHECK_STR(ec_mapping_name(t.layout), "gpumemnet-network");
        CHECK_INT(t.rows.v[0].seq_len, 128);
        CHECK_STR(ec_record_word(&t.rows.v[0], EC_WORD_OPTIMIZER), "adam");
    }
    clear(&t);
}

TEST(operators_of_a_gpu_were_queued)
{
    static const char csv[] =
        "run,key,kind,what,phase,method,outcome,n_warm_up,samples_ns,device_samples_ns,held_out,"
        "precision,layout,framework,device,cuda\n"
        "r,k1,operator,relu "
        "x=64,forward,separated,ok,3,9,2,0,fp32,channels-first,pytorch-2,T4,13.0\n"
        "r,k2,operator,relu x=64,forward,separated,ok,3,9,,0,fp32,channels-first,pytorch-2,T4,\n";
    struct read_table t;

    if (READ(csv, &t)) {
        CHECK_INT(t.rows.n, 2);
        CHECK(t.rows.v[0].cond.queued);
        CHECK_NEAR(t.rows.v[0].time.ns, 2, 0);
        CHECK(!t.rows.v[1].cond.queued);
    }
    clear(&t);
}

TEST(operators_under_autocast_tell_what_they_were_given)
{
    static const char csv[] =
        "run,key,kind,what,phase,method,outcome,n_warm_up,samples_ns,device_samples_ns,held_out,"
        "precision,inputs,layout,framework,device,cuda\n"
        "r,k1,operator,relu "
        "x=64,forward,separated,ok,3,9,2,0,amp,fp16,channels-first,pytorch-2,T4,13.0\n"
        "r,k2,operator,relu "
        "x=64,forward,separated,ok,3,9,2,0,amp,,channels-first,pytorch-2,T4,13.0\n";
    struct read_table t;

    if (READ(csv, &t)) {
        CHECK_INT(t.rows.n, 2);
        CHECK(t.rows.v[0].cond.queued && t.rows.v[0].cond.half_inputs);
        CHECK(t.rows.v[1].cond.queued && !t.rows.v[1].cond.half_inputs);
        CHECK_STR(ec_record_word(&t.rows.v[0], EC_WORD_PRECISION), "amp");
    }
    clear(&t);
}

TEST(unknown_tables_are_told_by_their_columns)
{
    static const char *const texts[] = { "colour,taste\nred,sweet\n", "only\n1\n", "a,b\n" };
    static const char *const parts[] = { "colour, taste", "1 columns", "a, b" };
    const struct ec_mapping *layout = NULL;
    struct ec_arena a = { 0 };
    struct ec_err err = { 0 };
    struct ec_csv csv;
    int i;

    for (i = 0; i < EC_LEN(texts); i++) {
        memset(&csv, 0, sizeof csv);
        CHECK_OK(ec_csv_parse(texts[i], strlen(texts[i]), &csv, &err));
        CHECK_FAILS(ec_mapping_detect(&csv, &a, &layout, &err), EC_E_NOT_FOUND, parts[i]);
        ec_csv_clear(&csv);
    }
    CHECK(layout == NULL);
    ec_arena_clear(&a);
}

static enum ec_status read_once(struct ec_err *err)
{
    const char *text = cases[8].csv;
    struct read_table t = { 0 };
    enum ec_status st;

    EC_TRY(ec_csv_parse(text, strlen(text), &t.csv, err));
    EC_TRY(ec_mapping_detect(&t.csv, &t.arena, &t.layout, err));
    EC_TRY(ec_mapping_rows(t.layout, &t.csv, &t.arena, &t.rows, err));
out:
    clear(&t);
    return st;
}

TEST(each_allocation_failing)
{
    CHECK_TORTURE(read_once);
}

#define OF_TIMES "timeUsed_median,timeUsed_min,timeUsed_max,timeUsed_std,GPU\n"
#define TIMES "2.5,2.4,2.6,0.1,T4\n"

/* Layers as scripts write them: codes of optimizers and activations by the lists of their script, a
 * row's number that is no time. A forward pass is predicted, a training step is kept. */
TEST(layers_as_scripts_write_them)
{
    /* clang-format off */
    static const struct {
        const char *layout, *csv, *what;
    } tables[] = {
        { "prenet-conv",
          "IT,batchsize,matsize,kernelsize,channels_in,channels_out,strides,padding,precision,"
          "activation_fct,use_bias,optimizer," OF_TIMES
          "7,5,244,6,3,23,2,valid,32,2,1,4," TIMES "8,5,244,6,3,23,2,valid,32,2,1,0," TIMES,
          "conv2d n=5 c=3 h=244 w=244 k=23 r=6 stride=2 pad=valid bias=1" },
        { "prenet-dense",
          "IT,batchsize,dim_input,dim_output,precision,activation_fct,optimizer," OF_TIMES
          "7,60,2558,3761,32,0,4," TIMES "8,60,2558,3761,32,2,0," TIMES,
          "linear m=60 k=2558 n=3761" },
        { "prenet-rnn",
          "IT,batchsize,seq_len,dim_input,dim_hidden,precision,is_bidirectional,num_layers,"
          "rnn_type,activation_fct,optimizer," OF_TIMES
          "7,16,64,256,512,32,True,2,LSTM,tanh,4," TIMES "8,16,64,256,512,32,0,1,GRU,tanh,0,"
          TIMES,
          "gru n=16 t=64 c=256 hidden=512 layers=1 bidir=0" },
        { "prenet-attention",
          "IT,batchsize,seq_len,embed_dim,num_heads,precision,optimizer," OF_TIMES
          "7,16,64,256,8,32,4," TIMES "8,16,64,256,8,32,None," TIMES,
          "multi_head_attention n=16 t=64 c=256 heads=8" },
        { "prenet-embedding",
          "IT,batchsize,seq_len,vocab_size,embed_dim,precision,optimizer," OF_TIMES
          "7,16,64,30522,256,32,4," TIMES "8,16,64,30522,256,32,0," TIMES,
          "embedding x=16x64 num=30522 dim=256" },
        { "prenet-layer-norm",
          "IT,batchsize,seq_len,embed_dim,precision,optimizer," OF_TIMES
          "7,16,64,256,32,4," TIMES "8,16,64,256,32,0," TIMES,
          "layer_norm x=16x64x256" },
    };
    /* clang-format on */
    int i;

    for (i = 0; i < EC_LEN(tables); i++) {
        const struct ec_table_given given = { .path = "x.csv" };
        struct read_table t = { .layout = NULL };
        struct ec_record_list all = { 0 };
        struct ec_err err = { 0 };
        char name[64];

        CHECK_OK(ec_csv_parse(tables[i].csv, strlen(tables[i].csv), &t.csv, &err));
        CHECK_OK(ec_table_prepare(&t.csv, &given, &err));
        CHECK_OK(ec_mapping_of_table(&t.csv, &given, &t.arena, &t.layout, &err));
        CHECK_STR(ec_mapping_name(t.layout), tables[i].layout);
        CHECK_OK(ec_mapping_rows(t.layout, &t.csv, &t.arena, &t.rows, &err));
        CHECK_INT(t.rows.n, 1);
        CHECK_INT(t.rows.n_excluded, 1);
        if (t.rows.n == 1) {
            CHECK_STR(t.rows.v[0].what, tables[i].what);
            CHECK_STR(t.rows.v[0].device, "T4");
            CHECK_NEAR(t.rows.v[0].time.ns, 2.5e6, 1e-12);
            CHECK_INT(t.rows.v[0].cond.mode, EC_MODE_FORWARD);
        }
        CHECK_OK(ec_mapping_recorded_rows(t.layout, &t.csv, &t.arena, &all, &err));
        CHECK_INT(all.n, 2);
        if (all.n == 2) {
            CHECK_STR(ec_record_word(&all.v[0], EC_WORD_MODE), "training_step");
            CHECK_INT(all.v[0].cond.optimizer, EC_OPT_adam);
            CHECK_INT(all.v[1].cond.optimizer, EC_OPT_none);
        }
        ec_records_clear(&all);
        clear(&t);
        (void)snprintf(name, sizeof name, "%s-all", tables[i].layout);
        CHECK_OK(ec_csv_parse(tables[i].csv, strlen(tables[i].csv), &t.csv, &err));
        CHECK_OK(ec_mapping_of_table(&t.csv, &(struct ec_table_given){ .mapping = name }, &t.arena,
                                     &t.layout, &err));
        CHECK_OK(ec_mapping_rows(t.layout, &t.csv, &t.arena, &t.rows, &err));
        CHECK_INT(t.rows.n, 2);
        if (t.rows.n == 2)
            CHECK_INT(t.rows.v[0].cond.mode, EC_MODE_ISOLATED_STEP);
        clear(&t);
    }
}

/* Optimizers and activations in a column each; the file's name has the device. */
TEST(convolutions_with_a_column_for_each_word)
{
    static const char text[] =
        "batchsize,matsize,kernelsize,channels_in,channels_out,strides,padding,precision,use_bias,"
        "gpu_count,timeUsed_median,timeUsed_min,timeUsed_max,timeUsed_std,elements_matrix,"
        "opt_Adadelta,opt_SGD,opt_None,act_None,act_relu\n"
        "36,472,7,15,13,3,0,32,0,2,1024.2,855,1033,81,222784,1,0,1,0,1\n"
        "36,472,7,15,13,3,1,32,0,2,1024.2,855,1033,81,222784,0,1,0,1,0\n";
    const struct ec_table_given given = { .path = "conv_T4.csv", .device_in = device_in };
    struct read_table t = { .layout = NULL };
    struct ec_err err = { 0 };

    CHECK_OK(ec_csv_parse(text, strlen(text), &t.csv, &err));
    CHECK_OK(ec_table_prepare(&t.csv, &given, &err));
    CHECK_FAILS(ec_mapping_of_table(&t.csv, &given, &t.arena, &t.layout, &err), EC_E_NOT_FOUND,
                "in the format practicum-conv-written");
    CHECK_OK(ec_mapping_of_record(&t.csv, &given, &t.arena, &t.layout, &err));
    CHECK_OK(ec_mapping_recorded_rows(t.layout, &t.csv, &t.arena, &t.rows, &err));
    CHECK_INT(t.rows.n, 2);
    if (t.rows.n == 2) {
        CHECK_STR(t.rows.v[0].what,
                  "conv2d n=36 c=15 h=472 w=472 k=13 r=7 stride=3 pad=valid bias=0");
        CHECK_STR(t.rows.v[0].device, "t4");
        CHECK_STR(t.rows.v[0].activation, "relu");
        CHECK_INT(t.rows.v[0].cond.optimizer, EC_OPT_adadelta);
        CHECK_INT(t.rows.v[0].num_devices, 2);
        CHECK_NEAR(t.rows.v[0].time.ns, 1024.2e6, 1e-12);
        CHECK_INT(t.rows.v[1].cond.optimizer, EC_OPT_sgd);
        CHECK_STR(t.rows.v[1].activation, "none");
    }
    clear(&t);
}

/* What is no measurement is refused, by every command, with what to give in its place. */
TEST(summaries_are_refused)
{
    /* clang-format off */
    static const struct {
        const char *csv, *sentence;
    } tables[] = {
        { "environment,model,batch_size,avg_time_ms,std_time_ms,min_time_ms,max_time_ms,"
          "num_iterations,avg_throughput\nCPU,resnet18,64,6208,276,5765,6835,50,10.3\n",
          "figures computed from runs, not measured; give the iterations" },
        { "environment,model,batch_size,flops_per_iter,time_ms,achieved_tflops_per_sec,"
          "peak_tflops_per_sec,efficiency_percent\nCPU,resnet18,64,1,6208,0.1,1.5,3.7\n",
          "figures computed from runs, not measured" },
        { "environment,model,batch_size,arithmetic_intensity,ridge_point,bound_type,"
          "achieved_tflops\nCPU,resnet18,64,226,16,Compute-bound,0.1\n",
          "figures computed from runs, not measured" },
        { "environment,model,batch_size,arithmetic_intensity,throughput_imgs_per_sec\n"
          "CPU,resnet18,64,226,10\n", "figures computed from runs, not measured" },
        { "model,parameters,parameters_millions,flops_inference,flops_training_per_image\n"
          "ResNet18,1,1,1,1\n", "counts of networks" },
        { "model,batch_size,flops_per_iteration,flops_per_iteration_gflops\nResNet18,32,1,1\n",
          "counts of networks" },
        { "model,batch_size,memory_traffic_mb,arithmetic_intensity\nResNet18,32,1,1\n",
          "counts of networks" },
        { "GPU,Provisioning,Base Clock (MHz),TMUs,ROPs,FP32\nL4,Cloud,795,240,80,30290\n",
          "data sheets of GPUs" },
        { "model,batch_size,CPU,T4 GPU\nresnet18,64,10.3,\n",
          "column T4 GPU is a device: a comparison of devices" },
    };
    /* clang-format on */
    const struct ec_table_given given = { .path = "x.csv", .device_in = device_in };
    int i;

    for (i = 0; i < EC_LEN(tables); i++) {
        struct read_table t = { .layout = NULL };
        struct ec_err err = { 0 };

        CHECK_OK(ec_csv_parse(tables[i].csv, strlen(tables[i].csv), &t.csv, &err));
        CHECK_OK(ec_table_prepare(&t.csv, &given, &err));
        CHECK_FAILS(ec_mapping_of_table(&t.csv, &given, &t.arena, &t.layout, &err),
                    EC_E_UNSUPPORTED, tables[i].sentence);
        CHECK_FAILS(ec_mapping_of_record(&t.csv, &given, &t.arena, &t.layout, &err),
                    EC_E_UNSUPPORTED, tables[i].sentence);
        CHECK_FAILS(ec_table_of_steps(&t.csv, &given, true, &err), EC_E_UNSUPPORTED,
                    tables[i].sentence);
        clear(&t);
    }
}
