/* The device catalogue and the probe of this machine. */
#ifndef EC_HW_H
#define EC_HW_H

#include "base/base.h"
#include "epochcast/hw.h"

/* Quantities of a device: X(member, unit of the member, label, scale for printing, printed unit).
 * Members carry their unit in the name; the list makes the struct, the JSON keys and the tables. */
#define EC_DEVICE_QTY_LIST(X)                                                                      \
    X(sm_count, "", "multiprocessors / units", 1, "")                                              \
    X(fp32_lanes, "", "FP32 lanes", 1, "")                                                         \
    X(base_hz, "Hz", "base clock", 1e-6, "MHz")                                                    \
    X(boost_hz, "Hz", "boost clock", 1e-6, "MHz")                                                  \
    X(fp32_flop_per_s, "FLOP/s", "FP32", 1e-12, "TFLOP/s")                                         \
    X(fp32_matrix_flop_per_s, "FLOP/s", "FP32 matrix", 1e-12, "TFLOP/s")                           \
    X(fp16_vector_flop_per_s, "FLOP/s", "FP16 vector", 1e-12, "TFLOP/s")                           \
    X(tf32_tensor_flop_per_s, "FLOP/s", "TF32 tensor", 1e-12, "TFLOP/s")                           \
    X(fp16_tensor_flop_per_s, "FLOP/s", "FP16 tensor, FP32 accumulate", 1e-12, "TFLOP/s")          \
    X(bf16_tensor_flop_per_s, "FLOP/s", "BF16 tensor", 1e-12, "TFLOP/s")                           \
    X(fp8_tensor_flop_per_s, "FLOP/s", "FP8 tensor", 1e-12, "TFLOP/s")                             \
    X(fp4_tensor_flop_per_s, "FLOP/s", "FP4 tensor", 1e-12, "TFLOP/s")                             \
    X(bf16_sustained_flop_per_s, "FLOP/s", "BF16 product, highest measured", 1e-12, "TFLOP/s")     \
    X(fp8_sustained_flop_per_s, "FLOP/s", "FP8 product, highest measured", 1e-12, "TFLOP/s")       \
    X(matrix_sustained_frac, "", "share of the matrix peak that the generation sustains", 1, "")   \
    X(memory_bytes, "B", "memory", 1.0 / 1073741824.0, "GiB")                                      \
    X(memory_bytes_per_s, "B/s", "memory bandwidth", 1e-9, "GB/s")                                 \
    X(l2_bytes, "B", "last-level cache on chip", 1.0 / 1048576.0, "MiB")                           \
    X(tdp_w, "W", "board power limit", 1, "W")                                                     \
    X(link_bytes_per_s, "B/s", "device link, both directions", 1e-9, "GB/s")                       \
    X(machine_devices, "", "devices per machine", 1, "")                                           \
    X(network_bytes_per_s, "B/s", "network per device, both directions", 1e-9, "GB/s")

/* Traits of a GPU that are words, not numbers: X(member, label, list of its words). Like the list
 * of quantities this one makes the struct, the JSON keys and the tables. Other devices have none.
 * */
#define EC_DEVICE_TRAIT_LIST(X)                                                                    \
    X(fp32_lane_kind, "FP32 lanes are", EC_LANES_LIST)                                             \
    X(matrix_issue, "matrix units issued to by", EC_MATRIX_ISSUE_LIST)                             \
    X(memory_path, "path to memory", EC_MEMORY_PATH_LIST)                                          \
    X(clock_kind, "clocks", EC_CLOCK_LIST)

/* Words of the traits: X(NAME, word). A trait that is not known has the first one's value. */
#define EC_LANES_LIST(X)                                                                           \
    X(LANES_PLAIN, "plain")                                                                        \
    X(LANES_STARVED, "starved")               /* more than the schedulers can feed */              \
    X(LANES_BESIDE_INTEGER, "beside-integer") /* lanes of integers share their issue slots */      \
    X(LANES_HALF_INTEGER, "half-integer")     /* half of them take integers instead */             \
    X(LANES_HALF_IDLE, "half-idle")           /* half of them work in products alone */            \
    X(LANES_PAIRED, "paired")                 /* the peak counts two operations at once */
/* What issues to the matrix units. */
#define EC_MATRIX_ISSUE_LIST(X)                                                                    \
    X(MATRIX_NONE, "none")                                                                         \
    X(MATRIX_WARP, "warp")             /* one warp, which fetches the operands itself */           \
    X(MATRIX_WARP_ASYNC, "warp-async") /* one warp, while the next operands are copied */          \
    X(MATRIX_WARP_GROUP, "warp-group") /* several warps together */
#define EC_MEMORY_PATH_LIST(X)                                                                     \
    X(PATH_PLAIN, "plain")                                                                         \
    X(PATH_FEW_PAGES, "few-pages") /* finds few pages without asking for them */                   \
    X(PATH_UNCACHED, "uncached")   /* and keeps nothing in the first cache */
#define EC_CLOCK_LIST(X)                                                                           \
    X(CLOCK_SPECIFIED, "specified")                                                                \
    X(CLOCK_FREE, "free") /* rises beyond what is specified, as far as power and heat allow */

#define EC_TRAIT_ENUM(name, word) EC_##name,
enum ec_lanes { EC_LANES_LIST(EC_TRAIT_ENUM) EC_LANES_COUNT };
enum ec_matrix_issue { EC_MATRIX_ISSUE_LIST(EC_TRAIT_ENUM) EC_MATRIX_ISSUE_COUNT };
enum ec_memory_path { EC_MEMORY_PATH_LIST(EC_TRAIT_ENUM) EC_MEMORY_PATH_COUNT };
enum ec_clock { EC_CLOCK_LIST(EC_TRAIT_ENUM) EC_CLOCK_COUNT };
#undef EC_TRAIT_ENUM

struct ec_trait {
    int value; /* of the trait's own enumeration */
    enum ec_src src;
    const char *ref; /* document or rule; NULL: the source of the device */
};

enum ec_vendor {
    EC_VENDOR_NVIDIA,
    EC_VENDOR_AMD,
    EC_VENDOR_INTEL,
    EC_VENDOR_GOOGLE,
    EC_VENDOR_AWS,
    EC_VENDOR_GRAPHCORE,
    EC_VENDOR_HUAWEI,
    EC_VENDOR_OTHER,
    EC_VENDOR_COUNT
};
enum ec_device_kind { EC_DEV_GPU, EC_DEV_CPU, EC_DEV_ACCELERATOR, EC_DEV_KIND_COUNT };

struct ec_device {
    const char *key, *name;
    const char *const *aliases; /* folded (see ec_device_fold), NULL-terminated; NULL: none */
    enum ec_vendor vendor;
    enum ec_device_kind kind;
    const char *arch;       /* "ampere" */
    int compute_capability; /* 10 * major + minor; 0 when it has none */
    int process_nm;         /* nominal manufacturing node; 0 unknown */
    int launch_year;
    const char *memory_type, *host_link, *link, *form_factor;
    bool ecc_inside;         /* ECC is on by default; its bits take a sixteenth of the memory */
    const char *source;      /* document of the numbers that name none of their own */
    const char *note;        /* NULL: none */
    const char *peak_reason; /* why FP32 is not 2 x lanes x boost clock; NULL: it is, within 6 % */
    /* Of a device that was read from a file: key of the row whose measurements hold for it, "" for
     * none; and what answers say of it. NULL: a row of the catalogue. */
    const char *measured_as, *file_note;
#define EC_DEVICE_MEMBER(member, unit, label, scale, printed) struct ec_qty member;
    EC_DEVICE_QTY_LIST(EC_DEVICE_MEMBER)
#undef EC_DEVICE_MEMBER
#define EC_DEVICE_TRAIT(member, label, list) struct ec_trait member;
    EC_DEVICE_TRAIT_LIST(EC_DEVICE_TRAIT)
#undef EC_DEVICE_TRAIT
};

/* Key by which measurements of a device are found: its own, or of a device from a file the key of
 * the row that it is; "" where it is none. */
const char *ec_device_measured_as(const struct ec_device *d);
/* Whether a word names a file: "mygpu.json", "GPUs.csv", "GPUs.csv:L4". Such a word is found by the
 * functions below once ec_device_read has read it. */
bool ec_device_is_file(const char *word);
bool ec_device_in_file(const char *word); /* whether ec_device_read would find one; reads it anew */
const char *ec_vendor_name(enum ec_vendor v);
const char *ec_device_kind_name(enum ec_device_kind k);
const char *ec_src_name(enum ec_src s);
/* Document or rule behind one number of `d`; "-" when the number is unknown. */
const char *ec_device_qty_source(const struct ec_device *d, const struct ec_qty *q);
/* Bytes of memory that programs get, less than memory_bytes on NVIDIA GPUs: PyTorch's "total
 * capacity". 0: unknown. Memory that the user gave or that was probed is taken as it is. */
double ec_device_usable_bytes(const struct ec_device *d);
/* Describes every quantity, for tables and JSON: name, label, scale, unit and where it is. */
struct ec_device_qty_info {
    const char *name, *unit, *label, *printed_unit;
    double scale;
    size_t offset;
};
const struct ec_device_qty_info *ec_device_qty_info(int *ret_count);
const struct ec_qty *ec_device_qty(const struct ec_device *d, const struct ec_device_qty_info *i);
/* The same of traits. */
struct ec_device_trait_info {
    const char *name, *label;
    const char *const *words; /* by value; NULL-terminated */
    size_t offset;
};
const struct ec_device_trait_info *ec_device_trait_info(int *ret_count);
const struct ec_trait *ec_device_trait(const struct ec_device *d,
                                       const struct ec_device_trait_info *i);
const char *ec_device_trait_source(const struct ec_device *d, const struct ec_trait *t);

#define EC_DEVICE_NAME_MAX 64

/* Key of the device that is named in a text such as a file name: "runs_rtx-3090_b64.csv". If there
 * are several, the longest name; whole: the text must be the name. NULL if none. The words for this
 * machine are not searched. */
const char *ec_device_in_text(const char *text, bool whole);
bool ec_device_is_processor(const char *name); /* false where the catalogue does not have it */

/* What options name: words that each hold keys or patterns joined by commas. A device that is named
 * twice stands once, where it was first. Errors: NOT_FOUND */
enum ec_status ec_devices_named(const struct ec_strs *words, const struct ec_device ***ret,
                                int *ret_count, struct ec_arena *a,
                                struct ec_err *err) EC_MUST_CHECK;
/* A copy of a CPU of which so many threads work. The same device where it has no more cores, or
 * their number is unknown. Errors: UNSUPPORTED where it is no CPU; NOMEM */
enum ec_status ec_device_of_threads(const struct ec_device *base, int64_t threads,
                                    struct ec_arena *a, const struct ec_device **ret,
                                    struct ec_err *err) EC_MUST_CHECK;
/* A copy to change: "memory_bytes_per_s=1.2e12,clock_kind=free". src  of these numbers. */
enum ec_status ec_device_override(const struct ec_device *base, const char *changes,
                                  enum ec_src src, struct ec_arena *a, const struct ec_device **ret,
                                  struct ec_err *err) EC_MUST_CHECK;

/* --- Where devices that work together are --- */
extern const char *const ec_link_names[]; /* NULL-terminated */

struct ec_reach {
    enum ec_link link;  /* never auto */
    double bytes_per_s; /* of one device in one direction, nominal */
    bool assumed;       /* the catalogue does not know the slot: PCIe 3 x16 */
    bool reduces;       /* its switch adds up what the devices of a machine send */
    int64_t joined;     /* devices of one bridge, even if a ring of all leaves it; 0: no bridge */
};
/* auto: the device's own link, or the bridge that comes with it, else PCI Express.
 * Errors: UNSUPPORTED when the device has no such link */
enum ec_status ec_device_reach(const struct ec_device *d, enum ec_link want, int64_t devices,
                               struct ec_reach *ret, struct ec_err *err) EC_MUST_CHECK;

/* Equal machines, the last of which may be part full. */
struct ec_topology {
    double devices, per_machine; /* a machine has room for per_machine */
    struct ec_reach inside;      /* between the devices of a machine */
    struct ec_reach bridged;     /* between those of a bridge, where a ring of all leaves it */
    double network_bytes_per_s;  /* between machines: of one device in one direction, nominal */
};
/* What a query says of them; 0: what is usual for the device. */
struct ec_topology_wish {
    int64_t devices, per_machine;
    enum ec_link link;
    double network_bytes_per_s;
};
/* Errors: those of ec_device_reach */
enum ec_status ec_device_topology(const struct ec_device *d, const struct ec_topology_wish *wish,
                                  struct ec_topology *ret, struct ec_err *err) EC_MUST_CHECK;
double ec_topology_machines(const struct ec_topology *t);
double ec_topology_inside(const struct ec_topology *t); /* devices of a full machine */

/* --- Types of machines: "dgx-h100", "p5.48xlarge" --- */
/* A device of the catalogue under another key, with the number in a machine and the network of that
 * type; what was measured on it holds. ec_device_find finds it, ec_devices does not have it. */
struct ec_machine_type {
    const struct ec_device *device;
    double memory_bytes; /* of the host */
};
const struct ec_machine_type *ec_machine_types(int *ret_count);
const struct ec_machine_type *ec_machine_type_of(const struct ec_device *d); /* NULL: a card */

/* --- The machine record --- */
struct ec_machine; /* opaque */
/* Probes this machine; a missing GPU or driver is not an error. Host name and serial numbers are
 * left out. */
enum ec_status ec_machine_probe(struct ec_machine **ret, struct ec_err *err) EC_MUST_CHECK;
void ec_machine_free(struct ec_machine *m);
/* Removes values that change all the time, such as free memory, so that the record identifies the
 * machine. */
void ec_machine_forget_moment(struct ec_machine *m);
/* Name of the processor; "" when unknown. Lives as long as the record. */
const char *ec_machine_cpu_name(const struct ec_machine *m);
/* The record: JSON with schema "epochcast.machine/1", unknown is null; text, unknown is '-'. */
enum ec_status ec_machine_to_json(const struct ec_machine *m, struct ec_buf *out,
                                  struct ec_err *err) EC_MUST_CHECK;
enum ec_status ec_machine_to_text(const struct ec_machine *m, struct ec_buf *out,
                                  struct ec_err *err) EC_MUST_CHECK;

/* --- The roofs of this processor, measured --- */
/* Chains of multiply-adds of one instruction set. */
struct ec_fma_set {
    const char *name; /* "avx2" */
    double flop;      /* of one run */
    bool (*has)(void);
    float (*run)(void);
};
/* In rising order of their vectors; none where we have no such loop. */
const struct ec_fma_set *ec_fma_sets(int *ret_count);

/* Rates of several threads at once, in FLOP/s, and in bytes/s read and written. Each takes less
 * than a tenth of a second. 0: cannot be measured here. bytes  of one thread's source */
double ec_roof_flop_per_s(int threads);
double ec_roof_copy_bytes_per_s(int threads, size_t bytes);

#endif
