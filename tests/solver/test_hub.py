"""A body with many joints: what is known of the motion holds in every storage of the joints' equations."""
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from extremes import largest
from program import Run, largest_difference

AXES = [[0, 0, 1], [0, 1, 0], [1, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0]]


def hub(joints="", floats=False, outputs=""):
    """Six arms around a hub, each on a hinge of its own."""
    bodies = [f"  arm{i}: {{mass: {1 + 0.1 * i}, inertia: [0.02, 0.03, 0.04], com: [0.2, 0.05, 0], position: [{0.5 * x}, {0.5 * y}, {0.5 * z}]}}"
              for i, (x, y, z) in enumerate(AXES)]
    hinges = [f"  J{i}: {{type: revolute, connect: [hub, arm{i}], at: [{0.5 * x}, {0.5 * y}, {0.5 * z}], axis: {AXES[i]}}}"
              for i, (x, y, z) in enumerate(AXES)]
    base = "" if floats else "  base: {type: revolute, connect: [ground, hub], at: [0, 0, 0], axis: [0, 0, 1]}\n"
    return f"""
trammel: 1
name: hub
space: spatial
gravity: [0, 0, {0 if floats else -9.81}]
bodies:
  hub: {{mass: 2, inertia: [0.1, 0.12, 0.14], position: [0, 0, 0]{', angular-velocity: [1, 2, 3]' if floats else ''}}}
{chr(10).join(bodies)}
joints:
{base}{chr(10).join(hinges)}
{joints}
simulate: {{duration: 0.5, step: 1e-3, output-step: 0.05, integrator: rk4}}
outputs: [hub, energy, constraint{outputs}]
"""


class Hub(unittest.TestCase):
    def test_storages_agree(self):
        """Arms tied by rods that close loops over the hub, and over the ground."""
        ties = """  rod: {type: distance, connect: [arm1, arm2]}
  other: {type: distance, connect: [arm3, arm4]}
  stay: {type: distance, connect: [ground, arm5], at: [[0.1, 1, 0], [0.6, 0.5, 0]]}"""
        for coordinates in "natural", "euler-parameters":
            runs = [Run(hub(ties), "--linear", linear, "--coordinates", coordinates) for linear in ("dense", "sparse", "auto")]
            for run in runs:
                self.assertLess(largest(map(abs, run["energy.error"])), 1e-8)
            for run in runs[1:]:
                self.assertLess(largest_difference(runs[0], run, ["hub.x", "hub.vx", "hub.wz", "hub.az"]), 1e-9)

    def test_floating_hub(self):
        """Nothing acts on it: the energy stays."""
        run = Run(hub(floats=True), "--linear", "sparse")
        self.assertLess(largest(map(abs, run["energy.error"])), 1e-8)

    def test_rows_that_need_the_ground(self):
        """A gear from the hub's turn on the ground to an arm's, which is driven: while the hub is held, both
        ask for the same turn of the arm. The hub turns by half of what is driven."""
        geared = """  gear: {type: gear, joints: [base, J0], ratio: 2}
  turn: {type: driver, of: J0.angle, value: t*t}"""
        for linear in "auto", "sparse", "dense":
            run = Run(hub(geared, outputs=", base.angle"), "--linear", linear)
            for t, angle in zip(run["t"], run["base.angle"]):
                self.assertLess(abs(angle - t * t / 2), 1e-12)


if __name__ == "__main__":
    unittest.main()
