"""Between CFFI and the package: texts, diagnostics, status codes."""

from __future__ import annotations

import os
import warnings
from typing import Any, Optional

# the library's own threads suffice: those of OpenBLAS would only wait for each other
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from ._errors import (Diagnostic, FileError, ModelError, SimulationError, TrammelError,  # noqa: E402
                      TrammelWarning, UsageError)
from . import _raised  # noqa: E402
from ._raised import keep  # noqa: E402
from ._trammel import ffi, lib  # noqa: E402

_SEVERITY = {lib.TRM_NOTE: "note", lib.TRM_WARNING: "warning", lib.TRM_ERROR: "error"}


def version() -> str:
    return text(lib.trm_version())


def text(pointer: Any) -> Any:
    return None if pointer == ffi.NULL else ffi.string(pointer).decode()


def encode(value: Any) -> bytes:
    return os.fsencode(value)


class Diagnostics:
    """Collects the messages of one call."""

    def __init__(self) -> None:
        self.pointer = ffi.gc(lib.trm_diagnostics_create(), lib.trm_diagnostics_destroy)
        if self.pointer == ffi.NULL:
            raise MemoryError

    def take(self) -> tuple[Diagnostic, ...]:
        messages = tuple(self._read(k) for k in range(lib.trm_diagnostics_count(self.pointer)))
        lib.trm_diagnostics_clear(self.pointer)
        return messages

    def _read(self, index: int) -> Diagnostic:
        d = lib.trm_diagnostics_get(self.pointer, index)
        room = lib.trm_diagnostic_format(d, ffi.NULL, 0) + 1
        buffer = ffi.new("char[]", room)
        lib.trm_diagnostic_format(d, buffer, room)
        return Diagnostic(_SEVERITY[d.severity], text(d.message), text(d.file), d.line, d.column,
                          text(d.source), text(buffer).rstrip("\n"))

    def check(self, status: int, level: int = 3) -> tuple[Diagnostic, ...]:
        """Raises what the status says; warnings become Python's. Returns the messages."""
        messages = self.take()
        if status != lib.TRM_OK:
            raise error(status, messages)
        _raised.take()
        for message in messages:
            if message.severity == "warning":
                warnings.warn(str(message), TrammelWarning, stacklevel=level)
        return messages


@ffi.def_extern(error=False, onerror=keep)
def trm_py_alive() -> bool:
    """Where Python looks for signals."""
    return True


def error(status: int, messages: tuple[Diagnostic, ...]) -> BaseException:
    """The exception of a failed call, with what a function of the user's has raised as its cause;
    Ctrl-C is itself."""
    problem = _error(status, messages)
    raised = _raised.take()
    if not raised:
        return problem
    if not isinstance(raised[0], Exception):
        return raised[0]
    failed = SimulationError(f"a function has raised {raised[0]!r}\n{problem}", messages)
    failed.__cause__ = raised[0]
    return failed


def _error(status: int, messages: tuple[Diagnostic, ...]) -> BaseException:
    said = "\n".join(str(m) for m in messages if m.severity == "error")
    if status == lib.TRM_NO_MEMORY:
        return MemoryError(said)
    if status == lib.TRM_BAD_MODEL:
        return ModelError(said or "the model has errors", messages)
    if status == lib.TRM_BAD_USAGE:
        return UsageError(said or "wrong argument", messages)
    if status == lib.TRM_IO_ERROR:
        return FileError(said or "a file could not be read or written", messages)
    return SimulationError(said or "the simulation failed", messages)


def strings(values: Any) -> tuple[Any, list[Any]]:
    """A NULL-terminated array of C strings, and what keeps them alive."""
    kept = [ffi.new("char[]", name(value)) for value in several(values)]
    return ffi.new("const char *[]", kept + [ffi.NULL]), kept


def number(value: Any, of: str = "") -> str:
    """As a model file would have it, to the last bit."""
    if isinstance(value, str):
        return value
    try:
        return repr(float(value))
    except TypeError:
        raise TypeError(f"{of + ': ' if of else ''}a number or a formula is needed, "
                        f"not {value!r}") from None


def name(value: Any) -> bytes:
    if not isinstance(value, str):
        raise TypeError(f"a name is needed, not {value!r}")
    return value.encode()


def several(values: Any) -> list[str]:
    """One text alone, or those of a list."""
    return [values] if isinstance(values, str) else list(values)


def settings(pointer: Any, keys: dict[str, Any]) -> None:
    """simulate: keys by keyword, output_step for output-step."""
    diagnostics = Diagnostics()
    worst = lib.TRM_OK
    for key, value in keys.items():
        if value is None:
            continue
        word = str(value).lower() if isinstance(value, bool) else value
        status = lib.trm_settings_set(pointer, key.replace("_", "-").encode(),
                                      (word if isinstance(word, str) else number(word, key)).encode(),
                                      diagnostics.pointer)
        worst = worst if status == lib.TRM_OK else status
    diagnostics.check(worst)
    diagnostics.check(lib.trm_settings_check(pointer, diagnostics.pointer))


def required(pointer: Any, status: Optional[Any], diagnostics: Diagnostics) -> Any:
    """A new object, or what its making says."""
    if pointer == ffi.NULL:
        code = status[0] if status is not None else lib.TRM_OK
        raise error(lib.TRM_FAILED if code == lib.TRM_OK else code, diagnostics.take())
    return pointer


__all__ = ["Diagnostics", "TrammelError", "encode", "error", "ffi", "lib", "name", "number", "required",
           "settings", "several", "strings", "text", "version"]
