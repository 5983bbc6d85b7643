epochcast op --markdown | sed -n '1,3p'
epochcast op --csv | sed -n '1,2p'
epochcast op conv2d --csv | sed -n '1,2p'
epochcast op relu --markdown
epochcast op sample --op relu --count 1 --csv | cut -d , -f 1 | cut -c 1-7
epochcast op --csv --markdown
