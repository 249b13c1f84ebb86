"""Inputs, variables and states, and every measure of position or velocity level that a formula may use."""
import re

import formula
from jet import Jet, Real

LETTERS = "xyz"
SMOOTH = re.compile(r"^smooth\((.*), ([^,()]*)\)$")


def filter_of(mechanism, name):
    """Text and time constant of a variable that is smooth(x, tau); else None"""
    found = SMOOTH.match(str(mechanism.variables.get(name, "")))
    return found and (found.group(1), mechanism.number(found.group(2)))


def evaluate(state, text):
    """A formula of t, parameters and measures."""
    known = state.mechanism.parameters
    value = lambda name: state.time if name == "t" else known[name] if name in known else measure(state, name)
    return formula.evaluate(text, lambda name: value(name) * (1 + state.round_off()))


def measure(state, name):
    """By its name, of position or velocity level; states and filters have the values that `state.beyond` tells."""
    mechanism = state.mechanism
    if name in mechanism.states or filter_of(mechanism, name):
        return state.beyond[name]
    if name in mechanism.variables:
        return evaluate(state, mechanism.variables[name])
    if name in mechanism.inputs:
        return evaluate(state, mechanism.inputs[name])
    if name.endswith("'"):
        return evaluate(state, mechanism.states[name[:-1]].get("rate", 0))
    owner, _, key = name.rpartition(".")
    if owner in mechanism.events:
        return state.beyond[name]
    if owner in mechanism.joints or owner in mechanism.shafts:
        freedom = state.freedom(owner, "angle" if key in ("angle", "rate") else "displacement")
        return freedom.value if key in ("angle", "displacement") else freedom.rate
    if owner in mechanism.forces:
        entry = mechanism.forces[owner]
        if entry["type"] == "torsion-spring-damper":
            raise ValueError("formulas of the tests use lengths of springs only")
        s = state.distance(mechanism.ends(entry))
        return s.value if key == "length" else s.rate
    if key in ("angle", "omega"):
        return state.coordinate(f"{owner}.angle").value if key == "angle" else state.w[mechanism.index[owner]][2]
    if key in ("wx", "wy", "wz"):
        return state.w[mechanism.index[owner]][LETTERS.index(key[1])]
    point = state.point(*mechanism.end(owner))
    return point.value[LETTERS.index(key)] if len(key) == 1 else point.rate[LETTERS.index(key[1])]


def law(state, text):
    """A formula of a joint with its rates: of t, of filters, tau^2 y'' + 2 tau y' + y = x, and on velocity level of states."""
    mechanism = state.mechanism

    def find(name):
        if name == "t":
            return Jet(state.time, Real(1), Real(0))
        if name in mechanism.parameters:
            return mechanism.parameters[name]
        smooth = filter_of(mechanism, name)
        if smooth:
            x, tau = smooth
            y, rate = state.beyond[name], state.beyond.get(f"{name}'", Real(0))
            return Jet(y, rate, (evaluate(state, x) - y - 2 * tau * rate) / tau**2)
        if name in mechanism.states:
            return Jet(state.beyond[name], measure(state, f"{name}'"))
        return law(state, mechanism.variables[name])

    value = formula.evaluate(text, find)
    return value if isinstance(value, Jet) else Jet(value)


def all_of(state):
    """Columns of all signals."""
    mechanism = state.mechanism
    names = [*mechanism.inputs, *mechanism.variables, *mechanism.states]
    names += [f"{name}'" for name in mechanism.states] + [f"{name}.count" for name in mechanism.events]
    return {name: measure(state, name) for name in names}


def as_written(state):
    """What `state.beyond` has before anything moves: numbers that states start with, and filters at their x."""
    mechanism = state.mechanism
    found = {name: mechanism.number(entry["initial"]) for name, entry in mechanism.states.items()}
    found.update({f"{name}.count": Real(0) for name in mechanism.events})
    state.beyond.update(found)
    for name in mechanism.variables:
        smooth = filter_of(mechanism, name)
        if smooth:
            state.beyond[name] = evaluate(state, smooth[0])


def of_row(mechanism, row):
    """`beyond` of a row. The rate of a filter is told by the driver whose law is linear in it."""
    found = {name: Real(row[name]) for name in [*mechanism.states, *(f"{name}.count" for name in mechanism.events)]}
    for name in mechanism.shafts:
        found.update({f"{name}.{key}": Real(row[f"{name}.{key}"]) for key in ("angle", "rate")})
    found.update({name: Real(row[name]) for name in mechanism.variables if filter_of(mechanism, name)})
    for name, entry in mechanism.forces.items():  # forces of tires, which hang on states of their own
        if entry["type"] == "tire" and f"{name}.fx" in row:
            found.update({f"{name}.{key}": Real(row[f"{name}.{key}"]) for key in ("fx", "fy", "fz", "mx", "my", "mz")})
    for joint in mechanism.joints.values():
        for name in formula.names(joint.get("value", "")) if joint["type"] == "driver" else ():
            if name in found and filter_of(mechanism, name):
                at = lambda y: formula.evaluate(joint["value"], lambda other: y if other == name else mechanism.parameters[other])
                owner, which = mechanism.freedom(joint["of"])
                found[f"{name}'"] = Real(row[f"{owner}.{'rate' if which == 'angle' else 'speed'}"]) / (at(Real(1)) - at(Real(0)))
    return found
