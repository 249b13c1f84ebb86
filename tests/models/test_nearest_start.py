"""The start is the configuration nearest to what is written, in any units, coordinates and space."""
import math
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from program import Run

ARM, ROD = 1.0, 0.8


def chain(unit, turn, arm=0.3, rod=-0.5):
    """An arm on the ground that must turn, and a rod at its end that may follow as it likes."""
    c, s = math.cos(arm), math.sin(arm)
    x, y = ARM * c + ROD / 2 * math.cos(rod), ARM * s + ROD / 2 * math.sin(rod)
    return f"""
trammel: 1
name: chain
space: planar
gravity: [0, 0]
bodies:
  arm: {{mass: 2, inertia: {0.3 * unit**2!r}, position: [{c * ARM / 2 * unit!r}, {s * ARM / 2 * unit!r}], angle: {arm!r}, points: {{A: [{-ARM / 2 * unit!r}, 0], B: [{ARM / 2 * unit!r}, 0]}}}}
  rod: {{mass: 0.7, inertia: {0.02 * unit**2!r}, position: [{x * unit!r}, {y * unit!r}], angle: {rod!r}, points: {{A: [{-ROD / 2 * unit!r}, 0]}}}}
joints:
  J1: {{type: revolute, connect: [ground, arm.A]}}
  J2: {{type: revolute, connect: [arm.B, rod.A]}}
initial: {{J1.angle: {turn!r}}}
"""


def nearest(turn, arm=0.3, rod=-0.5):
    """The rod's angle by which its points move least: of m|dx|^2 + 2 I (1 - cos) over its angle."""
    end = lambda a: (ARM * math.cos(a), ARM * math.sin(a))
    centre = lambda a, r: (end(a)[0] + ROD / 2 * math.cos(r), end(a)[1] + ROD / 2 * math.sin(r))

    def slope(r):
        (x, y), (x0, y0) = centre(arm + turn, r), centre(arm, rod)
        return 0.7 * ROD / 2 * (-(x - x0) * math.sin(r) + (y - y0) * math.cos(r)) + 0.02 * math.sin(r - rod)

    low, high = rod - 1, rod + 1
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (low, middle) if (slope(middle) > 0) == (slope(high) > 0) else (middle, high)
    return low


class Nearest(unittest.TestCase):
    def test_in_any_units_and_coordinates(self):
        for turn in (0.1, 0.6):
            for unit in (1, 1e4, 1e-4):
                for space, coordinates in (("planar", "natural"), ("planar", "angle"), ("spatial", "natural"), ("spatial", "euler-parameters")):
                    run = Run(chain(unit, turn), "--space", space, "--coordinates", coordinates, "--duration", 0.01)
                    with self.subTest(turn=turn, unit=unit, space=space, coordinates=coordinates):
                        self.assertAlmostEqual(run["rod.angle"][0], nearest(turn), delta=1e-11)

    def test_velocities_of_a_rigid_frame_are_round_off(self):
        """As of a model that was computed: nothing can move, and what is left of its velocities is no contradiction."""
        for size in (1e-14, 1, 1e6):
            run = Run(f"""
trammel: 1
name: frame
space: spatial
gravity: [0, 0, 0]
bodies:
  bar: {{mass: 1, inertia: [1, 1, 1], position: [0.1, 0.2, 0.3], velocity: [{-7 * size!r}, {1.3 * size!r}, {0.7 * size!r}], angular-velocity: [{0.3 * size!r}, {size!r}, {0.1 * size!r}]}}
  plate: {{mass: 1, inertia: [1, 1, 1], position: [-0.3, 0.5, 0.7]}}
joints:
  A: {{type: revolute, connect: [ground, bar], at: [0.3, 0.7, 0.1], axis: [0.6, -0.2, -0.7]}}
  B: {{type: cylindrical, connect: [bar, plate], at: [1, 0.3, 0.4], axis: [0.7, -0.6, 0.4]}}
  C: {{type: rigid, connect: [ground, plate], at: [0, 0, 0]}}
""", "--duration", 0.01)
            with self.subTest(size=size):
                self.assertLess(abs(run["bar.vx"][0]), 1e-12 * size)

    def test_given_velocities_with_few_digits_do_not_open_joints(self):
        """All four are given, three by the one degree of freedom, to ten digits: joints are met to round-off all the same."""
        for decimals in (16, 12, 10):
            rounded = lambda x: round(x, decimals)
            a, b = 1.1, -0.4  # a crank of 1 m, a rod of 2 m and a slider along x
            b = math.asin(-math.sin(a) / 2)
            w, x = 3.0, math.cos(a) + 2 * math.cos(b)
            wb = -w * math.cos(a) / (2 * math.cos(b))
            speed = [-w * math.sin(a) - wb * math.sin(b), w * math.cos(a) + wb * math.cos(b)]
            run = Run(f"""
trammel: 1
name: given
space: planar
bodies:
  crank: {{mass: 1, inertia: 0.1, angle: {a}, angular-velocity: {w}, velocity: [0, 0], points: {{B: [1, 0]}}}}
  rod: {{mass: 2, inertia: 0.3, position: [{math.cos(a) + math.cos(b)!r}, {math.sin(a) / 2!r}], angle: {b!r}, velocity: [{rounded(speed[0])!r}, {rounded(speed[1])!r}], angular-velocity: {rounded(wb)!r}, points: {{B: [-1, 0], C: [1, 0]}}}}
  slider: {{mass: 1, inertia: 0.1, position: [{x!r}, 0], velocity: [{rounded(-w * math.sin(a) - 2 * wb * math.sin(b))!r}, 0], angular-velocity: 0}}
joints:
  A: {{type: revolute, connect: [ground, crank]}}
  B: {{type: revolute, connect: [crank.B, rod.B]}}
  C: {{type: revolute, connect: [rod.C, slider]}}
  D: {{type: prismatic, connect: [ground, slider], axis: [1, 0]}}
outputs: [rod, constraint]
""", "--duration", 0)
            with self.subTest(decimals=decimals):
                self.assertLess(run["constraint.velocity"][0], 1e-14)
                self.assertAlmostEqual(run["rod.omega"][0], wb, delta=2 * 10.0**-decimals + 1e-14)


if __name__ == "__main__":
    unittest.main()
