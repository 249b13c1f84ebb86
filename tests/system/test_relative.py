"""Coordinates of joints give the motion, reactions and energies that coordinates of bodies give: trees of all joints, and loops."""
import json
import math
import random
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from extremes import largest
from program import PROGRAM, Run

MODELS = Path(__file__).parents[2] / "models"
TYPES = ("revolute", "prismatic", "cylindrical", "screw", "universal", "spherical", "planar", "rigid", "free")
LOOP = """
trammel: 1
name: loop
space: spatial
gravity: [0, 0, -9.81]
bodies:
  left: {mass: 1, inertia: [0.1, 0.1, 0.02], position: [0, 0, -0.5]}
  right: {mass: 2, inertia: [0.2, 0.2, 0.03], position: [1, 0.2, -0.5]}
  rod: {mass: 0.3, inertia: [0.01, 0.025, 0.026], position: [0.5, 0.1, -1]}
joints:
  l: {type: revolute, connect: [ground, left], at: [0, 0, 0], axis: y}
  r: {type: universal, connect: [ground, right], at: [1, 0.2, 0], axes: [x, y]}
  a: {type: spherical, connect: [left, rod], at: [0, 0, -1]}
  b: {type: spherical, connect: [rod, right], at: [1, 0.2, -1]}
initial: {l.rate: 1}
"""
# nothing moves what `none` is over: its row in the coordinates of the joints is all round-off
WELDED = """
trammel: 1
space: spatial
gravity: [0, 0, -9.81]
bodies:
  arm: {mass: 1, inertia: [0.2, 0.3, 0.3], com: [-0.16, 0, 0.08], position: [-0.34, -0.01, -0.86], orientation: {quaternion: [1.2, 0.97, -0.35, 0.83]}}
  tool: {mass: 1, inertia: [0.1, 0.1, 0.1], com: [-0.12, 0.1, -0.1], position: [-0.51, -0.53, -0.26], orientation: {quaternion: [1.2, 0.82, 0.9, -0.94]}}
joints:
  hinge: {type: revolute, connect: [arm, ground], at: [-0.64, -0.86, 0.92], axis: [-0.21, 0.97, 0.15]}
  second: JOINT
  none: NONE
simulate: {duration: 0.1}
"""
ENTIRELY_REDUNDANT = (
    ("{type: rigid, connect: [arm, tool]}", "{type: distance, connect: [arm, tool]}"),
    ("{type: revolute, connect: [arm, tool], at: [0.2, 0.3, 0.1], axis: [1, 2, 3]}",  # from a point on the axis to another one
     "{type: distance, connect: [arm, tool], at: [[0.2, 0.3, 0.1], [1.2, 2.3, 3.1]]}"),
)
FREE = """
trammel: 1
space: spatial
bodies: {b: {mass: 1, inertia: [0.1, 0.2, 0.25], angular-velocity: [1, 2, 3]}}
"""
TIGHT = ("--integrator", "dop853", "--rtol", "1e-11", "--atol", "1e-12")


def unit(x):
    size = math.sqrt(sum(a * a for a in x))
    return [a / size for a in x]


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def carried(quaternion, v):
    """A global vector in the frame of a body with this orientation."""
    w, *e = unit(quaternion)
    once = cross(v, e)  # the inverse turns about −e
    twice = cross(once, e)
    return [a + 2 * w * b + 2 * c for a, b, c in zip(v, once, twice)]


def chain(bodies):
    """Of hinges, each across the one before."""
    lines = [f"  b{i}: {{mass: 1, inertia: [0.02, 0.1, 0.1], position: [{i + 0.5}, 0, 0]}}" for i in range(bodies)]
    joints = [f"  j{i}: {{type: revolute, connect: [{f'b{i - 1}' if i else 'ground'}, b{i}], at: [{i}, 0, 0], axis: {'yz'[i % 2]}}}"
              for i in range(bodies)]
    return "\n".join(["trammel: 1", "space: spatial", "gravity: [0, 0, -9.81]", "bodies:", *lines, "joints:", *joints, ""])


def tree(seed, bodies=7):
    """A random tree; each type of joint comes first in one of the seeds. Bodies hang on others by either side."""
    rng = random.Random(seed)
    vector = lambda size=1: [round(rng.uniform(-size, size), 3) for _ in range(3)]
    lines, joints, forces, turned = [], [], [], {"ground": [1, 0, 0, 0]}
    for i in range(bodies):
        a, b, c = (rng.uniform(0.1, 0.4) for _ in range(3))  # second moments: any are those of a body
        turned[f"b{i}"] = [1.2] + vector()
        lines.append(f"  b{i}: {{mass: {rng.uniform(0.5, 2):.3f}, inertia: [{b + c:.4f}, {a + c:.4f}, {a + b:.4f}], com: {vector(0.2)}, "
                     f"position: {vector()}, orientation: {{quaternion: {turned[f'b{i}']}}}, angular-velocity: {vector(0.5)}}}")
        kind = TYPES[seed % len(TYPES)] if i == 0 else rng.choice(TYPES[:-1])
        if kind == "free":
            continue
        other = "ground" if i == 0 else f"b{rng.randrange(i)}"
        pair = [other, f"b{i}"] if rng.random() < 0.5 else [f"b{i}", other]
        axis = unit(vector())
        more = ", pitch: 0.3" if kind == "screw" else ""
        direction = f", axis: {axis}"
        if kind == "universal":
            both = (axis, unit(cross(axis, vector())))
            direction = f", axes: [{', '.join(str(carried(turned[b], n)) for b, n in zip(pair, both))}]"
        if kind in ("spherical", "rigid"):
            direction = ""
        joints.append(f"  j{i}: {{type: {kind}, connect: [{pair[0]}, {pair[1]}], at: {vector()}{direction}{more}}}")
        if kind in ("revolute", "prismatic"):
            forces.append(f"  a{i}: {{type: actuator, of: j{i}, value: 'sin(3*t)'}}")
    forces.append(f"  s: {{type: spring-damper, connect: [b0, b{bodies - 1}], stiffness: 3, damping: 0.2}}")
    text = "\n".join(["trammel: 1", f"name: tree {seed}", "space: spatial", "gravity: [0, 0, -9.81]", "bodies:", *lines])
    return text + ("\njoints:\n" + "\n".join(joints) if joints else "") + "\nforces:\n" + "\n".join(forces) + "\n"


class Relative(unittest.TestCase):
    def same(self, model, at_start, later, *options):
        """All columns of two formulations, as parts of the largest of their kind."""
        runs = [Run(model, "--coordinates", c, "--stepping", "variable", *TIGHT, *options) for c in ("natural", "relative")]
        self.assertEqual(list(runs[0].columns), list(runs[1].columns))
        for name in runs[0].columns:
            pairs = list(zip(runs[0][name], runs[1][name]))
            size = 1 + max(abs(x) for x, _ in pairs)
            for k, (x, y) in enumerate(pairs):
                limit = size * (at_start if k == 0 else later)
                self.assertTrue(abs(x - y) <= limit, f"{name}, row {k}: {x!r} and {y!r}")
        return runs

    def test_trees(self):
        for seed in range(len(TYPES)):
            with self.subTest(seed=seed):
                natural, relative = self.same(tree(seed), 1e-9, 1e-6, "--duration", 0.2, "--output-step", 0.05)
                self.assertLess(largest(map(abs, relative["energy.error"])), 1e-7)

    def test_loops(self):
        for name in ("spatial_slider_crank", "rolling_disc", "turntable_free"):
            with self.subTest(model=name):
                self.same(MODELS / f"{name}.yaml", 1e-9, 1e-6, "--duration", 0.5, "--output-step", 0.1)

    def test_loop_on_a_tree(self):
        """A rod of two balls closes a loop between two arms: it is free to spin, and the arms are not."""
        runs = self.same(LOOP, 1e-9, 1e-6, "--duration", 1, "--output-step", 0.1)
        self.assertLess(max(runs[1]["constraint.position"]), 1e-12)

    def test_points(self):
        """Point masses on balls: spins without inertia stand anyhow to the axes, and are told from round-off all the same."""
        model = """
trammel: 1
name: points
space: spatial
gravity: [0, 0, -9.81]
bodies:
  a: {mass: 1.1, inertia: [0, 0, 0], position: [0.2, 0.1, 0.4]}
  b: {mass: 0.6, inertia: [0, 0, 0], position: [0.1, 0.5, 0.1]}
  c: {mass: 2.2, inertia: [0, 0, 0], position: [0.3, 0.7, 0.8]}
joints:
  A: {type: spherical, connect: [ground, a], at: [0, 0, 0]}
  B: {type: spherical, connect: [a, b], at: [0.2, 0.1, 0.4]}
  C: {type: spherical, connect: [b, c], at: [0.1, 0.5, 0.1]}
outputs: [a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z, energy.error]
"""
        runs = self.same(model, 1e-9, 1e-6, "--duration", 1, "--output-step", 0.1)
        self.assertLess(runs[1].summary["steps"], 500)

    def test_driven(self):
        """Drivers are constraints beside the tree: their efforts and their work."""
        model = tree(0).replace("forces:", "  d: {type: driver, of: j0.angle, value: '0.3*sin(2*t)'}\nforces:").replace(
            "  a0: {type: actuator, of: j0, value: 'sin(3*t)'}\n", "")
        self.same(model, 1e-8, 1e-6, "--duration", 0.2, "--output-step", 0.05)

    def test_states(self):
        """Formulas are of the motion of their own stage: of a state where no force is, and of a force beside a driver by a state."""
        pendulum = """
trammel: 1
space: spatial
gravity: [0, 0, -9.81]
bodies:
  rod: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [1, 0, 0]}
  weight: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [1.5, 0, 0]}
joints:
  hinge: {type: revolute, connect: [ground, rod], at: [0, 0, 0], axis: y}
  slide: {type: prismatic, connect: [rod, weight], at: [1, 0, 0], axis: x}
states: {z: {initial: 0, rate: rod.z}}
"""
        driven = pendulum.replace("states:", "  drive: {type: driver, of: slide, value: 0.3*follow}\nvariables: {follow: 'smooth(sin(3*t), 0.2)'}\n"
                                  "forces: {push: {type: force, point: weight, value: [0, 0, '-20*rod.z']}}\nstates:")
        for model in (pendulum, driven):
            self.same(model + "outputs: [z, rod, weight, energy]\n", 1e-12, 1e-10, "--duration", 0.5, "--output-step", 0.1)

    def test_fixed_steps(self):
        """rk4, ab6 and Baumgarte: the same motion within their own errors."""
        model = tree(5)
        exact = Run(model, "--coordinates", "natural", *TIGHT, "--stepping", "variable", "--duration", 0.1, "--output-step", 0.1)
        for options in (("--integrator", "rk4"), ("--integrator", "rk6"), ("--integrator", "ab6"),
                        ("--integrator", "rk4", "--stabilization", "baumgarte")):
            run = Run(model, "--coordinates", "relative", *options, "--step", 1e-3, "--stepping", "fixed", "--duration", 0.1,
                      "--output-step", 0.1)
            for name in exact.columns:
                size = 1 + abs(exact.last(name))
                self.assertTrue(abs(run.last(name) - exact.last(name)) < 1e-6 * size, f"{options}, {name}")

    def test_implicit(self):
        """Exact tangents: every implicit method gives the motion of the other formulation, within its own error."""
        for model in (tree(1), tree(5), tree(8), LOOP):
            exact = Run(model, "--coordinates", "natural", *TIGHT, "--stepping", "variable", "--duration", 0.1, "--output-step", 0.1)
            for method, options, limit in (("radau5", ("--rtol", 1e-10, "--atol", 1e-12), 1e-6),
                                           ("bdf", ("--rtol", 1e-9, "--atol", 1e-11), 1e-4),
                                           ("adams", ("--rtol", 1e-9, "--atol", 1e-11), 1e-4),
                                           ("ida", ("--rtol", 1e-9, "--atol", 1e-11), 1e-4),
                                           ("trapezoidal", ("--stepping", "fixed", "--step", 1e-4), 1e-4),
                                           ("generalized-alpha", ("--stepping", "fixed", "--step", 1e-4), 1e-4)):
                run = Run(model, "--coordinates", "relative", "--integrator", method, *options, "--duration", 0.1, "--output-step", 0.1)
                for name in exact.columns:
                    size = 1 + abs(exact.last(name))
                    self.assertTrue(abs(run.last(name) - exact.last(name)) < limit * size, f"{method}, {name}: {run.last(name)!r}")

    def test_stiff(self):
        """`auto` goes over to radau5 in the coordinates of the joints."""
        model = tree(0).replace("stiffness: 3, damping: 0.2", "stiffness: 3, damping: 3e5")
        options = ("--duration", 0.5, "--output-step", 0.1)
        exact = Run(model, "--coordinates", "natural", "--integrator", "radau5", "--rtol", 1e-11, "--atol", 1e-13, *options)
        run = Run(model, "--coordinates", "relative", *options)
        self.assertGreater(run.summary["stiff_steps"], 0)
        self.assertLess(run.summary["steps"], 1000)
        for name in exact.columns:
            self.assertTrue(abs(run.last(name) - exact.last(name)) < 1e-6 * (1 + abs(exact.last(name))), name)

    def test_linear(self):
        """The linear model about a state is the one of the other formulation; that of a moment, too. The disc rolls in a circle
        unless it nods: about a steady motion A is that of the frame."""
        for name, options in (("flyball_governor", ()), ("heavy_top", ()), ("gyroscope", ()), ("turntable_free", ()),
                              ("rolling_disc", ("--set", "nod=0.3")), ("rolling_disc", ())):
            found = []
            for coordinates in ("natural", "relative"):
                with tempfile.TemporaryDirectory() as folder:
                    subprocess.run([PROGRAM, "linearize", MODELS / f"{name}.yaml", "--coordinates", coordinates, "-o", folder, *options],
                                          check=True, capture_output=True, timeout=60)
                    found.append(json.loads((Path(folder) / "linear.json").read_text()))
            self.assertEqual(found[0]["steady"], found[1]["steady"])
            self.assertEqual(found[0]["states"], found[1]["states"])
            for x, y in zip(sum(found[0]["A"], []), sum(found[1]["A"], [])):
                self.assertTrue(abs(x - y) < 1e-8 * (1 + abs(x)), f"{name}: {x!r} and {y!r}")

    def test_modes(self):
        """Frequencies at an equilibrium, found in each formulation."""
        found = []
        for coordinates in ("natural", "relative"):
            with tempfile.TemporaryDirectory() as folder:
                model = Path(folder) / "model.yaml"
                model.write_text(LOOP)
                done = subprocess.run([PROGRAM, "modes", model, "--at", "equilibrium", "--coordinates", coordinates, "--json", "-o", folder],
                                      capture_output=True, text=True, timeout=60)
                self.assertEqual(done.returncode, 0, done.stderr)
                found.append(sorted(m["frequency"] for m in json.loads(done.stdout)["modes"]))
        self.assertEqual(len(found[0]), len(found[1]))
        self.assertGreater(max(found[0]), 0.1)
        for x, y in zip(*found):
            self.assertTrue(abs(x - y) < 1e-7 * (1 + x), f"{x!r} and {y!r}")

    def test_default(self):
        """Trees in space run in the coordinates of their joints where that is faster, and all else in those of the bodies."""
        arm = tree(0, 4).split("forces:")[0]
        cases = [(MODELS / "gyroscope.yaml", (), "relative"), (MODELS / "flyball_governor.yaml", (), "relative"),
                 (arm, (), "relative"), (arm, ("--integrator", "rk4"), "relative"), (arm, ("--integrator", "radau5"), "natural"),
                 (arm, ("--solver", "augmented"), "natural"), (arm, ("--stabilization", "partition"), "natural"),
                 (arm, ("--energy", "conserve"), "natural"), (arm, ("--weighting", "none"), "natural"),
                 (arm, ("--coordinates", "natural"), "natural"), (MODELS / "heavy_top.yaml", (), "relative"),
                 (chain(300), (), "natural"), (chain(300), ("--integrator", "rk4"), "relative"), (FREE, (), "natural"),
                 (MODELS / "spatial_slider_crank.yaml", (), "natural"), (MODELS / "bricard.yaml", (), "natural"),
                 (MODELS / "four_bar.yaml", (), "natural")]
        for model, options, coordinates in cases:
            run = Run(model, "--duration", 0.01, *options)
            self.assertEqual(run.summary["coordinates"], coordinates, f"{model}, {options}")

    def test_names(self):
        """What is doubtful or fails is named, also a body that is fixed to another one, a ball and a shaft."""
        fixed = """
trammel: 1
space: spatial
gravity: [0, 0, -9.81]
bodies:
  arm: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [1, 0, 0]}
  tool: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [1.5, 0, 0]}
joints:
  hinge: {type: revolute, connect: [ground, arm], at: [0, 0, 0], axis: y}
  weld: {type: rigid, connect: [arm, tool]}
"""
        run = Run(fixed, "--integrator", "euler", "--step", 0.05, "--duration", 2, status=1, estimate=True)
        self.assertEqual(run.summary["coordinates"], "relative")
        self.assertRegex(run.summary["message"], r"estimated error of (arm|tool)\.\S+ is .* by the motion of body 'arm'")
        ball = """
trammel: 1
space: spatial
bodies: {top: {mass: 1, inertia: [0.2, 0.3, 0.4], angular-velocity: [1, 2, 3]}}
joints: {pivot: {type: spherical, connect: [ground, top]}}
"""
        run = Run(ball, "--coordinates", "relative", "--integrator", "euler", "--step", 0.5, "--stabilization", "none",
                  "--duration", 5, status=1)
        self.assertIn("body 'top' is open by", run.summary["message"])
        shaft = """
trammel: 1
space: spatial
bodies: {a: {mass: 1, inertia: [1, 1, 1]}}
joints: {still: {type: revolute, connect: [ground, a], axis: z}}
shafts: {rotor: {inertia: 1, initial-rate: 1}}
forces: {push: {type: actuator, of: rotor, value: -9*rotor.angle}}
"""
        run = Run(shaft, "--coordinates", "relative", "--integrator", "euler", "--step", 0.05, "--duration", 3, status=1, estimate=True)
        self.assertRegex(run.summary["message"], r"estimated error of rotor\.angle is .* by the motion of shaft 'rotor'")

    def test_turns(self):
        """Wheels on wheels, whichever side is written first and wherever axes point: many turns a step are counted."""
        sides = (("ground, w0", "[z, z]"), ("w1, w0", "[z, z]"), ("w1, w2", "[z, [0, 0, -1]]"), ("w3, w2", "[z, [0, 0, -1]]"))
        model = "trammel: 1\nname: wheels\nspace: spatial\nbodies:\n"
        model += "".join(f"  w{i}: {{mass: 1, inertia: [{1 + i}, {1 + i}, {1 + i}]}}\n" for i in range(4))
        model += "joints:\n" + "".join(f"  j{i}: {{type: revolute, connect: [{pair}], at: [0, 0, 0], axes: {axes}}}\n"
                                       for i, (pair, axes) in enumerate(sides))
        model += "forces:\n" + "".join(f"  f{i}: {{type: torque, body: w{i}, value: [0, 0, '{(1 + i) * a}*cos(t)']}}\n"
                                       for i, a in enumerate((90, -40, 60, 20)))
        model += "outputs: [j0.angle, j1.angle, j2.angle, j3.angle]\n"
        run = Run(model, "--coordinates", "relative", "--duration", 12, "--output-step", 0.5, *TIGHT)
        for t, *angles in zip(*(run.columns[name] for name in ("t", "j0.angle", "j1.angle", "j2.angle", "j3.angle"))):
            turned = [a * (1 - math.cos(t)) for a in (90, -40, 60, 20)]
            expected = (turned[0], turned[0] - turned[1], turned[2] - turned[1], turned[2] - turned[3])
            for found, angle in zip(angles, expected):
                self.assertLess(abs(found - angle), 1e-6, f"t = {t}")

    def test_formulas_of_turns(self):
        """Angles over whole turns, and the sign of a quaternion, where only a formula among the outputs asks for them."""
        model = """
trammel: 1
space: spatial
bodies: {wheel: {mass: 1, inertia: [1, 1, 2]}}
joints: {axle: {type: revolute, connect: [ground, wheel], axis: z}}
initial: {axle.rate: 5}
outputs: [{turned: "2*wheel.yaw"}, {half: "3*wheel.qw"}]
"""
        for coordinates in ("relative", "natural", "euler-parameters"):
            run = Run(model, "--coordinates", coordinates, "--duration", 7, "--output-step", 0.25, *TIGHT)
            for t, turned, half in zip(*(run.columns[name] for name in ("t", "turned", "half"))):
                self.assertLess(abs(turned - 10 * t), 1e-8, f"{coordinates}, t = {t}")
                self.assertLess(abs(half - 3 * math.cos(2.5 * t)), 1e-8, f"{coordinates}, t = {t}")

    def test_repeats(self):
        """The default's runs are the same to the last bit, and those of `relative`."""
        model = tree(3)
        first, second, third = (Run(model, "--duration", 0.3, *more) for more in ((), (), ("--coordinates", "relative")))
        self.assertEqual(first.summary["coordinates"], "relative")
        self.assertEqual(first.columns, second.columns)
        self.assertEqual(first.columns, third.columns)

    def test_refusals(self):
        cases = [("four_bar", (), "are for models in space"),
                 ("heavy_top", ("--solver", "augmented"), "solver must be auto or udwadia-kalaba"),
                 ("heavy_top", ("--energy", "conserve"), "energy must be free"),
                 ("heavy_top", ("--stabilization", "partition"), "stabilization must be direct"),
                 ("heavy_top", ("--integrator", "three-field"), "the momenta of three-field are those of bodies"),
                 ("bricard", (), "is redundant: take natural")]
        for name, options, words in cases:
            run = Run(MODELS / f"{name}.yaml", "--coordinates", "relative", "--duration", 0.1, *options, status=2)
            self.assertIn(words, run.error)
        for joint, none in ENTIRELY_REDUNDANT:
            run = Run(WELDED.replace("JOINT", joint).replace("NONE", none), "--coordinates", "relative", status=2)
            self.assertIn("joint 'none' is redundant", run.error)


if __name__ == "__main__":
    unittest.main()
