/* Mappings at work: those that ship by name, a user's own with its sections, tables in our words.
 */
#include "test.h"

#include "tables/tables.h"

#include <stdio.h>
#include <unistd.h>

static const char *const map_path = "test_mappings.map", *const table_path = "test_mappings.csv";

static void write_file(const char *path, const char *text)
{
    struct ec_err err = { 0 };

    CHECK_OK(ec_file_write(path, text, strlen(text), &err));
}

TEST(what_ships_is_listed_and_printed)
{
    struct ec_mapping_info *v = NULL;
    struct ec_arena a = { 0 };
    struct ec_err err = { 0 };
    const char *text = NULL;
    size_t len = 0;
    int n = 0, i;

    CHECK_OK(ec_mappings(&a, &v, &n, &err));
    CHECK(n > 80);
    for (i = 0; i < n; i++) {
        CHECK(*v[i].columns && *v[i].source);
        CHECK_OK(ec_mapping_text(v[i].name, &a, &text, &len, &err));
        CHECK(len > 0 && *text == '#');
        CHECK_OK(ec_mapping_text(v[i].file, &a, &text, &len, &err));
    }
    CHECK_OK(ec_mapping_text("words", &a, &text, &len, &err));
    CHECK_FAILS(ec_mapping_text("neusigth-bmm", &a, &text, &len, &err), EC_E_NOT_FOUND,
                "did you mean \"neusight-bmm\"");
    ec_arena_clear(&a);
}

/* The first question of a table; NULL: none, and err says why. */
static const struct ec_record *ask(const char *table, const char *mapping, struct ec_arena *a,
                                   struct ec_record_list *rows, struct ec_err *err)
{
    const struct ec_table_given given = { .path = "t.csv", .mapping = mapping, .batch = 4 };
    const struct ec_mapping *l = NULL;
    struct ec_csv csv = { 0 };
    enum ec_status st;

    EC_TRY(ec_csv_parse(table, strlen(table), &csv, err));
    EC_TRY(ec_mapping_of_table(&csv, &given, a, &l, err));
    EC_TRY(ec_mapping_rows(l, &csv, a, rows, err));
out:
    ec_csv_clear(&csv);
    return !st && rows->n ? &rows->v[0] : NULL;
}

static const char sections[] = "words net =\n    R50 -> resnet50\n\ndevice = {gpu|card}\n"
                               "mode = forward\n\n[layers]\nrows = kind=layer\n"
                               "what = {name} x={global}x8\nforward_us = {us}\n"
                               "grad_data_us = {back} flags=odd+even\n\n[networks : layers]\n"
                               "rows = kind=net\nkeep = note!=bad\nkind = network\n"
                               "what = {name:net}\nbatch = {global/devices}\n"
                               "time_us = {us} steps=10\nmemory_mib = {mib} recorded\n";

/* Sections that ask what their sources measured beside what is stored: each reads its first row,
 * and leaves out its second. */
TEST(sections_for_judging_read_what_can_be_predicted)
{
    static const char pycls[] =
        "device,model,family,num_gpus,global_batch_size,batch_size_per_gpu,gflops_mac,"
        "train_forward_ms,train_backward_ms,train_forward_backward_ms,precision\n"
        "v100-sxm2-16gb,ResNet-50,resnet,8,256,32,4,1,2,3,fp32\n";
    static const char habana[] =
        "device,script,model,num_devices,distribution,task,train_batch_size_per_device,"
        "lora,train_samples_per_s,train_runtime_s,ambiguous_config,precision,seq_len\n"
        "gaudi2-96gb,run_qa,roberta-large,1,single_card,squad,32,0,64,9,0,bf16,384\n"
        "gaudi2-96gb,run_qa,roberta-large,1,single_card,squad,32,1,64,9,0,bf16,384\n";
    static const char neuron[] =
        "device,model,instance,num_devices,num_neuron_cores,precision,tp,pp,zero1,"
        "global_batch,optimizer,seq_len,sequences_per_s,step_time_s,mfu_pct,"
        "neuron_version\n"
        "trainium1,HuggingFace BERT-Large Ph2 pre-training,trn1,16,32,FP32,1,1,0,1600,"
        "Lamb,512,1,2,3,4\n"
        "trainium1,HuggingFace BERT-Large Ph2 pre-training,trn1,16,32,FP32,8,1,0,1600,"
        "Lamb,512,1,2,3,4\n";
    static const char convnet[] =
        "device,network,batch_size,img_size,precision,timed,time_ms,forward_ms,"
        "backward_ms,library,note,consistent\n"
        "titan-x-maxwell,vgg_a,64,224,fp32,forward_backward,9,3,6,cudnn[r4]-fp32 (torch),"
        ",1\n"
        "titan-x-maxwell,vgg_a,64,224,fp32,forward_backward,9,3,6,chainer,,1\n";
    static const char nyu[] =
        "device,network,batch_size,img_size,iteration,precision,timed,time_ms,"
        "framework_version,interval_ms,unsynchronised_suspect,memory_spill_suspect\n"
        "t4,resnet18,64,224,1,fp32,training_step,1,2.6,5,0,0\n"
        "t4,resnet18,64,224,1,fp32,training_step,1,2.6,5,0,1\n";
    /* clang-format off */
    static const struct {
        const char *mapping, *table, *what, *framework, *mode;
        int64_t batch, num_devices;
        double ms;
    } v[] = {
        { "pycls-training", pycls, "resnet50", "pytorch-1", "forward_backward", 32, 8, 3 },
        { "habana-steps", habana, "roberta_large", "pytorch-compiled", "training_step", 32, 1,
          500 },
        { "neuron-steps", neuron, "bert_large_pretraining", "pytorch-compiled", "training_step",
          100, 1, 2000 },
        { "convnet-forward", convnet, "vgg11", "torch7", "forward", 64, 1, 3 },
        { "nyu-steps", nyu, "resnet18", "pytorch-2", "training_step", 64, 1, 5 },
    };
    /* clang-format on */
    struct ec_record_list rows = { 0 };
    struct ec_arena a = { 0 };
    struct ec_err err = { 0 };
    int i;

    for (i = 0; i < EC_LEN(v); i++) {
        const struct ec_record *m = ask(v[i].table, v[i].mapping, &a, &rows, &err);

        CHECK_INT(rows.n, 1);
        if (m) {
            CHECK_STR(m->what, v[i].what);
            CHECK_STR(ec_record_word(m, EC_WORD_FRAMEWORK), v[i].framework);
            CHECK_STR(ec_record_word(m, EC_WORD_MODE), v[i].mode);
            CHECK_INT(m->batch, v[i].batch);
            CHECK_INT(m->num_devices, v[i].num_devices);
            CHECK_NEAR(m->time.ns, 1e6 * v[i].ms, 1e-12);
        }
        ec_records_clear(&rows);
    }
    ec_arena_clear(&a);
}

/* A section for queries is found by its columns, while the rows are stored by the section that
 * takes all of them. */
TEST(queries_and_stores_may_read_one_table_by_sections_of_their_own)
{
    static const char table[] =
        "device,model,instance,num_devices,num_neuron_cores,precision,tp,pp,zero1,"
        "global_batch,optimizer,seq_len,sequences_per_s,step_time_s,mfu_pct,"
        "neuron_version\n"
        "trainium1,HuggingFace BERT-Large Ph2 pre-training,trn1,16,32,FP32,1,1,0,1600,"
        "Lamb,512,1,2,3,4\n";
    struct ec_record_list rows = { 0 };
    const struct ec_mapping *l = NULL;
    struct ec_arena a = { 0 };
    struct ec_csv csv = { 0 };
    struct ec_err err = { 0 };
    const struct ec_record *m = ask(table, NULL, &a, &rows, &err);

    CHECK(m && rows.n == 1);
    CHECK_STR(m->source.mapping, "neuron-steps");
    CHECK_INT(m->batch, 100);
    CHECK_STR(m->flags, "");
    CHECK_OK(ec_csv_parse(table, strlen(table), &csv, &err));
    CHECK_OK(ec_mapping_of_record(&csv, NULL, &a, &l, &err));
    CHECK_STR(ec_mapping_name(l), "neuron-training");
    ec_csv_clear(&csv);
    ec_records_clear(&rows);
    ec_arena_clear(&a);
}

TEST(a_row_is_of_the_section_whose_conditions_it_meets)
{
    static const char table[] = "kind,name,global,devices,us,back,mib,note,card\n"
                                "layer,relu,64,1,12,20,,,t4\nnet,R50,64,4,9000,,100,,t4\n"
                                "net,R50,65,4,9000,,,,t4\nnet,R50,64,4,9000,,,bad,t4\n";
    struct ec_record_list rows = { 0 };
    struct ec_arena a = { 0 };
    struct ec_err err = { 0 };
    const struct ec_record *m;

    write_file(map_path, sections);
    m = ask(table, "./test_mappings.map", &a, &rows, &err);
    CHECK(m && rows.n == 3);
    CHECK_STR(m[0].what, "relu x=64x8");
    CHECK_STR(m[0].source.mapping, "layers");
    CHECK_STR(m[0].device, "t4");
    CHECK_INT(m[0].phase, 0);
    CHECK_NEAR(m[0].time.ns, 12e3, 0);
    CHECK_INT(m[1].phase, 1);
    CHECK_NEAR(m[1].time.ns, 20e3, 0);
    CHECK_STR(m[2].what, "resnet50");
    CHECK(ec_record_is_network(&m[2]));
    CHECK_INT(m[2].batch, 16);
    CHECK_NEAR(m[2].time.ns, 900e3, 1e-12); /* of ten steps */
    CHECK_INT(rows.n_excluded, 1);
    CHECK_INT(rows.n_faulty, 1);
    CHECK_STR(rows.fault[0],
              "line 4, column global: found \"65\", expected a multiple of the column "
              "that divides it");
    (void)unlink(map_path);
    ec_records_clear(&rows);
    ec_arena_clear(&a);
}

TEST(without_mode_and_optimizer_a_network_is_trained_with_sgd)
{
    struct ec_record_list rows = { 0 };
    struct ec_arena a = { 0 };
    struct ec_err err = { 0 };
    const struct ec_record *m;

    write_file(map_path, "kind = network\nwhat = {net}\ndevice = {card}\ntime_ms = {ms}\n");
    m = ask("net,card,ms\nvgg16,t4,100\n", "./test_mappings.map", &a, &rows, &err);
    CHECK(m && m->cond.mode == EC_MODE_TRAINING_STEP && m->cond.optimizer == EC_OPT_sgd);
    ec_records_clear(&rows);
    write_file(map_path, "what = {op}\ndevice = {card}\ntime_ms = {ms}\n");
    m = ask("op,card,ms\nrelu x=8,t4,100\n", "./test_mappings.map", &a, &rows, &err);
    CHECK(m && m->cond.mode == EC_MODE_FORWARD && m->cond.optimizer == EC_OPT_none);
    (void)unlink(map_path);
    ec_records_clear(&rows);
    ec_arena_clear(&a);
}

TEST(rates_and_epochs_become_steps)
{
    static const char table[] =
        "model,gpu,n,rate,epoch_min,size\nvgg16,t4,8,16,,\nvgg16,t4,8,,2,80\n";
    struct ec_record_list rows = { 0 };
    struct ec_arena a = { 0 };
    struct ec_err err = { 0 };
    const struct ec_record *m;

    write_file(map_path, "kind = network\nwhat = {model}\ndevice = {gpu}\nbatch = {n}\n"
                         "samples_per_s = {rate}\nepoch_minutes = {epoch_min}\n"
                         "dataset_size = {size}\nmode = training_step\n");
    m = ask(table, map_path, &a, &rows, &err);
    CHECK(m && rows.n == 2);
    CHECK_NEAR(m[0].time.ns, 0.5e9, 1e-12);
    CHECK_NEAR(m[1].time.ns, 12e9, 1e-12);
    (void)unlink(map_path);
    ec_records_clear(&rows);
    ec_arena_clear(&a);
}

TEST(what_is_given_fills_what_neither_says)
{
    struct ec_record_list rows = { 0 };
    struct ec_arena a = { 0 };
    struct ec_err err = { 0 };
    const struct ec_record *m;

    write_file(map_path, "kind = network\nwhat = {net}\ntime_ms = {t}\nmode = forward\n");
    m = ask("net,device,t\nvgg16,t4,2\n", map_path, &a, &rows, &err);
    CHECK(m != NULL);
    CHECK_INT(m->batch, 4);
    CHECK_STR(m->device, "t4");
    (void)unlink(map_path);
    ec_records_clear(&rows);
    ec_arena_clear(&a);
}

TEST(a_mapping_that_does_not_fit_says_so)
{
    static const struct {
        const char *table, *mapping, *part;
        enum ec_status status;
    } cases[] = {
        {"a,b\n1,2\n",        "mamf",     "mamf needs a column max_achieved", EC_E_INPUT    },
        { "a,b\n1,2\n",       "neusight", "neusight needs a column",          EC_E_INPUT    },
        { "a,b\n1,2\n",       "nobodys",  "no mapping \"nobodys\"",           EC_E_NOT_FOUND},
        { "a,b\n1,2\n",       "no.map",   "no.map: ",                         EC_E_NOT_FOUND},
        { "batch,price\n1,2", "devices",  "devices needs a column",           EC_E_INPUT    },
    };
    static const char stored[] = "layer,predictor,features,rmse_ms\nx,y,z,1\n";
    struct ec_record_list rows = { 0 };
    struct ec_arena a = { 0 };
    struct ec_err why = { 0 };
    int i;

    CHECK(!ask(stored, "prenet-published", &a, &rows, &why));
    CHECK_HAS(why.text, "cannot be compared");
    for (i = 0; i < EC_LEN(cases); i++) {
        struct ec_err err = { 0 };

        CHECK(!ask(cases[i].table, cases[i].mapping, &a, &rows, &err));
        CHECK_INT(err.status, cases[i].status);
        CHECK_HAS(err.text, cases[i].part);
    }
    ec_records_clear(&rows);
    ec_arena_clear(&a);
}

/* Tables that lack its columns are read by their own, where the caller wants it so. */
TEST(a_mapping_may_be_for_some_tables_only)
{
    const struct ec_table_given given = { .mapping = map_path, .mapping_if_fits = true };
    static const char text[] = "model,device,batch,step_time_ms\nvgg16,t4,8,2\n";
    const struct ec_mapping *l = NULL;
    struct ec_csv csv = { 0 };
    struct ec_arena a = { 0 };
    struct ec_err err = { 0 };

    write_file(map_path, "kind = network\nwhat = {net}\ntime_ms = {t}\n");
    CHECK_OK(ec_csv_parse(text, strlen(text), &csv, &err));
    CHECK_OK(ec_mapping_of_record(&csv, &given, &a, &l, &err));
    CHECK_STR(ec_mapping_name(l), "plain");
    (void)unlink(map_path);
    ec_csv_clear(&csv);
    ec_arena_clear(&a);
}

TEST(a_table_in_our_words_keeps_other_columns_and_lines)
{
    struct ec_csv csv = { 0 };
    struct ec_err err = { 0 };

    write_file(table_path, "net,n,s,depth,cold\nR50,8,0.5,3,0\nR50,8,0.5,4,1\nR50,x,0.5,5,0\n");
    write_file(map_path, "words net =\n    R50 -> resnet50\nkind = network\nkeep = cold=0\n"
                         "what = {net:net}\nbatch = {n}\ntime_s = {s}\ndevice = t4\n");
    CHECK_OK(ec_table_read(&(struct ec_table_given){ .path = table_path, .mapping = map_path },
                           &csv, &err));
    CHECK_INT(csv.n_rows, 2);
    CHECK_STR(ec_csv_cell(&csv, 0, ec_csv_col(&csv, "model")), "resnet50");
    CHECK_STR(ec_csv_cell(&csv, 0, ec_csv_col(&csv, "batch_size")), "8");
    CHECK_STR(ec_csv_cell(&csv, 0, ec_csv_col(&csv, "step_time_ms")), "500");
    CHECK_STR(ec_csv_cell(&csv, 0, ec_csv_col(&csv, "depth")), "3");
    CHECK_STR(ec_csv_cell(&csv, 1, ec_csv_col(&csv, "step_time_ms")), "");
    CHECK_INT(csv.lines[1], 4);
    ec_csv_clear(&csv);
    CHECK_OK(ec_table_read(&(struct ec_table_given){ .path = table_path }, &csv, &err));
    CHECK_INT(csv.n_rows, 3);
    ec_csv_clear(&csv);
    (void)unlink(map_path);
    (void)unlink(table_path);
}

static enum ec_status read_once(struct ec_err *err)
{
    const struct ec_table_given given = { .mapping = "deepbench" };
    static const char text[] = "m,n,k,a_transposed,b_transposed,device,precision,time_ms\n"
                               "64,64,64,0,0,t4,fp32,1\n";
    const struct ec_mapping *l = NULL;
    struct ec_record_list rows = { 0 };
    struct ec_arena a = { 0 };
    struct ec_csv csv = { 0 };
    enum ec_status st;

    EC_TRY(ec_csv_parse(text, strlen(text), &csv, err));
    EC_TRY(ec_mapping_of_table(&csv, &given, &a, &l, err));
    EC_TRY(ec_mapping_rows(l, &csv, &a, &rows, err));
    CHECK_INT(rows.n, 1);
out:
    ec_records_clear(&rows);
    ec_csv_clear(&csv);
    ec_arena_clear(&a);
    return st;
}

TEST(each_allocation_failing)
{
    CHECK_TORTURE(read_once);
}
