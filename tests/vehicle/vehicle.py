"""The road vehicle of models/vehicle, with other tires or other methods."""
import csv
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from extremes import largest

PROGRAM = os.environ["TRAMMEL"]
MODELS = Path(__file__).parents[2] / "models/vehicle"
LIMIT = 900


def plain_tire(text):
    """Side and longitudinal force alone: no relaxation, no aligning and no rolling moment."""
    text = re.sub(r"(?m)^USE_MODE( *)= \d+", r"USE_MODE\1= 4", text)
    return re.sub(r"(?m)^((?:QDZ|QHZ|SSZ|QSX|QSY)\d+ *)= \S+", r"\1= 0.0", text)


def without_camber(text):
    return re.sub(r"(?m)^(LGA[XY] *)= \S+", r"\1= 0.0", plain_tire(text))


def under_the_centres(text):
    """Moves the wheel loads from the contact points, which camber shifts aside, to under the wheels' centres."""
    forces = "forces:\n"
    for corner in ("fl", "fr", "rl", "rr"):
        wheel, tire = f"{corner}_wheel", f"{corner}_tire"
        forces += (f'  {corner}_shift: {{type: torque, body: {wheel}, '
                   f'value: ["({wheel}.y - {tire}.y)*{tire}.fz", "-({wheel}.x - {tire}.x)*{tire}.fz", 0]}}\n')
    return text.replace("variables:", forces + "variables:")


def drive(manoeuvre, *options, tire=None, change=None):
    """Runs a manoeuvre: the summary, and the columns. tire: changes the property file, change: the manoeuvre's text."""
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder) / "vehicle"
        shutil.copytree(MODELS, here)
        file = here / f"{manoeuvre}.yaml"
        if tire:
            path = here / "sedan_symmetric.tir"
            path.write_text(tire(path.read_text()))
        if change:
            file.write_text(change(file.read_text()))
        done = subprocess.run([PROGRAM, "run", file, "-o", here / "out", "--no-report", "--quiet", *map(str, options)],
                              capture_output=True, text=True, timeout=LIMIT)
        if done.returncode != 0:
            raise AssertionError(f"{manoeuvre} {options}: exit status {done.returncode}\n{done.stderr}")
        summary = json.loads((here / "out/summary.json").read_text())
        with open(here / "out/results.csv", newline="") as table:
            names, *rows = csv.reader(table)
        return summary, {name: [float(row[i]) for row in rows] for i, name in enumerate(names)}


def compare_steady(test, *options, change=None):
    """`equilibrium --steady` of steady_turn.yaml and its run, to 1e-5."""
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder) / "vehicle"
        shutil.copytree(MODELS, here)
        file = here / "steady_turn.yaml"
        if change:
            file.write_text(change(file.read_text()))
        done = subprocess.run([PROGRAM, "equilibrium", file, "--steady", "-o", here, *map(str, options)], capture_output=True, text=True, timeout=LIMIT)
        test.assertEqual(done.returncode, 0, done.stderr)
        found = json.loads((here / "equilibrium.json").read_text())
    test.assertEqual(found["status"], "found")
    test.assertLessEqual(found["residual"], 1e-9)
    _, columns = drive("steady_turn", "--no-estimate", "--output-step", 0.5, *options, change=change)
    test.assertGreater(abs(columns["chassis.r"][-1]), 0.1)
    names = ["chassis.z", "chassis.roll", "chassis.r", "chassis.u", "chassis.v", "chassis.ayh", "sideslip"]
    names += [f"{corner}_tire.{measure}" for corner in ("fl", "fr", "rl", "rr") for measure in ("fy", "fz", "mz", "alpha", "gamma")]
    for name in names:
        off = abs(found["measures"][name] / columns[name][-1] - 1)
        test.assertTrue(off <= 1e-5, f"{name}: {found['measures'][name]}, simulated {columns[name][-1]}")


def value_at(columns, name, time):
    """Linear between rows."""
    t, x = columns["t"], columns[name]
    for i in range(1, len(t)):
        if t[i] >= time - 1e-12:
            return x[i - 1] + (x[i] - x[i - 1]) * (time - t[i - 1]) / (t[i] - t[i - 1])
    raise AssertionError(f"no row at t = {time}")


def largest_difference(a, b, name, start=0.0):
    """Over the times of a from `start` on, as a part of its peak; a NaN stays one."""
    peak = max(abs(x) for x in a[name])
    largest = 0.0
    for time, x in zip(a["t"], a[name]):
        off = abs(x - value_at(b, name, time)) / peak if time >= start and time > 0 else 0.0
        if not off <= largest:
            largest = off
    return largest
