"""The same mechanism written in another way: other order, sides exchanged, other body frames, other forms of the same
numbers. Each gives a model and a function that makes its expected rows from those of the original."""
import copy

import numpy as np

import formula
import rotation
from jet import real
from measures import state_of_row
from mechanism import GROUND, Mechanism, orientation_of

SYMMETRIC = {"revolute", "spherical", "universal", "cylindrical", "prismatic", "screw", "rigid", "planar", "parallel", "perpendicular",
             "distance"}
# torques of these are about the same point from both sides, so that least norms stay the same
SAME_POINT = {"revolute", "spherical", "universal", "parallel", "perpendicular", "distance"}


FORMULAS = ("value", "stiffness", "damping", "length", "angle", "force", "torque")


def permuted(model, rng):
    """Bodies, joints and forces in another order; what refers to another thing may stand before it."""
    model = copy.deepcopy(model)
    for part in ("bodies", "shafts", "joints", "inputs", "variables", "states", "forces"):
        names = list(model.get(part, {}))
        rng.shuffle(names)
        if names:
            model[part] = {name: model[part][name] for name in names}
    return model, dict


# --- first and second exchanged ---

def exchanged(model, redundant=False):
    """Angles and displacements count backwards, reactions act on the other body. What only the first carries (lines,
    planes, bushing axes, the axis of a torsion spring in space) would be another mechanism and stays."""
    old, new = Mechanism(model), copy.deepcopy(model)
    coupled = {text.partition(".")[0] for entry in old.forces.values() if isinstance(entry.get("of"), list) for text in entry["of"]}
    turned = {name for name, joint in old.joints.items() if joint["type"] in (SAME_POINT if redundant else SYMMETRIC)} - coupled
    geared = {name for name, joint in old.joints.items() if joint["type"] == "gear"}
    springs = {name for name, entry in old.forces.items() if entry["type"] == "torsion-spring-damper" and old.planar and "connect" in entry}
    sign = lambda text: -1.0 if text.partition(".")[0] in turned | springs else 1.0
    count = lambda name: f"-{name}" if name.partition(".")[0] in turned and name not in old.parameters else None
    for name, joint in new.get("joints", {}).items():
        kind = joint["type"]
        if name in turned:
            joint["connect"].reverse()
            if "axes" in joint:
                joint["axes"].reverse()
        if kind == "gear":
            first, second = joint["joints"]
            ratio = float(sign(first) * sign(second) * old.number(joint["ratio"]))
            joint["joints"], joint["ratio"] = ([second, first], 1 / ratio) if name in geared else ([first, second], ratio)
        if kind == "coordinate":
            joint["sum"] = {term: sign(term) * factor for term, factor in joint["sum"].items()}
        if kind == "driver" and joint["of"].partition(".")[0] in turned:
            key = "rate" if "rate" in joint else "value"
            joint[key] = f"-({joint[key]})"
    replace_in_signals(new, count)
    for name, entry in new.get("forces", {}).items():
        for key in FORMULAS:
            if key in entry:
                entry[key] = ([formula.substitute(x, count) for x in entry[key]] if isinstance(entry[key], list) else
                              formula.substitute(entry[key], count) if entry["type"] != "bushing" else entry[key])
        if entry["type"] in ("spring-damper", "actuator") and "connect" in entry or name in springs:
            entry["connect"].reverse()
        if name in springs and "angle" in entry:
            entry["angle"] = f"-({entry['angle']!r})" if not isinstance(entry["angle"], str) else f"-({entry['angle']})"
        if entry["type"] == "actuator" and entry.get("of", "").partition(".")[0] in turned:
            entry["value"] = f"-({entry['value']})" if isinstance(entry["value"], str) else -entry["value"]
    for name in new.get("initial", {}):
        new["initial"][name] *= sign(name)

    def predict(row):
        row = dict(row)
        state = state_of_row(old, row)
        for name, joint in old.joints.items():
            driven = joint["type"] == "driver" and joint["of"].partition(".")[0]
            if name in turned or driven in turned:
                turn_back(old, state, row, name, old.ends(old.joints[driven] if driven else joint))
            if driven in turned or joint["type"] == "screw" and name in turned:
                row[f"{name}.effort"] *= -1
            if joint["type"] == "gear":
                first, second = joint["joints"]
                row[f"{name}.effort"] *= -sign(first) * float(old.number(joint["ratio"])) if name in geared else sign(second)
        for name, entry in old.forces.items():
            if name in springs or entry["type"] == "actuator" and entry.get("of", "").partition(".")[0] in turned:
                for key in ("angle", "length", "rate", "torque", "force"):
                    if f"{name}.{key}" in row:
                        row[f"{name}.{key}"] *= -1
        return row
    return new, predict


def replace_in_signals(model, replace):
    for part in ("inputs", "variables"):
        for name, text in model.get(part, {}).items():
            model[part][name] = formula.substitute(text, replace)
    for entry in model.get("states", {}).values():
        if "rate" in entry:
            entry["rate"] = formula.substitute(entry["rate"], replace)
    for entry in model.get("events", {}).values():
        entry["when"] = formula.substitute(entry["when"], replace)
        if "set" in entry:
            entry["set"] = {name: formula.substitute(text, replace) for name, text in entry["set"].items()}


def turn_back(old, state, row, name, ends):
    """Freedoms and reaction of one joint, seen from its other side."""
    for key in ("angle", "rate", "displacement", "speed"):
        if f"{name}.{key}" in row:
            row[f"{name}.{key}"] *= -1
    first, second = (np.asarray(state.x[b] + state.R[b] @ u, dtype=float) for b, u in ends)
    letters = "xy" if old.planar else "xyz"
    F = np.array([row[f"{name}.f{c}"] for c in letters] + [0] * (3 - len(letters)))
    moment = np.cross(second - first, F)
    for c, f in zip(letters, F):
        row[f"{name}.f{c}"] = -f
    for k, c in enumerate("xyz"):
        if f"{name}.t{c}" in row:
            row[f"{name}.t{c}"] = -row[f"{name}.t{c}"] - moment[k]
    if f"{name}.t" in row:  # about the other point
        row[f"{name}.t"] = float(np.hypot.reduce([row[f"{name}.t{x}"] for x in "xyz" if f"{name}.t{x}" in row]))


# --- other body frames ---

def reframed(model, rng):
    """Every body's frame is put elsewhere on the body and turned; `O_` is where its origin was."""
    old, new = Mechanism(model), copy.deepcopy(model)
    numbers = lambda v: [float(x) for x in (v[:2] if old.planar else v)]
    S, d, turn = {}, {}, {}
    driven = {joint["of"].partition(".")[0] for joint in old.joints.values() if joint["type"] == "driver" and orientation_of(joint["of"])}
    for body in old.bodies[1:]:
        turn[body.name] = float(rng.uniform(-1, 1))
        S[body.name] = rotation.planar(turn[body.name]) if old.planar else rotation.random_rotation(rng)
        if body.name in driven:  # its axes are told
            S[body.name] = np.eye(3)
        d[body.name] = real(rng.normal(size=3) * [1, 1, 0 if old.planar else 1]) * 0.3 * old.length
    own = lambda name, u: S[name].T @ (u - d[name])
    for body in old.bodies[1:]:
        entry, n = new["bodies"][body.name], body.name
        entry["position"] = numbers(body.x + body.R @ d[n])
        if old.planar:
            entry["angle"] = float(old.number(entry.get("angle", 0)) + turn[n])
        else:
            entry["orientation"] = {"quaternion": [float(x) for x in rotation.to_quaternion(body.R @ S[n])]}
            I = S[n].T @ body.inertia @ S[n]
            entry["inertia"] = [float(x) for x in (I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2])]
        entry["com"] = numbers(own(n, body.com))
        entry["points"] = {"O_": numbers(own(n, np.zeros(3))), **{p: numbers(own(n, u)) for p, u in body.points.items()}}
        if "velocity" in entry:
            w = entry["angular-velocity"]
            w = real([0, 0, w] if old.planar else w)
            entry["velocity"] = numbers(old.vector(entry["velocity"]) + np.cross(w, body.R @ d[n]))
    place = lambda text: f"{text}.O_" if text in S else text

    def rename(name):
        owner, _, key = name.rpartition(".")
        if name in old.parameters or owner not in S or key in ("omega", "wx", "wy", "wz"):
            return None
        return f"{name} - {turn[owner]!r}" if key == "angle" else f"{owner}.O_.{key}"

    for joint in new.get("joints", {}).values():
        if "connect" in joint:
            if "at" not in joint:
                joint["connect"] = [place(text) for text in joint["connect"]]
            if "axes" in joint:
                joint["axes"] = [numbers(S[b].T @ old.vector(v)) if b in S else v for b, v in
                                 zip((text.partition(".")[0] for text in joint["connect"]), joint["axes"])]
        if joint["type"] == "coordinate":
            shift = sum(factor * turn[name[:-6]] for name, factor in joint["sum"].items() if name[:-6] in S and name.endswith(".angle"))
            joint["sum"] = {name if name.endswith(".angle") else coordinate_name(name, S): factor for name, factor in joint["sum"].items()}
            value = joint.get("value", 0.0)
            joint["value"] = f"{value} + {float(shift)!r}" if isinstance(value, str) else value + shift
        if joint["type"] == "driver" and "value" in joint and not old.freedom(joint["of"]) and not orientation_of(joint["of"]):
            if joint["of"].endswith(".angle"):
                joint["value"] = f"{joint['value']} + {turn[joint['of'][:-6]]!r}"
            else:
                joint["of"] = coordinate_name(joint["of"], S)
    for entry in new.get("forces", {}).values():
        if "connect" in entry and "at" not in entry:
            entry["connect"] = [place(text) for text in entry["connect"]]
        for key in FORMULAS:
            if key in entry and entry["type"] != "bushing":
                entry[key] = ([formula.substitute(x, rename) for x in entry[key]] if isinstance(entry[key], list) else
                              formula.substitute(entry[key], rename))
        if entry.get("frame") == "body":
            body = (entry.get("body") or entry["point"]).partition(".")[0]
            entry["value"] = combined(entry["value"], np.asarray(S[body].T, dtype=float))
        if entry["type"] == "force":
            entry["point"] = place(entry["point"])
        if entry["type"] == "tire":
            entry["centre"], entry["axis"] = "O_", numbers(S[entry["wheel"]].T @ old.vector(entry["axis"]))
        first = entry["type"] == "load" and entry["connect"][0].partition(".")[0]
        for key in ("force", "torque") if first in S else ():
            if isinstance(entry.get(key), list):
                entry[key] = combined(entry[key], np.asarray(S[first].T, dtype=float))
    replace_in_signals(new, rename)
    if "initial" in new:
        new["initial"] = {coordinate_name(name, S) if not name.endswith(("angle", "omega", "wx", "wy", "wz")) else name:
                          value + (turn[name[:-6]] if name.endswith(".angle") and name[:-6] in S else 0)
                          for name, value in new["initial"].items()}

    def predict(row):
        found = {}
        for name, value in row.items():
            owner, _, key = name.rpartition(".")
            if owner in S and key == "angle":
                found[name] = value + turn[owner]
            elif owner in S and key not in ("omega", "alpha") and key[:-1] not in ("w", "alpha", "q"):
                found[f"{owner}.O_.{key}"] = value
            else:
                found[name] = value
        if not old.planar:
            for n in S:
                R = rotation.from_quaternion([row[f"{n}.q{c}"] for c in "wxyz"]) @ S[n]
                found.update({f"{n}.q{c}": float(q) for c, q in zip("wxyz", rotation.to_quaternion(R))})
        return found
    return new, predict


def coordinate_name(name, bodies):
    owner, _, key = name.rpartition(".")
    return f"{owner}.O_.{key}" if owner in bodies else name


def combined(entries, matrix):
    n = len(entries)
    text = lambda x: x if isinstance(x, str) else repr(float(x))
    if not any(isinstance(x, str) for x in entries):
        return [float(x) for x in matrix[:n, :n] @ np.array(entries, dtype=float)]
    return [" + ".join(f"({float(matrix[j, k])!r})*({text(entries[k])})" for k in range(n)) for j in range(n)]


# --- other forms of the same numbers ---

def reformed(model, rng):
    """`axes` for `axis`, points for `at`, other forms of orientations, formulas and parameters for numbers."""
    old, new = Mechanism(model), copy.deepcopy(model)
    numbers = lambda v: [float(x) for x in (v[:2] if old.planar else v)]
    parameters = new.setdefault("parameters", {})
    for body in old.bodies[1:]:
        entry = new["bodies"][body.name]
        parameters[f"m_{body.name}"] = float(body.mass)
        entry["mass"] = f"2*m_{body.name} - m_{body.name}"
        if not old.planar:
            sequence = rotation.EULER[int(rng.integers(12))]
            angles = [float(a) for a in rotation.euler_angles(body.R, sequence)]
            entry["orientation"] = {"euler": sequence, "angles": angles}
            if abs(np.sin(angles[1])) < 0.1 or abs(np.cos(angles[1])) < 0.1:  # near the sequence's singular position
                entry["orientation"] = {"matrix": np.asarray(body.R, dtype=float).tolist()}
    for name, joint in new.get("joints", {}).items():
        if "axis" in joint and joint["type"] != "roller" and not (joint["type"] == "rolling" and not old.planar):
            joint["axes"] = [numbers(3 * axis) for axis in old.axes(joint)]
            del joint["axis"]
    for part in ("joints", "forces"):
        for name, entry in new.get(part, {}).items():
            if "at" not in entry:
                continue
            sides = []
            for side, (b, u) in zip(entry["connect"], old.ends(entry)):
                if "." not in side:
                    owner = new.setdefault("ground", {}) if side == GROUND else new["bodies"][side]
                    owner.setdefault("points", {})[f"at_{name}"] = numbers(u)
                    side = f"{side}.at_{name}"
                sides.append(side)
            entry["connect"] = sides
            del entry["at"]
    new = {"parameters": parameters, **{key: value for key, value in new.items() if key != "parameters"}}
    return {"trammel": new.pop("trammel"), **new}, dict
