/* Names out of files that a terminal would obey, or that would turn, break or fill a page, in every
 * kind of file: nothing of them but text is printed, in whatever form. */
#include "capture.h"
#include "commands.h"
#include "scratch.h"

/* Clears the screen; C1 of Latin-1 and of UTF-8; turns the direction of text; deletes; breaks off.
 */
#define EVIL                                                                                       \
    "e\033[2J\x9b"                                                                                 \
    "31m\xc2\x9b"                                                                                  \
    "31m\xe2\x80\xae\xe2\x81\xa6\x7f\r\b\a"                                                        \
    "vil"
#define EVIL_JSON                                                                                  \
    "e\\u001b[2J\\u009b31m\\u202e\\u2066\\u007f\\r\\b\\u0007\\n\\nvil" /* as JSON has it, with     \
                                                                          lines */
#define NEW_LINES "\n\n"

/* What a terminal shows, and lines. */
static bool is_shown(const unsigned char *p, size_t len, size_t *ret_at)
{
    size_t n;
    bool plain;

    for (*ret_at = 0; *ret_at < len; *ret_at += n) {
        n = ec_plain_char((const char *)p + *ret_at, len - *ret_at, &plain);
        if (!plain && p[*ret_at] != '\n' && p[*ret_at] != '\t')
            return false;
    }
    return true;
}

static void must_be_shown(const char *words, const char *where, const unsigned char *p, size_t len)
{
    size_t at;

    if (!is_shown(p, len, &at))
        test_fail(__FILE__, __LINE__, "%s: %s: byte %zu is %02x, after \"%.*s\"", words, where, at,
                  p[at], (int)(at < 40 ? at : 40), (const char *)p + (at < 40 ? 0 : at - 40));
}

static void check_file(const char *words, const char *path)
{
    struct ec_file f = { 0 };
    struct ec_err err = { 0 };

    CHECK_OK(ec_file_open(path, 1 << 24, &f, &err));
    CHECK(f.len > 0);
    must_be_shown(words, path, f.data, f.len);
    ec_file_close(&f);
}

/* No name breaks its line: what ends it never begins one. */
static void check_lines(const char *words, const char *end)
{
    struct done d;
    size_t i, n = strlen(end);

    epochcast(words, &d);
    CHECK(holds(&d.out, end));
    for (i = 0; i + n < d.out.len; i++)
        if (d.out.data[i] == '\n' && !memcmp(d.out.data + i + 1, end, n))
            test_fail(__FILE__, __LINE__, "%s: \"%s\" begins a line", words, end);
    done_clear(&d);
}

static void write_graph(const char *name)
{
    scratch_write(name,
                  "{\"schema\": \"epochcast.graph/1\", \"name\": \"" EVIL_JSON "\", \"batch\": 1,"
                  "\"inputs\": [{\"name\": \"x" EVIL_JSON "\", \"shape\": [\"N\", 3, 16, 16]}],"
                  "\"nodes\": ["
                  "{\"name\": \"c" EVIL_JSON "\", \"op\": \"conv2d\", \"in\": [\"x" EVIL_JSON "\"],"
                  " \"attrs\": {\"k\": 4, \"r\": 3}},"
                  "{\"name\": \"f\", \"op\": \"flatten\", \"in\": [\"c" EVIL_JSON "\"]},"
                  "{\"name\": \"l\", \"op\": \"linear\", \"in\": [\"f\"], \"attrs\": {\"n\": 2}}],"
                  "\"outputs\": [\"l\"]}");
    scratch_write("broken.json",
                  "{\"schema\": \"epochcast.graph/1\", \"name\": \"n\", \"batch\": 1,"
                  "\"inputs\": [{\"name\": \"x\", \"shape\": [3]}], \"nodes\": ["
                  "{\"name\": \"" EVIL_JSON "\", \"op\": \"" EVIL_JSON "\", \"in\": [\"" EVIL_JSON
                  "\"]}], \"outputs\": [\"x\"]}");
}

static void make_files(struct scratch *s)
{
    (void)setenv("HWLOC_HIDE_ERRORS", "2", 1);
    scratch_begin(s);
    write_graph("net.json");
    scratch_grid("grid.csv");
    scratch_write("rows.csv", "model,device,batch,precision,step_time_ms," EVIL "\n"
                              "\"" EVIL NEW_LINES "\",t4,16,fp32,100,1\n"
                              "resnet18,\"" EVIL "\",32,fp32,200,1\n"
                              "resnet18,t4,32,fp32,200,1\n"
                              "resnet18,t4,\"" EVIL "\",fp32,200,1\n");
    scratch_write("runs.csv", "env,device,model,batch_size,iteration,time_ms\n"
                              "\"" EVIL NEW_LINES "\",t4,\"" EVIL NEW_LINES "\",32,0,90\n"
                              "\"" EVIL NEW_LINES "\",t4,\"" EVIL NEW_LINES "\",32,1,40\n"
                              "\"" EVIL NEW_LINES "\",t4,\"" EVIL NEW_LINES "\",32,2,42\n"
                              "cloud,t4,resnet18,32,0,90\ncloud,t4,resnet18,32,1,40\n"
                              "cloud,t4,resnet18,32,2,42\n");
    CHECK(mkdir("results", 0700) == 0);
    CHECK(rename("runs.csv", "results/runs.csv") == 0);
    CHECK(mkdir("images", 0700) == 0 && mkdir("images/train", 0700) == 0);
    CHECK(mkdir("images/train/" EVIL, 0700) == 0 && mkdir("images/train/b", 0700) == 0);
    scratch_write("images/train/" EVIL "/" EVIL ".jpg", "no image");
    scratch_write("images/train/b/x.jpg", "no image");
    scratch_write("weights.safetensors", "no weights");
    scratch_write("requests.jsonl", "{\"model\": \"" EVIL_JSON "\", \"device\": \"t4\"}\n"
                                    "{\"model\": \"lenet5\", \"device\": \"" EVIL_JSON "\"}\n"
                                    "{\"" EVIL_JSON "\": 1}\n" EVIL "\n");
}

static const struct {
    const char *words;
    int status;
} rows[] = {
    {"data import rows.csv --store s.sqlite",                      EC_EXIT_OK    },
    { "data list --store s.sqlite",                                EC_EXIT_OK    },
    { "data show 1 --store s.sqlite",                              EC_EXIT_OK    },
    { "data show 1 --store s.sqlite --markdown",                   EC_EXIT_OK    },
    { "data check --dry-run --store s.sqlite",                     EC_EXIT_OK    },
    { "data check --dry-run --store s.sqlite --markdown",          EC_EXIT_OK    },
    { "model net.json",                                            EC_EXIT_OK    },
    { "model net.json --markdown",                                 EC_EXIT_OK    },
    { "predict net.json --device t4 --layers --explain",           EC_EXIT_OK    },
    { "predict net.json --device t4,l4 --markdown",                EC_EXIT_OK    },
    { "predict net.json,lenet5 --device t4",                       EC_EXIT_OK    },
    { "predict broken.json --device t4",                           EC_EXIT_FAILED},
    { "predict --requests requests.jsonl --sandbox off",           EC_EXIT_OK    },
    { "roofline net.json --device t4 --layers --out r.svg",        EC_EXIT_OK    },
    { "evaluate rows.csv",                                         EC_EXIT_OK    },
    { "evaluate rows.csv --markdown",                              EC_EXIT_OK    },
    { "analyse results/runs.csv",                                  EC_EXIT_OK    },
    { "analyse results/runs.csv --markdown",                       EC_EXIT_OK    },
    { "plot bars rows.csv --x model --y step_time_ms --out p.svg", EC_EXIT_OK    },
    { "report results --out page",                                 EC_EXIT_OK    },
    { "calibrate -d t4 --table rows.csv",                          EC_EXIT_OK    },
    { "dataset imagefolder:images",                                EC_EXIT_OK    },
    { "train net.json --data imagefolder:images --batch 1",        EC_EXIT_FAILED},
    { "train net.json --data synthetic:shape=3x16x16,classes=2,train=8,test=0 --batch 4 "
      "--epochs 1 --backend ref --val-split 0",               EC_EXIT_OK    },
    { "fit table --table rows.csv",                                EC_EXIT_FAILED},
    { "whatif --table rows.csv",                                   EC_EXIT_FAILED},
};

TEST(nothing_but_text_is_printed)
{
    struct scratch s;
    struct done d;
    int i;

    make_files(&s);
    for (i = 0; i < EC_LEN(rows); i++) {
        epochcast(rows[i].words, &d);
        if (d.status != rows[i].status)
            test_fail(__FILE__, __LINE__, "%s: status %d: %.*s", rows[i].words, d.status,
                      (int)d.err.len, (const char *)d.err.data);
        must_be_shown(rows[i].words, "standard output", d.out.data, d.out.len);
        must_be_shown(rows[i].words, "standard error", d.err.data, d.err.len);
        done_clear(&d);
    }
    check_lines("data show 1 --store s.sqlite", "vil");
    check_lines("model net.json", "vil");
    check_file("roofline", "r.svg");
    check_file("plot", "p.svg");
    check_file("report", "page/report.html");
    check_file("report", "page/report.md");
    scratch_end(&s);
}
