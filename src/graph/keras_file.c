/* Models of Keras as files: .keras, a zip archive with the description as config.json, and .h5, an
 * HDF5 file with it as the attribute model_config. The weights are not read. */
#include "graph/files_internal.h"

#include <string.h>

#define MODEL_MAX_BYTES ((size_t)8 << 20) /* of the description; large models have 2 MB */

/* --- .h5 --- */

static bool is_hdf5(const void *data, size_t len)
{
    return len >= 8 && memcmp(data, "\x89HDF\r\n\x1a\n", 8) == 0;
}

/* A text of the file's own length, or one that the library holds. */
static enum ec_status copy_text(const struct ec_hdf5 *h, ec_hid attr, ec_hid type, char **ret,
                                struct ec_err *err)
{
    bool held = h->Tis_variable_str(type) > 0;
    size_t bytes = h->Tget_size(type);
    char *text = NULL;

    if (held) {
        if (h->Aread(attr, type, &text) < 0 || !text)
            return ec_fail(err, EC_E_PARSE, "its model_config cannot be read");
        bytes = strlen(text);
    }
    *ret = bytes <= MODEL_MAX_BYTES ? ec_alloc(bytes + 1) : NULL;
    if (*ret && held)
        memcpy(*ret, text, bytes);
    if (held)
        (void)h->free_memory(text);
    if (bytes > MODEL_MAX_BYTES)
        return ec_fail(err, EC_E_PARSE, "its model_config has %zu bytes, expected at most %zu",
                       bytes, MODEL_MAX_BYTES);
    EC_PASS(ec_allocated(*ret, err));
    if (!held && h->Aread(attr, type, *ret) < 0)
        return ec_fail(err, EC_E_PARSE, "its model_config cannot be read");
    return EC_OK;
}

static enum ec_status read_attribute(const struct ec_hdf5 *h, ec_hid file, char **ret,
                                     struct ec_err *err)
{
    ec_hid attr = h->Aexists(file, "model_config") > 0 ? h->Aopen(file, "model_config", 0) : -1;
    ec_hid type = attr >= 0 ? h->Aget_type(attr) : -1, space = attr >= 0 ? h->Aget_space(attr) : -1;
    enum ec_status st;

    if (attr < 0)
        st = ec_fail(err, EC_E_PARSE,
                     "holds no model of Keras, at most its weights: save it by model.save, or give "
                     "what model.to_json() returns");
    else if (type < 0 || space < 0 || h->Tget_class(type) != EC_H5_STRING ||
             h->Sget_simple_extent_npoints(space) != 1)
        st = ec_fail(err, EC_E_PARSE, "its model_config is no text");
    else
        st = copy_text(h, attr, type, ret, err);
    if (space >= 0)
        (void)h->Sclose(space);
    if (type >= 0)
        (void)h->Tclose(type);
    if (attr >= 0)
        (void)h->Aclose(attr);
    return st;
}

static enum ec_status read_hdf5(const char *path, char **ret, struct ec_err *err)
{
    struct ec_hdf5 h;
    enum ec_status st;
    ec_hid file = -1;

    ec_hdf5_begin();
    EC_TRY(ec_hdf5_open(&h, err));
    file = h.Fopen(path, EC_H5_READ_ONLY, 0);
    if (file < 0)
        EC_TRY(ec_fail(err, EC_E_PARSE, "is a damaged HDF5 file"));
    st = read_attribute(&h, file, ret, err);
    (void)h.Fclose(file);
out:
    ec_hdf5_end();
    return st;
}

/* --- Both --- */

static enum ec_status read_text(const char *text, size_t len, const struct ec_graph_opts *opts,
                                struct ec_graph **ret, struct ec_err *err)
{
    const struct ec_jval *root = NULL;
    struct ec_arena a = { 0 };
    enum ec_status st;

    EC_TRY(ec_json_parse(text, len, &a, &root, err));
    if (root->type != EC_J_OBJECT || !ec_json_get(root, "class_name"))
        EC_TRY(ec_fail(err, EC_E_PARSE, "expected an object with \"class_name\""));
    EC_TRY(ec__keras_read(root, opts, ret, err));
out:
    ec_arena_clear(&a);
    return st;
}

enum ec_status ec__keras_file(const char *path, const void *data, size_t len,
                              const struct ec_graph_opts *opts, bool *ret_found,
                              struct ec_graph **ret, struct ec_err *err)
{
    char *text = NULL;
    enum ec_status st = EC_OK;
    size_t text_len = 0;

    *ret_found = false;
    if (is_hdf5(data, len)) {
        *ret_found = true;
        EC_TRY(read_hdf5(path, &text, err));
        text_len = strlen(text);
    } else if (ec_zip_is(data, len)) {
        st = ec_zip_get(data, len, "config.json", MODEL_MAX_BYTES, &text, &text_len, err);
        *ret_found = st || text;
        EC_TRY(st);
    }
    if (text)
        st = ec_within(err, read_text(text, text_len, opts, ret, err),
                       "%s: ", is_hdf5(data, len) ? "model_config" : "config.json");
out:
    ec_free(text);
    return st;
}
