#!/usr/bin/env python3
"""Makes the seeds of corpus/onnx: small networks that reach most of the reader. Needs python3-onnx;
run by hand when the reader learns something new: fuzz/make_onnx_seeds.py fuzz/corpus/onnx"""
import pathlib
import sys

import onnx
from onnx import TensorProto, helper

OUT = pathlib.Path(sys.argv[1])
FLOAT, INT64 = TensorProto.FLOAT, TensorProto.INT64


def weights(name, *shape):
    count = 1
    for dim in shape:
        count *= dim
    return helper.make_tensor(name, FLOAT, shape, bytes(4 * count), raw=True)


def ints(name, *values):
    return helper.make_tensor(name, INT64, (len(values),), values)


def save(name, nodes, inputs, outputs, initializers=(), opset=13, infer=False):
    graph = helper.make_graph(
        nodes, name,
        [helper.make_tensor_value_info(n, t, s) for n, t, s in inputs],
        [helper.make_tensor_value_info(n, FLOAT, None) for n in outputs], list(initializers))
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
    if infer:
        model = onnx.shape_inference.infer_shapes(model)
    (OUT / name).write_bytes(model.SerializeToString())


node = helper.make_node
image = [("x", FLOAT, ["batch", 3, 8, 8])]
save("conv_norm_relu", [
    node("Conv", ["x", "w", "b"], ["c"], kernel_shape=[3, 3], pads=[1, 1, 1, 1], strides=[2, 2]),
    node("BatchNormalization", ["c", "s", "s1", "s2", "s3"], ["n"], epsilon=1e-5),
    node("Relu", ["n"], ["r"]), node("GlobalAveragePool", ["r"], ["g"]),
    node("Flatten", ["g"], ["f"]), node("Gemm", ["f", "fw", "fb"], ["y"], transB=1)],
    image, ["y"], [weights("w", 4, 3, 3, 3), weights("b", 4), weights("s", 4), weights("s1", 4),
                   weights("s2", 4), weights("s3", 4), weights("fw", 5, 4), weights("fb", 5)])
save("shape_arithmetic", [
    node("Shape", ["x"], ["sh"]), node("Gather", ["sh", "zero"], ["n"], axis=0),
    node("Unsqueeze", ["n", "axes"], ["n1"]), node("Concat", ["n1", "rest"], ["to"], axis=0),
    node("Reshape", ["x", "to"], ["y"])], image, ["y"],
    [helper.make_tensor("zero", INT64, (), [0]), ints("axes", 0), ints("rest", -1)])
save("attention", [
    node("MatMul", ["x", "wq"], ["q"]), node("MatMul", ["x", "wk"], ["k"]),
    node("Transpose", ["k"], ["kt"], perm=[0, 2, 1]), node("MatMul", ["q", "kt"], ["s"]),
    node("Div", ["s", "c"], ["sc"]), node("Softmax", ["sc"], ["p"], axis=-1),
    node("MatMul", ["p", "x"], ["y"])], [("x", FLOAT, ["n", 6, 8])], ["y"],
    [weights("wq", 8, 8), weights("wk", 8, 8), weights("c", 1)])
save("lstm", [node("LSTM", ["x", "w", "r", "b"], ["y", "h", "c"], hidden_size=4,
                   direction="bidirectional")],
     [("x", FLOAT, [5, 2, 3])], ["y"],
     [weights("w", 2, 16, 3), weights("r", 2, 16, 4), weights("b", 2, 32)])
save("embedding", [node("Gather", ["table", "ids"], ["e"], axis=0),
                   node("ReduceMean", ["e"], ["y"], axes=[1], keepdims=0)],
     [("ids", INT64, ["n", 7])], ["y"], [weights("table", 11, 4)])
save("pools_and_pads", [
    node("Pad", ["x", "pads"], ["p"], mode="constant"),
    node("MaxPool", ["p"], ["m"], kernel_shape=[2, 2], strides=[2, 2], ceil_mode=1),
    node("AveragePool", ["m"], ["a"], kernel_shape=[2, 2], auto_pad="SAME_UPPER"),
    node("Concat", ["a", "a"], ["c"], axis=1), node("Split", ["c"], ["s", "t"], axis=1),
    node("Resize", ["s", "", "scales"], ["y"], mode="nearest")], image, ["y", "t"],
    [ints("pads", 0, 0, 1, 1, 0, 0, 1, 1),
     helper.make_tensor("scales", FLOAT, (4,), [1, 1, 2, 2])])
save("unknown_operator", [node("Frobnicate", ["x"], ["y"], domain="example.com")], image, ["y"],
     infer=False)
save("elementwise_broadcast", [
    node("Constant", [], ["k"], value=weights("v", 3, 1, 1)), node("Mul", ["x", "k"], ["a"]),
    node("Clip", ["a"], ["b"]), node("Erf", ["b"], ["c"]), node("Add", ["c", "x"], ["y"])],
    image, ["y"])
save("scalars_and_tables", [
    node("Mul", ["x", "k"], ["a"]), node("Clip", ["a", "lo", "hi"], ["b"]), node("Sub", ["one", "b"], ["c"]),
    node("Div", ["k", "c"], ["d"]), node("Pow", ["d", "k"], ["e"]), node("Gather", ["table", "index"], ["bias"], axis=0),
    node("Greater", ["e", "k"], ["g"]), node("Where", ["g", "e", "bias"], ["y"])], image, ["y"],
    [helper.make_tensor(n, FLOAT, (), [v]) for n, v in (("k", 0.3), ("lo", -1), ("hi", 0.5), ("one", 1))] +
    [weights("table", 7, 8), ints("index", *(i % 7 for i in range(8)))])
save("slices", [
    node("Slice", ["x", "st", "en", "ax", "sp"], ["s"]), node("Squeeze", ["s", "ax0"], ["q"]),
    node("Cast", ["q"], ["h"], to=TensorProto.FLOAT16), node("Where", ["m", "q", "q"], ["y"])],
    [("x", FLOAT, [1, 3, 8, 8]), ("m", TensorProto.BOOL, [3, 4, 8])], ["y", "h"],
    [ints("st", 0), ints("en", 9223372036854775807), ints("ax", 2), ints("sp", 2), ints("ax0", 0)])
save("old_opset", [
    node("Dropout", ["x"], ["d"], ratio=0.5), node("Unsqueeze", ["d"], ["u"], axes=[0]),
    node("Squeeze", ["u"], ["v"], axes=[0]), node("Upsample", ["v"], ["y"], scales=[1., 1., 2., 2.])],
    image, ["y"], opset=7)
save("cycle", [node("Relu", ["b"], ["a"]), node("Relu", ["a"], ["b"])], image, ["b"])
save("huge_dimension", [node("Relu", ["x"], ["y"])], [("x", FLOAT, [2**40, 2**40])], ["y"])
save("negative_axis", [node("Softmax", ["x"], ["y"], axis=-9)], image, ["y"])
