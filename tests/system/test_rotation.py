"""Drivers of a rotation vector: in every formulation in space, over half a turn and back, against Rodrigues' formula, a rotation
integrated here from its angular velocity, and torques computed here; with explicit and implicit methods; mirrored; what is refused."""
import itertools
import math
import unittest

from orientation import COM, G, INERTIA, MASS, Driven, cross, of_quaternion, product, times, transposed, largest

FORMULATIONS = ("natural", "euler-parameters", "relative")
# up to 5.9 rad long at t = 0.8, through none at t = 0.4 and at 0 for the second
MOTIONS = {
    "over": (("1.5 + 3*t", lambda t: (1.5 + 3 * t, 3)), ("2*sin(2*t)", lambda t: (2 * math.sin(2 * t), 4 * math.cos(2 * t))),
             ("-3*t^2", lambda t: (-3 * t * t, -6 * t))),
    "none": (("5*(t - 0.4)", lambda t: (5 * (t - 0.4), 5)), ("3*(t - 0.4)^2", lambda t: (3 * (t - 0.4) ** 2, 6 * (t - 0.4))), ("0", lambda t: (0, 0))),
    "begins beyond": (("0", lambda t: (0, 0)), ("5 + sin(t)", lambda t: (5 + math.sin(t), math.cos(t))), ("t", lambda t: (t, 1))),
}


def skew(v):
    return [[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]]


def exponential(phi):
    """Rodrigues"""
    angle, k = math.sqrt(sum(x * x for x in phi)), skew(phi)
    a, b = (math.sin(angle) / angle, (1 - math.cos(angle)) / angle**2) if angle > 1e-4 else (1 - angle**2 / 6, 0.5 - angle**2 / 24)
    kk = product(k, k)
    return [[(i == j) + a * k[i][j] + b * kk[i][j] for j in range(3)] for i in range(3)]


def vector(motion, t):
    return [law(t)[0] for _, law in motion]


def rotation(motion, t):
    return exponential(vector(motion, t))


def spin(motion, t):
    """ω = φ' + (1 − cos θ)/θ² φ × φ' + (θ − sin θ)/θ³ φ × (φ × φ')"""
    phi, rate = vector(motion, t), [law(t)[1] for _, law in motion]
    angle = math.sqrt(sum(x * x for x in phi))
    b, c = ((1 - math.cos(angle)) / angle**2, (angle - math.sin(angle)) / angle**3) if angle > 1e-3 else (0.5, 1 / 6)
    once = cross(phi, rate)
    return [r + b * x + c * y for r, x, y in zip(rate, once, cross(phi, once))]


def integrated(motion, end, steps=400):
    """R' = ω̃ R by Magnus' method of order four from the start: it knows φ through ω only."""
    r, h = rotation(motion, 0), end / steps
    for n in range(steps):
        a, b = (spin(motion, h * (n + 0.5 + s * math.sqrt(3) / 6)) for s in (-1, 1))
        turn = [h / 2 * (x + y) + math.sqrt(3) * h * h / 12 * z for x, y, z in zip(a, b, cross(b, a))]
        r = product(exponential(turn), r)
    return r


def torque(motion, t):
    """About the fixed point: the rate of the angular momentum (by a central difference of order four), less gravity's."""
    def momentum(time):
        r, w = rotation(motion, time), spin(motion, time)
        c = times(r, COM)
        about = times(r, [i * x for i, x in zip(INERTIA, times(transposed(r), w))])
        return [a + MASS * b for a, b in zip(about, cross(c, cross(w, c)))]
    h = 1e-3
    a, b, c, d = (momentum(t + k * h) for k in (-2, -1, 1, 2))
    rate = [(a[i] - 8 * b[i] + 8 * c[i] - d[i]) / (12 * h) for i in range(3)]
    return [x - y for x, y in zip(rate, cross(times(rotation(motion, t), COM), [0, 0, -MASS * G]))]


def largest_difference(a, b):
    return largest(abs(x - y) for row, other in zip(a, b) for x, y in zip(row, other))


def model(motion, coordinates="natural", method="integrator: rk4, step: 1e-2", duration=0.8, rotation_list=None, written=None):
    written = written or vector(motion, 0)
    angle = math.sqrt(sum(x * x for x in written))
    orientation = f", orientation: {{axis: {written}, angle: {angle}}}" if angle else ""
    laws = rotation_list or "[" + ", ".join(f'"{text}"' for text, _ in motion) + "]"
    return f"""trammel: 1
space: spatial
gravity: [0, 0, -{G}]
bodies:
  b: {{mass: {MASS}, inertia: {list(INERTIA)}, com: {list(COM)}{orientation}}}
joints:
  o: {{type: spherical, connect: [ground, b]}}
  d: {{type: driver, of: b, rotation: {laws}}}
simulate: {{duration: {duration}, output-step: 0.1, coordinates: {coordinates}, {method}}}
"""


class RotationTest(Driven):
    def test_places(self):
        """What is wrong with a joint behind the three drivers is told at its own line."""
        message = self.run_model("""trammel: 1
space: spatial
bodies: {b: {mass: 1, inertia: [1, 1, 1]}}
joints:
  d: {type: driver, of: b, rotation: [0, t, 0]}
  twice: {type: driver, of: b.yaw, value: 0}
""", 3)[0]
        self.assertNotRegex(message, r"(^|\n)error:")
        self.assertRegex(message, r"model.yaml:6:3: error: joint 'twice'")

    def test_rotation_spin_torque(self):
        self.assertGreater(math.hypot(*vector(MOTIONS["over"], 0.8)), math.pi + 1)  # else it would show less
        for (name, motion), coordinates in itertools.product(MOTIONS.items(), FORMULATIONS):
            self.assertLess(largest_difference(integrated(motion, 0.8), rotation(motion, 0.8)), 1e-9)
            with self.subTest(motion=name, coordinates=coordinates):
                rows, summary = self.run_model(model(motion, coordinates))
                self.assertEqual(summary["degrees_of_freedom"], 0)
                self.assertEqual(len(rows), 9)
                for row in rows:
                    t = row["t"]
                    self.assertLess(largest_difference(of_quaternion(*(row[f"b.q{k}"] for k in "wxyz")), rotation(motion, t)), 1e-12)
                    w, tau, power = spin(motion, t), torque(motion, t), 0
                    for i, k in enumerate("xyz"):
                        self.assertLess(abs(row[f"b.w{k}"] - w[i]), 1e-10)
                        self.assertLess(abs(sum(row[f"d_{n}.t{k}"] for n in "xyz") - tau[i]), 1e-6 * (1 + max(map(abs, tau))))
                        power += row[f"d_{k}.effort"] * motion[i][1](t)[1]
                    # efforts are along the components: they do the work of the torque
                    self.assertLess(abs(power - sum(a * b for a, b in zip(tau, w))), 1e-5 * (1 + max(map(abs, tau)) * max(map(abs, w))))

    def test_methods(self):
        """A second body swings on the driven one: explicit and implicit methods go the same way, and energy is balanced."""
        more = ("  c: {mass: 1, inertia: [0.1, 0.2, 0.25], com: [0.1, 0, 0], position: [0.5, 0.1, 0.2]}\njoints:\n"
                "  p: {type: revolute, connect: [b, c], at: [0.4, 0.1, 0.2], axis: [0, 1, 0]}\n")
        last = []
        for coordinates, method in (("natural", "integrator: dop853, rtol: 1e-11, atol: 1e-13"), ("relative", "integrator: dop853, rtol: 1e-11, atol: 1e-13"),
                                    ("euler-parameters", "integrator: dop853, rtol: 1e-11, atol: 1e-13"),
                                    ("natural", "integrator: radau5, rtol: 1e-9, atol: 1e-11"), ("euler-parameters", "integrator: radau5, rtol: 1e-9, atol: 1e-11"),
                                    ("natural", "integrator: ida, rtol: 1e-9, atol: 1e-11")):
            text = model(MOTIONS["over"], coordinates, method).replace("joints:\n", more)
            rows, summary = self.run_model(text)
            self.assertEqual(summary["degrees_of_freedom"], 1)
            self.assertLess(summary["max_energy_error"], 1e-7 if "dop853" in method else 1e-5, f"{coordinates} {method}")
            last.append(of_quaternion(*(rows[-1][f"c.q{k}"] for k in "wxyz")))
        for other, bound in zip(last[1:], (1e-8, 1e-8, 1e-6, 1e-6, 1e-5)):
            self.assertLess(largest_difference(last[0], other), bound)

    def test_far_start(self):
        """Written up to 170 degrees away from where the motion begins: assembled to it."""
        for angle in (1.0, 2.0, 2.96):
            rows, _ = self.run_model(model(MOTIONS["over"], written=[1.5 - angle, 0, 0]))
            self.assertLess(largest_difference(of_quaternion(*(rows[0][f"b.q{k}"] for k in "wxyz")), rotation(MOTIONS["over"], 0)), 1e-12)
        text, _ = self.run_model(model(MOTIONS["over"], written=[1.5 - math.pi, 0, 0]), 3)
        self.assertIn("half a turn away from where it is driven", text)

    def test_gaps_that_are_angles(self):
        """However small the bodies, and whatever the unit of length: an angle is no gap of so many metres."""
        for size, (joint, of) in itertools.product((0.01, 1, 1000), (("revolute, axis: z", "o"), ("cylindrical, axis: z", "o.angle"), ("planar, axis: z", "b.yaw"))):
            rows, _ = self.run_model(f"""trammel: 1
space: spatial
bodies:
  b: {{mass: 2, inertia: {[x * size**2 for x in INERTIA]}, com: {[x * size for x in COM]}}}
joints:
  o: {{type: {joint}, connect: [ground, b]}}
  d: {{type: driver, of: {of}, value: 2.5}}
simulate: {{duration: 0.1, output-step: 0.1}}
""")
            self.assertLess(abs(rows[0]["b.qw"] - math.cos(1.25)), 1e-12, f"{joint}, {size}")
            self.assertLess(abs(rows[0]["b.qz"] - math.sin(1.25)), 1e-12, f"{joint}, {size}")

    def test_included_part(self):
        """A part with a driven body, moved and mirrored: its rotation is S R S."""
        for name, motion in MOTIONS.items():
            (self.folder / "part.yaml").write_text(model(motion))
            for axis in (None, 0, 1, 2):
                mirror = "" if axis is None else f", mirror: {'xyz'[axis]}"
                rows, _ = self.run_model(f"""trammel: 1
space: spatial
include: [{{file: part.yaml, prefix: m_, at: [1, 2, 3]{mirror}}}]
simulate: {{duration: 0.8, output-step: 0.2}}
outputs: [m_b]
""")
                for row in rows:
                    r = rotation(motion, row["t"])
                    image = [[r[i][j] * (-1 if (i == axis) != (j == axis) else 1) for j in range(3)] for i in range(3)]
                    self.assertLess(largest_difference(of_quaternion(*(row[f"m_b.q{k}"] for k in "wxyz")), image), 1e-10, f"{name}, {mirror}")

    def test_full_turn(self):
        """The run ends where the vector is a full turn long, and says so."""
        motion = (("0.6*t", lambda t: (0.6 * t, 0.6)), ("0", lambda t: (0, 0)), ("0.8*t", lambda t: (0.8 * t, 0.8)))
        for coordinates, method in itertools.product(FORMULATIONS, ("dop853", "rk4, step: 1e-2", "radau5", "bdf", "trapezoidal, step: 1e-2")):
            with self.subTest(coordinates=coordinates, method=method):
                if coordinates == "relative" and method not in ("dop853", "rk4, step: 1e-2"):
                    continue
                text, _ = self.run_model(model(motion, coordinates, f"integrator: {method}", duration=8), 1)
                self.assertIn("comes to a full turn", text)
                self.assertIn("joint 'd_", text)
                self.assertLess(abs(float(text.split("t = ")[1].split(":")[0]) - 2 * math.pi), 0.15)
        text, _ = self.run_model(model(motion, rotation_list="[0, 7, 0]", written=[0, 7, 0]), 3)
        self.assertIn("comes to a full turn", text)

    def test_refused(self):
        motion = MOTIONS["none"]
        for laws, words in (("[t, t]", "expected 'of: BODY' and 'rotation: [x, y, z]'"), ("t", "expected 'of: BODY'"),
                            ("[t, 0, sine(t)]", "sine"), ("[t, 0, 0], value: t", "no 'value'")):
            text, _ = self.run_model(model(motion, rotation_list=laws), 3)
            self.assertIn(words, text)
            self.assertIn("model.yaml:8:", text)
        text, _ = self.run_model(model(motion).replace("of: b, rotation: [", "of: b.rx, value: t, x: [").replace(", x: [\"5*(t - 0.4)\", \"3*(t - 0.4)^2\", \"0\"]", ""), 3)
        self.assertIn("all three are driven together: rotation: [x, y, z]", text)
        text, _ = self.run_model(model(motion).replace("of: b,", "of: c,"), 3)
        self.assertIn("'c'", text)
        planar = "trammel: 1\nbodies: {b: {mass: 1, inertia: 1}}\njoints: {d: {type: driver, of: b, rotation: [t, 0, 0]}}\n"
        self.assertIn("rotation", self.run_model(planar, 3)[0])


if __name__ == "__main__":
    unittest.main()
