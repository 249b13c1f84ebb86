"""The program under test: writes a model, runs it, reads what it left."""
import csv
import json
import math
import os
import resource
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

import tires

PROGRAM = os.environ.get("TRAMMEL") or str(Path(__file__).resolve().parents[2] / "build/trammel")
SECONDS = float(os.environ.get("TRM_RANDOM_SECONDS", 20))  # of processor time: a run that takes longer hangs, however busy the machine is
BUSY = 30  # times as much by the clock


def flow(x):
    if isinstance(x, dict):
        return "{" + ", ".join(f"{key}: {flow(value)}" for key, value in x.items()) + "}"
    if isinstance(x, (list, tuple)):
        return "[" + ", ".join(map(flow, x)) + "]"
    if isinstance(x, str):
        return x if x.replace("_", "").replace(".", "").replace("-", "").isalnum() and x[0].isalpha() else json.dumps(x)
    return json.dumps(x) if isinstance(x, (bool, int)) else repr(float(x))


def yaml(description):
    """One line an entry, to be read by people, too."""
    lines = []
    for key, value in description.items():
        if key == "_tires":
            continue  # files of their own
        if key in ("bodies", "joints", "forces") and value:
            lines.append(f"{key}:")
            lines += [f"  {name}: {flow(entry)}" for name, entry in value.items()]
        elif key not in ("bodies", "joints", "forces"):
            lines.append(f"{key}: {flow(value)}")
    return "\n".join(lines) + "\n"


def write(description, path):
    """The model, and beside it the property files of its tires."""
    path.write_text(yaml(description))
    for name, file in description.get("_tires", {}).items():
        (path.parent / name).write_text(tires.text(file))


def is_energy_of_one(name):
    """Of one body or force: system/power compares them with the energy of all, which is asked for here."""
    owner, _, key = name.rpartition(".")
    return owner != "energy" and key in ("kinetic", "power", "energy")


class Run:
    """status: of the exit, or "hangs"; rows: a list of dicts"""

    def __init__(self, status, error, summary, columns, rows):
        self.status, self.error, self.summary, self.columns, self.rows = status, error, summary, columns, rows

    def column(self, name):
        return [row[name] for row in self.rows]


def run(description, *options, seconds=None):
    folder = Path(tempfile.mkdtemp(prefix="trammel_random_"))
    try:
        model = folder / "model.yaml"
        write(description, model)
        return run_file(model, folder, *options, seconds=seconds)
    finally:
        shutil.rmtree(folder)


def run_file(model, folder, *options, seconds=None):
    words = [PROGRAM, "run", *map(str, options), str(model), "-o", str(folder / "out"), "--no-report", "--quiet", "--no-estimate",
             "--allow-doubtful"]  # cases have a reference of their own
    limit = seconds or SECONDS
    hangs = Run("hangs", f"no end after {limit} s", {}, [], [])
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=BUSY * limit, env=environment(),
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(limit), math.ceil(limit))))
    except subprocess.TimeoutExpired:
        return hangs
    if done.returncode == -signal.SIGKILL or done.returncode == -signal.SIGXCPU:
        return hangs
    summary, columns, rows = {}, [], []
    if (folder / "out/summary.json").exists():
        summary = json.loads((folder / "out/summary.json").read_text())
    if (folder / "out/results.csv").exists():
        with open(folder / "out/results.csv", newline="") as file:
            columns, *cells = csv.reader(file)
        rows = [dict(zip(columns, map(float, row))) for row in cells]
        columns = [name for name in columns if not is_energy_of_one(name)]
        rows = [{name: row[name] for name in columns} for row in rows]
    return Run(done.returncode, done.stderr.strip(), summary, columns, rows)


def check(description, *options):
    """What `trammel check` says, or None where it refuses the model."""
    with tempfile.TemporaryDirectory(prefix="trammel_random_") as folder:
        model = Path(folder) / "model.yaml"
        write(description, model)
        done = subprocess.run([PROGRAM, "check", "--json", *map(str, options), str(model)], capture_output=True, text=True,
                              timeout=BUSY * SECONDS, env=environment())
        return json.loads(done.stdout) if done.returncode == 0 else None


def environment():
    return {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
