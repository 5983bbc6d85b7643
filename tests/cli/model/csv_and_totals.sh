epochcast model resnet18 --csv --totals
