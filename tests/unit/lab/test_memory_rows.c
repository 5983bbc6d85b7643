/* The fit of memory alone, from made-up tables: rungs of batch ladders, and a file of constants of
 * which nothing else changes. */
#include "test.h"

#include "lab/fit_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct folder {
    char dir[64], sub[2][96], csv[2][128], out[96];
    struct ec_fit_opts opts;
};

#define READINGS 40
static const char before[] = "one\n    .memory = { 1, 2, 3 },\ntwo\n    .width = {\n"
                             "        [EC_W_memory] = {\n            { 7 },\n        },\nthree\n";

static void put(const char *path, const char *text)
{
    struct ec_err err = { 0 };

    CHECK_OK(ec_file_write(path, text, strlen(text), &err));
}

/* A ladder of two networks, and readings of a device that are as large as many megabytes as the
 * batch is. */
static bool open_folder(struct folder *w)
{
    struct ec_buf csv = EC_BUF_INIT;
    int i;

    memset(w, 0, sizeof *w);
    (void)snprintf(w->dir, sizeof w->dir, "/tmp/ec-test-memory-XXXXXX");
    if (!mkdtemp(w->dir))
        return false;
    (void)snprintf(w->sub[0], sizeof w->sub[0], "%s/timm", w->dir);
    (void)snprintf(w->sub[1], sizeof w->sub[1], "%s/gpumemnet", w->dir);
    (void)snprintf(w->csv[0], sizeof w->csv[0], "%s/train_rtx3090.csv", w->sub[0]);
    (void)snprintf(w->csv[1], sizeof w->csv[1], "%s/network_memory.csv", w->sub[1]);
    (void)snprintf(w->out, sizeof w->out, "%s/constants.inc", w->dir);
    for (i = 0; i < 2; i++)
        CHECK(mkdir(w->sub[i], 0700) == 0);
    put(w->csv[0], "device,family,model,precision,memory_format,batch_size,img_size,time_ms,"
                   "forward_gmacs,timed,above_peak\n"
                   "rtx3090,resnet,resnet50,amp,channels_first,384,224,9,1,training_step,0\n"
                   "rtx3090,vgg,vgg16,amp,channels_first,512,224,9,1,training_step,0\n");
    ec_buf_str(&csv,
               "model,device,batch_size,image_size,seq_len,optimizer,peak_gpu_mem_mib,run_is\n");
    for (i = 1; i <= READINGS; i++)
        ec_buf_printf(&csv, "%s,a100-sxm4-40gb,%d,224,,adam,%d,x\n", i % 2 ? "resnet50" : "vgg16",
                      i, 2000 + 200 * i);
    put(w->csv[1], csv.data);
    ec_buf_clear(&csv);
    put(w->out, before);
    w->opts = (struct ec_fit_opts){ .data_dir = w->dir, .out_path = w->out, .seed = 1 };
    w->opts.max_rows = 200;
    return true;
}

static void close_folder(const struct folder *w)
{
    int i;

    (void)unlink(w->out);
    for (i = 0; i < 2; i++) {
        (void)unlink(w->csv[i]);
        (void)rmdir(w->sub[i]);
    }
    CHECK(rmdir(w->dir) == 0);
}

TEST(the_rung_above_the_largest_batch_ran_out_of_memory)
{
    static struct folder w;
    struct ec_fit f = { .opts = &w.opts };
    struct ec_err err = { 0 };
    const struct ec_fit_memory_row *rung[3];
    int i, n = 0;

    if (!open_folder(&w))
        return;
    CHECK_OK(ec__fit_collect_memory(&f, &err));
    CHECK_INT(f.n_rows, 0);
    CHECK_INT(f.n_memory_rows, READINGS + 3);
    for (i = 0; i < f.n_memory_rows; i++)
        if (f.memory_row[i].rung && n < 3)
            rung[n++] = &f.memory_row[i];
    CHECK_INT(n, 3); /* 384 and 512 of the first, 512 of the second, where the ladder begins */
    if (n == 3) {
        CHECK(rung[0]->rung < 0 && rung[1]->rung > 0 && rung[2]->rung < 0);
        CHECK_NEAR(rung[1]->parts.input / rung[0]->parts.input, 512.0 / 384, 1e-12);
        CHECK_NEAR(rung[0]->capacity_bytes, 24 * 0x1p30, 0.05);
        CHECK(!(rung[0]->peak_bytes > 0) && rung[0]->in_fit);
    }
    ec__fit_clear(&f);
    close_folder(&w);
}

TEST(only_memory_changes_in_a_file_of_constants)
{
    static struct folder w;
    struct ec_err err = { 0 };
    struct ec_file file = { 0 };
    char text[1024] = "", *at;

    if (!open_folder(&w))
        return;
    CHECK_OK(ec_fit_memory(&w.opts, &err));
    CHECK_OK(ec_file_open(w.out, 0, &file, &err));
    CHECK(file.len < sizeof text);
    memcpy(text, file.data, file.len < sizeof text ? file.len : 0);
    ec_file_close(&file);
    CHECK(strncmp(text, "one\n    .memory = { ", 20) == 0 && !strstr(text, "{ 1, 2, 3 }"));
    at = strstr(text, "\ntwo\n    .width = {\n        [EC_W_memory] = {\n");
    CHECK(at != NULL && !strstr(text, "{ 7 }"));
    CHECK(at && strstr(at, "        },\nthree\n"));
    put(w.out, "nothing\n");
    CHECK_FAILS(ec_fit_memory(&w.opts, &err), EC_E_PARSE, "the file of constants has no");
    close_folder(&w);
}
