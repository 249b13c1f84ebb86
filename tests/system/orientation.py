"""A body whose orientation is driven, run by the program: what the tests of such drivers share."""
import csv
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from extremes import largest

PROGRAM = os.environ["TRAMMEL"]
MASS, INERTIA, COM, G = 2, (0.3, 0.5, 0.6), (0.1, 0.2, -0.1), 9.81


def product(a, b):
    return [[sum(a[i][k] * b[k][j] for k in range(3)) for j in range(3)] for i in range(3)]


def transposed(a):
    return [list(row) for row in zip(*a)]


def times(a, v):
    return [sum(x * y for x, y in zip(row, v)) for row in a]


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def of_quaternion(w, x, y, z):
    return [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]


class Driven(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.folder = Path(self.scratch.name)

    def tearDown(self):
        self.scratch.cleanup()

    def run_model(self, text, status=0):
        (self.folder / "model.yaml").write_text(text)
        done = subprocess.run([PROGRAM, "run", "model.yaml", "-o", "out", "--quiet", "--no-report", "--no-estimate"],
                              cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, status, done.stderr)
        if status:
            return done.stderr, None
        with open(self.folder / "out/results.csv", newline="") as file:
            rows = [{k: float(v) for k, v in row.items()} for row in csv.DictReader(file)]
        return rows, json.loads((self.folder / "out/summary.json").read_text())
