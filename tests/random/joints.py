"""Constraints of every joint: rows that stay zero, each with what a unit of its multiplier does."""
import numpy as np

import rotation
from forces import rotation_vector
from jet import Jet, Real, atan2, dot, norm, real, sqrt
from kinematics import TURN, Z, State
from mechanism import orientation_of
from signals import law

FORCE, TORQUE = (1, 0), (0, 1)
HAS_EFFORT = {"gear", "coordinate", "driver", "screw"}
HAS_NO_REACTION = {"gear", "coordinate"}


class Row:
    """A Jet that stays zero. One of velocity level has no value: only its rate is held. `pulls`: forces and torques
    that a unit of the multiplier is, one pair for each thing it pulls at."""

    def __init__(self, jet, *pulls, velocity_level=False):
        self.jet, self.pulls, self.velocity_level = jet, pulls or (FORCE,), velocity_level

    def weight(self, length):
        return np.sqrt(sum(force**2 + (torque / length)**2 for force, torque in self.pulls))

    def gap(self, length):
        """How far it is open, in lengths."""
        return 0.0 if self.velocity_level else float(abs(self.jet.value) / self.weight(length) / length)


# --- what joints are made of; axes and places in the bodies' own axes ---

def _coincide(state, ends):
    gap = state.point(*ends[0]) - state.point(*ends[1])
    return [Row(gap[k]) for k in range(2 if state.mechanism.planar else 3)]


def _slide(state, ends, direction):
    """The second's point does not leave the first's along a direction of the first."""
    gap = state.point(*ends[1]) - state.point(*ends[0])
    return Row(dot(gap, state.direction(ends[0][0], direction)))


def _on_line(state, ends, axis):
    directions = [rotation.cross(Z, axis)] if state.mechanism.planar else rotation.across(axis)
    return [_slide(state, ends, direction) for direction in directions]


def _square(state, ends, axes):
    return Row(dot(state.direction(ends[0][0], axes[0]), state.direction(ends[1][0], axes[1])), TORQUE)


def _parallel(state, ends, axes):
    return [_square(state, ends, (direction, axes[1])) for direction in rotation.across(axes[0])]


def _oriented(state, ends, axis):
    planar = state.mechanism.planar
    (e0, f0, n0), (e1, f1, n1) = state.triads(ends[0][0], ends[1][0], Z if planar else axis)
    pairs = [(e0, f1)] if planar else [(e0, f1), (f0, n1), (n0, e1)]
    return [Row(dot(a, b), TORQUE) for a, b in pairs]


def _aligned(state, ends, axes):
    """The axes of both sides stay parallel, and nothing turns about them. Where they were not parallel as written, what
    that means is said to second order only: the last row's own value is then not looked at."""
    planar = state.mechanism.planar
    if planar:
        return [_square(state, ends, (axes[0], rotation.cross(Z, axes[1])))]
    (e0, _, _), (_, f1, _) = state.triads(ends[0][0], ends[1][0], axes[0])
    kept = dot(e0, f1)
    written = [state.mechanism.bodies[b].R @ axis for (b, _), axis in zip(ends, axes)]
    tilt = np.sqrt(np.sum(rotation.cross(*written)**2))
    if tilt > 1e-9:
        kept = kept - kept.value
    return _parallel(state, ends, axes) + [Row(kept, TORQUE)]


def _twist(state, ends, axes):
    """Of the second relative to the first behind the shortest rotation that turns the first's axis onto the second's."""
    (e0, f0), (e1, f1) = ([state.direction(b, d) for d in rotation.across(axis)] for (b, _), axis in zip(ends, axes))
    return atan2(dot(e1, f0) - dot(f1, e0), dot(e0, e1) + dot(f0, f1))


def _same_rate(state, ends, axes):
    """Neither of two shafts turns about itself more than the other. The torque of a unit is along the sum of their axes."""
    twist = _twist(state, ends, axes) - _twist(State.as_written(state.mechanism), ends, axes).value
    n0, n1 = (state.R[b] @ axis for (b, _), axis in zip(ends, axes))
    return Row(twist - TURN * np.round(twist.value / TURN), (0, np.sqrt(2 / (1 + np.sum(n0 * n1)))))


def _weld(state, ends):
    (b0, _), (b1, u1) = ends
    bodies = state.mechanism.bodies
    return _coincide(state, [(b0, bodies[b0].local(bodies[b1].at(u1))), (b1, u1)])


def _side(state, ends, n):
    """1 where the second is written on the side that n, carried by the first, points to"""
    bodies = state.mechanism.bodies
    gap = bodies[ends[1][0]].at(ends[1][1]) - bodies[ends[0][0]].at(ends[0][1])
    return 1 if np.sum(gap * (bodies[ends[0][0]].R @ n)) > 0 else -1


def _contact(state, joint):
    """The normal towards what rolls, and the contact point."""
    mechanism = state.mechanism
    ends, axes, radius = mechanism.ends(joint), mechanism.axes(joint), mechanism.number(joint["radius"])
    normal = rotation.cross(Z, axes[0]) if mechanism.planar else axes[0]
    n = state.direction(ends[0][0], _side(state, ends, normal) * normal)
    centre = state.point(*ends[1])
    if "axes" not in joint or mechanism.planar:
        return n, centre - n * radius
    a = state.direction(ends[1][0], axes[1])
    down = n - a * dot(n, a)
    return n, centre - down * (radius / norm(down))


def _roll_in_plane(state, name, joint, ends, axes):
    mechanism = state.mechanism
    n, touch = _contact(state, joint)
    turn = state.freedom(name, "angle") * (_side(state, ends, rotation.cross(Z, axes[0])) * mechanism.number(joint["radius"]))
    return [Row(dot(touch - state.point(*ends[0]), n)),
            Row(state.freedom(name, "displacement") + turn, FORCE, (0, mechanism.number(joint["radius"])))]


def _roll_in_space(state, name, joint, ends, axes):
    first, second = ends[0][0], ends[1][0]
    n, touch = _contact(state, joint)
    slip = state.velocity_at(second, touch.value) - state.velocity_at(first, touch.value)
    change = (rotation.cross(state.w[second], touch.rate - state.com_velocity[second])
              - rotation.cross(state.w[first], touch.rate - state.com_velocity[first]))
    columns = state.columns_at(second, touch.value) - state.columns_at(first, touch.value)
    rows = [Row(dot(touch - state.point(*ends[0]), n))]
    for u in rotation.across(axes[0]):
        t = state.direction(first, u)
        jet = Jet(Real(0), np.sum(t.value * slip), np.sum(t.rate * slip) + np.sum(t.value * change), t.value @ columns)
        rows.append(Row(jet, velocity_level=True))
    return rows


# --- joints over the freedoms of others ---

def _is_angle(mechanism, text):
    freedom = mechanism.freedom(text)
    return (freedom[1] if freedom else text.rpartition(".")[2]) == "angle"


def _over_freedoms(state, joint):
    """Terms with their factors, and the value."""
    mechanism = state.mechanism
    if joint["type"] == "gear":
        first, second = joint["joints"]
        return {second: 1, first: -mechanism.number(joint["ratio"])}, 0
    if joint["type"] == "driver":
        return {joint["of"]: 1}, joint["value"]
    return {name: mechanism.number(factor) for name, factor in joint["sum"].items()}, joint.get("value", 0)


def _sum(state, joint):
    terms, value = _over_freedoms(state, joint)
    total = -law(state, value)
    for name, factor in terms.items():
        total = total + state.coordinate(name) * factor
    return [Row(total, *((0, factor) if _is_angle(state.mechanism, name) else (factor, 0) for name, factor in terms.items()))]


def _held_rate(state, joint):
    """A driver on velocity level, of a freedom."""
    owner, _, key = joint["of"].rpartition(".")
    s, held = state.freedom(owner, "angle" if key == "rate" else "displacement"), law(state, joint["rate"])
    return [Row(Jet(Real(0), s.rate - held.value, s.bias - held.rate, s.row), TORQUE if key == "rate" else FORCE, velocity_level=True)]


# --- drivers of orientations ---

def _euler_angle(state, body, sequence, which):
    """Of R as Jets, see rotation.euler_angles"""
    columns = [state.direction(body, u) for u in np.eye(3)]
    R = lambda row, column: columns[column][row]
    i, j, k = ("xyz".index(letter) for letter in sequence)
    sign = 1 if (j - i) % 3 == 1 else -1
    length = lambda a, b: sqrt(a * a + b * b)
    if i == k:
        l = 3 - i - j
        return (atan2(R(j, i), R(l, i) * -sign), atan2(length(R(j, i), R(l, i)), R(i, i)), atan2(R(i, j), R(i, l) * sign))[which]
    return (atan2(R(j, k) * -sign, R(k, k)), atan2(R(i, k) * sign, length(R(j, k), R(k, k))), atan2(R(i, j) * -sign, R(i, i)))[which]


def _turned(state, name, joint):
    """A driver of an Euler angle or of one component of the rotation vector; whole turns do not count."""
    owner, what = orientation_of(joint["of"])
    body, held = state.mechanism.index[owner], law(state, joint["value"])
    if isinstance(what, int):
        laws = [law(state, state.mechanism.joints[name[:-1] + c]["value"]).value for c in "xyz"]
        half = np.sqrt(sum(x * x for x in laws)) / 2  # of the two that are a turn apart the one that is driven
        near = [np.cos(half), *(real(laws) / 2 * np.sinc(half.astype(float) / np.pi))]
        s = rotation_vector(*[[state.direction(b, u) for u in np.eye(3)] for b in (0, body)], near)[what]
    else:
        s = _euler_angle(state, body, *what)
        s = s - TURN * np.round((s.value - held.value) / TURN)
    torque = state.split(s.row)[1][body]
    return [Row(s - held, (0, np.sqrt(np.sum(torque**2))))]


# --- all of them ---

def rows(state, name):
    mechanism = state.mechanism
    joint = mechanism.joints[name]
    kind = joint["type"]
    if "rate" in joint:
        return _held_rate(state, joint)
    if kind == "driver" and orientation_of(joint["of"]):
        return _turned(state, name, joint)
    if kind in ("gear", "coordinate", "driver"):
        return _sum(state, joint)
    ends = mechanism.ends(joint)
    if kind == "roller":
        k = 1 if joint["axis"] == "x" else 0
        body, u = ends[1]
        return [Row(state.point(body, u)[k] - mechanism.bodies[body].at(u)[k])]
    if kind == "distance":
        written = state.as_written(mechanism).distance(ends).value
        return [Row(state.distance(ends) - law(state, joint.get("length", written)))]
    axes = mechanism.axes(joint) if "axis" in joint or "axes" in joint else None
    if kind == "revolute" and mechanism.planar or kind == "spherical":
        return _coincide(state, ends)
    if kind == "revolute":
        return _coincide(state, ends) + _parallel(state, ends, axes)
    if kind == "universal":
        return _coincide(state, ends) + [_square(state, ends, axes)]
    if kind == "constant-velocity":
        return _coincide(state, ends) + [_same_rate(state, ends, axes)]
    if kind == "cylindrical":
        return _on_line(state, ends, axes[0]) + _parallel(state, ends, axes)
    if kind == "screw":
        lead = mechanism.number(joint["pitch"]) / TURN
        advance = state.freedom(name, "displacement") - state.freedom(name, "angle") * lead
        return _on_line(state, ends, axes[0]) + _parallel(state, ends, axes) + [Row(advance, FORCE, (0, lead))]
    if kind == "prismatic":
        return _on_line(state, ends, axes[0]) + _aligned(state, ends, axes)
    if kind == "rigid":
        return _weld(state, ends) + _oriented(state, ends, Z)
    if kind == "planar":
        return [_slide(state, ends, axes[0])] + _parallel(state, ends, axes)
    if kind == "point-on-plane":
        return [_slide(state, ends, axes[0])]
    if kind == "point-on-line":
        return _on_line(state, ends, axes[0])
    if kind == "parallel":
        return _parallel(state, ends, axes)
    if kind == "perpendicular":
        return [_square(state, ends, axes)]
    if kind == "rolling":
        return (_roll_in_plane if mechanism.planar else _roll_in_space)(state, name, joint, ends, axes)
    raise ValueError(f"joint of type {kind}")


def has_reaction(mechanism, joint):
    """What acts on a shaft has no place and no direction."""
    return joint["type"] not in HAS_NO_REACTION and not (joint["type"] == "driver" and joint["of"].partition(".")[0] in mechanism.shafts)


def reaction_place(state, joint):
    """The body that the reaction acts on, and the place its torque is about."""
    mechanism = state.mechanism
    if joint["type"] == "rolling":
        return mechanism.ends(joint)[1][0], _contact(state, joint)[1].value
    body, u = (mechanism.driven_ends(joint) if joint["type"] == "driver" else mechanism.ends(joint))[-1]
    return body, state.x[body] + state.R[body] @ u
