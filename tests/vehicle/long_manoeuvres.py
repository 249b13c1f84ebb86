"""Double lane change and swept steer: methods and formulations against each other, and curves of an independent set-up."""
import csv
import unittest
from pathlib import Path

from vehicle import MODELS, compare_steady, drive, largest_difference, under_the_centres, value_at, without_camber, largest

DATA = Path(__file__).parent / "data"
SETTLED = 0.5  # s: the start is a drop onto the road
METHODS = (("--coordinates", "euler-parameters", "--integrator", "bdf", "--rtol", 1e-5, "--atol", 1e-7),
           ("--coordinates", "euler-parameters", "--integrator", "trapezoidal", "--stepping", "fixed", "--step", 2e-3),
           ("--coordinates", "natural", "--integrator", "bdf", "--rtol", 1e-5, "--atol", 1e-7),
           ("--coordinates", "natural", "--integrator", "three-field", "--stepping", "fixed", "--step", 2.5e-3))


def by_hand(text):
    """Hands cannot jump in their speed: where the law does, three-field stops."""
    return text.replace('  steering: "if', '  steering: "smooth(pulses, 0.02)"\n  pulses: "if')


class Manoeuvres(unittest.TestCase):
    def agree(self, manoeuvre):
        """Without estimates: with steps of 2 ms the propeller shaft's angle, which nothing here depends on, is doubtful."""
        _, first = drive(manoeuvre, *METHODS[0], "--no-estimate", change=by_hand)
        for method in METHODS[1:]:
            with self.subTest(method=method):
                _, other = drive(manoeuvre, *method, "--no-estimate", change=by_hand)
                for name in ("fr_tire.fy", "chassis.vh"):
                    off = largest_difference(first, other, name, SETTLED)
                    print(manoeuvre, method[1], method[3], name, off, flush=True)
                    self.assertLessEqual(off, 0.005, name)

    def test_every_manoeuvre_is_trusted(self):
        """At its own tolerances, with the estimate of the error: none is doubtful."""
        for path in sorted(MODELS.glob("*.yaml")):
            if "\nsimulate:" in path.read_text():
                with self.subTest(manoeuvre=path.stem):
                    summary, _ = drive(path.stem)
                    self.assertEqual(summary["status"], "completed")

    def test_energy_straight_ahead(self):
        """What the drive gives, the tires and dampers take."""
        _, columns = drive("straight", "--no-estimate", "--rtol", 1e-9, "--atol", 1e-11)
        power = columns["drive.power"]
        flows = sum((a + b) / 2 * (t - s) for s, t, a, b in zip(columns["t"], columns["t"][1:], power, power[1:]))
        self.assertGreater(flows, 1e4)
        self.assertTrue(all(abs(off) <= 1e-6 * flows for off in columns["energy.error"]), max(map(abs, columns["energy.error"])) / flows)

    def test_double_lane_change(self):
        self.agree("double_lane_change")

    def test_swept_steer(self):
        self.agree("swept_steer")

    def test_rigid_mounts_are_ten_times_as_fast(self):
        """In processor time, the least of three runs each."""
        rubber, rigid = (min(drive(f"double_lane_change{mounts}", "--no-estimate")[0]["cpu_seconds"] for _ in range(3)) for mounts in ("", "_rigid"))
        print("on rubber", rubber, "on rigid mounts", rigid, flush=True)
        self.assertLess(rubber, 7.5)
        self.assertLessEqual(10 * rigid, rubber)

    def follow(self, manoeuvre, file):
        with open(DATA / file, newline="") as table:
            rows = [{name: float(value) for name, value in row.items()} for row in csv.DictReader(table)]
        # the curves' tires are formulas: no camber, and their load acts under the wheel's centre
        _, columns = drive(manoeuvre, "--rtol", 1e-5, "--atol", 1e-7, tire=without_camber,
                           change=lambda text: under_the_centres(text.replace('"400*(v - chassis.u)"', "0")))
        for name, column in (("yaw_rate", "chassis.r"), ("v_y", "chassis.v"), ("Fy_fr", "fr_tire.fy")):
            peak = max(abs(row[name]) for row in rows)
            off = largest(abs(value_at(columns, column, row["t"]) - row[name]) / peak for row in rows if row["t"] >= SETTLED)
            print(manoeuvre, name, off, flush=True)
            self.assertLessEqual(off, 0.005, name)

    def test_steady_turn(self):
        """On rubber, against the settled simulation."""
        compare_steady(self)

    def test_curve_of_the_double_lane_change(self):
        self.follow("double_lane_change", "dlc.csv")

    def test_curve_of_the_swept_steer(self):
        self.follow("swept_steer", "swept.csv")


if __name__ == "__main__":
    unittest.main()
