"""Errors carry the diagnostics: file, line, column, what would be right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Optional

if TYPE_CHECKING:
    from .run import Run


@dataclass(frozen=True)
class Diagnostic:
    """One message; line and column count from 1, 0 where there is no place."""

    severity: str  # "note", "warning", "error"
    message: str
    file: Optional[str] = None
    line: int = 0
    column: int = 0
    source: Optional[str] = None  # the line of the file
    text: str = ""  # all of it, as the program prints it

    def __str__(self) -> str:
        return self.text or self.message


class TrammelError(Exception):
    """What went wrong, and where: `diagnostics` has every message."""

    def __init__(self, message: str, diagnostics: tuple[Diagnostic, ...] = ()):
        super().__init__(message, tuple(diagnostics))
        self.message = message
        self.diagnostics = tuple(diagnostics)

    def __str__(self) -> str:
        return self.message


class ModelError(TrammelError, ValueError):
    """The model has errors; all of them are in `diagnostics`."""


class UsageError(TrammelError, ValueError):
    """An unknown name, key or value."""


class FileError(TrammelError, OSError):
    """A file could not be read or written."""


class SimulationError(TrammelError):
    """A run has failed; `run` has what was computed up to there."""

    run: Optional["Run"] = None

    def __reduce__(self):
        return type(self), (self.message, self.diagnostics)


class TrammelWarning(UserWarning):
    """A warning of the library."""
