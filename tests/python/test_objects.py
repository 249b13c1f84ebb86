"""What the package's objects are in a session: shown, copied, pickled, built on, read back, interrupted."""
import ast
import collections
import contextlib
import copy
import io
import json
import multiprocessing
import os
import pickle
import signal
import sys
import tempfile
import threading
import time
import types
import unittest
import warnings
from pathlib import Path
from unittest import mock

if "TRM_INSTALLED" not in os.environ:
    sys.path.insert(0, os.environ["TRM_BUILD_DIR"] + "/python")
import numpy as np  # noqa: E402
import trammel as tr  # noqa: E402

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have it ignored


def cart():
    """A mass of 2 pushed along x by the inputs u and w."""
    m = tr.Model(space="planar", name="cart", gravity=[0, 0])
    m.parameters(m=2).ground(points={"O": [0, 0]}).inputs(u=0, w="3*t")
    m.body("cart", mass="m", inertia=1, position=[0, 0])
    m.joint("rail", "prismatic", connect=["ground", "cart"], at=[0, 0], axis=[1, 0])
    m.force("push", "force", point="cart", value=["u + w", 0])
    return m.simulate(duration=1, rtol=1e-10, atol=1e-12).outputs("cart", "energy")


class Built(unittest.TestCase):
    def test_not_complete(self):
        """A notebook shows what the last line of a cell gives, also of a model that is half built."""
        m = tr.Model(space="planar", name="Half")
        self.assertEqual(repr(m), "<trammel.Model 'Half': not complete>")
        for other in (copy.copy(m), copy.deepcopy(m), pickle.loads(pickle.dumps(m))):
            self.assertEqual(other.document, m.document)
            self.assertRaises(tr.ModelError, other.run)
        self.assertIn("1 body", repr(m.body("b", mass=1, inertia=1)))

    def test_copies_are_built_on(self):
        """What is added to a copy is not in the original: a spring of 8 at 2 kg, 2 rad/s."""
        m = cart()
        for other in (copy.copy(m), copy.deepcopy(m), pickle.loads(pickle.dumps(m)), m.with_parameters(m=2)):
            other.force("spring", "actuator", of="rail", value="-8*rail.displacement")
            self.assertAlmostEqual(max(mode["im"] for mode in other.modes()["modes"]), 2, delta=1e-9)
        self.assertNotIn("spring", m.document["forces"])
        self.assertEqual(max(mode["im"] for mode in m.modes()["modes"]), 0)
        with self.assertRaises(TypeError):
            tr.loads(m.to_yaml()).body("b", mass=1)

    def test_parameters_of_a_copy(self):
        """x = u t²/2m, with what was chosen for the original."""
        m = cart().with_parameters(m=4, inputs={"u": 8, "w": 0})
        for other in (copy.copy(m), pickle.loads(pickle.dumps(m))):
            self.assertAlmostEqual(other.run()["cart.x"][-1], 1, delta=1e-9)

    def test_chosen_values_are_written(self):
        """Those of a built model; a file that was read is not changed, and that is said."""
        m = cart().inputs(v={"of": ["cart.x"], "value": 0}).with_parameters(m=4, inputs={"u": 8, "w": "2*t", "v": 1})
        text = m.to_yaml()
        for part in ("{m: 4}", "u: 8", 'w: "2*t"' if 'w: "2*t"' in text else "w: 2*t", "v: {of: [cart.x], value: 1}"):
            self.assertIn(part, text)
        self.assertAlmostEqual(tr.loads(text).run()["cart.x"][-1], 1 + 1 / 12, delta=1e-9)
        self.assertEqual(m.document["parameters"], {"m": 2})
        placed = cart().set("parameters", P=[1, 2]).with_parameters(**{"P.y": 3}).to_yaml()
        self.assertIn("P: [1, 3]", placed)
        read = tr.loads(text, m=5)
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaisesRegex(tr.UsageError, "cannot take m=5"):
                read.save(Path(folder) / "cart.yaml")
            self.assertTrue(read.fmu(Path(folder) / "cart.fmu").exists())

    def test_sections(self):
        """Keys are those of the model file with _ for -; names of one's own keep theirs."""
        m = cart().set("name", "other").set("gravity", 0, -1).set("gravity", [0, -2])
        self.assertEqual((m.document["name"], m.document["gravity"]), ("other", [0, -2]))
        m.set("parameters", a_b=1).set("outputs", "rail").set("plots", a_way={"x": "cart.x", "y": "cart.y"})
        m.set("optimize", vary={"m": [1, 4]}, minimize="final((cart.x - 1)^2)", subject_to=["final(cart.x) <= 2"])
        m.inputs(u=6, w=0)  # x = 3/m
        self.assertEqual((m.document["parameters"], m.document["outputs"]), ({"m": 2, "a_b": 1}, ["cart", "energy", "rail"]))
        self.assertAlmostEqual(m.optimize()["parameters"]["m"], 3, delta=1e-4)

    def test_state_without_a_rate(self):
        """It changes by events alone: x = t²/4·2 passes 0.125 once."""
        m = cart().inputs(u=1, w=0).state("hits", initial=0)
        m.event("pass", when="cart.x - 0.125", direction="rising", set={"hits": "hits + 1"})
        self.assertEqual(m.outputs("hits").run()["hits"][-1], 1)


class Values(unittest.TestCase):
    def test_inputs_are_read(self):
        """Their values now: of a formula, of what was set, of a state that was restored."""
        sim = cart().simulation()
        start = sim.save()
        self.assertEqual(dict(sim.inputs), {"u": 0, "w": 0})
        sim.inputs["u"] = 5
        self.assertEqual((sim.inputs["u"], sim["cart.ax"]), (5, sim["cart.ax"]))
        self.assertAlmostEqual(sim["cart.ax"], 2.5, delta=1e-12)
        sim.advance(0.5)
        self.assertAlmostEqual(sim.inputs["w"], 1.5, delta=1e-12)
        for other in (copy.copy(sim), pickle.loads(pickle.dumps(sim))):
            self.assertEqual(other.inputs, sim.inputs)
        self.assertEqual(dict(sim.restore(start).inputs), {"u": 0, "w": 0})
        self.assertEqual((len(sim.inputs), "u" in sim.inputs, "v" in sim.inputs), (2, True, False))
        self.assertRaises(KeyError, lambda: sim.inputs["v"])
        with self.assertRaisesRegex(tr.UsageError, "no input 'v'; its inputs are u, w"):
            sim.inputs["v"] = 1

    def test_by_several_threads(self):
        """They take turns: what they read belongs to a state, and the end is that of one thread alone."""
        def pendulum():
            m = tr.Model(space="planar", gravity=[0, -9.81]).ground(points={"O": [0, 0]})
            m.body("bob", mass=1, inertia=0.1, position=[1, 0], points={"O": [-1, 0]})
            return m.joint("pivot", "revolute", connect=["ground.O", "bob.O"]).simulation(step=1e-3, integrator="rk4")

        sim, alone, problems = pendulum(), pendulum(), []

        def work():
            try:
                for _ in range(500):
                    sim.step()
                    x = sim["bob.x"]
                    sim.derivatives(0, sim.state)
                    if not abs(x) <= 1 + 1e-9 or len(sim.save()) != size:
                        problems.append(x)
            except tr.TrammelError as problem:
                problems.append(problem)

        size = len(sim.save())
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for _ in range(2000):
            alone.step()
        self.assertEqual(problems, [])
        np.testing.assert_array_equal(sim.state, alone.state)

    def test_parameters_set_since(self):
        """A copy has them: x = u t²/2m."""
        sim = cart().simulation().set_parameter("m", 8).set_parameter("m", 4)
        sim.inputs.update(u=8, w=0)
        sim.advance(0.5)
        for other in (copy.copy(sim), copy.deepcopy(sim), pickle.loads(pickle.dumps(sim)), sim):
            self.assertAlmostEqual(other.advance(1)["cart.x"], 1, delta=1e-9)

    def test_runs_are_pickled(self):
        """To the last bit, through a file and from another process."""
        run = cart().run(progress=False)
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            there = pool.apply(run_there, (cart(),))
        for other in (pickle.loads(pickle.dumps(run)), there):
            self.assertEqual(other.columns, run.columns)
            for name in run:
                np.testing.assert_array_equal(other[name], run[name])
            self.assertEqual((other.summary["status"], other.messages), ("completed", run.messages))
            self.assertIn("completed", repr(other))
            self.assertIsNone(other._repr_html_())
            with self.assertRaisesRegex(TypeError, "pictures"):
                other.report("report.html")
        with tempfile.TemporaryDirectory() as folder:
            run.write_csv(Path(folder) / "run.csv")
            table = tr.read_csv(Path(folder) / "run.csv")
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(table))["cart.x"], run["cart.x"])


class Bars(unittest.TestCase):
    def said(self, call):
        """What a terminal gets to see, but for bars of runs that are over before a second."""
        with mock.patch("trammel._progress.PATIENCE", -1), contextlib.redirect_stderr(io.StringIO()) as out:
            call()
        shown = [line for line in out.getvalue().split("\r") if line.strip()]
        self.assertEqual(out.getvalue().split("\r")[-1], "")
        return shown

    def test_of_runs_and_studies(self):
        """How far it is, in its own terms, and the line is wiped at the end."""
        bar = r"\[[# ]{30}\] [ 0-9]{3} %  "
        lines = self.said(lambda: cart().run(progress=True, step=1e-5, integrator="rk4"))
        self.assertGreater(len(lines), 0)
        for line in lines:
            self.assertRegex(line, bar + r"t = [0-9.e-]+  ([0-9]+ s left)? +$")
        last = self.said(lambda: cart().sweep({"m": [1, 2, 4]}, record="final(t)", progress=True))[-1]
        self.assertRegex(last, bar + "3 of 3 runs  0 s left +$")
        self.assertEqual(self.said(lambda: cart().run()), [])  # no terminal

    def test_in_a_notebook(self):
        """One output that is updated, and is empty at the end, also of a run that is ended by Ctrl-C."""
        shell = type("ZMQInteractiveShell", (), {})()
        for ended in (False, True):
            shown = []
            display = types.SimpleNamespace(update=shown.append)
            page = types.SimpleNamespace(HTML=str, display=lambda html, display_id: (shown.append(html), display)[1])
            there = {"IPython": types.SimpleNamespace(get_ipython=lambda: shell), "IPython.display": page}
            with mock.patch("trammel._progress.PATIENCE", -1), mock.patch.dict(sys.modules, there):
                if ended:
                    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
                    self.assertRaises(KeyboardInterrupt, lambda: cart().run(duration=1e9, integrator="rk4", step=1e-3))
                else:
                    cart().run(step=1e-5, integrator="rk4")
            self.assertGreater(len(shown), 2)
            for html in shown[:-1]:
                self.assertRegex(html, r"^<progress value='[0-9.e-]+' max='1'></progress> +[0-9]+ %  t = [0-9.e+-]+ ")
            self.assertEqual(shown[-1], "")


class Tutorial(unittest.TestCase):
    def test_notebook(self):
        """Its cells one after the other, and what a notebook would show of their last lines."""
        book = json.loads((Path(os.environ["TRM_SOURCE_DIR"]) / "python/examples/tutorial.ipynb").read_text(encoding="utf-8"))
        names, shown = {}, collections.Counter()
        with contextlib.redirect_stdout(io.StringIO()):
            for cell in [cell for cell in book["cells"] if cell["cell_type"] == "code"]:
                tree = ast.parse("".join(cell["source"]))
                last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
                exec(compile(tree, "tutorial", "exec"), names)
                value = eval(compile(ast.Expression(last.value), "tutorial", "eval"), names) if last else None
                for kind in "_repr_html_", "_repr_svg_":
                    shown[kind] += bool(getattr(value, kind, lambda: "")())
        self.assertGreater(shown["_repr_html_"], 0)
        self.assertGreater(shown["_repr_svg_"], 1)


class Problems(unittest.TestCase):
    def test_of_the_program(self):
        """Messages with a place, with a file alone, with none."""
        said = ("a.yaml:3:5: error: one\n  line 3\n    ^\nb.yaml:7: warning: two\nc.yaml: error: three\ntrammel: error: four\n"
                "note: five\n")
        found = [(d.severity, d.message, d.file, d.line, d.column, d.source) for d in tr.program.read_messages(said)]
        self.assertEqual(found, [("error", "one", "a.yaml", 3, 5, "line 3"), ("warning", "two", "b.yaml", 7, 0, None),
                                 ("error", "three", "c.yaml", 0, 0, None), ("error", "four", None, 0, 0, None),
                                 ("note", "five", None, 0, 0, None)])
        with self.assertRaises(tr.UsageError) as caught:
            cart().run(progress=False).plot("cart.z")
        self.assertIn("cart.z", caught.exception.diagnostics[0].message)

    def test_files(self):
        """They are OSErrors and carry the diagnostics, as all errors do."""
        with self.assertRaises(OSError) as caught:
            tr.load("nowhere.yaml")
        problem = caught.exception
        self.assertIsInstance(problem, tr.FileError)
        self.assertIsInstance(problem, tr.TrammelError)
        self.assertIn("nowhere.yaml", problem.diagnostics[0].file)
        again = pickle.loads(pickle.dumps(problem))
        self.assertEqual((str(again), again.diagnostics), (str(problem), problem.diagnostics))
        with self.assertRaises(tr.FileError):
            cart().run(progress=False).write_csv("/nowhere/run.csv")

    def test_sensitivity(self):
        """x(1) = u/2m: by both methods; Ctrl-C ends each."""
        m = cart().inputs(u=3, w=0)
        for method in ("forward", "adjoint"):
            found = m.sensitivity("m", of="cart.x", method=method)
            self.assertEqual(found["method"], method)
            self.assertAlmostEqual(found["gradient"]["m"], -3 / 8, delta=1e-9)
            swings = cart().inputs(u="sin(20*t)", w=0)
            threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
            start = time.monotonic()
            with self.assertRaises(KeyboardInterrupt):
                swings.sensitivity("m", of="cart.x", method=method, duration=1e5)
            self.assertLess(time.monotonic() - start, 10)
        with self.assertRaises(tr.UsageError):
            m.sensitivity("m", of="cart.x", method="backward")

    def test_systems(self):
        orbit = tr.System([1, 0], [0, 1], mass=lambda t, q: np.eye(2), force=lambda t, q, v: -q)
        self.assertIs(copy.deepcopy(orbit), orbit)
        for call in (lambda: pickle.dumps(orbit), lambda: orbit.with_functions(u=abs), lambda: orbit.with_parameters(k=1)):
            with self.assertRaisesRegex(TypeError, "a system of functions"):
                call()


def run_there(model):
    return model.run(progress=False)


if __name__ == "__main__":
    warnings.simplefilter("error")
    unittest.main()
