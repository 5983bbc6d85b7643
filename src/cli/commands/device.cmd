opts device_opts

fields key
keys strs KEY : device key, pattern such as 'rtx*', or file such as mygpu.json or GPUs.csv:L4;
    several are joined by ','

fields form
+EC_FIELDS_FORMS struct ec_forms forms

fields json
+EC_FIELD_JSON struct ec_forms forms

command device list : list the devices of the catalogue
run run_list
usage [PATTERN...] [--json | --csv | --markdown]
positional keys
says_devices
group Options : key form

command device show : print all numbers of a device with their sources
run run_show
usage KEY... [--json | --csv | --markdown]
positional keys
says_devices
group Options : key form
need keys : a KEY is missing; epochcast device list shows them

command device hosts : list the hosts that --host of other commands accepts
run run_hosts
usage [--json | --csv | --markdown]
group Options : form

command device machines : list the types of machines that --device accepts beside devices
run run_machines
usage [--json | --csv | --markdown]
group Options : form

command device probe : print the hardware and software of this machine
run run_probe
usage [--json]
group Options : json

command device : the catalogue of devices, and a probe of this machine
