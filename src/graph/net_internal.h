/* Networks described in text: data/families/NAME.net, in the language of docs/families.md. The text
 * becomes a tree of terms, and running the tree adds nodes to a graph. */
#ifndef EC_GRAPH_NET_INTERNAL_H
#define EC_GRAPH_NET_INTERNAL_H

#include "graph/zoo_internal.h"

enum ec__term_kind {
    EC__TERM_NUMBER,
    EC__TERM_TEXT,
    EC__TERM_JOIN, /* a text with values in it; its arguments follow each other */
    EC__TERM_NAME,
    EC__TERM_LIST,
    EC__TERM_CALL,
    EC__TERM_INDEX,  /* arguments: a list, which of it */
    EC__TERM_BINARY, /* sign; arguments: left, right */
    EC__TERM_NOT,
    EC__TERM_CHOICE, /* arguments: the condition, then, else */
    /* statements */
    EC__TERM_SET,   /* arguments: the names, then the value at the end */
    EC__TERM_FOR,   /* text: the name; arguments: the number or list, the scope or none */
    EC__TERM_IF,    /* argument: the condition */
    EC__TERM_SCOPE, /* argument: the text */
    EC__TERM_RETURN,
    EC__TERM_REQUIRE, /* arguments: the condition, the sentence where it does not hold */
    EC__TERM_DO,      /* argument: a call */
    EC__TERM_DEF,     /* text: the name; arguments: the parameters, each with its default */
};

enum ec__sign {
    EC__SIGN_OR,
    EC__SIGN_AND,
    EC__SIGN_EQ,
    EC__SIGN_NE,
    EC__SIGN_LE,
    EC__SIGN_GE,
    EC__SIGN_LT,
    EC__SIGN_GT,
    EC__SIGN_ADD,
    EC__SIGN_SUB,
    EC__SIGN_MUL,
    EC__SIGN_FLOOR, /* the quotient, rounded down */
    EC__SIGN_DIV,
    EC__SIGN_REST,
};

struct ec__term {
    enum ec__term_kind kind;
    enum ec__sign sign;
    int line;
    double number;
    const char *text;
    const char *key;                   /* of a keyword argument; NULL: by its place */
    struct ec__term *args;             /* the first; the others by `next` */
    struct ec__term *body, *otherwise; /* statements */
    struct ec__term *next;
    /* of calls: what they mean; both NULL: an operator */
    struct ec__term *def;
    const struct ec__function *function;
};

/* The definitions of a text, whose calls are found among them, else in `shared` (NULL: none). name:
 * of the file, for messages. The terms are in the arena and point into it and `shared` only;
 * nothing writes to them later. Errors: PARSE, which names the line; NOMEM */
enum ec_status ec__net_parse(const char *name, const char *text, struct ec__term *shared,
                             struct ec_arena *a, struct ec__term **ret,
                             struct ec_err *err) EC_MUST_CHECK;
/* What a text of the build says, for as long as the program runs: parsed when it is first asked
 * for, by any thread. */
enum ec_status ec__net_parsed(const char *name, const char *text, struct ec__term *shared,
                              struct ec__parsed *once, struct ec__term **ret,
                              struct ec_err *err) EC_MUST_CHECK;

struct ec__term *ec__net_definition(struct ec__term *definitions,
                                    const char *name); /* NULL: none */

/* What a term is worth. */
enum ec__item_kind {
    EC__ITEM_NONE,
    EC__ITEM_NUMBER, /* also yes and no, 1 and 0 */
    EC__ITEM_TEXT,
    EC__ITEM_VALUE, /* of the graph */
    EC__ITEM_LIST,
};

struct ec__item {
    enum ec__item_kind kind;
    int n; /* of `list` */
    union {
        double number;
        const char *text;
        int value;
        const struct ec__item *list;
    } is;
};

#define EC__ARGS_MAX 16

/* A call with its arguments. Those of keywords stand behind those of places. */
struct ec__call {
    struct ec_builder *b;
    const struct ec__net *net;
    struct ec_arena *arena; /* until the network is made */
    const char *name;
    int n, n_placed;
    struct ec__item arg[EC__ARGS_MAX];
    const char *key[EC__ARGS_MAX]; /* NULL: by its place */
};

struct ec__function {
    const char *name;
    struct ec__item (*run)(struct ec__call *c); /* NULL: a function of numbers, that follows; of a
                                                 * value it is the operator of that name */
    double (*one)(double x), (*two)(double x, double y);
};

struct ec__item ec__item_number(double v);
struct ec__item ec__item_value(int value);
struct ec__item ec__item_text(const char *text); /* NULL: "" */
/* A list in the arena, to be filled in; *ret NULL after an error, which is the builder's. */
struct ec__item ec__item_list(struct ec_builder *b, struct ec_arena *a, int n,
                              struct ec__item **ret);
/* An error is the builder's; then -1. */
int ec__item_as_value(struct ec__call *c, struct ec__item v);
bool ec__item_holds(struct ec__item v); /* as a condition */
/* As text in names, sentences and attributes; a list with commas. */
void ec__item_print(struct ec_buf *out, struct ec__item v);

const struct ec__function *ec__net_function(const char *name); /* NULL: none */
struct ec__item ec__net_run(const struct ec__function *f, struct ec__call *c);
/* The operator of the call's name: its inputs by place, its attributes by keyword. One output, or a
 * list of them. */
struct ec__item ec__net_operator(struct ec__call *c);

/* A text whose definitions are called one by one, in any order. Errors are the builder's. */
struct ec__text;
struct ec__text *ec__text_open(struct ec_builder *b, const struct ec__net *net,
                               const struct ec__family *f); /* NULL after an error */
void ec__text_close(struct ec__text *t);                    /* NULL: does nothing */
struct ec_arena *ec__text_arena(struct ec__text *t);
/* What all definitions see under that name. */
void ec__text_give(struct ec__text *t, const char *name, struct ec__item item);
struct ec__item ec__text_given(struct ec__text *t, const char *name); /* none: nothing */
/* NULL: there is no such definition. */
struct ec__term *ec__text_find(struct ec__text *t, const char *name);
/* call: `name`, `arg` and `key` are its own */
struct ec__item ec__text_call(struct ec__text *t, struct ec__term *def, struct ec__call *call);

extern const char ec__net_keras[];  /* data/families/keras.net: layers of Keras */
extern const char ec__net_blocks[]; /* data/families/blocks.net: what families share */

#endif
