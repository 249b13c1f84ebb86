"""Tires on a flat road: property files of few coefficients, contact, and the Magic Formula 5.2 of pure slip.

A model has its property files as numbers, by name, under "_tires". With relaxation (use mode 13) slips hang on states that are no
columns: the forces of a row are taken as they are, and the motion follows from them.
"""
import numpy as np

import rotation
from jet import Real, real

UP = real([0, 0, 1])
SECTIONS = {
    "DIMENSION": ("UNLOADED_RADIUS",), "VERTICAL": ("VERTICAL_STIFFNESS", "VERTICAL_DAMPING", "FNOMIN"),
    "LONGITUDINAL_COEFFICIENTS": ("PCX1", "PDX1", "PDX2", "PDX3", "PEX1", "PEX2", "PKX1", "PKX2", "PKX3", "PTX1"),
    "LATERAL_COEFFICIENTS": ("PCY1", "PDY1", "PDY2", "PDY3", "PEY1", "PEY2", "PKY1", "PKY2", "PKY3", "PHY1", "PVY1", "PTY1", "PTY2"),
    "ALIGNING_COEFFICIENTS": ("QBZ1", "QCZ1", "QDZ1"), "ROLLING_COEFFICIENTS": ("QSY1",),
}
B, D, F = 8.4, 0.27, 0.07  # of the effective radius, by default
TOUCH = 0.1  # of the nominal deflection: below it damping is not whole


def text(file):
    """A property file."""
    lines = ["[UNITS]", "LENGTH = 'meter'", "FORCE = 'newton'", "ANGLE = 'radians'", "MASS = 'kg'", "TIME = 'second'", "[MODEL]",
             "PROPERTY_FILE_FORMAT = 'PAC2002'", f"USE_MODE = {file['USE_MODE']}", f"VXLOW = {file['VXLOW']!r}",
             f"LONGVL = {file['LONGVL']!r}", "TYRESIDE = 'LEFT'"]
    for section, keys in SECTIONS.items():
        lines += [f"[{section}]", *(f"{key} = {file[key]!r}" for key in keys)]
    return "\n".join(lines) + "\n"


def scaled(file, change):
    """The same tire in other units."""
    units = {"UNLOADED_RADIUS": change.a, "VERTICAL_STIFFNESS": change.b / change.c**2, "VERTICAL_DAMPING": change.b / change.c,
             "FNOMIN": change.force, "VXLOW": change.a / change.c, "LONGVL": change.a / change.c}
    return {key: value * units[key] if key in units else value for key, value in file.items()}


def magic(x, stiffness, shape, peak, bend):
    """D sin(C atan(Bx - E(Bx - atan Bx)))"""
    b = stiffness / (shape * peak) * x
    return peak * np.sin(shape * np.arctan(b - min(bend, Real(1)) * (b - np.arctan(b))))


def forces(p, load, kappa, alpha, gamma):
    """Fx, Fy, Mz and My of a wheel that rolls forward, measured on its side."""
    df = load / p["FNOMIN"] - 1
    fx = magic(kappa, load * (p["PKX1"] + p["PKX2"] * df) * np.exp(p["PKX3"] * df), p["PCX1"],
               load * (p["PDX1"] + p["PDX2"] * df) * (1 - p["PDX3"] * gamma**2), p["PEX1"] + p["PEX2"] * df)
    stiffness = p["PKY1"] * p["FNOMIN"] * np.sin(2 * np.arctan(load / (p["PKY2"] * p["FNOMIN"]))) * (1 - p["PKY3"] * abs(gamma))
    fy = magic(alpha + p["PHY1"], stiffness, p["PCY1"], load * (p["PDY1"] + p["PDY2"] * df) * (1 - p["PDY3"] * gamma**2),
               p["PEY1"] + p["PEY2"] * df) + load * p["PVY1"]
    trail = load * p["QDZ1"] * p["UNLOADED_RADIUS"] / p["FNOMIN"] * np.cos(p["QCZ1"] * np.arctan(p["QBZ1"] * alpha)) * np.cos(alpha)
    return fx, fy, -trail * fy, -p["UNLOADED_RADIUS"] * load * p["QSY1"]


def least_deflection(mechanism, entry):
    """From which on all of the damping acts."""
    p = mechanism.description["_tires"][entry["file"]]
    return TOUCH * p["FNOMIN"] / p["VERTICAL_STIFFNESS"]


class Wheel:
    """The contact of one tire."""

    def __init__(self, state, entry):
        mechanism = state.mechanism
        self.body = i = mechanism.index[entry["wheel"]]
        p = self.file = {key: Real(value) if isinstance(value, float) else value for key, value in
                         mechanism.description["_tires"][entry["file"]].items()}
        centre = state.point(i, mechanism.bodies[i].points[entry["centre"]] if "centre" in entry else np.zeros(3))
        a = state.R[i] @ rotation.unit(mechanism.vector(entry.get("axis", [0, 1, 0])))
        w, n, h = state.w[i], UP, centre.value[2]
        sine = np.sum(a * n)
        cosine = np.sqrt(1 - sine**2)
        self.gamma = np.arcsin(sine)
        self.along = rotation.cross(a, n) / cosine
        self.across = rotation.cross(n, self.along)
        self.contact = centre.value + h / cosine**2 * (a * sine - n)
        self.deflection = p["UNLOADED_RADIUS"] - h / cosine
        rate = -centre.rate[2] / cosine - h * sine * np.sum(rotation.cross(w, a) * n) / cosine**3
        nominal = p["FNOMIN"] / p["VERTICAL_STIFFNESS"]
        pressed = max(self.deflection, Real(0)) / nominal
        radius = p["UNLOADED_RADIUS"] - nominal * (D * np.arctan(B * pressed) + F * pressed)
        spin = np.sum(w * a)
        v = centre.rate + rotation.cross(w - spin * a, self.contact - centre.value)
        self.speed = np.sum(v * self.along)
        self.kappa = -(self.speed - spin * radius) / abs(self.speed)
        self.alpha = np.arctan(np.sum(v * self.across) / abs(self.speed))
        self.load = max(p["VERTICAL_STIFFNESS"] * self.deflection + p["VERTICAL_DAMPING"] * rate, Real(0))
        # rolls forward, fast enough, on a road that it touches well; without relaxation
        self.known = p["USE_MODE"] == 3 and self.speed > p["VXLOW"] and self.deflection > TOUCH * nominal and self.load > 0
        self.lifted = self.deflection <= 0
        self.side = -1 if entry["side"] == "right" else 1

    def push(self):
        """fx, fy, fz, mx, my, mz"""
        fx, fy, mz, my = forces(self.file, self.load, self.kappa, self.side * self.alpha, self.side * self.gamma)
        return real([fx, self.side * fy, self.load, 0, my, self.side * mz])


def load_of(state, name, entry):
    """Force over all velocities, and measures."""
    wheel = Wheel(state, entry)
    push = np.zeros(6, dtype=Real) if wheel.lifted else wheel.push() if wheel.known else None
    if push is None:
        push = real([state.beyond.get(f"{name}.{key}", 0) for key in ("fx", "fy", "fz", "mx", "my", "mz")])
    axes = np.array([wheel.along, wheel.across, UP])
    effort = push[:3] @ axes @ state.columns_at(wheel.body, wheel.contact) + push[3:] @ axes @ state.spin_columns(wheel.body, np.eye(3))
    measures = dict(zip(("fx", "fy", "fz", "mx", "my", "mz"), push))
    measures.update(kappa=wheel.kappa, alpha=wheel.alpha, gamma=wheel.gamma, deflection=wheel.deflection, speed=wheel.speed)
    measures.update(zip("xyz", wheel.contact))
    return effort, measures
