epochcast predict alexnet -d t4 --set clock_kind=wild
