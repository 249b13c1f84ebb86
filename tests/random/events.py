"""Mechanisms with events that switch forces, change states, count, and end the run."""
import drivelines
import loads
import start
import trees

WHEN = ("t - {T}", "{x} - {c}", "{x} - {c}", "{v} - {d}", "sin({w}*t + {c}) - 0.3", "z1 - {c}", "{x}*{x} - {c}^2", "z1 + {x} - {c}")
SET = ("-m1", "{a}", "m1/2 + {a}", "{a}*cos({x})", "m1 + z1", "tanh({v})")
SHIFT = ("z1 + {a}", "-z1", "{a}", "z1 + 0.3*m1", "tanh({v})")
PUSH = ("{a}*m1", "{a}*m1*cos({x})", "{a}*(1 + 0.3*e1.count)", "{a}*m1 - {k}*tanh({v})", "{a}*z1*m1")


def written(s, name):
    """A measure as written; of signals what they start with."""
    from kinematics import State
    from mechanism import Mechanism
    import signals
    return float(signals.measure(State.as_written(Mechanism(s.model)), name))


def text(s, forms, size=1.0):
    x, v = s.pick([pair for pair in loads.measures(s) if "." in pair[0]])
    form = s.pick(forms)
    near = written(s, "z1" if "z1" in form and "{x}" not in form else x) + (written(s, "z1") if "z1 + {x}" in form else 0)
    number = lambda scale: repr(float(scale * s.rng.normal()))
    return form.format(a=number(size), k=repr(float(size * s.rng.uniform(0.05, 0.5))), w=repr(float(s.rng.uniform(8, 25))), x=x, v=v,
                       T=repr(float(s.rng.uniform(0.03, 0.47))), c=repr(near + float(0.2 * s.rng.normal())), d=number(0.5))


def add_event(s):
    name = f"e{len(s.model['events']) + 1}"
    event = {"when": text(s, WHEN), "direction": s.pick(("rising", "falling", "both", "both"))}
    if event["direction"] == "both" and s.chance(0.5):
        del event["direction"]
    event["set"] = {"m1": text(s, SET)} if s.chance(0.7) else {}
    if s.chance(0.4):
        event["set"]["z1"] = text(s, SHIFT)
    if not event["set"]:
        del event["set"]
    if s.chance(0.08):
        event["stop"] = True
    s.model["events"][name] = event


def add_push(s):
    """A force that events switch."""
    body = s.pick(s.names())
    size = 10 * s.model["bodies"][body]["mass"]
    freedoms = loads.freedoms_of(s)
    if freedoms and s.chance(0.5):
        return s.force("actuator", of=s.pick(freedoms), value=text(s, PUSH, 0.3 * size))
    return s.force("force", point=s.point(body, s.near(body)), value=[text(s, PUSH, size) for _ in range(2 if s.planar else 3)])


def draw(s):
    s.tags.add("events")
    trees.grow(s, int(s.rng.integers(1, 4)))
    if s.chance(0.3):
        trees.close(s, 1)
    if s.chance(0.2):
        loads.add_driver(s)
    s.model["states"] = {"m1": {"initial": 1.0}, "z1": {"initial": float(s.rng.normal())}}
    s.model["states"]["z1"]["rate"] = drivelines.text(s, drivelines.RATES, "z1")
    s.model["events"] = {}
    for _ in range(int(s.rng.integers(1, 4))):
        add_event(s)
    for _ in range(int(s.rng.integers(1, 3))):
        add_push(s)
    if s.chance(0.5):
        loads.add_force(s)
    start.draw(s)
