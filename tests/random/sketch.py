"""A model being drawn: poses first, then the points and axes of joints from the poses, so that every loop closes.

Lengths, masses and times are near 1 here; other units come from a transformation of the finished model.
"""
import numpy as np

import rotation
from kinematics import State
from joints import rows
from mechanism import GROUND, Mechanism

STYLES = ("full", "full", "principal", "round", "flat", "thin")


class Sketch:
    def __init__(self, rng, space):
        self.rng, self.planar = rng, space == "planar"
        self.tags, self.style = set(), None  # of all bodies, where one is wanted
        self.x, self.R = {GROUND: np.zeros(3)}, {GROUND: np.eye(3)}
        self.size = {GROUND: 1.0}
        self.model = {"trammel": 1, "space": space, "gravity": [0, 0], "ground": {"points": {}}, "bodies": {}, "joints": {},
                      "forces": {}}
        self.set_gravity()

    # --- chances ---

    def chance(self, p):
        return self.rng.random() < p

    def pick(self, choices):
        return choices[int(self.rng.integers(len(choices)))]

    def vector(self, size=1.0):
        v = self.rng.normal(size=3) * size
        return v * [1, 1, 0] if self.planar else v

    def direction(self):
        v = self.vector()
        return v / np.linalg.norm(v)

    def decades(self, low, high):
        return 10**self.rng.uniform(low, high)

    def sign(self):
        return 1 if self.chance(0.5) else -1

    # --- numbers as a file has them ---

    def numbers(self, v):
        return [float(x) for x in (v[:2] if self.planar else v)]

    def set_gravity(self):
        if self.chance(0.85):
            self.model["gravity"] = self.numbers(9.81 * self.direction())
        else:
            self.model["gravity"] = [0.0] * (2 if self.planar else 3)

    def orientation(self, R):
        form = self.pick(("quaternion", "axis", "euler", "xy", "matrix"))
        q = [float(x) for x in rotation.to_quaternion(R)]
        if form == "quaternion":
            factor = self.pick((1.0, -1.0, 3.7))
            return {"quaternion": [factor * x for x in q]}
        if form == "axis":
            s = np.linalg.norm(q[1:])
            axis = [float(x) for x in np.array(q[1:]) / s] if s > 0 else [1.0, 0.0, 0.0]
            return {"axis": axis, "angle": float(2 * np.arctan2(s, q[0]))}
        if form == "euler":
            sequence = self.pick(rotation.EULER)
            return {"euler": sequence, "angles": [float(a) for a in rotation.euler_angles(R, sequence)]}
        R = np.asarray(R, dtype=float)
        if form == "xy":
            return {"x": (2.5 * R[:, 0]).tolist(), "y": (R[:, 1] + self.rng.normal() * R[:, 0]).tolist()}
        return {"matrix": R.tolist()}

    # --- bodies ---

    def body(self, x, R=None, size=None, style=None, mass=None, com=None):
        """At a pose; its name"""
        name = f"b{len(self.model['bodies']) + 1}"
        size = size or self.decades(-0.4, 0.3)
        mass = mass or self.decades(-0.7, 0.7)
        style = style or self.style or self.pick(STYLES)
        if R is None:
            R = rotation.planar(self.rng.uniform(-3, 3)) if self.planar else rotation.random_rotation(self.rng)
        R = np.asarray(R, dtype=float)
        entry = {"mass": mass, "inertia": self.inertia(mass, size, style), "position": self.numbers(x)}
        if com is None and style in ("full", "flat", "thin") and self.chance(0.7):
            com = 0.3 * size * self.vector()
        if com is not None:
            entry["com"] = self.numbers(com)
        if self.planar:
            entry["angle"] = float(np.arctan2(R[1, 0], R[0, 0]))
        else:
            entry["orientation"] = self.orientation(R)
        if self.chance(0.1):
            entry["gravity"] = self.numbers(5 * self.vector())
        entry["points"] = {}
        self.model["bodies"][name] = entry
        self.x[name], self.R[name], self.size[name] = np.asarray(x, dtype=float), R, size
        return name

    def inertia(self, mass, size, style):
        if self.planar:
            return 0.0 if style == "point" else float(mass * size**2 * self.decades(-1.5, 0))
        a, b, c = size * self.rng.uniform(0.3, 1, size=3)
        if style == "round":
            return [float(0.4 * mass * a * a)] * 3
        if style == "flat":
            c = 0
        if style == "thin":
            c = a * self.decades(-7, -2)
        if style == "rod":
            b = c = 0
        if style == "point":
            return [0.0, 0.0, 0.0]
        moments = mass / 12 * np.array([b * b + c * c, a * a + c * c, a * a + b * b])
        if style in ("principal", "rod"):
            return [float(x) for x in moments]
        S = np.asarray(rotation.random_rotation(self.rng), dtype=float)
        I = S @ np.diag(moments) @ S.T
        return [float(x) for x in (I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2])]

    # --- joints ---

    def local(self, body, r):
        return self.R[body].T @ (np.asarray(r) - self.x[body])

    def point(self, body, r):
        """A place of the body, by its name"""
        if np.array_equal(r, self.x[body]):
            return body
        owner = self.model["ground"] if body == GROUND else self.model["bodies"][body]
        name = f"P{len(owner['points']) + 1}"
        owner["points"][name] = self.numbers(self.local(body, r))
        return f"{body}.{name}"

    def connect(self, first, second, r0, r1=None):
        """The keys that tell two bodies and places of theirs."""
        if r1 is None and self.chance(0.2):
            return {"connect": [first, second], "at": self.numbers(r0)}
        return {"connect": [self.point(first, r0), self.point(second, r0 if r1 is None else r1)]}

    def axis(self, first, second, a, b=None):
        """The keys that tell directions, global ones, of both sides."""
        if b is None and self.chance(0.6):
            return {"axis": self.numbers(a)}
        b = a if b is None else b
        length = self.pick((1.0, 2.5))  # any length but zero
        return {"axes": [self.numbers(self.R[first].T @ a * length), self.numbers(self.R[second].T @ b)]}

    def joint(self, type, **keys):
        name = f"J{len(self.model['joints']) + 1}"
        self.model["joints"][name] = {"type": type, **keys}
        return name

    def link(self, type, first, second, r, a=None, b=None, r1=None, **keys):
        """A joint between two bodies at global places, with global directions."""
        ends = self.connect(first, second, r, r1)
        axes = {} if a is None else self.axis(first, second, a, b)
        return self.joint(type, **ends, **axes, **keys)

    def drop_joint(self, name):
        del self.model["joints"][name]

    def force(self, type, **keys):
        name = f"F{len(self.model['forces']) + 1}"
        self.model["forces"][name] = {"type": type, **keys}
        return name

    # --- what is there ---

    def names(self):
        return list(self.model["bodies"])

    def near(self, body):
        """A place of the body, global."""
        centre = self.x[body] if body != GROUND else 0.5 * self.vector()
        return centre + 0.5 * self.size[body] * self.vector()

    def constraints(self):
        """Of the configuration as written: all rows over the bodies' velocities, scaled by masses, and their rates."""
        return constraints(self.model)


def constraints(model):
    mechanism = Mechanism(model)
    state = State.as_written(mechanism)
    found = [row for name in mechanism.joints for row in rows(state, name)]
    J = np.array([row.jet.row for row in found], dtype=float).reshape(-1, state.n)[:, mechanism.free:]
    rates = np.array([row.jet.rate for row in found], dtype=float)
    values = np.array([0 if row.velocity_level else row.jet.value for row in found], dtype=float)
    return mechanism, state, J, rates, values


def rank(J, tolerance=1e-9):
    """Rank and how well the least direction that counts stands out."""
    if not len(J):
        return 0, 1.0
    heights = np.linalg.norm(J, axis=1, keepdims=True)
    J = J / np.where(heights > 0, heights, 1)
    values = np.linalg.svd(J, compute_uv=False)
    counted = values[values > tolerance]
    return len(counted), counted[-1]
