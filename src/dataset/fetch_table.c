/* What can be downloaded: a row per data set. Checksums are those that the distributors, or
 * torchvision for them, publish; a row says which. Sizes bound the download. */
#include "dataset/fetch_internal.h"

/* clang-format off */
#define URLS(...)  .urls = (const char *const[]){ __VA_ARGS__, NULL }
#define FILES(...) .files = (const struct ec_fetch_file[]){ __VA_ARGS__ }, \
    .n_files = (int)(sizeof((const struct ec_fetch_file[]){ __VA_ARGS__ }) / \
                     sizeof(struct ec_fetch_file))
#define MIB(n) ((int64_t)(n) << 20)

static const struct ec_fetch_set sets[] = {
    { .name = "cifar10", .what = "CIFAR-10, binary version",
      URLS("https://www.cs.toronto.edu/~kriz"),
      FILES({ "cifar-10-binary.tar.gz", 170052171, "c32a1d4ab5d03f1284b67883e8d87530", NULL,
              EC_FETCH_TAR }),
      .unpacked_bytes = MIB(400), .licence = "none stated; cite Krizhevsky, 2009",
      .checksums = "MD5 of the distributor's page" },
    { .name = "cifar100", .what = "CIFAR-100, binary version",
      URLS("https://www.cs.toronto.edu/~kriz"),
      FILES({ "cifar-100-binary.tar.gz", 168513733, "03b5dce01913d631647c71ecec9e9cb8", NULL,
              EC_FETCH_TAR }),
      .unpacked_bytes = MIB(400), .licence = "none stated; cite Krizhevsky, 2009",
      .checksums = "MD5 of the distributor's page" },
    { .name = "mnist", .what = "MNIST handwritten digits",
      URLS("https://ossci-datasets.s3.amazonaws.com/mnist"),
      FILES({ "train-images-idx3-ubyte.gz", 9912422, "f68b3c2dcbeaaa9fbdd348bbdeb94873", NULL,
              EC_FETCH_PLAIN },
            { "train-labels-idx1-ubyte.gz", 28881, "d53e105ee54ea40749a09fcbcd1e9432", NULL,
              EC_FETCH_PLAIN },
            { "t10k-images-idx3-ubyte.gz", 1648877, "9fb629c4189551a2d022fa330f9573f3", NULL,
              EC_FETCH_PLAIN },
            { "t10k-labels-idx1-ubyte.gz", 4542, "ec29112dd5afa0611ce80d1b7f02629c", NULL,
              EC_FETCH_PLAIN }),
      .unpacked_bytes = MIB(100), .licence = "CC BY-SA 3.0",
      .checksums = "MD5 in torchvision 0.14" },
    { .name = "fashion", .what = "Fashion-MNIST",
      URLS("http://fashion-mnist.s3-website.eu-central-1.amazonaws.com"),
      FILES({ "train-images-idx3-ubyte.gz", 26421880, "8d4fb7e6c68d591d4c3dfef9ec88bf0d", NULL,
              EC_FETCH_PLAIN },
            { "train-labels-idx1-ubyte.gz", 29515, "25c81989df183df01b3e8a0aad5dffbe", NULL,
              EC_FETCH_PLAIN },
            { "t10k-images-idx3-ubyte.gz", 4422102, "bef4ecab320f06d8554ea6380940ec79", NULL,
              EC_FETCH_PLAIN },
            { "t10k-labels-idx1-ubyte.gz", 5148, "bb300cfdad3c16e7a12a480ee83cd310", NULL,
              EC_FETCH_PLAIN }),
      .unpacked_bytes = MIB(100), .licence = "MIT",
      .checksums = "MD5 of the distributor's page" },
    { .name = "imagenette", .what = "Imagenette, shorter edge 320",
      URLS("https://s3.amazonaws.com/fast-ai-imageclas"),
      FILES({ "imagenette2-320.tgz", 341663724, "3df6f0d01a2c9592104656642f5e78a3",
              "569b4497c98db6dd29f335d1f109cf315fe127053cedf69010d047f0188e158c", EC_FETCH_TAR }),
      .unpacked_bytes = MIB(1024), .licence = "Apache-2.0; images under ImageNet's terms",
      .checksums = "MD5 in torchvision, SHA-256 in the data set's card on Hugging Face" },
    { .name = "imagenette-160", .what = "Imagenette, shorter edge 160",
      URLS("https://s3.amazonaws.com/fast-ai-imageclas"),
      FILES({ "imagenette2-160.tgz", 99003388, "e793b78cc4c9e9a4ccc0c1155377a412",
              "64d0c4859f35a461889e0147755a999a48b49bf38a7e0f9bd27003f10db02fe5", EC_FETCH_TAR }),
      .unpacked_bytes = MIB(512), .licence = "Apache-2.0; images under ImageNet's terms",
      .checksums = "MD5 in torchvision, SHA-256 in the data set's card on Hugging Face" },
    { .name = "imagenette-full", .what = "Imagenette, original sizes",
      URLS("https://s3.amazonaws.com/fast-ai-imageclas"),
      FILES({ "imagenette2.tgz", 1557161267, "fe2fc210e6bb7c5664d602c3cd71e612",
              "6cbfac238434d89fe99e651496f0812ebc7a10fa62bd42d6874042bf01de4efd", EC_FETCH_TAR }),
      .unpacked_bytes = MIB(4096), .licence = "Apache-2.0; images under ImageNet's terms",
      .checksums = "MD5 in torchvision, SHA-256 in the data set's card on Hugging Face" },
    /* Files on the server were once stored under each other's names: a file is kept under the name
     * that its checksum has here, which is the distributor's list. Sizes were not published. */
    { .name = "pcam", .what = "PatchCamelyon",
      URLS("https://zenodo.org/records/2546921/files"),
      FILES({ "camelyonpatch_level_2_split_train_x.h5.gz", 0,
              "1571f514728f59376b705fc836ff4b63", NULL, EC_FETCH_GZIP },
            { "camelyonpatch_level_2_split_train_y.h5.gz", 0,
              "35c2d7259d906cfc8143347bb8e05be7", NULL, EC_FETCH_GZIP },
            { "camelyonpatch_level_2_split_valid_x.h5.gz", 0,
              "d5b63470df7cfa627aeec8b9dc0c066e", NULL, EC_FETCH_GZIP },
            { "camelyonpatch_level_2_split_valid_y.h5.gz", 0,
              "2b85f58b927af9964a4c15b8f7e8f179", NULL, EC_FETCH_GZIP },
            { "camelyonpatch_level_2_split_test_x.h5.gz", 0,
              "d8c2d60d490dbd479f8199bdfa0cf6ec", NULL, EC_FETCH_GZIP },
            { "camelyonpatch_level_2_split_test_y.h5.gz", 0,
              "60a7035772fbdb7f34eb86d4420cf66a", NULL, EC_FETCH_GZIP }),
      .unpacked_bytes = MIB(20480), .licence = "CC0 1.0",
      .checksums = "MD5 of the distributor's list, as torchvision 0.14 has them" },
};
/* clang-format on */

const struct ec_fetch_set *ec_fetch_sets(int *ret_count)
{
    *ret_count = EC_LEN(sets);
    return sets;
}

enum ec_status ec_fetch_find(const char *name, const struct ec_fetch_set **ret, struct ec_err *err)
{
    const char *names[EC_LEN(sets)];
    struct ec_buf hint = EC_BUF_INIT;
    enum ec_status st;
    int i;

    for (i = 0; i < EC_LEN(sets); i++) {
        names[i] = sets[i].name;
        if (ec_str_eq(names[i], name)) {
            *ret = &sets[i];
            return EC_OK;
        }
    }
    ec_near_hint(&hint, name, names, EC_LEN(names));
    st = ec_fail(err, EC_E_NOT_FOUND, "no data set \"%.60s\" to download%s", name,
                 ec_buf_text(&hint));
    ec_buf_clear(&hint);
    return st;
}
