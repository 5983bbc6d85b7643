/* epochcast predict: time, throughput and memory of a network or an operator, on one device or in
 * comparison; and the same for a stream of JSON requests. */
#include "cli/predict_cmd_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A model file is open for as long as it is read. */
#define OPEN_FILES_MAX 64

enum { SANDBOX_AUTO, SANDBOX_REQUIRE, SANDBOX_OFF };
static const char *const sandbox_names[] = { "auto", "require", "off", NULL };

#include "predict_cmd.h"

enum ec_status ec__use_profile(struct ec_call *call, const char *path, struct ec_predictor *p,
                               const struct ec_device **devices, int n, struct ec_err *err)
{
    int i;

    if (!path)
        return ec_predictor_use_profile(p, call->profile, err);
    EC_PASS(ec_predictor_use_profile(p, path, err));
    for (i = 0; i < n; i++)
        if (ec_str_eq(ec_device_key(devices[i]), ec_predictor_profile(p)->device))
            return EC_OK;
    return ec_usage(call, err, "%s is a profile of %s, which --device does not name", path,
                    ec_predictor_profile(p)->device);
}

static enum ec_status evidence_of(struct ec_call *call, struct ec_store *store, struct answer *a,
                                  struct ec_err *err)
{
    const struct predict_cmd_opts *o = call->opts;
    struct ec_evidence_query q = { o->op ? NULL : a->model, o->op, a->device, &a->query,
                                   a->r.batch };

    a->evidence = ec_arena_alloc(&call->arena, sizeof *a->evidence * (size_t)o->evidence);
    EC_PASS(ec_allocated(a->evidence, err));
    return ec_evidence_find(store, &q, &call->arena, a->evidence, (int)o->evidence, &a->n_evidence,
                            err);
}

/* Without a store predictions are printed all the same, with a note that there is no store. */
static enum ec_status add_evidence(struct ec_call *call, struct answer *a, int n,
                                   struct ec_err *err)
{
    const struct predict_cmd_opts *o = call->opts;
    struct ec_buf path = EC_BUF_INIT;
    struct ec_store *store = NULL;
    const char *why = NULL;
    enum ec_status st = EC_OK;
    int i;

    if (!o->evidence)
        return EC_OK;
    EC_TRY(ec_store_path(o->store, getenv, &path, err));
    st = ec_store_open(ec_buf_text(&path), EC_STORE_READ, &store, err);
    if (st == EC_E_NOT_FOUND)
        why = ec_arena_printf(&call->arena,
                              "there is no store of measurements at %s; `epochcast data import` "
                              "makes one",
                              ec_buf_text(&path));
    else
        EC_TRY(st);
    st = EC_OK;
    for (i = 0; i < n; i++) {
        a[i].no_evidence = why;
        if (store && !a[i].st)
            EC_TRY(evidence_of(call, store, &a[i], err));
    }
out:
    ec_store_close(store);
    ec_buf_clear(&path);
    return st;
}

/* Where devices share a network the batch of one is no free choice. */
static void add_largest(struct ec_predictor *p, struct answer *a)
{
    struct ec_predict_opts query = a->query;

    query.batch = EC_BATCH_MAX;
    if (!a->st && !a->r.is_shared && !query.global_batch && ec_device_usable_bytes(a->used) > 0 &&
        ec_predict_batch(p, a->model, a->device, &query, &a->largest_batch, NULL))
        a->largest_batch = 0;
}

static enum ec_status check_forms(struct ec_call *call, int n, struct ec_err *err)
{
    const struct predict_cmd_opts *o = call->opts;

    if (o->evidence && !call->forms.json && (n > 1 || call->forms.csv || call->forms.markdown))
        return ec_usage(call, err, "--evidence goes with one answer, or with --json");
    if (o->layers && (n > 1 || o->op || o->method != EC_METHOD_OWN))
        return ec_usage(call, err, "--layers goes with one answer, of a network, by --method %s",
                        ec_method_names[EC_METHOD_OWN]);
    return EC_OK;
}

static enum ec_status card(struct ec_call *call, const struct answer *a, const struct extras *x,
                           struct ec_err *err)
{
    size_t from = call->out.len;

    ec__predict_card(call->opts, a, x, &call->out);
    return ec_call_fit(call, from, err);
}

static enum ec_status ask(struct ec_call *call, struct ec_err *err)
{
    const struct predict_cmd_opts *o = call->opts;
    const struct ec_device **devices = NULL;
    struct ec_predictor *p = NULL;
    struct extras extras = { .has_room = false };
    struct answer *a = NULL;
    enum ec_status st;
    int n = 0, i;

    EC_TRY(ec_devices_named(&o->device, &devices, &n, &call->arena, err));
    EC_TRY(ec_predictor_new(&p, err));
    EC_TRY(ec__use_profile(call, o->profile, p, devices, n, err));
    EC_TRY(ec__predict_ask(call, p, devices, n, &a, &n, err));
    EC_TRY(check_forms(call, n, err));
    ec__predict_job_lines(call);
    EC_TRY(add_evidence(call, a, n, err));
    for (i = 0; o->memory && i < n; i++)
        add_largest(p, &a[i]);
    if (n == 1)
        EC_TRY(ec__predict_extras(call, p, &a[0], &extras, err));
    if (extras.has_layers && (call->forms.csv || call->forms.markdown))
        EC_TRY(ec__predict_layers_table(call, &extras.layers, err));
    else if (call->forms.json)
        ec__predict_json(call, a, n, n == 1 ? &extras : NULL);
    else if (n == 1 && !o->memory && !ec_forms_any(&call->forms))
        EC_TRY(card(call, &a[0], &extras, err));
    else
        EC_TRY(ec__predict_table(call, a, n, err));
    if (extras.has_layers && !ec_forms_any(&call->forms))
        EC_TRY(ec__predict_layers_table(call, &extras.layers, err));
    for (i = 0; i < n && !call->forms.json; i++)
        ec__predict_explain(o, &a[i], &call->out);
out:
    ec_predictor_free(p);
    return st;
}

/* Reads a line; false at the end of the input. A line that is too long is cut, but remains long
 * enough to be refused. */
bool ec_call_line(FILE *in, struct ec_buf *line)
{
    int c;

    ec_buf_reset(line);
    while ((c = getc_unlocked(in)) != EOF && c != '\n')
        if (line->len <= EC_REQUEST_MAX_BYTES)
            ec_buf_char(line, (char)c);
    return c != EOF || line->len;
}

/* Each request may come from somebody else, and so may the model files that it names. */
static enum ec_status give_up_rights(const struct predict_cmd_opts *o, struct ec_err *err)
{
    static const char *const everywhere[] = { "/", NULL };
    struct ec_sandbox_opts opts = { o->files ? everywhere : NULL, OPEN_FILES_MAX,
                                    o->sandbox == SANDBOX_REQUIRE };

    return o->sandbox == SANDBOX_OFF ? EC_OK : ec_sandbox_enter(&opts, NULL, err);
}

/* Writes one answer per line, in order. The output is flushed after each line, because a program
 * may wait for an answer before it writes the next request. */
static enum ec_status serve_lines(struct ec_call *call, FILE *in, const char *name, bool each_line,
                                  struct ec_err *err)
{
    const struct predict_cmd_opts *o = call->opts;
    struct ec_predictor *p = NULL;
    struct ec_buf line = EC_BUF_INIT;
    enum ec_status st;
    int64_t number = 0;

    call->is_data = true;
    EC_TRY(ec_predictor_new(&p, err));
    if (!o->files)
        ec_predictor_refuse_files(p);
    EC_TRY(give_up_rights(o, err));
    while (ec_call_line(in, &line)) {
        struct ec_span text = ec_span_trim((struct ec_span){ ec_buf_text(&line), line.len });

        EC_TRY(ec_buf_status(&line, err));
        number++;
        if (!text.len)
            continue;
        EC_TRY(ec_predict_request(p, text.p, text.len, number, &call->out, err));
        ec_buf_char(&call->out, '\n');
        if (each_line || call->out.len > 1 << 16)
            EC_TRY(ec_call_flush(call, err));
    }
    if (ferror(in))
        EC_TRY(ec_fail(err, EC_E_IO, "%s: cannot read: %s", name, strerror(errno)));
out:
    ec_buf_clear(&line);
    ec_predictor_free(p);
    return st;
}

static enum ec_status serve(struct ec_call *call, struct ec_err *err)
{
    const struct predict_cmd_opts *o = call->opts;
    int own = ec_file_descriptor(o->requests), fd = -1;
    enum ec_status st = EC_OK;
    int64_t bytes = 0;
    FILE *in;

    if (ec_str_eq(o->requests, "-"))
        return serve_lines(call, stdin, "standard input", true, err);
    if (own >= 0)
        fd = dup(own);
    else
        EC_PASS(ec_file_open_read(o->requests, &fd, &bytes, err));
    in = fdopen(fd, "r");
    if (!in)
        return ec_fail(err, EC_E_IO, "%s: cannot open: %s", o->requests, strerror(errno));
    st = serve_lines(call, in, o->requests, own >= 0, err);
    (void)fclose(in);
    return st;
}

static enum ec_status run(struct ec_call *call, struct ec_err *err)
{
    struct predict_cmd_opts *o = call->opts;
    int of_requests;

    o->query.struct_size = sizeof o->query;
    o->query.usual_precision = !ec_call_given(call, "precision");
    o->query.usual_optimizer = !ec_call_given(call, "optimizer");
    o->query.usual_framework = !ec_call_given(call, "framework");
    of_requests = ec_call_given(call, "sandbox") + ec_call_given(call, "files");
    if (!o->requests && of_requests)
        return ec_usage(call, err, "--sandbox and --no-files go with --requests");
    if (o->requests)
        return call->given.n > 1 + of_requests
                   ? ec_usage(call, err,
                              "--requests excludes all other options but --sandbox and --no-files: "
                              "each line is a whole request")
                   : serve(call, err);
    if (ec_call_given(call, "collective") || o->bytes)
        return ec__predict_collective(call, err);
    if (o->job)
        EC_PASS(ec__predict_job_read(call, err));
    if (ec_call_given(call, "optimizer") && o->query.cond.optimizer != EC_OPT_none &&
        o->query.cond.mode != EC_MODE_ISOLATED_STEP &&
        (o->op || o->query.cond.mode != EC_MODE_TRAINING_STEP))
        return ec_usage(call, err,
                        "--optimizer: only a whole training step of a network, or an isolated step "
                        "of an operator, has an update");
    call->wrong_usage = (!call->n_lists && ec_predict_opts_check(&o->query, o->op != NULL, err)) ||
                        ec_method_check(o->method, o->query.host, err);
    return call->wrong_usage ? EC_E_INPUT : ask(call, err);
}
