opts model_opts
member struct ec_conditions cond
member struct ec_graph_opts graph

fields own
model str MODEL : an .onnx, .json, .keras, .h5 or .safetensors file, or the name of a built-in network
list bool : name the built-in networks
totals bool : print the totals only
write str FILE : write the network: as ONNX without weights (.onnx), or as JSON
+EC_FIELD_JSON struct ec_forms forms
csv bool : write the layers as CSV
+EC_FIELD_MARKDOWN struct ec_forms forms

fields network
batch int N 0..16777216 @graph.batch : samples per step; default: that of the file, or 1
seq_len int N 0..4194304 @graph.seq_len : tokens of a sequence; default: the network's own
image int PX 0..65536 @graph.image_px : side of input images; default: the network's own
classes int N 0..16777216 @graph.classes : outputs of a built-in classifier; default: the network's
    own
as_exported bool @graph.as_exported : take an ONNX file as it is: do not restore norms folded away
    by the exporter
precision enum =fp32 @cond.precision +EC_PRECISION_WORDS : precision for which bytes are counted;
    those of amp as in fp16
optimizer enum =sgd @cond.optimizer of:ec_optimizer_names : optimizer for which the update is
    counted

command model : count parameters, FLOP and bytes of a network, layer by layer
run run
usage MODEL [--batch N] [--totals] [--json | --csv | --markdown]
usage MODEL --write FILE.onnx|FILE.json
usage --list
positional model
writes write
group Options : own
group The network : network
rule csv : unless totals : --csv writes the layers, --totals leaves them out
exclude list model : --list takes no MODEL
need list model : a MODEL is missing: a file or a name of epochcast model --list
