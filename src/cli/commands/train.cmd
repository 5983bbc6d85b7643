opts ec__train_opts
member struct ec_train_opts train
member struct ec_samples_opts samples

fields own
model str MODEL : ONNX file, JSON file or built-in network
data str SET[:PATH] : data set: digits, mnist, cifar10:DIR, imagefolder:DIR, csv:FILE, synthetic
backend str NAME : cpu or ref; default: the best available
threads int N 0..4096 : threads that compute; 0: the cores that this process may use
image int PIXELS 0..65536 : image side of built-in networks; 0: their own
classes int N 0..1e9 : outputs of built-in classifiers; 0: as many as the data has
seq_len int N 0..1e9 : length of sequences; 0: the network's own
device str KEY : name of this machine in stored rows; if the catalogue has it, the time is predicted
    before training
curves str FILE.csv : losses and accuracies of each epoch
plot str FILE.svg : picture of losses and accuracies
csv str FILE.csv : table of configurations to which the run adds a row
store bool : add the measured times to the store
store_file str FILE : the store; implies --store; default: as for `epochcast data`
mpi str FILE.so : module with the MPI code; default: the installed one
+EC_FIELD_JSON struct ec_forms forms

command train : train a network on data
run run
usage MODEL --data SET [--epochs N] [--batch N] [--optimizer NAME] [--lr RATE] [--val-split SHARE]
usage MODEL --data SET --checkpoint DIR [--resume]
positional model
writes curves plot csv
writes_dirs checkpoint
group Options : own
group Training : ec_train_fields@train
group Data : ec_samples_fields@samples
rule momentum nesterov : needs optimizer=momentum
rule lr weight_decay : unless optimizer=none
rule schedule warmup : unless optimizer=none
rule clip_norm : unless optimizer=none
rule step_epochs step_factor : needs schedule=step
rule label_smoothing : needs loss=auto loss=cross_entropy
rule huber_delta : needs loss=huber
rule checkpoint_every resume : needs checkpoint
rule prefetch : unless workers=0
need model : no network: give a file or a built-in name
need data : no data: give --data SET[:PATH], such as --data digits; `epochcast dataset` lists the sets
