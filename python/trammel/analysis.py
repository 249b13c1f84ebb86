"""Questions to a model beside its motion; each returns what the program's JSON file has."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Mapping, Optional, Sequence, Union

import numpy as np

from ._errors import UsageError
from ._library import Diagnostics, encode, error, ffi, lib, required, strings, text
from ._raised import interrupted, keep
from ._progress import PROGRESS, Progress

if TYPE_CHECKING:
    from .model import Model
    from .simulation import Simulation

At = Union[str, float]


def _written(write: Callable[[bytes, Any], int]) -> dict[str, Any]:
    """What a function of the library writes into a file, as a dictionary."""
    diagnostics = Diagnostics()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "answer.json")
        diagnostics.check(write(encode(path), diagnostics.pointer))
        return json.loads(Path(path).read_text(encoding="utf-8"))


def _settle(simulation: "Simulation", steady: bool) -> Any:
    options = lib.trm_default_equilibrium_options()
    options.steady = steady
    result = ffi.new("trm_equilibrium_result *", lib.trm_default_equilibrium_result())
    diagnostics = Diagnostics()
    diagnostics.check(lib.trm_simulation_settle(simulation._pointer, ffi.addressof(options),
                                                result, diagnostics.pointer), 5)
    return result


def _go_to(model: "Model", at: At, inputs: Optional[Mapping[str, float]],
           settings: Mapping[str, Any]) -> "Simulation":
    if text(model._settings(settings).coordinates) == "auto":  # a tree's turn with no frame
        settings = {**settings, "coordinates": "natural"}
    simulation = model.simulation(**settings)
    for name, value in (inputs or {}).items():
        simulation.inputs[name] = value
    if at in ("equilibrium", "steady"):
        _settle(simulation, at == "steady")
    elif isinstance(at, (int, float)):
        simulation.advance(float(at))
    elif at != "start":
        raise UsageError(f"at is start, equilibrium, steady or a time, not {at!r}")
    return simulation


def equilibrium(model: "Model", steady: bool, inputs: Optional[Mapping[str, float]],
                settings: Mapping[str, Any]) -> dict[str, Any]:
    simulation = _go_to(model, "start", inputs, settings)
    result = _settle(simulation, steady)
    return _written(lambda path, said: lib.trm_equilibrium_write_json(
        simulation._pointer, result, path, said))


def modes(model: "Model", at: At, count: int, inputs: Optional[Mapping[str, float]], page: Any,
          settings: Mapping[str, Any]) -> dict[str, Any]:
    simulation = _go_to(model, at, inputs, settings)
    options = lib.trm_default_modes_options()
    options.count, options.steady = count, at == "steady"
    diagnostics, status = Diagnostics(), ffi.new("trm_status *")
    found = required(lib.trm_simulation_modes(simulation._pointer, ffi.addressof(options),
                                              diagnostics.pointer, status), status, diagnostics)
    found = ffi.gc(found, lib.trm_modes_destroy)
    if page is not None:
        diagnostics.check(lib.trm_modes_write_page(found, simulation._pointer, encode(page),
                                                   diagnostics.pointer))
    return _written(lambda path, said: lib.trm_modes_write_json(found, str(at).encode(), path,
                                                                said))


def _linear(simulation: "Simulation", inputs: Sequence[str], outputs: Sequence[str],
            states: Sequence[str]) -> Any:
    options = lib.trm_default_linear_options()
    kept = [strings(names) for names in (inputs, outputs, states)]
    options.inputs, options.outputs = kept[0][0], kept[1][0]
    options.states = kept[2][0] if states else ffi.NULL
    diagnostics, status = Diagnostics(), ffi.new("trm_status *")
    found = lib.trm_simulation_linearize(simulation._pointer, ffi.addressof(options),
                                         diagnostics.pointer, status)
    return ffi.gc(required(found, status, diagnostics), lib.trm_linear_model_destroy)


def linearize(model: "Model", inputs: Sequence[str], outputs: Sequence[str],
              states: Sequence[str], at: At, settings: Mapping[str, Any]) -> dict[str, Any]:
    linear = _linear(_go_to(model, at, None, settings), inputs, outputs, states)
    answer = _written(lambda path, said: lib.trm_linear_model_write_json(linear, path, said))
    n, m, p = linear.state_count, linear.input_count, linear.output_count
    for name, shape in {"A": (n, n), "B": (n, m), "C": (p, n), "D": (p, m)}.items():
        answer[name] = np.asarray(answer[name], dtype=float).reshape(shape)
    return answer


def sensitivity(model: "Model", of: Optional[str], integral: Optional[str], wrt: Sequence[str],
                method: Optional[str], progress: Optional[bool],
                settings: Mapping[str, Any]) -> dict[str, Any]:
    simulation = model.simulation(**settings)
    options = lib.trm_default_sensitivity_options()
    names, _kept = strings(wrt)
    texts = [ffi.new("char[]", text.encode()) if text else ffi.NULL
             for text in (of, integral, method)]
    options.of, options.integral, options.method = texts
    shown = Progress(progress)
    options.wrt, options.progress, options.context = names, PROGRESS, shown.watch
    diagnostics, status = Diagnostics(), ffi.new("trm_status *")
    found = lib.trm_simulation_sensitivity(simulation._pointer, ffi.addressof(options),
                                           diagnostics.pointer, status)
    shown.end()
    if status[0] == lib.TRM_INTERRUPTED:
        raise shown.interruption()
    found = ffi.gc(required(found, status, diagnostics), lib.trm_sensitivity_destroy)
    return _written(lambda path, said: lib.trm_sensitivity_write_json(found, path, said))


@ffi.callback("bool(void *, int, double)", error=False, onerror=keep)
def _ask(python: Any, evaluation: int, value: float) -> bool:
    asked = ffi.from_handle(python)
    try:
        return asked["progress"] is None or asked["progress"](evaluation, value) is not False
    except BaseException as problem:  # Ctrl-C among them: raised when the search has stopped
        asked["error"] = problem
        return False


def optimize(model: "Model", evaluations: int, progress: Optional[Callable[[int, float], Any]],
             settings: Mapping[str, Any]) -> dict[str, Any]:
    asked: dict[str, Any] = {"progress": progress, "error": None}
    handle = ffi.new_handle(asked)
    diagnostics, status = Diagnostics(), ffi.new("trm_status *")
    found = lib.trm_model_optimize(model._handle(), model._settings(settings), evaluations,
                                   ffi.NULL, _ask, handle, diagnostics.pointer, status)
    raised = asked["error"] or (error(lib.TRM_OK, ()) if interrupted() else None)
    if raised:
        lib.trm_optimum_destroy(found)
        raise raised
    found = ffi.gc(required(found, status, diagnostics), lib.trm_optimum_destroy)
    return _written(lambda path, said: lib.trm_optimum_write_json(found, path, said))


def response(model: "Model", source: str, target: str, frequencies: Any, at: At,
             settings: Mapping[str, Any]) -> np.ndarray:
    linear = _linear(_go_to(model, at, None, settings), [source], [target], [])
    values, re, im = [], ffi.new("double *"), ffi.new("double *")
    for frequency in np.atleast_1d(frequencies):
        finite = lib.trm_linear_model_response(linear, 0, 0, 2 * np.pi * frequency, re, im)
        values.append(complex(re[0], im[0]) if finite else complex(np.inf, 0))
    return np.array(values)
