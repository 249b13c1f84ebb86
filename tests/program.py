"""Runs the program on a model given as text, for tests: the summary, and the results by column."""
import csv
import json
import os
import subprocess
import tempfile
from pathlib import Path

PROGRAM = os.environ["TRAMMEL"]
LIMIT = 120  # seconds: what takes longer hangs


class Run:
    def __init__(self, model, *options, status=0, estimate=False):
        """model: YAML text, or the path of a file. Fails where the exit status is another one. estimate: also of the
        error, by other runs; most tests have a reference of their own."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(model) if isinstance(model, Path) else Path(folder) / "model.yaml"
            if not isinstance(model, Path):
                path.write_text(model)
            self.folder = Path(folder) / "out"
            done = subprocess.run([PROGRAM, "run", path, "-o", self.folder, "--no-report", *map(str, options),
                                   *([] if estimate else ["--no-estimate"])],
                                  capture_output=True, text=True, timeout=LIMIT)
            self.error = done.stderr
            if done.returncode != status:
                raise AssertionError(f"exit status {done.returncode}, expected {status}: {' '.join(map(str, options))}\n{done.stderr}")
            summary = self.folder / "summary.json"
            self.summary = json.loads(summary.read_text()) if summary.exists() else None
            table = self.folder / "results.csv"
            self.columns = {}
            if table.exists():
                with open(table, newline="") as file:
                    names, *rows = csv.reader(file)
                self.columns = {name: [float(row[i]) for row in rows] for i, name in enumerate(names)}

    def __getitem__(self, name):
        return self.columns[name]

    def last(self, name):
        return self.columns[name][-1]


def check(model, *options):
    """What `trammel check` says of a model given as text."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.yaml"
        path.write_text(model)
        done = subprocess.run([PROGRAM, "check", path, *options], capture_output=True, text=True, timeout=LIMIT)
        if done.returncode != 0:
            raise AssertionError(done.stderr)
        return done.stdout


def largest_difference(a, b, names=None):
    """Over all rows of two runs; a NaN anywhere is a NaN."""
    largest = 0.0
    for name in names or a.columns:
        if len(a[name]) != len(b[name]):
            raise AssertionError(f"{name}: {len(a[name])} rows and {len(b[name])}")
        for x, y in zip(a[name], b[name]):
            off = abs(x - y)
            if not off <= largest:
                largest = off
    return largest
