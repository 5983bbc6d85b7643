/* Runs a fuzz target over files and folders of files, when no fuzzing engine is linked. */
#include "fuzz.h"

#include "base/base.h"

#include <dirent.h>
#include <stdio.h>
#include <sys/stat.h>

static int run_file(const char *path)
{
    struct ec_err err = { .status = EC_OK };
    struct ec_file f = { 0 };

    if (ec_file_open(path, (size_t)1 << 30, &f, &err)) {
        (void)fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    (void)LLVMFuzzerTestOneInput(f.data, f.len);
    ec_file_close(&f);
    return 0;
}

static int run_folder(const char *path, int *n_run)
{
    DIR *dir = opendir(path);
    struct dirent *entry;
    char file[4096];
    int bad = 0;

    if (!dir)
        return 1;
    while ((entry = readdir(dir))) {
        if (entry->d_name[0] == '.')
            continue;
        (void)snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
        (void)fprintf(stderr, "%s\n", file); /* the last line names the culprit of a crash */
        bad += run_file(file);
        ++*n_run;
    }
    (void)closedir(dir);
    return bad;
}

int main(int argc, char **argv)
{
    int i, bad = 0, n_run = 0;
    struct stat info;

    for (i = 1; i < argc; i++) {
        if (stat(argv[i], &info) == 0 && S_ISDIR(info.st_mode)) {
            bad += run_folder(argv[i], &n_run);
        } else {
            bad += run_file(argv[i]);
            n_run++;
        }
    }
    (void)printf("%s %d inputs\n", bad ? "FAILED" : "ok", n_run);
    return bad || !n_run;
}
