#!/usr/bin/env python3
"""Tires as force elements: reference points, relaxation, standing on a slope, the single-track car, and invariances."""
import csv
import math
import os
import re
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from extremes import largest
from program import Run, largest_difference

HERE = Path(__file__).resolve().parent
SHIPPED = HERE.parents[1] / "models" / "vehicle"
SANITIZED = "TRM_SANITIZED" in os.environ  # ten times as slow
FORMS = ("natural", "euler-parameters")
EXACT = ("--integrator", "dop853", "--rtol", "1e-11", "--atol", "1e-13")
STIFF = ("--integrator", "radau5", "--rtol", "1e-9", "--atol", "1e-11")


class Tire:
    """A shipped file with some of its keys changed."""

    def __init__(self, folder, name, **keys):
        text = (SHIPPED / name).read_text()
        for key, value in keys.items():
            text, count = re.subn(rf"(?m)^{key}(\s*=\s*)\S+", rf"{key}\g<1>{value}", text)
            assert count == 1, key
        self.path = Path(tempfile.mkstemp(suffix=".tir", dir=folder)[1])
        self.path.write_text(text)
        self.number = {key: float(value) for key, value in re.findall(r"(?m)^(\w+)\s*=\s*([-+.\de]+)", text)}

    def deflection(self, load):
        return load / self.number["VERTICAL_STIFFNESS"]

    def height(self, load):
        return self.number["UNLOADED_RADIUS"] - self.deflection(load)

    def radius(self, load):
        n = self.number
        nominal = n["FNOMIN"] / n["VERTICAL_STIFFNESS"]
        rho = self.deflection(load) / nominal
        return n["UNLOADED_RADIUS"] - nominal * (n["DREFF"] * math.atan(n["BREFF"] * rho) + n["FREFF"] * rho)


def vector(*v):
    return "[" + ", ".join(f"{x:.17g}" for x in v) + "]"


def model(bodies, forces, joints="", duration=1e-3, step=1e-3, gravity=-9.81, more="", outputs="energy"):
    return f"""trammel: 1
space: spatial
gravity: [0, 0, {gravity}]
bodies:
{bodies}
joints:
{joints}
forces:
{forces}
{more}
simulate: {{duration: {duration}, output-step: {step}}}
outputs: [{outputs}]
""".replace("joints:\n\n", "")


def held(tire, name, load, kappa, alpha, gamma, at, speed=16.6, turn=1):
    """A wheel of so much inertia that nothing changes its motion; turn = −1: its mirror image."""
    axis = (0, math.cos(gamma), turn * math.sin(gamma))
    spin = speed * (1 + kappa) / tire.radius(load)
    body = (f"  {name}: {{mass: 1e15, inertia: [1e15, 1e15, 1e15], position: {vector(0, at, tire.height(load) * axis[1])}, "
            f"velocity: {vector(speed, turn * speed * math.tan(alpha), 0)}, angular-velocity: {vector(*(spin * a for a in axis))}}}")
    side = "left" if turn > 0 else "right"
    return body, f"  {name}_tire: {{type: tire, wheel: {name}, axis: {vector(*axis)}, file: '{tire.path}', side: {side}}}"


class TiresTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def tire(self, name, **keys):
        return Tire(self.scratch.name, name, **keys)

    def near(self, found, expected, tolerance, what=""):
        self.assertTrue(abs(found - expected) <= tolerance, f"{what}: {found}, expected {expected}")

    # ---- reference points ----

    def check_points(self, name, file, mode, columns, turn):
        tire = self.tire(name, USE_MODE=mode)
        with open(HERE / file, newline="") as table:
            rows = [{key: float(value) for key, value in row.items()} for row in csv.DictReader(table)]
        wheels = [held(tire, f"w{i}", row["Fz"], row["kappa"], row["alpha"], row["gamma"], 3 * i, turn=turn)
                  for i, row in enumerate(rows)]
        run = Run(model("\n".join(w[0] for w in wheels), "\n".join(w[1] for w in wheels),
                        outputs=", ".join(f"w{i}_tire" for i in range(len(rows)))), *EXACT)
        self.assertGreaterEqual(len(rows), 40)
        for i, row in enumerate(rows):
            found = {key: run[f"w{i}_tire.{key}"][0] for key in ("fx", "fy", "fz", "mx", "my", "mz", "kappa", "alpha", "gamma", "deflection")}
            self.near(found["fz"], row["Fz"], 1e-9 * row["Fz"], "load")
            self.near(found["kappa"], row["kappa"], 1e-12)
            self.near(found["alpha"], turn * row["alpha"], 1e-12)
            self.near(found["gamma"], turn * row["gamma"], 1e-12)
            self.near(found["deflection"], tire.deflection(row["Fz"]), 1e-14)
            for key, column, sign in columns:
                self.near(found[key], (turn if sign < 0 else 1) * row[column], 1e-6 * abs(row[column]) + 1e-4, f"{file} {i} {column}")

    def test_reference_points(self):
        combined = (("fx", "Fx", 1), ("fy", "Fy", -1), ("mz", "Mz", -1), ("my", "My", 1))
        pure = (("fx", "Fx0", 1), ("fy", "Fy0", -1), ("mz", "Mz0", -1), ("my", "My", 1))
        for name, file in (("sedan.tir", "points_TS.csv"), ("sedan_symmetric.tir", "points_SYM.csv"), ("van.tir", "points_VAN.csv")):
            for turn in (1, -1):
                self.check_points(name, file, 4, combined, turn)
            self.check_points(name, file, 3, pure, 1)

    # ---- scaling ----

    def test_scale(self):
        """A tire scaled in the model is the one of a file with that coefficient, to the last bit; the other stays."""
        own = {"LKY": 0.9, "LMUY": 1}
        plain, lower = self.tire("sedan.tir", **own), self.tire("sedan.tir", LKY=0.9 * 1.25, LMUY=0.75)
        for alpha in (0.02, 0.15):
            wheels = [held(plain, "a", 4000, 0.01, alpha, 0.02, 0), held(plain, "b", 4000, 0.01, alpha, 0.02, 3),
                      held(lower, "c", 4000, 0.01, alpha, 0.02, 6)]
            forces = "\n".join(w[1] for w in wheels)
            forces = forces.replace("side: left}", "side: left, scale: {LKY: k, lmuy: 3*k/5}}", 1)
            run = Run(model("\n".join(w[0] for w in wheels), forces, more="parameters: {k: 1.25}",
                            outputs="a_tire, b_tire, c_tire"), *EXACT)
            for key in ("fx", "fy", "mx", "my", "mz"):
                self.assertEqual(run[f"a_tire.{key}"], run[f"c_tire.{key}"], key)
            self.assertGreater(abs(run["a_tire.fy"][-1] / run["b_tire.fy"][-1] - 1), 0.05)

    def test_scale_that_is_wrong(self):
        wheel = held(self.tire("sedan.tir"), "a", 4000, 0, 0, 0, 0)
        for scale, said in (("{LKZ: 1}", "no scaling coefficient 'LKZ'"), ("{LKY: 0}", "LKY is 0, it must be positive"),
                            ("{LTR: -1}", "LTR is -1, it must be 0 or more"), ("1.1", "scaling coefficients"),
                            ("{LKY: x}", "unknown name 'x'")):
            run = Run(model(wheel[0], wheel[1].replace("side: left", f"side: left, scale: {scale}")), status=3)
            self.assertIn(said, run.error)
            self.assertRegex(run.error, r"model.yaml:\d+:\d+: error: ")

    # ---- relaxation ----

    def test_relaxation_is_the_linear_solution(self):
        """tan α' = tan α (1 − exp(−v t/σ)): the force is that of the formula at the slip of the time."""
        load, speed, alpha, kappa = 4850, 20, 0.03, 0.02
        sigma_alpha, sigma_kappa = 0.5930348033, 0.8138008
        tire, steady = (self.tire("sedan_symmetric.tir", USE_MODE=mode) for mode in (14, 4))
        for options in (EXACT, STIFF):
            wheels = [held(tire, "w", load, 0, alpha, 0, 0, speed), held(tire, "s", load, kappa, 0, 0, 3, speed)]
            run = Run(model("\n".join(w[0] for w in wheels), "\n".join(w[1] for w in wheels), duration=0.2, step=0.02,
                            gravity=0, outputs="w_tire, s_tire"), *options)
            self.assertEqual(run["w_tire.fy"][0], 0)
            expected = []
            for i, t in enumerate(run["t"]):
                slip = math.tan(alpha) * (1 - math.exp(-speed * t / sigma_alpha))
                expected.append(held(steady, f"w{i}", load, 0, math.atan(slip), 0, 3 * i, speed))
                expected.append(held(steady, f"s{i}", load, kappa * (1 - math.exp(-speed * t / sigma_kappa)), 0, 0, 3 * i, speed))
            points = Run(model("\n".join(w[0] for w in expected), "\n".join(w[1] for w in expected),
                               outputs=", ".join(w[1].split(":")[0].strip() for w in expected)), *EXACT)
            for i in range(len(run["t"])):
                self.near(run["w_tire.fy"][i], points[f"w{i}_tire.fy"][0], 1e-6 * abs(run.last("w_tire.fy")))
                self.near(run["s_tire.fx"][i], points[f"s{i}_tire.fx"][0], 1e-6 * abs(run.last("s_tire.fx")))
            self.assertLess(run.last("w_tire.fy"), -2000)

    # ---- a car of one body and four wheels ----

    def car(self, tire, slope=0.0, speed=0.0, turn=1, yaw=0.0, steer=0.0, drivers=True, duration=30, step=1, more="", extra="", outputs=""):
        """turn = −1: the mirror image; yaw: the whole scene turned about z."""
        pitch = -math.atan(slope)
        pose = lambda v: (math.cos(pitch) * v[0] + math.sin(pitch) * v[2], v[1], -math.sin(pitch) * v[0] + math.cos(pitch) * v[2])
        about = lambda v: (math.cos(yaw) * v[0] - math.sin(yaw) * v[1], math.sin(yaw) * v[0] + math.cos(yaw) * v[1], v[2])
        frame = f"{{euler: zyx, angles: {vector(yaw, pitch, 0)}}}"
        front, rear, half, mass = 1.2, -1.4, 0.8, 1400.0
        height = tire.height(3900)
        go = vector(*about(pose((speed, 0, 0))))
        bodies = [f"  car: {{mass: {mass}, inertia: [500, 2000, 2200], position: {vector(*about(pose((0, 0, 0.55))))}, orientation: {frame}, velocity: {go}}}"]
        joints, forces = [], []
        for name, x, y in (("fl", front, half), ("fr", front, -half), ("rl", rear, half), ("rr", rear, -half)):
            angle = turn * steer if name[0] == "f" else 0
            at = vector(*about(pose((x, turn * y, height))))
            axis = vector(*about(pose((-math.sin(angle), math.cos(angle), 0))))
            own = vector(-math.sin(angle), math.cos(angle), 0)
            spin = vector(*about(pose(tuple(speed / tire.radius(3900) * k for k in (-math.sin(angle), math.cos(angle), 0)))))
            bodies.append(f"  {name}: {{mass: 20, inertia: [0.6, 1.1, 0.6], position: {at}, orientation: {frame}, velocity: {go}, angular-velocity: {spin}}}")
            joints.append(f"  hub_{name}: {{type: revolute, connect: [car, {name}], at: {at}, axis: {axis}}}")
            if drivers:
                joints.append(f"  hold_{name}: {{type: driver, of: hub_{name}.angle, value: 0}}")
            side = "left" if (name[1] == "l") == (turn > 0) else "right"
            forces.append(f"  t_{name}: {{type: tire, wheel: {name}, axis: {own}, file: '{tire.path}', side: {side}}}")
        if extra:
            forces.append(extra)
        return model("\n".join(bodies), "\n".join(forces), "\n".join(joints), duration, step, more=more,
                     outputs=", ".join(["car", "t_fl", "t_fr", "t_rl", "t_rr", "energy"] + ([outputs] if outputs else [])))

    @unittest.skipIf(SANITIZED, "long")
    def test_parked_on_a_slope(self):
        for name in ("sedan.tir", "van.tir"):
            for mode in (4, 14):
                run = Run(self.car(self.tire(name, USE_MODE=mode, VERTICAL_DAMPING=2000), slope=0.1, more='road: {formula: "0.1*x"}'),
                          "--integrator", "radau5", "--rtol", "1e-8", "--atol", "1e-10")
                for axis in "xyz":
                    late = run["car." + axis][20:]
                    self.assertEqual(len(late), 11)
                    self.assertTrue(max(late) - min(late) < 1e-6, (name, mode, axis))
                weight = 1480 * 9.81  # along the road and across it
                along = sum(run.last(f"t_{w}.fx") for w in ("fl", "fr", "rl", "rr"))
                across = sum(run.last(f"t_{w}.fz") for w in ("fl", "fr", "rl", "rr"))
                self.near(along, weight * 0.1 / math.hypot(1, 0.1), 1e-4 * weight)
                self.near(across, weight / math.hypot(1, 0.1), 1e-6 * weight)

    @unittest.skipIf(SANITIZED, "long")
    def test_mirror_image(self):
        tire = self.tire("sedan.tir")
        cars = [Run(self.car(tire, speed=15, turn=turn, steer=0.03, drivers=False, duration=2, step=0.1,
                             more=f'road: {{formula: "0.02*sin(x)*cos({turn}*y)", friction: "0.9 + 0.05*tanh({turn}*y)"}}'), *EXACT) for turn in (1, -1)]
        for name, sign in (("car.x", 1), ("car.y", -1), ("car.z", 1), ("car.wx", -1), ("car.wz", -1), ("car.vy", -1),
                           ("energy.total", 1), ("t_fl.fy", -1), ("t_fl.fx", 1), ("t_fl.mz", -1), ("t_rr.gamma", -1)):
            size = max(map(abs, cars[0][name]))
            self.assertGreater(size, 0)
            for a, b in zip(cars[0][name], cars[1][name]):
                self.near(b, sign * a, 1e-7 * size, name)
        self.assertGreater(cars[0].last("car.y"), 1)

    def test_turned_scene(self):
        tire = self.tire("sedan.tir")
        run, turned = (Run(self.car(tire, speed=15, steer=0.03, yaw=yaw, drivers=False, duration=2, step=0.1), *EXACT)
                       for yaw in (0, math.pi / 2))
        for name, other, sign in (("car.x", "car.y", 1), ("car.y", "car.x", -1), ("car.z", "car.z", 1), ("car.vx", "car.vy", 1),
                                  ("t_fl.x", "t_fl.y", 1), ("t_fl.fy", "t_fl.fy", 1), ("t_rr.mz", "t_rr.mz", 1)):
            size = max(map(abs, run[name]))
            for a, b in zip(run[name], turned[other]):
                self.near(b, sign * a, 1e-8 * size, name)

    @unittest.skipIf(SANITIZED, "long")
    def test_forms_methods_and_energy(self):
        tire = self.tire("sedan.tir")
        text = self.car(tire, speed=15, steer=0.03, drivers=False, duration=1, step=0.05, more='road: {formula: "0.02*sin(x)"}')
        runs = [Run(text, "--coordinates", form, *method) for form in FORMS for method in (EXACT, STIFF)]
        for run in runs:
            worked = max(map(abs, run["energy.work"]))
            self.assertGreater(worked, 100)
            self.assertTrue(largest(map(abs, run["energy.error"])) <= 1e-6 * worked)
            for name, tolerance in (("car.x", 1e-6), ("car.y", 1e-6), ("car.z", 1e-7), ("t_fl.fy", 1e-2), ("t_rr.fz", 1e-2)):
                self.assertTrue(largest_difference(run, runs[0], [name]) <= tolerance, (name, largest_difference(run, runs[0], [name])))

    def test_every_method(self):
        text = self.car(self.tire("sedan.tir"), speed=15, steer=0.03, drivers=False, duration=0.5, step=0.05)
        exact = Run(text, *EXACT)
        close = ("--rtol", "1e-8", "--atol", "1e-10")
        for method, options, tolerance in (("auto", close, 1e-6), ("adams", close, 1e-6), ("bdf", close, 1e-6), ("ida", close, 1e-6),
                                           ("radau5", close, 1e-6), ("rk4", ("--step", "5e-4"), 1e-6), ("ab4", ("--step", "2e-4"), 1e-6),
                                           ("generalized-alpha", ("--step", "5e-4"), 2e-5), ("trapezoidal", ("--step", "5e-4"), 2e-5),
                                           ("three-field", ("--step", "5e-4"), 2e-4)):
            for form in FORMS:
                run = Run(text, "--integrator", method, "--coordinates", form, *options)
                for name in ("car.x", "car.y", "car.z"):
                    off = largest_difference(run, exact, [name])
                    self.assertTrue(off <= tolerance, (method, form, name, off))

    # ---- single track ----

    M, IZ, A, B = 1700.0, 2700.0, 1.288, 1.488
    LOAD = (4469.6282420749285, 3868.871757925072)
    GAIN = {16.666666666666668: 5.858778999980303, 22.22222222222222: 7.667611833, 30: 10.004343477970151}
    STEP = {"t": (0.05, 0.1, 0.2, 0.3, 0.5, 0.8, 1.2, 2.0, 4.0), "yaw_rate": (
        0.05326967091904606, 0.08585755077286708, 0.11747507583053227, 0.12864042810937004, 0.13351409497142447,
        0.1338619809256537, 0.13382773694673897, 0.13382507400206026, 0.1338250722517965), "vy": (
        0.04052997287226445, 0.030126864306520066, -0.033041020011781885, -0.08863729245435183, -0.14093719554753392,
        -0.15588037329995336, -0.15720997575239262, -0.15724283423292792, -0.1572428269007288)}

    def single_track(self, speed, angle, mode, step=0.05):
        """Side force only, wheel loads by the heights at which a planar joint holds the car."""
        keys = {key: 0 for key in re.findall(r"(?m)^(Q[BDEHCS]\w+|SSZ\d)\s*=", (SHIPPED / "sedan_symmetric.tir").read_text())}
        tire = self.tire("sedan_symmetric.tir", USE_MODE=mode, **keys)
        points, forces = [], []
        for name, x, y, load, steer in (("fl", self.A, 0.7979, 0, angle), ("fr", self.A, -0.7979, 0, angle),
                                        ("rl", -self.B, 0.7979, 1, 0), ("rr", -self.B, -0.7979, 1, 0)):
            points.append(f"{name}: {vector(x, y, tire.height(self.LOAD[load]) - 0.54)}")
            side = "left" if name[1] == "l" else "right"
            forces.append(f"  t_{name}: {{type: tire, wheel: car, centre: {name}, axis: {vector(-math.sin(steer), math.cos(steer), 0)}, file: '{tire.path}', side: {side}}}")
        body = (f"  car: {{mass: {self.M}, inertia: [500, 2500, {self.IZ}], position: [0, 0, 0.54], velocity: {vector(speed, 0, 0)}, "
                f"points: {{{', '.join(points)}}}}}")
        return Run(model(body, "\n".join(forces), "  road: {type: planar, connect: [ground, car], at: [0, 0, 0.54], axis: [0, 0, 1]}", 4, step,
                         outputs="car, t_fl, t_rr"), *EXACT)

    def test_single_track(self):
        angle = 1e-4
        for speed, gain in self.GAIN.items():
            for mode in (2, 12):
                run = self.single_track(speed, angle, mode)
                self.near(run["t_fl.fz"][0], self.LOAD[0], 1e-6)
                self.near(run["t_rr.fz"][0], self.LOAD[1], 1e-6)
                self.near(run.last("car.r") / angle, gain, 1e-4 * gain, f"{speed} {mode}")
        run = self.single_track(22.22222222222222, angle, 2)
        for key, column in (("yaw_rate", "car.r"), ("vy", "car.v")):
            size = max(map(abs, self.STEP[key]))
            for t, expected in zip(self.STEP["t"], self.STEP[key]):
                found = run[column][round(t / 0.05)] * math.radians(1) / angle
                self.near(found, expected, 2e-3 * abs(expected), f"{key} at {t}")
                self.near(found, expected, 1e-4 * size, f"{key} at {t}")

    def test_axle_forces_of_the_steady_circle(self):
        """a_y, and the slips of both axles at which the tires carry it."""
        tire = self.tire("sedan_symmetric.tir", USE_MODE=4)
        slips = ((0.5, 0.002822255659216461, 0.0026983484009029408), (2, 0.011427624661145105, 0.010920445987168173),
                 (4, 0.023827224649576602, 0.022728342988467657), (8, 0.05999995597166964, 0.05642422419122666))
        wheels, expected = [], []
        for i, (ay, *alphas) in enumerate(slips):
            for axle in (0, 1):
                wheels.append(held(tire, f"w{2 * i + axle}", self.LOAD[axle], 0, -alphas[axle], 0, 6 * i + 3 * axle))
                expected.append(self.M * ay * (self.B, self.A)[axle] / (self.A + self.B) / 2)
        run = Run(model("\n".join(w[0] for w in wheels), "\n".join(w[1] for w in wheels),
                        outputs=", ".join(f"w{i}_tire" for i in range(len(wheels)))), *EXACT)
        for i, force in enumerate(expected):
            self.near(run[f"w{i}_tire.fy"][0], force, 1e-6 * force, f"{i}")


if __name__ == "__main__":
    unittest.main()
