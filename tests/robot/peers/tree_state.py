"""States in relative coordinates: values of the joints along the tree, in the order of its links."""
import numpy as np

from .imported import matrix, quaternion, quaternion_rate, settings_of


class TreeState:
    """For trees of revolute, prismatic and spherical joints. From the ground on, then from each body that is free, with all that
    hangs on it; neighbours in the order of the joints, shafts last."""

    def __init__(self, simulation, model):
        self.model = model
        rotors = [s for s in model.data.get("shafts") or {}]
        edges = [(n, *j["connect"]) for n, j in model.tree.items()] + [(r, "ground", r) for r in rotors]
        self.order, placed = [], set()
        for root in ["ground", *model.bodies]:
            if root in placed:
                continue
            if root != "ground":
                self.order.append(root)  # free
            placed.add(root)
            waiting = [root]
            while waiting:
                body = waiting.pop(0)
                for name, first, second in edges:
                    other = second if first == body else first if second == body else None
                    if other is not None and other not in placed:
                        self.order.append(name)
                        placed.add(other)
                        waiting.append(other)
        self.offsets, at, start = {}, 0, simulation.state
        for name in self.order:
            if name in model.bodies:
                R0, x0 = model.bodies[name]
                self.offsets[name] = R0.T @ (start[at:at + 3] - x0), R0.T @ matrix(start[at + 3:at + 7])
            if self.is_ball(name):
                self.offsets[name] = self.axes_of(simulation, name, at)
            at += 7 if name in model.bodies else 4 if self.is_ball(name) else 1
        self.count = at

    def is_ball(self, name):
        return name in self.model.tree and self.model.tree[name]["type"] == "spherical"

    def axes_of(self, simulation, name, at):
        """A ball's quaternion as written, and the body's axes that it turns, in space: what turns about each is seen."""
        start, body = simulation.state, self.model.tree[name]["connect"][1]
        written, axes = matrix(start[at:at + 4]), []
        for k in range(3):
            turned = start.copy()
            quarter = matrix(np.sqrt(0.5) * (np.eye(4)[0] + np.eye(4)[k + 1]))
            turned[at:at + 4] = quaternion(written @ quarter)
            simulation.set_state(0, turned)
            R = matrix([simulation[f"{body}.q{c}"] for c in "wxyz"]) @ self.model.bodies[body][0].T
            axes.append(np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / 2)
        simulation.set_state(0, start)
        return written, np.array(axes).T

    def __call__(self, poses, values, rates):
        q, qdot = [], []
        for name in self.order:
            if name in poses:
                R, x, omega, v = poses[name]
                point, axes = self.offsets[name]
                p = quaternion(R @ axes)
                q += [*(x + R @ point), *p]
                qdot += [*(v + np.cross(omega, R @ point)), *quaternion_rate(p, omega)]
            elif self.is_ball(name):
                written, axes = self.offsets[name]
                p = quaternion(written @ axes.T @ values[name] @ axes)
                q += [*p]
                qdot += [*quaternion_rate(p, written @ axes.T @ rates[name])]
            else:
                joint = name if name in values else name[:-len("_rotor")]
                q.append(values[joint])
                qdot.append(rates[joint])
        return np.array(q + qdot)


def state_of(simulation, model, text):
    """A function of poses, values and rates."""
    if settings_of(text)["coordinates"] == "relative":
        return TreeState(simulation, model)
    model.anchor(simulation.state)
    return model.state
