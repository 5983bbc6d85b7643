# Nothing but the table: its columns tell what was varied, and what of.
# tolerance: 0.02
awk 'BEGIN { print "Network,GPU,Batch Size,Image Size,Step Time (ms)"
    for (b = 16; b <= 256; b *= 2) for (px = 128; px <= 224; px += 96)
        printf "ResNet-18,made-up,%d,%d,%.4f\n", b, px, b * px ^ 2 / 1e4
    print "ResNet-18,made-up,512,224,out of memory"
    print "vgg16,made-up,16,224,99" }' > mine.csv
epochcast whatif --table mine.csv
epochcast whatif --table mine.csv --model resnet-18 --network '' batch=512 image_size=224
