/* The table of data sets. Counts are those of the distributors; each row names them. */
#include "dataset/dataset.h"

#include <string.h>

/* clang-format off */
#define ALIASES(...)    .aliases = (const char *const[]){ __VA_ARGS__, NULL }
#define IMAGE(c, h, w)  .kind = EC_SAMPLE_IMAGE, .rank = 3, .shape = { c, h, w }
#define TEXT(tokens)    .kind = EC_SAMPLE_TEXT, .rank = 1, .shape = { tokens }
#define TOKENS          .kind = EC_SAMPLE_TOKEN
#define SPLIT(tr, v, t) .train = (tr), .val = (v), .test = (t)

static const struct ec_dataset datasets[] = {
    { "mnist", "MNIST handwritten digits", IMAGE(1, 28, 28),
      SPLIT(60000, 0, 10000), .classes = 10,
      .source = "LeCun, Cortes, Burges: The MNIST database, 1998" },
    { "fashion_mnist", "Fashion-MNIST", IMAGE(1, 28, 28), ALIASES("fmnist"),
      SPLIT(60000, 0, 10000), .classes = 10,
      .source = "Xiao, Rasul, Vollgraf, 2017 (arXiv:1708.07747)" },
    { "svhn", "Street View House Numbers, cropped", IMAGE(3, 32, 32),
      SPLIT(73257, 0, 26032), .classes = 10,
      .source = "Netzer et al., NIPS workshop 2011" },
    { "cifar10", "CIFAR-10", IMAGE(3, 32, 32),
      SPLIT(50000, 0, 10000), .classes = 10, .train_bytes = (int64_t)50000 * 3073,
      .source = "Krizhevsky, 2009; binary version: 3073 bytes a sample" },
    { "cifar100", "CIFAR-100", IMAGE(3, 32, 32),
      SPLIT(50000, 0, 10000), .classes = 100, .train_bytes = (int64_t)50000 * 3074,
      .source = "Krizhevsky, 2009; binary version: 3074 bytes a sample" },
    { "stl10", "STL-10, labelled part", IMAGE(3, 96, 96),
      SPLIT(5000, 0, 8000), .classes = 10,
      .source = "Coates, Lee, Ng, AISTATS 2011" },
    { "tiny_imagenet", "Tiny ImageNet", IMAGE(3, 64, 64), ALIASES("tinyimagenet200"),
      SPLIT(100000, 10000, 10000), .classes = 200,
      .source = "Stanford CS231n, 2015" },
    { "imagenet", "ImageNet-1k (ILSVRC 2012)", IMAGE(3, 224, 224),
      ALIASES("imagenet1k", "ilsvrc2012", "ilsvrc"),
      SPLIT(1281167, 50000, 100000), .classes = 1000, .train_bytes = 147897477120,
      .source = "Russakovsky et al., IJCV 2015; size of ILSVRC2012_img_train.tar" },
    { "imagenet21k", "ImageNet-21k (fall 2011)", IMAGE(3, 224, 224), ALIASES("imagenet22k"),
      SPLIT(14197122, 0, 0), .classes = 21841,
      .source = "Deng et al., CVPR 2009; image-net.org statistics" },
    { "imagenette", "Imagenette, ten classes of ImageNet", IMAGE(3, 224, 224),
      ALIASES("imagenette2", "imagenette2160", "imagenette2320"),
      SPLIT(9469, 3925, 0), .classes = 10,
      .source = "fast.ai imagenette2 repository" },
    { "imagewoof", "Imagewoof, ten dog breeds of ImageNet", IMAGE(3, 224, 224),
      ALIASES("imagewoof2"),
      SPLIT(9025, 3929, 0), .classes = 10,
      .source = "fast.ai imagenette repository" },
    { "places365", "Places365-Standard", IMAGE(3, 224, 224),
      SPLIT(1803460, 36500, 328500), .classes = 365,
      .source = "Zhou et al., TPAMI 2017" },
    { "food101", "Food-101", IMAGE(3, 224, 224),
      SPLIT(75750, 0, 25250), .classes = 101,
      .source = "Bossard, Guillaumin, Van Gool, ECCV 2014" },
    { "pcam", "PatchCamelyon", IMAGE(3, 96, 96), ALIASES("patchcamelyon"),
      SPLIT(262144, 32768, 32768), .classes = 2,
      .source = "Veeling et al., MICCAI 2018" },
    { "coco", "COCO 2017 detection", .kind = EC_SAMPLE_IMAGE, ALIASES("coco2017", "mscoco"),
      SPLIT(118287, 5000, 40670), .classes = 80,
      .source = "Lin et al., ECCV 2014; cocodataset.org, 2017 split" },
    { "voc2012", "PASCAL VOC 2012 segmentation", .kind = EC_SAMPLE_IMAGE, ALIASES("pascalvoc"),
      SPLIT(1464, 1449, 1456), .classes = 21,
      .source = "Everingham et al., 2012" },
    { "ade20k", "ADE20K scene parsing", IMAGE(3, 512, 512),
      SPLIT(20210, 2000, 3352), .classes = 150,
      .source = "Zhou et al., CVPR 2017" },
    { "cityscapes", "Cityscapes, fine annotations", IMAGE(3, 1024, 2048),
      SPLIT(2975, 500, 1525), .classes = 19,
      .source = "Cordts et al., CVPR 2016" },
    { "squad", "SQuAD 1.1", TEXT(384), ALIASES("squad1", "squad11", "squadv1"),
      SPLIT(87599, 10570, 0),
      .source = "Rajpurkar et al., EMNLP 2016; questions" },
    { "squad2", "SQuAD 2.0", TEXT(384), ALIASES("squad20", "squadv2"),
      SPLIT(130319, 11873, 0),
      .source = "Rajpurkar, Jia, Liang, ACL 2018; questions" },
    { "sst2", "SST-2 (GLUE)", TEXT(128),
      SPLIT(67349, 872, 1821), .classes = 2,
      .source = "Wang et al., GLUE, 2018" },
    { "mnli", "MultiNLI, matched (GLUE)", TEXT(128),
      SPLIT(392702, 9815, 9796), .classes = 3,
      .source = "Wang et al., GLUE, 2018" },
    { "imdb", "IMDB reviews", TEXT(512),
      SPLIT(25000, 0, 25000), .classes = 2,
      .source = "Maas et al., ACL 2011" },
    { "wmt14_en_de", "WMT 2014 English-German", .kind = EC_SAMPLE_TEXT, ALIASES("wmt14"),
      SPLIT(4508785, 3000, 3003),
      .source = "WMT 2014 translation task; sentence pairs" },
    { "multi30k", "Multi30k English-German", .kind = EC_SAMPLE_TEXT,
      SPLIT(29000, 1014, 1000),
      .source = "Elliott et al., 2016; sentence pairs" },
    { "ptb", "Penn Treebank, Mikolov's version", TOKENS, ALIASES("penntreebank"),
      SPLIT(929589, 73760, 82430),
      .source = "Mikolov et al., 2010; words and ends of line" },
    { "wikitext2", "WikiText-2", TOKENS,
      SPLIT(2088628, 217646, 245569),
      .source = "Merity et al., 2016; words" },
    { "wikitext103", "WikiText-103", TOKENS,
      SPLIT(103227021, 217646, 245569),
      .source = "Merity et al., 2016; words" },
    { "openwebtext", "OpenWebText, GPT-2 tokens", TOKENS, ALIASES("owt"),
      SPLIT(9035582198, 4434897, 0),
      .source = "Gokaslan, Cohen, 2019; tokenised and split as in nanoGPT" },
    { "tiny_shakespeare", "Tiny Shakespeare, characters", TOKENS, ALIASES("shakespeare"),
      SPLIT(1003854, 111540, 0),
      .source = "Karpathy, 2015; split 90/10 as in nanoGPT" },
    { "c4", "C4, English", .kind = EC_SAMPLE_TEXT, ALIASES("c4en"),
      SPLIT(364868892, 364608, 0),
      .source = "Raffel et al., 2020; allenai/c4 documents" },
    { "librispeech", "LibriSpeech, 960 hours", .kind = EC_SAMPLE_AUDIO,
      SPLIT(281241, 5567, 5559),
      .source = "Panayotov et al., ICASSP 2015; utterances, clean and other" },
    { "speech_commands", "Speech Commands version 2", .kind = EC_SAMPLE_AUDIO,
      SPLIT(84843, 9981, 11005), .classes = 35,
      .source = "Warden, 2018 (arXiv:1804.03209)" },
    { "movielens20m", "MovieLens 20M ratings", .kind = EC_SAMPLE_EVENT, ALIASES("ml20m"),
      SPLIT(20000263, 0, 0),
      .source = "Harper, Konstan, 2015" },
};
/* clang-format on */

const struct ec_dataset *ec_datasets(int *ret_count)
{
    *ret_count = EC_LEN(datasets);
    return datasets;
}

static char next_folded(const char **p)
{
    while (**p && strchr(" -_.", **p))
        (*p)++;
    if (!**p)
        return '\0';
    return *(*p)++;
}

static bool same_name(const char *a, const char *b)
{
    char pair[2][2] = { "", "" };

    do {
        pair[0][0] = next_folded(&a);
        pair[1][0] = next_folded(&b);
        if (!ec_str_ieq(pair[0], pair[1]))
            return false;
    } while (pair[0][0]);
    return true;
}

static bool is_named(const struct ec_dataset *d, const char *key)
{
    const char *const *alias;

    if (same_name(d->key, key))
        return true;
    for (alias = d->aliases; alias && *alias; alias++)
        if (same_name(*alias, key))
            return true;
    return false;
}

static enum ec_status not_found(const char *key, struct ec_err *err)
{
    const char *keys[EC_LEN(datasets)];
    struct ec_buf hint = EC_BUF_INIT;
    enum ec_status st;
    int i;

    for (i = 0; i < EC_LEN(datasets); i++)
        keys[i] = datasets[i].key;
    ec_near_hint(&hint, key, keys, EC_LEN(keys));
    st = ec_fail(err, EC_E_NOT_FOUND, "no data set \"%.80s\" in the table%s", key,
                 ec_buf_text(&hint));
    ec_buf_clear(&hint);
    return st;
}

enum ec_status ec_dataset_find(const char *key, const struct ec_dataset **ret, struct ec_err *err)
{
    int i;

    for (i = 0; i < EC_LEN(datasets); i++)
        if (is_named(&datasets[i], key)) {
            *ret = &datasets[i];
            return EC_OK;
        }
    return not_found(key, err);
}
