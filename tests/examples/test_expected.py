"""The output that examples must have, written by computations of its own: closed forms, or the equation of motion
of the one freedom, derived by hand and integrated here. Its numbers agree to the last printed digit."""
import math
import os
import unittest
from pathlib import Path

EXAMPLES = Path(os.environ.get("TRM_SOURCE_DIR", Path(__file__).resolve().parents[2])) / "examples"
G = 9.81


def integrate(acceleration, angle, rate, end, step):
    """angle'' = acceleration(angle, rate) by Runge and Kutta's method of order four."""
    count = round(end / step)
    h = end / count
    for _ in range(count):
        a = acceleration(angle, rate)
        rate_b = rate + h / 2 * a
        b = acceleration(angle + h / 2 * rate, rate_b)
        rate_c = rate + h / 2 * b
        c = acceleration(angle + h / 2 * rate_b, rate_c)
        rate_d = rate + h * c
        d = acceleration(angle + h * rate_c, rate_d)
        angle += h / 6 * (rate + 2 * rate_b + 2 * rate_c + rate_d)
        rate += h / 6 * (a + 2 * b + 2 * c + d)
    return angle, rate


def four_bar():
    """Four equal bars: the coupler does not turn, crank and rocker turn alike by the angle u.
    Returns the coupler's height and the upward force in pin A."""
    m, inertia, l = 3, 4.04, 4
    about_pin = inertia + m * l**2 / 4
    total = 2 * about_pin + m * l**2

    def acceleration(u, _):
        return -2 * m * G * l * math.cos(u) / total  # V = m g (l/2 + l + l/2) sin u

    u, rate = integrate(acceleration, -math.pi / 4, 0, 5, 5e-4)
    up = acceleration(u, rate) * math.cos(u) - rate**2 * math.sin(u)  # of a point at distance 1
    coupler = m * (l * up + G) / 2  # B and C carry half of it each: it does not turn
    return l * math.sin(u), m * (l / 2 * up + G) + coupler


def build_four_bar():
    height, force = four_bar()
    return f"after 5 s the coupler is at y = {height:.9f} m, pin A carries {force:.3f} N upwards\n"


def load_and_run():
    return f"Four-bar linkage: after 5 s the coupler is at y = {four_bar()[0]:.9f} m\n"


def chaplygin_sleigh():
    """Along the blade s' = a w², w' = −m a s w/(J + m a²) with J = 3 m a²: w = w₀/cosh(u), u = w₀ t/2."""
    a, u = 0.5, 1 * 4 / 2
    gudermann = math.asin(math.tanh(u))
    x, y = 4 * a * (math.tanh(u) ** 2 - math.log(math.cosh(u))), 4 * a * (gudermann - math.tanh(u) / math.cosh(u))
    place = f"({x:.9f}, {y:.9f}), angle {2 * gudermann:.9f}\n"
    return f"blade   {place}exactly {place}"


def double_four_bar_system():
    """Three posts that turn and two beams that do not: T = ½ (3/3 + 2) θ'², V = (3/2 + 2) g sin θ, m = l = 1."""
    theta, _ = integrate(lambda u, _: -3.5 / 3 * G * math.cos(u), math.pi / 2, -1, 10, 5e-4)
    x, y = math.cos(theta), math.sin(theta)
    text = "6 coordinates, 5 constraints, 1 freedom\n"  # three points in the plane, five rods, all lengths independent
    for joint, shift in ((1, 0), (3, 2)):
        text += f"after 10 s joint {joint} is at ({x + shift:.7f}, {y:.7f}) m\n"
    return text


def kepler_orbit():
    """With the half axis 1 and the mass 1: the period is 2π, the energy −1/2, the least distance 1 − e."""
    return f"after 10 revolutions: r = {1 - 0.6:.6f}, |angle| < 1e-5: yes, energy {-0.5:.12f}\n"


def slider_crank_system():
    """Two equal rods: the second's angle is −θ. T = ½ (1/3 + 1/12 + 9/4 sin² θ + 1/4 cos² θ) θ'², V = g sin θ."""
    def acceleration(u, rate):
        s, c = math.sin(u), math.cos(u)
        return -(G * c + 2 * s * c * rate**2) / (2 / 3 + 2 * s * s)

    theta, _ = integrate(acceleration, math.pi / 4, 0, 100, 5e-4)
    return (f"after 100 s the slider is at {2 * math.cos(theta):.5f} m\n"
            "constraints are kept to 1e-7: yes, the energy to 1e-5 J: yes\n")


def save_and_restore():
    """A point on a massless rod, let go horizontally."""
    angle, _ = integrate(lambda u, _: -G * math.cos(u), math.pi, 0, 10, 2e-4)
    return ("the second simulation starts at 5 s\n"
            f"after 10 s the bob is at ({math.cos(angle):.9f}, {math.sin(angle):.9f}) m\n"
            "both simulations have the same state, bit by bit: yes\n")


def from_text():
    """The damped oscillator, from rest."""
    m, k, c, x0 = 2, 202, 4, 0.1
    decay = c / (2 * m)
    omega = math.sqrt(k / m - decay**2)
    text = ""
    for t in (0, 0.25, 0.5, 0.75, 1):
        x = 1 + x0 * math.exp(-decay * t) * (math.cos(omega * t) + decay / omega * math.sin(omega * t))
        text += f"t = {t:.2f} s: x = {x:.9f} m\n"
    return text


def parameter_study():
    """Small swings."""
    return "".join(f"length {l:.2f} m: a swing takes {2 * math.pi * math.sqrt(l / 9.81):.5f} s\n" for l in (0.25, 0.5, 0.75, 1))


def own_integrator():
    """A point on a massless rod, let go horizontally."""
    angle, _ = integrate(lambda u, _: -G * math.cos(u), math.pi, 0, 1, 2e-4)
    return f"after 1 s the bob is at ({math.cos(angle):.7f}, {math.sin(angle):.7f}) m\n"


def inputs():
    """Between two calls of the controller the force is constant, so the motion is a parabola."""
    m, h, x, v, past = 2, 0.01, 0.0, 0.0, math.nan
    text = ""
    for i in range(100):
        a = (200 * (1.2 - x) - 12 * v) / m
        root = v * v - 2 * a * (x - 1)
        if x < 1 < x + v * h + a * h * h / 2:
            past = i * h + 2 * (1 - x) / (v + math.sqrt(root))
        x, v = x + v * h + a * h * h / 2, v + a * h
        if (i + 1) % 25 == 0:
            text += f"t = {(i + 1) * h:.2f} s: x = {x:.7f} m\n"
    return text + f"it last came past 1 m at t = {past:.7f} s\n"


def throw_study():
    """y = v t - g t^2/2, at t = 1 and in the mean over the second."""
    speeds = (1, 3, 5, 7, 9)
    text = ""
    for name, values in (("height", [v - G / 2 for v in speeds]), ("mean(ball.y)", [v / 2 - G / 6 for v in speeds])):
        text += f"{name:<12} from {min(values):8.4f} to {max(values):7.4f}, mean {sum(values) / 5:7.4f}\n"
    return text + f"above the hand: {100 * sum(v > G / 2 for v in speeds) / 5:.0f} %\n"


def modes():
    """A bar on two vertical springs: it swings like a pendulum, moves up and down, and rocks."""
    m, inertia, k, free = 12, 1, 600, 0.4
    stretch = m * G / (2 * k)
    length = free + stretch
    rates = (math.sqrt(2 * k * stretch / length / m), math.sqrt(2 * k / m), math.sqrt(2 * k * 0.25 / inertia))
    return f"at rest at y = {1 - length:.6f} m\n" + "".join(f"vibrates at {w / (2 * math.pi):.6f} Hz\n" for w in rates)


WRITERS = [build_four_bar, chaplygin_sleigh, double_four_bar_system, from_text, inputs, kepler_orbit,
           load_and_run, modes,
           own_integrator, parameter_study, save_and_restore, slider_crank_system, throw_study]


class Expected(unittest.TestCase):
    def test_every_example_is_here(self):
        names = sorted(path.stem for path in EXAMPLES.glob("*.c"))
        self.assertEqual(names, sorted(writer.__name__ for writer in WRITERS))
        self.assertEqual(names, sorted(path.stem for path in EXAMPLES.glob("*.expected")))

    def test_texts(self):
        for writer in WRITERS:
            with self.subTest(writer.__name__):
                self.assertEqual((EXAMPLES / f"{writer.__name__}.expected").read_text(), writer())


if __name__ == "__main__":
    unittest.main()
