"""Rotations: quaternions (w, x, y, z), matrices, and the five forms of a model file."""
import numpy as np

from jet import Real, real


def unit(v):
    v = real(v)
    return v / np.sqrt(np.sum(v * v))


def cross(a, b):
    """Of two vectors; numpy's own takes ten times as long."""
    x, y, z = a
    u, v, w = b
    return np.array([y * w - z * v, z * u - x * w, x * v - y * u])


def skew(v):
    return real([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def from_quaternion(q):
    w, x, y, z = unit(q)
    return real([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                 [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                 [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def to_quaternion(R):
    """By the largest component; qw >= 0."""
    R = real(R)
    t = np.trace(R)
    squares = real([1 + t] + [1 - t + 2 * R[i, i] for i in range(3)])
    k = int(np.argmax(squares))
    q = np.zeros(4, dtype=Real)
    if k == 0:
        q[:] = [squares[0], R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]
    else:
        i, j, l = k - 1, k % 3, (k + 1) % 3
        q[0] = R[l, j] - R[j, l]
        q[1 + i], q[1 + j], q[1 + l] = squares[k], R[j, i] + R[i, j], R[l, i] + R[i, l]
    q = unit(q)
    return -q if q[0] < 0 else q


def product(p, q):
    return np.concatenate([[p[0] * q[0] - np.sum(p[1:] * q[1:])], p[0] * q[1:] + q[0] * p[1:] + cross(p[1:], q[1:])])


def conjugate(q):
    return q * real([1, -1, -1, -1])


def about(axis, angle):
    K = skew(unit(axis))
    angle = Real(angle)
    return np.eye(3, dtype=Real) + np.sin(angle) * K + (1 - np.cos(angle)) * (K @ K)


def planar(angle):
    return about([0, 0, 1], angle)


def orthonormal(R):
    """The nearest rotation, to the last digit: Newton's iteration for the polar factor."""
    R = real(R)
    for _ in range(4):
        inverse = real(np.linalg.inv(R.astype(float)))
        inverse = inverse @ (2 * np.eye(3, dtype=Real) - R @ inverse)
        R = (R + inverse.T) / 2
    return R


def across(n):
    """Two directions that make a right-handed triad with n."""
    n = unit(n)
    k = int(np.argmin(np.abs(n)))
    e = unit(cross(n, np.eye(3, dtype=Real)[k]))
    return e, cross(n, e)


def from_form(form):
    """orientation: of a model file, its numbers evaluated"""
    if "quaternion" in form:
        return from_quaternion(form["quaternion"])
    if "axis" in form:
        return about(form["axis"], form["angle"])
    if "euler" in form:
        R = np.eye(3, dtype=Real)
        for letter, angle in zip(form["euler"], form["angles"]):
            R = R @ about(np.eye(3)["xyz".index(letter)], angle)
        return R
    if "x" in form:
        x = unit(form["x"])
        y = real(form["y"])
        y = unit(y - x * np.sum(x * y))
        return np.stack([x, y, np.cross(x, y)], axis=1)
    return orthonormal(form["matrix"])


EULER = ("xyx", "xzx", "yxy", "yzy", "zxz", "zyz", "xyz", "xzy", "yxz", "yzx", "zxy", "zyx")


def euler_angles(R, sequence):
    """Intrinsic angles of one of the twelve sequences."""
    i, j, k = ("xyz".index(letter) for letter in sequence)
    R = np.asarray(R, dtype=float)
    sign = 1 if (j - i) % 3 == 1 else -1
    if i == k:
        l = 3 - i - j
        return [np.arctan2(R[j, i], -sign * R[l, i]), np.arctan2(np.hypot(R[j, i], R[l, i]), R[i, i]),
                np.arctan2(R[i, j], sign * R[i, l])]
    return [np.arctan2(-sign * R[j, k], R[k, k]), np.arctan2(sign * R[i, k], np.hypot(R[j, k], R[k, k])),
            np.arctan2(-sign * R[i, j], R[i, i])]


def roll_pitch_yaw(R):
    return [np.arctan2(R[2, 1], R[2, 2]), np.arctan2(-R[2, 0], np.hypot(R[2, 1], R[2, 2])), np.arctan2(R[1, 0], R[0, 0])]


def random_rotation(rng):
    return from_quaternion(rng.normal(size=4))
