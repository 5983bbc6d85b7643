epochcast fit --ship
