opts dataset_opts
member struct ec_samples_opts samples
member struct ec_loader_opts loader

fields own
spec str DATA : data set: cifar10, imagefolder:FOLDER, synthetic:classes=10; default: list the known
    kinds
show int N ..1000 : describe the first N training samples
batches int N ..1e9 : read N batches as training does, and print the rate
batch int N =64 1..1e6 : samples per batch
seed int N : seed of splits, order, augmentation, and of synthetic data
+EC_FIELDS_FORMS struct ec_forms forms

command dataset : describe training data, and measure how fast it is read
run run
usage [DATA] [--show N] [--batches N]
positional spec
group Options : own
group Samples : ec_samples_fields@samples
group Reading : ec_loader_fields@loader
