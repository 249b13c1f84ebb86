"""A crossing is one event: what was passed lies behind, also where the state there is corrected onto the joints."""
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from program import Run

# Thrown along x, the arm swings: momentum is kept, so the centre of mass goes on at the speed it starts with, and the base,
# whose speed the spin changes by less than that, passes every place once.
MODEL = """
trammel: 1
name: thrown
space: spatial
bodies:
  base: {mass: 2, inertia: [1, 1, 1.5], velocity: [3, 0, 0], angular-velocity: [0.3, 1, 2]}
  arm: {mass: 1, inertia: [0.1, 0.12, 0.13], position: [0.6, 0, 0]}
joints: {A: {type: revolute, connect: [base, arm], at: [0.3, 0, 0], axis: [0, 1, 0.2]}}
initial: {A.rate: 5}
parameters: {place: 1}
states: {passed: {initial: 0}}
events: {here: {when: base.x - place, DIRECTION set: {passed: passed + 1}}}
outputs: [base.x, base.vx, passed, here]
simulate: {duration: 2, coordinates: natural, rtol: 1e-4, atol: 1e-7}
"""


class EventOnce(unittest.TestCase):
    def test_once(self):
        for direction in ("", "direction: rising,"):
            for integrator in ("adams", "bdf", "ida"):
                for k in range(12):
                    place = 1 + 0.37 * k
                    with self.subTest(integrator=integrator, place=place, direction=direction):
                        run = Run(MODEL.replace("DIRECTION", direction), "--integrator", integrator, "--set", f"place={place}")
                        self.assertGreater(min(run["base.vx"]), 2)
                        self.assertGreater(run.last("base.x"), place)
                        self.assertEqual((run.last("passed"), run.last("here.count")), (1, 1))


if __name__ == "__main__":
    unittest.main()
