"""Systems of one's own: M q̈ = Q under Φ(t, q) = 0, given by functions."""

from __future__ import annotations

from typing import Any, Callable, Optional, Sequence

import numpy as np

from ._library import Diagnostics, ffi, lib
from ._raised import interrupted, keep
from .model import Model

_SIGNATURES = {
    "mass": "void(void *, double, const double *, double *)",
    "force": "void(void *, double, const double *, const double *, double *)",
    "position": "void(void *, double, const double *, double *)",
    "position_jacobian": "void(void *, double, const double *, double *, double *)",
    "position_gamma": "void(void *, double, const double *, const double *, double *)",
    "energy": "double(void *, double, const double *, const double *)",
    "power": "double(void *, double, const double *, const double *)",
}


def _view(pointer: Any, size: int) -> np.ndarray:
    return np.frombuffer(ffi.buffer(pointer, 8 * size))


class System(Model):
    """M(t, q) q̈ = Q(t, q, v) under Φ(t, q) = 0.

    Each function is a Python function that returns an array (mass(t, q), force(t, q, v),
    position(t, q), position_jacobian(t, q) → (Cq, Ct), position_gamma(t, q, v), energy(t, q, v),
    power(t, q, v)), or a compiled one: the address of a C function with the signature of
    trammel/system.h (numba's cfunc.address, a cffi pointer), which runs at C speed.
    A model of this kind cannot be pickled.
    """

    def __init__(self, q: Sequence[float], v: Optional[Sequence[float]] = None, *,
                 mass: Any, force: Any, position: Any = None, position_jacobian: Any = None,
                 position_gamma: Any = None, position_constraints: int = 0, energy: Any = None,
                 power: Any = None, names: Sequence[str] = (), mass_constant: bool = False,
                 **simulate: Any):
        super().__init__()
        self.document = {}
        n, m = len(q), position_constraints
        self._n, self._m = n, m
        definition = lib.trm_default_system()
        kept: list[Any] = []

        def array(values: Sequence[float]) -> Any:
            kept.append(ffi.new("double[]", [float(value) for value in values]))
            return kept[-1]

        definition.coordinates, definition.position_constraints = n, m
        definition.q = array(q)
        if v is not None:
            definition.v = array(v)
        if names:
            texts = [ffi.new("char[]", name.encode()) for name in names]
            kept += texts
            kept.append(ffi.new("const char *[]", texts))
            definition.names = kept[-1]
        definition.mass_constant = mass_constant
        given = {"mass": mass, "force": force, "position": position,
                 "position_jacobian": position_jacobian, "position_gamma": position_gamma,
                 "energy": energy, "power": power}
        for name, function in given.items():
            if function is not None:
                kept.append(self._callback(name, function))
                setattr(definition, name, kept[-1])
        self._kept = kept
        pointer = lib.trm_model_create_system(ffi.addressof(definition))
        if pointer == ffi.NULL:
            raise MemoryError
        self._pointer = ffi.gc(pointer, lib.trm_model_destroy)
        diagnostics = Diagnostics()
        self.messages = diagnostics.check(lib.trm_model_finish(self._pointer, diagnostics.pointer))
        self._simulate = simulate

    def _callback(self, name: str, function: Any) -> Any:
        signature = _SIGNATURES[name]
        if isinstance(function, int):
            return ffi.cast(signature.replace("(", "(*)(", 1), function)
        if isinstance(function, ffi.CData):
            return function
        def called(*arguments: Any) -> Any:
            if interrupted():
                raise KeyboardInterrupt
            return function(*arguments)

        return ffi.callback(signature, self._wrap(name, called), error=float("nan")
                            if signature.startswith("double") else None, onerror=keep)

    def _wrap(self, name: str, f: Callable[..., Any]) -> Callable[..., Any]:
        n, m = self._n, self._m
        if name == "mass":
            def mass(_: Any, t: float, q: Any, M: Any) -> None:
                _view(M, n * n)[:] = np.nan
                _view(M, n * n)[:] = np.asarray(f(t, _view(q, n)), dtype=float).ravel()
            return mass
        if name == "force":
            def force(_: Any, t: float, q: Any, v: Any, Q: Any) -> None:
                _view(Q, n)[:] = np.nan
                _view(Q, n)[:] = f(t, _view(q, n), _view(v, n))
            return force
        if name == "position":
            def position(_: Any, t: float, q: Any, phi: Any) -> None:
                _view(phi, m)[:] = np.nan
                _view(phi, m)[:] = f(t, _view(q, n))
            return position
        if name == "position_jacobian":
            def jacobian(_: Any, t: float, q: Any, Cq: Any, Ct: Any) -> None:
                _view(Cq, m * n)[:] = np.nan
                rows, rates = f(t, _view(q, n))
                _view(Cq, m * n)[:] = np.asarray(rows, dtype=float).ravel()
                _view(Ct, m)[:] = rates
            return jacobian
        if name == "position_gamma":
            def gamma(_: Any, t: float, q: Any, v: Any, out: Any) -> None:
                _view(out, m)[:] = np.nan
                _view(out, m)[:] = f(t, _view(q, n), _view(v, n))
            return gamma
        return lambda _, t, q, v: float(f(t, _view(q, n), _view(v, n)))

    def _handle(self) -> Any:
        return self._pointer

    def _settings(self, keys: Any) -> Any:
        return super()._settings({**self._simulate, **keys})

    def to_yaml(self) -> str:
        raise TypeError("a system of functions has no model file")

    def with_parameters(self, inputs: Any = None, **parameters: Any) -> Model:
        raise TypeError("a system of functions has no parameters")

    def with_functions(self, together: Any = None, **functions: Any) -> Model:
        raise TypeError("a system of functions has no inputs")

    def __copy__(self) -> "System":
        return self  # nothing in it changes

    def __deepcopy__(self, memo: Any) -> "System":
        return self

    def __reduce__(self) -> Any:
        raise TypeError("a system of functions cannot be pickled")
