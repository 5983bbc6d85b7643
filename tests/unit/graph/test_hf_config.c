/* config.json of Hugging Face: the parameters that the models have there, what is refused, and,
 * where the public table of architectures is there, each of its rows. */
#include "test.h"

#include "graph/graph.h"
#include "graph/zoo_internal.h"
#include "figures.h"

#include <ctype.h>
#include <stdlib.h>
#include <unistd.h>

static struct ec_err err;

static struct ec_graph *from(const char *text, int64_t seq_len)
{
    struct ec_graph_opts opts = { .struct_size = sizeof opts, .seq_len = seq_len };
    struct ec_graph *g = NULL;

    CHECK_OK(ec_graph_from_json(text, strlen(text), &opts, &g, &err));
    return g;
}

static double params_of(const char *text)
{
    struct ec_graph *g = from(text, 16);
    double n = g ? graph_params(g) : -1;

    ec_graph_free(g);
    return n;
}

#define SIZES(hidden, layers, heads, ffn, vocab)                                                   \
    "\"hidden_size\":" #hidden ",\"num_hidden_layers\":" #layers                                   \
    ",\"num_attention_heads\":" #heads ",\"intermediate_size\":" #ffn ",\"vocab_size\":" #vocab

/* A line is the parameters of a model, and its configuration. */
#define RECORDED "tests/recorded/hf_configs.txt"

/* The next line; false at the end. */
static bool next_model(struct ec_span *rest, double *ret_params, char *config, size_t size)
{
    struct ec_span line, params;

    while (rest->p && ec_span_cut(rest, '\n', &line)) {
        if (!line.len || line.p[0] == '#')
            continue;
        CHECK(ec_span_cut(&line, ' ', &params) && ec_parse_double(params, ret_params));
        (void)ec_snprintf(config, size, "%.*s", (int)line.len, line.p);
        return true;
    }
    return false;
}

TEST(models_have_their_published_parameters)
{
    struct ec_file f = { 0 };
    struct ec_span rest;
    char config[1024];
    double want = 0, n;
    int count = 0;

    CHECK_OK(ec_file_open(RECORDED, 1 << 20, &f, &err));
    rest = (struct ec_span){ (const char *)f.data, f.len };
    for (; next_model(&rest, &want, config, sizeof config); count++) {
        n = params_of(config);
        if (n < want || n > want)
            test_fail(__FILE__, __LINE__, "%s: %.0f parameters, want %.0f", config, n, want);
    }
    CHECK_INT(count, 38);
    ec_file_close(&f);
}

static bool same_nodes(const struct ec_graph *a, const struct ec_graph *b)
{
    struct ec_buf x = EC_BUF_INIT, y = EC_BUF_INIT;
    struct ec_case c;
    bool same = a->n_nodes == b->n_nodes;
    int i;

    for (i = 0; same && i < a->n_nodes; i++) {
        x.len = y.len = 0;
        c = ec_node_case(a->nodes[i]);
        ec_case_print(&c, &x);
        c = ec_node_case(b->nodes[i]);
        ec_case_print(&c, &y);
        same = ec_str_eq(ec_buf_text(&x), ec_buf_text(&y));
    }
    ec_buf_clear(&x);
    ec_buf_clear(&y);
    return same;
}

TEST(a_file_is_the_built_in_network)
{
    /* clang-format off */
    static const struct {
        const char *name, *config;
    } cases[] = {
        { "llama3_8b", "{\"model_type\":\"llama\",\"num_key_value_heads\":8,"
                       SIZES(4096, 32, 32, 14336, 128256) "}" },
        { "mistral_7b", "{\"model_type\":\"mistral\",\"num_key_value_heads\":8,"
                        SIZES(4096, 32, 32, 14336, 32000) "}" },
        { "gpt2", "{\"model_type\":\"gpt2\",\"n_embd\":768,\"n_layer\":12,\"n_head\":12,"
                  "\"n_positions\":1024,\"vocab_size\":50257,\"resid_pdrop\":0.1}" },
    };
    /* clang-format on */
    struct ec_graph_opts opts = { .struct_size = sizeof opts, .seq_len = 64 };
    struct ec_graph *g = NULL, *h;
    int i;

    for (i = 0; i < EC_LEN(cases); i++) {
        h = from(cases[i].config, 64);
        CHECK_OK(ec_zoo_build(cases[i].name, &opts, &g, &err));
        if (g && h && !same_nodes(g, h))
            test_fail(__FILE__, __LINE__, "%s is built otherwise", cases[i].name);
        ec_graph_free(g);
        ec_graph_free(h);
        g = NULL;
    }
}

TEST(lengths_names_and_notes)
{
    struct ec_graph *g = from("{\"model_type\":\"llama\",\"_name_or_path\":\"a/tiny\","
                              "\"max_position_embeddings\":131072," SIZES(64, 2, 4, 128, 100) "}",
                              0);

    if (!g)
        return;
    CHECK_STR(g->name, "tiny");
    CHECK_INT(g->values[g->inputs[0]]->type.shape.d[1], 4096);
    CHECK_INT(g->notes.n, 1);
    CHECK_HAS(g->notes.v[0], "4096 tokens of 131072");
    ec_graph_free(g);
    g = from("{\"model_type\":\"mllm\",\"text_config\":{\"model_type\":\"llama\","
             "\"max_position_embeddings\":512," SIZES(64, 2, 4, 128, 100) "}}",
             0);
    if (!g)
        return;
    CHECK_STR(g->name, "llama");
    CHECK_INT(g->values[g->inputs[0]]->type.shape.d[1], 512);
    CHECK_HAS(g->notes.v[0], "images are left out");
    ec_graph_free(g);
    g = from("{\"model_type\":\"llama\",\"max_position_embeddings\":512,"
             "\"quantization_config\":{\"load_in_4bit\":true}," SIZES(64, 2, 4, 128, 100) "}",
             0);
    if (!g)
        return;
    CHECK_INT(g->notes.n, 1);
    CHECK_HAS(g->notes.v[0], "--tuning qlora");
    ec_graph_free(g);
}

static int window_of(const char *text, int layer)
{
    struct ec_graph *g = from(text, 64);
    int i, n = 0, ret = -1;

    for (i = 0; g && i < g->n_nodes; i++)
        if (ec_str_eq(g->nodes[i]->op->name, "attention") && n++ == layer) {
            struct ec_case c = ec_node_case(g->nodes[i]);

            ret = (int)ec_case_int(&c, "window");
        }
    ec_graph_free(g);
    return ret;
}

TEST(windows_by_layer)
{
    static const char *const by_list = "{\"model_type\":\"olmo3\",\"sliding_window\":8," SIZES(
        64, 4, 4, 128,
        100) ",\"layer_types\":[\"sliding_attention\",\"full_attention\",\"sliding_attention\","
             "\"full_attention\"]}";
    static const char *const unused = "{\"model_type\":\"qwen2\",\"sliding_window\":8,"
                                      "\"use_sliding_window\":false," SIZES(64, 2, 4, 128, 100) "}";

    CHECK_INT(window_of(by_list, 0), 8);
    CHECK_INT(window_of(by_list, 1), 0);
    CHECK_INT(window_of(by_list, 2), 8);
    CHECK_INT(window_of(unused, 0), 0);
}

static void refused(const char *text, enum ec_status want, const char *part)
{
    struct ec_graph *g = NULL;

    CHECK_FAILS(ec_graph_from_json(text, strlen(text), NULL, &g, &err), want, part);
    ec_graph_free(g);
}

TEST(what_is_no_model_is_told)
{
    refused("{\"model_type\":\"lama\"," SIZES(4096, 32, 32, 11008, 32000) "}", EC_E_UNSUPPORTED,
            "did you mean \"llama\"");
    refused("{\"model_type\":\"zzzzzz\",\"d\":3}", EC_E_UNSUPPORTED, "it has d 3");
    refused("{\"model_type\":3}", EC_E_PARSE, "model_type");
    refused("{\"model_type\":\"llama\",\"hidden_size\":64,\"num_hidden_layers\":2,\"vocab_size\":9,"
            "\"num_key_value_heads\":2}",
            EC_E_PARSE, "num_attention_heads");
    refused("{\"model_type\":\"llama\",\"hidden_size\":64}", EC_E_PARSE, "num_hidden_layers");
    refused("{\"model_type\":\"llama\",\"hidden_size\":[1]}", EC_E_PARSE, "hidden_size");
    refused("{\"model_type\":\"llama\",\"hidden_act\":\"a,b\"}", EC_E_PARSE, "hidden_act");
    refused("{\"model_type\":\"llama\"," SIZES(1e300, 32, 32, 11008, 32000) "}", EC_E_INPUT,
            "hidden");
    refused("{\"model_type\":\"llama\"," SIZES(64, 1.5, 4, 64, 10) "}", EC_E_INPUT, "layers");
    refused("{\"model_type\":\"llama\"," SIZES(64, 2, 7, 64, 10) "}", EC_E_INPUT, "divide");
}

/* --- The public table of architectures --- */

#define MODELS "../shared/data/llm_model_configs/models.csv"

/* Blocks of its rows, and the type that they are here; those of neither have parts that the columns
 * do not describe. */
static const char *const blocks[][2] = {
    {"deepseek",   "deepseek_v3"},
    { "gemma",     "gemma"      },
    { "gemma2",    "gemma2"     },
    { "gemma3",    "gemma3_text"},
    { "gpt3",      "gpt2"       },
    { "gpt_oss",   "gpt_oss"    },
    { "llama2",    "llama"      },
    { "llama4",    "llama4_text"},
    { "mistral",   "mistral"    },
    { "mixtral",   "mixtral"    },
    { "olmo3",     "olmo3"      },
    { "qwen2",     "qwen2"      },
    { "qwen3",     "qwen3"      },
    { "qwen3_moe", "qwen3_moe"  },
};
static const char *const unknown_blocks[] = { "deepseek4",    "envy",       "gemma4",
                                              "gemma4_small", "qwen3_next", "qwen3_custom_moe",
                                              "qwen3_5" };

static const struct {
    const char *column, *key;
} columns[] = {
    {"emb_dim",                 "hidden_size"          },
    { "num_decoder_layers",     "num_hidden_layers"    },
    { "num_query_heads",        "num_attention_heads"  },
    { "num_kv_heads",           "num_key_value_heads"  },
    { "head_dim",               "head_dim"             },
    { "mlp_dim",                "intermediate_size"    },
    { "vocab_size",             "vocab_size"           },
    { "num_experts",            "num_experts"          },
    { "num_experts_per_tok",    "num_experts_per_tok"  },
    { "moe_mlp_dim",            "moe_intermediate_size"},
    { "first_num_dense_layers", "first_k_dense_replace"},
    { "shared_experts",         "n_shared_experts"     },
    { "q_lora_rank",            "q_lora_rank"          },
    { "kv_lora_rank",           "kv_lora_rank"         },
    { "qk_nope_head_dim",       "qk_nope_head_dim"     },
    { "qk_rope_head_dim",       "qk_rope_head_dim"     },
    { "v_head_dim",             "v_head_dim"           },
    { "logits_via_embedding",   "tie_word_embeddings"  },
    { "sliding_window_size",    "sliding_window"       },
};

/* "262_144" without its mark, "True" as JSON has it. */
static void put_cell(struct ec_buf *out, const char *cell)
{
    for (; *cell; cell++)
        if (*cell != '_')
            ec_buf_char(out, (char)tolower((unsigned char)*cell));
}

static void config_of(const struct ec_csv *t, int row, const char *type, struct ec_buf *out)
{
    const char *cell;
    int i;

    out->len = 0;
    ec_buf_printf(out, "{\"model_type\":\"%s\"", type);
    for (i = 0; i < EC_LEN(columns); i++) {
        cell = ec_csv_cell(t, row, ec_csv_col(t, columns[i].column));
        if (!cell[0] || ec_str_eq(cell, "0"))
            continue;
        ec_buf_printf(out, ",\"%s\":", columns[i].key);
        if (ec_str_eq(type, "gemma2") && i == 1) /* two layers are one there */
            ec_buf_printf(out, "%d", 2 * (int)strtol(cell, NULL, 10));
        else
            put_cell(out, cell);
    }
    ec_buf_char(out, '}');
}

static const char *type_of_block(const char *name, const char *block)
{
    int i;

    if (strstr(name, "deepseek2"))
        return "deepseek_v2";
    for (i = 0; i < EC_LEN(blocks); i++)
        if (ec_str_eq(blocks[i][0], block))
            return blocks[i][1];
    for (i = 0; i < EC_LEN(unknown_blocks); i++)
        if (ec_str_eq(unknown_blocks[i], block))
            return NULL;
    test_fail(__FILE__, __LINE__, "a block \"%s\"", block);
    return NULL;
}

/* Those that are built in under the same name, with the same words, have its published parameters.
 */
static int check_row(const struct ec_csv *t, int row, const char *config)
{
    const char *name = ec_csv_cell(t, row, ec_csv_col(t, "name"));
    const struct ec__zoo_row *own = ec__zoo_find(ec_span_of(name));
    double n = params_of(config);
    char vocab[40];

    if (!own || !own->params)
        return 0;
    (void)snprintf(vocab, sizeof vocab, "vocab=%s,",
                   ec_csv_cell(t, row, ec_csv_col(t, "vocab_size")));
    if (!strstr(own->set, vocab))
        return 0;
    if (n < (double)own->params || n > (double)own->params)
        test_fail(__FILE__, __LINE__, "%s: %.0f parameters, want %lld\n%s", name, n,
                  (long long)own->params, config);
    return 1;
}

TEST(rows_of_the_public_table)
{
    struct ec_csv t = { 0 };
    struct ec_buf config = EC_BUF_INIT;
    const char *type;
    int i, built = 0, held = 0;

    if (access(MODELS, R_OK)) {
        (void)printf("skipped: no " MODELS "\n");
        return;
    }
    CHECK_OK(ec_csv_read(MODELS, &t, &err));
    for (i = 0; i < t.n_rows; i++) {
        type = type_of_block(ec_csv_cell(&t, i, ec_csv_col(&t, "name")),
                             ec_csv_cell(&t, i, ec_csv_col(&t, "decoder_block")));
        if (!type)
            continue;
        config_of(&t, i, type, &config);
        held += check_row(&t, i, ec_buf_text(&config));
        built++;
    }
    (void)printf("%d of %d rows built, %d of them held to published parameters\n", built, t.n_rows,
                 held);
    CHECK(built > 60 && held > 25);
    ec_buf_clear(&config);
    ec_csv_clear(&t);
}
