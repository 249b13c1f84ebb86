"""Rows of a run against the reference: positions, velocities and time are taken from the row, everything else is computed.

What a difference may be has two parts. The state of a row and the numbers of the model are known to their last digits: the
reference is computed again for others that differ there, and the largest change counts SAFETY times. And a backward stable
solution of the equations is as far from the exact one as epsilon times their condition, in the norm in which they are
scaled: that counts STABLE times. The program refines its solutions where a pivot is below WEAK; above, digits of epsilon
over WEAK may be lost, also where the equations are better than their pivots. Where redundant rows do not fit one another, it matters which of them are left out: as much as they were open as
written.
"""
import re

import numpy as np

import check_start
import program
import rotation
from check_methods import COORDINATES, LINEAR, SOLVERS
from check_start import WEAK
from kinematics import State
from measures import IN_BODY_AXES, Measures, outputs, state_of_row
from mechanism import Mechanism, orientation_of
from signals import evaluate, law

EPSILON = np.finfo(float).eps
SAFETY, STABLE = 40, 40
TRIALS, CLOSELY = 2, 20  # of other states; where something differs, the worst of more
BETWEEN = 100  # rows between two, where what happened there is in doubt
LOST = 1e8  # a condition above which a row is not compared: next to a singular position
NOT_COMPUTED = {"t", "energy.work", "energy.error", "constraint.position", "constraint.velocity"}
KIND = re.compile(r"^(v|a|w|alpha|f|t|p|l|q|u|r|)[wxyz]$")
COARSE = 1e-5  # relative, where masses are many decades apart: the reference itself has no more digits
ENERGY = 1e-7  # of the energy exchanged: what the default method may lose
TOLERANCE = 1e-10  # of the program, on the constraints
NEXT_TO = 0.1  # rad: so near it says that an orientation is singular
FLAT = 1e-4  # the slope of a disc below which the program says that it lies flat


class Difference:
    def __init__(self, time, name, found, expected, allowed):
        self.time, self.name, self.found, self.expected, self.allowed = time, name, found, expected, allowed

    def __str__(self):
        return (f"t = {self.time:.6g}: {self.name} is {self.found!r}, expected {float(self.expected)!r}: "
                f"off by {abs(self.found - float(self.expected)):.2g}, allowed {self.allowed:.2g}")


# --- how exact a row is ---

def scales(state, duration):
    """A length, a speed and an angular velocity of the mechanism; at rest what would be slow for it."""
    length = max(float(np.abs(state.x).max()), float(state.mechanism.length))
    spin = max(float(np.abs(state.w).max()), 0.1 / duration)
    return length, max(float(np.abs(state.v).max()), spin * length), spin


def nudged_numbers(entry, rng):
    """Of a model's description; names and formulas stay."""
    if isinstance(entry, dict):
        return {key: nudged_numbers(value, rng) for key, value in entry.items()}
    if isinstance(entry, list):
        return [nudged_numbers(value, rng) for value in entry]
    return entry * (1 + np.longdouble(EPSILON * rng.uniform(-1, 1))) if isinstance(entry, float) else entry


def nudged(state, duration, rng, open_by):
    """Another state of another mechanism that would be printed nearly alike; coordinates that are open by something are not told
    from others as far away."""
    mechanism = Mechanism(nudged_numbers(state.mechanism.description, rng))
    length, speed, spin = scales(state, duration)
    count, planar = state.mechanism.count, state.mechanism.planar
    noise = lambda size: (EPSILON + open_by / SAFETY) * size * rng.uniform(-1, 1, (count, 3)) * (np.arange(count) > 0)[:, None]
    plane, axle = (np.array([1, 1, 0]), np.array([0, 0, 1])) if planar else (np.ones(3), np.ones(3))
    R = [(np.eye(3) + rotation.skew(turn)) @ R for turn, R in zip(noise(1) * axle, state.R)]
    beyond = {name: value + EPSILON * (abs(value) + (spin if name.endswith("rate") else 1)) * rng.uniform(-1, 1)
              for name, value in state.beyond.items()}
    other = State(mechanism, state.time, state.x + noise(length) * plane, R, state.v + noise(speed) * plane,
                  state.w + noise(spin) * axle, state.counted, beyond)
    other.round_off = lambda: np.longdouble(EPSILON * rng.uniform(-1, 1))
    return other


def round_off(measures, singular):
    """By owner and kind: what the solution of the equations may be off by. Next to a singular position an error of
    the positions turns the constraints themselves: the condition counts once more."""
    mechanism, motion, state = measures.mechanism, measures.motion, measures.state
    solved = max(STABLE * (EPSILON + motion.misfit) * motion.condition * (motion.condition if singular else 1), EPSILON / WEAK)
    unit = solved * motion.norm
    velocities = motion.s[:mechanism.moved].reshape(mechanism.count, -1)
    linear, angular = velocities[:, 0], velocities[:, -1]
    digits = STABLE * EPSILON * motion.condition
    found = {}
    for i, body in enumerate(mechanism.bodies[1:], 1):
        found[body.name, ""] = digits * float(mechanism.length)
        reach = max([0.0] + [float(np.abs(u).max()) for u in body.points.values()])
        w = float(np.abs(state.w[i]).max())
        found[body.name, "alpha"] = unit * angular[i] + SAFETY * EPSILON * w * w
        found[body.name, "a"] = unit * (linear[i] + angular[i] * reach) + SAFETY * EPSILON * w * w * reach
    for name, place in motion.place.items():
        rows = np.abs(np.asarray(motion.J_all[place, :mechanism.moved], dtype=float)).reshape(-1, mechanism.count, mechanism.free)
        touched = [i for i in range(1, mechanism.count) if rows[:, i].any()]
        found[name, "f"] = max((unit / linear[i] for i in touched), default=0.0)
        found[name, "t"] = max((unit / angular[i] for i in touched), default=0.0) + found[name, "f"] * float(mechanism.length)
        found[name, "effort"] = unit * motion.r[place][-1]
    return found


def kind_of(name):
    """Owner and kind: what the components of one vector have in common."""
    owner, _, key = name.rpartition(".")
    return owner, IN_BODY_AXES.get(key) or KIND.sub(r"\1", key)


def allowances(measures, values, duration, rng, tags, open_by=0.0, trials=TRIALS):
    size, changes = {}, {}
    for name, value in values.items():
        size[kind_of(name)] = max(size.get(kind_of(name), 0.0), abs(float(value)))
    for _ in range(trials):
        other = Measures(nudged(measures.state, duration, rng, open_by)).all()
        for name, value in values.items():
            changes[kind_of(name)] = max(changes.get(kind_of(name), 0.0), abs(float(other[name] - value)))
    length, speed, spin = scales(measures.state, duration)
    # a nudge may leave a measure as it is by chance
    for (owner, key), value in size.items():
        line = measures.mechanism.forces.get(owner, {}).get("type") in ("spring-damper", "actuator")
        least = {"": length, "displacement": length, "length": length, "v": speed, "speed": speed, "w": spin, "omega": spin,
                 "angle": 1, "q": 1, "rate": max(spin, speed) if line else spin, "a": speed * spin, "alpha": spin**2}
        size[owner, key] = max(value, least.get(key, 0))
    solved = round_off(measures, "singular" in tags)
    of_solution = lambda owner, key: solved.get((owner.partition(".")[0], key), 0.0)
    allowed = {}
    for name in values:
        group = kind_of(name)
        allowed[name] = SAFETY * (changes[group] + EPSILON * size[group]) + of_solution(*group)
        if "masses_apart" in tags:
            allowed[name] = max(allowed[name], COARSE * max(value for (_, key), value in size.items() if key == group[1]))
    return allowed


# --- one row ---

def compare_row(mechanism, row, start, columns, duration, rng, tags=()):
    """Differences of one row, and the reference's own motion."""
    measures = Measures(state_of_row(mechanism, row, start))
    if measures.motion.condition > LOST and "masses_apart" not in tags:
        return [], measures.motion
    values = measures.all()
    unknown = [name for name in columns if name not in values and name not in NOT_COMPUTED]
    if unknown:
        raise KeyError(f"the reference knows no measures {unknown}")
    expected = dict(values)
    align_quaternions(expected, row)
    align_turns(expected, row)
    # a length, or of directions a number; no more than the program promises
    open_by = min(row["constraint.position"] * max(1, 1 / float(mechanism.length)), TOLERANCE)
    for trials in (TRIALS, CLOSELY):
        allowed = allowances(measures, values, duration, rng, tags, open_by, trials)
        found = [Difference(row["t"], name, row[name], expected[name], allowed[name]) for name in columns
                 if name not in NOT_COMPUTED and not abs(row[name] - float(expected[name])) <= allowed[name]]
        if not found:
            break
    return found + gaps(measures.motion, duration, rng), measures.motion


def align_quaternions(values, row):
    """Both signs are the same orientation."""
    for name in [name for name in values if name.endswith(".qw")]:
        keys = [name[:-1] + c for c in "wxyz"]
        if sum(row[key] * float(values[key]) for key in keys) < 0:
            for key in keys:
                values[key] = -values[key]


def align_turns(values, row):
    """Roll and yaw are counted over turns; an instant does not know how many."""
    for name in [name for name in values if name.endswith((".roll", ".yaw"))]:
        values[name] = float(values[name]) + 2 * np.pi * np.round((row[name] - float(values[name])) / (2 * np.pi))


def row_changes(motion, duration, rng):
    """Of all gaps and slips, what errors in the last digits of the state change."""
    told = lambda rows: np.array([(float(row.jet.value), float(row.jet.rate)) for row in rows])
    changes = np.zeros((len(motion.rows), 2))
    for _ in range(CLOSELY):
        changes = np.maximum(changes, np.abs(told(Measures(nudged(motion.state, duration, rng, 0.0)).motion.rows) - told(motion.rows)))
    return changes


def gaps(motion, duration, rng):
    """Joints that the row does not close, or that slip: by more than errors in the last digits of all poses make up. Rows
    that do not fit one another may stay open by as much as they were written so. A row that others determine is made up of
    them with factors of up to one over their least singular value. Rows that turn fast with a pose, as those of a
    constant-velocity joint next to half a turn, are asked for what last digits change."""
    length, speed, spin = scales(motion.state, duration)
    found, changes = [], None
    for name, place in motion.place.items():
        share = 1 / motion.stiffest if name in motion.dependent else 1
        for index in range(len(motion.rows))[place]:
            row = motion.rows[index]
            linear, angular = (float(np.abs(part).sum()) for part in motion.state.split(row.jet.row))
            angular += float(np.abs(row.jet.row[motion.state.mechanism.moved:]).sum())
            for level, (what, value, noise) in enumerate((("gap", row.jet.value, linear * length + angular),
                                                          ("slip", row.jet.rate, linear * speed + angular * spin))):
                limit = 2 * SAFETY * (share * EPSILON + motion.misfit) * noise
                if not abs(float(value)) <= limit:
                    changes = row_changes(motion, duration, rng) if changes is None else changes
                    limit += SAFETY * changes[index, level]
                if not abs(float(value)) <= limit:
                    found.append(Difference(float(motion.state.time), f"{name}: {what}", float(value), 0, limit))
    return found


# --- a run as a whole ---

def energies(mechanism, run, motions, duration, singular):
    """The balance closes, and its parts belong together."""
    motion = motions[-1]
    start = run.rows[0]
    exchanged = max(max(abs(row["energy.kinetic"]), abs(row["energy.potential"] - start["energy.potential"]),
                        abs(row["energy.work"])) for row in run.rows)
    pushes = [float(np.abs(load.effort).max()) for load in motion.loads.values()]
    pushes += [float(body.mass * np.abs(body.gravity).max()) for body in mechanism.bodies]
    size = max(abs(row["energy.total"]) for row in run.rows) + exchanged + sum(pushes) * float(mechanism.length)
    # at rest velocities are still known to their last digits only
    slow = SAFETY * EPSILON * max(scales(m.state, duration)[1] for m in motions)
    digits = SAFETY * EPSILON * size + sum(float(body.mass) for body in mechanism.bodies) * slow**2 / 2
    # where other rows are left out than before, bodies move by what does not fit, against all forces; a misfit C has no position
    # nearer than sqrt(C) to a singular one, where velocities are off as much
    misfit = motion.misfit_as_written() if motion.redundant else 0.0
    moved = min(misfit * max(m.condition for m in motions), misfit**0.5) * max(sum(pushes) * float(mechanism.length), exchanged)
    found = []
    for row in run.rows:
        error = row["energy.total"] - start["energy.total"] - row["energy.work"]
        if not abs(row["energy.error"] - error) <= digits:
            found.append(Difference(row["t"], "energy.error", row["energy.error"], error, digits))
        limit = (1e-5 if singular else ENERGY) * exchanged + 100 * digits + moved
        if not abs(row["energy.error"]) <= limit:
            found.append(Difference(row["t"], "energy.error", row["energy.error"], 0, limit))
    return found


def energies_closely(case, model, run, motions, options):
    """Between two rows it may have come close to a singular position, where more moves by what does not fit."""
    mechanism = Mechanism(model)
    found = energies(mechanism, run, motions, case.duration, "singular" in case.tags)
    if not found or not motions[-1].redundant:
        return found
    step = case.duration / (len(run.rows) - 1) / BETWEEN
    fine = program.run(model, "--duration", repr(case.duration), "--output-step", repr(step), *options)
    near = [Measures(state_of_row(mechanism, row)).motion for row in fine.rows]
    return energies(mechanism, run, [*near, *motions], case.duration, "singular" in case.tags) if fine.status == 0 else found


def continuous(run):
    """Angles are counted over turns, and quaternions keep their sign: each follows from its rate and the row before, if the rate
    has not changed by much."""
    found = []
    pairs = [(name, name[:-5] + rate) for name in run.columns if name.endswith(".angle")
             for rate in ("omega", "rate") if name[:-5] + rate in run.columns]
    for before, row in zip(run.rows, run.rows[1:]):
        step = row["t"] - before["t"]
        for angle, rate in pairs:
            turned = (before[rate] + row[rate]) / 2 * step
            if abs(row[rate] - before[rate]) * step < 1 and not abs(row[angle] - before[angle] - turned) < 3:
                found.append(Difference(row["t"], angle, row[angle], before[angle] + turned, 3))
        for name in run.columns:
            if name.endswith(".qw"):
                body = name[:-3]
                product = sum(row[f"{body}.q{c}"] * before[f"{body}.q{c}"] for c in "wxyz")
                slow = step * max(abs(r[f"{body}.w{c}"]) for r in (before, row) for c in "xyz") < 1
                if slow and product < 0:
                    found.append(Difference(row["t"], f"{body}: sign of the quaternion", product, 1, 1))
    return found


def continuous_closely(case, model, run, options):
    """Two rows do not tell how fast it went between them: where something differs, rows in between are asked for."""
    if not continuous(run):
        return []
    step = case.duration / (len(run.rows) - 1) / BETWEEN
    fine = program.run(model, "--duration", repr(case.duration), "--output-step", repr(step), *options)
    return continuous(fine) if fine.status == 0 else continuous(run)


def is_massless(mechanism):
    """Whether a rotation has no inertia; if it is a freedom is then a matter of words."""
    return any(np.linalg.eigvalsh(np.asarray(body.inertia, dtype=float))[2 if mechanism.planar else 0] <= 1e-9 * np.trace(body.inertia)
               for body in mechanism.bodies[1:])


def counts(mechanism, run, motion):
    """Freedoms and redundant rows that the summary tells."""
    expected = {"degrees_of_freedom": motion.degrees_of_freedom, "redundant_constraints": motion.redundant}
    if is_massless(mechanism):
        return []
    return [Difference(0, key, run.summary[key], value, 0) for key, value in expected.items() if run.summary[key] != value]


def told(mechanism, model, motion):
    """What `trammel check` says of the start."""
    found = program.check(model)
    if found is None:
        return ["trammel check refuses the model"]
    texts = []
    if found["singular_start"]:
        texts.append("trammel check calls the start singular")
    if sorted(found["redundant_joints"]) != sorted(motion.dependent):
        texts.append(f"trammel check calls {found['redundant_joints']} redundant, expected {motion.dependent}")
    return texts


def swing_cosine(state, force):
    """Of the angle between the axes that both bodies of a torsion spring carry."""
    axis, bodies = rotation.unit(state.mechanism.vector(force["axis"])), state.mechanism.bodies
    first, second = (state.R[b] @ (bodies[b].R.T @ axis) for b, _ in state.mechanism.ends(force))
    return float(first @ second)


def bend_cosine(state):
    """joint -> of the angle between the axes of a constant-velocity joint; of others 1"""
    def of(joint):
        if joint["type"] != "constant-velocity":
            return 1.0
        first, second = (state.R[b] @ axis for (b, _), axis in zip(state.mechanism.ends(joint), state.mechanism.axes(joint)))
        return float(first @ second)
    return of


def lies_flat(state, joint, time):
    """Whether a disc that rolls gets down to its plane within a time, as it turns now."""
    if joint["type"] != "rolling":
        return False
    (a, _), (b, _) = state.mechanism.ends(joint)
    normal, axis = (state.R[i] @ axis for i, axis in zip((a, b), state.mechanism.axes(joint)))
    slope, spin = (float(np.linalg.norm(x)) for x in (np.cross(normal, axis), state.w[b] - state.w[a]))
    return slope <= FLAT + spin * time


def is_next_to_pole(state, name, time):
    """Whether a driven orientation gets to where its angles, or its rotation vector, have no value within a time, as it turns now."""
    joint = state.mechanism.joints[name]
    body, what = orientation_of(joint["of"])
    i = state.mechanism.index[body]
    spin = float(np.linalg.norm(state.w[i]))
    if isinstance(what, int):
        laws = [float(law(state, state.mechanism.joints[name[:-1] + c]["value"]).value) for c in "xyz"]
        return 2 * np.pi - np.linalg.norm(laws) <= NEXT_TO + 2 * spin * time
    middle = rotation.euler_angles(state.R[i], what[0])[1]
    return abs(np.sin(middle) if what[0][0] == what[0][2] else np.cos(middle)) <= NEXT_TO + spin * time


def is_driven_back(state, name):
    """Whether an event drives what it watches back to zero from both sides: it would fire for ever."""
    event = state.mechanism.events[name]
    other = State(state.mechanism, state.time, state.x, state.R, state.v, state.w, state.counted, state.beyond)
    other.beyond.update({key: evaluate(state, text) for key, text in event.get("set", {}).items()})
    rates = [when_rate(s, event["when"]) for s in (state, other)]
    return rates[0] * rates[1] < 0


def when_rate(state, text):
    """Of a formula, along the motion."""
    motion, step = Measures(state).motion, 1e-7
    a, alpha = (np.asarray(x, dtype=float) for x in motion.body_accelerations())
    R = [rotation.about(w, float(np.linalg.norm(w)) * step) @ R if np.linalg.norm(w) > 0 else R for w, R in zip(state.w, state.R)]
    rates = {key: evaluate(state, entry.get("rate", 0)) for key, entry in state.mechanism.states.items()}
    beyond = {**state.beyond, **{key: state.beyond[key] + step * rate for key, rate in rates.items()}}
    moved = State(state.mechanism, state.time + step, state.x + step * state.v, R, state.v + step * a, state.w + step * alpha, state.counted, beyond)
    return float(evaluate(moved, text) - evaluate(state, text))


def has_cause(model, run, mechanism, options):
    """Whether a run stopped where the mechanism cannot go on: at a dead centre, or out of reach (towards it the constraints
    become dependent, as the root of the time that is left), or where dry friction holds it."""
    if "jumps" in run.error and "J1.speed" in model.get("initial", {}):  # dry friction has used up the speed, evenly
        stops = float(run.error.split("t = ")[1].split(":")[0])
        (t0, v0), (t1, v1) = [(row["t"], row["J1.speed"]) for row in (run.rows[0], run.rows[-1])]
        return abs((t0 + v0 * (t1 - t0) / (v0 - v1)) / stops - 1) < 1e-5
    if "it has turned by a full turn" in run.error:  # a bushing; the turn is checked before that, row by row
        return "half_turn" in str(model.get("name")) or any(force["type"] == "bushing" for force in model["forces"].values())
    if "bent by half a turn" in run.error:
        return min(map(bend_cosine(state_of_row(mechanism, run.rows[-1])), mechanism.joints.values())) < -0.95
    if "its axis has swung by half a turn" in run.error:
        swung = [1 + swing_cosine(state_of_row(mechanism, run.rows[-1]), force) for force in mechanism.forces.values()
                 if force["type"] == "torsion-spring-damper"]
        return min(swung, default=1) < 0.05
    reached = run.summary.get("time_reached", 0)

    def state_before(left):
        """When a part of the time is left; None where no run gets there."""
        time = reached * (1 - left)
        before = program.run(model, "--duration", repr(time), "--output-step", repr(time), *options)
        return state_of_row(mechanism, before.rows[-1]) if before.status == 0 else None

    if "fires again and again" in run.error:
        return is_driven_back(state_of_row(mechanism, run.rows[-1], run.rows[0]), re.search(r"event '(\w+)'", run.error).group(1))
    if "singular orientation" in run.error or "comes to a full turn" in run.error:
        near, name = state_before(1e-3), re.search(r"joint '(\w+)'", run.error).group(1)
        return near is not None and is_next_to_pole(near, name, 1e-3 * reached)
    if "lies flat" in run.error:
        near = state_before(1e-4)
        return near is not None and any(lies_flat(near, joint, 1e-4 * reached) for joint in mechanism.joints.values())
    least = lambda state: Measures(state).motion.stiffest  # singular value of the constraints
    for decade in (-6, -4, -2) if reached > 0 else ():
        near, before, early = (state_before(10.0**d) for d in (decade, decade + 1, -1))
        if near is not None and before is not None:
            # it falls by 10**-0.5 a decade, or not at all, whichever is nearer: in the last one, or where it swings there, in all
            fell = lambda state, decades: least(near) < 10**(-0.25 * decades) * least(state)
            return fell(before, 1) or early is not None and fell(early, -1 - decade)
    return False


def check_run(case, model, run, options, by_default):
    """Texts about one run."""
    mechanism, rng = Mechanism(model), np.random.default_rng(case.seed)
    if run.status == 1 and has_cause(model, run, mechanism, options):
        return []
    if run.status != 0:
        return [f"the run ends with {run.status}: {run.error}"]
    last = len(run.rows) - 1
    problems, motions = [], []
    for k in sorted({0, last // 2, last} if by_default else {0, last}):
        found, motion = compare_row(mechanism, run.rows[k], run.rows[0], run.columns, case.duration, rng, case.tags)
        if k == 0:
            found += counts(mechanism, run, motion) + check_start.judge(mechanism, run.rows[0], case.duration, motion)
        problems += found
        motions.append(motion)
    return [str(problem) for problem in problems + energies_closely(case, model, run, motions, options) +
            continuous_closely(case, model, run, options)]


# redundant loops, mechanisms without freedoms
RELATIVE_REFUSES = ("share no reactions among redundant joints", "the joints leave no freedom")


def other_formulation(case):
    """Coordinates, solver and storage by which the same rows must come out."""
    rng = np.random.default_rng([case.seed, 5])
    pick = lambda choices: choices[int(rng.integers(len(choices)))]
    if case.model["space"] == "spatial" and case.seed % 3 == 0:
        return ("--coordinates", "relative")
    coordinates = ("--coordinates", pick(COORDINATES[case.model["space"]]))
    if "chain" in case.tags:
        return (*coordinates, "--linear", "sparse")  # dense ones take long
    return (*coordinates, "--solver", pick(SOLVERS), "--linear", pick(LINEAR))


def check(case):
    """What is wrong with a case, as texts: by default, and by another formulation."""
    model = {**case.model, "outputs": outputs(case.model)}
    parts = 400 if "fast" in case.tags else 4
    found = []
    for formulation in ((), other_formulation(case)):
        options = (*case.tolerances(), *formulation)
        run = program.run(model, "--duration", repr(case.duration), "--output-step", repr(case.duration / parts), *options)
        if run.status == 2 and any(why in run.error for why in RELATIVE_REFUSES):
            continue
        texts = check_run(case, model, run, options, not formulation)
        if not found:  # what is wrong by default is told once
            found += [f"{' '.join(map(str, options))} {text}".strip() for text in texts]
    if run.rows:
        mechanism = Mechanism(model)
        found += told(mechanism, model, Measures(state_of_row(mechanism, run.rows[0])).motion)
    return found
