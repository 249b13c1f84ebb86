"""The mechanism of a model file, in numbers: read from the description itself, sharing nothing with the program.

Everything is in space; a planar body lies in z = 0 and has three velocities in place of six. The ground is body 0. Shafts
have one velocity each, behind those of the bodies.
"""
import numpy as np

import formula
import rotation
from jet import Real, real

GROUND = "ground"
# joint: the freedoms it has; what has none is not listed
FREEDOMS = {
    "revolute": ("angle",), "prismatic": ("displacement",), "point-on-line": ("displacement",),
    "cylindrical": ("angle", "displacement"), "screw": ("angle", "displacement"),
}


def joints_of(description):
    """All joints: a driver of a rotation vector stands for three."""
    found = {}
    for name, joint in description.get("joints", {}).items():
        if "rotation" in joint:
            found.update({f"{name}_{c}": {"type": "driver", "of": f"{joint['of']}.r{c}", "value": law} for c, law in zip("xyz", joint["rotation"])})
        else:
            found[name] = joint
    return found


def orientation_of(of):
    """Body, and what a driver drives of its orientation: a component of the rotation vector (0, 1, 2), or an Euler angle (sequence
    and which); None where it is something else."""
    body, _, key = of.rpartition(".")
    if key in ("rx", "ry", "rz"):
        return body, "xyz".index(key[1])
    if key in ("yaw", "pitch", "roll"):
        return body, ("zyx", ("yaw", "pitch", "roll").index(key))
    return (body, (key[:3], int(key[3]) - 1)) if key[:3] in rotation.EULER else None


class Body:
    def __init__(self, name, x, R, mass=0, inertia=np.zeros((3, 3)), com=(0, 0, 0), points=None, gravity=(0, 0, 0)):
        self.name, self.x, self.R = name, real(x), real(R)
        self.mass, self.inertia, self.com = Real(mass), real(inertia), real(com)
        self.points, self.gravity = points or {}, real(gravity)

    def at(self, u):
        """global, as written"""
        return self.x + self.R @ u

    def local(self, r):
        return self.R.T @ (real(r) - self.x)


class Mechanism:
    def __init__(self, description):
        self.description = description
        self.planar = description["space"] == "planar"
        self.parameters = {}
        for name, text in description.get("parameters", {}).items():
            self.parameters[name] = formula.evaluate(text, self.parameters.__getitem__)
        self.gravity = self.vector(description.get("gravity", [0, 0, 0]))
        self.bodies = [self.ground(description.get("ground", {}))]
        self.bodies += [self.body(name, entry) for name, entry in description["bodies"].items()]
        self.index = {body.name: i for i, body in enumerate(self.bodies)}
        self.joints = joints_of(description)
        self.shafts = {name: self.number(entry["inertia"]) for name, entry in description.get("shafts", {}).items()}
        self.inputs, self.variables, self.states, self.events = (description.get(part, {}) for part in ("inputs", "variables", "states", "events"))
        self.forces = description.get("forces", {})
        self.count = len(self.bodies)
        self.free = 3 if self.planar else 6  # velocities of a body
        self.moved = self.free * self.count  # of all bodies; behind them those of shafts
        self.length = self.characteristic_length()

    # --- values ---

    def number(self, text):
        return formula.evaluate(text, self.parameters.__getitem__)

    def vector(self, entry):
        """Planar ones get a zero for z."""
        numbers = [self.number(x) for x in entry]
        return real(numbers + [0] * (3 - len(numbers)))

    def is_constant(self, text):
        return all(name in self.parameters for name in formula.names(text))

    # --- bodies ---

    def points(self, entry):
        return {name: self.vector(point) for name, point in entry.get("points", {}).items()}

    def ground(self, entry):
        return Body(GROUND, [0, 0, 0], np.eye(3), points=self.points(entry))

    def body(self, name, entry):
        if self.planar:
            R = rotation.planar(self.number(entry.get("angle", 0)))
            inertia = np.diag(real([0, 0, self.number(entry["inertia"])]))
        else:
            R = rotation.from_form(self.orientation(entry.get("orientation", {"quaternion": [1, 0, 0, 0]})))
            I = [self.number(x) for x in entry["inertia"]] + [Real(0)] * 3
            inertia = real([[I[0], I[3], I[4]], [I[3], I[1], I[5]], [I[4], I[5], I[2]]])
        return Body(name, self.vector(entry.get("position", [0, 0, 0])), R, self.number(entry["mass"]), inertia,
                    self.vector(entry.get("com", [0, 0, 0])), self.points(entry),
                    self.vector(entry["gravity"]) if "gravity" in entry else self.gravity)

    def orientation(self, form):
        def numbers(x):
            return [numbers(y) for y in x] if isinstance(x, list) else self.number(x)
        return {key: value if key == "euler" else numbers(value) for key, value in form.items()}

    def characteristic_length(self):
        """What torques are divided by where least norms are taken: the largest distance between joints' points and centre of
        mass of one body; else the ball around all of them."""
        distance = lambda a, b: np.sqrt(np.sum((a - b)**2))
        places = [[body.com] for body in self.bodies]
        for joint in self.joints.values():
            for b, u in self.driven_ends(joint) if joint["type"] == "driver" else self.ends(joint) if "connect" in joint else ():
                places[b].append(u)
        length = max(distance(a, b) for own in places[1:] for a in own for b in own)
        digits = 1e-12 * np.abs([[body.x, body.com] for body in self.bodies]).max()
        if length <= digits:
            centres = np.array([body.at(body.com) for body in self.bodies[1:]])
            length = 2 * max(distance(centre, centres.mean(axis=0)) for centre in centres)
        return length if length > digits else Real(1)

    # --- connections ---

    def end(self, text, at=None):
        """Body and place in its axes."""
        name, _, point = text.partition(".")
        body = self.bodies[self.index[name]]
        if point:
            return self.index[name], body.points[point]
        return self.index[name], body.local(at) if at is not None else np.zeros(3, dtype=Real)

    def ends(self, entry):
        at = self.vector(entry["at"]) if "at" in entry else None
        return [self.end(text, at) for text in entry["connect"]]

    def axes(self, entry):
        """The directions of both sides, in their bodies' axes."""
        if "axes" in entry:
            return [rotation.unit(self.vector(axis)) for axis in entry["axes"]]
        axis = rotation.unit(self.vector(entry["axis"]))
        return [self.bodies[b].R.T @ axis for b, _ in self.ends(entry)]

    def freedoms(self, joint):
        """Names of the freedoms of a joint entry."""
        if joint["type"] == "rolling":
            return ("angle", "displacement") if self.planar else ()
        return FREEDOMS.get(joint["type"], ())

    def freedom(self, text):
        """"J", "J.angle", "J.displacement" or a shaft's: whose and which; None where it is of a body"""
        name, _, which = text.partition(".")
        if name in self.shafts:
            return name, "angle"
        if name not in self.joints:
            return None
        return name, which or self.freedoms(self.joints[name])[0]

    def driven_ends(self, joint):
        """Of a driver: the ends of its joint, or the point it drives; angles of bodies are driven at their centres of mass."""
        freedom = self.freedom(joint["of"])
        if freedom:
            return self.ends(self.joints[freedom[0]]) if freedom[0] in self.joints else []
        owner, _, key = joint["of"].rpartition(".")
        turns = key == "angle" or orientation_of(joint["of"])
        return [(self.index[owner], self.bodies[self.index[owner]].com) if turns else self.end(owner)]
