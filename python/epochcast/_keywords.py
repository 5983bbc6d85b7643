"""The keywords in the documentation of the functions that take them."""
import textwrap

try:
    from ._options import ANSWER_KEYS, OPTIONS  # made by the build, put into the wheel
except ImportError:
    ANSWER_KEYS, OPTIONS = frozenset(), {}


def describe(module):
    """Appends to the docstring of each function the options of the command that answers it."""
    for function, names in OPTIONS.items():
        also = " (and those of predict)" if function in ("compare", "plan") else ""
        lines = [f"\n\n    Options{also}:\n"]
        for name, kind, help_text in names:
            lines.append(textwrap.fill(f"{name} ({kind}): {help_text}", 118, initial_indent="      ",
                                       subsequent_indent="          ", break_on_hyphens=False))
        function = getattr(module, function)
        if function.__doc__:  # python -OO has none
            function.__doc__ = function.__doc__.rstrip() + "\n".join(lines) + "\n"
