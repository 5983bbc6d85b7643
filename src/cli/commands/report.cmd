opts report_opts
member struct ec_results_opts o

fields own
dir str DIR @o.dir : directory of results: CSV tables, stores (.sqlite), machine records (.json); or
    one of these files
out str DIR @o.out : folder of the report; default: DIR/report, of mine.csv mine-report
title str TEXT @o.title : title of the report
reference str ENV @o.reference : reference environment of speed-ups; default: chosen from the runs
skip int N 0..1073741824 @o.skip : skip the first N iterations of each run
precision enum:ec_precision =fp32 +EC_PRECISION_WORDS : precision of runs whose rows have none
host str NAME @o.host : predict runs on GPUs with this host (see `epochcast device hosts`); default:
    the reference host
device str KEY @o.given.given.device : device, for a table without such a column
+EC_FIELDS_GIVEN o.given.given

command report : make one page of tables, pictures and findings from a directory of results
run run
usage DIR [--out DIR] [--title TEXT]
positional dir
group Options : own
need dir : a DIR of results is missing
