"""The command: `python3 -m epochcast predict resnet50 --device t4`; `watch` is of this package, the rest of the library."""
import signal
import sys


def main():
    if sys.argv[1:2] == ["watch"]:
        from .watching import main as watch
        return watch(sys.argv[2:])
    from ._library import EpochcastError, main as command
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    try:
        return command(["epochcast"] + sys.argv[1:])
    except EpochcastError as error:
        print(f"epochcast: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
