"""Quantities with their time derivatives: what a constraint needs is found by the rules of differentiation, not by hand.

A Jet has a value, its rate, its bias (the second derivative where all bodies' accelerations are zero) and its row: the
slope of the rate over all bodies' velocities, so that the second derivative is row @ accelerations + bias. The value may
be an array; the row then has one axis more. Numbers are long doubles, so that the reference does not add to the
differences that are looked for.
"""
import numpy as np

Real = np.longdouble


def real(x):
    return np.asarray(x, dtype=Real)


class Jet:
    __array_priority__ = 100  # an array on the left leaves the operation to the Jet

    def __init__(self, value, rate=0, bias=0, row=0):
        self.value, self.rate, self.bias, self.row = value, rate, bias, row

    def __add__(self, other):
        other = lift(other)
        return Jet(self.value + other.value, self.rate + other.rate, self.bias + other.bias, self.row + other.row)

    __radd__ = __add__

    def __neg__(self):
        return Jet(-self.value, -self.rate, -self.bias, -self.row)

    def __sub__(self, other):
        return self + -lift(other)

    def __rsub__(self, other):
        return lift(other) - self

    def __mul__(self, other):
        """By a scalar; an array's own axes stay in front of the row's."""
        other = lift(other)
        if np.ndim(other.value) > np.ndim(self.value):
            return other * self
        value = np.asarray(self.value)
        return Jet(self.value * other.value, self.rate * other.value + self.value * other.rate,
                   self.bias * other.value + 2 * self.rate * other.rate + self.value * other.bias,
                   self.row * other.value + value[..., None] * np.asarray(other.row))

    __rmul__ = __mul__

    def __truediv__(self, other):
        return self * lift(other).through(lambda x: 1 / x, lambda x: -1 / x**2, lambda x: 2 / x**3)

    def __rtruediv__(self, other):
        return lift(other) / self

    def __pow__(self, n):
        n = n.value if isinstance(n, Jet) else n
        return self.through(lambda x: x**n, lambda x: n * x**(n - 1) if n else 0 * x,
                            lambda x: n * (n - 1) * x**(n - 2) if n not in (0, 1) else 0 * x)

    def __getitem__(self, k):
        part = lambda x: x[k] if np.ndim(x) else x
        return Jet(self.value[k], part(self.rate), part(self.bias), part(self.row))

    def __lt__(self, other):
        return self.value < lift(other).value

    def __gt__(self, other):
        return self.value > lift(other).value

    def __le__(self, other):
        return self.value <= lift(other).value

    def __ge__(self, other):
        return self.value >= lift(other).value

    def through(self, f, slope, curvature):
        """f of a scalar"""
        x = self.value
        return Jet(f(x), slope(x) * self.rate, curvature(x) * self.rate**2 + slope(x) * self.bias, slope(x) * self.row)


def lift(x):
    return x if isinstance(x, Jet) else Jet(x)


def dot(a, b):
    a, b = lift(a), lift(b)
    row = 0
    if np.ndim(a.row):
        row = row + b.value @ a.row
    if np.ndim(b.row):
        row = row + a.value @ b.row
    inner = lambda x, y: np.sum(x * y)
    return Jet(inner(a.value, b.value), inner(a.rate, b.value) + inner(a.value, b.rate),
               inner(a.bias, b.value) + 2 * inner(a.rate, b.rate) + inner(a.value, b.bias), row)


def sqrt(x):
    return lift(x).through(np.sqrt, lambda s: 1 / (2 * np.sqrt(s)), lambda s: -1 / (4 * s * np.sqrt(s)))


def norm(a):
    return sqrt(dot(a, a))


def atan2(y, x):
    y, x = lift(y), lift(x)
    r2 = x.value**2 + y.value**2
    turn = x.value * y.rate - y.value * x.rate
    bias = (x.value * y.bias - y.value * x.bias) / r2 - 2 * (x.value * x.rate + y.value * y.rate) * turn / r2**2
    return Jet(np.arctan2(y.value, x.value), turn / r2, bias, (x.value * y.row - y.value * x.row) / r2)
