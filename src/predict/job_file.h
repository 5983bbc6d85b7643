/* A job as the file of a training tool describes it: Hugging Face, LLaMA-Factory, axolotl,
 * torchtitan, Megatron-LM. docs/job-files.md */
#ifndef EC_PREDICT_JOB_FILE_H
#define EC_PREDICT_JOB_FILE_H

#include "base/base.h"

struct ec_predict_opts;

/* Everything lives in the arena of the call. */
struct ec_job_file {
    const char *format; /* "axolotl" */
    const char *model;  /* name or path of a network; NULL: the file has none that is known */
    struct ec_strs read, assumed, unknown; /* what was done with its keys, for people */
    struct ec_strs set;                    /* names of the options that were set */
    int n_idle;                            /* keys that do not change the time */
};

/* Reads a file and sets options by it, but those that were given.
 * given   names of options of the command line, which stand above the file
 * Errors  NOT_FOUND, IO, PARSE; UNSUPPORTED for a format that is not known */
enum ec_status ec_job_file_read(const char *path, const struct ec_strs *given,
                                struct ec_predict_opts *o, struct ec_job_file *ret,
                                struct ec_arena *a, struct ec_err *err) EC_MUST_CHECK;
/* The same of a text; path: for the sentences, and where the files beside it are. */
enum ec_status ec_job_file_parse(const char *path, struct ec_span text, const struct ec_strs *given,
                                 struct ec_predict_opts *o, struct ec_job_file *ret,
                                 struct ec_arena *a, struct ec_err *err) EC_MUST_CHECK;
/* The option that says what a training tool's key or argument says: "recompute" of
 * "gradient_checkpointing"; "" : none is known. */
void ec_job_option(const char *key, char *ret, size_t size);

#endif
