"""The 53-body car: its counts, at rest, straight ahead, a step of the steering wheel."""
import json
import os
import re
import subprocess
import unittest

from vehicle import LIMIT, MODELS, PROGRAM, compare_steady, drive, plain_tire, value_at, largest

SANITIZED = "TRM_SANITIZED" in os.environ  # ten times as slow
FILES = ("car", "body", "mounted", "double_wishbone", "corner", "rubber", "steering", "powertrain")


def on_static_tires(text):
    """A vertical force at each wheel's centre, and nothing else, in place of the tires."""
    forces = "forces:\n"
    for corner in ("fl", "fr", "rl", "rr"):
        wheel = f"{corner}_wheel"
        law = f"max(0, 280835.2941*(0.344 - {wheel}.z/cos({wheel}.roll)) - 2000*{wheel}.vz/cos({wheel}.roll))"
        forces += f'  {corner}_spring_of_air: {{type: force, point: {wheel}, value: [0, 0, "{law}"]}}\n'
    text = text.replace("v: 60/3.6", "v: 0").replace("variables:", forces + "variables:").replace("initial: steady", "")
    text = re.sub(r'drive_torque: .*', "drive_torque: 0", text)
    return re.sub(r"(?m)^outputs:.*", "outputs: [chassis, fl_wheel, rl_wheel, fl_spring_of_air, rl_spring_of_air]", text)


def without_forces(text):
    """Use mode 0, and no vertical force either: the wheels hang in the air."""
    text = re.sub(r"(?m)^USE_MODE( *)= \d+", r"USE_MODE\1= 0", text)
    return re.sub(r"(?m)^UNLOADED_RADIUS( *)= \S+", r"UNLOADED_RADIUS\1= 0.1", text)


class Vehicle(unittest.TestCase):
    def count(self, manoeuvre, **expected):
        done = subprocess.run([PROGRAM, "check", MODELS / f"{manoeuvre}.yaml", "--json"], capture_output=True, text=True, timeout=LIMIT)
        self.assertEqual(done.returncode, 0, done.stderr)
        found = json.loads(done.stdout)
        self.assertEqual({key: found[key] for key in expected}, expected)

    def test_counts_of_the_paper(self):
        self.count("straight", bodies=53, joints=49, joint_constraints=184, redundant_constraints=0, degrees_of_freedom=134)

    def test_counts_on_rigid_mounts(self):
        """Six of the body, four wheels that go up and down and turn; half-shafts and differential follow."""
        self.count("double_lane_change_rigid", bodies=43, redundant_constraints=0, degrees_of_freedom=14)

    def test_rigid_mounts_leave_masses(self):
        """Bodies that become one, and a shaft reduced to another speed, keep their energy at the start."""
        (_, rubber), (_, rigid) = (drive(f"double_lane_change{mounts}", "--no-estimate", "--duration", 0.01) for mounts in ("", "_rigid"))
        for name in ("energy.kinetic", "energy.potential"):
            self.assertLessEqual(abs(rigid[name][0] / rubber[name][0] - 1), 1e-9, name)

    @unittest.skipIf(SANITIZED, "long")
    def test_rigid_mounts_within_a_percent(self):
        """Of the peaks, in some hundred steps."""
        lateral = ("fr_tire.fy", "chassis.v", "chassis.r", "chassis.roll", "chassis.ayh")
        loads = tuple(f"{corner}_tire.{measure}" for corner in ("fl", "fr", "rl", "rr") for measure in ("fx", "fy", "fz", "mz"))
        _, exact = drive("double_lane_change_rigid", "--no-estimate", "--rtol", 1e-8, "--atol", 1e-10)
        fixed = ("--integrator", "rk6", "--step", 0.01)
        for most, options, names in (650, (), lateral + loads), (750, fixed, lateral + ("rl_tire.fx",)):
            summary, found = drive("double_lane_change_rigid", "--no-estimate", *options)
            self.assertLessEqual(summary["steps"], most)
            for name in names:
                peak = max(map(abs, exact[name]))
                off = largest(abs(a - b) for a, b in zip(found[name], exact[name]))
                self.assertTrue(off <= 0.01 * peak, f"{options} {name}: {off / peak:.2g}")

    @unittest.skipIf(SANITIZED, "long")
    def test_steady_turn_on_rigid_mounts(self):
        """The steady motion that is found is where the simulation goes."""
        def rigid(text):
            return text.replace("car.yaml", "car_rigid.yaml")
        compare_steady(self, "--integrator", "dop853", "--rtol", 1e-8, "--atol", 1e-10, change=rigid)

    def test_every_manoeuvre_reads(self):
        manoeuvres = [path.stem for path in MODELS.glob("*.yaml") if "\nsimulate:" in path.read_text()]
        self.assertEqual(len(manoeuvres), 12)
        for manoeuvre in manoeuvres:
            with self.subTest(manoeuvre=manoeuvre):
                self.count(manoeuvre, redundant_constraints=0)

    def test_is_short(self):
        self.assertLessEqual(sum(len((MODELS / f"{name}.yaml").read_text().splitlines()) for name in FILES), 400)

    def test_a_moment(self):
        """Short enough for the sanitizers."""
        summary, _ = drive("double_lane_change", "--duration", 0.02)
        self.assertEqual(summary["status"], "completed")

    @unittest.skipIf(SANITIZED, "long")
    def test_at_rest(self):
        """Against an independent program's static equilibrium."""
        _, columns = drive("straight", "--duration", 10, "--integrator", "radau5", "--rtol", 1e-6, "--output-step", 0.5,
                           tire=without_forces, change=on_static_tires)
        last = {name: column[-1] for name, column in columns.items()}
        self.assertLessEqual(abs(last["chassis.z"] - 0.5683897524926729), 1e-7)
        self.assertLessEqual(abs(last["chassis.pitch"] - 0.0006923345525448411), 1e-8)
        self.assertLessEqual(abs(last["fl_wheel.z"] - 0.3282645963533742), 1e-7)
        self.assertLessEqual(abs(last["rl_wheel.z"] - 0.33021176687919623), 1e-7)
        self.assertLessEqual(abs(last["fl_spring_of_air.fz"] - 4419.052530018883), 0.01)
        self.assertLessEqual(abs(last["rl_spring_of_air.fz"] - 3872.2198527241303), 0.01)

    @unittest.skipIf(SANITIZED, "long")
    def test_straight_ahead(self):
        """From the steady motion on, 5 s: the wheels carry the weight, and it does not yaw."""
        _, columns = drive("straight", "--no-estimate")
        self.assertEqual(columns["t"][-1], 5)
        self.assertTrue(all(abs(r) < 1e-5 for r in columns["chassis.r"]), max(map(abs, columns["chassis.r"])))
        for row in 0, -1:
            load = sum(columns[f"{corner}_tire.fz"][row] for corner in ("fl", "fr", "rl", "rr"))
            self.assertLessEqual(abs(load - 1690.372 * 9.81), 0.01)
        self.assertTrue(all(abs(u - columns["chassis.u"][0]) <= 1e-5 for u in columns["chassis.u"]))

    @unittest.skipIf(SANITIZED, "long")
    def test_start_at_rest(self):
        """On its tires, whose bristles hold it: the weight is carried from the start, and all stays where it is but for rolling, which is free."""
        def at_rest(text):
            text = re.sub(r"drive_torque: .*", "drive_torque: 0", text.replace("v: 60/3.6", "v: 0"))
            return text.replace("initial: steady", "initial: equilibrium")
        _, columns = drive("straight", "--no-estimate", "--duration", 1, change=at_rest)
        load = sum(columns[f"{corner}_tire.fz"][0] for corner in ("fl", "fr", "rl", "rr"))
        self.assertLessEqual(abs(load - 1690.372 * 9.81), 1e-5)
        for name, most in (("chassis.y", 1e-8), ("chassis.z", 1e-8), ("chassis.yaw", 1e-8), ("chassis.roll", 1e-7), ("chassis.pitch", 1e-7), ("chassis.x", 1e-5)):
            column = columns[name]
            self.assertTrue(max(column) - min(column) <= most, f"{name}: {max(column) - min(column)}")

    @unittest.skipIf(SANITIZED, "long")
    def test_step_of_the_steering_wheel(self):
        """20 degrees at 80 km/h without drive, tires without relaxation and aligning moment."""
        _, columns = drive("step_steer", "--duration", 2, tire=plain_tire)
        self.assertLessEqual(abs(value_at(columns, "chassis.r", 2) + 0.158), 0.002)


if __name__ == "__main__":
    unittest.main()
