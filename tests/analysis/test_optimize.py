"""Optima against closed forms, the bar of a straight-line linkage, and searches that go on."""
import csv
import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from analyses import PROGRAM, ROOT, ask

THROW = """
trammel: 1
space: planar
gravity: [0, -9.81]
parameters: {u: 5, v: 7, half: v/2}
simulate: {duration: 1}
bodies:
  ball: {mass: 2, inertia: 0.1, velocity: [u, v]}
optimize:
  vary: {u: [0, 10], v: [-10, 10]}
  minimize: [{weight: 2, of: "u^2"}, "8*half^2"]
  subject-to: ["final(ball.x) >= 3", "0 <= final(ball.y)"]
"""
PENDULUM = """
trammel: 1
space: planar
parameters: {m: 1.3, L: 1.0, g: 9.81, c: 0.3, th0: 1.2, w0: 0.5}
gravity: [0, -g]
simulate: {duration: 3}
bodies:
  rod: {mass: m, inertia: m*L^2/12, position: [L/2*sin(th0), -L/2*cos(th0)], angle: th0, angular-velocity: w0, points: {O: [0, L/2]}}
joints:
  pin: {type: revolute, connect: [ground, rod.O]}
forces:
  drag: {type: actuator, of: pin, value: "-c*rod.omega"}
outputs: [rod.angle]
optimize:
  vary: {L: [0.8, 1.3], c: [0.05, 0.6]}
  minimize: 'integral((rod.angle - table(t, "measured.csv", "rod.angle"))^2)'
"""


def optimize(folder, model, *options, status=0):
    done = subprocess.run([PROGRAM, "optimize", model, "-o", folder, "--json", *map(str, options)], capture_output=True, text=True, timeout=300)
    if done.returncode != status:
        raise AssertionError(f"exit status {done.returncode}\n{done.stdout}\n{done.stderr}")
    return json.loads(done.stdout)


class Optimize(unittest.TestCase):
    def test_bounds_and_conditions(self):
        """The slowest throw that reaches (3, 0) in a second: u = 3, v = g/2."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "throw.yaml"
            path.write_text(THROW)
            found = optimize(folder, path)
            self.assertEqual(found["status"], "found")
            self.assertLessEqual(abs(found["parameters"]["u"] - 3), 1e-6)
            self.assertLessEqual(abs(found["parameters"]["v"] - 4.905), 1e-6)
            self.assertLessEqual(abs(found["value"] - 2 * (9 + 4.905 ** 2)), 1e-5)
            self.assertEqual(found["start"], {"value": 148, "parameters": {"u": 5, "v": 7}})
            self.assertEqual(found, json.loads((Path(folder) / "optimum.json").read_text()))
            # a bound in the way
            path.write_text(THROW.replace("u: [0, 10]", "u: [4, 10]"))
            self.assertLessEqual(abs(optimize(folder, path)["parameters"]["u"] - 4), 1e-9)

    def test_identification(self):
        """Length and friction from a record of the same pendulum."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "pendulum.yaml"
            path.write_text(PENDULUM)
            subprocess.run([PROGRAM, "run", path, "--set", "L=1.1", "--set", "c=0.2", "-o", folder, "--no-report", "--quiet"], check=True)
            os.rename(Path(folder) / "results.csv", Path(folder) / "measured.csv")
            found = optimize(folder, path)
            self.assertEqual(found["status"], "found")
            self.assertLessEqual(abs(found["parameters"]["L"] - 1.1), 1e-5)
            self.assertLessEqual(abs(found["parameters"]["c"] - 0.2), 1e-5)

    @unittest.skipIf(os.environ.get("TRM_SANITIZED"), "the release build does it; minutes under sanitizers")
    def test_straight_line(self):
        """Off by 1e-3 of the crank at most, over a stroke of a crank at least, in less than 200 evaluations; cut off, it goes on."""
        with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as other:
            model = ROOT / "models/study/four_bar_line.yaml"
            found = optimize(folder, model)
            self.assertEqual(found["status"], "found")
            self.assertLess(found["evaluations"], 200)
            with open(Path(folder) / "results.csv", newline="") as file:
                rows = list(csv.DictReader(file))
            x, y = ([float(row[f"coupler.P.{axis}"]) for row in rows] for axis in "xy")
            self.assertGreaterEqual(max(x) - min(x), 1.3)
            self.assertLessEqual((max(y) - min(y)) / 2, 1.3e-3)
            # whole lines of the log and a piece of one
            lines = (Path(folder) / "optimize.log").read_text().splitlines(keepends=True)
            self.assertEqual(len(lines), 1 + found["evaluations"])
            (Path(other) / "optimize.log").write_text("".join(lines[:-3]) + lines[-3][:40])
            again = optimize(other, model)
            self.assertEqual(again, found)
            self.assertEqual((Path(other) / "optimize.log").read_text().splitlines(keepends=True), lines)

    def test_what_is_wrong(self):
        self.assertIn("no section `optimize`", ask("optimize", THROW[:THROW.index("optimize")], status=3))
        self.assertIn("no parameter 'w'", ask("optimize", THROW.replace("{u: [0, 10]", "{w: [0, 10]"), status=3))
        self.assertIn("lower bound", ask("optimize", THROW.replace("[0, 10]", "[10, 0]"), status=3))
        self.assertIn("outside its bounds", ask("optimize", THROW.replace("[0, 10]", "[6, 10]"), status=3))
        self.assertIn("final(ball.x)", ask("optimize", THROW.replace('"u^2"', '"ball.x^2"'), status=3))
        self.assertIn(">=", ask("optimize", THROW.replace("final(ball.x) >= 3", "final(ball.x) = 3"), status=3))
        self.assertIn("{weight: 2, of: FORMULA}", ask("optimize", THROW.replace("weight: 2", "wait: 2"), status=3))
        self.assertIn("'ball.nose'", ask("optimize", THROW.replace("u^2", "final(ball.nose)"), status=2))


if __name__ == "__main__":
    unittest.main()
