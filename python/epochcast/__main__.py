"""The command: `python3 -m epochcast predict resnet50 --device t4`; `watch` is of this package, the rest of the library."""
import os
import signal
import sys


def main():
    if sys.argv[1:2] == ["watch"]:
        from .watching import main as watch
        return watch(sys.argv[2:])
    from ._library import EpochcastError, main as command
    from .network import Network
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    try:
        networks = [Network.from_pt2(word) if word.endswith(".pt2") and os.path.isfile(word) else word for word in sys.argv[1:]]
        return command(["epochcast"] + [word if isinstance(word, str) else word.source for word in networks])
    except EpochcastError as error:
        print(f"epochcast: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
