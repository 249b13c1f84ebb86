"""Trammel: simulation of constrained multibody systems.

    import trammel as tr
    model = tr.load("four_bar.yaml", L=2)
    run = model.run(duration=5)
    run["rod.B.x"], run.t, run.summary
"""

from ._errors import (Diagnostic, FileError, ModelError, SimulationError, TrammelError,
                      TrammelWarning, UsageError)
from ._library import version as _version
from .comparison import compare
from .methods import Method, methods
from .model import Model, import_robot, load, loads
from .run import Run, read_csv
from .simulation import Simulation
from .system import System

__version__ = _version()
__all__ = ["Diagnostic", "FileError", "Method", "Model", "ModelError", "Run", "Simulation",
           "SimulationError", "System", "TrammelError", "TrammelWarning", "UsageError", "compare", "import_robot",
           "load", "loads", "methods", "read_csv"]
