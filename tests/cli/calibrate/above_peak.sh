epochcast calibrate --device t4 --row 'resnet50 batch=64 precision=amp' --samples-per-s 61000
echo $?
epochcast calibrate --device t4 --row 'resnet50 batch=64 precision=amp samples_per_s=61000' \
  --row 'vgg16 batch=64 precision=amp samples_per_s=20' --csv | cut -d , -f 1-4
