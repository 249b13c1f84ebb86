"""`auto` notices stiff motion, goes over to radau5 and back; dop853 by name says what it costs."""
import os
import re
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from program import Run, largest_difference

MODELS = Path(os.environ["TRM_SOURCE_DIR"]) / "models"
SAME = ("--rtol", "1e-10", "--atol", "1e-13")  # what `auto` takes by itself
PLACES = [f"{body}.{name}" for body in ("crank", "rod", "slider") for name in ("x", "y", "angle", "vx", "vy", "omega")]


def automatic(name):
    """A shipped model as one who names no method has it, with its folder for tables it reads."""
    text = (MODELS / f"{name}.yaml").read_text()
    model, simulate = text.split("\nsimulate:", 1)
    simulate = re.sub(r"\b(?<!-)(step|integrator|stepping|rtol|atol|reference): *(\{.*?\}|[^,}\n]+)(, *)?", "", simulate)
    return f"{model}\nsimulate:{simulate}"


def slider_crank(damping, *changes):
    text = automatic("slider_crank").replace("damping: 40", f"damping: {damping}")
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    return text


class Stiffness(unittest.TestCase):
    def test_goes_over(self):
        """A damper of 1e6 N s/m: 6200 steps of dop853 for half a second."""
        model = slider_crank("1e6")
        own, radau5 = Run(model), Run(model, "--integrator", "radau5", *SAME)
        self.assertLess(own.summary["steps"], 2000)
        self.assertEqual(own.summary["switches"], 1)
        self.assertLess(own.summary["switch_times"][0], 0.01)
        self.assertGreater(own.summary["stiff_steps"], 5)
        self.assertGreater(own.summary["newton_iterations"], 0)
        self.assertIn(f"radau5 took over from t = {own.summary['switch_times'][0]:.4g}", own.summary["message"])
        self.assertLessEqual(largest_difference(own, radau5, PLACES), 2e-8)

    def test_methods(self):
        """In all coordinates, sparse, by other solvers: the same motion; and with a kept energy."""
        model = slider_crank("1e6")
        own = Run(model)
        for words in (("--coordinates", "angle"), ("--coordinates", "cartesian"), ("--coordinates", "euler-parameters"),
                      ("--linear", "sparse"), ("--solver", "augmented"), ("--stabilization", "partition")):
            other = Run(model, *words)
            self.assertEqual(other.summary["switches"], 1, words)
            self.assertLessEqual(largest_difference(own, other, PLACES), 1e-7, words)
            self.assertLessEqual(other.summary["max_position_violation"], 1e-12, words)
        kept = Run(model, "--energy", "conserve")
        self.assertEqual(kept.summary["switches"], 1)
        self.assertLessEqual(kept.summary["max_energy_error"], 1e-11)

    def test_goes_back(self):
        """A brake that is stiff for a second only, by jumps and smoothly."""
        for law in ("if(t < 1, 10, if(t < 2, 1e6, 10))", "(10 + 1e6*exp(-((t - 1.5)/0.1)^2))"):
            hold = f'  hold: {{type: actuator, of: A, value: "-{law}*A.rate"}}\n\nsimulate:'
            model = slider_crank("0", ("\nsimulate:", hold), ("duration: 5", "duration: 3"))
            own, dop853 = Run(model), Run(model, "--integrator", "dop853", *SAME)
            times = own.summary["switch_times"]
            self.assertEqual(own.summary["switches"], 2, law)
            self.assertTrue(1 <= times[0] < 1.5 < times[1] < 2.2, times)
            self.assertLess(own.summary["steps"], dop853.summary["steps"] / 2)
            self.assertIn(f"from t = {times[0]:.4g} to {times[1]:.4g}", own.summary["message"])
            self.assertLessEqual(largest_difference(own, dop853, PLACES), 2e-6, law)

    def test_does_not_pay(self):
        """A stiff spring that swings: radau5 has to follow it, too, and is not asked often."""
        model = slider_crank("1e7", ("stiffness: 300", "stiffness: 1e9"), ("duration: 5", "duration: 0.2"))
        own, dop853 = Run(model), Run(model, "--integrator", "dop853", *SAME)
        self.assertLessEqual(own.summary["switches"], 6)
        self.assertLess(own.summary["evaluations"], 1.05 * dop853.summary["evaluations"])

    def test_by_name(self):
        """What was asked for by name stays, and says so; so does `auto` where radau5 cannot go on."""
        model = slider_crank("1e6")
        for words in (("--integrator", "dop853"), ("--integrator", "dopri5"), ("--stabilization", "baumgarte")):
            run = Run(model, "--duration", "0.02", *words)
            self.assertEqual(run.summary["switches"], 0)
            self.assertEqual(run.summary["switch_times"], [])
            self.assertIn("stiff from t = 0.0", run.summary["message"], words)
            self.assertIn("radau5", run.summary["message"])

    def test_shipped(self):
        """Of the shipped models only the governor is stiff."""
        for path in sorted(MODELS.glob("*.yaml")):
            text = automatic(path.stem)
            if 'table(' in text or ".csv" in text.split("reference:")[0]:
                continue
            text = re.sub(r"(?m)^reference:.*$", "", text)
            with self.subTest(path.stem):
                run = Run(text)
                self.assertEqual(run.summary["integrator"], "dop853")
                stiff = path.stem == "flyball_governor"
                self.assertEqual(run.summary["switches"], int(stiff))
                self.assertEqual("stiff" in run.summary["message"], stiff)
                if stiff:
                    self.assertLess(run.summary["steps"], 5000)


if __name__ == "__main__":
    unittest.main()
