/* Downloading against a server of the test's own: whole or not at all, taken up where it ended,
 * checked, unpacked without trust. */
#include "test.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dataset/dataset.h"
#include "dataset/fetch_internal.h"

/* --- A server of one file --- */

static struct {
    int fd, port;
    pthread_t thread;
    const char *name;
    const unsigned char *data;
    size_t len;
    const char *other; /* a second file of as many bytes; NULL: none */
    const unsigned char *other_data;
    size_t cut_after; /* of the next answer's body; 0: whole */
    bool no_range;    /* answers in the middle with the beginning */
    int answers;
    size_t last_from;
} srv;

static void send_all(int fd, const void *data, size_t len)
{
    const char *p = data;
    ssize_t n;

    while (len && (n = send(fd, p, len, MSG_NOSIGNAL)) > 0) {
        p += n;
        len -= (size_t)n;
    }
}

static void answer(int fd, const char *request)
{
    const char *range = strstr(request, "Range: bytes=");
    size_t from = 0, send_len;
    const unsigned char *data = srv.data;
    char head[256], want[80];
    int64_t v = 0;

    (void)snprintf(want, sizeof want, "GET /%s ", srv.name);
    if (srv.other && strstr(request, srv.other)) {
        data = srv.other_data;
    } else if (!ec_str_starts(request, want)) {
        send_all(fd, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", 45);
        return;
    }
    if (range && !srv.no_range) {
        struct ec_span s = ec_span_of(range + 13), number;

        (void)ec_span_cut(&s, '-', &number);
        if (ec_parse_int(number, &v))
            from = (size_t)v;
    }
    srv.answers++;
    srv.last_from = from;
    if (from >= srv.len && from) {
        send_all(fd, "HTTP/1.1 416 Range Not Satisfiable\r\nContent-Length: 0\r\n\r\n", 57);
        return;
    }
    (void)snprintf(head, sizeof head, "HTTP/1.1 %s\r\nContent-Length: %zu\r\n",
                   from ? "206 Partial Content" : "200 OK", srv.len - from);
    send_all(fd, head, strlen(head));
    if (from) {
        (void)snprintf(head, sizeof head, "Content-Range: bytes %zu-%zu/%zu\r\n", from, srv.len - 1,
                       srv.len);
        send_all(fd, head, strlen(head));
    }
    send_all(fd, "Connection: close\r\n\r\n", 21);
    send_len = srv.len - from;
    if (srv.cut_after && srv.cut_after < send_len)
        send_len = srv.cut_after;
    srv.cut_after = 0;
    send_all(fd, data + from, send_len);
}

static void *serve(void *arg)
{
    char request[4096];
    ssize_t n;
    int fd;

    (void)arg;
    while ((fd = accept(srv.fd, NULL, NULL)) >= 0) {
        n = recv(fd, request, sizeof request - 1, 0);
        if (n > 0) {
            request[n] = '\0';
            answer(fd, request);
        }
        (void)close(fd);
    }
    return NULL;
}

static bool start_server(const char *name, const void *data, size_t len)
{
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t at_len = sizeof at;

    memset(&srv, 0, sizeof srv);
    srv.name = name;
    srv.data = data;
    srv.len = len;
    srv.fd = socket(AF_INET, SOCK_STREAM, 0);
    if (srv.fd < 0 || bind(srv.fd, (struct sockaddr *)&at, sizeof at) || listen(srv.fd, 4) ||
        getsockname(srv.fd, (struct sockaddr *)&at, &at_len)) {
        printf("skipped: no server on this machine's own address\n");
        return false;
    }
    srv.port = ntohs(at.sin_port);
    return pthread_create(&srv.thread, NULL, serve, NULL) == 0;
}

static void stop_server(void)
{
    (void)shutdown(srv.fd, SHUT_RDWR);
    (void)close(srv.fd);
    (void)pthread_join(srv.thread, NULL);
}

/* --- Archives --- */

static void add_tar(struct ec_buf *b, const char *name, char type, const char *link,
                    const char *text)
{
    static const char zeros[512];
    size_t len = strlen(text), i;
    unsigned char h[512] = { 0 };
    unsigned sum = 0;

    (void)snprintf((char *)h, 100, "%s", name);
    (void)snprintf((char *)h + 100, 8, "0000644");
    (void)snprintf((char *)h + 108, 8, "0000000");
    (void)snprintf((char *)h + 116, 8, "0000000");
    (void)snprintf((char *)h + 124, 12, "%011o", (unsigned)len);
    (void)snprintf((char *)h + 136, 12, "00000000000");
    memset(h + 148, ' ', 8);
    h[156] = (unsigned char)type;
    (void)snprintf((char *)h + 157, 100, "%s", link);
    memcpy(h + 257, "ustar\00000", 8);
    for (i = 0; i < sizeof h; i++)
        sum += h[i];
    (void)snprintf((char *)h + 148, 8, "%06o", sum);
    ec_buf_add(b, h, sizeof h);
    ec_buf_add(b, text, len);
    ec_buf_add(b, zeros, (512 - len % 512) % 512);
}

static void end_tar(struct ec_buf *b)
{
    static const char zeros[1024];

    ec_buf_add(b, zeros, sizeof zeros);
}

/* --- The tests' set --- */

static char g_dir[64], g_url[64], g_md5[EC__MD5_TEXT_BYTES];
static const char *g_urls[2] = { g_url, NULL };
static struct ec_fetch_file g_file;
static struct ec_fetch_set g_set;

static void make_set(const char *name, enum ec_fetch_kind kind, const struct ec_buf *data)
{
    (void)snprintf(g_dir, sizeof g_dir, "/tmp/ec-test-fetch-XXXXXX");
    CHECK(mkdtemp(g_dir) != NULL);
    (void)snprintf(g_url, sizeof g_url, "http://127.0.0.1:%d", srv.port);
    ec__md5(data->data, data->len, g_md5);
    g_file = (struct ec_fetch_file){ name, (int64_t)data->len, g_md5, NULL, kind };
    g_set = (struct ec_fetch_set){ "tiny", "a tiny set", g_urls, &g_file,
                                   1,      100000,       "none", "made here" };
}

static void remove_dir(void)
{
    char command[128];

    (void)snprintf(command, sizeof command, "rm -r %s", g_dir);
    CHECK_INT(system(command), 0); /* a name that mkdtemp made */
}

static bool is_there(const char *name)
{
    struct stat info;
    char path[256];

    (void)snprintf(path, sizeof path, "%s/%s", g_dir, name);
    return lstat(path, &info) == 0;
}

static void check_text(const char *name, const char *want)
{
    struct ec_file f = { 0 };
    struct ec_err err = { 0 };
    char path[256];

    (void)snprintf(path, sizeof path, "%s/%s", g_dir, name);
    CHECK_OK(ec_file_open(path, 0, &f, &err));
    CHECK(f.len == strlen(want) && memcmp(f.data, want, f.len) == 0);
    ec_file_close(&f);
}

static enum ec_status fetch(bool *ret_already, struct ec_err *err)
{
    struct ec_fetch_opts o = { .dir = g_dir };
    struct ec_buf path = EC_BUF_INIT;
    enum ec_status st = ec_fetch(&g_set, &o, &path, ret_already, err);

    CHECK_HAS(ec_buf_text(&path), "/tiny");
    ec_buf_clear(&path);
    return st;
}

/* False when a library is missing: then that is what must be said. */
static bool can(enum ec_status st, const struct ec_err *err)
{
    if (st != EC_E_UNSUPPORTED)
        return true;
    CHECK_HAS(err->text, "install ");
    printf("skipped: %s\n", err->text);
    return false;
}

TEST(md5_of_known_texts)
{
    static const struct {
        const char *text, *sum;
    } known[] = {
        {"",                             "d41d8cd98f00b204e9800998ecf8427e"},
        { "abc",                         "900150983cd24fb0d6963f7d28e17f72"},
        { "12345678901234567890123456789012345678901234567890123456789012"
          "345678901234567890", "57edf4a22be3c955ac49da2e2107b67a"},
    };
    char sum[EC__MD5_TEXT_BYTES];
    int i;

    for (i = 0; i < EC_LEN(known); i++) {
        ec__md5(known[i].text, strlen(known[i].text), sum);
        CHECK_STR(sum, known[i].sum);
    }
}

TEST(every_row_is_whole)
{
    const struct ec_fetch_set *sets, *found = NULL;
    struct ec_err err = { 0 };
    int n, i, k;

    sets = ec_fetch_sets(&n);
    for (i = 0; i < n; i++) {
        CHECK_OK(ec_fetch_find(sets[i].name, &found, &err));
        CHECK(found == &sets[i] && sets[i].urls[0] && sets[i].licence && sets[i].n_files > 0);
        CHECK(sets[i].unpacked_bytes > 0 && sets[i].checksums);
        for (k = 0; k < sets[i].n_files; k++) {
            const struct ec_fetch_file *f = &sets[i].files[k];

            CHECK(f->md5 || f->sha256 || f->bytes);
            CHECK(!f->md5 || strlen(f->md5) == 32);
            CHECK(!f->sha256 || strlen(f->sha256) == 64);
        }
    }
    CHECK_FAILS(ec_fetch_find("cifar1", &found, &err), EC_E_NOT_FOUND, "\"cifar10\"");
}

TEST(an_archive_is_downloaded_once)
{
    struct ec_buf tar = EC_BUF_INIT;
    struct ec_err err = { 0 };
    bool already = true;
    enum ec_status st;

    add_tar(&tar, "top/", '5', "", "");
    add_tar(&tar, "top/a.txt", '0', "", "hello");
    add_tar(&tar, "top/deep/er/b.txt", '0', "", "");
    end_tar(&tar);
    if (!start_server("t.tar", tar.data, tar.len))
        return;
    make_set("t.tar", EC_FETCH_TAR, &tar);
    st = fetch(&already, &err);
    if (can(st, &err)) {
        CHECK_OK(st);
        CHECK(!already);
        check_text("tiny/top/a.txt", "hello");
        check_text("tiny/top/deep/er/b.txt", "");
        CHECK(!is_there("tiny.part") && !is_there("tiny.new"));
        CHECK_OK(fetch(&already, &err));
        CHECK(already);
        CHECK_INT(srv.answers, 1);
    }
    stop_server();
    ec_buf_clear(&tar);
    remove_dir();
}

TEST(a_cut_download_goes_on)
{
    struct ec_buf data = EC_BUF_INIT;
    struct ec_err err = { 0 };
    bool already;
    int i;

    for (i = 0; i < 3000; i++)
        ec_buf_printf(&data, "%d\n", i);
    if (!start_server("d", data.data, data.len))
        return;
    make_set("d", EC_FETCH_PLAIN, &data);
    srv.cut_after = 5000;
    if (can(fetch(&already, &err), &err)) {
        CHECK_HAS(err.text, "after 5000 bytes; call again to continue");
        CHECK(!is_there("tiny") && is_there("tiny.part/d") && !is_there("tiny.new"));
        CHECK_OK(fetch(&already, &err));
        CHECK_INT(srv.last_from, 5000);
        check_text("tiny/d", ec_buf_text(&data));
    }
    stop_server();
    remove_dir();
    if (!start_server("d", data.data, data.len)) /* one that cannot begin in the middle */
        return;
    make_set("d", EC_FETCH_PLAIN, &data);
    srv.cut_after = 5000;
    srv.no_range = true;
    if (can(fetch(&already, &err), &err)) {
        CHECK_OK(fetch(&already, &err));
        check_text("tiny/d", ec_buf_text(&data));
    }
    stop_server();
    ec_buf_clear(&data);
    remove_dir();
}

TEST(what_differs_is_refused)
{
    struct ec_buf data = EC_BUF_INIT;
    struct ec_err err = { 0 };
    bool already;

    ec_buf_str(&data, "what was published");
    if (!start_server("d", data.data, data.len))
        return;
    make_set("d", EC_FETCH_PLAIN, &data);
    srv.data = (const unsigned char *)"what was published?";
    if (can(fetch(&already, &err), &err)) { /* 18 of 19 bytes: the same, then too many */
        (void)snprintf(g_md5, sizeof g_md5, "00000000000000000000000000000000");
        CHECK(is_there("tiny"));
        CHECK_OK(fetch(&already, &err));
        g_set.name = "tiny2";
        {
            struct ec_fetch_opts o = { .dir = g_dir };
            struct ec_buf path = EC_BUF_INIT;

            CHECK_FAILS(ec_fetch(&g_set, &o, &path, &already, &err), EC_E_PARSE,
                        "expected 00000000000000000000000000000000 (made here)");
            CHECK(!is_there("tiny2") && !is_there("tiny2.part/d"));
            ec_buf_reset(&path);
            srv.len = 19;
            CHECK_FAILS(ec_fetch(&g_set, &o, &path, &already, &err), EC_E_PARSE,
                        "more than the 18 bytes");
            ec_buf_clear(&path);
        }
    }
    stop_server();
    ec_buf_clear(&data);
    remove_dir();
}

TEST(missing_files_and_servers_are_told)
{
    struct ec_buf data = EC_BUF_INIT;
    struct ec_err err = { 0 };
    bool already;

    ec_buf_str(&data, "x");
    if (!start_server("other", data.data, data.len))
        return;
    make_set("d", EC_FETCH_PLAIN, &data);
    if (can(fetch(&already, &err), &err)) {
        CHECK_HAS(err.text, "/d: the server answers 404");
        stop_server();
        CHECK_FAILS(fetch(&already, &err), EC_E_IO, "no connection");
        CHECK_HAS(err.text, "--url");
    } else {
        stop_server();
    }
    ec_buf_clear(&data);
    remove_dir();
}

static void check_hostile(const char *name, char type, const char *link, const char *text,
                          const char *part)
{
    struct ec_buf tar = EC_BUF_INIT;
    struct ec_err err = { 0 };
    int64_t budget = 4000;
    char archive[128], to[128];

    (void)snprintf(g_dir, sizeof g_dir, "/tmp/ec-test-fetch-XXXXXX");
    CHECK(mkdtemp(g_dir) != NULL);
    add_tar(&tar, "fine", '0', "", "x");
    add_tar(&tar, name, type, link, text);
    end_tar(&tar);
    (void)snprintf(archive, sizeof archive, "%s/t.tar", g_dir);
    (void)snprintf(to, sizeof to, "%s/to", g_dir);
    CHECK_INT(mkdir(to, 0777), 0);
    CHECK_OK(ec_file_write(archive, tar.data, tar.len, &err));
    err.text[0] = '\0';
    if (can(ec__unpack_tar(archive, to, &budget, &err), &err))
        CHECK_HAS(err.text, part);
    CHECK(!is_there("evil"));
    ec_buf_clear(&tar);
    remove_dir();
}

TEST(hostile_archives_are_refused)
{
    char many[2000];

    memset(many, 'x', sizeof many);
    many[sizeof many - 1] = '\0';
    check_hostile("../evil", '0', "", "x", "which lies outside");
    check_hostile("a/../../evil", '0', "", "x", "which lies outside");
    check_hostile("/tmp/ec-evil", '0', "", "x", "which lies outside");
    check_hostile("link", '2', "/etc/passwd", "", "which is no plain file");
    check_hostile("hard", '1', "../../evil", "", "which is no plain file");
    check_hostile("pipe", '6', "", "", "which is no plain file");
    check_hostile("large", '0', "", many, "unpacks to more than it should");
    check_hostile("fine", '0', "", "x", "cannot create"); /* the same name twice */
}

/* Files without a byte take room as well. */
TEST(archives_of_empty_files_have_an_end)
{
    struct ec_buf tar = EC_BUF_INIT;
    struct ec_err err = { 0 };
    int64_t budget = 100000;
    char archive[128], to[128], name[32];
    int i;

    (void)snprintf(g_dir, sizeof g_dir, "/tmp/ec-test-fetch-XXXXXX");
    CHECK(mkdtemp(g_dir) != NULL);
    for (i = 0; i < 1000; i++) {
        (void)snprintf(name, sizeof name, "%d", i);
        add_tar(&tar, name, i % 2 ? '0' : '5', "", "");
    }
    end_tar(&tar);
    (void)snprintf(archive, sizeof archive, "%s/t.tar", g_dir);
    (void)snprintf(to, sizeof to, "%s/to", g_dir);
    CHECK_INT(mkdir(to, 0777), 0);
    CHECK_OK(ec_file_write(archive, tar.data, tar.len, &err));
    err.text[0] = '\0';
    if (can(ec__unpack_tar(archive, to, &budget, &err), &err))
        CHECK_HAS(err.text, "98 files and more");
    CHECK(!is_there("to/200"));
    ec_buf_clear(&tar);
    remove_dir();
}

TEST(paths_that_lead_outside)
{
    CHECK(ec__path_is_inside("a/b.c"));
    CHECK(ec__path_is_inside("./a/"));
    CHECK(ec__path_is_inside("a..b"));
    CHECK(!ec__path_is_inside(""));
    CHECK(!ec__path_is_inside("/a"));
    CHECK(!ec__path_is_inside(".."));
    CHECK(!ec__path_is_inside("a/.."));
    CHECK(!ec__path_is_inside("a//b"));
    CHECK(!ec__path_is_inside("a\\..\\b"));
}

/* Names that a server has mixed up are put right by the checksums. */
TEST(files_are_named_by_their_checksums)
{
    char a_sum[EC__MD5_TEXT_BYTES], b_sum[EC__MD5_TEXT_BYTES];
    struct ec_fetch_file files[2] = {
        {"x",  0, a_sum, NULL, EC_FETCH_PLAIN},
        { "y", 0, b_sum, NULL, EC_FETCH_PLAIN},
    };
    struct ec_buf data = EC_BUF_INIT;
    struct ec_err err = { 0 };
    bool already;

    ec_buf_str(&data, "b");
    ec__md5("a", 1, a_sum);
    ec__md5("b", 1, b_sum);
    if (!start_server("x", data.data, data.len))
        return;
    srv.other = "/y";
    srv.other_data = (const unsigned char *)"a";
    make_set("x", EC_FETCH_PLAIN, &data);
    g_set.files = files;
    g_set.n_files = 2;
    if (can(fetch(&already, &err), &err)) {
        check_text("tiny/x", "a");
        check_text("tiny/y", "b");
    }
    stop_server();
    ec_buf_clear(&data);
    remove_dir();
}

/* A file that was made to have the MD5 of another does not pass for it. */
TEST(a_published_sha256_decides_alone)
{
    char sha256[EC_SHA256_TEXT_BYTES];
    struct ec_buf data = EC_BUF_INIT;
    struct ec_err err = { 0 };
    bool already;

    ec_buf_str(&data, "forged");
    ec_sha256("honest", 6, sha256);
    if (!start_server("d", data.data, data.len))
        return;
    make_set("d", EC_FETCH_PLAIN, &data);
    g_file.sha256 = sha256;
    if (can(fetch(&already, &err), &err)) {
        CHECK_HAS(err.text, "d: checksum ");
        CHECK(!is_there("tiny") && !is_there("tiny.part/d"));
        ec_sha256("forged", 6, sha256);
        (void)snprintf(g_md5, sizeof g_md5, "00000000000000000000000000000000");
        CHECK_OK(fetch(&already, &err));
        check_text("tiny/d", "forged");
    }
    stop_server();
    ec_buf_clear(&data);
    remove_dir();
}

TEST(gzip_is_unpacked_within_its_budget)
{
    static const unsigned char gz[] = { 0x1f, 0x8b, 8,    0,    0,    0,    0, 0, 2, 3, 0x4b,
                                        4,    0,    0x43, 0xbe, 0xb7, 0xe8, 1, 0, 0, 0 }; /* "a" */
    struct ec_buf data = EC_BUF_INIT;
    struct ec_err err = { 0 };
    bool already;

    ec_buf_add(&data, gz, sizeof gz);
    if (!start_server("x.gz", data.data, data.len))
        return;
    make_set("x.gz", EC_FETCH_GZIP, &data);
    g_set.unpacked_bytes = 0;
    if (can(fetch(&already, &err), &err)) {
        CHECK_HAS(err.text, "unpacks to more than it should");
        CHECK(!is_there("tiny") && !is_there("tiny.new"));
        g_set.unpacked_bytes = 1;
        CHECK_OK(fetch(&already, &err));
        CHECK_INT(srv.answers, 1); /* what was whole was kept */
        check_text("tiny/x", "a");
    }
    stop_server();
    ec_buf_clear(&data);
    remove_dir();
}
