"""A mechanism: read from a file or a text, or built call by call."""

from __future__ import annotations

import contextlib
import copy
import os
import tempfile
import warnings
from pathlib import Path
from typing import Any, Callable, Iterator, Mapping, Optional, Sequence, Union

from . import _yaml
from ._library import (Diagnostics, encode, error, ffi, lib, number, required, settings, strings,
                       text)
from ._errors import Diagnostic, TrammelError, TrammelWarning, UsageError
from . import analysis, program, sweep as studies
from .functions import Function, bind, one_by_one
from .run import Run, Table
from .simulation import Simulation

PathLike = Union[str, "os.PathLike[str]"]

LISTS = ("outputs", "include")  # sections to which entries are added
# sections whose keys are names of the user's own, which keep their `_`
NAMED = ("parameters", "bodies", "joints", "forces", "shafts", "inputs", "variables", "states",
         "events", "initial", "metrics", "plots", "guess")


def overrides(parameters: Mapping[str, Any], inputs: Mapping[str, Any]) -> list[str]:
    values = [f"{name}={number(value, name)}" for name, value in parameters.items()]
    for name, value in inputs.items():
        file = isinstance(value, (str, os.PathLike)) and str(value).endswith(".csv")
        values.append(f"inputs.{name}={os.path.abspath(value) if file else number(value, name)}")
    return values


def _words(keys: Mapping[str, Any]) -> dict[str, Any]:
    """output_step is output-step in a model file, from_ is from."""
    return {key.rstrip("_").replace("_", "-"): value for key, value in keys.items()}


class Model:
    """A mechanism. Sections and keys are those of the model file, `_` in place of `-`:

        m = Model(space="planar", gravity=[0, -9.81])
        m.ground(points={"O": [0, 0]})
        m.body("bob", mass=1, inertia=0, position=[-1, 0], points={"O": [1, 0]})
        m.joint("pivot", "revolute", connect=["ground.O", "bob.O"])
        run = m.run(duration=10)

    Formulas are strings. `to_yaml()` shows the model file that these calls have written.
    """

    def __init__(self, space: str = "planar", **sections: Any):
        self.document: dict[str, Any] = {"trammel": 1}
        self.document.update({"name": sections.pop("name", "model"), "space": space})
        self.document.update(_words(sections))
        self._path: Optional[str] = None
        self._text: Optional[str] = None
        self._name = f"{self.document['name']}.yaml"
        self._parameters: dict[str, Any] = {}
        self._inputs: dict[str, Any] = {}
        self._functions: dict[str, Function] = {}
        self._pointer: Any = None
        self._built: Optional[str] = None
        self.messages: tuple[Diagnostic, ...] = ()

    @staticmethod
    def _of(document: Mapping[str, Any], path: Optional[str], source: Optional[str], name: str,
            parameters: Mapping[str, Any], inputs: Mapping[str, Any],
            functions: Mapping[str, Function]) -> "Model":
        """Of these parts, not compiled yet."""
        model = Model.__new__(Model)
        model.document = copy.deepcopy(dict(document))
        model._path, model._text, model._name = path, source, name
        model._parameters, model._inputs = dict(parameters), dict(inputs)
        model._functions = dict(functions)
        model._pointer, model._built, model.messages = None, None, ()
        return model

    def _parts(self) -> tuple[Any, ...]:
        return (self.document, self._path, self._text, self._name, self._parameters, self._inputs,
                self._functions)

    def _compiled(self) -> "Model":
        self._handle()
        return self

    # building

    def _section(self, section: str, name: str, entry: Mapping[str, Any]) -> "Model":
        self._writable()
        entries = self.document.setdefault(section, {})
        if name in entries:
            raise ValueError(f"{section}: there is a '{name}' already")
        entries[name] = _words(entry)
        return self

    def _writable(self) -> None:
        if not self.document:
            raise TypeError("this model was read from a file; build with Model(space=…)")

    def body(self, name: str, **keys: Any) -> "Model":
        """body("rod", mass=1, inertia=0.1, position=[0, 0], points={"A": [0, 1]})"""
        return self._section("bodies", name, keys)

    def joint(self, name: str, type: str, **keys: Any) -> "Model":
        """joint("A", "revolute", connect=["ground.O", "rod.A"])"""
        return self._section("joints", name, {"type": type, **keys})

    def force(self, name: str, type: str, **keys: Any) -> "Model":
        """force("push", "force", point="rod.A", value=["u", 0])"""
        return self._section("forces", name, {"type": type, **keys})

    def shaft(self, name: str, **keys: Any) -> "Model":
        """An inertia with one rotation and no place."""
        return self._section("shafts", name, keys)

    def state(self, name: str, initial: Any, rate: Any = None) -> "Model":
        """What is integrated beside the motion: its rate is a formula. Without one it changes by
        events alone."""
        keys = {"initial": initial} if rate is None else {"initial": initial, "rate": rate}
        return self._section("states", name, keys)

    def event(self, name: str, **keys: Any) -> "Model":
        """event("touch", when="ball.y - r", direction="falling", stop=True)"""
        return self._section("events", name, keys)

    def set(self, section: str, *values: Any, **keys: Any) -> "Model":
        """Any section: set("parameters", L=1), set("outputs", "rod", "energy"), set("road", "flat"),
        set("optimize", vary={"L": [1, 2]}, minimize="final(rod.x)", subject_to=["final(t) > 1"])."""
        self._writable()
        if section in LISTS:
            self.document.setdefault(section, []).extend(values)
        elif values:
            self.document[section] = values[0] if len(values) == 1 else list(values)
        if keys:
            words = keys if section in NAMED else _words(keys)
            self.document.setdefault(section, {}).update(words)
        elif not values:
            self.document.setdefault(section, {})
        return self

    def parameters(self, **values: Any) -> "Model":
        """Numbers, or formulas of other parameters."""
        return self.set("parameters", **values)

    def ground(self, **keys: Any) -> "Model":
        """ground(points={"O": [0, 0]})"""
        return self.set("ground", **keys)

    def inputs(self, **values: Any) -> "Model":
        """Numbers, formulas of t, or what a function is of: inputs(u={"of": ["cart.x"]})."""
        return self.set("inputs", **values)

    def variables(self, **values: Any) -> "Model":
        """Formulas with names."""
        return self.set("variables", **values)

    def initial(self, values: Mapping[str, Any]) -> "Model":
        """Measures that have these values at the start: initial({"A.angle": 0.5})."""
        self._writable()
        self.document.setdefault("initial", {}).update(values)
        return self

    def simulate(self, **keys: Any) -> "Model":
        """Methods and duration: simulate(duration=5, integrator="dop853")."""
        return self.set("simulate", **keys)

    def outputs(self, *measures: str, **formulas: str) -> "Model":
        """outputs("rod", "energy", tip_speed="hypot(rod.B.vx, rod.B.vy)")"""
        return self.set("outputs", *measures, *({name: text} for name, text in formulas.items()))

    def metrics(self, **formulas: str) -> "Model":
        """Numbers of a run: metrics(top="max(rod.B.y)")."""
        return self.set("metrics", **formulas)

    # text

    def _source(self) -> str:
        """The model file without values that were chosen since."""
        if self._path is not None:
            return Path(self._path).read_text(encoding="utf-8")
        return self._text if self._text is not None else _yaml.dump(self.document)

    def to_yaml(self) -> str:
        """The model file, as read or as these calls have written it. A built model's has the values that
        were chosen since; with other values than its file a model that was read has none: an error."""
        chosen = {**self._parameters, **self._inputs}
        if not chosen:
            return self._source()
        if not self.document or any(str(value).endswith(".csv") for value in chosen.values()):
            said = ", ".join(f"{name}={value}" for name, value in chosen.items())
            raise UsageError(f"a model file cannot take {said}: save the model without, and give values when "
                             "it is loaded")
        document = copy.deepcopy(self.document)
        for name, value in self._parameters.items():
            vector, _, component = name.partition(".")
            if component:
                entry = list(document["parameters"][vector])
                entry["xyz".index(component)] = value
                document["parameters"][vector] = entry
            else:
                document["parameters"][name] = value
        for name, value in self._inputs.items():
            entry = document["inputs"][name]
            document["inputs"][name] = {**entry, "value": value} if isinstance(entry, dict) else value
        return _yaml.dump(document)

    def save(self, path: PathLike) -> None:
        """Writes the model file."""
        Path(path).write_text(self.to_yaml(), encoding="utf-8")

    @contextlib.contextmanager
    def _file(self) -> Iterator[Path]:
        """The model file; of a model that has none, one that is written for a while, beside where
        it would be: tables and meshes are looked for there."""
        if self._functions:
            raise TypeError("functions in place of inputs stay in this process: a model file has none")
        if self._path is not None:
            yield Path(self._path)
            return
        beside = os.path.dirname(os.path.abspath(self._name))
        handle, name = tempfile.mkstemp(".yaml", ".trammel-",
                                        beside if os.access(beside, os.W_OK) else None)
        os.close(handle)
        try:
            Path(name).write_text(self._source(), encoding="utf-8")
            yield Path(name)
        finally:
            os.unlink(name)

    # compiled

    def _handle(self) -> Any:
        source = None if self._path is not None else self._source()
        if self._pointer is not None and source == self._built:
            return self._pointer
        diagnostics, status = Diagnostics(), ffi.new("trm_status *")
        array, _kept = strings(overrides(self._parameters, self._inputs))
        if source is None:
            pointer = lib.trm_model_load(encode(self._path), array, diagnostics.pointer, status)
        else:
            pointer = lib.trm_model_load_text(source.encode(), encode(self._name), array,
                                              diagnostics.pointer, status)
        self._pointer = ffi.gc(required(pointer, status, diagnostics), lib.trm_model_destroy)
        self._built = source
        self._bound = [bind(self._pointer, name, function)
                       for name, function in self._functions.items()]
        self.messages = diagnostics.check(lib.TRM_OK, 5)
        return self._pointer

    def _settings(self, keys: Mapping[str, Any]) -> Any:
        chosen = ffi.new("trm_settings *", lib.trm_model_settings(self._handle())[0])
        settings(chosen, dict(keys))
        return chosen

    def with_functions(self, together: Optional[Mapping[Any, Function]] = None,
                       **functions: Function) -> "Model":
        """The same model with functions in place of inputs: of t and of what the input is `of`,
        inputs={"u": {"of": ["cart.x", "cart.vx"], "value": 0}}. They are called in every stage of
        every step. A Python function is f(t, *values). A compiled one runs at the speed of C: an
        address, a cfunc of numba, a function of ctypes or cffi of the type
        double f(void *, double t, const double *values, double *gradient).
        One Python function may give several inputs that are of the same: {("u", "v"): f}, where f
        returns a sequence or array; it is called once for all."""
        other = self.__copy__()
        other._functions.update(one_by_one({**(together or {}), **functions}))
        return other._compiled()

    def with_parameters(self, inputs: Optional[Mapping[str, Any]] = None,
                        **parameters: Any) -> "Model":
        """The same model with other values of parameters and inputs."""
        other = self.__copy__()
        other._parameters.update(parameters)
        other._inputs.update(inputs or {})
        return other._compiled()

    def __copy__(self) -> "Model":
        """It can be built on where this one was built by calls."""
        return Model._of(*self._parts())

    def __deepcopy__(self, memo: Any) -> "Model":
        return self.__copy__()

    def __reduce__(self) -> Any:
        return Model._of, self._parts()

    # facts

    @property
    def name(self) -> str:
        """The model's `name`."""
        return text(lib.trm_model_name(self._handle()))

    @property
    def description(self) -> str:
        """The model's `description`."""
        return text(lib.trm_model_description(self._handle()))

    @property
    def space(self) -> Optional[str]:
        """"planar" or "spatial"; None of a system of one's own."""
        if lib.trm_model_is_system(self._handle()):
            return None
        planar = lib.trm_model_space(self._handle()) == lib.TRM_PLANAR
        return "planar" if planar else "spatial"

    @property
    def input_names(self) -> list[str]:
        """Of all inputs, in the order of the model."""
        handle = self._handle()
        return [text(lib.trm_model_input_name(handle, k))
                for k in range(lib.trm_model_input_count(handle))]

    @property
    def bodies(self) -> list[str]:
        """Names of all bodies, in the order of the model."""
        handle = self._handle()
        return [text(lib.trm_model_body_name(handle, k))
                for k in range(lib.trm_model_body_count(handle))]

    def __repr__(self) -> str:
        try:
            count = len(self.bodies)
        except (TrammelError, OSError):
            return f"<trammel.Model {self.document.get('name', self._name)!r}: not complete>"
        return f"<trammel.Model {self.name!r}: {count} bod{'y' if count == 1 else 'ies'}, {self.space}>"

    # questions

    def simulation(self, **settings: Any) -> Simulation:
        """A model in motion, to be advanced step by step; settings as in `simulate:`."""
        return Simulation(self, settings)

    def run(self, *, record: Sequence[str] = (), progress: Optional[bool] = None,
            check: bool = True, **settings: Any) -> Run:
        """Simulates the duration. `record`: more columns. A run that fails raises SimulationError,
        whose `run` has what was computed; check=False returns it instead. Ctrl-C ends it."""
        return Run._of(Simulation(self, settings), record, progress, check)

    def fmu(self, path: PathLike, *, version: int = 2, kind: str = "both",
            **settings: Any) -> Path:
        """Writes the model as a functional mock-up unit; kind: "cs", "me" or "both"."""
        if kind not in ("cs", "me", "both"):
            raise ValueError(f"kind is cs, me or both, not {kind!r}")
        options = lib.trm_default_fmu_options()
        options.version = version
        options.co_simulation, options.model_exchange = kind != "me", kind != "cs"
        keys, _kept_keys = strings([f"{key.replace('_', '-')}={number(value)}"
                                    for key, value in settings.items()])
        binary = ffi.new("char[]", encode(Path(__file__).parent / "bin" / "libtrammel_fmu.so"))
        options.settings, options.binary = keys, binary
        sets, _kept_sets = strings(overrides(self._parameters, self._inputs))
        diagnostics = Diagnostics()
        with self._file() as source:
            diagnostics.check(lib.trm_fmu_write(encode(source), sets, ffi.addressof(options),
                                                encode(path), diagnostics.pointer))
        return Path(path)

    def equilibrium(self, *, steady: bool = False, inputs: Optional[Mapping[str, float]] = None,
                    **settings: Any) -> dict[str, Any]:
        """Where the model comes to rest, or moves steadily: the keys of equilibrium.json. Raises
        SimulationError where there is none."""
        return analysis.equilibrium(self, steady, inputs, settings)

    def modes(self, *, at: analysis.At = "start", count: int = 0,
              inputs: Optional[Mapping[str, float]] = None, page: Optional[PathLike] = None,
              **settings: Any) -> dict[str, Any]:
        """Eigenvalues and shapes about the start, an "equilibrium", a "steady" motion or a time:
        the keys of modes.json. page: where to write a page that shows each mode moving."""
        return analysis.modes(self, at, count, inputs, page, settings)

    def linearize(self, inputs: Sequence[str] = (), outputs: Sequence[str] = (), *,
                  states: Sequence[str] = (), at: analysis.At = "start",
                  **settings: Any) -> dict[str, Any]:
        """The model near a state as a linear system: the keys of linear.json, A, B, C and D as
        arrays (control.ss(m["A"], m["B"], m["C"], m["D"]))."""
        return analysis.linearize(self, inputs, outputs, states, at, settings)

    def response(self, source: str, target: str, frequencies: Any, *, at: analysis.At = "start",
                 **settings: Any) -> Any:
        """Complex frequency response from an input to a measure, frequencies in Hz."""
        return analysis.response(self, source, target, frequencies, at, settings)

    def sweep(self, vary: Optional[Mapping[str, Any]] = None, *,
              folder: Optional[PathLike] = None, record: Sequence[str] = (),
              limit: Sequence[str] = (),
              design: Optional[str] = None, samples: int = 0, seed: int = 0,
              table: Optional[PathLike] = None, correlation: Optional[PathLike] = None,
              series: bool = False, threads: int = 0,
              progress: Optional[bool] = None, **settings: Any) -> dict[str, Any]:
        """Many runs on all cores: vary={"L": "1:2:11", "m": "normal(3, 0.1)", "k": [1, 2, 5]}.
        What sweep.json has, and `table`: the columns of sweep.csv. In a folder the files of
        `trammel sweep` stay, and started again there it goes on; series: the rows of every run are
        kept there, too, in HDF5 files, and `series` of the answer has the columns of series.csv,
        which tells where."""
        return studies.sweep(self, vary or {}, record, limit, folder, design, samples, seed, table,
                             correlation, series, threads, progress, settings)

    def sensitivity(self, wrt: Sequence[str], *, of: Optional[str] = None,
                    integral: Optional[str] = None, method: Optional[str] = None,
                    progress: Optional[bool] = None, **settings: Any) -> dict[str, Any]:
        """Derivatives by parameters of `of`, a formula of measures at the end of the run, and of
        `integral`, one that is integrated over it: the keys of sensitivity.json. method: "forward",
        "adjoint", or whichever costs less. Ctrl-C ends it."""
        return analysis.sensitivity(self, of, integral, wrt, method, progress, settings)

    def optimize(self, *, evaluations: int = 500,
                 progress: Optional[Callable[[int, float], Any]] = None,
                 **settings: Any) -> dict[str, Any]:
        """The best values of parameters by the model's section `optimize`: the keys of
        optimum.json. progress(evaluation, value) may return False to stop."""
        return analysis.optimize(self, evaluations, progress, settings)

    def compare(self, **options: Any) -> dict[str, Any]:
        """Runs the model with all methods and tells how they agree: `trammel compare --methods`,
        compare(duration=1, all=True). Two runs are compared by run.compare(other)."""
        return program.compare(self, options)

    def accuracy(self, *, folder: Optional[PathLike] = None, **options: Any) -> dict[str, Any]:
        """Error against step and against CPU time for several methods: accuracy(steps=[0.01,
        0.005], methods=["rk4", "ab4"]). folder: for figures and tables."""
        return program.accuracy(self, folder, options)

    def inverse(self, motion: Union[None, PathLike, Mapping[str, Any]] = None,
                **settings: Any) -> Table:
        """The efforts that a motion needs: of the model's drivers, or of `motion`, a CSV file or
        columns {"t": …, "A.angle": …}. Columns t and NAME.effort."""
        return program.inverse(self, motion, settings)

    def check(self, **settings: Any) -> dict[str, Any]:
        """Counts, redundancy and what assembly had to move."""
        return self.simulation(**settings).inspect()


def load(path: PathLike, *, inputs: Optional[Mapping[str, Any]] = None,
         functions: Optional[Mapping[str, Function]] = None, **parameters: Any) -> Model:
    """Reads a model file; parameters by keyword. inputs: {name: number, formula or file.csv},
    functions: see Model.with_functions."""
    whole = os.path.abspath(os.fspath(path))
    return Model._of({}, whole, None, whole, parameters, inputs or {},
                     one_by_one(functions or {}))._compiled()


def import_robot(path: PathLike, output: Optional[PathLike] = None, *,
                 packages: Union[PathLike, Sequence[PathLike]] = (), floating: bool = False,
                 balance_inertia: bool = False, meshes: bool = True) -> Model:
    """Makes a model of a robot's URDF, MJCF or SDF file, written to `output` (beside the robot, its
    name with .yaml) with its shapes; what could not be taken over is a warning, and each item one of
    the model's `messages`."""
    where = Path(output) if output is not None else Path(path).with_suffix(".yaml")
    named = [packages] if isinstance(packages, (str, os.PathLike)) else packages
    folders, _kept = strings([os.fspath(folder) for folder in named])
    options = lib.trm_default_import_options()
    options.floating, options.balance_inertia, options.meshes = floating, balance_inertia, meshes
    options.packages = folders
    diagnostics = Diagnostics()
    status = lib.trm_import(encode(path), ffi.addressof(options), encode(where),
                            diagnostics.pointer)
    said = diagnostics.take()
    if status != lib.TRM_OK:
        unread = status == lib.TRM_BAD_MODEL and not os.access(path, os.R_OK)
        raise error(lib.TRM_IO_ERROR if unread else status, said)
    if said:
        warnings.warn("\n".join(str(m) for m in said), TrammelWarning, stacklevel=2)
    model = load(where)
    model.messages = said + model.messages
    return model


def loads(source: str, name: str = "model.yaml", *, inputs: Optional[Mapping[str, Any]] = None,
          functions: Optional[Mapping[str, Function]] = None, **parameters: Any) -> Model:
    """The same of a text; files are looked for beside `name`."""
    return Model._of({}, None, source, name, parameters, inputs or {},
                     one_by_one(functions or {}))._compiled()
