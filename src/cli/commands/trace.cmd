opts trace_opts

fields own
files strs FILE : traces of the PyTorch profiler (Kineto, Chrome JSON; plain or gzip), one for each
    rank, or databases of Nsight Systems (SQLite); a folder stands for the JSON files in it
device str KEY : the device of the predictions; default: that of the trace
model str MODEL : the network of the trace: the whole step, its kinds of operators and its layers
    beside its prediction, under the conditions that the shapes say
batch int N 0..16777216 : of --model: samples of a step; default: what the shapes say
precision enum:ec_precision @as_precision =fp32 +EC_PRECISION_WORDS : of --model: precision of the step; default: what the shapes say
framework enum:ec_framework @as_framework =pytorch-2 of:ec_framework_keys : of --model: framework that the step is predicted for
layers bool : of --model: all layers in the order of the network
operators bool : all operators, not only ten; with --csv and --json these
kernels bool : kernels by name
modules bool : modules of the network by their time, where the trace has them
compare bool : two traces beside each other, their operators by the difference; exit status 3: the
    median step of the second is longer by more than the tolerance, 4: shorter
perfetto str FILE.json.gz : write the median step, measured and predicted, as tracks that Perfetto
    opens (ui.perfetto.dev); without .gz not packed
out str FILE.svg|FILE.png : picture of the parts of the median step, measured and predicted
tolerance double SHARE =0.05 0..10 : of --compare
top int N 1..1e6 : rows of operators, kernels or modules
usd_per_hour double USD 0..1e6 : price of one device: what each part of the budget costs in an hour
+EC_FIELDS_FORMS struct ec_forms forms

command trace : where the time of a profiled step goes, and what could be won back
run run
usage FILE... [--device KEY] [--usd-per-hour USD] [--operators | --kernels | --modules]
usage FILE --model MODEL [--batch N] [--device KEY] [--layers]
usage --compare FILE FILE [--tolerance SHARE]
positional files
writes perfetto out
group Options : own
rule kernels : unless operators modules
rule modules : unless operators
rule batch precision framework layers : needs model
rule model : unless compare kernels modules
rule tolerance : needs compare
rule compare : unless kernels modules
rule perfetto out : unless compare
need files : a FILE is missing: a trace of the PyTorch profiler
