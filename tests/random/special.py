"""Mechanisms with something unusual about them."""
import numpy as np

import loads
import redundant
import rotation
import start
import trees
from mechanism import GROUND
from sketch import Sketch


def point_masses(s):
    """A chain of point masses on massless rods: joints alone hold their rotations."""
    r, first = s.vector(), GROUND
    for _ in range(int(s.rng.integers(1, 4))):
        x = r + s.rng.uniform(0.4, 1) * s.direction()
        body = s.body(x, style="point")
        s.link("revolute" if s.planar else "spherical", first, body, r)
        first, r = body, x
    push(s, first)


def rods(s):
    """Slender rods: no inertia about their own axes, all joints on them. Hinges hold them at the ground only: between rods
    that turn about themselves without inertia they would have singular positions."""
    r, first = s.vector(), GROUND
    for _ in range(int(s.rng.integers(1, 4))):
        R = np.asarray(rotation.random_rotation(s.rng), dtype=float)
        length = s.rng.uniform(0.4, 1)
        rod = s.body(r + length / 2 * R[:, 0], R, size=length, style="rod")
        if first == GROUND and s.chance(0.5):
            s.link("revolute", first, rod, r, s.direction())
        else:
            s.link("spherical", first, rod, r)
        first, r = rod, r + length * R[:, 0]
    s.force("force", point=s.point(first, r), value=[float(x) for x in 5 * s.rng.normal(size=3)])
    push(s, first)


def push(s, body):
    """One velocity; a rotation that has no inertia and that nothing determines must not be given any."""
    s.model["initial"] = {f"{body}.v{s.pick('xy' if s.planar else 'xyz')}": float(s.rng.normal())}


def masses_apart(s):
    """Neighbours whose masses are many decades apart."""
    decades = s.rng.uniform(2, 6)  # up and down: ratios of up to 1e12
    r, first = s.vector(), GROUND
    for k in range(int(s.rng.integers(2, 5))):
        body = s.body(r + s.vector(0.5), mass=10**(decades * s.pick((0, 1, -1))), size=s.rng.uniform(0.5, 1), style="full")
        s.link("revolute", first, body, r, *(() if s.planar else (s.direction(),)))
        first, r = body, s.near(body)
    start.draw(s)


def spinner(s):
    """Turns many times in a step."""
    r, a = s.vector(), s.direction()
    rotor = s.body(r, com=np.zeros(3), style="round")
    joint = s.link("revolute", GROUND, rotor, r, *(() if s.planar else (a,)))
    arm = s.body(r + s.vector())
    s.link("revolute", GROUND, arm, s.near(arm), *(() if s.planar else (s.direction(),)))
    s.model["initial"] = {f"{joint}.rate": float(s.sign() * s.decades(2, 3))}
    s.tags.add("fast")


def plate(s):
    """A flat plate on a hinge off its plane."""
    r, first = s.vector(), GROUND
    for _ in range(int(s.rng.integers(1, 3))):
        body = s.body(r + 0.5 * s.vector(), style="flat")
        if s.chance(0.5):
            s.model["bodies"][body]["inertia"] = [0.1, 0.2, 0.3]
        s.link("revolute", first, body, r, s.direction())
        first, r = body, s.near(body)
    start.draw(s)


def chain(s):
    """Long enough for sparse matrices."""
    r, first = s.vector(), GROUND
    for _ in range(int(s.rng.integers(15, 25))):
        body = s.body(r + 0.3 * s.vector(), size=s.rng.uniform(0.5, 1), mass=s.rng.uniform(0.5, 2))
        if s.planar:
            s.link("revolute", first, body, r)
        elif s.chance(0.7):
            s.link("revolute", first, body, r, s.direction())
        else:
            s.link("spherical", first, body, r)
        first, r = body, s.near(body)
    start.draw(s, 0.3)


def driven(s):
    """As many drivers as freedoms: the motion is prescribed."""
    kinds = ("revolute", "prismatic", "rigid") if s.planar else ("revolute", "prismatic", "cylindrical", "screw", "rigid")
    trees.grow(s, int(s.rng.integers(1, 5)), kinds)
    for freedom in loads.freedoms_of(s):
        loads.keep(s, s.joint("driver", of=freedom, value=loads.law(s)))
    s.tags.add("driven")
    for _ in range(2):
        loads.add_force(s)


def friction(s):
    """Coulomb's law without a smooth middle: comes to rest and stays there."""
    a = s.direction()
    block = s.body(s.vector(), style="principal", mass=1.0)
    joint = s.link("prismatic", GROUND, block, s.x[block], a)
    s.model["gravity"] = s.numbers(np.zeros(3))
    s.force("actuator", of=joint, value=f"-{s.rng.uniform(1, 3)!r}*sign({joint}.speed)")
    s.model["initial"] = {f"{joint}.speed": float(s.rng.uniform(0.3, 0.6))}
    s.tags |= {"rough", "friction"}


def rounded(s):
    """A redundant loop whose numbers were written with a few decimals."""
    redundant.parallelogram(s)
    start.draw(s)
    digits = int(s.rng.integers(4, 13))

    def short(x):
        if isinstance(x, float):
            return round(x, digits)
        if isinstance(x, dict):
            return {key: short(value) for key, value in x.items()}
        return [short(y) for y in x] if isinstance(x, list) else x

    for entry in [s.model["ground"], *s.model["bodies"].values()]:
        for key in ("points", "position", "angle"):
            if key in entry:
                entry[key] = short(entry[key])
    s.tags |= {"redundant", "gaps"}


def half_turn(s):
    """A bushing whose rotation passes half a turn."""
    r, a = s.vector(), s.direction()
    body = s.body(r + 0.3 * s.vector(), style="full")
    joint = s.link("revolute", GROUND, body, r, *(() if s.planar else (a,)))
    n = 3 if s.planar else 6
    s.force("bushing", **s.connect(GROUND, body, r, r), stiffness=[1.0] * n, damping=[0.1] * n)
    s.model["initial"] = {f"{joint}.rate": float(s.sign() * s.rng.uniform(12, 20))}
    s.tags.add("half-turn")


def upright_wheel(s):
    """A disc exactly upright on the floor."""
    n, radius = s.direction(), s.decades(-0.5, 0)
    a = trees.square_to(s, n)
    wheel = s.body(radius * n, style="round", com=np.zeros(3))
    axes = [s.numbers(n), s.numbers(s.R[wheel].T @ a)]
    s.joint("rolling", **s.connect(GROUND, wheel, np.zeros(3), s.x[wheel]), axes=axes, radius=radius)
    s.model["gravity"] = s.numbers(-9.81 * n)
    start.draw(s)


def through_singular(s):
    """A parallelogram that passes the positions where all its bars lie in one line."""
    o, e, f, n = redundant._frame(s)
    s.model["gravity"] = s.numbers(np.zeros(3))
    length, width, tilt = 1.0, s.rng.uniform(0.7, 1.5), s.rng.uniform(0.4, 1.2)
    crank = length * (np.cos(tilt) * e + np.sin(tilt) * f)
    coupler = s.body(o + crank + width / 2 * e)
    for foot in (o, o + width * e):
        post = s.body(foot + crank / 2)
        redundant._hinge(s, GROUND, post, foot, n)
        redundant._hinge(s, post, coupler, foot + crank, n)
    s.model["initial"] = {"J1.rate": float(s.sign() * s.rng.uniform(4, 8))}
    s.tags |= {"redundant", "singular"}


def apart(s):
    """Written with gaps that assembly closes."""
    trees.grow(s, int(s.rng.integers(1, 4)), ("revolute", "prismatic") if s.planar else ("revolute", "spherical", "cylindrical", "universal"))
    for entry in s.model["bodies"].values():
        entry["position"] = [x + 1e-3 * float(s.rng.normal()) for x in entry["position"]]
        if s.planar:
            entry["angle"] += 1e-3 * float(s.rng.normal())
    s.tags.add("gaps")


def begun(s):
    """Starts at another angle than written."""
    trees.grow(s, int(s.rng.integers(1, 4)), ("revolute", "cylindrical", "prismatic", "screw") if not s.planar else ("revolute", "prismatic"))
    freedom = s.pick([f if "." in f else ".".join(loads.Mechanism(s.model).freedom(f)) for f in loads.freedoms_of(s)])
    loads.add_force(s)
    s.model["initial"] = {freedom: float(s.rng.uniform(-0.8, 0.8))}
    s.tags.add("gaps")


def tilted_axes(s):
    """The directions of both sides not quite parallel as written. Joints without an angle of their own: where that counts
    from is not said for axes that were not parallel."""
    r, a = s.vector(), s.direction()
    body = s.body(r + s.vector())
    b = np.asarray(rotation.about(s.direction(), 1e-3), dtype=float) @ a
    kind = s.pick(("prismatic", "planar", "parallel"))
    s.link(kind, GROUND, body, r, a, b, r1=r)
    s.tags |= {"gaps", f"tilted-{kind}"}


PLANAR = (point_masses, masses_apart, spinner, chain, driven, friction, rounded, half_turn, through_singular, apart, begun)
SPATIAL = (point_masses, rods, masses_apart, spinner, plate, plate, chain, driven, friction, rounded, half_turn, upright_wheel,
           through_singular, apart, begun, tilted_axes)


def draw(rng):
    s = Sketch(rng, "planar" if rng.random() < 0.35 else "spatial")
    recipe = s.pick(PLANAR if s.planar else SPATIAL)
    s.tags.add(recipe.__name__)
    recipe(s)
    return s
