"""Velocities at the start: all given, some, none, or one by `initial:`."""
import numpy as np

from loads import measures


def tangent(s, size=1.0):
    """Velocities that the constraints allow: what moving constraints ask for, and something random besides."""
    _, state, J, rates, _ = s.constraints()
    n = J.shape[1]
    if not len(J):
        return state, size * s.rng.normal(size=n), np.eye(n)
    U, values, V = np.linalg.svd(J)
    r = int(np.sum(values > 1e-9 * values[0]))
    v = V[:r].T @ ((U[:, :r].T @ -rates) / values[:r])
    free = V[r:].T
    return state, v + free @ (size * s.rng.normal(size=free.shape[1])), free


def give_all(s, size=1.0, only=None):
    state, u, _ = tangent(s, size)
    moving = state.with_velocities(np.concatenate([np.zeros(state.mechanism.free), u]))
    for i, body in enumerate(state.mechanism.bodies[1:], 1):
        if only is not None and body.name not in only:
            continue
        entry = s.model["bodies"][body.name]
        entry["velocity"] = s.numbers(np.asarray(moving.v[i], dtype=float))
        w = np.asarray(moving.w[i], dtype=float)
        entry["angular-velocity"] = float(w[2]) if s.planar else w.tolist()
    for name, entry in s.model.get("shafts", {}).items() if only is None else ():
        entry["initial-rate"] = float(moving.beyond[f"{name}.rate"])


def give_one(s, size=1.0):
    """A measure that can move is given a value."""
    state, _, free = tangent(s, size)
    if not free.shape[1]:
        return
    for _ in range(10):
        rate = s.pick(measures(s))[1]
        if rate.partition(".")[0] in s.model["forces"] or "." not in rate:
            continue
        row = np.asarray(state.rate_row(rate), dtype=float)[state.mechanism.free:]
        if np.linalg.norm(row @ free) > 0.1 * np.linalg.norm(row):
            s.model["initial"] = {rate: float(size * s.rng.normal())}
            return


def draw(s, size=1.0):
    way = s.pick(("all", "all", "one", "some", "none"))
    s.tags.add(f"start-{way}")
    if way == "all":
        give_all(s, size)
    elif way == "one":
        give_one(s, size)
    elif way == "some":
        give_all(s, size, set(s.names()[::2]))
