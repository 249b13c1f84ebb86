"""A trolley with a hanging load: linear model, LQR by scipy, the loop closed by a Python function.

The same model also is a small model-predictive controller's: see mpc.py.
"""
import numpy as np
from scipy.linalg import solve_continuous_are

import trammel as tr

TROLLEY, LOAD, ROPE, G = 2.0, 1.0, 1.5, 9.81
STATES = ["trolley.x", "rope.angle"]


def crane() -> tr.Model:
    m = tr.Model(space="planar", name="Crane", gravity=[0, -G])
    m.ground(points={"O": [0, 0]})
    m.body("trolley", mass=TROLLEY, inertia=1, position=[0, 0])
    m.body("load", mass=LOAD, inertia=1e-3, position=[0, -ROPE], points={"hook": [0, ROPE]})
    m.joint("rail", "prismatic", connect=["ground", "trolley"], at=[0, 0], axis=[1, 0])
    m.joint("rope", "revolute", connect=["trolley", "load.hook"])
    m.inputs(wanted=0, u={"of": ["trolley.x - wanted", "rope.angle", "trolley.vx", "rope.rate"]})
    m.force("drive", "force", point="trolley", value=["u", 0])
    return m.outputs("trolley.x", "rope.angle", "u").simulate(duration=15, output_step=0.01)


def gains(model: tr.Model) -> np.ndarray:
    linear = model.linearize(["u"], STATES, states=STATES)
    weights = np.diag([100.0, 100, 10, 30])
    riccati = solve_continuous_are(linear["A"], linear["B"], weights, np.eye(1))
    return (linear["B"].T @ riccati)[0]


def main() -> None:
    model = crane()
    linear = model.linearize(["u"], STATES, states=STATES)
    # the load's moment about the hook, by hand: det of the mass matrix over it
    inertia = LOAD * ROPE**2 + 1e-3
    expected = 1 / (TROLLEY + LOAD - (LOAD * ROPE) ** 2 / inertia)
    assert abs(linear["B"][2, 0] - expected) < 1e-9
    k = gains(model)
    loop = model.with_functions(u=lambda t, *x: -float(np.dot(k, x))).with_parameters({"wanted": 1})
    run = loop.run(progress=False)
    closed = np.linalg.eigvals(linear["A"] - linear["B"] @ k[None, :])
    own = {complex(m["re"], m["im"]) for m in model.with_functions(
        u=lambda t, *x: -float(np.dot(k, x))).modes()["modes"]}
    assert all(min(abs(a - b) for b in own) < 1e-5 for a in closed)
    print(f"gains {np.round(k, 3)}; trolley at {run['trolley.x'][-1]:.5f}, "
          f"swing {abs(run['rope.angle'][-1]):.1e} rad")
    assert abs(run["trolley.x"][-1] - 1) < 1e-3 and abs(run["rope.angle"][-1]) < 1e-3


if __name__ == "__main__":
    main()
