/* Job scripts: what is read, what is refused, and what a comparison says. */
#include "ask.h"

#include <math.h>

#include "plan/slurm.h"

#define HOUR_NS 3600e9

static struct ec_slurm_script read_script(const char *text)
{
    struct ec_slurm_script s;
    struct ec_err err = { 0 };

    CHECK_OK(ec_slurm_parse(ec_span_of(text), &s, &err));
    return s;
}

TEST(options_are_read_in_every_form)
{
    static const struct {
        const char *line;
        double hours;
    } times[] = {
        {"--time=90",           1.5    },
        { "-t 90:30",           1.50833},
        { "-t12:00:00",         12     },
        { "--time 2-12",        60     },
        { "--time=2-12:30",     60.5   },
        { "--time=2-12:30:00",  60.5   },
        { "--time=1:0:0 # why", 1      },
    };
    struct ec_slurm_script s;
    char text[128];
    int i;

    for (i = 0; i < EC_LEN(times); i++) {
        (void)ec_snprintf(text, sizeof text, "#!/bin/sh\n#SBATCH %s\n", times[i].line);
        CHECK_NEAR(read_script(text).limit_ns / HOUR_NS, times[i].hours, 1e-4);
    }
    CHECK(isinf(read_script("#SBATCH -t UNLIMITED").limit_ns));
    s = read_script(
        "#!/bin/bash\n# a comment\n\n#SBATCH -N 2-4 --gres=craynetwork:1,gpu:h100:8(S:0-1)\n"
        "#SBATCH --mem 512G\r\n#SBATCH --qos=long\nmodule load x\n#SBATCH -t 1\n");
    CHECK_INT(s.nodes, 4);
    CHECK_INT(s.gpus_per_node, 8);
    CHECK_STR(s.gpu_type, "h100");
    CHECK(ec_slurm_gpus(&s) == 32);
    CHECK_NEAR(s.mem_bytes, 512 * 0x1p30, 1e-12);
    CHECK(s.limit_ns == 0); /* behind the first command */
    s = read_script("#SBATCH --ntasks=6 --gpus-per-task=1 --mem-per-gpu=64000");
    CHECK(ec_slurm_gpus(&s) == 6);
    CHECK_NEAR(s.mem_per_gpu_bytes, 64000 * 0x1p20, 1e-12);
    s = read_script("#SBATCH -G a100:12 -N 3");
    CHECK(ec_slurm_gpus(&s) == 12);
    CHECK_STR(s.gpu_type, "a100");
    s = read_script("");
    CHECK(ec_slurm_gpus(&s) == 0);
}

TEST(values_that_are_none_are_refused_with_their_line)
{
    static const char *const lines[] = { "--time=soon", "--time=1-",    "-t 1:2:3:4", "--nodes=0",
                                         "--gpus=many", "--gres=gpu:x", "--mem=G",    "--time" };
    struct ec_slurm_script s;
    struct ec_err err = { 0 };
    char text[128];
    int i;

    for (i = 0; i < EC_LEN(lines); i++) {
        (void)ec_snprintf(text, sizeof text, "#!/bin/sh\n#SBATCH %s", lines[i]);
        CHECK_FAILS(ec_slurm_parse(ec_span_of(text), &s, &err), EC_E_PARSE, "line 2: --");
    }
}

static int faults_of(const char *script, const struct ec_slurm_need *n)
{
    struct ec_slurm_script s = read_script(script);
    struct ec_buf out = EC_BUF_INIT;
    int faults = ec_slurm_check(&s, n, &out);

    ec_buf_clear(&out);
    return faults;
}

TEST(what_is_printed_has_no_fault)
{
    struct ec_predictor *p = predictor();
    struct ec_predict_opts o = options(256);
    struct ec_buf out = EC_BUF_INIT;
    const struct ec_device *d = NULL;
    struct ec_slurm_need n;
    struct ec_prediction r;
    struct ec_err err = { 0 };

    o.devices = 16;
    o.cond.precision = EC_AMP;
    CHECK_OK(ec_device_find("a100-sxm4-80gb", &d, &err));
    r = ask(p, "resnet50", "a100-sxm4-80gb", &o);
    CHECK_FAILS(ec_slurm_need("resnet50", d, &o, &r, &n, &err), EC_E_INPUT, "--epochs");
    o.samples = 1281167;
    o.epochs = 90;
    r = ask(p, "resnet50", "a100-sxm4-80gb", &o);
    CHECK_OK(ec_slurm_need("resnet50", d, &o, &r, &n, &err));
    CHECK(n.limit_ns > r.job_time_ns.p95);
    CHECK(ec_interval_below(&r.job_time_ns, n.limit_ns) >= 0.99);
    CHECK(ec_interval_below(&r.job_time_ns, n.limit_ns - 120e9) < 0.99);
    ec_slurm_print(&n, &out);
    CHECK_INT(faults_of(ec_buf_text(&out), &n), 0);
    ec_buf_clear(&out);
    CHECK_INT(faults_of("#SBATCH -N 2 --gpus-per-node=8 -t 1", &n), 1);
    CHECK_INT(faults_of("#SBATCH -N 2 --gpus-per-node=8", &n), 1);
    CHECK_INT(faults_of("#SBATCH -N 2 --gpus-per-node=8 -t 0", &n), 0);
    CHECK_INT(faults_of("#SBATCH -N 1 --gpus-per-node=8 -t 0", &n), 2);
    CHECK_INT(faults_of("#SBATCH -G a100:16 -t 0", &n), 0);
    CHECK_INT(faults_of("#SBATCH -G v100:16 -t 0", &n), 1);
    CHECK_INT(faults_of("#SBATCH -G 16 -t 0 --mem=1G", &n), 1);
    CHECK_INT(faults_of("", &n), 2);
    CHECK_INT(faults_of("#SBATCH --gpus=16 -N 2 --gpus-per-node=a100:4 -t 0", &n), 1);
    CHECK_INT(faults_of("#SBATCH --gpus=16 --gpus-per-node=8 -t 0", &n), 0);
    CHECK_INT(faults_of("#SBATCH -N 2 --gpus-per-node=8 --ntasks=4 -t 0", &n), 1);
    CHECK_INT(faults_of("#SBATCH -N 2 --gpus-per-node=8 --ntasks-per-node=1 -t 0", &n), 0);
    CHECK_INT(faults_of("#SBATCH -N 2 --gpus-per-node=8 -n 4 --gpus-per-task=4 -t 0", &n), 0);
    CHECK_INT(faults_of("#SBATCH -N 2 --gpus-per-node=8 -n 4 --gpus-per-task=1 -t 0", &n), 1);
    ec_predictor_free(p);
}
