/* The catalogue checks itself row by row; names, patterns and overrides. */
#include "test.h"

#include "hw/device_internal.h"

static const struct ec_device *find(const char *name)
{
    struct ec_err err = { 0 };
    const struct ec_device *d = NULL;

    CHECK_OK(ec_device_find(name, &d, &err));
    return d;
}

static const char *key_of(const char *name)
{
    const struct ec_device *d = find(name);

    return d ? d->key : "(none)";
}

/* None is lost; a new one needs no change here. */
TEST(catalogue_has_every_device)
{
    int n;

    (void)ec_devices(&n);
    CHECK(n >= 205);
}

static void check_row(const struct ec_device *d)
{
    const struct ec_device_qty_info *info;
    const struct ec_qty *q;
    int n, i;

    CHECK(d->key && d->name && d->arch && d->source);
    CHECK((unsigned)d->vendor < EC_VENDOR_COUNT && (unsigned)d->kind < EC_DEV_KIND_COUNT);
    CHECK((d->compute_capability != 0) == (d->vendor == EC_VENDOR_NVIDIA));
    CHECK(d->launch_year == 0 || (d->launch_year >= 2010 && d->launch_year <= 2030));
    info = ec_device_qty_info(&n);
    for (i = 0; i < n; i++) {
        q = ec_device_qty(d, &info[i]);
        if ((q->src == EC_SRC_NONE) != (q->value == 0) || q->value < 0)
            test_fail(__FILE__, __LINE__, "%s: %s is %g", d->key, info[i].name, q->value);
        CHECK((q->src == EC_SRC_NONE) == ec_str_eq(ec_device_qty_source(d, q), "-"));
    }
}

TEST(every_row_is_whole)
{
    const struct ec_device *const *all;
    int n, i;

    all = ec_devices(&n);
    for (i = 0; i < n; i++)
        check_row(all[i]);
}

/* Nothing is published for these, or the name leaves too much open. */
static bool may_lack_numbers(const struct ec_device *d)
{
    static const char *const keys[] = { "m40", "v100-sxm2", "rtx3080-laptop" };
    int i;

    for (i = 0; i < EC_LEN(keys); i++)
        if (ec_str_eq(d->key, keys[i]))
            return true;
    return false;
}

TEST(gpus_have_peak_bandwidth_and_memory)
{
    const struct ec_device *const *all;
    int n, i;

    all = ec_devices(&n);
    for (i = 0; i < n; i++) {
        const struct ec_device *d = all[i];

        if (d->kind != EC_DEV_GPU || may_lack_numbers(d))
            continue;
        if (!d->fp32_flop_per_s.src || !d->memory_bytes_per_s.src || !d->memory_bytes.src)
            test_fail(__FILE__, __LINE__, "%s lacks peak, bandwidth or memory", d->key);
    }
}

/* FP32 peak is 2 FLOP per lane and cycle at the boost clock. A row that differs by more than 6 %
 * says why, and a row that says why must differ. */
TEST(fp32_peak_follows_from_lanes_and_clock)
{
    const struct ec_device *const *all;
    int n, i, n_checked = 0;

    all = ec_devices(&n);
    for (i = 0; i < n; i++) {
        const struct ec_device *d = all[i];
        double hz = d->boost_hz.src ? d->boost_hz.value : d->base_hz.value, ratio;

        if (d->kind != EC_DEV_GPU || !d->fp32_flop_per_s.src || hz <= 0 || !d->fp32_lanes.src)
            continue;
        ratio = d->fp32_flop_per_s.value / (2 * d->fp32_lanes.value * hz);
        n_checked++;
        if ((fabs(ratio - 1) > 0.06) != (d->peak_reason != NULL))
            test_fail(__FILE__, __LINE__, "%s: FP32 peak is %.3f of 2 x lanes x clock (%s)", d->key,
                      ratio, d->peak_reason ? d->peak_reason : "no reason given");
    }
    CHECK(n_checked > 110);
}

/* Lanes per multiprocessor are a property of the generation. */
TEST(lanes_divide_into_multiprocessors)
{
    const struct ec_device *const *all;
    int n, i;

    all = ec_devices(&n);
    for (i = 0; i < n; i++) {
        const struct ec_device *d = all[i];
        double lanes;

        if (d->kind != EC_DEV_GPU || !d->sm_count.src)
            continue;
        lanes = d->fp32_lanes.value / d->sm_count.value;
        if (lanes != 64 && lanes != 128 && lanes != 192)
            test_fail(__FILE__, __LINE__, "%s has %g lanes per multiprocessor", d->key, lanes);
    }
}

/* Tensor peaks are dense with FP32 accumulation: fixed multiples of FP32 within each generation. */
TEST(tensor_peaks_keep_their_ratios)
{
    const struct ec_device *const *all;
    int n, i;

    all = ec_devices(&n);
    for (i = 0; i < n; i++) {
        const struct ec_device *d = all[i];
        double f16 = d->fp16_tensor_flop_per_s.value;

        if (d->vendor != EC_VENDOR_NVIDIA || f16 <= 0)
            continue;
        CHECK(f16 >= 1.9 * d->fp32_flop_per_s.value);
        if (d->bf16_tensor_flop_per_s.src)
            CHECK_NEAR(d->bf16_tensor_flop_per_s.value, f16, 1e-9);
        CHECK(d->compute_capability < 80 || d->tf32_tensor_flop_per_s.src);
        if (d->tf32_tensor_flop_per_s.src)
            CHECK_NEAR(d->tf32_tensor_flop_per_s.value, f16 / 2, 0.03);
        if (d->fp8_tensor_flop_per_s.src)
            CHECK_NEAR(d->fp8_tensor_flop_per_s.value, f16 * 2, 0.02);
        CHECK((d->compute_capability >= 100) == (d->fp4_tensor_flop_per_s.src != EC_SRC_NONE));
    }
}

static void check_sustained(const struct ec_device *d, const struct ec_qty *q, double peak)
{
    if (!q->src)
        return;
    CHECK(q->src == EC_SRC_MEASURED && q->ref);
    if (q->value < 0.4 * peak || q->value > peak)
        test_fail(__FILE__, __LINE__, "%s sustains %g of a peak of %g", d->key, q->value, peak);
}

/* A product was never measured to be faster than the data sheet's rate. */
TEST(what_a_board_sustains_lies_below_its_peak)
{
    const struct ec_device *const *all;
    int n, i, n_bf16 = 0, n_fp8 = 0;

    all = ec_devices(&n);
    for (i = 0; i < n; i++) {
        const struct ec_device *d = all[i];

        check_sustained(d, &d->bf16_sustained_flop_per_s, d->bf16_tensor_flop_per_s.value);
        check_sustained(d, &d->fp8_sustained_flop_per_s, d->fp8_tensor_flop_per_s.value);
        n_bf16 += d->bf16_sustained_flop_per_s.src != EC_SRC_NONE;
        n_fp8 += d->fp8_sustained_flop_per_s.src != EC_SRC_NONE;
    }
    CHECK(n_bf16 >= 10 && n_fp8 >= 4);
}

/* A machine is a reference design: it names whole devices, and a network only with them. */
TEST(machines_hold_whole_devices)
{
    const struct ec_device *const *all;
    int n, i, n_machines = 0;

    all = ec_devices(&n);
    for (i = 0; i < n; i++) {
        const struct ec_qty *m = &all[i]->machine_devices, *net = &all[i]->network_bytes_per_s;

        n_machines += m->src != EC_SRC_NONE;
        if (m->value != floor(m->value) || m->value > 72)
            test_fail(__FILE__, __LINE__, "%s: %g devices per machine", all[i]->key, m->value);
        if (net->src && (!m->src || !net->ref))
            test_fail(__FILE__, __LINE__, "%s: a network of no machine", all[i]->key);
    }
    CHECK(n_machines >= 30);
}

TEST(machines_and_networks_of_reference_designs)
{
    static const struct {
        const char *key;
        double n_devices, network_gb_per_s;
    } cases[] = {
        {"v100-sxm2-32gb",  8,  12.5}, /* 4 x 100 Gb/s of 8 devices */
        { "a100-sxm4-80gb", 8,  50  }, /* 200 Gb/s each */
        { "h100",           8,  100 }, /* 400 Gb/s each */
        { "h200",           8,  100 },
        { "b200",           8,  100 },
        { "b300",           8,  200 },
        { "gb300",          72, 200 },
        { "tpu-v4",         4,  600 }, /* of the slice: its own links */
    };
    int i;

    for (i = 0; i < EC_LEN(cases); i++) {
        const struct ec_device *d = find(cases[i].key);

        CHECK_NEAR(d->machine_devices.value, cases[i].n_devices, 0);
        CHECK_NEAR(d->network_bytes_per_s.value / 1e9, cases[i].network_gb_per_s, 1e-9);
    }
}

/* Totals that PyTorch printed, in GiB; of a board with several drivers, one of them. */
TEST(programs_get_what_pytorch_prints)
{
    static const struct {
        const char *key;
        double gib;
    } cases[] = {
        {"k80-12gb",        11.17},
        { "p40",            22.38},
        { "gtx1080ti",      10.92},
        { "v100-sxm2-16gb", 15.77},
        { "v100-sxm2-32gb", 31.74},
        { "t4",             14.75},
        { "rtx2080ti",      10.76},
        { "rtx2070",        7.79 },
        { "a100-sxm4-40gb", 39.39},
        { "a100-sxm4-80gb", 79.14},
        { "a30",            23.53},
        { "a10g",           22.19},
        { "a40",            44.42},
        { "rtx-a6000",      47.54},
        { "rtx3090",        23.69},
        { "rtx3080",        9.78 },
        { "rtx4090",        23.64},
        { "l4",             22.03},
        { "l40s",           44.39},
        { "rtx5090",        31.37},
        { "h100-sxm5-80gb", 79.10},
        { "h200-sxm-141gb", 139.8},
    };
    const struct ec_device *given = NULL;
    struct ec_arena a = { 0 };
    struct ec_err err;
    int i;

    for (i = 0; i < EC_LEN(cases); i++)
        CHECK_NEAR(ec_device_usable_bytes(find(cases[i].key)) / 0x1p30 / cases[i].gib, 1, 0.011);
    CHECK_NEAR(ec_device_usable_bytes(find("mi300x")), 192 * 0x1p30, 0);
    CHECK_NEAR(ec_device_usable_bytes(find("m40")), 0, 0);
    CHECK_OK(ec_device_override(find("t4"), "memory_bytes=1e9", EC_SRC_USER, &a, &given, &err));
    CHECK_NEAR(ec_device_usable_bytes(given), 1e9, 0);
    ec_arena_clear(&a);
}

/* A trait is of GPUs: every one of them has it, no other device does. */
static void check_traits(const struct ec_device *d)
{
    const struct ec_device_trait_info *info;
    int n, i, n_words;

    info = ec_device_trait_info(&n);
    for (i = 0; i < n; i++) {
        const struct ec_trait *t = ec_device_trait(d, &info[i]);

        for (n_words = 0; info[i].words[n_words]; n_words++)
            continue;
        if ((t->src != EC_SRC_NONE) != (d->kind == EC_DEV_GPU))
            test_fail(__FILE__, __LINE__, "%s: %s has the source %s", d->key, info[i].name,
                      ec_src_name(t->src));
        CHECK(t->value >= 0 && t->value < n_words);
        CHECK((t->src == EC_SRC_NONE) == ec_str_eq(ec_device_trait_source(d, t), "-"));
    }
}

TEST(every_gpu_has_every_trait)
{
    const struct ec_device *const *all;
    int n, i;

    all = ec_devices(&n);
    for (i = 0; i < n; i++)
        check_traits(all[i]);
}

TEST(gpus_of_one_generation_share_their_traits)
{
    const struct ec_device *const *all;
    int n, i, j;

    all = ec_devices(&n);
    for (i = 0; i < n; i++)
        for (j = 0; j < i; j++) {
            const struct ec_device *a = all[i], *b = all[j];

            if (a->vendor != b->vendor || a->compute_capability != b->compute_capability ||
                !ec_str_eq(a->arch, b->arch))
                continue;
            CHECK_INT(a->fp32_lane_kind.value, b->fp32_lane_kind.value);
            CHECK_INT(a->memory_path.value, b->memory_path.value);
        }
}

/* What the numbers of a row say beside its traits. */
TEST(traits_agree_with_the_numbers)
{
    const struct ec_device *const *all;
    int n, i, n_starved = 0, n_paired = 0;

    all = ec_devices(&n);
    for (i = 0; i < n; i++) {
        const struct ec_device *d = all[i];
        double lanes = d->sm_count.src ? d->fp32_lanes.value / d->sm_count.value : 0;
        double per_lane = d->fp32_flop_per_s.value / (d->fp32_lanes.value * d->boost_hz.value);

        if (d->kind != EC_DEV_GPU)
            continue;
        n_starved += d->fp32_lane_kind.value == EC_LANES_STARVED;
        n_paired += d->fp32_lane_kind.value == EC_LANES_PAIRED;
        if (lanes > 0)
            CHECK((lanes == 192) == (d->fp32_lane_kind.value == EC_LANES_STARVED));
        if (lanes > 0 && (d->fp32_lane_kind.value == EC_LANES_HALF_INTEGER ||
                          d->fp32_lane_kind.value == EC_LANES_HALF_IDLE))
            CHECK(lanes == 128);
        if (isfinite(per_lane) && per_lane > 0)
            CHECK((per_lane > 3) == (d->fp32_lane_kind.value == EC_LANES_PAIRED));
        if (d->fp16_tensor_flop_per_s.src)
            CHECK(d->matrix_issue.value != EC_MATRIX_NONE);
        if (d->fp32_matrix_flop_per_s.src)
            CHECK(d->fp32_matrix_flop_per_s.value >= d->fp32_flop_per_s.value);
    }
    CHECK_INT(n_starved, 3);
    CHECK_INT(n_paired, 12);
}

TEST(clocks_of_desktop_boards_for_games_are_free)
{
    static const struct {
        const char *key;
        enum ec_clock clock;
    } cases[] = {
        {"rtx3090",         EC_CLOCK_FREE     },
        { "rtx2080ti",      EC_CLOCK_FREE     },
        { "rtx3080-laptop", EC_CLOCK_SPECIFIED},
        { "rtx2080-maxq",   EC_CLOCK_SPECIFIED},
        { "titan-rtx",      EC_CLOCK_SPECIFIED},
        { "a100",           EC_CLOCK_SPECIFIED},
        { "rx7900xtx",      EC_CLOCK_SPECIFIED},
    };
    const struct ec_device *const *all;
    int n, i, n_free = 0;

    for (i = 0; i < EC_LEN(cases); i++)
        CHECK_INT(find(cases[i].key)->clock_kind.value, cases[i].clock);
    all = ec_devices(&n);
    for (i = 0; i < n; i++) {
        const struct ec_device *d = all[i];
        bool is_free = d->clock_kind.value == EC_CLOCK_FREE;

        n_free += is_free;
        CHECK(!is_free || (d->vendor == EC_VENDOR_NVIDIA && !ec_str_eq(d->form_factor, "laptop")));
    }
    CHECK_INT(n_free, 51);
}

TEST(every_key_and_name_finds_its_row)
{
    const struct ec_device *const *all;
    int n, i, j;

    all = ec_devices(&n);
    for (i = 0; i < n; i++) {
        CHECK_STR(key_of(all[i]->key), all[i]->key);
        for (j = 0; j < i; j++)
            CHECK(!ec_str_eq(all[i]->key, all[j]->key));
    }
}

static void check_aliases(const struct ec_device *d)
{
    char folded[EC_DEVICE_NAME_MAX];
    const char *const *alias;

    for (alias = d->aliases; alias && *alias; alias++) {
        CHECK(ec_device_fold(*alias, folded, sizeof folded) > 0);
        CHECK_STR(*alias, folded);
        CHECK_STR(key_of(*alias), d->key);
    }
    CHECK(ec_device_fold(d->key, folded, sizeof folded) > 0);
}

TEST(aliases_are_folded_and_unambiguous)
{
    const struct ec_device *const *all;
    int n, i;

    all = ec_devices(&n);
    for (i = 0; i < n; i++)
        check_aliases(all[i]);
}

TEST(names_of_people_drivers_and_data_sets_find_devices)
{
    static const char *const cases[][2] = {
        {"a100",                                          "a100-sxm4-40gb"             },
        { "H100",                                         "h100-sxm5-80gb"             },
        { "h200",                                         "h200-sxm-141gb"             },
        { "v100",                                         "v100"                       },
        { "titan-v",                                      "titan-v"                    },
        { "NVIDIA TITAN V",                               "titan-v"                    },
        { "rtx2080ti",                                    "rtx2080ti"                  },
        { "2080ti",                                       "rtx2080ti"                  },
        { "3090",                                         "rtx3090"                    },
        { "NVIDIA GeForce RTX 3090",                      "rtx3090"                    },
        { "NVIDIA GeForce RTX 3090 Ti",                   "rtx3090ti"                  },
        { "GeForce GTX 1080 Ti",                          "gtx1080ti"                  },
        { "Tesla T4",                                     "t4"                         },
        { "tesla-v100-sxm2-16gb",                         "v100-sxm2-16gb"             },
        { "Tesla V100-SXM2-32GB",                         "v100-sxm2-32gb"             },
        { "Tesla P100-PCIE-16GB",                         "p100-pcie-16gb"             },
        { "Tesla K80",                                    "k80-12gb"                   },
        { "Tesla K40m",                                   "k40-12gb"                   },
        { "NVIDIA A100-SXM4-80GB",                        "a100-sxm4-80gb"             },
        { "NVIDIA A100 80GB PCIe",                        "a100-pcie-80gb"             },
        { "NVIDIA H100 80GB HBM3",                        "h100-sxm5-80gb"             },
        { "NVIDIA H100 PCIe",                             "h100-pcie-80gb"             },
        { "NVIDIA H200",                                  "h200-sxm-141gb"             },
        { "NVIDIA GH200 480GB",                           "gh200-96gb"                 },
        { "NVIDIA RTX 6000 Ada Generation",               "rtx6000-ada"                },
        { "Quadro RTX 6000",                              "quadro-rtx6000"             },
        { "NVIDIA RTX A6000",                             "rtx-a6000"                  },
        { "AMD Instinct MI300X",                          "mi300x"                     },
        { "TITAN X (Pascal)",                             "titan-x-pascal"             },
        { "GeForce GTX TITAN X",                          "titan-x-maxwell"            },
        { "NVIDIA GeForce RTX 4090 Laptop GPU",           "rtx4090-laptop"             },
        { "NVIDIA B300 SXM6 AC",                          "b300"                       },
        { "NVIDIA GB200",                                 "gb200"                      },
        { "NVIDIA GB300",                                 "gb300"                      },
        { "NVIDIA H20",                                   "h20"                        },
        { "NVIDIA H800",                                  "h800"                       },
        { "NVIDIA L20",                                   "l20"                        },
        { "NVIDIA GeForce RTX 5060 Ti",                   "rtx5060ti-16gb"             },
        { "NVIDIA GeForce RTX 5090 Laptop GPU",           "rtx5090-laptop"             },
        { "NVIDIA RTX PRO 6000 Blackwell Server Edition", "rtxpro6000-blackwell-server"},
        { "AMD Instinct MI355X",                          "mi355x"                     },
        { "TPU7x",                                        "tpu-v7x"                    },
        { "C5.18xlarge",                                  "cpu-xeon-8124m-c5.18xlarge" },
    };
    int i;

    for (i = 0; i < EC_LEN(cases); i++)
        CHECK_STR(key_of(cases[i][0]), cases[i][1]);
}

TEST(a_device_is_found_in_the_name_of_a_file)
{
    static const struct {
        const char *text, *key;
    } cases[] = {
        {"runs_rtx-3090_b64.csv",       "rtx3090"       },
        { "configs_cifar_cnn_a100.csv", "a100-sxm4-40gb"},
        { "A100-80GB fp32.csv",         "a100-sxm4-80gb"}, /* the longest of its names */
        { "nvidia_a100-pcie-40gb.csv",  "a100-pcie-40gb"},
        { "Tesla V100-SXM2-16GB",       "v100-sxm2-16gb"},
        { "resnet50.csv",               NULL            },
        { "this.csv",                   NULL            },
        { "nvidia.csv",                 NULL            },
        { "",                           NULL            },
    };
    int i;

    for (i = 0; i < EC_LEN(cases); i++) {
        const char *key = ec_device_in_text(cases[i].text, false);

        CHECK_STR(key ? key : "none", cases[i].key ? cases[i].key : "none");
    }
    CHECK_STR(ec_device_in_text("NVIDIA GeForce RTX 3090", true), "rtx3090");
    CHECK(ec_device_in_text("a box with an RTX 3090", true) == NULL);
    CHECK(ec_device_in_text("rtx_3070_super.csv", false) == NULL); /* another product */
}

TEST(unknown_names_get_a_hint)
{
    struct ec_err err = { 0 };
    const struct ec_device *d = NULL;

    CHECK_FAILS(ec_device_find("a1000-sxm", &d, &err), EC_E_NOT_FOUND, "\"a100-sxm4-40gb\"");
    CHECK_FAILS(ec_device_find("rtx3091", &d, &err), EC_E_NOT_FOUND, "\"rtx3090\"");
    CHECK_FAILS(ec_device_find("quantum-annealer-9000", &d, &err), EC_E_NOT_FOUND, "device list");
    CHECK_FAILS(ec_device_find("", &d, &err), EC_E_NOT_FOUND, "no device \"\"");
    CHECK_FAILS(ec_device_find("nvidia", &d, &err), EC_E_NOT_FOUND, "nvidia");
    CHECK_FAILS(ec_device_find("xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
                               "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
                               &d, &err),
                EC_E_NOT_FOUND, "xxx");
    CHECK(d == NULL);
}

TEST(patterns_select_rows)
{
    struct ec_err err = { 0 };
    struct ec_arena a = { 0 };
    const struct ec_device **list = NULL;
    int n = 0, n_all;

    (void)ec_devices(&n_all);
    CHECK_OK(ec_devices_match("all", &list, &n, &a, &err));
    CHECK_INT(n, n_all);
    CHECK_OK(ec_devices_match("a100-*", &list, &n, &a, &err));
    CHECK_INT(n, 4);
    CHECK_OK(ec_devices_match("RTX30*", &list, &n, &a, &err));
    CHECK_INT(n, 17);
    CHECK_OK(ec_devices_match("tpu-v?", &list, &n, &a, &err));
    CHECK_INT(n, 3);
    CHECK_OK(ec_devices_match("Tesla T4", &list, &n, &a, &err));
    CHECK_INT(n, 1);
    CHECK_STR(list[0]->key, "t4");
    CHECK_OK(ec_devices_named(
        &(struct ec_strs){
            .n = 2, .v = (const char *[]){"t4, a100-*", "Tesla T4"}
    },
        &list, &n, &a, &err));
    CHECK_INT(n, 5);
    CHECK_STR(list[0]->key, "t4");
    CHECK_FAILS(ec_devices_named(&(struct ec_strs){ .n = 1, .v = (const char *[]){ "t4,zz" } },
                                 &list, &n, &a, &err),
                EC_E_NOT_FOUND, "zz");
    CHECK_FAILS(ec_devices_match("zz*", &list, &n, &a, &err), EC_E_NOT_FOUND, "zz*");
    CHECK_FAILS(ec_devices_match("rtx309", &list, &n, &a, &err), EC_E_NOT_FOUND, "\"rtx3090\"");
    ec_arena_clear(&a);
}

TEST(threads_of_a_cpu_have_their_share)
{
    const struct ec_device *base = find("cpu-epyc-2vcpu"), *d = NULL;
    struct ec_arena a = { 0 };
    struct ec_err err = { 0 };

    CHECK_OK(ec_device_of_threads(base, 1, &a, &d, &err));
    CHECK_NEAR(d->fp32_flop_per_s.value, base->fp32_flop_per_s.value / 2, 0);
    CHECK_NEAR(d->memory_bytes_per_s.value, 25e9, 0);
    CHECK_NEAR(base->memory_bytes_per_s.value, 25.8e9, 0);
    CHECK_OK(ec_device_of_threads(base, 2, &a, &d, &err));
    CHECK(d == base);
    CHECK_FAILS(ec_device_of_threads(find("t4"), 2, &a, &d, &err), EC_E_UNSUPPORTED,
                "t4: --threads is for CPUs");
    ec_arena_clear(&a);
}

TEST(override_changes_a_copy)
{
    struct ec_err err = { 0 };
    struct ec_arena a = { 0 };
    const struct ec_device *base = find("a100"), *d = NULL;

    CHECK_OK(ec_device_override(base, "memory_bytes_per_s=1.2e12, tdp_w = 250", EC_SRC_USER, &a, &d,
                                &err));
    CHECK_NEAR(d->memory_bytes_per_s.value, 1.2e12, 1e-12);
    CHECK_INT(d->memory_bytes_per_s.src, EC_SRC_USER);
    CHECK_STR(ec_device_qty_source(d, &d->memory_bytes_per_s), "user");
    CHECK_NEAR(d->tdp_w.value, 250, 0);
    CHECK_INT(d->boost_hz.src, EC_SRC_DATASHEET);
    CHECK_NEAR(base->memory_bytes_per_s.value, 1555e9, 0);
    CHECK_OK(ec_device_override(base, "", EC_SRC_USER, &a, &d, &err));
    CHECK_NEAR(d->tdp_w.value, 400, 0);
    CHECK_FAILS(ec_device_override(base, "memory_byte=1", EC_SRC_USER, &a, &d, &err), EC_E_INPUT,
                "did you mean \"memory_bytes\"");
    CHECK_FAILS(ec_device_override(base, "tdp_w", EC_SRC_USER, &a, &d, &err), EC_E_INPUT,
                "name=value");
    CHECK_FAILS(ec_device_override(base, "tdp_w=", EC_SRC_USER, &a, &d, &err), EC_E_INPUT,
                "tdp_w: found \"\"");
    CHECK_FAILS(ec_device_override(base, "boost_hz=-1", EC_SRC_USER, &a, &d, &err), EC_E_INPUT,
                "in Hz");
    CHECK_FAILS(ec_device_override(base, "boost_hz=nan", EC_SRC_USER, &a, &d, &err), EC_E_INPUT,
                "above 0");
    CHECK_OK(ec_device_override(base, "clock_kind = free, tdp_w=300", EC_SRC_USER, &a, &d, &err));
    CHECK_INT(d->clock_kind.value, EC_CLOCK_FREE);
    CHECK_INT(d->clock_kind.src, EC_SRC_USER);
    CHECK_INT(base->clock_kind.value, EC_CLOCK_SPECIFIED);
    CHECK_FAILS(ec_device_override(base, "clock_kind=1", EC_SRC_USER, &a, &d, &err), EC_E_INPUT,
                "clock_kind: found \"1\", expected one of specified, free");
    CHECK_FAILS(ec_device_override(base, "clock_kid=free", EC_SRC_USER, &a, &d, &err), EC_E_INPUT,
                "did you mean \"clock_kind\"");
    ec_arena_clear(&a);
}

TEST(numbers_know_their_source)
{
    const struct ec_device *a100 = find("a100"), *k80 = find("k80");
    const struct ec_device *laptop = find("rtx3080-laptop");

    CHECK_HAS(ec_device_qty_source(a100, &a100->boost_hz), "A100");
    CHECK_HAS(ec_device_qty_source(k80, &k80->memory_bytes), "half of the two-die board");
    CHECK_STR(ec_device_qty_source(laptop, &laptop->memory_bytes), "-");
    CHECK_NEAR(a100->memory_bytes.value, 40.0 * 1073741824.0, 0);
    CHECK_INT(a100->compute_capability, 80);
}

static enum ec_status match_and_override(struct ec_err *err)
{
    struct ec_arena a = { 0 };
    const struct ec_device **list = NULL, *d = NULL;
    enum ec_status st = EC_OK;
    int n = 0;

    EC_TRY(ec_devices_match("h100*", &list, &n, &a, err));
    EC_TRY(ec_device_override(list[0], "tdp_w=500", EC_SRC_USER, &a, &d, err));
out:
    ec_arena_clear(&a);
    return st;
}

TEST(numbers_by_name)
{
    const struct ec_device *d = NULL;
    struct ec_err err = { 0 };
    struct ec_qty q = { 0 };

    CHECK_OK(ec_device_find("a100-sxm4-40gb", &d, &err));
    CHECK_OK(ec_device_number(d, "tdp_w", &q, &err));
    CHECK_NEAR(q.value, 400, 0);
    CHECK(q.src == EC_SRC_DATASHEET);
    CHECK(ec_device_number(d, "colour", &q, &err) != EC_OK);
    CHECK_HAS(err.text, "colour");
}

TEST(memory_running_out_is_reported)
{
    CHECK_TORTURE(match_and_override);
}
