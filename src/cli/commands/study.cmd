opts study_opts
member struct ec_conditions cond
member struct ec_engine_opts engine
member struct ec_protocol protocol

fields composition
networks strs NETWORK : built-in networks with their parameters, ONNX and JSON files
batch ints N,... 1..1e9 : samples per step; default: the network's own
optimizer enum =sgd @cond.optimizer of:ec_engine_optimizer_names : optimizer of layers and networks
turns int N =3 1..1000 : number of turns; in each turn every layer and the whole step are timed
    once; the turns share the budget of a measurement
layers str FILE.csv : write the time of each layer, measured in each way
backend str NAME @engine.backend : cpu, ref, ref64 or sim; default: the best available
clock enum =wall of:ec__measure_clocks : wall: elapsed time; thread: processor time of the one
    thread, for a machine with other work

fields families
networks strs DIR : folders of tables: of the public ones, and measured/ of this project
max_rows int N =4000 100..1e9 : draw about so many rows of each kind of layer
seed int N =1 ..1e9 : seed of samples, splits and fits

fields common
threads int N ..4096 @engine.threads :  CPU threads; 0: all that this process may use
+EC_FIELDS_FORMS struct ec_forms forms

command study composition : measure why the layers of a network add up to more than the network
run study_composition
usage NETWORK... [--batch N,...] [--layers FILE.csv] [--csv | --json | --markdown]
positional networks
writes layers
group Options : composition common
group One measurement : ec_protocol_fields@protocol
need networks : no network given: names, or ONNX and JSON files

opts ec__strategy_opts
member struct ec_conditions cond
member struct ec_engine_opts engine

fields strategy
networks strs NETWORK : built-in networks with their parameters, ONNX and JSON files
batch ints N,... 1..1e9 : samples per step of one process; default: the network's own
optimizer enum =sgd @cond.optimizer of:ec_engine_optimizer_names : optimizer of layers and networks
turns int N =3 1..1000 : every layer and the network are timed so often, in turns; the median counts
max_iters int N =20 1..1e6 : steps of each time
warmup_iters int N =5 ..1e6 : steps before them that are not timed
isolated bool : layers train their parameters only; default: input and target, too, as the
    practicum's did
layers str FILE.csv : write the times of each layer
backend str NAME @engine.backend : cpu, ref, ref64 or sim; default: the best available
threads int N ..4096 @engine.threads :  CPU threads of a process; 0: all that it may use
mpi str FILE.so : module with the MPI code; default: the installed one
+EC_FIELDS_FORMS struct ec_forms forms

command study strategy : measure a data-parallel step beside sums of its layers, under mpirun
run ec__study_strategy
usage NETWORK... [--batch N,...] [--isolated] [--layers FILE.csv] [--csv | --json | --markdown]
positional networks
writes layers
group Options : strategy
need networks : no network given: names, or ONNX and JSON files

opts study_opts

command study families : compare kinds of regressors on public tables
run study_families
usage DIR... [--max-rows N] [--csv | --json | --markdown]
positional networks
group Options : families common
need networks : no DIR of measurement tables is given

command study : studies: isolated layers against their network, kinds of regressors
