/* Files of devices, each read once: JSON as `device show` writes it, one object of numbers, a CSV.
 * docs/device-file.md */
#include "hw/device_internal.h"

#include <pthread.h>
#include <string.h>
#include <strings.h>

/* ".json" or ".csv" ends the name of the file, at the end of the word or before the ':' of a row.
 */
static const char *path_end(const char *word)
{
    static const char *const endings[] = { ".json", ".csv" };
    const char *p;
    int i;

    for (p = strchr(word, '.'); p; p = strchr(p + 1, '.'))
        for (i = 0; i < EC_LEN(endings); i++) {
            size_t len = strlen(endings[i]);

            if (strncasecmp(p, endings[i], len) == 0 && (!p[len] || p[len] == ':'))
                return p + len;
        }
    return NULL;
}

bool ec_device_is_file(const char *word)
{
    return path_end(word) != NULL;
}

/* A file that is being read: which of its devices are wanted, and those found. */
struct file {
    const char *name;   /* without folders */
    const char *wanted; /* name or pattern of a row; NULL: all */
    bool several;       /* each is called FILE:ROW */
    bool of_json;
    struct ec_buf others; /* names of the first that are not wanted */
    struct ec_arena *a;   /* holds the devices */
    const struct ec_device **list;
    int n;
};

static bool is_wanted(const struct file *f, const char *row)
{
    char a[EC_DEVICE_NAME_MAX], b[EC_DEVICE_NAME_MAX];

    if (!f->wanted)
        return true;
    if (!row || strpbrk(f->wanted, "*?"))
        return row && ec_str_glob(f->wanted, row);
    return ec_device_fold(f->wanted, a, sizeof a) > 0 && ec_device_fold(row, b, sizeof b) > 0 &&
           ec_str_eq(a, b);
}

/* row: its name; NULL: it has none. */
static enum ec_status add_device(struct file *f, const struct ec_jval *object, const char *row,
                                 struct ec_err *err)
{
    struct ec__sheet_names names = { .key = f->name, .row = row, .of_json = f->of_json };
    enum ec_status st = EC_OK;
    int i;

    if (object->type != EC_J_OBJECT)
        EC_TRY(ec_fail(err, EC_E_PARSE, "expected an object of numbers for each device"));
    if (f->n == EC__DEVICES_OF_FILE)
        EC_TRY(ec_fail(err, EC_E_INPUT, "more than %d devices", EC__DEVICES_OF_FILE));
    if (f->several && (!row || strpbrk(row, ",*?")))
        EC_TRY(ec_fail(err, EC_E_INPUT, "no name for a device; expected text without , * and ?"));
    if (f->several)
        names.key = ec_arena_printf(f->a, "%s:%s", f->name, row);
    names.file = ec_arena_strn(f->a, f->name, (size_t)(strrchr(f->name, '.') - f->name));
    EC_TRY(ec_allocated(names.key && names.file, err));
    if (strlen(names.key) >= EC_DEVICE_NAME_MAX)
        EC_TRY(ec_fail(err, EC_E_INPUT, "\"%.80s\" is longer than %d bytes", names.key,
                       EC_DEVICE_NAME_MAX - 1));
    for (i = 0; i < f->n; i++)
        if (ec_str_eq(f->list[i]->key, names.key))
            EC_TRY(ec_fail(err, EC_E_INPUT, "two devices have this name"));
    EC_TRY(ec__device_sheet(object, &names, f->a, &f->list[f->n], err));
    f->n++;
out:
    if (st && row)
        ec_err_prefix(err, "%.60s: ", row);
    return st;
}

static enum ec_status add_wanted(struct file *f, const struct ec_jval *object, const char *row,
                                 struct ec_err *err)
{
    if (is_wanted(f, row))
        return add_device(f, object, row, err);
    if (f->others.len < 100)
        ec_buf_printf(&f->others, "%s%.40s", f->others.len ? ", " : "; it has ",
                      row ? row : "one without a name");
    return EC_OK;
}

static const char *row_of(const struct ec_jval *object)
{
    const struct ec_jval *key = NULL, *name = NULL;

    if (object->type == EC_J_OBJECT) {
        key = ec_json_get(object, "key");
        name = ec_json_get(object, "name");
    }
    key = key && key->type == EC_J_STR ? key : name;
    return key && key->type == EC_J_STR && *key->str ? key->str : NULL;
}

static enum ec_status read_json(struct file *f, struct ec_span text, struct ec_err *err)
{
    const struct ec_jval *root = NULL, *list, *v;

    EC_PASS(ec_json_parse(text.p, text.len, f->a, &root, err));
    list = root->type == EC_J_OBJECT ? ec_json_get(root, "devices") : root;
    if (!list || list->type != EC_J_ARRAY)
        return add_device(f, root, row_of(root), err);
    f->several = list->n > 1 || f->wanted;
    for (v = list->child; v; v = v->next)
        EC_PASS(add_wanted(f, v, row_of(v), err));
    return EC_OK;
}

/* A row as an object: the cells that are not empty, by the names of their columns. The first column
 * has the name of the device. */
static enum ec_status read_csv(struct file *f, struct ec_span text, struct ec_err *err)
{
    struct ec_csv csv = { 0 };
    struct ec_jval *cell = NULL, object = { .type = EC_J_OBJECT };
    enum ec_status st;
    int row, col, n;

    EC_TRY(ec_csv_parse(text.p, text.len, &csv, err));
    cell = ec_alloc(sizeof *cell * (size_t)csv.n_cols);
    EC_TRY(ec_allocated(cell, err));
    f->several = true;
    for (row = 0; row < csv.n_rows; row++) {
        for (col = 1, n = 0; col < csv.n_cols; col++)
            if (*ec_csv_cell(&csv, row, col)) {
                cell[n] = (struct ec_jval){ .type = EC_J_STR,
                                            .key = csv.names[col],
                                            .str = ec_csv_cell(&csv, row, col) };
                if (n++)
                    cell[n - 2].next = &cell[n - 1];
            }
        object.child = n ? cell : NULL;
        EC_TRY(add_wanted(f, &object, *ec_csv_cell(&csv, row, 0) ? ec_csv_cell(&csv, row, 0) : NULL,
                          err));
    }
out:
    ec_free(cell);
    ec_csv_clear(&csv);
    return st;
}

enum ec_status ec__devices_parse(const char *name, const char *wanted, struct ec_span text,
                                 struct ec_arena *a, const struct ec_device ***ret, int *ret_count,
                                 struct ec_err *err)
{
    struct file f = { .name = name,
                      .wanted = wanted,
                      .of_json = !ec_str_ieq(strrchr(name, '.'), ".csv"),
                      .others = EC_BUF_INIT,
                      .a = a };
    enum ec_status st;

    f.list = ec_arena_alloc(a, sizeof *f.list * EC__DEVICES_OF_FILE);
    EC_PASS(ec_allocated(f.list, err));
    EC_TRY(f.of_json ? read_json(&f, text, err) : read_csv(&f, text, err));
    if (!f.n)
        EC_TRY(ec_fail(err, EC_E_NOT_FOUND, "no device \"%.60s\"%s", wanted ? wanted : "*",
                       ec_buf_text(&f.others)));
    *ret = f.list;
    *ret_count = f.n;
out:
    ec_buf_clear(&f.others);
    return st;
}

/* --- The files that were read --- */

#define FILE_MAX_BYTES ((size_t)1 << 20)
#define FILES_MAX 256 /* of a process */

struct read_file {
    struct read_file *next;
    struct ec_arena arena;
    const char *word, *path;
    const struct ec_device **list;
    int n;
};

static pthread_mutex_t files_lock = PTHREAD_MUTEX_INITIALIZER;
static struct read_file *files;
static int n_files;

/* The file that was read by this word; NULL: none. */
static const struct read_file *file_of(const char *word)
{
    const struct read_file *f;

    (void)pthread_mutex_lock(&files_lock);
    for (f = files; f && !ec_str_eq(f->word, word); f = f->next)
        continue;
    (void)pthread_mutex_unlock(&files_lock);
    return f;
}

/* The device of this key among those read, and where it is from; under the lock. */
static const struct ec_device *device_read(const char *key, const char **ret_path)
{
    const struct read_file *f;
    int i;

    for (f = files; f; f = f->next)
        for (i = 0; i < f->n; i++)
            if (ec_str_eq(f->list[i]->key, key)) {
                *ret_path = f->path;
                return f->list[i];
            }
    return NULL;
}

enum ec_status ec__device_read_as(const char *word, const struct ec_device **ret,
                                  struct ec_err *err)
{
    const struct read_file *f = file_of(word);
    const struct ec_device *d = f && f->n == 1 ? f->list[0] : NULL;
    const char *path;

    if (f && f->n > 1)
        return ec_fail(err, EC_E_INPUT, "%.80s has %d devices, expected one, such as \"%s\"", word,
                       f->n, f->list[0]->key);
    (void)pthread_mutex_lock(&files_lock);
    d = d ? d : device_read(word, &path);
    (void)pthread_mutex_unlock(&files_lock);
    if (!d)
        return ec_fail(err, EC_E_NOT_FOUND, "%.80s: a file of a device that was not read", word);
    *ret = d;
    return EC_OK;
}

/* A device that was read before stays the one of its key. */
static enum ec_status keep_file(struct read_file *f, struct ec_err *err)
{
    const struct ec_device *before;
    const char *path = NULL;
    enum ec_status st = EC_OK;
    int i;

    (void)pthread_mutex_lock(&files_lock);
    if (n_files == FILES_MAX)
        EC_TRY(ec_fail(err, EC_E_INPUT, "more than %d files of devices", FILES_MAX));
    for (i = 0; i < f->n; i++) {
        before = device_read(f->list[i]->key, &path);
        if (before && !ec_str_eq(path, f->path))
            EC_TRY(ec_fail(err, EC_E_INPUT, "%.80s and %.80s have the same name: rename one", path,
                           f->path));
        f->list[i] = before ? before : f->list[i];
    }
    f->next = files;
    files = f;
    n_files++;
out:
    (void)pthread_mutex_unlock(&files_lock);
    return st;
}

/* word: "folder/GPUs.csv:L4" */
static enum ec_status parse_file(struct read_file *f, const char *word, struct ec_err *err)
{
    const char *end = path_end(word), *slash;
    struct ec_file file = { 0 };
    struct ec_span text;
    enum ec_status st;

    f->word = ec_arena_str(&f->arena, word);
    f->path = ec_arena_strn(&f->arena, word, (size_t)(end - word));
    EC_TRY(ec_allocated(f->word && f->path, err));
    EC_TRY(ec_file_open(f->path, FILE_MAX_BYTES, &file, err));
    slash = strrchr(f->path, '/');
    text = ec_span_after_mark((struct ec_span){ (const char *)file.data, file.len });
    st = ec__devices_parse(slash ? slash + 1 : f->path, *end ? end + 1 : NULL, text, &f->arena,
                           &f->list, &f->n, err);
    if (st)
        ec_err_prefix(err, "%.80s: ", f->path);
out:
    ec_file_close(&file);
    return st;
}

bool ec_device_in_file(const char *word)
{
    struct read_file f = { 0 };
    bool found = ec_device_is_file(word) && !parse_file(&f, word, NULL);

    ec_arena_clear(&f.arena);
    return found;
}

bool ec__devices_read_as(const char *word, const struct ec_device ***ret, int *ret_count)
{
    const struct read_file *f = file_of(word);

    if (f) {
        *ret = f->list;
        *ret_count = f->n;
    }
    return f != NULL;
}

enum ec_status ec_device_read(const char *word, const struct ec_device **ret, struct ec_err *err)
{
    const struct read_file *known;
    struct read_file *f = NULL;
    enum ec_status st = EC_OK;

    EC_NEED(err, word);
    if (!ec_device_is_file(word))
        return ec_fail(err, EC_E_INPUT, "\"%.80s\": expected FILE.json or FILE.csv:ROW", word);
    known = file_of(word);
    if (!known) {
        f = ec_alloc(sizeof *f);
        EC_PASS(ec_allocated(f, err));
        EC_TRY(parse_file(f, word, err));
        EC_TRY(keep_file(f, err));
        known = f;
        f = NULL;
    }
    if (ret)
        *ret = known->list[0];
out:
    if (f)
        ec_arena_clear(&f->arena);
    ec_free(f);
    return st;
}
