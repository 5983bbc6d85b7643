opts fit_cmd_opts
member struct ec_compare_opts compare
member struct ec_grid_opts grid

# Options of both comparisons, on operators and on a table.
fields regressor
family strs NAME,... @compare.families : kind of regressor; default: all that are quick; for tables
    linear, power, forest, gbt, ann or ours
split str SPLIT @compare.split : random (80/10/10; default of compare), kfold (default of table),
    group: (--folds parts of whole groups) or logo: (one left out); the last two with device,
    family, batch or configuration, for tables with a column
folds int N =5 2..1000 @compare.folds : parts of kfold and group splits; of a table of at most 20
    rows one for each
tune int N ..256 @compare.tune : tune: draw options of each regressor N times and keep the best,
    inside each round
save str FILE @compare.save_path : write the best model, fitted on all rows
seed int N =1 : seed of samples, splits and fits
rows str FILE.csv : write the measured value and the predictions of each regressor for the held-out
    rows
+EC_FIELDS_FORMS struct ec_forms forms

# Of tables of measured operators.
fields data
op strs NAME @compare.ops : operator, or a kind of them: gemm, conv, vector, rnn
data strs PATH @compare.data : table of measured operators, or a directory of them
store str FILE @grid.store : the rows of a store, in place of tables or beside them
max_rows int N 10..1e7 in:rows : draw about so many rows of each table of operators; default: all
+EC_FIELD_ENVIRONMENT grid.given
mapping str NAME|FILE.map @grid.given.mapping : meaning of the columns, as for `epochcast data
    import`

fields compare
device str KEY @compare.given.device : device, for a table without such a column
features str SET @grid.features : a set of features: ${EC_FEATURE_SETS_TEXT}$
tune_state str FILE @compare.tune_state : store the results of --tune, so that an interrupted search
    can continue; one file for each round of each regressor, FILE.gbt-roofline-0
threads int N =2 1..64 : threads; the result does not depend on them

fields file
file str FILE : model file that --save wrote

fields describe
+EC_FIELD_JSON struct ec_forms forms

fields predict
out str FILE.csv : write the predicted rows to this file; default: standard output
table str FILE.csv @grid.table : table of configurations, for a model that was fitted to one
device str KEY = @grid.device : device of the runs of the table; default: its column device, else
    its name
profile str FILE.json @grid.profile : profile of the device, made by `epochcast calibrate`
+EC_FIELDS_FORMS struct ec_forms forms

fields provenance
provenance bool =0 : print the data behind the built-in predictor, as JSON

fields more
more strs FILE|FOLDER @grid.more : tables of other devices, or folders of tables: one fit to the rows
    of all

command fit compare : compare regressors on measured operators; --op without a sub-command does this
    too
run run_compare
usage --op NAME... PATH... | --store FILE [--family NAME,...] [--features SET] [--split SPLIT]
positional data
writes rows save tune_state
chosen_by op
group Options : data compare regressor
need op : --op NAME is missing: the operators to compare on
rule tune_state : needs tune : --tune-state needs --tune N
need data store : a comparison needs --data PATH of measured operators, or --store FILE

command fit table : compare regressors on a table of configurations or runs; a FILE, --table or
    --store without a sub-command does this too
run run_table
usage FILE.csv... | --store FILE [--target COLUMN] [--features COLUMN,COLUMN...]
positional table more
writes rows save
chosen_by table store
chosen_by_path
group Options : ec_grid_fields@grid more regressor

command fit describe : describe a saved model, with its errors
run ec__fit_describe
usage FILE [--json]
positional file
group Options : file describe
need file : a FILE is missing: a model that `fit --save` wrote

command fit predict : predict times by a saved model
run ec__fit_predict
usage FILE --data PATH... | --table FILE.csv | --store FILE [--out FILE.csv]
positional file
writes out
group Options : file data predict
need file : a FILE is missing: a model that `fit --save` wrote
rule out : unless json csv markdown : --out writes CSV; it excludes --json, --csv and --markdown
rule device profile : unless data : --device and --profile go with --table

command fit provenance : print the data behind the built-in predictor, as JSON; --provenance does
    this too
run run_provenance
usage
chosen_by provenance
group Options : provenance

command fit : fit regressors to measurements and compare them
