"""Formulas of a model file: numbers, parameters, t and measures. Of Jets they give rates, as drivers need them."""
import math
import re

import numpy as np

import jet
from jet import Jet, Real

NAME = re.compile(r"(?<![\w.])[A-Za-z]\w*(?:\.[A-Za-z]\w*)*'?(?!\w)(?!\s*\()")
WORDS = {"and", "or", "not"}


def _smooth(f, slope, curvature):
    return lambda x: x.through(f, slope, curvature) if isinstance(x, Jet) else f(Real(x))


def _piecewise(f):
    """Constant between its jumps."""
    return lambda x: Jet(f(x.value), 0 * x.rate, 0 * x.bias, 0 * x.row) if isinstance(x, Jet) else f(Real(x))


def _choose(c, a, b):
    return a if (c.value if isinstance(c, Jet) else c) else b


def _value(x):
    return x.value if isinstance(x, Jet) else x


def step(x, x0, h0, x1, h1):
    if _value(x) <= x0:
        return h0 + 0 * x
    if _value(x) >= x1:
        return h1 + 0 * x
    s = (x - x0) / (x1 - x0)
    return h0 + (h1 - h0) * s * s * (3 - 2 * s)


def _abs(x):
    return x * _sign(_value(x))


def _sign(x):
    return Real(np.sign(x))


FUNCTIONS = {
    "sin": _smooth(np.sin, np.cos, lambda x: -np.sin(x)),
    "cos": _smooth(np.cos, lambda x: -np.sin(x), lambda x: -np.cos(x)),
    "tan": _smooth(np.tan, lambda x: 1 / np.cos(x)**2, lambda x: 2 * np.tan(x) / np.cos(x)**2),
    "asin": _smooth(np.arcsin, lambda x: 1 / np.sqrt(1 - x * x), lambda x: x / (1 - x * x)**1.5),
    "acos": _smooth(np.arccos, lambda x: -1 / np.sqrt(1 - x * x), lambda x: -x / (1 - x * x)**1.5),
    "atan": _smooth(np.arctan, lambda x: 1 / (1 + x * x), lambda x: -2 * x / (1 + x * x)**2),
    "sinh": _smooth(np.sinh, np.cosh, np.sinh),
    "cosh": _smooth(np.cosh, np.sinh, np.cosh),
    "tanh": _smooth(np.tanh, lambda x: 1 / np.cosh(x)**2, lambda x: -2 * np.tanh(x) / np.cosh(x)**2),
    "exp": _smooth(np.exp, np.exp, np.exp),
    "log": _smooth(np.log, lambda x: 1 / x, lambda x: -1 / x**2),
    "sqrt": _smooth(np.sqrt, lambda x: 1 / (2 * np.sqrt(x)), lambda x: -1 / (4 * x * np.sqrt(x))),
    "atan2": lambda y, x: jet.atan2(y, x) if isinstance(y, Jet) or isinstance(x, Jet) else np.arctan2(Real(y), Real(x)),
    "hypot": lambda x, y: (x * x + y * y)**Real(0.5),
    "abs": _abs,
    "sign": _piecewise(_sign),
    "heaviside": _piecewise(lambda x: Real(x >= 0)),
    "min": lambda *a: min(a, key=_value),
    "max": lambda *a: max(a, key=_value),
    "deg": lambda x: x * (Real(math.pi) / 180),
    "step": step,
    "if_": _choose,
}


def names(text):
    return [name for name in NAME.findall(str(text)) if name not in WORDS and name != "pi"]


def substitute(text, replace):
    """Every name by what `replace` makes of it; None leaves it."""
    def put(match):
        name = match.group()
        new = None if name in WORDS or name == "pi" else replace(name)
        return name if new is None else f"({new})"
    return NAME.sub(put, str(text)) if isinstance(text, str) else text


def evaluate(text, lookup):
    """lookup(name) gives parameters, t and measures."""
    if not isinstance(text, str):
        return Real(text)
    python = NAME.sub(lambda m: m.group() if m.group() in WORDS else f'_("{m.group()}")', text)
    python = re.sub(r"\bif\s*\(", "if_(", python).replace("^", "**")
    numbers = re.sub(r"(?<![\w.\"])((?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)(?![\w\"])", r'N("\1")', python)
    find = lambda name: np.arccos(Real(-1)) if name == "pi" else lookup(name)
    return eval(numbers, {"__builtins__": {}, "_": find, "N": lambda s: Real(float(s)), **FUNCTIONS})
