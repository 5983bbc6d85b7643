epochcast device show t4 v100 --csv | sed -n '1,3p' | cut -d , -f 1-4
epochcast device show t4 v100 --csv | grep -c '^key,'
epochcast device show t4 --markdown | sed -n '1,6p'
epochcast device probe --markdown
