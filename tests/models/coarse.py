"""Runs of shipped models with steps that are too large, judged by a reference: none may be wrong and say nothing.

Wrong is a position, angle or quaternion component that is off by more than 5 % of its range before the time at which the
reference has lost its digits. The reference is made by two methods of different families with tight tolerances; where
they part, its digits are lost."""
import csv
import json
import math
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

PROGRAM = os.environ["TRAMMEL"]
ROOT = Path(__file__).parents[2]
METHODS = ("euler", "rk4", "ab4", "trapezoidal", "generalized-alpha", "three-field")
TIMES = (1, 10, 100, 1000)
IMPLICIT = METHODS[3:]
WRONG = 0.05
LOST = 1e-3       # of the range: the reference is known no better
AT_REST = 1e-6    # of what moves most
SAME = 1e-11      # estimates of smaller errors are of round-off
LIMIT = 900       # seconds


def without(text, *keys):
    """The text of a model without some of its top-level entries."""
    kept, skips = [], False
    for line in text.splitlines():
        begins = line and line[0] not in " #-\t"
        if begins:
            skips = line.split(":")[0] in keys
        if not skips:
            kept.append(line)
    return "\n".join(kept) + "\n"


def is_position(name):
    end = name.split(".")[-1]
    if "." not in name:  # a coordinate of a system of the user's own
        return name != "t" and "'" not in name and not name.startswith("lambda")
    return name.count(".") == 1 and end in ("x", "y", "z", "angle", "qw", "qx", "qy", "qz")


class Table:
    """Positions of a run by time, its summary and exit status."""

    def __init__(self, path, *options):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([PROGRAM, "run", path, "-o", folder, "--no-report", "--quiet", *map(str, options)],
                                  capture_output=True, text=True, timeout=LIMIT)
            self.exit, self.error = done.returncode, done.stderr
            summary, table = Path(folder) / "summary.json", Path(folder) / "results.csv"
            self.summary = json.loads(summary.read_text()) if summary.exists() else {}
            self.names, self.rows = [], {}
            if table.exists():
                with open(table, newline="") as file:
                    names, *rows = csv.reader(file)
                kept = [i for i, name in enumerate(names) if is_position(name)]
                self.names = [names[i] for i in kept]
                self.rows = {round(float(row[0]), 9): [float(row[i]) for i in kept] for row in rows}


class Reference:
    def __init__(self, path, duration, interval, planar_or_spatial):
        exact = ("--step", duration, "--output-step", interval, "--no-estimate", "--allow-doubtful", "--energy", "free", "--tolerance",
                 1e-12, "--stabilization", "direct", *(("--coordinates", "natural") if planar_or_spatial else ()))
        one = Table(path, *exact, "--integrator", "dop853", "--rtol", 1e-12, "--atol", 1e-14)
        other = Table(path, *exact, "--integrator", "radau5", "--rtol", 1e-10, "--atol", 1e-12)
        if one.exit or other.exit:
            raise AssertionError(f"{path.stem}: the reference fails: {one.error} {other.error}")
        self.names, self.rows = one.names, one.rows
        moves = [max(c) - min(c) for c in zip(*one.rows.values())]
        self.range = {i: r for i, r in enumerate(moves) if r > AT_REST * max(moves)}
        self.scale = max(moves)
        self.until = math.inf
        for t, row in one.rows.items():
            if any(not abs(row[i] - other.rows[t][i]) <= LOST * r for i, r in self.range.items()):
                self.until = t
                break

    def errors(self, table):
        """The largest as it is, and in parts of the range."""
        error = part = 0.0
        for t, row in table.rows.items():
            if t not in self.rows or t >= self.until:
                continue
            for i, r in self.range.items():
                off = abs(row[i] - self.rows[t][i])
                error = off if not off <= error else error
                part = off / r if not off / r <= part else part
        return error, part


class Matrix:
    """Runs of one model; `wrong` ones that say nothing, and `estimates`: pairs of estimated and true errors."""

    def __init__(self, name, methods=METHODS, times=TIMES):
        self.wrong, self.estimates, self.count = [], [], 0
        with tempfile.TemporaryDirectory() as folder:
            models = Path(folder) / "models"
            shutil.copytree(ROOT / "models", models)
            path = models / f"{name}.yaml"
            path.write_text(without(path.read_text(), "outputs", "metrics", "figures", "reference"))
            usual = Table(path, "--no-estimate", "--duration", 0)
            self.planar_or_spatial = usual.summary["space"]
            step, duration = self.own(path)
            interval = 10 * step if duration / step >= 100 else step
            reference = Reference(path, duration, interval, self.planar_or_spatial)
            for method in methods:
                for k in times:
                    self.judge(path, reference, method, k, min(k * step, duration), min(max(k * step, interval), duration))

    @staticmethod
    def own(path):
        """The model's own step and duration; the default step where it has none."""
        said = subprocess.run([PROGRAM, "run", path, "-o", path.parent / "own", "--no-report", "--no-estimate", "--json", "--quiet"],
                              capture_output=True, text=True, timeout=LIMIT).stdout
        summary = json.loads(said)
        fixed = re.search(r"^\s*step:|[{,]\s*step:", path.read_text(), re.M)
        return summary["step"] if fixed else 1e-3, summary["duration"]

    def judge(self, path, reference, method, times, step, interval):
        options = ("--integrator", method, "--step", step, "--output-step", interval)
        run = Table(path, *options, *(("--energy", "free") if method in IMPLICIT else ()))
        what = f"{path.stem} {method} step {step:g} ({times} times)"
        if run.exit not in (0, 1):
            raise AssertionError(f"{what}: exit status {run.exit}: {run.error}")
        self.count += 1
        error, part = reference.errors(run)
        status = run.summary["status"]
        if (status == "completed") != (run.exit == 0):
            self.wrong.append(f"{what}: {status}, but exit status {run.exit}")
        if run.exit == 0 and not part <= WRONG:
            self.wrong.append(f"{what}: off by {part:.2g} of its range, and nobody says so")
        estimated = run.summary["estimated_error"]
        if run.exit == 0 and estimated is None:
            self.wrong.append(f"{what}: there is no estimate")
        if estimated is not None and reference.until == math.inf:
            floor = SAME * max(1, reference.scale)
            good = error <= 10 * estimated + floor and estimated <= 10 * error + floor
            self.estimates.append((good, f"{what}: estimated {estimated:.2g}, true {error:.2g}"))
