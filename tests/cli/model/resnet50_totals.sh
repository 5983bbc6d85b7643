epochcast model resnet50 --totals
