"""The sources, the examples of the docstrings and the documents, the types, the notebook."""
import ast
import contextlib
import doctest
import importlib
import inspect
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import epochcast

PACKAGE = pathlib.Path(epochcast.__file__).parent
MODULES = ("_library", "table", "network", "prediction", "ask", "watching")
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


class Examples(unittest.TestCase):
    def test_docstrings(self):
        for name in MODULES:
            found = doctest.testmod(importlib.import_module(f"epochcast.{name}"), optionflags=FLAGS)
            self.assertEqual(found.failed, 0, name)
            self.assertGreater(found.attempted, 0, name)

    def test_the_page(self):
        text = pathlib.Path("docs/python.md").read_text(encoding="utf-8")
        page = doctest.DocTestParser().get_doctest(text, {}, "python.md", "docs/python.md", 0)
        found = doctest.DocTestRunner(optionflags=FLAGS).run(page)
        self.assertEqual(found.failed, 0)
        self.assertGreater(found.attempted, 15)

    def test_every_public_name_has_one(self):
        needs_torch = {"from_torch"}
        for name in epochcast.__all__:
            thing = getattr(epochcast, name)
            text = inspect.getdoc(thing) or ""
            self.assertTrue(text, name)
            if name not in needs_torch:
                self.assertIn(">>>", text, f"{name} has no example")

    def test_help_has_the_options(self):
        for function, option in (("predict", "batch (int): samples per step"), ("compare", "sort (choice)"),
                                 ("plan", "deadline (text)"), ("evaluate", "loader"), ("calibrate", "max_rows")):
            self.assertIn(option, inspect.getdoc(getattr(epochcast, function)))

    def run_notebook(self, name):
        book = json.loads(pathlib.Path("examples", name).read_text(encoding="utf-8"))
        names, printed, before = {"__name__": "__main__"}, io.StringIO(), os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                for n, cell in enumerate(book["cells"]):
                    if cell["cell_type"] != "code":
                        continue
                    self.assertFalse(cell["outputs"], "a notebook is kept without outputs")
                    tree = ast.parse("".join(cell["source"]), feature_version=(3, 8))
                    shown = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
                    with contextlib.redirect_stdout(printed):
                        exec(compile(tree, f"cell {n}", "exec"), names)
                        # as a notebook shows the last line of a cell
                        value = eval(compile(ast.Expression(shown.value), f"cell {n}", "eval"), names) if shown else None
                    if value is not None:
                        self.assertLess(len(getattr(value, "_repr_html_", value.__repr__)()), 40000)
            finally:
                os.chdir(before)
        self.assertLess(len(printed.getvalue()), 10000)
        return printed.getvalue()

    def test_the_tour(self):
        self.run_notebook("tour.ipynb")

    def test_the_study(self):
        printed = self.run_notebook("cnn_study.ipynb")
        for part in ("20 steps, ended by --max-iters", "8 rows added, 0 failed", "linear ", "ann ", "ours ", "207494", "an epoch of 50,000 images"):
            self.assertIn(part, printed)


class Source(unittest.TestCase):
    def test_the_oldest_python_reads_it(self):
        paths = [*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.pyi"), pathlib.Path("python/build_epochcast.py")]
        for path in paths:
            ast.parse(path.read_text(encoding="utf-8"), str(path), feature_version=(3, 8))

    def test_stubs_name_what_is_there(self):
        stub = ast.parse((PACKAGE / "ask.pyi").read_text(encoding="utf-8"))
        from epochcast import ask
        named = {node.name for node in stub.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
        public = {name for name, thing in vars(ask).items() if getattr(thing, "__module__", "") == "epochcast.ask"
                  and not name.startswith("_")}
        self.assertEqual(named, public)
        for node in stub.body:
            if isinstance(node, ast.FunctionDef):
                own = list(inspect.signature(getattr(ask, node.name)).parameters.values())
                typed = {a.arg for a in node.args.args + node.args.kwonlyargs}
                for parameter in own:
                    if parameter.kind not in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
                        self.assertIn(parameter.name, typed, node.name)

    def test_types(self):
        program = """import epochcast
p = epochcast.predict("resnet50", "t4", batch=64, precision="amp", optimizer="adamw")
q = epochcast.predict("resnet50", device="t4", batch=64)
ns: float = p.step_time_ns * 2
low: float = p.step_time_ns.p05
for row in epochcast.compare(["resnet50"], ["t4"], [32, 64], precision=["amp", "fp32"]):
    print(row)
%s"""
        wrong = 'epochcast.predict("resnet50", "t4", precision="fp7")\nepochcast.predict("resnet50", "t4", batchs=3)\n'
        with tempfile.TemporaryDirectory() as folder:
            for text, n_errors in ((program % "", 0), (program % wrong, 2)):
                path = pathlib.Path(folder) / "program.py"
                path.write_text(text, encoding="utf-8")
                try:
                    done = subprocess.run(["mypy", "--cache-dir", folder, "--no-error-summary", str(path)], stdout=subprocess.PIPE,
                                          stderr=subprocess.STDOUT, text=True, check=False,
                                          env=dict(os.environ, MYPYPATH=str(PACKAGE.parent)))
                except FileNotFoundError:
                    self.skipTest("no mypy")
                self.assertEqual(done.stdout.count(": error: "), n_errors, done.stdout)
