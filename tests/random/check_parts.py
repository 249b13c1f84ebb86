"""A mechanism as a part of another model, moved and mirrored: what `transform` predicts, in the part's names."""
import shutil
import tempfile
from pathlib import Path

import numpy as np

import program
import transform
from mechanism import Mechanism

PREFIX = "p_"
WHOLE = ("energy", "momentum", "constraint", "t")
TURNING = ("revolute", "cylindrical", "screw")  # in space: their axes are axial vectors


def named(name):
    return name if name.partition(".")[0] in WHOLE else PREFIX + name


def change_of(planar, mirror, shift):
    """Bodies' own axes are mirrored as the global ones are."""
    Q = np.diag([-1.0 if axis == mirror else 1.0 for axis in "xyz"])
    change = transform.Change(Q, shift)
    change.P, change.turn = Q, 0.0
    return change


def backwards(mechanism, change):
    """Names of joints and forces whose freedom counts the other way than `transform` has it."""
    if mechanism.planar or change.sign > 0:
        return set()
    turning = {name for name, joint in mechanism.joints.items() if joint["type"] in TURNING} | set(mechanism.shafts)
    found = set(turning)
    for name, joint in mechanism.joints.items():
        of = joint.get("of", "") if joint["type"] == "driver" else joint["joints"][1] if joint["type"] == "gear" else ""
        if of.partition(".")[0] in turning:
            found.add(name)
    for name, entry in mechanism.forces.items():
        if entry["type"] == "torsion-spring-damper" or str(entry.get("of", "")).partition(".")[0] in turning:
            found.add(name)
    return found


def predict(model, change, row):
    new, turned = transform.predict(model, change, row), backwards(Mechanism(model), change)
    for name in new:
        owner, _, key = name.rpartition(".")
        if owner in turned and key in ("angle", "rate", "displacement", "speed", "torque", "force", "length", "effort"):
            new[name] = -new[name]
    return new


def with_values(model, rng):
    """Some parameters come from outside, by other names there; the part's own values of them are wrong."""
    part, values = dict(model), {}
    part["parameters"] = dict(model.get("parameters", {}))
    for name, value in Mechanism(model).parameters.items():
        if name in part["parameters"] and rng.random() < 0.5:
            values[name], part["parameters"][name] = float(value), 1234.5
    return part, values


def run(original, mirror, shift, rng, *tolerances):
    """The run of a model that includes the mechanism, its columns without the prefix."""
    model, case = original.model, original.case
    planar, folder = model["space"] == "planar", Path(tempfile.mkdtemp(prefix="trammel_parts_"))
    change = change_of(planar, mirror, shift)
    part, values = with_values(model, rng)
    entry = {"file": "parts/part.yaml", "prefix": PREFIX, "at": [float(x) for x in shift[:2 if planar else 3]]}
    if mirror:
        entry["mirror"] = mirror
    if values:
        entry["with"] = {name: f"2*given_{name} - given_{name}" for name in values}
    whole = {"trammel": 1, "space": model["space"], "parameters": {f"given_{name}": value for name, value in values.items()}}
    if "gravity" in model:
        gravity = np.append(np.asarray(Mechanism(model).vector(model["gravity"]), dtype=float)[:2 if planar else 3], [0.0] * planar)
        whole["gravity"] = [float(x) for x in (change.Q @ gravity)[:2 if planar else 3]]
    whole["include"], whole["outputs"] = [entry], [named(name) for name in model["outputs"]]
    try:
        (folder / "parts").mkdir()
        program.write(part, folder / "parts/part.yaml")
        program.write(whole, folder / "model.yaml")
        options = ("--duration", repr(case.duration), "--output-step", repr(case.duration / 5), *tolerances, *original.options)
        done = program.run_file(folder / "model.yaml", folder, *options)
    finally:
        shutil.rmtree(folder)
    rows = [{name.removeprefix(PREFIX): value for name, value in row.items()} for row in done.rows]
    return change, program.Run(done.status, done.error, done.summary, done.columns, rows)
