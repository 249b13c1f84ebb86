"""The parts of models/parts/ in small models with solutions in closed form."""
import cmath
import math
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from program import Run

PARTS = Path(__file__).parents[2] / "models/parts"
EXACT = "integrator: dop853, rtol: 1e-11, atol: 1e-13"


def second_order(a, b, u, x0, t):
    """x' = A x + u of two states, from x0: by the eigenvalues of A, which differ."""
    (p, q), (r, s) = a, b
    root = cmath.sqrt((p - s) ** 2 / 4 + q * r)
    det = p * s - q * r
    rest = [(-s * u[0] + q * u[1]) / det, (r * u[0] - p * u[1]) / det]  # where x' = 0
    d = [x0[0] - rest[0], x0[1] - rest[1]]
    l1, l2 = (p + s) / 2 + root, (p + s) / 2 - root
    e1, e2 = cmath.exp(l1 * t), cmath.exp(l2 * t)
    k0, k1 = (l1 * e2 - l2 * e1) / (l1 - l2), (e1 - e2) / (l1 - l2)  # e^(At) = k0 + k1 A
    return [(rest[i] + k0 * d[i] + k1 * (row[0] * d[0] + row[1] * d[1])).real for i, row in enumerate((a, b))]


class Parts(unittest.TestCase):
    def run_model(self, text):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model.yaml"
            path.write_text(text.replace("PARTS", str(PARTS)))
            return Run(path)

    def near(self, run, name, law, bound):
        values = list(zip(run["t"], run[name]))
        self.assertGreater(max(abs(v) for _, v in values), 100 * bound)
        for t, value in values:
            self.assertLessEqual(abs(value - law(t)), bound, f"{name} at {t}")

    def test_dc_motor(self):
        """With a load behind a gear of ratio 1/5: J + Jl/25 takes the place of J."""
        run = self.run_model(f"""trammel: 1
space: planar
include: [{{file: PARTS/dc_motor.yaml, prefix: m_, with: {{V: 12, J: 7e-5}}}}]
shafts: {{load: {{inertia: 1e-3}}}}
joints: {{gear: {{type: gear, joints: [m_rotor, load], ratio: 0.2}}}}
simulate: {{duration: 0.2, output-step: 0.01, {EXACT}}}
outputs: [m_rotor, m_current, load]
""")
        R, L, k, J, c, V = 0.6, 3e-4, 0.05, 7e-5 + 1e-3 / 25, 1e-5, 12

        def state(t):
            return second_order((-R / L, -k / L), (k / J, -c / J), (V / L, 0), (0, 0), t)
        self.near(run, "m_current", lambda t: state(t)[0], 1e-7)
        self.near(run, "m_rotor.rate", lambda t: state(t)[1], 1e-6)
        self.near(run, "load.rate", lambda t: 0.2 * state(t)[1], 1e-6)

    def test_planetary_gear(self):
        """The ring stands still: the carrier turns 1 + n times slower, its inertia counts less by the square."""
        n, Js, Jc, T = 3, 1e-4, 5e-4, 0.02
        run = self.run_model(f"""trammel: 1
space: planar
include: [{{file: PARTS/planetary_gear.yaml, prefix: p_, with: {{n: {n}}}}}]
joints: {{brake: {{type: driver, of: p_ring.angle, value: 0}}}}
forces: {{motor: {{type: actuator, of: p_sun, value: {T}}}}}
simulate: {{duration: 1, output-step: 0.1, {EXACT}}}
outputs: [p_sun, p_carrier, p_ring, brake]
""")
        rate = T / (Js + Jc / (1 + n) ** 2)
        self.near(run, "p_sun.rate", lambda t: rate * t, 1e-8)
        self.near(run, "p_carrier.rate", lambda t: rate * t / (1 + n), 1e-8)
        # the ring's brake holds what the sun and the carrier do not take up: T_ring = n T_teeth
        self.near(run, "brake.effort", lambda t: n * (T - Js * rate), 1e-9)

    def test_strut(self):
        """The tube stands on the ground, a mass on the rod: (m + M) z'' = k (free - length - z) - c z' - (m + M) g."""
        k, c, m, M, free, length, g = 2e4, 400, 2, 18, 0.55, 0.5, 9.81
        run = self.run_model(f"""trammel: 1
space: spatial
gravity: [0, 0, -{g}]
include: [{{file: PARTS/strut.yaml, prefix: s_, at: [1, 2, 0.3], with: {{c: {c}}}}}]
bodies: {{weight: {{mass: {M}, inertia: [1, 1, 1], position: [1, 2, 0.8]}}}}
joints:
  foot: {{type: rigid, connect: [ground, s_tube], at: [1, 2, 0.3]}}
  head: {{type: rigid, connect: [s_rod.top, weight]}}
  straight: {{type: driver, of: s_guide.angle, value: 0}}
simulate: {{duration: 0.5, output-step: 0.01, {EXACT}}}
outputs: [weight, s_spring]
""")
        total = m + M
        self.near(run, "weight.z", lambda t: 0.8 + second_order((0, 1), (-k / total, -c / total), (0, k * (free - length) / total - g), (0, 0), t)[0], 1e-8)

    def test_pid(self):
        """J w' = kp (1 - w) + ki ∫(1 - w): with x = ∫(1 - w), x' = 1 - w."""
        J, kp, ki = 0.5, 3, 20
        run = self.run_model(f"""trammel: 1
space: planar
include: [{{file: PARTS/pid.yaml, with: {{kp: {kp}, ki: {ki}}}}}]
variables: {{error: 1 - wheel.rate}}
shafts: {{wheel: {{inertia: {J}}}}}
forces: {{motor: {{type: actuator, of: wheel, value: command}}}}
simulate: {{duration: 2, output-step: 0.05, {EXACT}}}
outputs: [wheel, command, integral]
""")
        self.near(run, "wheel.rate", lambda t: second_order((-kp / J, ki / J), (-1, 0), (kp / J, 1), (0, 0), t)[0], 1e-7)

    def test_pid_limits(self):
        """At its limit the command is constant and the integral waits: w = most/J t."""
        run = self.run_model(f"""trammel: 1
space: planar
include: [{{file: PARTS/pid.yaml, with: {{kp: 50, ki: 20, most: 0.25}}}}]
variables: {{error: 1 - wheel.rate}}
shafts: {{wheel: {{inertia: 0.5}}}}
forces: {{motor: {{type: actuator, of: wheel, value: command}}}}
simulate: {{duration: 1.5, output-step: 0.05, {EXACT}}}
outputs: [wheel, command, integral]
""")
        self.near(run, "wheel.rate", lambda t: 0.5 * t, 1e-9)
        self.assertEqual(set(run["integral"]), {0.0})


if __name__ == "__main__":
    unittest.main()
