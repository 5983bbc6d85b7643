"""Runs the collector, whether Python was given the package's name, its folder or collect.pyz."""
import os
import sys

if __package__:
    from .main import main
else:
    # In place of the folder itself: in it, `keras` would be found before Keras.
    sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    from collect.main import main

main()
