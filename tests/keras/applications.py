#!/usr/bin/env python3
"""Files of Keras models for the tests, without Keras.

    PYTHONPATH=DIR python3 tests/keras/applications.py OUT.d          DIR has keras_applications, 1.0.8 (Debian:
                                                                      python3-keras-applications)
    ...                                                OUT.d --json   all in the form of Keras 2, as JSON: for tfjs.js

The architectures are those that keras_applications builds, by a stand-in for the modules it is given: layers that
record what they are called with and know the shape they give. EfficientNetB0, which 1.0.8 lacks, stands below. What is
written is what model.save() and model.to_json() write, in the form of Keras 2 (inbound_nodes as lists,
batch_input_shape) or Keras 3 (__keras_tensor__, batch_shape): docs/keras.md. tests/keras/tfjs.js reads those of Keras 2
back with an implementation of Keras that is not ours, and counts their parameters.
"""
import json
import os
import sys
import types
import zipfile


class Tensor:
    def __init__(self, shape, layer, call, index=0):
        self.shape, self.layer, self.call, self.index = tuple(shape), layer, call, index
        self._keras_shape = self.shape


def pair(v):
    return (v, v) if isinstance(v, int) else tuple(v)


def window(size, r, stride, padding, dilation=1):
    if size is None:
        return None
    reach = (r - 1) * dilation + 1
    return -(-size // stride) if padding == "same" else (size - reach) // stride + 1


INITIAL = {"class_name": "GlorotUniform", "config": {"seed": None}}
ZEROS = {"class_name": "Zeros", "config": {}}
ONES = {"class_name": "Ones", "config": {}}
counters = {}

# class: the names of its arguments by place, and its whole configuration as Keras writes it
CONV = {"strides": [1, 1], "padding": "valid", "data_format": "channels_last", "dilation_rate": [1, 1], "groups": 1,
        "activation": "linear", "use_bias": True, "kernel_initializer": INITIAL, "bias_initializer": ZEROS,
        "kernel_regularizer": None, "bias_regularizer": None, "activity_regularizer": None, "kernel_constraint": None,
        "bias_constraint": None}
DEPTH = dict({k: v for k, v in CONV.items() if not k.startswith("kernel_") and k != "groups"}, depth_multiplier=1,
             depthwise_initializer=INITIAL, depthwise_regularizer=None, depthwise_constraint=None)
POOL = {"pool_size": [2, 2], "strides": None, "padding": "valid", "data_format": "channels_last"}
LAYERS = {
    "Activation": (["activation"], {}),
    "ReLU": (["max_value"], {"max_value": None, "negative_slope": 0.0, "threshold": 0.0}),
    "Add": ([], {}),
    "Multiply": ([], {}),
    "Concatenate": ([], {"axis": -1}),
    "AveragePooling2D": (["pool_size", "strides"], POOL),
    "MaxPooling2D": (["pool_size", "strides"], POOL),
    "GlobalAveragePooling2D": ([], {"data_format": "channels_last"}),
    "GlobalMaxPooling2D": ([], {"data_format": "channels_last"}),
    "BatchNormalization": ([], {"axis": [3], "momentum": 0.99, "epsilon": 0.001, "center": True, "scale": True,
                                "beta_initializer": ZEROS, "gamma_initializer": ONES,
                                "moving_mean_initializer": ZEROS, "moving_variance_initializer": ONES}),
    "Conv2D": (["filters", "kernel_size"], CONV),
    "DepthwiseConv2D": (["kernel_size"], DEPTH),
    "SeparableConv2D": (["filters", "kernel_size"], dict(DEPTH, pointwise_initializer=INITIAL, groups=1)),
    "Cropping2D": (["cropping"], {"data_format": "channels_last"}),
    "ZeroPadding2D": (["padding"], {"padding": 1, "data_format": "channels_last"}),
    "Dense": (["units"], {"activation": "linear", "use_bias": True, "kernel_initializer": INITIAL,
                          "bias_initializer": ZEROS}),
    "Dropout": (["rate"], {"noise_shape": None, "seed": None}),
    "Flatten": ([], {"data_format": "channels_last"}),
    "Reshape": (["target_shape"], {}),
    "Lambda": (["function"], {}),
    "Rescaling": (["scale"], {"offset": 0.0}),
    "Normalization": (["axis"], {"axis": [-1], "invert": False, "mean": None, "variance": None}),
    "FixedDropout": (["rate"], {}),
}


def edge_pairs(v):
    if isinstance(v, int):
        return ((v, v), (v, v))
    return tuple(pair(part) for part in v)


class Layer:
    def __init__(self, kind, args, options):
        by_place, defaults = LAYERS[kind]
        self.kind = kind
        name = options.pop("name", None)
        if name is None:
            snake = "".join("_" + c.lower() if c.isupper() else c for c in kind.replace("2D", "2d")).lstrip("_")
            counters[snake] = counters.get(snake, -1) + 1
            name = f"{snake}_{counters[snake]}" if counters[snake] else snake
        self.config = dict({"name": name, "trainable": True, "dtype": "float32"}, **defaults)
        self.config.update(zip(by_place, args))
        self.config.update(options)
        for key in ("kernel_size", "strides", "pool_size", "dilation_rate"):
            if key in self.config and self.config[key] is not None:
                self.config[key] = list(pair(self.config[key]))
        for key in ("padding", "cropping"):
            if kind in ("ZeroPadding2D", "Cropping2D") and key in self.config:
                self.config[key] = [list(part) for part in edge_pairs(self.config[key])]
        if kind == "BatchNormalization":  # built on maps, or on what Flatten gives: the last of four
            axis = self.config["axis"]
            self.config["axis"] = [(axis[0] if isinstance(axis, list) else axis) % 4]
        if isinstance(self.config.get("padding"), str):
            self.config["padding"] = self.config["padding"].lower()
        if "Pooling2D" in kind and "pool_size" in self.config and self.config["strides"] is None:
            self.config["strides"] = self.config["pool_size"]
        if callable(self.config.get("function")):
            self.config["function"] = ["", None, None]
        self.calls = []

    @property
    def name(self):
        return self.config["name"]

    def __call__(self, x):
        inputs = list(x) if isinstance(x, (list, tuple)) else [x]
        self.calls.append(inputs)
        graph.append(self) if len(self.calls) == 1 else None
        return Tensor(self.shape(*[t.shape for t in inputs]), self, len(self.calls) - 1)

    def shape(self, x, *others):
        c, kind = self.config, self.kind
        if kind in ("Conv2D", "SeparableConv2D", "DepthwiseConv2D", "MaxPooling2D", "AveragePooling2D"):
            r = c.get("kernel_size", c.get("pool_size"))
            d = c.get("dilation_rate", [1, 1])
            h, w = (window(x[i + 1], r[i], c["strides"][i], c["padding"], d[i]) for i in (0, 1))
            k = c.get("filters", x[3] * c.get("depth_multiplier", 1))
            return (x[0], h, w, k)
        if kind.startswith("Global"):
            return (x[0], x[3])
        if kind in ("ZeroPadding2D", "Cropping2D"):
            sign, edges = (1, c["padding"]) if kind == "ZeroPadding2D" else (-1, c["cropping"])
            return (x[0], x[1] + sign * sum(edges[0]), x[2] + sign * sum(edges[1]), x[3])
        if kind == "Concatenate":
            axis = c["axis"] % len(x)
            return x[:axis] + (x[axis] + sum(o[axis] for o in others),) + x[axis + 1:]
        if kind == "Dense":
            return x[:-1] + (c["units"],)
        if kind == "Reshape":
            return (x[0],) + tuple(c["target_shape"])
        if kind == "Flatten":
            n = 1
            for d in x[1:]:
                n *= d
            return (x[0], n)
        if kind == "Multiply":
            return max((x,) + others, key=lambda s: (s[1] or 0) * (s[2] or 0))
        return x


class Input:
    kind = "InputLayer"

    def __init__(self, shape, name=None):
        counters["input"] = counters.get("input", 0) + 1
        self.shape = (None,) + tuple(shape)
        self.name = name or f"input_{counters['input']}"
        self.calls = []
        graph.append(self)


graph = []


class Model:
    def __init__(self, inputs, outputs, name=None):
        self.inputs = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
        self.outputs = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
        self.name = name
        self.layers = list(graph)

    def load_weights(self, *_, **__):
        pass


def stand_in():
    layers = types.ModuleType("layers")
    for kind in LAYERS:
        setattr(layers, kind, lambda *args, _kind=kind, **options: Layer(_kind, args, options))
    layers.add = lambda xs, **options: layers.Add(**options)(xs)
    layers.concatenate = lambda xs, **options: layers.Concatenate(**options)(xs)

    def input_of(shape=None, tensor=None, name=None, **_):
        layer = Input(shape, name)
        return Tensor(layer.shape, layer, 0)
    layers.Input = input_of
    backend = types.ModuleType("backend")
    backend.image_data_format = lambda: "channels_last"
    backend.int_shape = lambda x: x.shape
    backend.is_keras_tensor = lambda x: True
    backend.backend = lambda: "tensorflow"
    backend.floatx = lambda: "float32"

    class Scope:
        def __init__(self, *_):
            pass

        def __enter__(self):
            pass

        def __exit__(self, *_):
            pass
    backend.name_scope = Scope
    models = types.ModuleType("models")
    models.Model = Model
    return {"backend": backend, "layers": layers, "models": models, "utils": types.ModuleType("utils")}


def efficientnet_b0(backend, layers, models, utils, **_):
    """Tan and Le 2019 as tf.keras.applications builds it: blocks (repeats, filters, expansion, kernel, stride)."""
    x = inputs = layers.Input(shape=(224, 224, 3))
    x = layers.Normalization()(layers.Rescaling(1 / 255)(x))

    def normed(x, name, act=True):
        x = layers.BatchNormalization(axis=3, name=f"{name}bn")(x)
        return layers.Activation("swish", name=f"{name}activation")(x) if act else x

    def reduced(x, k):  # the padding in front of a stride of 2
        size, half = x.shape[1], k // 2
        first = half - (1 - size % 2)
        return layers.ZeroPadding2D(((first, half), (first, half)))(x)
    x = layers.Conv2D(32, 3, strides=2, padding="valid", use_bias=False, name="stem_conv")(reduced(x, 3))
    x = normed(x, "stem_")
    stages = [(1, 16, 1, 3, 1), (2, 24, 6, 3, 2), (2, 40, 6, 5, 2), (3, 80, 6, 3, 2), (3, 112, 6, 5, 1),
              (4, 192, 6, 5, 2), (1, 320, 6, 3, 1)]
    done, total = 0, sum(s[0] for s in stages)
    for at, (repeats, filters, expand, k, stride) in enumerate(stages):
        for i in range(repeats):
            name, s, before = f"block{at + 1}{'abcd'[i]}_", stride if not i else 1, x
            width = x.shape[3]
            if expand > 1:
                x = layers.Conv2D(width * expand, 1, padding="same", use_bias=False, name=f"{name}expand_conv")(x)
                x = normed(x, f"{name}expand_")
            if s == 2:
                x = reduced(x, k)
            x = layers.DepthwiseConv2D(k, strides=s, padding="valid" if s == 2 else "same", use_bias=False,
                                       name=f"{name}dwconv")(x)
            x = normed(x, name)
            y = layers.GlobalAveragePooling2D(name=f"{name}se_squeeze")(x)
            y = layers.Reshape((1, 1, width * expand), name=f"{name}se_reshape")(y)
            y = layers.Conv2D(max(1, width // 4), 1, padding="same", activation="swish", name=f"{name}se_reduce")(y)
            y = layers.Conv2D(width * expand, 1, padding="same", activation="sigmoid", name=f"{name}se_expand")(y)
            x = layers.Multiply(name=f"{name}se_excite")([x, y])
            x = layers.Conv2D(filters, 1, padding="same", use_bias=False, name=f"{name}project_conv")(x)
            x = normed(x, f"{name}project_", act=False)
            if s == 1 and width == filters:
                x = layers.Dropout(0.2 * done / total, noise_shape=[None, 1, 1, 1], name=f"{name}drop")(x)
                x = layers.Add(name=f"{name}add")([x, before])
            done += 1
    x = normed(layers.Conv2D(1280, 1, padding="same", use_bias=False, name="top_conv")(x), "top_")
    x = layers.Dropout(0.2, name="top_dropout")(layers.GlobalAveragePooling2D(name="avg_pool")(x))
    return models.Model(inputs, layers.Dense(1000, activation="softmax", name="predictions")(x), name="efficientnetb0")


def json_shape(shape):
    return [d for d in shape]


def keras2(model):
    def layer(l):
        if l.kind == "InputLayer":
            config = {"batch_input_shape": json_shape(l.shape), "dtype": "float32", "sparse": False, "ragged": False,
                      "name": l.name}
            return {"class_name": l.kind, "config": config, "name": l.name, "inbound_nodes": []}
        nodes = [[[t.layer.name, t.call, t.index, {}] for t in inputs] for inputs in l.calls]
        return {"class_name": l.kind, "config": l.config, "name": l.name, "inbound_nodes": nodes}

    def ends(tensors):
        return [[t.layer.name, t.call, t.index] for t in tensors]
    return {"class_name": "Functional",
            "config": {"name": model.name, "trainable": True, "layers": [layer(l) for l in model.layers],
                       "input_layers": ends(model.inputs), "output_layers": ends(model.outputs)},
            "keras_version": "2.15.0", "backend": "tensorflow"}


def keras3(model):
    def tensor(t):
        return {"class_name": "__keras_tensor__",
                "config": {"shape": json_shape(t.shape), "dtype": "float32",
                           "keras_history": [t.layer.name, t.call, t.index]}}

    def layer(l):
        if l.kind == "InputLayer":
            config = {"batch_shape": json_shape(l.shape), "dtype": "float32", "sparse": False, "name": l.name}
            nodes = []
        else:
            policy = {"module": "keras", "class_name": "DTypePolicy", "config": {"name": "float32"},
                      "registered_name": None}
            config = dict(l.config, dtype=policy)
            if l.kind == "BatchNormalization":
                config["axis"] = config["axis"][0]
            nodes = [{"args": [tensor(inputs[0]) if len(inputs) == 1 else [tensor(t) for t in inputs]], "kwargs": {}}
                     for inputs in l.calls]
        return {"module": "keras.layers", "class_name": l.kind, "config": config, "registered_name": None,
                "build_config": {"input_shape": json_shape(l.calls[0][0].shape) if l.calls else None},
                "name": l.name, "inbound_nodes": nodes}

    def ends(tensors):
        all = [[t.layer.name, t.call, t.index] for t in tensors]
        return all[0] if len(all) == 1 else all
    return {"module": "keras.src.models.functional", "class_name": "Functional",
            "config": {"name": model.name, "trainable": True, "layers": [layer(l) for l in model.layers],
                       "input_layers": ends(model.inputs), "output_layers": ends(model.outputs)},
            "registered_name": "Functional", "build_config": {"input_shape": None}, "compile_config": None}


# name, module and function of keras_applications, form, side
MODELS = [
    ("vgg16", "vgg16.VGG16", keras2), ("vgg19", "vgg19.VGG19", keras3),
    ("resnet50", "resnet.ResNet50", keras2), ("resnet50v2", "resnet_v2.ResNet50V2", keras3),
    ("resnet101", "resnet.ResNet101", keras3),
    ("inceptionv3", "inception_v3.InceptionV3", keras2), ("xception", "xception.Xception", keras3),
    ("mobilenet", "mobilenet.MobileNet", keras2), ("mobilenetv2", "mobilenet_v2.MobileNetV2", keras3),
    ("densenet121", "densenet.DenseNet121", keras2), ("densenet201", "densenet.DenseNet201", keras3),
    ("nasnetmobile", "nasnet.NASNetMobile", keras3), ("efficientnetb0", None, keras3),
]


def build(name, where):
    import importlib
    graph.clear()
    counters.clear()
    given = stand_in()
    sys.modules.setdefault("numpy", types.ModuleType("numpy"))  # what keras_applications prepares images with
    if where is None:
        return efficientnet_b0(**given)
    module, function = where.split(".")
    make = getattr(importlib.import_module("keras_applications." + module), function)
    model = make(weights=None, **given)
    model.name = model.name or name
    return model


def save(path, description):
    """As a .keras of Keras 3, without the weights, packed so that it is small; the date is fixed."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as z:
        for name, content in (("metadata.json", {"keras_version": "3.5.0", "date_saved": "2026-01-01@00:00:00"}),
                              ("config.json", description)):
            info = zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0))
            info.compress_type = zipfile.ZIP_DEFLATED
            z.writestr(info, json.dumps(content))


def main():
    out = sys.argv[1]
    os.makedirs(out, exist_ok=True)
    for name, where, form in MODELS:
        if sys.argv[2:] == ["--json"]:
            with open(os.path.join(out, name + ".json"), "w") as f:
                json.dump(keras2(build(name, where)), f)
            continue
        save(os.path.join(out, name + ".keras"), form(build(name, where)))


if __name__ == "__main__":
    main()
