"""trammel compare --methods: methods on several models without an outlier, and outliers where there are some."""
import json
import os
import re
import signal
import subprocess
import sys
import time
import unittest

from test_cli import ENDLESS, MODELS, PROGRAM, ROD, CliTest, terminal
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from extremes import largest

COORDINATES = ["natural", "angle", "euler-parameters", "cartesian"]
SOLVERS = ["udwadia-kalaba", "udwadia-kalaba-general", "augmented"]
EXACT = ["direct", "partition"]
STABILIZATIONS = [*EXACT, "embedded", "baumgarte", "none"]
RUNS = len(COORDINATES) * len(SOLVERS) * len(EXACT)

# three parallel bars on one coupler: one of the constraints is redundant
PARALLELOGRAM = """trammel: 1
name: Parallelogram of three posts
space: planar
gravity: [0, -9.81]
parameters: {X: 0}
ground: {points: {A: [X, 0], B: [X + 1, 0], C: [X + 2, 0]}}
bodies:
  a: {mass: 1, inertia: 0.08, position: [X, 0.5], angle: pi/2, points: {low: [-0.5, 0], top: [0.5, 0]}}
  b: {mass: 1, inertia: 0.08, position: [X + 1, 0.5], angle: pi/2, points: {low: [-0.5, 0], top: [0.5, 0]}}
  c: {mass: 1, inertia: 0.08, position: [X + 2, 0.5], angle: pi/2, points: {low: [-0.5, 0], top: [0.5, 0]}}
  bar: {mass: 2, inertia: 0.7, position: [X + 1, 1], points: {A: [-1, 0], B: [0, 0], C: [1, 0]}}
joints:
  A: {type: revolute, connect: [ground.A, a.low]}
  B: {type: revolute, connect: [ground.B, b.low]}
  C: {type: revolute, connect: [ground.C, c.low]}
  P: {type: revolute, connect: [a.top, bar.A]}
  Q: {type: revolute, connect: [b.top, bar.B]}
  R: {type: revolute, connect: [c.top, bar.C]}
initial: {a.omega: -2}
simulate: {duration: 0.2, step: 1e-3, output-step: 1e-2}
"""

# two heavy rods released upright: after some seconds round-off decides
CHAOS = """trammel: 1
name: Double pendulum
space: planar
gravity: [0, -9.81]
ground: {points: {O: [0, 0]}}
bodies:
  upper: {mass: 1, inertia: 0.1, position: [0, 0.5], angle: pi/2, points: {O: [-0.5, 0], P: [0.5, 0]}}
  lower: {mass: 1, inertia: 0.1, position: [0, 1.5], angle: pi/2, points: {P: [-0.5, 0]}}
joints:
  O: {type: revolute, connect: [ground.O, upper.O]}
  P: {type: revolute, connect: [upper.P, lower.P]}
initial: {upper.omega: 1}
simulate: {duration: 40, step: 1e-2, output-step: 0.1, integrator: rk4, tolerance: 1e-12}
"""


class MethodsTest(CliTest):
    def json(self, *words, status=0):
        return json.loads(self.expect(status, "compare", "--methods", *words, "--json").stdout)

    def check(self, model, *words):
        """No outlier, nothing lost, violations as the stabilization promises."""
        found = self.json(model, *words)
        self.assertEqual((found["outliers"], found["lost"], found["refused"], found["missing"]), (0, 0, 0, 0))
        self.assertGreater(len(found["columns"]), 3)
        for run in found["runs"]:
            self.assertIn(run["status"], ("completed", "same"))
            if run["stabilization"] in EXACT:
                self.assertLess(run["max_position_violation"], 1e-11)
        return found


class Models(MethodsTest):
    def test_every_combination(self):
        found = self.check(MODELS / "four_bar_diagonal_spring.yaml", "--integrator", "rk4", "--duration", "0.5", "--all")
        runs = [tuple(run[key] for key in ("coordinates", "solver", "stabilization")) for run in found["runs"]]
        self.assertEqual(runs[0], ("natural", "udwadia-kalaba", "direct"))
        self.assertEqual(sorted(runs), sorted((c, s, t) for c in COORDINATES for s in SOLVERS for t in STABILIZATIONS))
        self.assertIsNone(found["runs"][0]["difference"])
        for run in found["runs"][1:]:
            self.assertLess(run["difference"], 1e-3)
            if run["stabilization"] in EXACT:
                self.assertLess(run["difference"], 1e-9)
            self.assertGreater(run["icc"], 0.999999)
            self.assertGreater(run["steps"], 499)

    def test_every_integrator(self):
        found = self.check(MODELS / "pendulum.yaml", "--duration", "0.5", "--solver", "udwadia-kalaba", "--all")
        integrators = {run["integrator"] for run in found["runs"]}
        self.assertLessEqual({"euler", "rk4", "rk6", "ab2", "ab3", "ab4", "ab5", "ab6", "dopri5", "dop853", "three-field",
                              "generalized-alpha", "trapezoidal", "radau5", "adams", "bdf", "ida"}, integrators)
        self.assertEqual(found["runs"][0]["integrator"], "ab6")  # the model's own

    def test_representatives(self):
        """By default few: an explicit and an implicit integrator beside the model's own, what corrects to the tolerance."""
        found = self.check(MODELS / "four_bar.yaml", "--duration", "0.5", "--solver", "augmented")
        self.assertEqual({run["integrator"] for run in found["runs"]}, {"ab6", "dop853", "radau5"})
        self.assertEqual({run["stabilization"] for run in found["runs"]}, set(EXACT))
        self.assertEqual({run["coordinates"] for run in found["runs"]}, set(COORDINATES))
        self.assertEqual(len(found["runs"]), 3 * 2 * 4)

    def test_automatic(self):
        """What goes over to radau5 by itself is compared as that, and is not compared with dop853, which it is."""
        found = self.check(self.write("free.yaml", ROD.replace(" step: 1e-3,", "")), "--solver", "augmented")
        self.assertEqual({run["integrator"] for run in found["runs"]}, {"auto", "radau5"})

    def test_shipped_models(self):
        for name, integrator, duration in (("slider_crank", "ab4", 0.3), ("quick_return", "rk6", 0.1),
                                           ("peaucellier", "ab5", 0.1), ("double_inverted_pendulum", "ab6", 0.3),
                                           ("jansen", "dopri5", 0.05), ("andrews", "ab6", 3e-3),
                                           ("driven_four_bar", "ab3", 0.2), ("driven_quick_return", "rk4", 0.1),
                                           ("cam", "rk4", 0.1), ("gears", "ab3", 0.2), ("rolling_wheel", "ab2", 0.2)):
            with self.subTest(name):
                self.check(MODELS / f"{name}.yaml", "--integrator", integrator, "--duration", duration)

    def test_redundant_constraints(self):
        self.check(self.write("three.yaml", PARALLELOGRAM), "--integrator", "ab4")


class Outliers(MethodsTest):
    def test_chaos_loses_all(self):
        """Nobody can follow: that is no agreement."""
        path = self.write("chaos.yaml", CHAOS)
        found = self.json(path, "--stabilization", "direct", "--integrator", "rk4", status=1)
        self.assertGreater(found["outliers"], 5)
        self.check(path, "--stabilization", "direct", "--integrator", "rk4", "--duration", "1")

    def test_lost(self):
        """At 20 steps a turn Adams-Bashforth of second order loses the motion that the others follow."""
        path = self.write("rod.yaml", ROD + "initial: {rod.omega: 10}\n")
        words = (path, "--duration", "5", "--step", "0.02", "--output-step", "0.1", "--stabilization", "direct")
        found = self.json(*words, "--all")
        lost = {run["integrator"] for run in found["runs"] if run["mark"] == "lost"}
        self.assertIn("ab2", lost)
        self.assertNotIn("rk6", lost)
        self.assertEqual(found["outliers"], 0)
        self.assertIn(" lost", self.expect(0, "compare", "--methods", *words, "--all").stdout)

    def test_violation(self):
        """Far from the origin round-off keeps the loops from closing to 1e-12."""
        words = ("compare", "--methods", self.write("three.yaml", PARALLELOGRAM), "--tolerance", "1e-12",
                 "--integrator", "rk4", "--stabilization", "direct", "--solver", "augmented")
        self.expect(0, *words)
        done = self.expect(1, *words, "--set", "X=1e6")
        self.assertRegex(done.stdout, r"outlier: position violation \d\.\d+e-\d+, more than 1\.00e-11\n")
        self.assertRegex(done.stdout, r"threads?: [1-4] outliers?\n")

    def test_same(self):
        """Nothing to correct without constraints, nothing to solve with masses of one: every method computes the same."""
        words = (MODELS / "kepler.yaml", "--duration", "1", "--integrator", "rk4")
        found = self.json(*words)
        self.assertEqual([run["status"] for run in found["runs"]], ["completed"] + 5 * ["same"])
        self.assertEqual({run["mark"] for run in found["runs"]}, {None})
        self.assertEqual((found["same"], found["late"]), (5, 0))
        text = self.expect(0, "compare", "--methods", *words).stdout
        self.assertRegex(text, r"(?m)^own +udwadia-kalaba +partition +rk4 .*  same as with direct$")
        self.assertRegex(text, r"\n1 run, .* no outlier; not counted: 5 the same as another, bit by bit\n\Z")

    def test_late(self):
        """A stiff damper is too much for dop853 in the time there is, which says nothing about its result."""
        text = ROD.replace("step: 1e-3, ", "").replace("duration: 0.1", "duration: 5, integrator: radau5")
        text += "forces: {d: {type: torsion-spring-damper, connect: [ground, rod], stiffness: 0, damping: 1e7}}\n"
        words = (self.write("stiff.yaml", text), "--solver", "udwadia-kalaba", "--coordinates", "angle", "--time-limit", "0.5")
        found = self.json(*words)
        self.assertEqual((found["late"], found["outliers"], found["lost"], found["time_limit"]), (2, 0, 0, 0.5))
        for run in found["runs"]:
            self.assertEqual(run["status"], "late" if run["integrator"] == "dop853" else "completed")
            if run["status"] == "late":
                self.assertLess(run["time_reached"], 5)
                self.assertIsNone(run["difference"])
        text = self.expect(0, "compare", "--methods", *words).stdout
        self.assertRegex(text, r"(?m)^angle +udwadia-kalaba +direct +dop853 .*  no end within 0\.5 s, t = \S+ of 5$")
        self.assertRegex(text, r"no outlier; not compared: 2 with no end within 0\.5 s\n\Z")

    def test_first_is_late(self):
        done = self.expect(1, "compare", "--methods", self.write("rod.yaml", ROD), *ENDLESS, "--time-limit", "0.2")
        self.assertIn("the first run has no end within 0.2 s", done.stderr)

    def test_failure(self):
        """A formula that is undefined after 0.05 s."""
        text = ROD + "forces: {push: {type: torque, body: rod, value: sqrt(0.05 - t)}}\n"
        done = self.expect(1, "compare", "--methods", self.write("fail.yaml", text), "--integrator", "rk4",
                           "--stabilization", "direct", "--solver", "augmented")
        self.assertRegex(done.stdout, r"(?m)^natural +augmented +direct +rk4 .* failed$")
        self.assertRegex(done.stdout, r"(?m)^natural augmented direct rk4: failed: t = 0\.05")


class Options(MethodsTest):
    def setUp(self):
        super().setUp()
        self.rod = self.write("rod.yaml", ROD)

    def test_table(self):
        # long enough for solvers to round differently: none of them is another one under its name
        lines = self.expect(0, "compare", "--methods", self.rod, "--integrator", "rk4", "--duration", "1").stdout.splitlines()
        self.assertRegex(lines[0], r"^coordinates +solver +stabilization +integrator +position +velocity +energy "
                                   r"+difference +ICC\(A,1\) +steps +CPU ms$")
        self.assertRegex(lines[1], r"^natural +udwadia-kalaba +direct +rk4 .* - +- +1000 +[\d.]+  the first$")
        self.assertEqual(len(lines), 1 + RUNS + 2)
        for line in lines[2:RUNS + 1]:
            self.assertRegex(line, r"^\S+ +\S+ +\S+ +rk4( +\d\.\d\de[-+]\d\d){4} +(1\.0|0\.9999)\d+ +1000 +[\d.]+$")
        self.assertRegex(lines[-1], r"^%d runs, \d+ columns compared, .*: no outlier$" % RUNS)

    def test_restriction(self):
        found = self.json(self.rod, "--coordinates", "angle", "--solver", "auto", "--stabilization", "none",
                          "--integrator", "euler")
        self.assertEqual([(run["coordinates"], run["solver"], run["stabilization"], run["integrator"])
                          for run in found["runs"]], [("angle", "auto", "none", "euler")])

    def test_all(self):
        found = json.loads(self.call("compare", "--methods", self.rod, "--all", "--json", "--solver", "augmented",
                                     "--coordinates", "angle").stdout)
        self.assertIn(("none", "euler"), [(run["stabilization"], run["integrator"]) for run in found["runs"]])

    def test_threads_do_not_change_numbers(self):
        def numbers(threads):
            found = self.json(self.rod, "--integrator", "ab3", "--threads", threads)
            self.assertEqual(found["threads"], threads)
            return [{key: run[key] for key in run if key != "cpu_seconds"} for run in found["runs"]]
        self.assertEqual(numbers(1), numbers(4))

    def test_own_output_times(self):
        """Without an output step all methods use the times of the first."""
        path = self.write("free.yaml", ROD.replace(", output-step: 1e-2", ""))
        found = self.json(path, "--stabilization", "direct", "--solver", "augmented")
        self.assertLess(largest(run["difference"] for run in found["runs"][1:]), 1e-3)

    def test_help(self):
        self.assertIn("--methods", self.expect(0, "compare", "--help").stdout)
        text = self.expect(0, "compare", "--methods", "--help").stdout
        self.assertTrue(text.startswith("usage: trammel compare --methods MODEL"))
        for word in ("--all", "--time-limit", "--threads", "--json", "--set", "--duration", "--coordinates", "exit status", "outlier"):
            self.assertIn(word, text)

    def test_wrong_usage(self):
        for words, text in ((("--methods",), "model file is missing"), (("--methods", self.rod, self.rod), "too many"),
                            (("--methods", self.rod, "--columns", "x"), "unknown option '--columns'"),
                            (("--methods", self.rod, "--integrator", "rk5"), "did you mean 'rk4'"),
                            (("--methods", self.rod, "--duration", "0"), "fewer than three rows"),
                            *((("--methods", self.rod, "--threads", n), "--threads") for n in ("0", "-1", "two", "1e9", "")),
                            *((("--methods", self.rod, "--time-limit", s), "--time-limit") for s in ("0", "-1", "soon", "inf"))):
            done = self.expect(2, "compare", *words)
            self.assertEqual(done.stdout, "")
            self.assertIn(text, done.stderr)

    def test_bad_model(self):
        self.assertIn("nowhere.yaml: error:", self.expect(3, "compare", "--methods", "nowhere.yaml").stderr)
        path = self.write("energy.yaml", ROD + "outputs: [energy]\n")
        self.assertIn("no position or velocity", self.expect(3, "compare", "--methods", path).stderr)


class Interrupted(MethodsTest):
    def start(self, *words, **more):
        path = self.write("rod.yaml", ROD)
        process = subprocess.Popen([PROGRAM, "compare", "--methods", path, *words], text=True,
                                   stdout=subprocess.PIPE, **more)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.addCleanup(process.stdout.close)
        return process

    def test_first_run(self):
        process = self.start(*ENDLESS, stderr=subprocess.PIPE)
        self.addCleanup(process.stderr.close)
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        self.assertEqual((process.returncode, out), (-signal.SIGINT, ""))
        self.assertRegex(err, r"error: interrupted at t = [\d.e+]+ of the first run")

    def test_keeps_what_is_there(self):
        """A bar on a terminal; Ctrl-C once the first runs are done."""
        main, side = terminal(self)
        process = self.start("--duration", "20", "--threads", "2", stderr=side,
                             env={**os.environ, "TERM": "xterm"})
        os.close(side)
        text = ""
        while not re.search(r" [1-9]\d* of \d+ ", text):
            text += os.read(main, 1000).decode()
        process.send_signal(signal.SIGINT)
        out = process.communicate(timeout=60)[0]
        os.close(main)
        self.assertEqual(process.returncode, -signal.SIGINT)
        self.assertRegex(text, r"\r\[[#-]{30}\] +\d+ %  \d+ of \d+ ")
        self.assertRegex(out, r"(?m)^natural +udwadia-kalaba +direct +rk4 .* the first$")
        self.assertRegex(out, r"; interrupted, \d+ runs are missing\n\Z")


if __name__ == "__main__":
    unittest.main()
