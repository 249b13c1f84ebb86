"""The results of a run: columns without a copy, the summary, the report."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Optional, Sequence

import numpy as np

from ._errors import Diagnostic, SimulationError
from ._library import Diagnostics, encode, error, ffi, lib, name as encoded, several, text
from ._progress import PROGRESS, Progress
from . import program

if TYPE_CHECKING:
    from .simulation import Simulation


class _Column:
    """Memory of the table as numpy sees it; keeps the table alive."""

    def __init__(self, table: Any, column: int):
        self.table = table
        address = int(ffi.cast("uintptr_t", lib.trm_results_column(table, column)))
        self.__array_interface__ = {"data": (address, True), "typestr": "<f8", "version": 3,
                                    "shape": (lib.trm_results_rows(table),)}


class Table(Mapping[str, np.ndarray]):
    """Columns by name, the first is t; read-only numpy arrays."""

    def __init__(self, pointer: Any):
        self._table = pointer
        self._names = [text(lib.trm_results_name(pointer, k))
                       for k in range(lib.trm_results_columns(pointer))]
        self._columns: dict[str, np.ndarray] = {}

    def __getitem__(self, name: str) -> np.ndarray:
        column = self._columns.get(name) if isinstance(name, str) else None
        if column is None:
            index = lib.trm_results_find(self._table, encoded(name))
            if index < 0:
                raise KeyError(f"no column '{name}'; there are {', '.join(self._names[:12])}"
                               f"{' …' if len(self._names) > 12 else ''}")
            rows = lib.trm_results_rows(self._table)
            column = np.asarray(_Column(self._table, index)) if rows else np.empty(0)
            self._columns[name] = column
        return column

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    @property
    def t(self) -> np.ndarray:
        """The times of the rows."""
        return self["t"]

    @property
    def columns(self) -> list[str]:
        """Names of all columns, t first."""
        return list(self._names)

    def evaluate(self, formula: str) -> np.ndarray:
        """A formula of the columns, "hypot(A.fx, A.fy)": a value for each row."""
        values = np.empty(lib.trm_results_rows(self._table))
        diagnostics = Diagnostics()
        diagnostics.check(lib.trm_results_evaluate(
            self._table, formula.encode(), ffi.from_buffer("double[]", values),
            diagnostics.pointer))
        return values

    def to_pandas(self) -> Any:
        """A DataFrame with t as its index."""
        import pandas as pd
        return pd.DataFrame({name: self[name] for name in self._names[1:]},
                            index=pd.Index(self.t, name="t"))

    def compare(self, other: "Table", columns: Sequence[str] = ()) -> dict[str, Any]:
        """How this table agrees with another: see trammel.compare."""
        from .comparison import compare
        return compare(self, other, columns)

    def plot(self, *measures: str, path: Any = None, **options: Any) -> Any:
        """A figure, SVG or PNG: plot("rod.B.x", "/", "energy"). "/" begins the next panel, ":"
        stands before measures of the axis on the right; options are those of `trammel plot`.
        Without a path it is shown in a notebook."""
        return program.plot(self, measures, path, options)

    def write_csv(self, path: Any) -> None:
        """The table as CSV, to the last bit."""
        diagnostics = Diagnostics()
        diagnostics.check(lib.trm_results_write_csv(self._table, encode(path),
                                                    diagnostics.pointer))

    def write_hdf5(self, path: Any) -> None:
        """The table as HDF5."""
        diagnostics = Diagnostics()
        diagnostics.check(lib.trm_results_write_hdf5(self._table, encode(path),
                                                     diagnostics.pointer))

    def __copy__(self) -> "Table":
        return self  # nothing in it changes

    def __deepcopy__(self, memo: Any) -> "Table":
        return self

    def _content(self) -> bytes:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "table.h5"
            self.write_hdf5(path)
            return path.read_bytes()

    def __reduce__(self) -> Any:
        return _unpickle, (self._content(),)

    def __repr__(self) -> str:
        return f"<trammel.Table: {len(self.t)} rows, {len(self._names)} columns>"


class Run(Table):
    """What a simulation has computed: run["rod.B.x"], run.t, run.summary, run.report(). A run that
    was pickled has its columns, its summary and its messages, but no pictures of the motion."""

    _simulation: Optional["Simulation"]
    messages: tuple[Diagnostic, ...]

    @classmethod
    def _of(cls, simulation: "Simulation", record: Sequence[str], shown: Optional[bool],
            check: bool) -> "Run":
        diagnostics = Diagnostics()
        for measure in several(record):
            if not lib.trm_simulation_record(simulation._pointer, measure.encode(),
                                             diagnostics.pointer):
                diagnostics.check(lib.TRM_BAD_USAGE)
        lib.trm_simulation_keep_frames(simulation._pointer, lib.TRM_REPORT_FRAMES)
        table = ffi.gc(lib.trm_results_create(), lib.trm_results_destroy)
        if table == ffi.NULL:
            raise MemoryError
        progress = Progress(shown)
        status = lib.trm_simulation_run(simulation._pointer, table, PROGRESS,
                                        progress.watch, diagnostics.pointer)
        progress.end()
        run = cls(table)
        run._simulation = simulation
        if status == lib.TRM_INTERRUPTED:
            raise progress.interruption()
        if status == lib.TRM_OK:
            run.messages = simulation.messages + diagnostics.check(status, 5)
            return run
        messages = diagnostics.take()
        run.messages = simulation.messages + messages
        problem = error(status, messages)
        if isinstance(problem, SimulationError):
            problem.run = run
        if check or not isinstance(problem, Exception):
            raise problem
        return run

    def _its_simulation(self) -> "Simulation":
        if self._simulation is None:
            raise TypeError("a run that was pickled has no pictures of its motion; make them where it "
                            "was run")
        return self._simulation

    def __reduce__(self) -> Any:
        return _unpickle_run, (self._content(), self.summary, self.messages)

    @property
    def summary(self) -> dict[str, Any]:
        """What summary.json has."""
        if not hasattr(self, "_summary"):
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "summary.json")
                diagnostics = Diagnostics()
                diagnostics.check(lib.trm_summary_write_json(
                    lib.trm_simulation_summary(self._its_simulation()._pointer), encode(path),
                    diagnostics.pointer))
                self._summary = json.loads(Path(path).read_text(encoding="utf-8"))
        return self._summary

    def report(self, path: Any = None) -> Any:
        """Writes the report page; without a path it is shown in a notebook."""
        if path is None:
            return Report(self)
        options = lib.trm_default_report_options()
        texts = [ffi.new("char[]", str(message).encode()) for message in self.messages]
        array = ffi.new("const char *[]", texts or [ffi.NULL])
        options.messages, options.message_count = array, len(texts)
        diagnostics = Diagnostics()
        diagnostics.check(lib.trm_report_write(
            self._its_simulation()._pointer, self._table, ffi.addressof(options), encode(path),
            diagnostics.pointer))
        return Path(path)

    def save(self, folder: Any) -> Path:
        """results.csv, scene.json, report.html and summary.json, as `trammel run -o` leaves them."""
        where = Path(folder)
        where.mkdir(parents=True, exist_ok=True)
        self.write_csv(where / "results.csv")
        self.write_scene(where / "scene.json")
        self.report(where / "report.html")
        (where / "summary.json").write_text(json.dumps(self.summary, indent=2), encoding="utf-8")
        return where

    def write_scene(self, path: Any) -> None:
        """The frames for pictures."""
        diagnostics = Diagnostics()
        diagnostics.check(lib.trm_scene_write(self._its_simulation()._pointer,
                                              encode(path), diagnostics.pointer))

    def film(self, path: Any, **options: Any) -> Path:
        """The motion as .mp4, .gif, .webp, .png (by ffmpeg), .svg or .glb; options are those of
        `trammel film`: film("motion.svg", trace="foot.toe", seconds=4)."""
        return program.film(self, path, options)

    def _repr_html_(self) -> Optional[str]:
        return Report(self)._repr_html_() if self._simulation else None

    def __repr__(self) -> str:
        return (f"<trammel.Run of {self.summary['name']!r}: {self.summary['status']} at t = "
                f"{self.summary['time_reached']:g}, {len(self.t)} rows>")


class Report:
    """The page of a run inside a notebook."""

    def __init__(self, run: Run):
        self._run = run

    def html(self) -> str:
        """The page's text."""
        with tempfile.TemporaryDirectory() as folder:
            page = self._run.report(os.path.join(folder, "report.html"))
            return page.read_text(encoding="utf-8")

    def _repr_html_(self) -> str:
        source = self.html().replace("&", "&amp;").replace('"', "&quot;")
        return (f'<iframe srcdoc="{source}" width="100%" height="720" '
                'style="border: 1px solid #8884"></iframe>')


def _read(read: Any, path: Any) -> Any:
    diagnostics = Diagnostics()
    pointer = read(encode(path), diagnostics.pointer)
    if pointer == ffi.NULL:
        diagnostics.check(lib.TRM_IO_ERROR)
    return ffi.gc(pointer, lib.trm_results_destroy)


def read_csv(path: Any) -> Table:
    """A table of numbers with one header line, such as results.csv."""
    return Table(_read(lib.trm_results_read_csv, path))


def _unpickle(content: bytes, kind: type[Table] = Table) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.h5"
        path.write_bytes(content)
        return kind(_read(lib.trm_results_read_hdf5, path))


def _unpickle_run(content: bytes, summary: dict[str, Any],
                  messages: tuple[Diagnostic, ...]) -> Run:
    run = _unpickle(content, Run)
    run._simulation, run._summary, run.messages = None, summary, messages
    return run
