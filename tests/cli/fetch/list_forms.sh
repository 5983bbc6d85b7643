epochcast fetch --dir none --csv | sed -n '1,2p'
epochcast fetch --dir none --markdown | sed -n '1,3p'
epochcast fetch mnist --csv
