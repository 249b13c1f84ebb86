#!/usr/bin/env python3
"""Tires on roads and in parts: stopping and starting, friction, grids, mirrored suspensions, and what is said about mistakes."""
import math
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from extremes import largest
from program import PROGRAM, Run, largest_difference

SHIPPED = Path(__file__).resolve().parents[2] / "models" / "vehicle"
EXACT = ("--integrator", "dop853", "--rtol", "1e-10", "--atol", "1e-12")
STIFF = ("--integrator", "radau5", "--rtol", "1e-8", "--atol", "1e-10")
BAD_MODEL, FAILED = 3, 1


def corner(road="flat", value="0", file="sedan.tir", duration=12, speed=10, outputs="car, wheel, hub, tire, energy", lateral=True, more=""):
    """A mass on a wheel: it moves along x and z, and does not turn."""
    hold = "  line: {type: coordinate, sum: {car.y: 1}, value: 0}\n" if lateral else ""
    return f"""trammel: 1
space: spatial
gravity: [0, 0, -9.81]
road: {road}
bodies:
  car: {{mass: 380, inertia: [50, 60, 70], position: [0, 0, 0.3302], velocity: [{speed}, 0, 0]}}
  wheel: {{mass: 20, inertia: [0.6, 1.1, 0.6], position: [0, 0, 0.3302], velocity: [{speed}, 0, 0], angular-velocity: [0, {speed / 0.336}, 0]}}
joints:
  up: {{type: parallel, connect: [ground, car], axes: [[0, 0, 1], [0, 0, 1]]}}
  ahead: {{type: perpendicular, connect: [ground, car], axes: [[1, 0, 0], [0, 1, 0]]}}
{hold}  hub: {{type: revolute, connect: [car, wheel], at: [0, 0, 0.3302], axis: [0, 1, 0]}}
forces:
  tire: {{type: tire, wheel: wheel, file: '{SHIPPED / file}', side: left}}
  torque: {{type: actuator, of: hub, value: "{value}"}}
{more}
simulate: {{duration: {duration}, output-step: 0.01}}
outputs: [{outputs}]
"""


class RoadsTest(unittest.TestCase):
    def near(self, found, expected, tolerance, what=""):
        self.assertTrue(abs(found - expected) <= tolerance, f"{what}: {found}, expected {expected}")

    # ---- stopping and starting ----

    def test_stop_and_go(self):
        """Braked from 10 m/s to a stop, held, then driven off."""
        brake = "if(t < 1, 0, if(t < 6, -900*tanh(hub.rate/0.5), 120))"
        for file in ("sedan_symmetric.tir", "sedan.tir"):
            run = Run(corner(value=brake, file=file), *STIFF)
            t, vx, fx = run["t"], run["car.vx"], run["tire.fx"]
            stands = [i for i in range(len(t)) if 5 <= t[i] <= 5.99]
            self.assertTrue(largest(abs(vx[i]) for i in stands) <= 1e-6, file)
            self.assertTrue(largest(abs(fx[i]) for i in stands) <= 1, file)
            # once at rest it swings out: no chatter, and the deceleration is what the brake gives
            changes = sum(1 for i in range(1, len(t)) if t[i] < 6 and vx[i] * vx[i - 1] < 0 and max(abs(vx[i]), abs(vx[i - 1])) > 1e-7)
            self.assertLessEqual(changes, 12, file)
            self.assertLess(run.summary["steps"], 4000)
            for i in range(len(t)):
                self.near(fx[i], 380 * run["car.ax"][i] + 20 * run["wheel.ax"][i], 1e-6 * 4000)
            self.assertTrue(all(vx[i] >= -0.3 for i in range(len(t))), file)
            self.assertGreater(vx[-1], 2)
            self.assertTrue(largest(map(abs, run["energy.error"])) <= 1e-5 * max(map(abs, run["energy.work"])), file)

    def test_friction_of_the_road(self):
        """A locked wheel slides, from patch to patch: peaks are lower by the friction, the stiffness stays."""
        lock = "-1e4*tanh(hub.rate/0.05)"
        run = Run(corner(road='{friction: "if(x < 8, 1, 0.3)"}', value=lock, speed=18, duration=2, file="sedan_symmetric.tir"), *STIFF)
        p = {key: float(value) for key, value in re.findall(r"(?m)^(\w+)\s*=\s*([-+.\de]+)", (SHIPPED / "sedan_symmetric.tir").read_text())}
        seen = {1: 0, 0.3: 0}
        for x, fz, fx in zip(run["tire.x"], run["tire.fz"], run["tire.fx"]):
            mu = 1 if x < 8 else 0.3
            if x < 6 or 8 <= x < 14:  # bristles need a few relaxation lengths
                continue
            df = fz / p["FNOMIN"] - 1
            slope, C = fz * (p["PKX1"] + p["PKX2"] * df) * math.exp(p["PKX3"] * df), p["PCX1"]
            D = mu * (p["PDX1"] + p["PDX2"] * df) * fz
            E = min(1, p["PEX1"] + p["PEX2"] * df + p["PEX3"] * df * df)
            B = -slope / (C * D)
            self.near(fx, D * math.sin(C * math.atan(B - E * (B - math.atan(B)))), 1e-2 * abs(D), f"{x}")
            seen[mu] += 1
        self.assertTrue(seen[1] > 5 and seen[0.3] > 20, seen)

    # ---- roads ----

    def test_grid_is_the_formula(self):
        """The cubic through points of a cubic is the cubic itself."""
        z = lambda x, y: 0.02 * x - 0.004 * x * x * 0.1 + 0.01 * y + 0.002 * x * y
        with tempfile.TemporaryDirectory() as folder:
            xs, ys = [-2, 0, 1, 3, 6, 10, 14], [-6, -3, 0, 2, 6]
            rows = ["," + ",".join(map(str, xs))] + [f"{y}," + ",".join(f"{z(x, y):.17g}" for x in xs) for y in ys]
            grid = Path(folder) / "grid.csv"
            grid.write_text("\n".join(rows) + "\n")
            options = dict(duration=1, speed=10, lateral=False)
            by_grid = Run(corner(road=f"{{grid: '{grid}'}}", **options), *EXACT)
            by_formula = Run(corner(road='{formula: "0.02*x - 0.0004*x^2 + 0.01*y + 0.002*x*y"}', **options), *EXACT)
            self.assertTrue(largest_difference(by_grid, by_formula, ["car.x", "car.y", "car.z"]) <= 1e-8)
            for x, y, height in zip(by_grid["tire.x"], by_grid["tire.y"], by_grid["tire.z"]):
                self.near(height, z(x, y), 1e-10)
            off = Run(corner(road=f"{{grid: '{grid}'}}", duration=3, speed=10), status=FAILED)
            self.assertIn("force 'tire': at x = 14", off.error)
            self.assertIn("the road has no height: x = 14", off.error)
            self.assertIn("goes from -2 to 14", off.error)

    def test_hill_gives_back_what_it_takes(self):
        """Rolling over a hill without rolling resistance loses next to nothing; the slope is felt as g sin."""
        with tempfile.TemporaryDirectory() as folder:
            text = (SHIPPED / "sedan_symmetric.tir").read_text().replace("QSY1                     = 0.01", "QSY1                     = 0")
            self.assertIn("QSY1                     = 0\n", text.replace("0   $", "0\n"), "the file's rolling resistance")
            file = Path(folder) / "free.tir"
            file.write_text(text)
            run = Run(corner(road='{formula: "0.05*x"}', file=file, duration=1), *EXACT)
            t, v = run["t"], run["car.vx"]
            slowed = (v[100] - v[50]) / (t[100] - t[50])
            mass = 400 + 1.1 / 0.336**2  # the wheel turns, too
            self.near(slowed, -9.81 * 0.05 / (1 + 0.05**2) * 400 / mass, 0.01)

    def test_measures_in_formulas(self):
        """A torque that follows the load: the same as written out."""
        by_measure = Run(corner(value="-0.05*tire.fz", duration=1), *EXACT)
        spelt = "-0.05*(280835.2941*(0.344 - wheel.z) - 2000*min(1, (0.344 - wheel.z)/(0.1*4850/280835.2941))*wheel.vz)"
        spelt_out = Run(corner(value=spelt.replace("*min(1, (0.344 - wheel.z)/(0.1*4850/280835.2941))", ""), duration=1), *EXACT)
        self.assertTrue(largest_difference(by_measure, spelt_out, ["car.x", "hub.angle"]) <= 1e-8)
        self.assertLess(by_measure.last("car.vx"), 9.9)

    def test_beyond_the_data(self):
        run = Run(corner(value="-3000", duration=0.5).replace("angular-velocity: [0, ", "angular-velocity: [0, -"), *STIFF)
        self.assertIn("tire 'tire' was beyond its data from t =", run.summary["message"])
        self.assertIn("KPUMIN -1.5 to KPUMAX 1.5", run.summary["message"])

    # ---- parts ----

    PART = """trammel: 1
space: spatial
bodies:
  hub: {{mass: 300, inertia: [20, 30, 40], position: [0, 0.8, 0.33], velocity: [15, 0.4, 0]}}
  wheel: {{mass: 20, inertia: [0.6, 1.1, 0.6], position: [0, 0.8, 0.33], velocity: [15, 0.4, 0], angular-velocity: [0, 44, 0]}}
joints:
  spin: {{type: revolute, connect: [hub, wheel], at: [0, 0.8, 0.33], axis: [0.02, 1, 0.01]}}
  up: {{type: parallel, connect: [ground, hub], axes: [[0, 0, 1], [0, 0, 1]]}}
forces:
  tire: {{type: tire, wheel: wheel, axis: [0.02, 1, 0.01], file: {file}, side: left}}
  aside: {{type: force, point: hub, value: ["0.1*tire.fy + tire.mz + 10*tire.x", "0.2*tire.fy + 900*tire.alpha + 3*tire.y", "tire.fz*0.01 + 1e3*tire.gamma*tire.alpha"]}}
"""

    def test_mirrored_part(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "tires").mkdir()
            (Path(folder) / "tires" / "sedan.tir").write_text((SHIPPED / "sedan.tir").read_text())
            (Path(folder) / "tires" / "corner.yaml").write_text(self.PART.format(file="sedan.tir"))
            for axis in "xy":
                main = Path(folder) / "car.yaml"
                main.write_text(f"""trammel: 1
space: spatial
gravity: [0, 0, -9.81]
include:
- {{file: tires/corner.yaml, prefix: a_}}
- {{file: tires/corner.yaml, prefix: b_, mirror: {axis}}}
simulate: {{duration: 1, output-step: 0.05}}
outputs: [a_hub, b_hub, a_tire, b_tire]
""")
                run = Run(main, *EXACT)
                for name in ("hub.x", "hub.y", "hub.z", "hub.vx", "hub.vy", "hub.wz", "tire.fx", "tire.fy", "tire.mz", "tire.alpha", "tire.gamma", "tire.speed", "tire.x", "tire.y"):
                    turns = name[-1] == axis if name.startswith("hub.v") or name[-2] == "." else name in ("hub.wz", "tire.fy", "tire.mz", "tire.alpha", "tire.gamma")
                    size = max(map(abs, run["a_" + name]))
                    self.assertGreater(size, 0, name)
                    for a, b in zip(run["a_" + name], run["b_" + name]):
                        self.near(b, -a if turns else a, 1e-9 * size, f"{axis} {name}")

    # ---- mistakes ----

    def mistakes(self, text, *expected, files={}):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model.yaml"
            path.write_text(text)
            for name, contents in files.items():
                (Path(folder) / name).write_text(contents)
            done = subprocess.run([PROGRAM, "check", path], capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, BAD_MODEL, done.stderr)
            for line in expected:
                self.assertIn(line, done.stderr)

    def test_mistakes(self):
        head = "trammel: 1\nspace: spatial\nbodies: {wheel: {mass: 1, inertia: [1, 1, 1]}}\nforces:\n"
        sedan = SHIPPED / "sedan.tir"
        self.mistakes(head + f"""  a: {{type: tire, wheel: wheal, file: '{sedan}', side: left}}
  b: {{type: tire, wheel: wheel, axis: [0, 0, 0], file: '{sedan}', side: lift}}
  c: {{type: tire, wheel: wheel, file: none.tir, side: left}}
  d: {{type: tire, wheel: wheel, file: broken.tir, side: right}}
  e: {{type: tire, wheel: wheel, file: broken.tir, side: left}}
  f: {{type: tire, wheel: wheel, centre: Q}}
  g: {{type: tire, wheel: ground, file: '{sedan}', side: left}}
road: {{formula: "0.1*t", friction: -1}}
""", "model.yaml:5:26: error: force 'a': unknown body 'wheal', did you mean 'wheel'?",
            "model.yaml:6:39: error: force 'b': the axis has length zero",
            "error: force 'b': side: unknown side 'lift', did you mean 'left'?",
            "model.yaml:7:39: error: force 'c': 'none.tir' is no tire that can be used",
            "none.tir: error: the tire file cannot be read: No such file or directory",
            "model.yaml:8:39: error: force 'd': 'broken.tir' is no tire that can be used",
            "error: section [LATERAL_COEFFICIENTS] is missing",
            "error: force 'f': missing key 'file'", "error: force 'f': missing key 'side'",
            "error: force 'g': the ground does not roll",
            "model.yaml:12:22: error: road: formula: a road lies still",
            "error: road: friction is -1, it cannot be negative",
            files={"broken.tir": "".join(part for i, part in enumerate(sedan.read_text().split("[")) if not part.startswith("LATERAL_COEFF") for part in (("[" if i else "") + part,))})
        self.mistakes(f"trammel: 1\nspace: planar\nbodies: {{wheel: {{mass: 1, inertia: 1}}}}\nforces: {{t: {{type: tire, wheel: wheel, file: '{sedan}', side: left}}}}\n",
                      "error: force 't': a tire needs space: spatial, this model is planar")
        self.mistakes(head.replace("forces:\n", "road: bumpy\n"), "model.yaml:4:7: error: road: expected flat or a map")
        self.mistakes(head.replace("forces:\n", "road: {grid: no.csv, formula: x}\n"), "road: formula and grid are both given")
        self.mistakes(head.replace("forces:\n", "road: {grid: no.csv}\n"), "model.yaml:4:14: error: road: grid: table 'no.csv'")


if __name__ == "__main__":
    unittest.main()
