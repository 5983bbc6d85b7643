epochcast predict ./none.onnx --device t4
