opts slurm_opts
member struct ec_predict_opts query

fields own
model str MODEL : an .onnx, .json, .keras or .h5 file, or the name of a built-in network
+EC_FIELD_DEVICES struct ec_strs device
check str SCRIPT : compare a script with the prediction; exit status 1 where something is wrong

command slurm : the lines of a job script that a prediction gives, or what is wrong with a script
run run
usage MODEL --device KEY [--devices N] --epochs N|--tokens N|... [--check SCRIPT]
positional model
says_devices
group Options : own
group The job : ec_predict_fields@query
rule rank targets fp32_adapters : needs tuning
need model : a MODEL is missing
