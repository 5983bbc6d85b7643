epochcast fit --ship . --seed 2
