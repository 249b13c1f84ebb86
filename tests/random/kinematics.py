"""A mechanism in motion: points, directions and freedoms as Jets over all bodies' velocities.

The velocities are those of the centres of mass and the angular velocities, body after body, the ground's included: its
columns are not solved for, but they tell the reaction on it.
"""
import numpy as np

import rotation
import signals
from jet import Jet, Real, atan2, dot, norm, real
from rotation import cross

TURN = 2 * np.arccos(Real(-1))
Z = real([0, 0, 1])


class State:
    """Poses and velocities of all bodies at one instant; origins, global axes. `counted` has angles by their names
    ("J.angle"), which tell how many turns were made, and for bodies in space ("b.turn") the quaternion that they have turned
    by since as written, which tells it, too; what it has not, has made none. `beyond` has what is no body's: angles and rates
    of shafts, values of states and filters. `round_off`: what formulas round by, each time they use something."""

    def __init__(self, mechanism, time, x, R, v, w, counted=None, beyond=None):
        self.mechanism, self.time = mechanism, Real(time)
        self.x, self.R, self.v, self.w = real(x), real(R), real(v), real(w)
        self.counted, self.beyond, self.round_off = counted or {}, dict(beyond or {}), lambda: 0
        self.n = mechanism.moved + len(mechanism.shafts)
        self.com = [self.x[i] + self.R[i] @ b.com for i, b in enumerate(mechanism.bodies)]
        self.com_velocity = [self.v[i] + cross(self.w[i], self.com[i] - self.x[i]) for i in range(mechanism.count)]

    @classmethod
    def as_written(cls, mechanism):
        zero = np.zeros((mechanism.count, 3))
        state = cls(mechanism, 0, [b.x for b in mechanism.bodies], [b.R for b in mechanism.bodies], zero, zero)
        signals.as_written(state)
        return state

    def velocities(self):
        """as one vector"""
        parts = []
        for v, w in zip(self.com_velocity, self.w):
            parts += [v[:2], w[2:]] if self.mechanism.planar else [v, w]
        return np.concatenate([*parts, real([self.beyond.get(f"{name}.rate", 0) for name in self.mechanism.shafts])])

    def with_velocities(self, u):
        v, w = self.split(u)
        v = v - np.cross(w, np.array(self.com) - self.x)
        rates = {f"{name}.rate": rate for name, rate in zip(self.mechanism.shafts, real(u)[self.mechanism.moved:])}
        return State(self.mechanism, self.time, self.x, self.R, v, w, self.counted, self.beyond | rates)

    def split(self, u):
        """A vector over all velocities as one row a body: linear and angular."""
        u = real(u)[:self.mechanism.moved].reshape(self.mechanism.count, -1)
        if not self.mechanism.planar:
            return u[:, :3], u[:, 3:]
        zero = np.zeros(len(u), dtype=Real)
        return np.stack([u[:, 0], u[:, 1], zero], 1), np.stack([zero, zero, u[:, 2]], 1)

    # --- what a body carries ---

    def spin_columns(self, body, matrix):
        """matrix @ (angular velocity of the body), as columns over all velocities"""
        row = np.zeros((3, self.n), dtype=Real)
        first = body * self.mechanism.free
        if self.mechanism.planar:
            row[:, first + 2] = matrix[:, 2]
        else:
            row[:, first + 3:first + 6] = matrix
        return row

    def columns_at(self, body, r):
        """Of the velocity that the body has at the global place r."""
        row = self.spin_columns(body, -rotation.skew(r - self.com[body]))
        first = body * self.mechanism.free
        for k in range(2 if self.mechanism.planar else 3):
            row[k, first + k] += 1
        return row

    def velocity_at(self, body, r):
        return self.com_velocity[body] + cross(self.w[body], r - self.com[body])

    def point(self, body, u):
        r = self.x[body] + self.R[body] @ u
        w = self.w[body]
        return Jet(r, self.velocity_at(body, r), cross(w, cross(w, r - self.com[body])), self.columns_at(body, r))

    def direction(self, body, u):
        d = self.R[body] @ u
        w = self.w[body]
        return Jet(d, cross(w, d), cross(w, cross(w, d)), self.spin_columns(body, -rotation.skew(d)))

    # --- freedoms and other scalars ---

    def triads(self, first, second, axis):
        """Right-handed triads carried by both bodies that coincide as written, the last one along `axis` of the first."""
        written = self.mechanism.bodies
        n = written[first].R @ axis
        e, f = rotation.across(n)
        return [[self.direction(b, written[b].R.T @ d) for d in (e, f, n)] for b in (first, second)]

    def angle(self, name, first, second, axis):
        """The twist of the second relative to the first about the first's axis, zero as written."""
        (d0, e0, _), (d1, e1, _) = self.triads(first, second, axis)
        twist = atan2(dot(d1, e0) - dot(e1, d0), dot(d0, d1) + dot(e0, e1))
        near = self.counted.get(name, self.turned(second) - self.turned(first) if self.mechanism.planar else 0)
        return twist + TURN * np.round((Real(near) - twist.value) / TURN)

    def turned(self, body):
        """In the plane: by which angle since as written, where it was counted."""
        name = f"{self.mechanism.bodies[body].name}.angle"
        written = self.mechanism.description["bodies"][name[:-6]].get("angle", 0) if body else 0
        return self.counted.get(name, float(self.mechanism.number(written))) - float(self.mechanism.number(written))

    def relative_turn(self, first, second, axes):
        """In space: the quaternion that the second has turned by relative to the first, in axes that the first carries."""
        turns = [real(self.counted.get(f"{self.mechanism.bodies[b].name}.turn", [1, 0, 0, 0])) for b in (first, second)]
        p = rotation.product(rotation.conjugate(turns[0]), turns[1])
        return np.concatenate([p[:1], axes.T @ p[1:]])

    def displacement(self, ends, axis):
        (b0, u0), (b1, u1) = ends
        now = dot(self.point(b1, u1) - self.point(b0, u0), self.direction(b0, axis))
        bodies = self.mechanism.bodies
        return now - np.sum((bodies[b1].at(u1) - bodies[b0].at(u0)) * (bodies[b0].R @ axis))

    def distance(self, ends):
        (b0, u0), (b1, u1) = ends
        return norm(self.point(b1, u1) - self.point(b0, u0))

    def shaft(self, name):
        row = np.zeros(self.n, dtype=Real)
        row[self.mechanism.moved + list(self.mechanism.shafts).index(name)] = 1
        return Jet(self.beyond.get(f"{name}.angle", Real(0)), self.beyond.get(f"{name}.rate", Real(0)), Real(0), row)

    def freedom(self, name, which):
        if name in self.mechanism.shafts:
            return self.shaft(name)
        joint = self.mechanism.joints[name]
        ends = self.mechanism.ends(joint)
        if which == "displacement":
            return self.displacement(ends, self.mechanism.axes(joint)[0])
        axis = Z if self.mechanism.planar else self.mechanism.axes(joint)[0]
        return self.angle(f"{name}.angle", ends[0][0], ends[1][0], axis)

    def rate_row(self, name):
        """A measure of velocity level over all velocities: "J.rate", "rod.B.vx", "rod.wx", "crank.omega"."""
        owner, _, key = name.rpartition(".")
        if owner in self.mechanism.joints or owner in self.mechanism.shafts:
            return self.freedom(owner, "angle" if key == "rate" else "displacement").row
        if key in ("wx", "wy", "wz", "omega"):
            columns = self.spin_columns(self.mechanism.index[owner], np.eye(3))
            return columns[2 if key == "omega" else "xyz".index(key[1])]
        return self.point(*self.mechanism.end(owner)).row["xyz".index(key[1])]

    def coordinate(self, text):
        """A position-level measure of a joint, a body or a point: "J", "J.angle", "rod.B.x", "crank.angle"."""
        freedom = self.mechanism.freedom(text)
        if freedom:
            return self.freedom(*freedom)
        owner, _, component = text.rpartition(".")
        body, u = self.mechanism.end(owner)
        if component != "angle":
            return self.point(body, u)["xyz".index(component)]
        written = self.mechanism.number(self.mechanism.description["bodies"][owner].get("angle", 0))
        turn = self.angle("", 0, body, Z) + written
        return turn + TURN * np.round((Real(self.counted.get(text, written)) - turn.value) / TURN)
