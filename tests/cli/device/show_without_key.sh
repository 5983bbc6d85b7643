epochcast device show
