# Kinds of rows of one table, words, a quotient, and what is wrong with rows and with mappings.
cat >mine.csv <<EOF
kind,name,global,devices,us
layer,relu,64,1,12
net,R50,64,4,9000
net,R50,65,4,9000
net,other,8,1,50
EOF
cat >mine.map <<EOF
words net =
    R50 -> resnet50
device = t4
mode = forward

[layers]
rows = kind=layer
what = {name} x={global}x8
forward_us = {us}

[networks]
rows = kind=net
kind = network
what = {name:net}
batch = {global/devices}
num_devices = {devices}
time_us = {us}
EOF
epochcast data import mine.csv --mapping mine.map --store s
epochcast data list --store s --device t4 --csv | cut -d, -f2,4,7,8,9,10
wrong() {
    printf "$1" >wrong.map
    epochcast data import mine.csv --mapping wrong.map --store s
}
wrong 'what = {name:nett}\ntime_us = {us}\n'
wrong 'rows = kind\n'
wrong '[a]\nwhat = relu\n[b : c]\n'
wrong '[a]\n[b]\nwhat = relu x={us}\ntime_us = {us}\n'
wrong 'words net =\n    R50 ->\n'
wrong 'time_us = {us} twice\n'
wrong 'what = relu x={us}\nepoch_s = {us}\n'
wrong 'use = never\n'
