epochcast model resnet51
