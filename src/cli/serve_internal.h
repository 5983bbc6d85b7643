/* Questions that `epochcast serve` answers, over HTTP and to agents. */
#ifndef EC_SERVE_CMD_INTERNAL_H
#define EC_SERVE_CMD_INTERNAL_H

#include "cli/cli.h"

/* What questions are answered with. */
struct ec_answering {
    const struct ec_executable *of; /* its commands answer */
    const char *store;              /* of measurements, for questions that name them; NULL: none */
    const char *profile;            /* of a device, for its predictions; NULL: none */
    double compute_s;               /* how long an answer may take; 0: no limit */
    bool to_agent;                  /* who reads them: an agent, or a program over HTTP */
};

/* An answer is begun, for which so much time was taken already. */
void ec__answer_begin(const struct ec_answering *a, int64_t taken_ns);
bool ec__answer_is_late(void);
/* In place of an answer that comes too late, the sentence that says so. */
enum ec_status ec__answer_end(const struct ec_answering *a, enum ec_status st, struct ec_err *err);

struct ec_question {
    const char *path;     /* "/v1/compare" */
    const char *words[2]; /* that the command line begins with */
    const char *form[2];  /* over HTTP, to an agent: "--json"; NULL: not asked there */
};
/* name: "compare". NULL: there is none, or the program has no such command */
const struct ec_question *ec__question_find(const struct ec_answering *a, const char *name);
/* Appends what the command writes in this form. args: an object of options, or NULL. Errors: INPUT,
 * UNSTABLE (it takes too long), and those of the command */
enum ec_status ec__question_answer(const struct ec_answering *a, const struct ec_question *q,
                                   const struct ec_jval *args, struct ec_buf *out,
                                   struct ec_err *err) EC_MUST_CHECK;
/* serve_agents.c: appends the answer to a line of the Model Context Protocol; a notification has
 * none. */
void ec__agent_answer(const struct ec_answering *a, const char *line, size_t len,
                      struct ec_buf *out);

#endif
