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

# falls from the start on; the other event is in the step behind the first
FALLING = """
trammel: 1
space: spatial
gravity: [-9.5, -2, 1.7]
bodies:
  b: {mass: 3.6, inertia: [0.4, 0.3, 0.4, -0.03, 0.004, 0.004], position: [-0.66, -0.38, 1.07], orientation: {axis: [1, 2, 3], angle: 1},
      angular-velocity: [0.5, 1, -0.7], points: {Q: [0.2, -0.1, 0.3]}}
joints: {J: {type: spherical, connect: [ground, b], at: [-0.19, -0.51, 0.04]}}
parameters: {place: 0, time: 0}
events: {here: {when: b.Q.y - place}, soon: {when: t - time}}
outputs: [b.Q.y, b.Q.vy, here]
simulate: {duration: 0.3, output-step: 0.005, rtol: 1e-10, atol: 1e-13}
"""

# what it sets moves its own formula by less than last digits of the time do, back before zero
NUDGED = """
trammel: 1
space: planar
bodies: {cart: {mass: 1, inertia: 0.1, position: [-0.9, 0], velocity: [3, 0]}}
joints: {rail: {type: prismatic, connect: [ground, cart], axis: [1, 0]}}
states: {z: {initial: 0}}
events: {here: {when: "DIRECTION(cart.x + z)", ONLY set: {z: z - 1.5e-16}}}
outputs: [cart.x, here, z]
simulate: {duration: 1}
"""


class EventOnce(unittest.TestCase):
    def test_what_it_sets_is_round_off(self):
        for sign, only in (("", "direction: rising,"), ("-", "direction: falling,"), ("", ""), ("-", "")):
            for integrator in ("auto", "dopri5", "radau5", "adams", "bdf", "ida", "three-field"):
                with self.subTest(sign=sign, only=only, integrator=integrator):
                    run = Run(NUDGED.replace("DIRECTION", sign).replace("ONLY", only), "--integrator", integrator)
                    self.assertEqual(run.last("here.count"), 1)

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

    def test_once_with_another_event_soon_behind(self):
        run = Run(FALLING, "--set", "place=-100", "--set", "time=100")
        self.assertLess(max(run["b.Q.vy"]), 0)
        for k in range(1, 40):
            for share in (0.1, 0.5, 0.9):
                place, time = run["b.Q.y"][k] * (1 - share) + run["b.Q.y"][k + 1] * share, run["t"][k + 1] + 0.003 * (1 - share)
                with self.subTest(place=place, time=time):
                    self.assertEqual(Run(FALLING, "--set", f"place={place!r}", "--set", f"time={time!r}").last("here.count"), 1)


if __name__ == "__main__":
    unittest.main()
