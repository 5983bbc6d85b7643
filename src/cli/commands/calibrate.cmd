opts calibrate_opts

fields own
device str KEY : the device that was measured
row strs TEXT : a measurement as text: 'resnet50 batch=64 precision=amp samples_per_s=812', or the
    case of an operator with time_ms=
samples_per_s strs X : measured samples per second of the rows that have no measurement, in their
    order
time_ms strs X : measured times of a step or an operator, for such rows
table strs FILE.csv : table of measurements, a trace of the PyTorch profiler, or a folder of them; the
    rows of the device are used, and what stands in two tables once
+EC_FIELDS_GIVEN struct ec_table_given given
precision str @given.precision +EC_PRECISION_WORDS : precision, for a table without such a column
measured strs FILE.csv : measurement files of layers and ceilings of this machine: the profile
    stores them, and networks are predicted as the sum of their tasks
threads int N ..4096 : use only rows of --measured with so many threads; 0: all rows, which must
    have the same number
from_store bool : use the device's rows of the store
store str FILE : the store; default: as for `epochcast data`
max_rows int N =200 1..1e5 in:rows : use at most so many rows of tables and the store, evenly spaced
out str FILE.json : write the profile to this file, for predict --profile
source str TEXT : who measured; stored in the profile
machine str TEXT : description of the machine around the device; stored in the profile
suggest int N 1..20 : print the N measurements that would be most informative in addition to the
    given rows
+EC_FIELDS_FORMS struct ec_forms forms

command calibrate : adapt the predictions for a device to a few measurements
run run
usage --device KEY --row 'MODEL batch=N samples_per_s=X'... [--out FILE.json]
usage --device KEY --table FILE.csv... | --from-store [--out FILE.json]
usage --device this --measured FILE.csv... --out FILE.json
usage --device KEY --suggest N [--row TEXT]...
writes out
group Options : own
need device : no device: give --device KEY (epochcast device list shows them)
exclude samples_per_s time_ms : --samples-per-s and --time-ms exclude each other; a row may say its own:
    'resnet50 batch=64 samples_per_s=812'
rule measured : unless row table from_store suggest csv markdown : --measured excludes --row, --table, --from-store,
    --suggest, --csv and --markdown
need row table from_store suggest measured : nothing measured: give --row, --table, --measured or --from-store, or
    --suggest N
