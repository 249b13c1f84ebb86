"""What only the command-line program does, which travels with the package."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Mapping, Optional, Sequence, Union

import numpy as np

from ._errors import ModelError, SimulationError, UsageError
from ._library import number

if TYPE_CHECKING:
    from .model import Model
    from .run import Table

PROGRAM = Path(__file__).parent / "bin" / "trammel"
_ERRORS = {1: SimulationError, 2: UsageError, 3: ModelError}


def call(*arguments: Any) -> str:
    """What it prints; its messages are exceptions."""
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode == 0:
        return done.stdout
    raise _ERRORS.get(done.returncode, SimulationError)(
        done.stderr.strip() or f"the program ended with {done.returncode}")


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


class Given:
    """A model as the program reads it: its file, or one that is written for it."""

    def __init__(self, model: "Model", folder: str):
        if model._functions:
            raise TypeError("functions in place of inputs stay in this process: the program that "
                            "answers this has none")
        self.path = Path(model._path) if model._path else Path(folder) / "model.yaml"
        if not model._path:
            model.save(self.path)
        self.words = [str(self.path)]
        for name, value in model._parameters.items():
            self.words += ["--set", f"{name}={number(value)}"]
        for name, value in model._inputs.items():
            self.words += ["--input", f"{name}={number(value)}"]


def accuracy(model: "Model", folder: Optional[Any], keys: Mapping[str, Any]) -> Any:
    with tempfile.TemporaryDirectory() as scratch:
        given = Given(model, scratch)
        where = folder if folder is not None else Path(scratch) / "accuracy"
        return json.loads(call("accuracy", *given.words, "--json", "-o", where, *options(keys)))


def inverse(model: "Model", motion: Union[None, str, "os.PathLike[str]", Mapping[str, Any]],
            keys: Mapping[str, Any]) -> "Table":
    from .run import read_csv
    with tempfile.TemporaryDirectory() as scratch:
        given, more = Given(model, scratch), []
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
        call("inverse", *given.words, *more, "-o", scratch, *options(keys))
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


def import_robot(path: Any, output: Any, packages: Sequence[Any], keys: Mapping[str, Any]) -> str:
    """Writes the model; returns what was said about what could not be taken over."""
    words = [word for folder in packages for word in ("--packages", str(folder))]
    done = subprocess.run([PROGRAM, "import", str(path), "-o", str(output), *words,
                           *options(keys)], capture_output=True, text=True)
    if done.returncode != 0:
        raise _ERRORS.get(done.returncode, SimulationError)(done.stderr.strip())
    return done.stderr
