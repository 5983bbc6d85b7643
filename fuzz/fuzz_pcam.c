/* The reader of PatchCamelyon, with a libhdf5 of ours that answers what the input says: what the
 * real one makes of damaged files is its own affair, what we make of its answers is ours. Each
 * array that is read is filled to the size that was told, so that the address sanitizer sees a
 * buffer too small. */
#include "fuzz.h"

#include "dataset/one_sample.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef int64_t hid;
typedef unsigned long long hsize;

#define SETS_MAX 32
#define RANK_MAX 8

static struct {
    const uint8_t *p;
    size_t left;
} input;

static struct {
    int rank;
    hsize dims[RANK_MAX];
} sets[SETS_MAX];
static int n_sets, n_open;

static uint8_t byte(void)
{
    if (!input.left)
        return 0;
    input.left--;
    return *input.p++;
}

/* Mostly small, sometimes none or far too many. */
static hsize dimension(void)
{
    uint8_t b = byte();

    return b < 250    ? b % 20
           : b == 250 ? 0
           : b == 251 ? (hsize)INT32_MAX + 1
           : b == 252 ? ~0ULL
                      : 97;
}

/* --- Functions of libhdf5 --- */

static int fake_open(void)
{
    return byte() == 255 ? -1 : 0;
}

static int fake_errors(hid stack, void *fn, void *data)
{
    (void)stack, (void)fn, (void)data;
    return 0;
}

static hid opened(void)
{
    if (byte() == 255)
        return -1;
    n_open++;
    return 1;
}

static hid fake_file(const char *path, unsigned flags, hid access)
{
    (void)path, (void)flags, (void)access;
    return opened();
}

/* A set, its space and its type have one number, beyond those of files. */
static hid fake_set(hid file, const char *name, hid access)
{
    int i;

    (void)file, (void)name, (void)access;
    if (byte() == 255 || n_sets == SETS_MAX)
        return -1;
    sets[n_sets].rank = byte() % 8 ? 4 : byte() % 5;
    for (i = 0; i < RANK_MAX; i++)
        sets[n_sets].dims[i] = *name == 'y' && i ? 1 + (byte() == 255) : dimension();
    n_open++;
    return 100 + n_sets++;
}

static hid fake_part(hid set)
{
    if (byte() == 255)
        return -1;
    n_open++;
    return set;
}

static int fake_close(hid x)
{
    (void)x;
    n_open--;
    return 0;
}

static size_t fake_size(hid type)
{
    (void)type;
    return byte() == 255 ? 8 : 1;
}

static int fake_class(hid type)
{
    (void)type;
    return byte() == 255;
}

static int fake_rank(hid space)
{
    return sets[space - 100].rank;
}

static int fake_dims(hid space, hsize *dims, hsize *max)
{
    (void)max;
    memcpy(dims, sets[space - 100].dims, sizeof *dims * (size_t)sets[space - 100].rank);
    return sets[space - 100].rank;
}

static int fake_select(hid space, int how, const hsize *start, const hsize *stride,
                       const hsize *count, const hsize *block)
{
    int i;

    (void)how, (void)stride, (void)block;
    for (i = 0; i < sets[space - 100].rank; i++)
        if (start[i] + count[i] > sets[space - 100].dims[i])
            __builtin_trap(); /* beyond what the file has */
    return byte() == 255 ? -1 : 0;
}

static hid fake_simple(int rank, const hsize *dims, const hsize *max)
{
    (void)max;
    if (byte() == 255 || n_sets == SETS_MAX || rank > RANK_MAX)
        return -1;
    sets[n_sets].rank = rank;
    memcpy(sets[n_sets].dims, dims, sizeof *dims * (size_t)rank);
    n_open++;
    return 100 + n_sets++;
}

static int fake_read(hid set, hid type, hid memory, hid file, hid transfer, void *to)
{
    int which = (int)(memory ? memory : set) - 100, i;
    size_t n = 1;

    (void)type, (void)file, (void)transfer;
    if (byte() == 255)
        return -1;
    for (i = 0; i < sets[which].rank; i++)
        n *= (size_t)sets[which].dims[i];
    memset(to, byte() % 8 ? 1 : byte(), n);
    return 0;
}

/* --- In place of dynlib.c --- */

static hid native_u8 = 7;

typedef void any_fn(void);

static any_fn *fake_of(const char *name)
{
    static const struct {
        const char *name;
        any_fn *fn;
    } symbols[] = {
        {"H5open",                        (any_fn *)fake_open  },
        { "H5Eset_auto2",                 (any_fn *)fake_errors},
        { "H5free_memory",                (any_fn *)fake_open  }, /* of attributes: never called */
        { "H5Aexists",                    (any_fn *)fake_open  },
        { "H5Aopen",                      (any_fn *)fake_open  },
        { "H5Aclose",                     (any_fn *)fake_open  },
        { "H5Aget_space",                 (any_fn *)fake_open  },
        { "H5Aget_type",                  (any_fn *)fake_open  },
        { "H5Aread",                      (any_fn *)fake_open  },
        { "H5Tis_variable_str",           (any_fn *)fake_open  },
        { "H5Sget_simple_extent_npoints", (any_fn *)fake_open  },
        { "H5Fopen",                      (any_fn *)fake_file  },
        { "H5Fclose",                     (any_fn *)fake_close },
        { "H5Dopen2",                     (any_fn *)fake_set   },
        { "H5Dclose",                     (any_fn *)fake_close },
        { "H5Dget_space",                 (any_fn *)fake_part  },
        { "H5Dget_type",                  (any_fn *)fake_part  },
        { "H5Dread",                      (any_fn *)fake_read  },
        { "H5Tget_size",                  (any_fn *)fake_size  },
        { "H5Tget_class",                 (any_fn *)fake_class },
        { "H5Tclose",                     (any_fn *)fake_close },
        { "H5Sget_simple_extent_ndims",   (any_fn *)fake_rank  },
        { "H5Sget_simple_extent_dims",    (any_fn *)fake_dims  },
        { "H5Sselect_hyperslab",          (any_fn *)fake_select},
        { "H5Screate_simple",             (any_fn *)fake_simple},
        { "H5Sclose",                     (any_fn *)fake_close },
    };
    int i;

    for (i = 0; i < EC_LEN(symbols); i++)
        if (ec_str_eq(name, symbols[i].name))
            return symbols[i].fn;
    return NULL;
}

enum ec_status ec_dynlib_open(const char *const *names, const char *package, const char *what,
                              const char *const *symbols, void *to, struct ec_err *err)
{
    hid *number = &native_u8;
    char *at = to;
    any_fn *fn;

    (void)names, (void)package, (void)what;
    for (; symbols[1]; symbols++, at += sizeof fn) {
        fn = fake_of(*symbols);
        if (!fn)
            return ec_fail(err, EC_E_UNSUPPORTED, "no %s", *symbols);
        memcpy(at, &fn, sizeof fn);
    }
    memcpy(at, &number, sizeof number); /* the last: H5T_NATIVE_UINT8_g */
    return EC_OK;
}

/* --- The target --- */

static char folder[] = "/tmp/fuzz-pcam-XXXXXX";
static const char *const splits[] = { "train_x", "train_y", "valid_x", "valid_y" };

static void file_of(int i, char *ret, size_t size)
{
    (void)snprintf(ret, size, "%s/camelyonpatch_level_2_split_%s.h5", folder, splits[i]);
}

static void remove_folder(void)
{
    char path[128];
    int i;

    for (i = 0; i < EC_LEN(splits); i++) {
        file_of(i, path, sizeof path);
        (void)unlink(path);
    }
    (void)rmdir(folder);
}

/* Files that only have to be there. */
static const char *samples_text(void)
{
    static char text[64];
    char path[128];
    FILE *f;
    int i;

    if (text[0])
        return text;
    if (!mkdtemp(folder))
        abort();
    (void)atexit(remove_folder);
    for (i = 0; i < EC_LEN(splits); i++) {
        file_of(i, path, sizeof path);
        f = fopen(path, "we");
        if (!f || fclose(f))
            abort();
    }
    (void)snprintf(text, sizeof text, "pcam:%s", folder);
    return text;
}

static void read_some(const struct ec_samples *s)
{
    static float x[3 * 224 * 224];
    const struct ec_samples_info *info = ec_samples_info(s);
    int64_t label = 0, elems = info->shape[0] * info->shape[1] * info->shape[2], i;
    const struct ec_sample_data out = { .x = x, .label = &label };
    struct ec_err err = { .status = EC_OK };

    if (elems > EC_LEN(x))
        return;
    for (i = 0; i < 3 && i < info->count[EC_PART_TRAIN]; i++)
        if (!one_sample(s, EC_PART_TRAIN, i, 0, &out, &err) && label != 0 && label != 1)
            __builtin_trap();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ec_err err = { .status = EC_OK };
    struct ec_samples *s = NULL;

    input.p = data;
    input.left = size;
    n_sets = n_open = 0;
    if (ec_samples_open(samples_text(), NULL, &s, &err) == EC_OK)
        read_some(s);
    else if (!err.text[0])
        __builtin_trap();
    ec_samples_close(s);
    if (n_open)
        __builtin_trap(); /* something was not closed */
    return 0;
}
