"""What functions have raised that the library has called: kept until the call is over, then raised by who called it."""

from __future__ import annotations

import threading
from typing import Any

_raised: list[tuple[int, BaseException]] = []  # by threads


def keep(_kind: Any, problem: BaseException, _place: Any) -> None:
    """One more."""
    _raised.append((threading.get_ident(), problem))


def _others() -> set[int]:
    """Threads that have calls of their own: not this one, and not the library's, which work for somebody."""
    own = threading.get_ident()
    known = {thread.ident or 0 for thread in threading.enumerate()
             if not isinstance(thread, threading._DummyThread)}  # type: ignore[attr-defined]
    return known - {own} if own in known else set()


def take() -> list[BaseException]:
    """All of this thread's call, Ctrl-C first; they are told once."""
    if not _raised:
        return []
    others = _others()
    mine = [problem for thread, problem in _raised if thread not in others]
    _raised[:] = [entry for entry in _raised if entry[0] in others]
    return sorted(mine, key=lambda problem: isinstance(problem, Exception))


def interrupted() -> bool:
    """Ctrl-C has come in a function: all of them give up, whatever the method tries again."""
    if not _raised:
        return False
    others = _others()
    return any(not isinstance(problem, Exception) for thread, problem in _raised if thread not in others)
