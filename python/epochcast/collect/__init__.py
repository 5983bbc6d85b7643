"""The collector: measures with PyTorch, and by `keras` with Keras, and writes docs/measurement-format.md.

`python3 -m epochcast.collect`, or this folder given to Python, or `collect.pyz`, which has nothing else in it.
"""
