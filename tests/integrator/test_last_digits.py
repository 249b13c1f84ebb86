"""Tight tolerances ask for no more than the digits that positions, lengths and energies have."""
import math
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from program import Run, largest_difference

MANY = 1000  # steps; it takes about 200
TIGHT = ("--integrator", "dop853", "--rtol", 1e-12, "--atol", 1e-14)

# the shaft is at zero, where a tolerance has nothing but atol, and follows a displacement of 8 m
GEARED = """
trammel: 1
name: Shaft geared to a slide
space: planar
gravity: [1, 2]
bodies:
  b1: {mass: 1, inertia: 1.4, position: [-0.2791705555354816, -3.550445393150281], angle: -1.8206274366630608, points: {P2: [2.84711381604851, 2.6983748070546776]}}
  b2: {mass: 1, inertia: 5.5, position: [1.7318139175945012, -7.841389147576405], angle: -2.219974181006096, points: {P1: [1.3353670045365884, -0.22022984697611278]}}
shafts: {s: {inertia: 0.3}}
joints:
  J1: {type: revolute, connect: [ground, b2], at: [1.0034721337338212, -8.830056302718585]}
  J2: {type: point-on-line, connect: [b2.P1, b1.P2], axis: [0.44103145763513, 0.8974916452960622]}
  J3: {type: gear, joints: [J2, s], ratio: -0.9312476811347198}
outputs: [b1, b2, s]
"""

# a planar loop in space whose axes and points are written with twelve decimals: three rows depend on the others up to these
ROUNDED = """
trammel: 1
name: Redundant up to twelve decimals
space: spatial
gravity: [0, -9.81, 0]
ground: {points: {A: [0, 0, 0], B: [0.3, 0, 0]}}
bodies:
  a: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.06, 0.08, 0], points: {O: [-0.06, -0.08, 0], P: [0, 0, 0]}}
  b: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.36, 0.08, 0], points: {O: [-0.06, -0.08, 0], P: [0, 0, 0]}}
  c: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.21, 0.08, 0], points: {O: [-0.15, 0, 0], P: [0.15, 0, 1e-12]}}
joints:
  J1: {type: revolute, connect: [ground.A, a.O], axis: [0, 0, 1]}
  J2: {type: revolute, connect: [ground.B, b.O], axis: [2e-12, 3e-12, 1]}
  J3: {type: revolute, connect: [a.P, c.O], axes: [[0, 0, 1], [1e-12, 3e-12, 1]]}
  J4: {type: revolute, connect: [b.P, c.P], axes: [[-1e-12, 1e-12, 1], [1e-12, 3e-12, 1]]}
outputs: [a, b, c]
"""

# the last digits of 80 956 J are 1e-11 J, and atol asks for 1e-12 and 1e-13
FAR = """
trammel: 1
name: Driven far from where heights count from
space: planar
gravity: [3, -9.81]
bodies:
  b: {mass: 1, inertia: 0.1, position: [3001, 9170]}
joints:
  J: {type: revolute, connect: [ground, b], at: [3000, 9170]}
  drive: {type: driver, of: J, value: "0.3*t^3/(1 + t)"}
outputs: [b, energy]
"""


class LastDigits(unittest.TestCase):
    def test_an_iteration_ends_where_only_last_digits_of_positions_move(self):
        reference = Run(GEARED, "--duration", 1, "--output-step", 0.1, *TIGHT)
        for atol in (1e-13, 1e-14, 1e-15, 1e-16):
            run = Run(GEARED, "--duration", 1, "--output-step", 0.1, "--integrator", "ida", "--rtol", 1e-9, "--atol", atol)
            self.assertLess(run.summary["steps"], MANY)
            self.assertLessEqual(largest_difference(run, reference), 1e-6)

    def test_a_start_lies_on_the_rows_that_steps_keep(self):
        reference = Run(ROUNDED, "--duration", 0.1, "--output-step", 0.02, *TIGHT)
        for stabilization in ("direct", "partition"):
            for atol in (1e-12, 1e-13, 1e-14):
                run = Run(ROUNDED, "--duration", 0.1, "--output-step", 0.02, "--integrator", "ida", "--stabilization", stabilization,
                          "--rtol", 1e-8, "--atol", atol)
                self.assertLess(run.summary["steps"], MANY)
                self.assertLessEqual(largest_difference(run, reference), 1e-6)

    def test_last_digits_of_the_energy_are_no_error_of_the_work(self):
        omega = lambda t: 0.3 * (3 * t**2 / (1 + t) - t**3 / (1 + t)**2)
        for atol in (1e-11, 1e-12, 1e-13):
            run = Run(FAR, "--duration", 1, "--integrator", "bdf", "--energy", "conserve", "--rtol", 1e-9, "--atol", atol)
            self.assertLess(run.summary["steps"], MANY)
            angle = 0.3 / 2
            work = (1 + 0.1) * omega(1)**2 / 2 - 3 * (math.cos(angle) - 1) + 9.81 * math.sin(angle)
            self.assertAlmostEqual(run.last("energy.work"), work, delta=1e-7)
            self.assertLessEqual(run.summary["max_energy_error"], 1e-8)


if __name__ == "__main__":
    unittest.main()
