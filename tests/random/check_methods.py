"""Every method against a tight run of the default one: fixed steps must converge at their order, chosen steps must follow
their tolerances, and nothing may hang or stop without a cause."""
import numpy as np

import program
import tires
from measures import Measures, is_loose, outputs, state_of_row, undetermined
from mechanism import Mechanism

COORDINATES = {"planar": ("natural", "euler-parameters", "angle", "cartesian"), "spatial": ("natural", "euler-parameters")}
SOLVERS = ("udwadia-kalaba", "udwadia-kalaba-general", "augmented")
STABILIZATIONS = ("direct", "partition", "embedded", "baumgarte", "none")
ENERGIES = ("free", "free", "conserve")
LINEAR = ("auto", "dense", "sparse")
ORDERS = {"euler": 1, "rk4": 4, "rk6": 6, "ab2": 2, "ab3": 3, "ab4": 4, "ab5": 5, "ab6": 6, "trapezoidal": 2, "generalized-alpha": 2,
          "three-field": 2, "radau5": 5}
EXPLICIT = ("euler", "rk4", "rk6")
VARIABLE = ("dopri5", "dop853", "radau5", "adams", "bdf", "ida", "trapezoidal", "generalized-alpha", "three-field")
STEPS = 25  # of the first run, at least; then twice as many, and so on
TURN_A_STEP = 0.25
HALVINGS = 4
LIMITED = 3  # more of them where Baumgarte's default is limited to 0.1/h: not before that no longer hangs on h does the order show
RESOLVED = 6  # as many, and steps to the least of dop853, where something decays fast: see resolves
BETWEEN = 50  # rows that a rod's turning is asked of
SLACK = 0.7  # of an observed order
TOLERANCES = (1e-5, 1e-7, 1e-9)
LOOSE = (1e-4, 1e-5, 1e-6)  # of methods of order two, whose steps become very many
# steps of dop853 at a very loose tolerance: with more of them a method is not stable at the steps that are tried
STIFF = {"euler": 12, "ab2": 12, "ab3": 12, "ab4": 10, "ab5": 8, "ab6": 8, "rk4": 40, "rk6": 40}
SINGULAR = 1e5  # a condition above which a method may stop or lose its order
BENDS = ("step(", "abs(", "if(", "min(", "max(", "sign(", "heaviside(")


class Combination:
    def __init__(self, **choice):
        self.choice = choice

    @classmethod
    def draw(cls, rng, space):
        pick = lambda x: x[int(rng.integers(len(x)))]
        variable = rng.random() < 0.4
        integrator = pick(VARIABLE if variable else tuple(ORDERS))
        stepping = "variable" if variable else "fixed" if integrator == "radau5" else "auto"
        return cls(coordinates=pick(COORDINATES[space]), solver=pick(SOLVERS), stabilization=pick(STABILIZATIONS), energy=pick(ENERGIES),
                   integrator=integrator, linear=pick(LINEAR), stepping=stepping)

    @property
    def fixed(self):
        return self.choice["stepping"] != "variable"

    def options(self):
        choice = dict(self.choice)
        if choice["integrator"] in ("dopri5", "dop853", "adams", "bdf", "ida", *EXPLICIT) or choice["integrator"].startswith("ab"):
            choice.pop("stepping")
        return [word for key, value in choice.items() for word in (f"--{key}", value)]

    def __str__(self):
        return " ".join(self.options())


class Reference:
    """The state at the end, by a tight run, and how exact it is."""

    def __init__(self, case):
        self.case = case
        self.duration = case.duration / 2
        self.model = {**case.model, "outputs": outputs(case.model)}
        self.bent = any(word in str(case.model) for word in BENDS)
        mechanism = Mechanism(self.model)
        self.bent = self.bent or self.wheels_touch(mechanism)
        self.length = float(mechanism.length)
        exact, other = (self.run(*self.tightly(rtol)) for rtol in (1e-12, 1e-11))
        self.stopped = next((run for run in (exact, other) if run.status != 0), None)
        self.usable = self.stopped is None
        if not self.usable:
            return
        self.last = exact.rows[-1]
        self.units = self.scales(mechanism, exact)
        motions = [Measures(state_of_row(mechanism, row)).motion for row in exact.rows]
        self.condition, misfit = max(m.condition for m in motions), max(m.misfit for m in motions)
        self.off = self.error(other.rows[-1])
        self.least_steps = self.run("--integrator", "dop853", "--rtol", 1e-2, "--atol", case.atol(1e-2)).summary.get("steps", 0)
        self.steps = max(self.steps, int(self.fastest_rod(mechanism) * self.duration / TURN_A_STEP))
        # where rows do not fit it matters which are left out: positions by the misfit times the condition, and as that turns
        # the rows themselves, velocities by the condition once more
        floor = 5e-10 + (1e3 * np.finfo(float).eps + misfit * self.condition) * self.condition
        self.floor = {kind: floor + 10 * off for kind, off in self.off.items()}
        self.floor["work"] += 1e-8  # a step's error is that of the motion, not of the work

    def wheels_touch(self, mechanism):
        """Whether a tire comes down on the road, or leaves it: there its force bends."""
        names = [name for name, entry in mechanism.forces.items() if entry["type"] == "tire"]
        if not names:
            return False
        run = program.run(self.model, "--duration", repr(self.duration), "--output-step", repr(self.duration / BETWEEN), *self.tightly(1e-6))
        least = lambda name: tires.least_deflection(mechanism, mechanism.forces[name])
        return any(row[f"{name}.deflection"] <= least(name) or row[f"{name}.fz"] <= 0 for row in run.rows for name in names)

    def fastest_rod(self, mechanism):
        """Angular velocity between two ends that a joint keeps at a distance: of a body without mass."""
        rods = [mechanism.ends(joint) for joint in mechanism.joints.values() if joint["type"] == "distance"]
        if not rods:
            return 0
        run = program.run(self.model, "--duration", repr(self.duration), "--output-step", repr(self.duration / BETWEEN), *self.tightly(1e-6))
        found = [0.0]
        for row in run.rows:
            state = state_of_row(mechanism, row)
            rod = [state.point(*second) - state.point(*first) for first, second in rods]
            found += [float(np.linalg.norm(np.cross(d.value, d.rate)) / (d.value @ d.value)) for d in rod]
        return max(found)

    def tightly(self, rtol):
        return "--integrator", "dop853", "--rtol", rtol, "--atol", self.case.atol(rtol)

    def run(self, *options, seconds=None):
        return program.run(self.model, "--duration", repr(self.duration), "--output-step", repr(self.duration / 5), *options, seconds=seconds)

    def scales(self, mechanism, run):
        """What an error is measured by: kind of a measure -> its size."""
        rate = 1 / self.duration
        spin = max([rate] + [abs(row[name]) for row in run.rows for name in run.columns
                             if name.rpartition(".")[2] in ("wx", "wy", "wz", "omega") or name[:-5] in mechanism.shafts])
        speed = max([self.length * rate] + [abs(row[name]) for row in run.rows for name in run.columns
                                            if name.rpartition(".")[2] in ("vx", "vy", "vz")])
        energy = max(max(abs(row["energy.kinetic"]), abs(row["energy.work"]), abs(row["energy.potential"] - run.rows[0]["energy.potential"]))
                     for row in run.rows)
        # at rest: what the forces would do along a thousandth of the length
        motion = Measures(state_of_row(mechanism, run.rows[0])).motion
        pushes = [float(np.abs(load.effort).max()) for load in motion.loads.values()]
        pushes += [float(b.mass) * max(float(np.abs(b.gravity).max()), self.length * rate**2) for b in mechanism.bodies[1:]]
        energy = max(energy, 1e-3 * self.length * max(pushes))
        self.steps = int(max(STEPS, spin * self.duration / TURN_A_STEP))
        self.turns = max(1, spin * self.duration)  # errors add up along the way
        # of a body that nothing holds the length may be much less than how far it flies, or be none at all: errors add up along the way
        way = max([0.0] + [abs(row[name] - run.rows[0][name]) for row in run.rows for name in run.columns if name.rpartition(".")[2] in ("x", "y", "z")])
        units = {}
        loose = set().union(*(undetermined(mechanism, row) for row in run.rows))
        for name in run.columns:
            owner, _, key = name.rpartition(".")
            if is_loose(name, loose):
                continue
            if key in ("x", "y", "z"):
                units[name] = ("motion", max(self.length, way))
            elif key in ("vx", "vy", "vz"):
                units[name] = ("motion", speed)
            elif key in ("wx", "wy", "wz", "omega"):
                units[name] = ("motion", spin)
            elif key == "angle" or key in ("qw", "qx", "qy", "qz"):
                units[name] = ("turns" if key == "angle" else "motion", 1.0)
            elif name == "energy.work":
                units[name] = ("work", energy)
            elif key == "rate" and owner in mechanism.shafts:
                units[name] = ("motion", spin)
            elif name in mechanism.states:
                units[name] = ("motion", max([1.0] + [abs(row[name]) for row in run.rows]))
        return units

    def error(self, row):
        """By kind: the largest, relative to its size."""
        found = {"motion": 0.0, "turns": 0.0, "work": 0.0}
        flips = {name[:-3]: -1 if sum(row[f"{name[:-1]}{c}"] * self.last[f"{name[:-1]}{c}"] for c in "wxyz") < 0 else 1
                 for name in self.units if name.endswith(".qw")}
        for name, (kind, size) in self.units.items():
            flip = flips.get(name[:-3], 1) if name[-2:] in ("qw", "qx", "qy", "qz") else 1
            off = abs(flip * row[name] - self.last[name]) / size
            found[kind] = max(found[kind], off) if off == off else np.inf
        return found


def judge_stop(reference, run, what):
    if run.status == 2:
        return None  # refused, with a reason
    return f"{what}: ends with {run.status}: {run.error} {run.summary.get('message', '')}".strip()


def resolves(reference, steps):
    """Whether halving to so many steps shows the order while something decays as exp(-λt). The least steps of dop853 are as long
    as its stability allows, λh = 6; radau5 shows an order of 4.35 from λh = 2 to 1, of 2.9 from 6 to 3 (of the integral of y^2)."""
    return steps >= RESOLVED * reference.least_steps


def check_fixed(reference, combination):
    """Errors at ever smaller steps, until a halving shows the order or round-off is reached, for every kind of error."""
    integrator = combination.choice["integrator"]
    order, explicit = ORDERS[integrator], integrator in EXPLICIT or integrator.startswith("ab")
    open_kinds, before, history = {"motion", "turns", "work"}, None, []
    late = combination.choice["stabilization"] == "baumgarte" or not resolves(reference, reference.steps * 2**HALVINGS)
    halvings = HALVINGS + (LIMITED if late else 0)
    for halving in range(halvings + 1):
        steps = reference.steps * 2**halving
        run = reference.run(*combination.options(), "--step", repr(reference.duration / steps))
        if run.status != 0:
            text = judge_stop(reference, run, f"{steps} steps")
            if text and run.status == 1 and (explicit and halving < halvings - 1 or halving == 0):
                continue  # too much for this step
            return [text] if text else []
        error = reference.error(run.rows[-1])
        history.append((steps, error))
        for kind in list(open_kinds):
            converged = before and error[kind] <= before[kind] * 2**(SLACK - order)
            if error[kind] <= reference.floor[kind] or converged and error[kind] < 0.1:
                open_kinds.remove(kind)
        if not open_kinds:
            return []
        before = error
    return [f"{kind} does not converge at order {order}: errors " + ", ".join(f"{e[kind]:.2g} ({s} steps)" for s, e in history)
            for kind in sorted(open_kinds)]


def share_of(combination):
    """The error a tolerance may lead to: it is one of a step, and what adds up is of lower order. Histories and drift add
    to it."""
    if ORDERS.get(combination.choice["integrator"]) == 2:
        return lambda rtol: 10 * rtol**(2 / 3)
    loose = combination.choice["integrator"] in ("adams", "bdf", "ida") or combination.choice["stabilization"] in ("none", "baumgarte")
    return lambda rtol: (1000 if loose else 100) * rtol


def check_variable(reference, combination):
    """The error follows the tolerance, or is below some times of it."""
    open_kinds, history = {"motion", "turns", "work"}, []
    share = share_of(combination)
    for rtol in LOOSE if ORDERS.get(combination.choice["integrator"]) == 2 else TOLERANCES:
        run = reference.run(*combination.options(), "--rtol", rtol, "--atol", reference.case.atol(rtol))
        if run.status != 0:
            text = judge_stop(reference, run, f"rtol {rtol:g}")
            return [text] if text else []
        error = reference.error(run.rows[-1])
        history.append((rtol, error))
        open_kinds = {kind for kind in open_kinds if error[kind] > max(reference.floor[kind], share(rtol) * reference.turns)}
    return [f"{kind} does not follow the tolerance: errors " + ", ".join(f"{e[kind]:.2g} (rtol {r:g})" for r, e in history)
            for kind in sorted(open_kinds)]


def left_out(reference, combination):
    """Whether nothing is to be learnt from the combination: orders are those of smooth motion, away from singular positions."""
    if combination.fixed and reference.bent or reference.condition > SINGULAR:
        return True
    if combination.choice["stabilization"] == "none" and "redundant" in reference.case.tags:
        return True  # constraints that drift contradict each other
    integrator = combination.choice["integrator"]
    return integrator in STIFF and (reference.least_steps > STIFF[integrator] or "fast" in reference.case.tags and integrator == "euler")


def check(reference, combination):
    """Texts about what is wrong."""
    found = (check_fixed if combination.fixed else check_variable)(reference, combination)
    return [f"{combination}: {text}" for text in found]
