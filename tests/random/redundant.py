"""Mechanisms with more constraints than they need, in every position."""
import numpy as np

import rotation
from mechanism import GROUND
from trees import square_to


def _frame(s):
    """Where a planar linkage lies: an origin, two directions of its plane and the normal."""
    if s.planar:
        angle = s.rng.uniform(0, 6)
        e = np.array([np.cos(angle), np.sin(angle), 0])
        return s.vector(), e, np.array([-e[1], e[0], 0]), np.array([0.0, 0, 1])
    e, f, n = np.asarray(rotation.random_rotation(s.rng), dtype=float).T
    return s.vector(), e, f, n


def _hinge(s, first, second, r, n):
    """In space anywhere along the axis."""
    if s.planar:
        return s.link("revolute", first, second, r)
    return s.link("revolute", first, second, r + 0.3 * s.rng.normal() * n, n)


def _bar(s, a, b):
    return s.body((a + b) / 2 + 0.2 * s.vector())


def parallelogram(s):
    """Equal cranks side by side under one coupler."""
    o, e, f, n = _frame(s)
    tilt = s.rng.uniform(0.5, 2.6)
    crank = s.rng.uniform(0.5, 1.5) * (np.cos(tilt) * e + np.sin(tilt) * f)
    feet = [o + x * e for x in np.cumsum(s.rng.uniform(0.4, 1, size=int(s.rng.integers(3, 6))))]
    if s.chance(0.5):  # they need not stand in a line
        feet = [foot + 0.5 * s.rng.normal() * f for foot in feet]
    coupler = _bar(s, feet[0] + crank, feet[-1] + crank)
    for foot in feet:
        post = _bar(s, foot, foot + crank)
        _hinge(s, *((GROUND, post) if s.chance(0.7) else (post, GROUND)), foot, n)
        _hinge(s, post, coupler, foot + crank, n)


def planar_loop_in_space(s):
    """Bars in a closed loop of hinges with parallel axes."""
    o, e, f, n = _frame(s)
    count = int(s.rng.integers(4, 6))
    corners = [o + r * (np.cos(a) * e + np.sin(a) * f)
               for a, r in zip(2 * np.pi * (np.arange(count) + s.rng.uniform(-0.2, 0.2, count)) / count, s.rng.uniform(0.6, 1.2, count))]
    first = GROUND
    for k in range(count - 1):
        bar = _bar(s, corners[k], corners[k + 1])
        _hinge(s, first, bar, corners[k], n)
        first = bar
    _hinge(s, first, GROUND, corners[-1], n)


def spherical_loop(s):
    """Hinges whose axes meet in one point."""
    o = s.vector()
    axes = [np.array([np.cos(a), np.sin(a), h]) for a, h in
            zip(2 * np.pi * (np.arange(4) + s.rng.uniform(-0.2, 0.2, 4)) / 4, s.rng.uniform(0.5, 1.2, 4))]
    R = np.asarray(rotation.random_rotation(s.rng), dtype=float)
    axes = [R @ a / np.linalg.norm(a) for a in axes]
    first = GROUND
    for a in axes[:-1]:
        bar = s.body(o + s.vector())
        s.link("revolute", first, bar, o + s.rng.uniform(0.5, 1.5) * a, a)
        first = bar
    s.link("revolute", first, GROUND, o + axes[-1], axes[-1])


def bennett(s):
    """Four bars in space: lengths p, q and twists with p/sin(alpha) = q/sin(beta)."""
    p, alpha = s.rng.uniform(0.5, 1.5), s.rng.uniform(0.3, 1.2)
    beta = s.rng.uniform(1.3, 1.5) if alpha < 1.2 else 1.4
    q = p * np.sin(beta) / np.sin(alpha)
    t1 = s.rng.uniform(0.8, 2.2)
    t2 = 2 * np.arctan(np.sin((beta + alpha) / 2) / np.sin((beta - alpha) / 2) / np.tan(t1 / 2))

    def move(theta, length, twist):
        A = np.eye(4)
        A[:3, :3] = np.asarray(rotation.about([0, 0, 1], theta) @ rotation.about([1, 0, 0], twist), dtype=float)
        A[:3, 3] = length * np.array([np.cos(theta), np.sin(theta), 0])
        return A

    # the sign of the second angle depends on the convention: the one that closes is taken
    for signs in ((t1, t2, -t1, -t2), (t1, -t2, -t1, t2), (t1, t2 + np.pi, -t1, -t2 - np.pi), (t1, np.pi - t2, -t1, t2 - np.pi)):
        T, frames = np.eye(4), []
        for theta, (length, twist) in zip(signs, ((p, alpha), (q, beta)) * 2):
            frames.append(T)
            T = T @ move(theta, length, twist)
        if np.abs(T - np.eye(4)).max() < 1e-9:
            break
    else:
        raise ValueError("Bennett's loop does not close")
    R, o = np.asarray(rotation.random_rotation(s.rng), dtype=float), s.vector()
    places = [(o + R @ F[:3, 3], R @ F[:3, 2]) for F in frames]
    first = GROUND
    for k in range(3):
        bar = _bar(s, places[k][0], places[k + 1][0])
        s.link("revolute", first, bar, places[k][0], places[k][1])
        first = bar
    s.link("revolute", first, GROUND, places[3][0], places[3][1])


def thin_loop(s):
    """Of bodies that are nearly flat."""
    s.style = "thin"
    s.pick((planar_loop_in_space, spherical_loop, bennett, sarrus))(s)
    s.style = None


def sarrus(s):
    """Two legs of three parallel hinges, across each other: a platform that goes up and down."""
    o, e, f, n = _frame(s)
    height = s.rng.uniform(0.8, 1.5)
    platform = s.body(o + height * n)
    for a, out in ((e, f), (f, e)):
        foot, top = o + out, o + out + height * n
        knee = (foot + top) / 2 + s.rng.uniform(0.3, 0.8) * out
        lower, upper = _bar(s, foot, knee), _bar(s, knee, top)
        s.link("revolute", GROUND, lower, foot, a)
        s.link("revolute", lower, upper, knee, a)
        s.link("revolute", upper, platform, top, a)


def two_hinges(s):
    """A door: what the second hinge holds the first holds already."""
    first = GROUND
    for _ in range(int(s.rng.integers(1, 4))):
        r, a = s.near(first), s.direction()
        door = s.body(r + s.vector())
        s.link("revolute", first, door, r, a)
        kind = s.pick(("revolute", "cylindrical", "spherical", "point-on-line", "parallel", "planar"))
        if kind == "parallel":
            s.link(kind, first, door, r, a, a)
        elif kind == "planar":
            s.link(kind, first, door, r, a, r1=r + s.rng.normal() * square_to(s, a))
        elif kind in ("cylindrical", "point-on-line"):
            s.link(kind, first, door, r + a, a, r1=r - s.rng.uniform(0.2, 1) * a)
        else:
            s.link(kind, first, door, r + s.rng.uniform(0.3, 1) * a, *(() if kind == "spherical" else (a,)))
        first = door


def two_guides(s):
    first = GROUND
    for _ in range(int(s.rng.integers(1, 4))):
        r, a = s.near(first), s.direction()
        sledge = s.body(r + s.vector())
        s.link("prismatic", first, sledge, r, a, r1=r + 0.3 * a)
        for _ in range(int(s.rng.integers(1, 3))):
            other = r + s.vector()
            s.link(s.pick(("prismatic", "point-on-line")), first, sledge, other, a, r1=other + s.rng.normal() * a)
        first = sledge


def gear_ring(s):
    """Wheels on one carrier, each pair geared, so that one pair would be enough less."""
    a = s.direction()
    carrier = GROUND if s.chance(0.5) else s.body(s.vector())
    if carrier != GROUND:
        s.link("revolute", GROUND, carrier, s.near(carrier), *(() if s.planar else (a,)))
    wheels, ratios = [], []
    for _ in range(3):
        r = s.near(carrier)
        wheel = s.body(r + 0.1 * s.vector())
        wheels.append(s.link("revolute", carrier, wheel, r, *(() if s.planar else (s.direction(),))))
        ratios.append(s.sign() * s.decades(-0.3, 0.3))
    for i, j in ((0, 1), (1, 2), (2, 0)):
        s.joint("gear", joints=[wheels[i], wheels[j]], ratio=float(ratios[j] / ratios[i]))


def geared_parallelogram(s):
    """Two cranks that a coupler and a gear turn alike: forces and the torque of the gear share one redundancy."""
    o, e, f, n = _frame(s)
    tilt = s.rng.uniform(0.5, 2.6)
    crank = s.rng.uniform(0.5, 1.5) * (np.cos(tilt) * e + np.sin(tilt) * f)
    feet = [o, o + s.rng.uniform(0.6, 1.5) * e]
    coupler, hinges = _bar(s, feet[0] + crank, feet[1] + crank), []
    for foot in feet:
        post = _bar(s, foot, foot + crank)
        hinges.append(_hinge(s, GROUND, post, foot, n))
        _hinge(s, post, coupler, foot + crank, n)
    s.joint("gear", joints=hinges, ratio=1.0)


def welded_frame(s):
    """Bodies welded in a ring, with a rod between them, on a hinge."""
    r = s.vector()
    bodies = [s.body(r + s.vector()) for _ in range(3)]
    s.link("revolute", GROUND, bodies[0], r, *(() if s.planar else (s.direction(),)))
    for i in range(3):
        s.link("rigid", bodies[i], bodies[(i + 1) % 3], s.near(bodies[i]))
    s.link("distance", bodies[0], bodies[1], s.near(bodies[0]), r1=s.near(bodies[1]))


PLANAR = (parallelogram, parallelogram, two_guides, gear_ring, geared_parallelogram, welded_frame)
SPATIAL = (parallelogram, planar_loop_in_space, planar_loop_in_space, thin_loop, spherical_loop, bennett, sarrus, two_hinges, two_guides,
           gear_ring, geared_parallelogram, welded_frame)


def draw(s):
    s.tags.add("redundant")
    recipe = s.pick(PLANAR if s.planar else SPATIAL)
    s.tags.add(recipe.__name__)
    recipe(s)
