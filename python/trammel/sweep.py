"""Studies: many runs of one model on all cores."""

from __future__ import annotations

import contextlib
import csv
import json
import os
import tempfile
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, Mapping, Optional, Sequence

import numpy as np

from ._errors import TrammelWarning, UsageError
from ._library import Diagnostics, encode, ffi, lib, number, required, several
from ._progress import Progress
from ._raised import interrupted, keep, take

if TYPE_CHECKING:
    from .model import Model


def _vary(name: str, values: Any) -> str:
    if isinstance(values, str):
        return f"{name}={values}"
    return f"{name}=discrete({', '.join(number(value) for value in values)})"


@ffi.callback("bool(void *, uint64_t, uint64_t)", error=False, onerror=keep)
def _ask(python: Any, done: int, count: int) -> bool:
    progress = ffi.from_handle(python)
    try:
        return not interrupted() and progress.ask(f"{done} of {count} runs", done / count if count else 1)
    except BaseException as problem:  # Ctrl-C among them: raised when the study has stopped
        progress.error = problem
        return False


def _read(path: Path) -> dict[str, Any]:
    """Numbers as arrays, status and message as lists."""
    with open(path, newline="", encoding="utf-8") as file:
        names, *rows = csv.reader(file)
    columns: dict[str, Any] = {}
    for k, name in enumerate(names):
        texts = [row[k] for row in rows]
        if name in ("status", "message", "file"):
            columns[name] = texts
        else:
            columns[name] = np.array([float(text) if text else np.nan for text in texts])
    return columns


def _define(model: "Model", vary: Mapping[str, Any], record: Sequence[str], limit: Sequence[str],
            folder: Any, design: Optional[str], samples: int, seed: int, table: Any, correlation: Any,
            series: bool, settings: Mapping[str, Any]) -> Any:
    kept: list[Any] = []

    def text(value: Any) -> Any:
        kept.append(ffi.new("char[]", encode(value)))
        return kept[-1]

    def texts(values: Sequence[str]) -> Any:
        kept.append(ffi.new("const char *[]", [text(value) for value in values] + [ffi.NULL]))
        return kept[-1]

    definition = lib.trm_default_sweep_def()
    varied = [_vary(name, values) for name, values in vary.items()]
    definition.vary_count, definition.vary = len(varied), texts(varied)
    definition.record_count, definition.records = len(record), texts(record)
    definition.limit_count, definition.limits = len(limit), texts(limit)
    definition.folder = text(folder)
    definition.seed = seed
    if samples:
        definition.samples = samples
    if design:
        definition.design = text(design)
    if table is not None:
        definition.table = text(table)
    if correlation is not None:
        definition.correlation = text(correlation)
    definition.series = series
    options = [f"{key.replace('_', '-')}={number(value, key)}" for key, value in settings.items()]
    definition.option_count, definition.options = len(options), texts(options)
    diagnostics, status = Diagnostics(), ffi.new("trm_status *")
    return ffi.gc(required(
        lib.trm_sweep_create(model._handle(), ffi.NULL, ffi.addressof(definition),
                             diagnostics.pointer, status), status, diagnostics),
        lib.trm_sweep_destroy)


def _run(study: Any, threads: int, progress: Optional[bool]) -> None:
    diagnostics, shown = Diagnostics(), Progress(progress)
    code = lib.trm_sweep_run(study, threads or os.cpu_count() or 1, ffi.NULL, ffi.NULL, _ask,
                             shown.handle, diagnostics.pointer)
    shown.end()
    if code == lib.TRM_INTERRUPTED:
        raise shown.interruption()
    raised = take()  # a run that has failed by it is a row like any other
    if raised:
        more = f", and {len(raised) - 1} more" if raised[1:] else ""
        warnings.warn(f"a function has raised {raised[0]!r}{more}", TrammelWarning, stacklevel=4)
    diagnostics.check(code)
    diagnostics.check(lib.trm_sweep_write(study, 0, ffi.NULL, True, diagnostics.pointer))


def sweep(model: "Model", vary: Mapping[str, Any], record: Sequence[str], limit: Sequence[str],
          folder: Any, design: Optional[str], samples: int, seed: int, table: Any, correlation: Any,
          series: bool, threads: int, progress: Optional[bool], settings: Mapping[str, Any]) -> dict[str, Any]:
    if folder is None and series:
        raise UsageError("the rows of every run are files: series needs a folder")
    with contextlib.ExitStack() as scratch:
        where = Path(folder if folder is not None else scratch.enter_context(tempfile.TemporaryDirectory()))
        study = _define(model, vary, several(record), several(limit), where, design, samples, seed, table,
                        correlation, series, settings)
        _run(study, threads, progress)
        answer: dict[str, Any] = json.loads((where / "sweep.json").read_text(encoding="utf-8"))
        answer["table"] = _read(where / "sweep.csv")
        if series:
            answer["series"] = _read(where / "series.csv")
        return answer
