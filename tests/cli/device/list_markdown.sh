epochcast device list 'a100*' --markdown
