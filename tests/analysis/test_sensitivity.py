"""Derivatives of motions against elliptic functions and high-order differences of independent integrations."""
import cmath
import csv
import io
import json
import math
import os
import sys
import unittest

from analyses import HERE, PLANAR, ROOT, SPATIAL, ask

REFERENCE = json.loads((HERE / "reference/sensitivities.json").read_text())
TIGHT = ("--rtol", 1e-11, "--atol", 1e-13)

PENDULUM = """
trammel: 1
space: planar
parameters: {m: 1.3, L: 1.1, g: 9.81, c: 0.2, th0: 1.2, w0: 0.5}
gravity: [0, -g]
simulate: {duration: 3}
bodies:
  rod: {mass: m, inertia: m*L^2/12, position: [L/2*sin(th0), -L/2*cos(th0)], angle: th0, angular-velocity: w0, points: {O: [0, L/2], T: [0, -L/2]}}
joints:
  pin: {type: revolute, connect: [ground, rod.O]}
forces:
  drag: {type: actuator, of: pin, value: "-c*rod.omega"}
"""
FOUR_BAR = """
trammel: 1
space: planar
parameters: {a: 0.4, b: 0.9, c: 0.7, d: 1.0, rho: 2.0, g: 9.81, tau: 0.0, q0: 1.2, w0: 6.0}
gravity: [0, -g]
simulate: {duration: 1.5}
ground: {points: {D: [d, 0]}}
bodies:
  crank: {mass: rho*a, inertia: rho*a^3/12, position: [0.07, 0.18], angle: 1.2, points: {O: [-a/2, 0], A: [a/2, 0]}}
  coupler: {mass: rho*b, inertia: rho*b^3/12, position: [0.58, 0.55], angle: 0.4, points: {A: [-b/2, 0], B: [b/2, 0]}}
  rocker: {mass: rho*c, inertia: rho*c^3/12, position: [0.99, 0.35], angle: 1.6, points: {D: [-c/2, 0], B: [c/2, 0]}}
joints:
  O: {type: revolute, connect: [ground, crank.O]}
  A: {type: revolute, connect: [crank.A, coupler.A]}
  B: {type: revolute, connect: [coupler.B, rocker.B]}
  D: {type: revolute, connect: [ground.D, rocker.D]}
forces:
  motor: {type: actuator, of: O, value: tau}
initial: {crank.angle: q0, crank.omega: w0}
"""
SLIDER_CRANK = """
trammel: 1
space: planar
parameters: {a: 0.5, b: 1.2, e: 0.1, m1: 1.0, m2: 2.0, ms: 1.5, g: 9.81, k: 40.0, x0: 1.1, q0: 0.8, w0: 5.0}
gravity: [0, -g]
simulate: {duration: 2}
bodies:
  crank: {mass: m1, inertia: m1*a^2/12, position: [a/2*cos(q0), a/2*sin(q0)], angle: q0, angular-velocity: w0, points: {O: [-a/2, 0], A: [a/2, 0]}}
  rod: {mass: m2, inertia: m2*b^2/12, position: [0.9, 0.2], angle: -0.2, points: {A: [-b/2, 0], B: [b/2, 0]}}
  slider: {mass: ms, inertia: 1, position: [1.5, e]}
joints:
  O: {type: revolute, connect: [ground, crank.O]}
  A: {type: revolute, connect: [crank.A, rod.A]}
  B: {type: revolute, connect: [rod.B, slider]}
  guide: {type: prismatic, connect: [ground, slider], axis: [1, 0], at: [0, e]}
forces:
  spring: {type: force, point: slider, value: ["-k*(slider.x - x0)", 0]}
initial: {crank.angle: q0}
"""
# columns of the reference: at the end, or integrals
CASES = {
    "pendulum": (PENDULUM, ["rod.angle", "rod.omega", "rod.T.x", "rod.T.y"], "rod.angle^2"),
    "four_bar": (FOUR_BAR, ["crank.angle", "crank.omega", "coupler.B.x", "coupler.B.y"], "coupler.B.y"),
    "slider_crank": (SLIDER_CRANK, ["crank.angle", "crank.omega", "slider.x"], "slider.x^2"),
}


class Sensitivity(unittest.TestCase):
    def compare(self, name, column, found):
        case = REFERENCE[name]
        expected = [row[column] for row in case["jacobian"]]
        floor = 1e-8 * max(map(abs, expected))
        self.assertEqual(list(found["gradient"]), case["names"])
        self.assertLessEqual(abs(found["value"] - case["value"][column]), 1e-9 * max(1, abs(case["value"][column])))
        for parameter, value in zip(case["names"], expected):
            off = abs(found["gradient"][parameter] - value)
            self.assertLessEqual(off, 1e-6 * abs(value) + floor, f"{name} {case['columns']}, {column}, {parameter}: {off} of {value}")

    def agree(self, forward, adjoint):
        """To 1e-8 of the largest derivative."""
        largest = max(map(abs, forward["gradient"].values()))
        for parameter, value in forward["gradient"].items():
            self.assertLessEqual(abs(adjoint["gradient"][parameter] - value), 1e-8 * largest, parameter)

    @unittest.skipIf(os.environ.get("TRM_SANITIZED"), "the release build does it; minutes under sanitizers")
    def test_against_reference(self):
        for name, (model, measures, integrand) in CASES.items():
            wrt = ("--wrt", ",".join(REFERENCE[name]["names"]))
            for column, what in enumerate([("--of", measure) for measure in measures] + [("--integral", integrand)]):
                both = [ask("sensitivity", model, *what, *wrt, "--method", method, *TIGHT) for method in ("forward", "adjoint")]
                for method, found in zip(("forward", "adjoint"), both):
                    self.assertEqual(found["method"], method)
                    self.compare(name, column, found)
                self.agree(*both)

    @unittest.skipIf(os.environ.get("TRM_SANITIZED"), "the release build does it; minutes under sanitizers")
    def test_every_formulation(self):
        for coordinates in PLANAR:
            for name, (model, measures, _) in CASES.items():
                for method in ("forward", "adjoint"):
                    found = ask("sensitivity", model, "--of", measures[0], "--wrt", ",".join(REFERENCE[name]["names"]),
                                "--coordinates", coordinates, "--method", method, *TIGHT)
                    self.compare(name, 0, found)

    def test_adjoint_of_other_joints(self):
        """Laws of time, rolling, screws, gears: against the forward method, which knows nothing of tangents."""
        for name, measure, wrt, duration in (("driven_four_bar", "rocker.angle", "a,b,w,ripple", 0.6), ("rolling_disc", "coin.x", "R,Omega,beta", 0.5),
                                             ("screw_press", "ram.z", "pitch,I,ms", 0.05), ("spatial_slider_crank", "slider.x", "r,l,w", 0.3)):
            both = [ask("sensitivity", ROOT / f"models/{name}.yaml", "--of", measure, "--wrt", wrt, "--duration", duration, "--method", method, *TIGHT)
                    for method in ("forward", "adjoint")]
            self.agree(*both)

    def test_thin_rods(self):
        """Second moments across a thin rod are zero, and not linear in its moments of inertia. The derivative is small: a change of Ix by all of
        it moves the rod's end, which is 1 m away, by 6e-9 m. Differences see round-off of that metre through their step of Ix, times the sum of
        their weights, 1.83: 0.004 Ix in the forward method, 0.2 Ix between whole runs here. The adjoint has no such noise."""
        model, inertia = ROOT / "models/bricard.yaml", 0.1 ** 2 / 6
        forward, adjoint = [ask("sensitivity", model, "--of", "rod4.B.y", "--wrt", "Ix", "--method", method, "--duration", 0.05,
                                *TIGHT)["gradient"]["Ix"] for method in ("forward", "adjoint")]

        def end(value):
            text = ask("run", model, "--integrator", "dop853", "--rtol", 1e-13, "--atol", 1e-15, "--duration", 0.05, "--no-report", "--no-estimate",
                       "--set", f"Ix={value!r}", file="results.csv", read=True)
            rows = list(csv.reader(io.StringIO(text)))
            return float(rows[-1][rows[0].index("rod4.B.y")])

        def round_off(step):
            return 1.83 * sys.float_info.epsilon / step

        h = 0.2 * inertia
        runs = sum(w * (end(inertia + k * h) - end(inertia - k * h)) for k, w in ((1, 45), (2, -9), (3, 1))) / (60 * h)
        self.assertLessEqual(abs(adjoint - runs), round_off(h))
        self.assertLessEqual(abs(adjoint - forward), round_off(0.004 * inertia))

    def test_coordinates_of_zero(self):
        """Corrections of coordinates that are nearly zero never come to rest: the forward method must not wait for it."""
        both = [ask("sensitivity", ROOT / "models/four_bar_diagonal_spring.yaml", "--of", "crank.x", "--wrt", "L,start,xB,yB", "--method", method,
                    "--duration", 0.5, *TIGHT) for method in ("forward", "adjoint")]
        self.agree(*both)

    def test_adjoint_of_laws_and_signals(self):
        """A rod whose length follows a law, a controller with a state, a force counted over turns, parameters in all of them."""
        model = """
trammel: 1
space: planar
gravity: [0, -g]
parameters: {g: 9.81, l: 1, A: 0.1, w: 3, K: 4, tau: 0.3, k: 0.2, a: 0.05, m: 1.5}
simulate: {duration: 2}
bodies:
  bob: {mass: m, inertia: 0.2, position: [l, 0], points: {P: [-a, a/2], Q: [2*a, 0]}, angular-velocity: 9}
joints:
  string: {type: distance, connect: [ground, bob.P], length: "hypot(l - a, a/2) + A*sin(w*t)"}
variables:
  error: "K*(a - bob.Q.y)"
states:
  filter: {initial: 0.3*K, rate: "(error - filter)/tau"}
forces:
  push: {type: force, point: bob.Q, value: ["0.1*filter", "K*tanh(bob.Q.vx)"]}
  twist: {type: torsion-spring-damper, connect: [ground, bob], stiffness: k, damping: 0.01}
"""
        wrt = "g,l,A,w,K,tau,k,a,m"
        for what in (("--of", "bob.Q.x + filter"), ("--integral", "a*bob.Q.vx^2 + error^2")):
            self.agree(*[ask("sensitivity", model, *what, "--wrt", wrt, "--method", method, *TIGHT) for method in ("forward", "adjoint")])

    def test_formulas_of_parameters(self):
        """A damped oscillator behind variables and a `let`, whose stiffness and damping are formulas of formulas of parameters."""
        model = """
trammel: 1
space: planar
parameters: {m: 1.3, w: 3, z: 0.15, x0: 0.4, share: 0.25, k: m*w^2, c: 2*z*sqrt(k*m)}
simulate: {duration: 2}
bodies:
  bob: {mass: m, inertia: 1, position: [x0, 0]}
joints:
  rail: {type: prismatic, connect: [ground, bob], axis: [1, 0]}
variables:
  pull: "-k*bob.x"
  drag: "-c*bob.vx"
  most: "(1 - share)*(pull + drag)"
states:
  way: {initial: 0, rate: "z*bob.vx"}
forces:
  near: {type: force, point: bob, value: [most, 0]}
  far$(i): {repeat: {i: [1, 2]}, let: {h: share/2}, type: force, point: bob, value: ["h*pull + share*drag/2", 0]}
"""

        def way(m, w, z, x0, share):
            d = w * (1 - z * z) ** 0.5
            return z * (cmath.exp(-z * w * 2) * x0 * (cmath.cos(2 * d) + z * w / d * cmath.sin(2 * d)) - x0)

        at = {"m": 1.3, "w": 3, "z": 0.15, "x0": 0.4, "share": 0.25}
        slopes = {name: way(**{**at, name: value + 1e-30j}).imag / 1e-30 for name, value in at.items()}
        for method in "forward", "adjoint":
            found = ask("sensitivity", model, "--of", "way", "--wrt", ",".join(at), "--method", method, *TIGHT)
            self.assertLessEqual(abs(found["value"] - way(**at).real), 1e-10)
            for name, slope in slopes.items():
                self.assertLessEqual(abs(found["gradient"][name] - slope), 1e-9, f"{method} {name}")

    def test_edge_of_formulas(self):
        """Lengths and masses by formulas that end, or choose another piece, close to the value of their parameter: an oscillator,
        x = x0 cos(sqrt(k/m) T)."""
        model = """
trammel: 1
space: planar
parameters: {p: 0.999, n: 1, K: 2.5, m: "2 + 0.1*acos(p)", k: 9}
simulate: {duration: 2}
bodies:
  bob: {mass: m, inertia: 1, position: ["if(n >= 1, 0.4*n, 7)", 0], points: {P: [0, "0.3*floor(K) + max(n, 1)"]}}
joints:
  rail: {type: prismatic, connect: [ground, bob], axis: [1, 0]}
forces:
  spring: {type: force, point: bob, value: ["-k*bob.x", 0]}
"""
        p, k, end = 0.999, 9, 2
        m = 2 + 0.1 * math.acos(p)
        angle = math.sqrt(k / m) * end
        by_mass = 0.4 * math.sin(angle) * angle / (2 * m)
        expected = {"bob.x": (by_mass * -0.1 / math.sqrt(1 - p * p), 0.4 * math.cos(angle), 0), "bob.P.y": (0, 1, 0)}
        for method in "forward", "adjoint":
            for measure, slopes in expected.items():
                found = ask("sensitivity", model, "--of", measure, "--wrt", "p,n,K", "--method", method, *TIGHT)["gradient"]
                for name, slope in zip(("p", "n", "K"), slopes):
                    self.assertLessEqual(abs(found[name] - slope), 1e-9, f"{method} {measure} {name}")

    def test_which_method(self):
        """The cheaper one; and the other where the first is not able."""
        self.assertEqual(ask("sensitivity", PENDULUM, "--of", "rod.x", "--wrt", "L,m,g")["method"], "adjoint")
        self.assertEqual(ask("sensitivity", PENDULUM, "--of", "rod.x", "--integral", "rod.y", "--wrt", "L")["method"], "forward")
        self.assertEqual(ask("sensitivity", PENDULUM, "--of", "rod.ax", "--wrt", "L,m,g")["method"], "forward")
        self.assertIn("velocity alone", ask("sensitivity", PENDULUM, "--of", "pin.fx", "--wrt", "L", "--method", "adjoint", status=2))
        self.assertIn("'forward' and 'adjoint'", ask("sensitivity", PENDULUM, "--of", "rod.x", "--wrt", "L", "--method", "both", status=2))

    def test_elliptic_functions(self):
        exact = REFERENCE["pendulum_undamped_exact"]
        found = ask("sensitivity", PENDULUM, "--of", "rod.angle", "--wrt", "L,th0,g,m", "--set", "c=0", "--set", "w0=0", *TIGHT)
        self.assertLessEqual(abs(found["value"] - exact["theta"]), 1e-10)
        for parameter in ("L", "th0", "g"):
            self.assertLessEqual(abs(found["gradient"][parameter] - exact["dtheta_d" + parameter]), 1e-8)
        self.assertLessEqual(abs(found["gradient"]["m"]), 1e-9)

    def test_coordinates_of_joints(self):
        """The adjoint of a motion in these is that of the bodies' own coordinates. Assembly warns once, not for each neighbour."""
        model = """
trammel: 1
space: spatial
gravity: [0, 0, -9.81]
parameters: {l: 0.8, yaw: 0.4, m: 1.5}
simulate: {duration: 0.4}
bodies:
  rod: {mass: m, inertia: [0.01, 0.08, 0.08], position: [l/2*cos(yaw), l/2*sin(yaw), 0], orientation: {euler: zyx, angles: [yaw, 0, 0]},
        points: {O: [-l/2, 0, 0.2]}}
joints: {pin: {type: universal, connect: [ground, rod.O], axes: [[0, 0, 1], [0, 1, 0]]}}
outputs: [rod.z]
"""
        options = ("--of", "rod.z", "--wrt", "l,yaw,m", "--coordinates", "relative")
        joints, bodies, adjoint = [ask("sensitivity", model, *options[:4], "--coordinates", coordinates, "--method", method, *TIGHT)
                                   for coordinates, method in (("relative", "forward"), ("natural", "adjoint"), ("relative", "adjoint"))]
        self.agree(joints, bodies)
        self.agree(joints, adjoint)
        self.assertEqual(ask("sensitivity", model, *options, read="stderr").count("assembly moved body 'rod'"), 1)

    def test_parameters_of_the_formula(self):
        """d(L θ²)/dL has θ² in it; sums of both kinds add."""
        parts = [ask("sensitivity", PENDULUM, *options, "--wrt", "L", *TIGHT)
                 for options in (("--of", "rod.angle"), ("--of", "L*rod.angle^2"), ("--integral", "L*rod.omega"), ("--of", "L*rod.angle^2", "--integral", "L*rod.omega"))]
        angle, slope = parts[0]["value"], parts[0]["gradient"]["L"]
        self.assertLessEqual(abs(parts[1]["gradient"]["L"] - (angle ** 2 + 2 * 1.1 * angle * slope)), 1e-8)
        # ∫ L ω dt = L (θ − θ0)
        self.assertLessEqual(abs(parts[2]["gradient"]["L"] - (angle - 1.2 + 1.1 * slope)), 1e-8)
        self.assertLessEqual(abs(parts[3]["gradient"]["L"] - parts[1]["gradient"]["L"] - parts[2]["gradient"]["L"]), 1e-8)

    def test_scale_of_a_parameter(self):
        """A parameter of zero that the start hangs on a thousandfold."""
        model = PENDULUM.replace("th0: 1.2", "tiny: 0, th0: 1.2 + 1000*tiny")
        found = ask("sensitivity", model, "--of", "rod.angle", "--wrt", "tiny", *TIGHT)
        self.assertLessEqual(abs(found["gradient"]["tiny"] / 1000 - REFERENCE["pendulum"]["jacobian"][4][0]), 1e-8)

    def test_in_space(self):
        """An overconstrained loop and a fast top, against differences of order six of tight runs."""
        for name, measure, parameter, value, h, duration in (("bricard", "rod3.B.x", "a", 0.1, 1e-3, 2), ("heavy_top", "top.wx", "l", 0.08, 2e-4, 0.5)):
            model = ROOT / f"models/{name}.yaml"

            def end(k):
                text = ask("run", model, "--integrator", "dop853", "--rtol", 1e-12, "--atol", 1e-14, "--duration", duration, "--no-report",
                           "--set", f"{parameter}={value + k * h!r}", file="results.csv", read=True)
                rows = list(csv.reader(io.StringIO(text)))
                return float(rows[-1][rows[0].index(measure)])

            expected = (45 * (end(1) - end(-1)) - 9 * (end(2) - end(-2)) + end(3) - end(-3)) / (60 * h)
            for coordinates in SPATIAL:
                found = ask("sensitivity", model, "--of", measure, "--wrt", parameter, "--duration", duration, "--coordinates", coordinates, *TIGHT)
                self.assertLessEqual(abs(found["gradient"][parameter] - expected), 1e-7 * abs(expected), f"{name}, {coordinates}")

    def close_by_both(self, model, what, wrt, value, gradient):
        for method in ("forward", "adjoint"):
            self.close(ask("sensitivity", model, *what, "--wrt", wrt, "--method", method, *TIGHT), value, gradient)

    def agree_on(self, model, what, wrt, *options):
        self.agree(*[ask("sensitivity", model, *what, "--wrt", wrt, "--method", method, *options, *TIGHT) for method in ("forward", "adjoint")])

    def like_runs(self, model, measure, values, found):
        """Differences of order six of whole runs."""
        def end(name, value):
            text = ask("run", model, "--integrator", "dop853", "--rtol", 1e-12, "--atol", 1e-14, "--no-report", "--no-estimate", "--allow-doubtful",
                       "--set", f"{name}={value!r}", file="results.csv", read=True)
            rows = list(csv.reader(io.StringIO(text)))
            return float(rows[-1][rows[0].index(measure)])

        for name, x in values.items():
            h = 2e-3 * x
            expected = sum(w * (end(name, x + k * h) - end(name, x - k * h)) for k, w in ((1, 45), (2, -9), (3, 1))) / (60 * h)
            self.assertLessEqual(abs(found[name] - expected), 1e-7 * abs(expected), name)

    def close(self, found, value, gradient):
        self.assertLessEqual(abs(found["value"] - value), 1e-10)
        self.assertEqual(set(found["gradient"]), set(gradient))
        for parameter, slope in gradient.items():
            self.assertLessEqual(abs(found["gradient"][parameter] - slope), 1e-9, parameter)

    def test_end_by_an_event(self):
        """A ball that falls to a height: the end of the run moves with the parameters."""
        g, h, v, y0 = 9.81, 2, 1, 0.5
        model = """
trammel: 1
space: planar
gravity: [0, -g]
parameters: {g: 9.81, h: 2, v: 1, m: 3, y0: 0.5}
simulate: {duration: 5}
bodies:
  ball: {mass: m, inertia: 1, position: [0, h], velocity: [v, 0]}
events:
  floor: {when: ball.y - y0, direction: falling, stop: true}
"""
        T = (2 * (h - y0) / g) ** 0.5
        end = {"g": -T / (2 * g), "h": 1 / (g * T), "v": 0, "m": 0, "y0": -1 / (g * T)}
        wrt = "g,h,v,m,y0"
        for time in ("t", "floor.time", "floor.time*floor.count"):
            self.close_by_both(model, ("--of", time), wrt, T, end)
        self.close_by_both(model, ("--of", "ball.x"), wrt, v * T, {p: v * d + (p == "v") * T for p, d in end.items()})
        # y = h − g t²/2: ∫ y dt = h T − g T³/6
        area = {p: y0 * d + (p == "h") * T - (p == "g") * T ** 3 / 6 for p, d in end.items()}
        self.close_by_both(model, ("--integral", "ball.y"), wrt, h * T - g * T ** 3 / 6, area)
        # the speed there is sqrt(2 g (h − y0))
        u = (2 * g * (h - y0)) ** 0.5
        self.close_by_both(model, ("--of", "ball.vy"), wrt, -u, {"g": -(h - y0) / u, "h": -g / u, "v": 0, "m": 0, "y0": g / u})

    def test_states_set_by_an_event(self):
        """A motor that turns round where the cart passes a mark, as hard as it is fast there: x = x1 + v1 s − d F v1 s²/(2 m), s = 3 − t1."""
        model = """
trammel: 1
space: planar
parameters: {F: 3, m: 2, x1: 1, d: 0.7}
simulate: {duration: 3}
bodies:
  cart: {mass: m, inertia: 1}
states:
  push: {initial: F, rate: 0}
forces:
  motor: {type: force, point: cart, value: [push, 0]}
events:
  mark: {when: cart.x - x1, direction: rising, set: {push: -d*F*cart.vx}}
"""
        def end(F=3, m=2, x1=1, d=0.7):
            t1 = (2 * x1 * m / F) ** 0.5
            v1, s = F / m * t1, 3 - t1
            return x1 + v1 * s - d * F * v1 * s * s / (2 * m)

        # of the closed form, by differences of order six
        gradient = {p: sum(w * (end(**{p: x + k * 1e-2}) - end(**{p: x - k * 1e-2})) for k, w in ((1, 45), (2, -9), (3, 1))) / 0.6
                    for p, x in (("F", 3), ("m", 2), ("x1", 1), ("d", 0.7))}
        self.close_by_both(model, ("--of", "cart.x"), "F,m,x1,d", end(), gradient)
        for method in ("forward", "adjoint"):
            self.assertIn("touches zero", ask("sensitivity", model.replace("cart.x - x1", "(cart.x - x1)^3"), "--of", "cart.x", "--wrt", "F",
                                              "--method", method, status=1))

    def test_resets_again_and_again(self):
        """A clock that is set back to zero whenever it comes to p: after n times it is t − n p."""
        model = """
trammel: 1
space: planar
parameters: {p: 0.3, q: 1}
simulate: {duration: 2}
bodies:
  cart: {mass: 1, inertia: 1}
states:
  clock: {initial: 0, rate: q}
events:
  tick: {when: clock - p, direction: rising, set: {clock: 0}}
"""
        self.close_by_both(model, ("--of", "clock"), "p,q", 2 - 6 * 0.3, {"p": -6, "q": 2})

    def test_bouncing(self):
        """A ball on a spring that an event switches on, with a preload, and another one off: parabolas, and more than half a wave between them."""
        model = """
trammel: 1
space: planar
gravity: [0, -g]
parameters: {g: 9.81, h: 1.2, k: 500, m: 0.8, y0: 0.3, F: 3}
simulate: {duration: 2.6}
bodies:
  ball: {mass: m, inertia: 1, position: [0, h]}
states:
  contact: {initial: 0}
events:
  touch: {when: ball.y - y0, direction: falling, set: {contact: 1}}
  leave: {when: ball.y - y0, direction: rising, set: {contact: 0}}
forces:
  floor: {type: force, point: ball, value: [0, "contact*(k*(y0 - ball.y) + F)"]}
"""
        def end(g, h, k, m, y0, F):
            fall, w = (2 * (h - y0) / g) ** 0.5, (k / m) ** 0.5
            speed = g * fall
            contact = 2 * (math.pi - math.atan2(speed / w, g / w ** 2 - F / k)) / w
            s = 2.6 - fall - contact
            while s > 2 * fall + contact:
                s -= 2 * fall + contact
            assert 0 < s < 2 * fall
            return y0 + speed * s - g * s * s / 2

        values = {"g": 9.81, "h": 1.2, "k": 500, "m": 0.8, "y0": 0.3, "F": 3}
        self.close_by_both(model, ("--of", "ball.y"), ",".join(values), end(**values), self.slopes(end, values))
        self.assertEqual(ask("sensitivity", model, "--of", "ball.y", "--wrt", "g,h,k,m")["method"], "adjoint")

    def test_events_and_jumps_together(self):
        """Two pendulums with events that set several states, a variable that jumps and another one of it that bends, and a count in a force."""
        model = """
trammel: 1
space: planar
gravity: [0, -g]
parameters: {g: 9.81, L: 1.2, m: 1.4, k: 60, c: 0.3, th: 0.35, lim: 0.3, e: 0.8, w0: 1.5, l2: 0.5}
simulate: {duration: 4}
bodies:
  rod: {mass: m, inertia: m*L^2/12, position: [L/2*sin(th), -L/2*cos(th)], angle: th, angular-velocity: w0, points: {O: [0, L/2], T: [0, -L/2]}}
  bob: {mass: 0.4, inertia: 0.02, position: [L*sin(th), -L*cos(th) - l2], points: {A: [0, l2]}}
joints:
  pin: {type: revolute, connect: [ground, rod.O]}
  hang: {type: revolute, connect: [rod.T, bob.A]}
states:
  stop: {initial: 1}
  work: {initial: 0, rate: "stop*rod.omega^2"}
  hits: {initial: 0}
variables:
  drive: "if(bob.x > 0, 0.6*e, -0.4*c)"
  twice: "drive*abs(bob.vx)"
events:
  right: {when: "rod.T.x - lim*L", direction: rising, set: {stop: "e*stop + 0.1*hits", hits: "hits + 1"}}
  left: {when: "rod.T.x + lim*L", direction: falling, set: {stop: "1 + 0.05*rod.omega^2*L"}}
forces:
  spring: {type: actuator, of: pin, value: "-stop*k*0.1*rod.angle - c*rod.omega + twice*0.2 + 0.1*right.count"}
"""
        wrt = "g,L,m,k,c,th,lim,e,w0,l2"
        self.agree_on(model, ("--of", "bob.x"), wrt)
        self.agree_on(model, ("--of", "L*bob.vx + work", "--integral", "rod.omega^2 + lim*stop"), wrt)
        late = model.replace("right.count", "if(right.count > 0, right.time, 0)")
        self.agree_on(late, ("--of", "bob.x"), wrt)

    def test_times_of_events(self):
        """A cart passes a mark at T = sqrt(2 x1 m/F), and then a force dies away, of which its place is the double integral."""
        model = """
trammel: 1
space: planar
parameters: {F: 3, m: 2, x1: 1, d: 0.7, P: 5}
simulate: {duration: 3}
bodies:
  cart: {mass: m, inertia: 1}
variables:
  since: "if(mark.count > 0, t - mark.time, 0)"
forces:
  motor: {type: force, point: cart, value: ["F + if(mark.count > 0, P*exp(-since/d), 0)", 0]}
events:
  mark: {when: cart.x - x1, direction: rising}
"""
        def mark(F, m, x1, d, P):
            return (2 * x1 * m / F) ** 0.5

        def way(F, m, x1, d, P):
            s = 3 - mark(F, m, x1, d, P)
            return F / m * 4.5 + P / m * d * (s - d * (1 - math.exp(-s / d)))

        values = {"F": 3, "m": 2, "x1": 1, "d": 0.7, "P": 5}
        for what, function in (("mark.time", mark), ("cart.x", way)):
            self.close_by_both(model, ("--of", what), ",".join(values), function(**values), self.slopes(function, values))
        self.close_by_both(model, ("--integral", "since"), ",".join(values), (3 - mark(**values)) ** 2 / 2,
                           {p: -(3 - mark(**values)) * x for p, x in self.slopes(mark, values).items()})

    def test_times_of_events_in_all_formulas(self):
        """A pendulum that is pushed for a while after each swing to the right, from a time to another: in forces, rates of states, what events watch and
        set, through variables."""
        model = """
trammel: 1
space: planar
gravity: [0, -g]
parameters: {g: 9.81, L: 1.2, m: 1.4, c: 0.3, th: 0.35, lim: 0.3, P: 2, d: 0.25, w0: 1.5, e: 0.8}
simulate: {duration: 4}
bodies:
  rod: {mass: m, inertia: m*L^2/12, position: [L/2*sin(th), -L/2*cos(th)], angle: th, angular-velocity: w0, points: {O: [0, L/2], T: [0, -L/2]}}
joints: {pin: {type: revolute, connect: [ground, rod.O]}}
variables:
  age: "if(right.count > 0, t - right.time, 0)"
  late: "if(right.count > 0, t - right.time, 99)"
  shot: "if(late < d, P*sin(pi*late/d), 0) + if(late > 2*d, if(late < 3*d, -0.5*P, 0), 0)"
states:
  span: {initial: 0}
  store: {initial: 0, rate: "shot*rod.omega"}
events:
  right: {when: "rod.T.x - lim*L", direction: rising, set: {store: "store + 0.3*age + 0.1*e*right.count"}}
  left: {when: "rod.T.x + lim*L - 0.02*age", direction: falling, set: {span: "age + e*span"}}
forces:
  drag: {type: actuator, of: pin, value: "-c*rod.omega + shot + 0.3*span"}
"""
        wrt = "g,L,m,c,th,lim,P,d,w0,e"
        for what in (("--of", "rod.omega + store + span*e + late"), ("--of", "left.time - right.time"), ("--integral", "rod.x*age", "--of", "rod.x")):
            self.agree_on(model, what, wrt)
        found = ask("sensitivity", model + "outputs: [rod.angle]\n", "--of", "rod.angle", "--wrt", wrt, *TIGHT)
        self.assertEqual(found["method"], "adjoint")
        self.like_runs(model + "outputs: [rod.angle]\n", "rod.angle", {"lim": 0.3, "d": 0.25, "P": 2, "c": 0.3}, found["gradient"])

    def test_laws_that_follow_states(self):
        """A driver on velocity level whose rate is a state, s = a/k (1 − exp(−k t)), so that the rod has turned by ∫ s; and filters in laws."""
        model = """
trammel: 1
space: planar
parameters: {L: 1.1, k: 0.7, a: 0.5, m: 2, tau: 0.15, w: 3, b: 0.2}
gravity: [0, -9.81]
simulate: {duration: 2}
ground: {points: {H: [-1, 0.5]}}
bodies:
  rod: {mass: m, inertia: m*L^2/12, position: [L/2, 0], points: {O: [-L/2, 0], T: [L/2, 0]}}
  arm: {mass: 1, inertia: 0.1, position: [L, -0.3], points: {T: [0, 0.3]}}
joints:
  pin: {type: revolute, connect: [ground, rod.O]}
  tip: {type: revolute, connect: [rod.T, arm.T]}
  motor: {type: driver, MOTOR}
states:
  s: {initial: 0, rate: "a - k*s"}
  z: {initial: 0.2, rate: "arm.vx - k*z"}
variables:
  u: "0.1*sin(w*t) + 0.02*k*arm.omega*L + 0.1*z"
forces:
  drag: {type: actuator, of: tip, value: "-b*arm.omega + 0.2*u"}
"""
        wrt = "L,k,a,m,tau,w,b"
        rated = model.replace("MOTOR", "of: pin.rate, rate: s")
        e = math.exp(-0.7 * 2)
        angle = 0.5 / 0.7 * (2 - (1 - e) / 0.7)
        by_k = -angle / 0.7 + 0.5 / 0.7 * ((1 - e) / 0.49 - 2 * e / 0.7)
        self.close_by_both(rated, ("--of", "rod.angle"), wrt, angle, {"L": 0, "k": by_k, "a": angle / 0.5, "m": 0, "tau": 0, "w": 0, "b": 0})
        filtered = model.replace("MOTOR", 'of: pin, value: "a*smooth(u, tau)^2 + b*sin(w*t)*smooth(u, tau) + w/3*smooth(u, tau)"')
        length = model.replace("pin: {type: revolute, connect: [ground, rod.O]}", "held: {type: driver, of: rod.angle, value: a*t^2}")
        length = length.replace("motor: {type: driver, MOTOR}", 'string: {type: distance, connect: [ground.H, rod.O], length: '
                                '"hypot(1, 0.5) + a*smooth(u, tau)"}')
        for variant in (rated, filtered, length):
            for what in (("--of", "arm.x"), ("--integral", "arm.x*z + L*rod.omega^2")):
                self.agree_on(variant, what, wrt)
        for coordinates in ("angle", "euler-parameters"):
            self.agree_on(filtered, ("--of", "arm.x"), wrt, "--coordinates", coordinates)
        # the driver jumps with the state, and all velocities with it
        kicked = rated + 'events: {kick: {when: "rod.T.x - 0.96*L", direction: falling, set: {s: "-2*b*s"}}}\n'
        self.assertIn("that an event moves", ask("sensitivity", kicked, "--of", "arm.x", "--wrt", wrt, "--method", "adjoint", status=2))
        found = ask("sensitivity", kicked, "--of", "arm.x", "--wrt", wrt, *TIGHT)
        self.assertEqual(found["method"], "forward")
        self.like_runs(kicked, "arm.x", {"L": 1.1, "a": 0.5, "b": 0.2, "k": 0.7}, found["gradient"])

    def test_singular_positions(self):
        """Two equal rods pass a position in which they lie on one another. With another length they cannot: there is no derivative.
        Without forces a motion at another speed is the same one at another time: dx/dw = t/w dx/dt."""
        model = """
trammel: 1
space: planar
parameters: {L: 1, l: 1, w: 2}
simulate: {duration: 1.5}
bodies:
  crank: {mass: 1, inertia: L^2/12, position: [L/2*cos(pi/4), L/2*sin(pi/4)], angle: pi/4, angular-velocity: w, points: {A: [-L/2, 0], B: [L/2, 0]}}
  rod: {mass: 1, inertia: l^2/12, position: [3*L/2*cos(pi/4), L/2*sin(pi/4)], angle: -pi/4, points: {A: [-l/2, 0], B: [l/2, 0]}}
joints:
  A: {type: revolute, connect: [ground, crank.A]}
  B: {type: revolute, connect: [crank.B, rod.A]}
  slider: {type: point-on-line, connect: [ground, rod.B], axis: [1, 0]}
"""
        self.assertIn("singular", ask("sensitivity", model, "--of", "rod.B.x", "--wrt", "l", status=1))
        speed = ask("sensitivity", model, "--of", "rod.B.vx", "--wrt", "w")["value"]
        slope = ask("sensitivity", model, "--of", "rod.B.x", "--wrt", "w")["gradient"]["w"]
        self.assertLessEqual(abs(slope - 1.5 / 2 * speed), 1e-6 * abs(speed))

    def slopes(self, function, values):
        """Of a closed form, by differences of order six."""
        return {p: sum(w * (function(**{**values, p: x * (1 + k * 1e-3)}) - function(**{**values, p: x * (1 - k * 1e-3)}))
                       for k, w in ((1, 45), (2, -9), (3, 1))) / (60e-3 * x) for p, x in values.items()}

    def test_force_that_jumps(self):
        """A force that changes at a place: the time of that moves with the parameters, and derivatives jump there."""
        model = """
trammel: 1
space: planar
parameters: {F: 3, m: 2, x1: 1, c: 0.4}
simulate: {duration: 3}
bodies:
  cart: {mass: m, inertia: 1}
forces:
  motor: {type: force, point: cart, value: ["if(cart.x < x1, F, c)", 0]}
"""
        def way(F, m, x1, c):
            t1 = (2 * x1 * m / F) ** 0.5
            s = 3 - t1
            return t1, s, F / m * t1, x1 + F / m * t1 * s + c * s * s / (2 * m)

        def area(F, m, x1, c):
            t1, s, v1, _ = way(F, m, x1, c)
            return F / m * t1 ** 3 / 6 + x1 * s + v1 * s * s / 2 + c * s ** 3 / (6 * m)

        values = {"F": 3, "m": 2, "x1": 1, "c": 0.4}
        self.close_by_both(model, ("--of", "cart.x"), "F,m,x1,c", way(**values)[3], self.slopes(lambda **p: way(**p)[3], values))
        self.close_by_both(model, ("--integral", "cart.x"), "F,m,x1,c", area(**values), self.slopes(area, values))

    def test_one_sided_spring(self):
        """A ball falls onto a spring that only pushes, and flies off again: the force bends, derivatives do not jump, but the places of both bends
        must be met. Up to contact and behind it a parabola, between a half wave and a little more."""
        model = """
trammel: 1
space: planar
gravity: [0, -g]
parameters: {g: 9.81, h: 1.2, k: 500, m: 0.8, y0: 0.3}
simulate: {duration: 1.1}
bodies:
  ball: {mass: m, inertia: 1, position: [0, h]}
variables:
  depth: "y0 - ball.y"
forces:
  floor: {type: force, point: ball, value: [0, "FORCE"]}
"""
        def end(g, h, k, m, y0):
            fall, w = (2 * (h - y0) / g) ** 0.5, (k / m) ** 0.5
            speed = g * fall
            contact = 2 * (math.pi - math.atan2(speed / w, g / w ** 2)) / w
            s = 1.1 - fall - contact
            return y0 + speed * s - g * s * s / 2

        values = {"g": 9.81, "h": 1.2, "k": 500, "m": 0.8, "y0": 0.3}
        expected = self.slopes(end, values)
        for force in ("k*max(0, depth)", "if(depth > 0, k*depth, 0)", "k*(abs(depth) + depth)/2", "k*depth*heaviside(depth)",
                      "k*depth*(1 + sign(depth))/2", "-k*min(0, -depth)"):
            for method in ("forward", "adjoint"):
                self.close(ask("sensitivity", model.replace("FORCE", force), "--of", "ball.y", "--wrt", "g,h,k,m,y0", "--method", method, *TIGHT),
                           end(**values), expected)

    def test_force_that_waits(self):
        """A floor that pushes a point of a rod, which is nowhere near it at the start: where the point is hangs on parameters all the same."""
        model = """
trammel: 1
space: planar
gravity: [0, -9.81]
parameters: {L: 1, k: 300, y0: -0.4, m: 1, e: 0.05}
simulate: {duration: 1.2}
bodies: {rod: {mass: m, inertia: m/12, position: [0.5, 0], points: {O: [-0.5, 0], T: [L/2, e]}}}
joints: {pin: {type: revolute, connect: [ground, rod.O]}}
forces: {floor: {type: force, point: rod.T, value: [0, "k*max(0, y0 - rod.y)"]}}
outputs: [rod.omega]
"""
        found = ask("sensitivity", model, "--of", "rod.omega", "--wrt", "L,k,m,e", "--method", "adjoint", *TIGHT)["gradient"]
        self.like_runs(model, "rod.omega", {"L": 1, "k": 300, "e": 0.05}, found)
        self.agree_on(model, ("--of", "rod.omega"), "L,k,m,e,y0")

    def test_masses_in_points(self):
        """Rotations without inertia, in the plane and in space, also of a rod about itself."""
        plane = """
trammel: 1
space: planar
gravity: [0, -9.81]
parameters: {m: 1.5, n: 0.7, l: 1, r: 0.6, k: 3}
simulate: {duration: 1.3}
bodies:
  one: {mass: m, inertia: 0, position: [l, 0], points: {A: [-l, 0]}}
  two: {mass: n, inertia: 0, position: [l, -r], points: {A: [0, r]}}
joints: {a: {type: revolute, connect: [ground, one.A]}, b: {type: revolute, connect: [one, two.A]}}
forces: {s: {type: torsion-spring-damper, connect: [one, two], stiffness: k, damping: 0.1}}
outputs: [two]
"""
        space = """
trammel: 1
space: spatial
gravity: [0, 0, -9.81]
parameters: {m: 0.4, l: 0.8, b: 0.3, k: 40}
simulate: {duration: 0.6}
bodies:
  rod: {mass: b, inertia: [0, b*l^2/12, b*l^2/12], position: [l/2, 0, 0], points: {E: [-l/2, 0, 0], F: [l/2, 0, 0]}, angular-velocity: [1, 0.5, 2]}
  bob: {mass: m, inertia: [0, 0, 0], position: [l, 0, -0.5]}
joints: {e: {type: spherical, connect: [ground, rod.E]}}
forces: {s: {type: spring-damper, connect: [rod.F, bob], stiffness: k, damping: 0.5, length: l/2}}
outputs: [bob]
"""
        for model, measure, values, formulations in ((plane, "two.x", {"m": 1.5, "l": 1, "r": 0.6, "k": 3}, PLANAR), (space, "bob.y", {"m": 0.4, "l": 0.8, "b": 0.3}, SPATIAL)):
            for coordinates in formulations:
                options = ("--of", measure, "--wrt", ",".join(values), "--coordinates", coordinates)
                found = ask("sensitivity", model, *options, "--method", "adjoint", *TIGHT)
                self.agree(ask("sensitivity", model, *options, "--method", "forward", *TIGHT), found)
            self.like_runs(model, measure, values, found["gradient"])

    def test_laws_in_pieces(self):
        """A rod that is turned from one time to another, a pendulum on it: the accelerations jump, and the times of that move. Against differences of
        order six of whole runs. A law whose rate jumps is a blow, which the forward method knows."""
        model = """
trammel: 1
space: planar
parameters: {L: 1.1, t0: 0.3, t1: 1.2, h: 0.9, m: 2, b: 0.2}
gravity: [0, -9.81]
simulate: {duration: 2}
bodies:
  rod: {mass: m, inertia: m*L^2/12, position: [L/2, 0], points: {O: [-L/2, 0], T: [L/2, 0]}}
  arm: {mass: 1, inertia: 0.1, position: [L, -0.3], points: {T: [0, 0.3]}}
joints:
  pin: {type: revolute, connect: [ground, rod.O]}
  tip: {type: revolute, connect: [rod.T, arm.T]}
  motor: {type: driver, of: pin, value: "step(t, t0, 0, t1, h)"}
forces:
  drag: {type: actuator, of: tip, value: "-b*arm.omega"}
"""
        values = {"L": 1.1, "t0": 0.3, "t1": 1.2, "h": 0.9, "m": 2, "b": 0.2}
        wrt = ",".join(values)
        found = ask("sensitivity", model, "--of", "arm.x", "--wrt", wrt, "--method", "forward", *TIGHT)["gradient"]
        self.like_runs(model, "arm.x", {name: values[name] for name in ("t0", "t1", "h")}, found)
        # it turns by h, whenever that is; behind t1 the adjoint of positions is nothing but round-off
        self.close_by_both(model, ("--integral", "rod.omega"), wrt, 0.9, {p: p == "h" for p in values})
        for what in (("--of", "arm.x"), ("--integral", "arm.x*rod.omega"), ("--integral", "arm.omega^2")):
            self.agree_on(model, what, wrt)
        rated = model.replace('of: pin, value: "step(t, t0, 0, t1, h)"', 'of: pin.rate, rate: "if(t < t0, 0, h*(t - t0))"')
        self.agree_on(rated, ("--of", "arm.x"), wrt)
        # velocities jump, too
        blow = model.replace("step(t, t0, 0, t1, h)", "h*max(0, t - t0)")
        self.assertIn("a blow", ask("sensitivity", blow, "--of", "arm.x", "--wrt", wrt, "--method", "adjoint", status=1))
        found = ask("sensitivity", blow, "--of", "arm.x", "--wrt", wrt, *TIGHT)
        self.assertEqual(found["method"], "forward")
        self.like_runs(blow, "arm.x", {name: values[name] for name in ("t0", "h", "L")}, found["gradient"])

    def test_tables_of_straight_pieces(self):
        """A spring along a bent line, and a measured input, straight between its rows: bends by both, and against whole runs."""
        model = """
trammel: 1
space: planar
parameters: {m: 2, k: 30, c: 0.7, x0: 0.1, s: 1.5}
simulate: {duration: 2}
bodies:
  cart: {mass: m, inertia: 1, position: [x0, 0]}
joints:
  rail: {type: prismatic, connect: [ground, cart], axis: [1, 0], at: [0, 0]}
inputs:
  u: 'table(t, POINTS, "linear", "hold")'
forces:
  spring: {type: actuator, of: rail, value: '-k*table(cart.x*s, -1, -1.4, -0.2, -0.2, 0.1, 0.1, 0.3, 0.5, "linear", "extend") - c*rail.speed + u'}
"""
        model = model.replace("POINTS", ", ".join(f"{0.05 * i:.2f}, {8 * math.sin(0.15 * i) + i % 3:.6f}" for i in range(35)))
        values = {"m": 2, "k": 30, "s": 1.5}
        found = ask("sensitivity", model, "--of", "cart.x", "--wrt", "m,k,c,x0,s", "--method", "forward", *TIGHT)["gradient"]
        self.like_runs(model, "cart.x", values, found)
        for what in (("--of", "cart.x"), ("--integral", "cart.x^2 + u*cart.vx")):
            self.agree_on(model, what, "m,k,c,x0,s")

    def test_dry_friction(self):
        """A pendulum that swings against dry friction, which jumps whenever it turns round: against differences of order six of whole runs."""
        model = PENDULUM.replace("-c*rod.omega", "-c*sign(rod.omega)")

        found = ask("sensitivity", model, "--of", "rod.angle", "--wrt", "L,c,th0", "--method", "forward", *TIGHT)["gradient"]
        self.agree_on(model, ("--of", "rod.angle"), "L,c,th0")
        self.like_runs(model, "rod.angle", {"L": 1.1, "c": 0.2, "th0": 1.2}, found)

    def test_staircases(self):
        """Forces that jump at n p, of floor(t/p) and mod(t, p) = t − p floor(t/p): x = F/m Σ (T − n p)²/2 of the first, F/m T³/6 − p times that of the
        second."""
        model = """
trammel: 1
space: planar
parameters: {F: 3, m: 2, p: 0.7}
simulate: {duration: 3}
bodies:
  cart: {mass: m, inertia: 1}
forces:
  motor: {type: force, point: cart, value: ["FORCE", 0]}
"""
        def stairs(F, m, p):
            return F / m * sum((3 - n * p) ** 2 / 2 for n in range(1, 5))

        def teeth(F, m, p):
            return F / m * 4.5 - p * stairs(F, m, p)

        values = {"F": 3, "m": 2, "p": 0.7}
        for force, end in (("F*floor(t/p)", stairs), ("F*mod(t, p)", teeth), ("F*round(t/p - 1/2)", stairs)):
            self.close_by_both(model.replace("FORCE", force), ("--of", "cart.x"), "F,m,p", end(**values), self.slopes(end, values))

    def test_switching_for_ever(self):
        """A block that dry friction brings to rest."""
        model = """
trammel: 1
space: planar
parameters: {mu: 0.3, v0: 1}
simulate: {duration: 3}
bodies:
  block: {mass: 1, inertia: 1, velocity: [v0, 0]}
forces:
  friction: {type: force, point: block, value: ["-mu*9.81*sign(block.vx)", 0]}
"""
        self.assertIn("'friction' drives the motion back", ask("sensitivity", model, "--of", "block.x", "--wrt", "mu", "--method", "forward", status=1))

    def test_what_is_wrong(self):
        self.assertIn("is of something", ask("sensitivity", PENDULUM, "--wrt", "L", status=2))
        self.assertIn("name one", ask("sensitivity", PENDULUM, "--of", "rod.x", status=2))
        self.assertIn("did you mean 'th0'", ask("sensitivity", PENDULUM, "--of", "rod.x", "--wrt", "th", status=2))
        self.assertIn("'rod.nose' is no measure", ask("sensitivity", PENDULUM, "--of", "rod.nose", "--wrt", "L", status=2))
        self.assertIn("no number to differentiate by", ask("sensitivity", ROOT / "models/chain.yaml", "--of", "t", "--wrt", "N", status=3))
        self.assertIn("duration", ask("sensitivity", PENDULUM.replace("duration: 3", "duration: 3*L"), "--of", "rod.x", "--wrt", "L", status=2))


if __name__ == "__main__":
    unittest.main()
