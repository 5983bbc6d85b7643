# In the sandbox models are read, and what is missing or no model is an answer with an error.
printf '%s\n' '{"model":"lenet5","device":"t4"}' '{"model":"nowhere/x.onnx","device":"t4"}' '{"model":"/dev/zero","device":"t4"}' |
    epochcast predict --requests - | cut -c 1-80
echo '{"model":"lenet5","device":"t4"}' | epochcast predict --requests - --sandbox off | cut -c 1-80
epochcast predict lenet5 --device t4 --sandbox require
