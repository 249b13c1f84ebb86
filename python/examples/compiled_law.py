"""A law of one's own at the speed of C, compiled by numba or by cffi; its gains by control.lqr."""
import importlib
import sys
import tempfile
import time

import cffi
import control
import numba
import numpy as np

import trammel as tr

MASS = 2.0


def cart() -> tr.Model:
    m = tr.Model(space="planar", name="Cart", gravity=[0, 0]).ground(points={"O": [0, 0]})
    m.body("cart", mass=MASS, inertia=1, position=[1, 0])
    m.joint("rail", "prismatic", connect=["ground", "cart"], at=[0, 0], axis=[1, 0])
    m.inputs(u={"of": ["cart.x - 1", "cart.vx"], "value": 0})
    m.force("push", "force", point="cart", value=["u + 2", 0])
    return m.outputs("cart").simulate(duration=5, step=1e-4, integrator="rk4", output_step=0.1)


LAW = numba.types.double(numba.types.voidptr, numba.types.double, numba.types.CPointer(numba.types.double),
                         numba.types.CPointer(numba.types.double))


def by_numba(gains):
    k, d = map(float, gains)

    @numba.cfunc(LAW)
    def law(context, t, values, gradient):
        return -k * values[0] - d * values[1]

    return law


def by_cffi(gains, folder):
    """A module in C, as one would have it of a controller that is there already."""
    ffi = cffi.FFI()
    ffi.cdef("double law(void *, double, const double *, double *);")
    ffi.set_source("law_of_cart", f"""double law(void *c, double t, const double *values, double *gradient) {{
      return -{gains[0]!r} * values[0] - {gains[1]!r} * values[1];
    }}""")
    ffi.compile(tmpdir=folder)
    sys.path.insert(0, folder)
    module = importlib.import_module("law_of_cart")
    return module.ffi.addressof(module.lib, "law")


def main() -> None:
    model = cart()
    linear = model.linearize(["u"], ["cart.x"])
    plant = control.ss(linear["A"], linear["B"], linear["C"], linear["D"])
    gains = [float(k) for k in np.asarray(control.lqr(plant, np.eye(2), np.eye(1))[0])[0]]
    # of a double integrator with m = 2: k = 1, d = sqrt(1 + 2 m)
    assert np.allclose(gains, [1, np.sqrt(1 + 2 * MASS)], rtol=1e-8)
    d = gains[1] / (2 * MASS)
    w = np.sqrt(1 / MASS - d**2)
    with tempfile.TemporaryDirectory() as folder:
        laws = {"numba": by_numba(gains), "cffi": by_cffi(gains, folder),
                "Python": lambda t, x, v: -gains[0] * x - gains[1] * v}
        for name, law in laws.items():
            start = time.process_time()
            run = model.with_functions(u=law).run(progress=False)
            took = time.process_time() - start
            expected = 3 - 2 * np.exp(-d * run.t) * (np.cos(w * run.t) + d / w * np.sin(w * run.t))
            error = np.abs(run["cart.x"] - expected).max()
            print(f"{name}: {took:.2f} s, the motion is off by {error:.1e}")
            assert error < 1e-9


if __name__ == "__main__":
    main()
