printf 'hello' >a.onnx
epochcast predict a.onnx --device t4
printf '{"layers"' >b.json
epochcast predict b.json --device t4
: >empty.onnx
epochcast predict empty.onnx --device t4
