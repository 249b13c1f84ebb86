"""Random forces, gears, sums and drivers for a mechanism that is there."""
import numpy as np

from kinematics import State
from mechanism import GROUND, Mechanism
from rotation import random_rotation
from sketch import rank
from trees import LEAST

SMOOTH = ("{a}*sin({w}*t)", "{a} - {c}*tanh({v})", "{a}*cos({w}*{x})", "-{c}*{v}*abs({v})/(1 + {v}^2)", "{a}*exp(-{w}*t)", "{a}*tanh({v})",
          "{a}*step(t, 0.07, 0, 0.43, 1)", "{a}*(1 + {x}^2)/(2 + {x}^2)", "{a}*t^2 - {c}*sin({v})", "if({v} > -1e9, {a}, 0)",
          "{a}*atan2({v}, 2)", "{a}/hypot(1, {x})", "{a}/(1 + t)", "{a}*sqrt(2 + sin({x}))")
ROUGH = ("if(t < 0.21, {a}, -{a}/2)", "{a}*heaviside(t - 0.17)", "max({a}*sin(9*t), 0)", "{a}*abs({v})/(1 + abs({v}))",
         "min({a}, {c}*{x})/(1 + {x}^2)")


def measures(s):
    """Pairs of a position and its rate, by names."""
    mechanism = Mechanism(s.model)
    letters = "xy" if s.planar else "xyz"
    pairs = []
    for name, entry in s.model["bodies"].items():
        pairs += [(f"{name}.{c}", f"{name}.v{c}") for c in letters]
        if s.planar:
            pairs.append((f"{name}.angle", f"{name}.omega"))
        else:
            pairs.append((f"{name}.x", f"{name}.w{s.pick(letters)}"))
        pairs += [(f"{name}.{point}.{c}", f"{name}.{point}.v{c}") for point in entry["points"] for c in letters]
    for name, joint in s.model["joints"].items():
        rates = {"angle": "rate", "displacement": "speed"}
        pairs += [(f"{name}.{freedom}", f"{name}.{rates[freedom]}") for freedom in mechanism.freedoms(joint)]
    pairs += [(f"{name}.length", f"{name}.rate") for name, entry in s.model["forces"].items() if entry["type"] == "spring-damper"]
    pairs += [(f"{name}.angle", f"{name}.rate") for name in s.model.get("shafts", {})]
    pairs += [(name, name) for part in ("inputs", "variables", "states") for name in s.model.get(part, {})]
    return pairs


def formula(s, size, rough=False):
    x, v = s.pick(measures(s))
    if rough:
        s.tags.add("rough")
    text = s.pick(ROUGH if rough else SMOOTH)
    number = lambda size: repr(float(size * s.rng.normal()))
    return text.format(a=number(size), c=repr(float(size * s.rng.uniform(0.05, 0.5))), w=repr(float(s.rng.uniform(1, 4))), x=x, v=v)


def value(s, size, rough=False):
    return formula(s, size, rough) if s.chance(0.5) else float(size * s.rng.normal())


def matrix(s, size, diagonal_chance=0.4):
    """Symmetric, positive: of a bushing."""
    n = 3 if s.planar else 6
    if s.chance(diagonal_chance):
        return (size * s.rng.uniform(0, 2, n)).tolist()
    A = s.rng.normal(size=(n, n))
    A = size * A @ A.T / n
    return ((A + A.T) / 2).tolist()


def add_force(s, rough=False):
    """One element between or on bodies that can take it."""
    bodies = s.names()
    second = s.pick(bodies)
    first = s.pick([b for b in [GROUND, *bodies] if b != second])
    heavy = 10 * s.model["bodies"][second]["mass"]
    kind = s.pick(("force", "torque", "spring-damper", "torsion-spring-damper", "bushing", "actuator", "motor"))
    dim = 2 if s.planar else 3
    if kind == "force":
        frame = {"frame": s.pick(("global", "body"))} if s.chance(0.7) else {}
        return s.force("force", point=s.point(second, s.near(second)), value=[value(s, heavy, rough) for _ in range(dim)], **frame)
    if kind == "torque":
        if s.planar:
            return s.force("torque", body=second, value=value(s, 0.2 * heavy, rough))
        frame = {"frame": s.pick(("global", "body"))} if s.chance(0.7) else {}
        return s.force("torque", body=second, value=[value(s, 0.2 * heavy, rough) for _ in range(3)], **frame)
    ends = s.connect(first, second, s.near(first), s.near(second))
    if s.chance(0.2):
        ends["connect"].reverse()
    if kind == "spring-damper":
        keys = {"stiffness": heavy * s.decades(-0.5, 1), "damping": 0.1 * heavy * s.decades(-1, 0), "length": s.decades(-0.5, 0.3)}
        return s.force(kind, **ends, **some(s, keys))
    if kind == "torsion-spring-damper":
        keys = {"stiffness": 0.3 * heavy * s.decades(-0.5, 0.5), "damping": 0.03 * heavy * s.decades(-1, 0),
                "angle": float(s.rng.normal())}
        axis = {} if s.planar else {"axis": s.numbers(s.direction())}
        return s.force(kind, **ends, **axis, **some(s, keys))
    if kind == "bushing":
        keys = {"stiffness": matrix(s, heavy), "damping": matrix(s, 0.1 * heavy)}
        if s.chance(0.3):
            del keys[s.pick(("stiffness", "damping"))]
        if s.chance(0.3):
            keys["preload"] = (heavy * s.rng.normal(size=3 if s.planar else 6)).tolist()
        if not s.planar and s.chance(0.6):
            keys["orientation"] = s.orientation(random_rotation(s.rng))
        return s.force(kind, **ends, **keys)
    if kind == "motor":
        freedoms = freedoms_of(s)
        if freedoms:
            return s.force("actuator", of=s.pick(freedoms), value=value(s, 0.3 * heavy, rough))
    return s.force("actuator", **ends, value=value(s, heavy, rough))


def some(s, keys):
    """A spring's keys: at least one coefficient, some of them formulas."""
    if s.chance(0.2):
        del keys[s.pick(("stiffness", "damping"))]
    if s.chance(0.3):
        keys.pop("length", None)
        keys.pop("angle", None)
    if "stiffness" in keys and s.chance(0.15):
        keys["stiffness"] = f"{keys['stiffness']!r}*(1 + 0.3*sin(3*t))"
    elif "stiffness" in keys and s.chance(0.2):
        name = f"k{len(s.model['forces']) + 1}"
        s.model.setdefault("parameters", {})[name] = keys["stiffness"]
        keys["stiffness"] = f"{name}*2/2"
    return keys


def freedoms_of(s):
    """Names of joints' freedoms as gears, drivers and motors take them."""
    mechanism, found = Mechanism(s.model), []
    for name, joint in s.model["joints"].items():
        own = mechanism.freedoms(joint)
        found += [name] if len(own) == 1 and s.chance(0.5) else [f"{name}.{freedom}" for freedom in own]
    return found + list(s.model.get("shafts", {}))


def keep(s, name):
    """Whether the joint that was just added takes a freedom of its own; else it is taken back."""
    J = s.constraints()[2]
    whole, least = rank(J)
    if whole == len(J) and whole <= J.shape[1] and least > LEAST:
        return True
    s.drop_joint(name)
    return False


def add_gear(s):
    freedoms = freedoms_of(s)
    owner = lambda text: text.partition(".")[0]
    if len({owner(f) for f in freedoms}) < 2:
        return
    first = s.pick(freedoms)
    second = s.pick([f for f in freedoms if owner(f) != owner(first)])
    keep(s, s.joint("gear", joints=[first, second], ratio=s.sign() * s.decades(-0.5, 0.5)))


def add_sum(s):
    """A linear relation that holds as written."""
    letters = "xy" if s.planar else "xyz"
    known = [f if "." in f else ".".join(Mechanism(s.model).freedom(f)) for f in freedoms_of(s)]
    known += [f"{b}.{c}" for b in s.names() for c in letters]
    known += [f"{b}.{point}.{s.pick(letters)}" for b in s.names() for point in s.model["bodies"][b]["points"]]
    if s.planar:
        known += [f"{b}.angle" for b in s.names()]
    terms = {s.pick(known): float(s.sign() * s.decades(-0.3, 0.3)) for _ in range(int(s.rng.integers(1, 4)))}
    state = State.as_written(Mechanism(s.model))
    start = float(sum(state.coordinate(name).value * factor for name, factor in terms.items()))
    moving = f"{start!r} + {s.rng.normal() * 0.2!r}*sin(2*t)" if s.chance(0.3) else start
    keep(s, s.joint("coordinate", sum=terms, value=moving))


def law(s, start=0.0, size=1.0):
    """A driver's formula that begins at the value as written"""
    a, w = float(size * s.rng.normal()), float(s.rng.uniform(1, 4))
    text = s.pick((f"{a!r}*sin({w!r}*t)", f"{a!r}*t + {0.5 * a!r}*t^2", f"{a!r}*(1 - cos({w!r}*t))", f"step(t, 0.07, 0, 0.43, {a!r})",
                   f"{a!r}*t", f"{a!r}*(exp(t) - 1)"))
    return text if start == 0 else f"{start!r} + {text}"


def add_driver(s):
    freedoms = freedoms_of(s)
    driven = {joint["of"] for joint in s.model["joints"].values() if joint["type"] == "driver"}
    if s.chance(0.2) or not freedoms:
        body = s.pick(s.names())
        of = f"{body}.angle" if s.planar and s.chance(0.4) else f"{s.point(body, s.near(body))}.{s.pick('xy' if s.planar else 'xyz')}"
        state = State.as_written(Mechanism(s.model))
        name = s.joint("driver", of=of, value=law(s, float(state.coordinate(of).value)))
    else:
        of = s.pick(freedoms)
        if any(of.partition(".")[0] == other.partition(".")[0] for other in driven):
            return
        name = s.joint("driver", of=of, value=law(s))
    if keep(s, name):
        s.tags.add("driven")


def add_driven_distance(s):
    second = s.pick(s.names())
    first = s.pick([b for b in [GROUND, *s.names()] if b != second])
    r0, r1 = s.near(first), s.near(second)
    length = float(np.linalg.norm(r1 - r0))
    name = s.link("distance", first, second, r0, r1=r1, length=f"{length!r}*(1 + 0.1*sin({s.rng.uniform(1, 3)!r}*t))")
    if keep(s, name):
        s.tags.add("driven")
