"""Efforts for a motion against closed forms of mechanics, in every formulation."""
import csv
import io
import math
import tempfile
import unittest
from pathlib import Path

from analyses import PLANAR, ask, largest

G = 9.81
PENDULUM = """
trammel: 1
space: planar
gravity: [0, -9.81]
simulate: {duration: 2, output-step: 0.05}
bodies:
  rod: {mass: 1.3, inertia: 0.2, position: [0, -0.6], points: {O: [0, 0.6]}}
joints:
  pin: {type: revolute, connect: [ground, rod.O]}
  motor: {type: driver, of: pin, value: "0.8*sin(3*t)"}
"""

SLIDER_CRANK = """
trammel: 1
space: planar
gravity: [0, -9.81]
parameters: {r: 0.2, l: 0.7, w: 9}
simulate: {duration: 1, output-step: 0.02}
bodies:
  crank: {mass: 0.9, inertia: 0.004, position: [r/2, 0], angular-velocity: w, points: {O: [-r/2, 0], A: [r/2, 0]}}
  rod: {mass: 1.4, inertia: 0.06, position: [r + l/2, 0], points: {A: [-l/2, 0], B: [l/2, 0]}}
  slider: {mass: 2.1, inertia: 1, position: [r + l, 0]}
joints:
  O: {type: revolute, connect: [ground, crank.O]}
  A: {type: revolute, connect: [crank.A, rod.A]}
  B: {type: revolute, connect: [rod.B, slider]}
  guide: {type: prismatic, connect: [ground, slider], axis: [1, 0]}
  motor: {type: driver, of: O, value: "w*t"}
"""

ARM = """
trammel: 1
space: planar
gravity: [0, -9.81]
simulate: {duration: 5, output-step: 0.02}
bodies:
  upper: {mass: 2, inertia: 0.15, position: [0.4, 0], points: {O: [-0.4, 0], A: [0.5, 0]}}
  lower: {mass: 1.1, inertia: 0.05, position: [1.2, 0], points: {A: [-0.3, 0]}}
joints:
  shoulder: {type: revolute, connect: [ground, upper.O]}
  elbow: {type: revolute, connect: [upper.A, lower.A]}
"""

CRANE = """
trammel: 1
space: planar
gravity: [0, -9.81]
simulate: {duration: 2, output-step: 0.1, integrator: dop853, rtol: 1e-11, atol: 1e-12}
bodies:
  cart: {mass: 5, inertia: 1}
  load: {mass: 2, inertia: 0.1, position: [0, -1.5], points: {H: [0, 1.5]}}
joints:
  rail: {type: prismatic, connect: [ground, cart], axis: [1, 0]}
  hook: {type: revolute, connect: [cart, load.H]}
  travel: {type: driver, of: rail, value: "0.3*t^2"}
"""


def table(text):
    rows = list(csv.reader(io.StringIO(text)))
    return rows[0], [[float(x) for x in row] for row in rows[1:]]


def invert(model, *options, **words):
    return table(ask("inverse", model, *options, file="inverse.csv", read=True, **words))


def slider_crank_torque(theta, w, r=0.2, l=0.7):
    """At constant speed: half the slope of the inertia seen by the crank, and that of the potential. Slopes by hand."""
    s = r / l * math.sin(theta)
    c = math.sqrt(1 - s * s)
    p1 = r / l * math.cos(theta) / c  # −dφ/dθ, φ the angle of the rod
    p2 = (-s + s * p1 * p1) / c
    x1 = -r * math.sin(theta) - l * s * p1
    x2 = -r * math.cos(theta) - l * (c * p1 * p1 + s * p2)
    gx1, gx2 = (-r * math.sin(theta) - l / 2 * s * p1, -r * math.cos(theta) - l / 2 * (c * p1 * p1 + s * p2))
    gy1, gy2 = r / 2 * math.cos(theta), -r / 2 * math.sin(theta)
    half_slope = 2.1 * x1 * x2 + 1.4 * (gx1 * gx2 + gy1 * gy2) + 0.06 * p1 * p2
    return half_slope * w * w + G * (0.9 * r / 2 * math.cos(theta) + 1.4 * gy1)


def arm_torques(a, v, c):
    """Newton and Euler from the hand to the shoulder, a the joint angles, v and c their rates."""
    t1, t2 = a[0], a[0] + a[1]
    w1, w2, e1, e2 = v[0], v[0] + v[1], c[0], c[0] + c[1]

    def point(length, t, w, e):  # acceleration of a point of a bar that turns about its other end
        return (-length * (math.sin(t) * e + math.cos(t) * w * w), length * (math.cos(t) * e - math.sin(t) * w * w))

    elbow, first, second = point(0.9, t1, w1, e1), point(0.4, t1, w1, e1), point(0.3, t2, w2, e2)
    f2 = (1.1 * (elbow[0] + second[0]), 1.1 * (elbow[1] + second[1] + G))
    f1 = (2 * first[0], 2 * (first[1] + G))
    torque2 = 0.05 * e2 + 0.3 * (math.cos(t2) * f2[1] - math.sin(t2) * f2[0])
    torque1 = 0.15 * e1 + torque2 + 0.4 * (math.cos(t1) * f1[1] - math.sin(t1) * f1[0]) + 0.9 * (math.cos(t1) * f2[1] - math.sin(t1) * f2[0])
    return torque1, torque2


def arm_motion(t):
    return ((0.5 * math.sin(2 * t), 0.3 + 0.7 * math.cos(1.5 * t)), (math.cos(2 * t), -1.05 * math.sin(1.5 * t)),
            (-2 * math.sin(2 * t), -1.575 * math.cos(1.5 * t)))


def write_motion(folder, header, count, step, values):
    path = Path(folder) / "motion.csv"
    path.write_text("\n".join([header] + [",".join(repr(x) for x in (k * step, *values(k * step))) for k in range(count)]) + "\n")
    return path


class Inverse(unittest.TestCase):
    def test_pendulum(self):
        for coordinates in PLANAR:
            names, rows = invert(PENDULUM, "--coordinates", coordinates)
            self.assertEqual(names, ["t", "motor.effort"])
            self.assertEqual(len(rows), 41)
            for t, effort in rows:
                angle, acceleration = 0.8 * math.sin(3 * t), -7.2 * math.sin(3 * t)
                expected = (0.2 + 1.3 * 0.36) * acceleration + 1.3 * G * 0.6 * math.sin(angle)
                self.assertLessEqual(abs(effort - expected), 1e-10, coordinates)

    def test_slider_crank(self):
        for coordinates in PLANAR:
            _, rows = invert(SLIDER_CRANK, "--coordinates", coordinates)
            self.assertEqual(len(rows), 51)
            for t, effort in rows:
                self.assertLessEqual(abs(effort - slider_crank_torque(9 * t, 9)), 1e-8, f"{coordinates} {t}")

    def test_motion_of_an_arm(self):
        """A table of two angles; its splines are off by the step to the sixth, accelerations to the fourth."""
        with tempfile.TemporaryDirectory() as folder:
            for coordinates in PLANAR:
                errors = []
                for step in (0.1, 0.05):
                    path = write_motion(folder, "t,shoulder.angle,elbow.angle", round(3 / step) + 1, step, lambda t: arm_motion(t)[0])
                    names, rows = invert(ARM, "--motion", path, "--coordinates", coordinates)
                    self.assertEqual(names, ["t", "shoulder.angle.effort", "elbow.angle.effort"])
                    self.assertEqual(len(rows), 151)
                    self.assertEqual(rows[-1][0], 3)
                    # away from the ends, where splines are worse
                    errors.append(largest(largest(abs(x - y) for x, y in zip(row[1:], arm_torques(*arm_motion(row[0])))) for row in rows if 0.7 < row[0] < 2.3))
                self.assertLessEqual(errors[1], 2e-5)
                self.assertLessEqual(errors[1], errors[0] / 12)

    def test_motion_that_begins_elsewhere(self):
        """Freedoms of joints count from the place as written: a table of other angles moves it there, and that is said once."""
        said = "assembly moved body 'upper'"
        with tempfile.TemporaryDirectory() as folder:
            for start, times in ((0, 0), (0.8, 1)):
                path = write_motion(folder, "t,shoulder.angle,elbow.angle", 7, 0.1, lambda t: (start + t * t, 0))
                told = ask("inverse", ARM, "--motion", path, "--actuators", "shoulder,elbow", read="stderr")
                self.assertEqual(told.count(said), times)

    def test_a_freedom_is_left(self):
        """The load swings: l θ'' = −g sin θ − x'' cos θ, integrated here; the effort moves cart and load."""
        J, m, l, acceleration = 0.1 + 2 * 1.5 ** 2, 2, 1.5, 0.6

        def rate(y):
            return y[1], -m * l * (G * math.sin(y[0]) + acceleration * math.cos(y[0])) / J

        y, h, swing = (0.0, 0.0), 1e-3, {}
        for k in range(2001):
            swing[k] = (y[0], y[1], rate(y)[1])
            k1 = rate(y)
            k2 = rate((y[0] + h / 2 * k1[0], y[1] + h / 2 * k1[1]))
            k3 = rate((y[0] + h / 2 * k2[0], y[1] + h / 2 * k2[1]))
            k4 = rate((y[0] + h * k3[0], y[1] + h * k3[1]))
            y = tuple(y[i] + h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]) for i in range(2))
        _, rows = invert(CRANE)
        self.assertEqual(len(rows), 21)
        for t, effort in rows:
            angle, w, e = swing[round(1000 * t)]
            expected = 7 * acceleration + m * l * (e * math.cos(angle) - w * w * math.sin(angle))
            self.assertLessEqual(abs(effort - expected), 1e-8)

    def test_what_is_wrong(self):
        self.assertIn("no driver", ask("inverse", ARM, status=2))
        with tempfile.TemporaryDirectory() as folder:
            path = write_motion(folder, "time,shoulder.angle,elbow.angle", 10, 0.1, lambda t: arm_motion(t)[0])
            self.assertIn("t, then measures", ask("inverse", ARM, "--motion", path, status=3))
            path = write_motion(folder, "t,sholder.angle,elbow.angle", 10, 0.1, lambda t: arm_motion(t)[0])
            self.assertIn("sholder", ask("inverse", ARM, "--motion", path, status=3))
            path = write_motion(folder, "t,shoulder.angle", 5, 0.1, lambda t: (t,))
            self.assertIn("six points", ask("inverse", ARM, "--motion", path, status=2))
            path = write_motion(folder, "t,pin.angle", 10, 0.1, lambda t: (t,))
            self.assertIn("'pin.angle' is driven already", ask("inverse", PENDULUM, "--motion", path, status=3))
            path = write_motion(folder, "t,shoulder.angle", 10, 0.1, lambda t: (t,))
            self.assertIn("outside the table", ask("inverse", ARM, "--motion", path, "--duration", 3, status=1))
        self.assertIn("motion.csv", ask("inverse", ARM, "--motion", "/nowhere/motion.csv", status=3))

    # ---- actuators in place of drivers ----

    def arm(self, actuators, status=0):
        with tempfile.TemporaryDirectory() as folder:
            path = write_motion(folder, "t,shoulder.angle,elbow.angle", 60, 0.02, lambda t: arm_motion(t)[0])
            both = [ask("inverse", ARM, "--motion", path, "--actuators", actuators, file=file, read=True, status=status)
                    for file in ("inverse.csv", "actuators.csv")]
        return both[0] if status else [table(text)[1] for text in both]

    def test_actuators_of_choice(self):
        """The drivers' own freedoms; and with a torque from the ground in addition the efforts of least norm."""
        efforts, own = self.arm("shoulder,elbow")
        self.assertEqual(len(own), len(efforts))
        for (_, t1, t2), (_, u1, u2, left) in zip(efforts, own):
            self.assertLessEqual(largest(abs(t1 - u1), abs(t2 - u2)), 1e-6 * (1 + abs(t1)))
            self.assertLessEqual(left, 1e-10)
        efforts, more = self.arm("shoulder,elbow.angle,lower.angle")
        for (_, t1, t2), (_, *u, left) in zip(efforts, more):  # [1 0 1; 0 1 1] u = t
            y1, y2 = (2 * t1 - t2) / 3, (2 * t2 - t1) / 3
            for found, expected in zip(u, (y1, y2, y1 + y2)):
                self.assertLessEqual(abs(found - expected), 1e-6 * (1 + abs(t1)))
            self.assertLessEqual(left, 1e-10)

    def test_a_muscle(self):
        """Along a line: its force has the arm dl/dθ."""
        model = PENDULUM.replace("joints:", "ground: {points: {H: [1, 0.3]}}\nforces: {muscle: {type: actuator, connect: [ground.H, rod], value: 0}}\njoints:")
        for coordinates in PLANAR:
            _, rows = table(ask("inverse", model, "--actuators", "muscle", "--coordinates", coordinates, file="actuators.csv", read=True))
            _, torques = table(ask("inverse", model, "--coordinates", coordinates, file="inverse.csv", read=True))
            for (t, force, left), (_, torque) in zip(rows, torques):
                a = 0.8 * math.sin(3 * t)
                x, y = 0.6 * math.sin(a), -0.6 * math.cos(a)
                arm = ((x - 1) * -y + (y - 0.3) * x) / math.hypot(x - 1, y - 0.3)
                self.assertLessEqual(abs(force * arm - torque), 1e-7 * (1 + abs(torque)))

    def test_too_few_actuators(self):
        said = self.arm("shoulder", status=1)
        self.assertIn("cannot make the motion", said)
        self.assertIn("elbow", said)
        self.assertIn("'wing'", ask("inverse", PENDULUM, "--actuators", "wing", status=2))

    # ---- markers ----

    def fit(self, model, header, rows, *options, file="motion.csv", status=0):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "markers.csv"
            path.write_text(header + "\n" + "".join(",".join(repr(float(x)) for x in row) + "\n" for row in rows))
            text = ask("inverse", model, "--markers", path, *options, file=file, read=True, status=status)
        if status:
            return text
        names, *found = csv.reader(io.StringIO(text))
        return {name: [float(row[i]) for row in found] for i, name in enumerate(names)}

    def test_too_many_markers(self):
        """Three points of a slider-crank that turns more than once: the crank's angle, and the motor's effort."""
        free = "\n".join(line for line in SLIDER_CRANK.splitlines() if "motor" not in line) + "\n"
        rows = []
        for i in range(101):
            a = 9 * i / 100
            slider = 0.2 * math.cos(a) + math.sqrt(0.7 ** 2 - (0.2 * math.sin(a)) ** 2)
            rows.append((i / 100, 0.2 * math.cos(a), 0.2 * math.sin(a), slider, (0.2 * math.cos(a) + slider) / 2, 0.1 * math.sin(a)))
        header = "t,crank.A.x,crank.A.y,slider.x,rod.x,rod.y"
        for coordinates in PLANAR:
            motion = self.fit(free, header, rows, "--coordinates", coordinates)
            self.assertEqual(list(motion), ["t", "O.angle"])
            for t, angle in zip(motion["t"], motion["O.angle"]):
                self.assertLessEqual(abs(angle - 9 * t), 1e-11)
        gaps = self.fit(free, header, rows, file="markers.csv")
        self.assertLessEqual(max(gaps["rms"]), 1e-12)
        found = self.fit(free, header, rows, file="inverse.csv")
        self.assertEqual(len(found["t"]), 51)
        for t, effort in zip(found["t"], found["O.angle.effort"]):
            self.assertLessEqual(abs(effort - slider_crank_torque(9 * t, 9)), 1e-5)

    def test_weights(self):
        """Markers that contradict each other: tan θ = Σ w² r y / Σ w² r x, and a marker that is not seen for a while."""
        model = """
trammel: 1
space: planar
bodies: {rod: {mass: 1, inertia: 0.1, points: {P: [1, 0], Q: [0.4, 0]}}}
joints: {pin: {type: revolute, connect: [ground, rod]}}
"""
        rows = [(0.1 * i, 0.9 * math.cos(i), 1.1 * math.sin(i) + 0.1, 0.5 * math.cos(0.9 * i), 0.3 * math.sin(i)) for i in range(9)]
        rows[4] = (*rows[4][:3], math.nan, math.nan)
        motion = self.fit(model, "t,rod.P.x,rod.P.y,rod.Q.x,rod.Q.y", rows, "--weights", "rod.P=2,rod.Q=0.5")
        for row, angle in zip(rows, motion["pin.angle"]):
            seen = not math.isnan(row[3])
            x = 4 * row[1] + (0.25 * 0.4 * row[3] if seen else 0)
            y = 4 * row[2] + (0.25 * 0.4 * row[4] if seen else 0)
            self.assertLessEqual(abs(math.remainder(angle - math.atan2(y, x), math.tau)), 1e-9)
        self.assertTrue(all(abs(b - a) < math.pi for a, b in zip(motion["pin.angle"], motion["pin.angle"][1:])))

    def test_too_few_markers(self):
        """The upper arm is told, the lower one swings: as if its joint were driven by the same table."""
        rows = [(0.02 * i, 0.9 * math.cos(0.3 * math.sin(0.02 * i)), 0.9 * math.sin(0.3 * math.sin(0.02 * i))) for i in range(51)]
        motion = self.fit(ARM, "t,upper.A.x,upper.A.y", rows)
        self.assertEqual(list(motion), ["t", "shoulder.angle"])
        for t, angle in zip(motion["t"], motion["shoulder.angle"]):
            self.assertLessEqual(abs(angle - 0.3 * math.sin(t)), 1e-10)
        found = self.fit(ARM, "t,upper.A.x,upper.A.y", rows, file="inverse.csv")
        self.assertEqual(list(found), ["t", "shoulder.angle.effort"])
        # only one coordinate of two is told: it is driven itself where no freedom follows from it alone
        motion = self.fit(ARM, "t,lower.y", [(0.02 * i, -4e-4 * i * i) for i in range(11)])
        self.assertEqual(list(motion), ["t", "lower.y"])

    def test_wrong_markers(self):
        for header, options, status, said in (("t,rod.nose.x", (), 3, "nose"), ("t,rod.vx", (), 3, "'rod.vx' is no place"),
                                              ("rod.x,rod.y", (), 3, "columns of markers are t"),
                                              ("t,rod.x", ("--weights", "rod.x=-1"), 2, "--weights"),
                                              ("t,rod.x", ("--weights", "bar=1"), 2, "--weights"),
                                              ("t,rod.x", ("--motion", "m.csv"), 2, "one must go")):
            self.assertIn(said, self.fit(PENDULUM, header, [(0, 0), (1, 0)], *options, status=status))


if __name__ == "__main__":
    unittest.main()
