"""Trees and loops with bodies in space whose orientation is driven: by the rotation vector, or by angles of a sequence."""
import numpy as np

import loads
import rotation
import start
import trees

KINDS = ("spherical", "spherical", "free", "distance", "point-on-plane", "point-on-line", "universal", "revolute", "cylindrical")
AWAY = 0.4  # of the middle angle from where the outer ones are not determined, as a sine
LONGEST = 5.0  # rad: a whole turn has no direction


def rotation_vector(R):
    q = np.asarray(rotation.to_quaternion(R), dtype=float)
    return 2 * np.arctan2(np.linalg.norm(q[1:]), q[0]) * q[1:] / np.linalg.norm(q[1:])


def drive_vector(s, body):
    phi = rotation_vector(s.R[body])
    other = phi * (1 - 2 * np.pi / np.linalg.norm(phi))  # the same orientation, by the longer way
    if s.chance(0.5) and np.linalg.norm(other) < LONGEST:
        phi = other
    laws = [loads.law(s, float(x), 0.7) if s.chance(0.8) else float(x) for x in phi]
    return [s.joint("driver", of=body, rotation=laws)]


def drive_angles(s, body):
    sequence = s.pick(rotation.EULER)
    angles = [float(a) for a in rotation.euler_angles(s.R[body], sequence)]
    if abs(np.sin(angles[1]) if sequence[0] == sequence[2] else np.cos(angles[1])) < AWAY:
        return []
    driven = sorted(int(k) for k in s.rng.choice(3, size=int(s.rng.integers(1, 4)), replace=False))
    names = ("yaw", "pitch", "roll") if sequence == "zyx" else [f"{sequence}{k + 1}" for k in range(3)]
    turns = lambda k: 2 * np.pi * int(s.rng.integers(-1, 2)) if k != 1 else 0.0  # whole ones do not count
    return [s.joint("driver", of=f"{body}.{names[k]}", value=loads.law(s, angles[k] + turns(k), 0.2 if k == 1 else 1.0)) for k in driven]


def drive(s):
    body = s.pick(s.names())
    names = (drive_vector if s.chance(0.5) else drive_angles)(s, body)
    if not names or not loads.keep(s, names[-1]):
        for name in names[:-1]:
            s.drop_joint(name)
        return
    s.tags |= {"driven", "turned"}


def draw(s):
    trees.grow(s, int(s.rng.integers(1, 4)), KINDS)
    for _ in range(3):
        if "turned" not in s.tags:
            drive(s)
    if s.chance(0.3):
        trees.close(s, 1)
    for _ in range(int(s.rng.integers(0, 3))):
        loads.add_force(s)
    start.draw(s)
