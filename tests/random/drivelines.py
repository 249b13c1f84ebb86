"""Shafts, constant-velocity joints, loads and signals, drawn for a mechanism that is there."""
import numpy as np

import loads
import rotation
import start
import trees
from mechanism import Mechanism

KINDS = ("planar-tree", "planar-loop", "spatial-tree", "spatial-loop")
RATES = ("{a} - {k}*{z}", "{k}*({x} - {z})", "{a}*tanh({v}) - {z}", "{v}/(1 + {v}^2)", "{a}*cos({w}*t) - {z}^3", "sin({x}) - {k}*{z}")
VARIABLES = ("{x} + {a}*{z}", "{z}*cos({x})", "tanh({v}) - {z}", "{a}*t*{z}", "hypot(1, {x})*{z}")
INPUTS = ("{a}*sin({w}*t)", "{a}*t/(1 + t)", "{a}*(1 - exp(-{w}*t))")  # zero at the start, as drivers need them


def text(s, forms, z=None):
    x, v = s.pick(loads.measures(s))
    number = lambda size: repr(float(size * s.rng.normal()))
    return s.pick(forms).format(a=number(1), k=repr(float(s.rng.uniform(0.5, 3))), w=repr(float(s.rng.uniform(1, 4))), x=x, v=v, z=z)


def add_shafts(s):
    """Some, each held by something else."""
    for k in range(int(s.rng.integers(1, 4))):
        s.model.setdefault("shafts", {})[f"s{k + 1}"] = {"inertia": float(s.decades(-1.5, 0.3))}
    s.tags.add("shafts")
    shafts, angles = list(s.model["shafts"]), angles_of(s)
    for shaft in shafts:
        way = s.pick(("gear", "gear", "spring", "spring", "sum", "driver", "free"))
        other = s.pick([f for f in loads.freedoms_of(s) if f != shaft] or [None])
        if way == "gear" and other:
            pair = [shaft, other] if s.chance(0.5) else [other, shaft]
            loads.keep(s, s.joint("gear", joints=pair, ratio=s.sign() * s.decades(-0.5, 0.5)))
        elif way == "spring" and len(angles) > 1:
            add_torsion(s, shaft, s.pick([f for f in angles if f != shaft]))
        elif way == "sum":
            loads.add_sum(s)
        elif way == "driver" and loads.keep(s, s.joint("driver", of=shaft, value=loads.law(s))):
            s.tags.add("driven")


def angles_of(s):
    mechanism = Mechanism(s.model)
    return [f for f in loads.freedoms_of(s) if mechanism.freedom(f)[1] == "angle"]


def add_torsion(s, first, second):
    keys = {"stiffness": 3 * s.decades(-0.5, 0.5), "damping": 0.3 * s.decades(-1, 0), "angle": float(s.rng.normal())}
    s.force("torsion-spring-damper", of=[first, second], **loads.some(s, keys))


def add_signals(s):
    """An input, states whose rates use the motion and one another, variables of all of them."""
    s.model["inputs"] = {"in1": text(s, INPUTS)}
    for k in range(int(s.rng.integers(1, 4))):
        name = f"z{k + 1}"
        s.model.setdefault("states", {})[name] = {"initial": float(s.rng.normal()), "rate": text(s, RATES, name)}
    for k in range(int(s.rng.integers(0, 3))):
        s.model.setdefault("variables", {})[f"y{k + 1}"] = text(s, VARIABLES, s.pick(("in1", *s.model["states"])))
    s.tags.add("signals")


def add_filter(s):
    """A freedom that follows an input or a state, behind a filter; or its rate follows a state."""
    freedoms = [f for f in loads.freedoms_of(s) if not is_driven(s, f)]
    if not freedoms:
        return
    freedom = s.pick(freedoms)
    if s.chance(0.3):
        owner, which = Mechanism(s.model).freedom(freedom)
        law = f"{float(s.rng.normal())!r}*{s.pick(list(s.model['states']))} + {float(s.rng.normal())!r}*sin(2*t)"
        name = s.joint("driver", of=f"{owner}.{'rate' if which == 'angle' else 'speed'}", rate=law)
    else:
        s.model.setdefault("variables", {})["f1"] = f"smooth(in1, {float(s.rng.uniform(0.05, 0.3))!r})"
        name = s.joint("driver", of=freedom, value=f"{float(s.sign() * s.rng.uniform(0.2, 2))!r}*f1")
    if loads.keep(s, name):
        s.tags.add("driven")


def is_driven(s, freedom):
    owner = freedom.partition(".")[0]
    return any(owner == joint["of"].partition(".")[0] for joint in s.model["joints"].values() if joint["type"] == "driver")


def add_load(s):
    second = s.pick(s.names())
    first = s.pick([b for b in ["ground", *s.names()] if b != second])
    heavy, keys = 10 * s.model["bodies"][second]["mass"], {}
    if s.chance(0.8):
        keys["force"] = [loads.value(s, heavy) for _ in range(2 if s.planar else 3)]
    if not keys or s.chance(0.7):
        keys["torque"] = loads.value(s, 0.2 * heavy) if s.planar else [loads.value(s, 0.2 * heavy) for _ in range(3)]
    s.force("load", **s.connect(first, second, s.near(first), s.near(second)), **keys)


def add_force(s):
    angles = angles_of(s)
    way = s.pick(("load", "load", "torsion", "motor", "other"))
    if way == "load":
        return add_load(s)
    if way == "torsion" and len(angles) > 1:
        first = s.pick(angles)
        return add_torsion(s, first, s.pick([f for f in angles if f != first]))
    if way == "motor" and "shafts" in s.model:
        return s.force("actuator", of=s.pick(list(s.model["shafts"])), value=loads.value(s, 1.0))
    return loads.add_force(s)


def draw(s, kind):
    shape = kind.partition("-")[2]
    kinds = trees.PLANAR_TREE if s.planar else (*trees.SPATIAL_TREE, *["constant-velocity"] * 6)
    trees.grow(s, int(s.rng.integers(1, 5)), kinds)
    if shape == "loop":
        trees.close(s, int(s.rng.integers(1, 3)))
    if s.chance(0.6):
        add_shafts(s)
    if s.chance(0.7):
        add_signals(s)
        if s.chance(0.4):
            add_filter(s)
    for _ in range(int(s.rng.integers(1, 4))):
        add_force(s)
    start.draw(s)
