program lab
opts ec_fit_opts

fields dir
dir str DIR @data_dir : directory of the public tables (neusight/, timm/, ...)

fields measured
measured str DIR =measured @measured_dir : directory of the project's own measurements

fields constants
out str FILE =data/predictor/fitted.inc @out_path : where the constants go, as C

fields corrections
learned str FILE =data/predictor/predictor.bin @learned_path : where the learned corrections go

fields shipped
errors str FILE.csv =tests/accuracy/cross_validation.csv @table_path : where the errors of
    cross-validation go

fields errors
errors str FILE.csv @table_path : where the errors of cross-validation go

fields rows
rows str FILE.csv @rows_path : where the error of each row of a network goes, held out

fields seed
seed int N =1 : seed of samples and splits

fields threads
threads int N =2 1..64 : threads; the result does not depend on them

fields max_rows
max_rows int N =200 10..1e7 in:rows : rows kept of each device in each table, about so many

fields iterations
iterations int N =25 1..1000 : most iterations of the main fit

fields quick
quick bool =0 : no cross-validation: the widths of intervals stay as they are

fields splits
out str FILE =tests/accuracy/splits.csv @out_path : where the errors go

fields domain
out str FILE =src/model/domain.csv @out_path : where the ranges go
learned str FILE @learned_path : a predictor file that is there, which gets them too

fields domain_rows
max_rows int N =300 10..1e7 in:rows : rows kept of each device in each table, about so many

fields page
out str FILE =docs/constants.md @out_path : where the page goes; as CSV where the name ends with .csv

fields parallel
out str FILE =data/predictor/parallel.inc @out_path : where the constants go, as C

fields calibration
out str FILE =tests/accuracy/calibration.csv @out_path : where the errors go

command ship : make what ships, bit for bit: constants, corrections, the table of their errors
run run_ship
usage DIR
positional dir
writes out learned errors rows
group Options : dir measured constants corrections shipped rows threads

command physics : the same with options of your own
run run_physics
usage DIR
positional dir
writes out learned errors rows
group Options : dir measured constants corrections errors rows seed threads max_rows iterations quick

command report : the constants: value, prior, what the rows say of each; nothing is fitted
run run_report
usage DIR
positional dir
writes out
group Options : dir measured page seed threads max_rows

command splits : errors of the laws without a source, a release, a kind of kernel, as CSV
run run_splits
usage DIR
positional dir
writes out
group Options : dir measured splits threads

command memory : fit the constants of memory alone, in a file of constants that is there
run run_memory
usage DIR
positional dir
writes out
group Options : dir measured constants

command domain : the ranges of the rows that the fit sees, as CSV
run run_domain
usage DIR
positional dir
writes out learned
group Options : dir measured domain seed domain_rows

command parallel : fit the constants of several devices
run run_parallel
usage DIR
positional dir
writes out errors
group Options : dir parallel errors rows threads iterations

command calibrate : errors by the number of rows that a device is calibrated with, as CSV
run run_calibrate
usage DIR
positional dir
writes out
group Options : dir calibration seed
