# tolerance: 0.3
epochcast roofline lenet5 --device t4 --batch 64 --layers --csv | sort -t , -k 7,7
epochcast roofline lenet5 --device t4 --batch 64 --layers --top 2 --csv | cut -d , -f 7
epochcast roofline resnet18 --device t4 --batch 64 --layers --out picture.svg >/dev/null
grep -o 'Roofline of [^<]*' picture.svg | head -n 1
grep -c 'numbered' picture.svg
# The shares in the legend are of the step, whatever --top leaves out.
epochcast roofline resnet18 -d t4 -b 16 --layers --out all.svg > /dev/null
epochcast roofline resnet18 -d t4 -b 16 --layers --top 2 --out top.svg > /dev/null
python3 - <<'END'
import re
def shares(name):
    text = open(name).read().replace("\u00a0", " ")
    return re.findall(r"\d+ (\S+)(?: x\d+)? \((\d+) %\)", text)
print(bool(shares("top.svg")), set(shares("top.svg")) <= set(shares("all.svg")))
END
