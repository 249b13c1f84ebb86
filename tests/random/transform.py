"""The same mechanism elsewhere, turned, mirrored, or in other units: the model that describes it, and what its results
must be.

x' = a Q x + shift, masses times b, times times c. Bodies' own axes are mirrored, too (P), so that they stay right-handed; where
orientations are driven they are turned and mirrored as the global ones are, so that rotation vectors and angles are.
"""
import copy

import numpy as np

import formula
import rotation
import signals
import tires
from jet import real
from mechanism import GROUND, Mechanism, joints_of, orientation_of


class Change:
    def __init__(self, Q=None, shift=None, a=1.0, b=1.0, c=1.0, carried=False):
        self.Q = np.eye(3) if Q is None else np.asarray(Q, dtype=float)
        self.shift = np.zeros(3) if shift is None else np.asarray(shift, dtype=float)
        self.a, self.b, self.c = a, b, c
        self.sign = 1.0 if np.linalg.det(self.Q) > 0 else -1.0
        self.P = self.Q.T if carried else np.eye(3) if self.sign > 0 else np.diag([1.0, -1.0, 1.0])
        # in the plane: a body's angle becomes turn + sign * angle
        F = self.Q @ self.P
        self.turn = float(np.arctan2(F[1, 0], F[0, 0]))
        self.force, self.energy = a * b / c**2, b * (a / c)**2

    def place(self, x):
        return self.a * self.Q @ x + self.shift

    def freedom(self, which):
        """The factor of an angle or a displacement."""
        return self.sign if which == "angle" else self.a


class Transformer:
    def __init__(self, model, change):
        self.old, self.change = Mechanism(model), change
        self.planar = self.old.planar
        self.model = copy.deepcopy(model)

    # --- values ---

    def numbers(self, v):
        return [float(x) for x in (v[:2] if self.planar else v)]

    def name(self, name):
        """What stands for an old name in a new formula."""
        c = self.change
        if name in self.old.parameters:
            return None
        if name == "t":
            return f"t/{c.c!r}"
        if "." not in name:  # signals keep their values
            return f"{c.c!r}*{name}" if name.endswith("'") else None
        owner, _, key = name.rpartition(".")
        if owner in self.old.events:
            return None
        if owner in self.old.joints or owner in self.old.shafts:
            factor = {"angle": 1 / c.sign, "rate": c.c / c.sign, "displacement": 1 / c.a, "speed": c.c / c.a}[key]
            return f"{float(factor)!r}*{name}"
        if owner in self.old.forces:
            return f"{({'length': 1 / c.a, 'rate': c.c / c.a}[key])!r}*{name}"
        if key == "angle":
            return f"{c.sign!r}*({name} - {c.turn!r})"
        if key == "omega":
            return f"{float(c.sign * c.c)!r}*{name}"
        k, kind = "xyz".index(key[-1]), key[:-1]
        factor = {"": 1 / c.a, "v": c.c / c.a, "w": c.sign * c.c}[kind]
        letters = "xy" if self.planar else "xyz"
        shift = c.shift if kind == "" else np.zeros(3)
        return " + ".join(f"{float(factor * c.Q[j, k])!r}*({owner}.{kind}{letter} - {float(shift[j])!r})" if shift[j] else
                          f"{float(factor * c.Q[j, k])!r}*{owner}.{kind}{letter}" for j, letter in enumerate(letters))

    def value(self, text, factor):
        """A number or formula times a factor."""
        if isinstance(text, str):
            return f"{float(factor)!r}*({formula.substitute(text, self.name)})"
        return float(text * factor)

    def combined(self, entries, matrix):
        """matrix @ entries, of numbers and formulas"""
        n = len(entries)
        if not any(isinstance(x, str) for x in entries):
            return [float(x) for x in matrix[:n, :n] @ np.array(entries, dtype=float)]
        return [" + ".join(f"({self.value(entries[k], matrix[j, k])})" if isinstance(entries[k], str) else
                           f"({float(matrix[j, k] * entries[k])!r})" for k in range(n)) for j in range(n)]

    def axis(self, body, v):
        """A direction in the axes of a body, or of the ground."""
        return self.numbers((self.change.Q if body == GROUND else self.change.P.T) @ np.asarray(self.old.vector(v), dtype=float))

    # --- parts ---

    def body(self, name, entry):
        c, old = self.change, self.old.bodies[self.old.index[name]]
        entry["mass"] = float(old.mass * c.b)
        I = np.asarray(old.inertia, dtype=float)
        if self.planar:
            entry["inertia"] = float(I[2, 2] * c.b * c.a**2)
            entry["angle"] = c.turn + c.sign * float(self.old.number(entry.get("angle", 0)))
        else:
            I = c.b * c.a**2 * c.P.T @ I @ c.P
            entry["inertia"] = [float(x) for x in (I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2])]
            R = real(c.Q) @ old.R @ real(c.P)
            entry["orientation"] = {"quaternion": [float(x) for x in rotation.to_quaternion(R)]}
        entry["position"] = self.numbers(c.place(np.asarray(old.x, dtype=float)))
        if "com" in entry:
            entry["com"] = self.numbers(c.a * c.P.T @ np.asarray(old.com, dtype=float))
        if "points" in entry:
            entry["points"] = {p: self.numbers(c.a * c.P.T @ np.asarray(u, dtype=float)) for p, u in old.points.items()}
        if "velocity" in entry:
            entry["velocity"] = self.numbers(c.a / c.c * c.Q @ np.asarray(self.old.vector(entry["velocity"]), dtype=float))
        if "angular-velocity" in entry:
            w = entry["angular-velocity"]
            entry["angular-velocity"] = (c.sign / c.c * w if self.planar else
                                         [float(x) for x in c.sign / c.c * c.Q @ np.array(w, dtype=float)])
        if "gravity" in entry:
            entry["gravity"] = self.gravity(entry["gravity"])

    def gravity(self, g):
        c = self.change
        return self.numbers(c.a / c.c**2 * c.Q @ np.asarray(self.old.vector(g), dtype=float))

    def connection(self, entry):
        c = self.change
        if "connect" in entry and "at" not in entry:
            entry["connect"] = [self.origin() if text == GROUND else text for text in entry["connect"]]
        if "at" in entry:
            entry["at"] = self.numbers(c.place(np.asarray(self.old.vector(entry["at"]), dtype=float)))
        if entry["type"] == "roller":
            entry["axis"] = "xy"[int(np.argmax(np.abs(c.Q[:2, "xy".index(entry["axis"])])))]
        elif "axis" in entry and entry["type"] != "tire":
            entry["axis"] = self.axis(GROUND, entry["axis"])
        if "axes" in entry:
            bodies = [text.partition(".")[0] for text in entry["connect"]]
            entry["axes"] = [self.axis(body, v) for body, v in zip(bodies, entry["axes"])]

    def origin(self):
        """The ground's origin, which may have moved."""
        if not self.change.shift.any():
            return GROUND
        self.model.setdefault("ground", {}).setdefault("points", {})["O_"] = self.numbers(self.change.shift)
        return f"{GROUND}.O_"

    def coordinate(self, text):
        """An old coordinate as a sum of new ones, and what is left over."""
        c = self.change
        freedom = self.old.freedom(text)
        if freedom:
            return {text: 1 / c.freedom(freedom[1])}, 0.0
        owner, _, key = text.rpartition(".")
        if key == "angle":
            return {text: c.sign}, -c.sign * c.turn
        k = "xyz".index(key)
        terms = {f"{owner}.{letter}": c.Q[j, k] / c.a for j, letter in enumerate("xy" if self.planar else "xyz") if c.Q[j, k]}
        return terms, -float(c.Q[:, k] @ c.shift) / c.a

    def joint(self, entry):
        c, kind = self.change, entry["type"]
        self.connection(entry)
        if "length" in entry:
            entry["length"] = self.value(entry["length"], c.a)
        if "radius" in entry:
            entry["radius"] = float(c.a * self.old.number(entry["radius"]))
        if "pitch" in entry:
            entry["pitch"] = float(c.sign * c.a * self.old.number(entry["pitch"]))
        if kind == "gear":
            first, second = (c.freedom(self.old.freedom(text)[1]) for text in entry["joints"])
            entry["ratio"] = float(second / first * self.old.number(entry["ratio"]))
        if kind == "coordinate":
            terms, left = {}, 0.0
            for name, factor in entry["sum"].items():
                new, rest = self.coordinate(name)
                left += rest * factor
                for term, share in new.items():
                    terms[term] = terms.get(term, 0.0) + share * factor
            entry["sum"] = {name: float(x) for name, x in terms.items() if x}
            entry["value"] = self.shifted(self.value(entry.get("value", 0.0), 1), -left)
        if "rate" in entry:
            entry["rate"] = self.value(entry["rate"], c.freedom("angle" if entry["of"].endswith("rate") else "displacement") / c.c)
        elif "rotation" in entry:
            entry["rotation"] = self.combined(entry["rotation"], c.sign * c.Q)
        elif kind == "driver" and orientation_of(entry["of"]):
            entry["of"], factor, shift = euler_driver(c, entry["of"])
            entry["value"] = self.shifted(self.value(entry["value"], factor), shift)
        elif kind == "driver":
            terms, left = self.coordinate(entry["of"])
            (entry["of"], factor), = terms.items()
            entry["value"] = self.shifted(self.value(entry["value"], 1 / factor), -left / factor)

    def signals(self):
        c, model = self.change, self.model
        for part in ("inputs", "variables"):
            for name, text in model.get(part, {}).items():
                smooth = signals.filter_of(self.old, name)
                model[part][name] = (f"smooth({self.value(smooth[0], 1)}, {float(c.c * smooth[1])!r})" if smooth else
                                     self.value(text, 1) if isinstance(text, str) else text)
        for entry in model.get("states", {}).values():
            if "rate" in entry:
                entry["rate"] = self.value(entry["rate"], 1 / c.c)
        for entry in model.get("events", {}).values():
            entry["when"] = self.value(entry["when"], 1)
            if "set" in entry:
                entry["set"] = {name: self.value(text, 1) for name, text in entry["set"].items()}

    @staticmethod
    def shifted(value, by):
        if not by:
            return value
        return f"{value} + {float(by)!r}" if isinstance(value, str) else value + by

    def element(self, entry):
        c, kind = self.change, entry["type"]
        self.connection(entry)
        turn = c.P.T if entry.get("frame") == "body" else c.Q
        if kind == "force":
            entry["value"] = self.combined(entry["value"], c.force * turn)
        elif kind == "torque":
            entry["value"] = (self.value(entry["value"], c.sign * c.energy) if self.planar else
                              self.combined(entry["value"], c.sign * c.energy * turn))
        elif kind == "spring-damper":
            self.scale(entry, stiffness=c.b / c.c**2, damping=c.b / c.c, length=c.a)
        elif kind == "torsion-spring-damper":
            self.scale(entry, stiffness=c.energy, damping=c.energy * c.c, angle=c.sign)
        elif kind == "actuator":
            self.scale(entry, value=c.energy / c.freedom(self.old.freedom(entry["of"])[1]) if "of" in entry else c.force)
        elif kind == "bushing":
            self.bushing(entry)
        elif kind == "tire":
            self.tire(entry)
        elif kind == "load":
            turn = c.Q if entry["connect"][0].partition(".")[0] == GROUND else c.P.T
            if "force" in entry:
                entry["force"] = self.combined(entry["force"], c.force * turn)
            if "torque" in entry:
                entry["torque"] = (self.value(entry["torque"], c.sign * c.energy) if self.planar else
                                   self.combined(entry["torque"], c.sign * c.energy * turn))

    def tire(self, entry):
        """Q turns about the vertical, or mirrors: then the axis still points to the left of the travel, on the other side."""
        c = self.change
        entry["axis"] = self.numbers(c.sign * c.P.T @ np.array(entry["axis"], dtype=float))
        if c.sign < 0:
            entry["side"] = "left" if entry["side"] == "right" else "right"

    def scale(self, entry, **factors):
        for key, factor in factors.items():
            if key in entry:
                entry[key] = self.value(entry[key], factor)

    def bushing(self, entry):
        c = self.change
        if self.planar:
            turn = np.zeros((3, 3))
            turn[:2, :2], turn[2, 2] = c.Q[:2, :2], c.sign
            units = np.diag([1, 1, c.a])
        else:
            turn = np.block([[c.P.T, np.zeros((3, 3))], [np.zeros((3, 3)), c.sign * c.P.T]])
            units = np.diag([1, 1, 1, c.a, c.a, c.a])
            form = self.old.orientation(entry.get("orientation", {"quaternion": [1, 0, 0, 0]}))
            B = np.asarray(rotation.from_form(form), dtype=float)
            entry["orientation"] = {"matrix": (c.Q @ B @ c.P).tolist()}
        for key, factor in (("stiffness", c.b / c.c**2), ("damping", c.b / c.c)):
            if key in entry:
                K = np.array(entry[key], dtype=float)
                K = turn @ (np.diag(K) if K.ndim == 1 else K) @ turn.T
                K = factor * units @ K @ units
                entry[key] = ((K + K.T) / 2).tolist() if key == "stiffness" else K.tolist()
        if "preload" in entry:
            entry["preload"] = (c.force * units @ turn @ np.array(entry["preload"], dtype=float)).tolist()

    def initial(self):
        c, found = self.change, {}
        for name, value in self.model.get("initial", {}).items():
            owner, _, key = name.rpartition(".")
            if owner in self.old.joints or owner in self.old.shafts:
                found[name] = value * {"angle": c.sign, "rate": c.sign / c.c, "displacement": c.a, "speed": c.a / c.c}[key]
            elif key in ("angle", "omega"):
                found[name] = c.turn + c.sign * value if key == "angle" else c.sign / c.c * value
            else:  # Q maps axes onto axes
                kind, k = key[:-1], "xyz".index(key[-1])
                j = int(np.argmax(np.abs(c.Q[:, k])))
                factor = {"": c.a, "v": c.a / c.c, "w": c.sign / c.c}[kind]
                found[f"{owner}.{kind}{'xyz'[j]}"] = float(c.Q[j, k] * factor * value + (c.shift[j] if kind == "" else 0))
        if found:
            self.model["initial"] = found

    def __call__(self):
        model, c = self.model, self.change
        if "gravity" in model:
            model["gravity"] = self.gravity(model["gravity"])
        if "points" in model.get("ground", {}):
            model["ground"]["points"] = {p: self.numbers(c.place(np.asarray(u, dtype=float)))
                                         for p, u in self.old.bodies[0].points.items()}
        for name, entry in model["bodies"].items():
            self.body(name, entry)
        for entry in model.get("shafts", {}).values():
            entry["inertia"] = float(c.b * c.a**2 * self.old.number(entry["inertia"]))
            if "initial-rate" in entry:
                entry["initial-rate"] *= c.sign / c.c
        self.signals()
        for entry in model.get("joints", {}).values():
            self.joint(entry)
        for entry in model.get("forces", {}).values():
            self.element(entry)
        for name, file in model.get("_tires", {}).items():
            model["_tires"][name] = tires.scaled(file, c)
        self.initial()
        return model


def euler_driver(change, of):
    """What the driver of an angle becomes: what it drives, the factor of its value and what is added. Rotations about an axis
    are by the mirrored angle about the new one; where the second angle would leave its range, the outer ones turn by half a turn."""
    body, (sequence, which) = orientation_of(of)
    axes = [change.Q[:, "xyz".index(letter)] for letter in sequence]
    letters = ["xyz"[int(np.argmax(np.abs(axis)))] for axis in axes]
    signs = [change.sign * float(axis[np.argmax(np.abs(axis))]) for axis in axes]
    if which == 1:
        factor = signs[1] if sequence[0] != sequence[2] else 1.0
        return f"{body}.{''.join(letters)}2", factor, 0.0
    flips = sequence[0] == sequence[2] and signs[1] < 0
    return f"{body}.{''.join(letters)}{which + 1}", signs[which], np.pi if flips else 0.0


def is_carried(model):
    """Whether orientations are driven."""
    return any(joint["type"] == "driver" and orientation_of(joint["of"]) for joint in joints_of(model).values())


def needs_axes(model):
    """Whether global axes are named, so that Q may only map axes onto axes."""
    mechanism = Mechanism(model)
    for entry in model.get("joints", {}).values():
        of_point = (entry["type"] == "driver" and "rate" not in entry and "rotation" not in entry and not mechanism.freedom(entry["of"]) and
                    not entry["of"].endswith("angle"))
        if entry["type"] == "roller" or of_point:
            return True
    return any(name.partition(".")[0] in model["bodies"] and not name.endswith(("omega", "angle")) for name in model.get("initial", {}))


def transformed(model, change):
    return Transformer(model, change)()


# --- results ---

def predict(model, change, row):
    """What a row of the original run becomes: every measure that is a vector, an angle or a number with a unit."""
    c, mechanism = change, Mechanism(model)
    letters = "xy" if mechanism.planar else "xyz"
    new = {"t": row["t"] * c.c}
    get = lambda owner, prefix: np.array([row[f"{owner}.{prefix}{x}"] for x in letters] + [0] * (3 - len(letters)))

    def put(owner, prefix, vector):
        new.update({f"{owner}.{prefix}{x}": value for x, value in zip(letters, vector)})

    for body in mechanism.bodies[1:]:
        for owner in [body.name] + [f"{body.name}.{p}" for p in body.points]:
            put(owner, "", c.place(get(owner, "")))
            put(owner, "v", c.a / c.c * c.Q @ get(owner, "v"))
            put(owner, "a", c.a / c.c**2 * c.Q @ get(owner, "a"))
        b = body.name
        for keys, factor in (("u v w", c.a / c.c), ("aX aY aZ", c.a / c.c**2), ("p q r", c.sign / c.c)):
            keys = [key for key in keys.split() if f"{b}.{key}" in row]
            own = np.array([row[f"{b}.{key}"] for key in keys] + [0] * (3 - len(keys)))
            new.update({f"{b}.{key}": value for key, value in zip(keys, factor * np.asarray(c.P, dtype=float).T @ own)})
        if mechanism.planar:
            new[f"{b}.angle"] = c.turn + c.sign * row[f"{b}.angle"]
            new[f"{b}.omega"], new[f"{b}.alpha"] = c.sign / c.c * row[f"{b}.omega"], c.sign / c.c**2 * row[f"{b}.alpha"]
        else:
            put(b, "w", c.sign / c.c * c.Q @ get(b, "w"))
            put(b, "alpha", c.sign / c.c**2 * c.Q @ get(b, "alpha"))
            R = real(c.Q) @ rotation.from_quaternion([row[f"{b}.q{x}"] for x in "wxyz"]) @ real(c.P)
            new.update({f"{b}.q{x}": float(q) for x, q in zip("wxyz", rotation.to_quaternion(R))})
    for name, joint in mechanism.joints.items():
        for which in mechanism.freedoms(joint):
            rate = {"angle": "rate", "displacement": "speed"}[which]
            new[f"{name}.{which}"] = c.freedom(which) * row[f"{name}.{which}"]
            new[f"{name}.{rate}"] = c.freedom(which) / c.c * row[f"{name}.{rate}"]
        # components of a rotation vector mix, and so do torques along them: efforts tell them, below
        if f"{name}.fx" in row and not (is_rotation(joint) and not np.array_equal(c.Q, np.eye(3))):
            put(name, "f", c.force * c.Q @ get(name, "f"))
            if mechanism.planar:
                new[f"{name}.tz"] = c.sign * c.energy * row[f"{name}.tz"]
            else:
                put(name, "t", c.sign * c.energy * c.Q @ get(name, "t"))
            new[f"{name}.f"], new[f"{name}.t"] = c.force * row[f"{name}.f"], c.energy * row[f"{name}.t"]
        if f"{name}.effort" in row and is_rotation(joint):
            efforts = np.array([row[f"{name[:-1]}{x}.effort"] for x in "xyz"])
            new[f"{name}.effort"] = float(c.energy * c.sign * (c.Q @ efforts)["xyz".index(name[-1])])
        elif f"{name}.effort" in row:
            new[f"{name}.effort"] = c.energy / effort_unit(mechanism, change, joint) * row[f"{name}.effort"]
    for name, entry in mechanism.forces.items():
        if entry["type"] == "tire":  # in the tire's own axes
            put(name, "", c.place(get(name, "")))
            factors = {"fx": c.force, "fy": c.sign * c.force, "fz": c.force, "mx": c.sign * c.energy, "my": c.energy, "mz": c.sign * c.energy,
                       "kappa": 1, "alpha": c.sign, "gamma": c.sign, "deflection": c.a, "speed": c.a / c.c}
            new.update({f"{name}.{key}": factor * row[f"{name}.{key}"] for key, factor in factors.items()})
            continue
        if f"{name}.fx" in row:
            put(name, "f", c.force * c.Q @ get(name, "f"))
        if f"{name}.tx" in row:
            put(name, "t", c.sign * c.energy * c.Q @ get(name, "t"))
        elif f"{name}.tz" in row:
            new[f"{name}.tz"] = c.sign * c.energy * row[f"{name}.tz"]
        turns = entry["type"] == "torsion-spring-damper" or "of" in entry and mechanism.freedom(entry["of"])[1] == "angle"
        factors = ({"angle": c.sign, "rate": c.sign / c.c, "torque": c.sign * c.energy} if turns else
                   {"length": c.a, "rate": c.a / c.c, "force": c.force})
        new.update({f"{name}.{key}": factor * row[f"{name}.{key}"] for key, factor in factors.items() if f"{name}.{key}" in row})
    for name in mechanism.shafts:
        new[f"{name}.angle"], new[f"{name}.rate"] = c.sign * row[f"{name}.angle"], c.sign / c.c * row[f"{name}.rate"]
    new.update({name: row[name] for part in (mechanism.inputs, mechanism.variables, mechanism.states) for name in part})
    new.update({f"{name}.count": row[f"{name}.count"] for name in mechanism.events})
    new.update({f"{name}'": row[f"{name}'"] / c.c for name in mechanism.states})
    weight = sum(float(body.mass) * np.asarray(body.gravity, dtype=float) for body in mechanism.bodies)
    raised = -c.force * c.Q @ weight @ c.shift
    for key in ("kinetic", "work", "error"):
        new[f"energy.{key}"] = c.energy * row[f"energy.{key}"]
    for key in ("potential", "total"):
        new[f"energy.{key}"] = c.energy * row[f"energy.{key}"] + raised
    p = c.b * c.a / c.c * c.Q @ get("momentum", "p")
    put("momentum", "p", p)
    l = np.array([0, 0, row["momentum.lz"]]) if mechanism.planar else get("momentum", "l")
    l = c.sign * c.b * c.a**2 / c.c * c.Q @ l if not mechanism.planar else c.sign * c.b * c.a**2 / c.c * l
    l = l + np.cross(c.shift, p)
    if mechanism.planar:
        new["momentum.lz"] = l[2]
    else:
        put("momentum", "l", l)
    return new


def is_rotation(joint):
    """Whether a driver is that of a component of the rotation vector."""
    what = joint["type"] == "driver" and "value" in joint and orientation_of(joint["of"])
    return bool(what) and isinstance(what[1], int)


def effort_unit(mechanism, change, joint):
    """The factor of what an effort acts along."""
    c, kind = change, joint["type"]
    if kind == "gear":
        return c.freedom(mechanism.freedom(joint["joints"][1])[1])
    if kind == "screw":
        return c.a
    if kind == "coordinate":
        return 1.0  # its sum keeps its value
    if "rate" in joint:
        return c.freedom("angle" if joint["of"].endswith("rate") else "displacement")
    freedom = mechanism.freedom(joint["of"])
    if freedom:
        return c.freedom(freedom[1])
    if orientation_of(joint["of"]):
        return 1.0 if is_rotation(joint) else euler_driver(c, joint["of"])[1]
    key = joint["of"].rpartition(".")[2]
    if key == "angle":
        return c.sign
    k = "xyz".index(key)
    return c.a * c.Q[int(np.argmax(np.abs(c.Q[:, k]))), k]
