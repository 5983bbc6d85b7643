epochcast device list 'zzz*'
