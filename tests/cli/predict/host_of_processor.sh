epochcast predict lenet5 -d cpu-epyc-2vcpu --host reference
