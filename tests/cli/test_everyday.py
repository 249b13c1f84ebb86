"""Standard input and output, several models, --open, models, new, tables as HDF5 in plot and compare."""
import csv
import io
import json
import os
import random
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from extremes import largest

PROGRAM = os.environ["TRAMMEL"]
MODELS = Path(os.environ["TRM_SOURCE_DIR"]) / "models"
ROD = """trammel: 1
name: Rod
space: planar
gravity: [0, -9.81]
parameters: {L: 2, m: 1}
ground: {points: {O: [0, 0]}}
bodies:
  rod: {mass: m, inertia: m*L^2/12, position: [L/2, 0], points: {A: [-L/2, 0], B: [L/2, 0]}}
joints:
  A: {type: revolute, connect: [ground.O, rod.A]}
simulate: {duration: 0.1, step: 1e-3, output-step: 1e-2}
"""


class EverydayTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        (self.folder / "rod.yaml").write_text(ROD)

    def call(self, *words, **more):
        options = dict(cwd=self.folder, capture_output=True, text=True, timeout=120)
        return subprocess.run([PROGRAM, *map(str, words)], **{**options, **more})

    def expect(self, status, *words, **more):
        done = self.call(*words, **more)
        self.assertEqual(done.returncode, status, f"{words}: {done.stdout}{done.stderr}")
        return done

    def test_standard_input(self):
        self.expect(0, "run", "rod.yaml", "--set", "L=3")
        self.expect(0, "run", "-", "--set", "L=3", input=ROD)
        table = "results.csv"
        self.assertEqual((self.folder / "results/stdin" / table).read_text(), (self.folder / "results/rod" / table).read_text())
        self.assertEqual(json.loads((self.folder / "results/stdin/summary.json").read_text())["model"], "-")
        error = self.expect(3, "run", "-", input=ROD.replace("mass: m", "mass: -1")).stderr
        self.assertIn("standard input:8:15: error: body 'rod': mass is -1", error)
        self.assertIn("degrees of freedom", self.expect(0, "check", "-", input=ROD).stdout)
        self.assertIn("is no text", self.expect(3, "run", "-", input="trammel: 1\0").stderr)
        self.assertIn("needs a model file", self.expect(2, "run", "-", "--space", "spatial", input=ROD).stderr)

    def test_standard_output(self):
        self.expect(0, "run", "rod.yaml")
        done = self.expect(0, "run", "rod.yaml", "-o", "-", "--quiet")
        self.assertEqual(done.stdout, (self.folder / "results/rod/results.csv").read_text())
        self.assertEqual(done.stderr, "")
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["results", "rod.yaml"])
        rows = list(csv.reader(io.StringIO(self.expect(0, "run", "-", "-o", "-", input=ROD).stdout)))
        self.assertEqual(len(rows), 12)
        for words in (("--json",), ("--format", "hdf5"), ("--open",)):
            self.assertIn("does not go with it", self.expect(2, "run", "rod.yaml", "-o", "-", *words).stderr)
        with open("/dev/full", "w") as full:
            self.assertEqual(self.call("run", "rod.yaml", "-o", "-", stdout=full, capture_output=False,
                                       stderr=subprocess.DEVNULL).returncode, 1)

    def test_several_models(self):
        (self.folder / "other.yaml").write_text(ROD.replace("L: 2", "L: 4"))
        self.expect(0, "run", "rod.yaml", "other.yaml", "--duration", "0.05", "-o", "all")
        self.expect(0, "run", "other.yaml", "--duration", "0.05", "-o", "one")
        self.assertEqual((self.folder / "all/other/results.csv").read_text(), (self.folder / "one/results.csv").read_text())
        self.assertTrue((self.folder / "all/rod/summary.json").exists())
        (self.folder / "bad.yaml").write_text(ROD.replace("mass: m", "mass: -1"))
        self.expect(3, "run", "bad.yaml", "rod.yaml")
        self.assertTrue((self.folder / "results/rod/summary.json").exists())
        (self.folder / "sub").mkdir()
        (self.folder / "sub/rod.yaml").write_text(ROD)
        self.assertIn("the same name", self.expect(2, "run", "rod.yaml", "sub/rod.yaml").stderr)
        self.expect(2, "run", "rod.yaml", "other.yaml", "-o", "-")

    def test_open(self):
        browser = self.folder / "xdg-open"
        browser.write_text('#!/bin/sh\necho "$1" > "$SEEN.new" && mv "$SEEN.new" "$SEEN"\n')
        browser.chmod(0o755)
        seen = self.folder / "seen"
        place = {**os.environ, "PATH": f"{self.folder}:{os.environ['PATH']}", "SEEN": str(seen)}
        self.expect(0, "run", "rod.yaml", "--open", env=place)
        for _ in range(500):
            if seen.exists():
                break
            time.sleep(0.02)
        self.assertEqual(seen.read_text(), "results/rod/report.html\n")
        self.assertIn("xdg-open", self.expect(1, "run", "rod.yaml", "--open", env={**os.environ, "PATH": "/nowhere"}).stderr)
        self.expect(2, "run", "rod.yaml", "--open", "--no-report")

    def test_models(self):
        names = [line.split()[0] for line in self.expect(0, "models").stdout.splitlines()]
        self.assertEqual(names, sorted(path.stem for path in MODELS.glob("*.yaml")))
        self.expect(0, "models", "andrews", "-o", "mine")
        self.assertEqual((self.folder / "mine/andrews.yaml").read_text(), (MODELS / "andrews.yaml").read_text())
        self.expect(0, "run", "mine/andrews.yaml", "--check")  # its reference came along
        (self.folder / "mine/andrews.yaml").write_text("changed")
        self.assertIn("File exists", self.expect(1, "models", "andrews", "-o", "mine").stderr)
        self.assertEqual((self.folder / "mine/andrews.yaml").read_text(), "changed")
        self.assertIn("did you mean 'andrews'?", self.expect(2, "models", "andrew").stderr)

    def test_new(self):
        for space in ("planar", "spatial"):
            self.expect(0, "new", f"{space}.yaml", "--space", space)
            self.expect(0, "run", f"{space}.yaml")
            summary = json.loads((self.folder / f"results/{space}/summary.json").read_text())
            self.assertEqual((summary["status"], summary["space"]), ("completed", space))
            self.assertGreater(summary["degrees_of_freedom"], 0)
        self.assertIn("File exists", self.expect(1, "new", "planar.yaml").stderr)
        self.assertEqual(self.expect(0, "new", "-").stdout, (self.folder / "planar.yaml").read_text())

    def test_hdf5_is_read(self):
        words = ("run", "rod.yaml", "--duration", "20", "--output-step", "1e-3", "--no-report", "--no-estimate")
        self.expect(0, *words, "-o", "text")
        self.expect(0, *words, "-o", "binary", "--format", "hdf5")
        found = json.loads(self.expect(0, "compare", "text", "binary", "--json").stdout)
        self.assertEqual(found["common_times"], 20001)
        self.assertEqual((found["only_in_first"], found["only_in_second"]), ([], []))
        self.assertEqual(largest(column["max_difference"] for column in found["columns"]), 0)
        for run in ("text", "binary", "binary/results.h5"):
            self.expect(0, "plot", run, "rod.x", "energy", "-o", f"{run.replace('/', '_')}.svg")
        self.assertEqual((self.folder / "text.svg").read_text(), (self.folder / "binary.svg").read_text())
        self.assertEqual((self.folder / "text.svg").read_text(), (self.folder / "binary_results.h5.svg").read_text())

    def test_damaged_hdf5(self):
        """Whatever is wrong in a file, it is said, or does not matter: nothing crashes."""
        self.expect(0, "run", "rod.yaml", "-o", "out", "--format", "hdf5", "--no-report", "--no-estimate")
        good = (self.folder / "out/results.h5").read_bytes()
        bad = self.folder / "bad.h5"
        chance = random.Random(1)
        cases = [good[:size] for size in (0, 7, 60, 99, 200, len(good) // 2, len(good) - 1)]
        for _ in range(150):
            changed = bytearray(good)
            for _ in range(chance.randint(1, 8)):
                changed[chance.randrange(min(len(good), 8000))] = chance.choice((0, 1, 127, 255, chance.randrange(256)))
            cases.append(bytes(changed))
        said = 0
        for case in cases:
            bad.write_bytes(case)
            done = self.call("plot", "bad.h5", "rod.x", "-o", "bad.svg")
            self.assertIn(done.returncode, (0, 2, 3), done.stderr)
            said += done.returncode == 3
        self.assertGreater(said, 20)
        bad.write_bytes(b"\0" * 1000)
        self.assertIn("this is no HDF5 file", self.expect(3, "plot", "bad.h5", "rod.x", "-o", "bad.svg").stderr)


if __name__ == "__main__":
    unittest.main()
