"""Training steps of Keras models, as rows of a measurement file (docs/measurement-format.md):

    python3 -m epochcast.collect.keras --networks ResNet50,MobileNetV2 --batch 8,32 --out keras.csv

Networks are those of keras.applications, without weights; `measure` takes a model of yours. What Keras runs on is in each row: its
version, and TensorFlow, PyTorch, JAX or numpy below it. numpy computes no gradients: there, forward is measured alone."""
import argparse
import os
import re
import sys

from . import table, timing

FRAMEWORKS = {"tensorflow": "tensorflow-2", "torch": "pytorch-2", "jax": "jax", "numpy": "numpy"}
TRAINS = ("tensorflow", "torch", "jax")


def version_of(backend):
    module = sys.modules.get(backend)
    return f"{backend} {getattr(module, '__version__', '')}".strip()


def gpu_name(backend):
    """What computes, by the framework below; empty: the processor."""
    if backend == "torch":
        torch = sys.modules["torch"]
        return torch.cuda.get_device_name() if torch.cuda.is_available() else ""
    if backend == "tensorflow":
        config = sys.modules["tensorflow"].config
        gpus = config.list_physical_devices("GPU")
        return config.experimental.get_device_details(gpus[0]).get("device_name", "GPU") if gpus else ""
    if backend == "jax":
        first = sys.modules["jax"].devices()[0]
        return first.device_kind if first.platform == "gpu" else ""
    return ""


def keras_name(name):
    """ResNet50 is resnet50 here, MobileNetV2 mobilenet_v2: names of the built-in networks."""
    return re.sub(r"(?<=[a-z])(V\d)", r"_\1", name).lower()


def data_for(numpy, shape, batch):
    if any(extent is None for extent in shape[1:]):
        raise ValueError(f"the model leaves a dimension open: {shape}")
    return numpy.zeros((batch,) + tuple(shape[1:]), "float32")


def measure(keras, model, batch, *, name=None, optimizer="sgd", seconds=10.0, device=None, machine_folder="",
            known=lambda row: False):
    """Rows (dictionaries by the columns of measurement files) of a model with one input and one output, steps of `batch` samples:
    phase `step` (forward, backward, update; not with numpy) and `forward`, each for `seconds`.

    keras     the module
    known     whether a row, still without times, is there already: it is left out
    device    key of the catalogue, or a name for what is not in it; None: the name that the driver gives, else that of the CPU
    Errors    ValueError: a dimension beside the batch is open"""
    import numpy
    backend = keras.backend.backend()
    gpu = gpu_name(backend)
    called = gpu or table.cpu_model()
    layout = keras.config.image_data_format().replace("_", "-") if hasattr(keras, "config") else "channels-last"
    x, y = (data_for(numpy, shape, batch) for shape in (model.input_shape, model.output_shape))
    model.compile(optimizer=optimizer, loss="mse" if y.shape[-1] == 1 else "categorical_crossentropy")
    shared = {
        "kind": "network", "what": name or keras_name(model.name), "family": name or keras_name(model.name), "method": "whole",
        "batch": batch, "image_px": x.shape[1] if x.ndim == 4 else "", "precision": precision_of(model), "layout": layout,
        "execution": "eager", "num_devices": 1, "threads": "" if gpu else os.cpu_count(),
        "device": device or re.sub(r"[^a-z0-9]+", "-", called.lower()).strip("-"), "device_name": called,
        "machine": table.write_machine(table.machine_record(""), machine_folder), "engine": "keras",
        "engine_version": f"{keras.__version__} on {version_of(backend)}", "framework": FRAMEWORKS.get(backend, backend), "seed": 0,
        "tool": "collect_keras", "tool_version": "1"}
    phases = [("step", optimizer, lambda: model.train_on_batch(x, y))] if backend in TRAINS else []
    phases.append(("forward", "none", lambda: model.predict_on_batch(x)))
    wanted = [(dict(shared, phase=phase, optimizer=used), call) for phase, used, call in phases]
    return [dict(row, **timed(call, seconds)) for row, call in wanted if not known(row)]


def precision_of(model):
    policy = str(getattr(getattr(model, "dtype_policy", None), "name", "float32"))
    return {"float32": "fp32", "mixed_float16": "amp", "mixed_bfloat16": "amp-bf16"}.get(policy, policy)


def timed(call, seconds):
    """Both calls of Keras return numbers, so the device has finished when they do."""
    m = timing.measure(timing.HostClock(), call, timing.Budget(seconds))
    return {"outcome": m.outcome, "note": m.note, "n_warm_up": m.n_warm_up, "calls_per_sample": m.calls, "stop": m.stop,
            "samples_ns": " ".join(f"{ns:.0f}" for ns in m.host_ns), "flags": " ".join(m.flags)}


def main(words=None):
    parser = argparse.ArgumentParser(prog="collect.keras", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--networks", required=True, help="names of keras.applications, by commas")
    parser.add_argument("--batch", default="32", help="samples of a step, by commas")
    parser.add_argument("--optimizer", default="sgd")
    parser.add_argument("--seconds", type=float, default=10.0, help="for each row")
    parser.add_argument("--device", help="key of the catalogue for what runs it")
    parser.add_argument("--out", required=True, metavar="FILE.csv")
    parser.add_argument("--resume", action="store_true", help="go on with a file that is there")
    args = parser.parse_args(words)
    try:
        import keras
    except ImportError as error:
        sys.exit(f"collect.keras: {error}: install keras and TensorFlow, PyTorch or JAX")
    try:
        out = table.Table(args.out, args.resume)
    except (table.TableError, OSError) as error:
        sys.exit(f"collect.keras: {error}")
    for name in args.networks.split(","):
        make = getattr(keras.applications, name, None)
        if make is None:
            sys.exit(f"collect.keras: keras.applications has no {name}")
        for batch in map(int, args.batch.split(",")):
            for row in measure(keras, make(weights=None), batch, name=keras_name(name), optimizer=args.optimizer, seconds=args.seconds,
                               device=args.device, machine_folder=os.path.dirname(os.path.abspath(args.out)), known=out.has):
                out.append(row)
                print(f"{row['what']} batch {batch} {row['phase']}: {row['outcome']}", file=sys.stderr)
    out.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
