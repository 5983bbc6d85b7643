"""Rows of an answer: printed as the command prints them, and handed on as dictionaries or to pandas."""
import collections.abc
import html

_UNITS = ("_per_s", "_ns", "_bytes", "_usd", "_frac")


def flat(row):
    """One level of keys: of {"step_time_ns": {"p05": 1, "p50": 2, "p95": 3}} the median stands under the key, and the
    ends of its interval under step_time_p05_ns and step_time_p95_ns, as `epochcast predict --csv` names them."""
    out = {}
    for key, value in row.items():
        if isinstance(value, dict) and "p50" in value:
            unit = next((u for u in _UNITS if key.endswith(u)), "")
            stem = key[:len(key) - len(unit)] if unit else key
            out[key] = value["p50"]
            out[f"{stem}_p05{unit}"], out[f"{stem}_p95{unit}"] = value["p05"], value["p95"]
        elif isinstance(value, dict):
            out.update(flat(value))
        elif not isinstance(value, list):
            out[key] = value
    return out


class Table(collections.abc.Sequence):
    """A list of rows that prints as the command prints it. Rows are dictionaries, or predictions.

    >>> import epochcast
    >>> table = epochcast.devices("rtx40*")
    >>> table[0]["key"], len(table) > 4
    ('rtx4060', True)
    >>> print(table)    # doctest: +ELLIPSIS
    key ...
    """

    def __init__(self, rows, text, about=None):
        self._rows, self._text = list(rows), text
        #: what the answer says beside its rows
        self.about = about or {}

    def __len__(self):
        return len(self._rows)

    def __getitem__(self, at):
        return self._rows[at]

    def __str__(self):
        if callable(self._text):
            self._text = self._text()
        return self._text.rstrip("\n")

    def __repr__(self):
        return f"<{type(self).__name__} of {len(self)} rows>"

    def to_dicts(self):
        """The rows as flat dictionaries: numbers in the unit that ends their name, None where unknown."""
        return [flat(row if isinstance(row, dict) else row.to_dict()) for row in self]

    def to_pandas(self):
        """A pandas.DataFrame with a column per key; needs pandas."""
        import pandas  # type: ignore
        return pandas.DataFrame(self.to_dicts())

    def _repr_html_(self):
        return f"<pre>{html.escape(str(self))}</pre>"
