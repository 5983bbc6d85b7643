opts demo_opts
member struct ec_engine_opts engine

fields own
dir str DIR =epochcast-demo : folder of all files
budget double S =240 1..1e6 in:s @budget_s : longest time for measuring; below 60 s the networks are
    smaller
backend str NAME @engine.backend : cpu or ref; default: the best available
threads int N ..4096 @engine.threads :  CPU threads; 0: all that this process may use
clock enum =wall of:ec__measure_clocks : wall: elapsed time; thread: processor time of the thread,
    for a machine with other work; needs --threads 1
seed int N =1 0..1e15 : seed of the order, the drawn layers, weights and data
+EC_FIELDS_FORMS struct ec_forms forms

command demo : measure, fit, predict and check on this machine, in a few minutes
run run
usage [DIR] [--budget S]
positional dir
group Options : own
