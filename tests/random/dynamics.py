"""Newton's and Euler's equations of every body with the constraints of every joint, as one linear problem:

    M a + J' lambda = Q        J a = -bias

Multipliers of redundant joints are those of least norm, torques divided by the model's length. The matrix is scaled by
masses and inertias and solved by singular values, then refined with residuals in long doubles.
"""
import numpy as np

import forces
import joints
import rotation
from jet import Real, real

RANK = 1e-9  # below this, relative to the largest singular value, a direction counts as none


class Singular(Exception):
    """There is no gap between the directions that count and those that do not."""


class Motion:
    """Everything at one instant: forces, accelerations, multipliers."""

    def __init__(self, state, measure):
        self.state, mechanism = state, state.mechanism
        self.loads = {name: forces.load(state, name, measure) for name in mechanism.forces}
        self.rows, self.place = [], {}
        for name in mechanism.joints:
            own = joints.rows(state, name)
            self.place[name] = slice(len(self.rows), len(self.rows) + len(own))
            self.rows += own
        self.inertias = [state.R[i] @ b.inertia @ state.R[i].T for i, b in enumerate(mechanism.bodies)]
        self.solve()

    # --- the equations ---

    def mass_matrix(self):
        mechanism = self.state.mechanism
        M = np.zeros((self.state.n, self.state.n), dtype=Real)
        for i, body in enumerate(mechanism.bodies):
            k = i * mechanism.free
            linear = 2 if mechanism.planar else 3
            M[range(k, k + linear), range(k, k + linear)] = body.mass
            M[k + linear:k + mechanism.free, k + linear:k + mechanism.free] = \
                self.inertias[i][2:, 2:] if mechanism.planar else self.inertias[i]
        return M

    def applied(self):
        state = self.state
        Q = np.zeros(state.n, dtype=Real)
        for load in self.loads.values():
            Q = Q + load.effort
        for i, body in enumerate(state.mechanism.bodies):
            Q = Q + body.mass * body.gravity @ state.columns_at(i, state.com[i])
            Q = Q - np.cross(state.w[i], self.inertias[i] @ state.w[i]) @ state.spin_columns(i, np.eye(3))
        return Q

    def jacobian(self):
        return np.array([row.jet.row for row in self.rows], dtype=Real).reshape(-1, self.state.n)

    def bias(self):
        return real([row.jet.bias for row in self.rows])

    # --- their solution ---

    def scales(self):
        """Of velocities, so that a unit of each has about the same kinetic energy; massless rotations as if they had some.
        Each body has one for its translation and one for its rotation: nothing depends on its axes."""
        mechanism = self.state.mechanism
        s = []
        for i, body in enumerate(mechanism.bodies[1:], 1):
            moment = max(np.trace(self.inertias[i]), Real(1e-4) * body.mass * mechanism.length**2)
            s += [1 / np.sqrt(body.mass)] * (2 if mechanism.planar else 3)
            s += [1 / np.sqrt(moment)] * (1 if mechanism.planar else 3)
        return real(s)

    def solve(self):
        state = self.state
        moving = slice(state.mechanism.free, None)  # the ground does not
        self.M = self.mass_matrix()[moving, moving]
        self.J_all = self.jacobian()
        J, Q, bias = self.J_all[:, moving], self.applied()[moving], self.bias()
        m, n = J.shape
        s = self.scales()
        heights = np.sqrt(np.sum((J * s)**2, axis=1))
        r = 1 / np.where(heights > 0, heights, 1)  # of rows
        A = np.zeros((n + m, n + m), dtype=Real)
        A[:n, :n] = s[:, None] * self.M * s
        A[n:, :n] = r[:, None] * J * s
        A[:n, n:] = A[n:, :n].T
        b = np.concatenate([s * Q, -r * bias])
        x, self.condition = _least_squares(A, b)
        self.norm = float(np.sqrt(np.sum(x * x)))  # of the scaled solution
        self.s, self.r = np.concatenate([np.zeros(state.mechanism.free), s]).astype(float), r.astype(float)
        self.accelerations = np.zeros(state.n, dtype=Real)
        self.accelerations[moving] = s * x[:n]
        self.rank, self.stiffest = _rank(A[n:, :n])
        # least norm: of w lambda, over all lambda that hold the same forces
        w = real([1 / state.mechanism.length if row.kind == joints.TORQUE else 1 for row in self.rows])
        load = s * (Q - self.M @ (s * x[:n]))
        self.multipliers = np.zeros(0, dtype=Real)
        if m:
            weight = 1 / np.max(np.abs(s[:, None] * J.T / w))
            y, condition = _least_squares(s[:, None] * J.T / w * weight, load)
            self.multipliers = y * weight / w
            self.condition = max(self.condition, condition)
        self.degrees_of_freedom, self.redundant = n - self.rank, m - self.rank
        self.dependent = self.dependent_joints(A[n:, :n])

    def dependent_joints(self, J):
        """Joints with rows that others make up for."""
        if not self.redundant:
            return []
        U, values, _ = np.linalg.svd(J.astype(float))
        shares = np.abs(U[:, self.rank:]).max(axis=1)
        return [name for name, place in self.place.items() if shares[place].max(initial=0) > 1e-6]

    # --- what follows ---

    def violations(self):
        """Gaps and slips of all rows."""
        return (real([0 if row.velocity_level else row.jet.value for row in self.rows]), real([row.jet.rate for row in self.rows]))

    def joint_force(self, name):
        """On all bodies, over all velocities."""
        k = self.place[name]
        return -self.multipliers[k] @ self.J_all[k]

    def reaction(self, name):
        joint = self.state.mechanism.joints[name]
        body, place = joints.reaction_place(self.state, joint)
        return forces.wrench(self.state, body, self.joint_force(name), place)

    def effort(self, name):
        """Along the last row: of a screw that of its thread."""
        return -self.multipliers[self.place[name]][-1]

    def body_accelerations(self):
        """Of the origins, and angular; one row a body."""
        state = self.state
        a, alpha = state.split(self.accelerations)
        lever = state.x - np.array(state.com)
        return a + np.cross(alpha, lever) + np.cross(state.w, np.cross(state.w, lever)), alpha

    def kinetic(self):
        u = self.state.velocities()[self.state.mechanism.free:]
        return u @ self.M @ u / 2

    def potential(self):
        state = self.state
        weight = sum(body.mass * np.sum(body.gravity * state.com[i]) for i, body in enumerate(state.mechanism.bodies))
        return sum((load.potential for load in self.loads.values()), -weight)

    def momentum(self):
        state = self.state
        p = [body.mass * state.com_velocity[i] for i, body in enumerate(state.mechanism.bodies)]
        l = [np.cross(state.com[i], p[i]) + self.inertias[i] @ state.w[i] for i in range(state.mechanism.count)]
        return sum(p), sum(l)


def _rank(A):
    if not len(A):
        return 0, 1.0
    values = np.linalg.svd(A.astype(float), compute_uv=False)
    counted = values[values > RANK * values[0]]
    return len(counted), counted[-1] / counted[0]


def _least_squares(A, b):
    """x of least norm, and the condition of A."""
    U, values, V = np.linalg.svd(A.astype(float), full_matrices=False)
    rank = int(np.sum(values > RANK * values[0]))
    inverse = lambda r: real(V[:rank].T @ ((U[:, :rank].T @ r.astype(float)) / values[:rank]))
    x = inverse(b)
    for _ in range(3):
        x = x + inverse(b - A @ x)
    return x, values[0] / values[rank - 1]
