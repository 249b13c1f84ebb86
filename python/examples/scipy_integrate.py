"""A mechanism under methods of scipy: derivatives and their exact Jacobian.

The methods know nothing of the constraints. They keep to them as well as their tolerance asks, since
the derivatives are those of the constrained motion.
"""
from pathlib import Path

import numpy as np
from scipy.integrate import solve_ivp

import trammel as tr

model = tr.load(Path(tr.__file__).parent / "models" / "four_bar.yaml")
sim = model.simulation()
start = sim.state
own = model.run(duration=1, integrator="dop853", rtol=1e-11, atol=1e-13, progress=False)

for method, more in [("DOP853", {}), ("Radau", {"jac": sim.jacobian})]:
    found = solve_ivp(sim.derivatives, (0, 1), start, method=method, rtol=1e-9, atol=1e-11, **more)
    sim.set_state(1, found.y[:, -1])  # back onto the constraints
    error = abs(sim["crank.angle"] - own["crank.angle"][-1])
    print(f"{method}: {found.nfev} evaluations, {found.njev} Jacobians, the angle is off by {error:.1e}")
    assert error < 1e-6
