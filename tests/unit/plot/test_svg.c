/* SVG is well-formed whatever the texts are; golden files hold the layout. */
#include "test.h"

#include "plot/plots.h"

#include <stdlib.h>

/* A small reader of XML: tags nest, attributes are quoted, texts hold no bare '<' or '&'. Returns
 * NULL, or what is wrong. */
static const char *misformed(const char *p)
{
    const char *open[16];
    size_t len[16];
    int depth = 0;

    while (*p) {
        const char *end;

        if (*p == '&') {
            end = strchr(p, ';');
            if (!end || end - p > 6)
                return "a bare &";
            p = end + 1;
            continue;
        }
        if ((unsigned char)*p < 32 && *p != '\n')
            return "a control character";
        if (*p++ != '<')
            continue;
        if (*p == '/') {
            p++;
            if (!depth || strncmp(p, open[depth - 1], len[depth - 1]) != 0 ||
                p[len[depth - 1]] != '>')
                return "a closing tag without its opening";
            p += len[--depth] + 1;
            continue;
        }
        end = p + strcspn(p, " />\n");
        open[depth] = p;
        len[depth++] = (size_t)(end - p);
        for (p = end; *p && *p != '>' && strncmp(p, "/>", 2) != 0; p++) {
            if (*p == '<')
                return "a tag inside a tag";
            if (*p == '"' && !(p = strchr(p + 1, '"')))
                return "an attribute without end";
        }
        if (*p == '/')
            depth--, p++;
        if (*p++ != '>')
            return "a tag without end";
        if (depth >= 15)
            return "too deep";
    }
    return depth ? "an opening tag without its closing" : NULL;
}

static void svg_of(int i, struct ec_buf *out)
{
    struct ec_drawing d = { 0 };
    struct ec_err err;

    CHECK_OK(ec_plot_draw(plot_sample(i), &d, &err));
    CHECK_OK(ec_drawing_svg(&d, "id", out, &err));
    ec_drawing_clear(&d);
}

TEST(svg_is_well_formed)
{
    int i;

    for (i = 0; i < PLOTS; i++) {
        struct ec_buf out = EC_BUF_INIT;
        const char *why;

        svg_of(i, &out);
        why = misformed(ec_buf_text(&out));
        if (why)
            test_fail(__FILE__, __LINE__, "plot %d: %s", i, why);
        CHECK(!strstr(ec_buf_text(&out), "<script"));
        CHECK(!strstr(ec_buf_text(&out), "nan"));
        CHECK(!strstr(ec_buf_text(&out), "\xe2\x80\xae"));
        ec_buf_clear(&out);
    }
}

TEST(the_same_picture_gives_the_same_bytes)
{
    struct ec_buf a = EC_BUF_INIT, b = EC_BUF_INIT;

    svg_of(1, &a);
    svg_of(1, &b);
    CHECK_STR(ec_buf_text(&a), ec_buf_text(&b));
    ec_buf_clear(&a);
    ec_buf_clear(&b);
}

/* tests/recorded/plots/<i>.svg; EC_UPDATE=1 writes them. */
TEST(pictures_look_as_they_did)
{
    static const int golden[] = { 0, 1, 2, 6 };
    struct ec_err err;
    int i;

    for (i = 0; i < EC_LEN(golden); i++) {
        struct ec_buf out = EC_BUF_INIT;
        struct ec_file f = { 0 };
        char path[64];

        (void)snprintf(path, sizeof path, "tests/recorded/plots/%d.svg", golden[i]);
        svg_of(golden[i], &out);
        if (getenv("EC_UPDATE"))
            CHECK_OK(ec_file_write(path, out.data, out.len, &err));
        CHECK_OK(ec_file_open(path, 0, &f, &err));
        if (f.len != out.len || memcmp(f.data, out.data, out.len) != 0)
            test_fail(__FILE__, __LINE__, "%s differs; EC_UPDATE=1 rewrites it: look at it", path);
        ec_file_close(&f);
        ec_buf_clear(&out);
    }
}

TEST(the_name_says_the_form)
{
    struct ec_drawing d = { 0 };
    struct ec_err err;

    CHECK_OK(ec_plot_draw(plot_sample(0), &d, &err));
    CHECK_FAILS(ec_drawing_write(&d, "picture.jpg", &err), EC_E_INPUT, "ends with .svg or .png");
    ec_drawing_clear(&d);
}
