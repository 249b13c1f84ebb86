"""Newton's and Euler's equations of every body with the constraints of every joint, as one linear problem:

    M a + J' lambda = Q        J a = -bias

Which rows are independent is decided by geometry alone, as far as they fit together: of a mechanism that was
written with few decimals they are redundant where the others determine them up to the root of what they are open by. multipliers of redundant joints are those of least norm: forces and
torques that they are, torques divided by the model's length. The matrix is scaled by masses and inertias and solved by singular values, refined with residuals
in long doubles, or by elimination in long doubles where masses are many decades apart.
"""
import numpy as np

import forces
import joints
import rotation
from jet import Real, real

RANK = 1e-9  # below this, relative to the largest singular value, a direction counts as none
CLOSED = 2e-14  # of the model's size: a row that is open by more does not fit the others
STEEP = 1e6  # a condition above which singular values do not tell small masses from none


class Motion:
    """Everything at one instant: forces, accelerations, multipliers."""

    def __init__(self, state):
        self.state, mechanism = state, state.mechanism
        self.loads = {name: forces.load(state, name) for name in mechanism.forces}
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
        for k, inertia in enumerate(mechanism.shafts.values(), mechanism.moved):
            M[k, k] = inertia
        return M

    def applied(self):
        state = self.state
        Q = np.zeros(state.n, dtype=Real)
        for load in self.loads.values():
            Q = Q + load.effort
        for i, body in enumerate(state.mechanism.bodies):
            Q = Q + body.mass * body.gravity @ state.columns_at(i, state.com[i])
            Q = Q - rotation.cross(state.w[i], self.inertias[i] @ state.w[i]) @ state.spin_columns(i, np.eye(3))
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
        return real(s + [1 / np.sqrt(inertia) for inertia in mechanism.shafts.values()])

    def lengths(self):
        """Of velocities: what makes speeds of them, divided by the model's length"""
        mechanism = self.state.mechanism
        linear = 2 if mechanism.planar else 3
        body = [Real(1)] * linear + [1 / mechanism.length] * (mechanism.free - linear)
        return real(body * (mechanism.count - 1) + [1 / mechanism.length] * len(mechanism.shafts))

    def solve(self):
        state, mechanism = self.state, self.state.mechanism
        moving = slice(mechanism.free, None)  # the ground does not
        self.M = self.mass_matrix()[moving, moving]
        self.J_all = self.jacobian()
        J, Q, bias = self.J_all[:, moving], self.applied()[moving], self.bias()
        kept = self.kept = self.independent_rows(J)
        s, n = self.scales(), J.shape[1]
        heights = np.sqrt(np.sum((J * s)**2, axis=1))
        r = 1 / np.where(heights > 0, heights, 1)  # of rows
        m = len(kept)
        A = np.zeros((n + m, n + m), dtype=Real)
        A[:n, :n] = s[:, None] * self.M * s
        A[n:, :n] = (r[:, None] * J * s)[kept]
        A[:n, n:] = A[n:, :n].T
        b = np.concatenate([s * Q, -(r * bias)[kept]])
        self.condition = float(np.linalg.cond(A.astype(float)))
        if self.condition < STEEP or self.is_massless():
            x, self.condition = _least_squares(A, b)
        else:
            x = _eliminate(A, b)
        self.norm = float(np.sqrt(np.sum(x * x)))  # of the scaled solution
        self.s, self.r = np.concatenate([np.zeros(mechanism.free), s]).astype(float), r.astype(float)
        self.accelerations = np.zeros(state.n, dtype=Real)
        self.accelerations[moving] = s * x[:n]
        self.multipliers = self.least_multipliers(J, Q - self.M @ (s * x[:n]))

    def is_massless(self):
        """Whether a rotation has no inertia: the matrix may be singular, and what nothing determines does not turn."""
        return any(np.linalg.eigvalsh(I.astype(float))[2 if self.state.mechanism.planar else 0] <= 1e-12 * float(np.trace(I))
                   for I in self.inertias[1:])

    def independent_rows(self, J):
        """As many as the rank, those that stand out most; also the counts and the joints that are redundant."""
        m, n = J.shape
        mechanism = self.state.mechanism
        self.misfit = self.find_misfit()
        A = J.astype(float) * self.lengths().astype(float)
        heights = np.linalg.norm(A, axis=1, keepdims=True)
        A = A / np.where(heights > 0, heights, 1)
        self.rank, self.stiffest = _rank(A, max(RANK, self.misfit**0.5))
        if self.rank == m:  # nothing is redundant
            self.misfit = 0.0
        self.degrees_of_freedom, self.redundant = n - self.rank, m - self.rank
        self.dependent = self.dependent_joints(A)
        if not self.redundant:
            return list(range(m))
        kept, left = [], A.copy()
        for _ in range(self.rank):
            k = int(np.argmax(np.sum(left**2, axis=1)))
            direction = left[k] / np.linalg.norm(left[k])
            left -= np.outer(left @ direction, direction)
            kept.append(k)
        return sorted(kept)

    def find_misfit(self):
        """How far rows were open as written, in lengths of the model, where they do not close: what was written closed has
        no excuse."""
        state, mechanism = self.state, self.state.mechanism
        largest = lambda rows: max((row.gap(mechanism.length) for row in rows), default=0.0)
        closed = CLOSED * max(1, float(np.abs(state.x).max() / mechanism.length))
        if largest(self.rows) <= closed:
            return 0.0
        return self.misfit_as_written()

    def misfit_as_written(self):
        """In lengths of the model; zero where it is round-off, or nothing is redundant."""
        mechanism, as_written = self.state.mechanism, self.state.as_written(self.state.mechanism)
        rows = [row for name in mechanism.joints for row in joints.rows(as_written, name)]
        misfit = max((row.gap(mechanism.length) for row in rows), default=0.0)
        return misfit if misfit > CLOSED * max(1, float(np.abs(self.state.x).max() / mechanism.length)) else 0.0

    def least_multipliers(self, J, load):
        """All that hold the same load: those of least norm."""
        if not len(J):
            return np.zeros(0, dtype=Real)
        lengths = self.lengths()
        w = real([row.weight(self.state.mechanism.length) for row in self.rows])
        A = lengths[:, None] * J.T / w
        y, condition = _least_squares(A, lengths * load, self.rank)
        self.condition = max(self.condition, condition)
        return y / w

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
        l = [rotation.cross(state.com[i], p[i]) + self.inertias[i] @ state.w[i] for i in range(state.mechanism.count)]
        return sum(p), sum(l)


def _rank(A, cut):
    """The rank, and the least singular value that counts."""
    if not len(A):
        return 0, 1.0
    values = np.linalg.svd(A.astype(float), compute_uv=False)
    rank = int(np.sum(values > cut * values[0]))
    return rank, values[rank - 1] / values[0]


def _least_squares(A, b, rank=None):
    """x of least norm, and the condition of A."""
    U, values, V = np.linalg.svd(A.astype(float), full_matrices=False)
    if rank is None:
        rank = int(np.sum(values > RANK * values[0]))
    inverse = lambda r: real(V[:rank].T @ ((U[:, :rank].T @ r.astype(float)) / values[:rank]))
    x = inverse(b)
    for _ in range(3):
        x = x + inverse(b - A @ x)
    return x, values[0] / values[rank - 1]


def _eliminate(A, b):
    """Gauss's elimination with complete pivoting."""
    A, b = A.copy(), b.copy()
    n = len(b)
    order = np.arange(n)
    for k in range(n):
        i, j = np.unravel_index(int(np.argmax(np.abs(A[k:, k:]))), (n - k, n - k))
        i, j = i + k, j + k
        A[[k, i]], b[[k, i]] = A[[i, k]], b[[i, k]]
        A[:, [k, j]], order[[k, j]] = A[:, [j, k]], order[[j, k]]
        factors = A[k + 1:, k] / A[k, k]
        A[k + 1:, k:] -= np.outer(factors, A[k, k:])
        b[k + 1:] -= factors * b[k]
    x = np.zeros(n, dtype=Real)
    for k in range(n - 1, -1, -1):
        x[order[k]] = (b[k] - A[k, k + 1:] @ x[order[k + 1:]]) / A[k, k]
    return x
