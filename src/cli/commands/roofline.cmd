opts roofline_opts
member struct ec_predict_opts query

fields own
models strs MODEL : an .onnx, .json, .keras or .h5 file, or the name of a built-in network
+EC_FIELD_DEVICES struct ec_strs device
batch ints N 1..16777216 : samples per step; several joined by ','
layers bool : show each layer too, the slowest first
top int N 1..1e6 : with --layers: the N that take longest
measured strs FILE.csv : measured runs and ceilings to show beside the predictions
store str FILE : a store with measured runs and ceilings
out str FILE : picture to write: .svg or .png
+EC_FIELDS_FORMS struct ec_forms forms

fields query
precision enum =fp32 @query.cond.precision +EC_PRECISION_WORDS : precision of the step
mode enum =training_step @query.cond.mode of:ec_mode_names : parts of a step
optimizer enum =sgd @query.cond.optimizer of:ec_optimizer_names : optimizer of training steps
image int PX 0..65536 @query.image : side of input images; default: the network's own
seq_len int N 0..4194304 @query.seq_len : tokens of a sequence
host str NAME @query.host : host of networks on GPUs (see `epochcast device hosts`); default: the
    reference host

command roofline : compare networks and layers with the rooflines of devices
run run
usage MODEL... --device KEY[,KEY...] [--batch N[,N...]] [--layers] [--out FILE.svg|FILE.png]
usage MODEL... --device KEY --measured FILE.csv | --store FILE
positional models
writes out
group Options : own
group The query : query
rule top : needs layers : --top goes with --layers
need models : a MODEL is missing
need device : no device: give --device KEY
exclude store measured
