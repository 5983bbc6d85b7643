"""The answer to a query."""
import html
import json
from typing import Dict, List, Optional

from . import _library
from ._keywords import ANSWER_KEYS
from .table import Table, flat


class Quantity(float):
    """A number that is a median, with the ends of its 90 % interval: `p05`, `p95`, and both as `interval`. It is a
    float in every other way.

    >>> import epochcast
    >>> step = epochcast.predict("resnet50", "t4", batch=64).step_time_ns
    >>> step.p05 < step < step.p95, step.interval == (step.p05, step.p95)
    (True, True)
    """

    __slots__ = ("p05", "p95")
    p05: float
    p95: float

    def __new__(cls, p50, p05, p95):
        own = super().__new__(cls, p50)
        own.p05, own.p95 = p05, p95
        return own

    def __getnewargs__(self):
        return float(self), self.p05, self.p95

    @property
    def interval(self):
        return self.p05, self.p95

    def __repr__(self):
        return f"{float(self):.9g} (90 %: {self.p05} to {self.p95})"

    __str__ = float.__repr__


def _value(value):
    if isinstance(value, dict) and "p50" in value:
        p50, p05, p95 = value["p50"], value["p05"], value["p95"]
        return None if p50 is None else Quantity(p50, p05, p95)
    return value


class Prediction:
    """Time, throughput and memory of a network's training step, its epoch and its job, on a device. Attributes are the
    keys of docs/requests.md; one that the answer lacks is None. Times are in ns, sizes in bytes, rates per second;
    numbers with an interval are a Quantity. print() shows it as the command does.

    >>> import epochcast
    >>> p = epochcast.predict("resnet50", "rtx4090", batch=64, precision="amp", dataset="imagenet", epochs=90)
    >>> p.batch, p.optimizer, p.fits
    (64, 'sgd', True)
    >>> 0.02e9 < p.step_time_ns < 0.08e9 and p.epoch_time_ns > 20000 * p.step_time_ns
    True
    >>> p.energy_kwh
    Traceback (most recent call last):
    AttributeError: a prediction has no energy_kwh; it has ...
    """

    # The most used; docs/requests.md has all.
    model: str
    op: Optional[str]  # in its place
    device: str
    batch: int
    batch_per_device: int
    precision: str
    optimizer: str
    step_time_ns: Quantity
    samples_per_s: Quantity
    tokens_per_s: Optional[Quantity]
    epoch_time_ns: Optional[Quantity]
    job_time_ns: Optional[Quantity]
    cost_usd: Optional[Quantity]
    memory_peak_bytes: Quantity
    allocator_peak_bytes: Quantity
    fits: Optional[bool]
    fits_probability: Optional[float]
    limit: str
    basis: str
    evidence: str
    parts: Dict[str, float]
    warnings: List[str]
    error: Optional[Dict[str, str]]  # of several answers: this one could not be predicted

    def __init__(self, answer, network=None, options=None, profile=None):
        self._raw, self._network, self._options, self._profile = answer, network, options or {}, profile

    def to_dict(self):
        """The whole answer as a dictionary (docs/requests.md).

        >>> import epochcast
        >>> epochcast.predict("resnet50", "t4").to_dict()["parts"]["weights_bytes"]
        102440608
        """
        if isinstance(self._raw, bytes):
            self._raw = json.loads(self._raw.decode("utf-8"))
            if self._network is not None and self._network.is_owned:
                self._raw["model"] = self._network.name
        return self._raw

    def __getattr__(self, name):
        if name[:1] == "_":
            raise AttributeError(name)
        answer = self.to_dict()
        if name in answer:
            return _value(answer[name])
        if name in answer.get("parts", ()):
            return answer["parts"][name]
        if name in ANSWER_KEYS or name in Prediction.__annotations__:
            return None
        raise AttributeError(f"a prediction has no {name}; it has {', '.join(sorted(answer))}")

    def __dir__(self):
        return sorted(set(super().__dir__()) | set(self.to_dict()))

    @property
    def interval(self):
        """The ends of the 90 % interval of the step's time, in ns.

        >>> import epochcast
        >>> low, high = epochcast.predict("resnet50", "t4").interval
        >>> 0 < low < high
        True
        """
        return self.step_time_ns.interval

    def _command(self, *more):
        if self.error:
            raise _library.EpochcastError(self.error["message"], self.error["status"])
        from .network import words_of
        model = ["--op", self.op] if self.op else [self._network.source if self._network else self.model]
        words = ["predict", *model, "--device", self.device, *words_of(self._options)]
        if self._profile:
            words += ["--profile", self._profile]
        out = _library.command(*words, *more)[0]
        return self._network.named(out) if self._network else out

    def explain(self):
        """How the time comes about, as `predict --explain` prints it: a table of the stages, which has the rows as
        dictionaries too (`stage`, `text`, `step_time_ns`, times by kind of kernel).

        >>> import epochcast
        >>> stages = epochcast.predict("resnet50", "t4").explain()
        >>> [row["stage"] for row in stages][:3]
        ['kernels', 'paper', 'law']
        """
        answer = json.loads(self._command("--explain", "--json"))["explanation"]
        rows = answer.pop("stages")
        return Table(rows, lambda: self._command("--explain")[len(self._command()):].lstrip("\n"), answer)

    def layers(self):
        """The step by layer, adding up to its median: `layer`, `op`, `forward_ns`, `backward_ns`, `update_ns`,
        `flop`, `limit`. `about` has `casts_ns` and `rest_ns`. Of a network by itself, not of operators.

        >>> import epochcast
        >>> p = epochcast.predict("resnet50", "t4", batch=8)
        >>> t = p.layers()
        >>> total = sum(row["forward_ns"] + row["backward_ns"] + row["update_ns"] for row in t)
        >>> abs(total + t.about["casts_ns"] + t.about["rest_ns"] - p.step_time_ns) < 1e-3 * p.step_time_ns
        True
        """
        answer = json.loads(self._command("--layers", "--json"))
        about = {key: answer[key] for key in ("casts_ns", "rest_ns")}
        return Table(answer["layers"], lambda: self._command("--layers")[len(self._command()):].lstrip("\n"), about)

    def to_pandas(self):
        """A pandas.Series of the numbers and words, flat; needs pandas."""
        import pandas  # type: ignore
        return pandas.Series(flat(self.to_dict()))

    def __str__(self):
        return self._command().rstrip("\n")

    def __repr__(self):
        if self.error:
            return f"<Prediction: {self.error['message']}>"
        return (f"<Prediction {self.op or self.model} on {self.device}: batch {self.batch}, "
                f"{self.step_time_ns / 1e6:.3g} ms a step ({self.interval[0] / 1e6:.3g} to {self.interval[1] / 1e6:.3g})>")

    def _repr_html_(self):
        return f"<pre>{html.escape(str(self) if not self.error else repr(self))}</pre>"


class Memory:
    """What a training step holds on its device: `peak_bytes` (as nvidia-smi would show it), `allocator_peak_bytes` (as
    torch.cuda.max_memory_allocated), both a Quantity; `fits`, `fits_probability`; `weights_bytes`, `gradients_bytes`,
    `optimizer_bytes`, `activations_bytes`, `overhead_bytes`, which add up to the median peak.

    >>> import epochcast
    >>> m = epochcast.memory("resnet50", "t4", batch=8)
    >>> parts = (m.weights_bytes, m.gradients_bytes, m.optimizer_bytes, m.activations_bytes, m.overhead_bytes)
    >>> abs(sum(parts) - m.peak_bytes) < 1e-6 * m.peak_bytes
    True
    """

    def __init__(self, prediction):
        self.peak_bytes = prediction.memory_peak_bytes
        self.allocator_peak_bytes = prediction.allocator_peak_bytes
        self.fits, self.fits_probability = prediction.fits, prediction.fits_probability
        self.device, self.batch = prediction.device, prediction.batch
        for key, value in prediction.parts.items():
            if key.endswith("_bytes"):
                setattr(self, key, value)

    def to_dict(self):
        return flat({key: {"p05": v.p05, "p50": float(v), "p95": v.p95} if isinstance(v, Quantity) else v
                     for key, v in vars(self).items()})

    def __repr__(self):
        return (f"<Memory on {self.device}, batch {self.batch}: {self.peak_bytes / 2**30:.3g} GiB at the peak "
                f"({self.peak_bytes.p05 / 2**30:.3g} to {self.peak_bytes.p95 / 2**30:.3g})>")
