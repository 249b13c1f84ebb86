"""Inputs from the command line: formulas, files, mistakes. Integrals are computed by hand."""
import csv
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

TRAMMEL = os.environ["TRAMMEL"]
MODEL = """trammel: 1
name: Inputs
space: planar
parameters: {k: 3}
bodies: {b: {mass: 1, inertia: 1}}
joints: {J: {type: revolute, connect: [ground, b]}}
inputs: {steer: 0, brake: "2*t"}
states: {x: {initial: 0, rate: steer}, y: {initial: 0, rate: brake}}
simulate: {duration: 2, output-step: 0.5}
outputs: [steer, brake, x, y]
"""
PART = """trammel: 1
bodies: {w: {mass: 1, inertia: 1}}
joints: {W: {type: revolute, connect: [ground, w]}}
inputs: {rate: 1}
states: {turns: {initial: 0, rate: rate}, gear: {initial: 1}}
events: {full: {when: turns - 1, direction: rising, set: {turns: 0, gear: gear + full.count + 1}}}
"""


class Inputs(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.folder = Path(self.scratch.name)
        (self.folder / "models").mkdir()
        (self.folder / "models/m.yaml").write_text(MODEL)
        (self.folder / "steer.csv").write_text("t,steer\n0.5,1\n1,3\n1.5,0\n")

    def tearDown(self):
        self.scratch.cleanup()

    def trammel(self, *words):
        return subprocess.run([TRAMMEL, *words], cwd=self.folder, capture_output=True, text=True, timeout=60)

    def last(self, *words):
        done = self.trammel("run", "models/m.yaml", "--no-report", "--quiet", "-o", "out", *words)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        with open(self.folder / "out/results.csv") as file:
            return {name: float(value) for name, value in list(csv.DictReader(file))[-1].items()}

    def test_values(self):
        row = self.last("--input", "steer=steer.csv", "--input=brake=1", "--input", "brake=k*t^2")
        self.assertAlmostEqual(row["x"], 0.5 + 1 + 0.75, delta=1e-8)
        self.assertAlmostEqual(row["y"], 8, delta=1e-8)
        self.assertEqual((row["steer"], row["brake"]), (0, 12))

    def test_parts(self):
        (self.folder / "models/part.yaml").write_text(PART)
        text = MODEL.replace("bodies:", "include: [{file: part.yaml, prefix: a_}, {file: part.yaml, prefix: b_}]\nbodies:")
        (self.folder / "models/m.yaml").write_text(text.replace("outputs: [", "outputs: [a_full, b_full, b_gear, "))
        row = self.last("--input", "b_rate=2")
        self.assertEqual((row["a_full.count"], row["b_full.count"], row["b_gear"]), (1, 3, 1 + 1 + 2 + 3))
        self.assertAlmostEqual(row["a_full.time"], 1, delta=1e-12)
        self.assertAlmostEqual(row["b_full.time"], 1.5, delta=1e-12)

    def test_mistakes(self):
        for word, message in (("steel=1", "the model has no input 'steel', did you mean 'steer'?"),
                              ("steer=x", "--input steer=x: unknown name 'x'"),
                              ("steer=none.csv", "No such file"),
                              ("steer=2*(t", "--input steer=2*(t: "),
                              ("steer", "--input takes NAME=FORMULA or NAME=FILE.csv, not 'steer'"),
                              ("steer=", "--input takes NAME=FORMULA or NAME=FILE.csv")):
            for command in ("run", "check"):
                done = self.trammel(command, "models/m.yaml", "--input", word)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(message, done.stderr)


if __name__ == "__main__":
    unittest.main()
