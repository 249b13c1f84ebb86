"""The shipped studies, as docs/sweeps.md has them, against closed forms."""
import csv
import json
import math
import os
import re
import shlex
import subprocess
import tempfile
import unittest
from pathlib import Path

PROGRAM = os.environ["TRAMMEL"]
SOURCE = Path(os.environ["TRM_SOURCE_DIR"])


def commands():
    """All commands of the page that run a shipped study, by the name of their model."""
    text = (SOURCE / "docs/sweeps.md").read_text().replace("\\\n", " ")
    lines = re.findall(r"^ *trammel sweep models/study/.*$", text, re.MULTILINE)
    return {Path(shlex.split(line)[2]).stem: shlex.split(line) for line in lines}


class Studies(unittest.TestCase):
    def sweep(self, name, *more):
        words = commands()[name]
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        done = subprocess.run([PROGRAM, *words[1:], *more, "-o", folder.name, "--no-report"], cwd=SOURCE,
                              capture_output=True, text=True, timeout=250)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(Path(folder.name) / "sweep.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        return rows, json.loads((Path(folder.name) / "sweep.json").read_text())

    def straightness(self, crank, base, coupler, rocker, arm):
        """Two circles meet in the pin of coupler and rocker; the point lies on the line beyond it."""
        heights = []
        for step in range(201):
            angle = math.pi / 2 + math.pi * step / 200
            ax, ay = crank * math.cos(angle), crank * math.sin(angle)
            far = math.hypot(base - ax, ay)
            turn = math.atan2(-ay, base - ax) + math.acos((coupler**2 + far**2 - rocker**2) / (2 * coupler * far))
            heights.append(ay + (coupler + arm) * math.sin(turn))
        return max(heights) - min(heights)

    def test_straight_line(self):
        rows, said = self.sweep("straight_line")
        limit = said["limits"][0]
        bound = float(limit["limit"].split("<")[1])
        passed = 0
        for row in rows:
            exact = self.straightness(*(float(row[name]) for name in ("crank", "base", "coupler", "rocker", "arm")))
            self.assertLessEqual(abs(float(row["straightness"]) - exact), 1e-9)
            passed += exact < bound
        self.assertEqual(limit["passed"], passed)
        self.assertTrue(0.5 < limit["share"] < 0.99)  # else it would say nothing

    def test_single_track(self):
        rows, said = self.sweep("single_track")
        for row in rows:
            Cf, Cr = float(row["Cf"]), float(row["Cr"])
            exact = 1500 * (1.5 / Cf - 1.2 / Cr) / 2.7
            self.assertLessEqual(abs(float(row["K"]) - exact), 1e-3 * exact + 1e-6)  # small angles
        # of the linearized formula: shares of the variance
        front, rear = (1.5 / 9e4 * 0.05)**2, (1.2 / 1e5 * 0.05)**2
        for name, share in (("Cf", front / (front + rear)), ("Cr", rear / (front + rear))):
            low, high = said["sobol"]["K"][name]["first_confidence"]
            self.assertTrue(low - 0.01 <= share <= high + 0.01)
            self.assertAlmostEqual(said["sobol"]["K"][name]["total"], share, delta=0.06)


if __name__ == "__main__":
    unittest.main()
