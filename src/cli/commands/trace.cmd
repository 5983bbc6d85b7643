opts trace_opts

fields own
files strs FILE : traces of the PyTorch profiler (Kineto, Chrome JSON; plain or gzip), one for each
    rank; a folder stands for those in it
device str KEY : the device of the predictions; default: that of the trace
operators bool : all operators, not only ten; with --csv and --json these
kernels bool : kernels by name
modules bool : modules of the network by their time, where the trace has them
top int N 1..1e6 : rows of operators, kernels or modules
usd_per_hour double USD 0..1e6 : price of one device: what each part of the budget costs in an hour
+EC_FIELDS_FORMS forms

command trace : where the time of a profiled step goes, and what could be won back
run run
usage FILE... [--device KEY] [--usd-per-hour USD] [--operators | --kernels | --modules]
positional files
group Options : own
rule kernels : unless operators modules
rule modules : unless operators
