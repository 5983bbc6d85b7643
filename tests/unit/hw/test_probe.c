/* Probing recorded machines, this machine, and a driver library made for the test. */
#include "test.h"

#include "hw/probe_internal.h"

#include <stdlib.h>

static struct ec_machine *probe_recorded(const char *root)
{
    struct ec_err err = { 0 };
    struct ec_machine *m = ec_alloc(sizeof *m);

    CHECK(m != NULL);
    CHECK_OK(ec__probe_tree(root, m, &err));
    return m;
}

static void check_cache(const struct ec_machine *m, int i, int level, const char *type,
                        int64_t size_bytes, int count)
{
    CHECK(i < m->n_caches);
    CHECK_INT(m->caches[i].level, level);
    CHECK_STR(m->caches[i].type, type);
    CHECK_INT(m->caches[i].size_bytes, size_bytes);
    CHECK_INT(m->caches[i].count, count);
}

TEST(a_virtual_machine_is_read)
{
    struct ec_machine *m = probe_recorded("tests/recorded/vm-2core");

    CHECK_STR(m->cpu.model, "AMD EPYC");
    CHECK_INT(m->cpu.sockets, 1);
    CHECK_INT(m->cpu.cores, 2);
    CHECK_INT(m->cpu.threads, 2);
    CHECK(m->cpu.hypervisor);
    CHECK(m->cpu.isa & 1u << EC_ISA_avx512_bf16);
    CHECK(!(m->cpu.isa & 1u << EC_ISA_amx_bf16));
    CHECK_INT(m->cpu.base_hz.src, EC_SRC_NONE);
    CHECK_INT(m->n_caches, 4);
    check_cache(m, 0, 1, "data", 48 << 10, 2);
    check_cache(m, 3, 3, "unified", 32 << 20, 1);
    CHECK_INT(m->n_numa, 1);
    CHECK_INT(m->memory_bytes, 7694540ll << 10);
    CHECK_INT(m->memory_available_bytes, 6512340ll << 10);
    CHECK_INT(m->swap_bytes, 2097148ll << 10);
    CHECK_INT(m->swap_free_bytes, 1048576ll << 10);
    CHECK_STR(m->os, "Debian GNU/Linux 12 (bookworm)");
    CHECK_STR(m->kernel, "6.1.0-28-cloud-amd64");
    ec_machine_free(m);
}

TEST(a_two_socket_machine_is_read)
{
    struct ec_machine *m = probe_recorded("tests/recorded/xeon-2socket");

    CHECK_STR(m->cpu.model, "Intel(R) Xeon(R) Gold 6248 CPU @ 2.50GHz");
    CHECK_INT(m->cpu.sockets, 2);
    CHECK_INT(m->cpu.cores, 4);
    CHECK(!m->cpu.hypervisor);
    CHECK_NEAR(m->cpu.base_hz.value, 2.5e9, 1e-12);
    CHECK_NEAR(m->cpu.max_hz.value, 3.9e9, 1e-12);
    check_cache(m, 2, 2, "unified", 1 << 20, 4);
    check_cache(m, 3, 3, "unified", 28160 << 10, 2);
    CHECK_INT(m->n_numa, 2);
    CHECK_INT(m->numa_memory_bytes[1], 197519692ll << 10);
    CHECK_STR(m->os, "Ubuntu 22.04.3 LTS");
    ec_machine_free(m);
}

TEST(a_container_keeps_its_limits_and_unknowns)
{
    struct ec_machine *m = probe_recorded("tests/recorded/arm-container");
    struct ec_buf out = EC_BUF_INIT;
    struct ec_err err = { 0 };

    CHECK(m->cpu.model == NULL);
    CHECK_INT(m->cpu.sockets, 0);
    CHECK_INT(m->cpu.threads, 4);
    CHECK(m->cpu.isa & 1u << EC_ISA_sve);
    CHECK(m->cpu.isa & 1u << EC_ISA_arm_bf16);
    CHECK_INT(m->memory_limit_bytes, 4ll << 30);
    CHECK_NEAR(m->cpu_limit, 1.5, 1e-12);
    CHECK_INT(m->n_caches, 0);
    CHECK_OK(ec_machine_to_text(m, &out, &err));
    CHECK_HAS(ec_buf_text(&out), "CPU                -\n");
    CHECK_HAS(ec_buf_text(&out), "- sockets, - cores, 4 threads");
    CHECK_HAS(ec_buf_text(&out), "1.5 CPUs");
    ec_buf_clear(&out);
    ec_machine_free(m);
}

TEST(an_empty_tree_is_all_unknown)
{
    struct ec_machine *m = probe_recorded("tests/recorded/no-such-machine");
    struct ec_buf out = EC_BUF_INIT;
    struct ec_err err = { 0 };

    CHECK_INT(m->cpu.threads, 0);
    CHECK_INT(m->memory_bytes, 0);
    CHECK_OK(ec_machine_to_json(m, &out, &err));
    CHECK_HAS(ec_buf_text(&out), "\"total_bytes\": null");
    ec_buf_clear(&out);
    ec_machine_free(m);
}

TEST(text_out_of_range_stays_unknown)
{
    struct ec_machine *m = probe_recorded("tests/recorded/hostile");

    CHECK_INT(m->cpu.threads, 1);
    CHECK_INT(m->cpu.cores, 0);
    CHECK_INT(m->cpu.base_hz.src, EC_SRC_NONE);
    CHECK_INT(m->cpu.isa, 0);
    CHECK_INT(m->memory_bytes, 0);
    CHECK_INT(m->memory_available_bytes, 0);
    CHECK_INT(m->n_caches, 0);
    CHECK_INT(m->n_numa, 0);
    CHECK_NEAR(m->cpu_limit, 0, 0);
    CHECK_STR(m->os, "\"");
    ec_machine_free(m);
}

static const char *version_of(const struct ec_machine *m, const char *name)
{
    int i;

    for (i = 0; i < m->n_libs; i++)
        if (ec_str_eq(m->libs[i].name, name))
            return m->libs[i].version;
    return "-";
}

TEST(versions_are_read_from_files)
{
    static const struct {
        const char *root, *cuda, *cudnn, *torch;
    } trees[] = {
        {"tests/recorded/gpu-server",       "12.4.1", "8.9.2",    "2.3.1+cu121"},
        { "tests/recorded/pip-cuda",        "11.8",   "8.9.2.26", "1.13.1"     },
        { "tests/recorded/vm-2core",        "-",      "-",        "-"          },
        { "tests/recorded/hostile",         "-",      "-",        "-"          },
        { "tests/recorded/no-such-machine", "-",      "-",        "-"          },
    };
    int i;

    for (i = 0; i < EC_LEN(trees); i++) {
        struct ec_machine *m = ec_alloc(sizeof *m);
        struct ec_buf out = EC_BUF_INIT;
        struct ec_err err = { 0 };

        CHECK_OK(ec__probe_versions(trees[i].root, m, &err));
        CHECK_STR(version_of(m, "CUDA"), trees[i].cuda);
        CHECK_STR(version_of(m, "cuDNN"), trees[i].cudnn);
        CHECK_STR(version_of(m, "PyTorch"), trees[i].torch);
        CHECK_OK(ec_machine_to_json(m, &out, &err));
        if (!i)
            CHECK_HAS(ec_buf_text(&out), "\"PyTorch\": \"2.3.1+cu121\"");
        ec_buf_reset(&out);
        CHECK_OK(ec_machine_to_text(m, &out, &err));
        if (!i)
            CHECK_HAS(ec_buf_text(&out), "cuDNN              8.9.2\n");
        ec_buf_clear(&out);
        ec_machine_free(m);
    }
}

/* One that the loader finds, where no file says a version. */
TEST(libraries_say_their_versions)
{
    const char *fake[] = { "libno-such-library.so.1", getenv("EC_TEST_FAKE_NVML"), NULL };
    const char *none[] = { "libno-such-library.so.1", NULL }, *other[] = { "libc.so.6", NULL };
    struct ec_lib_versions v;

    ec__library_versions(none, other, &v);
    CHECK_INT(v.cuda, 0);
    CHECK_INT(v.cudnn, 0);
    ec__library_versions(fake, fake, &v);
    CHECK_INT(v.cuda, fake[1] ? 12040 : 0);
    CHECK_INT(v.cudnn, fake[1] ? 90100 : 0);
}

TEST(no_driver_is_no_gpu_and_success)
{
    struct ec_err err = { 0 };
    struct ec_machine *m = ec_alloc(sizeof *m);

    CHECK_OK(ec__probe_nvml("libno-such-driver.so.1", m, &err));
    CHECK_INT(m->n_gpus, 0);
    CHECK_STR(m->gpu_note, "no NVIDIA driver library");
    /* A library that is no driver: the C library has none of the symbols. */
    CHECK_OK(ec__probe_nvml("libc.so.6", m, &err));
    CHECK_INT(m->n_gpus, 0);
    CHECK_HAS(m->gpu_note, "lacks nvmlInit_v2");
    ec_machine_free(m);
}

TEST(gpus_are_read_and_matched)
{
    const char *fake = getenv("EC_TEST_FAKE_NVML");
    struct ec_err err = { 0 };
    struct ec_machine *m = ec_alloc(sizeof *m);
    const struct ec_gpu_info *g = &m->gpus[0];
    struct ec_buf out = EC_BUF_INIT;

    if (!fake) {
        (void)printf("skipped: EC_TEST_FAKE_NVML does not name the library\n");
        ec_machine_free(m);
        return;
    }
    CHECK_OK(ec__probe_nvml(fake, m, &err));
    CHECK_INT(m->n_gpus, 2);
    CHECK_STR(m->driver_version, "550.54.15");
    CHECK_STR(m->cuda_driver_version, "12.4");
    CHECK_STR(ec_device_key(m->gpus[0].device), "a100-sxm4-80gb");
    CHECK_INT(g->compute_capability, 80);
    CHECK_INT(g->fp32_lanes, 6912);
    CHECK_NEAR(g->max_sm_hz, 1410e6, 1e-12);
    CHECK_NEAR(g->power_limit_w, 400, 1e-12);
    CHECK_INT(g->pcie_gen, 1);
    CHECK_INT(g->pcie_gen_max, 4);
    CHECK_INT(g->pcie_width_max, 0);
    CHECK(m->gpus[1].device == NULL);
    CHECK_STR(m->gpus[1].name, "NVIDIA Z900");
    CHECK_INT(m->gpus[1].memory_bytes, 0);
    CHECK_OK(ec_machine_to_json(m, &out, &err));
    CHECK_HAS(ec_buf_text(&out), "\"device\": \"a100-sxm4-80gb\"");
    ec_buf_reset(&out);
    CHECK_OK(ec_machine_to_text(m, &out, &err));
    CHECK_HAS(ec_buf_text(&out), "NVIDIA A100-SXM4-80GB, 80.0 GiB");
    ec_buf_clear(&out);
    ec_machine_free(m);
}

TEST(memory_tells_variants_apart)
{
    const int64_t gib = 1ll << 30;

    CHECK_STR(ec__match_gpu("Tesla M40", 12 * gib)->key, "m40-12gb");
    CHECK_STR(ec__match_gpu("Tesla M40", 24 * gib)->key, "m40-24gb");
    CHECK_STR(ec__match_gpu("Tesla M40", 0)->key, "m40");
    CHECK_STR(ec__match_gpu("NVIDIA H100 80GB HBM3", 81559ll << 20)->key, "h100-sxm5-80gb");
    CHECK_STR(ec__match_gpu("NVIDIA H200", 143771ll << 20)->key, "h200-sxm-141gb");
    CHECK(ec__match_gpu("NVIDIA Z900", 80 * gib) == NULL);
}

TEST(this_machine_is_probed)
{
    struct ec_err err = { 0 };
    struct ec_machine *m = NULL;
    struct ec_buf out = EC_BUF_INIT;
    struct ec_arena a = { 0 };
    const struct ec_jval *root = NULL;

    CHECK_OK(ec_machine_probe(&m, &err));
    CHECK_OK(ec_machine_to_json(m, &out, &err));
    CHECK_OK(ec_json_parse(ec_buf_text(&out), out.len, &a, &root, &err));
    CHECK_STR(ec_json_get(root, "schema")->str, "epochcast.machine/1");
    CHECK(ec_json_get(ec_json_get(root, "cpu"), "threads")->i >= 1);
    CHECK(ec_json_get(ec_json_get(root, "memory"), "total_bytes")->i > 0);
    ec_buf_reset(&out);
    CHECK_OK(ec_machine_to_text(m, &out, &err));
    CHECK_HAS(ec_buf_text(&out), "built by");
    ec_arena_clear(&a);
    ec_buf_clear(&out);
    ec_machine_free(m);
}

static enum ec_status probe_tree(struct ec_err *err)
{
    struct ec_machine *m = ec_alloc(sizeof *m);
    enum ec_status st;

    if (!m)
        return ec_nomem(err);
    st = ec__probe_tree("tests/recorded/arm-container", m, err);
    if (!st)
        st = ec__probe_versions("tests/recorded/gpu-server", m, err);
    ec_machine_free(m);
    return st;
}

TEST(memory_running_out_is_reported)
{
    CHECK_TORTURE(probe_tree);
}
