"""Linear models against closed forms, in every formulation, at rest and in motion."""
import cmath
import csv
import io
import json
import math
import subprocess
import tempfile
import unittest
from pathlib import Path

import mat
from analyses import ALL_SPATIAL, PLANAR, PROGRAM, ROOT, SPATIAL, ask, largest

CART_POLE = """
trammel: 1
space: planar
gravity: [0, -9.81]
parameters: {M: 1.2, m: 0.35, l: 0.4, c: 0.15}
inputs: {push: 0}
bodies:
  cart: {mass: M, inertia: 0.1}
  pole: {mass: m, inertia: m*(2*l)^2/12, position: [0, l], angle: pi/2, points: {A: [-l, 0], T: [l, 0]}}
joints:
  rail: {type: prismatic, connect: [ground, cart], axis: [1, 0]}
  pin: {type: revolute, connect: [cart, pole.A]}
forces:
  drag: {type: actuator, of: rail, value: "-c*rail.speed"}
  motor: {type: actuator, of: rail, value: push}
"""
A = [[0, 0, 1, 0], [0, 0, 0, 1], [0, 2.0000970873786406, -0.11650485436893204, 0], [0, 22.14393203883495, -0.21844660194174756, 0]]
B = [0, 0, 0.7766990291262137, 1.4563106796116503]

PENDULUM = """
trammel: 1
space: planar
gravity: [0, -9.81]
parameters: {a: 0.7, w: 1.3}
inputs: {torque: 0}
bodies:
  bob: {mass: 2, inertia: 0.3, position: [sin(a), -cos(a)], angle: a, angular-velocity: w, points: {O: [0, 1]}}
joints:
  pin: {type: revolute, connect: [ground, bob.O]}
forces:
  motor: {type: actuator, of: pin, value: torque}
"""

QUARTER = """
trammel: 1
space: planar
gravity: [0, -9.81]
inputs: {road: 0}
states: {filter: {initial: 0, rate: "(road - filter)/0.02"}}
bodies:
  body: {mass: 390, inertia: 1, position: [0, 0.6760738214285715]}
  wheel: {mass: 35, inertia: 1, position: [0, 0.3291098214285714]}
joints:
  body_slide: {type: prismatic, connect: [ground, body], axis: [0, 1]}
  wheel_slide: {type: prismatic, connect: [ground, wheel], axis: [0, 1]}
forces:
  strut: {type: spring-damper, connect: [wheel, body], stiffness: 25000, damping: 1600, length: 0.5}
  tire: {type: force, point: wheel, value: [0, "280000*(0.344 + filter - wheel.y)"]}
outputs: [body.y]
"""


def largest_difference(found, expected):
    return largest(abs(a - b) for x, y in zip(found, expected) for a, b in zip(x, y))


class Linearize(unittest.TestCase):
    def test_half_a_turn(self):
        """A free body that is turned by half a turn about z, where yaw may be told as π or −π: its linear model is that of any other heading.
        With Euler's equations, roll' = −wx and pitch' = −wy there, qw = cos(yaw/2), qz = sin(yaw/2)."""
        model = """
trammel: 1
space: spatial
inputs: {torque: 0}
outputs: [b.x]
bodies:
  b: {mass: 2, inertia: [0.3, 0.4, 0.5], orientation: {axis: [0, 0, 1], angle: pi}}
forces:
  motor: {type: torque, body: b, value: [0, 0, torque]}
"""
        for coordinates in ALL_SPATIAL:
            for spin in (None, "[0, 0, 2]"):
                moving = model if not spin else model.replace("angle: pi}}", "angle: pi}, angular-velocity: " + spin + "}")
                found = ask("linearize", moving, "--inputs", "torque", "--outputs", "b.yaw,b.qw,b.qz,b.roll", "--coordinates", coordinates)
                place = found["states"].index("b.yaw")
                self.assertLessEqual(abs(found["C"][0][place] - 1), 1e-9)
                self.assertLessEqual(abs(abs(found["C"][1][place]) - 0.5), 1e-9)
                rest = [abs(x) for k in range(4) for j, x in enumerate(found["C"][k]) if j != place and (k, j) != (3, found["states"].index("b.roll"))]
                self.assertLessEqual(max(rest + [abs(found["C"][2][place])]), 1e-9)
                for name, rate, sign in (("b.roll", "b.wx", -1), ("b.pitch", "b.wy", -1), ("b.yaw", "b.wz", 1)):
                    row = found["A"][found["states"].index(name)]
                    for state, x in zip(found["states"], row):
                        self.assertLessEqual(abs(x - (sign if state == rate else 0)), 1e-8, f"{name}' by {state}")

    def test_cart_pole(self):
        for coordinates in PLANAR:
            found = ask("linearize", CART_POLE, "--inputs", "push", "--outputs", "pole.T.x,push,rail.speed", "--coordinates", coordinates)
            self.assertEqual(found["states"], ["rail.displacement", "pin.angle", "rail.speed", "pin.rate"])
            self.assertLessEqual(largest_difference(found["A"], A), 1e-11)
            self.assertLessEqual(largest_difference(found["B"], [[b] for b in B]), 1e-11)
            self.assertLessEqual(largest_difference(found["C"], [[1, -0.8, 0, 0], [0, 0, 0, 0], [0, 0, 1, 0]]), 1e-11)
            self.assertLessEqual(largest_difference(found["D"], [[0], [1], [0]]), 1e-11)

    def test_mat_files(self):
        """The numbers and names of the JSON files, by a reader of our own and by SciPy where it is installed."""
        with tempfile.TemporaryDirectory() as folder:
            here = Path(folder)
            (here / "model.yaml").write_text(CART_POLE)
            for command, options in ("linearize", ("--inputs", "push", "--outputs", "pole.T.x,push,rail.speed")), ("modes", ()):
                done = subprocess.run([PROGRAM, command, "model.yaml", "-o", "out", *options], cwd=here, check=True, capture_output=True, text=True)
                self.assertTrue(done.stdout.startswith("model.yaml: "), done.stdout)  # the model has no name
            linear, modes = (json.loads((here / f"out/{name}.json").read_text()) for name in ("linear", "modes"))
            measures = list(modes["modes"][0]["shape"])
            expected = {key: linear[key] for key in ("A", "B", "C", "D", "states", "inputs", "outputs")} | {"time": [[0]]}
            self.assertEqual(mat.load(here / "out/linear.mat"), expected)
            expected = {"eigenvalues": [[complex(mode["re"], mode["im"])] for mode in modes["modes"]],
                        "frequency": [[mode["frequency"]] for mode in modes["modes"]],
                        "damping": [[mode["damping"]] for mode in modes["modes"]], "measures": measures,
                        "shapes": [[complex(*mode["shape"][name]) for mode in modes["modes"]] for name in measures]}
            found = mat.load(here / "out/modes.mat")
            shapes = found.pop("shapes")
            self.assertLessEqual(largest_difference(shapes, expected.pop("shapes")), 1e-10)  # of which JSON has twelve digits
            self.assertEqual(found, expected)
            try:
                from scipy.io import loadmat
            except ImportError:
                return
            found = loadmat(here / "out/linear.mat")
            self.assertEqual(found["A"].tolist(), linear["A"])
            self.assertEqual([str(name[0][0]) for name in found["states"]], linear["states"])
            self.assertEqual(loadmat(here / "out/modes.mat")["shapes"].tolist(), shapes)

    def test_states_of_choice(self):
        """The tip's place in the angle's stead: x_T = x − 0.8 θ."""
        found = ask("linearize", CART_POLE, "--inputs", "push", "--states", "cart.x,pole.T.x")
        self.assertEqual(found["states"], ["cart.x", "pole.T.x", "cart.vx", "pole.T.vx"])
        T = [[1, 0], [1, -0.8]]
        back = [[1, 0], [1 / 0.8, -1 / 0.8]]

        def turned(block):
            return [[sum(T[i][k] * block[k][l] * back[l][j] for k in range(2) for l in range(2)) for j in range(2)] for i in range(2)]

        low = [turned([row[:2] for row in A[2:]]), turned([row[2:] for row in A[2:]])]
        expected = [A[0], A[1], low[0][0] + low[1][0], low[0][1] + low[1][1]]
        self.assertLessEqual(largest_difference(found["A"], expected), 1e-10)

    def test_wrong_states(self):
        self.assertIn("2 freedoms", ask("linearize", CART_POLE, "--states", "cart.x", status=2))
        self.assertIn("no position", ask("linearize", CART_POLE, "--states", "cart.x,pole.omega", status=2))
        self.assertIn("no input 'pull'", ask("linearize", CART_POLE, "--inputs", "pull", status=2))
        self.assertIn("outputs:", ask("linearize", CART_POLE, "--outputs", "pole.nose", status=2))
        ask("linearize", CART_POLE, "--at", "noon", status=2)

    def test_in_motion(self):
        """A pendulum at 0.7 rad that moves: θ'' = −g m l/(m l² + I) sin θ + torque/(m l² + I), and reactions."""
        J = 2.3
        for coordinates in PLANAR:
            found = ask("linearize", PENDULUM, "--inputs", "torque", "--outputs", "pin.fx,bob.ax", "--coordinates", coordinates)
            self.assertLessEqual(largest_difference(found["A"], [[0, 1], [-2 * 9.81 / J * math.cos(0.7), 0]]), 1e-10)
            self.assertLessEqual(largest_difference(found["B"], [[0], [1 / J]]), 1e-10)
            # ax = θ'' cos θ − θ'² sin θ
            acceleration = -2 * 9.81 / J * math.sin(0.7)
            slope = -2 * 9.81 / J * math.cos(0.7) ** 2 - acceleration * math.sin(0.7) - 1.3 ** 2 * math.cos(0.7)
            ax = [slope, -2 * 1.3 * math.sin(0.7)]
            self.assertLessEqual(largest_difference(found["C"], [[2 * x for x in ax], ax]), 1e-9)
            self.assertLessEqual(largest_difference(found["D"], [[2 * math.cos(0.7) / J], [math.cos(0.7) / J]]), 1e-10)

    def test_formulations_agree_in_motion(self):
        """Closed loops, a driven rolling disc, a spatial loop: third derivatives of constraints are in it."""
        for model, at, formulations in (("slider_crank", 0.3, PLANAR), ("four_bar", 0.4, PLANAR), ("rolling_wheel", 0.2, PLANAR),
                                        ("rolling_disc", 0.1, ALL_SPATIAL), ("bricard", 0.7, SPATIAL), ("screw_press", 0.1, ALL_SPATIAL)):
            found = [ask("linearize", ROOT / f"models/{model}.yaml", "--at", at, "--integrator", "dop853", "--rtol", 1e-12, "--atol", 1e-13,
                         "--coordinates", formulation) for formulation in formulations]
            with self.subTest(model=model):
                size = max(1, max(abs(x) for row in found[0]["A"] for x in row))
                for other in found[1:]:
                    self.assertEqual(other["states"], found[0]["states"])
                    self.assertLessEqual(largest_difference(other["A"], found[0]["A"]), 1e-8 * size)

    def test_accelerations_and_reactions_in_space(self):
        """Outputs on acceleration level are those of every formulation, at rest and in motion: also those that joints of a tree carry."""
        model = """
trammel: 1
space: spatial
gravity: [0, 0, -9.81]
parameters: {a: 0.7}
inputs: {torque: 0}
bodies:
  upper: {mass: 2, inertia: [0.3, 0.2, 0.1], position: [sin(a), 0, -cos(a)], orientation: {axis: y, angle: -a}, points: {O: [0, 0, 1]}}
  lower: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [sin(a), 0, -1 - cos(a)], points: {O: [0, 0, 1]}}
joints:
  pin: {type: revolute, connect: [ground, upper.O], axis: y}
  elbow: {type: revolute, connect: [upper, lower.O], axis: y}
forces: {motor: {type: actuator, of: pin, value: torque}}
"""
        options = ("--inputs", "torque", "--outputs", "lower.ax,lower.alphay,pin.fx,elbow.fz", "--integrator", "dop853", "--rtol", 1e-12, "--atol", 1e-13)
        for at in ("start", "equilibrium", 0.3):
            plain, *others = [ask("linearize", model, "--at", at, *options, "--coordinates", c) for c in ALL_SPATIAL]
            self.assertGreater(abs(plain["D"][2][0]), 0.1)
            for found in others:
                for key in "ABCD":
                    self.assertLessEqual(largest_difference(found[key], plain[key]), 1e-8)

    def test_response_of_a_quarter_car(self):
        """Against impedances, with a lag of 20 ms before the road."""
        text = ask("response", QUARTER, "--from-input", "road", "--to-output", "body.y", "--low", 0.1, "--high", 30, "--points", 40)
        figure = ask("response", QUARTER, "--from-input", "road", "--to-output", "body.y", file="response.svg", read=True)
        for label in ("body.y from road", "magnitude", "phase, rad"):
            self.assertIn(label, figure)
        rows = list(csv.DictReader(io.StringIO(text)))
        self.assertEqual(len(rows), 40)
        self.assertEqual((float(rows[0]["frequency"]), float(rows[-1]["frequency"])), (0.1, 30))
        for row in rows:
            s = 2j * math.pi * float(row["frequency"])
            strut = 25000 + 1600 * s
            wheel = 35 * s * s + strut + 280000
            body = 390 * s * s + strut
            expected = 280000 * strut / (wheel * body - strut * strut) / (1 + 0.02 * s)
            found = cmath.rect(float(row["magnitude"]), float(row["phase"]))
            self.assertLessEqual(abs(found - expected), 1e-9 * abs(expected) + 1e-12)

    def test_bicycle_at_speed(self):
        """A torque on the steering, by the matrices of Meijaard et al. 2007, where it is positive to the right. The states that
        are chosen are of a wheel that spins: A is that of the frame that goes with the motion."""
        M, C1 = ((80.81722, 2.319413322087091), (2.319413322087091, 0.2978418819968555)), ((0, 33.86641391492494), (-0.8503564145697844, 1.6854039739755968))
        K0, K2 = ((-80.95, -2.5995168524987164), (-2.5995168524987164, -0.8032948845861769)), ((0, 76.59734589573222), (0, 2.65431523794604))
        v, model = 5, (ROOT / "models/bicycle/whipple.yaml").read_text()
        model = model.replace("simulate:\n", "inputs: {torque: 0}\nforces: {motor: {type: actuator, of: steering, value: torque}}\nsimulate:\n")
        for coordinates in ALL_SPATIAL:
            for output, sign in (("frame.roll", -1), ("steering.angle", 1)):
                text = ask("response", model, "--set", f"v={v}", "--from-input", "torque", "--to-output", output, "--low", 0.2, "--high", 5,
                           "--points", 7, "--coordinates", coordinates)
                for row in csv.DictReader(io.StringIO(text)):
                    s = 2j * math.pi * float(row["frequency"])
                    (a, b), (c, d) = [[s * s * M[i][j] + s * v * C1[i][j] + 9.81 * K0[i][j] + v * v * K2[i][j] for j in range(2)] for i in range(2)]
                    expected = (-b if output == "frame.roll" else a) / (a * d - b * c) * sign
                    found = cmath.rect(float(row["magnitude"]), float(row["phase"]))
                    self.assertLessEqual(abs(found - expected), 1e-9 * abs(expected), f"{coordinates} {output} {row}")
            found = ask("linearize", model, "--set", f"v={v}", "--coordinates", coordinates)
            self.assertIs(found["steady"], True)
            self.assertAlmostEqual(sum(row[i] for i, row in enumerate(found["A"])), -15.951939886194, 9)  # the sum of its eigenvalues

    def test_moments_that_do_not_last(self):
        """Of a swing, and of a pendulum that forces begin to move: A holds for a moment, which is said."""
        for model, steady in ((PENDULUM, False), (PENDULUM.replace("w: 1.3", "w: 0"), False), (PENDULUM.replace("a: 0.7, w: 1.3", "a: 0, w: 0"), True)):
            options = ("--inputs", "torque", "--outputs", "bob.x")
            self.assertIs(ask("linearize", model, *options)["steady"], steady)
            self.assertEqual("responses to inputs are those of this moment" in ask("linearize", model, *options, read="stderr"), not steady)

    def test_response_is_that_of_a_small_motion(self):
        """C(sI − A)⁻¹B + D against a simulation over many periods, of a damped four-bar with a motor."""
        import os
        import subprocess
        import tempfile
        from pathlib import Path

        from test_modes import FOUR_BAR
        model = FOUR_BAR.replace("forces:", 'inputs: {push: 0}\nforces:\n  motor: {type: actuator, of: A, value: push}')
        f, size = 1.3, 1e-3
        rows = list(csv.DictReader(io.StringIO(ask("response", model, "--at", "equilibrium", "--from-input", "push", "--to-output", "crank.angle",
                                                   "--low", f, "--high", 2 * f, "--points", 2))))
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model.yaml"
            path.write_text(model.replace("outputs: [", "initial: equilibrium\noutputs: [push, "))
            done = subprocess.run([os.environ["TRAMMEL"], "run", path, "-o", folder, "--no-report", "--quiet", "--input", f"push={size}*sin(2*pi*{f}*t)",
                                   "--duration", str(24 / f), "--output-step", str(1 / (40 * f)), "--integrator", "dop853", "--rtol", "1e-11", "--atol", "1e-14"],
                                  capture_output=True, text=True, timeout=300)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(Path(folder) / "results.csv", newline="") as table:
                last = list(csv.DictReader(table))[-41:-1]  # one period
        mean = sum(float(row["crank.angle"]) for row in last) / 40
        part = sum((float(row["crank.angle"]) - mean) * cmath.exp(-2j * math.pi * f * float(row["t"])) for row in last) / 20 / size * 1j
        expected = cmath.rect(float(rows[0]["magnitude"]), float(rows[0]["phase"]))
        self.assertLessEqual(abs(part - expected), 1e-4 * abs(expected))


if __name__ == "__main__":
    unittest.main()
