"""The Python package: runs, states, models built by calls, errors, interruption."""
import copy
import ctypes
import math
import os
import pickle
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import warnings
from pathlib import Path
from unittest import mock

if "TRM_INSTALLED" not in os.environ:
    sys.path.insert(0, os.environ["TRM_BUILD_DIR"] + "/python")
import numpy as np  # noqa: E402
import trammel as tr  # noqa: E402

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have it ignored

MODELS = Path(os.environ["TRM_SOURCE_DIR"]) / "models"
PERIOD = 2.36784194757624  # of the pendulum released horizontally, L = 1, g = 9.81: 4 K(1/2) sqrt(L/g)


def pendulum(**sections):
    m = tr.Model(space="planar", name="Pendulum", gravity=[0, -9.81], **sections)
    m.parameters(L=1, m=1).ground(points={"O": [0, 0]})
    m.body("bob", mass="m", inertia=0, position=["-L", 0], points={"O": ["L", 0]})
    m.joint("pivot", "revolute", connect=["ground.O", "bob.O"])
    return m.simulate(duration=1, output_step=0.1).outputs("bob", "pivot", "energy")


def steered():
    """A mass of 2 pushed by an input u along x: x = u t² / 4."""
    m = tr.Model(space="planar", name="steered", gravity=[0, 0])
    m.ground(points={"O": [0, 0]}).inputs(u=0)
    m.body("cart", mass=2, inertia=1, position=[0, 0])
    m.joint("rail", "prismatic", connect=["ground", "cart"], at=[0, 0], axis=[1, 0])
    m.force("push", "force", point="cart", value=["u", 0])
    return m.simulate(duration=1)


class Runs(unittest.TestCase):
    def test_period(self):
        run = pendulum().run(duration=PERIOD, output_step=PERIOD, rtol=1e-11, atol=1e-13)
        self.assertAlmostEqual(run["bob.x"][-1], -1, delta=1e-9)
        self.assertEqual(run.summary["status"], "completed")
        self.assertEqual(run.t[-1], PERIOD)

    def test_columns_are_the_table_itself(self):
        run = pendulum().run()
        x = run["bob.x"]
        self.assertIs(run["bob.x"], x)
        self.assertFalse(x.flags.writeable)
        self.assertFalse(x.flags.owndata)
        before = x.copy()
        del run
        np.testing.assert_array_equal(x, before)  # the array keeps the table

    def test_evaluate(self):
        run = pendulum().run()
        np.testing.assert_allclose(run.evaluate("hypot(bob.x, bob.y)"), 1, atol=1e-9)
        with self.assertRaises(tr.UsageError):
            run.evaluate("hypot(bob.x,")

    def test_same_as_the_program(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([os.environ["TRAMMEL"], "run", MODELS / "four_bar.yaml", "-o", folder, "--no-report",
                            "--quiet"], check=True)
            theirs = tr.read_csv(Path(folder) / "results.csv")
        ours = tr.load(MODELS / "four_bar.yaml").run()
        self.assertEqual(theirs.columns, ours.columns)
        for name in ours:
            np.testing.assert_array_equal(ours[name], theirs[name])
        self.assertEqual(ours.compare(theirs)["columns"]["crank.x"]["max_difference"], 0)

    def test_compare_methods(self):
        """All methods on one model, as the program tells it."""
        answer = pendulum().with_parameters(L=2).compare(duration=0.5, time_limit=20)
        self.assertGreater(len(answer["runs"]), 10)
        self.assertEqual({r["status"] for r in answer["runs"]}, {"completed"})

    def test_parameters(self):
        """Four times the length, twice the period."""
        run = tr.loads(pendulum().to_yaml(), L=4).run(duration=2 * PERIOD, rtol=1e-11, atol=1e-13)
        self.assertAlmostEqual(run["bob.x"][-1], -4, delta=1e-8)
        run = pendulum().with_parameters(L=4).run(duration=2 * PERIOD, rtol=1e-11, atol=1e-13)
        self.assertAlmostEqual(run["bob.x"][-1], -4, delta=1e-8)

    def test_failed_run_keeps_its_rows(self):
        m = pendulum().event("low", when="bob.y + 0.5", direction="falling")
        m.force("wind", "force", point="bob", value=["sqrt(0.3 - t)", 0])
        with self.assertRaises(tr.SimulationError) as caught:
            m.run(output_step=0.01)
        self.assertGreater(caught.exception.run.t[-1], 0.2)
        self.assertIn("wind", str(caught.exception))
        self.assertEqual(m.run(check=False).summary["status"], "failed")

    def test_interrupt(self):
        """Ctrl-C raises in the middle of a run that would take minutes."""
        threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
        start = time.monotonic()
        with self.assertRaises(KeyboardInterrupt):
            pendulum().run(duration=1e6, step=1e-3, integrator="rk4", output_step=1e4)
        self.assertLess(time.monotonic() - start, 10)

    def test_other_threads_go_on(self):
        """The interpreter is free while a run is under way."""
        count, done = 0, threading.Event()

        def work():
            pendulum().run(duration=200, step=1e-3, integrator="rk4", output_step=1)
            done.set()

        thread = threading.Thread(target=work)
        thread.start()
        while not done.is_set():
            count += 1
            time.sleep(1e-3)
        thread.join()
        self.assertGreater(count, 10)

    def test_plot_and_film(self):
        run = pendulum().run()
        self.assertIn("<svg", run.plot("bob.x", "/", "energy")._repr_svg_())
        with tempfile.TemporaryDirectory() as folder:
            self.assertTrue(run.plot("bob.x", path=Path(folder) / "x.svg").exists())
            self.assertTrue(run.film(Path(folder) / "x.glb").exists())
        self.assertRaises(tr.TrammelError, run.plot, "nothing.x")

    def test_report(self):
        run = pendulum().run()
        with tempfile.TemporaryDirectory() as folder:
            run.save(folder)
            self.assertIn("<html", (Path(folder) / "report.html").read_text()[:2000])
            self.assertEqual(sorted(p.name for p in Path(folder).iterdir()),
                             ["report.html", "results.csv", "scene.json", "summary.json"])
        self.assertTrue(run._repr_html_().startswith("<iframe srcdoc="))


class Simulations(unittest.TestCase):
    def test_interrupt(self):
        """Ctrl-C ends a long advance after a step; what was reached is kept, and it goes on from there."""
        sim = steered().simulation(step=1e-3, integrator="rk4")
        sim.inputs["u"] = 4
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
        start = time.monotonic()
        with self.assertRaises(KeyboardInterrupt):
            sim.advance(1e6)
        self.assertLess(time.monotonic() - start, 10)
        reached = sim.t
        self.assertGreater(reached, 0)
        sim.advance(reached + 1.0005)
        self.assertEqual(sim.t, reached + 1.0005)
        self.assertAlmostEqual(sim["cart.x"] / sim.t ** 2, 1, delta=1e-9)

    def test_advance_is_steps_of_the_library(self):
        """The last step is shortened, the same as from C; back in time is refused."""
        sim, other = steered().simulation(step=1e-2, integrator="rk4"), steered().simulation(step=1e-2, integrator="rk4")
        sim.inputs["u"] = other.inputs["u"] = 1
        sim.advance(0.025)
        for _ in range(2):
            other.step()
        other.advance(0.025)
        np.testing.assert_array_equal(sim.state, other.state)
        self.assertRaises(tr.UsageError, sim.advance, 0.02)
        self.assertRaises(tr.UsageError, sim.advance, float("nan"))
        sim.advance(0.025)
        self.assertEqual(sim.t, 0.025)

    def test_inputs(self):
        sim = steered().simulation(step=1e-2, integrator="rk4")
        sim.inputs["u"] = 3
        sim.advance(2)
        self.assertAlmostEqual(sim["cart.x"], 3, delta=1e-12)
        sim.inputs["u"] = 0
        sim.advance(3)
        self.assertAlmostEqual(sim["cart.x"], 6, delta=1e-12)
        with self.assertRaises(tr.UsageError):
            sim.inputs["throttle"] = 1

    def test_save_and_restore(self):
        for integrator in ["dop853", "ab6", "radau5", "three-field"]:
            sim = tr.load(MODELS / "four_bar.yaml").simulation(integrator=integrator, step=1e-3)
            sim.advance(0.3)
            saved = sim.save()
            expected = sim.advance(0.6).state
            other = tr.load(MODELS / "four_bar.yaml").simulation(integrator=integrator, step=1e-3)
            np.testing.assert_array_equal(other.restore(saved).advance(0.6).state, expected)
            again = pickle.loads(pickle.dumps(sim.restore(saved)))
            np.testing.assert_array_equal(again.advance(0.6).state, expected)
            np.testing.assert_array_equal(copy.copy(sim).advance(0.6).state, expected)

    def test_derivatives(self):
        """A free fall: the rates of (q, v) are (v, g) in every integrator's hands."""
        sim = steered().simulation()
        rates = sim.derivatives(0, sim.state)
        self.assertTrue(np.isfinite(rates).all())
        with self.assertRaises(tr.UsageError):
            sim.derivatives(0, [1, 2])

    def test_runge_kutta_of_ones_own(self):
        """Classical Runge-Kutta over derivatives() swings the pendulum by half a period."""
        sim = pendulum().simulation()
        y, t, h = sim.state, 0.0, PERIOD / 2000
        for _ in range(1000):
            k1 = sim.derivatives(t, y)
            k2 = sim.derivatives(t + h / 2, y + h / 2 * k1)
            k3 = sim.derivatives(t + h / 2, y + h / 2 * k2)
            k4 = sim.derivatives(t + h, y + h * k3)
            y, t = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4), t + h
        sim.set_state(t, y)
        self.assertAlmostEqual(sim["bob.x"], 1, delta=1e-7)

    def test_set_parameter(self):
        sim = tr.loads(pendulum().to_yaml()).simulation(rtol=1e-11, atol=1e-13)
        sim.set_parameter("L", 4).advance(PERIOD)
        self.assertAlmostEqual(sim["bob.x"], 4, delta=1e-8)

    def test_event_stops(self):
        m = pendulum().event("low", when="bob.x", direction="rising", stop=True)
        sim = m.simulation(rtol=1e-11, atol=1e-13).advance(10)
        self.assertEqual(sim.stopped, "low")
        self.assertAlmostEqual(sim.t, PERIOD / 4, delta=1e-9)

    @unittest.skipUnless(shutil.which("cc"), "needs a C compiler")
    def test_overhead(self):
        """A step and a reading cost a microsecond at most over the same two calls in a loop in C. Processor time of short
        parts by turns, the least of each: other programs may run beside."""
        from trammel._library import ffi, lib
        with tempfile.TemporaryDirectory() as folder:
            source, library = Path(folder, "loop.c"), Path(folder, "loop.so")
            source.write_text("void loop(int (*step)(void *, void *), double (*get)(void *, int), void *sim, void *said, int measure, int n) {\n"
                              "  for (volatile double x; n-- > 0; x = get(sim, measure)) step(sim, said);\n}\n")
            subprocess.run(["cc", "-O2", "-shared", "-fPIC", source, "-o", library], check=True)
            loop = ctypes.CDLL(str(library)).loop
        address = lambda pointer: ctypes.c_void_p(int(ffi.cast("uintptr_t", pointer)))
        calls = [address(ffi.addressof(lib, name)) for name in ("trm_simulation_step", "trm_simulation_get")]
        sim, count = tr.load(str(MODELS / "four_bar.yaml")).simulation(step=1e-3, integrator="rk4"), 100
        sim["crank.x"]
        calls += address(sim._pointer), address(sim._diagnostics.pointer), sim._measures["crank.x"], count
        least = [math.inf, math.inf]
        for turn in range(400):
            start = time.thread_time()
            if turn % 2:
                loop(*calls)
            else:
                for _ in range(count):
                    sim.step()
                    sim["crank.x"]
            least[turn % 2] = min(least[turn % 2], (time.thread_time() - start) / count)
        self.assertLess(least[0] - least[1], 1e-6)


class Models(unittest.TestCase):
    def test_yaml_round_trip(self):
        m = pendulum()
        with tempfile.TemporaryDirectory() as folder:
            m.save(Path(folder) / "p.yaml")
            again = tr.load(Path(folder) / "p.yaml")
            np.testing.assert_array_equal(again.run()["bob.x"], m.run()["bob.x"])

    def test_yaml_words(self):
        """Texts that YAML would read as something else are quoted."""
        m = pendulum(description="no: 'yes' # \"1e3\"")
        self.assertEqual(m.description, "no: 'yes' # \"1e3\"")
        m = pendulum(description="null")
        self.assertEqual(m.description, "null")

    def test_numpy_values(self):
        m = tr.Model(space="planar", gravity=np.array([0, -9.81]))
        m.body("a", mass=np.float64(1), inertia=np.float32(1), position=np.zeros(2))
        np.testing.assert_allclose(m.run(duration=1)["a.y"][-1], -9.81 / 2, rtol=1e-9)

    def test_pickle(self):
        for model in [pendulum().with_parameters(L=2), tr.load(MODELS / "pendulum.yaml", L=2)]:
            again = pickle.loads(pickle.dumps(model))
            np.testing.assert_array_equal(again.run(duration=0.2)["bob.x"], model.run(duration=0.2)["bob.x"])

    def test_errors_have_places(self):
        with self.assertRaises(tr.ModelError) as caught:
            tr.loads("trammel: 1\nspace: planar\nbodies: {a: {mass: x}}\n", "a.yaml")
        first = caught.exception.diagnostics[0]
        self.assertEqual((first.file, first.line, first.severity), ("a.yaml", 3, "error"))
        self.assertEqual(len(caught.exception.diagnostics), 2)
        again = pickle.loads(pickle.dumps(caught.exception))
        self.assertEqual(again.diagnostics, caught.exception.diagnostics)

    def test_usage_errors(self):
        m = pendulum()
        for call in [lambda: m.run(durationn=1), lambda: m.run(integrator="rk5"), lambda: m.run(record=["bub.x"]),
                     lambda: m.simulation()["bub.x"], lambda: tr.load(MODELS / "pendulum.yaml", M=2)]:
            with self.assertRaises(tr.UsageError):
                call()
        with self.assertRaises(OSError):
            tr.load("nowhere.yaml")
        with self.assertRaises(ValueError):
            m.body("bob", mass=1)

    def test_check(self):
        facts = tr.load(MODELS / "four_bar.yaml").check()
        self.assertEqual((facts["bodies"], facts["degrees_of_freedom"], facts["redundant"]), (3, 1, 0))

    @unittest.skipUnless((Path(tr.__file__).parent / "bin" / "libtrammel_fmu.so").exists(), "built without FMUs")
    def test_fmu(self):
        import zipfile
        with tempfile.TemporaryDirectory() as folder:
            path = tr.load(MODELS / "pendulum.yaml", L=2).fmu(Path(folder) / "p.fmu", version=3, kind="cs", step=1e-2)
            with zipfile.ZipFile(path) as unit:
                self.assertIn(b'fmiVersion="3.0"', unit.read("modelDescription.xml"))
                self.assertIn(b"set L=2.0\nsimulate step=0.01\n", unit.read("resources/trammel.txt"))
            built = pendulum().with_parameters(L=3).fmu(Path(folder) / "built.fmu")
            with zipfile.ZipFile(built) as unit:
                self.assertIn(b"set L=3.0\n", unit.read("resources/trammel.txt"))
            with self.assertRaises(TypeError):
                steered().with_functions(u=lambda t: 0).fmu(Path(folder) / "never.fmu")
            self.assertEqual(sorted(p.name for p in Path(folder).iterdir()), ["built.fmu", "p.fmu"])

    def test_files_of_a_built_model(self):
        """Tables lie beside where the model would be, for the program, too."""
        m = steered()
        m.document["forces"]["push"]["value"] = ['table(t, "pull.csv", "force", "linear", "hold")', 0]
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "pull.csv").write_text("t,force\n0,3\n1,3\n")
            model = tr.loads(m.to_yaml(), str(Path(folder) / "steered.yaml"))
            self.assertEqual(model.accuracy(steps=[0.1, 0.05], methods=["rk4"])["name"], "steered")
            self.assertEqual([p.name for p in Path(folder).iterdir()], ["pull.csv"])

    def test_diagnostics_of_the_program(self):
        """Where the program answers, its messages have their places, too."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "steered.yaml"
            steered().save(path)
            model = tr.load(path)
            path.write_text("# changed since\n" + path.read_text().replace("mass: 2", "weight: 3, mass: 2"))
            with self.assertRaises(tr.ModelError) as caught:
                model.compare()
            first = caught.exception.diagnostics[0]
            place = next(at for at in enumerate(path.read_text().splitlines(), 1) if "weight" in at[1])
            self.assertEqual((first.file, first.line, first.severity), (str(path), place[0], "error"))
            self.assertEqual((first.column, first.source), (place[1].index("weight") + 1, place[1]))
            self.assertIn("weight", first.message)

    def test_robots(self):
        """Read by the library itself; messages have their places."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "r.urdf"
            path.write_text('<robot name="r">\n<link name="a"/>\n<joint name="j" type="strange"><parent link="a"/><child link="b"/>'
                            "</joint>\n</robot>\n")
            with self.assertRaises(tr.ModelError) as caught:
                tr.import_robot(path)
            first = caught.exception.diagnostics[0]
            self.assertEqual((first.file, first.line, first.severity), (str(path), 3, "error"))
            path.write_text('<robot name="r"><link name="a"/><link name="b"><inertial><mass value="1"/>\n'
                            '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>\n'
                            '<joint name="j" type="revolute"><parent link="a"/><child link="b"/>\n<limit lower="0" upper="1"/>'
                            "</joint></robot>\n")
            with warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always")
                model = tr.import_robot(path)
            self.assertIn("limits are not taken over", str(told[0].message))
            self.assertEqual(model.messages[0].line, 4)
            self.assertIn("limits", model.messages[0].message)
            told = model.messages[0]
            self.assertEqual((told.file, told.severity), (str(path), "warning"))
            self.assertRaises(tr.FileError, tr.import_robot, Path(folder) / "nowhere.urdf")
            self.assertRaises(tr.FileError, tr.import_robot, path, "/nowhere/r.yaml")

    def test_robots_without_the_program(self):
        """Its shapes, found in packages: a ball's mesh of one package, looked for in a folder or in several."""
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(tr.program, "PROGRAM", Path("/nowhere")):
            home = Path(folder)
            (home / "share" / "ball" / "m").mkdir(parents=True)
            (home / "share" / "ball" / "m" / "b.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
                                                                  "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
            path = home / "r.urdf"
            path.write_text('<robot name="r"><link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" '
                            'ixz="0" iyz="0"/></inertial><visual><geometry><mesh filename="package://ball/m/b.obj"/></geometry>'
                            "</visual></link></robot>\n")
            for packages in (home / "share", str(home / "share"), [home, home / "share"]):
                model = tr.import_robot(path, home / "out.yaml", packages=packages, floating=True)
                self.assertEqual((model.bodies, model.messages), (["a"], ()))
                self.assertEqual([p.name for p in (home / "out_meshes").iterdir()], ["a.stl"])
                shutil.rmtree(home / "out_meshes")
            tr.import_robot(path, home / "out.yaml", packages=home / "share", floating=True, meshes=False)
            self.assertFalse((home / "out_meshes").exists())
            self.assertRaises(tr.ModelError, tr.import_robot, path)  # nothing moves

    def test_methods(self):
        self.assertIn("dop853", [method.name for method in tr.methods("integrator")])


def oscillator():
    """A mass of 2 on a spring of 8, pushed by u: 2 x'' = u - 8 x - x'."""
    m = tr.Model(space="planar", name="oscillator", gravity=[0, 0]).parameters(k=8)
    m.inputs(u=0).body("cart", mass=2, inertia=1, position=[0.3, 0])
    m.joint("rail", "prismatic", connect=["ground", "cart"], at=[0, 0], axis=[1, 0])
    m.force("push", "force", point="cart", value=["u - k*cart.x - cart.vx", 0])
    return m.simulate(duration=1).outputs("cart.x")


class Analyses(unittest.TestCase):
    def test_equilibrium(self):
        answer = oscillator().equilibrium(inputs={"u": 4})
        self.assertEqual(answer["status"], "found")
        self.assertAlmostEqual(answer["measures"]["cart.x"], 0.5, delta=1e-10)

    def test_steady(self):
        """A whirling point mass on an arm of length 1: its height is -g/w². Runs of this tree are
        in relative coordinates, which turn with no frame."""
        m = tr.Model(space="spatial", gravity=[0, 0, -10])
        m.body("hub", mass=1, inertia=[1, 1, 1], angular_velocity=[0, 0, 5])
        m.body("arm", mass=1, inertia=[0, 0, 0], position=[0.8, 0, -0.6],
               points={"P": [-0.8, 0, 0.6]})
        m.joint("shaft", "revolute", connect=["ground", "hub"], axis=[0, 0, 1])
        m.joint("hinge", "revolute", connect=["hub", "arm.P"], axis=[0, 1, 0])
        m.outputs("arm.z")
        self.assertEqual(m.run(duration=0.1).summary["coordinates"], "relative")
        answer = m.equilibrium(steady=True)
        self.assertAlmostEqual(answer["measures"]["arm.z"], -0.4, delta=1e-10)

    def test_modes(self):
        """2 l² + l + 8 = 0"""
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder) / "modes.html"
            answer = oscillator().modes(at="equilibrium", page=page)
            self.assertIn("canvas", page.read_text())
        values = sorted((mode["re"], mode["im"]) for mode in answer["modes"])
        im = math.sqrt(8 / 2 - 1 / 16)
        np.testing.assert_allclose(values, [(-0.25, -im), (-0.25, im)], atol=1e-10)

    def test_linearize_and_response(self):
        linear = oscillator().linearize(["u"], ["cart.x"])
        G = linear["C"] @ np.linalg.solve(2j * np.eye(2) - linear["A"], linear["B"]) + linear["D"]
        exact = 1 / (8 - 2 * 4 + 2j)
        self.assertAlmostEqual(abs(G[0, 0] - exact), 0, delta=1e-10)
        found = oscillator().response("u", "cart.x", [2 / (2 * math.pi)])
        self.assertAlmostEqual(abs(found[0] - exact), 0, delta=1e-10)

    def test_usage(self):
        with self.assertRaises(tr.UsageError):
            oscillator().modes(at="noon")
        with self.assertRaises(tr.TrammelError):
            oscillator().linearize(["throttle"])

    def test_sensitivity(self):
        """A fall from rest: x = g t²/2 does not hang on m; the period of a pendulum does on L."""
        m = pendulum()
        found = m.sensitivity(["L", "m"], of="energy.kinetic", duration=0.3, rtol=1e-10, atol=1e-12)
        h = 1e-3
        sides = [m.with_parameters(L=1 + k * h).run(duration=0.3, rtol=1e-12, atol=1e-14)["energy.kinetic"][-1]
                 for k in (-1, 1)]
        self.assertAlmostEqual(found["gradient"]["L"], (sides[1] - sides[0]) / (2 * h), delta=1e-5)
        self.assertAlmostEqual(found["gradient"]["m"], found["value"], delta=1e-8)  # it is m times a function of t
        self.assertRaises(tr.UsageError, m.sensitivity, ["k"], of="energy.kinetic")

    def test_optimize(self):
        """A constant push of u over 1 s: x = u/4 is to be 0.5."""
        m = steered()
        m.parameters(p=1)
        m.document["inputs"]["u"] = "p"
        m.document["optimize"] = {"vary": {"p": [0, 5]}, "minimize": "final((cart.x - 0.5)^2)"}
        seen = []
        found = m.optimize(progress=lambda k, value: seen.append(value))
        self.assertAlmostEqual(found["parameters"]["p"], 2, delta=1e-4)
        self.assertTrue(seen)

        def broken(k, value):
            raise KeyboardInterrupt

        self.assertRaises(KeyboardInterrupt, m.optimize, progress=broken)

    def test_inverse(self):
        """To turn the pendulum's pivot uniformly takes the moment of its weight."""
        t = np.linspace(0, 1, 101)
        table = pendulum().inverse({"t": t, "pivot.angle": 2 * t}, duration=1, output_step=0.1)
        angle = 2 * table["t"]  # from the horizontal, to the left
        np.testing.assert_allclose(table["pivot.angle.effort"], -9.81 * np.cos(angle), atol=1e-6)

    def test_accuracy(self):
        found = pendulum().accuracy(steps=[0.02, 0.01], methods=["rk4"], reference="self", quiet=None)
        self.assertIn("rk4", str(found))

    def test_differentiate(self):
        """Against the independent linear model, and against differences."""
        m = steered()
        m.force("spring", "spring-damper", connect=["ground.O", "cart"], length=1, stiffness=8, damping=0.5)
        m.document["bodies"]["cart"]["position"] = [2, 0]
        sim = m.simulation()
        sim.advance(0.3)
        found = sim.differentiate(["cart.ax", "rail.displacement"])
        y, h = sim.state, 1e-5
        for k in range(len(y)):
            e = h * np.eye(len(y))[k]
            slope = (sim.derivatives(sim.t, y + e) - sim.derivatives(sim.t, y - e)) / (2 * h)
            np.testing.assert_allclose(found["A"][:, k], slope, atol=1e-7)
        self.assertAlmostEqual(found["D"][0, 0], 0.5, delta=1e-10)  # u/m
        self.assertEqual(found["inputs"], ["u"])
        np.testing.assert_allclose(sim.jacobian(), found["A"])

    def test_sweep(self):
        """Periods of the undamped pendulum: the lowest point is -L whatever L."""
        with tempfile.TemporaryDirectory() as folder:
            study = tr.loads(pendulum().to_yaml()).sweep(
                {"L": [0.5, 1.0, 2.0]}, record=["min(bob.y)", "final(t)"], folder=folder, duration=2,
                step=1e-3, progress=False)
            np.testing.assert_allclose(sorted(study["table"]["min(bob.y)"]), [-2, -1, -0.5], rtol=1e-4)
            self.assertEqual(study["table"]["status"], ["completed"] * 3)
            with self.assertRaises(tr.TrammelError):
                tr.loads(pendulum().to_yaml()).sweep({"Q": [1]}, record=["max(bob.y)"], folder=folder + "/other")

    def test_sweep_without_a_folder(self):
        """Its answer is all that is left; a model built by calls is swept, too."""
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(tempfile, "tempdir", folder):
            study = pendulum().sweep({"L": "0.5:2:4"}, record="min(bob.y)", duration=2, step=1e-3, progress=False)
            self.assertEqual(os.listdir(folder), [])
        np.testing.assert_allclose(study["table"]["min(bob.y)"], [-0.5, -1, -1.5, -2], rtol=1e-4)
        with self.assertRaisesRegex(tr.UsageError, "series needs a folder"):
            pendulum().sweep({"L": [1]}, record="min(bob.y)", series=True)

    @unittest.skipUnless(os.path.isdir("/proc/self/task"), "needs Linux")
    def test_sweep_by_all_cores(self):
        """A thousand lengths: each has its lowest point, and as many threads work as there are cores."""
        most, done = 0, threading.Event()

        def look():
            nonlocal most
            while not done.wait(1e-3):
                states = [stat.read_text().rpartition(")")[2].split()[0] for stat in Path("/proc/self/task").glob("*/stat") if stat.exists()]
                most = max(most, states.count("R") - 1)  # without this one

        watcher = threading.Thread(target=look)
        lengths = np.linspace(0.5, 2, 1000)
        with tempfile.TemporaryDirectory() as folder:
            watcher.start()
            try:
                table = tr.loads(pendulum().to_yaml()).sweep({"L": list(lengths)}, record=["min(bob.y)"], folder=folder, duration=1.2,
                                                             step=1e-3, progress=False)["table"]
            finally:
                done.set()
                watcher.join()
        np.testing.assert_allclose(sorted(-table["min(bob.y)"]), lengths, rtol=1e-4)
        self.assertGreaterEqual(most, len(os.sched_getaffinity(0)))

    def test_one_name(self):
        """A text alone is one name, not a list of its letters."""
        model = tr.loads(pendulum().to_yaml())
        one, listed = (model.sensitivity(wrt, of="bob.y", duration=0.1)["gradient"] for wrt in ("L", ["L"]))
        self.assertEqual(one, listed)
        self.assertIn("bob.kinetic", model.run(record="bob.kinetic", duration=0.01, progress=False))
        with tempfile.TemporaryDirectory() as folder:
            study = model.sweep({"L": [1.0]}, record="final(t)", folder=folder, duration=0.5, progress=False)
            np.testing.assert_allclose(study["table"]["final(t)"], [0.5])

    def test_wrong_types(self):
        """They are named, whatever the library would have made of them."""
        model = tr.loads(pendulum().to_yaml())
        run, sim = model.run(duration=0.01, progress=False), model.simulation()
        for call, word in ((lambda: tr.loads(pendulum().to_yaml(), L=[1, 2]).run(), "L: a number or a formula"),
                           (lambda: model.run(duration=None or [1, 2]), "duration: a number or a formula"),
                           (lambda: run[3], "a name is needed, not 3"), (lambda: run[0:2], "a name is needed"),
                           (lambda: sim[3], "a name is needed, not 3"), (lambda: sim.restore("text"), "bytes"),
                           (lambda: sim.inputs.update({3: 1}), "a name is needed")):
            with self.assertRaises(TypeError) as caught:
                call()
            self.assertIn(word, str(caught.exception))
        self.assertIs(copy.deepcopy(run), run)

    def test_sweep_series(self):
        """Rows of every run are kept: 2 s in steps of 0.5 s are five, at places that do not overlap."""
        with tempfile.TemporaryDirectory() as folder:
            try:
                kept = tr.loads(pendulum().to_yaml()).sweep(
                    {"L": [0.5, 1.0, 2.0]}, record=["final(t)"], folder=folder, duration=2, step=1e-3,
                    output_step=0.5, series=True, progress=False)["series"]
            except tr.TrammelError as problem:
                if "HDF5" not in str(problem):
                    raise
                self.skipTest("built without HDF5")
            self.assertEqual((list(kept["run"]), list(kept["rows"])), ([1, 2, 3], [5, 5, 5]))
            self.assertEqual(len(set(zip(kept["file"], kept["first"]))), 3)
            for name in kept["file"]:
                self.assertTrue((Path(folder) / name).exists())


class Functions(unittest.TestCase):
    """A cart held by a spring and damper that are a function in place of an input: x'' = −9 x − 2 x' + t."""

    LAW = "-18*cart.x - 4*cart.vx + 2*t"

    def model(self, u):
        m = steered()
        m.document["inputs"] = {"u": u}
        m.document["bodies"]["cart"]["velocity"] = [1, 0]
        return m.simulate(duration=1, rtol=1e-10, atol=1e-12, integrator="dop853")

    def formula(self):
        m = self.model(0)
        m.document["inputs"] = {"w": 0}
        return m.variables(u=self.LAW).run(record=["cart.x"])["cart.x"][-1]

    def of(self):
        return self.model({"of": ["cart.x", "cart.vx"], "value": 0})

    def test_python(self):
        calls = []

        def law(t, x, v):
            calls.append(t)
            return -18 * x - 4 * v + 2 * t

        model = self.of().with_functions(u=law)
        for integrator in ("dop853", "radau5"):
            x = model.run(record=["cart.x"], integrator=integrator)["cart.x"][-1]
            self.assertAlmostEqual(x, self.formula(), delta=1e-8)
        self.assertGreater(len(calls), 50)
        linear = model.linearize(outputs=["cart.x"], states=["cart.x"])
        np.testing.assert_allclose(linear["A"], [[0, 1], [-9, -2]], atol=1e-8)
        sim = model.simulation()
        sim.inputs["u"] = 0  # somebody outside takes it over
        sim.advance(1)
        self.assertAlmostEqual(sim["cart.x"], 1, delta=1e-9)

    def test_compiled(self):
        """By ctypes, and by the address that numba's cfunc has."""
        import ctypes
        double = ctypes.POINTER(ctypes.c_double)
        kind = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_void_p, ctypes.c_double, double, double)
        law = kind(lambda context, t, x, gradient: -18 * x[0] - 4 * x[1] + 2 * t)

        class Compiled:
            address = ctypes.cast(law, ctypes.c_void_p).value

        for function in (law, Compiled(), Compiled.address):
            x = self.of().with_functions(u=function).run(record=["cart.x"])["cart.x"][-1]
            self.assertAlmostEqual(x, self.formula(), delta=1e-9)

    def test_several_at_once(self):
        """Two carts on one law K (x, y, 1), called once where both are asked for."""
        m = tr.Model(space="planar", name="two", gravity=[0, 0])
        for k, n in enumerate("ab"):
            m.inputs(**{f"u{n}": {"of": ["a.x", "b.x"], "value": 0}})
            m.body(n, mass=1 + k, inertia=1, position=[0.5 + k, 0])
            m.joint(f"rail_{n}", "prismatic", connect=["ground", n], at=[0.5 + k, 0], axis=[1, 0])
            m.force(f"push_{n}", "force", point=n, value=[f"u{n}", 0])
        m.simulate(duration=1, rtol=1e-10, atol=1e-12).outputs("a.x", "b.x")
        K, asked = np.array([[-3.0, 1, 0.5], [2, -4, 0.1]]), []

        def law(t, x, y):
            asked.append((t, x, y))
            return K @ [x, y, 1]

        run = m.with_functions({("ua", "ub"): law}).run()
        formulas = m.with_functions(ua=lambda t, x, y: -3*x + y + 0.5, ub=lambda t, x, y: 2*x - 4*y + 0.1).run()
        for name in ("a.x", "b.x"):
            self.assertAlmostEqual(run[name][-1], formulas[name][-1], delta=1e-12)
        self.assertLess(sum(a == b for a, b in zip(asked, asked[1:])), 1)
        # x'' = K' (x, y) + c with K' = M⁻¹ K: by its eigenvectors
        A, c = K[:, :2] / [[1], [2]], K[:, 2] / [1, 2]
        rest, (roots, V) = -np.linalg.solve(A, c), np.linalg.eig(A)
        exact = rest + (V @ (np.cosh(np.sqrt(roots + 0j)) * np.linalg.solve(V, np.array([0.5, 1.5]) - rest))).real
        np.testing.assert_allclose([run["a.x"][-1], run["b.x"][-1]], exact, atol=1e-8)
        with self.assertRaises(tr.SimulationError) as caught:
            m.with_functions({("ua", "ub"): lambda t, x, y: [1]}).run()
        self.assertIn("2 values are needed for ua, ub, not 1", str(caught.exception))
        with self.assertRaises(TypeError):
            m.with_functions({("ua", "ub"): 12345})

    def test_copies_and_parameters(self):
        model = self.of().with_functions(u=law_of_a_module)
        for other in (copy.copy(model), pickle.loads(pickle.dumps(model)), model.with_parameters()):
            self.assertAlmostEqual(other.run(record=["cart.x"])["cart.x"][-1], self.formula(), delta=1e-9)

    def test_an_exception_ends_the_run(self):
        def broken(t, x, v):
            return 1 / (0.5 - t if t < 0.4 else 0)

        with self.assertRaises(tr.SimulationError) as caught:
            self.of().with_functions(u=broken).run()
        self.assertIsInstance(caught.exception.__cause__, ZeroDivisionError)
        with self.assertRaises(tr.UsageError):
            self.of().with_functions(nothing=broken)
        with self.assertRaises(tr.SimulationError) as caught:
            self.of().with_functions(u=lambda t: 0).run()  # it has three arguments
        self.assertIsInstance(caught.exception.__cause__, TypeError)
        self.assertIn("a function has raised TypeError", str(caught.exception))

    def test_in_studies(self):
        """On all cores: x = u t²/2m; what a function raises is told, and its runs are rows that failed."""
        m = tr.Model(space="planar", gravity=[0, 0]).parameters(m=2).inputs(u={"of": ["cart.x"]})
        m.body("cart", mass="m", inertia=1, position=[0, 0]).force("push", "force", point="cart", value=["u", 0])
        m.simulate(duration=1).outputs("cart")
        table = m.with_functions(u=lambda t, x: 1.0).sweep({"m": [1, 2, 4]}, record="final(cart.x)")["table"]
        np.testing.assert_allclose(table["final(cart.x)"], [0.5, 0.25, 0.125], rtol=1e-9)

        def law(t, x):
            raise ValueError("not today")

        with self.assertWarnsRegex(tr.TrammelWarning, r"a function has raised ValueError\('not today'\)") as told:
            table = m.with_functions(u=law).sweep({"m": [1, 2, 4]}, record="final(cart.x)")["table"]
        self.assertEqual(told.filename, __file__)
        self.assertEqual(table["status"], ["failed"] * 3)

    def test_in_threads(self):
        """Each has the exceptions of its own functions, whatever others do meanwhile."""
        def work(k):
            def law(t, x, v):
                if t > 0.5:
                    raise ValueError(k)
                return -18 * x - 4 * v
            for _ in range(10):
                with self.assertRaises(tr.SimulationError) as caught:
                    model.with_functions(u=law).run(progress=False)
                found.append((k, caught.exception.__cause__.args[0]))
                good.run(progress=False)

        model, found = self.of(), []
        good = model.with_functions(u=law_of_a_module)
        threads = [threading.Thread(target=work, args=(k,)) for k in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(sorted(found), sorted((k, k) for k in range(3) for _ in range(10)))

    def test_interrupt(self):
        """Ctrl-C in the midst of functions is KeyboardInterrupt, and the next run is as ever."""
        model = self.of().with_functions(u=law_of_a_module)
        for call in (lambda: model.run(duration=1e5), lambda: model.run(duration=1e5, check=False),
                     lambda: model.simulation().advance(1e5), lambda: model.simulation(integrator="rk4", step=1e-3).advance(1e5)):
            threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
            start = time.monotonic()
            with self.assertRaises(KeyboardInterrupt):
                call()
            self.assertLess(time.monotonic() - start, 10)
            self.assertAlmostEqual(model.run(record=["cart.x"])["cart.x"][-1], self.formula(), delta=1e-9)


def law_of_a_module(t, x, v):
    return -18 * x - 4 * v + 2 * t


class Documents(unittest.TestCase):
    @unittest.skipIf("TRM_INSTALLED" in os.environ, "the sources")
    def test_reference(self):
        """docs/python-reference.md is what python/build/reference.py writes."""
        source = MODELS.parent
        written = subprocess.run([sys.executable, "-B", source / "python/build/reference.py", source / "python/trammel"],
                                 capture_output=True, text=True, check=True).stdout
        self.assertEqual(written, (source / "docs/python-reference.md").read_text(encoding="utf-8"),
                         "run python/build/reference.py python/trammel > docs/python-reference.md")


class Systems(unittest.TestCase):
    def kepler(self, force, **keys):
        return tr.System([1, 0], [0, 1], mass=lambda t, q: np.eye(2), force=force, names=["x", "y"],
                         mass_constant=True, **keys)

    def test_orbit(self):
        model = self.kepler(lambda t, q, v: -q / np.linalg.norm(q) ** 3,
                            energy=lambda t, q, v: v @ v / 2 - 1 / np.linalg.norm(q))
        run = model.run(duration=2 * math.pi, rtol=1e-10, atol=1e-12)
        self.assertAlmostEqual(run["x"][-1], 1, delta=1e-8)
        self.assertAlmostEqual(run["y"][-1], 0, delta=1e-8)
        self.assertAlmostEqual(run["energy.total"][-1], -0.5, delta=1e-9)

    def test_constraint(self):
        """A mass on a unit circle: the pendulum."""
        model = tr.System([-1, 0], mass=lambda t, q: np.eye(2), force=lambda t, q, v: [0, -9.81],
                          position_constraints=1, position=lambda t, q: [(q @ q - 1) / 2],
                          position_jacobian=lambda t, q: (q[None, :], [0]),
                          position_gamma=lambda t, q, v: [-(v @ v)])
        run = model.run(duration=PERIOD, rtol=1e-10, atol=1e-12)
        self.assertAlmostEqual(run["q1"][-1], -1, delta=1e-7)

    def test_compiled(self):
        """The address of a C function: here labs of libm would be wrong, so cffi compiles nothing and a callback
        made by ctypes stands for it."""
        import ctypes
        double = ctypes.POINTER(ctypes.c_double)

        @ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_double, double, double, double)
        def force(_, t, q, v, Q):
            r = math.hypot(q[0], q[1])
            Q[0], Q[1] = -q[0] / r**3, -q[1] / r**3

        address = ctypes.cast(force, ctypes.c_void_p).value
        run = self.kepler(address).run(duration=2 * math.pi, rtol=1e-10, atol=1e-12)
        self.assertAlmostEqual(run["x"][-1], 1, delta=1e-8)

    def test_broken_function(self):
        def force(t, q, v):
            raise RuntimeError("broken")

        with open(os.devnull, "w") as nowhere, warnings.catch_warnings():
            stderr, sys.stderr = sys.stderr, nowhere
            try:
                with self.assertRaises(tr.TrammelError):
                    self.kepler(force).run(duration=1)
            finally:
                sys.stderr = stderr


if __name__ == "__main__":
    unittest.main()
