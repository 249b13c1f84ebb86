"""Events against the same motion without them: their times and what they set become formulas of t, piece by piece.

A run with events tells when each was. Without events, states that they set are what they would be plus jumps, sums of
heaviside(t - time): such a run to the time of an event must find its formula at zero there, and none of the others may have changed
sides on the way. What the event sets is computed here, from the row at its time. At the end both runs have the same motion.
"""
import copy

import formula
import program
import signals
from check_invariance import DEFAULT, FLOOR, TIGHT
from measures import outputs, state_of_row
from mechanism import Mechanism

ROWS = 200
MOST = 12  # instants; what happens more often is not followed
FOLLOWING = 20  # events at one instant
SIDES = {"rising": (1,), "falling": (-1,), "both": (1, -1)}


class Pieces:
    def __init__(self, case):
        self.case, self.model = case, case.model
        self.mechanism = Mechanism(case.model)
        self.jumps = {name: [] for name in case.model["states"]}  # (time, by how much)
        self.count = {name: [] for name in case.model["events"]}  # times

    def without_events(self):
        """The model up to now, its events as formulas of t."""
        model = copy.deepcopy(self.model)
        del model["events"]
        stepped = lambda start, jumps: " + ".join([start, *(f"{jump!r}*heaviside(t - {time!r})" for time, jump in jumps)])
        rename = lambda name: name.replace(".", "_") if name.endswith(".count") and name.partition(".")[0] in self.count else None
        variables = model.setdefault("variables", {})
        for name in list(model["states"]):
            entry = model["states"].pop(name)
            if "rate" in entry:
                model["states"][f"{name}_"] = {"initial": entry["initial"], "rate": formula.substitute(entry["rate"], rename)}
            variables[name] = stepped(f"{name}_" if "rate" in entry else repr(entry["initial"]), self.jumps[name])
        for name, times in self.count.items():
            variables[f"{name}_count"] = stepped("0", [(time, 1.0) for time in times])
        for entry in model["forces"].values():
            for key in ("value", "stiffness", "damping", "force", "torque"):
                if key in entry and entry["type"] != "bushing":
                    entry[key] = ([formula.substitute(x, rename) for x in entry[key]] if isinstance(entry[key], list) else
                                  formula.substitute(entry[key], rename))
        return {**model, "outputs": outputs(model)}

    def run(self, end, rtol):
        return program.run(self.without_events(), "--duration", repr(end), "--output-step", repr(end / ROWS), "--rtol", rtol, "--atol",
                           self.case.atol(rtol))

    def state(self, row, start, values=None, more=None):
        """Of a row without events; values of states and counts may be others."""
        counts = {f"{name}.count": len(times) for name, times in self.count.items()}
        state = state_of_row(self.mechanism, {**row, **counts}, start)
        state.beyond.update(values or {})
        state.beyond.update(more or {})
        return state

    def when(self, name, state):
        return float(signals.evaluate(state, self.model["events"][name]["when"]))


def firings(case):
    """The run with events, and its instants: [(time, [names])] in the order of the file; None where they are too many."""
    model = {**case.model, "outputs": [*outputs(case.model), *(f"{name}.time" for name in case.model["events"])]}
    run = program.run(model, "--duration", repr(case.duration), "--output-step", repr(case.duration / ROWS), "--rtol", TIGHT, "--atol",
                      case.atol(TIGHT))
    found = {}
    for before, row in zip(run.rows, run.rows[1:]):
        for name in case.model["events"]:
            more = row[f"{name}.count"] - before[f"{name}.count"]
            if more > 1:
                return run, None
            if more == 1:
                found.setdefault(row[f"{name}.time"], []).append(name)
    return run, sorted(found.items()) if len(found) <= MOST else None


def side(value, noise):
    return 0 if abs(value) <= noise else 1 if value > 0 else -1


def fire(pieces, time, names, row, start, exact, problems):
    """One instant: what is set, in the order that the manual tells; names that fire without a reason, or do not, are told."""
    events, now, more = pieces.model["events"], {}, {}
    waiting, fired = [name for name in events if name in exact], []
    while waiting and len(fired) < FOLLOWING:
        name = waiting.pop(0)
        before = pieces.state(row, start, now, more)
        new = {state: signals.evaluate(before, text) for state, text in events[name].get("set", {}).items()}
        sides = {other: pieces.when(other, before) for other in events}
        fired.append(name)
        now = {**now, **new}
        more = {**more, f"{name}.count": len(pieces.count[name]) + fired.count(name), f"{name}.time": time}
        after = pieces.state(row, start, now, more)
        for other, value in sides.items():
            jumped = side(pieces.when(other, after), 0)
            crossed = value * jumped < 0 and jumped in SIDES[events[other].get("direction", "both")]
            if other != name and crossed and other not in waiting and other not in exact:
                waiting.append(other)
    if sorted(fired) != sorted(names):
        problems.append(f"t = {time:.9g}: events {names}, expected {fired}")
    at = pieces.state(row, start)
    for state, value in now.items():
        pieces.jumps[state].append((time, float(value - at.beyond[state])))
    for name in fired:
        pieces.count[name].append(time)


def check(case):
    """What is wrong with the events of a case, as texts."""
    run, instants = firings(case)
    if run.status != 0 or instants is None:
        return []  # a run that stops is judged elsewhere
    pieces, problems, since = Pieces(case), [], 0.0
    events = case.model["events"]
    for time, names in [*instants, (run.rows[-1]["t"], [])]:
        if time <= since:
            break
        exact, other = (pieces.run(time, rtol) for rtol in (TIGHT, DEFAULT))
        if exact.status or other.status:
            return problems + [f"without events the run ends with {exact.status}: {exact.error or other.error}"]
        rows = [row for row in exact.rows if row["t"] > since * (1 + 1e-12)]
        values = {name: [pieces.when(name, pieces.state(row, exact.rows[0])) for row in rows] for name in events}
        off = {name: abs(pieces.when(name, pieces.state(other.rows[-1], other.rows[0])) - values[name][-1]) for name in events}
        noise = {name: off[name] + FLOOR * (max(map(abs, values[name])) + 1e-3) for name in events}
        problems += judge(events, time, names, values, noise)
        if problems:
            return problems
        if names:
            crossed = [name for name in names if side(values[name][-1], noise[name]) == 0]
            fire(pieces, time, names, exact.rows[-1], exact.rows[0], crossed, problems)
            since = time
        else:
            problems += compare(case, run.rows[-1], exact, other)
        if any(events[name].get("stop") for name in names):
            return problems + ([] if run.rows[-1]["t"] == time else [f"t = {time:.9g}: the run does not end where an event stops it"])
    return problems


def judge(events, time, names, values, noise):
    """At the end of a piece: who has crossed zero."""
    found = []
    for name, value in values.items():
        sides = [side(x, noise[name]) for x in value]
        moved = [x for x in sides if x]
        wanted = SIDES[events[name].get("direction", "both")]
        if name in names and not sides[-1] and moved and -moved[-1] not in wanted:
            found.append(f"t = {time:.9g}: event '{name}' is no crossing in its direction")
        if name not in names and moved and sides[-1] and moved[0] != sides[-1] and sides[-1] in wanted:
            found.append(f"t = {time:.9g}: event '{name}' was missed: its formula went to {value[-1]:.3g}")
    if names and all(side(values[name][-1], noise[name]) for name in names):
        found += [f"t = {time:.9g}: event '{name}': its formula is {values[name][-1]:.3g}, expected 0, allowed {noise[name]:.2g}" for name in names]
    return found


def compare(case, row, exact, other):
    """The motion at the end, with and without events."""
    found, last, loose = [], exact.rows[-1], other.rows[-1]
    for name in case.model["bodies"]:
        for key in ("x", "y", "vx", "vy", "omega", "angle") if case.model["space"] == "planar" else ("x", "y", "z", "vx", "vy", "vz", "wx", "wy", "wz"):
            column = f"{name}.{key}"
            size = max(abs(r[column]) for r in exact.rows) + 0.1 * float(Mechanism(case.model).length) / (case.duration if key[0] == "v" else 1)
            allowed = abs(last[column] - loose[column]) + 100 * FLOOR * size
            if not abs(row[column] - last[column]) <= allowed:
                found.append(f"t = {row['t']:.6g}: {column} is {row[column]!r}, without events {last[column]!r}, allowed {allowed:.2g}")
    return found
