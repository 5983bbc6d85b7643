# A config.json that does not say how many positions there are has those of its class, and sequences as long. The usual
# optimizer does not depend on whether --seq-len names the length that is taken anyway.
config() { echo "{\"model_type\": $2}" > "$1.json"; }
size='"hidden_size": 768, "num_hidden_layers": 1, "num_attention_heads": 12, "intermediate_size": 3072, "vocab_size": 30522'
config bert "\"bert\", $size"
config gpt2 '"gpt2", "n_embd": 768, "n_layer": 1, "n_head": 12, "vocab_size": 50257'
config opt "\"opt\", $size"
config whisper '"whisper", "d_model": 384, "encoder_layers": 1, "decoder_layers": 1, "encoder_attention_heads": 6,
    "decoder_attention_heads": 6, "encoder_ffn_dim": 1536, "decoder_ffn_dim": 1536, "vocab_size": 51865, "num_mel_bins": 80'
config clip '"clip", "text_config": {"hidden_size": 512}, "vision_config": {}'
for words in bert.json gpt2.json opt.json "clip.json --seq-len 77" clip.json whisper.json "whisper.json --seq-len 448"; do
    epochcast predict $words -d a100 -b 4 | head -1
done
epochcast predict bert.json -d a100 -b 4 --seq-len 513
