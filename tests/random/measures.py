"""Measures of a mechanism by their names, as the columns of a results file have them."""
import numpy as np

import joints
import rotation
import signals
from dynamics import Motion
from forces import named
from jet import real
from kinematics import State
from mechanism import joints_of

LETTERS = "xyz"
# the same vectors in other axes
IN_BODY_AXES = {**dict.fromkeys(("u", "v", "w", "uh", "vh"), "v"), **dict.fromkeys("pqr", "w"),
                **dict.fromkeys(("aX", "aY", "aZ", "axh", "ayh"), "a")}


def turns_of_row(mechanism, row, start):
    """By which quaternion every body has turned since as written: at the start by the shorter way, from there the columns keep
    their sign."""
    quaternion = lambda row, body: real([row[f"{body.name}.q{c}"] for c in "wxyz"])
    found = {}
    for body in [] if mechanism.planar else mechanism.bodies[1:]:
        begun = rotation.to_quaternion(rotation.from_quaternion(quaternion(start, body)) @ body.R.T)
        since = rotation.product(quaternion(row, body), rotation.conjugate(quaternion(start, body)))
        found[f"{body.name}.turn"] = rotation.product(since, begun)
    return found


def state_of_row(mechanism, row, start=None):
    """From the columns of one row, a dict; `start`: the first row of the run."""
    zero = np.zeros(3)
    x, R, v, w = [zero], [np.eye(3)], [zero], [zero]
    for body in mechanism.bodies[1:]:
        get = lambda keys: [row[f"{body.name}.{key}"] for key in keys]
        if mechanism.planar:
            x.append(get(["x", "y"]) + [0])
            R.append(rotation.planar(row[f"{body.name}.angle"]))
            v.append(get(["vx", "vy"]) + [0])
            w.append([0, 0, row[f"{body.name}.omega"]])
        else:
            x.append(get("xyz"))
            R.append(rotation.from_quaternion(get(["qw", "qx", "qy", "qz"])))
            v.append(get(["vx", "vy", "vz"]))
            w.append(get(["wx", "wy", "wz"]))
    counted = {name: value for name, value in row.items() if name.endswith("angle")}
    return State(mechanism, row["t"], x, R, v, w, counted | turns_of_row(mechanism, row, start or row), signals.of_row(mechanism, row))


class Measures:
    """All of them at one instant."""

    def __init__(self, state):
        self.state, self.mechanism = state, state.mechanism
        self.motion = Motion(state)

    # --- everything ---

    def all(self):
        found = {"t": self.state.time}
        for i, body in enumerate(self.mechanism.bodies[1:], 1):
            found.update(self.of_body(i, body))
        for name, joint in self.mechanism.joints.items():
            found.update({f"{name}.{key}": value for key, value in self.of_joint(name, joint).items()})
        for name, load in self.motion.loads.items():
            found.update({f"{name}.{key}": value for key, value in load.measures.items()})
        for name in self.mechanism.shafts:
            s = self.state.shaft(name)
            found.update({f"{name}.angle": s.value, f"{name}.rate": s.rate})
        found.update(signals.all_of(self.state))
        found.update(self.of_all())
        return found

    def of_body(self, i, body):
        state, planar = self.state, self.mechanism.planar
        a, alpha = self.motion.body_accelerations()
        found = {}

        def put(owner, prefix, vector):
            for c, value in zip(LETTERS[:2] if planar else LETTERS, vector):
                found[f"{owner}.{prefix}{c}"] = value

        def put_point(owner, r):
            lever = r - state.x[i]
            put(owner, "", r)
            put(owner, "v", state.v[i] + rotation.cross(state.w[i], lever))
            put(owner, "a", a[i] + rotation.cross(alpha[i], lever) + rotation.cross(state.w[i], rotation.cross(state.w[i], lever)))

        put_point(body.name, state.x[i])
        for name, u in body.points.items():
            put_point(f"{body.name}.{name}", state.x[i] + state.R[i] @ u)
        own = lambda vector: state.R[i].T @ vector  # in body axes
        if planar:
            found[f"{body.name}.angle"] = state.coordinate(f"{body.name}.angle").value
            found[f"{body.name}.omega"], found[f"{body.name}.alpha"] = state.w[i][2], alpha[i][2]
            keys = {"u": own(state.v[i])[0], "v": own(state.v[i])[1], "aX": own(a[i])[0], "aY": own(a[i])[1]}
        else:
            put(body.name, "w", state.w[i])
            put(body.name, "alpha", alpha[i])
            found.update({f"{body.name}.q{c}": q for c, q in zip("wxyz", rotation.to_quaternion(state.R[i]))})
            keys = dict(zip(("roll", "pitch", "yaw"), rotation.roll_pitch_yaw(state.R[i])))
            keys.update(zip("uvw", own(state.v[i])))
            keys.update(zip("pqr", own(state.w[i])))
            keys.update(zip(("aX", "aY", "aZ"), own(a[i])))
            level = rotation.planar(keys["yaw"]).T
            keys.update(zip(("uh", "vh"), level @ state.v[i]))
            keys.update(zip(("axh", "ayh"), level @ a[i]))
        found.update({f"{body.name}.{key}": value for key, value in keys.items()})
        return found

    def of_joint(self, name, joint):
        found = {}
        for freedom in self.mechanism.freedoms(joint):
            s = self.state.freedom(name, freedom)
            found[freedom] = s.value
            found["rate" if freedom == "angle" else "speed"] = s.rate
        if joint["type"] in joints.HAS_EFFORT:
            found["effort"] = self.motion.effort(name)
        if joints.has_reaction(self.mechanism, joint):
            force, torque = self.motion.reaction(name)
            found.update(named(self.mechanism.planar, force, torque))
            found["f"], found["t"] = np.sqrt(np.sum(force**2)), np.sqrt(np.sum(torque**2))
        return found

    def of_all(self):
        kinetic, potential = self.motion.kinetic(), self.motion.potential()
        p, l = self.motion.momentum()
        found = {"energy.kinetic": kinetic, "energy.potential": potential, "energy.total": kinetic + potential}
        if self.mechanism.planar:
            found.update({"momentum.px": p[0], "momentum.py": p[1], "momentum.lz": l[2]})
        else:
            found.update({f"momentum.p{c}": x for c, x in zip(LETTERS, p)})
            found.update({f"momentum.l{c}": x for c, x in zip(LETTERS, l)})
        return found


def outputs(description):
    """Everything there is."""
    parts = [name for part in ("forces", "shafts", "inputs", "variables", "states") for name in description.get(part, {})]
    rates = [f"{name}'" for name in description.get("states", {})]
    parts += [f"{name}.count" for name in description.get("events", {})]
    return [*description["bodies"], *joints_of(description), *parts, *rates, "energy", "constraint", "momentum"]


def undetermined(mechanism, row):
    """Bodies and points ("b", "b.P") and rotations ("b turns") that move where neither inertia nor a joint holds: how they move
    is a matter of the method."""
    measures = Measures(state_of_row(mechanism, row))
    motion, state, length = measures.motion, measures.state, float(mechanism.length)
    s, moving = motion.s[mechanism.free:], slice(mechanism.free, None)
    held = np.vstack([(s[:, None] * motion.M * s).astype(float), (motion.r[:, None] * motion.J_all[:, moving] * s).astype(float)])
    _, values, V = np.linalg.svd(held)
    found = set()
    for direction in V[int(np.sum(values > 1e-9 * values[0])):]:
        v, w = state.split(np.concatenate([np.zeros(mechanism.free), s * direction]))
        size = max(float(np.abs(w).max()), float(np.abs(v).max()) / length)
        for i, body in enumerate(mechanism.bodies[1:], 1):
            at = {body.name: state.x[i], **{f"{body.name}.{name}": state.x[i] + state.R[i] @ u for name, u in body.points.items()}}
            found |= {name for name, r in at.items() if np.abs(v[i] + np.cross(w[i], r - state.com[i])).max() > 1e-9 * size * length}
            found |= {f"{body.name} turns"} if np.abs(w[i]).max() > 1e-9 * size else set()
    return found


def is_loose(name, loose):
    """Whether a column is of what `undetermined` found."""
    owner, _, key = name.rpartition(".")
    turns = ("omega", "angle", "alpha", "qw", "qx", "qy", "qz", "wx", "wy", "wz", "alphax", "alphay", "alphaz", "roll", "pitch", "yaw", "p", "q", "r")
    return (f"{owner} turns" if key in turns else owner) in loose
