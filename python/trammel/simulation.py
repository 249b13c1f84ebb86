"""A model in motion, advanced from outside."""

from __future__ import annotations

import functools
import threading
from collections.abc import Iterator, MutableMapping
from typing import TYPE_CHECKING, Any, Callable, Mapping, Optional, Sequence, TypeVar, cast

import numpy as np

from ._errors import UsageError
from ._library import Diagnostics, ffi, lib, name as encoded, required, several, text

if TYPE_CHECKING:
    from .model import Model


_Method = TypeVar("_Method", bound=Callable[..., Any])


def _alone(method: _Method) -> _Method:
    """Calls release the interpreter: other threads wait until the simulation is free."""
    @functools.wraps(method)
    def waiting(self: Any, *values: Any, **named: Any) -> Any:
        with self._lock:
            return method(self, *values, **named)
    return cast(_Method, waiting)


class Inputs(MutableMapping[str, float]):
    """The model's inputs with their values now. Setting one replaces its formula from then on."""

    def __init__(self, simulation: "Simulation"):
        self._simulation = simulation
        self._handles: dict[str, int] = {}

    def __setitem__(self, name: str, value: float) -> None:
        handle = self._handles.get(name)
        if handle is None:
            handle = lib.trm_simulation_input(self._simulation._pointer, encoded(name))
            if handle < 0:
                raise UsageError(f"the model has no input '{name}'; {self._which()}")
            self._handles[name] = handle
        with self._simulation._lock:
            lib.trm_simulation_set_input(self._simulation._pointer, handle, value)

    def __getitem__(self, name: str) -> float:
        if name not in self._simulation.model.input_names:
            raise KeyError(name)
        return self._simulation[name]

    def __delitem__(self, name: str) -> None:
        raise TypeError("an input that was set stays set; restore an earlier state")

    def __iter__(self) -> Iterator[str]:
        return iter(self._simulation.model.input_names)

    def __len__(self) -> int:
        return len(self._simulation.model.input_names)

    def __repr__(self) -> str:
        return repr(dict(self))

    def _which(self) -> str:
        return f"its inputs are {', '.join(self)}" if len(self) else "it has none"


class Simulation:
    """create, then advance(until) or step(), and read measures: sim["rod.B.x"]."""

    def __init__(self, model: "Model", settings: Mapping[str, Any]):
        self.model = model
        self._keys = dict(settings)
        self._lock = threading.RLock()  # a function that it calls may read it
        self._parameters: dict[str, float] = {}  # that were set since
        self._diagnostics = Diagnostics()
        status = ffi.new("trm_status *")
        handle, chosen = model._handle(), model._settings(settings)
        pointer = lib.trm_simulation_create(handle, chosen, self._diagnostics.pointer, status)
        required(pointer, status, self._diagnostics)
        self._pointer = ffi.gc(pointer, lib.trm_simulation_destroy)
        self._model_pointer = handle  # must outlive the simulation
        self.messages = self._diagnostics.check(lib.TRM_OK, 4)
        self.inputs = Inputs(self)
        self._measures: dict[str, int] = {}

    @property
    def t(self) -> float:
        """The time it is at."""
        return lib.trm_simulation_time(self._pointer)

    def advance(self, until: float) -> "Simulation":
        """Steps until the time is `until`, or to an event that stops. Ctrl-C ends it after a step."""
        with self._lock:
            status = lib.trm_py_advance(self._pointer, until, self._diagnostics.pointer)
            if status:
                self._diagnostics.check(status)
        return self

    def step(self) -> "Simulation":
        """One step of the integrator."""
        with self._lock:
            status = lib.trm_simulation_step(self._pointer, self._diagnostics.pointer)
            if status:
                self._diagnostics.check(status)
        return self

    @property
    @_alone
    def stopped(self) -> Optional[str]:
        """The event that has ended the last step."""
        return text(lib.trm_simulation_stopped(self._pointer))

    @_alone
    def _measure(self, name: str) -> int:
        handle = lib.trm_simulation_find(self._pointer, encoded(name), self._diagnostics.pointer)
        if handle < 0:
            self._diagnostics.check(lib.TRM_BAD_USAGE)
        self._measures[name] = handle
        return handle

    def __getitem__(self, measure: str) -> float:
        handle = self._measures.get(measure)
        if handle is None:
            handle = self._measure(measure)
        with self._lock:
            return lib.trm_simulation_get(self._pointer, handle)

    # the state

    @property
    @_alone
    def state(self) -> np.ndarray:
        """(q, v, z); setting it projects it onto the constraints."""
        values = np.empty(lib.trm_simulation_state_size(self._pointer))
        lib.trm_simulation_get_state(self._pointer, ffi.new("double *"),
                                     ffi.from_buffer("double[]", values))
        return values

    @state.setter
    def state(self, values: Any) -> None:
        self.set_state(self.t, values)

    def _vector(self, values: Any) -> np.ndarray:
        array = np.ascontiguousarray(values, dtype=float)
        size = lib.trm_simulation_state_size(self._pointer)
        if array.shape != (size,):
            raise UsageError(f"a state has {size} numbers, not {array.size}")
        return array

    @_alone
    def set_state(self, t: float, values: Any) -> None:
        """Sets time and state, which is projected onto the constraints."""
        array = self._vector(values)
        self._diagnostics.check(lib.trm_simulation_set_state(
            self._pointer, t, ffi.from_buffer("double[]", array), self._diagnostics.pointer))

    @_alone
    def derivatives(self, t: float, state: Any) -> np.ndarray:
        """Rates of (q, v, z) at any state: f(t, y) of scipy.integrate."""
        array = self._vector(state)
        rates = np.empty_like(array)
        status = lib.trm_simulation_derivatives(
            self._pointer, t, ffi.from_buffer("double[]", array),
            ffi.from_buffer("double[]", rates), self._diagnostics.pointer)
        if status:
            self._diagnostics.check(status)
        return rates

    @_alone
    def jacobian(self, t: Optional[float] = None, state: Any = None) -> np.ndarray:
        """Derivatives of `derivatives` by the state, exact: jac(t, y) of scipy.integrate.solve_ivp.
        With arguments the simulation moves there."""
        if state is not None:
            self.set_state(self.t if t is None else t, state)
        return self.differentiate([])["A"]

    @_alone
    def differentiate(self, measures: Sequence[str]) -> dict[str, Any]:
        """At this state: A and B are derivatives of the rates of (q, v, z) by the state and by all
        inputs, C and D those of measures, which follow the state back onto the constraints;
        `inputs` names them. linearize() has independent states instead."""
        handles = [self._measure(name) for name in several(measures)]
        status = ffi.new("trm_status *")
        slopes = ffi.gc(required(lib.trm_simulation_differentiate(
            self._pointer, len(handles), ffi.new("int[]", handles or [0]),
            self._diagnostics.pointer, status), status, self._diagnostics),
            lib.trm_differential_destroy)
        size = lib.trm_simulation_state_size(self._pointer)
        names = self.model.input_names
        rates, values = np.empty(size), np.empty(max(1, len(handles)))
        whole = np.zeros((size + len(handles), size + len(names)))
        seed = np.zeros(size + len(names))
        change = ffi.new("trm_change *")
        change.state = ffi.cast("double *", ffi.from_buffer(seed))
        change.inputs = change.state + size
        for k in range(len(seed)):
            seed[:] = 0
            seed[k] = 1
            self._diagnostics.check(lib.trm_differential_along(
                slopes, change, ffi.from_buffer("double[]", rates),
                ffi.from_buffer("double[]", values), ffi.NULL, self._diagnostics.pointer))
            whole[:size, k] = rates
            whole[size:, k] = values[:len(handles)]
        return {"A": whole[:size, :size], "B": whole[:size, size:], "C": whole[size:, :size],
                "D": whole[size:, size:], "inputs": names}

    @_alone
    def save(self) -> bytes:
        """All that the next steps depend on, exactly; adams, bdf and ida start afresh from it."""
        room = lib.trm_simulation_save(self._pointer, ffi.NULL, 0)
        if room == 0:
            raise MemoryError
        buffer = ffi.new("char[]", room)
        lib.trm_simulation_save(self._pointer, buffer, room)
        return bytes(ffi.buffer(buffer, room))

    @_alone
    def restore(self, state: bytes) -> "Simulation":
        """Goes back to what save() has returned, also of another simulation of the same model."""
        if isinstance(state, str):
            raise TypeError("a saved state is bytes, not text")
        self._diagnostics.check(lib.trm_simulation_restore(
            self._pointer, ffi.from_buffer(state), len(state), self._diagnostics.pointer))
        return self

    @_alone
    def set_parameter(self, name: str, value: float) -> "Simulation":
        """Another value; the mechanism is assembled anew at t = 0."""
        self._diagnostics.check(lib.trm_simulation_set_parameter(
            self._pointer, encoded(name), value, self._diagnostics.pointer))
        self._parameters[name] = float(value)
        return self

    def copy(self) -> "Simulation":
        """Another simulation at the same state."""
        return _again(self.model, self._keys, self._parameters, self.save())

    __copy__ = copy

    def __deepcopy__(self, memo: Any) -> "Simulation":
        return self.copy()

    def __reduce__(self) -> Any:
        return _again, (self.model, self._keys, self._parameters, self.save())

    # facts

    @_alone
    def inspect(self) -> dict[str, Any]:
        """Counts, redundancy and what assembly had to move: what `trammel check` tells."""
        facts = lib.trm_simulation_inspect(self._pointer)
        values = {name: getattr(facts, name) for name, _ in ffi.typeof(facts).fields
                  if name != "size"}
        values["moved_body"] = text(values["moved_body"])
        values["redundant_joints"] = [
            text(lib.trm_simulation_redundant_joint(self._pointer, k))
            for k in range(facts.redundant_joints)]
        return values

    def __repr__(self) -> str:
        return f"<trammel.Simulation of {self.model.name!r} at t = {self.t:g}>"


def _again(model: "Model", keys: Mapping[str, Any], parameters: Mapping[str, float],
           state: bytes) -> Simulation:
    simulation = Simulation(model, keys)
    for name, value in parameters.items():
        simulation.set_parameter(name, value)
    return simulation.restore(state)
