"""A crossing is one event: what was passed lies behind, also where the state there is corrected onto the joints. The last row of a
run that an event stops."""
import math
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


# v' = 3 - v from 1: the last row lies between two others, and has its own work, (v^2 - 1)/2.
PUSHED = """
trammel: 1
space: planar
bodies: {cart: {mass: 1, inertia: 0.1, velocity: [1, 0]}}
joints: {rail: {type: prismatic, connect: [ground, cart], axis: [1, 0]}}
forces: {push: {type: force, point: cart, value: [3 - cart.vx, 0]}}
events: {enough: {when: t - 0.333, stop: true}}
outputs: [cart.vx, energy]
simulate: {duration: 1, output-step: 0.1, rtol: 1e-8, atol: 1e-10}
"""


class EventOnce(unittest.TestCase):
    def test_work_where_an_event_stops(self):
        for integrator in ("auto", "dop853", "dopri5", "radau5", "adams", "bdf", "ida"):
            with self.subTest(integrator=integrator):
                run, speed = Run(PUSHED, "--integrator", integrator), 3 - 2 * math.exp(-0.333)
                self.assertAlmostEqual(run.last("cart.vx"), speed, delta=1e-6)
                self.assertAlmostEqual(run.last("energy.work"), (speed**2 - 1) / 2, delta=1e-6)

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
