/* Walks every row of the operator list. */
#include "op/op.h"
#include "test.h"

TEST(every_row_keeps_its_contract)
{
    struct ec_err err = { 0 };

    CHECK_INT(ec_ops_check(&err), EC_OK);
    CHECK_STR(err.text, "");
}
