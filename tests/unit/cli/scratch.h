/* An empty folder to work in, and small tables to put there. */
#ifndef TEST_CLI_SCRATCH_H
#define TEST_CLI_SCRATCH_H

#include "test.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct scratch {
    char from[1024], folder[64];
};

/* The tests go on in the folder. */
static inline void scratch_begin(struct scratch *s)
{
    (void)snprintf(s->folder, sizeof s->folder, "/tmp/ec-test-scratch-XXXXXX");
    if (!getcwd(s->from, sizeof s->from) || !mkdtemp(s->folder) || chdir(s->folder))
        test_fail(__FILE__, __LINE__, "no empty folder");
}

static inline void scratch_end(struct scratch *s)
{
    char command[128];

    (void)snprintf(command, sizeof command, "rm -r %s", s->folder);
    CHECK(chdir(s->from) == 0);
    CHECK(system(command) == 0);
}

static inline void scratch_write(const char *name, const char *text)
{
    struct ec_err err = { 0 };

    CHECK_OK(ec_file_write(name, text, strlen(text), &err));
}

/* Runs of networks, as a vendor lists them. */
static inline void scratch_networks(const char *name)
{
    scratch_write(name, "model,device,batch,precision,step_time_ms\n"
                        "resnet18,t4,16,fp32,100\n"
                        "resnet18,t4,32,fp32,200\n"
                        "alexnet,t4,64,fp32,90\n"
                        "alexnet,v100-sxm2-16gb,16,fp32,10\n");
}

/* Iterations of two training runs. */
static inline void scratch_iterations(const char *name)
{
    scratch_write(name, "env,device,model,batch_size,iteration,time_ms\n"
                        "lab,t4,resnet18,32,0,90\n"
                        "lab,t4,resnet18,32,1,40\n"
                        "lab,t4,resnet18,32,2,42\n"
                        "cloud,a100-sxm4-40gb,resnet18,32,0,50\n"
                        "cloud,a100-sxm4-40gb,resnet18,32,1,10\n"
                        "cloud,a100-sxm4-40gb,resnet18,32,2,11\n");
}

/* Products of matrices, one of them faster than its device can be. */
static inline void scratch_products(const char *name)
{
    scratch_write(name, "device,precision,m,n,k,a_transposed,b_transposed,time_ms,library,"
                        "above_peak\n"
                        "t4,fp32,4096,4096,4096,0,0,100,made-up 1,0\n"
                        "t4,fp32,4096,4096,4096,0,1,1,made-up 1,1\n"
                        "v100-sxm2-16gb,fp16_tensor_core,512,512,512,0,0,0.25,made-up 2,0\n");
}

/* A grid of configurations whose time follows a law, to a hundredth. */
static inline void scratch_grid(const char *name)
{
    struct ec_buf text = EC_BUF_INIT;
    int w, b;

    ec_buf_str(&text, "width,batch_size,time_per_epoch\n");
    for (w = 16; w <= 128; w *= 2)
        for (b = 16; b <= 128; b *= 2)
            ec_buf_printf(&text, "%d,%d,%.4f\n", w, b,
                          pow(w, 1.5) / pow(b, 0.25) * (1 + ((w * 7 + b * 3) % 11 - 5) / 500.0));
    scratch_write(name, ec_buf_text(&text));
    ec_buf_clear(&text);
}

#endif
