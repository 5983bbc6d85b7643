/* In a build of the predictor alone (parts=predict): no store of measurements can be opened, so
 * none is ever read. */
#include "store/store.h"

enum ec_status ec_store_path(const char *given, char *(*env)(const char *), struct ec_buf *ret,
                             struct ec_err *err)
{
    (void)env;
    ec_buf_str(ret, given ? given : "");
    return ec_buf_status(ret, err);
}

static enum ec_status no_store(struct ec_err *err)
{
    return ec_fail(err, EC_E_UNSUPPORTED,
                   "this build leaves out the store of measurements (parts=predict)");
}

enum ec_status ec_store_open(const char *path, unsigned flags, struct ec_store **ret,
                             struct ec_err *err)
{
    (void)path, (void)flags, (void)ret;
    return no_store(err);
}

void ec_store_close(struct ec_store *s)
{
    (void)s;
}

enum ec_status ec_store_select(struct ec_store *s, const struct ec_store_query *query,
                               struct ec_store_rows **ret, struct ec_err *err)
{
    (void)s, (void)query, (void)ret;
    return no_store(err);
}

enum ec_status ec_store_next(struct ec_store_rows *rows, const struct ec_stored **ret,
                             struct ec_err *err)
{
    (void)rows, (void)ret;
    return no_store(err);
}

void ec_store_rows_free(struct ec_store_rows *rows)
{
    (void)rows;
}
