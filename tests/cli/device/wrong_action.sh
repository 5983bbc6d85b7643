epochcast device lst
