"""A mechanism and the same one turned, mirrored, in other units or written in another way move alike.

Both runs are by the default method. Their difference may be what the method itself is off by, which a run at a tighter
tolerance tells, and round-off that the equations' condition enlarges.
"""
import copy

import numpy as np

import check_parts
import program
import rewrite
import rotation
import transform
from generate import Case, draw_units
from measures import IN_BODY_AXES, Measures, is_loose, outputs, state_of_row, undetermined
from mechanism import Mechanism, joints_of

PARTS = 5
CLOSELY = 200  # the same where something differs
MARGIN = 20
DEFAULT, TIGHT, TIGHTEST = 1e-10, 1e-12, 1e-13  # errors fall with the tolerance
NUDGE = 1e-6  # of velocities: errors grow along the way as it does
FLOOR = 1e-9  # of the largest value of its kind
ACCUMULATED, INSTANT = 3, 1e-6  # firings of an event within a part of the time
DRAWS = 5  # of last digits, where a singular position was passed
IGNORED = {"energy.error", "constraint.position", "constraint.velocity"}
UNITS = {"x": 0, "y": 0, "z": 0, "length": 0, "displacement": 0, "v": 1, "speed": 1, "a": 2, "angle": 3, "q": 3, "w": 4, "omega": 4,
         "alpha": 5, "f": 6, "force": 6, "t": 7, "torque": 7, "p": 9, "l": 10, "u": 0, "r": 3}  # ux, rx: of bushings

TIRE = {"mx": 7, "my": 7, "mz": 7, "kappa": 3, "alpha": 3, "gamma": 3, "deflection": 0}


def kind_of(model, name):
    """What is measured in the same unit and grows together."""
    owner, _, key = name.rpartition(".")
    if not owner:
        return name  # signals
    if model.get("forces", {}).get(owner, {}).get("type") == "tire":
        return TIRE.get(key, UNITS.get(key, UNITS.get(key[:-1])))
    if key == "effort" or owner in ("energy", "momentum"):
        joint = key == "effort" and joints_of(model).get(owner)
        return 7 if joint and transform.is_rotation(joint) else name if joint else (owner, key[0])
    if key == "rate":
        entry = model.get("forces", {}).get(owner, {})
        turns = entry.get("type") == "torsion-spring-damper" or "of" in entry and Mechanism(model).freedom(entry["of"])[1] == "angle"
        return 1 if entry and not turns else 4
    if key in IN_BODY_AXES:
        return UNITS[IN_BODY_AXES[key]]
    if key in UNITS:
        return UNITS[key]
    return UNITS.get(key[:-1], name)


class Original:
    """The run that others are compared with, and how exact it is."""

    def __init__(self, case, options=()):
        self.case, self.options = case, options
        self.model = {**case.model, "outputs": outputs(case.model)}
        self.run = self.execute(self.model, case.duration, *case.tolerances(), *options)
        self.usable, self.why = self.run.status == 0, self.run.error
        if not self.usable:
            return
        self.tighter = {}
        self.tight = self.tightly(TIGHT)
        if self.tight.status != 0:
            self.usable, self.why = False, f"at a tighter tolerance: {self.tight.error}"
            return
        self.size, self.off = self.least_sizes(), {}
        for row, exact in zip(self.run.rows, self.tight.rows):
            for name in self.run.columns:
                kind = kind_of(self.model, name)
                self.size[kind] = max(self.size.get(kind, 0), abs(row[name]))
                self.off[kind] = max(self.off.get(kind, 0), abs(row[name] - exact[name]))
        # what forces do is exchanged for energy: the work is as exact as that
        self.size["energy", "w"] = max(self.size["energy", key] for key in "kw")
        # accelerations are differences of terms as large as what turning alone would make them
        self.terms = {2: self.size[1] * self.size[4], 5: self.size[4]**2}
        self.closely, self.growths, self.accumulated = False, None, None
        self.loose = set().union(*(undetermined(Mechanism(self.model), row) for row in self.run.rows))
        self.weigh(self.run.rows)

    def execute(self, model, duration, *options):
        return program.run(model, "--duration", repr(duration), "--output-step", repr(duration / PARTS), *options)

    def tightly(self, rtol):
        if rtol not in self.tighter:
            self.tighter[rtol] = self.execute(self.model, self.case.duration, "--rtol", rtol, "--atol", self.case.atol(rtol), *self.options)
        return self.tighter[rtol]

    def least_sizes(self):
        """What is slow and weak for this mechanism: a tenth of its length in the time of the run."""
        mechanism = Mechanism(self.model)
        mass, length, rate = max(float(b.mass) for b in mechanism.bodies), float(mechanism.length), 0.1 / self.case.duration
        speed = length * rate
        rates = [name for name in self.run.columns if "." not in name and name.endswith("'")]
        signals = [name for name in self.run.columns if "." not in name and name not in rates and name != "t"]  # numbers of order one
        return {**dict.fromkeys(signals, 1.0), **dict.fromkeys(rates, rate), 0: length, 1: speed, 2: speed * rate, 3: 1.0, 4: rate, 5: rate**2, 6: mass * speed * rate, 7: mass * speed**2,
                ("momentum", "p"): mass * speed, ("momentum", "l"): mass * speed * length,
                **{("energy", key): mass * speed**2 for key in "kptwe"}}

    def weigh(self, rows):
        """The condition along the way, and the sizes of efforts: what a unit of the scaled equations is in theirs."""
        mechanism = Mechanism(self.model)
        motions = [Measures(state_of_row(mechanism, row)).motion for row in rows]
        self.condition, self.misfit = max(m.condition for m in motions), max(m.misfit for m in motions)
        least = self.size[2] * max(float(b.mass) for b in mechanism.bodies)**0.5  # of the scaled equations' solution
        for name in self.run.columns:
            joint, _, key = name.rpartition(".")
            if key == "effort":
                kind = kind_of(self.model, name)
                self.size[kind] = max([self.size[kind]] + [max(m.norm, least) * m.r[m.place[joint]][-1] for m in motions])

    def look_closer(self):
        """Between two rows it may have come close to a singular position. False: that is known."""
        if self.closely:
            return False
        self.closely = True
        fine = program.run(self.model, "--duration", repr(self.case.duration), "--output-step", repr(self.case.duration / CLOSELY),
                           *self.case.tolerances(), *self.options)
        if fine.status == 0:
            self.weigh(fine.rows)
        return fine.status == 0

    def leave_accumulated(self):
        """Leaves out how often events fire whose firings accumulate: each leaves a part of the way to the next, until last
        digits say whether there is one. False: there are none, or that is known."""
        events = self.model.get("events", {})
        if self.accumulated is not None or not events:
            return False
        timed = {**self.model, "outputs": [*self.model["outputs"], *(f"{name}.time" for name in events)]}
        tightly = lambda duration: self.execute(timed, duration, "--rtol", TIGHT, "--atol", self.case.atol(TIGHT), *self.options)
        last, self.accumulated = tightly(self.case.duration).rows[-1], set()
        for name in events:
            if last[f"{name}.count"] >= ACCUMULATED:
                before = tightly(last[f"{name}.time"] * (1 - INSTANT)).rows[-1]
                if last[f"{name}.count"] - before[f"{name}.count"] >= ACCUMULATED:
                    self.accumulated.add(name)
        self.loose |= self.accumulated
        return bool(self.accumulated)

    def growth(self):
        """By kind: how a nudge of the start, as a part of the mechanism's own speeds, changes a run, as a part of the kind's size."""
        if self.growths is None:
            rng, start = np.random.default_rng(self.case.seed), self.tight.rows[0]
            other = self.execute(nudged(self.model, start, self.size, rng), self.case.duration, "--rtol", TIGHT, "--atol",
                                 self.case.atol(TIGHT), *self.options)
            self.growths = dict.fromkeys(self.off, 1.0)
            if other.status == 0:
                self.compare_growths(other)
        return self.growths

    def compare_growths(self, other):
        def change(row, changed, name):
            size = self.size[kind_of(self.model, name)]
            return abs(changed[name] - row[name]) / size if size > 0 else 0

        speeds = [name for name in self.run.columns if kind_of(self.model, name) in (1, 4)]
        first = max(change(self.tight.rows[0], other.rows[0], name) for name in speeds)
        if first < 0.01 * NUDGE:
            return  # all motion is prescribed
        for row, changed in zip(self.tight.rows, other.rows):
            for name in self.run.columns:
                kind = kind_of(self.model, name)
                self.growths[kind] = max(self.growths[kind], change(row, changed, name) / first)

    def error_of_method(self, kind, run):
        """Every step adds an error within its tolerance, in the root mean square of all states, and each grows until the end."""
        return run.summary["steps"] * DEFAULT * len(self.run.columns)**0.5 * self.growth()[kind] * self.size[kind]

    def allowed(self, name, off=None):
        """In the original's units; off: what runs are off by themselves, by kind."""
        # a step's error is that of the motion, not of the work
        return self.allowed_of(kind_of(self.model, name), off or self.off, 10 if name == "energy.work" else 1)

    def allowed_of(self, kind, off, times=1):
        # it matters which misfits are left out: positions are off by their size times the condition, and as that turns the rows
        # themselves, what these determine by the condition once more
        misfit = self.misfit * (1 if kind in (0, 3) else self.condition)
        eps = 1e3 * np.finfo(float).eps
        digits = FLOOR + (eps + misfit) * self.condition
        return MARGIN * off[kind] + times * digits * self.size[kind] + eps * self.condition * self.terms.get(kind, 0)


def compare(original, run, predict, unit, what, tightly):
    """unit(name): the factor that an original difference has in the other run; tightly(rtol): the other run, at a tighter tolerance"""
    if run.status != 0:
        return [f"{what}: the run ends with {run.status}: {run.error}"]
    text = differs(original, original.run, run, predict, unit, what)
    for look in (original.look_closer, original.leave_accumulated):
        if text and look():
            text = differs(original, original.run, run, predict, unit, what)
    if not text:
        return []
    # the original may be more exact than this one: both are within what their steps allow
    tight = tightly(TIGHT)
    if tight.status != 0:
        return [f"{text}; at a tighter tolerance: {tight.error}"]
    off = errors(original, run, tight, predict, unit)
    most = {kind: original.error_of_method(kind, run) / MARGIN for kind in original.off}
    loose = {kind: max(off.get(kind, 0), own) for kind, own in original.off.items()}
    if not all(error <= original.allowed_of(kind, most) for kind, error in off.items()):
        return [f"{text}; and by itself it is off more than its steps allow"]
    text = differs_tightly(original, TIGHT, tight, predict, unit, what, loose)
    # where a force bends, as that of a wheel that leaves the road, an estimate is now and then far too small: that is so in one
    # run at one tolerance, and what is wrong in all of them
    if text and original.tightly(TIGHTEST).status == 0:
        again = tightly(TIGHTEST)
        if again.status == 0 and not differs_tightly(original, TIGHTEST, again, predict, unit, what, loose):
            return []
    return [text] if text else []


def differs_tightly(original, rtol, run, predict, unit, what, loose):
    """A text, or None; loose: what runs are off by at the default tolerance, by kind."""
    off = {kind: error * rtol / DEFAULT for kind, error in loose.items()}
    return differs(original, original.tightly(rtol), run, predict, unit, f"{what}, tightly", off)


def redrawn(model, rng):
    """The same mechanism with other last digits."""
    def draw(value):
        if isinstance(value, dict):
            return {key: draw(item) for key, item in value.items()}
        if isinstance(value, list):
            return [draw(item) for item in value]
        return float(np.nextafter(value, rng.choice([-np.inf, np.inf]))) if isinstance(value, float) else value

    placed = ("position", "angle", "points", "com")
    bodies = {name: {key: draw(item) if key in placed else item for key, item in entry.items()}
              for name, entry in model["bodies"].items()}
    return {**model, "bodies": bodies}


def judge(original, model, execute, predict, unit, what, case):
    """execute(model, *tolerances), in the units of the case. Last digits decide how a singular position is passed, and between
    two rows there was no condition at all: what is wrong there is so with most of them."""
    at = lambda m, rtol: execute(m, "--rtol", rtol, "--atol", case.atol(rtol))
    ask = lambda m: compare(original, at(m, DEFAULT), predict, unit, what, lambda rtol: at(m, rtol))
    found = ask(model)
    if not found or "singular" not in original.case.tags:
        return found
    rng = np.random.default_rng(original.case.seed)
    again = [bool(ask(redrawn(model, rng))) for _ in range(DRAWS)]
    return found if sum(again) > DRAWS / 2 else []


def nudged(model, start, size, rng):
    """A model that starts nearly as `start` does: positions as they were asked for, other velocities."""
    model, planar = copy.deepcopy(model), model["space"] == "planar"
    letters = "xy" if planar else "xyz"
    other = lambda name, kind: float(start[name] + NUDGE * size[kind] * rng.uniform(-1, 1))
    for body, entry in model["bodies"].items():
        entry["velocity"] = [other(f"{body}.v{c}", 1) for c in letters]
        entry["angular-velocity"] = other(f"{body}.omega", 4) if planar else [other(f"{body}.w{c}", 4) for c in letters]
    for shaft, entry in model.get("shafts", {}).items():
        entry["initial-rate"] = other(f"{shaft}.rate", 4)
    placed = {name: value for name, value in model.get("initial", {}).items()
              if name.rpartition(".")[2] in ("angle", "displacement", "x", "y", "z")}
    return {**model, "initial": placed} if "initial" in model else model


def names_in(original, row, other, predict):
    """Of what is compared: in the original and in the other run, with the value expected there."""
    expected = predict(row)
    signs(expected, other)
    for name, value in expected.items():
        source = name.replace(".O_.", ".")
        if name not in IGNORED and name in other and name != "t" and not is_loose(source, original.loose):
            yield source, name, value


def errors(original, run, exact, predict, unit):
    """What the other run is off by, by kind, in the original's units."""
    off = {}
    for start, row, true in zip(original.run.rows, run.rows, exact.rows):
        true = dict(true)
        signs(true, row)
        for source, name, _ in names_in(original, start, row, predict):
            factor, kind = abs(unit(source)), kind_of(original.model, source)
            error = abs(row[name] - true[name]) / factor if factor > 0 else 0
            off[kind] = off[kind] if error <= off.setdefault(kind, 0) else error
    return off


def differs(original, first, second, predict, unit, what, off=None):
    """A text about the worst difference, or None."""
    worst, text, limits = 0, None, {}
    for row, other in zip(first.rows, second.rows):
        for source, name, value in names_in(original, row, other, predict):
            if source not in limits:
                limits[source] = original.allowed(source, off) * abs(unit(source))
            allowed = limits[source]
            ratio = abs(value - other[name]) / allowed if allowed > 0 else (0 if value == other[name] else np.inf)
            if not ratio <= max(worst, 1):
                worst = ratio
                text = f"{what}: t = {other['t']:.6g}: {name} is {other[name]!r}, expected {value!r}, allowed {allowed:.2g}"
    return text


def signs(expected, other):
    for name in [name for name in expected if name.endswith(".qw") and name in other]:
        keys = [name[:-1] + c for c in "wxyz"]
        if sum(expected[key] * other[key] for key in keys) < 0:
            for key in keys:
                expected[key] = -expected[key]


# --- the invariances ---

def random_change(case, rng, turn=False, mirror=False, units=False, shift=False):
    planar, own, tires = case.model["space"] == "planar", case.units, "_tires" in case.model
    Q = np.eye(3)
    if turn:
        if transform.needs_axes(case.model):
            Q = np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1.0]]) if planar or tires else np.array([[0, 0, 1], [1, 0, 0], [0, 1, 0.0]])
        else:
            Q = np.asarray(rotation.planar(rng.uniform(-3, 3)) if planar or tires else rotation.random_rotation(rng), dtype=float)
    if mirror:
        Q = Q @ np.diag([-1.0, 1, 1])
    move = own.a * rng.normal(size=3) * [1, 1, 0 if planar or tires else 1] if shift else None  # a road is where it is
    scale = draw_units(rng) if units else {"a": own.a, "b": own.b, "c": own.c}
    return transform.Change(Q, move, scale["a"] / own.a, scale["b"] / own.b, scale["c"] / own.c,
                            transform.is_carried(case.model))


def by_change(original, change, what):
    case = original.case
    model = {**transform.transformed(case.model, change), "outputs": original.model["outputs"]}
    there = Case(case.seed, case.kind, model, case.tags, case.duration * change.c,
                 transform.Change(a=case.units.a * change.a, c=case.units.c * change.c))
    execute = lambda m, *tolerances: original.execute(m, there.duration, *tolerances, *original.options)
    factors = {0: change.a, 1: change.a / change.c, 2: change.a / change.c**2, 3: 1, 4: 1 / change.c, 5: 1 / change.c**2,
               6: change.force, 7: change.energy, 9: change.b * change.a / change.c, 10: change.b * change.a**2 / change.c}

    def unit(name):
        kind = kind_of(original.model, name)
        if isinstance(kind, tuple):
            owner, letter = kind
            return change.energy if owner == "energy" else factors[9] if letter == "p" else factors[10]
        if isinstance(kind, str) and kind.endswith(".count"):
            return 1
        if isinstance(kind, str) and "." not in kind:  # signals
            return 1 / change.c if kind.endswith("'") else 1
        if isinstance(kind, str):
            mechanism = Mechanism(case.model)
            return change.energy / transform.effort_unit(mechanism, change, mechanism.joints[kind.rpartition(".")[0]])
        return factors[kind]

    predict = lambda row: transform.predict(case.model, change, row)
    return judge(original, model, execute, predict, unit, what, there)


def stands(original):
    """Whether a tire gets slower than its own low speed: below it, its damping is that of the mass that it carries, which is its
    load over 9.8 m/s^2."""
    tires = {name: entry for name, entry in original.model.get("forces", {}).items() if entry["type"] == "tire"}
    if not tires:
        return False
    case = original.case
    fine = program.run(original.model, "--duration", repr(case.duration), "--output-step", repr(case.duration / CLOSELY), *case.tolerances(),
                       *original.options)
    return any(min(row[f"{name}.speed"] for row in fine.rows) < original.model["_tires"][entry["file"]]["VXLOW"] for name, entry in tires.items())


def in_other_units(original, rng):
    found = by_change(original, random_change(original.case, rng, units=True), "in other units")
    return [] if found and stands(original) else found


def by_rewriting(original, written, what, *options):
    model, predict = written
    model, case = {**model, "outputs": original.model["outputs"]}, original.case
    execute = lambda m, *tolerances: original.execute(m, case.duration, *tolerances, *original.options, *options)
    ones = predict({name: 1.0 for name in original.run.columns})
    return judge(original, model, execute, predict, lambda name: ones[name] if name.endswith(".effort") else 1, what, case)


def as_part(original, rng):
    planar, own = original.case.model["space"] == "planar" or "_tires" in original.case.model, original.case.units
    mirror = rng.choice(["", "x", "y"] if planar else ["", "x", "y", "z"])
    shift = own.a * rng.normal(size=3) * [1, 1, 0 if planar else 1]
    case = original.case
    execute = lambda *tolerances: check_parts.run(original, mirror, shift, copy.deepcopy(rng), *tolerances)
    change, run = execute(*case.tolerances())
    predict = lambda row: check_parts.predict(case.model, change, row)
    return compare(original, run, predict, lambda name: 1, f"as a part, mirrored by '{mirror}'",
                   lambda rtol: execute("--rtol", rtol, "--atol", case.atol(rtol))[1])


def in_space(original):
    """A planar model in space; what has no counterpart there is refused."""
    if original.case.model["space"] != "planar":
        return []
    found = by_rewriting(original, (original.case.model, dict), "in space", "--space", "spatial")
    return [text for text in found if "ends with 3" not in text or "rolling" not in str(original.case.model)]


def exchanged(original):
    """Written with gaps, what counts from zero as written counts along another axis on the other side."""
    if "gaps" in original.case.tags:
        return []
    return by_rewriting(original, rewrite.exchanged(original.case.model, "redundant" in original.case.tags), "sides exchanged")


CHECKS = {
    "moved": lambda o, rng: by_change(o, random_change(o.case, rng, turn=True, shift=True), "moved"),
    "mirrored": lambda o, rng: by_change(o, random_change(o.case, rng, turn=True, mirror=True), "mirrored"),
    "units": in_other_units,
    "permuted": lambda o, rng: by_rewriting(o, rewrite.permuted(o.case.model, rng), "permuted"),
    "exchanged": lambda o, rng: exchanged(o),
    "reframed": lambda o, rng: by_rewriting(o, rewrite.reframed(o.case.model, rng), "other body frames"),
    "reformed": lambda o, rng: by_rewriting(o, rewrite.reformed(o.case.model, rng), "other forms"),
    "in space": lambda o, rng: in_space(o),
    "included": lambda o, rng: as_part(o, rng),
}


def check(case, names=None, options=()):
    """Texts about what differs, by the name of the invariance. A mechanism that does not run is judged elsewhere."""
    original = Original(case, options)
    if not original.usable:
        return {}
    return {name: CHECKS[name](original, np.random.default_rng([case.seed, i])) for i, name in enumerate(CHECKS)
            if names is None or name in names}
