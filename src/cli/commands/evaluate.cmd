opts evaluate_opts

fields own
tables strs FILE.csv : measured tables, traces of the PyTorch profiler, or folders of them: each row
    beside its prediction, with the likely reason where it is outside
networks strs FILE.csv : measured times or peak memory of whole networks
operators strs FILE.csv : measured times of single operators
by strs of:ec_group_names : group the rows of each table; default: one group
method enum =epochcast of:ec_method_names : evaluate a baseline (see `predict --method`)
all_methods bool : evaluate every method, side by side
rows str FILE.csv : write every row with its prediction
profile str FILE.json : profile of a device, by `epochcast calibrate`: used for its rows
device str KEY @given.device : device, for a table without such a column; of a measurement file the
    device of all rows, such as `this`
+EC_FIELDS_GIVEN struct ec_table_given given
precision str @given.precision +EC_PRECISION_WORDS : precision, for a table without such a column
host str NAME : predict networks on GPUs with this host (see `epochcast device hosts`); default: the
    reference host
loader str RATE : the networks' times include a data loader (see `predict --loader`)
+EC_FIELDS_FORMS struct ec_forms forms

command evaluate : compare predictions with tables of measurements
run run
usage FILE.csv... [--rows FILE.csv]
usage --networks FILE.csv... [--operators FILE.csv...]
positional tables
writes rows
group Options : own
need tables networks operators : evaluate needs a table: FILE.csv
rule tables : unless networks operators : FILE.csv prints rows, --networks and --operators groups of them: give one of
    these
rule all_methods : unless method rows : --all-methods excludes --method and --rows
rule host : needs networks tables : --host goes with --networks: operators have none
