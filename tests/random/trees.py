"""Trees of bodies, and loops closed over them by joints that fit the poses."""
import numpy as np

import rotation
from mechanism import GROUND
from sketch import rank

PLANAR_TREE = ("revolute", "revolute", "revolute", "prismatic", "point-on-line", "roller", "distance", "rolling", "rigid", "free")
SPATIAL_TREE = ("revolute", "revolute", "revolute", "spherical", "universal", "cylindrical", "prismatic", "screw", "rigid",
                "planar", "point-on-plane", "point-on-line", "parallel", "perpendicular", "distance", "rolling", "free")
PLANAR_CLOSING = ("revolute", "revolute", "point-on-line", "distance", "prismatic", "roller", "rolling")
SPATIAL_CLOSING = ("spherical", "spherical", "distance", "point-on-plane", "point-on-line", "universal", "perpendicular",
                   "parallel", "cylindrical", "revolute", "planar", "prismatic", "screw")
LEAST = 0.02  # a closing joint whose rows stand out less from the others makes a nearly singular mechanism


def square_to(s, a):
    """A unit vector across a."""
    if s.planar:
        return np.array([-a[1], a[0], 0])
    e, f = (np.asarray(d, dtype=float) for d in rotation.across(a))
    angle = s.rng.uniform(0, 6)
    return np.cos(angle) * e + np.sin(angle) * f


def add_joint(s, kind, first, second, r, a):
    """Between bodies that have their poses; r is a place of the first, a a direction. The name, or None for "free"."""
    away = 0.0 if s.chance(0.3) else s.rng.normal() * 0.5
    across = square_to(s, a)
    if kind == "free":
        return None
    if kind in ("spherical", "rigid") or kind == "revolute" and s.planar:
        return s.link(kind, first, second, r)
    if kind == "revolute":
        return s.link(kind, first, second, r, a)
    if kind == "universal":
        ends = s.connect(first, second, r)
        return s.joint(kind, **ends, axes=[s.numbers(s.R[first].T @ a), s.numbers(s.R[second].T @ across)])
    if kind == "constant-velocity":
        bend = s.rng.uniform(0, 1.2)
        b = np.cos(bend) * a + np.sin(bend) * across
        return s.joint(kind, **s.connect(first, second, r), axes=[s.numbers(2 * s.R[first].T @ a), s.numbers(s.R[second].T @ b)])
    if kind in ("prismatic", "cylindrical", "point-on-line"):
        return s.link(kind, first, second, r, a, r1=r + away * a)
    if kind == "screw":
        return s.link(kind, first, second, r, a, r1=r + away * a, pitch=s.sign() * s.decades(-1, 0.5))
    if kind in ("planar", "point-on-plane"):
        return s.link(kind, first, second, r, a, r1=r + away * across)
    if kind == "parallel":
        return s.link(kind, first, second, r, a, s.sign() * a, r1=s.near(second))
    if kind == "perpendicular":
        return s.link(kind, first, second, r, a, across, r1=s.near(second))
    if kind == "distance":
        r1 = s.near(second)
        given = {"length": float(np.linalg.norm(r1 - r))} if s.chance(0.3) else {}
        return s.link(kind, first, second, r, r1=r1, **given)
    if kind == "roller":
        return s.link(kind, GROUND, second, s.near(second), axis=s.pick("xy"))
    raise ValueError(kind)


def roll(s, first, second, r, n):
    """The second's origin at a radius from the line or plane through r across n; the second is moved there."""
    radius = s.decades(-0.7, 0)
    if s.planar:
        s.x[second] = r + s.rng.normal() * square_to(s, n) + radius * n * s.sign()
        a = square_to(s, n)
        place(s, second)
        return s.joint("rolling", **s.connect(first, second, r, s.x[second]), **s.axis(first, second, a), radius=radius)
    e, f = (np.asarray(d, dtype=float) for d in rotation.across(n))
    along = s.rng.normal() * e + s.rng.normal() * f
    if s.chance(0.5):
        s.x[second] = r + along + radius * n * s.sign()
        place(s, second)
        return s.joint("rolling", **s.connect(first, second, r, s.x[second]), axis=s.numbers(n), radius=radius)
    a = s.R[second] @ s.direction()
    if abs(a @ n) > 0.8:  # a disc that lies flat is singular
        a = square_to(s, n)
    s.x[second] = r + along + radius * np.sqrt(1 - (a @ n)**2) * n * s.sign()
    place(s, second)
    axes = [s.numbers(s.R[first].T @ n), s.numbers(s.R[second].T @ a)]
    return s.joint("rolling", **s.connect(first, second, r, s.x[second]), axes=axes, radius=radius)


def place(s, body):
    s.model["bodies"][body]["position"] = s.numbers(s.x[body])


def grow(s, count, kinds=None, style=None):
    """A tree; every body hangs on the ground or on an earlier one."""
    kinds = kinds or (PLANAR_TREE if s.planar else SPATIAL_TREE)
    for _ in range(count):
        bodies = s.names()
        first = bodies[-1] if bodies and s.chance(0.6) else s.pick([GROUND, *bodies])
        r, a = s.near(first), s.direction()
        second = s.body(r + s.decades(-0.5, 0.2) * s.direction(), style=style)
        hang(s, s.pick(kinds), first, second, r, a)


def hang(s, kind, first, second, r, a):
    if kind == "rolling":
        return roll(s, first, second, r, a)
    if kind == "roller":
        first = GROUND
    elif kind in ("revolute", "spherical", "universal", "cylindrical", "distance", "rigid") and s.chance(0.3):
        first, second = second, first
        if kind in ("cylindrical", "distance"):
            r = s.near(first)
    return add_joint(s, kind, first, second, r, a)


def freedoms(s):
    _, _, J, _, _ = s.constraints()
    return J.shape[1] - rank(J)[0]


def close(s, count, kinds=None):
    """Adds joints while a freedom is left and each of their rows takes one."""
    kinds = kinds or (PLANAR_CLOSING if s.planar else SPATIAL_CLOSING)
    for _ in range(count):
        for _ in range(8):
            first, second = s.pick([GROUND, *s.names()]), s.pick(s.names())
            if first == second:
                continue
            kind = s.pick(kinds)
            points = {b: dict(s.model["bodies"][b]["points"]) for b in s.names()}, dict(s.model["ground"]["points"])
            name = (add_joint(s, kind, first, second, s.near(first), s.direction()) if kind != "rolling" else
                    close_rolling(s, first, second))
            after = s.constraints()[2]
            whole, least = rank(after)
            if whole == len(after) and whole < after.shape[1] and least > LEAST:
                s.tags.add("loop")
                break
            s.drop_joint(name)
            for b, kept in points[0].items():
                s.model["bodies"][b]["points"] = kept
            s.model["ground"]["points"] = points[1]


def close_rolling(s, first, second):
    """A disc about the second's origin that touches a line of the first."""
    radius, n = s.decades(-0.7, 0), s.direction()
    a = square_to(s, n)
    return s.joint("rolling", **s.connect(first, second, s.x[second] - radius * n, s.x[second]), **s.axis(first, second, a),
                   radius=radius)
