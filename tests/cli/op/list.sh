epochcast op | sed -n '1,4p'
