# The scripts of docs/check.md as they stand there, but for where their files are.
mkdir run etc log bin
printf 'job,model,device,batch\ntrain,resnet18,t4,32\n' >jobs.csv
epochcast check jobs.csv --thresholds etc/limits.json >/dev/null
cp etc/limits.json .
printf '#!/bin/sh\nprintf "job,measured\\n%%s" "$RESULT"\n' >bin/measure-node
chmod +x bin/measure-node
PATH=$PWD/bin:$PATH
sed -n '/^    #!\/bin\/sh/,/^    esac/s/^    //p' "$SRC/docs/check.md" |
    sed 's| /run/| run/|g; s|/usr/local/bin/||; s|/etc/epochcast/|etc/|; s|/var/log/|log/|' >prologue
grep -c epochcast prologue
for RESULT in 'train,300 img/s' 'train,30 img/s' 'train,3000 img/s' ''; do
    export RESULT
    sh prologue
    echo "prologue, $RESULT: $?"
done
grep -o 'normal\|slower\|faster' log/epochcast-check.log
echo 'exit 5' >bin/measure-node
sh prologue
echo "prologue, nothing measured: $?"
sed -n 's/^      run: //p; s/^          *run: //p' "$SRC/docs/check.md" >action
grep -c epochcast action
export GITHUB_STEP_SUMMARY=$PWD/summary.md
for speed in 300 30 3000; do
    printf 'job,measured\ntrain,%s img/s\n' $speed >results.csv
    bash -e action
    echo "action, $speed img/s: $?"
done
grep -o 'normal\|slower\|faster' summary.md
