epochcast device hosts t4
