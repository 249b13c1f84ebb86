"""Writes docs/python-reference.md from the package's sources: reference.py PACKAGE_FOLDER"""

import ast
import inspect
import sys
import textwrap
from pathlib import Path

ORDER = ["model", "simulation", "run", "system", "comparison", "methods", "_errors"]
HEAD = """# Python: reference

Written by `python/build/reference.py` from the package's sources. [Python](python.md) shows how its
parts go together.
"""


def signature(function):
    """f(a, *, b=1) without self and without types."""
    arguments = function.args
    every = arguments.posonlyargs + arguments.args + arguments.kwonlyargs
    for argument in every + [a for a in (arguments.vararg, arguments.kwarg) if a]:
        argument.annotation = None
    if arguments.args and arguments.args[0].arg in ("self", "cls"):
        arguments.args.pop(0)
    return f"{function.name}({ast.unparse(arguments)})"


def text_of(node):
    return inspect.cleandoc(ast.get_docstring(node, clean=False) or "")


def public(name):
    return not name.startswith("_") or name in ("__getitem__",)


def entry(node, level, kind=""):
    lines = [f"{'#' * level} {kind}{node.name}", ""]
    if isinstance(node, ast.FunctionDef):
        call = textwrap.wrap(signature(node), 90, subsequent_indent=" " * (len(node.name) + 1))
        lines += ["    " + line for line in call] + [""]
    said = text_of(node)
    for block in filter(None, said.split("\n\n")):
        code = block.startswith("    ")
        lines += [block if code else textwrap.fill(" ".join(block.split()), 100), ""]
    return lines


def is_property(function):
    return any(ast.unparse(d) == "property" for d in function.decorator_list)


def members(node):
    """Methods with a docstring or a public name; setters stand with their property."""
    properties, methods = [], []
    for item in node.body:
        if not isinstance(item, ast.FunctionDef) or not public(item.name):
            continue
        if any("setter" in ast.unparse(d) for d in item.decorator_list):
            continue
        (properties if is_property(item) else methods).append(item)
    return properties, methods


def class_of(node):
    lines = entry(node, 2, "class ")
    properties, methods = members(node)
    if properties:
        lines += [f"- `{p.name}`" + (f": {' '.join(text_of(p).split())}" if text_of(p) else "") for p in properties]
        lines = [piece for line in lines for piece in
                 ([line] if not line.startswith("- ") else textwrap.wrap(line, 100, subsequent_indent="  "))] + [""]
    for method in methods:
        lines += entry(method, 3)
    return lines


def reference(package):
    exported = ast.parse((package / "__init__.py").read_text())
    names = next(ast.literal_eval(n.value) for n in exported.body
                 if isinstance(n, ast.Assign) and n.targets[0].id == "__all__")
    lines = HEAD.splitlines() + [""]
    for module in ORDER:
        for node in ast.parse((package / f"{module}.py").read_text()).body:
            if isinstance(node, ast.ClassDef) and (node.name in names or node.name == "Table"):
                lines += class_of(node)
            elif isinstance(node, ast.FunctionDef) and node.name in names:
                lines += entry(node, 2)
    return "\n".join(lines).rstrip() + "\n"


if __name__ == "__main__":
    sys.stdout.write(reference(Path(sys.argv[1])))
