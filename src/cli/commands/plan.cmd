opts plan_cmd_opts
member struct ec_predict_opts query

fields own
model str MODEL : an .onnx, .json, .keras or .h5 file, or the name of a built-in network
+EC_FIELD_DEVICES struct ec_strs device
deadline str TIME : the job has to end within a time such as 72h or 3d
budget str USD : the job must not cost more, such as 5000usd
energy str KWH : the boards must not take more for the job, such as 500kWh
prices str FILE|KEY=USD,... : price of an hour of a device, as for `epochcast predict`; devices
    without one are left out where others have one. Without prices device-hours stand for the money
price_kind enum:ec_price_kind =usual of:ec_price_kinds : kind of prices, as for `epochcast predict`
profile str FILE.json : profile of a device, by `epochcast calibrate`, for its predictions
memory_chance double SHARE =0.95 0..1 : least probability that it fits into the memory
why_not str CONFIG : what speaks against a configuration, such as 'h100 x8 tp=4 micro-batch=16': the
    best of all that it describes, against the best of all
top int N =10 2..1000 : at most so many lines
jobs str FILE.csv : in place of a MODEL a queue of jobs, a row each: model, job (its name) and options of
    `epochcast predict` such as batch, precision, epochs, dataset, samples; which device runs which,
    so that all have ended soonest. --devices N: so many of each
out str FILE.svg|FILE.png : picture of time and money
+EC_FIELDS_FORMS struct ec_forms forms

command plan : choose devices, their number, and how they share a job, by time and money
run run
usage MODEL --device KEY[,...] --tokens N|--samples N|--dataset NAME [--devices 1..64]
    [--global-batch N] [--deadline TIME] [--budget USD] [--prices FILE] ...
usage --jobs FILE.csv --device KEY[,...] [--devices N] [--prices FILE]
positional model
writes out
says_devices
lists ec_predict_fields
group Options : own
group The job (numbers and choices: several, joined by ',', or 1..64, are searched) : ec_predict_fields@query
rule rank targets fp32_adapters : needs tuning jobs
need model jobs : a MODEL is missing
need device : no device: give --device KEY
rule deadline budget energy why_not top out : unless jobs : --jobs places all jobs: it takes no limits, and no
    --why-not, --top or --out
rule budget : needs prices usd_per_hour : --budget without prices: give --prices or --usd-per-hour
