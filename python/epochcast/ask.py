"""What can be asked. The keywords are the options of the command, with `_` for `-`; the library checks them."""
import csv
import io
import json
import os
import shutil
import weakref

from . import _library, from_torch as recorder
from ._library import EpochcastError
from .network import as_network, scratch_file, source_of, words_of
from .prediction import Memory, Prediction
from .table import Table


def _plain(value):
    """What json does not know: numbers of numpy, paths, an optimizer of torch."""
    if hasattr(value, "item"):
        return value.item()
    if hasattr(value, "param_groups"):
        return optimizer_word(value)
    if isinstance(value, range):
        return ",".join(map(str, value))
    return str(value)


def optimizer_word(optimizer):
    """The word for a torch.optim object: sgd with momentum is `momentum`."""
    try:
        return recorder.optimizer_of(optimizer)["optimizer"]
    except recorder.RecordError as error:
        raise EpochcastError(str(error), "E_UNSUPPORTED") from error


_encode = json.JSONEncoder(separators=(",", ":"), default=_plain).encode


def _profile_path(profile):
    return profile.path if isinstance(profile, Profile) else os.fspath(profile) if profile else None


def _optimizer_of(options):
    if hasattr(options.get("optimizer"), "param_groups"):
        options["optimizer"] = optimizer_word(options["optimizer"])


def _sorted_out(given, device, example_inputs):
    """Positional arguments behind the model: a device is text, inputs are not."""
    for value in given:
        if isinstance(value, str) and device is None:
            device = value
        elif not isinstance(value, str) and example_inputs is None:
            example_inputs = value
        else:
            raise TypeError(f"predict: too many positional arguments, beginning with {type(value).__name__} {value!r:.40}")
    return device, example_inputs


def predict(model, *given, device=None, example_inputs=None, loss=None, profile=None, **options):
    """Predicts the training of a network on a device, which need not be there.

    model           a built-in name ("resnet50"), a path (.onnx, .json, config.json), a Network, or a torch.nn.Module
    device          key of the catalogue or another name of the device ("rtx 4090"), or the file of one
    example_inputs  of a torch.nn.Module: the tensor, or the tuple of tensors, of one call; its first dimension is the
                    batch; no values are used
    loss            of a torch.nn.Module: as for from_torch
    profile         a Profile of `calibrate`, or its path
    options         the conditions: batch, precision, optimizer ...; see below
    Device and example_inputs may stand behind the model without their names: predict(module, x, device="h100")

    Errors  EpochcastError: E_NOT_FOUND for a network or device that is not known, with near names; E_INPUT for an
            option that is not known or goes not with the others; E_UNSUPPORTED
    >>> import epochcast
    >>> p = epochcast.predict("resnet50", device="rtx4090", batch=64, precision="amp")
    >>> print(p)    # doctest: +ELLIPSIS
    resnet50, batch 64, 224 px, amp, channels-first, training_step, optimizer sgd, pytorch-2
    on NVIDIA GeForce RTX 4090
    ...
    >>> p.step_time_ns, p.memory_peak_bytes.p95    # doctest: +ELLIPSIS
    (... (90 %: ... to ...), ...)
    """
    device, example_inputs = _sorted_out(given, device, example_inputs)
    network = as_network(model, example_inputs, loss)
    path = _profile_path(profile)
    source = source_of(network)
    request = _encode({**options, "model": source, **({} if device is None else {"device": device})})
    answer = _library.ask(request.encode("utf-8"), source, path)
    if b'"error":{"status":' in answer[:64]:
        error = json.loads(answer.decode("utf-8"))["error"]
        raise _library.error_of(error["message"], error["status"])
    _optimizer_of(options)
    prediction = Prediction(answer, None if isinstance(network, str) else network, options, path)
    if isinstance(profile, Profile) and profile.device != prediction.device:
        raise EpochcastError(f"the profile is of {profile.device}, the query of {prediction.device}")
    return prediction


def memory(model, *given, **options):
    """What a training step holds on its device; as `predict`, of which it is a part.

    >>> import epochcast
    >>> m = epochcast.memory("resnet50", "rtx4090", batch=64, precision="amp")
    >>> 3 < m.peak_bytes / 2**30 < 9, m.weights_bytes
    (True, 102440608)
    """
    return Memory(predict(model, *given, **options))


def _listed(value):
    return list(value) if isinstance(value, (list, tuple, range)) else [value]


def compare(model, device, batch=None, *, example_inputs=None, profile=None, **options):
    """Predictions of all combinations, sorted as the command sorts them. Every number and every choice may be a list.

    model, device, batch  one or a list of each; patterns of devices as well ("rtx40*")
    options               those of `predict`, and sort, top, prices, deadline ...
    Returns a Table of Prediction; those that cannot be predicted have `error`

    >>> import epochcast
    >>> t = epochcast.compare(["resnet18", "resnet50"], ["t4", "l4"], [32, 64], precision="amp")
    >>> len(t), t[0].fastest
    (8, True)
    >>> print(t)    # doctest: +ELLIPSIS
    224 px, amp, channels-first, training_step, optimizer sgd, pytorch-2
    ...
    """
    models = [as_network(one, example_inputs) for one in _listed(model)]
    named = [one for one in models if not isinstance(one, str)]
    _optimizer_of(options)
    words = ["predict", *map(source_of, models), "--device", ",".join(_listed(device))]
    words += words_of(dict(options, batch=batch))
    path = _profile_path(profile)
    if path:
        words += ["--profile", path]
    answer = _library.command_json(*words)
    rows, of = answer.get("predictions", [answer]), {one.source: one for one in named}
    varied = {"model", "device", "batch", "sort", "top", "prices", "price_kind", "deadline"}
    kept = {key: value for key, value in options.items() if key not in varied}

    def text():
        out = _library.command(*words)[0]
        for one in named:
            out = one.named(out)
        return out

    return Table([_of_several(row, of, kept, path) for row in rows], text)


def _of_several(row, of, options, path):
    network = of.get(row.get("model"))
    if network:
        row["model"] = network.name
    said = {"image": "image_px"}  # keys of the answer that are not the option's
    own = {key: row.get(said.get(key, key), value[0]) if isinstance(value, (list, tuple, range)) else value
           for key, value in options.items()}
    if "global_batch" not in own:
        own["batch"] = row.get("batch_per_device")
    return Prediction(row, network, own, path)


def plan(model, device, *, example_inputs=None, **options):
    """Which devices, how many, and how they share a job: the front of time and money (`epochcast plan`). The size of the
    job is said by tokens, samples, steps or dataset.

    options  those of `predict` as what is searched: numbers and choices may be lists, numbers "1..64"; and deadline,
             budget, prices, memory_chance, why_not, top
    Returns a Table of dictionaries; each has the `command` that predicts it. `about` has what was searched

    >>> import epochcast
    >>> best = epochcast.plan("resnet50", ["t4", "l4"], samples="1e8", devices=[1, 2])[0]
    >>> best["device"], best["devices"]
    ('l4', 2)
    """
    network = as_network(model, example_inputs)
    _optimizer_of(options)
    words = ["plan", source_of(network), "--device", ",".join(_listed(device)), *words_of(options)]
    answer = _library.command_json(*words)
    rows = answer.pop("plans")

    def named(text):
        return text if isinstance(network, str) else network.named(text)

    for row in rows:
        row["command"] = named(row["command"])
    answer["model"] = named(answer["model"])
    return Table(rows, lambda: named(_library.command(*words)[0]), answer)


def devices(pattern=None):
    """The devices of the catalogue, or those whose names fit a pattern. Numbers are in the unit that ends their name;
    None is unknown.

    >>> import epochcast
    >>> [row["key"] for row in epochcast.devices("h200*")]
    ['h200-sxm-141gb', ...
    """
    words = ["device", "list"] + ([pattern] if pattern else [])
    return Table(_library.command_json(*words)["devices"], lambda: _library.command(*words)[0])


def device(name):
    """A device of the catalogue by its key or another name of it; each number is a dictionary with its `value` and its
    `source`.

    Errors  EpochcastError: E_NOT_FOUND, with the nearest keys
    >>> import epochcast
    >>> d = epochcast.device("rtx 4090")
    >>> d["key"], d["memory_bytes_per_s"]["value"]
    ('rtx4090', 1008000000000)
    """
    return _library.command_json("device", "show", name)["devices"][0]


def _table_file(rows):
    """A CSV of rows, as a path. rows: a path, dictionaries with the names of docs/tables.md, or a pandas.DataFrame"""
    if isinstance(rows, (str, os.PathLike)):
        return os.fspath(rows), False
    if hasattr(rows, "to_csv"):
        return scratch_file("rows.csv", rows.to_csv(index=False)), True
    rows = rows.to_dicts() if isinstance(rows, Table) else [dict(row) for row in rows]
    names = list(dict.fromkeys(name for row in rows for name in row))
    if not names:
        raise EpochcastError("no rows: expected dictionaries such as {'model': 'resnet50', 'device': 't4', 'batch': 64, "
                             "'step_time_ms': 210}")
    text = io.StringIO()
    writer = csv.DictWriter(text, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return scratch_file("rows.csv", text.getvalue()), True


def _remove(path, is_ours):
    if is_ours:
        shutil.rmtree(os.path.dirname(path), ignore_errors=True)


def _of_rows(error, path, is_ours):
    return EpochcastError(str(error).replace(path, "rows"), error.status) if is_ours else error


def evaluate(rows, *, profile=None, **options):
    """Measurements beside their predictions: off by how much, and the likely reason (`epochcast evaluate`).

    rows     a CSV, dictionaries, or a pandas.DataFrame, with columns as in docs/tables.md: model, device, batch, and
             step_time_ms or samples_per_s
    options  device, precision, host, loader ... for tables without such a column
    Returns a Table with `measured`, `predicted`, `off_frac`, `inside`, `likely_text`; `about["said"]` has notes

    >>> import epochcast
    >>> t = epochcast.evaluate([{"model": "resnet50", "device": "t4", "batch": 64, "precision": "amp", "step_time_ms": 230}])
    >>> t[0]["inside"], t[0]["measured"]
    (True, 230000000)
    """
    path, is_ours = _table_file(rows)
    words = ["evaluate", path, *words_of(dict(options, profile=_profile_path(profile)))]
    try:
        out, said = _library.command(*words, "--json")
    except EpochcastError as error:
        _remove(path, is_ours)
        raise _of_rows(error, path, is_ours) from None
    answer = json.loads(out)
    table = Table(answer.pop("rows"), lambda: _library.command(*words)[0],
                  dict(answer, said=said.replace(path, "rows") if is_ours else said))
    weakref.finalize(table, _remove, path, is_ours)  # it is read again when the table is printed
    return table


def check(model, device, measured=None, *, log=None, example_inputs=None, profile=None, **options):
    """Whether a run is as expected, and the likely causes where it is not (`epochcast check`).

    measured  time of a step or a speed with its unit ("94ms", "680 img/s"), or the time in ns
    log       in its place the log of a training loop, as a path
    options   those of `predict`, and tolerance
    Returns a dictionary: `verdict` (normal, slower, faster), `expected_ns`, `percentile`, `mfu_frac`, `causes` ...

    >>> import epochcast
    >>> c = epochcast.check("resnet50", "rtx3090", "2 s", batch=64, precision="amp")
    >>> c["verdict"], c["causes"][0]["cause"], c["causes"][0]["confirm"]
    ('slower', 'loader', 'nvidia-smi dmon -s u -c 30  # sm below 90: the device waits')
    """
    network = as_network(model, example_inputs)
    _optimizer_of(options)
    if measured is not None and not isinstance(measured, str):
        measured = f"{float(measured)}ns"
    given = {"measured": measured, "from": None if log is None else os.fspath(log), "profile": _profile_path(profile)}
    answer = _library.command_json("check", source_of(network), "--device", device, *words_of({**options, **given}))
    if not isinstance(network, str):
        answer["model"] = network.name
    return answer


class Profile:
    """What `calibrate` learned of a device: give it to `predict` as `profile`. `device` is its key; print() shows rows
    before and after. `save(path)` keeps it; `Profile.load(path)` reads it.

    >>> import epochcast
    >>> mine = epochcast.calibrate([{"model": "resnet50", "device": "t4", "batch": 32, "step_time_ms": 330}], "t4")
    >>> mine, mine.to_dict()["schema"]
    (<Profile of t4>, 'epochcast.profile/1')
    """

    def __init__(self, path, text="", _owned=False):
        self.path, self._text, self._is_owned = os.fspath(path), text, _owned
        with open(self.path, encoding="utf-8") as f:
            self._answer = json.load(f)
        self.device = self._answer["device"]

    @classmethod
    def load(cls, path):
        return cls(path)

    def to_dict(self):
        return self._answer

    def save(self, path):
        shutil.copyfile(self.path, path)

    def __str__(self):
        return self._text.rstrip("\n") or repr(self)

    def __repr__(self):
        return f"<Profile of {self.device}>"


def calibrate(rows, device, **options):
    """Adapts the predictions for a device to a few measurements of it (`epochcast calibrate`).

    rows     as for `evaluate`; those of the device are used
    options  precision, source, machine, max_rows ...
    Returns a Profile

    >>> import epochcast
    >>> rows = [{"model": "resnet50", "device": "t4", "batch": b, "precision": "amp", "step_time_ms": 3.1 * b} for b in (32, 64)]
    >>> mine = epochcast.calibrate(rows, "t4")
    >>> before, after = (epochcast.predict("resnet50", "t4", batch=96, precision="amp", profile=p) for p in (None, mine))
    >>> abs(after.step_time_ns / 1e6 - 297.6) < abs(before.step_time_ns / 1e6 - 297.6)
    True
    """
    path = scratch_file("profile.json", "")
    os.remove(path)
    table, is_ours = _table_file(rows)
    try:
        text, _ = _library.command("calibrate", "--device", device, "--table", table, "--out", path, *words_of(options))
    except EpochcastError as error:
        raise _of_rows(error, table, is_ours) from None
    finally:
        _remove(table, is_ours)
    return Profile(path, text.split("\n\nwrote ")[0])  # to a file that is ours
