opts analyse_opts
member struct ec_store_import given

fields own
files strs FILE.csv : tables of iterations or of runs, as `epochcast data import` reads them, or
    folders of them
store str FILE : read a store instead of tables
+EC_FIELD_DEVICES struct ec_strs device
+EC_FIELDS_GIVEN given.given
network str PATTERN : only runs of networks with such names
reference str ENV : reference environment of speed-ups; default: the one that most runs can be
    compared with, the slower of equals
skip int N 0..1073741824 : skip the first N iterations of each run
precision enum:ec_precision =fp32 +EC_PRECISION_WORDS : precision of runs whose rows have none
predict bool =1 : do not predict each run beside its measurement
host str NAME : predict runs on GPUs with this host (see `epochcast device hosts`); default: the
    reference host
throughput bool =0 : print samples per second: at the median, mean, standard deviation, least and
    most over iterations
complexity bool : print the work of each network and batch instead of its speed
plots str DIR : write all pictures for which the runs have data
png bool : pictures as PNG, not SVG
+EC_FIELDS_FORMS struct ec_forms forms

command analyse : statistics, efficiency, speed-up and scaling of measured training runs
run run
usage FILE.csv... [--plots DIR] [--json | --csv | --markdown]
usage --store FILE [--device KEY,...] [--network PATTERN]
positional files
writes_dirs plots
group Options : own
exclude complexity throughput
need files store : a FILE.csv or --store is missing
exclude files store : --store takes no FILE.csv
