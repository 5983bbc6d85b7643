/* What the files of a folder without tables are for. */
#include "predict/predict.h"

#include "base/base.h"

#define NAMES_MAX 6 /* of a kind */

enum ec_status ec_no_table(const char *folder, const char *also, struct ec_arena *a,
                           struct ec_err *err)
{
    static const char *const uses[] = { "; for --device: ", "; for `epochcast predict`: " };
    struct ec_buf said = EC_BUF_INIT;
    struct ec_strs files = { 0 };
    bool is_folder;
    enum ec_status st;
    int of, i, n;

    EC_TRY(ec_files_find(folder, "*.json", a, &files, &is_folder, err));
    for (of = 0; of < EC_LEN(uses); of++)
        for (i = n = 0; i < files.n && n < NAMES_MAX; i++) {
            struct ec_graph *g = NULL;
            bool device = ec_device_in_file(files.v[i]);

            if (of ? !device && !ec_graph_open(files.v[i], NULL, &g, NULL) : device)
                ec_buf_printf(&said, "%s%.40s", n++ ? ", " : uses[of], ec_path_name(files.v[i]));
            ec_graph_free(g);
        }
    EC_TRY(ec_buf_status(&said, err));
    st = ec_fail(err, EC_E_NOT_FOUND, "%s holds no table: expected files named *.csv%s%s", folder,
                 also, ec_buf_text(&said));
out:
    ec_buf_clear(&said);
    return st;
}
