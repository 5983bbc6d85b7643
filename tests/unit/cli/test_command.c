/* The command inside a process: what it writes and says is returned, and nothing is printed. */
#include "test.h"

#include "epochcast/epochcast.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct answer {
    enum ec_status st;
    char *out, *said;
    struct ec_err err;
};

#define ASK(...)                                                                                   \
    ask((char *[]){ __VA_ARGS__ }, (int)(sizeof((char *[]){ __VA_ARGS__ }) / sizeof(const char *)))

static struct answer ask(char **word, int n)
{
    struct answer a = { .st = EC_OK };

    a.st = ec_command(n, word, &a.out, &a.said, &a.err);
    return a;
}

#define CHECK_OK_OF(a)                                                                             \
    do {                                                                                           \
        struct ec_err err = (a).err;                                                               \
        CHECK_OK((a).st);                                                                          \
    } while (0)

static void answer_clear(struct answer *a)
{
    ec_text_free(a->out);
    ec_text_free(a->said);
}

TEST(answers_are_returned)
{
    struct answer a = ASK("predict", "resnet50", "--device", "t4", "--batch", "64");

    CHECK_OK_OF(a);
    CHECK_HAS(a.out, "resnet50, batch 64, 224 px, fp32");
    CHECK_HAS(a.out, "  samples/s ");
    CHECK_STR(a.said, "");
    answer_clear(&a);
    a = ASK("predict", "mnist_cnn,resnet50", "--device", "t4", "--color=never", "--json");
    CHECK_OK_OF(a);
    CHECK_HAS(a.out, "\"predictions\"");
    answer_clear(&a);
}

TEST(failures_are_sentences)
{
    struct answer a = ASK("predict", "resnet51", "--device", "t4");

    CHECK_INT(a.st, EC_E_NOT_FOUND);
    CHECK_HAS(a.err.text, "no built-in network \"resnet51\"");
    CHECK(!a.out);
    CHECK_STR(a.said, "");
    answer_clear(&a);
    a = ASK("predict", "resnet50");
    CHECK_INT(a.st, EC_E_INPUT);
    CHECK_HAS(a.err.text, "no device");
    answer_clear(&a);
    a = ASK("predikt");
    CHECK_INT(a.st, EC_E_INPUT);
    CHECK_HAS(a.err.text, "no command \"predikt\"");
    answer_clear(&a);
    a = ask((char *[]){ "" }, 0);
    CHECK_INT(a.st, EC_E_INPUT);
    answer_clear(&a);
    CHECK_INT(ec_command(1, NULL, &a.out, NULL, &a.err), EC_E_INPUT);
    CHECK(ec_command_main(0, NULL) != 0);
}

TEST(notes_are_returned_beside_the_answer)
{
    static char path[] = "test-command.csv";
    FILE *f = fopen(path, "w");
    struct answer a;

    CHECK(f && fputs("model,device,batch,time_ms\nresnet50,t4,64,200\nresnet50,t4,,x\n", f) > 0);
    CHECK(f && !fclose(f));
    a = ASK("evaluate", path);
    (void)remove(path);
    CHECK_OK_OF(a);
    CHECK_HAS(a.said, "test-command.csv: 1 ");
    CHECK_HAS(a.out, "resnet50");
    answer_clear(&a);
}

static void *in_a_thread(void *device)
{
    struct answer *a = malloc(sizeof *a);

    if (a)
        *a = ASK("device", "show", device);
    return a;
}

TEST(threads_get_their_own_answers)
{
    static char t4[] = "t4", unknown[] = "rtx0";
    pthread_t thread[2];
    struct answer *of[2];
    int i;

    CHECK(!pthread_create(&thread[0], NULL, in_a_thread, t4));
    CHECK(!pthread_create(&thread[1], NULL, in_a_thread, unknown));
    for (i = 0; i < 2; i++)
        CHECK(!pthread_join(thread[i], (void **)&of[i]));
    CHECK_OK_OF(*of[0]);
    CHECK_HAS(of[0]->out, "T4");
    CHECK_INT(of[1]->st, EC_E_NOT_FOUND);
    for (i = 0; i < 2; i++) {
        answer_clear(of[i]);
        free(of[i]);
    }
}

TEST(requests_of_other_languages)
{
    struct ec_predictor *p = NULL;
    const char *text = NULL;
    struct ec_err err = { 0 };

    CHECK_OK(ec_predictor_new(&p, &err));
    CHECK_OK(ec_predict_json(p, "{\"model\": \"resnet50\", \"device\": \"t4\"}", &text, &err));
    CHECK_HAS(text, "\"step_time_ns\":{");
    CHECK_OK(ec_predict_json(p, "{\"model\": \"resnet51\", \"device\": \"t4\"}", &text, &err));
    CHECK_HAS(text, "\"error\":{\"status\":\"E_NOT_FOUND\"");
    CHECK_FAILS(ec_predict_json(p, NULL, &text, &err), EC_E_INPUT, "request is NULL");
    ec_predictor_free(p);
    CHECK_STR(ec_version(), EC_VERSION);
}

static enum ec_status show_some(struct ec_err *err)
{
    char *out = NULL, *said = NULL;
    enum ec_status st = ec_command(3, (char *[]){ "device", "show", "t4" }, &out, &said, err);

    ec_text_free(out);
    ec_text_free(said);
    return st;
}

TEST(each_allocation_may_fail)
{
    CHECK_TORTURE(show_some);
}
