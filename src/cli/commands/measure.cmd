opts measure_opts
member struct ec_conditions cond
member struct ec_sample_limits limits
member struct ec_engine_opts engine
member struct ec_protocol protocol
member struct ec_samples_opts samples

fields out
out str FILE.csv : append rows to this file; the machine record is written to the same folder

fields common
resume bool : continue a file that has rows; they are not measured again
store str FILE : import the rows into this store at the end
seed int N =1 0..1e15 : seed of the order, the drawn cases, weights and data
backend str NAME @engine.backend : cpu, ref, ref64 or sim; default: the best available
threads int N ..4096 @engine.threads :  CPU threads; 0: all that this process may use
clock enum =wall of:ec__measure_clocks : wall: elapsed time; thread: processor time of the thread,
    for a machine with other work; needs --threads 1
device str KEY : name of the device in the rows; default: that of the machine record

# Options of campaigns that measure item by item, in one process.
fields campaign
shard str I/N : measure part I of N, counted from 0; for job arrays
time_budget double S ..1e9 in:s @time_budget_s : start no new item after this time; 0: no limit

fields optimizers
optimizer strs NAME,... @optimizers of:ec_optimizer_names : one or several joined by ','; default:
    sgd

fields precisions
precision strs NAME,... @precisions +EC_PRECISION_WORDS +EC_ENGINE_PRECISIONS : one or several
    joined by ','; default: fp32

# One precision and one optimizer, for tables with only one of each.
fields precision
precision enum =fp32 @cond.precision +EC_PRECISION_WORDS +EC_ENGINE_PRECISIONS : type of activations

fields layer
op strs NAME,... : draw cases of these operators in turn; default: of all
count int N =100 1..1e6 : number of cases
cases str FILE : read cases from a file, one per line, instead of drawing them; - is standard input
max_flop double FLOP =2e10 ..1e20 @limits.max_flop : largest work of a drawn case, forward and
    gradients; 0: no limit
max_bytes double BYTES =1e9 ..1e15 @limits.max_bytes : largest memory that a drawn case needs; 0: no
    limit
methods strs NAME,... of:method_names : one or several joined by ','; default: separated,marginal;
    with --activation justus
activation strs OP,... @activations : element-wise operators behind the layer in isolated and
    justus, such as none,relu,tanh,sigmoid: drawn for each drawn case, all with each case of --cases

fields name
words strs NETWORK : built-in networks with their parameters, ONNX and JSON files

fields batch
batch ints N,... 1..1e9 : samples per step; default: the network's own

fields network
image int PX ..1e5 @image_px : side of the image; default: the network's own
seq_len int N ..1e7 : length of sequences; default: the network's own
per_iteration str FILE.csv : write a row for each iteration, as it ends, to this table
env str NAME =local : name of this environment in --per-iteration

# Of networks that are trained on data.
fields workers
workers int N =1 ..64 : threads that prepare batches ahead

fields data
data str SET[:PATH] : train on this data set, as `epochcast train` does: imagefolder:DIR,
    cifar10:DIR, synthetic ...; default: one random batch again and again

fields iteration
max_iters int N =100 1..1e6 : iterations of each run that are timed
warmup_iters int N =10 ..1e6 : iterations before them that are not timed

fields grid
out str FILE.csv : append rows to this file; default: configs_FAMILY_DEVICE.csv
optimizer enum =adam @cond.optimizer of:ec_engine_optimizer_names : optimizer of the training
family str NAME =cifar_cnn : built-in network whose parameters are varied
depth ints N,... 1..1e9 : short for --param depth=N,...; default for cifar_cnn: 2,3,4
base_filters ints N,... 1..1e9 : short for --param base_filters=N,...; default for cifar_cnn: 32,64
param strs NAME=N,... : a parameter of the family and its values
epochs int N =3 1..1e6 : training epochs of each configuration
rounds int N =1 1..1000 : measure all configurations N times in turn, because the speed of a machine
    varies
data str SET[:PATH] =synthetic : data set, as for `epochcast train`
samples int N ..1e12 @samples.limit : at most so many training samples; 0: all
val_split double SHARE =0 ..0.9 @samples.val_frac : share of the training samples used for
    validation
curves str FILE.csv : write loss and accuracy of each epoch of each configuration to this table
max_iters int N =100 1..1e6 : time so many steps instead of whole epochs
warmup_iters int N =10 ..1e6 : iterations before them that are not timed

fields ddp
optimizer enum =sgd @cond.optimizer of:ec_engine_optimizer_names : optimizer of the training
op strs CASE : the training step of this layer alone, with input and target trained
activation str OP : element-wise operator behind the layers of --op
isolated bool : train the parameters of these layers only (method isolated, else justus)
table str FILE.csv : table of step times by number of processes; default: named after --out
profile str FILE.json : predict with this profile of the machine, by `epochcast calibrate`
mpi str FILE.so : module with the MPI code; default: the installed one

command measure layers : time single layers: drawn ones, or those of a file
run run_layers
usage --out FILE.csv [--op NAME,...] [--count N] [--seed N] [--resume]
writes out
group Options : out layer optimizers precisions common campaign
group One measurement : ec_protocol_fields@protocol
rule op count max_flop max_bytes : unless cases

command measure networks : time training steps of networks, and their parts
run run_networks
usage NETWORK... --out FILE.csv [--batch N,...] [--optimizer NAME,...] [--resume]
usage NETWORK... --out FILE.csv --per-iteration FILE.csv [--max-iters N] [--data SET[:PATH]]
positional words
writes out per_iteration
group Options : name out batch network data workers iteration optimizers precisions common campaign
group One measurement : ec_protocol_fields@protocol
rule max_iters warmup_iters : needs per_iteration data
rule env : needs per_iteration
rule workers : needs data
need words : no network given: names, or ONNX and JSON files

command measure ceilings : measure the peak rates of this machine: products, copies, launches
run run_ceilings
usage --out FILE.csv [--precision NAME,...] [--threads N] [--resume]
writes out
group Options : out precisions common campaign
group One measurement : ec_protocol_fields@protocol

command measure grid : train every configuration of a family for some epochs
run run_grid
usage [--family NAME] [--param NAME=N,...] [--batch N,...] [--epochs N] [--data SET]
writes out curves
# Epochs and steps are counted, so that of the protocol nothing is asked.
group Options : grid batch workers precision common campaign
rule warmup_iters : needs max_iters

command measure ddp : time data-parallel steps of several processes, under mpirun
run run_ddp
usage NETWORK... --out FILE.csv [--batch N,...] [--max-iters N]
usage --op CASE --out FILE.csv [--activation OP] [--isolated]
positional words
writes out table
# So many steps are timed as --max-iters says.
group Options : name out batch iteration ddp precision common
group One measurement : ec_protocol_fields+EC_PROTOCOL_JUDGED@protocol
need words op : no network given: names, or ONNX and JSON files; or --op CASE

command measure : measure layers, networks, ceilings, grids and scaling on this machine
