opts op_opts

fields own
name str NAME : an operator; default: list all

fields sample
op strs NAME,... : draw cases of these operators in turn, as often as each is given; default: of all
count int N =100 1..1e6 : number of cases
seed int N =1 0..1e15 : seed; the same seed gives the same cases
zoo_percent int N =50 0..100 : share of cases from built-in networks
max_bytes double BYTES =4e9 0..1e15 : largest memory of a training step of the case; 0: no limit
max_flop double FLOP =0 0..1e20 : largest work of forward and gradients together; 0: no limit

fields form
+EC_FIELDS_FORMS struct ec_forms forms

command op sample : draw realistic cases of operators
run run_sample
usage [--op NAME,...] [--count N] [--seed N] [--max-bytes BYTES]
group Options : sample form

command op : list the operators, and how a case of one is written
run run
usage [NAME] [--json | --csv | --markdown]
positional name
group Options : own form
