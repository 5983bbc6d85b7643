/* Protobuf wire format: numbers, lengths, and bytes that lie. */
#include "test.h"

#include "graph/wire_internal.h"

TEST(numbers_and_text_come_back)
{
    struct ec_buf b = EC_BUF_INIT;
    struct ec__field f;
    struct ec__wire w;

    ec__wire_put_int(&b, 1, 300);
    ec__wire_put_int(&b, 2, -1);
    ec__wire_put_float(&b, 3, 1.5);
    ec__wire_put_str(&b, 4, "abc");
    w = ec__wire_of(b.data, b.len);
    CHECK(ec__wire_next(&w, &f) && f.num == 1 && f.u == 300);
    CHECK(ec__wire_next(&w, &f) && f.num == 2 && (int64_t)f.u == -1);
    CHECK(ec__wire_next(&w, &f) && f.num == 3);
    CHECK_NEAR(ec__wire_float(f.u), 1.5, 0);
    CHECK(ec__wire_next(&w, &f) && f.num == 4 && ec_span_eq(f.span, "abc"));
    CHECK(!ec__wire_next(&w, &f));
    CHECK(!w.bad);
    ec_buf_clear(&b);
}

TEST(packed_numbers_are_read_to_their_end)
{
    static const unsigned char bytes[] = { 1, 0x80, 1, 3 };
    struct ec__wire w = ec__wire_of(bytes, sizeof bytes);
    uint64_t u = 0;

    CHECK(ec__wire_packed(&w, EC__WIRE_VARINT, &u) && u == 1);
    CHECK(ec__wire_packed(&w, EC__WIRE_VARINT, &u) && u == 128);
    CHECK(ec__wire_packed(&w, EC__WIRE_VARINT, &u) && u == 3);
    CHECK(!ec__wire_packed(&w, EC__WIRE_VARINT, &u));
    CHECK(!w.bad);
}

static const char *why(const char *bytes, size_t len)
{
    struct ec__wire w = ec__wire_of(bytes, len);
    struct ec__field f;

    while (ec__wire_next(&w, &f))
        ;
    return w.bad ? w.bad : "";
}

#define WHY(text) why(text, sizeof(text) - 1)

TEST(bytes_that_lie_are_named)
{
    CHECK_STR(WHY("\x0a\x05"
                  "ab"),
              "a part claims more bytes than there are");
    CHECK_STR(WHY("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"),
              "a part claims more bytes than there are");
    CHECK_STR(WHY("\x08\x80"), "it ends inside a number");
    CHECK_STR(WHY("\x08"), "it ends inside a number");
    CHECK_STR(WHY("\x0d\x01\x02"), "it ends inside a number");
    CHECK_STR(WHY("\x08\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01"),
              "a number is longer than 64 bits");
    CHECK_STR(WHY("\x0b"
                  "x"),
              "a field is of an unknown kind");
    CHECK_STR(WHY("\x00\x01"), "a field number is out of range");
    CHECK_STR(WHY(""), "");
}
