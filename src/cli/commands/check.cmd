opts check_opts
member struct ec_predict_opts query

fields own
model strs MODEL : an .onnx or .json file, or the name of a built-in network; without --measured
    and --from tables of measured rows, as `evaluate` reads them, or of jobs
+EC_FIELD_DEVICES struct ec_strs device
op str CASE : an operator in place of a network, such as 'matmul m=4096 k=4096 n=4096'
collective enum:ec_collective =all_reduce of:ec_collective_names : an exchange among --devices in place of a
    network, of so many --bytes
bytes str SIZE : of --collective: the whole buffer, such as 100MB or 1GiB
measured str VALUE : time of a step, or a speed: 94ms, '680 img/s', '12.4k tokens/s', '1.35 it/s',
    '71 ms/step', '312 TFLOP/s/gpu'; without /gpu of all devices
from str FILE.log : the log of a training loop in place of --measured, lines with a step and a time or
    a rate, MLPerf's lines, or a table of such; - reads standard input; without a MODEL what it says is printed
tolerance str SHARE : widens the interval of what is normal: 10% or 0.1
thresholds str FILE.json : of a table of jobs: write what each is expected to reach
against str FILE.json : compare a table with the columns job and measured with these limits
profile str FILE.json : profile of a device, by `epochcast calibrate`
mapping str NAME|FILE.map : of tables of measured rows: meaning of the columns (see `evaluate`)
+EC_FIELD_ENVIRONMENT struct ec_table_given given
+EC_FIELDS_FORMS struct ec_forms forms

command check : is a run as expected: slower, faster, the likely causes; exit status 0, 3, 4
run run
usage MODEL --device KEY [--batch N] ... --measured VALUE|--from FILE
usage --op CASE|--collective KIND --bytes SIZE --device KEY ... --measured VALUE
usage FILE.csv... [--device KEY] [--precision P] ...
usage JOBS.csv --thresholds FILE.json
usage RESULTS.csv --against FILE.json
positional model
writes thresholds
says_devices
group Options : own
group The query : ec_predict_fields@query
rule rank targets fp32_adapters : needs tuning
rule collective bytes : needs measured from
rule op : needs measured from
exclude measured from thresholds against
