"""Model-predictive control of the crane in crane.py, with a force that must not exceed a bound.

Every 50 ms a least-squares problem with bounds (scipy.optimize.lsq_linear) chooses the forces of the
next two seconds on the linear model; the first one acts on the mechanism.
"""
import numpy as np
from scipy.linalg import expm
from scipy.optimize import lsq_linear

from crane import STATES, crane

PERIOD, STEPS, BOUND = 0.05, 40, 2.0
WANTED = np.array([1.0, 0, 0, 0])


def sampled(linear: dict) -> tuple[np.ndarray, np.ndarray]:
    """The linear model over one period of a constant force."""
    n = len(linear["A"])
    block = np.zeros((n + 1, n + 1))
    block[:n, :n], block[:n, n:] = linear["A"], linear["B"]
    whole = expm(PERIOD * block)
    return whole[:n, :n], whole[:n, n]


def predictor(linear: dict) -> tuple[np.ndarray, np.ndarray]:
    """Weighted states of all periods: F x + H u."""
    A, b = sampled(linear)
    weights = np.sqrt([10.0, 20, 1, 1])
    F, H = np.zeros((STEPS, 4, 4)), np.zeros((STEPS, 4, STEPS))
    power = np.eye(4)
    for k in range(STEPS):
        for j in range(k + 1):
            H[k, :, j] = np.linalg.matrix_power(A, k - j) @ b
        power = A @ power
        F[k] = power
    return (weights[:, None] * F).reshape(-1, 4), (weights[:, None] * H).reshape(-1, STEPS)


def main() -> None:
    model = crane()
    F, H = predictor(model.linearize(["u"], STATES, states=STATES))
    effort = 0.05 * np.eye(STEPS)
    sim, forces = model.simulation(integrator="dop853"), []
    while sim.t < 9:
        x = np.array([sim["trolley.x"], sim["rope.angle"], sim["trolley.vx"], sim["rope.rate"]])
        target = np.concatenate([-(F @ (x - WANTED)), np.zeros(STEPS)])
        plan = lsq_linear(np.vstack([H, effort]), target, (-BOUND, BOUND)).x
        sim.inputs["u"] = plan[0]
        sim.advance(sim.t + PERIOD)
        forces.append(plan[0])
    print(f"trolley at {sim['trolley.x']:.4f}, swing {sim['rope.angle']:.1e} rad, "
          f"largest force {max(map(abs, forces)):.3f} of {BOUND}")
    assert max(map(abs, forces)) <= BOUND + 1e-9 and max(forces) > 0.99 * BOUND  # the bound is reached
    assert abs(sim["trolley.x"] - 1) < 0.01 and abs(sim["rope.angle"]) < 0.01


if __name__ == "__main__":
    main()
