"""`at` with one point for both sides, and with a point each."""
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from program import Run, largest_difference

MODEL = """
trammel: 1
space: spatial
gravity: [0, 0, -9.81]
bodies:
  a: {{mass: 2, inertia: [0.1, 0.2, 0.15], position: [1, 0, 0], orientation: {{axis: [1, 2, 3], angle: 0.7}}{a}}}
  b: {{mass: 1, inertia: [0.2, 0.1, 0.1], position: [2, 1, 0.5], orientation: {{axis: [0, 1, 1], angle: -0.4}}{b}}}
joints: {{rod: {{type: distance, {rod}}}}}
forces:
  spring: {{type: spring-damper, {spring}, stiffness: 50, damping: 1}}
outputs: [a, b, rod, spring]
simulate: {{duration: 1, step: 1e-3, output-step: 0.1, integrator: rk4}}
"""


def local(axis, angle, origin, point):
    """The point in the body's frame, by Rodrigues' formula with the opposite angle."""
    from math import cos, sin, sqrt
    size = sqrt(sum(x * x for x in axis))
    n = [x / size for x in axis]
    d = [p - o for p, o in zip(point, origin)]
    cross = [n[1] * d[2] - n[2] * d[1], n[2] * d[0] - n[0] * d[2], n[0] * d[1] - n[1] * d[0]]
    along = sum(x * y for x, y in zip(n, d))
    return [cos(angle) * x - sin(angle) * c + (1 - cos(angle)) * along * k for x, c, k in zip(d, cross, n)]


class PointsEach(unittest.TestCase):
    A, B, C, D = [1.2, 0.3, 0.1], [2.5, 0.8, 0.2], [0.7, -0.2, 0.4], [1.9, 1.4, 0.9]

    def test_moves_like_named_points(self):
        def named(axis, angle, origin, p, q):
            return f", points: {{P: {local(axis, angle, origin, p)}, Q: {local(axis, angle, origin, q)}}}"

        by_name = MODEL.format(a=named([1, 2, 3], 0.7, [1, 0, 0], self.A, self.C), b=named([0, 1, 1], -0.4, [2, 1, 0.5], self.B, self.D),
                               rod="connect: [a.P, b.P]", spring="connect: [a.Q, b.Q]")
        by_place = MODEL.format(a="", b="", rod=f"connect: [a, b], at: [{self.A}, {self.B}]", spring=f"connect: [a, b], at: [{self.C}, {self.D}]")
        first, second = Run(by_name), Run(by_place)
        self.assertLessEqual(largest_difference(second, first), 1e-9)
        start = sum((p - q) ** 2 for p, q in zip(self.C, self.D)) ** 0.5
        self.assertLessEqual(abs(second["spring.length"][0] - start), 1e-14)

    def test_bad_input(self):
        for rod, message in ((f"connect: [a, b], at: [{self.A}, {self.B}, {self.C}]", "points, one a side"),
                             (f"connect: [ground, b], at: [{self.A}, [1, 2]]", "3 numbers"),):
            failed = Run(MODEL.format(a="", b="", rod=rod, spring="connect: [a, b]"), status=3)
            self.assertIn(message, failed.error)
        model = MODEL.format(a="", b=", points: {P: [0, 0, 0]}", rod=f"connect: [a, b.P], at: [{self.A}, {self.B}]", spring="connect: [a, b]")
        self.assertIn("'b.P' names one already", Run(model, status=3).error)


if __name__ == "__main__":
    unittest.main()
