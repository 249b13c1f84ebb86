"""The methods by name, with one line on when to use each."""

from __future__ import annotations

from dataclasses import dataclass

from ._library import lib, text


@dataclass(frozen=True)
class Method:
    """One choice of a key of `simulate:`."""

    key: str  # "integrator"
    name: str  # "dop853"
    when: str
    planar_only: bool
    spatial_only: bool


def methods(key: str = "") -> list[Method]:
    """All methods, or those of one key of `simulate:`."""
    found = []
    for k in range(lib.trm_method_count()):
        m = lib.trm_method_get(k)
        method = Method(text(m.key), text(m.name), text(m.when), bool(m.planar_only), bool(m.spatial_only))
        if not key or method.key == key:
            found.append(method)
    return found
