"""Carriages on tires: a body, and wheels on axles that lean and toe a little, some of them sprung; they roll, slide and bounce."""
import numpy as np

import loads
import rotation

G = 9.81


def draw_file(s, load):
    """Few coefficients: pure slip, with the sides of the car unlike."""
    u = lambda low, high: float(s.rng.uniform(low, high))
    radius = u(0.25, 0.4)
    return {"USE_MODE": s.pick((3, 3, 13)), "VXLOW": 0.5, "LONGVL": 10.0, "UNLOADED_RADIUS": radius, "FNOMIN": load,
            "VERTICAL_STIFFNESS": load / (u(0.03, 0.08) * radius), "VERTICAL_DAMPING": load * u(0, 0.3),
            "PCX1": u(1.3, 1.7), "PDX1": u(0.8, 1.2), "PDX2": u(-0.2, 0), "PDX3": u(0, 1), "PEX1": u(-1, 0.6), "PEX2": u(-0.3, 0.3),
            "PKX1": u(10, 25), "PKX2": u(-1, 1), "PKX3": u(-0.3, 0.3), "PTX1": u(0.5, 2),
            "PCY1": u(1.2, 1.5), "PDY1": u(0.8, 1.1), "PDY2": u(-0.2, 0), "PDY3": u(-1, 1), "PEY1": u(-1, 0.6), "PEY2": u(-0.3, 0.3),
            "PKY1": -u(8, 20), "PKY2": u(1.5, 2.5), "PKY3": u(0, 0.5), "PHY1": u(-0.01, 0.01), "PVY1": u(-0.05, 0.05), "PTY1": u(0.5, 2),
            "PTY2": u(1, 2), "QBZ1": u(5, 10), "QCZ1": u(1, 1.2), "QDZ1": u(0.05, 0.12), "QSY1": u(0, 0.02)}


def draw(s):
    rng, count = s.rng, int(s.rng.integers(1, 5))
    s.model["gravity"] = [0.0, 0.0, -G]
    mass = s.decades(0, 1.5)
    s.model["_tires"] = {f"t{k + 1}.tir": draw_file(s, 1.3 * mass * G / count * s.decades(-0.2, 0.2)) for k in range(min(count, 2))}
    heading = np.asarray(rotation.planar(rng.uniform(-3, 3)), dtype=float)
    v, w = heading @ [rng.uniform(3, 10), 0.3 * rng.normal(), 0.1 * rng.normal()], np.append(0.1 * rng.normal(size=2), 0.5 * rng.normal())
    tilted = heading @ np.asarray(rotation.about(rng.normal(size=3), 0.05 * rng.normal()), dtype=float)
    carriage = s.body(np.append(rng.normal(size=2), rng.uniform(0.5, 0.8)), tilted, size=1.0, style="full", mass=mass, com=0.1 * rng.normal(size=3))
    moving(s, carriage, v, w)
    for k in range(count):
        add_wheel(s, carriage, k, heading, v, w, mass)
    s.tags |= {"tires", "start-all"}
    if s.chance(0.5):
        loads.add_force(s)


def add_wheel(s, carriage, k, heading, v, w, mass):
    rng, names = s.rng, list(s.model["_tires"])
    name, left = names[k % len(names)], s.chance(0.5)
    file = s.model["_tires"][name]
    lean = np.asarray(rotation.about([1, 0, 0], 0.1 * rng.normal()) @ rotation.about([0, 0, 1], 0.1 * rng.normal()), dtype=float)
    axis = heading @ lean @ [0, 1, 0]
    height = (file["UNLOADED_RADIUS"] - file["FNOMIN"] / file["VERTICAL_STIFFNESS"] * rng.uniform(0.3, 1)) * np.sqrt(1 - axis[2]**2)
    place = np.append((s.x[carriage] + heading @ [rng.uniform(-1, 1), 0.6 if left else -0.6, 0])[:2], height)
    wheel = s.body(place, heading @ np.asarray(rotation.random_rotation(rng), dtype=float), size=0.5, style="round", mass=0.1 * mass, com=np.zeros(3))
    s.link("revolute", carriage, wheel, place, axis)
    at = v + np.cross(w, place - s.x[carriage])
    forward = np.cross(axis, [0, 0, 1])
    spin = (at @ forward) / height * (1 + 0.1 * rng.normal())
    moving(s, wheel, at, w + spin * axis)
    s.force("tire", wheel=wheel, file=name, side="left" if left else "right", axis=s.numbers(s.R[wheel].T @ axis))
    if s.chance(0.4):  # driven or braked
        joint = list(s.model["joints"])[-1]
        s.force("actuator", of=f"{joint}.angle", value=loads.value(s, 0.2 * mass * G * height))


def moving(s, body, v, w):
    s.model["bodies"][body]["velocity"] = s.numbers(v)
    s.model["bodies"][body]["angular-velocity"] = [float(x) for x in w]
