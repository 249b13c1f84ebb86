#!/usr/bin/env python3
"""Laws of joints: what they may be made of, against closed forms."""
import math
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from extremes import largest
from program import Run

PLANAR = ("natural", "angle", "euler-parameters", "cartesian")
EXACT = ("--integrator", "dop853", "--rtol", "1e-11", "--atol", "1e-13")


class LawsTest(unittest.TestCase):
    def near(self, found, expected, tolerance, what=""):
        self.assertTrue(abs(found - expected) <= tolerance, f"{what}: {found}, expected {expected}")

    # ---- variables of t alone ----

    VARIABLES = """trammel: 1
space: planar
parameters: {I: 0.3, m: 2, w: 3}
bodies:
  rod: {mass: m, inertia: I}
  bob: {mass: m, inertia: I, position: [1, 0]}
joints:
  J: {type: revolute, connect: [ground, rod]}
  D: {type: driver, of: J.angle, value: "2*turn"}
  L: {type: distance, connect: [ground, bob], length: "1 + turn^2"}
  Y: {type: coordinate, sum: {bob.y: 1}, value: zero}
variables:
  turn: "swing*top"
  swing: sin(w*t)
  top: 0.4
  zero: 0
outputs: [turn, J.angle, J.rate, D.effort, bob.x, bob.vx, L.fx, constraint, energy]
simulate: {duration: 2, output-step: 0.25}
"""

    def test_a_variable_is_its_formula(self):
        for coordinates in PLANAR:
            with self.subTest(coordinates):
                run = Run(self.VARIABLES, *EXACT, "--coordinates", coordinates)
                for i, t in enumerate(run["t"]):
                    u, du, ddu = 0.4 * math.sin(3 * t), 1.2 * math.cos(3 * t), -3.6 * math.sin(3 * t)
                    self.near(run["turn"][i], u, 1e-14)
                    self.near(run["J.angle"][i], 2 * u, 1e-10)
                    self.near(run["J.rate"][i], 2 * du, 1e-10)
                    self.near(run["D.effort"][i], 0.3 * 2 * ddu, 1e-9)
                    self.near(run["bob.x"][i], 1 + u * u, 1e-10)
                    self.near(run["bob.vx"][i], 2 * u * du, 1e-10)
                    self.near(abs(run["L.fx"][i]), abs(2 * (2 * du * du + 2 * u * ddu)), 1e-9)
                    self.near(run["energy.error"][i], 0, 1e-9)

    # ---- smooth(x, tau) ----

    FILTER = """trammel: 1
space: planar
parameters: {tau: 0.2}
bodies: {rod: {mass: 2, inertia: 0.3}, cart: {mass: 1.5, inertia: 1, position: [3, 0]}}
inputs: {ramp: "1 + 0.7*t", up: "if(t > 0, 1, 0)"}
variables: {half: "0.5*smooth(ramp, tau)"}
joints:
  J: {type: revolute, connect: [ground, rod]}
  D: {type: driver, of: J.angle, value: "2*half"}
  X: {type: driver, of: cart.x, value: "2 + smooth(ramp, tau)^2"}
states: {after: {initial: "half", rate: "0*smooth(up, tau)"}}
forces: {pull: {type: force, point: cart, value: [0, "1.5*smooth(smooth(ramp, tau), 2*tau)"]}}
outputs: [half, J.angle, J.rate, rod.alpha, D.effort, X.effort, cart.x, cart.ay, after, constraint, energy]
simulate: {duration: 1, output-step: 0.125}
"""

    @staticmethod
    def ramp(t, tau=0.2, slope=0.7):
        """y, y′, y″ of the filter of 1 + slope t"""
        decay = math.exp(-t / tau)
        return (1 + slope * (t - 2 * tau + (t + 2 * tau) * decay), slope * (1 - (1 + t / tau) * decay),
                slope * t / tau ** 2 * decay)

    def check_ramp(self, run, tolerance):
        for i, t in enumerate(run["t"]):
            y, dy, ddy = self.ramp(t)
            self.near(run["half"][i], y / 2, tolerance, f"half at {t}")
            self.near(run["J.angle"][i], y, tolerance)
            self.near(run["J.rate"][i], dy, 20 * tolerance)
            self.near(run["D.effort"][i], 0.3 * ddy, 100 * tolerance)
            self.near(run["cart.x"][i], 2 + y * y, 10 * tolerance)
            self.near(run["X.effort"][i], 1.5 * (2 * dy * dy + 2 * y * ddy), 500 * tolerance)
            self.near(run["after"][i], 0.5, tolerance)
            self.near(run["constraint.position"][i], 0, 1e-12)
            self.near(run["constraint.velocity"][i], 0, 1e-11)

    def test_drivers_follow_a_filtered_input(self):
        for coordinates in PLANAR:
            with self.subTest(coordinates):
                run = Run(self.FILTER, *EXACT, "--coordinates", coordinates)
                self.check_ramp(run, 1e-9)
                self.near(largest(map(abs, run["energy.error"])), 0, 1e-8)

    def test_every_integrator_at_its_order(self):
        orders = {"euler": 1, "rk4": 4, "ab3": 3, "trapezoidal": 2, "generalized-alpha": 2, "three-field": 2}
        for name, order in orders.items():
            with self.subTest(name):
                off = []
                for step in (0.0125, 0.00625):
                    run = Run(self.FILTER, "--integrator", name, "--step", step, "--allow-doubtful")
                    off.append(largest(abs(x - self.ramp(t)[0]) for t, x in zip(run["t"], run["J.angle"])))
                    self.near(max(run["constraint.position"]), 0, 1e-10)
                rate = math.log2(off[0] / off[1])
                self.assertTrue(abs(rate - order) <= 0.35, f"{name}: order {rate}, errors {off}")
        for name in ("dopri5", "radau5", "ida", "bdf", "adams"):
            with self.subTest(name):
                self.check_ramp(Run(self.FILTER, "--integrator", name, "--rtol", "1e-9", "--atol", "1e-11"), 1e-7)

    STEP = """trammel: 1
space: planar
parameters: {tau: 0.1, at: 0.3}
bodies: {rod: {mass: 2, inertia: 0.3}}
joints:
  J: {type: revolute, connect: [ground, rod]}
  D: {type: driver, of: J.angle, value: "smooth(if(t > at, 1, 0), tau)"}
outputs: [J.angle, J.rate, D.effort]
simulate: {duration: 1, output-step: 0.125}
"""

    def test_the_response_to_a_step(self):
        for method in ("dopri5", "dop853", "radau5", "bdf", "ida"):
            with self.subTest(method):
                run = Run(self.STEP, "--integrator", method, "--rtol", "1e-9", "--atol", "1e-11")
                for i, t in enumerate(run["t"]):
                    s = max(0, (t - 0.3) / 0.1)
                    decay = math.exp(-s)
                    self.near(run["J.angle"][i], 1 - (1 + s) * decay, 1e-7, f"angle at {t}")
                    self.near(run["J.rate"][i], s * decay / 0.1, 1e-6)
                    self.near(run["D.effort"][i], 0.3 * (1 - s) * decay / 0.1 ** 2 if t > 0.3 else 0, 2e-5)

    # A pendulum whose own angle and rate move its cart, through a filter: as τ → 0 a stiff loop.
    LOOP = """trammel: 1
space: planar
gravity: [0, -9.81]
parameters: {tau: 0.02}
bodies:
  cart: {mass: 2, inertia: 0.3}
  rod: {mass: 1, inertia: 0.1, position: [0, -0.5], points: {A: [0, 0.5]}, angle: 0.3}
states: {drift: {initial: 0, rate: rod.angle}}
joints:
  P: {type: prismatic, connect: [ground, cart], axis: [1, 0]}
  R: {type: revolute, connect: [cart, rod.A]}
  D: {type: driver, of: P.displacement, value: "smooth(0.5*rod.angle + 0.2*rod.omega + 0.1*sin(t) + drift, tau)"}
outputs: [P.displacement, rod.angle, D.effort, constraint]
simulate: {duration: 2, output-step: 0.25}
"""

    def test_a_loop_through_a_driver(self):
        """All methods agree; implicit ones have its derivatives, so that a short τ costs no small steps."""
        for tau, steps in ((0.1, 400), (0.02, 500), (0.004, 700)):
            exact = Run(self.LOOP, "--set", f"tau={tau}", *EXACT)
            for name in ("radau5", "bdf", "ida"):
                with self.subTest(f"{name}, tau {tau}"):
                    run = Run(self.LOOP, "--set", f"tau={tau}", "--integrator", name, "--rtol", "1e-7", "--atol", "1e-9")
                    self.assertLess(run.summary["steps"], 3 * steps)
                    self.near(largest(abs(a - b) for a, b in zip(run["rod.angle"], exact["rod.angle"])), 0, 2e-6)
            for name in ("trapezoidal", "generalized-alpha", "three-field"):
                with self.subTest(f"{name}, tau {tau}"):
                    run = Run(self.LOOP, "--set", f"tau={tau}", "--integrator", name, "--step", "1e-3")
                    self.assertLess(run.summary["jacobians"], 200)
                    self.near(largest(abs(a - b) for a, b in zip(run["rod.angle"], exact["rod.angle"])), 0, 2e-6)

    # ---- drivers on velocity level ----

    CART = """trammel: 1
space: planar
gravity: [0, -9.81]
parameters: {v0: 2, w: 3}
bodies:
  cart: {mass: 2, inertia: 0.3, angle: 0.4}
  rod: {mass: 1, inertia: 0.2, position: [3, 0]}
  far: {mass: 1, inertia: 0.2, position: [6, 0], points: {A: [0.2, 0]}}
inputs: {u: "0.7*t"}
variables: {twice: "2*fade"}
states: {fade: {initial: 0.5, rate: "-2*fade"}}
joints:
  P: {type: prismatic, connect: [ground, cart], axis: [1, 0]}
  D: {type: driver, of: cart.vx, rate: "v0*sin(w*t)"}
  R: {type: revolute, connect: [ground, rod], at: [3, 0]}
  E: {type: driver, of: R.rate, rate: "twice - fade"}
  Q: {type: revolute, connect: [ground, far], at: [6, 0]}
  S: {type: driver, of: far.omega, rate: "smooth(u, 0.2)"}
outputs: [cart.x, cart.vx, D.effort, R.angle, R.rate, E.effort, far.angle, far.omega, S.effort, constraint, energy]
simulate: {duration: 1, output-step: 0.125}
"""

    def check_cart(self, run, tolerance):
        for i, t in enumerate(run["t"]):
            y, dy, _ = self.ramp(t)
            fade = 0.5 * math.exp(-2 * t)
            for name, expected in [("cart.x", 2 / 3 * (1 - math.cos(3 * t))), ("cart.vx", 2 * math.sin(3 * t)),
                                   ("D.effort", 12 * math.cos(3 * t)), ("R.angle", (0.5 - fade) / 2), ("R.rate", fade),
                                   ("E.effort", -0.4 * fade), ("far.omega", y - 1), ("S.effort", 0.2 * dy)]:
                self.near(run[name][i], expected, 20 * tolerance if "effort" in name else tolerance, f"{name} at {t}")
            self.near(run["constraint.velocity"][i], 0, 1e-11)

    def test_a_cart_driven_at_velocity_level(self):
        for coordinates in PLANAR:
            with self.subTest(coordinates):
                run = Run(self.CART, *EXACT, "--coordinates", coordinates)
                self.check_cart(run, 1e-9)
                self.near(largest(map(abs, run["energy.error"])), 0, 1e-9)  # their work is counted

    def test_velocity_level_at_every_order(self):
        for name, order in {"euler": 1, "rk4": 4, "trapezoidal": 2, "generalized-alpha": 2, "three-field": 2}.items():
            with self.subTest(name):
                off = []
                for step in (0.0125, 0.00625):
                    run = Run(self.CART, "--integrator", name, "--step", step, "--allow-doubtful")
                    off.append(largest(abs(x - 2 / 3 * (1 - math.cos(3 * t))) for t, x in zip(run["t"], run["cart.x"])))
                rate = math.log2(off[0] / off[1])
                self.assertTrue(abs(rate - order) <= 0.35, f"{name}: order {rate}, errors {off}")
        for name in ("dopri5", "radau5", "ida", "bdf", "adams"):
            with self.subTest(name):
                self.check_cart(Run(self.CART, "--integrator", name, "--rtol", "1e-9", "--atol", "1e-11"), 1e-7)

    # Held at u and turning at w, a body slips sideways: v′ = −w u, and the force is m (u′ − w v).
    TURNING = {"planar": """trammel: 1
space: planar
bodies: {car: {mass: 3, inertia: 0.5, angle: 0.3}}
joints:
  U: {type: driver, of: car.u, rate: 1.5}
  W: {type: driver, of: car.omega, rate: 0.8}
""", "spatial": """trammel: 1
space: spatial
bodies: {car: {mass: 3, inertia: [0.5, 0.6, 0.7], orientation: {axis: [0, 0, 1], angle: 0.3}}}
joints:
  U: {type: driver, of: car.u, rate: 1.5}
  W: {type: driver, of: car.r, rate: 0.8}
"""}

    def test_a_velocity_in_body_axes(self):
        for space, forms in (("planar", PLANAR), ("spatial", ("natural", "euler-parameters"))):
            for coordinates in forms:
                for method in (EXACT, ("--integrator", "radau5", "--rtol", "1e-9", "--atol", "1e-11"),
                               ("--integrator", "generalized-alpha", "--step", "1e-3")):
                    with self.subTest(f"{space}, {coordinates}, {method[1]}"):
                        run = Run(self.TURNING[space] + "outputs: [car.u, car.v, U.effort, W.effort, energy.error]\n"
                                  "simulate: {duration: 2, output-step: 0.5}\n", *method, "--coordinates", coordinates)
                        tolerance = 1e-4 if "alpha" in method[1] else 1e-7
                        for i, t in enumerate(run["t"]):
                            self.near(run["car.u"][i], 1.5, 1e-9)
                            self.near(run["car.v"][i], -0.8 * 1.5 * t, tolerance)
                            self.near(run["U.effort"][i], 3 * 0.8 ** 2 * 1.5 * t, 10 * tolerance)
                            self.near(run["W.effort"][i], 0, tolerance)
                            self.near(run["energy.error"][i], 0, 10 * tolerance)


if __name__ == "__main__":
    unittest.main()
