opts predict_cmd_opts
member struct ec_predict_opts query
member struct ec_job_file job_file

fields own
model strs MODEL : an .onnx, .json, .keras or .h5 file, the name of a built-in network, or a pattern of names
    such as 'resnet*'; several joined by ','
+EC_FIELD_DEVICES struct ec_strs device
job str FILE : the conditions of a training tool's file: TrainingArguments of Hugging Face,
    DeepSpeed, LLaMA-Factory, axolotl, torchtitan, arguments of Megatron-LM; options stand above it
op str CASE : predict one operator, such as 'conv2d n=32 c=64 h=56 w=56 k=64 r=3 pad=1'
collective enum:ec_collective =all_reduce of:ec_collective_names : predict one exchange among --devices, alone, of
    so many --bytes
bytes str SIZE : of --collective: the whole buffer, such as 100MB or 1GiB
requests str FILE.jsonl : answer one JSON request per line; - reads standard input
sandbox enum =auto of:sandbox_names : of --requests: give up all rights but reading files; require:
    fail where the kernel cannot do all of it
files bool =1 : of --requests: they name built-in networks only, and no file is opened
profile str FILE.json : profile of a device, by `epochcast calibrate`, for its predictions
method enum =epochcast of:ec_method_names : how the time is predicted; all others are simpler, for
    comparison (docs/methods.md)
explain bool =0 : print how the time is computed: the factors and the reason of each stage
layers bool =0 : print the step by layer, adding up to it; with --top the layers that take longest
memory bool =0 : print in place of times what the memory holds, whether it fits, and the largest batch that does
evidence int N 1..EC_EVIDENCE_MAX : print the N measurements of the store that are nearest to the
    query
store str FILE : the store; default: as for `epochcast data`
sort enum:ec_sort =time of:ec_sort_names : order of several answers; what does not fit comes last; time is
    that of the job, else of the epoch, else of a sample; given: in the order of the options
    (default where only --devices varies)
top int N 1..1e6 : only the first N of several answers; with --layers the N longest
prices str FILE|KEY=USD,... : price of an hour of a device: a table with the columns device,
    usd_per_hour, kind, date, source, or a list; gives the cost of the epoch or the job
price_kind enum:ec_price_kind =usual of:ec_price_kinds : prices of one kind are compared; usual: on-demand or
    community, whichever more of the devices have; any: the cheapest of all
deadline str TIME : chance that the job, else the epoch, ends within a time such as 12h; what will
    not comes last
+EC_FIELDS_FORMS struct ec_forms forms

command predict : predict time, throughput and memory of a network or an operator on a device
run run
usage MODEL[,...] --device KEY[,...] [--batch N[,...]|max] [--precision P[,...]] ...
usage [MODEL] --job FILE --device KEY[,...] ...
usage --op CASE --device KEY[,KEY...] [--phase PHASE] ...
usage --collective KIND --bytes SIZE --device KEY[,KEY...] --devices N ...
usage --requests FILE.jsonl [--no-files] [--sandbox auto|require|off]
positional model
says_devices
lists ec_predict_fields
group Options : own
group The query (numbers and choices: several, joined by ',') : ec_predict_fields@query
rule rank targets fp32_adapters : needs tuning job
rule explain : unless csv markdown : --explain goes with text, or with --json
rule explain : needs method=epochcast : --explain goes with --method epochcast alone
need model op job requests collective bytes : nothing to predict: give a MODEL or --op CASE
need device requests collective bytes : no device: give --device KEY (epochcast device list shows them)
exclude model op : a MODEL and --op are both given, expected one
exclude job op : --job and --op are both given, expected one
exclude op memory : --op and --memory are both given, expected one
exclude layers memory : --layers and --memory are both given, expected one
exclude evidence memory : --evidence and --memory are both given, expected one
exclude mode phase : --mode and --phase are both given, expected one
