/* Logs of training, and speeds as people write them. */
#include "test.h"

#include "tables/log.h"
#include "tables/tables.h"

#include <math.h>

static struct ec_log read_log(const char *text)
{
    struct ec_log log = { 0 };
    struct ec_err err = { 0 };

    CHECK_OK(ec_log_read(ec_span_of(text), &log, &err));
    return log;
}

TEST(times_come_from_clocks_or_rates)
{
    static const struct {
        const char *text;
        int64_t step, steps;
        double step_ms;
    } logs[] = {
        {"10:00:00 step 10/100 loss 2.1\n10:00:05 step 20/100 loss 1.9\n",    20,  100,  500 },
        { "2026-01-31 23:59:58,500 iter: 7\n2026-02-01T00:00:00.500 iter: 9", 9,   0,    1000},
        { "23:59:59 global_step=1\n00:00:01 global_step=5\n",                 5,   0,    500 },
        { "Epoch 1:  10%|#  | 100/1000 [00:50<07:30,  2.00it/s]\r 20%|## | 200/1000 [01:40<06:40, "
          "2.00it/s]",                                               200, 1000, 500 },
        { "step 5: 3.0 s/it\nsaved at 10:00:00\nSTEP 6 of 8: 3.0 s/it",       6,   8,    3000},
        { "batch 64, 71 ms/step",                                             64,  0,    71  },
        { "10:00:00 step 1\n10:00:00 step 2\n10:00:00 step 3\n10:00:01 step 5\n10:00:01 step 7\n"
          "10:00:02 step 9\n10:00:03 step 13\n",                     13,  0,    250 },
    };
    int i;

    for (i = 0; i < EC_LEN(logs); i++) {
        struct ec_log log = read_log(logs[i].text);

        CHECK_INT(log.step, logs[i].step);
        CHECK_INT(log.steps, logs[i].steps);
        CHECK_NEAR(log.step_ns / 1e6, logs[i].step_ms, 1e-6);
        ec_log_clear(&log);
    }
}

/* Lines as the programs print them. */
TEST(known_programs_are_read)
{
    static const struct {
        const char *text;
        int64_t step, steps;
        double step_ms;
    } logs[] = {
  /* clang-format off */
        { /* the ImageNet example of PyTorch */
          "Epoch: [0][ 10/5005]\tTime  0.094 ( 0.112)\tData  0.001 ( 0.010)\n"
          "Test: [ 10/196]\tTime  0.300 ( 0.300)\n", 10, 5005, 94 },
        { /* torchvision */
          "Epoch: [0]  [  10/5005]  eta: 0:08:00  img/s: 680  time: 0.0940  data: 0.0030\n",
          10, 5005, 94 },
        { /* timm */
          "Train: 0 [  50/5004 (  1%)]  Loss: 6.9  Time: 0.094s,  680.85/s  (0.101s,  633/s)",
          50, 5004, 94 },
        { /* mmengine */
          "Epoch(train)  [1][  50/5005]  lr: 1e-1  eta: 12:10:00  time: 0.0940  data_time: 0.0030\n"
          "Epoch(train)  [1][ 100/5005]  lr: 1e-1  eta: 12:00:00  time: 0.0940  data_time: 0.0030",
          100, 5005, 94 },
        { /* "beta:" is no "eta:", which hides the time of the day */
          "step 10 beta: 0.9 12:00:01\nstep 20 beta: 0.9 12:00:02\nstep 30 beta: 0.9 12:00:03",
          30, 0, 100 },
        { /* nanoGPT */
          "iter 110: loss 3.0, time 94.20ms, mfu 23.10%", 110, 0, 94.2 },
        { /* Keras, in colours */
          "\x1b[1m100/1875\x1b[0m \x1b[32m\xe2\x94\x81\x1b[0m\x1b[37m \x1b[0m "
          "\x1b[1m5s\x1b[0m 96ms/step\b\b",
          100, 1875, 96 },
        { /* Keras, verbose=2 */
          "Epoch 1/10\n1563/1563 - 18s - 11ms/step - accuracy: 0.51\n", 1563, 15630, 11 },
        { "Epoch 1/5\n1563/1563 [====] - 65s 41ms/step - loss: 1.33\n313/313 [====] - 1s 4ms/step\n"
          "Epoch 2/5\n 100/1563 [>...] - ETA: 58s 40ms/step\r 200/1563 [>...] - ETA: 54s "
          "40ms/step\n"
          "313/313 [====] - 1s 4ms/step\n",
          1763, 7815, 40 },
        { /* DeepSpeed: "step: 160.51" is a time, and its clock has whole seconds */
          "[2026-11-02 10:12:31,118] step=10, skipped=0, lr=[9.65e-06]\n"
          "[2026-11-02 10:12:31,120] time (ms) | fwd: 802.50 | bwd: 2247.10 | step: 160.51\n"
          "[2026-11-02 10:13:03,118] step=20, skipped=0, lr=[9.65e-06]\n"
          "[2026-11-02 10:13:03,120] time (ms) | fwd: 802.50 | bwd: 2247.10 | step: 160.50\n"
          "[2026-11-02 10:13:35,118] step=30, skipped=0, lr=[9.65e-06]\n",
          30, 0, 3200 },
        { /* its pipelines */
          "steps: 10 loss: 7.9500 iter time (s): 3.210 samples/sec: 39.875\n", 10, 0, 3210 },
        { /* Megatron */
          " iteration       10/  500000 | elapsed time per iteration (ms): 2961.5 | learning rate: "
          "1.5E-04 |\n", 10, 500000, 2961.5 },
        { /* trainer_log.jsonl of LLaMA-Factory */
          "{\"current_steps\": 10, \"total_steps\": 290, \"elapsed_time\": \"0:00:32\", "
          "\"remaining_time\": \"10:15:00\"}\n"
          "{\"current_steps\": 20, \"total_steps\": 290, \"elapsed_time\": \"0:01:04\", "
          "\"remaining_time\": \"10:14:28\"}\n",
          20, 0, 3200 },
        { /* mmengine as JSON */
          "{\"lr\": 0.01, \"data_time\": 0.003, \"time\": 0.094, \"step\": 50}", 50, 0, 94 },
        { /* the Trainer of Hugging Face: all_results.json */
          "{\n  \"train_runtime\": 932.5,\n  \"eval_steps_per_second\": 9.1,\n"
          "  \"train_steps_per_second\": 0.3125\n}\n", 0, 0, 3200 },
        { /* Composer */
          "[batch=10/4800]:\n\t Train throughput/batches_per_sec: 0.3125\n"
          "\t Train throughput/device/batches_per_sec: 0.0391\n"
          "[batch=20/4800]:\n\t Train throughput/batches_per_sec: 0.3125\n", 20, 4800, 3200 },
        { /* scalars of TensorBoard */
          "Wall time,Step,Value\n1793614351.5,0,2.3\n1793614356.2,50,2.2\n1793614360.9,100,2.1\n",
          100, 0, 94 },
        { /* Lightning: of two rows of a step one has the rate */
          "device/batches_per_sec,epoch,step,time,batches,train_loss\n12.5,0,49,4.65,50,\n"
          ",0,49,,,2.0\n12.5,0,99,9.3,100,\n", 99, 0, 80 },
  /* clang-format on */
    };
    int i;

    for (i = 0; i < EC_LEN(logs); i++) {
        struct ec_log log = read_log(logs[i].text);

        CHECK_INT(log.step, logs[i].step);
        CHECK_INT(log.steps, logs[i].steps);
        CHECK_NEAR(log.step_ns / 1e6, logs[i].step_ms, 1e-4);
        ec_log_clear(&log);
    }
}

/* Some count no steps: a rate of samples or tokens, times of epochs. */
TEST(what_is_counted_is_known)
{
#define EVENT(ms, key, more)                                                                       \
    ":::MLLOG {\"time_ms\": 1700000" #ms ", \"key\": \"" key "\", " more "}\n"
#define VALUE(key, v) EVENT(000000, key, "\"value\": " #v ", \"metadata\": {}")
#define AT(ms, key, more) EVENT(ms, key, "\"value\": null, \"metadata\": {" more "}")
#define EPOCHS                                                                                     \
    AT(000000, "run_start", "")                                                                    \
    AT(001000, "epoch_start", "\"epoch_num\": 1")                                                  \
    AT(021000, "epoch_stop", "\"epoch_num\": 1")                                                   \
    AT(022000, "epoch_start", "\"epoch_num\": 2") AT(032000, "epoch_stop", "\"epoch_num\": 2")
    /* clang-format off */
#define BLOCKS                                                                                     \
    AT(001000, "block_start", "\"first_epoch_num\": 1, \"epoch_count\": 4")                        \
    AT(051000, "block_stop", "\"first_epoch_num\": 1")                                             \
    AT(060000, "eval_start", "")                                                                   \
    AT(070000, "eval_stop", "")                                                                    \
    AT(071000, "block_start", "\"first_epoch_num\": 5, \"epoch_count\": 4")                        \
    AT(111000, "block_stop", "\"first_epoch_num\": 5")
#define SAMPLES                                                                                    \
    AT(001000, "block_start", "\"samples_count\": 0")                                              \
    AT(031000, "block_stop", "\"samples_count\": 400")                                             \
    AT(041000, "block_start", "\"samples_count\": 400")                                            \
    AT(061000, "block_stop", "\"samples_count\": 800")
    static const struct {
        const char *text;
        enum ec_speed_kind kind;
        double ms;
    } logs[] = {
        {"_step,train/loss,samples_per_second\n0,2,640\n10,2,500\n20,2,500", EC_SPEED_SAMPLES, 2 },
        { "epoch,step,perf/tokens_per_sec\n0,0,9\n0,10,5\n0,20,5\n", EC_SPEED_TOKENS, 200 },
        { "step,samples_per_second,it/s\n0,640,10\n10,640,10\n", EC_SPEED_STEPS, 100 },
        { "_step,_timestamp,samples_per_second\n0,5.5,64\n10,6.5,64\n", EC_SPEED_STEPS, 100 },
        { "  epoch,  time,  train/box_loss\n  1,  21.5,  1\n  2,  31.5,  1\n  3,  41.5,  1\n",
          EC_SPEED_EPOCHS, 10000 },
        { "banner\n0: " EPOCHS, EC_SPEED_EPOCHS, 10000 },
        { VALUE("train_samples", 1000) EPOCHS, EC_SPEED_SAMPLES, 10 },
        { VALUE("global_batch_size", 10) VALUE("train_samples", 1000) EPOCHS, EC_SPEED_STEPS, 100 },
        { VALUE("global_batch_size", 10) VALUE("train_samples", 1000) BLOCKS, EC_SPEED_STEPS, 100 },
        { VALUE("global_batch_size", 8) SAMPLES, EC_SPEED_STEPS, 400 },
        { SAMPLES, EC_SPEED_SAMPLES, 50 },
        { VALUE("train_samples", 7) ":::MLLOG {\n:::MLLOG []\n" SAMPLES, EC_SPEED_SAMPLES, 50 },
        /* clang-format on */
    };
    int i;

    for (i = 0; i < EC_LEN(logs); i++) {
        struct ec_log log = read_log(logs[i].text);

        CHECK_INT(log.kind, logs[i].kind);
        CHECK_NEAR(log.step_ns / 1e6, logs[i].ms, 1e-6);
        ec_log_clear(&log);
    }
}

/* Of steps of 1.4 s most spans have 1 s by such a clock; an evaluation of a minute stays apart. */
TEST(a_clock_of_whole_seconds_is_read_over_many)
{
    struct ec_buf text = EC_BUF_INIT;
    struct ec_log log;
    int i, s;

    for (i = 0; i < 60; i++) {
        s = 14 * i / 10 + (i > 30 ? 60 : 0);
        ec_buf_printf(&text, "10:%02d:%02d step %d\n", s / 60, s % 60, i);
    }
    log = read_log(ec_buf_text(&text));
    CHECK_NEAR(log.step_ns / 1e9, 1.4, 0.04);
    CHECK_INT(log.step, 59);
    ec_log_clear(&log);
    ec_buf_clear(&text);
}

/* The first span waits for the start; one long evaluation moves no median. */
TEST(the_median_leaves_out_the_start)
{
    struct ec_log log = read_log("10:00:00 step 0\n10:01:00 step 10\n10:01:10 step 20\n10:01:20 "
                                 "step 30\n10:31:20 step 31\n");

    CHECK_NEAR(log.step_ns, 1e9, 1e-9);
    CHECK_NEAR(log.counted, 21, 1e-9);
    ec_log_clear(&log);
}

TEST(a_log_without_times_is_refused)
{
    static const char *const logs[] = { "",
                                        "hello\n",
                                        "step 1\nstep 2\n",
                                        "10:00:00 step 5\n",
                                        "10:00:05 step 9\n10:00:06 step 8\n",
                                        "steps 0it/s 1",
                                        "Epoch [1/90], time: 300.2 s\n",
                                        "step 5, time 3 min\n",
                                        "step 5, time: 12:30\n",
                                        "epoch,time,loss\n1,93.5,2\n2,95.5,2\n",
                                        AT(001000, "block_start", "\"epoch_count\": 100000")
                                            AT(002000, "block_stop", "") };
    struct ec_log log;
    struct ec_err err = { 0 };
    int i;

    for (i = 0; i < EC_LEN(logs); i++)
        CHECK_FAILS(ec_log_read(ec_span_of(logs[i]), &log, &err), EC_E_PARSE,
                    "expected such as \"12:30:05 step 120/5000\"");
}

TEST(speeds_are_read_with_their_units)
{
    static const struct {
        const char *text;
        enum ec_speed_kind kind;
        double value;
        bool of_each;
    } speeds[] = {
        {"94ms",                           EC_SPEED_TIME,    94e6,       false},
        { " 1.2 s ",                       EC_SPEED_TIME,    1.2e9,      false},
        { "71 ms/step",                    EC_SPEED_TIME,    71e6,       false},
        { "2.5 s/it",                      EC_SPEED_TIME,    2.5e9,      false},
        { "1.35 it/s",                     EC_SPEED_STEPS,   1.35,       false},
        { "680 img/s",                     EC_SPEED_SAMPLES, 680,        false},
        { "680 images/sec",                EC_SPEED_SAMPLES, 680,        false},
        { "12.4k tokens/s",                EC_SPEED_TOKENS,  12.4e3,     false},
        { "3.1 Mtok/s/gpu",                EC_SPEED_TOKENS,  3.1e6,      true },
        { "312 TFLOP/s",                   EC_SPEED_FLOP,    312e12,     false},
        { "312TFLOPS/GPU",                 EC_SPEED_FLOP,    312e12,     true },
        { "380 GB/s",                      EC_SPEED_BYTES,   380e9,      false},
        { "1.6 TB/s",                      EC_SPEED_BYTES,   1.6e12,     false},
        { "3,400 images/sec",              EC_SPEED_SAMPLES, 3400,       false},
        { "94 msec per step",              EC_SPEED_TIME,    94e6,       false},
        { "900 tokens per second per GPU", EC_SPEED_TOKENS,  900,        true },
        { "21 min/epoch",                  EC_SPEED_EPOCHS,  1.0 / 1260, false},
        { "1h12m per epoch",               EC_SPEED_EPOCHS,  1.0 / 4320, false},
    };
    static const char *const none[] = { "",        "94",        "fast",         "-3 ms",
                                        "0 img/s", "img/s",     "3 bananas",    "1e999s",
                                        "3 k",     "nan it/s",  "5 /gpu",       "12 batch",
                                        "7 GiB",   "1 epoch/s", "1e308 TFLOPS", "12,34 img/s",
                                        "1m2h",    "per epoch" };
    struct ec_speed s;
    int i;

    for (i = 0; i < EC_LEN(speeds); i++) {
        if (!ec_parse_speed(ec_span_of(speeds[i].text), &s))
            test_fail(__FILE__, __LINE__, "\"%s\" is refused", speeds[i].text);
        CHECK_INT(s.kind, speeds[i].kind);
        CHECK_INT(s.of_each, speeds[i].of_each);
        CHECK_NEAR(s.value, speeds[i].value, 1e-12);
    }
    for (i = 0; i < EC_LEN(none); i++)
        if (ec_parse_speed(ec_span_of(none[i]), &s))
            test_fail(__FILE__, __LINE__, "\"%s\" is %g of kind %d", none[i], s.value, s.kind);
}
