/* SHA-256 against the examples of its standard and lengths about the block size. */
#include "test.h"

static void check(const char *text, size_t len, const char *want, int line)
{
    char got[EC_SHA256_TEXT_BYTES];

    ec_sha256(text, len, got);
    test_str(__FILE__, line, "digest", got, want);
}

TEST(examples_of_the_standard)
{
    static const char two_blocks[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";

    check("", 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", __LINE__);
    check("abc", 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", __LINE__);
    check(two_blocks, 56, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
          __LINE__);
}

TEST(a_million_letters)
{
    size_t n = 1000000;
    char *text = ec_alloc(n);

    memset(text, 'a', n);
    check(text, n, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0", __LINE__);
    ec_free(text);
}
