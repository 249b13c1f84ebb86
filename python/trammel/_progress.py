"""How far a run is: a line in a terminal, a bar in a notebook; Ctrl-C ends the run."""

from __future__ import annotations

import sys
import time
from typing import Any, Optional

from . import _raised
from ._library import ffi, lib

WIDTH = 30
PATIENCE = 1.0  # s; shorter runs show nothing
PROGRESS = ffi.addressof(lib, "trm_py_progress")  # with Progress.watch


def in_notebook() -> bool:
    shell: Any = sys.modules.get("IPython")
    try:
        return bool(shell) and shell.get_ipython().__class__.__name__ == "ZMQInteractiveShell"
    except AttributeError:
        return False


class Progress:
    """Handed to trm_simulation_run; `error` is what ended it from here."""

    def __init__(self, shown: Optional[bool]):
        self.notebook = in_notebook()
        self.shown = (self.notebook or sys.stderr.isatty()) if shown is None else shown
        self.start = time.monotonic()
        self.display: Any = None
        self.drawn = False
        self.error: Optional[BaseException] = None
        self.handle = ffi.new_handle(self)
        self.watch = ffi.new("trm_py_watch *", {"python": self.handle})

    def ask(self, where: str, fraction: float) -> bool:
        """`where` it is: "t = 3", "5 of 11 runs"."""
        elapsed = time.monotonic() - self.start
        if self.shown and elapsed > PATIENCE:
            self.draw(where, fraction, elapsed)
        return True

    def draw(self, where: str, fraction: float, elapsed: float) -> None:
        left = f"{elapsed * (1 - fraction) / fraction:.0f} s left" if fraction > 0 else ""
        said = f"{100 * fraction:3.0f} %  {where}  {left}"
        self.drawn = True
        if self.notebook:
            self.show(f"<progress value='{fraction}' max='1'></progress> {said}")
            return
        full = int(WIDTH * fraction)
        sys.stderr.write(f"\r[{'#' * full}{' ' * (WIDTH - full)}] {said}   ")
        sys.stderr.flush()

    def show(self, html: str) -> None:
        from IPython.display import HTML, display
        if self.display is None:
            self.display = display(HTML(html), display_id=True)
        else:
            self.display.update(HTML(html))

    def interruption(self) -> BaseException:
        """What has ended the run from here."""
        _raised.take()
        return self.error or KeyboardInterrupt()

    def end(self) -> None:
        if self.drawn and self.notebook:
            self.show("")
        elif self.drawn:
            sys.stderr.write("\r" + " " * (WIDTH + 50) + "\r")
            sys.stderr.flush()


def _silent(*_: Any) -> None:
    """Ctrl-C between the call and its first line: the run ends as interrupted, which is raised."""


@ffi.def_extern(error=False, onerror=_silent)
def trm_py_ask(python: Any, t: float, fraction: float) -> bool:
    progress = ffi.from_handle(python)
    try:
        return progress.ask(f"t = {t:.4g}", fraction)
    except BaseException as problem:  # Ctrl-C among them: raised when the run has ended
        progress.error = problem
        return False
