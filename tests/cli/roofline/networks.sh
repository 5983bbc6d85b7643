# tolerance: 0.3
epochcast roofline resnet18 mobilenet_v2 --device t4,a100-sxm4-40gb --batch 32,128 --precision amp --out picture.svg
grep -o 'a100-sxm4-40gb: [^<]*' picture.svg
