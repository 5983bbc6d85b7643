/* Options by the file of a training tool. */
#include "predict/predict.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

static struct ec_err err;
static struct ec_predict_opts o;
static struct ec_job_file f;

/* With the options of the command line. */
static void read_with(const char *path, const char *text, const char *given, struct ec_arena *a)
{
    struct ec_span rest = ec_span_of(given), word;
    struct ec_strs names = { 0 };

    while (*given && rest.p && ec_span_cut(&rest, ' ', &word))
        CHECK_OK(ec_strs_add(&names, a, &err, "%.*s", (int)word.len, word.p));
    ec_predict_opts_default(&o);
    CHECK_OK(ec_job_file_parse(path, ec_span_of(text), &names, &o, &f, a, &err));
}

static bool says(const struct ec_strs *list, const char *part)
{
    int i;

    for (i = 0; i < list->n; i++)
        if (strstr(list->v[i], part))
            return true;
    return false;
}

TEST(hugging_face_sets_the_conditions)
{
    struct ec_arena a = { 0 };

    read_with("t.json",
              "{\"per_device_train_batch_size\": 4, \"gradient_accumulation_steps\": 2, \"bf16\": "
              "true, \"max_steps\": 100, \"num_train_epochs\": 3.0, \"optim\": \"adamw_bnb_8bit\","
              "\"fsdp\": \"full_shard auto_wrap\", \"lr\": 1, \"gradient_checkpointing\": true}",
              "", &a);
    CHECK_STR(f.format, "Hugging Face TrainingArguments");
    CHECK_INT(o.parallel.micro_batch, 4);
    CHECK_INT(o.parallel.accumulation, 2);
    CHECK_INT(o.cond.precision, EC_AMP);
    CHECK(!o.usual_precision);
    CHECK_INT(o.steps, 100);
    CHECK_INT(o.epochs, 0); /* the steps stand above them */
    CHECK_INT(o.cond.optimizer, EC_OPT_adamw_8bit);
    CHECK_INT(o.parallel.zero, 3);
    CHECK_INT(o.cond.recompute, EC_RECOMPUTE_FULL);
    CHECK_INT(f.unknown.n, 1);
    CHECK_STR(f.unknown.v[0], "lr 1");
    CHECK(!f.model);
    ec_arena_clear(&a);
}

TEST(the_command_line_stands_above_the_file)
{
    struct ec_arena a = { 0 };

    read_with("t.json",
              "{\"per_device_train_batch_size\": 4, \"gradient_accumulation_steps\": 2, \"fp16\": "
              "true, \"max_steps\": 7, \"model_name_or_path\": \"gpt2\"}",
              "global_batch samples precision model", &a);
    CHECK_INT(o.parallel.micro_batch, 4);
    CHECK_INT(o.parallel.accumulation, 0);
    CHECK_INT(o.steps, 0);
    CHECK_INT(o.cond.precision, EC_FP32);
    CHECK(says(&f.read, "gradient_accumulation_steps 2: not used, as --global-batch is given"));
    CHECK(says(&f.read, "fp16 true: not used, as --precision is given"));
    CHECK(says(&f.read, "model gpt2: not used, as MODEL is given"));
    CHECK(!f.model);
    ec_arena_clear(&a);
}

/* What the model does not have is said with what it means; the name of a file may say as much. */
TEST(what_is_left_out_is_said)
{
    struct ec_arena a = { 0 };

    read_with("t.json",
              "{\"output_dir\": \"x\", \"use_peft\": true, \"load_in_8bit\": true, \"deepspeed\": "
              "{\"zero_optimization\": {\"offload_param\": {\"device\": \"cpu\"}}}}",
              "", &a);
    CHECK_INT(o.parallel.tuning, EC_TUNING_LORA);
    CHECK(says(&f.unknown, "load_in_8bit true: frozen weights count in the precision of the job"));
    CHECK(says(&f.unknown, "offload_param.device cpu: parameters count as on the devices"));
    read_with("t.yaml", "finetuning_type: lora\nquantization_bit: 8\n", "", &a);
    CHECK_INT(o.parallel.tuning, EC_TUNING_LORA); /* not in 4 bits, which it was taken for */
    CHECK(says(&f.unknown, "quantization_bit 8: frozen weights count"));
    read_with("t.sh", "x.py --micro-batch-size 1 --rampup-batch-size 32 32 5000", "", &a);
    CHECK(says(&f.unknown, "rampup_batch_size 32 32 5000: each step counts with the whole batch"));
    read_with("t.yml", "base_model: m\ndeepspeed: zero3_bf16_cpuoffload_all.json\n", "", &a);
    CHECK(o.parallel.zero == 3 && o.parallel.offload);
    CHECK(says(&f.unknown, "offload_param.device by its name: parameters"));
    read_with("t.yml", "base_model: m\ndeepspeed: zero3_bf16_cpuoffload_params.json\n", "", &a);
    CHECK(o.parallel.zero == 3 && !o.parallel.offload && says(&f.unknown, "offload_param.device"));
    read_with("t.json", "{\"output_dir\": \"x\", \"fsdp_config\": {\"offload_params\": true}}", "",
              &a);
    CHECK(o.parallel.offload);
    ec_arena_clear(&a);
}

#define DEEPSPEED_BF16 "\"deepspeed\": {\"bf16\": {\"enabled\": true}}}"
/* peft holds adapters in float32, which shows where the base is in halves and autocast is off. */
TEST(adapters_of_peft_are_wide_without_autocast)
{
    static const struct {
        bool wide;
        const char *path, *text;
    } files[] = {
        {true,   "t.yml",  "base_model: m\nadapter: lora\nbf16: full\n"                          },
        { true,  "t.yml",  "base_model: m\nadapter: qlora\nbf16: false\nfloat16: true\n"         },
        { false, "t.yml",  "base_model: m\nadapter: lora\nbf16: true\n"                          },
        { false, "t.yml",  "base_model: m\nadapter: lora\nbf16: auto\n"                          },
        { false, "t.yml",  "base_model: m\nadapter: lora\nbfloat16: true\n"                      },
        { false, "t.yml",  "base_model: m\nbf16: full\n"                                         },
        { false, "t.yml",
         "base_model: m\nadapter: lora\nbf16: full\npeft_autocast_adapter_dtype: false\n"        },
        { true,  "t.yaml", "finetuning_type: lora\npure_bf16: true\n"                            },
        { false, "t.yaml", "finetuning_type: lora\nbf16: true\n"                                 },
        { false, "t.yaml", "finetuning_type: full\npure_bf16: true\n"                            },
        { true,  "t.sh",   "sft.py --use_peft --torch_dtype bfloat16 --bf16 False --output_dir x"},
        { false, "t.sh",   "sft.py --use_peft --torch_dtype bfloat16 --output_dir x"             },
        { false, "t.sh",   "sft.py --use_peft --torch_dtype bfloat16 --bf16 --output_dir x"      },
        { false, "t.sh",   "sft.py --use_peft --torch_dtype float32 --bf16 False --output_dir x" },
        { false, "t.sh",
         "sft.py --use_peft --dtype bfloat16 --mixed_precision bf16 --bf16 0 --output_dir x"     },
        { false, "t.json",
         "{\"use_peft\": true, \"bf16\": false, \"output_dir\": \"x\", " DEEPSPEED_BF16          },
    };
    struct ec_arena a = { 0 };
    int i;

    for (i = 0; i < EC_LEN(files); i++) {
        read_with(files[i].path, files[i].text, "", &a);
        if (o.parallel.fp32_adapters != files[i].wide)
            (void)fprintf(stderr, "%s\n", files[i].text);
        CHECK_INT(o.parallel.fp32_adapters, files[i].wide);
        CHECK(says(&f.assumed, "--fp32-adapters: peft holds them so") == files[i].wide);
        CHECK_OK(ec_predict_opts_check(&o, false, &err));
    }
    read_with(files[0].path, files[0].text, "fp32_adapters", &a);
    CHECK(!o.parallel.fp32_adapters); /* as the command line says */
    ec_arena_clear(&a);
}

TEST(a_rank_is_for_adapters_alone)
{
    const char *text = "per_device_train_batch_size: 1\nfinetuning_type: lora\nlora_rank: 8\n";
    struct ec_arena a = { 0 };

    read_with("t.yaml", text, "", &a);
    CHECK_INT(o.parallel.rank, 8);
    read_with("t.yaml", text, "tuning", &a);
    CHECK_OK(ec_predict_opts_check(&o, false, &err));
    read_with("t.json", "{\"output_dir\": \"x\", \"lora_r\": 8}", "", &a);
    CHECK_OK(ec_predict_opts_check(&o, false, &err));
    ec_arena_clear(&a);
}

/* What a file says without effect is no mistake of the command line. */
TEST(only_parameters_that_are_shared_stay_gathered)
{
    static const char text[] =
        "base_model: x\nfsdp_version: 2\nfsdp_config:\n  reshard_after_forward: false\n";
    struct ec_arena a = { 0 };

    read_with("t.yaml", text, "", &a);
    CHECK(o.parallel.keep_gathered);
    CHECK_OK(ec_predict_opts_check(&o, false, &err));
    read_with("t.yaml", text, "zero", &a);
    CHECK(!o.parallel.keep_gathered);
    CHECK_OK(ec_predict_opts_check(&o, false, &err));
    read_with("t.yaml", text, "zero keep_gathered", &a);
    CHECK_OK(ec_predict_opts_check(&o, false, &err));
    ec_arena_clear(&a);
}

/* 16 devices in two machines: 4 x 2 x 2; two chunks of 6 layers on each of two stages. */
TEST(megatron_says_network_and_devices)
{
    struct ec_arena a = { 0 };

    read_with("t.sh",
              "--nproc_per_node 8 --nnodes 2 pretrain.py --tensor-model-parallel-size 4 "
              "--pipeline-model-parallel-size 2 --num-layers 24 --hidden-size 1024 "
              "--num-attention-heads 16 --num-layers-per-virtual-pipeline-stage 6 --seq-length 512 "
              "--micro-batch-size 1 --global-batch-size 64 --train-iters 10 --bf16 --swiglu\n",
              "", &a);
    CHECK_STR(f.format, "Megatron-LM");
    CHECK_INT(o.devices, 16);
    CHECK_INT(o.parallel.tensor, 4);
    CHECK_INT(o.parallel.pipeline, 2);
    CHECK_INT(o.parallel.virtual_stages, 2);
    CHECK(!o.parallel.sequence_parallel);
    CHECK(o.cond.master_weights);
    CHECK_INT(o.global_batch, 64);
    CHECK_HAS(f.model, "decoder:layers=24,hidden=1024,heads=16,gated=1,act=silu,");
    CHECK_HAS(f.model, ",vocab=50688"); /* of 128 x 4, where nothing is said */
    CHECK(says(&f.assumed, "vocab 50688: padded from 50257 to a multiple of 512"));
    ec_arena_clear(&a);
}

TEST(torchtitan_says_groups)
{
    struct ec_arena a = { 0 };

    read_with("t.toml",
              "[model]\nname='llama3'\nflavor='70B'\n[training]\nlocal_batch_size=8\nsteps=5\n"
              "[parallelism]\ndata_parallel_shard_degree=4\ntensor_parallel_degree=8\n"
              "pipeline_parallel_degree=2\n",
              "", &a);
    CHECK_STR(f.model, "llama3_70b");
    CHECK_INT(o.devices, 64);
    CHECK_INT(o.batch, 8); /* of a replica, which cuts it into micro-batches */
    CHECK_INT(o.parallel.micro_batch, 1);
    CHECK_INT(o.parallel.zero, 3);
    CHECK_INT(o.seq_len, 2048);
    CHECK(says(&f.assumed, "--seq-len 2048: its default"));
    read_with("t.toml",
              "[training]\nsteps=5\n[parallelism]\ntensor_parallel_degree=4\n"
              "data_parallel_shard_degree=-1\ndata_parallel_replicate_degree=2\n",
              "", &a);
    CHECK_INT(o.devices, 4);
    CHECK(says(&f.assumed, "--devices 4: one replica"));
    ec_arena_clear(&a);
}

TEST(names_of_models_are_those_of_the_zoo)
{
    static const char *const same[][2] = {
        {"meta-llama/Llama-3.1-8B-Instruct", "llama3_8b"  },
        { "meta-llama/Meta-Llama-3-70B",     "llama3_70b" },
        { "mistralai/Mistral-7B-v0.1",       "mistral_7b" },
        { "Qwen/Qwen3-8B-Base",              "qwen3_8b"   },
        { "NousResearch/Llama-2-13b-hf",     "llama2_13b" },
        { "unsloth/gemma-3-12b-it-bnb-4bit", "gemma3_12b" },
        { "google-bert/bert-base-uncased",   "bert_base"  },
        { "EleutherAI/pythia-1.4b",          "pythia_1.4b"},
        { "someone/else-9B-chat",            NULL         },
        { "instruct",                        NULL         },
        { "decoder:layers=1",                NULL         },
    };
    struct ec_arena a = { 0 };
    char text[200];
    int i;

    for (i = 0; i < EC_LEN(same); i++) {
        (void)ec_snprintf(text, sizeof text,
                          "{\"output_dir\": \"\", \"model_name_or_path\": \"%s\"}", same[i][0]);
        read_with("/nowhere/t.json", text, "", &a);
        if (same[i][1])
            CHECK_STR(f.model, same[i][1]);
        else
            CHECK(!f.model);
    }
    ec_arena_clear(&a);
}

/* Each row names a format, a key, and an option that there is, or a tool. */
TEST(rows_name_options_that_there_are)
{
    struct ec_arena a = { 0 };
    struct ec_csv csv = { 0 };
    int row;

    CHECK_OK(ec_csv_read("data/job-keys.csv", &csv, &err));
    for (row = 0; row < csv.n_rows; row++) {
        const char *name = ec_csv_cell(&csv, row, 2);
        bool own = ec_str_starts(name, "model") || ec_str_starts(name, "device") ||
                   ec_str_eq(name, "replicas") || ec_str_eq(name, "chunk_layers") ||
                   ec_str_eq(name, "word_unit") || !*name ||
                   ec_str_eq(ec_csv_cell(&csv, row, 0), "tool");

        if (!own && !ec_field_find(ec_predict_fields, ec_span_of(name)))
            (void)fprintf(stderr, "line %d: no option %s\n", csv.lines[row], name);
        CHECK(own || ec_field_find(ec_predict_fields, ec_span_of(name)));
        CHECK(ec_csv_cell(&csv, row, 0)[0] && ec_csv_cell(&csv, row, 1)[0]);
    }
    ec_csv_clear(&csv);
    ec_arena_clear(&a);
}

TEST(other_files_are_refused)
{
    struct ec_arena a = { 0 };
    struct ec_strs none = { 0 };

    ec_predict_opts_default(&o);
    CHECK_FAILS(ec_job_file_parse("t.json", ec_span_of("{\"a\": 1}"), &none, &o, &f, &a, &err),
                EC_E_UNSUPPORTED, "t.json: no job file that is known");
    CHECK_FAILS(ec_job_file_parse("t.json", ec_span_of("[1]"), &none, &o, &f, &a, &err), EC_E_PARSE,
                "t.json: expected a JSON object");
    CHECK_FAILS(ec_job_file_parse("t", ec_span_of(""), &none, &o, &f, &a, &err), EC_E_UNSUPPORTED,
                "t: no job file");
    CHECK_FAILS(ec_job_file_read("/nowhere/t", &none, &o, &f, &a, &err), EC_E_NOT_FOUND, "");
    ec_arena_clear(&a);
}
