"""What only the command-line program does, which travels with the package."""

from __future__ import annotations

import csv
import json
import os
import re
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Mapping, Optional, Sequence, Union

import numpy as np

from ._errors import Diagnostic, ModelError, SimulationError, UsageError
from ._library import number

if TYPE_CHECKING:
    from .model import Model
    from .run import Table

PROGRAM = Path(__file__).parent / "bin" / "trammel"
_ERRORS = {1: SimulationError, 2: UsageError, 3: ModelError}


_PLACE = re.compile(r"(?:trammel: |(?P<file>[^\n]+?):(?:(?P<line>\d+):(?:(?P<column>\d+):)?)? )?"
                    r"(?P<severity>error|warning|note): (?P<message>.*)")


def read_messages(said: str) -> tuple[Diagnostic, ...]:
    """The program's messages: each begins with its place and how severe it is, and may go on with the
    line that it is about."""
    found: list[list[str]] = []
    for line in said.splitlines():
        if _PLACE.fullmatch(line) or not found:
            found.append([])
        found[-1].append(line)
    messages = []
    for lines in found:
        match = _PLACE.fullmatch(lines[0])
        if match:
            messages.append(Diagnostic(match["severity"], match["message"], match["file"],
                                       int(match["line"] or 0), int(match["column"] or 0),
                                       lines[1][2:] if len(lines) > 1 else None, "\n".join(lines)))
    return tuple(messages)


def call(*arguments: Any) -> str:
    """What it prints; errors are exceptions."""
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode == 0:
        return done.stdout
    messages = read_messages(done.stderr)
    said = "\n".join(str(m) for m in messages if m.severity == "error") or done.stderr.strip()
    raise _ERRORS.get(done.returncode, SimulationError)(
        said or f"the program ended with {done.returncode}", messages)


def options(keys: Mapping[str, Any]) -> list[str]:
    """step=1e-3 as --step 1e-3, dark=True as --dark, steps=[1, 2] as --steps 1,2."""
    words: list[str] = []
    for key, value in keys.items():
        if value is None or value is False:
            continue
        words.append("--" + key.rstrip("_").replace("_", "-"))
        if value is not True:
            values = [value] if isinstance(value, (str, float, int, Path)) else list(value)
            words.append(",".join(str(v) if isinstance(v, Path) else number(v) for v in values))
    return words


def words_of(model: "Model", path: Path) -> list[str]:
    """A model as the program is asked about it."""
    words = [str(path)]
    for name, value in model._parameters.items():
        words += ["--set", f"{name}={number(value)}"]
    for name, value in model._inputs.items():
        words += ["--input", f"{name}={number(value)}"]
    return words


def accuracy(model: "Model", folder: Optional[Any], keys: Mapping[str, Any]) -> Any:
    with tempfile.TemporaryDirectory() as scratch, model._file() as path:
        where = folder if folder is not None else Path(scratch) / "accuracy"
        return json.loads(call("accuracy", *words_of(model, path), "--json", "-o", where,
                               *options(keys)))


def compare(model: "Model", keys: Mapping[str, Any]) -> Any:
    with model._file() as path:
        return json.loads(call("compare", "--methods", *words_of(model, path), "--json",
                               *options(keys)))


def inverse(model: "Model", motion: Union[None, str, "os.PathLike[str]", Mapping[str, Any]],
            keys: Mapping[str, Any]) -> "Table":
    from .run import read_csv
    with tempfile.TemporaryDirectory() as scratch, model._file() as source:
        more = []
        if isinstance(motion, Mapping):
            path = Path(scratch) / "motion.csv"
            columns = {name: np.asarray(values, dtype=float) for name, values in motion.items()}
            with open(path, "w", newline="", encoding="utf-8") as file:
                rows = csv.writer(file)
                rows.writerow(columns)
                rows.writerows(zip(*([repr(float(v)) for v in c] for c in columns.values())))
            motion = path
        if motion is not None:
            more = ["--motion", str(motion)]
        call("inverse", *words_of(model, source), *more, "-o", scratch, *options(keys))
        return read_csv(Path(scratch) / "inverse.csv")


class Picture:
    """A figure: shown in a notebook, `svg` is its text."""

    def __init__(self, svg: str):
        self.svg = svg

    def _repr_svg_(self) -> str:
        return self.svg


def plot(run: Any, measures: Sequence[str], path: Optional[Any], keys: Mapping[str, Any]) -> Any:
    with tempfile.TemporaryDirectory() as scratch:
        table = Path(scratch) / "results.csv"
        run.write_csv(table)
        out = "-" if path is None else path
        said = call("plot", table, *measures, "-o", out, *options(keys))
    return Picture(said) if path is None else Path(path)


def film(run: Any, path: Any, keys: Mapping[str, Any]) -> Path:
    with tempfile.TemporaryDirectory() as scratch:
        run.write_scene(Path(scratch) / "scene.json")
        call("film", scratch, "-o", path, *options(keys))
    return Path(path)
