"""Functions of one's own in place of inputs: controllers and force laws, in Python or compiled."""

from __future__ import annotations

import ctypes
from typing import Any, Callable, Mapping, Optional

from ._library import Diagnostics, ffi, lib, text
from ._raised import interrupted, keep

Function = Any  # Callable[..., float], or a compiled one
_CTYPES: Any = ctypes.CFUNCTYPE(None).__mro__[1]  # of which all functions of ctypes are
_POINTER = "double(*)(void *, double, const double *, double *)"


class _Called:
    """A Python function f(t, *arguments) as the library calls it."""

    def __init__(self, name: str, function: Callable[..., float], count: int):
        self.name, self.function, self.count = name, function, count
        self.handle = ffi.new_handle(self)


@ffi.def_extern(error=float("nan"), onerror=keep)
def trm_py_input(context: Any, t: float, arguments: Any, gradient: Any) -> float:
    called = ffi.from_handle(context)
    if interrupted():
        return float("nan")
    try:
        return float(called.function(t, *ffi.unpack(arguments, called.count)))
    except BaseException as problem:  # the run then fails, and its exception has this as its cause
        keep(None, problem, None)
        return float("nan")


class _Shared:
    """A Python function of several inputs, called once where each of them is asked for."""

    def __init__(self, names: tuple[str, ...], function: Callable[..., Any]):
        self.names, self.function = names, function
        self.known: tuple[Any, Any] = (None, None)  # what it was asked, what it has answered

    def __call__(self, asked: tuple[float, ...]) -> Any:
        before, answer = self.known
        if before != asked:
            answer = self.function(*asked)
            if len(answer) != len(self.names):
                raise ValueError(f"{len(self.names)} values are needed for {', '.join(self.names)}, "
                                 f"not {len(answer)}")
            self.known = asked, answer
        return answer


class _Part:
    def __init__(self, shared: _Shared, index: int):
        self.shared, self.index = shared, index

    def __call__(self, *asked: float) -> float:
        return self.shared(asked)[self.index]


def one_by_one(functions: Mapping[Any, Function]) -> dict[str, Function]:
    """A function of several inputs, {("u", "v"): f}, as one for each."""
    single: dict[str, Function] = {}
    for names, function in functions.items():
        if isinstance(names, str):
            single[names] = function
            continue
        if _address(function) is not None:
            raise TypeError("a compiled function is of one input")
        shared = _Shared(tuple(names), function)
        single.update({name: _Part(shared, k) for k, name in enumerate(names)})
    return single


def _address(function: Any) -> Optional[int]:
    """Of a compiled function: an address, numba's cfunc, a function of ctypes or cffi."""
    if isinstance(function, int):
        return function
    if isinstance(function, _CTYPES):
        return ctypes.cast(function, ctypes.c_void_p).value
    if isinstance(function, ffi.CData):
        return int(ffi.cast("uintptr_t", function))
    address = getattr(function, "address", None)
    return address if isinstance(address, int) else None


def bind(model: Any, name: str, function: Function) -> Any:
    """Puts it in place of an input; what is returned must live as long as the model."""
    address = _address(function)
    diagnostics = Diagnostics()
    if address is not None:
        pointer, context, kept = ffi.cast(_POINTER, address), ffi.NULL, function
    else:
        inputs = [text(lib.trm_model_input_name(model, k))
                  for k in range(lib.trm_model_input_count(model))]
        count = lib.trm_model_input_arguments(model, inputs.index(name)) if name in inputs else 0
        kept = _Called(name, function, count)
        pointer, context = ffi.addressof(lib, "trm_py_input"), kept.handle
    diagnostics.check(lib.trm_model_set_input_function(model, name.encode(), pointer, context,
                                                       diagnostics.pointer))
    return kept
