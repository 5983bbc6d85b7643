"""The shared library, called by ctypes: commands, requests and networks. ctypes releases the GIL while a call runs."""
import ctypes
import json
import os
import threading
import weakref

# The library that the wheel holds; in a clone the one that the build has made.
_HERE = os.path.dirname(os.path.abspath(__file__))
_PLACES = (os.path.join(_HERE, "libepochcast.so"),
           os.path.join(os.path.dirname(os.path.dirname(_HERE)), "build", "libepochcast.so"))
_TEXT_MAX_BYTES = 512  # EC_ERR_MAX_BYTES
_lock = threading.Lock()
_of_thread = threading.local()
_library = None


class EpochcastError(Exception):
    """What the library refuses: the sentence, and `status`, a name of include/epochcast/err.h.

    >>> import epochcast
    >>> try:
    ...     epochcast.predict("resnet51", "t4")
    ... except epochcast.EpochcastError as error:
    ...     print(error.status, "-", error)
    E_NOT_FOUND - no built-in network "resnet51"; did you mean "resnet50", ...
    """

    def __init__(self, sentence, status="E_INPUT"):
        super().__init__(sentence)
        self.status = status

    def __reduce__(self):
        return EpochcastError, (str(self), self.status)


class _Err(ctypes.Structure):
    _fields_ = [("status", ctypes.c_int), ("text", ctypes.c_char * _TEXT_MAX_BYTES)]


def _path():
    wanted = os.environ.get("EPOCHCAST_LIBRARY")
    if wanted:
        return wanted
    found = next((place for place in _PLACES if os.path.exists(place)), None)
    if not found:
        raise EpochcastError(f"there is no library at {' or '.join(_PLACES)}: install the package (pip install . in a clone), "
                             "or set EPOCHCAST_LIBRARY to a libepochcast.so", "E_NOT_FOUND")
    return found


def _open(path):
    try:
        library = ctypes.CDLL(path)
        err, text, pointer = ctypes.POINTER(_Err), ctypes.c_char_p, ctypes.c_void_p
        for name, result, arguments in (
                ("ec_version", text, []),
                ("ec_status_name", text, [ctypes.c_int]),
                ("ec_text_free", None, [pointer]),
                ("ec_command", ctypes.c_int, [ctypes.c_int, ctypes.POINTER(text), ctypes.POINTER(pointer),
                                              ctypes.POINTER(pointer), err]),
                ("ec_command_main", ctypes.c_int, [ctypes.c_int, ctypes.POINTER(text)]),
                ("ec_predictor_new", ctypes.c_int, [ctypes.POINTER(pointer), err]),
                ("ec_predictor_free", None, [pointer]),
                ("ec_predictor_use_profile", ctypes.c_int, [pointer, text, err]),
                ("ec_predict_json", ctypes.c_int, [pointer, text, ctypes.POINTER(text), err]),
                ("ec_graph_open", ctypes.c_int, [text, pointer, ctypes.POINTER(pointer), err]),
                ("ec_graph_free", None, [pointer]),
                ("ec_graph_name", text, [pointer]),
                ("ec_graph_batch", ctypes.c_int64, [pointer]),
                ("ec_zoo_names", ctypes.POINTER(text), [ctypes.POINTER(ctypes.c_int)])):
            function = getattr(library, name)
            function.restype, function.argtypes = result, arguments
    except OSError as error:
        raise EpochcastError(f"{path}: cannot be opened: {error}", "E_IO") from None
    except AttributeError as error:
        raise EpochcastError(f"{path}: another version of the library than this package needs: {error}",
                             "E_UNSUPPORTED") from None
    return library


def library():
    """The library, opened once."""
    global _library
    if _library is None:
        with _lock:
            _library = _library or _open(_path())
    return _library


written = {}  # files of ours -> the name of the network in it


def error_of(text, status):
    """An error whose sentence names networks, not the files that we wrote of them."""
    for path, name in list(written.items()):
        text = text.replace(path, name)
    return EpochcastError(text, status)


def _check(status, err):
    if status:
        raise error_of(err.text.decode("utf-8", "replace"), library().ec_status_name(status).decode())


def version():
    return library().ec_version().decode()


def _words(words):
    return (ctypes.c_char_p * (len(words) + 1))(*[os.fsencode(word) for word in words], None)


def _take(pointer):
    text = ctypes.string_at(pointer).decode("utf-8", "replace") if pointer.value else ""
    library().ec_text_free(pointer)
    return text


def command(*words):
    """What `epochcast WORDS` prints on standard output, and what it says on standard error."""
    out, said, err = ctypes.c_void_p(), ctypes.c_void_p(), _Err()
    status = library().ec_command(len(words), _words(words), ctypes.byref(out), ctypes.byref(said), ctypes.byref(err))
    texts = _take(out), _take(said)
    _check(status, err)
    return texts


def command_json(*words):
    return json.loads(command(*words, "--json")[0])


def main(argv):
    """The command itself, with the process's own signals and streams; returns the exit status."""
    words = _words(argv)
    return library().ec_command_main(len(argv), words)


class _Predictor:
    """The fitted model and a cache of networks, of one thread."""

    def __init__(self):
        self.pointer, self.profile, self.read, err = ctypes.c_void_p(), None, {}, _Err()
        _check(library().ec_predictor_new(ctypes.byref(self.pointer), ctypes.byref(err)), err)
        weakref.finalize(self, library().ec_predictor_free, self.pointer)
        self.answer, self.err = ctypes.c_char_p(), _Err()
        self.at_answer, self.at_err, self.call = ctypes.byref(self.answer), ctypes.byref(self.err), library().ec_predict_json

    def use(self, profile):
        """profile: its path and its age, or None"""
        path = os.fsencode(profile[0]) if profile else None
        _check(library().ec_predictor_use_profile(self.pointer, path, self.at_err), self.err)
        self.profile = profile

    def is_stale(self, source):
        """Whether a file has changed since a network was read from it: the library reads it once."""
        age = _age(source)
        return self.read.setdefault(source, age) != age

    def ask(self, request):
        status = self.call(self.pointer, request, self.at_answer, self.at_err)
        if status:
            _check(status, self.err)
        return self.answer.value


def _age(path):
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def ask(request, source="", profile=None):
    """The answer to a request of docs/requests.md: both are bytes of JSON. source: its model. profile: a path, or None"""
    predictor = getattr(_of_thread, "predictor", None)
    if predictor is None or (("." in source or "/" in source) and predictor.is_stale(source)):
        predictor = _of_thread.predictor = _Predictor()
        predictor.is_stale(source)
    profile = profile and (profile, _age(profile))
    if profile != predictor.profile:
        predictor.use(profile)
    return predictor.ask(request)


def open_network(source):
    """Reads a network once and returns its name and the batch of its file. Errors: those of ec_graph_open"""
    graph, err = ctypes.c_void_p(), _Err()
    _check(library().ec_graph_open(os.fsencode(source), None, ctypes.byref(graph), ctypes.byref(err)), err)
    try:
        return library().ec_graph_name(graph).decode("utf-8", "replace"), library().ec_graph_batch(graph)
    finally:
        library().ec_graph_free(graph)


def zoo_names():
    count = ctypes.c_int()
    names = library().ec_zoo_names(ctypes.byref(count))
    return [names[i].decode() for i in range(count.value)]
