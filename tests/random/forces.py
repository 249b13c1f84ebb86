"""Every force element: what it adds to the forces on all bodies, its potential energy and its measures."""
import numpy as np

import rotation
import tires
from jet import Real, atan2, dot, real, sqrt
from kinematics import Z
from signals import evaluate


def rotation_vector(axes0, axes1, near):
    """Of the second triad relative to the first, in the first's components; of the two that are a turn apart the one of the
    quaternion `near`."""
    A = [[dot(a, b) for b in axes1] for a in axes0]
    trace = A[0][0] + A[1][1] + A[2][2]
    squares = [1 + trace] + [1 - trace + 2 * A[i][i] for i in range(3)]
    k = int(np.argmax([s.value for s in squares]))
    if k == 0:
        p = [squares[0], A[2][1] - A[1][2], A[0][2] - A[2][0], A[1][0] - A[0][1]]
    else:
        i, j, l = k - 1, k % 3, (k + 1) % 3
        p = [A[l][j] - A[j][l], None, None, None]
        p[1 + i], p[1 + j], p[1 + l] = squares[k], A[j][i] + A[i][j], A[l][i] + A[i][l]
    if sum(c.value * d for c, d in zip(p, near)) < 0:
        p = [-c for c in p]
    s2 = p[1] * p[1] + p[2] * p[2] + p[3] * p[3]
    if p[0].value > 0 and s2.value < 0.01 * p[0].value**2:
        stretch = (s2 / (p[0] * p[0])).through(_ratio, _ratio_slope, _ratio_curvature) / p[0]
    else:
        s = sqrt(s2)
        stretch = atan2(s, p[0]) / s
    return [2 * c * stretch for c in p[1:]]


def _ratio(y):
    """atan(s)/s, y = s^2 small, and its derivatives"""
    return sum((-y)**k / Real(2 * k + 1) for k in range(12))


def _ratio_slope(y):
    return sum(-k * (-y)**(k - 1) / Real(2 * k + 1) for k in range(1, 13))


def _ratio_curvature(y):
    return sum(k * (k - 1) * (-y)**(k - 2) / Real(2 * k + 1) for k in range(2, 14))


class Load:
    """What one element does: a force over all velocities, its potential energy, its measures."""

    def __init__(self, effort, potential=Real(0), measures=None):
        self.effort, self.potential, self.measures = effort, potential, measures or {}


def _vector(state, entry):
    numbers = [evaluate(state, text) for text in entry]
    return real(numbers + [0] * (3 - len(numbers)))


def wrench(state, body, effort, place):
    """The part of a force over all velocities that acts on one body: force, and torque about a place."""
    force, torque = state.split(effort)
    return force[body], torque[body] + rotation.cross(state.com[body] - place, force[body])


def named(planar, force, torque):
    if planar:
        return {"fx": force[0], "fy": force[1], "tz": torque[2]}
    return {**{f"f{c}": x for c, x in zip("xyz", force)}, **{f"t{c}": x for c, x in zip("xyz", torque)}}


def _force(state, name, entry):
    body, u = state.mechanism.end(entry["point"])
    F = _vector(state, entry["value"])
    if entry.get("frame", "global") == "body":
        F = state.R[body] @ F
    r = state.x[body] + state.R[body] @ u
    keys = "xy" if state.mechanism.planar else "xyz"
    return Load(F @ state.columns_at(body, r), measures={f"f{c}": x for c, x in zip(keys, F)})


def _torque(state, name, entry):
    body = state.mechanism.index[entry["body"]]
    if state.mechanism.planar:
        T = real([0, 0, evaluate(state, entry["value"])])
    else:
        T = _vector(state, entry["value"])
        if entry.get("frame", "global") == "body":
            T = state.R[body] @ T
    measures = {"tz": T[2]} if state.mechanism.planar else {f"t{c}": x for c, x in zip("xyz", T)}
    return Load(T @ state.spin_columns(body, np.eye(3)), measures=measures)


def _load(state, name, entry):
    """Force and torque in the axes of the first, on the second at its point; the opposites on the first at the same place."""
    (b0, _), (b1, u1) = state.mechanism.ends(entry)
    planar = state.mechanism.planar
    F, T = real([0, 0, 0]), real([0, 0, 0])
    if "force" in entry:
        F = state.R[b0] @ _vector(state, entry["force"])
    if "torque" in entry:
        T = real([0, 0, evaluate(state, entry["torque"])]) if planar else state.R[b0] @ _vector(state, entry["torque"])
    r, I = state.x[b1] + state.R[b1] @ u1, np.eye(3)
    effort = (F @ (state.columns_at(b1, r) - state.columns_at(b0, r)) + T @ (state.spin_columns(b1, I) - state.spin_columns(b0, I)))
    return Load(effort, measures=named(planar, F, T))


def _spring(state, name, entry):
    mechanism = state.mechanism
    ends = mechanism.ends(entry) if "connect" in entry else None
    turns = entry["type"] == "torsion-spring-damper"
    if "of" in entry:
        first, second = (state.freedom(*mechanism.freedom(text)) for text in entry["of"])
        s, free = second - first, entry.get("angle", 0)
    elif turns:
        axis = Z if mechanism.planar else mechanism.bodies[ends[0][0]].R.T @ rotation.unit(mechanism.vector(entry["axis"]))
        s = state.angle(f"{name}.angle", ends[0][0], ends[1][0], axis)
        free = entry.get("angle", 0)
    else:
        s = state.distance(ends)
        free = entry.get("length", state.as_written(mechanism).distance(ends).value)
    k, c, rest = (evaluate(state, text) for text in (entry.get("stiffness", 0), entry.get("damping", 0), free))
    tension = k * (s.value - rest) + c * s.rate
    constant = mechanism.is_constant(entry.get("stiffness", 0)) and mechanism.is_constant(free)
    names = ("angle", "rate", "torque") if turns else ("length", "rate", "force")
    measures = dict(zip(names, (s.value, s.rate, -tension if turns else tension)))
    return Load(-tension * s.row, k * (s.value - rest)**2 / 2 if constant else Real(0), measures)


def _actuator(state, name, entry):
    push = evaluate(state, entry["value"])
    if "of" in entry:
        freedom = state.mechanism.freedom(entry["of"])
        s = state.freedom(*freedom)
        names = ("angle", "rate", "torque") if freedom[1] == "angle" else ("length", "rate", "force")
    else:
        s = state.distance(state.mechanism.ends(entry))
        names = ("length", "rate", "force")
    return Load(push * s.row, measures=dict(zip(names, (s.value, s.rate, push))))


def _matrix(mechanism, entry, key):
    size = 3 if mechanism.planar else 6
    if key not in entry:
        return np.zeros((size, size), dtype=Real)
    if isinstance(entry[key][0], list):
        return real([[mechanism.number(x) for x in row] for row in entry[key]])
    return np.diag(real([mechanism.number(x) for x in entry[key]]))


def _bushing(state, name, entry):
    mechanism = state.mechanism
    (b0, u0), (b1, u1) = mechanism.ends(entry)
    axes = rotation.from_form(mechanism.orientation(entry["orientation"])) if "orientation" in entry else np.eye(3, dtype=Real)
    carried = [[state.direction(b, mechanism.bodies[b].R.T @ axes[:, k]) for k in range(3)] for b in (b0, b1)]
    gap = state.point(b1, u1) - state.point(b0, u0)
    if mechanism.planar:
        u = [dot(gap, carried[0][k]) for k in range(2)] + [state.angle(f"{name}.rz", b0, b1, Z)]
    else:
        u = [dot(gap, d) for d in carried[0]] + rotation_vector(*carried, state.relative_turn(b0, b1, axes))
    K, D = _matrix(mechanism, entry, "stiffness"), _matrix(mechanism, entry, "damping")
    preload = real([mechanism.number(x) for x in entry.get("preload", [0] * len(u))])
    place, rate = real([s.value for s in u]), real([s.rate for s in u])
    push = preload - K @ place - D @ rate
    effort = push @ np.array([s.row for s in u])
    force, torque = wrench(state, b1, effort, state.x[b1] + state.R[b1] @ u1)
    names = ("ux", "uy", "rz") if mechanism.planar else ("ux", "uy", "uz", "rx", "ry", "rz")
    measures = {**named(mechanism.planar, force, torque), **dict(zip(names, place))}
    return Load(effort, place @ K @ place / 2 - preload @ place, measures)


def _tire(state, name, entry):
    effort, measures = tires.load_of(state, name, entry)
    return Load(effort, measures=measures)


TYPES = {"force": _force, "torque": _torque, "spring-damper": _spring, "torsion-spring-damper": _spring,
         "actuator": _actuator, "tire": _tire, "bushing": _bushing, "load": _load}


def load(state, name):
    entry = state.mechanism.forces[name]
    return TYPES[entry["type"]](state, name, entry)
