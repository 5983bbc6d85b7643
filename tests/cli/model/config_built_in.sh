# A type that is not read, of which networks are built in, names one: that of the model's name, or the first of the type.
for words in '"resnet"' '"resnet", "_name_or_path": "microsoft/resnet-101"' '"swin", "embed_dim": 96' '"mamba"'; do
    echo "{\"model_type\": $words}" >config.json
    epochcast model config.json
done
echo '{"model_type": "distilbert", "dim": 768, "n_layers": 6, "n_heads": 12, "hidden_dim": 3072, "vocab_size": 30522}' >config.json
for network in config.json distilbert; do epochcast model $network --totals | sed -n '2p;4p'; done
