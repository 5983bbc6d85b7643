"""Builds the package for pip (PEP 517): one wheel, py3-none-PLATFORM, of the sources in python/epochcast and the shared
library, which Meson builds. It needs what ./quickstart installs and no package of Python, so that it works without a
network. Not meson-python: that ties a wheel with a library in its package to one version of CPython, and installs the
whole project beside it.

    pip install .                                              builds in build-wheel/
    pip install . --config-settings build-dir=build            uses what is built there
"""
import base64
import contextlib
import gzip
import hashlib
import io
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile

TOP = pathlib.Path(__file__).resolve().parent.parent
PACKAGE = TOP / "python" / "epochcast"
NAME = "epochcast"


def version():
    return re.search(r"version: '([^']+)'", (TOP / "meson.build").read_text(encoding="utf-8")).group(1)


def metadata():
    readme = (TOP / "docs" / "python.md").read_text(encoding="utf-8")
    return f"""Metadata-Version: 2.1
Name: {NAME}
Version: {version()}
Summary: How long will training a network take, on which device?
License: Apache-2.0
Requires-Python: >=3.8
Description-Content-Type: text/markdown

{readme}"""


def tag():
    return "py3-none-" + sysconfig.get_platform().replace("-", "_").replace(".", "_")


def build_files(config_settings=None):
    """Builds, and returns the package: paths in the wheel, and the files that go there."""
    build = TOP / (config_settings or {}).get("build-dir", "build-wheel")
    missing = [tool for tool in ("meson", "ninja") if not shutil.which(tool)]
    if missing:
        sys.exit(f"epochcast: building needs {' and '.join(missing)}, a C compiler and SQLite: ./quickstart installs them")
    # pip hides the system's packages of Python from what it runs; Meson is one.
    env = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    if not (build / "build.ninja").exists():
        subprocess.run(["meson", "setup", str(build), str(TOP)], check=True, env=env)
    subprocess.run(["ninja", "-C", str(build), "python"], check=True, env=env)
    return package_files(build)


def package_files(build):
    files = {f"{NAME}/{path.relative_to(PACKAGE).as_posix()}": path for path in sorted(PACKAGE.rglob("*"))
             if path.is_file() and "__pycache__" not in path.parts}
    files[f"{NAME}/aten.csv"] = TOP / "data" / "aten.csv"
    for name in ("_options.py", "ask.pyi"):
        files[f"{NAME}/{name}"] = build / "tools" / name
    files[f"{NAME}/libepochcast.so"] = build / f"libepochcast.so.{version()}"
    return files


class Wheel:
    def __init__(self, path):
        self.archive, self.record = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED), []

    def add(self, name, data):
        info = zipfile.ZipInfo(name)  # of 1980: equal sources, equal wheels
        info.external_attr = 0o644 << 16
        self.archive.writestr(info, data, zipfile.ZIP_DEFLATED)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        self.record.append(f"{name},sha256={digest},{len(data)}")

    def close(self, info_dir):
        self.archive.writestr(zipfile.ZipInfo(f"{info_dir}/RECORD"), "\n".join(self.record + [f"{info_dir}/RECORD,,\n"]))
        self.archive.close()


def info_files():
    """What stands in the folder .dist-info, but for RECORD."""
    return {
        "METADATA": metadata(),
        "WHEEL": f"Wheel-Version: 1.0\nGenerator: epochcast {version()}\nRoot-Is-Purelib: false\nTag: {tag()}\n",
        "entry_points.txt": f"[console_scripts]\n{NAME} = {NAME}.__main__:main\n",
        "LICENSE": (TOP / "LICENSE").read_text(encoding="utf-8"),
    }


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    del metadata_directory
    files = build_files(config_settings)
    name = f"{NAME}-{version()}-{tag()}.whl"
    info_dir = f"{NAME}-{version()}.dist-info"
    with contextlib.suppress(FileNotFoundError):
        os.remove(os.path.join(wheel_directory, name))
    wheel = Wheel(os.path.join(wheel_directory, name))
    for file, path in files.items():
        wheel.add(file, path.read_bytes())
    for file, text in info_files().items():
        wheel.add(f"{info_dir}/{file}", text.encode())
    wheel.close(info_dir)
    return name


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    del config_settings
    folder = pathlib.Path(metadata_directory) / f"{NAME}-{version()}.dist-info"
    folder.mkdir(parents=True)
    for file, text in info_files().items():
        (folder / file).write_text(text, encoding="utf-8")
    return folder.name


def sources():
    """The files of a release: those under version control, else (of a release itself) all that nothing has built."""
    git = subprocess.run(["git", "-C", str(TOP), "ls-files", "-z"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                         check=False)
    if git.returncode == 0 and git.stdout:
        return sorted(TOP / os.fsdecode(name) for name in git.stdout.split(b"\0") if name)
    return sorted(path for path in TOP.rglob("*") if path.is_file() and "__pycache__" not in path.parts
                  and not path.relative_to(TOP).parts[0].startswith("build") and path.name != "PKG-INFO")


def build_sdist(sdist_directory, config_settings=None):
    del config_settings
    base = f"{NAME}-{version()}"
    path = os.path.join(sdist_directory, f"{base}.tar.gz")
    with gzip.GzipFile(path, "wb", mtime=0) as out, tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for file in sources():
            if file.exists():
                tar.add(file, f"{base}/{file.relative_to(TOP).as_posix()}", recursive=False, filter=plain)
        info = tarfile.TarInfo(f"{base}/PKG-INFO")
        text = metadata().encode()
        info.size = len(text)
        tar.addfile(info, io.BytesIO(text))
    return os.path.basename(path)


def plain(info):
    info.uid = info.gid = info.mtime = 0
    info.uname = info.gname = ""
    return info
