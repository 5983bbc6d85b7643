opts whatif_opts
member struct ec_grid_opts grid

fields own
set strs NAME=VALUE : value of a feature; a feature that is not set takes every value of the table;
    a word, such as precision=amp, keeps its rows of the table
accuracy str COLUMN @grid.accuracy : column of the accuracy that is weighed against the time;
    without it test_accuracy or val_accuracy, where the table has them; '' for none
budget str TIME : print only configurations within this time: 30s, 5min, 1h, or a number in the
    target's unit
family str NAME @grid.family : regressor that predicts, of those that `epochcast fit table`
    compares; default: ours
host str NAME @grid.host : host of the GPU that ran them (see `epochcast device hosts`); default:
    the reference host
seed int N =1 : seed of the folds behind the interval
+EC_FIELDS_FORMS struct ec_forms forms

command whatif : predict configurations that were not run from those that were
run run
usage FILE.csv [NAME=VALUE...] [--features COLUMN,COLUMN...] [--budget TIME]
usage --store FILE --model NAME [NAME=VALUE...] [--budget TIME]
positional set
group Options : own
group Table : ec_grid_fields@grid
