"""A gymnasium environment: swing a pole up on a cart that a crank and a connecting rod push.

Crank, rod and cart are a closed loop. The action is the torque at the crank, the cart's stroke is
what the crank allows. The policy at the end pumps energy into the pole and catches it at the top.
"""
import gymnasium
import numpy as np
from gymnasium import spaces

import trammel as tr

CRANK, ROD, POLE, G, TORQUE = 0.5, 1.5, 0.6, 9.81, 60.0


def mechanism() -> tr.Model:
    """The crank stands upright, the pole hangs."""
    x = float(np.sqrt(ROD**2 - CRANK**2))
    m = tr.Model(space="planar", name="Swing-up", gravity=[0, -G])
    m.ground(points={"O": [0, 0]}).inputs(torque=0)
    m.body("crank", mass=1, inertia=0.02, position=[0, CRANK / 2], points={"O": [0, -CRANK / 2], "A": [0, CRANK / 2]})
    m.body("rod", mass=0.5, inertia=0.1, position=[x / 2, CRANK / 2],
           points={"A": [-x / 2, CRANK / 2], "B": [x / 2, -CRANK / 2]})
    m.body("cart", mass=1, inertia=0.1, position=[x, 0])
    m.body("pole", mass=0.2, inertia=0.2 * POLE**2 / 12, position=[x, -POLE / 2],
           points={"pivot": [0, POLE / 2]})
    m.joint("O", "revolute", connect=["ground.O", "crank.O"])
    m.joint("A", "revolute", connect=["crank.A", "rod.A"])
    m.joint("B", "revolute", connect=["rod.B", "cart"])
    m.joint("rail", "prismatic", connect=["ground", "cart"], at=[x, 0], axis=[1, 0])
    m.joint("pivot", "revolute", connect=["cart", "pole.pivot"])
    m.force("motor", "actuator", of="O", value="torque - 0.5*O.rate")
    return m


class SwingUp(gymnasium.Env):
    """Observation: crank angle and rate, pole angle from below and rate. Action: torque in [-1, 1]."""

    metadata = {"render_modes": []}

    def __init__(self, period: float = 0.01, steps: int = 2000):
        self.period, self.steps = period, steps
        self.action_space = spaces.Box(-1, 1, (1,), np.float64)
        self.observation_space = spaces.Box(-np.inf, np.inf, (4,), np.float64)
        self.sim = mechanism().simulation(integrator="dop853", rtol=1e-8, atol=1e-10)
        self.start = self.sim.save()

    def _observe(self) -> np.ndarray:
        return np.array([self.sim[name] for name in ("crank.angle", "crank.omega", "pole.angle", "pole.omega")])

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.sim.restore(self.start)
        self.count = 0
        return self._observe(), {}

    def step(self, action):
        self.sim.inputs["torque"] = TORQUE * float(np.clip(action[0], -1, 1))
        self.sim.advance(self.sim.t + self.period)
        self.count += 1
        seen = self._observe()
        return seen, -np.cos(seen[2]) - 0.01 * seen[3] ** 2, False, self.count >= self.steps, {}


class EnergyPump:
    """Holds the crank near its upright by a servo whose target moves the cart with the pole, until the
    pole has the energy of its upright; then LQR holds it there."""

    def __init__(self) -> None:
        from scipy.linalg import solve_continuous_are
        up = mechanism()
        up.document["bodies"]["pole"].update(angle=np.pi, position=[float(np.sqrt(ROD**2 - CRANK**2)), POLE / 2])
        linear = up.linearize(["torque"], states=["crank.angle", "pole.angle"])
        riccati = solve_continuous_are(linear["A"], linear["B"], np.diag([10.0, 100, 1, 10]), 0.05 * np.eye(1))
        self.gain = (20 * linear["B"].T @ riccati)[0]

    def __call__(self, seen: np.ndarray) -> list[float]:
        crank, crank_rate, pole, rate = seen
        up = (pole + 2 * np.pi) % (2 * np.pi) - np.pi  # from the upright
        if abs(up) < 0.4 and abs(rate) < 4:
            return [-float(self.gain @ [crank, up, crank_rate, rate]) / TORQUE]
        lacking = 2 * POLE / 2 * G * 0.2 - (0.2 * POLE**2 / 3 * rate**2 / 2 + 0.2 * G * POLE / 2 * (1 - np.cos(pole)))
        push = np.clip(60 * lacking, -25, 25) * np.sign(rate * np.cos(pole))
        return [(push - 20 * crank - 4 * crank_rate) / TORQUE]


def main() -> None:
    env, policy = SwingUp(), EnergyPump()
    seen, _ = env.reset(seed=1)
    heights, done = [], False
    while not done:
        seen, _, _, done, _ = env.step(policy(seen))
        heights.append(-np.cos(seen[2]))
    up = next((k for k in range(len(heights)) if min(heights[k:]) > 0.95), None)
    print(f"upright from t = {up * env.period if up is not None else np.nan:.2f} s on; crank at {seen[0]:.3f} rad, "
          f"loop closed to {env.sim['constraint.position']:.1e}")
    assert up is not None and min(heights[-200:]) > 0.99


if __name__ == "__main__":
    main()
