epochcast predict lenet5 -d t4 --host nobody
epochcast predict lenet5 -d t4 --host timm-rtx390
