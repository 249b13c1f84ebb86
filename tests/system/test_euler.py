"""Drivers of Euler angles: all twelve sequences in both spatial formulations, against rotations and torques computed here;
part of the orientation driven, the rest free, with explicit and implicit methods; what is refused."""
import itertools
import math
import unittest

from orientation import COM, G, INERTIA, MASS, Driven, cross, of_quaternion, product, times, transposed, largest

SEQUENCES = ["".join(s) for s in itertools.product("xyz", repeat=3) if s[0] != s[1] and s[1] != s[2]]
LAWS = [("0.2 + 3*t", lambda t: 0.2 + 3 * t), ("0.9 + 0.3*sin(2*t)", lambda t: 0.9 + 0.3 * math.sin(2 * t)),
        ("-0.4 - 5*t", lambda t: -0.4 - 5 * t)]
RATES = [lambda t: 3, lambda t: 0.6 * math.cos(2 * t), lambda t: -5]


def turn(axis, angle):
    c, s = math.cos(angle), math.sin(angle)
    i = "xyz".index(axis)
    j, k = (i + 1) % 3, (i + 2) % 3
    r = [[0.0] * 3 for _ in range(3)]
    r[i][i], r[j][j], r[k][k], r[j][k], r[k][j] = 1, c, c, -s, s
    return r


def rotation(sequence, t):
    r = turn(sequence[0], LAWS[0][1](t))
    for axis, (_, law) in zip(sequence[1:], LAWS[1:]):
        r = product(r, turn(axis, law(t)))
    return r


def spin(sequence, t):
    """ω: each rate about its axis, which the turns before it carry."""
    r, w = [[1, 0, 0], [0, 1, 0], [0, 0, 1]], [0, 0, 0]
    for axis, (_, law), rate in zip(sequence, LAWS, RATES):
        i = "xyz".index(axis)
        w = [w[k] + rate(t) * r[k][i] for k in range(3)]
        r = product(r, turn(axis, law(t)))
    return w


def torque(sequence, t):
    """About the fixed point: the rate of the angular momentum (by a central difference of order four), less gravity's."""
    def momentum(time):
        r, w = rotation(sequence, time), spin(sequence, time)
        own = times(transposed(r), w)
        c = times(r, COM)
        about = times(r, [i * x for i, x in zip(INERTIA, own)])
        return [a + MASS * b for a, b in zip(about, cross(c, cross(w, c)))]
    h = 1e-3
    a, b, c, d = (momentum(t + k * h) for k in (-2, -1, 1, 2))
    rate = [(a[i] - 8 * b[i] + 8 * c[i] - d[i]) / (12 * h) for i in range(3)]
    weight = cross(times(rotation(sequence, t), COM), [0, 0, -MASS * G])
    return [x - y for x, y in zip(rate, weight)]


def driven(sequence, coordinates="natural", drivers=(1, 2, 3), more="", simulate="integrator: rk4, step: 1e-2"):
    names = "".join(f'  d{k}: {{type: driver, of: b.{sequence}{k}, value: "{LAWS[k - 1][0]}"}}\n' for k in drivers)
    return f"""trammel: 1
space: spatial
gravity: [0, 0, -{G}]
bodies:
  b:
    mass: {MASS}
    inertia: {list(INERTIA)}
    com: {list(COM)}
    orientation: {{euler: {sequence}, angles: [0.2, 0.9, -0.4]}}
joints:
  o: {{type: spherical, connect: [ground, b]}}
{names}{more}simulate: {{duration: 2, output-step: 0.1, coordinates: {coordinates}, {simulate}}}
"""


class EulerTest(Driven):
    def test_twelve_sequences(self):
        for sequence, coordinates in itertools.product(SEQUENCES, ("natural", "euler-parameters")):
            with self.subTest(sequence=sequence, coordinates=coordinates):
                rows, summary = self.run_model(driven(sequence, coordinates))
                self.assertEqual(summary["degrees_of_freedom"], 0)
                for row in rows:
                    t = row["t"]
                    r, found = rotation(sequence, t), of_quaternion(*(row[f"b.q{k}"] for k in "wxyz"))
                    for i, j in itertools.product(range(3), range(3)):
                        self.assertLess(abs(found[i][j] - r[i][j]), 1e-12)
                    w, tau = spin(sequence, t), torque(sequence, t)
                    efforts = 0
                    for i, k in enumerate("xyz"):
                        self.assertLess(abs(row[f"b.w{k}"] - w[i]), 1e-11)
                        self.assertLess(abs(sum(row[f"d{n}.t{k}"] for n in (1, 2, 3)) - tau[i]), 1e-6)
                        efforts += row[f"d{i + 1}.effort"] * RATES[i](t)
                    # efforts are along the angles: they do the work of the torque
                    self.assertLess(abs(efforts - sum(a * b for a, b in zip(tau, w))), 1e-5)

    def test_cardan_names(self):
        """yaw, pitch and roll are the angles of z, y, x, counted over turns."""
        text = driven("zyx").replace("b.zyx1", "b.yaw").replace("b.zyx2", "b.pitch").replace("b.zyx3", "b.roll") + "outputs: [b, d1.effort, b.yaw, b.pitch, b.roll]\n"
        rows, _ = self.run_model(text)
        for row in rows:
            for name, (_, law) in zip(("yaw", "pitch", "roll"), LAWS):
                self.assertLess(abs(row[f"b.{name}"] - law(row["t"])), 1e-12)
        self.assertGreater(rows[-1]["b.yaw"], math.pi)

    def test_the_rest_is_free(self):
        """One angle free: explicit and implicit methods, both formulations, go the same way, and energy is balanced."""
        for sequence in ("zyx", "zxz"):
            for free in (1, 2, 3):
                drivers = [k for k in (1, 2, 3) if k != free]
                last = []
                for coordinates, method in (("natural", "integrator: dop853, rtol: 1e-11, atol: 1e-13"),
                                            ("euler-parameters", "integrator: dop853, rtol: 1e-11, atol: 1e-13"),
                                            ("natural", "integrator: radau5, rtol: 1e-9, atol: 1e-11"),
                                            ("euler-parameters", "integrator: radau5, rtol: 1e-9, atol: 1e-11"),
                                            ("natural", "integrator: generalized-alpha, rtol: 1e-7, atol: 1e-9")):
                    text = driven(sequence, coordinates, drivers, simulate=method).replace("duration: 2", "duration: 0.5")
                    rows, summary = self.run_model(text)
                    self.assertEqual(summary["degrees_of_freedom"], 1)
                    if "alpha" not in method:  # which damps
                        self.assertLess(summary["max_energy_error"], 1e-8 if "dop853" in method else 1e-6)
                    last.append(of_quaternion(*(rows[-1][f"b.q{k}"] for k in "wxyz")))
                for other, bound in zip(last[1:], (1e-8, 1e-6, 1e-6, 1e-4)):
                    off = largest(abs(a - b) for x, y in zip(last[0], other) for a, b in zip(x, y))
                    self.assertLess(off, bound, f"{sequence} without {free}")

    def test_pose_of_a_file(self):
        """A motion that was simulated is driven again by its table: the same poses, velocities and accelerations; the efforts
        are those of no force at all, and of the weight where there was none."""
        free = """trammel: 1
space: spatial
bodies:
  b: {mass: 2, inertia: [0.3, 0.5, 0.6], position: [1, 2, 3], velocity: [0.1, -0.2, 0.3], angular-velocity: [1, 4, 0.2],
      orientation: {euler: zxz, angles: [0.3, 1.2, 0.4]}}
simulate: {duration: 2, output-step: 0.01, integrator: dop853, rtol: 1e-12, atol: 1e-14}
outputs: [b]
"""
        rows, _ = self.run_model(free)
        table = (self.folder / "out/results.csv").read_text()
        (self.folder / "motion.csv").write_text(table)
        bare = [line.split(",") for line in table.strip().split("\n")]
        (self.folder / "bare.csv").write_text("\n".join(",".join(cells[i] for i, name in enumerate(bare[0]) if name.replace("b.", "") in (
            "t", "x", "y", "z", "qw", "qx", "qy", "qz")) for cells in bare).replace("b.", "") + "\n")
        for file, gravity in (("motion.csv", 0), ("bare.csv", -9.81)):
            text = free[:free.index("simulate")] + f"""gravity: [0, 0, {gravity}]
joints:
  hand: {{type: driver, of: b, pose: {{file: {file}}}}}
simulate: {{duration: 2, output-step: 0.1, integrator: rk4, step: 1e-2}}
outputs: [b, hand_x, hand_y, hand_z, hand_1, hand_2, hand_3]
"""
            found, summary = self.run_model(text)
            self.assertEqual(summary["degrees_of_freedom"], 0)
            wanted = {round(row["t"], 6): row for row in rows}
            for row in found:
                other = wanted[round(row["t"], 6)]
                for name, bound in (("x", 1e-12), ("y", 1e-12), ("z", 1e-12), ("vx", 1e-8), ("vz", 1e-8)):
                    self.assertLess(abs(row[f"b.{name}"] - other[f"b.{name}"]), bound)
                sign = 1 if sum(row[f"b.q{k}"] * other[f"b.q{k}"] for k in "wxyz") > 0 else -1
                for k in "wxyz":
                    self.assertLess(abs(row[f"b.q{k}"] - sign * other[f"b.q{k}"]), 1e-11)
                for k in "xyz":
                    self.assertLess(abs(row[f"b.w{k}"] - other[f"b.w{k}"]), 1e-7)
                    self.assertLess(abs(row[f"b.alpha{k}"] - other[f"b.alpha{k}"]), 1e-3)
                    self.assertLess(abs(row[f"hand_{k}.effort"] - (-2 * gravity if k == "z" else 0)), 1e-3)
                for k in "123":
                    self.assertLess(abs(row[f"hand_{k}.effort"]), 1e-3)

    def test_pose_mistakes(self):
        body = driven("zyx", drivers=()).replace("  o: {type: spherical, connect: [ground, b]}\n", "  hand: {type: driver, of: b, pose: POSE}\n")
        still = "".join(f"{k / 10},0,0,0,1,0,0,0\n" for k in range(30))
        head = "t,x,y,z,qw,qx,qy,qz\n"
        for pose, table, words in (
                ("{file: none.csv}", "", "none.csv"), ("{file: m.csv, at: 3}", head + still, "expected 'of: BODY'"), ("m.csv", head + still, "expected 'of: BODY'"),
                ("{file: m.csv}", head.replace("qz", "q4") + still, "qz"), ("{file: m.csv}", head + still.replace("1,0,0,0\n", "0,0,0,0\n", 1), "is zero"),
                ("{file: m.csv}", head + still.replace("2.0,0,0,0,1", "2.0,0,0,0,-1"), "changes its sign"), ("{file: m.csv}, value: t", head + still, "no 'value'")):
            (self.folder / "m.csv").write_text(table)
            self.assertIn(words, self.run_model(body.replace("POSE", pose), 3)[0])
        (self.folder / "m.csv").write_text(head + still)
        rows, _ = self.run_model(body.replace("POSE", "{file: m.csv}").replace("[0.2, 0.9, -0.4]", "[0, 0, 0]"))
        self.assertLess(largest(abs(row["b.qw"] - 1) for row in rows), 1e-12)

    def test_mirrored_part(self):
        """The mirror image of a driven part has the mirror image of its rotation, S R S."""
        for sequence in SEQUENCES:
            (self.folder / "part.yaml").write_text(driven(sequence))
            for axis, name in enumerate("xyz"):
                rows, _ = self.run_model(f"""trammel: 1
space: spatial
include: [{{file: part.yaml, prefix: m_, mirror: {name}}}]
simulate: {{duration: 1, output-step: 0.25}}
outputs: [m_b]
""")
                for row in rows:
                    r, found = rotation(sequence, row["t"]), of_quaternion(*(row[f"m_b.q{k}"] for k in "wxyz"))
                    off = largest(abs(found[i][j] - r[i][j] * (-1 if (i == axis) != (j == axis) else 1)) for i in range(3) for j in range(3))
                    self.assertLess(off, 1e-10, f"{sequence}, mirrored by {name}")

    def test_singular_start(self):
        for sequence, angles in (("zyx", "[0.3, pi/2, 0.1]"), ("zxz", "[0.3, 0, 0.1]"), ("xyx", "[0.3, pi, 0.1]")):
            text = driven(sequence).replace("[0.2, 0.9, -0.4]", angles)
            self.assertIn("has no value in the orientation as written", self.run_model(text, 3)[0])

    def singular_time(self):
        """When pitch comes to a right angle where yaw is driven, from Euler's equations along the pitch and roll axes."""
        A, B, C = 0.3, 0.5, 0.6

        def rates(theta, phi, p, r):
            st, ct, sf, cf = math.sin(theta), math.cos(theta), math.sin(phi), math.cos(phi)
            wx, wy, wz = r - st, p * cf + ct * sf, -p * sf + ct * cf
            bx, by, bz = -ct * p, -p * sf * r - st * p * sf + ct * cf * r, -p * cf * r - st * p * cf - ct * sf * r
            y, z = B * by + (A - C) * wz * wx, C * bz + (B - A) * wx * wy
            return p, r, -(cf * y - sf * z) / (B * cf * cf + C * sf * sf), -(bx + (C - B) * wy * wz / A)

        state, h, t = [0.0, 0.0, 1.0, 0.0], 1e-3, 0.0
        while True:
            k1 = rates(*state)
            k2 = rates(*(s + h / 2 * k for s, k in zip(state, k1)))
            k3 = rates(*(s + h / 2 * k for s, k in zip(state, k2)))
            k4 = rates(*(s + h * k for s, k in zip(state, k3)))
            following = [s + h / 6 * (a + 2 * b + 2 * c + d) for s, a, b, c, d in zip(state, k1, k2, k3, k4)]
            if following[0] > math.pi / 2:
                return t + h * (math.pi / 2 - state[0]) / (following[0] - state[0])
            state, t = following, t + h

    def test_singular_on_the_way(self):
        """The run ends where pitch is a right angle, and says so: driven there, or free to go there. It is not thrown back."""
        pitch, rest = "  d2: {type: driver, of: b.pitch, value: t}\n", "  d3: {type: driver, of: b.roll, value: 0.3*t}\n"
        methods = ("dop853", "dopri5", "rk4, step: 1e-2", "ab4, step: 1e-2", "radau5", "bdf", "ida", "trapezoidal, step: 1e-2")
        free = self.singular_time()
        for coordinates, method, more in itertools.product(("natural", "euler-parameters"), methods, (pitch + rest, "")):
            text = f"""trammel: 1
space: spatial
bodies:
  b: {{mass: 2, inertia: [0.3, 0.5, 0.6]{"" if more else ", angular-velocity: [0, 1, 1]"}}}
joints:
  o: {{type: spherical, connect: [ground, b]}}
  d1: {{type: driver, of: b.yaw, value: t}}
{more}simulate: {{duration: 4, output-step: 0.1, coordinates: {coordinates}, integrator: {method}}}
"""
            with self.subTest(coordinates=coordinates, method=method, driven=bool(more)):
                message = self.run_model(text, 1)[0]
                self.assertIn("singular orientation", message)
                self.assertIn("joint 'd", message)
                when = float(message.split("t = ")[1].split(":")[0])
                self.assertLess(abs(when - (math.pi / 2 if more else free)), 0.05)

    def test_initial_angles(self):
        """A start given by angles is that of the orientation; whole turns do not count; one angle leaves the others as written."""
        body = """trammel: 1
space: spatial
bodies:
  b: {mass: 2, inertia: [0.3, 0.5, 0.6], orientation: {euler: SEQUENCE, angles: [0.1, 0.3, -0.2]}}
initial: {START}
simulate: {duration: 0.1, output-step: 0.1, coordinates: COORDINATES}
"""
        for sequence, coordinates in itertools.product(("zyx", "zxz", "xzy", "yxy"), ("natural", "euler-parameters", "relative")):
            names = dict(zip("123", ("yaw", "pitch", "roll"))) if sequence == "zyx" else {k: sequence + k for k in "123"}
            for angles in ((2.5, 0.7, -2), (8.1, 1.2, 1)):
                start = ", ".join(f"b.{names[k]}: {angle}" for k, angle in zip("123", angles))
                rows, _ = self.run_model(body.replace("SEQUENCE", sequence).replace("START", start).replace("COORDINATES", coordinates))
                found = of_quaternion(*(rows[0][f"b.q{k}"] for k in "wxyz"))
                wanted = product(product(turn(sequence[0], angles[0]), turn(sequence[1], angles[1])), turn(sequence[2], angles[2]))
                off = largest(abs(found[i][j] - wanted[i][j]) for i in range(3) for j in range(3))
                self.assertLess(off, 1e-12, f"{sequence}, {coordinates}, {angles}")
        refused = body.replace("SEQUENCE", "zxz").replace("COORDINATES", "natural")
        self.assertIn("initial condition 'b.pitch' cannot be met", self.run_model(refused.replace("START", "b.pitch: 2"), 3)[0])
        self.assertIn("has no value in the orientation as written", self.run_model(refused.replace("0.3, -0.2", "0, 0").replace("START", "b.zxz1: 1"), 3)[0])

    def test_refused(self):
        for of, words in (("b.zxx1", "no measure"), ("b.zxz4", "no measure"), ("b.zxz0", "no measure"), ("c.zxz1", "c"),
                          ("b.qw", "yaw, zxz1"), ("b.wx", "yaw, zxz1")):
            text, _ = self.run_model(driven("zyx", drivers=()) .replace("simulate", f"  d: {{type: driver, of: {of}, value: t}}\nsimulate"), 3)
            self.assertIn("error: joint 'd'", text)
            self.assertIn(words, text)
        twice = driven("zyx", drivers=(1,), more="  again: {type: driver, of: b.yaw, value: t}\n")
        self.assertIn("driven already", self.run_model(twice, 3)[0])


if __name__ == "__main__":
    unittest.main()
